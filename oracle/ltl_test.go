package oracle_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/formula/temporal"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle/randomlts"
	"github.com/inev-lts/inev/property"
)

// mostColours is the number of colours that the oracle, which tries all sets of them,
// gets.
const mostColours = 5

// TestFatesOfTemporalFormulas compares fates, classes and lengths of counterexamples for
// random formulas of linear temporal logic with the oracle.
func TestFatesOfTemporalFormulas(t *testing.T) {
	cases := uint64(6_000)
	if testing.Short() {
		cases /= 10
	}
	compared := 0
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Small())
		a := c.Model.Alphabet()
		steps := make([]property.Step, 2)
		r := rand.New(rand.NewPCG(seed, 3))
		for i := range steps {
			for l := range a.Len() {
				if r.IntN(2) == 0 {
					steps[i].Labels = append(steps[i].Labels, lts.Label(l))
				}
			}
			steps[i].Pattern = letter(rune('a' + i))
		}
		f := randomFormula(r, 3)
		p, err := temporal.Bind(context.Background(), a, f, steps, property.KindLTL, f.Text([]string{"a", "b"}))
		var budget *temporal.BudgetError
		if errors.As(err, &budget) {
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

type letter rune

func (l letter) String() string      { return string(l) }
func (l letter) Matches(string) bool { return false }

func randomFormula(r *rand.Rand, depth int) *temporal.Formula {
	if depth == 0 || r.IntN(6) == 0 {
		switch r.IntN(7) {
		case 0:
			return temporal.Deadlock()
		case 1, 2, 3:
			return temporal.Atom(0)
		}
		return temporal.Atom(1)
	}
	f, g := randomFormula(r, depth-1), randomFormula(r, depth-1)
	switch r.IntN(11) {
	case 0:
		return temporal.Not(f)
	case 1:
		return temporal.And(f, g)
	case 2:
		return temporal.Or(f, g)
	case 3:
		return temporal.Implies(f, g)
	case 4:
		return temporal.Next(f)
	case 5:
		return temporal.Eventually(f)
	case 6:
		return temporal.Always(f)
	case 7:
		return temporal.Until(f, g)
	case 8:
		return temporal.WeakUntil(f, g)
	case 9:
		return temporal.Release(f, g)
	}
	return temporal.StrongRelease(f, g)
}
