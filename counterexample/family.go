package counterexample

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Family is the set of all shortest counterexamples to a property. Its members are distinct sequences
// of transitions that determine where their loops begin. It comes from [All], and is immutable, so
// goroutines may share it.
type Family struct {
	// parts are disjoint.
	parts []*members
	// byEnds reports whether members are ordered by the product states where they end, and then by
	// those where their loops begin, the nearest first. This is so if the property is no chain.
	byEnds bool
}

// members are shortest counterexamples that one search has found. Each is a distinct sequence of
// transitions, where duplicates of a transition in the model count once. The sequence determines
// where the loop begins, since a shortest counterexample repeats no cycle.
//
// Members are not stored one by one, but as two kinds of layered graphs, in which every move lies
// on a member: the stems, from the initial state to where members end or their loops begin, and for
// each beginning of a loop its cycles.
type members struct {
	m       *lts.LTS
	p       *property.Property
	length  int
	minimal Minimality
	prefix  bool // whether members are bad prefixes
	stems   stems
	cycles  []*cycles
}

// Len returns the number of transitions of each member. Cost O(1).
func (f *Family) Len() int {
	if f == nil || len(f.parts) == 0 {
		return 0
	}
	return f.parts[0].length
}

// Minimal returns a set of runs whose shortest counterexamples are the members. Cost O(1).
func (f *Family) Minimal() Minimality { return f.parts[0].minimal }

// Transitions returns all transitions of members, and those on loops of members. Each transition
// occurs once. They are sorted by source, and then as in the model. Cost O(N log N) for a family of
// size N.
func (f *Family) Transitions() (all, looping []lts.Transition) {
	var onStems, onLoops []uint64
	for _, part := range f.parts {
		onStems = part.stems.appendTo(onStems)
		for _, c := range part.cycles {
			onLoops = c.appendTo(onLoops)
		}
	}
	m := f.parts[0].m
	return transitions(m, append(onStems, onLoops...)), transitions(m, onLoops)
}

// transitions returns the transitions that [layers.appendTo] has encoded in words, each once. It
// sorts the slice.
func transitions(m *lts.LTS, words []uint64) []lts.Transition {
	slices.Sort(words)
	words = slices.Compact(words)
	all := make([]lts.Transition, len(words))
	for i, word := range words {
		all[i] = transition(m, lts.State(word>>32), int(uint32(word)))
	}
	return all
}

// transition returns the transition from s with the given index.
func transition(m *lts.LTS, s lts.State, index int) lts.Transition {
	labels, targets := m.Out(s)
	return lts.Transition{From: s, Label: labels.At(index), To: targets[index]}
}

// Best returns the member whose states have the smallest total weight or, if most is true, the
// largest. If there are several, it returns the first in the order of [Family.Each]. Each state
// that a transition of the member leaves counts once, so a deadlock does not count. weight must
// always return the same for a state. Cost O(N) time for a family of size N, times the largest
// number of steps that the members whose loops begin at one node avoid. It fails if ctx is done.
func (f *Family) Best(
	ctx context.Context,
	weight func(lts.State) int,
	most bool,
) (best *Trace, err error) {
	defer abort.Caught(&err)
	minimised := weight
	if most {
		minimised = func(s lts.State) int { return -weight(s) }
	}
	var lightest *walk
	least := heavy
	for _, part := range f.parts {
		weights := part.weigh(ctx, minimised)
		leastOfPart := weights.stems[part.stems.root()]
		if lightest == nil || leastOfPart < least {
			lightest = &walk{
				members: part,
				ctx:     ctx,
				weights: weights,
				byEnds:  f.byEnds,
			}
			least = leastOfPart
		}
	}
	if f.byEnds {
		lightest.end = lightest.lightestEnd()
	}
	return lightest.next()
}

// weights are the least weights of the paths from each node to the end of a member.
type weights struct {
	weight func(lts.State) int
	// stems[node] is the least weight of a path from a node of the stems to the end of a member.
	stems []int
	// cycles[i][node*k+step] is the least weight of a path that avoids the step, from a node of
	// cycles i to their end; heavy if there is no such path. k is the number of steps that loops of
	// cycles i avoid.
	cycles [][]int
}

// heavy is the weight of a path that does not exist.
const heavy = math.MaxInt

// weigh finds the least weights, backwards from the ends of members: first those of the cycles, and
// then those of the stems, whose nodes are numbered from the end.
func (f *members) weigh(ctx context.Context, weight func(lts.State) int) *weights {
	w := &weights{weight: weight}
	w.stems = abort.Must(resources.Make[int](ctx, len(f.stems.states)))
	for _, c := range f.cycles {
		w.cycles = append(w.cycles, c.weigh(ctx, weight))
	}
	for node, s := range f.stems.states {
		abort.IfDone(ctx, node)
		moves := f.stems.from(uint32(node))
		begin := f.stems.begins[node]
		least := heavy
		if begin != noCycles {
			least = f.leastOfCycles(w, node)
		}
		for _, mv := range moves {
			least = min(least, weight(s)+w.stems[mv.to])
		}
		isEnd := len(moves) == 0 && begin == noCycles
		if isEnd {
			least = 0
		}
		w.stems[node] = least
	}
	return w
}

// leastOfCycles returns the least weight of the cycles that begin in a node of the stems and avoid a step
// which is not done yet.
func (f *members) leastOfCycles(w *weights, node int) int {
	begin := f.stems.begins[node]
	least := heavy
	for k, m := range f.cycles[begin].steps {
		isNotDone := m >= f.stems.progress[node]
		if isNotDone {
			least = min(least, w.cycles[begin][k])
		}
	}
	return least
}

// weigh returns the least weights for [weights.cycles].
func (c *cycles) weigh(ctx context.Context, weightOf func(lts.State) int) []int {
	k := len(c.steps)
	least := abort.Must(resources.Make[int](ctx, k*len(c.states)))
	last := len(c.states) - 1
	for i := range k * last {
		least[i] = heavy
	}
	for node := last - 1; node >= 0; node-- {
		abort.IfDone(ctx, node)
		weight := weightOf(c.states[node])
		for i := c.first[node]; i < c.first[node+1]; i++ {
			avoided := c.avoidedBy(i)
			to := int(c.moves[i].to)
			for step := range k {
				if avoided.Has(step) {
					least[node*k+step] = min(least[node*k+step], weight+least[to*k+step])
				}
			}
		}
	}
	return least
}

// Count returns the exact number of members. It fails if ctx is done.
//
// It adds up the paths through a layered graph from one end to the other. A cycle that avoids
// several steps must count once. So if members avoid different steps, Count has a number of paths
// for each node of the cycles and each set of steps avoided so far. These sets have only steps that
// some cycle through the node avoids up to its end.
//
// Cost O(N) additions of numbers with O(Len) bits for a family of size N, if the members whose
// loops begin at one node avoid one step, and at most 2^k times that if they avoid k different
// ones. There is hardly a better algorithm, because counting is #P-complete: take the terms of a
// formula in disjunctive normal form as steps, and the assignments to its variables as cycles; then
// the members are the assignments that satisfy the formula. The costs of Each, Transitions and Best
// do not depend on k in this way.
func (f *Family) Count(ctx context.Context) (number *big.Int, err error) {
	defer abort.Caught(&err)
	sum := new(big.Int)
	for _, part := range f.parts {
		sum.Add(sum, part.count(ctx))
	}
	return sum, nil
}

// count returns the number of members, see [Family.Count].
func (f *members) count(ctx context.Context) *big.Int {
	loops := make([][]*big.Int, len(f.cycles))
	for i, c := range f.cycles {
		loops[i] = c.count(ctx)
	}
	// number[i] is the number of paths from node first+i of the stems to the end of a member. It
	// has only the nodes of the layer that was counted last.
	var number []big.Int
	first := 0
	for i, begin := range f.stems.layer {
		end := len(f.stems.states)
		if i+1 < len(f.stems.layer) {
			end = f.stems.layer[i+1]
		}
		const each = 32 + 24 // bytes of a number and of its digits, usually one
		abort.On(resources.Ask(ctx, each*int64(end-begin)))
		numberBefore := make([]big.Int, end-begin)
		for node := begin; node < end; node++ {
			abort.IfDone(ctx, node)
			sum := &numberBefore[node-begin]
			moves := f.stems.from(uint32(node))
			for _, mv := range moves {
				sum.Add(sum, &number[int(mv.to)-first])
			}
			switch cycles := f.stems.begins[node]; {
			case cycles != noCycles:
				f.addLoops(sum, node, loops[cycles])
			case len(moves) == 0:
				sum.SetUint64(1)
			}
		}
		number = numberBefore
		first = begin
	}
	return &number[0]
}

// addLoops adds the numbers of the loops that can begin at a node of the stems: loops has, for each step that
// the cycles there avoid, the number of cycles.
func (f *members) addLoops(sum *big.Int, node int, loops []*big.Int) {
	for k, m := range f.cycles[f.stems.begins[node]].steps {
		mayAvoid := m >= f.stems.progress[node]
		if mayAvoid {
			sum.Add(sum, loops[k])
		}
	}
}

// tally is the number of paths to a node that have avoided exactly the steps in avoided.
type tally struct {
	avoided bitset.Set[int]
	number  big.Int
}

// tallies are the tallies of one node. The keys are the bytes of the sets of avoided steps.
type tallies map[string]*tally

// add adds a number of paths that have avoided exactly the steps in avoided.
func (t tallies) add(avoided bitset.Set[int], number *big.Int) {
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

// count returns, for each of the steps, the number of cycles that avoid this step and no larger
// one: a loop whose stem has progress j violates the property iff the largest step that it avoids
// is at least j.
func (c *cycles) count(ctx context.Context) []*big.Int {
	tallied := make([]tallies, len(c.states)) // by node
	begin := tally{avoided: c.open(0)}
	begin.number.SetUint64(1)
	tallied[0] = tallies{"": &begin}
	work := 0
	for node := range len(tallied) - 1 {
		for i := c.first[node]; i < c.first[node+1]; i++ {
			to := c.moves[i].to
			if tallied[to] == nil {
				tallied[to] = make(tallies)
			}
			for _, paths := range tallied[node] {
				work++
				abort.IfDone(ctx, work)
				avoided := paths.avoided.And(c.avoidedBy(i))
				if avoided.Empty() {
					continue // these paths lead to no counterexample
				}
				tallied[to].add(avoided, &paths.number)
			}
		}
		tallied[node] = nil
	}
	byLargest := make([]*big.Int, len(c.steps))
	for k := range byLargest {
		byLargest[k] = new(big.Int)
	}
	for _, paths := range tallied[len(tallied)-1] {
		number := byLargest[paths.avoided.Largest()]
		number.Add(number, &paths.number)
	}
	return byLargest
}

// cycles are all cycles of one length through one state that avoid at least one of some steps of
// the property. The first node is this state at the beginning of a cycle, the last node the same
// state at the end; moves lead to larger numbers.
type cycles struct {
	layers
	// steps are the numbers m, ascending, for which some cycle avoids step m+1. Sets of steps
	// contain indices of this slice.
	steps []uint16
	// avoided has the set of each move, one after the other. A set has the steps that some cycle
	// through the move avoids.
	avoided []uint64
}

// avoidedBy returns the steps that some cycle through a move avoids.
func (c *cycles) avoidedBy(mv int) bitset.Set[int] {
	words := bitset.Words(len(c.steps))
	return c.avoided[mv*words : (mv+1)*words]
}

// open returns the steps that a loop may avoid if its stem has the given progress.
func (c *cycles) open(progress uint16) bitset.Set[int] {
	steps := bitset.New[int](len(c.steps))
	for k, m := range c.steps {
		if m >= progress {
			steps.Add(k)
		}
	}
	return steps
}

// layers is a layered graph: a node is a state at a certain distance from the beginning, and all
// paths between two nodes have the same length. Nodes are numbered layer by layer, either from the
// first layer or from the last.
type layers struct {
	states []lts.State
	// The moves of node i are moves[first[i]:first[i+1]], by ascending index.
	first []int
	moves []move
}

// move is a transition between nodes.
type move struct {
	// index is the index of the transition among those from its source. Duplicates have the index
	// of the first duplicate.
	index uint32
	to    uint32
}

// from returns the moves of a node.
func (g *layers) from(node uint32) []move {
	return g.moves[g.first[node]:g.first[node+1]]
}

// reserve makes room for one more node with the given number of moves. It asks for memory as
// [resources.Grow] does.
func (g *layers) reserve(ctx context.Context, moves int) {
	g.states = abort.Must(resources.Grow(ctx, g.states, 1))
	g.moves = abort.Must(resources.Grow(ctx, g.moves, moves))
	g.first = abort.Must(resources.Grow(ctx, g.first, 2))
}

// add adds a node with the given moves, and returns its number.
func (g *layers) add(state lts.State, moves []move) uint32 {
	if len(g.first) == 0 {
		g.first = append(g.first, 0)
	}
	g.states = append(g.states, state)
	g.moves = append(g.moves, moves...)
	g.first = append(g.first, len(g.moves))
	return uint32(len(g.states) - 1)
}

// appendTo appends the transitions of all moves, each in one word: the source, then the index.
func (g *layers) appendTo(all []uint64) []uint64 {
	for node, s := range g.states {
		for _, mv := range g.from(uint32(node)) {
			all = append(all, uint64(s)<<32|uint64(mv.index))
		}
	}
	return all
}

// indexed returns the position in moves of the move with the given index; false if there is none.
// The moves must ascend.
func indexed(moves []move, index uint32) (int, bool) {
	return slices.BinarySearchFunc(moves, index, func(mv move, index uint32) int {
		return cmp.Compare(mv.index, index)
	})
}

// clip removes spare memory from the graph.
func (g *layers) clip() layers {
	return layers{
		states: slices.Clone(g.states),
		first:  slices.Clone(g.first),
		moves:  slices.Clone(g.moves),
	}
}

// distinct returns the moves from state s in ascending order of the index, without moves whose
// transition duplicates an earlier one. It changes the slice. Cost O(d log d) for d moves.
func distinct(m *lts.LTS, s lts.State, moves []move) []move {
	if len(moves) < 2 {
		return moves
	}
	labels, targets := m.Out(s)
	compare := func(x, y move) int {
		return cmp.Or(
			cmp.Compare(targets[x.index], targets[y.index]),
			cmp.Compare(labels.At(int(x.index)), labels.At(int(y.index))),
		)
	}
	slices.SortStableFunc(moves, compare)
	moves = slices.CompactFunc(moves, func(x, y move) bool {
		return compare(x, y) == 0
	})
	slices.SortFunc(moves, func(x, y move) int {
		return cmp.Compare(x.index, y.index)
	})
	return moves
}

// Each yields all members, always in the same order: lexicographic, where transitions from a state
// are ordered as in the model. If the property is a chain, runs into deadlocks and lassos are mixed.
// Otherwise the members with the same end, or the same beginning of the loop, come together.
// The order does not depend on how the members were found. If ctx is done, it yields an error instead
// of the next member, and ends.
//
// Cost: it makes members one by one, and follows only paths that are parts of members. Let L be the
// length of a member, d the largest out-degree, and l the number of nodes where a loop may have begun,
// given the run so far: seldom more than one or two, and at most L. A member takes O(L d l) time, up to
// a logarithm. Memory is O(L), and O(d l) for each state of a member where other members branch off.
// If the property is no chain, each end and each beginning of a loop costs O(size of the stems), too.
func (f *Family) Each(ctx context.Context) iter.Seq2[*Trace, error] {
	return func(yield func(*Trace, error) bool) {
		for _, part := range f.parts {
			ends := []uint32{0}
			if f.byEnds {
				ends = part.stems.ends()
			}
			for _, end := range ends {
				w := &walk{
					members: part,
					ctx:     ctx,
					byEnds:  f.byEnds,
					end:     end,
				}
				if !w.yieldAll(yield) {
					return
				}
			}
		}
	}
}

// yieldAll yields the members of the walk. After an error it yields nothing more. It reports
// whether yield asks for more.
func (w *walk) yieldAll(yield func(*Trace, error) bool) bool {
	for {
		t, err := w.next()
		if t == nil && err == nil {
			return true
		}
		if !yield(t, err) || err != nil {
			return false
		}
	}
}

// offStems is the stem of a position that is on no stem.
const offStems = -1

// position is where a run is: at a node of the stems, on cycles that have begun already, or both,
// because only the continuation of the run decides between them. It is empty if no member begins
// with the transitions of the run.
type position struct {
	stem       int
	laps       []lap
	weightLeft int // the weight of the transitions that the run still needs; 0 unless only the lightest members are wanted
}

// lap is a cycle that contains the present position of a run.
type lap struct {
	cycles int // the index of the cycles
	node   uint32
	start  int             // number of transitions before the loop
	open   bitset.Set[int] // the steps that the loop may avoid as a whole, given its transitions so far
}

// walk visits members in order, depth first. It has its own stack, since members can be long.
type walk struct {
	*members
	ctx     context.Context
	weights *weights // set if only the lightest members are wanted; otherwise nil
	// byEnds reports whether only some members are wanted: those that end at the node end, or whose
	// loops begin there. leadsToEnd then has the nodes of the stems that lead to this node, on lightest
	// paths if there are weights.
	byEnds     bool
	end        uint32
	leadsToEnd bitset.Set[uint32]
	started    bool
	at         fork
	// stack has the earlier forks that have transitions still to be taken.
	stack []fork
	steps []lts.Transition // the transitions that lead to at
	work  int
}

// fork is a position with the indices of the transitions that are still to be taken from there.
type fork struct {
	position
	state   lts.State
	indices []uint32
	depth   int // the number of transitions that lead to the position
}

// next returns the next member; nil if there is none.
func (w *walk) next() (t *Trace, err error) {
	defer abort.Caught(&err)
	if !w.started {
		w.begin()
	} else if !w.goBack() {
		return nil, nil
	}
	for len(w.steps) < w.length {
		w.work++
		abort.IfDone(w.ctx, w.work)
		if len(w.at.indices) == 0 {
			if !w.goBack() {
				return nil, nil
			}
			continue
		}
		w.forward()
	}
	return w.member()
}

// forward takes the next transition. If it leads to no wanted member, the position becomes empty.
func (w *walk) forward() {
	index := w.at.indices[0]
	later := w.at.indices[1:]
	if len(later) > 0 {
		w.stack = append(abort.Must(resources.Grow(w.ctx, w.stack, 1)), w.at)
		w.stack[len(w.stack)-1].indices = later
		w.at.indices = nil // the fork on the stack uses its memory now
	}
	to := w.follow(&w.at, index)
	leadsToMember := to.stem != offStems || len(to.laps) > 0
	if leadsToMember {
		w.steps = append(w.steps, transition(w.m, w.at.state, int(index)))
	}
	w.enter(to)
}

// member returns the member that ends at the position of the walk.
func (w *walk) member() (*Trace, error) {
	loopStart := noLoop
	if w.at.stem == offStems {
		loopStart = w.at.laps[0].start
	}
	steps := abort.Must(resources.Make[lts.Transition](w.ctx, len(w.steps)))
	abort.On(resources.AskFor[property.Q](w.ctx, len(w.steps)+1))
	copy(steps, w.steps)
	if w.prefix {
		return NewStem(w.m, w.p, steps, Prefix)
	}
	t, err := NewViolating(w.m, w.p, steps, loopStart)
	if err != nil {
		err = fmt.Errorf("counterexample: a listed run is not a counterexample, please report it: %w", err)
	}
	return t, err
}

// begin enters the position where all members begin.
func (w *walk) begin() {
	w.started = true
	if w.byEnds {
		w.findLeads()
	}
	w.steps = abort.Must(resources.Grow(w.ctx, w.steps, w.length))
	root := w.stems.root()
	start := position{stem: offStems}
	if w.weights != nil {
		start.weightLeft = w.weights.stems[root]
	}
	w.arrive(&start, root, 0)
	w.enter(start)
}

// findLeads finds the nodes of stems from which wanted moves lead to the end.
func (w *walk) findLeads() {
	g := &w.stems
	abort.On(resources.Ask(w.ctx, int64(len(g.states))/8))
	w.leadsToEnd = bitset.New[uint32](len(g.states))
	w.leadsToEnd.Add(w.end)
	for node := w.end + 1; int(node) < len(g.states); node++ {
		abort.IfDone(w.ctx, node)
		for _, mv := range g.from(node) {
			isWanted := w.weights == nil || w.isOnLightestPath(node, mv)
			if w.leadsToEnd.Has(mv.to) && isWanted {
				w.leadsToEnd.Add(node)
				break
			}
		}
	}
}

// enter sets the position.
func (w *walk) enter(p position) {
	f := fork{position: p, indices: w.at.indices[:0], depth: len(w.steps)}
	if p.stem != offStems {
		f.state = w.stems.states[p.stem]
		for _, mv := range w.stems.from(uint32(p.stem)) {
			f.indices = append(f.indices, mv.index)
		}
	}
	for _, l := range p.laps {
		c := w.cycles[l.cycles]
		f.state = c.states[l.node]
		for i := c.first[l.node]; i < c.first[l.node+1]; i++ {
			if l.open.Meets(c.avoidedBy(i)) {
				f.indices = append(f.indices, c.moves[i].index)
			}
		}
	}
	slices.Sort(f.indices)
	f.indices = slices.Compact(f.indices)
	w.at = f
}

// goBack returns to the last fork that has transitions still to be taken, and reports whether there
// is one.
func (w *walk) goBack() bool {
	last := len(w.stack) - 1
	if last < 0 {
		return false
	}
	w.at = w.stack[last]
	w.stack = w.stack[:last]
	w.steps = w.steps[:w.at.depth]
	return true
}

// follow returns the position after a transition from a fork.
func (w *walk) follow(from *fork, index uint32) position {
	to := position{stem: offStems}
	if w.weights != nil {
		to.weightLeft = from.weightLeft - w.weights.weight(from.state)
	}
	for _, l := range from.laps {
		c := w.cycles[l.cycles]
		i, found := indexed(c.from(l.node), index)
		if found {
			i += c.first[l.node]
			l.node = c.moves[i].to
			l.open = l.open.And(c.avoidedBy(i))
			w.add(&to, l)
		}
	}
	if from.stem != offStems {
		moves := w.stems.from(uint32(from.stem))
		i, found := indexed(moves, index)
		if found {
			w.arrive(&to, moves[i].to, len(w.steps)+1)
		}
	}
	return to
}

// arrive adds a node of the stems to a position, and the cycles that begin at this node. The run
// reaches the node by depth transitions.
func (w *walk) arrive(p *position, node uint32, depth int) {
	isTooHeavy := w.weights != nil && w.weights.stems[node] != p.weightLeft
	leadsElsewhere := w.leadsToEnd != nil && !w.leadsToEnd.Has(node)
	if isTooHeavy || leadsElsewhere {
		return
	}
	p.stem = int(node)
	begin := w.stems.begins[node]
	isWantedEnd := w.leadsToEnd == nil || node == w.end
	if begin != noCycles && isWantedEnd {
		w.add(p, lap{
			cycles: begin,
			start:  depth,
			open:   w.cycles[begin].open(w.stems.progress[node]),
		})
	}
}

// add adds a lap to a position, if a wanted member continues it.
func (w *walk) add(p *position, l lap) {
	if w.weights != nil {
		// Remove the steps that no loop of this weight avoids.
		k := len(w.cycles[l.cycles].steps)
		for step := range k {
			if w.weights.cycles[l.cycles][int(l.node)*k+step] != p.weightLeft {
				l.open.Remove(step)
			}
		}
	}
	if !l.open.Empty() {
		p.laps = append(p.laps, l)
	}
}

// noCycles marks a node of the stems where no loop begins.
const noCycles = -1

// stems are the paths from the initial state to where members end, and to the states where their
// loops begin. Nodes are numbered backwards: moves lead to smaller numbers, and the last node is
// the initial state.
type stems struct {
	layers
	progress []uint16
	// begins[i] is the index of the cycles that begin at node i, or noCycles.
	begins []int
	// layer has the first node of each layer.
	layer []int
}

func (g *stems) root() uint32 { return uint32(len(g.states) - 1) }

// explored are product states in the order of their distances from the initial one.
type explored interface {
	// at returns a product state: its state in the model, its distance and progress.
	at(i uint32) (s lts.State, distance int, progress uint16)
	// ends reports whether some members of the family end in a product state.
	ends(i uint32) bool
	// moves appends the moves from a product state to product states that are one transition
	// farther away and have a node. number has, for each product state, one more than the number of
	// its node, or 0 if it has none.
	moves(i uint32, number []uint32, moves []move) []move
}

// newStems returns the graph of the first n product states. It leaves out product states that lead
// neither to an end nor to the beginning of a loop. begins has the index of the cycles for each
// product state where a loop begins. newStems fails if ctx is done.
func newStems(ctx context.Context, x explored, n int, begins map[uint32]int) (g stems) {
	number := abort.Must(resources.Make[uint32](ctx, n))
	var moves []move
	lastDistance := -1
	for i := n - 1; i >= 0; i-- {
		abort.IfDone(ctx, i)
		cycles, beginsLoop := begins[uint32(i)]
		if !beginsLoop {
			cycles = noCycles
		}
		moves = x.moves(uint32(i), number, moves[:0])
		leadsNowhere := len(moves) == 0 && !beginsLoop && !x.ends(uint32(i))
		if leadsNowhere {
			continue
		}
		// Each list asks for its memory and allocates it before the next list asks. A list with
		// spare memory does not ask.
		g.reserve(ctx, len(moves))
		g.progress = abort.Must(resources.Grow(ctx, g.progress, 1))
		g.begins = abort.Must(resources.Grow(ctx, g.begins, 1))
		state, distance, progress := x.at(uint32(i))
		if distance != lastDistance {
			g.layer = append(g.layer, len(g.states))
			lastDistance = distance
		}
		number[i] = 1 + g.add(state, moves)
		g.progress = append(g.progress, progress)
		g.begins = append(g.begins, cycles)
	}
	return g
}

// ends returns the nodes where members end, followed by the nodes where loops of members begin.
// Each of the two groups is sorted by distance, the nearest first.
func (g *stems) ends() []uint32 {
	var ends, begins []uint32
	for distance := range g.states {
		node := g.root() - uint32(distance) // nodes are numbered backwards
		if g.begins[node] != noCycles {
			begins = append(begins, node)
		} else if len(g.from(node)) == 0 {
			ends = append(ends, node)
		}
	}
	return append(ends, begins...)
}

// lightestEnd returns the first node of [stems.ends] where a lightest member ends, or where the
// loop of a lightest member begins.
func (w *walk) lightestEnd() uint32 {
	g := &w.stems
	light := bitset.New[uint32](len(g.states)) // the nodes on paths of the lightest members
	light.Add(g.root())
	for node := g.root(); node > 0; node-- {
		for _, mv := range g.from(node) {
			if light.Has(node) && w.isOnLightestPath(node, mv) {
				light.Add(mv.to)
			}
		}
	}
	for _, node := range g.ends() {
		if !light.Has(node) {
			continue
		}
		begin := g.begins[node]
		if begin == noCycles || w.weights.cycles[begin][0] == w.weights.stems[node] {
			return node
		}
	}
	return g.root()
}

// isOnLightestPath reports whether a move lies on a lightest path from a node of the stems.
func (w *walk) isOnLightestPath(node uint32, mv move) bool {
	weight := w.weights.weight(w.stems.states[node])
	return weight+w.weights.stems[mv.to] == w.weights.stems[node]
}
