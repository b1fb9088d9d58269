package render_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

var neverComesForm = regexp.MustCompile(`^a state with (x = \d) never comes: (.+) happens in every round$`)

// drawWayToValue draws a model with a chain of states, of which the last one has x = 2, and other transitions
// between them.
func drawWayToValue(r *rand.Rand) *valuedModel {
	v := &valuedModel{}
	n := 3 + r.IntN(4)
	for i := range n {
		x := r.IntN(2)
		if i == n-1 {
			x = 2
		}
		v.state([2]int{x, r.IntN(2)})
	}
	for i := range n - 1 {
		v.add(i, string("ab"[r.IntN(2)]), i+1)
	}
	for range 1 + r.IntN(3) {
		arc := valuedArc{r.IntN(n), string("abcd"[r.IntN(4)]), r.IntN(n - 1)}
		if !slices.Contains(v.arcs, arc) {
			v.add(arc.from, arc.label, arc.to)
		}
	}
	return v
}

// avoids reports whether some run never comes to a state with x = value, and does the labels only
// finitely often.
func (v *valuedModel) avoids(value int, rare []string) bool {
	isFree := func(s int) bool { return v.values[s][0] != value }
	if !isFree(0) {
		return false
	}
	ways := func(from int, isAllowed func(valuedArc) bool) map[int]bool {
		reached := map[int]bool{}
		open := []int{from}
		for len(open) > 0 {
			s := open[len(open)-1]
			open = open[:len(open)-1]
			for _, arc := range v.arcs {
				if arc.from == s && isFree(arc.to) && isAllowed(arc) && !reached[arc.to] {
					reached[arc.to] = true
					open = append(open, arc.to)
				}
			}
		}
		return reached
	}
	reached := ways(0, func(valuedArc) bool { return true })
	reached[0] = true
	for s := range reached {
		isEnd := !slices.ContainsFunc(v.arcs, func(arc valuedArc) bool { return arc.from == s })
		recurs := ways(s, func(arc valuedArc) bool { return !slices.Contains(rare, arc.label) })[s]
		if isEnd || recurs {
			return true
		}
	}
	return false
}

// TestSentencesAboutCausesOfValues: where a loop keeps a run from a state with some value, the labels that
// the headline names are on the loop or on other such loops, and no run does without them forever.
func TestSentencesAboutCausesOfValues(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(8_000) {
		r := rand.New(rand.NewPCG(seed, 69))
		v := drawWayToValue(r)
		f, err := formula.Parse(context.Background(), "F (x = 2)")
		if err != nil {
			t.Fatal(err)
		}
		m, table := v.build(t)
		e, err := explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{States: table}})
		if err != nil {
			t.Fatal(err)
		}
		if e.Diagnosis == nil || e.Diagnosis.Cause == nil {
			continue
		}
		said := render.NewSentences(e, func(text string) string { return text }).Diagnosis()
		form := neverComesForm.FindStringSubmatch(said)
		if form == nil || form[1] != "x = 2" {
			t.Fatalf("seed %d: %q is not understood", seed, said)
		}
		labels := strings.Split(form[2], " or ")
		run := e.Counterexample
		isOnLoop := slices.ContainsFunc(run.Steps[run.LoopStart:], func(s explain.Step) bool { return slices.Contains(labels, s.Label) })
		if !isOnLoop || v.avoids(2, labels) {
			t.Fatalf("seed %d: %q; on the loop: %t\n%+v", seed, said, isOnLoop, *v)
		}
		met++
	}
	if randomlts.Whole() && met < 50 {
		t.Errorf("only %d causes were met", met)
	}
	t.Log(met)
}
