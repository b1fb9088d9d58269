package counterexample

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// drawnAutomaton returns a property with few states and colours, that means nothing.
func drawnAutomaton(t testing.TB, r *rand.Rand, a *lts.Alphabet) *property.Property {
	t.Helper()
	states, colours := 1+r.IntN(3), 1+r.IntN(3)
	x := property.Automaton{Columns: a.Len(), Letters: make([]uint16, a.Len())}
	for l := range x.Letters {
		x.Letters[l] = uint16(l)
	}
	for range states {
		x.Stop = append(x.Stop, r.IntN(6) > 0)
		for range a.Len() {
			x.Next = append(x.Next, property.Q(r.IntN(states)))
			marks := property.Marks(0)
			for c := range colours {
				if r.IntN(3) == 0 {
					marks |= property.Mark(c)
				}
			}
			x.Marks = append(x.Marks, marks)
		}
	}
	var parts []property.Acceptance
	for c := range colours {
		parts = append(parts, []property.Acceptance{property.Inf(c), property.Fin(c)}[r.IntN(2)])
	}
	switch r.IntN(3) {
	case 0:
		x.Acceptance = property.All(parts...)
	case 1:
		x.Acceptance = property.Any(parts...)
	default:
		x.Acceptance = property.Any(parts[0], property.All(parts[1:]...))
	}
	p, err := property.Table(a, x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// closedWalk returns the first of the shortest closed walks through s that a pair rejects,
// breadth first through all of the product.
func closedWalk(u *product.Unfolding, s lts.State, pair property.Pair) []lts.Transition {
	type place struct {
		state lts.State
		met   property.Marks
	}
	ways := map[place][]lts.Transition{{s, 0}: nil}
	for open := []place{{s, 0}}; len(open) > 0; open = open[1:] {
		at := open[0]
		labels, targets := u.LTS().Out(at.state)
		for i, to := range targets {
			marks := u.Marks(at.state, labels.At(i))
			if marks&pair.Fin != 0 {
				continue
			}
			next := place{to, at.met | marks&pair.Inf}
			way := append(slices.Clone(ways[at]), lts.Transition{From: at.state, Label: labels.At(i), To: to})
			if to == s && next.met == pair.Inf {
				return way
			}
			if _, known := ways[next]; !known {
				ways[next] = way
				open = append(open, next)
			}
		}
	}
	return nil
}

// firstInProduct returns the steps of the run that [inUnfolding] documents, by a search from
// every state of the product for each pair.
func firstInProduct(g *general, pairs []property.Pair) (steps []lts.Transition, loop int) {
	g.takeDeadlock()
	best, entry, round := g.best, lts.State(0), []lts.Transition(nil)
	if g.found > 0 {
		entry, _ = g.u.Find(g.entry)
	}
	for _, pair := range pairs {
		for s := range lts.State(g.m.NumStates()) {
			if way := closedWalk(g.u, s, pair); way != nil && int(g.distance[s])+len(way) < best {
				best, entry, round = int(g.distance[s])+len(way), s, way
			}
		}
	}
	if best == infinite {
		return nil, noLoop
	}
	steps, loop = append(g.pathTo(entry), round...), noLoop
	if round != nil {
		loop = len(steps) - len(round)
	}
	for i, s := range steps {
		steps[i] = lts.Transition{From: g.u.At(s.From).State, Label: s.Label, To: g.u.At(s.To).State}
	}
	return steps, loop
}

// compareLevels compares a shortest run of the product with that which is found without the product,
// among all runs and among those that are no longer.
func compareLevels(t *testing.T, m *lts.LTS, p *property.Property, want *Result) {
	t.Helper()
	bounds := []int{infinite}
	if want.Trace != nil {
		bounds = append(bounds, want.Trace.Len()+1)
	}
	for _, below := range bounds {
		for _, patience := range []nearPatience{worthNear(), {}, {few: 1, many: 0.3, more: 2}, {more: 1 << 20}, {few: 1 << 20, many: 1 << 20}} {
			got, err := resultOf(func(r *Result) {
				inLevels(context.Background(), levelledTask{
					model:    m,
					property: p,
					levels:   product.NewLevels(m, p),
					patience: patience,
					below:    below,
				}, r)
			})
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(got.Trace) != fmt.Sprint(want.Trace) || got.Minimal != want.Minimal || got.Violated != want.Violated {
				t.Fatalf("below %d, %v: %v, want %v", below, patience, got, want)
			}
			if below == infinite && got.Trace == nil && got.Stats.Stored != 0 && got.Stats.Stored != want.Stats.Stored {
				t.Fatalf("%d places, want %d", got.Stats.Stored, want.Stats.Stored)
			}
		}
	}
}

// TestProductFromHeadsIsThatFromAllStates compares the run, transition by transition, with the
// one that the definition has, however early states are sifted and heads searched from together;
// and its length with that of the oracle, of small models.
func TestProductFromHeadsIsThatFromAllStates(t *testing.T) {
	seeds := 1_000
	if !randomlts.Whole() {
		seeds /= 10
	}
	lassos, sifted, rounds, together, through := 0, 0, 0, 0, 0
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, 29))
		var m *lts.LTS
		switch seed % 4 {
		case 0:
			m = randomlts.Seeded(seed, randomlts.Small()).Model
		case 1:
			m = randomlts.Seeded(seed, randomlts.Medium()).Model
		case 2:
			m, _ = roundabout(t, r)
		default:
			m, _ = turning(t, r)
		}
		p := drawnAutomaton(t, r, m.Alphabet())
		u, err := product.Unfold(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		c, err := scc.Find(context.Background(), u.LTS(), "")
		if err != nil {
			t.Fatal(err)
		}
		pairs, _ := p.Acceptance().Not().Pairs(mostPairs)
		var want []lts.Transition
		var loop int
		for i, patience := range []int{0, 1 + r.IntN(300), 1 << 30} {
			g := newGeneral(context.Background(), u, c, Options{})
			g.patience = patience
			if i == 0 {
				want, loop = firstInProduct(g, pairs)
				g.best, g.found = infinite, 0
				if loop != noLoop {
					lassos++
				}
			}
			found, err := resultOf(func(r *Result) { g.search(pairs, r) })
			if err != nil {
				t.Fatal(err)
			}
			compareLevels(t, m, p, found)
			sifted, rounds, together, through = sifted+g.cost.sifted, rounds+g.cost.rounds, together+g.cost.together, through+g.cost.through
			if (found.Trace == nil) != (want == nil && loop == noLoop && !violatesAtOnce(g)) {
				t.Fatalf("seed %d, patience %d: %v, want %v", seed, patience, found.Trace, want)
			}
			if found.Trace == nil {
				continue
			}
			at, is := found.Trace.LoopStart()
			if !is {
				at = noLoop
			}
			if !slices.Equal(found.Trace.Steps(), want) || at != loop || found.Minimal != InProduct {
				t.Fatalf("seed %d, patience %d: %v from %d, want %v from %d", seed, patience, found.Trace.Steps(), at, want, loop)
			}
			if m.NumStates() <= 8 && i == 0 {
				if length, _ := oracle.NewGeneral(m, fromproperty.Automaton(p)).ShortestViolation(); length != len(want) {
					t.Fatalf("seed %d: %d transitions, the oracle has %d", seed, len(want), length)
				}
			}
		}
	}
	if lassos < seeds/4 || sifted < seeds/4 || together < seeds/20 || through < seeds/20 || rounds == 0 && randomlts.Whole() {
		t.Errorf("of %d seeds: %d lassos, sifted %d times, %d rounds, %d times from many heads, %d times through a colour", seeds, lassos, sifted, rounds, together, through)
	}
}

// violatesAtOnce reports whether the run without transitions is what was found.
func violatesAtOnce(g *general) bool { return g.best == 0 }

// goingRound are models of a size with a property of each class, in which loops are long and
// begin in many places.
func goingRound(t testing.TB, states int) map[string]*lts.LTS {
	all := map[string]*lts.LTS{}
	build := func(name string, n int, add func(b *lts.Builder, label func(s int) lts.Label)) {
		var b lts.Builder
		labels := []lts.Label{b.Label("x"), b.Label("A"), b.Label("B")}
		add(&b, func(s int) lts.Label {
			switch s {
			case n / 2:
				return labels[1]
			case n / 3:
				return labels[2]
			}
			return labels[0]
		})
		m, err := b.Build(0, n)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = m
	}
	build("cycle", states, func(b *lts.Builder, label func(int) lts.Label) {
		for s := range states {
			b.Add(lts.State(s), label(s), lts.State((s+1)%states))
		}
	})
	build("reversed chain", states, func(b *lts.Builder, label func(int) lts.Label) {
		for s := range states {
			b.Add(lts.State(s), label(s), lts.State((s+states-1)%states))
		}
	})
	build("fan and ring", states+1, func(b *lts.Builder, label func(int) lts.Label) {
		for s := range states {
			b.Add(0, b.Label("x"), lts.State(s+1))
			b.Add(lts.State(s+1), label(s+1), lts.State((s+1)%states+1))
		}
	})
	const layers = 25
	width := states / layers
	build("ring of layers", layers*width+1, func(b *lts.Builder, label func(int) lts.Label) {
		r := rand.New(rand.NewPCG(1, 2))
		for i := range width {
			b.Add(0, b.Label("x"), lts.State(1+i))
			for l := range layers {
				for range 2 {
					s := 1 + l*width + i
					b.Add(lts.State(s), label(s), lts.State(1+(l+1)%layers*width+r.IntN(width)))
				}
			}
		}
	})
	side := 1
	for side*side < states {
		side++
	}
	build("torus", side*side, func(b *lts.Builder, label func(int) lts.Label) {
		for i := range side {
			for j := range side {
				s := i*side + j
				b.Add(lts.State(s), label(s), lts.State((i+1)%side*side+j))
				b.Add(lts.State(s), b.Label("x"), lts.State(i*side+(j+1)%side))
			}
		}
	})
	build("drawn", states, func(b *lts.Builder, label func(int) lts.Label) {
		r := rand.New(rand.NewPCG(3, 4))
		for s := range states {
			b.Add(lts.State(s), b.Label("x"), lts.State((s+1)%states))
			b.Add(lts.State(s), label(s), lts.State(r.IntN(states)))
		}
	})
	build("drawn, marked in some places", states, func(b *lts.Builder, label func(int) lts.Label) {
		r := rand.New(rand.NewPCG(5, 6))
		for s := range states {
			b.Add(lts.State(s), b.Label("x"), lts.State((s+1)%states))
			of := b.Label("x")
			switch s % 250 {
			case 0:
				of = b.Label("A")
			case 100:
				of = b.Label("B")
			}
			b.Add(lts.State(s), of, lts.State(r.IntN(states)))
		}
	})
	build("ring of layers, marked in some places", layers*width+1, func(b *lts.Builder, label func(int) lts.Label) {
		r := rand.New(rand.NewPCG(7, 8))
		for i := range width {
			b.Add(0, b.Label("x"), lts.State(1+i))
			for l := range layers {
				for range 2 {
					s := 1 + l*width + i
					of := b.Label("x")
					if r.IntN(300) == 0 {
						of = b.Label([]string{"A", "B"}[r.IntN(2)])
					}
					b.Add(lts.State(s), of, lts.State(1+(l+1)%layers*width+r.IntN(width)))
				}
			}
		}
	})
	build("hub", states, func(b *lts.Builder, label func(int) lts.Label) {
		for s := 1; s < states; s++ {
			b.Add(0, label(s), lts.State(s))
			b.Add(lts.State(s), b.Label("x"), 0)
		}
	})
	return all
}

// classes are conditions on runs that meet A, B or neither, of one state each: Büchi's, its
// complement, those of Streett and Rabin, and two to be met.
var classes = map[string]property.Acceptance{
	"GF A":           property.Inf(0),
	"FG !A":          property.Fin(0),
	"GF A -> GF B":   property.Any(property.Fin(0), property.Inf(1)),
	"GF A & FG !B":   property.All(property.Inf(0), property.Fin(1)),
	"FG !A | FG !B":  property.Any(property.Fin(0), property.Fin(1)),
	"FG !x | GF A":   property.Any(property.Fin(2), property.Inf(0)),
	"FG !B & (GF A)": property.All(property.Fin(1), property.Inf(0)),
}

// ofOneState returns the property of one state with a condition of [classes].
func ofOneState(t testing.TB, m *lts.LTS, condition property.Acceptance) *property.Property {
	t.Helper()
	p, err := property.Table(m.Alphabet(), property.Automaton{
		Columns: 3, Letters: []uint16{0, 1, 2}, Next: make([]property.Q, 3), Stop: []bool{true}, Acceptance: condition,
		Marks: []property.Marks{property.Mark(2), property.Mark(0), property.Mark(1)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestNoClassIsSlow: eight times as many states take about eight times as much work, for each
// class of properties on each shape.
func TestNoClassIsSlow(t *testing.T) {
	if !randomlts.Whole() {
		t.Skip("searches dozens of models of 16,000 states")
	}
	const states, times = 2_000, 8
	small, large := goingRound(t, states), goingRound(t, times*states)
	for shape := range small {
		for class, condition := range classes {
			var did costs
			work := func(m *lts.LTS) float64 {
				p := ofOneState(t, m, condition)
				u, err := product.Unfold(context.Background(), m, p)
				if err != nil {
					t.Fatal(err)
				}
				c, err := u.Components(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				g := newGeneral(context.Background(), u, c, Options{})
				pairs, _ := condition.Not().Pairs(mostPairs)
				if _, err := resultOf(func(r *Result) { g.search(pairs, r) }); err != nil {
					t.Fatal(err)
				}
				did = g.cost
				return float64(g.cost.work + m.NumStates() + m.NumTransitions())
			}
			a, b := work(small[shape]), work(large[shape])
			// With an exponent of 1.2, from where strategies have paid off.
			const most, enough = 12.2, 60
			if b > most*max(a, enough*float64(small[shape].NumTransitions())) || b > 400*float64(large[shape].NumTransitions()) {
				t.Errorf("%s, %s: %+v %s", shape, class, did, fmt.Sprintf("%.0f and %.0f, %.1f times as much; %.1f for each transition", a, b, b/a, b/float64(large[shape].NumTransitions())))
			}
		}
	}
}

// TestWordsOfAllWidths compares runs of properties of up to 64 states, in words of one to eight
// bytes, with those found in the product.
func TestWordsOfAllWidths(t *testing.T) {
	lassos, widths := 0, map[int]int{}
	for seed := range randomlts.Share(600) {
		r := rand.New(rand.NewPCG(seed, 31))
		m := randomlts.Seeded(seed, randomlts.Medium()).Model
		states := []int{8, 16, 32, 64}[seed%4] - r.IntN(4)
		p := manyStates(t, r, m.Alphabet(), states)
		u, err := product.Unfold(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		c, err := u.Components(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		want, err := InUnfolding(context.Background(), u, c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		compareLevels(t, m, p, want)
		if want.Trace != nil {
			if _, is := want.Trace.LoopStart(); is {
				lassos++
				widths[int(seed%4)]++
			}
		}
	}
	if randomlts.Whole() && (lassos < 100 || len(widths) < 4) {
		t.Errorf("%d lassos, by width %v", lassos, widths)
	}
}

// manyStates draws a property of so many states, most letters of which go on to the next one.
func manyStates(t *testing.T, r *rand.Rand, a *lts.Alphabet, states int) *property.Property {
	t.Helper()
	columns := 1 + r.IntN(3)
	x := property.Automaton{Columns: columns, Letters: make([]uint16, a.Len()), Stop: make([]bool, states)}
	for l := range x.Letters {
		x.Letters[l] = uint16(r.IntN(columns))
	}
	for q := range states {
		x.Stop[q] = r.IntN(4) > 0
		for range columns {
			next := (q + r.IntN(2)) % states
			if r.IntN(3) == 0 {
				next = r.IntN(states)
			}
			var marks property.Marks
			for c := range 3 {
				if r.IntN(3) == 0 {
					marks |= property.Mark(c)
				}
			}
			x.Next, x.Marks = append(x.Next, property.Q(next)), append(x.Marks, marks)
		}
	}
	x.Acceptance = []property.Acceptance{
		property.Inf(0),
		property.Fin(0),
		property.All(property.Inf(0), property.Inf(1)),
		property.Any(property.Fin(0), property.Inf(1)),
		property.All(property.Any(property.Fin(0), property.Inf(1)), property.Fin(2)),
	}[r.IntN(5)]
	p, err := property.Table(a, x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
