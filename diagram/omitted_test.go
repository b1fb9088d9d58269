package diagram

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestOmissionsAreTold: of every picture exactly where it leaves something out, with
// numbers that are counted anew here.
func TestOmissionsAreTold(t *testing.T) {
	told := 0
	for seed := range uint64(300) {
		c := randomlts.Seeded(seed, randomlts.Medium())
		for _, view := range []View{Auto, Whole, Excerpt, Decisions, Quotient} {
			var notes []string
			o := Options{View: view, MaxStates: 1 + int(seed%4), Tell: func(note string) { notes = append(notes, note) }}
			e := explained(t, c.Model, "", c.Formula)
			p, err := pictureOf(context.Background(), e, o)
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			if states, drawn := p.reachable, counted(p); !p.decisions && drawn != states {
				what := "reachable"
				if p.quotientOf.states > 0 {
					what = "merged"
				}
				want = fmt.Sprintf("the picture shows %d of %s", drawn.states, quantity(states.states, what+" state"))
			}
			if p.decisions && p.shown.states < p.neighbourhoods {
				want = fmt.Sprintf("the picture shows %d of %d decision", p.shown.states, p.neighbourhoods)
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
	if told < 100 {
		t.Errorf("only %d pictures leave something out", told)
	}
}

// counted counts the states and transitions that a picture without decisions shows.
func counted(p *picture) size {
	states := map[lts.State]bool{}
	for _, n := range p.nodes {
		states[n.state] = true
	}
	return size{len(states), p.shown.transitions}
}

// TestGapsAreTold: how many steps are not shown one by one.
func TestGapsAreTold(t *testing.T) {
	var notes []string
	e := explained(t, longRun(t), "", "Inev(DONE)")
	p, err := pictureOf(context.Background(), e, Options{View: Excerpt, Tell: func(note string) { notes = append(notes, note) }})
	if err != nil {
		t.Fatal(err)
	}
	steps := e.Trace().Len() - p.steps()
	if want := fmt.Sprintf("does not show %d steps of the counterexample one by one", steps); len(notes) != 1 || !strings.HasSuffix(notes[0], want) {
		t.Errorf("told %q, want %q", notes, want)
	}
}
