package temporal

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// settle computes which states accept a run that stops there, removes the last
// letter, "nothing happens", and gives the automaton colours that fit into marks.
func (m *machine) settle(ctx context.Context) *automaton {
	m.findStops()
	m.dropLast()
	c := m.components(ctx)
	m.redirect(c)
	m.prune()
	c = m.components(ctx)
	m.forgetPassing(c)
	m.dropIdlePairs(ctx)
	return m.coloured()
}

// findStops decides for each state whether it accepts "nothing happens" for ever.
func (m *machine) findStops() {
	idle := m.letters - 1
	m.stop = make([]bool, m.states())
	known := make([]bool, m.states())
	seen := make([]int, m.states())
	for q := range m.of {
		var path []int
		at := q
		for !known[at] && seen[at] == 0 {
			path = append(path, at)
			seen[at] = len(path)
			at = int(m.next[at*m.letters+idle])
		}
		accepted := m.stop[at]
		if !known[at] {
			loop := path[seen[at]-1:]
			accepted = slices.ContainsFunc(m.pairs, func(p pair) bool { return m.holds(p, loop, idle) })
		}
		for _, p := range path {
			m.stop[p], known[p], seen[p] = accepted, true, 0
		}
	}
}

// holds reports whether repeating a loop of states by one letter satisfies a
// pair.
func (m *machine) holds(p pair, loop []int, letter int) bool {
	met := func(c int) bool {
		return slices.ContainsFunc(loop, func(q int) bool { return m.columns[c].Has(q*m.letters + letter) })
	}
	return !slices.ContainsFunc(p.fin, met) && !slices.ContainsFunc(p.inf, func(c int) bool { return !met(c) })
}

// dropLast takes the last letter away.
func (m *machine) dropLast() {
	all := m.letters
	keep := make([]int, 0, len(m.next))
	for i := range m.next {
		if i%all != all-1 {
			keep = append(keep, i)
		}
	}
	m.letters--
	m.choose(keep)
}

// choose replaces the transitions by those with these indexes, in this order.
func (m *machine) choose(keep []int) {
	next := make([]uint32, len(keep))
	for i, old := range keep {
		next[i] = m.next[old]
	}
	for c, column := range m.columns {
		chosen := bitset.New[int](len(keep))
		for i, old := range keep {
			if column.Has(old) {
				chosen.Add(i)
			}
		}
		m.columns[c] = chosen
	}
	m.next = next
}

// components returns the components of the reachable part of the automaton.
func (m *machine) components(ctx context.Context) *scc.Components {
	return componentsOf(ctx, m.initial, m.next, m.letters, m.states())
}

func componentsOf(ctx context.Context, initial uint32, next []uint32, letters, states int) *scc.Components {
	var b lts.Builder
	label := b.Label("")
	for i, to := range next {
		b.Add(lts.State(i/letters), label, lts.State(to))
	}
	system := abort.Must(b.Build(lts.State(initial), states))
	return abort.Must(scc.Find(ctx, system, ""))
}

// redirect makes transitions between components lead to the deepest state that
// accepts the same words, among the states with the same formula.
func (m *machine) redirect(c *scc.Components) {
	best := map[form]uint32{}
	for q, f := range m.of {
		if r, some := best[f]; !some || component(c, uint32(q)) > component(c, r) {
			best[f] = uint32(q)
		}
	}
	m.initial = best[m.of[m.initial]]
	for i, to := range m.next {
		if component(c, uint32(i/m.letters)) != component(c, to) {
			m.next[i] = best[m.of[to]]
		}
	}
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

// prune removes unreachable states, and numbers the others in the order in which
// they are reached.
func (m *machine) prune() {
	order, number := reached(m.initial, m.next, m.letters, m.states())
	var keep []int
	of, stop := make([]form, len(order)), make([]bool, len(order))
	for i, q := range order {
		of[i], stop[i] = m.of[q], m.stop[q]
		for letter := range m.letters {
			keep = append(keep, int(q)*m.letters+letter)
		}
	}
	m.choose(keep)
	for i, to := range m.next {
		m.next[i] = number[to]
	}
	m.of, m.stop, m.initial = of, stop, 0
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

// forgetPassing removes the colours of transitions that no run takes twice.
func (m *machine) forgetPassing(c *scc.Components) {
	for i, to := range m.next {
		if component(c, uint32(i/m.letters)) != component(c, to) {
			for _, column := range m.columns {
				column.Remove(i)
			}
		}
	}
}

// dropIdlePairs removes pairs that no run satisfies, and pairs whose runs another
// pair accepts, too: one with a subset of the fin colours, and with a subset of
// each inf among its own.
func (m *machine) dropIdlePairs(ctx context.Context) {
	if m.letters == 0 {
		m.pairs = nil
		return
	}
	g := newGraph(m.letters, m.next)
	search := abort.Must(scc.NewParts(ctx, g.system))
	var live []pair
	var fins []bitset.Set[int]
	for _, p := range m.pairs {
		fin := bitset.New[int](len(m.next))
		for _, c := range p.fin {
			fin.AddAll(m.columns[c])
		}
		some := m.satisfiable(g, search, fin, p.inf)
		if some {
			live, fins = append(live, p), append(fins, fin)
		}
	}
	within := func(i, j int) bool { // reports whether j accepts whatever i accepts
		return subsetOf(fins[j], fins[i]) && !slices.ContainsFunc(live[j].inf, func(d int) bool {
			return !slices.ContainsFunc(live[i].inf, func(c int) bool { return subsetOf(m.columns[c], m.columns[d]) })
		})
	}
	dropped := make([]bool, len(live))
	for i := range live {
		for j := range live {
			if i != j && !dropped[j] && within(i, j) {
				dropped[i] = true
				break
			}
		}
	}
	m.pairs = nil
	for i, p := range live {
		if !dropped[i] {
			m.pairs = append(m.pairs, pair{[]int{len(m.columns)}, p.inf})
			m.columns = append(m.columns, fins[i])
		}
	}
}

// satisfiable reports whether some component, without the transitions of fin, has
// a transition of each colour of inf.
func (m *machine) satisfiable(g *graph, search *scc.Parts, fin bitset.Set[int], inf []int) (some bool) {
	shows := func(from lts.State, l lts.Label, _ lts.State) bool { return !fin.Has(int(from)*m.letters + int(l)) }
	abort.On(search.Components(g.all(), shows, func(states []lts.State) (bool, error) {
		search.Enter(states)
		cyclic, missing := false, slices.Clone(inf)
		for _, q := range states {
			for i := int(q) * m.letters; i < (int(q)+1)*m.letters; i++ {
				if !fin.Has(i) && search.Has(lts.State(m.next[i])) {
					cyclic = true
					missing = slices.DeleteFunc(missing, func(c int) bool { return m.columns[c].Has(i) })
				}
			}
		}
		some = cyclic && len(missing) == 0
		return !some, nil
	}))
	return some
}

func subsetOf(a, b bitset.Set[int]) bool {
	for i, word := range a {
		if word&^b[i] != 0 {
			return false
		}
	}
	return true
}

// coloured gives the transitions marks. Colours on the same transitions get one
// number, and colours that never occur none.
func (m *machine) coloured() *automaton {
	a := &automaton{letters: m.letters, next: m.next, marks: make([]property.Marks, len(m.next)), stop: m.stop, initial: m.initial}
	for _, f := range m.of {
		a.of = append(a.of, []form{f})
	}
	var distinct []bitset.Set[int]
	number := func(c int) int {
		for i, d := range distinct {
			if slices.Equal(d, m.columns[c]) {
				return i
			}
		}
		distinct = append(distinct, m.columns[c])
		return len(distinct) - 1
	}
	var some []property.Acceptance
	for _, p := range m.pairs {
		var all []property.Acceptance
		for _, c := range p.fin {
			if !m.columns[c].Empty() {
				all = append(all, property.Fin(number(c)))
			}
		}
		for _, c := range p.inf {
			all = append(all, property.Inf(number(c)))
		}
		some = append(some, property.All(all...))
	}
	if len(distinct) > property.Colours {
		abort.On(&BudgetError{What: "colours", Most: property.Colours})
	}
	for c, column := range distinct {
		for i := range a.marks {
			if column.Has(i) {
				a.marks[i] |= property.Mark(c)
			}
		}
	}
	a.accept = property.Any(some...)
	return a
}
