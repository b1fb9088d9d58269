package counterexample

import (
	"context"
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
}

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
// on, where it is not nil, lie on no such cycle.
func (b *ball) shortestCycle(start lts.State, m, radius int, on []bool) ([]lts.Transition, error) {
	finished := b.finish(start, m)
	return b.breadthFirst(start, start, m, radius, func(t lts.State) bool {
		return !finished[t] && b.c.Same(start, t) && (on == nil || on[t])
	})
}

// shortestPath returns the transitions of a shortest path from start to end, two
// different states, that has no label of step m+1, at most radius transitions,
// and only states that are the same as start by the given measure; nil where
// there is none.
func (b *ball) shortestPath(start, end lts.State, m, radius int, same func(s, t lts.State) bool) ([]lts.Transition, error) {
	return b.breadthFirst(start, end, m, radius, func(t lts.State) bool { return same(start, t) })
}

// breadthFirst goes breadth first from start to end, through states that pass.
func (b *ball) breadthFirst(start, end lts.State, m, radius int, passes func(lts.State) bool) ([]lts.Transition, error) {
	b.begin(start)
	for first, length := 0, 1; first < len(b.nodes) && length <= radius; length++ {
		last := len(b.nodes)
		for i := first; i < last; i++ {
			labels, targets := b.m.Out(b.nodes[i].state)
			if b.work += len(labels) + 1; b.work&(1<<16-1) <= len(labels) && b.ctx.Err() != nil {
				return nil, b.ctx.Err()
			}
			for j, t := range targets {
				if b.p.Does(labels[j], m+1) {
					continue
				}
				if t == end {
					return b.path(i, labels[j], end), nil
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
		first = last
	}
	return nil, nil
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

// path returns the transitions from the start to node i, and from there by last
// to the end.
func (b *ball) path(i int, last lts.Label, end lts.State) []lts.Transition {
	steps := []lts.Transition{{From: b.nodes[i].state, Label: last, To: end}}
	for i != 0 {
		at := b.nodes[i]
		before := b.nodes[at.parent]
		steps = append(steps, lts.Transition{From: before.state, Label: at.label, To: at.state})
		i = int(at.parent)
	}
	slices.Reverse(steps)
	return steps
}
