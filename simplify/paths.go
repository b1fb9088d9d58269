package simplify

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/resources"
)

// Paths are shortest paths from the initial state of an LTS: a breadth-first
// spanning tree of it, as far as that was needed.
type Paths struct {
	m *lts.LTS
	// distance is one more than the distance from the initial state, 0 for states
	// that were not met.
	distance []uint32
	// source is that of the transition that first met a state, the first one in the
	// row of its source that leads there.
	source []lts.State
}

// FindPaths returns shortest paths from the initial state of m to the given
// states and to all that lie no farther; of several to one state, the path that
// takes the first transitions in the order of the model. It fails where ctx is
// done. Cost O(S + T) time, less where all are near; 8 bytes a state, and up to 5
// more while it runs.
func FindPaths(ctx context.Context, m *lts.LTS, to []lts.State) (*Paths, error) {
	if err := resources.Ask(ctx, int64(m.NumStates())*9); err != nil {
		return nil, err
	}
	p := &Paths{m: m, distance: make([]uint32, m.NumStates()), source: make([]lts.State, m.NumStates())}
	if len(to) == 0 {
		return p, nil
	}
	wanted := make([]bool, m.NumStates())
	left := 0
	for _, s := range to {
		if !wanted[s] {
			wanted[s] = true
			left++
		}
	}
	var order paged.List[lts.State]
	order.Append(m.Initial())
	p.distance[m.Initial()] = 1
	for i := 0; i < order.Len(); i++ {
		if i&(1<<14-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s := *order.At(i)
		if wanted[s] {
			if left--; left == 0 {
				break
			}
		}
		_, targets := m.Out(s)
		for _, t := range targets {
			if p.distance[t] == 0 {
				p.distance[t], p.source[t] = p.distance[s]+1, s
				order.Append(t)
			}
		}
	}
	return p, nil
}

// Distance returns the length of a shortest path from the initial state to s;
// false where none is known. Cost O(1).
func (p *Paths) Distance(s lts.State) (int, bool) {
	d := p.distance[s]
	return int(d) - 1, d > 0
}

// To returns the transitions of a shortest path from the initial state to s, in
// order; none where no path is known, and for the initial state. Cost O(length
// of the path, and the transitions of its states).
func (p *Paths) To(s lts.State) []lts.Transition {
	distance, known := p.Distance(s)
	if !known {
		return nil
	}
	path := make([]lts.Transition, distance)
	for i := distance - 1; i >= 0; i-- {
		path[i] = p.last(s)
		s = p.source[s]
	}
	return path
}

// last returns the last transition of the path to s.
func (p *Paths) last(s lts.State) lts.Transition {
	source := p.source[s]
	labels, targets := p.m.Out(source)
	return lts.Transition{From: source, Label: labels[slices.Index(targets, s)], To: s}
}
