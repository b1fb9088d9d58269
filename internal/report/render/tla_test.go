package render_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

// TestFairnessInTLA: an assumption is told as a specification has it, if all transitions of its
// labels change something, as they must to count there, and if the model is of a specification.
func TestFairnessInTLA(t *testing.T) {
	for _, try := range []struct {
		variables string
		edges     []specimens.Edge
		said      bool
	}{
		{"vars", []specimens.Edge{{From: 0, Label: "Wait", To: 0}, {From: 0, Label: "Put(p1)", To: 1}}, true},
		{"", []specimens.Edge{{From: 0, Label: "Wait", To: 0}, {From: 0, Label: "Put(p1)", To: 1}}, false},
		{"vars", []specimens.Edge{{From: 0, Label: "Wait", To: 0}, {From: 0, Label: "Put(p1)", To: 1}, {From: 1, Label: "Put(p1)", To: 1}}, false},
	} {
		e := specimens.Explained(t, specimens.Model(t, 2, try.edges...), "m.dot", "Inev(Put)")
		w, err := render.New("text", render.Options{Commands: render.Commands{Assume: "--fair", Variables: try.variables}})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := w.Explanation(&b, e); err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(b.String()), " ")
		if got := strings.Contains(text, "; WF_vars(Put(p1)))."); got != try.said || !strings.Contains(text, "weak:Put(p1)") {
			t.Errorf("%v: in TLA+: %t\n%s", try, got, b.String())
		}
	}
}
