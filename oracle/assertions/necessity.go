package assertions

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// What is said of all violations.
const (
	throughForm = `Every violation goes through steps? ([\d, –]+?)(?: and (\d+) more)?`
	gapForm     = `All violations stop in state (\d+), and no other run does: perhaps a transition is missing there\. With (.+) it would hold \(a guess\)`
)

func (c *Checker) through(m []string) error { return c.play().through(m) }
func (c *Checker) gap(m []string) error     { return c.play().gap(m) }

// through checks for each step that the runs that avoid it satisfy the property.
func (g *game) through(m []string) error {
	steps, err := g.stepNumbers(m[1])
	if err != nil {
		return err
	}
	for _, i := range steps {
		t := g.Run.Transitions[i-1]
		if m := g.avoiding(func(x lts.Transition) bool { return x == t }); m != nil && !g.satisfied(m) {
			return fmt.Errorf("some violation does not go through step %d", i)
		}
	}
	return nil
}

// gapOne is a transition that may be missing.
var gapOne = regexp.MustCompile("(" + label + `) to state (\d+)`)

// gap checks that the property holds of the runs that avoid a state, that no run stops there that
// satisfies it, and that it holds with a transition from there.
func (g *game) gap(m []string) error {
	at := lts.State(number(m[1]))
	if !g.Model.IsDeadlock(at) {
		return fmt.Errorf("state %d is no deadlock", at)
	}
	if m := g.avoiding(func(x lts.Transition) bool { return x.To == at }); m != nil && at != g.Model.Initial() && !g.satisfied(m) {
		return fmt.Errorf("some violation does not stop in state %d", at)
	}
	for q := range max(g.mostStates, len(g.Steps)+1) {
		if g.o.Arrives(at, q) && g.o.Free(at, q) {
			return fmt.Errorf("a run that satisfies it stops in state %d", at)
		}
	}
	for _, way := range gapOne.FindAllStringSubmatch(m[2], -1) {
		l, _ := g.Model.Alphabet().Lookup(text(way[1]))
		more := lts.Transition{From: at, Label: l, To: lts.State(number(way[2]))}
		with := g.edited(append(slices.Collect(g.Model.Transitions()), more))
		if with == nil || !g.satisfied(with) {
			return fmt.Errorf("it does not hold with %v", more)
		}
	}
	return nil
}

// avoiding returns the model of the runs that take none of some transitions; nil if there is no
// such run. States from where all ways lead to where nothing is left but was before go with them.
func (g *game) avoiding(gone func(lts.Transition) bool) *lts.LTS {
	left := slices.DeleteFunc(slices.Collect(g.Model.Transitions()), gone)
	for {
		leaves := map[lts.State]bool{}
		for _, t := range left {
			leaves[t.From] = true
		}
		stuck := func(s lts.State) bool { return !leaves[s] && !g.Model.IsDeadlock(s) }
		if stuck(g.Model.Initial()) {
			return nil
		}
		before := len(left)
		left = slices.DeleteFunc(left, func(t lts.Transition) bool { return stuck(t.To) })
		if len(left) == before {
			return g.edited(left)
		}
	}
}

// edited returns the model with other transitions.
func (g *game) edited(transitions []lts.Transition) *lts.LTS {
	var b lts.Builder
	for _, text := range g.Model.Alphabet().All() {
		b.Label(text)
	}
	for _, t := range transitions {
		b.Add(t.From, t.Label, t.To)
	}
	m, err := b.Build(g.Model.Initial(), g.Model.NumStates())
	if err != nil {
		return nil
	}
	return m
}
