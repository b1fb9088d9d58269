package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Options are the abilities of a supervisor, and the limits of the search.
type Options struct {
	// Controllable reports whether the supervisor can forbid transitions with a label; nil if it
	// can forbid all. It must always return the same for a label.
	Controllable func(lts.Label) bool
	// Fair assumes full fairness of allowed transitions: a run that comes infinitely often to a
	// product state takes all of them from there infinitely often. Then no run stays for ever in a
	// component that it can leave.
	Fair bool
	// ByLabel forbids all transitions together that have one label and leave one product state, for
	// a supervisor that sees labels only.
	ByLabel bool
	// Unfolding, unless it is nil, is the product of the model and property of [Find] or
	// [NewCoalitions].
	Unfolding *product.Unfolding
	// Most is the largest number of forbidden transitions for which [Find] succeeds; otherwise the
	// error is [ErrTooMany]; 0 for no limit.
	Most int
	// Work is the largest number of nodes and edges of the game that [Find] visits, repeated visits
	// included, before it fails with [ErrWork]; 0 for no limit. It has no effect on inevitability,
	// whose game takes a few passes.
	Work int64
}

// ErrTooMany reports that a repair forbids more transitions than Options.Most.
var ErrTooMany = errors.New("more transitions have to be forbidden than can be told")

// Repair is what makes a violated property true. It is immutable.
type Repair struct {
	// Solvable reports whether there is a supervisor under which the property holds
	// without new deadlocks.
	Solvable bool
	// Never are the transitions that must not be taken, in the order of the model: only those after
	// which the opponent could violate the property. Nil without a supervisor.
	Never []Guard
	// NotForEver are the components that a run must leave, in the order of their first product
	// states.
	NotForEver []Part
	// Obstacle says why there is no supervisor; nil if there is a supervisor.
	Obstacle *Obstacle

	game *game
}

// Guard is a transition that must not be taken in some property states.
type Guard struct {
	Transition lts.Transition
	// Progress are the property states where the transition must not be taken, ascending; for a
	// chain, numbers of done steps. Runs of the guarded model reach the source of the transition
	// with each of them.
	Progress []int
	// Comes are all property states of runs of the guarded model when the runs are in the source,
	// ascending.
	Comes []int
}

// Everywhere reports whether the transition is forbidden in all property states.
func (g Guard) Everywhere() bool { return len(g.Progress) == len(g.Comes) }

// Part is a strongly connected component of the guarded model where the property stays pending.
type Part struct {
	Places []product.State
	// Loop are the labels of the transitions within the component, ascending.
	Loop []lts.Label
	// WaysOut are the allowed moves that leave the component, in the order of the model.
	WaysOut []Move
	// Again, unless it is nil, has sets of moves: a run that takes a move of each set infinitely
	// often need not leave the component.
	Again [][]Move
	// ByLabels reports whether states and labels alone describe the component: every run that stays
	// in these states for ever, takes the transitions of WaysOut finitely often, and a label of
	// each set of Again infinitely often, violates the property, whatever the property states.
	ByLabels bool
}

// Move is a transition with the property state before it; for a chain, the number of done steps.
type Move struct {
	Transition lts.Transition
	Progress   int
}

// Obstacle is the nearest product state where a supervisor would need an ability that it lacks.
type Obstacle struct {
	Kind         ObstacleKind
	ProductState product.State
	// Path is a path from the initial state to the product state.
	Path []lts.Transition
	// Transition is a transition that cannot be forbidden, or only together with a good transition
	// with the same label; it is the zero value for NoCorrectRun.
	Transition lts.Transition
}

// EnoughAlone reports whether it is enough to forbid transitions: there is no component that a run
// must leave.
func (r *Repair) EnoughAlone() bool { return r.Solvable && len(r.NotForEver) == 0 }

// UnsupportedError reports that package repair does not support a property.
type UnsupportedError struct {
	Property string
	// Why says why no repair can be found for such a property.
	Why string
}

func (e UnsupportedError) Error() string {
	return fmt.Sprintf("no repair is computed for %s: %s", e.Property, e.Why)
}

// The reasons of [UnsupportedError].
const (
	whyFair  = "under full fairness, repairs are found for inevitability"
	whyPairs = "its condition on infinite runs has too many cases"
)

// Find returns a repair of m for the property p, which is bound to m. A supervisor is a winning
// strategy in a game: for inevitability, a reachability game, solved backwards with counters from
// the product states where all steps are done; for other properties, a game with an acceptance
// condition. It fails if ctx is done, if the unfolded model is too large, with the errors of the
// limits of o, and with [UnsupportedError]. Cost O(n (S + T)) for inevitability, with Fair times
// the number of rounds in which product states drop out, at worst n S; for Büchi and co-Büchi
// quadratic at worst, see [board.leave].
func Find(ctx context.Context, m *lts.LTS, p *property.Property, o Options) (_ *Repair, err error) {
	defer abort.Caught(&err)
	g := newGame(ctx, m, p, o)
	possible := g.solveFor(ctx, p, o)
	r := &Repair{Solvable: g.wins(0), game: g}
	if !r.Solvable {
		r.Obstacle = g.obstacle(ctx, possible())
		return r, nil
	}
	g.guard(ctx)
	if r.Never = g.never(o.Most); o.Most > 0 && len(r.Never) > o.Most {
		return nil, ErrTooMany
	}
	if !o.Fair {
		r.NotForEver = g.parts(ctx)
	}
	return r, nil
}

// solveFor solves the game for a property. possible finds the product states that could be won if
// everything were controllable.
func (g *game) solveFor(ctx context.Context, p *property.Property, o Options) (possible func() []uint32) {
	nothing := func(lts.Label) bool { return false }
	if p.Steps() > 0 {
		done := func(s lts.State) bool { return int(g.unfolding.At(s).Q) == p.Steps() }
		g.solve(ctx, done, o.Fair)
		return func() []uint32 { return g.attract(ctx, done, nothing, false, nil) }
	}
	if o.Fair {
		abort.On(UnsupportedError{p.String(), whyFair})
	}
	condition := newCondition(p)
	g.condition = &condition
	g.rankBy(g.solveInfinite(ctx, condition, func(l lts.Label) bool { return g.forced[l] }, g.byLabel, o.Work))
	return func() []uint32 { return g.solveInfinite(ctx, condition, nothing, false, o.Work) }
}

// never returns the forbidden transitions, each transition of the model once with its property
// states. It returns only some of them if there are more than most, unless most is 0.
func (g *game) never(most int) []Guard {
	var guards keyed.List[lts.Transition, Guard]
	for s := range lts.State(g.m.NumStates()) {
		if !g.guarded.Has(s) || g.pending(s) == 0 {
			continue
		}
		place := g.unfolding.At(s)
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels.At(i), to) {
				continue
			}
			t := lts.Transition{From: place.State, Label: labels.At(i), To: g.unfolding.At(to).State}
			guard := &guards.All[guards.Index(t, Guard{Transition: t})]
			if most > 0 && len(guards.All) > most {
				return guards.All
			}
			if q := int(place.Q); !slices.Contains(guard.Progress, q) {
				guard.Progress = append(guard.Progress, q)
			}
		}
	}
	for k := range guards.All {
		guard := &guards.All[k]
		slices.Sort(guard.Progress)
		guard.Comes = g.comesTo(guard.Transition.From)
	}
	slices.SortFunc(guards.All, func(a, b Guard) int { return compare(a.Transition, b.Transition) })
	return guards.All
}

// comesTo returns the property states that runs of the guarded model have in a state.
func (g *game) comesTo(s lts.State) []int {
	var comes []int
	for at := range g.unfolding.Unfolded(s) {
		if g.guarded.Has(at) {
			comes = append(comes, int(g.unfolding.At(at).Q))
		}
	}
	slices.Sort(comes)
	return comes
}
