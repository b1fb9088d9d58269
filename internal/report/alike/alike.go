// Package alike groups labels whose transitions lead to the same states, so that a sentence names them together.
//
// Each transition is in one group.
package alike

import (
	"slices"
	"strconv"

	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
)

// Groups groups the indices of n transitions. Two labels belong to the same group if they have the same
// kind and their transitions of this kind lead to the same states. Groups, and labels within a group,
// are in the order of their first transition; the transitions of a label are in the order of their
// states. Cost O(n log n).
func Groups[K comparable](n int, describe func(i int) (kind K, label string, to lts.State)) [][]int {
	type name struct {
		kind  K
		label string
	}
	type ways struct {
		kind K
		to   string // the targets, as text
	}
	var names []name
	indicesOf := map[name][]int{}
	to := make([]lts.State, n)
	for i := range n {
		var m name
		m.kind, m.label, to[i] = describe(i)
		if indicesOf[m] == nil {
			names = append(names, m)
		}
		indicesOf[m] = append(indicesOf[m], i)
	}
	var groups intern.List[ways, []int]
	var text []byte
	for _, m := range names {
		indices := indicesOf[m]
		slices.SortStableFunc(indices, func(a, b int) int {
			return int(to[a]) - int(to[b])
		})
		text = text[:0]
		for _, i := range indices {
			text = append(strconv.AppendUint(text, uint64(to[i]), 10), ' ')
		}
		group := &groups.All[groups.Index(ways{m.kind, string(text)}, nil)]
		*group = append(*group, indices...)
	}
	return groups.All
}
