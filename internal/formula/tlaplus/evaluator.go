package tlaplus

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
)

// Evaluator evaluates predicates in states. Only one goroutine may use it.
type Evaluator struct{ m machine }

// Evaluator returns an evaluator, whose methods fail once ctx is done.
func (s *Specification) Evaluator(ctx context.Context) *Evaluator {
	m := s.machine()
	m.spent = &work{ctx: ctx, most: s.loader.spent.most}
	return &Evaluator{*m}
}

// Holds reports whether a predicate holds in the state with the values now, or for the step from there
// to the state with the values next; next is nil for a predicate of states. steps yields the values of
// the successors of the state, which makes ENABLED faster; it is nil if they are unknown. The error is
// an [*Error], or the error of the context.
func (v *Evaluator) Holds(
	p *Predicate,
	now, next []values.Value,
	steps func(func([]values.Value) bool),
) (holds bool, err error) {
	defer abort.Caught(&err)
	v.m.moment = moment{now: now, next: next}
	v.m.steps = steps
	v.m.depth = 0
	v.m.waiting = 0
	v.m.stack = v.m.stack[:0]
	v.m.beginEpoch()
	v.m.work()
	return v.m.bool(p.x, p.run(&v.m, p.e)), nil
}

// Within makes evaluations fail once another context is done.
func (v *Evaluator) Within(ctx context.Context) {
	v.m.spent.ctx = ctx
	v.m.spent.ask = 0
}

// SetDistance sets the value of TLCGet("level") for the following evaluations. It is the number of
// states on a shortest path to the state.
func (v *Evaluator) SetDistance(n int) { v.m.distance = n }

// In returns the value of an expression from [Specification.Expression] in the state with these values.
// Errors are as for Holds.
func (v *Evaluator) In(p *Predicate, now []values.Value) (of values.Value, err error) {
	defer abort.Caught(&err)
	v.m.moment = moment{now: now}
	v.m.steps = nil
	v.m.depth = 0
	v.m.waiting = 0
	v.m.stack = v.m.stack[:0]
	v.m.beginEpoch()
	v.m.work()
	return v.m.value(p.x, p.run(&v.m, p.e)), nil
}

// Value returns the value that a text denotes, as [values.Parse] does. It fails once the context is
// done. Cost O(len(text)).
func (v *Evaluator) Value(text string) (of values.Value, err error) {
	defer abort.Caught(&err)
	v.m.spent.take(len(text))
	return values.Parse(text), nil
}

// machine returns an evaluator of constants.
func (s *Specification) machine() *machine {
	m := &machine{
		spent:     s.loader.spent,
		order:     s.loader.order,
		epochs:    &s.epochs,
		intervals: map[interval]values.Value{},
	}
	m.beginEpoch()
	return m
}
