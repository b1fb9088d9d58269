package explain

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/counterexample"
)

// AutomatonSearch asks for a counterexample from the product automaton of model and
// property (see [buchi.Violations]), as model checkers for linear time
// look for one.
//
// For the algorithms that promise a shortest one of the automaton, [Check] also
// looks for a shortest one of the model, to tell whether this one is as short;
// of what ByColour finds, and of what a search has found that was stopped,
// that is not said.
type AutomatonSearch struct {
	// FindOptions are the algorithm and the bound. Where all counterexamples reach
	// the bound, the first one that is found is taken, with a warning.
	buchi.FindOptions
	// Anytime gives the best counterexample so far where the context is done in a
	// search by Contrex that has found one, in place of the context's error.
	Anytime bool
	// Improved, if it is not nil, is called with the statistics of each
	// counterexample that is found.
	Improved func(buchi.Stats)
}

// searchAutomaton looks for a counterexample in the product automaton, and gives
// the verdict by whether there is one.
func (e *Explanation) searchAutomaton(ctx context.Context, a *Analysis, o *AutomatonSearch) error {
	complete := true
	err := a.phase("search", func() error {
		trace, err := e.findInAutomaton(ctx, a, o.FindOptions, o.Improved)
		switch {
		case err != nil && ctx.Err() != nil && o.Anytime && trace != nil:
			complete = false
			e.Warnings = append(e.Warnings, "the search was stopped before its end: there may be a shorter counterexample")
		case err != nil:
			return err
		case trace == nil && o.Bound > 0:
			// Whether the property holds does not depend on the bound.
			complete = false
			if trace, err = e.findInAutomaton(ctx, a, buchi.FindOptions{}, o.Improved); err != nil {
				return err
			}
			if trace != nil {
				e.Warnings = append(e.Warnings, fmt.Sprintf("no counterexample is below the bound of %d states; this is the first one found", o.Bound))
			}
		}
		e.trace = trace
		return nil
	})
	if err != nil || e.trace == nil {
		return err
	}
	e.Verdict = Violated
	if e.Counterexample, err = e.describeTrace(context.WithoutCancel(ctx), a, e.trace, counterexample.MinimalUnknown); err != nil {
		return err
	}
	if !complete || o.Algorithm == buchi.ByColour {
		return nil
	}
	// It is not called a shortest one, for the one of the model is known.
	e.Counterexample.Minimal = counterexample.InProduct
	return a.phase("compare", func() error {
		shortest, err := counterexample.Shortest(ctx, e.lts, a.Property, counterexample.Options{Components: a.Components})
		if err == nil && e.trace.Len() == shortest.Trace.Len() {
			e.Counterexample.setMinimal(counterexample.InModel)
		}
		if o.Anytime && ctx.Err() != nil {
			err = nil
		}
		return err
	})
}

// findInAutomaton runs one search in the product, and notes what it counted.
func (e *Explanation) findInAutomaton(ctx context.Context, a *Analysis, o buchi.FindOptions, improved func(buchi.Stats)) (*counterexample.Trace, error) {
	trace, stats, err := buchi.FindInModel(ctx, e.lts, a.Property, o, func(_ *counterexample.Trace, s buchi.Stats) bool {
		if improved != nil {
			improved(s)
		}
		return true
	})
	e.Stats = &stats.Stats
	return trace, err
}
