package actl

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/inev-lts/inev/lts"
)

const (
	// nearestLabels bounds the labels that are looked at, nearestBytes the part of
	// a label that is compared, and nearestShown what is named in the end: a
	// suggestion must not take longer than the analysis.
	nearestLabels = 100_000
	nearestBytes  = 200
	nearestShown  = 3
)

// nearest finds the labels and gates of a model that a pattern without labels may
// have meant.
type nearest struct {
	candidates []candidate
}

// candidate is a label, or the gate of labels that have offers or arguments. No
// two have the same pattern.
type candidate struct {
	pattern    string // as one would type it
	full, gate folded // equal for a gate
}

// folded is a text without regard to case; squeezed is without blanks and quotes
// besides, and runes is the length of text in characters.
type folded struct {
	text, squeezed string
	runes          int
}

func fold(text string) folded {
	lower := strings.ToLower(text[:min(len(text), nearestBytes)])
	squeezed := strings.NewReplacer(" ", "", "\t", "", `"`, "").Replace(lower)
	return folded{text: lower, squeezed: squeezed, runes: utf8.RuneCountInString(lower)}
}

// newNearest prepares for a model with alphabet a. Cost O(size of a), bounded.
func newNearest(a *lts.Alphabet) *nearest {
	n := &nearest{}
	gates := make(map[string]folded)
	for l, text := range a.All() {
		if l >= nearestLabels {
			break
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
	// same tells that nothing but case, blanks and quotes differ.
	same bool
	// gate is the number of edits to the label or to its gate, whichever is
	// closer, and full that to the label.
	gate, full int
	// similar tells that a slip may account for the edits.
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

// to returns up to nearestShown patterns for what these elements may have meant,
// the closest first. It tells whether they are similar to any of them: otherwise
// they are merely the closest. Cost O(elements · candidates) edit distances.
func (n *nearest) to(elements []element) (patterns []string, similar bool) {
	targets := make([]folded, len(elements))
	for i := range elements {
		targets[i] = fold(elements[i].gist())
	}
	var best []guess
	for i := range n.candidates {
		c := &n.candidates[i]
		for j, t := range targets {
			full := len(best) == nearestShown
			if full && t.squeezed != c.full.squeezed && c.atLeast(t) > best[nearestShown-1].gate {
				continue
			}
			g := c.guess(t)
			if k := slices.IndexFunc(best, func(b guess) bool { return b.pattern == g.pattern }); j > 0 && k >= 0 {
				if compareGuesses(g, best[k]) < 0 {
					best[k] = g
				}
			} else {
				best = append(best, g)
			}
			slices.SortFunc(best, compareGuesses)
			best = best[:min(len(best), nearestShown)]
		}
	}
	for _, g := range best {
		// Beside a guess that leaves no doubt the others only distract.
		if g.same == best[0].same && g.similar == best[0].similar {
			patterns = append(patterns, g.pattern)
		}
	}
	return patterns, len(best) > 0 && best[0].similar
}

// atLeast returns a lower bound of the gate distance from t that costs nothing:
// the number of characters missing or too many.
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

// gist returns of an element what can be compared with labels.
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
