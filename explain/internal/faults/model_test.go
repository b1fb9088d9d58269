package faults

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// never returns a property that is lost for good after one letter.
func never(t *testing.T, a *lts.Alphabet, r *rand.Rand) *property.Property {
	t.Helper()
	x := property.Automaton{Columns: 2, Letters: make([]uint16, a.Len()), Next: []property.Q{0, 1, 1, 1},
		Stop: []bool{true, false}, Marks: []property.Marks{1, 0, 0, 0}, Acceptance: property.Inf(0)}
	for l := range x.Letters {
		x.Letters[l] = uint16(r.IntN(2))
	}
	p, err := property.Table(a, x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestModelWithFewFaultsHasShortestRuns compares it with the property that counts faults: a shortest
// violation has as many transitions, and stands for a run of the model with the fewest faults.
func TestModelWithFewFaultsHasShortestRuns(t *testing.T) {
	ctx := context.Background()
	some, loops := 0, 0
	for seed := range randomlts.Share(6_000) {
		r := rand.New(rand.NewPCG(seed, 72))
		c := randomlts.Seeded(seed, randomlts.Medium())
		m := c.Model
		p := drawn(t, r, m.Alphabet(), 1+r.IntN(4))
		switch r.IntN(4) {
		case 0:
			p = chainOf(t, c)
		case 1:
			p = never(t, m.Alphabet(), r)
		}
		faulty := make([]bool, m.Alphabet().Len())
		for l := range faulty {
			faulty[l] = r.IntN(3) > 0
		}
		isFault := func(l lts.Label) bool { return faulty[l] }
		components, err := scc.Find(ctx, m, "iterative")
		if err != nil {
			t.Fatal(err)
		}
		fates, err := fate.Compute(ctx, components, p, enrich.Options{})
		if err != nil {
			t.Fatal(err)
		}
		takes, err := inProduct(ctx, fates, isFault)
		if err != nil {
			t.Fatal(err)
		}
		if fates.Holds() || !takes.Finite {
			continue
		}
		counting, err := OrMoreFaults(ctx, p, isFault, takes.Least)
		if err != nil {
			t.Fatal(err)
		}
		few, run, err := WithFewFaults(ctx, fates, isFault, takes.Least)
		if err != nil {
			t.Fatal(err)
		}
		if counting == nil || p.Steps() > 1 {
			continue // the loop of a chain need not close in the product
		}
		want, err := counterexample.Shortest(ctx, m, counting, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := counterexample.Shortest(ctx, few, p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Trace != nil && want.Trace.Kind() == counterexample.Prefix && got.Trace.Kind() != counterexample.Prefix {
			continue // a property may be about safety if so many faults are the most
		}
		if got.Trace == nil || want.Trace == nil || got.Trace.Len() != want.Trace.Len() {
			t.Fatalf("seed %d: %v, counted %v", seed, got.Trace, want.Trace)
		}
		checkRun(t, seed, m, p, got.Trace, run(got.Trace.Steps()), isFault, takes.Least)
		if takes.Least > 0 {
			some++
			if _, is := got.Trace.LoopStart(); is {
				loops++
			}
		}
	}
	if most := int(randomlts.Share(6_000)); some < most/60 || loops < most/200 {
		t.Errorf("%d took faults, %d of them loop", some, loops)
	}
}

// checkRun demands that transitions are a run of the model that violates the property, as found, with so
// many faults.
func checkRun(t *testing.T, seed uint64, m *lts.LTS, p *property.Property, found *counterexample.Trace, steps []lts.Transition, isFault func(lts.Label) bool, least int) {
	t.Helper()
	loop, loops := found.LoopStart()
	if !loops {
		loop = -1
	}
	var err error
	if found.Kind() == counterexample.Prefix {
		_, err = counterexample.NewStem(m, p, steps, counterexample.Prefix)
	} else {
		_, err = counterexample.NewViolating(m, p, steps, loop)
	}
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	canAccept, err := satisfiable(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, step := range steps {
		if isFault(step.Label) && canAccept(found.At(i)) {
			if n++; loops && i >= loop {
				t.Fatalf("seed %d: a fault on the loop", seed)
			}
		}
	}
	if n != least {
		t.Fatalf("seed %d: %d faults, and it takes %d", seed, n, least)
	}
}
