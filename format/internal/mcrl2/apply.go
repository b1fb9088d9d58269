package mcrl2

import "strings"

// apply starts printing an operation with its arguments.
func (p *printer) apply(x term) {
	all := p.all(x)
	head, arguments := all[0], all[1:]
	switch {
	case p.hasShape(x, aNumeral):
		p.numeral(x)
		return
	case p.role(head) == binder:
		p.push(append(append([]item{text("("), data(head), text(")(")}, p.separated(arguments, ", ", -1)...), text(")"))...)
		return
	case p.role(head) != operation:
		p.call(head, arguments)
		return
	}
	o, done := p.op(head), false
	switch len(arguments) {
	case 1:
		done = p.applyOne(o, head, arguments[0])
	case 2:
		done = p.applyTwo(o, x, arguments[0], arguments[1])
	case 3:
		done = p.applyThree(o, x, arguments)
	case 4:
		if done = o == opUnion || o == opIntersect; done {
			p.setOperation(o, x, arguments)
		}
	}
	if !done {
		if name := p.name(p.argument(head, 0)); strings.HasPrefix(name, "@") {
			p.warn(name)
		}
		p.call(head, arguments)
	}
}

// call prints a function and its arguments.
func (p *printer) call(head term, arguments []term) {
	p.push(append(append([]item{data(head), text("(")}, p.separated(arguments, ", ", -1)...), text(")"))...)
}

// applyOne prints an operation with one argument, if it has its own notation.
func (p *printer) applyOne(o op, head, a term) bool {
	switch o {
	case opNot:
		p.prefixed("!", a)
	case opMinus, opNegative:
		p.prefixed("-", a)
	case opCount:
		p.push(text("#"), data(a))
	case opCast, opDigit, opNat, opInt:
		p.push(data(a))
	case opFirst, opLast:
		return p.quotient(o, a)
	case opSetOf, opBagOf:
		p.finite(o, a)
	case opSetWhere, opBagWhere:
		p.comprehension(a, func(x string) []item { return p.applied(a, x) })
	case opTemplate:
		p.template(p.name(p.argument(head, 0)), a, a)
	default:
		return false
	}
	return true
}

func (p *printer) prefixed(sign string, a term) {
	p.push(append([]item{text(sign)}, inParentheses(a, p.precedence(a) < precedenceMax)...)...)
}

// quotient prints the quotient or remainder of a division.
func (p *printer) quotient(o op, pair term) bool {
	between := " div "
	if o == opLast {
		between = " mod "
	}
	if p.opOf(pair, 2) != opDivMod {
		return false
	}
	a, b := p.argument(pair, 1), p.argument(pair, 2)
	if p.isDivMod(pair) {
		p.push(p.between(a, between, b, precedenceDivide, false)...)
		return true
	}
	p.push(append(append(inParentheses(a, true), text(between)), inParentheses(b, true)...)...)
	return true
}

// between returns an infix operation with its arguments.
func (p *printer) between(a term, operation string, b term, precedence int, groupsRight bool) []item {
	left, right := p.precedence(a), p.precedence(b)
	items := inParentheses(a, left < precedence || left == precedence && groupsRight)
	items = append(items, text(operation))
	return append(items, inParentheses(b, right < precedence || right == precedence && !groupsRight)...)
}

// applyTwo prints an operation with two arguments, if it has its own notation.
func (p *printer) applyTwo(o op, x, a, b term) bool {
	switch {
	case p.hasShape(x, aList), p.hasShape(x, aSnoc):
		p.listOf(x, o)
	case p.hasShape(x, aSet):
		p.setElements(x)
	case o.isInfix():
		what := operations[p.name(p.argument(p.argument(x, 0), 0))]
		p.push(p.between(a, what.text, b, what.precedence, o.groupsRight())...)
	case o == opPlusCarry:
		p.push(p.between(a, " + ", b, precedencePlus, false)...)
	case o == opMonus:
		p.push(append(append([]item{text("max(0,")}, p.between(a, " - ", b, precedenceMax, false)...), text(")"))...)
	case o == opReal && p.isOne(b):
		p.push(data(a))
	case o == opReal, o == opFraction:
		p.push(p.between(a, " / ", b, precedenceDivide, false)...)
	case o == opSet:
		p.set(a, b)
	case o == opBag:
		p.bag(a, b)
	case o == opTemplate:
		p.template(p.name(p.argument(p.argument(x, 0), 0)), a, b)
	case o == opConcatDigit:
		p.push(text(words+"* ("), data(a), text(") + "), data(b))
	default:
		return false
	}
	return true
}

// applyThree prints an operation with three arguments, if it has its own
// notation.
func (p *printer) applyThree(o op, x term, a []term) bool {
	switch {
	case p.hasShape(x, aBag):
		p.bagElements(x)
	case o == opUpdate:
		items := inParentheses(a[0], p.role(a[0]) == binder)
		p.push(append(items, text("["), data(a[1]), text(" -> "), data(a[2]), text("]"))...)
	case o == opMixed:
		p.push(append(append([]item{}, inParentheses(a[1], p.precedence(a[1]) < precedencePlus)...),
			append([]item{text(" + ")}, p.between(a[2], " / ", a[0], precedenceDivide, false)...)...)...)
	default:
		return false
	}
	return true
}

// template prints an operation by its template.
func (p *printer) template(name string, a, b term) {
	shown := templates[name]
	if name == "@pospred" && !p.machine {
		shown = "max(1,\x01 - 1)"
	}
	var items []item
	for {
		i := strings.IndexAny(shown, "\x01\x02")
		if i < 0 {
			break
		}
		argument := a
		if shown[i] == 2 {
			argument = b
		}
		items = append(items, text(shown[:i]), data(argument))
		shown = shown[i+1:]
	}
	p.push(append(items, text(shown))...)
}

// elements returns the elements of a list, set or bag of this shape. It
// consists of nested parts: the argument of a part with index at is an element,
// and the argument with index rest is the next part.
func (p *printer) elements(x term, s shape, at, rest int) []term {
	var found []term
	for ; p.hasShape(x, s) && len(found) <= textMax; x = p.argument(x, rest) {
		found = append(found, p.argument(x, at))
	}
	return found
}

func (p *printer) listOf(x term, o op) {
	at, rest, s, bound := 1, 2, aList, precedenceInSet
	if o == opSnoc {
		at, rest, s, bound = 2, 1, aSnoc, precedenceInList
	}
	all := p.elements(x, s, at, rest)
	if o == opSnoc {
		for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
			all[i], all[j] = all[j], all[i]
		}
	}
	p.push(append(append([]item{text("[")}, p.separated(all, ", ", bound)...), text("]"))...)
}

func (p *printer) setElements(x term) {
	p.push(append(append([]item{text("{")}, p.separated(p.elements(x, aSet, 1, 2), ", ", precedenceInSet)...), text("}"))...)
}

func (p *printer) bagElements(x term) {
	items := []item{text("{")}
	times := p.elements(x, aBag, 2, 3)
	for i, e := range p.elements(x, aBag, 1, 3) {
		if i > 0 {
			items = append(items, text(", "))
		}
		items = append(items, data(e), text(": "), data(times[i]))
	}
	p.push(append(items, text("}"))...)
}
