package main

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// graph is a model without its labels, in arrays.
type graph struct {
	// first has, for each state, the index of its first target; and at the end, the number of
	// all targets.
	first   []uint32
	targets []lts.State
}

// graphOf returns the transitions of a model without their labels.
func graphOf(m *lts.LTS) graph {
	g := graph{
		first:   make([]uint32, 1, m.NumStates()+1),
		targets: make([]lts.State, 0, m.NumTransitions()),
	}
	for s := range m.NumStates() {
		_, targets := m.Out(lts.State(s))
		g.targets = append(g.targets, targets...)
		g.first = append(g.first, uint32(len(g.targets)))
	}
	return g
}

// components returns only the number of the strongly connected components that a state reaches: it
// is the yardstick of the engines. The algorithm is PEA_FIND_SCC3 of D. J. Pearce, "A
// space-efficient algorithm for finding strongly connected components", Information Processing
// Letters 116 (2016), with 12 bytes a state.
func (g graph) components(root lts.State) (found int) {
	n := len(g.first) - 1
	const (
		unvisited = 0
		done      = ^uint32(0)
		noRoot    = 1 << 31 // a bit of a cursor: its state is not the root of a component
	)
	// index has the numbers of states in the order of visits, from 1; a state is lowered to the least
	// index that it reaches. The left end of the stack has the path; the right end, from waiting on, has
	// the states that wait for the root of their component. cursor has, for each state on the path, the
	// index of its next target.
	index := make([]uint32, n)
	stack := make([]lts.State, n)
	cursor := make([]uint32, n)
	depth := 0 // the length of the path
	waiting := n
	next := uint32(1)
	enter := func(s lts.State) {
		index[s] = next
		stack[depth] = s
		cursor[depth] = g.first[s]
		next++
		depth++
	}
	enter(root)
	for depth > 0 {
		s := stack[depth-1]
		mark := cursor[depth-1] & noRoot
		at := cursor[depth-1] &^ noRoot
		end := g.first[s+1]
		low := index[s]
		for ; at < end && index[g.targets[at]] != unvisited; at++ {
			reached := index[g.targets[at]]
			if reached < low {
				low = reached
				mark = noRoot
			}
		}
		index[s] = low
		if at < end {
			cursor[depth-1] = at | mark
			enter(g.targets[at])
			continue
		}
		depth--
		if mark == noRoot {
			waiting--
			stack[waiting] = s
			continue
		}
		found++
		index[s] = done
		next--
		for ; waiting < n && index[stack[waiting]] >= low; waiting++ {
			index[stack[waiting]] = done
			next--
		}
	}
	return found
}

// plainComponents measures components on the model of a task, and compares its result with that of
// an engine.
func plainComponents(ctx context.Context, t task) (sample, error) {
	m, err := t.model(ctx)
	if err != nil {
		return sample{}, err
	}
	g := graphOf(m)
	found := 0
	s, err := timed(func() error {
		found = g.components(m.Initial())
		return nil
	})
	if err != nil {
		return s, err
	}
	c, err := scc.Find(ctx, m, "iterative")
	if err == nil && c.Len() != found {
		err = fmt.Errorf("%d components instead of %d", found, c.Len())
	}
	return s, err
}
