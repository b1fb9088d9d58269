package counterexample

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
)

// ball finds shortest cycles through given states, breadth first and within a
// radius.
type ball struct {
	ctx context.Context
	m   *lts.LTS
	c   *enrich.Components
	p   *actl.Property

	// seen[s] is the number of the last search that met s: no search needs to
	// clear it.
	seen   []uint32
	search uint32
	nodes  []ballNode
	// finished[m] marks the states whose cycles at m have been looked for.
	finished [][]bool
	work     int // transitions looked at, by all searches
	visits   int // states from which they were looked at
	// limited is set during a search that is given up when too much is spent.
	limited bool
}

// errSpent tells that a search without knowledge of the states on cycles was given
// up, because it became as dear as that knowledge.
var errSpent = errors.New("counterexample: a search for a cycle was given up")

// spent tells whether the searches have cost what may be spent without that
// knowledge.
func (b *ball) spent() bool { return b.work > b.m.NumTransitions()/4+16 }

type ballNode struct {
	state  lts.State
	label  lts.Label
	parent uint32
}

func newBall(ctx context.Context, c *enrich.Components, p *actl.Property) *ball {
	b := &ball{ctx: ctx, m: c.LTS(), c: c, p: p}
	b.seen = make([]uint32, b.m.NumStates())
	b.finished = make([][]bool, p.Len())
	return b
}

// shortestCycle returns the transitions of a shortest cycle through start that
// has no label of step m+1, at most radius transitions, and no state that an
// earlier call at the same m started from; nil where there is none. States off
// on lie on no such cycle; where on is nil, the search fails with errSpent when it
// has gone on for too long.
func (b *ball) shortestCycle(start lts.State, m, radius int, on []bool) ([]lts.Transition, error) {
	finished := b.finish(start, m)
	b.limited = on == nil
	defer func() { b.limited = false }()
	return b.shortestPath(start, start, m, radius, func(t lts.State) bool {
		return !finished[t] && b.c.Same(start, t) && (on == nil || on[t])
	})
}

// shortestPath returns the transitions of a shortest path of at least one
// transition from start to end that has no label of step m+1, at most radius
// transitions, and between its ends only states that pass; nil where there is
// none.
//
// Searches against the direction of transitions are far cheaper in the long run:
// they soon meet the states near the initial one, which are finished, where
// searches in their direction go through all that lies beyond (on a ring of S
// states, S² against S transitions). But they need the predecessor rows, so that
// the first ones, which may be all, go forwards.
func (b *ball) shortestPath(start, end lts.State, m, radius int, passes func(lts.State) bool) ([]lts.Transition, error) {
	if !b.spent() {
		i, last, err := b.breadthFirst(b.m.Out, start, end, m, radius, passes)
		if err != nil || i < 0 {
			return nil, err
		}
		path := append(b.path(i), lts.Transition{From: b.nodes[i].state, Label: last, To: end})
		return path, nil
	}
	i, first, err := b.breadthFirst(b.m.Predecessors().In, end, start, m, radius, passes)
	if err != nil || i < 0 {
		return nil, err
	}
	path := []lts.Transition{{From: start, Label: first, To: b.nodes[i].state}}
	for i != 0 {
		at := b.nodes[i]
		i = int(at.parent)
		path = append(path, lts.Transition{From: at.state, Label: at.label, To: b.nodes[i].state})
	}
	return path, nil
}

// breadthFirst goes along neighbours, breadth first, from one state to the other,
// through states that pass. It returns the number of the node from which the
// last step was made, negative where there is no way, and the label of that step.
func (b *ball) breadthFirst(neighbours func(lts.State) ([]lts.Label, []lts.State), from, to lts.State, m, radius int,
	passes func(lts.State) bool) (node int, last lts.Label, err error) {
	b.begin(from)
	for first, length := 0, 1; first < len(b.nodes) && length <= radius; length++ {
		end := len(b.nodes)
		for i := first; i < end; i++ {
			labels, states := neighbours(b.nodes[i].state)
			b.visits++
			if b.work += len(labels) + 1; b.work&(1<<16-1) <= len(labels) && b.ctx.Err() != nil {
				return -1, 0, b.ctx.Err()
			}
			if b.limited && b.spent() {
				return -1, 0, errSpent
			}
			for j, t := range states {
				if b.p.Does(labels[j], m+1) {
					continue
				}
				if t == to {
					return i, labels[j], nil
				}
				if b.seen[t] == b.search {
					continue
				}
				b.seen[t] = b.search
				if passes(t) {
					b.nodes = append(b.nodes, ballNode{t, labels[j], uint32(i)})
				}
			}
		}
		first = end
	}
	return -1, 0, nil
}

// finish marks start as finished at m, and returns all that are so.
func (b *ball) finish(start lts.State, m int) []bool {
	if b.finished[m] == nil {
		b.finished[m] = make([]bool, b.m.NumStates())
	}
	b.finished[m][start] = true
	return b.finished[m]
}

// begin makes start the only node of a new search.
func (b *ball) begin(start lts.State) {
	if b.search++; b.search == 0 {
		clear(b.seen)
		b.search = 1
	}
	b.nodes = append(b.nodes[:0], ballNode{state: start})
	b.seen[start] = b.search
}

// path returns the transitions from the first node to node i.
func (b *ball) path(i int) []lts.Transition {
	var steps []lts.Transition
	for i != 0 {
		at := b.nodes[i]
		before := b.nodes[at.parent]
		steps = append(steps, lts.Transition{From: before.state, Label: at.label, To: at.state})
		i = int(at.parent)
	}
	slices.Reverse(steps)
	return steps
}
