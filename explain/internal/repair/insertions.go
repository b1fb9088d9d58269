package repair

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// The two greatest values of [nearest.insertions].
const (
	hopeless       = math.MaxUint16 // no correct run is possible
	mostInsertions = hopeless - 1   // as many insertions, or more
)

// hasHope reports whether a correct run is possible from a product state.
func (x *nearest) hasHope(s lts.State) bool { return x.insertions[s] != hopeless }

// findInsertions finds, for each product state, a lower bound of the number of steps that a correct
// run must insert from there to an ending: the smallest number of steps whose labels the other run
// lacks. All other steps could be steps that both runs take. The search visits the product states
// backwards from the endings; those with fewer insertions come first. It raises an error if ctx is
// done. Cost O(S + T).
func (x *nearest) findInsertions(ctx context.Context) {
	abort.On(x.m.FindPredecessors(ctx))
	x.insertions = make([]uint16, x.m.NumStates())
	var open []lts.State // the states with the present number of insertions whose sources are to be visited
	for s := range lts.State(x.m.NumStates()) {
		x.insertions[s] = hopeless
		if x.isEnding(s) {
			x.insertions[s] = 0
			open = append(open, s)
		}
	}
	isShared := x.sharedLabels()
	visited := 0
	insertions := uint16(0)
	for len(open) > 0 {
		oneMore := min(insertions+1, mostInsertions)
		var later []lts.State // the states with one more insertion
		for len(open) > 0 {
			abort.IfDone(ctx, visited)
			visited++
			to := open[len(open)-1]
			open = open[:len(open)-1]
			if x.insertions[to] < insertions {
				continue // it has been visited with fewer insertions
			}
			labels, sources := x.m.Predecessors().In(to)
			for i, from := range sources {
				l := labels.At(i)
				if x.insertions[from] <= insertions || !x.isAllowed(from, l, to) {
					continue
				}
				switch {
				case isShared[l]:
					x.insertions[from] = insertions
					open = append(open, from)
				case x.insertions[from] > oneMore:
					x.insertions[from] = oneMore
					later = append(later, from)
				}
			}
		}
		open = later
		insertions = oneMore
	}
}

// sharedLabels reports, for each label, whether the other run has a step with this label.
func (x *nearest) sharedLabels() []bool {
	alphabet := x.m.Alphabet()
	isOfOther := map[lts.Label]bool{}
	for _, step := range x.steps {
		isOfOther[alphabet.Plain(step.Label)] = true
	}
	isShared := make([]bool, alphabet.Len())
	for l := range lts.Label(alphabet.Len()) {
		isShared[l] = isOfOther[alphabet.Plain(l)]
	}
	return isShared
}
