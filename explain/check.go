package explain

import (
	"context"
	"github.com/inev-lts/inev/counterexample"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Check reports whether the property f holds in m, and gives a shortest
// counterexample where it does not; nothing else is computed, and fields of the
// Explanation that need more are left empty. Errors as for [Explain] and, for a
// search in the product automaton, for [buchi.FindInModel]. If the verdict is known when the
// work is stopped, the error is a [*StoppedError], and the Explanation holds the verdict and the
// run, if one is known.
func Check(ctx context.Context, m *lts.LTS, f property.Formula, o Options) (*Explanation, error) {
	o.Search, o.Unfold = Search{}, false
	m, _, err := WithValues(ctx, m, f, &o.Source)
	if err != nil {
		return nil, err
	}
	a, err := prepare(ctx, m, f, o)
	if err != nil {
		return nil, err
	}
	e := newExplanation(m, a, o)
	before, err := e.checkAll(ctx, m, a, o)
	e.describeValues(o.States)
	e.setCost(m, a.Phases, o)
	if isStopped(ctx, err) && (e.Verdict == Violated || before != beforeShortest) {
		err = &StoppedError{before, err}
	}
	return e, err
}

// checkAll checks the property, and finds out the reason of a violation. If it fails, it returns
// what it had to do: all but the first is done when the verdict is known.
func (e *Explanation) checkAll(ctx context.Context, m *lts.LTS, a *Analysis, o Options) (before string, err error) {
	if err := e.check(ctx, a, o); err != nil {
		if a.Fates != nil && !a.Fates.Holds() {
			e.Verdict = Violated
		}
		if e.Counterexample != nil && e.Counterexample.Minimal != counterexample.MinimalUnknown {
			return beforeList, err
		}
		return beforeShortest, err
	}
	if err := e.warnOfVacuity(ctx, m); err != nil {
		return beforeVacuity, err
	}
	if e.Verdict == Violated && o.InAutomaton == nil {
		known := len(a.Warnings)
		if err := a.warnOfAbsence(ctx, m); err != nil {
			return beforeVacuity, err
		}
		e.Warnings = append(e.Warnings, a.Warnings[known:]...)
	}
	// A search that was stopped has left what it had found.
	if e.trace == nil || ctx.Err() != nil {
		return "", nil
	}
	return beforeReason, e.diagnoseChecked(ctx, a, o)
}

func (e *Explanation) check(ctx context.Context, a *Analysis, o Options) error {
	if a.fairness != nil {
		if err := a.findComponents(ctx, e.lts, o); err != nil {
			return err
		}
		if err := a.findFates(ctx, o); err != nil {
			return err
		}
		return e.choose(ctx, a, o)
	}
	if !a.inSteps() && o.InAutomaton != nil {
		return property.NotChainError{Property: a.Property.String(), What: "a search in the product with a Büchi automaton"}
	}
	if o.List > 0 || o.InAutomaton != nil {
		if err := a.findComponents(ctx, e.lts, o); err != nil {
			return err
		}
	}
	if o.InAutomaton != nil {
		return e.searchAutomaton(ctx, a, o.InAutomaton)
	}
	err := e.searchShortest(ctx, a, o)
	if err == nil && o.List > 0 && e.trace != nil {
		err = a.phase("list", func() error {
			return e.list(ctx, a, o)
		})
	}
	return err
}

// decide adds what the classes tell: neighbourhoods, and what the
// counterexample has to do with them.
func (e *Explanation) decide(ctx context.Context, a *Analysis) error {
	classes := Classes(a.Classification.Counts())
	e.Reading, e.Classes = a.Classification.Reading(), &classes
	if e.trace == nil {
		return nil
	}
	if err := e.markTrace(ctx, a); err != nil {
		return err
	}
	if err := e.describeDecisions(ctx, a); err != nil {
		return err
	}
	if err := e.describeExits(ctx, a); err != nil {
		return err
	}
	if err := e.describeLoss(ctx, a); err != nil {
		return err
	}
	return e.diagnose(ctx, a, e.Loss)
}
