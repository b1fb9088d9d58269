package syntax

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/lts"
)

// maxDepth is the largest nesting depth of operators and parentheses. maxOperands is the largest number
// of operands of one operator.
const (
	maxDepth    = 500
	maxOperands = 10_000
)

// words are the words of the logic.
var words = map[string]token{
	"true": {kind: constant, op: True}, "false": {kind: constant, op: False}, "deadlock": {kind: constant, op: Deadlock},
	"TRUE": {kind: constant, op: True}, "FALSE": {kind: constant, op: False}, // of TLA+
	"E": {kind: quantifier, path: Some}, "A": {kind: quantifier, path: All},
	"EX": {kind: prefix, op: Next, path: Some}, "AX": {kind: prefix, op: Next, path: All},
	"EF": {kind: prefix, op: Until, path: Some}, "AF": {kind: prefix, op: Until, path: All},
	"EG": {kind: prefix, op: Release, path: Some}, "AG": {kind: prefix, op: Release, path: All},
	"U": {kind: infix, op: Until}, "R": {kind: infix, op: Release}, "W": {kind: infix, op: WeakUntil}, "M": {kind: infix, op: StrongRelease},
}

// signs are the other tokens of the logic; a sign comes before its prefixes.
var signs = []struct {
	text string
	token
}{
	{"->", token{kind: implies}}, {"&&", token{kind: and}}, {"||", token{kind: or}}, {"!", token{kind: prefix, op: Not}},
	{"(", token{kind: open}}, {")", token{kind: closing}}, {"[", token{kind: box}}, {"]", token{kind: closingBox}}, {"<", token{kind: diamond}},
	{"{", token{kind: brace}}, {"_", token{kind: underscore}}, {"=", token{kind: equals}},
}

type kind int

const (
	endOfText kind = iota
	text
	constant
	prefix
	quantifier
	infix
	and
	or
	implies
	open
	closing
	box
	closingBox
	diamond
	brace
	underscore
	equals
)

type token struct {
	kind kind
	at   int
	text string // of a text, without quotes
	op   Operator
	path Quantifier
}

// Parse returns the formula of a text. Blanks and line breaks between tokens do not matter. The error
// is an [*actl.SyntaxError], or ctx.Err() once ctx is done. Cost O(len(text)), and compiling the
// regular expressions in the text.
func Parse(ctx context.Context, text string) (*Formula, error) {
	return parse(ctx, text, false)
}

// ParseStar is [Parse], but also for formulas of CTL*. Within E[…] and A[…], the operators F, G, X, U,
// R, W and M may be nested, over state formulas and {a}, which holds if the first transition has a
// label that matches a.
func ParseStar(ctx context.Context, text string) (*Formula, error) {
	return parse(ctx, text, true)
}

// parse reads a formula of computation tree logic or, if star is set, of CTL*.
func parse(ctx context.Context, text string, star bool) (f *Formula, err error) {
	defer abort.Caught(&err)
	ctx = abort.Must(textlimit.ForReading(ctx, text))
	p := &parser{ctx: ctx, text: text, isStar: star}
	p.advance()
	f = p.implies(0)
	if p.next.kind != endOfText && strings.Contains(text[:p.next.at], " #") {
		p.unexpected("an operator (&&, ||, ->) or the end of the formula (# means !=, and begins a comment only at the beginning of a line of a file)")
	}
	if p.next.kind != endOfText {
		p.unexpected("an operator (&&, ||, ->) or the end of the formula")
	}
	return f, nil
}

// parser reads a text token by token; next is the first token that has not been read.
type parser struct {
	ctx  context.Context
	text string
	pos  int // the offset after next
	next token
	// isStar reports whether formulas of CTL* are allowed at all, and runs whether a formula about a run
	// is allowed here.
	isStar, allowsRuns bool
}

// advance reads the next token.
func (p *parser) advance() {
	abort.On(p.ctx.Err())
	begin, end := actl.Text(p.text).Word(p.pos)
	p.pos = begin
	if begin == len(p.text) {
		p.next = token{kind: endOfText, at: begin}
		return
	}
	rest := p.text[begin:]
	if p.takeWord(rest, end-begin) {
		return
	}
	if rest[0] == '"' {
		content, after, err := actl.Text(p.text).Quoted(p.pos)
		abort.On(err)
		p.setNext(token{kind: text, text: content}, after-p.pos)
		return
	}
	isOtherImplication := strings.HasPrefix(rest, "=>") || strings.HasPrefix(rest, "==>")
	if isOtherImplication {
		p.wrongSign()
	}
	for _, s := range signs {
		if strings.HasPrefix(rest, s.text) {
			p.setNext(s.token, len(s.text))
			return
		}
	}
	p.wrongSign()
}

// takeWord reads the next token if it is a keyword, or text without quotes such as a pattern of labels or
// the operand of a comparison. The rest of the formula begins with a word of the given length; 0 if it
// begins with a sign.
func (p *parser) takeWord(rest string, length int) bool {
	hasSubscript := length > 0 && rest[length-1] == '_' && strings.HasPrefix(rest[length:], "{")
	if hasSubscript {
		length-- // as in U_{PUT}
	}
	keyword, isKeyword := words[rest[:length]]
	isOperand := keyword.kind == constant && values.BeginsWithValue(p.text, p.pos) // such as true == x
	if isKeyword && !isOperand {
		p.setNext(keyword, length)
		return true
	}
	isNegative := rest[0] == '-' && values.BeginsWithValue(p.text, p.pos)
	if isNegative {
		length = 1
	}
	if length == 0 {
		return false
	}
	p.setNext(token{kind: text, text: rest[:length]}, length)
	return true
}

// setNext makes the text of this length a token.
func (p *parser) setNext(t token, length int) {
	t.at = p.pos
	p.pos += length
	p.next = t
}

// otherSigns maps signs of other notations to the signs of this one. Longer signs come first.
var otherSigns = []struct{ sign, ours string }{
	{"<=>", "two implications"}, {"==>", "->"}, {"=>", "->"}, {`/\`, "&&"}, {`\/`, "||"}, {"&", "&&"}, {"|", "||"}, {"~", "!"}, {"¬", "!"},
	{"∧", "&&"}, {"∨", "||"}, {"→", "->"}, {"∃", "E"}, {"∀", "A"},
}

// wrongSign fails with the error of a character that no token begins with.
func (p *parser) wrongSign() {
	for _, o := range otherSigns {
		if strings.HasPrefix(p.text[p.pos:], o.sign) {
			err := actl.Text(p.text).Unexpected(p.pos, o.ours)
			err.Found = `"` + o.sign + `"`
			abort.On(err)
		}
	}
	abort.On(actl.Text(p.text).Unexpected(p.pos,
		"a formula (names with other characters than letters, digits and _ . * ? are quoted)"))
}

func (p *parser) unexpected(expected string, arguments ...any) {
	abort.On(actl.Text(p.text).Unexpected(p.next.at, fmt.Sprintf(expected, arguments...)))
}

// descend returns the depth inside the operator that was read last. It fails if operators are
// nested too deeply.
func (p *parser) descend(depth int) int {
	if depth == maxDepth {
		abort.On(actl.Text(p.text).TooDeep(p.next.at, maxDepth))
	}
	p.advance()
	return depth + 1
}

// implies reads an implication, or a formula that binds tighter.
func (p *parser) implies(depth int) *Formula {
	f := p.chain(depth, or, Or, p.and)
	if p.next.kind != implies {
		return f
	}
	return &Formula{op: Implies, left: f, right: p.implies(p.descend(depth))}
}

func (p *parser) and(depth int) *Formula { return p.chain(depth, and, And, p.single) }

// chain reads operands that are joined by operators of one kind.
func (p *parser) chain(depth int, k kind, op Operator, operand func(int) *Formula) *Formula {
	f := operand(depth)
	for n := 1; p.next.kind == k; n++ {
		if n == maxOperands {
			abort.On(actl.Text(p.text).TooMany(p.next.at, maxOperands))
		}
		p.advance()
		f = &Formula{op: op, left: f, right: operand(depth)}
	}
	return f
}

const operandExpected = "a formula, such as true, EF f, <PUT> f or A[f U g]"

// single reads a formula without infix operators outside brackets.
func (p *parser) single(depth int) *Formula {
	t := p.next
	switch t.kind {
	case constant:
		p.advance()
		return &Formula{op: t.op}
	case text:
		return p.predicate(depth)
	case prefix:
		return p.prefixed(depth, t)
	case diamond:
		return p.modal(depth, Some, '<')
	case box:
		return p.modal(depth, All, '[')
	case quantifier:
		return p.quantified(depth)
	case open:
		inside := p.descend(depth)
		f := p.implies(inside)
		if p.allowsRuns && p.next.kind == infix {
			f = &Formula{op: p.next.op, path: OnRun, left: f}
			p.advance()
			f.right = p.implies(inside)
		}
		p.expectClosing(t, closing)
		return f
	case brace:
		if p.allowsRuns {
			f := &Formula{op: Taken, labels: p.labels('{')}
			p.advance()
			return f
		}
	case infix:
		p.unexpected(operandExpected+" (%s stands between two formulas, as in A[f %[1]s g])",
			p.text[t.at:p.pos])
	}
	p.unexpected(operandExpected)
	return nil
}

// expectClosing reads the bracket that closes an opened one.
func (p *parser) expectClosing(opened token, closer kind) {
	if p.next.kind != closer {
		sign := ")"
		if closer == closingBox {
			sign = "]"
		}
		column := len([]rune(p.text[:opened.at])) + 1
		p.unexpected(`an operator or "%s" to close the "%c" at column %d`, sign, p.text[opened.at], column)
	}
	p.advance()
}

// beginsOperand has the kinds of tokens that can begin a formula.
var beginsOperand = map[kind]bool{
	text:       true,
	constant:   true,
	prefix:     true,
	quantifier: true,
	open:       true,
	box:        true,
	diamond:    true,
}

// predicate reads a name and, if there is one, its value.
func (p *parser) predicate(depth int) *Formula {
	first := p.next
	isQuoted := p.text[first.at] == '"'
	op, isPrefix := map[string]Operator{"F": Until, "G": Release, "X": Next}[first.text]
	isPrefix = isPrefix && !isQuoted
	mayBeComparison := !isQuoted && !(isPrefix && p.modalFollows())
	if mayBeComparison {
		if comparison, after, isComparison := p.comparison(first); isComparison {
			p.pos = after
			p.advance()
			return &Formula{op: Holds, predicate: comparison}
		}
	}
	p.advance()
	if isPrefix && (beginsOperand[p.next.kind] || p.next.kind == brace) {
		return p.runOperand(op, first, depth)
	}
	f := &Formula{op: Holds, predicate: Predicate{Name: first.text}}
	if p.next.kind == open {
		p.unexpected("an operator (&&, ||, ->) or the end of the formula (%s is read as a predicate; E and A say which runs a formula is about, as in A[f U g])", f.predicate)
	}
	if p.next.kind == equals {
		p.advance()
		f.predicate.Value = p.value(f.predicate.Name)
		f.predicate.Valued = true
		p.advance()
	}
	return f
}

// comparison reads a comparison of values, or a parameter with an index, beginning at a token. after is
// the offset where it ends. The last result is false if there is only a plain name.
func (p *parser) comparison(first token) (found Predicate, after int, isComparison bool) {
	atom, after, isAtom, err := values.Read(p.text, first.at)
	isRead := isAtom && err == nil
	beginsSubscript := isRead && p.text[after-1] == '_' && strings.HasPrefix(p.text[after:], "{") // as in U_{PUT}
	if beginsSubscript {
		atom, after, isAtom, err = values.Read(p.text[:after-1], first.at)
		isRead = isAtom && err == nil
	}
	if !isRead {
		return Predicate{}, 0, false
	}
	if isPlain(p.text[first.at:after]) && strings.HasPrefix(atom.String(), first.text) {
		return Predicate{}, 0, false
	}
	if _, reserved := words[atom.Reads()]; reserved {
		abort.On(actl.Text(p.text).Unexpected(first.at,
			"a parameter whose name is no word of the logic"))
	}
	return predicateOf(atom.String()), after, true
}

// runOperand reads the operand of F, G or X. The operand is about the run of the E or A around it.
func (p *parser) runOperand(op Operator, begins token, depth int) *Formula {
	if !p.allowsRuns {
		p.next = begins
		p.unexpected("E or A before %s, as in E%[1]s f or A%[1]s f", begins.text)
	}
	if depth == maxDepth {
		abort.On(actl.Text(p.text).TooDeep(p.next.at, maxDepth))
	}
	return &Formula{
		op:    op,
		path:  OnRun,
		left:  lefts[op],
		right: p.single(depth + 1),
	}
}

// value returns the value that a parameter is compared with.
func (p *parser) value(parameter string) string {
	switch p.next.kind {
	case text:
		return p.next.text
	case constant, prefix, quantifier, infix:
		if written := p.text[p.next.at:p.pos]; written != "!" {
			return written
		}
	}
	p.unexpected("a value of %s (quoted where it has other characters than letters, digits and _ . * ?)", word(parameter))
	return ""
}

// modalFollows reports whether the next token begins <a>, and not a comparison.
func (p *parser) modalFollows() bool {
	at, _ := actl.Text(p.text).Word(p.pos)
	if !strings.HasPrefix(p.text[at:], "<") {
		return false
	}
	_, after, err := actl.Text(p.text).Labels(p.ctx, at+1, '<')
	return err == nil && !strings.HasSuffix(p.text[:after], "->") // such as X < 3 -> y > 4
}

// predicateOf returns the predicate of an atom in its normal form, with = for ==. NAME=VALUE
// becomes a Name and a Value, any other text an Atom.
func predicateOf(atom string) Predicate {
	name, value, _ := strings.Cut(atom, " = ")
	if !isPlain(atom) {
		return Predicate{Atom: atom}
	}
	if strings.HasPrefix(value, `"`) {
		content, after, err := actl.Text(value).Quoted(0)
		if err != nil || after != len(value) {
			return Predicate{Atom: atom}
		}
		value = content
	}
	return Predicate{Name: name, Value: value, Valued: true}
}

// isPlain reports whether an atom is NAME=VALUE, each a word or in quotes.
func isPlain(text string) bool {
	name, value, _ := strings.Cut(text, "=")
	bare := func(text string) bool {
		for i := range text {
			if !actl.Text(text).IsBare(i) || text[i] == '*' || text[i] == '?' {
				return false
			}
		}
		return text != ""
	}
	value = strings.TrimSpace(value)
	return bare(strings.TrimSpace(name)) && (bare(value) || strings.HasPrefix(value, `"`))
}

// prefixed reads the operand of a prefix operator.
func (p *parser) prefixed(depth int, t token) *Formula {
	f := &Formula{op: t.op, path: t.path, left: lefts[t.op]}
	if t.op == Not {
		f.right = p.single(p.descend(depth))
	} else {
		f.right = p.stateOperand(p.descend(depth))
	}
	return f
}

// modal reads the rest of <a> f or [a] f.
func (p *parser) modal(depth int, path Quantifier, bracket byte) *Formula {
	f := &Formula{op: Next, path: path, labels: p.labels(bracket)}
	if f.labels.IsAny() {
		f.labels = nil
	}
	f.right = p.stateOperand(p.descend(depth))
	return f
}

// labels reads a pattern after its opening bracket, and leaves the closing bracket as the last
// token.
func (p *parser) labels(bracket byte) *actl.Pattern {
	pattern, after, err := actl.Text(p.text).Labels(p.ctx, p.pos, bracket)
	abort.On(err)
	p.pos = after
	return &pattern
}

// quantified reads the rest of E[…] or A[…].
func (p *parser) quantified(depth int) *Formula {
	f := &Formula{path: p.next.path}
	depth = p.descend(depth)
	allowedRuns := p.allowsRuns
	p.allowsRuns = p.isStar
	bracket := p.next
	closer := closingBox
	switch bracket.kind {
	case open:
		closer = closing
	case box:
	default:
		p.unexpected(`"[" after %s, as in %[1]s[f U g], or %[1]sF f`, f.path)
	}
	p.advance()
	f.left = p.implies(depth)
	f.labels = p.subscript()
	if f.labels != nil && f.labels.IsAny() {
		f.labels = nil
	}
	switch {
	case p.next.kind == infix:
		f = p.afterLeft(f, depth)
	case f.labels == nil && f.left.isAboutRun():
		f = f.path.quantify(f.left)
	default:
		p.unexpected("U, R, W or M")
	}
	p.allowsRuns = allowedRuns
	p.expectClosing(bracket, closer)
	return f
}

// afterLeft reads the operator and the right operand of a quantified formula, after its left operand and the
// labels of this. The result is a formula of CTL* if an operand is about a run.
func (p *parser) afterLeft(f *Formula, depth int) *Formula {
	operator := p.next
	f.op = operator.op
	p.advance()
	f.last = p.subscript()
	hasLabels := f.labels != nil || f.last != nil
	if f.op != Until && hasLabels {
		p.next = operator
		p.unexpected("U, the only operator with labels")
	}
	f.right = p.implies(depth)
	isAboutRun := f.left.isAboutRun() || f.right.isAboutRun()
	switch {
	case !isAboutRun:
		return f
	case hasLabels:
		p.next = operator
		p.unexpected("formulas about states next to U with labels")
	}
	return f.path.quantify(&Formula{
		op:    f.op,
		path:  OnRun,
		left:  f.left,
		right: f.right,
	})
}

// subscript reads {a} or _{a}; nil if there is none.
func (p *parser) subscript() *actl.Pattern {
	underscored := p.next.kind == underscore
	if underscored {
		p.advance()
	}
	switch {
	case p.next.kind == brace:
		labels := p.labels('{')
		p.advance()
		return labels
	case underscored:
		p.unexpected(`"{" after "_"`)
	}
	return nil
}

// isAboutRun reports whether f is about a run rather than a state.
func (f *Formula) isAboutRun() bool {
	switch f.op {
	case Taken:
		return true
	case Not:
		return f.right.isAboutRun()
	case And, Or, Implies:
		return f.left.isAboutRun() || f.right.isAboutRun()
	}
	return f.path == OnRun
}

// IsStar reports whether f is a formula of CTL* but not of computation tree logic. Cost O(length of
// f).
func (f *Formula) IsStar() bool {
	return f != nil && (f.op == Quantified || f.op == Taken || f.path == OnRun || f.left.IsStar() || f.right.IsStar())
}

// quantify returns the formula that some or all runs satisfy f, in computation tree logic if possible. It
// cannot use AX for A[X f], since X on a run demands a next state, and AX f does not.
func (q Quantifier) quantify(f *Formula) *Formula {
	hasStateOperands := !f.right.isAboutRun() && (f.left == nil || !f.left.isAboutRun())
	isSimple := f.path == OnRun && hasStateOperands
	if isSimple && !(f.op == Next && q == All) {
		quantified := *f
		quantified.path = q
		return &quantified
	}
	return &Formula{op: Quantified, path: q, right: f}
}

// stateOperand reads an operand that is only about states.
func (p *parser) stateOperand(depth int) *Formula {
	allowedRuns := p.allowsRuns
	p.allowsRuns = false
	f := p.single(depth)
	p.allowsRuns = allowedRuns
	return f
}

// Taken returns the labels of {a}; nil if f is another formula. Cost O(1).
func (f *Formula) Taken() *actl.Pattern {
	if f.op != Taken {
		return nil
	}
	return f.labels
}

// BindTaken returns which labels of the alphabet match {a}, and warnings as [Closure.Bind] does.
// Cost as for [actl.BindAtoms].
func (f *Formula) BindTaken(
	ctx context.Context,
	a *lts.Alphabet,
) (means []bool, warnings []string, err error) {
	means = make([]bool, a.Len())
	if f.labels.IsNone() {
		return means, nil, nil
	}
	steps, warnings, err := actl.BindAtoms(ctx, []actl.Pattern{*f.labels}, a)
	if err != nil {
		return nil, nil, err
	}
	for _, label := range steps[0].Labels {
		means[label] = true
	}
	return means, warnings, nil
}

// Replaced returns f with each Quantified subformula, inner ones first, replaced by the predicate that
// with returns for it. The result is a formula of computation tree logic. The arguments of with are the
// quantifier and the formula about a run, in which Quantified subformulas are already replaced. Cost
// O(length of f), and that of with.
func (f *Formula) Replaced(with func(q Quantifier, run *Formula, text string) Predicate) *Formula {
	if f == nil {
		return nil
	}
	g := *f
	g.left, g.right = f.left.Replaced(with), f.right.Replaced(with)
	if f.op != Quantified {
		return &g
	}
	return &Formula{op: Holds, predicate: with(f.path, g.right, f.String())}
}

// WriteRun writes a formula about a run as a formula of linear temporal logic. The function atom returns
// the texts for its maximal subformulas about states, and for {a}. ended is an atom that holds once a
// run has ended, after its last state, so that X can demand a next state. Cost O(length of f).
func (f *Formula) WriteRun(ended string, atom func(part *Formula) string) string {
	if !f.isAboutRun() || f.op == Taken {
		return atom(f)
	}
	switch f.op {
	case Not:
		return "!" + f.right.WriteRun(ended, atom)
	case Next:
		return "X (!" + ended + " && " + f.right.WriteRun(ended, atom) + ")"
	}
	return "(" + f.left.WriteRun(ended, atom) + infixes[f.op] + f.right.WriteRun(ended, atom) + ")"
}
