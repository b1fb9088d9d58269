package ltl

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/textlimit"
)

// maxDepth is the largest nesting depth of operators and parentheses.
const maxDepth = 500

// words are the words of the logic.
var words = map[string]token{
	"G": {kind: unary, unary: temporal.Always}, "F": {kind: unary, unary: temporal.Eventually}, "X": {kind: unary, unary: temporal.Next},
	"GF": {
		kind: unary,
		unary: func(f *temporal.Formula) *temporal.Formula {
			return temporal.Always(temporal.Eventually(f))
		},
	},
	"FG": {
		kind: unary,
		unary: func(f *temporal.Formula) *temporal.Formula {
			return temporal.Eventually(temporal.Always(f))
		},
	},
	"U": {kind: until, binary: temporal.Until}, "R": {kind: until, binary: temporal.Release},
	"W": {kind: until, binary: temporal.WeakUntil}, "M": {kind: until, binary: temporal.StrongRelease},
	"true": {kind: constant, constant: temporal.True}, "false": {kind: constant, constant: temporal.False},
	"TRUE": {kind: constant, constant: temporal.True}, "FALSE": {kind: constant, constant: temporal.False}, // of TLA+
	"deadlock": {kind: constant, constant: temporal.Deadlock},
}

// signs are the other tokens of the logic, longer ones before their prefixes.
var signs = []struct {
	text string
	token
}{
	{"<=>", token{kind: equivalent}}, {"<->", token{kind: iff}}, {"<>", token{kind: unary, unary: temporal.Eventually}}, {"[]", token{kind: unary, unary: temporal.Always}},
	{"=>", token{kind: implies}}, {"~>", token{kind: leadsTo}}, {`/\`, token{kind: and}}, {`\/`, token{kind: or}}, {"~", token{kind: unary, unary: temporal.Not}},
	{"->", token{kind: implies}}, {"&&", token{kind: and}}, {"||", token{kind: or}},
	{"!", token{kind: unary, unary: temporal.Not}}, {"(", token{kind: open}}, {")", token{kind: closing}},
}

type kind int

const (
	end kind = iota
	atom
	constant
	unary
	until
	and
	or
	implies
	iff
	leadsTo // leadsTo and equivalent are ~> and <=> of TLA+, and bind more tightly than =>
	equivalent
	open
	closing
)

type token struct {
	kind     kind
	at       int
	text     string
	unary    func(*temporal.Formula) *temporal.Formula
	binary   func(a, b *temporal.Formula) *temporal.Formula
	constant func() *temporal.Formula
	pattern  actl.Pattern
}

// Parse returns the formula that text denotes. Blanks and line breaks between tokens do not matter. The
// error is an [*actl.SyntaxError], or ctx.Err() once ctx is done. Cost O(len(text)), and compiling the
// regular expressions in the text.
func Parse(ctx context.Context, text string) (f *Formula, err error) {
	defer abort.Caught(&err)
	ctx = abort.Must(textlimit.ForReading(ctx, text))
	p := &parser{ctx: ctx, text: text}
	p.advance()
	root := p.iff(0)
	if p.next.kind != end {
		p.unexpected("an operator or the end of the formula")
	}
	return &Formula{
		root:    root,
		atoms:   p.atoms.All,
		written: inOneLine(text),
		note:    p.note,
	}, nil
}

// inOneLine returns a text with each line break, and the blanks around it,
// replaced by a single blank; "" if there is a line break in quotes or in a
// regular expression.
func inOneLine(text string) string {
	var lines []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool {
		return r == '\n' || r == '\r'
	}) {
		line = strings.TrimSpace(line)
		if line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 1 && strings.ContainsAny(strings.NewReplacer(`/\`, "", `\/`, "").Replace(text), `"/`) {
		return ""
	}
	return strings.Join(lines, " ")
}

// parser reads text token by token; next is the first token that has not been read.
type parser struct {
	ctx        context.Context
	text       string
	pos        int // the offset after next
	last, next token
	atoms      intern.List[string, actl.Pattern]
	note       string // of [Formula.Note]
}

// advance moves next to last, and reads a new next token.
func (p *parser) advance() {
	p.last = p.next
	start, behind := actl.Text(p.text).Word(p.pos)
	p.pos = start
	name := p.text[start:behind]
	word, isWord := words[name]
	isValue := isWord && word.kind == constant && values.BeginsWithValue(p.text, start)
	switch {
	case start == len(p.text):
		p.next = token{kind: end, at: start}
	case isWord && !isValue:
		p.take(word, len(name))
	case name != "" || p.beginsAtom():
		p.takeAtom()
	default:
		p.takeSign()
	}
}

// beginsAtom reports whether the next token is an atom that begins with a sign.
func (p *parser) beginsAtom() bool {
	rest := p.text[p.pos:]
	switch rest[0] {
	case '"', '{':
		return true
	case '/':
		return !p.beginsConjunction()
	case '-':
		return values.BeginsWithValue(p.text, p.pos)
	}
	return false
}

// beginsConjunction reports whether the next token is the /\ of TLA+, and not a regular expression that
// begins with an escape.
func (p *parser) beginsConjunction() bool {
	behind, is := strings.CutPrefix(p.text[p.pos:], `/\`)
	if !is {
		return false
	}
	return p.afterOperand() || behind == "" || strings.IndexByte(" \t\n\r", behind[0]) >= 0
}

// takeAtom reads a pattern of labels, or an atom about values of states.
func (p *parser) takeAtom() {
	pattern, after, err := actl.Text(p.text).Atom(p.ctx, p.pos)
	abort.On(err)
	for _, a := range pattern.StateAtoms() {
		_, isWord := words[a.Reads()]
		if isWord && values.BeginsWithValue(p.text, p.pos) {
			abort.On(actl.Text(p.text).Unexpected(p.pos,
				"a parameter whose name is no word of the logic"))
		}
	}
	p.take(token{kind: atom, pattern: pattern}, after-p.pos)
}

// takeSign reads a sign of the logic.
func (p *parser) takeSign() {
	for _, s := range signs {
		if strings.HasPrefix(p.text[p.pos:], s.text) {
			p.take(s.token, len(s.text))
			return
		}
	}
	abort.On(p.wrongSign())
}

func (p *parser) take(t token, length int) {
	t.at = p.pos
	t.text = p.text[p.pos : p.pos+length]
	p.pos += length
	p.next = t
}

func (p *parser) unexpected(expected string) {
	hint := p.hint()
	if hint != "" {
		expected += " (" + hint + ")"
	}
	abort.On(actl.Text(p.text).Unexpected(p.next.at, expected))
}

// operands reads operands that are joined by operators of one kind.
func (p *parser) operands(
	depth int,
	k kind,
	operand func(int) *temporal.Formula,
) (all []*temporal.Formula) {
	for {
		all = append(all, operand(depth))
		if p.next.kind != k {
			return all
		}
		p.advance()
	}
}

func (p *parser) iff(depth int) *temporal.Formula {
	all := p.operands(depth, iff, p.implies)
	if len(all) > maxDepth-depth {
		p.tooDeep()
	}
	f := all[0]
	for _, g := range all[1:] {
		f = temporal.Iff(f, g)
	}
	return f
}

func (p *parser) implies(depth int) *temporal.Formula {
	first := p.next
	f := p.leadsTo(depth)
	if p.next.kind != implies {
		return f
	}
	end, isAtom := p.next.at, depth == 0 && p.isAlwaysAtom(first)
	g := temporal.Implies(f, p.right(depth, p.implies))
	if isAtom {
		p.note = p.aboutPremise(first, end)
	}
	return g
}

// isAlwaysAtom reports whether what has been read since a token is G and one pattern of labels.
func (p *parser) isAlwaysAtom(first token) bool {
	isAlways := first.text == "G" || first.text == "[]"
	if !isAlways || p.last.kind != atom || len(p.last.pattern.StateAtoms()) > 0 {
		return false
	}
	between := p.text[first.at+len(first.text) : p.last.at]
	return strings.TrimSpace(between) == ""
}

// aboutPremise says that an operator always binds more tightly than the implication that has been
// read, whose premise begins with it and ends at an offset.
func (p *parser) aboutPremise(always token, end int) string {
	premise := strings.TrimSpace(p.text[always.at:end])
	operand := strings.TrimSpace(p.text[always.at+len(always.text) : end])
	rest := strings.TrimSpace(p.text[end:p.next.at])
	return fmt.Sprintf("the formula is read as (%s) %s, about runs that do nothing but %s; %s (%s %s) is about each %s",
		premise, rest, operand, always.text, operand, rest, operand)
}

// leadsTo reads the operators of TLA+ whose precedence is between implication and disjunction. They
// cannot be chained.
func (p *parser) leadsTo(depth int) *temporal.Formula {
	f := p.or(depth)
	k := p.next.kind
	if k != leadsTo && k != equivalent {
		return f
	}
	g := p.right(depth, p.or)
	switch {
	case p.next.kind == leadsTo || p.next.kind == equivalent:
		p.unexpected("parentheses around one of these operators of TLA+")
	case k == equivalent:
		return temporal.Iff(f, g)
	}
	return temporal.Always(temporal.Implies(f, temporal.Eventually(g)))
}

func (p *parser) or(depth int) *temporal.Formula {
	return temporal.Or(p.operands(depth, or, p.and)...)
}

func (p *parser) and(depth int) *temporal.Formula {
	return temporal.And(p.operands(depth, and, p.until)...)
}

func (p *parser) until(depth int) *temporal.Formula {
	f := p.single(depth)
	if p.next.kind != until {
		return f
	}
	build := p.next.binary
	return build(f, p.right(depth, p.until))
}

// right reads the right operand of an operator.
func (p *parser) right(depth int, operand func(int) *temporal.Formula) *temporal.Formula {
	if depth == maxDepth {
		p.tooDeep()
	}
	p.advance()
	return operand(depth + 1)
}

// single reads a formula without binary operators outside parentheses.
func (p *parser) single(depth int) *temporal.Formula {
	switch t := p.next; t.kind {
	case unary:
		return t.unary(p.right(depth, p.single))
	case constant:
		p.advance()
		return t.constant()
	case atom:
		p.advance()
		return p.numbered(t.pattern)
	case open:
		f := p.right(depth, p.iff)
		if p.next.kind != closing {
			p.unexpected(fmt.Sprintf(`an operator or ")" to close the "(" at column %d`,
				len([]rune(p.text[:t.at]))+1))
		}
		p.advance()
		return f
	}
	p.unexpected(p.operandExpected())
	return nil
}

// numbered returns the atom of a pattern.
func (p *parser) numbered(pattern actl.Pattern) *temporal.Formula {
	return temporal.Atom(p.atoms.Index(asAtom(pattern), pattern))
}

func (p *parser) tooDeep() { abort.On(actl.Text(p.text).TooDeep(p.next.at, maxDepth)) }

// operandExpected describes what can begin an operand, for errors.
func (p *parser) operandExpected() string {
	const operand = "an atom, such as REQ or \"PUT !1\", or an operator, such as G"
	if p.last.kind == until || p.last.kind == unary && p.last.text != "!" &&
		p.last.text != "[]" && p.last.text != "<>" {
		return "a formula after " + p.last.text +
			", which is an operator (quote it to mean a label: \"" + p.last.text + "\")"
	}
	if p.next.kind == until {
		return operand + " (" + p.next.text +
			" is a binary operator; quote it to mean a label: \"" + p.next.text +
			"\")"
	}
	return operand
}

// others maps signs of other notations, the longer ones first, to signs of this one.
var others = []struct{ sign, ours string }{
	{"<==>", "<->"}, {"==>", "->"}, {"&", "&&"}, {"|", "||"}, {"¬", "!"},
	{"∧", "&&"}, {"∨", "||"}, {"→", "->"}, {"↔", "<->"}, {"□", "[]"}, {"◇", "<>"}, {"◊", "<>"},
}

// afterOperand reports whether an operator is expected.
func (p *parser) afterOperand() bool {
	return p.last.kind == atom || p.last.kind == constant || p.last.kind == closing
}

// wrongSign returns the error of a text that begins with no token. If the text begins with a sign of
// another notation, the error names the sign to write here; otherwise it names what is expected.
func (p *parser) wrongSign() error {
	rest := p.text[p.pos:]
	for _, o := range others {
		if !strings.HasPrefix(rest, o.sign) {
			continue
		}
		err := actl.Text(p.text).Unexpected(p.pos, `"`+o.ours+`"`)
		err.Found = `"` + o.sign + `"`
		if o.sign == "|" || o.sign == "&" {
			err.Expected += ` (a label that contains "` + o.sign + `" is quoted as a whole)`
		}
		return err
	}
	if rest[0] == '\\' || rest[0] == '\'' {
		err := actl.Text(p.text).Unexpected(p.pos,
			"a formula without quantifiers, operators on values and definitions of the specification; write out what they say of each value, as in pc[1] = \"cs\" || pc[2] = \"cs\"")
		err.Found = `"` + strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ':' })[0] + `"`
		return err
	}
	if rest[0] == ',' || rest[0] == ';' {
		return actl.Text(p.text).Unexpected(p.pos,
			"an operator or the end of the formula (steps one after the other are written Inev(A, B))")
	}
	expected := "an atom or an operator"
	if p.afterOperand() {
		expected = "an operator or the end of the formula"
	}
	return actl.Text(p.text).Unexpected(p.pos,
		expected+` (a label with other characters than letters, digits and _ . * ? is quoted as a whole)`)
}

// spelled maps operators that are written as words to the signs of this notation.
var spelled = map[string]string{
	"and": "&&", "or": "||", "not": "!", "implies": "->", "iff": "<->", "equiv": "<->", "until": "U", "next": "X",
	"always": "G", "globally": "G", "eventually": "F", "finally": "F", "release": "R", "releases": "R",
	"unless": "W", "weak": "W", "inf": "GF",
	"ag": "G", "af": "F", "ax": "X",
}

// hint returns a guess what was meant by two adjacent formulas; "" if there is none.
func (p *parser) hint() string {
	for _, t := range []token{p.last, p.next} {
		ours := spelled[strings.ToLower(t.text)]
		if t.kind == atom && ours != "" {
			return t.text + " is read as a label; write " + ours
		}
	}
	if p.last.kind == atom && strings.Contains(p.text[:p.pos], " #") {
		return "# means !=, and begins a comment only at the beginning of a line of a file"
	}
	if p.last.kind == atom && p.next.kind == atom {
		return "a label with blanks is quoted as a whole"
	}
	return ""
}
