package modal

import (
	"context"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/internal/letters"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Formula is a property in MCL or in the mu-calculus of mCRL2. It comes from [Parse] and is
// immutable.
type Formula struct {
	text  string
	root  *node
	atoms letters.Atoms
}

// newFormula returns the property of a formula.
func newFormula(p *parser, root *state) (f *Formula, err error) {
	defer abort.Caught(&err)
	g := &grapher{bound: map[string]*node{}}
	n := g.of(root, false)
	g.settle(p.ctx)
	f = &Formula{text: p.written(), root: n}
	var atoms keyed.List[string, actl.Pattern]
	var visit func(*action) *action
	visit = func(a *action) *action {
		if a.op != atomOf {
			parts := make([]*action, len(a.parts))
			for i, b := range a.parts {
				parts[i] = visit(b)
			}
			return &action{op: a.op, parts: parts}
		}
		return &action{op: atomOf, atom: a.atom, number: atoms.Index(a.atom.String(), a.atom)}
	}
	for _, n := range g.nodes {
		if n.action != nil {
			n.action = visit(n.action.folded(p.ctx))
		}
	}
	f.atoms = atoms.All
	return f, p.ctx.Err()
}

// written returns the formula on one line, without comments and macros, in a form
// for which [Begins] returns true.
func (p *parser) written() string {
	var b strings.Builder
	for i, t := range p.tokens {
		if t.spaced && i > 0 && t.kind != end {
			b.WriteByte(' ')
		}
		text := t.written()
		if t.kind == call {
			text = strings.Join(strings.Fields(text), " ")
		}
		b.WriteString(text)
	}
	if text := b.String(); Begins(text) {
		return text
	}
	return "[ nil ] (" + b.String() + ")"
}

// Kind names the kind of property for people.
func (f *Formula) Kind() string { return "Modal mu-calculus" }

// String returns the formula on one line, without comments and with macros
// replaced. [Parse] reads it back to an equal formula.
func (f *Formula) String() string { return f.text }

// Atoms returns the patterns of labels in the formula, each once, in an
// unspecified order. The slice must not be changed.
func (f *Formula) Atoms() []actl.Pattern { return f.atoms }

// Bind returns the property that f denotes for a model with alphabet a, a chain
// if [product.AsChain] finds that it is one, and a warning for each pattern that
// matches none of its labels. It fails if the automaton would become too large,
// and if ctx is done. Cost: exponential in the size of the formula at worst,
// linear for formulas that people write.
func (f *Formula) Bind(ctx context.Context, a *lts.Alphabet) (*property.Property, []string, error) {
	return letters.Bind(ctx, f.atoms, a, f.bind)
}

func (f *Formula) bind(ctx context.Context, a *lts.Alphabet, atoms []property.Step) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	of, held, err := letters.Of(ctx, atoms, a, letters.Most)
	abort.On(err)
	t := determine(ctx, f.root, held)
	t.Letters, t.Kind, t.Name = of, property.KindMuCalculus, f.text
	p := abort.Must(property.Table(a, t.FromBeginning(a)))
	return product.AsChain(ctx, p, atoms)
}

// BindLetters returns the property that f denotes for actions with any labels, as
// [actl.Formula.BindLetters] does.
func (f *Formula) BindLetters(ctx context.Context) (*property.Property, *actl.Letters, error) {
	return letters.BindAny(ctx, f.atoms, f.bind)
}

// Unmatched returns nil if all patterns of f have labels in a, as
// [actl.Formula.Unmatched] does.
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return f.atoms.Unmatched(ctx, a)
}
