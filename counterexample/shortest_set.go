package counterexample

import (
	"cmp"
	"context"
	"encoding/binary"
	"iter"
	"math"
	"math/big"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// chainFamily is the set of all shortest counterexamples to a property. Each member is a distinct
// sequence of transitions, where duplicates of a transition in the model count once; the sequence
// determines where the loop begins, since a shortest counterexample is elementary.
//
// A chainFamily does not store its members but two kinds of layered graphs, where every move lies
// on a member: the stems, from the initial state to a deadlock or to the beginning of a loop, and
// for each beginning its cycles. It is immutable, so goroutines may share it.
type chainFamily struct {
	m      *lts.LTS
	p      *property.Chain
	length int
	stems  stems
	cycles []*cycles
}

// allOfChain returns the set of all counterexamples to p with as few
// transitions as any in the LTS of c has; nil if the property holds. The set
// depends on the model and the property alone. It fails if ctx is done.
//
// Let L be the length that [Shortest] finds, and D_m(s) as there. All shorter runs satisfy the
// property, which leaves little to search:
//
//   - A prefix of a stem, or of a trace to a deadlock, comes to its state with
//     progress j at depth D_j of this state: a shorter path to the state with no more
//     progress would make, with the rest of the run, a shorter counterexample.
//   - A loop that begins in s with a stem of length d and progress j, and avoids
//     step m+1 for some m >= j, has d = D_m(s) for the same reason. So for each s
//     and m, only cycles of one length, L - D_m(s), at one depth are of interest.
//   - No state u of such a cycle has D_m(u) < D_m(s), since the loop could begin
//     there. And if u lies b transitions before the end of the cycle,
//     D_m(u) <= L - b. The search for the cycles runs backwards, within these bounds.
//   - Every walk from s back to s of that length that avoids step m+1 is one of
//     these cycles: a walk that met a state twice, or the stem, could be cut.
//
// Cost: that of Shortest; then O(n (S + T)) time where cycle searches are short, and O(n S (S + T))
// in the worst case. While it runs, 16 bytes for each pair of state and progress that is met within
// L transitions, 10 bytes a state, and the predecessor rows of the model. The chainFamily has a
// graph of stems, at most as large as the product of model and progress within L transitions, and
// for each state and depth where a loop can begin a graph of cycles, at most as large as the
// component of that state for each step that its loops avoid. Moves take 8 bytes in the one and 16
// in the other. Usually loops begin at few states; O(S T) is reached where the initial state leads
// to each of many states of one phase of a protocol that goes round for ever, for each has a graph
// of the whole round.
func allOfChain(ctx context.Context, c *scc.Components, p *property.Chain) (*chainFamily, error) {
	search, err := newShortest(ctx, c.LTS(), p, Options{Components: c})
	if err != nil {
		return nil, err
	}
	if err := search.run(); err != nil {
		return nil, err
	}
	if search.best == infinite {
		return nil, nil
	}
	progress.Start(ctx, "all shortest", progress.Nothing, 0)
	search.nodes = paged.List[node]{}
	if err := resources.Ask(ctx, 6*int64(c.LTS().NumStates())); err != nil {
		return nil, err
	}
	a := newArrivals(c, p, search.best)
	if err := a.explore(ctx); err != nil {
		return nil, err
	}
	f := &chainFamily{m: c.LTS(), p: p, length: search.best}
	begins, err := f.findCycles(a, search)
	if err != nil {
		return nil, err
	}
	f.stems, err = a.stems(ctx, begins)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// findCycles sets f.cycles, and returns for each arrival where a loop can begin the index of its
// cycles there.
func (f *chainFamily) findCycles(a *arrivals, search *shortest) (begins map[uint32]int, err error) {
	begins = make(map[uint32]int)
	cycles := cycleSearch{arrivals: a, search: search}
	for _, e := range a.entries {
		found, err := cycles.through(e)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		largest := found.steps[len(found.steps)-1]
		for i := range a.together(e.arrival) {
			if a.list[i].progress <= largest {
				begins[i] = len(f.cycles)
			}
		}
		f.cycles = append(f.cycles, found)
	}
	return begins, nil
}

// Minimal returns InModel. Cost O(1).
func (f *chainFamily) Minimal() Minimality { return InModel }

// Len returns the number of transitions of each member. Cost O(1).
func (f *chainFamily) Len() int { return f.length }

// Transitions returns the transitions on some member, and those on the loop of some member: each
// once, by ascending source, then in the order of the model. Cost O(N log N) for a chainFamily of
// size N.
func (f *chainFamily) Transitions() (all, looping []lts.Transition) {
	var loopRows []int
	for _, c := range f.cycles {
		loopRows = append(loopRows, c.rows(f.m)...)
	}
	slices.Sort(loopRows)
	loopRows = slices.Compact(loopRows)
	rows := append(f.stems.rows(f.m), loopRows...)
	slices.Sort(rows)
	sources := f.sources()
	return f.atRows(sources, slices.Compact(rows)), f.atRows(sources, loopRows)
}

// sources returns the states on members, ascending.
func (f *chainFamily) sources() []lts.State {
	sources := slices.Clone(f.stems.states)
	for _, c := range f.cycles {
		sources = append(sources, c.states...)
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

// atRows returns the transitions from these states with these row indices; both are ascending.
func (f *chainFamily) atRows(sources []lts.State, rows []int) []lts.Transition {
	transitions := make([]lts.Transition, 0, len(rows))
	for _, s := range sources {
		first, end := f.m.Row(s)
		for len(rows) > 0 && rows[0] < end {
			transitions = append(transitions, transition(f.m, s, rows[0]-first))
			rows = rows[1:]
		}
	}
	return transitions
}

// transition returns the transition from s with this index.
func transition(m *lts.LTS, s lts.State, index int) lts.Transition {
	labels, targets := m.Out(s)
	return lts.Transition{From: s, Label: labels.At(index), To: targets[index]}
}

// Best returns the member whose states have the smallest total weight or, with most, the largest;
// of several, the first one in the order of [chainFamily.Each]. The sources of its transitions
// count: each state of a lasso once, and for a deadlock all but the last. weight must always return
// the same for a state. Cost O(N) time for a chainFamily of size N, times the number of steps that
// members avoid whose loops begin at one node. It fails if ctx is done.
func (f *chainFamily) Best(ctx context.Context, weight func(lts.State) int, most bool) (*Trace, error) {
	of := weight
	if most {
		of = func(s lts.State) int { return -weight(s) }
	}
	weights, err := f.weigh(ctx, of)
	if err != nil {
		return nil, err
	}
	w := &walk{chainFamily: f, ctx: ctx, weights: weights}
	var best *Trace
	err = w.run(func(t *Trace) bool {
		best = t
		return false
	})
	return best, err
}

// weights are the least weights of the paths from each node to the end of a member.
type weights struct {
	of func(lts.State) int
	// stems[node] is the least weight of a path from a node of the stems to the end.
	stems []int
	// cycles[i][node*k+step] is the least weight of a path that avoids the step from a node of
	// cycles i, with k steps, to their end; heavy if there is no such path.
	cycles [][]int
}

// heavy is the weight of a path that does not exist.
const heavy = math.MaxInt

func (f *chainFamily) weigh(ctx context.Context, of func(lts.State) int) (w *weights, err error) {
	w = &weights{of: of}
	if w.stems, err = resources.Make[int](ctx, len(f.stems.states)); err != nil {
		return nil, err
	}
	for _, c := range f.cycles {
		least, err := c.weigh(ctx, of)
		if err != nil {
			return nil, err
		}
		w.cycles = append(w.cycles, least)
	}
	for node, s := range f.stems.states {
		if node&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		least, moves := heavy, f.stems.from(uint32(node))
		for _, mv := range moves {
			least = min(least, of(s)+w.stems[mv.to])
		}
		if begin := f.stems.begins[node]; begin != noCycles {
			for k, m := range f.cycles[begin].steps {
				if m >= f.stems.progress[node] {
					least = min(least, w.cycles[begin][k])
				}
			}
		} else if len(moves) == 0 {
			least = 0
		}
		w.stems[node] = least
	}
	return w, nil
}

func (c *cycles) weigh(ctx context.Context, of func(lts.State) int) ([]int, error) {
	k := len(c.steps)
	least, err := resources.Make[int](ctx, k*len(c.states))
	if err != nil {
		return nil, err
	}
	last := len(c.states) - 1
	for i := range k * last {
		least[i] = heavy
	}
	for node := last - 1; node >= 0; node-- {
		if node&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		weight := of(c.states[node])
		for i := c.first[node]; i < c.first[node+1]; i++ {
			avoided, to := c.avoidedBy(i), int(c.moves[i].to)
			for step := range k {
				if avoided.Has(step) {
					least[node*k+step] = min(least[node*k+step], weight+least[to*k+step])
				}
			}
		}
	}
	return least, nil
}

// keepLightest removes from the open steps of a lap those that no member of this weight avoids.
func (w *walk) keepLightest(on lap, weight int) {
	k := len(w.cycles[on.cycles].steps)
	for step := range k {
		if w.weights.cycles[on.cycles][int(on.node)*k+step] != weight {
			on.open.Remove(step)
		}
	}
}

// Count returns the exact number of members. It fails if ctx is done.
//
// It adds up the paths through a layered graph from one end to the other. If members avoid
// different steps, it counts the paths to each node of the cycles separately for each set of steps
// avoided so far, without steps that cannot be avoided to the end, since a cycle that avoids
// several steps must count once.
//
// Cost O(N) additions of numbers with O(Len) bits for a chainFamily of size N, if the members whose
// loops begin at one node avoid one step, and at most 2^k times that if they avoid k different
// ones. There is hardly a better algorithm: the steps can be the terms of any formula in
// disjunctive normal form, the cycles the assignments to its variables, and to count the
// assignments that satisfy it is #P-complete. Each, Transitions and Best do not depend on k in this
// way.
func (f *chainFamily) Count(ctx context.Context) (*big.Int, error) {
	loops := make([][]*big.Int, len(f.cycles))
	for i, c := range f.cycles {
		var err error
		if loops[i], err = c.count(ctx); err != nil {
			return nil, err
		}
	}
	// ends[node] is the number of paths from the node to the end of a member.
	const each = 32 + 24 // bytes of a number and of its digits, of which one is usual
	if err := resources.Ask(ctx, each*int64(len(f.stems.states))); err != nil {
		return nil, err
	}
	ends := make([]big.Int, len(f.stems.states))
	for node := range ends {
		if node&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		number, moves := &ends[node], f.stems.from(uint32(node))
		for _, mv := range moves {
			number.Add(number, &ends[mv.to])
		}
		if begin := f.stems.begins[node]; begin != noCycles {
			for k, m := range f.cycles[begin].steps {
				if m >= f.stems.progress[node] {
					number.Add(number, loops[begin][k])
				}
			}
		} else if len(moves) == 0 {
			number.SetUint64(1)
		}
	}
	return new(big.Int).Set(&ends[f.stems.root()]), nil
}

// tally is the number of paths to a node that have avoided exactly these steps.
type tally struct {
	avoided bitset.Set[int]
	number  big.Int
}

// tallies are the tallies of one node; the key is the set of the steps avoided, as bytes.
type tallies map[string]*tally

// count returns, for each of the steps, the number of cycles for which this is the largest step
// that they avoid. A loop whose stem has progress j violates the property iff the largest step that
// it avoids is at least j.
func (c *cycles) count(ctx context.Context) ([]*big.Int, error) {
	ways := make([]tallies, len(c.states))
	begin := tally{avoided: c.open(0)}
	begin.number.SetUint64(1)
	ways[0] = tallies{"": &begin}
	work := 0
	for node := range len(ways) - 1 {
		for i := c.first[node]; i < c.first[node+1]; i++ {
			to := c.moves[i].to
			if ways[to] == nil {
				ways[to] = make(tallies)
			}
			for _, way := range ways[node] {
				if work++; work&(1<<12-1) == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				ways[to].add(way.avoided.And(c.avoidedBy(i)), &way.number)
			}
		}
		ways[node] = nil
	}
	byLargest := make([]*big.Int, len(c.steps))
	for k := range byLargest {
		byLargest[k] = new(big.Int)
	}
	for _, way := range ways[len(ways)-1] {
		number := byLargest[way.avoided.Largest()]
		number.Add(number, &way.number)
	}
	return byLargest, nil
}

// add adds a number of paths that have avoided these steps. If no steps are left, the paths lead to
// no counterexample, and add does nothing.
func (t tallies) add(avoided bitset.Set[int], number *big.Int) {
	if avoided.Empty() {
		return
	}
	key := make([]byte, 0, 64)
	for _, word := range avoided {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	sum := t[string(key)]
	if sum == nil {
		sum = &tally{avoided: avoided}
		t[string(key)] = sum
	}
	sum.number.Add(&sum.number, number)
}

// cycles are all cycles of one length through one state that avoid at least one of some steps of
// the property. The first node is that state at the beginning of a cycle, the last one at its end;
// moves lead to larger numbers.
type cycles struct {
	layers
	// steps are the numbers m, ascending, for which some cycle avoids step m+1. Sets of steps
	// contain indices of this slice.
	steps []uint16
	// avoided has a set for each move, one after the other: the steps that some cycle through the
	// move avoids.
	avoided []uint64
}

// avoidedBy returns the steps that some cycle through a move avoids.
func (c *cycles) avoidedBy(mv int) bitset.Set[int] {
	words := bitset.Words(len(c.steps))
	return c.avoided[mv*words : (mv+1)*words]
}

// open returns the steps that a loop may avoid if its stem has this progress.
func (c *cycles) open(progress uint16) bitset.Set[int] {
	steps := bitset.New[int](len(c.steps))
	for k, m := range c.steps {
		if m >= progress {
			steps.Add(k)
		}
	}
	return steps
}

// cycleSearch finds cycles within the arrivals.
type cycleSearch struct {
	*arrivals
	search *shortest
	in     *lts.Predecessors // nil until needed

	// back is, for each state, one more than the length of a shortest path to the state where the
	// cycles end; 0 for states that the search has not visited.
	back []uint32
	met  []lts.State
}

// lassos are the lassos whose loops begin at an arrival and avoid step m+1. If on is not nil,
// states outside it lie on no such loop.
type lassos struct {
	at arrival
	m  int
	on bitset.Set[lts.State]
}

// spot is a state on a cycle that avoids a step: place transitions after the beginning of the
// cycle; step is an index in cycles.steps.
type spot struct {
	place uint32
	state lts.State
	step  uint16
}

// through returns the cycles that begin at e and make shortest lassos; nil if there are none.
func (y *cycleSearch) through(e entry) (c *cycles, err error) {
	if y.in == nil {
		if err := y.m.FindPredecessors(y.search.ctx); err != nil {
			return nil, err
		}
		y.in = y.m.Predecessors()
		if y.back, err = resources.Make[uint32](y.search.ctx, y.m.NumStates()); err != nil {
			return nil, err
		}
	}
	var (
		steps []uint16
		spots []spot
	)
	for m := int(e.low); m <= int(e.high); m++ {
		on, err := y.search.onCycle(m)
		if err != nil {
			return nil, err
		}
		of := lassos{y.list[e.arrival], m, on}
		if on != nil && !on.Has(of.at.state) {
			continue
		}
		found, err := y.backward(of)
		if err != nil {
			return nil, err
		}
		if found {
			if spots, err = y.forward(of, spots, uint16(len(steps))); err != nil {
				return nil, err
			}
			steps = append(steps, uint16(m))
		}
		for _, s := range y.met {
			y.back[s] = 0
		}
	}
	if len(steps) == 0 {
		return nil, nil
	}
	return y.collect(steps, spots)
}

// backward finds the distance to the end of the loop for all states that may lie on the loop of a
// shortest lasso, and reports whether there is such a loop.
func (y *cycleSearch) backward(of lassos) (found bool, err error) {
	y.met = append(y.met[:0], of.at.state)
	y.back[of.at.state] = 1
	for first, distance := 0, 1; first < len(y.met) && int(of.at.depth)+distance <= y.length; distance++ {
		end := len(y.met)
		for i := first; i < end; i++ {
			var closed bool
			closed, err = y.precede(y.met[i], distance, of)
			if closed || err != nil {
				return closed, err
			}
		}
		first = end
	}
	return false, nil
}

// precede visits the predecessors of s, whose distance to the end of the loop is this one, and
// reports whether the beginning of the loop is among them. If so, the loops have this length: a
// shorter loop would make a shorter counterexample.
func (y *cycleSearch) precede(s lts.State, distance int, of lassos) (closed bool, err error) {
	labels, sources := y.in.In(s)
	// This work is added to that of the search before, by which onCycle decides whether it pays.
	work := &y.search.bounded.work
	if *work += labels.Len() + 1; *work&(1<<16-1) <= labels.Len() && y.search.ctx.Err() != nil {
		return false, y.search.ctx.Err()
	}
	if y.met, err = resources.Grow(y.search.ctx, y.met, len(sources)); err != nil {
		return false, err
	}
	for j, t := range sources {
		if y.p.Does(labels.At(j), of.m+1) {
			continue
		}
		if t == of.at.state {
			return true, nil
		}
		if y.back[t] != 0 || !y.c.Same(s, t) || of.on != nil && !of.on.Has(t) {
			continue
		}
		if depth := y.depth(t, of.m); depth >= int(of.at.depth) && depth <= y.length-distance {
			y.back[t] = uint32(distance) + 1
			y.met = append(y.met, t)
		}
	}
	return false, nil
}

// forward appends the spots on the loops that backward has found.
func (y *cycleSearch) forward(of lassos, spots []spot, step uint16) (_ []spot, err error) {
	if spots, err = resources.Grow(y.search.ctx, spots, 1); err != nil {
		return nil, err
	}
	first := len(spots)
	spots = append(spots, spot{0, of.at.state, step})
	length := uint32(y.length) - of.at.depth
	for place := range length {
		end := len(spots)
		for i := first; i < end; i++ {
			labels, targets := y.m.Out(spots[i].state)
			if spots, err = resources.Grow(y.search.ctx, spots, len(targets)); err != nil {
				return nil, err
			}
			for j, t := range targets {
				if y.back[t] == length-place && !y.p.Does(labels.At(j), of.m+1) {
					y.back[t] = 0
					spots = append(spots, spot{place + 1, t, step})
				}
			}
		}
		first = end
	}
	return spots, nil
}

// collect makes one graph of the spots of all steps.
func (y *cycleSearch) collect(steps []uint16, spots []spot) (*cycles, error) {
	slices.SortFunc(spots, func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.state, b.state))
	})
	ctx := y.search.ctx
	g := spotted{cycles: &cycles{steps: steps}, m: y.m, p: y.p, words: bitset.Words(len(steps))}
	if err := g.place(ctx, spots); err != nil {
		return nil, err
	}
	last, place := len(g.states)-1, 0
	for node := range last {
		if node&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if node == g.begins[place+1] {
			place++
		}
		if err := g.connect(ctx, node, g.begins[place+1], g.begins[place+2]); err != nil {
			return nil, err
		}
	}
	g.cycles.add(g.states[last], nil)
	if last < manySpots {
		g.cycles.layers = g.cycles.clip()
		g.cycles.avoided = slices.Clone(g.cycles.avoided)
	}
	return g.cycles, nil
}

// manySpots is the number of nodes above which a graph of cycles may keep spare memory. There can
// be very many smaller graphs.
const manySpots = 1 << 16

// spotted is a graph of cycles that is being made; its nodes are known.
type spotted struct {
	cycles *cycles
	m      *lts.LTS
	p      *property.Chain

	states []lts.State
	begins []int // the first node of each layer, and the number of nodes
	// avoid has a set of words words for each node, one after the other: the steps that some cycle
	// through it avoids.
	avoid []uint64
	words int
	moves []move
}

// avoidedAt returns the steps that some cycle through a node avoids.
func (g *spotted) avoidedAt(node int) bitset.Set[int] {
	return g.avoid[node*g.words : (node+1)*g.words]
}

// place makes the nodes of the spots, which must be sorted.
func (g *spotted) place(ctx context.Context, spots []spot) (err error) {
	for i, at := range spots {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		another := i == 0 || at.place != spots[i-1].place
		if another {
			if g.begins, err = resources.Grow(ctx, g.begins, 2); err != nil {
				return err
			}
			g.begins = append(g.begins, len(g.states))
		}
		if another || at.state != spots[i-1].state {
			if g.states, err = resources.Grow(ctx, g.states, 1); err != nil {
				return err
			}
			if g.avoid, err = resources.Grow(ctx, g.avoid, g.words); err != nil {
				return err
			}
			g.states = append(g.states, at.state)
			g.avoid = g.avoid[:len(g.avoid)+g.words]
			clear(g.avoidedAt(len(g.states) - 1))
		}
		g.avoidedAt(len(g.states) - 1).Add(int(at.step))
	}
	g.begins = append(g.begins, len(g.states))
	return nil
}

// connect adds the moves of a node to the nodes of the next layer, from first to end. A transition
// between two nodes lies on a cycle that avoids a step iff both nodes do and the transition does
// not do the step, since each node has one distance from either end of these cycles.
func (g *spotted) connect(ctx context.Context, node, first, end int) (err error) {
	from := g.states[node]
	labels, targets := g.m.Out(from)
	g.moves = g.moves[:0]
	for j, t := range targets {
		if to, found := slices.BinarySearch(g.states[first:end], t); found {
			g.moves = append(g.moves, move{uint32(j), uint32(first + to)})
		}
	}
	c := g.cycles
	if c.avoided, err = resources.Grow(ctx, c.avoided, len(g.moves)*g.words); err != nil {
		return err
	}
	if c.layers, err = c.layers.reserve(ctx, len(g.moves)); err != nil {
		return err
	}
	kept := g.moves[:0]
	for _, mv := range distinct(g.m, from, g.moves) {
		avoid := g.avoidedAt(node).And(g.avoidedAt(int(mv.to)))
		for k, m := range c.steps {
			if g.p.Does(labels.At(int(mv.index)), int(m)+1) {
				avoid.Remove(k)
			}
		}
		if !avoid.Empty() {
			kept = append(kept, mv)
			c.avoided = append(c.avoided, avoid...)
		}
	}
	c.add(from, kept)
	return nil
}

// layers is a layered graph: each node is a state at one distance from the beginning, and all paths
// through it have one length. Nodes are numbered layer by layer, from the first layer or from the
// last.
type layers struct {
	states []lts.State
	// The moves of node i are moves[first[i]:first[i+1]], by ascending index.
	first []int
	moves []move
}

// move is a transition between nodes.
type move struct {
	// index is the index of the transition among those of its source; for duplicates, that of the
	// first.
	index uint32
	to    uint32
}

func (g *layers) from(node uint32) []move {
	return g.moves[g.first[node]:g.first[node+1]]
}

// reserve makes room for one more node with this many moves, as [resources.Grow] does.
func (g layers) reserve(ctx context.Context, moves int) (layers, error) {
	var err error
	if g.states, err = resources.Grow(ctx, g.states, 1); err != nil {
		return g, err
	}
	if g.moves, err = resources.Grow(ctx, g.moves, moves); err != nil {
		return g, err
	}
	g.first, err = resources.Grow(ctx, g.first, 2)
	return g, err
}

func (g *layers) add(state lts.State, moves []move) uint32 {
	if len(g.first) == 0 {
		g.first = append(g.first, 0)
	}
	g.states = append(g.states, state)
	g.moves = append(g.moves, moves...)
	g.first = append(g.first, len(g.moves))
	return uint32(len(g.states) - 1)
}

// rows returns the row indices in m of the transitions of all moves.
func (g *layers) rows(m *lts.LTS) []int {
	rows := make([]int, 0, len(g.moves))
	for node, s := range g.states {
		first, _ := m.Row(s)
		for _, mv := range g.from(uint32(node)) {
			rows = append(rows, first+int(mv.index))
		}
	}
	return rows
}

// indexed returns the position in moves of the move whose field index is this; false if there is
// none. The moves must ascend.
func indexed(moves []move, index uint32) (int, bool) {
	return slices.BinarySearchFunc(moves, index, func(mv move, index uint32) int {
		return cmp.Compare(mv.index, index)
	})
}

// clip removes spare memory from the graph.
func (g *layers) clip() layers {
	return layers{slices.Clone(g.states), slices.Clone(g.first), slices.Clone(g.moves)}
}

// distinct returns the moves from state s, ascending by index, without those whose transition
// duplicates an earlier one. It changes the slice. Cost O(d log d) for d moves.
func distinct(m *lts.LTS, s lts.State, moves []move) []move {
	if len(moves) < 2 {
		return moves
	}
	labels, targets := m.Out(s)
	same := func(x, y move) int {
		return cmp.Or(
			cmp.Compare(targets[x.index], targets[y.index]),
			cmp.Compare(labels.At(int(x.index)), labels.At(int(y.index))),
		)
	}
	slices.SortStableFunc(moves, same)
	moves = slices.CompactFunc(moves, func(x, y move) bool { return same(x, y) == 0 })
	slices.SortFunc(moves, func(x, y move) int { return cmp.Compare(x.index, y.index) })
	return moves
}

// Each yields all members, in lexicographic order of the order that the model lists the transitions
// of a state; runs into deadlocks and lassos are not separated. The order does not depend on how
// the members were found. If ctx is done, it yields an error instead of the next member, and ends.
//
// Cost: it makes members one by one, and follows no path that is not part of a member. Up to a
// logarithm, O(L d l) time for each, and O(L) memory for all besides O(d l) for each state of a
// member where other members branch off, with length L, out-degrees up to d, and l nodes where a
// loop may have begun, given the run so far: seldom more than one or two, and at most L.
func (f *chainFamily) Each(ctx context.Context) iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		w := &walk{chainFamily: f, ctx: ctx}
		if err := w.run(func(t *Trace) bool { return yield(t, nil) }); err != nil {
			yield(nil, err)
		}
	}
}

// off marks a position that is on no stem.
const off = -1

// position is where a run is: at a node of the stems, on cycles that have begun before, or both,
// since only the continuation of the run decides that. It is empty if no member begins with the
// run.
type position struct {
	stem int
	laps []lap
	left int // the weight of the rest of the run, if only members of one weight are wanted
}

// lap is a cycle that a run is on.
type lap struct {
	cycles int // the index of the cycles
	node   uint32
	start  int             // number of transitions before the loop
	open   bitset.Set[int] // the steps that the loop can still avoid up to its end
}

func (p *position) empty() bool { return p.stem == off && len(p.laps) == 0 }

// walk visits members in order, depth first, with a stack of its own, as they can be long.
type walk struct {
	*chainFamily
	ctx     context.Context
	weights *weights // nil if all members are wanted, else the lightest ones
	at      fork
	// stack has the forks before at from where transitions are still to be taken.
	stack []fork
	steps []lts.Transition // the transitions that lead to at
	work  int
}

// fork is a position with the indices of the transitions from there that are still to be taken.
type fork struct {
	position
	state   lts.State
	indices []uint32
	depth   int // the number of transitions that lead there
}

// run yields the members, until yield returns false.
func (w *walk) run(yield func(*Trace) bool) (err error) {
	if w.steps, err = resources.Grow(w.ctx, w.steps, w.length); err != nil {
		return err
	}
	root := w.stems.root()
	start := position{stem: off}
	if w.weights != nil {
		start.left = w.weights.stems[root]
	}
	w.arrive(&start, root, 0)
	w.enter(start)
	for more := true; more; {
		if w.work++; w.work&(1<<12-1) == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		switch {
		case len(w.steps) == w.length:
			t, err := w.trace()
			if err != nil {
				return err
			}
			if !yield(t) {
				return nil
			}
			more = w.back()
		case len(w.at.indices) == 0:
			more = w.back()
		default:
			if more, err = w.take(); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes the next transition, and reports whether the walk continues.
func (w *walk) take() (more bool, err error) {
	index := w.at.indices[0]
	if rest := w.at.indices[1:]; len(rest) > 0 {
		if w.stack, err = resources.Grow(w.ctx, w.stack, 1); err != nil {
			return false, err
		}
		w.stack = append(w.stack, w.at)
		w.stack[len(w.stack)-1].indices = rest
		w.at.indices = nil // the fork on the stack uses its memory now
	}
	to := w.follow(&w.at, index)
	if to.empty() {
		return w.back(), nil
	}
	w.steps = append(w.steps, transition(w.m, w.at.state, int(index)))
	w.enter(to)
	return true, nil
}

// enter sets the position.
func (w *walk) enter(p position) {
	f := fork{position: p, indices: w.at.indices[:0], depth: len(w.steps)}
	if p.stem != off {
		f.state = w.stems.states[p.stem]
		for _, mv := range w.stems.from(uint32(p.stem)) {
			f.indices = append(f.indices, mv.index)
		}
	}
	for _, on := range p.laps {
		c := w.cycles[on.cycles]
		f.state = c.states[on.node]
		for i := c.first[on.node]; i < c.first[on.node+1]; i++ {
			if on.open.Meets(c.avoidedBy(i)) {
				f.indices = append(f.indices, c.moves[i].index)
			}
		}
	}
	slices.Sort(f.indices)
	f.indices = slices.Compact(f.indices)
	w.at = f
}

// back returns to the last fork with transitions that are still to be taken, and reports whether
// there is one.
func (w *walk) back() bool {
	last := len(w.stack) - 1
	if last < 0 {
		return false
	}
	w.at, w.stack = w.stack[last], w.stack[:last]
	w.steps = w.steps[:w.at.depth]
	return true
}

// follow returns the position after a transition from a fork.
func (w *walk) follow(from *fork, index uint32) position {
	to := position{stem: off}
	if w.weights != nil {
		to.left = from.left - w.weights.of(from.state)
	}
	for _, on := range from.laps {
		c := w.cycles[on.cycles]
		if i, found := indexed(c.from(on.node), index); found {
			i += c.first[on.node]
			on.node, on.open = c.moves[i].to, on.open.And(c.avoidedBy(i))
			w.add(&to, on)
		}
	}
	if from.stem != off {
		moves := w.stems.from(uint32(from.stem))
		if i, found := indexed(moves, index); found {
			w.arrive(&to, moves[i].to, len(w.steps)+1)
		}
	}
	return to
}

// arrive adds to a position, which is reached after depth transitions, a node of the stems and the
// cycles that begin there.
func (w *walk) arrive(p *position, node uint32, depth int) {
	if w.weights != nil && w.weights.stems[node] != p.left {
		return
	}
	p.stem = int(node)
	if begin := w.stems.begins[node]; begin != noCycles {
		w.add(p, lap{begin, 0, depth, w.cycles[begin].open(w.stems.progress[node])})
	}
}

// add adds a lap to a position, if a wanted member continues it.
func (w *walk) add(p *position, on lap) {
	if w.weights != nil {
		w.keepLightest(on, p.left)
	}
	if !on.open.Empty() {
		p.laps = append(p.laps, on)
	}
}

// trace returns the member at whose end the walk is.
func (w *walk) trace() (*Trace, error) {
	loop := noLoop
	if w.at.stem == off {
		loop = w.at.laps[0].start
	}
	steps, err := resources.Make[lts.Transition](w.ctx, len(w.steps))
	if err != nil {
		return nil, err
	}
	if err := resources.AskFor[property.Q](w.ctx, len(w.steps)+1); err != nil {
		return nil, err
	}
	copy(steps, w.steps)
	return NewViolating(w.m, w.p.Property(), steps, loop)
}

// noCycles marks a node of the stems where no loop begins.
const noCycles = -1

// stems are the paths from the initial state to the deadlocks where members end, and to the states
// where their loops begin. Nodes are numbered from the end: moves lead to smaller numbers, and the
// last node is the initial state.
type stems struct {
	layers
	progress []uint16
	// begins[i] is the index of the cycles that begin at node i, or noCycles.
	begins []int
}

func (g *stems) root() uint32 { return uint32(len(g.states) - 1) }

// arrivals are pairs of a state and a progress, in the order of a breadth-first search that drops a
// pair if its state was visited at a smaller depth with the same progress or less. So a pair has
// one depth, and a state has larger progress at smaller depths.
type arrivals struct {
	m      *lts.LTS
	c      *scc.Components
	p      *property.Chain
	length int // of a shortest counterexample

	list []arrival
	last []uint32 // per state: one more than the number of its last arrival
	// least is, for each state, the least progress that it was visited with at a depth smaller than
	// the current one; n if it was not visited there.
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

func newArrivals(c *scc.Components, p *property.Chain, length int) *arrivals {
	m := c.LTS()
	a := &arrivals{
		m: m, c: c, p: p, length: length,
		last:  make([]uint32, m.NumStates()),
		least: make([]uint16, m.NumStates()),
	}
	for s := range a.least {
		a.least[s] = uint16(p.Len())
	}
	return a
}

// explore visits the pairs up to the length of a shortest counterexample.
func (a *arrivals) explore(ctx context.Context) error {
	a.meet(a.m.Initial(), 0, 0)
	for depth, first := 0, 0; first < len(a.list); depth++ {
		end := len(a.list)
		var err error
		if a.entries, err = resources.Grow(ctx, a.entries, end-first); err != nil {
			return err
		}
		a.settle(first, end)
		for i := first; i < end && depth < a.length; i++ {
			if i&(1<<12-1) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			at := a.list[i]
			labels, targets := a.m.Out(at.state)
			if a.list, err = resources.Grow(ctx, a.list, len(targets)); err != nil {
				return err
			}
			for j, t := range targets {
				a.meet(t, a.p.Advance(int(at.progress), labels.At(j)), depth+1)
			}
		}
		first = end
	}
	return nil
}

// meet adds a pair, unless it is known or its state was visited at a smaller depth with the same
// progress or less. At the last depth, it adds deadlocks only.
func (a *arrivals) meet(s lts.State, progress, depth int) {
	if progress >= int(a.least[s]) || depth == a.length && !a.m.IsDeadlock(s) {
		return
	}
	if _, found := a.find(s, progress, depth); !found {
		a.list = append(a.list, arrival{s, a.last[s], uint32(depth), uint16(progress)})
		a.last[s] = uint32(len(a.list))
	}
}

// find returns the number of the arrival at s with this progress, if it has this depth. Cost
// O(arrivals at s).
func (a *arrivals) find(s lts.State, progress, depth int) (uint32, bool) {
	for i := a.last[s]; i != 0; {
		at := &a.list[i-1]
		if int(at.depth) < depth {
			break
		}
		if int(at.depth) == depth && int(at.progress) == progress {
			return i - 1, true
		}
		i = at.before
	}
	return 0, false
}

// depth returns D_m(s), the length of a shortest path to s with progress at most
// m; infinite if that exceeds the length of a shortest counterexample. Cost
// O(arrivals at s).
func (a *arrivals) depth(s lts.State, m int) int {
	depth := infinite
	for i := a.last[s]; i != 0; {
		at := &a.list[i-1]
		if int(at.progress) <= m {
			depth = int(at.depth)
		}
		i = at.before
	}
	return depth
}

// together yields the numbers of arrival i and of the previous arrivals of the same state at the
// same depth.
func (a *arrivals) together(i uint32) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		depth := a.list[i].depth
		for next := i + 1; next != 0 && a.list[next-1].depth == depth; next = a.list[next-1].before {
			if !yield(next - 1) {
				return
			}
		}
	}
}

// settle completes a level, the arrivals from first to end: it adds their entries and updates
// least.
func (a *arrivals) settle(first, end int) {
	for i := first; i < end; i++ {
		at := a.list[i]
		if a.last[at.state] != uint32(i)+1 {
			continue
		}
		low := at.progress
		for other := range a.together(uint32(i)) {
			low = min(low, a.list[other].progress)
		}
		component, _ := a.c.Of(at.state)
		if int(at.depth) < a.length && a.c.IsCyclic(component) {
			a.entries = append(a.entries, entry{uint32(i), low, a.least[at.state] - 1})
		}
		a.least[at.state] = low
	}
}

// stems returns the graph of the arrivals that lead to a deadlock at the last depth, or to an
// arrival where a loop begins. It fails if ctx is done. Cost O(arrivals at one state) for each
// transition from an arrival.
func (a *arrivals) stems(ctx context.Context, begins map[uint32]int) (stems, error) {
	var (
		g     stems
		moves []move
	)
	number, err := resources.Make[uint32](ctx, len(a.list)) // one more than the number of the node
	if err != nil {
		return stems{}, err
	}
	for i := len(a.list) - 1; i >= 0; i-- {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return stems{}, ctx.Err()
		}
		at := a.list[i]
		cycles, begin := begins[uint32(i)]
		if !begin {
			cycles = noCycles
		}
		moves = a.moves(at, number, moves[:0])
		if len(moves) == 0 && !begin && int(at.depth) < a.length {
			continue
		}
		if err := g.reserve(ctx, len(moves)); err != nil {
			return stems{}, err
		}
		number[i] = 1 + g.add(at.state, moves)
		g.progress = append(g.progress, at.progress)
		g.begins = append(g.begins, cycles)
	}
	return g, nil
}

// reserve makes room for one more node with this many moves. Lists with spare memory cost nothing;
// each other list asks for its memory, and allocates it before the next one asks.
func (g *stems) reserve(ctx context.Context, moves int) (err error) {
	if g.layers, err = g.layers.reserve(ctx, moves); err != nil {
		return err
	}
	if g.progress, err = resources.Grow(ctx, g.progress, 1); err != nil {
		return err
	}
	g.begins, err = resources.Grow(ctx, g.begins, 1)
	return err
}

// moves appends the moves from an arrival to arrivals that have a node.
func (a *arrivals) moves(at arrival, number []uint32, moves []move) []move {
	labels, targets := a.m.Out(at.state)
	for j, t := range targets {
		to, found := a.find(t, a.p.Advance(int(at.progress), labels.At(j)), int(at.depth)+1)
		if found && number[to] != 0 {
			moves = append(moves, move{uint32(j), number[to] - 1})
		}
	}
	return distinct(a.m, at.state, moves)
}
