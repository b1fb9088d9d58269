package render_test

import (
	"context"
	"strings"
	"testing"
	"unicode"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestNoControlCharacters: lines are broken at blanks, those within a label last, and no trace of that is left in
// the text.
func TestNoControlCharacters(t *testing.T) {
	ctx := context.Background()
	hidden, err := actl.Parse(ctx, `Inev("B !1")`)
	if err != nil {
		t.Fatal(err)
	}
	met := map[explain.Verdict]int{}
	for seed := range randomlts.Share(2_000) {
		drawn := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 8, Labels: 3, Steps: 1}).Model
		var b lts.Builder
		for tr := range drawn.Transitions() {
			b.Add(tr.From, b.Label(drawn.Alphabet().Text(tr.Label)+" !1"), tr.To)
		}
		m, err := b.Build(drawn.Initial(), drawn.NumStates())
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{`Inev("A !1")`, `Inev("A !1", {"A !1", "B !1"})`, `G F "A !1"`, `Response("A !1"; "B !1")`} {
			f, err := formula.Parse(ctx, text)
			if err != nil {
				t.Fatal(err)
			}
			e, err := explain.Explain(ctx, m, f, explain.Options{})
			if err != nil {
				t.Fatal(err)
			}
			met[e.Verdict]++
			for _, o := range []render.Options{{}, {Full: true}, {Hide: hidden.Steps()}} {
				var said strings.Builder
				w, err := render.New("text", o)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.Explanation(&said, e); err != nil {
					t.Fatal(err)
				}
				if i := strings.IndexFunc(said.String(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' }); i >= 0 {
					t.Fatalf("seed %d: %s: %q", seed, text, said.String()[max(0, i-60):min(said.Len(), i+20)])
				}
			}
		}
	}
	if met[explain.Satisfied] < 10 || met[explain.Violated] < 10 {
		t.Errorf("met %v", met)
	}
}
