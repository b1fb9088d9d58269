package compare_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/lts"
)

func large(b *testing.B) *lts.LTS {
	b.Helper()
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "scc", States: 250_000, Degree: 4, Locality: 1000, Labels: 1000})
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkModels compares a model of a million transitions with itself; BenchmarkQuotient is
// the measure.
func BenchmarkModels(b *testing.B) {
	m := large(b)
	b.ReportAllocs()
	for range b.N {
		if _, err := compare.Models(context.Background(), m, m, compare.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkQuotient(b *testing.B) {
	m := large(b)
	b.ReportAllocs()
	for range b.N {
		if _, err := quotient.New(context.Background(), m, func(lts.Label) bool { return false }); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEdited compares a model of a million transitions with a version that has one label more, as
// is done with a property.
func BenchmarkEdited(b *testing.B) {
	m := large(b)
	var builder lts.Builder
	n := 0
	for t := range m.Transitions() {
		text := m.Alphabet().Text(t.Label)
		if n++; n == 500_000 {
			text = "NEW"
		}
		builder.Add(t.From, builder.Label(text), t.To)
	}
	edited, err := builder.Build(m.Initial(), m.NumStates())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compare.Models(context.Background(), m, edited, compare.Options{NoStrange: true}); err != nil {
			b.Fatal(err)
		}
	}
}
