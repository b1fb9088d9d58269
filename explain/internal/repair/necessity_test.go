package repair_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

const enough = 1 << 40

// necessity is what all violations have in common with a run.
func necessity(t *testing.T, m *lts.LTS, p *property.Property, run *counterexample.Trace, work int64) *repair.Necessity {
	t.Helper()
	u, err := product.Unfold(context.Background(), m, p)
	if err != nil {
		t.Fatal(err)
	}
	found, err := repair.FindNecessity(context.Background(), u, run, work, work)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func shortest(t *testing.T, m *lts.LTS, p *property.Property) *counterexample.Trace {
	t.Helper()
	r, err := counterexample.Shortest(context.Background(), m, p, counterexample.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Trace
}

// marked returns the model with the label T at a transition, and how its label is to be
// written in formulas: T does what the label did.
func marked(t *testing.T, m *lts.LTS, mark lts.Transition) (*lts.LTS, *strings.Replacer) {
	t.Helper()
	var b lts.Builder
	for x := range m.Transitions() {
		text := m.Alphabet().Text(x.Label)
		if x == mark {
			text = "T"
		}
		b.Add(x.From, b.Label(text), x.To)
	}
	edited, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	text := m.Alphabet().Text(mark.Label)
	return edited, strings.NewReplacer(text, "("+text+" || T)")
}

// TestAgreesWithFormulas: every violation takes a transition iff the property holds of all runs
// but those that take it. A formula says so once it has a label of its own.
func TestAgreesWithFormulas(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(10_000) {
		random := rand.New(rand.NewPCG(seed, 38))
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 10, Labels: 3, Steps: 1}).Model
		text := []string{"F A", "F (A && X F B)", "F (A && X F (B && X F A))", "GF A", "G (A -> F B)", "GF A || GF B", "FG !B", "G !A"}[random.IntN(8)]
		p := bindAny(t, m, text)
		run := shortest(t, m, p)
		if run == nil {
			continue
		}
		r := necessity(t, m, p, run, enough)
		for i, every := range r.Every {
			edited, write := marked(t, m, run.Step(i))
			holds := shortest(t, edited, bindAny(t, edited, "("+write.Replace(text)+") || F T")) == nil
			if every != holds {
				t.Fatalf("seed %d, %s: step %d of %v is necessary: %t, by the formula %t", seed, text, i+1, run.Steps(), every, holds)
			}
			met[map[bool]string{true: "necessary", false: "not necessary"}[every]]++
		}
		if stop := stopsOnly(t, m, p, text, run); r.Stop != stop {
			t.Fatalf("seed %d, %s: the stop of %v is necessary: %t, by the formula %t", seed, text, run.Steps(), r.Stop, stop)
		} else if stop {
			met["stop"]++
		}
	}
	for _, what := range []string{"necessary", "not necessary", "stop"} {
		if randomlts.Whole() && met[what] < 50 {
			t.Errorf("only %d times: %s", met[what], what)
		}
	}
}

// stopsOnly reports whether all violations stop where the run does, and nothing else does: the
// first by a loop there that no run must take, the second by looking at all places.
func stopsOnly(t *testing.T, m *lts.LTS, p *property.Property, text string, run *counterexample.Trace) bool {
	t.Helper()
	if run.Kind() != counterexample.Deadlock {
		return false
	}
	var b lts.Builder
	for x := range m.Transitions() {
		b.Add(x.From, b.Label(m.Alphabet().Text(x.Label)), x.To)
	}
	b.Add(run.Last(), b.Label("T"), run.Last())
	looped, err := b.Build(m.Initial(), m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	if shortest(t, looped, bindAny(t, looped, "("+text+") || F T")) != nil {
		return false
	}
	type place struct {
		s lts.State
		q property.Q
	}
	met := map[place]bool{}
	var visit func(place) bool
	visit = func(x place) bool {
		if met[x] {
			return true
		}
		met[x] = true
		if x.s == run.Last() && p.Stops(x.q) {
			return false
		}
		labels, targets := m.Out(x.s)
		for i, to := range targets {
			if !visit(place{to, p.Next(x.q, labels.At(i))}) {
				return false
			}
		}
		return true
	}
	return visit(place{m.Initial(), p.Initial()})
}

// TestMissing: of a square of two actions that lacks a side, the side is found.
func TestMissing(t *testing.T) {
	var b lts.Builder
	for _, x := range []struct {
		from  lts.State
		label string
		to    lts.State
	}{{0, "A", 1}, {0, "B", 2}, {1, "B", 3}, {3, "END", 4}} {
		b.Add(x.from, b.Label(x.label), x.to)
	}
	m, err := b.Build(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	p := bindAny(t, m, "F END")
	run := shortest(t, m, p)
	r := necessity(t, m, p, run, enough)
	label, _ := m.Alphabet().Lookup("A")
	if want := (lts.Transition{From: 2, Label: label, To: 3}); !r.Stop || len(r.Missing) == 0 || r.Missing[0] != want {
		t.Errorf("missing are %v, stop %t; want %v first", r.Missing, r.Stop, want)
	}
}

// TestMissingIsEnough: with each transition that is named the property holds.
func TestMissingIsEnough(t *testing.T) {
	named := 0
	for seed := range randomlts.Share(9_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 9, Labels: 3, Steps: 1}).Model
		p := bindAny(t, m, []string{"F A", "F (A && X F B)", "G (A -> F B)"}[seed%3])
		run := shortest(t, m, p)
		if run == nil || run.Kind() != counterexample.Deadlock {
			continue
		}
		for _, more := range necessity(t, m, p, run, enough).Missing {
			named++
			var b lts.Builder
			b.Over(m.Alphabet())
			b.Add(more.From, more.Label, more.To)
			for x := range m.Transitions() {
				b.Add(x.From, x.Label, x.To)
			}
			with, err := b.Build(m.Initial(), m.NumStates())
			if err != nil {
				t.Fatal(err)
			}
			if other := shortest(t, with, p); other != nil {
				t.Fatalf("seed %d: with %v there is %v", seed, more, other.Steps())
			}
		}
	}
	if randomlts.Whole() && named < 100 {
		t.Errorf("only %d transitions were named", named)
	}
}

// TestWork: where the work is not enough, nothing is said, or less that is true.
func TestWork(t *testing.T) {
	later := 0
	for _, text := range []string{"F A", "GF A"} {
		for seed := range uint64(200) {
			m := randomlts.Seeded(seed, randomlts.Small()).Model
			p := bindAny(t, m, text)
			run := shortest(t, m, p)
			if run == nil || run.Len() == 0 {
				continue
			}
			if r := necessity(t, m, p, run, 0); r != nil {
				t.Fatalf("seed %d, %s: %v", seed, text, r)
			}
			all := necessity(t, m, p, run, enough)
			for work := int64(1); ; work *= 2 {
				r := necessity(t, m, p, run, work)
				switch {
				case r == nil:
					continue
				case r.AtLength == nil:
					later++
				}
				if !slices.Equal(r.Every, all.Every) || r.AtLength != nil && !slices.Equal(r.AtLength, all.AtLength) || r.Stop && !all.Stop {
					t.Fatalf("seed %d, %s, %d: %v, %v", seed, text, work, r, all)
				}
				if r.AtLength != nil {
					break
				}
			}
		}
	}
	if later < 50 {
		t.Errorf("%d results lack what is so at this length", later)
	}
}

// TestAtLength: of the shortest runs, all that avoid a step at this length are longer.
func TestAtLength(t *testing.T) {
	met := map[bool]int{}
	for seed := range randomlts.Share(6_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 10, Labels: 3, Steps: 1}).Model
		text := []string{"F A", "F (A && X F B)", "GF A", "G (A -> F B)"}[seed%4]
		p := bindAny(t, m, text)
		run := shortest(t, m, p)
		if run == nil {
			continue
		}
		r := necessity(t, m, p, run, enough)
		family, err := counterexample.All(context.Background(), m, p, counterexample.Options{})
		if err != nil || r.AtLength == nil {
			t.Fatal(err, r.AtLength)
		}
		for i, told := range r.AtLength {
			taken := true
			for other, err := range family.Each(context.Background()) {
				if err != nil {
					t.Fatal(err)
				}
				taken = taken && slices.Contains(other.Steps(), run.Step(i))
			}
			if told != taken {
				t.Fatalf("seed %d, %s: step %d of %v: %t, of all shortest runs %t", seed, text, i+1, run.Steps(), told, taken)
			}
			met[told]++
		}
	}
	if randomlts.Whole() && (met[true] < 100 || met[false] < 100) {
		t.Errorf("%v", met)
	}
}
