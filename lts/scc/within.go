package scc

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// Within calls each with the states of every strongly connected component of the
// reachable states of m by the transitions for which keeps is true, and with
// whether one of these lies within the component. No such transition leads from a
// component to a later one. The states are in no
// particular order, and the slice is valid during the call only. It fails if ctx
// is done, and if there is too little memory. Cost O(S + T) time and calls of
// keeps, 8 bytes a state while it runs, and 8 more for each state on the longest
// path.
func Within(ctx context.Context, m *lts.LTS, keeps func(from lts.State, label lts.Label, to lts.State) bool, each func(states []lts.State, cyclic bool)) (err error) {
	defer abort.Caught(&err)
	abort.On(resources.Ask(ctx, 16*int64(m.NumStates())))
	reach := m.Reachable()
	search := newPearce(m, keeps)
	search.meter = progress.Start(ctx, "components", progress.States, int64(reach.NumStates()))
	found := func(states []lts.State) { each(states, len(states) > 1 || loops(m, states[0], keeps)) }
	for s := range lts.State(m.NumStates()) {
		if !search.visited(s) && reach.Has(s) {
			search.from(ctx, s, found)
		}
	}
	return nil
}

// OnCycle returns the states that lie on a cycle of reachable transitions with
// labels for which hides is false. It fails if ctx is done. Cost O(S + T) time, and
// 12 bytes a state while it runs.
func (c *Components) OnCycle(ctx context.Context, hides func(lts.Label) bool) (_ bitset.Set[lts.State], err error) {
	defer abort.Caught(&err)
	abort.On(resources.Ask(ctx, 13*int64(c.m.NumStates())))
	hidden := bitset.New[lts.Label](c.m.Alphabet().Len())
	for l := range lts.Label(c.m.Alphabet().Len()) {
		if hides(l) {
			hidden.Add(l)
		}
	}
	on := bitset.New[lts.State](c.m.NumStates())
	search := newPearce(c.m, func(from lts.State, l lts.Label, to lts.State) bool {
		return c.of[from] == c.of[to] && !hidden.Has(l)
	})
	found := func(members []lts.State) {
		if len(members) == 1 && !loops(c.m, members[0], search.keeps) {
			return
		}
		for _, s := range members {
			on.Add(s)
		}
	}
	for i, cyclic := range c.cyclic {
		if !cyclic {
			continue
		}
		for _, s := range c.States(Component(i)) {
			if !search.visited(s) {
				search.from(ctx, s, found)
			}
		}
	}
	return on, nil
}
