package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"

	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
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
	// Unfolding, where it is not nil, is the product of model and property, as they are given to
	// [Find] or [NewCoalitions].
	Unfolding *product.Unfolding
	// Most is the number of transitions to be forbidden above which [Find] ends with
	// [ErrTooMany]; 0 for no limit.
	Most int
	// Work is the number of nodes and edges of the game, each as often as it is looked at, above
	// which [Find] ends with [ErrWork]; 0 for no limit. It heeds it for properties other than
	// inevitability, whose game takes a few passes.
	Work int64
}

// ErrTooMany reports that more transitions would have to be forbidden than were asked for.
var ErrTooMany = errors.New("more transitions have to be forbidden than can be told")

// Repair is what makes a property true that fails. It is immutable.
type Repair struct {
	// Solvable reports whether there is a supervisor under which the property holds
	// without new deadlocks.
	Solvable bool
	// Never are the transitions that must not be taken, in the order of the model: those
	// alone after which others could make the property fail. Nil where there is no
	// supervisor.
	Never []Guard
	// NotForEver are the parts of the model that a run must not stay in for ever, in the order of
	// their first places.
	NotForEver []Part
	// Obstacle says why there is no supervisor; nil if there is one.
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

// Part is a strongly connected part of the guarded model on whose runs the property stays
// unfinished.
type Part struct {
	Places []product.Place
	// Loop are the labels of the transitions that stay in the part, ascending.
	Loop []lts.Label
	// WaysOut are the moves that leave the part and may be taken, in the order of the model.
	WaysOut []Move
	// Again, where it is not nil, says that a run may stay there for ever unless it does one
	// of each of these sets of moves again and again.
	Again [][]Move
	// ByLabels reports whether the part can be told by states and labels: who stays in these
	// states for ever, takes none of the transitions again and again that WaysOut are, and
	// does a label of each set of Again again and again, violates the property whatever the
	// states of the property are, and nobody else is meant.
	ByLabels bool
}

// Move is a transition that is taken in a state of the property: of a chain, with so many steps
// done.
type Move struct {
	Transition lts.Transition
	Progress   int
}

// Obstacle is the nearest place at which a supervisor would have to do what it cannot.
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

// UnsupportedError reports that there are no repairs for a property.
type UnsupportedError struct {
	Property string
	// Why is what stands in the way.
	Why string
}

// Error names the property.
func (e UnsupportedError) Error() string {
	return fmt.Sprintf("no repair is told for %s: %s", e.Property, e.Why)
}

// The reasons of [UnsupportedError].
const (
	whyFair  = "under full fairness, repairs are found for inevitability"
	whyPairs = "its condition on infinite runs has too many cases"
)

// Find tells how to repair a model so that a property holds that is bound to it. A
// supervisor is a winning strategy in a game: of reachability for inevitability, found
// backwards from the places where all steps are done, with counters; for other properties
// one on what recurs. It fails if ctx is done, where the model unfolded by the property is too
// large, and with [UnsupportedError]. Cost O(n (S + T)) for inevitability, and with Fair
// times the number of rounds in which places drop out, at worst n S; for other properties
// quadratic at worst where things are to recur, or one is not to.
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
	if r.Never = g.never(o.Most); o.Most > 0 && len(r.Never) > o.Most {
		return nil, ErrTooMany
	}
	if !o.Fair {
		r.NotForEver, err = g.parts(ctx)
	}
	return r, err
}

// solveFor solves the game for a property. The result finds where it could be won if
// everything were controllable.
func (g *game) solveFor(ctx context.Context, p *property.Property, o Options) (possible func() ([]uint32, error), err error) {
	nothing := func(lts.Label) bool { return false }
	if p.Steps() > 0 {
		done := func(s lts.State) bool { return int(g.unfolding.Place(s).Q) == p.Steps() }
		return func() ([]uint32, error) { return g.attract(ctx, done, nothing, false, nil) }, g.solve(ctx, done, o.Fair)
	}
	if o.Fair {
		return nil, UnsupportedError{p.String(), whyFair}
	}
	condition, is := newCondition(p.Acceptance())
	if !is {
		return nil, UnsupportedError{p.String(), whyPairs}
	}
	g.condition = &condition
	rank, err := g.solveInfinite(ctx, condition, func(l lts.Label) bool { return g.forced[l] }, g.byLabel, o.Work)
	g.rankBy(rank)
	return func() ([]uint32, error) { return g.solveInfinite(ctx, condition, nothing, false, o.Work) }, err
}

// never returns the transitions of the unfolded model that are forbidden, collected by
// transitions of the model; some of them where there are more than most, unless that is 0.
func (g *game) never(most int) []Guard {
	at := map[lts.Transition]int{}
	var guards []Guard
	for s := range lts.State(g.m.NumStates()) {
		if !g.guarded.Has(s) || g.pending(s) == 0 {
			continue
		}
		place := g.unfolding.Place(s)
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels.At(i), to) {
				continue
			}
			t := lts.Transition{From: place.State, Label: labels.At(i), To: g.unfolding.Place(to).State}
			k, known := at[t]
			if !known {
				k = len(guards)
				at[t] = k
				guards = append(guards, Guard{Transition: t})
				if most > 0 && len(guards) > most {
					return guards
				}
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
