package fate

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// TestLosses compares them with the fates in the product, at each place.
func TestLosses(t *testing.T) {
	lost := 0
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 67))
		m := randomlts.Seeded(seed, randomlts.Medium()).Model
		p := drawn(t, r, m.Alphabet(), []int{1, 1, 2, 3, 9, 17, 40, 70}[r.IntN(8)])
		want := newInProduct(context.Background(), m, p, nil)
		got, err := Losses(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		for s := range lts.State(m.NumStates()) {
			for q := range property.Q(p.States()) {
				possible, reached := want.outcomes(s, q)
				if !reached {
					continue
				}
				is := fateOf[possible] == Lost
				if got(s, q) != is {
					t.Fatalf("seed %d: %d·%d is lost: %t, want %t", seed, s, q, !is, is)
				}
				if is {
					lost++
				}
			}
		}
	}
	if all := int(randomlts.Share(2_000)); lost < all {
		t.Errorf("%d places were lost", lost)
	}
}
