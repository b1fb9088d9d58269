package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/product"
)

// Idle describes a violation in a model whose runs may forever take steps that change nothing,
// although other steps are possible; see [Source.Unsettled].
type Idle struct {
	// Only reports whether each violating run ends with such steps. If so, the property holds if
	// steps that change something are eventually taken, WF_vars(Next) in TLA+.
	Only bool `json:"only"`
	// Shorter is the length of a shorter violating run that ends with such steps; 0 if there is none.
	Shorter int `json:"shorter,omitempty"`
	// If Shorter is not 0, Minimal says among which runs without such steps the counterexample is a
	// shortest one; otherwise it is unset.
	Minimal counterexample.Minimality `json:"minimal"`
}

// preferChanges prefers runs that change something. If the loop of the run that was found only
// takes steps that change nothing although other steps are possible, preferChanges replaces the run
// by a shortest violating run without such steps. If there is none, it finds out whether the
// property holds under fairness of the other steps.
func (a *Analysis) preferChanges(ctx context.Context, o Options, found *outcome) error {
	if !isIdleForever(found.run.trace, a.m) {
		found.isSettled = true
		return nil
	}
	changing, err := a.m.Without(func(t lts.Transition) bool {
		return isIdleStep(t, a.m)
	})
	if err != nil {
		return err
	}
	r, err := a.shortestIn(ctx, changing, counterexample.Options{
		Engine: o.Engine,
		Limit:  a.limited(o).Limit,
	})
	if err != nil {
		return err
	}
	if r.Trace == nil {
		return a.findOnlyIdle(ctx, o, found)
	}
	trace, err := a.amongAllRuns(ctx, o, r.Trace)
	if err != nil || trace == nil {
		return err
	}
	trace, err = a.keepTogether(ctx, trace)
	if err != nil {
		return err
	}
	found.isSettled = true
	idleLength := found.run.trace.Len() - before(a.m, found.run.trace.Len())
	isIdleShorter := found.run.trace.Len() < trace.Len()
	minimal := found.run.described.Minimal
	if isIdleShorter {
		minimal = counterexample.MinimalUnknown
	}
	if err := found.describe(ctx, trace, minimal); err != nil {
		return err
	}
	if isIdleShorter {
		found.run.described.Idle = &Idle{Shorter: idleLength, Minimal: r.Minimal}
	}
	return nil
}

// amongAllRuns turns a run of the model without some transitions into a run of the whole model. It
// returns nil if the run does not violate the property there, because its end has other
// continuations in the whole model.
func (a *Analysis) amongAllRuns(
	ctx context.Context,
	o Options,
	found *counterexample.Trace,
) (*counterexample.Trace, error) {
	if found.Kind() != counterexample.Prefix {
		loop, loops := found.LoopStart()
		if !loops {
			loop = int(noLoopStart)
		}
		return counterexample.NewViolating(a.m, a.Property, found.Steps(), loop)
	}
	if a.Fates == nil {
		if err := a.findFates(ctx, o); err != nil {
			return nil, err
		}
	}
	end := product.State{State: found.Last(), Q: found.At(found.Len())}
	if !a.Fates.At(end.State, end.Q).IsLost() {
		return nil, nil
	}
	return counterexample.NewStem(a.m, a.Property, found.Steps(), counterexample.Prefix)
}

// findOnlyIdle finds out whether the property holds if steps that change something are eventually taken.
func (a *Analysis) findOnlyIdle(ctx context.Context, o Options, found *outcome) error {
	changes, err := actl.ParseAssumption(ctx, Changes)
	if err != nil {
		return err
	}
	e, err := Check(ctx, a.m, a.Formula, Options{
		Fair:   []*actl.Assumption{changes},
		Engine: o.Engine,
		Queue:  o.Queue,
	})
	if err != nil {
		return fmt.Errorf("under %s: %w", Changes, err)
	}
	if e.Verdict == Satisfied {
		found.isSettled = true
		found.run.described.Idle = &Idle{Only: true}
	}
	return nil
}

// Changes is the assumption that steps which change something are eventually taken if one of them
// stays possible.
const Changes = "weak!:*"

// isIdleStep reports whether a step changes nothing, although its state has a step that does.
func isIdleStep(t lts.Transition, m *lts.LTS) bool {
	if t.From != t.To {
		return false
	}
	for _, to := range m.From(t.From) {
		if to != t.From {
			return true
		}
	}
	return false
}

// isIdleForever reports whether a run has a loop that consists of idle steps.
func isIdleForever(run *counterexample.Trace, m *lts.LTS) bool {
	start, loops := run.LoopStart()
	if !loops {
		return false
	}
	isChange := func(t lts.Transition) bool { return !isIdleStep(t, m) }
	return !slices.ContainsFunc(run.Steps()[start:], isChange)
}
