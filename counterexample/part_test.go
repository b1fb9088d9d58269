package counterexample

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestPartsOfProducts: a search that looks at a few states of the product first finds as
// short a run as one that looks at all.
func TestPartsOfProducts(t *testing.T) {
	cut := 0
	for seed := range randomlts.Share(8_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 200, Transitions: 450, Labels: 4, Steps: 1})
		r := rand.New(rand.NewPCG(seed, 5))
		p := twoColours(t, c.Model.Alphabet(), r)
		search := productTask{model: c.Model, property: p, below: math.MaxInt}
		whole, err := resultOf(func(r *Result) { search.inParts(context.Background(), math.MaxInt, r) })
		if err != nil {
			t.Fatal(err)
		}
		part, err := resultOf(func(r *Result) { search.inParts(context.Background(), 8, r) })
		if err != nil {
			t.Fatal(err)
		}
		if (whole.Trace == nil) != (part.Trace == nil) || whole.Trace != nil && whole.Trace.Len() != part.Trace.Len() {
			t.Fatalf("seed %d:\n%s\n%s", seed, c, fmt.Sprint(whole.Trace, part.Trace))
		}
		if whole.Trace == nil {
			continue
		}
		if part.Stats.Stored < whole.Stats.Stored {
			cut++
		}
		for _, below := range []int{whole.Trace.Len(), whole.Trace.Len() + 1} {
			search.below = below
			short, err := resultOf(func(r *Result) { search.inParts(context.Background(), 8, r) })
			if err != nil {
				t.Fatal(err)
			}
			if found := short.Trace != nil && short.Trace.Len() < below; found != (whole.Trace.Len() < below) {
				t.Fatalf("seed %d:\n%s\nbelow %d: %v", seed, c, below, short.Trace)
			}
		}
	}
	if randomlts.Whole() && cut < 30 {
		t.Errorf("%d searches ended before the whole", cut)
	}
}
