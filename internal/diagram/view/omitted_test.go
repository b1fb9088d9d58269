package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestOmissionsAreTold: of every picture exactly where it leaves something out, with
// numbers that are counted anew here.
func TestOmissionsAreTold(t *testing.T) {
	told := 0
	for seed := range randomlts.Share(300) {
		c := randomlts.Seeded(seed, randomlts.Medium())
		for _, view := range []Kind{Auto, Whole, Excerpt, Neighbourhoods, Quotient} {
			o := Options{Kind: view, MaxStates: 1 + int(seed%4)}
			e := explained(t, c.Model, "", c.Formula)
			p, err := Of(context.Background(), e, o)
			if err != nil {
				t.Fatal(err)
			}
			want, notes := "", p.Notes
			if states, drawn := p.Reachable, counted(p); !p.OfNeighbourhoods && drawn != states {
				what := "reachable"
				if p.QuotientOf.States > 0 {
					what = "merged"
				}
				want = fmt.Sprintf("the picture shows %d of %s", drawn.States, printable.Quantity(states.States, what+" state"))
			}
			if p.OfNeighbourhoods && p.Shown.States < p.Neighbourhoods {
				want = fmt.Sprintf("the picture shows %d of %d neighbourhood", p.Shown.States, p.Neighbourhoods)
			}
			has := slices.ContainsFunc(notes, func(note string) bool { return strings.HasPrefix(note, "the picture shows ") })
			if has != (want != "") || has && !strings.HasPrefix(notes[len(notes)-1], want) {
				t.Fatalf("seed %d, view %d: told %q, want %q", seed, view, notes, want)
			}
			if has {
				told++
			}
		}
	}
	if randomlts.Whole() && told < 100 {
		t.Errorf("only %d pictures leave something out", told)
	}
}

// counted counts the states and transitions that a picture without decisions shows.
func counted(p *Graph) Size {
	states := map[lts.State]bool{}
	for _, n := range p.Nodes {
		states[n.State] = true
	}
	return Size{len(states), p.Shown.Transitions}
}

// TestGapsAreTold: how many steps are not shown one by one.
func TestGapsAreTold(t *testing.T) {
	e := explained(t, longRun(t), "", "Inev(DONE)")
	p, err := Of(context.Background(), e, Options{Kind: Excerpt})
	if err != nil {
		t.Fatal(err)
	}
	notes := p.Notes
	steps := e.Trace().Len() - p.Steps()
	if want := fmt.Sprintf("does not show %d steps of the counterexample one by one", steps); len(notes) != 1 || !strings.Contains(notes[0], want) {
		t.Errorf("told %q, want %q", notes, want)
	}
}
