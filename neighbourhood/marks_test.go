package neighbourhood

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// errorer is what tests, benchmarks and draws fail by.
type errorer interface {
	Helper()
	Fatal(...any)
}

// fatesOf returns the fates of a model for a formula that is a chain.
func fatesOf(t errorer, m *lts.LTS, formula string) *fate.Map {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	fates, err := fate.Compute(context.Background(), c, bound, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return fates
}

// generated returns the fates of a random model for its own formula.
func generated(t errorer, states int) *fate.Map {
	t.Helper()
	spec := generate.Spec{Kind: "random", States: states}
	m, err := generate.LTS(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	formula, err := spec.Formula()
	if err != nil {
		t.Fatal(err)
	}
	return fatesOf(t, m, formula)
}

// Package oracle holds one goroutine against the definitions; any number must give the same.
func TestAnyNumberOfWorkers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(rt, "case")
		f := fatesOf(rt, c.Model, c.Formula)
		for _, reading := range []Reading{All, Some} {
			want, err := classify(context.Background(), f, reading, 1)
			if err != nil {
				rt.Fatal(err)
			}
			workers := rapid.IntRange(2, 2*c.Model.NumStates()).Draw(rt, "workers")
			got, err := classify(context.Background(), f, reading, workers)
			if err != nil || !reflect.DeepEqual(got, want) {
				rt.Fatalf("%d workers, reading %v: %+v, %v, and one: %+v", workers, reading, got, err, want)
			}
		}
	})
}

func TestLargeModel(t *testing.T) {
	f := generated(t, 1<<17)
	want, err := classify(context.Background(), f, All, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Classify(context.Background(), f, All); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%d neighbourhoods and %+v, %v; want %d and %+v", len(got.States()), got.Counts(), err, len(want.States()), want.Counts())
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got, err := Classify(ctx, f, All); got != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v, %v", got, err)
	}
}

func BenchmarkClassify(b *testing.B) {
	f := generated(b, 1_000_000)
	b.ReportAllocs()
	for range b.N {
		if _, err := Classify(context.Background(), f, All); err != nil {
			b.Fatal(err)
		}
	}
}
