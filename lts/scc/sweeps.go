package scc

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
)

// Many models have one component with nearly all states, in which a search in depth jumps about. Passes
// through all rows in their order find the same component, as the states that reach one of its states
// and are reached from this state. Their only working memory is a bit a state, which stays in the cache.

const (
	// largeShare: a component is worth finding by itself if it has more than
	// 1/largeShare of all states.
	largeShare = 8
	// usefulGrowth: a pass over all rows is worth its time if it multiplies the
	// number of states found by at least usefulGrowth. A search in depth reads each
	// row once, but not in their order.
	usefulGrowth = 4
	// slowPasses is how many times all transitions may be read by passes that grow
	// the set by less than usefulGrowth.
	slowPasses = 3
	// listShare: a pass lists the states that are still outside the set once it
	// reads less than 1/listShare of all states and transitions.
	listShare = 8
	// sampledStates is the number of states that are examined to see whether
	// transitions lead back.
	sampledStates = 1 << 12
	// largeRoundShare: a round of a breadth-first search is large if it has more than
	// 1/largeRoundShare of all states; then its rows are read in ascending order.
	largeRoundShare = 256
)

// findOutside finds the components that are reachable from a component whose
// states are known, and then adds this component itself to found.
func findOutside(
	ctx context.Context,
	m *lts.LTS,
	search *pearce,
	found *grouping,
	known bitset.Set[lts.State],
) {
	states := known.Len()
	search.meter.Add(int64(states))
	if states == m.NumStates() {
		found.addAll(known)
		return
	}
	abort.On(markKnown(ctx, m, search, found, known))
	abort.On(ctx.Err())
	// The search adds exits of other components while this loop runs.
	for s := range found.exits.All {
		if !known.Has(s) {
			continue
		}
		_, targets := m.Out(s)
		for _, t := range targets {
			if !known.Has(t) && !search.visited(t) {
				search.searchFrom(ctx, t, found.add)
			}
		}
	}
	if states > 0 {
		found.addAll(known)
	}
}

// markKnown marks the states of a known component as done for the search, and records from which of them
// a transition leaves the component.
func markKnown(
	ctx context.Context,
	m *lts.LTS,
	search *pearce,
	found *grouping,
	known bitset.Set[lts.State],
) error {
	return cores.TryInRanges(search.workers, m.NumStates(), func(_ int, first, end lts.State) error {
		for s := range known.From(first) {
			if s >= end {
				break
			}
			if err := cores.Done(ctx, s); err != nil {
				return err
			}
			search.index[s] = done
			_, targets := m.Out(s)
			for _, t := range targets {
				if !known.Has(t) {
					found.exits.Add(s)
					break
				}
			}
		}
		return nil
	})
}

// sweeps finds a component by passes over the rows.
type sweeps struct {
	ctx context.Context
	m   *lts.LTS
	// list has room for all states.
	list []lts.State
}

// largest returns the component of the initial state; if this is not large, it looks for a second
// component, and returns the larger one of the two.
func (w *sweeps) largest() bitset.Set[lts.State] {
	m := w.m
	initial := w.statesReaching(m.Initial())
	abort.On(m.FindReachable(w.ctx))
	reach := m.Reachable()
	if reach.NumStates() < m.NumStates() {
		for s := range initial.All {
			if !reach.Has(s) {
				initial.Remove(s)
			}
		}
	}
	least := m.NumStates() / largeShare
	if initial.Len() > least || !w.leadsBack() {
		return initial
	}
	pivot, found := w.pivot(initial)
	if !found {
		return initial
	}
	reaching := w.cheaplyReaching(pivot)
	if reaching.Len() <= max(initial.Len(), least) {
		return initial
	}
	second := bitset.New[lts.State](m.NumStates())
	second.Add(pivot)
	w.list[0] = pivot
	successors := func(s lts.State) []lts.State {
		_, targets := m.Out(s)
		return targets
	}
	size := w.addReachable(second, 1, successors, reaching)
	if size <= initial.Len() {
		return initial
	}
	return second
}

// leadsBack reports whether a transition that leaves one of a sample of states
// leads to a state with the same or a smaller number. If none does, a model
// whose states are numbered as they were found has no large component.
func (w *sweeps) leadsBack() bool {
	for s := 0; s < w.m.NumStates(); s += 1 + w.m.NumStates()/sampledStates {
		_, targets := w.m.Out(lts.State(s))
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
func (w *sweeps) pivot(known bitset.Set[lts.State]) (pivot lts.State, found bool) {
	n := w.m.NumStates()
	reach := w.m.Reachable()
	for i := range n {
		s := lts.State((n/2 + i) % n)
		if reach.Has(s) && !known.Has(s) && !w.m.IsDeadlock(s) {
			return s, true
		}
	}
	return 0, false
}

// statesReaching returns the states from which a path leads to target. Passes go up and down
// through all states that are not known yet, so that each finds all paths along which numbers fall,
// or rise. When passes find too little, the search continues along predecessor rows.
func (w *sweeps) statesReaching(target lts.State) bitset.Set[lts.State] {
	reaching, isComplete := w.sweptTo(target)
	if !isComplete {
		w.closeBackward(reaching)
	}
	return reaching
}

// cheaplyReaching returns the states that [sweeps.statesReaching] returns or, if that would have to build
// predecessor rows, the empty set.
func (w *sweeps) cheaplyReaching(target lts.State) bitset.Set[lts.State] {
	reaching, isComplete := w.sweptTo(target)
	switch {
	case isComplete:
	case w.m.HasPredecessors():
		w.closeBackward(reaching)
	default:
		clear(reaching)
	}
	return reaching
}

// sweptTo returns the states from which passes find a path to target, and whether these are all.
func (w *sweeps) sweptTo(target lts.State) (reaching bitset.Set[lts.State], isComplete bool) {
	reaching = bitset.New[lts.State](w.m.NumStates())
	reaching.Add(target)
	isComplete = w.sweepToEnd(reaching)
	return reaching, isComplete
}

// closeBackward adds to a set the states from which a path leads into it.
func (w *sweeps) closeBackward(reaching bitset.Set[lts.State]) {
	abort.On(w.m.FindPredecessors(w.ctx))
	predecessors := w.m.Predecessors()
	sourcesOf := func(s lts.State) []lts.State {
		_, sources := predecessors.In(s)
		return sources
	}
	listed := len(slices.AppendSeq(w.list[:0], reaching.All))
	w.addReachable(reaching, listed, sourcesOf, nil)
}

// sweepToEnd adds to a set of one state the states from which a path leads into
// it, pass by pass. It reports whether the set is complete, and gives up when
// passes find too little.
func (w *sweeps) sweepToEnd(reaching bitset.Set[lts.State]) (complete bool) {
	all := w.m.NumStates() + w.m.NumTransitions()
	patience := slowPasses * all
	size := 1
	var outside []lts.State // nil until it is worth a list
	for down := true; ; down = !down {
		var pass progressOfPass
		if outside != nil {
			pass, outside = w.sweepList(reaching, outside)
		} else {
			pass = w.sweep(reaching, down)
		}
		if pass.added == 0 {
			return true
		}
		if size+pass.added < usefulGrowth*size {
			patience -= pass.read
		}
		size += pass.added
		if patience < 0 {
			return false
		}
		if outside == nil && pass.read < all/listShare {
			outside = w.listOutside(reaching)
		}
	}
}

// listOutside lists the states with successors that are not in a set.
func (w *sweeps) listOutside(set bitset.Set[lts.State]) []lts.State {
	outside := w.list[:0]
	for s := range lts.State(w.m.NumStates()) {
		if !set.Has(s) && !w.m.IsDeadlock(s) {
			outside = append(outside, s)
		}
	}
	return outside
}

// progressOfPass is the result of one pass over the states outside a set.
type progressOfPass struct {
	added int // states that were added to the set
	read  int // states and transitions that were read
}

// sweep looks once at each state outside the set, in descending or ascending
// order, and adds it if a transition leads from it into the set.
func (w *sweeps) sweep(set bitset.Set[lts.State], down bool) (pass progressOfPass) {
	last := len(set) - 1
	for i := range set {
		abort.IfDone(w.ctx, i)
		word := i
		if down {
			word = last - i
		}
		outside := ^set[word]
		surplus := len(set)*64 - w.m.NumStates() // bits of the last word that are beyond the last state
		if word == last && surplus > 0 {
			outside &= 1<<(64-surplus) - 1
		}
		for outside != 0 {
			bit := bits.TrailingZeros64(outside)
			if down {
				bit = bits.Len64(outside) - 1
			}
			outside &^= 1 << bit
			leadsInto, read := w.leadsInto(set, lts.State(word*64+bit))
			pass.read += read
			if leadsInto {
				set[word] |= 1 << bit
				pass.added++
			}
		}
	}
	return pass
}

// leadsInto reports whether a transition leads from s into a set. read is the number of states and
// transitions that it read.
func (w *sweeps) leadsInto(set bitset.Set[lts.State], s lts.State) (leads bool, read int) {
	_, targets := w.m.Out(s)
	for i, t := range targets {
		if set.Has(t) {
			return true, i + 1
		}
	}
	return false, 1 + len(targets)
}

// sweepList does what [sweeps.sweep] does for the states of a list, from its end to its beginning. It
// returns the states that it did not add, in the opposite order and in the memory of the list.
func (w *sweeps) sweepList(
	set bitset.Set[lts.State],
	list []lts.State,
) (pass progressOfPass, outside []lts.State) {
	firstKept := len(list)
	for i := len(list) - 1; i >= 0; i-- {
		abort.IfDone(w.ctx, i)
		leadsInto, read := w.leadsInto(set, list[i])
		pass.read += read
		if leadsInto {
			set.Add(list[i])
			pass.added++
			continue
		}
		firstKept--
		list[firstKept] = list[i]
	}
	slices.Reverse(list[firstKept:])
	return pass, list[firstKept:]
}

// addReachable adds to a set all states that are reachable from it, breadth first; next returns the
// successors of a state. The first n states of w.list must be those of the set whose successors have
// not been added yet. If within is not nil, the search visits only states of within. addReachable
// returns the number of states that w.list then has.
func (w *sweeps) addReachable(
	set bitset.Set[lts.State],
	n int,
	next func(lts.State) []lts.State,
	within bitset.Set[lts.State],
) int {
	list := w.list[:n]
	sorting := bitset.New[lts.State](w.m.NumStates())
	first := 0
	for first < len(list) {
		end := len(list)
		if end-first > w.m.NumStates()/largeRoundShare {
			sorting.Sort(list[first:end])
		}
		for i := first; i < end; i++ {
			abort.IfDone(w.ctx, i)
			for _, s := range next(list[i]) {
				if !set.Has(s) && (within == nil || within.Has(s)) {
					set.Add(s)
					list = append(list, s)
				}
			}
		}
		first = end
	}
	return len(list)
}
