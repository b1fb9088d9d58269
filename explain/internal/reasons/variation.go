package reasons

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Failure is how a property fails: in the deadlock State, or else on a loop.
type Failure struct {
	Deadlock bool
	State    lts.State
}

// fairPasses is the number of passes through the product as which limits of work count a search for
// fair runs. Measured: it refines components by tasks several times, and each pass takes longer.
const fairPasses = 24

// Check returns how p fails in m, nil if it holds on every run that counts, and the number of
// product states and transitions that it visited. Cost as for [product.Unfold] and
// [product.Unfolding.AcceptingUnder].
func Check(ctx context.Context, m *lts.LTS, p *property.Property, fair *property.Fairness) (_ *Failure, _ int64, err error) {
	defer abort.Caught(&err)
	u := abort.Must(product.Unfold(ctx, m, p))
	work := int64(u.LTS().NumStates()) + int64(u.LTS().NumTransitions())
	if fair != nil {
		work *= fairPasses
	}
	if s, stops := violatingStop(u); stops {
		return &Failure{Deadlock: true, State: s}, work, nil
	}
	c := abort.Must(scc.Find(ctx, u.LTS(), "iterative"))
	violating := abort.Must(u.AcceptingUnder(ctx, c, p.Acceptance().Not(), fair))
	for i := range violating {
		if violating[i] {
			return &Failure{}, work, nil
		}
	}
	return nil, work, nil
}

// violatingStop returns the state of the nearest deadlock where a run violates the property.
func violatingStop(u *product.Unfolding) (lts.State, bool) {
	for s := range lts.State(u.LTS().NumStates()) {
		if at := u.At(s); u.LTS().IsDeadlock(s) && !u.Property().Stops(at.Q) {
			return at.State, true
		}
	}
	return 0, false
}
