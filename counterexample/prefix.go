package counterexample

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// badPrefix searches for a shortest run of m after which p is violated whatever follows. It reports
// whether p is a safety property: whether each run that violates p has such a prefix. If p is no
// safety property, it searches only if always is set. If no run at all satisfies p, it finds no bad
// prefix. It fails if ctx is done.
//
// Every run that violates a safety property reaches a property state that accepts no word. The
// search finds the nearest one, breadth first, so no bad prefix of the model has fewer transitions.
// Cost O(T) for each property state that is visited, 1 bit for each product state, and 16 bytes for
// those visited.
func badPrefix(ctx context.Context, m *lts.LTS, p *property.Property, always bool) (r *Result, safety bool) {
	words := abort.Must(product.ResidualsOf(ctx, p))
	if !words.IsSafety() && !always || !words.CanAccept(p.Initial()) {
		return nil, false
	}
	safety = words.IsSafety()
	abort.On(resources.AskFor[uint8](ctx, m.NumStates()/8*p.States()))
	type found struct {
		treeNode
		q property.Q
	}
	visited := make([]bitset.Set[lts.State], p.States())
	var queue paged.List[found]
	come := func(x found) {
		if visited[x.q] == nil {
			visited[x.q] = bitset.New[lts.State](m.NumStates())
		}
		if !visited[x.q].Has(x.state) {
			visited[x.q].Add(x.state)
			queue.Append(x)
		}
	}
	r = &Result{Minimal: InModel}
	come(found{treeNode{state: m.Initial()}, p.Initial()})
	for next := 0; next < queue.Len(); next++ {
		heed(ctx, next)
		at := *queue.At(next)
		if words.CanAccept(at.q) {
			labels, targets := m.Out(at.state)
			for i, to := range targets {
				come(found{treeNode{to, labels.At(i), uint32(next)}, p.Next(at.q, labels.At(i))})
			}
			continue
		}
		steps := treePath(next, func(i int) *treeNode { return &queue.At(i).treeNode })
		r.Stats.Stored, r.Stats.Found, r.Stats.Length = int64(queue.Len()), 1, len(steps)+1
		r.Trace = abort.Must(NewPrefix(m, p, steps))
		return r, safety
	}
	r.Stats.Stored = int64(queue.Len())
	return r, safety
}

// prefixes are shortest runs to states with ever less progress: a breadth-first search over states
// and progress, which visits a state again only with less progress. A run with less progress can
// end in the same violations.
type prefixes struct {
	m     *lts.LTS
	p     *property.Chain
	nodes paged.List[node]
	// left[s] is n minus the least progress that s was visited with; 0 if s was not visited, so the
	// memory of states far away is never written.
	left []uint16
}

// node is a state visited by the breadth-first search over states and progress.
type node struct {
	state    lts.State
	parent   uint32 // the number of the previous node on the path
	progress uint16
	// upTo is the largest m for which this node is the first node of its state with progress at
	// most m.
	upTo uint16
}

// newPrefixes returns a search with the empty run.
func newPrefixes(m *lts.LTS, p *property.Chain) *prefixes {
	r := &prefixes{m: m, p: p, left: make([]uint16, m.NumStates())}
	r.restart()
	return r
}

// restart discards all runs except the empty one.
func (r *prefixes) restart() {
	for _, n := range r.nodes.All() {
		r.left[n.state] = 0
	}
	r.nodes.Truncate(0)
	r.meet(r.m.Initial(), 0, 0)
}

// meet adds a node, unless an earlier visit to its state had the same progress or less.
func (r *prefixes) meet(state lts.State, parent, progress int) {
	least := r.least(state)
	if uint16(progress) >= least {
		return
	}
	r.left[state] = uint16(r.p.Len() - progress)
	r.nodes.Append(node{state, uint32(parent), uint16(progress), least - 1})
}

// least returns the least progress that a state was visited with; n if it was not visited.
func (r *prefixes) least(s lts.State) uint16 { return uint16(r.p.Len()) - r.left[s] }

func (r *prefixes) expand(i int) {
	from := *r.nodes.At(i)
	labels, targets := r.m.Out(from.state)
	for j, t := range targets {
		r.meet(t, i, r.p.Advance(int(from.progress), labels.At(j)))
	}
}

// step returns the transition from a node to the next: the first one in the model that leads there
// with the right progress.
func (r *prefixes) step(from, to *node) lts.Transition {
	labels, targets := r.m.Out(from.state)
	for i, t := range targets {
		if t == to.state && r.p.Advance(int(from.progress), labels.At(i)) == int(to.progress) {
			return lts.Transition{From: from.state, Label: labels.At(i), To: t}
		}
	}
	return lts.Transition{From: from.state, To: to.state}
}
