package explain

import (
	"context"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Check reports whether the property f holds in m, and gives a shortest counterexample if it does
// not. It computes nothing else: fields of the Explanation that need more are empty. Errors are
// those of [Explain] and of a search in the product automaton. If the verdict is known when the
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
	p := newParts(a, o)
	before, err := p.check(ctx)
	p.values = p.run.describeValues(o.States)
	if isStopped(ctx, err) && (p.found.verdict == Violated || before != beforeShortest) {
		err = &StoppedError{before, err}
	}
	return p.explanation(), err
}

// check checks the property, and finds out the reason of a violation. If it fails, it returns
// what was to be found: after the first phase the verdict is known.
func (p *parts) check(ctx context.Context) (before string, err error) {
	p.found, p.all, err = p.a.check(ctx, p.o)
	p.run, p.warnings = p.found.run, append(p.warnings, p.found.warnings...)
	if err != nil {
		if p.a.Fates != nil && !p.a.Fates.Holds() {
			p.found.verdict = Violated
		}
		if p.run.told != nil && p.run.told.Minimal != counterexample.MinimalUnknown {
			return beforeList, err
		}
		return beforeShortest, err
	}
	return do(ctx,
		phase{beforeVacuity, p.warnOfVacuity},
		phase{beforeVacuity, p.warnOfAbsence},
		phase{beforeReason, p.reason},
	)
}

// warnOfAbsence warns of labels that no run does, where that is not said already.
func (p *parts) warnOfAbsence(ctx context.Context) error {
	if p.found.verdict != Violated || p.o.InAutomaton != nil {
		return nil
	}
	known := len(p.a.Warnings)
	err := p.a.warnOfAbsence(ctx, p.a.m)
	p.warnings = append(p.warnings, p.a.Warnings[known:]...)
	return err
}

// reason finds out the reason of a violation.
func (p *parts) reason(ctx context.Context) error {
	// A search that was stopped has left what it had found.
	if p.run.trace == nil || ctx.Err() != nil {
		return nil
	}
	if err := p.judgeConjuncts(ctx); err != nil {
		return err
	}
	return p.a.phase("diagnosis", func() (err error) {
		p.diagnosis, err = p.run.diagnoseChecked(ctx)
		return err
	})
}

func (a *Analysis) check(ctx context.Context, o Options) (found outcome, all *All, err error) {
	found = a.outcome()
	if a.fairness != nil || o.List > 0 || o.InAutomaton != nil {
		if err := a.findComponents(ctx, o); err != nil {
			return found, nil, err
		}
	}
	switch {
	case a.fairness != nil:
		if err := a.findFates(ctx, a.enriching(o)); err != nil {
			return found, nil, err
		}
		found, err = a.choose(ctx, o, nil)
		return found, nil, err
	case o.InAutomaton != nil:
		found, err = a.searchAutomaton(ctx, o.InAutomaton)
		return found, nil, err
	}
	found, err = a.searchShortest(ctx, o)
	if err == nil && o.List > 0 && found.run.trace != nil {
		err = a.phase("list", func() (err error) {
			all, err = a.list(ctx, o)
			return err
		})
	}
	return found, all, err
}
