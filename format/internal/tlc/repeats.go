package tlc

import (
	"slices"

	"github.com/inev-lts/inev/lts"
)

// withoutRepeats returns a model without repeated transitions: TLC writes a step
// once for each way in which its action can produce it. The first of equal
// transitions is kept; the order of the others stays. Cost O(S + T).
func withoutRepeats(m *lts.LTS) (*lts.LTS, error) {
	repeated, some := make([]bool, m.NumTransitions()), false
	var row []uint64
	for s := range lts.State(m.NumStates()) {
		labels, targets := m.Out(s)
		first, _ := m.Row(s)
		row = row[:0]
		for i, to := range targets {
			row = append(row, uint64(labels.At(i))<<32|uint64(to))
		}
		if markRepeats(row, repeated[first:]) {
			some = true
		}
	}
	if !some {
		return m, nil
	}
	// The transitions of a row are in the order of their lines.
	met := make([]uint32, m.NumStates())
	return m.Without(func(t lts.Transition) bool {
		first, _ := m.Row(t.From)
		met[t.From]++
		return repeated[first+int(met[t.From])-1]
	})
}

// markRepeats marks the numbers that are equal to an earlier one, and reports
// whether there are any.
func markRepeats(all []uint64, marks []bool) (some bool) {
	const few = 16
	var before map[uint64]bool
	if len(all) > few {
		before = make(map[uint64]bool, len(all))
	}
	for i, t := range all {
		if before != nil && before[t] || before == nil && slices.Contains(all[:i], t) {
			marks[i], some = true, true
		} else if before != nil {
			before[t] = true
		}
	}
	return some
}
