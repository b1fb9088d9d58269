package symbolic

import (
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// setChecker checks sets by conditions on single transitions.
type setChecker struct {
	*Circuit
	f *syntax.Closure
	claimed
}

// claimed is the claim that sets are evidence for. holds is true if the claim is that the operator
// holds, and false if it fails; some is true for a claim about some run, and false for one about
// all runs; all is true for a claim about all initial states, and false for one about a single one.
type claimed struct{ all, holds, some bool }

// is returns the states where a formula about states holds; the circuit defines its predicates.
func (x *setChecker) is(i int) Set {
	n := x.f.Nodes[i]
	switch n.Op {
	case syntax.True:
		return x.All()
	case syntax.False:
		return x.None()
	case syntax.Deadlock:
		return x.Not(x.pre(x.All()))
	case syntax.Holds:
		return Set{x.predicates[n.Predicate.Name]}
	}
	right := x.is(int(n.Right))
	switch n.Op {
	case syntax.Not:
		return x.Not(right)
	case syntax.And:
		return x.And(x.is(int(n.Left)), right)
	}
	return x.Or(x.is(int(n.Left)), right)
}

func (x *setChecker) within(s, other Set) bool { return x.empty(x.And(s, x.Not(other))) }

// checkSets checks a claim about all runs: each run reaches a state that decides the claim, with
// the rank decreasing, or stays in a set until then.
func checkSets(
	ctx context.Context,
	c *aiger.Circuit,
	f *syntax.Closure,
	n syntax.Node,
	what claimed,
	diagrams []diagram,
) error {
	m, err := NewCircuit(c)
	if err != nil {
		return err
	}
	x := &setChecker{m, f, what}
	left, right := x.is(int(n.Left)), x.is(int(n.Right))
	if !what.holds {
		left, right = x.Not(left), x.Not(right)
	}
	var sets []Set
	for _, d := range diagrams {
		s, err := x.set(d)
		if err != nil {
			return err
		}
		sets = append(sets, s)
	}
	if (n.Op == syntax.Until) == what.holds {
		return x.checkRanks(ctx, sets, left, right)
	}
	if len(sets) != 1 {
		return errors.New("one set is needed")
	}
	return x.checkStay(sets[0], left, right)
}

// checkRanks checks that from each rank some, or all, transitions lead to smaller ranks, and that
// the states of the first rank decide the claim.
func (x *setChecker) checkRanks(ctx context.Context, ranks []Set, left, right Set) error {
	below := x.None()
	for i, rank := range ranks {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case i == 0 && !x.within(rank, right):
			return errors.New("the first rank does not decide")
		case i > 0 && !x.within(rank, x.And(left, x.pre(x.All()))):
			return fmt.Errorf("rank %d has states where runs may not go on, or cannot", i)
		case i > 0 && (x.some && !x.within(rank, x.pre(below)) || !x.some && !x.within(x.post(rank), below)):
			return fmt.Errorf("rank %d leads to no smaller ones", i)
		}
		below = x.Or(below, rank)
	}
	return x.begins(below)
}

// checkStay checks that no state of the set refutes the claim, and that some runs, or all, stay in
// the set until the claim is decided.
func (x *setChecker) checkStay(set, left, right Set) error {
	on := x.And(set, x.Not(left))
	stays := x.within(x.post(on), set)
	if x.some {
		stays = x.within(on, x.Or(x.pre(set), x.Not(x.pre(x.All()))))
	}
	switch {
	case !x.within(set, right):
		return errors.New("the set has states that show the contrary")
	case !stays:
		return errors.New("runs leave the set")
	}
	return x.begins(set)
}

// begins checks that all initial states, or one of them, are in a set.
func (x *setChecker) begins(set Set) error {
	if x.all && !x.within(x.Initial, set) || !x.all && x.empty(x.And(x.Initial, set)) {
		return errors.New("initial states are not among what is shown")
	}
	return x.Err()
}
