package repair

import (
	"context"
	"errors"
	"math/bits"
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

// clause demands that one of some variables is true, or one of others false.
type clause struct{ one, not []int }

// solver finds smallest sets of true variables that meet all clauses.
type solver struct {
	clauses []clause
	spend   func(work int) error
	// size is the number of true variables that there are at least.
	size int
	// most is the size beyond which no set is looked for; 0 for any number.
	most int

	value map[int]bool
}

// next returns a smallest set of variables, ascending, that meets all clauses where the
// others are false; false if there is none. It begins with the size of the one before:
// more clauses do not make a set smaller. It fails if spend does.
func (s *solver) next() ([]int, bool, error) {
	variables := map[int]bool{}
	for _, c := range s.clauses {
		for _, v := range c.one {
			variables[v] = true
		}
	}
	for ; s.size <= len(variables); s.size++ {
		if s.most > 0 && s.size > s.most {
			return nil, false, nil
		}
		s.value = map[int]bool{}
		if is, err := s.meets(s.size); is || err != nil {
			return s.chosen(), is, err
		}
	}
	return nil, false, nil
}

func (s *solver) chosen() []int {
	var chosen []int
	for v, is := range s.value {
		if is {
			chosen = append(chosen, v)
		}
	}
	slices.Sort(chosen)
	return chosen
}

// meets makes at most so many more variables true so that all clauses are met. Of the
// first clause that is not, one variable after the other is tried, those before it being
// false from then on. Of a few the last one comes first: what is forbidden late on a run
// leaves most of it.
func (s *solver) meets(left int) (bool, error) {
	at, looked := -1, 1
	for i, c := range s.clauses {
		looked += 1 + len(c.one) + len(c.not)
		if !s.isMet(c) {
			at = i
			break
		}
	}
	if err := s.spend(looked); err != nil || at < 0 {
		return at < 0, err
	}
	if left == 0 {
		return false, nil
	}
	var tried []int
	defer func() {
		for _, v := range tried {
			delete(s.value, v)
		}
	}()
	one := s.clauses[at].one
	if s.most > 0 {
		one = slices.Clone(one)
		slices.Reverse(one)
	}
	for _, v := range one {
		if _, fixed := s.value[v]; fixed {
			continue
		}
		s.value[v] = true
		if is, err := s.meets(left - 1); is || err != nil {
			return is, err
		}
		s.value[v] = false
		tried = append(tried, v)
	}
	return false, nil
}

// isMet reports whether a clause is met where what has no value is false.
func (s *solver) isMet(c clause) bool {
	return slices.ContainsFunc(c.one, func(v int) bool { return s.value[v] }) ||
		slices.ContainsFunc(c.not, func(v int) bool { return !s.value[v] })
}

// mostStamps is the size of a set of numbers up to which it is an array.
const mostStamps = 1 << 23

// met is a set of numbers below a size, which can be emptied at once.
type met struct {
	stamps []uint32 // of the numbers that are in the set now; nil if the size is too large
	now    uint32
	others table
}

// newMet returns an empty set. Cost 4 bytes a number, up to 32 MB; beyond that what is in it.
func newMet(size uint64) *met {
	m := &met{now: 1}
	if size <= mostStamps {
		m.stamps = make([]uint32, size)
	} else {
		m.others = newTable()
	}
	return m
}

// empty takes all numbers out.
func (m *met) empty() {
	if m.now++; m.stamps == nil {
		m.others = newTable()
	}
}

func (m *met) has(i uint64) bool {
	if m.stamps != nil {
		return m.stamps[i] == m.now
	}
	return m.others.slots[m.others.slot(i)] != 0
}

func (m *met) add(i uint64) {
	if m.stamps != nil {
		m.stamps[i] = m.now
		return
	}
	m.others.add(i)
}

// table is a set of numbers, by hashing with linear probing: a search asks it for each pair it
// comes to, in half the time of a map.
type table struct {
	slots []uint64 // a number and one, 0 if there is none; their number is a power of two
	count int
}

func newTable() table { return table{slots: make([]uint64, 64)} }

// slot returns where a number is, or has to be put.
func (t *table) slot(i uint64) uint64 {
	mask := uint64(len(t.slots) - 1)
	// The upper bits of the product depend on all of the number.
	at := i * 0x9e3779b97f4a7c15 >> (64 - bits.TrailingZeros(uint(len(t.slots))))
	for t.slots[at] != 0 && t.slots[at] != i+1 {
		at = (at + 1) & mask
	}
	return at
}

func (t *table) add(i uint64) {
	if 2*t.count >= len(t.slots) {
		old := t.slots
		t.slots, t.count = make([]uint64, 2*len(old)), 0
		for _, kept := range old {
			if kept != 0 {
				t.add(kept - 1)
			}
		}
	}
	if at := t.slot(i); t.slots[at] == 0 {
		t.slots[at] = i + 1
		t.count++
	}
}
