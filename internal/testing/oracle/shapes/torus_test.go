package shapes_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
)

// torus is a square with transitions down, labelled A or B in turns, and to the right, C or D, round
// and round.
func torus(t *testing.T, side int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for x := range side {
		for y := range side {
			from, odd := lts.State(x*side+y), (x+y)%2
			b.Add(from, b.Label([]string{"A", "B"}[odd]), lts.State((x+1)%side*side+y))
			b.Add(from, b.Label([]string{"C", "D"}[odd]), lts.State(x*side+(y+1)%side))
		}
	}
	m, err := b.Build(0, side*side)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTorus counts the visits of searches on a torus, where a loop may begin at each state of two
// sides, and all loops have the same length: they come to each state once for 64 of these.
func TestTorus(t *testing.T) {
	const side = 131
	m := torus(t, side)
	for of, length := range map[string]int{"G F A -> G F B": 2 * side, "G F C -> G F D": 2 * side, "F G !A": side} {
		f, err := formula.Parse(context.Background(), of)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		r, err := counterexample.Shortest(context.Background(), m, p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Trace == nil || r.Trace.Len() != length || r.Minimal != counterexample.InModel {
			t.Errorf("%s: not %d transitions", f, length)
		}
		if most := int64(6 * (m.NumStates() + m.NumTransitions())); r.Stats.Matched > most {
			t.Errorf("%s: %d visits, at most %d were expected", f, r.Stats.Matched, most)
		} else {
			t.Logf("%s: %d visits", f, r.Stats.Matched)
		}
	}
}
