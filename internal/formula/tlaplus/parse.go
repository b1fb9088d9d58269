package tlaplus

import "slices"

// wholeExpression reads an expression that must extend to the end of the text. The name of the text
// in errors is what.
func (p *parser) wholeExpression(what string) *expression {
	x := p.expression()
	if p.peek().kind != end {
		p.unexpected("an operator or the end of " + what)
	}
	return x
}

// expression reads the longest expression that begins with the next token.
func (p *parser) expression() *expression {
	p.deeper(p.peek().at, "expressions")
	defer p.shallower()
	return p.operation(nil)
}

// pending is an operator whose right operand is being read.
type pending struct {
	token
	precedence
	prefix bool
}

// operation reads the right operand of an operator or, if the operator is nil, a whole expression.
func (p *parser) operation(operator *pending) *expression {
	prefixes := p.prefixes()
	from := p.peek()
	x := p.operand()
	for _, o := range slices.Backward(prefixes) {
		name := spelled(o.token)
		if name == "-" {
			name = "-."
		}
		operand := p.infixes(x, from, &o)
		x = p.placed(&expression{kind: apply, name: name, args: []*expression{operand}}, o.token)
		from = o.token
	}
	return p.infixes(x, from, operator)
}

// prefixes reads prefix operators, as many as come next.
func (p *parser) prefixes() []pending {
	var all []pending
	for {
		t := p.peek()
		binding := prefix()[t.text]
		isPrefix := (t.kind == sign || t.kind == word) && binding != precedence{}
		if !isPrefix {
			return all
		}
		p.pos++
		all = append(all, pending{token: t, precedence: binding, prefix: true})
	}
}

// infixes reads the infix operators after the expression x, which begins with the token from, and their
// right operands. x is the right operand of the pending operator, nil if there is none. An operator that
// does not bind more tightly than the pending one is left to it.
func (p *parser) infixes(x *expression, from token, pendingOperator *pending) *expression {
	for {
		t := p.peek()
		binding, isInfix := infix()[t.text]
		if !isInfix || t.kind != sign {
			return x
		}
		bindsMoreTightly := pendingOperator == nil || pendingOperator.below(binding)
		if !bindsMoreTightly {
			pendingOperator.checkConflict(x, t, binding)
			return x
		}
		p.pos++
		right := p.operation(&pending{token: t, precedence: binding})
		x = p.placed(infixExpression(spelled(t), x, right), from)
		x.at = t.at
	}
}

// checkConflict fails if neither the pending operator nor the infix operator after its operand binds
// more tightly, and they are not the same operator, which associates to the left.
func (o *pending) checkConflict(operand *expression, following token, binding precedence) {
	isSame := !o.prefix && spelled(o.token) == spelled(following)
	isChain := isSame && leftAssociative()[following.text]
	if !binding.below(o.precedence) && !isChain {
		fail(following.at,
			"precedence conflict between %s and %s: put parentheses around one of them%s", o.text, following.text,
			asConnective(operand))
	}
}

// asConnective returns a clause about && or || as the operator of an operand, as in x = 1 || y = 1; "" for
// any other operand. In TLA+ both bind more tightly than =.
func asConnective(operand *expression) string {
	isOther := operand.kind == apply && !operand.parenthesised && (operand.name == "&&" || operand.name == "||")
	if !isOther {
		return ""
	}
	return inOtherWords(operand.name)
}

// infixExpression returns the application of an infix operator. A \X B \X C is one product of three sets.
func infixExpression(operator string, left, right *expression) *expression {
	args := []*expression{left, right}
	if operator != `\X` {
		return &expression{kind: apply, name: operator, args: args}
	}
	continuesProduct := left.kind == product && !left.parenthesised
	if continuesProduct {
		args = append(slices.Clone(left.args), right)
	}
	return &expression{kind: product, name: operator, args: args}
}

// operand reads an operand, with the arguments and fields that are applied to it.
func (p *parser) operand() *expression {
	from := p.peek()
	x := p.unary()
	for {
		t := p.peek()
		switch {
		case t.is("["):
			p.pos++
			x = p.placed(&expression{kind: at, args: append([]*expression{x}, p.list("]")...)},
				from)
		case t.is("."):
			p.pos++
			f := p.next()
			if f.kind != word {
				fail(f.at, "expected the name of a field behind the dot")
			}
			x = p.placed(&expression{kind: field, args: []*expression{x}, name: f.text}, from)
		case t.kind == sign && postfix()[t.text]:
			p.pos++
			x = p.placed(&expression{kind: apply, name: t.text, args: []*expression{x}}, from)
		default:
			return x
		}
	}
}

// list reads expressions and the bracket that closes their list. The list may be empty.
func (p *parser) list(closer string) []*expression {
	if p.take(closer) {
		return nil
	}
	return closed(p, closer, "an operator, a comma or "+closer, p.expression)
}

// expressionAfter reads an expected token and the expression after it.
func (p *parser) expressionAfter(text string) *expression {
	p.expect(text)
	return p.expression()
}

// unary reads an expression that is not an operation.
func (p *parser) unary() *expression {
	t := p.next()
	if t.isName() {
		if names, isLabel := p.labelParameters(); isLabel {
			x := p.expression() // a label does not change how its expression is read
			x.label = t.text
			x.labelled = names
			return x
		}
	}
	x := &expression{}
	switch {
	case t.kind == number, t.kind == text:
		x.kind = literal
		x.name = t.text
		x.number = t.kind == number
	case t.isName():
		return p.application(t)
	case t.is("("):
		x = p.expression() // its source includes the parentheses
		p.expect(")")
		x.parenthesised = true
	case spelled(t) == `/\`, spelled(t) == `\/`:
		x = p.junction(t)
	case t.is("<<"):
		x = p.tuple(t)
	case t.is("{"):
		x = p.braces()
	case t.is("["):
		x = p.brackets()
	case t.is("@"):
		x.kind = apply
		x.name = "@"
	case t.is("WF_"), t.is("SF_"):
		subscript := p.subscript()
		x.kind = fair
		x.name = t.text[:2]
		x.args = []*expression{p.expressionAfter("("), subscript}
		p.expect(")")
	default:
		x = p.keyworded(t)
	}
	return p.placed(x, t)
}

// labelParameters reads the rest of a label NAME:: or NAME(x, y):: after the name. It reports whether there
// is a label, and returns the names in parentheses.
func (p *parser) labelParameters() (names []string, isLabel bool) {
	if p.take("::") {
		return nil, true
	}
	if !p.is("(") {
		return nil, false
	}
	start := p.pos
	p.pos++
	for p.peek().isName() {
		names = append(names, p.next().text)
		if !p.take(",") {
			break
		}
	}
	if p.take(")") && p.take("::") {
		return names, true
	}
	p.pos = start
	return nil, false
}

// keyworded reads an expression that begins with a word of the language or with a quantifier.
func (p *parser) keyworded(t token) *expression {
	x := &expression{}
	switch {
	case t.is("IF"):
		x.kind = ifThen
		x.args = []*expression{p.expression(), p.expressionAfter("THEN"), p.expressionAfter("ELSE")}
	case t.is("CASE"):
		x.kind = cases
		for hasMore := true; hasMore; hasMore = p.take("[]") {
			var condition *expression
			if !p.take("OTHER") {
				condition = p.expression()
			}
			x.args = append(x.args, condition, p.expressionAfter("->"))
		}
	case t.is("LET"):
		x.kind = let
		x.defs = p.localDefinitions()
		x.args = []*expression{p.expression()}
	case t.is("CHOOSE"):
		x.kind = choose
		x.bounds = []bound{p.singleBound()}
		x.args = []*expression{p.expressionAfter(":")}
	case t.is("LAMBDA"):
		x.kind = lambda
		x.fields = commas(p, p.name)
		x.args = []*expression{p.expressionAfter(":")}
	case t.is(`\A`), t.is(`\forall`), t.is(`\E`), t.is(`\exists`):
		x.kind = forAll
		if t.text == `\E` || t.text == `\exists` {
			x.kind = exists
		}
		x.bounds = p.quantifierBounds()
		x.args = []*expression{p.expressionAfter(":")}
	case t.is(`\AA`), t.is(`\EE`):
		x.kind = hiding
		x.name = t.text
		x.fields = commas(p, p.name)
		x.args = []*expression{p.expressionAfter(":")}
	default:
		if t.kind != end {
			p.pos--
		}
		p.unexpected(anExpression)
	}
	return x
}

// localDefinitions reads the definitions of a LET, and its IN.
func (p *parser) localDefinitions() []*Definition {
	var all []*Definition
	for !p.take("IN") {
		switch {
		case p.take("RECURSIVE"):
			commas(p, p.declaration)
		case !p.definitionFollows():
			p.unexpected("a definition or IN")
		default:
			d := p.head()
			if at := p.peek().at; p.take("INSTANCE") {
				d.instance = p.instance(at)
			} else {
				d.body = p.expression()
			}
			all = append(all, d)
		}
	}
	return all
}

// junction reads a list of conjuncts or disjuncts, after the operator t of its first item. The items
// are to the right of their operators.
func (p *parser) junction(t token) *expression {
	x := &expression{kind: junction, name: spelled(t)}
	for {
		p.columns = append(p.columns, t.at.Column)
		x.args = append(x.args, p.expression())
		p.columns = p.columns[:len(p.columns)-1]
		next := p.peek()
		if next.kind != sign || spelled(next) != x.name || next.at.Column != t.at.Column {
			return x
		}
		p.pos++
	}
}

// tuple reads a tuple, or an action with a subscript, after the opening bracket t.
func (p *parser) tuple(t token) *expression {
	x := &expression{kind: tuple, args: p.list(">>")}
	if p.takeSubscriptSign() {
		if len(x.args) != 1 {
			fail(t.at, "<<A>>_v takes one action, found %d", len(x.args))
		}
		x.kind = angle
		x.args = append(x.args, p.subscript())
	}
	return x
}

// application reads the rest of an expression that begins with the name from: arguments, and names or selectors
// after a !, as in I(1)!Op(2) and Inv!2.
func (p *parser) application(from token) *expression { return p.reference(from, p.arguments) }

// reference is application, for which readArguments reads the arguments that follow a name.
func (p *parser) reference(from token, readArguments func() []*expression) *expression {
	x := &expression{kind: apply, name: from.text}
	for {
		arguments := readArguments()
		x.args = append(x.args, arguments...)
		following := p.ahead(1)
		isNameNext := p.is("!") && (following.kind == word || following.isOperator())
		isSelectorNext := p.selectorFollows()
		if isNameNext || isSelectorNext {
			x.kind = selected
		}
		if x.kind == selected {
			x.given = append(x.given, len(arguments))
		}
		switch {
		case isSelectorNext:
			p.selectors(x)
			return p.placed(x, from)
		case !isNameNext:
			return p.placed(x, from)
		}
		p.pos++
		x.path = append(x.path, x.name)
		x.name = spelled(p.next())
	}
}

// arguments reads the arguments in parentheses after a name; nil if there are none.
func (p *parser) arguments() []*expression {
	if !p.take("(") {
		return nil
	}
	return closed(p, ")", "an operator, a comma or )", p.argument)
}

// argument reads an expression, or an operator without operands, such as + in F(+, x).
func (p *parser) argument() *expression {
	t := p.peek()
	following := p.ahead(1)
	if t.isOperator() && (following.is(",") || following.is(")")) {
		p.pos++
		return p.placed(&expression{kind: apply, name: spelled(t)}, t)
	}
	return p.expression()
}

// selectorFollows reports whether the next tokens are a ! and the selector of a part of a definition,
// as in Inv!2.
func (p *parser) selectorFollows() bool {
	next := p.ahead(1)
	return p.is("!") && (next.kind == number || next.is("<<") || next.is(">>") || next.is(":") || next.is("(") || next.is("@"))
}

// selectors reads the selectors of a part of a definition, up to the last !. A selector is a
// number, <<, >>, :, a label, values of bound names in parentheses, or @, which selects the
// operator that takes such values. These values, and those of a label, become further arguments of
// the expression.
func (p *parser) selectors(x *expression) {
	for p.selectorFollows() || p.is("!") && p.ahead(1).kind == word {
		p.spent.take(1)
		p.pos++
		selector := boundValuesFollow
		if !p.is("(") && !p.take("@") {
			selector = p.next().text
		}
		var values []*expression
		if p.take("(") {
			values = closed(p, ")", "an operator, a comma or )", p.expression)
		}
		x.selectors = append(x.selectors, selector)
		x.args = append(x.args, values...)
		x.given = append(x.given, len(values))
	}
}

// boundValuesFollow is the selector of the body of a quantifier, for given values of the names that the
// quantifier binds.
const boundValuesFollow = "()"

// takeSubscriptSign reads the _ of a subscript, if one directly follows the last token, and reports whether it did.
func (p *parser) takeSubscriptSign() bool {
	if p.is("_") && p.peek().from == p.tokens[p.pos-1].behind {
		p.pos++
		return true
	}
	return false
}

// subscript reads the subscript of an action, after its _: a name without arguments, or an expression in
// brackets.
func (p *parser) subscript() *expression {
	if !p.peek().isName() {
		return p.unary()
	}
	noArguments := func() []*expression { return nil }
	return p.reference(p.next(), noArguments)
}

// bounds reads bounds, separated by commas.
func (p *parser) bounds() []bound {
	return slices.Concat(commas(p, p.sharedBound)...)
}

// quantifierBounds reads bounds, separated by commas, or names without sets.
func (p *parser) quantifierBounds() []bound {
	if p.unboundedFollow() {
		return []bound{{names: commas(p, p.name)}}
	}
	return p.bounds()
}

// unboundedFollow reports whether the next tokens are names without a set, and a colon.
func (p *parser) unboundedFollow() bool {
	for i := p.pos; i+1 < len(p.tokens) && p.tokens[i].isName(); i += 2 {
		p.spent.take(1)
		switch {
		case p.tokens[i+1].is(":"):
			return true
		case !p.tokens[i+1].is(","):
			return false
		}
	}
	return false
}

// sharedBound reads names, or a tuple of names, and the set over which each of them ranges.
func (p *parser) sharedBound() []bound {
	all := []bound{p.nameOrTuple()}
	for !all[0].tuple && p.take(",") {
		all = append(all, bound{names: []string{p.name()}})
	}
	set := p.setOfBound()
	for i := range all {
		all[i].set = set
	}
	return all
}

// singleBound reads a name or a tuple of names, and its set. The set is nil if a colon follows instead.
func (p *parser) singleBound() bound {
	b := p.nameOrTuple()
	if !p.is(":") {
		b.set = p.setOfBound()
	}
	return b
}

// nameOrTuple reads a name or a tuple of names as a bound that has no set yet.
func (p *parser) nameOrTuple() bound {
	if p.take("<<") {
		return bound{names: closed(p, ">>", ",", p.name), tuple: true}
	}
	return bound{names: []string{p.name()}}
}

// setOfBound reads \in and a set.
func (p *parser) setOfBound() *expression {
	if !p.take(`\in`) {
		p.unexpected(`\in and a set`)
	}
	return p.expression()
}

// boundFollows reports whether the next tokens are names and \in.
func (p *parser) boundFollows() bool {
	if p.unbound[p.pos] {
		return false
	}
	i := slices.IndexFunc(p.tokens[p.pos:], func(t token) bool {
		return !t.isName() && !t.is(",") && !t.is("<<") && !t.is(">>")
	})
	p.spent.take(max(i, 0))
	return i >= 0 && p.tokens[p.pos+i].is(`\in`)
}

// retryWithoutBounds returns to a position, and records that no bounds begin there.
func (p *parser) retryWithoutBounds(pos int) {
	if p.unbound == nil {
		p.unbound = map[int]bool{}
	}
	p.pos = pos
	p.unbound[pos] = true
}

// braces reads the rest of a set after {: a filter {x \in S : P}, a list of members, or an image
// {e : x \in S}. What begins like a filter, but has no colon, is read again as an expression.
func (p *parser) braces() *expression {
	if p.take("}") {
		return &expression{kind: setOf}
	}
	start := p.pos
	if p.boundFollows() {
		b := p.singleBound()
		if p.take(":") {
			x := &expression{
				kind:   filtered,
				bounds: []bound{b},
				args:   []*expression{p.expression()},
			}
			p.expect("}")
			return x
		}
		p.retryWithoutBounds(start)
	}
	x := &expression{kind: setOf, args: []*expression{p.expression()}}
	expected := "an operator, a comma or }"
	if p.take(":") {
		x.kind = mapped
		x.bounds = p.bounds()
		expected = ","
	} else if p.take(",") {
		x.args = append(x.args, commas(p, p.expression)...)
	}
	if !p.take("}") {
		p.unexpected(expected)
	}
	return x
}

// brackets reads the rest of an expression after [: a record, a set of records, a function, a set of
// functions, EXCEPT, or an action [A]_vars. What begins like the bounds of a function, but has no |->, is
// read again as an expression.
func (p *parser) brackets() *expression {
	following := p.ahead(1)
	isField := p.peek().kind == word && (following.is("|->") || following.is(":"))
	if isField {
		return p.fields(following.text)
	}
	if p.boundFollows() {
		x := p.functionInBrackets()
		if x != nil {
			return x
		}
	}
	x := &expression{args: []*expression{p.expression()}}
	switch {
	case p.take("->"):
		x.kind = functions
		x.args = append(x.args, p.expression())
		p.expect("]")
	case p.take("EXCEPT"):
		x.kind = except
		x.changes = closed(p, "]", ",", p.change)
	case !p.take("]"):
		p.unexpected("an operator, |->, ->, EXCEPT or ]")
	case !p.takeSubscriptSign():
		p.unexpected("_ and what may stay as it is, as in [A]_vars")
	default:
		x.kind = square
		x.args = append(x.args, p.subscript())
	}
	return x
}

// fields reads the fields of a record, and the ]. The sign follows the name of each field: |-> in a record, and : in
// a set of records.
func (p *parser) fields(sign string) *expression {
	x := &expression{kind: record}
	if sign == ":" {
		x.kind = records
	}
	x.args = closed(p, "]", ",", func() *expression {
		x.fields = append(x.fields, p.next().text)
		return p.expressionAfter(sign)
	})
	return x
}

// functionInBrackets reads the rest of [x \in S |-> e] after the [. If there is no |-> after what seemed to be bounds,
// it returns nil, and leaves them to be read again.
func (p *parser) functionInBrackets() *expression {
	start := p.pos
	x := &expression{kind: function, bounds: p.bounds()}
	if !p.take("|->") {
		p.retryWithoutBounds(start)
		return nil
	}
	x.args = []*expression{p.expression()}
	p.expect("]")
	return x
}

// change reads a change in EXCEPT: a !, the path with indices and fields, and the new value.
func (p *parser) change() change {
	var c change
	p.expect("!")
	for {
		switch {
		case p.take("["):
			c.path = append(c.path, p.list("]"))
		case p.take("."):
			f := p.next()
			c.path = append(c.path, []*expression{{kind: literal, name: f.text, at: f.at}})
		default:
			p.expect("=")
			c.to = p.expression()
			return c
		}
	}
}
