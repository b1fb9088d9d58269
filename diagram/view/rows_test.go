package view

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
)

// TestRows: every step is in one row, and a row of several steps is what its kind says, as
// long as it can be.
func TestRows(t *testing.T) {
	hide, err := actl.Parse(context.Background(), "Inev(tau)")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 120).Draw(rt, "steps")
		c := &explain.Counterexample{LoopStart: explain.LoopStart(rapid.IntRange(-1, n-1).Draw(rt, "loop"))}
		eventful := map[int]bool{}
		for range n {
			c.Steps = append(c.Steps, explain.Step{Label: rapid.SampledFrom([]string{"A", "A", "tau"}).Draw(rt, "label")})
			eventful[len(c.Steps)] = rapid.IntRange(0, 20).Draw(rt, "eventful") == 0
		}
		o := RowOptions{Full: rapid.Bool().Draw(rt, "full"), Eventful: func(i int) bool { return eventful[i] }}
		if rapid.Bool().Draw(rt, "hide") {
			o.Hide = hide.Steps()
		}
		rows := Rows(c, o)
		at := 0
		for k, r := range rows {
			if r.First != at || r.Len() < 1 || r.Kind == OneStep && r.Len() > 1 {
				rt.Fatalf("after %d steps comes %+v", at, r)
			}
			at = r.End
			for i := r.First; i < r.End; i++ {
				fits := r.Kind == OneStep || !eventful[i] && (i == r.First || i != int(c.LoopStart))
				switch r.Kind {
				case Folded:
					fits = fits && c.Steps[i].Label == c.Steps[r.First].Label && r.Len() >= FoldFrom && !o.Full
				case Hidden:
					fits = fits && c.Steps[i].Label == "tau" && o.Hide != nil
				case LeftOut:
					fits = fits && !o.Full && k > 0 && k < len(rows)-1
				}
				if !fits {
					rt.Fatalf("step %d, %s, is in %+v", i, c.Steps[i].Label, r)
				}
			}
		}
		if at != n || len(rows) > elideFrom && !o.Full && !slices.ContainsFunc(rows, func(r Row) bool { return r.Kind == LeftOut || eventful[r.First] }) {
			rt.Fatalf("%d rows of %d steps: %+v", len(rows), n, rows)
		}
	})
}
