package view

import (
	"testing"

	"github.com/inev-lts/inev/explain"
)

// TestTheSlowestRunIsDrawn: of a property that holds, the slowest run is drawn with the numbers
// of its steps, and what would have been faster as the better choices.
func TestTheSlowestRunIsDrawn(t *testing.T) {
	e := explained(t, model(t, 5, edge{0, "go", 1}, edge{1, "wait", 2}, edge{1, "DONE", 4}, edge{2, "wait", 3}, edge{3, "DONE", 4}), "", "Inev(DONE)")
	if e.Verdict != explain.Satisfied || e.Reasons.Slowest.Length != 4 {
		t.Fatal(e.Reasons)
	}
	p := view(t, e, Options{Kind: Excerpt})
	steps := 0
	for _, a := range p.Arrows {
		steps += len(a.Steps)
		if faster := a.From == 1 && a.To == 4; a.Better != faster {
			t.Errorf("%d to %d is a better choice: %t", a.From, a.To, a.Better)
		}
		if a.OnRun != (len(a.Steps) > 0) {
			t.Errorf("%d to %d is on the run: %t", a.From, a.To, a.OnRun)
		}
	}
	if steps != 4 {
		t.Errorf("%d steps are drawn", steps)
	}
	if c := captionOf(e, Options{}); !c.Slowest || c.Verdict != "satisfied: the slowest run has 4 transitions" || c.Run() != "the slowest run" {
		t.Errorf("%+v", c)
	}
}
