package oracle_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// fatesOf computes the fates of a property.
func fatesOf(t testing.TB, m *lts.LTS, p *property.Property) *fate.Map {
	t.Helper()
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fate.Compute(context.Background(), c, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTableAgreesWithChain: inevitability, given as a table, has the fates and
// classes that its own passes find.
func TestTableAgreesWithChain(t *testing.T) {
	cases := randomlts.Share(20_000)
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Small())
		formula, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		chain, _, _ := formula.Bind(context.Background(), c.Model.Alphabet())
		automaton := chain.Automaton()
		table, err := property.Table(c.Model.Alphabet(), automaton)
		if err != nil {
			t.Fatal(err)
		}
		fast, slow := fatesOf(t, c.Model, chain), fatesOf(t, c.Model, table)
		if _, is := slow.Enriched(); is {
			t.Fatal("a table was taken for a chain")
		}
		if err := sameFates(c.Model, chain, fast, slow); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
}

func sameFates(m *lts.LTS, p *property.Property, fast, slow *fate.Map) error {
	if fast.Holds() != slow.Holds() {
		return fmt.Errorf("the property holds: %t for the chain, %t for the table", fast.Holds(), slow.Holds())
	}
	g := oracle.NewGeneral(m, fromproperty.Automaton(p))
	for s := range m.NumStates() {
		for q := range p.States() {
			at, is := lts.State(s), property.Q(q)
			if g.Reached(at, q) && fast.At(at, is) != slow.At(at, is) {
				return fmt.Errorf("state %d, progress %d: %s for the chain, %s for the table", s, q, fast.At(at, is), slow.At(at, is))
			}
		}
	}
	for t := range m.Transitions() {
		if !m.Reachable().Has(t.From) {
			continue
		}
		if a, b := fast.Class(t.From, t.Label, t.To), slow.Class(t.From, t.Label, t.To); a != b {
			return fmt.Errorf("transition %v: %s for the chain, %s for the table", t, a, b)
		}
	}
	return nil
}

// randomTable draws an automaton with up to three states and four colours, and any
// condition.
func randomTable(r *rand.Rand, labels int) property.Automaton {
	states := 1 + r.IntN(3)
	t := property.Automaton{Columns: labels, Initial: property.Q(r.IntN(states)), Name: "random"}
	for l := range labels {
		t.Letters = append(t.Letters, uint16(l))
	}
	for range states {
		t.Stop = append(t.Stop, r.IntN(2) == 0)
		for range labels {
			t.Next = append(t.Next, property.Q(r.IntN(states)))
			t.Marks = append(t.Marks, property.Marks(r.IntN(16)&r.IntN(16)))
		}
	}
	t.Acceptance = randomCondition(r, 3)
	return t
}

func randomCondition(r *rand.Rand, depth int) property.Acceptance {
	k := r.IntN(4)
	switch {
	case depth == 0 || k == 0:
		if r.IntN(2) == 0 {
			return property.Inf(r.IntN(4))
		}
		return property.Fin(r.IntN(4))
	case k == 1:
		return property.Any(randomCondition(r, depth-1), randomCondition(r, depth-1))
	default:
		return property.All(randomCondition(r, depth-1), randomCondition(r, depth-1))
	}
}

// TestFatesOfTables compares fates and classes for random automata with the oracle.
func TestFatesOfTables(t *testing.T) {
	cases := randomlts.Share(10_000)
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Small())
		a := randomTable(rand.New(rand.NewPCG(seed, 1)), c.Model.Alphabet().Len())
		p, err := property.Table(c.Model.Alphabet(), a)
		if err != nil {
			t.Fatal(err)
		}
		if err := sameAsOracle(c.Model, p, fatesOf(t, c.Model, p)); err != nil {
			t.Fatalf("seed %d:\n%s\n%+v\n%v", seed, c, a, err)
		}
		if err := shortestAsOracle(c.Model, p); err != nil {
			t.Fatalf("seed %d:\n%s\n%+v\n%v", seed, c, a, err)
		}
	}
}

func sameAsOracle(m *lts.LTS, p *property.Property, f *fate.Map) error {
	g := oracle.NewGeneral(m, fromproperty.Automaton(p))
	for s := range m.NumStates() {
		for q := range p.States() {
			if !g.Reached(lts.State(s), q) {
				continue
			}
			accept, reject := g.Can(lts.State(s), q)
			want := map[[2]bool]fate.Fate{{true, true}: fate.Open, {true, false}: fate.Sure, {false, true}: fate.Lost}[[2]bool{accept, reject}]
			if got := f.At(lts.State(s), property.Q(q)); got != want {
				return fmt.Errorf("state %d, property state %d: %s, want %s", s, q, got, want)
			}
		}
	}
	for t := range m.Transitions() {
		if !m.Reachable().Has(t.From) {
			continue
		}
		if got, want := f.Class(t.From, t.Label, t.To), g.Class(t); got.String() != string(want) {
			return fmt.Errorf("transition %v: %s, want %s", t, got, want)
		}
	}
	return nil
}

// shortestAsOracle compares the counterexample that the search in the product finds.
func shortestAsOracle(m *lts.LTS, p *property.Property) error {
	found, err := counterexample.Shortest(context.Background(), m, p, counterexample.Options{})
	if err != nil {
		return err
	}
	want, violated := oracle.NewGeneral(m, fromproperty.Automaton(p)).ShortestViolation()
	switch {
	case (found.Trace != nil) != violated:
		return fmt.Errorf("a counterexample: %t, want %t", found.Trace != nil, violated)
	case !violated:
		return nil
	case found.Minimal == counterexample.InModel && p.States() > 1:
		// Of bad prefixes and of responses it may be shorter than those of the product.
		if found.Trace.Satisfies() || found.Trace.Kind() != counterexample.Prefix && found.Trace.Len() > want {
			return fmt.Errorf("a counterexample of length %d in the model, want at most %d", found.Trace.Len(), want)
		}
		return nil
	case found.Trace.Satisfies() || found.Trace.Len() != want || found.Minimal == counterexample.MinimalUnknown:
		return fmt.Errorf("a counterexample of length %d (minimal in the %s), want %d", found.Trace.Len(), found.Minimal, want)
	}
	if loop, loops := found.Trace.LoopStart(); loops && found.Trace.At(loop) != found.Trace.At(found.Trace.Len()) {
		return fmt.Errorf("the loop begins in property state %d and ends in %d", found.Trace.At(loop), found.Trace.At(found.Trace.Len()))
	}
	return nil
}
