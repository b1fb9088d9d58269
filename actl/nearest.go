package actl

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"
	"github.com/inev-lts/inev/internal/memoize"
	"github.com/inev-lts/inev/lts"
)

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

const (
	// nearestLabels limits the labels that are compared, and nearestBytes limits the part of each
	// label. nearestWork limits the product of the lengths of the texts that are compared for one
	// suggestion, to about 20 ms of work: a suggestion must not take longer than the analysis.
	// workOfWords is what a search for words in a label adds to this work. nearestShown is the number of suggestions.
	nearestLabels = 100_000
	nearestBytes  = 200
	nearestWork   = 20_000_000
	workOfWords   = 20
	nearestShown  = 3
	// nearestMeant is the largest number of elements of a set that are compared.
	nearestMeant = 1000
)

// noBlanks removes blanks and quotes, for the field squeezed of a [folded] text.
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

// folded is a text prepared for comparisons.
type folded struct {
	text     string // in lower case
	squeezed string // text without blanks and quotes
	runes    int    // the length of text in characters
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
type target struct {
	full, gate folded
	words      []string // the names and numbers of full
}

func newTarget(text string) target {
	t := target{full: fold(text)}
	t.words = strings.FieldsFunc(t.full.text, func(r rune) bool { return !isWordRune(r) })
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
	// hasWords reports whether the label has all words that were typed: an offer was typed without its gate, or some
	// of the offers.
	hasWords bool
	// gateEdits is the number of edits to the label or to its gate, whichever is closer, and
	// labelEdits is the number of edits to the label.
	gateEdits, labelEdits int
	// isSimilar reports whether a typing error may explain the edits.
	isSimilar bool
}

// likelihood is larger for a likelier guess, by what explains the difference to what was typed.
func (g guess) likelihood() int {
	switch {
	case g.isSame:
		return 3
	case g.hasWords:
		return 2
	case g.isSimilar:
		return 1
	}
	return 0
}

// compareGuesses puts the better guess first.
func compareGuesses(x, y guess) int {
	return cmp.Or(cmp.Compare(y.likelihood(), x.likelihood()), cmp.Compare(x.gateEdits, y.gateEdits), cmp.Compare(x.labelEdits, y.labelEdits),
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
		if guess.likelihood() == first.likelihood() {
			patterns = append(patterns, guess.pattern)
		}
	}
	return patterns, first.likelihood() > 0
}

// add adds a candidate to the guesses about what a text means, if the candidate is among the best.
func (g *guessing) add(c *candidate, typed target) {
	isSame := typed.full.squeezed == c.full.squeezed
	hasWords := g.work <= nearestWork && c.full.hasWords(typed.words)
	g.work += workOfWords
	// At least as many edits are needed as the lengths differ.
	leastEdits := min(c.full.difference(typed.full), c.gate.difference(typed.full))
	isHopeless := len(g.best) == nearestShown && leastEdits > g.best[nearestShown-1].gateEdits
	if !isSame && !hasWords && (isHopeless || g.work > nearestWork) {
		return
	}
	g.work += typed.full.runes * (c.full.runes + c.gate.runes)
	made := guess{pattern: c.pattern, isSame: isSame, hasWords: hasWords}
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

// hasWords reports whether each of these words is a word of the text; there must be one.
func (f folded) hasWords(words []string) bool {
	for _, word := range words {
		if !f.hasWord(word) {
			return false
		}
	}
	return len(words) > 0
}

// hasWord reports whether the text has a word that neither letters nor digits continue.
func (f folded) hasWord(word string) bool {
	for first := 0; ; first++ {
		distance := strings.Index(f.text[first:], word)
		if distance < 0 {
			return false
		}
		first += distance
		before, _ := utf8.DecodeLastRuneInString(f.text[:first])
		after, _ := utf8.DecodeRuneInString(f.text[first+len(word):])
		if !isWordRune(before) && !isWordRune(after) { // as are the ends of the text
			return true
		}
	}
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
