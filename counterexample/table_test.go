package counterexample_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

var tableLabels = []string{"a", "b", "ab", "x", "y", "c"}

// smallModel returns a model with few states and transitions.
func smallModel(t testing.TB, r *rand.Rand) *lts.LTS {
	t.Helper()
	n := 1 + r.IntN(5)
	var b lts.Builder
	for _, text := range tableLabels {
		b.Label(text)
	}
	for range r.IntN(2*n + 1) {
		b.Add(lts.State(r.IntN(n)), lts.Label(r.IntN(len(tableLabels))), lts.State(r.IntN(n)))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func boundTo(t testing.TB, m *lts.LTS, text string) *property.Property {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// paths yields each path of m from its initial state with at most this many transitions,
// the shorter ones first, until told to stop.
func paths(m *lts.LTS, most int, yield func([]lts.Transition) bool) {
	level := [][]lts.Transition{nil}
	for range most + 1 {
		var next [][]lts.Transition
		for _, path := range level {
			if !yield(path) {
				return
			}
			at := m.Initial()
			if len(path) > 0 {
				at = path[len(path)-1].To
			}
			labels, targets := m.Out(at)
			for i, to := range targets {
				next = append(next, append(slices.Clone(path), lts.Transition{From: at, Label: labels.At(i), To: to}))
			}
		}
		level = next
	}
}

// TestBadPrefixIsShortest compares bad prefixes with all paths of small models: a path is
// bad if the model of all words, asked by the oracle, has none that satisfies the property
// from where the path leads it.
func TestBadPrefixIsShortest(t *testing.T) {
	var b lts.Builder
	for _, text := range tableLabels {
		b.Add(0, b.Label(text), 0)
		b.Add(0, b.Label(text), 1)
	}
	words, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for n, text := range []string{
		"Never(a)", "Never({a, ab}, {b, ab})", "Precedes(a; b)", "Precedes(a, c; b)", "Always({a, b, c})", "AtMost(1; a)",
		"Never(a; before x)", "Precedes(a; b; after x until y)", "Inev(a, b; between x and y)", "Response(a; b; before x)",
		"Always({a, b, x}; after x)", "AtMost(1; a; between x and {x, y})",
	} {
		general := oracle.NewGeneral(words, fromproperty.Automaton(boundTo(t, words, text)))
		for seed := range 150 {
			m := smallModel(t, rand.New(rand.NewPCG(uint64(seed), uint64(n))))
			p := boundTo(t, m, text)
			r, safety, err := counterexample.BadPrefix(context.Background(), m, p, false)
			if err != nil || !safety {
				t.Fatalf("%s: no safety, %v", text, err)
			}
			if _, violated := oracle.NewGeneral(m, fromproperty.Automaton(p)).Can(m.Initial(), int(p.Initial())); violated != (r.Trace != nil) {
				t.Fatalf("%s, seed %d: violated: %t, found %v", text, seed, violated, r.Trace)
			}
			if r.Trace == nil {
				continue
			}
			found++
			shortest := -1
			paths(m, r.Trace.Len(), func(path []lts.Transition) bool {
				q := p.Initial()
				for _, step := range path {
					q = p.Next(q, step.Label)
				}
				if accept, _ := general.Can(0, int(q)); !accept && !p.Stops(q) {
					shortest = len(path)
				}
				return shortest < 0
			})
			if shortest != r.Trace.Len() || r.Trace.Kind() != counterexample.Prefix {
				t.Fatalf("%s, seed %d: %s with %d transitions, and there is one with %d", text, seed, r.Trace.Kind(), r.Trace.Len(), shortest)
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d models violate their properties", found)
	}
	for _, text := range []string{"Inev(a, b; after x until y)", "Response(a; b)", "DeadlockFree"} {
		if _, safety, _ := counterexample.BadPrefix(context.Background(), words, boundTo(t, words, text), false); safety {
			t.Errorf("%s is about safety", text)
		}
	}
}

// TestShortestResponse compares the runs for responses with one step with all runs of
// small models whose loops close in the model.
func TestShortestResponse(t *testing.T) {
	found, shorter := 0, 0
	for n, text := range []string{"Response(a; b)", "Response({a, ab}; {b, ab})", "Response(a; {a, b})", "G (a -> X F b)"} {
		for seed := range randomlts.Share(1500) {
			m := smallModel(t, rand.New(rand.NewPCG(seed, uint64(n))))
			p := boundTo(t, m, text)
			r, err := counterexample.Shortest(context.Background(), m, p, counterexample.Options{})
			if err != nil || r.Minimal != counterexample.InModel {
				t.Fatalf("%s, seed %d: minimal in the %s, %v", text, seed, r.Minimal, err)
			}
			most := 4
			if r.Trace != nil {
				most = min(r.Trace.Len(), 7)
			}
			shortest := shortestViolation(m, p, most)
			switch {
			case r.Trace == nil && shortest >= 0:
				t.Fatalf("%s, seed %d: none found, and there is one with %d transitions", text, seed, shortest)
			case r.Trace == nil || r.Trace.Len() > most:
				continue
			case shortest != r.Trace.Len():
				t.Fatalf("%s, seed %d: %d transitions, and there is one with %d", text, seed, r.Trace.Len(), shortest)
			}
			found++
			product, err := counterexample.SearchProduct(context.Background(), m, p, counterexample.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if product.Trace.Len() > r.Trace.Len() {
				shorter++
			}
		}
	}
	if randomlts.Whole() && (found < 500 || shorter == 0) {
		t.Errorf("%d runs, of which %d are shorter than those of the product", found, shorter)
	}
}

// shortestViolation returns the length of a shortest run that violates p, as its
// definition has it, with at most this many transitions; -1 if there is none.
func shortestViolation(m *lts.LTS, p *property.Property, most int) int {
	shortest := -1
	violates := func(path []lts.Transition, loop int) bool {
		q := p.Initial()
		for _, step := range path {
			q = p.Next(q, step.Label)
		}
		if loop < 0 {
			return !p.Stops(q)
		}
		// Two rounds more than there are states: the last of them repeats forever.
		met := property.Marks(0)
		for round := range 2 * p.States() {
			if round == p.States() {
				met = 0
			}
			for _, step := range path[loop:] {
				met |= p.Marks(q, step.Label)
				q = p.Next(q, step.Label)
			}
		}
		return !p.Acceptance().Holds(met)
	}
	paths(m, most, func(path []lts.Transition) bool {
		at := m.Initial()
		if len(path) > 0 {
			at = path[len(path)-1].To
		}
		if m.IsDeadlock(at) && violates(path, -1) {
			shortest = len(path)
		}
		for loop, step := range path {
			if step.From == at && violates(path, loop) {
				shortest = len(path)
			}
		}
		return shortest < 0
	})
	return shortest
}
