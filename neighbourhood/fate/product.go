package fate

import (
	"context"
	"sync"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Bits of a product state.
const (
	canAccept uint8 = 1 << iota // some maximal run from the product state that counts satisfies the property
	canReject                   // some maximal run from the product state that counts violates the property
)

// fateOf maps the bits to a fate. If no run that counts continues from a product
// state, all of its runs that count satisfy the property.
var fateOf = [...]Fate{0: Sure, canAccept: Sure, canReject: Lost, canAccept | canReject: Open}

// inProduct has the fates of product states, from the product of model and
// property.
type inProduct struct {
	u *product.Unfolding
	// bits has the bits of each state of the product.
	bits []uint8
	// found has the components of the product after a second request: they take
	// as much memory as its states, and are rarely needed.
	found *kept[scc.Components]
	// itself is set if the product is the model itself, not derived from
	// another model.
	itself bool
}

// kept is a value that is computed when it is first asked for, and then kept; after a failure, it is
// computed again.
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
	return x.found.get(func() *scc.Components { return abort.Must(x.u.Components(ctx)) })
}

func newInProduct(ctx context.Context, m *lts.LTS, p *property.Property, f *property.Fairness) *inProduct {
	u := abort.Must(product.Unfold(ctx, m, p))
	return fatesOf(ctx, u, abort.Must(u.Components(ctx)), f)
}

// productFates has the fates of product states: [inProduct] or [inWords].
type productFates interface {
	// can returns the bits of a product state; false if it is not reached.
	can(s lts.State, q property.Q) (can uint8, reached bool)
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
	arrivals(s lts.State) (set uint64, all []property.Q)
}

// inProduct returns the product of model and property, which is made once, with the fates that are
// known already.
func (f *Map) inProduct(ctx context.Context) *inProduct {
	return f.later.get(func() *inProduct {
		u := abort.Must(product.Unfold(ctx, f.LTS(), f.property))
		made := &inProduct{u: u, bits: abort.Must(resources.Make[uint8](ctx, u.LTS().NumStates())), found: &kept[scc.Components]{}}
		for s := range made.bits {
			at := u.At(lts.State(s))
			made.bits[s], _ = f.fates.can(at.State, at.Q)
		}
		return made
	})
}

// fatesOf computes the fates in a product whose components are c.
func fatesOf(ctx context.Context, u *product.Unfolding, c *scc.Components, f *property.Fairness) *inProduct {
	accepting, rejecting, err := u.Verdicts(ctx, c, f)
	abort.On(err)
	x := &inProduct{u: u, bits: abort.Must(resources.Make[uint8](ctx, u.LTS().NumStates())), found: &kept[scc.Components]{}}
	// No transition leads to a component with a smaller number.
	for i := c.Len() - 1; i >= 0; i-- {
		abort.IfDone(ctx, i)
		var can uint8
		if accepting[i] {
			can |= canAccept
		}
		if rejecting[i] {
			can |= canReject
		}
		states := c.States(scc.Component(i))
		for _, s := range states {
			if can == canAccept|canReject {
				break
			}
			can |= x.next(s, f)
		}
		for _, s := range states {
			x.bits[s] = can
		}
	}
	return x
}

// next returns the bits that a state of the product gets from runs that end in
// it, and from the successors whose bits are known.
func (x *inProduct) next(s lts.State, f *property.Fairness) uint8 {
	_, targets := x.u.LTS().Out(s)
	var can uint8
	if f.MayEnd(x.u.LTS(), s) {
		can = canReject
		if x.u.Property().Ends(x.u.At(s).Q, len(targets) == 0) {
			can = canAccept
		}
	}
	for _, t := range targets {
		can |= x.of(t)
	}
	return can
}

// of returns the bits of a state of the product.
func (x *inProduct) of(s lts.State) uint8 { return x.bits[s] }

// find returns the product's state for a model state with the property in q;
// false if that is not reached.
func (x *inProduct) find(s lts.State, q property.Q) (lts.State, bool) {
	if x.itself {
		return s, true
	}
	return x.u.Find(product.State{State: s, Q: q})
}

func (x *inProduct) can(s lts.State, q property.Q) (can uint8, reached bool) {
	at, reached := x.find(s, q)
	if reached {
		can = x.of(at)
	}
	return can, reached
}

func (x *inProduct) class(from lts.State, l lts.Label, to lts.State) Class {
	can := x.after(from, l, to)
	if can == 0 {
		return Excluded
	}
	return fateOf[can].class()
}

// after returns the bits of the targets of all copies of a transition.
func (x *inProduct) after(from lts.State, l lts.Label, to lts.State) uint8 {
	if x.itself {
		return x.of(to)
	}
	var can uint8
	var room [fewCopies]lts.State
	for _, t := range x.u.AppendCopies(room[:0], from, l, to) {
		can |= x.of(t)
	}
	return can
}

// fewCopies is the number of copies of a transition up to which no memory is
// allocated for them.
const fewCopies = 64

func (x *inProduct) histories(s lts.State) (reached, satisfy, violate int) {
	count := func(can uint8) {
		reached++
		if can&canAccept != 0 {
			satisfy++
		}
		if can&canReject != 0 {
			violate++
		}
	}
	if x.itself {
		count(x.of(s))
		return reached, satisfy, violate
	}
	for at := range x.u.Unfolded(s) {
		count(x.of(at))
	}
	return reached, satisfy, violate
}

func (x *inProduct) arrivals(s lts.State) (set uint64, all []property.Q) {
	if x.itself {
		return 0, []property.Q{x.u.At(s).Q}
	}
	for at := range x.u.Unfolded(s) {
		all = append(all, x.u.At(at).Q)
	}
	return 0, all
}

// pathClass returns the class of a path for all runs through it.
func (x *inProduct) pathClass(path []lts.Transition) Class {
	var can uint8
	for s := range x.u.Unfolded(path[0].From) {
		q := x.u.At(s).Q
		for _, t := range path {
			q = x.u.Property().Next(q, t.Label)
		}
		if t, reached := x.u.Find(product.State{State: path[len(path)-1].To, Q: q}); reached {
			can |= x.of(t)
		}
	}
	return fateOf[can].class()
}
