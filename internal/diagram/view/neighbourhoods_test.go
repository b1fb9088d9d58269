package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

func decided(t testing.TB, e *explain.Explanation, o Options) *Graph {
	t.Helper()
	o.Kind = Neighbourhoods
	p, err := Of(context.Background(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// arrowTexts returns the arrows of a picture as lines.
func arrowTexts(p *Graph) []string {
	names := map[lts.State]string{}
	for _, n := range p.Nodes {
		names[n.State] = n.Name + n.End.String()
	}
	var all []string
	for _, a := range p.Arrows {
		var texts []string
		for _, l := range a.Labels {
			texts = append(texts, l.Text)
		}
		line := fmt.Sprintf("%s %s %s %s", names[a.From], strings.Join(texts, ","), names[a.To], a.Class)
		if a.OnRun {
			line += " " + stepNumbers(a)
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

// TestDecisionsOfRealModels: the neighbourhood of Figure 2 of SEFM'18, and the five of
// its case study, of which the counterexample passes one.
func TestDecisionsOfRealModels(t *testing.T) {
	for _, c := range []struct {
		file, formula string
		want          []string
	}{
		{"examples/figure2/figure2.aut", "Inev(A, B, C)", []string{
			"0 A 2 neutral 1, 2",
			"2 B satisfied correct",
			"2 Y deadlock neutral 3",
		}},
		{"sanitary_agency.aut", "Inev(REQ_EM, PROVT_REC)", []string{
			"0 REQUEST_EM 85 neutral 1–6",
			"67 PROVM_EM violated incorrect",
			"67 PROVT_EM satisfied correct",
			"74 ACCEPTANCE_REC 67 neutral",
			"74 PROVM_EM,ACCEPTANCE_REC violated incorrect",
			"74 PROVT_EM,ACCEPTANCE_REC satisfied correct",
			"75 PAYMENTPUBLICFEE_EM 67 neutral",
			"75 PROVM_EM,PAYMENTPUBLICFEE_EM violated incorrect",
			"75 PROVT_EM,PAYMENTPUBLICFEE_EM satisfied correct",
			"77 ACCEPTANCE_REC 75 neutral",
			"77 PAYMENTPUBLICFEE_EM 74 neutral",
			"77 PROVM_EM,PAYMENTPUBLICFEE_EM,ACCEPTANCE_REC violated incorrect",
			"77 PROVT_EM,PAYMENTPUBLICFEE_EM,ACCEPTANCE_REC satisfied correct",
			"85 ACCEPTANCE_EM 67 neutral",
			"85 ACCEPTANCE_EM 74 neutral",
			"85 ACCEPTANCE_EM 75 neutral",
			"85 ACCEPTANCE_EM 77 neutral",
			"85 REFUSAL_EM violated incorrect 7, 8",
		}},
	} {
		m := real(t, c.file)
		if m == nil {
			continue
		}
		p := decided(t, explained(t, m, "", c.formula), Options{})
		if got := arrowTexts(p); !slices.Equal(got, c.want) {
			t.Errorf("%s: arrows\n%s\nwant\n%s", c.file, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestDecisionsOfLassos: a loop leads back to the neighbourhood on it, or nowhere.
func TestDecisionsOfLassos(t *testing.T) {
	got := arrowTexts(decided(t, explained(t, lasso(t), "", "Inev(DONE)"), Options{}))
	want := []string{"0 START 2 neutral ↻ 1, 2", "2 BREAK violated incorrect", "2 DONE satisfied correct", "2 LOSS 2 neutral ↻ 3"}
	if !slices.Equal(got, want) {
		t.Errorf("arrows %q, want %q", got, want)
	}
	p := decided(t, explained(t, longRun(t), "", "Inev(DONE)"), Options{MaxStates: 1})
	if p.Shown.States != 3 || p.Neighbourhoods != 3 {
		t.Errorf("%d of %d neighbourhoods are shown; those on the counterexample are to be shown in any case", p.Shown.States, p.Neighbourhoods)
	}
}

// TestHiddenDecisions: of many neighbourhoods, the nearest are shown, and the others
// counted.
func TestHiddenDecisions(t *testing.T) {
	var edges []edge
	for i := range 40 {
		edges = append(edges, edge{2 * i, "go", 2*i + 2}, edge{2 * i, "DONE", 2*i + 1})
	}
	p := decided(t, explained(t, model(t, 81, edges...), "", "Inev(DONE)"), Options{MaxStates: 5})
	hidden := 0
	for _, n := range p.Nodes {
		hidden = max(hidden, n.Hidden)
	}
	if p.Shown.States != maxOnRun || p.Neighbourhoods != 40 || hidden != 40-maxOnRun {
		t.Errorf("%d of %d neighbourhoods are shown, %d counted", p.Shown.States, p.Neighbourhoods, hidden)
	}
	arrows := arrowTexts(p)
	for _, want := range []string{"0 go elsewhere neutral 1", "76 go 78 neutral 39", "78 go violated incorrect 40"} {
		if !slices.Contains(arrows, want) {
			t.Errorf("there is no arrow %q in %q", want, arrows)
		}
	}
}

// walkedEnds finds by walking what findEnds computes.
func walkedEnds(s *subject, index map[lts.State]End, t lts.Transition) []End {
	found := map[End]bool{}
	onPath, seen := map[lts.State]bool{}, map[lts.State]bool{}
	var walk func(t lts.Transition)
	walk = func(t lts.Transition) {
		switch s.class(t) {
		case fate.Correct:
			found[Satisfied] = true
			return
		case fate.Incorrect:
			found[Violated] = true
			return
		}
		if s.kind(t.To) != 0 {
			if e, is := index[t.To]; is {
				found[e] = true
			} else {
				found[Elsewhere] = true
			}
			return
		}
		if onPath[t.To] {
			found[Endless] = true
			return
		}
		if seen[t.To] {
			return
		}
		seen[t.To], onPath[t.To] = true, true
		if s.m.IsDeadlock(t.To) {
			found[Stuck] = true
		}
		for _, next := range s.out(t.To) {
			walk(next)
		}
		onPath[t.To] = false
	}
	walk(t)
	var all []End
	for e := range found {
		all = append(all, e)
	}
	slices.Sort(all)
	return all
}

// TestEndsAreThoseThatAreReached compares with a walk from every transition, and
// looks whether the counterexample is one path.
func TestEndsAreThoseThatAreReached(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(rt, "case")
		e := explained(t, c.Model, "", c.Formula)
		s := subjectOf(e)
		all := e.Classification().States()
		shown := all[:rapid.IntRange(0, len(all)).Draw(rt, "shown")]
		f, err := findEnds(context.Background(), &s, shown)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range s.m.NumStates() {
			if !s.m.Reachable().Has(lts.State(i)) {
				continue
			}
			for _, tr := range s.out(lts.State(i)) {
				if got, want := f.endsAfter(tr), walkedEnds(&s, f.index, tr); !slices.Equal(got, want) {
					rt.Fatalf("after %v come %v, want %v", tr, got, want)
				}
			}
		}
		checkPath(rt, e, decided(t, e, Options{MaxStates: max(1, len(shown))}))
	})
}

// checkPath: the arrows of the counterexample, and the nodes in which steps stay, hold each of its
// steps once, unless neighbourhoods are hidden.
func checkPath(rt *rapid.T, e *explain.Explanation, p *Graph) {
	if e.Trace() == nil || e.Trace().Len() == 0 || p.Shown.States < p.Neighbourhoods {
		return
	}
	var steps []int
	for _, a := range p.Arrows {
		steps = append(steps, a.Steps...)
	}
	for _, n := range p.Nodes {
		if n.Members == nil {
			continue
		}
		for _, r := range n.Inside {
			for step := r[0]; step <= r[1]; step++ {
				steps = append(steps, step)
			}
		}
	}
	slices.Sort(steps)
	for i, step := range steps {
		if step != i+1 {
			rt.Fatalf("the arrows stand for the steps %v", steps)
		}
	}
	if len(steps) != e.Trace().Len() {
		rt.Fatalf("the arrows stand for the steps %v of %d", steps, e.Trace().Len())
	}
}

// TestQuotientKeepsTheCounterexample: all its steps are on arrows of the quotient,
// and the states are all counted.
func TestQuotientKeepsTheCounterexample(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(rt, "case")
		e := explained(t, c.Model, "", c.Formula)
		p, err := Of(context.Background(), e, Options{Kind: Quotient})
		if err != nil {
			rt.Fatal(err)
		}
		states := 0
		hasEnd := false
		for _, n := range p.Nodes {
			states += n.Merged
			hasEnd = hasEnd || n.End == Satisfied
		}
		least := undecidedStates(e)
		if !hasEnd {
			least = e.Model.ReachableStates
		}
		if states < least || states > e.Model.ReachableStates {
			rt.Fatalf("%d of %d states are merged", states, e.Model.ReachableStates)
		}
		if p.Steps() > 0 {
			checkPath(rt, e, p)
		}
	})
}

// undecidedStates counts the states to which a run can come without a correct transition.
func undecidedStates(e *explain.Explanation) int {
	m := e.LTS()
	reached := map[lts.State]bool{m.Initial(): true}
	for queue := []lts.State{m.Initial()}; len(queue) > 0; queue = queue[1:] {
		for l, to := range m.From(queue[0]) {
			if !reached[to] && e.Classification().Class(queue[0], l, to) != fate.Correct {
				reached[to] = true
				queue = append(queue, to)
			}
		}
	}
	return len(reached)
}
