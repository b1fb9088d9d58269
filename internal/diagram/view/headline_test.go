package view

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

// TestPictureHasHeadline: on random models, the states of the steps that the headline is about, and
// the first state of the way that it names, are in the picture that is drawn by default.
func TestPictureHasHeadline(t *testing.T) {
	checked := 0
	for seed := range uint64(randomlts.Share(1_000)) {
		size := randomlts.Medium()
		if seed%4 == 0 {
			size = randomlts.Size{States: 300, Transitions: 360, Labels: 6, Steps: 3}
		}
		c := randomlts.Seeded(seed, size)
		if c.Model.NumTransitions() == 0 {
			continue
		}
		e := specimens.Asked(t, c.Model, c.Formula, explain.Options{NoAdvice: true})
		if e.Counterexample == nil || e.Diagnosis == nil {
			continue
		}
		for _, kind := range []Kind{Auto, Excerpt} {
			g, err := Of(context.Background(), e, Options{Kind: kind})
			if err != nil {
				t.Fatal(err)
			}
			if kind == Auto && slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.Merged > 1 || n.End != NoEnd }) {
				continue // its nodes are classes
			}
			for _, state := range headlineStates(e) {
				checked++
				if !slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.State == state }) {
					t.Errorf("seed %d, %v: state %d of the headline is not in the picture: %s", seed, kind, state, e.Diagnosis.Kind)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d states were checked", checked)
	}
}

// headlineStates are the states of the steps that the diagnosis names, and where its way begins.
func headlineStates(e *explain.Explanation) (states []lts.State) {
	d := e.Diagnosis
	for _, i := range d.Steps {
		if int(i) < len(e.Counterexample.Steps) {
			s := e.Counterexample.Steps[i]
			states = append(states, s.From, s.To)
		}
	}
	if d.Instead != nil {
		states = append(states, e.Counterexample.Steps[*d.Instead].From)
	}
	return states
}
