package counterexample

import (
	"sort"
	"unsafe"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// heads are the states in which the loop of a shortest lasso can begin: for each m the
// states w with a transition from some u, of the same component where those are known,
// that avoids step m+1,
// where D_m(u) is at least D_m(w). A lasso that takes this transition has D_m(u)+1
// transitions or more (docs/semantics.md, Theorem 3).
//
// The invariant that holds inside: every head with a transition from a state u with
// D_m(u) < marked is known, and the level at which it stands in list is the least such
// D_m(u).
type heads struct {
	// of[m] are the heads at m that can still make a shorter lasso than the best one.
	of []bitset.Set[lts.State]
	// hopeless[m] are those whose search went through all there is, in vain.
	hopeless []bitset.Set[lts.State]
	// list has the heads by ascending D_m(u), those with D_m(u) = d from begins[d] on.
	list   paged.List[head]
	begins []int
	marked int // the number of levels whose transitions were looked at
	dead   int // the number of the first node of these whose state is a deadlock; -1 for none
}

type head struct {
	state lts.State
	m     uint16
}

// seekHeads makes all further rounds look for loops from heads only. It begins the
// breadth-first search anew, for it meets states at a distance that is known only while
// it goes on.
func (s *shortest) seekHeads() error {
	const sets = 3 // of, hopeless, and those that are finished
	n := s.m.NumStates()
	if err := resources.Ask(s.ctx, 8*int64(sets)*int64(s.p.Len())*int64(bitset.Words(n))); err != nil {
		return err
	}
	h := &heads{of: make([]bitset.Set[lts.State], s.p.Len()), hopeless: make([]bitset.Set[lts.State], s.p.Len()), dead: -1}
	for m := range h.of {
		h.of[m], h.hopeless[m] = bitset.New[lts.State](n), bitset.New[lts.State](n)
	}
	s.heads = h
	s.bounded.fromHeads, s.bounded.begun = true, s.bounded.work
	s.prefixes.restart()
	s.levels = s.levels[:1]
	return nil
}

// markTo finds the heads with a transition from a state at a distance below bound.
func (s *shortest) markTo(bound int) error {
	h := s.heads
	for ; h.marked < bound; h.marked++ {
		if h.marked == len(s.levels) {
			s.level()
		}
		first, end := s.levels[h.marked], s.nodes.Len()
		if first == end {
			return nil
		}
		h.begins = append(h.begins, h.list.Len())
		if err := resources.Ask(s.ctx, int64(end-first)*int64(unsafe.Sizeof(head{}))); err != nil {
			return err
		}
		for i := first; i < end; i++ {
			if i&(1<<12-1) == 0 && s.ctx.Err() != nil {
				return s.ctx.Err()
			}
			if s.mark(s.nodes.At(i)) == 0 && h.dead < 0 {
				h.dead = i
			}
		}
	}
	return nil
}

// mark finds the heads with a transition from a node of the last level that was met:
// least then tells which states are at most as far away. It returns how many transitions
// there are.
func (s *shortest) mark(from *node) int {
	labels, targets := s.m.Out(from.state)
	for j, t := range targets {
		least := s.least(t)
		if least > from.upTo {
			continue
		}
		if !s.bounded.together(from.state, t) {
			continue
		}
		for m := max(from.progress, least); m <= from.upTo; m++ {
			if s.cyclic[m] != nil && !s.cyclic[m].Has(t) {
				continue
			}
			if !s.heads.of[m].Has(t) && !s.p.Does(labels.At(j), int(m)+1) {
				s.heads.of[m].Add(t)
				s.heads.list.Append(head{t, m})
			}
		}
	}
	return len(targets)
}

// headless is a round where there are no heads, and nothing was found before: only a deadlock
// can end a run, and the first of those is known.
func (s *shortest) headless(bound int, meter *progress.Meter) (complete bool) {
	nodes, last := s.nodes.Len(), len(s.levels)-1
	complete = last < bound && s.levels[last] == nodes
	if bound <= last {
		nodes = s.levels[bound]
	}
	s.settled += nodes
	meter.Add(int64(nodes))
	if dead := s.heads.dead; dead >= 0 {
		s.improve(sort.SearchInts(s.levels, dead+1)-1, dead, nil)
	}
	return complete
}

// drop forgets the heads that make no lasso of fewer transitions than length.
func (h *heads) drop(length int) {
	if h == nil || length-1 >= len(h.begins) {
		return
	}
	keep := h.begins[max(0, length-1)]
	for i := keep; i < h.list.Len(); i++ {
		at := h.list.At(i)
		h.of[at.m].Remove(at.state)
	}
	h.list.Truncate(keep)
	h.begins = h.begins[:max(0, length-1)]
}

// wanted reports whether loops that begin in a state have to be looked for at m.
func (h *heads) wanted(state lts.State, m int) bool {
	return h == nil || h.of[m].Has(state) && !h.hopeless[m].Has(state)
}
