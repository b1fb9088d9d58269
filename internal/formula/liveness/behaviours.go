package liveness

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// behaviours returns the fairness of Spec for an instance whose verdict may not need it, such as an
// invariant. The formula has all that Spec asks for besides fairness as further conjuncts. m is nil if the
// fairness of Spec cannot be evaluated, or Spec allows no run.
func (g *Graph) behaviours(
	ctx context.Context,
	i Instance,
) (m *lts.LTS, f property.Formula, fair []*actl.Assumption, err error) {
	if g.merging != nil || g.wrong != nil || g.begunOutside {
		return nil, nil, nil, nil
	}
	w := &writer{g: g, ctx: ctx, number: map[string]int{}}
	all, err := w.formulas(append(slices.Clone(g.assumed), i.of))
	if err != nil {
		return nil, nil, nil, err
	}
	q, err := g.question(ctx, w, temporal.And(all...), i.Name, nil, g.fair)
	if err != nil {
		return nil, nil, nil, err
	}
	return q.Model, q.Formula, q.Fair, nil
}
