package product_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// holdsOf reports whether a property accepts a run of labels, with a loop from an index on or,
// where that is negative, one that stops.
func holdsOf(p *property.Property, labels []lts.Label, loop int) bool {
	q := p.Initial()
	for _, l := range labels {
		q = p.Next(q, l)
	}
	if loop < 0 {
		return p.Stops(q)
	}
	var met property.Marks
	for round := range 2 * p.States() {
		if round == p.States() {
			met = 0
		}
		for _, l := range labels[loop:] {
			met |= p.Marks(q, l)
			q = p.Next(q, l)
		}
	}
	return p.Acceptance().Holds(met)
}

// disguised returns a chain as an automaton with several states for each of its own, in another
// order, and other colours.
func disguised(t *testing.T, r *rand.Rand, p *property.Property) *property.Property {
	t.Helper()
	of := p.Automaton()
	n, copies := of.States(), 1+r.IntN(3)
	at := r.Perm(n * copies)
	one := func(q property.Q) property.Q { return property.Q(at[int(q)*copies+r.IntN(copies)]) }
	d := property.Automaton{
		Letters: of.Letters, Columns: of.Columns, Kind: property.KindHOA, Name: "disguised", Stop: make([]bool, n*copies),
		Next: make([]property.Q, n*copies*of.Columns), Marks: make([]property.Marks, n*copies*of.Columns), Initial: one(of.Initial),
		Acceptance: property.Any(property.All(property.Inf(0), property.Fin(1)), property.All(property.Inf(1), property.Inf(2))),
	}
	never := []property.Marks{0, property.Mark(1), property.Mark(2)}[r.IntN(3)]
	for i, q := range at {
		from := property.Q(i / copies)
		d.Stop[q] = of.Stop[from]
		for letter := range of.Columns {
			k := q*of.Columns + letter
			d.Next[k], d.Marks[k] = one(of.Next[int(from)*of.Columns+letter]), never
			if of.Stop[from] {
				d.Marks[k] = []property.Marks{property.Mark(0), property.Mark(0, 2)}[r.IntN(2)]
			}
		}
	}
	table, err := property.Table(p.Alphabet(), d)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// set is a pattern for tests.
type set string

func (s set) String() string      { return string(s) }
func (s set) Matches(string) bool { return false }

// TestChainsAreRecognised: a chain in disguise is recognised, and what is recognised accepts the
// same runs as the table.
func TestChainsAreRecognised(t *testing.T) {
	a, err := lts.NewAlphabet([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	random, others := 0, 0
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		var p *property.Property
		steps := 0
		if seed%2 == 0 {
			var patterns []property.Step
			order := make([]uint32, 1+r.IntN(4))
			for i := range order {
				var labels []lts.Label
				for bits, l := 1+r.IntN(7), lts.Label(0); l < 3; l++ {
					if bits>>l&1 != 0 {
						labels = append(labels, l)
					}
				}
				patterns, order[i] = append(patterns, property.Step{Pattern: set("s"), Labels: labels}), uint32(i)
			}
			chain, err := property.Inev(ctx, a, patterns, order)
			if err != nil {
				t.Fatal(err)
			}
			steps, p = len(order), disguised(t, r, chain)
		} else {
			p = drawn(t, r, a)
		}
		got, err := product.AsChain(ctx, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		chain, is := got.Chain()
		switch {
		case steps > 0 && (!is || chain.Len() != steps || got.String() != "disguised" || got.Kind() != property.KindHOA):
			t.Fatalf("seed %d: a chain of %d steps is taken for %v of kind %s", seed, steps, got, got.Kind())
		case !is && got != p:
			t.Fatalf("seed %d: another table", seed)
		case is && steps == 0:
			random++
		case !is:
			others++
		}
		for range 60 {
			labels := make([]lts.Label, 1+r.IntN(7))
			for i := range labels {
				labels[i] = lts.Label(r.IntN(3))
			}
			if loop := r.IntN(len(labels)+1) - 1; holdsOf(got, labels, loop) != holdsOf(p, labels, loop) {
				t.Fatalf("seed %d: %v, loop %d: %v of the chain", seed, labels, loop, holdsOf(got, labels, loop))
			}
		}
	}
	if randomlts.Whole() && (random < 10 || others < 1_000) {
		t.Errorf("%d random tables are chains, and %d are none", random, others)
	}
}

// drawn returns a random table with few states, some of which a run never leaves.
func drawn(t *testing.T, r *rand.Rand, a *lts.Alphabet) *property.Property {
	t.Helper()
	n := 1 + r.IntN(3)
	d := property.Automaton{Letters: []uint16{0, 1, 2}, Columns: 3, Name: "drawn", Stop: make([]bool, n)}
	d.Acceptance = []property.Acceptance{property.Inf(0), property.Fin(1), property.Any(property.Inf(0), property.Fin(1))}[r.IntN(3)]
	for q := range n {
		last := q == n-1
		d.Stop[q] = last != (r.IntN(6) == 0)
		for range 3 {
			to, marks := min(n-1, q+r.IntN(2)), property.Mark(1)
			if last || r.IntN(8) == 0 {
				marks = property.Mark(0)
			}
			if r.IntN(8) == 0 {
				to = r.IntN(n)
			}
			d.Next, d.Marks = append(d.Next, property.Q(to)), append(d.Marks, marks)
		}
	}
	p, err := property.Table(a, d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
