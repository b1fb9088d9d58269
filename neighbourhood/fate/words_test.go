package fate

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// drawn returns a property of so many states, that means nothing.
func drawn(t *testing.T, r *rand.Rand, a *lts.Alphabet, states int) *property.Property {
	t.Helper()
	p, err := fromproperty.Random(r, a, states, 3, condition)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// condition draws one of any kind.
func condition(r *rand.Rand, colours int) property.Acceptance {
	switch c := r.IntN(colours); r.IntN(5) {
	case 0:
		return property.Fin(c)
	case 1:
		return property.All(condition(r, colours), property.Inf(c))
	case 2:
		return property.Any(condition(r, colours), property.Fin(c))
	case 3:
		return property.All(condition(r, colours), property.Fin(c))
	default:
		return property.Inf(c)
	}
}

// TestWordsAreTheProduct compares the fates in words of all widths with those in the product, at
// each place, for each transition and each path of two.
func TestWordsAreTheProduct(t *testing.T) {
	served := 0
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 61))
		size := randomlts.Small()
		if seed%2 == 0 {
			size = randomlts.Medium()
		}
		m := randomlts.Seeded(seed, size).Model
		p := drawn(t, r, m.Alphabet(), []int{1, 2, 3, 8, 9, 17, 40, 64}[r.IntN(8)])
		want, got := newInProduct(context.Background(), m, p, nil), newInWords(context.Background(), m, p)
		if got == nil {
			continue
		}
		served++
		compare(t, seed, m, p, got, want)
	}
	if served < int(randomlts.Share(4_000))/2 {
		t.Errorf("only %d had fates in words", served)
	}
}

func compare(t *testing.T, seed uint64, m *lts.LTS, p *property.Property, got, want productFates) {
	t.Helper()
	for s := range lts.State(m.NumStates()) {
		for q := range property.Q(p.States()) {
			possible, reached := got.outcomes(s, q)
			if wanted, is := want.outcomes(s, q); reached != is || reached && possible != wanted {
				t.Fatalf("seed %d: at %d·%d %d (%t), want %d (%t)", seed, s, q, possible, reached, wanted, is)
			}
		}
		a, b, c := got.histories(s)
		if x, y, z := want.histories(s); a != x || b != y || c != z {
			t.Fatalf("seed %d: histories of %d", seed, s)
		}
		if a == 0 {
			continue
		}
		arrived, wanted := (&Map{fates: got}).Arrivals(s), (&Map{fates: want}).Arrivals(s)
		if !slices.Equal(slices.Sorted(arrived), slices.Sorted(wanted)) {
			t.Fatalf("seed %d: %d is reached with %v, not %v", seed, s, slices.Sorted(arrived), slices.Sorted(wanted))
		}
		compareClasses(t, seed, m, s, got, want)
	}
}

func compareClasses(t *testing.T, seed uint64, m *lts.LTS, s lts.State, got, want productFates) {
	t.Helper()
	labels, targets := m.Out(s)
	for i, to := range targets {
		if class := got.class(s, labels.At(i), to); class != want.class(s, labels.At(i), to) {
			t.Fatalf("seed %d: transition %d of %d is %v", seed, i, s, class)
		}
		more, further := m.Out(to)
		for j, end := range further {
			path := []lts.Transition{{From: s, Label: labels.At(i), To: to}, {From: to, Label: more.At(j), To: end}}
			if class := got.pathClass(path); class != want.pathClass(path) {
				t.Fatalf("seed %d: path %v is %v", seed, path, class)
			}
		}
	}
}
