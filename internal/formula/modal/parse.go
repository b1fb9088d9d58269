package modal

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/ltl"
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
	visible := len(p.visible)
	defer func() { p.hide(visible) }()
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
	visible := len(p.visible)
	bound := boundFixpoint{name: name.text}
	if name.kind == call {
		bound.name, bound.parameters = p.parameters(name)
	}
	p.want(".")
	p.bound = append(p.bound, bound)
	defer func() { p.bound = p.bound[:len(p.bound)-1] }()
	f := p.body("fixpoint " + t.text + " " + bound.name)
	p.hide(visible)
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

// choice reads a regular expression.
func (p *parser) choice() *regular {
	defer p.deeper()()
	return p.joined(choice, p.sequence, "|", "+")
}

func (p *parser) sequence() *regular { return p.joined(sequence, p.repeated, ".") }

// joined reads expressions that are joined by a binary operator, which associates to the left.
func (p *parser) joined(shape shape, operand func() *regular, signs ...string) *regular {
	visible := len(p.visible)
	r := operand()
	for p.next().is(signs...) {
		t := p.take()
		if shape == choice {
			p.onBothSides(visible, func() {
				r = &regular{
					shape: shape,
					at:    t,
					parts: []*regular{r, operand()},
				}
			})
			continue
		}
		r = &regular{shape: shape, at: t, parts: []*regular{r, operand()}}
	}
	return r
}

// onBothSides reads the second operand of a choice. After the choice, only the variables that both
// operands bind are visible; the names of the other variables are out of scope.
func (p *parser) onBothSides(visible int, operand func()) {
	leftNames := slices.Clone(p.visible[visible:])
	p.visible = slices.Clone(p.visible[:visible])
	operand()
	right := slices.Clone(p.visible[visible:])
	p.hide(visible)
	for _, v := range slices.Concat(leftNames, right) {
		isKnown := lastNamed(p.visible[visible:], v.name) != nil
		if isKnown {
			continue
		}
		ofLeft := lastNamed(leftNames, v.name)
		ofRight := lastNamed(right, v.name)
		if ofLeft.isInterchangeable(ofRight) {
			p.visible = append(p.visible, ofLeft)
		} else {
			p.visible = append(p.visible, &variable{name: v.name, hides: true})
		}
	}
}

// isInterchangeable reports whether two variables exist, are in scope, and have the same type.
func (v *variable) isInterchangeable(other *variable) bool {
	if v == nil || other == nil || v.hides || other.hides {
		return false
	}
	return v.sort.name == other.sort.name
}

// lastNamed returns the last variable of a name, nil if there is none.
func lastNamed(all []*variable, name string) *variable {
	for _, v := range slices.Backward(all) {
		if v.name == name {
			return v
		}
	}
	return nil
}

// conceal ends the scope of the variables that a subexpression has bound. An outer variable of the same
// name becomes visible again.
func (p *parser) conceal(visible int) {
	for i, v := range p.visible[visible:] {
		outer := lastNamed(p.visible[:visible], v.name)
		if outer == nil {
			outer = &variable{name: v.name, hides: true}
		}
		p.visible[visible+i] = outer
	}
}

// repeated reads an expression and any *, +, ?, {n}, {n ...} or {n ... m} after it. Variables that the
// repeated expression binds are out of scope after it.
func (p *parser) repeated() *regular {
	visible := len(p.visible)
	r := p.actions()
	for p.repetitionFollows() {
		p.conceal(visible)
		r = p.repeatedBy(p.take(), r)
	}
	return r
}

// repetitionFollows reports whether the next token repeats the expression before it. A + does so if no
// operand follows; otherwise it is a choice.
func (p *parser) repetitionFollows() bool {
	t := p.next()
	isPlus := t.is("+") && !p.operandFollows()
	isCount := t.kind == offers // after an expression, braces contain numbers
	return t.is("*", "?") || isPlus || isCount
}

// repeatedBy returns an expression that is repeated as the token after it says.
func (p *parser) repeatedBy(t token, r *regular) *regular {
	switch {
	case t.is("*"):
		return &regular{shape: star, at: t, parts: []*regular{r}}
	case t.is("?"):
		return &regular{shape: perhaps, at: t, parts: []*regular{r}}
	case t.is("+"):
		return &regular{shape: plus, at: t, parts: []*regular{r}}
	}
	return p.times(t, r)
}

// mostCopied is the largest number of subexpressions that {n} and similar repetitions add to a formula.
const mostCopied = 1 << 12

// times returns an expression that is repeated by {n}, {n ...} or {n ... m}.
func (p *parser) times(t token, r *regular) *regular {
	least, most, isUnbounded := numbersOfTimes(t)
	p.copied += r.size(mostCopied) * (min(most, mostCopied) + 1)
	if p.copied > mostCopied {
		refuse(t, "expressions that are repeated at most %d times in all", mostCopied)
	}
	// The expression is built from its end: R{1 ... 3} is R . (R . R?)?, and R{1 ...} is R . R*.
	var all *regular
	prepend := func(first *regular) {
		if all != nil {
			first = &regular{shape: sequence, at: t, parts: []*regular{first, all}}
		}
		all = first
	}
	if isUnbounded {
		prepend(&regular{shape: star, at: t, parts: []*regular{r}})
	}
	for range most - least {
		prepend(r)
		all = &regular{shape: perhaps, at: t, parts: []*regular{all}}
	}
	for range least {
		prepend(r)
	}
	if all == nil {
		return &regular{shape: nothing, at: t}
	}
	return all
}

// numbersOfTimes returns the numbers in {n}, {n ...} and {n ... m}. {n ...} is unbounded.
func numbersOfTimes(t token) (least, most int, isUnbounded bool) {
	first, last, isRange := strings.Cut(t.text, "...")
	last = strings.TrimSpace(last)
	least, err := strconv.Atoi(strings.TrimSpace(first))
	most = least
	if err == nil && last != "" {
		most, err = strconv.Atoi(last)
	}
	if err != nil || least < 0 || most < least {
		refuse(t, "numbers of times, as in {2}, {2 ...} or {1 ... 3}")
	}
	return least, most, isRange && last == ""
}

// size returns the number of subexpressions of an expression. It stops counting above the limit.
func (r *regular) size(limit int) int {
	n := 1
	for _, part := range r.parts {
		if n <= limit {
			n += part.size(limit - n)
		}
	}
	return n
}

// operandFollows reports whether an expression begins after the next token.
func (p *parser) operandFollows() bool {
	t := p.tokens[p.pos+1]
	switch t.kind {
	case end:
		return false
	case sign:
		return t.is("(", "!")
	case word:
		return !t.is("and", "or", "implies")
	}
	return true
}

// actions reads action formulas with connectives between them, the loosest first.
func (p *parser) actions() *regular {
	visible := len(p.visible)
	r := p.disjunctionOfActions()
	if t, isImplication := p.skip("implies", "=>"); isImplication {
		conclusion := p.actions()
		p.conceal(visible)
		r = p.connected(t, orAction, []*regular{p.notAction(t, r), conclusion})
	}
	for p.next().is("equ", "xor", "<=>") {
		t := p.take()
		other := p.disjunctionOfActions()
		p.conceal(visible)
		r = p.actionEquivalence(t, r, other)
	}
	return r
}

// actionEquivalence returns r equ s as the disjunction of both and neither, and r xor s as r equ not s.
func (p *parser) actionEquivalence(t token, r, s *regular) *regular {
	p.copied += r.size(mostCopied) + s.size(mostCopied)
	if p.copied > mostCopied {
		refuse(t, "expressions that are repeated at most %d times in all", mostCopied)
	}
	if t.is("xor") {
		s = p.notAction(t, s)
	}
	both := p.connected(t, andAction, []*regular{r, s})
	neither := p.connected(t, andAction, []*regular{p.notAction(t, r), p.notAction(t, s)})
	return p.connected(t, orAction, []*regular{both, neither})
}

// notAction returns the negation of an action formula.
func (p *parser) notAction(t token, r *regular) *regular {
	if r.shape != single {
		abort.On(t.refused("an action formula behind it",
			"a regular expression has no negation"))
	}
	if r.data != nil {
		return &regular{
			shape: single,
			at:    t,
			data:  &action{op: notAction, at: t, parts: []*action{r.data}},
		}
	}
	return &regular{shape: single, action: negated(r.action), at: t}
}

func (p *parser) disjunctionOfActions() *regular {
	return p.connectives(orAction, p.conjunction, "or", "||")
}

func (p *parser) conjunction() *regular {
	return p.connectives(andAction, p.literal, "and", "&&")
}

// connectives reads one operand, or several that are joined by an operator with one of these signs.
func (p *parser) connectives(
	join actionOperator,
	operand func() *regular,
	signs ...string,
) *regular {
	visible := len(p.visible)
	r := operand()
	if !p.next().is(signs...) {
		return r
	}
	t := p.next()
	all := []*regular{r}
	for p.next().is(signs...) {
		p.take()
		if join == orAction {
			p.onBothSides(visible, func() { all = append(all, operand()) })
		} else {
			all = append(all, operand())
		}
	}
	return p.connected(t, join, all)
}

// connected returns the action formula that joins operands by an operator. It fails if one of them is a
// longer regular expression.
func (p *parser) connected(t token, join actionOperator, all []*regular) *regular {
	hasData := false
	for _, r := range all {
		if r.shape != single {
			abort.On(t.refused("action formulas on both sides",
				"regular expressions are connected by | in MCL, by + in mCRL2"))
		}
		hasData = hasData || r.data != nil
	}
	if hasData {
		joined := &action{op: join, at: t}
		for _, r := range all {
			joined.parts = append(joined.parts, r.withData())
		}
		return &regular{shape: single, data: joined, at: t}
	}
	var actions []*temporal.Formula
	for _, r := range all {
		actions = append(actions, r.action)
	}
	joined := temporal.Any(actions...)
	if join == andAction {
		joined = temporal.All(actions...)
	}
	return &regular{shape: single, action: joined, at: t}
}

// literal reads an action, a negation, a condition, or an expression in parentheses.
func (p *parser) literal() *regular {
	defer p.deeper()()
	t := p.next()
	switch {
	case t.is("not", "!"):
		visible := len(p.visible)
		p.take()
		r := p.literal()
		p.conceal(visible)
		return p.notAction(t, r)
	case t.is("val", "forall", "exists"):
		return &regular{shape: single, data: p.actionData(t), at: t}
	case t.is("("):
		p.take()
		r := p.choice()
		p.want(")")
		return r
	case t.is("nil"):
		p.take()
		return &regular{shape: nothing, at: t}
	case t.kind == offers:
		data := p.offersWithData(t)
		if data != nil {
			p.take()
			return &regular{shape: single, data: data, at: t}
		}
	case p.isMultiAction(t):
		text := p.multiActionText()
		data := p.callsWithData(t, text)
		if data != nil {
			return &regular{shape: single, data: data, at: t}
		}
		return &regular{shape: single, action: p.multiAction(t, text), at: t}
	}
	return &regular{shape: single, action: p.atom(), at: t}
}

// isMultiAction reports whether a token begins an action or a multi-action of mCRL2.
func (p *parser) isMultiAction(t token) bool {
	isName := t.kind == call || t.kind == word
	return isName && !slices.Contains(reserved, t.text) && !p.isMCL
}

// known returns the pattern whose [actl.Formula.MCL] or [actl.Formula.MuCalculus] is this formula, or F
// G !A for mu X . [ true* . A ] X; nil if the formula has no such form.
func (p *parser) known(f *state) property.Formula {
	step := p.finitely(f)
	if step != "" {
		return p.read("F G !" + step)
	}
	steps := p.inevitable(f)
	if steps != nil {
		return p.read("Inev(" + strings.Join(steps, ", ") + ")")
	}
	if f.op == boxOp {
		return p.read(p.afterwards(f))
	}
	return nil
}

// read returns the property that text denotes: a formula of linear temporal logic if the second
// character is a blank, and otherwise a pattern of package actl. It returns nil if the text is neither.
func (p *parser) read(text string) property.Formula {
	if text == "" {
		return nil
	}
	isTemporal := text[1] == ' ' // such as F G !A
	if isTemporal {
		f, err := ltl.Parse(p.ctx, text)
		if err != nil {
			return nil
		}
		return f
	}
	f, err := actl.Parse(p.ctx, text)
	if err != nil {
		return nil
	}
	return f
}

// finitely returns the step A if the formula is mu X . [ true* . A ] X, which means that no run takes A
// forever; "" otherwise.
func (p *parser) finitely(f *state) string {
	if f.op != muOp || f.parts[0].op != boxOp {
		return ""
	}
	run := f.parts[0].run
	inner := f.parts[0].parts[0]
	repeatsFixpoint := inner.op == variableOp && inner.name == f.name
	isFarStep := run.shape == sequence && isAnyRun(run.parts[0]) && run.parts[1].shape == single
	if !repeatsFixpoint || !isFarStep {
		return ""
	}
	return p.pattern(run.parts[1].action)
}

// pattern returns an action formula as a step of a pattern of package actl; "" if that is impossible.
func (p *parser) pattern(a *temporal.Formula) string {
	a = p.folded(p.ctx, a)
	if a.Operator() != temporal.AtomOp {
		return ""
	}
	text := p.atoms.All[a.Number()].String()
	if !strings.HasPrefix(text, "{") {
		text = "{" + text + "}"
	}
	return text
}

// inevitable returns the steps A, … if the formula is mu X . (< true > true and [ not A ] X and [ A ]
// …); nil otherwise.
func (p *parser) inevitable(f *state) []string {
	if f.op != muOp || f.parts[0].op != andOp {
		return nil
	}
	parts := p.inOrder(f.parts[0].parts, f.name)
	if len(parts) > 3 || !isAlive(parts[0]) {
		return nil
	}
	round := parts[1]
	isOneStep := round.op == boxOp && round.run.shape == single
	if !isOneStep || round.parts[0].op != variableOp || round.parts[0].name != f.name {
		return nil
	}
	notStep := round.run.action
	if notStep.Operator() != temporal.NotOp {
		return nil
	}
	return p.chain(notStep.Parts()[0], parts[2:], p.inevitable)
}

// inOrder sorts the operands of a conjunction: first < true > true, then modalities with the variable
// after them, then the others.
func (p *parser) inOrder(parts []*state, name string) []*state {
	place := func(f *state) int {
		switch {
		case isAlive(f):
			return 0
		case f.op == boxOp && f.parts[0].op == variableOp && f.parts[0].name == name:
			return 1
		}
		return 2
	}
	sorted := slices.Clone(parts)
	slices.SortStableFunc(sorted, func(f, g *state) int {
		return place(f) - place(g)
	})
	return sorted
}

// chain returns A and the steps that follow it, given the operands behind. These are none or [ A ] true
// if A is the last step, and otherwise [ A ] with the formula of the further steps. It returns nil for
// other operands.
func (p *parser) chain(
	a *temporal.Formula,
	following []*state,
	steps func(*state) []string,
) []string {
	step := p.pattern(a)
	switch {
	case step == "":
		return nil
	case len(following) == 0:
		return []string{step}
	}
	first := following[0]
	if first.op != boxOp || first.run.shape != single || !first.run.action.Equal(a) {
		return nil
	}
	if first.parts[0].op == trueOp {
		return []string{step}
	}
	rest := steps(first.parts[0])
	if rest == nil {
		return nil
	}
	return append([]string{step}, rest...)
}

// afterwards returns the pattern for a formula of one of three forms: [ true* . A ] followed by
// inevitability; [ true* . A . true* . B ] false, which may have true* at the end; and [ true* ] < true
// > true. It returns "" for other formulas.
func (p *parser) afterwards(f *state) string {
	run := f.run
	goal := f.parts[0]
	if goal.op == falseOp && run.shape == sequence && isAnyRun(run.parts[1]) {
		run = run.parts[0] // the continuation changes nothing
	}
	steps, isSequence := p.successive(run)
	switch {
	case !isSequence:
		return ""
	case len(steps) == 0 && isAlive(goal):
		return "DeadlockFree"
	case len(steps) > 0 && goal.op == falseOp:
		return "Never(" + strings.Join(steps, ", ") + ")"
	case len(steps) == 1:
		later := p.inevitable(goal)
		if later != nil {
			return "Response(" + steps[0] + "; " + strings.Join(later, ", ") + ")"
		}
	}
	return ""
}

// successive returns the steps A, B, … of true* . A . true* . B …, and no step for true* alone; false
// for other expressions.
func (p *parser) successive(run *regular) (steps []string, isSequence bool) {
	// From the end, steps and true* alternate, and true* comes first of all.
	for run.shape == sequence {
		last := run.parts[1]
		if last.shape != single {
			return nil, false
		}
		step := p.pattern(last.action)
		if step == "" {
			return nil, false
		}
		steps = slices.Insert(steps, 0, step)
		run = run.parts[0]
		hasMoreSteps := run.shape == sequence
		if hasMoreSteps {
			if !isAnyRun(run.parts[1]) {
				return nil, false
			}
			run = run.parts[0]
			if run.shape != sequence {
				return nil, false
			}
		}
	}
	return steps, isAnyRun(run)
}

// isAnyRun reports whether an expression is true*.
func isAnyRun(r *regular) bool {
	return r.shape == star && r.parts[0].isAnyStep()
}

// OtherwiseError reports a formula that is no property of all runs, and another property that answers
// the formula nevertheless.
type OtherwiseError struct {
	*actl.SyntaxError
	fair, dual property.Formula
	branching  string
}

// Unwrap returns the syntax error, with its position in the text.
func (e *OtherwiseError) Unwrap() error { return e.SyntaxError }

// WhenFullyFair returns a property of runs; nil if there is none. The formula holds for a finite model
// iff all fully fair runs satisfy that property.
func (e *OtherwiseError) WhenFullyFair() property.Formula { return e.fair }

// Dual returns a property of all runs that is violated iff the formula holds; nil if there is none.
// For < R > true, it is [ R ] false, which means that R matches no run. For < R > @, it is [ R ]
// -|, which means that no run repeats R forever. For other formulas it is the negation. A violating
// run is evidence for the formula.
func (e *OtherwiseError) Dual() property.Formula { return e.dual }

// Branching returns the formula in computation tree logic. If it has no such form, and only an
// evaluation of the whole formula can answer it, Branching returns the formula as it is written. It
// returns "" if [OtherwiseError.WhenFullyFair] or [OtherwiseError.Dual] is not nil.
func (e *OtherwiseError) Branching() string { return e.branching }

// At returns the error with a position in a file.
func (e *OtherwiseError) At(position *actl.SyntaxError) error {
	return &OtherwiseError{
		SyntaxError: position,
		fair:        e.fair,
		dual:        e.dual,
		branching:   e.branching,
	}
}

// ofAllRuns describes the formulas that can be checked, in errors.
const ofAllRuns = "a formula about all runs"

// otherwise returns the error of a formula that is not a property of all runs, with another property or
// command that answers the formula. simple is the formula after simplification.
func (p *parser) otherwise(root, simple *state, err error) error {
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	f := p.fullyFair(root)
	if f != nil {
		formula := *syntax
		formula.Expected = ofAllRuns
		formula.Hint = "this is " + f.String() +
			" on runs that are fully fair: give that property, and full fairness"
		return &OtherwiseError{SyntaxError: &formula, fair: f}
	}
	dual := p.dualProperty(root)
	if dual != nil {
		return &OtherwiseError{SyntaxError: syntax, dual: dual}
	}
	formula := *syntax
	negation := p.negated(simple)
	if negation != nil {
		formula.Expected = ofAllRuns + ", as its negation is"
		formula.Hint = "inev check and inev ctl answer the formula"
		return &OtherwiseError{SyntaxError: &formula, dual: negation}
	}
	if text, isBranching := p.branching(simple); isBranching {
		formula.Expected = ofAllRuns
		formula.Hint = "inev ctl answers the formula as " + text
		return &OtherwiseError{SyntaxError: &formula, branching: text}
	}
	if _, graphError := p.graph(simple, p.textOf(root)); graphError == nil {
		if strings.HasPrefix(formula.Expected, ofAllRuns) {
			formula.Expected = ofAllRuns
		}
		formula.Hint = "inev ctl answers the formula"
		return &OtherwiseError{SyntaxError: &formula, branching: p.written()}
	}
	return err
}

// negated returns the negation of a formula if the negation is a property of all runs; nil otherwise.
func (p *parser) negated(simple *state) property.Formula {
	if slices.ContainsFunc(p.tokens, func(t token) bool { return t.is("@", "-|") }) {
		return nil // dual knows them
	}
	not := token{kind: sign, text: "!"}
	if p.isMCL {
		not = token{kind: word, text: "not", spaced: true}
	}
	last := len(p.tokens) - 1
	tokens := slices.Concat([]token{not, {kind: sign, text: "(", spaced: p.isMCL}},
		p.tokens[:last], []token{{kind: sign, text: ")"}, p.tokens[last]})
	written := &parser{
		ctx:    p.ctx,
		tokens: tokens,
		atoms:  p.atoms,
		isMCL:  p.isMCL,
	}
	opposite := p.simplified(&state{
		op:    notOp,
		at:    simple.at,
		parts: []*state{simple},
	})
	return written.property(opposite)
}

// property returns a formula as a pattern or, if it is none, as the property that it denotes; nil
// if it is no property of all runs. The tokens of p are those of the formula.
func (p *parser) property(f *state) property.Formula {
	known := p.known(f)
	if known != nil {
		return known
	}
	formula, err := newFormula(p, f)
	if err != nil {
		return nil
	}
	return formula
}

// dualProperty returns [ R ] false for < R > true, and [ R ] -| for < R > @, as a property of all runs;
// nil for other formulas, or if that is no such property.
func (p *parser) dualProperty(root *state) property.Formula {
	dual, tokens := p.dual(root)
	if dual == nil {
		return nil
	}
	written := &parser{ctx: p.ctx, tokens: tokens, atoms: p.atoms}
	return written.property(dual)
}

// dual returns [ R ] false for < R > true, and [ R ] -| for < R > @, together with the tokens of the
// result; nil for other formulas.
func (p *parser) dual(root *state) (*state, []token) {
	tokens := slices.Clone(p.tokens)
	var dual *state
	var open, last token // < and the token after >
	switch {
	case root.op == diamondOp && root.parts[0].op == trueOp:
		open = root.at
		last = root.parts[0].at
		tokens[last.number].text = "false"
		dual = &state{
			op:    boxOp,
			at:    open,
			run:   root.run,
			parts: []*state{{op: falseOp, at: last}},
		}
	case root.op == nuOp && root.name == forEver:
		open = root.parts[0].at
		last = root.at
		tokens[last.number].text = "-|"
		body := &state{
			op:    boxOp,
			at:    open,
			run:   root.parts[0].run,
			parts: root.parts[0].parts,
		}
		dual = &state{
			op:    muOp,
			at:    last,
			name:  forEver,
			parts: []*state{body},
		}
	default:
		return nil, nil
	}
	tokens[open.number].text = "["
	closing := last.number - 1
	for !tokens[closing].is(">") { // a parenthesis may stand between > and true
		closing--
	}
	tokens[closing].text = "]"
	return dual, tokens
}

// longestBranching bounds the length of the formulas of computation tree logic that errors propose.
const longestBranching = 300

// branching translates a formula into computation tree logic; false if a fixpoint or a regular
// expression has no translation.
func (p *parser) branching(f *state) (string, bool) {
	signs := map[operator]string{andOp: " && ", orOp: " || "}
	switch f.op {
	case trueOp:
		return "true", true
	case falseOp:
		return "false", true
	case notOp:
		text, isBranching := p.branching(f.parts[0])
		return "!" + text, isBranching
	case andOp, orOp:
		var texts []string
		for _, part := range f.parts {
			text, isBranching := p.branching(part)
			if !isBranching {
				return "", false
			}
			texts = append(texts, text)
		}
		return "(" + strings.Join(texts, signs[f.op]) + ")", true
	case boxOp, diamondOp:
		text, isBranching := p.branching(f.parts[0])
		if !isBranching {
			return "", false
		}
		return p.runBranching(f.run, f.op, text)
	case muOp, nuOp:
		steps := (&parser{ctx: context.Background(), atoms: p.atoms}).inevitable(f)
		if steps == nil {
			return p.fixpointBranching(f)
		}
		text := "true"
		for _, step := range slices.Backward(steps) {
			text = "A[true U " + step + " " + text + "]"
		}
		return text, true
	}
	return "", false
}

// fixpointBranching translates mu X . (G or (F and R)) and nu X . (G or (F and R)) into computation
// tree logic, where R is [ true ] X or < true > X. The operands can be in any order, and F and G can be
// missing. In nu X . …, R can also be the disjunction of < true > X and [ true ] false.
func (p *parser) fixpointBranching(f *state) (string, bool) {
	r, isRound := p.roundOf(f)
	switch {
	case !isRound:
		return "", false
	case f.op == muOp:
		return p.leastBranching(r)
	}
	return p.greatestBranching(r)
}

// round is what a fixpoint requires of a state: either one of the goals, or all conditions and the
// fixpoint again after a step.
type round struct {
	goals, conditions []*state
	// isBox is set if the fixpoint must hold after every step, and not just after some step.
	isBox bool
	// mayEnd is set if the state may also be a deadlock.
	mayEnd bool
}

// roundOf splits the body of a fixpoint into its parts; false if the body has no form that
// [parser.fixpointBranching] translates.
func (p *parser) roundOf(f *state) (r round, isRound bool) {
	goals, otherwise := p.parted(f.parts[0], orOp, f.name)
	if otherwise == nil {
		return round{}, false
	}
	conditions, again := p.parted(otherwise, andOp, f.name)
	if again == nil {
		return round{}, false
	}
	step := again
	mayEnd := again.op == orOp
	if mayEnd {
		step = p.stepUnlessDeadlock(again, f.name)
	}
	if step == nil || !step.isAnyStepTo(f.name) {
		return round{}, false
	}
	isBox := step.op == boxOp
	isWeakUntil := f.op == nuOp && !isBox
	if mayEnd && !isWeakUntil {
		return round{}, false
	}
	return round{
		goals:      goals,
		conditions: conditions,
		isBox:      isBox,
		mayEnd:     mayEnd,
	}, true
}

// stepUnlessDeadlock returns R for a disjunction of R and [ true ] false, where R has the variable; nil for
// other formulas.
func (p *parser) stepUnlessDeadlock(f *state, variable string) *state {
	others, step := p.parted(f, orOp, variable)
	if len(others) != 1 || !isDeadlock(others[0]) {
		return nil
	}
	return step
}

// isAnyStepTo reports whether a formula is [ true ] X or < true > X for a variable X.
func (f *state) isAnyStepTo(variable string) bool {
	if f.op != boxOp && f.op != diamondOp {
		return false
	}
	isVariable := f.parts[0].op == variableOp && f.parts[0].name == variable
	return isVariable && f.run.isAnyStep()
}

// leastBranching translates a least fixpoint into an until.
func (p *parser) leastBranching(r round) (string, bool) {
	conditions := r.conditions
	if r.isBox {
		conditions = slices.DeleteFunc(slices.Clone(conditions), func(part *state) bool {
			return isAlive(part)
		})
	}
	condition, goal, isBranching := p.untilBranching(conditions, r.goals)
	excludesDeadlock := len(conditions) < len(r.conditions)
	switch {
	case !isBranching:
		return "", false
	case !r.isBox:
		return "E[" + condition + " U " + goal + "]", true
	case excludesDeadlock:
		return "A[" + condition + " U " + goal + "]", true
	}
	return "A[" + condition + " U (" + goal + " || (" + condition + " && deadlock))]", true
}

// greatestBranching translates a greatest fixpoint into a weak until or, without goals, into always.
func (p *parser) greatestBranching(r round) (string, bool) {
	condition, goal, isBranching := p.untilBranching(r.conditions, r.goals)
	if !isBranching {
		return "", false
	}
	path := "E"
	if r.isBox {
		path = "A"
	} else if !r.mayEnd {
		condition = "(" + condition + " && !deadlock)"
	}
	if len(r.goals) == 0 {
		return path + "G (" + condition + ")", true
	}
	return path + "[" + condition + " W " + goal + "]", true
}

// untilBranching translates both operands of an until.
func (p *parser) untilBranching(conditions, goals []*state) (condition, goal string, isBranching bool) {
	condition, isConditionBranching := p.branchingOf(conditions, " && ", "true")
	goal, isGoalBranching := p.branchingOf(goals, " || ", "false")
	return condition, goal, isConditionBranching && isGoalBranching
}

// parted returns the operands of a connective in which a variable is not free, and the only one in
// which it is free; nil if the variable is free in several. A formula with another operator counts as a
// single operand.
func (p *parser) parted(f *state, op operator, name string) (others []*state, recurring *state) {
	parts := []*state{f}
	if f.op == op {
		parts = f.parts
	}
	for _, part := range parts {
		switch {
		case !isFree(part, name):
			others = append(others, part)
		case recurring != nil:
			return nil, nil
		default:
			recurring = part
		}
	}
	return others, recurring
}

// branchingOf translates the operands of a connective. If there are none, it returns the given
// constant.
func (p *parser) branchingOf(parts []*state, sign, constant string) (string, bool) {
	var texts []string
	for _, part := range parts {
		text, isBranching := p.branching(part)
		if !isBranching || len(text) > longestBranching {
			return "", false
		}
		texts = append(texts, text)
	}
	switch len(texts) {
	case 0:
		return constant, true
	case 1:
		return texts[0], true
	}
	return "(" + strings.Join(texts, sign) + ")", true
}

// runBranching translates [ R ] f or < R > f into computation tree logic. The formula f is translated
// already.
func (p *parser) runBranching(r *regular, op operator, f string) (string, bool) {
	if len(f) > longestBranching {
		return "", false
	}
	repeated := "AG "
	sign := " && "
	bracket := byte('[')
	if op == diamondOp {
		repeated = "EF "
		sign = " || "
		bracket = '<'
	}
	switch r.shape {
	case single:
		if r.action.Operator() == temporal.TrueOp {
			return map[operator]string{boxOp: "AX ", diamondOp: "EX "}[op] + f, true
		}
		a := p.folded(context.Background(), r.action)
		if a.Operator() == temporal.AtomOp {
			return p.atoms.All[a.Number()].Within(bracket) + " " + f, true
		}
	case nothing:
		return f, true
	case sequence:
		g, isBranching := p.runBranching(r.parts[1], op, f)
		if !isBranching {
			return "", false
		}
		return p.runBranching(r.parts[0], op, g)
	case choice:
		first, isFirstBranching := p.runBranching(r.parts[0], op, f)
		second, isSecondBranching := p.runBranching(r.parts[1], op, f)
		return "(" + first + sign + second + ")", isFirstBranching && isSecondBranching
	case perhaps:
		g, isBranching := p.runBranching(r.parts[0], op, f)
		return "(" + f + sign + g + ")", isBranching
	case star:
		return repeated + f, isAnyRun(r)
	}
	return "", false
}

// fullyFair returns the property of runs that is equivalent to a formula under full fairness; nil
// if it finds none. On a fully fair run, whatever always remains possible happens infinitely often
// (Queille and Sifakis, Fairness and related properties in transition systems, Acta Informatica 19,
// 1983). fullyFair recognises the formulas that [actl.FullyFair] writes, responses, and [ true* ] <
// true* . A > true.
func (p *parser) fullyFair(f *state) property.Formula {
	steps := p.reachable(f)
	if len(steps) > 0 {
		return p.read("Inev(" + strings.Join(steps, ", ") + ")")
	}
	if f.op != boxOp {
		return nil
	}
	action := p.possible(f.parts[0])
	alwaysPossible := isAnyRun(f.run) && action != nil
	if !alwaysPossible {
		return p.read(p.response(f))
	}
	step := p.pattern(action)
	if step == "" {
		return nil
	}
	return p.read("G F " + step)
}

// possible returns A for < true* . A > true and the equivalent < (not A)* . A > true; nil for other
// formulas.
func (p *parser) possible(f *state) *temporal.Formula {
	if f.op != diamondOp || f.parts[0].op != trueOp || f.run.shape != sequence {
		return nil
	}
	start := f.run.parts[0]
	last := f.run.parts[1]
	if last.shape != single {
		return nil
	}
	if isAnyRun(start) || isWithout(start, last.action) {
		return last.action
	}
	return nil
}

// isWithout reports whether an expression is (not A)*.
func isWithout(r *regular, a *temporal.Formula) bool {
	return r.shape == star && r.parts[0].shape == single &&
		r.parts[0].action.Equal(temporal.Not(a))
}

// reachable returns the steps A, … for [ (not A)* ] (< (not A)* . A > true and [ A ] …); nil for other
// formulas.
func (p *parser) reachable(f *state) []string {
	if f.op != boxOp || f.run.shape != star {
		return nil
	}
	return p.remains(f.run, f.parts[0])
}

// remains returns the steps of the formula after [ (not A)* ]; nil if it has another form.
func (p *parser) remains(without *regular, f *state) []string {
	parts := []*state{f}
	if f.op == andOp {
		parts = f.parts
	}
	a := p.possible(parts[0])
	if a == nil || !isWithout(without, a) || len(parts) > 2 {
		return nil
	}
	return p.chain(a, parts[1:], p.reachable)
}

// response returns the pattern for [ true* . A . (not B)* ] (< (not B)* . B > true and …), where the
// last (not B)* may also be in a modality of its own; "" for other formulas.
func (p *parser) response(f *state) string {
	toRequest := f.run // true* . A
	var answers []string
	endsWithoutAnswer := f.run.shape == sequence && f.run.parts[1].shape == star
	if endsWithoutAnswer {
		answers = p.remains(f.run.parts[1], f.parts[0])
		toRequest = f.run.parts[0]
	} else {
		answers = p.reachable(f.parts[0])
	}
	if answers == nil || toRequest.shape != sequence {
		return ""
	}
	last := toRequest.parts[1]
	if !isAnyRun(toRequest.parts[0]) || last.shape != single {
		return ""
	}
	request := p.pattern(last.action)
	if request == "" {
		return ""
	}
	return "Response(" + request + "; " + strings.Join(answers, ", ") + ")"
}

// atom reads a pattern of labels.
func (p *parser) atom() *temporal.Formula {
	t := p.next()
	switch {
	case t.is("true"):
		p.take()
		return temporal.True()
	case t.is("false"):
		p.take()
		return temporal.False()
	case t.is("tau"):
		p.take()
		return p.matching(t, "{tau}")
	case t.is("delay", "yaled"):
		refuse(t, "an action formula without time")
	case p.isMCL && t.is("let", "if"), p.isMCL && t.kind == word && slices.Contains(unread, t.text):
		abort.On(t.refused("an action or a regular expression",
			t.text+" is not read among actions; write the cases as formulas with if"))
	}
	switch t.kind {
	case label:
		p.take()
		if strings.Contains(t.text, `\`) {
			refuseBackslash(t)
		}
		return p.matching(t, actl.Quoted(t.text))
	case pattern:
		p.take()
		return p.regularExpression(t)
	case offers:
		p.take()
		return p.gateWithOffers(t)
	case word, call:
		if slices.Contains(reserved, t.text) {
			p.unexpected("an action")
		}
		if p.isMCL {
			abort.On(t.refused(`an action of MCL, as in "`+t.text+`"`,
				"without quotes it is a macro, and none of this name is defined here"))
		}
		return p.multiAction(t, p.multiActionText())
	}
	p.unexpected(`an action: "LABEL", 'regular expression' or true in MCL, name or name(arguments) in mCRL2`)
	return nil
}

// regularExpression returns an atom that matches the same labels as a UNIX regular expression.
func (p *parser) regularExpression(t token) *temporal.Formula {
	source, err := fromBasic(t.text)
	if err != nil {
		refuse(t, "a UNIX regular expression: %v", err)
	}
	if !strings.ContainsAny(t.text, `.*[]\^$`) {
		return p.matching(t, actl.Quoted(t.text))
	}
	return p.matching(t, "/^"+strings.ReplaceAll(source, "/", `\/`)+"$/")
}

// gateWithOffers returns an atom that matches {GATE !1 …}, an action of MCL version 4 without data.
func (p *parser) gateWithOffers(t token) *temporal.Formula {
	words := strings.Fields(t.text)
	if len(words) == 0 {
		abort.On(t.refused("a gate and offers, as in {PUT !1 ?x:nat}",
			"{PUT ...} has any offers"))
	}
	last := len(words) - 1
	if words[last] != "..." {
		return p.matching(t, actl.Quoted(strings.Join(words, " ")))
	}
	begin := regexp.QuoteMeta(strings.Join(words[:last], " "))
	return p.matching(t, "/^"+begin+endOfAnyOffers)
}

// endOfAnyOffers ends the patterns of actions with any further offers.
const endOfAnyOffers = "([ ;].*)?$/"

// withAnyOffers returns {GATE !1 ...} in place of the pattern that this action was read as; other texts of patterns stay.
func withAnyOffers(pattern string) string {
	begin, isOpen := strings.CutSuffix(strings.TrimPrefix(pattern, "/^"), endOfAnyOffers)
	words := strings.ReplaceAll(begin, `\`, "")
	if !isOpen || regexp.QuoteMeta(words) != begin {
		return pattern
	}
	return "{" + words + " ...}"
}

// multiActionText reads an action or a multi-action of mCRL2.
func (p *parser) multiActionText() string {
	text := p.take().text
	for p.next().is("|") {
		next := p.tokens[p.pos+1]
		if next.kind != word && next.kind != call ||
			slices.Contains(reserved, next.text) {
			break
		}
		p.take()
		text += "|" + p.take().text
	}
	return text
}

// blanksAtBrackets are the blanks that labels of mCRL2 lack: behind an opening parenthesis, before a closing one or
// a comma, and between a name and its arguments.
var blanksAtBrackets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\()\s+|\s+([),])|(\w)\s+(\()`)
})

// multiAction returns an atom that matches an action or a multi-action of mCRL2.
func (p *parser) multiAction(t token, text string) *temporal.Formula {
	text = blanksAtBrackets().ReplaceAllString(text, "$1$2$3$4")
	if strings.HasSuffix(text, ")") && !strings.ContainsAny(text, `*?"{}|`) {
		return p.matching(t, "{"+text+"}") // blanks do not matter
	}
	return p.matching(t, actl.Quoted(text))
}

// matching returns an atom that matches the labels of a pattern of package actl.
func (p *parser) matching(t token, text string) *temporal.Formula {
	atom, after, err := actl.Text(text).Atom(p.ctx, 0)
	abort.On(p.ctx.Err())
	if err != nil || after != len(text) {
		refuse(t, "a label, or a smaller regular expression of labels")
	}
	return p.numbered(atom)
}

func (p *parser) numbered(atom actl.Pattern) *temporal.Formula {
	return temporal.Atom(p.atoms.Index(atom.String(), atom))
}

// folded returns an equivalent formula with fewer atoms: a disjunction of atoms becomes a set, and the
// two formulas that [actl.Formula.MCL] writes for a bare name become this name again.
func (p *parser) folded(ctx context.Context, a *temporal.Formula) *temporal.Formula {
	if a.Operator() == temporal.AtomOp {
		return a
	}
	var parts []*temporal.Formula
	for _, part := range a.Parts() {
		parts = append(parts, p.folded(ctx, part))
	}
	folded := a.With(parts)
	if a.Operator() != temporal.OrOp {
		return folded
	}
	members := p.membersOf(parts)
	if members == nil {
		return folded
	}
	text := members[0]
	if len(members) > 1 {
		text = "{" + strings.Join(members, ", ") + "}"
	}
	set, after, err := actl.Text(text).Atom(ctx, 0)
	if err != nil || after != len(text) {
		return folded
	}
	return p.numbered(set)
}

// membersOf returns the patterns whose set is the disjunction of some formulas; nil if another formula than
// atoms and bare names is among them.
func (p *parser) membersOf(parts []*temporal.Formula) (members []string) {
	for i := 0; i < len(parts); i++ {
		name := p.bareName(parts[i:])
		if name != "" {
			members = append(members, name)
			i++ // a bare name takes two formulas
			continue
		}
		if parts[i].Operator() != temporal.AtomOp {
			return nil
		}
		members = append(members, p.atoms.All[parts[i].Number()].String())
	}
	return members
}

// bareName returns the bare name for which [actl.Formula.MCL] writes the first two of these formulas;
// "" if there is none.
func (p *parser) bareName(parts []*temporal.Formula) string {
	if len(parts) < 2 {
		return ""
	}
	isAtomFirst := parts[0].Operator() == temporal.AtomOp
	isPairSecond := parts[1].Operator() == temporal.AndOp && len(parts[1].Parts()) == 2
	if !isAtomFirst || !isPairSecond {
		return ""
	}
	name := strings.Trim(p.atoms.All[parts[0].Number()].String(), `"`)
	quoted := regexp.QuoteMeta(name)
	withArguments := parts[1].Parts()[0]
	exception := parts[1].Parts()[1]
	if !p.isAtom(withArguments, "/^"+quoted+"[ (].*$/") || exception.Operator() != temporal.NotOp {
		return ""
	}
	multiActions := exception.Parts()[0]
	if !p.isAtom(multiActions, "/^"+quoted+"\\(.*\\)\\|.*$/") {
		return ""
	}
	bare, after, err := actl.Text(name).Atom(context.Background(), 0)
	if err != nil || after != len(name) || !bare.Matches(name+" !1") {
		return ""
	}
	return name
}

// isAtom reports whether a formula is an atom with this text.
func (p *parser) isAtom(f *temporal.Formula, text string) bool {
	return f.Operator() == temporal.AtomOp && p.atoms.All[f.Number()].String() == text
}

// fromBasic translates a basic regular expression of UNIX, which matches whole labels, into a regular
// expression of Go. It knows characters, ".", "[…]", "\(…\)", "\{m,n\}", "*", and "^" and "$" at the
// ends, where they are redundant.
func fromBasic(source string) (string, error) {
	t := &basicExpression{source: source}
	t.out.Grow(len(source) + 8)
	for t.pos < len(source) {
		var err error
		t.repeatable, err = t.element()
		if err != nil {
			return "", err
		}
	}
	if t.groups > 0 {
		return "", errors.New(`"\(" is not closed`)
	}
	return t.out.String(), nil
}

// basicExpression is a basic regular expression that is being translated.
type basicExpression struct {
	source     string
	pos        int
	out        strings.Builder
	groups     int  // the number of open groups
	repeatable bool // whether the last element may be repeated
}

// element translates the next element, and reports whether it may be repeated.
func (t *basicExpression) element() (repeatable bool, err error) {
	rest := t.source[t.pos:]
	c := rest[0]
	switch {
	case c == '^' && t.pos == 0, c == '$' && len(rest) == 1:
		t.pos++
		return false, nil
	case c == '*' && t.repeatable:
		t.write("*", 1)
		return false, nil
	case c == '.':
		t.write(".", 1)
	case c == '[':
		set, length, err := bracket(rest)
		if err != nil {
			return false, err
		}
		t.write(set, length)
	case strings.HasPrefix(rest, `\(`):
		t.groups++
		t.write("(?:", 2)
		return false, nil
	case strings.HasPrefix(rest, `\)`):
		t.groups--
		if t.groups < 0 {
			return false, errors.New(`"\)" closes nothing`)
		}
		t.write(")", 2)
	case strings.HasPrefix(rest, `\{`) && t.repeatable:
		times := repetition().FindString(rest)
		if times == "" {
			return false, errors.New(`"\{" is followed by numbers and "\}"`)
		}
		t.write(strings.ReplaceAll(times, `\`, ""), len(times))
		return false, nil
	case c == '\\':
		if len(rest) == 1 || rest[1] >= '0' && rest[1] <= '9' || rest[1] == '{' {
			return false, errors.New(`"\" stands before a sign that it makes a character`)
		}
		t.write(regexp.QuoteMeta(rest[1:2]), 2)
	default:
		t.write(regexp.QuoteMeta(rest[:1]), 1)
	}
	return true, nil
}

// write writes a translation, and moves past the characters that it translates.
func (t *basicExpression) write(translation string, length int) {
	t.out.WriteString(translation)
	t.pos += length
}

var repetition = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\\{[0-9]{1,3}(,[0-9]{0,3})?\\\}`)
})

// bracket returns the class of characters at the beginning of a text, and the length of the class.
// Within a class, "]" is an ordinary character if it comes first, and "\" always is.
func bracket(text string) (class string, length int, err error) {
	inside := text[1:]
	inside, negated := strings.CutPrefix(inside, "^")
	start := len(text) - len(inside)
	members, err := bracketMembers(inside)
	if err != nil {
		return "", 0, err
	}
	length = start + len(members) + len("]")
	if len(members) == 1 && !negated {
		return regexp.QuoteMeta(members), length, nil
	}
	var b strings.Builder
	b.WriteByte('[')
	if negated {
		b.WriteByte('^')
	}
	for i := range len(members) {
		isMinusAtEnd := members[i] == '-' && (i == 0 || i == len(members)-1)
		if isMinusAtEnd || strings.IndexByte(`\[]^&~`, members[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(members[i])
	}
	b.WriteByte(']')
	return b.String(), length, nil
}

// bracketMembers returns the characters up to the "]" that closes a class.
func bracketMembers(inside string) (string, error) {
	end := 0
	for end < len(inside) && (inside[end] != ']' || end == 0) {
		end++
	}
	if end >= len(inside) {
		return "", errors.New(`"[" is not closed`)
	}
	members := inside[:end]
	for _, opening := range []string{"[:", "[.", "[="} {
		if strings.Contains(members, opening) {
			return "", errors.New("classes by name are not read")
		}
	}
	return members, nil
}
