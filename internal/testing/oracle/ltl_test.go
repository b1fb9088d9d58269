package oracle_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// mostColours is the number of colours that the oracle, which tries all sets of them,
// gets.
const mostColours = 5

// TestFatesOfTemporalFormulas compares fates, classes and lengths of counterexamples for
// random formulas of linear temporal logic with the oracle.
func TestFatesOfTemporalFormulas(t *testing.T) {
	cases := randomlts.Share(6_000)
	compared := 0
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Small())
		a := c.Model.Alphabet()
		r := rand.New(rand.NewPCG(seed, 3))
		atoms := [2]string{drawnAtom(r, a), drawnAtom(r, a)}
		f, err := ltl.Parse(context.Background(), randomFormula(r, atoms, 3))
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), a)
		if errors.As(err, new(*ltl.BudgetError)) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if all, _ := p.Acceptance().Colours(); all.Len() > mostColours {
			continue
		}
		compared++
		if err := sameAsOracle(c.Model, p, fatesOf(t, c.Model, p)); err != nil {
			t.Fatalf("seed %d:\n%s\n%s\n%v", seed, c, p, err)
		}
		if err := shortestAsOracle(c.Model, p); err != nil {
			t.Fatalf("seed %d:\n%s\n%s\n%v", seed, c, p, err)
		}
	}
	if compared < int(cases)*9/10 {
		t.Errorf("%d of %d formulas were compared", compared, cases)
	}
}

// drawnAtom writes that one of some labels is taken.
func drawnAtom(r *rand.Rand, a *lts.Alphabet) string {
	text := "false"
	for _, label := range a.All() {
		if r.IntN(2) == 0 {
			text += " || {" + label + "}"
		}
	}
	return "(" + text + ")"
}

func randomFormula(r *rand.Rand, atoms [2]string, depth int) string {
	if depth == 0 || r.IntN(6) == 0 {
		switch r.IntN(7) {
		case 0:
			return "deadlock"
		case 1, 2, 3:
			return atoms[0]
		}
		return atoms[1]
	}
	f, g := randomFormula(r, atoms, depth-1), randomFormula(r, atoms, depth-1)
	unary, binary := []string{"!", "X", "F", "G"}, []string{"&&", "||", "->", "U", "W", "R", "M"}
	if i := r.IntN(len(unary) + len(binary)); i >= len(unary) {
		return "(" + f + " " + binary[i-len(unary)] + " " + g + ")"
	} else {
		return unary[i] + " (" + f + ")"
	}
}
