package modal

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/formula/temporal"
)

// simplified returns an equivalent formula that is simpler:
//
//   - nested connectives of one kind are one;
//   - connectives with constants, redundant fixpoints and double negations are gone;
//   - [ A ] F and [ B ] F in a conjunction are [ A or B ] F, and dually for diamonds;
//   - modalities whose action is false are constants;
//   - nu X . (F and [ R ] X) is [ R* ] F, and mu X . (F or < R > X) is < R* > F.
func (p *parser) simplified(f *state) *state {
	switch f.op {
	case andOp, orOp:
		return p.joinedParts(f)
	case notOp:
		return p.negation(f)
	case boxOp, diamondOp:
		return p.simplifiedModality(f)
	case muOp, nuOp:
		return p.simplifiedFixpoint(f)
	}
	return f
}

// with returns a copy of f with another operator and other parts, at the same position.
func (f *state) with(op operator, parts ...*state) *state {
	same := *f
	same.op = op
	same.parts = parts
	return &same
}

// negation simplifies a negation.
func (p *parser) negation(f *state) *state {
	operand := p.simplified(f.parts[0])
	switch operand.op {
	case trueOp:
		return f.with(falseOp)
	case falseOp:
		return f.with(trueOp)
	case notOp:
		return operand.parts[0]
	}
	return f.with(notOp, operand)
}

// joinedParts simplifies a conjunction or disjunction.
func (p *parser) joinedParts(f *state) *state {
	neutral := trueOp
	absorbing := falseOp
	modality := boxOp
	if f.op == orOp {
		neutral = falseOp
		absorbing = trueOp
		modality = diamondOp
	}
	var parts []*state
	for _, part := range f.parts {
		simple := p.simplified(part)
		switch simple.op {
		case absorbing:
			return f.with(absorbing)
		case neutral:
		case f.op:
			parts = append(parts, simple.parts...)
		default:
			parts = append(parts, simple)
		}
	}
	parts = p.merged(parts, modality)
	switch len(parts) {
	case 0:
		return f.with(neutral)
	case 1:
		return parts[0]
	}
	return f.with(f.op, parts...)
}

// merged merges operands that are modalities about single actions and have the same formula after the
// action.
func (p *parser) merged(parts []*state, modality operator) []*state {
	if p.isWritten {
		return parts // equal texts may have different values there
	}
	var all []*state
	known := map[string]int{} // maps the formula after the action to an index in all
	for _, part := range parts {
		if part.op != modality || part.run.shape != single {
			all = append(all, part)
			continue
		}
		operandText := p.textOf(part.parts[0])
		i, isKnown := known[operandText]
		if !isKnown {
			known[operandText] = len(all)
			all = append(all, part)
			continue
		}
		sign := " && "
		if modality == diamondOp {
			sign = " || "
		}
		p.keepApart(all[i].run.action)
		p.keepApart(part.run.action)
		both := *all[i]
		both.text = p.textOf(all[i]) + sign + p.textOf(part)
		both.run = &regular{
			shape:  single,
			at:     all[i].run.at,
			action: eitherAction(all[i].run.action, part.run.action),
		}
		all[i] = &both
	}
	return all
}

// keepApart records the pattern of an action that becomes part of a set. The pattern must match a label
// by itself, since the author of the formula wrote it by itself.
func (p *parser) keepApart(a *temporal.Formula) {
	if a.Operator() == temporal.AtomOp {
		p.apart = append(p.apart, p.atoms.All[a.Number()])
	}
}

// negated returns the negation of an action formula.
func negated(a *temporal.Formula) *temporal.Formula {
	switch a.Operator() {
	case temporal.TrueOp:
		return temporal.False()
	case temporal.FalseOp:
		return temporal.True()
	}
	return temporal.Not(a)
}

// eitherAction returns the disjunction of two action formulas.
func eitherAction(a, b *temporal.Formula) *temporal.Formula {
	switch {
	case a.Equal(b):
		return a
	case a.Operator() == temporal.TrueOp, b.Operator() == temporal.TrueOp, a.Equal(temporal.Not(b)), b.Equal(temporal.Not(a)):
		return temporal.True()
	}
	return temporal.Or(a, b)
}

// simplifiedModality simplifies a box or a diamond. The modality becomes a constant if its operand
// or its action decides it. If its operand is a modality of the same kind, and one of the two has a
// star, they become one modality.
func (p *parser) simplifiedModality(f *state) *state {
	operand := p.simplified(f.parts[0])
	constant := falseOp // < R > false is false, and [ R ] true is true
	if f.op == boxOp {
		constant = trueOp
	}
	isNoAction := f.run.shape == single && f.run.action.Operator() == temporal.FalseOp
	if operand.op == constant || isNoAction {
		return f.with(constant)
	}
	simplified := f.with(f.op, operand)
	if operand.op == f.op && (f.run.shape == star || operand.run.shape == star) {
		// [ R ] [ S ] F is [ R . S ] F.
		simplified.run = &regular{
			shape: sequence,
			at:    f.run.at,
			parts: []*regular{f.run, operand.run},
		}
		simplified.parts = operand.parts
	}
	return simplified
}

// simplifiedFixpoint simplifies a fixpoint. It replaces occurrences of the variable outside of
// modalities by the constant that fixpoint iteration starts with, which preserves the meaning.
func (p *parser) simplifiedFixpoint(f *state) *state {
	body := p.simplified(f.parts[0])
	first := falseOp
	if f.op == nuOp {
		first = trueOp
	}
	guarded, changed := replaced(body, f.name, first)
	if changed {
		body = p.simplified(guarded)
	}
	if !isFree(body, f.name) {
		return body
	}
	simplified := f.with(f.op, body)
	repeated := p.repetition(simplified)
	if repeated != nil {
		return repeated
	}
	return simplified
}

// replaced replaces the occurrences of a variable that are only under conjunctions and disjunctions by
// a constant; changed reports whether there are any.
func replaced(f *state, name string, constant operator) (_ *state, changed bool) {
	switch f.op {
	case variableOp:
		if f.name == name {
			return f.with(constant), true
		}
	case andOp, orOp:
		parts := slices.Clone(f.parts)
		for i, part := range parts {
			replacement, differs := replaced(part, name, constant)
			parts[i] = replacement
			changed = changed || differs
		}
		if changed {
			return f.with(f.op, parts...), true
		}
	}
	return f, false
}

// isFree reports whether a formula has a free occurrence of a variable.
func isFree(f *state, name string) bool {
	switch f.op {
	case variableOp:
		return f.name == name
	case muOp, nuOp:
		if f.name == name {
			return false
		}
	}
	return slices.ContainsFunc(f.parts, func(part *state) bool {
		return isFree(part, name)
	})
}

// repetition returns [ R* ] F for nu X . (F and [ R ] X), and < R* > F for mu X . (F or < R > X);
// nil for other fixpoints.
func (p *parser) repetition(f *state) *state {
	connective := andOp
	modality := boxOp
	if f.op == muOp {
		connective = orOp
		modality = diamondOp
	}
	body := f.parts[0]
	if body.op != connective {
		return nil
	}
	var rest []*state
	var round *state
	for _, part := range body.parts {
		isStep := part.op == modality && part.run.shape == single
		isStepToVariable := isStep && part.parts[0].op == variableOp && part.parts[0].name == f.name
		switch {
		case round == nil && isStepToVariable:
			round = part
		case isFree(part, f.name):
			return nil
		default:
			rest = append(rest, part)
		}
	}
	if round == nil {
		return nil
	}
	repeated := f.with(modality, p.joinedParts(body.with(connective, rest...)))
	repeated.run = &regular{
		shape: star,
		at:    round.run.at,
		parts: []*regular{round.run},
	}
	return p.simplifiedModality(repeated)
}

// textOf returns a formula as its author wrote it.
func (p *parser) textOf(f *state) string {
	if f.text != "" {
		return f.text
	}
	return p.textBetween(f.first, f.last)
}

// textBetween returns the text of some tokens, without comments and macros.
func (p *parser) textBetween(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		t := p.tokens[i]
		if t.spaced && i > first && t.kind != end {
			b.WriteByte(' ')
		}
		text := t.written()
		if t.kind == call {
			text = strings.Join(strings.Fields(text), " ")
		}
		b.WriteString(text)
	}
	return b.String()
}
