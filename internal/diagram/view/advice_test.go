package view

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// TestAdviceIsMarked: a picture of the whole model has exactly what must never be taken, and
// no arrow stands for what must and what must not be.
func TestAdviceIsMarked(t *testing.T) {
	m := specimens.Real(t, "travel.aut")
	if m == nil {
		t.Skip("the examples are not there")
	}
	for formula, never := range map[string]int{"Inev(BOOKING_REC, TICKET_REC)": 23, "Inev(REQUEST_EM)": 0} {
		e := specimens.Explained(t, m, "travel.aut", formula)
		want := map[lts.Transition]bool{}
		if e.Repair != nil {
			for _, f := range e.Repair.Never {
				l, _ := m.Alphabet().Lookup(f.Label)
				want[lts.Transition{From: lts.State(f.From), Label: l, To: lts.State(f.To)}] = true
			}
		}
		if len(want) != never {
			t.Errorf("%s: %d transitions must never be taken, want %d", formula, len(want), never)
		}
		for _, advised := range []bool{true, false} {
			g, err := Of(context.Background(), e, Options{Kind: Whole, Full: true, Advice: advised})
			if err != nil {
				t.Fatal(err)
			}
			found := 0
			for _, a := range g.Arrows {
				for _, l := range a.Labels {
					label, _ := m.Alphabet().Lookup(l.Text)
					if is := want[lts.Transition{From: a.From, Label: label, To: a.To}] && advised; is != (a.Never != "") {
						t.Errorf("%s: %s from %d to %d: %q", formula, l.Text, a.From, a.To, a.Never)
					} else if is {
						found++
					}
				}
			}
			if advised && found != never {
				t.Errorf("%s: %d marked, want %d", formula, found, never)
			}
		}
	}
}

// TestAdviceSaysWhen: what may be taken with another history is not just forbidden.
func TestAdviceSaysWhen(t *testing.T) {
	e := &explain.Explanation{Property: explain.Property{Steps: make([]explain.PropertyStep, 3)}}
	for want, f := range map[string]explain.Forbidden{
		"forbid":                     {Progress: []int{0, 1}, Comes: []int{0, 1}},
		"forbid with 0, 2 of 3 done": {Progress: []int{0, 2}, Comes: []int{0, 1, 2}},
		"forbid while nothing is pending (state 1 of the property)": {Progress: []int{1}, Comes: []int{0, 1}, Pending: []explain.Words{nil}, Alike: true},
		"forbid while ACK is awaited": {
			Progress: []int{1},
			Comes:    []int{0, 1},
			Pending:  []explain.Words{{{Text: "waiting for ACK"}}},
			When:     property.Phrase{{Text: " while ACK is awaited"}},
		},
		"forbid while waiting for ACK": {Progress: []int{1}, Comes: []int{0, 1}, Pending: []explain.Words{{{Text: "waiting for ACK"}}}},
	} {
		if got := whenForbidden(e, f); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestDiffShowsBothBranches: every step of both runs is there, each as what it is.
func TestDiffShowsBothBranches(t *testing.T) {
	for _, c := range []struct {
		m       *lts.LTS
		formula string
	}{
		{specimens.Figure2(t), "Inev(A, B, C)"},
		{specimens.Lasso(t), "Inev(DONE)"},
		{specimens.Real(t, "travel.aut"), "Inev(BOOKING_REC, TICKET_REC)"},
		{specimens.Real(t, "lossy.aut"), "Inev(LEADER)"},
	} {
		if c.m == nil {
			continue
		}
		e := specimens.Explained(t, c.m, "m.aut", c.formula)
		g, err := Of(context.Background(), e, Options{Kind: Diff, Full: true})
		if err != nil {
			t.Fatalf("%s: %v", c.formula, err)
		}
		arrow := func(from lts.State, label string, to lts.State) *Arrow {
			at := slices.IndexFunc(g.Arrows, func(a Arrow) bool {
				return a.From == from && a.To == to && slices.ContainsFunc(a.Labels, func(l Label) bool { return l.Text == label })
			})
			if at < 0 {
				t.Fatalf("%s: %s from %d to %d is not shown", c.formula, label, from, to)
			}
			return &g.Arrows[at]
		}
		branched := 0
		for i, s := range e.Nearest.Steps {
			a := arrow(lts.State(s.From), s.Label, lts.State(s.To))
			if s.Op != explain.Remove && i >= e.Nearest.Fork {
				branched++
				if !a.Branch {
					t.Errorf("%s: step %d of the correct run is not marked", c.formula, i+1)
				}
			}
		}
		if branched == 0 {
			t.Errorf("%s: nothing is another branch", c.formula)
		}
		for _, s := range e.Counterexample.Steps {
			if !arrow(s.From, s.Label, s.To).OnRun {
				t.Errorf("%s: %s from %d is not on the counterexample", c.formula, s.Label, s.From)
			}
		}
	}
	holds := specimens.Explained(t, specimens.Figure2(t), "m.aut", "Inev(A)")
	if _, err := Of(context.Background(), holds, Options{Kind: Diff}); err == nil {
		t.Error("there is a diff where the property holds")
	}
}
