package randomlts

import (
	"math/rand/v2"

	"github.com/inev-lts/inev/lts"
)

// Forward draws a model that often satisfies properties: most of its transitions lead to
// states with larger numbers, and those that lead back are often answers. Its labels are A, B and C.
func Forward(r *rand.Rand) *lts.LTS {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C")}
	n := 1 + r.IntN(6)
	back := r.IntN(3)
	for s := range n {
		for range 1 + r.IntN(3) {
			l := labels[r.IntN(3)]
			if s+1 < n {
				b.Add(lts.State(s), l, lts.State(s+1+r.IntN(min(2, n-s-1))))
			}
			if r.IntN(3) < back || s+1 == n && back > 0 {
				b.Add(lts.State(s), labels[min(2, r.IntN(4))], lts.State(r.IntN(s+1)))
			}
		}
	}
	m, err := b.Build(0, n)
	if err != nil {
		panic(err) // every number above is in range
	}
	return m
}
