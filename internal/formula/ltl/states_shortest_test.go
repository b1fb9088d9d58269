package ltl_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestOneStepAboutStatesIsShortest: a property about values that is a chain of one step, which is
// searched as such, has counterexamples as short as brute force finds in the product.
func TestOneStepAboutStatesIsShortest(t *testing.T) {
	ctx := context.Background()
	violated := 0
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 9))
		v := drawValued(t, r)
		atom := stateAtoms[r.IntN(len(stateAtoms))].text
		text := []string{"F " + atom, "Inev(" + atom + ")", "F (" + atom + " || a)", "Inev({" + atom + ", b})", "F (x = 7 || " + atom + ")"}[r.IntN(5)]
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		o := explain.Options{Source: explain.Source{File: "m.aut", States: v.table}}
		m, err := explain.Matched(ctx, v.m, f, &o, true)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Check(ctx, m, f, o)
		if err != nil {
			t.Fatal(err)
		}
		happening, err := m.Happening(ctx)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, happening)
		if err != nil {
			t.Fatal(err)
		}
		shortest, is := oracle.NewGeneral(m, fromproperty.Automaton(p)).ShortestViolation()
		switch {
		case is != (e.Verdict == explain.Violated):
			t.Fatalf("seed %d, %s: violated: %t", seed, text, is)
		case !is:
			continue
		case e.Counterexample.Length != shortest || e.Counterexample.Minimal == counterexample.MinimalUnknown:
			t.Fatalf("seed %d, %s: %d transitions, %v; want %d", seed, text, e.Counterexample.Length, e.Counterexample.Minimal, shortest)
		}
		violated++
		all, err := counterexample.All(ctx, m, p, counterexample.Options{})
		if err != nil || all.Len() != shortest {
			t.Fatalf("seed %d, %s: all have %v transitions, want %d (%v)", seed, text, all, shortest, err)
		}
	}
	if randomlts.Whole() && violated < 100 {
		t.Errorf("%d were violated", violated)
	}
}
