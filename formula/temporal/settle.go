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
	m.redirect(ctx)
	m.prune()
	m.forgetPassing(ctx)
	m.dropIdlePairs(ctx)
	return m.coloured()
}

// findStops decides for each state whether it accepts "nothing happens" for ever.
func (m *machine) findStops() {
	idle := m.letters - 1
	m.stop = property.StopsByLoops(m.states(), func(q int) int { return int(m.next[q*m.letters+idle]) }, func(loop []int) bool {
		return slices.ContainsFunc(m.pairs, func(p pair) bool { return m.holds(p, loop, idle) })
	})
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
	var keep []int
	var next []uint32
	for i, to := range m.next {
		if i%all != all-1 {
			keep, next = append(keep, i), append(next, to)
		}
	}
	m.letters, m.next = all-1, next
	m.choose(keep)
}

// choose gives each transition the colours at its old index.
func (m *machine) choose(keep []int) {
	for c, column := range m.columns {
		chosen := bitset.New[int](len(keep))
		for i, old := range keep {
			if column.Has(old) {
				chosen.Add(i)
			}
		}
		m.columns[c] = chosen
	}
}

// prune is [automaton.reach] with the colours.
func (m *machine) prune() {
	var keep []int
	for _, q := range m.reach() {
		for letter := range m.letters {
			keep = append(keep, int(q)*m.letters+letter)
		}
	}
	m.choose(keep)
}

// forgetPassing removes the colours of transitions that no run takes twice.
func (m *machine) forgetPassing(ctx context.Context) {
	c := m.components(ctx)
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
func (m *machine) satisfiable(g *graph, search *scc.Parts, fin bitset.Set[int], inf []int) bool {
	shows := func(from lts.State, l lts.Label, _ lts.State) bool { return !fin.Has(int(from)*m.letters + int(l)) }
	for states := range abort.Must(search.Components(g.all(), shows)) {
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
		if cyclic && len(missing) == 0 {
			return true
		}
	}
	return false
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
	m.marks = make([]property.Marks, len(m.next))
	var p palette
	var some []property.Acceptance
	for _, pair := range m.pairs {
		var all []property.Acceptance
		for _, c := range pair.fin {
			if !m.columns[c].Empty() {
				all = append(all, property.Fin(p.number(m.columns[c])))
			}
		}
		for _, c := range pair.inf {
			all = append(all, property.Inf(p.number(m.columns[c])))
		}
		some = append(some, property.All(all...))
	}
	if len(p) > property.Colours {
		abort.On(&BudgetError{What: "colours", Most: property.Colours})
	}
	p.paint(m.marks)
	m.accept = property.Any(some...)
	return &m.automaton
}
