package counterexample_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// model builds an LTS from transitions written "0 A 1", initial state 0.
func model(t testing.TB, transitions ...string) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, text := range transitions {
		var from, to lts.State
		var label string
		if _, err := fmt.Sscanf(text, "%d %s %d", &from, &label, &to); err != nil {
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

// failing is a test, drawn at random or not.
type failing interface {
	Helper()
	Fatal(...any)
}

func bind(t failing, m *lts.LTS, formula string) *property.Chain {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	return p
}

func shortest(t testing.TB, m *lts.LTS, p *property.Chain) *counterexample.Trace {
	t.Helper()
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	found, err := counterexample.Shortest(context.Background(), m, p.Property(), counterexample.Options{Components: c})
	if err != nil {
		t.Fatal(err)
	}
	return found.Trace
}

// labels writes a trace as its labels, with the loop in brackets.
func labels(m *lts.LTS, t *counterexample.Trace) string {
	if t == nil {
		return "none"
	}
	var parts []string
	start, loops := t.LoopStart()
	for i := range t.Len() {
		if loops && i == start {
			parts = append(parts, "[")
		}
		parts = append(parts, m.Alphabet().Text(t.Step(i).Label))
	}
	if loops {
		parts = append(parts, "]")
	}
	return strings.Join(parts, " ")
}

func TestShortest(t *testing.T) {
	for _, c := range []struct {
		name        string
		transitions []string
		formula     string
		want        string
	}{
		{"the self-loop that a product automaton needs two steps for", []string{"0 A 0"}, "Inev(A, B)", "[ A ]"},
		{"satisfied by a loop that does both", []string{"0 A 1", "1 B 0"}, "Inev(A, B)", "none"},
		{"a model without transitions", nil, "Inev(A)", ""},
		{"a deadlock nearer than any loop", []string{"0 X 1", "0 Y 2", "2 Y 3", "3 Y 3"}, "Inev(A)", "X"},
		{"a loop nearer than any deadlock", []string{"0 X 1", "1 X 2", "2 X 3", "0 Y 4", "4 Y 4"}, "Inev(A)", "Y [ Y ]"},
		{"a deadlock that comes too late is none", []string{"0 A 1", "0 X 2", "2 X 3"}, "Inev(A)", "X X"},
		{"the way with less progress may be the longer one", []string{"0 A 2", "0 X 1", "1 X 2", "2 B 3"}, "Inev(A, B)", "X X B"},
		{"of two steps the loop may do the first", []string{"0 A 1", "1 A 2", "2 A 0", "1 B 3", "3 B 3"}, "Inev(A, B)", "[ A A A ]"},
		{"a repeated label", []string{"0 A 1", "1 B 1", "1 A 2"}, "Inev(A, A)", "A [ B ]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model(t, c.transitions...)
			if got := labels(m, shortest(t, m, bind(t, m, c.formula))); got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A grid that is closed to a torus: every cycle is as long as a side, and the
// search must stop at the first one.
func TestShortestOnTorus(t *testing.T) {
	const side = 20
	var b lts.Builder
	right, down := b.Label("right"), b.Label("down")
	for y := range side {
		for x := range side {
			b.Add(lts.State(y*side+x), right, lts.State(y*side+(x+1)%side))
			b.Add(lts.State(y*side+x), down, lts.State((y+1)%side*side+x))
		}
	}
	m, err := b.Build(0, side*side)
	if err != nil {
		t.Fatal(err)
	}
	if got := shortest(t, m, bind(t, m, "Inev(down)")); got.Len() != side || got.Kind() != counterexample.Lasso {
		t.Fatalf("length %d, want %d", got.Len(), side)
	}
	if got := shortest(t, m, bind(t, m, "Inev(right, down)")); got.Len() != side {
		t.Fatalf("length %d, want %d", got.Len(), side)
	}
}

func TestNewRefusesWhatIsNoCounterexample(t *testing.T) {
	m := model(t, "0 A 1", "1 B 0", "1 C 2")
	p := bind(t, m, "Inev(A, B)")
	step := func(from lts.State, label string, to lts.State) lts.Transition {
		l, _ := m.Alphabet().Lookup(label)
		return lts.Transition{From: from, Label: l, To: to}
	}
	for _, c := range []struct {
		name  string
		steps []lts.Transition
		loop  int
		want  string
	}{
		{"no transition", []lts.Transition{step(0, "B", 1)}, -1, "step 1 is not a transition"},
		{"no such state", []lts.Transition{step(0, "A", 1), step(9, "A", 1)}, -1, "step 2 leaves state 9"},
		{"not from the initial state", []lts.Transition{step(1, "C", 2)}, -1, "step 1 leaves state 1, but the run is in state 0"},
		{"not maximal", []lts.Transition{step(0, "A", 1)}, -1, "which is not a deadlock"},
		{"loop not closed", []lts.Transition{step(0, "A", 1)}, 0, "its loop begins in state 0"},
		{"loop too late", []lts.Transition{step(0, "A", 1), step(1, "B", 0)}, 2, "the loop begins with step 3 of 2"},
		{"satisfies on the first round", []lts.Transition{step(0, "A", 1), step(1, "B", 0)}, 0, "satisfies the property"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := counterexample.NewViolating(m, p.Property(), c.steps, c.loop); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
		})
	}
	if _, err := counterexample.NewViolating(m, bind(t, m, "Inev(B, A)").Property(), []lts.Transition{step(0, "A", 1), step(1, "B", 0)}, 0); err == nil {
		t.Fatal("a loop that satisfies on its second round must be refused")
	}
	good, err := counterexample.NewViolating(m, p.Property(), []lts.Transition{step(0, "A", 1), step(1, "C", 2)}, -1)
	if err != nil {
		t.Fatal(err)
	}
	if good.Kind() != counterexample.Deadlock || good.Last() != 2 || int(good.At(1)) != 1 || !slices.Equal(good.Steps(), []lts.Transition{step(0, "A", 1), step(1, "C", 2)}) {
		t.Fatalf("trace %v", good)
	}
}

// On a ring every state has the same cycle. Searches that each went round it would
// take the test beyond its time.
func TestShortestOnRing(t *testing.T) {
	var b lts.Builder
	const n = 200_000
	for s := range n {
		b.Add(lts.State(s), b.Label("x"), lts.State((s+1)%n))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	if got := shortest(t, m, bind(t, m, "Inev(y)")); got.Len() != n {
		t.Fatalf("length %d, want %d", got.Len(), n)
	}
}

func TestShortestHonoursContext(t *testing.T) {
	var b lts.Builder
	const n = 100_000
	for s := range n {
		b.Add(lts.State(s), b.Label("x"), lts.State((s+1)%n))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := counterexample.Shortest(ctx, m, bind(t, m, "Inev(y)").Property(), counterexample.Options{Components: c}); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
}
