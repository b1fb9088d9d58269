package explain

import (
	"context"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// repairPlainly finds a repair as if there were no assumption. All runs of the repaired model
// satisfy the property then, so those that count do. Under full fairness, a repair whose runs must
// not stay forever in some components is enough if no fair run does; repairPlainly checks that. If
// it finds no repair, r is nil. noRun reports that no run at all satisfies the property.
func (v violation) repairPlainly(
	ctx context.Context,
	isFull bool,
) (r *Repair, noRun bool, err error) {
	// Under justness, runs may stop before a blocking action, so that more runs count.
	if v.a.fairness.Justness() != nil {
		return nil, false, nil
	}
	plain, err := v.withoutAssumption(ctx)
	if err != nil || plain.trace == nil {
		return nil, false, err
	}
	if !plain.isHopeful(0) {
		return nil, true, nil
	}
	// Under an assumption "finitely", it may be that no run counts that keeps to the repair.
	if v.a.fairness.Excludes() {
		return nil, false, nil
	}
	var found advised
	if _, err := plain.advise(ctx, true, &found); err != nil || found.Repair == nil {
		return nil, false, err
	}
	r = found.Repair
	// The search under the assumption has found the smallest cut already.
	r.Cut = nil
	r.CutAtLeast = 0
	if !r.Solvable {
		return nil, false, nil // fairness may help where a supervisor does not
	}
	if len(r.NotForEver) == 0 {
		return r, false, nil
	}
	isEnough, err := v.isEnoughFairly(ctx, isFull, found.advice.Repair)
	if err != nil || !isEnough {
		return nil, false, err
	}
	r.NotForEver = []NotForEver{}
	r.FairChoices = nil
	r.EnoughAlone = true
	return r, false, nil
}

// withoutAssumption returns a shortest violation of the same property among all runs of the model.
func (v violation) withoutAssumption(ctx context.Context) (violation, error) {
	a := *v.a
	a.fairness = nil
	fates, err := fate.Of(ctx, a.m, a.Property, fate.Options{})
	if err != nil {
		return violation{}, err
	}
	a.Fates = fates
	shortest, err := counterexample.Shortest(ctx, a.m, a.Property, counterexample.Options{})
	if err != nil {
		return violation{}, err
	}
	return violation{a: &a, trace: shortest.Trace}, nil
}

// isEnoughFairly reports whether, under full fairness, the property holds in the model that a repair
// leaves, even if nothing keeps a run from staying in a component.
func (v violation) isEnoughFairly(
	ctx context.Context,
	isFull bool,
	r *repair.Repair,
) (bool, error) {
	if !isFull {
		return false, nil
	}
	left, _, err := r.Apply(ctx, v.a.m)
	if err != nil {
		return false, err
	}
	o := fate.Options{}
	o.Fairness = v.a.fairness
	fates, err := fate.Of(ctx, left, v.a.Property, o)
	if err != nil {
		return false, err
	}
	return fates.Holds(), nil
}
