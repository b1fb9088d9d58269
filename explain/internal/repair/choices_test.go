package repair_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// loops is a ring of 2n states of which every other one has a loop, and from which one
// transition leads out: each loop needs a choice of its own.
func loops(t testing.TB, n int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	stay, out := b.Label("STAY"), b.Label("OUT")
	for s := range lts.State(2 * n) {
		if s%2 != 0 {
			b.Add(s, stay, s)
		}
		b.Add(s, stay, (s+1)%lts.State(2*n))
	}
	b.Add(lts.State(2*n-1), out, lts.State(2*n))
	m, err := b.Build(0, 2*n+1)
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
	for work, want := range map[int64]int{0: n, n * (5*n + 1): n, n*(5*n+1) - 1: 0, 1: 0} {
		if got, err := r.FairChoices(ctx, work); len(got) != want || err != nil {
			t.Errorf("with work %d: %d choices (error %v), want %d", work, len(got), err, want)
		}
	}
	r = find(t, loops(t, 20_000), "Inev(OUT)", repair.Options{})
	if got, err := r.FairChoices(ctx, 1_000_000_000); got != nil || err != nil {
		t.Errorf("%d choices are told beyond the limit (error %v)", len(got), err)
	}
}

// TestChoicesOfPlaces: a state that a run comes to while different things are pending is fair to
// its choices if it takes each of them some time, and need not take each whatever is pending.
func TestChoicesOfPlaces(t *testing.T) {
	ctx := context.Background()
	var b lts.Builder
	for _, label := range []string{"A", "B", "C"} {
		b.Add(0, b.Label(label), 0)
	}
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := bindAny(t, m, `G F ("A" && X "B")`)
	r, err := repair.Find(ctx, m, p, repair.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// B A C forever takes all and never B after A.
	if chosen, err := r.FairChoices(ctx, 0); chosen != nil || err != nil {
		t.Errorf("choices that are said to be enough: %v (error %v)", chosen, err)
	}
}

// TestLargerChoices: in models too large to look at all sets of transitions, the choices
// suffice, and none can be left out, as a search without any thought finds.
func TestLargerChoices(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 1))
	several, models := 0, 400
	if !randomlts.Whole() {
		models = 100
	}
	for range models {
		m := wandering(t, r, 6+r.IntN(20))
		found := find(t, m, "Inev(OUT)", repair.Options{})
		if len(found.Never) > 0 {
			t.Fatalf("%v has to be forbidden", found.Never)
		}
		chosen, err := found.FairChoices(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		fair := map[lts.State]bool{}
		for _, s := range chosen {
			fair[s] = true
		}
		if stays(m, fair) {
			t.Fatalf("%v do not suffice", chosen)
		}
		for _, s := range chosen {
			delete(fair, s)
			if !stays(m, fair) {
				t.Fatalf("of %v, state %d can be left out", chosen, s)
			}
			fair[s] = true
		}
		if len(chosen) > 3 {
			several++
		}
	}
	if several < models/4 {
		t.Errorf("only %d models have more than three choices", several)
	}
}

// wandering is a model of so many states in a ring, with one or two more transitions each to
// anywhere, or out.
func wandering(t testing.TB, r *rand.Rand, n int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	stay, out := b.Label("STAY"), b.Label("OUT")
	b.Add(0, out, lts.State(n))
	for s := range lts.State(n) {
		b.Add(s, stay, (s+1)%lts.State(n))
		for range 1 + r.IntN(2) {
			if r.IntN(8) == 0 {
				b.Add(s, out, lts.State(n))
			} else {
				b.Add(s, stay, lts.State(r.IntN(n)))
			}
		}
	}
	m, err := b.Build(0, n+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// stays reports whether a run that is fair to the choices of some states can do STAY
// forever: whether something is left if states are removed from which no run comes back, and
// fair ones that have a transition out of the component that they are in.
func stays(m *lts.LTS, fair map[lts.State]bool) bool {
	left := map[lts.State]bool{}
	for t := range m.Transitions() {
		left[t.From] = true
	}
	for changed := true; changed; {
		changed = false
		reach := map[lts.State]map[lts.State]bool{}
		for s := range left {
			reach[s] = map[lts.State]bool{}
			for todo := []lts.State{s}; len(todo) > 0; todo = todo[1:] {
				_, targets := m.Out(todo[0])
				for _, to := range targets {
					if left[to] && !reach[s][to] {
						reach[s][to] = true
						todo = append(todo, to)
					}
				}
			}
		}
		for s := range reach {
			_, targets := m.Out(s)
			if !reach[s][s] || fair[s] && slices.ContainsFunc(targets, func(to lts.State) bool { return !reach[s][to] || !reach[to][s] }) {
				delete(left, s)
				changed = true
			}
		}
	}
	return len(left) > 0
}

// TestLimitedChoices: within any limit, the choices are those without one, or none are told,
// and with more work no fewer are.
func TestLimitedChoices(t *testing.T) {
	ctx := context.Background()
	asked := 0
	for seed := range randomlts.Share(500) {
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
	if randomlts.Whole() && asked < 30 {
		t.Errorf("only %d models have choices", asked)
	}
}
