package monitor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/neighbourhood/monitor"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// TestFatesAreThoseOfAllWords follows random runs, and asks the oracle after each action
// what words of the labels that the patterns tell apart can still bring.
func TestFatesAreThoseOfAllWords(t *testing.T) {
	var b lts.Builder
	for _, text := range []string{"a", "b", "a !1", "x", "y", "other"} {
		b.Add(0, b.Label(text), 0)
		b.Add(0, b.Label(text), 1)
	}
	words, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	met := map[fate.Fate]int{}
	for n, text := range []string{
		"Inev(a, b)", "Response(a; b)", "Never(a, b)", `Precedes(a; "a !1")`, `Precedes("a !1"; a)`, "Always({a, b, x}; before y)", "AtMost(1; a; after x until y)",
		"Inev(a; between x and y)", "DeadlockFree", "G (a -> F b) && !F x", "F G a || X X b", "G F a -> G F b", `{"a !1", b} R (a || b || x)`,
		"G (a -> {a, b})", "F (a && !{a, x})", `G ("a !1" -> a) && G {a, b, x}`, "{a, y} U ({y, b} && !y)",
	} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), words.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		general := oracle.NewGeneral(words, fromproperty.Automaton(p))
		for seed := range 60 {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(n)))
			m, err := monitor.New(context.Background(), f.(monitor.Formula))
			if err != nil {
				t.Fatal(err)
			}
			q := p.Initial()
			for i := range 8 {
				accept, reject := general.Can(0, int(q))
				want := fate.Open
				stops := p.Stops(q)
				switch {
				case !reject && stops:
					want = fate.Sure
				case !accept && !stops:
					want = fate.Lost
				}
				if m.Fate() != want || m.Stops() != p.Stops(q) {
					t.Fatalf("%s, seed %d, after %d actions: %s, want %s", text, seed, i, m.Fate(), want)
				}
				met[want]++
				l := lts.Label(r.IntN(words.Alphabet().Len()))
				if err := m.Step(words.Alphabet().Text(l)); err != nil {
					t.Fatal(err)
				}
				q = p.Next(q, l)
			}
		}
	}
	if met[fate.Sure] < 100 || met[fate.Lost] < 100 || met[fate.Open] < 100 {
		t.Errorf("fates met: %v", met)
	}
}

// TestManyLabels: labels that are new again and again are not remembered forever.
func TestManyLabels(t *testing.T) {
	f, err := formula.Parse(context.Background(), "Response(REQ; /^ACK [0-9]*7$/)")
	if err != nil {
		t.Fatal(err)
	}
	m, err := monitor.New(context.Background(), f.(monitor.Formula))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20_000 {
		for _, label := range []string{fmt.Sprint("REQ !", i), fmt.Sprint("ACK ", i)} {
			if err := m.Step(label); err != nil {
				t.Fatal(err)
			}
		}
		if m.Stops() != (i%10 == 7) {
			t.Fatalf("after round %d: %s", i, m.Pending())
		}
	}
}

func ExampleMonitor() {
	f, _ := formula.Parse(context.Background(), "Never(DELETE; before LOGIN)")
	m, _ := monitor.New(context.Background(), f.(monitor.Formula))
	for _, action := range []string{"PING", "DELETE !17", "LOGIN"} {
		_ = m.Step(action)
		fmt.Println(action, m.Fate(), m.Pending())
	}
	// Output:
	// PING open DELETE is not allowed, should LOGIN follow
	// DELETE !17 open DELETE has happened, so LOGIN must not follow
	// LOGIN lost DELETE has happened before LOGIN
}

// TestFatesOfRandomFormulas compares the monitor with the oracle, on formulas whose atoms are
// sets that overlap.
func TestFatesOfRandomFormulas(t *testing.T) {
	var b lts.Builder
	for _, text := range []string{"a", "b", "a !1", "a !2", "ab", "x", "other"} {
		b.Add(0, b.Label(text), 0)
		b.Add(0, b.Label(text), 1)
	}
	words, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := "true && (" + temporalFormula(t, 3) + ")"
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), words.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		general := oracle.NewGeneral(words, fromproperty.Automaton(p))
		m, err := monitor.New(context.Background(), f.(monitor.Formula))
		if err != nil {
			t.Fatal(err)
		}
		q := p.Initial()
		for i := range 5 {
			accept, reject := general.Can(0, int(q))
			want := fate.Open
			stops := p.Stops(q)
			switch {
			case !reject && stops:
				want = fate.Sure
			case !accept && !stops:
				want = fate.Lost
			}
			if m.Fate() != want || m.Stops() != p.Stops(q) {
				t.Fatalf("%s, after %d actions: %s, want %s", text, i, m.Fate(), want)
			}
			l := lts.Label(rapid.IntRange(0, words.Alphabet().Len()-1).Draw(t, "label"))
			if err := m.Step(words.Alphabet().Text(l)); err != nil {
				t.Fatal(err)
			}
			q = p.Next(q, l)
		}
	})
}

// temporalFormula draws a formula in linear temporal logic.
func temporalFormula(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"a", "b", "{a, b}", "{b, x}", `"a !1"`, `{"a !1", x}`, `"a"`, "a*", "deadlock", "{a, b, x}"}).Draw(t, "atom")
	}
	sub := func() string { return temporalFormula(t, rapid.IntRange(0, depth-1).Draw(t, "depth")) }
	switch rapid.IntRange(0, 3).Draw(t, "arity") {
	case 0:
		return sub()
	case 1:
		return rapid.SampledFrom([]string{"!", "X ", "F ", "G "}).Draw(t, "operator") + "(" + sub() + ")"
	}
	return "(" + sub() + " " + rapid.SampledFrom([]string{"&&", "||", "->", "U", "W", "R"}).Draw(t, "operator") + " " + sub() + ")"
}
