package oracle

import (
	"maps"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// Automaton is a deterministic property in the plainest form: functions.
type Automaton struct {
	States, Colours, Initial int
	Next                     func(q int, l lts.Label) int
	// Marks returns the colours of the transition labelled l from q.
	Marks func(q int, l lts.Label) map[int]bool
	// Accepts reports whether a run that meets exactly these colours infinitely often is accepted;
	// Stops reports whether a run that ends in q is accepted.
	Accepts func(colours map[int]bool) bool
	Stops   func(q int) bool
}

// pair is a state of the model with one of an automaton.
type pair struct {
	state lts.State
	q     int
}

// General answers questions about a model and an automaton. It tries every set of
// colours that a run could meet infinitely often: a cycle of exactly these exists
// if pairs reach each other without other colours.
type General struct {
	model     *lts.LTS
	automaton Automaton
	out       map[pair][]pairEdge
	// accepts has the pairs from which some maximal run is accepted, and rejects those from which
	// some maximal run is not.
	accepts, rejects map[pair]bool
}

type pairEdge struct {
	t     lts.Transition
	to    pair
	marks map[int]bool
}

// NewGeneral returns the oracle. Cost exponential in the number of colours, and
// cubic in that of pairs.
func NewGeneral(m *lts.LTS, a Automaton) *General {
	g := &General{
		model:     m,
		automaton: a,
		out:       map[pair][]pairEdge{},
		accepts:   map[pair]bool{},
		rejects:   map[pair]bool{},
	}
	g.explore(pair{m.Initial(), a.Initial})
	g.decide()
	return g
}

// decide finds the pairs from which some maximal run is accepted, and the pairs from which some
// maximal run is not.
func (g *General) decide() {
	for p := range g.out {
		if g.model.IsDeadlock(p.state) {
			g.pairsWhere(g.automaton.Stops(p.q))[p] = true
		}
	}
	for bits := range 1 << g.automaton.Colours {
		colours := g.colourSet(bits)
		for p := range g.onCycleOfExactly(colours) {
			g.pairsWhere(g.automaton.Accepts(colours))[p] = true
		}
	}
	g.addPredecessors(g.accepts)
	g.addPredecessors(g.rejects)
}

// colourSet returns the set of the colours whose bits are set.
func (g *General) colourSet(bits int) map[int]bool {
	colours := map[int]bool{}
	for c := range g.automaton.Colours {
		if has(bits, c) {
			colours[c] = true
		}
	}
	return colours
}

// pairsWhere returns the pairs from which some run is accepted if accepted is set, and otherwise
// those from which some run is rejected.
func (g *General) pairsWhere(accepted bool) map[pair]bool {
	if accepted {
		return g.accepts
	}
	return g.rejects
}

// explore adds to g.out the pairs that runs reach from p, with their transitions.
func (g *General) explore(p pair) {
	if _, known := g.out[p]; known {
		return
	}
	g.out[p] = nil
	labels, targets := g.model.Out(p.state)
	for i, to := range targets {
		next := pair{to, g.automaton.Next(p.q, labels.At(i))}
		edge := pairEdge{
			lts.Transition{From: p.state, Label: labels.At(i), To: to},
			next,
			g.automaton.Marks(p.q, labels.At(i)),
		}
		g.out[p] = append(g.out[p], edge)
		g.explore(next)
	}
}

// reachedWithin returns the pairs that p reaches by one or more transitions whose colours
// all belong to this set.
func (g *General) reachedWithin(p pair, colours map[int]bool) map[pair]bool {
	reached := map[pair]bool{}
	open := []pair{p}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		for _, e := range g.out[at] {
			if areWithin(e.marks, colours) && !reached[e.to] {
				reached[e.to] = true
				open = append(open, e.to)
			}
		}
	}
	return reached
}

func areWithin(marks, colours map[int]bool) bool {
	for c := range marks {
		if !colours[c] {
			return false
		}
	}
	return true
}

// onCycleOfExactly returns the pairs to which a run can return forever and meet
// exactly these colours, each of them.
func (g *General) onCycleOfExactly(colours map[int]bool) map[pair]bool {
	reached := map[pair]map[pair]bool{}
	for p := range g.out {
		reached[p] = g.reachedWithin(p, colours)
	}
	on := map[pair]bool{}
	for p := range g.out {
		if reached[p][p] && len(g.metOnCycles(p, colours, reached)) == len(colours) {
			on[p] = true
		}
	}
	return on
}

// metOnCycles returns the colours of all transitions on cycles through p that meet only the given
// colours. reached has, for each pair, the pairs that it reaches on paths that meet only these.
func (g *General) metOnCycles(
	p pair,
	colours map[int]bool,
	reached map[pair]map[pair]bool,
) map[int]bool {
	met := map[int]bool{}
	for from, edges := range g.out {
		isBehindP := from == p || reached[p][from]
		if !isBehindP {
			continue
		}
		for _, e := range edges {
			leadsToP := e.to == p || reached[e.to][p]
			if leadsToP && areWithin(e.marks, colours) {
				maps.Copy(met, e.marks)
			}
		}
	}
	return met
}

// addPredecessors adds to a set of pairs all that reach one of them.
func (g *General) addPredecessors(set map[pair]bool) {
	for changed := true; changed; {
		changed = false
		for p, edges := range g.out {
			for _, e := range edges {
				if set[e.to] && !set[p] {
					set[p] = true
					changed = true
				}
			}
		}
	}
}

// Reached reports whether a run reaches s with the automaton in q.
func (g *General) Reached(s lts.State, q int) bool {
	_, reached := g.out[pair{s, q}]
	return reached
}

// Can reports whether some maximal run from s with the automaton in q is
// accepted, and whether some is rejected.
func (g *General) Can(s lts.State, q int) (accept, reject bool) {
	return g.accepts[pair{s, q}], g.rejects[pair{s, q}]
}

// Class returns the class of a reachable transition.
func (g *General) Class(t lts.Transition) Class {
	accepts, rejects := g.after(t)
	switch {
	case !rejects:
		return Correct
	case !accepts:
		return Incorrect
	}
	return Neutral
}

// after reports whether some run after a transition, with any state of the automaton that runs reach
// before it, is accepted, and whether some is rejected.
func (g *General) after(t lts.Transition) (accepts, rejects bool) {
	for _, edges := range g.out {
		for _, e := range edges {
			if e.t == t {
				accepts = accepts || g.accepts[e.to]
				rejects = rejects || g.rejects[e.to]
			}
		}
	}
	return accepts, rejects
}

// deadStates returns a function that reports whether a state of the automaton accepts
// no word of labels that happen.
func (g *General) deadStates() func(q int) bool {
	// In state 0 of this model every label can happen forever, and lead to state 1, where words end.
	var b lts.Builder
	b.Over(g.model.Alphabet())
	for _, l := range g.happening() {
		b.Add(0, l, 0)
		b.Add(0, l, 1)
	}
	every, err := b.Build(0, 2)
	if err != nil {
		panic(err) // the numbers are in range
	}
	words := NewGeneral(every, g.automaton)
	return func(q int) bool {
		acceptsLonger, _ := words.Can(0, q)
		acceptsEnded, _ := words.Can(1, q)
		acceptsEmpty := q == g.automaton.Initial && g.automaton.Stops(q)
		return !acceptsLonger && !acceptsEnded && !acceptsEmpty
	}
}

// happening returns the labels of transitions that are reached.
func (g *General) happening() (all []lts.Label) {
	for _, edges := range g.out {
		for _, e := range edges {
			if !slices.Contains(all, e.t.Label) {
				all = append(all, e.t.Label)
			}
		}
	}
	return all
}

// SoonestViolation returns the least number of transitions after which the
// property is violated whatever follows, in this model or another; false if that
// never happens.
func (g *General) SoonestViolation() (int, bool) {
	lost := g.deadStates()
	best := 0
	found := false
	for p, d := range g.distances(pair{g.model.Initial(), g.automaton.Initial}) {
		if lost(p.q) && (!found || d < best) {
			best = d
			found = true
		}
	}
	return best, found
}

// FewestViolation returns the least number of faults in a violation, and the length of a shortest
// violation with this number of faults. A violation is a bad prefix, a run into a deadlock, or a
// lasso as for [General.ShortestViolation]. found is false if there is none with at most most
// faults.
func (g *General) FewestViolation(
	isFault func(lts.Label) bool,
	most int,
) (faults, length int, found bool) {
	for faults = range most + 1 {
		length, found = g.shortestWithFaults(isFault, faults)
		if found {
			return faults, length, true
		}
	}
	return 0, 0, false
}

// shortestWithFaults returns the length of a shortest violation with at most this number of faults;
// false if there is none. The loop of a lasso has no faults.
func (g *General) shortestWithFaults(isFault func(lts.Label) bool, most int) (length int, found bool) {
	type searchNode struct {
		pair
		faults int
	}
	isDead := g.deadStates()
	if isDead(g.automaton.Initial) { // no prefix is needed to lose the property
		isDead = func(int) bool { return false }
	}
	isNoFault := func(l lts.Label) bool { return !isFault(l) }
	consider := func(l int) {
		if !found || l < length {
			length = l
			found = true
		}
	}
	start := searchNode{pair{g.model.Initial(), g.automaton.Initial}, 0}
	distance := map[searchNode]int{start: 0}
	for open := []searchNode{start}; len(open) > 0; open = open[1:] {
		here := open[0]
		endsRejected := g.model.IsDeadlock(here.state) && !g.automaton.Stops(here.q)
		if isDead(here.q) || endsRejected {
			consider(distance[here])
			continue
		}
		if round, hasRound := g.shortestRound(here.pair, isNoFault); hasRound {
			consider(distance[here] + round)
		}
		for _, e := range g.out[here.pair] {
			next := searchNode{e.to, here.faults}
			if isFault(e.t.Label) {
				next.faults++
			}
			if _, met := distance[next]; !met && next.faults <= most {
				distance[next] = distance[here] + 1
				open = append(open, next)
			}
		}
	}
	return length, found
}

// ShortestViolation returns the length of a shortest rejected run that ends in a
// deadlock, or is a lasso whose loop begins and ends in the same automaton state;
// false if there is none. It searches pairs with sets of colours met.
func (g *General) ShortestViolation() (int, bool) {
	distance := g.distances(pair{g.model.Initial(), g.automaton.Initial})
	best := 0
	found := false
	take := func(length int) {
		if !found || length < best {
			best = length
			found = true
		}
	}
	for p, d := range distance {
		if g.model.IsDeadlock(p.state) {
			if !g.automaton.Stops(p.q) {
				take(d)
			}
			continue
		}
		if round, has := g.shortestRound(p, nil); has {
			take(d + round)
		}
	}
	return best, found
}

// distances returns the lengths of shortest paths from a pair to those that it reaches.
func (g *General) distances(from pair) map[pair]int {
	distance := map[pair]int{from: 0}
	open := []pair{from}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		for _, e := range g.out[at] {
			if _, met := distance[e.to]; !met {
				distance[e.to] = distance[at] + 1
				open = append(open, e.to)
			}
		}
	}
	return distance
}

// shortestRound returns the length of a shortest cycle of allowed labels through
// a pair such that runs that repeat the cycle forever are rejected. All labels are allowed if isAllowed is nil.
func (g *General) shortestRound(from pair, isAllowed func(lts.Label) bool) (int, bool) {
	type searchNode struct {
		at      pair
		colours int // met since the start, as bits
	}
	start := searchNode{from, 0}
	distance := map[searchNode]int{start: 0}
	for open := []searchNode{start}; len(open) > 0; open = open[1:] {
		here := open[0]
		for _, e := range g.out[here.at] {
			if isAllowed != nil && !isAllowed(e.t.Label) {
				continue
			}
			next := searchNode{e.to, here.colours | colourBits(e.marks)}
			if e.to == from && !g.automaton.Accepts(g.colourSet(next.colours)) {
				return distance[here] + 1, true
			}
			if _, met := distance[next]; !met {
				distance[next] = distance[here] + 1
				open = append(open, next)
			}
		}
	}
	return 0, false
}
