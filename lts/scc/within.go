package scc

import (
	"context"

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Within calls each with the states of every strongly connected component of the
// reachable states of m by the transitions for which keeps is true. No such
// transition leads from a component to a later one. The states are in no
// particular order, and the slice is valid during the call only. It fails if ctx
// is done, and if there is too little memory. Cost O(S + T) time and calls of
// keeps, 8 bytes a state while it runs, and 8 more for each state on the longest
// path.
func Within(ctx context.Context, m *lts.LTS, keeps func(from lts.State, label lts.Label, to lts.State) bool, each func(states []lts.State)) error {
	if err := resources.Ask(ctx, 16*int64(m.NumStates())); err != nil {
		return err
	}
	reach := m.Reachable()
	search := newPearce(m, &filter{keeps: keeps})
	search.meter = progress.Start(ctx, "components", progress.States, int64(reach.NumStates()))
	for s := range lts.State(m.NumStates()) {
		if search.visited(s) || !reach.Has(s) {
			continue
		}
		if err := search.from(ctx, s, each); err != nil {
			return err
		}
	}
	return nil
}
