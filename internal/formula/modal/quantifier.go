package modal

import (
	"slices"
)

// quantified reads declarations of variables, such as x, y: Nat, b: Bool; in MCL also with ranges, as
// in x: Nat among {1 ... 3}. The variables are visible from then on.
func (p *parser) quantified() (all []declaration) {
	for {
		names := p.variableNames()
		p.want(":")
		sort := p.sort()
		var first, last *expression
		if p.next().kind == word && p.next().text == "among" {
			p.take()
			first, last = p.among()
		}
		for _, name := range names {
			all = append(all, declaration{
				variable: p.declare(name, sort),
				first:    first,
				last:     last,
			})
		}
		if _, hasMore := p.skip(","); !hasMore {
			return all
		}
	}
}

// variableNames reads names of variables with commas between them.
func (p *parser) variableNames() (names []string) {
	for {
		names = append(names, p.variableName())
		if _, hasMore := p.skip(","); !hasMore {
			return names
		}
	}
}

// variableName reads the name of a variable that is declared.
func (p *parser) variableName() string {
	t := p.next()
	if t.kind != word || slices.Contains(reserved, t.text) {
		p.unexpected("the name of a variable")
	}
	return p.take().text
}

// among reads {E ... F}.
func (p *parser) among() (first, last *expression) {
	t := p.next()
	if t.kind != offers {
		p.unexpected("{FIRST ... LAST}")
	}
	p.take()
	inside := p.readerOf(t, t.text)
	first = inside.sum()
	inside.want("...")
	last = inside.sum()
	inside.finished("the end of {FIRST ... LAST}")
	return first, last
}

// quantifier reads a quantifier, after its keyword. In mCRL2 the scope of the quantifier extends as
// far as possible; in MCL it ends where the scope of a modality would end.
func (p *parser) quantifier(t token) *state {
	numOuter := len(p.visible)
	declared := p.quantified()
	p.want(".")
	op := forallOp
	if t.is("exists") {
		op = existsOp
	}
	f := &state{
		op:       op,
		at:       t,
		declared: declared,
		parts:    []*state{p.body("quantifier " + t.text)},
	}
	p.hide(numOuter)
	return f
}

// body reads the formula under a fixpoint or quantifier. Errors call the fixpoint or quantifier by
// the given name.
func (p *parser) body(binder string) *state {
	if !p.isMCL {
		return p.implies()
	}
	f := p.unary()
	if p.next().is("and", "or", "implies", "equ", "xor") {
		refuse(p.next(), "parentheses around the %s, or around all that belongs to it", binder)
	}
	return f
}
