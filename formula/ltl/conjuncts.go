package ltl

import (
	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/temporal"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/property"
)

// Conjuncts returns the conjuncts of f, in order: a run satisfies f iff it
// satisfies all of them. G and X are distributed over conjunctions, so that G (a
// && b) is G a and G b, and negations over disjunctions and implications. The
// result is f alone if it is no conjunction. Cost O(size for each).
func (f *Formula) Conjuncts() []property.Formula {
	parts := conjuncts(f.root, true)
	if len(parts) == 1 {
		return []property.Formula{f}
	}
	all := make([]property.Formula, len(parts))
	for i, part := range parts {
		all[i] = f.part(part)
	}
	return all
}

// part returns a subformula of f as a formula of its own.
func (f *Formula) part(root *temporal.Formula) *Formula {
	var atoms keyed.List[int, actl.Pattern]
	root = root.Substituted(func(atom int) *temporal.Formula { return temporal.Atom(atoms.Index(atom, f.atoms[atom])) })
	return &Formula{root: root, atoms: atoms.All}
}

// conjuncts returns the conjuncts of a formula, or of its negation.
func conjuncts(f *temporal.Formula, positive bool) []*temporal.Formula {
	var all []*temporal.Formula
	under := func(op func(*temporal.Formula) *temporal.Formula) []*temporal.Formula {
		for _, part := range conjuncts(f.Parts()[0], positive) {
			all = append(all, op(part))
		}
		return all
	}
	switch op := f.Operator(); {
	case op == temporal.NotOp:
		return conjuncts(f.Parts()[0], !positive)
	case op == temporal.AndOp && positive, op == temporal.OrOp && !positive:
		for _, part := range f.Parts() {
			all = append(all, conjuncts(part, positive)...)
		}
		return all
	case op == temporal.ImpliesOp && !positive:
		return append(conjuncts(f.Parts()[0], true), conjuncts(f.Parts()[1], false)...)
	case op == temporal.NextOp:
		return under(temporal.Next)
	case op == temporal.AlwaysOp && positive, op == temporal.EventuallyOp && !positive:
		return under(temporal.Always)
	case positive:
		return []*temporal.Formula{f}
	}
	return []*temporal.Formula{temporal.Not(f)}
}
