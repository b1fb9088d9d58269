package oracle

import (
	"slices"

	"github.com/inev-lts/inev/lts"
)

// Alignments finds the alignments of a log with all runs of a small model by
// their definition: for each log position, model state and automaton state it
// computes the fewest deviations from the start, and the fewest to the end, by
// iterating until nothing changes.
type Alignments struct {
	m         *lts.LTS
	a         Automaton
	log       []string
	free      func(lts.Transition) bool
	begins    bool
	from, to  map[Spot]int
	Cost      int // the cost of the best alignments
	spots     []Spot
	certainty func(lts.State, int) (accept, reject bool)
}

// Spot is a position in a log, a state of the model and a state of the automaton.
type Spot struct {
	Position int
	State    lts.State
	Q        int
}

// NewAlignments returns the oracle. The log may lack transitions that the
// function free selects; if begins is set, it lacks the transitions of the
// initial state. Cost cubic in the number of spots.
func NewAlignments(
	m *lts.LTS,
	a Automaton,
	log []string,
	free func(lts.Transition) bool,
	begins bool,
) *Alignments {
	x := &Alignments{
		m:      m,
		a:      a,
		log:    log,
		free:   free,
		begins: begins,
		from:   map[Spot]int{},
		to:     map[Spot]int{},
	}
	for i := range len(log) + 1 {
		for s := range lts.State(m.NumStates()) {
			for q := range a.States {
				x.spots = append(x.spots, Spot{i, s, q})
			}
		}
	}
	start := Spot{0, m.Initial(), a.Initial}
	x.from[start] = 0
	for changed := true; changed; {
		changed = false
		for _, p := range x.spots {
			if d, reached := x.from[p]; reached {
				x.moves(p, func(next Spot, cost int) {
					if old, known := x.from[next]; !known || d+cost < old {
						x.from[next], changed = d+cost, true
					}
				})
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range slices.Backward(x.spots) {
			best, known := x.to[p]
			if p.Position == len(log) && !known {
				x.to[p], best, known, changed = 0, 0, true, true
			}
			x.moves(p, func(next Spot, cost int) {
				if d, ends := x.to[next]; ends && (!known || d+cost < best) {
					best, known, changed = d+cost, true, true
					x.to[p] = best
				}
			})
		}
	}
	x.Cost = x.to[start]
	g := NewGeneral(m, a)
	x.certainty = g.Can
	return x
}

// moves calls do for each next spot and the cost of the move.
func (x *Alignments) moves(p Spot, do func(next Spot, cost int)) {
	if p.Position < len(x.log) {
		do(Spot{p.Position + 1, p.State, p.Q}, 1)
	}
	labels, targets := x.m.Out(p.State)
	for k, to := range targets {
		l := labels.At(k)
		q := x.a.Next(p.Q, l)
		cost := 1
		if x.free(lts.Transition{From: p.State, Label: l, To: to}) {
			cost = 0
		}
		do(Spot{p.Position, to, q}, cost)
		if !(x.begins && p.State == x.m.Initial()) && p.Position < len(x.log) &&
			x.m.Alphabet().Text(l) == x.log[p.Position] {
			do(Spot{p.Position + 1, to, q}, 0)
		}
	}
}

// Best returns the spots of a position that are on an alignment with the fewest
// deviations.
func (x *Alignments) Best(position int) []Spot {
	var all []Spot
	for _, p := range x.spots {
		before, reached := x.from[p]
		if after, ends := x.to[p]; p.Position == position && reached && ends &&
			before+after == x.Cost {
			all = append(all, p)
		}
	}
	return all
}

// Ends returns the states in which such an alignment can end, ascending.
func (x *Alignments) Ends() []lts.State {
	var all []lts.State
	for _, p := range x.Best(len(x.log)) {
		all = append(all, p.State)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Fate returns "sure", "lost" or "open", and the first event from which on this is so at all spots
// of [Alignments.Best]; -1 for "open".
func (x *Alignments) Fate() (string, int) {
	fate := x.fateOf(len(x.log))
	if fate == "open" {
		return fate, -1
	}
	since := len(x.log)
	for since > 0 && x.fateOf(since-1) == fate {
		since--
	}
	return fate, since
}

func (x *Alignments) fateOf(position int) string {
	fates := map[string]bool{}
	for _, p := range x.Best(position) {
		if x.begins && p.State == x.m.Initial() {
			continue // runs begin behind the initial state
		}
		accept, reject := x.certainty(p.State, p.Q)
		switch {
		case accept && reject:
			fates["open"] = true
		case accept:
			fates["sure"] = true
		default:
			fates["lost"] = true
		}
	}
	if len(fates) == 1 {
		for fate := range fates {
			return fate
		}
	}
	return "open"
}

// Possible returns the labels that can be logged next in a state, ascending.
func (x *Alignments) Possible(s lts.State) []string {
	reached := map[lts.State]bool{s: true}
	labels := map[string]bool{}
	for range x.m.NumStates() {
		for at := range reached {
			ls, targets := x.m.Out(at)
			for k, to := range targets {
				if x.free(lts.Transition{From: at, Label: ls.At(k), To: to}) {
					reached[to] = true
				} else {
					labels[x.m.Alphabet().Text(ls.At(k))] = true
				}
			}
		}
	}
	var all []string
	for text := range labels {
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}
