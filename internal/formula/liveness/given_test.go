package liveness_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestOwnRunsAreAccepted: a run that violates a property, and that Spec allows, is accepted as a counterexample by its labels
// alone, whether its loop is written as one or once round: of the runs that have these labels, one that Spec allows is found.
func TestOwnRunsAreAccepted(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	accepted, loops := 0, 0
	for seed := range randomlts.Share(1_500) {
		g := newGraph(rand.New(rand.NewPCG(seed, 3)))
		if g.n > 1 {
			g.initial = []int{0, 1} // labels tell less of a run
		}
		g.fair = append(g.fair, g.fairness(), g.fairness())
		asked := g.formula(3)
		write(t, folder, "Random.tla", g.module(asked))
		write(t, folder, "Random.cfg", g.config)
		write(t, folder, "Random.dot", g.dot())
		s, err := liveness.Load(ctx, filepath.Join(folder, "Random.tla"), filepath.Join(folder, "Random.cfg"), nil)
		if err != nil {
			t.Fatal(err)
		}
		m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true})
		if err != nil {
			t.Fatal(err)
		}
		graph, err := s.On(ctx, m.LTS, m.States, false)
		if err != nil {
			t.Fatal(err)
		}
		instances, err := s.Instances(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range instances {
			question, err := graph.Ask(ctx, i)
			if err != nil {
				continue // too many predicates
			}
			e, err := explain.Check(ctx, question.Model, question.Formula, explain.Options{Fair: question.Fair})
			if err != nil {
				continue // too large
			}
			if e.Verdict != explain.Violated {
				continue
			}
			trace := e.Trace()
			for _, once := range []bool{true, false} {
				start, isLasso := trace.LoopStart()
				if !isLasso && !once {
					continue
				}
				given := givenOf(t, question.Model, trace, start, isLasso && !once)
				_, err := explain.Explain(ctx, question.Model, question.Formula, explain.Options{Search: explain.Search{Given: given, Fair: question.Fair, File: "t.seq"}})
				if err != nil {
					t.Errorf("seed %d, once round %t: %v\n%s%s%s", seed, once, err, g.module(asked), g.config, g.dot())
					continue
				}
				accepted++
				if isLasso {
					loops++
				}
			}
		}
	}
	if randomlts.Whole() && (accepted < 500 || loops < 300) {
		t.Errorf("%d accepted, %d of them lassos", accepted, loops)
	}
	t.Logf("%d accepted, %d of them lassos", accepted, loops)
}

// givenOf returns the labels of a trace as another tool would write them: in a line, or with the loop as one.
func givenOf(t *testing.T, m *lts.LTS, trace *counterexample.Trace, start int, loop bool) *counterexample.Given {
	t.Helper()
	var b lts.Builder
	for i := range trace.Len() {
		to := lts.State(i + 1)
		if loop && i == trace.Len()-1 {
			to = lts.State(start)
		}
		b.Add(lts.State(i), b.Label(strings.TrimSpace(m.Alphabet().Text(trace.Step(i).Label))), to)
	}
	n := trace.Len() + 1
	if loop {
		n--
	}
	graph, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	given, err := counterexample.NewGiven(graph, nil)
	if err != nil {
		t.Fatal(err)
	}
	return given
}
