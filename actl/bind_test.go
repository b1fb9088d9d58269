package actl

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

func mustAlphabet(t testing.TB, texts ...string) *lts.Alphabet {
	t.Helper()
	a, err := lts.NewAlphabet(texts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestBind(t *testing.T) {
	a := mustAlphabet(t, "i", "PUT", "PUT !1", "PUTS", "put", "PUT(d1,0)", "r1(d1)", "c3(d2, true)", "c3(d2,true)", "SEND !\"x\"",
		"PUT(1)|GET(2)", "RACK0", "RACK1", "", "a  b", "PUT\t?x", "XRACK0")
	tests := []struct{ pattern, want string }{
		{`PUT`, `PUT;PUT !1;PUT(d1,0);PUT	?x`},
		{`"PUT"`, `PUT`},
		{`i`, `i`},
		{`r1(d1)`, `r1(d1)`},
		{`c3(d2,  true)`, `c3(d2, true);c3(d2,true)`},
		{`"c3(d2, true)"`, `c3(d2, true)`},
		{`c3`, `c3(d2, true);c3(d2,true)`},
		{`PUT !1`, `PUT !1`},
		{`PUT(1)|GET(2)`, `PUT(1)|GET(2)`},
		{`"SEND !\"x\""`, `SEND !"x"`},
		{`/^RACK[01]$/`, `RACK0;RACK1`},
		{`/RACK0/`, `RACK0;XRACK0`},
		{`RACK?`, `RACK0;RACK1`},
		{`*RACK*`, `RACK0;RACK1;XRACK0`},
		{`c3(*, true)`, `c3(d2, true);c3(d2,true)`},
		{`""`, ``},
		{`a  b`, `a  b`},
		{`{"XRACK0", RACK?, RACK1, "i"}`, `i;RACK0;RACK1;XRACK0`},
	}
	for _, test := range tests {
		bound, warnings, _ := mustParse(t, "Inev("+test.pattern+")").Bind(context.Background(), a)
		property, _ := bound.Chain()
		if len(warnings) > 0 && test.pattern != "PUT" { // which is a part of PUT(1)|GET(2)
			t.Errorf("%s: %v", test.pattern, warnings)
		}
		var texts []string
		for _, l := range property.Step(1).Labels {
			texts = append(texts, a.Text(l))
		}
		if got := strings.Join(texts, ";"); got != test.want {
			t.Errorf("%s means %s, want %s", test.pattern, got, test.want)
		}
	}
}

// checkBinding checks that a step has just the labels that its pattern matches.
func checkBinding(t testing.TB, f *Formula, labels []string) {
	t.Helper()
	a := mustAlphabet(t, labels...)
	bound, _, err := f.Bind(context.Background(), a)
	if err != nil {
		return // more steps than the pattern takes
	}
	p, is := bound.Chain()
	if !is {
		return
	}
	for i, pattern := range f.Steps() {
		for l, text := range a.All() {
			if got, want := p.Does(l, i+1), pattern.Matches(text); got != want {
				t.Fatalf("step %d, %s, is done by %q: %t, but its pattern matches it: %t", i+1, pattern, text, got, want)
			}
		}
	}
}

func TestBindAgreesWithMatches(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		steps := rapid.SliceOfN(rapid.SampledFrom(variedPatterns), 1, 70).Draw(r, "steps")
		checkBinding(t, mustParse(t, "Inev("+strings.Join(steps, ", ")+")"), variedLabels)
	})
}

var variedPatterns = []string{"a", "b(1)", "b", `"a"`, `"a !1"`, "a*", "b(1, 2)", "/^b/", "{a, b}", "{b(*,2), /1/}", "?", "*", "tau",
	"a !1", "/^a !.$/", "/rate/", "b(1)|a", `"a !1; rate 2.0"`, "a !?"}

var variedLabels = []string{"a", "b", "a !1", "b(1)", "b(1,2)", "b(1, 2)", "b(1)|a", "1", "a; rate 1.0", "a !1; prob 0.5", "a !1; rate 2.0",
	"a !1 ; rate 2.0", "b(1, 2);prob 1", "a|b(1); prob 0.5", "; rate 2.0", "rate 1"}

// TestWithLabels: the steps of the formula with the labels of a model list these labels.
func TestWithLabels(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		labels := rapid.SliceOfNDistinct(rapid.SampledFrom(variedLabels), 1, -1, rapid.ID[string]).Draw(r, "labels")
		a := mustAlphabet(t, labels...)
		steps := rapid.SliceOfN(rapid.SampledFrom(variedPatterns), 2, 5).Draw(r, "steps")
		f := mustParse(t, "Response("+steps[0]+"; "+strings.Join(steps[1:], ", ")+")")
		g, err := f.WithLabels(t.Context(), a)
		if err != nil {
			r.Fatal(err)
		}
		want, _, err := BindAtoms(t.Context(), f.Steps(), a)
		if err != nil {
			r.Fatal(err)
		}
		for i, step := range g.Steps() {
			var texts, listed []string
			for _, l := range want[i].Labels {
				texts = append(texts, Quoted(a.Text(l)))
			}
			for _, element := range step.Elements() {
				listed = append(listed, element.String())
			}
			if !slices.Equal(listed, texts) {
				r.Errorf("step %d of %s has the labels %q, and %q in %s", i+1, f, texts, listed, g)
			}
		}
	})
}

// TestAdvance holds Advance and AdvanceSuffix against their definitions, on both
// sides of the number of steps at which the representation changes.
func TestAdvance(t *testing.T) {
	labels := []string{"a", "b", "c", "d", "e"}
	a := mustAlphabet(t, labels...)
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.OneOf(rapid.IntRange(1, 150), rapid.SampledFrom([]int{63, 64, 65, 128, 129})).Draw(r, "n")
		steps := make([][]string, n)
		texts := make([]string, n)
		for i := range steps {
			steps[i] = rapid.SliceOfN(rapid.SampledFrom(labels[:4]), 1, 3).Draw(r, "step")
			texts[i] = "{" + strings.Join(steps[i], ", ") + "}"
		}
		bound, warnings, _ := mustParse(t, "Inev("+strings.Join(texts, ", ")+")").Bind(context.Background(), a)
		p, _ := bound.Chain()
		if p.Len() != n || len(warnings) > 0 {
			r.Fatalf("%d steps, want %d; warnings %v", p.Len(), n, warnings)
		}
		for l, text := range a.All() {
			concerns := false
			for j := 0; j <= n; j++ {
				advanced, suffix := j, j
				if j < n && slices.Contains(steps[j], text) {
					advanced, concerns = j+1, true
				}
				if j < n && slices.Contains(steps[n-1-j], text) {
					suffix = j + 1
				}
				if got := p.Advance(j, l); got != advanced {
					r.Fatalf("Advance(%d, %s) = %d, want %d, n = %d", j, text, got, advanced, n)
				}
				if got := p.AdvanceSuffix(j, l); got != suffix {
					r.Fatalf("AdvanceSuffix(%d, %s) = %d, want %d, n = %d", j, text, got, suffix, n)
				}
				if j < n && p.Does(l, j+1) != slices.Contains(steps[j], text) {
					r.Fatalf("Does(%s, %d) = %t", text, j+1, p.Does(l, j+1))
				}
			}
			if p.Concerns(l) != concerns {
				r.Fatalf("Concerns(%s) = %t, n = %d", text, p.Concerns(l), n)
			}
		}
	})
}

func TestPropertyOf(t *testing.T) {
	f := mustParse(t, "Inev(a, {b, a}, a)")
	bound, _, _ := f.Bind(context.Background(), mustAlphabet(t, "b", "a"))
	p, _ := bound.Chain()
	if p.String() != f.String() || p.Len() != 3 {
		t.Errorf("the property is %v with %d steps", p, p.Len())
	}
	for i, want := range []string{"a [1]", "{b, a} [0 1]", "a [1]"} {
		step := p.Step(i + 1)
		if got := fmt.Sprint(step.Pattern, " ", step.Labels); got != want {
			t.Errorf("step %d is %s, want %s", i+1, got, want)
		}
	}
}

// TestManySteps binds the largest formula to an alphabet for which masks would
// take gigabytes.
func TestManySteps(t *testing.T) {
	texts := make([]string, 100_000)
	for i := range texts {
		texts[i] = fmt.Sprint("l", i)
	}
	bound, warnings, _ := mustParse(t, "Inev("+strings.Join(texts[:property.MaxSteps], ", ")+")").Bind(context.Background(), mustAlphabet(t, texts...))
	p, _ := bound.Chain()
	if len(warnings) > 0 {
		t.Fatal(warnings[0])
	}
	for _, j := range []int{0, 1, 63, 64, 65, 40_000, property.MaxSteps - 1} {
		if p.Advance(j, lts.Label(j)) != j+1 || p.Advance(j, lts.Label(j+1)) != j || p.Advance(property.MaxSteps, lts.Label(j)) != property.MaxSteps {
			t.Errorf("label %d does not do step %d alone", j, j+1)
		}
	}
}

func BenchmarkAdvance(b *testing.B) {
	a := mustAlphabet(b, "a", "b", "c", "d")
	for _, n := range []int{2, 64, 65} {
		bound, _, _ := mustParse(b, "Inev("+strings.Repeat("a, ", n-1)+"b)").Bind(context.Background(), a)
		p, _ := bound.Chain()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			j := 0
			for i := range b.N {
				if j = p.Advance(j, lts.Label(i&3)); j == n {
					j = 0
				}
			}
		})
	}
}

// BenchmarkBind binds to a million labels.
func BenchmarkBind(b *testing.B) {
	texts := make([]string, 1_000_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("G%d(d%d, %d)", i%1000, i, i%7)
	}
	a := mustAlphabet(b, texts...)
	for _, text := range []string{`Inev("G1(d1, 1)")`, `Inev(G1, G2, G3)`, `Inev(G1(d1,1))`, `Inev(G1*)`, `Inev(/^G1/)`, `Inev(G1O0, G_5)`} {
		f := mustParse(b, text)
		b.Run(text, func(b *testing.B) {
			for range b.N {
				f.Bind(context.Background(), a)
			}
		})
	}
}

// TestRatesAreNoPartOfLabels: each notation of a label matches it with a rate or a probability behind it, and a
// notation with the rate matches only this rate.
func TestRatesAreNoPartOfLabels(t *testing.T) {
	a := mustAlphabet(t, "B !1; prob 0.5", "B !2; prob 0.5", "C; rate 2.0", "C;rate 1.0", "D(1, 2); rate 3", "e(1)|f; prob 1", "i; prob 0.1",
		`S !"a; rate 1"`)
	for pattern, want := range map[string]string{
		"B":                  "B !1; prob 0.5|B !2; prob 0.5",
		"B !1":               "B !1; prob 0.5",
		"{B !1}":             "B !1; prob 0.5",
		`"B !1"`:             "B !1; prob 0.5",
		`"B !1; prob 0.5"`:   "B !1; prob 0.5",
		`"B !1; prob 0.6"`:   "",
		"/^B !1$/":           "B !1; prob 0.5",
		"/prob/":             "B !1; prob 0.5|B !2; prob 0.5|e(1)|f; prob 1|i; prob 0.1",
		"B !?":               "B !1; prob 0.5|B !2; prob 0.5",
		"B !*5":              "B !1; prob 0.5|B !2; prob 0.5",
		`"C"`:                "C; rate 2.0|C;rate 1.0",
		"C":                  "C; rate 2.0|C;rate 1.0",
		`"C; rate 2.0"`:      "C; rate 2.0",
		"D(1,2)":             "D(1, 2); rate 3",
		"f|e(1)":             "e(1)|f; prob 1",
		"tau":                "i; prob 0.1",
		`"i"`:                "i; prob 0.1",
		`"S !\"a\""`:         "",
		`"S !\"a; rate 1\""`: `S !"a; rate 1"`,
		`{"C", B !2}`:        "B !2; prob 0.5|C; rate 2.0|C;rate 1.0",
	} {
		bound, _, err := mustParse(t, "Inev("+pattern+")").Bind(context.Background(), a)
		if err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		p, _ := bound.Chain()
		var texts []string
		for _, l := range p.Step(1).Labels {
			texts = append(texts, a.Text(l))
		}
		got := strings.Join(texts, "|")
		if got != want {
			t.Errorf("%s means %s, want %s", pattern, got, want)
		}
	}
}
