package actl_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// randomModel returns a model over the letters.
func randomModel(t testing.TB, r *rand.Rand) *lts.LTS {
	t.Helper()
	n := 1 + r.IntN(6)
	var b lts.Builder
	for range r.IntN(2*n + 1) {
		b.Add(lts.State(r.IntN(n)), b.Label(letters[r.IntN(len(letters))]), lts.State(r.IntN(n)))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestPatternsAreTheirModalFormulas compares the verdict of each pattern in each scope
// with what its formulas in MCL and in the mu-calculus of mCRL2 say of random models.
func TestPatternsAreTheirModalFormulas(t *testing.T) {
	verdicts := map[bool]int{}
	seeds, least := 40, 500
	if !randomlts.Whole() {
		seeds, least = 8, 100
	}
	for n, text := range collection.Patterns() {
		text = collection.Widened(text)
		f, err := actl.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		mcl, _, _ := f.MCL(context.Background())
		mu, _, _ := f.MuCalculus(context.Background())
		for seed := range seeds {
			m := randomModel(t, rand.New(rand.NewPCG(uint64(seed), uint64(n))))
			p, _, err := f.Bind(context.Background(), m.Alphabet())
			if err != nil {
				t.Fatal(err)
			}
			_, violated := oracle.NewGeneral(m, fromproperty.Automaton(p)).Can(m.Initial(), int(p.Initial()))
			for _, formula := range []string{mcl, mu} {
				got, err := mucalculus.Holds(m, formula)
				if err != nil {
					t.Fatalf("%s: %v", text, err)
				}
				if got == violated {
					t.Fatalf("%s, that is %s: %t, and the formula says %t", text, formula, !violated, got)
				}
			}
			verdicts[violated]++
		}
	}
	if verdicts[true] < least || verdicts[false] < least {
		t.Errorf("violated and satisfied: %v", verdicts)
	}
}
