package lts_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/topo"
	"pgregory.net/rapid"

	"github.com/inev-lts/inev/lts"
)

// transitions of a random system with at most 8 states, in any order.
func drawTransitions(t *rapid.T) (states int, transitions []lts.Transition) {
	states = rapid.IntRange(1, 8).Draw(t, "states")
	state := rapid.Map(rapid.IntRange(0, states-1), func(s int) lts.State { return lts.State(s) })
	transitions = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lts.Transition {
		return lts.Transition{
			From:  state.Draw(t, "from"),
			Label: lts.Label(rapid.IntRange(0, 2).Draw(t, "label")),
			To:    state.Draw(t, "to"),
		}
	}), 0, 20).Draw(t, "transitions")
	return states, transitions
}

func build(t interface{ Fatal(...any) }, initial lts.State, states int, transitions []lts.Transition) *lts.LTS {
	var b lts.Builder
	for _, text := range []string{"a", "b", "c"} {
		b.Label(text)
	}
	for _, tr := range transitions {
		b.Add(tr.From, tr.Label, tr.To)
	}
	m, err := b.Build(initial, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestBuilderKeepsRowsAndOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states, added := drawTransitions(t)
		m := build(t, 0, states, added)
		if got := slices.Collect(m.Transitions()); !slices.Equal(got, added) {
			t.Fatalf("order of addition lost: got %v, added %v", got, added)
		}
		for s := range states {
			var leaving, entering, got []lts.Transition
			for _, tr := range added {
				if tr.From == lts.State(s) {
					leaving = append(leaving, tr)
				}
				if tr.To == lts.State(s) {
					entering = append(entering, tr)
				}
			}
			labels, targets := m.Out(lts.State(s))
			for i := range labels.Len() {
				l := labels.At(i)
				got = append(got, lts.Transition{From: lts.State(s), Label: l, To: targets[i]})
			}
			if !slices.Equal(got, leaving) {
				t.Fatalf("Out(%d) = %v, want %v", s, got, leaving)
			}
			if m.IsDeadlock(lts.State(s)) != (len(leaving) == 0) {
				t.Fatalf("IsDeadlock(%d) is wrong", s)
			}
			labels, sources := m.Predecessors().In(lts.State(s))
			got = nil
			for i := range labels.Len() {
				l := labels.At(i)
				got = append(got, lts.Transition{From: sources[i], Label: l, To: lts.State(s)})
			}
			if !slices.Equal(got, entering) {
				t.Fatalf("In(%d) = %v, want %v", s, got, entering)
			}
		}
	})
}

func TestReachableAgreesWithClosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states, added := drawTransitions(t)
		initial := lts.State(rapid.IntRange(0, states-1).Draw(t, "initial"))
		m := build(t, initial, states, added)
		in := map[lts.State]bool{initial: true}
		for range states {
			for _, tr := range added {
				if in[tr.From] {
					in[tr.To] = true
				}
			}
		}
		transitions, deadlocks := 0, 0
		for s := range in {
			labels, _ := m.Out(s)
			transitions += labels.Len()
			if labels.Len() == 0 {
				deadlocks++
			}
		}
		r := m.Reachable()
		if r.NumStates() != len(in) || r.NumTransitions() != transitions || r.NumDeadlocks() != deadlocks {
			t.Fatalf("reachable: %d states, %d transitions, %d deadlocks; want %d, %d, %d",
				r.NumStates(), r.NumTransitions(), r.NumDeadlocks(), len(in), transitions, deadlocks)
		}
		for s := range states {
			if r.Has(lts.State(s)) != in[lts.State(s)] {
				t.Fatalf("Has(%d) = %v", s, r.Has(lts.State(s)))
			}
			for _, tr := range m.Incoming(lts.State(s)) {
				if !in[tr.From] {
					t.Fatalf("Incoming(%d) holds %v from an unreachable state", s, tr)
				}
			}
		}
	})
}

func TestGraphIsTheReachablePart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states, added := drawTransitions(t)
		m := build(t, 0, states, added)
		g := m.Graph()
		nodes := graph.NodesOf(g.Nodes())
		if len(nodes) != m.Reachable().NumStates() {
			t.Fatalf("%d nodes, want %d", len(nodes), m.Reachable().NumStates())
		}
		for _, u := range nodes {
			for _, v := range nodes {
				want := slices.ContainsFunc(added, func(tr lts.Transition) bool {
					return tr.From.ID() == u.ID() && tr.To.ID() == v.ID()
				})
				from := slices.ContainsFunc(graph.NodesOf(g.From(u.ID())), func(n graph.Node) bool { return n.ID() == v.ID() })
				to := slices.ContainsFunc(graph.NodesOf(g.To(v.ID())), func(n graph.Node) bool { return n.ID() == u.ID() })
				if g.HasEdgeFromTo(u.ID(), v.ID()) != want || from != want || to != want || (g.Edge(u.ID(), v.ID()) != nil) != want {
					t.Fatalf("edge %d -> %d: want %v", u.ID(), v.ID(), want)
				}
			}
		}
		if g.Node(-1) != nil || g.Node(int64(states)) != nil {
			t.Fatal("nodes out of range")
		}
		topo.TarjanSCC(g)
	})
}

func TestBuildRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		initial lts.State
		states  int
		add     func(*lts.Builder)
		want    string
	}{
		{"no states", 0, 0, func(*lts.Builder) {}, "at least one state"},
		{"initial", 2, 2, func(*lts.Builder) {}, "initial state 2 is not below"},
		{"target", 0, 2, func(b *lts.Builder) { b.Add(0, b.Label("a"), 2) }, "mentions state 2"},
		{"source", 0, 2, func(b *lts.Builder) { b.Add(3, b.Label("a"), 0) }, "mentions state 3"},
		{"label", 0, 2, func(b *lts.Builder) { b.Add(0, 7, 1) }, "label number 7 of 0"},
		{"too many", 0, lts.MaxStates + 1, func(*lts.Builder) {}, "at most 4294967295"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b lts.Builder
			c.add(&b)
			if _, err := b.Build(c.initial, c.states); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestAlphabet(t *testing.T) {
	a, err := lts.NewAlphabet([]string{"x", "y"})
	if err != nil {
		t.Fatal(err)
	}
	if l, ok := a.Lookup("y"); !ok || l != 1 || a.Text(l) != "y" || a.Len() != 2 {
		t.Fatalf("Lookup(y) = %d, %v", l, ok)
	}
	if _, ok := a.Lookup("z"); ok {
		t.Fatal("z is no label")
	}
	if _, err := lts.NewAlphabet([]string{"x", "y", "x"}); err == nil {
		t.Fatal("a label twice must be refused")
	}
}

func TestExploreNumbersBreadthFirst(t *testing.T) {
	type pair struct{ x, y int }
	grid := func(p pair, do func(string, pair)) {
		if p.x < 2 {
			do("right", pair{p.x + 1, p.y})
		}
		if p.y < 1 {
			do("up", pair{p.x, p.y + 1})
		}
	}
	m, states, err := lts.Explore(context.Background(), pair{}, grid, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := []pair{{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {2, 1}}; !slices.Equal(states, want) {
		t.Fatalf("states %v, want %v", states, want)
	}
	if m.NumTransitions() != 7 || m.Initial() != 0 || m.Alphabet().Len() != 2 {
		t.Fatalf("%d transitions, initial %d, %d labels", m.NumTransitions(), m.Initial(), m.Alphabet().Len())
	}
}

func TestExploreStops(t *testing.T) {
	endless := func(n int, do func(string, int)) { do("next", n+1) }
	if _, _, err := lts.Explore(context.Background(), 0, endless, 100); err == nil || !strings.Contains(err.Error(), "more than 100 states") {
		t.Fatalf("error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := lts.Explore(ctx, 0, endless, 0); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
}

func ExampleExplore() {
	// A lamp that may break.
	lamp := func(s string, do func(label, next string)) {
		switch s {
		case "off":
			do("SWITCH", "on")
		case "on":
			do("SWITCH", "off")
			do("BREAK", "broken")
		}
	}
	m, states, err := lts.Explore(context.Background(), "off", lamp, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range m.Transitions() {
		fmt.Println(states[t.From], m.Alphabet().Text(t.Label), states[t.To])
	}
	// Output:
	// off SWITCH on
	// on SWITCH off
	// on BREAK broken
}
