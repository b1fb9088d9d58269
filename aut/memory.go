package aut

import "math"

// memory estimates how many bytes an LTS of this size takes: while so many
// workers read it, and when it is there. Labels and the buffers of [Read] come
// to it, and where the length of the text is not known beforehand, up to 4 bytes
// a transition while it is read.
//
// Where sources ascend, a transition takes 5 bytes and a state 4, all the time.
// Where they do not, which only reading can tell, a transition takes 9 and a
// state 4; while they are sorted, 14, and a state 4 for each worker more. That
// is so up to 256 labels; with more of them a label takes 2 bytes, and beyond 65,536 it
// takes 4: what is beyond 1 comes to each transition, twice while they are sorted. Cost
// O(1).
func memory(states, transitions int64, ascending bool, workers int) (reading, held int64) {
	held = sum(5, transitions, 4, states)
	if ascending {
		return held, held
	}
	return sum(14, transitions, int64(4+4*max(1, workers)), states), sum(9, transitions, 4, states)
}

// sum returns a*x + b*y, or the largest number where that is larger.
func sum(a, x, b, y int64) int64 {
	if x > math.MaxInt64/2/a || y > math.MaxInt64/2/b {
		return math.MaxInt64
	}
	return a*x + b*y
}
