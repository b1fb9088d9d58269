package formula_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// accepts runs a property on a word: of labels with a loop from an index on, or without.
func accepts(p *property.Property, word []lts.Label, loop int) bool {
	q := p.Initial()
	for _, l := range word {
		q = p.Next(q, l)
	}
	if loop < 0 {
		return p.Stops(q)
	}
	var met property.Marks
	for round := range 2 * p.States() {
		if round == p.States() {
			met = 0
		}
		for _, l := range word[loop:] {
			met |= p.Marks(q, l)
			q = p.Next(q, l)
		}
	}
	return p.Acceptance().Holds(met)
}

// TestPatternsAreTheirTranslations: what a pattern in a scope prints as linear temporal
// logic is read, translated, and means the same.
func TestPatternsAreTheirTranslations(t *testing.T) {
	a, err := lts.NewAlphabet([]string{"a", "b !1", "b", "c", "x", "G", "other"})
	if err != nil {
		t.Fatal(err)
	}
	bind := func(text string, f property.Formula, err error) *property.Property {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p, _, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return p
	}
	for _, pattern := range []string{
		"Inev(a)", "Inev(a, b)", "Response(a; b)", "Response(a; b, c)", "Never(a)", `Never(a, "b !1")`, "Precedes(a; b)",
		"Precedes(a, c; b)", "Always({a, b, x})", "AtMost(2; a)", "DeadlockFree",
	} {
		for _, scope := range []string{"", "before x", "after x", "between x and G", "after x until G"} {
			text := pattern
			switch {
			case scope == "":
			case pattern == "DeadlockFree":
				text += "(" + scope + ")"
			default:
				text = strings.TrimSuffix(pattern, ")") + "; " + scope + ")"
			}
			f, err := actl.Parse(context.Background(), text)
			p := bind(text, f, err)
			translated, err := formula.Parse(context.Background(), ltl.Of(f).String())
			q := bind(ltl.Of(f).String(), translated, err)
			r := rand.New(rand.NewPCG(3, uint64(len(text))))
			for range randomlts.Share(1500) {
				word := make([]lts.Label, r.IntN(9))
				for i := range word {
					word[i] = lts.Label(r.IntN(a.Len()))
				}
				loop := -1
				if len(word) > 0 && r.IntN(4) > 0 {
					loop = r.IntN(len(word))
				}
				if accepts(p, word, loop) != accepts(q, word, loop) {
					t.Fatalf("%s, that is %s: %v with its loop at %d: %t", text, ltl.Of(f).String(), word, loop, accepts(p, word, loop))
				}
			}
		}
	}
}
