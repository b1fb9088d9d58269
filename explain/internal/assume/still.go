package assume

import (
	"context"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
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
func inModel(ctx context.Context, fates *fate.Map, all []still) *Search {
	m := fates.LTS()
	reached := abort.Must(resources.Make[uint64](ctx, m.NumStates()))
	for s := range reached {
		for q := range fates.Arrivals(lts.State(s)) {
			reached[s] |= 1 << q
			if m.IsDeadlock(lts.State(s)) && !fates.Property().Stops(q) {
				abort.On(ErrDeadlock)
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

// eachStill yields the states of each cyclic component that runs reach in a property state of
// v.still, whose number from 1 is the step.
func (v *source) eachStill(yield func(enrich.Part) bool) {
	for i := range scc.Component(v.c.Len()) {
		abort.IfDone(v.ctx, i)
		if !v.c.IsCyclic(i) {
			continue
		}
		for k, in := range v.still {
			states := v.comesTo(v.c.States(i), in.q)
			if len(states) == 0 {
				continue
			}
			if !yield(enrich.Part{Component: i, States: states, Step: k + 1}) {
				return
			}
		}
	}
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
