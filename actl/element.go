package actl

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
)

// surroundings is the context of an element, which decides where undelimited text
// ends.
type surroundings int

const (
	inList      surroundings = iota // up to a comma or a closing bracket
	inInev                          // within Inev(…): up to a semicolon and a scope as well
	inRequest                       // within other patterns: up to any semicolon as well
	inScope                         // within a scope: up to a semicolon and the next word of the scope as well
	inSubscript                     // within U_{…}: up to an operator as well
	inWord                          // after U_: up to a blank as well
	inFormula                       // an atom: letters, digits and the like, and brackets
	inDiamond                       // within <…>: as inSubscript, and up to >
)

// element reads a pattern that is no set; before is the token that precedes it.
func (p *parser) element(before string, where surroundings) element {
	e := p.plainElement(before, where)
	e.parts = countParts(p.ctx)
	return e
}

func (p *parser) plainElement(before string, where surroundings) element {
	p.blanks()
	switch p.peek() {
	case '"':
		if e, is := p.stateElement(where); is {
			return e
		}
		return p.quotedLabel()
	case '/':
		return p.regularExpression()
	}
	if e, is := p.stateElement(where); is {
		return e
	}
	start := p.pos
	p.skipBare(where)
	text := strings.Trim(p.text[start:p.pos], " \t\n\v\f\r")
	if text == "" {
		p.fail(start, `a label pattern after "%s"`, before)
	}
	return newBare(text)
}

// quotedLabel reads "…". A backslash means itself, except before a quote and a
// backslash.
func (p *parser) quotedLabel() element {
	start := p.pos
	var label strings.Builder
	for p.pos++; p.pos < len(p.text) && p.text[p.pos] != '\n'; p.pos++ {
		c := p.text[p.pos]
		if c == '"' {
			p.pos++
			return element{kind: quoted, text: label.String(), key: label.String(), multi: multiAction(label.String())}
		}
		if next := p.peekAt(1); c == '\\' && (next == '"' || next == '\\') {
			p.pos++
			c = next
		}
		label.WriteByte(c)
	}
	p.unterminated(start, `the quote (") that ends the label begun at %s`)
	return element{}
}

// regularExpression reads /…/.
func (p *parser) regularExpression() element {
	start := p.pos
	var source strings.Builder
	for p.pos++; p.pos < len(p.text) && p.text[p.pos] != '\n'; p.pos++ {
		c := p.text[p.pos]
		if c == '/' {
			p.pos++
			return p.compile(source.String(), start)
		}
		if next := p.peekAt(1); c == '\\' && next != 0 && next != '\n' {
			if next != '/' {
				source.WriteByte(c)
			}
			p.pos++
			c = next
		}
		source.WriteByte(c)
	}
	p.unterminated(start, `the "/" that ends the regular expression begun at %s`)
	return element{}
}

// compile returns the element of the regular expression that begins at start.
func (p *parser) compile(source string, start int) element {
	if source == "" {
		p.fail(start+1, `a regular expression between "/" and "/"`)
	}
	if !affordable(p.ctx, source) {
		failure := p.failure(start, fmt.Sprintf("regular expressions of at most %d instructions in all; repeat less", mostInstructions))
		failure.Found = "more of them"
		abort.On(failure)
	}
	re, err := compiled(p.ctx, source)
	p.goOn()
	if err == nil {
		return element{kind: regex, text: source, key: source, re: re}
	}
	failure := p.failure(start+1, "a regular expression of Go (RE2)")
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		failure.Found = fmt.Sprintf(`%s in "%s"`, wrong.Code, clip(printable.Visible(wrong.Expr)))
		if i := strings.Index(p.text[start:p.pos], wrong.Expr); i >= 0 && wrong.Expr != "" {
			failure.Offset = start + i
		}
	}
	abort.On(failure)
	return element{}
}

// unterminated fails for a delimited text that does not end on its
// line; the format expected has a verb for the column where the text begins.
func (p *parser) unterminated(start int, expected string) {
	failure := p.failure(p.pos, fmt.Sprintf(expected, p.column(start)))
	if p.pos < len(p.text) && failure.Offset == p.pos {
		failure.Found = "end of line"
	}
	abort.On(failure)
}

// escapeSlashes writes a regular expression so that it can stand between slashes.
func escapeSlashes(source string) string {
	var b strings.Builder
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '/':
			b.WriteString(`\/`)
			continue
		case c == '\\' && i+1 < len(source):
			b.WriteByte(c)
			i++
		}
		b.WriteByte(source[i])
	}
	return b.String()
}

// skipBare skips undelimited text up to its end, which is outside brackets of any
// kind. It fails if brackets are not balanced.
func (p *parser) skipBare(where surroundings) {
	var open []int // positions of the brackets not yet closed
	for ; p.pos < len(p.text); p.pos++ {
		c := p.text[p.pos]
		if len(open) == 0 && p.endsBare(where) {
			return
		}
		switch c {
		case '(', '[', '{':
			open = append(open, p.pos)
		case ')', ']', '}':
			last := open[len(open)-1]
			if closer(p.text[last]) != c {
				p.unclosed(last)
			}
			open = open[:len(open)-1]
		case '"':
			p.fail(p.pos, `a label that is quoted as a whole where it contains a quote, written \" in it`)
		}
	}
	if len(open) > 0 {
		p.unclosed(open[len(open)-1])
	}
}

// hasOperators reports whether the operators of ACTL end undelimited text.
func (where surroundings) hasOperators() bool {
	return where == inSubscript || where == inWord || where == inDiamond
}

// endsBare reports whether undelimited text ends here; the position is outside
// its brackets.
func (p *parser) endsBare(where surroundings) bool {
	if where == inFormula {
		return p.peek() != '(' && !Text(p.text).IsBare(p.pos)
	}
	switch c := p.peek(); c {
	case ',', ')', ']', '}':
		return true
	case ';':
		if where == inInev {
			ahead := parser{text: p.text, pos: p.pos + 1}
			return ahead.scopeFollows()
		}
		return where == inRequest || where == inScope
	case '>':
		return where == inDiamond
	case '|', '&':
		return where.hasOperators()
	case '\\':
		return where.hasOperators() && p.peekAt(1) == '/'
	case '/':
		return where.hasOperators() && p.peekAt(1) == '\\'
	default:
		return isBlank(c) && (where == inWord || where.hasOperators() && p.operatorWordFollows() || where == inScope && p.scopeWordFollows())
	}
}

// scopeWordFollows reports whether "and" or "until" follows the next blanks, and
// is followed by a blank or by the end of the text.
func (p *parser) scopeWordFollows() bool {
	ahead := parser{text: p.text, pos: p.pos}
	ahead.blanks()
	return (ahead.keyword("and") || ahead.keyword("until")) && (isBlank(ahead.peek()) || ahead.peek() == 0)
}

// operatorWordFollows reports whether "or" or "and" follows the next blanks.
func (p *parser) operatorWordFollows() bool {
	ahead := parser{text: p.text, pos: p.pos}
	ahead.blanks()
	return ahead.operator("or") || ahead.operator("and")
}

// unclosed fails and says that the bracket at this offset is not closed.
func (p *parser) unclosed(bracket int) {
	c := p.text[bracket]
	p.fail(p.pos, `"%c" to close the "%c" at %s`, closer(c), c, p.column(bracket))
}

// closer returns the closing bracket for an opening one.
func closer(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	case '<':
		return '>'
	}
	return '}'
}
