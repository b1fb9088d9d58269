package repair_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// TestLimitWithTriggersIsTold: if the property cannot be made true without forbidding triggers, either
// it is known whether it can be with them, or the search for that has reached its limit.
func TestLimitWithTriggersIsTold(t *testing.T) {
	ctx := context.Background()
	known, stopped := 0, 0
	for seed := range randomlts.Share(800) {
		c := randomlts.Seeded(seed, randomlts.Medium())
		m := c.Model
		f, err := actl.Parse(ctx, "Response("+m.Alphabet().Text(0)+"; "+m.Alphabet().Text(lts.Label(m.Alphabet().Len()-1))+")")
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found.Trace == nil {
			continue
		}
		fates, err := fate.Of(ctx, m, p, fate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v := repair.Violation{
			Fates: fates, Run: found.Trace, IsTrigger: func(l lts.Label) bool { return l == 0 },
			Controllable: func(l lts.Label) bool { return l > 1 }, WithTriggers: func(l lts.Label) bool { return l != 1 },
		}
		for v.Work = 1; v.Work < 1<<14; v.Work += 1 + v.Work/8 {
			a, err := repair.Advise(ctx, v)
			if err != nil {
				t.Fatal(err)
			}
			if a.Repair == nil || a.Repair.Solvable || a.Repair.Obstacle.Kind == repair.NoCorrectRun {
				continue
			}
			if (a.Lifted == nil) != a.LiftedStopped {
				t.Fatalf("seed %d, work %d:\n%s\n%+v", seed, v.Work, c, a)
			}
			if a.Lifted != nil {
				known++
				break
			}
			stopped++
		}
	}
	if known == 0 || stopped == 0 {
		t.Errorf("it is known for %d models, and %d searches were stopped", known, stopped)
	}
}
