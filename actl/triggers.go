package actl

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Triggers returns the steps that oblige a run to something, with their labels in a: the
// request of a response, and what begins a scope. What must not happen, must be preceded or
// ends a scope is none. Cost as for [BindAtoms].
func (f *Formula) Triggers(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	var patterns []Pattern
	if f.kind == property.KindResponse {
		patterns = append(patterns, f.main()[0])
	}
	if from, _ := f.delimiters(); from >= 0 {
		patterns = append(patterns, f.steps[from])
	}
	bound, _, err := BindAtoms(ctx, patterns, a)
	return bound, err
}
