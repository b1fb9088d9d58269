package actl

import (
	"context"
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/property"
)

const (
	inevForm     = "Inev(A, B)"
	responseForm = "Response(A; B)"
	actlForm     = "A[true_{true} U_{A} A[true_{true} U_{B} true]]"
	onlyForm     = "(of ACTL only inevitability can be checked)"
)

// Parse returns the formula that text denotes, in any of the forms in the package
// comment. Blanks and line breaks between tokens do not matter; Inev and true may
// be written in upper and lower case. The error is a [*SyntaxError], or ctx.Err()
// once ctx is done. Cost O(len(text)), and that of compiling its regular
// expressions.
func Parse(ctx context.Context, text string) (f *Formula, err error) {
	defer abort.Caught(&err)
	p := parser{text: text, ctx: abort.Must(textlimit.ForReading(ctx, text))}
	return p.formula(), nil
}

// maxMembers is the largest number of members of a set.
const maxMembers = 100_000

// parser reads text from pos on. After a failure pos is undefined.
type parser struct {
	text string
	pos  int
	ctx  context.Context // nil if reading cannot be cancelled
	// lastComma is the position of the last comma between steps that was read.
	lastComma int
}

// goOn fails if the context is done.
func (p *parser) goOn() {
	if p.ctx != nil {
		abort.On(p.ctx.Err())
	}
}

// formula reads the whole text.
func (p *parser) formula() *Formula {
	f := &Formula{kind: property.KindInev}
	p.blanks()
	start := p.pos
	kind, isPattern := p.patternName()
	isUntil := p.peek() == '(' || p.peek() == 'A' && !isLetter(p.peekAt(1))
	switch {
	case isPattern:
		f.kind = kind
		p.arguments(f)
	case isUntil:
		f.steps = p.untils()
	default:
		p.failProperty(start)
	}
	p.blanks()
	if p.pos < len(p.text) {
		p.fail(p.pos, "end of formula")
	}
	return f
}

// failProperty fails because no property begins at this offset.
func (p *parser) failProperty(start int) {
	if strings.TrimSpace(p.text) == "" {
		p.fail(start, "a property, such as %s, %s or G (A -> F B)", inevForm, responseForm)
	}
	end := start
	for end < len(p.text) && isLetter(p.text[end]) {
		end++
	}
	meant, isFound := MeantPattern(p.text[start:end])
	if isFound {
		p.fail(start, "a property (did you mean %s?)", meant)
	}
	p.fail(start, "%s, %s or %s %s", inevForm, responseForm, actlForm, onlyForm)
}

// listOfSteps reads patterns separated by commas, up to the end of a list, and adds them
// to the steps of f.
func (p *parser) listOfSteps(f *Formula, precedingToken string, where surroundings) {
	if where != inInev {
		p.refuseScope()
	}
	for {
		p.refuseTooMany(f.steps)
		p.goOn()
		f.steps = append(f.steps, p.pattern(precedingToken, where))
		p.blanks()
		comma := p.pos
		if !p.take(',') {
			return
		}
		p.lastComma = comma
		precedingToken = ","
	}
}

// refuseTooMany fails if a formula with these steps cannot have another one.
func (p *parser) refuseTooMany(steps []Pattern) {
	if len(steps) == property.MaxSteps {
		p.failAtAnother("at most %d steps", property.MaxSteps)
	}
}

// failAtAnother fails because the text has one more item here than is allowed.
func (p *parser) failAtAnother(expected string, arguments ...any) {
	err := p.failure(p.pos, fmt.Sprintf(expected, arguments...))
	err.Found = "another one"
	abort.On(err)
}

// pattern reads an element or a set. An error names the token that precedes the pattern.
func (p *parser) pattern(precedingToken string, where surroundings) Pattern {
	p.blanks()
	if p.take('{') {
		return newPattern(p.set())
	}
	return newPattern([]element{p.element(precedingToken, where)})
}

// set reads a set after its opening brace, which may be empty. Sets within it are
// flattened.
func (p *parser) set() (elements []element) {
	p.blanks()
	if p.take('}') {
		return nil
	}
	precedingToken := "{"
	for depth := 1; depth > 0; {
		p.blanks()
		if p.take('{') {
			depth++
			precedingToken = "{"
			continue
		}
		p.goOn()
		elements = append(elements, p.element(precedingToken, inList))
		if len(elements) > maxMembers {
			p.failAtAnother("at most %d members of a set; name many labels by a glob or a regular expression", maxMembers)
		}
		for p.blanks(); depth > 0 && p.take('}'); p.blanks() {
			depth--
		}
		if depth > 0 && !p.take(',') {
			p.fail(p.pos, `"," or "}"`)
		}
		precedingToken = ","
	}
	return elements
}

// newPattern returns the pattern of these elements without duplicates.
func newPattern(elements []element) Pattern {
	if len(elements) == 1 {
		return Pattern{elements: elements}
	}
	var distinct []element
	seen := make(map[identity]bool)
	for _, e := range elements {
		id := e.identity()
		if !seen[id] {
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

// peekAt returns the byte that is n bytes after the next one; 0 beyond the end of the text.
func (p *parser) peekAt(n int) byte {
	if p.pos+n < len(p.text) {
		return p.text[p.pos+n]
	}
	return 0
}

// take skips c if it is the next byte.
func (p *parser) take(c byte) bool {
	if p.pos < len(p.text) && p.text[p.pos] == c {
		p.pos++
		return true
	}
	return false
}

// keyword skips word, in upper or lower case, if it comes next as a whole.
func (p *parser) keyword(word string) bool {
	end := p.pos + len(word)
	if end > len(p.text) || !strings.EqualFold(p.text[p.pos:end], word) {
		return false
	}
	isWhole := !isLetter(p.peekAt(len(word)))
	if isWhole {
		p.pos = end
	}
	return isWhole
}

// isLetter reports whether c continues a keyword.
func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// fail ends the reading with the error that something else is expected at this offset.
func (p *parser) fail(at int, format string, arguments ...any) {
	abort.On(p.failure(at, fmt.Sprintf(format, arguments...)))
}

func (p *parser) failure(at int, expected string) *SyntaxError {
	end := len(strings.TrimRight(p.text, " \t\n\v\f\r"))
	at = min(at, end)
	return &SyntaxError{
		Text:     p.text,
		Offset:   at,
		Expected: expected,
		Found:    foundAt(p.text[:end], at),
	}
}

// column returns the position of an offset as users count columns.
func (p *parser) column(at int) string {
	return "column " + strconv.Itoa(len([]rune(p.text[:at]))+1)
}

// isBlank reports whether c separates tokens of a formula. Blanks beyond ASCII are
// ordinary characters of labels.
func isBlank(c byte) bool {
	return c == ' ' || '\t' <= c && c <= '\r'
}

// loose returns undelimited text in the layout in which it is printed: trimmed,
// with one blank for a line break and the blanks around it, and at most one blank
// after a comma.
func loose(text string) string {
	text = strings.Trim(text, " \t\n\v\f\r")
	var b strings.Builder
	for i := 0; i < len(text); {
		if !isBlank(text[i]) {
			b.WriteByte(text[i])
			i++
			continue
		}
		start := i
		for isBlank(text[i]) {
			i++
		}
		blanks := text[start:i]
		isAfterComma := text[start-1] == ','
		hasOnlySpaces := strings.Trim(blanks, " ") == ""
		if isAfterComma || !hasOnlySpaces {
			blanks = " "
		}
		b.WriteString(blanks)
	}
	return b.String()
}

// surroundingsOf returns the surroundings of a pattern that follows this bracket.
func surroundingsOf(bracket byte) surroundings {
	if bracket == '<' {
		return inDiamond
	}
	return inSubscript
}

// Labels reads the pattern at an offset of the text, which follows an opening bracket, and returns
// the offset after the closing bracket. The bracket is { as in U_{PUT}, [ as in [PUT] true, or < as
// in <PUT> true. The members of a set are separated by commas, or, | or \/; true means any label
// and false none. The error is a [*SyntaxError], or ctx.Err() once ctx is done.
func (t Text) Labels(
	ctx context.Context,
	at int,
	bracket byte,
) (labels Pattern, after int, err error) {
	defer abort.Caught(&err)
	p := parser{text: string(t), pos: at, ctx: ctx}
	labels = newPattern(p.alternatives(bracket, surroundingsOf(bracket)))
	p.goOn()
	return labels, p.pos, nil
}

// Within returns the pattern in brackets, in a form that [Text.Labels] reads
// back. Cost O(length of the text).
func (p Pattern) Within(bracket byte) string {
	text := p.alternatives(surroundingsOf(bracket))
	if p.IsAny() {
		text = "true"
	}
	return string(bracket) + text + string(closer(bracket))
}

// IsAny reports whether the pattern is written as any label: true, or *. Cost
// O(1).
func (p Pattern) IsAny() bool {
	return len(p.elements) == 1 && p.elements[0].kind == glob && p.elements[0].key == "*"
}

// IsNone reports whether the pattern matches no label: {}, or false. Cost O(1).
func (p Pattern) IsNone() bool { return len(p.elements) == 0 }

// Quoted reads the quoted text at an offset of the text, and returns the offset
// after it. The error is a [*SyntaxError].
func (t Text) Quoted(at int) (content string, after int, err error) {
	defer abort.Caught(&err)
	p := parser{text: string(t), pos: at}
	return p.quotedLabel().key, p.pos, nil
}

// untils reads nested until operators, one for each step. Their left operands
// must be true_{true}, and the innermost formula true.
func (p *parser) untils() (steps []Pattern) {
	var open []int // positions of the brackets not yet closed
	for {
		p.blanks()
		at := p.pos
		switch {
		case p.take('('):
			open = append(open, at)
		case len(steps) > 0 && p.keyword("true"):
			p.closeAll(open)
			return steps
		case p.peek() == 'A' && !isLetter(p.peekAt(1)):
			p.refuseTooMany(steps)
			p.take('A')
			p.blanks()
			open = append(open, p.pos)
			if !p.take('[') && !p.take('(') {
				p.failForm(`"["`)
			}
			steps = append(steps, newPattern(p.until()))
		default:
			p.failForm(`"A["`)
		}
	}
}

// closeAll reads the closing brackets for the opening ones at these positions, of which the last is
// the innermost.
func (p *parser) closeAll(open []int) {
	for _, bracket := range slices.Backward(open) {
		p.blanks()
		if !p.take(closer(p.text[bracket])) {
			p.unclosed(bracket)
		}
	}
}

// until reads true_{true} U_{…} and returns the pattern in its braces.
func (p *parser) until() []element {
	p.needWord("true")
	p.skipTrueSubscript()
	p.needWord("U")
	p.blanks()
	hasUnderscore := p.take('_')
	p.blanks()
	if p.take('{') {
		return p.alternatives('{', inSubscript)
	}
	if !hasUnderscore {
		p.failForm(`"_{"`)
	}
	return p.alternative("U_", inWord)
}

// skipTrueSubscript skips _{true}, if a subscript comes next. The underscore or the braces may be missing.
func (p *parser) skipTrueSubscript() {
	p.blanks()
	hasUnderscore := p.take('_')
	p.blanks()
	hasBrace := p.take('{')
	if !hasUnderscore && !hasBrace {
		return
	}
	p.needWord("true")
	p.blanks()
	if hasBrace && !p.take('}') {
		p.failForm(`"}"`)
	}
}

// needWord skips a word of ACTL, which must come next.
func (p *parser) needWord(word string) {
	p.blanks()
	if !p.keyword(word) {
		p.failForm(`"` + word + `"`)
	}
}

// alternatives reads the patterns after U_{, or another bracket, separated by
// commas or any usual sign for or.
func (p *parser) alternatives(bracket byte, where surroundings) (elements []element) {
	precedingToken := string(bracket)
	for {
		p.goOn()
		elements = append(elements, p.alternative(precedingToken, where)...)
		p.blanks()
		if p.take(closer(bracket)) {
			return elements
		}
		start := p.pos
		if !p.takeOr() {
			p.fail(p.pos, `"or", "," or "%c"`, closer(bracket))
		}
		precedingToken = p.text[start:p.pos]
	}
}

// takeOr skips a separator of alternatives.
func (p *parser) takeOr() bool {
	switch {
	case p.take('|'):
		p.take('|')
		return true
	case p.peek() == '\\' && p.peekAt(1) == '/':
		p.pos += 2
		return true
	}
	return p.take(',') || p.operator("or")
}

// operator skips a word such as "or" if it comes next, before the end, a blank, a quote, a slash or a
// brace. Before other characters the word is the beginning of a name.
func (p *parser) operator(word string) bool {
	start := p.pos
	if !p.keyword(word) {
		return false
	}
	isAtEnd := p.pos == len(p.text)
	if isAtEnd || isBlank(p.peek()) || strings.IndexByte(`"/{}`, p.peek()) >= 0 {
		return true
	}
	p.pos = start
	return false
}

// alternative reads an element, or a set, within which there are no operators.
// The constants of ACTL are true, for any label, and false, for none.
func (p *parser) alternative(precedingToken string, where surroundings) []element {
	p.blanks()
	start := p.pos
	c := p.peek()
	switch {
	case p.take('{'):
		return p.set()
	case c == '~' || c == '!' || p.operator("not"):
		p.fail(start, "a label pattern without negation")
	}
	e := p.element(precedingToken, where)
	switch {
	case e.kind == name && strings.EqualFold(e.text, "false"):
		return nil
	case e.kind == name && strings.EqualFold(e.text, "true"):
		return []element{newBare("*")}
	}
	return []element{e}
}

// failForm fails and says that the formula does not have the supported form.
func (p *parser) failForm(expected string) {
	p.fail(p.pos, "%s, as in %s %s", expected, actlForm, onlyForm)
}

// SyntaxError reports the position at which a text stops being a formula, and what was expected
// there.
type SyntaxError struct {
	// File and Line, counted from 1, are the position of Text; they are "" and 0
	// if the formula did not come from a file.
	File string
	Line int
	// Text is the text that was parsed; for a file, the line with the error.
	Text string
	// Offset is the offset of the error in Text, in bytes: 0 to len(Text).
	Offset int
	// Expected describes the text that was expected at Offset, Found the text
	// there.
	Expected, Found string
	// Hint proposes another meaning of the text, or what to write; "" if there is no proposal.
	Hint string
}

// Error returns the message in one line. Its column counts characters from 1.
func (e *SyntaxError) Error() string {
	if e == nil {
		return "<nil>"
	}
	place := "formula"
	if e.File != "" {
		place = e.File + ":" + strconv.Itoa(e.Line)
	}
	return place + ": " + e.Problem()
}

// Problem returns what is wrong, in one line, without file and line: what was expected and found,
// the column, and the hint.
func (e *SyntaxError) Problem() string {
	column := utf8.RuneCountInString(e.Text[:e.Offset]) + 1
	problem := fmt.Sprintf("expected %s, found %s (column %d)", e.Expected, e.Found, column)
	if e.Hint != "" {
		problem += "; " + e.Hint
	}
	return problem
}

// Caret returns two lines: the formula, and a caret under the position of the error. A long formula
// is shown only around that position, and its characters that do not print are escaped.
func (e *SyntaxError) Caret() string { return printable.Caret(e.Text, e.Offset) }

// In returns the error with the name of a file, whose content is the text, and
// with its line.
func (e *SyntaxError) In(file string) *SyntaxError {
	start := strings.LastIndexByte(e.Text[:e.Offset], '\n') + 1
	line, _, _ := strings.Cut(e.Text[start:], "\n")
	line = strings.TrimSuffix(line, "\r")
	return &SyntaxError{
		File:     file,
		Line:     strings.Count(e.Text[:start], "\n") + 1,
		Text:     line,
		Offset:   min(e.Offset-start, len(line)),
		Expected: e.Expected,
		Found:    e.Found,
		Hint:     e.Hint,
	}
}

// foundAt describes the word or character at an offset of text.
func foundAt(text string, offset int) string {
	rest := text[offset:]
	if rest == "" {
		return "end of formula"
	}
	runes := []rune(printable.Visible(rest))
	wordEnd := 0
	for wordEnd < len(runes) && isWordRune(runes[wordEnd]) {
		wordEnd++
	}
	switch {
	case wordEnd > 0:
		return `"` + clip(string(runes[:wordEnd])) + `"`
	case runes[0] == '"':
		return `a quote (")`
	}
	return `"` + string(runes[:1]) + `"`
}

// clip shortens text for a message.
func clip(text string) string {
	const longest = 40
	runes := []rune(text)
	if len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}

func isWordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// Begins reports whether a text begins like the formulas that [Parse] reads: with A[, possibly in
// parentheses, or with the name of a pattern, if the text ends or a parenthesis begins after the
// name. Cost O(length of the text).
func (t Text) Begins() bool {
	p := parser{text: string(t)}
	p.blanks()
	if _, ok := p.patternName(); ok {
		p.blanks()
		return p.peek() == '(' || p.pos == len(t)
	}
	for p.take('(') {
		p.blanks()
	}
	if !p.take('A') {
		return false
	}
	p.blanks()
	return p.peek() == '['
}

// BeginsWithName reports whether a text begins with the name of a pattern. Cost O(1).
func (t Text) BeginsWithName() bool {
	p := parser{text: string(t)}
	p.blanks()
	_, named := p.patternName()
	return named
}

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

// element reads a pattern that is no set. An error names the token that precedes the pattern.
func (p *parser) element(precedingToken string, where surroundings) element {
	p.blanks()
	e := p.elementAfterBlanks(precedingToken, where)
	e.parts = p.ctx != nil && p.ctx.Value(partsKey{}) == true
	if p.ctx != nil {
		e.notation = hint.NotationOf(p.ctx)
	}
	return e
}

// elementAfterBlanks reads a pattern that is no set at the current position.
func (p *parser) elementAfterBlanks(precedingToken string, where surroundings) element {
	if p.peek() == '/' {
		return p.regularExpression()
	}
	e, isAtom := p.stateElement(where)
	if isAtom {
		return e
	}
	if p.peek() == '"' {
		return p.quotedLabel()
	}
	start := p.pos
	p.skipBare(where)
	text := strings.Trim(p.text[start:p.pos], " \t\n\v\f\r")
	if text == "" {
		p.fail(start, `a label pattern after "%s"`, precedingToken)
	}
	return newBare(text)
}

// quotedLabel reads "…".
func (p *parser) quotedLabel() element {
	return newQuoted(p.delimited(`the quote (") that ends the label begun at %s`))
}

// delimited reads a text between two delimiters on one line: the character at the current position,
// and the next one like it. A backslash means itself, except before a delimiter and, between
// quotes, before a backslash. If the text does not end on its line, the error is formatted by
// expected, which has a verb for the column where the text begins.
func (p *parser) delimited(expected string) string {
	start := p.pos
	delimiter := p.peek()
	var b strings.Builder
	for p.pos++; p.pos < len(p.text) && p.text[p.pos] != '\n'; p.pos++ {
		c := p.text[p.pos]
		if c == delimiter {
			p.pos++
			return b.String()
		}
		next := p.peekAt(1)
		isEscape := c == '\\' && next != 0 && next != '\n'
		if !isEscape {
			b.WriteByte(c)
			continue
		}
		isQuotedBackslash := next == '\\' && delimiter == '"'
		if next != delimiter && !isQuotedBackslash {
			b.WriteByte('\\')
		}
		b.WriteByte(next)
		p.pos++
	}
	failure := p.failure(p.pos, fmt.Sprintf(expected, p.column(start)))
	if p.pos < len(p.text) && failure.Offset == p.pos {
		failure.Found = "end of line"
	}
	abort.On(failure)
	return ""
}

// regularExpression reads /…/.
func (p *parser) regularExpression() element {
	start := p.pos
	source := p.delimited(`the "/" that ends the regular expression begun at %s`)
	if source == "" {
		p.fail(start+1, `a regular expression between "/" and "/"`)
	}
	if !textlimit.Affords(p.ctx, source) {
		failure := p.failure(start,
			fmt.Sprintf("regular expressions of at most %d instructions in all; repeat less",
				textlimit.MaxInstructions))
		failure.Found = "more of them"
		abort.On(failure)
	}
	re, err := compile(p.ctx, source)
	p.goOn()
	if err != nil {
		abort.On(p.badExpression(start, err))
	}
	return element{
		kind: regex,
		text: source,
		key:  source,
		re:   re,
	}
}

// badExpression returns the error of a regular expression between start and the current position that does
// not compile. It is placed at the wrong part of the expression, if that is known.
func (p *parser) badExpression(start int, err error) *SyntaxError {
	failure := p.failure(start+1, "a regular expression of Go (RE2)")
	var wrong *syntax.Error
	if !errors.As(err, &wrong) {
		return failure
	}
	failure.Found = fmt.Sprintf(`%s in "%s"`, wrong.Code, clip(printable.Visible(wrong.Expr)))
	i := strings.Index(p.text[start:p.pos], wrong.Expr)
	if i >= 0 && wrong.Expr != "" {
		failure.Offset = start + i
	}
	return failure
}

// escapeSlashes writes a regular expression so that it can stand between slashes.
func escapeSlashes(source string) string {
	var b strings.Builder
	for i := 0; i < len(source); i++ {
		c := source[i]
		switch {
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
			p.fail(p.pos,
				`a label; one that contains a quote is quoted as a whole, with \" for the quote`)
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

// endsBare reports whether undelimited text ends at the current position. All
// brackets that the text opens before this position must be closed.
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
		return isBlank(c) && p.wordEndsBare(where)
	}
}

// wordEndsBare reports whether a word after the blanks that come next ends undelimited text: in a
// scope "and" or "until", and between actions a connective.
func (p *parser) wordEndsBare(where surroundings) bool {
	ahead := parser{text: p.text, pos: p.pos}
	ahead.blanks()
	switch {
	case where == inScope:
		isWord := ahead.keyword("and") || ahead.keyword("until")
		return isWord && (isBlank(ahead.peek()) || ahead.peek() == 0)
	case where == inWord:
		return true
	}
	return where.hasOperators() && (ahead.operator("or") || ahead.operator("and"))
}

// unclosed fails and says that the bracket at this offset is not closed.
func (p *parser) unclosed(bracket int) {
	c := p.text[bracket]
	p.fail(p.pos, `"%c" to close the "%c" at %s`, closer(c), c, p.column(bracket))
}

// closer returns the closing bracket for an opening one.
func closer(open byte) byte { return ")]>}"[strings.IndexByte("([<{", open)] }
