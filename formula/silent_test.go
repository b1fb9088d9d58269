package formula_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/product"
)

// TestSilent: labels that a property does not name are silent unless it tells one action
// from two.
func TestSilent(t *testing.T) {
	var b lts.Builder
	for _, text := range []string{"a", "b", "c", "i", "x"} {
		b.Add(0, b.Label(text), 0)
	}
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ formula, silent string }{
		{"Inev(a, b)", "c i x"},
		{"Response(a; b)", "c i x"},
		{"Response(a; b, c)", "i x"},
		{"Never(a, b)", "c i x"},
		{"Precedes(a; b)", "c i x"},
		{"Always({a, i})", "a i"},
		{"AtMost(2; a)", "b c i x"},
		{"DeadlockFree", "a b c i x"},
		{"Response(a; b; between x and c)", "i"},
		{"G (a -> F b)", "c i x"},
		{"G (a -> X F b)", "c i x"},
		{"G (a -> X b)", ""},
		{"a U b", "a"},
		{"F (a && X F b)", "c i x"},
		{"G F a -> G F b", "c i x"},
		{"G F !a", "a"},
		{"F G a", "a"},
		{"F G (a || i)", "a i"},
		{"G F a && F G !b", "c i x"},
		{"X X true", "a b c i x"},
	} {
		f, err := formula.Parse(context.Background(), c.formula)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		silent, err := product.Silent(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for l, text := range m.Alphabet().All() {
			if silent[l] {
				texts = append(texts, text)
			}
		}
		if got := strings.Join(texts, " "); got != c.silent {
			t.Errorf("%s: %q are silent, want %q", c.formula, got, c.silent)
		}
	}
}
