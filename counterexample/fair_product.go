package counterexample

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// fairOfTable is [fairOfChain] for a property that is no chain, with its fates under an
// assumption.
//
// A property about safety is violated by a bad prefix of [badPrefix], which every finite run
// is that goes on fairly, unless labels are to be done finitely often. Elsewhere the trace
// is one of [Fair] in the product of model and property: its loop closes there, and meets
// the colours by which the condition is not satisfied. Under full fairness it is the
// shortest run after which almost no run satisfies the property. It fails if ctx is
// done, and where the complement of the condition takes more than 1,024 pairs. Cost as for
// [Fair] in the product, for each of these pairs.
func fairOfTable(ctx context.Context, fates *fate.Map) (*Result, error) {
	return searchFairOf(ctx, fates, looksIn(fates.LTS()))
}

// searchFairOf is [fairOfTable] with these limits.
func searchFairOf(ctx context.Context, fates *fate.Map, most looks) (*Result, error) {
	f, p := fates.Fairness(), fates.Property()
	if !f.Excludes() {
		r, safety, err := badPrefix(ctx, fates.LTS(), p)
		if err == nil && safety && f.Full() && r.Trace != nil {
			// A run is violated, almost surely, once the property is lost.
			var steps int
			steps, err = stepsToLoss(ctx, fates)
			r.Minimal = ifShortest(steps == r.Trace.Len())
		}
		if err != nil || safety {
			return r, err
		}
	}
	u, err := fates.Unfold(ctx)
	if err != nil {
		return &Result{}, err
	}
	x := &fair{ctx: ctx, m: u.LTS(), u: u, fates: fates, f: f, most: most}
	r, err := x.search()
	if err == nil && r.Minimal != MinimalUnknown && !f.Full() && p.States() > 1 {
		r.Minimal = InProduct
	}
	return r, err
}

// stepsToLoss returns the number of steps after which the property is lost soonest. Places of
// the product are numbered breadth first.
func stepsToLoss(ctx context.Context, fates *fate.Map) (int, error) {
	u, err := fates.Unfold(ctx)
	if err != nil {
		return 0, err
	}
	steps, err := resources.Make[uint32](ctx, u.LTS().NumStates())
	if err != nil {
		return 0, err
	}
	met := lts.State(0)
	for s := range lts.State(u.LTS().NumStates()) {
		if s&(1<<14-1) == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if at := u.Place(s); fates.At(at.State, at.Q) == fate.Lost {
			return int(steps[s]), nil
		}
		_, targets := u.LTS().Out(s)
		for _, t := range targets {
			if t > met {
				met, steps[t] = t, steps[s]+1
			}
		}
	}
	return 0, nil
}

// lower returns the transitions of the model that those of the product stand for.
func (x *fair) lower(steps []lts.Transition) []lts.Transition {
	model := make([]lts.Transition, len(steps))
	for i, t := range steps {
		model[i] = lts.Transition{From: x.u.Place(t.From).State, Label: t.Label, To: x.u.Place(t.To).State}
	}
	return model
}

// setsInProduct returns the sets of the product in which fair runs can stay for ever and
// violate the property, for each pair of its complement.
func (x *fair) setsInProduct() ([]fairSet, error) {
	pairs, ok := x.u.Property().Acceptance().Not().Pairs(mostPairs)
	if !ok {
		return nil, fmt.Errorf("counterexample: the complement of the acceptance condition of %s has more than %d pairs", x.u.Property(), mostPairs)
	}
	c, err := x.fates.UnfoldedComponents(x.ctx)
	if err != nil {
		return nil, err
	}
	var all []fairSet
	for _, pair := range pairs {
		part, parts, err := x.u.Recurring(x.ctx, c, pair.Fin, pair.Inf, x.f)
		if err != nil {
			return nil, err
		}
		sets := make([]fairSet, parts)
		for s, of := range part {
			if of == 0 {
				continue
			}
			set := &sets[of-1]
			if len(set.states) == 0 {
				*set = fairSet{step: 1, near: x.nearest(lts.State(s), 0), pair: pair}
			}
			set.near = min(set.near, x.nearest(lts.State(s), 0))
			set.states = append(set.states, lts.State(s))
		}
		all = append(all, sets...)
	}
	slices.SortStableFunc(all, func(a, b fairSet) int { return a.near - b.near })
	return all, nil
}
