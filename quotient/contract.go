package quotient

import (
	"context"
	"fmt"
	"math"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// none stands for no arc, no group and no block.
const none = math.MaxUint32

// contracted is the reachable part of a model in which every strongly connected
// component of hidden transitions is one node. Its arcs lie in rows sorted by
// source, in each row the hidden ones first; there are no hidden cycles.
//
// A divergent node has an arc with a label of its own to the last node, the
// sink, which stands for no state: divergence is told apart as a visible
// transition is.
type contracted struct {
	// of[s] is the node of a reachable state, and meaningless for others.
	of        []uint32
	nodes     int
	divergent []bool
	// key[v] is the number of the class of nodes beyond which v is not merged.
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

// hiddenComponents returns the strongly connected components of the hidden
// transitions between reachable states of one key. Component 0 is that of a
// state that is added to make all of them reachable.
func hiddenComponents(ctx context.Context, m *lts.LTS, names *renaming, apart func(lts.State) uint32) (*scc.Components, error) {
	var b lts.Builder
	label := b.Label("i")
	root, reach := lts.State(m.NumStates()), m.Reachable()
	if m.NumStates() >= lts.MaxStates {
		return nil, fmt.Errorf("quotient: the model has %d states, at most %d are possible", m.NumStates(), lts.MaxStates-1)
	}
	for s := lts.State(0); s < root; s++ {
		if s&(1<<16-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !reach.Has(s) {
			continue
		}
		labels, targets := m.Out(s)
		for i, t := range targets {
			if names.hidden(labels[i]) && (apart == nil || apart(s) == apart(t)) {
				b.Add(s, label, t)
			}
		}
	}
	for s := lts.State(0); s < root; s++ {
		if reach.Has(s) {
			b.Add(root, label, s)
		}
	}
	hidden, err := b.Build(root, int(root)+1)
	if err != nil {
		return nil, err
	}
	return scc.Find(ctx, hidden, scc.Iterative)
}

// contract returns the contracted model. Cost O(S + T).
func contract(ctx context.Context, m *lts.LTS, names *renaming, apart func(lts.State) uint32) (*contracted, error) {
	if n := m.Reachable().NumTransitions() + m.NumStates(); n >= math.MaxUint32 {
		return nil, fmt.Errorf("quotient: the model has %d states and reachable transitions, at most %d are possible", n, uint32(math.MaxUint32-1))
	}
	components, err := hiddenComponents(ctx, m, names, apart)
	if err != nil {
		return nil, err
	}
	// Component 0 is the state that was added; its place is taken by the sink,
	// behind the others.
	g := &contracted{nodes: components.Len(), labels: len(names.texts) + 2, of: make([]uint32, m.NumStates())}
	g.divergent = make([]bool, g.nodes)
	for v := range uint32(g.nodes - 1) {
		g.divergent[v] = components.IsCyclic(scc.Component(v + 1))
		for _, s := range components.States(scc.Component(v + 1)) {
			g.of[s] = v
		}
	}
	if err := g.addArcs(ctx, m, names, components); err != nil {
		return nil, err
	}
	g.invert()
	g.assignKeys(func(v uint32) uint32 {
		if apart == nil {
			return 0
		}
		return apart(components.States(scc.Component(v + 1))[0])
	})
	return g, nil
}

// addArcs fills in the rows.
func (g *contracted) addArcs(ctx context.Context, m *lts.LTS, names *renaming, components *scc.Components) error {
	most := m.Reachable().NumTransitions()
	g.row = make([]uint32, g.nodes+1)
	g.hiddenEnd = make([]uint32, g.nodes)
	g.source, g.target, g.label = make([]uint32, 0, most), make([]uint32, 0, most), make([]uint32, 0, most)
	add := func(from, label, to uint32) {
		g.source, g.target, g.label = append(g.source, from), append(g.target, to), append(g.label, label)
	}
	tau, divergence, sink := uint32(g.labels-2), uint32(g.labels-1), uint32(g.nodes-1)
	for v := range sink {
		if v&(1<<14-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		g.row[v] = uint32(len(g.target))
		states := components.States(scc.Component(v + 1))
		for _, s := range states {
			labels, targets := m.Out(s)
			for i, t := range targets {
				if w := g.of[t]; names.hidden(labels[i]) && w != v {
					add(v, tau, w)
				}
			}
		}
		g.hiddenEnd[v] = uint32(len(g.target))
		for _, s := range states {
			labels, targets := m.Out(s)
			for i, t := range targets {
				if !names.hidden(labels[i]) {
					add(v, uint32(names.to[labels[i]]), g.of[t])
				}
			}
		}
		if g.divergent[v] {
			add(v, divergence, sink)
		}
	}
	end := uint32(len(g.target))
	g.row[sink], g.row[sink+1], g.hiddenEnd[sink] = end, end, end
	return nil
}

// invert sorts the arcs by target, in each row the hidden ones first.
func (g *contracted) invert() {
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
}

// assignKeys numbers the keys by the first node that has each; the sink has one
// of its own.
func (g *contracted) assignKeys(apart func(v uint32) uint32) {
	g.key = make([]uint32, g.nodes)
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
