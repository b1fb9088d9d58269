package ltl

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula/internal/letters"
	"github.com/inev-lts/inev/formula/temporal"
	"github.com/inev-lts/inev/internal/written"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/values"
)

// Formula is a property in linear temporal logic. It comes from [Parse] and is
// immutable.
type Formula struct {
	root  *temporal.Formula
	atoms letters.Atoms // the pattern of atom i of root, each pattern once
	// written is the text of the formula, "" if there is none.
	written string
}

// New returns the formula over numbered atoms. written is its text in another
// syntax, which [Formula.Written] returns.
func New(root *temporal.Formula, atoms []actl.Pattern, written string) *Formula {
	return &Formula{root: root, atoms: slices.Clone(atoms), written: written}
}

// Written returns the formula as it was written, on one line, for example in the
// notation of TLA+. It is "" if the formula was not read from a text, or differs
// from it only in blanks. Cost O(length of the text).
func (f *Formula) Written() string {
	bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
	if bare(f.written) == bare(f.String()) {
		return ""
	}
	return f.written
}

// Atoms returns the patterns of the formula, each once, in the order of their
// first occurrences. The caller owns the slice.
func (f *Formula) Atoms() []actl.Pattern { return slices.Clone(f.atoms) }

// Temporal returns the formula over the numbers of its atoms.
func (f *Formula) Temporal() *temporal.Formula { return f.root }

// String returns the formula with no more parentheses and blanks than necessary.
// [Parse] reads it back to a formula equal to f. Cost O(length of the text).
func (f *Formula) String() string { return f.root.Text(f.names()) }

// Text is [Formula.String] for a formula that may be much longer than its origin,
// such as that of a pattern, see [Of]. The error is that of ctx, or an
// [*written.Error].
func (f *Formula) Text(ctx context.Context) (string, error) {
	m := written.New(ctx, "LTL")
	text := f.root.TextWithin(f.names(), m.Spend)
	if err := m.Err(text); err != nil {
		return "", err
	}
	return text, nil
}

// names returns the texts of the atoms in the formula.
func (f *Formula) names() []string {
	names := make([]string, len(f.atoms))
	for i, atom := range f.atoms {
		names[i] = asAtom(atom)
	}
	return names
}

// asAtom returns the text of a pattern in a formula: in braces if it would
// otherwise mean something else.
func asAtom(p actl.Pattern) string {
	text := p.String()
	if _, reserved := words[text]; !reserved && !actl.Text(text).Begins() {
		back, end, err := actl.Text(text).Atom(context.Background(), 0)
		if err == nil && end == len(text) && back.String() == text {
			return text
		}
	}
	return "{" + text + "}"
}

// Len returns the approximate number of states of the property: one for each
// temporal operator, and one more. Cost O(length of the text).
func (f *Formula) Len() int {
	var count func(*temporal.Formula) int
	count = func(f *temporal.Formula) (n int) {
		if f.Operator() >= temporal.NextOp {
			n = 1
		}
		for _, p := range f.Parts() {
			n += count(p)
		}
		return n
	}
	return 1 + count(f.root)
}

// Kind names the kind of property for people.
func (f *Formula) Kind() string { return "Linear temporal logic" }

// IsChain reports whether the formula is written as inevitability, see
// [temporal.Formula.IsChain].
func (f *Formula) IsChain() bool { return f.root.IsChain() && len(f.StateAtoms()) == 0 }

// StateAtoms returns the atoms about values of states in the formula, as
// [actl.Formula.StateAtoms] does.
func (f *Formula) StateAtoms() []*values.Atom { return actl.StateAtoms(f.atoms) }

// Equal reports whether f and g are the same syntactically, up to blanks and
// parentheses that do not matter. Cost O(length of the text).
func (f *Formula) Equal(g *Formula) bool {
	return f.root.Equal(g.root) && slices.Equal(f.names(), g.names())
}

// BudgetError is the error of a formula whose automaton would become too large.
type BudgetError = temporal.BudgetError

// Bind returns the property that f denotes for a model with alphabet a, and a
// warning for each atom that matches none of its labels, which names the closest
// labels. It fails with a [*BudgetError] if the automaton would become too large,
// and if ctx is done. Cost as for [temporal.Bind] and [actl.BindAtoms].
func (f *Formula) Bind(ctx context.Context, a *lts.Alphabet) (*property.Property, []string, error) {
	return letters.Bind(ctx, f.atoms, a, f.bind)
}

func (f *Formula) bind(ctx context.Context, a *lts.Alphabet, atoms []property.Step) (*property.Property, error) {
	return temporal.Bind(ctx, a, f.root, atoms, property.KindLTL, f.String())
}

// BindLetters returns the property that f denotes for actions with any labels, as
// [actl.Formula.BindLetters] does.
func (f *Formula) BindLetters(ctx context.Context) (*property.Property, *actl.Letters, error) {
	return letters.BindAny(ctx, f.atoms, f.bind)
}

// Unmatched returns nil if all atoms of f have labels in a, and otherwise an
// *[actl.UnmatchedError] that names the first atom without labels, with the
// closest labels. Once ctx is done, the error is that of ctx. Cost as for
// [actl.Formula.Unmatched].
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return f.atoms.Unmatched(ctx, a)
}
