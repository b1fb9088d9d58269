package enrich

import (
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// loopSuffixes computes MINSUFFIXLOOP of Algorithm 2, line 4, by removing the
// labels of one step after the other.
type loopSuffixes struct {
	*pass
	// continuations[s] is the number of transitions by which a run can continue from s inside the
	// component without the step that is removed; nil until a component needs it.
	continuations *counters.Counters
	// stuck are the states from which no run can continue; nil until a component needs it.
	stuck bitset.Set[lts.State]
	// buffers are two lists that are used in turn, since each list is made from
	// the previous one.
	buffers [2][]lts.State
}

// minSuffixLoop sets every state of a cyclic component to the least m such that a run can stay
// inside the component forever and avoid every label of step n-m; states from which no run can
// avoid any step keep n. The published algorithm sets only the states on such cycles, and spreads
// the value to the states that lead there later. Setting all of them here has the same result, and
// needs no second search for components.
//
// Cost O(n (S + T)) of the component, less if a step has no label inside it: then every run avoids
// that step.
func (x *loopSuffixes) minSuffixLoop(i scc.Component, cs *levels) {
	unset := x.c.States(i)
	x.findStepsInside(unset)
	for m := 0; m < x.n && len(unset) > 0; m++ {
		if !x.present[x.n-m] {
			for _, s := range unset {
				cs.set(s, m)
			}
			return
		}
		unset = x.setAvoiding(unset, m, cs)
	}
}

// setAvoiding sets cs to m for some of the given states: for those from which a run can stay inside
// the component forever without step n-m. All given states must have the value n in cs. It returns
// the other states, in a list that the call after the next one may overwrite.
func (x *loopSuffixes) setAvoiding(states []lts.State, m int, cs *levels) []lts.State {
	if x.stuck == nil {
		abort.On(resources.Ask(x.ctx, int64(x.m.NumStates())/8))
		x.stuck = bitset.New[lts.State](x.m.NumStates())
	}
	if !x.findStuck(states, m) {
		x.findStuckAlongPredecessors(states, m, cs)
	}
	others := x.buffer(m)
	for _, s := range states {
		if !x.stuck.Has(s) {
			cs.set(s, m)
			continue
		}
		x.stuck.Remove(s)
		if m+1 < x.n {
			others = appendGrowing(others, s, len(states))
		}
	}
	x.putBuffer(m, others)
	return others
}

// findStuck puts into stuck the states from which no run can stay inside the component forever without
// step n-m. It makes passes until each remaining state has a transition to a remaining state, and
// then returns true. It returns false if it gives up because passes change too few states.
func (x *loopSuffixes) findStuck(states []lts.State, m int) bool {
	if x.cores > 1 && resources.Spare(x.ctx, int64(x.cores)*int64(x.m.NumStates())/8) {
		return x.findStuckOnCores(states, m)
	}
	b := x.passesThrough(states)
	for b.beginNext() {
		for i := range states {
			x.count(x.examine(b, i, m, x.stuck))
		}
		if b.changed == 0 {
			return true
		}
	}
	return false
}

// examine puts the i-th state of a pass into stuck if no run can continue from it without step n-m. It
// returns the number of transitions that it read.
func (x *loopSuffixes) examine(b *passes, i, m int, stuck bitset.Set[lts.State]) (work int) {
	s := b.inTurn(i)
	if stuck.Has(s) {
		return 0
	}
	const one = 1 // a single transition shows that runs can continue
	continuations, work := x.continuationsOf(s, m, one, stuck)
	isStuck := continuations == 0
	if isStuck {
		stuck.Add(s)
	}
	b.count(isStuck, work)
	return work
}

// continuationsOf counts the transitions from s that stay inside the component, do not do step n-m,
// and lead to states that are not stuck. It stops when the count reaches most. It returns the
// count, and the number of transitions that it read.
func (x *loopSuffixes) continuationsOf(
	s lts.State,
	m int,
	most uint32,
	stuck bitset.Set[lts.State],
) (count uint32, work int) {
	labels, targets := x.m.Out(s)
	leaves := x.c.Leaves(s)
	work = 1
	for j, t := range targets {
		work++
		if !x.p.Does(labels.At(j), x.n-m) && !stuck.Has(t) && (!leaves || x.c.Same(s, t)) {
			count++
			if count == most {
				break
			}
		}
	}
	return count, work
}

// findStuckAlongPredecessors does the same as findStuck, but counts the continuations of each state
// once, and then lowers the counts along predecessor rows: for each state that becomes stuck, it
// lowers the counts of the predecessors. A state without continuations becomes stuck, too.
func (x *loopSuffixes) findStuckAlongPredecessors(states []lts.State, m int, cs *levels) {
	stuck := x.countContinuations(states, m)
	x.findPredecessors()
	for _, s := range stuck {
		x.stuck.Add(s)
	}
	step := x.n - m // a run that stays stuck avoids this step
	for next := 0; next < len(stuck); next++ {
		target := stuck[next]
		labels, sources := x.before.In(target)
		for j, s := range sources {
			if x.stuck.Has(s) || x.p.Does(labels.At(j), step) {
				continue
			}
			isInside := !x.c.Leaves(s) || x.c.Same(s, target)
			isGiven := cs.at(s) == x.n // only the given states have counts
			if !isInside || !isGiven {
				continue
			}
			isStuck := x.continuations.Decrease(uint32(s))
			if isStuck {
				x.stuck.Add(s)
				stuck = appendGrowing(stuck, s, len(states))
			}
		}
		x.count(1 + labels.Len())
	}
	x.putBuffer(m, stuck)
}

// buffer returns the empty buffer for the lists of step n-m.
func (x *loopSuffixes) buffer(m int) []lts.State { return x.buffers[m%2][:0] }

// putBuffer keeps a buffer, which may have grown.
func (x *loopSuffixes) putBuffer(m int, list []lts.State) { x.buffers[m%2] = list }

// countContinuations counts, for the states that are not stuck yet, the transitions by which runs
// can continue without step n-m. It returns the states that are stuck now.
func (x *loopSuffixes) countContinuations(states []lts.State, m int) []lts.State {
	if x.continuations == nil {
		x.continuations = abort.Must(counters.New(x.ctx, x.m.NumStates()))
	}
	stuck := x.buffer(m)
	for _, s := range states {
		if x.stuck.Has(s) {
			continue
		}
		count, work := x.continuationsOf(s, m, math.MaxUint32, x.stuck)
		x.continuations.Set(uint32(s), count)
		if count == 0 {
			stuck = appendGrowing(stuck, s, len(states))
		}
		x.count(work)
	}
	abort.On(x.continuations.Err())
	return stuck
}

// appendGrowing appends a state to a list; most bounds the final length of the list. The list grows
// fourfold, so that the memory that it leaves behind is at most a third of its own.
func appendGrowing(list []lts.State, s lts.State, most int) []lts.State {
	if len(list) == cap(list) {
		room := min(most, max(64, 4*len(list)))
		list = append(make([]lts.State, 0, room), list...)
	}
	return append(list, s)
}

const (
	// mostCores limits the memory: each goroutine needs some of its own.
	mostCores = 4
	// fewOnOneCore is the number of states of a component up to which passes
	// through it are not shared.
	fewOnOneCore = 1 << 17
)

// between returns the part of an ascending list of states that lies in [first,
// end).
func between(states []lts.State, first, end lts.State) []lts.State {
	from, _ := slices.BinarySearch(states, first)
	to, _ := slices.BinarySearch(states, end)
	return states[from:to]
}

// share is the part of a pass that one goroutine does: it changes states of its
// range. It sees its own changes at once, and those of the others after the pass.
type share struct {
	stuck bitset.Set[lts.State]
	pass  passes // the current pass, through the states of the range
	// The goroutine changes the words stuck[firstWord:endWord].
	firstWord, endWord int
}

// findStuckOnCores does what [loopSuffixes.findStuck] does; several goroutines share each pass.
func (x *loopSuffixes) findStuckOnCores(states []lts.State, m int) bool {
	shares := make([]share, x.cores)
	b := x.passesThrough(states)
	examineShare := func(core int, first, end lts.State) error {
		part := &shares[core]
		if part.stuck == nil {
			part.stuck = bitset.New[lts.State](x.m.NumStates())
			part.firstWord = int(first) / 64
			part.endWord = bitset.Words(int(end))
		}
		copy(part.stuck, x.stuck)
		part.pass = passes{states: between(states, first, end), up: b.up}
		for i := range part.pass.states {
			if err := cores.Done(x.ctx, i); err != nil {
				return err
			}
			x.examine(&part.pass, i, m, part.stuck)
		}
		return nil
	}
	for b.beginNext() {
		abort.On(cores.TryInRanges(x.cores, x.m.NumStates(), examineShare))
		for i := range shares {
			part := &shares[i]
			copy(x.stuck[part.firstWord:part.endWord], part.stuck[part.firstWord:part.endWord])
			b.changed += part.pass.changed
			b.read += part.pass.read
		}
		x.count(b.read)
		if b.changed == 0 {
			return true
		}
	}
	return false
}
