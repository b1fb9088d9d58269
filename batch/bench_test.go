package batch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// manyModels writes models, and returns a manifest with a job for each.
func manyModels(b *testing.B, n int, spec func(i int) generate.Spec) *Manifest {
	b.Helper()
	folder := b.TempDir()
	m := &Manifest{File: "many"}
	for i := range n {
		s := spec(i)
		name := fmt.Sprintf("m%d.aut", i)
		path := filepath.Join(folder, name)
		f, err := os.Create(path)
		if err == nil {
			err = generate.Write(context.Background(), f, s)
		}
		if err == nil {
			err = f.Close()
		}
		var formula string
		if err == nil {
			formula, err = s.Formula()
		}
		if err != nil {
			b.Fatal(err)
		}
		m.Jobs = append(m.Jobs, Job{Name: name, Model: name, Path: path, Formula: formula})
	}
	return m
}

func runMany(b *testing.B, m *Manifest, s Settings) {
	b.Helper()
	top := b.TempDir()
	b.ResetTimer()
	for i := range b.N {
		s.Folder = filepath.Join(top, fmt.Sprint(i))
		out, err := Run(context.Background(), m, s)
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range out.Results {
			if !r.Status.Answered() {
				b.Fatal(r.Error)
			}
		}
	}
	b.ReportMetric(float64(b.N*len(m.Jobs))/b.Elapsed().Seconds(), "jobs/s")
}

// BenchmarkSmall: models of some dozen transitions; the target is 1,000 a second and
// core.
func BenchmarkSmall(b *testing.B) {
	m := manyModels(b, 2000, func(i int) generate.Spec {
		return generate.Spec{Kind: "scc", States: 20, Degree: 3, Labels: 5, Locality: 10, Seed: uint64(i)}
	})
	for _, wanted := range [][]string{nil, {"explanation"}} {
		for _, parallel := range []int{1, 2} {
			b.Run(fmt.Sprintf("wanted=%d/parallel=%d", len(wanted), parallel), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(parallel))
				runMany(b, m, Settings{Parallel: parallel, Wanted: wanted})
			})
		}
	}
}

// BenchmarkMedium: 100 models of 300,000 transitions; the target is 1.8 times as fast
// on two cores.
func BenchmarkMedium(b *testing.B) {
	m := manyModels(b, 100, func(i int) generate.Spec {
		return generate.Spec{Kind: "scc", States: 100_000, Degree: 3, Labels: 20, Locality: 100, Seed: uint64(i)}
	})
	for _, parallel := range []int{1, 2} {
		b.Run(fmt.Sprintf("parallel=%d", parallel), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(parallel))
			runMany(b, m, Settings{Parallel: parallel})
		})
	}
}
