package counterexample

import "github.com/inev-lts/inev/lts"

// meetings records which places each of up to 64 simultaneous searches has visited; each search has
// a bit (M. Then et al., The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2015).
// All bits are 0 between searches.
type meetings[P lts.State | uint64] struct {
	// met[p] are the bits of the searches that have visited p; now of those that visited it first
	// in the last step, next of those that visit it first in this step.
	met, now, next []uint64
	front, ahead   []P // the places with bits in now, and in next
	all            []P // the places with bits in met
}

func newMeetings[P lts.State | uint64](places int) meetings[P] {
	return meetings[P]{met: make([]uint64, places), now: make([]uint64, places), next: make([]uint64, places)}
}

// begin makes the search with a bit start from a place; this does not count as a visit.
func (x *meetings[P]) begin(p P, bit uint64) {
	if x.now[p] == 0 {
		x.front = append(x.front, p)
	}
	x.now[p] |= bit
}

// meet records the first visits to a place by the searches with fresh bits.
func (x *meetings[P]) meet(p P, fresh uint64) {
	if x.met[p] == 0 {
		x.all = append(x.all, p)
	}
	if x.next[p] == 0 {
		x.ahead = append(x.ahead, p)
	}
	x.met[p] |= fresh
	x.next[p] |= fresh
}

// step ends a step.
func (x *meetings[P]) step() {
	x.front, x.ahead = x.ahead, x.front
	x.now, x.next = x.next, x.now
}

// clear ends the searches.
func (x *meetings[P]) clear() {
	for _, p := range x.front {
		x.now[p] = 0
	}
	for _, p := range x.all {
		x.met[p] = 0
	}
}
