package actl

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/inev-lts/inev/internal/memo"
	"github.com/inev-lts/inev/lts"
)

// maxWarnings is the number of patterns without labels that have a warning each.
const maxWarnings = 20

// warner collects the warnings about patterns that match no label.
type warner struct {
	ctx      context.Context
	alphabet *lts.Alphabet
	noun     string   // the noun for patterns
	nearest  *nearest // made for the first warning
	texts    []string
	left     int // patterns beyond maxWarnings
}

func newWarner(ctx context.Context, a *lts.Alphabet) *warner {
	return &warner{ctx: ctx, alphabet: a, noun: stepNoun}
}

// warn examines the pattern of a step whose labels the binder b has found.
func (w *warner) warn(step int, pattern Pattern, b *binder) {
	var without []element
	happens := false
	for i := range pattern.elements {
		e := &pattern.elements[i]
		if e.kind == state || e.kind == set {
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

// NeverHappens ends a warning about a pattern that matches labels of the model,
// but none that a run does.
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

func shortened(text string) string {
	// A label can have a hundred megabytes: only its beginning is read.
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

// hint names labels that may have been meant by elements without labels.
func (w *warner) hint(elements []element) string {
	if len(elements) == 0 {
		return "it is the empty set"
	}
	if whole := w.whole(elements); whole != "" {
		return "it is a part of the multi-action " + shortened(PatternFor(whole)) + ", which it matches only where parts count"
	}
	patterns, similar := w.candidates().to(w.ctx, elements)
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

// nearestOf asks a [memo.Memory] for the candidates of an alphabet.
type nearestOf struct{ alphabet *lts.Alphabet }

// candidates returns the labels and gates of the alphabet, which are collected for the first warning.
func (w *warner) candidates() *nearest {
	if w.nearest == nil {
		w.nearest = memo.Of(w.ctx, nearestOf{w.alphabet}, func() *nearest { return newNearest(w.alphabet) })
	}
	return w.nearest
}

// whole returns a multi-action of the model of which some element matches a part,
// "" if there is none. Like the closest labels it is searched among the first
// labels only.
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

const (
	// nearestLabels limits the labels that are compared, nearestBytes the part of
	// each label, and nearestWork the product of the lengths of the texts compared
	// for one suggestion, about 20 ms: a suggestion must not take longer than the
	// analysis. nearestShown is the number of suggestions.
	nearestLabels = 100_000
	nearestBytes  = 200
	nearestWork   = 20_000_000
	nearestShown  = 3
	// nearestMeant is how many elements of a set are compared.
	nearestMeant = 1000
)

// noBlanks removes what [folded] leaves out of squeezed texts.
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
	full, gate folded // the label and its gate; equal if the candidate is a gate
}

// folded is a text in lower case; squeezed also lacks blanks and quotes; runes is
// the length of text in characters.
type folded struct {
	text, squeezed string
	runes          int
}

func fold(text string) folded {
	lower := strings.ToLower(text[:min(len(text), nearestBytes)])
	return folded{text: lower, squeezed: noBlanks.Replace(lower), runes: utf8.RuneCountInString(lower)}
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
		if _, begins := a.Facts(l); begins {
			continue
		}
		c := candidate{pattern: PatternFor(text), full: fold(text)}
		c.gate = c.full
		if gate, ok := gateOf(text); ok && gate != text && isName(gate) {
			known, seen := gates[gate]
			if !seen {
				known = fold(gate)
				gates[gate] = known
				if _, isLabel := a.Lookup(gate); !isLabel {
					n.candidates = append(n.candidates, candidate{pattern: gate, full: known, gate: known})
				}
			}
			c.gate = known
		}
		n.candidates = append(n.candidates, c)
	}
	return n
}

// guess is a candidate with its distance from what was typed.
type guess struct {
	pattern string
	// same reports whether the texts differ only in case, blanks and quotes.
	same bool
	// gate is the number of edits to the label or to its gate, whichever is
	// closer, and full the number of edits to the label.
	gate, full int
	// similar reports whether a typing error may explain the edits.
	similar bool
}

// compareGuesses puts the better guess first.
func compareGuesses(x, y guess) int {
	switch {
	case x.same != y.same && x.same:
		return -1
	case x.same != y.same:
		return 1
	}
	return cmp.Or(cmp.Compare(x.gate, y.gate), cmp.Compare(x.full, y.full), cmp.Compare(x.pattern, y.pattern))
}

// to returns up to nearestShown patterns that these elements may have meant, the
// closest first. It reports whether they are similar to any of the elements;
// otherwise they are merely the closest. Beyond nearestWork it finds only
// candidates that differ in nothing but case, blanks and quotes. It stops early
// if ctx is done. Cost O(elements · candidates + nearestWork), with at most
// nearestMeant elements.
func (n *nearest) to(ctx context.Context, elements []element) (patterns []string, similar bool) {
	elements = elements[:min(len(elements), nearestMeant)]
	targets := make([]folded, len(elements))
	for i := range elements {
		targets[i] = fold(elements[i].gist())
	}
	var best []guess
	work := 0
	for i := range n.candidates {
		if i%256 == 0 && ctx.Err() != nil {
			break
		}
		c := &n.candidates[i]
		for _, t := range targets {
			hopeless := len(best) == nearestShown && c.atLeast(t) > best[nearestShown-1].gate
			if t.squeezed != c.full.squeezed && (hopeless || work > nearestWork) {
				continue
			}
			work += t.runes * (c.full.runes + c.gate.runes)
			best = insertGuess(best, c.guess(t))
		}
	}
	for _, g := range best {
		// Next to a guess that leaves no doubt, other guesses only distract.
		if g.same == best[0].same && g.similar == best[0].similar {
			patterns = append(patterns, g.pattern)
		}
	}
	return patterns, len(best) > 0 && best[0].similar
}

// insertGuess adds g to the best guesses, the best first and each pattern once.
func insertGuess(best []guess, g guess) []guess {
	for i := range best {
		if best[i].pattern == g.pattern {
			if compareGuesses(g, best[i]) < 0 {
				best[i] = g
				slices.SortFunc(best, compareGuesses)
			}
			return best
		}
	}
	best = append(best, g)
	slices.SortFunc(best, compareGuesses)
	return best[:min(len(best), nearestShown)]
}

// atLeast returns, in O(1), a lower bound of the gate distance from t: the
// difference in length.
func (c *candidate) atLeast(t folded) int {
	return min(max(c.full.runes-t.runes, t.runes-c.full.runes), max(c.gate.runes-t.runes, t.runes-c.gate.runes))
}

// guess compares c with t.
func (c *candidate) guess(t folded) guess {
	g := guess{pattern: c.pattern, same: c.full.squeezed == t.squeezed}
	g.full = levenshtein.ComputeDistance(t.text, c.full.text)
	g.gate = g.full
	if c.gate != c.full {
		g.gate = min(g.gate, levenshtein.ComputeDistance(t.text, c.gate.text))
	}
	// Two edits, one more for every four characters, but never all of them.
	g.similar = g.same || g.gate <= 2+t.runes/4 && g.gate < t.runes
	return g
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
