package view

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

// TestArgumentsAreShownWhole: of what there is room for, each claim, state, layer and
// transition of an argument is in its picture, and all hangs together.
func TestArgumentsAreShownWhole(t *testing.T) {
	formulas := []string{
		"AG EF <A> true", "EG (EX true || deadlock) && AF (deadlock || <A> true)", "A[!deadlock {A} U {B} EX true] || !EG !<B> true",
		"E[<A> true || <B> true U deadlock] -> AG EF deadlock",
	}
	for seed := range randomlts.Share(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		m := randomlts.Seeded(seed, randomlts.Small()).Model
		a, _ := specimens.Argued(t, m, formulas[r.IntN(len(formulas))])
		claims, layers, steps := 0, 0, 0
		var count func(a *argument.Argument)
		count = func(a *argument.Argument) {
			claims++
			if a.Run != nil {
				steps += len(a.Run.Steps)
			}
			if len(a.Layers) > 1 && (a.Run == nil || len(a.Run.Steps) == 0) {
				layers += len(a.Layers)
			}
			if len(a.Set) > 1 {
				layers++
			}
			for _, b := range a.Because {
				count(b)
			}
		}
		count(a)
		p := NewArgument(m, []*argument.Argument{a}, Caption{})
		reached := make([]bool, len(p.Nodes))
		reached[0] = true
		for _, l := range p.Links {
			if !reached[l.From] && l.Kind != Taken {
				t.Fatalf("seed %d: %v comes before what it leads from", seed, l)
			}
			reached[l.To] = true
			if l.Kind == Taken && p.Nodes[l.To].Kind == OnTheWay {
				steps--
			}
		}
		if slices.Contains(reached, false) {
			t.Fatalf("seed %d: %v of %v", seed, reached, p)
		}
		for _, n := range p.Nodes {
			switch n.Kind {
			case Claimed:
				claims--
			case Layered:
				layers--
			case OnTheWay:
				if n.Deadlock != m.IsDeadlock(n.State) {
					t.Fatalf("seed %d: %v", seed, n)
				}
			}
		}
		if claims != 0 || layers != 0 || steps != 0 {
			t.Fatalf("seed %d: not shown are %d claims, %d layers and %d steps", seed, claims, layers, steps)
		}
	}
}

// TestLongArgumentsAreCut: what there is no room for is counted.
func TestLongArgumentsAreCut(t *testing.T) {
	edges := make([]specimens.Edge, 200)
	for i := range edges {
		edges[i] = specimens.Edge{From: i, Label: "A", To: i + 1}
	}
	m := specimens.Model(t, 201, edges...)
	for formula, want := range map[string][3]int{ // nodes, steps that are not shown, what is left out
		"EF (deadlock && true)":    {1 + 30 + 2 + 2, 170, 0},
		"AF deadlock":              {1 + 30 + 1 + 1, 0, 1},
		"E[EX true U deadlock]":    {0, 170, 1},
		"EX true && EF !<A> true":  {0, 170, 0},
		"AX true || EG <A> true":   {0, 0, 0},
		"EG (EX true || deadlock)": {0, 170, 2},
		// Each state of the run has a long run of its own: there is no room for all.
		"EG (EF deadlock)": {170, 844, 2},
	} {
		a, _ := specimens.Argued(t, m, formula)
		p := NewArgument(m, []*argument.Argument{a}, Caption{})
		unseen, left := 0, 0
		for _, l := range p.Links {
			if l.Kind == Unseen {
				unseen += l.More
			}
		}
		for _, n := range p.Nodes {
			if n.Kind == Unargued {
				left++
			}
		}
		if len(p.Nodes) > drawnNodes+drawnSteps+5 {
			t.Errorf("%s: %d nodes", formula, len(p.Nodes))
		}
		if want[0] > 0 && len(p.Nodes) != want[0] || unseen != want[1] || left != want[2] {
			t.Errorf("%s: %d nodes, %d steps not shown, %d left out, want %v", formula, len(p.Nodes), unseen, left, want)
		}
	}
}
