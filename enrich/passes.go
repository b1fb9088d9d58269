package enrich

import (
	"github.com/inev-lts/inev/lts"
)

// worthPasses limits slow passes, those that change more than a quarter of the number of states
// that the pass before changed. When slow passes have read all transitions of a component
// worthPasses times, building predecessor rows is cheaper.
const worthPasses = 4

// passes go through the states of a component repeatedly, alternately from the last state and from
// the first. So one pass propagates all changes along paths on which the numbers of states fall, or
// rise. Most models need few passes, which read rows in their order.
type passes struct {
	states []lts.State
	up     bool // whether the current pass begins with the first state
	// budget is the number of states and transitions that slow passes may still read, see worthPasses.
	budget int
	// read counts the states and transitions that the current pass has read, changed the states
	// that it has changed, and changedBefore the states that the previous pass changed.
	read, changed, changedBefore int
}

// passesThrough returns passes through a component.
func (x *pass) passesThrough(states []lts.State) *passes {
	readForEach := 1 + x.m.NumTransitions()/x.m.NumStates() // the state, and its transitions on average
	return &passes{
		states:  states,
		up:      true,
		budget:  x.worthPasses * readForEach * len(states),
		changed: len(states),
	}
}

// beginNext ends the current pass, if any, and begins the next one. It reports whether that pass is
// worth its time.
func (b *passes) beginNext() bool {
	isSlow := 4*b.changed > b.changedBefore
	if isSlow {
		b.budget -= b.read
	}
	b.changedBefore = b.changed
	b.changed = 0
	b.read = 0
	b.up = !b.up
	return b.budget > 0
}

// inTurn returns the i-th state of a pass.
func (b *passes) inTurn(i int) lts.State {
	if !b.up {
		i = len(b.states) - 1 - i
	}
	return b.states[i]
}

// count records a state that a pass has examined.
func (b *passes) count(changed bool, work int) {
	b.read += work
	if changed {
		b.changed++
	}
}
