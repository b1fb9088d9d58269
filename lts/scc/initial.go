package scc

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/resources"
)

// probed is the number of states by which it is told how states are numbered.
const probed = 1 << 12

// WantsPredecessors reports whether [Find] is faster in m where the predecessor rows have
// been built: if states are not numbered as a search in depth meets them, one after the
// other, which makes such a search jump about, and some transition leads back to the initial
// one. Tools number them breadth first. Cost O(S + T), one look at each transition at most.
func WantsPredecessors(m *lts.LTS) bool {
	if m.NumStates() <= GonumStates {
		return false
	}
	looked, inDepth := 0, 0
	for s := 0; s < m.NumStates(); s += 1 + m.NumStates()/probed {
		looked++
		if _, targets := m.Out(lts.State(s)); slices.Contains(targets, lts.State(s+1)) {
			inDepth++
		}
	}
	if 2*inDepth > looked {
		return false
	}
	for s := range lts.State(m.NumStates()) {
		_, targets := m.Out(s)
		for _, t := range targets {
			if t == m.Initial() {
				return true
			}
		}
	}
	return false
}

// A round of a search is large where it has more than one in so many states: its rows are
// worth reading in ascending order then.
const inLargeRound = 256

// aroundInitial finds components as iterativeGroups does: that of the initial state first,
// which is what reaches it, by a search against the direction of transitions, and then
// those of what it reaches. The predecessor rows are there.
func aroundInitial(ctx context.Context, m *lts.LTS, search *pearce, found *grouping) error {
	if err := resources.Ask(ctx, 5*int64(m.NumStates())); err != nil {
		return err
	}
	if err := m.FindReachable(ctx); err != nil {
		return err
	}
	before, reach := m.Predecessors(), m.Reachable()
	in := bitset.New[lts.State](m.NumStates())
	in.Add(m.Initial())
	around := append(make([]lts.State, 0, reach.NumStates()), m.Initial())
	sorting := bitset.New[lts.State](m.NumStates())
	for begin, end := 0, 1; begin < end; begin, end = end, len(around) {
		if end-begin > m.NumStates()/inLargeRound {
			sorting.Sort(around[begin:end])
		}
		for i := begin; i < end; i++ {
			if i&(1<<14-1) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			_, sources := before.In(around[i])
			for _, s := range sources {
				if !in.Has(s) && reach.Has(s) {
					in.Add(s)
					around = append(around, s)
				}
			}
		}
	}
	return besides(ctx, m, search, found, in, slices.AppendSeq(around[:0], in.All))
}

// besides finds the other components where that of the initial state is known, as a set and
// as a list.
func besides(ctx context.Context, m *lts.LTS, search *pearce, found *grouping, in bitset.Set[lts.State], around []lts.State) error {
	for _, s := range around {
		search.index[s] = done
	}
	search.meter.Add(int64(len(around)))
	for s := range lts.State(m.NumStates()) {
		if s&(1<<16-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !in.Has(s) {
			continue
		}
		_, targets := m.Out(s)
		for _, t := range targets {
			if in.Has(t) {
				continue
			}
			found.exits.Add(s)
			if search.visited(t) {
				continue
			}
			if err := search.from(ctx, t, found.add); err != nil {
				return err
			}
		}
	}
	found.add(around)
	return nil
}
