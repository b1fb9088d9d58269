package repair

import (
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
)

// deadEnds returns the states from which every path leads to a deadlock among the candidates, in the
// model without the removed transitions. The candidates are the sources of removed transitions, and
// deadlocks of m. The predecessors of m must have been found. Cost O(S + T) at worst; only the
// transitions to dead ends are visited.
func deadEnds(
	m *lts.LTS,
	candidates []lts.State,
	isRemoved func(lts.Transition) bool,
) bitset.Set[lts.State] {
	ends := bitset.New[lts.State](m.NumStates())
	outgoing := make(map[lts.State]int) // per state: the transitions that are not removed and lead to no dead end
	var open []lts.State
	for _, s := range candidates {
		if ends.Has(s) {
			continue
		}
		outgoing[s] = countRemaining(m, s, isRemoved)
		if outgoing[s] == 0 {
			ends.Add(s)
			open = append(open, s)
		}
	}
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		labels, sources := m.Predecessors().In(s)
		for k, from := range sources {
			if ends.Has(from) || isRemoved(lts.Transition{From: from, Label: labels.At(k), To: s}) {
				continue
			}
			if _, isCounted := outgoing[from]; !isCounted { // no candidate, so none of its transitions is removed
				_, targets := m.Out(from)
				outgoing[from] = len(targets)
			}
			outgoing[from]--
			if outgoing[from] == 0 {
				ends.Add(from)
				open = append(open, from)
			}
		}
	}
	return ends
}

// countRemaining returns the number of transitions from a state that are not removed.
func countRemaining(m *lts.LTS, s lts.State, isRemoved func(lts.Transition) bool) int {
	count := 0
	labels, targets := m.Out(s)
	for i, to := range targets {
		if !isRemoved(lts.Transition{From: s, Label: labels.At(i), To: to}) {
			count++
		}
	}
	return count
}
