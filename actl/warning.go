package actl

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// maxWarnings is the number of patterns without labels that are warned of one by
// one.
const maxWarnings = 20

// warner collects the warnings about patterns that match no label.
type warner struct {
	ctx      context.Context
	alphabet *lts.Alphabet
	noun     string   // of patterns
	nearest  *nearest // made for the first warning
	texts    []string
	left     int // patterns beyond maxWarnings
}

func newWarner(ctx context.Context, a *lts.Alphabet) *warner {
	return &warner{ctx: ctx, alphabet: a, noun: stepNoun}
}

// warn looks at the pattern of a step, the labels of which are known to b.
func (w *warner) warn(step int, pattern Pattern, b *binder) {
	var without []element
	happens := false
	for i := range pattern.elements {
		e := &pattern.elements[i]
		if e.kind == state {
			happens = true
			continue
		}
		if len(b.of(e)) == 0 {
			without = append(without, *e)
		}
		happens = happens || slices.ContainsFunc(b.of(e), w.alphabet.Happens)
	}
	switch {
	case len(without) < len(pattern.elements) && !happens && len(w.texts) < maxWarnings:
		w.add("%s %d, %s, %s", w.noun, step, mention(pattern), NeverHappens)
	case len(without) == 0 && len(pattern.elements) > 0:
	case len(w.texts) >= maxWarnings:
		w.left++
	case len(without) == len(pattern.elements):
		w.add("%s %d, %s, matches no label of the model, so it never happens; %s",
			w.noun, step, mention(pattern), w.hint(without))
	default:
		text := shortened(pattern.String())
		for i, e := range without {
			if len(w.texts) >= maxWarnings {
				w.left += len(without) - i
				return
			}
			w.add("%s %d, %s: %s matches no label of the model; %s",
				w.noun, step, text, mention(Pattern{elements: []element{e}}), w.hint([]element{e}))
		}
	}
}

// NeverHappens is how a warning about a pattern ends which labels of the model match, but
// none that a run does.
const NeverHappens = "never happens: no run of the model reaches a transition that it matches"

func (w *warner) add(format string, a ...any) {
	w.texts = append(w.texts, fmt.Sprintf(format, a...))
}

// warnings returns what was collected.
func (w *warner) warnings() []string {
	if w.left > 0 {
		w.add("%d more patterns match no label of the model", w.left)
		w.left = 0
	}
	return w.texts
}

// mention returns how a pattern stands in a sentence.
func mention(p Pattern) string {
	text := shortened(p.String())
	if len(p.elements) != 1 || p.elements[0].kind == quoted || p.elements[0].kind == regex {
		return text
	}
	return `"` + text + `"`
}

// longestHint bounds the characters of a label in a suggestion: a warning is one line
// that people read.
const longestHint = 120

func shortened(text string) string {
	// A label can have a hundred megabytes: only its beginning is looked at.
	n, cut := 0, 0
	for at := range text {
		switch n++; n {
		case longestHint:
			cut = at
		case longestHint + 1:
			return text[:cut] + "…"
		}
	}
	return text
}

// hint names what may have been meant by elements that match nothing.
func (w *warner) hint(elements []element) string {
	if len(elements) == 0 {
		return "it is the empty set"
	}
	if whole := w.whole(elements); whole != "" {
		return "it is a part of the multi-action " + shortened(PatternFor(whole)) + ", which it matches only where parts count"
	}
	if w.nearest == nil {
		w.nearest = newNearest(w.alphabet)
	}
	patterns, similar := w.nearest.to(w.ctx, elements)
	for i, p := range patterns {
		patterns[i] = shortened(p)
	}
	switch {
	case len(patterns) == 0:
		return "the model has no labels"
	case similar:
		return "did you mean " + strings.Join(patterns, ", ") + "?"
	case len(patterns) == 1:
		return "the closest label is " + patterns[0]
	}
	return "the closest labels are " + strings.Join(patterns, ", ")
}

// whole returns a multi-action of the model that some element matches a part of, "" if
// there is none. Like the closest labels it is looked for among the first labels only.
func (w *warner) whole(elements []element) string {
	elements = elements[:min(len(elements), nearestMeant)]
	work := 0
	for l, text := range w.alphabet.All() {
		if l >= nearestLabels || work > nearestWork || w.ctx.Err() != nil {
			break
		}
		for _, part := range partsOf(text) {
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
