package claim

import (
	"slices"
	"strconv"

	"github.com/inev-lts/inev/lts"
)

// Together groups the indices of n transitions. Two labels of one kind are in one group if their
// transitions of that kind lead to the same states. Groups, and the labels within a group, are in
// the order of their first transition; the transitions of a label are in the order of their states.
// Cost O(n log n).
func Together[K comparable](n int, of func(i int) (kind K, label string, to lts.State)) [][]int {
	type name struct {
		kind  K
		label string
	}
	type ways struct {
		kind K
		to   string // the targets, as text
	}
	var names []name
	named, to := map[name][]int{}, make([]lts.State, n)
	for i := range n {
		var m name
		m.kind, m.label, to[i] = of(i)
		if named[m] == nil {
			names = append(names, m)
		}
		named[m] = append(named[m], i)
	}
	var groups [][]int
	number := map[ways]int{}
	var text []byte
	for _, m := range names {
		own := named[m]
		slices.SortStableFunc(own, func(a, b int) int { return int(to[a]) - int(to[b]) })
		text = text[:0]
		for _, i := range own {
			text = append(strconv.AppendUint(text, uint64(to[i]), 10), ' ')
		}
		key := ways{m.kind, string(text)}
		g, known := number[key]
		if !known {
			g = len(groups)
			number[key], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], own...)
	}
	return groups
}
