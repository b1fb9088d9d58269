package repair

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// byLabels reports whether a part can be told by states and labels alone: see [Part]. Of a
// chain, runs must not come to its states with other steps done.
func (g *game) byLabels(ctx context.Context, f found) (bool, error) {
	if g.condition == nil {
		return !slices.ContainsFunc(f.states, func(s lts.State) bool {
			return len(g.comesTo(g.unfolding.Place(s).State)) > 1
		}), nil
	}
	t := toldPart{g: g, states: bitset.New[lts.State](g.m.NumStates()), out: map[lts.Transition]bool{}}
	places := 0
	for _, s := range f.states {
		for at := range g.unfolding.Places(g.unfolding.Place(s).State) {
			t.states.Add(at)
			places++
		}
	}
	// If a run comes to each of the states with the property in one state, it follows the part as states
	// and labels iff it stays in the part, and then it violates the property.
	if f.Again == nil && places == len(f.states) {
		return true, nil
	}
	for _, m := range f.WaysOut {
		t.out[m.Transition] = true
	}
	for _, inside := range f.inside {
		if t.out[g.folded(inside)] {
			return false, nil
		}
	}
	for _, set := range f.Again {
		labels := map[lts.Label]bool{}
		for _, m := range set {
			labels[g.m.Alphabet().Plain(m.Transition.Label)] = true
		}
		t.again = append(t.again, labels)
	}
	return t.violates(ctx)
}

// toldPart is a part as it is told by states and labels.
type toldPart struct {
	g *game
	// states are the places of the states of the part, in any state of the property.
	states bitset.Set[lts.State]
	out    map[lts.Transition]bool
	again  []map[lts.Label]bool
}

// stays reports whether a transition of the unfolded model is one that runs take who stay in
// the part as it is told.
func (t toldPart) stays(s lts.State, l lts.Label, to lts.State) bool {
	g := t.g
	return t.states.Has(s) && t.states.Has(to) && g.guarded.Has(s) && g.guarded.Has(to) && g.allows(s, l, to) &&
		(len(t.out) == 0 || !t.out[g.folded(lts.Transition{From: s, Label: l, To: to})])
}

// violates reports whether every run violates the property that stays in the part for ever and
// does again and again what it must not.
func (t toldPart) violates(ctx context.Context) (bool, error) {
	violates := true
	in := bitset.New[lts.State](t.g.m.NumStates())
	for _, good := range t.g.condition.good {
		stays := func(s lts.State, l lts.Label, to lts.State) bool {
			return t.stays(s, l, to) && t.g.unfolding.Marks(s, l)&good.Fin == 0
		}
		err := scc.Within(ctx, t.g.m, stays, func(states []lts.State) {
			for _, s := range states {
				in.Add(s)
			}
			missing, left := good.Inf, slices.Clone(t.again)
			some := false
			for _, s := range states {
				labels, targets := t.g.m.Out(s)
				for i, to := range targets {
					l := labels.At(i)
					if !in.Has(to) || !stays(s, l, to) {
						continue
					}
					some = true
					missing &^= t.g.unfolding.Marks(s, l)
					left = slices.DeleteFunc(left, func(set map[lts.Label]bool) bool { return set[t.g.m.Alphabet().Plain(l)] })
				}
			}
			for _, s := range states {
				in.Remove(s)
			}
			if some && missing == 0 && len(left) == 0 {
				violates = false
			}
		})
		if err != nil {
			return false, err
		}
	}
	return violates, nil
}
