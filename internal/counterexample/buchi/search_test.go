package buchi

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/abort"
	"pgregory.net/rapid"
)

func TestColourDFSFindsOneIffThereIsOne(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(12).Draw(t, "g")
		lasso, stats, err := colourDFS(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		if (lasso != nil) != (shortestSize(g) > 0) {
			t.Fatalf("found %v, a shortest one has %d transitions", lasso, shortestSize(g))
		}
		if lasso == nil {
			if stats.Found != 0 || stats.Length != 0 {
				t.Errorf("statistics %+v of a search that found nothing", stats)
			}
			return
		}
		checkLasso(t, g, lasso)
		if stats.Found != 1 || stats.Length != lasso.Length() || stats.Depth < len(lasso.States) {
			t.Errorf("statistics %+v of the lasso %v", stats, *lasso)
		}
		if stats.Matched > 3*stats.Stored || stats.Stored > int64(g.NumStates()) {
			t.Errorf("%d visits of %d states, more than three each", stats.Matched, stats.Stored)
		}
	})
}

func TestColourDFSIsTheAlgorithmPublished(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(12).Draw(t, "g")
		p := newPublished(g)
		p.dfsBlue(g.Initial())
		c := newColouring(g, newRecord(context.Background(), g))
		lasso := c.search()
		if !reflect.DeepEqual(lasso, p.found) || c.rec.stats.Matched != p.visits {
			t.Fatalf("found %v after %d visits; the algorithm printed finds %v after %d",
				lasso, c.rec.stats.Matched, p.found, p.visits)
		}
		for s := range g.NumStates() {
			if got, want := c.colour(State(s)), p.colour[State(s)]; got != want {
				t.Errorf("state %d has colour %d, in the algorithm printed %d", s, got, want)
			}
		}
	})
}

// TestNoLassoPassesABlackState checks Lemma 1, on which ColourFirst and Priority
// rest.
func TestNoLassoPassesABlackState(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(7).Draw(t, "g")
		c := newColouring(g, newRecord(context.Background(), g))
		c.search()
		for _, l := range simpleAcceptingPaths(g) {
			for _, s := range l.States {
				if c.colour(s) == black {
					t.Fatalf("state %d is black, and on the counterexample %v", s, l)
				}
			}
		}
	})
}

// contrexAll returns everything that Contrex yields, and what it returns last.
func contrexAll(t rapid.TB, g Graph, o FindOptions) ([]Lasso, *Lasso, Stats) {
	t.Helper()
	var all []Lasso
	last, stats, err := contrex(context.Background(), g, o, func(l Lasso, s Stats) bool {
		checkLasso(t, g, &l)
		all = append(all, l)
		if s.Found != len(all) || s.Length != l.Length() {
			t.Errorf("statistics %+v with lasso number %d of length %d", s, len(all), l.Length())
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != nil && !reflect.DeepEqual(*last, all[len(all)-1]) || last == nil && len(all) > 0 {
		t.Errorf("returned %v, yielded %v last", last, all)
	}
	if stats.Found != len(all) {
		t.Errorf("statistics count %d counterexamples of %d", stats.Found, len(all))
	}
	return all, last, stats
}

func TestContrexYieldsTheSequenceOfProposition2(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(7).Draw(t, "g")
		all, last, stats := contrexAll(t, g, FindOptions{})
		if want := gammas(g, unlimited); !reflect.DeepEqual(all, want) {
			t.Fatalf("yielded %v, the sequence is %v", all, want)
		}
		printed, visits := publishedContrex(g)
		if !reflect.DeepEqual(all, printed) || stats.Matched != visits {
			t.Fatalf("yielded %v after %d visits, the algorithm printed gives %v after %d", all, stats.Matched, printed, visits)
		}
		checkSize(t, g, last)
	})
}

// checkSize checks that a lasso is a shortest one, and nil if there is none.
func checkSize(t rapid.TB, g Graph, l *Lasso) {
	t.Helper()
	size := 0
	if l != nil {
		checkLasso(t, g, l)
		size = l.Transitions()
	}
	if want := shortestSize(g); size != want {
		t.Fatalf("lasso %v of %d transitions, a shortest one has %d", l, size, want)
	}
}

func TestContrexBelowABound(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(7).Draw(t, "g")
		bound := rapid.IntRange(1, 9).Draw(t, "bound")
		all, _, _ := contrexAll(t, g, FindOptions{Bound: bound})
		if want := gammas(g, bound); !reflect.DeepEqual(all, want) {
			t.Fatalf("below %d: yielded %v, the sequence is %v", bound, all, want)
		}
	})
}

func TestContrexAfterColourDFS(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(9).Draw(t, "g")
		bound := rapid.SampledFrom([]int{0, 0, 1, 3, 5, 8}).Draw(t, "bound")
		first, _, err := colourDFS(context.Background(), g)
		if err != nil {
			t.Fatal(err)
		}
		all, last, _ := contrexAll(t, g, FindOptions{Bound: bound, ColourFirst: true})
		if bound == 0 {
			checkSize(t, g, last)
		} else if size := shortestSize(g); (last != nil) != (size > 0 && size+1 < bound) || last != nil && last.Transitions() != size {
			t.Fatalf("below %d: %v, a shortest one has %d transitions", bound, last, size)
		}
		if first != nil && (bound == 0 || first.Length() < bound) && !reflect.DeepEqual(all[0], *first) {
			t.Errorf("the first one is %v, and that of Algorithm 1 %v", all[0], *first)
		}
		for i := 1; i < len(all); i++ {
			if all[i].Length() >= all[i-1].Length() {
				t.Errorf("%v is not shorter than %v", all[i], all[i-1])
			}
		}
	})
}

func TestContrexStopsWhenYieldDoes(t *testing.T) {
	// Loops of length 4, 3 and 2 transitions, found in this order.
	g := graph(t, 0, []State{0}, []State{1, 2, 3}, []State{4}, []State{3}, []State{0}, []State{5}, []State{0})
	for stop, want := range []int{4, 3, 2} {
		for _, colourFirst := range []bool{false, true} {
			left := stop
			lasso, stats, err := contrex(context.Background(), g, FindOptions{ColourFirst: colourFirst}, func(Lasso, Stats) bool {
				left--
				return left >= 0
			})
			if err != nil || lasso == nil || lasso.Transitions() != want || stats.Found != stop+1 {
				t.Errorf("stopped at number %d: lasso %v, statistics %+v, error %v; want %d transitions", stop, lasso, stats, err, want)
			}
		}
	}
}

func TestPriorityIsMinimal(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(14).Draw(t, "g")
		lasso, stats, err := priority(context.Background(), g, 0)
		if err != nil {
			t.Fatal(err)
		}
		checkSize(t, g, lasso)
		if lasso != nil && (stats.Length != lasso.Length() || stats.Found == 0) {
			t.Errorf("statistics %+v of the lasso %v", stats, *lasso)
		}
		if stats.Stored > int64(g.NumStates()) || stats.Depth > g.NumStates()+1 {
			t.Errorf("statistics %+v of an automaton with %d states", stats, g.NumStates())
		}
	})
}

func TestPriorityBelowABound(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(12).Draw(t, "g")
		bound := rapid.IntRange(1, 12).Draw(t, "bound")
		lasso, _, err := priority(context.Background(), g, bound)
		if err != nil {
			t.Fatal(err)
		}
		if size := shortestSize(g); size > 0 && size+1 < bound {
			checkSize(t, g, lasso)
		} else if lasso != nil {
			t.Errorf("below %d: %v, a shortest one has %d transitions", bound, *lasso, size)
		}
	})
}

// TestSearchesOnLargerAutomata compares the algorithms where the oracle is slow.
func TestSearchesOnLargerAutomata(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(200) {
		g, err := Random(300, 450, 1+int(seed%20), seed)
		if err != nil {
			t.Fatal(err)
		}
		first, _, _ := colourDFS(ctx, g)
		shortest, _, _ := priority(ctx, g, 0)
		if (first == nil) != (shortest == nil) {
			t.Fatalf("seed %d: ColourDFS finds %v, Priority %v", seed, first, shortest)
		}
		if first == nil {
			continue
		}
		checkLasso(t, g, first)
		checkLasso(t, g, shortest)
		// No shorter one: the bounded search looks for just that.
		shorter, _, err := contrex(ctx, g, FindOptions{Bound: shortest.Length(), ColourFirst: true}, nil)
		if err != nil || shorter != nil {
			t.Fatalf("seed %d: Priority finds %v, Contrex %v, error %v", seed, *shortest, shorter, err)
		}
	}
}

// TestVisitsStayTheSame has the number of visits on 50 random automata: results
// alone do not show when a shortcut of section 4 of [MIN07], or the states left
// black, are no longer made use of.
func TestVisitsStayTheSame(t *testing.T) {
	ctx := context.Background()
	var byPriority, plain, coloured int64
	for seed := range uint64(50) {
		g, err := Random(60, 90, 6, seed)
		if err != nil {
			t.Fatal(err)
		}
		_, p, _ := priority(ctx, g, 0)
		_, m, _ := contrex(ctx, g, FindOptions{}, nil)
		_, c, _ := contrex(ctx, g, FindOptions{ColourFirst: true}, nil)
		byPriority, plain, coloured = byPriority+p.Matched, plain+m.Matched, coloured+c.Matched
	}
	if byPriority != 4185 || plain != 3448 || coloured != 3281 {
		t.Errorf("visits: Priority %d, Contrex %d, Contrex after ColourDFS %d", byPriority, plain, coloured)
	}
}

// reconstruct returns the counterexample with these key states.
func reconstruct(ctx context.Context, g Graph, s1, s2 State) (lasso *Lasso, _ Stats, err error) {
	trace := tracer{g: g, rec: newRecord(ctx, g), depth: make([]uint32, g.NumStates())}
	err = abort.Try(func() { lasso = trace.lasso(s1, s2) })
	return lasso, trace.rec.stats, err
}

func TestReconstruct(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		g := drawnAutomata(8).Draw(t, "g")
		shortest, _, err := priority(context.Background(), g, 0)
		if err != nil || shortest == nil {
			t.Skip("no counterexample")
		}
		s1 := shortest.States[shortest.LoopStart]
		loop := shortest.Loop()
		s2 := loop[slices.IndexFunc(loop, g.Accepting)]
		lasso, _, err := reconstruct(context.Background(), g, s1, s2)
		if err != nil {
			t.Fatal(err)
		}
		checkSize(t, g, lasso)
		// Any other key states give an accepting path too, or none.
		s1 = State(rapid.IntRange(0, g.NumStates()-1).Draw(t, "s1"))
		if lasso, _, err := reconstruct(context.Background(), g, s1, s2); err == nil {
			if err := lasso.Check(g); err != nil || lasso.States[lasso.LoopStart] != s1 {
				t.Errorf("lasso %v for s1 = %d: %v", *lasso, s1, err)
			}
		}
	})
}

func TestReconstructErrors(t *testing.T) {
	g := graph(t, 0, []State{1, 2}, []State{1}, []State{2}, nil)
	for _, test := range []struct {
		s1, s2 State
		want   string
	}{
		{2, 1, "buchi: no path leads from state 2 to state 1"},
		{0, 1, "buchi: no path leads from state 1 to state 0"},
		{1, 1, "buchi: no path leads from state 1 to state 1"},
	} {
		if lasso, _, err := reconstruct(context.Background(), g, test.s1, test.s2); err == nil || err.Error() != test.want {
			t.Errorf("s1 = %d, s2 = %d: lasso %v, error %v, want %s", test.s1, test.s2, lasso, err, test.want)
		}
	}
}

// TestReconstructLeavesDeadEnds has a ladder of 2^30 paths that lead nowhere
// before the only path that leads on.
func TestReconstructLeavesDeadEnds(t *testing.T) {
	const height = 30
	var b Builder
	ladder := func(level, side int) State { return State(1 + 2*level + side) }
	b.Add(0, ladder(0, 0))
	b.Add(0, ladder(0, 1))
	for level := 1; level < height; level++ {
		for side := range 4 {
			b.Add(ladder(level-1, side/2), ladder(level, side%2))
		}
	}
	way := State(1 + 2*height)
	b.Add(0, way)
	for i := range State(height) {
		b.Add(way+i, way+i+1)
	}
	goal := way + height
	b.Add(goal, goal)
	b.Accept(goal)
	g, err := b.Build(0, int(goal)+1)
	if err != nil {
		t.Fatal(err)
	}
	lasso, stats, err := reconstruct(context.Background(), g, goal, goal)
	if err != nil || lasso.Transitions() != height+2 {
		t.Fatalf("lasso %v, error %v", lasso, err)
	}
	if limit := int64(4 * g.NumStates()); stats.Matched > limit {
		t.Errorf("%d visits, more than %d", stats.Matched, limit)
	}
}

// TestSearchesGoDeep has a path as long as the automaton is large, and half of it
// a loop.
func TestSearchesGoDeep(t *testing.T) {
	const length = 200_000
	var b Builder
	for s := range State(length - 1) {
		b.Add(s, s+1)
	}
	b.Add(length-1, length/2)
	b.Accept(length - 2)
	g, err := b.Build(0, length)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	first, stats, err := colourDFS(ctx, g)
	if err != nil || first == nil || len(first.States) != length || first.LoopStart != length/2 || stats.Depth != length {
		t.Errorf("ColourDFS: statistics %+v, error %v", stats, err)
	}
	last, stats, err := contrex(ctx, g, FindOptions{}, nil)
	if err != nil || last == nil || len(last.States) != length || stats.Length != length+1 {
		t.Errorf("Contrex: statistics %+v, error %v", stats, err)
	}
	shortest, stats, err := priority(ctx, g, 0)
	if err != nil || shortest == nil || len(shortest.States) != length {
		t.Errorf("Priority: statistics %+v, error %v", stats, err)
	}
}

// stopping is a context that is done after some looks at it.
type stopping struct {
	context.Context
	looks int
}

func (c *stopping) Err() error {
	if c.looks--; c.looks < 0 {
		return context.Canceled
	}
	return nil
}

func TestSearchesStopWithTheirContext(t *testing.T) {
	g, err := Random(20_000, 60_000, 200, 1)
	if err != nil {
		t.Fatal(err)
	}
	searches := map[string]func(context.Context) (*Lasso, Stats, error){
		"ColourDFS": func(ctx context.Context) (*Lasso, Stats, error) { return colourDFS(ctx, g) },
		"Priority":  func(ctx context.Context) (*Lasso, Stats, error) { return priority(ctx, g, 0) },
		"Contrex": func(ctx context.Context) (*Lasso, Stats, error) {
			return contrex(ctx, g, FindOptions{}, nil)
		},
		"Contrex after ColourDFS": func(ctx context.Context) (*Lasso, Stats, error) {
			return contrex(ctx, g, FindOptions{ColourFirst: true}, nil)
		},
		"Reconstruct": func(ctx context.Context) (*Lasso, Stats, error) {
			for s := range State(20_000) {
				if g.Accepting(s) {
					return reconstruct(ctx, g, s, s)
				}
			}
			return nil, Stats{}, nil
		},
	}
	for name, search := range searches {
		if _, stats, err := search(&stopping{context.Background(), 0}); !errors.Is(err, context.Canceled) || stats.Matched != 1 {
			t.Errorf("%s: error %v after %d visits of a search whose context was done", name, err, stats.Matched)
		}
	}
	// contrex keeps what it has found.
	lasso, _, err := contrex(&stopping{context.Background(), 3}, g, FindOptions{ColourFirst: true}, nil)
	if !errors.Is(err, context.Canceled) || lasso == nil || lasso.Check(g) != nil {
		t.Errorf("Contrex: lasso %v, error %v", lasso, err)
	}
}
