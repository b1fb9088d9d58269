package symbolic

import (
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// simulation checks runs only by the gates of a circuit, without diagrams.
type simulation struct {
	c     *aiger.Circuit
	f     *syntax.Closure
	n     syntax.Node
	holds bool
	names map[string]aiger.Literal
}

// maxOpenInputs is the largest number of inputs whose values are all tried, to find out that a run
// ends.
const maxOpenInputs = 16

func bits(text string) ([]bool, error) {
	all := make([]bool, len(text))
	for i := range text {
		if text[i] != '0' && text[i] != '1' {
			return nil, fmt.Errorf("%.40q are no bits", text)
		}
		all[i] = text[i] == '1'
	}
	return all, nil
}

// values simulates a state.
func (s *simulation) values(is State) (aiger.Values, error) {
	latches, err := bits(is.Latches)
	if err != nil {
		return nil, err
	}
	inputs, err := bits(is.Inputs)
	if err != nil {
		return nil, err
	}
	return s.c.Values(latches, inputs)
}

// follows reports whether the latches of the second state have the next values of the first.
func (s *simulation) follows(v, w aiger.Values) bool {
	for _, l := range s.c.Latches {
		if v.Of(l.Next) != w.Of(l.Literal) {
			return false
		}
	}
	return true
}

// ends reports whether no state follows: for all inputs, a constraint fails.
func (s *simulation) ends(v aiger.Values) (bool, error) {
	if len(s.c.Constraints) == 0 {
		return false, nil
	}
	if len(s.c.Inputs) > maxOpenInputs {
		return false, fmt.Errorf("that a run ends is checked with at most %d inputs",
			maxOpenInputs)
	}
	latches := make([]bool, len(s.c.Latches))
	for i, l := range s.c.Latches {
		latches[i] = v.Of(l.Next)
	}
	inputs := make([]bool, len(s.c.Inputs))
	for choice := range 1 << len(inputs) {
		for i := range inputs {
			inputs[i] = choice>>i&1 != 0
		}
		w, err := s.c.Values(latches, inputs)
		if err != nil || s.c.Meets(w) {
			return false, err
		}
	}
	return true, nil
}

// is evaluates a formula about a state.
func (s *simulation) is(i int, v aiger.Values) (bool, error) {
	n := s.f.Nodes[i]
	switch n.Op {
	case syntax.True:
		return true, nil
	case syntax.False:
		return false, nil
	case syntax.Deadlock:
		return s.ends(v)
	case syntax.Holds:
		return v.Of(s.names[n.Predicate.Name]), nil
	case syntax.Not:
		right, err := s.is(int(n.Right), v)
		return !right, err
	}
	left, err := s.is(int(n.Left), v)
	if err != nil || left == (n.Op == syntax.Or) {
		return left, err
	}
	return s.is(int(n.Right), v)
}

// check checks that the circuit has a run, and that the run shows the claim.
func (s *simulation) check(r *Run) error {
	all, err := s.run(r)
	if err != nil {
		return err
	}
	return s.shows(all, r.Loop)
}

// run checks that the circuit has a run, and returns the values of variables in each state of the
// run.
func (s *simulation) run(r *Run) ([]aiger.Values, error) {
	var all []aiger.Values
	for i, is := range r.States {
		v, err := s.values(is)
		switch {
		case err != nil:
			return nil, fmt.Errorf("state %d: %w", i, err)
		case !s.c.Meets(v):
			return nil, fmt.Errorf("state %d does not meet the constraints", i)
		case i == 0 && !s.c.Begins(v):
			return nil, errors.New("the run does not begin in an initial state")
		case i > 0 && !s.follows(all[i-1], v):
			return nil, fmt.Errorf("state %d does not follow on the one before", i)
		}
		all = append(all, v)
	}
	last := len(all) - 1
	switch {
	case last < 0:
		return nil, errors.New("the run has no state")
	case r.Loop < -1 || r.Loop > last:
		return nil, errors.New("the loop begins at no state of the run")
	case r.Loop >= 0 && !s.follows(all[last], all[r.Loop]):
		return nil, errors.New("the loop is not closed")
	}
	return all, nil
}

// shows checks that a run satisfies f U g or f R g or, if the claim is that the operator does not
// hold, violates it.
func (s *simulation) shows(all []aiger.Values, loop int) error {
	until := s.n.Op == syntax.Until
	for i, v := range all {
		f, err := s.is(int(s.n.Left), v)
		if err != nil {
			return err
		}
		g, err := s.is(int(s.n.Right), v)
		if err != nil {
			return err
		}
		decided := until && (g || !f) || !until && (!g || f)
		if decided {
			if g != s.holds {
				return fmt.Errorf("state %d shows the contrary", i)
			}
			return nil
		}
	}
	if until == s.holds {
		return errors.New("the run shows nothing: it has no state that decides")
	}
	if loop >= 0 {
		return nil
	}
	ends, err := s.ends(all[len(all)-1])
	if err == nil && !ends {
		err = errors.New("the run goes on, and shows nothing")
	}
	return err
}
