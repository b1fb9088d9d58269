// Package bound is a formula with the labels of a model: the property, and the parts of the formula
// that analyses ask about.
//
// The invariant that holds inside: each part is bound once, when it is asked for.
package bound

import (
	"context"
	"sync"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Formula is a formula that is bound to the labels of a model.
type Formula struct {
	Property *property.Property
	// Warnings are about labels of the formula.
	Warnings []string
	// Conjuncts and Triggers fail if the context of [Bind] is done. Cost of the first call: binding
	// these parts.
	Conjuncts func() (*Conjuncts, error)
	Triggers  func() (*Triggers, error)

	formula property.Formula
	m       *lts.LTS
}

// Bind binds f to the labels of m: to those that runs do, unless f is a chain.
func Bind(ctx context.Context, f property.Formula, m *lts.LTS) (x *Formula, err error) {
	x = &Formula{
		formula: f, m: m,
		Conjuncts: sync.OnceValues(func() (*Conjuncts, error) { return conjuncts(ctx, f, m) }),
		Triggers:  sync.OnceValues(func() (*Triggers, error) { return triggers(ctx, f, m) }),
	}
	labels := m.Alphabet()
	if !isChain(f) {
		if labels, err = m.Happening(ctx); err != nil {
			return nil, err
		}
	}
	x.Property, x.Warnings, err = f.Bind(ctx, labels)
	return x, err
}

// isChain reports whether a formula is a chain whichever labels occur in runs. Such a formula can
// be bound without finding these labels, so that a search that ends early stays fast.
func isChain(f property.Formula) bool {
	chain, is := f.(interface{ IsChain() bool })
	return is && chain.IsChain()
}

// Absent returns the warnings about labels that no run does, if the formula was bound without knowing
// these labels. Cost as for [lts.LTS.Happening], and for binding if there are such labels.
func (x *Formula) Absent(ctx context.Context) ([]string, error) {
	happening, err := x.m.Happening(ctx)
	if err != nil || happening == x.Property.Alphabet() {
		return nil, err
	}
	_, warnings, err := x.formula.Bind(ctx, happening)
	return warnings, err
}

// Nondeterministic returns a nondeterministic automaton of the runs that violate the property; nil if
// the formula has none.
func (x *Formula) Nondeterministic(ctx context.Context) (*property.Nondeterministic, error) {
	given, is := x.formula.(interface {
		Nondeterministic(context.Context, *lts.Alphabet) (*property.Nondeterministic, error)
	})
	if !is {
		return nil, nil
	}
	return given.Nondeterministic(ctx, x.Property.Alphabet())
}

// Conjuncts are the conditions that a formula joins by "and", and their properties; none if there is
// only one, or more than mostConjuncts.
type Conjuncts struct {
	Formulas   []property.Formula
	Properties []*property.Property
}

// mostConjuncts is the largest number of conditions that are judged.
const mostConjuncts = 64

// conjuncts binds the conditions that f joins to the labels that runs of m do.
func conjuncts(ctx context.Context, f property.Formula, m *lts.LTS) (*Conjuncts, error) {
	joined, is := f.(interface{ Conjuncts() []property.Formula })
	if !is {
		return &Conjuncts{}, nil
	}
	x := &Conjuncts{Formulas: joined.Conjuncts()}
	if len(x.Formulas) < 2 || len(x.Formulas) > mostConjuncts {
		return &Conjuncts{}, nil
	}
	labels, err := m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	for _, f := range x.Formulas {
		p, _, err := f.Bind(ctx, labels)
		if err != nil {
			return nil, err
		}
		x.Properties = append(x.Properties, p)
	}
	return x, nil
}

// Conditions returns the conjuncts if they are easier to analyse than the whole property: none for a
// chain.
func (x *Formula) Conditions() (*Conjuncts, error) {
	if x.Property.Steps() > 0 {
		return &Conjuncts{}, nil
	}
	return x.Conjuncts()
}

// Triggers are the elements of a formula that oblige a run to something: requests, beginnings of
// scopes, and in linear temporal logic the premises of implications under G. Forbidding them would
// make the property true of runs that it is not about. None of them is the zero value.
type Triggers struct {
	Steps []property.Step
	does  []bool // for each label, whether it does one of the steps; nil without steps
}

// triggers returns the triggers of f in m; none if f cannot name its triggers.
func triggers(ctx context.Context, f property.Formula, m *lts.LTS) (x *Triggers, err error) {
	x = &Triggers{}
	triggering, is := f.(interface {
		Triggers(context.Context, *lts.Alphabet) ([]property.Step, error)
	})
	if !is {
		return x, nil
	}
	if x.Steps, err = triggering.Triggers(ctx, m.Alphabet()); len(x.Steps) == 0 || err != nil {
		return x, err
	}
	x.does = make([]bool, m.Alphabet().Len())
	for _, step := range x.Steps {
		for _, l := range step.Labels {
			x.does[l] = true
		}
		for l := range m.Alphabet().All() {
			x.does[l] = x.does[l] || step.LeadsTo(m.Alphabet(), l)
		}
	}
	return x, nil
}

// Has reports whether a label does a trigger.
func (x *Triggers) Has(l lts.Label) bool { return x.does != nil && x.does[l] }
