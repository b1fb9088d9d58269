package verify

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestNesting compares where sets meet, and which around them neglect a task, with walks outwards.
func TestNesting(t *testing.T) {
	for seed := range uint64(2_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		sets := make([]set, r.IntN(30))
		for i := range sets {
			sets[i].parent = uint32(r.IntN(i + 1))
			if r.IntN(2) == 0 {
				sets[i].parent = uint32(i) // deep
			}
			for k := range uint32(4) {
				if r.IntN(6) == 0 {
					sets[i].tasks = append(sets[i].tasks, k)
				}
			}
		}
		around := func(a uint32) (all []uint32) { // from the outermost, which is 0
			for ; a > 0; a = sets[a-1].parent {
				all = append(all, a)
			}
			all = append(all, 0)
			slices.Reverse(all)
			return all
		}
		x := newNesting(sets)
		for a := range uint32(len(sets) + 1) {
			for b := range uint32(len(sets) + 1) {
				ofA, ofB, same := around(a), around(b), 0
				for same < min(len(ofA), len(ofB)) && ofA[same] == ofB[same] {
					same++
				}
				at := func(all []uint32) uint32 {
					if same < len(all) {
						return all[same]
					}
					return 0
				}
				common, below, other := x.meet(a, b)
				if common != ofA[same-1] || below != at(ofA) || other != at(ofB) {
					t.Fatalf("seed %d: %d and %d meet in %d below %d and %d, want %d, %d and %d", seed, a, b, common, below, other, ofA[same-1], at(ofA), at(ofB))
				}
			}
			for k := range uint32(5) {
				want := uint32(0)
				for _, outer := range around(a) {
					if want == 0 && outer > 0 && slices.Contains(sets[outer-1].tasks, k) {
						want = outer
					}
				}
				if got := x.neglecting(a, k); got != want {
					t.Fatalf("seed %d: set %d lies in %d, which neglects task %d, want %d", seed, a, got, k, want)
				}
			}
		}
	}
}
