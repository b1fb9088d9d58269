package counterexample

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// layers is a layered graph: each of its nodes is a state at one distance from
// the begin, and every way through it has the same length. Nodes are numbered
// layer by layer, from the begin or from the end.
type layers struct {
	states []lts.State
	// Node i has the moves moves[first[i]:first[i+1]], by ascending index.
	first []int
	moves []move
}

// move is a transition between nodes.
type move struct {
	// index is that of the transition among those that leave its state; of
	// duplicates, that of the first.
	index uint32
	to    uint32
}

func (g *layers) from(node uint32) []move {
	return g.moves[g.first[node]:g.first[node+1]]
}

// reserve makes room for one more node with so many moves, as [resources.Grow] does.
func (g layers) reserve(ctx context.Context, moves int) (layers, error) {
	var err error
	if g.states, err = resources.Grow(ctx, g.states, 1); err != nil {
		return g, err
	}
	if g.moves, err = resources.Grow(ctx, g.moves, moves); err != nil {
		return g, err
	}
	g.first, err = resources.Grow(ctx, g.first, 2)
	return g, err
}

// add adds a node with these moves and returns its number.
func (g *layers) add(state lts.State, moves []move) uint32 {
	if len(g.first) == 0 {
		g.first = append(g.first, 0)
	}
	g.states = append(g.states, state)
	g.moves = append(g.moves, moves...)
	g.first = append(g.first, len(g.moves))
	return uint32(len(g.states) - 1)
}

// rows returns the row indices in m of the transitions of all moves.
func (g *layers) rows(m *lts.LTS) []int {
	rows := make([]int, 0, len(g.moves))
	for node, s := range g.states {
		first, _ := m.Row(s)
		for _, mv := range g.from(uint32(node)) {
			rows = append(rows, first+int(mv.index))
		}
	}
	return rows
}

// indexed returns where among moves, ascending by index, the one with this index
// is.
func indexed(moves []move, index uint32) (int, bool) {
	return slices.BinarySearchFunc(moves, index, func(mv move, index uint32) int {
		return cmp.Compare(mv.index, index)
	})
}

// clip returns the graph in no more memory than it needs.
func (g *layers) clip() layers {
	return layers{slices.Clone(g.states), slices.Clone(g.first), slices.Clone(g.moves)}
}

// distinct returns the moves of state s, ascending by index, without those whose
// transition is a duplicate of an earlier one. It changes the slice. Cost O(d log d)
// for d moves.
func distinct(m *lts.LTS, s lts.State, moves []move) []move {
	if len(moves) < 2 {
		return moves
	}
	labels, targets := m.Out(s)
	same := func(x, y move) int {
		return cmp.Or(
			cmp.Compare(targets[x.index], targets[y.index]),
			cmp.Compare(labels.At(int(x.index)), labels.At(int(y.index))),
		)
	}
	slices.SortStableFunc(moves, same)
	moves = slices.CompactFunc(moves, func(x, y move) bool { return same(x, y) == 0 })
	slices.SortFunc(moves, func(x, y move) int { return cmp.Compare(x.index, y.index) })
	return moves
}
