package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/exampletest"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

func TestModels(t *testing.T) {
	for _, figure := range []int{1, 3, 5} {
		exampletest.CheckVariant(t, fmt.Sprintf("figure%d", figure), func() (*lts.LTS, error) { return generate(figure) })
	}
	if _, err := generate(7); err == nil {
		t.Error("there is a figure 7")
	}
}

func explained(t *testing.T, m *lts.LTS, text string) *explain.Explanation {
	t.Helper()
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// enriched returns the prefixes and suffixes of A·Y.
func enriched(t *testing.T, m *lts.LTS) *enrich.Enriched {
	t.Helper()
	ctx := context.Background()
	f, err := formula.Parse(ctx, "Inev(A, Y)")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(ctx, m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	c, err := scc.Find(ctx, m, "")
	if err != nil {
		t.Fatal(err)
	}
	chain, _ := p.Chain()
	e, err := enrich.Enrich(ctx, c, chain, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// kinds returns the kinds of the neighbourhoods.
func kinds(e *explain.Explanation) map[lts.State]string {
	all := map[lts.State]string{}
	for n := range e.Neighbourhoods().All() {
		all[n.State] = n.Kind.String()
	}
	return all
}

// TestFiguresOfThePaper: prefixes and suffixes, components, neighbourhoods and what is kept are
// those that the text of the paper gives for its figures.
func TestFiguresOfThePaper(t *testing.T) {
	m, err := generate(1)
	if err != nil {
		t.Fatal(err)
	}
	e := explained(t, m, "Inev(A, Y)")
	r := enriched(t, m)
	if r.MP(8) != 1 || r.CP(8) != 1 || r.MS(8) != 2 || r.CS(8) != 0 {
		t.Errorf("Figure 1: state 8 has mp %d, cp %d, ms %d, cs %d", r.MP(8), r.CP(8), r.MS(8), r.CS(8))
	}
	c, _ := r.Components().Of(8)
	loop := slices.Sorted(slices.Values(r.Components().States(c)))
	if !slices.Equal(loop, []lts.State{4, 5, 6, 8, 9, 12}) {
		t.Errorf("Figure 1: the loop is %v", loop)
	}
	without := enriched(t, withoutTransition(t, m, 9, "C"))
	if without.MS(8) != 0 {
		t.Errorf("Figure 1: without 9 -C-> 10 state 8 has ms %d", without.MS(8))
	}
	if got, want := kinds(e), map[lts.State]string{9: "correct", 1: "incorrect", 6: "incorrect", 8: "incorrect"}; !maps.Equal(got, want) {
		t.Errorf("Figure 4: %v, want %v", got, want)
	}

	if m, err = generate(3); err != nil {
		t.Fatal(err)
	}
	if got, want := kinds(explained(t, m, "Inev(A)")), map[lts.State]string{1: "correct", 2: "incorrect", 3: "mixed", 4: "mixed-neutral"}; !maps.Equal(got, want) {
		t.Errorf("Figure 3: %v, want %v", got, want)
	}

	if m, err = generate(5); err != nil {
		t.Fatal(err)
	}
	e = explained(t, m, "Inev(GOAL)")
	var kept []string
	for _, i := range e.Abstracted.Steps {
		kept = append(kept, e.Counterexample.Steps[i].Label)
	}
	if !slices.Equal(kept, []string{"B", "C", "E", "F"}) {
		t.Errorf("Figure 5: %v are kept", kept)
	}

	// Figure 8: the paper numbers the last of them 23.
	file, err := os.Open("../abp/abp.aut")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if m, _, err = aut.Read(context.Background(), file, aut.Options{}); err != nil {
		t.Fatal(err)
	}
	got := kinds(explained(t, m, "Inev(PUT)"))
	if !slices.Equal(slices.Sorted(maps.Keys(got)), []lts.State{0, 2, 5, 12, 13, 21}) {
		t.Errorf("Figure 8: %v", got)
	}
	for s, kind := range got {
		if kind != "correct" {
			t.Errorf("Figure 8: state %d is %s", s, kind)
		}
	}
}

// withoutTransition returns a model without the transitions of a state by a label.
func withoutTransition(t *testing.T, m *lts.LTS, from lts.State, label string) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for s := range lts.State(m.NumStates()) {
		labels, targets := m.Out(s)
		for i, to := range targets {
			if text := m.Alphabet().Text(labels.At(i)); s != from || text != label {
				b.Add(s, b.Label(text), to)
			}
		}
	}
	without, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return without
}
