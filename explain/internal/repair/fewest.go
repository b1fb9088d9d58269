package repair

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// FewestOptions are the options of [FindFewest].
type FewestOptions struct {
	// Controllable has the meaning of [Options.Controllable].
	Controllable func(lts.Label) bool
	// Labels makes the search forbid labels, everywhere, instead of transitions.
	Labels bool
	// Fair has the meaning of [Options.Fair]; with Fair, the property must be inevitability.
	Fair bool
	// Most is the largest number of members of a set; 0 for no limit. With a limit, FindFewest does
	// not look for a larger set in the strategy of a supervisor, either.
	Most int
	// First, unless it is nil, is a run of the model that violates the property, so that the empty
	// set need not be tried.
	First *counterexample.Trace
	// Work is the largest number of transitions to visit and of literals to test, repeated visits
	// included; 0 for no limit.
	Work int64
}

// Fewest is a smallest set of transitions or labels without which the property holds, whatever
// happened before.
type Fewest struct {
	// Transitions or Labels are the set, ascending; duplicates of a transition count once. The set
	// is empty if the property holds.
	Transitions []lts.Transition
	Labels      []lts.Label
	// Found reports whether a set was found.
	Found bool
	// Exact reports whether the set is a smallest one or, if none was found, whether there is none.
	Exact bool
	// AtLeast is a lower bound of the size of every such set.
	AtLeast int
}

// ErrWork reports that the limit of work was reached.
var ErrWork = errors.New("the limit of work has been reached")

// enoughWork calls do, and reports whether the limit of work has not ended it.
func enoughWork(do func()) bool {
	err := abort.Try(do)
	if errors.Is(err, ErrWork) {
		return false
	}
	abort.On(err)
	return true
}

// FindFewest finds the fewest transitions or labels that can be forbidden so that p holds in m,
// without new deadlocks and whatever happened before. There may be none although a supervisor that
// remembers the past exists. The problem is NP-hard: FindFewest tries the smallest sets that meet
// the demands of all earlier failures (implicit hitting sets). If it reaches its limit, Exact is
// false; then it uses the set of a supervisor that always moves towards the goal, if that needs no
// memory, and makes it smaller within the same amount of work. Errors as for [Find]. Cost O(n (S +
// T)) for each set that is tried; the number of sets is at worst exponential in the size of the
// answer.
func FindFewest(ctx context.Context, m *lts.LTS, p *property.Property, o FewestOptions) (_ *Fewest, err error) {
	defer abort.Caught(&err)
	x := &fewest{m: m, p: p, o: o, budget: &budget{ctx: ctx, most: o.Work}}
	x.solver = solver{spend: x.spend, most: o.Most}
	f := &Fewest{}
	if o.First != nil {
		x.solver.clauses = append(x.solver.clauses, x.against(o.First))
	}
	for {
		var chosen []int
		ok := false
		ended := !enoughWork(func() {
			if chosen, ok = x.solver.next(); ok {
				x.demand(chosen)
			}
		})
		f.AtLeast = x.solver.size
		switch {
		case o.Most > 0 && (ended || f.AtLeast > o.Most):
			return f, nil
		case ended:
			x.enough(f)
			return f, nil
		case !ok:
			f.Exact = true
			return f, nil
		case x.failed == nil:
			f.Found, f.Exact = true, true
			x.choose(f, chosen)
			return f, nil
		}
		x.solver.clauses = append(x.solver.clauses, *x.failed)
	}
}

// fewest is a search for a smallest set.
type fewest struct {
	m *lts.LTS
	p *property.Property
	o FewestOptions
	// members are the transitions, or labels, that may be forbidden and occurred in a failure; a variable
	// is the index of one.
	members keyed.List[lts.Transition, lts.Transition]
	solver  solver
	failed  *clause // the demand that the last set does not meet; nil if the set is sufficient
	*budget
}

// budget counts work: nodes and edges, or transitions and literals, repeated visits included.
type budget struct {
	ctx        context.Context
	work, most int64 // most is the limit of work; 0 for no limit
}

// spend adds to the work, and ends the search if the limit is exceeded.
func (b *budget) spend(work int) {
	if b.work += int64(work); b.most > 0 && b.work > b.most {
		abort.On(ErrWork)
	}
	abort.On(b.ctx.Err())
}

// enough searches for a sufficient set, which need not be a smallest one.
func (x *fewest) enough(f *Fewest) {
	if x.o.Labels {
		return
	}
	o := Options{Controllable: x.o.Controllable, Fair: x.o.Fair}
	g := newGame(x.ctx, x.m, x.p, o)
	if g.solve(x.ctx, x.p, o); !g.wins(0) {
		return
	}
	// The set has the transitions from reachable product states that are won, while the property is
	// pending, that lead to a product state that is not won or, for a chain, not won in an earlier round.
	var set []int
	abort.Must(bfs.From(x.ctx, g.m, []lts.State{0}, bfs.Options{Along: func(t lts.Transition) bool {
		lost := g.pending(t.From) > 0 && (!g.wins(t.To) || g.condition == nil && g.rank[t.To] >= g.rank[t.From])
		if lost {
			set = append(set, x.numbers(g.folded(t))...)
		}
		return !lost
	}}))
	slices.Sort(set)
	set = slices.Compact(set)
	x.work = 0
	for next := -1; next < len(set); next++ {
		trial := set
		if next >= 0 {
			trial = slices.Delete(slices.Clone(set), next, next+1)
		}
		switch ended := !enoughWork(func() { x.demand(trial) }); {
		case ended, next < 0 && x.failed != nil:
			next = len(set)
		case x.failed == nil:
			f.Found = true
			if next >= 0 {
				set = trial
				next--
			}
		}
	}
	if f.Found {
		x.choose(f, set)
	}
}

// choose makes some variables the set of f.
func (x *fewest) choose(f *Fewest, chosen []int) {
	for _, v := range chosen {
		if x.o.Labels {
			f.Labels = append(f.Labels, x.members.All[v].Label)
		} else {
			f.Transitions = append(f.Transitions, x.members.All[v])
		}
	}
	slices.Sort(f.Labels)
	slices.SortFunc(f.Transitions, compare)
}

// demand tries a set, and sets failed to a clause that the set does not meet; nil if the set is
// sufficient.
func (x *fewest) demand(chosen []int) {
	x.spend(max(1, x.p.States()-1) * (x.m.NumStates() + x.m.NumTransitions()))
	forbidden := map[lts.Transition]bool{}
	for _, v := range chosen {
		forbidden[x.members.All[v]] = true
	}
	left := abort.Must(x.m.Without(func(t lts.Transition) bool { return forbidden[x.member(t)] }))
	// The nearest new deadlock is excluded if some transition of the path to it is forbidden, or some
	// transition that leaves it is allowed.
	at, is := lts.State(0), false
	tree := abort.Must(bfs.From(x.ctx, left, []lts.State{left.Initial()}, bfs.Options{Until: func(s lts.State) bool {
		at, is = s, left.IsDeadlock(s) && !x.m.IsDeadlock(s)
		return is
	}}))
	if x.failed = nil; is {
		x.failed = &clause{one: x.numbers(tree.Path(at)...), not: x.leaving(at)}
		return
	}
	if x.o.Fair {
		x.failed = x.trap(left, forbidden)
		return
	}
	o := counterexample.Options{} // in general, a shortest run
	if x.o.Work > 0 && x.p.Steps() == 0 && x.m.NumStates()+x.m.NumTransitions() > fewForShortest {
		o.Limit = 1
	}
	r := abort.Must(counterexample.Shortest(x.ctx, left, x.p, o))
	if r.Trace != nil {
		failed := x.against(r.Trace)
		x.failed = &failed
	}
}

// against returns the clause that excludes a run: one of its transitions is forbidden or, if it
// ends where the model would continue, some transition from its last state is allowed.
func (x *fewest) against(trace *counterexample.Trace) clause {
	c := clause{one: x.numbers(trace.Steps()...)}
	if trace.Kind() == counterexample.Deadlock && !x.m.IsDeadlock(trace.Last()) {
		c.not = x.leaving(trace.Last())
	}
	return c
}

// trap returns the clause that excludes the nearest product state where the property is out of
// reach, since under full fairness runs violate the property there: some transition of the path to
// it is forbidden, or some forbidden transition is allowed that leaves the part reachable from
// there; nil if there is no such product state.
func (x *fewest) trap(left *lts.LTS, forbidden map[lts.Transition]bool) *clause {
	u := abort.Must(product.Unfold(x.ctx, left, x.p))
	saved := abort.Must(bfs.Back(x.ctx, u.LTS(), func(s lts.State) bool { return int(u.At(s).Q) == x.p.Steps() }, nil))
	at, is := lts.State(0), false
	tree := abort.Must(bfs.From(x.ctx, u.LTS(), []lts.State{u.LTS().Initial()}, bfs.Options{Until: func(s lts.State) bool {
		at, is = s, !saved.Has(s)
		return is
	}}))
	if !is {
		return nil
	}
	var steps []lts.Transition
	for _, t := range tree.Path(at) {
		steps = append(steps, lts.Transition{From: u.At(t.From).State, Label: t.Label, To: u.At(t.To).State})
	}
	c := &clause{one: x.numbers(steps...)}
	abort.Must(bfs.From(x.ctx, u.LTS(), []lts.State{at}, bfs.Options{Until: func(s lts.State) bool {
		for _, v := range x.leaving(u.At(s).State) {
			if forbidden[x.members.All[v]] {
				c.not = append(c.not, v)
			}
		}
		return false
	}}))
	slices.Sort(c.not)
	c.not = slices.Compact(c.not)
	return c
}

// fewForShortest is the largest number of states and transitions for which, if work is limited, the
// violating run of a property that is no chain is a shortest one, which takes many passes. Any run
// gives a demand; a short run gives a stronger one.
const fewForShortest = 20_000

// numbers returns the variables of those transitions that can be forbidden, ascending.
func (x *fewest) numbers(steps ...lts.Transition) []int {
	var numbers []int
	for _, t := range steps {
		if x.o.Controllable == nil || x.o.Controllable(t.Label) {
			t = x.member(t)
			numbers = append(numbers, x.members.Index(t, t))
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// member returns the transition that stands for what is forbidden with a transition.
func (x *fewest) member(t lts.Transition) lts.Transition {
	if x.o.Labels {
		return lts.Transition{Label: x.m.Alphabet().Plain(t.Label)}
	}
	return t
}

// leaving returns the variables of the transitions that leave a state.
func (x *fewest) leaving(s lts.State) []int {
	var steps []lts.Transition
	labels, targets := x.m.Out(s)
	for i, to := range targets {
		steps = append(steps, lts.Transition{From: s, Label: labels.At(i), To: to})
	}
	return x.numbers(steps...)
}

// clause demands that one of the variables in one is true, or one of the variables in not is false.
type clause struct{ one, not []int }

// solver finds smallest sets of true variables that meet all clauses.
type solver struct {
	clauses []clause
	spend   func(work int)
	// size is a lower bound of the number of true variables.
	size int
	// most is the largest size of the sets that are searched for; 0 for no limit.
	most int

	value map[int]bool
}

// next returns a smallest set of variables, ascending, such that all clauses are met if exactly
// these variables are true; false if there is none. It begins with the size of the previous set,
// since additional clauses never make the smallest set smaller.
func (s *solver) next() ([]int, bool) {
	variables := map[int]bool{}
	for _, c := range s.clauses {
		for _, v := range c.one {
			variables[v] = true
		}
	}
	for ; s.size <= len(variables); s.size++ {
		if s.most > 0 && s.size > s.most {
			return nil, false
		}
		s.value = map[int]bool{}
		if s.meets(s.size) {
			var chosen []int
			for v, is := range s.value {
				if is {
					chosen = append(chosen, v)
				}
			}
			slices.Sort(chosen)
			return chosen, true
		}
	}
	return nil, false
}

// meets makes more variables true, no more than left allows, so that all clauses are met, and
// reports whether it can. For the first clause that is not met, it tries the variables of the
// clause one by one, and keeps the variables tried earlier false. With a limit s.most, it tries the
// last variable first: forbidding the last transitions of a run changes least of the model.
func (s *solver) meets(left int) bool {
	at, looked := -1, 1
	for i, c := range s.clauses {
		looked += 1 + len(c.one) + len(c.not)
		// Variables without a value are false.
		if !slices.ContainsFunc(c.one, func(v int) bool { return s.value[v] }) &&
			!slices.ContainsFunc(c.not, func(v int) bool { return !s.value[v] }) {
			at = i
			break
		}
	}
	if s.spend(looked); at < 0 || left == 0 {
		return at < 0
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
		if s.meets(left - 1) {
			return true
		}
		s.value[v] = false
		tried = append(tried, v)
	}
	return false
}

// mostStamps is the largest size for which a set of numbers is an array.
const mostStamps = 1 << 23

// numberSet is a set of numbers below a size. It is emptied in constant time.
type numberSet struct {
	stamps []uint32 // the stamps of numbers: a number is in the set if its stamp is the current one; nil if the size is too large
	now    uint32
	// slots are a hash table with linear probing: a search looks up each pair that it reaches, and this
	// takes half the time of a map. Each slot has a number plus one, 0 if the slot is empty; the number of
	// slots is a power of two.
	slots []uint64
	count int
}

// newNumberSet returns an empty set. Cost 4 bytes a number, up to 32 MB; for larger sizes, the cost of
// the members.
func newNumberSet(size uint64) *numberSet {
	m := &numberSet{}
	if size <= mostStamps {
		m.stamps = make([]uint32, size)
	}
	m.empty()
	return m
}

// empty removes all numbers.
func (m *numberSet) empty() {
	if m.now++; m.stamps == nil {
		m.slots, m.count = make([]uint64, 64), 0
	}
}

func (m *numberSet) has(i uint64) bool {
	if m.stamps != nil {
		return m.stamps[i] == m.now
	}
	return m.slots[m.slot(i)] != 0
}

// slot returns the index of a number or, if the table lacks it, the index where it belongs.
func (m *numberSet) slot(i uint64) uint64 {
	mask := uint64(len(m.slots) - 1)
	// The upper bits of the product depend on all bits of the number.
	at := i * 0x9e3779b97f4a7c15 >> (64 - bits.TrailingZeros(uint(len(m.slots))))
	for m.slots[at] != 0 && m.slots[at] != i+1 {
		at = (at + 1) & mask
	}
	return at
}

// add adds a number, and reports whether it is new.
func (m *numberSet) add(i uint64) bool {
	if m.has(i) {
		return false
	}
	if m.stamps != nil {
		m.stamps[i] = m.now
		return true
	}
	if 2*m.count >= len(m.slots) {
		old := m.slots
		m.slots = make([]uint64, 2*len(old))
		for _, kept := range old {
			if kept != 0 {
				m.slots[m.slot(kept-1)] = kept
			}
		}
	}
	m.slots[m.slot(i)] = i + 1
	m.count++
	return true
}
