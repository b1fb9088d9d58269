package assertions

import (
	"fmt"
	"regexp"

	"github.com/inev-lts/inev/lts"
)

var (
	spanForm = regexp.MustCompile(`within (\d+) to (\d+)|after exactly (\d+)`)
	cutForm  = regexp.MustCompile(`, … \((\d+) more\)`)
)

// bounds checks within how many transitions each step of a chain that holds is done.
func (c *Checker) bounds(said string) error {
	spans := spanForm.FindAllStringSubmatch(said, -1)
	left := 0
	if m := cutForm.FindStringSubmatch(said); m != nil {
		left = number(m[1])
	}
	if len(spans)+left != len(c.Steps) {
		return fmt.Errorf("%q has bounds of %d steps, and the property has %d", said, len(spans)+left, len(c.Steps))
	}
	for i, span := range spans {
		step := i + 1
		if left > 0 && i == len(spans)-1 {
			step += left
		}
		least, most := number(span[1]), number(span[2])
		if span[3] != "" {
			least = number(span[3])
			most = least
		}
		x := waiting{c, step, map[waitingPlace][2]int{}}
		if want := x.from(waitingPlace{c.Model.Initial(), 0}); want != [2]int{least, most} {
			return fmt.Errorf("%q: step %d is done within %d to %d", said, step, want[0], want[1])
		}
	}
	return nil
}

// isBounds reports whether a text says bounds.
func isBounds(said string) bool { return spanForm.MatchString(said) }

// waiting looks at all runs until a step is done.
type waiting struct {
	c     *Checker
	step  int
	known map[waitingPlace][2]int
}

type waitingPlace struct {
	state lts.State
	done  int
}

// from returns the fewest and the most transitions until the step is done. It ends, for the
// property holds: no run goes on for ever without the step.
func (x waiting) from(p waitingPlace) [2]int {
	if p.done >= x.step {
		return [2]int{}
	}
	if found, is := x.known[p]; is {
		return found
	}
	least, most := -1, 0
	labels, targets := x.c.Model.Out(p.state)
	for i, t := range targets {
		next := waitingPlace{t, p.done}
		if x.c.Steps[p.done][labels.At(i)] {
			next.done++
		}
		after := x.from(next)
		if least < 0 || after[0]+1 < least {
			least = after[0] + 1
		}
		most = max(most, after[1]+1)
	}
	x.known[p] = [2]int{least, most}
	return x.known[p]
}
