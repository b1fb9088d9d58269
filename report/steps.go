package report

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// The table of steps shows a run as stretches of steps. Neither a step with a
// remark (a decision, progress, the point of no return, the end of a loop) nor the
// beginning of a loop is ever inside one that stands for several steps.

// stretch is what a row of the table stands for: the steps of a run from first to
// the one before end.
type stretch struct {
	first, end int
	kind       stretchKind
}

type stretchKind byte

const (
	oneStep stretchKind = iota
	folded              // several steps with one label
	hidden              // steps that the reader does not want to see
	leftOut             // uneventful steps of a long run
)

func (s stretch) len() int { return s.end - s.first }

// what says what a row stands for that has no label.
func (s stretch) what() string {
	if s.kind == hidden {
		return fmt.Sprintf("… %s hidden", printable.Quantity(s.len(), "step"))
	}
	return fmt.Sprintf("… %s", printable.Quantity(s.len(), "step"))
}

// number names the steps by their numbers, from 1.
func (s stretch) number() string {
	if s.len() == 1 {
		return fmt.Sprint(s.end)
	}
	return fmt.Sprintf("%d–%d", s.first+1, s.end)
}

// foldFrom is the number of equal labels in a row from which on they are folded.
const foldFrom = 3

// folding writes so many equal labels as one.
func folding(label string, times int) string {
	if times == 1 {
		return label
	}
	return fmt.Sprintf("%s ×%d", label, times)
}

// foldedList returns labels with long runs of one of them folded.
func foldedList(labels []string) []string {
	var list []string
	for i := 0; i < len(labels); {
		n := 1
		for i+n < len(labels) && labels[i+n] == labels[i] {
			n++
		}
		if n < foldFrom {
			list = append(list, labels[i:i+n]...)
		} else {
			list = append(list, folding(labels[i], n))
		}
		i += n
	}
	return list
}

// Steps of long counterexamples are left out where nothing happens.
const (
	elideFrom = 40 // the number of rows from which on that is done
	margin    = 2  // rows shown before and after one with a remark
)

// stretches divides the steps of the counterexample into the rows of its table.
// Cost O(steps).
func (r *remarks) stretches(o Options) []stretch {
	steps, loop := r.e.Counterexample.Steps, r.e.Counterexample.LoopStart
	plain := func(i int) bool { return len(r.of(i)) == 0 }
	hides := o.hides(steps)
	var all []stretch
	for i := 0; i < len(steps); {
		s := stretch{first: i, end: i + 1}
		switch {
		case !plain(i):
		case hides(i):
			s.kind = hidden
			for s.end < len(steps) && s.end != loop && hides(s.end) && plain(s.end) {
				s.end++
			}
		case !o.Full:
			for s.end < len(steps) && s.end != loop && steps[s.end].Label == steps[i].Label && plain(s.end) {
				s.end++
			}
			if s.kind = folded; s.len() < foldFrom {
				s.end, s.kind = i+1, oneStep
			}
		}
		all = append(all, s)
		i = s.end
	}
	if o.Full || len(all) < elideFrom {
		return all
	}
	return withoutUneventful(all, func(s stretch) bool { return !plain(s.first) || s.first == loop })
}

// hides tells of steps whether their labels are not to be shown. Each label is
// compared with the patterns once.
func (o Options) hides(steps []explain.Step) func(i int) bool {
	if len(o.Hide) == 0 {
		return func(int) bool { return false }
	}
	known := map[string]bool{}
	return func(i int) bool {
		label := steps[i].Label
		is, seen := known[label]
		if !seen {
			for _, pattern := range o.Hide {
				is = is || pattern.Matches(label)
			}
			known[label] = is
		}
		return is
	}
}

// withoutUneventful leaves out the rows of a long run that are neither its first,
// its last, eventful, nor near such a one.
func withoutUneventful(all []stretch, eventful func(stretch) bool) []stretch {
	shown := make([]bool, len(all))
	for i, s := range all {
		if !eventful(s) && i != 0 && i != len(all)-1 {
			continue
		}
		for j := max(0, i-margin); j <= min(len(all)-1, i+margin); j++ {
			shown[j] = true
		}
	}
	var kept []stretch
	for i := 0; i < len(all); i++ {
		from := i
		for !shown[i] {
			i++
		}
		if i > from {
			kept = append(kept, stretch{all[from].first, all[i].first, leftOut})
		}
		kept = append(kept, all[i])
	}
	return kept
}

// textsOf returns remarks without their styles.
func textsOf(all []remark) string {
	texts := make([]string, len(all))
	for i, r := range all {
		texts[i] = r.text
	}
	return strings.Join(texts, "; ")
}

// gutter marks by a bracket the steps from first to the one before end, of a run
// with so many, where they are on its loop.
func gutter(loopStart, steps, first, end int) string {
	switch {
	case loopStart < 0 || first < loopStart:
		return ""
	case loopStart == steps-1, first == loopStart && end == steps:
		return "↻"
	case first == loopStart:
		return "╭"
	case end == steps:
		return "╰"
	}
	return "│"
}
