package temporal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// word is a run as a formula sees it: the sets of atoms of its positions, bit i for atom
// i. It stops at its end where loop is negative, and goes on at loop forever elsewhere.
type word struct {
	letters []int
	loop    int
}

func (w word) String() string {
	var b strings.Builder
	for i, l := range w.letters {
		if i == w.loop {
			b.WriteString("( ")
		}
		fmt.Fprintf(&b, "%03b ", l)
	}
	return b.String()
}

// evaluate reports whether a formula holds of a word. It goes through positions, each of
// which has one that follows; nothing happens at one more behind the end.
func evaluate(f *temporal.Formula, w word) bool {
	n := len(w.letters)
	if w.loop < 0 {
		n++
	}
	following := func(i int) int {
		switch {
		case i+1 < n:
			return i + 1
		case w.loop < 0:
			return i
		}
		return w.loop
	}
	var at func(f *temporal.Formula) []bool
	// fixpoint improves upon a guess until nothing changes.
	fixpoint := func(guess bool, better func(i int, later bool) bool) []bool {
		holds := make([]bool, n)
		for i := range holds {
			holds[i] = guess
		}
		for changed := true; changed; {
			changed = false
			for i := n - 1; i >= 0; i-- {
				if now := better(i, holds[following(i)]); now != holds[i] {
					holds[i], changed = now, true
				}
			}
		}
		return holds
	}
	each := func(value func(i int) bool) []bool {
		holds := make([]bool, n)
		for i := range holds {
			holds[i] = value(i)
		}
		return holds
	}
	at = func(f *temporal.Formula) []bool {
		var parts [][]bool
		for _, p := range f.Parts() {
			parts = append(parts, at(p))
		}
		switch f.Operator() {
		case temporal.TrueOp:
			return each(func(int) bool { return true })
		case temporal.AtomOp:
			return each(func(i int) bool { return i < len(w.letters) && w.letters[i]>>f.Number()&1 != 0 })
		case temporal.DeadlockOp:
			return each(func(i int) bool { return i >= len(w.letters) })
		case temporal.NotOp:
			return each(func(i int) bool { return !parts[0][i] })
		case temporal.AndOp:
			return each(func(i int) bool {
				for _, p := range parts {
					if !p[i] {
						return false
					}
				}
				return true
			})
		case temporal.OrOp:
			return each(func(i int) bool {
				for _, p := range parts {
					if p[i] {
						return true
					}
				}
				return false
			})
		case temporal.ImpliesOp:
			return each(func(i int) bool { return !parts[0][i] || parts[1][i] })
		case temporal.IffOp:
			return each(func(i int) bool { return parts[0][i] == parts[1][i] })
		case temporal.NextOp:
			return each(func(i int) bool { return parts[0][following(i)] })
		case temporal.EventuallyOp:
			return fixpoint(false, func(i int, later bool) bool { return parts[0][i] || later })
		case temporal.AlwaysOp:
			return fixpoint(true, func(i int, later bool) bool { return parts[0][i] && later })
		case temporal.UntilOp:
			return fixpoint(false, func(i int, later bool) bool { return parts[1][i] || parts[0][i] && later })
		case temporal.WeakUntilOp:
			return fixpoint(true, func(i int, later bool) bool { return parts[1][i] || parts[0][i] && later })
		case temporal.ReleaseOp:
			return fixpoint(true, func(i int, later bool) bool { return parts[1][i] && (parts[0][i] || later) })
		case temporal.StrongOp:
			return fixpoint(false, func(i int, later bool) bool { return parts[1][i] && (parts[0][i] || later) })
		}
		return make([]bool, n) // false
	}
	return at(f)[0]
}

// accepts runs a property over a word. Label l of its alphabet has the atoms l.
func accepts(p *property.Property, w word) bool {
	q := p.Initial()
	if w.loop < 0 {
		for _, l := range w.letters {
			q = p.Next(q, lts.Label(l))
		}
		return p.Stops(q)
	}
	for _, l := range w.letters[:w.loop] {
		q = p.Next(q, lts.Label(l))
	}
	round := func(q property.Q) (property.Q, property.Marks) {
		var met property.Marks
		for _, l := range w.letters[w.loop:] {
			met |= p.Marks(q, lts.Label(l))
			q = p.Next(q, lts.Label(l))
		}
		return q, met
	}
	for range p.States() {
		q, _ = round(q)
	}
	var met property.Marks
	for range p.States() {
		to, more := round(q)
		q, met = to, met|more
	}
	return p.Acceptance().Holds(met)
}

const atoms = 3

// everything is the alphabet of a label for each set of atoms, and what does each atom.
func everything() (*lts.Alphabet, []property.Step) {
	var b lts.Builder
	steps := make([]property.Step, atoms)
	for l := range 1 << atoms {
		b.Add(0, b.Label(strconv.Itoa(l)), 0)
		for i := range steps {
			if l>>i&1 != 0 {
				steps[i].Labels = append(steps[i].Labels, lts.Label(l))
			}
		}
	}
	for i := range steps {
		steps[i].Pattern = named(names[i])
	}
	m, err := b.Build(0, 1)
	if err != nil {
		panic(err)
	}
	return m.Alphabet(), steps
}

var names = []string{"a", "b", "c"}

type named string

func (n named) String() string      { return string(n) }
func (n named) Matches(string) bool { return false }

func formulas(depth int) *rapid.Generator[*temporal.Formula] {
	return rapid.Custom(func(t *rapid.T) *temporal.Formula { return drawFormula(t, depth) })
}

func drawFormula(t *rapid.T, depth int) *temporal.Formula {
	if depth == 0 || rapid.IntRange(0, 5).Draw(t, "leaf") == 0 {
		k := rapid.IntRange(0, 11).Draw(t, "atom")
		switch {
		case k == 9:
			return temporal.Deadlock()
		case k == 10:
			return temporal.True()
		case k == 11:
			return temporal.False()
		default:
			return temporal.Atom(k % atoms)
		}
	}
	one := func(build func(*temporal.Formula) *temporal.Formula) *temporal.Formula {
		return build(drawFormula(t, depth-1))
	}
	two := func(build func(a, b *temporal.Formula) *temporal.Formula) *temporal.Formula {
		return build(drawFormula(t, depth-1), drawFormula(t, depth-1))
	}
	switch rapid.IntRange(0, 12).Draw(t, "operator") {
	case 0:
		return one(temporal.Not)
	case 1:
		return two(func(a, b *temporal.Formula) *temporal.Formula { return temporal.And(a, b) })
	case 2:
		return two(func(a, b *temporal.Formula) *temporal.Formula { return temporal.Or(a, b) })
	case 3:
		return two(temporal.Implies)
	case 4:
		return two(temporal.Iff)
	case 5:
		return one(temporal.Next)
	case 6, 7:
		return one(temporal.Eventually)
	case 8:
		return one(temporal.Always)
	case 9:
		return two(temporal.Until)
	case 10:
		return two(temporal.WeakUntil)
	case 11:
		return two(temporal.Release)
	}
	return two(temporal.StrongRelease)
}

func drawWord(t *rapid.T) word {
	w := word{letters: rapid.SliceOfN(rapid.IntRange(0, 1<<atoms-1), 0, 6).Draw(t, "letters"), loop: -1}
	if len(w.letters) > 0 {
		w.loop = rapid.IntRange(-1, len(w.letters)-1).Draw(t, "loop")
	}
	return w
}

// wordsOfEach is how many words each formula is tried on.
const wordsOfEach = 20

// TestAutomataAgreeWithSemantics compares the automata of random formulas with their
// meaning on random words that go round or stop. INEV_LTL_FORMULAS draws more formulas.
func TestAutomataAgreeWithSemantics(t *testing.T) {
	alphabet, steps := everything()
	pairs, beyond := 0, 0
	try := func(t *rapid.T) {
		f := formulas(4).Draw(t, "formula")
		p, err := temporal.Bind(context.Background(), alphabet, f, steps, property.KindLTL, "")
		var budget *temporal.BudgetError
		if errors.As(err, &budget) {
			beyond++
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for range wordsOfEach {
			w := drawWord(t)
			if got, want := accepts(p, w), evaluate(f, w); got != want {
				t.Fatalf("%s on %s (loop %d): %t, want %t", f.Text(names), w, w.loop, got, want)
			}
			pairs++
		}
	}
	rounds := 51
	if !randomlts.Whole() {
		rounds = 5
	}
	if text := os.Getenv("INEV_LTL_FORMULAS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		rounds = n / 100
	}
	for range rounds {
		rapid.Check(t, try)
	}
	if rounds >= 51 && pairs < 100_000 {
		t.Errorf("only %d pairs of formula and word", pairs)
	}
	t.Logf("%d pairs of formula and word; %d formulas beyond the budget", pairs, beyond)
	if beyond*50 > pairs/wordsOfEach {
		t.Errorf("%d formulas are beyond the budget", beyond)
	}
}
