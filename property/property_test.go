package property_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// word is a pattern for tests: labels that hold its text.
type word string

func (w word) String() string            { return string(w) }
func (w word) Matches(label string) bool { return strings.Contains(label, string(w)) }

func alphabet(t testing.TB, texts ...string) *lts.Alphabet {
	t.Helper()
	a, err := lts.NewAlphabet(texts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// steps are those of the words, each with the labels that it matches.
func steps(a *lts.Alphabet, words ...word) (patterns []property.Step, order []uint32) {
	number := map[word]uint32{}
	for _, w := range words {
		q, known := number[w]
		if !known {
			q = uint32(len(patterns))
			number[w] = q
			step := property.Step{Pattern: w}
			for l, text := range a.All() {
				if w.Matches(text) {
					step.Labels = append(step.Labels, l)
				}
			}
			patterns = append(patterns, step)
		}
		order = append(order, q)
	}
	return patterns, order
}

// lasso is an infinite word, or a finite one where the loop is empty.
type lasso struct{ stem, loop []lts.Label }

func (x lasso) at(i int) lts.Label {
	if i < len(x.stem) {
		return x.stem[i]
	}
	return x.loop[(i-len(x.stem))%len(x.loop)]
}

// last is a position that no question about n steps has to look behind.
func (x lasso) last(n int) int { return len(x.stem) + (n+2)*len(x.loop) }

// answered says by the definition whether after each request the others follow,
// strictly later.
func answered(x lasso, does func(l lts.Label, step int) bool, n int) bool {
	for i := range x.last(0) {
		if !does(x.at(i), 0) {
			continue
		}
		done := 0
		for j := i + 1; j < i+1+x.last(n) && done < n; j++ {
			if len(x.loop) == 0 && j >= len(x.stem) {
				break
			}
			if does(x.at(j), done+1) {
				done++
			}
		}
		if done < n {
			return false
		}
	}
	return true
}

// accepted runs the automaton for as long as it takes to repeat itself.
func accepted(x lasso, p *property.Property) bool {
	q := p.Initial()
	for _, l := range x.stem {
		q = p.Next(q, l)
	}
	if len(x.loop) == 0 {
		return p.Stops(q)
	}
	round := func() (met property.Marks) {
		for _, l := range x.loop {
			met |= p.Marks(q, l)
			q = p.Next(q, l)
		}
		return met
	}
	for range p.States() {
		round()
	}
	var met property.Marks
	for range p.States() {
		met |= round()
	}
	return p.Acceptance().Holds(met)
}

func TestResponse(t *testing.T) {
	a := alphabet(t, "a", "b", "c", "ab", "bc", "abc", "x", "ac")
	for seed := range randomlts.Share(30_000) {
		r := rand.New(rand.NewPCG(seed, 3))
		words := []word{[]word{"a", "b", "x"}[r.IntN(3)]}
		for range 1 + r.IntN(3) {
			words = append(words, []word{"a", "b", "c"}[r.IntN(3)])
		}
		patterns, order := steps(a, words...)
		p, err := property.Response(context.Background(), a, patterns, order)
		if err != nil {
			t.Fatal(err)
		}
		var x lasso
		for range r.IntN(5) {
			x.stem = append(x.stem, lts.Label(r.IntN(a.Len())))
		}
		for range r.IntN(5) {
			x.loop = append(x.loop, lts.Label(r.IntN(a.Len())))
		}
		want := answered(x, func(l lts.Label, step int) bool { return words[step].Matches(a.Text(l)) }, len(words)-1)
		if got := accepted(x, p); got != want {
			t.Fatalf("seed %d: %s is %t on %v, want %t", seed, p, got, x, want)
		}
	}
}

func TestResponsePending(t *testing.T) {
	a := alphabet(t, "a", "b", "c")
	patterns, order := steps(a, "a", "b", "c")
	p, err := property.Response(context.Background(), a, patterns, order)
	if err != nil {
		t.Fatal(err)
	}
	if p.String() != "Response(a; b, c)" || p.Kind() != property.KindResponse {
		t.Errorf("%s of kind %s", p, p.Kind())
	}
	q := p.Initial()
	for _, c := range []struct {
		l    lts.Label
		want string
	}{{1, ""}, {0, "waiting for b since a"}, {1, "waiting for c since a, b"}, {0, "waiting for b since a"}, {1, "waiting for c since a, b"}, {2, ""}} {
		q = p.Next(q, c.l)
		if got := p.Pending(q).String(); got != c.want {
			t.Errorf("after %s: %q, want %q", a.Text(c.l), got, c.want)
		}
		if p.Stops(q) != (c.want == "") {
			t.Errorf("a run may stop: %t, and is %q", p.Stops(q), c.want)
		}
	}
	for _, n := range []int{0, 1, 65} {
		if _, err := property.Response(context.Background(), a, patterns, make([]uint32, n)); err == nil {
			t.Errorf("a response with %d steps in all was taken", n)
		}
	}
}

// randomCondition draws a condition over four colours.
func randomCondition(r *rand.Rand, depth int) property.Acceptance {
	parts := func() []property.Acceptance {
		all := make([]property.Acceptance, r.IntN(4))
		for i := range all {
			all[i] = randomCondition(r, depth-1)
		}
		return all
	}
	k := r.IntN(6)
	switch {
	case depth > 0 && k < 2:
		return property.All(parts()...)
	case depth > 0 && k < 4:
		return property.Any(parts()...)
	case k%2 == 0:
		return property.Inf(r.IntN(4))
	}
	return property.Fin(r.IntN(4))
}

// TestConditions holds what is done with conditions against every set of colours.
func TestConditions(t *testing.T) {
	for seed := range randomlts.Share(5_000) {
		r := rand.New(rand.NewPCG(seed, 4))
		a := randomCondition(r, 3)
		c, within := r.IntN(4), property.Marks(r.IntN(16))
		pairs, ok := a.Pairs(1000)
		if !ok {
			t.Fatalf("%s has too many pairs", a)
		}
		for m := range property.Marks(16) {
			holds := a.Holds(m)
			if a.Not().Holds(m) == holds {
				t.Fatalf("%s and its complement %s on %b", a, a.Not(), m)
			}
			if m&^within == 0 && a.Within(within).Holds(m) != holds {
				t.Fatalf("%s within %b is %s; on %b", a, within, a.Within(within), m)
			}
			if !m.Has(c) && a.Assume(c, true).Holds(m) != holds {
				t.Fatalf("%s without %d is %s; on %b", a, c, a.Assume(c, true), m)
			}
			if m.Has(c) && a.Assume(c, false).Holds(m) != holds {
				t.Fatalf("%s with %d is %s; on %b", a, c, a.Assume(c, false), m)
			}
			some := false
			for _, p := range pairs {
				some = some || m&p.Fin == 0 && p.Inf&^m == 0
			}
			if some != holds {
				t.Fatalf("%s as pairs is %v; on %b", a, pairs, m)
			}
		}
		all, fin := a.Colours()
		for c := range 4 {
			if all.Has(c) != (strings.Contains(a.String(), fmt.Sprintf("(%d)", c))) || fin.Has(c) != strings.Contains(a.String(), fmt.Sprintf("Fin(%d)", c)) {
				t.Fatalf("%s mentions %b, in Fin %b", a, all, fin)
			}
		}
	}
	// Any(Inf(0), …)&… has 2 to the number of conjuncts.
	var parts []property.Acceptance
	for c := range 10 {
		parts = append(parts, property.Any(property.Inf(2*c), property.Inf(2*c+1)))
	}
	if pairs, ok := property.All(parts...).Pairs(100); ok {
		t.Errorf("%d pairs, of at most 100", len(pairs))
	}
}

// TestStopsByIdling compares with a walk of as many steps as there can be.
func TestStopsByIdling(t *testing.T) {
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 5))
		states, columns := 1+r.IntN(6), 1+r.IntN(2)
		a := property.Automaton{Columns: columns, Acceptance: randomCondition(r, 2)}
		for range states * columns {
			a.Next = append(a.Next, property.Q(r.IntN(states)))
			a.Marks = append(a.Marks, property.Marks(r.IntN(16)))
		}
		idle := r.IntN(columns)
		for q, got := range a.StopsByIdling(idle) {
			at, met := q, property.Marks(0)
			for i := range 3 * states {
				if i == 2*states {
					met = 0
				}
				met |= a.Marks[at*columns+idle]
				at = int(a.Next[at*columns+idle])
			}
			if want := a.Acceptance.Holds(met); got != want {
				t.Fatalf("seed %d, state %d: %t, want %t", seed, q, got, want)
			}
		}
	}
}

func TestRelabel(t *testing.T) {
	before, after := alphabet(t, "a", "b", "ab", "x"), alphabet(t, "b", "ab", "z", "y", "a")
	old := func(l lts.Label) lts.Label { return []lts.Label{1, 2, 0, 3, 3}[l] }
	for _, build := range []func(context.Context, *lts.Alphabet, []property.Step, []uint32) (*property.Property, error){property.Inev, property.Response} {
		patterns, order := steps(before, "a", "b", "a")
		p, err := build(context.Background(), before, patterns, order)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Relabel(after, old)
		if err != nil {
			t.Fatal(err)
		}
		for q := range property.Q(p.States()) {
			for l := range after.All() {
				if r.Next(q, l) != p.Next(q, old(l)) || r.Marks(q, l) != p.Marks(q, old(l)) {
					t.Errorf("%s: %d with %s", p, q, after.Text(l))
				}
			}
		}
		if _, is := r.Chain(); is && r.String() != `Inev({"ab", "z"}, b, {"ab", "z"})` {
			t.Errorf("relabelled it is %s", r)
		}
		if _, err := p.Relabel(after, func(lts.Label) lts.Label { return 4 }); err == nil {
			t.Error("a label that is none was taken")
		}
	}
}

// TestTable refuses what is no complete deterministic automaton.
func TestTable(t *testing.T) {
	a := alphabet(t, "a", "b")
	good := func() property.Automaton {
		return property.Automaton{
			Letters: []uint16{0, 1}, Columns: 2, Next: []property.Q{0, 1, 1, 0}, Marks: make([]property.Marks, 4),
			Initial: 1, Acceptance: property.Inf(63), Stop: make([]bool, 2), Pending: make([]property.Phrase, 2),
		}
	}
	if _, err := property.Table(a, good()); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*property.Automaton){
		"no states":       func(x *property.Automaton) { x.Stop = nil },
		"a transition":    func(x *property.Automaton) { x.Next = x.Next[1:] },
		"a mark":          func(x *property.Automaton) { x.Marks = x.Marks[1:] },
		"a letter":        func(x *property.Automaton) { x.Letters = x.Letters[1:] },
		"a phrase":        func(x *property.Automaton) { x.Pending = x.Pending[1:] },
		"no such letter":  func(x *property.Automaton) { x.Letters[1] = 2 },
		"no such state":   func(x *property.Automaton) { x.Next[3] = 2 },
		"no such initial": func(x *property.Automaton) { x.Initial = 2 },
		"no such colour":  func(x *property.Automaton) { x.Acceptance = property.Any(property.Inf(0), property.Fin(64)) },
		"colour below 0":  func(x *property.Automaton) { x.Acceptance = property.Inf(-1) },
		"columns":         func(x *property.Automaton) { x.Columns = -1 },
	} {
		x := good()
		spoil(&x)
		if _, err := property.Table(a, x); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestInevRefuses(t *testing.T) {
	a := alphabet(t, "a", "b")
	ctx, cancel := context.WithCancel(context.Background())
	for name, c := range map[string]struct {
		patterns []property.Step
		order    []uint32
	}{
		"no steps":           {[]property.Step{{Pattern: word("a")}}, nil},
		"no such pattern":    {[]property.Step{{Pattern: word("a")}}, []uint32{1}},
		"no such label":      {[]property.Step{{Pattern: word("a"), Labels: []lts.Label{2}}}, []uint32{0}},
		"labels unordered":   {[]property.Step{{Pattern: word("a"), Labels: []lts.Label{1, 0}}}, []uint32{0}},
		"a label twice":      {[]property.Step{{Pattern: word("a"), Labels: []lts.Label{1, 1}}}, []uint32{0}},
		"too many steps all": {[]property.Step{{Pattern: word("a")}}, make([]uint32, property.MaxSteps+1)},
	} {
		if _, err := property.Inev(ctx, a, c.patterns, c.order); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	cancel()
	if _, err := property.Inev(ctx, a, []property.Step{{Pattern: word("a")}}, []uint32{0}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
