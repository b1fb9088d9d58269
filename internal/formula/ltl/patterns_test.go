package ltl_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/testing/collection"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

var letters = []string{"a", "b", "c", "x", "y", "ab", "xy", "other"}

// word is a lasso of labels, or without a loop a run that stops.
type word struct {
	labels []string
	loop   int // -1 for none
}

// holds evaluates a formula at all positions at once, fixpoints by iteration. The last
// position of a run that stops is that of nothing happening, forever.
func (w word) holds(f *temporal.Formula, steps []actl.Pattern) bool {
	n, next := len(w.labels), w.loop
	if w.loop < 0 {
		n, next = n+1, n
	}
	after := func(i int) int {
		if i == n-1 {
			return next
		}
		return i + 1
	}
	var eval func(*temporal.Formula) []bool
	fixpoint := func(start bool, step func(i int, later bool) bool) []bool {
		v := slices.Repeat([]bool{start}, n)
		for range n + 1 {
			for i := n - 1; i >= 0; i-- {
				v[i] = step(i, v[after(i)])
			}
		}
		return v
	}
	eval = func(f *temporal.Formula) []bool {
		var p [][]bool
		for _, part := range f.Parts() {
			p = append(p, eval(part))
		}
		v := make([]bool, n)
		at := func(value func(i int) bool) []bool {
			for i := range v {
				v[i] = value(i)
			}
			return v
		}
		switch f.Operator() {
		case temporal.TrueOp:
			return at(func(int) bool { return true })
		case temporal.FalseOp:
			return v
		case temporal.AtomOp:
			return at(func(i int) bool { return i < len(w.labels) && steps[f.Number()].Matches(w.labels[i]) })
		case temporal.DeadlockOp:
			return at(func(i int) bool { return i == len(w.labels) })
		case temporal.NotOp:
			return at(func(i int) bool { return !p[0][i] })
		case temporal.AndOp:
			return at(func(i int) bool { return !slices.ContainsFunc(p, func(x []bool) bool { return !x[i] }) })
		case temporal.OrOp:
			return at(func(i int) bool { return slices.ContainsFunc(p, func(x []bool) bool { return x[i] }) })
		case temporal.ImpliesOp:
			return at(func(i int) bool { return !p[0][i] || p[1][i] })
		case temporal.NextOp:
			return at(func(i int) bool { return p[0][after(i)] })
		case temporal.EventuallyOp:
			return fixpoint(false, func(i int, later bool) bool { return p[0][i] || later })
		case temporal.AlwaysOp:
			return fixpoint(true, func(i int, later bool) bool { return p[0][i] && later })
		case temporal.UntilOp:
			return fixpoint(false, func(i int, later bool) bool { return p[1][i] || p[0][i] && later })
		case temporal.WeakUntilOp:
			return fixpoint(true, func(i int, later bool) bool { return p[1][i] || p[0][i] && later })
		}
		panic("no pattern has this operator")
	}
	return eval(f)[0]
}

// accepts runs a property on a word.
func (w word) accepts(p *property.Property) bool {
	q := p.Initial()
	step := func(text string) property.Marks {
		l, _ := p.Alphabet().Lookup(text)
		m := p.Marks(q, l)
		q = p.Next(q, l)
		return m
	}
	for _, text := range w.labels {
		step(text)
	}
	if w.loop < 0 {
		return p.Stops(q)
	}
	var met property.Marks
	for round := range 2 * p.States() {
		if round == p.States() {
			met = 0
		}
		for _, text := range w.labels[w.loop:] {
			met |= step(text)
		}
	}
	return p.Acceptance().Holds(met)
}

func randomWord(r *rand.Rand) word {
	w := word{loop: -1}
	for range r.IntN(9) {
		w.labels = append(w.labels, letters[r.IntN(len(letters))])
	}
	if len(w.labels) > 0 && r.IntN(4) > 0 {
		w.loop = r.IntN(len(w.labels))
	}
	return w
}

// TestPatternsAreTheirLTL compares each pattern in each scope with its formula of linear
// temporal logic, evaluated directly on runs with loops and runs that stop.
func TestPatternsAreTheirLTL(t *testing.T) {
	a := alphabetOf(t, letters)
	for _, text := range collection.Patterns() {
		text = collection.Widened(text)
		f, err := actl.Parse(context.Background(), text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		p, _, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		written := ltl.Of(f)
		formula, steps := written.Temporal(), written.Atoms()
		for seed := range randomlts.Share(3000) {
			w := randomWord(rand.New(rand.NewPCG(seed, 7)))
			want := w.holds(formula, steps)
			if got := w.accepts(p); got != want {
				t.Fatalf("%s, that is %s: the automaton says %t of %v", text, written, got, w)
			}
		}
	}
}

func alphabetOf(t testing.TB, texts []string) *lts.Alphabet {
	t.Helper()
	a, err := lts.NewAlphabet(texts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
