package repair_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestWidePlaces: a transition that is there many times is forbidden as one is, and places with many
// transitions have the same rules as those with few, which are compared with brute force.
func TestWidePlaces(t *testing.T) {
	texts := []string{`Inev("A", "B")`, `Inev("A", "B", "A")`, `Response("A"; "B")`, `G F "A" && G F "B"`, `F G "A"`}
	rules := 0
	for seed := range randomlts.Share(600) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 12, Labels: 4, Steps: 1})
		var b lts.Builder
		b.Over(c.Model.Alphabet())
		for tr := range c.Model.Transitions() {
			for range 1 + 40*(int(seed)+int(tr.From))%82 {
				b.Add(tr.From, tr.Label, tr.To)
			}
		}
		wide, err := b.Build(c.Model.Initial(), c.Model.NumStates())
		if err != nil {
			t.Fatal(err)
		}
		text := texts[seed%uint64(len(texts))]
		p := bindAny(t, c.Model, text)
		o := repair.Options{ByLabel: seed%4 != 0, Controllable: func(l lts.Label) bool { return seed>>2&1 == 0 || l > 0 }, Fair: p.Steps() > 0 && seed>>3&1 == 0}
		var got [2]string
		for i, m := range []*lts.LTS{c.Model, wide} {
			r, err := repair.Find(t.Context(), m, p, o)
			if err != nil {
				t.Fatal(err)
			}
			fair, err := r.FairChoices(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			var never []string
			for _, g := range r.Never {
				never = append(never, fmt.Sprint(g.Transition, g.Progress))
			}
			slices.Sort(never)
			rules += len(never)
			got[i] = fmt.Sprint(r.Solvable, slices.Compact(never), len(r.NotForEver), fair)
		}
		if got[0] != got[1] {
			t.Fatalf("seed %d, %s: %s, want %s\n%v", seed, text, got[1], got[0], c)
		}
	}
	if rules == 0 || randomlts.Whole() && rules < 100 {
		t.Errorf("%d transitions were forbidden: nothing is known of wide places", rules)
	}
}
