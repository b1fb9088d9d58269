package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
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
	if e.Verdict != Satisfied {
		return nil
	}
	// What never happens is worth a warning only where it is asked for.
	e.Warnings = slices.DeleteFunc(e.Warnings, func(w string) bool { return strings.HasSuffix(w, actl.NeverHappens) })
	f, is := e.formula.(conditional)
	if !is {
		return nil
	}
	steps, err := f.Antecedents(ctx, m.Alphabet())
	if err != nil || len(steps) == 0 {
		return err
	}
	happening, err := m.Happening(ctx)
	if err != nil {
		return err
	}
	said := map[string]bool{}
	for _, step := range steps {
		does := slices.ContainsFunc(step.Labels, happening.Happens)
		for l := range happening.All() {
			does = does || happening.Happens(l) && step.LeadsTo(happening, l)
		}
		facts, _ := happening.InitialFacts()
		does = does || facts&step.Facts != 0
		if text := step.Pattern.String(); !does && !said[text] {
			said[text] = true
			e.Warnings = append(e.Warnings, fmt.Sprintf("the property holds, but %s never happens", text))
		}
	}
	return nil
}
