package modal

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
)

// val reads val(E) after its word.
func (p *parser) val(t token) *state {
	condition := p.valCondition()
	if p.next().is("*", "+", "/", "-") {
		refuseQuantity(p.next())
	}
	return &state{op: valOp, at: t, condition: condition}
}

// refuseQuantity fails, and explains that quantitative formulas are not read.
func refuseQuantity(t token) {
	abort.On(t.refused("a formula that is true or false",
		"formulas whose values are numbers, by sup, inf, sum, val(N) and arithmetic on them, are not evaluated"))
}

// valCondition reads a condition in parentheses.
func (p *parser) valCondition() *expression {
	p.hasData = true
	p.want("(")
	e := p.expression()
	p.want(")")
	return e
}

// ofData is what expressions are made of.
const ofData = "an expression of numbers, conditions and constants"

// comparison reads a condition of MCL that is used as a formula.
func (p *parser) comparison(t token) *state {
	p.hasData = true
	return &state{op: valOp, at: t, condition: p.relation()}
}

// startsCondition reports whether a condition without val begins here, perhaps in parentheses.
func (p *parser) startsCondition() bool {
	if !p.isMCL {
		return false
	}
	afterParentheses := p.pos
	for p.tokens[afterParentheses].is("(") {
		afterParentheses++
	}
	t := p.tokens[afterParentheses]
	isVariable := t.kind == word && p.find(t.text) != nil
	if t.kind != numeral && !t.is("-") && !isVariable {
		return false
	}
	ahead := *p
	var isCondition bool
	err := abort.Try(func() {
		e := ahead.relation()
		isCondition = e.isCondition()
	})
	isWrong := err != nil && afterParentheses == p.pos // so that its mistake is told
	return isCondition || isWrong
}

// isCondition reports whether an expression is surely one of type bool.
func (e *expression) isCondition() bool {
	if e.variable != nil {
		return e.variable.sort.kind() == boolSort
	}
	isConstant := e.op == "" && e.constant.kind == boolValue
	connectives := []string{"and", "or", "not", "implies", "equ", "xor", inOp, someOp, eachOp}
	return isConstant || slices.Contains(comparisons, e.op) || slices.Contains(connectives, e.op)
}

// let reads let x:T := E in F end let, after the keyword let.
func (p *parser) let(t token) *state {
	numOuter := len(p.visible)
	declared := p.initialised(":=")
	p.want("in")
	f := &state{
		op:       letOp,
		at:       t,
		declared: declared,
		parts:    []*state{p.implies()},
	}
	p.want("end")
	p.want("let")
	p.hide(numOuter)
	return f
}

// initialised reads variables with types and values. They are visible afterwards, but not in each
// other's values.
func (p *parser) initialised(sign string) (all []declaration) {
	outer := slices.Clone(p.visible)
	var declared []*variable
	for {
		at := p.next()
		name := p.variableName()
		if lastNamed(declared, name) != nil {
			abort.On(at.refused("another name", name+" is declared twice"))
		}
		p.want(":")
		sort := p.sort()
		if _, isAssigned := p.skip(sign); !isAssigned {
			p.unexpected(`the first value of ` + name + `, as in := 0 (MCL) or = 0 (mCRL2)`)
		}
		e := p.expression()
		v := p.declare(name, sort)
		p.visible = slices.Clone(outer)
		p.flow(e, v)
		declared = append(declared, v)
		all = append(all, declaration{variable: v, value: e})
		if _, hasMore := p.skip(","); !hasMore {
			p.visible = append(p.visible, declared...)
			return all
		}
	}
}

// flow records that a variable gets the value of an expression.
func (p *parser) flow(e *expression, to *variable) {
	switch {
	case e.variable != nil:
		e.variable.into = append(e.variable.into, to)
		to.from = append(to.from, e.variable)
	case e.op == "if":
		p.flow(e.parts[1], to)
		p.flow(e.parts[2], to)
	case e.op != "":
		to.isComputed = true
	}
}

// conditional reads if E then F elsif … else G end if, after the keyword if.
func (p *parser) conditional(t token) *state {
	p.hasData = true
	condition := p.expression()
	p.want("then")
	f := &state{
		op:        ifOp,
		at:        t,
		condition: condition,
		parts:     []*state{p.implies()},
	}
	next := p.next()
	switch {
	case next.kind == word && next.text == "elsif":
		p.take()
		f.parts = append(f.parts, p.conditional(next))
		return f
	case next.kind == word && next.text == "else":
		p.take()
		f.parts = append(f.parts, p.implies())
	default:
		p.unexpected("elsif or else")
	}
	p.want("end")
	p.want("if")
	return f
}
