package repair

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
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
	t := toldPart{g: g, out: map[lts.Transition]bool{}}
	for _, s := range f.states {
		t.places = slices.AppendSeq(t.places, g.unfolding.Places(g.unfolding.Place(s).State))
	}
	// If a run comes to each of the states with the property in one state, it follows the part as states
	// and labels iff it stays in the part, and then it violates the property.
	if f.Again == nil && len(t.places) == len(f.states) {
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
	// places has each state of the part with any state of the property, some of them more than once.
	places []lts.State
	out    map[lts.Transition]bool
	again  []map[lts.Label]bool
}

// stays reports whether a transition of the unfolded model between places of the part is one that
// runs take who stay in the part as it is told.
func (t toldPart) stays(s lts.State, l lts.Label, to lts.State) bool {
	g := t.g
	return g.guarded.Has(s) && g.guarded.Has(to) && g.allows(s, l, to) &&
		(len(t.out) == 0 || !t.out[g.folded(lts.Transition{From: s, Label: l, To: to})])
}

// alone returns the places with the transitions that stay, and a state before all of them. The places have
// the numbers that they have in the list. Cost of the part alone: there may be as many parts as states.
func (t *toldPart) alone() (*lts.LTS, error) {
	slices.Sort(t.places)
	t.places = slices.Compact(t.places)
	var b lts.Builder
	b.Over(t.g.m.Alphabet())
	for i, s := range t.places {
		labels, targets := t.g.m.Out(s)
		for k, to := range targets {
			if j, in := slices.BinarySearch(t.places, to); in && t.stays(s, labels.At(k), to) {
				b.Add(lts.State(i), labels.At(k), lts.State(j))
			}
		}
	}
	first := lts.State(len(t.places))
	for i := range first {
		b.Add(first, 0, i)
	}
	return b.Build(first, int(first)+1)
}

// violates reports whether every run violates the property that stays in the part for ever and
// does again and again what it must not.
func (t toldPart) violates(ctx context.Context) (bool, error) {
	m, err := t.alone()
	if err != nil {
		return false, err
	}
	violates := true
	in := bitset.New[lts.State](m.NumStates())
	first := m.Initial()
	for _, good := range t.g.condition.good {
		avoids := func(i lts.State, l lts.Label, _ lts.State) bool {
			return i != first && t.g.unfolding.Marks(t.places[i], l)&good.Fin == 0
		}
		err := scc.Within(ctx, m, avoids, func(states []lts.State) {
			for _, i := range states {
				in.Add(i)
			}
			missing, left := good.Inf, slices.Clone(t.again)
			some := false
			for _, i := range states {
				labels, targets := m.Out(i)
				for k, to := range targets {
					l := labels.At(k)
					if !in.Has(to) || !avoids(i, l, to) {
						continue
					}
					some = true
					missing &^= t.g.unfolding.Marks(t.places[i], l)
					left = slices.DeleteFunc(left, func(set map[lts.Label]bool) bool { return set[m.Alphabet().Plain(l)] })
				}
			}
			for _, i := range states {
				in.Remove(i)
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
