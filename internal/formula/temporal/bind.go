package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/letters"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Bind returns the property that a formula denotes over the labels of alphabet, where atom i has the
// labels of atoms[i]. The kind and the name describe how the property was written. The property is a
// chain if [Formula.IsChain] or [product.AsChain] finds that it is one. Bind fails with a
// [*BudgetError] if the automaton would become too large. It also fails if atoms are missing, or if ctx is
// done.
//
// Cost: doubly exponential in the size of the formula at worst, and linear in the number of labels.
// Formulas that people write take milliseconds.
func Bind(
	ctx context.Context,
	alphabet *lts.Alphabet,
	f *Formula,
	atoms []property.Step,
	kind property.Kind,
	name string,
) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	atoms = atoms[:f.Atoms()]
	if alphabet.TellsStates() {
		return bindFacts(ctx, alphabet, f, atoms, kind, name), nil
	}
	steps := f.steps()
	if steps != nil {
		p := bindChain(ctx, alphabet, steps, atoms)
		return p.WrittenAs(kind, name), nil
	}
	letters, letterOf := classes(ctx, alphabet, atoms)
	d, err := determine(ctx, f, letters)
	var budget *BudgetError
	if errors.As(err, &budget) {
		if d != nil && budget.of != falsum {
			budget.Of = shortened(d.space.formula(budget.of).Text(namesOf(atoms)))
		}
		return nil, hint.New(err, err, "; ", hint.Automaton)
	}
	if err != nil {
		return nil, err
	}
	t := d.Automaton
	t.Letters = letterOf
	t.Kind = kind
	t.Name = name
	speaker := d.speaker(atoms)
	for _, meaning := range d.demands {
		t.Pending = append(t.Pending, speaker.phrase(meaning))
	}
	p := abort.Must(property.Table(alphabet, t))
	return product.AsChain(ctx, p, atoms)
}

// shortened cuts a text after longestOf runes.
func shortened(text string) string {
	runes := []rune(text)
	if len(runes) > longestOf {
		return string(runes[:longestOf]) + "…"
	}
	return text
}

// classes groups labels by the atoms that they satisfy; a group is a letter. It returns the letters,
// the last of which is "nothing happens", and the number of the letter of each label. A letter reports,
// for each atom and then for deadlock, whether it holds. A label that happens nowhere has an arbitrary
// letter.
func classes(
	ctx context.Context,
	alphabet *lts.Alphabet,
	atoms []property.Step,
) (classes [][]bool, letterOf []uint16) {
	most := min(maxLetters, maxHeld/max(1, len(atoms))+1)
	letterOf, classes, err := letters.Of(ctx, atoms, alphabet, most)
	tooMany := letters.TooMany(0)
	if errors.As(err, &tooMany) {
		abort.On(&BudgetError{What: "letters", Most: int(tooMany)})
	}
	abort.On(err)
	deadlock := len(atoms) // its index in a letter
	for i, letter := range classes {
		classes[i] = append(letter, false)
	}
	nothingHappens := make([]bool, deadlock+1)
	nothingHappens[deadlock] = true
	return append(classes, nothingHappens), letterOf
}

// maxLetters is the largest number of classes of labels.
const maxLetters = letters.Most

// maxHeld is the largest product of letters and atoms.
const maxHeld = 1 << 26

// determined is the automaton of a formula, with the meaning of its states.
type determined struct {
	*automaton
	space     *space
	condition *Formula // the condition over the operands
	initial   []form   // the formulas of the operands
	// raw is the number of states before states were removed or merged.
	raw int
}

// determine translates a formula. If the result is not nil beside an error, it can still describe
// subformulas in words.
func determine(ctx context.Context, f *Formula, letters [][]bool) (_ *determined, err error) {
	defer abort.Caught(&err)
	s := newSpace(ctx, letters)
	o := &operands{s: s, literals: map[form]int{}}
	var used intern.List[int, form] // the operands that the condition mentions
	condition := o.split(signed{formula: f}).Substituted(func(literal int) *Formula {
		i := operandOf(literal)
		renumbered := literalOf(used.Index(i, o.forms[i]))
		if isNegative(literal) {
			renumbered = negationOf(renumbered)
		}
		return Atom(renumbered)
	})
	d := &determined{space: s, condition: condition, initial: used.All}
	var automata []*automaton
	var classOf [][]int // for each operand, the class of each letter
	for _, operand := range used.All {
		classes, classOfLetter := s.distinguished(operand)
		m, err := s.translateOver(classes, operand)
		if err != nil {
			return d, err
		}
		d.raw += len(m.demands)
		automata = append(automata, m.settle(ctx).simplify(ctx))
		classOf = append(classOf, classOfLetter)
	}
	d.automaton = combine(ctx, condition, automata, classOf, len(letters)-1).simplify(ctx)
	return d, nil
}

// translateOver translates a formula of s as [space.translate] does, for other letters than those of s.
func (s *space) translateOver(letters [][]bool, f form) (m *machine, err error) {
	before := s.letters
	s.letters = letters
	clear(s.nodeSteps)
	clear(s.formSteps)
	err = abort.Try(func() { m = s.translate(f) })
	s.letters = before
	return m, err
}

// distinguished groups the letters by the atoms of a form that hold. It returns the first letter of
// each class, and the class of each letter of s except the last. The last letter, "nothing happens", is
// the only one of the last class.
func (s *space) distinguished(f form) (classes [][]bool, classOf []int) {
	atoms := s.atomsOf(f)
	var byAtoms intern.List[string, []bool]
	last := len(s.letters) - 1
	for _, letter := range s.letters[:last] {
		key := make([]byte, len(atoms))
		for i, a := range atoms {
			if letter[a] {
				key[i] = 1
			}
		}
		classOf = append(classOf, byAtoms.Index(string(key), letter))
	}
	return append(byAtoms.All, s.letters[last]), classOf
}

// atomsOf returns the atoms in a form, ascending.
func (s *space) atomsOf(f form) []int {
	var atoms []int
	s.visit(f, func(_ nodeID, n node) {
		if n.kind == positive || n.kind == negative {
			atoms = append(atoms, n.atom)
		}
	})
	slices.Sort(atoms)
	return slices.Compact(atoms)
}

// IsChain reports whether the formula is written as inevitability, F (a && X F (b && …)). Then the
// property is a chain, whichever labels occur. Each step is a formula without temporal operators, and
// the last one does not hold after the end of a run. Cost O(size).
func (f *Formula) IsChain() bool { return f.steps() != nil }

// steps returns the steps in their order if the formula is written as inevitability; nil otherwise.
func (f *Formula) steps() []*Formula {
	var steps []*Formula
	rest := f
	for rest != nil {
		var step *Formula
		step, rest = rest.firstStep()
		if step == nil {
			return nil
		}
		steps = append(steps, step)
	}
	holdsAfterEnd := steps[len(steps)-1].Holds(func(int) bool { return false }, true)
	if holdsAfterEnd {
		return nil
	}
	return steps
}

// firstStep returns a and g if the formula is F (a && X g) and a has no temporal operators. rest is nil
// if the formula is F a, and step is nil if it has neither form.
func (f *Formula) firstStep() (step, rest *Formula) {
	conjuncts, isEventual := f.eventual()
	if !isEventual {
		return nil, nil
	}
	var present []*Formula
	for _, c := range conjuncts {
		switch {
		case c.op < NextOp && !c.isTemporal():
			present = append(present, c)
		case c.op == NextOp && rest == nil:
			rest = c.parts[0]
		default:
			return nil, nil
		}
	}
	if len(present) == 0 {
		return nil, nil
	}
	return And(present...), rest
}

// eventual returns the conjuncts of g if the formula is F g or repeats F, as in F F g.
func (f *Formula) eventual() (conjuncts []*Formula, isEventual bool) {
	for {
		switch {
		case f.op == EventuallyOp:
			f = f.parts[0]
		case f.op == UntilOp && f.parts[0].op == TrueOp:
			f = f.parts[1]
		case !isEventual:
			return nil, false
		default:
			return f.conjuncts(nil), true
		}
		isEventual = true
	}
}

// conjuncts appends the operands of a conjunction, nested ones included.
func (f *Formula) conjuncts(all []*Formula) []*Formula {
	if f.op != AndOp {
		return append(all, f)
	}
	for _, p := range f.parts {
		all = p.conjuncts(all)
	}
	return all
}

// isTemporal reports whether the formula is about more than one position.
func (f *Formula) isTemporal() bool {
	return f.op >= NextOp || slices.ContainsFunc(f.parts, (*Formula).isTemporal)
}

// Holds reports whether a formula without temporal operators holds at a position. The position is given
// by the atoms that hold there, and by whether it lies after the end of a run. Cost O(size).
func (f *Formula) Holds(atom func(int) bool, deadlock bool) bool {
	holds := func(p *Formula) bool { return p.Holds(atom, deadlock) }
	fails := func(p *Formula) bool { return !p.Holds(atom, deadlock) }
	switch f.op {
	case TrueOp:
		return true
	case AtomOp:
		return atom(f.atom)
	case DeadlockOp:
		return deadlock
	case NotOp:
		return fails(f.parts[0])
	case AndOp:
		return !slices.ContainsFunc(f.parts, fails)
	case OrOp:
		return slices.ContainsFunc(f.parts, holds)
	case ImpliesOp:
		return fails(f.parts[0]) || holds(f.parts[1])
	case IffOp:
		return holds(f.parts[0]) == holds(f.parts[1])
	}
	return false
}

// bindChain returns the property of steps that happen one after the other.
func bindChain(
	ctx context.Context,
	alphabet *lts.Alphabet,
	steps []*Formula,
	atoms []property.Step,
) *property.Property {
	names := namesOf(atoms)
	var patterns intern.List[string, property.Step]
	order := make([]uint32, len(steps))
	for i, f := range steps {
		text := f.Text(names)
		k := patterns.Index(text, property.Step{})
		if patterns.All[k].Pattern == nil {
			abort.On(ctx.Err())
			patterns.All[k] = stepByFormula(alphabet, f, text, atoms)
		}
		order[i] = uint32(k)
	}
	return abort.Must(property.Inev(ctx, alphabet, patterns.All, order))
}

// stepByFormula returns a formula without temporal operators as a step.
func stepByFormula(
	alphabet *lts.Alphabet,
	f *Formula,
	text string,
	atoms []property.Step,
) property.Step {
	if f.op == AtomOp {
		return atoms[f.atom]
	}
	s := property.Step{Pattern: position{f: f, text: text, atoms: atoms}}
	hasLabel := make([]map[lts.Label]bool, f.Atoms()) // by atom
	for i := range hasLabel {
		hasLabel[i] = make(map[lts.Label]bool, len(atoms[i].Labels))
		for _, l := range atoms[i].Labels {
			hasLabel[i][l] = true
		}
	}
	for l := range alphabet.All() {
		holds := f.Holds(func(atom int) bool { return hasLabel[atom][l] }, false)
		if holds {
			s.Labels = append(s.Labels, l)
		}
	}
	return s
}

// position is the pattern of a step that is a formula without temporal operators.
type position struct {
	f     *Formula
	text  string
	atoms []property.Step
}

// String returns the formula.
func (p position) String() string { return p.text }

// Matches reports whether the formula holds for a transition with this label.
func (p position) Matches(label string) bool {
	return p.f.Holds(func(i int) bool { return p.atoms[i].Pattern.Matches(label) }, false)
}

// bindFacts binds a formula as [Bind] does, if labels carry facts about their targets. At a position of
// a run, atoms about facts are evaluated in the state there, and atoms about labels on the transition
// that leaves this state. So a state of the table consists of a state of the automaton and the facts of
// the present state, as far as they make a difference.
func bindFacts(
	ctx context.Context,
	alphabet *lts.Alphabet,
	f *Formula,
	atoms []property.Step,
	kind property.Kind,
	name string,
) *property.Property {
	b := &factBinder{ctx: ctx, alphabet: alphabet, atoms: atoms}
	b.readLetters()
	letters := append(slices.Clone(b.letters.All), b.letterAfterEnd(0))
	var err error
	b.automaton, err = determine(ctx, f, letters)
	if err == nil {
		err = abort.Try(b.explore)
	}
	var budget *BudgetError
	if errors.As(err, &budget) {
		abort.On(hint.New(err, err, "; ", hint.Automaton))
	}
	abort.On(err)
	unfolded := *b.product
	a := unfolded.simplify(ctx)
	t := a.Automaton
	t.Letters = b.columnOf
	t.Kind = kind
	t.Name = name
	t.Pending = b.phrases(f, a)
	return abort.Must(property.Table(alphabet, t))
}

// factBinder makes the table of a formula about facts.
type factBinder struct {
	ctx      context.Context
	alphabet *lts.Alphabet
	atoms    []property.Step
	letters  intern.List[string, []bool] // the letters of the automaton
	// classes are the sets of atoms that labels satisfy, and facts are the sets of facts that states
	// have.
	classes intern.List[string, []int]
	facts   intern.List[lts.Facts, lts.Facts]
	// In a state with facts v, letterOf[v][c] is the letter of a label of class c, withoutAtoms[v]
	// is the letter of a label without atoms, and afterEnd[v] is the letter after the end of a run.
	letterOf               [][]int
	afterEnd, withoutAtoms []int
	// columns are the columns of the table. Each has the facts of the next state and a class, or begins
	// in place of a class.
	columns   intern.List[column, column]
	columnOf  []uint16
	automaton *determined
	product   *automaton
	// components[q] is the state of the automaton and the facts that make up state q of the
	// product.
	components []stateWithFacts
}

// begins is the class of the transitions that begin runs.
const begins = -1

type column struct{ class, facts int }

// stateWithFacts is a state of the automaton with the facts of the present state of the model. Before a
// run has begun, the facts are unread.
type stateWithFacts struct {
	q     property.Q
	facts int
}

const unread = -1

// readLetters finds the classes of labels, the facts and the letters.
func (b *factBinder) readLetters() {
	atomsOf := make([][]int, b.alphabet.Len())
	for i, atom := range b.atoms {
		for _, l := range atom.Labels {
			atomsOf[l] = append(atomsOf[l], i)
		}
	}
	if facts, ok := b.alphabet.InitialFacts(); ok {
		b.factsNumber(facts)
	}
	b.readColumns(atomsOf)
	for _, facts := range b.facts.All {
		var letterOf []int
		for _, held := range b.classes.All {
			letterOf = append(letterOf, b.letterNumber(b.letter(held, facts)))
		}
		b.letterOf = append(b.letterOf, letterOf)
		b.afterEnd = append(b.afterEnd, b.letterNumber(b.letterAfterEnd(facts)))
		b.withoutAtoms = append(b.withoutAtoms, b.letterNumber(b.letter(nil, facts)))
		count := len(b.letters.All)
		isTooLarge := count > maxLetters || count*(len(b.atoms)+1) > maxHeld
		if isTooLarge || b.ctx.Err() != nil {
			abort.On(errors.Join(b.ctx.Err(), &BudgetError{What: "letters", Most: maxLetters}))
		}
	}
}

// readColumns finds the column of each label that happens. atomsOf has, for each label, the atoms that
// it satisfies.
func (b *factBinder) readColumns(atomsOf [][]int) {
	b.columnOf = make([]uint16, b.alphabet.Len())
	for l, held := range atomsOf {
		if l%4096 == 0 {
			abort.On(b.ctx.Err())
		}
		if !b.alphabet.Happens(lts.Label(l)) {
			continue
		}
		facts, isBegin := b.alphabet.Facts(lts.Label(l))
		c := column{class: begins, facts: b.factsNumber(facts)}
		if !isBegin {
			key := make([]byte, len(b.atoms))
			for _, i := range held {
				key[i] = 1
			}
			c.class = b.classes.Index(string(key), held)
		}
		b.columnOf[l] = uint16(b.columns.Index(c, c))
		if len(b.columns.All) > maxLetters {
			abort.On(hint.New(nil, &BudgetError{What: "letters", Most: maxLetters}, "; ",
				hint.Automaton))
		}
	}
}

// factsNumber returns the number of a set of facts.
func (b *factBinder) factsNumber(facts lts.Facts) int { return b.facts.Index(facts, facts) }

// letter reports, for each atom and then for deadlock, whether it holds in a state with these facts
// before a transition whose label satisfies the atoms in held.
func (b *factBinder) letter(held []int, facts lts.Facts) []bool {
	letter := make([]bool, len(b.atoms)+1)
	for _, i := range held {
		letter[i] = true
	}
	for i, atom := range b.atoms {
		letter[i] = letter[i] || atom.Facts&facts != 0
	}
	return letter
}

// letterAfterEnd is letter for a run that has ended in a state with these facts: there is a deadlock, and no
// transition.
func (b *factBinder) letterAfterEnd(facts lts.Facts) []bool {
	letter := b.letter(nil, facts)
	letter[len(b.atoms)] = true
	return letter
}

// letterNumber returns the number of a letter.
func (b *factBinder) letterNumber(letter []bool) int {
	key := make([]byte, len(letter))
	for i, holds := range letter {
		if holds {
			key[i] = 1
		}
	}
	return b.letters.Index(string(key), letter)
}

// explore makes the product of the automaton and the facts.
func (b *factBinder) explore() {
	a := b.automaton.automaton
	columns := len(b.columns.All)
	b.product = &automaton{Automaton: property.Automaton{
		Columns:    columns,
		Acceptance: a.Acceptance,
	}}
	first := stateWithFacts{a.Initial, unread}
	if facts, ok := b.alphabet.InitialFacts(); ok {
		first.facts = b.factsNumber(facts)
	}
	itself := func(p stateWithFacts) stateWithFacts { return p }
	b.components, b.product.Next = explore(first, columns, itself, b.checkSize, b.successor)
	stops := b.stopsByFacts()
	for _, p := range b.components {
		b.product.demands = append(b.product.demands, append(slices.Clone(a.demands[p.q]), form(p.facts+1)))
		b.product.Stop = append(b.product.Stop, p.facts != unread && stops[p.facts][p.q])
	}
}

// checkSize fails if the product is too large, or if the context is done.
func (b *factBinder) checkSize(explored, states int) {
	switch {
	case b.ctx.Err() != nil:
		abort.On(b.ctx.Err())
	case states > property.MaxStates:
		abort.On(&BudgetError{What: "states", Most: property.MaxStates})
	case explored*len(b.columns.All) > maxTransitions:
		abort.On(&BudgetError{What: "transitions", Most: maxTransitions})
	}
}

// successor returns the successor of a state of the product for a column, and stores the marks of the
// transition.
func (b *factBinder) successor(from stateWithFacts, columnNumber int) stateWithFacts {
	a := b.automaton.automaton
	c := b.possibleColumn(from, columnNumber)
	to := stateWithFacts{from.q, c.facts}
	marks := property.Marks(0)
	switch {
	case from.facts != unread && c.class == begins:
		to = from // there are no other columns
	case c.class != begins:
		transition := int(from.q)*a.Columns + b.letterOf[from.facts][c.class]
		to.q = a.Next[transition]
		marks = a.Marks[transition]
	}
	b.product.Marks = append(b.product.Marks, marks)
	return to
}

// possibleColumn returns the column with this number if a run can take it in a state, and otherwise the
// first column that a run can take there. While facts are unread, a run can take the columns that begin
// runs; afterwards, all others. The table needs an entry for every column; an entry that repeats a
// possible column makes the automaton accept no further words.
func (b *factBinder) possibleColumn(p stateWithFacts, number int) column {
	columns := b.columns.All
	isPossible := func(c column) bool {
		return (c.class == begins) == (p.facts == unread)
	}
	c := columns[number]
	if isPossible(c) {
		return c
	}
	first := slices.IndexFunc(columns, isPossible)
	if first >= 0 {
		return columns[first]
	}
	c.class = begins
	return c
}

// stopsByFacts returns, for each combination of facts, which states of the automaton accept a run that
// ends there with these facts.
func (b *factBinder) stopsByFacts() [][]bool {
	var stops [][]bool
	ofLetter := map[int][]bool{}
	for _, letter := range b.afterEnd {
		if ofLetter[letter] == nil {
			ofLetter[letter] = b.automaton.automaton.StopsByIdling(letter)
		}
		stops = append(stops, ofLetter[letter])
	}
	return stops
}

// phrases describes what the states of the table wait for. Several states of the product with the same
// demands may be merged into a state of the table, which gets the shortest of their phrases.
func (b *factBinder) phrases(f *Formula, a *automaton) []property.Phrase {
	speaker := b.automaton.speaker(b.atoms)
	readsAheadOfStep := b.isAboutPresentState(f)
	phraseOfState := map[property.Q]property.Phrase{} // by state of the automaton
	phraseOf := func(productState property.Q) property.Phrase {
		p := b.components[productState]
		q := p.q
		if readsAheadOfStep && p.facts != unread {
			q = b.automaton.Next[int(q)*b.automaton.Columns+b.withoutAtoms[p.facts]]
		}
		phrase, known := phraseOfState[q]
		if !known {
			phrase = speaker.phrase(b.automaton.demands[q])
			phraseOfState[q] = phrase
		}
		return phrase
	}
	shortest := make([]property.Phrase, a.States())
	isKnown := make([]bool, a.States())
	for _, p := range b.mergedPairs(a) {
		phrase := phraseOf(p.product)
		if !isKnown[p.merged] || len(phrase.String()) < len(shortest[p.merged].String()) {
			shortest[p.merged] = phrase
			isKnown[p.merged] = true
		}
	}
	return shortest
}

// isAboutPresentState reports whether the formula is only about values in the present state. Then
// entering a state decides its atoms, before the next transition.
func (b *factBinder) isAboutPresentState(f *Formula) bool {
	hasLabels := slices.ContainsFunc(b.atoms, func(s property.Step) bool {
		return len(s.Labels) > 0
	})
	return !hasLabels && !f.has(NextOp) && !f.has(DeadlockOp)
}

// mergedPair is a state of the product with the state of the table that it was merged into.
type mergedPair struct{ product, merged property.Q }

// mergedPairs returns the pairs that are reachable by some word.
func (b *factBinder) mergedPairs(a *automaton) []mergedPair {
	first := mergedPair{product: b.product.Initial, merged: a.Initial}
	next := func(p mergedPair, column int) mergedPair {
		return mergedPair{
			product: b.product.Next[int(p.product)*a.Columns+column],
			merged:  a.Next[int(p.merged)*a.Columns+column],
		}
	}
	itself := func(p mergedPair) mergedPair { return p }
	pairs, _ := explore(first, a.Columns, itself, func(int, int) {}, next)
	return pairs
}

// has reports whether the formula contains an operator.
func (f *Formula) has(op Operator) bool {
	return f.op == op || slices.ContainsFunc(f.parts, func(p *Formula) bool { return p.has(op) })
}

// BudgetError reports that the automaton of a formula would exceed a limit.
type BudgetError struct {
	// What names the things that would be too many, such as states, and Most is the largest number
	// allowed.
	What string
	Most int
	// Of is the subformula, below the outermost Boolean operators, whose automaton exceeds the limit.
	// It is shortened if it is long, and "" if no single subformula exceeds the limit.
	Of string

	of form
}

// longestOf is the largest number of characters of a subformula in an error.
const longestOf = 60

// Error names the limit.
func (e *BudgetError) Error() string {
	if e.Of == "" {
		return fmt.Sprintf("the automaton of the formula is too large: more than %d %s", e.Most,
			e.What)
	}
	return fmt.Sprintf("the automaton of the formula is too large: more than %d %s for %s",
		e.Most, e.What, e.Of)
}
