package explain

import (
	"context"

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// MemoryError is the error of work that [WithMemory] ended: in which phase, and what the
// limit was.
type MemoryError = resources.ExceededError

// WithMemory returns a context whose work, in all packages of this module, ends before the
// process takes more than so many bytes. Then [context.Cause] of it is a [*MemoryError]; the
// error of the work is the same, or [context.Canceled]. Until release is called, a goroutine
// looks at the memory of the process, up to 500 times a second.
func WithMemory(ctx context.Context, bytes int64) (limited context.Context, release func()) {
	limit := resources.Limit{Bytes: bytes, By: "allowed"}
	return resources.Join(resources.NewBudget(limit, nil).With(ctx))
}

// Progress is how far one phase of long work is. It may be read from any goroutine, while
// the work goes on.
type Progress struct{ meter *progress.Meter }

// Phase returns what is being done, such as "read".
func (p Progress) Phase() string { return p.meter.Phase }

// Done returns how much is done, in the unit of the phase.
func (p Progress) Done() int64 { return p.meter.Done() }

// Total returns how much there is to be done, in the unit of the phase; 0 if that is unknown.
func (p Progress) Total() int64 { return p.meter.Total }

// Unit returns what the phase counts: bytes, states, transitions or jobs; "" for a phase that
// cannot tell how far it is.
func (p Progress) Unit() string { return p.meter.Unit.String() }

// WithProgress returns a context whose work, in all packages of this module, tells started of
// each phase when it begins. Phases may overlap; started may be called by several goroutines.
func WithProgress(ctx context.Context, started func(Progress)) context.Context {
	return progress.Also(ctx, func(m *progress.Meter) { started(Progress{m}) })
}
