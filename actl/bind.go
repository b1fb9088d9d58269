package actl

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/multiaction"
	"github.com/inev-lts/inev/internal/lts/stochastic"
	"github.com/inev-lts/inev/internal/memoize"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Bind returns the property that f denotes for a model with alphabet a, and the warnings. Each
// pattern that matches no label of the model gets a warning that names the closest labels: such a
// property is well defined, and violated, but almost always a mistake. A pattern that recurs gets
// one warning, at its first step.
//
// Cost: one pass over the alphabet. A label costs O(its length) for all names and plain labels
// together, and one match for each glob and regular expression. For a formula with more than 64
// steps the property holds only the labels of its distinct patterns, otherwise also 16 bytes for
// each label of the model. Bind fails if ctx is done, because large alphabets and formulas take
// long.
func (f *Formula) Bind(
	ctx context.Context,
	a *lts.Alphabet,
) (_ *property.Property, _ []string, err error) {
	defer abort.Caught(&err)
	var patterns intern.List[string, property.Step]
	patternOf := make([]uint32, f.Len())
	b := newBinder(ctx, f.steps, a)
	w := newWarner(ctx, a, stepNoun)
	for i, pattern := range f.steps {
		abort.On(ctx.Err())
		numKnown := len(patterns.All)
		index := patterns.Index(pattern.key(), property.Step{Pattern: pattern})
		isNew := index == numKnown
		if isNew {
			patterns.All[index].Labels = b.labelsOf(pattern)
			patterns.All[index].Facts = factsOf(pattern, a)
			w.warn(i+1, pattern, b)
		}
		patternOf[i] = uint32(index)
	}
	return f.property(ctx, a, patterns.All, patternOf), w.warnings(), nil
}

// property returns the property of f. patterns has the distinct patterns with their labels, and
// order has the index of the pattern of each step.
func (f *Formula) property(
	ctx context.Context,
	a *lts.Alphabet,
	patterns []property.Step,
	order []uint32,
) *property.Property {
	isAboutStates := len(f.StateAtoms()) > 0
	isResponse := f.scope == property.Globally && f.kind == property.KindResponse
	switch {
	case f.IsChain():
		return abort.Must(property.Inev(ctx, a, patterns, order))
	case isResponse && !isAboutStates:
		return abort.Must(property.Response(ctx, a, patterns, order))
	}
	return abort.Must(property.Specify(ctx, a, f.specification(func(i int) property.Step {
		return patterns[order[i]]
	})))
}

// Specification returns the pattern with its scope; its steps have no labels yet.
// [Formula.Steps] are its steps, followed by the delimiters of the scope. Cost
// O(steps).
func (f *Formula) Specification() property.Specification {
	return f.specification(func(i int) property.Step {
		return property.Step{Pattern: f.steps[i]}
	})
}

// specification returns the pattern with its scope; step returns the step with an index.
func (f *Formula) specification(step func(i int) property.Step) property.Specification {
	s := property.Specification{
		Kind:  f.kind,
		Times: f.times,
		Scope: f.scope,
		Name:  f.String(),
	}
	for i := range f.main() {
		s.Steps = append(s.Steps, step(i))
	}
	from, to := f.delimiters()
	if from >= 0 {
		s.From = step(from)
	}
	if to >= 0 {
		s.To = step(to)
	}
	return s
}

// binder finds the labels of each distinct element of a formula.
type binder struct {
	ctx   context.Context
	found map[identity]*matched
	// names, plains and texts map the keys of bare names, other bare labels and quoted
	// labels to these elements; multis has the elements that are multi-actions, and wild has
	// those that are matched with every label.
	names, plains, texts map[string]*matched
	multis               map[string][]*matched
	wild                 []*matched
	quoted, sets         []*matched
	// internal are the labels that are i with a rate or a probability.
	internal []lts.Label
	// parts reports whether patterns also match parts of multi-actions.
	parts bool
	work  int
}

// matched is an element with its labels, ascending.
type matched struct {
	element element
	labels  []lts.Label
	// numWithPart is the number of multi-actions of which the element matches only a part. It matches these
	// only with the option that lets parts count. firstWithPart is the text of the first of them, and
	// lastWithPart is the label of the last.
	numWithPart   int
	firstWithPart string
	lastWithPart  lts.Label
}

// newBinder finds the labels of all elements of these patterns.
func newBinder(ctx context.Context, patterns []Pattern, a *lts.Alphabet) *binder {
	b := &binder{
		ctx:    ctx,
		found:  make(map[identity]*matched),
		names:  make(map[string]*matched),
		plains: make(map[string]*matched),
		texts:  make(map[string]*matched),
		multis: make(map[string][]*matched),
	}
	for _, pattern := range patterns {
		for _, e := range pattern.elements {
			if b.found[e.identity()] == nil {
				b.add(e)
			}
		}
	}
	if b.needsAllLabels() {
		b.matchAll(a)
	}
	b.matchInternal(a)
	for _, m := range b.quoted {
		m.addVariants(a, m.element.key)
	}
	return b
}

// needsAllLabels reports whether an element is about labels, so that it has to be matched with each of them.
func (b *binder) needsAllLabels() bool {
	hasNamed := len(b.names)+len(b.plains)+len(b.texts) > 0
	return hasNamed || len(b.wild)+len(b.multis)+len(b.sets) > 0
}

// addVariants adds all labels with this text to those of the element. Labels with the same text
// differ in facts about states.
func (m *matched) addVariants(a *lts.Alphabet, text string) {
	for _, l := range a.Variants(text) {
		if _, isBeginning := a.Facts(l); !isBeginning {
			m.labels = append(m.labels, l)
		}
	}
	slices.Sort(m.labels)
	m.labels = slices.Compact(m.labels)
}

// add stores an element in the map or list by which its labels are found.
func (b *binder) add(e element) {
	m := &matched{element: e}
	b.found[e.identity()] = m
	b.parts = b.parts || e.parts
	if e.multi != "" {
		b.multis[e.multi] = append(b.multis[e.multi], m)
	}
	switch e.kind {
	case state:
	case set:
		b.sets = append(b.sets, m)
	case name:
		b.names[e.key] = m
	case plain:
		b.plains[e.key] = m
	case quoted:
		b.quoted = append(b.quoted, m)
		b.texts[e.key] = m
	default:
		b.wild = append(b.wild, m)
	}
}

// isInternal reports whether an element is the bare word tau: the internal action, whatever the model calls it.
func (e *element) isInternal() bool { return e.kind == name && e.key == "tau" }

// matchInternal lets tau match the label i if the model has no label tau: CADP's name of the
// internal action is i.
func (b *binder) matchInternal(a *lts.Alphabet) {
	tau := b.names["tau"]
	if tau == nil || len(tau.labels) > 0 {
		return
	}
	tau.labels = append(tau.labels, b.internal...)
	tau.addVariants(a, "i")
}

// matchAll matches the elements with every label.
func (b *binder) matchAll(a *lts.Alphabet) {
	for l, text := range a.All() {
		if _, isBeginning := a.Facts(l); isBeginning {
			continue // its transitions only lead to initial states
		}
		b.count(len(text) + 1)
		b.matchLabel(l, text)
		action := stochastic.Action(text)
		hasRate := action != text
		if hasRate {
			b.matchLabel(l, action)
			b.texts[action].take(l)
		}
		if hasRate && action == "i" {
			b.internal = append(b.internal, l)
		}
		for _, m := range b.sets {
			isMember, _ := a.InSet(l, m.element.key)
			if isMember {
				m.take(l)
			}
		}
		b.matchMultiAction(l, text, action)
	}
	abort.On(b.ctx.Err())
}

// matchMultiAction matches label l as a multi-action, if it is one. Its text may add a rate or a probability
// to the action.
func (b *binder) matchMultiAction(l lts.Label, text, action string) {
	parts := multiaction.Parts(action)
	if parts == nil {
		return
	}
	if len(b.multis) > 0 {
		for _, m := range b.multis[multiAction(action)] {
			m.take(l)
		}
	}
	if !b.parts {
		b.notePart(l, text, parts)
		return
	}
	for _, part := range parts {
		b.matchLabel(l, part)
		b.texts[part].take(l)
	}
}

// notePart counts label l, a multi-action with these parts, for each element that matches one of its parts.
func (b *binder) notePart(l lts.Label, text string, parts []string) {
	for _, part := range parts {
		gate, _ := gateOf(part)
		for _, m := range []*matched{b.names[gate], b.plains[part], b.texts[part]} {
			m.notePart(l, text)
		}
	}
}

// notePart counts a multi-action of which the element matches a part, once even if it matches several
// parts. m may be nil.
func (m *matched) notePart(l lts.Label, text string) {
	if m == nil {
		return
	}
	isCounted := m.numWithPart > 0 && m.lastWithPart == l
	if isCounted {
		return
	}
	if m.numWithPart == 0 {
		m.firstWithPart = text
	}
	m.numWithPart++
	m.lastWithPart = l
}

// count adds to the work since ctx was last checked.
func (b *binder) count(work int) {
	b.work += work
	if b.work > stopEvery {
		b.work = 0
		abort.On(b.ctx.Err())
	}
}

// matchLabel adds label l to the elements that match a text: the text of l, or a part of that text.
func (b *binder) matchLabel(l lts.Label, text string) {
	if len(b.names) > 0 {
		if gate, ok := gateOf(text); ok {
			b.names[gate].take(l)
		}
	}
	if len(b.plains) > 0 {
		b.plains[multiaction.Tight(text)].take(l)
	}
	stop := func() bool { return b.ctx.Err() != nil }
	for _, m := range b.wild {
		size := len(m.element.key)
		b.count(size + len(text))
		matches := false
		switch m.element.kind {
		case regex:
			matches = regexpMatches(b.ctx, m.element.re, size, text)
		case glob:
			matches = globMatches(m.element.key, multiaction.Tight(text), stop)
		}
		if matches {
			m.take(l)
		}
	}
}

// take adds l to the labels of m, which may be nil.
func (m *matched) take(l lts.Label) {
	if m != nil && (len(m.labels) == 0 || m.labels[len(m.labels)-1] != l) {
		m.labels = append(m.labels, l)
	}
}

// of returns the labels of e.
func (b *binder) of(e *element) []lts.Label { return b.found[e.identity()].labels }

// labelsOf returns the labels of pattern, ascending.
func (b *binder) labelsOf(pattern Pattern) []lts.Label {
	if len(pattern.elements) == 1 {
		return b.of(&pattern.elements[0])
	}
	var labels []lts.Label
	for i := range pattern.elements {
		labels = append(labels, b.of(&pattern.elements[i])...)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// UnmatchedError reports steps that match no label of the model. Such a property is well defined,
// and violated, but hardly ever intended, so commands refuse it unless a flag allows it.
type UnmatchedError struct {
	// Noun is the noun for the formula's patterns: step, or atom.
	Noun string
	// Step is the first step without labels, counted from 1, and Pattern is its pattern.
	Step    int
	Pattern Pattern
	// Hint names the closest labels, as part of a sentence.
	Hint string
	// Whole is a multi-action of the model that the pattern would match with [WithParts], because
	// it matches a part; "" if there is none.
	Whole string
	// Others are the other unmatched steps, ascending.
	Others []int
}

func (e *UnmatchedError) Error() string {
	if e == nil {
		return "<nil>"
	}
	text := fmt.Sprintf("%s %d, %s, matches no label of the model; %s", e.Noun, e.Step,
		mention(e.Pattern), e.Hint)
	n := len(e.Others)
	switch {
	case n == 1:
		text += fmt.Sprintf(" (nor does %s %d)", e.Noun, e.Others[0])
	case n > 1:
		text += fmt.Sprintf(" (nor do %d other %ss)", n, e.Noun)
	}
	return text
}

// A returns the noun with its article: a step, an atom.
func (e *UnmatchedError) A() string {
	if e.Noun == atomNoun {
		return "an " + e.Noun
	}
	return "a " + e.Noun
}

// Unmatched returns nil if all steps of f have labels in a, and otherwise an *[UnmatchedError] that
// names the first step without labels, with the closest labels. A step that is a set has labels if
// one of its members has. Once ctx is done, the error is ctx.Err().
//
// Cost: as much as finding the labels in [Formula.Bind], and as finding one suggestion.
func (f *Formula) Unmatched(ctx context.Context, a *lts.Alphabet) error {
	return Unmatched(ctx, stepNoun, f.steps, a)
}

// Unmatched is [Formula.Unmatched] for other patterns: the atoms of a formula, or the patterns of a
// flag. The error calls one of them by the noun, such as "atom".
func Unmatched(
	ctx context.Context,
	noun string,
	patterns []Pattern,
	a *lts.Alphabet,
) (err error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("a", a),
	); err != nil {
		return err
	}
	defer abort.Caught(&err)
	b := newBinder(ctx, patterns, a)
	// A formula may name values, sets and internal actions that the model does not have.
	isMatched := func(e element) bool {
		return e.kind == state || e.kind == set || e.isInternal() || len(b.of(&e)) > 0
	}
	var first *UnmatchedError
	for i, pattern := range patterns {
		if slices.ContainsFunc(pattern.elements, isMatched) {
			continue
		}
		if first != nil {
			first.Others = append(first.Others, i+1)
			continue
		}
		w := newWarner(ctx, a, noun)
		first = &UnmatchedError{
			Noun:    noun,
			Step:    i + 1,
			Pattern: pattern,
			Hint:    w.hint(pattern.elements),
			Whole:   w.multiActionWithPart(pattern.elements),
		}
	}
	if first != nil && ctx.Err() == nil {
		return first
	}
	return ctx.Err()
}

// mostLetters is the largest number of [Letters].
const mostLetters = 1 << 12

// Letters is an alphabet for actions whose labels are not known yet. Each letter represents a set
// of patterns that one label may match. It is immutable.
type Letters struct {
	patterns []Pattern
	alphabet *lts.Alphabet
	steps    []property.Step
	of       map[string]lts.Label
	// atoms are the n atoms about values of states. An action with letter l before facts are added,
	// whose target has facts f, has letter l·2^n + f. The letters with which runs begin come after
	// all these.
	atoms []*values.Atom
	bases int // the number of letters before facts are added
}

// NewLetters returns the letters of these patterns: one for each set of patterns that some label
// matches. The sets are exact for names, labels and sets of these. Of globs only the text before
// the first wildcard is compared, and a regular expression is assumed to match or not to match
// independently of the other patterns. It fails if there would be more than 4,096 letters. Cost
// O(members · patterns), and that of 2^n combinations for n globs and regular expressions.
func NewLetters(patterns []Pattern) (_ *Letters, err error) {
	defer abort.Caught(&err)
	l := &Letters{
		patterns: patterns,
		of:       map[string]lts.Label{},
		steps:    make([]property.Step, len(patterns)),
	}
	for i, p := range patterns {
		l.steps[i].Pattern = p
	}
	var names []string
	for n, chosen := range combined(patterns) {
		names = append(names, strconv.Itoa(n))
		l.of[fmt.Sprint(chosen)] = lts.Label(n)
		for _, i := range chosen {
			l.steps[i].Labels = append(l.steps[i].Labels, lts.Label(n))
		}
	}
	l.alphabet = abort.Must(lts.NewAlphabet(names))
	l.bases = len(names)
	l.atoms = StateAtoms(l.patterns)
	if len(l.atoms) > 0 {
		l.refine()
	}
	return l, nil
}

// refine replaces each letter by one letter for each combination of facts about values of states.
func (l *Letters) refine() {
	var atoms []string
	for _, a := range l.atoms {
		atoms = append(atoms, a.String())
	}
	l.alphabet = abort.Must(l.alphabet.RefinedLetters(atoms, 1<<16))
	combinations := lts.Facts(1) << len(atoms)
	for i := range l.steps {
		var all []lts.Label
		for _, base := range l.steps[i].Labels {
			for facts := range combinations {
				all = append(all, l.To(base, facts))
			}
		}
		l.steps[i].Labels = all
		l.steps[i].Facts = factsOf(l.patterns[i], l.alphabet)
	}
}

// StateAtoms returns the atoms about values of states. Each letter says which of them are true.
func (l *Letters) StateAtoms() []*values.Atom { return l.atoms }

// To returns the letter for an action with this letter whose target has these
// facts.
func (l *Letters) To(letter lts.Label, facts lts.Facts) lts.Label {
	return letter<<len(l.atoms) + lts.Label(facts)
}

// Begin returns the letter with which a run begins in a state with these facts.
func (l *Letters) Begin(facts lts.Facts) lts.Label { return l.To(lts.Label(l.bases), facts) }

// Of returns the letter of a label; false if the label matches patterns that were assumed to
// exclude each other. Cost: as much as matching each pattern.
func (l *Letters) Of(label string) (lts.Label, bool) {
	letter, known := l.of[fmt.Sprint(matching(l.patterns, label))]
	return letter, known
}

// matching returns the indexes of the patterns that match a label.
func matching(patterns []Pattern, label string) []int {
	chosen := []int{}
	for i, p := range patterns {
		if p.Matches(label) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// Alphabet returns the letters as labels. It must not be changed.
func (l *Letters) Alphabet() *lts.Alphabet { return l.alphabet }

// Steps returns the patterns with their letters. They must not be changed.
func (l *Letters) Steps() []property.Step { return l.steps }

// BindLetters returns the property over letters that f denotes for actions with
// any labels.
func (f *Formula) BindLetters(ctx context.Context) (_ *property.Property, _ *Letters, err error) {
	defer abort.Caught(&err)
	var patterns intern.List[string, Pattern]
	order := make([]uint32, len(f.steps))
	for i, p := range f.steps {
		order[i] = uint32(patterns.Index(p.key(), p))
	}
	l := abort.Must(NewLetters(patterns.All))
	return f.property(ctx, l.alphabet, l.steps, order), l, nil
}

// mostWild is the largest number of globs and regular expressions whose
// combinations are enumerated.
const mostWild = 16

// combinations finds the sets of patterns that a label can match together.
type combinations struct {
	patterns []Pattern
	// names maps each bare name to the patterns that have it, ascending; wild are
	// the globs and regular expressions.
	names map[string][]int
	wild  []wildElement
	found map[string][]int
}

// wildElement is a glob or regular expression, with the patterns that contain it.
type wildElement struct {
	element
	in []int
	// prefix is the text with which all matching labels begin. matchesRest reports that every label
	// with this prefix matches.
	prefix      string
	matchesRest bool
}

// newWild returns a glob or regular expression, which no pattern contains yet.
func newWild(e element) wildElement {
	if e.kind == regex {
		return wildElement{element: e, matchesRest: matchesNothing(e.text)}
	}
	firstWildcard := strings.IndexAny(e.key, "*?")
	if firstWildcard < 0 {
		return wildElement{element: e, prefix: e.key}
	}
	rest := e.key[firstWildcard:]
	return wildElement{
		element:     e,
		prefix:      e.key[:firstWildcard],
		matchesRest: strings.Trim(rest, "*") == "",
	}
}

// matchesNothing reports whether a regular expression matches the empty text at any position, and
// so finds a match in every label.
func matchesNothing(source string) bool {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return false
	}
	var empty func(*syntax.Regexp) bool
	empty = func(re *syntax.Regexp) bool {
		switch re.Op {
		case syntax.OpEmptyMatch, syntax.OpStar, syntax.OpQuest:
			return true
		case syntax.OpPlus, syntax.OpCapture, syntax.OpConcat:
			return !slices.ContainsFunc(re.Sub, func(re *syntax.Regexp) bool {
				return !empty(re)
			})
		case syntax.OpRepeat:
			return re.Min == 0 || empty(re.Sub[0])
		case syntax.OpAlternate:
			return slices.ContainsFunc(re.Sub, empty)
		}
		return false
	}
	return empty(re)
}

// combined returns the sets of patterns that a label can match together, each
// ascending, in an order that depends only on the patterns.
func combined(patterns []Pattern) [][]int {
	c := &combinations{
		patterns: patterns,
		names:    map[string][]int{},
		found:    map[string][]int{},
	}
	c.collect()
	c.addNamed()
	// The gate "" represents all gates that are not bare names of the patterns.
	for _, gate := range append([]string{""}, slices.Sorted(maps.Keys(c.names))...) {
		c.addWild(gate, make([]bool, 0, len(c.wild)))
		c.limit(mostLetters)
	}
	c.addMultiActions()
	return slices.SortedFunc(maps.Values(c.found), compareSets)
}

// collect finds the bare names, and the globs and regular expressions, with the patterns that contain them. It
// fails if there are too many globs and regular expressions.
func (c *combinations) collect() {
	var wild intern.List[identity, wildElement]
	for i, p := range c.patterns {
		for _, e := range p.elements {
			switch e.kind {
			case name:
				c.names[e.key] = append(c.names[e.key], i)
			case glob, regex:
				n := wild.Index(e.identity(), newWild(e))
				wild.All[n].in = append(wild.All[n].in, i)
			}
		}
	}
	c.wild = wild.All
	if len(c.wild) > mostWild {
		abort.On(fmt.Errorf("the patterns have %d globs and regular expressions, and at most %d can be told apart without a model; write them as sets of names", len(c.wild), mostWild))
	}
}

// addNamed adds the sets for labels that elements name: it is known exactly which patterns match them.
func (c *combinations) addNamed() {
	for _, p := range c.patterns {
		for _, e := range p.elements {
			for _, label := range withRates(e.namedLabels()) {
				c.add(matching(c.patterns, label))
			}
		}
		c.limit(mostLetters)
	}
}

// namedLabels returns the labels that an element names, one for each way to write their blanks.
func (e *element) namedLabels() []string {
	switch e.kind {
	case plain:
		return []string{
			e.text,
			e.key,
			" " + e.key,
			strings.ReplaceAll(e.key, ",", ", "),
			strings.ReplaceAll(e.key, ",", ",  "),
		}
	case quoted:
		return []string{e.text}
	}
	return nil
}

// withRates adds, for each label, the label with a rate and the label with a probability, because
// globs and regular expressions distinguish them.
func withRates(labels []string) []string {
	all := labels
	for _, label := range labels {
		all = append(all, label+"; rate 1.0", label+"; prob 0.5")
	}
	return all
}

// compareSets orders two sets by the smallest number in only one of them: the set
// with this number comes last.
func compareSets(a, b []int) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(b[i], a[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

// addMultiActions adds the sets of patterns that a multi-action can match together, if an element may
// match one part of it. Then the patterns that match a multi-action are those that match one of its parts,
// and those with globs and regular expressions that match it as a whole: a union of such sets.
func (c *combinations) addMultiActions() {
	matchesParts := func(p Pattern) bool {
		return slices.ContainsFunc(p.elements, func(e element) bool { return e.parts })
	}
	if !slices.ContainsFunc(c.patterns, matchesParts) {
		return
	}
	var generators [][]int // the sets that are united
	for _, key := range slices.Sorted(maps.Keys(c.found)) {
		generators = append(generators, c.found[key])
	}
	for _, w := range c.wild {
		generators = append(generators, w.in)
	}
	unions := slices.Clone(generators)
	for i := 0; i < len(unions); i++ { // the loop appends to unions
		for _, set := range generators {
			union := unionOf(unions[i], set)
			if _, isKnown := c.found[fmt.Sprint(union)]; isKnown {
				continue
			}
			c.limit(mostLetters - 1)
			c.add(union)
			unions = append(unions, union)
		}
	}
}

// unionOf returns the union of two sets, ascending and not nil.
func unionOf(a, b []int) []int {
	both := slices.Concat(a, b)
	slices.Sort(both)
	return append([]int{}, slices.Compact(both)...)
}

// limit fails if more sets have been found than allowed.
func (c *combinations) limit(most int) {
	if len(c.found) > most {
		abort.On(fmt.Errorf("the patterns can match actions in more than %d ways; write them so that fewer of them overlap", mostLetters))
	}
}

// add adds the set of these patterns, which are ascending.
func (c *combinations) add(chosen []int) { c.found[fmt.Sprint(chosen)] = chosen }

// addWild adds sets for labels that no pattern names. The labels have this gate, or none of the
// known gates if gate is "". There is a set for each combination of globs and regular expressions
// that begins with the choices in decided.
func (c *combinations) addWild(gate string, decided []bool) {
	if len(c.found) > mostLetters {
		return
	}
	if len(decided) == len(c.wild) {
		c.addDecided(gate, decided)
		return
	}
	decided = slices.Clip(decided) // so that both choices get copies
	mustMatch, canMatch := c.matchesNext(gate, decided)
	if !mustMatch {
		c.addWild(gate, append(decided, false))
	}
	if canMatch {
		c.addWild(gate, append(decided, true))
	}
}

// addDecided adds the set for labels with this gate that match exactly these globs and regular
// expressions.
func (c *combinations) addDecided(gate string, decided []bool) {
	chosen := append([]int{}, c.names[gate]...)
	for i, matches := range decided {
		if matches {
			chosen = append(chosen, c.wild[i].in...)
		}
	}
	slices.Sort(chosen)
	c.add(slices.Compact(chosen))
}

// matchesNext reports whether a label with this gate, for which the first globs and regular expressions
// are decided, must match the next one, and whether it can.
func (c *combinations) matchesNext(gate string, decided []bool) (must, can bool) {
	next := &c.wild[len(decided)]
	must = next.matchesRest && strings.HasPrefix(gate, next.prefix)
	can = gate == "" || next.mayBeginAs(gate)
	for i, matches := range decided {
		other := &c.wild[i]
		if matches {
			can = can && compatible(other.prefix, next.prefix)
			must = must || other.implies(next)
		} else {
			can = can && !next.implies(other)
		}
	}
	return must, can
}

// mayBeginAs reports whether a label with this gate may begin as w does.
func (w *wildElement) mayBeginAs(gate string) bool {
	if len(w.prefix) <= len(gate) {
		return strings.HasPrefix(gate, w.prefix)
	}
	afterGate, hasGate := strings.CutPrefix(w.prefix, gate)
	return hasGate && strings.IndexByte(" \t(;", afterGate[0]) >= 0
}

// compatible reports whether some text has both texts as prefixes.
func compatible(a, b string) bool { return strings.HasPrefix(a, b) || strings.HasPrefix(b, a) }

// implies reports whether every label that matches w is known to match v.
func (w *wildElement) implies(v *wildElement) bool {
	return v.matchesRest && strings.HasPrefix(w.prefix, v.prefix)
}

// maxWarnings is the number of patterns without labels that have a warning each.
const maxWarnings = 20

// warner collects the warnings about patterns that match no label.
type warner struct {
	ctx      context.Context
	alphabet *lts.Alphabet
	noun     string   // the noun for patterns
	nearest  *nearest // made for the first warning
	texts    []string
	// numOmitted is the number of patterns without labels beyond maxWarnings.
	numOmitted int
	// hasWarnedOfParts reports that there is a warning about parts of multi-actions.
	hasWarnedOfParts bool
}

func newWarner(ctx context.Context, a *lts.Alphabet, noun string) *warner {
	return &warner{ctx: ctx, alphabet: a, noun: noun}
}

// warn adds the warnings about the pattern of a step: that it matches no label, or only labels of
// transitions that no run reaches. The binder b has found the labels.
func (w *warner) warn(step int, pattern Pattern, b *binder) {
	var without []element
	mayHappen := false
	for _, e := range pattern.elements {
		labels := b.of(&e)
		isSilent := e.isInternal() && len(labels) == 0 // a model without internal actions is no surprise
		switch {
		case e.kind == state || e.kind == set || isSilent:
			mayHappen = true
		case len(labels) == 0:
			without = append(without, e)
		default:
			mayHappen = mayHappen || slices.ContainsFunc(labels, w.alphabet.Happens)
		}
		if e.isInternal() && w.hasBoth(labels) && len(w.texts) < maxWarnings {
			w.add("%s %d, tau: the model has the label i, too, which is another action here",
				w.noun, step)
		}
	}
	matchesNone := len(without) == len(pattern.elements)
	isFull := len(w.texts) >= maxWarnings
	switch {
	case !matchesNone && !mayHappen && !isFull:
		w.add("%s %d, %s, %s", w.noun, step, mention(pattern), NeverHappens)
	case !matchesNone && len(without) == 0:
		w.warnOfParts(step, pattern, b)
	case isFull:
		w.numOmitted++
	case matchesNone:
		w.add("%s %d, %s, matches no label of the model, so it never happens; %s",
			w.noun, step, mention(pattern), w.hint(without))
	default:
		w.warnEach(step, pattern, without)
	}
}

// warnOfParts warns about the first element that matches a part of a multi-action of the model, but
// not the multi-action: b, for example, matches only a part of a|b. Only the first such element of
// a formula gets a warning. The warning names the option with which the element matches the
// multi-action.
func (w *warner) warnOfParts(step int, pattern Pattern, b *binder) {
	for i := range pattern.elements {
		m := b.found[pattern.elements[i].identity()]
		if w.hasWarnedOfParts || m == nil || m.numWithPart == 0 || pattern.Matches(m.firstWithPart) {
			continue
		}
		w.hasWarnedOfParts = true
		whole := shortened(PatternFor(m.firstWithPart))
		part := mention(Pattern{elements: pattern.elements[i : i+1]})
		if m.numWithPart == 1 {
			w.add("%s %d: %s does not match the multi-action %s, of which it is a part; %v matches it",
				w.noun, step, part, whole, hint.Parts)
			continue
		}
		w.add("%s %d: %s does not match %d multi-actions of which it is a part, such as %s; %v matches them",
			w.noun, step, part, m.numWithPart, whole, hint.Parts)
	}
}

// warnEach warns about the elements of a set that match no label.
func (w *warner) warnEach(step int, pattern Pattern, without []element) {
	text := shortened(pattern.String())
	for i, e := range without {
		if len(w.texts) >= maxWarnings {
			w.numOmitted += len(without) - i
			return
		}
		w.add("%s %d, %s: %s matches no label of the model; %s",
			w.noun, step, text, mention(Pattern{elements: []element{e}}), w.hint([]element{e}))
	}
}

// hasBoth reports whether the model has transitions with labels that tau matches and also
// transitions with a label i that tau does not match.
func (w *warner) hasBoth(tau []lts.Label) bool {
	return slices.ContainsFunc(tau, w.alphabet.Happens) &&
		slices.ContainsFunc(w.alphabet.Variants("i"), func(l lts.Label) bool {
			return w.alphabet.Happens(l) && !slices.Contains(tau, l)
		})
}

// NeverHappens ends a warning about a pattern that matches only labels of transitions that no run
// reaches.
const NeverHappens = "never happens: no run of the model reaches a transition that it matches"

func (w *warner) add(format string, a ...any) {
	w.texts = append(w.texts, fmt.Sprintf(format, a...))
}

// warnings returns what was collected.
func (w *warner) warnings() []string {
	if w.numOmitted > 0 {
		w.add("%d more patterns match no label of the model", w.numOmitted)
		w.numOmitted = 0
	}
	return w.texts
}

// mention returns a pattern for use in a sentence.
func mention(p Pattern) string {
	text := shortened(p.String())
	if len(p.elements) != 1 || p.elements[0].kind == quoted || p.elements[0].kind == regex {
		return text
	}
	return `"` + text + `"`
}

// longestHint is the largest number of characters of a label in a suggestion,
// because a warning is one line for people.
const longestHint = 120

// shortened returns a text of at most longestHint characters, the last of which is … if some were left out.
// It reads only the beginning of the text: a label can have a hundred megabytes.
func shortened(text string) string {
	numBefore := 0       // characters before the offset
	lastIfShortened := 0 // the offset of the character that … replaces
	for offset := range text {
		switch numBefore {
		case longestHint - 1:
			lastIfShortened = offset
		case longestHint:
			return text[:lastIfShortened] + "…"
		}
		numBefore++
	}
	return text
}

// hint names labels that may have been meant by elements without labels.
func (w *warner) hint(elements []element) string {
	if len(elements) == 0 {
		return "it is the empty set"
	}
	if w.meansTau(elements) {
		return "the internal action of this model is tau"
	}
	wild := w.globInQuotes(elements)
	if wild != "" {
		return "in quotes, * and ? are no wildcards: write " + shortened(wild) + " without quotes"
	}
	whole := w.multiActionWithPart(elements)
	if whole != "" {
		return "it is a part of the multi-action " + shortened(PatternFor(whole)) +
			", which it matches only where parts count"
	}
	steps := w.stepsInSemicolons(elements)
	if len(steps) > 0 {
		return "commas separate steps: " + shortened(strings.Join(steps, ", "))
	}
	parts := w.actionsOfMultiAction(elements)
	if len(parts) > 0 {
		return "it is one multi-action, of " + shortened(strings.Join(parts, " and ")) +
			"; any of them is " + shortened("{"+strings.Join(parts, ", ")+"}") +
			" or, in a formula, " + shortened(strings.Join(parts, " || "))
	}
	patterns, similar := w.candidates().closest(w.ctx, elements)
	patterns = w.candidates().writtenIn(elements[0].notation, patterns)
	for i, p := range patterns {
		patterns[i] = shortened(p)
	}
	switch {
	case len(patterns) == 0:
		return "the model has no labels"
	case similar:
		return "did you mean " + strings.Join(patterns, ", ") + "?"
	}
	known := "none is similar: the model has " + strings.Join(patterns, ", ")
	if len(w.candidates().candidates) > len(patterns) {
		known += ", …"
	}
	return known
}

// stepsInSemicolons returns the parts of a step such as A; B if each is a label or a gate of the
// model: several steps were probably meant. It returns nil for other steps.
func (w *warner) stepsInSemicolons(elements []element) []string {
	if len(elements) != 1 || elements[0].kind == quoted || elements[0].kind == regex {
		return nil
	}
	parts := strings.Split(elements[0].text, ";")
	if len(parts) == 1 {
		return nil
	}
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
		if !w.isLabelOrGate(parts[i]) {
			return nil
		}
	}
	return parts
}

// isLabelOrGate reports whether a pattern is that of a label or gate of the model.
func (w *warner) isLabelOrGate(pattern string) bool {
	return slices.ContainsFunc(w.candidates().candidates, func(c candidate) bool { return c.pattern == pattern })
}

// actionsOfMultiAction returns patterns for the parts of a multi-action such as a|b if each part is a label or gate of
// the model: any of these actions was probably meant. It returns nil for other steps.
func (w *warner) actionsOfMultiAction(elements []element) (patterns []string) {
	if len(elements) != 1 || elements[0].kind == regex {
		return nil
	}
	for _, part := range multiaction.Parts(elements[0].text) {
		pattern := PatternFor(part)
		if !w.isLabelOrGate(pattern) {
			return nil
		}
		patterns = append(patterns, pattern)
	}
	return patterns
}

// globInQuotes returns the text of the first element in quotes that would match a label if it had no
// quotes, since its * and ? would be wildcards then; "" if there is none. Like the search for the closest
// labels, it looks at the first labels only.
func (w *warner) globInQuotes(elements []element) string {
	work := 0
	for _, e := range elements[:min(len(elements), nearestMeant)] {
		wild := newBare(e.text)
		if e.kind != quoted || wild.kind != glob {
			continue
		}
		for l, text := range w.alphabet.All() {
			work += len(text) * len(wild.key)
			if l >= nearestLabels || work > nearestWork || w.ctx.Err() != nil {
				break
			}
			if wild.matchesWhole(text) {
				return wild.text
			}
		}
	}
	return ""
}

// meansTau reports whether an element is i, CADP's name of the internal action, although the model
// calls this action tau.
func (w *warner) meansTau(elements []element) bool {
	_, has := w.alphabet.Lookup("tau")
	return has && slices.ContainsFunc(elements, func(e element) bool { return e.text == "i" })
}

// nearestOf is the key by which a [memoize.Memory] finds the candidates of an alphabet.
type nearestOf struct{ alphabet *lts.Alphabet }

// candidates returns the labels and gates of the alphabet, which are collected for the first warning.
func (w *warner) candidates() *nearest {
	if w.nearest == nil {
		w.nearest = memoize.Of(w.ctx, nearestOf{w.alphabet}, func() *nearest {
			return newNearest(w.alphabet)
		})
	}
	return w.nearest
}

// multiActionWithPart returns a multi-action of the model with a part that some element matches,
// "" if there is none. It searches only the first labels, as the search for the
// closest labels does.
func (w *warner) multiActionWithPart(elements []element) string {
	elements = elements[:min(len(elements), nearestMeant)]
	work := 0
	for l, text := range w.alphabet.All() {
		if l >= nearestLabels || work > nearestWork || w.ctx.Err() != nil {
			break
		}
		for _, part := range multiaction.Parts(text) {
			for i := range elements {
				e := &elements[i]
				work += len(part) + len(e.key)
				if e.kind != regex && e.matchesWhole(part) {
					return text
				}
			}
		}
	}
	return ""
}

const (
	// nearestLabels limits the labels that are compared, and nearestBytes limits the part of each
	// label. nearestWork limits the product of the lengths of the texts that are compared for one
	// suggestion, to about 20 ms of work: a suggestion must not take longer than the analysis.
	// nearestShown is the number of suggestions.
	nearestLabels = 100_000
	nearestBytes  = 200
	nearestWork   = 20_000_000
	nearestShown  = 3
	// nearestMeant is the largest number of elements of a set that are compared.
	nearestMeant = 1000
)

// noBlanks removes blanks and quotes. It makes the field squeezed of [folded].
var noBlanks = strings.NewReplacer(" ", "", "\t", "", `"`, "")

// nearest finds the labels and gates of a model that a pattern without labels may
// have meant.
type nearest struct {
	candidates []candidate
}

// candidate is a label, or the gate of labels with offers or arguments. No two
// candidates have the same pattern.
type candidate struct {
	pattern    string // as a user would type it
	label      string // the label or, of a gate, its first label
	full, gate folded // the label and its gate; equal if the candidate is a gate
	isGate     bool
}

// folded is a text in lower case; squeezed also lacks blanks and quotes; runes is
// the length of text in characters.
type folded struct {
	text, squeezed string
	runes          int
}

func fold(text string) folded {
	lower := strings.ToLower(text[:min(len(text), nearestBytes)])
	return folded{
		text:     lower,
		squeezed: noBlanks.Replace(lower),
		runes:    utf8.RuneCountInString(lower),
	}
}

// target is what was typed, and its gate, which is the whole if it has no offers and no arguments.
type target struct{ full, gate folded }

func newTarget(text string) target {
	t := target{full: fold(text)}
	t.gate = t.full
	if gate, hasGate := gateOf(text); hasGate {
		t.gate = fold(gate)
	}
	return t
}

// newNearest collects the candidates of a model with alphabet a. Cost O(size of
// a), bounded.
func newNearest(a *lts.Alphabet) *nearest {
	n := &nearest{}
	gates := make(map[string]folded)
	for l, text := range a.All() {
		if l >= nearestLabels {
			break
		}
		if _, isBeginning := a.Facts(l); isBeginning {
			continue
		}
		c := candidate{pattern: PatternFor(text), label: text, full: fold(text)}
		c.gate = c.full
		gate, hasGate := gateOf(text)
		if hasGate && gate != text && isName(gate) {
			if _, isKnown := gates[gate]; !isKnown {
				gates[gate] = fold(gate)
				n.addGate(a, gate, gates[gate], text)
			}
			c.gate = gates[gate]
		}
		n.candidates = append(n.candidates, c)
	}
	return n
}

// addGate adds a gate of labels with offers or arguments, unless a label consists of the gate alone. label is
// its first label.
func (n *nearest) addGate(a *lts.Alphabet, gate string, text folded, label string) {
	if _, isLabel := a.Lookup(gate); isLabel {
		return
	}
	n.candidates = append(n.candidates, candidate{
		pattern: gate,
		label:   label,
		full:    text,
		gate:    text,
		isGate:  true,
	})
}

// guess is a candidate with its distance from what was typed.
type guess struct {
	pattern string
	// isSame reports whether the texts differ only in case, blanks and quotes.
	isSame bool
	// gateEdits is the number of edits to the label or to its gate, whichever is closer, and
	// labelEdits is the number of edits to the label.
	gateEdits, labelEdits int
	// isSimilar reports whether a typing error may explain the edits.
	isSimilar bool
}

// compareGuesses puts the better guess first.
func compareGuesses(x, y guess) int {
	switch {
	case x.isSame && !y.isSame:
		return -1
	case y.isSame && !x.isSame:
		return 1
	case x.isSimilar && !y.isSimilar:
		return -1
	case y.isSimilar && !x.isSimilar:
		return 1
	}
	return cmp.Or(cmp.Compare(x.gateEdits, y.gateEdits), cmp.Compare(x.labelEdits, y.labelEdits),
		cmp.Compare(x.pattern, y.pattern))
}

// closest returns up to nearestShown patterns that these elements may have meant, the
// closest first. It reports whether they are similar to any of the elements;
// otherwise they are merely the closest. Beyond nearestWork it finds only
// candidates that differ in nothing but case, blanks and quotes. It stops early
// if ctx is done. Cost O(elements · candidates + nearestWork), with at most
// nearestMeant elements.
func (n *nearest) closest(
	ctx context.Context,
	elements []element,
) (patterns []string, similar bool) {
	elements = elements[:min(len(elements), nearestMeant)]
	targets := make([]target, len(elements))
	for i := range elements {
		targets[i] = newTarget(elements[i].gist())
	}
	// A text in quotes, such as every action of the mu-calculus, means exactly one label. So labels
	// are proposed before the gate of the same name, which must be written without quotes.
	wantsLabels := !slices.ContainsFunc(elements, func(e element) bool { return e.kind != quoted })
	gate := "" // the gate whose name, except for case, was typed in quotes
	var g guessing
	for i := range n.candidates {
		if i%256 == 0 && ctx.Err() != nil {
			break
		}
		c := &n.candidates[i]
		if wantsLabels && c.isGate {
			if slices.ContainsFunc(targets, func(t target) bool { return t.full == c.full }) {
				gate = c.pattern
			}
			continue
		}
		for _, target := range targets {
			g.add(c, target)
		}
	}
	patterns, similar = g.patterns()
	if gate != "" {
		patterns = append(patterns[:min(len(patterns), nearestShown-1)], gate)
	}
	return patterns, similar
}

// guessing has the best guesses so far, and the work that they took.
type guessing struct {
	best []guess
	work int
}

// patterns returns the patterns of the guesses that are as likely as the best one: beside a guess that leaves
// no doubt, others only distract. It reports whether they are similar to what was typed.
func (g *guessing) patterns() (patterns []string, similar bool) {
	if len(g.best) == 0 {
		return nil, false
	}
	first := g.best[0]
	for _, guess := range g.best {
		if guess.isSame == first.isSame && guess.isSimilar == first.isSimilar {
			patterns = append(patterns, guess.pattern)
		}
	}
	return patterns, first.isSimilar
}

// add adds a candidate to the guesses about what a text means, if the candidate is among the best.
func (g *guessing) add(c *candidate, typed target) {
	isSame := typed.full.squeezed == c.full.squeezed
	// At least as many edits are needed as the lengths differ.
	leastEdits := min(c.full.difference(typed.full), c.gate.difference(typed.full))
	isHopeless := len(g.best) == nearestShown && leastEdits > g.best[nearestShown-1].gateEdits
	if !isSame && (isHopeless || g.work > nearestWork) {
		return
	}
	g.work += typed.full.runes * (c.full.runes + c.gate.runes)
	made := guess{pattern: c.pattern, isSame: isSame}
	made.labelEdits = typed.full.edits(c.full)
	made.gateEdits = made.labelEdits
	made.isSimilar = isSame || typed.full.isSlipOf(c.full, made.labelEdits)
	if c.gate != c.full {
		edits := typed.full.edits(c.gate)
		made.gateEdits = min(made.gateEdits, edits)
		made.isSimilar = made.isSimilar || typed.full.isSlipOf(c.gate, edits)
	}
	// The gate is right, or nearly, and the offers are not.
	if typed.gate != typed.full && !made.isSimilar {
		g.work += typed.gate.runes * c.gate.runes
		made.isSimilar = typed.gate.isSlipOf(c.gate, typed.gate.edits(c.gate))
	}
	g.best = insertGuess(g.best, made)
}

// edits returns how many characters have to be changed, added or removed to make one text of the other.
func (f folded) edits(other folded) int {
	return levenshtein.ComputeDistance(f.text, other.text)
}

// isSlipOf reports whether a typing error explains the edits that make f of meant: one edit, edits of at most a third of the
// characters, or two neighbours that were exchanged.
func (f folded) isSlipOf(meant folded, edits int) bool {
	if edits >= f.runes {
		return false // nothing of what was typed would be meant
	}
	return edits <= max(1, f.runes/3, meant.runes/3) || edits == 2 && f.hasExchanged(meant)
}

// hasExchanged reports whether f is the other text with two neighbouring characters exchanged.
func (f folded) hasExchanged(other folded) bool {
	if f.runes != other.runes {
		return false
	}
	mine, theirs := []rune(f.text), []rune(other.text)
	for i := 1; i < len(mine); i++ {
		if mine[i-1] == theirs[i-1] {
			continue
		}
		return mine[i-1] == theirs[i] && mine[i] == theirs[i-1] && slices.Equal(mine[i+1:], theirs[i+1:])
	}
	return false
}

// difference returns the difference in length of two texts.
func (f folded) difference(other folded) int {
	return max(f.runes-other.runes, other.runes-f.runes)
}

// insertGuess adds g to the best guesses, the best first and each pattern once.
func insertGuess(best []guess, g guess) []guess {
	i := slices.IndexFunc(best, func(known guess) bool {
		return known.pattern == g.pattern
	})
	switch {
	case i < 0:
		best = append(best, g)
	case compareGuesses(g, best[i]) < 0:
		best[i] = g
	}
	slices.SortFunc(best, compareGuesses)
	return best[:min(len(best), nearestShown)]
}

// gist returns the text of an element that can be compared with labels.
func (e *element) gist() string {
	switch e.kind {
	case glob:
		return strings.NewReplacer("*", "", "?", "").Replace(e.text)
	case regex:
		return strings.Map(func(r rune) rune {
			if isWordRune(r) || strings.ContainsRune(" !(),", r) {
				return r
			}
			return -1
		}, e.text)
	}
	return e.text
}
