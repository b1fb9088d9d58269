package explain_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// TestForks: in each place that runs reach, there is a correct and a violating continuation iff brute force
// finds one, and no shorter one than the shortest of brute force.
func TestForks(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 72))
		m := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 3, Steps: 1}).Model
		text := []string{"Inev(A)", "Inev(A, B)", "Response(A; B)", "Never(C)", "GF A || GF B", "FG !B"}[r.IntN(6)]
		f := parseAny(t, text)
		e, err := explain.Explain(ctx, m, f, explain.Options{NoFairness: true, NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		p := e.Classification().Fates().Property()
		a := fromproperty.Automaton(p)
		g := oracle.NewGeneral(m, a)
		for s := range lts.State(m.NumStates()) {
			for q := range a.States {
				if !g.Reached(s, q) {
					continue
				}
				fork, err := e.ForkAt(ctx, s, property.Q(q))
				if err != nil {
					t.Fatal(err)
				}
				accept, reject := g.Can(s, q)
				if accept != (fork.Correct != nil) || reject != (fork.Violating != nil) {
					t.Fatalf("seed %d: %s in state %d·%d: correct %t, violating %t; want %t, %t\n%s", seed, text, s, q, fork.Correct != nil, fork.Violating != nil, accept, reject, texts(m))
				}
				checkContinuation(t, m, a, s, q, fork.Correct, true)
				checkContinuation(t, m, a, s, q, fork.Violating, false)
				met[text]++
			}
		}
	}
	t.Log(met)
}

// checkContinuation checks one continuation of a fork.
func checkContinuation(t *testing.T, m *lts.LTS, a oracle.Automaton, s lts.State, q int, c *explain.Counterexample, correct bool) {
	t.Helper()
	if c == nil {
		return
	}
	at := s
	word := []lts.Label{}
	for _, step := range c.Steps {
		l, _ := m.Alphabet().Lookup(step.Label)
		if step.From != at || m.Transition(step.From, step.Label, step.To) != (lts.Transition{From: step.From, Label: l, To: step.To}) {
			t.Fatalf("%+v is no path from state %d", c.Steps, s)
		}
		at = step.To
		word = append(word, l)
	}
	if c.Kind == counterexample.Prefix {
		return // whether it is one is a matter of the automaton alone
	}
	of := a
	of.Initial = q
	if acceptsWord(of, word, int(c.LoopStart)) != correct || c.LoopStart < 0 != m.IsDeadlock(at) {
		t.Fatalf("%+v from state %d·%d: correct is %t", c.Steps, s, q, correct)
	}
	if correct {
		accepts, stops := of.Accepts, of.Stops
		of.Accepts = func(colours map[int]bool) bool { return !accepts(colours) }
		of.Stops = func(q int) bool { return !stops(q) }
	}
	var b lts.Builder
	b.Over(m.Alphabet())
	for t := range m.Transitions() {
		b.Add(t.From, t.Label, t.To)
	}
	from, err := b.Build(s, m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	least, found := oracle.NewGeneral(from, of).ShortestViolation()
	if !found || c.Length > least || c.Minimal == counterexample.InProduct && c.Length != least {
		t.Fatalf("%+v from state %d·%d is longer than %d", c.Steps, s, q, least)
	}
}

// acceptsWord reports whether an automaton accepts a word: an end, or a loop from an index on.
func acceptsWord(a oracle.Automaton, word []lts.Label, loop int) bool {
	q := a.Initial
	for _, l := range word {
		q = a.Next(q, l)
	}
	if loop < 0 {
		return a.Stops(q)
	}
	marks := map[int]bool{}
	for round := range 2 * a.States {
		for _, l := range word[loop:] {
			for c := range a.Marks(q, l) {
				if round >= a.States {
					marks[c] = true
				}
			}
			q = a.Next(q, l)
		}
	}
	return a.Accepts(marks)
}
