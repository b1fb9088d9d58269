package modal

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/lts"
)

// declaration declares a variable of data.
type declaration struct {
	variable *variable
	// first and last bound the values of the variable; nil if nothing bounds them.
	first, last *expression
	// value is the value of a variable of let, or the initial value of a parameter of a fixpoint.
	value *expression
}

// actionOperator is the outermost operator of an [action].
type actionOperator uint8

const (
	plainAction actionOperator = iota // about the label, without data
	andAction
	orAction
	notAction
	valAction
	existsAction
	forallAction
	offersAction // {GATE !1 ?x:nat …} of MCL
	callAction   // name(arguments) of mCRL2, or several together
)

// action is an action formula with data.
type action struct {
	op        actionOperator
	at        token
	parts     []*action
	plain     *temporal.Formula // where op is plainAction
	condition *expression       // the condition of val, or of where in offers; nil if there is none
	declared  []declaration     // where op is a quantifier
	gate      string
	offers    []offer
	isOpen    bool // whether further offers may follow
	calls     []calledAction
}

// offer is an offer of an action of MCL.
type offer struct {
	value *expression // of !E
	bound *variable   // of ?x:T; nil for ?any
	sort  sort
}

// calledAction is an action of mCRL2.
type calledAction struct {
	name      string
	arguments []argument
}

// argument is an argument of an action: an expression, or a text without variables.
type argument struct {
	value *expression
	text  string
}

// find returns the innermost visible variable with this name. The result may be a marker that the name
// is out of scope here.
func (p *parser) find(name string) *variable { return lastNamed(p.visible, name) }

// declare makes a variable visible.
func (p *parser) declare(name string, of sort) *variable {
	p.hasData = true
	p.declarations++
	v := &variable{name: name, sort: of, number: p.declarations}
	p.visible = append(p.visible, v)
	return v
}

// hide leaves only the given number of variables visible, the first ones.
func (p *parser) hide(visible int) { p.visible = p.visible[:visible] }

// readerOf returns a parser for a part of the text of a token.
func (p *parser) readerOf(t token, text string) *parser {
	offset := strings.Index(t.in.text[t.at:], text)
	if offset >= 0 {
		return p.readerAt(t, text, t.at+offset)
	}
	inner := p.readerAt(t, text, t.at)
	for i := range inner.tokens { // the text has fewer blanks than the source
		inner.tokens[i].at = t.at
		inner.tokens[i].inside = 0
	}
	return inner
}

// readerAt returns a parser for a part of the text of a token, which begins at an offset of the source.
func (p *parser) readerAt(t token, text string, at int) *parser {
	inner := *p
	inner.pos = 0
	err := abort.Try(func() { inner.tokens = tokensAt(p.ctx, t.in, text, at) })
	if err != nil {
		abort.On(p.ctx.Err())
		refuse(t, "expressions of data")
	}
	return &inner
}

// tokensAt returns the tokens of a text, and a token that ends them. The text is a part of a
// source, at the given offset.
func tokensAt(ctx context.Context, in *source, text string, at int) (tokens []token) {
	l := &lexer{ctx: ctx, source: &source{text: text}}
	for {
		var next token
		err := abort.Try(func() { next = l.next() })
		if err != nil {
			abort.On(ctx.Err())
			abort.On(in.unexpected(at+l.pos, "an expression of data"))
		}
		next.in = in
		next.at += at
		if next.inside > 0 {
			next.inside += at
		}
		tokens = append(tokens, next)
		if next.kind == end {
			return tokens
		}
	}
}

// inner parses the text in the parentheses of a call.
func (p *parser) inner(t token) (name string, inside *parser) {
	name, _, _ = strings.Cut(t.text, "(")
	name = strings.TrimSpace(name)
	opening := strings.IndexByte(t.text, '(')
	text := t.text[opening+1 : len(t.text)-1]
	if t.inside > 0 {
		return name, p.readerAt(t, text, t.inside)
	}
	return name, p.readerOf(t, text)
}

// finished fails if tokens are left after parsing.
func (p *parser) finished(expected string) {
	if p.next().kind != end {
		p.unexpected(expected)
	}
}

// sort reads a type.
func (p *parser) sort() sort {
	t := p.next()
	if t.kind != word && t.kind != call {
		p.unexpected("a type, such as Nat or bool")
	}
	p.take()
	s := p.sortOf(withoutBlanks(t.text))
	if s.kind() == unreadSort || p.next().is("->", "#", "-") {
		abort.On(t.refused("a type whose values can be listed",
			"numbers, bool, strings, types of constants, and lists and sets of them can"))
	}
	return s
}

// mostAliases is the largest number of aliases that lead, one after the other, from the name of a
// type to its definition.
const mostAliases = 64

// sortOf returns the type of a name: the type that the definition of the name gives, if there is a
// definition.
func (p *parser) sortOf(name string) sort {
	for range mostAliases {
		defined := p.lookup.sort(name)
		switch {
		case defined == nil:
			return sort{name: name}
		case defined.alias == "":
			return sort{name: name, constants: p.constantsOf(defined)}
		}
		name = defined.alias
	}
	return sort{name: name}
}

// mostListedText is the largest length of the texts of all values of a type.
const mostListedText = 1 << 16

// constantsOf returns all values of a type with constructors; nil if they cannot be listed, as those of a
// type that contains itself.
func (p *parser) constantsOf(of *definedSort) []value {
	if !of.isListed {
		of.isListed = true // and without values while the values of its arguments are listed
		of.constants = p.listed(of)
	}
	return of.constants
}

// listed returns the values of a type with constructors, constructor by constructor; nil if there are too
// many, or if those of an argument cannot be listed.
func (p *parser) listed(of *definedSort) (all []value) {
	length := 0
	for _, c := range of.constructors {
		lists := [][]value{nil} // the arguments so far
		for _, name := range c.sorts {
			values := p.valuesOf(name)
			if len(values)*len(lists) == 0 || len(values)*len(lists) > mostValues {
				return nil
			}
			var longer [][]value
			for _, list := range lists {
				for _, v := range values {
					longer = append(longer, append(slices.Clone(list), v))
				}
			}
			lists = longer
		}
		for _, list := range lists {
			text := c.name
			if len(list) > 0 {
				text += "(" + joinedTexts(list) + ")"
			}
			length += len(text)
			if length > mostListedText {
				return nil
			}
			all = append(all, value{text: text})
		}
	}
	if len(all) > mostValues {
		return nil
	}
	return all
}

// valuesOf returns all values of the type of an argument; nil if they cannot be listed.
func (p *parser) valuesOf(name string) []value {
	s := p.sortOf(name)
	if s.kind() == boolSort {
		return []value{truth(false), truth(true)}
	}
	return s.constants
}

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
	visible := len(p.visible)
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
	p.hide(visible)
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
	visible := len(p.visible)
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
	p.hide(visible)
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

// expression reads an expression of data.
func (p *parser) expression() *expression {
	defer p.deeper()()
	e := p.disjunction()
	t := p.next()
	switch {
	case t.is("implies", "=>"):
		p.take()
		return p.operation("implies", t, e, p.expression())
	case t.is("equ", "<=>"), t.is("xor"):
		p.take()
		op := "equ"
		if t.is("xor") {
			op = "xor"
		}
		return p.operation(op, t, e, p.expression())
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
		e = p.operation(op, t, e, operand())
	}
	return e
}

// operation returns an expression. It records which variables are compared for equality, and which
// occur in arithmetic, in an ordering, or in other operators whose results do not depend only on
// which values are equal.
func (p *parser) operation(op string, at token, parts ...*expression) *expression {
	switch op {
	case "and", "or", "implies", "equ", "xor", "not", "if", constructOp:
	case "==", "!=":
		parts[0].comparedWith(parts[1])
		parts[1].comparedWith(parts[0])
	default:
		for _, part := range parts {
			part.variables(func(v *variable) { v.isOrdered = true })
		}
	}
	return &expression{op: op, at: at, parts: parts}
}

// comparedWith records that a variable is compared for equality with another expression.
func (e *expression) comparedWith(other *expression) {
	switch {
	case e.op == "if" || e.op == constructOp:
		e.variables(func(v *variable) { v.isOrdered = true })
	case e.variable == nil:
	case other.variable != nil:
		e.variable.equal = append(e.variable.equal, other.variable)
	case other.op != "":
		e.variable.isOrdered = true
	}
}

// isOneOf returns the condition that an expression is equal to one of the elements of a list or
// set.
func (p *parser) isOneOf(e *expression, in token, elements []*expression) *expression {
	isElement := &expression{at: in, constant: truth(false)}
	for i, element := range elements {
		isThisElement := p.operation("==", element.at, e, element)
		if i == 0 {
			isElement = isThisElement
		} else {
			isElement = p.operation("or", element.at, isElement, isThisElement)
		}
	}
	return isElement
}

// member returns that an expression is an element of a list or set. A set that a condition describes may be
// infinite, but whether a value is in the set is known by the condition.
func (p *parser) member(e *expression, in token, of *expression) *expression {
	switch {
	case of.op == listOp || of.op == setOp:
		return p.isOneOf(e, in, of.parts)
	case of.op == comprehensionOp:
		bound := of.declared[0].variable.name
		return p.substituted(of.parts[0], map[string]*expression{bound: e})
	case !of.hasComprehension():
		return p.operation(inOp, in, e, of)
	}
	switch of.op {
	case "if":
		return p.operation("if", in, of.parts[0], p.member(e, in, of.parts[1]), p.member(e, in, of.parts[2]))
	case "+":
		return p.operation("or", in, p.member(e, in, of.parts[0]), p.member(e, in, of.parts[1]))
	case "*":
		return p.operation("and", in, p.member(e, in, of.parts[0]), p.member(e, in, of.parts[1]))
	case "-":
		isOutside := p.operation("not", in, p.member(e, in, of.parts[1]))
		return p.operation("and", in, p.member(e, in, of.parts[0]), isOutside)
	case "not": // the complement
		return p.operation("not", in, p.member(e, in, of.parts[0]))
	}
	return p.operation(inOp, in, e, of)
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
	return p.operation(op, t, e, p.ordering())
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
		compared := p.operation(t.text, t, e, p.prepended())
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
	return p.operation(prependOp, t, e, p.prepended())
}

// appended reads operands with <| between them.
func (p *parser) appended() *expression {
	e := p.concatenated()
	for p.operatorOfSigns("<", "|") {
		t := p.take()
		p.take()
		e = p.operation(appendOp, t, e, p.concatenated())
	}
	return e
}

// concatenated reads operands with ++ between them.
func (p *parser) concatenated() *expression {
	e := p.sum()
	for p.operatorOfSigns("+", "+") {
		t := p.take()
		p.take()
		e = p.operation(concatenateOp, t, e, p.sum())
	}
	return e
}

func (p *parser) sum() *expression {
	e := p.product()
	for p.next().is("+", "-") && !p.operatorOfSigns("+", "+") {
		t := p.take()
		e = p.operation(t.text, t, e, p.product())
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
		e = p.operation(op, t, e, p.indexed())
	}
}

// indexed reads an operand, and in mCRL2 any positions in lists behind it, as in l . 0.
func (p *parser) indexed() *expression {
	e := p.factor()
	for !p.isMCL && p.next().is(".") {
		t := p.take()
		e = p.operation(elementOp, t, e, p.factor())
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
		return p.operation("not", t, p.factor())
	case t.is("#") && !p.isMCL:
		return p.operation(sizeOp, t, p.factor())
	case t.is("-"):
		return p.operation("neg", t, p.factor())
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
		return p.operation(listOp, t, p.expressionsUntil("]")...)
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
	return p.operation("if", t, parts...)
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
		return p.operation(setOp, t, inside.expressions()...)
	}
	declared := inside.quantified()
	inside.want("|")
	condition := inside.expression()
	inside.finished(`"}"`)
	if len(declared) != 1 {
		refuse(t, "a set with one variable, as in {n: Nat | n <= 9}")
	}
	e := p.operation(comprehensionOp, t, condition)
	e.declared = declared
	return e
}

// quantifiedCondition reads a quantifier within a condition, after its keyword.
func (p *parser) quantifiedCondition(t token) *expression {
	visible := len(p.visible)
	declared := p.quantified()
	p.want(".")
	body := p.expression()
	p.hide(visible)
	op := someOp
	if t.is("forall") {
		op = eachOp
	}
	e := p.operation(op, t, body)
	e.declared = declared
	return e
}

// named reads a variable or a constant.
func (p *parser) named(t token) *expression {
	v := p.find(t.text)
	switch {
	case v != nil && v.hides:
		abort.On(t.refused("a variable that is visible here",
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
		e := p.operation(constructOp, t, parts...)
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
	e := p.operation(op, t, parts...)
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
		return p.operation(name, t, parts...)
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

// actionData reads a condition, or a quantifier, in an action formula.
func (p *parser) actionData(t token) *action {
	p.take()
	if t.is("val") {
		return &action{op: valAction, at: t, condition: p.valCondition()}
	}
	visible := len(p.visible)
	declared := p.quantified()
	p.want(".")
	body := p.actions()
	if body.shape != single {
		refuse(t, "a quantifier about an action formula")
	}
	p.hide(visible)
	op := forallAction
	if t.is("exists") {
		op = existsAction
	}
	return &action{
		op:       op,
		at:       t,
		declared: declared,
		parts:    []*action{body.withData()},
	}
}

// withData returns an expression for a single action as an action formula.
func (r *regular) withData() *action {
	if r.data != nil {
		return r.data
	}
	return &action{op: plainAction, at: r.at, plain: r.action}
}

// mentions reports whether a visible variable, or a function that equations define, occurs in a text as a
// word.
func (p *parser) mentions(text string) bool {
	isFound := false
	words(text, func(_ int, word string) {
		isDefined := !p.isMCL && p.lookup.function(word) != nil
		isFound = isFound || isDefined || p.find(word) != nil
	})
	return isFound
}

// words calls do for each word of a text outside of quotes, with the offset of the word.
func words(text string, do func(at int, word string)) {
	for i := 0; i < len(text); {
		if text[i] == '"' {
			closing := strings.IndexByte(text[i+1:], '"')
			if closing < 0 {
				return
			}
			i += closing + 2
			continue
		}
		n := nameEnd(text[i:])
		if n > 0 && (i == 0 || text[i-1] < '0' || text[i-1] > '9') {
			do(i, text[i:i+n])
		}
		i += max(n, 1)
	}
}

// offersWithData reads {GATE !E ?x:T … where E}; nil if the text has no data, and is a plain label.
func (p *parser) offersWithData(t token) *action {
	if !p.isOfData(t.text) {
		return nil
	}
	p.hasData = true
	trimmed := strings.TrimLeft(t.text, " \t")
	end := strings.IndexAny(trimmed, " \t!?")
	if end <= 0 {
		abort.On(t.refused("a gate and offers, as in {PUT !1 ?x:nat}", ""))
	}
	a := &action{op: offersAction, at: t, gate: trimmed[:end]}
	p.gates[a.gate] = true
	blanks := len(t.text) - len(trimmed)
	inside := p.readerOf(t, t.text[blanks+end:])
	for inside.offer(a) {
	}
	inside.finished("!VALUE, ?VARIABLE:TYPE, ..., or where")
	p.visible = inside.visible
	p.declarations = inside.declarations
	return a
}

// isOfData reports whether a gate with offers has to be read as data, since its text has variables,
// conditions, strings, constants of type bool or values that are computed.
func (p *parser) isOfData(text string) bool {
	if slices.Contains(strings.Fields(text), "where") || strings.ContainsAny(text, "\"?") {
		return true
	}
	lower := strings.ToLower(text)
	hasTruth := strings.Contains(lower, "!true") || strings.Contains(lower, "!false")
	return hasTruth || isComputed(text) || p.mentions(text)
}

// isComputed reports whether an offer is an expression, as in {PUT !(1 + 2)}.
func isComputed(text string) bool {
	for _, offer := range splitOutside(text, '!')[1:] {
		tokens := tokensOfAnyLogic(offer)
		isInParentheses := tokens[0].is("(")
		if isInParentheses || slices.ContainsFunc(tokens, func(t token) bool { return t.is("+", "*", "div", "mod") }) {
			return true
		}
	}
	return false
}

// offer reads the next offer of an action, or "..." or a condition after the offers; false if there is
// none of these.
func (p *parser) offer(a *action) bool {
	next := p.next()
	switch {
	case next.is("!"):
		p.take()
		e := p.sum()
		e.standsAt(place{
			action:    a.gate,
			arguments: anyNumber,
			index:     len(a.offers),
		})
		a.offers = append(a.offers, offer{value: e})
	case next.is("?"):
		p.take()
		a.offers = append(a.offers, p.binder())
	case next.is("..."):
		p.take()
		a.isOpen = true
	case next.kind == word && next.text == "where":
		p.take()
		a.condition = p.expression()
		p.finished("the end of the condition")
	default:
		return false
	}
	return true
}

// standsAt records that the values of the expression are found at a place in labels: the values of
// its variable, or those of the arguments of its constructor.
func (e *expression) standsAt(at place) {
	if e.variable != nil {
		e.variable.places = append(e.variable.places, at)
	}
	if e.op != constructOp {
		return
	}
	for i, part := range e.parts {
		inside := at
		inside.within = append(slices.Clone(at.within), argumentPlace{
			constructor: e.constructor,
			index:       i,
		})
		part.standsAt(inside)
	}
}

// needsValueOf reports whether every value of the expression contains the value of a variable.
func (e *expression) needsValueOf(v *variable) bool {
	if e.op == constructOp {
		return slices.ContainsFunc(e.parts, func(part *expression) bool {
			return part.needsValueOf(v)
		})
	}
	return e.variable == v
}

// binder reads ?x:T or ?any, after the question mark.
func (p *parser) binder() offer {
	t := p.next()
	if t.kind != word || slices.Contains(reserved, t.text) {
		p.unexpected("a variable, as in ?x:nat, or any")
	}
	p.take()
	var ofSort sort
	if p.next().is(":") || p.next().kind == word && p.next().text == "of" {
		p.take()
		ofSort = p.sort()
	}
	if t.text == "any" {
		return offer{sort: ofSort}
	}
	v := p.declare(t.text, ofSort)
	v.isBound = true
	return offer{bound: v, sort: ofSort}
}

// callsWithData reads a multi-action of mCRL2; nil if no argument has a variable or is computed.
func (p *parser) callsWithData(t token, text string) *action {
	if !p.mentions(text) && !hasComputedArgument(text) {
		return nil
	}
	p.hasData = true
	a := &action{op: callAction, at: t}
	for _, part := range splitOutside(text, '|') {
		name, list, hasList := strings.Cut(part, "(")
		called := calledAction{name: strings.TrimSpace(name)}
		p.gates[called.name] = true
		if hasList {
			list = strings.TrimSpace(list)
			called.arguments = p.argumentsOf(t, list[:len(list)-1])
		}
		for i, argument := range called.arguments {
			if argument.value == nil {
				continue
			}
			argument.value.standsAt(place{
				action:    called.name,
				arguments: len(called.arguments),
				index:     i,
			})
		}
		a.calls = append(a.calls, called)
	}
	return a
}

// hasComputedArgument reports whether an argument of a multi-action of mCRL2 is computed.
func hasComputedArgument(text string) bool {
	for _, part := range splitOutside(text, '|') {
		_, list, hasList := strings.Cut(strings.TrimSpace(part), "(")
		if hasList && slices.ContainsFunc(splitOutside(strings.TrimSuffix(list, ")"), ','), isComputedArgument) {
			return true
		}
	}
	return false
}

// computing are the signs of expressions of mCRL2 that no argument of a label has.
var computing = []string{"+", "-", "*", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "=>", "!"}

// isComputedArgument reports whether an argument is made of numbers, true and false by signs and functions that
// mCRL2 defines, as in 1 + 2, !true or max(0, 1). In a label, only its value occurs.
func isComputedArgument(text string) bool {
	text = strings.TrimPrefix(strings.TrimSpace(text), "-")
	isComputed := false
	for _, t := range tokensOfAnyLogic(text) {
		_, isFunction := functions[t.text]
		isFunction = isFunction || t.text == "if"
		switch {
		case t.kind == word && isFunction, t.kind == sign && t.is(computing...):
			isComputed = true
		case t.kind == numeral, t.kind == end, t.is("true", "false", "(", ")", ","):
		default:
			return false
		}
	}
	return isComputed
}

// argumentsOf reads the arguments of an action.
func (p *parser) argumentsOf(t token, list string) (all []argument) {
	for _, text := range splitOutside(list, ',') {
		text = strings.TrimSpace(text)
		if !p.mentions(text) && !isComputedArgument(text) {
			_, isNumber := asNumber(text)
			isConstructor := p.lookup.constructor(text[:nameEnd(text)]) != nil
			if !isNumber && !isConstructor && text != "true" && text != "false" {
				p.constants[withoutBlanks(text)] = true
			}
			all = append(all, argument{text: text})
			continue
		}
		inside := p.readerOf(t, text)
		e := inside.expression()
		inside.finished(`"," or ")"`)
		all = append(all, argument{value: e})
	}
	return all
}

// splitOutside splits a text at a character outside of parentheses, brackets, braces and quotes.
func splitOutside(text string, separator byte) (parts []string) {
	depth := 0
	start := 0
	isQuoted := false
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '"':
			isQuoted = !isQuoted
		case isQuoted:
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c == separator && depth == 0:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// unmatched returns an error if an action with data, a pattern, or a constant of the formula occurs in
// no label. A model shows constants only in its labels, so such a constant is likely a mistake.
func (p *parser) unmatched(ctx context.Context, a *lts.Alphabet) error {
	arguments, actions := occurring(a)
	patterns := slices.DeleteFunc(p.namedPatterns(), func(pattern actl.Pattern) bool {
		name := pattern.String()
		return p.gates[name] && actions[name]
	})
	if err := actl.Unmatched(ctx, "atom", patterns, a); err != nil {
		return err
	}
	for i, text := range slices.Sorted(maps.Keys(p.constants)) {
		quoted := actl.Quoted(text)
		pattern, after, err := actl.Text(quoted).Atom(ctx, 0)
		if arguments[text] || err != nil || after != len(quoted) {
			continue
		}
		return &actl.UnmatchedError{
			Noun:    "constant",
			Step:    i + 1,
			Pattern: pattern,
			Hint:    "no label has it as an argument or offer; write out what the specification computes",
		}
	}
	return ctx.Err()
}

// occurring returns the arguments and offers in labels, including the elements of lists, and the names
// of actions, including those in multi-actions.
func occurring(a *lts.Alphabet) (arguments, actions map[string]bool) {
	arguments = map[string]bool{}
	actions = map[string]bool{}
	for l, text := range a.All() {
		label := parseLabel(l, text)
		for _, offer := range label.offers {
			arguments[withoutBlanks(offer)] = true
		}
		for _, called := range label.calls {
			actions[called.name] = true
			for _, argument := range called.arguments {
				arguments[withoutBlanks(argument)] = true
				for _, element := range elementsOf(argument) {
					arguments[element] = true
				}
			}
		}
	}
	return arguments, actions
}

// elementsOf returns the elements of a list in a label, and of the lists in the list; none if the text
// is no list.
func elementsOf(argument string) []string {
	if !strings.HasPrefix(argument, "[") {
		return nil
	}
	return strings.FieldsFunc(argument, func(c rune) bool {
		return strings.ContainsRune("[], \t", c)
	})
}

// gatePatterns returns the names of actions with data, as patterns of labels.
func (p *parser) gatePatterns() (all []actl.Pattern) {
	var names []string
	for name := range p.gates {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		pattern, after, err := actl.Text(name).Atom(p.ctx, 0)
		if err == nil && after == len(name) {
			all = append(all, pattern)
		}
	}
	return all
}
