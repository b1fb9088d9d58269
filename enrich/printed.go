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

func (q *sortedSet) Len() int           { return len(q.states) }
func (q *sortedSet) Less(i, j int) bool { return q.value.at(q.states[i]) < q.value.at(q.states[j]) }

func (q *sortedSet) Swap(i, j int) {
	q.states[i], q.states[j] = q.states[j], q.states[i]
	q.position[q.states[i]], q.position[q.states[j]] = uint32(i), uint32(j)
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

// lower gives a state a smaller value, and restores the heap. States that have
// left the set have final values, which are smallest already.
func (q *sortedSet) lower(s lts.State, value int) {
	if q.value.lower(s, value) {
		heap.Fix(q, int(q.position[s]))
	}
}

func (x *pass) newSortedSet(value *levels) *sortedSet {
	abort.On(resources.Ask(x.ctx, 8*int64(x.m.NumStates())))
	return &sortedSet{position: make([]uint32, x.m.NumStates()), value: value}
}

// printedPrefixes: SEFM'18, Algorithm 1, line by line, for the components by increasing depth.
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
				if _, reached := x.c.Of(from); reached && !x.c.Same(from, s) {
					cp.lower(s, x.p.Advance(cp.at(from), labels.At(j)))
				}
			}
		}
		for q.fill(states); q.Len() > 0; {
			s := heap.Pop(q).(lts.State)
			labels, targets := x.m.Out(s)
			for j, to := range targets {
				if x.c.Same(s, to) {
					q.lower(to, x.p.Advance(cp.at(s), labels.At(j)))
				}
			}
			x.count(1 + labels.Len())
		}
	}
	return cp
}

// printedSuffixes: SEFM'18, Algorithm 2 and then lines 8 to 13 of Algorithm 1, against the
// direction of transitions, for the components by decreasing depth. Cost O(n (S + T) + S log
// S).
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
			x.count(x.leaveSuffix(s, &cs))
		}
		for q.fill(states); q.Len() > 0; {
			s := heap.Pop(q).(lts.State)
			labels, sources := x.before.In(s)
			for j, from := range sources {
				if _, reached := x.c.Of(from); reached && x.c.Same(s, from) {
					q.lower(from, x.p.AdvanceSuffix(cs.at(s), labels.At(j)))
				}
			}
			x.count(1 + labels.Len())
		}
	}
	return cs
}
