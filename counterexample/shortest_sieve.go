package counterexample

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// sieve computes, for each m, a superset of the states on the loops that avoid step m+1 and belong
// to lassos of at most bound transitions.
//
// Let X be a strongly connected component of the transitions without labels of step m+1, whose
// nearest state has distance d, and a(s) the distance of s from some state of X, inside X. A
// transition u -> w inside X with a(u) = a(w) + k, k ≥ 0, falls by k, and lies on no cycle of at
// most k transitions, since each transition raises a by at most 1. A relevant cycle has at most
// bound - d transitions. So a transition that falls by that number is removed, and the rest of X
// splits into components (docs/semantics.md, Theorem 4).
type sieve struct {
	*shortest
	bound int
	// kept[m] is the superset for m.
	kept []bitset.Set[lts.State]
	// narrowed is the last result of narrow.
	narrowed int
	// cut reports whether a larger bound may find more: the supersets may lack states of longer
	// lassos.
	cut bool
	// keptAny reports whether the superset of some m is not empty.
	keptAny bool

	parts  *scc.Parts
	sweeps sweeps
	// currentM is the m for which states are sifted.
	currentM int
	// distance is, for each state, one more than D_m; 0 if D_m is not below the bound.
	distance []uint32
	// number is, for each state, the number of its first node; nil unless separators need it.
	number []uint32
	// near are the states for which D_m is below the bound.
	near []lts.State
	// work is the number of states and transitions visited.
	work int
}

// newSieve returns an empty sieve.
func newSieve(s *shortest) *sieve {
	n := s.m.NumStates()
	const tables = 5 // the number of tables of 4 bytes a state: distance, away, near, queue, and the parts of components
	abort.On(resources.Ask(s.ctx, 4*tables*int64(n)+8*int64(s.p.Len())*int64(bitset.Words(n))))
	parts := abort.Must(scc.NewParts(s.ctx, s.m))
	v := &sieve{shortest: s, parts: parts, distance: make([]uint32, n)}
	v.sweeps = sweeps{
		ctx:   s.ctx,
		m:     s.m,
		parts: parts,
		away:  make([]uint32, n),
		work:  &v.work,
	}
	v.kept = make([]bitset.Set[lts.State], s.p.Len())
	for m := range v.kept {
		v.kept[m] = bitset.New[lts.State](n)
	}
	return v
}

// sift computes the superset for a bound. Cost O(n (S + T)), for the states whose distance is below
// the bound.
func (v *sieve) sift(bound int) {
	lastLevel := len(v.levels) - 1
	reachesAll := lastLevel <= bound && v.levels[lastLevel] == v.nodes.Len()
	v.bound = bound
	v.cut = !reachesAll
	v.keptAny = false
	for m := range v.kept {
		v.currentM = m
		v.sweeps.avoiding(v.p, m+1)
		clear(v.kept[m])
		if v.heads.candidates[m].Empty() {
			continue
		}
		v.findNear()
		work := v.parts.Work()
		for component := range abort.Must(v.parts.Components(v.near, v.avoids)) {
			v.refine(component, 0)
		}
		v.work += int(v.parts.Work() - work)
	}
}

// findNear finds D_m of all states whose distance is below the bound.
func (v *sieve) findNear() {
	clear(v.distance)
	v.near = v.near[:0]
	for d, first := range v.levels[:min(v.bound, len(v.levels))] {
		end := v.nodes.Len()
		if d+1 < len(v.levels) {
			end = v.levels[d+1]
		}
		for i := first; i < end; i++ {
			at := v.nodes.At(i)
			if int(at.progress) <= v.currentM && v.currentM <= int(at.upTo) {
				v.distance[at.state] = uint32(d) + 1
				v.near = append(v.near, at.state)
				if v.number != nil {
					v.number[at.state] = uint32(i)
				}
			}
		}
	}
}

func (v *sieve) avoids(_ lts.State, l lts.Label, _ lts.State) bool {
	return !v.p.Does(l, v.currentM+1)
}

// refine adds to the superset those states of a strongly connected component that may lie on short
// enough cycles.
func (v *sieve) refine(component []lts.State, depth int) {
	if len(component) == 1 && !v.hasSelfLoop(component[0]) {
		return
	}
	root := component[0]
	for _, s := range component {
		if v.distance[s] < v.distance[root] {
			root = s
		}
	}
	radius := v.bound - int(v.distance[root]-1)
	if radius < 1 {
		v.cut = true
		return
	}
	if v.sweeps.split(component, root, radius, depth, v.refine) {
		v.cut = true
		return
	}
	v.keptAny = true
	for _, s := range component {
		v.kept[v.currentM].Add(s)
	}
}

// hasSelfLoop reports whether a state has a self-loop that does not do the current step.
func (v *sieve) hasSelfLoop(s lts.State) bool {
	labels, targets := v.m.Out(s)
	for i, t := range targets {
		if t == s && !v.p.Does(labels.At(i), v.currentM+1) {
			return true
		}
	}
	return false
}

// narrow returns the smallest bound, from least on, for which sift leaves states, and sifts for
// this bound. If no bound leaves any, it returns some bound. It returns most if sifting is not
// worth while. That is so in two cases: separators were tried, and sifting for least leaves states;
// or the last result was least - 1, and sifting for least leaves states again.
func (v *sieve) narrow(least, most int) int {
	if v.tried {
		v.markTo(most)
		v.sift(least)
		if v.keptAny {
			v.narrowed = most
			v.sift(most)
			return most
		}
	}
	high := v.bisect(v.double(least, most))
	excludesLittle := high == least && v.narrowed == least-1 // again
	if excludesLittle {
		high = most
	}
	v.narrowed = high
	if v.bound != high {
		v.sift(high)
	}
	return high
}

// double doubles the bound, starting with high, until sift leaves states for it, or no larger bound
// can change the result. It returns the range of bounds that bisect has to search.
func (v *sieve) double(low, high int) (int, int) {
	for {
		v.markTo(high)
		v.sift(high)
		if v.keptAny || !v.cut {
			return low, high
		}
		low = high + 1
		high = 2 * high
	}
}

// bisect returns the smallest bound from low to high for which sift leaves states; high if none does.
func (v *sieve) bisect(low, high int) int {
	for low < high && v.keptAny {
		middle := low + (high-low)/2
		v.sift(middle)
		if v.keptAny {
			high = middle
		} else {
			low = middle + 1
			v.keptAny = true // for high
		}
	}
	return high
}

// visit counts a visited state, and its transitions. It fails with errLimit at the limit.
func (v *sieve) visit(transitions int) error {
	b := v.bounded
	b.visits++
	if b.most > 0 && b.visits > b.most {
		return errLimit
	}
	v.work += transitions + 1
	if v.work&(1<<16-1) <= transitions {
		return v.ctx.Err()
	}
	return nil
}

// separators find the first shortest lasso in the states that a sieve has left, by searches from
// few states. Let X be a strongly connected component of the transitions without labels of step
// m+1, and a(s) the distance of s from some state of X, inside X. A transition raises a by at most
// 1, so the states with a = i separate X: a cycle in X either passes one of them, or stays below or
// above them. Hence the search finds the cycles through each state with a = i, and then the cycles
// in the strongly connected components of the other states. The search through f finds the distance
// of each state from f, and of f from each state. So it finds, for each w, the length of a shortest
// closed walk through f and w. If such a walk is part of a shortest lasso, it is its loop
// (docs/semantics.md, Theorem 5).
type separators struct {
	*sieve
	// most is the largest length of a lasso of interest: the length of the best lasso, once there
	// is one.
	most  int
	found bool
	// node is where the loop of the first best lasso begins. loopLength is the number of
	// transitions of the loop, which avoids step avoided+1.
	node, loopLength, avoided int

	// back is one more than the distance to the state of the current search, and sweeps.away one
	// more than the distance from this state. backVisited are the states whose back is set. All
	// values of back and away are 0 between searches.
	back        []uint32
	backVisited []lts.State
	// searchedFrom are the states of separators from which a search was made.
	searchedFrom bitset.Set[lts.State]

	// planned bounds the cost of the searches from separators, and allowed that of the searches
	// from heads. The unit is the number of states of the component of a search.
	planned, allowed int
}

// mostSeparators is the largest nesting depth of separators.
const mostSeparators = 64

// errWide reports that searches from separators cost more than searches from heads.
var errWide = errors.New("counterexample: separators are hardly smaller than the heads")

// separate searches for the first shortest lasso. most is the largest number of transitions of
// interest; the states were sifted for it. separate returns false without a search if searches from
// the remaining heads cost less. Cost O(n F (S + T)) for F states of separators, over the states
// and transitions that are left; 12 bytes and a bit a state, and about 8 for components.
func (s *shortest) separate(most int) (done bool) {
	n := s.m.NumStates()
	abort.On(resources.Ask(s.ctx, 20*int64(n)+8*int64(bitset.Words(n))))
	x := &separators{
		sieve:        s.sieve,
		most:         most,
		searchedFrom: bitset.New[lts.State](n),
	}
	err := abort.Try(x.plan)
	if errors.Is(err, errWide) {
		return false
	}
	abort.On(err)
	s.newTogether()
	clear(x.sweeps.away)
	x.number = make([]uint32, n)
	x.back = make([]uint32, n)
	for component := range x.components {
		x.divide(component, 0, x.searchAll)
	}
	x.number = nil
	if x.found {
		state := s.nodes.At(x.node).state
		cycle := s.bounded.shortestCycle(state, x.avoided, x.loopLength, x.kept[x.avoided])
		if len(cycle) != x.loopLength {
			abort.On(fmt.Errorf("counterexample: a loop of %d transitions was not found again, please report it", x.loopLength))
		}
		s.improve(x.most, x.node, cycle)
		s.avoids = x.avoided
		s.backwards = s.bounded.backwards
	}
	s.bounded.cut = s.bounded.cut || s.sieve.cut || s.sieve.keptAny
	return true
}

// plan estimates the cost of searches from separators. It fails with errWide if searches from the
// remaining heads would cost less.
func (x *separators) plan() {
	for component := range x.components {
		heads := 0
		finished := x.bounded.finished[x.currentM]
		for _, s := range component {
			isFinished := finished != nil && finished.Has(s)
			if !isFinished && x.heads.areWanted(s, x.currentM) {
				heads++
			}
		}
		x.allowed += heads * len(component)
	}
	workBefore := x.work
	count := func(component, separator []lts.State) {
		for _, f := range separator {
			x.searchedFrom.Add(f)
		}
		x.planned += len(separator) * len(component)
		if x.dearer*max(x.planned, x.work-workBefore) > x.allowed {
			abort.On(errWide)
		}
	}
	for component := range x.components {
		x.divide(component, 0, count)
	}
}

// components yields, for each m, the strongly connected components of the states that the sieve has left.
func (x *separators) components(yield func([]lts.State) bool) {
	var kept []lts.State
	for m := range x.kept {
		x.currentM = m
		x.sweeps.avoiding(x.p, m+1)
		if x.kept[m].Empty() {
			continue
		}
		x.findNear()
		kept = kept[:0]
		for _, s := range x.near {
			if x.kept[m].Has(s) {
				kept = append(kept, s)
			}
		}
		clear(x.searchedFrom)
		for component := range abort.Must(x.parts.Components(kept, x.avoids)) {
			if !yield(component) {
				return
			}
		}
	}
}

// divide calls search with a component and a separator of it, and then divides the strongly
// connected components of the other states. It skips components that are too far away for a lasso
// of interest. depth is the number of separators around the component.
func (x *separators) divide(
	component []lts.State,
	depth int,
	search func(component, separator []lts.State),
) {
	isAcyclic := len(component) == 1 && !x.hasSelfLoop(component[0])
	if isAcyclic || x.radius(component) < 1 {
		return
	}
	if depth == mostSeparators {
		abort.On(errWide)
	}
	abort.On(x.ctx.Err())
	search(component, x.separator(component))
	remaining := make([]lts.State, 0, len(component))
	for _, s := range component {
		if !x.searchedFrom.Has(s) {
			remaining = append(remaining, s)
		}
	}
	for smaller := range abort.Must(x.parts.Components(remaining, x.avoids)) {
		x.divide(smaller, depth+1, search)
	}
}

// separator returns the states of a component at a certain distance from one of its states. It
// chooses a distance with few states compared with the nearer states, or with the farther states if
// these are fewer.
func (x *separators) separator(component []lts.State) []lts.State {
	root := component[0]
	best := []lts.State{root}
	besideBest := 0 // the number of states on the smaller side of best
	for range 2 {   // from any state, and then from a farthest one
		root, _ = x.sweeps.sweep(component, root, len(component))
		queue := x.sweeps.queue
		away := x.sweeps.away
		end := 1
		for first := 1; first < len(queue); first = end {
			for end < len(queue) && away[queue[end]] == away[queue[first]] {
				end++
			}
			// queue[first:end] are the states at one distance.
			beside := min(first, len(queue)-end)
			hasBetterRatio := (end-first)*besideBest < len(best)*beside
			if hasBetterRatio {
				best = append(best[:0], queue[first:end]...)
				besideBest = beside
			}
		}
	}
	return best
}

// radius returns the largest number of transitions that a loop in a component may have in a lasso
// of interest.
func (x *separators) radius(component []lts.State) int {
	nearest := x.distance[component[0]]
	for _, s := range component {
		nearest = min(nearest, x.distance[s])
	}
	return x.most - int(nearest-1)
}

// searchAll searches for lassos whose loops pass a state of a separator of the component that was
// entered last. A search from up to 64 of these states at once finds the states that begin a short
// enough loop; only these are searched one by one.
func (x *separators) searchAll(component, separator []lts.State) {
	for _, s := range component {
		x.sweeps.away[s] = 0
	}
	nearest := x.most - x.radius(component)
	for batch := range slices.Chunk(separator, mostMeetings) {
		t := x.together
		clear(t.within)
		for _, s := range component {
			if !x.searchedFrom.Has(s) {
				t.within.Add(s)
			}
		}
		t.search(batch, x.currentM, x.most-nearest)
		for i, f := range batch {
			radius := x.most - nearest // smaller once a shorter lasso was found
			if t.meetings.lengths[i] <= radius {
				x.search(f, radius)
			}
			x.searchedFrom.Add(f)
		}
	}
}

// search searches for lassos whose loops pass f and have at most radius transitions.
func (x *separators) search(f lts.State, radius int) {
	length := x.searchForth(f, radius)
	if length <= radius {
		nearest := x.most - radius
		x.consider(f, length)
		radius = x.most - nearest
		if length <= radius {
			x.searchBack(f, radius)
		}
	}
	for _, s := range x.sweeps.queue {
		x.sweeps.away[s] = 0
	}
}

// searchForth finds the distances from f of the states on loops of at most radius transitions, and
// stores them in sweeps.away. It returns the length of a shortest loop; radius + 1 if all are
// longer.
func (x *separators) searchForth(f lts.State, radius int) (length int) {
	length = radius + 1
	x.sweeps.queue = append(x.sweeps.queue[:0], f)
	x.sweeps.away[f] = 1
	for i := 0; i < len(x.sweeps.queue); i++ {
		from := x.sweeps.queue[i]
		away := x.sweeps.away[from]
		labels, targets := x.m.Out(from)
		abort.On(x.visit(len(targets)))
		for j, to := range targets {
			if to == f && !x.p.Does(labels.At(j), x.currentM+1) {
				length = min(length, int(away))
			}
			isVisited := x.sweeps.away[to] != 0
			if isVisited || int(away) >= radius {
				continue
			}
			isRemaining := x.parts.Has(to) && !x.searchedFrom.Has(to)
			if !isRemaining || x.p.Does(labels.At(j), x.currentM+1) {
				continue
			}
			x.sweeps.away[to] = away + 1
			x.sweeps.queue = append(x.sweeps.queue, to)
		}
	}
	return length
}

// searchBack finds the distances to f of the states that searchForth has visited and that lie on a
// loop of at most radius transitions through f. It passes the length of such a loop through each
// of these states to consider.
func (x *separators) searchBack(f lts.State, radius int) {
	x.backVisited = append(x.backVisited[:0], f)
	x.back[f] = 1
	for i := 0; i < len(x.backVisited); i++ {
		to := x.backVisited[i]
		back := x.back[to]
		labels, sources := x.m.Predecessors().In(to)
		abort.On(x.visit(len(sources)))
		for j, from := range sources {
			away := x.sweeps.away[from]
			if away == 0 || x.back[from] != 0 || x.p.Does(labels.At(j), x.currentM+1) {
				continue
			}
			length := int(away - 1 + back)
			if length > radius {
				continue
			}
			x.back[from] = back + 1
			x.backVisited = append(x.backVisited, from)
			x.consider(from, length)
		}
	}
	for _, s := range x.backVisited {
		x.back[s] = 0
	}
}

// consider takes a closed walk of the given length through s as a loop. It records the lasso if it is
// shorter than the best one so far, or as short and through an earlier state.
func (x *separators) consider(s lts.State, length int) {
	lasso := int(x.distance[s]-1) + length
	node := int(x.number[s])
	isFirstOfItsLength := lasso == x.most && (!x.found || node < x.node)
	if lasso < x.most || isFirstOfItsLength {
		x.most = lasso
		x.found = true
		x.node = node
		x.loopLength = length
		x.avoided = x.currentM
	}
}

// mostSweeps is the largest number of states from which sweeps measure distances in a component
// and, counted together, in the components that remain inside it.
const mostSweeps = 6

// sweeps remove transitions that fall, see [sieve], from strongly connected components: such
// transitions lie on no short enough cycle.
type sweeps struct {
	ctx   context.Context
	m     *lts.LTS
	parts *scc.Parts
	// free reports for each letter, or for each label if there are no letters, whether cycles may
	// take transitions with it. In a product u, free has one such list for each property state.
	free []bool
	// letters has the letter of each label; nil if there are none.
	letters []uint16
	// columns is the number of letters.
	columns int
	// u is nil if m is no product.
	u *product.Unfolding
	// away is one more than the distance from the state where the last sweep began.
	away []uint32
	// queue has the states of the last sweep by ascending distance.
	queue []lts.State
	// work is the number of states and transitions visited.
	work *int
}

// split removes the transitions that fall by radius from a strongly connected component. It
// measures distances from root or, if no transition falls, from other states, at most mostSweeps in
// all; depth is the number of states tried before. It yields the strongly connected components of
// what remains, and returns false if no transition falls.
func (w *sweeps) split(
	component []lts.State,
	root lts.State,
	radius, depth int,
	yield func(smaller []lts.State, depth int),
) bool {
	for ; radius < len(component) && depth < mostSweeps; depth++ {
		abort.On(w.ctx.Err())
		falls := false
		root, falls = w.sweep(component, root, radius)
		if !falls {
			continue
		}
		remains := func(from lts.State, l lts.Label, to lts.State) bool {
			return int(w.away[from]) < int(w.away[to])+radius && w.row(from)[w.column(l)]
		}
		for smaller := range abort.Must(w.parts.Components(component, remains)) {
			yield(smaller, depth+1)
		}
		return true
	}
	return false
}

// row returns the part of free for the transitions from a state.
func (w *sweeps) row(from lts.State) []bool {
	if w.u == nil {
		return w.free
	}
	return w.free[int(w.u.At(from).Q)*w.columns:]
}

func (w *sweeps) column(l lts.Label) int {
	if w.letters == nil {
		return int(l)
	}
	return int(w.letters[l])
}

// avoiding sets free to the labels that do not do the given step.
func (w *sweeps) avoiding(p *property.Chain, step int) {
	if w.free == nil {
		w.free = make([]bool, w.m.Alphabet().Len())
	}
	for l := range w.free {
		w.free[l] = !p.Does(lts.Label(l), step)
	}
}

// sweep finds the distances of the states of a component from root. It returns a farthest state.
// falls reports whether some transition falls by radius.
func (w *sweeps) sweep(
	component []lts.State,
	root lts.State,
	radius int,
) (furthest lts.State, falls bool) {
	w.parts.Enter(component)
	for _, s := range component {
		w.away[s] = 0
	}
	w.queue = append(w.queue[:0], root)
	w.away[root] = 1
	for i := 0; i < len(w.queue); i++ {
		from := w.queue[i]
		labels, targets := w.m.Out(from)
		*w.work += len(targets) + 1
		free := w.row(from)
		for j, to := range targets {
			if !w.parts.Has(to) || !free[w.column(labels.At(j))] {
				continue
			}
			if w.away[to] == 0 {
				w.away[to] = w.away[from] + 1
				w.queue = append(w.queue, to)
			}
			falls = falls || int(w.away[from]) >= int(w.away[to])+radius
		}
	}
	return w.queue[len(w.queue)-1], falls
}

// together finds the lengths of shortest cycles through up to 64 states in one backward search, see
// [meetings].
type together struct {
	*sieve
	// within are the states that cycles may pass.
	within   bitset.Set[lts.State]
	meetings meetings[lts.State]

	// fruitless[m] are heads that begin no short enough loop that avoids step m+1.
	fruitless []fruitlessHeads
	// separateIsCheaper reports whether separate searches, one from each head, cost less than
	// searches from many heads at once.
	separateIsCheaper bool
	// from are the heads of the current search, and most[i] is the largest number of transitions of
	// a loop of interest that begins in from[i].
	from []lts.State
	most []int
}

// fruitlessHeads has those heads that begin no loop of a short enough lasso. Only heads whose nodes
// come before until have been examined.
type fruitlessHeads struct {
	until int
	heads bitset.Set[lts.State]
}

// newTogether sets together, unless it is set.
func (s *shortest) newTogether() {
	if s.together != nil {
		return
	}
	n := s.m.NumStates()
	sets := 1 + s.p.Len()
	abort.On(resources.Ask(s.ctx, 36*int64(n)+8*int64(sets)*int64(bitset.Words(n))))
	abort.On(s.m.FindPredecessors(s.ctx))
	s.together = &together{
		sieve:     s.sieve,
		within:    bitset.New[lts.State](n),
		fruitless: make([]fruitlessHeads, s.p.Len()),
		meetings:  newMeetings[lts.State](n),
	}
	for m := range s.together.fruitless {
		s.together.fruitless[m].heads = bitset.New[lts.State](n)
	}
}

// forget discards the results, for another bound.
func (x *together) forget() {
	if x == nil {
		return
	}
	for m := range x.fruitless {
		x.fruitless[m].until = 0
		clear(x.fruitless[m].heads)
	}
	x.separateIsCheaper = false
}

// findFruitless searches from up to 64 of the next heads, beginning with the given one, and finds
// the heads that begin no short enough loop. It also compares the cost of this search with that of
// the separate searches since the last sifting.
func (x *together) findFruitless(at beginning) {
	m := at.m
	x.chooseHeads(at)
	copy(x.within, x.kept[m])
	for w, finished := range x.bounded.finished[m] {
		x.within[w] &^= finished
	}
	workBefore := x.work
	x.search(x.from, m, at.most-at.distance)
	for k, s := range x.from {
		if x.meetings.lengths[k] > x.most[k] {
			x.fruitless[m].heads.Add(s)
		}
	}
	cost := x.work - workBefore
	separateSearches := int(x.bounded.search - x.searched)
	separateCost := x.bounded.work - x.sifted
	x.separateIsCheaper = 2*cost*separateSearches > len(x.from)*separateCost
}

// chooseHeads sets from to the next heads, from the given beginning on.
func (x *together) chooseHeads(begin beginning) {
	m := begin.m
	x.from = x.from[:0]
	x.most = x.most[:0]
	distance := begin.distance
	i := begin.node
	for ; i < x.nodes.Len() && len(x.from) < mostMeetings; i++ {
		for distance+1 < len(x.levels) && x.levels[distance+1] <= i {
			distance++
		}
		if distance >= begin.most {
			break
		}
		node := x.nodes.At(i)
		isFirstNode := int(node.progress) <= m && m <= int(node.upTo) // of its state, for m
		if isFirstNode && x.heads.areWanted(node.state, m) && x.kept[m].Has(node.state) {
			x.from = append(x.from, node.state)
			x.most = append(x.most, begin.most-distance)
		}
	}
	x.fruitless[m].until = i
}

// search finds, for each of up to 64 states, the length of a shortest cycle through it, without
// labels of step m+1 and through states of within. A result above radius means that this length
// exceeds radius. Cost O(S + T) for each distance at which a search reaches states.
func (x *together) search(from []lts.State, m, radius int) {
	x.meetings.departures = x.meetings.departures[:0]
	for _, s := range from {
		x.meetings.departures = append(x.meetings.departures, departure[lts.State]{
			start: s,
			end:   s,
		})
	}
	if len(from) == 0 {
		return
	}
	expand := func(to lts.State, searches uint64) error {
		labels, sources := x.m.Predecessors().In(to)
		err := x.visit(len(sources))
		for j, from := range sources {
			fresh := searches &^ x.meetings.visited[from]
			if fresh != 0 && x.within.Has(from) && !x.p.Does(labels.At(j), m+1) {
				x.meetings.meet(from, fresh)
			}
		}
		return err
	}
	abort.On(x.meetings.search(radius, expand))
}
