package modal

import (
	"context"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/property"
)

// operator is what a [state] is at its top.
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
)

// state is a formula about states.
type state struct {
	op    operator
	at    token // the operator, or the variable
	parts []*state
	run   *regular // what a modality is about
	name  string   // of a variable
}

// shape is what a [regular] is at its top.
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
	action *action
	parts  []*regular
}

// maxDepth bounds how deep formulas nest.
const maxDepth = 500

// parser reads tokens.
type parser struct {
	ctx    context.Context
	tokens []token
	pos    int
	depth  int
	copied int // expressions that stand for others, repeated
	// isMCL is set if there are quotes or operators of MCL, where an action is no bare name.
	isMCL bool
	// bound are the variables of the fixpoints around, the inner ones last.
	bound []string
}

// Parse returns the property that text stands for: an [*actl.Formula] if it has the form of
// one, see the package comment, and else a [*Formula]. The error is an [*actl.SyntaxError],
// an [*OtherwiseError] if another property answers it, or ctx.Err() once ctx is done. Cost
// O(length of the text once macros are replaced).
func Parse(ctx context.Context, text string) (property.Formula, error) {
	ctx, err := actl.Bounded(ctx, text)
	if err != nil {
		return nil, err
	}
	l := &lexer{ctx: ctx, source: &source{text: text}}
	tokens, err := l.tokens()
	if err != nil {
		return nil, err
	}
	p := &parser{ctx: ctx, tokens: tokens}
	for i, t := range tokens {
		tokens[i].number = i
		p.isMCL = p.isMCL || t.kind == label || t.kind == pattern || t.kind == offers || t.is("and", "or", "not", "implies")
	}
	root, err := p.implies()
	if err != nil {
		return nil, err
	}
	if p.next().kind != end {
		return nil, p.unexpected("an operator or the end of the formula")
	}
	if f := p.known(root); f != nil {
		return f, nil
	}
	made, err := newFormula(p, root)
	if err != nil {
		return nil, p.otherwise(root, err)
	}
	return made, nil
}

func (p *parser) next() token { return p.tokens[p.pos] }

func (p *parser) take() token {
	t := p.tokens[p.pos]
	if t.kind != end {
		p.pos++
	}
	return t
}

// skip takes the next token if it is one of these.
func (p *parser) skip(texts ...string) (token, bool) {
	if p.next().is(texts...) {
		return p.take(), true
	}
	return token{}, false
}

func (p *parser) unexpected(expected string) error {
	err := p.next().in.unexpected(p.next().at, expected)
	if t := p.next(); t.kind != end {
		err.Found = `"` + t.written() + `"`
	}
	return err
}

func (p *parser) want(text string) error {
	if _, is := p.skip(text); !is {
		return p.unexpected(`"` + text + `"`)
	}
	return nil
}

// deeper counts how deep the formula nests.
func (p *parser) deeper() error {
	if p.depth++; p.depth > maxDepth {
		return refuse(p.next(), "a formula that nests at most %d deep", maxDepth)
	}
	return p.ctx.Err()
}

func (p *parser) implies() (*state, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	f, err := p.or()
	if err != nil {
		return nil, err
	}
	if t, is := p.skip("implies", "=>"); is {
		g, err := p.implies()
		if err != nil {
			return nil, err
		}
		return &state{op: orOp, at: t, parts: []*state{{op: notOp, at: t, parts: []*state{f}}, g}}, nil
	}
	if p.next().is("equ", "xor", "<=>") {
		return nil, refuse(p.next(), "a formula without equivalences; write both implications")
	}
	return f, nil
}

func (p *parser) or() (*state, error) { return p.several(orOp, p.and, "or", "||") }

func (p *parser) and() (*state, error) { return p.several(andOp, p.unary, "and", "&&") }

// several reads operands with an operator between them.
func (p *parser) several(op operator, operand func() (*state, error), signs ...string) (*state, error) {
	f, err := operand()
	if err != nil || !p.next().is(signs...) {
		return f, err
	}
	all := &state{op: op, at: p.next(), parts: []*state{f}}
	for p.next().is(signs...) {
		p.take()
		g, err := operand()
		if err != nil {
			return nil, err
		}
		all.parts = append(all.parts, g)
	}
	return all, nil
}

func (p *parser) unary() (*state, error) {
	if err := p.deeper(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t, is := p.skip("true", "false", "not", "!", "(", "[", "<", "mu", "nu")
	if !is {
		return p.variable(p.next())
	}
	switch {
	case t.is("true"):
		return &state{op: trueOp, at: t}, nil
	case t.is("false"):
		return &state{op: falseOp, at: t}, nil
	case t.is("not", "!"):
		f, err := p.unary()
		return &state{op: notOp, at: t, parts: []*state{f}}, err
	case t.is("("):
		f, err := p.implies()
		if err != nil {
			return nil, err
		}
		return f, p.want(")")
	case t.is("[", "<"):
		return p.modality(t)
	}
	return p.fixpoint(t)
}

// modality reads what follows [ or <.
func (p *parser) modality(open token) (*state, error) {
	if p.next().is("[", "<") {
		return nil, refuse(p.next(), "a regular expression of actions; weak modalities are not read")
	}
	r, err := p.choice()
	if err != nil {
		return nil, err
	}
	op, closing := boxOp, "]"
	if open.is("<") {
		op, closing = diamondOp, ">"
	}
	if err := p.want(closing); err != nil {
		return nil, err
	}
	if t, is := p.skip("@", "-|"); is {
		return repeatedForEver(op, open, t, r)
	}
	f, err := p.unary()
	return &state{op: op, at: open, run: r, parts: []*state{f}}, err
}

// forEver is the variable of the fixpoints that [ R ] -| and < R > @ are.
const forEver = "-|"

// repeatedForEver returns the formula that no run repeats R for ever, [ R ] -|, or that some run does,
// < R > @: mu X . [ R ] X and nu X . < R > X.
func repeatedForEver(op operator, open, t token, r *regular) (*state, error) {
	kind := muOp
	switch {
	case op == boxOp && t.is("@"):
		return nil, refuse(t, "[ R ] -|, that no run repeats R for ever, or < R > @, that some run does")
	case op == diamondOp && t.is("-|"):
		return nil, refuse(t, "< R > @, that some run repeats R for ever, or [ R ] -|, that none does")
	case op == diamondOp:
		kind = nuOp
	}
	body := &state{op: op, at: open, run: r, parts: []*state{{op: variableOp, at: t, name: forEver}}}
	return &state{op: kind, at: t, name: forEver, parts: []*state{body}}, nil
}

// fixpoint reads what follows mu or nu. In mCRL2 it goes on as far as it can. In MCL it is as
// long as a modality would be, so the longer reading is refused where it makes a difference.
func (p *parser) fixpoint(t token) (*state, error) {
	name := p.next()
	if name.kind == call {
		return nil, refuse(name, "a fixpoint variable without data")
	}
	if name.kind != word {
		return nil, p.unexpected("a fixpoint variable")
	}
	p.take()
	if err := p.want("."); err != nil {
		return nil, err
	}
	p.bound = append(p.bound, name.text)
	defer func() { p.bound = p.bound[:len(p.bound)-1] }()
	body := p.implies
	if p.isMCL {
		body = p.unary
	}
	f, err := body()
	op := muOp
	if t.is("nu") {
		op = nuOp
	}
	if err == nil && p.isMCL && p.next().is("and", "or", "implies") {
		err = refuse(p.next(), "parentheses around the fixpoint %s %s, or around all that belongs to it", t.text, name.text)
	}
	return &state{op: op, at: t, name: name.text, parts: []*state{f}}, err
}

// variable reads a fixpoint variable, which is all that a name can be here.
func (p *parser) variable(t token) (*state, error) {
	if t.kind == word {
		for i := len(p.bound) - 1; i >= 0; i-- {
			if p.bound[i] == t.text {
				p.take()
				return &state{op: variableOp, at: t, name: t.text}, nil
			}
		}
	}
	name, _, _ := strings.Cut(t.text, "(")
	switch {
	case t.is("forall", "exists", "val", "delay", "yaled", "let", "if"):
		return nil, refuse(t, "a formula without data and time")
	case t.kind == call || t.kind == word:
		return nil, refuse(t, "a formula; %s is a macro or variable that is not defined here", strings.TrimSpace(name))
	}
	return nil, p.unexpected("a formula: true, false, not, [ … ], < true > true, mu, nu, or parentheses")
}
