package wmc_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestInevitability: Inev(a, b), written as the formula that defines it, has the verdict
// that the analysis of chains comes to.
func TestInevitability(t *testing.T) {
	ctx := context.Background()
	holding := 0
	for seed := range randomlts.Share(3000) {
		x := randomlts.Seeded(seed, randomlts.Medium())
		f, err := actl.Parse(ctx, x.Formula)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Check(ctx, x.Model, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		g, err := syntax.Parse(ctx, f.ACTL())
		if err != nil {
			t.Fatalf("%s: %v", f.ACTL(), err)
		}
		c := g.Closure()
		means, _, err := c.Bind(ctx, x.Model.Alphabet(), nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := wmc.Check(ctx, wmc.NewExplicit(x.Model, means, nil), c, wmc.States{x.Model.Initial()}, wmc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if holds := len(a.Bad) == 0; holds != (e.Verdict == explain.Satisfied) {
			t.Fatalf("seed %d: %t; the verdict is %s; %s", seed, holds, e.Verdict, x)
		} else if holds {
			holding++
		}
	}
	if randomlts.Whole() && holding < 300 {
		t.Errorf("only %d hold", holding)
	}
}

// TestDeepModel: what is visited in a million frontiers takes no more than each of them.
func TestDeepModel(t *testing.T) {
	length := 300_000
	if !randomlts.Whole() {
		length = 30_000
	}
	var b lts.Builder
	step := b.Label("step")
	for i := range lts.State(length) {
		b.Add(i, step, i+1)
	}
	m, err := b.Build(0, length+1)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"AG AF deadlock", "EG EF deadlock", "A[AF deadlock W EG false]"} {
		f, err := syntax.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		a, err := wmc.Check(context.Background(), wmc.NewExplicit(m, nil, nil), f.Closure(), wmc.States{0}, wmc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Good) != 1 || a.Visits > float64(4*(length+1)) {
			t.Errorf("%s: good %v, %v visits", text, a.Good, a.Visits)
		}
	}
}
