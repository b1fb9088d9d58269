package wmc

import "github.com/inev-lts/inev/ctl"

// unfolding is an Unfolding that is being made.
type unfolding[S any] struct {
	*checker[S]
	Unfolding[S]
	index         ctl.Index
	n             ctl.Node
	visited, q, p Collection[S]
	leaves        Collection[S] // reached and decided before, as those that ranks begin with
	done          Collection[S] // where last transitions may lead
	early         *earlyEnd[S]  // nil if the unfolding does not end early
}

func (k *checker[S]) newUnfolding(i ctl.Index, once bool) *unfolding[S] {
	u := &unfolding[S]{checker: k, index: i, n: k.c.Nodes[i]}
	u.visited, u.q, u.p, u.leaves, u.done = k.sets.Collect(), k.sets.Collect(), k.sets.Collect(), k.sets.Collect(), k.sets.Collect()
	// On all runs, a transition with a wrong label violates the formula by itself: such ends are
	// not searched.
	labelled := u.n.Labels != ctl.AnyLabel || u.n.Last != ctl.NoLast
	if once && !(labelled && u.n.Path == ctl.All) {
		u.early = newEarlyEnd(k.sets)
	}
	return u
}

func (u *unfolding[S]) release() {
	for _, c := range []Collection[S]{u.visited, u.q, u.p, u.leaves, u.done} {
		c.Release()
	}
	if u.early != nil {
		u.early.release()
	}
}

// unfold visits the states reachable from those asked about, as far as the formula depends on them.
func (u *unfolding[S]) unfold(asked S) {
	reached := asked
	for {
		f := Frontier[S]{Reached: reached}
		f.New = u.visited.New(u.bad[u.index].New(u.good[u.index].New(reached)))
		u.leaves.Add(u.decidedBefore(reached, u.n.Op == ctl.Until))
		u.visited.Add(f.New)
		u.visits += u.sets.Count(f.New)
		q, p := u.part(&f)
		u.q.Add(q)
		u.p.Add(p)
		u.Frontiers = append(u.Frontiers, f)
		if u.sets.IsEmpty(p) {
			return
		}
		if u.early != nil && u.endsEarly(asked, &f, q, p) {
			u.Early = true
			return
		}
		reached = u.sets.Post(p, u.n.Labels)
	}
}

// decidedBefore returns which of the reached states were found to satisfy the formula before, or to
// violate it.
func (u *unfolding[S]) decidedBefore(reached S, satisfy bool) S {
	if satisfy {
		return u.good[u.index].Known(reached)
	}
	return u.bad[u.index].Known(reached)
}

// part asks the operands about the new states of a frontier. It returns the states that satisfy the
// formula by themselves, and those for which it depends on their successors.
func (u *unfolding[S]) part(f *Frontier[S]) (q, p S) {
	s := u.sets
	if s.IsEmpty(f.New) {
		return f.New, f.New
	}
	switch {
	case u.n.Op == ctl.Release:
		var right S
		right, f.Right = u.ask(u.n.Right, f.New, false)
		q, f.Left = u.ask(u.n.Left, right, false)
		return q, s.Minus(right, q)
	case u.n.Last == ctl.NoLast:
		q, f.Right = u.ask(u.n.Right, f.New, false)
		p, f.Left = u.ask(u.n.Left, s.Minus(f.New, q), false)
		return q, p
	}
	left, node := u.ask(u.n.Left, f.New, false)
	f.Left = node
	done, node := u.ask(u.n.Right, s.Post(left, u.n.Last), false)
	f.Right = node
	u.done.Add(done)
	q = s.PreSome(left, u.n.Last, done)
	if u.n.Path == ctl.All {
		// All transitions must be last ones.
		closer := s.Closing(Closing[S]{Labels: u.n.Labels, Last: u.n.Last, Done: done})
		none := s.Collect()
		q = closer.Closed(q, none)
		closer.Release()
		none.Release()
	}
	return q, s.Minus(left, q)
}

// decide computes the fixpoint on the visited states.
func (u *unfolding[S]) decide() {
	s := u.sets
	u.Visited, u.Q, u.P = u.visited.All(), u.q.All(), u.p.All()
	failing := s.Minus(s.Minus(u.Visited, u.Q), u.P)
	stuck := s.Deadlocks().Known(u.P)
	switch {
	case u.n.Op == ctl.Until && u.Early && u.n.Path == ctl.All:
		u.Holds, u.Ranks = u.Q, []S{u.Q}
		u.Fails, _ = u.attract(ctl.Some, s.Union(failing, stuck), u.early.leaves)
	case u.n.Op == ctl.Until:
		u.Holds, u.Ranks = u.attract(u.n.Path, u.Q, u.leaves)
		u.Fails = failing
		if !u.Early {
			u.Fails = s.Minus(u.Visited, u.Holds)
		}
	case u.Early && u.n.Path == ctl.Some:
		u.Fails, u.Ranks = failing, []S{failing}
		u.Holds, _ = u.attract(ctl.Some, s.Union(u.Q, stuck), u.early.leaves)
	default:
		// A state leaves the greatest fixpoint in the round in which it enters the least fixpoint
		// of the dual formula.
		u.Fails, u.Ranks = u.attract(ctl.All-u.n.Path, failing, u.leaves)
		u.Holds = u.Q
		if !u.Early {
			u.Holds = s.Minus(u.Visited, u.Fails)
		}
	}
}

// attract returns the states of start together with the states of u.P that are attracted, and the
// same states by the round in which they were found. A state is attracted if some of its
// transitions (all of them, if path is All) lead to states found before or to states of leaves.
func (u *unfolding[S]) attract(path ctl.Quantifier, start S, leaves Collection[S]) (all S, ranks []S) {
	s := u.sets
	z, found := s.Collect(), s.Collect()
	defer z.Release()
	defer found.Release()
	closer := s.Closing(Closing[S]{Labels: u.n.Labels, Last: u.n.Last, Done: u.done.All()})
	defer closer.Release()
	front := s.Union(start, leaves.All())
	z.Add(front)
	found.Add(start)
	ranks = []S{start}
	for {
		next := z.New(u.p.Known(s.Pre(front, u.n.Labels)))
		if path == ctl.All {
			next = closer.Closed(next, z)
		}
		if s.IsEmpty(next) {
			return found.All(), ranks
		}
		z.Add(next)
		found.Add(next)
		ranks = append(ranks, next)
		front = next
	}
}
