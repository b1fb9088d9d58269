package view

import (
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// choices are the effects of transitions on the counterexample, given its progress. Classes say
// less, since they are about all runs through a state.
type choices struct {
	// after is the class of each transition that leaves a decision, a fork or the loop, for the
	// counterexample.
	after map[lts.Transition]neighbourhood.Class
	// better are those transitions in after that are better for the property than the step of the
	// counterexample.
	better map[lts.Transition]bool
	// turns are the indices of the steps with a better choice, ascending.
	turns []int
}

// newChoices collects the choices of e on its counterexample r. There are none if the property is
// lost from the start. Cost O(alternatives).
func newChoices(e *explain.Explanation, r *run) choices {
	c := choices{after: map[lts.Transition]neighbourhood.Class{}, better: map[lts.Transition]bool{}}
	if lostFromTheStart(e) {
		return c
	}
	transition := func(from lts.State, choice explain.Choice) lts.Transition {
		return e.LTS().Transition(from, choice.Label, choice.To)
	}
	for i := range e.Decisions {
		d := &e.Decisions[i]
		c.after[transition(d.State, d.Chosen)] = d.Chosen.After
		for _, other := range d.Alternatives {
			t := transition(d.State, other)
			c.after[t] = other.After
			if other.IsBetter(d.Chosen) {
				c.better[t] = true
			}
		}
		if d.HasBetter() {
			c.turns = append(c.turns, int(d.Step))
		}
	}
	for _, x := range e.Exits {
		// A step that stays on the loop is no better choice, even if it keeps the
		// property possible: going round for ever violates it.
		t := transition(x.From, x.Choice)
		c.after[t] = x.After
		if nearness(x.After) > 0 && !r.loops(x.To) {
			c.better[t] = true
		}
	}
	slices.Sort(c.turns)
	return c
}

// lostFromTheStart reports whether no run at all satisfies the property: then the run
// decides nothing.
func lostFromTheStart(e *explain.Explanation) bool {
	return e.Counterexample != nil && e.Counterexample.InitialFate == explain.Fated
}

// nearness orders effects: 0 for lost, 1 for possible, 2 for certain.
func nearness(after neighbourhood.Class) int {
	switch after {
	case neighbourhood.Correct:
		return 2
	case neighbourhood.Neutral:
		return 1
	}
	return 0
}

// best returns the better choices among transitions, first those that make the property
// certain, and the number of these.
func (c *choices) best(transitions []lts.Transition) ([]lts.Transition, int) {
	var certain, possible []lts.Transition
	for _, t := range transitions {
		switch {
		case !c.better[t]:
		case c.after[t] == neighbourhood.Correct:
			certain = append(certain, t)
		default:
			possible = append(possible, t)
		}
	}
	return append(certain, possible...), len(certain)
}
