package verify

import (
	"fmt"

	"github.com/inev-lts/inev/property"
)

// checkRanks checks that the ranks of what cannot are the least there are, and the missing
// colours the first: what proves a claim is nothing that could be changed unnoticed. It needs
// the places and [tableChecker.checkCannot].
func (c *tableChecker) checkRanks(x *side) error {
	for i, pair := range x.pairs {
		r := ranking{tableChecker: c, side: x, number: i, pair: pair, index: make([]uint32, len(c.state)), low: make([]uint32, len(c.state)), in: make([]bool, len(c.state))}
		err := c.places(func(at int) error {
			if x.can[at] || r.index[at] > 0 {
				return nil
			}
			return r.from(at)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ranking goes through the strongly connected components of what cannot without the
// transitions that a pair bans, what they lead to first (Tarjan: Depth-First Search and Linear
// Graph Algorithms, SIAM J. Comput. 1972).
type ranking struct {
	*tableChecker
	*side
	number     int // of the pair
	pair       property.Pair
	index, low []uint32 // from 1, in the order in which places are met
	in         []bool   // whether a place is among those met of which the component is not known
	met        []int
	count      uint32
}

// visit is a place with the number of the transition to be looked at next.
type visit struct{ at, next int }

func (r *ranking) enter(at int) visit {
	r.count++
	r.index[at], r.low[at], r.in[at] = r.count, r.count, true
	r.met = append(r.met, at)
	return visit{at: at}
}

// edge returns transition k of a place that stays among what cannot and is not banned, by its
// target and colours; stays is false if it is another one, more where there is none.
func (r *ranking) edge(at, k int) (to int, marks property.Marks, stays, more bool) {
	labels, targets := r.m.Out(r.state[at])
	if k >= len(targets) {
		return 0, 0, false, false
	}
	l := labels.At(k)
	to, listed := r.find(targets[k], r.p.Next(r.q[at], l))
	marks = r.p.Marks(r.q[at], l)
	return to, marks, listed && !r.can[to] && marks&r.pair.Fin == 0, true
}

// from goes through what a place leads to.
func (r *ranking) from(at int) error {
	path := []visit{r.enter(at)}
	for len(path) > 0 {
		v := &path[len(path)-1]
		to, _, stays, more := r.edge(v.at, v.next)
		v.next++
		switch {
		case more && stays && r.index[to] == 0:
			path = append(path, r.enter(to))
		case more && stays && r.in[to]:
			r.low[v.at] = min(r.low[v.at], r.index[to])
		case !more:
			at := v.at
			if path = path[:len(path)-1]; len(path) > 0 {
				before := path[len(path)-1].at
				r.low[before] = min(r.low[before], r.low[at])
			}
			if r.low[at] == r.index[at] {
				if err := r.component(at); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// component checks the component of which a place was met first.
func (r *ranking) component(root int) error {
	first := len(r.met) - 1
	for r.met[first] != root {
		first--
	}
	states := r.met[first:]
	r.met = r.met[:first]
	rank, cyclic, marks := uint32(0), false, property.Marks(0)
	for _, at := range states {
		for k := 0; ; k++ {
			to, of, stays, more := r.edge(at, k)
			if !more {
				break
			}
			switch {
			case !stays:
			case r.in[to]: // what is left of those met before is not led to
				cyclic = true
				marks |= of
			default:
				rank = max(rank, r.ranks.at(to)[2*r.number]+1)
			}
		}
	}
	missing := uint32(0)
	for colour := property.Colours - 1; colour >= 0 && cyclic; colour-- {
		if r.pair.Inf.Has(colour) && !marks.Has(colour) {
			missing = uint32(colour + 1)
		}
	}
	for _, at := range states {
		r.in[at] = false
		if of := r.ranks.at(at); of[2*r.number] != rank || of[2*r.number+1] != missing {
			return fmt.Errorf("place %s: pair %d has rank %d and missing %d, but the transitions make it %d and %d", r.name(at), r.number, of[2*r.number], of[2*r.number+1], rank, missing)
		}
	}
	return nil
}
