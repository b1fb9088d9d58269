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
		done    = ^uint32(0)
		lowered = 1 << 31 // set in an entry of place if the state is known to be no root
	)
	// The left end of the stack has the path; the right end has the states that wait for the root
	// of their component. The indices are those of the next targets of the states on the path.
	index, stack, place := make([]uint32, n), make([]lts.State, n), make([]uint32, n)
	index[root], stack[0], place[0] = 1, root, g.first[root]
	depth, waiting, next := 1, n, uint32(2)
	for depth > 0 {
		s, mark := stack[depth-1], place[depth-1]&lowered
		low, at, end := index[s], place[depth-1]&^lowered, g.first[s+1]
		for ; at < end; at++ {
			if reached := index[g.targets[at]]; reached == 0 {
				break
			} else if reached < low {
				low, mark = reached, lowered
			}
		}
		index[s] = low
		if at < end {
			place[depth-1] = at | mark
			to := g.targets[at]
			index[to], stack[depth], place[depth] = next, to, g.first[to]
			next++
			depth++
			continue
		}
		depth--
		if mark == lowered {
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
	g, found := graphOf(m), 0
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
