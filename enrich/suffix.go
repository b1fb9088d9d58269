package enrich

import (
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
)

// maxSuffixes: SEFM'18, section 3.2, "Max Suffix Calculation". The value of a
// component is the largest one behind its outgoing transitions (0 for traces that
// stay inside), extended backwards by the steps inside it.
func (x *pass) maxSuffixes() levels {
	ms := newLevels(x.m.NumStates(), x.n, 0)
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(scc.Component(i))
		value := 0
		for _, s := range states {
			if !x.c.Leaves(s) {
				continue
			}
			labels, targets := x.m.Out(s)
			for j, t := range targets {
				if !x.c.Same(s, t) && x.admits(t) {
					value = max(value, x.p.AdvanceSuffix(ms.at(t), labels.At(j)))
				}
			}
			x.count(1 + labels.Len())
		}
		if x.c.IsCyclic(scc.Component(i)) {
			x.stepsInside(states)
			for value < x.n && x.present[x.n-value] {
				value++
			}
		}
		for _, s := range states {
			ms.set(s, value)
		}
		x.count(len(states))
	}
	return ms
}

// commonSuffixes: SEFM'18, Algorithm 2 for the initial values, then as in
// Algorithm 1, against the direction of the transitions.
func (x *pass) commonSuffixes() levels {
	cs := newLevels(x.m.NumStates(), x.n, x.n)
	minSuffixLoop := x.minSuffixLoop()
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(scc.Component(i))
		cyclic := x.c.IsCyclic(scc.Component(i))
		if cyclic {
			minSuffixLoop(scc.Component(i), &cs)
		}
		if x.leaveSuffixes(states, cyclic, &cs); cyclic {
			x.spreadSuffixes(states, &cs)
		}
		x.count(len(states))
	}
	return cs
}

// minSuffixLoop returns the computation of the values of runs that stay in a
// component.
func (x *pass) minSuffixLoop() func(i scc.Component, cs *levels) {
	if x.fairness == nil {
		return (&loopSuffixes{pass: x}).minSuffixLoop
	}
	sets := abort.Must(NewFairSets(x.ctx, x.c, x.fairness, nil))
	return (&fairSuffixes{x, sets, make([]bitset.Set[lts.Label], x.n)}).minSuffixLoop
}

// admits reports whether some run from s counts.
func (x *pass) admits(s lts.State) bool {
	if x.admitted == nil {
		return true
	}
	c, _ := x.c.Of(s)
	return x.admitted[c]
}

// leaveSuffixes is [pass.leaveSuffix] for the states of a component. The cores
// share a large component, since the values depend only on those of other
// components.
func (x *pass) leaveSuffixes(states []lts.State, cyclic bool, cs *levels) {
	leave := func(states []lts.State, count func(work int)) {
		for _, s := range states {
			// Without fairness runs end only in deadlocks, which are on no cycle.
			if cyclic && x.fairness == nil && !x.c.Leaves(s) {
				continue
			}
			count(x.leaveSuffix(s, cs))
		}
	}
	if x.cores == 1 || len(states) <= x.fewOnOneCore {
		leave(states, x.count)
		return
	}
	works := make([]int, x.cores)
	cores.InRanges(x.cores, x.m.NumStates(), func(core int, first, end lts.State) {
		looked := 0
		leave(between(states, first, end), func(work int) {
			works[core] += work
			if looked++; looked&(1<<14-1) == 0 {
				abort.On(x.ctx.Err())
			}
		})
	})
	for _, work := range works {
		x.count(work)
	}
}

// leaveSuffix: Algorithm 2, lines 3 and 5 to 7. A deadlock, or another state in
// which a run may end, has the empty suffix (line 3 of the published text lost a
// negation). It returns how many transitions it read.
func (x *pass) leaveSuffix(s lts.State, cs *levels) (work int) {
	switch {
	case x.fairness.MayEnd(x.m, s):
		cs.set(s, 0)
		return 0
	case !x.c.Leaves(s):
		return 0
	}
	labels, targets := x.m.Out(s)
	for j, t := range targets {
		if !x.c.Same(s, t) && x.admits(t) {
			cs.lower(s, x.p.AdvanceSuffix(cs.at(t), labels.At(j)))
		}
	}
	return labels.Len()
}

// spreadSuffixes: Algorithm 1, lines 8 to 13, with predecessors instead of
// successors. States with the smallest value of the component cannot be lowered.
// The value of every other state is lowered to those of its successors, in passes
// that need no predecessor rows. When passes find too little, states that are
// lowered are put into the queue.
func (x *pass) spreadSuffixes(states []lts.State, cs *levels) {
	lowest := x.n
	for _, s := range states {
		lowest = min(lowest, cs.at(s))
	}
	for b := x.passesThrough(states); b.more(); {
		for i := range states {
			s := b.inTurn(i)
			if cs.at(s) <= lowest {
				continue
			}
			lowered, work := x.takeSuffix(s, lowest, cs)
			b.count(lowered, work)
			x.count(work)
		}
		if b.changed == 0 {
			return
		}
	}
	for _, s := range states {
		if cs.at(s) <= lowest {
			continue
		}
		lowered, work := x.takeSuffix(s, lowest, cs)
		if lowered {
			x.queue.push(s, cs.at(s))
		}
		x.count(work)
	}
	x.spreadAlongPredecessors(cs)
}

// spreadAlongPredecessors lowers the values of states with transitions to states
// in the queue.
func (x *pass) spreadAlongPredecessors(cs *levels) {
	for {
		s, key, ok := x.queue.pop()
		if !ok {
			return
		}
		x.findPredecessors()
		if key > cs.at(s) {
			continue
		}
		labels, sources := x.before.In(s)
		for j, t := range sources {
			if value := x.p.AdvanceSuffix(key, labels.At(j)); x.c.Same(s, t) && cs.lower(t, value) {
				x.queue.push(t, value)
			}
		}
		x.count(1 + labels.Len())
	}
}

// takeSuffix lowers the value of s to those of its successors in its component,
// which are at least lowest. It reports whether the value changed, and how many
// transitions it read.
func (x *pass) takeSuffix(s lts.State, lowest int, cs *levels) (lowered bool, work int) {
	labels, targets := x.m.Out(s)
	value, leaves := x.n, x.c.Leaves(s)
	work = 1
	for j, t := range targets {
		work++
		if leaves && !x.c.Same(s, t) {
			continue
		}
		if value = min(value, x.p.AdvanceSuffix(cs.at(t), labels.At(j))); value == lowest {
			break
		}
	}
	return cs.lower(s, value), work
}

// loopSuffixes computes MINSUFFIXLOOP of Algorithm 2, line 4, by removing the
// labels of one step after the other.
type loopSuffixes struct {
	*pass
	// continuations[s] is the number of transitions by which a run can go on from
	// s inside the component without the step that is removed; nil until a
	// component needs it.
	continuations *counters.Counters
	// gone are the states from which no run can go on; nil until a component
	// needs it.
	gone bitset.Set[lts.State]
	// lists are two buffers that are used in turn, since each list is made from
	// the previous one.
	lists [2][]lts.State
}

// minSuffixLoop sets every state of a cyclic component to the least m such that a
// run can stay inside the component for ever and avoid every label of step n-m;
// states from which no run can avoid any step keep n. The published algorithm
// sets only the states on such cycles. The states that lead to these cycles get
// the same value when it is spread, so that the result is the same; no second
// search for components is needed.
//
// Cost O(n (S + T)) of the component, less if a step has no label inside it: then
// every run avoids that step.
func (x *loopSuffixes) minSuffixLoop(i scc.Component, cs *levels) {
	left := x.c.States(i)
	x.stepsInside(left)
	for m := 0; m < x.n && len(left) > 0; m++ {
		if !x.present[x.n-m] {
			for _, s := range left {
				cs.set(s, m)
			}
			return
		}
		left = x.leaving(left, m, cs)
	}
}

// leaving sets cs to m for those of the given states from which a run can stay
// inside the component for ever without step n-m. All given states have cs n
// before. It returns the others, in a list that the call after the next one may
// overwrite.
func (x *loopSuffixes) leaving(states []lts.State, m int, cs *levels) []lts.State {
	if x.gone == nil {
		abort.On(resources.Ask(x.ctx, int64(x.m.NumStates())/8))
		x.gone = bitset.New[lts.State](x.m.NumStates())
	}
	if !x.drop(states, m) {
		x.dropAlongPredecessors(states, m, cs)
	}
	gone := x.lists[m%2][:0]
	for _, s := range states {
		if !x.gone.Has(s) {
			cs.set(s, m)
			continue
		}
		x.gone.Remove(s)
		if m+1 < x.n {
			gone = longer(gone, s, len(states))
		}
	}
	x.lists[m%2] = gone
	return gone
}

// drop puts into gone the states from which no run can stay inside the component
// for ever without step n-m. It goes through the states, up and down, until each
// state that is left has a transition to another one that is left, and then
// returns true. It returns false if it gives up because passes find too little.
func (x *loopSuffixes) drop(states []lts.State, m int) bool {
	if x.cores > 1 && resources.Spare(x.ctx, int64(x.cores)*int64(x.m.NumStates())/8) {
		return x.dropOnCores(states, m)
	}
	for b := x.passesThrough(states); b.more(); {
		for i := range states {
			s := b.inTurn(i)
			if x.gone.Has(s) {
				continue
			}
			ways, work := x.continuationsOf(s, m, 1, x.gone)
			if ways == 0 {
				x.gone.Add(s)
			}
			b.count(ways == 0, work)
			x.count(work)
		}
		if b.changed == 0 {
			return true
		}
	}
	return false
}

// continuationsOf returns the number of transitions, counted no further than
// the limit most, that lead from s inside the component, without step n-m, to
// states that are not gone, and how many transitions it read.
func (x *loopSuffixes) continuationsOf(s lts.State, m int, most uint32, gone bitset.Set[lts.State]) (ways uint32, work int) {
	labels, targets := x.m.Out(s)
	leaves := x.c.Leaves(s)
	work = 1
	for j, t := range targets {
		work++
		if !x.p.Does(labels.At(j), x.n-m) && !gone.Has(t) && (!leaves || x.c.Same(s, t)) {
			if ways++; ways == most {
				break
			}
		}
	}
	return ways, work
}

// dropAlongPredecessors is drop by counting transitions, along predecessor rows.
func (x *loopSuffixes) dropAlongPredecessors(states []lts.State, m int, cs *levels) {
	if x.continuations == nil {
		x.continuations = abort.Must(counters.New(x.ctx, x.m.NumStates()))
	}
	gone := x.lists[m%2][:0]
	defer func() { x.lists[m%2] = gone }()
	for _, s := range states {
		if x.gone.Has(s) {
			continue
		}
		ways, work := x.continuationsOf(s, m, math.MaxUint32, x.gone)
		if x.continuations.Set(uint32(s), ways); ways == 0 {
			gone = longer(gone, s, len(states))
		}
		x.count(work)
	}
	abort.On(x.continuations.Err())
	x.findPredecessors()
	for _, s := range gone {
		x.gone.Add(s)
	}
	for next := 0; next < len(gone); next++ {
		labels, sources := x.before.In(gone[next])
		for j, s := range sources {
			if x.gone.Has(s) || x.p.Does(labels.At(j), x.n-m) || cs.at(s) != x.n || x.c.Leaves(s) && !x.c.Same(s, gone[next]) {
				continue
			}
			if x.continuations.Remove(uint32(s)) {
				x.gone.Add(s)
				gone = longer(gone, s, len(states))
			}
		}
		x.count(1 + labels.Len())
	}
}

// longer appends a state to a list; most bounds the final length of the list.
// The list grows fourfold, so that the memory it leaves behind is at most a
// third of it.
func longer(list []lts.State, s lts.State, most int) []lts.State {
	if len(list) == cap(list) {
		list = append(make([]lts.State, 0, min(most, max(64, 4*len(list)))), list...)
	}
	return append(list, s)
}
