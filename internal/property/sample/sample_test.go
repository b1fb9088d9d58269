package sample_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/property/sample"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

func show(a *lts.Alphabet, runs []sample.Run) string {
	var all []string
	for _, r := range runs {
		var b strings.Builder
		for i, l := range r.Labels {
			if i == r.Loop {
				b.WriteString("( ")
			}
			b.WriteString(a.Text(l) + " ")
		}
		all = append(all, strings.TrimSpace(b.String()))
	}
	return strings.Join(all, " | ")
}

func model(t testing.TB) *lts.LTS {
	m, _, err := aut.Read(context.Background(), strings.NewReader("des (0,3,1)\n(0,A,0)\n(0,B,0)\n(0,other,0)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRunsShowWhatMatters: of the short runs those are shown that lead somewhere.
func TestRunsShowWhatMatters(t *testing.T) {
	for text, want := range map[string][2]string{
		"G (A -> F B)":   {"A B | ( A B", "A | ( A"},
		"Response(A; B)": {"A B | ( A B", "A | ( A"},
		"Inev(A, B)":     {"A B | A B ( A", "A | ( A"},
		"G !A":           {" | ( B", "A | ( A"},
		"GF A":           {"( A | ( A B", " | ( B"},
		"true":           {" | ( A", ""},
		"!A W B":         {"B | B ( A", "A | ( A"},
	} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		m := model(t)
		p, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		var got [2]string
		for i, accepted := range []bool{true, false} {
			runs, err := sample.Of(context.Background(), p, accepted, 2)
			if err != nil {
				t.Fatal(err)
			}
			got[i] = show(m.Alphabet(), runs)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestRunsAreWhatTheyAreSaidToBe runs random automata over the runs.
func TestRunsAreWhatTheyAreSaidToBe(t *testing.T) {
	for seed := range randomlts.Share(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := randomlts.Seeded(seed, randomlts.Small()).Model.Alphabet()
		states := 1 + r.IntN(4)
		table := property.Automaton{Columns: a.Len(), Acceptance: property.Any(property.Inf(0), property.All(property.Fin(1), property.Inf(2)))}
		for l := range a.Len() {
			table.Letters = append(table.Letters, uint16(l))
		}
		for range states {
			table.Stop = append(table.Stop, r.IntN(2) == 0)
			for range a.Len() {
				table.Next = append(table.Next, property.Q(r.IntN(states)))
				table.Marks = append(table.Marks, property.Marks(r.IntN(8)))
			}
		}
		p, err := property.Table(a, table)
		if err != nil {
			t.Fatal(err)
		}
		for _, accepted := range []bool{true, false} {
			runs, err := sample.Of(context.Background(), p, accepted, 2)
			if err != nil {
				t.Fatal(err)
			}
			for _, run := range runs {
				if got := judged(p, run); got != accepted {
					t.Fatalf("seed %d: %s is accepted: %t, said to be: %t", seed, show(a, []sample.Run{run}), got, accepted)
				}
			}
		}
	}
}

// judged runs a property over a run until it repeats.
func judged(p *property.Property, run sample.Run) bool {
	q := p.Initial()
	if run.Loop < 0 {
		for _, l := range run.Labels {
			q = p.Next(q, l)
		}
		return p.Stops(q)
	}
	for _, l := range run.Labels[:run.Loop] {
		q = p.Next(q, l)
	}
	var rounds []property.Marks
	entered := map[property.Q]int{}
	for {
		if first, again := entered[q]; again {
			var met property.Marks
			for _, m := range rounds[first:] {
				met |= m
			}
			return p.Acceptance().Holds(met)
		}
		entered[q] = len(rounds)
		var met property.Marks
		for _, l := range run.Labels[run.Loop:] {
			met |= p.Marks(q, l)
			q = p.Next(q, l)
		}
		rounds = append(rounds, met)
	}
}

// Two short runs show what a property means.
func ExampleOf() {
	f, _ := formula.Parse(context.Background(), "G (A -> F B)")
	m, _, _ := aut.Read(context.Background(), strings.NewReader("des (0,2,1)\n(0,A,0)\n(0,B,0)\n"), aut.Options{})
	p, _, _ := f.Bind(context.Background(), m.Alphabet())
	rejected, _ := sample.Of(context.Background(), p, false, 2)
	for _, r := range rejected {
		fmt.Println(show(m.Alphabet(), []sample.Run{r}), r.Loop)
	}
	// Output:
	// A -1
	// ( A 0
}
