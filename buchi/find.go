package buchi

import (
	"context"
	"fmt"
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

// Set sets the algorithm by its name, one of [Algorithms].
func (a *Algorithm) Set(name string) error {
	for i, known := range Algorithms() {
		if name == known {
			*a = Algorithm(i)
			return nil
		}
	}
	return fmt.Errorf("there is no algorithm %q; choose colour, contrex or priority", name)
}

func (a Algorithm) String() string {
	if names := Algorithms(); int(a) < len(names) {
		return names[a]
	}
	return fmt.Sprintf("algorithm %d", uint8(a))
}

// FindOptions say how to search for a counterexample.
type FindOptions struct {
	Algorithm Algorithm
	// Bound, if positive, excludes counterexamples with a [Lasso.Length] of Bound
	// or more. ColourDFS has no bound.
	Bound int
	// ColourFirst makes Contrex run the colour-DFS first, and bound its own
	// search by the counterexample found. No other algorithm takes this option.
	ColourFirst bool
}

// Find returns a counterexample of g, found by the algorithm of o; nil if there
// is none below the bound. If yield is not nil, Contrex calls it with each
// counterexample that it finds; the other algorithms call it with their result.
// It fails as the algorithm does, and if o has an unknown algorithm, or an
// option that the algorithm does not take.
func Find(ctx context.Context, g Graph, o FindOptions, yield func(Lasso, Stats) bool) (*Lasso, Stats, error) {
	var lasso *Lasso
	var stats Stats
	var err error
	switch {
	case o.Algorithm == ByContrex:
		return contrex(ctx, g, contrexOptions{Bound: o.Bound, ColourFirst: o.ColourFirst}, yield)
	case o.ColourFirst:
		return nil, Stats{}, fmt.Errorf("buchi: %s takes no search by colours before it", o.Algorithm)
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

// Find returns a counterexample of the automaton as [Find] does, with lengths as
// in the file: a run begins in one of the initial states of the file, and a state
// that had to become two, because only some of its edges are marked, is passed as
// often as in the file. The [Lasso] begins in one of Starts if there are any.
//
// An initial state that was added to Automaton has the edges of the others, so
// that the language stays the same; a loop through an initial state of the file
// then has one transition more in Automaton than in the file. Here a state is
// put in front of all initial states instead, and its transitions are not
// counted. A shortest lasso of the file passes no state twice: the part between
// the two visits could be left out, or be the loop. So for each state one of
// its twins is enough, and lengths are those of the file.
//
// Statistics do not count the state in front. Cost as for [Find].
func (d *Description) Find(ctx context.Context, o FindOptions, yield func(Lasso, Stats) bool) (*Lasso, Stats, error) {
	if d.Starts == nil {
		return Find(ctx, d.Automaton, o, yield)
	}
	if o.Bound > 0 {
		o.Bound++
	}
	var each func(Lasso, Stats) bool
	if yield != nil {
		each = func(l Lasso, s Stats) bool { return yield(l.withoutFirst(), s.withoutFirst()) }
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

// withoutFirst subtracts a state that begins every path.
func (s Stats) withoutFirst() Stats {
	s.Stored, s.Depth = max(s.Stored-1, 0), max(s.Depth-1, 0)
	if s.Length > 0 {
		s.Length--
	}
	return s
}
