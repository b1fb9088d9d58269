package explain

import "github.com/inev-lts/inev/lts"

// stateSet has a bit for each state. The nil stateSet is empty.
type stateSet []uint64

func newStateSet(states int) stateSet { return make(stateSet, (states+63)/64) }

func (x stateSet) add(s lts.State) { x[s/64] |= 1 << (s % 64) }

func (x stateSet) has(s lts.State) bool { return x != nil && x[s/64]>>(s%64)&1 != 0 }
