package counterexample

import (
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// loopSieve leaves states of a product that may lie on the loop of a run of at most bound
// transitions, and all that do. It is [sieve] for closed walks with colours to be met: Theorem 4
// of docs/semantics.md holds for these, too. And a walk through a state that meets a colour has
// at least as many transitions as the way there from the nearest transition with it, the way
// from there to the nearest, and one.
type loopSieve struct {
	*loops
	bound int
	// left[s] is the number of the part that is left with s, from 1; 0 if it is left out.
	left  []uint32
	count uint32
	some  bool // whether heads were left
	parts *scc.Parts
	// states has those of all parts, one part after the other, which end at ends.
	states []lts.State
	ends   []int
	sweeps sweeps
	// round[s] is the least length of a walk through s that meets all colours, as far as they
	// tell that one by one; from and to are distances for that. All are nil if there is
	// nothing to be met.
	round, from, to []uint32
	step            int // by how much the bound rises if the sieve excludes nothing
	// narrowed says that the bound has been looked for: see [loopSieve.narrow].
	narrowed bool
}

// newSieve makes a sieve that nothing has passed.
func (x *loops) newSieve() error {
	n := x.m.NumStates()
	const tables = 6 // left, states, away, queue, and the two of parts
	if err := resources.Ask(x.ctx, 4*tables*int64(n)); err != nil {
		return err
	}
	parts, err := scc.NewParts(x.ctx, x.m)
	if err != nil {
		return err
	}
	v := &loopSieve{loops: x, parts: parts, left: make([]uint32, n), step: 1, bound: infinite}
	v.sweeps = sweeps{ctx: x.ctx, m: x.m, parts: parts, away: make([]uint32, n), work: &x.work}
	v.sweeps.without(x.u, x.pair.Fin)
	if x.pair.Inf != 0 {
		if err := resources.Ask(x.ctx, 12*int64(n)); err != nil {
			return err
		}
		if err := x.m.FindPredecessors(x.ctx); err != nil {
			return err
		}
		v.round, v.from, v.to = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	}
	v.group()
	x.sieve = v
	return nil
}

// group lists the states by their parts.
func (v *loopSieve) group() {
	count := uint32(0)
	for _, of := range v.part {
		count = max(count, of)
	}
	next := make([]int, count+2)
	for _, of := range v.part {
		if of > 0 {
			next[of+1]++
		}
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	v.states = make([]lts.State, next[count+1])
	for s, of := range v.part {
		if of > 0 {
			v.states[next[of]] = lts.State(s)
			next[of]++
		}
	}
	v.ends = next[1 : count+1]
}

// narrow makes the bound the least one above what is excluded for which heads are left, and
// reports whether there is any that is of interest. Where the search within the last bound was in vain
// and a bound that is larger by one leaves heads, sifting tells too little: the bound rises by more.
func (v *loopSieve) narrow(again bool) (bool, error) {
	v.narrowed = true
	low, high := v.excluded+1, v.best-1
	if low > high {
		return false, nil
	}
	if again || high < v.bound {
		if some, err := v.sift(high); err != nil || !some {
			return false, err
		}
	}
	if again {
		some, err := v.sift(low)
		if err != nil {
			return false, err
		}
		if some {
			v.step *= 2
			v.loops.bound = min(high, low+v.step)
			return v.sift(v.loops.bound)
		}
		low++
	}
	for low < high {
		middle := low + (high-low)/2
		some, err := v.sift(middle)
		if err != nil {
			return false, err
		}
		if some {
			high = middle
		} else {
			low = middle + 1
		}
	}
	v.excluded, v.loops.bound = high-1, high
	if v.bound == high {
		return true, nil
	}
	return v.sift(high)
}

// sift looks for what may be on the loops of runs of at most bound transitions, and reports
// whether heads are left. Cost O(k (S + T)) with k colours to be met.
func (v *loopSieve) sift(bound int) (bool, error) {
	v.bound, v.some, v.count = bound, false, 0
	clear(v.left)
	clear(v.heads)
	v.together.forget()
	work := v.parts.Work()
	first := 0
	for _, end := range v.ends {
		near := v.states[first:end]
		first = end
		for len(near) > 0 && int(v.distance[near[len(near)-1]]) >= bound {
			near = near[:len(near)-1]
		}
		err := v.parts.Components(near, v.shows, func(part []lts.State) (bool, error) {
			return true, v.refine(part, 0)
		})
		if err != nil {
			return false, err
		}
	}
	v.work += int(v.parts.Work() - work)
	v.sifted, v.tried = v.work, false
	v.did.sifted++
	return v.some, nil
}

func (v *loopSieve) shows(from lts.State, l lts.Label, _ lts.State) bool { return v.takes(from, l) }

// refine keeps the states of a strongly connected part that may be on loops that are short enough.
func (v *loopSieve) refine(part []lts.State, depth int) error {
	if v.ctx.Err() != nil {
		return v.ctx.Err()
	}
	if !v.closes(part) {
		return nil
	}
	root := part[0]
	for _, s := range part {
		root = min(root, s)
	}
	radius := v.bound - int(v.distance[root])
	if radius < 1 {
		return nil
	}
	again := func(smaller []lts.State) (bool, error) { return true, v.refine(smaller, depth+1) }
	if depth == 0 && v.pair.Inf != 0 {
		near := v.within(part, radius)
		if len(near) < len(part) {
			return v.parts.Components(near, v.shows, again)
		}
	}
	if split, err := v.sweeps.split(part, root, radius, depth, v.refine); split || err != nil {
		return err
	}
	v.keep(part)
	return nil
}

// closes reports whether a strongly connected part has transitions, with all colours that are to
// be met.
func (v *loopSieve) closes(part []lts.State) bool {
	v.parts.Enter(part)
	some, met := false, property.Marks(0)
	for _, s := range part {
		labels, targets := v.m.Out(s)
		v.work += len(targets) + 1
		for i, t := range targets {
			if marks := v.u.Marks(s, labels.At(i)); v.parts.Has(t) && marks&v.pair.Fin == 0 {
				some, met = true, met|marks
			}
		}
		if some && met&v.pair.Inf == v.pair.Inf {
			return true
		}
	}
	return false
}

// within returns the states of a part through which the colours leave a walk of at most radius
// transitions.
func (v *loopSieve) within(part []lts.State, radius int) []lts.State {
	for _, s := range part {
		v.round[s] = 0
	}
	for left := v.pair.Inf; left != 0; left &= left - 1 {
		v.measureColour(part, property.Mark(bits.TrailingZeros64(uint64(left))))
	}
	near := make([]lts.State, 0, len(part))
	for _, s := range part {
		if int(v.round[s]) <= radius {
			near = append(near, s)
		}
	}
	return near
}

// measureColour finds out how far the states of a part are from a colour, forth and back.
func (v *loopSieve) measureColour(part []lts.State, colour property.Marks) {
	v.parts.Enter(part)
	for _, s := range part {
		v.from[s], v.to[s] = 0, 0
	}
	var before []lts.State
	v.sweeps.queue = v.sweeps.queue[:0]
	for _, s := range part {
		labels, targets := v.m.Out(s)
		v.work += len(targets) + 1
		for i, t := range targets {
			if marks := v.u.Marks(s, labels.At(i)); marks&colour == 0 || marks&v.pair.Fin != 0 || !v.parts.Has(t) {
				continue
			}
			if v.to[s] == 0 {
				v.to[s] = 1
				before = append(before, s)
			}
			if v.from[t] == 0 {
				v.from[t] = 1
				v.sweeps.queue = append(v.sweeps.queue, t)
			}
		}
	}
	v.spread(v.from, v.m.Out, func(at lts.State, l lts.Label, _ lts.State) bool { return v.takes(at, l) })
	v.sweeps.queue = append(v.sweeps.queue[:0], before...)
	v.spread(v.to, v.m.Predecessors().In, func(_ lts.State, l lts.Label, next lts.State) bool { return v.takes(next, l) })
	for _, s := range part {
		v.round[s] = max(v.round[s], v.from[s]+v.to[s]-1)
	}
}

// spread goes on breadth first from the states in the queue, inside the part that was entered.
func (v *loopSieve) spread(distance []uint32, neighbours func(lts.State) (lts.Labels, []lts.State), takes func(at lts.State, l lts.Label, next lts.State) bool) {
	for i := 0; i < len(v.sweeps.queue); i++ {
		at := v.sweeps.queue[i]
		labels, states := neighbours(at)
		v.work += len(states) + 1
		for j, t := range states {
			if v.parts.Has(t) && distance[t] == 0 && takes(at, labels.At(j), t) {
				distance[t] = distance[at] + 1
				v.sweeps.queue = append(v.sweeps.queue, t)
			}
		}
	}
}

// keep leaves a part, with the heads in it.
func (v *loopSieve) keep(part []lts.State) {
	v.count++
	v.parts.Enter(part)
	for _, s := range part {
		v.left[s] = v.count
		if int(v.distance[s]) >= v.bound {
			continue
		}
		labels, targets := v.m.Out(s)
		v.work += len(targets) + 1
		for i, t := range targets {
			if t >= v.done && v.distance[s] >= v.distance[t] && v.parts.Has(t) && v.begins(t) && v.takes(s, labels.At(i)) {
				v.heads.Add(t)
				v.some = true
			}
		}
	}
}

// begins reports whether the loop of a run that is short enough may begin in a state.
func (v *loopSieve) begins(s lts.State) bool {
	return v.round == nil || int(v.distance[s]+v.round[s]) <= v.bound
}
