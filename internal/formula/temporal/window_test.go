package temporal_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// ignoredColour returns an alphabet of labels that exclude each other: one for each of so many atoms, and another.
func ignoredColour(t *testing.T, count int) (*lts.Alphabet, []property.Step) {
	var b lts.Builder
	steps := make([]property.Step, count)
	for l := range count + 1 {
		label := b.Label(string(rune('a' + l)))
		b.Add(0, label, 0)
		if l < count {
			steps[l] = property.Step{Pattern: named(string(rune('a' + l))), Labels: []lts.Label{label}}
		}
	}
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m.Alphabet(), steps
}

// nexts returns X … X f.
func nexts(n int, f *temporal.Formula) *temporal.Formula {
	for range n {
		f = temporal.Next(f)
	}
	return f
}

// TestWindows: an automaton for "a, and b n positions later" has to know where an a was among the last n
// positions, or that it has happened, and nothing else: no two of these can be one state, for some
// word that follows is accepted after one of them only. One that would have too many states is
// refused, and named.
func TestWindows(t *testing.T) {
	ctx := context.Background()
	alphabet, steps := ignoredColour(t, 2)
	const a, b, other = 1, 2, 0 // atoms that hold, as bits
	for n := 1; n <= 7; n++ {
		f := temporal.Eventually(temporal.And(temporal.Atom(0), nexts(n, temporal.Atom(1))))
		p, err := temporal.Bind(ctx, alphabet, f, steps, property.KindLTL, "")
		if err != nil {
			t.Fatal(err)
		}
		if p.States() != 1<<n+1 {
			t.Errorf("%d states for n = %d", p.States(), n)
		}
		for one := range 1 << n {
			for two := range one {
				differ := 0 // the position from the left where only one has an a
				for one>>differ&1 == two>>differ&1 {
					differ++
				}
				follows := func(window int) bool {
					w := word{loop: -1}
					for i := range n {
						w.letters = append(w.letters, (window>>i&1)*a)
					}
					for range differ {
						w.letters = append(w.letters, other)
					}
					w.letters = append(w.letters, b)
					return evaluate(f, w)
				}
				if follows(one) == follows(two) {
					t.Fatalf("n = %d: nothing distinguishes %b and %b", n, one, two)
				}
			}
		}
	}
	var budget *temporal.BudgetError
	_, err := temporal.Bind(ctx, alphabet, temporal.Eventually(temporal.And(temporal.Atom(0), nexts(14, temporal.Atom(1)))), steps, property.KindLTL, "")
	if !errors.As(err, &budget) || !strings.Contains(err.Error(), "more than 10000 states for F (a && X X X X") {
		t.Error(err)
	}
}

// TestRowsOfLabels: where each label of a row stands at its own position, few states are enough.
func TestRowsOfLabels(t *testing.T) {
	for n := 2; n <= 12; n++ {
		alphabet, steps := ignoredColour(t, n)
		var row []*temporal.Formula
		for i := range n {
			row = append(row, nexts(i, temporal.Atom(i)))
		}
		p, err := temporal.Bind(context.Background(), alphabet, temporal.Eventually(temporal.And(row...)), steps, property.KindLTL, "")
		if err != nil {
			t.Fatal(err)
		}
		if p.States() != n+1 {
			t.Errorf("%d states for a row of %d", p.States(), n)
		}
	}
}
