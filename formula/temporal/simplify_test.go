package temporal

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/oracle/randomlts"
	"github.com/inev-lts/inev/property"
)

// lasso is a word over letters that goes round from loop on, or ends where that is its length.
type lasso struct {
	letters []int
	loop    int
}

// accepted runs an automaton over a word.
func (a *automaton) accepted(w lasso) bool {
	q := int(a.initial)
	take := func(letter int) (met property.Marks) {
		at := q*a.letters + letter
		q = int(a.next[at])
		return a.marks[at]
	}
	for _, letter := range w.letters {
		take(letter)
	}
	if w.loop == len(w.letters) {
		return a.stop[q]
	}
	var met property.Marks
	for round := range 2 * a.states() {
		for _, letter := range w.letters[w.loop:] {
			if m := take(letter); round >= a.states() {
				met |= m
			}
		}
	}
	return a.accept.Holds(met)
}

// randomAutomaton returns a complete one of up to most states.
func randomAutomaton(r *rand.Rand, most, letters int) *automaton {
	n, colours := 1+r.IntN(most), 1+r.IntN(3)
	a := &automaton{letters: letters, accept: randomCondition(r, colours, 2)}
	local := r.IntN(2) == 0 // small components
	for q := range n {
		for range a.letters {
			to := r.IntN(n)
			if local && r.IntN(3) > 0 {
				to = min(n-1, q+r.IntN(3))
			}
			a.next = append(a.next, uint32(to))
			var m property.Marks
			for c := range colours {
				if r.IntN(3) == 0 {
					m |= property.Mark(c)
				}
			}
			a.marks = append(a.marks, m)
		}
		a.stop = append(a.stop, r.IntN(6) == 0)
		a.of = append(a.of, []form{form(2 + q)})
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
	b.next, b.marks, b.stop, b.of = slices.Clone(a.next), slices.Clone(a.marks), slices.Clone(a.stop), slices.Clone(a.of)
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
				w.letters = append(w.letters, r.IntN(before.letters))
			}
			words = append(words, w)
		}
		for _, w := range words {
			if got, want := after.accepted(w), before.accepted(w); got != want {
				t.Fatalf("round %d: %s: %v: %t, want %t\n%+v\n%+v", round, before.accept, w, got, want, before, after)
			}
		}
		states, left = states+before.states(), left+after.states()
		if colours(after.accept) > colours(before.accept) {
			t.Errorf("round %d: %s became %s", round, before.accept, after.accept)
		}
		if !isParity(after.accept) {
			others++
		}
		if before.letters > 2 {
			continue
		}
		least := distinguished(before, allLassos(3, 5))
		if after.states() < least {
			t.Fatalf("round %d: %d states are left, and %d accept different words", round, after.states(), least)
		}
		if isWeak(before, 6) {
			weak++
			// Words were too short where this is not the least.
			if after.states() != least && isWeak(before, 11) && after.states() != distinguished(before, allLassos(6, 8)) {
				t.Errorf("round %d: %d states are left of a weak automaton, and %d of them accept different words\n%+v", round, after.states(), least, before)
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
	order, _ := reached(a.initial, a.next, a.letters, a.states())
	different := map[string]bool{}
	for _, q := range order {
		b := *a
		b.initial = q
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
	order, _ := reached(a.initial, a.next, a.letters, a.states())
	outcome := map[uint32]map[bool]bool{}
	for _, q := range order {
		outcome[q] = map[bool]bool{}
		b := *a
		b.initial = q
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

func (a *automaton) runs(letters []int) uint32 {
	q := a.initial
	for _, letter := range letters {
		q = a.next[int(q)*a.letters+letter]
	}
	return q
}

func (a *automaton) reaches(p, q uint32) bool {
	order, _ := reached(p, a.next, a.letters, a.states())
	return slices.Contains(order, q)
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
