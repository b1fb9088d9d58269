package actl

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/multiaction"
	"github.com/inev-lts/inev/internal/lts/stochastic"
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
