package enrich

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// around is a call of [FairSets.Around]. Its result is the same for any number of
// workers: each examines a range of states, and their findings about labels and
// tasks are joined.
type around struct {
	*FairSets
	hidden  bitset.Set[lts.Label]
	workers int
}

// Kinds of transitions with a label, a bit each.
const (
	leads       = 1 << iota // a transition leads to another state
	loops                   // a transition leads to the state itself
	leadsInside             // a visible transition leads to another state of the set
	loopsInside
)

// without returns, from an ascending list of states, the states that enable no
// strong task all of whose labels, and all labels that interfere with it, are
// hidden. A fair set has no other states.
func (x *around) without(states []lts.State) bitset.Set[lts.State] {
	m := x.c.LTS()
	misses := x.missing()
	left := bitset.New[lts.State](m.NumStates())
	cores.InRanges(x.workers, m.NumStates(), func(_ int, first, end lts.State) {
		for i, s := range between(states, first, end) {
			if i&(1<<14-1) == 0 {
				abort.On(x.ctx.Err())
			}
			if misses == nil || !x.misses(s, misses) {
				left.Add(s)
			}
		}
	})
	return left
}

// misses reports whether a transition from s enables a task that is never taken.
// by is the result of [around.missing].
func (x *around) misses(s lts.State, by []uint8) bool {
	labels, targets := x.c.LTS().Out(s)
	for j, to := range targets {
		if how := by[labels.At(j)]; how != 0 && how&way(s, to) != 0 {
			return true
		}
	}
	return false
}

// way returns the kind of a transition: whether it is a self-loop, as a bit.
func way(from, to lts.State) uint8 {
	if from == to {
		return loops
	}
	return leads
}

// missing returns for each label the kinds of its transitions that enable a
// strong task whose labels are all hidden; nil if there are none.
func (x *around) missing() []uint8 {
	misses := make([]uint8, x.c.LTS().Alphabet().Len())
	known := make([]uint8, len(x.f.Tasks())) // 1 if the task may be taken, 2 if not
	some := false
	for l := range x.hidden.All {
		for _, k := range x.f.TasksOf(l) {
			t := &x.f.Tasks()[k]
			if !t.Strong {
				continue
			}
			if known[k] == 0 {
				known[k] = 2
				if x.f.SomeMeeting(k, func(l lts.Label) bool { return !x.hidden.Has(l) }) {
					known[k] = 1
				}
			}
			if known[k] == 1 {
				continue
			}
			some = true
			misses[l] |= x.by(k)
		}
	}
	if !some {
		return nil
	}
	return misses
}

// fair reports whether a set that is strongly connected, or a single state, has
// transitions that are not hidden, and is fair: it takes each strong task that it
// enables, and each weak one that all of its states enable.
func (x *around) fair(set bitset.Set[lts.State]) bool {
	does := x.labelsOf(set)
	taken := func(k uint32) bool {
		by := x.by(k) * leadsInside
		inside := func(l lts.Label) bool { return does[l]&by != 0 }
		return slices.ContainsFunc(x.f.Tasks()[k].Labels, inside) || x.f.Justness() != nil && x.f.SomeMeeting(k, inside)
	}
	some := false
	for l, how := range does {
		some = some || how&(leadsInside|loopsInside) != 0
		if how == 0 {
			continue
		}
		for _, k := range x.f.TasksOf(lts.Label(l)) {
			if x.f.Tasks()[k].Strong && how&x.by(k) != 0 && !taken(k) {
				return false
			}
		}
	}
	return some && !x.everywhere(set, func(k uint32) bool { return !taken(k) })
}

// by returns the kinds of transitions that belong to a task: all, or those that
// are not self-loops.
func (x *around) by(k uint32) uint8 {
	if x.f.Tasks()[k].Nonstuttering {
		return leads
	}
	return leads | loops
}

// labelsOf returns for each label the kinds of its transitions from the states of
// a set. Once a label has a transition between two states of the set, its further
// transitions are skipped.
func (x *around) labelsOf(set bitset.Set[lts.State]) []uint8 {
	m := x.c.LTS()
	each := make([][]uint8, x.workers)
	cores.InRanges(x.workers, m.NumStates(), func(w int, first, end lts.State) {
		does := make([]uint8, m.Alphabet().Len())
		each[w] = does
		for s := range set.From(first) {
			if s >= end {
				return
			}
			if s&(1<<14-1) == 0 {
				abort.On(x.ctx.Err())
			}
			labels, targets := m.Out(s)
			for j, to := range targets {
				l := labels.At(j)
				if does[l]&leadsInside != 0 {
					continue
				}
				how := way(s, to)
				if set.Has(to) && !x.hidden.Has(l) {
					how |= how * leadsInside
				}
				does[l] |= how
			}
		}
	})
	for _, other := range each[1:] {
		for l, how := range other {
			each[0][l] |= how
		}
	}
	return each[0]
}

// everywhere reports whether all states of a set, which is not empty, enable one
// common task for which wanted returns true.
func (x *around) everywhere(set bitset.Set[lts.State], wanted func(k uint32) bool) bool {
	var tasks, here []uint32
	first := true
	for s := range set.All {
		labels, targets := x.c.LTS().Out(s)
		here = here[:0]
		for j, to := range targets {
			for _, k := range x.f.TasksOf(labels.At(j)) {
				if x.by(k)&way(s, to) != 0 && (first || slices.Contains(tasks, k)) {
					here = append(here, k)
				}
			}
		}
		if first {
			slices.Sort(here)
			here = slices.DeleteFunc(slices.Compact(here), func(k uint32) bool { return !wanted(k) })
		}
		if first = false; len(here) == 0 {
			return false
		}
		tasks, here = here, tasks
	}
	return true
}
