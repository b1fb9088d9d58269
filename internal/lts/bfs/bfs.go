// Package bfs searches an LTS breadth first, from some states, along all
// transitions or selected ones, until a condition holds. It finds distances and
// shortest paths. States are found in the order of their distances; states of
// one distance in the order of the states from which they are found, and of the
// transitions in their rows. So of several shortest paths the same one is
// always returned.
package bfs

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// Options restrict a search. The zero value is a search through all that is reachable.
type Options struct {
	// Along reports whether the search follows a transition; nil follows all. It
	// must give the same answer for the same transition always. The search calls
	// it for every transition of each state that it expands, and [Tree.Path] for
	// the transitions on a path.
	Along func(lts.Transition) bool
	// Until is called once for each state, the nearest first, before the search expands the state.
	// The search ends once it returns true. With a nil Until, the search ends when no new state is
	// found.
	Until func(lts.State) bool
}

// All returns a condition for [Options.Until] that ends the search once all the given states have been
// found. It serves one search only. Cost O(len(states)), and a bit a state of m.
func All(m *lts.LTS, states []lts.State) func(lts.State) bool {
	wanted := bitset.New[lts.State](m.NumStates())
	numMissing := 0
	for _, s := range states {
		if !wanted.Has(s) {
			wanted.Add(s)
			numMissing++
		}
	}
	return func(s lts.State) bool {
		if numMissing > 0 && wanted.Has(s) {
			numMissing--
		}
		return numMissing == 0
	}
}

// Tree holds the shortest paths that a search has found, from the states with which it
// began. It is immutable.
type Tree struct {
	m     *lts.LTS
	along func(lts.Transition) bool
	// distance[s] is one more than the distance of s; 0 if s was not found.
	distance []uint32
	// before is the source of the transition by which a state was first found:
	// the first transition in the row of this source that leads to the state.
	before []lts.State
}

// From searches m from all the given states at once; a state listed twice counts once. It fails if ctx
// is done, or if the budget of ctx has no room (see [resources.Ask]). Cost O(S + T) of what is found, 8
// bytes a state of m, and up to 5 more while it runs.
func From(ctx context.Context, m *lts.LTS, states []lts.State, o Options) (_ *Tree, err error) {
	defer abort.Caught(&err)
	abort.On(resources.Ask(ctx, int64(m.NumStates())*9))
	t := &Tree{
		m:        m,
		along:    o.Along,
		distance: make([]uint32, m.NumStates()),
		before:   make([]lts.State, m.NumStates()),
	}
	x := search{Tree: t, met: bitset.New[lts.State](m.NumStates())}
	for _, s := range states {
		x.meet(s, s, 1)
	}
	if o.Along == nil {
		x.alongAll(ctx, o.Until)
	} else {
		x.alongSome(ctx, o.Until)
	}
	return t, nil
}

// search is a [Tree] that is being built.
type search struct {
	*Tree
	order pagedlist.List[lts.State]
	// met is the set of the states that were found, which distance shows, too. It is 32 times
	// smaller, so that it fits the cache where distance does not.
	met bitset.Set[lts.State]
}

// alongSome expands the states that were found along selected transitions, until the condition until
// holds; it may be nil.
func (x *search) alongSome(ctx context.Context, until func(lts.State) bool) {
	for i := 0; i < x.order.Len(); i++ {
		abort.IfDone(ctx, i)
		s := *x.order.At(i)
		if until != nil && until(s) {
			return
		}
		next := x.distance[s] + 1
		labels, targets := x.m.Out(s)
		for k, to := range targets {
			if x.along(lts.Transition{From: s, Label: labels.At(k), To: to}) {
				x.meet(s, to, next)
			}
		}
	}
}

const (
	// batch is the number of states whose rows are looked up together, so that their cache misses overlap.
	batch = 32
	// short is the largest length of a row that is copied together with the others of its batch.
	short = 16
)

// alongAll expands the states that were found along all transitions, until the condition until holds; it
// may be nil.
func (x *search) alongAll(ctx context.Context, until func(lts.State) bool) {
	var rows [batch][]lts.State
	copies := make([]lts.State, 0, batch*short)
	for first, batches := 0, 0; first < x.order.Len(); batches++ {
		abort.IfDone(ctx, batches)
		n := min(batch, x.order.Len()-first)
		for k := range n {
			_, rows[k] = x.m.Out(*x.order.At(first + k))
		}
		copyShort(rows[:n], copies)
		for k, row := range rows[:n] {
			s := *x.order.At(first + k)
			if until != nil && until(s) {
				return
			}
			next := x.distance[s] + 1
			for _, to := range row {
				x.meet(s, to, next)
			}
		}
		first += n
	}
}

// copyShort replaces the short rows of a batch by copies, which it makes one after the other in the memory
// of copies.
func copyShort(rows [][]lts.State, copies []lts.State) {
	copies = copies[:0]
	for k, row := range rows {
		if len(row) <= short {
			copies = append(copies, row...)
			rows[k] = copies[len(copies)-len(row):]
		}
	}
}

// meet adds a state to the search, unless it was found before.
func (x *search) meet(from, to lts.State, distance uint32) {
	if !x.met.Has(to) {
		x.met.Add(to)
		x.distance[to] = distance
		x.before[to] = from
		x.order.Append(to)
	}
}

// Back returns the states from which a path leads to a state for which to returns true; these states
// themselves are included. The path takes transitions for which along returns true; a nil along allows
// all. It fails if ctx is done, or if there is too little memory for the predecessors. Cost O(S + T).
func Back(
	ctx context.Context,
	m *lts.LTS,
	to func(lts.State) bool,
	along func(lts.Transition) bool,
) (_ bitset.Set[lts.State], err error) {
	defer abort.Caught(&err)
	abort.On(m.FindPredecessors(ctx))
	predecessors := m.Predecessors()
	isAllowed := func(t lts.Transition) bool { return along == nil || along(t) }
	met := bitset.New[lts.State](m.NumStates())
	var open []lts.State
	for s := range lts.State(m.NumStates()) {
		if to(s) {
			met.Add(s)
			open = append(open, s)
		}
	}
	for looks := 0; len(open) > 0; looks++ {
		abort.IfDone(ctx, looks)
		s := open[len(open)-1]
		open = open[:len(open)-1]
		labels, sources := predecessors.In(s)
		for i, from := range sources {
			if !met.Has(from) && isAllowed(lts.Transition{From: from, Label: labels.At(i), To: s}) {
				met.Add(from)
				open = append(open, from)
			}
		}
	}
	return met, nil
}

// Distance returns the length of a shortest path to s; false if s was not found.
// Cost O(1).
func (t *Tree) Distance(s lts.State) (int, bool) {
	d := t.distance[s]
	return int(d) - 1, d > 0
}

// Path returns the transitions of a shortest path to s, in order; of several
// paths, the one found first. It is empty for the states with which the search
// began, and nil if s was not found. Cost O(length of the path, and the
// transitions of its states).
func (t *Tree) Path(s lts.State) []lts.Transition {
	distance, met := t.Distance(s)
	if !met {
		return nil
	}
	path := make([]lts.Transition, distance)
	for i := range slices.Backward(path) {
		last := lts.Transition{From: t.before[s], To: s}
		for l, to := range t.m.From(last.From) {
			last.Label = l
			if to == s && (t.along == nil || t.along(last)) {
				break
			}
		}
		path[i] = last
		s = path[i].From
	}
	return path
}
