package repair

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// FewestOptions are the options of [FindFewest].
type FewestOptions struct {
	// Controllable has the meaning of [Options.Controllable].
	Controllable func(lts.Label) bool
	// Labels makes the search forbid labels everywhere, instead of transitions.
	Labels bool
	// Fair has the meaning of [Options.Fair]. With Fair, the property must be inevitability.
	Fair bool
	// Fairness, unless it is nil, is the assumption under which runs count, instead of Fair. Then
	// the property must hold on all runs that count in the model without the set. In each state
	// from which some run counted before, some run must still count.
	Fairness *property.Fairness
	// Most is the largest number of members of a set; 0 for no limit. With a limit, FindFewest does
	// not take larger sets from the strategy of a supervisor, either.
	Most int
	// First, unless it is nil, is a run of the model that violates the property. With it, the empty
	// set need not be tried.
	First *counterexample.Trace
	// Work is the largest number of transitions to visit and of literals to test; 0 for no limit.
	// Repeated visits count.
	Work int64
}

// Fewest is a smallest set of transitions or labels without which the property holds, whatever
// happened before.
type Fewest struct {
	// Transitions or Labels are the set, ascending. Duplicates of a transition count once. The set
	// is empty if the property holds.
	Transitions []lts.Transition
	Labels      []lts.Label
	// Found reports whether a set was found.
	Found bool
	// Exact reports whether the set is a smallest one. If no set was found, it reports whether
	// there is none.
	Exact bool
	// AtLeast is a lower bound of the size of each such set.
	AtLeast int
}

// ErrWork reports that the limit of work was reached.
var ErrWork = errors.New("the limit of work has been reached")

// triesBeforeBound is the number of sets that are tried before a bound of their size is searched
// for: most models whose smallest set is small need fewer.
const triesBeforeBound = 4

// FindFewest finds the fewest transitions or labels that can be forbidden so that p holds in m,
// without new deadlocks and whatever happened before. There may be none although a supervisor that
// remembers the past exists. The problem is NP-hard: FindFewest tries the smallest sets that meet
// the demands of all earlier failures (implicit hitting sets). If it reaches its limit, Exact is
// false. Then it uses a supervisor that always moves towards the goal: if this supervisor needs no
// memory, FindFewest takes the set of what it forbids, and makes that set smaller within the same
// amount of work. Errors as for [Find]. Cost O(n (S + T)) for each set that is tried; at worst, the
// number of sets is exponential in the size of the answer.
func FindFewest(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	o FewestOptions,
) (_ *Fewest, err error) {
	defer abort.Caught(&err)
	x := &fewest{
		m:      m,
		p:      p,
		o:      o,
		budget: &budget{ctx: ctx, most: o.Work},
	}
	x.solver = solver{use: x.use, most: o.Most}
	if o.First != nil {
		failed, err := x.againstRunOf(m, o.First, nil)
		if err != nil {
			return nil, err
		}
		x.solver.clauses = append(x.solver.clauses, *failed)
		x.shortest = o.First.Len()
	}
	f := &Fewest{}
	for tries := 0; ; tries++ {
		if tries == triesBeforeBound {
			runs, err := x.disjointRuns()
			if err != nil {
				return nil, err
			}
			if o.Most > 0 && runs > o.Most {
				f.AtLeast = runs
				return f, nil
			}
		}
		chosen, found, err := x.solver.next()
		f.AtLeast = x.solver.size
		var failed *clause
		if found && err == nil {
			failed, err = x.failedClause(chosen)
		}
		switch {
		case errors.Is(err, ErrWork):
			if o.Most > 0 {
				return f, nil
			}
			err = x.searchStrategy(f)
			return f, err
		case err != nil:
			return nil, err
		case o.Most > 0 && f.AtLeast > o.Most:
			return f, nil
		case !found:
			f.Exact = true
			return f, nil
		case failed == nil:
			f.Found = true
			f.Exact = true
			x.choose(f, chosen)
			return f, nil
		}
		x.solver.clauses = append(x.solver.clauses, *failed)
	}
}

// fewest is a search for a smallest set.
type fewest struct {
	m *lts.LTS
	p *property.Property
	o FewestOptions
	// members are the transitions, or labels, that may be forbidden and have occurred in a failure.
	// A variable is the index of a member.
	members intern.List[lts.Transition, lts.Transition]
	solver  solver
	// counted are the states of the model from which some run counts. It is only needed under an
	// assumption that some finite runs cannot meet; until then, it is nil.
	counted bitset.Set[lts.State]
	// shortest is the number of transitions of the first violating run, in general a shortest one; 0
	// until it is known.
	shortest int
	*budget
}

// budget counts work: nodes and edges, or transitions and literals. Repeated visits count.
type budget struct {
	ctx        context.Context
	work, most int64 // most is the limit of work; 0 for no limit
}

// use adds to the work. It returns [ErrWork] if the limit is exceeded, and the error of the context.
func (b *budget) use(work int) error {
	b.work += int64(work)
	if b.most > 0 && b.work > b.most {
		return ErrWork
	}
	return b.ctx.Err()
}

// spend is use for searches that raise errors: it ends the search with the error of use.
func (b *budget) spend(work int) { abort.On(b.use(work)) }

// searchStrategy searches for a sufficient set of transitions, which need not be a smallest one. It
// begins with the transitions that the strategy of a supervisor forbids, and leaves out each
// transition that is not needed.
func (x *fewest) searchStrategy(f *Fewest) error {
	if x.o.Labels {
		return nil
	}
	set, found, err := x.strategy()
	if err != nil || !found {
		return err
	}
	x.work = 0
	failed, err := x.failedClause(set)
	f.Found = failed == nil && err == nil
	for next := 0; f.Found && err == nil && next < len(set); {
		smaller := slices.Delete(slices.Clone(set), next, next+1)
		failed, err = x.failedClause(smaller)
		isEnough := err == nil && failed == nil
		if isEnough {
			set = smaller
		} else {
			next++
		}
	}
	if err != nil && !errors.Is(err, ErrWork) {
		return err
	}
	if f.Found {
		x.choose(f, set)
	}
	return nil
}

// strategy returns the transitions that a strategy forbids. Their sources are reachable product
// states that are won and in which the property is pending. Their targets are not won or, for a
// chain, not won in an earlier round. found is false if there is no supervisor.
func (x *fewest) strategy() (set []int, found bool, err error) {
	o := Options{Controllable: x.o.Controllable, Fair: x.o.Fair}
	g := newGame(x.ctx, x.m, x.p, o)
	g.solve(x.ctx, x.p, o)
	if !g.wins(0) {
		return nil, false, nil
	}
	isAllowed := func(t lts.Transition) bool {
		if g.pending(t.From) == 0 {
			return true
		}
		makesNoProgress := g.condition == nil && g.rank[t.To] >= g.rank[t.From]
		isForbidden := !g.wins(t.To) || makesNoProgress
		if isForbidden {
			set = append(set, x.variables(g.inModel(t))...)
		}
		return !isForbidden
	}
	_, err = bfs.From(x.ctx, g.m, []lts.State{0}, bfs.Options{Along: isAllowed})
	slices.Sort(set)
	return slices.Compact(set), true, err
}

// choose sets the set of f to some variables.
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

// failedClause checks a set. It returns a clause that the set does not meet; nil if the set is
// sufficient.
func (x *fewest) failedClause(chosen []int) (*clause, error) {
	passes := 1
	if x.o.Fairness != nil {
		passes = passesFairly
	}
	if err := x.use(passes * int(x.pass())); err != nil {
		return nil, err
	}
	forbidden := map[lts.Transition]bool{}
	for _, v := range chosen {
		forbidden[x.members.All[v]] = true
	}
	rest, err := x.m.Without(func(t lts.Transition) bool {
		return forbidden[x.member(t)]
	})
	if err != nil {
		return nil, err
	}
	failed, err := x.againstNewDeadlock(rest)
	if err != nil || failed != nil {
		return failed, err
	}
	switch {
	case x.o.Fairness != nil:
		return x.againstFairViolation(rest, forbidden)
	case x.o.Fair:
		return x.againstTrap(rest, forbidden)
	}
	return x.againstViolation(rest)
}

// pass returns the number of product states and transitions that one pass visits. Product states in
// which the property is satisfied do not count.
func (x *fewest) pass() int64 {
	return int64(max(1, x.p.States()-1)) * int64(x.m.NumStates()+x.m.NumTransitions())
}

// againstNewDeadlock returns the clause that excludes the nearest new deadlock of rest, the model
// without the set: some transition of the path to it is forbidden, or some transition from it is
// allowed. It returns nil if rest has no new deadlock.
func (x *fewest) againstNewDeadlock(rest *lts.LTS) (*clause, error) {
	var end lts.State
	found := false
	isNewDeadlock := func(s lts.State) bool {
		found = rest.IsDeadlock(s) && !x.m.IsDeadlock(s)
		end = s
		return found
	}
	tree, err := bfs.From(x.ctx, rest, []lts.State{rest.Initial()}, bfs.Options{Until: isNewDeadlock})
	if err != nil || !found {
		return nil, err
	}
	return &clause{
		someTrue:  x.variables(tree.Path(end)...),
		someFalse: x.variablesLeaving(end),
	}, nil
}

// againstViolation returns the clause that excludes a run of rest, the model without the set, that
// violates the property; nil if there is none.
func (x *fewest) againstViolation(rest *lts.LTS) (*clause, error) {
	run, err := x.shortRun(rest)
	if err != nil || run == nil {
		return nil, err
	}
	failed := x.againstRun(run)
	return &failed, nil
}

// shortRun returns a run of m that violates the property; nil if there is none. The run is a
// shortest one unless work is limited and the model is large: then the search takes the first run
// that is at most timesAsLong times as long as the first run of all or, for a property that is no
// chain, any run.
func (x *fewest) shortRun(m *lts.LTS) (*counterexample.Trace, error) {
	o := counterexample.Options{}
	isChain := x.p.Steps() > 0
	if x.o.Work > 0 && x.m.NumStates()+x.m.NumTransitions() > fewForShortest {
		if isChain {
			o.Within = timesAsLong * x.shortest
		} else {
			o.Limit = 1 // any run
		}
	}
	r, err := counterexample.Shortest(x.ctx, m, x.p, o)
	if err == nil && r.Trace == nil && o.Within > 0 {
		r, err = counterexample.Shortest(x.ctx, m, x.p, counterexample.Options{})
	}
	if err != nil || r.Trace == nil {
		return nil, err
	}
	if x.shortest == 0 {
		x.shortest = r.Trace.Len()
	}
	return r.Trace, nil
}

// againstRun returns the clause that excludes a run: one of its transitions is forbidden. If it ends
// where the model would continue, the clause is also met if some transition from its last state is
// allowed.
func (x *fewest) againstRun(trace *counterexample.Trace) clause {
	c := clause{someTrue: x.variables(trace.Steps()...)}
	if trace.Kind() == counterexample.Deadlock && !x.m.IsDeadlock(trace.Last()) {
		c.someFalse = x.variablesLeaving(trace.Last())
	}
	return c
}

// againstTrap returns the clause that excludes the nearest product state from which the property is out
// of reach; nil if there is none. Under full fairness, runs violate the property there. The clause is
// met if some transition of the path to this product state is forbidden, or if some forbidden
// transition from the part that is reachable from there is allowed.
func (x *fewest) againstTrap(rest *lts.LTS, forbidden map[lts.Transition]bool) (*clause, error) {
	u, err := product.Unfold(x.ctx, rest, x.p)
	if err != nil {
		return nil, err
	}
	isDone := func(s lts.State) bool { return int(u.At(s).Q) == x.p.Steps() }
	canBeDone, err := bfs.Back(x.ctx, u.LTS(), isDone, nil)
	if err != nil {
		return nil, err
	}
	var trap lts.State
	found := false
	isTrap := func(s lts.State) bool {
		found = !canBeDone.Has(s)
		trap = s
		return found
	}
	tree, err := bfs.From(x.ctx, u.LTS(), []lts.State{u.LTS().Initial()}, bfs.Options{Until: isTrap})
	if err != nil || !found {
		return nil, err
	}
	var steps []lts.Transition
	for _, t := range tree.Path(trap) {
		steps = append(steps, lts.Transition{
			From:  u.At(t.From).State,
			Label: t.Label,
			To:    u.At(t.To).State,
		})
	}
	c := &clause{someTrue: x.variables(steps...)}
	addForbidden := func(s lts.State) (stop bool) {
		x.allowOne(c, u.At(s).State, forbidden)
		return false
	}
	_, err = bfs.From(x.ctx, u.LTS(), []lts.State{trap}, bfs.Options{Until: addForbidden})
	slices.Sort(c.someFalse)
	c.someFalse = slices.Compact(c.someFalse)
	return c, err
}

// fewForShortest applies if work is limited. It is the largest number of states and transitions for
// which the violating run is a shortest one: the search for it takes many passes. In a larger
// model, a run that violates a chain is at most timesAsLong times as long as the first run: any run
// gives a demand, but a short run gives a stronger one.
const (
	fewForShortest = 20_000
	timesAsLong    = 2
)

// variables returns the variables of those transitions that can be forbidden, ascending.
func (x *fewest) variables(steps ...lts.Transition) []int {
	var variables []int
	for _, t := range steps {
		if x.o.Controllable == nil || x.o.Controllable(t.Label) {
			member := x.member(t)
			variables = append(variables, x.members.Index(member, member))
		}
	}
	slices.Sort(variables)
	return slices.Compact(variables)
}

// member returns the transition that represents all transitions that are forbidden together with t.
func (x *fewest) member(t lts.Transition) lts.Transition {
	if x.o.Labels {
		return lts.Transition{Label: x.m.Alphabet().Plain(t.Label)}
	}
	return t
}

// variablesLeaving returns the variables of the transitions that leave a state.
func (x *fewest) variablesLeaving(s lts.State) []int {
	var steps []lts.Transition
	labels, targets := x.m.Out(s)
	for i, to := range targets {
		steps = append(steps, lts.Transition{
			From:  s,
			Label: labels.At(i),
			To:    to,
		})
	}
	return x.variables(steps...)
}

// clause is met if some variable in someTrue is true, or some variable in someFalse is false.
type clause struct{ someTrue, someFalse []int }

// sort sorts the variables, each once.
func (c *clause) sort() {
	slices.Sort(c.someTrue)
	slices.Sort(c.someFalse)
	c.someTrue = slices.Compact(c.someTrue)
	c.someFalse = slices.Compact(c.someFalse)
}

// solver finds smallest sets of true variables that meet all clauses.
type solver struct {
	clauses []clause
	use     func(work int) error // counts the work, and returns an error once there is too much
	// size is a lower bound of the number of true variables.
	size int
	// most is the largest size of the sets that are searched for; 0 for no limit.
	most int

	value map[int]bool
}

// next returns a smallest set of variables, ascending, such that all clauses are met if exactly
// these variables are true. found is false if there is none. It begins with the size of the
// previous set, since additional clauses never make the smallest set smaller.
func (s *solver) next() (chosen []int, found bool, err error) {
	variables := map[int]bool{}
	for _, c := range s.clauses {
		for _, v := range c.someTrue {
			variables[v] = true
		}
	}
	for ; s.size <= len(variables); s.size++ {
		if s.most > 0 && s.size > s.most {
			return nil, false, nil
		}
		s.value = map[int]bool{}
		found, err := s.meetAll(s.size)
		if err != nil {
			return nil, false, err
		}
		if !found {
			continue
		}
		for v, isTrue := range s.value {
			if isTrue {
				chosen = append(chosen, v)
			}
		}
		slices.Sort(chosen)
		return chosen, true, nil
	}
	return nil, false, nil
}

// meetAll makes further variables true, at most the given number, so that all clauses are met. It
// reports whether this is possible. For the first clause that is not met, it tries the variables of
// the clause one by one, and keeps the variables tried earlier false. If there is a limit s.most,
// it tries the last variable first: forbidding the last transitions of a run changes least of the
// model.
func (s *solver) meetAll(more int) (bool, error) {
	unmet, work := s.firstUnmet()
	if err := s.use(work); err != nil {
		return false, err
	}
	allMet := unmet < 0
	if allMet || more == 0 {
		return allMet, nil
	}
	var tried []int
	defer func() {
		for _, v := range tried {
			delete(s.value, v)
		}
	}()
	candidates := s.clauses[unmet].someTrue
	if s.most > 0 {
		candidates = slices.Clone(candidates)
		slices.Reverse(candidates)
	}
	for _, v := range candidates {
		if _, isFixed := s.value[v]; isFixed {
			continue
		}
		s.value[v] = true
		met, err := s.meetAll(more - 1)
		if met || err != nil {
			return met, err
		}
		s.value[v] = false
		tried = append(tried, v)
	}
	return false, nil
}

// firstUnmet returns the index of the first clause that is not met, or -1 if all are met. It also
// returns the work of finding it. Variables without a value count as false.
func (s *solver) firstUnmet() (unmet, work int) {
	isTrue := func(v int) bool { return s.value[v] }
	isFalse := func(v int) bool { return !s.value[v] }
	work = 1
	for i, c := range s.clauses {
		work += 1 + len(c.someTrue) + len(c.someFalse)
		isMet := slices.ContainsFunc(c.someTrue, isTrue) || slices.ContainsFunc(c.someFalse, isFalse)
		if !isMet {
			return i, work
		}
	}
	return -1, work
}
