package aut

import (
	"bytes"
	"context"
	"io"
	"strconv"
	"testing"

	"github.com/inev-lts/inev/lts"
)

// benchLines is the number of transitions of the generated files.
const benchLines = 1_000_000

// generated returns a file of benchLines transitions, three for a state, with
// 50 labels. Sources ascend, unless scattered.
func generated(scattered bool) []byte {
	const states = (benchLines + 2) / 3
	text := append([]byte("des (0, "), strconv.Itoa(benchLines)...)
	text = append(append(append(text, ", "...), strconv.Itoa(states)...), ")\n"...)
	for i := range benchLines {
		from := i / 3
		if scattered {
			from = from * 7919 % states
		}
		t := lts.Transition{From: lts.State(from), To: lts.State(i * 104729 % states)}
		text = appendTransition(text, t, "LABEL"+strconv.Itoa(i%50)+" !"+strconv.Itoa(i%2))
	}
	return text
}

// benchmarkRead reads data, which holds text bytes when decompressed.
func benchmarkRead(b *testing.B, data []byte, text int) {
	b.SetBytes(int64(text))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		m, _, err := Read(context.Background(), bytes.NewReader(data), Options{})
		if err != nil || m.NumTransitions() != benchLines {
			b.Fatal(m, err)
		}
	}
	b.ReportMetric(float64(b.N)*benchLines/1e6/b.Elapsed().Seconds(), "Mtransitions/s")
}

func BenchmarkRead(b *testing.B) {
	for _, bench := range []struct {
		name      string
		scattered bool
	}{{"ascending", false}, {"scattered", true}} {
		b.Run(bench.name, func(b *testing.B) {
			text := generated(bench.scattered)
			benchmarkRead(b, text, len(text))
		})
	}
	for _, bench := range []struct {
		name        string
		compression Compression
	}{{"gzip", Gzip}, {"zstd", Zstd}} {
		b.Run(bench.name, func(b *testing.B) {
			text := generated(false)
			var packed bytes.Buffer
			w, err := Compress(&packed, bench.compression)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := w.Write(text); err != nil {
				b.Fatal(err)
			}
			if err := w.Close(); err != nil {
				b.Fatal(err)
			}
			benchmarkRead(b, packed.Bytes(), len(text))
		})
	}
}

func BenchmarkParseTransition(b *testing.B) {
	line := []byte(`(1048576, "LABEL17 !1", 3145728)`)
	b.SetBytes(int64(len(line)))
	for range b.N {
		if _, _, _, ok := parseTransition(line); !ok {
			b.Fatal("not accepted")
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	text := generated(false)
	m, _, err := Read(context.Background(), bytes.NewReader(text), Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := Write(io.Discard, m); err != nil {
			b.Fatal(err)
		}
	}
}
