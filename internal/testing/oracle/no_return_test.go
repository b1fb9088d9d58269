package oracle_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/simplify"
)

// TestPointOfNoReturn: it is the last step of the counterexample from where the property is possible
// to where it is lost; steps are free or fated as the oracle knows.
func TestPointOfNoReturn(t *testing.T) {
	ctx := context.Background()
	met := map[bool]int{}
	for seed := range randomlts.Share(4_000) {
		c := randomlts.Seeded(seed, randomlts.Small())
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(ctx, c.Model, f, explain.Options{NoAdvice: true, NoFairness: true, NoReasons: true, NoPaths: true})
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		if e.Counterexample == nil {
			continue
		}
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		run, want := e.Trace(), -1
		free := o.Free(run.Initial(), 0)
		for i := range run.Len() {
			next := o.Free(run.Step(i).To, int(run.At(i+1)))
			if (e.Counterexample.Steps[i].Fate == simplify.Free) != next {
				t.Fatalf("seed %d:\n%s\nafter step %d of %v the run is %s, but free: %v", seed, c, i+1, run.Steps(), e.Counterexample.Steps[i].Fate, next)
			}
			if free && !next {
				want = i
			}
			free = next
		}
		got := -1
		if p := e.PointOfNoReturn; p != nil {
			got = int(p.Step)
		}
		if got != want {
			t.Fatalf("seed %d:\n%s\n%v passes the point of no return at %d, want %d", seed, c, run.Steps(), got, want)
		}
		met[want >= 0]++
	}
	if len(met) < 2 {
		t.Errorf("met %v", met)
	}
}
