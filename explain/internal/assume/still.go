package assume

import (
	"context"
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// still is a state of a property that violating runs stay in: they take no label that leaves it
// or has a colour of Fin, and each colour of Inf again and again.
type still struct {
	q    property.Q
	pair property.Pair
}

// InModel reports whether the sets of transitions that violate a property can be found in the model:
// on every loop of its automaton without colours of Fin and with all of Inf, for a pair of the
// complement of its condition, it stays in one state, as it does where one thing is waited for, or
// must not happen. Chains have nothing to do with it. Cost O(states · (states + letters)) for each
// pair.
func InModel(fates *fate.Map) bool {
	_, is := stillOf(fates)
	return is
}

// mostStill is the number of states that a property has at most which is looked at.
const mostStill = 64

// stillOf returns where violating runs stay; false if they change the state of the property again
// and again.
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
		same := sameLoop(&t, pair)
		for q := range t.States() {
			met, some := property.Marks(0), false
			for c := range t.Columns {
				if marks := marksOf(&t, q, c); marks&pair.Fin == 0 && same[q]>>t.Next[q*t.Columns+c]&1 != 0 {
					met |= marks
					some = true
				}
			}
			switch {
			case !some:
			case same[q] != 1<<q && loopMarks(&t, same[q], pair)&pair.Inf == pair.Inf:
				return nil, false
			case same[q] == 1<<q && met&pair.Inf == pair.Inf:
				all = append(all, still{property.Q(q), pair})
			}
		}
	}
	return all, true
}

func marksOf(t *property.Automaton, q, column int) property.Marks {
	if t.Marks == nil {
		return 0
	}
	return t.Marks[q*t.Columns+column]
}

// loopMarks returns the colours between some states, without any of Fin.
func loopMarks(t *property.Automaton, states uint64, pair property.Pair) (met property.Marks) {
	for rest := states; rest != 0; rest &= rest - 1 {
		q := bits.TrailingZeros64(rest)
		for c := range t.Columns {
			if marks := marksOf(t, q, c); marks&pair.Fin == 0 && states>>t.Next[q*t.Columns+c]&1 != 0 {
				met |= marks
			}
		}
	}
	return met
}

// sameLoop returns for each state of an automaton all states on the closed walks through it without
// colours of Fin, with itself.
func sameLoop(t *property.Automaton, pair property.Pair) []uint64 {
	reach := make([]uint64, t.States())
	for q := range reach {
		reach[q] = 1 << q
		for c := range t.Columns {
			if marksOf(t, q, c)&pair.Fin == 0 {
				reach[q] |= 1 << t.Next[q*t.Columns+c]
			}
		}
	}
	for by := range reach {
		for q := range reach {
			if reach[q]>>by&1 != 0 {
				reach[q] |= reach[by]
			}
		}
	}
	same := make([]uint64, len(reach))
	for q := range reach {
		for rest := reach[q]; rest != 0; rest &= rest - 1 {
			if r := bits.TrailingZeros64(rest); reach[r]>>q&1 != 0 {
				same[q] |= 1 << r
			}
		}
	}
	return same
}

// inModel is [New] for a property that is no chain, where [InModel] says so. Cost O(places); 8 bytes a state.
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

// leaves reports whether a label leaves a state of the property, or has a colour of Fin.
func (v *source) leaves(l lts.Label, in still) bool {
	p := v.fates.Property()
	return p.Next(in.q, l) != in.q || p.Marks(in.q, l)&in.pair.Fin != 0
}

// eachStill calls yield with the states of each cyclic component that a run comes to in a state of
// the property where it may stay and violate it, until it says not to go on.
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

// comesTo returns the states, among some, that a run comes to in a state of the property.
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

// recurring returns the colours that have to recur on a run that violates the property.
func (v *source) recurring(step int) property.Marks {
	switch {
	case v.u != nil:
		return v.pairs[step-1].Inf
	case v.pending == nil:
		return v.still[step-1].pair.Inf
	}
	return 0
}

// marks returns the colours of a transition; none for a chain.
func (v *source) marks(from lts.State, l lts.Label, step int) property.Marks {
	switch {
	case v.u != nil:
		return v.u.Marks(from, l)
	case v.pending == nil:
		return v.fates.Property().Marks(v.still[step-1].q, l)
	}
	return 0
}

// recurs reports whether all colours that have to recur are met within a set, without what rare selects.
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
