package ltl_test

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// TestTriggers: what obliges a run to something is found however it is written, and what is
// only forbidden is none of it.
func TestTriggers(t *testing.T) {
	ctx := context.Background()
	alphabet, err := lts.NewAlphabet([]string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"G (a -> F b)":                     {"a"},
		"[](!a || <>b)":                    {"a"},
		"!F (a && G !b)":                   {"a"},
		"G (a && !b -> X c)":               {"a"},
		"G (a || b -> F c)":                {"a", "b"},
		"G (a -> F b && !c)":               {"a"},
		"G (a -> !c)":                      {},
		"G (a -> X !b)":                    {"a"},
		"G (a -> X (b -> F c))":            {"a", "b"},
		"G (a && X b -> F c)":              {"a"},
		"G (a -> F b) && G !c":             {"a"},
		"F a -> F b":                       {},
		"GF a -> GF b":                     {},
		"G !a":                             {},
		"!b W a":                           {},
		"G (a <-> X b)":                    {"a"},
		"G (a -> !c U b)":                  {"a"},
		"Response(a; b)":                   {"a"},
		"Response(a; b; after c until d)":  {"a", "c"},
		"Never(a, b)":                      {},
		"Never(a; between b and c)":        {"b"},
		"Precedes(a; b)":                   {},
		"AtMost(1; a; before b)":           {},
		"Inev(a, b)":                       {},
		"Response({a, b}; c)":              {"{a, b}"},
		"G (a -> X (!b W c)) && (d U F a)": {"a"},
	} {
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := f.(interface {
			Triggers(context.Context, *lts.Alphabet) ([]property.Step, error)
		}).Triggers(ctx, alphabet)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, s := range steps {
			got = append(got, s.Pattern.String())
			if len(s.Labels) == 0 {
				t.Errorf("%s: %s has no labels", text, s.Pattern)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestDemanded: what has to happen is found however it is written, and neither what triggers it nor what
// is forbidden is part of it.
func TestDemanded(t *testing.T) {
	ctx := context.Background()
	alphabet, err := lts.NewAlphabet([]string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"G (a -> F b)":            {"b"},
		"[](!a || <>b)":           {"b"},
		"!F (a && G !b)":          {"b"},
		"G (a -> X (b || c))":     {"b", "c"},
		"G (a -> !c U b)":         {"b"},
		"G (a -> X !b)":           {},
		"F a -> F b":              {"b"},
		"G F a":                   {"a"},
		"G !a":                    {},
		"!b W a":                  {},
		"Response(a; b)":          {"b"},
		"Response(a; {b, c})":     {"{b, c}"},
		"Inev(a, b)":              {"a", "b"},
		"Precedes(a; b)":          {"a"},
		"Never(a, b)":             {},
		"AtMost(1; a; before b)":  {},
		"Always({a, b})":          {},
		"Response(a; b; after c)": {"b"},
	} {
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		steps, err := f.(interface {
			Demanded(context.Context, *lts.Alphabet) ([]property.Step, error)
		}).Demanded(ctx, alphabet)
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
	}
}
