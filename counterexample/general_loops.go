package counterexample

import (
	"cmp"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// loops searches for the loops of one pair: for closed walks in the product with none of the
// colours that must not recur, and with all colours that must recur.
//
// Let w be the first state, in the order of numbers, where a shortest run begins its loop. No state
// of the loop comes before w, since the loop could begin there as well; so no search visits states
// before the one where it begins. And w is a head: the last transition of the loop leads to w from
// a state that is no nearer.
type loops struct {
	*general
	// component has, for each state, the number of its component, from 1; 0 for states on no loop.
	component  []uint32
	pair       property.Pair
	colourBits // bits of the colours that a loop must take
	// visited[s<<bits|set] is the number of the last search that visited s with the colours in set.
	visited []uint32
	search  uint32
	queue   pagedlist.List[onLoop]

	// heads are the states where loops may begin that are still to be searched. None of them comes
	// before done. Heads that begin only loops of runs longer than bound are left out.
	heads bitset.Set[lts.State]
	done  lts.State
	bound int
	// excluded is a length: every run has more transitions.
	excluded int

	work     int // the number of transitions and states visited
	sieve    *loopSieve
	together *loopsTogether
	// sifted is the value of work when states were last sifted. siftAfter is the cost of searches
	// after which states are sifted again, or searched from many heads at once.
	sifted, siftAfter int
	// tried reports whether loops through the states of a colour have been searched for since
	// states were last sifted.
	tried bool
}

// onLoop is a state on a path that may become a loop, with the colours that the path has taken.
type onLoop struct {
	treeNode
	set, length uint32
}

// searchPair searches for a shorter run that violates the property by pair i.
func (g *general) searchPair(i int, p property.Pair) {
	if g.levels != nil && !g.usePart(i, p) {
		return
	}
	component, parts, err := g.u.Recurring(g.ctx, g.c, p.Fin, p.Inf, nil)
	abort.On(err)
	if parts == 0 {
		return
	}
	g.violated = true
	x := &loops{
		general:   g,
		component: component,
		pair:      p,
		bound:     infinite,
		siftAfter: g.patience,
	}
	if p.Inf.Len() > mostDemands {
		x.tourComponents()
		return
	}
	x.colourBits = numbered(p.Inf)
	abort.On(resources.AskFor[uint32](g.ctx, g.m.NumStates()<<x.bits))
	x.visited = make([]uint32, g.m.NumStates()<<x.bits)
	x.run()
	g.cost.work += x.work
}

// usePart restricts the search to the part of the product whose loops violate the property by pair
// i. It reports whether there is such a part.
func (g *general) usePart(i int, p property.Pair) bool {
	g.searched = searched{}
	part, distances, err := g.levels.Part(g.ctx, i, p)
	abort.On(err)
	if part == nil {
		return false
	}
	g.searched = searched{u: part, m: part.LTS(), distance: distances}
	g.patience = patienceWith(g.m)
	return true
}

// tourComponents finds one loop for each component, through its nearest state, by a [tour] without
// tasks. It is used if loops must take so many colours that a search for a shortest loop would be
// too expensive.
func (x *loops) tourComponents() {
	noTasks := abort.Must(property.NewFairness(x.m.Alphabet(), false, nil, nil))
	in := newInside(&fair{
		ctx:    x.ctx,
		m:      x.m,
		u:      x.u,
		f:      noTasks,
		limits: limits{tour: math.MaxInt},
	})
	sets := setsOf(x.component, x.pair)
	slices.SortFunc(sets, func(a, b fairSet) int {
		return cmp.Compare(a.states[0], b.states[0])
	})
	for _, set := range sets {
		begin := set.states[0]
		if int(x.distance[begin])+1 >= x.best {
			return
		}
		t := in.newTour(set)
		loop := t.round(begin)
		x.visits += t.visits
		x.improve(begin, loop)
	}
}

// colourBits are small sets of some colours, as bits.
type colourBits struct {
	numbered property.Marks
	bitOf    [property.Colours]uint32 // the bit of each colour of numbered
	bits     int
	full     uint32 // the set of all colours of numbered
}

func numbered(colours property.Marks) colourBits {
	x := colourBits{numbered: colours}
	for c := range colours.All {
		x.bitOf[c] = 1 << x.bits
		x.bits++
	}
	x.full = 1<<x.bits - 1
	return x
}

// colours returns the set of the colours in m that have bits.
func (x *colourBits) colours(m property.Marks) (set uint32) {
	for c := range (m & x.numbered).All {
		set |= x.bitOf[c]
	}
	return set
}

// run searches for loops from all heads, in their order. If that becomes expensive, it continues
// with a bound on the lengths of runs, which it raises step by step.
func (x *loops) run() {
	x.findHeads()
	for {
		known := x.round()
		if known || x.bound >= x.best-1 {
			return
		}
		x.excluded = x.bound
		x.cost.rounds++
		if !x.sieve.afterFruitlessRound() {
			return
		}
	}
}

// muchTogether is the factor by which searches from many heads at once may cost more than searches
// from single heads before states are sifted. Sifting costs several times as much as one search
// through all states, and must be repeated for each bound that is tried.
const muchTogether = 8

// escalate makes the searches for loops cheaper once they are expensive. It either finds all loops
// by searches through few states, see [loopsThrough], or leaves out states that lie on no short
// enough loop, see [loopSieve]. It reports whether the shortest run is known.
func (x *loops) escalate(most int) (known bool) {
	hasFewColours := x.pair.Inf != 0 && x.bits <= mostTogether
	isExpensive := x.work-x.sifted > x.siftAfter
	if hasFewColours && isExpensive && !x.tried {
		known = x.tryThrough()
		if known {
			return true
		}
	}
	if !x.siftingPays(most) {
		return false
	}
	if x.sieve == nil {
		x.newSieve()
	}
	if most < x.sieve.bound {
		return !x.sieve.sift(most)
	}
	return !x.sieve.narrow()
}

// tryThrough searches for loops through the states of a colour, if these states are few. It reports
// whether the shortest run is known.
func (x *loops) tryThrough() (known bool) {
	x.tried = true
	component := x.component
	few := fewSources
	if x.sieve != nil {
		component = x.sieve.kept
		few = max(fewSources, x.heads.Len()/fewer)
	}
	sources := x.sources(component, few)
	if sources == nil {
		return false
	}
	x.cost.through++
	x.through(sources, component)
	if x.bound >= x.best-1 {
		return true
	}
	clear(x.heads) // no loop is left within the bound
	return false
}

// siftingPays reports whether the searches since the last sifting have cost so much that it is
// worth sifting the states for runs of at most the given length.
func (x *loops) siftingPays(most int) bool {
	spent := x.work - x.sifted
	if x.sieve != nil && most < x.sieve.bound {
		return spent > x.siftAfter
	}
	patience := x.siftAfter
	if x.bits <= mostTogether {
		patience *= muchTogether
	}
	return spent > patience && (x.sieve == nil || !x.sieve.narrowed)
}

// knowsFruitless reports whether it is known that no short enough loop begins at a head. Once the searches
// are expensive, it finds this out by one search from many heads at once, see [loopsTogether].
func (x *loops) knowsFruitless(s lts.State, most int) bool {
	isCheapSoFar := x.together == nil && x.work-x.sifted < x.siftAfter
	if x.bits > mostTogether || isCheapSoFar {
		return false
	}
	if x.together == nil {
		n := x.m.NumStates() << x.bits
		abort.On(resources.Ask(x.ctx, 24*int64(n)))
		x.together = &loopsTogether{
			loops:     x,
			meetings:  newMeetings[uint64](n),
			fruitless: bitset.New[lts.State](x.m.NumStates()),
		}
	}
	y := x.together
	if s >= y.until {
		y.findFruitless(s, most)
	}
	return y.fruitless.Has(s)
}

// findHeads finds the heads: the targets of transitions from a state of the same component that is
// no nearer.
func (x *loops) findHeads() {
	n := x.m.NumStates()
	abort.On(resources.Ask(x.ctx, int64(n)/8))
	x.heads = bitset.New[lts.State](n)
	for u := range lts.State(n) {
		abort.IfDone(x.ctx, u)
		if int(x.distance[u])+1 >= x.best {
			break
		}
		if x.component[u] == 0 {
			continue
		}
		labels, targets := x.m.Out(u)
		for i, t := range targets {
			isOnLoop := x.component[t] == x.component[u] && x.mayTake(u, labels.At(i))
			if isOnLoop && x.distance[u] >= x.distance[t] {
				x.heads.Add(t)
			}
		}
	}
}

// mayTake reports whether loops may take a transition.
func (x *loops) mayTake(from lts.State, l lts.Label) bool {
	return x.u.Marks(from, l)&x.pair.Fin == 0
}

// most is the largest length of a run of interest.
func (x *loops) most() int { return min(x.bound, x.best-1) }

// round searches for loops of runs within the bound. It reports whether the shortest run is known.
func (x *loops) round() (known bool) {
	for s := range x.heads.From(x.done) {
		if int(x.distance[s])+1 > x.most() {
			return false
		}
		if !x.heads.Has(s) {
			continue // the head was removed meanwhile
		}
		if x.escalate(x.most()) {
			return true
		}
		if !x.heads.Has(s) {
			continue
		}
		if !x.knowsFruitless(s, x.most()) {
			x.searchFrom(s)
		}
		if x.bound == infinite {
			x.done = s + 1
		}
	}
	return false
}

// visit adds a visited state, and its transitions, to the work. At the limit, it fails with errLimit if
// there is a run.
func (x *loops) visit(transitions int) error {
	x.work += transitions + 1
	x.visits++
	switch {
	case x.limit > 0 && x.visits > x.limit && x.best != infinite:
		return errLimit
	case x.visits&(1<<12-1) == 0:
		return x.ctx.Err()
	}
	return nil
}

// searchFrom searches for a loop through a state that makes a shorter run than the best one.
func (x *loops) searchFrom(s lts.State) {
	component := x.component
	most := x.most()
	if x.sieve != nil {
		component = x.sieve.kept
	}
	x.search++
	x.queue.Truncate(0)
	x.queue.Append(onLoop{treeNode: treeNode{state: s}})
	for next := 0; next < x.queue.Len(); next++ {
		from := *x.queue.At(next)
		if int(x.distance[s])+int(from.length)+1 > most {
			return
		}
		labels, targets := x.m.Out(from.state)
		abort.On(x.visit(len(targets)))
		for i, t := range targets {
			if t < s || component[t] != component[s] {
				continue
			}
			marks := x.u.Marks(from.state, labels.At(i))
			if marks&x.pair.Fin != 0 {
				continue
			}
			reached := onLoop{
				treeNode: treeNode{state: t, label: labels.At(i), parent: uint32(next)},
				set:      from.set | x.colours(marks),
				length:   from.length + 1,
			}
			if t == s && reached.set == x.full {
				x.queue.Append(reached)
				x.improve(s, treePath(x.queue.Len()-1, func(i int) *treeNode {
					return &x.queue.At(i).treeNode
				}))
				return
			}
			mark := &x.visited[int(t)<<x.bits|int(reached.set)]
			if *mark != x.search {
				*mark = x.search
				x.queue.Append(reached)
			}
		}
	}
}

// improve makes the run with a loop from s the best one, if it is shorter.
func (x *loops) improve(s lts.State, steps []lts.Transition) {
	length := int(x.distance[s]) + len(steps)
	if length < x.best {
		x.best = length
		x.entry = x.u.At(s)
		x.loop = lower(x.u, steps)
		x.found++
	}
}

// The sources of a colour are the states that have transitions of this colour. If a colour has at
// most fewSources sources, the first searches are for loops through these states.
const fewSources = 4

// After heads have been sifted, loops through sources are searched for if there are at least 32
// times as many remaining heads. A search for heads starts from 64 heads at once, so a search
// through a source then replaces at least half of such a search.
const fewer = 32

// loopsThrough finds the shortest loops by searches through the states with transitions of some
// colour, since each loop passes such a state. In a product, it has the role of [separators]. The
// search through state f finds two distances for each pair of a state and a set of colours: the
// distance a to the pair from f without colours, and the distance z from the pair to f with all
// colours. The shortest run whose loop begins in t and passes f has D(t) + a + z transitions, for
// some set.
type loopsThrough struct {
	*loops
	component []uint32
	// away[i] is a plus one and back[i] is z plus one for pair i; both are 0 for a pair that was
	// not visited. visited lists the visited pairs.
	away, back     []uint32
	visited, queue []uint64
	// length is the length of the best run found; its loop begins in entry.
	length int
	entry  lts.State
}

// sources returns the states that have transitions of a certain colour inside their component. It
// chooses the colour with the fewest such states. It returns nil if no colour has few enough: at
// most the given number.
func (x *loops) sources(component []uint32, most int) (fewest []lts.State) {
	for c := range x.pair.Inf.All {
		colour := property.Mark(c)
		var all []lts.State
		for s := lts.State(0); int(s) < len(component) && len(all) <= most; s++ {
			if component[s] != 0 && x.recursFrom(s, colour, component) {
				all = append(all, s)
			}
		}
		isFewest := fewest == nil || len(all) < len(fewest)
		if len(all) <= most && isFewest {
			fewest = all
		}
	}
	return fewest
}

// recursFrom reports whether a transition from a state has a colour, and stays in the component of the state.
// It counts its work.
func (x *loops) recursFrom(s lts.State, colour property.Marks, component []uint32) bool {
	labels, targets := x.m.Out(s)
	x.work += len(targets) + 1
	for i, t := range targets {
		marks := x.u.Marks(s, labels.At(i))
		mayLieOnLoop := component[t] == component[s] && marks&x.pair.Fin == 0
		if mayLieOnLoop && marks&colour != 0 {
			return true
		}
	}
	return false
}

// through searches for the shortest run within the bound whose loop passes one of the sources. Cost
// O(2^k (S + T)) for each source, 8 bytes for each pair of a state and a set of colours, and
// predecessor rows.
func (x *loops) through(sources []lts.State, component []uint32) {
	n := x.m.NumStates() << x.bits
	abort.On(resources.Ask(x.ctx, 8*int64(n)))
	abort.On(x.m.FindPredecessors(x.ctx))
	y := &loopsThrough{
		loops:     x,
		component: component,
		away:      make([]uint32, n),
		back:      make([]uint32, n),
		length:    x.most() + 1,
	}
	for _, f := range sources {
		y.visited = y.visited[:0]
		y.searchForth(f)
		y.searchBack(f)
		y.considerVisited()
	}
	if y.isFound() {
		x.searchFrom(y.entry)
	}
}

// considerVisited finds the shortest run whose loop begins in a visited pair, and forgets the pairs.
func (x *loopsThrough) considerVisited() {
	for _, node := range x.visited {
		t := lts.State(node >> x.bits)
		if x.away[node] == 0 || x.back[node] == 0 {
			continue // no loop through the source passes the pair
		}
		loop := int(x.away[node]-1) + int(x.back[node]-1)
		length := int(x.distance[t]) + loop
		isShorter := length < x.length
		isEarlier := length == x.length && x.isFound() && t < x.entry
		if isShorter || isEarlier {
			x.length = length
			x.entry = t
		}
	}
	x.forgetVisited()
}

// isFound reports whether a run within the bound is found.
func (x *loopsThrough) isFound() bool { return x.length <= x.most() }

// forgetVisited makes all pairs unvisited.
func (x *loopsThrough) forgetVisited() {
	for _, node := range x.visited {
		x.away[node] = 0
		x.back[node] = 0
	}
}

// searchForth finds the distances from f of pairs of a state and a set of colours.
func (x *loopsThrough) searchForth(f lts.State) {
	start := uint64(f) << x.bits
	x.away[start] = 1
	x.visited = append(x.visited, start)
	x.queue = append(x.queue[:0], start)
	for i := 0; i < len(x.queue); i++ {
		node := x.queue[i]
		if int(x.away[node]) > x.most() {
			return
		}
		s := lts.State(node >> x.bits)
		labels, targets := x.m.Out(s)
		abort.On(x.visit(len(targets)))
		for j, t := range targets {
			if x.component[t] != x.component[f] {
				continue
			}
			marks := x.u.Marks(s, labels.At(j))
			if marks&x.pair.Fin != 0 {
				continue
			}
			to := uint64(t)<<x.bits | node&uint64(x.full) | uint64(x.colours(marks))
			if x.away[to] == 0 {
				x.away[to] = x.away[node] + 1
				x.visited = append(x.visited, to)
				x.queue = append(x.queue, to)
			}
		}
	}
}

// searchBack finds the distances to f, from the pairs that searchForth has visited.
func (x *loopsThrough) searchBack(f lts.State) {
	end := uint64(f)<<x.bits | uint64(x.full)
	x.back[end] = 1
	if x.away[end] == 0 {
		x.visited = append(x.visited, end)
	}
	x.queue = append(x.queue[:0], end)
	for i := 0; i < len(x.queue); i++ {
		node := x.queue[i]
		labels, sources := x.m.Predecessors().In(lts.State(node >> x.bits))
		abort.On(x.visit(len(sources)))
		set := uint32(node) & x.full
		for j, s := range sources {
			if x.component[s] != x.component[f] {
				continue
			}
			marks := x.u.Marks(s, labels.At(j))
			taken := x.colours(marks)
			if marks&x.pair.Fin == 0 && taken&^set == 0 {
				x.visitBefore(s, taken, node)
			}
		}
	}
}

// visitBefore gives distances to the pairs of a state from which a transition with the taken colours leads
// to a node. The set of such a pair may lack any of these colours, so there is one for each subset of them.
func (x *loopsThrough) visitBefore(s lts.State, taken uint32, node uint64) {
	set := uint32(node) & x.full
	for lacking := taken; ; lacking = (lacking - 1) & taken {
		from := uint64(s)<<x.bits | uint64(set&^lacking)
		isCandidate := x.away[from] > 0 && x.back[from] == 0
		loop := int(x.away[from]+x.back[node]) - 1 // both distances count one more
		if isCandidate && loop <= x.length {
			x.back[from] = x.back[node] + 1
			x.queue = append(x.queue, from)
		}
		if lacking == 0 {
			return
		}
	}
}

// loopSieve computes a superset of the product states on the loops of runs of at most bound
// transitions. It is like [sieve], but for closed walks that must take some colours; Theorem 4 of
// docs/semantics.md holds for such walks, too. It also uses another bound: a walk that passes a
// state and takes a colour is at least as long as three parts together: the shortest path from a
// transition of this colour to the state, the shortest path from the state to such a transition,
// and one more transition.
type loopSieve struct {
	*loops
	bound int
	// kept[s] is the number of the remaining component that contains s, from 1; 0 if s is left out.
	kept      []uint32
	count     uint32
	keptHeads bool // whether heads were left
	parts     *scc.Parts
	// components have their states in ascending order.
	components [][]lts.State
	sweeps     sweeps
	// leastRound[s] is a lower bound of the length of a walk through s with all colours, computed
	// for each colour alone. The computation uses fromColour and toColour: distances from, and to,
	// the transitions of the current colour. All three are nil if no colours must be taken.
	leastRound, fromColour, toColour []uint32
	step                             int // the increment of the bound if the sieve excludes nothing
	// narrowed reports whether the bound comes from [loopSieve.narrow].
	narrowed bool
}

// newSieve makes an empty sieve.
func (x *loops) newSieve() {
	n := x.m.NumStates()
	const tables = 6 // the number of lists: left, states, away, queue, and two for the parts
	abort.On(resources.Ask(x.ctx, 4*tables*int64(n)))
	parts := abort.Must(scc.NewParts(x.ctx, x.m))
	automaton := x.u.Property().Automaton()
	v := &loopSieve{
		loops: x,
		bound: infinite,
		kept:  make([]uint32, n),
		parts: parts,
		sweeps: sweeps{
			ctx:     x.ctx,
			m:       x.m,
			parts:   parts,
			free:    make([]bool, len(automaton.Next)),
			letters: automaton.Letters,
			columns: automaton.Columns,
			u:       x.u,
			away:    make([]uint32, n),
			work:    &x.work,
		},
		step: 1,
	}
	// Loops take only transitions of the product that have none of the colours of Fin.
	free := v.sweeps.free
	for i := range free {
		free[i] = automaton.Marks == nil || automaton.Marks[i]&x.pair.Fin == 0
	}
	if x.pair.Inf != 0 {
		abort.On(resources.Ask(x.ctx, 12*int64(n)))
		abort.On(x.m.FindPredecessors(x.ctx))
		v.leastRound = make([]uint32, n)
		v.fromColour = make([]uint32, n)
		v.toColour = make([]uint32, n)
	}
	v.components = statesOf(v.component)
	x.sieve = v
}

// statesOf returns the states of each component; component has their numbers, from 1.
func statesOf(component []uint32) [][]lts.State {
	sizes := make([]int, slices.Max(component))
	total := 0
	for _, number := range component {
		if number > 0 {
			sizes[number-1]++
			total++
		}
	}
	states := make([][]lts.State, len(sizes))
	free := make([]lts.State, total)
	for i, size := range sizes {
		states[i] = free[:0:size]
		free = free[size:]
	}
	for s, number := range component {
		if number > 0 {
			states[number-1] = append(states[number-1], lts.State(s))
		}
	}
	return states
}

// narrow sets the bound to the smallest one above excluded for which sift leaves heads, and reports
// whether this bound is of interest.
func (v *loopSieve) narrow() bool {
	v.narrowed = true
	low := v.excluded + 1
	high := v.best - 1
	if low > high || high < v.bound && !v.sift(high) {
		return false
	}
	return v.leastBound(low, high)
}

// afterFruitlessRound is narrow after searches within the last bound have found nothing. If the next larger
// bound leaves heads, too, sifting excludes too little; then the bound grows by more.
func (v *loopSieve) afterFruitlessRound() bool {
	v.narrowed = true
	low := v.excluded + 1
	high := v.best - 1
	if low > high || !v.sift(high) {
		return false
	}
	if v.sift(low) {
		v.step *= 2
		v.loops.bound = min(high, low+v.step)
		return v.sift(v.loops.bound)
	}
	return v.leastBound(low+1, high)
}

// leastBound sets the bound to the smallest one between two bounds for which sift leaves heads. The caller
// must know that the larger one does.
func (v *loopSieve) leastBound(low, high int) bool {
	for low < high {
		middle := low + (high-low)/2
		if v.sift(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	v.excluded = high - 1
	v.loops.bound = high
	if v.bound == high {
		return true
	}
	return v.sift(high)
}

// sift finds the states that may lie on the loops of runs of at most bound transitions, and reports
// whether heads are left. Cost O(k (S + T)) if a loop must take k colours.
func (v *loopSieve) sift(bound int) bool {
	v.bound = bound
	v.keptHeads = false
	v.count = 0
	clear(v.kept)
	clear(v.heads)
	// The results were for another bound.
	if v.together != nil {
		v.together.until = 0
		clear(v.together.fruitless)
	}
	workBefore := v.parts.Work()
	for _, near := range v.components {
		for len(near) > 0 && int(v.distance[near[len(near)-1]]) >= bound {
			near = near[:len(near)-1]
		}
		for component := range abort.Must(v.parts.Components(near, v.avoidsFin)) {
			v.refine(component, 0)
		}
	}
	v.work += int(v.parts.Work() - workBefore)
	v.sifted = v.work
	v.tried = false
	v.cost.sifted++
	return v.keptHeads
}

func (v *loopSieve) avoidsFin(from lts.State, l lts.Label, _ lts.State) bool {
	return v.mayTake(from, l)
}

// refine keeps the states of a strongly connected component that may lie on short enough loops.
// First, the distances to colours leave out states; this is done only for a component of the
// product itself (depth 0). Then sweeps remove transitions, and refine is applied to what remains.
// A component from which nothing can be removed is kept.
func (v *loopSieve) refine(component []lts.State, depth int) {
	abort.On(v.ctx.Err())
	if !v.hasAllColours(component) {
		return
	}
	root := component[0]
	for _, s := range component {
		root = min(root, s)
	}
	radius := v.bound - int(v.distance[root])
	if radius < 1 {
		return
	}
	if depth == 0 && v.pair.Inf != 0 {
		near := v.statesWithin(component, radius)
		if len(near) < len(component) {
			for smaller := range abort.Must(v.parts.Components(near, v.avoidsFin)) {
				v.refine(smaller, depth+1)
			}
			return
		}
	}
	if v.sweeps.split(component, root, radius, depth, v.refine) {
		return
	}
	v.keep(component)
}

// keep records that a component remains. It adds to v.heads the states of the component where the
// loop of a short enough run may begin.
func (v *loopSieve) keep(component []lts.State) {
	v.count++
	v.parts.Enter(component)
	for _, s := range component {
		v.kept[s] = v.count
		if int(v.distance[s]) >= v.bound {
			continue
		}
		labels, targets := v.m.Out(s)
		v.work += len(targets) + 1
		for i, t := range targets {
			mayBegin := t >= v.done && v.distance[s] >= v.distance[t]
			if mayBegin && v.parts.Has(t) && v.begins(t) && v.mayTake(s, labels.At(i)) {
				v.heads.Add(t)
				v.keptHeads = true
			}
		}
	}
}

// hasAllColours reports whether the transitions inside a strongly connected component have all colours
// that a loop must take. It returns false if there are no transitions inside. It counts its work.
func (v *loopSieve) hasAllColours(component []lts.State) bool {
	v.parts.Enter(component)
	cyclic := false
	taken := property.Marks(0)
	for _, s := range component {
		labels, targets := v.m.Out(s)
		v.work += len(targets) + 1
		for i, t := range targets {
			marks := v.u.Marks(s, labels.At(i))
			if v.parts.Has(t) && marks&v.pair.Fin == 0 {
				cyclic = true
				taken |= marks
			}
		}
		if cyclic && taken&v.pair.Inf == v.pair.Inf {
			return true
		}
	}
	return false
}

// statesWithin returns the states of a component that, by their distances to colours, may lie on a walk
// of at most radius transitions.
func (v *loopSieve) statesWithin(component []lts.State, radius int) []lts.State {
	for _, s := range component {
		v.leastRound[s] = 0
	}
	for c := range v.pair.Inf.All {
		colour := property.Mark(c)
		v.measure(component, colour)
		for _, s := range component {
			v.leastRound[s] = max(v.leastRound[s], v.fromColour[s]+v.toColour[s]-1)
		}
	}
	near := make([]lts.State, 0, len(component))
	for _, s := range component {
		if int(v.leastRound[s]) <= radius {
			near = append(near, s)
		}
	}
	return near
}

// measure finds the distances between the states of a component and the transitions of a colour, in
// both directions.
func (v *loopSieve) measure(component []lts.State, colour property.Marks) {
	v.parts.Enter(component)
	for _, s := range component {
		v.fromColour[s] = 0
		v.toColour[s] = 0
	}
	var sources []lts.State
	v.sweeps.queue = v.sweeps.queue[:0]
	for _, s := range component {
		labels, targets := v.m.Out(s)
		v.work += len(targets) + 1
		for i, t := range targets {
			marks := v.u.Marks(s, labels.At(i))
			if marks&colour == 0 || marks&v.pair.Fin != 0 || !v.parts.Has(t) {
				continue
			}
			if v.toColour[s] == 0 {
				v.toColour[s] = 1
				sources = append(sources, s)
			}
			if v.fromColour[t] == 0 {
				v.fromColour[t] = 1
				v.sweeps.queue = append(v.sweeps.queue, t)
			}
		}
	}
	takesForth := func(at lts.State, l lts.Label, _ lts.State) bool {
		return v.mayTake(at, l)
	}
	takesBack := func(_ lts.State, l lts.Label, next lts.State) bool {
		return v.mayTake(next, l)
	}
	v.measureOnward(v.fromColour, v.m.Out, takesForth)
	v.sweeps.queue = append(v.sweeps.queue[:0], sources...)
	v.measureOnward(v.toColour, v.m.Predecessors().In, takesBack)
}

// measureOnward continues breadth first from the states in the queue, inside the component that was
// entered. distance has one more than the distance of each visited state.
func (v *loopSieve) measureOnward(
	distance []uint32,
	neighbours func(lts.State) (lts.Labels, []lts.State),
	takes func(at lts.State, l lts.Label, next lts.State) bool,
) {
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

// begins reports whether the loop of a short enough run may begin in a state.
func (v *loopSieve) begins(s lts.State) bool {
	return v.leastRound == nil || int(v.distance[s]+v.leastRound[s]) <= v.bound
}

// mostTogether is the largest number of colours that loops may have to take in searches that start
// from many heads at once.
const mostTogether = 3

// loopsTogether is like [together], but for closed walks that must take some colours. One search
// finds the lengths of the shortest such walks through up to 64 heads. Each head has a bit.
type loopsTogether struct {
	*loops
	// meetings are the searches from the heads. A node is a state and the set of colours taken,
	// state<<bits | set. The searches find, for each head, the length of a shortest run whose loop
	// begins there.
	meetings meetings[uint64]
	from     []lts.State
	// fruitless has those heads before until that lie on no short enough loop.
	fruitless bitset.Set[lts.State]
	until     lts.State
}

// findFruitless examines the next heads, up to 64 from first on, and finds those that begin no loop
// of a run of at most the given length. first must be a head to which a run is shorter than that.
func (x *loopsTogether) findFruitless(first lts.State, most int) {
	x.cost.together++
	x.chooseHeads(first, most)
	x.meet(most)
	for i, s := range x.from {
		if x.meetings.lengths[i] > most {
			x.fruitless.Add(s)
		}
	}
}

// chooseHeads sets the field from to the next heads, beginning with first. It sets the field until
// to the state after the last of them.
func (x *loopsTogether) chooseHeads(first lts.State, most int) {
	x.from = x.from[:0]
	for s := range x.heads.From(first) {
		// States are numbered by ascending distance, so no later head is near enough, either.
		isTooFar := int(x.distance[s]) >= most
		if isTooFar || len(x.from) == mostMeetings {
			break
		}
		x.from = append(x.from, s)
		x.until = s + 1
	}
}

// meet finds, for each head in from, the length of a shortest run whose loop begins in the head; most+1
// if this length exceeds most. Cost O(2^k (S + T)) for each length of a run to a state.
func (x *loopsTogether) meet(most int) {
	component := x.component
	if x.sieve != nil {
		component = x.sieve.kept
	}
	first := x.from[0]
	x.meetings.departures = x.meetings.departures[:0]
	for _, s := range x.from {
		node := uint64(s) << x.bits
		x.meetings.departures = append(x.meetings.departures, departure[uint64]{
			start: node,
			end:   node | uint64(x.full),
			after: int(x.distance[s]),
		})
	}
	expand := func(node, searches uint64) error {
		s := lts.State(node >> x.bits)
		labels, targets := x.m.Out(s)
		err := x.visit(len(targets))
		for i, t := range targets {
			if t < first || component[t] != component[s] {
				continue
			}
			marks := x.u.Marks(s, labels.At(i))
			if marks&x.pair.Fin != 0 {
				continue
			}
			to := uint64(t)<<x.bits | node&uint64(x.full) | uint64(x.colours(marks))
			fresh := searches &^ x.meetings.visited[to]
			if fresh != 0 {
				x.meetings.meet(to, fresh)
			}
		}
		return err
	}
	abort.On(x.meetings.search(most, expand))
}
