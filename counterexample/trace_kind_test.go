package counterexample_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// automaton draws a property of up to four states and three colours.
func automaton(r *rand.Rand, a *lts.Alphabet) *property.Property {
	states := 1 + r.IntN(4)
	t := property.Automaton{Columns: a.Len(), Acceptance: property.Any(
		property.All(property.Fin(0), property.Inf(1)), property.All(property.Inf(2), property.Inf(0)))}
	for l := range a.Len() {
		t.Letters = append(t.Letters, uint16(l))
	}
	for range states {
		t.Stop = append(t.Stop, r.IntN(2) == 0)
		for range a.Len() {
			t.Next = append(t.Next, property.Q(r.IntN(states)))
			t.Marks = append(t.Marks, property.Marks(r.IntN(8)))
		}
	}
	p, err := property.Table(a, t)
	if err != nil {
		panic(err)
	}
	return p
}

// walk goes through m at random until it is stuck or has met a state again.
func walk(r *rand.Rand, m *lts.LTS) (steps []lts.Transition, loop int) {
	at := m.Initial()
	met := map[lts.State]int{at: 0}
	for {
		labels, targets := m.Out(at)
		if labels.Len() == 0 {
			return steps, -1
		}
		i := r.IntN(labels.Len())
		steps = append(steps, lts.Transition{From: at, Label: labels.At(i), To: targets[i]})
		at = targets[i]
		if loop, again := met[at]; again && r.IntN(2) == 0 {
			return steps, loop
		} else if !again {
			met[at] = len(steps)
		}
	}
}

// satisfies goes round the loop many times and looks at what is met in the second
// half of that, which is as much as is met forever.
func satisfies(p *property.Property, steps []lts.Transition, loop int) bool {
	q := p.Initial()
	var met property.Marks
	go1 := func(steps []lts.Transition) {
		for _, s := range steps {
			met |= p.Marks(q, s.Label)
			q = p.Next(q, s.Label)
		}
	}
	go1(steps)
	if loop < 0 {
		return p.Stops(q)
	}
	for range 12 {
		go1(steps[loop:])
	}
	met = 0
	for range 12 {
		go1(steps[loop:])
	}
	return met.Has(1) && !met.Has(0) || met.Has(2) && met.Has(0)
}

func TestRandomRuns(t *testing.T) {
	for seed := range randomlts.Share(5_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		c := randomlts.Seeded(seed, randomlts.Small())
		p := automaton(r, c.Model.Alphabet())
		steps, loop := walk(r, c.Model)
		found, err := counterexample.NewTrace(c.Model, p, steps, loop)
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v, loop %d: %v", seed, c, steps, loop, err)
		}
		want := satisfies(p, steps, loop)
		if found.Satisfies() != want {
			t.Fatalf("seed %d:\n%s\n%v, loop %d: satisfies %t, want %t", seed, c, steps, loop, found.Satisfies(), want)
		}
		if _, err := counterexample.NewViolating(c.Model, p, steps, loop); errors.Is(err, counterexample.ErrSatisfies) != want {
			t.Fatalf("seed %d: %v", seed, err)
		}
		q := p.Initial()
		for i, s := range steps {
			if found.At(i) != q || found.Step(i) != s {
				t.Fatalf("seed %d: property state %d after %d transitions, want %d", seed, found.At(i), i, q)
			}
			q = p.Next(q, s.Label)
		}
		if (found.Kind() == counterexample.Lasso) != (loop >= 0) || found.Len() != len(steps) {
			t.Fatalf("seed %d: %s of length %d", seed, found.Kind(), found.Len())
		}
	}
}

func TestNoRuns(t *testing.T) {
	m, _, err := lts.Explore(context.Background(), 0, func(s int, do func(string, int)) {
		if s < 2 {
			do("a", s+1)
			do("b", 0)
		}
	}, 10)
	if err != nil {
		t.Fatal(err)
	}
	p, err := property.Inev(context.Background(), m.Alphabet(), []property.Step{{}}, []uint32{0})
	if err != nil {
		t.Fatal(err)
	}
	a, b := lts.Transition{From: 0, Label: 0, To: 1}, lts.Transition{From: 1, Label: 1, To: 0}
	for _, c := range []struct {
		steps []lts.Transition
		loop  int
		want  string
	}{
		{[]lts.Transition{a}, -1, "the run ends in state 1, which is not a deadlock"},
		{[]lts.Transition{b}, 0, "step 1 leaves state 1, but the run is in state 0"},
		{[]lts.Transition{a, {From: 1, Label: 0, To: 0}}, 0, "step 2 is not a transition of the model"},
		{[]lts.Transition{a, b}, 2, "the loop begins with step 3 of 2"},
		{[]lts.Transition{a, b}, 1, "the run ends in state 0, but its loop begins in state 1"},
		{nil, -1, "the run ends in state 0, which is not a deadlock"},
	} {
		if _, err := counterexample.NewTrace(m, p, c.steps, c.loop); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, loop %d: %v, want %s", c.steps, c.loop, err, c.want)
		}
	}
}
