package assume_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// TestMinimalAssumptionsOfJoinedTables compares the answers for one to three automata, which
// all have to accept, with all subsets: automata whose violating runs stay in one state of the automaton, which are
// searched in the model, and others.
func TestMinimalAssumptionsOfJoinedTables(t *testing.T) {
	ctx := context.Background()
	size := randomlts.Size{States: 4, Transitions: 8, Labels: 3, Steps: 1}
	cases := uint64(2_000)
	if !randomlts.Whole() {
		cases /= 10
	}
	asked, inModel, joint, mixed := 0, 0, 0, 0
	for seed := range cases {
		c := randomlts.Seeded(seed, size)
		components, err := scc.Find(ctx, c.Model, "")
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 7))
		var all []*fate.Map
		var automata []oracle.Automaton
		still := 0
		for range 1 + seed%3 {
			p, a := drawTable(t, r, c.Model.Alphabet())
			fates, err := fate.Compute(ctx, components, p, enrich.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if all, automata = append(all, fates), append(automata, a); assume.InModel(fates) {
				still++
			}
		}
		is, err := compareSearch(c.Model, automata, func() (*assume.Search, error) { return assume.Of(ctx, all...) })
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		if !is {
			continue
		}
		asked++
		switch {
		case still == 1 && len(all) == 1:
			inModel++
		case still == len(all):
			joint++
		case still > 0:
			mixed++
		}
	}
	if least := int(cases / 30); inModel < least || joint < least || mixed < least {
		t.Errorf("of %d questions, %d are of one automaton in the model, %d of several, and %d partly; %d each are wanted", asked, inModel, joint, mixed, least)
	}
}
