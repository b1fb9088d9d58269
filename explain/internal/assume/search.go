package assume

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/inev-lts/inev/internal/enrich/pending"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// ErrDeadlock reports that a run into a deadlock violates the property, so that no
// assumption about infinite runs makes it true.
var ErrDeadlock = errors.New("a run that ends in a deadlock violates the property: no assumption about infinite runs helps")

// Search answers questions about one model and property. It searches for violating sets:
// transitions that a run can take forever so that it violates the property, or one of its
// conjuncts. Only one goroutine may use it at a time.
type Search struct {
	ctx     context.Context
	sources []*source
	*budget
}

// source finds the violating sets of one property. For a chain, these are sets where the next step
// of the chain stays pending. For other properties, they are sets in the product or, if [InModel]
// holds, in the model. In a set of the model, the property state does not change, and the colours
// violate the condition.
type source struct {
	*Search
	c *scc.Components
	m *lts.LTS // the model, or the product
	// p and pending are only set for a chain.
	p       *property.Chain
	pending *pending.List
	// The other fields are for properties that are no chains. pairs has the pairs of the complement of
	// the condition; the number of a pair, from 1, plays the role of a step. If the sets are in the
	// product, u is the product. Otherwise u is nil. Then still has, for each pair, a property state
	// where violating runs stay, and reached has the product states that runs reach.
	pairs   []property.Pair
	u       *product.Unfolding
	fates   *fate.Map
	still   []property.Q
	reached []uint64
	parts   *parts
}

// parts searches for components in subsets of the model.
type parts struct {
	*scc.Parts
	counted int64 // the part of its work that useSearched has already counted
}

// mostPairs is the largest number of Rabin pairs that a complement may have.
const mostPairs = 64

// ErrManyPairs reports that the complement of an acceptance condition has more than mostPairs
// pairs.
var ErrManyPairs = fmt.Errorf("assume: the complement of the acceptance condition has more than %d pairs", mostPairs)

// Of returns a search for the assumptions that make a conjunction true: a run violates the
// conjunction if it violates the property of one of the given fates. These must have been computed
// without assumptions. For a property that is no chain, Of searches for violating sets in the model
// if [InModel] holds, and otherwise by [OfProduct]. Like the questions, it fails if ctx is done or
// its budget is used up, and with [ErrDeadlock]. Cost O(S + T), and that of
// [enrich.Enriched.Pending] or of [OfProduct].
func Of(ctx context.Context, joined ...*fate.Map) (*Search, error) {
	v := &Search{ctx: ctx, budget: &budget{}}
	for i, fates := range joined {
		isNeverViolated := fates.Fairness() == nil && fates.Holds()
		mustHaveOne := i == len(joined)-1 && len(v.sources) == 0
		if isNeverViolated && !mustHaveOne {
			continue
		}
		single, err := searchOf(ctx, fates)
		if err != nil {
			return nil, err
		}
		// Sources that search the same model share memory.
		x := single.sources[0]
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

// searchOf is [Of] for one property.
func searchOf(ctx context.Context, fates *fate.Map) (*Search, error) {
	if enriched, isChain := fates.Enriched(); isChain {
		return ofChain(ctx, enriched)
	}
	if still, pairs, inModel := stillOf(fates); inModel {
		return ofModel(ctx, fates, still, pairs)
	}
	u, err := fates.Unfold(ctx)
	if err != nil {
		return nil, err
	}
	return OfProduct(ctx, u, fates.UnfoldedComponents)
}

// ofChain is [Of] for a chain.
func ofChain(ctx context.Context, enriched *enrich.Enriched) (*Search, error) {
	x := &source{
		c: enriched.Components(),
		m: enriched.LTS(),
		p: enriched.Property(),
	}
	for i := range x.c.Len() {
		// If a run into a deadlock satisfies the property, the common prefix of the deadlock is the
		// whole chain.
		s := x.c.States(scc.Component(i))[0]
		if x.m.IsDeadlock(s) && enriched.CP(s) < x.p.Len() {
			return nil, ErrDeadlock
		}
	}
	var err error
	x.pending, err = pending.Find(ctx, enriched)
	if err != nil {
		return nil, err
	}
	return single(ctx, x)
}

// ofModel is [Of] for a property whose violating sets are in the model. Cost O(product states); 8
// bytes a state.
func ofModel(
	ctx context.Context,
	fates *fate.Map,
	still []property.Q,
	pairs []property.Pair,
) (*Search, error) {
	m := fates.LTS()
	reached, err := resources.Make[uint64](ctx, m.NumStates())
	if err != nil {
		return nil, err
	}
	for s := range reached {
		for q := range fates.Arrivals(lts.State(s)) {
			reached[s] |= 1 << q
			if m.IsDeadlock(lts.State(s)) && !fates.Property().Stops(q) {
				return nil, ErrDeadlock
			}
		}
	}
	return single(ctx, &source{
		c:       fates.Components(),
		m:       m,
		fates:   fates,
		still:   still,
		pairs:   pairs,
		reached: reached,
	})
}

// OfProduct is [Of] for a property that is no chain, by its product with the model. It calls
// components for the components of the product, unless a deadlock violates the property. It also
// fails with the errors of components, and with [ErrManyPairs].
func OfProduct(
	ctx context.Context,
	u *product.Unfolding,
	components func(context.Context) (*scc.Components, error),
) (*Search, error) {
	for s := range lts.State(u.LTS().NumStates()) {
		if u.LTS().IsDeadlock(s) && !u.Property().Stops(u.At(s).Q) {
			return nil, ErrDeadlock
		}
	}
	pairs, few := u.Property().Acceptance().Not().Pairs(mostPairs)
	if !few {
		return nil, ErrManyPairs
	}
	c, err := components(ctx)
	if err != nil {
		return nil, err
	}
	return single(ctx, &source{
		c:     c,
		m:     u.LTS(),
		u:     u,
		pairs: pairs,
	})
}

// single returns a search with one source, and prepares the source for searches in subsets.
func single(ctx context.Context, x *source) (*Search, error) {
	search, err := scc.NewParts(ctx, x.m)
	if err != nil {
		return nil, err
	}
	x.parts = &parts{Parts: search}
	x.Search = &Search{ctx: ctx, sources: []*source{x}, budget: &budget{}}
	return x.Search, nil
}

// alphabet returns the labels of the model.
func (v *Search) alphabet() *lts.Alphabet { return v.sources[0].m.Alphabet() }

// budget counts the work of a question.
type budget struct {
	ctx context.Context
	// work is the number of transitions visited; most is its limit, or 0 for no limit.
	work, most int64
	checkedAt  int64 // the work at the last check of ctx
}

// errLimit reports that the limit of work is reached.
var errLimit = errors.New("assume: too much work")

// use adds to the work. It returns an error if the limit is exceeded, or if the context is done.
func (b *budget) use(work int) error {
	b.work += int64(work)
	if b.most > 0 && b.work > b.most {
		return errLimit
	}
	const checkInterval = 1 << 14
	if b.work-b.checkedAt < checkInterval {
		return nil
	}
	b.checkedAt = b.work
	return b.ctx.Err()
}

// Size returns the number of states and transitions that each question visits at least: the states
// and transitions of the components where a step can be pending, once for each such step, see
// [pending.List.Size]. Cost O(1).
func (v *Search) Size() int64 {
	size := int64(0)
	for _, x := range v.sources {
		size += x.passes() * int64(len(x.pairs))
		if x.pending != nil {
			size += x.pending.Size()
		}
	}
	return size
}

// begin begins a question, with the limit of work.
func (v *Search) begin(l Limits) { v.budget = &budget{ctx: v.ctx, most: l.Work} }

// InModel reports whether the violating sets of a property can be found in the model, without the
// product. They can if certain loops of the automaton stay in one state: for each pair of the
// complement of its condition, the loops with no colour of Fin and all colours of Inf. This is true
// of properties that wait for one event, or forbid one event. It is false for chains, whose sets
// come from [pending.List]. Cost as for [stateset.Loops] for each pair.
func InModel(fates *fate.Map) bool {
	_, _, inModel := stillOf(fates)
	return inModel
}

// mostStill is the largest number of states of a property for which InModel can be true.
const mostStill = 64

// stillOf returns property states where violating runs stay, each with a pair. From some moment on,
// such runs take only labels that do not leave the state and have no colour of Fin, and they take
// all colours of Inf infinitely often. stillOf returns false if some violating runs change the
// property state infinitely often.
func stillOf(fates *fate.Map) (still []property.Q, pairs []property.Pair, inModel bool) {
	p := fates.Property()
	if p.Steps() > 0 || p.States() > mostStill {
		return nil, nil, false
	}
	rejecting, few := p.Acceptance().Not().Pairs(mostPairs)
	if !few {
		return nil, nil, false
	}
	t := p.Automaton()
	for _, pair := range rejecting {
		loops, _ := stateset.Loops(&t, pair)
		for q, states := range loops { // states are those of the loops through q
			if states == 0 {
				continue
			}
			staysInQ := states == 1<<q
			if !staysInQ {
				return nil, nil, false
			}
			still = append(still, property.Q(q))
			pairs = append(pairs, pair)
		}
	}
	return still, pairs, true
}

// passes returns the number of states and transitions that one pass visits.
func (v *source) passes() int64 { return int64(v.m.NumStates() + v.m.NumTransitions()) }

// transitionFilter selects transitions.
type transitionFilter func(from lts.State, l lts.Label, to lts.State) bool

// each visits each subset of the model where violating runs may stay, once for each step: for a
// chain, for each step that can be pending; for another property, for each property state of
// v.still, whose number from 1 has the role of the step. If backward is set, the last steps of a
// chain come first. each ends once visit returns false. It counts the work of visits, and of the
// searches in the subsets.
func (v *source) each(backward bool, visit func(pending.Part) (more bool, err error)) error {
	var all iter.Seq[pending.Part] = v.eachStill
	switch {
	case v.pending != nil && backward:
		all = v.pending.Backward
	case v.pending != nil:
		all = v.pending.All
	}
	if err := v.use(v.m.Alphabet().Len()); err != nil {
		return err
	}
	for part := range all {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		more, err := visit(part)
		if err != nil {
			return err
		}
		if err := v.use(len(part.States)); err != nil {
			return err
		}
		if err := v.useSearched(); err != nil || !more {
			return err
		}
	}
	return v.ctx.Err()
}

// useSearched counts the work of searches for components since the last call of useSearched.
func (v *source) useSearched() error {
	since := v.parts.Work() - v.parts.counted
	v.parts.counted += since
	return v.use(int(since))
}

// eachStill yields the states of each cyclic component that runs reach in a property state of
// v.still. The number of the property state, from 1, has the role of the step. It ends once the
// context is done.
func (v *source) eachStill(yield func(pending.Part) bool) {
	for i := range scc.Component(v.c.Len()) {
		if cores.Done(v.ctx, i) != nil {
			return
		}
		if !v.c.IsCyclic(i) {
			continue
		}
		for k, q := range v.still {
			states := v.reachedIn(v.c.States(i), q)
			if len(states) > 0 &&
				!yield(pending.Part{Component: i, States: states, Step: k + 1}) {
				return
			}
		}
	}
}

// reachedIn returns those of the given states that runs reach in property state q.
func (v *source) reachedIn(states []lts.State, q property.Q) []lts.State {
	count := 0
	for _, s := range states {
		count += int(v.reached[s] >> q & 1)
	}
	if count == len(states) {
		return states
	}
	reached := make([]lts.State, 0, count)
	for _, s := range states {
		if v.reached[s]>>q&1 != 0 {
			reached = append(reached, s)
		}
	}
	return reached
}

// violating is a violating set of a source, and the step that its transitions do not do. If there
// is no set, states is nil.
type violating struct {
	*source
	states []lts.State
	step   int
}

// findViolating returns a violating set that is fair under f.
func (v *Search) findViolating(f *property.Fairness) (violating, error) {
	return v.searchViolating(f, false)
}

// findAnyViolating is faster than [Search.findViolating], but the result may be a larger set that
// contains a violating set that is fair under f.
func (v *Search) findAnyViolating(f *property.Fairness) (violating, error) {
	return v.searchViolating(f, true)
}

// searchViolating is [Search.findAnyViolating] if anySet is set, otherwise [Search.findViolating].
func (v *Search) searchViolating(f *property.Fairness, anySet bool) (violating, error) {
	var sets *fairSets
	for _, x := range v.sources {
		var found violating
		var err error
		if x.u != nil {
			found, err = x.searchProduct(f)
		} else {
			sets, err = x.newFairSets(f, sets)
			if err != nil {
				return violating{}, err
			}
			found, err = x.searchModel(f, sets, anySet)
		}
		if err != nil || found.states != nil {
			return found, err
		}
	}
	return violating{}, nil
}

// searchModel is [Search.searchViolating] for a source whose sets are in the model.
func (v *source) searchModel(
	f *property.Fairness,
	sets *fairSets,
	anySet bool,
) (violating, error) {
	found := violating{source: v}
	// A model can have as many parts as states. So the functions that are called for each part are
	// made only once.
	keep := func(set []lts.State) bool {
		if v.hasAllRecurring(set, found.step, f.Rare) {
			found.states = set
		}
		return found.states == nil
	}
	err := v.each(anySet, func(part pending.Part) (bool, error) {
		found.step = part.Step
		hidden := sets.hidden(part.Step)
		if anySet && v.recurring(part.Step) == 0 {
			exists, err := sets.Around(part.States, hidden)
			if err != nil {
				return false, err
			}
			if exists {
				found.states = part.States
				return false, nil
			}
		}
		err := sets.In(part.Component, part.States, hidden, keep)
		return found.states == nil, err
	})
	return found, err
}

// searchProduct is [Search.searchViolating] for a source whose sets are in the product.
func (v *source) searchProduct(f *property.Fairness) (violating, error) {
	if f.Full() {
		rejecting, err := v.u.AcceptingUnder(v.ctx, v.c, v.u.Property().Acceptance().Not(), f)
		if err != nil {
			return violating{}, err
		}
		i := slices.Index(rejecting, true)
		if i >= 0 {
			return violating{
				source: v,
				states: v.c.States(scc.Component(i)),
				step:   1,
			}, nil
		}
		return violating{}, nil
	}
	for k, pair := range v.pairs {
		part, parts, err := v.u.Recurring(v.ctx, v.c, pair.Fin, pair.Inf, f)
		if err != nil {
			return violating{}, err
		}
		if err := v.use(int(v.passes())); err != nil {
			return violating{}, err
		}
		if parts == 0 {
			continue
		}
		const first = 1 // the parts are numbered from 1; any of them will do
		found := violating{source: v, step: k + 1}
		for s, number := range part {
			if number == first {
				found.states = append(found.states, lts.State(s))
			}
		}
		return found, nil
	}
	return violating{}, nil
}

// fairSets finds fair sets of transitions that do not do a step.
type fairSets struct {
	*fairset.Sets
	source *source
	labels map[int]bitset.Set[lts.Label] // for each step, the labels that do the step, which a set must not have
}

// newFairSets returns the fair sets of a source. It shares the memory of known if known has the
// same model.
func (v *source) newFairSets(f *property.Fairness, known *fairSets) (*fairSets, error) {
	x := &fairSets{source: v, labels: map[int]bitset.Set[lts.Label]{}}
	if known != nil && known.source.c == v.c {
		x.Sets = known.Sets
		return x, nil
	}
	var err error
	x.Sets, err = fairset.NewSets(v.ctx, v.c, f, v.parts.Parts)
	return x, err
}

// hidden returns the labels that do a step, which a fair set must not have.
func (x *fairSets) hidden(step int) bitset.Set[lts.Label] {
	hidden, known := x.labels[step]
	if !known {
		hidden = x.Hidden(func(l lts.Label) bool { return x.source.does(l, step) })
		x.labels[step] = hidden
	}
	return hidden
}

// within selects the transitions between states of a set. It leaves out transitions that do the
// step, and transitions whose labels are hidden.
func (v *source) within(
	set []lts.State,
	step int,
	hides func(lts.Label) bool,
) transitionFilter {
	v.parts.Enter(set)
	return func(from lts.State, l lts.Label, to lts.State) bool {
		if !v.parts.Has(to) || hides != nil && hides(l) {
			return false
		}
		// A run cannot take such transitions infinitely often: it would then not satisfy the pair, or
		// do the step.
		if v.u != nil {
			return v.u.Marks(from, l)&v.pairs[step-1].Fin == 0
		}
		return !v.does(l, step)
	}
}

// does reports whether a label does a step. For a property that is no chain, it reports whether the
// label leaves a property state of v.still, or has a colour of the Fin of its pair.
func (v *source) does(l lts.Label, step int) bool {
	if v.pending == nil {
		q := v.still[step-1]
		p := v.fates.Property()
		return p.Next(q, l) != q || p.Marks(q, l)&v.pairs[step-1].Fin != 0
	}
	return v.p.Does(l, step)
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

// hasAllRecurring reports whether the transitions within a set have all colours that a violating run
// must take infinitely often. Transitions with labels for which rare is true do not count.
func (v *source) hasAllRecurring(set []lts.State, step int, rare func(lts.Label) bool) bool {
	missing := v.recurring(step)
	if missing == 0 {
		return true
	}
	isInside := v.within(set, step, rare)
	for _, s := range set {
		labels, targets := v.m.Out(s)
		for i, to := range targets {
			marks := v.marks(s, labels.At(i), step)
			if marks&missing != 0 && isInside(s, labels.At(i), to) {
				missing &^= marks
				if missing == 0 {
					return true
				}
			}
		}
	}
	return false
}
