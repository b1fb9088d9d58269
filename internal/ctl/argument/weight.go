package argument

import (
	"container/heap"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/lts"
)

// unknown is the weight of a claim that is not true, or whose weight is unknown.
const unknown = math.MaxUint32

// cycleWork bounds the number of transitions that are visited to find the smallest loops of a claim.
// When it is used up, further states get no loops.
const cycleWork = 3_000_000

// weighing has, for each state, the number of transitions on the runs of the smallest argument for a
// claim, and how these runs continue. Claims that are proved by sets have weight 0.
type weighing struct {
	weights []uint32
	// next is the index of the transition by which a run continues, among the transitions of the
	// state; stop if the run ends there.
	next []int32
	// loop is the weight of the smallest loop through a state, if the run begins to repeat a loop
	// there.
	loop  map[lts.State]uint32
	exact bool
}

const stop = -1

// weigh returns the weights of a claim in all states of the case.
func (x *Case) weigh(c claim) *weighing {
	known := x.weights[c]
	if known != nil {
		return known
	}
	abort.On(x.ctx.Err())
	w := &weighing{weights: make([]uint32, x.m.NumStates()), exact: true}
	x.weights[c] = w
	p := x.proofOf(c)
	var left, right *weighing
	switch p.shape {
	case byBothOperands, byOneOperand, byFiniteRun, byEndlessRun:
		left = x.weigh(p.left)
		right = x.weigh(p.right)
		w.exact = left.exact && right.exact
	case byNegation, byOneStep:
		right = x.weigh(p.right)
		w.exact = right.exact
	}
	switch p.shape {
	case byFairRun:
		x.weighFairRuns(c, w)
		return w
	case byFiniteRun, byEndlessRun:
		x.weighRuns(c, w, p.shape, left, right)
		return w
	}
	for _, s := range x.states {
		if !x.isTrueAndAdmitted(c, s) {
			w.weights[s] = unknown
			continue
		}
		switch p.shape {
		case byNegation:
			w.weights[s] = right.weights[s]
		case byBothOperands:
			w.weights[s] = sum(left.weights[s], right.weights[s])
		case byOneOperand:
			w.weights[s] = min(left.weights[s], right.weights[s])
		case byOneStep:
			w.weights[s] = x.leastStepWeight(c, s, right)
		}
	}
	return w
}

// weighFairRuns weighs a claim about fair runs. A weight is the number of transitions to a state in which
// a run can stay, or end; it does not count the claims on the way.
func (x *Case) weighFairRuns(c claim, w *weighing) {
	w.exact = false
	for _, s := range x.states {
		w.weights[s] = unknown
	}
	for distance, rank := range x.fair.Runs(c.f).Ranks {
		for _, s := range rank {
			w.weights[s] = uint32(distance)
		}
	}
}

// leastStepWeight returns the weight of the best transition for a claim about the next state, given the
// weights of the claim about the operand.
func (x *Case) leastStepWeight(c claim, s lts.State, operand *weighing) uint32 {
	least := uint32(unknown)
	for l, t := range x.m.From(s) {
		if x.matches(x.closure.Nodes[c.f].Labels, l) && x.isAdmitted(t) {
			least = min(least, sum(1, operand.weights[t]))
		}
	}
	return least
}

// sum returns the sum of weights; unknown if one of them is unknown.
func sum(weights ...uint32) uint32 {
	total := uint64(0)
	for _, w := range weights {
		if w == unknown {
			return unknown
		}
		total += uint64(w)
	}
	return uint32(min(total, unknown-1))
}

// runs has the weights of the steps of runs for a claim: of ending in a state, and of continuing from
// it.
type runs struct {
	*Case
	node  syntax.Node
	shape shape
	claim claim
	left  *weighing // the weights of the claim about the states on the way
	right *weighing
}

// endWeight returns the weight of ending a run in a state, and the index of the last transition. The index is
// stop if the state itself ends the run.
func (r *runs) endWeight(s lts.State) (weight uint32, last int32) {
	hasLast := r.node.Last != syntax.NoLast
	switch {
	case r.shape == byFiniteRun && hasLast:
		return r.lastStepWeight(s)
	case r.shape == byFiniteRun:
		return r.right.weights[s], stop
	}
	weight = r.stayWeight(s)
	last = stop
	if hasLast && r.mayEnd(s) {
		return weight, last
	}
	// A run also ends with a transition that the formula does not allow.
	labels, targets := r.m.Out(s)
	for i, t := range targets {
		if r.matches(r.node.Labels, labels.At(i)) || !r.isAdmitted(t) {
			continue
		}
		w := sum(1, r.passWeight(s), r.notLastWeight(labels.At(i), t))
		if w < weight {
			weight = w
			last = int32(i)
		}
	}
	return weight, last
}

// lastStepWeight returns the weight of reaching the goal by a last transition from a state, and the index
// of the best one.
func (r *runs) lastStepWeight(s lts.State) (weight uint32, last int32) {
	weight = unknown
	last = stop
	labels, targets := r.m.Out(s)
	for i, t := range targets {
		w := sum(1, r.left.weights[s], r.right.weights[t])
		if r.matches(r.node.Last, labels.At(i)) && w < weight {
			weight = w
			last = int32(i)
		}
	}
	return weight, last
}

// stayWeight returns the weight of showing that a run which never reaches the goal is decided in a state,
// without another transition.
func (r *runs) stayWeight(s lts.State) uint32 {
	hasLast := r.node.Last != syntax.NoLast
	switch {
	case hasLast && r.mayEnd(s):
		return 0
	case hasLast:
		return r.left.weights[s]
	case r.mayEnd(s):
		return r.right.weights[s]
	}
	return sum(r.left.weights[s], r.right.weights[s])
}

// passWeight returns the weight of the claims about a state that a run continues from.
func (r *runs) passWeight(s lts.State) uint32 {
	switch {
	case r.shape == byFiniteRun:
		return r.left.weights[s]
	case r.node.Last != syntax.NoLast:
		return 0
	}
	return r.right.weights[s]
}

// notLastWeight returns the weight of showing that a transition is not a last one.
func (r *runs) notLastWeight(label lts.Label, t lts.State) uint32 {
	if r.node.Last == syntax.NoLast || !r.matches(r.node.Last, label) {
		return 0
	}
	return r.right.weights[t]
}

// stepWeight returns the weight of taking a transition; rest is the weight from its target on.
func (r *runs) stepWeight(s lts.State, label lts.Label, t lts.State, rest uint32) uint32 {
	if !r.matches(r.node.Labels, label) || rest == unknown {
		return unknown
	}
	w := sum(1, r.passWeight(s), rest)
	if r.shape == byEndlessRun {
		w = sum(w, r.notLastWeight(label, t))
	}
	return w
}

// weighRuns finds the smallest runs from all states. It searches backwards by Dijkstra's algorithm,
// from the states where runs end or begin to repeat a loop. Cost O((S + T) log S), and for loops
// that of [runs.weighLoops].
func (x *Case) weighRuns(c claim, w *weighing, how shape, left, right *weighing) {
	r := &runs{
		Case:  x,
		node:  x.closure.Nodes[c.f],
		shape: how,
		claim: c,
		left:  left,
		right: right,
	}
	w.next = make([]int32, x.m.NumStates())
	for _, s := range x.states {
		w.weights[s] = unknown
		w.next[s] = stop
		if x.isTrueAndAdmitted(c, s) {
			w.weights[s], w.next[s] = r.endWeight(s)
		}
	}
	if how == byEndlessRun {
		r.weighLoops(w)
	}
	q := &levels{}
	for _, s := range x.states {
		if w.weights[s] != unknown {
			q.push(s, w.weights[s])
		}
	}
	for {
		weight, states := q.pop()
		if len(states) == 0 {
			return
		}
		abort.On(x.ctx.Err())
		for _, s := range states {
			if weight == w.weights[s] {
				r.relax(s, w, q)
			}
		}
	}
}

// relax lets the runs from the predecessors of a state continue to it where that makes them smaller.
func (r *runs) relax(to lts.State, w *weighing, q *levels) {
	for l, s := range r.m.Predecessors().Into(to) {
		if !r.reachable.Has(s) || !r.isTrueAndAdmitted(r.claim, s) {
			continue
		}
		weight := r.stepWeight(s, l, to, w.weights[to])
		if weight < w.weights[s] {
			w.weights[s] = weight
			w.next[s] = r.indexOf(s, l, to)
			delete(w.loop, s)
			q.push(s, weight)
		}
	}
}

// indexOf returns the index of a transition among the transitions of its source.
func (r *runs) indexOf(s lts.State, label lts.Label, t lts.State) int32 {
	labels, targets := r.m.Out(s)
	for i := range targets {
		if labels.At(i) == label && targets[i] == t {
			return int32(i)
		}
	}
	return stop
}

// weighLoops sets the weight of the smallest loop through a state, if it is less than the weight of ending
// there. It does so for one state of each component in which runs can stay forever, and for other
// states as long as cycleWork allows.
func (r *runs) weighLoops(w *weighing) {
	w.loop = map[lts.State]uint32{}
	var region []lts.State
	for _, s := range r.states {
		if r.isTrueAndAdmitted(r.claim, s) && r.passWeight(s) != unknown {
			region = append(region, s)
		}
	}
	shows := func(s lts.State, l lts.Label, t lts.State) bool {
		return r.stepWeight(s, l, t, 0) != unknown
	}
	work := 0
	for states := range abort.Must(r.parts.Components(region, shows)) {
		r.parts.Enter(states)
		for i, s := range states {
			if i > 0 && work > cycleWork {
				w.exact = false
				break
			}
			most := uint32(unknown)
			if i > 0 {
				most = r.weightWithoutLoop(w, s)
			}
			loop := r.smallestLoop(s, most)
			work += loop.visited
			abort.On(r.ctx.Err())
			if loop.weight == unknown && i == 0 {
				break // a component of one state
			}
			if loop.weight < w.weights[s] {
				w.weights[s] = loop.weight
				w.next[s] = stop
				w.loop[s] = loop.weight
			}
		}
	}
}

// weightWithoutLoop returns the smallest known weight of a run that ends in a state, or that continues to
// another state of the component. A heavier loop through the state is useless.
func (r *runs) weightWithoutLoop(w *weighing, s lts.State) uint32 {
	least := w.weights[s]
	for l, t := range r.m.From(s) {
		if r.parts.Has(t) {
			least = min(least, r.stepWeight(s, l, t, w.weights[t]))
		}
	}
	return least
}

// cycleSearch has the tables of [runs.smallestLoop], by state.
type cycleSearch struct {
	best []uint32    // the weight from the start; unknown for states that were not searched
	from []lts.State // the state before
	by   []int32     // the index of the transition from the state before
	// closing is the weight of the last transition of a loop, from a state to the start; unknown if
	// there is no such transition.
	closing []uint32
	seen    []lts.State // the states with an entry in a table
	q       queue
}

// add adds a state, or improves it.
func (c *cycleSearch) add(s lts.State, weight uint32) {
	c.seen = append(c.seen, s)
	c.best[s] = weight
	c.q.push(waiting{s, weight})
}

// smallLoop is what [runs.smallestLoop] found.
type smallLoop struct {
	weight  uint32    // unknown if it would exceed the given bound
	last    lts.State // the last state of the loop
	visited int       // the number of transitions that the search visited
}

// smallestLoop returns the smallest loop through a state in the component that was entered, if its weight does not
// exceed most. Cost: Dijkstra's algorithm in the component, as far as a smaller loop is possible.
func (r *runs) smallestLoop(start lts.State, most uint32) smallLoop {
	c := r.emptyCycleSearch()
	labels, sources := r.m.Predecessors().In(start)
	for i, s := range sources {
		if r.parts.Has(s) {
			c.closing[s] = min(c.closing[s], r.stepWeight(s, labels.At(i), start, 0))
			c.seen = append(c.seen, s)
		}
	}
	c.add(start, 0)
	found := smallLoop{weight: unknown, visited: len(sources)}
	bound := sum(most, 1) // loops of this weight are useless
	for len(c.q) > 0 {
		nearest := c.q.pop()
		// A loop through the state has at least one more step, of weight 1 or more.
		isUseless := nearest.weight > c.best[nearest.state] || nearest.weight+1 >= bound
		if isUseless {
			continue
		}
		// Closing the loop here may lower the bound, so that fewer states are queued.
		closed := sum(nearest.weight, c.closing[nearest.state])
		if closed < bound {
			bound = closed
			found.weight = closed
			found.last = nearest.state
		}
		// Unless it closes here, the loop has at least two more steps.
		if nearest.weight+2 < bound {
			found.visited += r.extendLoop(c, nearest, start, bound)
		}
	}
	return found
}

// extendLoop improves the weights of the states to which transitions lead from a state of the component, as far as they can
// be on a loop through start that is lighter than bound. It returns the number of transitions visited, plus 1.
func (r *runs) extendLoop(c *cycleSearch, last waiting, start lts.State, bound uint32) (visited int) {
	labels, targets := r.m.Out(last.state)
	for i, t := range targets {
		canImprove := t != start && c.best[t] > last.weight && r.parts.Has(t)
		if !canImprove {
			continue
		}
		weight := r.stepWeight(last.state, labels.At(i), t, last.weight)
		if weight < c.best[t] && weight+1 < bound {
			c.add(t, weight)
			c.from[t] = last.state
			c.by[t] = int32(i)
		}
	}
	return len(targets) + 1
}

// emptyCycleSearch returns the tables for a search. They are made for the first search, and emptied for
// the others.
func (r *runs) emptyCycleSearch() *cycleSearch {
	if r.cycles == nil {
		n := r.m.NumStates()
		nowhere := slices.Repeat([]uint32{unknown}, n)
		r.cycles = &cycleSearch{
			best:    nowhere,
			from:    make([]lts.State, n),
			by:      make([]int32, n),
			closing: slices.Clone(nowhere),
		}
		return r.cycles
	}
	c := r.cycles
	for _, s := range c.seen {
		c.best[s] = unknown
		c.closing[s] = unknown
	}
	c.seen = c.seen[:0]
	c.q = c.q[:0]
	return c
}

// loopThrough returns the transitions of the smallest loop through a state in the component that was entered.
// Cost as for [runs.smallestLoop].
func (r *runs) loopThrough(start lts.State) []lts.Transition {
	last := r.smallestLoop(start, unknown).last
	c := r.cycles
	labels, targets := r.m.Out(last)
	var path []lts.Transition
	for i, t := range targets {
		if t == start && r.stepWeight(last, labels.At(i), t, 0) == c.closing[last] {
			path = append(path, lts.Transition{
				From:  last,
				Label: labels.At(i),
				To:    t,
			})
			break
		}
	}
	for s := last; s != start; s = c.from[s] {
		labels, _ := r.m.Out(c.from[s])
		path = append(path, lts.Transition{
			From:  c.from[s],
			Label: labels.At(int(c.by[s])),
			To:    s,
		})
	}
	slices.Reverse(path)
	return path
}

// levels is a queue of states that leave it by ascending weight, and by number among states of the
// same weight. A state that leaves it must not cause states of the same weight or less to enter.
// Weights are few, and most states enter in the order of their numbers, so this is cheaper than a heap
// of states.
type levels struct {
	weights []uint32 // a binary heap of the weights that have states
	states  map[uint32][]lts.State
}

func (q *levels) Len() int           { return len(q.weights) }
func (q *levels) Less(i, j int) bool { return q.weights[i] < q.weights[j] }
func (q *levels) Swap(i, j int)      { q.weights[i], q.weights[j] = q.weights[j], q.weights[i] }
func (q *levels) Push(weight any)    { q.weights = append(q.weights, weight.(uint32)) }

func (q *levels) Pop() any {
	last := len(q.weights) - 1
	weight := q.weights[last]
	q.weights = q.weights[:last]
	return weight
}

// push adds a state. A state may be added again with a smaller weight.
func (q *levels) push(s lts.State, weight uint32) {
	if q.states == nil {
		q.states = map[uint32][]lts.State{}
	}
	level, known := q.states[weight]
	if !known {
		heap.Push(q, weight)
	}
	q.states[weight] = append(level, s)
}

// pop removes the states of the smallest weight, and returns them; none if no states are left.
func (q *levels) pop() (weight uint32, states []lts.State) {
	if q.Len() == 0 {
		return 0, nil
	}
	weight = heap.Pop(q).(uint32)
	states = q.states[weight]
	delete(q.states, weight)
	slices.Sort(states)
	return weight, states
}

// queue is a binary heap of states, ordered by weight and then by number.
type queue []waiting

type waiting struct {
	state  lts.State
	weight uint32
}

// before reports whether an element leaves the queue before another one.
func (w waiting) before(other waiting) bool {
	return w.weight < other.weight || w.weight == other.weight && w.state < other.state
}

// push adds an element to the heap.
func (q *queue) push(w waiting) {
	*q = append(*q, w)
	all := *q
	for at := len(all) - 1; at > 0; {
		up := (at - 1) / 2
		if !all[at].before(all[up]) {
			break
		}
		all[at], all[up] = all[up], all[at]
		at = up
	}
}

// pop removes the first element from the heap, which must not be empty.
func (q *queue) pop() waiting {
	all := *q
	first := all[0]
	last := len(all) - 1
	all[0] = all[last]
	all = all[:last]
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(all) {
			break
		}
		if down+1 < len(all) && all[down+1].before(all[down]) {
			down++
		}
		if !all[down].before(all[i]) {
			break
		}
		all[i], all[down] = all[down], all[i]
		i = down
	}
	*q = all
	return first
}
