package lts

import "testing"

// TestLargestOfLongLists: wherever the largest number is, it is found, also if several cores look.
func TestLargestOfLongLists(t *testing.T) {
	if largest[uint8](nil) != 0 {
		t.Error("there is a number in an empty list")
	}
	const longList = 1 << 17 // longer ones are shared
	numbers := make([]uint8, longList+1_001)
	for _, n := range []int{1, longList, longList + 1, len(numbers)} {
		for _, at := range []int{0, n / 2, n/2 + 1, n - 2, n - 1} {
			if at < 0 || at >= n {
				continue
			}
			numbers[at] = 200
			if got := largest(numbers[:n]); got != 200 {
				t.Errorf("among %d numbers, where number %d is 200, the largest is %d", n, at, got)
			}
			numbers[at] = 7
		}
	}
}
