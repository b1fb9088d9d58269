package scc

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// Many models have one component that is nearly all of them. A search in depth jumps about
// in it; what leads to one of its states, and is reached from there, is found by going
// through all rows in their order, with a bit for each state that stays in the cache.

const (
	// large is how much of all states a component must have, one in so many, to be worth
	// finding by itself.
	large = 8
	// growth is by how much a pass over all rows multiplies what has been found for it to
	// be worth its time: a search in depth looks at each row once, but not in their order.
	growth = 4
	// passes is how many times all transitions are looked at by passes that find less.
	passes = 3
	// few is the part of all transitions, one in so many, of which the sources are worth a
	// list.
	few = 8
	// probed is the number of states by which it is told whether transitions lead back.
	probed = 1 << 12
	// A round of a search is large where it has more than one in so many states: its rows
	// are worth reading in ascending order then.
	inLargeRound = 256
)

// aroundLarge finds components as a search in depth from the initial state does: a large
// one first, where there is one, and the others beside it.
func aroundLarge(ctx context.Context, m *lts.LTS, search *pearce, found *grouping) error {
	// These are three sets of states. The list of the search is used for them first.
	if err := resources.Ask(ctx, 3*int64(m.NumStates())/8); err != nil {
		return err
	}
	x := &sweeps{ctx: ctx, m: m, list: search.stack}
	in, err := x.largest()
	if err != nil {
		return err
	}
	all := in.Has(m.Initial()) && in.Len() == m.Reachable().NumStates()
	if err := besides(ctx, m, search, found, in, all); err != nil || in.Has(m.Initial()) || search.visited(m.Initial()) {
		return err
	}
	return search.from(ctx, m.Initial(), found.add)
}

// besides finds the components of what a component reaches, and adds it after them. All says that
// nothing can be reached that is not in it.
func besides(ctx context.Context, m *lts.LTS, search *pearce, found *grouping, in bitset.Set[lts.State], all bool) error {
	states := in.Len()
	search.meter.Add(int64(states))
	if all || states == m.NumStates() {
		found.addAll(in)
		return nil
	}
	cores.InRanges(search.workers, m.NumStates(), func(_ int, first, end lts.State) {
		for s := range in.From(first) {
			if s >= end || s&(1<<16-1) == 0 && ctx.Err() != nil {
				return
			}
			search.index[s] = done
			_, targets := m.Out(s)
			for _, t := range targets {
				if !in.Has(t) {
					found.exits.Add(s)
					break
				}
			}
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	// The search adds exits of other components meanwhile.
	for s := range found.exits.All {
		if !in.Has(s) {
			continue
		}
		_, targets := m.Out(s)
		for _, t := range targets {
			if in.Has(t) || search.visited(t) {
				continue
			}
			if err := search.from(ctx, t, found.add); err != nil {
				return err
			}
		}
	}
	if states > 0 {
		found.addAll(in)
	}
	return nil
}

// sweeps finds a component by passes over the rows.
type sweeps struct {
	ctx context.Context
	m   *lts.LTS
	// list has room for all states.
	list []lts.State
}

// largest returns the component of the initial state or, where that is not large, another
// one, whichever has more states.
func (x *sweeps) largest() (bitset.Set[lts.State], error) {
	m := x.m
	initial, err := x.leadingTo(m.Initial(), true)
	if err != nil {
		return nil, err
	}
	if err := m.FindReachable(x.ctx); err != nil {
		return nil, err
	}
	reach := m.Reachable()
	if reach.NumStates() < m.NumStates() {
		for s := range initial.All {
			if !reach.Has(s) {
				initial.Remove(s)
			}
		}
	}
	had := initial.Len()
	if had > m.NumStates()/large || !x.leadsBack() {
		return initial, nil
	}
	pivot, is := x.pivot(initial)
	if !is {
		return initial, nil
	}
	before, err := x.leadingTo(pivot, false)
	if err != nil || before.Len() <= max(had, m.NumStates()/large) {
		return initial, err
	}
	around := bitset.New[lts.State](m.NumStates())
	around.Add(pivot)
	x.list[0] = pivot
	n, err := x.goOn(around, 1, func(s lts.State) []lts.State {
		_, targets := m.Out(s)
		return targets
	}, before)
	if err != nil || n <= had {
		return initial, err
	}
	return around, nil
}

// leadsBack reports whether transitions lead to states with no larger numbers, as far as
// some states can tell. Where none do, there is no large component in a model whose states
// are numbered as they were met.
func (x *sweeps) leadsBack() bool {
	for s := 0; s < x.m.NumStates(); s += 1 + x.m.NumStates()/probed {
		_, targets := x.m.Out(lts.State(s))
		for _, t := range targets {
			if int(t) <= s {
				return true
			}
		}
	}
	return false
}

// pivot returns a state that can be reached and has successors, from among the middle of
// all numbers: what leads to the large component only, and what it leads to, is not there
// in most models.
func (x *sweeps) pivot(known bitset.Set[lts.State]) (lts.State, bool) {
	n, reach := x.m.NumStates(), x.m.Reachable()
	for i := range n {
		s := lts.State((n/2 + i) % n)
		if reach.Has(s) && !known.Has(s) && !x.m.IsDeadlock(s) {
			return s, true
		}
	}
	return 0, false
}

// leadingTo returns the states from which a path leads to one. Passes go up and down
// through all states that are not known yet, so that each finds all paths along which
// numbers fall, or rise. Where they stop paying, the search goes on along predecessor rows,
// which must be there or be wanted; where they are not, it returns the empty set.
func (x *sweeps) leadingTo(to lts.State, wanted bool) (bitset.Set[lts.State], error) {
	in := bitset.New[lts.State](x.m.NumStates())
	in.Add(to)
	left := passes * (x.m.NumStates() + x.m.NumTransitions())
	var open []lts.State
	for met, down := 1, true; ; down = !down {
		more, work := 0, 0
		if open != nil {
			more, work = x.passList(in, &open)
		} else {
			more, work = x.pass(in, down)
		}
		if x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		if more == 0 {
			return in, nil
		}
		if met += more; met < growth*(met-more) {
			left -= work
		}
		if left < 0 {
			break
		}
		if open == nil && work < (x.m.NumStates()+x.m.NumTransitions())/few {
			open = x.open(in)
		}
	}
	if !wanted && !x.m.HasPredecessors() {
		clear(in)
		return in, nil
	}
	if err := x.m.FindPredecessors(x.ctx); err != nil {
		return nil, err
	}
	n := 0
	for s := range in.All {
		x.list[n] = s
		n++
	}
	before := x.m.Predecessors()
	_, err := x.goOn(in, n, func(s lts.State) []lts.State {
		_, sources := before.In(s)
		return sources
	}, nil)
	return in, err
}

// pass looks once at each state that is not in the set, and adds those from which a
// transition leads there. It returns how many these are, and how many states and
// transitions it has looked at.
func (x *sweeps) pass(in bitset.Set[lts.State], down bool) (met, work int) {
	last := len(in) - 1
	for i := range in {
		if i&(1<<10-1) == 0 && x.ctx.Err() != nil {
			return met, work
		}
		at := i
		if down {
			at = last - i
		}
		open := ^in[at]
		if beyond := len(in)*64 - x.m.NumStates(); at == last && beyond > 0 {
			open &= 1<<(64-beyond) - 1
		}
		for open != 0 {
			bit := bits.TrailingZeros64(open)
			if down {
				bit = bits.Len64(open) - 1
			}
			open &^= 1 << bit
			leads, looked := x.leads(lts.State(at*64+bit), in)
			if work += looked; leads {
				in[at] |= 1 << bit
				met++
			}
		}
	}
	return met, work
}

// leads reports whether a transition leads from s into a set, and how much was looked at.
func (x *sweeps) leads(s lts.State, in bitset.Set[lts.State]) (leads bool, work int) {
	_, targets := x.m.Out(s)
	for i, t := range targets {
		if in.Has(t) {
			return true, i + 1
		}
	}
	return false, 1 + len(targets)
}

// open lists the states that are not in the set, and have successors.
func (x *sweeps) open(in bitset.Set[lts.State]) []lts.State {
	n := 0
	for s := range lts.State(x.m.NumStates()) {
		if !in.Has(s) && !x.m.IsDeadlock(s) {
			x.list[n] = s
			n++
		}
	}
	return x.list[:n]
}

// passList is pass for those states that a list has, from its end to its beginning. The
// list has the others afterwards, in the opposite order.
func (x *sweeps) passList(in bitset.Set[lts.State], list *[]lts.State) (met, work int) {
	open := *list
	left := len(open)
	for i := len(open) - 1; i >= 0; i-- {
		if i&(1<<16-1) == 0 && x.ctx.Err() != nil {
			break
		}
		leads, looked := x.leads(open[i], in)
		if work += looked; leads {
			in.Add(open[i])
			met++
			continue
		}
		left--
		open[left] = open[i]
	}
	slices.Reverse(open[left:])
	*list = open[left:]
	return met, work
}

// goOn adds to a set what is reached from it, where next has the states after each. The
// first n of the list are those of the set from which nothing has been reached. States that
// are not in within, where it is not nil, are left out. It returns how many were listed.
func (x *sweeps) goOn(in bitset.Set[lts.State], n int, next func(lts.State) []lts.State, within bitset.Set[lts.State]) (int, error) {
	list := x.list[:n]
	sorting := bitset.New[lts.State](x.m.NumStates())
	for begin, end := 0, n; begin < end; begin, end = end, len(list) {
		if end-begin > x.m.NumStates()/inLargeRound {
			sorting.Sort(list[begin:end])
		}
		for i := begin; i < end; i++ {
			if i&(1<<14-1) == 0 && x.ctx.Err() != nil {
				return 0, x.ctx.Err()
			}
			for _, s := range next(list[i]) {
				if !in.Has(s) && (within == nil || within.Has(s)) {
					in.Add(s)
					list = append(list, s)
				}
			}
		}
	}
	return len(list), nil
}
