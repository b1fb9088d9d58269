package explain

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
)

// TestJudgedFatesAreTaken: what was found for a verdict is not computed again, and is not taken for another question.
func TestJudgedFatesAreTaken(t *testing.T) {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0,4,3)\n(0,A,1)\n(1,B,0)\n(1,C,2)\n(2,C,2)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Inev(C)", "Response(A; C)"} {
		f, err := actl.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		other, err := actl.Parse(ctx, "Response(A; B)")
		if err != nil {
			t.Fatal(err)
		}
		strong, err := actl.ParseAssumption(ctx, "strong")
		if err != nil {
			t.Fatal(err)
		}
		for _, fair := range [][]*actl.Assumption{nil, {strong}} {
			o := Options{}
			if _, err := o.IsViolated(ctx, m, f, fair); err != nil {
				t.Fatal(err)
			}
			of := o.judged.Fates
			if e, err := Explain(ctx, m, other, Options{Fair: fair, judged: o.judged}); err != nil || e.Classification().Fates() == of {
				t.Errorf("%s under %v: %v; taken for %s", text, fair, err, other)
			}
			if e, err := Explain(ctx, m, f, o); err != nil || (e.Classification().Fates() == of) != (fair == nil) {
				t.Errorf("%s under %v: %v; taken for all runs", text, fair, err)
			}
			o.Fair = fair
			if e, err := Explain(ctx, m, f, o); err != nil || e.Classification().Fates() != of {
				t.Errorf("%s under %v: %v; computed again", text, fair, err)
			}
		}
	}
}
