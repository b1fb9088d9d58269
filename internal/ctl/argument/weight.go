package argument

import (
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
	of []uint32
	// onward is the index of the transition by which a run continues, among the transitions of the
	// state; stop if the run ends there.
	onward []int32
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
	w := &weighing{of: make([]uint32, x.m.NumStates()), exact: true}
	x.weights[c] = w
	p := x.proofOf(c)
	var left, right *weighing
	switch p.how {
	case fairly:
		x.weighFairly(c, w)
		return w
	case both, either, finite, forever:
		left = x.weigh(p.left)
		fallthrough
	case not, step:
		right = x.weigh(p.right)
		w.exact = right.exact && (left == nil || left.exact)
	}
	if p.how == finite || p.how == forever {
		x.weighRuns(c, w, p.how, left, right)
		return w
	}
	for _, s := range x.states {
		if !x.is(c, s) {
			w.of[s] = unknown
			continue
		}
		switch p.how {
		case not:
			w.of[s] = right.of[s]
		case both:
			w.of[s] = sum(left.of[s], right.of[s])
		case either:
			w.of[s] = min(left.of[s], right.of[s])
		case step:
			w.of[s] = x.stepWeight(c, s, right)
		}
	}
	return w
}

// weighFairly weighs a claim about fair runs. A weight is the number of transitions to a state in which
// a run can stay, or end; it does not count the claims on the way.
func (x *Case) weighFairly(c claim, w *weighing) {
	w.exact = false
	for _, s := range x.states {
		w.of[s] = unknown
	}
	for distance, rank := range x.fair.Runs(c.f).Ranks {
		for _, s := range rank {
			w.of[s] = uint32(distance)
		}
	}
}

// stepWeight returns the weight of the best transition for a claim about the next state, given the
// weights of the claim about the operand.
func (x *Case) stepWeight(c claim, s lts.State, operand *weighing) uint32 {
	least := uint32(unknown)
	for l, t := range x.m.From(s) {
		if x.has(x.c.Nodes[c.f].Labels, l) && x.counts(t) {
			least = min(least, sum(1, operand.of[t]))
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
	n     syntax.Node
	how   shape
	c     claim
	left  *weighing // the weights of the claim about the states on the way
	right *weighing
}

// end returns the weight of ending a run in a state, and the index of the last transition. The index is
// stop if the state itself ends the run.
func (r *runs) end(s lts.State) (weight uint32, by int32) {
	weight = unknown
	by = stop
	labels, targets := r.m.Out(s)
	last := r.n.Last != syntax.NoLast
	switch {
	case r.how == finite && !last:
		return r.right.of[s], stop
	case r.how == finite:
		for i, t := range targets {
			w := sum(1, r.left.of[s], r.right.of[t])
			if r.has(r.n.Last, labels.At(i)) && w < weight {
				weight = w
				by = int32(i)
			}
		}
		return weight, by
	case last:
		weight = r.left.of[s]
		if r.mayEnd(s) {
			return 0, stop
		}
	default:
		weight = sum(r.left.of[s], r.right.of[s])
		if r.mayEnd(s) {
			weight = min(weight, r.right.of[s])
		}
	}
	// A run also ends with a transition that the formula does not allow.
	for i, t := range targets {
		if r.has(r.n.Labels, labels.At(i)) || !r.counts(t) {
			continue
		}
		w := sum(1, r.before(s), r.failing(labels.At(i), t))
		if w < weight {
			weight = w
			by = int32(i)
		}
	}
	return weight, by
}

// before returns the weight of the claims about a state that a run continues from.
func (r *runs) before(s lts.State) uint32 {
	switch {
	case r.how == finite:
		return r.left.of[s]
	case r.n.Last != syntax.NoLast:
		return 0
	}
	return r.right.of[s]
}

// failing returns the weight of showing that a transition is not a last one.
func (r *runs) failing(label lts.Label, t lts.State) uint32 {
	if r.n.Last == syntax.NoLast || !r.has(r.n.Last, label) {
		return 0
	}
	return r.right.of[t]
}

// onward returns the weight of taking a transition; rest is the weight from its target on.
func (r *runs) onward(s lts.State, label lts.Label, t lts.State, rest uint32) uint32 {
	if !r.has(r.n.Labels, label) || rest == unknown {
		return unknown
	}
	w := sum(1, r.before(s), rest)
	if r.how == forever {
		w = sum(w, r.failing(label, t))
	}
	return w
}

// weighRuns finds the smallest runs from all states. It searches backwards by Dijkstra's algorithm,
// from the ends of runs and from the states where runs begin to repeat a loop. Cost O((S + T) log S),
// and for loops that of [runs.loops].
func (x *Case) weighRuns(c claim, w *weighing, how shape, left, right *weighing) {
	r := &runs{
		Case:  x,
		n:     x.c.Nodes[c.f],
		how:   how,
		c:     c,
		left:  left,
		right: right,
	}
	w.onward = make([]int32, x.m.NumStates())
	q := &queue{}
	for _, s := range x.states {
		w.of[s] = unknown
		w.onward[s] = stop
		if x.is(c, s) {
			w.of[s], w.onward[s] = r.end(s)
		}
	}
	if how == forever {
		r.loops(w)
	}
	for _, s := range x.states {
		if w.of[s] != unknown {
			q.push(waiting{s, w.of[s]})
		}
	}
	in := x.m.Predecessors()
	for len(*q) > 0 {
		at := q.pop()
		if at.weight > w.of[at.state] {
			continue
		}
		for l, s := range in.Into(at.state) {
			if !x.in.Has(s) || !x.is(c, s) {
				continue
			}
			weight := r.onward(s, l, at.state, at.weight)
			if weight < w.of[s] {
				w.of[s], w.onward[s] = weight, r.transition(s, l, at.state)
				delete(w.loop, s)
				q.push(waiting{s, weight})
			}
		}
	}
}

// transition returns the index of a transition among the transitions of its source.
func (r *runs) transition(s lts.State, label lts.Label, t lts.State) int32 {
	labels, targets := r.m.Out(s)
	for i := range targets {
		if labels.At(i) == label && targets[i] == t {
			return int32(i)
		}
	}
	return stop
}

// loops sets the weight of the smallest loop through a state, if it is less than the weight of ending
// there. It does so for one state of each component in which runs can stay forever, and for other
// states as long as cycleWork allows.
func (r *runs) loops(w *weighing) {
	w.loop = map[lts.State]uint32{}
	var region []lts.State
	for _, s := range r.states {
		if r.is(r.c, s) && r.before(s) != unknown {
			region = append(region, s)
		}
	}
	shows := func(s lts.State, l lts.Label, t lts.State) bool {
		return r.onward(s, l, t, 0) != unknown
	}
	work := 0
	for states := range abort.Must(r.parts.Components(region, shows)) {
		r.parts.Enter(states)
		for i, s := range states {
			if i > 0 && work > cycleWork {
				w.exact = false
				break
			}
			// A loop that is heavier than most is useless: it is better for the run to end in the
			// state, or to continue to a state whose weight is known.
			most := uint32(unknown)
			if i > 0 {
				most = w.of[s]
				for l, t := range r.m.From(s) {
					if r.parts.Has(t) {
						most = min(most, r.onward(s, l, t, w.of[t]))
					}
				}
			}
			weight, _, looked := r.loop(s, most)
			work += looked
			abort.On(r.ctx.Err())
			if weight == unknown && i == 0 {
				break // a component of one state
			}
			if weight < w.of[s] {
				w.of[s] = weight
				w.onward[s] = stop
				w.loop[s] = weight
			}
		}
	}
}

// cycleSearch has the tables of [runs.loop], by state.
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

// loop returns the weight of the smallest loop through a state in the component that was entered, the
// last state of this loop, and the number of transitions visited. The weight is unknown if it would
// exceed most. Cost: Dijkstra's algorithm in the component, as far as a smaller loop is possible.
func (r *runs) loop(start lts.State, most uint32) (weight uint32, last lts.State, looked int) {
	n := r.m.NumStates()
	if r.cycles == nil {
		nowhere := slices.Repeat([]uint32{unknown}, n)
		r.cycles = &cycleSearch{
			best:    nowhere,
			from:    make([]lts.State, n),
			by:      make([]int32, n),
			closing: slices.Clone(nowhere),
		}
	}
	c := r.cycles
	for _, s := range c.seen {
		c.best[s] = unknown
		c.closing[s] = unknown
	}
	c.seen = c.seen[:0]
	c.q = c.q[:0]
	labels, sources := r.m.Predecessors().In(start)
	looked = len(sources)
	for i, s := range sources {
		if r.parts.Has(s) {
			c.closing[s] = min(c.closing[s], r.onward(s, labels.At(i), start, 0))
			c.seen = append(c.seen, s)
		}
	}
	c.add(start, 0)
	weight = unknown
	bound := sum(most, 1) // loops of this weight are useless
	for len(c.q) > 0 {
		at := c.q.pop()
		if at.weight > c.best[at.state] || at.weight+1 >= bound {
			continue
		}
		// Closing the loop first makes the bound smaller, so that fewer states are queued.
		closed := sum(at.weight, c.closing[at.state])
		if closed < bound {
			weight = closed
			bound = closed
			last = at.state
		}
		if at.weight+2 >= bound {
			continue
		}
		labels, targets := r.m.Out(at.state)
		looked += len(targets) + 1
		for i, t := range targets {
			if t == start || c.best[t] <= at.weight || !r.parts.Has(t) {
				continue
			}
			next := r.onward(at.state, labels.At(i), t, at.weight)
			if next < c.best[t] && next+1 < bound {
				c.add(t, next)
				c.from[t] = at.state
				c.by[t] = int32(i)
			}
		}
	}
	return weight, last, looked
}

// cycle returns the transitions of the smallest loop through a state in the component that was entered.
// Cost as for [runs.loop].
func (r *runs) cycle(start lts.State) []lts.Transition {
	_, last, _ := r.loop(start, unknown)
	c := r.cycles
	labels, targets := r.m.Out(last)
	var path []lts.Transition
	for i, t := range targets {
		if t == start && r.onward(last, labels.At(i), t, 0) == c.closing[last] {
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

func (q *queue) pop() waiting {
	all := *q
	first := all[0]
	last := len(all) - 1
	all[0] = all[last]
	all = all[:last]
	for at := 0; ; {
		down := 2*at + 1
		if down >= len(all) {
			break
		}
		if down+1 < len(all) && all[down+1].before(all[down]) {
			down++
		}
		if !all[down].before(all[at]) {
			break
		}
		all[at], all[down] = all[down], all[at]
		at = down
	}
	*q = all
	return first
}
