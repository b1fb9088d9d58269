package view

import (
	"slices"

	"github.com/inev-lts/inev/internal/rows"
	"github.com/inev-lts/inev/lts"
)

// Lengths from which on a row of transitions is folded: with any label, and with internal actions,
// which say least.
const (
	minRow         = 6
	minInternalRow = rows.FoldFrom
)

// worthFolding reports whether a row of n transitions with this label is folded.
func worthFolding(n int, label string) bool {
	return n >= minRow || n >= minInternalRow && (label == "i" || label == "tau")
}

// fold replaces each row of consecutive arrows with one label and one meaning, whose inner states
// have no other arrows, by a single arrow: `tau ×44`. No information is lost, and decisions stay.
// Cost O(N + A).
func (g *Graph) fold() {
	r := rowsOf(g)
	gone := make([]bool, len(g.Arrows))
	inside := map[lts.State]bool{}
	for i := range g.Arrows {
		if gone[i] || !isPlain(&g.Arrows[i]) || r.follows(i) {
			continue
		}
		row := r.from(i)
		if !worthFolding(len(row), g.Arrows[i].Labels[0].Text) {
			continue
		}
		a := &g.Arrows[i]
		a.Labels = []Label{{Text: a.Labels[0].Text, Times: 1}}
		a.Steps = slices.Clone(a.Steps)
		for _, next := range row[1:] {
			b := &g.Arrows[next]
			inside[b.From], gone[next] = true, true
			a.Steps = append(a.Steps, b.Steps...)
			a.To = b.To
		}
		a.Folded = len(row)
		g.Folded += len(row) - 1
	}
	if len(inside) == 0 {
		return
	}
	g.Nodes = slices.DeleteFunc(g.Nodes, func(n Node) bool { return inside[n.State] })
	kept := g.Arrows[:0]
	for i := range g.Arrows {
		if !gone[i] {
			kept = append(kept, g.Arrows[i])
		}
	}
	g.Arrows = kept
}

// isPlain reports whether an arrow shows nothing but a label.
func isPlain(a *Arrow) bool {
	return a.From != a.To && len(a.Labels) == 1 && a.Labels[0].Times == 1 && a.More == 0 && !a.Better && !a.Closing && !a.NoReturn && a.Never == "" && !a.Branch
}

// plainRows finds the rows of consecutive arrows that can be folded.
type plainRows struct {
	g *Graph
	// next and before map a state inside a row to the index of the arrow that leaves it, and of the
	// arrow that enters it.
	next, before map[lts.State]int
}

func rowsOf(g *Graph) *plainRows {
	r := &plainRows{g: g, next: map[lts.State]int{}, before: map[lts.State]int{}}
	out, in := map[lts.State]int{}, map[lts.State]int{}
	for i := range g.Arrows {
		a := &g.Arrows[i]
		out[a.From]++
		in[a.To]++
		r.next[a.From], r.before[a.To] = i, i
	}
	// A state with a stub or a gap stays: both are drawn, but are no arrows.
	for _, s := range g.Stubs {
		out[s.State] += 2
	}
	for _, gap := range g.Gaps {
		out[gap.From], in[gap.To] = out[gap.From]+2, in[gap.To]+2
	}
	for _, a := range g.Ahead {
		out[a.State] += 2
	}
	for _, n := range g.Nodes {
		inside := out[n.State] == 1 && in[n.State] == 1 && !n.Initial && !n.Deadlock && n.Kind == 0 && n.Turn == NoTurn && n.End == NoEnd
		if !inside || !alike(&g.Arrows[r.before[n.State]], &g.Arrows[r.next[n.State]]) {
			delete(r.next, n.State)
			delete(r.before, n.State)
		}
	}
	return r
}

// alike reports whether two consecutive arrows may be folded into one. Arrows with several steps
// may not, since the steps of a folded arrow must be consecutive.
func alike(a, b *Arrow) bool {
	return isPlain(a) && isPlain(b) && a.Labels[0].Text == b.Labels[0].Text &&
		a.Class == b.Class && a.Meaning == b.Meaning && a.OnRun == b.OnRun && a.Loop == b.Loop && len(a.Steps) == len(b.Steps) && len(a.Steps) < 2
}

// follows reports whether an arrow continues a row.
func (r *plainRows) follows(i int) bool {
	_, is := r.before[r.g.Arrows[i].From]
	return is
}

// from returns the row that begins with arrow i.
func (r *plainRows) from(i int) []int {
	row := []int{i}
	for {
		next, is := r.next[r.g.Arrows[i].To]
		if !is {
			return row
		}
		i = next
		row = append(row, i)
	}
}
