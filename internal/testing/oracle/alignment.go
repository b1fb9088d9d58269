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
	model                    *lts.LTS
	automaton                Automaton
	log                      []string
	isUnlogged               func(lts.Transition) bool
	startIsUnlogged          bool
	costFromStart, costToEnd map[Spot]int
	Cost                     int // the cost of the best alignments
	spots                    []Spot
	canBe                    func(lts.State, int) (accept, reject bool)
}

// Spot is a position in a log, a state of the model and a state of the automaton.
type Spot struct {
	Position int
	State    lts.State
	Q        int
}

// NewAlignments returns the oracle. The log may lack transitions that isUnlogged
// selects; if startIsUnlogged is set, it lacks the transitions of the
// initial state. Cost cubic in the number of spots.
func NewAlignments(
	m *lts.LTS,
	a Automaton,
	log []string,
	isUnlogged func(lts.Transition) bool,
	startIsUnlogged bool,
) *Alignments {
	x := &Alignments{
		model:           m,
		automaton:       a,
		log:             log,
		isUnlogged:      isUnlogged,
		startIsUnlogged: startIsUnlogged,
		costFromStart:   map[Spot]int{},
		costToEnd:       map[Spot]int{},
	}
	for i := range len(log) + 1 {
		for s := range lts.State(m.NumStates()) {
			for q := range a.States {
				x.spots = append(x.spots, Spot{i, s, q})
			}
		}
	}
	start := Spot{0, m.Initial(), a.Initial}
	x.findCostsFrom(start)
	x.findCostsToEnd()
	x.Cost = x.costToEnd[start]
	x.canBe = NewGeneral(m, a).Can
	return x
}

// findCostsFrom finds the fewest deviations from the start to each spot.
func (x *Alignments) findCostsFrom(start Spot) {
	x.costFromStart[start] = 0
	for changed := true; changed; {
		changed = false
		for _, p := range x.spots {
			before, isReached := x.costFromStart[p]
			if !isReached {
				continue
			}
			x.moves(p, func(next Spot, cost int) {
				known, isKnown := x.costFromStart[next]
				if !isKnown || before+cost < known {
					x.costFromStart[next] = before + cost
					changed = true
				}
			})
		}
	}
}

// findCostsToEnd finds the fewest deviations from each spot to the end of the log.
func (x *Alignments) findCostsToEnd() {
	for _, p := range x.spots {
		if p.Position == len(x.log) {
			x.costToEnd[p] = 0
		}
	}
	for changed := true; changed; {
		changed = false
		for _, p := range slices.Backward(x.spots) {
			x.moves(p, func(next Spot, cost int) {
				after, reachesEnd := x.costToEnd[next]
				if !reachesEnd {
					return
				}
				known, isKnown := x.costToEnd[p]
				if !isKnown || after+cost < known {
					x.costToEnd[p] = after + cost
					changed = true
				}
			})
		}
	}
}

// moves calls do for each next spot and the cost of the move: an event of the log alone, a transition
// alone, or a transition that is the next event.
func (x *Alignments) moves(p Spot, do func(next Spot, cost int)) {
	isInLog := p.Position < len(x.log)
	if isInLog {
		do(Spot{p.Position + 1, p.State, p.Q}, 1)
	}
	isStart := x.startIsUnlogged && p.State == x.model.Initial()
	labels, targets := x.model.Out(p.State)
	for k, to := range targets {
		l := labels.At(k)
		q := x.automaton.Next(p.Q, l)
		cost := 1
		if x.isUnlogged(lts.Transition{From: p.State, Label: l, To: to}) {
			cost = 0
		}
		do(Spot{p.Position, to, q}, cost)
		if isInLog && !isStart && x.model.Alphabet().Text(l) == x.log[p.Position] {
			do(Spot{p.Position + 1, to, q}, 0)
		}
	}
}

// Best returns the spots of a position that are on an alignment with the fewest
// deviations.
func (x *Alignments) Best(position int) []Spot {
	var best []Spot
	for _, p := range x.spots {
		before, isReached := x.costFromStart[p]
		after, reachesEnd := x.costToEnd[p]
		isOptimal := isReached && reachesEnd && before+after == x.Cost
		if p.Position == position && isOptimal {
			best = append(best, p)
		}
	}
	return best
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

// Fate returns "sure", "lost" or "open", and the first event from which on this fate holds at all
// spots of [Alignments.Best]; -1 for "open".
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

// fateOf returns the fate at a position of the log: "sure" or "lost" if it is so at all spots that the best
// alignments reach there, "open" otherwise.
func (x *Alignments) fateOf(position int) string {
	fates := map[string]bool{}
	for _, p := range x.Best(position) {
		if x.startIsUnlogged && p.State == x.model.Initial() {
			continue // runs begin after the initial state
		}
		accept, reject := x.canBe(p.State, p.Q)
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
	for range x.model.NumStates() {
		for at := range reached {
			ls, targets := x.model.Out(at)
			for k, to := range targets {
				if x.isUnlogged(lts.Transition{From: at, Label: ls.At(k), To: to}) {
					reached[to] = true
				} else {
					labels[x.model.Alphabet().Text(ls.At(k))] = true
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
