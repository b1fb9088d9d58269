package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// longest returns the largest number of transitions that change something, from s to the end of the first
// with label A; false if there is none.
func longest(m *lts.LTS, s lts.State, onPath map[lts.State]bool) (most int, bounded bool) {
	if onPath[s] {
		return 0, false
	}
	onPath[s] = true
	defer delete(onPath, s)
	labels, targets := m.Out(s)
	for i, t := range targets {
		switch m.Alphabet().Text(labels.At(i)) {
		case "idle":
			continue
		case "A":
			most = max(most, 1)
			continue
		}
		of, is := longest(m, t, onPath)
		if !is {
			return 0, false
		}
		most = max(most, of+1)
	}
	return most, true
}

// TestBoundsApartFromIdling compares the largest number of steps that change something, until A is done, with a
// search of all paths.
func TestBoundsApartFromIdling(t *testing.T) {
	ctx := context.Background()
	told, unbounded := 0, 0
	for seed := range randomlts.Share(12_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 9, Labels: 3, Steps: 1})
		r := rand.New(rand.NewPCG(seed, 2))
		var b lts.Builder
		for t := range c.Model.Transitions() {
			b.Add(t.From, b.Label(c.Model.Alphabet().Text(t.Label)[:1]), t.To)
		}
		for s := range lts.State(c.Model.NumStates()) {
			b.Add(s, b.Label("idle"), s)
		}
		m, err := b.Build(c.Model.Initial(), c.Model.NumStates())
		if err != nil {
			t.Fatal(err)
		}
		fair, err := actl.ParseAssumption(ctx, [...]string{"weak!", "strong!"}[r.IntN(2)])
		if err != nil {
			t.Fatal(err)
		}
		inevitable := r.IntN(2) == 0
		f, err := actl.Parse(ctx, map[bool]string{true: "Inev(A)", false: "Response(B; A)"}[inevitable])
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{Idle: "idle"}, Fair: []*actl.Assumption{fair}, NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Reasons == nil || len(e.Reasons.Bounds) == 0 {
			continue
		}
		want, bounded := 0, true
		from := func(s lts.State) {
			of, is := longest(m, s, map[lts.State]bool{})
			want, bounded = max(want, of), bounded && is
		}
		if inevitable {
			from(m.Initial())
		} else {
			for step := range m.Transitions() {
				if m.Reachable().Has(step.From) && m.Alphabet().Text(step.Label) == "B" {
					from(step.To)
				}
			}
		}
		bound := e.Reasons.Bounds[0]
		if bound.ApartFrom != "idle" || (bound.Most != nil) != bounded || bounded && *bound.Most != want || (e.Reasons.Unbounded == nil) != bounded {
			most := "none"
			if bound.Most != nil {
				most = fmt.Sprint(*bound.Most)
			}
			t.Fatalf("seed %d: %s: at most %s, want %d (%t)\n%s", seed, f, most, want, bounded, randomlts.Case{Model: m, Formula: f.String()})
		}
		if bounded {
			told++
		} else {
			unbounded++
		}
	}
	t.Log(told, unbounded)
	if randomlts.Whole() && (told < 500 || unbounded < 50) {
		t.Errorf("%d bounds, %d without", told, unbounded)
	}
}
