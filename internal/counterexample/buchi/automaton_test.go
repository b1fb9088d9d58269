package buchi

import (
	"context"
	"reflect"
	"testing"
)

func TestBuilderKeepsOrderAndLabels(t *testing.T) {
	var b Builder
	b.Add(1, 0)
	b.AddLabelled(0, "0&!1", 2)
	b.AddLabelled(0, "1", 1)
	b.AddLabelled(0, "!0", 2)
	b.Accept(2)
	b.Accept(2)
	a, err := b.Build(1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if a.NumStates() != 3 || a.NumEdges() != 4 || a.Initial() != 1 {
		t.Errorf("%d states, %d edges, initial state %d", a.NumStates(), a.NumEdges(), a.Initial())
	}
	targets, labels := a.Out(0)
	if !reflect.DeepEqual(targets, []State{2, 1, 2}) || !reflect.DeepEqual(labels, []string{"0&!1", "1", "!0"}) {
		t.Errorf("edges of 0: %v %v", targets, labels)
	}
	if _, labels := a.Out(1); !reflect.DeepEqual(labels, []string{"t"}) {
		t.Errorf("an edge without a label among others has %v", labels)
	}
	if got := a.Successors(0, []State{9}); !reflect.DeepEqual(got, []State{9, 2, 1}) {
		t.Errorf("successors of 0 appended to 9: %v", got)
	}
	if got := a.Successors(2, nil); len(got) != 0 {
		t.Errorf("successors of 2: %v", got)
	}
	if a.Accepting(0) || a.Accepting(1) || !a.Accepting(2) {
		t.Error("accepting states are not {2}")
	}
	again, err := b.Build(0, 1)
	if err != nil || again.NumEdges() != 0 || again.Accepting(0) {
		t.Errorf("the Builder is not empty after Build: %v, %v", again, err)
	}
}

func TestBuilderWithoutLabels(t *testing.T) {
	a := graph(t, 0, nil, []State{1}, []State{0, 1})
	if targets, labels := a.Out(1); !reflect.DeepEqual(targets, []State{0, 1}) || labels != nil {
		t.Errorf("edges of 1: %v %v", targets, labels)
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, test := range []struct {
		initial State
		states  int
		fill    func(*Builder)
		want    string
	}{
		{0, 0, func(*Builder) {}, "buchi: an automaton has at least one state, its initial one"},
		{0, maxStates + 1, func(*Builder) {}, "buchi: 2147483648 states, at most 2147483647 are possible"},
		{2, 2, func(*Builder) {}, "buchi: initial state 2 is not below the number of states 2"},
		{0, 2, func(b *Builder) { b.Add(0, 2) }, "buchi: the edge from 0 to 2 mentions state 2, which is not below the number of states 2"},
		{0, 2, func(b *Builder) { b.Add(7, 1) }, "buchi: the edge from 7 to 1 mentions state 7, which is not below the number of states 2"},
		{0, 2, func(b *Builder) { b.Accept(NoState) }, "buchi: accepting state 4294967295 is not below the number of states 2"},
	} {
		var b Builder
		test.fill(&b)
		if _, err := b.Build(test.initial, test.states); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}

func TestLasso(t *testing.T) {
	l := Lasso{States: []State{0, 1, 2, 3}, LoopStart: 1}
	if !reflect.DeepEqual(l.Stem(), []State{0}) || !reflect.DeepEqual(l.Loop(), []State{1, 2, 3}) {
		t.Errorf("stem %v, loop %v", l.Stem(), l.Loop())
	}
	// The path is 0 1 2 3 1.
	if l.Transitions() != 4 || l.Length() != 5 {
		t.Errorf("%d transitions, length %d", l.Transitions(), l.Length())
	}
}

func TestCheckRefuses(t *testing.T) {
	g := graph(t, 0, []State{0, 3}, []State{1}, []State{2, 3}, []State{1}, []State{1})
	for _, test := range []struct {
		lasso Lasso
		want  string
	}{
		{Lasso{[]State{0, 1, 3}, 1}, ""},
		{Lasso{[]State{0, 1, 2, 1, 3}, 1}, ""},
		{Lasso{}, "buchi: the lasso has no states"},
		{Lasso{[]State{0, 1}, 2}, "buchi: the loop of the lasso begins at step 2 of 2"},
		{Lasso{[]State{0, 1}, -1}, "buchi: the loop of the lasso begins at step -1 of 2"},
		{Lasso{[]State{0, 4}, 0}, "buchi: step 1 of the lasso is state 4, but the automaton has 4 states"},
		{Lasso{[]State{1, 3}, 0}, "buchi: the lasso begins in state 1, and the automaton in state 0"},
		{Lasso{[]State{0, 2, 1}, 1}, "buchi: the lasso goes from state 0 to state 2 at step 0, but the automaton has no such edge"},
		{Lasso{[]State{0, 1, 3}, 2}, "buchi: the lasso goes from state 3 to state 3 at step 2, but the automaton has no such edge"},
		{Lasso{[]State{0, 1, 2}, 1}, "buchi: the loop of the lasso passes no accepting state"},
	} {
		got := ""
		if err := test.lasso.Check(g); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("lasso %v: %q, want %q", test.lasso, got, test.want)
		}
	}
}

func TestRandomIsFixed(t *testing.T) {
	a, err := Random(5, 8, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]State{{3, 0}, {2}, {3, 1, 2}, {2}, {4}}
	if got := successorsOf(a); !reflect.DeepEqual(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
	var accepting []State
	for s := range State(5) {
		if a.Accepting(s) {
			accepting = append(accepting, s)
		}
	}
	if !reflect.DeepEqual(accepting, []State{0, 2}) {
		t.Errorf("accepting states %v", accepting)
	}
}

func TestRandomHasWhatItIsAskedFor(t *testing.T) {
	for seed := range uint64(50) {
		for _, edges := range []int{0, 1, 17, 99, 100} {
			a, err := Random(10, edges, int(seed%11), seed)
			if err != nil {
				t.Fatal(err)
			}
			accepting, distinct := 0, 0
			for s := range State(10) {
				if a.Accepting(s) {
					accepting++
				}
				distinct += len(a.Successors(s, nil))
			}
			if a.NumStates() != 10 || a.NumEdges() != edges || distinct != edges || accepting != int(seed%11) {
				t.Fatalf("%d states, %d edges, %d of them distinct, %d accepting states; wanted 10, %d and %d",
					a.NumStates(), a.NumEdges(), distinct, accepting, edges, seed%11)
			}
		}
	}
}

func TestRandomRefuses(t *testing.T) {
	for _, test := range []struct {
		states, edges, accepting int
		want                     string
	}{
		{0, 0, 0, "buchi: a random automaton of 0 states; there must be 1 to 2147483647"},
		{3, 10, 0, "buchi: 10 random edges between 3 states; there must be 0 to 9"},
		{3, -1, 0, "buchi: -1 random edges between 3 states; there must be 0 to 9"},
		{3, 1, 4, "buchi: 4 of 3 random states accepting"},
	} {
		if _, err := Random(test.states, test.edges, test.accepting, 1); err == nil || err.Error() != test.want {
			t.Errorf("error %v, want %s", err, test.want)
		}
	}
}

// product is a graph that is computed as the search goes: a counter that can be
// reset where it is even, and has to pass its middle.
type product struct{ states int }

func (p product) NumStates() int { return p.states }

func (p product) Initial() State { return 0 }

func (p product) Accepting(s State) bool { return int(s) == p.states/2 }

func (p product) Successors(s State, into []State) []State {
	if int(s)+1 < p.states {
		into = append(into, s+1)
	}
	if s%2 == 0 {
		into = append(into, 0)
	}
	return into
}

func TestSearchesOnAComputedGraph(t *testing.T) {
	g := product{states: 101}
	ctx := context.Background()
	shortest, _, err := priority(ctx, g, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkSize(t, g, shortest)
	last, _, err := contrex(ctx, g, FindOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkSize(t, g, last)
}
