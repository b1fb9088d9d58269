package scc_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// TestWithin compares the components of a part of the transitions with what reaches what.
func TestWithin(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(r, "states")
		var b lts.Builder
		kept := b.Label("kept")
		other := b.Label("other")
		for range rapid.IntRange(0, 3*n).Draw(r, "transitions") {
			label := rapid.SampledFrom([]lts.Label{kept, other}).Draw(r, "label")
			state := rapid.IntRange(0, n-1)
			b.Add(lts.State(state.Draw(r, "from")), label, lts.State(state.Draw(r, "to")))
		}
		m, err := b.Build(0, n)
		if err != nil {
			r.Fatal(err)
		}
		keeps := func(from lts.State, label lts.Label, to lts.State) bool { return label == kept && (from+to)%5 != 0 }
		reaches := closure(m, keeps)
		reach := m.Reachable()
		visited := make([]bool, n)
		err = scc.Within(context.Background(), m, keeps, func(states []lts.State, cyclic bool) {
			if first := states[0]; cyclic != (len(states) > 1 || hasLoop(m, first, keeps)) {
				r.Fatalf("component %v is cyclic: %v", states, cyclic)
			}
			for s := range lts.State(n) {
				in, mutual := slices.Contains(states, s), reaches[s][states[0]] && reaches[states[0]][s]
				if in != (mutual && reach.Has(s)) {
					r.Fatalf("state %d in %v: %v", s, states, in)
				}
				if !in && visited[s] && reaches[s][states[0]] {
					r.Fatalf("state %d of an earlier component leads to %v", s, states)
				}
			}
			for _, s := range states {
				if visited[s] {
					r.Fatalf("state %d for a second time", s)
				}
				visited[s] = true
			}
		})
		if err != nil {
			r.Fatal(err)
		}
		for s := range lts.State(n) {
			if visited[s] != reach.Has(s) {
				r.Fatalf("state %d: %v", s, visited[s])
			}
		}
	})
}

// closure returns which state reaches which by the transitions that keeps selects.
func closure(m *lts.LTS, keeps func(lts.State, lts.Label, lts.State) bool) [][]bool {
	reaches := make([][]bool, m.NumStates())
	for s := range reaches {
		reaches[s] = make([]bool, m.NumStates())
		reaches[s][s] = true
	}
	for t := range m.Transitions() {
		reaches[t.From][t.To] = reaches[t.From][t.To] || keeps(t.From, t.Label, t.To)
	}
	for via := range reaches {
		for s := range reaches {
			for to := range reaches {
				reaches[s][to] = reaches[s][to] || reaches[s][via] && reaches[via][to]
			}
		}
	}
	return reaches
}

// TestPassesAskForMemory: what goes through all states asks before it takes tables.
func TestPassesAskForMemory(t *testing.T) {
	var b lts.Builder
	a := b.Label("a")
	const states = 1 << 20
	for s := range lts.State(states) {
		b.Add(s, a, (s+1)%states)
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scc.Find(context.Background(), m, "iterative")
	if err != nil {
		t.Fatal(err)
	}
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	ctx, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	var exceeded *resources.ExceededError
	all := func(lts.State, lts.Label, lts.State) bool { return true }
	if err := scc.Within(ctx, m, all, func([]lts.State, bool) {}); !errors.As(err, &exceeded) {
		t.Errorf("within: %v", err)
	}
	if _, err := c.OnCycle(ctx, func(lts.Label) bool { return false }); !errors.As(err, &exceeded) {
		t.Errorf("on cycles: %v", err)
	}
}

func hasLoop(m *lts.LTS, s lts.State, keeps func(lts.State, lts.Label, lts.State) bool) bool {
	labels, targets := m.Out(s)
	for i, to := range targets {
		if to == s && keeps(s, labels.At(i), to) {
			return true
		}
	}
	return false
}
