package repair

import (
	"testing"

	"pgregory.net/rapid"
)

// TestMet: a set of numbers is as a map, whether it is an array or a table, and when it is emptied.
func TestMet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([]uint64{100, mostStamps + 1, 1 << 60}).Draw(t, "size")
		m, want := newNumberSet(size), map[uint64]bool{}
		for range rapid.IntRange(1, 300).Draw(t, "steps") {
			i := rapid.Uint64Range(0, size-1).Draw(t, "number")
			if m.has(i) != want[i] {
				t.Fatalf("has %d: %t", i, !want[i])
			}
			switch rapid.IntRange(0, 40).Draw(t, "do") {
			case 0:
				m.empty()
				clear(want)
			default:
				m.add(i)
				want[i] = true
			}
		}
		for i := range want {
			if !m.has(i) {
				t.Fatalf("%d is missing", i)
			}
		}
	})
}
