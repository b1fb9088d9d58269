package repair

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestDisjointRunsBoundSets checks that no sufficient set is smaller than the number of disjoint
// runs. The smallest sets are themselves compared with all sets in TestFewestAgainstAllSets.
func TestDisjointRunsBoundSets(t *testing.T) {
	const most = mostInCut
	bounds := map[int]int{}
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, c.Model.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		byLabel := rapid.Bool().Draw(t, "labels")
		smallest, err := FindFewest(ctx, c.Model, p, FewestOptions{Labels: byLabel})
		if err != nil {
			t.Fatal(err)
		}
		o := FewestOptions{Labels: byLabel, Most: most}
		x := &fewest{m: c.Model, p: p, o: o, budget: &budget{ctx: ctx}}
		runs, err := x.disjointRuns()
		if err != nil {
			t.Fatal(err)
		}
		bounds[runs]++
		if smallest.Found && runs > len(smallest.Transitions)+len(smallest.Labels) {
			t.Fatalf("%v: %d disjoint runs, but forbidding %v %v is enough", c, runs,
				smallest.Transitions, smallest.Labels)
		}
	})
	for runs := range most + 2 {
		if bounds[runs] == 0 {
			t.Errorf("no model has %d disjoint runs: %v", runs, bounds)
		}
	}
}
