package serve

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// Searches are bidirectional: they find a path to a goal in half as many levels from either end,
// which can be far fewer states than all within the whole distance.

// side is one direction of a search. met[s] is the number of the last search that reached state s;
// by[s] is the transition next to s on the path from the state where this direction began.
type side struct {
	met   []uint32
	by    []lts.Transition
	level []lts.State
	back  bool
}

// path returns a shortest path from a state to the nearest of several states; false if there is
// none, or if ctx is done. Cost O(reached states and transitions), after the first call.
func (a *answers) path(ctx context.Context, from lts.State, to []lts.State) ([]lts.Transition, bool) {
	if a.m.FindPredecessors(ctx) != nil {
		return nil, false
	}
	a.begin(from, to)
	if slices.Contains(to, from) {
		return []lts.Transition{}, true
	}
	for len(a.there.level) > 0 && len(a.back.level) > 0 {
		if ctx.Err() != nil {
			return nil, false
		}
		near, far := &a.there, &a.back
		if len(a.back.level) < len(a.there.level) {
			near, far = far, near
		}
		if middle, met := a.widen(ctx, near, far); met {
			return a.joined(middle), true
		}
	}
	return nil, false
}

// begin starts a search in both directions.
func (a *answers) begin(from lts.State, to []lts.State) {
	n := a.m.NumStates()
	if a.there.met == nil {
		a.there = side{met: make([]uint32, n), by: make([]lts.Transition, n)}
		a.back = side{met: make([]uint32, n), by: make([]lts.Transition, n), back: true}
	}
	if a.search++; a.search == 0 { // the numbers have been used up
		clear(a.there.met)
		clear(a.back.met)
		a.search = 1
	}
	a.there.level, a.back.level = []lts.State{from}, slices.Clone(to)
	a.there.met[from] = a.search
	a.there.by[from] = lts.Transition{From: from, To: from}
	for _, s := range to {
		a.back.met[s] = a.search
		a.back.by[s] = lts.Transition{From: s, To: s}
	}
}

// widen advances one direction by a level, or until it reaches a state that the other direction has
// reached. The path through this state is a shortest one, since both directions advance by whole
// levels.
func (a *answers) widen(ctx context.Context, near, far *side) (lts.State, bool) {
	var next []lts.State
	for i, s := range near.level {
		if i&(1<<14-1) == 0 && ctx.Err() != nil {
			return 0, false
		}
		labels, others := a.neighbours(near, s)
		for j, o := range others {
			if near.met[o] == a.search {
				continue
			}
			near.met[o] = a.search
			near.by[o] = lts.Transition{From: s, Label: labels.At(j), To: o}
			if near.back {
				near.by[o] = lts.Transition{From: o, Label: labels.At(j), To: s}
			}
			if far.met[o] == a.search {
				return o, true
			}
			next = append(next, o)
		}
	}
	near.level = next
	return 0, false
}

func (a *answers) neighbours(x *side, s lts.State) (lts.Labels, []lts.State) {
	if x.back {
		return a.m.Predecessors().In(s)
	}
	return a.m.Out(s)
}

// joined returns the path through a state that both directions have reached.
func (a *answers) joined(middle lts.State) []lts.Transition {
	path := []lts.Transition{}
	for s := middle; a.there.by[s].From != s || a.there.by[s].To != s; s = a.there.by[s].From {
		path = append(path, a.there.by[s])
	}
	slices.Reverse(path)
	for s := middle; a.back.by[s].From != s || a.back.by[s].To != s; s = a.back.by[s].To {
		path = append(path, a.back.by[s])
	}
	return path
}

// does returns the reachable states with an outgoing transition of this label, ascending. Cost
// O(T) for a new label; the results for the last few labels are kept.
func (a *answers) does(label lts.Label) []lts.State {
	if i := slices.IndexFunc(a.known, func(k labelled) bool { return k.label == label }); i >= 0 {
		return a.known[i].states
	}
	var states []lts.State
	for s := range lts.State(a.m.NumStates()) {
		labels, _ := a.m.Out(s)
		if labels.Any(func(l lts.Label) bool { return l == label }) && a.m.Reachable().Has(s) {
			states = append(states, s)
		}
	}
	const kept = 8
	a.known = append([]labelled{{label, states}}, a.known[:min(len(a.known), kept-1)]...)
	return states
}

// labelled is the states with an outgoing transition of a label.
type labelled struct {
	label  lts.Label
	states []lts.State
}
