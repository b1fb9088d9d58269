package counterexample

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// shortestAmong returns a shortest run of m that ends in a deadlock, or whose loop closes in the
// product of m with the given automaton, which accepts the runs that violate p. It returns nil if
// no such run has fewer transitions than most. If it would visit more than limit transitions, it
// returns nil, and complete is false. It fails if ctx is done. Cost O(P²) for P transitions of the
// product, within the limit.
func shortestAmong(ctx context.Context, m *lts.LTS, p *property.Property, of *property.Nondeterministic, most int, limit int64) (t *Trace, complete bool) {
	x := &guesser{m: m, of: of, ends: map[int]bool{}, limit: limit, ctx: ctx}
	for _, q := range of.Initial {
		x.meet(guess{m.Initial(), q, 0}, 0, lts.Transition{}, -1)
	}
	first := x.nodes
	var steps []lts.Transition
	loop := noLoop
	for i := 0; i < len(first); i++ {
		at := first[i]
		if at.distance >= most {
			break
		}
		if m.IsDeadlock(at.state) {
			if x.endsAccepted(at.q) {
				steps, loop, most = path(first, i), noLoop, at.distance
			}
			continue
		}
		if around := x.around(at.guess, most-at.distance); around != nil {
			stem := path(first, i)
			steps, loop, most = append(stem, around...), len(stem), at.distance+len(around)
		}
		x.nodes = first
		x.expand(i, false)
		if first = x.nodes; x.limit < 0 {
			return nil, false
		}
		if i&0xff == 0 {
			abort.On(ctx.Err())
		}
	}
	if steps == nil {
		return nil, true
	}
	if t = abort.Must(New(m, p, steps, loop)); t.Satisfies() {
		abort.On(fmt.Errorf("%w, though the automaton that was given accepts it", ErrSatisfies))
	}
	return t, true
}

// guess is a state of the model with a state of the automaton, and the set of colours taken.
type guess struct {
	state lts.State
	q     int
	taken property.Marks
}

// guessed is a guess, with the transition by which a search reached it.
type guessed struct {
	guess
	distance, from int
	by             lts.Transition
}

type guesser struct {
	ctx   context.Context
	m     *lts.LTS
	of    *property.Nondeterministic
	limit int64
	// known are the guesses that the current search has visited, in nodes.
	known map[guess]bool
	nodes []guessed
	ends  map[int]bool
}

func (x *guesser) meet(g guess, distance int, by lts.Transition, from int) {
	if x.known == nil {
		x.known = map[guess]bool{}
	}
	if !x.known[g] {
		x.known[g] = true
		x.nodes = append(x.nodes, guessed{g, distance, from, by})
	}
}

// next yields the moves from a guess.
func (x *guesser) next(g guess, do func(t lts.Transition, q int, marks property.Marks)) {
	labels, targets := x.m.Out(g.state)
	for i, to := range targets {
		l := labels.At(i)
		t := lts.Transition{From: g.state, Label: l, To: to}
		if _, begins := x.m.Alphabet().Facts(l); begins {
			x.limit--
			do(t, g.q, 0)
			continue
		}
		for _, move := range x.of.Moves[x.of.Letters[l]][g.q] {
			x.limit--
			do(t, move.To, move.Marks)
		}
	}
}

// expand visits the successors of a node; with colours, it tracks which of these are taken.
func (x *guesser) expand(i int, colours bool) {
	at := x.nodes[i]
	x.next(at.guess, func(t lts.Transition, q int, marks property.Marks) {
		to := guess{t.To, q, 0}
		if colours {
			to.taken = at.taken | marks&x.of.All
		}
		x.meet(to, at.distance+1, t, i)
	})
}

// around returns a shortest closed walk from a guess with all colours; nil if no such walk has
// fewer transitions than most.
func (x *guesser) around(from guess, most int) []lts.Transition {
	outer, known := x.nodes, x.known
	defer func() { x.nodes, x.known = outer, known }()
	x.nodes, x.known = []guessed{{guess: from, from: -1}}, map[guess]bool{}
	for i := 0; i < len(x.nodes) && x.nodes[i].distance+1 < most && x.limit >= 0; i++ {
		n := len(x.nodes)
		x.expand(i, true)
		for k := n; k < len(x.nodes); k++ {
			if at := x.nodes[k]; at.state == from.state && at.q == from.q && at.taken == x.of.All {
				return path(x.nodes, k)
			}
		}
	}
	return nil
}

// path returns the transitions to a node.
func path(nodes []guessed, i int) []lts.Transition {
	steps := []lts.Transition{}
	for ; nodes[i].from >= 0; i = nodes[i].from {
		steps = append(steps, nodes[i].by)
	}
	slices.Reverse(steps)
	return steps
}

// endsAccepted reports whether the automaton, from a state on, accepts a run that ends.
func (x *guesser) endsAccepted(q int) bool {
	is, known := x.ends[q]
	if known {
		return is
	}
	idle := x.of.Moves[len(x.of.Moves)-1]
	reach := func(from guess) map[guess]bool {
		visited := map[guess]bool{}
		for open := []guess{from}; len(open) > 0; {
			at := open[0]
			open = open[1:]
			for _, move := range idle[at.q] {
				to := guess{q: move.To, taken: at.taken | move.Marks&x.of.All}
				if !visited[to] {
					visited[to] = true
					open = append(open, to)
				}
			}
		}
		return visited
	}
	starts := map[int]bool{q: true}
	for to := range reach(guess{q: q}) {
		starts[to.q] = true
	}
	for r := range starts {
		is = is || reach(guess{q: r})[guess{q: r, taken: x.of.All}]
	}
	x.ends[q] = is
	return is
}
