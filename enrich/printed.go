package enrich

import (
	"container/heap"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// sortedSet is the set Q of SEFM'18, Algorithm 1: a binary heap of states by
// their values that knows the position of each state, so that UPDATEPOSITION
// costs O(log S).
type sortedSet struct {
	states   []lts.State
	position []uint32 // the position of each state in states, if the state is there
	value    *levels
}

func (q *sortedSet) Len() int { return len(q.states) }

func (q *sortedSet) Less(i, j int) bool {
	return q.value.at(q.states[i]) < q.value.at(q.states[j])
}

func (q *sortedSet) Swap(i, j int) {
	q.states[i], q.states[j] = q.states[j], q.states[i]
	q.position[q.states[i]] = uint32(i)
	q.position[q.states[j]] = uint32(j)
}

func (q *sortedSet) Push(s any) {
	q.position[s.(lts.State)] = uint32(len(q.states))
	q.states = append(q.states, s.(lts.State))
}

func (q *sortedSet) Pop() any {
	last := q.states[len(q.states)-1]
	q.states = q.states[:len(q.states)-1]
	return last
}

// fill puts states into the set.
func (q *sortedSet) fill(states []lts.State) {
	q.states = append(q.states[:0], states...)
	for i, s := range states {
		q.position[s] = uint32(i)
	}
	heap.Init(q)
}

// lower gives a state a smaller value, and restores the heap. The state is in the set: states that
// have left it have final values.
func (q *sortedSet) lower(s lts.State, value int) {
	if q.value.lower(s, value) {
		heap.Fix(q, int(q.position[s]))
	}
}

func (x *pass) newSortedSet(value *levels) *sortedSet {
	abort.On(resources.Ask(x.ctx, 8*int64(x.m.NumStates())))
	return &sortedSet{position: make([]uint32, x.m.NumStates()), value: value}
}

// printedPrefixes is SEFM'18, Algorithm 1, line by line, for the components by increasing depth.
// Cost O(T + S log S).
func (x *pass) printedPrefixes() levels {
	cp := newLevels(x.m.NumStates(), x.n, x.n)
	q := x.newSortedSet(&cp)
	x.findPredecessors()
	for i := range x.c.Len() {
		states := x.c.States(scc.Component(i))
		for _, s := range states {
			if s == x.m.Initial() {
				cp.set(s, 0)
				continue
			}
			labels, sources := x.before.In(s)
			for j, from := range sources {
				_, reached := x.c.Of(from)
				if reached && !x.c.Same(from, s) {
					cp.lower(s, x.p.Advance(cp.at(from), labels.At(j)))
				}
			}
		}
		x.spreadPrinted(q, states, x.m.Out, x.p.Advance)
	}
	return cp
}

// printedSuffixes is SEFM'18, Algorithm 2, followed by lines 8 to 13 of Algorithm 1 against the
// direction of transitions, for the components by decreasing depth. Cost O(n (S + T) + S log S).
func (x *pass) printedSuffixes() levels {
	cs := newLevels(x.m.NumStates(), x.n, x.n)
	minSuffixLoop := x.minSuffixLoop()
	q := x.newSortedSet(&cs)
	x.findPredecessors()
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(scc.Component(i))
		if x.c.IsCyclic(scc.Component(i)) {
			minSuffixLoop(scc.Component(i), &cs)
		}
		for _, s := range states {
			x.count(x.lowerByLeaving(s, &cs))
		}
		x.spreadPrinted(q, states, x.before.In, x.p.AdvanceSuffix)
	}
	return cs
}

// spreadPrinted is SEFM'18, Algorithm 1, lines 8 to 13, within a component, along rows of
// transitions or of predecessors.
func (x *pass) spreadPrinted(
	q *sortedSet,
	states []lts.State,
	row func(lts.State) (lts.Labels, []lts.State),
	advance func(value int, l lts.Label) int,
) {
	q.fill(states)
	for q.Len() > 0 {
		s := heap.Pop(q).(lts.State)
		labels, others := row(s)
		for j, other := range others {
			_, reached := x.c.Of(other)
			if reached && x.c.Same(s, other) {
				q.lower(other, advance(q.value.at(s), labels.At(j)))
			}
		}
		x.count(1 + labels.Len())
	}
}
