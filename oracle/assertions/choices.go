package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

func (c *Checker) decision(m []string) error {
	steps, err := c.places(m[1], m[2])
	if err != nil {
		return err
	}
	var taken []string
	for _, l := range strings.Split(m[4], ", ") {
		name, times, folds := strings.Cut(l, " ×")
		if !folds {
			times = "1"
		}
		for range number(times) {
			taken = append(taken, name)
		}
	}
	if len(taken) != len(steps) {
		return fmt.Errorf("%d steps, %d labels", len(steps), len(taken))
	}
	for at, step := range steps {
		i := step - 1
		if err := errors.Join(
			c.takes(i, taken[at]),
			want(c.onLoop(i) == (m[3] != ""), "step %d is in every round: %v", step, c.onLoop(i)),
			c.outcome(i, m[5], m[6]),
		); err != nil {
			return err
		}
		if strings.Contains(m[5], "before") {
			continue
		}
		if err := c.outlook(i, m[7]); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
	return nil
}

// stepNumbers reads a list of steps of the run.
func (c *Checker) stepNumbers(steps string) ([]int, error) {
	var listed []int
	for _, part := range strings.Split(steps, ", ") {
		first, last, ranges := strings.Cut(part, "–")
		if !ranges {
			last = first
		}
		for i := number(first); i <= number(last); i++ {
			if i < 1 || i > len(c.Run.Transitions) {
				return nil, fmt.Errorf("there is no step %d", i)
			}
			listed = append(listed, i)
		}
	}
	return listed, nil
}

// places reads a list of steps, and checks that the states listed are those which they
// leave.
func (c *Checker) places(states, steps string) ([]int, error) {
	listed, err := c.stepNumbers(steps)
	if err != nil {
		return nil, err
	}
	var left []int
	for _, i := range listed {
		if s := int(c.states[i-1]); !slices.Contains(left, s) {
			left = append(left, s)
		}
	}
	return listed, want(slices.Equal(left, numbers(states)), "the steps leave states %v", left)
}

// takes checks how the transition i of the run is named.
func (c *Checker) takes(i int, name string) error {
	t := c.Run.Transitions[i]
	name, to, told := strings.Cut(name, " to state ")
	if text(name) != c.Model.Alphabet().Text(t.Label) || told && number(to) != int(t.To) {
		return fmt.Errorf("step %d takes %v, not %s", i+1, t, name)
	}
	for _, other := range c.others(i) {
		if other.Label == t.Label && !told && c.o.ClassAfter(c.at(i), other) != excluded {
			return fmt.Errorf("step %d could as well take %v", i+1, other)
		}
	}
	return nil
}

// outcome checks what transition i of the run meant.
func (c *Checker) outcome(i int, said, gone string) error {
	switch {
	case strings.Contains(said, "stays possible"):
		return want(c.free(i) && c.free(i+1), "it is possible before: %v, after: %v", c.free(i), c.free(i+1))
	case strings.Contains(said, "lost before"):
		return want(!c.free(i), "it was possible")
	}
	if !c.free(i) || c.free(i+1) {
		return fmt.Errorf("it is possible before: %v, after: %v", c.free(i), c.free(i+1))
	}
	list, such := strings.CutPrefix(gone, "no run that counts does ")
	list, single := strings.CutSuffix(list, " can no longer happen")
	list = strings.TrimPrefix(list, "the run can no longer do ")
	done := c.first[i+1]
	steps := strings.Split(list, ", later ")
	if single != (len(steps) == 1) && !such {
		return fmt.Errorf("%q", gone)
	}
	last := done + len(steps)
	for at, name := range steps {
		if err := c.named(name, done+1+at); err != nil {
			return err
		}
	}
	to := c.Run.Transitions[i].To
	return errors.Join(
		want(!c.steps.CanDo(to, done+1, last), "some continuation does"),
		want(last == done+1 || c.steps.CanDo(to, done+1, last-1), "even less is out of reach"))
}

// means are the ways in which a report says what a choice means.
var means = []struct {
	is    *regexp.Regexp
	class oracle.Class
}{
	{regexp.MustCompile(`^(.+) (?:would have made|makes) (?:the property|it) certain$`), oracle.Correct},
	{regexp.MustCompile(`^(.+) (?:would have kept|would only have kept|keeps) (?:the property|it) possible$`), oracle.Neutral},
	{regexp.MustCompile(`^(.+) (?:would have lost|would still have lost|loses) (?:the property|it)(?: as well)?$`), oracle.Incorrect},
}

// outlook checks what is said of the transitions that the run does not take with its
// transition i: all of them are mentioned, and mean what is said.
func (c *Checker) outlook(i int, said string) error {
	now, first, firstDiffers := strings.Cut(said, "In the first round, ")
	now = strings.TrimSuffix(strings.TrimSpace(now), ".")
	expected := map[oracle.Class][]lts.Transition{}
	earlier := map[oracle.Class][]lts.Transition{}
	for _, t := range c.others(i) {
		class, before := c.o.ClassAfter(c.at(i), t), c.o.ClassAfter(c.first[i], t)
		if class == excluded { // nothing is told of what leads to no run that counts
			continue
		}
		expected[class] = append(expected[class], t)
		if before != class {
			earlier[before] = append(earlier[before], t)
		}
	}
	passes := c.free(i) && !c.free(i+1)
	if strings.Contains(said, "as well") != (passes && len(expected[oracle.Incorrect]) > 0) {
		return fmt.Errorf("passes the point of no return: %v", passes)
	}
	if firstDiffers != (len(earlier) > 0) {
		return fmt.Errorf("the first round differs: %v", earlier)
	}
	return errors.Join(c.listed(now, expected), c.listed(first, earlier))
}

// listed compares clauses with the transitions of each class.
func (c *Checker) listed(clauses string, expected map[oracle.Class][]lts.Transition) error {
	met := map[oracle.Class]bool{}
	if clauses == "" {
		return want(len(expected) == 0, "it does not tell of %v", expected)
	}
	for _, clause := range strings.Split(clauses, "; ") {
		at := slices.IndexFunc(means, func(m struct {
			is    *regexp.Regexp
			class oracle.Class
		}) bool {
			return m.is.MatchString(clause)
		})
		if at < 0 {
			return fmt.Errorf("clause %q", clause)
		}
		class := means[at].class
		met[class] = true
		if err := c.names(means[at].is.FindStringSubmatch(clause)[1], expected[class]); err != nil {
			return fmt.Errorf("%s: %w", class, err)
		}
	}
	for class := range expected {
		if !met[class] {
			return fmt.Errorf("it does not tell of %v", expected[class])
		}
	}
	return nil
}

// othersCut is the end of a list that is cut.
var othersCut = regexp.MustCompile(` or (\d+) other actions?$`)

var option = regexp.MustCompile("(any of `[^`]+`(?:, `[^`]+`)+|`[^`]+`) to state (\\d+(?:, \\d+)*(?: or \\d+)?)|(`[^`]+`)")

// names checks that a list names exactly these transitions.
func (c *Checker) names(list string, expected []lts.Transition) error {
	if cut := othersCut.FindStringSubmatch(list); cut != nil {
		return want(len(expected) > number(cut[1]), "there are %d", len(expected))
	}
	if n, is := strings.CutSuffix(list, " other transitions"); is {
		return want(number(n) == len(expected), "there are %d", len(expected))
	}
	left := slices.Clone(expected)
	for i, between := range option.Split(list, -1) {
		if between != "" && between != ", " && between != " or " || i == 0 && between != "" {
			return fmt.Errorf("%q is between options of %q", between, list)
		}
	}
	for _, m := range option.FindAllStringSubmatch(list, -1) {
		labels, to, ways := strings.Split(strings.TrimPrefix(m[1], "any of "), ", "), numbers(strings.ReplaceAll(m[2], " or ", ", ")), 0
		if m[1] == "" {
			labels, to = []string{m[3]}, nil
		} else {
			ways = len(labels) * len(to)
		}
		before := len(left)
		left = slices.DeleteFunc(left, func(t lts.Transition) bool {
			named := slices.ContainsFunc(labels, func(l string) bool { return c.Model.Alphabet().Text(t.Label) == text(l) })
			return named && (to == nil || slices.Contains(to, int(t.To)))
		})
		if n := before - len(left); n == 0 || ways > 0 && n != ways {
			return fmt.Errorf("%s stands for %d of %v", m[0], n, expected)
		}
	}
	return want(len(left) == 0, "%v are not told", left)
}

func (c *Checker) trapped(m []string) error {
	c.leaving = c.Run.Loop != oracle.NoLoop
	defer func() { c.leaving = false }()
	for i := range c.Run.Transitions {
		for _, t := range c.others(i) {
			if c.onLoop(i) && (m[1] == "transition" || c.o.ClassAfter(c.at(i), t) != excluded) {
				return fmt.Errorf("%v leaves it", t)
			}
		}
	}
	return want(c.Run.Loop != oracle.NoLoop, "there is no loop")
}

func (c *Checker) lostInLoop([]string) error {
	return want(c.Run.Loop != oracle.NoLoop && !c.free(c.Run.Loop), "it is possible in the loop")
}

func (c *Checker) waysOut(m []string) error {
	steps, err := c.places(m[1], m[2])
	if err != nil {
		return err
	}
	for _, step := range steps {
		if !c.onLoop(step - 1) {
			return fmt.Errorf("step %d is not on the loop", step)
		}
		c.leaving = true
		err := c.outlook(step-1, m[3])
		if c.leaving = false; err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
	return nil
}

// wayLength returns the length of a shortest path from one of the given states on which
// only the last transition advances this progress, the property being still possible after
// it; false if there is none.
func (c *Checker) wayLength(from []lts.State, progress int) (length int, found bool) {
	level := map[lts.State]bool{}
	for _, s := range from {
		level[s] = true
	}
	for length = 1; length <= c.Model.NumStates()+1; length++ {
		next := map[lts.State]bool{}
		for s := range level {
			for _, t := range c.o.Out(s) {
				after := c.o.Advance(progress, t.Label)
				if after == progress {
					next[t.To] = true
				} else if c.o.Free(t.To, after) {
					return length, true
				}
			}
		}
		level = next
	}
	return 0, false
}

// nearestWay checks that the way is one, and that none is shorter.
func (c *Checker) nearestWay(m []string) error {
	var loop []lts.State
	for i := range c.Run.Transitions {
		if c.onLoop(i) {
			loop = append(loop, c.states[i])
		}
	}
	from, labels, to := lts.State(number(m[2])), strings.Split(m[3], ", "), lts.State(number(m[4]))
	least, found := c.wayLength(loop, c.done)
	level := map[lts.State]bool{from: true}
	for i, l := range labels {
		next := map[lts.State]bool{}
		for s := range level {
			for _, t := range c.o.Out(s) {
				advances := c.o.Advance(c.done, t.Label) > c.done
				if c.Model.Alphabet().Text(t.Label) == text(l) && advances == (i == len(labels)-1) {
					next[t.To] = true
				}
			}
		}
		level = next
	}
	return errors.Join(c.named(m[1], c.done+1),
		want(slices.Contains(loop, from), "state %d is not on the loop", from),
		want(level[to] && c.o.Free(to, c.done+1), "there is no such way"),
		want(found && (least == len(labels) || strings.Contains(m[3], "…")), "the shortest one has length %d", least))
}
