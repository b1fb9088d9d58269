package argument

import (
	"container/heap"
	"math"

	"github.com/inev-lts/inev/ctl"
	"github.com/inev-lts/inev/lts"
)

// unknown is the weight of a claim that is not true, or whose weight is not known.
const unknown = math.MaxUint32

// cycleWork is the number of transitions visited for the smallest loops of a claim, above which
// only some states get loops.
const cycleWork = 3_000_000

// weighing has, for each state, the number of transitions on the runs of the smallest argument for
// a claim, and how these runs continue. Claims that sets prove have weight 0.
type weighing struct {
	of []uint32
	// onward is the index of the transition, among those of the state, by which a run continues;
	// stop if it ends there.
	onward []int32
	// loop is the weight of the smallest loop through a state, if the run begins its loop there.
	loop  map[lts.State]uint32
	exact bool
}

const stop = -1

// weigh returns the weights of a claim.
func (x *Case) weigh(c claim) (*weighing, error) {
	if w, known := x.weights[c]; known {
		return w, nil
	}
	if err := x.ctx.Err(); err != nil {
		return nil, err
	}
	w := &weighing{of: make([]uint32, x.m.NumStates()), exact: true}
	how, left, right := x.shapeOf(c)
	var l, r *weighing
	var err error
	if how == fairly {
		x.weighFair(c, w)
		x.weights[c] = w
		return w, nil
	}
	switch how {
	case both, either, finite, forever:
		if l, err = x.weigh(left); err != nil {
			return nil, err
		}
		fallthrough
	case not, step:
		if r, err = x.weigh(right); err != nil {
			return nil, err
		}
		w.exact = r.exact && (l == nil || l.exact)
	}
	x.weights[c] = w
	if how == finite || how == forever {
		return w, x.weighRuns(c, w, how, l, r)
	}
	for _, s := range x.states {
		if !x.is(c, s) {
			w.of[s] = unknown
			continue
		}
		switch how {
		case not:
			w.of[s] = r.of[s]
		case both:
			w.of[s] = sum(l.of[s], r.of[s])
		case either:
			w.of[s] = min(l.of[s], r.of[s])
		case step:
			w.of[s] = unknown
			labels, targets := x.m.Out(s)
			for i, t := range targets {
				if x.has(x.c.Nodes[c.f].Labels, labels.At(i)) && x.counts(t) {
					w.of[s] = min(w.of[s], sum(1, r.of[t]))
				}
			}
		}
	}
	return w, nil
}

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

// runs are the weights of the steps of runs for a claim: of ending in a state, and of continuing
// from it.
type runs struct {
	*Case
	n     ctl.Node
	how   shape
	c     claim
	left  *weighing // of the claim on the way
	right *weighing
}

// end returns the weight of ending a run in a state, and the index of the last transition; stop if
// the state itself ends it.
func (r *runs) end(s lts.State) (weight uint32, by int32) {
	weight, by = unknown, stop
	labels, targets := r.m.Out(s)
	last := r.n.Last != ctl.NoLast
	switch {
	case r.how == finite && !last:
		return r.right.of[s], stop
	case r.how == finite:
		for i, t := range targets {
			if w := sum(1, r.left.of[s], r.right.of[t]); r.has(r.n.Last, labels.At(i)) && w < weight {
				weight, by = w, int32(i)
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
		if w := sum(1, r.before(s), r.failing(labels.At(i), t)); w < weight {
			weight, by = w, int32(i)
		}
	}
	return weight, by
}

// before returns the weight of the claims about a state that a run continues from.
func (r *runs) before(s lts.State) uint32 {
	switch {
	case r.how == finite:
		return r.left.of[s]
	case r.n.Last != ctl.NoLast:
		return 0
	}
	return r.right.of[s]
}

// failing returns the weight of showing that a transition is not a last one.
func (r *runs) failing(label lts.Label, t lts.State) uint32 {
	if r.n.Last == ctl.NoLast || !r.has(r.n.Last, label) {
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

// weighRuns finds the smallest runs from all states, by Dijkstra's algorithm backwards from their
// ends, and from where they begin the loop that they repeat. Cost O((S + T) log S), and for loops
// that of [runs.loops].
func (x *Case) weighRuns(c claim, w *weighing, how shape, left, right *weighing) error {
	r := &runs{Case: x, n: x.c.Nodes[c.f], how: how, c: c, left: left, right: right}
	w.onward = make([]int32, x.m.NumStates())
	q := &queue{}
	for _, s := range x.states {
		w.of[s], w.onward[s] = unknown, stop
		if x.is(c, s) {
			w.of[s], w.onward[s] = r.end(s)
		}
	}
	if how == forever {
		if err := r.loops(w); err != nil {
			return err
		}
	}
	for _, s := range x.states {
		if w.of[s] != unknown {
			heap.Push(q, waiting{s, w.of[s]})
		}
	}
	in := x.m.Predecessors()
	for q.Len() > 0 {
		at := heap.Pop(q).(waiting)
		if at.weight > w.of[at.state] {
			continue
		}
		labels, sources := in.In(at.state)
		for i, s := range sources {
			if !x.in.Has(s) || !x.is(c, s) {
				continue
			}
			if weight := r.onward(s, labels.At(i), at.state, at.weight); weight < w.of[s] {
				w.of[s], w.onward[s] = weight, r.transition(s, labels.At(i), at.state)
				delete(w.loop, s)
				heap.Push(q, waiting{s, weight})
			}
		}
	}
	return nil
}

// transition returns the index of a transition among those of its source.
func (r *runs) transition(s lts.State, label lts.Label, t lts.State) int32 {
	labels, targets := r.m.Out(s)
	for i := range targets {
		if labels.At(i) == label && targets[i] == t {
			return int32(i)
		}
	}
	return stop
}

// loops sets the weight of the smallest loop through a state, if it is less than that of ending
// there: for one state of each component where runs can stay for ever, and for others as long as
// cycleWork allows.
func (r *runs) loops(w *weighing) error {
	w.loop = map[lts.State]uint32{}
	var region []lts.State
	for _, s := range r.states {
		if r.is(r.c, s) && r.before(s) != unknown {
			region = append(region, s)
		}
	}
	shows := func(s lts.State, l lts.Label, t lts.State) bool { return r.onward(s, l, t, 0) != unknown }
	var components [][]lts.State
	err := r.parts.Components(region, shows, func(states []lts.State) (bool, error) {
		components = append(components, states)
		return true, nil
	})
	if err != nil {
		return err
	}
	work := 0
	for _, states := range components {
		r.parts.Enter(states)
		for i, s := range states {
			if i > 0 && work > cycleWork {
				w.exact = false
				break
			}
			weight, _, looked := r.loop(s)
			work += looked
			if err := r.ctx.Err(); err != nil {
				return err
			}
			if weight == unknown {
				break // a component of one state
			}
			if weight < w.of[s] {
				w.of[s], w.onward[s], w.loop[s] = weight, stop, weight
			}
		}
	}
	return nil
}

// loop returns the weight of the smallest loop through a state in the component that was entered,
// its transitions, and the number of transitions visited. Cost: Dijkstra's algorithm in the
// component.
func (r *runs) loop(start lts.State) (weight uint32, path []lts.Transition, looked int) {
	weight = unknown
	best := map[lts.State]uint32{start: 0}
	by := map[lts.State]lts.Transition{}
	var closing lts.Transition
	q := &queue{{start, 0}}
	for q.Len() > 0 {
		at := heap.Pop(q).(waiting)
		if at.weight > best[at.state] || at.weight >= weight {
			continue
		}
		labels, targets := r.m.Out(at.state)
		looked += len(targets) + 1
		for i, t := range targets {
			if !r.parts.Has(t) {
				continue
			}
			next := r.onward(at.state, labels.At(i), t, at.weight)
			switch before, met := best[t]; {
			case next == unknown:
			case t == start && next < weight:
				weight, closing = next, lts.Transition{From: at.state, Label: labels.At(i), To: t}
			case t != start && (!met || next < before):
				best[t], by[t] = next, lts.Transition{From: at.state, Label: labels.At(i), To: t}
				heap.Push(q, waiting{t, next})
			}
		}
	}
	if weight == unknown {
		return weight, nil, looked
	}
	for t := closing; ; t = by[t.From] {
		path = append(path, t)
		if t.From == start {
			break
		}
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return weight, path, looked
}

// queue is a heap of states by weight, then by number.
type queue []waiting

type waiting struct {
	state  lts.State
	weight uint32
}

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].weight < q[j].weight || q[i].weight == q[j].weight && q[i].state < q[j].state
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push adds an element; it is called by package heap only.
func (q *queue) Push(x any) { *q = append(*q, x.(waiting)) }

// Pop removes the last element; it is called by package heap only.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
