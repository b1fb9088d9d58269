package modal

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/property"
)

// operator is the outermost operator of a [state].
type operator uint8

const (
	trueOp operator = iota
	falseOp
	andOp
	orOp
	notOp
	boxOp
	diamondOp
	muOp
	nuOp
	variableOp
	// Operators with data, which are removed when a formula is expanded for a model:
	valOp
	forallOp
	existsOp
	letOp
	ifOp
)

// state is a formula about states.
type state struct {
	op    operator
	at    token // the operator, or the variable
	parts []*state
	run   *regular // the subject of a modality
	name  string   // the name of a variable
	// first and last are the numbers of the first and the last token of the formula, without
	// parentheses around it. isJoined reports whether the operator between them is a connective.
	first, last int
	isJoined    bool
	text        string // instead of first and last, if the formula is not a piece of the text
	// declared are the variables of a quantifier, of let or of a fixpoint; condition belongs to val and
	// if, and arguments to a fixpoint variable.
	declared  []declaration
	condition *expression
	arguments []*expression
	// definition is the instance of a fixpoint with parameters that a variable with arguments refers
	// to. isInstance is set for such an instance, whose name is unique.
	definition *state
	isInstance bool
}

// shape is the outermost operator of a [regular].
type shape uint8

const (
	single shape = iota // one action
	nothing
	sequence
	choice
	star
	plus
	perhaps
)

// regular is a regular expression of actions.
type regular struct {
	shape  shape
	at     token
	action *temporal.Formula // instead of data: a formula about the label, over the atoms of the parser
	data   *action           // instead of action, if it has data
	parts  []*regular
}

// maxDepth is the largest depth of formulas.
const maxDepth = 500

type parser struct {
	ctx    context.Context
	tokens []token
	pos    int
	depth  int
	copied int // the number of expressions copied for {n}, {n ...} and {n ... m}
	// isMCL is set if the text has quotes or operators of MCL. Then an action is not a bare name.
	isMCL bool
	// bound are the surrounding fixpoints, the inner ones last.
	bound []boundFixpoint
	// visible are the data variables in scope, the inner ones last; some are markers that the name of a
	// variable in a modality is out of scope here. declarations counts all variables declared so far.
	visible      []*variable
	declarations int
	hasData      bool
	hasInstances bool // whether an expanded formula has fixpoints with parameters
	isWritten    bool // whether data was written out
	// lookup finds definitions of data. A copy of the parser shares it.
	lookup    *lookup
	gates     map[string]bool // the names of actions with data
	withData  *[]*action      // the actions with data; shared like the maps
	mentioned map[int64]bool  // the numbers in the formula
	constants map[string]bool // constants other than numbers, in expressions and arguments
	atoms     *intern.List[string, actl.Pattern]
	// apart are patterns that belong to sets but must each match a label.
	apart []actl.Pattern
}

// boundFixpoint is a fixpoint around a formula.
type boundFixpoint struct {
	name       string
	parameters []declaration
}

// Parse returns the property that text denotes: an [*actl.Formula] if it has the form of a pattern, see
// the package comment, and otherwise a [*Formula] or a [*DataFormula]. The error is an
// [*actl.SyntaxError], an [*OtherwiseError] if another property answers the formula, or ctx.Err() once
// ctx is done. Cost O(length of the text after macros are replaced).
func Parse(ctx context.Context, text string) (property.Formula, error) {
	p, root, err := parse(ctx, text)
	if err != nil {
		return nil, err
	}
	if p.hasData {
		return p.dataFormula(root)
	}
	f := p.known(root)
	if f != nil {
		return f, nil
	}
	simple := p.simplified(root)
	f = p.known(simple)
	if f != nil {
		return f, nil
	}
	formula, err := newFormula(p, simple)
	if err != nil {
		return nil, p.otherwise(root, simple, err)
	}
	return formula, nil
}

// Branching translates the formula in text into computation tree logic, as
// package ctl reads it; "" if no translation is found. Errors and cost are as for
// [Parse].
func Branching(ctx context.Context, text string) (_ string, err error) {
	defer abort.Caught(&err)
	p, root, err := parse(ctx, text)
	if err != nil {
		return "", err
	}
	if p.hasData {
		return "", nil
	}
	f, isBranching := p.branching(p.simplified(root))
	if !isBranching {
		return "", nil
	}
	return f, nil
}

// parse reads the formula in text.
func parse(ctx context.Context, text string) (p *parser, root *state, err error) {
	defer abort.Caught(&err)
	ctx = abort.Must(textlimit.ForReading(ctx, text))
	l := &lexer{ctx: ctx, source: &source{text: text}}
	tokens := l.tokens()
	p = &parser{
		ctx:       ctx,
		tokens:    tokens,
		atoms:     &intern.List[string, actl.Pattern]{},
		gates:     map[string]bool{},
		withData:  new([]*action),
		mentioned: map[int64]bool{},
		constants: map[string]bool{},
		lookup:    &lookup{ctx: ctx, own: l.own},
	}
	for i := range tokens {
		tokens[i].number = i
	}
	p.isMCL = isInMCL(tokens)
	notation := hint.MCRL2
	if p.isMCL {
		notation = hint.MCL
	}
	p.ctx = hint.InNotation(p.ctx, notation)
	root = p.implies()
	if p.next().kind != end {
		p.unexpected("an operator or the end of the formula")
	}
	return p, root, nil
}

// isInMCL reports whether a formula has quotes or operators of MCL. Behind val, only mCRL2 has conditions, and
// braces there are those of sets.
func isInMCL(tokens []token) bool {
	depth := 0 // of parentheses behind val
	for i, t := range tokens {
		switch {
		case t.is("(") && (depth > 0 || i > 0 && tokens[i-1].is("val")):
			depth++
		case t.is(")") && depth > 0:
			depth--
		case depth == 0 && isOfMCL(t):
			return true
		}
	}
	return false
}

// isOfMCL reports whether a token occurs in MCL only.
func isOfMCL(t token) bool {
	return t.kind == label || t.kind == pattern || t.kind == offers ||
		t.is("and", "or", "not", "implies", "equ", "xor", "let", ":=") ||
		t.is("among", "nat", "natural", "int", "integer", "bool", "boolean", "string", "=", "<>") ||
		t.kind == call && strings.Contains(t.text, ":=")
}

func (p *parser) next() token { return p.tokens[p.pos] }

func (p *parser) take() token {
	t := p.tokens[p.pos]
	if t.kind != end {
		p.pos++
	}
	return t
}

// skip consumes the next token if it is one of these.
func (p *parser) skip(texts ...string) (token, bool) {
	if p.next().is(texts...) {
		return p.take(), true
	}
	return token{}, false
}

// unexpected fails since something else than the next token is expected.
func (p *parser) unexpected(expected string) {
	t := p.next()
	err := t.in.unexpected(t.at, expected)
	if t.kind != end {
		err.Found = `"` + t.written() + `"`
	}
	abort.On(err)
}

// want consumes the next token, which must be this one.
func (p *parser) want(text string) {
	if _, isNext := p.skip(text); !isNext {
		p.unexpected(`"` + text + `"`)
	}
}

// deeper enters a nested formula, and fails beyond the largest depth. The function that it returns
// leaves the formula.
func (p *parser) deeper() (shallower func()) {
	p.depth++
	if p.depth > maxDepth {
		refuse(p.next(), "a formula that nests at most %d deep", maxDepth)
	}
	abort.On(p.ctx.Err())
	return func() { p.depth-- }
}

// implies reads a formula with any connectives. An implication binds more tightly than an equivalence,
// and less tightly than the other connectives.
func (p *parser) implies() *state {
	defer p.deeper()()
	first := p.pos
	f := p.or()
	if t, isImplication := p.skip("implies", "=>"); isImplication {
		premise := &state{
			op:    notOp,
			at:    t,
			parts: []*state{f},
			first: f.first,
			last:  f.last,
		}
		conclusion := p.implies()
		f = &state{
			op:       orOp,
			at:       t,
			parts:    []*state{premise, conclusion},
			first:    first,
			last:     p.pos - 1,
			isJoined: true,
		}
	}
	for p.next().is("equ", "xor", "<=>") {
		t := p.take()
		f = p.equivalence(t, f, p.or())
		f.first = first
		f.last = p.pos - 1
	}
	return f
}

// equivalence returns f equ g as both implications, and f xor g as its negation.
func (p *parser) equivalence(t token, f, g *state) *state {
	p.copied += f.size() + g.size()
	if p.copied > mostCopied {
		refuse(t, "expressions that are repeated at most %d times in all", mostCopied)
	}
	implication := func(from, to *state) *state {
		premise := &state{
			op:    notOp,
			at:    t,
			parts: []*state{from},
			first: from.first,
			last:  from.last,
			text:  from.text,
		}
		text := p.textOf(from) + " => " + p.textOf(to)
		if p.isMCL {
			text = p.textOf(from) + " implies " + p.textOf(to)
		}
		return &state{
			op:       orOp,
			at:       t,
			parts:    []*state{premise, to},
			isJoined: true,
			text:     text,
		}
	}
	both := &state{
		op:       andOp,
		at:       t,
		parts:    []*state{implication(f, g), implication(g, f)},
		isJoined: true,
	}
	if !t.is("xor") {
		return both
	}
	both.text = p.textOf(f) + " equ " + p.textOf(g)
	return &state{
		op:       notOp,
		at:       t,
		parts:    []*state{both},
		isJoined: true,
	}
}

// size returns the number of subformulas of a formula.
func (f *state) size() int {
	n := 1
	for _, part := range f.parts {
		n += part.size()
	}
	return n
}

func (p *parser) or() *state { return p.operands(orOp, p.and, "or", "||") }

func (p *parser) and() *state { return p.operands(andOp, p.unary, "and", "&&") }

// operands reads one operand, or several that are joined by an operator with one of these signs.
func (p *parser) operands(op operator, operand func() *state, signs ...string) *state {
	first := p.pos
	f := operand()
	if !p.next().is(signs...) {
		return f
	}
	all := &state{
		op:       op,
		at:       p.next(),
		parts:    []*state{f},
		first:    first,
		isJoined: true,
	}
	for p.next().is(signs...) {
		p.take()
		all.parts = append(all.parts, operand())
	}
	all.last = p.pos - 1
	return all
}

// unary reads a formula without connectives around it, and records its first and last token.
func (p *parser) unary() *state {
	first := p.pos
	f := p.operand()
	if f.last == 0 { // a formula in parentheses has its places
		f.first = first
		f.last = p.pos - 1
	}
	return f
}

// operand reads a formula that begins with a sign or a keyword, a variable, or a condition of MCL.
func (p *parser) operand() *state {
	defer p.deeper()()
	if p.startsCondition() {
		return p.comparison(p.next())
	}
	t, isKnown := p.skip("true", "false", "not", "!", "(", "[", "<", "mu", "nu", "forall", "exists",
		"val", "let", "if")
	if !isKnown {
		return p.variable(p.next())
	}
	switch {
	case t.is("forall", "exists"):
		return p.quantifier(t)
	case t.is("val"):
		return p.val(t)
	case t.is("let"):
		return p.let(t)
	case t.is("if"):
		return p.conditional(t)
	case t.is("true"):
		return &state{op: trueOp, at: t}
	case t.is("false"):
		return &state{op: falseOp, at: t}
	case t.is("not", "!"):
		return &state{op: notOp, at: t, parts: []*state{p.unary()}}
	case t.is("("):
		f := p.implies()
		p.want(")")
		return f
	case t.is("[", "<"):
		return p.modality(t)
	}
	return p.fixpoint(t)
}

// modality reads a modality, after [ or <.
func (p *parser) modality(open token) *state {
	if p.next().is("[", "<") {
		abort.On(p.next().refused("a regular expression of actions",
			"weak modalities are not read"))
	}
	numOuter := len(p.visible)
	defer func() { p.hide(numOuter) }()
	f := &state{op: boxOp, at: open}
	f.run = p.choice()
	closing := "]"
	if open.is("<") {
		f.op = diamondOp
		closing = ">"
	}
	if p.next().is("@") {
		refuse(p.next(), "an action formula without time")
	}
	p.want(closing)
	if t, isUnsupported := p.skip("@", "-|"); isUnsupported {
		return infinitely(f, t)
	}
	f.parts = []*state{p.unary()}
	return f
}

// infinitely returns the fixpoint for a modality with a sign of endless repetition. [ R ] -| means
// that no run repeats R forever; its fixpoint is mu X . [ R ] X. < R > @ means that some run
// repeats R forever; its fixpoint is nu X . < R > X.
func infinitely(modality *state, sign token) *state {
	isBox := modality.op == boxOp
	kind := nuOp
	switch {
	case isBox && sign.is("@"):
		refuse(sign, "[ R ] -|, that no run repeats R forever, or < R > @, that some run does")
	case !isBox && sign.is("-|"):
		refuse(sign, "< R > @, that some run repeats R forever, or [ R ] -|, that none does")
	case isBox:
		kind = muOp
	}
	modality.parts = []*state{{op: variableOp, at: sign, name: forEver}}
	return &state{
		op:    kind,
		at:    sign,
		name:  forEver,
		parts: []*state{modality},
	}
}

// forEver is the name of the variable in the fixpoints of [ R ] -| and < R > @.
const forEver = "-|"

// fixpoint reads a fixpoint, after mu or nu. In mCRL2 it extends as far as possible. In MCL it ends
// where a modality would end; if a longer reading is possible and differs, the formula is refused.
func (p *parser) fixpoint(t token) *state {
	name := p.next()
	if name.kind != word && name.kind != call {
		p.unexpected("a fixpoint variable")
	}
	p.take()
	numOuter := len(p.visible)
	bound := boundFixpoint{name: name.text}
	if name.kind == call {
		bound.name, bound.parameters = p.parameters(name)
	}
	p.want(".")
	p.bound = append(p.bound, bound)
	defer func() { p.bound = p.bound[:len(p.bound)-1] }()
	f := p.body("fixpoint " + t.text + " " + bound.name)
	p.hide(numOuter)
	op := muOp
	if t.is("nu") {
		op = nuOp
	}
	return &state{
		op:       op,
		at:       t,
		name:     bound.name,
		declared: bound.parameters,
		parts:    []*state{f},
	}
}

// parameters reads the parameters of a fixpoint, X(n: Nat = 0) or X (n:nat := 0). They are visible from then on.
func (p *parser) parameters(t token) (name string, all []declaration) {
	name, inside := p.inner(t)
	if inside.next().kind == end {
		return name, nil
	}
	p.hasData = true
	sign := "="
	if slices.ContainsFunc(inside.tokens, func(t token) bool { return t.is(":=") }) {
		sign = ":="
	}
	all = inside.initialised(sign)
	inside.finished(`"," or ")"`)
	p.visible = inside.visible
	p.declarations = inside.declarations
	return name, all
}

// variable reads a fixpoint variable. A name here can mean nothing else.
func (p *parser) variable(t token) *state {
	name, _, _ := strings.Cut(t.text, "(")
	name = strings.TrimSpace(name)
	if t.kind == word || t.kind == call {
		for _, bound := range slices.Backward(p.bound) {
			if bound.name == name {
				p.take()
				return p.reference(t, bound)
			}
		}
	}
	p.refuseName(t, name)
	return nil
}

// refuseName explains why a token is no formula. The name is the token without arguments.
func (p *parser) refuseName(t token, name string) {
	switch {
	case t.kind == word && p.isMCL && p.find(t.text) != nil:
		p.named(t) // fails if the variable is out of scope
		refuse(t, "a condition, such as %s = 0", t.text)
	case t.is("delay", "yaled"):
		refuse(t, "a formula without time")
	case !p.isMCL && t.is("sup", "inf", "sum"):
		refuseQuantity(t)
	case t.kind == word && p.isMCL && slices.Contains(unread, t.text):
		abort.On(t.refused("a formula", t.text+" is not read; write the cases with if"))
	case t.kind == call && isOwnMacro(name):
		abort.On(t.refused("a formula",
			name+" is a macro of "+libraryOfACTL+"; begin the formula with library "+libraryOfACTL+" end_library"))
	case t.kind == call || t.kind == word:
		abort.On(t.refused("a formula",
			name+" is a macro or variable that is not defined here"))
	}
	p.unexpected("a formula: true, false, not, [ … ], < true > true, mu, nu, or parentheses")
}

// unread are words of MCL that are recognised, but not supported.
var unread = []string{"case", "for", "while", "repeat", "loop"}

// reference reads the arguments of a fixpoint variable.
func (p *parser) reference(t token, bound boundFixpoint) *state {
	f := &state{op: variableOp, at: t, name: bound.name}
	if t.kind == call {
		_, inside := p.inner(t)
		f.arguments = inside.expressions()
	}
	if len(f.arguments) != len(bound.parameters) {
		refuse(t, "%s with values for its %s", bound.name,
			printable.Quantity(len(bound.parameters), "parameter"))
	}
	for i, argument := range f.arguments {
		p.flow(argument, bound.parameters[i].variable)
	}
	return f
}
