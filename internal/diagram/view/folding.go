package view

import (
	"github.com/inev-lts/inev/lts"
)

// folding is the state of folding rows.
type folding struct {
	g *Graph
	// next and before have, for each state that can be inside a row, the index of the arrow that leaves
	// the state, and of the arrow that enters it.
	next, before map[lts.State]int
	inside       map[lts.State]bool // the states inside the rows found so far
	gone         []bool             // the arrows of these rows except the first of each row
}

// newFolding finds the states that can be inside a row: they have one arrow in and one arrow out, and
// show nothing else.
func (g *Graph) newFolding() *folding {
	f := &folding{
		g:      g,
		next:   map[lts.State]int{},
		before: map[lts.State]int{},
		inside: map[lts.State]bool{},
		gone:   make([]bool, len(g.Arrows)),
	}
	out := map[lts.State]int{}
	in := map[lts.State]int{}
	for i := range g.Arrows {
		a := &g.Arrows[i]
		out[a.From]++
		in[a.To]++
		f.next[a.From] = i
		f.before[a.To] = i
	}
	// A state with a stub or a gap must stay, since these are drawn without an arrow of the graph.
	for _, s := range g.Stubs {
		out[s.State] += 2
	}
	for _, gap := range g.Gaps {
		out[gap.From] += 2
		in[gap.To] += 2
	}
	for _, a := range g.Ahead {
		out[a.State] += 2
	}
	for _, n := range g.Nodes {
		canBeInside := out[n.State] == 1 && in[n.State] == 1 && n.isBare()
		if !canBeInside || !canFold(&g.Arrows[f.before[n.State]], &g.Arrows[f.next[n.State]]) {
			delete(f.next, n.State)
			delete(f.before, n.State)
		}
	}
	return f
}

// isBare reports whether a node shows nothing except its name.
func (n Node) isBare() bool {
	isOrdinaryState := !n.Initial && !n.Deadlock && n.End == NoEnd
	decidesNothing := n.Kind == 0 && n.Turn == NoTurn
	return isOrdinaryState && decidesNothing && n.InsideSteps() == ""
}

// rowFrom returns the indices of the arrows of the row that begins with arrow i; nil if no row begins
// there, or if the row is too short.
func (f *folding) rowFrom(i int) []int {
	first := &f.g.Arrows[i]
	_, isInsideRow := f.before[first.From]
	if isInsideRow || f.gone[i] || !isPlain(first) {
		return nil
	}
	row := []int{i}
	next, goesOn := f.next[first.To]
	for goesOn {
		row = append(row, next)
		next, goesOn = f.next[f.g.Arrows[next].To]
	}
	label := first.Labels[0].Text
	least := minRow
	if label == "i" || label == "tau" {
		least = minInternalRow
	}
	if len(row) < least {
		return nil
	}
	return row
}

// isPlain reports whether an arrow shows nothing except a label.
func isPlain(a *Arrow) bool {
	hasOneTransition := len(a.Labels) == 1 && a.Labels[0].Times == 1 && a.More == 0
	isMarked := a.Better || a.Closing || a.NoReturn || a.Never != "" || a.Branch
	return a.From != a.To && hasOneTransition && !isMarked
}

// canFold reports whether two consecutive arrows may be folded into one. Arrows with several steps
// may not, since the steps of a folded arrow must be consecutive.
func canFold(a, b *Arrow) bool {
	hasSameLabel := isPlain(a) && isPlain(b) && a.Labels[0].Text == b.Labels[0].Text
	hasSameClasses := a.Class == b.Class && a.Meaning == b.Meaning
	hasSamePlace := a.OnRun == b.OnRun && a.Loop == b.Loop
	hasOneStepEach := len(a.Steps) == len(b.Steps) && len(a.Steps) < 2
	return hasSameLabel && hasSameClasses && hasSamePlace && hasOneStepEach
}

// Bounds on the work of a layout: for a graph that was requested, and for one that Auto or Quotient
// chooses. Above these bounds, nobody can follow the arrows. They limit work instead of time, so
// that every machine draws the same picture.
const (
	MaxWork      = 6_000
	MaxClearWork = 1_200
	// An excerpt is mostly one line of states, so it stays readable with more work.
	maxExcerptWork = 2_000
)

// maxClearWidth is the largest width, in points, at which Auto and Quotient show everything. On a
// screen of 1,280 points, labels are then at least half as high as text.
const maxClearWidth = 1_400

// canBeFollowed reports whether a reader can follow the arrows of g.
func (g *Graph) canBeFollowed() bool { return g.Work() <= MaxClearWork }

// isReadable reports whether a reader can follow the arrows of g, and can read its texts when the
// picture is as wide as a screen. Auto chooses no other picture unless it has to.
func (g *Graph) isReadable() bool { return g.canBeFollowed() && g.estimatedWidth() <= maxClearWidth }
