package actl

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Bind returns the property that f is for a model with alphabet a, and a warning
// for each pattern that matches none of its labels, which names the closest ones:
// the property is well defined then, and violated, but the pattern is almost
// always a slip. A pattern that recurs is warned of once, at its first step.
//
// Cost: quoted labels O(1) each; for the rest one pass over the alphabet, which
// takes O(1) a label for any number of names and other bare labels, and one match
// of each glob and regular expression. Of a formula with more than 64 steps the
// property holds no more than the labels of its distinct patterns, otherwise also
// 16 bytes for each label of the model. It fails if ctx is done: with many patterns
// or labels, or large ones, it takes a while.
func (f *Formula) Bind(ctx context.Context, a *lts.Alphabet) (*property.Property, []string, error) {
	var patterns []property.Step
	patternOf := make([]uint32, f.Len())
	b := newBinder(ctx, f)
	if err := b.match(a); err != nil {
		return nil, nil, err
	}
	number := make(map[string]uint32)
	w := newWarner(ctx, a)
	for i, pattern := range f.steps {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		key := pattern.key()
		q, known := number[key]
		if !known {
			q = uint32(len(patterns))
			number[key] = q
			facts, err := factsOf(pattern, a)
			if err != nil {
				return nil, nil, err
			}
			patterns = append(patterns, property.Step{Pattern: pattern, Labels: b.labelsOf(pattern), Facts: facts})
			w.warn(i+1, pattern, b)
		}
		patternOf[i] = q
	}
	p, err := f.property(ctx, a, patterns, patternOf)
	if err != nil {
		return nil, nil, err
	}
	return p, w.warnings(), nil
}

// property returns the property with these steps, of which order[i] is step i.
func (f *Formula) property(ctx context.Context, a *lts.Alphabet, patterns []property.Step, order []uint32) (*property.Property, error) {
	switch {
	case len(f.StateAtoms()) > 0:
	case f.IsChain():
		return property.Inev(ctx, a, patterns, order)
	case f.scope == property.Globally && f.kind == property.KindResponse:
		return property.Response(ctx, a, patterns, order)
	}
	s := f.Specification()
	for i := range s.Steps {
		s.Steps[i] = patterns[order[i]]
	}
	from, to := f.delimiters()
	if from >= 0 {
		s.From = patterns[order[from]]
	}
	if to >= 0 {
		s.To = patterns[order[to]]
	}
	return property.Specify(ctx, a, s)
}

// Specification returns the pattern with its scope, in which no step has labels yet.
// [Formula.Steps] are its steps, and then what delimits the scope. Cost O(steps).
func (f *Formula) Specification() property.Specification {
	s := property.Specification{Kind: f.kind, Times: f.times, Scope: f.scope, Name: f.String()}
	for _, step := range f.main() {
		s.Steps = append(s.Steps, property.Step{Pattern: step})
	}
	from, to := f.delimiters()
	if from >= 0 {
		s.From.Pattern = f.steps[from]
	}
	if to >= 0 {
		s.To.Pattern = f.steps[to]
	}
	return s
}

// binder finds the labels of each element of a formula, each once however often
// it recurs.
type binder struct {
	ctx   context.Context
	found map[identity]*matched
	// names, plains and texts hold the elements of these kinds by their keys, multis those
	// that are multi-actions, and wild those that must be tried one by one. Of quoted labels,
	// texts has those that parts may match.
	names, plains, texts map[string]*matched
	multis               map[string][]*matched
	wild                 []*matched
	quoted               []*matched
	// parts tells that the parts of multi-actions match.
	parts bool
	work  int
}

// matched is an element with its labels, ascending.
type matched struct {
	element element
	labels  []lts.Label
}

func newBinder(ctx context.Context, f *Formula) *binder {
	b := &binder{
		ctx:   ctx,
		found: make(map[identity]*matched),
		names: make(map[string]*matched), plains: make(map[string]*matched), texts: make(map[string]*matched),
		multis: make(map[string][]*matched),
	}
	for _, step := range f.steps {
		for _, e := range step.elements {
			if b.found[e.identity()] == nil {
				b.add(&matched{element: e})
			}
		}
	}
	return b
}

func (b *binder) add(m *matched) {
	e := &m.element
	b.found[e.identity()] = m
	b.parts = b.parts || e.parts
	if e.multi != "" {
		b.multis[e.multi] = append(b.multis[e.multi], m)
	}
	switch e.kind {
	case state:
	case name:
		b.names[e.key] = m
	case plain:
		b.plains[e.key] = m
	case quoted:
		b.quoted = append(b.quoted, m)
		if e.parts {
			b.texts[e.key] = m
		}
	default:
		b.wild = append(b.wild, m)
	}
}

// match fills in the labels.
func (b *binder) match(a *lts.Alphabet) error {
	if len(b.names)+len(b.plains)+len(b.wild)+len(b.multis)+len(b.texts) == 0 {
		b.lookup(a)
		return nil
	}
	for l, text := range a.All() {
		if _, begins := a.Facts(l); begins {
			continue // nothing happens, runs begin there
		}
		if !b.goOn(len(text)+1) || !b.matchLabel(l, text) {
			return b.ctx.Err()
		}
		if len(b.multis) == 0 && !b.parts {
			continue
		}
		parts := partsOf(text)
		if len(b.multis) > 0 && parts != nil {
			for _, m := range b.multis[multiAction(text)] {
				m.take(l)
			}
		}
		for i := 0; i < len(parts) && b.parts; i++ {
			if !b.matchLabel(l, parts[i]) {
				return b.ctx.Err()
			}
			b.texts[parts[i]].take(l)
		}
	}
	b.lookup(a)
	return b.ctx.Err()
}

// lookup finds the labels that are quoted as they are.
func (b *binder) lookup(a *lts.Alphabet) {
	for _, m := range b.quoted {
		all := slices.DeleteFunc(slices.Clone(a.Variants(m.element.key)), func(l lts.Label) bool {
			_, begins := a.Facts(l)
			return begins
		})
		if len(all) > 0 {
			m.labels = append(m.labels, all...)
			slices.Sort(m.labels)
			m.labels = slices.Compact(m.labels)
		}
	}
}

// goOn adds to the work done since ctx was looked at, and reports whether to go on.
func (b *binder) goOn(work int) bool {
	if b.work += work; b.work <= stopEvery {
		return true
	}
	b.work = 0
	return b.ctx.Err() == nil
}

// matchLabel gives a label to the elements that match a text, which is its own or that of a
// part of it. It reports whether to go on.
func (b *binder) matchLabel(l lts.Label, text string) bool {
	if len(b.names) > 0 {
		if gate, ok := gateOf(text); ok {
			b.names[gate].take(l)
		}
	}
	if len(b.plains) > 0 {
		b.plains[tight(text)].take(l)
	}
	stop := func() bool { return b.ctx.Err() != nil }
	for _, m := range b.wild {
		size := len(m.element.key)
		if !b.goOn(size + len(text)) {
			return false
		}
		if m.element.kind == regex && regexpMatches(b.ctx, m.element.re, size, text) ||
			m.element.kind == glob && globMatches(m.element.key, tight(text), stop) {
			m.take(l)
		}
	}
	return true
}

// take adds l to the labels of m, which may be nil.
func (m *matched) take(l lts.Label) {
	if m == nil || len(m.labels) > 0 && m.labels[len(m.labels)-1] == l {
		return
	}
	m.labels = append(m.labels, l)
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
