package bitset_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/lts/bitset"
)

// TestLikeMaps does the same with sets and with maps.
func TestLikeMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 200).Draw(t, "size")
		number := rapid.Uint32Range(0, uint32(size-1))
		draw := func(name string) (bitset.Set[uint32], map[uint32]bool) {
			s, want := bitset.New[uint32](size), map[uint32]bool{}
			for _, n := range rapid.SliceOf(number).Draw(t, name) {
				s.Add(n)
				want[n] = true
			}
			for _, n := range rapid.SliceOfN(number, 0, 5).Draw(t, "removed from "+name) {
				s.Remove(n)
				delete(want, n)
			}
			return s, want
		}
		same := func(s bitset.Set[uint32], want map[uint32]bool) {
			t.Helper()
			all := slices.Sorted(maps.Keys(want))
			if got := slices.Collect(s.All); !slices.Equal(got, all) || s.Empty() != (len(all) == 0) || s.Len() != len(all) {
				t.Fatalf("%v, want %v", got, all)
			}
			for n := range uint32(size) {
				if s.Has(n) != want[n] {
					t.Fatalf("has %d: %v", n, s.Has(n))
				}
			}
			if len(all) > 0 && s.Largest() != all[len(all)-1] {
				t.Fatalf("the largest of %v is %d", all, s.Largest())
			}
		}
		a, inA := draw("a")
		b, inB := draw("b")
		same(a, inA)
		both, grown := map[uint32]bool{}, false
		for n := range inB {
			if inA[n] {
				both[n] = true
			} else {
				grown = true
			}
		}
		same(a.And(b), both)
		if a.Meets(b) != (len(both) > 0) {
			t.Fatalf("%v and %v meet: %v", inA, inB, a.Meets(b))
		}
		if a.AddAll(b) != grown {
			t.Fatalf("%v grows by %v: %v", inA, inB, !grown)
		}
		maps.Copy(inA, inB)
		same(a, inA)
	})
}

// TestAllStops: who has seen enough sees no more.
func TestAllStops(t *testing.T) {
	s := bitset.New[int](100)
	for _, n := range []int{3, 70, 99} {
		s.Add(n)
	}
	for n := range s.All {
		if n != 3 {
			t.Errorf("%d follows", n)
		}
		break
	}
}
