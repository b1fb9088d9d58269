package temporal

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/partition"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// simplify gives the same marks to all transitions of a component whose runs are
// all accepted, or all rejected, removes the marks of transitions that no run
// takes twice, and merges states that cannot be distinguished; then it calls
// [automaton.recolour] and [automaton.merge]. Cost as for emptiness on the
// automaton and, if it is small, on pairs of its states, and O(states² · letters)
// at worst.
func (a *automaton) simplify(ctx context.Context) *automaton {
	if a.letters == 0 {
		return a.only()
	}
	of := a.fewerLetters()
	a.redirect(ctx)
	a.level(ctx)
	a.fewerColours()
	a.quotient()
	a.recolour(ctx)
	a.merge(ctx)
	a.recolour(ctx)
	a.choose(of)
	return a
}

// recolour gives the automaton a parity condition, which has the fewest colours,
// or otherwise simplifies its condition, and merges the states that words no
// longer distinguish.
func (a *automaton) recolour(ctx context.Context) {
	a.reach()
	g := newGraph(a.letters, a.next)
	marks, accept, found, _ := parity(ctx, g, g, identity(a.states()), a.accept, slices.Clone(a.marks), maxSatisfied)
	if found {
		a.marks, a.accept = marks, accept
	} else {
		a.lighter(ctx)
	}
	a.fewerColours()
	a.quotient()
}

// fewerLetters merges letters with the same transitions, and maps each old letter
// to a new one.
func (a *automaton) fewerLetters() (of []int) {
	var kept keyed.List[string, int]
	for letter := range a.letters {
		var key []byte
		for i := letter; i < len(a.next); i += a.letters {
			key = binary.LittleEndian.AppendUint32(key, a.next[i])
			key = binary.LittleEndian.AppendUint64(key, uint64(a.marks[i]))
		}
		of = append(of, kept.Index(string(key), letter))
	}
	a.choose(kept.All)
	return of
}

// choose replaces the letters by those with these indexes, in this order.
func (a *automaton) choose(letters []int) {
	next, marks := make([]uint32, 0, a.states()*len(letters)), make([]property.Marks, 0, a.states()*len(letters))
	for q := range a.states() {
		for _, letter := range letters {
			next, marks = append(next, a.next[q*a.letters+letter]), append(marks, a.marks[q*a.letters+letter])
		}
	}
	a.letters, a.next, a.marks = len(letters), next, marks
}

// only reduces an automaton without letters to its initial state.
func (a *automaton) only() *automaton {
	q := a.initial
	return &automaton{accept: property.Always(), stop: a.stop[q : q+1], of: a.of[q : q+1]}
}

// level changes marks where they do not matter, and reduces the condition to one
// colour if no component has both accepted and rejected runs.
func (a *automaton) level(ctx context.Context) {
	a.reach()
	g := newGraph(a.letters, a.next)
	c := abort.Must(scc.Find(ctx, g.system, ""))
	accepting := g.satisfiedIn(ctx, c, a.accept, a.marks)
	rejecting := g.satisfiedIn(ctx, c, a.accept.Not(), a.marks)
	all := make([]property.Marks, c.Len())
	a.eachInside(c, func(i int, k scc.Component) { all[k] |= a.marks[i] })
	var met [2]property.Marks // the colours of a component all of whose runs are accepted, or rejected
	var known [2]bool
	weak := true
	for k := range c.Len() {
		weak = weak && !(accepting[k] && rejecting[k])
		if side := sideOf(rejecting[k]); accepting[k] != rejecting[k] && !known[side] {
			met[side], known[side] = all[k], true
		}
	}
	if weak {
		a.accept, met = property.Inf(0), [2]property.Marks{property.Mark(0), 0}
	}
	marks := make([]property.Marks, len(a.marks))
	a.eachInside(c, func(i int, k scc.Component) {
		if marks[i] = a.marks[i]; accepting[k] != rejecting[k] {
			marks[i] = met[sideOf(rejecting[k])]
		}
	})
	a.marks = marks
}

func sideOf(rejecting bool) int {
	if rejecting {
		return 1
	}
	return 0
}

// eachInside yields the transitions within components.
func (a *automaton) eachInside(c *scc.Components, yield func(i int, k scc.Component)) {
	for i, to := range a.next {
		from := lts.State(i / a.letters)
		if k, is := c.Of(from); is && c.Same(from, lts.State(to)) {
			yield(i, k)
		}
	}
}

// redirect is [automaton.redirectTo] by the meaning of each state.
func (a *automaton) redirect(ctx context.Context) {
	number := map[string]uint32{}
	class := make([]uint32, a.states())
	for q, of := range a.of {
		var key []byte
		for _, f := range of {
			key = binary.LittleEndian.AppendUint32(key, uint32(f))
		}
		k, known := number[string(key)]
		if !known {
			k = uint32(len(number))
			number[string(key)] = k
		}
		class[q] = k
	}
	a.redirectTo(ctx, class)
}

// redirectTo makes transitions lead to the deepest state of another component
// that accepts the same words, as states of one class do: a run takes such
// transitions finitely often.
func (a *automaton) redirectTo(ctx context.Context, class []uint32) {
	c := a.components(ctx)
	best := make([]uint32, len(class))
	for q := range best {
		best[q] = nowhere
	}
	for q, k := range class {
		if r := best[k]; r == nowhere || component(c, uint32(q)) > component(c, r) {
			best[k] = uint32(q)
		}
	}
	a.initial = best[class[a.initial]]
	for i, to := range a.next {
		from := component(c, uint32(i/a.letters))
		if r := best[class[to]]; from != component(c, to) || component(c, r) > from {
			a.next[i] = r
		}
	}
}

// components returns the components of the reachable part of the automaton.
func (a *automaton) components(ctx context.Context) *scc.Components {
	var b lts.Builder
	label := b.Label("")
	for i, to := range a.next {
		b.Add(lts.State(i/a.letters), label, lts.State(to))
	}
	system := abort.Must(b.Build(lts.State(a.initial), a.states()))
	return abort.Must(scc.Find(ctx, system, ""))
}

// component returns the number of the component of a state, negative if the state
// is unreachable.
func component(c *scc.Components, q uint32) int {
	k, reached := c.Of(lts.State(q))
	if !reached {
		return -1
	}
	return int(k)
}

// reach removes unreachable states, and numbers the others in the order in which
// they are reached. It returns their old numbers.
func (a *automaton) reach() (order []uint32) {
	order, number := reached(a.initial, a.next, a.letters, a.states())
	b := automaton{letters: a.letters, accept: a.accept, initial: number[a.initial]}
	for _, q := range order {
		from := int(q)
		b.stop, b.of = append(b.stop, a.stop[from]), append(b.of, a.of[from])
		for i := from * a.letters; i < (from+1)*a.letters; i++ {
			b.next = append(b.next, number[a.next[i]])
			if a.marks != nil {
				b.marks = append(b.marks, a.marks[i])
			}
		}
	}
	*a = b
	return order
}

// reached returns the reachable states in breadth-first order, and the number of
// each in this order.
func reached(initial uint32, next []uint32, letters, states int) (order, number []uint32) {
	number = make([]uint32, states)
	known := make([]bool, states)
	order = append(order, initial)
	known[initial] = true
	for i := 0; i < len(order); i++ {
		for _, to := range next[int(order[i])*letters : (int(order[i])+1)*letters] {
			if !known[to] {
				known[to] = true
				number[to] = uint32(len(order))
				order = append(order, to)
			}
		}
	}
	return order, number
}

// fewerColours merges colours on the same transitions, and removes colours
// without transitions.
func (a *automaton) fewerColours() {
	var met property.Marks
	for _, m := range a.marks {
		met |= m
	}
	a.accept = a.accept.Within(met)
	mentioned, _ := a.accept.Colours()
	var distinct palette
	number := map[int]int{}
	for c := range property.Colours {
		if !mentioned.Has(c) {
			continue
		}
		column := bitset.New[int](len(a.marks))
		for i, m := range a.marks {
			if m.Has(c) {
				column.Add(i)
			}
		}
		number[c] = distinct.number(column)
	}
	a.accept = a.accept.Renumbered(func(c int) int { return number[c] })
	distinct.paint(a.marks)
}

// palette has the transitions of each colour; no two colours have the same.
type palette []bitset.Set[int]

// number returns the colour of these transitions, a new one if there is none yet.
func (p *palette) number(column bitset.Set[int]) int {
	c := slices.IndexFunc(*p, func(d bitset.Set[int]) bool { return slices.Equal(d, column) })
	if c < 0 {
		c = len(*p)
		*p = append(*p, column)
	}
	return c
}

// paint gives the transitions their colours.
func (p palette) paint(marks []property.Marks) {
	for i := range marks {
		marks[i] = 0
		for c, column := range p {
			if column.Has(i) {
				marks[i] |= property.Mark(c)
			}
		}
	}
}

// quotient merges the states that no word distinguishes by marks and stops, and
// removes unreachable ones.
func (a *automaton) quotient() {
	class := a.refined(a.marks)
	first := map[uint32]uint32{}
	for q, k := range class {
		if _, known := first[k]; !known {
			first[k] = uint32(q)
		}
	}
	for i, to := range a.next {
		a.next[i] = first[class[to]]
	}
	a.initial = first[class[a.initial]]
	a.reach()
}

// refined returns a class for each state; two states have the same class if no
// word distinguishes them by stops and, if given, marks.
func (a *automaton) refined(marks []property.Marks) []uint32 {
	return partition.Coarsest(a.states(), a.letters, a.next, func(key []byte, q int) []byte {
		if key = append(key, 0); a.stop[q] {
			key[0] = 1
		}
		if marks != nil {
			for _, m := range marks[q*a.letters : (q+1)*a.letters] {
				key = binary.LittleEndian.AppendUint64(key, uint64(m))
			}
		}
		return key
	})
}
