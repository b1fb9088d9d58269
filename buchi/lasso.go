package buchi

import (
	"fmt"
	"slices"
)

// Lasso is an infinite run in finite form: States is a path, and from its last
// state the run goes back to States[LoopStart]. The papers write it as the path
// s1 … sk … sk+l with sk+l = sk; here the repeated last state is left out.
//
// A lasso that the package returns begins in the initial state, passes an
// accepting state on its loop, and visits no state twice:
// the papers call it a simple accepting path.
type Lasso struct {
	States    []State
	LoopStart int
}

// Stem returns the states before the loop, empty if the loop begins in the
// first state.
func (l Lasso) Stem() []State { return l.States[:l.LoopStart] }

// Loop returns the states of the loop, each once.
func (l Lasso) Loop() []State { return l.States[l.LoopStart:] }

// Transitions returns the number of transitions, the one that closes the loop
// included: the size of a counterexample in [MIN07].
func (l Lasso) Transitions() int { return len(l.States) }

// Length returns the number of states of the path with the state that closes
// the loop written twice: the length of a counterexample in [SPIN04] and
// [SPIN04r], one more than the number of transitions.
func (l Lasso) Length() int { return len(l.States) + 1 }

// next returns the state behind the i-th one.
func (l Lasso) next(i int) State {
	if i+1 < len(l.States) {
		return l.States[i+1]
	}
	return l.States[l.LoopStart]
}

// Check replays the lasso: it returns nil if the lasso is an accepting path of g,
// and otherwise an error that names the first fault. Cost O(sum of the
// out-degrees of its states).
func (l Lasso) Check(g Graph) error {
	if len(l.States) == 0 {
		return fmt.Errorf("buchi: the lasso has no states")
	}
	if l.LoopStart < 0 || l.LoopStart >= len(l.States) {
		return fmt.Errorf("buchi: the loop of the lasso begins at step %d of %d", l.LoopStart, len(l.States))
	}
	for i, s := range l.States {
		if int64(s) >= int64(g.NumStates()) {
			return fmt.Errorf("buchi: step %d of the lasso is state %d, and the automaton has %d states", i, s, g.NumStates())
		}
	}
	if l.States[0] != g.Initial() {
		return fmt.Errorf("buchi: the lasso begins in state %d, and the automaton in state %d", l.States[0], g.Initial())
	}
	var successors []State
	for i, s := range l.States {
		next := l.next(i)
		successors = g.Successors(s, successors[:0])
		if !slices.Contains(successors, next) {
			return fmt.Errorf("buchi: the lasso goes from state %d to state %d at step %d, and the automaton has no such edge", s, next, i)
		}
	}
	if !slices.ContainsFunc(l.Loop(), g.Accepting) {
		return fmt.Errorf("buchi: the loop of the lasso passes no accepting state")
	}
	return nil
}
