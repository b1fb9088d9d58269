package main

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/counterexample/buchi"
)

// TestSPINMissesTheShortest: in Figures 3 and 4 the minimising search of SPIN ends with the first
// counterexample, as the paper says it does, with the depths that it gives.
func TestSPINMissesTheShortest(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		figure    int
		accepting []buchi.State
		first     string
		depths    []int
		least     int
	}{
		// After the first counterexample state 5 is met again, by its edge from state 1, and state 6
		// behind it.
		{0, []buchi.State{2}, "1 2 3 4 5 6 3", []int{1, 2, 3, 4, 2, 3}, 6},
		{0, []buchi.State{3}, "1 2 3 4 5 6 3", []int{1, 2, 3, 4, 2, 3}, 6},
		{0, []buchi.State{4}, "1 2 3 4 5 6 3", []int{1, 2, 3, 4, 2, 3}, 6},
		{1, []buchi.State{1}, "1 2 3 4 1", []int{1, 2, 3, 2}, 4},
	} {
		f := figures34(3)[c.figure]
		f.accepting = c.accepting
		g, err := f.automaton()
		if err != nil {
			t.Fatal(err)
		}
		first, err := searchNested(ctx, g, false)
		if err != nil || written(first.best) != c.first {
			t.Errorf("%s with %v: %v, %v", f.name, c.accepting, first.best, err)
		}
		least, err := searchNested(ctx, g, true)
		if err != nil || written(least.best) != c.first || len(least.all) != 1 || !slices.Equal(least.depth, c.depths) {
			t.Errorf("%s with %v: %v after %v, depths %v, %v", f.name, c.accepting, least.best, least.all, least.depth, err)
		}
		shortest, _, err := buchi.Find(ctx, g, buchi.FindOptions{Algorithm: buchi.ByPriority}, nil)
		if err != nil || shortest.Length() != c.least {
			t.Errorf("%s: %v, %v", f.name, shortest, err)
		}
	}
}

// TestTreeTwice: the nested search goes through the tree of section 2.1 twice, the colour search once.
func TestTreeTwice(t *testing.T) {
	g, err := figures34(50)[2].automaton()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		want int64
	}{{"nested DFS of SPIN, first one found", 105}, {"colour-DFS, first one found", 54}} {
		lasso, stats, err := searchNamed(c.name).run(context.Background(), g)
		if err != nil || written(lasso) != "1 2 1" || int64(stats.Matched) != c.want {
			t.Errorf("%s: %v after %d visits, %v", c.name, lasso, stats.Matched, err)
		}
	}
}

// TestNestedSearches: on random automata both searches find counterexamples where there are any, and
// what they find are counterexamples, ever shorter ones; the minimising one often misses a shortest.
func TestNestedSearches(t *testing.T) {
	ctx := context.Background()
	missed, none, several := 0, 0, 0
	const cases = 6000
	for seed := range uint64(cases) {
		states := int(seed%12) + 2
		g, err := buchi.Random(states, min(2*states, states*states), int(seed%3)+1, seed)
		if err != nil {
			t.Fatal(err)
		}
		shortest, _, err := buchi.Find(ctx, g, buchi.FindOptions{Algorithm: buchi.ByPriority}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, minimise := range []bool{false, true} {
			n, err := searchNested(ctx, g, minimise)
			if err != nil {
				t.Fatal(err)
			}
			if (n.best == nil) != (shortest == nil) {
				t.Fatalf("seed %d: %v, and %v is a shortest one", seed, n.best, shortest)
			}
			if n.best == nil {
				none++
				continue
			}
			if err := n.best.Check(g); err != nil || n.best.Length() < shortest.Length() {
				t.Fatalf("seed %d: %v, %v, and %v is a shortest one", seed, n.best, err, shortest)
			}
			for i := range n.all[1:] {
				if n.all[i+1] >= n.all[i] {
					t.Fatalf("seed %d: lengths %v", seed, n.all)
				}
			}
			if len(n.all) > 1 {
				several++
			}
			if minimise && n.best.Length() > shortest.Length() {
				missed++
			}
			if !minimise && len(n.all) != 1 {
				t.Fatalf("seed %d: a first one of %v", seed, n.all)
			}
		}
		lasso, stats, err := contrexAfterNested(ctx, g)
		if err != nil || (lasso == nil) != (shortest == nil) || lasso != nil && (lasso.Length() != shortest.Length() || stats.Length != lasso.Length()) {
			t.Fatalf("seed %d: %v, %v, and %v is a shortest one", seed, lasso, err, shortest)
		}
	}
	t.Logf("missed %d times, %d without, %d with several", missed, none, several)
	if missed < 100 || none < 100 || several < 100 {
		t.Errorf("missed %d times, %d without, %d with several", missed, none, several)
	}
}
