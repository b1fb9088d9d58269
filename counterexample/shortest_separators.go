package counterexample

import (
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// separators find the first shortest lasso among what a sieve has left by searches from few
// states. Let X be a strongly connected part of the transitions without labels of step m+1,
// and a(s) the distance of s from some state of X, inside it. A transition raises a by 1 at
// most, so that a cycle in X passes one of the states with a = i, which separate X, or stays
// below or above them. Hence cycles are looked for through each of those, and then in the
// strongly connected parts of the others. The search through f finds how far all states are
// from f, and f from them: by that, for each w, the length of a shortest closed walk through f
// and w. One that is a part of a shortest lasso is its loop (docs/semantics.md, Theorem 5).
type separators struct {
	*sieve
	// most is the number of transitions above which no lasso matters: that of the best one
	// found, where any was.
	most  int
	found bool
	// node is where the loop of the first best one begins, loop how many transitions that has,
	// and avoided the m of the step m+1 that it avoids.
	node, loop, avoided int

	// back is one more than the distance to the state that is searched from, as away is that
	// from there, and ends are the states that have one. Both are 0 between searches.
	back []uint32
	ends []lts.State
	// past are the states of separators that were searched from.
	past bitset.Set[lts.State]

	// planned and allowed are what searches from separators and from heads cost at most: the
	// number of searches, each times the number of states of its part.
	planned, allowed int
}

// mostSeparators is how many separators are looked for one within the other.
const mostSeparators = 64

// errWide tells that searches from separators cost more than those from heads.
var errWide = errors.New("counterexample: separators are hardly smaller than the heads")

// separate looks for the first shortest lasso of at most as many transitions as states were
// sifted for, and reports whether that has been done, which is not where it costs more than
// searches from the heads that are left. Cost O(n F (S + T)) for F states of separators, of
// the states and transitions that are left; 12 bytes and a bit a state, and about 8 for parts.
func (s *shortest) separate(most int) (done bool, err error) {
	n := s.m.NumStates()
	if err := resources.Ask(s.ctx, 20*int64(n)+8*int64(bitset.Words(n))); err != nil {
		return false, err
	}
	x := &separators{sieve: s.sieve, most: most, past: bitset.New[lts.State](n)}
	err = x.plan()
	if errors.Is(err, errWide) {
		return false, nil
	}
	if err == nil {
		err = s.newTogether()
	}
	if err == nil {
		clear(x.sweeps.away)
		x.number, x.back = make([]uint32, n), make([]uint32, n)
		err = x.each(func(part []lts.State) error { return x.divide(part, 0, x.searchAll) })
		x.number = nil
	}
	if err == nil && x.found {
		err = x.take()
	}
	s.bounded.cut = s.bounded.cut || s.sieve.cut || s.sieve.some
	return true, err
}

// plan finds what searches from separators would cost. It fails with errWide where searches
// from the heads that are left would cost less.
func (x *separators) plan() error {
	err := x.each(func(part []lts.State) error {
		heads, finished := 0, x.bounded.finished[x.now]
		for _, s := range part {
			if x.heads.wanted(s, x.now) && (finished == nil || !finished.Has(s)) {
				heads++
			}
		}
		x.allowed += heads * len(part)
		return nil
	})
	if err != nil {
		return err
	}
	work := x.work
	return x.each(func(part []lts.State) error {
		return x.divide(part, 0, func(part, from []lts.State) error {
			for _, f := range from {
				x.past.Add(f)
			}
			if x.planned += len(from) * len(part); x.dearer*max(x.planned, x.work-work) > x.allowed {
				return errWide
			}
			return nil
		})
	})
}

// each yields, for each m, the strongly connected parts of the states that were left.
func (x *separators) each(yield func([]lts.State) error) error {
	var left []lts.State
	for m := range x.left {
		x.now = m
		x.sweeps.avoiding(x.p, m+1)
		if x.left[m].Empty() {
			continue
		}
		x.meet()
		left = left[:0]
		for _, s := range x.met {
			if x.left[m].Has(s) {
				left = append(left, s)
			}
		}
		clear(x.past)
		err := x.parts.Components(left, x.avoids, func(part []lts.State) (bool, error) { return true, yield(part) })
		if err != nil {
			return err
		}
	}
	return nil
}

// divide calls search with each part there is, and a separator of it, and goes on with the
// strongly connected parts that are left without that. Parts too near the bound have no lasso
// that matters.
func (x *separators) divide(part []lts.State, depth int, search func(part, from []lts.State) error) error {
	if len(part) == 1 && !x.loops(part[0]) || x.radius(part) < 1 {
		return nil
	}
	if depth == mostSeparators {
		return errWide
	}
	if x.ctx.Err() != nil {
		return x.ctx.Err()
	}
	if err := search(part, x.separator(part)); err != nil {
		return err
	}
	rest := make([]lts.State, 0, len(part))
	for _, s := range part {
		if !x.past.Has(s) {
			rest = append(rest, s)
		}
	}
	return x.parts.Components(rest, x.avoids, func(smaller []lts.State) (bool, error) {
		return true, x.divide(smaller, depth+1, search)
	})
}

// radius returns how many transitions a loop in a part may have, for a lasso that matters.
func (x *separators) radius(part []lts.State) int {
	nearest := x.distance[part[0]]
	for _, s := range part {
		nearest = min(nearest, x.distance[s])
	}
	return x.most - int(nearest-1)
}

// separator enters a part, and returns states of equal distance from some state of it, few
// for as many states as there are both nearer and further away at least.
func (x *separators) separator(part []lts.State) []lts.State {
	root := part[0]
	best, side := []lts.State{root}, 0
	for range 2 {
		root, _ = x.sweeps.sweep(part, root, len(part))
		for first, end := 1, 1; first < len(x.sweeps.queue); first = end {
			for end < len(x.sweeps.queue) && x.sweeps.away[x.sweeps.queue[end]] == x.sweeps.away[x.sweeps.queue[first]] {
				end++
			}
			if beside := min(first, len(x.sweeps.queue)-end); (end-first)*side < len(best)*beside {
				best, side = append(best[:0], x.sweeps.queue[first:end]...), beside
			}
		}
	}
	return best
}

// searchAll looks for lassos whose loops pass one of some states, within the part that was
// entered last.
func (x *separators) searchAll(part, from []lts.State) error {
	for _, s := range part {
		x.sweeps.away[s] = 0
	}
	nearest := x.most - x.radius(part)
	for len(from) > 0 {
		some := from[:min(len(from), 64)]
		if err := x.filter(part, some, x.most-nearest); err != nil {
			return err
		}
		for i, f := range some {
			if radius := x.most - nearest; x.together.lengths[i] <= radius {
				if err := x.search(f, radius); err != nil {
					return err
				}
			}
			x.past.Add(f)
		}
		from = from[len(some):]
	}
	return nil
}

// filter finds the lengths of shortest loops through some states of the part.
func (x *separators) filter(part, from []lts.State, radius int) error {
	t := x.together
	clear(t.within)
	for _, s := range part {
		if !x.past.Has(s) {
			t.within.Add(s)
		}
	}
	return t.search(from, x.now, radius)
}

// search looks for lassos whose loops pass f and have at most radius transitions.
func (x *separators) search(f lts.State, radius int) error {
	length, err := x.forth(f, radius)
	if err == nil && length <= radius {
		nearest := x.most - radius
		x.consider(f, length)
		if radius = x.most - nearest; length <= radius {
			err = x.andBack(f, radius)
		}
	}
	for _, s := range x.sweeps.queue {
		x.sweeps.away[s] = 0
	}
	return err
}

// forth finds how far states are from f, for as many as a loop of at most radius transitions
// can pass, and the length of a shortest loop; more than radius where that is longer.
func (x *separators) forth(f lts.State, radius int) (length int, err error) {
	length = radius + 1
	x.sweeps.queue = append(x.sweeps.queue[:0], f)
	x.sweeps.away[f] = 1
	for i := 0; i < len(x.sweeps.queue); i++ {
		from := x.sweeps.queue[i]
		away := x.sweeps.away[from]
		labels, targets := x.m.Out(from)
		if err := x.visit(len(targets)); err != nil {
			return length, err
		}
		for j, to := range targets {
			if to == f && !x.p.Does(labels.At(j), x.now+1) {
				length = min(length, int(away))
			}
			if x.sweeps.away[to] != 0 || int(away) >= radius || !x.parts.Has(to) || x.past.Has(to) || x.p.Does(labels.At(j), x.now+1) {
				continue
			}
			x.sweeps.away[to] = away + 1
			x.sweeps.queue = append(x.sweeps.queue, to)
		}
	}
	return length, nil
}

// andBack finds the distances from the states that forth has met to f, for those that are on a loop
// of at most radius transitions through f, and considers them.
func (x *separators) andBack(f lts.State, radius int) error {
	x.ends = append(x.ends[:0], f)
	x.back[f] = 1
	defer func() {
		for _, s := range x.ends {
			x.back[s] = 0
		}
	}()
	for i := 0; i < len(x.ends); i++ {
		to := x.ends[i]
		back := x.back[to]
		labels, sources := x.bounded.before.In(to)
		if err := x.visit(len(sources)); err != nil {
			return err
		}
		for j, from := range sources {
			if x.sweeps.away[from] == 0 || x.back[from] != 0 || int(x.sweeps.away[from]-1+back) > radius || x.p.Does(labels.At(j), x.now+1) {
				continue
			}
			x.back[from] = back + 1
			x.ends = append(x.ends, from)
			x.consider(from, int(x.sweeps.away[from]-1+back))
		}
	}
	return nil
}

// consider takes a closed walk of so many transitions through a state for the loop of the
// first shortest lasso, where that is shorter than all before, or the first of as short ones.
func (x *separators) consider(s lts.State, length int) {
	all, node := int(x.distance[s]-1)+length, int(x.number[s])
	if all < x.most || all == x.most && (!x.found || node < x.node) {
		x.most, x.found, x.node, x.loop, x.avoided = all, true, node, length, x.now
	}
}

// take makes the first shortest lasso the best counterexample.
func (x *separators) take() error {
	s := x.shortest
	state := s.nodes.At(x.node).state
	cycle, err := s.bounded.shortestCycle(state, x.avoided, x.loop, x.left[x.avoided])
	if err != nil {
		return err
	}
	if len(cycle) != x.loop {
		return fmt.Errorf("counterexample: a loop of %d transitions was not found again, please report it", x.loop)
	}
	s.improve(x.most, x.node, cycle)
	s.avoids, s.backwards = x.avoided, s.bounded.backwards
	return nil
}
