package counterexample

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// all returns the set of all counterexamples in m with the fewest transitions; nil if the property
// holds. The set depends on the model and the property alone. It fails if ctx is done.
//
// Let L be the length that [Shortest] finds, and D_m(s) as there. All shorter runs satisfy the
// property, which leaves little to search:
//
//   - A prefix of a stem, or of a trace to a deadlock, reaches its state with
//     progress j at depth D_j of this state: a shorter path to the state with no more
//     progress would make, with the continuation of the run, a shorter counterexample.
//   - A loop that begins in s with a stem of length d and progress j, and avoids
//     step m+1 for some m >= j, has d = D_m(s) for the same reason. So for each s
//     and m, only cycles of one length, L - D_m(s), at one depth are of interest.
//   - No state u of such a cycle has D_m(u) < D_m(s), since the loop could begin
//     there. And if u lies b transitions before the end of the cycle,
//     D_m(u) <= L - b. The search for the cycles runs backwards, within these bounds.
//   - Every walk from s back to s of that length that avoids step m+1 is one of
//     these cycles: a walk that passed a state twice, or a state of the stem, could be cut.
//   - Once the searches are expensive, they begin at [heads], and pass only states that a [sieve]
//     leaves.
//
// Cost: that of Shortest; then O(n (S + T)) time if cycle searches are short, and O(n F (S + T)) in
// the worst case, with F heads. While it runs, it takes 16 bytes for each pair of state and
// progress that is visited within L transitions, 10 bytes a state, and the predecessor rows of the
// model. The family has a graph of stems, which is at most as large as the product of model and
// progress within L transitions. It also has a graph of cycles for each state and depth where a
// loop can begin. For each step that loops avoid, such a graph is at most as large as the component
// of its state. A move takes 8 bytes in the graph of stems and 16 in a graph of cycles. Usually
// loops begin at few states. O(S T) is reached if the initial state leads to each of many states of
// one phase of a protocol that repeats its phases forever: then each of these states has a graph of
// all phases.
func (h chainHalf) all(ctx context.Context, m *lts.LTS, o Options) *Family {
	c := o.modelComponents(ctx, m)
	return newShortest(ctx, m, h.p, Options{Components: c}).all(c)
}

// all returns all shortest counterexamples, as [chainHalf.all] does; nil if the property holds. The search s
// must not have begun: it only finds how long they are.
func (s *shortest) all(c *scc.Components) *Family {
	s.run()
	if s.best == infinite {
		return nil
	}
	ctx := s.ctx
	p := s.p
	m := c.LTS()
	progress.Start(ctx, "all shortest", progress.Nothing, 0)
	s.nodes = pagedlist.List[node]{}
	abort.On(resources.Ask(ctx, 6*int64(m.NumStates())))
	reached := &arrivals{
		m:      m,
		c:      c,
		p:      p,
		length: s.best,
		last:   make([]uint32, m.NumStates()),
		least:  slices.Repeat([]uint16{uint16(p.Len())}, m.NumStates()),
	}
	reached.explore(ctx)
	all := &members{
		m:       m,
		p:       p.Property(),
		length:  s.best,
		minimal: InModel,
	}
	begins := map[uint32]int{} // for each arrival where a loop can begin, the index of its cycles
	search := cycleSearch{arrivals: reached, search: s, workBefore: s.bounded.work}
	for _, e := range reached.entries {
		found := search.cyclesThrough(e)
		if found == nil {
			continue
		}
		largestStep := found.steps[len(found.steps)-1]
		for i := range reached.atSameDepth(e.arrival) {
			if reached.list[i].progress <= largestStep {
				begins[i] = len(all.cycles)
			}
		}
		all.cycles = append(all.cycles, found)
	}
	all.stems = newStems(ctx, reached, len(reached.list), begins)
	return &Family{parts: []*members{all}}
}

// cycleSearch finds cycles within the arrivals.
type cycleSearch struct {
	*arrivals
	search *shortest
	// sifted has the heads where loops of members can begin, and the states that such loops can
	// pass; nil until searches are expensive.
	sifted     *shortest
	workBefore int // the work before these searches

	// back is, for each state, one more than the length of a shortest path to the state where the
	// cycles end; 0 for states that the search has not visited.
	back    []uint32
	visited []lts.State
}

// lassos are the lassos whose loops begin at an arrival and avoid step m+1. If passable is not nil, no
// such loop passes a state outside passable.
type lassos struct {
	begin    arrival
	m        int
	passable bitset.Set[lts.State]
}

// spot is a state on a cycle that avoids a step. offset is the number of transitions from the
// beginning of the cycle to the state; step is an index of cycles.steps.
type spot struct {
	offset uint32
	state  lts.State
	step   uint16
}

// cyclesThrough returns the cycles that begin at e and make shortest lassos; nil if there are none.
func (y *cycleSearch) cyclesThrough(e entry) (c *cycles) {
	if y.back == nil {
		abort.On(y.m.FindPredecessors(y.search.ctx))
		y.back = abort.Must(resources.Make[uint32](y.search.ctx, y.m.NumStates()))
	}
	if y.sifted == nil && y.search.bounded.work-y.workBefore > y.search.patience {
		y.sift()
	}
	var steps []uint16
	var spots []spot
	for m := int(e.low); m <= int(e.high); m++ {
		wanted, mayExist := y.lassosAt(y.list[e.arrival], m)
		if !mayExist {
			continue
		}
		if y.findDistancesBack(wanted) {
			spots = y.appendSpots(spots, wanted, uint16(len(steps)))
			steps = append(steps, uint16(m))
		}
		for _, s := range y.visited {
			y.back[s] = 0
		}
	}
	if len(steps) == 0 {
		return nil
	}
	return y.collect(steps, spots)
}

// sift leaves out states that begin no loop of a member, and states on no such loop, if heads and a
// [sieve] show that.
func (y *cycleSearch) sift() {
	y.sifted = newShortest(y.search.ctx, y.m, y.p, Options{Components: y.c})
	y.sifted.seekHeads()
	y.sifted.markTo(y.length)
	y.sifted.sieve = newSieve(y.sifted)
	y.sifted.sieve.sift(y.length)
}

// lassosAt returns the lassos whose loops begin at an arrival and avoid step m+1. It returns false if it
// is known that there are none.
func (y *cycleSearch) lassosAt(from arrival, m int) (lassos, bool) {
	wanted := lassos{begin: from, m: m}
	if y.sifted == nil {
		wanted.passable = y.search.onCycle(m)
	} else {
		wanted.passable = y.sifted.sieve.kept[m]
		if !y.sifted.heads.candidates[m].Has(from.state) {
			return wanted, false
		}
	}
	return wanted, wanted.passable == nil || wanted.passable.Has(from.state)
}

// findDistancesBack finds the distance to the end of the loop for all states that may lie on the loop of
// a shortest lasso, and reports whether there is such a loop.
func (y *cycleSearch) findDistancesBack(wanted lassos) (found bool) {
	y.visited = append(y.visited[:0], wanted.begin.state)
	y.back[wanted.begin.state] = 1
	longest := y.length - int(wanted.begin.depth) // the length of the loop
	first := 0
	for distance := 1; first < len(y.visited) && distance <= longest; distance++ {
		end := len(y.visited)
		for _, s := range y.visited[first:end] {
			if y.visitSources(wanted, s, distance) {
				return true
			}
		}
		first = end
	}
	return false
}

// visitSources gives the distance to those states from which a transition leads to s, and that may lie on
// the loop of a shortest lasso. It reports whether one of them is the state where the loop begins: then the
// loops have this length, since a shorter one would make a shorter counterexample.
func (y *cycleSearch) visitSources(wanted lassos, s lts.State, distance int) (closesLoop bool) {
	labels, sources := y.m.Predecessors().In(s)
	// First add to the work of the search: onCycle decides by the total work whether it pays.
	work := &y.search.bounded.work
	*work += labels.Len() + 1
	if *work&(1<<16-1) <= labels.Len() {
		abort.On(y.search.ctx.Err())
	}
	y.visited = abort.Must(resources.Grow(y.search.ctx, y.visited, len(sources)))
	for j, t := range sources {
		if y.p.Does(labels.At(j), wanted.m+1) {
			continue
		}
		if t == wanted.begin.state {
			return true
		}
		isPassable := wanted.passable == nil || wanted.passable.Has(t)
		if y.back[t] != 0 || !isPassable || !y.c.Same(s, t) {
			continue
		}
		depth := y.depth(t, wanted.m)
		mayLieOnLoop := depth >= int(wanted.begin.depth) && depth <= y.length-distance
		if mayLieOnLoop {
			y.back[t] = uint32(distance) + 1
			y.visited = append(y.visited, t)
		}
	}
	return false
}

// appendSpots appends the spots on the loops that findDistancesBack has found.
func (y *cycleSearch) appendSpots(spots []spot, wanted lassos, step uint16) []spot {
	spots = abort.Must(resources.Grow(y.search.ctx, spots, 1))
	first := len(spots)
	spots = append(spots, spot{state: wanted.begin.state, step: step})
	length := uint32(y.length) - wanted.begin.depth
	for offset := range length {
		end := len(spots)
		for i := first; i < end; i++ {
			labels, targets := y.m.Out(spots[i].state)
			spots = abort.Must(resources.Grow(y.search.ctx, spots, len(targets)))
			for j, t := range targets {
				if y.back[t] == length-offset && !y.p.Does(labels.At(j), wanted.m+1) {
					y.back[t] = 0
					spots = append(spots, spot{
						offset: offset + 1,
						state:  t,
						step:   step,
					})
				}
			}
		}
		first = end
	}
	return spots
}

// manySpots is the number of nodes above which a graph of cycles may keep spare memory. There can
// be very many smaller graphs, so these must not.
const manySpots = 1 << 16

// cycleNodes are the nodes of a graph of cycles, layer by layer, and in each layer by ascending
// state.
type cycleNodes struct {
	states []lts.State
	// layers has the first node of each layer, and the number of nodes.
	layers []int
	// sets has, for each node, the set of the steps that some cycle through the node avoids. Each
	// set takes the same number of words, given by the field words.
	sets  []uint64
	words int
}

func (n *cycleNodes) numLayers() int { return len(n.layers) - 1 }

// avoided returns the set of the steps that some cycle through a node avoids.
func (n *cycleNodes) avoided(node int) bitset.Set[int] {
	return n.sets[node*n.words : (node+1)*n.words]
}

// collect makes one graph of the cycles that were found: steps are the numbers m for which some cycle
// avoids step m+1, and spots are the states on all these cycles. The layers of the graph are the offsets
// of spots.
func (y *cycleSearch) collect(steps []uint16, spots []spot) *cycles {
	slices.SortFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.state, b.state))
	})
	nodes := y.nodesOf(spots, bitset.Words(len(steps)))
	c := &cycles{steps: steps}
	var moves []move
	for layer := range nodes.numLayers() - 1 {
		for node := nodes.layers[layer]; node < nodes.layers[layer+1]; node++ {
			abort.IfDone(y.search.ctx, node)
			from := nodes.states[node]
			moves = y.movesTo(moves[:0], from, nodes, layer+1)
			c.add(from, y.addMoves(c, moves, node, nodes))
		}
	}
	// The only node of the last layer is the state where the cycles begin and end.
	c.add(nodes.states[len(nodes.states)-1], nil)
	if len(nodes.states) <= manySpots {
		c.layers = c.clip()
		c.avoided = slices.Clone(c.avoided)
	}
	return c
}

// nodesOf makes one node of all spots with the same state and offset. The spots may avoid different
// steps.
func (y *cycleSearch) nodesOf(spots []spot, words int) *cycleNodes {
	ctx := y.search.ctx
	n := &cycleNodes{words: words}
	for i, here := range spots {
		abort.IfDone(ctx, i)
		isNewLayer := i == 0 || here.offset != spots[i-1].offset
		if isNewLayer {
			n.layers = abort.Must(resources.Grow(ctx, n.layers, 2))
			n.layers = append(n.layers, len(n.states))
		}
		if isNewLayer || here.state != spots[i-1].state {
			n.states = abort.Must(resources.Grow(ctx, n.states, 1))
			n.sets = abort.Must(resources.Grow(ctx, n.sets, words))
			n.states = append(n.states, here.state)
			n.sets = n.sets[:len(n.sets)+words]
			clear(n.avoided(len(n.states) - 1))
		}
		n.avoided(len(n.states) - 1).Add(int(here.step))
	}
	n.layers = append(n.layers, len(n.states))
	return n
}

// movesTo appends the moves from a state to the nodes of a layer.
func (y *cycleSearch) movesTo(
	moves []move,
	from lts.State,
	nodes *cycleNodes,
	layer int,
) []move {
	first := nodes.layers[layer]
	end := nodes.layers[layer+1]
	_, targets := y.m.Out(from)
	for j, t := range targets {
		to, found := slices.BinarySearch(nodes.states[first:end], t)
		if found {
			moves = append(moves, move{uint32(j), uint32(first + to)})
		}
	}
	return moves
}

// addMoves returns the moves from a node that lie on cycles, and adds to c the steps that these
// cycles avoid. A transition lies on a cycle that avoids a step iff its label does not do the step,
// and each of its two nodes lies on a cycle that avoids the step: on all these cycles, a node has
// the same distance from the beginning, and from the end.
func (y *cycleSearch) addMoves(
	c *cycles,
	moves []move,
	node int,
	nodes *cycleNodes,
) (kept []move) {
	ctx := y.search.ctx
	c.avoided = abort.Must(resources.Grow(ctx, c.avoided, len(moves)*nodes.words))
	c.layers.reserve(ctx, len(moves))
	from := nodes.states[node]
	labels, _ := y.m.Out(from)
	kept = moves[:0]
	for _, each := range distinct(y.m, from, moves) {
		avoided := nodes.avoided(node).And(nodes.avoided(int(each.to)))
		for k, step := range c.steps {
			if y.p.Does(labels.At(int(each.index)), int(step)+1) {
				avoided.Remove(k)
			}
		}
		if !avoided.Empty() {
			kept = append(kept, each)
			c.avoided = append(c.avoided, avoided...)
		}
	}
	return kept
}

// arrivals are pairs of a state and a progress, in the order of a breadth-first search. The search
// drops a pair if its state was visited at a smaller depth with the same progress or less. So a
// pair has one depth, and a state has larger progress at smaller depths.
type arrivals struct {
	m      *lts.LTS
	c      *scc.Components
	p      *property.Chain
	length int // the length of a shortest counterexample

	list []arrival
	last []uint32 // per state: one more than the number of its last arrival
	// least is, for each state, the least progress of its visits at smaller depths than the current
	// one; n if there were none.
	least   []uint16
	entries []entry
}

type arrival struct {
	state    lts.State
	before   uint32 // one more than the number of the previous arrival of the state
	depth    uint32
	progress uint16
}

// entry is a state on a cycle at one depth, with the range of the numbers m for which the state has
// this depth: D_m = depth iff low <= m <= high.
type entry struct {
	arrival   uint32 // the last arrival of the state at this depth
	low, high uint16
}

// explore visits the pairs up to the length of a shortest counterexample.
func (a *arrivals) explore(ctx context.Context) {
	a.meet(a.m.Initial(), 0, 0)
	first := 0
	for depth := 0; first < len(a.list); depth++ {
		end := len(a.list)
		a.entries = abort.Must(resources.Grow(ctx, a.entries, end-first))
		a.completeLevel(first, end)
		for i := first; i < end && depth < a.length; i++ {
			abort.IfDone(ctx, i)
			at := a.list[i]
			labels, targets := a.m.Out(at.state)
			a.list = abort.Must(resources.Grow(ctx, a.list, len(targets)))
			for j, t := range targets {
				a.meet(t, a.p.Advance(int(at.progress), labels.At(j)), depth+1)
			}
		}
		first = end
	}
}

// completeLevel adds the entries of a level, whose arrivals have the numbers from first to end - 1,
// and updates least.
func (a *arrivals) completeLevel(first, end int) {
	for i := first; i < end; i++ {
		last := a.list[i]
		if a.last[last.state] != uint32(i)+1 {
			continue
		}
		low := last.progress
		for other := range a.atSameDepth(uint32(i)) {
			low = min(low, a.list[other].progress)
		}
		component, _ := a.c.Of(last.state)
		if int(last.depth) < a.length && a.c.IsCyclic(component) {
			high := a.least[last.state] - 1
			a.entries = append(a.entries, entry{
				arrival: uint32(i),
				low:     low,
				high:    high,
			})
		}
		a.least[last.state] = low
	}
}

// meet adds a pair, unless it is known or its state was visited at a smaller depth with the same
// progress or less. At the last depth, it adds deadlocks only.
func (a *arrivals) meet(s lts.State, progress, depth int) {
	isTooLate := depth == a.length && !a.m.IsDeadlock(s)
	if progress >= int(a.least[s]) || isTooLate {
		return
	}
	if _, found := a.find(s, progress, depth); !found {
		a.list = append(a.list, arrival{
			state:    s,
			before:   a.last[s],
			depth:    uint32(depth),
			progress: uint16(progress),
		})
		a.last[s] = uint32(len(a.list))
	}
}

// find returns the number of the arrival at s with the given progress and depth; false if there is
// none. Cost O(arrivals at s).
func (a *arrivals) find(s lts.State, progress, depth int) (uint32, bool) {
	for i := a.last[s]; i != 0 && int(a.list[i-1].depth) >= depth; i = a.list[i-1].before {
		at := &a.list[i-1]
		if int(at.depth) == depth && int(at.progress) == progress {
			return i - 1, true
		}
	}
	return 0, false
}

// depth returns D_m(s), the length of a shortest path to s with progress at most
// m; infinite if that exceeds the length of a shortest counterexample. Cost
// O(arrivals at s).
func (a *arrivals) depth(s lts.State, m int) int {
	depth := infinite
	for i := a.last[s]; i != 0; i = a.list[i-1].before {
		at := &a.list[i-1]
		if int(at.progress) <= m {
			depth = int(at.depth)
		}
	}
	return depth
}

// atSameDepth yields the numbers of arrival i and of the previous arrivals of the same state at the
// same depth.
func (a *arrivals) atSameDepth(i uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		depth := a.list[i].depth
		for next := i + 1; next != 0 && a.list[next-1].depth == depth; next = a.list[next-1].before {
			if !yield(next - 1) {
				return
			}
		}
	}
}

// at returns an arrival as [newStems] needs it.
func (a *arrivals) at(i uint32) (s lts.State, distance int, progress uint16) {
	arrived := a.list[i]
	return arrived.state, int(arrived.depth), arrived.progress
}

// ends reports whether a member of the family may end with an arrival.
func (a *arrivals) ends(i uint32) bool { return int(a.list[i].depth) == a.length }

// moves appends the moves from arrival i to those arrivals that have a node in the graph of stems. number has,
// for each arrival, one more than the number of its node; 0 if it has none. Cost O(arrivals at one state) for
// each transition.
func (a *arrivals) moves(i uint32, number []uint32, moves []move) []move {
	at := a.list[i]
	labels, targets := a.m.Out(at.state)
	for j, t := range targets {
		to, found := a.find(t, a.p.Advance(int(at.progress), labels.At(j)), int(at.depth)+1)
		if found && number[to] != 0 {
			moves = append(moves, move{uint32(j), number[to] - 1})
		}
	}
	return distinct(a.m, at.state, moves)
}

// all returns all runs of m that violate a property other than a chain, and are as short as the run
// of [tableHalf.shortest], among the same kinds of runs: bad prefixes, runs into deadlocks, and
// lassos whose loop closes in the product, or for a response with one step in the model. It returns
// nil if the property holds. It fails if ctx is done, if tableHalf.shortest finds no shortest run,
// or if the condition has more than 10 colours.
//
// Let L be the length of that run. Whether a lasso violates the property does not depend on its
// stem, so the stem is a shortest path to where the loop begins, and no state of the product on the
// loop is nearer. A loop that begins at distance d is a closed walk of L - d transitions whose
// colours violate the condition. No shorter walk from there does, so the walk repeats no cycle.
//
// Cost: that of shortest, and for each head the cost of a search for the paths back to it: within L
// - d transitions for a head at distance d, and 2^k times as much with k colours. If that is
// expensive, only the heads that [loopSieve] leaves are searched. The result has the transitions of
// the shortest paths to where members end or loops begin, and of the loops.
func (h tableHalf) all(ctx context.Context, m *lts.LTS, o Options) *Family {
	p := h.p
	found := &Result{}
	h.shortest(ctx, m, o, found)
	if found.Trace == nil {
		return nil
	}
	if found.Minimal == MinimalUnknown {
		abort.On(fmt.Errorf("counterexample: no shortest counterexample to %s is known, so not all of them can be listed", p))
	}
	progress.Start(ctx, "all shortest", progress.Nothing, 0)
	all := &Family{byEnds: true}
	search := func(violated *property.Property, excludes func(lts.Label) bool, o Options) {
		part := &members{
			m:       m,
			p:       p,
			length:  found.Trace.Len(),
			prefix:  found.Trace.Kind() == Prefix,
			minimal: found.Minimal,
		}
		(&memberSearch{members: part, excludes: excludes}).find(ctx, violated, o)
		if len(part.stems.states) > 0 {
			all.parts = append(all.parts, part)
		}
	}
	response, isResponse := responseOf(p)
	if !isResponse {
		search(p, nil, o)
		return all
	}
	search(p, response.asks, o)
	// The second search finds the loops with a request.
	search(response.loops(), nil, Options{Engine: o.Engine})
	return all
}

// memberSearch searches for members of a family in the product of the model and a property: the
// property of the family, or one that only some of its loops violate.
type memberSearch struct {
	members *members
	// excludes reports which labels loops must not have; nil if they may have all.
	excludes func(lts.Label) bool

	*general
	residuals  *product.Residuals
	accept     property.Acceptance
	colourBits // bits of the colours that the condition mentions
	// recurs are the states of the product that can lie on loops, heads the states where such loops
	// can begin.
	recurs, heads bitset.Set[lts.State]
	// pairs has, for each pair of the condition's complement, the components that contain such
	// loops; nil if there are too many pairs.
	pairs []*loops
	// work is the number of transitions and states that searches for loops have visited. sifted
	// reports whether states on no short enough loop are left out.
	work   int
	sifted bool
	// back[s] is the distance from s to the beginning of the current loop. It is only valid if
	// seen[s] is the number of the current search.
	back, seen []uint32
	search     uint32
}

// find finds the members that violate p: first their loops, then the stems, which lead to where loops
// begin or members without a loop end.
func (x *memberSearch) find(ctx context.Context, p *property.Property, o Options) {
	u, components := o.unfold(ctx, x.members.m, p, math.MaxInt)
	x.general = newGeneral(ctx, u, components, Options{})
	x.best = x.members.length + 1 // searches find runs that are shorter than x.best
	x.accept = p.Acceptance()
	x.residuals = abort.Must(product.ResidualsOf(ctx, p))
	cyclesAt := map[uint32]int{} // bad prefixes have no loops
	if !x.members.prefix {
		cyclesAt = x.findLoops()
	}
	x.releaseForStems()
	// States are numbered by distance, so those that members can reach are the first ones.
	numWithinLength := sort.Search(len(x.distance), func(s int) bool {
		return int(x.distance[s]) > x.members.length
	})
	x.members.stems = newStems(ctx, x, numWithinLength, cyclesAt)
}

// releaseForStems releases what the searches for loops need, but not the one for stems.
func (x *memberSearch) releaseForStems() {
	x.parent = nil
	x.back = nil
	x.seen = nil
}

func (x *memberSearch) at(s uint32) (state lts.State, distance int, progress uint16) {
	return x.u.At(lts.State(s)).State, int(x.distance[s]), 0
}

func (x *memberSearch) ends(i uint32) bool {
	s := lts.State(i)
	if int(x.distance[s]) != x.members.length {
		return false
	}
	q := x.u.At(s).Q
	if x.members.prefix {
		return !x.residuals.CanAccept(q)
	}
	return x.m.IsDeadlock(s) && !x.u.Property().Stops(q)
}

func (x *memberSearch) moves(s uint32, number []uint32, moves []move) []move {
	_, targets := x.m.Out(lts.State(s))
	for j, t := range targets {
		if x.distance[t] == x.distance[s]+1 && int(t) < len(number) && number[t] != 0 {
			moves = append(moves, move{uint32(j), number[t] - 1})
		}
	}
	return distinct(x.m, lts.State(s), moves)
}

// findLoops finds the cycles of members. It returns the index of the cycles for each product state
// where they begin. These states are heads: the last transition of a loop leads to its beginning
// from a state that is no nearer. If many heads begin no loop of a member, [loopSieve] removes most
// of them.
func (x *memberSearch) findLoops() (cyclesAt map[uint32]int) {
	cyclesAt = map[uint32]int{}
	all, _ := x.accept.Colours()
	if all.Len() > mostDemands {
		abort.On(fmt.Errorf("counterexample: all shortest counterexamples can be listed only if the condition of the property has at most %d colours, but it has %d", mostDemands, all.Len()))
	}
	x.colourBits = numbered(all)
	abort.On(resources.AskFor[uint64](x.ctx, x.m.NumStates()))
	x.back = make([]uint32, x.m.NumStates())
	x.seen = make([]uint32, x.m.NumStates())
	x.recurs = bitset.New[lts.State](x.m.NumStates())
	x.heads = bitset.New[lts.State](x.m.NumStates())
	x.findHeads()
	if !x.heads.Empty() {
		abort.On(x.m.FindPredecessors(x.ctx))
	}
	for s := range x.heads.From(0) {
		abort.On(x.ctx.Err())
		if !x.sifted && x.work > x.patience {
			x.sift()
		}
		if !x.heads.Has(s) {
			continue
		}
		length := x.members.length - int(x.distance[s])
		x.findBack(s, length)
		loops := x.loopsFrom(s, length)
		if loops != nil {
			cyclesAt[uint32(s)] = len(x.members.cycles)
			x.members.cycles = append(x.members.cycles, loops)
		}
	}
	return cyclesAt
}

// findHeads finds, for each pair of the condition's complement, the states that can lie on loops,
// and the states where loops can begin.
func (x *memberSearch) findHeads() {
	pairs := pairsOf(x.u.Property())
	for _, pair := range pairs {
		component, _, err := x.u.Recurring(x.ctx, x.c, pair.Fin, pair.Inf, nil)
		abort.On(err)
		for s, number := range component {
			if number > 0 {
				x.recurs.Add(lts.State(s))
			}
		}
		ofPair := &loops{
			general:   x.general,
			component: component,
			pair:      pair,
			bound:     x.members.length,
		}
		ofPair.findHeads()
		x.heads.AddAll(ofPair.heads)
		if len(pairs) <= mostComponents {
			x.pairs = append(x.pairs, ofPair)
		}
	}
}

// sift leaves out the states that lie on no short enough loop, and the heads that begin no such
// loop. It does nothing if the components of the pairs are not known.
func (x *memberSearch) sift() {
	x.sifted = true
	if x.pairs != nil {
		clear(x.heads)
	}
	for _, pair := range x.pairs {
		pair.newSieve()
		pair.sieve.sift(x.members.length)
		pair.component = pair.sieve.kept
		pair.sieve = nil
		x.heads.AddAll(pair.heads)
	}
}

// mostComponents is the largest number of pairs for which components are kept, at 4 bytes a state for
// each.
const mostComponents = 8

// takes reports whether loops that violate the condition may take a transition: such a loop lies in
// one component of some pair. Without this test, the graph of all loops could have quadratic size
// even if no loop violates the condition.
func (x *memberSearch) takes(s lts.State, l lts.Label, to lts.State) bool {
	if x.excludes != nil && x.excludes(l) {
		return false
	}
	if x.pairs == nil {
		return x.recurs.Has(s) && x.recurs.Has(to)
	}
	for _, p := range x.pairs {
		isInside := p.component[s] != 0 && p.component[s] == p.component[to]
		if isInside && (p.pair.Fin == 0 || p.mayTake(s, l)) {
			return true
		}
	}
	return false
}

// findBack finds the distances to s, up to a length, of the states on loops that begin in s. Such a
// loop passes no state that is nearer to the initial state than s.
func (x *memberSearch) findBack(s lts.State, length int) {
	x.search++
	x.seen[s] = x.search
	x.back[s] = 0
	queue := []lts.State{s}
	for next := 0; next < len(queue); next++ {
		abort.IfDone(x.ctx, next)
		t := queue[next]
		if int(x.back[t]) == length-1 {
			return
		}
		labels, sources := x.m.Predecessors().In(t)
		x.work += len(sources) + 1
		for i, from := range sources {
			isNearer := x.distance[from] < x.distance[s]
			if x.seen[from] == x.search || isNearer {
				continue
			}
			if x.takes(from, labels.At(i), t) {
				x.seen[from] = x.search
				x.back[from] = x.back[t] + 1
				queue = append(queue, from)
			}
		}
	}
}

// lapped is a state on a loop, with the colours taken since its beginning.
type lapped struct {
	state lts.State
	set   uint32
}

// lapGraph is a layered graph of walks that begin in one state: layers[i] has the states after i
// transitions, and moves[i][n] the moves from node n of layers[i] to nodes of layers[i+1].
type lapGraph struct {
	layers [][]lapped
	moves  [][][]move
	// known has the layer and the index of each node.
	known map[lapped]inLayer
}

type inLayer struct{ layer, index uint32 }

// loopsFrom returns the closed walks of the given length through s whose colours violate the
// condition; nil if there are none. No shorter walk violates the condition, so such a walk reaches
// each pair of a state and a set of colours by a shortest way.
func (x *memberSearch) loopsFrom(s lts.State, length int) *cycles {
	g := &lapGraph{
		layers: [][]lapped{{{state: s}}},
		known:  map[lapped]inLayer{},
	}
	for layer := range length {
		if !x.addLayer(g, layer, length) {
			return nil
		}
	}
	return x.pruned(g.layers, g.moves)
}

// addLayer adds the layer after the given one, with the next states on walks of the given length.
// It reports whether there are any.
func (x *memberSearch) addLayer(g *lapGraph, layer, length int) bool {
	var next []lapped
	moves := make([][]move, len(g.layers[layer]))
	for n, from := range g.layers[layer] {
		abort.IfDone(x.ctx, n)
		labels, targets := x.m.Out(from.state)
		x.work += len(targets) + 1
		for k, t := range targets {
			label := labels.At(k)
			returnsInTime := x.seen[t] == x.search && int(x.back[t]) <= length-layer-1
			if !returnsInTime || !x.takes(from.state, label, t) {
				continue
			}
			to := lapped{state: t, set: from.set | x.colours(x.u.Marks(from.state, label))}
			place, isKnown := g.known[to]
			if !isKnown {
				place = inLayer{layer: uint32(layer + 1), index: uint32(len(next))}
				g.known[to] = place
				next = append(next, to)
			}
			isInNextLayer := int(place.layer) == layer+1
			if isInNextLayer {
				moves[n] = append(moves[n], move{uint32(k), place.index})
			}
		}
		moves[n] = distinct(x.m, from.state, moves[n])
	}
	if len(next) == 0 {
		return false
	}
	abort.On(resources.AskFor[[]move](x.ctx, 3*len(next)))
	g.layers = append(g.layers, next)
	g.moves = append(g.moves, moves)
	return true
}

// violates reports whether a loop with this set of colours violates the condition.
func (x *memberSearch) violates(set uint32) bool {
	var m property.Marks
	for c, bit := range x.bitOf {
		if bit&set != 0 {
			m |= property.Mark(c)
		}
	}
	return !x.accept.Holds(m)
}

// pruned returns the part of a layered graph that leads to nodes of the last layer whose colours
// violate the condition, and merges these nodes into one; nil if there are none.
func (x *memberSearch) pruned(layers [][]lapped, moves [][][]move) *cycles {
	last := len(layers) - 1
	number, count := x.numberKept(layers, moves)
	if number[0][0] == 0 {
		return nil
	}
	c := &cycles{steps: []uint16{0}}
	for i := range last {
		for n, from := range layers[i] {
			if number[i][n] == 0 {
				continue
			}
			var kept []move
			for _, mv := range moves[i][n] {
				to := number[i+1][mv.to]
				if to != 0 {
					kept = append(kept, move{index: mv.index, to: count - to})
					c.avoided = append(c.avoided, 1)
				}
			}
			c.add(x.u.At(from.state).State, kept)
		}
	}
	c.add(x.u.At(layers[0][0].state).State, nil)
	c.layers = c.clip()
	return c
}

// numberKept numbers the nodes of a layered graph from which a path leads to nodes of the last layer
// whose colours violate the condition. The nodes are numbered backwards: all those of the last layer have
// the number 1. Other nodes have the number 0. count is the largest number.
func (x *memberSearch) numberKept(layers [][]lapped, moves [][][]move) (number [][]uint32, count uint32) {
	last := len(layers) - 1
	number = make([][]uint32, len(layers))
	number[last] = make([]uint32, len(layers[last]))
	for n, at := range layers[last] {
		if x.violates(at.set) {
			number[last][n] = 1
		}
	}
	count = 1
	for i := last - 1; i >= 0; i-- {
		number[i] = make([]uint32, len(layers[i]))
		isKept := func(mv move) bool { return number[i+1][mv.to] != 0 }
		for n := len(layers[i]) - 1; n >= 0; n-- {
			if slices.ContainsFunc(moves[i][n], isKept) {
				count++
				number[i][n] = count
			}
		}
	}
	return number, count
}
