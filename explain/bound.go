package explain

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// bindTo binds f to labels, and returns the warnings about it.
func bindTo(ctx context.Context, f property.Formula, labels *lts.Alphabet) (*property.Property, []string) {
	p, warnings, err := f.Bind(ctx, labels)
	abort.On(err)
	return p, warnings
}

// bind binds f to the labels of m: to those that runs do, unless f is a chain whichever labels occur
// in runs: then finding these labels is left to [Analysis.warnOfAbsence], so that a search that ends
// early stays fast.
func bind(ctx context.Context, f property.Formula, m *lts.LTS) (*property.Property, []string) {
	if chain, is := f.(interface{ IsChain() bool }); is && chain.IsChain() {
		return bindTo(ctx, f, m.Alphabet())
	}
	return bindTo(ctx, f, abort.Must(m.Happening(ctx)))
}

// conjuncts are the conditions that a formula joins by "and", and their properties; none if there is
// only one, or more than mostConjuncts.
type conjuncts struct {
	formulas   []property.Formula
	properties []*property.Property
}

// mostConjuncts is the largest number of conditions that are judged.
const mostConjuncts = 64

// bindConjuncts binds the conditions that f joins to the labels that runs of m do.
func bindConjuncts(ctx context.Context, f property.Formula, m *lts.LTS) (x conjuncts) {
	joined, is := f.(interface{ Conjuncts() []property.Formula })
	if !is {
		return conjuncts{}
	}
	if x.formulas = joined.Conjuncts(); len(x.formulas) < 2 || len(x.formulas) > mostConjuncts {
		return conjuncts{}
	}
	labels := abort.Must(m.Happening(ctx))
	for _, f := range x.formulas {
		p, _ := bindTo(ctx, f, labels)
		x.properties = append(x.properties, p)
	}
	return x
}

// triggers are the elements of a formula that oblige a run to something: requests, beginnings of
// scopes, and in linear temporal logic the premises of implications under G. Forbidding them would
// make the property true of runs that it is not about. None of them is the zero value.
type triggers struct {
	steps []property.Step
	does  []bool // for each label, whether it does one of the steps; nil without steps
}

// bindTriggers returns the triggers of f in m; none if f cannot name its triggers.
func bindTriggers(ctx context.Context, f property.Formula, m *lts.LTS) (x triggers) {
	triggering, is := f.(interface {
		Triggers(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !is {
		return x
	}
	if x.steps = abort.Must(triggering.Triggers(ctx, m.Alphabet())); len(x.steps) == 0 {
		return x
	}
	x.does = make([]bool, m.Alphabet().Len())
	for _, step := range x.steps {
		for _, l := range step.Labels {
			x.does[l] = true
		}
		for l := range m.Alphabet().All() {
			x.does[l] = x.does[l] || step.LeadsTo(m.Alphabet(), l)
		}
	}
	return x
}

// has reports whether a label does a trigger.
func (x triggers) has(l lts.Label) bool { return x.does != nil && x.does[l] }
