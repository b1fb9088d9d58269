package scc

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/resources"
)

// Parts finds strongly connected components in parts of an LTS, one part after the
// other and within each other, as refinements do. It is not for several goroutines.
type Parts struct {
	ctx context.Context
	m   *lts.LTS
	// part[s] is the number of the part that s was put in last.
	part  []uint32
	count uint32 // of the parts there were
	// index is the number with which a search met a state, from 1, low the smallest
	// that it knows to be reached; both 0 where no search is at work.
	index, low []uint32
	work       int
	// path and waiting are the stacks of the last search, kept for their memory.
	path    []onPath
	waiting []lts.State
}

// NewParts returns a search in m. It fails where the budget of ctx is used up. Cost
// O(S), 12 bytes a state.
func NewParts(ctx context.Context, m *lts.LTS) (*Parts, error) {
	n := m.NumStates()
	if err := resources.AskFor[uint32](ctx, 3*n); err != nil {
		return nil, err
	}
	return &Parts{ctx: ctx, m: m, part: make([]uint32, n), index: make([]uint32, n), low: make([]uint32, n)}, nil
}

// Enter makes these states the part that [Parts.Has] tells of, until the next call or
// search. Cost O(states).
func (x *Parts) Enter(states []lts.State) {
	x.count++
	for _, s := range states {
		x.part[s] = x.count
	}
}

// Work returns how many transitions and states the searches have looked at. Cost O(1).
func (x *Parts) Work() int64 { return int64(x.work) }

// Has reports whether s is in the part that was entered last. Cost O(1).
func (x *Parts) Has(s lts.State) bool { return x.part[s] == x.count }

// Components calls yield with each strongly connected component of the part that
// states make with those transitions between them that shows selects, all where it is
// nil, until yield says not to go on: successors before predecessors. Each call has a
// slice of its own, and may itself search. It fails where ctx is done, and with the
// errors of yield. Tarjan's algorithm, without recursion. Cost O(S + T) of the part.
func (x *Parts) Components(states []lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool, yield func([]lts.State) (more bool, err error)) error {
	x.Enter(states)
	t := tarjan{Parts: x, shows: shows, path: x.path[:0], waiting: x.waiting[:0], found: make([]lts.State, 0, len(states))}
	for _, root := range states {
		if x.index[root] != 0 {
			continue
		}
		t.meet(root)
		for len(t.path) > 0 {
			before := x.work
			if x.work += t.step(); before>>14 != x.work>>14 && x.ctx.Err() != nil {
				return x.ctx.Err()
			}
		}
	}
	for _, s := range states {
		x.index[s], x.low[s] = 0, 0
	}
	x.path, x.waiting = t.path, t.waiting
	first := 0
	for _, end := range t.ends {
		if more, err := yield(t.found[first:end:end]); !more || err != nil {
			return err
		}
		first = end
	}
	return nil
}

// tarjan is Tarjan's algorithm at work on one part.
type tarjan struct {
	*Parts
	shows   func(lts.State, lts.Label, lts.State) bool
	met     uint32 // states so far
	path    []onPath
	waiting []lts.State // whose component is not known yet
	// found lists the components one after the other, ends where each ends in it.
	found []lts.State
	ends  []int
}

// onPath is a state on the path, and its next transition.
type onPath struct {
	state lts.State
	next  uint32
}

// settled is the low of states the component of which is known.
const settled = 1<<32 - 1

// double makes room for as many elements again in a full list. Append makes less of large
// ones, and copies them several times as often.
func double[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return slices.Grow(list, len(list)+1)
}

func (t *tarjan) meet(s lts.State) {
	t.met++
	t.index[s], t.low[s] = t.met, t.met
	t.path, t.waiting = append(double(t.path), onPath{s, 0}), append(double(t.waiting), s)
}

// step takes the next transitions of the last state on the path, up to one that leads to a
// state that was not met, or leaves it. It returns how many there were, and one more.
func (t *tarjan) step() int {
	at := &t.path[len(t.path)-1]
	s, first := at.state, int(at.next)
	labels, targets := t.m.Out(s)
	low := t.low[s]
	for i := first; i < len(targets); i++ {
		to := targets[i]
		if !t.Has(to) || t.shows != nil && !t.shows(s, labels[i], to) {
			continue
		}
		index := t.index[to]
		if index == 0 {
			at.next, t.low[s] = uint32(i+1), low
			t.meet(to)
			return i + 2 - first
		}
		if t.low[to] != settled {
			low = min(low, index)
		}
	}
	t.low[s] = low
	t.leave(s)
	return len(targets) + 1 - first
}

// leave takes the last state off the path, and its component with it where it is
// the first state of that.
func (t *tarjan) leave(s lts.State) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		above := t.path[len(t.path)-1].state
		t.low[above] = min(t.low[above], t.low[s])
	}
	if t.low[s] != t.index[s] {
		return
	}
	first := len(t.waiting) - 1
	for t.waiting[first] != s {
		first--
	}
	for _, member := range t.waiting[first:] {
		t.low[member] = settled
	}
	t.found = append(t.found, t.waiting[first:]...)
	t.ends = append(t.ends, len(t.found))
	t.waiting = t.waiting[:first]
}
