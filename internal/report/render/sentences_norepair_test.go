package render_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
)

// TestNoRepairNamesWhatIsKept: the reason why nothing is to be forbidden under an assumption names what the search
// kept, since forbidding that would be enough.
func TestNoRepairNamesWhatIsKept(t *testing.T) {
	const (
		leaves  = "des (0, 2, 2)\n(0, A, 0)\n(0, tau, 1)\n"
		request = "des (0, 6, 5)\n(1, Z, 1)\n(0, REQ, 1)\n(1, ACK, 0)\n(1, X, 2)\n(1, X, 3)\n(1, X, 4)\n"
		both    = "des (0, 4, 3)\n(0, Z, 0)\n(0, REQ, 1)\n(1, ACK, 0)\n(1, tau, 2)\n"
	)
	for _, c := range []struct{ model, formula, want string }{
		{leaves, "Inev(A)", "Forbidding actions other than internal ones does not make it true of the runs that count"},
		{strings.Replace(leaves, "tau", "B", 1), "Inev(A)", "Forbid B in state 0 before A is done."},
		{request, "Response(REQ; ACK)", "To make it true of the runs that count without forbidding REQ, 3 or more transitions would have to be forbidden."},
		{strings.Replace(request, "(1, Z, 1)", "(1, tau, 1)", 1), "Response(REQ; ACK)", "To make it true of the runs that count without forbidding internal actions or REQ, 3 or more transitions would have to be forbidden."},
		{strings.Replace(request, "(1, Z, 1)", "(0, Z, 0)", 1), "Response(REQ; ACK)", "Forbid X in state 1."},
		{both, "Response(REQ; ACK)", "Forbidding actions other than internal ones and REQ does not make it true of the runs that count"},
		{strings.Replace(both, "tau", "B", 1), "Response(REQ; ACK)", "Forbid B in state 1 (step 2 of this run)"},
	} {
		m, _, err := aut.Read(t.Context(), strings.NewReader(c.model), aut.Options{Name: "m.aut"})
		if err != nil {
			t.Fatal(err)
		}
		fair, err := readAssumptions("weak")
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(t.Context(), m, parseAny(t, c.formula), explain.Options{Fair: fair})
		if err != nil {
			t.Fatal(err)
		}
		var report strings.Builder
		if err := newWriter(t, "text", render.Options{Width: 10000}).Explanation(&report, e); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(report.String(), c.want) {
			t.Errorf("%s of\n%s\n%q is missing in\n%s", c.formula, c.model, c.want, report.String())
		}
	}
}
