package ltl

import (
	"context"
	"maps"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/temporal"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Triggers returns the atoms that oblige a run to something later, with their
// labels in a: REQ in G (REQ -> F ACK), but neither a premise of a mere
// prohibition, as ERR in G (REQ -> X !ERR), nor the premise of an implication
// about the run as a whole, as REQ in GF REQ -> GF ACK. In negation normal form,
// triggers are the negative atoms of disjunctions that stand under G and have
// another part that is temporal. Cost as for [actl.BindAtoms].
func (f *Formula) Triggers(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	t := triggers{atomSet{}}
	t.walk(f.root, true, triggerContext{})
	var atoms []actl.Pattern
	for _, i := range slices.Sorted(maps.Keys(t.found)) {
		atoms = append(atoms, f.atoms[i])
	}
	steps, _, err := actl.BindAtoms(ctx, atoms, a)
	return steps, err
}

type triggers struct{ found atomSet }

// triggerContext is the context of a subformula: whether it is under G, and in a
// disjunction with another part that is temporal.
type triggerContext struct{ always, other bool }

// walk visits a formula, or its negation, as if it were in negation normal form.
func (t triggers) walk(f *temporal.Formula, positive bool, at triggerContext) {
	parts := f.Parts()
	switch op := f.Operator(); op {
	case temporal.AtomOp:
		if !positive && at.always && at.other {
			t.found[f.Number()] = true
		}
	case temporal.NotOp:
		t.walk(parts[0], !positive, at)
	case temporal.ImpliesOp:
		t.several([]*temporal.Formula{temporal.Not(parts[0]), parts[1]}, positive, positive, at)
	case temporal.IffOp:
		both := temporal.And(temporal.Implies(parts[0], parts[1]), temporal.Implies(parts[1], parts[0]))
		t.walk(both, positive, at)
	case temporal.AndOp:
		t.several(parts, positive, !positive, at)
	case temporal.OrOp:
		t.several(parts, positive, positive, at)
	default:
		always := at.always || op == temporal.AlwaysOp && positive || op == temporal.EventuallyOp && !positive
		for _, p := range parts {
			t.walk(p, positive, triggerContext{always: always})
		}
	}
}

// several visits the parts of a conjunction, or of a disjunction.
func (t triggers) several(parts []*temporal.Formula, positive, disjunction bool, at triggerContext) {
	for i, p := range parts {
		in := at
		for j, q := range parts {
			in.other = in.other || disjunction && i != j && isTemporal(q)
		}
		t.walk(p, positive, in)
	}
}

// isTemporal reports whether a formula is about more than one position.
func isTemporal(f *temporal.Formula) bool {
	return f.Operator() >= temporal.NextOp || slices.ContainsFunc(f.Parts(), isTemporal)
}
