package pagedlist_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/inev-lts/inev/internal/pagedlist"
)

// TestLikeSlices compares lists that grow and shrink with slices.
func TestLikeSlices(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 0))
		var l pagedlist.List[int]
		var want []int
		for range 40 {
			if n := r.IntN(len(want) + 1); r.IntN(4) == 0 {
				l.Truncate(n)
				want = want[:n]
			}
			for range r.IntN(1 << r.IntN(12)) {
				value := r.Int()
				l.Append(value)
				want = append(want, value)
			}
			if n := len(want); n > 0 {
				i := r.IntN(n)
				*l.At(i)++
				want[i]++
			}
			if l.Len() != len(want) {
				t.Fatalf("seed %d: %d values, want %d", seed, l.Len(), len(want))
			}
			for i, value := range l.All() {
				if value != want[i] {
					t.Fatalf("seed %d: value %d of %d is %d, want %d", seed, i, len(want), value, want[i])
				}
			}
		}
	}
}

// TestShortListsAreSmall: a list of a few values takes no page.
func TestShortListsAreSmall(t *testing.T) {
	type large [64]byte
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lists := make([]pagedlist.List[large], 100)
	for i := range lists {
		for range 20 {
			lists[i].Append(large{})
		}
	}
	runtime.ReadMemStats(&after)
	if allocated := (after.TotalAlloc - before.TotalAlloc) / 100; allocated > 20_000 {
		t.Errorf("20 values of 64 bytes take %d bytes", allocated)
	}
	runtime.KeepAlive(lists)
}
