package ltl

import (
	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/temporal"
	"github.com/inev-lts/inev/property"
)

// Occurrence is one occurrence of a label pattern in a formula; each member of a
// set has its own. In a pattern such as Response(A; B), it is one element of a
// step or of a delimiter.
type Occurrence struct {
	Pattern actl.Pattern
	// Step and Element are the position in a pattern: see [actl.Formula.Steps].
	Step, Element int
	// Members is the number of members of the set.
	Members int
	// Asked reports whether the formula demands the occurrence: it is neither a
	// premise of an obligation, nor a delimiter.
	Asked bool

	atom int
}

// Is reports whether two occurrences in one formula are the same.
func (o Occurrence) Is(other Occurrence) bool { return o.atom == other.atom }

// Occurrences is a formula with its occurrences.
type Occurrences struct {
	All []Occurrence

	root  *temporal.Formula // atom i is All[i]
	atoms []actl.Pattern
}

// OccurrencesIn returns the occurrences in a formula of this package or in a
// pattern; nil for other formulas. Cost O(length of the formula).
func OccurrencesIn(f property.Formula) *Occurrences {
	switch f := f.(type) {
	case *Formula:
		return inFormula(f)
	case *actl.Formula:
		return inPattern(f)
	}
	return nil
}

// add adds the members of a pattern, and returns the disjunction of their atoms.
func (o *Occurrences) add(p actl.Pattern, step int, asked bool) *temporal.Formula {
	elements := p.Elements()
	var any []*temporal.Formula
	for i, e := range elements {
		n := len(o.All)
		o.All = append(o.All, Occurrence{Pattern: e, Step: step, Element: i, Members: len(elements), Asked: asked, atom: n})
		o.atoms = append(o.atoms, e)
		any = append(any, temporal.Atom(n))
	}
	return temporal.Or(any...)
}

// inPattern numbers the elements of the steps of a pattern.
func inPattern(f *actl.Formula) *Occurrences {
	o := &Occurrences{}
	s := f.Specification()
	first, last := demanded(s)
	var steps []*temporal.Formula
	for i, p := range f.Steps() {
		steps = append(steps, o.add(p, i, i >= first && i < last))
	}
	o.root = ofSteps(s, steps)
	return o
}

// demanded returns the range of the steps that a pattern demands.
func demanded(s property.Specification) (first, last int) {
	n := len(s.Steps)
	switch s.Kind {
	case property.KindResponse:
		return 1, n
	case property.KindPrecedes:
		return 0, n - 1
	case property.KindNever:
		return n - 1, n
	}
	return 0, n
}

// inFormula numbers the elements of each occurrence of an atom. Occurrences that
// are not negated are demanded.
func inFormula(f *Formula) *Occurrences {
	o := &Occurrences{}
	o.root = f.root.Substituted(func(atom int) *temporal.Formula { return o.add(f.atoms[atom], 0, false) })
	o.polarities(o.root, true, func(atom int, positive bool) {
		if positive {
			o.All[atom].Asked = true
		}
	})
	return o
}

// polarities calls the function each for every occurrence of an atom in negation
// normal form, with its polarity.
func (o *Occurrences) polarities(f *temporal.Formula, positive bool, each func(atom int, positive bool)) {
	parts := f.Parts()
	switch f.Operator() {
	case temporal.AtomOp:
		each(f.Number(), positive)
	case temporal.NotOp:
		o.polarities(parts[0], !positive, each)
	case temporal.ImpliesOp:
		o.polarities(parts[0], !positive, each)
		o.polarities(parts[1], positive, each)
	case temporal.IffOp:
		for _, p := range parts {
			o.polarities(p, positive, each)
			o.polarities(p, !positive, each)
		}
	default:
		for _, p := range parts {
			o.polarities(p, positive, each)
		}
	}
}

// Strengthened returns the formula in which some occurrences are replaced: by
// false if they help the formula, and by true otherwise. If it holds, the
// occurrences do not affect the formula (Kupferman and Vardi, STTT 2003, section
// 3; an occurrence of mixed polarity is replaced everywhere at once). Cost
// O(length of the formula).
func (o *Occurrences) Strengthened(replaced func(Occurrence) bool) *Formula {
	root := o.strengthen(o.root, true, replaced)
	p := &parser{}
	root = root.Substituted(func(atom int) *temporal.Formula { return p.numbered(o.atoms[atom]) })
	return &Formula{root: root, atoms: p.atoms.All}
}

func (o *Occurrences) strengthen(f *temporal.Formula, positive bool, replaced func(Occurrence) bool) *temporal.Formula {
	parts := f.Parts()
	switch f.Operator() {
	case temporal.AtomOp:
		switch {
		case !replaced(o.All[f.Number()]):
			return f
		case positive:
			return temporal.False()
		}
		return temporal.True()
	case temporal.NotOp:
		return not(o.strengthen(parts[0], !positive, replaced))
	case temporal.ImpliesOp:
		return either(not(o.strengthen(parts[0], !positive, replaced)), o.strengthen(parts[1], positive, replaced), parts[0], replaced, o)
	case temporal.IffOp:
		if !o.mentions(f, replaced) {
			return f
		}
		both := temporal.And(temporal.Implies(parts[0], parts[1]), temporal.Implies(parts[1], parts[0]))
		return o.strengthen(both, positive, replaced)
	}
	changed := make([]*temporal.Formula, len(parts))
	for i, p := range parts {
		changed[i] = o.strengthen(p, positive, replaced)
	}
	return reduced(f.With(changed))
}

// mentions reports whether a formula contains some of the occurrences.
func (o *Occurrences) mentions(f *temporal.Formula, replaced func(Occurrence) bool) (does bool) {
	o.polarities(f, true, func(atom int, _ bool) { does = does || replaced(o.All[atom]) })
	return does
}

// either returns an implication from its negated premise: as it was written, if
// nothing in the premise has changed.
func either(negated, then, first *temporal.Formula, replaced func(Occurrence) bool, o *Occurrences) *temporal.Formula {
	isConstant := then.Operator() <= temporal.FalseOp || negated.Operator() <= temporal.FalseOp
	if isConstant || o.mentions(first, replaced) {
		return reduced(temporal.Or(negated, then))
	}
	return temporal.Implies(first, then)
}

func not(f *temporal.Formula) *temporal.Formula {
	switch f.Operator() {
	case temporal.TrueOp:
		return temporal.False()
	case temporal.FalseOp:
		return temporal.True()
	case temporal.NotOp:
		return f.Parts()[0]
	}
	return temporal.Not(f)
}

// reduced returns the formula without constants among its parts, as far as that
// preserves its meaning also on runs that end.
func reduced(f *temporal.Formula) *temporal.Formula {
	op, parts := f.Operator(), f.Parts()
	is := func(i int, op temporal.Operator) bool { return parts[i].Operator() == op }
	switch op {
	case temporal.AndOp, temporal.OrOp:
		neutral, absorbing := temporal.TrueOp, temporal.FalseOp
		if op == temporal.OrOp {
			neutral, absorbing = absorbing, neutral
		}
		var kept []*temporal.Formula
		for i, p := range parts {
			switch {
			case is(i, absorbing):
				return p
			case !is(i, neutral):
				kept = append(kept, p)
			}
		}
		return f.With(kept)
	case temporal.EventuallyOp, temporal.AlwaysOp:
		if parts[0].Operator() <= temporal.FalseOp {
			return parts[0]
		}
	case temporal.UntilOp:
		switch {
		case parts[1].Operator() <= temporal.FalseOp, is(0, temporal.FalseOp):
			return parts[1]
		case is(0, temporal.TrueOp):
			return temporal.Eventually(parts[1])
		}
	case temporal.WeakUntilOp:
		switch {
		case is(1, temporal.TrueOp), is(0, temporal.FalseOp):
			return parts[1]
		case is(0, temporal.TrueOp):
			return parts[0]
		case is(1, temporal.FalseOp):
			return temporal.Always(parts[0])
		}
	}
	return f
}
