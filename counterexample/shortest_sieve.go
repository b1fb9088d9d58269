package counterexample

import (
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
)

// sieve leaves, for each m, states that may lie on the loop of a lasso of at most bound
// transitions that avoids step m+1, and all that do.
//
// Let X be a strongly connected part of the transitions without labels of step m+1, whose
// nearest state is at distance d, and a(s) the distance of s from some state of X, inside
// it. A transition u -> w inside X with a(u) = a(w) + k, k ≥ 0, lies on no cycle of at most
// k transitions, for each transition raises a by 1 at most. A cycle that matters has at most
// bound - d of them; so what falls by as much is left out, and what remains of X falls into
// parts (docs/semantics.md, Theorem 4).
type sieve struct {
	*shortest
	bound int
	left  []bitset.Set[lts.State]
	// narrowed is the bound that narrow has returned last.
	narrowed int
	// cut reports whether what was left out may have cycles, for a larger bound.
	cut bool
	// some reports whether any states were left.
	some bool

	parts  *scc.Parts
	sweeps sweeps
	// now is the m that is looked at.
	now int
	// distance is one more than D_m, 0 for states that are no nearer than bound.
	distance []uint32
	// number is that of the node that is met first at a state, where separators want it.
	number []uint32
	met    []lts.State
	work   int
}

// newSieve returns a sieve that nothing has passed.
func newSieve(s *shortest) (*sieve, error) {
	n := s.m.NumStates()
	const tables = 5 // and what components take: distance, away, met, queue, and the parts themselves
	if err := resources.Ask(s.ctx, 4*tables*int64(n)+8*int64(s.p.Len())*int64(bitset.Words(n))); err != nil {
		return nil, err
	}
	parts, err := scc.NewParts(s.ctx, s.m)
	if err != nil {
		return nil, err
	}
	v := &sieve{shortest: s, parts: parts, distance: make([]uint32, n)}
	v.sweeps = sweeps{ctx: s.ctx, m: s.m, parts: parts, away: make([]uint32, n), work: &v.work}
	v.left = make([]bitset.Set[lts.State], s.p.Len())
	for m := range v.left {
		v.left[m] = bitset.New[lts.State](n)
	}
	return v, nil
}

// sift looks for what may be on the loops of lassos of at most bound transitions. Cost
// O(n (S + T)), for the states that are nearer than that.
func (v *sieve) sift(bound int) error {
	last := len(v.levels) - 1
	all := last <= bound && v.levels[last] == v.nodes.Len()
	v.bound, v.cut, v.some = bound, !all, false
	for m := range v.left {
		v.now = m
		v.sweeps.avoiding(v.p, m+1)
		clear(v.left[m])
		if v.heads.of[m].Empty() {
			continue
		}
		v.meet()
		work := v.parts.Work()
		err := v.parts.Components(v.met, v.avoids, func(part []lts.State) (bool, error) {
			return true, v.refine(part, 0)
		})
		if err != nil {
			return err
		}
		v.work += int(v.parts.Work() - work)
	}
	return nil
}

// meet finds D_m of all states that are nearer than the bound.
func (v *sieve) meet() {
	clear(v.distance)
	v.met = v.met[:0]
	for d, first := range v.levels[:min(v.bound, len(v.levels))] {
		end := v.nodes.Len()
		if d+1 < len(v.levels) {
			end = v.levels[d+1]
		}
		for i := first; i < end; i++ {
			if at := v.nodes.At(i); int(at.progress) <= v.now && v.now <= int(at.upTo) {
				v.distance[at.state] = uint32(d) + 1
				v.met = append(v.met, at.state)
				if v.number != nil {
					v.number[at.state] = uint32(i)
				}
			}
		}
	}
}

func (v *sieve) avoids(_ lts.State, l lts.Label, _ lts.State) bool { return !v.p.Does(l, v.now+1) }

// refine leaves of a strongly connected part what may be on cycles that are short enough.
func (v *sieve) refine(part []lts.State, depth int) error {
	if len(part) == 1 && !v.loops(part[0]) {
		return nil
	}
	root := part[0]
	for _, s := range part {
		if v.distance[s] < v.distance[root] {
			root = s
		}
	}
	radius := v.bound - int(v.distance[root]-1)
	if radius < 1 {
		v.cut = true
		return nil
	}
	split, err := v.sweeps.split(part, root, radius, depth, v.refine)
	v.cut = v.cut || split
	if split || err != nil {
		return err
	}
	v.some = true
	for _, s := range part {
		v.left[v.now].Add(s)
	}
	return nil
}

// loops reports whether a state has a transition to itself.
func (v *sieve) loops(s lts.State) bool {
	labels, targets := v.m.Out(s)
	for i, t := range targets {
		if t == s && !v.p.Does(labels.At(i), v.now+1) {
			return true
		}
	}
	return false
}

// narrow returns the smallest bound from least on for which states are left, however large
// it is, and sifts for it; some bound where nothing is ever left. Where it returned the bound
// before least the last time, and least again leaves states, sifting tells too little, and it
// returns most.
func (v *sieve) narrow(least, most int) (int, error) {
	if v.tried {
		if err := v.markTo(most); err != nil {
			return most, err
		}
		if err := v.sift(least); err != nil {
			return most, err
		}
		if v.some {
			v.narrowed = most
			return most, v.sift(most)
		}
	}
	low, high := least, most
	for {
		if err := v.markTo(high); err != nil {
			return most, err
		}
		if err := v.sift(high); err != nil {
			return most, err
		}
		if v.some || !v.cut {
			break
		}
		low, high = high+1, 2*high
	}
	for low < high && v.some {
		middle := low + (high-low)/2
		if err := v.sift(middle); err != nil {
			return most, err
		}
		if v.some {
			high = middle
		} else {
			low, v.some = middle+1, true
		}
	}
	if high == least && v.narrowed == least-1 {
		high = most
	}
	v.narrowed = high
	if v.bound == high {
		return high, nil
	}
	return high, v.sift(high)
}

// visit counts a state that is looked at, and its transitions.
func (v *sieve) visit(transitions int) error {
	b := v.bounded
	if b.visits++; b.most > 0 && b.visits > b.most {
		return errLimit
	}
	if v.work += transitions + 1; v.work&(1<<16-1) <= transitions {
		return v.ctx.Err()
	}
	return nil
}
