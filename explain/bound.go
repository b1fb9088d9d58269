package explain

import (
	"context"
	"sync"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// bound has the parts of a formula that phases ask about, with the labels of a model. Each part is
// bound once, when it is asked for.
type bound struct {
	// conjuncts and triggers fail if the context of [bindParts] is done. Cost of the first call:
	// binding these parts.
	conjuncts func() (conjuncts, error)
	triggers  func() (triggers, error)
}

func bindParts(ctx context.Context, f property.Formula, m *lts.LTS) bound {
	return bound{
		conjuncts: sync.OnceValues(func() (conjuncts, error) { return bindConjuncts(ctx, f, m) }),
		triggers:  sync.OnceValues(func() (triggers, error) { return bindTriggers(ctx, f, m) }),
	}
}

// bind binds f to the labels of m: to those that runs do, unless f is a chain whichever labels occur
// in runs: then finding these labels is left to [Analysis.warnOfAbsence], so that a search that ends
// early stays fast.
func bind(ctx context.Context, f property.Formula, m *lts.LTS) (*property.Property, []string, error) {
	if chain, is := f.(interface{ IsChain() bool }); is && chain.IsChain() {
		return f.Bind(ctx, m.Alphabet())
	}
	labels, err := m.Happening(ctx)
	if err != nil {
		return nil, nil, err
	}
	return f.Bind(ctx, labels)
}

// nondeterministic returns a nondeterministic automaton of the runs that violate the property; nil if
// the formula has none.
func (a *Analysis) nondeterministic(ctx context.Context) (*property.Nondeterministic, error) {
	given, is := a.Formula.(interface {
		Nondeterministic(context.Context, *lts.Alphabet) (*property.Nondeterministic, error)
	})
	if !is {
		return nil, nil
	}
	return given.Nondeterministic(ctx, a.Property.Alphabet())
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
func bindConjuncts(ctx context.Context, f property.Formula, m *lts.LTS) (x conjuncts, err error) {
	joined, is := f.(interface{ Conjuncts() []property.Formula })
	if !is {
		return conjuncts{}, nil
	}
	if x.formulas = joined.Conjuncts(); len(x.formulas) < 2 || len(x.formulas) > mostConjuncts {
		return conjuncts{}, nil
	}
	labels, err := m.Happening(ctx)
	if err != nil {
		return conjuncts{}, err
	}
	for _, f := range x.formulas {
		p, _, err := f.Bind(ctx, labels)
		if err != nil {
			return conjuncts{}, err
		}
		x.properties = append(x.properties, p)
	}
	return x, nil
}

// conditions returns the conjuncts if they are easier to analyse than the whole property: none for a
// chain.
func (a *Analysis) conditions() (conjuncts, error) {
	if a.Property.Steps() > 0 {
		return conjuncts{}, nil
	}
	return a.conjuncts()
}

// triggers are the elements of a formula that oblige a run to something: requests, beginnings of
// scopes, and in linear temporal logic the premises of implications under G. Forbidding them would
// make the property true of runs that it is not about. None of them is the zero value.
type triggers struct {
	steps []property.Step
	does  []bool // for each label, whether it does one of the steps; nil without steps
}

// bindTriggers returns the triggers of f in m; none if f cannot name its triggers.
func bindTriggers(ctx context.Context, f property.Formula, m *lts.LTS) (x triggers, err error) {
	triggering, is := f.(interface {
		Triggers(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !is {
		return x, nil
	}
	if x.steps, err = triggering.Triggers(ctx, m.Alphabet()); len(x.steps) == 0 || err != nil {
		return x, err
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
	return x, nil
}

// has reports whether a label does a trigger.
func (x triggers) has(l lts.Label) bool { return x.does != nil && x.does[l] }
