// Package bfs searches an LTS breadth first: from some states, along all transitions
// or some, until enough is met. What it finds are distances and shortest paths.
//
// The invariant that holds inside: states are met in the order of their distances,
// those at one distance in the order of the states from which they are met, and of the
// transitions there. So of several shortest paths it is always the same one.
package bfs

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/resources"
)

// Options restrict a search. The zero value is a search through all that is reachable.
type Options struct {
	// Along reports whether the search goes along a transition, always in the same
	// way; where it is nil, it goes along all. It is asked for every transition of
	// each state from which the search goes on, wherever it leads, and again for
	// those of a path that is asked for.
	Along func(lts.Transition) bool
	// Until is asked once for each state, the nearest first, before the search goes on
	// from there. Once it returns true the search ends. Where it is nil, the search
	// ends when it meets nothing more.
	Until func(lts.State) bool
}

// All returns a condition for [Options.Until] that ends the search when it has met all
// of these states. It serves one search. Cost O(len(states)), and a byte a state of m.
func All(m *lts.LTS, states []lts.State) func(lts.State) bool {
	wanted := make([]bool, m.NumStates())
	left := 0
	for _, s := range states {
		if !wanted[s] {
			wanted[s] = true
			left++
		}
	}
	return func(s lts.State) bool {
		if left > 0 && wanted[s] {
			left--
		}
		return left == 0
	}
}

// Tree holds the shortest paths that a search has found, from the states with which it
// began. It is immutable.
type Tree struct {
	m     *lts.LTS
	along func(lts.Transition) bool
	// distance is one more than the distance, 0 for states that were not met.
	distance []uint32
	// before is the source of the transition that met a state first: the first
	// transition of its row that leads there.
	before []lts.State
}

// From searches m from all of these states at once; one that is listed twice counts
// once. It fails where ctx is done, and where its budget has no room (see
// [resources.Ask]). Cost O(S + T) of what is met, and 8 bytes a state of m; up to 5
// more while it runs.
func From(ctx context.Context, m *lts.LTS, states []lts.State, o Options) (*Tree, error) {
	if err := resources.Ask(ctx, int64(m.NumStates())*9); err != nil {
		return nil, err
	}
	t := &Tree{m: m, along: o.Along, distance: make([]uint32, m.NumStates()), before: make([]lts.State, m.NumStates())}
	var order paged.List[lts.State]
	for _, s := range states {
		if t.distance[s] == 0 {
			t.distance[s] = 1
			order.Append(s)
		}
	}
	for i := 0; i < order.Len(); i++ {
		if i&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := *order.At(i)
		if o.Until != nil && o.Until(s) {
			break
		}
		if o.Along != nil {
			t.expandAlong(s, &order)
			continue
		}
		_, targets := m.Out(s)
		for _, to := range targets {
			if t.distance[to] == 0 {
				t.distance[to], t.before[to] = t.distance[s]+1, s
				order.Append(to)
			}
		}
	}
	return t, nil
}

// expandAlong meets what those transitions of a state lead to along which the search
// goes.
func (t *Tree) expandAlong(s lts.State, order *paged.List[lts.State]) {
	labels, targets := t.m.Out(s)
	for i, to := range targets {
		if t.along(lts.Transition{From: s, Label: labels.At(i), To: to}) && t.distance[to] == 0 {
			t.distance[to], t.before[to] = t.distance[s]+1, s
			order.Append(to)
		}
	}
}

// Distance returns the length of a shortest path to s; false where s was not met. Cost
// O(1).
func (t *Tree) Distance(s lts.State) (int, bool) {
	d := t.distance[s]
	return int(d) - 1, d > 0
}

// Path returns the transitions of a shortest path to s, in order; of several the one
// that was met first. It is empty for the states with which the search began, and nil
// where s was not met. Cost O(length of the path, and the transitions of its states).
func (t *Tree) Path(s lts.State) []lts.Transition {
	distance, met := t.Distance(s)
	if !met {
		return nil
	}
	path := make([]lts.Transition, distance)
	for i := range slices.Backward(path) {
		path[i] = t.last(s)
		s = path[i].From
	}
	return path
}

// last returns the last transition of the path to s.
func (t *Tree) last(s lts.State) lts.Transition {
	last := lts.Transition{From: t.before[s], To: s}
	labels, targets := t.m.Out(last.From)
	for i, to := range targets {
		last.Label = labels.At(i)
		if to == s && (t.along == nil || t.along(last)) {
			break
		}
	}
	return last
}
