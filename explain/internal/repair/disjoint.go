package repair

import (
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
)

// disjointRuns searches for violating runs such that no two of them share a member that may be
// forbidden, and returns their number. Each sufficient set has a member of each of these runs, so
// it has at least as many members. Three searches usually show this way that a small set does not
// suffice; trying small sets until none is left can take hundreds. disjointRuns searches for no
// more runs than are needed to exceed the largest size of a set. It searches for none if that size
// is not small, if only some runs count, or if that many searches could exceed the limit of work.
func (x *fewest) disjointRuns() (runs int, err error) {
	enough := x.o.Most + 1
	passes := int64(enough) * x.pass()
	isSmall := x.o.Most > 0 && x.o.Most <= mostInCut
	allRunsCount := !x.o.Fair && x.o.Fairness == nil
	isTooMuchWork := x.o.Work > 0 && passes > x.o.Work
	if !isSmall || !allRunsCount || isTooMuchWork {
		return 0, nil
	}
	if err := x.m.FindPredecessors(x.ctx); err != nil {
		return 0, err
	}
	forbidden := make(map[lts.Transition]bool) // the members of the runs so far
	run := x.o.First
	for ; runs < enough; runs++ {
		if run == nil {
			run, err = x.violationWithoutMembers(forbidden)
			if err != nil || run == nil {
				return runs, err
			}
		}
		before := len(forbidden)
		for _, t := range run.Steps() {
			if x.o.Controllable == nil || x.o.Controllable(t.Label) {
				forbidden[x.member(t)] = true
			}
		}
		if len(forbidden) == before {
			return runs, nil // no set excludes this run
		}
		run = nil
	}
	return runs, nil
}

// violationWithoutMembers returns a violating run of the model that takes no forbidden member; nil if
// there is none.
func (x *fewest) violationWithoutMembers(forbidden map[lts.Transition]bool) (*counterexample.Trace, error) {
	isForbidden := func(t lts.Transition) bool { return forbidden[x.member(t)] }
	var sources []lts.State
	for t := range x.m.Transitions() {
		if isForbidden(t) {
			sources = append(sources, t.From)
		}
	}
	ends := deadEnds(x.m, sources, isForbidden)
	if ends.Has(x.m.Initial()) {
		return nil, nil
	}
	rest, err := x.m.Without(func(t lts.Transition) bool {
		return ends.Has(t.From) || ends.Has(t.To) || isForbidden(t)
	})
	if err != nil {
		return nil, err
	}
	return x.shortRun(rest)
}
