package counterexample

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// boundedSearch finds shortest cycles through given states, breadth first and within a radius.
type boundedSearch struct {
	ctx context.Context
	m   *lts.LTS
	c   *scc.Components // nil while the components are not known
	p   *property.Chain
	// componentOf[s] is the number of the component of s where loops are searched for, 0 for a
	// state on no loop. It is nil if the components of the field c are used instead, or if no
	// components are known.
	componentOf []uint32

	// before are the predecessor rows; nil until a search goes backwards.
	before *lts.Predecessors

	// seen[s] is the number of the last search that visited s, so that no search needs to clear it.
	seen   []uint32
	search uint32
	nodes  paged.List[treeNode]
	// finished[m] are the states from which cycles without labels of step m+1 have been searched
	// for.
	finished []bitset.Set[lts.State]
	work     int // the number of transitions that all searches have visited
	// fromHeads reports whether, since work was begun, all searches for loops start from heads.
	fromHeads bool
	begun     int
	visits    int64 // the number of states where searches for loops began
	// most is the number of visits at which every search ends; 0 for no limit.
	most int64
	// limited reports whether the current search fails once it has cost too much.
	limited bool
	// cut reports whether a search reached its radius before it had visited all states.
	cut bool
	// backwards reports whether the last search went against the direction of
	// transitions.
	backwards bool
}

// errSpent is the error of a search for a cycle that has cost as much as finding the states on
// cycles would.
var errSpent = errors.New("counterexample: a search for a cycle was given up")

// errLimit reports that a search reached its limit of visits.
var errLimit = errors.New("counterexample: the search has come to its limit")

// limit allows all further searches together this many visits.
func (b *boundedSearch) limit(visits int64) { b.most = b.visits + visits }

// spent reports whether the searches have cost about as much as it would cost to find the
// components or, once these are known, the states on cycles. So the total cost is never much more
// than the cost of the better choice.
func (b *boundedSearch) spent() bool {
	switch {
	case b.c != nil:
	case b.fromHeads:
		return b.work-b.begun > b.m.NumTransitions()+16
	default:
		return b.work > b.m.NumTransitions()/4+16
	}
	return b.work > 3*b.m.NumTransitions()+16
}

func newBoundedSearch(ctx context.Context, m *lts.LTS, p *property.Chain) *boundedSearch {
	b := &boundedSearch{ctx: ctx, m: m, p: p}
	b.seen = make([]uint32, m.NumStates())
	b.finished = make([]bitset.Set[lts.State], p.Len())
	return b
}

// shortestCycle returns the transitions of a shortest cycle through start without labels of step
// m+1, with at most radius transitions, and without states that an earlier call with the same m
// started from; nil if there is none. States outside the set on lie on no such cycle. If on is nil,
// the search fails with errSpent once it has cost too much.
func (b *boundedSearch) shortestCycle(start lts.State, m, radius int, on bitset.Set[lts.State]) []lts.Transition {
	finished := b.finish(start, m)
	b.limited = on == nil
	defer func() { b.limited = false }()
	return b.shortestPath(start, start, m, radius, func(t lts.State) bool {
		return !finished.Has(t) && b.together(start, t) && (on == nil || on.Has(t))
	})
}

// firstCycle returns the first cycle, in the order of the model, through start without labels of
// step m+1 and with length transitions, the length of a shortest one.
func (b *boundedSearch) firstCycle(start lts.State, m, length int, on bitset.Set[lts.State]) []lts.Transition {
	b.most = 0
	return b.forwards(start, start, m, length, func(t lts.State) bool {
		return b.together(start, t) && (on == nil || on.Has(t))
	})
}

// together reports whether a loop may pass both states: they are in one component, or the
// components are not known.
func (b *boundedSearch) together(s, t lts.State) bool {
	if b.c != nil {
		return b.c.Same(s, t)
	}
	return b.componentOf == nil || b.componentOf[s] == b.componentOf[t] && b.componentOf[s] != 0
}

// shortestPath returns the transitions of a shortest path from start to end, with at least one and
// at most radius transitions, without labels of step m+1, and with inner states for which passes
// holds; nil if there is none.
//
// In the long run, backward searches are far cheaper: they soon come to states near the initial
// one, which are finished, while forward searches visit all states that the start reaches (on a
// ring of S states, S² instead of S transitions). But they need the predecessor rows, so the first
// searches, which may be the only ones, go forwards.
func (b *boundedSearch) shortestPath(start, end lts.State, m, radius int, passes func(lts.State) bool) []lts.Transition {
	if b.backwards = b.spent(); !b.backwards {
		return b.forwards(start, end, m, radius, passes)
	}
	b.findPredecessors()
	var path []lts.Transition
	for i := b.breadthFirst(b.before.In, end, start, m, radius, passes); i != 0; {
		at := b.nodes.At(i)
		i = int(at.parent)
		path = append(path, lts.Transition{From: at.state, Label: at.label, To: b.nodes.At(i).state})
	}
	return path
}

// findPredecessors finds the predecessor rows, unless they are known.
func (b *boundedSearch) findPredecessors() {
	if b.before == nil {
		abort.On(b.m.FindPredecessors(b.ctx))
		b.before = b.m.Predecessors()
	}
}

// forwards is shortestPath in the direction of transitions.
func (b *boundedSearch) forwards(start, end lts.State, m, radius int, passes func(lts.State) bool) []lts.Transition {
	return treePath(b.breadthFirst(b.m.Out, start, end, m, radius, passes), b.nodes.At)
}

// breadthFirst searches for a path by neighbours, breadth first, through states for which passes
// holds. It returns the number of the node at the end of the path; 0 if there is no path.
func (b *boundedSearch) breadthFirst(neighbours func(lts.State) (lts.Labels, []lts.State), from, to lts.State, m, radius int,
	passes func(lts.State) bool) (node int) {
	b.begin(from)
	first := 0
	for length := 1; first < b.nodes.Len() && length <= radius; length++ {
		end := b.nodes.Len()
		for i := first; i < end; i++ {
			labels, states := neighbours(b.nodes.At(i).state)
			if b.visits++; b.most > 0 && b.visits > b.most {
				abort.On(errLimit)
			}
			if b.work += labels.Len() + 1; b.work&(1<<16-1) <= labels.Len() {
				abort.On(b.ctx.Err())
			}
			if b.limited && b.spent() {
				abort.On(errSpent)
			}
			for j, t := range states {
				if b.p.Does(labels.At(j), m+1) {
					continue
				}
				if t == to {
					b.nodes.Append(treeNode{t, labels.At(j), uint32(i)})
					return b.nodes.Len() - 1
				}
				if b.seen[t] == b.search {
					continue
				}
				b.seen[t] = b.search
				if passes(t) {
					b.nodes.Append(treeNode{t, labels.At(j), uint32(i)})
				}
			}
		}
		first = end
	}
	if first < b.nodes.Len() {
		b.cut = true
	}
	return 0
}

// finish adds start to the set finished[m], and returns the set.
func (b *boundedSearch) finish(start lts.State, m int) bitset.Set[lts.State] {
	if b.finished[m] == nil {
		b.finished[m] = bitset.New[lts.State](b.m.NumStates())
	}
	b.finished[m].Add(start)
	return b.finished[m]
}

// forget makes all states unfinished, for searches of a larger radius.
func (b *boundedSearch) forget() {
	for _, set := range b.finished {
		clear(set)
	}
}

// begin makes start the only node of a new search.
func (b *boundedSearch) begin(start lts.State) {
	if b.search++; b.search == 0 {
		clear(b.seen)
		b.search = 1
	}
	b.nodes.Truncate(0)
	b.nodes.Append(treeNode{state: start})
	b.seen[start] = b.search
}
