package view

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/resources"
)

// end is what a run comes to from one neighbourhood on without passing another one:
// one of the kinds below, or a neighbourhood, as index above them.
type end int

const (
	satisfied  end = iota // by a correct transition
	violated              // by an incorrect one
	stuck                 // a deadlock, all transitions to which are neutral
	endless               // a cycle of neutral transitions without a neighbourhood
	elsewhere             // a neighbourhood that is not shown
	firstShown            // the first of the neighbourhoods that are shown
)

// endSets tells for every state that is no neighbourhood which ends a run can come
// to from there, by neutral transitions between such states.
type endSets struct {
	s     *subject
	index map[lts.State]end // of the neighbourhoods that are shown
	words int               // of one set
	sets  []uint64
}

// findEnds computes the sets. It goes backwards from the ends, and a state anew
// whenever its set has grown. Cost O(S + T) set operations in most models, times the
// number of ends in the worst case; ⌈ends/64⌉ words a state. It fails where ctx is
// done, or has too little memory.
func findEnds(ctx context.Context, s *subject, shown []lts.State) (*endSets, error) {
	f := &endSets{s: s, index: map[lts.State]end{}}
	for i, state := range shown {
		f.index[state] = firstShown + end(i)
	}
	f.words = bitset.Words(int(firstShown) + len(shown))
	if err := s.m.FindPredecessors(ctx); err != nil {
		return nil, err
	}
	// The sets, what is left of each state, two queues, and who is in one.
	if err := resources.Ask(ctx, int64(s.m.NumStates())*int64(8*f.words+4+8+1)); err != nil {
		return nil, err
	}
	f.sets = make([]uint64, s.m.NumStates()*f.words)
	queue := f.seed()
	queued := make([]bool, s.m.NumStates())
	for _, state := range queue {
		queued[state] = true
	}
	for round := 0; len(queue) > 0; round++ {
		if round&(1<<16-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		last := len(queue) - 1
		state := queue[last]
		queue, queued[state] = queue[:last], false
		labels, sources := s.m.Predecessors().In(state)
		for i, from := range sources {
			if f.between(from) && f.neutral(from, labels[i], state) && f.join(from, state) && !queued[from] {
				queued[from] = true
				queue = append(queue, from)
			}
		}
	}
	return f, nil
}

// between reports whether a state has a set.
func (f *endSets) between(state lts.State) bool {
	return f.s.m.Reachable().Has(state) && f.s.kind(state) == 0
}

func (f *endSets) neutral(from lts.State, label lts.Label, to lts.State) bool {
	return f.s.classes.Class(from, label, to) == neighbourhood.Neutral
}

// seed puts the ends into the sets that are reached by one transition, and returns
// the states with such a set. A state from which neutral transitions between states
// without neighbourhoods go on for ever is what remains when those from which they
// do not are taken away one by one.
func (f *endSets) seed() []lts.State {
	m := f.s.m
	left := make([]int32, m.NumStates())
	var queue, over []lts.State
	for i := range m.NumStates() {
		state := lts.State(i)
		if !f.between(state) {
			continue
		}
		if m.IsDeadlock(state) {
			f.add(state, stuck)
		}
		labels, targets := m.Out(state)
		for j, to := range targets {
			if e, ends := f.endOf(lts.Transition{From: state, Label: labels[j], To: to}); ends {
				f.add(state, e)
			} else if f.neutral(state, labels[j], to) { // no run that counts takes others
				left[i]++
			}
		}
		if left[i] == 0 {
			over = append(over, state)
		}
		queue = append(queue, state)
	}
	for len(over) > 0 {
		state := over[len(over)-1]
		over = over[:len(over)-1]
		labels, sources := m.Predecessors().In(state)
		for i, from := range sources {
			if f.between(from) && f.neutral(from, labels[i], state) {
				if left[from]--; left[from] == 0 {
					over = append(over, from)
				}
			}
		}
	}
	for _, state := range queue {
		if left[state] > 0 {
			f.add(state, endless)
		}
	}
	return queue
}

// endOf returns the end that a transition comes to at once; false where it leads to
// a state between.
func (f *endSets) endOf(t lts.Transition) (end, bool) {
	switch f.s.class(t) {
	case neighbourhood.Correct:
		return satisfied, true
	case neighbourhood.Incorrect:
		return violated, true
	}
	if f.s.kind(t.To) == 0 {
		return 0, false
	}
	if e, is := f.index[t.To]; is {
		return e, true
	}
	return elsewhere, true
}

func (f *endSets) set(state lts.State) bitset.Set[end] {
	return f.sets[int(state)*f.words : (int(state)+1)*f.words]
}

func (f *endSets) add(state lts.State, e end) { f.set(state).Add(e) }

// join adds the set of one state to that of another, and reports whether that grew.
func (f *endSets) join(into, from lts.State) bool {
	return f.set(into).AddAll(f.set(from))
}

// after returns the ends that runs come to which begin with a transition, in
// ascending order.
func (f *endSets) after(t lts.Transition) []end {
	if e, ends := f.endOf(t); ends {
		return []end{e}
	}
	return slices.Collect(f.set(t.To).All)
}
