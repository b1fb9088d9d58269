package assume

import (
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
)

// roundLabels returns the labels of a closed walk in a violating set. No label does the step, and
// no label is hidden. The walk begins in the first state of the set, and continues to the nearest
// missing colour of those that must recur, until it has all of them. If no colour must recur, the
// walk is a shortest cycle.
func (v *source) roundLabels(set []lts.State, pair int, hides func(lts.Label) bool) []int {
	isInside := v.within(set, pair, hides)
	home := set[0]
	current := home
	missing := v.recurring(pair)
	isWanted := func(from lts.State, l lts.Label, to lts.State) bool {
		hasMissingColour := v.marks(from, l, pair)&missing != 0
		closes := missing == 0 && to == home
		return hasMissingColour || closes
	}
	labels := []int{}
	isClosed := false
	for !isClosed {
		path := v.shortestWay(current, isInside, isWanted)
		if path == nil {
			return []int{}
		}
		for _, t := range path {
			missing &^= v.marks(t.From, t.Label, pair)
			labels = append(labels, int(t.Label))
			current = t.To
		}
		isClosed = missing == 0 && current == home
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// wayNode is a state that a search for a shortest path has reached.
type wayNode struct {
	state  lts.State
	before uint32 // the number of the previous node; for the first node, its own number
	label  lts.Label
}

// shortestWay returns a shortest path from a state by transitions inside a set, up to and including
// a wanted transition; nil if there is none.
func (v *source) shortestWay(
	from lts.State,
	isInside transitionFilter,
	isWanted transitionFilter,
) []lts.Transition {
	visited := bitset.New[lts.State](v.m.NumStates())
	visited.Add(from)
	queue := []wayNode{{state: from}}
	for next := 0; next < len(queue); next++ {
		s := queue[next].state
		labels, targets := v.m.Out(s)
		for i, to := range targets {
			l := labels.At(i)
			if !isInside(s, l, to) {
				continue
			}
			if isWanted(s, l, to) {
				last := lts.Transition{From: s, Label: l, To: to}
				return append(pathTo(queue, next), last)
			}
			if !visited.Has(to) {
				visited.Add(to)
				queue = append(queue, wayNode{to, uint32(next), l})
			}
		}
	}
	return nil
}

// pathTo returns the transitions from the first node of a search to another node.
func pathTo(nodes []wayNode, end int) []lts.Transition {
	var path []lts.Transition
	for k := end; k > 0; k = int(nodes[k].before) {
		path = append(path, lts.Transition{
			From:  nodes[nodes[k].before].state,
			Label: nodes[k].label,
			To:    nodes[k].state,
		})
	}
	slices.Reverse(path)
	return path
}
