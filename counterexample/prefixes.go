package counterexample

import (
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// prefixes are shortest runs to states with ever less progress: a breadth-first search
// over states and progress, which meets a state again only with less than before. A run
// with less progress can end in the same violations.
type prefixes struct {
	m     *lts.LTS
	p     *property.Chain
	nodes paged.List[node]
	// left[s] is n less the least progress with which s was met; 0 if it was not, so that the
	// memory of states that are far away is never written to.
	left []uint16
}

// node is a state met by the breadth-first search over states and progress.
type node struct {
	state    lts.State
	parent   uint32 // number of the node before it
	progress uint16
	// upTo is the largest m for which this node is the first to come to the state
	// with progress at most m.
	upTo uint16
}

// newPrefixes returns the run without transitions.
func newPrefixes(m *lts.LTS, p *property.Chain) *prefixes {
	r := &prefixes{m: m, p: p, left: make([]uint16, m.NumStates())}
	r.restart()
	return r
}

// restart leaves only the run without transitions.
func (r *prefixes) restart() {
	for _, n := range r.nodes.All() {
		r.left[n.state] = 0
	}
	r.nodes.Truncate(0)
	r.meet(r.m.Initial(), 0, 0)
}

// meet adds a node, unless its state was met before with as little progress.
func (r *prefixes) meet(state lts.State, parent, progress int) {
	least := r.least(state)
	if uint16(progress) >= least {
		return
	}
	r.left[state] = uint16(r.p.Len() - progress)
	r.nodes.Append(node{state, uint32(parent), uint16(progress), least - 1})
}

// least returns the least progress with which a state was met; n if it was not.
func (r *prefixes) least(s lts.State) uint16 { return uint16(r.p.Len()) - r.left[s] }

func (r *prefixes) expand(i int) {
	from := *r.nodes.At(i)
	labels, targets := r.m.Out(from.state)
	for j, t := range targets {
		r.meet(t, i, r.p.Advance(int(from.progress), labels.At(j)))
	}
}

// step returns the transition by which a node was met from the one before it: the
// first one that leads there with its progress.
func (r *prefixes) step(from, to *node) lts.Transition {
	labels, targets := r.m.Out(from.state)
	for i, t := range targets {
		if t == to.state && r.p.Advance(int(from.progress), labels.At(i)) == int(to.progress) {
			return lts.Transition{From: from.state, Label: labels.At(i), To: t}
		}
	}
	return lts.Transition{From: from.state, To: to.state}
}
