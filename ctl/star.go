package ctl

import (
	"context"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// isAboutRun reports whether f is about a run, not about a state.
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

// of returns the formula that some or all runs satisfy f, in computation tree logic if possible.
// A[X f] demands a next state, as X does on a run, but AX f does not.
func (q Quantifier) of(f *Formula) *Formula {
	simple := f.path == OnRun && !f.right.isAboutRun() && (f.left == nil || !f.left.isAboutRun())
	if simple && !(f.op == Next && q == All) {
		of := *f
		of.path = q
		return &of
	}
	return &Formula{op: Quantified, path: q, right: f}
}

// ofStates makes the parser read formulas about states only, until the returned function is called.
func (p *parser) ofStates() func() {
	before := p.runs
	p.runs = false
	return func() { p.runs = before }
}

// closeRuns reads the closing bracket of E[ or A[, and restores whether formulas about runs are
// allowed.
func (p *parser) closeRuns(before bool, bracket token, closer kind) {
	p.runs = before
	p.close(bracket, closer)
}

// onRun reads an operator about a run, and its right operand.
func (p *parser) onRun(depth int, left *Formula) *Formula {
	f := &Formula{op: p.next.op, path: OnRun, left: left}
	p.advance()
	f.right = p.implies(depth)
	return f
}

// runPrefix reads the operand of F, G or X on a run.
func (p *parser) runPrefix(depth int, word string) *Formula {
	if depth == maxDepth {
		abort.On(actl.Text(p.text).TooDeep(p.next.at, maxDepth))
	}
	right := p.single(depth + 1)
	switch word {
	case "F":
		return &Formula{op: Until, path: OnRun, left: constantTrue, right: right}
	case "G":
		return &Formula{op: Release, path: OnRun, left: constantFalse, right: right}
	}
	return &Formula{op: Next, path: OnRun, right: right}
}

// taken reads {a}.
func (p *parser) taken() *Formula {
	f := &Formula{op: Taken, labels: p.labels('{')}
	p.advance()
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
func (f *Formula) BindTaken(ctx context.Context, a *lts.Alphabet) (means []bool, warnings []string, err error) {
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

// Replaced returns f with each Quantified subformula, inner ones first, replaced by the
// predicate that the function with returns for the subformula: a formula of computation tree
// logic. The arguments of with are the quantifier, and the formula about a run, whose own
// subformulas are replaced already. Cost O(length of f), and that of with.
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

// WriteRun writes a formula about a run as one of linear temporal logic; the function of returns
// the texts for its maximal subformulas about states, and for {a}. ended is an atom that holds
// once a run has ended, after its last state: so X can demand a next state. Cost O(length of f).
func (f *Formula) WriteRun(ended string, of func(part *Formula) string) string {
	if !f.isAboutRun() || f.op == Taken {
		return of(f)
	}
	switch f.op {
	case Not:
		return "!" + f.right.WriteRun(ended, of)
	case And:
		return "(" + f.left.WriteRun(ended, of) + " && " + f.right.WriteRun(ended, of) + ")"
	case Or:
		return "(" + f.left.WriteRun(ended, of) + " || " + f.right.WriteRun(ended, of) + ")"
	case Implies:
		return "(" + f.left.WriteRun(ended, of) + " -> " + f.right.WriteRun(ended, of) + ")"
	case Next:
		return "X (!" + ended + " && " + f.right.WriteRun(ended, of) + ")"
	}
	return "(" + f.left.WriteRun(ended, of) + infixes[f.op] + f.right.WriteRun(ended, of) + ")"
}
