package repair

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/product"
	"github.com/inev-lts/inev/property"
)

// Options say what a supervisor can do.
type Options struct {
	// Controllable reports whether transitions with a label can be forbidden, always in
	// the same way; where it is nil, all can.
	Controllable func(lts.Label) bool
	// Fair assumes full fairness of what is not forbidden: a place that is come to again
	// and again is left all ways. Then no run stays in a part for ever that can be left.
	Fair bool
	// ByLabel forbids all transitions with a label at a place together, as who sees
	// labels and no more must; otherwise single ones.
	ByLabel bool
}

// Repair is what makes a property true that fails. It is immutable.
type Repair struct {
	// Solvable reports whether there is a supervisor under which the property holds
	// without new deadlocks.
	Solvable bool
	// Never are the transitions that must not be taken, in the order of the model: those
	// alone after which others could make the property fail. Nil where there is no
	// supervisor.
	Never []Guard
	// NotForEver are the parts of the model in which a run must not stay for ever, in the
	// order of their first places.
	NotForEver []Part
	// Obstacle says why there is no supervisor; nil where there is one.
	Obstacle *Obstacle

	game *game
}

// Guard is a transition that must not be taken as long as the property is in some states.
type Guard struct {
	Transition lts.Transition
	// Progress are the states of the property, ascending: of a chain, the numbers of steps
	// done. In all of them the guarded model comes to the source.
	Progress []int
	// Comes are those states of the property with which the guarded model comes to the
	// source at all, ascending.
	Comes []int
}

// Everywhere reports whether the transition is forbidden whatever came before.
func (g Guard) Everywhere() bool { return len(g.Progress) == len(g.Comes) }

// Part is a strongly connected part of the guarded model in which the property stays
// unfinished.
type Part struct {
	Places []product.Place
	// Loop are the labels of the transitions that stay in the part, ascending.
	Loop []lts.Label
	// WaysOut are the transitions that leave the part and may be taken.
	WaysOut []lts.Transition
}

// Obstacle is the nearest place at which a supervisor cannot do what it had to.
type Obstacle struct {
	Kind  ObstacleKind
	Place product.Place
	// Path leads there from the initial state.
	Path []lts.Transition
	// Transition is the one that cannot be forbidden, or that goes with a good one of the
	// same label; the zero value for NoCorrectRun.
	Transition lts.Transition
}

// EnoughAlone reports whether it is enough to forbid: there is no part that a run has to
// leave.
func (r *Repair) EnoughAlone() bool { return r.Solvable && len(r.NotForEver) == 0 }

// UnsupportedError tells that there are no repairs for a property: its condition on
// infinite runs is of a form that games are not solved for here, or it would have to be
// told what must not be done again and again.
type UnsupportedError struct{ Property string }

// Error names the property.
func (e UnsupportedError) Error() string {
	return fmt.Sprintf("no repair is found for %s: what it asks of runs that never end is neither that something recurs nor that something does not", e.Property)
}

// Find tells how to repair a model so that a property holds that is bound to it. A
// supervisor is a winning strategy in a game: of reachability for inevitability, found
// backwards from the places where all steps are done, with counters; of parity for other
// properties. It fails where ctx is done, where the model unfolded by the property is too
// large, and with [UnsupportedError]. Cost O(n (S + T)) for inevitability, and with Fair
// times the number of rounds in which places drop out, at worst n S; for other properties
// quadratic at worst where something is to recur or not to.
func Find(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (*Repair, error) {
	g, err := newGame(ctx, m, p, o)
	if err != nil {
		return nil, err
	}
	possible, err := g.solveFor(ctx, p, o)
	if err != nil {
		return nil, err
	}
	r := &Repair{Solvable: g.wins(0), game: g}
	if !r.Solvable {
		r.Obstacle, err = g.obstacle(ctx, possible)
		return r, err
	}
	if err := g.guard(ctx); err != nil {
		return nil, err
	}
	r.Never = g.never()
	if !o.Fair {
		r.NotForEver, err = g.parts(ctx)
	}
	return r, err
}

// solveFor solves the game for a property. The result finds where it could be won if
// everything were controllable.
func (g *game) solveFor(ctx context.Context, p *property.Property, o Options) (possible func() ([]uint32, error), err error) {
	nothing := func(lts.Label) bool { return false }
	if chain, is := p.Chain(); is {
		done := func(s lts.State) bool { return int(g.unfolding.Place(s).Q) == chain.Len() }
		return func() ([]uint32, error) { return g.attract(ctx, done, nothing, false, nil) }, g.solve(ctx, done, o.Fair)
	}
	condition, is := parityOf(p.Acceptance())
	if !is || o.Fair {
		return nil, UnsupportedError{p.String()}
	}
	g.condition = &condition
	g.rank, err = g.solveParity(ctx, condition, func(l lts.Label) bool { return g.forced[l] }, g.byLabel)
	return func() ([]uint32, error) { return g.solveParity(ctx, condition, nothing, false) }, err
}

// never returns the transitions of the unfolded model that are forbidden, collected by
// transitions of the model.
func (g *game) never() []Guard {
	at := map[lts.Transition]int{}
	var guards []Guard
	for s := range lts.State(g.m.NumStates()) {
		if !g.guarded.Has(s) || g.pending(s) == 0 {
			continue
		}
		place := g.unfolding.Place(s)
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels[i], to) {
				continue
			}
			t := lts.Transition{From: place.State, Label: labels[i], To: g.unfolding.Place(to).State}
			k, known := at[t]
			if !known {
				k = len(guards)
				at[t] = k
				guards = append(guards, Guard{Transition: t})
			}
			if q := int(place.Q); !slices.Contains(guards[k].Progress, q) {
				guards[k].Progress = append(guards[k].Progress, q)
			}
		}
	}
	for k := range guards {
		slices.Sort(guards[k].Progress)
		guards[k].Comes = g.comesTo(guards[k].Transition.From)
	}
	slices.SortFunc(guards, func(a, b Guard) int { return compare(a.Transition, b.Transition) })
	return guards
}

// comesTo returns the states of the property with which the guarded model comes to a state.
func (g *game) comesTo(s lts.State) []int {
	var comes []int
	for at := range g.unfolding.Places(s) {
		if g.guarded.Has(at) {
			comes = append(comes, int(g.unfolding.Place(at).Q))
		}
	}
	slices.Sort(comes)
	return comes
}

// parts finds the cyclic parts of the guarded model where the property is unfinished.
func (g *game) parts(ctx context.Context) ([]Part, error) {
	if g.condition != nil {
		if err := g.checkCondition(ctx); err != nil {
			return nil, err
		}
	}
	stays := func(s lts.State, l lts.Label, to lts.State) bool {
		return g.guarded.Has(s) && g.pending(s) > 0 && g.pending(to) > 0 && g.allows(s, l, to) && g.isIdle(s, l)
	}
	var parts []Part
	in := bitset.New[lts.State](g.m.NumStates())
	if g.condition != nil && g.condition.rest {
		return nil, nil // runs on which nothing recurs that matters are as they should be
	}
	err := scc.Within(ctx, g.m, stays, func(states []lts.State) {
		for _, s := range states {
			in.Add(s)
		}
		if p := g.part(states, in, stays); p != nil {
			parts = append(parts, *p)
		}
		for _, s := range states {
			in.Remove(s)
		}
	})
	slices.SortFunc(parts, func(a, b Part) int { return comparePlaces(a.Places[0], b.Places[0]) })
	return parts, err
}

// isIdle reports whether a transition does nothing of what is to recur.
func (g *game) isIdle(s lts.State, l lts.Label) bool {
	return g.condition == nil || g.condition.of(g.unfolding.Marks(s, l)) == len(g.condition.levels)
}

// checkCondition finds out whether no more has to be told of what is left than parts in
// which nothing recurs that is to: where what must not recur can, that is not so.
func (g *game) checkCondition(ctx context.Context) error {
	bad := false
	for i, l := range g.condition.levels {
		if l.good {
			continue
		}
		in := bitset.New[lts.State](g.m.NumStates())
		keeps := func(s lts.State, l lts.Label, to lts.State) bool {
			return g.guarded.Has(s) && g.wins(s) && g.allows(s, l, to) && g.condition.of(g.unfolding.Marks(s, l)) >= i
		}
		err := scc.Within(ctx, g.m, keeps, func(states []lts.State) {
			for _, s := range states {
				in.Add(s)
			}
			for _, s := range states {
				labels, targets := g.m.Out(s)
				for k, to := range targets {
					bad = bad || in.Has(to) && keeps(s, labels[k], to) && g.condition.of(g.unfolding.Marks(s, labels[k])) == i
				}
			}
			for _, s := range states {
				in.Remove(s)
			}
		})
		if err != nil {
			return err
		}
	}
	if bad {
		return UnsupportedError{g.unfolding.Property().String()}
	}
	return nil
}

// part describes a strongly connected part; nil where no transition stays in it.
func (g *game) part(states []lts.State, in bitset.Set[lts.State], stays func(lts.State, lts.Label, lts.State) bool) *Part {
	var p Part
	loop := map[lts.Label]bool{}
	out := map[lts.Transition]bool{}
	for _, s := range states {
		place := g.unfolding.Place(s)
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			switch {
			case in.Has(to) && stays(s, labels[i], to):
				loop[labels[i]] = true
			case g.guarded.Has(s) && g.allows(s, labels[i], to):
				out[lts.Transition{From: place.State, Label: labels[i], To: g.unfolding.Place(to).State}] = true
			}
		}
	}
	if len(loop) == 0 {
		return nil
	}
	for _, s := range states {
		p.Places = append(p.Places, g.unfolding.Place(s))
	}
	slices.SortFunc(p.Places, comparePlaces)
	for l := range loop {
		p.Loop = append(p.Loop, l)
	}
	slices.Sort(p.Loop)
	for t := range out {
		p.WaysOut = append(p.WaysOut, t)
	}
	slices.SortFunc(p.WaysOut, compare)
	return &p
}
