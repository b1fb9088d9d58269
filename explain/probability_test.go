package explain_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/mdtext"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/oracle/randomlts"
	"github.com/inev-lts/inev/report"
	"github.com/inev-lts/inev/simplify"
)

// isTrue evaluates the formula at the positions of a word that goes on at position loop for ever; it may be long.
func (f *wish) isTrue(word string, loop int) []bool {
	n := len(word)
	var a, b []bool
	if len(f.parts) > 0 {
		a = f.parts[0].isTrue(word, loop)
	}
	if len(f.parts) > 1 {
		b = f.parts[1].isTrue(word, loop)
	}
	is := make([]bool, n)
	each := func(holds func(i int) bool) []bool {
		for i := range is {
			is[i] = holds(i)
		}
		return is
	}
	until := func(a, b func(i int) bool) []bool {
		for range 2 { // what comes after the loop's beginning is known in the second round
			for i := n - 1; i >= 0; i-- {
				next := i + 1
				if next == n {
					next = loop
				}
				is[i] = b(i) || a(i) && is[next]
			}
		}
		return is
	}
	always := func(int) bool { return true }
	switch f.op {
	case "!":
		return each(func(i int) bool { return !a[i] })
	case "X":
		return each(func(i int) bool {
			if i+1 == n {
				return a[loop]
			}
			return a[i+1]
		})
	case "F":
		return until(always, func(i int) bool { return a[i] })
	case "G":
		until(always, func(i int) bool { return !a[i] })
		return each(func(i int) bool { return !is[i] })
	case "U":
		return until(func(i int) bool { return a[i] }, func(i int) bool { return b[i] })
	case "&&":
		return each(func(i int) bool { return a[i] && b[i] })
	case "||":
		return each(func(i int) bool { return a[i] || b[i] })
	case "->":
		return each(func(i int) bool { return !a[i] || b[i] })
	}
	return each(func(i int) bool { return word[i] == f.op[0] })
}

// walker goes at random, by which almost all runs are met.
type walker struct {
	m *lts.LTS
	r *rand.Rand
	f *wish
}

func (w walker) step(s lts.State) (byte, lts.State) {
	labels, targets := w.m.Out(s)
	i := w.r.IntN(len(targets))
	return w.m.Alphabet().Text(labels.At(i))[0], targets[i]
}

// longWalk is a number of transitions by which a walk is where it stays, and comes by all short words there.
const longWalk = 200

// satisfies walks on from a state after a word, and reports whether the run satisfies the formula: that goes round what the
// walk has done since it stays, from a state to itself.
func (w walker) satisfies(word string, s lts.State) bool {
	var b strings.Builder
	b.WriteString(word)
	for range w.r.IntN(20) + 40 {
		var l byte
		l, s = w.step(s)
		b.WriteByte(l)
	}
	loop, from := b.Len(), s
	for i := 0; i < longWalk || s != from; i++ {
		if i == 10*longWalk { // it had not come where it stays
			loop, from = b.Len(), s
			i = 0
		}
		var l byte
		l, s = w.step(s)
		b.WriteByte(l)
	}
	return w.f.isTrue(b.String(), loop)[0]
}

// some and all report whether some, or all, of many walks satisfy the formula.
func (w walker) some(word string, s lts.State) bool { return w.oneThat(true, word, s) }

func (w walker) oneThat(satisfies bool, word string, s lts.State) bool {
	for range 300 {
		if w.satisfies(word, s) == satisfies {
			return true
		}
	}
	return false
}

func (w walker) all(word string, s lts.State) bool {
	for range 30 {
		if !w.satisfies(word, s) {
			return false
		}
	}
	return true
}

// endless draws a model without deadlocks.
func endless(t *testing.T, r *rand.Rand) *lts.LTS {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C")}
	n := 1 + r.IntN(5)
	for s := range n {
		for range 1 + r.IntN(2) {
			b.Add(lts.State(s), labels[r.IntN(3)], lts.State(r.IntN(n)))
		}
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestProbabilitiesAreThoseOfWalks compares what is said of almost all runs with random walks.
func TestProbabilitiesAreThoseOfWalks(t *testing.T) {
	ctx := context.Background()
	full, err := actl.ParseAssumption(ctx, "full")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]int{}
	for seed := range randomlts.Share(1_500) {
		r := rand.New(rand.NewPCG(seed, 83))
		f := drawWish(r, 2+r.IntN(2))
		if r.IntN(2) == 0 {
			f = drawBounded(r)
		}
		g := parseAny(t, f.String())
		m := endless(t, r)
		w := walker{m, r, f}
		fail := func(what string, of ...any) {
			t.Fatalf("seed %d, %s: %s %s\n%s", seed, f, what, fmt.Sprint(of...), texts(m))
		}
		e, err := explain.Explain(ctx, m, g, explain.Options{Source: explain.Source{File: "m.aut"}, Fair: []*actl.Assumption{full}})
		if errors.Is(err, explain.ErrNoRunCounts) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		met[e.Verdict.String()]++
		if e.Verdict == explain.Satisfied {
			if !w.all("", m.Initial()) {
				fail("holds with probability 1, and a walk violates it")
			}
		} else {
			w.judge(e, met, fail)
		}
		plain, err := explain.Explain(ctx, m, g, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		said := report.NewSentences(plain, mdtext.Code).InFull()
		for _, c := range said.Story().All() {
			switch text := said.Say(c); {
			case strings.HasPrefix(text, "It holds with probability 1"):
				if met["probability 1"]++; e.Verdict != explain.Satisfied {
					fail(text)
				}
			case strings.Contains(text, "a run satisfies the property with probability 0"):
				if met["probability 0"]++; w.some("", m.Initial()) {
					fail(text)
				}
			case strings.Contains(text, "satisfies the property with probability 0"):
				if met["to probability 0"]++; e.Verdict == explain.Satisfied {
					fail(text)
				}
			}
		}
	}
	t.Log(met)
}

// judge checks what is said of the run that violates the property, and what it leads to.
func (w walker) judge(e *explain.Explanation, met map[string]int, fail func(string, ...any)) {
	c := e.Counterexample
	word := ""
	if fated := c.InitialFate == simplify.Fated; fated == w.some("", w.m.Initial()) {
		fail("the beginning is lost:", fated)
	}
	next := 0
	for i, step := range c.Steps {
		for ; next < len(e.Decisions) && int(e.Decisions[next].Step) == i; next++ {
			for _, a := range append(e.Decisions[next].Alternatives, e.Decisions[next].Chosen) {
				after := word + a.Label
				met["choice"]++
				switch is := a.First; {
				case is == neighbourhood.Correct && !w.all(after, a.To):
					fail("not certain:", i, a)
				case is == neighbourhood.Incorrect && w.some(after, a.To):
					fail("not lost:", i, a)
				case is == neighbourhood.Neutral && !(w.some(after, a.To) && w.oneThat(false, after, a.To)):
					fail("not open:", i, a)
				}
			}
		}
		word += step.Label
		if fated := step.Fate == simplify.Fated; fated == w.some(word, step.To) {
			fail("lost:", fated, i, word)
		}
		met["step"]++
	}
}
