package view_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestQuotientsOfTables: the counterexample of a property that is no chain is found in its
// quotient, whatever it looks like.
func TestQuotientsOfTables(t *testing.T) {
	formulas := []string{
		"Response(l0; l1)", "Response(l0; l1, l2)", "Never(l0, l1)", "Precedes(l1; l0)", "DeadlockFree", "Inev(l0; after l1 until l2)",
		"G F l0 -> G F l1", "l0 U l1", "G (l0 -> X l1)", "F G !l0 || G F l1",
	}
	violated := 0
	for seed := range randomlts.Share(300) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 12, Labels: 4, Steps: 1})
		m := labelled(t, c.Model)
		text := formulas[seed%uint64(len(formulas))]
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		for _, unfold := range []bool{false, true} {
			e, err := explain.Explain(context.Background(), m, f, explain.Options{Unfold: unfold, NoAdvice: true, NoFairness: true})
			if err != nil {
				t.Fatal(err)
			}
			if e.Trace() != nil {
				violated++
			}
			if _, err := view.Of(context.Background(), e, view.Options{Kind: view.Quotient}); err != nil {
				t.Fatalf("seed %d, unfolded: %v: %s\n%s\n%v", seed, unfold, text, c, err)
			}
		}
	}
	if randomlts.Whole() && violated < 100 {
		t.Errorf("%d properties are violated: the test tries too little", violated)
	}
}

// labelled returns a model with labels l0 to l3 at least.
func labelled(t testing.TB, m *lts.LTS) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for l := range max(4, m.Alphabet().Len()) {
		b.Label(fmt.Sprintf("l%d", l))
	}
	for tr := range m.Transitions() {
		b.Add(tr.From, tr.Label, tr.To)
	}
	n, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return n
}
