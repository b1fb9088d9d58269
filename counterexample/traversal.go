package counterexample

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/product"
)

// heed ends a search if ctx is done; it asks ctx for every 4,096th i alone.
func heed[N ~int | ~uint32](ctx context.Context, i N) {
	if i&(1<<12-1) == 0 {
		abort.On(ctx.Err())
	}
}

// treeNode is a node of a breadth-first search: a state, with the transition to it from the node
// with the number parent. Node 0 is where the search begins.
type treeNode struct {
	state  lts.State
	label  lts.Label
	parent uint32
}

// treePath returns the transitions from node 0 to node i.
func treePath(i int, node func(int) *treeNode) []lts.Transition {
	var steps []lts.Transition
	for i != 0 {
		at := node(i)
		i = int(at.parent)
		steps = append(steps, lts.Transition{From: node(i).state, Label: at.label, To: at.state})
	}
	slices.Reverse(steps)
	return steps
}

// lower replaces transitions of a product by those of the model; u is nil if they are the model's.
func lower(u *product.Unfolding, steps []lts.Transition) []lts.Transition {
	if u == nil {
		return steps
	}
	for i, t := range steps {
		steps[i] = lts.Transition{From: u.At(t.From).State, Label: t.Label, To: u.At(t.To).State}
	}
	return steps
}

// mostMeetings is the number of searches at once: the bits of a word.
const mostMeetings = 64

// meetings are up to 64 searches at once, breadth first; each has a bit in the sets of searches that
// have visited a node (M. Then et al., The More the Merrier: Efficient Multi-Source Graph Traversal,
// VLDB 2015). If the searches reach most nodes at about the same length, all together cost little
// more than one. All bits are 0 between calls of search.
type meetings[P lts.State | uint64] struct {
	// visited[p] are the bits of the searches that have visited p; now of those that visited it first
	// in the last step, next of those that visit it first in this step.
	visited, now, next []uint64
	front, ahead       []P // the nodes with bits in now, and in next
	all                []P // the nodes with bits in visited
	// departures describe the searches, ascending by after; lengths are the results of the
	// searches.
	departures []departure[P]
	lengths    [mostMeetings]int
}

func newMeetings[P lts.State | uint64](nodes int) meetings[P] {
	return meetings[P]{visited: make([]uint64, nodes), now: make([]uint64, nodes), next: make([]uint64, nodes)}
}

// departure describes a search: the node where it begins, which does not count as visited, the node
// that it must reach, and the length of the path to its beginning.
type departure[P lts.State | uint64] struct {
	begin, end P
	after      int
}

// search finds for each departure the length of a shortest path through its beginning to its end;
// most+1 if that length exceeds most. Each search starts once paths are as long as the one to its
// beginning, so searches that begin near each other share their steps. extend must call meet for
// the neighbours of a node, with the bits of the searches that have reached the node in the last
// step.
func (x *meetings[P]) search(most int, extend func(p P, bits uint64) error) (err error) {
	all := x.departures
	x.front, x.all = x.front[:0], x.all[:0]
	for i := range all {
		x.lengths[i] = most + 1
	}
	live, begun := uint64(0), 0
	for length := all[0].after + 1; length <= most && err == nil; length++ {
		for ; begun < len(all) && all[begun].after < length; begun++ {
			if x.now[all[begun].begin] == 0 {
				x.front = append(x.front, all[begun].begin)
			}
			x.now[all[begun].begin] |= 1 << begun
			live |= 1 << begun
		}
		if len(x.front) == 0 {
			if begun == len(all) {
				break
			}
			continue
		}
		x.ahead = x.ahead[:0]
		for _, p := range x.front {
			bits := x.now[p] & live
			x.now[p] = 0
			if bits == 0 {
				continue
			}
			if e := extend(p, bits); e != nil {
				err = e
			}
		}
		x.front, x.ahead = x.ahead, x.front
		x.now, x.next = x.next, x.now
		for i, d := range all[:begun] {
			if live>>i&1 != 0 && x.visited[d.end]>>i&1 != 0 {
				x.lengths[i] = length
				live &^= 1 << i
			}
		}
	}
	for _, p := range x.front {
		x.now[p] = 0
	}
	for _, p := range x.all {
		x.visited[p] = 0
	}
	return err
}

// meet records the first visits to a node by the searches with fresh bits.
func (x *meetings[P]) meet(p P, fresh uint64) {
	if x.visited[p] == 0 {
		x.all = append(x.all, p)
	}
	if x.next[p] == 0 {
		x.ahead = append(x.ahead, p)
	}
	x.visited[p] |= fresh
	x.next[p] |= fresh
}
