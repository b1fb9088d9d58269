package buchi_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// model builds an LTS from transitions written "0 A 1", initial state 0.
func model(t *testing.T, transitions ...string) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, text := range transitions {
		var (
			from, to lts.State
			label    string
		)
		if _, err := fmt.Sscan(text, &from, &label, &to); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		b.Add(from, b.Label(label), to)
	}
	m, err := b.Build(0, max(1, b.NumStates()))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func bind(t interface{ Fatal(...any) }, m *lts.LTS, formula string) *property.Chain {
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	return p
}

// labels writes a trace as its labels, with the loop in brackets.
func labels(m *lts.LTS, c *counterexample.Trace) string {
	if c == nil {
		return "none"
	}
	var texts []string
	for _, step := range c.Steps() {
		texts = append(texts, m.Alphabet().Text(step.Label))
	}
	if loop, loops := c.LoopStart(); loops {
		texts = append(slices.Insert(texts, loop, "["), "]")
	}
	return strings.Join(texts, " ")
}

// distances returns the length of a shortest non-empty path from a state to each
// one that can be reached.
func distances(g buchi.Graph, from buchi.State) map[buchi.State]int {
	found := map[buchi.State]int{}
	layer := []buchi.State{from}
	for length := 1; len(layer) > 0; length++ {
		var next []buchi.State
		for _, s := range layer {
			for _, t := range g.Successors(s, nil) {
				if found[t] == 0 {
					found[t] = length
					next = append(next, t)
				}
			}
		}
		layer = next
	}
	return found
}

// shortestLasso returns the number of transitions of a shortest lasso of g, all of
// whose states are accepting; 0 if there is none.
func shortestLasso(g buchi.Graph) int {
	stems := distances(g, g.Initial())
	stems[g.Initial()] = 0
	best := math.MaxInt
	for s, stem := range stems {
		if loop := distances(g, s)[s]; loop > 0 {
			best = min(best, stem+loop)
		}
	}
	if best == math.MaxInt {
		return 0
	}
	return best
}

var algorithms = []buchi.Algorithm{buchi.ByColour, buchi.ByContrex, buchi.ByPriority}

// TestFindInModelAgreesWithOracle: each algorithm finds a counterexample iff there
// is one, and lengths are those of the product.
func TestFindInModelAgreesWithOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "model")
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		p := bind(t, c.Model, c.Formula)
		a, err := buchi.NewViolations(c.Model, p)
		if err != nil {
			t.Fatal(err)
		}
		least, _ := o.ShortestLength()
		for _, algorithm := range algorithms {
			var traces []*counterexample.Trace
			var lengths []int
			trace, stats, err := buchi.FindInModel(context.Background(), c.Model, p.Property(), buchi.FindOptions{Algorithm: algorithm},
				func(t *counterexample.Trace, s buchi.Stats) bool {
					traces, lengths = append(traces, t), append(lengths, s.Length)
					return true
				})
			if err != nil || (trace == nil) != o.Satisfied() || (len(traces) == 0) != (trace == nil) {
				t.Fatalf("%v: %s after %d, error %v; the property holds: %v", algorithm, labels(c.Model, trace), len(traces), err, o.Satisfied())
			}
			if algorithm == buchi.ByContrex && len(traces) != stats.Found {
				t.Fatalf("%d of %d counterexamples were given", len(traces), stats.Found)
			}
			for i, found := range traces {
				run := oracle.Run{Transitions: found.Steps(), Loop: oracle.NoLoop}
				if loop, loops := found.LoopStart(); loops {
					run.Loop = loop
				}
				if err := o.Check(run); err != nil {
					t.Fatalf("%v: %s: %v", algorithm, labels(c.Model, found), err)
				}
				transitions := max(1, found.Len()) // a run without transitions is a lasso of one, too
				if lengths[i] != transitions+1 || found.Len() < least {
					t.Fatalf("%v: %s has length %d, a shortest one %d", algorithm, labels(c.Model, found), lengths[i], least)
				}
				if i > 0 && lengths[i] >= lengths[i-1] {
					t.Fatalf("%v: lengths %v", algorithm, lengths)
				}
			}
			if want := min(shortestLasso(a), max(1, shortestStop(c.Model, p.Property()))); algorithm != buchi.ByColour && trace != nil && stats.Length != want+1 {
				t.Fatalf("%v: length %d, a shortest lasso has %d transitions", algorithm, stats.Length, want)
			}
		}
	})
}

// TestViolationsMayNeedMore: the counterexamples that a product automaton does not
// have in their shortest form.
func TestViolationsMayNeedMore(t *testing.T) {
	for _, c := range []struct {
		name        string
		transitions []string
		formula     string
		shortest    string
		inAutomaton string
		length      int // of the lasso in the product, in states
	}{
		{"the first round of the loop makes progress", []string{"0 A 0"}, "Inev(A, B)", "[ A ]", "A [ A ]", 3},
		{"a deadlock costs nothing", []string{"0 Y 1", "1 Z 1", "0 X 2"}, "Inev(A)", "X", "X", 2},
		{"a deadlock at once", nil, "Inev(A)", "", "", 2},
		{"a satisfied property", []string{"0 A 0"}, "Inev(A)", "none", "none", 0},
		{"of parallel transitions the one that makes no progress", []string{"0 A 1", "0 X 1", "1 X 1"}, "Inev(A)", "X [ X ]", "X [ X ]", 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model(t, c.transitions...)
			p := bind(t, m, c.formula)
			found, err := counterexample.Shortest(context.Background(), m, p.Property(), counterexample.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := labels(m, found.Trace); got != c.shortest {
				t.Errorf("a shortest one is %q, want %q", got, c.shortest)
			}
			for _, algorithm := range algorithms[1:] {
				trace, stats, err := buchi.FindInModel(context.Background(), m, p.Property(), buchi.FindOptions{Algorithm: algorithm}, nil)
				if got := labels(m, trace); err != nil || got != c.inAutomaton || stats.Length != c.length {
					t.Errorf("%v: %q of %d states, error %v, want %q of %d", algorithm, got, stats.Length, err, c.inAutomaton, c.length)
				}
			}
		})
	}
}

func TestFindInModelStops(t *testing.T) {
	m := model(t, "0 X 1", "1 X 2", "2 X 0", "0 Y 3", "3 Y 3")
	p := bind(t, m, "Inev(A)")
	contrex := buchi.FindOptions{Algorithm: buchi.ByContrex}
	trace, stats, err := buchi.FindInModel(context.Background(), m, p.Property(), contrex, func(*counterexample.Trace, buchi.Stats) bool { return false })
	if got := labels(m, trace); err != nil || got != "[ X X X ]" || stats.Found != 1 {
		t.Errorf("%q, the %d. one, error %v", got, stats.Found, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if trace, _, err := buchi.FindInModel(ctx, m, p.Property(), contrex, nil); trace != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, error %v", labels(m, trace), err)
	}
}

func TestViolationsRefuse(t *testing.T) {
	var b lts.Builder
	b.Label("A")
	m, err := b.Build(0, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	formula := "Inev(A" + strings.Repeat(", A", 1<<11-1) + ")"
	if _, err := buchi.NewViolations(m, bind(t, m, formula)); err == nil {
		t.Error("a product of 2^31 states")
	}
}

func TestViolationsRefuseForeignLassos(t *testing.T) {
	m := model(t, "0 X 1", "1 X 1")
	a, err := buchi.NewViolations(m, bind(t, m, "Inev(A)"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []buchi.Lasso{{}, {States: []buchi.State{0}}, {States: []buchi.State{0, 1, 2}, LoopStart: 2}} {
		if trace, err := a.Trace(l); err == nil {
			t.Errorf("%v is %s", l, labels(m, trace))
		}
	}
}
