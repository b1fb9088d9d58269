package explain

import (
	"context"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// fairlyViolated returns the fates of some properties: a run violates one of them if and only if it
// violates the property of a. It is this property alone, if its violations can be found in the model;
// otherwise they are the conditions that the formula joins by "and", as far as these do not hold: their
// products are small, or not needed. Cost as for [fate.Compute] for each.
func (a *Analysis) fairlyViolated(ctx context.Context) ([]*fate.Map, error) {
	whole := []*fate.Map{a.Fates}
	joined, is := a.Formula.(interface{ Conjuncts() []property.Formula })
	if a.inSteps() || a.fairness != nil || !is || assume.InModel(a.Fates) {
		return whole, nil
	}
	parts := joined.Conjuncts()
	if len(parts) < 2 || len(parts) > mostConjuncts {
		return whole, nil
	}
	labels, err := a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	var all []*fate.Map
	for _, part := range parts {
		p, _, err := part.Bind(ctx, labels)
		if err != nil {
			return nil, err
		}
		fates, err := fate.Compute(ctx, a.Components, p, enrich.Options{})
		if err != nil {
			return nil, err
		}
		if !fates.Holds() {
			all = append(all, fates)
		}
	}
	if len(all) == 0 {
		return whole, nil
	}
	return all, nil
}

// unfoldedSizes returns how many transitions the products have that are needed to find out under
// which fairness properties hold.
func unfoldedSizes(all []*fate.Map) (transitions int64) {
	for _, fates := range all {
		if !assume.InModel(fates) {
			transitions += unfoldedSize(fates)
		}
	}
	return transitions
}
