package counterexample_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// nearRandom returns a system of which each state has three transitions, over 50
// labels, to states that are not far away.
func nearRandom(b *testing.B, states int) *lts.LTS {
	r := rand.New(rand.NewPCG(1, 2))
	var builder lts.Builder
	labels := make([]lts.Label, 50)
	for i := range labels {
		labels[i] = builder.Label(fmt.Sprintf("ACTION_%d", i))
	}
	for s := range states {
		for range 3 {
			to := min(max(0, s+r.IntN(100)-30), states-1)
			builder.Add(lts.State(s), labels[r.IntN(len(labels))], lts.State(to))
		}
	}
	m, err := builder.Build(0, states)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// plainSearch is a breadth-first search of all of a system: what the search for a
// counterexample is measured against.
func plainSearch(m *lts.LTS) int {
	seen := make([]bool, m.NumStates())
	seen[m.Initial()] = true
	open := []lts.State{m.Initial()}
	for i := 0; i < len(open); i++ {
		_, targets := m.Out(open[i])
		for _, t := range targets {
			if !seen[t] {
				seen[t] = true
				open = append(open, t)
			}
		}
	}
	return len(open)
}

// BenchmarkSearch compares the searches on one model of each size, in which a
// short loop violates the property. The algorithms of the literature are given
// ten seconds; where that is not enough, they are left out.
func BenchmarkSearch(b *testing.B) {
	f, err := actl.Parse(context.Background(), "Inev(ACTION_1, ACTION_2)")
	if err != nil {
		b.Fatal(err)
	}
	for _, states := range []int{1_000, 10_000, 100_000, 1_000_000} {
		m := nearRandom(b, states)
		bound, _, _ := f.Bind(context.Background(), m.Alphabet())
		p, _ := bound.Chain()
		c, err := scc.Find(context.Background(), m, "iterative")
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%d/plain", states), func(b *testing.B) {
			for range b.N {
				plainSearch(m)
			}
		})
		b.Run(fmt.Sprintf("%d/shortest", states), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if _, err := counterexample.Search(context.Background(), m, p, counterexample.Options{Components: c}); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, name := range buchi.Algorithms() {
			b.Run(fmt.Sprintf("%d/%s", states, name), func(b *testing.B) { benchmarkInAutomaton(b, m, p, name) })
		}
	}
}

func benchmarkInAutomaton(b *testing.B, m *lts.LTS, p *property.Chain, name string) {
	var algorithm buchi.Algorithm
	err := algorithm.Set(name)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for range b.N {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		_, _, err := buchi.FindInModel(ctx, m, p.Property(), buchi.FindOptions{Algorithm: algorithm}, nil)
		stopped := ctx.Err() != nil
		cancel()
		if stopped {
			b.Skip("takes more than ten seconds")
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// ring returns layers of states, each with two transitions to the next layer, and from
// the last one to the first.
func ring(t testing.TB, layers, width int) *lts.LTS {
	r := rand.New(rand.NewPCG(1, 2))
	var builder lts.Builder
	x, y := builder.Label("x"), builder.Label("y")
	for s := range layers * width {
		first := (s/width + 1) % layers * width
		builder.Add(lts.State(s), x, lts.State(first+r.IntN(width)))
		builder.Add(lts.State(s), y, lts.State(first+r.IntN(width)))
	}
	m, err := builder.Build(0, layers*width)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRingIsSearchedFromFewStates: no state has a short loop, and nearly all of them have
// one of the same length.
func TestRingIsSearchedFromFewStates(t *testing.T) {
	m := ring(t, 100, 300)
	r := search(t, m, bind(t, m, "Inev(K)"), counterexample.Options{})
	if r.Trace.Len() != 100 {
		t.Errorf("a loop of %d transitions", r.Trace.Len())
	}
	if most := int64(4 * (m.NumStates() + m.NumTransitions())); r.Stats.Matched > most {
		t.Errorf("%d visits, at most %d were expected", r.Stats.Matched, most)
	}
}

// BenchmarkRing searches rings of 100 layers, beside a plain search.
func BenchmarkRing(b *testing.B) {
	for _, width := range []int{300, 1_000, 3_000} {
		m := ring(b, 100, width)
		p := bind(b, m, "Inev(K)")
		b.Run(fmt.Sprintf("%d/plain", width), func(b *testing.B) {
			for range b.N {
				plainSearch(m)
			}
		})
		b.Run(fmt.Sprintf("%d/shortest", width), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				if r := search(b, m, p, counterexample.Options{}); r.Trace.Len() != 100 {
					b.Fatalf("a loop of %d transitions", r.Trace.Len())
				}
			}
		})
	}
}

// treeOverRing returns a ring of layers as [ring] does, with a tree of fan-out 8 whose
// leaves are all of its states, in an order that is drawn: all are equally far from the
// initial state, so that nearly all are heads.
func treeOverRing(t testing.TB, layers, width int) *lts.LTS {
	r := rand.New(rand.NewPCG(1, 2))
	return treeOver(t, r, layers*width, func(s int) (int, int) {
		first := (s/width + 1) % layers * width
		return first + r.IntN(width), first + r.IntN(width)
	})
}

// treeOverLongRing returns a ring in which each state has transitions to the next two, with
// such a tree: no loop is shorter than a half of the ring, and bounds rise as far.
func treeOverLongRing(t testing.TB, states int) *lts.LTS {
	return treeOver(t, rand.New(rand.NewPCG(1, 2)), states, func(s int) (int, int) {
		return (s + 1) % states, (s + 2) % states
	})
}

// treeOver returns a tree whose leaves have two transitions each, to the leaves that next
// tells.
func treeOver(t testing.TB, r *rand.Rand, leaves int, next func(int) (int, int)) *lts.LTS {
	var builder lts.Builder
	x, y := builder.Label("x"), builder.Label("y")
	inner := (leaves + 5) / 7
	order := r.Perm(leaves)
	for s := range inner {
		for to := 8*s + 1; to <= 8*s+8 && to < inner+leaves; to++ {
			if to < inner {
				builder.Add(lts.State(s), x, lts.State(to))
			} else {
				builder.Add(lts.State(s), x, lts.State(inner+order[to-inner]))
			}
		}
	}
	for s := range leaves {
		a, b := next(s)
		builder.Add(lts.State(inner+s), x, lts.State(inner+a))
		builder.Add(lts.State(inner+s), y, lts.State(inner+b))
	}
	m, err := builder.Build(0, inner+leaves)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTreesOverRingsAreSifted: no loop has fewer transitions than there are layers, or a half
// of all states, which the distances from one state tell; without them each state is searched
// from in vain, at each bound.
func TestTreesOverRingsAreSifted(t *testing.T) {
	for _, shape := range []struct {
		name   string
		m      *lts.LTS
		length int
	}{{"layers", treeOverRing(t, 24, 600), 28}, {"long", treeOverLongRing(t, 4_000), 2_003}} {
		r := search(t, shape.m, bind(t, shape.m, "Inev(K)"), counterexample.Options{})
		if r.Trace.Len() != shape.length {
			t.Errorf("%s: a counterexample of %d transitions", shape.name, r.Trace.Len())
		}
		if most := int64(20 * (shape.m.NumStates() + shape.m.NumTransitions())); r.Stats.Matched > most {
			t.Errorf("%s: %d visits, at most %d were expected", shape.name, r.Stats.Matched, most)
		}
	}
}

// BenchmarkTreeOverRing searches rings of 24 layers below a tree, beside a plain search.
func BenchmarkTreeOverRing(b *testing.B) {
	for _, width := range []int{600, 3_200} {
		m := treeOverRing(b, 24, width)
		p := bind(b, m, "Inev(K)")
		b.Run(fmt.Sprintf("%d/plain", width), func(b *testing.B) {
			for range b.N {
				plainSearch(m)
			}
		})
		b.Run(fmt.Sprintf("%d/shortest", width), func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				search(b, m, p, counterexample.Options{})
			}
		})
	}
}

// BenchmarkBadShapes searches the shapes that took longest of some thousands that were drawn,
// beside a plain search of each.
func BenchmarkBadShapes(b *testing.B) {
	for _, shape := range []struct {
		name string
		m    *lts.LTS
	}{
		{"ring of 32 layers that shift", shifting(b, 32, 625)},
		{"long ring", treeOverLongRing(b, 20_000)},
	} {
		p := bind(b, shape.m, "Inev(K)")
		b.Run(shape.name+"/plain", func(b *testing.B) {
			for range b.N {
				plainSearch(shape.m)
			}
		})
		b.Run(shape.name+"/shortest", func(b *testing.B) {
			for range b.N {
				search(b, shape.m, p, counterexample.Options{})
			}
		})
	}
}

// shifting returns a ring of layers below a tree, in which each transition to the next layer
// goes on by one or two places: distances tell of no cycle that it goes round several times.
func shifting(t testing.TB, layers, width int) *lts.LTS {
	return treeOver(t, rand.New(rand.NewPCG(1, 2)), layers*width, func(s int) (int, int) {
		first := (s/width + 1) % layers * width
		return first + (s+1)%width, first + (s+2)%width
	})
}
