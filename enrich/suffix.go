package enrich

import "github.com/inev-lts/inev/lts"

// maxSuffixes: SEFM'18, section 3.2, "Max Suffix Calculation". The largest value
// that a component's outgoing transitions bring (0 for the traces that stay),
// extended backwards by the steps inside it.
func (x *pass) maxSuffixes() levels {
	ms := newLevels(x.m.NumStates(), x.n, 0)
	present, seen := make([]bool, x.n+1), map[lts.Label]bool{}
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(Component(i))
		value := 0
		for _, s := range states {
			labels, targets := x.m.Out(s)
			for j, t := range targets {
				if !x.c.Same(s, t) {
					value = max(value, x.p.AdvanceSuffix(ms.at(t), labels[j]))
				}
			}
			if x.stopped(1 + len(labels)) {
				return ms
			}
		}
		if x.c.IsCyclic(Component(i)) {
			x.stepsInside(states, present, seen)
			for value < x.n && present[x.n-value] {
				value++
			}
		}
		for _, s := range states {
			ms.set(s, value)
		}
	}
	return ms
}

// commonSuffixes: SEFM'18, Algorithm 2 for the initial values, then as in
// Algorithm 1, against the direction of the transitions.
func (x *pass) commonSuffixes() levels {
	cs := newLevels(x.m.NumStates(), x.n, x.n)
	loops := newLoopSuffixes(x)
	for i := x.c.Len() - 1; i >= 0; i-- {
		states := x.c.States(Component(i))
		cyclic := x.c.IsCyclic(Component(i))
		if cyclic {
			loops.minSuffixLoop(Component(i), &cs)
		}
		for _, s := range states {
			x.leaveSuffix(s, &cs)
		}
		if cyclic {
			x.spreadSuffixes(states, &cs)
		}
		if x.stopped(len(states)) {
			return cs
		}
	}
	return cs
}

// leaveSuffix: Algorithm 2, lines 3 and 5 to 7. A deadlock has the empty suffix
// (line 3 of the published text lost a negation).
func (x *pass) leaveSuffix(s lts.State, cs *levels) {
	labels, targets := x.m.Out(s)
	if len(labels) == 0 {
		cs.set(s, 0)
	}
	for j, t := range targets {
		if !x.c.Same(s, t) {
			cs.lower(s, x.p.AdvanceSuffix(cs.at(t), labels[j]))
		}
	}
	x.stopped(len(labels))
}

// spreadSuffixes: Algorithm 1, lines 8 to 13, with predecessors in the place of
// successors.
func (x *pass) spreadSuffixes(states []lts.State, cs *levels) {
	for _, s := range states {
		if value := cs.at(s); value < x.n {
			x.queue.push(s, value)
		}
	}
	before := x.m.Predecessors()
	for {
		s, key, ok := x.queue.pop()
		if !ok {
			return
		}
		if key > cs.at(s) {
			continue
		}
		labels, sources := before.In(s)
		for j, t := range sources {
			if value := x.p.AdvanceSuffix(key, labels[j]); x.c.Same(s, t) && cs.lower(t, value) {
				x.queue.push(t, value)
			}
		}
		if x.stopped(1 + len(labels)) {
			return
		}
	}
}

// loopSuffixes computes MINSUFFIXLOOP of Algorithm 2, line 4, by removing the
// labels of one step after the other.
type loopSuffixes struct {
	*pass
	present []bool
	seen    map[lts.Label]bool
	cycles  *cycleSearch // nil until a component asks for it
}

func newLoopSuffixes(x *pass) *loopSuffixes {
	return &loopSuffixes{
		pass:    x,
		present: make([]bool, x.n+1),
		seen:    map[lts.Label]bool{},
	}
}

// minSuffixLoop sets every state of a cyclic component to the least m such that
// a cycle through it avoids every label of step n-m; states all of whose cycles
// meet all steps keep n. Cost O(n (S + T)) of the component, less where a step
// has no label inside it: then every cycle avoids that step.
func (x *loopSuffixes) minSuffixLoop(i Component, cs *levels) {
	states := x.c.States(i)
	x.stepsInside(states, x.present, x.seen)
	left := len(states)
	for m := 0; m < x.n && left > 0; m++ {
		if !x.present[x.n-m] {
			for _, s := range states {
				cs.lower(s, m)
			}
			return
		}
		if x.cycles == nil {
			x.cycles = newCycleSearch(x.c)
		}
		does := func(l lts.Label) bool { return x.p.Does(l, x.n-m) }
		err := x.cycles.avoiding(x.ctx, does, i, func(s lts.State) {
			if cs.lower(s, m) {
				left--
			}
		})
		if err != nil {
			x.err = err
			return
		}
	}
}
