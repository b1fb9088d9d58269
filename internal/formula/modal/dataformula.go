package modal

import (
	"context"
	"errors"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// DataFormula is a property with data. [DataFormula.Bind] expands it for the labels of a model. It
// comes from [Parse] and is immutable.
type DataFormula struct {
	p    *parser
	root *state
	text string
}

// dataFormula returns the property of a formula with data, if the formula is a property of all runs by
// its form.
func (p *parser) dataFormula(root *state) (f property.Formula, err error) {
	defer abort.Caught(&err)
	form := p.clone()
	plain := form.withoutData(root).orTrue(root)
	_, err = newFormula(form, plain)
	if err == nil {
		return &DataFormula{
			p:    p,
			root: root,
			text: p.declaring(p.written()),
		}, nil
	}
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) {
		return nil, err
	}
	simple := *syntax
	plainNegation := &state{op: notOp, at: root.at, parts: []*state{plain}}
	_, errOfNegation := newFormula(form, plainNegation)
	if errOfNegation == nil {
		simple.Expected = ofAllRuns + ", as its negation is"
		simple.Hint = "inev check and inev ctl answer the formula"
		return nil, &OtherwiseError{SyntaxError: &simple, dual: p.negationOf(root)}
	}
	if _, graphError := form.graph(plain, p.textOf(root)); graphError != nil {
		return nil, graphError
	}
	simple.Expected = ofAllRuns
	simple.Hint = "ask inev ctl"
	return nil, &OtherwiseError{SyntaxError: &simple, branching: p.written()}
}

// negationOf returns the negation of the whole formula.
func (p *parser) negationOf(root *state) *DataFormula {
	not := "!"
	if p.isMCL {
		not = "not "
	}
	return &DataFormula{
		p: p,
		root: &state{
			op:    notOp,
			at:    root.at,
			parts: []*state{root},
			first: root.first,
			last:  root.last,
		},
		text: p.declaring(not + "(" + p.written() + ")"),
	}
}

// declaring returns the text of a formula after the declarations of the types that it uses.
func (p *parser) declaring(text string) string {
	declared := p.lookup.text()
	if declared == "" || !p.hasData {
		return text
	}
	return declared + "form " + text
}

// clone returns a parser with atoms of its own.
func (p *parser) clone() *parser {
	q := *p
	q.atoms = &intern.List[string, actl.Pattern]{}
	for _, pattern := range p.atoms.All {
		q.atoms.Index(pattern.String(), pattern)
	}
	return &q
}

// HasParameters reports whether the formula has a fixpoint with parameters.
func (f *DataFormula) HasParameters() bool { return f.root.hasParameters() }

// Kind names the kind of property for people.
func (f *DataFormula) Kind() string { return "Modal mu-calculus with data" }

// String returns the formula on one line, without comments and with macros replaced.
func (f *DataFormula) String() string { return f.text }

// Atoms returns the patterns of labels in the formula. An action with data is given by its name.
func (f *DataFormula) Atoms() []actl.Pattern { return f.p.namedPatterns() }

// Note says how many values and instances f expands to for a model with alphabet a. Errors and cost are
// as for Bind.
func (f *DataFormula) Note(ctx context.Context, a *lts.Alphabet) (string, error) {
	_, _, note, err := f.writtenOut(ctx, a)
	return note, err
}

// writtenOut expands the formula for all models with an alphabet. If there is no finite expansion
// because of fixpoints with parameters, the error names another way to answer the formula.
func (f *DataFormula) writtenOut(
	ctx context.Context,
	a *lts.Alphabet,
) (q *parser, root *state, note string, err error) {
	q, root, note, err = f.p.writtenOut(ctx, f.root, a, nil)
	var syntax *actl.SyntaxError
	if errors.As(err, &syntax) && f.root.hasParameters() {
		other := *syntax
		other.Hint = strings.TrimPrefix(other.Hint+"; inev ctl can check it: it needs only values that occur on runs of the model", "; ")
		err = &other
	}
	return q, root, note, err
}

// Bind returns the property that f denotes for a model with alphabet a, as [Formula.Bind] does. It
// fails if the data cannot be expanded to a finite formula. Cost O(size of the expanded formula ·
// labels), and the cost of [Formula.Bind].
func (f *DataFormula) Bind(
	ctx context.Context,
	a *lts.Alphabet,
) (_ *property.Property, _ []string, err error) {
	defer abort.Caught(&err)
	q, root, _, err := f.writtenOut(ctx, a)
	if err != nil {
		return nil, nil, err
	}
	if !q.hasInstances {
		root = q.simplified(root)
	}
	formula, err := newFormula(q, root)
	var syntax *actl.SyntaxError
	if errors.As(err, &syntax) {
		other := *syntax
		other.Expected = ofAllRuns
		other.Hint = "ask inev ctl"
		return nil, nil, &other
	}
	if err != nil {
		return nil, nil, err
	}
	formula.text = f.text
	return formula.Bind(ctx, a)
}

// Unmatched returns nil if all names of actions and patterns of f have labels in a, as
// [actl.Formula.Unmatched] does.
func (f *DataFormula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return f.p.unmatched(ctx, a)
}
