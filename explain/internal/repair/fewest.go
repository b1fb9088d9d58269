package repair

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/property"
)

// FewestOptions describe the candidates for a smallest set.
type FewestOptions struct {
	// Controllable is as in Options.
	Controllable func(lts.Label) bool
	// Labels looks for the fewest labels to be forbidden everywhere, instead of
	// transitions.
	Labels bool
	// Most is the number of members up to which a set is looked for; 0 for any number. If
	// there is none, no larger one is, either.
	Most int
	// First, where it is not nil, is a run of the model that violates the property: the first set,
	// which is empty, is not tried then.
	First *counterexample.Trace
	// Work is the number of transitions to look at, each as often as it is, and of literals
	// of the search; 0 for any number.
	Work int64
}

// Fewest is a smallest set without which the property holds, whatever happened before.
type Fewest struct {
	// Transitions or Labels are the set, ascending, duplicates of a transition counting
	// once; empty if the property holds.
	Transitions []lts.Transition
	Labels      []lts.Label
	// Found reports whether there is such a set, or at least one is known.
	Found bool
	// Exact reports whether there is no smaller one, and where none is found, none at all.
	Exact bool
	// AtLeast is the number of members that every such set has.
	AtLeast int
}

// ErrWork is the error of work that has reached its limit.
var ErrWork = errors.New("the limit of work has been reached")

// FindFewest looks for the fewest transitions or labels that can be forbidden so that
// p holds in m, without new deadlocks and without looking at what happened before.
// There may be none where there is a supervisor that does look. The problem is NP-hard:
// sets are tried that meet what the failures of those before demand (implicit hitting
// sets), smallest first. Where the limit ends the search, Exact is false, and what is
// returned is the set of a supervisor that goes on towards the end, as far as as much work
// again makes it smaller, where it does not need to look back. Errors as for [Find]. Cost O(n (S + T)) for each set that is tried; the number of sets is exponential
// in the size of the answer at worst.
func FindFewest(ctx context.Context, m *lts.LTS, p *property.Property, o FewestOptions) (*Fewest, error) {
	x := &fewest{ctx: ctx, m: m, p: p, o: o, variable: map[lts.Transition]int{}}
	x.solver.spend, x.solver.most = x.spend, o.Most
	f := &Fewest{}
	if o.First != nil {
		x.solver.clauses = append(x.solver.clauses, x.against(o.First))
	}
	for {
		chosen, ok, err := x.solver.next()
		if err == nil && ok {
			err = x.demand(chosen)
		}
		f.AtLeast = x.solver.size
		switch {
		case o.Most > 0 && (errors.Is(err, ErrWork) || err == nil && f.AtLeast > o.Most):
			return f, nil
		case errors.Is(err, ErrWork):
			return f, x.enough(f)
		case err != nil:
			return nil, err
		case !ok:
			f.Exact = true
			return f, nil
		case x.failed == nil:
			f.Found, f.Exact = true, true
			for _, v := range chosen {
				if o.Labels {
					f.Labels = append(f.Labels, x.members[v].Label)
				} else {
					f.Transitions = append(f.Transitions, x.members[v])
				}
			}
			slices.Sort(f.Labels)
			slices.SortFunc(f.Transitions, compare)
			return f, nil
		}
		x.solver.clauses = append(x.solver.clauses, *x.failed)
	}
}

// fewest is a search for a smallest set.
type fewest struct {
	ctx context.Context
	m   *lts.LTS
	p   *property.Property
	o   FewestOptions
	// members are the transitions, or labels, that may be forbidden and were met; variable
	// has their numbers.
	members  []lts.Transition
	variable map[lts.Transition]int
	solver   solver
	failed   *clause // what the set tried last does not meet; nil if it suffices
	work     int64
}

func (x *fewest) spend(work int) error {
	x.work += int64(work)
	if x.o.Work > 0 && x.work > x.o.Work {
		return ErrWork
	}
	return x.ctx.Err()
}

// enough looks for a set that suffices, without it being a smallest one.
func (x *fewest) enough(f *Fewest) error {
	if x.o.Labels {
		return nil
	}
	o := Options{Controllable: x.o.Controllable}
	g, err := newGame(x.ctx, x.m, x.p, o)
	if err != nil {
		return err
	}
	if _, err := g.solveFor(x.ctx, x.p, o); err != nil || !g.wins(0) {
		return err
	}
	var set []int
	for _, t := range g.detours() {
		if v, can := x.number(t); can {
			set = append(set, v)
		}
	}
	slices.Sort(set)
	set = slices.Compact(set)
	x.work = 0
	for next := -1; next < len(set); next++ {
		trial := set
		if next >= 0 {
			trial = slices.Delete(slices.Clone(set), next, next+1)
		}
		switch err := x.demand(trial); {
		case errors.Is(err, ErrWork), err == nil && next < 0 && x.failed != nil:
			next = len(set)
		case err != nil:
			return err
		case x.failed == nil:
			f.Found = true
			if next >= 0 {
				set = trial
				next--
			}
		}
	}
	if f.Found {
		for _, v := range set {
			f.Transitions = append(f.Transitions, x.members[v])
		}
		slices.SortFunc(f.Transitions, compare)
	}
	return nil
}

// number returns the variable of a transition; false if it cannot be forbidden.
func (x *fewest) number(t lts.Transition) (int, bool) {
	if x.o.Controllable != nil && !x.o.Controllable(t.Label) {
		return 0, false
	}
	if x.o.Labels {
		t = lts.Transition{Label: x.m.Alphabet().Plain(t.Label)}
	}
	v, known := x.variable[t]
	if !known {
		v = len(x.members)
		x.variable[t] = v
		x.members = append(x.members, t)
	}
	return v, true
}

// demand tries a set, and sets failed to what it does not meet.
func (x *fewest) demand(chosen []int) error {
	if err := x.spend(max(1, x.p.States()-1) * (x.m.NumStates() + x.m.NumTransitions())); err != nil {
		return err
	}
	forbidden := map[int]bool{}
	for _, v := range chosen {
		forbidden[v] = true
	}
	left, err := x.without(forbidden)
	if err != nil {
		return err
	}
	if x.failed, err = x.newDeadlock(left); err != nil || x.failed != nil {
		return err
	}
	trace, err := x.violating(left)
	if err != nil || trace == nil {
		return err
	}
	failed := x.against(trace)
	x.failed = &failed
	return nil
}

// against returns what demands that a run is none, or does not stop where it does.
func (x *fewest) against(trace *counterexample.Trace) clause {
	c := clause{one: x.numbers(trace.Steps())}
	if trace.Kind() == counterexample.Deadlock && !x.m.IsDeadlock(trace.Last()) {
		c.not = x.leaving(trace.Last())
	}
	return c
}

// violating returns a run of what is left that violates the property, in general a shortest one; nil
// if there is none.
func (x *fewest) violating(left *lts.LTS) (*counterexample.Trace, error) {
	r, err := counterexample.Shortest(x.ctx, left, x.p, counterexample.Options{Limit: x.limit()})
	if err != nil {
		return nil, err
	}
	return r.Trace, nil
}

// fewForShortest is the number of states and transitions up to which, where work is limited, a shortest
// run that violates a property is looked for that is no chain: it takes many passes. Any run demands
// something, a short one demands more.
const fewForShortest = 20_000

// limit returns the limit of the search for a violating run: see [counterexample.Options].
func (x *fewest) limit() int64 {
	if x.o.Work == 0 || x.p.Steps() > 0 || x.m.NumStates()+x.m.NumTransitions() <= fewForShortest {
		return 0
	}
	return 1
}

// without returns the model without a set.
func (x *fewest) without(forbidden map[int]bool) (*lts.LTS, error) {
	var b lts.Builder
	b.Over(x.m.Alphabet())
	for t := range x.m.Transitions() {
		key := t
		if x.o.Labels {
			key = lts.Transition{Label: x.m.Alphabet().Plain(t.Label)}
		}
		if v, known := x.variable[key]; !known || !forbidden[v] {
			b.Add(t.From, t.Label, t.To)
		}
	}
	return b.Build(x.m.Initial(), x.m.NumStates())
}

// newDeadlock returns what demands that the nearest new deadlock is none, or not come to.
func (x *fewest) newDeadlock(left *lts.LTS) (*clause, error) {
	at, is := lts.State(0), false
	tree, err := bfs.From(x.ctx, left, []lts.State{left.Initial()}, bfs.Options{Until: func(s lts.State) bool {
		is = left.IsDeadlock(s) && !x.m.IsDeadlock(s)
		at = s
		return is
	}})
	if err != nil || !is {
		return nil, err
	}
	return &clause{one: x.numbers(tree.Path(at)), not: x.leaving(at)}, nil
}

// numbers returns the variables of transitions, ascending.
func (x *fewest) numbers(steps []lts.Transition) []int {
	var numbers []int
	for _, t := range steps {
		if v, can := x.number(t); can {
			numbers = append(numbers, v)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// leaving returns the variables of the transitions that leave a state.
func (x *fewest) leaving(s lts.State) []int {
	var steps []lts.Transition
	labels, targets := x.m.Out(s)
	for i, to := range targets {
		steps = append(steps, lts.Transition{From: s, Label: labels.At(i), To: to})
	}
	return x.numbers(steps)
}
