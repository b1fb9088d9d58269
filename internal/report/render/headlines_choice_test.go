package render_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
)

// TestHeadlinesNameWhatCounts: a headline names the label that counts, and says so if the loop has it where it does
// not count; of several conditions it names what comes first; and a pattern by the label that happens.
func TestHeadlinesNameWhatCounts(t *testing.T) {
	for _, c := range []struct{ model, formula, want string }{
		{"des (0,6,4)\n(0,a,1)\n(1,r,0)\n(0,c,3)\n(3,z,0)\n(0,a,2)\n(2,c,3)\n", "F (a && X c)",
			"c is possible on the loop, but the nearest one that counts is 2 steps away from the loop (state 0: a to state 2); in each round the run takes a to state 1 instead"},
		{"des (0,4,3)\n(0,r,0)\n(0,x,1)\n(1,a,2)\n(2,b,0)\n", "G F a && G F b",
			"a never happens: r happens in every round"},
		{"des (0,2,3)\n(0,go,1)\n(1,lost(goat),2)\n", "Never(lost*)", "no run satisfies it; on this one lost(goat) happens (step 2)"},
		{"des (0,2,3)\n(0,go,1)\n(1,ACK !1,2)\n", "Precedes(SEND; ACK)", "no run satisfies it; on this one ACK !1 happens (step 2) before SEND"},
	} {
		m, _, err := aut.Read(context.Background(), strings.NewReader(c.model), aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(context.Background(), m, parseAny(t, c.formula), explain.Options{NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		plain := func(text string) string { return text }
		if said := render.NewSentences(e, plain).Diagnosis(); said != c.want {
			t.Errorf("%s: %q, want %q", c.formula, said, c.want)
		}
	}
}
