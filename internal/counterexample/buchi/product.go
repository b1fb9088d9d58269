package buchi

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Product is a Büchi automaton for the runs of a model that violate a property of any kind. It is
// computed on demand, and may be shared between goroutines.
//
// The condition under which a run violates the property is a disjunction of cases: some colours of
// the property recur, and others do not. A state consists of a model state, a property state and a
// layer. On its stem, a run is in the waiting layer. It guesses where the loop begins and which
// case applies. From there on the layer is the set of the case's colours that the loop has met; a
// state is accepting if all have been met and the loop is complete. So there is a lasso of n
// transitions iff there is a violating run of the model, paired with the property, whose stem and
// first round of the loop have n transitions.
//
// A deadlock needs no additional transition: a run of n transitions that ends in a deadlock, and
// violates the property by that, is a lasso of n transitions, too. Its last state represents the
// last transition, which leads into the deadlock, and leads to itself.
//
// There is a simple form, for inevitability for instance: no case demands colours, and every run
// violates the property unless it takes a transition after which the property holds for good. Then
// no layers are needed, and every state is accepting.
type Product struct {
	m       *lts.LTS
	p       *property.Property
	q       int // the number of states of the property
	layers  int
	cases   []violation
	waiting bool   // whether there is a waiting layer, which is layer 0
	done    []bool // the property states from which no run violates the property
	// stopping has the states of the model with a transition into a deadlock.
	stopping bitset.Set[lts.State]
}

var _ Graph = (*Product)(nil)

// violation is a condition under which infinite runs violate a property, one of several cases.
type violation struct {
	property.Pair // the colours that the loop must not have, and those that it must have
	// first is the layer in which a loop is complete. The layers after it, up to fresh, represent the
	// sets of colours that the loop has met.
	first int
	// fresh is the first of the layers for loops through the initial state, again one for each set of
	// colours.
	fresh int
}

// Limits of a product.
const (
	mostCases   = 64
	mostColours = 6 // the largest number of colours of one case
)

// NewProduct returns the product for p, which must be bound to m. It fails if the product has more
// than 2^31 - 1 states, if the condition of the property is too large, or if ctx is done. Cost O(S
// + T of the model + states and letters of the property).
func NewProduct(ctx context.Context, m *lts.LTS, p *property.Property) (*Product, error) {
	g := &Product{
		m:      m,
		p:      p,
		q:      p.States(),
		layers: 1,
	}
	pairs, ok := p.Acceptance().Not().Pairs(mostCases)
	if !ok || slices.ContainsFunc(pairs, func(c property.Pair) bool { return c.Inf.Len() > mostColours }) {
		return nil, fmt.Errorf("the condition of the property has more than %d cases, or %d colours in one of them; use the search on the model itself", mostCases, mostColours)
	}
	for _, c := range pairs {
		g.cases = append(g.cases, violation{Pair: c})
	}
	for q := range property.Q(g.q) {
		g.done = append(g.done, g.isDone(q))
	}
	g.waiting = g.needsLayers()
	if g.waiting {
		// Each case has three ranges of layers: the layer where a loop is complete, the layers for the sets of
		// colours of other loops, and those for loops through the initial state.
		for i := range g.cases {
			v := &g.cases[i]
			v.first = g.layers
			v.fresh = v.first + 1 + v.sets()
			g.layers = v.fresh + v.sets()
		}
	}
	states := uint64(m.NumStates()) * uint64(g.q) * uint64(g.layers+1)
	if states >= maxStates {
		return nil, fmt.Errorf("the product of %d states and %d states of the property has %d states, and at most %d can be searched; use the search on the model itself",
			m.NumStates(), g.q, states, maxStates)
	}
	if err := g.findStopping(ctx); err != nil {
		return nil, err
	}
	return g, nil
}

// isDone reports whether the property is satisfied for good in a state of it: the property can never
// leave this state, and each transition has a colour that no violating loop may meet.
func (g *Product) isDone(q property.Q) bool {
	done := g.p.Stops(q)
	for l := range g.m.Alphabet().All() {
		mayViolate := slices.ContainsFunc(g.cases, func(v violation) bool {
			return g.p.Marks(q, l)&v.Fin == 0
		})
		done = done && g.p.Next(q, l) == q && !mayViolate
	}
	return done
}

// needsLayers reports whether the product needs layers. It needs none if there is one case that
// demands no colours, and if the property holds for good after each colour to be avoided. Then every
// run that continues without these colours violates the property.
func (g *Product) needsLayers() bool {
	if len(g.cases) != 1 || g.cases[0].Inf != 0 {
		return true
	}
	for q := range property.Q(g.q) {
		for l := range g.m.Alphabet().All() {
			isAvoided := g.p.Marks(q, l)&g.cases[0].Fin != 0
			if isAvoided && !g.done[g.p.Next(q, l)] {
				return true
			}
		}
	}
	return false
}

// findStopping finds the states of the model with a transition into a deadlock.
func (g *Product) findStopping(ctx context.Context) error {
	g.stopping = bitset.New[lts.State](g.m.NumStates())
	for s := range lts.State(g.m.NumStates()) {
		if s%65536 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		_, targets := g.m.Out(s)
		if slices.ContainsFunc(targets, g.m.IsDeadlock) {
			g.stopping.Add(s)
		}
	}
	return nil
}

// sets returns the number of sets of colours that a loop can have passed.
func (v *violation) sets() int { return 1 << v.Inf.Len() }

// withMarks returns the number of a set of colours after the colours in marks are added; set is its
// number before. In the number of a set, each colour that the loop must have has a bit.
func (v *violation) withMarks(set int, marks property.Marks) int {
	bit := 1
	for c := range property.Colours {
		if !v.Inf.Has(c) {
			continue
		}
		if marks.Has(c) {
			set |= bit
		}
		bit <<= 1
	}
	return set
}

// NumStates returns the number of states, unreachable ones included. Cost O(1).
func (g *Product) NumStates() int { return g.m.NumStates()*g.q*(g.layers+1) + 1 }

// Initial returns the initial state, which is in all layers. Cost O(1).
func (g *Product) Initial() State { return State(g.NumStates() - 1) }

const (
	initialLayer = -1
	stopLayer    = -2
)

func (g *Product) state(s lts.State, q property.Q, layer int) State {
	return State((int(s)*g.q+int(q))*g.layers + layer)
}

// stop returns the state that represents a transition of the model into a
// deadlock.
func (g *Product) stop(s lts.State, q property.Q) State {
	return State(g.m.NumStates()*g.q*g.layers + int(s)*g.q + int(q))
}

// split returns the state of the model, the state of the property and the layer of a product state.
func (g *Product) split(x State) (s lts.State, q property.Q, layer int) {
	pairs := g.m.NumStates() * g.q
	i := int(x)
	switch {
	case x == g.Initial():
		return g.m.Initial(), g.p.Initial(), initialLayer
	case i >= pairs*g.layers:
		i -= pairs * g.layers
		return lts.State(i / g.q), property.Q(i % g.q), stopLayer
	default:
		pair := i / g.layers
		return lts.State(pair / g.q), property.Q(pair % g.q), i % g.layers
	}
}

// Accepting reports whether a loop in this state is complete. Cost O(cases).
func (g *Product) Accepting(x State) bool {
	_, _, layer := g.split(x)
	if layer < 0 || !g.waiting {
		return true
	}
	for i := range g.cases {
		if layer == g.cases[i].first {
			return true
		}
	}
	return false
}

// Successors appends the successors of a state. Cost O(out-degrees of the state of the model and
// its successors · cases).
func (g *Product) Successors(x State, into []State) []State {
	g.eachSuccessor(x, func(to State, _ int) bool {
		into = append(into, to)
		return true
	})
	return into
}

// eachSuccessor yields the successors of a state, with the index of the model's transition that
// leads there, until yield returns false. For a state that represents the end of a run and leads to
// itself, the index is -1.
func (g *Product) eachSuccessor(x State, yield func(to State, transition int) bool) {
	s, q, layer := g.split(x)
	beginsWithStop := layer == initialLayer && (g.stopsIn(s, q) || g.stopsAfter(s, q) >= 0)
	if layer == stopLayer || beginsWithStop {
		yield(x, -1)
		return
	}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		l := labels.At(i)
		after := g.p.Next(q, l)
		if g.done[after] {
			continue
		}
		t := productStep{
			layer:    layer,
			to:       to,
			after:    after,
			marks:    g.p.Marks(q, l),
			returns:  to == g.m.Initial() && after == g.p.Initial(),
			onTheWay: layer == initialLayer || layer == 0,
		}
		wantsMore := g.eachAfter(t, func(next State) bool {
			return yield(next, i)
		})
		if !wantsMore {
			return
		}
	}
}

// productStep is a transition of the model from a state of the product, with the property state after it.
type productStep struct {
	layer int // of the state that the transition leaves
	to    lts.State
	after property.Q
	marks property.Marks
	// returns reports whether the transition leads to the initial states of both model and
	// property.
	returns bool
	// onTheWay reports whether the run is still on its stem: it has not begun to look for the
	// colours of a case.
	onTheWay bool
}

// eachAfter yields the states of the product to which a transition leads. It returns false if yield did.
func (g *Product) eachAfter(t productStep, yield func(State) bool) bool {
	if t.onTheWay && g.stopsAfter(t.to, t.after) >= 0 && !yield(g.stop(t.to, t.after)) {
		return false
	}
	if !g.waiting {
		if t.marks&g.cases[0].Fin != 0 {
			return true
		}
		if t.returns && !yield(g.Initial()) {
			return false
		}
		return yield(g.state(t.to, t.after, 0))
	}
	if t.onTheWay && !yield(g.state(t.to, t.after, 0)) {
		return false
	}
	for k := range g.cases {
		v := &g.cases[k]
		if t.onTheWay && !yield(g.state(t.to, t.after, v.first)) {
			return false
		}
		if t.marks&v.Fin == 0 && !g.eachInCase(t, v, yield) {
			return false
		}
	}
	return true
}

// eachInCase yields the states of the product to which a transition leads within the layers of a
// case. The transition must not have the colours that the case excludes. eachInCase returns false
// if yield did.
func (g *Product) eachInCase(t productStep, v *violation, yield func(State) bool) bool {
	all := v.sets() - 1 // the number of the set of all colours
	switch {
	case t.layer >= v.first && t.layer < v.fresh:
		seen := v.withMarks(max(0, t.layer-v.first-1), t.marks)
		if seen == all && !yield(g.state(t.to, t.after, v.first)) {
			return false
		}
		return yield(g.state(t.to, t.after, v.first+1+seen))
	case t.layer == initialLayer || t.layer >= v.fresh && t.layer < v.fresh+v.sets():
		seen := v.withMarks(max(0, t.layer-v.fresh), t.marks)
		if t.returns && seen == all && !yield(g.Initial()) {
			return false
		}
		return yield(g.state(t.to, t.after, v.fresh+seen))
	}
	return true
}

// stopsIn reports whether a run that ends in s, in property state q, violates the property by ending
// there.
func (g *Product) stopsIn(s lts.State, q property.Q) bool {
	return g.m.IsDeadlock(s) && !g.p.Stops(q)
}

// stopsAfter returns the index of the first transition of s into a state for which stopsIn is true; -1
// if there is none.
func (g *Product) stopsAfter(s lts.State, q property.Q) int {
	if !g.stopping.Has(s) {
		return -1
	}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if g.stopsIn(to, g.p.Next(q, labels.At(i))) {
			return i
		}
	}
	return -1
}

// Trace returns the counterexample for a lasso of the product. Of parallel transitions it takes the
// first. It fails if l is no lasso of the product. Cost O(sum of the out-degrees of its states).
func (g *Product) Trace(l Lasso) (*counterexample.Trace, error) {
	if err := l.Check(g); err != nil {
		return nil, err
	}
	var steps []lts.Transition
	for i, x := range l.States {
		s, q, _ := g.split(x)
		next := l.next(i)
		index := -1 // the index of the first transition to the next state
		g.eachSuccessor(x, func(to State, transition int) bool {
			index = transition
			return to != next
		})
		labels, targets := g.m.Out(s)
		if index >= 0 {
			steps = append(steps, lts.Transition{
				From:  s,
				Label: labels.At(index),
				To:    targets[index],
			})
			continue
		}
		// The state leads to itself: it represents the end of a run.
		last := g.stopsAfter(s, q)
		if last >= 0 && !g.stopsIn(s, q) {
			steps = append(steps, lts.Transition{
				From:  s,
				Label: labels.At(last),
				To:    targets[last],
			})
		}
		return counterexample.NewViolating(g.m, g.p, steps, endsInDeadlock)
	}
	return counterexample.NewViolating(g.m, g.p, steps, l.LoopStart)
}

// endsInDeadlock is the loop start of a run that ends in a deadlock.
const endsInDeadlock = -1

// FindInModel returns a counterexample to p in m that an algorithm of this package finds in the
// [Product], with its statistics; nil if there is none below the bound of o. The length in the
// statistics is that of the lasso in the product. Like [Find], it calls yield, which may be nil,
// with each counterexample that it finds on the way. If ctx is done, FindInModel returns the best
// counterexample so far with the context's error. Otherwise it fails as [NewProduct] and [Find] do.
func FindInModel(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	o FindOptions,
	yield func(*counterexample.Trace, Stats) bool,
) (*counterexample.Trace, Stats, error) {
	g, err := NewProduct(ctx, m, p)
	if err != nil {
		return nil, Stats{}, err
	}
	var faults error // errors about lassos that are not lassos of the product
	var yieldLasso func(Lasso, Stats) bool
	if yield != nil {
		yieldLasso = func(l Lasso, stats Stats) bool {
			t, err := g.Trace(l)
			faults = errors.Join(faults, err)
			return err == nil && yield(t, stats)
		}
	}
	lasso, stats, searchErr := Find(ctx, g, o, yieldLasso)
	if lasso == nil {
		return nil, stats, searchErr
	}
	t, err := g.Trace(*lasso)
	faults = errors.Join(faults, err)
	if faults != nil {
		return nil, stats, fmt.Errorf("buchi: the search in the product went wrong, please report it: %w", faults)
	}
	return t, stats, searchErr
}
