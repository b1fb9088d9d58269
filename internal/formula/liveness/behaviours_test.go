package liveness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestNearestRunsAreBehaviours: the nearest correct run of random specifications is a run that Spec allows, by the definitions on
// lassos. It stutters forever where something can happen only if no short lasso that goes on is correct.
func TestNearestRunsAreBehaviours(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	loops, decided, safety := 0, 0, 0
	for seed := range randomlts.Share(2_000) {
		g := newGraph(rand.New(rand.NewPCG(seed, 4)))
		asked := g.formula(3)
		if seed%2 == 0 {
			asked = &formula{sign: "[]", parts: []*formula{{sign: "in", in: []int{0, g.IntN(g.n), g.IntN(g.n)}}}}
		}
		write(t, folder, "Random.tla", g.module(asked))
		write(t, folder, "Random.cfg", g.config)
		write(t, folder, "Random.dot", g.dot())
		run, isLoop, found, err := nearestIn(ctx, folder)
		if err != nil || !found {
			continue // errors are met by TestTemporalByLassos
		}
		said := fmt.Sprintf("seed %d: %v\n%s%s%s", seed, run, g.module(asked), g.config, g.dot())
		isCorrect := func(l lasso) bool { return asked.at(l, 0) && g.isFair(l) }
		if !isLoop {
			decided++
			n := len(run.states)
			g.lassos(n+3, func(l lasso) {
				if len(l.states) >= n && slices.Equal(l.states[:n], run.states) && !asked.at(l, 0) && g.isFair(l) {
					t.Fatalf("%v violates it\n%s", l, said)
				}
			})
			continue
		}
		loops++
		if seed%2 == 0 {
			safety++
		}
		if !g.isRun(run) || !isCorrect(run) {
			t.Fatalf("the nearest correct run is none: run %t, fair %t, correct %t\n%s", g.isRun(run), g.isFair(run), asked.at(run, 0), said)
		}
		if g.goesOn(run) {
			continue
		}
		g.lassos(5, func(l lasso) {
			if isCorrect(l) && g.goesOn(l) {
				t.Fatalf("%v goes on\n%s", l, said)
			}
		})
	}
	counts := fmt.Sprintf("%d loops (%d of invariants), %d decided", loops, safety, decided)
	if randomlts.Whole() && (loops < 100 || safety < 30 || decided < 100) {
		t.Error(counts)
	}
	t.Log(counts)
}

// goesOn reports whether a lasso takes a step that changes something infinitely often, or cannot do so.
func (g *graph) goesOn(l lasso) bool {
	for i := l.back; i < len(l.states); i++ {
		s := l.states[i]
		if l.next(i) != s {
			return true
		}
		canChange := false
		for t := range g.n {
			canChange = canChange || t != s && g.isEdge(s, t)
		}
		if !canChange {
			return true
		}
	}
	return false
}

// nearestIn returns the nearest correct run of what is asked in a folder, with its first state, and whether there is one. A run
// without a loop is a beginning. Of a conjunction nothing is found: the run is about one of its parts.
func nearestIn(ctx context.Context, folder string) (run lasso, isLoop, found bool, err error) {
	g, instances, err := graphOf(ctx, folder)
	if err != nil || len(instances) > 1 {
		return lasso{}, false, false, err
	}
	question, err := g.Ask(ctx, instances[0])
	if err != nil {
		return lasso{}, false, false, err
	}
	e, err := explain.Explain(ctx, question.Model, question.Formula, explain.Options{
		Fair:       question.Fair,
		Source:     explain.Source{Idle: g.Stuttering()},
		Behaviours: question.Behaviours,
	})
	if err != nil || e.Nearest == nil || e.Nearest.Ends {
		return lasso{}, false, false, err
	}
	run, err = lassoOf(ctx, folder, e.Nearest)
	return run, e.Nearest.Loop > 0, true, err
}

// lassoOf returns the correct run of a diff. The step to one of several initial states is no step.
func lassoOf(ctx context.Context, folder string, d *explain.Diff) (lasso, error) {
	m, _, err := format.Open(ctx, filepath.Join(folder, "Random.dot"), format.Options{Name: "Random.dot", States: true, Constrained: true})
	if err != nil {
		return lasso{}, err
	}
	number := func(s explain.ModelState) int {
		n, err := strconv.Atoi(m.States.Text(0, m.States.Value(lts.State(s), 0)))
		if err != nil {
			return -1
		}
		return n
	}
	var run lasso
	isAdded := m.LTS.Before() > 0
	var last explain.ModelState
	for _, s := range d.Steps {
		if s.Op == explain.Remove {
			continue
		}
		last = s.To
		if !isAdded || lts.State(s.From) != m.LTS.Initial() {
			run.states = append(run.states, number(s.From))
		}
	}
	run.back = len(run.states) - d.Loop
	if d.Loop == 0 {
		run.states = append(run.states, number(last))
	}
	return run, nil
}
