// Package progress lets long computations report their progress: their context
// may carry an [Observer], and each phase of the work starts a [Meter] and adds
// to it. A meter belongs to one phase of one computation, only counts up, and
// may be read from any goroutine. Without an observer, no meter exists and
// nothing is counted.
package progress

import (
	"context"
	"fmt"
	"strconv"
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
	if m.Unit == Bytes { // whose amounts have their unit
		return text
	}
	return text + " " + m.Unit.String()
}

// String returns the name of the unit, "" for [Nothing]. Cost O(1).
func (u Unit) String() string {
	return [...]string{
		Bytes:       "bytes",
		States:      "states",
		Transitions: "transitions",
		Jobs:        "jobs",
		Events:      "events",
		Nothing:     "",
	}[u]
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

// Format writes an amount of the unit for people to read: bytes with at least two
// digits and a unit of their size, such as 1.5 GB, and everything else with a
// comma before each three digits. Cost O(1).
func (u Unit) Format(n int64) string {
	if u == Bytes {
		units := [...]string{"bytes", "kB", "MB", "GB", "TB", "PB", "EB"}
		value := float64(n)
		unit := 0
		for value >= 999.5 {
			value /= 1000
			unit++
		}
		if unit > 0 && value < 9.95 {
			return fmt.Sprintf("%.1f %s", value, units[unit])
		}
		return fmt.Sprintf("%.0f %s", value, units[unit])
	}
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
