package temporal

import (
	"context"

	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/property"
)

// maxMerging limits the transitions and states that [automaton.merge] reads.
const maxMerging = 1 << 22

// merge merges states that accept the same words, as long as some condition on
// the result accepts the same words as before. It tries to merge all classes at
// once, which gives the smallest automaton, then one class after the other, then
// two states. Automata in which each component has runs of one outcome only
// always become minimal: Löding, Efficient Minimization of Deterministic Weak
// ω-Automata (IPL 79, 2001).
func (a *automaton) merge(ctx context.Context) {
	class, known := a.residuals(ctx)
	if !known {
		return
	}
	a.decide(class)
	a.redirectTo(ctx, class)
	class = renumbered(class, a.reach())
	m := &merging{ctx: ctx, a: a, class: class, left: maxMerging}
	m.all()
}

// decide marks as decided all states that are equivalent to a decided one.
func (a *automaton) decide(class []uint32) {
	by := map[uint32]form{}
	for q, of := range a.of {
		if len(of) == 1 && of[0] <= verum {
			by[class[q]] = of[0]
		}
	}
	for q, of := range a.of {
		if f, decided := by[class[q]]; decided && len(of) == 1 {
			a.of[q] = []form{f}
		}
	}
}

// renumbered returns the classes of the states order[0], order[1] and so on.
func renumbered(class, order []uint32) []uint32 {
	of := make([]uint32, len(order))
	for i, q := range order {
		of[i] = class[q]
	}
	return of
}

// merging is the state of the attempts, and the work that is left for them.
type merging struct {
	ctx   context.Context
	a     *automaton
	class []uint32
	left  int64
}

// all tries to merge as many states as possible.
func (m *merging) all() {
	members := m.members()
	if len(members) == 0 || m.try(m.firsts(members)) {
		return
	}
	for again := true; again; {
		again = false
		for _, states := range m.members() {
			if again = m.some(states); again {
				break
			}
		}
	}
}

// some tries to merge all states of a class, or two of them.
func (m *merging) some(states []uint32) bool {
	for _, r := range states {
		if m.tryInto(r, states...) {
			return true
		}
	}
	if len(states) == 2 {
		return false
	}
	for _, r := range states {
		for _, q := range states {
			if q != r && m.tryInto(r, q) {
				return true
			}
		}
	}
	return false
}

// members returns the classes with several states, in the order of their first
// states.
func (m *merging) members() [][]uint32 {
	var all keyed.List[uint32, []uint32]
	for q, k := range m.class {
		i := all.Index(k, nil)
		all.All[i] = append(all.All[i], uint32(q))
	}
	var several [][]uint32
	for _, states := range all.All {
		if len(states) > 1 {
			several = append(several, states)
		}
	}
	return several
}

// firsts maps all states of each class to its first state.
func (m *merging) firsts(members [][]uint32) []uint32 {
	to := identity(m.a.states())
	for _, states := range members {
		for _, q := range states {
			to[q] = states[0]
		}
	}
	return to
}

func (m *merging) tryInto(r uint32, states ...uint32) bool {
	to := identity(m.a.states())
	for _, q := range states {
		to[q] = r
	}
	return m.try(to)
}

func identity(n int) []uint32 {
	to := make([]uint32, n)
	for q := range to {
		to[q] = uint32(q)
	}
	return to
}

// try merges each state into the state with which the map to replaces it, if
// that is possible, and reports whether it is.
func (m *merging) try(to []uint32) bool {
	if m.left <= 0 {
		return false
	}
	b, kept := m.a.mapped(to)
	runs, marks, onState := m.a.paired(b)
	if !m.coloured(b, runs, marks, onState) {
		return false
	}
	m.class = renumbered(m.class, kept)
	*m.a = *b
	return true
}

// mapped returns the automaton in which states are replaced by others, and the
// states that are left.
func (a *automaton) mapped(to []uint32) (b *automaton, kept []uint32) {
	c := *a
	c.initial, c.next = to[a.initial], make([]uint32, len(a.next))
	for i, q := range a.next {
		c.next[i] = to[q]
	}
	return &c, c.reach()
}

// paired returns the runs of a together with the runs of b on the same words:
// their marks in a, and the states of b.
func (a *automaton) paired(b *automaton) (runs *graph, marks []property.Marks, onState []uint32) {
	number := map[[2]uint32]uint32{}
	var pairs [][2]uint32
	state := func(p, q uint32) uint32 {
		n, known := number[[2]uint32{p, q}]
		if !known {
			n = uint32(len(pairs))
			number[[2]uint32{p, q}] = n
			pairs = append(pairs, [2]uint32{p, q})
			onState = append(onState, q)
		}
		return n
	}
	state(a.initial, b.initial)
	var next []uint32
	for i := 0; i < len(pairs); i++ {
		p, q := int(pairs[i][0])*a.letters, int(pairs[i][1])*a.letters
		for letter := range a.letters {
			next = append(next, state(a.next[p+letter], b.next[q+letter]))
			marks = append(marks, a.marks[p+letter])
		}
	}
	runs = newGraph(a.letters, next)
	return runs, marks, onState
}

// coloured gives b a condition with which it accepts the same words as runs, if
// there is one: a parity condition, or its own.
func (m *merging) coloured(b *automaton, runs *graph, marks []property.Marks, onState []uint32) bool {
	on := newGraph(b.letters, b.next)
	by, accept, found, work := parity(m.ctx, on, runs, onState, m.a.accept, marks, m.left)
	m.left -= work
	if found {
		b.marks, b.accept = by, accept
		return true
	}
	n := colours(m.a.accept)
	if 2*n > property.Colours || m.left <= 0 {
		return false
	}
	for i := range marks {
		marks[i] = marks[i]&^property.Mark(apart) | b.marks[int(onState[i/b.letters])*b.letters+i%b.letters]<<uint(n)
	}
	differs, work := runs.satisfied(m.ctx, eitherOr(m.a.accept, shifted(m.a.accept, n)), marks, true, m.left)
	m.left -= work
	return m.left >= 0 && differs.Empty()
}
