package scc

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// OnCycle returns, for every state, whether it lies on a cycle of reachable
// transitions with labels for which hides is false. It fails if ctx is done. Cost
// O(S + T) time, 12 bytes a state while it runs, and a byte a state for the
// result.
func (c *Components) OnCycle(ctx context.Context, hides func(lts.Label) bool) ([]bool, error) {
	if err := resources.Ask(ctx, 13*int64(c.m.NumStates())); err != nil {
		return nil, err
	}
	on := make([]bool, c.m.NumStates())
	cycles := newCycleSearch(c)
	for i, cyclic := range c.cyclic {
		if !cyclic {
			continue
		}
		err := cycles.avoiding(ctx, hides, Component(i), func(s lts.State) { on[s] = true })
		if err != nil {
			return nil, err
		}
	}
	return on, nil
}

// cycleSearch finds the states on cycles that avoid some labels. It serves any
// number of components and sets of labels, one after the other.
type cycleSearch struct {
	components *Components
	search     *pearce
}

func newCycleSearch(c *Components) *cycleSearch {
	return &cycleSearch{c, newPearce(c.m, &filter{components: c})}
}

// avoiding calls found for each state of a component that lies on a cycle of
// transitions with labels for which hides is false. Cost O(S + T) of the
// component.
func (y *cycleSearch) avoiding(ctx context.Context, hides func(lts.Label) bool, component Component, found func(lts.State)) error {
	y.search.seen.hides = hides
	states := y.components.States(component)
	defer y.search.forget(states)
	report := func(members []lts.State) {
		if len(members) == 1 && !y.loops(members[0]) {
			return
		}
		for _, s := range members {
			found(s)
		}
	}
	for _, s := range states {
		if y.search.visited(s) {
			continue
		}
		if err := y.search.from(ctx, s, report); err != nil {
			return err
		}
	}
	return nil
}

// loops reports whether s has a self-loop whose label is not hidden.
func (y *cycleSearch) loops(s lts.State) bool {
	labels, targets := y.components.m.Out(s)
	for i, t := range targets {
		if t == s && !y.search.seen.hides(labels.At(i)) {
			return true
		}
	}
	return false
}
