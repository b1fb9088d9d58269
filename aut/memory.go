package aut

import "math"

// memory estimates how many bytes an LTS of this size takes: reading is the number while this
// many workers read the LTS, held the number afterwards. Labels and the buffers of [Read] come in
// addition, and up to 4 bytes a transition during reading if the length of the text is not known
// beforehand.
//
// If sources ascend, a transition takes 5 bytes and a state 4, all the time. If
// they do not, which only reading can show, a transition takes 9 and a state 4;
// while they are sorted, 14, and a state 4 more for each worker. These numbers
// are for up to 256 labels; with more labels, a label takes 2 bytes, and beyond
// 65,536 labels 4: each byte above 1 adds to each transition, twice during
// sorting. Cost O(1).
func memory(states, transitions int64, ascending bool, workers int) (reading, held int64) {
	held = sum(5, transitions, 4, states)
	if ascending {
		return held, held
	}
	return sum(14, transitions, int64(4+4*max(1, workers)), states), sum(9, transitions, 4, states)
}

// sum returns a*x + b*y, or the largest number if that overflows.
func sum(a, x, b, y int64) int64 {
	if x > math.MaxInt64/2/a || y > math.MaxInt64/2/b {
		return math.MaxInt64
	}
	return a*x + b*y
}
