package buchi

import (
	"bytes"
	"context"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestDescribe: what is written of a product is read back as an automaton with shortest lassos of the same
// length.
func TestDescribe(t *testing.T) {
	ctx := context.Background()
	violated := 0
	for seed := range randomlts.Share(600) {
		c := randomlts.Seeded(seed, randomlts.Small())
		f, err := formula.Parse(ctx, []string{"Inev(A, B)", "G F A", "F G !B", "G (A -> F B)"}[seed%4])
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, c.Model.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		g, err := NewProduct(ctx, c.Model, p)
		if err != nil {
			t.Fatal(err)
		}
		d, err := g.Describe(ctx, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := d.Write(&b); err != nil {
			t.Fatal(err)
		}
		back, err := ReadHOA(ctx, &b, "product")
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := Find(ctx, g, FindOptions{Algorithm: ByPriority}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := back.Find(ctx, FindOptions{Algorithm: ByPriority}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if (want == nil) != (got == nil) || want != nil && want.Length() != got.Length() {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		if want != nil {
			violated++
		}
		if _, err := g.Describe(ctx, 1); err == nil && d.Automaton.NumStates() > 1 {
			t.Fatal("more states than allowed")
		}
	}
	if violated == 0 {
		t.Error("none is violated")
	}
}
