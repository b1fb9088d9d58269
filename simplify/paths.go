package simplify

import (
	"context"

	"github.com/inev-lts/inev/lts"
)

// Paths are shortest paths from the initial state of an LTS: a breadth-first
// spanning tree of it, as far as that was needed.
type Paths struct {
	initial lts.State
	order   []lts.State
	// distance is one more than the distance from the initial state, 0 for states
	// that were not met.
	distance []uint32
	// source and label are those of the transition that first met a state.
	source []lts.State
	label  []lts.Label
}

// FindPaths returns shortest paths from the initial state of m to the given
// states and to all that lie no farther; of several to one state, the path that
// takes the first transitions in the order of the model. It fails where ctx is
// done. Cost O(S + T) time, less where all are near; up to 16 bytes a state.
func FindPaths(ctx context.Context, m *lts.LTS, to []lts.State) (*Paths, error) {
	p := &Paths{initial: m.Initial()}
	wanted := make(map[lts.State]struct{}, len(to))
	for _, s := range to {
		wanted[s] = struct{}{}
	}
	p.distance = make([]uint32, m.NumStates())
	p.source = make([]lts.State, m.NumStates())
	p.label = make([]lts.Label, m.NumStates())
	p.order = append(p.order, m.Initial())
	p.distance[m.Initial()] = 1
	for i := 0; i < len(p.order) && len(wanted) > 0; i++ {
		if i&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		delete(wanted, p.order[i])
		p.expand(m, p.order[i])
	}
	p.order = nil
	return p, nil
}

func (p *Paths) expand(m *lts.LTS, s lts.State) {
	labels, targets := m.Out(s)
	for i, to := range targets {
		if p.distance[to] == 0 {
			p.distance[to] = p.distance[s] + 1
			p.source[to], p.label[to] = s, labels[i]
			p.order = append(p.order, to)
		}
	}
}

// Distance returns the length of a shortest path from the initial state to s;
// false where none is known. Cost O(1).
func (p *Paths) Distance(s lts.State) (int, bool) {
	d := p.distance[s]
	return int(d) - 1, d > 0
}

// To returns the transitions of a shortest path from the initial state to s, in
// order; none where no path is known, and for the initial state. Cost O(length
// of the path).
func (p *Paths) To(s lts.State) []lts.Transition {
	distance, known := p.Distance(s)
	if !known {
		return nil
	}
	path := make([]lts.Transition, distance)
	for i := distance - 1; i >= 0; i-- {
		path[i] = lts.Transition{From: p.source[s], Label: p.label[s], To: s}
		s = p.source[s]
	}
	return path
}
