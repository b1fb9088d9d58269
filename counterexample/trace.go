// Package counterexample finds runs of an LTS that violate a property, shortest ones
// first of all.
//
// The invariant that holds inside: what is found is a [run.Run] of the model that
// violates the property, or nothing.
package counterexample

import (
	"github.com/inev-lts/inev/counterexample/run"
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
)

// noLoop is the loop start of a trace that ends in a deadlock.
const noLoop = -1

// New is [run.NewViolating] for a chain.
func New(m *lts.LTS, p *property.Chain, steps []lts.Transition, loop int) (*Trace, error) {
	return run.NewViolating(m, p.Property(), steps, loop)
}
