package buchi_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// base is a state of a model with one of a property, and the colours met since a search began.
type base struct {
	s   lts.State
	q   property.Q
	met property.Marks
}

// breadth returns the number of transitions to each base state from one, that one aside if it is
// not come back to. With colours it says what was met on the way.
func breadth(m *lts.LTS, p *property.Property, from base, colours bool) map[base]int {
	found := map[base]int{}
	layer := []base{from}
	for n := 1; len(layer) > 0; n++ {
		var next []base
		for _, at := range layer {
			labels, targets := m.Out(at.s)
			for i, to := range targets {
				b := base{to, p.Next(at.q, labels.At(i)), 0}
				if colours {
					b.met = at.met | p.Marks(at.q, labels.At(i))
				}
				if found[b] == 0 {
					found[b] = n
					next = append(next, b)
				}
			}
		}
		layer = next
	}
	return found
}

// shortestStop returns the number of transitions of a shortest run that ends in a deadlock and
// violates; the largest number if there is none.
func shortestStop(m *lts.LTS, p *property.Property) int {
	first := base{m.Initial(), p.Initial(), 0}
	if m.IsDeadlock(first.s) && !p.Stops(first.q) {
		return 0
	}
	least := math.MaxInt
	for at, n := range breadth(m, p, first, false) {
		if m.IsDeadlock(at.s) && !p.Stops(at.q) {
			least = min(least, n)
		}
	}
	return least
}

// shortestViolation returns the number of transitions of a shortest violating run, stem and one
// round of the loop, in the pairs of model and property: by searches from every pair that say
// which colours were met.
func shortestViolation(m *lts.LTS, p *property.Property) int {
	least := shortestStop(m, p)
	first := base{m.Initial(), p.Initial(), 0}
	stems := breadth(m, p, first, false)
	stems[first] = 0
	for at, stem := range stems {
		if stem >= least {
			continue
		}
		for back, n := range breadth(m, p, at, true) {
			if back.s == at.s && back.q == at.q && !p.Acceptance().Holds(back.met) {
				least = min(least, stem+n)
			}
		}
	}
	return least
}

var anyProperties = []string{
	"Inev(a, b)", "Response(a; b)", "Never(a, b)", "Precedes(a; b)", "AtMost(1; a)", "DeadlockFree", "GF a", "FG !a", "GF a -> GF b",
	"G (a -> F b) && G (b -> F c)", "GF a && GF b && GF c", "FG a || GF b", "!(GF a && GF b)", "(GF a -> GF b) && (GF b -> GF c)", "F (a && X b)",
	"G F (a && X X b)", "Response(a; b, c; after c until a)", "!(a U b)", "F deadlock || GF a", "GF a <-> GF b",
	`[ true* . "a" . "b" . "a" ] false`, "false", "true", "GF (a || b) && FG !c",
}

// TestProductIsAsShortAsRuns: on random models the three searches find a counterexample to
// properties of all kinds if there is one; those that promise a shortest one find one as short as
// a search among the pairs of model and property, breadth first, does.
func TestProductIsAsShortAsRuns(t *testing.T) {
	cases := 12_000
	if !randomlts.Whole() {
		cases = 500
	}
	letters := []string{"a", "b", "c"}
	found, stops := 0, 0
	for seed := range cases {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		n := 1 + r.IntN(5)
		var b lts.Builder
		for _, l := range letters {
			b.Label(l)
		}
		for range r.IntN(2*n + 1) {
			b.Add(lts.State(r.IntN(n)), b.Label(letters[r.IntN(len(letters))]), lts.State(r.IntN(n)))
		}
		m, err := b.Build(0, n)
		if err != nil {
			t.Fatal(err)
		}
		text := anyProperties[seed%len(anyProperties)]
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		want := shortestViolation(m, p)
		for _, algorithm := range algorithms {
			trace, stats, err := buchi.FindInModel(context.Background(), m, p, buchi.FindOptions{Algorithm: algorithm}, nil)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if (trace == nil) != (want == math.MaxInt) {
				t.Fatalf("seed %d, %s, %v: %s, want one of %d transitions", seed, text, algorithm, labels(m, trace), want)
			}
			if trace == nil {
				continue
			}
			found++
			if trace.Kind() == counterexample.Deadlock {
				stops++
			}
			if algorithm != buchi.ByColour && (trace.Len() != want || stats.Length != max(1, want)+1) {
				t.Fatalf("seed %d, %s, %v: %s, of length %d; want %d transitions", seed, text, algorithm, labels(m, trace), stats.Length, want)
			}
		}
	}
	if found < cases || stops < cases/4 {
		t.Errorf("%d counterexamples, %d of them end in a deadlock", found, stops)
	}
}

// TestStopsCostNothing: a deadlock after one transition wins against a loop of two.
func TestStopsCostNothing(t *testing.T) {
	m := model(t, "0 A 1", "0 B 2", "2 B 2")
	p := bind(t, m, "Inev(A, B)").Property()
	for _, algorithm := range []buchi.Algorithm{buchi.ByContrex, buchi.ByPriority} {
		trace, _, err := buchi.FindInModel(context.Background(), m, p, buchi.FindOptions{Algorithm: algorithm}, nil)
		if err != nil || labels(m, trace) != "A" {
			t.Errorf("%v: %s, %v", algorithm, labels(m, trace), err)
		}
	}
}
