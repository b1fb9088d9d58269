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
// colours are left out; linear where it has no colours, quadratic for Büchi, generalised
// Büchi and co-Büchi. It fails with [ErrWork] after most nodes and edges, unless that is 0.
func (g *game) solveInfinite(ctx context.Context, c condition, forced func(lts.Label) bool, byLabel bool, most int64) ([]uint32, error) {
	b := g.board(ctx, c, forced, byLabel)
	b.most = most
	in := make([]bool, len(b.marks))
	wins := make([]bool, len(b.marks))
	for v := range in {
		in[v] = true
	}
	// Runs that end are decided by where they do.
	for _, good := range []bool{true, false} {
		var ends []uint32
		for s := range lts.State(g.m.NumStates()) {
			if in[s] && g.m.IsDeadlock(s) && g.unfolding.Property().Stops(g.unfolding.Place(s).Q) == good {
				ends = append(ends, uint32(s))
			}
		}
		b.take(b.attract(ends, good, in), in, wins, good)
	}
	if err := b.zielonka(in, wins); err != nil {
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
	b.first, b.to = rows(len(b.marks), edges, 0)
	b.back, b.from = rows(len(b.marks), edges, 1)
	b.met, b.seen, b.left = make([]uint32, len(b.marks)), make([]uint32, len(b.marks)), make([]uint32, len(b.marks))
	return b
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

// attract returns the nodes of a set from which a player can force a run to some nodes.
func (b *board) attract(to []uint32, mine bool, in []bool) []uint32 {
	b.search++
	all := append([]uint32{}, to...)
	for _, v := range to {
		b.met[v] = b.search
	}
	for next := 0; next < len(all); next++ {
		v := all[next]
		b.work += int64(b.back[v+1] - b.back[v])
		for _, u := range b.from[b.back[v]:b.back[v+1]] {
			if b.met[u] == b.search || !in[u] || b.mine[u] != mine && !b.isLast(u, in) {
				continue
			}
			b.met[u] = b.search
			all = append(all, u)
		}
	}
	return all
}

// isLast counts an edge from a node to one that was met, and reports whether it is the last
// of those that stay in a set.
func (b *board) isLast(u uint32, in []bool) bool {
	if b.seen[u] != b.search {
		b.seen[u], b.left[u] = b.search, 0
		for _, w := range b.to[b.first[u]:b.first[u+1]] {
			if in[w] {
				b.left[u]++
			}
		}
	}
	b.left[u]--
	return b.left[u] == 0
}

// take removes nodes from a set, and gives them to a player.
func (b *board) take(nodes []uint32, in, wins []bool, mine bool) {
	for _, v := range nodes {
		in[v] = false
		wins[v] = mine
	}
}

// zielonka decides the nodes of a set where every node has a successor.
func (b *board) zielonka(in, wins []bool) error {
	for {
		if err := b.spend(len(in)); err != nil {
			return err
		}
		all, some := property.Marks(0), false
		for v, is := range in {
			if is {
				all |= b.marks[v]
				some = true
			}
		}
		if !some {
			return nil
		}
		mine := b.condition.accept.Holds(all)
		lost, err := b.lost(all, in, wins, mine)
		switch {
		case err != nil:
			return err
		case len(lost) > 0:
			b.take(b.attract(lost, !mine, in), in, wins, !mine)
			continue
		}
		for v, is := range in {
			if is {
				in[v], wins[v] = false, mine
			}
		}
		return nil
	}
}

// lost returns nodes of a set with some colours, which are to a player's liking, from which
// the other one wins: it keeps to fewer colours. Nil where there are none.
func (b *board) lost(all property.Marks, in, wins []bool, mine bool) ([]uint32, error) {
	for _, fewer := range b.condition.opposed(all) {
		if err := b.spend(len(in)); err != nil {
			return nil, err
		}
		var more []uint32
		for v, is := range in {
			if is && b.marks[v]&^fewer != 0 {
				more = append(more, uint32(v))
			}
		}
		sub := append([]bool{}, in...)
		for _, v := range b.attract(more, mine, in) {
			sub[v] = false
		}
		below := append([]bool{}, sub...)
		if err := b.zielonka(below, wins); err != nil {
			return nil, err
		}
		var lost []uint32
		for v, is := range sub {
			if is && wins[v] != mine {
				lost = append(lost, uint32(v))
			}
		}
		if len(lost) > 0 {
			return lost, nil
		}
	}
	return nil, nil
}
