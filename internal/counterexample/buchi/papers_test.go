package buchi

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/inev-lts/inev/counterexample"

	"pgregory.net/rapid"
)

// TestFigures34 has the automata of Figures 3 and 4 of [SPIN04], in which SPIN
// misses the shortest counterexample, as the text describes them; state i of the
// paper is i-1 here. The text does not say which states of Figure 3 are
// accepting: whichever is on the loop, the shortest one is the same.
func TestFigures34(t *testing.T) {
	for accepting := State(2); accepting <= 5; accepting++ {
		g := graph(t, 0, []State{accepting}, []State{1, 4}, []State{2}, []State{3}, []State{4}, []State{5}, []State{2})
		all, _, _ := contrexAll(t, g, FindOptions{})
		want := []Lasso{{[]State{0, 1, 2, 3, 4, 5}, 2}, {[]State{0, 4, 5, 2, 3}, 1}}
		if !reflect.DeepEqual(all, want) {
			t.Errorf("Figure 3 with state %d accepting: %v, want %v", accepting, all, want)
		}
	}
	g := graph(t, 0, []State{1}, []State{1}, []State{2, 3}, []State{3}, []State{0})
	all, _, _ := contrexAll(t, g, FindOptions{})
	if want := []Lasso{{[]State{0, 1, 2, 3}, 0}, {[]State{0, 1, 3}, 0}}; !reflect.DeepEqual(all, want) {
		t.Errorf("Figure 4: %v, want %v", all, want)
	}
}

// TestSection21 has the automaton of section 2.1 of [SPIN04], as the text
// describes it: a tree below state 2, and an accepting state 3 before it. The
// tree is visited once, because its leaves have no successors.
func TestSection21(t *testing.T) {
	const leaves = 50
	var b Builder
	b.Add(0, 1) // 1 is the paper's state 3
	b.Add(1, 2) // 2 is the root of the tree
	b.Add(1, 0)
	for leaf := range State(leaves) {
		b.Add(2, 3+leaf)
	}
	b.Accept(1)
	g, err := b.Build(0, 3+leaves)
	if err != nil {
		t.Fatal(err)
	}
	lasso, stats, err := colourDFS(context.Background(), g)
	if err != nil || !reflect.DeepEqual(lasso, &Lasso{[]State{0, 1}, 0}) {
		t.Fatalf("lasso %v, error %v", lasso, err)
	}
	// Every state once, and state 1 again in DFS_red.
	if want := (Stats{counterexample.Stats{Stored: 3 + leaves, Matched: 4 + leaves, Found: 1, Length: 3}, 4}); stats != want {
		t.Errorf("statistics %+v, want %+v", stats, want)
	}
}

func TestStatisticsOfContrex(t *testing.T) {
	g := graph(t, 0, []State{1}, []State{1}, []State{2, 3}, []State{3}, []State{0})
	_, _, stats := contrexAll(t, g, FindOptions{})
	// Figure 4: four states, of which the fourth is visited twice.
	if want := (Stats{counterexample.Stats{Stored: 4, Matched: 5, Found: 2, Length: 4}, 4}); stats != want {
		t.Errorf("statistics %+v, want %+v", stats, want)
	}
}

// TestPublishedContrex shows what is wrong with Algorithm 2 as it is printed.
func TestPublishedContrex(t *testing.T) {
	t.Run("closing in the last accepting state", func(t *testing.T) {
		g := graph(t, 0, []State{0}, []State{0})
		p := newPublished(g)
		p.dfsMin(0, true, closesStrictly)
		if p.sequence != nil {
			t.Errorf("with %q there is %v", "smaller", p.sequence)
		}
		if all, _, _ := contrexAll(t, g, FindOptions{}); len(all) != 1 {
			t.Errorf("found %v", all)
		}
	})
	t.Run("bound", func(t *testing.T) {
		g := graph(t, 0, []State{1}, []State{3, 2}, []State{2, 0}, []State{1}, []State{3, 2})
		p := newPublished(g)
		p.boundedBy, p.bound = true, 5
		p.dfsMin(0, false, closes)
		if p.sequence != nil {
			t.Errorf("with line 4 changed alone there is %v", p.sequence)
		}
		all, _, _ := contrexAll(t, g, FindOptions{Bound: 5})
		if want := []Lasso{{[]State{0, 2, 1}, 1}}; !reflect.DeepEqual(all, want) {
			t.Errorf("found %v, want %v", all, want)
		}
	})
	t.Run("initial mode", func(t *testing.T) {
		// The initial mode makes no difference to the sequence.
		thousands(t, func(t *rapid.T) {
			g := drawnAutomata(7).Draw(t, "g")
			p := newPublished(g)
			p.dfsMin(g.Initial(), false, closes)
			if want, _ := publishedContrex(g); !reflect.DeepEqual(p.sequence, want) {
				t.Fatalf("normal: %v, as revised: %v", p.sequence, want)
			}
		})
	})
}

// TestPublishedPriority shows what is wrong with the improvements of [MIN07] as
// they are printed, and that the algorithm without them is right.
func TestPublishedPriority(t *testing.T) {
	t.Run("plain", func(t *testing.T) {
		thousands(t, func(t *rapid.T) {
			g := drawnAutomata(10).Draw(t, "g")
			if got, want := (&publishedPriority{g: g}).run(), shortestSize(g); got != want {
				t.Fatalf("size %d, a shortest one has %d transitions", got, want)
			}
		})
	})
	for _, test := range []struct {
		name       string
		successors [][]State
		accepting  State
		testEarly  bool
		// size and maxDepth are what the printed algorithm ends with.
		size, maxDepth int
	}{
		{"Algorithm 7 never meets r", [][]State{{1, 0}, {0}}, 0, false, 0, 2},
		{"no key states for maxdepth", [][]State{{1, 0}, {0}}, 0, true, 0, 1},
		{"blue states on the loop", [][]State{{2, 1}, {0, 2}, {1}}, 2, true, 0, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := graph(t, 0, []State{test.accepting}, test.successors...)
			p := publishedFromColours(t, g)
			p.testEarly = test.testEarly
			if size := p.run(); size != test.size || p.maxDepth != test.maxDepth {
				t.Errorf("the algorithm printed ends with size %d and maxdepth %d, want %d and %d", size, p.maxDepth, test.size, test.maxDepth)
			}
			lasso, _, err := priority(context.Background(), g, 0)
			if err != nil {
				t.Fatal(err)
			}
			checkSize(t, g, lasso)
		})
	}
}

// publishedFromColours prepares Algorithms 5 to 7 with the counterexample and the
// blue states of Algorithm 1 of [SPIN04].
func publishedFromColours(t *testing.T, g Graph) *publishedPriority {
	t.Helper()
	c := newColouring(g, newRecord(context.Background(), g))
	cp := c.search()
	if cp == nil {
		t.Fatal("no lasso")
	}
	p := &publishedPriority{g: g, cp: cp, blue: map[State]bool{}}
	for _, s := range cp.States {
		p.blue[s] = c.colour(s) == blue
	}
	return p
}

// Example_contrex stops a search that could go on for long.
func Example_contrex() {
	var b Builder
	for s := range State(6) {
		b.Add(s, (s+1)%6)
	}
	b.Add(2, 0)
	b.Accept(1)
	g, err := b.Build(0, 6)
	if err != nil {
		fmt.Println(err)
		return
	}
	search := func(yield func(Lasso, Stats) bool) {
		_, _, err = contrex(context.Background(), g, FindOptions{}, yield)
	}
	for lasso, stats := range search {
		fmt.Println(lasso.Length(), "states:", lasso.Stem(), lasso.Loop(), "after", stats.Matched, "visits")
		if lasso.Length() < 5 {
			break
		}
	}
	// Output:
	// 7 states: [] [0 1 2 3 4 5] after 6 visits
	// 4 states: [] [0 1 2] after 6 visits
}
