package quotient

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// none stands for no arc, no group and no block.
const none = math.MaxUint32

// contracted is the reachable part of a model in which every strongly connected component of hidden
// transitions is one node. Its arcs lie in rows sorted by source, in each row the hidden ones
// first; there are no hidden cycles.
//
// A divergent node has an arc to the last node, the sink, which stands for no state. The arc has a
// label that no other arc has, so that divergence distinguishes nodes like a visible transition.
type contracted struct {
	// of[s] is the node of a reachable state; undefined for others.
	of        []uint32
	nodes     int
	divergent []bool
	// key[v] is the class of node v: only nodes with the same key may be merged.
	key  []uint32
	keys int

	row       []uint32
	hiddenEnd []uint32 // the end of the hidden arcs in each row
	source    []uint32
	target    []uint32
	label     []uint32
	labels    int // the number of labels, those for hiding and divergence included

	incoming []uint32 // arcs by target
	inRow    []uint32
	inHidden []uint32 // the end of the hidden arcs in each incoming row
}

// contract returns the contracted model. Cost O(S + T).
func contract(ctx context.Context, m *lts.LTS, names *renaming, apart func(lts.State) uint32) *contracted {
	if n := m.Reachable().NumTransitions() + m.NumStates(); n >= math.MaxUint32 {
		abort.On(fmt.Errorf("quotient: the model has %d states and reachable transitions, at most %d are possible", n, uint32(math.MaxUint32-1)))
	}
	g, members := newNodes(ctx, m, names, apart)
	g.addArcs(ctx, m, names, members)
	g.assignKeys(ctx, func(v uint32) uint32 {
		if apart == nil {
			return 0
		}
		return apart(members.of(v)[0])
	})
	return g
}

// members are the states of each node: those of node v are states[first[v]:first[v+1]].
type members struct {
	states []lts.State
	first  []uint32
}

func (m *members) of(v uint32) []lts.State { return m.states[m.first[v]:m.first[v+1]] }

// newNodes returns the contracted model without arcs: a node for each strongly connected
// component of the hidden transitions between reachable states of one key, and the sink.
func newNodes(ctx context.Context, m *lts.LTS, names *renaming, apart func(lts.State) uint32) (*contracted, *members) {
	n := m.NumStates()
	abort.On(resources.Ask(ctx, 8*int64(n)))
	g := &contracted{labels: len(names.texts) + 2, of: make([]uint32, n)}
	all := &members{states: make([]lts.State, 0, m.Reachable().NumStates()), first: []uint32{0}}
	inert := func(s lts.State, label lts.Label, t lts.State) bool {
		return names.hidden(label) && (apart == nil || apart(s) == apart(t))
	}
	var short error // the error of too little memory
	err := scc.Within(ctx, m, inert, func(states []lts.State, cyclic bool) {
		if short != nil {
			return
		}
		v := uint32(len(g.divergent))
		all.states = append(all.states, states...)
		if all.first, short = resources.Grow(ctx, all.first, 1); short != nil {
			return
		}
		if g.divergent, short = resources.Grow(ctx, g.divergent, 2); short != nil {
			return
		}
		all.first = append(all.first, uint32(len(all.states)))
		g.divergent = append(g.divergent, cyclic)
		for _, s := range states {
			g.of[s] = v
		}
	})
	g.divergent = append(g.divergent, false)
	g.nodes = len(g.divergent)
	abort.On(cmp.Or(short, err))
	return g, all
}

// numArcs returns the number of arcs of the contracted model.
func (g *contracted) numArcs(m *lts.LTS, names *renaming, members *members) int {
	arcs := 0
	for v := range uint32(g.nodes - 1) {
		for _, s := range members.of(v) {
			labels, targets := m.Out(s)
			for i, t := range targets {
				if !names.hidden(labels.At(i)) || g.of[t] != v {
					arcs++
				}
			}
		}
		if g.divergent[v] {
			arcs++
		}
	}
	return arcs
}

// addArcs fills the rows of arcs.
func (g *contracted) addArcs(ctx context.Context, m *lts.LTS, names *renaming, members *members) {
	arcs := g.numArcs(m, names, members)
	abort.On(resources.Ask(ctx, 8*int64(arcs)+8*int64(g.nodes)))
	g.row = make([]uint32, g.nodes+1)
	g.hiddenEnd = make([]uint32, g.nodes)
	g.target, g.label = make([]uint32, 0, arcs), make([]uint32, 0, arcs)
	add := func(label, to uint32) { g.target, g.label = append(g.target, to), append(g.label, label) }
	tau, divergence, sink := uint32(g.labels-2), uint32(g.labels-1), uint32(g.nodes-1)
	for v := range sink {
		if v&(1<<14-1) == 0 {
			abort.On(ctx.Err())
		}
		g.row[v] = uint32(len(g.target))
		states := members.of(v)
		for _, s := range states {
			labels, targets := m.Out(s)
			for i, t := range targets {
				if w := g.of[t]; names.hidden(labels.At(i)) && w != v {
					add(tau, w)
				}
			}
		}
		g.hiddenEnd[v] = uint32(len(g.target))
		for _, s := range states {
			labels, targets := m.Out(s)
			for i, t := range targets {
				if !names.hidden(labels.At(i)) {
					add(uint32(names.to[labels.At(i)]), g.of[t])
				}
			}
		}
		if g.divergent[v] {
			add(divergence, sink)
		}
	}
	end := uint32(len(g.target))
	g.row[sink], g.row[sink+1], g.hiddenEnd[sink] = end, end, end
}

// invert fills the sources, and sorts the arcs by target, in each row the hidden ones first.
func (g *contracted) invert(ctx context.Context) {
	abort.On(resources.Ask(ctx, 16*int64(g.nodes)+8*int64(len(g.target))))
	g.source = make([]uint32, len(g.target))
	for v := range uint32(g.nodes) {
		for a := g.row[v]; a < g.row[v+1]; a++ {
			g.source[a] = v
		}
	}
	hidden := func(a uint32) bool { return a < g.hiddenEnd[g.source[a]] }
	g.inRow = make([]uint32, g.nodes+1)
	next := make([]uint32, g.nodes)
	for a, v := range g.target {
		g.inRow[v+1]++
		if hidden(uint32(a)) {
			next[v]++
		}
	}
	g.inHidden = make([]uint32, g.nodes)
	for v := range g.nodes {
		g.inRow[v+1] += g.inRow[v]
		g.inHidden[v] = g.inRow[v] + next[v]
	}
	visible := append([]uint32(nil), g.inHidden...)
	copy(next, g.inRow)
	g.incoming = make([]uint32, len(g.target))
	for a, v := range g.target {
		place := visible
		if hidden(uint32(a)) {
			place = next
		}
		g.incoming[place[v]] = uint32(a)
		place[v]++
	}
	abort.On(ctx.Err())
}

// assignKeys numbers the keys in the order of their first nodes; the sink has a key of its own.
func (g *contracted) assignKeys(ctx context.Context, apart func(v uint32) uint32) {
	g.key = abort.Must(resources.Make[uint32](ctx, g.nodes))
	number := make(map[uint32]uint32)
	last, same := uint32(0), uint32(none) // neighbours mostly have the same key
	for v := range uint32(g.nodes - 1) {
		if k := apart(v); same == none || k != last {
			n, known := number[k]
			if !known {
				n = uint32(len(number))
				number[k] = n
			}
			last, same = k, n
		}
		g.key[v] = same
	}
	g.key[g.nodes-1] = uint32(len(number))
	g.keys = len(number) + 1
}
