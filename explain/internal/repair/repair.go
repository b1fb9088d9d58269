// Package repair finds out how to make a violated property true: which transitions must never be
// taken, which loops must not be repeated forever, and which correct run differs least from the
// counterexample.
//
// A supervisor may forbid controllable transitions of a model, and leaves at least one transition
// in every state. It remembers the past as far as the property does. The product states that it can
// enforce, whatever happens without its control, are found by a game on the product of model and
// property, after Ramadge and Wonham (supervisory control). The strategy is a template, which
// leaves open everything that need not be decided (Anand, Nayak, Schmuck: Synthesizing Permissive
// Winning Strategy Templates for Parity Games, CAV 2023).
//
// A run that takes no forbidden transition, and leaves each component that must be left, satisfies
// the property. Forbidding makes no new deadlock.
package repair

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Options are the abilities of a supervisor, and the limits of the search.
type Options struct {
	// Controllable reports whether the supervisor can forbid transitions with a label; nil if it
	// can forbid all. It must always return the same for a label.
	Controllable func(lts.Label) bool
	// Fair assumes full fairness of allowed transitions: a run that visits a product state
	// infinitely often takes all allowed transitions from there infinitely often. Then no run stays
	// forever in a component that it can leave.
	Fair bool
	// ByLabel makes the supervisor see only labels: it can only forbid together all transitions
	// with one label from one product state.
	ByLabel bool
	// Unfolding, unless it is nil, is the product of the model and the property that [Find] or
	// [NewCoalitions] gets.
	Unfolding *product.Unfolding
	// Most is the largest number of forbidden transitions of a repair; 0 for no limit. If there are
	// more, [Find] fails with [ErrTooMany].
	Most int
	// Work is the largest number of nodes and edges of the game that [Find] visits before it fails
	// with [ErrWork]; 0 for no limit. Repeated visits count. Work has no effect on inevitability,
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
	// Never are the transitions that must not be taken, in the order of the model; nil if there is
	// no supervisor. It includes only transitions after which the opponent could violate the
	// property.
	Never []Guard
	// NotForEver are the components that a run must leave, in the order of their first product
	// states.
	NotForEver []Part
	// Obstacle is the reason why there is no supervisor; nil if there is one.
	Obstacle *Obstacle

	game *game
	// unguarded lets the searches for a nearest correct run take every transition.
	unguarded bool
}

// Guard is a transition that must not be taken in some property states.
type Guard struct {
	Transition lts.Transition
	// Progress are the property states in which the transition must not be taken, ascending; for a
	// chain, numbers of done steps. With each of them, some run of the guarded model reaches the
	// source of the transition.
	Progress []int
	// Comes are all property states in which runs of the guarded model reach the source, ascending.
	Comes []int
}

// Part is a strongly connected component of the guarded model where the property stays pending.
type Part struct {
	Places []product.State
	// Loop are the labels of the transitions within the component, ascending.
	Loop []lts.Label
	// WaysOut are the allowed moves that leave the component, in the order of the model.
	WaysOut []Move
	// Again, unless it is nil, has sets of moves: a run must leave the component only if it takes a
	// move of each set infinitely often.
	Again [][]Move
	// ByLabels reports whether states and labels alone describe the component, whatever the
	// property states. Then a run violates the property if it stays in these states forever, takes
	// the transitions of WaysOut finitely often and, unless Again is nil, a label of each set of
	// Again infinitely often.
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
	// with the same label. It is the zero value for NoCorrectRun.
	Transition lts.Transition
}

// EnoughAlone reports whether it is enough to forbid transitions, since there is no component that
// a run must leave.
func (r *Repair) EnoughAlone() bool { return r.Solvable && len(r.NotForEver) == 0 }

// UnsupportedError reports that package repair does not support a property.
type UnsupportedError struct {
	Property string
	// Why is the reason why no repair can be found for such a property.
	Why string
}

func (e UnsupportedError) Error() string {
	return fmt.Sprintf("no repair is computed for %s: %s", e.Property, e.Why)
}

// The reasons of [UnsupportedError].
const (
	whyFair  = "under full fairness, repairs are found for inevitability and safety properties"
	whyPairs = "its condition on infinite runs has too many cases"
)

// Find returns a repair of m for the property p, which is bound to m. A supervisor is a winning
// strategy in a game. For inevitability, this is a reachability game, solved backwards with
// counters from the product states where all steps are done; for other properties, a game with an
// acceptance condition. Find fails if ctx is done, if the unfolded model is too large, with the
// errors of the limits of o, and with [UnsupportedError]. Cost O(n (S + T)) for inevitability; with
// Fair, that times the number of rounds that remove product states, at worst n S; for Büchi and
// co-Büchi conditions quadratic at worst, see [board.removeLost].
func Find(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	o Options,
) (_ *Repair, err error) {
	defer abort.Caught(&err)
	g := newGame(ctx, m, p, o)
	g.solve(ctx, p, o)
	r := &Repair{Solvable: g.wins(0), game: g}
	if !r.Solvable {
		r.Obstacle = g.obstacle(ctx, g.solvedFreely(ctx, p, o).wins)
		return r, nil
	}
	g.findGuarded(ctx)
	r.Never = g.never(o.Most)
	if o.Most > 0 && len(r.Never) > o.Most {
		return nil, ErrTooMany
	}
	if !o.Fair {
		r.NotForEver = g.parts(ctx)
	}
	return r, nil
}

// solvedFreely returns the game of a supervisor that can forbid all transitions, solved.
func (g *game) solvedFreely(ctx context.Context, p *property.Property, o Options) *game {
	free := &game{
		unfolding: g.unfolding,
		m:         g.m,
		forced:    make([]bool, len(g.forced)),
	}
	free.solve(ctx, p, Options{Work: o.Work})
	return free
}

// findGuarded finds the product states that are reachable without forbidden transitions.
func (g *game) findGuarded(ctx context.Context) {
	g.guarded = bitset.New[lts.State](g.m.NumStates())
	g.guarded.Add(0)
	queue := []lts.State{0}
	for next := 0; next < len(queue); next++ {
		abort.IfDone(ctx, next)
		from := queue[next]
		labels, targets := g.m.Out(from)
		for i, to := range targets {
			if !g.guarded.Has(to) && g.allows(from, labels.At(i), to) {
				g.guarded.Add(to)
				queue = append(queue, to)
			}
		}
	}
}

// allows reports whether some run of the guarded model does one of these labels. Labels with the
// same text count, too: they differ only in the facts of states.
func (r *Repair) allows(labels []lts.Label) bool {
	g := r.game
	a := g.m.Alphabet()
	isAmong := make([]bool, a.Len())
	for _, l := range labels {
		isAmong[a.Plain(l)] = true
	}
	for s := range g.guarded.All {
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if isAmong[a.Plain(labels.At(i))] && g.allows(s, labels.At(i), to) {
				return true
			}
		}
	}
	return false
}

// never returns the forbidden transitions: each transition of the model once, with its property
// states. most limits their number, unless it is 0: if there are more, the result has only some.
func (g *game) never(most int) []Guard {
	var guards intern.List[lts.Transition, Guard]
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
			t := lts.Transition{
				From:  place.State,
				Label: labels.At(i),
				To:    g.unfolding.At(to).State,
			}
			guard := &guards.All[guards.Index(t, Guard{Transition: t})]
			if most > 0 && len(guards.All) > most {
				return guards.All
			}
			guard.Progress = append(guard.Progress, int(place.Q))
		}
	}
	for k := range guards.All {
		guard := &guards.All[k]
		slices.Sort(guard.Progress)
		guard.Progress = slices.Compact(guard.Progress)
		guard.Comes = g.comesTo(guard.Transition.From)
	}
	slices.SortFunc(guards.All, func(a, b Guard) int {
		return compare(a.Transition, b.Transition)
	})
	return guards.All
}

// comesTo returns the property states in which runs of the guarded model reach a state.
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

func compare(a, b lts.Transition) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label),
		cmp.Compare(a.To, b.To))
}

func comparePlaces(a, b product.State) int {
	return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Q, b.Q))
}

// ErrUnsolvable reports that there is no repair, and so no repaired model: see [Repair.Obstacle].
var ErrUnsolvable = errors.New("there is no repair")

// Apply returns the model without the transitions that must never be taken. If each of these is
// forbidden in all property states, the result has the same states as the model, and places is nil.
// Otherwise the result is the reachable part of the unfolded model, and places[s] is the product
// state of state s. Apply fails with [ErrUnsolvable], or if ctx is done. Cost O(n (S + T)).
func (r *Repair) Apply(
	ctx context.Context,
	m *lts.LTS,
) (fixed *lts.LTS, places []product.State, err error) {
	if !r.Solvable {
		return nil, nil, ErrUnsolvable
	}
	everywhere := true
	never := map[lts.Transition]bool{}
	for _, guard := range r.Never {
		everywhere = everywhere && len(guard.Progress) == len(guard.Comes)
		never[guard.Transition] = true
	}
	if everywhere {
		fixed, err = m.Without(func(t lts.Transition) bool { return never[t] })
		return fixed, nil, err
	}
	return r.game.guardedModel(ctx)
}

// guardedModel returns the part of the unfolded model that is reachable without forbidden transitions,
// and the product state of each of its states. It leaves out the forbidden transitions.
func (g *game) guardedModel(ctx context.Context) (*lts.LTS, []product.State, error) {
	number, err := resources.Make[lts.State](ctx, g.m.NumStates())
	if err != nil {
		return nil, nil, err
	}
	var places []product.State
	for s := range lts.State(g.m.NumStates()) {
		if g.guarded.Has(s) {
			number[s] = lts.State(len(places))
			places = append(places, g.unfolding.At(s))
		}
	}
	var b lts.Builder
	b.Over(g.m.Alphabet())
	for s := range lts.State(g.m.NumStates()) {
		if err := cores.Done(ctx, s); err != nil {
			return nil, nil, err
		}
		if !g.guarded.Has(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels.At(i), to) {
				b.Add(number[s], labels.At(i), number[to])
			}
		}
	}
	fixed, err := b.Build(0, len(places))
	return fixed, places, err
}
