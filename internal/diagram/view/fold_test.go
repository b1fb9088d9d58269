package view

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// rowed draws a model of rows: states with one or two ways on, each a row of equal
// labels of some length to another state, or to one of no way on.
func rowed(t *testing.T, seed uint64) *lts.LTS {
	r := rand.New(rand.NewPCG(seed, 1))
	var edges []edge
	states := 4
	for from := range 3 {
		for range 1 + r.IntN(2) {
			at, label := from, string("AB"[r.IntN(2)])
			for range r.IntN(12) {
				if r.IntN(20) == 0 {
					label = "B"
				}
				edges = append(edges, edge{at, label, states})
				at = states
				states++
			}
			edges = append(edges, edge{at, label, r.IntN(4)})
		}
	}
	return model(t, states, edges...)
}

// TestRowsAreFolded: every folded arrow is a row of so many transitions of one label and
// class, whose inner states have no other way in or out and are no decisions; steps of the
// counterexample keep their numbers; and no such row is left that is long enough.
func TestRowsAreFolded(t *testing.T) {
	folded := 0
	for seed := range randomlts.Share(2_000) {
		m := rowed(t, seed)
		e := explained(t, m, "", []string{"Inev(A, B)", "Inev(B)", "Inev(A, A, B)"}[seed%3])
		s := selected(t, subjectOf(e), Options{Kind: Whole})
		before := s.graph()
		p := s.graph()
		p.fold()
		if err := unfoldsTo(p, before, m, e.Classification()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		folded += p.Folded
	}
	if randomlts.Whole() && folded < 2_000 {
		t.Errorf("only %d states folded", folded)
	}
}

// unfoldsTo follows the transitions that the arrows of p stand for in the model.
func unfoldsTo(p, before *Graph, m *lts.LTS, classes *neighbourhood.Classification) error {
	var got, want []string
	taken := map[lts.State]bool{} // by rows between the same states
	text := func(a Arrow) string {
		return fmt.Sprint(a.Labels[0].Text, a.Class, a.Meaning, a.Better, a.Steps, a.OnRun, a.Loop)
	}
	for _, a := range before.Arrows {
		want = append(want, text(a))
	}
	for _, a := range p.Arrows {
		if a.Folded == 0 {
			got = append(got, text(a))
			continue
		}
		if a.Folded < minRow || len(a.Steps) > 0 && len(a.Steps) != a.Folded {
			return fmt.Errorf("%d transitions are one arrow, with steps %v", a.Folded, a.Steps)
		}
		l, _ := m.Alphabet().Lookup(a.Labels[0].Text)
		at := a.From
		for i := range a.Folded {
			labels, targets := m.Out(at)
			way := -1
			for j, next := range targets {
				if labels.At(j) == l && !taken[next] && (i > 0 || reaches(m, next, l, a.Folded-1, a.To)) {
					way = j
				}
			}
			if way < 0 {
				return fmt.Errorf("no row of %d leads from %d to %d", a.Folded, a.From, a.To)
			}
			to := targets[way]
			if i < a.Folded-1 {
				taken[to] = true
			}
			one := a
			one.Steps = nil
			if len(a.Steps) > 0 {
				one.Steps = a.Steps[i : i+1]
			}
			if _, decided := classes.Kind(at); i > 0 && (decided || len(targets) != 1 || len(m.Incoming(at)) != 1 || at == m.Initial()) {
				return fmt.Errorf("state %d is inside a row", at)
			}
			got = append(got, text(one))
			at = to
		}
		if at != a.To {
			return fmt.Errorf("the row from %d ends at %d, not at %d", a.From, at, a.To)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("the arrows stand for\n%s\nof\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(before.Nodes)-len(p.Nodes) != p.Folded {
		return fmt.Errorf("%d states of %d, and %d folded", len(p.Nodes), len(before.Nodes), p.Folded)
	}
	return nil
}

// reaches reports whether so many transitions with a label, each the only one of its
// state, lead from a state to another.
func reaches(m *lts.LTS, from lts.State, l lts.Label, n int, to lts.State) bool {
	for range n {
		labels, targets := m.Out(from)
		if len(targets) != 1 || labels.At(0) != l || len(m.Incoming(from)) != 1 {
			return false
		}
		from = targets[0]
	}
	return from == to
}

// TestLongRowsInQuotients: 44 states with one label are one arrow, and that is told; in
// full they are all there.
func TestLongRowsInQuotients(t *testing.T) {
	var edges []edge
	for i := range 44 {
		edges = append(edges, edge{i, "A", i + 1})
	}
	e := explained(t, model(t, 46, append(edges, edge{44, "B", 45})...), "", "Inev(B, A)")
	for _, view := range []Kind{Whole, Quotient} {
		o := Options{Kind: view}
		p, err := Of(context.Background(), e, o)
		if err != nil || len(p.Nodes) != 3 || p.Folded != 43 || !strings.Contains(p.Lines(p.Arrows[0], LabelLength)[0], "1–44: A ×44") {
			t.Fatalf("view %d: error %v, nodes %v, %d folded, arrows %v", view, err, p.numbers(), p.Folded, p.Arrows)
		}
		if len(p.Notes) != 1 || !strings.Contains(p.Notes[0], "folds 43 states") {
			t.Errorf("view %d: told %q", view, p.Notes)
		}
		o.Full = true
		if p, err := Of(context.Background(), e, o); err != nil || len(p.Nodes) != 46 {
			t.Errorf("view %d, in full: error %v, %d nodes", view, err, len(p.Nodes))
		}
	}
}

// TestHiddenStepsAreFolded: of random runs, the picture shows or counts every step; what the reader hides is not
// shown one by one, unless it is a decision, the last step, or where the loop begins.
func TestHiddenStepsAreFolded(t *testing.T) {
	folded := 0
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(rt, "model")
		f, err := formula.Parse(context.Background(), c.Formula)
		if err != nil {
			rt.Fatal(err)
		}
		e, err := explain.Explain(context.Background(), c.Model, f, explain.Options{})
		if err != nil {
			rt.Skip()
		}
		if e.Counterexample == nil || len(e.Counterexample.Steps) == 0 {
			rt.Skip()
		}
		hidden := e.Counterexample.Steps[rapid.IntRange(0, len(e.Counterexample.Steps)-1).Draw(rt, "step")].Label
		of, err := actl.Parse(context.Background(), "Inev("+actl.PatternFor(hidden)+")")
		if err != nil {
			rt.Fatal(err)
		}
		g, err := Of(context.Background(), e, Options{Kind: Excerpt, Hide: of.Steps()})
		if err != nil {
			rt.Fatal(err)
		}
		shown := map[int]bool{}
		for _, a := range g.Arrows {
			for _, step := range a.Steps {
				shown[step] = true
			}
		}
		gaps := map[int]bool{}
		for _, gap := range g.Gaps {
			for step := gap.First; step <= gap.Last; step++ {
				gaps[step] = true
				folded++
				if e.Counterexample.Steps[step-1].Label != hidden {
					rt.Fatalf("step %d is %s, which is not hidden", step, e.Counterexample.Steps[step-1].Label)
				}
			}
		}
		for i := range e.Counterexample.Steps {
			if shown[i+1] == gaps[i+1] {
				rt.Fatalf("step %d of %v: shown %v, in a gap %v", i+1, e.Counterexample.Steps, shown[i+1], gaps[i+1])
			}
		}
		for _, d := range e.Decisions {
			if gaps[int(d.Step)+1] {
				rt.Fatalf("decision in step %d is folded", d.Step+1)
			}
		}
	})
	if folded == 0 {
		t.Error("no step was folded")
	}
}
