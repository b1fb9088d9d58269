package scc

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// Many models have one component with nearly all states. A search in depth jumps
// about in it. Passes through all rows in their order find the same component, as
// the states that reach one of its states and are reached from it; their only
// working memory is a bit a state, which stays in the cache.

const (
	// large: a component is worth finding by itself if it has more than 1/large
	// of all states.
	large = 8
	// growth: a pass over all rows is worth its time if it multiplies the number
	// of states found by at least growth. A search in depth reads each row once,
	// but not in their order.
	growth = 4
	// passes is how many times all transitions may be read by passes that find
	// less.
	passes = 3
	// few: a pass lists the states that are still open once it reads less than
	// 1/few of all states and transitions.
	few = 8
	// probed is the number of states that are examined to see whether transitions
	// lead back.
	probed = 1 << 12
	// inLargeRound: a round of a search is large if it has more than
	// 1/inLargeRound of all states; then its rows are read in ascending order.
	inLargeRound = 256
)

// aroundLarge finds the components that a search in depth from the initial state
// finds: a large one by itself, if there is one, and then the others.
func aroundLarge(ctx context.Context, m *lts.LTS, search *pearce, found *grouping) {
	// These bytes are three sets of states. The memory of the search's stack
	// serves as their list first.
	abort.On(resources.Ask(ctx, 3*int64(m.NumStates())/8))
	in := (&sweeps{ctx: ctx, m: m, list: search.stack}).largest()
	all := in.Has(m.Initial()) && in.Len() == m.Reachable().NumStates()
	besides(ctx, m, search, found, in, all)
	if !in.Has(m.Initial()) && !search.visited(m.Initial()) {
		search.from(ctx, m.Initial(), found.add)
	}
}

// besides finds the components that are reachable from a component, the set in,
// and then adds this component itself to found. If all is true, no state outside
// of this component is reachable.
func besides(ctx context.Context, m *lts.LTS, search *pearce, found *grouping, in bitset.Set[lts.State], all bool) {
	states := in.Len()
	search.meter.Add(int64(states))
	if all || states == m.NumStates() {
		found.addAll(in)
		return
	}
	cores.InRanges(search.workers, m.NumStates(), func(_ int, first, end lts.State) {
		for s := range in.From(first) {
			if s >= end {
				return
			}
			if s&(1<<16-1) == 0 {
				abort.On(ctx.Err())
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
	abort.On(ctx.Err())
	// The search adds exits of other components while this loop runs.
	for s := range found.exits.All {
		if !in.Has(s) {
			continue
		}
		_, targets := m.Out(s)
		for _, t := range targets {
			if !in.Has(t) && !search.visited(t) {
				search.from(ctx, t, found.add)
			}
		}
	}
	if states > 0 {
		found.addAll(in)
	}
}

// sweeps finds a component by passes over the rows.
type sweeps struct {
	ctx context.Context
	m   *lts.LTS
	// list has room for all states.
	list []lts.State
}

// largest returns the component of the initial state; if that is not large, the
// larger one of it and a second component.
func (x *sweeps) largest() bitset.Set[lts.State] {
	m := x.m
	initial := x.leadingTo(m.Initial(), true)
	abort.On(m.FindReachable(x.ctx))
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
		return initial
	}
	pivot, is := x.pivot(initial)
	if !is {
		return initial
	}
	before := x.leadingTo(pivot, false)
	if before.Len() <= max(had, m.NumStates()/large) {
		return initial
	}
	around := bitset.New[lts.State](m.NumStates())
	around.Add(pivot)
	x.list[0] = pivot
	n := x.goOn(around, 1, func(s lts.State) []lts.State {
		_, targets := m.Out(s)
		return targets
	}, before)
	if n <= had {
		return initial
	}
	return around
}

// leadsBack reports whether a transition that leaves one of a sample of states
// leads to a state with the same or a smaller number. If none does, a model
// whose states are numbered as they were found has no large component.
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

// pivot returns a reachable state with successors, from the middle of all
// numbers. In most models, the states with the smallest numbers only lead to the
// large component, and the states with the largest numbers are only reached from
// that component.
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

// leadingTo returns the states from which a path leads to a state, the parameter
// to. Passes go up and down through all states that are not known yet, so that
// each finds all paths along which numbers fall, or rise. When passes find too
// little, the search goes on along predecessor rows, if these exist or wanted is
// set; otherwise the result is the empty set.
func (x *sweeps) leadingTo(to lts.State, wanted bool) bitset.Set[lts.State] {
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
		if more == 0 {
			return in
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
		return in
	}
	abort.On(x.m.FindPredecessors(x.ctx))
	n := 0
	for s := range in.All {
		x.list[n] = s
		n++
	}
	before := x.m.Predecessors()
	x.goOn(in, n, func(s lts.State) []lts.State {
		_, sources := before.In(s)
		return sources
	}, nil)
	return in
}

// pass looks once at each state outside the set, and adds it if a transition
// leads from it into the set. It returns how many states it added, and how many
// states and transitions it read.
func (x *sweeps) pass(in bitset.Set[lts.State], down bool) (met, work int) {
	last := len(in) - 1
	for i := range in {
		if i&(1<<10-1) == 0 {
			abort.On(x.ctx.Err())
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

// leads reports whether a transition leads from s into a set, and how many
// transitions it read.
func (x *sweeps) leads(s lts.State, in bitset.Set[lts.State]) (leads bool, work int) {
	_, targets := x.m.Out(s)
	for i, t := range targets {
		if in.Has(t) {
			return true, i + 1
		}
	}
	return false, 1 + len(targets)
}

// open lists the states with successors that are not in the set.
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

// passList is pass for the states of a list, from its end to its beginning.
// Afterwards the list holds the states that were not added, in the opposite
// order.
func (x *sweeps) passList(in bitset.Set[lts.State], list *[]lts.State) (met, work int) {
	open := *list
	left := len(open)
	for i := len(open) - 1; i >= 0; i-- {
		if i&(1<<16-1) == 0 {
			abort.On(x.ctx.Err())
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

// goOn adds to a set all states that are reachable from it, breadth first, where
// next returns the successors of a state. The first n states of x.list are those
// whose successors were not added yet. A within that is not nil restricts the
// search to its states. It returns how many states x.list then has.
func (x *sweeps) goOn(in bitset.Set[lts.State], n int, next func(lts.State) []lts.State, within bitset.Set[lts.State]) int {
	list := x.list[:n]
	sorting := bitset.New[lts.State](x.m.NumStates())
	for begin, end := 0, n; begin < end; begin, end = end, len(list) {
		if end-begin > x.m.NumStates()/inLargeRound {
			sorting.Sort(list[begin:end])
		}
		for i := begin; i < end; i++ {
			if i&(1<<14-1) == 0 {
				abort.On(x.ctx.Err())
			}
			for _, s := range next(list[i]) {
				if !in.Has(s) && (within == nil || within.Has(s)) {
					in.Add(s)
					list = append(list, s)
				}
			}
		}
	}
	return len(list)
}
