package repair

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
)

// ObstacleKind is why there is no supervisor.
type ObstacleKind string

const (
	NoCorrectRun   ObstacleKind = "no correct run" // no run of the model satisfies the property
	Uncontrollable ObstacleKind = "uncontrollable" // a transition that cannot be forbidden can always be taken
	Nondeterminism ObstacleKind = "nondeterminism" // the label that would help also leads elsewhere
)

// obstacle finds why the supervisor does not win from the initial product state. From there the
// supervisor cannot keep runs from going on through product states that are not won. Of these,
// obstacle returns the nearest where [game.stops] holds or, if there is none, the nearest where an
// uncontrollable transition, or a label with several targets, leaves the supervisor no choice.
func (g *game) obstacle(ctx context.Context, possible []uint32) *Obstacle {
	if possible[0] == 0 {
		return &Obstacle{Kind: NoCorrectRun, ProductState: g.unfolding.At(0)}
	}
	found, any := lts.State(0), lts.State(0)
	is, has := false, false
	tree := abort.Must(bfs.From(ctx, g.m, []lts.State{0}, bfs.Options{
		Along: func(t lts.Transition) bool { return g.chosenByOthers(t) },
		Until: func(s lts.State) bool {
			if is = g.stops(s, possible); is {
				found = s
			} else if !has && (g.isForced(s) || g.byLabel && len(g.branches(s)) > 0) {
				any, has = s, true
			}
			return is
		},
	}))
	if !is {
		found = any
	}
	o := &Obstacle{Kind: Uncontrollable, ProductState: g.unfolding.At(found)}
	for _, t := range tree.Path(found) {
		o.Path = append(o.Path, g.folded(t))
	}
	if !g.isForced(found) {
		o.Kind = Nondeterminism
	}
	o.Transition = g.folded(g.worst(found, possible))
	return o
}

// isForced reports whether some uncontrollable transition leaves a product state.
func (g *game) isForced(s lts.State) bool {
	labels, _ := g.m.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		if g.forced[l] {
			return true
		}
	}
	return false
}

// chosenByOthers reports whether the supervisor cannot prevent a transition to a product state that
// is not won: the transition is uncontrollable, or all transitions from its source are controllable
// and no other transition leads to a product state that is won.
func (g *game) chosenByOthers(t lts.Transition) bool {
	return !g.wins(t.To) && (g.forced[t.Label] || !g.isForced(t.From))
}

// stops reports whether the opponent prevents the supervisor from winning in a product state that
// is not won. possible is not 0 for product states from where some run satisfies the property.
func (g *game) stops(s lts.State, possible []uint32) bool {
	if possible[s] == 0 {
		return false
	}
	labels, targets := g.m.Out(s)
	may := g.couldWin(s, possible)
	for i, to := range targets {
		if g.wins(to) || possible[to] == 0 && (g.forced[labels.At(i)] || g.byLabel && !g.isForced(s) && may[labels.At(i)]) {
			return true
		}
	}
	return false
}

// couldWin returns the labels of transitions to product states where the supervisor wins or, if
// transitions with one label are forbidden together, to product states from where some run
// satisfies the property.
func (g *game) couldWin(s lts.State, possible []uint32) map[lts.Label]bool {
	could := map[lts.Label]bool{}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if g.wins(to) || g.byLabel && possible[to] > 0 {
			could[labels.At(i)] = true
		}
	}
	return could
}

// branches returns the labels of transitions that lead from a product state to several product
// states.
func (g *game) branches(s lts.State) map[lts.Label]bool {
	first, several := map[lts.Label]lts.State{}, map[lts.Label]bool{}
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if before, known := first[labels.At(i)]; known && before != to {
			several[labels.At(i)] = true
		}
		first[labels.At(i)] = to
	}
	return several
}

// worst returns the transition to blame in a product state: the first uncontrollable one to a
// product state without a run that satisfies the property or, if there is none, to one where the
// supervisor does not win; if all are controllable, the first one that can be forbidden only
// together with a good transition.
func (g *game) worst(s lts.State, possible []uint32) lts.Transition {
	var at lts.Transition
	better := 0
	labels, targets := g.m.Out(s)
	good, several := g.couldWin(s, possible), g.branches(s)
	for i, to := range targets {
		blame := 0
		switch {
		case g.wins(to):
		case g.forced[labels.At(i)] && possible[to] == 0:
			blame = 4
		case g.forced[labels.At(i)]:
			blame = 3
		case g.isForced(s) || !good[labels.At(i)] || !several[labels.At(i)]:
		case possible[to] == 0:
			blame = 2
		default:
			blame = 1
		}
		if blame > better {
			better = blame
			at = lts.Transition{From: s, Label: labels.At(i), To: to}
		}
	}
	return at
}

// folded returns the transition of the model for a transition of the unfolded model.
func (g *game) folded(t lts.Transition) lts.Transition {
	return lts.Transition{From: g.unfolding.At(t.From).State, Label: t.Label, To: g.unfolding.At(t.To).State}
}
