package symbolic

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/lts"
)

func mustParse(t *testing.T, text string) *syntax.Formula {
	t.Helper()
	f, err := syntax.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestArbiter: the correct one never acknowledges two, the buggy one does after two steps,
// or three where the token is held.
func TestArbiter(t *testing.T) {
	for _, cells := range []int{2, 3, 5, 8} {
		for _, kept := range []Token{OneHot, Encoded, Held} {
			for _, buggy := range []bool{false, true} {
				a, err := NewArbiter(cells, kept, buggy)
				if err != nil {
					t.Fatal(err)
				}
				w, _, err := Check(context.Background(), a.Model, mustParse(t, "AG exclusive"), a.Initial)
				if err != nil {
					t.Fatal(err)
				}
				holds, rounds, _, err := Invariant(context.Background(), a.Model, a.Exclusive, a.Initial, 1<<30)
				if err != nil || holds == buggy || a.isEmpty(w.Bad) == buggy {
					t.Errorf("%d cells, buggy %t: %t by invariant, error %v", cells, buggy, holds, err)
				}
				worst := 3
				if kept == Held {
					worst++
				}
				if got := Rounds(a.Model, w); buggy && (got != worst || rounds != worst) || !buggy && (got != 1 || kept == Held && rounds > 3) {
					t.Errorf("%d cells, buggy %t, token %d: %d rounds, %d backwards", cells, buggy, kept, got, rounds)
				}
				// Each cell can be acknowledged, and all runs go on forever.
				w, _, err = Check(context.Background(), a.Model, mustParse(t, "AG EX true && EF !exclusive || AG exclusive"), a.Initial)
				if err != nil || !a.isEmpty(w.Bad) {
					t.Errorf("%d cells, buggy %t: error %v", cells, buggy, err)
				}
			}
		}
	}
}

// TestLikeExplicit compares answers on random models, as diagrams and as states.
func TestLikeExplicit(t *testing.T) {
	const bits = 4
	formulas := []string{
		"AG p", "EF p", "AF p", "EG p", "A[p U q]", "E[p U q]", "A[p R q]", "E[p R q]", "A[p W q]", "E[p M q]",
		"EX p && AX q", "AG (p -> AF q)", "EG EF p", "AF AG q || deadlock", "!E[p U EG q]", "A[EF p U AG (q || deadlock)]",
	}
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		m, err := New(bits)
		if err != nil {
			t.Fatal(err)
		}
		var b lts.Builder
		step := b.Label("")
		relation := m.None()
		for range r.IntN(40) {
			from, to := r.IntN(1<<bits), r.IntN(1<<bits)
			b.Add(lts.State(from), step, lts.State(to))
			relation = m.Or(relation, m.And(m.number(from, bits, m.Is), m.number(to, bits, m.Next)))
		}
		m.Constrain(relation)
		explicit, err := b.Build(0, 1<<bits)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]wmc.States{}
		for _, name := range []string{"p", "q"} {
			set := m.None()
			for s := range 1 << bits {
				if r.IntN(2) == 0 {
					values[name] = append(values[name], lts.State(s))
					set = m.Or(set, m.number(s, bits, m.Is))
				}
			}
			m.Define(name, set)
		}
		f := mustParse(t, formulas[r.IntN(len(formulas))])
		asked, initial := wmc.States{}, m.None()
		for s := range 1 << bits {
			if s == 0 || r.IntN(3) == 0 {
				asked = append(asked, lts.State(s))
				initial = m.Or(initial, m.number(s, bits, m.Is))
			}
		}
		w, _, err := Check(context.Background(), m, f, initial)
		if err != nil {
			t.Fatal(err)
		}
		sets := wmc.NewExplicit(explicit, nil, func(p syntax.Predicate) (wmc.States, error) { return values[p.Name], nil })
		want, err := wmc.Check(context.Background(), sets, f.Closure(), asked, wmc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range asked {
			one := m.number(int(s), bits, m.Is)
			if !m.isEmpty(m.And(one, w.Good)) != want.Good.Has(s) || !m.isEmpty(m.And(one, w.Bad)) != want.Bad.Has(s) {
				t.Fatalf("seed %d: %s in %d: %t by states", seed, f, s, want.Good.Has(s))
			}
		}
		x := NewSets(m)
		if got := x.Count(w.Good); got != float64(len(want.Good)) {
			t.Fatalf("seed %d: %v states, want %d", seed, got, len(want.Good))
		}
		seen := 0
		x.ForEach(w.Good, func(Set) bool { seen++; return true })
		if seen != len(want.Good) {
			t.Fatalf("seed %d: %d states one by one, want %d", seed, seen, len(want.Good))
		}
	}
}

func TestLabelsAreRefused(t *testing.T) {
	m, err := New(1)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Check(context.Background(), m, mustParse(t, "EF <a> true"), m.All()); err != ErrLabels {
		t.Error(err)
	}
	if _, _, err := Check(context.Background(), m, mustParse(t, "EF p"), m.All()); err == nil {
		t.Error("p is not defined")
	}
}
