package hoa_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/lts"
)

// temporalFormula draws a formula in linear temporal logic.
func temporalFormula(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"A", "deadlock", `"deadlock"`, "B", `"A"`, "{A, B}", "/dead/", "D*", `{"A !1", deadlock}`}).Draw(t, "atom")
	}
	sub := func() string { return temporalFormula(t, rapid.IntRange(0, depth-1).Draw(t, "depth")) }
	switch rapid.IntRange(0, 3).Draw(t, "arity") {
	case 0:
		return sub()
	case 1:
		return rapid.SampledFrom([]string{"!", "X ", "F ", "G "}).Draw(t, "operator") + "(" + sub() + ")"
	}
	return "(" + sub() + " " + rapid.SampledFrom([]string{"&&", "||", "->", "U", "W", "R"}).Draw(t, "operator") + " " + sub() + ")"
}

// TestRoundTripIsExact writes formulas and reads them back, and compares what both mean on
// runs, whatever the labels of a model are called, and what is warned of.
func TestRoundTripIsExact(t *testing.T) {
	names := []string{"A", "deadlock", "A !1", "B", "deadlock !1", "D1", "{A, B}", `"deadlock"`}
	rapid.Check(t, func(t *rapid.T) {
		text := "true && (" + temporalFormula(t, 3) + ")"
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := lts.NewAlphabet(rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, len(names), rapid.ID).Draw(t, "labels"))
		if err != nil {
			t.Fatal(err)
		}
		p, want, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		file, _ := exported(t, f)
		g, err := hoa.Read(context.Background(), strings.NewReader(file), "p.hoa")
		if err != nil {
			t.Fatal(err)
		}
		q, got, err := g.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Fatalf("warnings %q, and read back %q:\n%s", want, got, file)
		}
		for range 50 {
			word := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, a.Len()-1), func(l int) lts.Label { return lts.Label(l) }), 0, 6).Draw(t, "word")
			loop := rapid.IntRange(-1, len(word)-1).Draw(t, "loop")
			if accepts(p, word, loop) != accepts(q, word, loop) {
				t.Fatalf("%s: read back it differs on %v with its loop at %d:\n%s", text, word, loop, file)
			}
		}
	})
}
