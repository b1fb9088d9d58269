package counterexample

import "github.com/inev-lts/inev/lts"

// stateSet is a set of states, a bit for each state of the LTS.
type stateSet []uint64

func newStateSet(states int) stateSet { return make(stateSet, (states+63)/64) }

func (set stateSet) add(s lts.State) { set[s/64] |= 1 << (s % 64) }

func (set stateSet) has(s lts.State) bool { return set[s/64]>>(s%64)&1 != 0 }
