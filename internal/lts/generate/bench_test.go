package generate_test

import (
	"context"
	"io"
	"testing"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// large are models of about a million transitions each, with the text of which
// writing them is measured.
func large() []generate.Spec {
	const million = 1_000_000
	return []generate.Spec{
		{Kind: "random", States: million / 3},
		{Kind: "random", States: million / 3, Shuffle: true},
		{Kind: "random", States: million / 3, Labels: million},
		{Kind: "layered", Width: million / 60, Height: 20},
		{Kind: "scc", States: million / 3},
		{Kind: "scc", States: million / 3, Locality: 1000},
		{Kind: "datarich", States: million / 3},
		{Kind: "chain", States: million},
		{Kind: "cycle", States: million},
		{Kind: "grid", Width: 700, Height: 700},
		{Kind: "star", States: million},
		{Kind: "complete", States: 1000},
		{Kind: "parallel", Transitions: million},
		{Kind: "stages", Width: 1000, Height: 500},
		{Kind: "philosophers", Processes: 10},
		{Kind: "peterson", Processes: 4},
		{Kind: "dijkstra", Processes: 4},
	}
}

type counter int64

func (c *counter) Write(data []byte) (int, error) {
	*c += counter(len(data))
	return len(data), nil
}

// BenchmarkWrite measures one core: nothing runs beside the writer.
func BenchmarkWrite(b *testing.B) {
	for _, s := range large() {
		name := s.Kind
		switch {
		case s.Shuffle:
			name += "-shuffled"
		case s.Locality > 0:
			name += "-local"
		case s.Labels > 0:
			name += "-labels"
		}
		b.Run(name, func(b *testing.B) {
			var bytes counter
			if err := generate.Write(context.Background(), &bytes, s); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				if err := generate.Write(context.Background(), io.Discard, s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
