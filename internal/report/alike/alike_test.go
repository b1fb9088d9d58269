package alike_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/report/alike"
	"github.com/inev-lts/inev/lts"
)

// TestAlike compares groups with what the comment on [alike.Groups] says, pair by pair.
func TestAlike(t *testing.T) {
	type way struct {
		kind  int
		label string
		to    lts.State
	}
	one := rapid.Custom(func(t *rapid.T) way {
		return way{rapid.IntRange(0, 1).Draw(t, "kind"), rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "label"), lts.State(rapid.IntRange(1, 12).Draw(t, "to"))}
	})
	rapid.Check(t, func(rt *rapid.T) {
		all := rapid.SliceOfN(one, 0, 12).Draw(rt, "ways")
		groups := alike.Groups(len(all), func(i int) (int, string, lts.State) { return all[i].kind, all[i].label, all[i].to })
		states := func(w way) string {
			var to []lts.State
			for _, other := range all {
				if other.kind == w.kind && other.label == w.label {
					to = append(to, other.to)
				}
			}
			slices.Sort(to)
			return fmt.Sprint(w.kind, to)
		}
		in, firsts := make([]int, len(all)), []int{}
		for i := range in {
			in[i] = -1
		}
		for g, group := range groups {
			for _, i := range group {
				if in[i] >= 0 {
					rt.Fatalf("%v is in two groups of %v", all[i], groups)
				}
				in[i] = g
			}
			firsts = append(firsts, slices.Min(group))
		}
		for i, a := range all {
			for j, b := range all {
				if in[i] < 0 || (in[i] == in[j]) != (states(a) == states(b)) {
					rt.Fatalf("%v and %v are in the groups %d and %d", a, b, in[i], in[j])
				}
			}
		}
		if !slices.IsSorted(firsts) {
			rt.Fatalf("%v are not in the order of their first transitions", groups)
		}
		for _, group := range groups {
			for k := 1; k < len(group); k++ {
				if a, b := all[group[k-1]], all[group[k]]; a.label == b.label && a.to > b.to {
					rt.Fatalf("%v comes before %v", a, b)
				}
			}
		}
	})
}
