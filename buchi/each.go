package buchi

import (
	"context"
	"slices"
)

// Each calls yield with each accepting state that is on a loop, and a smallest
// lasso for it, until yield returns false: states that are nearest to the initial
// state come first. [MIN07] proposes this in its conclusion. The loop passes the
// accepting state; no lasso with such a loop has fewer transitions. It fails if
// ctx is done. Cost O(F (S + E)) for F accepting states, and memory for the edges
// of the states that can be reached.
func (d *Description) Each(ctx context.Context, yield func(accepting State, l Lasso) bool) error {
	if d.Starts == nil {
		return each(ctx, d.Automaton, yield)
	}
	return each(ctx, severalStarts{d.Automaton, d.Starts}, func(s State, l Lasso) bool { return yield(s, l.withoutFirst()) })
}

// distances are the distances of a breadth-first search, with the predecessor of
// each state.
type distances struct {
	of, from []State
	order    []State
}

const unreached = State(unvisited)

// distancesFrom searches from one state; next returns successors.
func distancesFrom(start State, states int, next func(State) []State) *distances {
	d := &distances{of: make([]State, states), from: make([]State, states), order: []State{start}}
	for s := range d.of {
		d.of[s] = unreached
	}
	d.of[start] = 0
	for i := 0; i < len(d.order); i++ {
		s := d.order[i]
		for _, t := range next(s) {
			if d.of[t] == unreached {
				d.of[t], d.from[t] = d.of[s]+1, s
				d.order = append(d.order, t)
			}
		}
	}
	return d
}

// path returns the states on the path to s, without s.
func (d *distances) path(s State) []State {
	var all []State
	for d.of[s] > 0 {
		s = d.from[s]
		all = append(all, s)
	}
	slices.Reverse(all)
	return all
}

func each(ctx context.Context, g Graph, yield func(State, Lasso) bool) error {
	n := g.NumStates()
	on, back := make([][]State, n), make([][]State, n)
	forward := func(s State) []State { return on[s] }
	first := distancesFrom(g.Initial(), n, func(s State) []State {
		on[s] = g.Successors(s, nil)
		for _, t := range on[s] {
			back[t] = append(back[t], s)
		}
		return on[s]
	})
	for _, f := range first.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !g.Accepting(f) {
			continue
		}
		out := distancesFrom(f, n, forward)
		in := distancesFrom(f, n, func(s State) []State { return back[s] })
		if l, is := smallestThrough(f, first, out, in, back[f]); is && !yield(f, l) {
			return nil
		}
	}
	return nil
}

// smallestThrough returns a smallest lasso with a loop through f. It is given the
// distances from the initial state, from f and to f, and the states with an edge
// to f.
func smallestThrough(f State, first, out, in *distances, before []State) (Lasso, bool) {
	best, entry, last := unreached, f, f
	for _, s := range before {
		if out.of[s] != unreached && first.of[f]+out.of[s]+1 < best {
			best, last = first.of[f]+out.of[s]+1, s
		}
	}
	if best == unreached {
		return Lasso{}, false
	}
	for _, s := range out.order {
		if s != f && in.of[s] != unreached && first.of[s] != unreached && first.of[s]+in.of[s]+out.of[s] < best {
			best, entry = first.of[s]+in.of[s]+out.of[s], s
		}
	}
	l := Lasso{States: first.path(entry), LoopStart: int(first.of[entry])}
	if entry == f {
		l.States = append(append(l.States, out.path(last)...), last)
		return l, true
	}
	for s := entry; s != f; s = in.from[s] {
		l.States = append(l.States, s)
	}
	l.States = append(l.States, out.path(entry)...)
	return l, true
}
