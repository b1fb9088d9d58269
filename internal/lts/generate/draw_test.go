package generate

import "testing"

func TestPermutation(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 31, 32, 33, 1000, 1 << 16} {
		for seed := range uint64(5) {
			p := newPermutation(n, seed)
			seen := make([]bool, n)
			fixed := uint64(0)
			for i := range n {
				to := p.at(i)
				if to >= n || seen[to] {
					t.Fatalf("%d numbers, seed %d: %d is sent to %d", n, seed, i, to)
				}
				seen[to] = true
				if to == i {
					fixed++
				}
			}
			if n > 100 && fixed > n/10 {
				t.Errorf("%d of %d numbers stay where they are", fixed, n)
			}
		}
	}
}

// TestNumbers: the first numbers of SplitMix64 for the state 1234567, as its
// authors' reference implementation gives them.
func TestNumbers(t *testing.T) {
	r := numbers(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := r.next(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}

func TestBelow(t *testing.T) {
	r := numbersOf(1, 2)
	var counts [5]int
	for range 50_000 {
		counts[r.below(5)]++
	}
	for n, count := range counts {
		if count < 9_500 || count > 10_500 {
			t.Errorf("%d is drawn %d times of 50000", n, count)
		}
	}
}
