package explain

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
)

// TestAwaitedActionIsNotForbidden: advice forbids what is awaited only if there is no other way that keeps
// enough of the model, or if the caller may forbid it.
func TestAwaitedActionIsNotForbidden(t *testing.T) {
	ctx := context.Background()
	onlyWay := []string{"0 y 6", "6 REQ 1", "1 ACK 2", "1 nak 3", "2 REQ 4", "3 ACK 0"}
	choice := append([]string{"0 x 5", "5 REQ 3"}, onlyWay...)
	large := append([]string{"3 ACK 7", "7 z 8", "8 z 9", "9 z 10", "10 z 11", "11 z 6"}, onlyWay...)
	awaited, err := actl.Parse(ctx, "Inev(ACK)")
	if err != nil {
		t.Fatal(err)
	}
	ack := awaited.Steps()
	for _, c := range []struct {
		transitions  []string
		text         string
		controllable []actl.Pattern
		want         string // what is forbidden
	}{
		{choice, "Response(REQ; ACK)", nil, "y 0"},
		{choice, "G (REQ -> F ACK)", nil, "y 0"},
		{choice, "Response(REQ; ACK)", ack, "ACK 1"},
		{onlyWay, "Response(REQ; ACK)", nil, "ACK 1"},
		{append([]string{"0 x 12", "12 x 12"}, large...), "Response(REQ; ACK)", nil, "ACK 1"},
	} {
		f, err := formula.Parse(ctx, c.text)
		if err != nil {
			t.Fatal(err)
		}
		m := modelOfSteps(t, c.transitions...)
		r, err := FindRepair(ctx, m, f, RepairOptions{Controllable: c.controllable})
		if err != nil {
			t.Fatal(err)
		}
		if got := forbiddenBy(r.Repair); got != c.want {
			t.Errorf("%s of %v: repair forbids %s, want %s", c.text, c.transitions, got, c.want)
		}
		if c.controllable != nil {
			continue
		}
		e, err := Explain(ctx, m, f, Options{NoFairness: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := forbiddenBy(e.Repair); got != c.want {
			t.Errorf("%s of %v: forbidden is %s, want %s", c.text, c.transitions, got, c.want)
		}
		for _, cut := range e.Repair.Cut.Transitions {
			if cut.Label == "ACK" && c.want == "y 0" {
				t.Errorf("%s of %v: the cut has %v", c.text, c.transitions, cut)
			}
		}
	}
}
