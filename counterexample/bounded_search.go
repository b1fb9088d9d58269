package counterexample

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// boundedSearch finds shortest cycles through given states, breadth first and within a
// radius.
type boundedSearch struct {
	ctx context.Context
	m   *lts.LTS
	c   *scc.Components // nil while they are not known
	p   *property.Chain
	// part[s] is the number of the component of s, without c, in what loops are found in; 0 for
	// states that are on none. It is nil while that is not known.
	part []uint32

	// before holds the predecessor rows, nil until a search goes backwards.
	before *lts.Predecessors

	// seen[s] is the number of the last search that met s: no search needs to
	// clear it.
	seen   []uint32
	search uint32
	nodes  paged.List[boundedNode]
	// finished[m] marks the states whose cycles at m have been looked for.
	finished []bitset.Set[lts.State]
	work     int // transitions looked at, by all searches
	// fromHeads reports whether loops are looked for from heads only, since work was begun.
	fromHeads bool
	begun     int
	visits    int64 // states from which they were looked at
	// most is the number of visits at which every search ends, 0 for none.
	most int64
	// limited is set during a search that is given up when too much is spent.
	limited bool
	// cut reports whether a search has ended at its radius, with states left.
	cut bool
	// backwards reports whether the last search went against the direction of
	// transitions.
	backwards bool
}

// errSpent reports that a search without knowledge of the states on cycles was given
// up, because it became as dear as that knowledge.
var errSpent = errors.New("counterexample: a search for a cycle was given up")

// errLimit reports that a search has come to the limit of visits.
var errLimit = errors.New("counterexample: the search has come to its limit")

// limit lets all further searches make this many visits.
func (b *boundedSearch) limit(visits int64) { b.most = b.visits + visits }

// spent reports whether the searches have cost what may be spent without more
// knowledge, of the components first and then of the states on cycles: about what
// it costs, so that neither is ever much dearer than the better choice.
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

type boundedNode struct {
	state  lts.State
	label  lts.Label
	parent uint32
}

func newBoundedSearch(ctx context.Context, m *lts.LTS, p *property.Chain) *boundedSearch {
	b := &boundedSearch{ctx: ctx, m: m, p: p}
	b.seen = make([]uint32, m.NumStates())
	b.finished = make([]bitset.Set[lts.State], p.Len())
	return b
}

// shortestCycle returns the transitions of a shortest cycle through start that
// has no label of step m+1, at most radius transitions, and no state that an
// earlier call at the same m started from; nil if there is none. States off
// on lie on no such cycle; where on is nil, the search fails with errSpent when it
// has gone on for too long.
func (b *boundedSearch) shortestCycle(start lts.State, m, radius int, on bitset.Set[lts.State]) ([]lts.Transition, error) {
	finished := b.finish(start, m)
	b.limited = on == nil
	defer func() { b.limited = false }()
	return b.shortestPath(start, start, m, radius, func(t lts.State) bool {
		return !finished.Has(t) && b.together(start, t) && (on == nil || on.Has(t))
	})
}

// firstCycle returns the first of the shortest cycles through start that have no
// label of step m+1, in the order of the model; they have length transitions.
func (b *boundedSearch) firstCycle(start lts.State, m, length int, on bitset.Set[lts.State]) ([]lts.Transition, error) {
	b.most = 0
	return b.forwards(start, start, m, length, func(t lts.State) bool {
		return b.together(start, t) && (on == nil || on.Has(t))
	})
}

// together reports whether a loop may pass both states: whether they are in one component,
// where that is known.
func (b *boundedSearch) together(s, t lts.State) bool {
	if b.c != nil {
		return b.c.Same(s, t)
	}
	return b.part == nil || b.part[s] == b.part[t] && b.part[s] != 0
}

// shortestPath returns the transitions of a shortest path of at least one
// transition from start to end that has no label of step m+1, at most radius
// transitions, and between its ends only states that pass; nil if there is
// none.
//
// Searches against the direction of transitions are far cheaper in the long run:
// they soon meet the states near the initial one, which are finished, where
// searches in their direction go through all that lies beyond (on a ring of S
// states, S² against S transitions). But they need the predecessor rows, so that
// the first ones, which may be all, go forwards.
func (b *boundedSearch) shortestPath(start, end lts.State, m, radius int, passes func(lts.State) bool) ([]lts.Transition, error) {
	if b.backwards = b.spent(); !b.backwards {
		return b.forwards(start, end, m, radius, passes)
	}
	if err := b.findPredecessors(); err != nil {
		return nil, err
	}
	i, first, err := b.breadthFirst(b.before.In, end, start, m, radius, passes)
	if err != nil || i < 0 {
		return nil, err
	}
	path := []lts.Transition{{From: start, Label: first, To: b.nodes.At(i).state}}
	for i != 0 {
		at := b.nodes.At(i)
		i = int(at.parent)
		path = append(path, lts.Transition{From: at.state, Label: at.label, To: b.nodes.At(i).state})
	}
	return path, nil
}

// findPredecessors sees to it that there are predecessor rows.
func (b *boundedSearch) findPredecessors() error {
	if b.before != nil {
		return nil
	}
	if err := b.m.FindPredecessors(b.ctx); err != nil {
		return err
	}
	b.before = b.m.Predecessors()
	return nil
}

// forwards is shortestPath in the direction of transitions.
func (b *boundedSearch) forwards(start, end lts.State, m, radius int, passes func(lts.State) bool) ([]lts.Transition, error) {
	i, last, err := b.breadthFirst(b.m.Out, start, end, m, radius, passes)
	if err != nil || i < 0 {
		return nil, err
	}
	return append(b.path(i), lts.Transition{From: b.nodes.At(i).state, Label: last, To: end}), nil
}

// breadthFirst goes along neighbours, breadth first, from one state to the other,
// through states that pass. It returns the number of the node from which the
// last step was made, negative where there is no way, and the label of that step.
func (b *boundedSearch) breadthFirst(neighbours func(lts.State) (lts.Labels, []lts.State), from, to lts.State, m, radius int,
	passes func(lts.State) bool) (node int, last lts.Label, err error) {
	b.begin(from)
	first := 0
	for length := 1; first < b.nodes.Len() && length <= radius; length++ {
		end := b.nodes.Len()
		for i := first; i < end; i++ {
			labels, states := neighbours(b.nodes.At(i).state)
			if b.visits++; b.most > 0 && b.visits > b.most {
				return -1, 0, errLimit
			}
			if b.work += labels.Len() + 1; b.work&(1<<16-1) <= labels.Len() && b.ctx.Err() != nil {
				return -1, 0, b.ctx.Err()
			}
			if b.limited && b.spent() {
				return -1, 0, errSpent
			}
			for j, t := range states {
				if b.p.Does(labels.At(j), m+1) {
					continue
				}
				if t == to {
					return i, labels.At(j), nil
				}
				if b.seen[t] == b.search {
					continue
				}
				b.seen[t] = b.search
				if passes(t) {
					b.nodes.Append(boundedNode{t, labels.At(j), uint32(i)})
				}
			}
		}
		first = end
	}
	if first < b.nodes.Len() {
		b.cut = true
	}
	return -1, 0, nil
}

// finish marks start as finished at m, and returns all that are so.
func (b *boundedSearch) finish(start lts.State, m int) bitset.Set[lts.State] {
	if b.finished[m] == nil {
		b.finished[m] = bitset.New[lts.State](b.m.NumStates())
	}
	b.finished[m].Add(start)
	return b.finished[m]
}

// forget makes no states finished, for searches of a larger radius.
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
	b.nodes.Append(boundedNode{state: start})
	b.seen[start] = b.search
}

// path returns the transitions from the first node to node i.
func (b *boundedSearch) path(i int) []lts.Transition {
	var steps []lts.Transition
	for i != 0 {
		at := b.nodes.At(i)
		before := b.nodes.At(int(at.parent))
		steps = append(steps, lts.Transition{From: before.state, Label: at.label, To: at.state})
		i = int(at.parent)
	}
	slices.Reverse(steps)
	return steps
}
