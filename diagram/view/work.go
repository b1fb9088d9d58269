package view

import (
	"slices"
	"unicode/utf8"

	"github.com/inev-lts/inev/lts"
)

// Bounds on the work of a layout: for a graph that was requested, and for one that Auto or Quotient
// choose. Above them nobody can follow the arrows. They are no times, so that every machine draws
// the same.
const (
	MaxWork      = 6_000
	MaxClearWork = 1_200
	// An excerpt is mostly one line of states, and is readable up to more work.
	maxExcerptWork = 2_000
)

// maxClearWidth is the width, in points, up to which Quotient shows everything: two screens.
const maxClearWidth = 2_000

// clear reports whether g is readable, so that Auto would choose it.
func (g *Graph) clear() bool { return g.Work() <= MaxClearWork }

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

// wide estimates the width of g, drawn downwards, in points: the width of its widest layer, where
// labels are layers of their own. Cost O(N + A), and the work.
func (g *Graph) wide() float64 {
	layers, links := g.layers()
	widths := map[int]float64{}
	for _, layer := range layers {
		widths[2*layer] += nodeWidth
	}
	for i, l := range links {
		from, to := 2*layers[l.from], 2*layers[l.to]
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

// layers returns the layer of every node, and all arrows.
func (g *Graph) layers() (layers []int, links []link) {
	index := make(map[lts.State]int, len(g.Nodes))
	for i, n := range g.Nodes {
		index[n.State] = i
	}
	out := make([][]int, len(g.Nodes))
	add := func(from, to lts.State, ranked bool) {
		l := link{index[from], index[to]}
		links = append(links, l)
		if ranked && l.from != l.to {
			out[l.from] = append(out[l.from], l.to)
		}
	}
	for _, a := range g.Arrows {
		add(a.From, a.To, !a.Closing)
	}
	for _, gap := range g.Gaps {
		add(gap.From, gap.To, true)
	}
	layers = make([]int, len(g.Nodes))
	for _, node := range slices.Backward(finished(out)) {
		for _, to := range out[node] {
			layers[to] = max(layers[to], layers[node]+1)
		}
	}
	return layers, links
}

// finished returns the nodes in the order that a depth-first search finishes them. It removes
// arrows to nodes that are still open, which close cycles.
func finished(out [][]int) []int {
	const unseen, open, done = 0, 1, 2
	state := make([]uint8, len(out))
	var order []int
	type frame struct{ node, next int }
	for root := range out {
		if state[root] != unseen {
			continue
		}
		state[root] = open
		stack := []frame{{root, 0}}
		for len(stack) > 0 {
			at := &stack[len(stack)-1]
			if at.next == len(out[at.node]) {
				state[at.node] = done
				order = append(order, at.node)
				stack = stack[:len(stack)-1]
				continue
			}
			to := out[at.node][at.next]
			if state[to] == open {
				out[at.node] = slices.Delete(out[at.node], at.next, at.next+1)
				continue
			}
			at.next++
			if state[to] == unseen {
				state[to] = open
				stack = append(stack, frame{to, 0})
			}
		}
	}
	return order
}
