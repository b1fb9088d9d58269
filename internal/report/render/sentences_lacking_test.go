package render_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
)

// TestLackingFairnessIsTheFirstRemedy: fairness that a specification lacks is the first remedy, in words that
// can be carried out; beside it, nothing is said to be the only remedy.
func TestLackingFairnessIsTheFirstRemedy(t *testing.T) {
	m := modelOf(t, "0 REQ 1", "1 IDLE 1", "1 ACK 2", "2 IDLE 2")
	f := parseAny(t, "Response(REQ; ACK)")
	// As under the fairness of a specification, notions of fairness are not tried under an assumption.
	assumed, err := actl.ParseAssumption(context.Background(), "weak:REQ")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lacking explain.LackingFairness
		first   string
	}{
		{
			lacking: explain.LackingFairness{
				Conjuncts:     []string{"WF_v(Ack)"},
				Specification: "Spec",
			},
			first: "Add WF_v(Ack) to Spec.",
		},
		{
			lacking: explain.LackingFairness{
				Conjuncts: []string{"WF_v(Ack)", "SF_v(Req)"},
				Formula:   `Init /\ [][Next]_v`,
				PlusCal:   "fair process Ack",
			},
			first: "Add WF_v(Ack) and SF_v(Req) (in PlusCal: fair process Ack) to a SPECIFICATION that takes the place of INIT and NEXT.",
		},
		{
			lacking: explain.LackingFairness{
				Conjuncts:     []string{"WF_v(A)", "WF_v(B)", "WF_v(C)"},
				Specification: "Spec",
			},
			first: "It holds if Spec also has WF_v(A), WF_v(B) and WF_v(C).",
		},
	} {
		e, err := explain.Explain(context.Background(), m, f, explain.Options{
			Fair:    []*actl.Assumption{assumed},
			Lacking: &c.lacking,
		})
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(strings.Fields(plainText(t, e)), " ")
		_, remedies, _ := strings.Cut(said, "What would make it hold ")
		remedies = strings.TrimPrefix(remedies, "1. ")
		if !strings.HasPrefix(remedies, c.first) {
			t.Errorf("the first remedy is not %q:\n%s", c.first, said)
		}
		if strings.Contains(remedies, "Only") || strings.Contains(remedies, "does not make it true") {
			t.Errorf("beside %q nothing is the only remedy:\n%s", c.first, said)
		}
	}
}
