package modal

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/property"
)

// OtherwiseError says that a formula is no property of all runs, and which property answers it all
// the same.
type OtherwiseError struct {
	*actl.SyntaxError
	fair, dual property.Formula
	branching  string
}

// Unwrap returns the syntax error, which has the place in the text.
func (e *OtherwiseError) Unwrap() error { return e.SyntaxError }

// WhenFullyFair returns a property of runs; nil if there is none. The formula holds of a finite model
// if and only if all fully fair runs satisfy that property.
func (e *OtherwiseError) WhenFullyFair() property.Formula { return e.fair }

// Dual returns, of < R > true, the property that R matches no run, [ R ] false, and of < R > @ the
// property [ R ] -|; nil of other formulas. The formula holds if and only if that is violated, and a run
// that violates it is one that R matches, or that repeats R for ever.
func (e *OtherwiseError) Dual() property.Formula { return e.dual }

// Branching returns the formula as one of computation tree logic; "" if it is none, or another property
// answers it.
func (e *OtherwiseError) Branching() string { return e.branching }

// At returns the error with its place in a file.
func (e *OtherwiseError) At(place *actl.SyntaxError) error {
	return &OtherwiseError{place, e.fair, e.dual, e.branching}
}

// otherwise adds to the error of a formula what answers it.
func (p *parser) otherwise(root *state, err error) error {
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	if f := p.fullyFair(root); f != nil {
		made := *syntax
		made.Expected = "what holds of all runs; this is " + f.String() + " on runs that are fully fair: give that property, and full fairness"
		return &OtherwiseError{SyntaxError: &made, fair: f}
	}
	if none, tokens := p.dual(root); none != nil {
		written := &parser{ctx: p.ctx, tokens: tokens}
		if f := written.known(none); f != nil {
			return &OtherwiseError{SyntaxError: syntax, dual: f}
		}
		if f, err := newFormula(written, none); err == nil {
			return &OtherwiseError{SyntaxError: syntax, dual: f}
		}
	}
	if text, is := root.branching(); is {
		return &OtherwiseError{SyntaxError: syntax, branching: text}
	}
	return err
}

// dual returns [ R ] false for < R > true, and [ R ] -| for < R > @, with its tokens; nil for others.
func (p *parser) dual(root *state) (*state, []token) {
	tokens := slices.Clone(p.tokens)
	open, last, none := root.at, root.at, &state{op: falseOp}
	switch {
	case root.op == diamondOp && root.parts[0].op == trueOp:
		last = root.parts[0].at
		tokens[last.number].text = "false"
		none = &state{op: boxOp, at: open, run: root.run, parts: []*state{{op: falseOp, at: last}}}
	case root.op == nuOp && root.name == forEver:
		open = root.parts[0].at
		tokens[last.number].text = "-|"
		body := &state{op: boxOp, at: open, run: root.parts[0].run, parts: root.parts[0].parts}
		none = &state{op: muOp, at: last, name: forEver, parts: []*state{body}}
	default:
		return nil, nil
	}
	tokens[open.number].text = "["
	for i := last.number - 1; ; i-- {
		if tokens[i].is(">") {
			tokens[i].text = "]"
			return none, tokens
		}
	}
}

// longestBranching bounds formulas of computation tree logic that are proposed.
const longestBranching = 300

// branching returns a formula as one of computation tree logic; false if it has fixpoints, or
// expressions that take more.
func (f *state) branching() (string, bool) {
	signs := map[operator]string{andOp: " && ", orOp: " || "}
	switch f.op {
	case trueOp:
		return "true", true
	case falseOp:
		return "false", true
	case notOp:
		text, is := f.parts[0].branching()
		return "!" + text, is
	case andOp, orOp:
		var texts []string
		for _, part := range f.parts {
			text, is := part.branching()
			if !is {
				return "", false
			}
			texts = append(texts, text)
		}
		return "(" + strings.Join(texts, signs[f.op]) + ")", true
	case boxOp, diamondOp:
		text, is := f.parts[0].branching()
		if !is {
			return "", false
		}
		return f.run.branching(f.op, text)
	}
	return "", false
}

// branching returns [ R ] f or < R > f in computation tree logic, where f is one of its formulas.
func (r *regular) branching(op operator, f string) (string, bool) {
	if len(f) > longestBranching {
		return "", false
	}
	repeated := "AG "
	sign, bracket := " && ", byte('[')
	if op == diamondOp {
		repeated, sign, bracket = "EF ", " || ", '<'
	}
	switch r.shape {
	case single:
		if r.action.isAnything() {
			return map[operator]string{boxOp: "AX ", diamondOp: "EX "}[op] + f, true
		}
		if a := r.action.folded(context.Background()); a.op == atomOf {
			return a.atom.Within(bracket) + " " + f, true
		}
	case nothing:
		return f, true
	case sequence:
		g, is := r.parts[1].branching(op, f)
		if !is {
			return "", false
		}
		return r.parts[0].branching(op, g)
	case choice:
		g, is := r.parts[0].branching(op, f)
		h, isToo := r.parts[1].branching(op, f)
		return "(" + g + sign + h + ")", is && isToo
	case perhaps:
		g, is := r.parts[0].branching(op, f)
		return "(" + f + sign + g + ")", is
	case star:
		return repeated + f, isAnyRun(r)
	}
	return "", false
}

// fullyFair returns the property that a formula is on the runs that are fully fair: such a run takes
// every transition that is possible again and again, so that it does what can always be done
// (Queille and Sifakis, Fairness and related properties in transition systems, Acta Informatica 19,
// 1983). These are what [actl.FullyFair] writes, response, and [ true* ] < true* . A > true.
func (p *parser) fullyFair(f *state) property.Formula {
	var text string
	switch steps := p.reachable(f); {
	case len(steps) > 0:
		text = "Inev(" + strings.Join(steps, ", ") + ")"
	case f.op != boxOp:
		return nil
	case isAnyRun(f.run) && p.possible(f.parts[0]) != nil:
		step := p.pattern(p.possible(f.parts[0]))
		known, err := ltl.Parse(p.ctx, "G F "+step)
		if step == "" || err != nil {
			return nil
		}
		return known
	default:
		text = p.response(f)
	}
	if text == "" {
		return nil
	}
	known, err := actl.Parse(p.ctx, text)
	if err != nil {
		return nil
	}
	return known
}

// possible returns A of < true* . A > true and < (not A)* . A > true, which say the same.
func (p *parser) possible(f *state) *action {
	if f.op != diamondOp || f.parts[0].op != trueOp || f.run.shape != sequence {
		return nil
	}
	before, last := f.run.parts[0], f.run.parts[1]
	if last.shape != single || !isAnyRun(before) && !isWithout(before, last.action) {
		return nil
	}
	return last.action
}

// isWithout reports whether an expression is (not A)*.
func isWithout(r *regular, a *action) bool {
	return r.shape == star && r.parts[0].shape == single && r.parts[0].action.op == noneOf && r.parts[0].action.parts[0].equal(a)
}

// reachable returns the steps of [ (not A)* ] (< (not A)* . A > true and [ A ] …).
func (p *parser) reachable(f *state) []string {
	if f.op != boxOp || f.run.shape != star {
		return nil
	}
	return p.remains(f.run, f.parts[0])
}

// remains returns the steps of what stands behind [ (not A)* ].
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

// response returns the pattern of [ true* . A . (not B)* ] (< (not B)* . B > true and …). The
// last (not B)* may also stand in brackets of its own.
func (p *parser) response(f *state) string {
	run := f.run
	var steps []string
	if run.shape == sequence && run.parts[1].shape == star {
		steps = p.remains(run.parts[1], f.parts[0])
		run = run.parts[0]
	} else {
		steps = p.reachable(f.parts[0])
	}
	if steps == nil || run.shape != sequence || !isAnyRun(run.parts[0]) || run.parts[1].shape != single {
		return ""
	}
	asked := p.pattern(run.parts[1].action)
	if asked == "" {
		return ""
	}
	return "Response(" + asked + "; " + strings.Join(steps, ", ") + ")"
}
