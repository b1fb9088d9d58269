// Package progress lets long work tell how far it is, to whoever cares: the
// context that the work is given carries an [Observer], and each phase of the
// work starts a [Meter] and adds to it.
//
// The invariant that holds inside: a meter only counts up, by one phase of one
// piece of work, and may be read from any goroutine. Without an observer, no
// meter exists and nothing is counted.
package progress

import (
	"context"
	"sync/atomic"
)

// Unit is what a phase counts.
type Unit uint8

// The units.
const (
	Bytes Unit = iota
	States
	Transitions
	Jobs
	Events
	// Nothing is the unit of phases that cannot tell how far they are.
	Nothing
)

// Meter counts how much of a phase is done. A nil Meter, which [Start] returns
// where nobody observes, ignores all calls.
type Meter struct {
	// Phase is what is being done, such as "read".
	Phase string
	Unit  Unit
	// Total is how much there is to be done, 0 if that is unknown.
	Total int64
	done  atomic.Int64
	again func()
}

// Each lets the work call a function whenever it has counted. It is for an [Observer] that
// nothing else would wake, as where there is one thread only; it must be quick.
func (m *Meter) Each(f func()) { m.again = f }

// Add reports that n more units are done. It may be called by many goroutines.
// Cost O(1); callers gather some thousand units for a call.
func (m *Meter) Add(n int64) {
	if m == nil {
		return
	}
	m.done.Add(n)
	if m.again != nil {
		m.again()
	}
}

// Done returns how many units are done. Cost O(1).
func (m *Meter) Done() int64 {
	if m == nil {
		return 0
	}
	return m.done.Load()
}

// Observer is told of each phase when it starts. Phases may overlap, where
// several cores are at work.
type Observer func(*Meter)

type key struct{}

// With returns a context whose work is observed.
func With(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, key{}, o)
}

// Also returns a context whose work is observed by o, and by whoever observes the
// work of ctx.
func Also(ctx context.Context, o Observer) context.Context {
	first, observed := ctx.Value(key{}).(Observer)
	if !observed || first == nil {
		return With(ctx, o)
	}
	return With(ctx, func(m *Meter) {
		first(m)
		o(m)
	})
}

// String says what is being done, and how far it is: "search, 1,200 of 5,000 states".
// Cost O(1).
func (m *Meter) String() string {
	done := m.Done()
	if m.Unit == Nothing || done == 0 && m.Total == 0 {
		return m.Phase
	}
	text := m.Phase + ", " + m.Unit.Format(done)
	if m.Total > 0 {
		text += " of " + m.Unit.Format(m.Total)
	}
	return text + m.Unit.noun()
}

// String returns the name of the unit, "" for [Nothing]. Cost O(1).
func (u Unit) String() string {
	switch u {
	case Bytes:
		return "bytes"
	case States:
		return "states"
	case Transitions:
		return "transitions"
	case Jobs:
		return "jobs"
	case Events:
		return "events"
	}
	return ""
}

// noun returns what follows an amount, which says itself when it counts bytes.
func (u Unit) noun() string {
	if u == Bytes || u == Nothing {
		return ""
	}
	return " " + u.String()
}

// Start starts a phase; total is 0 if nobody knows how long it will be. It
// returns nil, on which Add does nothing, where the context has no observer.
func Start(ctx context.Context, phase string, unit Unit, total int64) *Meter {
	o, observed := ctx.Value(key{}).(Observer)
	if !observed || o == nil {
		return nil
	}
	m := &Meter{Phase: phase, Unit: unit, Total: total}
	o(m)
	return m
}
