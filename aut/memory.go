package aut

import "math"

// Memory estimates how many bytes an LTS of this size takes: while so many
// workers read it, and when it is there. Labels and the buffers of [Read] come
// to it, and where the length of the text is not known beforehand, up to 4 bytes
// a transition while it is read.
//
// Where sources ascend, a transition takes 8 bytes and a state 4, all the time.
// Where they do not, which only reading can tell, a transition takes 12 and a
// state 4; while they are sorted, 20, and a state 4 for each worker more. Cost
// O(1).
func Memory(states, transitions int64, ascending bool, workers int) (reading, held int64) {
	held = sum(8, transitions, 4, states)
	if ascending {
		return held, held
	}
	return sum(20, transitions, int64(4+4*max(1, workers)), states), sum(12, transitions, 4, states)
}

// sum returns a*x + b*y, or the largest number where that is larger.
func sum(a, x, b, y int64) int64 {
	if x > math.MaxInt64/2/a || y > math.MaxInt64/2/b {
		return math.MaxInt64
	}
	return a*x + b*y
}
