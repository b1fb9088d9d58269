package repair_test

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/repair"
)

// loops is a ring of states with a loop each, from which one transition leads out: each loop
// needs a choice of its own.
func loops(t testing.TB, n int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	stay, out := b.Label("STAY"), b.Label("OUT")
	for s := range lts.State(n) {
		b.Add(s, stay, s)
		b.Add(s, stay, (s+1)%lts.State(n))
	}
	b.Add(lts.State(n-1), out, lts.State(n))
	m, err := b.Build(0, n+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestChoicesWithinWork: choices are told up to the work that a part costs for each of them,
// and not a transition less; and those of a ring of 20,000 loops are known to be too many
// before they are looked for, which would take hours.
func TestChoicesWithinWork(t *testing.T) {
	ctx := context.Background()
	const n = 30
	m := loops(t, n)
	r := find(t, m, "Inev(OUT)", repair.Options{})
	for work, want := range map[int64]int{0: n, n * (3*n + 1): n, n*(3*n+1) - 1: 0, 1: 0} {
		if got, err := r.FairChoices(ctx, work); len(got) != want || err != nil {
			t.Errorf("with work %d: %d choices (error %v), want %d", work, len(got), err, want)
		}
	}
	r = find(t, loops(t, 20_000), "Inev(OUT)", repair.Options{})
	if got, err := r.FairChoices(ctx, 1_000_000_000); got != nil || err != nil {
		t.Errorf("%d choices are told beyond the limit (error %v)", len(got), err)
	}
}

// TestLimitedChoices: within any limit, the choices are those without one, or none are told,
// and with more work no fewer are.
func TestLimitedChoices(t *testing.T) {
	ctx := context.Background()
	asked := 0
	for seed := range uint64(500) {
		c := randomlts.Seeded(seed, randomlts.Medium())
		r := find(t, c.Model, c.Formula, repair.Options{})
		all, err := r.FairChoices(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) == 0 {
			continue
		}
		asked++
		told := false
		for work := int64(1); work < 1<<20; work *= 2 {
			some, err := r.FairChoices(ctx, work)
			if err != nil || (some != nil || told) && !slices.Equal(some, all) {
				t.Fatalf("seed %d:\n%s\nwith work %d: %v (error %v), want %v", seed, c, work, some, err, all)
			}
			told = some != nil
		}
		if !told {
			t.Fatalf("seed %d:\n%s\nno choices are told", seed, c)
		}
	}
	if asked < 30 {
		t.Errorf("only %d models have choices", asked)
	}
}
