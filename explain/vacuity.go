package explain

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// conditional is a formula that holds of a run whatever it does unless certain steps
// happen on it.
type conditional interface {
	Antecedents(context.Context, *lts.Alphabet) ([]property.Step, error)
}

// warnOfVacuity warns where the property holds because something that it is about never
// happens: no run of the model does it. Cost O(S + T).
func (e *Explanation) warnOfVacuity(ctx context.Context, m *lts.LTS) error {
	f, is := e.formula.(conditional)
	if !is || e.Verdict != Satisfied {
		return nil
	}
	steps, err := f.Antecedents(ctx, m.Alphabet())
	if err != nil || len(steps) == 0 {
		return err
	}
	if err := m.FindReachable(ctx); err != nil {
		return err
	}
	happen := bitset.New[lts.Label](m.Alphabet().Len())
	for i := range m.NumStates() {
		if i&(1<<16-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s := lts.State(i); m.Reachable().Has(s) {
			labels, _ := m.Out(s)
			for i := range labels.Len() {
				l := labels.At(i)
				happen.Add(l)
			}
		}
	}
	said := map[string]bool{}
	for _, step := range steps {
		does := false
		for _, l := range step.Labels {
			does = does || happen.Has(l)
		}
		if text := step.Pattern.String(); !does && !said[text] {
			said[text] = true
			e.Warnings = append(e.Warnings, fmt.Sprintf("the property holds, but %s never happens", text))
		}
	}
	return nil
}
