package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// StoppedError tells that work was stopped when the verdict was known, which the Explanation
// that comes with it has: by its context, or for want of memory.
type StoppedError struct {
	// Before is what was not done: the rest of it is as far from known as if it had not been
	// asked for.
	Before string
	Err    error
}

func (e *StoppedError) Error() string { return "stopped before " + e.Before + ": " + e.Err.Error() }

// Unwrap returns what stopped it.
func (e *StoppedError) Unwrap() error { return e.Err }

// The phases that come after a verdict, as errors tell them.
const (
	beforeShortest = "a shortest counterexample was known"
	beforeList     = "all shortest counterexamples were counted"
	beforeVacuity  = "it was known what the verdict depends on"
	beforeHolds    = "it was known how nearly it does not"
	beforeReason   = "the reason was known"
	beforeFairness = "it was known which fairness would help"
	beforeAdvice   = "advice"
	beforeUnfolded = "the unfolded model was known"
	beforeRest     = "all decisions were known"
)

// isStopped reports whether work failed because it was stopped, and not of itself.
func isStopped(ctx context.Context, err error) bool {
	return err != nil && (ctx.Err() != nil || errors.As(err, new(*resources.ExceededError)))
}

// Warned returns the explanation with one more warning. Cost O(warnings).
func (e *Explanation) Warned(text string) *Explanation {
	told := *e
	told.Warnings = append(slices.Clone(e.Warnings), text)
	return &told
}

// stopped returns, of a run that was stopped after the analysis, what [Check] tells: the verdict
// and the run, if that was found; nil if the work failed of itself.
func (p *parts) stopped(ctx context.Context, a *Analysis, before string, err error) (*Explanation, error) {
	if !isStopped(ctx, err) {
		return nil, err
	}
	known := newParts(a, p.o)
	if known.found.stats = p.found.stats; !a.Fates.Holds() {
		known.found.verdict = Violated
	}
	if run := p.found.run; run.trace != nil {
		known.found.verdict = Violated
		// What the classes say of it, which may be there in part, is left out.
		if told, _ := a.describeTrace(context.WithoutCancel(ctx), run.trace, run.told.Minimal); told != nil {
			told.keep(run.told)
			known.run = violation{a: a, trace: run.trace, told: told}
		}
	}
	known.values = known.run.describeValues(p.o.States)
	return known.explanation(), &StoppedError{before, err}
}

// The search for a shortest counterexample may make so many visits to states after it has found
// one, and so many for each place of model and property, where the options do not say it: some
// times what the worst of the models took that were drawn (see docs/semantics.md).
const (
	visitsAlways = 50_000_000
	visitsEach   = 200
)

func defaultLimit(m *lts.LTS, p *property.Property) int64 {
	return visitsAlways + visitsEach*int64(p.States())*(int64(m.NumStates())+int64(m.NumTransitions()))
}
