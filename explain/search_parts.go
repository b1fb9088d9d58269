package explain

import (
	"context"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/property"
)

// shortest looks for a shortest counterexample: of each condition that the property joins, if that is
// not much more work, and else of the whole. A condition has fewer states, and so a loop closes in the
// model that does not close in the product with all of the property.
func (a *Analysis) shortest(ctx context.Context, o counterexample.Options) (*counterexample.Result, error) {
	var conditions []*property.Property
	if a.Property.States() > 1 {
		var err error
		if _, conditions, err = a.conditions(ctx); err != nil {
			return nil, err
		}
	}
	states := 0
	for _, p := range conditions {
		states += p.States()
	}
	if states <= 2*a.Property.States() {
		if r, err := a.shortestOf(ctx, conditions, o); r != nil || err != nil {
			return r, err
		}
	}
	return counterexample.Shortest(ctx, a.m, a.Property, o)
}

// conditions returns the conditions that the formula joins, and as properties; none if there is only one.
func (a *Analysis) conditions(ctx context.Context) (parts []property.Formula, all []*property.Property, err error) {
	joined, is := a.Formula.(interface{ Conjuncts() []property.Formula })
	if !is || a.Property.Steps() > 0 {
		return nil, nil, nil
	}
	parts = joined.Conjuncts()
	if len(parts) < 2 || len(parts) > mostConjuncts {
		return nil, nil, nil
	}
	for _, part := range parts {
		p, _, err := part.Bind(ctx, a.Property.Alphabet())
		if err != nil {
			return nil, nil, err
		}
		all = append(all, p)
	}
	return parts, all, nil
}

// shortestOf returns a shortest run that violates one of some conditions, and so the property that joins
// them: a shortest one of the model, or nil if that is not known. If it is stopped, it returns the
// shortest one that was found.
func (a *Analysis) shortestOf(ctx context.Context, conditions []*property.Property, o counterexample.Options) (*counterexample.Result, error) {
	if len(conditions) == 0 {
		return nil, nil
	}
	best := &counterexample.Result{Minimal: counterexample.InModel}
	o.Fates = nil
	for _, p := range conditions {
		r, err := counterexample.Shortest(ctx, a.m, p, o)
		if err != nil {
			best.Minimal = counterexample.MinimalUnknown
			best.Violated = best.Violated || r != nil && r.Violated
			return best, err
		}
		best.Stats.Stored, best.Stats.Matched = best.Stats.Stored+r.Stats.Stored, best.Stats.Matched+r.Stats.Matched
		if r.Trace == nil {
			continue
		}
		if r.Minimal != counterexample.InModel || r.Trace.Kind() == counterexample.Prefix {
			return nil, nil
		}
		best.Stats.Found, best.Violated = best.Stats.Found+r.Stats.Found, true
		if best.Trace != nil && best.Trace.Len() <= r.Trace.Len() {
			continue
		}
		if best.Trace, err = counterexample.Under(a.m, r.Trace, a.Property); err != nil {
			return nil, err
		}
		best.Stats.Length = r.Stats.Length
	}
	return best, nil
}
