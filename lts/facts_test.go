package lts_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/lts"
)

// TestManyFacts: labels tell up to 64 facts about the states that they lead to, whatever combinations of them occur.
func TestManyFacts(t *testing.T) {
	ctx := context.Background()
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 64))
		n := 1 + r.IntN(300)
		facts := make([]lts.Facts, n)
		var b lts.Builder
		for s := range n {
			facts[s] = lts.Facts(r.Uint64() >> r.IntN(64))
			if s > 0 && r.IntN(3) == 0 {
				facts[s] = facts[r.IntN(s)]
			}
			for range 1 + r.IntN(3) {
				b.Add(lts.State(s), b.Label(string(rune('a'+r.IntN(2)))), lts.State(r.IntN(n)))
			}
		}
		m, err := b.Build(0, n)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for i := range lts.MostFacts {
			names = append(names, fmt.Sprint("fact ", i))
		}
		refined, err := m.Refined(ctx, names, func(s lts.State) lts.Facts { return facts[s] }, false)
		if err != nil {
			t.Fatal(err)
		}
		for s := range lts.State(n) {
			before, _ := m.Out(s)
			labels, targets := refined.Out(s)
			for i, to := range targets {
				l := labels.At(i)
				if told, _ := refined.Alphabet().Facts(l); told != facts[to] || refined.Alphabet().Text(l) != m.Alphabet().Text(before.At(i)) {
					t.Fatalf("seed %d: %s from %d to %d tells %x, want %x", seed, refined.Alphabet().Text(l), s, to, told, facts[to])
				}
			}
		}
	}
}
