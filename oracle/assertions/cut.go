package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// cutOne is a transition of a cut.
var cutOne = regexp.MustCompile("^(" + label + `) from state (\d+) to state (\d+)(?:(?:, step (\d+) of this run)|(?: \(step (\d+)\)))?$`)

// cut checks that the property holds without some transitions of a chain, and not without
// fewer.
func (c *Checker) cut(m []string) error { return c.play().cut(m) }

func (g *game) cut(m []string) error {
	var without []lts.Transition
	for _, part := range strings.Split(m[1], " and ") {
		of := cutOne.FindStringSubmatch(part)
		if of == nil {
			return fmt.Errorf("%q is no transition", part)
		}
		l, _ := g.Model.Alphabet().Lookup(text(of[1]))
		t := lts.Transition{From: lts.State(number(of[2])), Label: l, To: lts.State(number(of[3]))}
		first := 0
		for i, step := range g.Run.Transitions {
			if step == t && first == 0 {
				first = i + 1
			}
		}
		if told := max(number(of[4]), number(of[5])); told != first {
			return fmt.Errorf("%q is step %d", part, first)
		}
		if g.inner(l) {
			return fmt.Errorf("%q cannot be forbidden", part)
		}
		without = append(without, t)
	}
	err := want(g.holdsWithout(without...), "it does not hold without %v", without)
	if len(without) == 1 {
		return err
	}
	for t := range g.Model.Transitions() {
		err = errors.Join(err, want(g.inner(t.Label) || !g.holdsWithout(t), "it holds without %v alone", t))
	}
	return err
}

// holdsWithout reports whether the property holds without some transitions, and no run comes
// to a new deadlock.
func (g *game) holdsWithout(without ...lts.Transition) bool {
	var b lts.Builder
	for _, text := range g.Model.Alphabet().All() {
		b.Label(text)
	}
	gone := map[lts.Transition]bool{}
	for _, t := range without {
		gone[t] = true
	}
	for t := range g.Model.Transitions() {
		if !gone[t] {
			b.Add(t.From, t.Label, t.To)
		}
	}
	m, err := b.Build(g.Model.Initial(), g.Model.NumStates())
	if err != nil {
		return false
	}
	met := map[lts.State]bool{m.Initial(): true}
	for open := []lts.State{m.Initial()}; len(open) > 0; open = open[1:] {
		if m.IsDeadlock(open[0]) && !g.Model.IsDeadlock(open[0]) {
			return false
		}
		for t := range m.Transitions() {
			if t.From == open[0] && !met[t.To] {
				met[t.To] = true
				open = append(open, t.To)
			}
		}
	}
	return g.satisfied(m)
}
