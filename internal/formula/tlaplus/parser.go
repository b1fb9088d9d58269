package tlaplus

import (
	"fmt"
	"regexp"
	"sync"
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
