package explain

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/counterexample"
)

// AutomatonSearch asks for a counterexample from the product automaton of model and
// property (see [buchi.Product]), as model checkers for linear time
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
func (a *Analysis) searchAutomaton(ctx context.Context, o *AutomatonSearch) (outcome, error) {
	found := a.outcome()
	complete := true
	var trace *counterexample.Trace
	search := func(o buchi.FindOptions, improved func(buchi.Stats)) (t *counterexample.Trace, err error) {
		t, found.stats, err = a.findInAutomaton(ctx, o, improved)
		return t, err
	}
	err := a.phase("search", func() (err error) {
		trace, err = search(o.FindOptions, o.Improved)
		switch {
		case err != nil && ctx.Err() != nil && o.Anytime && trace != nil:
			complete = false
			found.warnings = append(found.warnings, "the search was stopped before its end: there may be a shorter counterexample")
		case err != nil:
			return err
		case trace == nil && o.Bound > 0:
			// Whether the property holds does not depend on the bound.
			complete = false
			if trace, err = search(buchi.FindOptions{}, o.Improved); err != nil {
				return err
			}
			if trace != nil {
				found.warnings = append(found.warnings, fmt.Sprintf("no counterexample is below the bound of %d states; this is the first one found", o.Bound))
			}
		}
		return nil
	})
	if err != nil || trace == nil {
		return found, err
	}
	found.verdict = Violated
	if found.run, err = a.describeFound(context.WithoutCancel(ctx), trace, counterexample.MinimalUnknown); err != nil {
		return found, err
	}
	if !complete || o.Algorithm == buchi.ByColour {
		return found, nil
	}
	// It is not called a shortest one, for the one of the model is known.
	found.run.told.Minimal = counterexample.InProduct
	return found, a.phase("compare", func() error {
		shortest, err := counterexample.Shortest(ctx, a.m, a.Property, counterexample.Options{Components: a.Components})
		if err == nil && trace.Len() == shortest.Trace.Len() {
			found.run.told.setMinimal(counterexample.InModel)
		}
		if o.Anytime && ctx.Err() != nil {
			err = nil
		}
		return err
	})
}

// findInAutomaton runs one search in the product, and returns what it counted.
func (a *Analysis) findInAutomaton(ctx context.Context, o buchi.FindOptions, improved func(buchi.Stats)) (*counterexample.Trace, *counterexample.Stats, error) {
	trace, stats, err := buchi.FindInModel(ctx, a.m, a.Property, o, func(_ *counterexample.Trace, s buchi.Stats) bool {
		if improved != nil {
			improved(s)
		}
		return true
	})
	return trace, &stats.Stats, err
}
