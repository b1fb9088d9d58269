package enrich_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// random returns a system of which each state has three transitions, over 50
// labels: to any state, or to one not far away.
func random(b *testing.B, states int, near bool) *lts.LTS {
	r := rand.New(rand.NewPCG(1, 2))
	var builder lts.Builder
	labels := make([]lts.Label, 50)
	for i := range labels {
		labels[i] = builder.Label(fmt.Sprintf("ACTION_%d", i))
	}
	for s := range states {
		for range 3 {
			to := r.IntN(states)
			if near {
				to = min(max(0, s+r.IntN(100)-30), states-1)
			}
			builder.Add(lts.State(s), labels[r.IntN(len(labels))], lts.State(to))
		}
	}
	m, err := builder.Build(0, states)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

func BenchmarkComponents(b *testing.B) {
	for _, near := range []bool{false, true} {
		m := random(b, 100_000, near)
		for _, engine := range []scc.Engine{"gonum", "iterative"} {
			b.Run(fmt.Sprintf("near=%v/%v", near, engine), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if _, err := scc.Find(context.Background(), m, engine); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkEnrich(b *testing.B) {
	f, err := actl.Parse(context.Background(), "Inev(ACTION_1, ACTION_2)")
	if err != nil {
		b.Fatal(err)
	}
	for _, near := range []bool{false, true} {
		m := random(b, 100_000, near)
		m.Predecessors()
		bound, _, _ := f.Bind(context.Background(), m.Alphabet())
		p, _ := bound.Chain()
		c, err := scc.Find(context.Background(), m, "iterative")
		if err != nil {
			b.Fatal(err)
		}
		for _, queue := range []enrich.Queue{"heap", "buckets"} {
			b.Run(fmt.Sprintf("near=%v/%v", near, queue), func(b *testing.B) {
				b.ReportAllocs()
				for range b.N {
					if _, err := enrich.Enrich(context.Background(), c, p, enrich.Options{Queue: queue}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
