package explain

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// joined are formulas that join conditions about labels of random models.
var joined = []string{
	`G (A -> F B) && G (C -> F D)`,
	`G (A -> F B) && G (B -> F C) && G (C -> F D)`,
	`G F A && G (B -> F C) && G (C -> F D)`,
	`G (A -> F B) && G F C && (F D -> F A) && G F B`,
	`G (A -> F (B && X F C)) && G (D -> F A)`,
	`G (A -> F B) && G (C -> F D) && G !(A && X A)`,
}

// TestSearchesByConditionAgree: the searches for each condition find a run if and only if the search for
// the property does, and it is a shortest one of the model: no walk that is shorter, going round or
// ending in a deadlock, violates the property.
func TestSearchesByConditionAgree(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(30, 5))
	found, held, shorter := 0, 0, 0
	for range randomlts.Share(1500) {
		m := randomJoined(t, r)
		f, err := formula.Parse(ctx, joined[r.IntN(len(joined))])
		if err != nil {
			t.Fatal(err)
		}
		a, err := prepare(ctx, m, f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		conditions, err := a.conditions()
		if err != nil {
			t.Fatal(err)
		}
		got, err := counterexample.Joined{Property: a.Property, Conditions: conditions.properties}.ByConditions(ctx, m, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got == nil {
			continue
		}
		want, err := counterexample.Shortest(ctx, m, a.Property, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if (got.Trace == nil) != (want.Trace == nil) || got.Violated != (got.Trace != nil) {
			t.Fatalf("%s: %v, want %v", f, got, want)
		}
		if got.Trace == nil {
			held++
			continue
		}
		found++
		if got.Trace.Len() < want.Trace.Len() {
			shorter++
		}
		if got.Trace.Len() > want.Trace.Len() || got.Minimal != counterexample.InModel {
			t.Fatalf("%s: %d steps, %s, want %d", f, got.Trace.Len(), got.Minimal, want.Trace.Len())
		}
		loop, _ := got.Trace.LoopStart()
		if _, err := counterexample.NewViolating(m, a.Property, got.Trace.Steps(), loop); err != nil {
			t.Fatal(err)
		}
		walks(m, min(got.Trace.Len()-1, 5), func(steps []lts.Transition, loop int) {
			if _, err := counterexample.NewViolating(m, a.Property, steps, loop); err == nil {
				t.Fatalf("%s: a run of %d steps is shorter than %d: %v", f, len(steps), got.Trace.Len(), steps)
			}
		})
	}
	t.Logf("%d runs found, %d of them shorter than in the product; %d properties hold", found, shorter, held)
	if least := int(randomlts.Share(1500)) / 15; found < 3*least || held < least/10 {
		t.Errorf("only %d runs were found, and %d properties hold", found, held)
	}
}

// randomJoined returns a small model whose labels are A, B, C and D, most of them B and D.
func randomJoined(t *testing.T, r *rand.Rand) *lts.LTS {
	var b lts.Builder
	states := 2 + r.IntN(6)
	for _, label := range []string{"A", "B", "C", "D"} {
		b.Label(label)
	}
	labels := []lts.Label{0, 1, 1, 1, 2, 3, 3, 3}
	for s := range states {
		for range r.IntN(3) {
			b.Add(lts.State(s), labels[r.IntN(len(labels))], lts.State(r.IntN(states)))
		}
		b.Add(lts.State(s), labels[r.IntN(len(labels))], lts.State((s+1)%states))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// walks yields the walks of up to so many steps that go round, from each state that they come back to,
// or end in a deadlock.
func walks(m *lts.LTS, most int, yield func(steps []lts.Transition, loop int)) {
	var steps []lts.Transition
	var walk func(at lts.State)
	walk = func(at lts.State) {
		for i, step := range steps {
			if step.From == at {
				yield(steps, i)
			}
		}
		if m.IsDeadlock(at) {
			yield(steps, -1)
		}
		if len(steps) == most {
			return
		}
		labels, targets := m.Out(at)
		for i, to := range targets {
			steps = append(steps, lts.Transition{From: at, Label: labels.At(i), To: to})
			walk(to)
			steps = steps[:len(steps)-1]
		}
	}
	walk(m.Initial())
}
