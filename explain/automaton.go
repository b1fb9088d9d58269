package explain

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// AutomatonSearch asks for a counterexample from a product automaton of model and property, as
// model checkers for linear time look for one. Package buchi has such searches, as FindInModel.
//
// If the search promises a shortest one of the automaton, [Check] also looks for a shortest one
// of the model, and says whether this one is as short. If it promises nothing or was stopped,
// [Check] does not say so.
type AutomatonSearch struct {
	// Find returns a counterexample and what it counted; no counterexample if it finds none.
	Find func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error)
	// Bound, if it is positive, is the number of states that Find's counterexamples stay below.
	// If there are none, Unbounded gives one that does not, and a warning says so.
	Bound     int
	Unbounded func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error)
	// Shortest reports whether Find gives a shortest counterexample of the automaton.
	Shortest bool
	// Anytime takes a counterexample that Find returns together with the error of a context that
	// is done for the result, and drops the error.
	Anytime bool
}

// searchAutomaton looks for a counterexample in the product automaton, and gives
// the verdict by whether there is one.
func (a *Analysis) searchAutomaton(ctx context.Context, o *AutomatonSearch) (outcome, error) {
	found := a.outcome()
	complete := true
	var trace *counterexample.Trace
	err := a.phase("search", func() (err error) {
		found.stats = new(counterexample.Stats)
		trace, *found.stats, err = o.Find(ctx, a.m, a.Property)
		switch {
		case err != nil && ctx.Err() != nil && o.Anytime && trace != nil:
			complete = false
			found.warnings = append(found.warnings, "the search was stopped before its end: there may be a shorter counterexample")
		case err != nil:
			return err
		case trace == nil && o.Bound > 0:
			// Whether the property holds does not depend on the bound.
			complete = false
			if trace, *found.stats, err = o.Unbounded(ctx, a.m, a.Property); err != nil {
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
	if !complete || !o.Shortest {
		return found, nil
	}
	// The length of a shortest run of the model is known, so this one is not called shortest yet.
	found.run.told.Minimal = counterexample.InProduct
	return found, a.phase("compare", func() error {
		shortest, err := counterexample.Shortest(ctx, a.m, a.Property, counterexample.Options{Components: a.Components})
		// A bad prefix is the soonest, which says nothing of the lengths of whole runs.
		if err == nil && shortest.Minimal == counterexample.InModel && shortest.Trace.Kind() != counterexample.Prefix && trace.Len() == shortest.Trace.Len() {
			found.run.told.setMinimal(counterexample.InModel)
		}
		if o.Anytime && ctx.Err() != nil {
			err = nil
		}
		return err
	})
}
