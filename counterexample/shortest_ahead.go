package counterexample

import (
	"runtime"
	"sync/atomic"

	"github.com/inev-lts/inev/lts"
)

// worthAhead is how many transitions a model has for which a second core pays.
const worthAhead = 1 << 18

// worthSecond reports whether states are taken away while it is still being found which are
// reached. On one core that would only be work for states that no run may reach.
func (s *shortest) worthSecond() bool {
	return s.m.NumTransitions() >= worthAhead && runtime.GOMAXPROCS(0) > 1
}

// ahead begins to take away what [decision.cyclic] would take away of a property of one step,
// on another core, until stop is called, after which nothing is taken away any more. It does
// not ask which states are reached: from one that is, transitions without labels of the step
// lead to such states only, so that what is taken away of them is the same whatever becomes
// of the others. How far it comes decides how much is left to do, and nothing else.
func (d *decision) ahead() (stop func()) {
	var enough atomic.Bool
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.leaveAll()
		for down := true; d.passAhead(down, &enough); down = !down {
		}
	}()
	return func() {
		enough.Store(true)
		<-ended
	}
}

// leaveAll makes all states left.
func (d *decision) leaveAll() {
	for s := range lts.State(d.m.NumStates()) {
		d.left.set(s, 1)
	}
}

// passAhead is a pass over all states that are left, reached or not. It reports whether
// another one can take more away.
func (d *decision) passAhead(down bool, enough *atomic.Bool) (more bool) {
	n := d.m.NumStates()
	for i := range n {
		if i&(1<<14-1) == 0 && enough.Load() {
			return false
		}
		s := lts.State(i)
		if down {
			s = lts.State(n - 1 - i)
		}
		if d.left.of(s) == 0 {
			continue
		}
		if _, goesOn := d.goesOn(s, 1); goesOn == 0 {
			d.left.set(s, 0)
			more = true
		}
	}
	return more
}
