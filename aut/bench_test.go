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
func benchmarkRead(b *testing.B, data []byte, text, workers int) {
	b.SetBytes(int64(text))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		m, _, err := Read(context.Background(), bytes.NewReader(data), Options{Workers: workers})
		if err != nil || m.NumTransitions() != benchLines {
			b.Fatal(m, err)
		}
	}
	b.ReportMetric(float64(b.N)*benchLines/1e6/b.Elapsed().Seconds(), "Mtransitions/s")
}

// BenchmarkRead has each kind of file read by one worker and by two. What it is
// to be compared with is BenchmarkLines, in the same run.
func BenchmarkRead(b *testing.B) {
	for _, bench := range []struct {
		name        string
		scattered   bool
		compression string
	}{
		{"ascending", false, asPlain},
		{"scattered", true, asPlain},
		{"gzip", false, asGzip},
		{"zstd", false, asZstd},
	} {
		text := generated(bench.scattered)
		data := packedText(b, string(text), bench.compression)
		for _, workers := range []int{1, 2} {
			b.Run(bench.name+"/workers="+strconv.Itoa(workers), func(b *testing.B) {
				benchmarkRead(b, data, len(text), workers)
			})
		}
	}
}

// BenchmarkLines counts lines, as wc -l does: hardly anything that reads a file
// is faster.
func BenchmarkLines(b *testing.B) {
	text := generated(false)
	b.SetBytes(int64(len(text)))
	b.ResetTimer()
	for range b.N {
		if bytes.Count(text, []byte("\n")) != benchLines+1 {
			b.Fatal("lines are missing")
		}
	}
	b.ReportMetric(float64(b.N)*benchLines/1e6/b.Elapsed().Seconds(), "Mtransitions/s")
}

func BenchmarkCompress(b *testing.B) {
	text := generated(false)
	for name, c := range map[string]string{"gzip": asGzip, "zstd": asZstd} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				w, err := Compress(io.Discard, c)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := w.Write(text); err != nil {
					b.Fatal(err)
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkParseTransition(b *testing.B) {
	line := []byte(`(1048576, "LABEL17 !1", 3145728)`)
	b.SetBytes(int64(len(line)))
	for range b.N {
		if _, ok := parseTransition(line); !ok {
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
