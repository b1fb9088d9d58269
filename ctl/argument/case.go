package argument

import (
	"context"

	"github.com/inev-lts/inev/ctl/internal/fair"
	"github.com/inev-lts/inev/ctl/internal/logic"
	"github.com/inev-lts/inev/ctl/wmc"
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// Case is a formula with what is decided of it in the states that can be reached from
// some. It is not for several goroutines.
type Case struct {
	ctx     context.Context
	m       *lts.LTS
	c       *logic.Closure
	means   [][]bool
	states  wmc.States // that can be reached
	in      bitset.Set[lts.State]
	holds   []bitset.Set[lts.State] // by formula
	weights map[claim]*weighing
	parts   *scc.Parts
	shown   int // claims until now
	// fair is what was decided of fair runs; nil if all runs count.
	fair *fair.Decision
}

// New returns the case of a formula in all that can be reached from some states, which
// sets are those of m. Means are the labels of patterns, see [logic.Closure.Bind]. Cost
// O(|φ| (S + T)).
func New(ctx context.Context, m *lts.LTS, sets *wmc.Explicit, c *logic.Closure, means [][]bool, from wmc.States) (*Case, error) {
	x := &Case{ctx: ctx, m: m, c: c, means: means, in: bitset.New[lts.State](m.NumStates()), weights: map[claim]*weighing{}}
	reached := sets.Collect()
	for front := from; len(front) > 0; front = reached.New(sets.Post(front, logic.AnyLabel)) {
		reached.Add(front)
	}
	x.states = reached.All()
	reached.Release()
	for _, s := range x.states {
		x.in.Add(s)
	}
	good, err := wmc.Decide(ctx, sets, c, x.states)
	if err != nil {
		return nil, err
	}
	for _, states := range good {
		holds := bitset.New[lts.State](m.NumStates())
		for _, s := range states {
			holds.Add(s)
		}
		x.holds = append(x.holds, holds)
	}
	x.parts, err = scc.NewParts(ctx, m)
	return x, err
}

// Holds reports whether the formula holds in a state that can be reached from those that
// the case is about.
func (x *Case) Holds(s lts.State) bool { return x.is(claim{x.c.Root(), true}, s) }

// mayEnd reports whether a run that counts may end in a state.
func (x *Case) mayEnd(s lts.State) bool {
	if x.fair == nil {
		return x.m.IsDeadlock(s)
	}
	return x.fair.MayEnd(s)
}

// claim is that a formula holds, or does not.
type claim struct {
	f     logic.Index
	holds bool
}

// is reports whether a claim is true in a state.
func (x *Case) is(c claim, s lts.State) bool { return x.holds[c.f].Has(s) == c.holds && x.counts(s) }

func (x *Case) has(l logic.Labels, label lts.Label) bool {
	return l == logic.AnyLabel || l >= 0 && x.means[l][label]
}

// shape is how a claim is argued.
type shape uint8

const (
	fact    shape = iota // by the state itself
	not                  // by the claim about the operand
	both                 // by two claims
	either               // by one of two
	step                 // by a transition
	steps                // by all transitions
	finite               // by a run that comes to where it is decided
	forever              // by a run on which nothing changes that
	layers               // by all runs: they come to where it is decided
	set                  // by all that can be reached
	fairly               // by a fair run on which nothing changes that
	outrun               // by all fair runs: they come to where it is decided
)

// shapeOf returns how a claim is argued, and the claims of which it is made: for runs what
// is so on the way, and where they end.
func (x *Case) shapeOf(c claim) (how shape, left, right claim) {
	n := x.c.Nodes[c.f]
	left, right = claim{n.Left, c.holds}, claim{n.Right, c.holds}
	some := (n.Path == logic.Some) == c.holds
	switch n.Op {
	case logic.Not:
		right.holds = !c.holds
		return not, left, right
	case logic.And, logic.Or:
		if (n.Op == logic.And) == c.holds {
			return both, left, right
		}
		return either, left, right
	case logic.Next:
		if some {
			return step, left, right
		}
		return steps, left, right
	case logic.Until, logic.Release:
		switch least := (n.Op == logic.Until) == c.holds; {
		case least && some:
			return finite, left, right
		case least && x.fair != nil:
			return outrun, left, right
		case least:
			return layers, left, right
		case some && x.fair != nil:
			return fairly, left, right
		case some:
			return forever, left, right
		}
		return set, left, right
	}
	return fact, left, right
}
