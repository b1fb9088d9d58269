package view

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
)

// firstShown is the first of the ends that stand for the shown neighbourhoods, which follow the
// other ends: an end is the first thing that a run reaches after a neighbourhood.
const firstShown = Elsewhere + 1

// endSets has, for each state that is no neighbourhood, the set of ends that runs reach from it by
// neutral transitions through such states.
type endSets struct {
	s     *subject
	index map[lts.State]End // the ends that stand for shown neighbourhoods
	words int               // the number of words of one set
	sets  []uint64
}

// findEnds computes the sets, one for each strongly connected component, successors first. Cost O(S
// + T) set operations on ⌈ends/64⌉ words each. It fails if ctx is done or memory is short.
func findEnds(ctx context.Context, s *subject, shown []lts.State) *endSets {
	f := &endSets{s: s, index: map[lts.State]End{}}
	for i, state := range shown {
		f.index[state] = firstShown + End(i)
	}
	f.words = bitset.Words(int(firstShown) + len(shown))
	abort.On(resources.Ask(ctx, int64(s.m.NumStates())*int64(8*f.words)))
	f.sets = make([]uint64, s.m.NumStates()*f.words)
	abort.On(scc.Within(ctx, s.m, f.goesOn, f.unite))
	abort.On(ctx.Err())
	return f
}

// goesOn reports whether a transition is neutral, and both its states are no
// neighbourhoods.
func (f *endSets) goesOn(from lts.State, label lts.Label, to lts.State) bool {
	return f.between(from) && f.between(to) && f.neutral(from, label, to)
}

// unite computes the set of a component. The sets of all successors outside it must be complete.
func (f *endSets) unite(states []lts.State, cyclic bool) {
	m, first := f.s.m, states[0]
	if !f.between(first) {
		return
	}
	all := f.set(first)
	if cyclic {
		all.Add(Endless)
	}
	for _, state := range states {
		if m.IsDeadlock(state) {
			all.Add(Stuck)
		}
		labels, targets := m.Out(state)
		for j, to := range targets {
			switch e, ends := f.endOf(lts.Transition{From: state, Label: labels.At(j), To: to}); {
			case ends:
				all.Add(e)
			case !f.neutral(state, labels.At(j), to): // no run that counts takes it
			default:
				all.AddAll(f.set(to)) // still empty if to is in the same component
			}
		}
	}
	for _, state := range states[1:] {
		f.set(state).AddAll(all)
	}
}

// between reports whether a state has a set: it is reachable and no neighbourhood.
func (f *endSets) between(state lts.State) bool {
	return f.s.m.Reachable().Has(state) && f.s.kind(state) == 0
}

func (f *endSets) neutral(from lts.State, label lts.Label, to lts.State) bool {
	return f.s.classes.Class(from, label, to) == neighbourhood.Neutral
}

// endOf returns the end that a transition itself reaches; false if its target has a set.
func (f *endSets) endOf(t lts.Transition) (End, bool) {
	switch f.s.class(t) {
	case neighbourhood.Correct:
		return Satisfied, true
	case neighbourhood.Incorrect:
		return Violated, true
	}
	if f.s.kind(t.To) == 0 {
		return 0, false
	}
	if e, is := f.index[t.To]; is {
		return e, true
	}
	return Elsewhere, true
}

func (f *endSets) set(state lts.State) bitset.Set[End] {
	return f.sets[int(state)*f.words : (int(state)+1)*f.words]
}

// after returns the ends of the runs that begin with a transition, ascending.
func (f *endSets) after(t lts.Transition) []End {
	if e, ends := f.endOf(t); ends {
		return []End{e}
	}
	return slices.Collect(f.set(t.To).All)
}
