package repair

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostPairs is the number of pairs of a condition above which no game is solved for it.
const mostPairs = 256

// condition is one on infinite runs, written out both ways.
type condition struct {
	accept property.Acceptance
	// good are the ways in which runs are accepted, bad those in which they are not: no
	// colour of Fin recurs, and each of Inf does.
	good, bad []property.Pair
}

// newCondition writes a condition out; false if it has too many pairs.
func newCondition(a property.Acceptance) (condition, bool) {
	c := condition{accept: a}
	var good, bad bool
	c.good, good = a.Pairs(mostPairs)
	c.bad, bad = a.Not().Pairs(mostPairs)
	return c, good && bad
}

// matters returns those of some colours that the condition mentions.
func (c condition) matters(m property.Marks) property.Marks {
	all, _ := c.accept.Colours()
	return m & all
}

// opposed returns the greatest sets of colours within a set that are accepted if that is
// not, and are not if it is.
func (c condition) opposed(all property.Marks) []property.Marks {
	pairs := c.good
	if c.accept.Holds(all) {
		pairs = c.bad
	}
	var sets []property.Marks
	for _, p := range pairs {
		set := all &^ p.Fin
		if p.Inf&^set != 0 {
			continue
		}
		larger := false
		left := sets[:0]
		for _, other := range sets {
			larger = larger || set&^other == 0
			if larger || other&^set != 0 {
				left = append(left, other)
			}
		}
		if sets = left; !larger {
			sets = append(sets, set)
		}
	}
	return sets
}

// board is a game on a graph: the places first, then a node for each transition that has
// colours, and for each choice of a label.
type board struct {
	ctx       context.Context
	condition condition
	marks     []property.Marks
	mine      []bool // whether the supervisor moves
	// The edges that leave node v are to[first[v]:first[v+1]]; from is the same backwards.
	first, back []uint32
	to, from    []uint32
	// depth[v] is the depth of the smallest set which node v is in: sets lie within each other, the
	// largest has depth 1.
	depth []uint32
	// by[v] is what a node of an attractor was attracted by: a node of those that attract, v itself;
	// who moves as the player of it does, a successor.
	by []uint32
	// met[v] is the number of the search that met node v last, left[v] the number of
	// successors that it has not met yet, where seen[v] is its number.
	met, seen, left []uint32
	search          uint32
	// work is how many nodes and edges were looked at, most how many may be; 0 for no limit.
	work, most int64
}

// spend counts work, and fails if it was too much.
func (b *board) spend(work int) error {
	if b.work += int64(work); b.most > 0 && b.work > b.most {
		return ErrWork
	}
	return b.ctx.Err()
}

// solveInfinite finds the places from which the supervisor wins: all have the same rank. It
// may have to remember more than the place, such as what of what is to recur did last. The
// algorithm is that of McNaughton and Zielonka (Zielonka: Infinite Games on Finitely
// Coloured Graphs with Applications to Automata on Infinite Trees, TCS 200, 1998). Cost
// O((S + T) (S p)^d) at worst for p pairs of a condition that d times changes its mind when
// colours are left out; linear where it has no colours, quadratic at worst for Büchi, generalised
// Büchi and co-Büchi: see [board.leave]. It fails with [ErrWork] after most nodes and edges, unless
// that is 0.
func (g *game) solveInfinite(ctx context.Context, c condition, forced func(lts.Label) bool, byLabel bool, most int64) ([]uint32, error) {
	b := g.board(ctx, c, forced, byLabel)
	b.most = most
	wins := make([]bool, len(b.marks))
	for v := range b.depth {
		b.depth[v] = 1
	}
	// Runs that end are decided by where they do.
	for _, good := range []bool{true, false} {
		var ends []uint32
		for s := range lts.State(g.m.NumStates()) {
			if b.depth[s] == 1 && g.m.IsDeadlock(s) && g.unfolding.Property().Stops(g.unfolding.Place(s).Q) == good {
				ends = append(ends, uint32(s))
			}
		}
		b.take(b.attract(ends, good, 1), 1, wins, good)
	}
	var all []uint32
	for v, depth := range b.depth {
		if depth == 1 {
			all = append(all, uint32(v))
		}
	}
	if err := b.zielonka(all, 1, wins); err != nil {
		return nil, err
	}
	rank := make([]uint32, g.m.NumStates())
	for s := range rank {
		if wins[s] {
			rank[s] = 2
		}
	}
	return rank, nil
}

// board builds the game.
func (g *game) board(ctx context.Context, c condition, forced func(lts.Label) bool, byLabel bool) *board {
	n := g.m.NumStates()
	b := &board{ctx: ctx, condition: c, marks: make([]property.Marks, n), mine: make([]bool, n)}
	edges := make([][2]uint32, 0, g.m.NumTransitions())
	add := func(marks property.Marks) uint32 {
		b.marks, b.mine = append(b.marks, marks), append(b.mine, false)
		return uint32(len(b.marks) - 1)
	}
	for s := range lts.State(n) {
		labels, targets := g.m.Out(s)
		others := false
		for i := range labels.Len() {
			l := labels.At(i)
			others = others || forced(l)
		}
		b.mine[s] = !others
		choices := map[lts.Label]uint32{}
		for i, to := range targets {
			l := labels.At(i)
			if others && !forced(l) {
				continue
			}
			at := uint32(s)
			if byLabel && !others {
				node, known := choices[l]
				if !known {
					node = add(0)
					choices[l] = node
					edges = append(edges, [2]uint32{at, node})
				}
				at = node
			}
			if marks := c.matters(g.unfolding.Marks(s, l)); marks != 0 {
				node := add(marks)
				edges = append(edges, [2]uint32{at, node})
				at = node
			}
			edges = append(edges, [2]uint32{at, uint32(to)})
		}
	}
	b.connect(edges)
	return b
}

// connect adds all edges.
func (b *board) connect(edges [][2]uint32) {
	b.first, b.to = rows(len(b.marks), edges, 0)
	b.back, b.from = rows(len(b.marks), edges, 1)
	numbers := make([]uint32, 5*len(b.marks))
	for _, of := range []*[]uint32{&b.depth, &b.by, &b.met, &b.seen, &b.left} {
		*of, numbers = numbers[:len(b.marks)], numbers[len(b.marks):]
	}
}

// rows sorts the other ends of edges by one end.
func rows(n int, edges [][2]uint32, by int) (first, ends []uint32) {
	first = make([]uint32, n+1)
	for _, e := range edges {
		first[e[by]+1]++
	}
	for v := range n {
		first[v+1] += first[v]
	}
	at := append([]uint32{}, first...)
	ends = make([]uint32, len(edges))
	for _, e := range edges {
		ends[at[e[by]]] = e[1-by]
		at[e[by]]++
	}
	return first, ends
}
