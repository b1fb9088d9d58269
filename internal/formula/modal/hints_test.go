package modal_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/lts"
)

// TestHintsAreInTheNotationOfTheFormula: each pattern that a message proposes for an action without labels can
// stand in its place: the formula is read, and then the pattern matches labels.
func TestHintsAreInTheNotationOfTheFormula(t *testing.T) {
	asked := 0
	rapid.Check(t, func(rt *rapid.T) {
		labels := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
			"ind(1)", "ind(2)", "ack(2, true)", "go(left)", "PUT !1", "PUT !2 !3", "GET !x", "lone", "tau", "a_b(0)",
		}), 1, 6, rapid.ID).Draw(rt, "labels")
		wrong := rapid.SampledFrom([]string{"ind", "inds(1)", "ack", "go", "GO", "PUT", "GET", "lon", "a_b", "ind(7)"}).Draw(rt, "wrong")
		if rapid.Bool().Draw(rt, "in MCL") {
			wrong = `"` + wrong + `"`
		}
		var b lts.Builder
		for i, label := range labels {
			b.Add(lts.State(i), b.Label(label), lts.State(i+1))
		}
		m, err := b.Build(0, len(labels)+1)
		if err != nil {
			rt.Fatal(err)
		}
		said := unmatchedIn(rt, m, "[true* . "+wrong+"] false")
		meant := regexp.MustCompile(`did you mean (.*)\?`).FindStringSubmatch(said)
		if meant == nil {
			return
		}
		for _, pattern := range patternsIn(meant[1]) {
			asked++
			text := "[true* . " + pattern + "] false"
			if still := unmatchedIn(rt, m, text); still != "" {
				rt.Fatalf("%q is proposed for %s in a model with %q: %s", pattern, wrong, labels, still)
			}
		}
	})
	if asked < 20 {
		t.Errorf("only %d patterns were proposed", asked)
	}
}

// patternsIn splits a list of patterns at the commas outside of parentheses, braces and quotes.
func patternsIn(list string) (patterns []string) {
	depth, quoted, start := 0, byte(0), 0
	for i := range len(list) {
		c := list[i]
		switch {
		case quoted != 0:
			if c == quoted {
				quoted = 0
			}
		case c == '"' || c == '\'':
			quoted = c
		case strings.IndexByte("({", c) >= 0:
			depth++
		case strings.IndexByte(")}", c) >= 0:
			depth--
		case c == ',' && depth == 0:
			patterns = append(patterns, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(patterns, strings.TrimSpace(list[start:]))
}

// unmatchedIn returns the message about an action of a formula without labels; "" if each has some.
func unmatchedIn(rt *rapid.T, m *lts.LTS, text string) string {
	rt.Helper()
	f, err := modal.Parse(context.Background(), text)
	if err == nil {
		err = f.Unmatched(context.Background(), m.Alphabet())
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
