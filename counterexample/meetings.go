package counterexample

import "github.com/inev-lts/inev/lts"

// meetings are who has met which places in searches from up to 64 places at once, each of which
// has a bit (M. Then et al., The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB
// 2015). All bits are 0 between searches.
type meetings[P lts.State | uint64] struct {
	// met[p] are the bits of those that have met p; now and next those that met it in the last
	// step, and do in this one.
	met, now, next []uint64
	front, ahead   []P // the places that have such bits
	all            []P // that have been met
}

func newMeetings[P lts.State | uint64](places int) meetings[P] {
	return meetings[P]{met: make([]uint64, places), now: make([]uint64, places), next: make([]uint64, places)}
}

// begin makes one with a bit set out from a place, without having met it.
func (x *meetings[P]) begin(p P, bit uint64) {
	if x.now[p] == 0 {
		x.front = append(x.front, p)
	}
	x.now[p] |= bit
}

// meet notes that those with fresh bits meet a place for the first time.
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

// clear ends a search.
func (x *meetings[P]) clear() {
	for _, p := range x.front {
		x.now[p] = 0
	}
	for _, p := range x.all {
		x.met[p] = 0
	}
}
