package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// triggering is a formula with elements that oblige a run to something.
type triggering interface {
	Triggers(context.Context, *lts.Alphabet) ([]property.Step, error)
}

// Triggers returns the elements of f that oblige a run to something, with their labels in
// a: requests, what begins scopes, and in linear temporal logic what stands before
// implications under G. To forbid them would make the property true of runs that it is not
// about. There are none of formulas that do not tell. It fails if ctx is done. Cost that
// of binding the formula.
func triggersOf(ctx context.Context, f property.Formula, a *lts.Alphabet) ([]property.Step, error) {
	t, is := f.(triggering)
	if !is {
		return nil, nil
	}
	return t.Triggers(ctx, a)
}

// textsOf returns the labels of steps of which something is so, each once, in alphabetical
// order.
func textsOf(m *lts.LTS, steps []property.Step, is func(lts.Label) bool) []string {
	var texts []string
	for _, step := range steps {
		for l := range m.Alphabet().All() {
			if step.LeadsTo(m.Alphabet(), l) && is(l) {
				texts = append(texts, m.Alphabet().Text(l))
			}
		}
		for _, l := range step.Labels {
			if is(l) {
				texts = append(texts, m.Alphabet().Text(l))
			}
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// among returns whether a label is one of those of some steps.
func among(m *lts.LTS, steps []property.Step) func(lts.Label) bool {
	is := make([]bool, m.Alphabet().Len())
	for _, step := range steps {
		for _, l := range step.Labels {
			is[l] = true
		}
		for l := range m.Alphabet().All() {
			is[l] = is[l] || step.LeadsTo(m.Alphabet(), l)
		}
	}
	return func(l lts.Label) bool { return is[l] }
}

// controls returns which labels can be forbidden: those that are named as such, also if they
// are internal or trigger the property.
func (o RepairOptions) controls(m *lts.LTS, triggers []property.Step) func(lts.Label) bool {
	matches := func(patterns []actl.Pattern, text string) bool {
		return slices.ContainsFunc(patterns, func(p actl.Pattern) bool { return p.Matches(text) })
	}
	triggered := among(m, triggers)
	can := make([]bool, m.Alphabet().Len())
	for l, text := range m.Alphabet().All() {
		fixed := text == "i" || text == "tau" || triggered(l) || matches(o.Uncontrollable, text)
		can[l] = !fixed || matches(o.Controllable, text)
	}
	return func(l lts.Label) bool { return can[l] }
}
