package explain

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// demands returns a function that reports whether the formula demands a label: to forbid what is awaited is
// poor advice. The result is nil if the formula demands nothing, or if its type does not tell.
func (a *Analysis) demands(ctx context.Context) (func(lts.Label) bool, error) {
	f, tells := a.Formula.(interface {
		Demanded(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !tells {
		return nil, nil
	}
	steps, err := f.Demanded(ctx, a.m.Alphabet())
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	isDemanded := labelsOf(steps, a.m.Alphabet())
	return func(l lts.Label) bool { return isDemanded[l] }, nil
}
