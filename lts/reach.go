package lts

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/printable"
)

// Reach is the part of an LTS that its initial state reaches.
type Reach struct {
	// in is nil if every state is reachable.
	in          []bool
	states      int
	transitions int
	deadlocks   int
}

// String returns the size of the part, such as: 4 reachable states, 3 transitions.
func (r *Reach) String() string {
	if r == nil {
		return "<nil>"
	}
	return fmt.Sprintf("%s, %s", printable.Quantity(r.states, "reachable state"),
		printable.Quantity(r.transitions, "transition"))
}

// Has reports whether s is reachable from the initial state. Cost O(1).
func (r *Reach) Has(s State) bool { return r.in == nil || r.in[s] }

// NumStates returns the number of reachable states, at least 1.
func (r *Reach) NumStates() int {
	if r == nil {
		return 0
	}
	return r.states
}

// NumTransitions returns the number of transitions that leave reachable states.
func (r *Reach) NumTransitions() int {
	if r == nil {
		return 0
	}
	return r.transitions
}

// NumDeadlocks returns the number of reachable states without outgoing
// transitions.
func (r *Reach) NumDeadlocks() int {
	if r == nil {
		return 0
	}
	return r.deadlocks
}

// Reachable returns the part of the LTS that is reachable from the initial state;
// the first call computes it. Cost O(S + T) time for that, at most 5 bytes a
// state while it runs and at most one a state after it.
func (m *LTS) Reachable() *Reach {
	m.reachOnce.Do(func() {
		// One pass goes through the states in ascending order, and skips states that were not
		// reached yet. In most files states are numbered such that this pass reaches nearly all
		// states, and reads the rows one after the other. Then a queue serves the states that were
		// reached after the pass had skipped them.
		r := &Reach{in: make([]bool, m.NumStates())}
		r.in[m.initial] = true
		var late []State
		for s := m.initial; int(s) < m.NumStates(); s++ {
			if r.in[s] {
				late = m.exploreFrom(s, s, r, late)
			}
		}
		for len(late) > 0 {
			var next []State
			for _, s := range late {
				next = m.exploreFrom(s, MaxStates, r, next)
			}
			late = next
		}
		if r.states == m.NumStates() {
			r.in = nil
		}
		m.reach = r
	})
	return m.reach
}

// FindReachable computes what [LTS.Reachable] returns, so that Reachable takes
// O(1) time afterwards. It stops waiting, and fails, once ctx is done.
func (m *LTS) FindReachable(ctx context.Context) error {
	return within(ctx, func() { m.Reachable() })
}

// within calls do on a goroutine of its own, and stops waiting for it once ctx is
// done. The goroutine then ends by itself.
func within(ctx context.Context, do func()) error {
	doing := contained.Go(do)
	select {
	case <-doing.Done():
		doing.Wait()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exploreFrom counts a state, and marks its successors as reached. It appends to late, and returns,
// those that were not reached before and have a number below passed.
func (m *LTS) exploreFrom(s, passed State, r *Reach, late []State) []State {
	_, targets := m.Out(s)
	r.states++
	r.transitions += len(targets)
	if len(targets) == 0 {
		r.deadlocks++
	}
	for _, t := range targets {
		if !r.in[t] {
			r.in[t] = true
			if t < passed {
				late = append(late, t)
			}
		}
	}
	return late
}
