package wmc

import "github.com/inev-lts/inev/ctl"

// earlyEnd finds out, during an unfolding, whether the visited states decide the question: that a
// formula about some run holds, or that one about all runs does not. One finite run can show this.
// The opposite cannot be shown early: it depends on all successors of a state.
type earlyEnd[S any] struct {
	z      Collection[S] // the decided states
	before Collection[S] // states with a transition to a decided state
	leaves Collection[S] // states that were decided before this unfolding
	open   S             // the undecided states among those asked about
}

func newEarlyEnd[S any](sets Sets[S]) *earlyEnd[S] {
	return &earlyEnd[S]{z: sets.Collect(), before: sets.Collect(), leaves: sets.Collect()}
}

func (e *earlyEnd[S]) release() {
	e.z.Release()
	e.before.Release()
	e.leaves.Release()
}

// endsEarly adds a frontier, and reports whether all states asked about are decided.
func (u *unfolding[S]) endsEarly(asked S, f *Frontier[S], q, p S) bool {
	s, e := u.sets, u.early
	start, other := q, s.Minus(s.Minus(f.New, q), p)
	if u.n.Path == ctl.All {
		start, other = other, start
	}
	if (u.n.Op == ctl.Until) == (u.n.Path == ctl.All) {
		start = s.Union(start, s.Deadlocks().Known(p))
	}
	if len(u.Frontiers) == 1 {
		e.open = s.Minus(asked, other)
	}
	leaves := u.decidedBefore(f.Reached, u.n.Path == ctl.Some)
	e.leaves.Add(leaves)
	front := e.z.New(s.Union(s.Union(start, leaves), e.before.Known(p)))
	for !s.IsEmpty(front) {
		e.z.Add(front)
		before := s.Pre(front, u.n.Labels)
		e.before.Add(before)
		front = e.z.New(u.p.Known(before))
	}
	// In most cases, one undecided state shows that it is too early.
	if !s.IsEmpty(e.z.New(s.Pick(e.open))) {
		return false
	}
	e.open = e.z.New(e.open)
	return s.IsEmpty(e.open)
}
