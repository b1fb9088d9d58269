package counterexample

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// drawnResponse returns a model of more states than most shapes of loops need, and a response:
// few or many of its labels ask, and few or many answer.
func drawnResponse(t testing.TB, r *rand.Rand) (*lts.LTS, *property.Property) {
	t.Helper()
	states, labels := 5+r.IntN(200), 2+r.IntN(12)
	var b lts.Builder
	for l := range labels {
		b.Label(fmt.Sprint("l", l))
	}
	for s := range states - 1 {
		b.Add(lts.State(r.IntN(s+1)), lts.Label(r.IntN(labels)), lts.State(s+1))
	}
	if r.IntN(4) > 0 { // no deadlocks
		for s := range states {
			b.Add(lts.State(s), lts.Label(r.IntN(labels)), lts.State(r.IntN(states)))
		}
	}
	for range r.IntN(2 * states) {
		b.Add(lts.State(r.IntN(states)), lts.Label(r.IntN(labels)), lts.State(r.IntN(states)))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	const idle, pending = 0, 1
	a := property.Automaton{Columns: labels, Letters: make([]uint16, labels), Stop: []bool{true, false}, Acceptance: property.Inf(0)}
	a.Next, a.Marks = make([]property.Q, 2*labels), make([]property.Marks, 2*labels)
	asks, answers := 1+r.IntN(labels), 1+r.IntN(labels)
	for l := range labels {
		a.Letters[l] = uint16(l)
		a.Marks[l], a.Next[labels+l] = property.Mark(0), pending
		if r.IntN(asks) == 0 {
			a.Next[l] = pending
		}
		if r.IntN(answers) == 0 {
			a.Next[labels+l], a.Marks[labels+l] = idle, property.Mark(0)
		}
	}
	p, err := property.Table(m.Alphabet(), a)
	if err != nil {
		t.Fatal(err)
	}
	return m, p
}

// TestResponseInTurns compares the run, transition by transition, with that of two searches in
// products, one after the other.
func TestResponseInTurns(t *testing.T) {
	ends, loops, asked := 0, 0, 0
	for seed := range randomlts.Share(3_000) {
		m, p := drawnResponse(t, rand.New(rand.NewPCG(seed, 30)))
		x, is := responseOf(p)
		if !is {
			continue
		}
		got, err := resultOf(func(r *Result) { x.shortest(context.Background(), m, Options{}, r) })
		if err != nil {
			t.Fatal(err)
		}
		want, err := resultOf(func(r *Result) { x.shortest(context.Background(), m, Options{Engine: "gonum"}, r) })
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got.Trace) != fmt.Sprint(want.Trace) || got.Minimal != want.Minimal || got.Violated != want.Violated {
			t.Fatalf("seed %d: %v, want %v\n%v\n%v", seed, got, want, got.Trace, want.Trace)
		}
		if got.Trace == nil {
			continue
		}
		loop, is := got.Trace.LoopStart()
		if ends++; !is {
			continue
		}
		loops++
		for _, step := range got.Trace.Steps()[loop:] {
			if x.asks(step.Label) {
				asked++
				break
			}
		}
	}
	if randomlts.Whole() && (ends-loops < 300 || loops < 300 || asked < 100) {
		t.Errorf("%d runs, of which %d have loops, %d of them with a request", ends, loops, asked)
	}
}
