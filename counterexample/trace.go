// Package counterexample finds runs of an LTS that violate an inevitability
// property, shortest ones first of all.
//
// The invariant that holds inside: a [Trace] is a run of its model, begins in
// the initial state, is maximal (it ends in a deadlock, or in a loop that goes
// on for ever), and does not contain the property's steps in order. No other
// Trace can be made.
package counterexample

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Kind is the shape of a counterexample.
type Kind uint8

// The shapes of SEFM'18, Definition 4.
const (
	Deadlock Kind = iota + 1 // an elementary trace that ends in a deadlock
	Lasso                    // a stem, and a loop that is gone round for ever
)

var kindNames = enumeration.New("kind of counterexample", "", "deadlock", "lasso")

func (k Kind) String() string { return kindNames.Name(uint8(k)) }

// MarshalText returns the name of the shape.
func (k Kind) MarshalText() ([]byte, error) { return kindNames.Text(uint8(k)) }

// UnmarshalText sets the shape by its name.
func (k *Kind) UnmarshalText(text []byte) error { return enumeration.Set(kindNames, k, text) }

// noLoop is the loop start of a trace that ends in a deadlock.
const noLoop = -1

// Trace is a counterexample: a maximal run of an LTS that violates a property.
type Trace struct {
	initial  lts.State
	steps    []lts.Transition
	loop     int
	progress []int
}

// New returns the counterexample with these transitions. With loop >= 0 it is a
// lasso whose loop begins with steps[loop] and whose last transition leads back
// to the source of that one; with a negative loop it ends in a deadlock. New
// keeps the slice. It fails, naming the first step at fault (from 1), where the
// steps are no such run of m, or where the run satisfies p. Cost
// O(len(steps) · largest out-degree).
func New(m *lts.LTS, p *property.Chain, steps []lts.Transition, loop int) (*Trace, error) {
	t := &Trace{initial: m.Initial(), steps: steps, loop: max(loop, noLoop)}
	if err := t.checkRun(m); err != nil {
		return nil, err
	}
	t.progress = make([]int, len(steps)+1)
	for i, step := range steps {
		t.progress[i+1] = p.Advance(t.progress[i], step.Label)
	}
	if t.violates(p) {
		return t, nil
	}
	return nil, errors.New("the run satisfies the property")
}

// checkRun tells what is wrong where the steps are no maximal run of m.
func (t *Trace) checkRun(m *lts.LTS) error {
	at := m.Initial()
	for i, step := range t.steps {
		if step.From != at {
			return fmt.Errorf("step %d leaves state %d, but the run is in state %d", i+1, step.From, at)
		}
		if !has(m, step) {
			return fmt.Errorf("step %d is no transition of the model", i+1)
		}
		at = step.To
	}
	switch {
	case t.loop == noLoop && !m.IsDeadlock(at):
		return fmt.Errorf("the run ends in state %d, which is no deadlock", at)
	case t.loop >= len(t.steps):
		return fmt.Errorf("the loop begins with step %d of %d", t.loop+1, len(t.steps))
	case t.loop != noLoop && t.steps[t.loop].From != at:
		return fmt.Errorf("the run ends in state %d, but its loop begins in state %d", at, t.steps[t.loop].From)
	}
	return nil
}

func has(m *lts.LTS, step lts.Transition) bool {
	if int(step.From) >= m.NumStates() {
		return false
	}
	labels, targets := m.Out(step.From)
	for i, to := range targets {
		if to == step.To && labels[i] == step.Label {
			return true
		}
	}
	return false
}

// violates goes round the loop for as long as that makes progress.
func (t *Trace) violates(p *property.Chain) bool {
	progress := t.progress[len(t.steps)]
	for t.loop != noLoop && progress < p.Len() {
		before := progress
		for _, step := range t.steps[t.loop:] {
			progress = p.Advance(progress, step.Label)
		}
		if progress == before {
			break
		}
	}
	return progress < p.Len()
}

// Len returns the number of transitions, each of the loop's counted once.
func (t *Trace) Len() int { return len(t.steps) }

// Kind returns the shape of the trace.
func (t *Trace) Kind() Kind {
	if t.loop == noLoop {
		return Deadlock
	}
	return Lasso
}

// Initial returns the state in which the trace begins.
func (t *Trace) Initial() lts.State { return t.initial }

// Last returns the state in which the trace ends: the deadlock, or the state in
// which the loop begins.
func (t *Trace) Last() lts.State {
	if len(t.steps) == 0 {
		return t.initial
	}
	return t.steps[len(t.steps)-1].To
}

// Step returns transition i, 0 <= i < Len.
func (t *Trace) Step(i int) lts.Transition { return t.steps[i] }

// Steps returns a copy of the transitions in order.
func (t *Trace) Steps() []lts.Transition { return slices.Clone(t.steps) }

// LoopStart returns the index of the step with which the loop begins; false
// where there is no loop.
func (t *Trace) LoopStart() (int, bool) { return t.loop, t.loop != noLoop }

// Progress returns how many steps of the property are done after the first i
// transitions, 0 <= i <= Len, on the first round of the loop.
func (t *Trace) Progress(i int) int { return t.progress[i] }
