package enrich

import "github.com/inev-lts/inev/lts"

// worthPasses limits the passes that change not much less than the one before:
// once these have read all transitions of a component worthPasses times,
// predecessor rows are worth building.
const worthPasses = 4

// passes go through the states of a component repeatedly, from the last one and
// from the first in turn: one pass propagates all changes along paths of falling,
// or rising, numbers. Most models need few passes, which read rows in their
// order.
type passes struct {
	states []lts.State
	up     bool
	left   int // the number of transitions that may still be visited
	// looked is how many states and transitions a pass has read, changed how many
	// states it has changed, before how many the previous pass changed.
	looked, changed, before int
}

func (x *pass) passesThrough(states []lts.State) *passes {
	each := 1 + x.m.NumTransitions()/x.m.NumStates()
	return &passes{states: states, up: true, left: x.worthPasses * each * len(states), changed: len(states)}
}

// more reports whether another pass is worth its time, and prepares for that
// pass.
func (b *passes) more() bool {
	if 4*b.changed > b.before {
		b.left -= b.looked
	}
	b.before, b.changed, b.looked, b.up = b.changed, 0, 0, !b.up
	return b.left > 0
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
	if b.looked += work; changed {
		b.changed++
	}
}
