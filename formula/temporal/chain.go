package temporal

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// IsChain reports whether the formula is written as inevitability, so that it is
// a chain whichever labels happen: F (a && X F (b && …)), where each step is a
// formula without temporal operators, and the last one does not hold after the
// end of a run. Cost O(size).
func (f *Formula) IsChain() bool { return f.steps() != nil }

// steps returns the steps, one after the other, if the formula is written as
// inevitability; nil otherwise.
func (f *Formula) steps() []*Formula {
	var steps []*Formula
	for f != nil {
		g, is := f.eventual()
		if !is {
			return nil
		}
		var now []*Formula
		for f = nil; len(g) > 0; g = g[1:] {
			switch p := g[0]; {
			case p.op < NextOp && !p.isTemporal():
				now = append(now, p)
			case p.op == NextOp && f == nil:
				f = p.parts[0]
			default:
				return nil
			}
		}
		if len(now) == 0 {
			return nil
		}
		steps = append(steps, And(now...))
	}
	if steps[len(steps)-1].holds(func(int) bool { return false }, true) {
		return nil
	}
	return steps
}

// eventual returns the conjuncts of f if the formula is F f.
func (f *Formula) eventual() (conjuncts []*Formula, is bool) {
	for {
		switch {
		case f.op == EventuallyOp:
			f = f.parts[0]
		case f.op == UntilOp && f.parts[0].op == TrueOp:
			f = f.parts[1]
		case !is:
			return nil, false
		default:
			return f.conjuncts(nil), true
		}
		is = true
	}
}

func (f *Formula) conjuncts(all []*Formula) []*Formula {
	if f.op != AndOp {
		return append(all, f)
	}
	for _, p := range f.parts {
		all = p.conjuncts(all)
	}
	return all
}

// isTemporal reports whether the formula is about more than one position.
func (f *Formula) isTemporal() bool {
	return f.op >= NextOp || slices.ContainsFunc(f.parts, (*Formula).isTemporal)
}

// holds evaluates a formula without temporal operators at a position.
func (f *Formula) holds(atom func(int) bool, deadlock bool) bool {
	is := func(i int) bool { return f.parts[i].holds(atom, deadlock) }
	not := func(p *Formula) bool { return !p.holds(atom, deadlock) }
	switch f.op {
	case TrueOp:
		return true
	case AtomOp:
		return atom(f.atom)
	case DeadlockOp:
		return deadlock
	case NotOp:
		return !is(0)
	case AndOp:
		return !slices.ContainsFunc(f.parts, not)
	case OrOp:
		return slices.ContainsFunc(f.parts, func(p *Formula) bool { return !not(p) })
	case ImpliesOp:
		return !is(0) || is(1)
	case IffOp:
		return is(0) == is(1)
	}
	return false
}

// bindChain returns the property of steps that happen one after the other.
func bindChain(ctx context.Context, alphabet *lts.Alphabet, steps []*Formula, atoms []property.Step) *property.Property {
	names := make([]string, len(atoms))
	for i, a := range atoms {
		names[i] = a.Pattern.String()
	}
	var patterns []property.Step
	order := make([]uint32, len(steps))
	number := map[string]uint32{}
	for i, f := range steps {
		text := f.Text(names)
		k, known := number[text]
		if !known {
			abort.On(ctx.Err())
			k = uint32(len(patterns))
			number[text] = k
			patterns = append(patterns, stepOf(alphabet, f, text, atoms))
		}
		order[i] = k
	}
	return abort.Must(property.Inev(ctx, alphabet, patterns, order))
}

// stepOf returns a formula without temporal operators as a step.
func stepOf(alphabet *lts.Alphabet, f *Formula, text string, atoms []property.Step) property.Step {
	if f.op == AtomOp {
		return atoms[f.atom]
	}
	s := property.Step{Pattern: position{f, text, atoms}}
	has := make([]map[lts.Label]bool, f.Atoms())
	for i := range has {
		has[i] = make(map[lts.Label]bool, len(atoms[i].Labels))
		for _, l := range atoms[i].Labels {
			has[i][l] = true
		}
	}
	for l := range alphabet.All() {
		if f.holds(func(i int) bool { return has[i][l] }, false) {
			s.Labels = append(s.Labels, l)
		}
	}
	return s
}

// position is a formula without temporal operators as the pattern of a step.
type position struct {
	f     *Formula
	text  string
	atoms []property.Step
}

// String returns the formula.
func (p position) String() string { return p.text }

// Matches reports whether the formula holds at a transition with this label.
func (p position) Matches(label string) bool {
	return p.f.holds(func(i int) bool { return p.atoms[i].Pattern.Matches(label) }, false)
}
