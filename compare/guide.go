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
	// counterparts has, for each state, the aligned state of the other version; unaligned if there is none.
	counterparts []lts.State
	// distances has, for each state, the number of labels of a shortest run to a changed state; [never]
	// if there is none.
	distances []uint32
}

const never = 1<<32 - 1

// least returns a lower bound of the number of labels of a run that distinguishes a state from
// others; [never] if no run does. The others must be in ascending order.
func (g *guide) least(one lts.State, others []lts.State) uint32 {
	if g == nil || g.distances[one] == 0 || g.counterparts[one] == unaligned {
		return 0
	}
	if _, in := slices.BinarySearch(others, g.counterparts[one]); !in {
		return 0
	}
	return g.distances[one]
}

// headFor sets the guides of a search by an alignment. The function node maps a state of a version
// to its state in the graph of the search. Cost O(S + T).
func (p *pairSearch) headFor(
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
		counterparts, changed := p.counterpartsAndChanged(a, side, node)
		distances, err := p.distances(ctx, changed)
		if err != nil {
			return err
		}
		p.guides[side] = &guide{counterparts: counterparts, distances: distances}
	}
	return nil
}

// counterpartsAndChanged returns states of the graph of the search, for one version. For each state
// of the graph, counterparts has the state of the graph for the aligned state of the other version.
// Several aligned states of a version can have the same state in the graph; then the first of them
// counts. changed are the states of the graph for changed states, and for states that only this
// version has.
func (p *pairSearch) counterpartsAndChanged(
	a *aligner,
	side Side,
	node func(Side, lts.State) lts.State,
) (counterparts, changed []lts.State) {
	aligned := a.newOf
	if side == New {
		aligned = a.oldOf
	}
	isChanged := a.changedStates()
	counterparts = unalignedStates(p.g)
	for i, counterpart := range aligned {
		s := lts.State(i)
		if !a.d.version(side).Reachable().Has(s) {
			continue
		}
		at := node(side, s)
		if counterpart == unaligned {
			changed = append(changed, at)
			continue
		}
		if counterparts[at] == unaligned {
			counterparts[at] = node(side.Other(), counterpart)
		}
		if isChanged[a.oldState(side, s)] {
			changed = append(changed, at)
		}
	}
	return counterparts, changed
}

// oldState returns the state of the old version that is aligned with s, which must be aligned.
func (a *aligner) oldState(side Side, s lts.State) lts.State {
	if side == New {
		return a.oldOf[s]
	}
	return s
}

// distances returns, for each state, the least number of visible labels of a path to one of the states
// in targets; [never] if there is no path.
func (p *pairSearch) distances(ctx context.Context, targets []lts.State) ([]uint32, error) {
	least := make([]uint32, p.g.NumStates())
	for s := range least {
		least[s] = never
	}
	for _, s := range targets {
		least[s] = 0
	}
	incoming := p.g.Predecessors()
	current := targets
	for distance := uint32(0); len(current) > 0; distance++ {
		var next []lts.State
		for i := 0; i < len(current); i++ {
			if err := checkContext(ctx, i); err != nil {
				return nil, err
			}
			if least[current[i]] != distance {
				continue // a shorter distance has been found since
			}
			for l, s := range incoming.Into(current[i]) {
				isHidden := p.hidden(l)
				switch {
				case isHidden && least[s] > distance:
					least[s] = distance
					current = append(current, s)
				case !isHidden && least[s] > distance+1:
					least[s] = distance + 1
					next = append(next, s)
				}
			}
		}
		current = next
	}
	return least, nil
}
