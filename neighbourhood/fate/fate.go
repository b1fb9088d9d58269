// Package fate decides how a run can still end. A state of the property sums up the past of the
// run; from there the run is sure to satisfy the property, or sure to violate it (lost), or open
// (after Jin, Ravi, Somenzi: Fate and Free Will in Error Traces, TACAS 2002). The class of each
// transition, correct, incorrect or neutral, follows from the fates (SEFM'18: Barbon, Leroy,
// Salaün, Counterexample Simplification for Liveness Property Violation, Definitions 10 and 11).
//
// There are three ways to compute the answers. A chain needs no product: the prefixes and suffixes
// of package enrich suffice. For a property with few states, a word for each state of the model
// holds a set of property states. For every other property, and under fairness, the product of
// model and property is built. The caller does not see the difference.
//
// Classes and fates are exact. A transition is correct iff every maximal run through it satisfies
// the property, and incorrect iff none does. They are computed on demand, not stored.
package fate

import (
	"context"
	"fmt"
	"iter"
	"math/bits"
	"sync"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Fate is how a run can still end. The value 0, whose name is empty, is no fate.
type Fate uint8

// The fates.
const (
	Open Fate = iota + 1 // some continuations satisfy the property, others do not
	Sure                 // all continuations satisfy the property
	Lost                 // no continuation satisfies the property
)

var fateNames = enumeration.New("fate", "", "open", "sure", "lost")

// IsSure reports whether all continuations satisfy the property.
func (f Fate) IsSure() bool { return f == Sure }

// IsLost reports whether no continuation satisfies the property.
func (f Fate) IsLost() bool { return f == Lost }

func (f Fate) String() string { return fateNames.Name(uint8(f)) }

// MarshalText returns the name of the fate.
func (f Fate) MarshalText() ([]byte, error) { return fateNames.Text(uint8(f)) }

// UnmarshalText sets the fate by its name.
func (f *Fate) UnmarshalText(text []byte) error { return enumeration.Set(fateNames, f, text) }

// class returns the class of a transition that leads to this fate.
func (f Fate) class() Class {
	return [...]Class{Open: Neutral, Sure: Correct, Lost: Incorrect}[f]
}

// Map has the fates and classes of one model and property. It comes from [Of], [OfChain] or [Compute].
type Map struct {
	components *scc.Components
	property   *property.Property

	// enriched and chain are the enriched model and the property; nil if the property is no chain.
	enriched *enrich.Enriched
	chain    *property.Chain
	// fairness decides which runs count; nil if all do. excludes reports whether there may be
	// states without a run that counts.
	fairness *property.Fairness
	excludes bool

	// fates are the fates of product states, and later is the product, made if it is needed. Both
	// are nil for a chain.
	fates productFates
	later *kept[inProduct]
}

// String returns the property and the size of the model.
func (f *Map) String() string {
	switch {
	case f == nil:
		return "<nil>"
	case f.components == nil:
		return "no fates"
	}
	return fmt.Sprintf("fates for %v: %v", f.property, f.LTS())
}

// Compute computes the fates for a property that is bound to the model of c. The queue of the
// options is for chains, see [enrich.Enrich]. Under fairness only fair runs count; under full
// fairness, for a property that is no chain, almost all runs. It fails if ctx is done. Cost for a
// chain as for [enrich.Enrich]; otherwise O(S + T) for each of several passes, and three words for
// each state of the model. If words do not suffice, the cost is that of the product and of two
// emptiness checks, see [product.Unfolding.AcceptingUnder], for the condition and its complement.
func Compute(
	ctx context.Context,
	c *scc.Components,
	p *property.Property,
	o enrich.Options,
) (_ *Map, err error) {
	defer abort.Caught(&err)
	if chain, isChain := p.Chain(); isChain {
		return OfChain(abort.Must(enrich.Enrich(ctx, c, chain, o))), nil
	}
	f := &Map{
		components: c,
		property:   p,
		fairness:   o.Fairness,
		excludes:   excludes(o.Fairness),
		later:      &kept[inProduct]{},
	}
	if o.Fairness == nil {
		f.fates = newInWords(ctx, c.LTS(), p)
		if f.fates != nil {
			return f, nil
		}
	}
	x := newInProduct(ctx, c.LTS(), p, o.Fairness)
	f.fates = x
	f.later.value = x // the product is made already
	return f, nil
}

// Options are the options of [Of].
type Options struct {
	enrich.Options
	// Engine finds the components.
	Engine scc.Engine
	// Phase, unless it is nil, is called for each of the two phases, components and enrich, and must
	// call run.
	Phase func(name string, run func() error) error
}

// Of finds the components of m and then computes the fates. Errors and cost as for [scc.Find] and
// [Compute].
func Of(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (f *Map, err error) {
	phase := o.Phase
	if phase == nil {
		phase = func(_ string, run func() error) error { return run() }
	}
	defer o.Begin(ctx, m, p)()
	var c *scc.Components
	findComponents := func() (err error) {
		c, err = scc.Find(ctx, m, o.Engine)
		return err
	}
	computeFates := func() (err error) {
		f, err = Compute(ctx, c, p, o.Options)
		return err
	}
	err = phase("components", findComponents)
	if err != nil {
		return nil, err
	}
	err = phase("enrich", computeFates)
	return f, err
}

// OfChain returns the fates of an enriched model. Cost O(1).
func OfChain(e *enrich.Enriched) *Map {
	return &Map{
		components: e.Components(),
		property:   e.Property().Property(),
		enriched:   e,
		chain:      e.Property(),
		fairness:   e.Fairness(),
		excludes:   excludes(e.Fairness()),
	}
}

// excludes reports whether there may be states without a run that counts.
func excludes(f *property.Fairness) bool { return f != nil && f.Excludes() }

// Unfolding returns the product of model and property. It returns false if the product has not been
// made, or if the property is a chain. Cost O(1).
func (f *Map) Unfolding() (*product.Unfolding, bool) {
	if f.later == nil {
		return nil, false
	}
	x := f.later.known()
	if x != nil {
		return x.u, true
	}
	return nil, false
}

// Unfold returns the product of model and property; nil if the property is a
// chain. It fails if ctx is done, or if there is too little memory. Cost O(1) if
// the product has been made before, for the fates or by an earlier call, and
// otherwise as for [product.Unfold].
func (f *Map) Unfold(ctx context.Context) (_ *product.Unfolding, err error) {
	defer abort.Caught(&err)
	if f.later == nil {
		return nil, nil
	}
	return f.inProduct(ctx).u, nil
}

// Product is like [Map.Unfold], but if the property is a chain, it makes the product at each call.
func (f *Map) Product(ctx context.Context) (*product.Unfolding, error) {
	if f.later == nil {
		return product.Unfold(ctx, f.LTS(), f.property)
	}
	return f.Unfold(ctx)
}

// UnfoldedComponents returns the components of the product of [Map.Unfold]; nil if the property is
// a chain. Errors as for [Map.Unfold]. Cost as for [Map.Unfold] and for [scc.Find] on the product
// at the first call, and O(1) later.
func (f *Map) UnfoldedComponents(ctx context.Context) (_ *scc.Components, err error) {
	defer abort.Caught(&err)
	if f.later == nil {
		return nil, nil
	}
	return f.inProduct(ctx).components(ctx), nil
}

// Unfolded returns the fates of the product of [Map.Unfold], regarded as a model: all runs that
// reach a state of it have the property in the same state. It returns nil if the property is a
// chain. Errors and cost as for [Map.UnfoldedComponents].
func (f *Map) Unfolded(ctx context.Context) (_ *Map, err error) {
	defer abort.Caught(&err)
	if f.later == nil {
		return nil, nil
	}
	x := *f.inProduct(ctx)
	x.itself = true
	return &Map{
		components: x.components(ctx),
		property:   f.property,
		fairness:   f.fairness,
		excludes:   f.excludes,
		fates:      &x,
		later:      &kept[inProduct]{value: &x},
	}, nil
}

// Histories returns three numbers of property states: those with which a run
// reaches s; those of them from which some run that counts satisfies the
// property; and those from which some run that counts violates it. All are 0 if
// the property is a chain, for which [Map.Enriched] has more. Cost O(the first
// number).
func (f *Map) Histories(s lts.State) (reached, satisfy, violate int) {
	if f.fates == nil {
		return 0, 0, 0
	}
	return f.fates.histories(s)
}

// Arrivals yields the property states with which a run reaches a state of the
// model, in any order; none if the property is a chain, for which [Map.Enriched]
// has more.
func (f *Map) Arrivals(s lts.State) iter.Seq[property.Q] {
	return func(yield func(property.Q) bool) {
		if f.fates == nil {
			return
		}
		set, list := f.fates.arrivals(s) // so that yield does not escape
		for ; set != 0; set &= set - 1 {
			if !yield(property.Q(bits.TrailingZeros64(set))) {
				return
			}
		}
		for _, q := range list {
			if !yield(q) {
				return
			}
		}
	}
}

// Under returns the fates under another assumption about the runs that count. It uses the same
// product, and returns nil if the property is a chain. It fails if ctx is done. Cost as for
// [Compute], without the product.
func (f *Map) Under(ctx context.Context, fair *property.Fairness) (_ *Map, err error) {
	defer abort.Caught(&err)
	if f.later == nil {
		return nil, nil
	}
	old := f.inProduct(ctx)
	x := fatesOf(ctx, old.u, old.components(ctx), fair)
	return &Map{
		components: f.components,
		property:   f.property,
		fairness:   fair,
		excludes:   excludes(fair),
		fates:      x,
		later:      &kept[inProduct]{value: x},
	}, nil
}

// LTS returns the model.
func (f *Map) LTS() *lts.LTS { return f.components.LTS() }

// Components returns the components of the model.
func (f *Map) Components() *scc.Components { return f.components }

// Property returns the property.
func (f *Map) Property() *property.Property { return f.property }

// Fairness returns the assumption under which runs count; nil if all do.
func (f *Map) Fairness() *property.Fairness { return f.fairness }

// Enriched returns the prefixes and suffixes of a chain; false for other properties.
func (f *Map) Enriched() (*enrich.Enriched, bool) { return f.enriched, f.enriched != nil }

// Admits reports whether some run of the model counts: true unless the assumption
// has labels that occur finitely often. Without such a run the property has no
// verdict. Cost O(1).
func (f *Map) Admits() bool { return f.AdmitsFrom(f.LTS().Initial(), f.property.Initial()) }

// AdmitsFrom reports whether some run that counts continues from state s with the
// property in state q, a pair that can be reached. Cost O(1).
func (f *Map) AdmitsFrom(s lts.State, q property.Q) bool {
	switch {
	case !f.excludes:
		return true
	case f.enriched != nil:
		return f.enriched.Admits(s)
	}
	possible, reached := f.fates.outcomes(s, q)
	return !reached || possible != 0
}

// Holds reports whether every maximal run of the model that counts satisfies the
// property. Cost O(1).
func (f *Map) Holds() bool { return f.At(f.LTS().Initial(), f.property.Initial()) == Sure }

// At returns the fate of a run that is in state s with the property in state q, a
// pair that can be reached. Cost O(1).
func (f *Map) At(s lts.State, q property.Q) Fate {
	if f.enriched == nil {
		possible, reached := f.fates.outcomes(s, q)
		if !reached {
			return Open
		}
		return fateOf[possible]
	}
	// The state of a chain is the progress of the run. All runs from s do at least the common suffix,
	// and at most the max suffix.
	progress := int(q)
	n := f.chain.Len()
	switch {
	case progress+f.enriched.CS(s) >= n:
		return Sure
	case progress+f.enriched.MS(s) < n:
		return Lost
	}
	return Open
}

// Class returns the class of the reachable transition from -l-> to, for all runs that
// come to its source. Cost O(1) for a chain, otherwise O(number of states of the
// property with which its source is reached).
func (f *Map) Class(from lts.State, l lts.Label, to lts.State) Class {
	e := f.enriched
	if e == nil {
		return f.fates.class(from, l, to)
	}
	if f.excludes && !e.Admits(to) {
		return Excluded
	}
	// The runs to a state have done its common prefix at least, and its max prefix at most; the runs
	// from it do its common suffix at least, and its max suffix at most.
	n := f.chain.Len()
	least := f.chain.Advance(e.CP(from), l)
	if least+e.CS(to) >= n {
		return Correct
	}
	// If the largest progress at the source is complete, the class does not
	// depend on the target.
	largest := f.chain.Advance(e.MP(from), l)
	if largest < n && largest+e.MS(to) < n {
		return Incorrect
	}
	return Neutral
}

// PathClass returns the class of a path of at least one transition from a
// reachable state, for all runs that reach that state and take the path: Correct
// if every continuation satisfies the property, Incorrect if none does. Cost
// O(len(path)) for a chain, otherwise O(len(path) times the number of property
// states with which its first state is reached).
func (f *Map) PathClass(path []lts.Transition) Class {
	from := path[0].From
	to := path[len(path)-1].To
	e := f.enriched
	if e == nil {
		return f.fates.pathClass(path)
	}
	if f.excludes && !e.Admits(to) {
		return Excluded
	}
	// Progress is monotone: the least progress on arrival decides whether all
	// runs satisfy the property, the largest whether none does.
	least := e.CP(from)
	largest := e.MP(from)
	for _, t := range path {
		least = f.chain.Advance(least, t.Label)
		largest = f.chain.Advance(largest, t.Label)
	}
	n := f.chain.Len()
	switch {
	case least+e.CS(to) >= n:
		return Correct
	case largest+e.MS(to) < n:
		return Incorrect
	}
	return Neutral
}

// After returns the class of the transition labelled l to a state, for the runs with the property in
// state q at the source of the transition; this pair must be one that can be reached. The class is
// Correct if every continuation through the transition satisfies the property, and Incorrect if none
// does. It is one of these whenever [Map.Class] is. Cost O(1).
func (f *Map) After(q property.Q, l lts.Label, to lts.State) Class {
	after := f.property.Next(q, l)
	if !f.AdmitsFrom(to, after) {
		return Excluded
	}
	return f.At(to, after).class()
}

// Class is the meaning of a transition for the property; 0, with an empty name,
// if it was not computed.
type Class uint8

// The classes of Definitions 10 and 11.
const (
	Neutral   Class = iota + 1 // some maximal runs through the transition satisfy the property, others do not
	Correct                    // every maximal run through the transition satisfies the property
	Incorrect                  // no maximal run through the transition satisfies the property
	Excluded                   // no run through it counts: see [github.com/inev-lts/inev/property.Fairness.Excludes]
)

var classNames = enumeration.New("class", "", "neutral", "correct", "incorrect", "excluded")

func (c Class) String() string { return classNames.Name(uint8(c)) }

// IsBetter reports whether a run has more hope after a transition of class c than after one of class
// other. There is most hope after a correct transition, some after a neutral one, and none after any
// other.
func (c Class) IsBetter(other Class) bool { return c.hope() > other.hope() }

func (c Class) hope() int {
	switch c {
	case Correct:
		return 2
	case Neutral:
		return 1
	}
	return 0
}

// MarshalText returns the name of the class.
func (c Class) MarshalText() ([]byte, error) { return classNames.Text(uint8(c)) }

// UnmarshalText sets the class by its name.
func (c *Class) UnmarshalText(text []byte) error { return enumeration.Set(classNames, c, text) }

// outcomes has a bit for each way in which maximal runs that count can continue from a product state.
type outcomes uint8

const (
	canAccept outcomes = 1 << iota // some of these runs satisfies the property
	canReject                      // some of these runs violates the property
)

// fateOf maps outcomes to a fate. If no run that counts continues from a product state, the fate is
// Sure: there is no run that violates the property.
var fateOf = [...]Fate{
	0:                     Sure,
	canAccept:             Sure,
	canReject:             Lost,
	canAccept | canReject: Open,
}

// inProduct has the fates of product states, from the product of model and
// property.
type inProduct struct {
	u *product.Unfolding
	// possible has the outcomes of each state of the product.
	possible []outcomes
	// found has the components of the product once they are requested. They are rarely needed, and
	// take as much memory as the states of the product.
	found *kept[scc.Components]
	// itself reports whether the product is the model itself, not derived from another model.
	itself bool
}

// kept is a value that is computed when it is first requested, and then kept. After a failure, the next
// request computes it again.
type kept[T any] struct {
	mutex sync.Mutex
	value *T
}

func (k *kept[T]) get(compute func() *T) *T {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if k.value == nil {
		k.value = compute()
	}
	return k.value
}

// known returns the value if it has been computed; otherwise nil.
func (k *kept[T]) known() *T {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return k.value
}

// components returns the components of the product.
func (x *inProduct) components(ctx context.Context) *scc.Components {
	return x.found.get(func() *scc.Components {
		return abort.Must(x.u.Components(ctx))
	})
}

func newInProduct(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	f *property.Fairness,
) *inProduct {
	u := abort.Must(product.Unfold(ctx, m, p))
	return fatesOf(ctx, u, abort.Must(u.Components(ctx)), f)
}

// productFates has the fates of product states: [inProduct] or [inWords].
type productFates interface {
	// outcomes returns the outcomes of a product state; false if it is not reached.
	outcomes(s lts.State, q property.Q) (possible outcomes, reached bool)
	// class returns the class of a transition for all runs through it, whatever
	// their past, and pathClass that of a path.
	class(from lts.State, l lts.Label, to lts.State) Class
	pathClass(path []lts.Transition) Class
	// histories counts the property states with which a run reaches s: all, those
	// from which some run that counts satisfies the property, and those from
	// which some run that counts violates it.
	histories(s lts.State) (reached, satisfy, violate int)
	// arrivals returns the property states with which a run reaches a state, as
	// the bits of a word or in a list.
	arrivals(s lts.State) (set uint64, list []property.Q)
}

// inProduct returns the product of model and property, which is made once, with the fates that are
// known already.
func (f *Map) inProduct(ctx context.Context) *inProduct {
	return f.later.get(func() *inProduct {
		u := abort.Must(product.Unfold(ctx, f.LTS(), f.property))
		made := withoutFates(ctx, u)
		for s := range made.possible {
			at := u.At(lts.State(s))
			made.possible[s], _ = f.fates.outcomes(at.State, at.Q)
		}
		return made
	})
}

// fatesOf computes the fates in a product whose components are c.
func fatesOf(
	ctx context.Context,
	u *product.Unfolding,
	c *scc.Components,
	f *property.Fairness,
) *inProduct {
	accepting, rejecting, err := u.Verdicts(ctx, c, f)
	abort.On(err)
	x := withoutFates(ctx, u)
	// Later components first: transitions to other components lead only to later ones.
	for i := c.Len() - 1; i >= 0; i-- {
		abort.IfDone(ctx, i)
		var possible outcomes
		if accepting[i] {
			possible |= canAccept
		}
		if rejecting[i] {
			possible |= canReject
		}
		states := c.States(scc.Component(i))
		for _, s := range states {
			isComplete := possible == canAccept|canReject
			if isComplete {
				break
			}
			possible |= x.nextOutcomes(s, f)
		}
		for _, s := range states {
			x.possible[s] = possible
		}
	}
	return x
}

// withoutFates returns the fates of the states of a product, of which none is known yet.
func withoutFates(ctx context.Context, u *product.Unfolding) *inProduct {
	return &inProduct{
		u:        u,
		possible: abort.Must(resources.Make[outcomes](ctx, u.LTS().NumStates())),
		found:    &kept[scc.Components]{},
	}
}

// nextOutcomes returns the outcomes of the runs that end in a product state, and of the runs that continue
// in another component. The outcomes of later components must be known, and those of this
// component be 0.
func (x *inProduct) nextOutcomes(s lts.State, f *property.Fairness) (possible outcomes) {
	_, targets := x.u.LTS().Out(s)
	if f.MayEnd(x.u.LTS(), s) {
		possible = canReject
		if x.u.Property().Ends(x.u.At(s).Q, len(targets) == 0) {
			possible = canAccept
		}
	}
	for _, t := range targets {
		possible |= x.possible[t]
	}
	return possible
}

func (x *inProduct) outcomes(s lts.State, q property.Q) (possible outcomes, reached bool) {
	if x.itself {
		return x.possible[s], true
	}
	at, reached := x.u.Find(product.State{State: s, Q: q})
	if reached {
		possible = x.possible[at]
	}
	return possible, reached
}

// class returns the class of a transition: what can become of the runs through any of its copies in the
// product.
func (x *inProduct) class(from lts.State, l lts.Label, to lts.State) Class {
	var possible outcomes
	if x.itself {
		possible = x.possible[to]
	} else {
		var room [fewCopies]lts.State
		for _, t := range x.u.AppendCopies(room[:0], from, l, to) {
			possible |= x.possible[t]
		}
	}
	if possible == 0 {
		return Excluded
	}
	return fateOf[possible].class()
}

// fewCopies is the number of copies of a transition up to which their list needs no allocated
// memory.
const fewCopies = 64

// histories counts the product states with a state of the model, and those of them from which some continuation
// satisfies or violates the property.
func (x *inProduct) histories(s lts.State) (reached, satisfy, violate int) {
	count := func(possible outcomes) {
		reached++
		if possible&canAccept != 0 {
			satisfy++
		}
		if possible&canReject != 0 {
			violate++
		}
	}
	if x.itself {
		count(x.possible[s])
		return reached, satisfy, violate
	}
	for at := range x.u.Unfolded(s) {
		count(x.possible[at])
	}
	return reached, satisfy, violate
}

func (x *inProduct) arrivals(s lts.State) (set uint64, list []property.Q) {
	if x.itself {
		return 0, []property.Q{x.u.At(s).Q}
	}
	for at := range x.u.Unfolded(s) {
		list = append(list, x.u.At(at).Q)
	}
	return 0, list
}

// pathClass returns the class of a path for all runs through it.
func (x *inProduct) pathClass(path []lts.Transition) Class {
	var possible outcomes
	for s := range x.u.Unfolded(path[0].From) {
		q := x.u.At(s).Q
		for _, t := range path {
			q = x.u.Property().Next(q, t.Label)
		}
		t, reached := x.u.Find(product.State{State: path[len(path)-1].To, Q: q})
		if reached {
			possible |= x.possible[t]
		}
	}
	return fateOf[possible].class()
}
