package oracle

import (
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
	m   *lts.LTS
	a   Automaton
	out map[pair][]pairEdge
	// accepts and rejects hold the pairs from which some maximal run is accepted or
	// is not.
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
		m:       m,
		a:       a,
		out:     map[pair][]pairEdge{},
		accepts: map[pair]bool{},
		rejects: map[pair]bool{},
	}
	g.explore(pair{m.Initial(), a.Initial})
	g.judge()
	return g
}

// judge finds the pairs from which some maximal run is accepted, and the pairs from which some
// maximal run is not.
func (g *General) judge() {
	for p := range g.out {
		if g.m.IsDeadlock(p.state) {
			g.side(g.a.Stops(p.q))[p] = true
		}
	}
	for set := range 1 << g.a.Colours {
		colours := map[int]bool{}
		for c := range g.a.Colours {
			if set>>c&1 != 0 {
				colours[c] = true
			}
		}
		for p := range g.onCycleOfJust(colours) {
			g.side(g.a.Accepts(colours))[p] = true
		}
	}
	g.backwards(g.accepts)
	g.backwards(g.rejects)
}

func (g *General) side(accepted bool) map[pair]bool {
	if accepted {
		return g.accepts
	}
	return g.rejects
}

func (g *General) explore(p pair) {
	if _, known := g.out[p]; known {
		return
	}
	g.out[p] = nil
	labels, targets := g.m.Out(p.state)
	for i, to := range targets {
		next := pair{to, g.a.Next(p.q, labels.At(i))}
		edge := pairEdge{
			lts.Transition{From: p.state, Label: labels.At(i), To: to},
			next,
			g.a.Marks(p.q, labels.At(i)),
		}
		g.out[p] = append(g.out[p], edge)
		g.explore(next)
	}
}

// reach returns the pairs that p reaches by one or more transitions whose colours
// all belong to this set.
func (g *General) reach(p pair, colours map[int]bool) map[pair]bool {
	reached := map[pair]bool{}
	open := []pair{p}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		for _, e := range g.out[at] {
			if within(e.marks, colours) && !reached[e.to] {
				reached[e.to] = true
				open = append(open, e.to)
			}
		}
	}
	return reached
}

func within(marks, colours map[int]bool) bool {
	for c := range marks {
		if !colours[c] {
			return false
		}
	}
	return true
}

// onCycleOfJust returns the pairs to which a run can return forever and meet
// exactly these colours, each of them.
func (g *General) onCycleOfJust(colours map[int]bool) map[pair]bool {
	reach := map[pair]map[pair]bool{}
	for p := range g.out {
		reach[p] = g.reach(p, colours)
	}
	on := map[pair]bool{}
	for p := range g.out {
		if !reach[p][p] {
			continue
		}
		visited := map[int]bool{}
		for q := range g.out {
			for _, e := range g.out[q] {
				if (q == p || reach[p][q]) && (e.to == p || reach[e.to][p]) &&
					within(e.marks, colours) {
					for c := range e.marks {
						visited[c] = true
					}
				}
			}
		}
		if len(visited) == len(colours) {
			on[p] = true
		}
	}
	return on
}

// backwards adds to a set of pairs all that reach one of them.
func (g *General) backwards(set map[pair]bool) {
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
	accept, reject := false, false
	for _, edges := range g.out {
		for _, e := range edges {
			if e.t == t {
				accept, reject = accept || g.accepts[e.to], reject || g.rejects[e.to]
			}
		}
	}
	switch {
	case !reject:
		return Correct
	case !accept:
		return Incorrect
	}
	return Neutral
}

// lost returns a function that reports whether a state of the automaton accepts
// no word of labels that happen.
func (g *General) lost() func(q int) bool {
	// The model has a state with every word, and one for words that end.
	var b lts.Builder
	b.Over(g.m.Alphabet())
	for _, l := range g.happening() {
		b.Add(0, l, 0)
		b.Add(0, l, 1)
	}
	every, err := b.Build(0, 2)
	if err != nil {
		panic(err) // the numbers are in range
	}
	words := NewGeneral(every, g.a)
	return func(q int) bool {
		open, _ := words.Can(0, q)
		ends, _ := words.Can(1, q)
		return !open && !ends && (q != g.a.Initial || !g.a.Stops(q))
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
	lost := g.lost()
	best, found := 0, false
	for p, d := range g.distances(pair{g.m.Initial(), g.a.Initial}) {
		if lost(p.q) && (!found || d < best) {
			best, found = d, true
		}
	}
	return best, found
}

// FewestViolation returns the least number of faults in a violation, if that is no more than most
// allows, and the length of a shortest violation with this number of faults: a bad prefix, a run
// into a deadlock, or a lasso as for [General.ShortestViolation]; false if there is none.
func (g *General) FewestViolation(
	isFault func(lts.Label) bool,
	most int,
) (faults, length int, found bool) {
	type searchNode struct {
		pair
		faults int
	}
	lost := g.lost()
	if lost(g.a.Initial) {
		lost = func(int) bool { return false }
	}
	none := func(l lts.Label) bool { return !isFault(l) }
	for faults = range most + 1 {
		start := searchNode{pair{g.m.Initial(), g.a.Initial}, 0}
		distance, open := map[searchNode]int{start: 0}, []searchNode{start}
		take := func(d int) {
			if !found || d < length {
				length, found = d, true
			}
		}
		for ; len(open) > 0; open = open[1:] {
			at := open[0]
			d := distance[at]
			if lost(at.q) || g.m.IsDeadlock(at.state) && !g.a.Stops(at.q) {
				take(d)
				continue
			}
			if round, has := g.shortestRound(at.pair, none); has {
				take(d + round)
			}
			for _, e := range g.out[at.pair] {
				next := searchNode{e.to, at.faults}
				if isFault(e.t.Label) {
					next.faults++
				}
				if _, met := distance[next]; !met && next.faults <= faults {
					distance[next] = d + 1
					open = append(open, next)
				}
			}
		}
		if found {
			return faults, length, true
		}
	}
	return 0, 0, false
}

// ShortestViolation returns the length of a shortest rejected run that ends in a
// deadlock, or is a lasso whose loop begins and ends in the same automaton state;
// false if there is none. It searches pairs with sets of colours met.
func (g *General) ShortestViolation() (int, bool) {
	distance := g.distances(pair{g.m.Initial(), g.a.Initial})
	best, found := 0, false
	take := func(length int) {
		if !found || length < best {
			best, found = length, true
		}
	}
	for p, d := range distance {
		if g.m.IsDeadlock(p.state) {
			if !g.a.Stops(p.q) {
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
// a pair whose repetition is rejected. All labels are allowed if allowed is nil.
func (g *General) shortestRound(from pair, allowed func(lts.Label) bool) (int, bool) {
	type searchNode struct {
		at  pair
		met int
	}
	distance := map[searchNode]int{{from, 0}: 0}
	open := []searchNode{{from, 0}}
	for len(open) > 0 {
		here := open[0]
		open = open[1:]
		for _, e := range g.out[here.at] {
			if allowed != nil && !allowed(e.t.Label) {
				continue
			}
			next := searchNode{e.to, here.met}
			visited := map[int]bool{}
			for c := range g.a.Colours {
				if e.marks[c] {
					next.met |= 1 << c
				}
				if next.met>>c&1 != 0 {
					visited[c] = true
				}
			}
			if e.to == from && !g.a.Accepts(visited) {
				return distance[here] + 1, true
			}
			if _, known := distance[next]; !known {
				distance[next] = distance[here] + 1
				open = append(open, next)
			}
		}
	}
	return 0, false
}
