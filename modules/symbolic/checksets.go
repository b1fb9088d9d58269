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
	closure *syntax.Closure
	claimed claim
}

// claim is a claim that evidence is for: that an operator holds or does not.
type claim struct {
	// holds is true if the claim is that the operator holds, and false if it fails.
	holds bool
	// onSome is true for a claim about some run, and false for one about all runs.
	onSome bool
	// fromAll is true for a claim about all initial states, and false for one about a single one.
	fromAll bool
	// inSteps reports whether finitely many steps show the claim.
	inSteps bool
}

// claimAbout returns the claim that a formula makes about its operator. The formula holds from all
// initial states, or fails from one.
func claimAbout(operator syntax.Node, formulaHolds, operatorHolds bool) claim {
	return claim{
		holds:   operatorHolds,
		onSome:  (operator.Path == syntax.Some) == operatorHolds,
		fromAll: formulaHolds,
		inSteps: (operator.Op == syntax.Until) == operatorHolds,
	}
}

// evidence returns the kind of evidence for a claim: one run is enough if it need only begin in one
// initial state.
func (c claim) evidence() kind {
	switch {
	case c.onSome && !c.fromAll:
		return byRun
	case c.inSteps:
		return byRanks
	}
	return byStay
}

// statesOf returns the states where a formula about states holds; the circuit defines its predicates.
func (x *setChecker) statesOf(i int) Set {
	n := x.closure.Nodes[i]
	switch n.Op {
	case syntax.True:
		return x.All()
	case syntax.False:
		return x.None()
	case syntax.Deadlock:
		return x.Not(x.predecessors(x.All()))
	case syntax.Holds:
		return Set{x.predicates[n.Predicate.Name]}
	}
	right := x.statesOf(int(n.Right))
	switch n.Op {
	case syntax.Not:
		return x.Not(right)
	case syntax.And:
		return x.And(x.statesOf(int(n.Left)), right)
	}
	return x.Or(x.statesOf(int(n.Left)), right)
}

// isSubset reports whether all states of s are states of another set.
func (x *setChecker) isSubset(s, other Set) bool { return x.isEmpty(x.And(s, x.Not(other))) }

// checkSets checks a claim about all runs: each run reaches a state that decides the claim, with
// the rank decreasing, or stays in a set until then.
func checkSets(
	ctx context.Context,
	c *aiger.Circuit,
	operator operatorAboutRuns,
	claimed claim,
	diagrams []diagram,
) error {
	m, err := NewCircuit(c)
	if err != nil {
		return err
	}
	x := &setChecker{m, operator.closure, claimed}
	left := x.statesOf(int(operator.node.Left))
	right := x.statesOf(int(operator.node.Right))
	if !claimed.holds {
		left, right = x.Not(left), x.Not(right)
	}
	var sets []Set
	for _, d := range diagrams {
		s, err := x.setOf(d)
		if err != nil {
			return err
		}
		sets = append(sets, s)
	}
	if claimed.inSteps {
		return x.checkRanks(ctx, sets, left, right)
	}
	if len(sets) != 1 {
		return errors.New("one set is needed")
	}
	return x.checkStay(sets[0], left, right)
}

// checkRanks checks that the states of the first rank decide the claim, and that each state of another
// rank leads to smaller ranks in the sense of leadsInto.
func (x *setChecker) checkRanks(ctx context.Context, ranks []Set, left, right Set) error {
	below := x.None()
	for i, rank := range ranks {
		if err := ctx.Err(); err != nil {
			return err
		}
		switch {
		case i == 0 && !x.isSubset(rank, right):
			return errors.New("the first rank does not decide")
		case i > 0 && !x.isSubset(rank, x.And(left, x.predecessors(x.All()))):
			return fmt.Errorf("rank %d has states that violate the left operand or have no successor", i)
		case i > 0 && !x.leadsInto(rank, below):
			return fmt.Errorf("rank %d leads to no smaller ones", i)
		}
		below = x.Or(below, rank)
	}
	return x.checkInitial(below)
}

// leadsInto reports whether transitions lead from each state of a set into a target: some
// transition if the claim is about some run, all transitions if it is about all runs.
func (x *setChecker) leadsInto(set, target Set) bool {
	if x.claimed.onSome {
		return x.isSubset(set, x.predecessors(target))
	}
	return x.isSubset(x.successors(set), target)
}

// checkStay checks that no state of the set refutes the claim, and that runs stay in the set until the
// claim is decided: some run from each state if the claim is about some run, and otherwise all runs.
func (x *setChecker) checkStay(set, left, right Set) error {
	undecided := x.And(set, x.Not(left))
	if x.claimed.onSome { // a run that ends in the set stays there
		undecided = x.And(undecided, x.predecessors(x.All()))
	}
	switch {
	case !x.isSubset(set, right):
		return errors.New("the set has states that show the contrary")
	case !x.leadsInto(undecided, set):
		return errors.New("runs leave the set")
	}
	return x.checkInitial(set)
}

// checkInitial checks that all initial states, or one of them, are in a set.
func (x *setChecker) checkInitial(set Set) error {
	isShown := !x.isEmpty(x.And(x.Initial, set))
	if x.claimed.fromAll {
		isShown = x.isSubset(x.Initial, set)
	}
	if !isShown {
		return errors.New("initial states are not among what is shown")
	}
	return x.Err()
}
