// Package assume finds out which assumptions about infinite runs would make a property true:
// fairness to some labels, labels that occur finitely often, or choices whose transitions are all
// taken infinitely often.
//
// Each question is monotone: for a set of transitions that a violating run can take for ever, the
// assumptions that exclude it are a conflict, and every sufficient set of assumptions has a member
// of each conflict. A smallest hitting set of all conflicts known so far either is sufficient or
// gives another conflict (implicit hitting sets).
//
// The invariant that holds inside: an answer is sufficient, and without any of its members it is
// not.
package assume

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Question is what [Find] is asked about a violated property.
type Question struct {
	// Conditions are the conditions that the formula joins, whose products are smaller than the
	// product of the property, or not needed; nil without such conditions.
	Conditions []*property.Property
	// Just is justness; nil if the components that an action needs are not known.
	Just *property.Fairness
	// Sets asks for assumptions within Limits.
	Sets   bool
	Limits Limits
	// Size is the largest number of states and transitions that one question may visit at least,
	// Unfolded the largest number of transitions of products that may have to be made.
	Size, Unfolded int64
}

// Answers are which assumptions make a property true.
type Answers struct {
	// Deadlock reports whether a run into a deadlock violates the property: then no assumption helps.
	Deadlock bool
	// The property holds on all runs that are weakly or strongly fair to each label, fully fair, and
	// just.
	Weak, Strong, Full, Just bool
	// Doomed is the nearest product state from where almost no run satisfies the property; nil with
	// Full, and if it is not known.
	Doomed *Doomed
	// Finitely has the minimal sets of labels that must be done finitely often, StrongSets and WeakSets
	// have the minimal sets that fairness must be about.
	Finitely, StrongSets, WeakSets Found
	// Choices are nil if full fairness is not enough, and for a property that is no chain.
	Choices *Choices
}

// ErrUnfolded reports that the products that Find needs are too large.
var ErrUnfolded = errors.New("assume: the products are too large")

// Find returns which assumptions would make the property of some fates true; nil if one question
// would visit more than q.Size. All runs must count for the fates. It fails with [ErrUnfolded], if
// ctx is done, and with the errors of q.Conditions. Cost as for [Search.Violates], and for each kind of
// assumption as much as its limit.
func Find(ctx context.Context, fates *fate.Map, q Question) (_ *Answers, err error) {
	defer abort.Caught(&err)
	// A run violates one of the properties of joined if and only if it violates the property of fates:
	// fates alone, if the violations can be found in the model; otherwise those of the conditions that do
	// not hold.
	joined := []*fate.Map{fates}
	if !InModel(fates) {
		var failing []*fate.Map
		for _, p := range q.Conditions {
			if part := abort.Must(fate.Compute(ctx, fates.Components(), p, enrich.Options{})); !part.Holds() {
				failing = append(failing, part)
			}
		}
		if len(failing) > 0 {
			joined = failing
		}
	}
	unfolded := int64(0)
	for _, part := range joined {
		if !InModel(part) {
			unfolded += UnfoldedSize(part)
		}
	}
	if unfolded > q.Unfolded {
		return nil, ErrUnfolded
	}
	search, err := Of(ctx, joined...)
	switch {
	case errors.Is(err, ErrDeadlock):
		return &Answers{Deadlock: true}, nil
	case errors.Is(err, ErrManyPairs):
		return nil, nil
	case err != nil || search.Size() > q.Size:
		return nil, err
	}
	return search.Answers(fates, q)
}

// UnfoldedSize returns the number of transitions of the product; 0 if the product exists already, or
// is not needed. Cost O(S).
func UnfoldedSize(fates *fate.Map) (transitions int64) {
	if _, known := fates.Unfolding(); known {
		return 0
	}
	for s := range lts.State(fates.LTS().NumStates()) {
		reached, _, _ := fates.Histories(s)
		first, end := fates.LTS().Row(s)
		transitions += int64(reached) * int64(end-first)
	}
	return transitions
}

// Answers answers all questions of [Find].
func (v *Search) Answers(fates *fate.Map, q Question) (_ *Answers, err error) {
	defer abort.Caught(&err)
	a := &Answers{}
	isChain := fates.Property().Steps() > 0
	// The verdict under each notion of fairness: a property that fails under one fails under all weaker ones.
	labels := v.alphabet()
	each := func(strong bool) []property.Task {
		tasks := make([]property.Task, labels.Len())
		for l := range labels.All() {
			tasks[l] = property.Task{Labels: []lts.Label{l}, Strong: strong}
		}
		return tasks
	}
	holds := func(full bool, tasks []property.Task) bool {
		return !v.violates(abort.Must(property.NewFairness(labels, full, tasks, nil)))
	}
	a.Full = holds(true, nil)
	a.Strong = a.Full && holds(false, each(true))
	a.Weak = a.Strong && holds(false, each(false))
	a.Just = a.Full && q.Just != nil && !v.violates(q.Just)
	if !a.Full {
		// Of several properties it is only known if one of them is doomed from the start.
		v.begin(Limits{})
		for _, x := range v.sources {
			if x.still == nil || a.Doomed != nil {
				continue
			}
			if at := x.doomed(); at != nil && (at.Steps == 0 || len(v.sources) == 1) {
				a.Doomed = at
			}
		}
		switch {
		case a.Doomed != nil || UnfoldedSize(fates) > q.Unfolded:
		case isChain:
			a.Doomed = doomedOnChain(v.ctx, fates)
		default:
			a.Doomed = doomedInProduct(v.ctx, fates)
		}
	}
	if !q.Sets {
		return a, nil
	}
	a.Finitely = abort.Must(v.Finitely(q.Limits))
	if a.Strong {
		a.StrongSets = abort.Must(v.FairLabels(true, q.Limits))
	}
	if a.Weak {
		a.WeakSets = abort.Must(v.FairLabels(false, q.Limits))
	}
	if a.Full && isChain {
		choices := abort.Must(v.FairChoices(q.Limits))
		a.Choices = &choices
	}
	return a, nil
}

// ErrDeadlock reports that a run into a deadlock violates the property, so that no
// assumption about infinite runs makes it true.
var ErrDeadlock = errors.New("a run that ends in a deadlock violates the property: no assumption about infinite runs helps")

// Search answers questions about one model and property. It searches for violating sets:
// transitions that a run can take for ever so that it violates the property, or one of its
// conjuncts. Only one goroutine may use it at a time.
type Search struct {
	ctx     context.Context
	sources []*source
	*budget
}

// source finds the violating sets of one property. For a chain, these are sets where the next step
// of the chain stays pending. For another property, it finds them in the product or, if [InModel]
// holds, in the model: sets where the property state does not change and the colours violate the
// condition.
type source struct {
	*Search
	c *scc.Components
	m *lts.LTS // the model, or the product
	// p and pending are set for a chain.
	p       *property.Chain
	pending *enrich.Pending
	// For another property, pairs are pairs of the complement of its condition; the number of a pair,
	// from 1, has the role of a step. u is the product, nil if the sets are in the model: then still has
	// for each pair a property state where violating runs stay, and reached the product states that a
	// run reaches.
	pairs   []property.Pair
	u       *product.Unfolding
	fates   *fate.Map
	still   []property.Q
	reached []uint64
	parts   *parts
}

// parts are searches for components in subsets of the model, with their work.
type parts struct {
	*scc.Parts
	counted int64
}

// single returns a search with this source alone, and prepares the source for searches in subsets.
func single(ctx context.Context, x *source) *Search {
	x.parts = &parts{Parts: abort.Must(scc.NewParts(ctx, x.m))}
	x.Search = &Search{ctx: ctx, sources: []*source{x}, budget: &budget{}}
	return x.Search
}

// alphabet returns the labels of the model.
func (v *Search) alphabet() *lts.Alphabet { return v.sources[0].m.Alphabet() }

// budget counts the work of a question.
type budget struct {
	ctx context.Context
	// work is the number of transitions visited, most its limit; 0 for no limit.
	work, most int64
	looked     int64 // the work at the last check of ctx
}

// errLimit reports that the limit of work is reached.
var errLimit = errors.New("assume: too much work")

// spend adds to the work. The question ends if the limit is exceeded, or if the context is done.
func (b *budget) spend(work int) {
	b.work += int64(work)
	if b.most > 0 && b.work > b.most {
		abort.On(errLimit)
	}
	if b.work-b.looked >= 1<<14 {
		b.looked = b.work
		abort.On(b.ctx.Err())
	}
}

// Size returns the number of states and transitions that each question visits at least: the states
// and transitions of the components where a step can be pending, once for each such step, see
// [enrich.Pending.Size]. Cost O(1).
func (v *Search) Size() (size int64) {
	for _, x := range v.sources {
		if size += x.passes() * int64(len(x.pairs)); x.pending != nil {
			size += x.pending.Size()
		}
	}
	return size
}

// begin begins a question, with the limit of work.
func (v *Search) begin(l Limits) { v.budget = &budget{ctx: v.ctx, most: l.Work} }

type shows func(from lts.State, l lts.Label, to lts.State) bool

// each yields each subset of the model where violating runs may stay: for a chain, for each step
// that can be pending; for another property, for each property state of v.still, whose number from 1
// is the step. With backward, the last steps of a chain come first. It counts the work of the loop's
// body, and of the searches in the subsets.
func (v *source) each(backward bool) iter.Seq[enrich.Part] {
	all := v.eachStill
	switch {
	case v.pending != nil && backward:
		all = v.pending.Backward
	case v.pending != nil:
		all = v.pending.All
	}
	return func(yield func(enrich.Part) bool) {
		v.spend(v.m.Alphabet().Len())
		for at := range all {
			abort.On(v.ctx.Err())
			more := yield(at)
			v.spend(len(at.States))
			if v.searched(); !more {
				return
			}
		}
	}
}

// searched counts the work of searches for components since its last call.
func (v *source) searched() {
	since := v.parts.Work() - v.parts.counted
	v.parts.counted += since
	v.spend(int(since))
}

// violating is a violating set of a source, and the step that its transitions do not do; states is
// nil if there is none.
type violating struct {
	*source
	states []lts.State
	step   int
}

// under returns a violating set that is fair under f. With some, it may be any one, which is found
// sooner, or a set around one.
func (v *Search) under(f *property.Fairness, some bool) violating {
	var sets *fairSets
	for _, x := range v.sources {
		found := violating{source: x}
		if x.u != nil {
			if found.states, found.step = x.underInProduct(f); found.states != nil {
				return found
			}
			continue
		}
		sets = x.newFairSets(f, sets)
		for at := range x.each(some) {
			hidden := sets.hidden(at.Step)
			if found.step = at.Step; some && x.recurring(at.Step) == 0 && abort.Must(sets.Around(at.States, hidden)) {
				found.states = at.States
				return found
			}
			abort.On(sets.In(at.Component, at.States, hidden, func(set []lts.State) bool {
				if x.recurs(set, at.Step, f.Rare) {
					found.states = set
				}
				return found.states == nil
			}))
			if found.states != nil {
				return found
			}
		}
	}
	return violating{}
}

// fairSets finds fair sets of transitions that do not do a step.
type fairSets struct {
	*enrich.FairSets
	of     *source
	labels map[int]bitset.Set[lts.Label] // for each step, the labels that do the step, which a set must not have
}

// newFairSets returns the fair sets of a source. It shares the memory of known if known is about
// the same model.
func (v *source) newFairSets(f *property.Fairness, known *fairSets) *fairSets {
	x := &fairSets{of: v, labels: map[int]bitset.Set[lts.Label]{}}
	if known != nil && known.of.c == v.c {
		x.FairSets = known.FairSets
	} else {
		x.FairSets = abort.Must(enrich.NewFairSets(v.ctx, v.c, f, v.parts.Parts))
	}
	return x
}

// hidden returns the labels that do a step, which a fair set must not have.
func (x *fairSets) hidden(step int) bitset.Set[lts.Label] {
	hidden, known := x.labels[step]
	if !known {
		hidden = x.Hidden(func(l lts.Label) bool { return x.of.does(l, step) })
		x.labels[step] = hidden
	}
	return hidden
}

// within selects the transitions between states of a set, except transitions that do the step, and
// transitions whose labels are hidden.
func (v *source) within(set []lts.State, step int, hides func(lts.Label) bool) shows {
	v.parts.Enter(set)
	return func(from lts.State, l lts.Label, to lts.State) bool {
		// A run that takes these infinitely often does not satisfy the pair, or does the step.
		excluded := v.u != nil && v.u.Marks(from, l)&v.pairs[step-1].Fin != 0 || v.u == nil && v.does(l, step)
		return v.parts.Has(to) && !excluded && (hides == nil || !hides(l))
	}
}

// does reports whether a label does a step or, for a property that is no chain, leaves a property
// state of v.still or has a colour of its Fin.
func (v *source) does(l lts.Label, step int) bool {
	if v.pending == nil {
		q, p := v.still[step-1], v.fates.Property()
		return p.Next(q, l) != q || p.Marks(q, l)&v.pairs[step-1].Fin != 0
	}
	return v.p.Does(l, step)
}

// Limits bound the search for answers.
type Limits struct {
	// Members is the largest number of members of an answer, 0 for 3; Answers is the largest number
	// of answers to a question, 0 for 10.
	Members, Answers int
	// With are further tasks to which all runs are fair, for [Search.FairTasks].
	With []property.Task
	// Without, unless it is nil, excludes labels from the answers of [Search.Finitely].
	Without func(lts.Label) bool
	// Work is the largest number of transitions that a question visits, repeated visits and
	// comparisons of sets included; 0 for no limit.
	Work int64
}

func (l Limits) orDefault() Limits {
	if l.Members == 0 {
		l.Members = 3
	}
	if l.Answers == 0 {
		l.Answers = 10
	}
	return l
}

// Found are the answers to one question.
type Found struct {
	// Sets are the sets found, of labels or of tasks by their index, each ascending, the smallest set
	// first, and sets of one size in lexical order; nil if there are none.
	Sets [][]int
	// Through is the largest size for which all sets were found.
	Through int
	// Complete reports whether all sets of any size were found.
	Complete bool
	// Stopped reports whether the search reached its limit of work. The answers found until then
	// are valid.
	Stopped bool
}

// FairLabels returns the minimal sets of labels such that the property holds on all runs that are
// fair to each label of the set, strongly or weakly. Cost of each set that is tried: O(n (S + T)),
// times its size for strong fairness; the number of sets is at worst exponential in the limit.
func (v *Search) FairLabels(strong bool, l Limits) (Found, error) {
	var tasks []property.Task
	a := v.alphabet()
	for label, text := range a.All() {
		if a.Plain(label) == label {
			tasks = append(tasks, property.Task{Labels: a.Variants(text), Strong: strong})
		}
	}
	found, err := v.FairTasks(tasks, l)
	for _, set := range found.Sets {
		for i, task := range set {
			set[i] = int(tasks[task].Labels[0])
		}
	}
	return found, err
}

// FairTasks returns the minimal sets of tasks, by their index, such that the property holds on all
// runs that are fair to each task of the set, and to those of l.With. It fails if a task has no labels. Cost as for
// [Search.FairLabels].
func (v *Search) FairTasks(tasks []property.Task, l Limits) (_ Found, err error) {
	defer abort.Caught(&err)
	v.begin(l)
	a := v.alphabet()
	all := abort.Must(property.NewFairness(a, false, tasks, nil))
	return v.collect(l.orDefault(), func(set []int) (bool, []int) {
		chosen := slices.Clone(l.With)
		for _, task := range set {
			chosen = append(chosen, tasks[task])
		}
		at := v.under(abort.Must(property.NewFairness(a, false, chosen, nil)), false)
		if at.states == nil {
			return true, nil
		}
		v.spend(len(at.states) + len(tasks))
		return false, at.neglected(at.states, at.step, all)
	})
}

// Violates reports whether some run that counts under f violates the property. f must not have
// labels that occur finitely often. Cost O(n (S + T)), times the number of strong tasks.
func (v *Search) Violates(f *property.Fairness) (is bool, err error) {
	defer abort.Caught(&err)
	return v.violates(f), nil
}

func (v *Search) violates(f *property.Fairness) bool {
	v.begin(Limits{})
	return v.under(f, true).states != nil
}

func (v *Search) collect(l Limits, test func([]int) (bool, []int)) (Found, error) {
	sets, through, complete, err := answers(v.budget, l.Answers, l.Members, test)
	f := Found{Sets: sets, Through: through, Complete: complete, Stopped: errors.Is(err, errLimit)}
	if f.Stopped {
		err = nil
	}
	return f, err
}

// neglected returns the tasks that a run neglects if it takes for ever the transitions of a set
// that do not do a step: strong tasks that some state of the set enables, and weak tasks that all
// its states enable, if no transition takes them.
func (v *source) neglected(set []lts.State, step int, f *property.Fairness) []int {
	shows := v.within(set, step, nil)
	type inSet struct {
		taken   bool
		enabled int // the number of states that enable the task
		last    int // the last state that was counted, as an index from 1
	}
	tasks := f.Tasks()
	all := make([]inSet, len(tasks))
	for k, s := range set {
		labels, targets := v.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			for _, t := range f.TasksOf(l) {
				// In the product, a self-loop of the model may lead to another state.
				if tasks[t].Nonstuttering && (s == targets[i] || v.u != nil && v.u.Stays(s, targets[i])) {
					continue
				}
				of := &all[t]
				of.taken = of.taken || shows(s, l, targets[i])
				if of.last != k+1 {
					of.last = k + 1
					of.enabled++
				}
			}
		}
	}
	conflict := []int{}
	for t, of := range all {
		if !of.taken && of.enabled > 0 && (tasks[t].Strong || of.enabled == len(set)) {
			conflict = append(conflict, t)
		}
	}
	return conflict
}

// Finitely returns the minimal sets of labels such that the property holds on all runs that do
// these labels finitely often, and at least one such run exists. Cost as for [Search.FairLabels].
func (v *Search) Finitely(l Limits) (Found, error) {
	v.begin(l)
	l = l.orDefault()
	return v.collect(l, func(set []int) (bool, []int) {
		var labels []lts.Label
		for _, label := range set {
			labels = append(labels, v.alphabet().Variants(v.alphabet().Text(lts.Label(label)))...)
		}
		f := abort.Must(property.NewFairness(v.alphabet(), false, nil, labels))
		at := v.under(f, false)
		if at.states != nil {
			conflict := at.roundLabels(at.states, at.step, f.Rare)
			for i, label := range conflict {
				conflict[i] = int(v.alphabet().Plain(lts.Label(label)))
			}
			slices.Sort(conflict)
			conflict = slices.Compact(conflict)
			if l.Without != nil {
				conflict = slices.DeleteFunc(conflict, func(i int) bool { return l.Without(lts.Label(i)) })
			}
			v.spend(len(at.states))
			return false, conflict
		}
		admits := abort.Must(enrich.Admits(v.ctx, v.sources[0].c, f))
		v.spend(v.sources[0].m.NumTransitions())
		return admits, nil
	})
}

// mostPairs is the largest number of Rabin pairs that a complement may have.
const mostPairs = 64

// ErrManyPairs reports that the complement of an acceptance condition has more than mostPairs
// pairs.
var ErrManyPairs = fmt.Errorf("assume: the complement of the acceptance condition has more than %d pairs", mostPairs)

// Of returns a search for the assumptions that make a conjunction true: a run violates it if it
// violates one of the properties of these fates, which must be computed without assumptions. It
// searches for violating sets of a property that is no chain in the model if [InModel] holds, and
// otherwise by [OfProduct]. Like the questions, it fails if ctx is done or its budget is used up, and with
// [ErrDeadlock]. Cost O(S + T), and that of [enrich.Enriched.Pending] or of [OfProduct].
func Of(ctx context.Context, joined ...*fate.Map) (_ *Search, err error) {
	defer abort.Caught(&err)
	v := &Search{ctx: ctx, budget: &budget{}}
	for i, fates := range joined {
		if last := i == len(joined)-1 && len(v.sources) == 0; fates.Fairness() == nil && fates.Holds() && !last {
			continue
		}
		var of *Search
		enriched, isChain := fates.Enriched()
		still, pairs, serves := stillOf(fates)
		switch {
		case isChain:
			x := &source{c: enriched.Components(), m: enriched.LTS(), p: enriched.Property()}
			for i := range x.c.Len() { // the common prefix of a deadlock that satisfies the property is the whole chain
				if s := x.c.States(scc.Component(i))[0]; x.m.IsDeadlock(s) && enriched.CP(s) < x.p.Len() {
					abort.On(ErrDeadlock)
				}
			}
			x.pending = abort.Must(enriched.Pending(ctx))
			of = single(ctx, x)
		case serves:
			m := fates.LTS() // Cost O(product states); 8 bytes a state
			reached := abort.Must(resources.Make[uint64](ctx, m.NumStates()))
			for s := range reached {
				for q := range fates.Arrivals(lts.State(s)) {
					reached[s] |= 1 << q
					if m.IsDeadlock(lts.State(s)) && !fates.Property().Stops(q) {
						abort.On(ErrDeadlock)
					}
				}
			}
			of = single(ctx, &source{c: fates.Components(), m: m, fates: fates, still: still, pairs: pairs, reached: reached})
		default:
			of = abort.Must(OfProduct(ctx, abort.Must(fates.Unfold(ctx)), fates.UnfoldedComponents))
		}
		// Sources that are about the same model share memory.
		x := of.sources[0]
		x.Search = v
		for _, known := range v.sources {
			if known.m == x.m {
				x.parts = known.parts
			}
		}
		v.sources = append(v.sources, x)
	}
	return v, nil
}

// OfProduct is [Of] for a property that is no chain, by its product with the model. The function
// components returns the components of the product; OfProduct calls it unless a deadlock violates
// the property. OfProduct also fails with the errors of components, and with [ErrManyPairs].
func OfProduct(ctx context.Context, u *product.Unfolding, components func(context.Context) (*scc.Components, error)) (_ *Search, err error) {
	defer abort.Caught(&err)
	for s := range lts.State(u.LTS().NumStates()) {
		if u.LTS().IsDeadlock(s) && !u.Property().Stops(u.At(s).Q) {
			return nil, ErrDeadlock
		}
	}
	pairs, few := u.Property().Acceptance().Not().Pairs(mostPairs)
	if !few {
		return nil, ErrManyPairs
	}
	return single(ctx, &source{c: abort.Must(components(ctx)), m: u.LTS(), u: u, pairs: pairs}), nil
}

// passes returns the states and transitions that one pass visits.
func (v *source) passes() int64 { return int64(v.m.NumStates() + v.m.NumTransitions()) }

// underInProduct is [source.under] for a property that is no chain.
func (v *source) underInProduct(f *property.Fairness) (set []lts.State, pair int) {
	if f.Full() {
		rejecting := abort.Must(v.u.AcceptingUnder(v.ctx, v.c, v.u.Property().Acceptance().Not(), f))
		if i := slices.Index(rejecting, true); i >= 0 {
			return v.c.States(scc.Component(i)), 1
		}
		return nil, 0
	}
	for k, pair := range v.pairs {
		part, parts, err := v.u.Recurring(v.ctx, v.c, pair.Fin, pair.Inf, f)
		abort.On(err)
		v.spend(int(v.passes()))
		if parts == 0 {
			continue
		}
		for s, of := range part {
			if of == 1 {
				set = append(set, lts.State(s))
			}
		}
		return set, k + 1
	}
	return nil, 0
}

// roundLabels returns the labels of a closed walk in a violating set. No label does the step, and
// no label is hidden. The walk begins in the first state of the set, and goes on to the nearest
// missing colour of those that must recur, until it has all of them; if no colour must recur, the
// walk is a shortest cycle.
func (v *source) roundLabels(set []lts.State, pair int, hides func(lts.Label) bool) []int {
	shows := v.within(set, pair, hides)
	home, at := set[0], set[0]
	missing := v.recurring(pair)
	on := []int{}
	for first := true; first || missing != 0 || at != home; first = false {
		way := v.shortestWay(at, shows, func(from lts.State, l lts.Label, to lts.State) bool {
			return missing == 0 && to == home || v.marks(from, l, pair)&missing != 0
		})
		if way == nil {
			return []int{}
		}
		for _, t := range way {
			missing &^= v.marks(t.From, t.Label, pair)
			on, at = append(on, int(t.Label)), t.To
		}
	}
	slices.Sort(on)
	return slices.Compact(on)
}

// shortestWay returns a shortest path from a state that ends with a wanted transition; nil if there
// is none.
func (v *source) shortestWay(from lts.State, shows shows, wanted shows) []lts.Transition {
	type node struct {
		state  lts.State
		before uint32 // the number of the previous node; for the first node, its own number
		label  lts.Label
	}
	visited := bitset.New[lts.State](v.m.NumStates())
	visited.Add(from)
	queue := []node{{state: from}}
	for next := 0; next < len(queue); next++ {
		at := queue[next].state
		labels, targets := v.m.Out(at)
		for i, to := range targets {
			if !shows(at, labels.At(i), to) {
				continue
			}
			if wanted(at, labels.At(i), to) {
				way := []lts.Transition{{From: at, Label: labels.At(i), To: to}}
				for k := next; k > 0; k = int(queue[k].before) {
					way = append(way, lts.Transition{From: queue[queue[k].before].state, Label: queue[k].label, To: queue[k].state})
				}
				slices.Reverse(way)
				return way
			}
			if !visited.Has(to) {
				visited.Add(to)
				queue = append(queue, node{to, uint32(next), labels.At(i)})
			}
		}
	}
	return nil
}

// InModel reports whether the violating sets of a property can be found in the model, without the
// product: for each pair of the complement of its condition, every loop of its automaton without
// colours of Fin and with all colours of Inf stays in one state. This is true of properties that
// wait for one event, or forbid one event. It is false for chains, whose sets [enrich.Pending] has. Cost as
// for [stateset.Loops] for each pair.
func InModel(fates *fate.Map) bool {
	_, _, is := stillOf(fates)
	return is
}

// mostStill is the largest number of property states for which InModel decides.
const mostStill = 64

// stillOf returns property states where violating runs stay, each with a pair: from some moment on they
// take only labels that do not leave the state and have no colour of Fin, and all colours of Inf
// infinitely often. It returns false if some violating runs change the property state for ever.
func stillOf(fates *fate.Map) (all []property.Q, pairs []property.Pair, is bool) {
	p := fates.Property()
	if p.Steps() > 0 || p.States() > mostStill {
		return nil, nil, false
	}
	of, few := p.Acceptance().Not().Pairs(mostPairs)
	if !few {
		return nil, nil, false
	}
	t := p.Automaton()
	for _, pair := range of {
		loops, _ := stateset.Loops(&t, pair)
		for q, with := range loops {
			switch with {
			case 0:
			case 1 << q:
				all, pairs = append(all, property.Q(q)), append(pairs, pair)
			default:
				return nil, nil, false
			}
		}
	}
	return all, pairs, true
}

// eachStill yields the states of each cyclic component that runs reach in a property state of
// v.still, whose number from 1 is the step.
func (v *source) eachStill(yield func(enrich.Part) bool) {
	for i := range scc.Component(v.c.Len()) {
		abort.IfDone(v.ctx, i)
		if !v.c.IsCyclic(i) {
			continue
		}
		for k, q := range v.still {
			states, comes := v.c.States(i), 0
			for _, s := range states {
				comes += int(v.reached[s] >> q & 1)
			}
			switch {
			case comes == 0:
				continue
			case comes < len(states):
				some := make([]lts.State, 0, comes)
				for _, s := range states {
					if v.reached[s]>>q&1 != 0 {
						some = append(some, s)
					}
				}
				states = some
			}
			if !yield(enrich.Part{Component: i, States: states, Step: k + 1}) {
				return
			}
		}
	}
}

// recurring returns the colours that a violating run must take infinitely often.
func (v *source) recurring(step int) property.Marks {
	if v.pending != nil {
		return 0
	}
	return v.pairs[step-1].Inf
}

func (v *source) marks(from lts.State, l lts.Label, step int) property.Marks {
	switch {
	case v.u != nil:
		return v.u.Marks(from, l)
	case v.pending == nil:
		return v.fates.Property().Marks(v.still[step-1], l)
	}
	return 0
}

// recurs reports whether the transitions within a set have all colours that a violating run needs.
// Transitions with labels for which rare is true do not count.
func (v *source) recurs(set []lts.State, step int, rare func(lts.Label) bool) bool {
	missing := v.recurring(step)
	if missing == 0 {
		return true
	}
	shows := v.within(set, step, rare)
	for _, s := range set {
		labels, targets := v.m.Out(s)
		for i, to := range targets {
			if marks := v.marks(s, labels.At(i), step); marks&missing != 0 && shows(s, labels.At(i), to) {
				if missing &^= marks; missing == 0 {
					return true
				}
			}
		}
	}
	return false
}

// Doomed is the nearest product state from where almost no run satisfies the property, and the
// length of a shortest path there.
type Doomed struct {
	product.State
	Steps int
}

// doomed returns the nearest such product state, the first one breadth first, of a property that is no
// chain and is violated under full fairness; nil if no reached product state is doomed. Cost O(n (S +
// T)) for n property states; 16 bytes a state of the model, and its predecessors unless all runs are
// doomed.
func (v *source) doomed() *Doomed {
	// The product states of the sets where almost all runs stay for ever and violate the property.
	reached, rejecting := v.reached, abort.Must(resources.Make[uint64](v.ctx, v.m.NumStates()))
	full := abort.Must(property.NewFairness(v.m.Alphabet(), true, nil, nil))
	sets := v.newFairSets(full, nil)
	for at := range v.eachStill {
		abort.On(sets.In(at.Component, at.States, sets.hidden(at.Step), func(set []lts.State) bool {
			if v.recurs(set, at.Step, full.Rare) {
				for _, s := range set {
					rejecting[s] |= 1 << v.still[at.Step-1]
				}
			}
			return true
		}))
	}
	if slices.Equal(rejecting, reached) {
		return &Doomed{State: product.State{State: v.m.Initial()}}
	}
	// Almost every run ends up in a set where it stays for ever. If no rejecting set is reachable
	// from a product state, almost every run from there satisfies the property; a product state
	// that reaches no such product state is doomed.
	v.leading(rejecting, reached)
	hopeful := rejecting
	for s, set := range reached {
		hopeful[s] = set &^ rejecting[s]
	}
	v.leading(hopeful, reached)
	doomed := func(at product.State) bool { return hopeful[at.State]>>at.Q&1 == 0 }
	levels := product.NewLevels(v.m, v.fates.Property())
	if levels == nil || slices.Equal(hopeful, reached) {
		return nil
	}
	first, steps, err := levels.First(v.ctx, doomed)
	abort.On(err)
	return &Doomed{first, steps}
}

// leading adds to a set all reached product states from where the set is reachable.
func (v *source) leading(to, reached []uint64) {
	abort.On(v.m.FindPredecessors(v.ctx))
	p, before := v.fates.Property(), v.m.Predecessors()
	var queue []lts.State
	waits := make([]bool, len(to))
	for s, set := range to {
		if set != 0 {
			queue, waits[s] = append(queue, lts.State(s)), true
		}
	}
	for looks := 0; len(queue) > 0; looks++ {
		abort.IfDone(v.ctx, looks)
		s := queue[len(queue)-1]
		queue, waits[s] = queue[:len(queue)-1], false
		labels, sources := before.In(s)
		for i, from := range sources {
			more := uint64(0)
			for rest := reached[from] &^ to[from]; rest != 0; rest &= rest - 1 {
				if q := bits.TrailingZeros64(rest); to[s]>>p.Next(property.Q(q), labels.At(i))&1 != 0 {
					more |= 1 << q
				}
			}
			if to[from] |= more; more != 0 && !waits[from] {
				queue, waits[from] = append(queue, from), true
			}
		}
	}
}

// doomedOnChain returns the nearest product state from where no run satisfies the chain; nil if there
// is none. Cost O(n (S + T)), and 4 bytes a state.
func doomedOnChain(ctx context.Context, fates *fate.Map) *Doomed {
	m, p := fates.LTS(), fates.Property()
	// least is one more than the smallest progress that reached a state. From the same state, a run
	// with more progress can lose only the steps that a run with less progress can lose.
	least := abort.Must(resources.Make[property.Q](ctx, m.NumStates()))
	queue := []Doomed{{State: product.State{State: m.Initial()}}}
	least[m.Initial()] = 1
	for next := 0; next < len(queue); next++ {
		abort.IfDone(ctx, next)
		at := queue[next]
		if fates.At(at.State.State, at.Q) == fate.Lost {
			return &at
		}
		labels, targets := m.Out(at.State.State)
		for i, to := range targets {
			if after := p.Next(at.Q, labels.At(i)); least[to] == 0 || after+1 < least[to] {
				least[to] = after + 1
				queue = append(queue, Doomed{product.State{State: to, Q: after}, at.Steps + 1})
			}
		}
	}
	return nil
}

// doomedInProduct is [doomedOnChain] for a property that is no chain, on fully fair runs.
func doomedInProduct(ctx context.Context, fates *fate.Map) *Doomed {
	fates = abort.Must(fates.Under(ctx, abort.Must(property.NewFairness(fates.LTS().Alphabet(), true, nil, nil))))
	u := abort.Must(fates.Unfold(ctx))
	last, found := lts.State(0), false
	tree := abort.Must(bfs.From(ctx, u.LTS(), []lts.State{u.LTS().Initial()}, bfs.Options{Until: func(s lts.State) bool {
		at := u.At(s)
		last, found = s, fates.At(at.State, at.Q) == fate.Lost
		return found
	}}))
	if !found {
		return nil
	}
	steps, _ := tree.Distance(last)
	return &Doomed{u.At(last), steps}
}

// Choices are states such that the property holds on all runs that are fair to their choices: a run
// that visits such a state infinitely often takes every transition of the state infinitely often.
type Choices struct {
	// States are ascending; nil if no choices are enough, or if none were found within the limit.
	States []lts.State
	// Minimal reports whether every state is needed; if there are no States, whether it is known
	// that no choices are enough.
	Minimal bool
}

// FairChoices returns states such that the property holds on all runs that are fair to their
// choices, see [Choices]. Each state is needed, unless the trials to leave one out reach the limit
// of work. Such states exist if and only if the property holds under full fairness. The property must
// be a chain: another one can hold on almost all runs although no choices are enough. Cost O(n (S +
// T)) for each state, and at worst again for each trial to leave one out.
func (v *Search) FairChoices(l Limits) (_ Choices, err error) {
	defer abort.Caught(&err)
	x := v.sources[0]
	if l.Work > 0 && x.manyChoices(l.Work) {
		return Choices{}, nil
	}
	v.begin(l)
	fair := make([]bool, x.m.NumStates())
	var chosen []lts.State
	enough := false
	err = abort.Try(func() {
		conflict := x.unfairChoices(fair)
		for ; len(conflict) > 0; conflict = x.unfairChoices(fair) {
			fair[conflict[0]] = true
			chosen = append(chosen, conflict[0])
		}
		enough = conflict == nil
	})
	switch {
	case errors.Is(err, errLimit):
		return Choices{}, nil
	case err != nil:
		return Choices{}, err
	case !enough:
		return Choices{Minimal: true}, nil
	}
	// States that are superfluous given the others are left out, until the limit of work is reached.
	found := Choices{States: []lts.State{}, Minimal: true}
	for i, s := range chosen {
		fair[s] = false
		needed := false
		err := abort.Try(func() {
			// Most states that are needed are recognised by a cheap test: whether a run can stay for ever, with
			// a step pending, on a cycle through the state that has no state with fair choices.
			for step := range x.pending.Steps(s) {
				needed = needed || abort.Must(x.parts.OnCycle(s, func(_ lts.State, l lts.Label, to lts.State) bool { return !fair[to] && !x.p.Does(l, step) }))
			}
			needed = needed || x.unfairChoices(fair) != nil
		})
		if errors.Is(err, errLimit) {
			found = Choices{States: append(found.States, chosen[i:]...)}
			break
		}
		if abort.On(err); needed {
			fair[s] = true
			found.States = append(found.States, s)
		}
	}
	slices.Sort(found.States)
	return found, nil
}

// manyChoices reports whether the limit of work is too small to choose states. Each of several
// disjoint cycles needs a state of its own, and to choose it, the search visits the component of
// the cycle.
func (v *source) manyChoices(most int64) (many bool) {
	v.begin(Limits{})
	for at := range v.each(false) {
		size, sum := int64(0), int64(0)
		for _, s := range at.States {
			labels, _ := v.m.Out(s)
			size += 1 + int64(labels.Len())
		}
		if int64(len(at.States))*size <= most {
			continue
		}
		abort.On(v.parts.DisjointCycles(at.States, v.avoids(at.Step), func([]lts.State) bool {
			sum += size
			return sum <= most
		}))
		if many = sum > most; many {
			break
		}
	}
	// One question may show that no choices are enough.
	return many && !v.violates(abort.Must(property.NewFairness(v.m.Alphabet(), true, nil, nil)))
}

// avoids selects the transitions whose labels do not do a step.
func (v *source) avoids(step int) shows {
	return func(_ lts.State, l lts.Label, _ lts.State) bool { return !v.p.Does(l, step) }
}

// unfairChoices searches for a violating set where a run can stay that is fair to the chosen
// states. It returns the states, ascending, with transitions that leave the set; nil if there is no
// such set.
func (v *source) unfairChoices(fair []bool) []lts.State {
	for at := range v.each(false) {
		work := [][]lts.State{at.States}
		for len(work) > 0 {
			part := work[len(work)-1]
			work = work[:len(work)-1]
			v.searched()
			for set := range abort.Must(v.parts.Components(part, v.avoids(at.Step))) {
				// A run can visit those states infinitely often whose transitions all stay in the set, or whose
				// choices need not be fair.
				shows := v.within(set, at.Step, nil)
				var left []lts.State
				partial, some := []lts.State{}, false
				for _, s := range set {
					labels, targets := v.m.Out(s)
					all := true
					for i, t := range targets {
						stays := shows(s, labels.At(i), t)
						all, some = all && stays, some || stays
					}
					if !all {
						partial = append(partial, s)
					}
					if all || !fair[s] {
						left = append(left, s)
					}
				}
				switch {
				case len(left) < len(set):
					if len(left) > 0 {
						work = append(work, left)
					}
				case some:
					slices.Sort(partial)
					return partial
				}
			}
		}
	}
	return nil
}
