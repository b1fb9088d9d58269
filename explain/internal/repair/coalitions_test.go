package repair_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle/randomlts"
)

// TestCoalitionsAgainstAllSupervisors compares who can prevent a violation with the best of
// all supervisors, for all sets of three owners, one after the other on one unfolded model.
func TestCoalitionsAgainstAllSupervisors(t *testing.T) {
	ctx := context.Background()
	size := randomlts.Size{States: 5, Transitions: 8, Labels: 4, Steps: 2}
	compared, prevented := 0, 0
	for seed := range randomlts.Share(2_000) {
		c := randomlts.Seeded(seed, size)
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, c.Model.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		games, err := repair.NewCoalitions(ctx, c.Model, p, repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for set := range 8 {
			in := func(l lts.Label) bool { return l < 3 && set>>l&1 != 0 }
			wins, ok := newArena(c, func(l lts.Label) bool { return !in(l) }, false, false).winning()
			if !ok {
				continue
			}
			can, err := games.CanPrevent(ctx, in)
			if err != nil {
				t.Fatal(err)
			}
			compared++
			if can {
				prevented++
			}
			if want := wins[place{c.Model.Initial(), 0}]; can != want {
				t.Fatalf("seed %d, owners %b: %t, want %t\n%v", seed, set, can, want, c)
			}
		}
	}
	t.Logf("%d compared, %d can", compared, prevented)
}
