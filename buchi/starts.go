package buchi

import "context"

// Find returns a counterexample of the automaton as [Find] does, with lengths as they
// are in the file: a run begins in one of the initial states of the file, and a state
// that had to become two, for some of its edges are marked and others not, is passed
// as often as in the file. The [Lasso] begins in one of Starts where there are any.
//
// An initial state that was added to Automaton has the edges of the others, so that
// the language stays the same; a loop through one of them then has one transition
// more in Automaton than in the file. Here a state is put before them instead, whose
// step to them is not counted. A shortest lasso of the file needs no state twice:
// where it passed one twice, the part between could be left out, or be the loop. So
// for each state one of the two is enough, and lengths are those of the file.
//
// Statistics are without the state that was put before. Cost as for Find.
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

// withoutFirst leaves out the first state, to which no transition leads back.
func (l Lasso) withoutFirst() Lasso { return Lasso{l.States[1:], l.LoopStart - 1} }

// withoutFirst leaves out a state that begins every path.
func (s Stats) withoutFirst() Stats {
	s.Stored, s.Depth = max(s.Stored-1, 0), max(s.Depth-1, 0)
	if s.Length > 0 {
		s.Length--
	}
	return s
}
