package modal

import (
	"errors"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/property"
)

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
