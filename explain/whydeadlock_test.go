package explain_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// hasInfiniteRun reports whether an infinite run begins in a state.
func hasInfiniteRun(m *lts.LTS, s lts.State, on map[lts.State]bool) bool {
	if on[s] {
		return true
	}
	on[s] = true
	defer delete(on, s)
	for _, to := range m.From(s) {
		if hasInfiniteRun(m, to, on) {
			return true
		}
	}
	return false
}

// TestWhyOfDeadlocks: asked about a deadlock without an action, the answer is about the labels that would have kept the
// run from it in the last state in which it could be avoided.
func TestWhyOfDeadlocks(t *testing.T) {
	f, err := formula.Parse(context.Background(), "DeadlockFree")
	if err != nil {
		t.Fatal(err)
	}
	met := 0
	for seed := range randomlts.Share(3_000) {
		m, err := randomlts.Nondeterministic(rand.New(rand.NewPCG(seed, 12)))
		if err != nil {
			t.Fatal(err)
		}
		checked, err := explain.Check(context.Background(), m, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if checked.Verdict == explain.Satisfied {
			continue
		}
		var want []string
		for _, step := range checked.Trace().Steps() {
			if !hasInfiniteRun(m, step.From, map[lts.State]bool{}) || m.IsBefore(step.From) {
				continue
			}
			want = nil
			for l, to := range m.From(step.From) {
				if hasInfiniteRun(m, to, map[lts.State]bool{}) {
					want = append(want, m.Alphabet().Text(l))
				}
			}
		}
		slices.Sort(want)
		want = slices.Compact(want)
		w, err := explain.Why(context.Background(), m, f, explain.WhyQuestion{}, explain.Options{})
		var none *explain.NoPlaceError
		if errors.As(err, &none) {
			if want != nil {
				t.Fatalf("seed %d: %v, and %q would avoid it", seed, err, want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := slices.Clone(w.Labels)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, not %q", seed, got, want)
		}
		met++
	}
	if t.Log(met); randomlts.Whole() && met < 300 {
		t.Errorf("it was met %d times", met)
	}
}
