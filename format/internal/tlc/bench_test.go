package tlc_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/format/internal/tlc"
)

// BenchmarkRead reads a graph of 250,000 states and a million steps, with and without values.
func BenchmarkRead(b *testing.B) {
	text := graphOf(250_000)
	for _, values := range []bool{false, true} {
		b.Run(fmt.Sprintf("values=%t", values), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for range b.N {
				if _, _, err := tlc.Read(context.Background(), bytes.NewReader(text), tlc.Options{States: values}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// graphOf returns a graph as TLC writes it, four steps a state.
func graphOf(states int) []byte {
	fp := func(i int) int64 { return int64(uint64(i+1) * 0x9e3779b97f4a7c15) }
	var b bytes.Buffer
	b.WriteString("strict digraph DiskGraph {\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n")
	text := func(i int) string { return fmt.Sprintf(`/\\ big = %d\n/\\ small = %d`, i%5, i%3) }
	fmt.Fprintf(&b, "%d [label=\"%s\",style = filled]\n", fp(0), text(0))
	declared := make([]bool, states)
	declared[0] = true
	for i := range states {
		for k, action := range []string{"Fill", "Empty", "Pour(1)", "Pour(2)"} {
			to := (i + 17*k*k + 1) % states
			fmt.Fprintf(&b, "%d -> %d [label=\"%s\",color=\"black\",fontcolor=\"black\"];\n", fp(i), fp(to), action)
			if !declared[to] {
				declared[to] = true
				fmt.Fprintf(&b, "%d [label=\"%s\",tooltip=\"%s\"];\n", fp(to), text(to), text(to))
			}
		}
	}
	fmt.Fprintf(&b, "{rank = same; %d;}\n}\n}\n", fp(0))
	return b.Bytes()
}
