package repair

import (
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
)

// disjointRuns returns a number of violating runs no two of which share a member that may be
// forbidden. Each sufficient set has a member of each of these runs, so it has at least that many
// members. Three searches usually show this way that a small set does not suffice; trying small sets
// until none is left can take hundreds. disjointRuns searches for no more runs than are needed to
// exceed the largest size of a set. It searches for none if that size is not small, if only some
// runs count, or if that many searches could exceed the limit of work.
func (x *fewest) disjointRuns() (runs int, err error) {
	enough := x.o.Most + 1
	passes := int64(enough) * x.pass()
	if x.o.Most == 0 || x.o.Most > mostInCut || x.o.Fair || x.o.Fairness != nil ||
		x.o.Work > 0 && passes > x.o.Work {
		return 0, nil
	}
	if err := x.m.FindPredecessors(x.ctx); err != nil {
		return 0, err
	}
	gone := make(map[lts.Transition]bool)
	run := x.o.First
	for ; runs < enough; runs++ {
		if run == nil {
			run, err = x.violationBeside(gone)
			if err != nil || run == nil {
				return runs, err
			}
		}
		before := len(gone)
		for _, t := range run.Steps() {
			if x.o.Controllable == nil || x.o.Controllable(t.Label) {
				gone[x.member(t)] = true
			}
		}
		if len(gone) == before {
			return runs, nil // no set excludes this run
		}
		run = nil
	}
	return runs, nil
}

// violationBeside returns a violating run of the model that takes no gone member; nil if there is
// none.
func (x *fewest) violationBeside(gone map[lts.Transition]bool) (*counterexample.Trace, error) {
	isGone := func(t lts.Transition) bool { return gone[x.member(t)] }
	var sources []lts.State
	for t := range x.m.Transitions() {
		if isGone(t) {
			sources = append(sources, t.From)
		}
	}
	ends := deadEnds(x.m, sources, isGone)
	if ends.Has(x.m.Initial()) {
		return nil, nil
	}
	rest, err := x.m.Without(func(t lts.Transition) bool {
		return ends.Has(t.From) || ends.Has(t.To) || isGone(t)
	})
	if err != nil {
		return nil, err
	}
	return x.shortRun(rest)
}
