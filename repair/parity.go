package repair

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// parity is a condition by which the most important colours that recur decide: it is met
// iff those of the first level that does are good, or none does and the rest is.
type parity struct {
	levels []level
	rest   bool
}

type level struct {
	marks property.Marks
	good  bool
}

// parityOf returns a condition of Emerson and Lei in this form: Büchi's, co-Büchi's, and
// what nests them; false where it is of none of these.
func parityOf(a property.Acceptance) (parity, bool) {
	var p parity
	for {
		op := a.Operator()
		switch op {
		case property.True, property.False:
			p.rest = op == property.True
			return p, true
		case property.InfOp, property.FinOp:
			p.levels = append(p.levels, level{property.Mark(a.Colour()), op == property.InfOp})
			p.rest = op == property.FinOp
			return p, true
		}
		here := level{good: op == property.OrOp}
		var left []property.Acceptance
		for _, part := range a.Parts() {
			if o := part.Operator(); o == property.InfOp && here.good || o == property.FinOp && !here.good {
				here.marks |= property.Mark(part.Colour())
			} else {
				left = append(left, part)
			}
		}
		if here.marks == 0 || len(left) > 1 {
			return parity{}, false
		}
		p.levels = append(p.levels, here)
		if len(left) == 0 {
			p.rest = !here.good
			return p, true
		}
		a = left[0]
	}
}

// of returns the level of a transition with these colours: that of the most important
// one, or their number.
func (p parity) of(m property.Marks) int {
	for i, l := range p.levels {
		if l.marks&m != 0 {
			return i
		}
	}
	return len(p.levels)
}

// good reports whether a run is accepted on which a level recurs, and none above.
func (p parity) good(level int) bool {
	if level == len(p.levels) {
		return p.rest
	}
	return p.levels[level].good
}

// board is a parity game on a graph: the places first, then a node for each transition
// that has a level, and for each choice of a label.
type board struct {
	ctx    context.Context
	parity parity
	level  []uint8
	mine   []bool // whether the supervisor moves
	// The edges that leave node v are to[first[v]:first[v+1]]; from is the same backwards.
	first, back []uint32
	to, from    []uint32
}

// solveParity finds the places from which the supervisor wins: all have the same rank. The
// algorithm is that of McNaughton and Zielonka (Zielonka: Infinite Games on Finitely
// Coloured Graphs with Applications to Automata on Infinite Trees, TCS 200, 1998). Cost
// O((S + T) S^d) at worst for d levels; linear where there is none, quadratic for Büchi
// and co-Büchi.
func (g *game) solveParity(ctx context.Context, p parity, forced func(lts.Label) bool, byLabel bool) ([]uint32, error) {
	b := g.board(ctx, p, forced, byLabel)
	in := make([]bool, len(b.level))
	wins := make([]bool, len(b.level))
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
func (g *game) board(ctx context.Context, p parity, forced func(lts.Label) bool, byLabel bool) *board {
	n := g.m.NumStates()
	b := &board{ctx: ctx, parity: p, level: make([]uint8, n), mine: make([]bool, n)}
	neutral := uint8(len(p.levels))
	edges := make([][2]uint32, 0, g.m.NumTransitions())
	add := func(mine bool, level uint8) uint32 {
		b.level, b.mine = append(b.level, level), append(b.mine, mine)
		return uint32(len(b.level) - 1)
	}
	for s := range lts.State(n) {
		labels, targets := g.m.Out(s)
		others := false
		for _, l := range labels {
			others = others || forced(l)
		}
		b.mine[s], b.level[s] = !others, neutral
		choices := map[lts.Label]uint32{}
		for i, to := range targets {
			l := labels[i]
			if others && !forced(l) {
				continue
			}
			at := uint32(s)
			if byLabel && !others {
				node, known := choices[l]
				if !known {
					node = add(false, neutral)
					choices[l] = node
					edges = append(edges, [2]uint32{at, node})
				}
				at = node
			}
			if level := p.of(g.unfolding.Marks(s, l)); level < len(p.levels) {
				node := add(false, uint8(level))
				edges = append(edges, [2]uint32{at, node})
				at = node
			}
			edges = append(edges, [2]uint32{at, uint32(to)})
		}
	}
	b.first, b.to = rows(len(b.level), edges, 0)
	b.back, b.from = rows(len(b.level), edges, 1)
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
	met := make(map[uint32]bool, len(to))
	left := map[uint32]uint32{}
	all := append([]uint32{}, to...)
	for _, v := range to {
		met[v] = true
	}
	for next := 0; next < len(all); next++ {
		v := all[next]
		for _, u := range b.from[b.back[v]:b.back[v+1]] {
			if met[u] || !in[u] {
				continue
			}
			if b.mine[u] != mine {
				n, known := left[u]
				if !known {
					for _, w := range b.to[b.first[u]:b.first[u+1]] {
						if in[w] {
							n++
						}
					}
				}
				n--
				left[u] = n
				if n > 0 {
					continue
				}
			}
			met[u] = true
			all = append(all, u)
		}
	}
	return all
}

// take removes nodes from a set, and gives them to a player.
func (b *board) take(nodes []uint32, in, wins []bool, mine bool) {
	for _, v := range nodes {
		in[v] = false
		wins[v] = mine
	}
}

// zielonka decides the nodes of a set, in which every node has a successor.
func (b *board) zielonka(in, wins []bool) error {
	for {
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		top := len(b.parity.levels) + 1
		for v, is := range in {
			if is {
				top = min(top, int(b.level[v]))
			}
		}
		if top > len(b.parity.levels) {
			return nil
		}
		mine := b.parity.good(top)
		var highest []uint32
		for v, is := range in {
			if is && int(b.level[v]) == top {
				highest = append(highest, uint32(v))
			}
		}
		sub := append([]bool{}, in...)
		for _, v := range b.attract(highest, mine, in) {
			sub[v] = false
		}
		below := append([]bool{}, sub...)
		if err := b.zielonka(below, wins); err != nil {
			return err
		}
		var lost []uint32
		for v, is := range sub {
			if is && wins[v] != mine {
				lost = append(lost, uint32(v))
			}
		}
		if len(lost) == 0 {
			for v, is := range in {
				if is {
					in[v], wins[v] = false, mine
				}
			}
			return nil
		}
		b.take(b.attract(lost, !mine, in), in, wins, !mine)
	}
}
