package modal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
)

// expression reads an expression of data.
func (p *parser) expression() *expression {
	defer p.deeper()()
	e := p.disjunction()
	t := p.next()
	switch {
	case t.is("implies", "=>"):
		p.take()
		return p.newOperation("implies", t, e, p.expression())
	case t.is("equ", "<=>"), t.is("xor"):
		p.take()
		op := "equ"
		if t.is("xor") {
			op = "xor"
		}
		return p.newOperation(op, t, e, p.expression())
	}
	return e
}

func (p *parser) disjunction() *expression {
	return p.chained("or", p.conjunctionOfData, "or", "||")
}

func (p *parser) conjunctionOfData() *expression {
	return p.chained("and", p.relation, "and", "&&")
}

// chained reads operands that are joined by an operator, which associates to the left.
func (p *parser) chained(op string, operand func() *expression, signs ...string) *expression {
	e := operand()
	for p.next().is(signs...) {
		t := p.take()
		e = p.newOperation(op, t, e, operand())
	}
	return e
}

// newOperation returns an expression. It records which variables are compared for equality, and which
// occur in arithmetic, in an ordering, or in other operators, for which equality of values is not enough.
func (p *parser) newOperation(op string, at token, parts ...*expression) *expression {
	switch op {
	case "and", "or", "implies", "equ", "xor", "not", "if", constructOp:
	case "==", "!=":
		parts[0].comparedWith(parts[1])
		parts[1].comparedWith(parts[0])
	default:
		for _, part := range parts {
			part.variables(func(v *variable) { v.needsMoreThanEquality = true })
		}
	}
	return &expression{op: op, at: at, parts: parts}
}

// comparedWith records that a variable is compared for equality with another expression.
func (e *expression) comparedWith(other *expression) {
	switch {
	case e.op == "if" || e.op == constructOp:
		e.variables(func(v *variable) { v.needsMoreThanEquality = true })
	case e.variable == nil:
	case other.variable != nil:
		e.variable.equal = append(e.variable.equal, other.variable)
	case other.op != "":
		e.variable.needsMoreThanEquality = true
	}
}

// isOneOf returns the condition that an expression is equal to one of the elements of a list or
// set.
func (p *parser) isOneOf(e *expression, in token, elements []*expression) *expression {
	isElement := &expression{at: in, constant: truth(false)}
	for i, element := range elements {
		isThisElement := p.newOperation("==", element.at, e, element)
		if i == 0 {
			isElement = isThisElement
		} else {
			isElement = p.newOperation("or", element.at, isElement, isThisElement)
		}
	}
	return isElement
}

// member returns that an expression is an element of a list or set. A set that a condition describes may be
// infinite, but whether a value is in the set is known by the condition.
func (p *parser) member(e *expression, at token, collection *expression) *expression {
	switch {
	case collection.op == listOp || collection.op == setOp:
		return p.isOneOf(e, at, collection.parts)
	case collection.op == comprehensionOp:
		bound := collection.declared[0].variable.name
		return p.substituted(collection.parts[0], map[string]*expression{bound: e})
	case !collection.hasComprehension():
		return p.newOperation(inOp, at, e, collection)
	}
	switch collection.op {
	case "if":
		return p.newOperation("if", at, collection.parts[0], p.member(e, at, collection.parts[1]), p.member(e, at, collection.parts[2]))
	case "+":
		return p.newOperation("or", at, p.member(e, at, collection.parts[0]), p.member(e, at, collection.parts[1]))
	case "*":
		return p.newOperation("and", at, p.member(e, at, collection.parts[0]), p.member(e, at, collection.parts[1]))
	case "-":
		isOutside := p.newOperation("not", at, p.member(e, at, collection.parts[1]))
		return p.newOperation("and", at, p.member(e, at, collection.parts[0]), isOutside)
	case "not": // the complement
		return p.newOperation("not", at, p.member(e, at, collection.parts[0]))
	}
	return p.newOperation(inOp, at, e, collection)
}

// hasComprehension reports whether an expression is made of sets that conditions describe.
func (e *expression) hasComprehension() bool {
	if e.op == comprehensionOp {
		return true
	}
	parts := e.parts
	switch e.op {
	case "if":
		parts = parts[1:]
	case "+", "*", "-", "not":
	default:
		return false
	}
	return slices.ContainsFunc(parts, (*expression).hasComprehension)
}

// relation reads a comparison for equality, or one operand.
func (p *parser) relation() *expression {
	e := p.ordering()
	t := p.next()
	if !t.is("==", "=", "!=", "<>") {
		return e
	}
	p.take()
	op := t.text
	switch op {
	case "=":
		op = "=="
	case "<>":
		op = "!="
	}
	return p.newOperation(op, t, e, p.ordering())
}

// ordering reads another comparison, or one operand.
func (p *parser) ordering() *expression {
	e := p.prepended()
	t := p.next()
	switch {
	case !p.isMCL && t.is("in"):
		p.take()
		return p.member(e, t, p.prepended())
	case t.is("<", "<=", ">", ">="):
		p.take()
		compared := p.newOperation(t.text, t, e, p.prepended())
		compared.types = p.lookup
		return compared
	}
	return e
}

// operatorOfSigns reports whether two adjacent signs come next, which form an operator on lists of mCRL2.
func (p *parser) operatorOfSigns(first, second string) bool {
	if p.isMCL || !p.next().is(first) {
		return false
	}
	following := p.tokens[p.pos+1]
	return following.is(second) && !following.spaced
}

// prepended reads A |> B, or one operand.
func (p *parser) prepended() *expression {
	defer p.deeper()()
	e := p.appended()
	if !p.operatorOfSigns("|", ">") {
		return e
	}
	t := p.take()
	p.take()
	return p.newOperation(prependOp, t, e, p.prepended())
}

// appended reads operands with <| between them.
func (p *parser) appended() *expression {
	e := p.concatenated()
	for p.operatorOfSigns("<", "|") {
		t := p.take()
		p.take()
		e = p.newOperation(appendOp, t, e, p.concatenated())
	}
	return e
}

// concatenated reads operands with ++ between them.
func (p *parser) concatenated() *expression {
	e := p.sum()
	for p.operatorOfSigns("+", "+") {
		t := p.take()
		p.take()
		e = p.newOperation(concatenateOp, t, e, p.sum())
	}
	return e
}

func (p *parser) sum() *expression {
	e := p.product()
	for p.next().is("+", "-") && !p.operatorOfSigns("+", "+") {
		t := p.take()
		e = p.newOperation(t.text, t, e, p.product())
	}
	return e
}

// product reads factors with *, div or mod between them, and in MCL also /, which is div there.
func (p *parser) product() *expression {
	e := p.indexed()
	for {
		t := p.next()
		isWord := t.kind == word && (t.text == "div" || t.text == "mod")
		if !p.isMCL && t.is("/") {
			abort.On(t.refused("numbers without fractions",
				"real numbers are not evaluated; div is the quotient of whole numbers"))
		}
		if !isWord && !t.is("*") && !(p.isMCL && t.is("/")) {
			return e
		}
		p.take()
		op := t.text
		if op == "/" {
			op = "div"
		}
		e = p.newOperation(op, t, e, p.indexed())
	}
}

// indexed reads an operand, and in mCRL2 any positions in lists behind it, as in l . 0.
func (p *parser) indexed() *expression {
	e := p.factor()
	for !p.isMCL && p.next().is(".") {
		t := p.take()
		e = p.newOperation(elementOp, t, e, p.factor())
	}
	return e
}

// factor reads an operand of an arithmetic operator: the innermost part of an expression that is no
// expression of its own.
func (p *parser) factor() *expression {
	defer p.deeper()()
	begin := p.pos
	t := p.take()
	if p.isCallOfWord(t) {
		return p.applied(p.callOfWord(t))
	}
	for _, read := range []func(token) *expression{p.prefixed, p.enclosed, p.primary} {
		e := read(t)
		if e != nil {
			return e
		}
	}
	p.pos = begin
	p.unexpected("an expression of data")
	return nil
}

// prefixed reads the operand of the prefix operator t, which has been taken. It returns nil if t is no
// prefix operator.
func (p *parser) prefixed(t token) *expression {
	switch {
	case t.is("not"), t.is("!") && !p.isMCL:
		return p.newOperation("not", t, p.factor())
	case t.is("#") && !p.isMCL:
		return p.newOperation(sizeOp, t, p.factor())
	case t.is("-"):
		return p.newOperation("neg", t, p.factor())
	}
	return nil
}

// enclosed reads an expression in parentheses, or a list or set of mCRL2, after its opening sign t, which
// has been taken. It returns nil if t opens none of these.
func (p *parser) enclosed(t token) *expression {
	switch {
	case t.is("("):
		e := p.expression()
		p.want(")")
		return e
	case t.is("[") && !p.isMCL:
		return p.newOperation(listOp, t, p.expressionsUntil("]")...)
	case t.kind == offers && !p.isMCL: // braces, and the text in them
		return p.set(t)
	}
	return nil
}

// primary reads a constant, a variable, a function with arguments, a conditional value or a quantified
// condition, after its first token; nil if the token begins none of these.
func (p *parser) primary(t token) *expression {
	switch {
	case t.is("true", "false"):
		return &expression{at: t, constant: truth(t.text == "true")}
	case t.kind == numeral:
		return p.numeral(t)
	case t.kind == label:
		return &expression{at: t, constant: value{text: `"` + t.text + `"`}}
	case t.is("if"):
		return p.conditionalValue(t)
	case t.is("forall", "exists") && !p.isMCL:
		return p.quantifiedCondition(t)
	case t.kind == call:
		return p.applied(t)
	case t.kind == word && !slices.Contains(reserved, t.text):
		return p.named(t)
	}
	return nil
}

// isCallOfWord reports whether a token that has been taken is a word of MCL, such as "and", that names
// a function or constructor of mCRL2 here.
func (p *parser) isCallOfWord(t token) bool {
	isWord := !p.isMCL && t.is("and", "or", "not", "implies", "equ", "xor")
	return isWord && p.next().is("(") &&
		(p.lookup.function(t.text) != nil || p.lookup.constructor(t.text) != nil)
}

// callOfWord takes the arguments behind a word, and returns the word with its arguments.
func (p *parser) callOfWord(t token) token {
	depth := 0
	for {
		next := p.take()
		switch {
		case next.is("("):
			depth++
		case next.is(")"):
			depth--
		case next.kind == end:
			p.unexpected(`")"`)
		}
		if depth == 0 {
			t.kind = call
			t.text = t.in.text[t.at : next.at+len(")")]
			return t
		}
	}
}

// numeral returns the number that a token denotes.
func (p *parser) numeral(t token) *expression {
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil {
		refuse(t, "a number of at most 64 bits")
	}
	p.mentioned[n] = true
	return &expression{at: t, constant: number(n)}
}

// conditionalValue reads if(CONDITION, VALUE, VALUE), after the keyword if.
func (p *parser) conditionalValue(t token) *expression {
	p.want("(")
	parts := []*expression{p.expression()}
	for range 2 {
		p.want(",")
		parts = append(parts, p.expression())
	}
	p.want(")")
	return p.newOperation("if", t, parts...)
}

// expressions reads expressions with commas between them, up to the end of the text.
func (p *parser) expressions() (all []*expression) {
	if p.next().kind != end {
		all = p.separated()
	}
	p.finished(`"," or ")"`)
	return all
}

// separated reads one or more expressions with commas between them.
func (p *parser) separated() (all []*expression) {
	for {
		all = append(all, p.expression())
		if _, hasMore := p.skip(","); !hasMore {
			return all
		}
	}
}

// expressionsUntil reads expressions with commas between them, and the sign that closes them.
func (p *parser) expressionsUntil(closing string) (all []*expression) {
	if !p.next().is(closing) {
		all = p.separated()
	}
	p.want(closing)
	return all
}

// set reads a set in braces: {A, B}, or {n: Nat | CONDITION}.
func (p *parser) set(t token) *expression {
	inside := p.readerOf(t, t.text)
	if len(splitOutside(t.text, ':')) == 1 {
		return p.newOperation(setOp, t, inside.expressions()...)
	}
	declared := inside.quantified()
	inside.want("|")
	condition := inside.expression()
	inside.finished(`"}"`)
	if len(declared) != 1 {
		refuse(t, "a set with one variable, as in {n: Nat | n <= 9}")
	}
	e := p.newOperation(comprehensionOp, t, condition)
	e.declared = declared
	return e
}

// quantifiedCondition reads a quantifier within a condition, after its keyword.
func (p *parser) quantifiedCondition(t token) *expression {
	numOuter := len(p.visible)
	declared := p.quantified()
	p.want(".")
	body := p.expression()
	p.hide(numOuter)
	op := someOp
	if t.is("forall") {
		op = eachOp
	}
	e := p.newOperation(op, t, body)
	e.declared = declared
	return e
}

// named reads a variable or a constant.
func (p *parser) named(t token) *expression {
	v := p.find(t.text)
	switch {
	case v != nil && v.isOutOfScope:
		abort.On(t.refused("a variable that is in scope here",
			t.text+" is bound where it is out of reach: behind \"|\" both sides have to bind it, and a repetition or negation binds for itself"))
	case v != nil:
		return &expression{at: t, variable: v}
	case p.isMCL && strings.EqualFold(t.text, "true"), p.isMCL && strings.EqualFold(t.text, "false"):
		return &expression{at: t, constant: truth(strings.EqualFold(t.text, "true"))}
	}
	if p.isFixpoint(t.text) {
		abort.On(t.refused(ofData, t.text+" is a fixpoint, and a formula"))
	}
	if f := p.lookup.function(t.text); f != nil {
		return p.application(t, f, nil)
	}
	if p.lookup.constructor(t.text) == nil {
		p.constants[t.text] = true
	}
	return &expression{at: t, constant: value{text: t.text}}
}

// isFixpoint reports whether a fixpoint with this name is in reach.
func (p *parser) isFixpoint(name string) bool {
	return slices.ContainsFunc(p.bound, func(b boundFixpoint) bool { return b.name == name })
}

// functions are the functions on data, with the numbers of their operands.
var functions = map[string]int{
	"head": 1, "tail": 1, "rhead": 1, "rtail": 1, "exp": 2,
	"max": 2, "min": 2, "abs": 1, "succ": 1, "pred": 1, "div": 2, "mod": 2,
	"Nat2Int": 1, "Pos2Nat": 1, "Pos2Int": 1, "Int2Nat": 1, "Nat2Pos": 1, "Int2Pos": 1,
}

// constructed returns a constructor with arguments, or a function that recognises one or returns one of its
// arguments; nil if the name is none of these.
func (p *parser) constructed(t token, name string, parts []*expression) *expression {
	c := p.lookup.constructor(name)
	if c != nil && len(c.sorts) == len(parts) {
		e := p.newOperation(constructOp, t, parts...)
		e.constructor = c
		return e
	}
	fields := p.lookup.fields(name)
	if fields == nil || len(parts) != 1 {
		return nil
	}
	op := projectOp
	if fields[0].index == recognised {
		op = recogniseOp
	}
	e := p.newOperation(op, t, parts...)
	e.fields = fields
	return e
}

// applied reads a function with arguments.
func (p *parser) applied(t token) *expression {
	name, inside := p.inner(t)
	if p.isFixpoint(name) {
		abort.On(t.refused(ofData, name+" is a fixpoint, and a formula"))
	}
	parts := inside.expressions()
	if f := p.lookup.function(name); f != nil {
		return p.application(t, f, parts)
	}
	if functions[name] == len(parts) {
		return p.newOperation(name, t, parts...)
	}
	if e := p.constructed(t, name, parts); e != nil {
		return e
	}
	e := &expression{at: t, parts: parts}
	isConstant := true
	e.variables(func(*variable) { isConstant = false })
	if !isConstant {
		abort.On(t.refused(ofData,
			"what "+name+" computes stands in the specification and not in the model; write its definition before the formula, as in map … eqn … form, or the type that it constructs, as in sort … form"))
	}
	p.constants[withoutBlanks(t.text)] = true
	return &expression{at: t, constant: value{text: withoutBlanks(t.text)}}
}
