package repair

import (
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
)

// deadEnds returns the states from which every path leads to a closed state: one of candidates from
// which no transition is left when some are gone. The candidates are deadlocks, or states that a
// gone transition leaves. The predecessors of m must have been found. Cost O(S + T) at worst; only
// the transitions to dead ends are visited.
func deadEnds(
	m *lts.LTS,
	candidates []lts.State,
	isGone func(lts.Transition) bool,
) bitset.Set[lts.State] {
	ends := bitset.New[lts.State](m.NumStates())
	left := make(map[lts.State]int) // the numbers of transitions that are left
	var open []lts.State
	for _, s := range candidates {
		if ends.Has(s) {
			continue
		}
		left[s] = countLeft(m, s, isGone)
		if left[s] == 0 {
			ends.Add(s)
			open = append(open, s)
		}
	}
	for len(open) > 0 {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		labels, sources := m.Predecessors().In(s)
		for k, from := range sources {
			if ends.Has(from) || isGone(lts.Transition{From: from, Label: labels.At(k), To: s}) {
				continue
			}
			if _, known := left[from]; !known {
				_, targets := m.Out(from)
				left[from] = len(targets)
			}
			left[from]--
			if left[from] == 0 {
				ends.Add(from)
				open = append(open, from)
			}
		}
	}
	return ends
}

// countLeft returns the number of transitions from a state that are not gone.
func countLeft(m *lts.LTS, s lts.State, isGone func(lts.Transition) bool) int {
	count := 0
	labels, targets := m.Out(s)
	for i, to := range targets {
		if !isGone(lts.Transition{From: s, Label: labels.At(i), To: to}) {
			count++
		}
	}
	return count
}
