package simplify_test

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/simplify"
)

// TestAbstract compares abstractions with the definitions, by an oracle that decides by brute force
// what can become of a run.
func TestAbstract(t *testing.T) {
	ctx := context.Background()
	kept := map[bool]int{}
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(70_000+seed, randomlts.Small())
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(ctx, c.Model, f, explain.Options{NoAdvice: true, NoFairness: true, NoReasons: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		run := e.Trace()
		if run == nil {
			continue
		}
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		var fates []simplify.Fate
		for i := range run.Len() + 1 {
			at := run.Initial()
			if i > 0 {
				at = run.Step(i - 1).To
			}
			fate := simplify.Fated
			if o.Free(at, int(run.At(i))) {
				fate = simplify.Free
			}
			fates = append(fates, fate)
		}
		noReturn := slices.Index(fates, simplify.Fated) - 1
		noReturn = max(noReturn, -1)
		decides := []int{}
		for i := range run.Len() {
			step := run.Step(i)
			isNear := e.Classification().Has(step.From) || e.Classification().Has(step.To)
			if fates[0] == simplify.Free && (isNear || i == noReturn) {
				decides = append(decides, i)
			}
		}
		a := simplify.Abstract(run, e.Classification())
		if !slices.Equal(a.Fates, fates) || a.PointOfNoReturn != noReturn || !slices.Equal(a.Kept, decides) {
			t.Fatalf("seed %d:\n%v\n%v, want %v, %d, %v", seed, c, a, fates, noReturn, decides)
		}
		kept[len(a.Kept) > 0]++
	}
	if len(kept) < 2 {
		t.Errorf("abstractions that keep something: %v", kept)
	}
}
