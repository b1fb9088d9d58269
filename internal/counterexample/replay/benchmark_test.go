package replay_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/lts"
)

// BenchmarkReplay aligns 100,000 events with a model of 10,000 transitions: a log that fits, and one
// with a deviation each 100 events.
func BenchmarkReplay(b *testing.B) {
	const states, transitions, labels, events = 3000, 10_000, 40, 100_000
	r := rand.New(rand.NewPCG(1, 2))
	var m lts.Builder
	out := make([][]string, states)
	to := make([][]lts.State, states)
	add := func(s, t int) {
		label := fmt.Sprint("A", r.IntN(labels))
		for _, l := range out[s] {
			if l == label {
				return
			}
		}
		m.Add(lts.State(s), m.Label(label), lts.State(t))
		out[s], to[s] = append(out[s], label), append(to[s], lts.State(t))
	}
	for s := range states {
		add(s, (s+1)%states)
	}
	for m.NumTransitions() < transitions {
		add(r.IntN(states), r.IntN(states))
	}
	model, err := m.Build(0, states)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		each int
	}{{"fits", events + 1}, {"deviates", 100}, {"deviates often", 10}} {
		var log []string
		for s, i := lts.State(0), 1; len(log) < events; i++ {
			k := r.IntN(len(out[s]))
			if i%c.each > 0 {
				log = append(log, out[s][k])
			}
			s = to[s][k]
		}
		l := gathered(b, log)
		a, err := replay.New(context.Background(), model, replay.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := a.Replay(context.Background(), l, -1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
