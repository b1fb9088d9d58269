package explain

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// decidingValues are values of states that suffice for a violation: no run whose states have these
// values satisfies the property, whatever follows.
type decidingValues struct {
	// After are conditions on the state after the step of the diagnosis, or on the first state if
	// there is no step. Before are conditions on the state before that step. No word that meets
	// them satisfies the property, whatever the other atoms about values are in these two states.
	// No condition of After can be left out. Given After, no condition of Before can be left out.
	Before []string `json:"before"`
	After  []string `json:"after"`
	// Action reports whether the label of the step is needed, too. Otherwise the values decide with
	// any label.
	Action bool `json:"action"`
}

// mostDecidingLetters is the largest number of letters that are compared: the number of labels
// times the number of combinations of atoms.
const mostDecidingLetters = 1 << 13

// mostDecidingFacts is the largest number of atoms whose combinations are compared.
const mostDecidingFacts = 16

// decideByValues records the values that make the property impossible in a step, or in the first
// state if step is -1. It records none if the formula is about labels alone, or if there are too
// many letters. Cost: that of binding the formula, and O(atoms · letters · 2^atoms), up to the
// limits.
func (d diagnosis) decideByValues(ctx context.Context, step int) error {
	if len(d.a.m.Alphabet().FactNames()) == 0 {
		return nil
	}
	w, err := d.wordsOfValues(ctx, d.a.Formula, step)
	if err != nil || w == nil {
		return err
	}
	path := d.lettersUntil(w, step)
	if len(path) == 0 {
		return nil // there are several initial states
	}
	deciding, decided := w.decide(path)
	if !decided {
		return nil
	}
	t := lts.Transition{From: d.trace.Initial(), To: d.trace.Initial()}
	if step >= 0 {
		t = d.trace.Step(step)
	}
	last := len(path) - 1
	v := &decidingValues{
		Before: []string{},
		After:  d.factTexts(deciding.after, path[last].facts, d.opposite(t.To)),
		Action: deciding.action,
	}
	if deciding.before != 0 {
		v.Before = d.factTexts(deciding.before, path[last-1].facts, d.opposite(t.From))
	}
	if len(v.Before)+len(v.After) > 0 {
		d.Values = v
	}
	return nil
}

// lettersUntil returns the letters of the run up to a step, and of this step. If the model has one
// initial state, the facts of this state are the first letter.
func (d diagnosis) lettersUntil(w *valueWords, step int) []valueLetter {
	a := d.a.m.Alphabet()
	var path []valueLetter
	if facts, known := a.InitialFacts(); known {
		path = append(path, valueLetter{label: beginsRun, facts: facts})
	}
	for i := range step + 1 {
		path = append(path, w.letterOf(a, d.trace.Step(i).Label))
	}
	return path
}

// letterOf returns the letter of a label of an alphabet.
func (w *valueWords) letterOf(a *lts.Alphabet, l lts.Label) valueLetter {
	facts, begins := a.Facts(l)
	if begins {
		return valueLetter{label: beginsRun, facts: facts}
	}
	return valueLetter{label: w.labels.Index(a.Text(l), a.Text(l)), facts: facts}
}

// valueWords are the words over all letters, with the automaton that reads them.
type valueWords struct {
	p      *property.Property
	words  *product.Residuals
	labels intern.List[string, string]
	n      int // the number of facts
	number map[valueLetter]lts.Label
}

// valueLetter is the index of a label, or beginsRun, and the facts of the state to which a
// transition with this label leads.
type valueLetter struct {
	label int
	facts lts.Facts
}

// beginsRun replaces the index of a label in a transition to an initial state.
const beginsRun = -1

// wordsOfValues binds the formula to letters that need not occur in the model: each combination of
// facts, with each label of the model, each label that the formula names, and one more label. If
// these are too many letters, it takes the labels of the run instead of those of the model. It
// returns nil if there are still too many.
func (d diagnosis) wordsOfValues(
	ctx context.Context,
	f property.Formula,
	step int,
) (*valueWords, error) {
	names := d.a.m.Alphabet().FactNames()
	w := &valueWords{n: len(names), number: map[valueLetter]lts.Label{}}
	if w.n > mostDecidingFacts || !d.collectLabels(w, f, step) {
		return nil, nil
	}
	m, err := w.model(ctx, names)
	if err != nil {
		return nil, err
	}
	for l := range m.Alphabet().All() {
		w.number[w.letterOf(m.Alphabet(), l)] = l
	}
	w.p, _, err = f.Bind(ctx, m.Alphabet())
	if err != nil {
		return nil, err
	}
	w.words, err = product.ResidualsOf(ctx, w.p)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// collectLabels collects the labels of the letters, and reports whether they are few enough.
func (d diagnosis) collectLabels(w *valueWords, f property.Formula, step int) bool {
	a := d.a.m.Alphabet()
	add := func(text string) { w.labels.Index(text, text) }
	combinations := 1 << w.n
	most := mostDecidingLetters/combinations - 2 // besides the other action, and the beginning
	if a.Texts() <= most {
		for _, text := range a.All() {
			add(text)
		}
	}
	for i := range step + 1 {
		add(a.Text(d.trace.Step(i).Label))
		if len(w.labels.All) > max(most, 1) {
			return false
		}
	}
	for _, text := range labelsNamedIn(f) {
		add(text)
	}
	other := "another action"
	for slices.Contains(w.labels.All, other) {
		other += "'"
	}
	add(other)
	return true
}

// labelsNamedIn returns each label that a formula names literally, even if the model does not have it.
func labelsNamedIn(f property.Formula) []string {
	occurrences := ltl.OccurrencesIn(f)
	if occurrences == nil {
		return nil
	}
	var labels []string
	for _, occurrence := range occurrences.All {
		text := occurrence.Pattern.String()
		if plain, err := strconv.Unquote(text); err == nil {
			text = plain
		}
		if occurrence.Pattern.Matches(text) {
			labels = append(labels, text)
		}
	}
	return labels
}

// model returns an artificial model that has all letters. It has one state for each combination of
// facts, and a state before the initial states.
func (w *valueWords) model(ctx context.Context, names []string) (*lts.LTS, error) {
	const beforeAll lts.State = 0
	const firstState lts.State = 1 // the state without any fact
	combinations := lts.State(1) << w.n
	var b lts.Builder
	begin := b.Label("begin")
	for facts := range combinations {
		b.Add(beforeAll, begin, firstState+facts)
		for _, text := range w.labels.All {
			b.Add(firstState, b.Label(text), firstState+facts)
		}
	}
	m, err := b.Build(beforeAll, int(firstState+combinations))
	if err != nil {
		return nil, err
	}
	factsOf := func(s lts.State) lts.Facts {
		if s == beforeAll {
			return 0
		}
		return lts.Facts(s - firstState)
	}
	return m.Refined(ctx, names, factsOf, true)
}

// decidingFacts are facts that suffice for a violation, as bit sets.
type decidingFacts struct {
	before lts.Facts // of the last state but one
	after  lts.Facts // of the last state
	action bool      // as in [decidingValues]
}

// decide finds a minimal set of facts of the last two states of a path that excludes all words that
// satisfy the property. It returns false unless the last letter is fatal: before this letter some
// word satisfies the property, and after it none does.
func (w *valueWords) decide(path []valueLetter) (decidingFacts, bool) {
	last := len(path) - 1
	q := w.p.Initial()
	previous := q
	for _, letter := range path[:last] {
		previous = q
		q = w.p.Next(q, w.number[letter])
	}
	all := lts.Facts(1)<<w.n - 1
	actual := path[last]
	isLastLetterFatal := w.words.CanAccept(q) &&
		!w.words.CanAccept(w.p.Next(q, w.number[actual]))
	if !isLastLetterFatal {
		return decidingFacts{}, false
	}
	hasLabel := actual.label != beginsRun
	var found decidingFacts
	// isFatal reports whether the last letter is fatal in state q although only those of its facts that
	// are in compared are known, and its label only if the label is needed.
	isFatal := func(q property.Q, compared lts.Facts) bool {
		if !hasLabel || found.action {
			return w.becomesImpossible(q, actual.label, actual.facts, compared)
		}
		for label := range w.labels.All {
			if !w.becomesImpossible(q, label, actual.facts, compared) {
				return false
			}
		}
		return true
	}
	found.action = hasLabel && !isFatal(q, all)
	unchanged := lts.Facts(0)
	if last > 0 {
		unchanged = ^(path[last-1].facts ^ actual.facts)
	}
	found.after = w.minimalFacts(all, unchanged, func(facts lts.Facts) bool {
		return isFatal(q, facts)
	})
	found.action = found.action || found.after == 0 && hasLabel
	if last == 0 {
		return found, true
	}
	penultimate := path[last-1]
	found.before = w.minimalFacts(all, 0, func(compared lts.Facts) bool {
		for facts := range all + 1 {
			agrees := (facts^penultimate.facts)&compared == 0
			letter := valueLetter{label: penultimate.label, facts: facts}
			from := w.p.Next(previous, w.number[letter])
			if agrees && w.words.CanAccept(from) && !isFatal(from, found.after) {
				return false
			}
		}
		return true
	})
	return found, true
}

// recordRecurringValues records the values of a state of the loop if no word with infinitely many
// states of these values satisfies the property. It records none if the property depends on more
// than values. For each combination of values on the loop, it binds formulas "f && G F values": one
// with all these values and, to find a minimal set of them, one for each value that it tries to leave out.
func (d diagnosis) recordRecurringValues(ctx context.Context) error {
	a := d.a.m.Alphabet()
	f, isLTL := d.a.Formula.(*ltl.Formula)
	if !isLTL || len(a.FactNames()) == 0 {
		return nil
	}
	seen := map[lts.Facts]bool{}
	for _, at := range d.loop {
		facts, _ := a.Facts(d.trace.Step(at.step).Label)
		if seen[facts] {
			continue
		}
		seen[facts] = true
		deciding, err := d.minimalExcluding(ctx, f, facts)
		if err != nil {
			return err
		}
		if deciding == 0 {
			continue
		}
		d.Values = &decidingValues{
			Before: []string{},
			After:  d.factTexts(deciding, facts, d.opposite(d.trace.Step(at.step).To)),
		}
		d.recordLoopSteps(func(other visit) bool {
			otherFacts, _ := a.Facts(d.trace.Step(other.step).Label)
			agrees := (otherFacts^facts)&deciding == 0
			return agrees
		})
		return nil
	}
	return nil
}

// minimalExcluding returns a minimal set of the facts of a state such that no word that satisfies f
// has infinitely many states with these facts. It returns 0 if all facts together are not enough.
func (d diagnosis) minimalExcluding(
	ctx context.Context,
	f *ltl.Formula,
	facts lts.Facts,
) (lts.Facts, error) {
	w := valueWords{n: len(d.a.m.Alphabet().FactNames())}
	var failed error
	enough := func(compared lts.Facts) bool {
		if compared == 0 || failed != nil {
			return false
		}
		excluded, err := d.excludes(ctx, f, facts, compared)
		failed = err
		return excluded
	}
	all := lts.Facts(1)<<w.n - 1
	if !enough(all) {
		return 0, failed
	}
	minimal := w.minimalFacts(all, 0, enough)
	return minimal, failed
}

// excludes reports whether f is false of every word in which the facts of infinitely many states
// agree with the given facts on the set compared. It returns false if there are too many letters.
func (d diagnosis) excludes(
	ctx context.Context,
	f *ltl.Formula,
	facts, compared lts.Facts,
) (bool, error) {
	conjuncts := append(d.factTexts(compared, facts, negated), "true")
	text := "(" + f.String() + ") && G F (" + strings.Join(conjuncts, " && ") + ")"
	joined, err := ltl.Parse(ctx, text)
	if err != nil {
		return false, ctx.Err()
	}
	w, err := d.wordsOfValues(ctx, joined, -1)
	if err != nil || w == nil {
		return false, ctx.Err()
	}
	return !w.words.CanAccept(w.p.Initial()), nil
}

// minimalFacts starts with the facts in kept, and removes each fact without which the rest is still
// enough. It returns the facts that remain. It tries to remove the facts in first before the others.
func (w *valueWords) minimalFacts(kept, first lts.Facts, enough func(lts.Facts) bool) lts.Facts {
	for _, candidates := range []lts.Facts{first, ^first} {
		for i := range w.n {
			fact := lts.Facts(1) << i
			if candidates&fact != 0 && enough(kept&^fact) {
				kept &^= fact
			}
		}
	}
	return kept
}

// becomesImpossible reports whether the property becomes impossible when state q reads the label with
// any facts that agree with actual on the set compared.
func (w *valueWords) becomesImpossible(q property.Q, label int, actual, compared lts.Facts) bool {
	for facts := range lts.Facts(1) << w.n {
		agrees := (facts^actual)&compared == 0
		letter := valueLetter{label: label, facts: facts}
		if agrees && w.words.CanAccept(w.p.Next(q, w.number[letter])) {
			return false
		}
	}
	return true
}

// factTexts returns the text of the atom for each selected fact. Atoms that do not hold are negated by
// the given function.
func (d diagnosis) factTexts(selected, holding lts.Facts, negate func(name string) string) []string {
	texts := []string{}
	for i, name := range d.a.m.Alphabet().FactNames() {
		fact := lts.Facts(1) << i
		if selected&fact == 0 {
			continue
		}
		if holding&fact != 0 {
			texts = append(texts, name)
		} else {
			texts = append(texts, negate(name))
		}
	}
	return texts
}

// negated returns the negation of an atom as formulas have it.
func negated(name string) string {
	if isIdentifier().MatchString(name) {
		return "!" + name
	}
	return "!(" + name + ")"
}

// negation returns the negation of an atom for the reader: in TLA+, whose models have idle steps, ~P.
func (d diagnosis) negation(name string) string {
	text := negated(name)
	if d.a.idle != "" {
		return "~" + strings.TrimPrefix(text, "!")
	}
	return text
}

// isIdentifier matches a name that needs no parentheses.
var isIdentifier = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_]\w*$`)
})

// opposite returns a function that negates an atom. If state s has a value to compare, the function
// uses the opposite operator (!= for =, >= for <). In place of an inequality with something that has no value in
// the table, such as a constant of a specification, it returns the value of the left side. Otherwise it
// returns [diagnosis.negation].
func (d diagnosis) opposite(s lts.State) func(name string) string {
	t := d.a.states
	s = d.a.inModel(s)
	return func(name string) string {
		a, _, isAtom, err := values.Read(name, 0)
		isAtom = isAtom && err == nil && t != nil
		if isAtom && holdsIn(t, s, a.Opposite()) {
			return a.Opposite().String()
		}
		if isAtom && a.IsInequality() && d.a.idle != "" {
			bound, operands := readIn(t, s, a)
			if bound != nil {
				text, exists := bound.LeftValue(operands...)
				if exists && len(text) <= mostInPlace {
					return text
				}
			}
		}
		return d.negation(name)
	}
}

// mostInPlace is the largest number of bytes of a value in place of an inequality.
const mostInPlace = 80

// holdsIn reports whether an atom holds in a state; it returns false if the state has no value to
// compare.
func holdsIn(t *lts.Values, s lts.State, a *values.Atom) bool {
	bound, operands := readIn(t, s, a)
	if bound == nil {
		return false
	}
	holds, err := bound.Holds(operands...)
	return err == nil && holds
}

// readIn returns an atom with the values that it reads in a state; nil if the state lacks one of them.
func readIn(t *lts.Values, s lts.State, a *values.Atom) (*values.Bound, []values.Value) {
	var names []string
	for _, p := range parametersOf(t) {
		names = append(names, p.Name)
	}
	bound, err := a.Bind(names)
	if err != nil {
		return nil, nil
	}
	var operands []values.Value
	for _, p := range bound.Parameters() {
		v := t.Value(s, p)
		if v == lts.NoValue {
			return nil, nil
		}
		operands = append(operands, values.Parse(t.Text(p, v)))
	}
	return bound, operands
}
