package assume_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// TestLimitedChoices: with any limit of work, choices that are said to be minimal are
// those without one, and others are a set that holds no fewer.
func TestLimitedChoices(t *testing.T) {
	asked := 0
	for seed := range randomlts.Share(1_000) {
		c := randomlts.Seeded(seed, randomlts.Medium())
		search, err := assume.Of(context.Background(), fate.OfChain(enriched(t, c.Model, c.Formula, nil)))
		if errors.Is(err, assume.ErrDeadlock) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all, err := search.FairChoices(assume.Limits{})
		if err != nil || !all.Minimal {
			t.Fatalf("seed %d: %v (error %v)", seed, all, err)
		}
		if len(all.States) > 0 {
			asked++
		}
		for work := int64(1); work < 1<<20; work *= 2 {
			some, err := search.FairChoices(assume.Limits{Work: work})
			switch {
			case err != nil || some.Minimal && !slices.Equal(some.States, all.States):
			case !some.Minimal && work == 1<<19:
			case !some.Minimal && some.States != nil && !holds(some.States, all.States):
			default:
				continue
			}
			t.Fatalf("seed %d:\n%s\nwith work %d: %v (error %v), want %v", seed, c, work, some, err, all)
		}
	}
	if randomlts.Whole() && asked < 50 {
		t.Errorf("only %d models have choices", asked)
	}
}

// holds reports whether every state of some is one of all.
func holds(all, some []lts.State) bool {
	return !slices.ContainsFunc(some, func(s lts.State) bool { return !slices.Contains(all, s) })
}

// TestManyChoices: that a ring of 20,000 loops needs more choices than can be looked for is
// known before they are, which would take hours; that no choices suffice is told whatever the
// limit, as soon as it is known; and what is within reach is looked for.
func TestManyChoices(t *testing.T) {
	for _, c := range []struct {
		n      int // of states, of which each one out of so many has a loop
		oneOf  lts.State
		leaves bool
		work   int64
		states int
	}{{20_000, 1, true, 1_000_000_000, 0}, {20_000, 1, false, 1_000_000_000, 0}, {160, 8, true, 5 * 20 * (160 + 180 + 1), 21}} {
		n, leaves := c.n, c.leaves
		var b lts.Builder
		stay, out := b.Label("STAY"), b.Label("OUT")
		for s := range lts.State(n) {
			if s%c.oneOf == 0 {
				b.Add(s, stay, s)
			}
			b.Add(s, stay, (s+1)%lts.State(n))
		}
		if leaves {
			b.Add(lts.State(n-1), out, lts.State(n))
		}
		m, err := b.Build(0, n+1)
		if err != nil {
			t.Fatal(err)
		}
		search, err := assume.Of(context.Background(), fate.OfChain(enriched(t, m, "Inev(OUT)", nil)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := search.FairChoices(assume.Limits{Work: c.work})
		if err != nil || len(got.States) != c.states || got.Minimal != (!leaves || c.states > 0) {
			t.Errorf("%+v: %d states, minimal: %t, error %v", c, len(got.States), got.Minimal, err)
		}
	}
}
