package assume

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/property/stateset"
)

// still is a property state where violating runs stay: from some moment on they take only labels
// that do not leave it and have no colour of pair.Fin, and all colours of pair.Inf infinitely
// often.
type still struct {
	q    property.Q
	pair property.Pair
}

// InModel reports whether the violating sets of a property can be found in the model, without the
// product: for each pair of the complement of its condition, every loop of its automaton without
// colours of Fin and with all colours of Inf stays in one state. This is true of properties that
// wait for one event, or forbid one event. It is false for chains, whose sets [New] finds. Cost as
// for [stateset.Loops] for each pair.
func InModel(fates *fate.Map) bool {
	_, is := stillOf(fates)
	return is
}

// mostStill is the largest number of property states for which InModel decides.
const mostStill = 64

// stillOf returns the property states where violating runs stay; false if some violating runs
// change the property state for ever.
func stillOf(fates *fate.Map) (all []still, is bool) {
	p := fates.Property()
	if p.Steps() > 0 || p.States() > mostStill {
		return nil, false
	}
	pairs, few := p.Acceptance().Not().Pairs(mostPairs)
	if !few {
		return nil, false
	}
	t := p.Automaton()
	for _, pair := range pairs {
		loops, _ := stateset.Loops(&t, pair)
		for q, with := range loops {
			switch with {
			case 0:
			case 1 << q:
				all = append(all, still{property.Q(q), pair})
			default:
				return nil, false
			}
		}
	}
	return all, true
}

// inModel is [New] for a property for which [InModel] holds. Cost O(product states); 8 bytes a
// state.
func inModel(ctx context.Context, fates *fate.Map, all []still) (*Search, error) {
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
	return single(ctx, &source{c: fates.Components(), m: m, fates: fates, still: all, reached: reached})
}

// leaves reports whether a label leaves the property state, or has a colour of Fin.
func (v *source) leaves(l lts.Label, in still) bool {
	p := v.fates.Property()
	return p.Next(in.q, l) != in.q || p.Marks(in.q, l)&in.pair.Fin != 0
}

// eachStill calls yield with the states of each cyclic component that runs reach in a property
// state of v.still, until yield returns false.
func (v *source) eachStill(yield part) error {
	for i := range scc.Component(v.c.Len()) {
		if i&(1<<12-1) == 0 && v.ctx.Err() != nil {
			return v.ctx.Err()
		}
		if !v.c.IsCyclic(i) {
			continue
		}
		for k, in := range v.still {
			states := v.comesTo(v.c.States(i), in.q)
			if len(states) == 0 {
				continue
			}
			if more, err := yield(i, states, k+1); !more || err != nil {
				return err
			}
		}
	}
	return nil
}

// comesTo returns the given states that runs reach in property state q.
func (v *source) comesTo(all []lts.State, q property.Q) []lts.State {
	comes := 0
	for _, s := range all {
		comes += int(v.reached[s] >> q & 1)
	}
	if comes == len(all) {
		return all
	}
	some := make([]lts.State, 0, comes)
	for _, s := range all {
		if v.reached[s]>>q&1 != 0 {
			some = append(some, s)
		}
	}
	return some
}

// recurring returns the colours that a violating run must take infinitely often.
func (v *source) recurring(step int) property.Marks {
	switch {
	case v.u != nil:
		return v.pairs[step-1].Inf
	case v.pending == nil:
		return v.still[step-1].pair.Inf
	}
	return 0
}

func (v *source) marks(from lts.State, l lts.Label, step int) property.Marks {
	switch {
	case v.u != nil:
		return v.u.Marks(from, l)
	case v.pending == nil:
		return v.fates.Property().Marks(v.still[step-1].q, l)
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

// Doomed has the state of the nearest product state from where almost no run satisfies the
// property, and the length of a shortest path there.
type Doomed struct {
	State lts.State
	Steps int
}

// Doomed returns the nearest such product state, the first one breadth first, of a property that is
// violated under full fairness. It is false if that is not known without a product: for a chain,
// for a property whose violating runs change the property state for ever, and for several
// properties unless one of them is doomed from the start. Cost O(n (S + T)) for n property states;
// 16 bytes a state of the model, and its predecessors unless all runs are doomed.
func (v *Search) Doomed() (at Doomed, known bool, err error) {
	v.begin(Limits{})
	for _, x := range v.sources {
		if x.still == nil {
			continue
		}
		at, found, err := x.doomed()
		if err != nil {
			return Doomed{}, false, err
		}
		if found && (at.Steps == 0 || len(v.sources) == 1) {
			return at, true, nil
		}
	}
	return Doomed{}, false, nil
}

// places is a set of product states: for each state of the model, a bit set of property states.
type places []uint64

// doomed is [Search.Doomed] for one property; false if no reached product state is doomed.
func (v *source) doomed() (Doomed, bool, error) {
	reached := v.reached
	rejecting, err := v.endless()
	if err != nil {
		return Doomed{}, false, err
	}
	all := true
	for s := range reached {
		all = all && rejecting[s] == reached[s]
	}
	if all {
		return Doomed{State: v.m.Initial()}, true, nil
	}
	// Almost every run ends up in a set where it stays for ever. If no rejecting set is reachable
	// from a product state, almost every run from there satisfies the property; a product state
	// that reaches no such product state is doomed.
	if err := v.leading(rejecting, reached); err != nil {
		return Doomed{}, false, err
	}
	hopeful := rejecting
	for s, set := range reached {
		hopeful[s] = set &^ rejecting[s]
	}
	if err := v.leading(hopeful, reached); err != nil {
		return Doomed{}, false, err
	}
	doomed := func(at product.State) bool { return hopeful[at.State]>>at.Q&1 == 0 }
	levels := product.NewLevels(v.m, v.fates.Property())
	if levels == nil || slices.Equal(hopeful, reached) {
		return Doomed{}, false, nil
	}
	first, steps, err := levels.First(v.ctx, doomed)
	return Doomed{first.State, steps}, err == nil, err
}

// endless returns the product states of the sets where almost all runs stay for ever and violate
// the property.
func (v *source) endless() (places, error) {
	rejecting, err := resources.Make[uint64](v.ctx, v.m.NumStates())
	if err != nil {
		return nil, err
	}
	full, err := property.NewFairness(v.m.Alphabet(), true, nil, nil)
	if err != nil {
		return nil, err
	}
	sets, err := v.newFairSets(full, nil)
	if err != nil {
		return nil, err
	}
	return rejecting, v.eachStill(func(i scc.Component, states []lts.State, step int) (bool, error) {
		return true, sets.In(i, states, sets.hidden(step), func(set []lts.State) bool {
			if v.recurs(set, step, full.Rare) {
				for _, s := range set {
					rejecting[s] |= 1 << v.still[step-1].q
				}
			}
			return true
		})
	})
}

// leading adds to a set all reached product states from where the set is reachable.
func (v *source) leading(to, reached places) error {
	if err := v.m.FindPredecessors(v.ctx); err != nil {
		return err
	}
	p, before := v.fates.Property(), v.m.Predecessors()
	var queue []lts.State
	waits := make([]bool, len(to))
	for s, set := range to {
		if set != 0 {
			queue, waits[s] = append(queue, lts.State(s)), true
		}
	}
	for looks := 0; len(queue) > 0; looks++ {
		if looks&(1<<14-1) == 0 && v.ctx.Err() != nil {
			return v.ctx.Err()
		}
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
	return nil
}
