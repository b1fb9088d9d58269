// Package fate tells what can still become of a run: with its past summed up in a
// state of the property, it is sure to satisfy the property, or lost, or open
// (after Jin, Ravi, Somenzi: Fate and Free Will in Error Traces, TACAS 2002). By
// that each transition of the model has its class: correct, incorrect or neutral
// (SEFM'18: Barbon, Leroy, Salaün, Counterexample Simplification for Liveness
// Property Violation, Definitions 10 and 11).
//
// For a chain the answers come from the prefixes and suffixes with which package
// enrich has marked the states, without a product; for every other property from
// the product of model and property. Whoever asks does not see the difference.
//
// The invariant that holds inside: classes and fates are exact. A transition is
// correct iff every maximal run through it satisfies the property, and incorrect
// iff none does. They are computed when asked for, not stored.
package fate

import (
	"context"
	"iter"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/internal/class"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Fate is what can still become of a run; 0, of which the name is empty, is none.
type Fate uint8

// The fates.
const (
	Open Fate = iota + 1 // some continuations satisfy the property, others do not
	Sure                 // all do
	Lost                 // none does
)

var fateNames = enumeration.New("fate", "", "open", "sure", "lost")

func (f Fate) String() string { return fateNames.Name(uint8(f)) }

// MarshalText returns the name of the fate.
func (f Fate) MarshalText() ([]byte, error) { return fateNames.Text(uint8(f)) }

// UnmarshalText sets the fate by its name.
func (f *Fate) UnmarshalText(text []byte) error { return enumeration.Set(fateNames, f, text) }

// class returns the class of a transition after which runs have this fate.
func (f Fate) class() class.Class {
	return [...]class.Class{Open: class.Neutral, Sure: class.Correct, Lost: class.Incorrect}[f]
}

// Map tells the fates and classes of one model and property.
type Map struct {
	components *scc.Components
	property   *property.Property

	// Of a chain, the model enriched.
	enriched *enrich.Enriched
	chain    *property.Chain
	// fairness says which runs count, nil for all; excludes, that from some states none may.
	fairness *property.Fairness
	excludes bool

	// Of any other property, its product with the model.
	product *inProduct
}

// Compute finds the fates for a property that is bound to the model of c. The queue of the
// options is for chains, see [enrich.Enrich]; under fairness only those runs count that
// meet it, and under full fairness, of a property that is no chain, almost all of them. It
// fails if ctx is done. Cost of a chain as there; otherwise that of the product and of
// two questions of emptiness, see [product.Unfolding.AcceptingUnder], for the condition and
// its complement.
func Compute(ctx context.Context, c *scc.Components, p *property.Property, o enrich.Options) (*Map, error) {
	if chain, is := p.Chain(); is {
		e, err := enrich.Enrich(ctx, c, chain, o)
		if err != nil {
			return nil, err
		}
		return OfChain(e), nil
	}
	x, err := newInProduct(ctx, c.LTS(), p, o.Fairness)
	if err != nil {
		return nil, err
	}
	return &Map{components: c, property: p, product: x, fairness: o.Fairness, excludes: o.Fairness != nil && o.Fairness.Excludes()}, nil
}

// OfChain returns the fates of a model that was enriched already. Cost O(1).
func OfChain(e *enrich.Enriched) *Map {
	return &Map{components: e.Components(), property: e.Property().Property(), enriched: e, chain: e.Property(), fairness: e.Fairness(), excludes: e.Fairness() != nil && e.Fairness().Excludes()}
}

// Unfolding returns the product of model and property by which the fates were found; false
// where the property is a chain. Cost O(1).
func (f *Map) Unfolding() (*product.Unfolding, bool) {
	if f.product == nil {
		return nil, false
	}
	return f.product.u, true
}

// UnfoldedComponents returns the components of the product of [Map.Unfolding]; nil if the
// property is a chain. It fails if ctx is done, or if there is too little memory.
// Cost that of [scc.Find] on the product for the first call, and O(1) for others.
func (f *Map) UnfoldedComponents(ctx context.Context) (*scc.Components, error) {
	if f.product == nil {
		return nil, nil
	}
	return f.product.components(ctx)
}

// Unfolded returns the fates in the product of [Map.Unfolding], taken as a model of its own,
// of which each state has one history; nil if the property is a chain. Errors and cost as
// for [Map.UnfoldedComponents].
func (f *Map) Unfolded(ctx context.Context) (*Map, error) {
	c, err := f.UnfoldedComponents(ctx)
	if c == nil || err != nil {
		return nil, err
	}
	x := *f.product
	x.itself = true
	return &Map{components: c, property: f.property, fairness: f.fairness, excludes: f.excludes, product: &x}, nil
}

// Histories returns with how many states of the property a run comes to a state of the
// model, and from how many of these some run that counts satisfies the property, and from
// how many some violates it; all 0 if the property is a chain, of which
// [Map.Enriched] tells more. Cost O(number of the first).
func (f *Map) Histories(s lts.State) (reached, satisfy, violate int) {
	if f.product == nil {
		return 0, 0, 0
	}
	return f.product.histories(s)
}

// Arrivals yields the states of the property with which a run comes to a state of the
// model, in no order that means anything; none where the property is a chain, of which
// [Map.Enriched] tells more.
func (f *Map) Arrivals(s lts.State) iter.Seq[property.Q] {
	return func(yield func(property.Q) bool) {
		if f.product == nil {
			return
		}
		f.product.arrivals(s, yield)
	}
}

// Under returns the fates among the runs that count under another assumption, in the same
// product; nil if the property is a chain. It fails if ctx is done. Cost as for
// [Compute], without that of the product.
func (f *Map) Under(ctx context.Context, fair *property.Fairness) (*Map, error) {
	if f.product == nil {
		return nil, nil
	}
	c, err := f.product.components(ctx)
	if err != nil {
		return nil, err
	}
	x, err := fatesOf(ctx, f.product.u, c, fair)
	if err != nil {
		return nil, err
	}
	return &Map{components: f.components, property: f.property, product: x, fairness: fair, excludes: fair != nil && fair.Excludes()}, nil
}

// LTS returns the model.
func (f *Map) LTS() *lts.LTS { return f.components.LTS() }

// Components returns the components of the model.
func (f *Map) Components() *scc.Components { return f.components }

// Property returns the property.
func (f *Map) Property() *property.Property { return f.property }

// Fairness returns which runs count; nil if all do.
func (f *Map) Fairness() *property.Fairness { return f.fairness }

// Enriched returns the prefixes and suffixes of a chain; false for other properties.
func (f *Map) Enriched() (*enrich.Enriched, bool) { return f.enriched, f.enriched != nil }

// Admits reports whether any run of the model counts: always, unless an assumption asks
// for labels to be done finitely often. Without such a run nothing is to be said of the
// property. Cost O(1).
func (f *Map) Admits() bool { return f.AdmitsFrom(f.LTS().Initial(), f.property.Initial()) }

// AdmitsFrom reports whether some run that counts goes on from state s with the property in
// state q, a pair that can be reached. Cost O(1).
func (f *Map) AdmitsFrom(s lts.State, q property.Q) bool {
	switch {
	case !f.excludes:
		return true
	case f.enriched != nil:
		return f.enriched.Admits(s)
	}
	return f.product.admits(s, q)
}

// Holds reports whether every maximal run of the model that counts satisfies the
// property. Cost O(1).
func (f *Map) Holds() bool { return f.At(f.LTS().Initial(), f.property.Initial()) == Sure }

// At returns the fate of a run that is in state s with the property in state q, a
// pair that can be reached. Cost O(1).
func (f *Map) At(s lts.State, q property.Q) Fate {
	if f.enriched == nil {
		return f.product.at(s, q)
	}
	switch n := f.chain.Len(); {
	case int(q)+f.enriched.CS(s) >= n:
		return Sure
	case int(q)+f.enriched.MS(s) < n:
		return Lost
	}
	return Open
}

// Class returns the class of the reachable transition from -l-> to, for all runs that
// come to its source. Cost O(1) for a chain, otherwise O(number of states of the
// property with which its source is reached).
func (f *Map) Class(from lts.State, l lts.Label, to lts.State) class.Class {
	e := f.enriched
	if e == nil {
		return f.product.class(from, l, to)
	}
	if f.excludes && !e.Admits(to) {
		return class.Excluded
	}
	if f.chain.Advance(e.CP(from), l)+e.CS(to) >= f.chain.Len() {
		return class.Correct
	}
	// Where all progress can have been made, nothing has to be known of the target.
	if most := f.chain.Advance(e.MP(from), l); most < f.chain.Len() && most+e.MS(to) < f.chain.Len() {
		return class.Incorrect
	}
	return class.Neutral
}

// PathClass returns the class of a path, which leads on from a reachable state by one
// transition or more, for all runs that come to that state and take it: Correct where
// every continuation satisfies the property, Incorrect where none does. Cost
// O(len(path)) for a chain, otherwise O(len(path) times the number of states of the
// property with which its first state is reached).
func (f *Map) PathClass(path []lts.Transition) class.Class {
	from, to := path[0].From, path[len(path)-1].To
	e := f.enriched
	if e == nil {
		return f.product.pathClass(path)
	}
	if f.excludes && !e.Admits(to) {
		return class.Excluded
	}
	// Progress is monotone: the least on arrival decides what is certain, the largest
	// what is lost.
	least, largest := e.CP(from), e.MP(from)
	for _, t := range path {
		least, largest = f.chain.Advance(least, t.Label), f.chain.Advance(largest, t.Label)
	}
	switch n := f.chain.Len(); {
	case least+e.CS(to) >= n:
		return class.Correct
	case largest+e.MS(to) < n:
		return class.Incorrect
	}
	return class.Neutral
}

// After returns the class of the transition labelled l to a state for the one
// history with which the property is in state q at its source, a pair that can be
// reached: Correct where every continuation through the transition satisfies the
// property, Incorrect where none does. It is never less decided than [Map.Class].
// Cost O(1).
func (f *Map) After(q property.Q, l lts.Label, to lts.State) class.Class {
	after := f.property.Next(q, l)
	if !f.AdmitsFrom(to, after) {
		return class.Excluded
	}
	return f.At(to, after).class()
}
