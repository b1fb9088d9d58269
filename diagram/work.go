package diagram

import (
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/inev-lts/inev/lts"
)

// ErrCrowded is the error of a picture whose layout would be more work than the
// picture is worth: so many arrows would run past so many states that nobody could
// follow one of them.
var ErrCrowded = errors.New("too crowded to be laid out")

// The work up to which a picture is laid out where it was asked for, and up to which
// Auto and Quotient choose it by themselves: beyond, arrows can hardly be followed.
// The limits are no times, so that every machine draws the same.
const (
	maxWork      = 6_000
	maxClearWork = 1_200
	// An excerpt is a line with little beside it: more of it can be read.
	maxExcerptWork = 2_000
)

// maxClearWidth is the width, in points, up to which Quotient shows everything: two
// screens.
const maxClearWidth = 2_000

// crowded returns an error where the layout of p is too much work.
func (p *picture) crowded(engine string) error {
	work := p.work()
	if engine != "" && engine != "dot" {
		// Springs and circles look at all pairs of nodes, again and again.
		work = max(work, len(p.nodes)*len(p.nodes)/50)
	}
	if work <= maxWork {
		return nil
	}
	return fmt.Errorf("diagram: a picture of %s and %s is %w: its layout has %d places to find, %d at most are worth it; choose the excerpt, which is small whatever the size of the model",
		quantity(len(p.nodes), "state"), quantity(len(p.arrows), "arrow"), ErrCrowded, work, maxWork)
}

// clear reports whether Auto would choose p.
func (p *picture) clear() bool { return p.work() <= maxClearWork }

// link is anything drawn from one node to another.
type link struct{ from, to int }

// work returns how many places the layout in layers has to find: one for every node,
// and one for every layer that an arrow crosses, labels being layers of their own
// (E. R. Gansner, E. Koutsofios, S. C. North, K.-P. Vo: A Technique for Drawing Directed
// Graphs, IEEE Transactions on Software Engineering 19(3), 1993, section 3). Layers are
// those of longest paths, after the arrows that close cycles have been turned round, which
// is near enough. Cost O(N + A).
func (p *picture) work() int {
	layers, links := p.layers()
	work := len(layers) + len(p.stubs)
	for _, l := range links {
		span := layers[l.to] - layers[l.from]
		work += 2*max(span, -span) + 1
	}
	return work
}

// Widths of what is drawn, in points: of a character of a label, of a node without one,
// of the distance that things keep, and of an arrow that passes by.
const (
	characterWidth = 5.5
	nodeWidth      = 50
	passingWidth   = 10
)

// wide returns about how wide p is in points where it is drawn downwards: the width of
// its widest layer, of which labels have their own. Cost O(N + A), and the work.
func (p *picture) wide() float64 {
	layers, links := p.layers()
	widths := map[int]float64{}
	for _, layer := range layers {
		widths[2*layer] += nodeWidth
	}
	for i, l := range links {
		from, to := 2*layers[l.from], 2*layers[l.to]
		for layer := min(from, to) + 1; layer < max(from, to); layer++ {
			widths[layer] += passingWidth
		}
		if i < len(p.arrows) {
			longest := 0
			for _, line := range p.labelLines(p.arrows[i]) {
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
func (p *picture) layers() (layers []int, links []link) {
	index := make(map[lts.State]int, len(p.nodes))
	for i, n := range p.nodes {
		index[n.state] = i
	}
	out := make([][]int, len(p.nodes))
	add := func(from, to lts.State, ranked bool) {
		l := link{index[from], index[to]}
		links = append(links, l)
		if ranked && l.from != l.to {
			out[l.from] = append(out[l.from], l.to)
		}
	}
	for _, a := range p.arrows {
		add(a.from, a.to, !a.closing)
	}
	for _, g := range p.gaps {
		add(g.from, g.to, true)
	}
	layers = make([]int, len(p.nodes))
	for _, node := range slices.Backward(finished(out)) {
		for _, to := range out[node] {
			layers[to] = max(layers[to], layers[node]+1)
		}
	}
	return layers, links
}

// finished searches depth first and returns the nodes in the order in which they are
// left. Arrows back to an open node are taken out of the graph.
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

// leadsBack reports whether Graphviz, which turns round the arrows that lead back to where
// it came from, is certain to take the one that closes the loop for such an arrow: in an
// excerpt where other arrows enter the loop at its beginning only. Then there is a way
// kept free for it. Cost O(A).
func (p *picture) leadsBack(closing arrow) bool {
	if p.whole || p.decisions {
		return false
	}
	loop := map[lts.State]bool{}
	for _, a := range p.arrows {
		if a.onRun && a.loop {
			loop[a.from] = true
		}
	}
	for _, g := range p.gaps {
		if g.loop {
			loop[g.from], loop[g.to] = true, true
		}
	}
	for _, a := range p.arrows {
		if !loop[a.from] && loop[a.to] && a.to != closing.to {
			return false
		}
	}
	for _, s := range p.stubs {
		if s.incoming && loop[s.state] && s.state != closing.to {
			return false
		}
	}
	return true
}
