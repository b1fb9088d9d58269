package letters_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/internal/formula/letters"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

func TestOf(t *testing.T) {
	var b lts.AlphabetBuilder
	x, y, z := b.Label("x"), b.Label("y"), b.Label("z")
	atoms := []property.Step{{Labels: []lts.Label{x, z}}, {Labels: []lts.Label{x, z}}, {Labels: nil}}
	of, held, err := letters.Of(t.Context(), atoms, b.Build(), letters.Most)
	if err != nil || of[x] != of[z] || of[x] == of[y] || len(held) != 2 {
		t.Fatalf("%v, %v, %v", of, held, err)
	}
	if got := fmt.Sprint(held[of[x]], held[of[y]]); got != "[true true false] [false false false]" {
		t.Error(got)
	}
}

// TestTooMany: seventeen atoms of which every set holds of some label make too many letters.
func TestTooMany(t *testing.T) {
	if !randomlts.Whole() {
		t.Skip("131,072 labels")
	}
	var b lts.AlphabetBuilder
	atoms := make([]property.Step, 17)
	for n := range 1 << len(atoms) {
		l := b.Label(fmt.Sprint(n))
		for i := range atoms {
			if n>>i&1 != 0 {
				atoms[i].Labels = append(atoms[i].Labels, l)
			}
		}
	}
	if _, _, err := letters.Of(t.Context(), atoms, b.Build(), letters.Most); err == nil || errors.Unwrap(err) != nil {
		t.Errorf("%v", err)
	}
}
