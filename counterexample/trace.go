// Package counterexample finds runs of an LTS that violate a property, in particular shortest ones.
// A search returns a [Trace] of the model that violates the property, or nothing.
package counterexample

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Kind is the shape of a run.
type Kind uint8

// The kinds. Deadlock and Lasso are those of SEFM'18, Definition 4; the others are for fairness and
// safety.
const (
	Deadlock Kind = iota + 1 // a run that ends in a deadlock
	Lasso                    // a stem, and a loop that is repeated forever
	Trap                     // a stem after which no run of the model satisfies the property
	Prefix                   // a stem after which no run of any model satisfies the property
	Stop                     // a run into a state where the environment may refuse all possible actions forever
)

var kindNames = enumeration.New("kind of run", "", "deadlock", "lasso", "trap", "prefix",
	"stop")

func (k Kind) String() string { return kindNames.Name(uint8(k)) }

// MarshalText returns the name of the shape.
func (k Kind) MarshalText() ([]byte, error) { return kindNames.Text(uint8(k)) }

// UnmarshalText sets the shape by its name.
func (k *Kind) UnmarshalText(text []byte) error { return enumeration.Set(kindNames, k, text) }

// Ends reports whether runs of this kind are finite: they end in a deadlock, or where the
// environment may refuse all possible actions.
func (k Kind) Ends() bool { return k == Deadlock || k == Stop }

// IsStem reports whether runs of this kind are given by their stems alone: a trap or a bad prefix.
func (k Kind) IsStem() bool { return k == Trap || k == Prefix }

// noLoop is the loop start of a run that ends in a deadlock.
const noLoop = -1

// Trace is a maximal run of a model with a property. It is immutable.
type Trace struct {
	initial lts.State
	steps   []lts.Transition
	loop    int
	// states are the property states before the first transition and after each transition.
	states    []property.Q
	satisfies bool
	// stem is Trap, Prefix or Stop for runs of these kinds; otherwise 0.
	stem Kind
	// isBeginning reports whether the trace is only the beginning of a run.
	isBeginning bool
}

// ErrSatisfies reports that a run satisfies the property that it should violate.
var ErrSatisfies = errors.New("the run satisfies the property")

// NewViolating returns the run of m with the given transitions; the run must violate p, a property
// of m. If loopStart is at least 0, the run is a lasso. Its loop begins with steps[loopStart], and its last
// transition leads back to the source of that step. Otherwise the run ends in a deadlock.
// NewViolating keeps the slice. If the steps are no such run of m, it fails with the number of the
// first wrong step, from 1; if the run satisfies p, it fails with [ErrSatisfies]. Cost O(len(steps)
// · largest out-degree), and at most as many rounds of the loop as p has states.
func NewViolating(
	m *lts.LTS,
	p *property.Property,
	steps []lts.Transition,
	loopStart int,
) (*Trace, error) {
	r, err := newTrace(m, p, steps, loopStart)
	if err == nil && r.satisfies {
		return nil, ErrSatisfies
	}
	return r, err
}

// newTrace returns a run as [NewViolating] does, but the run may satisfy p.
func newTrace(
	m *lts.LTS,
	p *property.Property,
	steps []lts.Transition,
	loop int,
) (*Trace, error) {
	r, err := (&Trace{steps: steps, loop: max(loop, noLoop)}).through(m, p)
	if err == nil {
		r.satisfies = r.isAccepted(p)
	}
	return r, err
}

// NewStem returns the run that begins with the given transitions. It is of one of three kinds; the
// caller must know that the kind is right:
//
//   - [Trap]: the property p is lost after the transitions, and every run that continues them
//     violates p. A whole fair run would be too long to show, since it takes every transition that it can.
//   - [Prefix]: the transitions are a bad prefix: p is violated whatever follows, in any model.
//   - [Stop]: the run ends after the transitions although others are possible, since all of these may
//     be refused forever, see [property.Fairness.MayEnd]. NewStem fails if they end in a deadlock.
//
// It fails as [NewViolating] does if the steps are no run of m. Cost as for NewViolating.
func NewStem(
	m *lts.LTS,
	p *property.Property,
	steps []lts.Transition,
	kind Kind,
) (*Trace, error) {
	if kind < Trap {
		return nil, fmt.Errorf("counterexample: a stem is no %s", kind)
	}
	r, err := (&Trace{steps: steps, loop: noLoop, stem: kind}).through(m, p)
	if err != nil {
		return nil, err
	}
	if kind == Stop {
		if m.IsDeadlock(r.Last()) {
			return nil, fmt.Errorf("the run ends in state %d, which is a deadlock", r.Last())
		}
		r.satisfies = p.Ends(r.states[len(steps)], false)
	}
	return r, nil
}

// Like returns another run of the same kind as r: a lasso if r is one, and a stem of r's kind if r is a
// stem. It is for runs that show the same violation as r in other transitions, such as those of the model
// from which an unfolded model was made. If r is a lasso, the loop begins with steps[loop]. Like fails
// as [NewViolating] does if the steps are no run of m. Cost as for NewViolating.
func (r *Trace) Like(
	m *lts.LTS,
	p *property.Property,
	steps []lts.Transition,
	loop int,
) (*Trace, error) {
	if r.stem != 0 {
		return NewStem(m, p, steps, r.stem)
	}
	return newTrace(m, p, steps, loop)
}

// NewBegun returns the beginning of a run, whether or not its continuations satisfy the property.
// The kind of the trace has no meaning. NewBegun fails as [NewViolating] does if the steps are no
// run of m. Cost as for NewViolating.
func NewBegun(m *lts.LTS, p *property.Property, steps []lts.Transition) (*Trace, error) {
	return (&Trace{steps: steps, loop: noLoop, isBeginning: true}).through(m, p)
}

// through returns r with its initial state and property states; it fails if the steps are no run of
// m.
func (r *Trace) through(m *lts.LTS, p *property.Property) (*Trace, error) {
	r.initial = m.Initial()
	r.states = make([]property.Q, len(r.steps)+1)
	r.states[0] = p.Initial()
	current := m.Initial()
	for i, step := range r.steps {
		if step.From != current {
			return nil, fmt.Errorf("step %d leaves state %d, but the run is in state %d", i+1,
				step.From, current)
		}
		if !hasTransition(m, step) {
			return nil, fmt.Errorf("step %d is not a transition of the model", i+1)
		}
		current = step.To
		r.states[i+1] = p.Next(r.states[i], step.Label)
	}
	mustEndInDeadlock := r.loop == noLoop && r.stem == 0 && !r.isBeginning
	switch {
	case mustEndInDeadlock && !m.IsDeadlock(current):
		return nil, fmt.Errorf("the run ends in state %d, which is not a deadlock", current)
	case r.loop >= len(r.steps):
		return nil, fmt.Errorf("the loop begins with step %d of %d", r.loop+1, len(r.steps))
	case r.loop != noLoop && r.steps[r.loop].From != current:
		return nil, fmt.Errorf("the run ends in state %d, but its loop begins in state %d", current,
			r.steps[r.loop].From)
	}
	return r, nil
}

// hasTransition reports whether m has a transition.
func hasTransition(m *lts.LTS, t lts.Transition) bool {
	labels, targets := m.Out(t.From)
	for i, to := range targets {
		if to == t.To && labels.At(i) == t.Label {
			return true
		}
	}
	return false
}

// violating returns a run that a search has found, as [NewViolating] does. If the run does not violate p, which
// is a mistake in the search, the error names the search.
func violating(
	search string,
	m *lts.LTS,
	p *property.Property,
	steps []lts.Transition,
	loopStart int,
) *Trace {
	t, err := NewViolating(m, p, steps, loopStart)
	if err != nil {
		abort.On(fmt.Errorf("counterexample: %s went wrong, please report it: %w", search, err))
	}
	return t
}

// isAccepted reports whether the run is accepted. It repeats the loop until the property state at
// the beginning of a round recurs: the colours that are taken from then on recur.
func (r *Trace) isAccepted(p *property.Property) bool {
	q := r.states[len(r.steps)]
	if r.loop == noLoop {
		return p.Stops(q)
	}
	roundFrom := map[property.Q]int{} // for each property state, the number of the round that begins in it
	var rounds []property.Marks       // the colours that each round takes
	for {
		first, recurs := roundFrom[q]
		if recurs {
			return p.Acceptance().Holds(union(rounds[first:]))
		}
		roundFrom[q] = len(rounds)
		var taken property.Marks
		for _, step := range r.steps[r.loop:] {
			taken |= p.Marks(q, step.Label)
			q = p.Next(q, step.Label)
		}
		rounds = append(rounds, taken)
	}
}

func union(sets []property.Marks) (all property.Marks) {
	for _, colours := range sets {
		all |= colours
	}
	return all
}

// Satisfies reports whether the run satisfies the property. Cost O(1).
func (r *Trace) Satisfies() bool { return r.satisfies }

// At returns the property state after the first i transitions, 0 <= i <= Len, in the first round of
// the loop. Cost O(1).
func (r *Trace) At(i int) property.Q { return r.states[i] }

// Len returns the number of transitions; those of the loop count once.
func (r *Trace) Len() int {
	if r == nil {
		return 0
	}
	return len(r.steps)
}

// Kind returns the shape of the run.
func (r *Trace) Kind() Kind {
	switch {
	case r.stem != 0:
		return r.stem
	case r.loop == noLoop:
		return Deadlock
	}
	return Lasso
}

// Initial returns the state in which the run begins.
func (r *Trace) Initial() lts.State { return r.initial }

// Last returns the last state of the run: the deadlock, or the state where the loop begins.
func (r *Trace) Last() lts.State {
	if len(r.steps) == 0 {
		return r.initial
	}
	return r.steps[len(r.steps)-1].To
}

// Step returns transition i, 0 <= i < Len.
func (r *Trace) Step(i int) lts.Transition { return r.steps[i] }

// Steps returns a copy of the transitions in order.
func (r *Trace) Steps() []lts.Transition { return slices.Clone(r.steps) }

// LoopStart returns the index of the step that begins the loop; -1 and false without a loop.
func (r *Trace) LoopStart() (int, bool) { return r.loop, r.loop != noLoop }

// Rounds returns the property states in which the rounds of the loop begin, until one of these
// states recurs; p must be the property of the run. The rounds from index again on repeat forever.
// It returns none without a loop. Cost O(length of the loop) for each round.
func (r *Trace) Rounds(p *property.Property) (begins []property.Q, again int) {
	if r.loop == noLoop {
		return nil, 0
	}
	for q := r.At(r.loop); ; {
		again = slices.Index(begins, q)
		if again >= 0 {
			return begins, again
		}
		begins = append(begins, q)
		for _, t := range r.steps[r.loop:] {
			q = p.Next(q, t.Label)
		}
	}
}

// Under returns the run t of m with the property states of another property, which the run may
// satisfy. Errors as for [NewViolating], except [ErrSatisfies]; cost as for NewViolating.
func Under(m *lts.LTS, t *Trace, p *property.Property) (*Trace, error) {
	return t.Like(m, p, t.Steps(), t.loop)
}
