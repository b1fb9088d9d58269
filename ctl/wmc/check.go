package wmc

import (
	"context"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/internal/abort"
)

// Answer is the result of a check.
type Answer[S any] struct {
	Closure *ctl.Closure
	// Good are the states asked about that satisfy the formula, Bad those that violate it.
	Good, Bad S
	// Root is the evidence; nil if the formula needs none.
	Root *Node[S]
	// Visits is the number of states visited for formulas about runs, repeated visits counted.
	Visits float64
}

// Options say how a formula is checked. The zero value is the default.
type Options struct {
	// Exhaust lets unfoldings continue when the question is decided.
	Exhaust bool
}

// Check returns which of the states asked about satisfy the formula of a closure, with evidence.
// Its errors come from ctx, or from [Sets.Holding].
//
// Cost O(|φ| (S + T)) for sets of an LTS, where S and T count the states and transitions that it
// visits, and |φ| the formulas of the closure. The depth of recursion is that of the formula.
func Check[S any](ctx context.Context, sets Sets[S], c *ctl.Closure, asked S, o Options) (_ *Answer[S], err error) {
	defer abort.Caught(&err)
	k := newChecker(ctx, sets, c)
	k.options = o
	good, root := k.ask(c.Root(), asked, !o.Exhaust)
	return &Answer[S]{Closure: c, Good: good, Bad: sets.Minus(asked, good), Root: root, Visits: k.visits}, nil
}

// checker has, for each formula, the states that are known to satisfy it and to violate it.
type checker[S any] struct {
	ctx       context.Context
	sets      Sets[S]
	c         *ctl.Closure
	options   Options
	good, bad []Collection[S]
	visits    float64
}

// newChecker looks up all predicates at once, so that a name which the model does not know is
// always an error.
func newChecker[S any](ctx context.Context, sets Sets[S], c *ctl.Closure) *checker[S] {
	k := &checker[S]{ctx: ctx, sets: sets, c: c}
	for _, n := range c.Nodes {
		abort.On(ctx.Err())
		if n.Op == ctl.Holds {
			abort.Must(sets.Holding(n.Predicate))
		}
		k.good = append(k.good, sets.Collect())
		k.bad = append(k.bad, sets.Collect())
	}
	return k
}

// ask returns which states of a set satisfy a formula, and the evidence for those that were not
// decided before. once reports whether no operator about runs is above the formula, so that it is
// asked only once: then unfoldings may end early, though they leave visited states undecided.
func (k *checker[S]) ask(i ctl.Index, asked S, once bool) (good S, node *Node[S]) {
	abort.On(k.ctx.Err())
	switch n := k.c.Nodes[i]; n.Op {
	case ctl.True:
		return asked, nil
	case ctl.False:
		return k.sets.Empty(), nil
	case ctl.Deadlock:
		return k.sets.Deadlocks().Known(asked), nil
	case ctl.Holds:
		holding := abort.Must(k.sets.Holding(n.Predicate))
		return holding.Known(asked), nil
	}
	before := k.good[i].Known(asked)
	rest := k.bad[i].New(k.good[i].New(asked))
	if k.sets.IsEmpty(rest) {
		return before, nil
	}
	node = &Node[S]{Formula: i, Asked: rest}
	k.answer(node, once)
	node.Bad = k.sets.Minus(node.Asked, node.Good)
	if u := node.Unfolding; u != nil {
		k.good[i].Add(u.Holds)
		k.bad[i].Add(u.Fails)
	} else {
		k.good[i].Add(node.Good)
		k.bad[i].Add(node.Bad)
	}
	return k.sets.Union(before, node.Good), node
}

// answer sets which states of a node satisfy its formula, with the evidence.
func (k *checker[S]) answer(node *Node[S], once bool) {
	n := k.c.Nodes[node.Formula]
	var left, right S
	switch n.Op {
	case ctl.Not:
		right, node.Right = k.ask(n.Right, node.Asked, once)
		node.Good = k.sets.Minus(node.Asked, right)
	case ctl.And:
		left, node.Left = k.ask(n.Left, node.Asked, once)
		node.Good, node.Right = k.ask(n.Right, left, once)
	case ctl.Or:
		left, node.Left = k.ask(n.Left, node.Asked, once)
		right, node.Right = k.ask(n.Right, k.sets.Minus(node.Asked, left), once)
		node.Good = k.sets.Union(left, right)
	case ctl.Next:
		right, node.Right = k.ask(n.Right, k.sets.Post(node.Asked, n.Labels), once)
		if n.Path == ctl.Some {
			node.Good = k.sets.PreSome(node.Asked, n.Labels, right)
		} else {
			node.Good = k.sets.PreAll(node.Asked, n.Labels, right)
		}
	default:
		u := k.newUnfolding(node.Formula, once)
		defer u.release()
		u.unfold(node.Asked)
		u.decide()
		node.Unfolding = &u.Unfolding
		node.Good = k.sets.Intersect(node.Asked, u.Holds)
	}
}

// Decide returns, for each formula of a closure, which of some states satisfy it. Cost O(|φ| (S +
// T)), as for [Check].
func Decide[S any](ctx context.Context, sets Sets[S], c *ctl.Closure, states S) (_ []S, err error) {
	defer abort.Caught(&err)
	k := newChecker(ctx, sets, c)
	all := make([]S, len(c.Nodes))
	for i := range c.Nodes {
		all[i], _ = k.ask(ctl.Index(i), states, false)
	}
	return all, nil
}
