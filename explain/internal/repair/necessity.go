package repair

import (
	"cmp"
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Necessity is what a violating run of a model has in common with all other violating runs.
type Necessity struct {
	// Every reports, for each step of the run, whether all violating runs take its transition
	// somewhere.
	Every []bool
	// AtLength reports, for each step of the run, whether all violating runs of at most the same
	// length take its transition somewhere; nil if that is not known.
	AtLength []bool
	// Stop reports whether all violating runs end in the state where the run ends, and all runs
	// that end there violate the property.
	Stop bool
	// Missing are transitions that may be missing in the state where the run ends; there are none
	// unless Stop is true. The property holds if the model has any one of them. They are guesses,
	// the likeliest first.
	Missing []lts.Transition
}

// FindNecessity returns what all violating runs have in common with t, a run of the model of u that
// violates the property of u. work limits the product states and transitions that it visits;
// repeated visits count. It returns nil if more would be necessary. The search for
// [Necessity.Missing] has the same limit, counted separately. workAtLength limits the visits for
// [Necessity.AtLength], for a property that is no chain. FindNecessity fails if ctx is done. Cost
// O(n (S + T)) for a chain of n steps and up to 63 distinct transitions, times the number of these
// within one strongly connected component; for another property, the cost of
// [counterexample.Shortest] for each of them.
func FindNecessity(
	ctx context.Context,
	u *product.Unfolding,
	t *counterexample.Trace,
	work, workAtLength int64,
) (*Necessity, error) {
	f := newFinder(u, t, budget{ctx: ctx, most: max(work, 1)})
	isChain := f.p.Steps() > 0
	search := f.avoidedByRuns
	if isChain {
		search = f.avoidedOnChain
	}
	avoided, err := search()
	if errors.Is(err, ErrWork) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Necessity{Every: f.steps(func(i int) bool { return !avoided[i] })}
	expected := f.searchesAtLength(avoided) * passesToShorten * int64(f.places())
	if isChain || expected <= workAtLength {
		r.AtLength, err = f.atLength(avoided)
		if err != nil && !errors.Is(err, ErrWork) {
			return nil, err
		}
	}
	endIsNecessary := t.Kind() == counterexample.Deadlock && !avoided[len(f.distinct)]
	r.Stop = endIsNecessary && f.violatesAtEnd()
	if r.Stop {
		r.Missing, err = missing(ctx, f.m, f.p, t.Last(), work)
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// finder is a search about one run.
type finder struct {
	*budget
	m *lts.LTS
	p *property.Property
	t *counterexample.Trace
	u *product.Unfolding
	// distinct are the transitions of the run, each once, and numbers has their indices. The index
	// after the last one represents the end of the run.
	distinct []lts.Transition
	numbers  map[lts.Transition]int
}

// newFinder returns a search about a run of the model of u.
func newFinder(u *product.Unfolding, t *counterexample.Trace, work budget) *finder {
	f := &finder{
		budget:  &work,
		m:       u.Model(),
		p:       u.Property(),
		t:       t,
		u:       u,
		numbers: map[lts.Transition]int{},
	}
	for _, step := range t.Steps() {
		if _, known := f.numbers[step]; !known {
			f.numbers[step] = len(f.distinct)
			f.distinct = append(f.distinct, step)
		}
	}
	return f
}

// steps selects steps of the run by the indices of their transitions.
func (f *finder) steps(selects func(int) bool) []bool {
	steps := make([]bool, f.t.Len())
	for i := range steps {
		steps[i] = selects(f.numbers[f.t.Step(i)])
	}
	return steps
}

// searchesAtLength returns the number of searches for a shortest run that avoids a transition: one
// for each transition that can be avoided.
func (f *finder) searchesAtLength(avoided []bool) int64 {
	searches := int64(0)
	for i := range f.distinct {
		if avoided[i] {
			searches++
		}
	}
	return searches
}

// violatesAtEnd reports whether all runs that end in the state where the run ends violate the property.
func (f *finder) violatesAtEnd() bool {
	for s := range f.u.Unfolded(f.t.Last()) {
		if f.p.Stops(f.u.At(s).Q) {
			return false
		}
	}
	return true
}

// perWord is the number of transitions that are examined together. The remaining bit of a word
// represents the end.
const perWord = 63

// avoidedOnChain reports, for each distinct transition and for the end, whether some violating run
// avoids it.
//
// A violating run of a chain stays in the product states before the last step. More precisely, it
// stays in the greatest set of these whose members are deadlocks or have a successor in the set.
// There is one such set for each transition that is removed from the model. Each removed transition
// has one bit of a uint64.
func (f *finder) avoidedOnChain() ([]bool, error) {
	components, err := f.u.Components(f.ctx)
	if err != nil {
		return nil, err
	}
	avoided := make([]bool, len(f.distinct)+1)
	for first := 0; ; first += perWord {
		if err := f.use(f.u.LTS().NumStates() + f.u.LTS().NumTransitions()); err != nil {
			return nil, err
		}
		end := min(first+perWord, len(f.distinct))
		x := f.newRemovals(components, first, end)
		if err := x.findStays(); err != nil {
			return nil, err
		}
		initial := x.stays[f.u.LTS().Initial()]
		for i := first; i < end; i++ {
			avoided[i] = initial>>(i-first)&1 == 1
		}
		avoided[len(f.distinct)] = initial>>perWord == 1
		if end == len(f.distinct) {
			return avoided, nil
		}
	}
}

// removals are several models that are examined together: for each transition in
// distinct[first:end], the model without this transition; and the model without the state where the
// run ends. Each model has a bit of a uint64; the last bit is for the model without the end.
type removals struct {
	*finder
	components *scc.Components
	first, end int
	sources    bitset.Set[lts.State] // the states that the examined transitions leave
	// stays has, for each product state, the models in which a violating run can stay there.
	stays []uint64
}

func (f *finder) newRemovals(components *scc.Components, first, end int) *removals {
	x := &removals{
		finder:     f,
		components: components,
		first:      first,
		end:        end,
		sources:    bitset.New[lts.State](f.m.NumStates()),
		stays:      make([]uint64, f.u.LTS().NumStates()),
	}
	for _, t := range f.distinct[first:end] {
		x.sources.Add(t.From)
	}
	return x
}

// findStays finds the greatest sets, component by component: each component after its successors.
func (x *removals) findStays() error {
	for i := x.components.Len() - 1; i >= 0; i-- {
		if err := cores.Done(x.ctx, i); err != nil {
			return err
		}
		part := x.components.States(scc.Component(i))
		isDone := int(x.u.At(part[0]).Q) == x.p.Steps()
		switch {
		case isDone:
			continue
		case !x.components.IsCyclic(scc.Component(i)):
			x.stays[part[0]] = x.staysBySuccessors(part[0])
		default:
			if err := x.findStaysOnCycles(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// findStaysOnCycles finds the sets for a component with cycles. In a model that has all transitions
// of the component, a run can stay in it forever.
func (x *removals) findStaysOnCycles(part []lts.State) error {
	var within uint64 // the models that lack a transition of the component
	for _, s := range part {
		x.stays[s] = ^uint64(0)
		state := x.u.At(s).State
		if !x.sources.Has(state) {
			continue
		}
		labels, targets := x.u.LTS().Out(s)
		for i, to := range targets {
			if x.components.Same(s, to) {
				within |= x.without(state, labels.At(i), to)
			}
		}
	}
	if within == 0 {
		return nil
	}
	if err := x.use(bits.OnesCount64(within) * len(part)); err != nil {
		return err
	}
	return x.shrink(part, within)
}

// shrink removes product states of a component from the sets of some models, until nothing changes.
func (x *removals) shrink(part []lts.State, models uint64) error {
	m := x.u.LTS()
	if err := m.FindPredecessors(x.ctx); err != nil {
		return err
	}
	open := slices.Clone(part)
	isOpen := bitset.New[lts.State](m.NumStates())
	for _, s := range part {
		isOpen.Add(s)
	}
	for round := 1; len(open) > 0; round++ {
		if err := cores.Done(x.ctx, round); err != nil {
			return err
		}
		s := open[len(open)-1]
		open = open[:len(open)-1]
		isOpen.Remove(s)
		stays := x.staysBySuccessors(s) | ^models
		if stays == x.stays[s] {
			continue
		}
		x.stays[s] = stays
		_, sources := m.Predecessors().In(s)
		for _, from := range sources {
			if x.components.Same(from, s) && !isOpen.Has(from) {
				isOpen.Add(from)
				open = append(open, from)
			}
		}
	}
	return nil
}

// staysBySuccessors returns the models in which a violating run can stay in a product state, given
// those of its successors.
func (x *removals) staysBySuccessors(s lts.State) uint64 {
	state := x.u.At(s).State
	labels, targets := x.u.LTS().Out(s)
	if len(targets) == 0 {
		isEndOfRun := x.t.Kind() == counterexample.Deadlock && state == x.t.Last()
		if isEndOfRun {
			return 1<<perWord - 1 // all but the model without the end
		}
		return ^uint64(0)
	}
	var stays uint64
	for i, to := range targets {
		stays |= x.stays[to] &^ x.without(state, labels.At(i), to)
	}
	return stays
}

// without returns the bit of the model that lacks a transition to a product state; 0 if the
// transition is not examined.
func (x *removals) without(from lts.State, l lts.Label, to lts.State) uint64 {
	if !x.sources.Has(from) {
		return 0
	}
	i, known := x.numbers[lts.Transition{
		From:  from,
		Label: l,
		To:    x.u.At(to).State,
	}]
	if !known || i < x.first || i >= x.end {
		return 0
	}
	return 1 << (i - x.first)
}

// avoidedByRuns is avoidedOnChain for any property. For each transition, and for the end, it
// searches for a violating run that avoids it. If it finds one, every other transition that this
// run does not take can be avoided, too.
func (f *finder) avoidedByRuns() ([]bool, error) {
	avoided := make([]bool, len(f.distinct)+1)
	for i := range avoided {
		isMissingEnd := i == len(f.distinct) && f.t.Kind() != counterexample.Deadlock
		if avoided[i] || isMissingEnd {
			continue
		}
		if err := f.use(passesToDecide * f.places()); err != nil {
			return nil, err
		}
		r, err := f.violationWithout(i, counterexample.Options{Limit: 1})
		if err != nil {
			return nil, err
		}
		if r == nil || r.Trace == nil {
			continue
		}
		avoided[i] = true
		f.addAvoided(avoided, r.Trace)
	}
	return avoided, nil
}

// addAvoided adds the distinct transitions that another violating run does not take, and the end if
// avoided has an entry for it.
func (f *finder) addAvoided(avoided []bool, other *counterexample.Trace) {
	if other.Kind() == counterexample.Trap || other.Kind() == counterexample.Prefix {
		return // the continuation of a stem may take any other transition
	}
	taken := f.takenBy(other)
	for k := range avoided {
		avoided[k] = avoided[k] || !taken[k]
	}
}

// takenBy reports, for each distinct transition, whether another run takes it. The last entry
// reports whether that run ends in the deadlock where t ends.
func (f *finder) takenBy(other *counterexample.Trace) []bool {
	taken := make([]bool, len(f.distinct)+1)
	for _, step := range other.Steps() {
		if i, known := f.numbers[step]; known {
			taken[i] = true
		}
	}
	taken[len(f.distinct)] = other.Kind() == counterexample.Deadlock && other.Last() == f.t.Last()
	return taken
}

// These are measured costs, in passes through model and property, of a search for a property that
// is no chain: a search for any violating run, and a search for a shortest one.
const (
	passesToDecide  = 4
	passesToShorten = 64
)

func (f *finder) places() int { return f.p.States() * (f.m.NumStates() + f.m.NumTransitions()) }

// atLength returns [Necessity.AtLength]; nil if a search does not find a shortest run. A violating
// run that is short enough settles the question for all transitions that it does not take.
func (f *finder) atLength(avoided []bool) ([]bool, error) {
	isChain := f.p.Steps() > 0
	avoidedByShort := make([]bool, len(f.distinct))
	for i := range f.distinct {
		if !avoided[i] || avoidedByShort[i] {
			continue
		}
		if isChain {
			if err := f.use(f.places()); err != nil {
				return nil, err
			}
		}
		r, err := f.violationWithout(i, counterexample.Options{
			Limit:  max(f.most-f.work, 1),
			Within: f.t.Len(),
		})
		if err != nil || r == nil {
			return nil, err
		}
		isShortest := r.Minimal == counterexample.InModel || r.Minimal == counterexample.InProduct
		isShortEnough := r.Trace != nil && r.Trace.Len() <= f.t.Len()
		if isShortEnough {
			avoidedByShort[i] = true
			f.addAvoided(avoidedByShort, r.Trace)
			continue
		}
		// The search for a chain has shown that no run is short enough. Any other search shows that only
		// by a shortest run.
		hasShown := isChain || r.Trace != nil && isShortest
		if !hasShown {
			return nil, nil
		}
	}
	return f.steps(func(i int) bool { return !avoidedByShort[i] }), nil
}

// violationWithout searches for a shortest violating run of the model without transition
// distinct[i]; if i is len(distinct), without the state where the run ends. With the limit 1, it
// searches for any violating run. It also removes the states from which every path leads to a new
// deadlock. It returns nil if the rest of the model has no run.
func (f *finder) violationWithout(
	i int,
	o counterexample.Options,
) (*counterexample.Result, error) {
	if err := f.m.FindPredecessors(f.ctx); err != nil {
		return nil, err
	}
	isRemoved := func(lts.Transition) bool { return false }
	closed := f.t.Last()
	if i < len(f.distinct) {
		isRemoved = func(t lts.Transition) bool { return t == f.distinct[i] }
		closed = f.distinct[i].From
	}
	ends := deadEnds(f.m, []lts.State{closed}, isRemoved)
	if ends.Has(f.m.Initial()) {
		return nil, nil
	}
	rest, err := f.m.Without(func(t lts.Transition) bool {
		return ends.Has(t.From) || ends.Has(t.To) || isRemoved(t)
	})
	if err != nil {
		return nil, err
	}
	return counterexample.Shortest(f.ctx, rest, f.p, o)
}

// These are the limits of the search for missing transitions.
const (
	mostMissing = 3      // the number of transitions that are returned
	mostChecked = 60     // the number of transitions that are tried
	mostDrawn   = 20_000 // the number of transitions of the model that are visited
)

// missing returns transitions that may be missing in state s, where runs of m end and violate p:
// adding any one of them to m makes p true. They are guesses, the likeliest first: transitions of a
// model often commute, and the targets of one action often have the same continuations. work is as
// in [FindNecessity]; if it is not enough, missing returns none.
func missing(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	s lts.State,
	work int64,
) ([]lts.Transition, error) {
	if m.Alphabet().Texts() != m.Alphabet().Len() {
		return nil, nil // the values of the states after a new transition are unknown
	}
	if err := m.FindPredecessors(ctx); err != nil {
		return nil, err
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	var found []lts.Transition
	workForEach := int64(p.States()) * int64(m.NumStates()+m.NumTransitions())
	for _, t := range likelyTransitions(m, s) {
		work -= workForEach
		if work < 0 || len(found) == mostMissing {
			break
		}
		with, err := m.Without(func(lts.Transition) bool { return false }, t)
		if err != nil {
			return nil, err
		}
		r, err := counterexample.Shortest(ctx, with, p, counterexample.Options{Limit: 1})
		if err != nil {
			return nil, err
		}
		if r.Trace == nil && !r.Violated {
			found = append(found, t)
		}
	}
	return found, nil
}

// likelihood counts the evidence for a transition.
type likelihood struct {
	transition lts.Transition
	// squares is the number of actions with which the transition would commute. alike is the number
	// of targets of the same action that have such a transition.
	squares, alike int
}

// likelyTransitions returns transitions that may be missing in s, the likeliest first.
func likelyTransitions(m *lts.LTS, s lts.State) []lts.Transition {
	e := &evidence{m: m, s: s, arriving: map[lts.Label]bool{}}
	e.countSquares()
	e.countAlike()
	found := e.found.All
	slices.SortFunc(found, func(x, y likelihood) int {
		return cmp.Or(cmp.Compare(y.squares, x.squares), cmp.Compare(y.alike, x.alike),
			cmp.Compare(x.transition.Label, y.transition.Label), cmp.Compare(x.transition.To, y.transition.To))
	})
	var transitions []lts.Transition
	for _, x := range found[:min(len(found), mostChecked)] {
		transitions = append(transitions, x.transition)
	}
	return transitions
}

// evidence is a search for transitions that may be missing in state s.
type evidence struct {
	m        *lts.LTS
	s        lts.State
	arriving map[lts.Label]bool // the labels of the reachable transitions into s
	visits   int                // the number of transitions visited so far
	found    intern.List[lts.Transition, likelihood]
}

// likelihoodOf returns the likelihood of a transition from s, to which evidence can be added.
func (e *evidence) likelihoodOf(l lts.Label, to lts.State) *likelihood {
	t := lts.Transition{From: e.s, Label: l, To: to}
	return &e.found.All[e.found.Index(t, likelihood{transition: t})]
}

// countSquares counts squares that lack one transition from s. For p -a-> s and p -b-> t -a-> u,
// where u is not s, the transition s -b-> u would close the square: then a and b would be
// independent in p.
func (e *evidence) countSquares() {
	labels, sources := e.m.Predecessors().In(e.s)
	for i, from := range sources {
		if !e.m.Reachable().Has(from) {
			continue
		}
		e.arriving[labels.At(i)] = true
		e.countSquaresFrom(from, labels.At(i))
	}
}

// countSquaresFrom counts the squares that begin in state p with a transition labelled a to s.
func (e *evidence) countSquaresFrom(p lts.State, a lts.Label) {
	labels, targets := e.m.Out(p)
	for k, t := range targets {
		b := labels.At(k)
		afterT, ends := e.m.Out(t)
		for j, u := range ends {
			e.visits++
			if e.visits > mostDrawn {
				break
			}
			if afterT.At(j) == a && t != e.s {
				e.likelihoodOf(b, u).squares++
			}
		}
	}
}

// countAlike counts transitions that follow other transitions with a label that leads to s.
func (e *evidence) countAlike() {
	for t := range e.m.Transitions() {
		e.visits++
		if e.visits > 2*mostDrawn {
			return
		}
		if !e.arriving[t.Label] || t.To == e.s || !e.m.Reachable().Has(t.From) {
			continue
		}
		after, ends := e.m.Out(t.To)
		for j, end := range ends {
			e.likelihoodOf(after.At(j), end).alike++
		}
	}
}
