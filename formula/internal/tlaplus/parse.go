package tlaplus

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/abort"
)

// mostNested is the largest nesting depth of expressions.
const mostNested = 1000

// parser reads an expression from tokens. The layout shows where a list of conjuncts or
// disjuncts ends: an item ends before a token at or left of the list's column.
type parser struct {
	source string
	tokens []token
	pos    int
	// columns are the columns of the lists that are being read, the innermost
	// last.
	columns []int
	depth   int
}

var endToken = token{kind: end}

// peek returns the next token; an end token if the item that is being read ends
// before it.
func (p *parser) peek() token {
	t := p.tokens[p.pos]
	if n := len(p.columns); n > 0 && t.at.Column <= p.columns[n-1] {
		e := endToken
		e.at = t.at
		return e
	}
	return t
}

func (p *parser) next() token {
	t := p.peek()
	if t.kind != end {
		p.pos++
	}
	return t
}

func (p *parser) is(text string) bool {
	t := p.peek()
	return (t.kind == sign || t.kind == word) && t.text == text
}

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

// unexpected fails with the error that something else is expected instead of
// the next token.
func (p *parser) unexpected(expected string) {
	t := p.peek()
	found := "the end"
	if real := p.tokens[p.pos]; t.kind != end {
		found = p.source[t.from:t.behind]
	} else if real.kind != end {
		found = p.source[real.from:real.behind] + ", which stands too far left for the list around it"
	}
	fail(t.at, "expected %s, found %s", expected, found)
}

func (p *parser) name() string {
	if t := p.peek(); t.kind == word && !reserved[t.text] {
		return p.next().text
	}
	p.unexpected("a name")
	return ""
}

// commas reads items with commas between them.
func commas[T any](p *parser, item func() T) []T {
	all := []T{item()}
	for p.take(",") {
		all = append(all, item())
	}
	return all
}

// closed reads items with commas between them, and the bracket that closes the list. Where neither
// follows an item, the error asks for expected.
func closed[T any](p *parser, closer, expected string, item func() T) []T {
	all := commas(p, item)
	if !p.take(closer) {
		p.unexpected(expected)
	}
	return all
}

// made sets the position and the source of an expression, which begins with the
// given token and ends before the next token.
func (p *parser) made(x *expression, from token) *expression {
	x.at = from.at
	if p.pos > 0 {
		x.source = p.source[from.from:p.tokens[p.pos-1].behind]
	}
	return x
}

// pending is an operator whose right operand has not been read yet.
type pending struct {
	t      token
	name   string
	p      precedence
	prefix bool
}

// expression reads the longest expression that begins with the next token.
func (p *parser) expression() *expression {
	if p.depth++; p.depth > mostNested {
		fail(p.peek().at, "more than %d expressions stand in each other", mostNested)
	}
	defer func() { p.depth-- }()
	var operands []*expression
	var operators []pending
	begin := []token{}
	reduce := func() {
		o := operators[len(operators)-1]
		operators = operators[:len(operators)-1]
		n := 2
		if o.prefix {
			n = 1
		}
		args := slices.Clone(operands[len(operands)-n:])
		first := begin[len(begin)-n]
		if o.prefix {
			first = o.t
		}
		x := &expression{kind: apply, name: o.name, args: args, at: o.t.at}
		if o.name == `\X` && !o.prefix {
			x.kind = product
			if left := args[0]; left.kind == product && left.source[0] != '(' {
				x.args = append(slices.Clone(left.args), args[1])
			}
		}
		x.source = p.source[first.from:p.tokens[p.pos-1].behind]
		operands = append(operands[:len(operands)-n], x)
		begin = append(begin[:len(begin)-n], first)
	}
	for {
		t := p.peek()
		name := spelled(t)
		if pr, is := prefix[t.text]; is && (t.kind == sign || t.kind == word) {
			p.pos++
			if name == "-" {
				name = "-."
			}
			operators = append(operators, pending{t, name, pr, true})
			continue
		}
		x := p.operand()
		operands, begin = append(operands, x), append(begin, t)
		t = p.peek()
		pr, is := infix[t.text]
		for len(operators) > 0 {
			o := operators[len(operators)-1]
			switch {
			case !is || t.kind != sign || pr.below(o.p):
			case o.p.below(pr):
				goto shift
			case !o.prefix && o.name == spelled(t) && leftAssociative[t.text]:
			default:
				fail(t.at, "precedence conflict between %s and %s: put parentheses around one of them", o.t.text, t.text)
			}
			reduce()
		}
	shift:
		if !is || t.kind != sign {
			return operands[0]
		}
		p.pos++
		operators = append(operators, pending{t, spelled(t), pr, false})
	}
}

// spelled returns the text of a token; of an operator with two spellings,
// always the same one.
func spelled(t token) string {
	if s, is := synonyms[t.text]; is && t.kind == sign {
		return s
	}
	return t.text
}

// operand reads an operand of operators, with the arguments and fields applied to it.
func (p *parser) operand() *expression {
	from := p.peek()
	x := p.single()
	for {
		t := p.peek()
		switch {
		case t.kind != sign:
			return x
		case t.text == "[":
			p.pos++
			args := append([]*expression{x}, p.list("]")...)
			x = p.made(&expression{kind: at, args: args}, from)
		case t.text == ".":
			p.pos++
			f := p.next()
			if f.kind != word {
				fail(f.at, "expected the name of a field behind the dot")
			}
			x = p.made(&expression{kind: field, args: []*expression{x}, name: f.text}, from)
		case postfix[t.text]:
			p.pos++
			x = p.made(&expression{kind: apply, name: t.text, args: []*expression{x}}, from)
		default:
			return x
		}
	}
}

// list reads expressions, and the bracket that closes their list, which may be empty.
func (p *parser) list(closer string) []*expression {
	if p.take(closer) {
		return nil
	}
	return closed(p, closer, "an operator, a comma or "+closer, p.expression)
}

func (p *parser) single() *expression {
	t := p.next()
	switch t.kind {
	case number, text:
		return p.made(&expression{kind: literal, name: t.text, number: t.kind == number}, t)
	case word:
		return p.word(t)
	case sign:
		return p.sign(t)
	}
	if t.kind != end {
		p.pos--
	}
	p.unexpected("an expression")
	return nil
}

func (p *parser) word(t token) *expression {
	switch t.text {
	case "IF":
		x := &expression{kind: ifThen, args: []*expression{p.expression()}}
		p.expect("THEN")
		x.args = append(x.args, p.expression())
		p.expect("ELSE")
		x.args = append(x.args, p.expression())
		return p.made(x, t)
	case "CASE":
		x := &expression{kind: cases}
		for {
			if p.take("OTHER") {
				x.args = append(x.args, nil)
			} else {
				x.args = append(x.args, p.expression())
			}
			p.expect("->")
			x.args = append(x.args, p.expression())
			if !p.take("[]") {
				return p.made(x, t)
			}
		}
	case "LET":
		x := &expression{kind: let}
		for !p.take("IN") {
			x.defs = append(x.defs, p.definition()...)
		}
		x.args = []*expression{p.expression()}
		return p.made(x, t)
	case "CHOOSE":
		x := &expression{kind: choose, bounds: []bound{p.boundTo(true)}}
		p.expect(":")
		x.args = []*expression{p.expression()}
		return p.made(x, t)
	case "LAMBDA":
		x := &expression{kind: lambda, fields: commas(p, p.name)}
		p.expect(":")
		x.args = []*expression{p.expression()}
		return p.made(x, t)
	}
	if reserved[t.text] {
		p.pos--
		p.unexpected("an expression")
	}
	x := &expression{kind: apply, name: t.text}
	for {
		if p.take("(") {
			// An argument may be an infix operator, which is denoted by its sign alone, such as + in
			// F(+, x).
			x.args = append(x.args, closed(p, ")", "an operator, a comma or )", func() *expression {
				t := p.peek()
				following := p.tokens[min(p.pos+1, len(p.tokens)-1)]
				if _, is := infix[t.text]; is && t.kind == sign && following.kind == sign && (following.text == "," || following.text == ")") {
					p.pos++
					return p.made(&expression{kind: apply, name: spelled(t)}, t)
				}
				return p.expression()
			})...)
		}
		if !p.is("!") || p.tokens[p.pos+1].kind != word {
			return p.made(x, t)
		}
		if x.kind = selected; len(x.args) > 0 {
			fail(t.at, "%s has arguments before a !: instances with parameters are not read; write the instance without", x.name)
		}
		p.pos++
		x.path, x.name = append(x.path, x.name), p.next().text
	}
}

func (p *parser) sign(t token) *expression {
	switch t.text {
	case "(":
		x := p.expression()
		p.expect(")")
		// The expression's source includes the parentheses.
		y := *x
		return p.made(&y, t)
	case `/\`, `\/`, `\land`, `\lor`:
		// The items of a list of conjuncts or disjuncts lie to the right of its operators.
		x := &expression{kind: junction, name: spelled(t)}
		for {
			p.columns = append(p.columns, t.at.Column)
			x.args = append(x.args, p.expression())
			p.columns = p.columns[:len(p.columns)-1]
			again := p.peek()
			if again.kind != sign || spelled(again) != x.name || again.at.Column != t.at.Column {
				break
			}
			p.pos++
		}
		return p.made(x, t)
	case `\A`, `\E`, `\forall`, `\exists`:
		x := &expression{kind: forAll}
		if t.text == `\E` || t.text == `\exists` {
			x.kind = exists
		}
		x.bounds = commas(p, p.bound)
		p.expect(":")
		x.args = []*expression{p.expression()}
		return p.made(x, t)
	case `\AA`, `\EE`:
		fail(t.at, "%s hides variables of behaviours; TLC does not check such formulas either", t.text)
	case "<<":
		x := &expression{kind: tuple, args: p.list(">>")}
		if p.subscript() {
			if len(x.args) != 1 {
				fail(t.at, "<<A>>_v takes one action, found %d", len(x.args))
			}
			x = &expression{kind: angle, args: []*expression{x.args[0], p.stays()}}
		}
		return p.made(x, t)
	case "{":
		return p.made(p.braces(), t)
	case "[":
		return p.made(p.brackets(), t)
	case "@":
		return p.made(&expression{kind: old}, t)
	case "WF_", "SF_":
		v := p.stays()
		p.expect("(")
		a := p.expression()
		p.expect(")")
		return p.made(&expression{kind: fair, name: t.text[:2], args: []*expression{a, v}}, t)
	}
	p.pos--
	p.unexpected("an expression")
	return nil
}

func (p *parser) subscript() bool {
	t := p.peek()
	if t.kind == sign && t.text == "_" && t.from == p.tokens[p.pos-1].behind {
		p.pos++
		return true
	}
	return false
}

// stays reads the subscript of an action behind its _: a name without arguments, or an expression
// in brackets.
func (p *parser) stays() *expression {
	t := p.peek()
	if t.kind != word || reserved[t.text] {
		return p.single()
	}
	x := &expression{kind: apply, name: p.next().text}
	for p.is("!") && p.tokens[p.pos+1].kind == word {
		p.pos++
		x.kind, x.path, x.name = selected, append(x.path, x.name), p.next().text
	}
	return p.made(x, t)
}

// bound reads names and the set that they range over.
func (p *parser) bound() bound { return p.boundTo(false) }

// boundTo is bound; if one is set, there is only one name or tuple, and the set may be missing
// before a colon.
func (p *parser) boundTo(one bool) bound {
	var b bound
	switch {
	case p.take("<<"):
		b.tuple, b.names = true, closed(p, ">>", ",", p.name)
	case one:
		b.names = []string{p.name()}
	default:
		b.names = commas(p, p.name)
	}
	if one && p.is(":") {
		return b
	}
	if !p.take(`\in`) {
		p.unexpected(`\in and a set (quantifiers without one have no finite meaning)`)
	}
	b.set = p.expression()
	return b
}

// boundFollows reports whether names and \in come next.
func (p *parser) boundFollows() bool {
	for i := p.pos; i < len(p.tokens); i++ {
		switch t := p.tokens[i]; {
		case t.kind == word && !reserved[t.text], t.kind == sign && (t.text == "," || t.text == "<<" || t.text == ">>"):
		default:
			return t.kind == sign && t.text == `\in`
		}
	}
	return false
}

func (p *parser) braces() *expression {
	if p.take("}") {
		return &expression{kind: setOf}
	}
	if p.boundFollows() {
		start := p.pos
		b := p.boundTo(true)
		if p.take(":") {
			x := &expression{kind: filtered, bounds: []bound{b}, args: []*expression{p.expression()}}
			p.expect("}")
			return x
		}
		p.pos = start
	}
	first := p.expression()
	if p.take(":") {
		return &expression{kind: mapped, args: []*expression{first}, bounds: closed(p, "}", ",", p.bound)}
	}
	x := &expression{kind: setOf, args: []*expression{first}}
	if p.take(",") {
		x.args = append(x.args, commas(p, p.expression)...)
	}
	if !p.take("}") {
		p.unexpected("an operator, a comma or }")
	}
	return x
}

func (p *parser) brackets() *expression {
	following := p.tokens[min(p.pos+1, len(p.tokens)-1)]
	if p.peek().kind == word && following.kind == sign && (following.text == "|->" || following.text == ":") {
		x := &expression{kind: record}
		if following.text == ":" {
			x.kind = records
		}
		x.args = closed(p, "]", ",", func() *expression {
			x.fields = append(x.fields, p.next().text)
			p.expect(following.text)
			return p.expression()
		})
		return x
	}
	if p.boundFollows() {
		start := p.pos
		x := &expression{kind: function, bounds: commas(p, p.bound)}
		if p.take("|->") {
			x.args = []*expression{p.expression()}
			p.expect("]")
			return x
		}
		p.pos = start
	}
	first := p.expression()
	switch {
	case p.take("->"):
		x := &expression{kind: functions, args: []*expression{first, p.expression()}}
		p.expect("]")
		return x
	case p.take("EXCEPT"):
		return &expression{kind: except, args: []*expression{first}, changes: closed(p, "]", ",", p.change)}
	case p.take("]"):
		if !p.subscript() {
			p.unexpected("_ and what may stay as it is, as in [A]_vars")
		}
		return &expression{kind: square, args: []*expression{first, p.stays()}}
	}
	p.unexpected("an operator, |->, ->, EXCEPT or ]")
	return nil
}

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

// Position is a position in a file, or in a formula that is not in a file; then
// File is "".
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

// Error is an error in a specification, or in the evaluation of an expression, with its
// position.
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

// fail ends the reading or the evaluation with an [Error].
func fail(at Position, format string, args ...any) {
	abort.On(&Error{at, fmt.Sprintf(format, args...)})
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

// signs are the operators and brackets; longer ones come before their prefixes.
var signs = []string{
	"<=>", "=>", "=<", "==", "=|", "=", "#", "/\\", "//", "/=", "/", "~>", "~", "<<", "<>", "<=", "<:", "<-", "<", ">>", ">=", ">",
	"[]", "[", "]", "(\\X)", "(+)", "(-)", "(.)", "(/)", "(", ")", "{", "}", ",", ":>", "::=", "::", ":=", ":", "...", "..", ".", "!!", "!", "@@", "@", "'", "_", "++", "+", "-+->", "->", "--", "-|", "-",
	"**", "*", "^+", "^*", "^#", "^^", "^", "%%", "%", "&&", "&", "$$", "$", "??", "?", "##", "|->", "|-", "|=", "||", "|", ";",
}

// lexer cuts a module into tokens.
type lexer struct {
	file   string
	source string
	pos    int
	line   int
	// begin is the offset of the present line; characters is the number of characters between it
	// and the offset counted.
	begin, counted, characters int
	// subscripted is the offset behind the last ] or >>, which may have a
	// subscript.
	subscripted int
}

func (l *lexer) position() Position {
	if l.counted < l.begin {
		l.counted, l.characters = l.begin, 0
	}
	l.characters += utf8.RuneCountInString(l.source[l.counted:l.pos])
	l.counted = l.pos
	return Position{l.file, l.line, l.characters + 1}
}

func (l *lexer) newline() { l.line, l.begin = l.line+1, l.pos }

// tokens returns the tokens from pos on. It fails if a string or comment does not
// end.
func (l *lexer) tokens() []token {
	var all []token
	for {
		l.blanks()
		if l.pos == len(l.source) {
			return append(all, token{kind: end, at: l.position(), from: l.pos, behind: l.pos})
		}
		t := token{at: l.position(), from: l.pos}
		l.next(&t)
		t.behind = l.pos
		if t.kind == sign && (t.text == "]" || t.text == ">>") {
			l.subscripted = l.pos
		}
		all = append(all, t)
	}
}

func (l *lexer) blanks() {
	for l.pos < len(l.source) {
		rest := l.source[l.pos:]
		switch {
		case rest[0] == '\n':
			l.pos++
			l.newline()
		case strings.IndexByte(" \t\r\f\v", rest[0]) >= 0:
			l.pos++
		case strings.HasPrefix(rest, `\*`):
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				l.pos += n
			} else {
				l.pos = len(l.source)
			}
		case strings.HasPrefix(rest, "(*"):
			l.comment()
		default:
			return
		}
	}
}

// comment skips a comment, with nested comments.
func (l *lexer) comment() {
	at, depth := l.position(), 0
	for l.pos < len(l.source) {
		switch rest := l.source[l.pos:]; {
		case strings.HasPrefix(rest, "(*"):
			depth++
			l.pos += 2
		case strings.HasPrefix(rest, "*)"):
			l.pos += 2
			if depth--; depth == 0 {
				return
			}
		default:
			l.pos++
			if rest[0] == '\n' {
				l.newline()
			}
		}
	}
	fail(at, "this comment is not closed by *)")
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func inWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }

func (l *lexer) next(t *token) {
	rest := l.source[l.pos:]
	run := func(of func(byte) bool) int {
		n := 0
		for n < len(rest) && of(rest[n]) {
			n++
		}
		return n
	}
	c := rest[0]
	switch {
	case strings.HasPrefix(rest, "----"):
		l.take(t, dashes, run(func(c byte) bool { return c == '-' }))
	case strings.HasPrefix(rest, "===="):
		l.take(t, equals, run(func(c byte) bool { return c == '=' }))
	case c == '_' && l.pos == l.subscripted:
		l.take(t, sign, 1)
	case strings.HasPrefix(rest, "WF_") || strings.HasPrefix(rest, "SF_"):
		l.take(t, sign, 3)
	case isLetter(c), isDigit(c), c == '_' && len(rest) > 1 && inWord(rest[1]):
		n := run(inWord)
		if strings.Trim(rest[:n], "0123456789") == "" {
			l.take(t, number, n)
		} else {
			l.take(t, word, n)
		}
	case c == '"':
		l.string(t)
	case c == '\\':
		if n := 1 + len(rest[1:]) - len(strings.TrimLeft(rest[1:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")); n > 1 {
			l.take(t, sign, n)
		} else if strings.HasPrefix(rest, `\/`) {
			l.take(t, sign, 2)
		} else {
			l.take(t, sign, 1)
		}
	default:
		for _, s := range signs {
			if strings.HasPrefix(rest, s) {
				l.take(t, sign, len(s))
				return
			}
		}
		_, n := utf8.DecodeRuneInString(rest)
		l.take(t, other, n)
	}
}

func (l *lexer) take(t *token, kind tokenKind, n int) {
	t.kind, t.text = kind, l.source[l.pos:l.pos+n]
	l.pos += n
}

func (l *lexer) string(t *token) {
	var b strings.Builder
	for i := l.pos + 1; i < len(l.source) && l.source[i] != '\n'; i++ {
		c := l.source[i]
		if c == '"' {
			l.pos = i + 1
			t.kind, t.text = text, b.String()
			return
		}
		if c == '\\' && i+1 < len(l.source) {
			if plain := strings.IndexByte(`ntrf"\`, l.source[i+1]); plain >= 0 {
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
	apply     kind = iota // an operator with its arguments, also one between or before them: name, args
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
	cases                 // CASE p -> a [] q -> b [] OTHER -> c: args in pairs, OTHER is nil
	let                   // LET defs IN args[0]
	lambda                // LAMBDA x : e
	old                   // @
	square                // [A]_v
	angle                 // <<A>>_v
	fair                  // WF_v(A), SF_v(A): name is WF or SF, args are A and v
	junction              // a list of /\ or \/: name, args
	product               // S \X T: args
	selected              // I!Op(args): path, name
)

// expression is an expression in the text of a module.
type expression struct {
	kind   kind
	at     Position
	name   string
	args   []*expression
	bounds []bound
	// fields are the field names of a record, and path the names of instances
	// before a name, as in I!J!Op.
	fields  []string
	path    []string
	changes []change
	defs    []*Definition
	// number marks a number, not a string.
	number bool
	// source is the text of the expression in its file.
	source string
}

// bound is x, y \in S or <<x, y>> \in S; set is nil in CHOOSE x : p.
type bound struct {
	names []string
	tuple bool
	set   *expression
}

// change is ![a].b = e in EXCEPT: a path, and the new value there.
type change struct {
	path [][]*expression // the arguments of one application, or a field as a string
	to   *expression
}

// text returns the expression as it is written, in one line, without parentheses around the whole.
func (x *expression) text() string {
	text := oneLine(x.source)
	for bare := bared(text); bare != text; bare = bared(text) {
		text = bare
	}
	return text
}

func oneLine(source string) string {
	// The lexer skips comments, so that the text has none.
	l := &lexer{source: source, line: 1}
	var b strings.Builder
	behind := 0
	_ = abort.Try(func() {
		for l.pos < len(source) {
			l.blanks()
			if l.pos == len(source) {
				return
			}
			if behind > 0 && l.pos > behind {
				b.WriteByte(' ')
			}
			var t token
			from := l.pos
			l.next(&t)
			b.WriteString(source[from:l.pos])
			behind = l.pos
		}
	})
	return b.String()
}

// precedence is the range of an operator: an operator with a higher range binds more tightly, and
// operators whose ranges overlap conflict.
type precedence struct{ low, high int }

func (p precedence) below(q precedence) bool { return p.high < q.low }

// infix has the operators between two operands, from the table of the language; those in
// leftAssociative may follow themselves.
var infix = operatorTable(map[precedence]string{
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
})

// leftAssociative are the operators that may follow themselves.
var leftAssociative = words(`/\ \/ \land \lor @@ \cup \cap \union \intersect $ $$ ?? ## \sqcap \sqcup \uplus \wr + ++ \oplus (+) %% | || - -- \ominus (-) * ** & && \o \circ \odot (.) \otimes \star \bullet \bigcirc \X \times \cdot`)

var prefix = operatorTable(map[precedence]string{
	{4, 4}:   `~ \lnot \neg`,
	{4, 15}:  "ENABLED UNCHANGED [] <>",
	{8, 8}:   "SUBSET",
	{9, 9}:   "DOMAIN",
	{8, 9}:   "UNION",
	{12, 12}: "-",
})

// postfix bind more tightly than all others.
var postfix = words("' ^+ ^* ^#")

// synonyms are operators with two spellings.
var synonyms = map[string]string{
	`\land`: `/\`, `\lor`: `\/`, `\lnot`: "~", `\neg`: "~", `\equiv`: "<=>", `\union`: `\cup`, `\intersect`: `\cap`, "/=": "#", "=<": "<=",
	`\leq`: "<=", `\geq`: ">=", `\times`: `\X`, `\circ`: `\o`, `\oplus`: "(+)", `\ominus`: "(-)",
}

func operatorTable(rows map[precedence]string) map[string]precedence {
	table := map[string]precedence{}
	for p, row := range rows {
		for _, name := range strings.Fields(row) {
			table[name] = p
		}
	}
	return table
}

func words(row string) map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(row) {
		all[name] = true
	}
	return all
}

// reserved are the words of the language, which cannot be names.
var reserved = words(`ASSUME ASSUMPTION AXIOM CASE CHOOSE CONSTANT CONSTANTS DOMAIN ELSE ENABLED EXCEPT EXTENDS IF IN INSTANCE LET LOCAL
	MODULE OTHER SF_ SUBSET THEN THEOREM UNCHANGED UNION VARIABLE VARIABLES WF_ WITH LAMBDA LEMMA PROPOSITION COROLLARY RECURSIVE
	BY HAVE DEF DEFINE DEFS HIDE NEW OBVIOUS OMITTED PICK PROOF PROVE QED STATE SUFFICES TAKE TEMPORAL USE WITNESS ACTION`)
