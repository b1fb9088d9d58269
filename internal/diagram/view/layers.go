package view

import (
	"slices"
	"unicode/utf8"

	"github.com/inev-lts/inev/lts"
)

// link is an arrow of any kind, between the indices of two nodes.
type link struct{ from, to int }

// Work returns the number of positions that a layered layout must find: one for every node, and one
// for every layer that an arrow crosses; labels are layers of their own (E. R. Gansner, E.
// Koutsofios, S. C. North, K.-P. Vo: A Technique for Drawing Directed Graphs, IEEE Transactions on
// Software Engineering 19(3), 1993, section 3). A node's layer is approximated by the longest path
// to it, after the arrows that close cycles have been reversed. Cost O(N + A).
func (g *Graph) Work() int {
	layers, links := g.layers()
	work := len(layers) + len(g.Stubs)
	for _, l := range links {
		span := layers[l.to] - layers[l.from]
		work += 2*max(span, -span) + 1
	}
	return work
}

// Widths in points: of a character of a label, of a node, of the distance between neighbours,
// and of an arrow that passes by.
const (
	characterWidth = 5.5
	nodeWidth      = 50
	passingWidth   = 10
)

// estimatedWidth returns about the width of g, drawn downwards, in points: the width of its widest layer, where
// labels are layers of their own. Cost O(N + A), and the work.
func (g *Graph) estimatedWidth() float64 {
	layers, links := g.layers()
	widths := map[int]float64{}
	for _, layer := range layers {
		widths[2*layer] += nodeWidth
	}
	for i, l := range links {
		from := 2 * layers[l.from]
		to := 2 * layers[l.to]
		for layer := min(from, to) + 1; layer < max(from, to); layer++ {
			widths[layer] += passingWidth
		}
		if i < len(g.Arrows) {
			longest := 0
			for _, line := range g.Lines(g.Arrows[i], LabelLength) {
				longest = max(longest, utf8.RuneCountInString(line))
			}
			widths[(from+to)/2] += characterWidth * float64(longest)
		}
	}
	widest := 0.0
	for _, width := range widths {
		widest = max(widest, width)
	}
	return widest
}

// layers returns the layer of every node, and all arrows and gaps. The layer of a node is the length of the
// longest path to it along the arrows that remain after cycles are broken.
func (g *Graph) layers() (layers []int, links []link) {
	index := make(map[lts.State]int, len(g.Nodes))
	for i, n := range g.Nodes {
		index[n.State] = i
	}
	successors := make([][]int, len(g.Nodes))
	add := func(from, to lts.State, closesLoop bool) {
		l := link{index[from], index[to]}
		links = append(links, l)
		if !closesLoop && l.from != l.to {
			successors[l.from] = append(successors[l.from], l.to)
		}
	}
	for _, a := range g.Arrows {
		add(a.From, a.To, a.Closing)
	}
	for _, gap := range g.Gaps {
		add(gap.From, gap.To, false)
	}
	order := breakCycles(successors)
	layers = make([]int, len(g.Nodes))
	for _, node := range order {
		for _, to := range successors[node] {
			layers[to] = max(layers[to], layers[node]+1)
		}
	}
	return layers, links
}

// breakCycles removes from the lists of successors those that close a cycle in a depth-first search. It
// returns the nodes in a topological order of what remains.
func breakCycles(successors [][]int) []int {
	const unseen, open, done = 0, 1, 2
	state := make([]uint8, len(successors))
	var order []int
	var visit func(node int)
	visit = func(node int) {
		state[node] = open
		successors[node] = slices.DeleteFunc(successors[node], func(to int) bool {
			if state[to] == unseen {
				visit(to)
			}
			return state[to] == open
		})
		state[node] = done
		order = append(order, node)
	}
	for node := range successors {
		if state[node] == unseen {
			visit(node)
		}
	}
	slices.Reverse(order)
	return order
}
