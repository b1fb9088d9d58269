package scc_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// draw returns a random system over the labels a, b, c.
func draw(t *rapid.T, maxStates int) *lts.LTS {
	states := rapid.IntRange(1, maxStates).Draw(t, "states")
	var b lts.Builder
	labels := []lts.Label{b.Label("a"), b.Label("b"), b.Label("c")}
	for range rapid.IntRange(0, 3*states).Draw(t, "transitions") {
		from := rapid.IntRange(0, states-1).Draw(t, "from")
		to := rapid.IntRange(0, states-1).Draw(t, "to")
		b.Add(lts.State(from), rapid.SampledFrom(labels).Draw(t, "label"), lts.State(to))
	}
	m, err := b.Build(lts.State(rapid.IntRange(0, states-1).Draw(t, "initial")), states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func components(t interface{ Fatal(...any) }, m *lts.LTS, engine scc.Engine) *scc.Components {
	c, err := scc.Find(context.Background(), m, engine)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEnginesFindTheSameComponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t, 40)
		a := components(t, m, "gonum")
		if rapid.Bool().Draw(t, "predecessors") {
			m.Predecessors()
		}
		b := components(t, m, "iterative")
		for s := range lts.State(m.NumStates()) {
			_, targets := m.Out(s)
			leaves := slices.ContainsFunc(targets, func(to lts.State) bool { return !a.Same(s, to) })
			if _, reachable := a.Of(s); reachable && (a.Leaves(s) != leaves || b.Leaves(s) != leaves) {
				t.Fatalf("from state %d a transition leads to another component: %v, told are %v and %v", s, leaves, a.Leaves(s), b.Leaves(s))
			}
		}
		if a.Len() != b.Len() || a.MaxDepth() != b.MaxDepth() || a.Largest() != b.Largest() {
			t.Fatalf("%d components of depth %d, %d of depth %d", a.Len(), a.MaxDepth(), b.Len(), b.MaxDepth())
		}
		for i := range a.Len() {
			c := scc.Component(i)
			if !slices.Equal(a.States(c), b.States(c)) || a.Depth(c) != b.Depth(c) || a.IsCyclic(c) != b.IsCyclic(c) {
				t.Fatalf("component %d: %v at %d, %v at %d", i, a.States(c), a.Depth(c), b.States(c), b.Depth(c))
			}
		}
		initial := bitset.New[lts.State](m.NumStates())
		for _, s := range a.States(0) {
			initial.Add(s)
		}
		if around, err := scc.FindAround(context.Background(), m, initial); err != nil || !reflect.DeepEqual(around, b) {
			t.Fatalf("around the initial state: %+v, want %+v (error %v)", around, b, err)
		}
	})
}

// reaches returns for each pair of states whether a path of at least one
// transition leads from one to the other: Warshall's algorithm, as a reference.
func reaches(m *lts.LTS) [][]bool {
	n := m.NumStates()
	r := make([][]bool, n)
	for s := range r {
		r[s] = make([]bool, n)
		_, targets := m.Out(lts.State(s))
		for _, t := range targets {
			r[s][t] = true
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

func TestComponentsAreMutuallyReachableAndOrderedByDepth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t, 12)
		c := components(t, m, "")
		r := reaches(m)
		for s := range m.NumStates() {
			of, reachable := c.Of(lts.State(s))
			if reachable != m.Reachable().Has(lts.State(s)) {
				t.Fatalf("state %d has a component: %v", s, reachable)
			}
			if !reachable {
				continue
			}
			if c.IsCyclic(of) != r[s][s] {
				t.Fatalf("state %d on a cycle: %v, component says %v", s, r[s][s], c.IsCyclic(of))
			}
			for u := range m.NumStates() {
				same := s == u || r[s][u] && r[u][s]
				if c.Same(lts.State(s), lts.State(u)) != same {
					t.Fatalf("states %d and %d in one component: want %v", s, u, same)
				}
			}
			_, targets := m.Out(lts.State(s))
			for _, u := range targets {
				to, _ := c.Of(u)
				if to != of && (to < of || c.Depth(to) <= c.Depth(of)) {
					t.Fatalf("%d -> %d leads from component %d at depth %d to %d at %d", s, u, of, c.Depth(of), to, c.Depth(to))
				}
			}
		}
		if first, _ := c.Of(m.Initial()); first != 0 || c.Depth(0) != 0 {
			t.Fatal("the initial state is not in component 0 at depth 0")
		}
	})
}

func TestOnCycleHidesLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t, 10)
		hidden, _ := m.Alphabet().Lookup("a")
		var b lts.Builder
		b.Label("b")
		for tr := range m.Transitions() {
			if tr.Label != hidden && m.Reachable().Has(tr.From) {
				b.Add(tr.From, 0, tr.To)
			}
		}
		rest, err := b.Build(m.Initial(), m.NumStates())
		if err != nil {
			t.Fatal(err)
		}
		r := reaches(rest)
		on, err := components(t, m, "").OnCycle(context.Background(), func(l lts.Label) bool { return l == hidden })
		if err != nil {
			t.Fatal(err)
		}
		for s := range lts.State(m.NumStates()) {
			if on.Has(s) != r[s][s] {
				t.Fatalf("state %d on a cycle without a: %v, want %v", s, on.Has(s), r[s][s])
			}
		}
	})
}

// chain returns a path of n states, or a cycle through them.
func chain(t testing.TB, n int, cycle bool) *lts.LTS {
	var b lts.Builder
	l := b.Label("next")
	for s := range n - 1 {
		b.Add(lts.State(s), l, lts.State(s+1))
	}
	if cycle {
		b.Add(lts.State(n-1), l, 0)
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestDeepModelsDoNotRecurse(t *testing.T) {
	const n = 3_000_000 // deeper than gonum's recursion could go
	if c := components(t, chain(t, n, false), ""); c.Len() != n || c.MaxDepth() != n-1 {
		t.Fatalf("chain: %d components, depth %d", c.Len(), c.MaxDepth())
	}
	m := chain(t, n, true)
	if c := components(t, m, ""); c.Len() != 1 || c.Largest() != n {
		t.Fatalf("cycle: %d components, the largest of %d", c.Len(), c.Largest())
	}
	if _, err := scc.Find(context.Background(), m, "gonum"); err == nil || !strings.Contains(err.Error(), "use the iterative engine") {
		t.Fatalf("gonum on %d states: error %v", n, err)
	}
}

func TestFindComponentsHonoursContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := scc.Find(ctx, chain(t, 200_000, true), "iterative"); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
}

func TestParseNames(t *testing.T) {
	for _, name := range []string{"auto", "gonum", "iterative"} {
		var e scc.Engine
		if err := e.Set(name); err != nil || e.String() != name {
			t.Errorf("engine %s: %v, %v", name, e, err)
		}
	}
	if err := new(scc.Engine).Set("x"); err == nil {
		t.Error("engine x must be refused")
	}
}
