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

// warnOfVacuity returns the warnings of a property that holds: one for each of its steps that no
// run of the model does. Cost O(S + T).
func (a *Analysis) warnOfVacuity(ctx context.Context, warnings []string) ([]string, error) {
	// What never happens is worth a warning only if the property asks for it.
	warnings = slices.DeleteFunc(warnings, func(w string) bool { return strings.HasSuffix(w, actl.NeverHappens) })
	f, is := a.Formula.(conditional)
	if !is {
		return warnings, nil
	}
	steps, err := f.Antecedents(ctx, a.m.Alphabet())
	if err != nil || len(steps) == 0 {
		return warnings, err
	}
	happening, err := a.m.Happening(ctx)
	if err != nil {
		return warnings, err
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
			warnings = append(warnings, fmt.Sprintf("the property holds, but %s never happens", text))
		}
	}
	return warnings, nil
}
