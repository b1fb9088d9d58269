package diagram

import (
	"errors"
	"fmt"

	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// errCrowded is the error of a graph whose layout would take too long: so many arrows would pass so
// many states that nobody could follow them.
var errCrowded = errors.New("too crowded to be laid out")

// crowded returns an error if laying out g is too much work.
func crowded(g *view.Graph, layout string) error {
	work := g.Work()
	if layout != "" && layout != "dot" {
		// Layouts by springs and circles compare all pairs of nodes, many times.
		work = max(work, len(g.Nodes)*len(g.Nodes)/50)
	}
	if work <= view.MaxWork {
		return nil
	}
	return fmt.Errorf("diagram: a picture of %s and %s is %w: its layout has %d places to find, %d at most are worth it; choose the excerpt, which is small whatever the size of the model",
		printable.Quantity(len(g.Nodes), "state"), printable.Quantity(len(g.Arrows), "arrow"), errCrowded, work, view.MaxWork)
}

// leadsBack reports whether Graphviz is certain to reverse the arrow that closes the loop when it
// breaks cycles, so that the layout keeps a path free for it. That is certain in an excerpt in
// which other arrows enter the loop only at its beginning. Cost O(A).
func leadsBack(g *view.Graph, closing view.Arrow) bool {
	if g.Whole || g.OfNeighbourhoods {
		return false
	}
	loop := map[lts.State]bool{}
	for _, a := range g.Arrows {
		if a.OnRun && a.Loop {
			loop[a.From] = true
		}
	}
	for _, gap := range g.Gaps {
		if gap.Loop {
			loop[gap.From], loop[gap.To] = true, true
		}
	}
	for _, a := range g.Arrows {
		if !loop[a.From] && loop[a.To] && a.To != closing.To {
			return false
		}
	}
	return true
}
