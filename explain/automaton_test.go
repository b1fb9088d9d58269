package explain_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// inAutomaton returns a search of package buchi, which calls improved, if it is not nil, when it
// finds a counterexample.
func inAutomaton(o buchi.FindOptions, improved func()) *explain.AutomatonSearch {
	by := func(o buchi.FindOptions) func(context.Context, *lts.LTS, *property.Property) (*counterexample.Trace, counterexample.Stats, error) {
		return func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error) {
			trace, stats, err := buchi.FindInModel(ctx, m, p, o, func(*counterexample.Trace, buchi.Stats) bool {
				if improved != nil {
					improved()
				}
				return true
			})
			return trace, stats.Stats, err
		}
	}
	return &explain.AutomatonSearch{Find: by(o), Bound: o.Bound, Unbounded: by(buchi.FindOptions{}), Shortest: o.Algorithm != buchi.ByColour}
}

// TestAutomatonSearchAgreesWithOracle: the verdict never depends on algorithm and
// bound, and what is said to be shortest is.
func TestAutomatonSearchAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, o := draw(t)
		search := buchi.FindOptions{
			Algorithm: rapid.SampledFrom([]buchi.Algorithm{buchi.ByColour, buchi.ByContrex, buchi.ByPriority}).Draw(t, "algorithm"),
		}
		if search.Algorithm != buchi.ByColour {
			search.Bound = rapid.IntRange(0, 6).Draw(t, "bound")
		}
		e, err := explain.Check(context.Background(), c.Model, parse(t, c.Formula), explain.Options{InAutomaton: inAutomaton(search, nil)})
		if err != nil {
			t.Fatal(err)
		}
		shortest, violated := o.ShortestLength()
		if (e.Verdict == explain.Violated) != violated || (e.Counterexample != nil) != violated || (e.Trace() != nil) != violated {
			t.Fatalf("verdict %s, counterexample %v, violated: %v", e.Verdict, e.Counterexample, violated)
		}
		if !violated {
			return
		}
		if e.Counterexample.Shortest && e.Trace().Len() != shortest {
			t.Fatalf("length %d said to be shortest, %d is", e.Trace().Len(), shortest)
		}
		p, _, err := parse(t, c.Formula).Bind(context.Background(), c.Model.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		_, least, err := buchi.FindInModel(context.Background(), c.Model, p, buchi.FindOptions{Algorithm: buchi.ByPriority}, nil)
		if err != nil {
			t.Fatal(err)
		}
		noneBelow := e.Counterexample.NoneBelow
		isBelow := search.Bound > 0 && least.Length >= search.Bound
		switch {
		case noneBelow != 0 && noneBelow != search.Bound, noneBelow != 0 && !isBelow:
			t.Fatalf("none is said to be below %d, the bound is %d, and the shortest one has length %d", noneBelow, search.Bound, least.Length)
		case isBelow && noneBelow == 0 && least.Length != search.Bound:
			t.Fatalf("length %d, bound %d, and nothing is said of it", least.Length, search.Bound)
		}
		if complete := search.Algorithm != buchi.ByColour && noneBelow == 0; complete && !e.Counterexample.Shortest && e.Trace().Len() == shortest {
			t.Fatalf("a shortest one is not said to be so")
		} else if got := e.Counterexample.Minimal == counterexample.InProduct; got != (complete && !e.Counterexample.Shortest) {
			t.Fatalf("minimal in %s, found by %s", e.Counterexample.Minimal, search.Algorithm)
		}
	})
}

// loops returns a model with so many ways round one loop that Contrex would take
// years.
func loops(t *testing.T) *lts.LTS {
	const layers = 60
	var b lts.Builder
	x := b.Label("X")
	for i := range lts.State(layers) {
		for _, from := range []lts.State{2 * i, 2*i + 1} {
			b.Add(from, x, (2*i+2)%(2*layers))
			b.Add(from, x, (2*i+2)%(2*layers)+1)
		}
	}
	m, err := b.Build(0, 2*layers)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAnytimeGivesTheBestSoFar(t *testing.T) {
	m := loops(t)
	for _, anytime := range []bool{true, false} {
		ctx, cancel := context.WithCancel(context.Background())
		search := inAutomaton(buchi.FindOptions{Algorithm: buchi.ByContrex}, cancel)
		search.Anytime = anytime
		e, err := explain.Check(ctx, m, parse(t, "Inev(A)"), explain.Options{InAutomaton: search})
		cancel()
		if !anytime {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if c := e.Counterexample; e.Verdict != explain.Violated || len(c.Steps) != 60 || c.Shortest || e.Stats.Found != 1 {
			t.Errorf("%s by %d steps, shortest: %v", e.Verdict, len(c.Steps), c.Shortest)
		}
		if !slices.ContainsFunc(e.Warnings, func(w string) bool { return strings.Contains(w, "stopped") }) {
			t.Errorf("warnings %q", e.Warnings)
		}
	}
}

// TestAnytimeWithoutCounterexample: there is nothing to give where none was found.
func TestAnytimeWithoutCounterexample(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	search := inAutomaton(buchi.FindOptions{Algorithm: buchi.ByContrex}, nil)
	search.Anytime = true
	if _, err := explain.Check(ctx, loops(t), parse(t, "Inev(A)"), explain.Options{InAutomaton: search}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
