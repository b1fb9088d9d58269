package faults

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// drawn returns a property of so many states, that means nothing.
func drawn(t *testing.T, r *rand.Rand, a *lts.Alphabet, states int) *property.Property {
	t.Helper()
	p, err := fromproperty.Random(r, a, states, 2, func(r *rand.Rand, colours int) property.Acceptance {
		switch {
		case colours == 1:
			return property.Inf(0)
		case r.IntN(2) == 0:
			return property.All(property.Inf(0), property.Inf(1))
		default:
			return property.Any(property.Inf(0), property.Inf(1))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func chainOf(t *testing.T, c randomlts.Case) *property.Property {
	t.Helper()
	f, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), c.Model.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFaultsInWordsAreThoseInTheProduct compares both searches, for properties of all widths of words
// and for chains.
func TestFaultsInWordsAreThoseInTheProduct(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for seed := range randomlts.Share(8_000) {
		r := rand.New(rand.NewPCG(seed, 71))
		size := randomlts.Small()
		if seed%2 == 0 {
			size = randomlts.Medium()
		}
		c := randomlts.Seeded(seed, size)
		m := c.Model
		p := drawn(t, r, m.Alphabet(), []int{1, 2, 3, 8, 9, 17, 40, 64}[r.IntN(8)])
		if r.IntN(4) == 0 {
			p = chainOf(t, c)
		}
		faulty := make([]bool, m.Alphabet().Len())
		for l := range faulty {
			faulty[l] = r.IntN(3) == 0
		}
		isFault := func(l lts.Label) bool { return faulty[l] }
		components, err := scc.Find(ctx, m, "iterative")
		if err != nil {
			t.Fatal(err)
		}
		fates, err := fate.Compute(ctx, components, p, enrich.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if fates.Holds() {
			continue
		}
		got, err := inWords(ctx, fates, isFault)
		if err != nil {
			t.Fatal(err)
		}
		want, err := inProduct(ctx, fates, isFault)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case got == nil:
			met["not in words"]++
			continue
		case got.Finite != want.Finite || got.Least != want.Least:
			t.Fatalf("seed %d: %+v, in the product %+v", seed, got, want)
		case lostSooner(got) != lostSooner(want) || lostSooner(got) && got.Lost != want.Lost:
			t.Fatalf("seed %d: lost %+v, in the product %+v", seed, got, want)
		case lostSooner(got):
			met["lost sooner"]++
		case !got.Finite:
			met["forever"]++
		case got.Least > 0:
			met["some"]++
		default:
			met["none"]++
		}
	}
	for _, kind := range []string{"lost sooner", "forever", "some", "none"} {
		if met[kind] < int(randomlts.Share(8_000))/400 {
			t.Errorf("met %v", met)
		}
	}
}

// lostSooner reports whether the property is lost with fewer faults than a violation takes: only then
// does Lost matter.
func lostSooner(f *Faults) bool { return f.Loses && (!f.Finite || f.Lost < f.Least) }
