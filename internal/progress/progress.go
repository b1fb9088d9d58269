// Package progress lets long computations report their progress: their context
// may carry an [Observer], and each phase of the work starts a [Meter] and adds
// to it.
//
// The invariant that holds inside: a meter belongs to one phase of one
// computation, only counts up, and may be read from any goroutine. Without an
// observer, no meter exists and nothing is counted.
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
	// Nothing is the unit of phases that cannot report how far they are.
	Nothing
)

// Meter counts how much of a phase is done. [Start] returns a nil Meter, which
// ignores all calls, if there is no observer.
type Meter struct {
	// Phase is the name of the phase, such as "read".
	Phase string
	Unit  Unit
	// Total is the amount of the whole phase, 0 if that is unknown.
	Total int64
	done  atomic.Int64
	again func()
}

// Each makes the meter call f after each Add. It is for an [Observer] on a system with one thread,
// where no other thread could call the observer; f must be quick.
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

// Observer is called with the meter of each phase when the phase starts. Phases may overlap if
// several cores work.
type Observer func(*Meter)

type key struct{}

// With returns a context whose work is observed.
func With(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, key{}, o)
}

// Also returns a context whose work is observed by o, and by the observer of ctx.
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

// String returns the phase and its progress: "search, 1,200 of 5,000 states".
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
	return [...]string{Bytes: "bytes", States: "states", Transitions: "transitions", Jobs: "jobs", Events: "events", Nothing: ""}[u]
}

// noun returns the text after a formatted amount; amounts of bytes already have their unit.
func (u Unit) noun() string {
	if u == Bytes || u == Nothing {
		return ""
	}
	return " " + u.String()
}

// Start starts a phase; total is 0 if its amount is unknown. It returns nil,
// whose Add does nothing, if the context has no observer.
func Start(ctx context.Context, phase string, unit Unit, total int64) *Meter {
	o, observed := ctx.Value(key{}).(Observer)
	if !observed || o == nil {
		return nil
	}
	m := &Meter{Phase: phase, Unit: unit, Total: total}
	o(m)
	return m
}
