package actl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/lts/multiaction"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
)

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
	others := ""
	switch n := len(e.Others); {
	case n == 1:
		others = fmt.Sprintf(", nor does %s %d", e.Noun, e.Others[0])
	case n > 1:
		others = fmt.Sprintf(", nor do %d other %ss", n, e.Noun)
	}
	return fmt.Sprintf("%s %d, %s, matches no label of the model%s; %s", e.Noun, e.Step,
		mention(e.Pattern), others, e.Hint)
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
