package temporal

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/property"
)

// lasso is a word over letters that goes round from loop on, or ends where that is its length.
type lasso struct {
	letters []int
	loop    int
}

// accepted runs an automaton over a word.
func (a *automaton) accepted(w lasso) bool {
	q := int(a.Initial)
	take := func(letter int) (met property.Marks) {
		at := q*a.Columns + letter
		q = int(a.Next[at])
		return a.Marks[at]
	}
	for _, letter := range w.letters {
		take(letter)
	}
	if w.loop == len(w.letters) {
		return a.Stop[q]
	}
	var met property.Marks
	for round := range 2 * a.States() {
		for _, letter := range w.letters[w.loop:] {
			if m := take(letter); round >= a.States() {
				met |= m
			}
		}
	}
	return a.Acceptance.Holds(met)
}

// randomAutomaton returns a complete one of up to most states.
func randomAutomaton(r *rand.Rand, most, letters int) *automaton {
	n, colours := 1+r.IntN(most), 1+r.IntN(3)
	a := &automaton{Automaton: property.Automaton{Columns: letters, Acceptance: randomCondition(r, colours, 2)}}
	local := r.IntN(2) == 0 // small components
	for q := range n {
		for range a.Columns {
			to := r.IntN(n)
			if local && r.IntN(3) > 0 {
				to = min(n-1, q+r.IntN(3))
			}
			a.Next = append(a.Next, property.Q(to))
			var m property.Marks
			for c := range colours {
				if r.IntN(3) == 0 {
					m |= property.Mark(c)
				}
			}
			a.Marks = append(a.Marks, m)
		}
		a.Stop = append(a.Stop, r.IntN(6) == 0)
		a.demands = append(a.demands, []form{form(2 + q)})
	}
	return a
}

func randomCondition(r *rand.Rand, colours, depth int) property.Acceptance {
	if depth == 0 || r.IntN(4) == 0 {
		if c := r.IntN(colours); r.IntN(2) == 0 {
			return property.Inf(c)
		} else {
			return property.Fin(c)
		}
	}
	a, b := randomCondition(r, colours, depth-1), randomCondition(r, colours, depth-1)
	if r.IntN(2) == 0 {
		return property.All(a, b)
	}
	return property.Any(a, b)
}

// allLassos returns all words of up to so many letters before the loop, and in it, and the finite
// words of as many as before.
func allLassos(stem, loop int) []lasso {
	var all []lasso
	words := func(least, most int, yield func([]int)) {
		for n := least; n <= most; n++ {
			for bits := range 1 << n {
				w := make([]int, n)
				for i := range w {
					w[i] = bits >> i & 1
				}
				yield(w)
			}
		}
	}
	words(0, stem, func(u []int) {
		all = append(all, lasso{u, len(u)})
		words(1, loop, func(v []int) { all = append(all, lasso{slices.Concat(u, v), len(u)}) })
	})
	return all
}

// copied returns an automaton that shares nothing with a.
func (a *automaton) copied() *automaton {
	b := *a
	b.Next, b.Marks, b.Stop, b.demands = slices.Clone(a.Next), slices.Clone(a.Marks), slices.Clone(a.Stop), slices.Clone(a.demands)
	return &b
}

// TestSimplifiedAutomataAcceptTheSame compares random automata, with any conditions, to what is left of
// them, on all short words and some long ones; as many states are left, where each component had
// runs of one outcome only, as there are sets of words that states accept.
func TestSimplifiedAutomataAcceptTheSame(t *testing.T) {
	ctx := context.Background()
	rounds := 700
	if !randomlts.Whole() {
		rounds = 120
	}
	r := rand.New(rand.NewPCG(30, 6))
	states, left, weak, others := 0, 0, 0, 0
	for round := range rounds {
		before := randomAutomaton(r, 9, 2)
		words := allLassos(2, 4)
		if round%2 == 0 { // fewer states with more transitions each
			before, words = randomAutomaton(r, 3, 5), nil
		}
		after := before.copied().simplify(ctx)
		for range 80 {
			w := lasso{loop: r.IntN(6)}
			for range w.loop + r.IntN(10) {
				w.letters = append(w.letters, r.IntN(before.Columns))
			}
			words = append(words, w)
		}
		for _, w := range words {
			if got, want := after.accepted(w), before.accepted(w); got != want {
				t.Fatalf("round %d: %s: %v: %t, want %t\n%+v\n%+v", round, before.Acceptance, w, got, want, before, after)
			}
		}
		states, left = states+before.States(), left+after.States()
		if colours(after.Acceptance) > colours(before.Acceptance) {
			t.Errorf("round %d: %s became %s", round, before.Acceptance, after.Acceptance)
		}
		if !isParity(after.Acceptance) {
			others++
		}
		if before.Columns > 2 {
			continue
		}
		least := distinguished(before, allLassos(3, 5))
		if after.States() < least {
			t.Fatalf("round %d: %d states are left, and %d accept different words", round, after.States(), least)
		}
		if isWeak(before, 6) {
			weak++
			// Words were too short where this is not the least.
			if after.States() != least && isWeak(before, 11) && after.States() != distinguished(before, allLassos(6, 8)) {
				t.Errorf("round %d: %d states are left of a weak automaton, and %d of them accept different words\n%+v", round, after.States(), least, before)
			}
		}
	}
	t.Logf("%d of %d states are left; %d weak automata, %d conditions that are not of parity", left, states, weak, others)
	if weak < rounds/8 || others < rounds/30 {
		t.Errorf("only %d weak automata, and %d conditions that are not of parity", weak, others)
	}
}

// distinguished returns how many of the states that are reached accept different ones of some words.
func distinguished(a *automaton, words []lasso) int {
	order := a.reachedFrom(a.Initial)
	different := map[string]bool{}
	for _, q := range order {
		b := *a
		b.Initial = q
		key := make([]byte, len(words))
		for i, w := range words {
			if b.accepted(w) {
				key[i] = 1
			}
		}
		different[string(key)] = true
	}
	return len(different)
}

// isWeak reports whether all loops of some length at a state, and at states that reach each other,
// have one outcome.
func isWeak(a *automaton, most int) bool {
	order := a.reachedFrom(a.Initial)
	outcome := map[property.Q]map[bool]bool{}
	for _, q := range order {
		outcome[q] = map[bool]bool{}
		b := *a
		b.Initial = q
		for _, w := range allLassos(0, most) {
			if w.loop < len(w.letters) && b.runs(w.letters) == q {
				outcome[q][b.accepted(w)] = true
			}
		}
	}
	for _, p := range order {
		for _, q := range order {
			if a.reaches(p, q) && a.reaches(q, p) {
				for is := range outcome[q] {
					outcome[p][is] = true
				}
			}
		}
		if len(outcome[p]) > 1 {
			return false
		}
	}
	return true
}

func (a *automaton) runs(letters []int) property.Q {
	q := a.Initial
	for _, letter := range letters {
		q = a.Next[int(q)*a.Columns+letter]
	}
	return q
}

func (a *automaton) reaches(p, q property.Q) bool {
	return slices.Contains(a.reachedFrom(p), q)
}

func (a *automaton) reachedFrom(q property.Q) []property.Q {
	b := a.copied()
	b.Initial = q
	return b.reach()
}

// isParity reports whether a condition is Inf(0) | Fin(1) & (Inf(2) | ...), or begins with Fin(0).
func isParity(a property.Acceptance) bool {
	for level := 0; ; level++ {
		parts := a.Parts()
		if len(parts) == 0 {
			return a.Operator() <= property.False || a.Colour() == level
		}
		leaf := property.InfOp
		if a.Operator() == property.AndOp {
			leaf = property.FinOp
		}
		if len(parts) != 2 || parts[0].Operator() != leaf || parts[0].Colour() != level {
			return false
		}
		a = parts[1]
	}
}
