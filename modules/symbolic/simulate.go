package symbolic

import (
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// simulation checks runs only by the gates of a circuit, without diagrams.
type simulation struct {
	circuit  *aiger.Circuit
	operator operatorAboutRuns
	names    map[string]aiger.Literal
}

// maxOpenInputs is the largest number of inputs whose values are all tried, to find out that a run
// ends.
const maxOpenInputs = 16

// bits reads a text of zeros and ones.
func bits(text string) ([]bool, error) {
	values := make([]bool, len(text))
	for i := range text {
		if text[i] != '0' && text[i] != '1' {
			return nil, fmt.Errorf("%.40q are no bits", text)
		}
		values[i] = text[i] == '1'
	}
	return values, nil
}

// values simulates a state.
func (s *simulation) values(state State) (aiger.Values, error) {
	latches, err := bits(state.Latches)
	if err != nil {
		return nil, err
	}
	inputs, err := bits(state.Inputs)
	if err != nil {
		return nil, err
	}
	return s.circuit.Values(latches, inputs)
}

// isSuccessor reports whether the latches of the second state have the next values of the first.
func (s *simulation) isSuccessor(values, next aiger.Values) bool {
	for _, l := range s.circuit.Latches {
		if values.Of(l.Next) != next.Of(l.Literal) {
			return false
		}
	}
	return true
}

// isFinal reports whether no state follows: for all inputs, a constraint fails.
func (s *simulation) isFinal(values aiger.Values) (bool, error) {
	if len(s.circuit.Constraints) == 0 {
		return false, nil
	}
	if len(s.circuit.Inputs) > maxOpenInputs {
		return false, fmt.Errorf("that a run ends is checked with at most %d inputs",
			maxOpenInputs)
	}
	latches := make([]bool, len(s.circuit.Latches))
	for i, l := range s.circuit.Latches {
		latches[i] = values.Of(l.Next)
	}
	inputs := make([]bool, len(s.circuit.Inputs))
	for choice := range 1 << len(inputs) {
		for i := range inputs {
			inputs[i] = choice>>i&1 != 0
		}
		next, err := s.circuit.Values(latches, inputs)
		if err != nil || s.circuit.Meets(next) {
			return false, err
		}
	}
	return true, nil
}

// holdsAt evaluates a formula about a state, by the number of its node.
func (s *simulation) holdsAt(node int, values aiger.Values) (bool, error) {
	n := s.operator.closure.Nodes[node]
	switch n.Op {
	case syntax.True:
		return true, nil
	case syntax.False:
		return false, nil
	case syntax.Deadlock:
		return s.isFinal(values)
	case syntax.Holds:
		return values.Of(s.names[n.Predicate.Name]), nil
	case syntax.Not:
		right, err := s.holdsAt(int(n.Right), values)
		return !right, err
	}
	left, err := s.holdsAt(int(n.Left), values)
	leftDecides := left == (n.Op == syntax.Or)
	if err != nil || leftDecides {
		return left, err
	}
	return s.holdsAt(int(n.Right), values)
}

// check checks that the circuit has a run, and that the run shows the claim.
func (s *simulation) check(r *Run) error {
	all, err := s.run(r)
	if err != nil {
		return err
	}
	return s.checkClaim(all, r.Loop)
}

// run checks that the circuit has a run, and returns the values of variables in each state of the
// run.
func (s *simulation) run(r *Run) ([]aiger.Values, error) {
	var states []aiger.Values
	for i, state := range r.States {
		values, err := s.values(state)
		switch {
		case err != nil:
			return nil, fmt.Errorf("state %d: %w", i, err)
		case !s.circuit.Meets(values):
			return nil, fmt.Errorf("state %d does not meet the constraints", i)
		case i == 0 && !s.circuit.Begins(values):
			return nil, errors.New("the run does not begin in an initial state")
		case i > 0 && !s.isSuccessor(states[i-1], values):
			return nil, fmt.Errorf("state %d does not follow on the one before", i)
		}
		states = append(states, values)
	}
	last := len(states) - 1
	switch {
	case last < 0:
		return nil, errors.New("the run has no state")
	case r.Loop < -1 || r.Loop > last:
		return nil, errors.New("the loop begins at no state of the run")
	case r.Loop >= 0 && !s.isSuccessor(states[last], states[r.Loop]):
		return nil, errors.New("the loop is not closed")
	}
	return states, nil
}

// checkClaim checks that a run satisfies f U g or f R g or, if the claim is that the operator does not
// hold, violates it.
func (s *simulation) checkClaim(states []aiger.Values, loop int) error {
	operator := s.operator.node
	isUntil := operator.Op == syntax.Until
	for i, values := range states {
		left, err := s.holdsAt(int(operator.Left), values)
		if err != nil {
			return err
		}
		right, err := s.holdsAt(int(operator.Right), values)
		if err != nil {
			return err
		}
		isDecided := !right || left
		if isUntil {
			isDecided = right || !left
		}
		if isDecided {
			if right != s.operator.holds {
				return fmt.Errorf("state %d shows the contrary", i)
			}
			return nil
		}
	}
	if isUntil == s.operator.holds {
		return errors.New("the run shows nothing: it has no state that decides")
	}
	if loop >= 0 {
		return nil
	}
	isFinal, err := s.isFinal(states[len(states)-1])
	if err == nil && !isFinal {
		err = errors.New("the run goes on, and shows nothing")
	}
	return err
}
