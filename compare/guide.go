package compare

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// guide bounds the lengths of distinguishing runs. For each state of one version in the graph of a
// search, it has a lower bound: a run that distinguishes the state from states of the other version
// has at least this number of labels.
//
// Until a run visits a changed state, an aligned state of the other version has the same
// transitions, to aligned states. So it can follow each run that has fewer labels than a run to a
// changed state.
type guide struct {
	// like has the aligned state of the other version for each state; unaligned if there is none.
	like []lts.State
	// far is the number of labels of a shortest run to a changed state; [never] if there is none.
	far []uint32
}

const never = 1<<32 - 1

// least returns a lower bound of the number of labels of a run that distinguishes a state from
// others; [never] if no run does. The others must be in ascending order.
func (g *guide) least(one lts.State, others []lts.State) uint32 {
	if g == nil || g.far[one] == 0 || g.like[one] == unaligned {
		return 0
	}
	if _, in := slices.BinarySearch(others, g.like[one]); !in {
		return 0
	}
	return g.far[one]
}

// headFor sets the guides of a search by an alignment. The function node maps a state of a version
// to its state in the graph of the search. Cost O(S + T).
func (p *parter) headFor(
	ctx context.Context,
	a *aligner,
	node func(Side, lts.State) lts.State,
) error {
	if err := p.g.FindPredecessors(ctx); err != nil {
		return err
	}
	p.guides = make(map[Side]*guide)
	for _, side := range []Side{Old, New} {
		if err := resources.Ask(ctx, 12*int64(p.g.NumStates())); err != nil {
			return err
		}
		like, ends := p.likeAndEnds(a, side, node)
		far, err := p.distances(ctx, ends)
		if err != nil {
			return err
		}
		p.guides[side] = &guide{like: like, far: far}
	}
	return nil
}

// likeAndEnds returns states of the graph of the search. Several aligned states of a version can
// have the same state in this graph; like maps it to the state of the graph for the counterpart of
// the first of them. ends are the states of the graph for changed states, and for states that only
// this version has.
func (p *parter) likeAndEnds(
	a *aligner,
	side Side,
	node func(Side, lts.State) lts.State,
) (like, ends []lts.State) {
	counterparts := a.to
	if side == New {
		counterparts = a.from
	}
	changed := a.changed()
	like = unalignedStates(p.g)
	for i, counterpart := range counterparts {
		s := lts.State(i)
		if !a.d.version(side).Reachable().Has(s) {
			continue
		}
		at := node(side, s)
		if counterpart == unaligned {
			ends = append(ends, at)
			continue
		}
		if like[at] == unaligned {
			like[at] = node(side.Other(), counterpart)
		}
		if changed[a.old(side, s)] {
			ends = append(ends, at)
		}
	}
	return like, ends
}

// old returns the state of the old version that is aligned with s, which must be aligned.
func (a *aligner) old(side Side, s lts.State) lts.State {
	if side == New {
		return a.from[s]
	}
	return s
}

// distances returns, for each state, the least number of visible labels of a path to one of the states
// in ends; [never] if there is no path.
func (p *parter) distances(ctx context.Context, ends []lts.State) ([]uint32, error) {
	far := make([]uint32, p.g.NumStates())
	for s := range far {
		far[s] = never
	}
	for _, s := range ends {
		far[s] = 0
	}
	into := p.g.Predecessors()
	current := ends
	for distance := uint32(0); len(current) > 0; distance++ {
		var next []lts.State
		for i := 0; i < len(current); i++ {
			if err := asked(ctx, i); err != nil {
				return nil, err
			}
			if far[current[i]] != distance {
				continue // a shorter distance has been found since
			}
			for l, s := range into.Into(current[i]) {
				hidden := p.hidden(l)
				switch {
				case hidden && far[s] > distance:
					far[s] = distance
					current = append(current, s)
				case !hidden && far[s] > distance+1:
					far[s] = distance + 1
					next = append(next, s)
				}
			}
		}
		current = next
	}
	return far, nil
}
