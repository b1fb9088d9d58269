package liveness_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/formula/liveness"
)

// TestInvariantsAreToldFirst: of several violated properties an invariant is answered, and of several that
// hold one that is not about safety; the sentence names it unless it is the first.
func TestInvariantsAreToldFirst(t *testing.T) {
	for properties, want := range map[string]string{
		"Again Low":  "both parts of what is asked are violated: Again, Low; this is about Low",
		"Low Again":  "both parts of what is asked are violated: Low, Again; this is about the first of them",
		"High Begun": "both parts of what is asked hold; this is about Begun",
		"Begun High": "both parts of what is asked hold; this is about the first",
		"Begun Low":  "of 2 parts of what is asked, 1 is violated: Low",
	} {
		folder := t.TempDir()
		write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nSpec == x = 0 /\\ [][x' = 1 - x]_x\n"+
			"Again == []<>(x = 1)\nLow == [](x < 1)\nHigh == [](x < 2)\nBegun == <>(x = 0)\n====\n")
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY "+properties+"\n")
		write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 0}: true}, initial: []int{0}}).dot())
		g, instances, err := graphOf(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		chosen, err := g.First(t.Context(), instances, func(ctx context.Context, q liveness.Question) (bool, error) {
			return (&explain.Options{}).IsViolated(ctx, q.Model, q.Formula, q.Fair)
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if chosen.Others != want {
			t.Errorf("%s: %s, want %s", properties, chosen.Others, want)
		}
	}
}
