package tlc

import (
	"cmp"
	"slices"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
)

// withoutRepeats returns a model in which no transition is there twice: TLC writes a step once
// for each way in which its action comes about. The first of equal ones is kept, and the order
// of the others. Cost O(S + T), and sorting of long rows.
func withoutRepeats(m *lts.LTS) (*lts.LTS, error) {
	repeats := repeatsOf(m)
	if repeats == nil {
		return m, nil
	}
	var b lts.Builder
	b.Over(m.Alphabet())
	// A row has its transitions in the order in which they were added.
	met := make([]uint32, m.NumStates())
	for t := range m.Transitions() {
		first, _ := m.Row(t.From)
		if i := first + int(met[t.From]); !repeats.Has(i) {
			b.Add(t.From, t.Label, t.To)
		}
		met[t.From]++
	}
	return b.Build(m.Initial(), m.NumStates())
}

// repeatsOf returns the row indices of the transitions that are equal to one before them, nil if
// there are none.
func repeatsOf(m *lts.LTS) bitset.Set[int] {
	var repeats bitset.Set[int]
	var row []uint64
	for s := range lts.State(m.NumStates()) {
		labels, targets := m.Out(s)
		row = row[:0]
		for i, to := range targets {
			row = append(row, uint64(labels.At(i))<<32|uint64(to))
		}
		for _, i := range repeated(row) {
			if repeats == nil {
				repeats = bitset.New[int](m.NumTransitions())
			}
			first, _ := m.Row(s)
			repeats.Add(first + i)
		}
	}
	return repeats
}

// repeated returns the indices of numbers that are equal to one before them.
func repeated(all []uint64) (found []int) {
	const few = 16
	if len(all) <= few {
		for i, t := range all {
			if slices.Contains(all[:i], t) {
				found = append(found, i)
			}
		}
		return found
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(all[i], all[j]), cmp.Compare(i, j)) })
	for at, i := range order {
		if at > 0 && all[order[at-1]] == all[i] {
			found = append(found, i)
		}
	}
	return found
}
