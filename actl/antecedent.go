package actl

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Antecedents returns the steps without which the property holds of a run whatever else
// it does, with their labels in a: requests, all but the last of what must not happen one
// after the other, what must be preceded, and the delimiters of the scope that it does
// not do without. Cost as for [BindAtoms].
func (f *Formula) Antecedents(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	var patterns []Pattern
	steps := f.main()
	switch f.kind {
	case property.KindResponse:
		patterns = append(patterns, steps[0])
	case property.KindNever:
		patterns = append(patterns, steps[:len(steps)-1]...)
	case property.KindPrecedes:
		patterns = append(patterns, steps[len(steps)-1])
	}
	from, to := f.delimiters()
	if from >= 0 {
		patterns = append(patterns, f.steps[from])
	}
	if to >= 0 && f.scope != property.AfterUntil {
		patterns = append(patterns, f.steps[to])
	}
	bound, _, err := BindAtoms(ctx, patterns, a)
	return bound, err
}
