package repair

import (
	"context"

	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
)

// ObstacleKind says what stands in the way of a repair; 0, of which the name is empty, is
// none.
type ObstacleKind uint8

// The kinds of obstacles.
const (
	NoCorrectRun   ObstacleKind = iota + 1 // no run of the model satisfies the property
	Uncontrollable                         // a transition that cannot be forbidden can always be taken
	Nondeterminism                         // the label that would help also leads elsewhere
)

var obstacleNames = enumeration.New("kind of obstacle", "", "no correct run", "uncontrollable", "nondeterminism")

func (k ObstacleKind) String() string { return obstacleNames.Name(uint8(k)) }

// MarshalText returns the name of the kind.
func (k ObstacleKind) MarshalText() ([]byte, error) { return obstacleNames.Text(uint8(k)) }

// UnmarshalText sets the kind by its name.
func (k *ObstacleKind) UnmarshalText(text []byte) error {
	return enumeration.Set(obstacleNames, k, text)
}

// obstacle finds what to show where the supervisor does not win from the initial place.
// From there it cannot leave the places that others can lead it to: where they choose,
// those outside W that they choose, elsewhere all. Of these the nearest is shown from
// which others lead to where all is lost, or the supervisor could win were it not for
// them.
func (g *game) obstacle(ctx context.Context, where func() ([]uint32, error)) (*Obstacle, error) {
	possible, err := where()
	if err != nil {
		return nil, err
	}
	if possible[0] == 0 {
		return &Obstacle{Kind: NoCorrectRun, Place: g.unfolding.Place(0)}, nil
	}
	found, any := lts.State(0), lts.State(0)
	is, has := false, false
	tree, err := bfs.From(ctx, g.m, []lts.State{0}, bfs.Options{
		Along: func(t lts.Transition) bool { return g.chosenByOthers(t) },
		Until: func(s lts.State) bool {
			if is = g.stops(s, possible); is {
				found = s
			} else if !has && (g.isForced(s) || g.byLabel && len(g.branches(s)) > 0) {
				any, has = s, true
			}
			return is
		},
	})
	if err != nil {
		return nil, err
	}
	if !is {
		found = any
	}
	o := &Obstacle{Kind: Uncontrollable, Place: g.unfolding.Place(found)}
	for _, t := range tree.Path(found) {
		o.Path = append(o.Path, g.folded(t))
	}
	if !g.isForced(found) {
		o.Kind = Nondeterminism
	}
	o.Transition = g.folded(g.worst(found, possible))
	return o, nil
}

// isForced reports whether some uncontrollable transition leaves a place.
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

// chosenByOthers reports whether a transition between places that are not won cannot be
// kept from being taken: it is uncontrollable, or there is nothing better.
func (g *game) chosenByOthers(t lts.Transition) bool {
	return !g.wins(t.To) && (g.forced[t.Label] || !g.isForced(t.From))
}

// stops reports whether at a place that is not won it is others who prevent it.
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

// couldWin returns the labels by which a place leads to where the supervisor wins or, if all
// transitions with a label go together, could win if they did not.
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

// branches returns the labels that lead from a place to several others.
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

// worst returns the transition that is to blame at a place: the first that cannot be
// forbidden and leads to where all is lost, or where the supervisor does not win; where
// all can be forbidden, the first that a good one cannot be had without.
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

// folded returns the transition of the model that one of the unfolded model stands for.
func (g *game) folded(t lts.Transition) lts.Transition {
	return lts.Transition{From: g.unfolding.Place(t.From).State, Label: t.Label, To: g.unfolding.Place(t.To).State}
}
