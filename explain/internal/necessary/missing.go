package necessary

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// The bounds of the search for missing transitions.
const (
	mostMissing = 3      // the number of transitions that are returned
	mostChecked = 60     // the number of transitions that are tried
	mostDrawn   = 20_000 // the number of transitions of the model that are visited
)

// missing returns transitions that may be missing in state s, where runs of m end and violate p:
// adding any one of them to m makes p true. They are guesses, the likeliest first: transitions of a
// model often commute, and the targets of one action often have the same continuations. work is as
// in [Options]; if it is not enough, there are none. It fails if ctx is done.
func missing(ctx context.Context, m *lts.LTS, p *property.Property, s lts.State, work int64) ([]lts.Transition, error) {
	if m.Alphabet().Texts() != m.Alphabet().Len() {
		return nil, nil // the values of states behind a new transition are unknown
	}
	if err := errors.Join(m.FindPredecessors(ctx), m.FindReachable(ctx)); err != nil {
		return nil, err
	}
	var found []lts.Transition
	each := int64(p.States()) * int64(m.NumStates()+m.NumTransitions())
	for _, t := range likely(m, s) {
		if work -= each; work < 0 || len(found) == mostMissing {
			break
		}
		holds, err := holdsWith(ctx, m, p, t)
		if err != nil {
			return nil, err
		}
		if holds {
			found = append(found, t)
		}
	}
	return found, nil
}

// likelihood counts the evidence for a transition.
type likelihood struct {
	transition lts.Transition
	// squares is the number of actions that the transition would commute with; alike is the number
	// of targets of the same action that have such a transition.
	squares, alike int
}

// likely returns transitions that may be missing in s, the likeliest first.
func likely(m *lts.LTS, s lts.State) []lts.Transition {
	found := map[lts.Transition]*likelihood{}
	of := func(l lts.Label, to lts.State) *likelihood {
		t := lts.Transition{From: s, Label: l, To: to}
		if found[t] == nil {
			found[t] = &likelihood{transition: t}
		}
		return found[t]
	}
	looks := 0
	labels, sources := m.Predecessors().In(s)
	came := map[lts.Label]bool{}
	for i, from := range sources {
		if !m.Reachable().Has(from) {
			continue
		}
		came[labels.At(i)] = true
		others, targets := m.Out(from)
		for k, to := range targets {
			after, ends := m.Out(to)
			for j, end := range ends {
				if looks++; looks > mostDrawn {
					break
				}
				if after.At(j) == labels.At(i) && to != s {
					of(others.At(k), end).squares++
				}
			}
		}
	}
	for t := range m.Transitions() {
		if looks++; looks > 2*mostDrawn {
			break
		}
		if !came[t.Label] || t.To == s || !m.Reachable().Has(t.From) {
			continue
		}
		after, ends := m.Out(t.To)
		for j, end := range ends {
			of(after.At(j), end).alike++
		}
	}
	all := make([]likelihood, 0, len(found))
	for _, x := range found {
		all = append(all, *x)
	}
	slices.SortFunc(all, func(x, y likelihood) int {
		return cmp.Or(cmp.Compare(y.squares, x.squares), cmp.Compare(y.alike, x.alike),
			cmp.Compare(x.transition.Label, y.transition.Label), cmp.Compare(x.transition.To, y.transition.To))
	})
	var transitions []lts.Transition
	for _, x := range all[:min(len(all), mostChecked)] {
		transitions = append(transitions, x.transition)
	}
	return transitions
}

// holdsWith reports whether the property holds of the model with one more transition.
func holdsWith(ctx context.Context, m *lts.LTS, p *property.Property, more lts.Transition) (bool, error) {
	with, err := m.Without(func(lts.Transition) bool { return false }, more)
	if err != nil {
		return false, err
	}
	r, err := counterexample.Shortest(ctx, with, p, counterexample.Options{Limit: 1})
	return err == nil && r.Trace == nil && !r.Violated, err
}
