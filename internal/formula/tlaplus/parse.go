package tlaplus

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
)

// mostNested is the largest nesting depth of expressions.
const mostNested = 1000

// parser reads modules, configurations and expressions from tokens. The layout decides where a list of
// conjuncts or disjuncts ends: an item ends before a token at or left of the list's column.
type parser struct {
	spent  *work
	source string
	tokens []token
	pos    int
	// columns are the columns of the lists that are being read, the innermost
	// last.
	columns []int
	depth   int
	// unbound are the positions after a bracket where bounds seemed to begin, but an expression does.
	// The parser does not try to read bounds there again.
	unbound map[int]bool
}

// deeper enters an expression or a module, which may contain others. shallower leaves it.
func (p *parser) deeper(at Position, what string) {
	p.spent.take(1)
	p.depth++
	if p.depth > mostNested {
		fail(at, "more than %d nested %s", mostNested, what)
	}
}

func (p *parser) shallower() { p.depth-- }

// peek returns the next token; an end token if the item that is being read ends before that token.
func (p *parser) peek() token {
	t := p.tokens[p.pos]
	n := len(p.columns)
	if n > 0 && t.at.Column <= p.columns[n-1] {
		return token{kind: end, at: t.at}
	}
	return t
}

// next reads the next token.
func (p *parser) next() token {
	t := p.peek()
	if t.kind != end {
		p.pos++
	}
	return t
}

func (p *parser) is(text string) bool { return p.peek().is(text) }

// take reads the next token if it is this word, operator or bracket, and reports whether it did.
func (p *parser) take(text string) bool {
	if p.is(text) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.take(text) {
		p.unexpected(text)
	}
}

// anExpression is what is expected where an expression has to begin.
const anExpression = "an expression"

// unexpected fails with the error that something else is expected instead of
// the next token.
func (p *parser) unexpected(expected string) {
	t := p.peek()
	following := p.tokens[p.pos] // also if the item that is being read ends before it
	found := p.source[following.from:following.behind]
	switch {
	case following.kind == end:
		found = "the end"
	case t.kind == end:
		found += ", which stands too far left for the list around it"
	}
	fail(t.at, "expected %s, found %s%s", expected, found, p.inOtherWords(expected))
}

// ofOtherLanguages maps what other languages write for operators and for words of TLA+ to these.
var ofOtherLanguages = map[string]string{
	"and": `/\`, "or": `\/`, "not": "~", "implies": "=>", "forall": `\A`, "exists": `\E`, "in": `\in`,
	"if": "IF", "then": "THEN", "else": "ELSE", "let": "LET", "case": "CASE", "choose": "CHOOSE",
	"&&": `/\`, "||": `\/`, "!": "~", "!=": "#", "<>": "#", "==": "=", "'": `"`,
}

// inOtherWords returns a clause about what other languages write at, or just before, the next token; "" if
// there is nothing of this kind.
func (p *parser) inOtherWords(expected string) string {
	t := p.tokens[p.pos]
	switch {
	case t.is("=="), p.endsAtDefinition():
		return inOtherWords("==")
	case p.follows("!", "="):
		return inOtherWords("!=") // after x!, = is the name of an operator
	case expected == anExpression && (t.is("!") || t.is("'")), expected != anExpression && t.is("<>"):
		return inOtherWords(t.text)
	}
	for i := p.pos; i >= max(p.pos-1, 0); i-- {
		clause := inOtherWords(p.tokens[i].text)
		if clause != "" && p.tokens[i].kind == word {
			return clause
		}
	}
	return ""
}

// endsAtDefinition reports whether the text ends at what looks like a definition on the same line: x == 1
// ends the definition before it, and begins one of x.
func (p *parser) endsAtDefinition() bool {
	t := p.tokens[p.pos]
	isSameLine := p.pos > 0 && p.tokens[p.pos-1].at.Line == t.at.Line
	return t.kind == end && isSameLine && beginsDefinition().MatchString(p.source[t.from:])
}

// beginsDefinition matches the beginning of a definition without parameters, or of one of a postfix operator.
var beginsDefinition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\w+[ \t]*'?[ \t]*==`)
})

// follows reports whether the next token follows these two, with nothing between the two.
func (p *parser) follows(first, second string) bool {
	if p.pos < 2 {
		return false
	}
	a, b := p.tokens[p.pos-2], p.tokens[p.pos-1]
	return a.is(first) && b.is(second) && a.behind == b.from
}

// inOtherWords returns a clause about what other languages write for something in TLA+; "" for any other
// text.
func inOtherWords(text string) string {
	written := ofOtherLanguages[text]
	if written == "" {
		return ""
	}
	return fmt.Sprintf("; TLA+ writes %s for %s", written, text)
}

func (p *parser) name() string {
	if !p.peek().isName() {
		p.unexpected("a name")
	}
	return p.next().text
}

// commas reads items with commas between them.
func commas[T any](p *parser, item func() T) []T {
	all := []T{item()}
	for p.take(",") {
		all = append(all, item())
	}
	return all
}

// closed reads items, separated by commas, and the closing bracket of the list. The error describes what
// may follow an item by the text expected.
func closed[T any](p *parser, closer, expected string, item func() T) []T {
	all := commas(p, item)
	if !p.take(closer) {
		p.unexpected(expected)
	}
	return all
}

// placed sets the position and the source of an expression. The expression begins with the given token
// and ends before the next token.
func (p *parser) placed(x *expression, from token) *expression {
	x.at = from.at
	x.from = from.from
	x.source = p.source[from.from:p.tokens[p.pos-1].behind]
	return x
}

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

// spelled returns the text of a token. For both spellings of an operator, it returns the same text.
func spelled(t token) string {
	if s, is := synonyms()[t.text]; is && t.kind == sign {
		return s
	}
	return t.text
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
		if names, isLabel := p.labelEnds(); isLabel {
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

// labelEnds reads the rest of a label NAME:: or NAME(x, y):: after the name. It reports whether there
// is a label, and returns the names in parentheses.
func (p *parser) labelEnds() (names []string, isLabel bool) {
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

// isOperator reports whether a token is a prefix, infix or postfix operator.
func (t token) isOperator() bool {
	if t.kind != sign && t.kind != word {
		return false
	}
	return infix()[t.text] != precedence{} || prefix()[t.text] != precedence{} ||
		postfix()[t.text]
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

// Position is a position in a file, or in a formula that is in no file. In the latter case, File is "".
type Position struct {
	File         string
	Line, Column int // both counted from 1
}

func (p Position) String() string {
	switch {
	case p.File != "":
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	case p.Line > 1:
		return fmt.Sprintf("formula, line %d, column %d", p.Line, p.Column)
	}
	return fmt.Sprintf("formula, column %d", p.Column)
}

// Error is an error in a specification or in the evaluation of an expression, with its position.
type Error struct {
	Position Position
	Message  string
}

func (e *Error) Error() string {
	if e.Position.Line == 0 {
		return e.Position.File + ": " + e.Message
	}
	return fmt.Sprintf("%s: %s", e.Position, e.Message)
}

// fail stops the parser or the evaluation with an [Error]. Of a text that is an argument, the error has at most
// the first mostEchoed characters.
func fail(at Position, format string, args ...any) {
	echoed := slices.Clone(args)
	for i, arg := range echoed {
		if text, isText := arg.(string); isText {
			echoed[i] = beginning(text, mostEchoed)
		}
	}
	abort.On(&Error{at, fmt.Sprintf(format, echoed...)})
}

// mostEchoed is the largest number of characters of an expression in an error.
const mostEchoed = 200

// beginning returns a text of at most this many characters, and an ellipsis if it leaves out the others.
func beginning(text string, mostCharacters int) string {
	if len(text) <= mostCharacters {
		return text
	}
	runes := []rune(text[:min(len(text), (mostCharacters+1)*utf8.UTFMax)])
	if len(runes) <= mostCharacters {
		return text
	}
	return string(runes[:mostCharacters]) + "…"
}

type tokenKind uint8

const (
	end tokenKind = iota
	word
	number
	text
	sign   // an operator or a bracket
	dashes // ----, at least four
	equals // ====, at least four
	other  // a character that no expression contains
)

type token struct {
	kind   tokenKind
	text   string // for a string, its content
	at     Position
	from   int // offsets in the file
	behind int
}

// is reports whether a token is this word, operator or bracket.
func (t token) is(text string) bool {
	return (t.kind == sign || t.kind == word) && t.text == text
}

func (t token) isName() bool { return t.kind == word && !reserved()[t.text] }

// signs are the operators and brackets; longer ones come before their prefixes.
var signs = []string{
	`\/`, `\`,
	"<=>", "=>", "=<", "==", "=|", "=", "##", "#", "/\\", "//", "/=", "/", "~>", "~", "<<", "<>", "<=", "<:", "<-", "<", ">>", ">=", ">",
	"[]", "[", "]", "(\\X)", "(+)", "(-)", "(.)", "(/)", "(", ")", "{", "}", ",", ":>", "::=", "::", ":=", ":", "...", "..", ".", "!!", "!", "@@", "@", "'", "_", "++", "+", "-+->", "->", "--", "-|", "-.", "-",
	"**", "*", "^+", "^*", "^#", "^^", "^", "%%", "%", "&&", "&", "$$", "$", "??", "?", "|->", "|-", "|=", "||", "|", ";",
}

// lexer cuts a module into tokens.
type lexer struct {
	file   string
	source string
	pos    int
	line   int
	// begin is the offset of the present line. characters is the number of characters from there to the
	// offset counted.
	begin, counted, characters int
	// subscripted is the offset after the last ] or >>, where a subscript may begin; 0 if there is none.
	subscripted int
}

// position returns the position of the next character. It counts the characters of a line only once.
func (l *lexer) position() Position {
	if l.counted < l.begin {
		l.counted = l.begin
		l.characters = 0
	}
	l.characters += utf8.RuneCountInString(l.source[l.counted:l.pos])
	l.counted = l.pos
	return Position{l.file, l.line, l.characters + 1}
}

// tokens returns the tokens from pos on. It fails if a string or comment is not closed.
func (l *lexer) tokens() []token {
	var all []token
	for {
		l.blanks()
		t := token{at: l.position(), from: l.pos, behind: l.pos}
		if l.pos == len(l.source) {
			return append(all, t)
		}
		l.scan(&t)
		t.behind = l.pos
		if t.is("]") || t.is(">>") {
			l.subscripted = l.pos
		}
		all = append(all, t)
	}
}

// blanks skips blanks and comments, which may be nested.
func (l *lexer) blanks() {
	var comment Position
	depth := 0
	for l.pos < len(l.source) {
		rest := l.source[l.pos:]
		switch {
		case rest[0] == '\n':
			l.pos++
			l.line++
			l.begin = l.pos
		case strings.HasPrefix(rest, "(*"):
			depth++
			if depth == 1 {
				comment = l.position()
			}
			l.pos += 2
		case depth > 0 && strings.HasPrefix(rest, "*)"):
			depth--
			l.pos += 2
		case depth > 0 || strings.IndexByte(" \t\r\f\v", rest[0]) >= 0:
			l.pos++
		case strings.HasPrefix(rest, `\*`):
			line, _, _ := strings.Cut(rest, "\n")
			l.pos += len(line)
		default:
			return
		}
	}
	if depth > 0 {
		fail(comment, "this comment is not closed by *)")
	}
}

func isLetter(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c rune) bool  { return '0' <= c && c <= '9' }
func inWord(c rune) bool   { return isLetter(c) || isDigit(c) || c == '_' }

// scan reads the kind and the text of the token that begins at the position of the lexer.
func (l *lexer) scan(t *token) {
	rest := l.source[l.pos:]
	isSubscript := rest[0] == '_' && l.pos > 0 && l.pos == l.subscripted
	digits := digitsOfBase(rest)
	switch {
	case rest[0] == '"':
		l.string(t)
	case isSubscript:
		t.kind = sign
		t.text = rest[:1]
		l.pos++
	case digits > 0:
		length := len(`\h`) + digits
		t.kind = number
		t.text = decimal(rest[:length])
		l.pos += length
	default:
		kind, length := tokenAt(rest)
		t.kind = kind
		t.text = rest[:length]
		l.pos += length
	}
}

// tokenAt returns the kind and the length of the token at the beginning of a text, unless it is a string
// or a number in another base.
func tokenAt(rest string) (kind tokenKind, length int) {
	c := rest[0]
	beginsWord := inWord(rune(c))
	if c == '_' { // alone, it is a sign
		beginsWord = len(rest) > 1 && inWord(rune(rest[1]))
	}
	switch {
	case strings.HasPrefix(rest, "----"):
		return dashes, spanOf(rest, func(c rune) bool { return c == '-' })
	case strings.HasPrefix(rest, "===="):
		return equals, spanOf(rest, func(c rune) bool { return c == '=' })
	case strings.HasPrefix(rest, "WF_") || strings.HasPrefix(rest, "SF_"):
		return sign, 3
	case beginsWord:
		length := spanOf(rest, inWord)
		if spanOf(rest, isDigit) == length {
			return number, length + decimals(rest[length:])
		}
		return word, length
	case c == '\\' && len(rest) > 1 && isLetter(rune(rest[1])):
		return sign, 1 + spanOf(rest[1:], isLetter)
	}
	longest := slices.IndexFunc(signs, func(s string) bool { return strings.HasPrefix(rest, s) })
	if longest >= 0 {
		return sign, len(signs[longest])
	}
	_, length = utf8.DecodeRuneInString(rest)
	return other, length
}

// spanOf returns the length of the longest prefix of a text with characters of a class.
func spanOf(text string, inClass func(rune) bool) int {
	return len(text) - len(strings.TrimLeftFunc(text, inClass))
}

// decimals returns the length of a decimal point and digits at the beginning of a text, as after the 3
// of 3.14; 0 if there are none.
func decimals(text string) int {
	if len(text) < 2 || text[0] != '.' || !isDigit(rune(text[1])) {
		return 0
	}
	return len(text) - len(strings.TrimLeftFunc(text[1:], isDigit))
}

// bases maps letters to bases and their digits, for numbers such as \b101, \o17 and \hff.
var bases = map[byte]struct {
	base   int
	digits string
}{
	'b': {2, "01"}, 'B': {2, "01"},
	'o': {8, "01234567"}, 'O': {8, "01234567"},
	'h': {16, "0123456789abcdefABCDEF"}, 'H': {16, "0123456789abcdefABCDEF"},
}

// digitsOfBase returns the number of digits of a number in another base at the beginning of a text; 0
// if there is no such number.
func digitsOfBase(text string) int {
	if len(text) < 3 || text[0] != '\\' {
		return 0
	}
	written, isBase := bases[text[1]]
	if !isBase {
		return 0
	}
	n := len(text) - 2 - len(strings.TrimLeft(text[2:], written.digits))
	if n < len(text)-2 && inWord(rune(text[2+n])) {
		return 0
	}
	return n
}

// decimal returns the decimal digits of a number that is written in another base.
func decimal(text string) string {
	n, _ := new(big.Int).SetString(text[2:], bases[text[1]].base)
	return n.String()
}

// string reads the string that begins at the position of the lexer. Its text has no quotes and no escapes.
func (l *lexer) string(t *token) {
	var b strings.Builder
	for i := l.pos + 1; i < len(l.source) && l.source[i] != '\n'; i++ {
		c := l.source[i]
		if c == '"' {
			l.pos = i + 1
			t.kind = text
			t.text = b.String()
			return
		}
		if c == '\\' && i+1 < len(l.source) {
			plain := strings.IndexByte(`ntrf"\`, l.source[i+1])
			if plain >= 0 {
				c = "\n\t\r\f\"\\"[plain]
				i++
			}
		}
		b.WriteByte(c)
	}
	fail(t.at, `this string is not closed by "`)
}

// kind is the kind of an expression.
type kind uint8

const (
	apply     kind = iota // an operator, also an infix or postfix one, with its arguments: name, args
	literal               // a number or a string: token kind in number, name
	forAll                // \A and \E: bounds, args[0]
	exists                //
	choose                // CHOOSE x \in S : p
	setOf                 // {a, b}
	filtered              // {x \in S : p}
	mapped                // {e : x \in S}
	tuple                 // <<a, b>>
	function              // [x \in S |-> e]
	at                    // f[a, b]: args[0] is f
	except                // [f EXCEPT ![a].b = e]: args[0] is f; changes
	record                // [a |-> e]: fields, args
	records               // [a : S]
	functions             // [S -> T]
	field                 // r.name
	ifThen                // IF p THEN a ELSE b
	cases                 // CASE p -> a [] q -> b [] OTHER -> c: args in pairs, with nil for OTHER
	let                   // LET defs IN args[0]
	lambda                // LAMBDA x : e
	hiding                // \AA and \EE x, y : F: name, fields, args[0]
	square                // [A]_v
	angle                 // <<A>>_v
	fair                  // WF_v(A), SF_v(A): name is WF or SF, args are A and v
	junction              // a list of /\ or \/: name, args
	product               // S \X T: args
	selected              // I!Op(args): path, name; Op!2!1: selectors
)

// expression is an expression of a module.
type expression struct {
	kind   kind
	at     Position
	name   string
	args   []*expression
	bounds []bound
	// fields are the field names of a record. path are the names of instances before a name, as in
	// I!J!Op.
	fields  []string
	path    []string
	changes []change
	defs    []*Definition
	// selectors select a part of the definition of a name. label is the label of the expression itself.
	selectors []string
	label     string
	// labelled are the names in parentheses after the label: the names that are bound around the
	// expression, in any order.
	labelled []string
	// given is the number of arguments after each name of the path, after the name, and after each
	// selector.
	given []int
	// named is the definition made of a LAMBDA that replaces an operator.
	named *Definition
	// number marks a number, not a string.
	number bool
	// value is the value of a literal that comes from the configuration instead of a text.
	value *values.Value
	// parenthesised marks an expression in parentheses of its own. S \X T \X U has triples, but (S \X
	// T) \X U has pairs.
	parenthesised bool
	// source is the text of the expression in its file, and from is the offset of its beginning.
	source string
	from   int
}

// bound is x, y \in S or <<x, y>> \in S; set is nil in CHOOSE x : p and \A x, y : p.
type bound struct {
	names []string
	tuple bool
	set   *expression
}

// change is ![a].b = e in EXCEPT: a path and the new value there.
type change struct {
	path [][]*expression // the arguments of one application, or a field as a string
	to   *expression
}

// text returns the text of the expression on one line, without comments and without parentheses around
// the whole.
func (x *expression) text() string {
	text := inOneLine(x.source, func(tokens []token, i int) string {
		return x.source[tokens[i].from:tokens[i].behind]
	})
	for bare := withoutParentheses(text); bare != text; bare = withoutParentheses(text) {
		text = bare
	}
	return text
}

// names returns all names of a [selected] expression: the path, the name, and the selectors.
func (x *expression) names() []string {
	return slices.Concat(x.path, []string{x.name}, x.selectors)
}

// checkGiven fails unless the wanted number of arguments follows the name at an index of
// [expression.names].
func (x *expression) checkGiven(place, want int) {
	if x.given[place] == want {
		return
	}
	name := x.names()[place]
	if name == boundValuesFollow {
		name = "!()"
	}
	fail(x.at, "%s in %s takes %s, found %d", name, x.text(), countedArguments(want),
		x.given[place])
}

// inOneLine returns a text in which written replaces each token, and a blank replaces each gap between
// tokens.
func inOneLine(source string, written func(tokens []token, i int) string) string {
	tokens := (&lexer{source: source, line: 1}).tokens()
	var b strings.Builder
	for i, t := range tokens[:len(tokens)-1] {
		if i > 0 && tokens[i-1].behind < t.from {
			b.WriteByte(' ')
		}
		b.WriteString(written(tokens, i))
	}
	return b.String()
}

// precedence is the precedence range of an operator. An operator with a higher range binds more
// tightly, and operators with overlapping ranges conflict.
type precedence struct{ low, high int }

func (p precedence) below(q precedence) bool { return p.high < q.low }

// infix has the infix operators, from the table of the language. Those in leftAssociative may be
// chained.
var infix = operatorTable(func() map[precedence]string {
	return map[precedence]string{
		{1, 1}:   "=>",
		{2, 2}:   `-+-> <=> \equiv ~>`,
		{3, 3}:   `/\ \/ \land \lor`,
		{5, 5}:   `= # /= < > =< <= >= \leq \geq \in \notin \subset \subseteq \supset \supseteq \sqsubset \sqsubseteq \sqsupset \sqsupseteq \prec \preceq \succ \succeq \sim \simeq \approx \asymp \cong \doteq \ll \gg \propto |- |= -| =| ::= :=`,
		{6, 6}:   "@@",
		{7, 7}:   ":> <:",
		{8, 8}:   `\ \cup \cap \union \intersect`,
		{9, 9}:   ".. ...",
		{9, 13}:  `!! ## $ $$ ?? \sqcap \sqcup \uplus`,
		{9, 14}:  `\wr`,
		{10, 10}: `+ ++ \oplus (+)`,
		{10, 11}: "% %% | ||",
		{10, 13}: `\X \times`,
		{11, 11}: `- -- \ominus (-)`,
		{13, 13}: `* ** / // & && \o \circ \div \cdot \odot (.) \oslash (/) \otimes \star \bullet \bigcirc`,
		{14, 14}: "^ ^^",
	}
})

// leftAssociative are the operators that may be chained.
var leftAssociative = words(`/\ \/ \land \lor @@ \cup \cap \union \intersect $ $$ ?? ## \sqcap \sqcup \uplus \wr + ++ \oplus (+) %% | || - -- \ominus (-) * ** & && \o \circ \odot (.) \otimes \star \bullet \bigcirc \X \times \cdot`)

// prefix has the prefix operators. In the table of the language, SUBSET and UNION have the range 8-8,
// and DOMAIN has 9-9. SANY has the ranges here, and refuses SUBSET S + T.
var prefix = operatorTable(func() map[precedence]string {
	return map[precedence]string{
		{4, 4}:   `~ \lnot \neg`,
		{4, 15}:  "ENABLED UNCHANGED [] <>",
		{10, 13}: "SUBSET UNION DOMAIN",
		{12, 12}: "- -.",
	}
})

// postfix bind more tightly than all others.
var postfix = words("' ^+ ^* ^#")

// synonyms are operators with two spellings.
var synonyms = sync.OnceValue(func() map[string]string {
	return map[string]string{
		`\land`: `/\`, `\lor`: `\/`, `\lnot`: "~", `\neg`: "~", `\equiv`: "<=>", `\union`: `\cup`, `\intersect`: `\cap`, "/=": "#", "=<": "<=",
		`\leq`: "<=", `\geq`: ">=", `\times`: `\X`, `\circ`: `\o`, `\oplus`: "(+)", `\ominus`: "(-)",
	}
})

// operatorTable returns a function that makes a table of operators when it is first called, since few
// runs of the program read TLA+.
func operatorTable(rows func() map[precedence]string) func() map[string]precedence {
	return sync.OnceValue(func() map[string]precedence {
		table := map[string]precedence{}
		for p, row := range rows() {
			for _, name := range strings.Fields(row) {
				table[name] = p
			}
		}
		return table
	})
}

// words returns a function that makes a set of words when it is first called.
func words(row string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, name := range strings.Fields(row) {
			all[name] = true
		}
		return all
	})
}

// reserved are the words of the language, which cannot be names.
var reserved = words(`ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS IF IN INSTANCE LET LOCAL
	MODULE OTHER SF_ SUBSET THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WF_ WITH LAMBDA LEMMA PROPOSITION COROLLARY RECURSIVE
	BY HAVE DEF DEFINE DEFS HIDE NEW OBVIOUS OMITTED PICK PROOF PROVE QED STATE SUFFICES TAKE TEMPORAL USE WITNESS ACTION`)
