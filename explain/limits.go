package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// ErrMemory matches, by [errors.Is], the error of work that was ended by the limit of [WithMemory].
// The text of that error has the phase and the limit.
var ErrMemory = resources.ErrExceeded

// WithMemory returns a context that limits the memory of the process to the given number of bytes,
// for work in all packages of this module. Before the process exceeds the limit, the context ends:
// then [context.Cause] of this context is an [ErrMemory], and the work fails with this error, or
// with [context.Canceled]. Until release is called, a goroutine reads the memory of the process up
// to 500 times a second.
func WithMemory(ctx context.Context, bytes int64) (limited context.Context, release func()) {
	limit := resources.Limit{Bytes: bytes, By: "allowed"}
	return resources.Join(resources.NewBudget(limit, nil).With(ctx))
}

// Progress is the progress of one phase of long work. It comes from [WithProgress]. Any goroutine may
// read it while the work continues.
type Progress struct{ meter *progress.Meter }

// Phase returns the name of the phase, such as "read".
func (p Progress) Phase() string { return p.meter.Phase }

// Done returns the amount of work that is done, in the unit of the phase.
func (p Progress) Done() int64 { return p.meter.Done() }

// Total returns the size of the whole phase, in its unit; 0 if it is unknown.
func (p Progress) Total() int64 { return p.meter.Total }

// Unit returns the unit in which the phase counts: bytes, states, transitions or jobs; "" for a
// phase whose progress is unknown.
func (p Progress) Unit() string { return p.meter.Unit.String() }

// WithProgress returns a context with which work in all packages of this module reports its
// progress: it calls started at the beginning of each phase. Phases may overlap, and several
// goroutines may call started.
func WithProgress(ctx context.Context, started func(Progress)) context.Context {
	return progress.Also(ctx, func(m *progress.Meter) { started(Progress{m}) })
}

// StoppedError reports that work was stopped, by its context or for lack of memory, after the
// verdict was known. The Explanation that is returned with it has the verdict.
type StoppedError struct {
	// Before describes the results that are missing. Their fields have the same values as if they
	// had not been requested.
	Before string
	Err    error
}

func (e *StoppedError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return fmt.Sprintf("stopped before %s: %v", e.Before, e.Err)
}

// Unwrap returns the error that stopped the work.
func (e *StoppedError) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// These texts, for errors, describe the results that are missing after a phase was stopped.
const (
	beforeShortest = "a shortest counterexample was known"
	beforeList     = "all shortest counterexamples were counted"
	beforeVacuity  = "it was known which elements of the property matter"
	beforeHolds    = "it was known by what margin it holds"
	beforeReason   = "the reason was known"
	beforeFairness = "it was known which fairness would help"
	beforeAdvice   = "advice"
	beforeUnfolded = "the unfolded model was known"
	beforeRest     = "all decisions were known"
	beforeAnother  = "all further counterexamples were known"
)

// isStopped reports whether work failed because its context is done or memory is short, and not for
// another reason.
func isStopped(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.Is(err, ErrMemory))
}

// Warned returns the explanation with one more warning. Cost O(warnings).
func (e *Explanation) Warned(text string) *Explanation {
	described := *e
	described.Warnings = append(slices.Clone(e.Warnings), text)
	return &described
}

// These are the limits of the search for a shortest counterexample if the options set none: the
// number of visits to states after the search has found a counterexample, and the number of visits
// for each product state. They are several times the visits for the worst random models
// (docs/semantics.md).
const (
	visitsAlways = 50_000_000
	visitsEach   = 200
)
