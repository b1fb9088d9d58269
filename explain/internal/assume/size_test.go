package assume_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property/product"
)

// TestUnfoldedSizeIsThatOfTheProduct: the number of transitions is right before the product is
// made, and 0 when it is there.
func TestUnfoldedSizeIsThatOfTheProduct(t *testing.T) {
	ctx, larger := context.Background(), 0
	for _, text := range []string{"Response(A; B)", "G (A -> F B) && G (C -> F A)", "G F A -> G F B", "Inev(A)"} {
		for seed := range randomlts.Share(200) {
			m := randomlts.Seeded(seed, randomlts.Small()).Model
			f, err := formula.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := f.Bind(ctx, m.Alphabet())
			if err != nil {
				t.Fatal(err)
			}
			c, err := scc.Find(ctx, m, "")
			if err != nil {
				t.Fatal(err)
			}
			fates, err := fate.Compute(ctx, c, p, enrich.Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			if p.Steps() == 0 {
				u, err := product.Unfold(ctx, m, p)
				if err != nil {
					t.Fatal(err)
				}
				want = u.LTS().NumTransitions()
			}
			if got := assume.UnfoldedSize(fates); got != int64(want) {
				t.Fatalf("%s, seed %d: %d transitions, want %d", text, seed, got, want)
			}
			if want > m.NumTransitions() {
				larger++
			}
			if _, err := fates.Unfold(ctx); err != nil {
				t.Fatal(err)
			}
			if got := assume.UnfoldedSize(fates); got != 0 {
				t.Fatalf("%s, seed %d: %d transitions of a known product", text, seed, got)
			}
		}
	}
	if randomlts.Whole() && larger < 50 {
		t.Errorf("%d products are larger than their model", larger)
	}
}
