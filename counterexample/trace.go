// Package counterexample finds runs of an LTS that violate a property, shortest ones
// first of all.
//
// The invariant that holds inside: what is found is a [run.Run] of the model that
// violates the property, or nothing.
package counterexample

import (
	"github.com/inev-lts/inev/counterexample/internal/run"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Trace is a run that violates a property.
type Trace = run.Run

// Kind is the shape of a run.
type Kind = run.Kind

// The shapes: see [run.Kind].
const (
	Deadlock = run.Deadlock
	Lasso    = run.Lasso
	Trap     = run.Trap
	Prefix   = run.Prefix
	Stop     = run.Stop
)

// noLoop is the loop start of a trace that ends in a deadlock.
const noLoop = -1

// ErrSatisfies is the error of a run that satisfies the property.
var ErrSatisfies = run.ErrSatisfies

// New is [NewViolating] for a chain.
func New(m *lts.LTS, p *property.Chain, steps []lts.Transition, loop int) (*Trace, error) {
	return run.NewViolating(m, p.Property(), steps, loop)
}

// NewViolating returns the run of m with these transitions, which violates p; for any other it
// fails with [ErrSatisfies]. With loop >= 0 it is a lasso whose loop begins with steps[loop]
// and whose last transition leads back to the source of that one; with a negative loop it ends
// in a deadlock. NewViolating keeps the slice. It fails, naming the first step at fault (from
// 1), if the steps are no such run of m. Cost O(len(steps) · largest out-degree), and at most
// as many rounds of the loop as p has states.
func NewViolating(m *lts.LTS, p *property.Property, steps []lts.Transition, loop int) (*Trace, error) {
	return run.NewViolating(m, p, steps, loop)
}

// Under returns the run of m that t is, with the states of another property, which it may satisfy.
// Errors as for [NewViolating], but for the verdict; cost as there.
func Under(m *lts.LTS, t *Trace, p *property.Property) (*Trace, error) {
	loop, _ := t.LoopStart()
	return t.Like(m, p, t.Steps(), loop)
}

// NewPrefix returns the run with these transitions, a bad prefix: after them p is violated whatever
// follows, in this model or another, which whoever calls knows.
func NewPrefix(m *lts.LTS, p *property.Property, steps []lts.Transition) (*Trace, error) {
	return run.NewPrefix(m, p, steps)
}

// NewBegun returns the beginning of a run, whatever becomes of the property after it: its kind
// means nothing. Errors and cost as for [NewViolating].
func NewBegun(m *lts.LTS, p *property.Property, steps []lts.Transition) (*Trace, error) {
	return run.NewBegun(m, p, steps)
}
