package ltl

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/letters"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/property/role"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Formula is a property in linear temporal logic. It comes from [Parse] and is
// immutable.
type Formula struct {
	root  *temporal.Formula
	atoms letters.Atoms // the pattern of atom i of root, each pattern once
	// written is the text of the formula, "" if there is none.
	written string
	// assumed are the texts of the conditions that imply the rest of the formula.
	assumed []string
	// note says how a formula is read that may have been meant in another way, "" for the others.
	note string
}

// Note says how the formula is read if it looks as if another one was meant, such as G a -> F b, in
// which G a alone is the premise; else it is "". The arguments are not used, and there is no error.
func (f *Formula) Note(context.Context, *lts.Alphabet) (string, error) { return f.note, nil }

// New returns the formula over numbered atoms. [Formula.Written] returns written, the text of the
// formula in another syntax.
func New(root *temporal.Formula, atoms []actl.Pattern, written string) *Formula {
	return &Formula{root: root, atoms: slices.Clone(atoms), written: written}
}

// Assuming returns the formula with the texts of the conditions that it assumes: of its form "conditions
// imply property", where [Formula.Written] is the property alone.
func (f *Formula) Assuming(conditions []string) *Formula {
	assuming := *f
	assuming.assumed = slices.Clone(conditions)
	return &assuming
}

// Assumed returns the conditions that were given to [Formula.Assuming]. The caller owns the slice.
func (f *Formula) Assumed() []string { return slices.Clone(f.assumed) }

// Written returns the formula as it was written, on one line, for example in the notation of TLA+. It
// returns "" if the formula was not read from a text, or if the text differs from [Formula.String] only
// in blanks. Cost O(length of the text).
func (f *Formula) Written() string {
	bare := func(text string) string {
		return strings.Join(strings.Fields(text), "")
	}
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

// Text is [Formula.String] for a formula that may be much longer than its origin, such as the result of
// [Of] for a pattern. The error is ctx.Err(), or a [*written.Error].
func (f *Formula) Text(ctx context.Context) (string, error) {
	m := textlimit.New(ctx, "LTL")
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

// asAtom returns the text of a pattern as an atom of a formula. It adds braces if the text alone would
// mean something else.
func asAtom(p actl.Pattern) string {
	text := p.String()
	if _, ok := words[text]; !ok && !actl.Text(text).Begins() {
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
		if hasTemporalOperator(f) {
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

// Bind returns the property that f denotes for a model with alphabet a. It also returns a warning for
// each atom that matches no label of a; the warning names the closest labels. Bind fails with a
// [*BudgetError] if the automaton would become too large, or if ctx is done. Cost as for
// [temporal.Bind] and [actl.BindAtoms].
func (f *Formula) Bind(
	ctx context.Context,
	a *lts.Alphabet,
) (*property.Property, []string, error) {
	return letters.Bind(ctx, f.atoms, a, f.bind)
}

func (f *Formula) bind(
	ctx context.Context,
	a *lts.Alphabet,
	atoms []property.Step,
) (*property.Property, error) {
	return temporal.Bind(ctx, a, f.root, atoms, property.KindLTL, f.String())
}

// BindLetters returns the property that f denotes for actions with any labels, as
// [actl.Formula.BindLetters] does.
func (f *Formula) BindLetters(ctx context.Context) (*property.Property, *actl.Letters, error) {
	return letters.BindAny(ctx, f.atoms, f.bind)
}

// Unmatched returns nil if all atoms of f have labels in a. Otherwise it returns an
// *[actl.UnmatchedError] that names the first atom without labels, and the closest labels. Once ctx is
// done, the error is ctx.Err(). Cost as for [actl.Formula.Unmatched].
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return f.atoms.Unmatched(ctx, a)
}

// Conjuncts returns the conjuncts of f, in order: a run satisfies f iff it
// satisfies all of them. G and X are distributed over conjunctions, so that G (a
// && b) is G a and G b, and negations over disjunctions and implications. The
// result is f alone if it is no conjunction, or an invariant in another notation, whose conjuncts have
// no text in that notation. Cost O(size of f) for each conjunct.
func (f *Formula) Conjuncts() []property.Formula {
	parts := conjuncts(f.root)
	isWhole := f.IsInvariant() && f.Written() != ""
	if len(parts) == 1 || isWhole {
		return []property.Formula{f}
	}
	all := make([]property.Formula, len(parts))
	for i, part := range parts {
		all[i] = f.part(part)
	}
	return all
}

// part returns a subformula of f as a formula of its own.
func (f *Formula) part(root *temporal.Formula) *Formula {
	var atoms intern.List[int, actl.Pattern]
	root = root.Substituted(func(atom int) *temporal.Formula {
		return temporal.Atom(atoms.Index(atom, f.atoms[atom]))
	})
	return &Formula{root: root, atoms: atoms.All}
}

// conjuncts returns the conjuncts of a formula. X and G are distributed over them.
func conjuncts(f *temporal.Formula) (all []*temporal.Formula) {
	parts := f.Parts()
	switch f.Operator() {
	case temporal.NotOp:
		return conjunctsOfNegation(parts[0])
	case temporal.AndOp:
		for _, part := range parts {
			all = append(all, conjuncts(part)...)
		}
		return all
	case temporal.NextOp:
		return applied(temporal.Next, conjuncts(parts[0]))
	case temporal.AlwaysOp:
		return applied(temporal.Always, conjuncts(parts[0]))
	}
	return []*temporal.Formula{f}
}

// conjunctsOfNegation returns the conjuncts of the negation of a formula.
func conjunctsOfNegation(f *temporal.Formula) (all []*temporal.Formula) {
	parts := f.Parts()
	switch f.Operator() {
	case temporal.NotOp:
		return conjuncts(parts[0])
	case temporal.OrOp:
		for _, part := range parts {
			all = append(all, conjunctsOfNegation(part)...)
		}
		return all
	case temporal.ImpliesOp:
		return append(conjuncts(parts[0]), conjunctsOfNegation(parts[1])...)
	case temporal.NextOp:
		return applied(temporal.Next, conjunctsOfNegation(parts[0]))
	case temporal.EventuallyOp: // !F f is G !f
		return applied(temporal.Always, conjunctsOfNegation(parts[0]))
	}
	return []*temporal.Formula{temporal.Not(f)}
}

// applied returns the formulas that an operator makes of each formula.
func applied(
	operator func(*temporal.Formula) *temporal.Formula,
	formulas []*temporal.Formula,
) (all []*temporal.Formula) {
	for _, f := range formulas {
		all = append(all, operator(f))
	}
	return all
}

// Consequent returns what f demands of the runs that meet its premises: b of a -> b, or of !a || b, and
// the consequent of b if b is an implication, too. It returns nil if f has no premises. Cost O(size).
func (f *Formula) Consequent() *Formula {
	root := f.root
	for {
		rest := withoutPremises(root)
		if len(rest) == 0 {
			break
		}
		root = temporal.Or(rest...)
	}
	if root == f.root {
		return nil
	}
	return f.part(root)
}

// withoutPremises returns what an implication demands of the runs that meet its premises, as a list of
// alternatives. The list is empty if a formula has no premises, or nothing but premises.
func withoutPremises(f *temporal.Formula) (rest []*temporal.Formula) {
	parts := f.Parts()
	switch f.Operator() {
	case temporal.ImpliesOp:
		return parts[1:]
	case temporal.OrOp:
		for _, part := range parts {
			if part.Operator() != temporal.NotOp {
				rest = append(rest, part)
			}
		}
		if len(rest) < len(parts) {
			return rest
		}
	}
	return nil
}

// RecurringWindow returns the text of g if f is G F g, and X is the only temporal operator of g, so
// that a fixed number of steps decides whether g holds at a position. Otherwise it returns "". Cost
// O(size).
func (f *Formula) RecurringWindow() string {
	inside := f.root
	for _, op := range []temporal.Operator{temporal.AlwaysOp, temporal.EventuallyOp} {
		if inside.Operator() != op {
			return ""
		}
		inside = inside.Parts()[0]
	}
	if !isWindow(inside) {
		return ""
	}
	return inside.Text(f.names())
}

// Successive returns the texts of A and B if f is F (A && X B), where A and B are atoms about actions. Otherwise
// it returns "". Cost O(size).
func (f *Formula) Successive() (first, next string) {
	if f.root.Operator() != temporal.EventuallyOp || len(f.StateAtoms()) > 0 {
		return "", ""
	}
	both := f.root.Parts()[0]
	if both.Operator() != temporal.AndOp || len(both.Parts()) != 2 {
		return "", ""
	}
	now := both.Parts()[0]
	later := both.Parts()[1]
	if now.Operator() == temporal.NextOp {
		now, later = later, now
	}
	isSuccession := now.Operator() == temporal.AtomOp && later.Operator() == temporal.NextOp &&
		later.Parts()[0].Operator() == temporal.AtomOp
	if !isSuccession {
		return "", ""
	}
	return now.Text(f.names()), later.Parts()[0].Text(f.names())
}

// IsInvariant reports whether f is G p, where p has no temporal operator, and only atoms about values of states.
// Cost O(size).
func (f *Formula) IsInvariant() bool {
	if f.root.Operator() != temporal.AlwaysOp || len(f.StateAtoms()) == 0 {
		return false
	}
	isAboutActions := slices.ContainsFunc(f.atoms, actl.Pattern.HasLabels)
	return isBoolean(f.root.Parts()[0]) && !isAboutActions
}

// HasDeadlock reports whether the constant deadlock occurs in f. Cost O(size).
func (f *Formula) HasDeadlock() bool { return hasDeadlock(f.root) }

func hasDeadlock(f *temporal.Formula) bool {
	return f.Operator() == temporal.DeadlockOp || slices.ContainsFunc(f.Parts(), hasDeadlock)
}

// isBoolean reports whether a formula has no temporal operator.
func isBoolean(f *temporal.Formula) bool {
	if f.Operator() >= temporal.NextOp || f.Operator() == temporal.DeadlockOp {
		return false
	}
	return !slices.ContainsFunc(f.Parts(), func(part *temporal.Formula) bool { return !isBoolean(part) })
}

// Recurring returns the text of A if f is G F A, where A is an atom about actions; "" otherwise. Cost O(size).
func (f *Formula) Recurring() string {
	window := f.RecurringWindow()
	isAtom := window != "" && f.root.Parts()[0].Parts()[0].Operator() == temporal.AtomOp
	if !isAtom || len(f.StateAtoms()) > 0 {
		return ""
	}
	return window
}

// isWindow reports whether a formula has no temporal operator but X.
func isWindow(f *temporal.Formula) bool {
	if f.Operator() > temporal.NextOp {
		return false
	}
	return !slices.ContainsFunc(f.Parts(), func(part *temporal.Formula) bool {
		return !isWindow(part)
	})
}

// Antecedents returns atoms of the formula whose absence makes the formula hold, whatever else a
// run does. Some are premises of implications, such as REQ in G (REQ -> F ACK) and in GF REQ -> GF
// ACK; an implication may be written as a disjunction. Others must be preceded, such as B in !B W
// A. Cost as for [actl.BindAtoms].
func (f *Formula) Antecedents(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	found := antecedents(f.root)
	g := f.root
	if g.Operator() == temporal.WeakUntilOp && g.Parts()[0].Operator() == temporal.NotOp {
		found = needed(g.Parts()[0].Parts()[0])
	}
	return f.bindSome(ctx, a, found)
}

// bindSome returns some of the atoms with their labels.
func (f *Formula) bindSome(
	ctx context.Context,
	a *lts.Alphabet,
	some atomSet,
) ([]property.Step, error) {
	var atoms []actl.Pattern
	for _, i := range slices.Sorted(maps.Keys(some)) {
		atoms = append(atoms, f.atoms[i])
	}
	steps, _, err := actl.BindAtoms(ctx, atoms, a)
	return steps, err
}

// atomSet is a set of atoms by their numbers.
type atomSet map[int]bool

func (s atomSet) add(all atomSet) { maps.Copy(s, all) }

// antecedents returns atoms whose absence makes f hold at every position. It leaves out atoms that f
// merely forbids.
func antecedents(f *temporal.Formula) atomSet {
	found := atomSet{}
	switch parts := f.Parts(); f.Operator() {
	case temporal.AlwaysOp, temporal.NextOp:
		return antecedents(parts[0])
	case temporal.ImpliesOp:
		found.add(needed(parts[0]))
		found.add(antecedents(parts[1]))
	case temporal.OrOp:
		for _, p := range parts {
			if p.Operator() == temporal.NotOp {
				found.add(needed(p.Parts()[0]))
			} else {
				found.add(antecedents(p))
			}
		}
	case temporal.AndOp:
		return inAll(parts, antecedents)
	}
	return found
}

// needed returns atoms whose absence makes f false at every position.
func needed(f *temporal.Formula) atomSet {
	switch parts := f.Parts(); f.Operator() {
	case temporal.AtomOp:
		return atomSet{f.Number(): true}
	case temporal.AlwaysOp, temporal.EventuallyOp, temporal.NextOp:
		return needed(parts[0])
	case temporal.UntilOp, temporal.ReleaseOp:
		return needed(parts[1])
	case temporal.AndOp, temporal.StrongOp:
		found := atomSet{}
		for _, p := range parts {
			found.add(needed(p))
		}
		return found
	case temporal.OrOp:
		return inAll(parts, needed)
	}
	return nil
}

// inAll returns the atoms that are in the set of every part.
func inAll(parts []*temporal.Formula, of func(*temporal.Formula) atomSet) atomSet {
	found := atomSet{}
	found.add(of(parts[0]))
	for _, p := range parts[1:] {
		other := of(p)
		maps.DeleteFunc(found, func(i int, _ bool) bool { return !other[i] })
	}
	return found
}

// Triggers returns, with their labels in a, the atoms after which a run has to do something later,
// such as REQ in G (REQ -> F ACK). An atom that the formula only forbids is no trigger, such as ERR
// in G (REQ -> X !ERR), nor is a premise about the run as a whole, such as REQ in GF REQ -> GF ACK.
// In negation normal form, triggers are the negative atoms of disjunctions that stand under G and
// have another part that is temporal. Cost as for [actl.BindAtoms].
func (f *Formula) Triggers(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	found := atomSet{}
	found.addTriggers(f.root, triggerContext{})
	return f.bindSome(ctx, a, found)
}

// triggerContext is the context of a subformula in the negation normal form of a formula.
type triggerContext struct {
	// isNegated reports whether the subformula is negated there.
	isNegated bool
	// isUnderAlways reports whether it is under G, and isBesideTemporal reports whether it is in a
	// disjunction with another part that is temporal.
	isUnderAlways, isBesideTemporal bool
}

// negated returns the context for the formula below a negation.
func (c triggerContext) negated() triggerContext {
	c.isNegated = !c.isNegated
	return c
}

// addTriggers adds the triggers in a subformula.
func (s atomSet) addTriggers(f *temporal.Formula, c triggerContext) {
	parts := f.Parts()
	switch op := f.Operator(); op {
	case temporal.AtomOp:
		if c.isNegated && c.isUnderAlways && c.isBesideTemporal {
			s[f.Number()] = true
		}
	case temporal.NotOp:
		s.addTriggers(parts[0], c.negated())
	case temporal.ImpliesOp:
		s.addTriggers(temporal.Or(temporal.Not(parts[0]), parts[1]), c)
	case temporal.IffOp:
		s.addTriggers(temporal.And(temporal.Implies(parts[0], parts[1]),
			temporal.Implies(parts[1], parts[0])), c)
	case temporal.AndOp, temporal.OrOp:
		isDisjunction := (op == temporal.OrOp) != c.isNegated
		if isDisjunction {
			s.addTriggersOfDisjunction(parts, c)
			return
		}
		for _, p := range parts {
			s.addTriggers(p, c)
		}
	default:
		isAlways := op == temporal.AlwaysOp && !c.isNegated ||
			op == temporal.EventuallyOp && c.isNegated
		below := triggerContext{isNegated: c.isNegated, isUnderAlways: c.isUnderAlways || isAlways}
		for _, p := range parts {
			s.addTriggers(p, below)
		}
	}
}

// addTriggersOfDisjunction adds the triggers in the parts of a disjunction.
func (s atomSet) addTriggersOfDisjunction(parts []*temporal.Formula, c triggerContext) {
	for i, p := range parts {
		ofPart := c
		for j, other := range parts {
			if j != i && isTemporal(other) {
				ofPart.isBesideTemporal = true
			}
		}
		s.addTriggers(p, ofPart)
	}
}

// Demanded returns, with their labels in a, the atoms that the formula demands at some later position,
// such as ACK in G (REQ -> F ACK). In negation normal form, they are the positive atoms under F, under
// X, and on the right of U. Cost as for [actl.BindAtoms].
func (f *Formula) Demanded(ctx context.Context, a *lts.Alphabet) ([]property.Step, error) {
	found := atomSet{}
	found.addDemanded(f.root, demandContext{})
	return f.bindSome(ctx, a, found)
}

// demandContext is the context of a subformula in the negation normal form of a formula.
type demandContext struct {
	// isNegated reports whether the subformula is negated there, and isLater reports whether something
	// demands it at a later position.
	isNegated, isLater bool
}

// addDemanded adds the atoms that a subformula demands at a later position.
func (s atomSet) addDemanded(f *temporal.Formula, c demandContext) {
	parts := f.Parts()
	switch op := f.Operator(); op {
	case temporal.AtomOp:
		if c.isLater && !c.isNegated {
			s[f.Number()] = true
		}
	case temporal.NotOp:
		s.addDemanded(parts[0], demandContext{isNegated: !c.isNegated, isLater: c.isLater})
	case temporal.ImpliesOp:
		s.addDemanded(temporal.Or(temporal.Not(parts[0]), parts[1]), c)
	case temporal.IffOp:
		s.addDemanded(temporal.And(temporal.Implies(parts[0], parts[1]),
			temporal.Implies(parts[1], parts[0])), c)
	default:
		isEventually := op == temporal.NextOp ||
			op == temporal.EventuallyOp && !c.isNegated ||
			op == temporal.AlwaysOp && c.isNegated
		isUntil := op == temporal.UntilOp && !c.isNegated
		for i, part := range parts {
			isLast := i == len(parts)-1
			ofPart := c
			ofPart.isLater = c.isLater || isEventually || isUntil && isLast
			s.addDemanded(part, ofPart)
		}
	}
}

// isTemporal reports whether a formula is about more than one position.
func isTemporal(f *temporal.Formula) bool {
	return hasTemporalOperator(f) || slices.ContainsFunc(f.Parts(), isTemporal)
}

// hasTemporalOperator reports whether the outermost operator of a formula is temporal.
func hasTemporalOperator(f *temporal.Formula) bool { return f.Operator() >= temporal.NextOp }

// Occurrence is one occurrence of a label pattern in a formula; each member of a set is an occurrence
// of its own. In a pattern such as Response(A; B), an occurrence is one element of a step or of a
// delimiter.
type Occurrence struct {
	Pattern actl.Pattern
	// Step and Element are the position in a pattern, see [actl.Formula.Steps].
	Step, Element int
	// Members is the number of members of the set.
	Members int
	// Asked reports whether the formula demands the occurrence: it is neither a
	// premise of an obligation, nor a delimiter.
	Asked bool

	atom int
}

// Is reports whether two occurrences in one formula are the same.
func (o Occurrence) Is(other Occurrence) bool { return o.atom == other.atom }

// Occurrences is a formula with its occurrences.
type Occurrences struct {
	All []Occurrence

	root  *temporal.Formula // atom i is All[i]
	atoms []actl.Pattern
}

// OccurrencesIn returns the occurrences in a formula of this package or in a
// pattern; nil for other formulas. Cost O(length of the formula).
func OccurrencesIn(f property.Formula) *Occurrences {
	switch f := f.(type) {
	case *Formula:
		// Occurrences that are not negated are demanded.
		o := &Occurrences{}
		o.root = f.root.Substituted(func(atom int) *temporal.Formula {
			return o.add(f.atoms[atom], 0, false)
		})
		o.polarities(o.root, true, func(atom int, positive bool) {
			if positive {
				o.All[atom].Asked = true
			}
		})
		return o
	case *actl.Formula:
		o := &Occurrences{}
		s := f.Specification()
		roles := role.Of(s)
		var steps []*temporal.Formula
		for i, p := range f.Steps() {
			asked := i < len(roles) && roles[i].Asks()
			steps = append(steps, o.add(p, i, asked))
		}
		o.root = ofSteps(s, steps)
		return o
	}
	return nil
}

// add adds the members of a pattern, and returns the disjunction of their atoms.
func (o *Occurrences) add(p actl.Pattern, step int, asked bool) *temporal.Formula {
	elements := p.Elements()
	var atoms []*temporal.Formula
	for i, e := range elements {
		n := len(o.All)
		o.All = append(o.All, Occurrence{
			Pattern: e,
			Step:    step,
			Element: i,
			Members: len(elements),
			Asked:   asked,
			atom:    n,
		})
		o.atoms = append(o.atoms, e)
		atoms = append(atoms, temporal.Atom(n))
	}
	return temporal.Or(atoms...)
}

// polarities calls each for every occurrence of an atom, with its polarity in negation normal form.
func (o *Occurrences) polarities(
	f *temporal.Formula,
	positive bool,
	each func(atom int, positive bool),
) {
	parts := f.Parts()
	switch f.Operator() {
	case temporal.AtomOp:
		each(f.Number(), positive)
	case temporal.NotOp:
		o.polarities(parts[0], !positive, each)
	case temporal.ImpliesOp:
		o.polarities(parts[0], !positive, each)
		o.polarities(parts[1], positive, each)
	case temporal.IffOp:
		for _, p := range parts {
			o.polarities(p, positive, each)
			o.polarities(p, !positive, each)
		}
	default:
		for _, p := range parts {
			o.polarities(p, positive, each)
		}
	}
}

// Strengthened replaces some occurrences: by false where that makes the formula stronger, and by true
// otherwise. If the result holds, the occurrences do not affect the formula (Kupferman and Vardi, STTT
// 2003, section 3; an occurrence of mixed polarity is replaced everywhere at once). Cost O(length of
// the formula).
func (o *Occurrences) Strengthened(replaced func(Occurrence) bool) *Formula {
	root := o.strengthen(o.root, true, replaced)
	p := &parser{}
	root = root.Substituted(func(atom int) *temporal.Formula {
		return p.numbered(o.atoms[atom])
	})
	return &Formula{root: root, atoms: p.atoms.All}
}

// strengthen replaces some occurrences of atoms by constants. If positive is true, the constants
// make the formula as strong as possible, so that the result implies f; otherwise they make it as
// weak as possible, so that f implies the result.
func (o *Occurrences) strengthen(
	f *temporal.Formula,
	positive bool,
	replaced func(Occurrence) bool,
) *temporal.Formula {
	parts := f.Parts()
	switch f.Operator() {
	case temporal.AtomOp:
		switch {
		case !replaced(o.All[f.Number()]):
			return f
		case positive:
			return temporal.False()
		}
		return temporal.True()
	case temporal.NotOp:
		return not(o.strengthen(parts[0], !positive, replaced))
	case temporal.ImpliesOp:
		negated := not(o.strengthen(parts[0], !positive, replaced))
		then := o.strengthen(parts[1], positive, replaced)
		hasConstant := isConstant(negated) || isConstant(then)
		if hasConstant || o.mentions(parts[0], replaced) {
			return reduced(temporal.Or(negated, then))
		}
		return temporal.Implies(parts[0], then)
	case temporal.IffOp:
		if !o.mentions(f, replaced) {
			return f
		}
		both := temporal.And(temporal.Implies(parts[0], parts[1]),
			temporal.Implies(parts[1], parts[0]))
		return o.strengthen(both, positive, replaced)
	}
	changed := make([]*temporal.Formula, len(parts))
	for i, p := range parts {
		changed[i] = o.strengthen(p, positive, replaced)
	}
	return reduced(f.With(changed))
}

// mentions reports whether a formula contains some of the occurrences.
func (o *Occurrences) mentions(
	f *temporal.Formula,
	replaced func(Occurrence) bool,
) (does bool) {
	o.polarities(f, true, func(atom int, _ bool) {
		does = does || replaced(o.All[atom])
	})
	return does
}

func not(f *temporal.Formula) *temporal.Formula {
	switch f.Operator() {
	case temporal.TrueOp:
		return temporal.False()
	case temporal.FalseOp:
		return temporal.True()
	case temporal.NotOp:
		return f.Parts()[0]
	}
	return temporal.Not(f)
}

// isConstant reports whether a formula is true or false.
func isConstant(f *temporal.Formula) bool {
	return f.Operator() == temporal.TrueOp || f.Operator() == temporal.FalseOp
}

// reduced removes constants from the parts of a formula, as far as that preserves the meaning on all
// runs, including those that end.
func reduced(f *temporal.Formula) *temporal.Formula {
	op := f.Operator()
	parts := f.Parts()
	hasOperator := func(i int, op temporal.Operator) bool {
		return parts[i].Operator() == op
	}
	switch op {
	case temporal.AndOp:
		return temporal.All(parts...)
	case temporal.OrOp:
		return temporal.Any(parts...)
	case temporal.EventuallyOp, temporal.AlwaysOp:
		if isConstant(parts[0]) {
			return parts[0]
		}
	case temporal.UntilOp:
		switch {
		case isConstant(parts[1]), hasOperator(0, temporal.FalseOp):
			return parts[1]
		case hasOperator(0, temporal.TrueOp):
			return temporal.Eventually(parts[1])
		}
	case temporal.WeakUntilOp:
		switch {
		case hasOperator(1, temporal.TrueOp), hasOperator(0, temporal.FalseOp):
			return parts[1]
		case hasOperator(0, temporal.TrueOp):
			return parts[0]
		case hasOperator(1, temporal.FalseOp):
			return temporal.Always(parts[0])
		}
	}
	return f
}
