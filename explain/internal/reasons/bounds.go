// Package reasons finds out how nearly a property that holds does not. Its bounds are the most and
// the fewest transitions until each step is done, or until what is pending is settled, with a run
// that takes the most; a variation is a property, or a model, that is changed a little.
//
// The invariant that holds inside: a bound holds for all runs that count, and some run attains it;
// the verdict on a variation is exact.
package reasons

import (
	"context"
	"errors"
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// MostSlowest is the largest length for which a slowest run is returned.
const MostSlowest = 100_000

// ErrTooLarge reports that there are too many product states.
var ErrTooLarge = errors.New("model and property are too large for bounds")

// mostPlaces is the largest number of product states for which bounds are computed, unless the
// property has at most fewSteps steps: each product state takes 12 bytes, and the model itself far
// less.
const (
	mostPlaces = 1 << 21
	fewSteps   = 16
)

// Bound is the largest and the smallest number of transitions until a step is done, or until what
// is pending is settled.
type Bound struct {
	Most, Least int
	// Bounded reports whether there is a largest number; otherwise Most is 0.
	Bounded bool
}

// Faster is a transition that a run does not take. Most is the largest number of transitions of a
// run that takes this transition, counted from this transition on; at least 1.
type Faster struct {
	lts.Transition
	Most int
}

// Choice is a product state of a run where another transition would have been faster.
type Choice struct {
	// Step is the index of the run's transition, and Left the largest number of transitions from
	// this step on, the step included.
	Step, Left int
	// Faster are the transitions that would have been faster.
	Faster []Faster
}

// Slowest is a run that takes the largest number of transitions.
type Slowest struct {
	// Of is the index of the bound in Result.Bounds.
	Of int
	// Steps are the transitions from the initial state on; the first Begins of them come before
	// anything is pending.
	Steps  []lts.Transition
	Begins int
	// Choices are the choices after the first Begins transitions.
	Choices []Choice
}

// Result has the bounds of a property that holds.
type Result struct {
	// Bounds are, for a chain, one for each step, in transitions from the start; otherwise one for
	// each condition that has a bound, in transitions from the moment when something becomes
	// pending.
	Bounds []Bound
	// Stays describes each bound of a property that is no chain.
	Stays []Stay
	// Repeats are the labels of a cycle that a run can repeat any number of times
	// before the first step, or settlement, without a bound; nil if all are bounded.
	Repeats []lts.Label
	// Slowest is nil if some bound is unbounded, and if the run has more than [MostSlowest]
	// transitions.
	Slowest *Slowest
}

// Condition is a property, bound twice: to the alphabet of the model, and in Wide to the alphabet
// with one label for each letter and one label that the formula does not name. The latter makes GF
// {A, B} pending at times even if the model does only A and B.
type Condition struct{ Property, Wide *property.Property }

// WideAlphabet returns the alphabet of [Condition.Wide]. Cost O(labels).
func WideAlphabet(p *property.Property) *lts.Alphabet {
	first, _ := letters(p)
	return p.Alphabet().WithOther(first)
}

// Stay describes the bound of a condition.
type Stay struct {
	// Condition is the index of the condition among those given to [Bounds].
	Condition int
	// Begins are the property states where something becomes pending, ascending.
	Begins []property.Q
}

// Bounds returns the bounds of a property that holds: for a chain, one for each step; otherwise one for
// each of the conditions; the property must be their conjunction. The result is nil unless
// something can be pending in one of them that is a generalised Büchi condition. Cost O(product
// states and their transitions), at most n (S + T) for n property states; 12 bytes a product state.
// If a condition is not the property of fates, or if its states do not determine what was done in a
// segment, [fate.Compute] is added.
func Bounds(ctx context.Context, fates *fate.Map, conditions []Condition) (_ *Result, err error) {
	defer abort.Caught(&err)
	if chain, is := fates.Property().Chain(); is {
		r := ofChain(ctx, fates, chain)
		if fates.LTS().Before() > 0 {
			r.leaveOutFirst()
		}
		return r, nil
	}
	return ofTables(ctx, fates, conditions), nil
}

// leaveOutFirst subtracts the transition to an initial state from the bounds.
func (r *Result) leaveOutFirst() {
	for i := range r.Bounds {
		b := &r.Bounds[i]
		if b.Least--; b.Bounded {
			b.Most--
		}
	}
}

func ofChain(ctx context.Context, fates *fate.Map, p *property.Chain) *Result {
	n := p.Len()
	if places := int64(n) * int64(fates.LTS().NumStates()); n > fewSteps && places > mostPlaces || places > math.MaxInt32 {
		abort.On(ErrTooLarge)
	}
	g := &chainGraph{m: fates.LTS(), p: p, n: n, states: uint32(fates.LTS().NumStates()), fates: fates, all: fates.Fairness() == nil}
	x := newSearch(ctx, g, n > 1)
	start := uint32(fates.LTS().Initial())
	x.from(start)
	r := &Result{Bounds: make([]Bound, n)}
	bounded := n
	if x.closing != none {
		bounded = int(x.closing / g.states)
		r.Repeats = x.cycle(x.closing)
		g.n = bounded
	}
	if n == 1 && bounded == n {
		r.Bounds[0].Least = int(x.few[start])
	}
	if bounded < n {
		g.least(ctx, start, n, r.Bounds)
	}
	if bounded == 0 {
		return r
	}
	if bounded < n {
		x = newSearch(ctx, g, n > 1)
		x.from(start)
	}
	g.most(ctx, x, r.Bounds[:bounded])
	if bounded == n && r.Bounds[n-1].Most <= MostSlowest {
		r.Slowest = g.slowest(x, start)
		r.Slowest.Of = n - 1
	}
	return r
}

// slowest returns a slowest run. A transition to an initial state is not part of the bound.
func (g *chainGraph) slowest(x *search, start uint32) *Slowest {
	if g.m.Before() == 0 {
		return x.walk(start, nil)
	}
	from, labels, targets := g.out(start)
	for i, t := range targets {
		to, w := g.next(start, labels.At(i), t)
		if x.remaining(to, w) != int(x.left[start]) {
			continue
		}
		first := []lts.Transition{{From: from, Label: labels.At(i), To: t}}
		if w == settles {
			return &Slowest{Steps: first, Begins: 1}
		}
		return x.walk(to, first)
	}
	return &Slowest{} // not possible: one of the transitions is the slowest
}

// chainGraph has the product states before step n of a chain is done: state s with j < n steps done
// has number j · states + s.
type chainGraph struct {
	m      *lts.LTS
	p      *property.Chain
	n      int
	states uint32
	fates  *fate.Map
	// all reports whether all runs of the model count.
	all bool
}

func (g *chainGraph) places() int { return g.n * int(g.states) }

func (g *chainGraph) out(p uint32) (lts.State, lts.Labels, []lts.State) {
	s := lts.State(p % g.states)
	labels, targets := g.m.Out(s)
	return s, labels, targets
}

func (g *chainGraph) next(p uint32, l lts.Label, t lts.State) (uint32, way) {
	j := g.p.Advance(int(p/g.states), l)
	switch {
	case !g.all && !g.fates.AdmitsFrom(t, property.Q(j)):
		return 0, excluded
	case j >= g.n:
		return 0, settles
	}
	return uint32(j)*g.states + uint32(t), leadsOn
}

// least finds the fewest transitions until each of n steps is done.
func (g *chainGraph) least(ctx context.Context, start uint32, n int, bounds []Bound) {
	all := *g
	all.n = n
	done := 0
	breadthFirst(ctx, &all, []uint32{start}, func(depth int, to uint32, w way) bool {
		progress := n
		if w == leadsOn {
			progress = int(to / all.states)
		}
		for ; done < progress; done++ {
			bounds[done].Least = depth
		}
		return done == n
	})
}

// most finds the largest and the smallest number of transitions until each step is done, as longest
// and shortest paths in an acyclic graph: in the reverse of the order in which the search has left
// the product states.
func (g *chainGraph) most(ctx context.Context, x *search, bounds []Bound) {
	last := len(bounds) - 1
	bounds[last].Most, bounds[last].Bounded = int(x.left[g.m.Initial()]), true
	if !x.ordered {
		return
	}
	longest := abort.Must(resources.Make[uint32](ctx, g.places()))
	shortest := abort.Must(resources.Make[uint32](ctx, g.places()))
	comes := func(step int, least, most uint32) {
		b := &bounds[step]
		if b.Least == 0 || int(least) < b.Least {
			b.Least = int(least)
		}
		b.Most, b.Bounded = max(b.Most, int(most)), true
	}
	for i := len(x.order) - 1; i >= 0; i-- {
		abort.IfDone(ctx, i)
		p := x.order[i]
		least, most := shortest[p]+1, longest[p]+1
		_, labels, targets := g.out(p)
		for k, t := range targets {
			to, w := g.next(p, labels.At(k), t)
			switch {
			case w == excluded:
				continue
			case w == settles:
				comes(last, least, most)
				continue
			}
			longest[to] = max(longest[to], most)
			if shortest[to] == 0 || least < shortest[to] {
				shortest[to] = least
			}
			if j := int(to / g.states); j > int(p/g.states) {
				comes(j-1, least, most)
			}
		}
	}
}
