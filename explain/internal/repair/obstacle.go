package repair

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// ObstacleKind is why there is no supervisor.
type ObstacleKind string

const (
	NoCorrectRun   ObstacleKind = "no correct run" // no run of the model satisfies the property
	Uncontrollable ObstacleKind = "uncontrollable" // a transition that must not be taken cannot be forbidden
	Nondeterminism ObstacleKind = "nondeterminism" // the label that would help also leads to another state
)

// obstacle finds out why the supervisor does not win from the initial product state. possible
// reports the product states from which some run satisfies the property.
func (g *game) obstacle(ctx context.Context, possible func(lts.State) bool) *Obstacle {
	if !possible(0) {
		return &Obstacle{Kind: NoCorrectRun, ProductState: g.unfolding.At(0)}
	}
	path, s := g.pathToObstacle(ctx, possible)
	o := &Obstacle{Kind: Uncontrollable, ProductState: g.unfolding.At(s)}
	for _, t := range path {
		o.Path = append(o.Path, g.inModel(t))
	}
	if !g.isForced(s) {
		o.Kind = Nondeterminism
	}
	forcedSteps := g.stepsToForcedLoss(ctx, possible)
	o.Transition = g.inModel(g.toBlame(s, possible, forcedSteps))
	return o
}

// cannotForce is the number of steps from a product state where the opponent cannot force a loss.
const cannotForce = math.MaxUint32

// stepsToForcedLoss returns, for each product state, the number of steps within which the opponent can
// force runs into a product state from which no run satisfies the property; cannotForce if it cannot.
// The supervisor delays this as long as it can. Cost O(S + T).
func (g *game) stepsToForcedLoss(ctx context.Context, possible func(lts.State) bool) []uint32 {
	abort.On(g.m.FindPredecessors(ctx))
	n := g.m.NumStates()
	steps := abort.Must(resources.Make[uint32](ctx, n))
	// free[s] is the number of transitions from s, all of them controllable, that do not lead to a loss
	// which the opponent can force.
	free := abort.Must(resources.Make[uint32](ctx, n))
	var level, next []lts.State
	for s := range lts.State(n) {
		_, targets := g.m.Out(s)
		free[s] = uint32(len(targets))
		steps[s] = cannotForce
		if !possible(s) {
			steps[s] = 0
			level = append(level, s)
		}
	}
	for distance := uint32(1); len(level) > 0; distance++ {
		for i, to := range level {
			abort.IfDone(ctx, i)
			labels, sources := g.m.Predecessors().In(to)
			for k, from := range sources {
				if steps[from] != cannotForce {
					continue
				}
				if g.isForced(from) {
					if !g.forced[labels.At(k)] {
						continue
					}
				} else {
					free[from]--
					if free[from] > 0 {
						continue
					}
				}
				steps[from] = distance
				next = append(next, from)
			}
		}
		level, next = next, level[:0]
	}
	return steps
}

// pathToObstacle returns a product state where the supervisor lacks an ability, with a path to it
// from the initial product state. Along the path, the supervisor cannot prevent runs from staying
// in product states that are not won. pathToObstacle returns the nearest product state where
// [game.isObstacle] holds. If there is none, it returns the nearest one where an uncontrollable
// transition, or a label with several targets, leaves the supervisor no choice.
func (g *game) pathToObstacle(
	ctx context.Context,
	possible func(lts.State) bool,
) ([]lts.Transition, lts.State) {
	found := lts.State(0)
	hasFound := false
	leavesNoChoice := func(s lts.State) bool {
		return g.isForced(s) || g.byLabel && len(g.branches(s)) > 0
	}
	tree := abort.Must(bfs.From(ctx, g.m, []lts.State{0}, bfs.Options{
		// The path takes only transitions that the supervisor cannot prevent: uncontrollable ones,
		// and transitions from states where all transitions are controllable, but none leads to a
		// product state that is won.
		Along: func(t lts.Transition) bool {
			return !g.wins(t.To) && (g.forced[t.Label] || !g.isForced(t.From))
		},
		Until: func(s lts.State) bool {
			isObstacle := g.isObstacle(s, possible)
			if isObstacle || !hasFound && leavesNoChoice(s) {
				found = s
				hasFound = true
			}
			return isObstacle
		},
	}))
	return tree.Path(found), found
}

// toBlame returns the transition that is to blame in a product state that is an obstacle. This is
// the first uncontrollable transition to a product state where the supervisor does not win; of several,
// one from which the opponent can force a loss soonest, by the numbers of [game.stepsToForcedLoss]. If all transitions are controllable, it is the first one that can be forbidden only
// together with a good transition; of these, one to a product state without a run that satisfies
// the property is preferred.
func (g *game) toBlame(
	s lts.State,
	possible func(lts.State) bool,
	forcedSteps []uint32,
) lts.Transition {
	var worst lts.Transition
	mostBlame := 0
	isForced := g.isForced(s)
	good := g.couldWin(s, possible)
	several := g.branches(s)
	// Greater numbers mean more blame.
	const (
		togetherWithGood = iota + 1
		togetherWithGoodAndHopeless
		uncontrollable
	)
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if g.wins(to) {
			continue
		}
		l := labels.At(i)
		needsGood := !isForced && good[l] && several[l]
		blame := 0
		switch {
		case g.forced[l]:
			blame = uncontrollable
		case needsGood && !possible(to):
			blame = togetherWithGoodAndHopeless
		case needsGood:
			blame = togetherWithGood
		}
		isSooner := blame == uncontrollable && mostBlame == uncontrollable &&
			forcedSteps[to] < forcedSteps[worst.To]
		if blame > mostBlame || isSooner {
			mostBlame = blame
			worst = lts.Transition{From: s, Label: l, To: to}
		}
	}
	return worst
}

// isObstacle reports whether the opponent prevents the supervisor from winning in a product state that
// is not won. possible reports the product states from which some run satisfies the property.
func (g *game) isObstacle(s lts.State, possible func(lts.State) bool) bool {
	if !possible(s) {
		return false
	}
	labels, targets := g.m.Out(s)
	couldWin := g.couldWin(s, possible)
	for i, to := range targets {
		if g.wins(to) {
			return true
		}
		l := labels.At(i)
		needsGood := g.byLabel && !g.isForced(s) && couldWin[l]
		canBeForbidden := !g.forced[l] && !needsGood
		if !possible(to) && !canBeForbidden {
			return true
		}
	}
	return false
}

// couldWin returns the labels of transitions to product states where the supervisor wins. If
// transitions with one label are forbidden together, it is enough that some run from the product
// state satisfies the property.
func (g *game) couldWin(s lts.State, possible func(lts.State) bool) map[lts.Label]bool {
	could := map[lts.Label]bool{}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if g.wins(to) || g.byLabel && possible(to) {
			could[labels.At(i)] = true
		}
	}
	return could
}

// branches returns the labels whose transitions lead from a product state to several product
// states.
func (g *game) branches(s lts.State) map[lts.Label]bool {
	first := map[lts.Label]lts.State{}
	several := map[lts.Label]bool{}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if before, known := first[labels.At(i)]; known && before != to {
			several[labels.At(i)] = true
		}
		first[labels.At(i)] = to
	}
	return several
}
