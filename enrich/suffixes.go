package enrich

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// maxSuffixes is the "Max Suffix Calculation" of SEFM'18, section 3.2. The value of a component is the
// largest value after its outgoing transitions (0 for traces that stay inside), extended backwards by
// the steps inside the component.
func (x *pass) maxSuffixes() levels {
	ms := newLevels(x.m.NumStates(), x.n, 0)
	for i := x.c.Len() - 1; i >= 0; i-- {
		component := scc.Component(i)
		states := x.c.States(component)
		value := x.maxOnLeaving(states, ms)
		if x.c.IsCyclic(component) {
			x.findStepsInside(states)
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

// maxOnLeaving returns the largest value of a suffix that begins with a transition out of a component; 0 if
// there is none.
func (x *pass) maxOnLeaving(states []lts.State, ms levels) int {
	value := 0
	for _, s := range states {
		if !x.c.Leaves(s) {
			continue
		}
		labels, targets := x.m.Out(s)
		for j, t := range targets {
			if !x.c.Same(s, t) && x.runs.Admits(t) {
				value = max(value, x.p.AdvanceSuffix(ms.at(t), labels.At(j)))
			}
		}
		x.count(1 + labels.Len())
	}
	return value
}

// commonSuffixes computes initial values by SEFM'18, Algorithm 2. It then spreads them as Algorithm
// 1 does, but against the direction of the transitions.
func (x *pass) commonSuffixes() levels {
	cs := newLevels(x.m.NumStates(), x.n, x.n)
	minSuffixLoop := x.minSuffixLoop()
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(scc.Component(i))
		cyclic := x.c.IsCyclic(scc.Component(i))
		if cyclic {
			minSuffixLoop(scc.Component(i), &cs)
		}
		x.lowerByLeavingAll(states, cyclic, &cs)
		if cyclic {
			x.spreadSuffixes(states, &cs)
		}
		x.count(len(states))
	}
	return cs
}

// minSuffixLoop returns a function that computes the values of the runs that stay in a component.
func (x *pass) minSuffixLoop() func(i scc.Component, cs *levels) {
	if x.runs.fairness == nil {
		return (&loopSuffixes{pass: x}).minSuffixLoop
	}
	fair := &fairLoopSuffixes{
		pass:   x,
		sets:   abort.Must(fairset.NewSets(x.ctx, x.c, x.runs.fairness, nil)),
		hidden: make([]bitset.Set[lts.Label], x.n),
	}
	return fair.minSuffixLoop
}

// fairLoopSuffixes computes MINSUFFIXLOOP of Algorithm 2, line 4, under fairness.
type fairLoopSuffixes struct {
	*pass
	sets *fairset.Sets
	// hidden[m] has the labels of step n-m; nil until they are needed.
	hidden []bitset.Set[lts.Label]
}

// minSuffixLoop sets every state of a component to the least m such that it lies in a fair strongly
// connected set without labels of step n-m; states that lie in no such set keep n.
func (x *fairLoopSuffixes) minSuffixLoop(i scc.Component, cs *levels) {
	unset := x.c.States(i)
	x.findStepsInside(unset)
	for m := 0; m < x.n && len(unset) > 0; m++ {
		setAll := func(set []lts.State) bool {
			for _, s := range set {
				cs.set(s, m)
			}
			return true
		}
		abort.On(x.sets.In(i, unset, x.labelsHidden(m), setAll))
		if !x.present[x.n-m] {
			return // no transition of the component does this step, so all its fair sets have been found
		}
		unset = slices.DeleteFunc(slices.Clone(unset), func(s lts.State) bool {
			return cs.at(s) != x.n
		})
	}
}

// labelsHidden returns the labels of step n-m.
func (x *fairLoopSuffixes) labelsHidden(m int) bitset.Set[lts.Label] {
	if x.hidden[m] == nil {
		x.hidden[m] = x.sets.Hidden(func(l lts.Label) bool { return x.p.Does(l, x.n-m) })
	}
	return x.hidden[m]
}

// lowerByLeavingAll is [pass.lowerByLeaving] for all states of a component. If the component is large,
// all cores share the work, since the new values depend only on those of other components.
func (x *pass) lowerByLeavingAll(states []lts.State, cyclic bool, cs *levels) {
	// Without fairness runs end only in deadlocks, and a state on a cycle is no deadlock. So the
	// runs through most states of a cyclic component neither end there nor leave it.
	onlyLeaving := cyclic && x.runs.fairness == nil
	if x.cores == 1 || len(states) <= x.fewOnOneCore {
		for _, s := range states {
			if !onlyLeaving || x.c.Leaves(s) {
				x.count(x.lowerByLeaving(s, cs))
			}
		}
		return
	}
	works := make([]int, x.cores)
	lowerInRange := func(core int, first, end lts.State) error {
		return abort.Try(func() {
			for i, s := range between(states, first, end) {
				abort.IfDone(x.ctx, i)
				if !onlyLeaving || x.c.Leaves(s) {
					works[core] += x.lowerByLeaving(s, cs)
				}
			}
		})
	}
	abort.On(cores.TryInRanges(x.cores, x.m.NumStates(), lowerInRange))
	for _, work := range works {
		x.count(work)
	}
}

// lowerByLeaving is Algorithm 2, lines 3 and 5 to 7: it lowers the value of s to the suffixes of the
// runs that end in s, or leave its component by a transition from s. A run that ends in s has the empty
// suffix (line 3 of the published text lost a negation). lowerByLeaving returns the number of
// transitions that it read.
func (x *pass) lowerByLeaving(s lts.State, cs *levels) (work int) {
	switch {
	case x.runs.fairness.MayEnd(x.m, s):
		cs.set(s, 0)
		return 0
	case !x.c.Leaves(s):
		return 0
	}
	labels, targets := x.m.Out(s)
	for j, t := range targets {
		if !x.c.Same(s, t) && x.runs.Admits(t) {
			cs.lower(s, x.p.AdvanceSuffix(cs.at(t), labels.At(j)))
		}
	}
	return labels.Len()
}

// spreadSuffixes is Algorithm 1, lines 8 to 13, with predecessors instead of successors. States
// with the smallest value of the component cannot be lowered. The value of every other state is
// lowered to the values of its successors, in passes that need no predecessor rows. When passes
// lower too few states to be worth their time, the remaining work is done with a queue of lowered
// states.
func (x *pass) spreadSuffixes(states []lts.State, cs *levels) {
	lowest := x.n
	for _, s := range states {
		lowest = min(lowest, cs.at(s))
	}
	if x.spreadByPasses(states, lowest, cs) {
		return
	}
	for _, s := range states {
		if cs.at(s) <= lowest {
			continue
		}
		lowered, work := x.lowerToSuccessors(s, lowest, cs)
		if lowered {
			x.queue.push(s, cs.at(s))
		}
		x.count(work)
	}
	x.spreadFromQueue(cs)
}

// spreadByPasses lowers the value of each state of a component to the values of its successors,
// pass by pass; lowest is the smallest value in the component. It reports whether the values are
// final. It gives up when passes lower too few states to be worth their time.
func (x *pass) spreadByPasses(states []lts.State, lowest int, cs *levels) (complete bool) {
	b := x.passesThrough(states)
	for b.beginNext() {
		for i := range states {
			s := b.inTurn(i)
			if cs.at(s) <= lowest {
				continue
			}
			lowered, work := x.lowerToSuccessors(s, lowest, cs)
			b.count(lowered, work)
			x.count(work)
		}
		if b.changed == 0 {
			return true
		}
	}
	return false
}

// spreadFromQueue lowers the values of states with transitions to states in the queue.
func (x *pass) spreadFromQueue(cs *levels) {
	for {
		s, suffix, ok := x.queue.pop()
		if !ok {
			return
		}
		x.findPredecessors()
		if suffix > cs.at(s) {
			continue
		}
		labels, sources := x.before.In(s)
		for j, t := range sources {
			value := x.p.AdvanceSuffix(suffix, labels.At(j))
			if x.c.Same(s, t) && cs.lower(t, value) {
				x.queue.push(t, value)
			}
		}
		x.count(1 + labels.Len())
	}
}

// lowerToSuccessors lowers the value of s to the suffixes of the runs that go on to a successor in the
// same component. lowest is the smallest value in the component. It reports whether the value changed,
// and returns the number of transitions that it read.
func (x *pass) lowerToSuccessors(s lts.State, lowest int, cs *levels) (lowered bool, work int) {
	labels, targets := x.m.Out(s)
	leaves := x.c.Leaves(s)
	value := x.n
	work = 1
	for j, t := range targets {
		work++
		if leaves && !x.c.Same(s, t) {
			continue
		}
		value = min(value, x.p.AdvanceSuffix(cs.at(t), labels.At(j)))
		if value == lowest {
			break
		}
	}
	return cs.lower(s, value), work
}
