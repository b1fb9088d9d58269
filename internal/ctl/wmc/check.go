package wmc

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/syntax"
)

// Answer is the result of a check.
type Answer[S any] struct {
	Closure *syntax.Closure
	// Good are the asked states that satisfy the formula, and Bad are those that violate it.
	Good, Bad S
	// Root is the evidence; nil if the formula needs none.
	Root *Node[S]
	// Visits is the number of states visited for formulas about runs, counting repeated visits.
	Visits float64
	// checker has the states in which the formulas of the closure were decided.
	checker *checker[S]
}

// Options control how a formula is checked. The zero value is the default.
type Options struct {
	// Exhaust lets unfoldings continue even if the question is decided.
	Exhaust bool
}

// Check returns which of the asked states satisfy the formula of a closure, with evidence. Its errors
// come from ctx, or from [Sets.Holding].
//
// Cost O(|φ| (S + T)) for sets of an LTS, where S and T count the states and transitions that it
// visits, and |φ| the formulas of the closure. The depth of recursion is that of the formula.
func Check[S any](
	ctx context.Context,
	sets Sets[S],
	c *syntax.Closure,
	asked S,
	o Options,
) (_ *Answer[S], err error) {
	defer abort.Caught(&err)
	k := newChecker(ctx, sets, c)
	k.options = o
	often := once
	if o.Exhaust {
		often = repeatedly
	}
	good, root := k.ask(c.Root(), asked, often)
	return &Answer[S]{
		Closure: c,
		Good:    good,
		Bad:     sets.Minus(asked, good),
		Root:    root,
		Visits:  k.visits,
		checker: k,
	}, nil
}

// Decide returns, for each formula of the closure, which of some states satisfy it. What the check has decided is not
// decided again. Cost O(|φ| (S + T)), as for [Check].
func (a *Answer[S]) Decide(ctx context.Context, states S) (_ []S, err error) {
	defer abort.Caught(&err)
	k := *a.checker
	k.ctx = ctx
	return k.decideAll(states), nil
}

// checker has, for each formula, the states that are known to satisfy it and to violate it.
type checker[S any] struct {
	ctx       context.Context
	sets      Sets[S]
	closure   *syntax.Closure
	options   Options
	good, bad []Collection[S]
	visits    float64
}

// newChecker looks up all predicates at once, so that a name which the model does not have is always an
// error.
func newChecker[S any](ctx context.Context, sets Sets[S], c *syntax.Closure) *checker[S] {
	k := &checker[S]{ctx: ctx, sets: sets, closure: c}
	for _, n := range c.Nodes {
		abort.On(ctx.Err())
		if n.Op == syntax.Holds {
			abort.Must(sets.Holding(n.Predicate))
		}
		k.good = append(k.good, sets.Collect())
		k.bad = append(k.bad, sets.Collect())
	}
	return k
}

// frequency says how often a formula is asked about.
type frequency uint8

const (
	repeatedly frequency = iota
	// once: no operator about runs is above the formula. Then unfoldings may end early, although this
	// leaves visited states undecided.
	once
)

// ask returns which states of a set satisfy a formula, and the evidence for those that were not decided
// before.
func (k *checker[S]) ask(i syntax.Index, asked S, often frequency) (good S, node *Node[S]) {
	abort.On(k.ctx.Err())
	n := k.closure.Nodes[i]
	switch n.Op {
	case syntax.True:
		return asked, nil
	case syntax.False:
		return k.sets.Empty(), nil
	case syntax.Deadlock:
		return k.sets.Deadlocks().Known(asked), nil
	case syntax.Holds:
		holding := abort.Must(k.sets.Holding(n.Predicate))
		return holding.Known(asked), nil
	}
	knownGood := k.good[i].Known(asked)
	undecided := k.bad[i].New(k.good[i].New(asked))
	if k.sets.IsEmpty(undecided) {
		return knownGood, nil
	}
	node = &Node[S]{Formula: i, Asked: undecided}
	k.answer(node, often)
	node.Bad = k.sets.Minus(node.Asked, node.Good)
	u := node.Unfolding
	if u != nil {
		k.good[i].Add(u.Holds)
		k.bad[i].Add(u.Fails)
	} else {
		k.good[i].Add(node.Good)
		k.bad[i].Add(node.Bad)
	}
	return k.sets.Union(knownGood, node.Good), node
}

// answer finds which states of a node satisfy its formula, and the evidence.
func (k *checker[S]) answer(node *Node[S], often frequency) {
	n := k.closure.Nodes[node.Formula]
	var left, right S
	switch n.Op {
	case syntax.Not:
		right, node.Right = k.ask(n.Right, node.Asked, often)
		node.Good = k.sets.Minus(node.Asked, right)
	case syntax.And:
		left, node.Left = k.ask(n.Left, node.Asked, often)
		node.Good, node.Right = k.ask(n.Right, left, often)
	case syntax.Or:
		left, node.Left = k.ask(n.Left, node.Asked, often)
		right, node.Right = k.ask(n.Right, k.sets.Minus(node.Asked, left), often)
		node.Good = k.sets.Union(left, right)
	case syntax.Next:
		right, node.Right = k.ask(n.Right, k.sets.Post(node.Asked, n.Labels), often)
		if n.Path == syntax.Some {
			node.Good = k.sets.PreSome(node.Asked, n.Labels, right)
		} else {
			node.Good = k.sets.PreAll(node.Asked, n.Labels, right)
		}
	default:
		u := k.newUnfolding(node.Formula, often)
		defer u.release()
		u.unfold(node.Asked)
		u.decide()
		node.Unfolding = &u.Unfolding
		node.Good = k.sets.Intersect(node.Asked, u.Holds)
	}
}

// Decide returns, for each formula of a closure, which of some states satisfy it. Cost O(|φ| (S +
// T)), as for [Check].
func Decide[S any](
	ctx context.Context,
	sets Sets[S],
	c *syntax.Closure,
	states S,
) (_ []S, err error) {
	defer abort.Caught(&err)
	return newChecker(ctx, sets, c).decideAll(states), nil
}

// decideAll returns, for each formula, which of some states satisfy it.
func (k *checker[S]) decideAll(states S) []S {
	all := make([]S, len(k.closure.Nodes))
	for i := range all {
		all[i], _ = k.ask(syntax.Index(i), states, repeatedly)
	}
	return all
}

// unfolding builds an Unfolding.
type unfolding[S any] struct {
	*checker[S]
	Unfolding[S]
	index         syntax.Index
	node          syntax.Node
	visited, q, p Collection[S]
	leaves        Collection[S] // reached states that were decided before: as satisfying an Until, or violating a Release
	done          Collection[S] // where last transitions may lead
	early         *earlyEnd[S]  // nil if the unfolding does not end early
}

// newUnfolding returns an empty unfolding for a formula. Its caller must release it.
func (k *checker[S]) newUnfolding(i syntax.Index, often frequency) *unfolding[S] {
	u := &unfolding[S]{checker: k, index: i, node: k.closure.Nodes[i]}
	u.visited = k.sets.Collect()
	u.q = k.sets.Collect()
	u.p = k.sets.Collect()
	u.leaves = k.sets.Collect()
	u.done = k.sets.Collect()
	// A transition with a wrong label alone violates a formula about all runs with labels. The search does
	// not look for such early ends.
	hasLabels := u.node.Labels != syntax.AnyLabel || u.node.Last != syntax.NoLast
	violatedByLabels := hasLabels && u.node.Path == syntax.All
	mayEndEarly := often == once && !violatedByLabels
	if mayEndEarly {
		u.early = &earlyEnd[S]{
			z:      k.sets.Collect(),
			before: k.sets.Collect(),
			leaves: k.sets.Collect(),
		}
	}
	return u
}

// release returns the collections, so that the next unfolding can reuse their memory.
func (u *unfolding[S]) release() {
	all := []Collection[S]{u.visited, u.q, u.p, u.leaves, u.done}
	e := u.early
	if e != nil {
		all = append(all, e.z, e.before, e.leaves)
	}
	for _, c := range all {
		c.Release()
	}
}

// unfold visits the states that are reachable from the asked ones, as far as the formula depends on
// them.
func (u *unfolding[S]) unfold(asked S) {
	reached := asked
	for {
		f := Frontier[S]{Reached: reached}
		f.New = u.visited.New(u.bad[u.index].New(u.good[u.index].New(reached)))
		u.leaves.Add(u.decidedBefore(reached, u.node.Op == syntax.Until))
		u.visited.Add(f.New)
		u.visits += u.sets.Count(f.New)
		q, p := u.divide(&f)
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
		reached = u.sets.Post(p, u.node.Labels)
	}
}

// decidedBefore returns which of the reached states were already found to satisfy the formula or, if holds
// is false, to violate it.
func (u *unfolding[S]) decidedBefore(reached S, holds bool) S {
	if holds {
		return u.good[u.index].Known(reached)
	}
	return u.bad[u.index].Known(reached)
}

// divide asks the operands about the new states of a frontier. It returns the states that satisfy the
// formula by themselves, and the states where that depends on their successors.
func (u *unfolding[S]) divide(f *Frontier[S]) (q, p S) {
	s := u.sets
	if s.IsEmpty(f.New) {
		return f.New, f.New
	}
	switch {
	case u.node.Op == syntax.Release:
		var right S
		right, f.Right = u.ask(u.node.Right, f.New, repeatedly)
		q, f.Left = u.ask(u.node.Left, right, repeatedly)
		return q, s.Minus(right, q)
	case u.node.Last == syntax.NoLast:
		q, f.Right = u.ask(u.node.Right, f.New, repeatedly)
		p, f.Left = u.ask(u.node.Left, s.Minus(f.New, q), repeatedly)
		return q, p
	}
	return u.divideByLast(f)
}

// divideByLast divides the new states of a frontier, as [unfolding.divide] does, for an Until with a condition on
// the last transition.
func (u *unfolding[S]) divideByLast(f *Frontier[S]) (q, p S) {
	s := u.sets
	var left, done S
	left, f.Left = u.ask(u.node.Left, f.New, repeatedly)
	done, f.Right = u.ask(u.node.Right, s.Post(left, u.node.Last), repeatedly)
	u.done.Add(done)
	q = s.PreSome(left, u.node.Last, done)
	if u.node.Path == syntax.All {
		// All transitions must be last ones.
		closer := s.Closing(Closing[S]{
			Labels: u.node.Labels,
			Last:   u.node.Last,
			Done:   done,
		})
		none := s.Collect()
		q = closer.Closed(q, none)
		closer.Release()
		none.Release()
	}
	return q, s.Minus(left, q)
}

// decide computes the fixpoint on the visited states.
//
// If the unfolding ended early, the states of P have only one verdict: an Until about all runs can
// only fail there, and a Release about some run can only hold.
func (u *unfolding[S]) decide() {
	s := u.sets
	u.Visited = u.visited.All()
	u.Q = u.q.All()
	u.P = u.p.All()
	failing := s.Minus(s.Minus(u.Visited, u.Q), u.P)
	if u.node.Op == syntax.Until {
		u.decideUntil(failing)
	} else {
		u.decideRelease(failing)
	}
}

// decideUntil computes the least fixpoint of an Until. The states of failing have neither operand.
func (u *unfolding[S]) decideUntil(failing S) {
	s := u.sets
	if u.Early && u.node.Path == syntax.All {
		u.Holds = u.Q
		u.Ranks = []S{u.Q}
		stuck := s.Deadlocks().Known(u.P)
		u.Fails, _ = u.attract(syntax.Some, s.Union(failing, stuck), u.early.leaves)
		return
	}
	u.Holds, u.Ranks = u.attract(u.node.Path, u.Q, u.leaves)
	u.Fails = failing
	if !u.Early {
		u.Fails = s.Minus(u.Visited, u.Holds)
	}
}

// decideRelease computes the greatest fixpoint of a Release. Its rounds are those of the least fixpoint
// of the dual Until: a state leaves the one in the round in which it enters the other.
func (u *unfolding[S]) decideRelease(failing S) {
	s := u.sets
	if u.Early && u.node.Path == syntax.Some {
		u.Fails = failing
		u.Ranks = []S{failing}
		stuck := s.Deadlocks().Known(u.P)
		u.Holds, _ = u.attract(syntax.Some, s.Union(u.Q, stuck), u.early.leaves)
		return
	}
	dualPath := syntax.All - u.node.Path // Some for All, All for Some
	u.Fails, u.Ranks = u.attract(dualPath, failing, u.leaves)
	u.Holds = u.Q
	if !u.Early {
		u.Holds = s.Minus(u.Visited, u.Fails)
	}
}

// attract returns the states of start together with the states of u.P that are attracted. It also
// returns these states by the round that found them. A state is attracted if it has a transition to
// a state that was found before or is in leaves; if path is All, all of its transitions must lead
// to such states.
func (u *unfolding[S]) attract(
	path syntax.Quantifier,
	start S,
	leaves Collection[S],
) (all S, ranks []S) {
	s := u.sets
	z := s.Collect()
	found := s.Collect()
	defer z.Release()
	defer found.Release()
	closer := s.Closing(Closing[S]{
		Labels: u.node.Labels,
		Last:   u.node.Last,
		Done:   u.done.All(),
	})
	defer closer.Release()
	front := s.Union(start, leaves.All())
	z.Add(front)
	found.Add(start)
	ranks = []S{start}
	for {
		next := z.New(u.p.Known(s.Pre(front, u.node.Labels)))
		if path == syntax.All {
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

// earlyEnd finds out, during an unfolding, whether the visited states decide the question already:
// that a formula about some run holds, or that a formula about all runs fails. A single finite run
// can show this. The opposite depends on all successors of a state, so it cannot be shown early.
type earlyEnd[S any] struct {
	z      Collection[S] // the decided states
	before Collection[S] // states with a transition to a decided state
	leaves Collection[S] // states that were decided before this unfolding
	open   S             // the undecided states among those asked about
}

// endsEarly adds a frontier, and reports whether all asked states are decided.
func (u *unfolding[S]) endsEarly(asked S, f *Frontier[S], q, p S) bool {
	s := u.sets
	e := u.early
	// The search is for states that satisfy a formula about some run, or violate one about all runs.
	found := q
	opposite := s.Minus(s.Minus(f.New, q), p)
	if u.node.Path == syntax.All {
		found, opposite = opposite, found
	}
	deadlockDecides := (u.node.Op == syntax.Until) == (u.node.Path == syntax.All)
	if deadlockDecides {
		found = s.Union(found, s.Deadlocks().Known(p))
	}
	if len(u.Frontiers) == 1 {
		e.open = s.Minus(asked, opposite)
	}
	leaves := u.decidedBefore(f.Reached, u.node.Path == syntax.Some)
	e.leaves.Add(leaves)
	front := e.z.New(s.Union(s.Union(found, leaves), e.before.Known(p)))
	for !s.IsEmpty(front) {
		e.z.Add(front)
		before := s.Pre(front, u.node.Labels)
		e.before.Add(before)
		front = e.z.New(u.p.Known(before))
	}
	// One undecided state is enough to see that the unfolding cannot end yet.
	if !s.IsEmpty(e.z.New(s.Pick(e.open))) {
		return false
	}
	e.open = e.z.New(e.open)
	return s.IsEmpty(e.open)
}
