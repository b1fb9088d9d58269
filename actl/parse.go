package actl

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/property"
)

const (
	inevForm     = "Inev(A, B)"
	responseForm = "Response(A; B)"
	actlForm     = "A[true_{true} U_{A} A[true_{true} U_{B} true]]"
	onlyForm     = "(of ACTL only inevitability can be checked)"
)

// Parse returns the formula that text stands for, in any of the forms that the
// package comment lists. Blanks and line breaks between tokens do not matter; Inev
// and true are recognised in upper and lower case. The error is a [*SyntaxError], or that
// of ctx once that is done. Cost O(len(text)), and what compiling its regular expressions
// takes.
func Parse(ctx context.Context, text string) (*Formula, error) {
	ctx, err := Bounded(ctx, text)
	if err != nil {
		return nil, err
	}
	p := parser{text: text, ctx: ctx}
	return p.formula()
}

// maxMembers is the largest number of members of a set.
const maxMembers = 100_000

// parser reads text from pos on. A method that fails leaves pos anywhere.
type parser struct {
	text string
	pos  int
	ctx  context.Context // nil if nobody gives up
}

// stopped returns the error of the context where that is done.
func (p *parser) stopped() error {
	if p.ctx == nil {
		return nil
	}
	return p.ctx.Err()
}

// formula reads the whole text.
func (p *parser) formula() (*Formula, error) {
	f := &Formula{kind: property.KindInev}
	var err error
	p.blanks()
	start := p.pos
	kind, named := p.patternName()
	switch {
	case named:
		f.kind = kind
		err = p.arguments(f)
	case p.peek() == '(' || p.peek() == 'A' && !isLetter(p.peekAt(1)):
		f.steps, err = p.untils()
	default:
		err = p.unknown(start)
	}
	if err != nil {
		return nil, err
	}
	if p.blanks(); p.pos < len(p.text) {
		return nil, p.fail(p.pos, "end of formula")
	}
	return f, nil
}

// unknown returns the error of a text that is no formula.
func (p *parser) unknown(start int) error {
	if strings.TrimSpace(p.text) == "" {
		return p.fail(start, fmt.Sprintf("a property, such as %s, %s or G (A -> F B)", inevForm, responseForm))
	}
	if meant, found := MeantPattern(p.word()); found {
		return p.fail(start, fmt.Sprintf("a property; did you mean %s?", meant))
	}
	return p.fail(start, fmt.Sprintf("%s, %s or %s %s", inevForm, responseForm, actlForm, onlyForm))
}

// list reads patterns with commas between them, up to what ends a list, and adds them
// to the steps of f.
func (p *parser) list(f *Formula, before string, where surroundings) error {
	if where != inInev {
		if err := p.noScope(); err != nil {
			return err
		}
	}
	for ; ; before = "," {
		if err := p.room(f.steps); err != nil {
			return err
		}
		if err := p.stopped(); err != nil {
			return err
		}
		elements, err := p.pattern(before, where)
		if err != nil {
			return err
		}
		f.steps = append(f.steps, newPattern(elements))
		if p.blanks(); !p.take(',') {
			return nil
		}
	}
}

// room fails if another step would be one too many.
func (p *parser) room(steps []Pattern) error {
	if len(steps) < maxSteps {
		return nil
	}
	err := p.failure(p.pos, fmt.Sprintf("at most %d steps", maxSteps))
	err.Found = "another one"
	return err
}

// pattern reads an element or a set; before is the token that precedes it.
func (p *parser) pattern(before string, where surroundings) ([]element, error) {
	if p.blanks(); p.take('{') {
		return p.set()
	}
	e, err := p.element(before, where)
	return []element{e}, err
}

// set reads a set after its opening brace, which may be empty. Sets within it are
// flattened.
func (p *parser) set() ([]element, error) {
	if p.blanks(); p.take('}') {
		return nil, nil
	}
	var elements []element
	before := "{"
	for depth := 1; depth > 0; {
		if p.blanks(); p.take('{') {
			depth++
			before = "{"
			continue
		}
		if err := p.stopped(); err != nil {
			return nil, err
		}
		e, err := p.element(before, inList)
		if err != nil {
			return nil, err
		}
		if elements = append(elements, e); len(elements) > maxMembers {
			err := p.failure(p.pos, fmt.Sprintf("at most %d members of a set; name many labels by a glob or a regular expression", maxMembers))
			err.Found = "another one"
			return nil, err
		}
		for p.blanks(); depth > 0 && p.take('}'); p.blanks() {
			depth--
		}
		if depth > 0 && !p.take(',') {
			return nil, p.fail(p.pos, `"," or "}"`)
		}
		before = ","
	}
	return elements, nil
}

// newPattern returns the pattern of these elements, equal ones taken once.
func newPattern(elements []element) Pattern {
	if len(elements) == 1 {
		return Pattern{elements: elements}
	}
	var distinct []element
	seen := make(map[identity]bool)
	for _, e := range elements {
		if id := e.identity(); !seen[id] {
			seen[id] = true
			distinct = append(distinct, e)
		}
	}
	return Pattern{elements: distinct}
}

// blanks skips blanks and line breaks.
func (p *parser) blanks() {
	for p.pos < len(p.text) && isBlank(p.text[p.pos]) {
		p.pos++
	}
}

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte { return p.peekAt(0) }

// peekAt returns the byte n behind the next one, 0 from the end on.
func (p *parser) peekAt(n int) byte {
	if p.pos+n < len(p.text) {
		return p.text[p.pos+n]
	}
	return 0
}

// take skips c if it comes next.
func (p *parser) take(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// keyword skips word, in upper or lower case, if it comes next as a whole.
func (p *parser) keyword(word string) bool {
	if len(p.text)-p.pos < len(word) || !strings.EqualFold(p.text[p.pos:p.pos+len(word)], word) ||
		isLetter(p.peekAt(len(word))) {
		return false
	}
	p.pos += len(word)
	return true
}

// isLetter reports whether c continues a keyword.
func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// fail returns the error that something else is expected at this offset.
func (p *parser) fail(at int, expected string) error {
	return p.failure(at, expected)
}

func (p *parser) failure(at int, expected string) *SyntaxError {
	end := len(strings.TrimRight(p.text, " \t\n\v\f\r"))
	at = min(at, end)
	return &SyntaxError{Text: p.text, Offset: at, Expected: expected, Found: foundAt(p.text[:end], at)}
}

// column returns the place of an offset as a user counts it.
func (p *parser) column(at int) string {
	return "column " + strconv.Itoa(len([]rune(p.text[:at]))+1)
}
