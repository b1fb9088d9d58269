package randomlts

import (
	"context"
	"math/rand/v2"

	"github.com/inev-lts/inev/lts"
)

// Nondeterministic returns a random model of few labels, A to D, so that a state often has several
// transitions of one label; every third one has several initial states. Cost O(1).
func Nondeterministic(r *rand.Rand) (*lts.LTS, error) {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C"), b.Label("D")}
	begin := b.Label("begin")
	states := 3 + r.IntN(6)
	several := r.IntN(3) == 0
	first := 0
	if several {
		first = 1
		for range 2 + r.IntN(2) {
			b.Add(0, begin, lts.State(1+r.IntN(states-1)))
		}
	}
	forward := r.IntN(2) == 0
	for range states + r.IntN(2*states) {
		from := first + r.IntN(states-first)
		to := first + r.IntN(states-first)
		if forward && r.IntN(6) > 0 && to < from {
			from, to = to, from
		}
		b.Add(lts.State(from), labels[r.IntN(1+r.IntN(len(labels)))], lts.State(to))
	}
	m, err := b.Build(0, states)
	if err != nil || !several {
		return m, err
	}
	return m.Refined(context.Background(), nil, func(lts.State) lts.Facts { return 0 }, true)
}
