package buchi

import (
	"testing"

	"pgregory.net/rapid"
)

// drawnAutomata generates small automata; from empty to complete graphs, since each
// pair of states is an edge with a probability that is drawn first, in an order
// that is drawn too.
func drawnAutomata(states int) *rapid.Generator[*Automaton] {
	return rapid.Custom(func(t *rapid.T) *Automaton {
		n := rapid.IntRange(1, states).Draw(t, "states")
		edges := rapid.IntRange(0, n*min(n, 4)).Draw(t, "edges")
		accepting := rapid.IntRange(0, max(1, n/2)).Draw(t, "accepting")
		a, err := Random(n, edges, accepting, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		return a
	})
}

// thousands checks a property on 2,000 automata, where rapid takes 100.
func thousands(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	for range 20 {
		rapid.Check(t, property)
	}
}

// graph builds an automaton from its successor lists.
func graph(t testing.TB, initial State, accepting []State, successors ...[]State) *Automaton {
	t.Helper()
	var b Builder
	for s, targets := range successors {
		for _, to := range targets {
			b.Add(State(s), to)
		}
	}
	for _, s := range accepting {
		b.Accept(s)
	}
	a, err := b.Build(initial, len(successors))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// successorsOf returns the successor lists of an automaton.
func successorsOf(g Graph) [][]State {
	lists := make([][]State, g.NumStates())
	for s := range lists {
		lists[s] = g.Successors(State(s), nil)
	}
	return lists
}

// shortestSize is the oracle: the number of transitions of a shortest
// counterexample, 0 if there is none, as the least d(i,s) + d(s,r) + d(r,s)
// over all states s and accepting states r, with a non-empty loop. Distances come
// from the Floyd-Warshall algorithm.
func shortestSize(g Graph) int {
	const far = 1 << 20
	n := g.NumStates()
	// least[s][t] is the length of a shortest non-empty path.
	least := make([][]int, n)
	for s, targets := range successorsOf(g) {
		least[s] = make([]int, n)
		for t := range least[s] {
			least[s][t] = far
		}
		for _, t := range targets {
			least[s][t] = 1
		}
	}
	for k := range n {
		for s := range n {
			for t := range n {
				least[s][t] = min(least[s][t], least[s][k]+least[k][t])
			}
		}
	}
	best := far
	for s := range n {
		stem := least[g.Initial()][s]
		if State(s) == g.Initial() {
			stem = 0
		}
		for r := range n {
			loop := least[s][r] + least[r][s]
			if r == s {
				loop = least[s][s]
			}
			if g.Accepting(State(r)) {
				best = min(best, stem+loop)
			}
		}
	}
	if best >= far {
		return 0
	}
	return best
}

// checkLasso checks that l is a simple accepting path of g.
func checkLasso(t rapid.TB, g Graph, l *Lasso) {
	t.Helper()
	if err := l.Check(g); err != nil {
		t.Fatalf("lasso %v: %v", *l, err)
	}
	visited := map[State]bool{}
	for _, s := range l.States {
		if visited[s] {
			t.Fatalf("the lasso %v visits state %d twice", *l, s)
		}
		visited[s] = true
	}
}
