package product

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/lts"
)

// TestLoopSearch compares what searches of all sizes have met with a table, whether that is kept in hashes
// or in bits.
func TestLoopSearch(t *testing.T) {
	type met struct {
		state  lts.State
		q, met uint8
	}
	dense, sparse := 0, 0
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		states, qs, bits := 1+r.IntN(1<<(2+r.IntN(14))), 1+r.IntN(5), r.IntN(4)
		x := loopSearch{states: uint64(states), productStates: states * qs, bits: bits}
		for range 4 {
			want := map[met]bool{}
			at := State{State: lts.State(r.IntN(states))}
			x.start(context.Background(), at)
			want[met{at.State, 0, 0}] = true
			for range r.IntN(1 << r.IntN(16)) {
				v := met{lts.State(r.IntN(states)), uint8(r.IntN(qs)), uint8(r.IntN(1 << bits))}
				before := x.nodes.Len()
				x.add(context.Background(), loopNode{state: v.state, q: v.q, met: v.met})
				if fresh := x.nodes.Len() > before; fresh == want[v] {
					t.Fatalf("seed %d: %v is added: %t", seed, v, fresh)
				}
				want[v] = true
			}
			if x.isDense {
				dense++
			} else {
				sparse++
			}
		}
	}
	if dense < 15 || sparse < 15 {
		t.Errorf("%d searches in bits, %d in hashes", dense, sparse)
	}
}
