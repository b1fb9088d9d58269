package repair

import (
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// passesFairly is the factor by which an assumption makes the work of a check larger.
const passesFairly = 4

// againstFairViolation returns a clause that rest, the model without the set, does not meet; nil if
// there is none. The clause excludes a run that counts in rest and violates the property, or a
// finite run that cannot be continued to a run that counts.
func (x *fewest) againstFairViolation(
	rest *lts.LTS,
	forbidden map[lts.Transition]bool,
) (*clause, error) {
	failed, err := x.againstStranded(rest, forbidden)
	if err != nil || failed != nil {
		return failed, err
	}
	fates, err := x.fates(rest, x.p)
	if err != nil || fates.Holds() {
		return nil, err
	}
	r, err := counterexample.Fair(x.ctx, fates)
	if err != nil {
		return nil, err
	}
	return x.againstRunOf(rest, r.Trace, forbidden)
}

// fates returns the fates of the states of m, where only runs that x.o.Fairness admits count.
func (x *fewest) fates(m *lts.LTS, p *property.Property) (*fate.Map, error) {
	o := fate.Options{}
	o.Fairness = x.o.Fairness
	return fate.Of(x.ctx, m, p, o)
}

// againstStranded returns the clause that excludes the nearest state from which no run of rest counts,
// although some run of the model itself does; nil if there is none. Only labels that occur finitely
// often can cause such a state.
func (x *fewest) againstStranded(rest *lts.LTS, forbidden map[lts.Transition]bool) (*clause, error) {
	if !x.o.Fairness.Excludes() {
		return nil, nil
	}
	if x.counted == nil {
		counted, err := x.statesThatCount(x.m)
		if err != nil {
			return nil, err
		}
		x.counted = counted
	}
	stillCounted, err := x.statesThatCount(rest)
	if err != nil {
		return nil, err
	}
	var end lts.State
	found := false
	isStranded := func(s lts.State) bool {
		found = x.counted.Has(s) && !stillCounted.Has(s)
		end = s
		return found
	}
	tree, err := bfs.From(x.ctx, rest, []lts.State{rest.Initial()}, bfs.Options{Until: isStranded})
	if err != nil || !found {
		return nil, err
	}
	return x.againstPath(rest, tree.Path(end), end, forbidden)
}

// statesThatCount returns the reachable states of a model from which some run counts.
func (x *fewest) statesThatCount(m *lts.LTS) (bitset.Set[lts.State], error) {
	anything, err := property.Table(m.Alphabet(), property.Automaton{
		Letters:    make([]uint16, m.Alphabet().Len()),
		Columns:    1,
		Next:       []property.Q{0},
		Acceptance: property.Always(),
		Stop:       []bool{true},
	})
	if err != nil {
		return nil, err
	}
	fates, err := x.fates(m, anything)
	if err != nil {
		return nil, err
	}
	counted := bitset.New[lts.State](m.NumStates())
	for s := range lts.State(m.NumStates()) {
		if m.Reachable().Has(s) && fates.AdmitsFrom(s, 0) {
			counted.Add(s)
		}
	}
	return counted, nil
}

// againstRunOf returns the clause that excludes a run of rest, the model without the set. Under an
// assumption, there is another way to exclude a run with a loop: if a forbidden transition from its
// loop is allowed again, the run may no longer count.
func (x *fewest) againstRunOf(
	rest *lts.LTS,
	run *counterexample.Trace,
	forbidden map[lts.Transition]bool,
) (*clause, error) {
	countsInAnyCase := run.Kind() == counterexample.Deadlock || run.Kind() == counterexample.Prefix
	if x.o.Fairness == nil || countsInAnyCase {
		c := x.againstRun(run)
		return &c, nil
	}
	loop, isLasso := run.LoopStart()
	if !isLasso {
		return x.againstPath(rest, run.Steps(), run.Last(), forbidden)
	}
	c := &clause{someTrue: x.variables(run.Steps()...)}
	for _, t := range run.Steps()[loop:] {
		x.allowOne(c, t.From, forbidden)
	}
	c.sort()
	return c, nil
}

// againstPath returns the clause that excludes a path. It is also met by any change to the part of
// the model that is reachable after the path.
func (x *fewest) againstPath(
	rest *lts.LTS,
	path []lts.Transition,
	end lts.State,
	forbidden map[lts.Transition]bool,
) (*clause, error) {
	c := &clause{someTrue: x.variables(path...)}
	addChanges := func(s lts.State) (stop bool) {
		labels, targets := rest.Out(s)
		for i, to := range targets {
			c.someTrue = append(c.someTrue, x.variables(lts.Transition{
				From:  s,
				Label: labels.At(i),
				To:    to,
			})...)
		}
		x.allowOne(c, s, forbidden)
		return false
	}
	_, err := bfs.From(x.ctx, rest, []lts.State{end}, bfs.Options{Until: addChanges})
	c.sort()
	return c, err
}

// allowOne adds an alternative to a clause: one of the forbidden transitions from a state is
// allowed.
func (x *fewest) allowOne(c *clause, s lts.State, forbidden map[lts.Transition]bool) {
	for _, v := range x.variablesLeaving(s) {
		if forbidden[x.members.All[v]] {
			c.someFalse = append(c.someFalse, v)
		}
	}
}
