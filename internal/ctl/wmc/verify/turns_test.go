package verify

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// turnsOf draws turns that might take states away, mostly as they may.
func turnsOf(r *rand.Rand, m *lts.LTS, f *property.Fairness) (turns []fairTurn) {
	left := map[lts.State]bool{}
	for s := range m.NumStates() {
		left[lts.State(s)] = true
	}
	each := func(do func(t lts.Transition)) {
		for t := range m.Transitions() {
			do(t)
		}
	}
	for range 1 + r.IntN(3) {
		var turn fairTurn
		for k := range f.Tasks() {
			taken := false
			each(func(t lts.Transition) {
				taken = taken || left[t.From] && left[t.To] && slices.Contains(f.TasksOf(t.Label), uint32(k))
			})
			if taken == (r.IntN(12) == 0) {
				turn.Tasks = append(turn.Tasks, k)
			}
		}
		goes := func(s lts.State, is bool) bool {
			is = left[s] && is != (r.IntN(30) == 0)
			if is {
				delete(left, s)
			}
			return is
		}
		for s := range lts.State(m.NumStates()) {
			enables := false
			each(func(t lts.Transition) {
				enables = enables || t.From == s && slices.ContainsFunc(f.TasksOf(t.Label), func(k uint32) bool { return slices.Contains(turn.Tasks, int(k)) })
			})
			if goes(s, enables) {
				turn.States = append(turn.States, s)
			}
		}
		for range 2 {
			for s := range lts.State(m.NumStates()) {
				on, back := false, false
				each(func(t lts.Transition) {
					on, back = on || t.From == s && left[t.To], back || t.To == s && left[t.From]
				})
				if goes(s, !on) {
					turn.Ends = append(turn.Ends, s)
				} else if goes(s, !back) {
					turn.Begins = append(turn.Begins, s)
				}
			}
		}
		turns = append(turns, turn)
	}
	return turns
}

// fairStates returns the states of each set of transitions that a run can take forever, and be fair.
func fairStates(m *lts.LTS, f *property.Fairness) (all [][]lts.State) {
	var transitions []lts.Transition
	for t := range m.Transitions() {
		transitions = append(transitions, t)
	}
	for choice := 1; choice < 1<<len(transitions); choice++ {
		var set []lts.Transition
		var states []lts.State
		for i, t := range transitions {
			if choice>>i&1 != 0 {
				set = append(set, t)
				states = append(states, t.From, t.To)
			}
		}
		connected := true
		for _, forward := range []bool{true, false} {
			met := map[lts.State]bool{set[0].From: true}
			for range set {
				for _, t := range set {
					if !forward {
						t.From, t.To = t.To, t.From
					}
					met[t.To] = met[t.To] || met[t.From]
				}
			}
			connected = connected && !slices.ContainsFunc(states, func(s lts.State) bool { return !met[s] })
		}
		fair := true
		for k := range uint32(len(f.Tasks())) {
			enabled := slices.ContainsFunc(transitions, func(t lts.Transition) bool {
				return slices.Contains(states, t.From) && slices.Contains(f.TasksOf(t.Label), k)
			})
			fair = fair && (!enabled || slices.ContainsFunc(set, func(t lts.Transition) bool { return slices.Contains(f.TasksOf(t.Label), k) }))
		}
		if connected && fair {
			all = append(all, states)
		}
	}
	return all
}

// TestTurns: where turns are accepted, no state that goes lies in a fair set.
func TestTurns(t *testing.T) {
	accepted, refused, sets := 0, 0, 0
	for seed := range randomlts.Share(20_000) {
		r := rand.New(rand.NewPCG(seed, 5))
		m := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 8, Labels: 5, Steps: 1}).Model
		var tasks []property.Task
		for l := range m.Alphabet().All() {
			if r.IntN(4) > 0 {
				tasks = append(tasks, property.Task{Labels: []lts.Label{l}, Strong: true})
			}
		}
		f, err := property.NewFairness(m.Alphabet(), false, tasks, nil)
		if err != nil {
			t.Fatal(err)
		}
		if f == nil || len(tasks) == 0 {
			continue
		}
		c := &fairChecker{checker: &checker{ctx: context.Background(), m: m}, fairness: f, epochOf: make([]uint32, m.NumStates())}
		var states []lts.State
		for s := range m.NumStates() {
			states = append(states, lts.State(s))
		}
		c.setCurrent(states)
		turns := turnsOf(r, m, f)
		var rest []lts.State
		if err := abort.Try(func() {
			rest = c.afterTurns(turns, states, fairFrame{step: func(lts.State, lts.Label, lts.State) bool { return true }})
		}); err != nil {
			refused++
			continue
		}
		accepted++
		for _, set := range fairStates(m, f) {
			sets++
			if slices.ContainsFunc(set, func(s lts.State) bool { return !slices.Contains(rest, s) }) {
				t.Fatalf("seed %d: turns %+v leave %v, but the states %v make a fair set of\n%v", seed, turns, rest, set, slices.Collect(m.Transitions()))
			}
		}
	}
	if randomlts.Whole() && (accepted < 2_000 || refused < 2_000 || sets < 500) {
		t.Errorf("%d are accepted, %d refused, with %d fair sets", accepted, refused, sets)
	}
}
