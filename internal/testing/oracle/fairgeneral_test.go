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

// TestFairnessOfTables compares verdicts, fates and classes of random automata under every
// notion of fairness with the oracle, and the counterexample.
func TestFairnessOfTables(t *testing.T) {
	size := randomlts.Size{States: 4, Transitions: 8, Labels: 4, Steps: 1}
	for kind, name := range notions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			compared, violated := 0, 0
			for seed := range fairCases(t) {
				c := randomlts.Seeded(seed, size)
				r := rand.New(rand.NewPCG(seed, uint64(kind)))
				f, want := drawAssumption(r, c.Model.Alphabet(), kind)
				p, err := property.Table(c.Model.Alphabet(), randomTable(r, c.Model.Alphabet().Len()))
				if err != nil {
					t.Fatal(err)
				}
				o, is := oracle.NewFairGeneral(c.Model, fromproperty.Automaton(p), want)
				if !is {
					continue
				}
				compared++
				got, err := fairlyFated(c.Model, p, f)
				if err == nil {
					err = fatesFairly(c.Model, p, got, o)
				}
				if err == nil {
					err = violatesFairly(got, o, want.Full)
				}
				if err != nil {
					t.Fatalf("seed %d:\n%s\n%+v\n%+v\n%v", seed, c, want, p.Automaton(), err)
				}
				if !got.Holds() {
					violated++
				}
			}
			t.Logf("%d compared, of which %d violate", compared, violated)
		})
	}
}

// TestFairnessOfChainsAsTables: inevitability, given as a table, has the fates and classes
// under fairness that its own passes find: for a chain, almost all runs and all that are
// fully fair are the same.
func TestFairnessOfChainsAsTables(t *testing.T) {
	size := randomlts.Size{States: 6, Transitions: 14, Labels: 4, Steps: 3}
	for seed := range fairCases(t) {
		c := randomlts.Seeded(seed, size)
		f, _ := drawAssumption(rand.New(rand.NewPCG(seed, 9)), c.Model.Alphabet(), int(seed)%len(notions))
		p := bound(t, c)
		table, err := property.Table(c.Model.Alphabet(), p.Automaton())
		if err != nil {
			t.Fatal(err)
		}
		fast, err := fairlyFated(c.Model, p, f)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := fairlyFated(c.Model, table, f)
		if err != nil {
			t.Fatal(err)
		}
		if fast.Admits() != slow.Admits() {
			t.Fatalf("seed %d:\n%s\nsome run counts: %t for the chain", seed, c, fast.Admits())
		}
		if err := sameFates(c.Model, p, fast, slow); err != nil && fast.Admits() {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
	}
}

func fairlyFated(m *lts.LTS, p *property.Property, f *property.Fairness) (*fate.Map, error) {
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		return nil, err
	}
	return fate.Compute(context.Background(), c, p, enrich.Options{Fairness: f})
}

func fatesFairly(m *lts.LTS, p *property.Property, f *fate.Map, o *oracle.FairGeneral) error {
	for s := range m.NumStates() {
		for q := range p.States() {
			if !o.Reached(lts.State(s), q) {
				continue
			}
			accept, reject := o.Can(lts.State(s), q)
			want := map[[2]bool]fate.Fate{{true, true}: fate.Open, {true, false}: fate.Sure, {false, true}: fate.Lost, {}: fate.Sure}[[2]bool{accept, reject}]
			if got := f.At(lts.State(s), property.Q(q)); got != want {
				return fmt.Errorf("state %d, property state %d: %s, want %s", s, q, got, want)
			}
			if got := f.AdmitsFrom(lts.State(s), property.Q(q)); got != (accept || reject) {
				return fmt.Errorf("state %d, property state %d: some run counts: %t", s, q, got)
			}
		}
	}
	accept, reject := o.Can(m.Initial(), int(p.Initial()))
	if f.Admits() != (accept || reject) || f.Holds() == reject {
		return fmt.Errorf("some run counts: %t, want %t; the property holds: %t, want %t", f.Admits(), accept || reject, f.Holds(), !reject)
	}
	for t := range m.Transitions() {
		if m.Reachable().Has(t.From) {
			if got, want := f.Class(t.From, t.Label, t.To), o.Class(t); got.String() != string(want) {
				return fmt.Errorf("transition %v: %s, want %s", t, got, want)
			}
		}
	}
	return nil
}

// violatesFairly compares the counterexample: it counts, violates the property, and is a
// shortest one.
func violatesFairly(f *fate.Map, o *oracle.FairGeneral, full bool) error {
	if !f.Admits() {
		return nil
	}
	found, err := counterexample.Fair(context.Background(), f)
	if err != nil {
		return err
	}
	if (found.Trace == nil) != f.Holds() {
		return fmt.Errorf("a counterexample: %t", found.Trace != nil)
	}
	if found.Trace == nil {
		return nil
	}
	want, _ := o.ShortestViolation()
	if full {
		var deadlock bool
		if want, deadlock = o.ShortestDeadlock(); !deadlock {
			want, _ = o.ShortestLoss()
		}
	}
	got := found.Trace
	end, last := got.At(got.Len()), got.Last()
	loop, _ := got.LoopStart()
	switch {
	case got.Kind() == counterexample.Prefix:
		if accept, reject := o.Can(last, int(end)); accept || !reject || found.Minimal == counterexample.InProduct {
			return fmt.Errorf("after the bad prefix %v some run satisfies the property", got.Steps())
		}
		return nil
	case found.Minimal == counterexample.MinimalUnknown || got.Len() != want:
		return fmt.Errorf("%v, of length %d, shortest: %t; want %d", got.Steps(), got.Len(), found.Minimal != counterexample.MinimalUnknown, want)
	case got.Kind() == counterexample.Trap:
		if accept, reject := o.Can(last, int(end)); accept || !reject || !full {
			return fmt.Errorf("after the trap %v some run satisfies the property", got.Steps())
		}
	case got.Satisfies() || got.Kind() == counterexample.Lasso && !o.Recurs(loopOf(got, loop)):
		return fmt.Errorf("%v does not count, or satisfies the property: %t", got.Steps(), got.Satisfies())
	}
	return nil
}

// loopOf returns what a run repeats forever, and the states of the property in which it
// does.
func loopOf(r *counterexample.Trace, loop int) (steps []lts.Transition, in []int) {
	for i := loop; i < r.Len(); i++ {
		steps, in = append(steps, r.Step(i)), append(in, int(r.At(i)))
	}
	return steps, in
}

func bound(t *testing.T, c randomlts.Case) *property.Property {
	t.Helper()
	formula, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := formula.Bind(context.Background(), c.Model.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	return p
}
