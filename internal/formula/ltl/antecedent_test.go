package ltl_test

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/property/sample"
	"github.com/inev-lts/inev/lts"
)

// TestAntecedents: without each of them the formula holds, whatever else happens, which is
// asked of the automaton over the other labels; what is only forbidden is none.
func TestAntecedents(t *testing.T) {
	ctx := context.Background()
	all := []string{"a", "b", "c", "d"}
	alphabet, err := lts.NewAlphabet(all)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"G (a -> F b)":                    {"a"},
		"G (a && !b -> X c)":              {"a"},
		"G (a && X b -> F c)":             {"a", "b"},
		"G (!a || F b)":                   {"a"},
		"GF a -> GF b":                    {"a"},
		"GF a && GF b -> GF c":            {"a", "b"},
		"F a -> !b U a":                   {"a"},
		"G (a || b -> F c)":               {},
		"G (a -> X G (b -> F c))":         {"a", "b"},
		"!b W a":                          {"b"},
		"G (a -> F b) && G (c -> F d)":    {},
		"G (a -> F b) && G (a -> F d)":    {"a"},
		"(c U a) -> F b":                  {"a"},
		"(c M a) || !F d":                 {"d"},
		"G !a":                            {},
		"G (a -> X G !b)":                 {"a"},
		"F a":                             {},
		"(a R b) -> F c":                  {"b"},
		"G (a -> X (!b W c)) || deadlock": {"a"},
	} {
		f, err := ltl.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := f.Antecedents(ctx, alphabet)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, s := range steps {
			got = append(got, s.Pattern.String())
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		for _, without := range got {
			rest, err := lts.NewAlphabet(slices.DeleteFunc(slices.Clone(all), func(l string) bool { return l == without }))
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := f.Bind(ctx, rest)
			if err != nil {
				t.Fatal(err)
			}
			if rejected, err := sample.Of(ctx, p, false, 1); err != nil || len(rejected) > 0 {
				t.Errorf("%s does not hold of every run without %s: %v, %v", text, without, rejected, err)
			}
		}
	}
}
