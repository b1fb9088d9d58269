package partition_test

import (
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/partition"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestBlocksAreWhatNoWordDistinguishes compares blocks with the keys behind all words that are as long as there are states.
func TestBlocksAreWhatNoWordDistinguishes(t *testing.T) {
	merged := 0
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		states, letters := 1+r.IntN(6), r.IntN(3)
		next, keys := make([]int, states*letters), make([]byte, states)
		for i := range next {
			next[i] = r.IntN(states)
		}
		for q := range keys {
			keys[q] = byte(r.IntN(2))
		}
		var same func(p, q, length int) bool
		same = func(p, q, length int) bool {
			alike := keys[p] == keys[q]
			for l := 0; l < letters && alike && length > 0; l++ {
				alike = same(next[p*letters+l], next[q*letters+l], length-1)
			}
			return alike
		}
		block := partition.Coarsest(states, letters, next, func(key []byte, q int) []byte { return append(key, keys[q]) })
		blocks := uint32(0)
		for q := range states {
			if block[q] > blocks {
				t.Fatalf("seed %d: block %d comes before %d: %v", seed, block[q], blocks, block)
			}
			blocks = max(blocks, block[q]+1)
			for p := range q {
				if same(p, q, states) != (block[p] == block[q]) {
					t.Fatalf("seed %d: states %d and %d of %v, %v: blocks %v", seed, p, q, next, keys, block)
				}
			}
		}
		if int(blocks) < states {
			merged++
		}
	}
	if randomlts.Whole() && merged < 200 {
		t.Errorf("states were merged %d times", merged)
	}
}
