package explain

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// demands returns a function that reports whether the property demands a label: to forbid what is awaited is
// poor advice. The result is nil if the property demands nothing, or if the type of its formula does not tell.
// A chain demands its steps, however it is written.
func (a *Analysis) demands(ctx context.Context) (func(lts.Label) bool, error) {
	steps, err := a.demandedSteps(ctx)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	isDemanded := labelsOf(steps, a.m.Alphabet())
	return func(l lts.Label) bool { return isDemanded[l] }, nil
}

// demandedSteps returns the steps that the property demands; none if it is not known which.
func (a *Analysis) demandedSteps(ctx context.Context) ([]property.Step, error) {
	if _, isChain := a.Property.Chain(); isChain {
		steps := make([]property.Step, a.Property.Steps())
		for i := range steps {
			steps[i] = a.Property.Step(i + 1)
		}
		return steps, nil
	}
	f, tells := a.Formula.(interface {
		Demanded(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !tells {
		return nil, nil
	}
	return f.Demanded(ctx, a.m.Alphabet())
}
