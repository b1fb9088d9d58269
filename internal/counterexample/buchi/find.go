package buchi

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/enumeration"
)

// Algorithm is an algorithm that finds a counterexample.
type Algorithm uint8

// The algorithms.
const (
	ByColour   Algorithm = iota // finds some counterexample, by colourDFS
	ByContrex                   // finds ever shorter counterexamples, by contrex
	ByPriority                  // finds a shortest counterexample, by priority
)

// Algorithms returns the names of all algorithms.
func Algorithms() []string { return []string{"colour", "contrex", "priority"} }

var algorithmNames = enumeration.New("algorithm", Algorithms()...)

// Set sets the algorithm by its name, one of [Algorithms].
func (a *Algorithm) Set(name string) error {
	return enumeration.Set(algorithmNames, a, []byte(name))
}

func (a Algorithm) String() string { return algorithmNames.Name(uint8(a)) }

// FindOptions control a search for a counterexample.
type FindOptions struct {
	Algorithm Algorithm
	// Bound, if positive, excludes counterexamples whose [Lasso.Length] is Bound or more: the B of
	// section 3.4 of [SPIN04]. ColourDFS has no bound.
	Bound int
	// ColourFirst makes Contrex run the colour-DFS first, as section 3.4 suggests ("color-DFS" in
	// Table 2 of [SPIN04]). The counterexample of the colour-DFS is yielded first, and bounds the
	// search of Contrex, which skips the states that the colour-DFS left black. No other algorithm
	// takes this option.
	ColourFirst bool
}

// Find returns a counterexample of g, found by the algorithm of o; nil if there is none below the
// bound. If yield is not nil, Contrex calls it with each counterexample that it finds; the other
// algorithms call it with their result. Find fails if the algorithm does, if o has an unknown
// algorithm, or if it has an option that the algorithm does not take.
func Find(
	ctx context.Context,
	g Graph,
	o FindOptions,
	yield func(Lasso, Stats) bool,
) (*Lasso, Stats, error) {
	var lasso *Lasso
	var stats Stats
	var err error
	switch {
	case o.Algorithm == ByContrex:
		return contrex(ctx, g, o, yield)
	case o.ColourFirst:
		return nil, Stats{}, fmt.Errorf("buchi: %s cannot follow a colour search", o.Algorithm)
	case o.Algorithm == ByPriority:
		lasso, stats, err = priority(ctx, g, o.Bound)
	case o.Algorithm != ByColour:
		return nil, Stats{}, fmt.Errorf("buchi: there is no %s", o.Algorithm)
	case o.Bound > 0:
		return nil, Stats{}, fmt.Errorf("buchi: ColourDFS takes no bound")
	default:
		lasso, stats, err = colourDFS(ctx, g)
	}
	if lasso != nil && err == nil && yield != nil {
		yield(*lasso, stats)
	}
	return lasso, stats, err
}

// Find returns a counterexample of the automaton as the function [Find] does, but with lengths as
// in the file: a run begins in one of the initial states of the file, and a state that was split in
// two, because only some of its edges are marked, is passed as often as in the file. The [Lasso]
// begins in one of Starts if there are any.
//
// If an initial state was added to Automaton, it has the edges of the other initial states, so that
// the language stays the same. A loop through an initial state of the file then has one transition
// more in Automaton than in the file. So Find searches another automaton, with a state before all
// initial states, and does not count the transitions of that state. A shortest lasso of the file
// passes no state twice: the part between two visits could be left out, or be the loop. So it needs
// at most one half of each state that was split, and lengths are those of the file.
//
// Statistics do not count the state before the initial states. Cost as for [Find].
func (d *Description) Find(
	ctx context.Context,
	o FindOptions,
	yield func(Lasso, Stats) bool,
) (*Lasso, Stats, error) {
	if d.Starts == nil {
		return Find(ctx, d.Automaton, o, yield)
	}
	if o.Bound > 0 {
		o.Bound++
	}
	var each func(Lasso, Stats) bool
	if yield != nil {
		each = func(l Lasso, s Stats) bool {
			return yield(l.withoutFirst(), s.withoutFirst())
		}
	}
	found, stats, err := Find(ctx, severalStarts{d.Automaton, d.Starts}, o, each)
	if found != nil {
		l := found.withoutFirst()
		found = &l
	}
	return found, stats.withoutFirst(), err
}

// severalStarts is an automaton with a state before its initial ones.
type severalStarts struct {
	*Automaton
	starts []State
}

func (g severalStarts) NumStates() int { return g.Automaton.NumStates() + 1 }

func (g severalStarts) Initial() State { return State(g.Automaton.NumStates()) }

func (g severalStarts) Accepting(s State) bool {
	return s != g.Initial() && g.Automaton.Accepting(s)
}

func (g severalStarts) Successors(s State, into []State) []State {
	if s == g.Initial() {
		return append(into, g.starts...)
	}
	return g.Automaton.Successors(s, into)
}

// withoutFirst removes the first state, to which no transition leads back.
func (l Lasso) withoutFirst() Lasso { return Lasso{l.States[1:], l.LoopStart - 1} }

// withoutFirst removes one state, the first of every path, from the figures.
func (s Stats) withoutFirst() Stats {
	s.Stored = max(s.Stored-1, 0)
	s.Depth = max(s.Depth-1, 0)
	if s.Length > 0 {
		s.Length--
	}
	return s
}

// Each calls yield with each accepting state that is on a loop, and a smallest lasso for it, until
// yield returns false. States that are nearest to the initial state come first. [MIN07] proposes
// this in its conclusion. The loop of the lasso passes the accepting state, and no lasso with such
// a loop has fewer transitions. Each fails if ctx is done. Cost O(F (S + E)) for F accepting
// states, and memory for the edges of the states that can be reached.
func (d *Description) Each(
	ctx context.Context,
	yield func(accepting State, l Lasso) bool,
) error {
	var g Graph = d.Automaton
	if d.Starts != nil {
		yieldWithoutFirst := yield
		g = severalStarts{d.Automaton, d.Starts}
		yield = func(s State, l Lasso) bool {
			return yieldWithoutFirst(s, l.withoutFirst())
		}
	}
	n := g.NumStates()
	successors := make([][]State, n)
	predecessors := make([][]State, n)
	fromInitial := distancesFrom(g.Initial(), n, func(s State) []State {
		successors[s] = g.Successors(s, nil)
		for _, t := range successors[s] {
			predecessors[t] = append(predecessors[t], s)
		}
		return successors[s]
	})
	for _, s := range fromInitial.order {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !g.Accepting(s) {
			continue
		}
		x := lassoSearch{
			accepting:     s,
			fromInitial:   fromInitial,
			fromAccepting: distancesFrom(s, n, func(t State) []State { return successors[t] }),
			toAccepting:   distancesFrom(s, n, func(t State) []State { return predecessors[t] }),
		}
		lasso, found := x.smallest(predecessors[s])
		if found && !yield(s, lasso) {
			return nil
		}
	}
	return nil
}

// lassoSearch finds a lasso for an accepting state. It has the distances from the initial state,
// from the accepting state, and to the accepting state: those of a search against the edges.
type lassoSearch struct {
	accepting                               State
	fromInitial, fromAccepting, toAccepting *distances
}

// smallest returns a lasso with the fewest transitions whose loop passes the accepting state, if
// there is one. It first closes the loop in the accepting state, whose predecessors are given, and
// then tries the other states in which the loop may begin.
func (x *lassoSearch) smallest(predecessors []State) (_ Lasso, found bool) {
	fewest := unreached
	last := x.accepting // the last state of the loop, if it begins in the accepting state
	for _, s := range predecessors {
		if x.fromAccepting.length[s] == unreached {
			continue
		}
		n := x.fromInitial.length[x.accepting] + x.fromAccepting.length[s] + 1
		if n < fewest {
			fewest = n
			last = s
		}
	}
	if fewest == unreached {
		return Lasso{}, false
	}
	entry := x.accepting
	for _, s := range x.fromAccepting.order {
		if s == x.accepting || x.toAccepting.length[s] == unreached || x.fromInitial.length[s] == unreached {
			continue
		}
		n := x.fromInitial.length[s] + x.toAccepting.length[s] + x.fromAccepting.length[s]
		if n < fewest {
			fewest = n
			entry = s
		}
	}
	return x.through(entry, last), true
}

// through returns the lasso whose loop begins in entry. If that is the accepting state, last is the
// last state of the loop.
func (x *lassoSearch) through(entry, last State) Lasso {
	l := Lasso{
		States:    x.fromInitial.path(entry),
		LoopStart: int(x.fromInitial.length[entry]),
	}
	for s := entry; s != x.accepting; s = x.toAccepting.before[s] {
		l.States = append(l.States, s)
	}
	l.States = append(l.States, x.fromAccepting.path(entry)...)
	if entry == x.accepting {
		l.States = append(l.States, x.fromAccepting.path(last)...)
		l.States = append(l.States, last)
	}
	return l
}

// distances are the results of a breadth-first search: for each state, the number of transitions to
// it and the state before it, and the states in the order of the search.
type distances struct {
	length, before []State
	order          []State
}

const unreached = State(unvisited)

// distancesFrom searches breadth-first from one state. The function next returns the successors of
// a state.
func distancesFrom(start State, states int, next func(State) []State) *distances {
	d := &distances{
		length: make([]State, states),
		before: make([]State, states),
		order:  []State{start},
	}
	for s := range d.length {
		d.length[s] = unreached
	}
	d.length[start] = 0
	for i := 0; i < len(d.order); i++ {
		s := d.order[i]
		for _, t := range next(s) {
			if d.length[t] == unreached {
				d.length[t] = d.length[s] + 1
				d.before[t] = s
				d.order = append(d.order, t)
			}
		}
	}
	return d
}

// path returns the states on the path to s, without s.
func (d *distances) path(s State) []State {
	var all []State
	for d.length[s] > 0 {
		s = d.before[s]
		all = append(all, s)
	}
	slices.Reverse(all)
	return all
}
