package actl

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnivade/levenshtein"

	"github.com/inev-lts/inev/lts"
)

const (
	// nearestLabels bounds the labels that are looked at, nearestBytes the part of
	// a label that is compared, and nearestWork the characters of one text times
	// those of the other that are compared for one suggestion, about 20 ms: it
	// must not take longer than the analysis. nearestShown is what is named.
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
	return folded{text: lower, squeezed: noBlanks.Replace(lower), runes: utf8.RuneCountInString(lower)}
}

// newNearest prepares for a model with alphabet a. Cost O(size of a), bounded.
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
// the closest first. It reports whether they are similar to any of them: otherwise
// they are merely the closest. Candidates beyond nearestWork are found only where
// nothing but case, blanks and quotes differ. It stops early where ctx is done. Cost
// O(elements · candidates + nearestWork), where at most nearestMeant elements count.
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
		// Beside a guess that leaves no doubt the others only distract.
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
