package assertions

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// want returns an error unless a claim is true.
func want(is bool, format string, args ...any) error {
	if is {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func numbers(s string) []int {
	var list []int
	for _, n := range strings.Split(s, ", ") {
		list = append(list, number(n))
	}
	return list
}

// text returns what a quoted label stands for.
func text(quoted string) string { return strings.TrimSpace(strings.Trim(quoted, "`")) }

// Progress checks which steps of the property the run is said to do: in which round of
// its loop, with which of its transitions, and the progress after it.
func (c *Checker) Progress(said [][3]int) error {
	var does [][3]int
	for i := range c.Run.Transitions {
		if c.first[i+1] > c.first[i] {
			does = append(does, [3]int{1, i, c.first[i+1]})
		}
	}
	progress := c.first[len(c.Run.Transitions)]
	for round := 2; round <= len(c.Steps)+2; round++ {
		progress = c.round(progress, func(i, after int) { does = append(does, [3]int{round, i, after}) })
	}
	return want(slices.Equal(said, does), "the run is said to do %v, it does %v", said, does)
}

func (c *Checker) verdict(m []string) error {
	all := c.o.Satisfied()
	if err := want((m[2] == "satisfies") == all, "satisfied: %v", all); err != nil {
		return err
	}
	switch {
	case m[4] != "":
		first, last, err := c.stretch(m[4])
		if err != nil {
			return err
		}
		return want(all && first == 1 && last == len(c.Steps), "the property has %d steps", len(c.Steps))
	}
	if all && len(c.Steps) > 0 && isBounds(m[5]) {
		return c.bounds(m[5])
	}
	return errors.Join(want(!all, "the property is satisfied"), c.diagnosis(m[5]))
}

func (c *Checker) initialDeadlock([]string) error {
	return want(len(c.o.Out(c.Model.Initial())) == 0, "transitions leave it")
}

// shortest checks what is said of the length of the run.
func (c *Checker) shortest(adjective, length string) error {
	n := len(c.Run.Transitions)
	if number(length) != n {
		return fmt.Errorf("it has %d", n)
	}
	least, _ := c.o.ShortestLength()
	switch adjective {
	case "A shortest counterexample", "The given counterexample, a shortest one,":
		return want(n == least, "one has length %d", least)
	case "The given counterexample":
		return want(n > least, "it is a shortest one, which is not told")
	}
	return fmt.Errorf("adjective %q", adjective)
}

func (c *Checker) stopsRefused(m []string) error {
	last := c.states[len(c.states)-1]
	return errors.Join(c.shortest(m[1], m[2]), want(number(m[3]) == int(last) && c.mayEnd(last), "it ends in %d", last), c.refused(m[4], m[5]))
}

func (c *Checker) deadlock(m []string) error {
	last := c.states[len(c.states)-1]
	return errors.Join(c.shortest(m[1], m[2]),
		want(c.Run.Loop == oracle.NoLoop && number(m[3]) == int(last), "it ends in %d", last))
}

func (c *Checker) wholeLoop(m []string) error {
	return errors.Join(c.shortest(m[1], m[2]), want(c.Run.Loop == 0, "its loop begins at %d", c.Run.Loop))
}

func (c *Checker) lasso(m []string) error {
	loop := 1
	if m[3] != "one is" {
		loop = number(strings.TrimSuffix(m[3], " are"))
	}
	return errors.Join(c.shortest(m[1], m[2]), want(c.Run.Loop > 0 && len(c.Run.Transitions)-c.Run.Loop == loop, "its loop begins at %d", c.Run.Loop))
}

// named returns the step of the property, from 1, that stands behind others and is
// named so: "A", "a second A", "another A".
func (c *Checker) named(name string, step int) error {
	if step > len(c.Steps) {
		return fmt.Errorf("the property has no step %d", step)
	}
	pattern := c.Patterns[step-1]
	same := 1
	for same < step && c.Patterns[step-1-same] == pattern {
		same++
	}
	expected := "`" + pattern + "`"
	switch {
	case same > 1:
		expected = [...]string{2: "a second ", 3: "a third ", 4: "a fourth "}[same] + expected
	case slices.Contains(c.Patterns[:step-1], pattern):
		expected = "another " + expected
	}
	return want(name == expected, "step %d is %s, not %s", step, expected, name)
}

// stretch finds the steps that are listed: a contiguous part of the property.
func (c *Checker) stretch(list string) (first, last int, err error) {
	names := strings.Split(list, ", later ")
	for first = 1; first+len(names)-1 <= len(c.Steps); first++ {
		err = nil
		for i, name := range names {
			err = errors.Join(err, c.named(name, first+i))
		}
		if err == nil {
			return first, first + len(names) - 1, nil
		}
	}
	return 0, 0, fmt.Errorf("%q is no part of the property", list)
}

func (c *Checker) never(m []string) error {
	return errors.Join(c.named(m[1], 1), want(c.done == 0, "it does %d steps", c.done))
}

func (c *Checker) missing(m []string) error {
	first, last, err := c.stretch(m[1])
	if err != nil {
		return err
	}
	return errors.Join(want(first == 1 && last == c.done, "it does %d steps", c.done), c.named(m[2], c.done+1))
}

func (c *Checker) undecided(m []string) error {
	first, last, err := c.stretch(m[1])
	if err != nil {
		return err
	}
	return errors.Join(
		want(!c.o.Free(c.Model.Initial(), 0), "some run satisfies the property"),
		want(first == 1 && !c.steps.CanDo(c.Model.Initial(), 1, last), "some run does"),
		want(last == 1 || c.steps.CanDo(c.Model.Initial(), 1, last-1), "even less is out of reach"))
}

func (c *Checker) alwaysPossible([]string) error {
	for i := range c.states {
		if !c.free(i) {
			return fmt.Errorf("after %d transitions it is not", i)
		}
	}
	return nil
}

func (c *Checker) nothingBetter([]string) error {
	for i := range c.Run.Transitions {
		if i > 0 && c.free(i) && !c.free(i+1) {
			return fmt.Errorf("transition %d passes the point of no return", i)
		}
		for _, t := range c.others(i) {
			if better(c.o.ClassAfter(c.at(i), t), c.o.ClassAfter(c.at(i), c.Run.Transitions[i])) {
				return fmt.Errorf("%v would have been better", t)
			}
		}
	}
	return nil
}

func better(a, b oracle.Class) bool {
	hope := map[oracle.Class]int{oracle.Incorrect: 0, oracle.Neutral: 1, oracle.Correct: 2}
	return hope[a] > hope[b]
}

// others returns the transitions that the run could have taken instead of transition
// i.
func (c *Checker) others(i int) []lts.Transition {
	return slices.DeleteFunc(c.o.Out(c.states[i]), func(t lts.Transition) bool {
		return t == c.Run.Transitions[i] || c.leaving && slices.Contains(c.Run.Transitions[c.Run.Loop:], t)
	})
}

// byHistory checks it of every state of the run at which a choice matters.
func (c *Checker) byHistory(m []string) error {
	matter := map[lts.State]bool{}
	kinds := c.o.Neighbourhoods(c.Reading)
	for i := range c.Run.Transitions {
		taken := c.o.ClassAfter(c.at(i), c.Run.Transitions[i])
		matters := c.free(i) && !c.free(i+1)
		for _, t := range c.others(i) {
			matters = matters || better(c.o.ClassAfter(c.at(i), t), taken)
		}
		if matters && !c.differs(i) {
			return fmt.Errorf("in state %d it does not", c.states[i])
		}
		if _, is := kinds[c.states[i]]; matters && is {
			return fmt.Errorf("state %d is a neighbourhood", c.states[i])
		}
		if matters {
			matter[c.states[i]] = true
		}
	}
	return want((m[1] == "this state") == (len(matter) == 1), "choices matter in %v", matter)
}

// differs reports whether some other history of the state before transition i gives
// some transition that leaves it another meaning.
func (c *Checker) differs(i int) bool {
	for j := range max(len(c.Steps)+1, c.mostStates) {
		for _, t := range c.o.Out(c.states[i]) {
			if c.o.Arrives(c.states[i], j) && c.o.ClassAfter(j, t) != c.o.ClassAfter(c.at(i), t) {
				return true
			}
		}
	}
	return false
}

// kept returns the transitions of the abstracted run.
func (c *Checker) kept() []int {
	var kept []int
	kinds := c.o.Neighbourhoods(c.Reading)
	for i, t := range c.Run.Transitions {
		_, from := kinds[t.From]
		_, to := kinds[t.To]
		if from || to || c.free(i) && !c.free(i+1) {
			kept = append(kept, i)
		}
	}
	return kept
}

func (c *Checker) abstraction(m []string) error {
	kept := c.kept()
	var labels []string
	for _, i := range kept {
		labels = append(labels, c.Model.Alphabet().Text(c.Run.Transitions[i].Label))
	}
	var said []string
	for _, l := range strings.Split(m[3], ", ") {
		name, times, folds := strings.Cut(l, " ×")
		for range max(1, number(times)) {
			said = append(said, text(name))
		}
		if folds && number(times) < 2 {
			return fmt.Errorf("%q", l)
		}
	}
	if !strings.Contains(m[3], "…") && !slices.Equal(said, labels) {
		return fmt.Errorf("it keeps %v", labels)
	}
	return want(number(m[1]) == len(kept) && number(m[2]) == len(c.Run.Transitions), "it keeps %d of %d", len(kept), len(c.Run.Transitions))
}
