package certificate

import (
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// refinement takes sets of states apart until in each of the parts fair runs can stay for
// ever, or none can.
type refinement struct {
	parts *scc.Parts
	m     *lts.LTS
	f     *property.Fairness
	// shows selects the transitions that a run may take for ever.
	shows func(from lts.State, l lts.Label, to lts.State) bool

	// component[s] is the number of the component in which s was met last, rank[s] its
	// rank among those of the same part.
	component, rank []uint32
	count           uint32
	tasks           []taskOf
	touched         []uint32
}

// taskOf is what a component means for a task; it counts where component is its number.
type taskOf struct {
	component uint32
	taken     bool
	enabled   int // in how many of its states
	last      lts.State
}

// refined says what becomes of states: each lies in a set that was found to neglect tasks,
// from 1, or in none, 0.
type refined struct {
	// trivial has a state without a cycle, its rank and its set.
	trivial func(s lts.State, rank, set uint32)
	// neglected has a component that takes none of the tasks, and its rank and set. It
	// returns its number.
	neglected func(set, rank uint32, tasks []uint32) uint32
	// removed has a state that enables one of the tasks of its set.
	removed func(s lts.State, set uint32)
	// fair has a component in which fair runs stay.
	fair func(states []lts.State) error
}

func newRefinement(parts *scc.Parts, m *lts.LTS, f *property.Fairness) *refinement {
	size := m.NumStates()
	return &refinement{parts: parts, m: m, f: f, component: make([]uint32, size), rank: make([]uint32, size), tasks: make([]taskOf, len(f.Tasks()))}
}

// part is a part of the states that is still to be taken apart, within a set.
type part struct {
	states []lts.State
	set    uint32
}

// refine takes a set of states apart. A component of it, without the transitions that are
// not shown, gets as its rank one more than the largest of the other ones that its
// transitions lead to. States in which a strong task is enabled that it does not take are
// removed, and what is left is taken apart again; one of which all states enable a task
// that is not taken is removed as a whole. Cost O((k+1)(S + T)) for k strong tasks.
func (x *refinement) refine(states []lts.State, r refined) error {
	work := []part{{states, 0}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		err := x.parts.Components(at.states, x.shows, func(component []lts.State) (bool, error) {
			left, err := x.takeApart(component, at.set, r)
			if len(left.states) > 0 {
				work = append(work, left)
			}
			return err == nil, err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// takeApart says what becomes of a component of the part that the search is in, and returns
// what is left of it.
func (x *refinement) takeApart(component []lts.State, set uint32, r refined) (part, error) {
	x.count++
	for _, s := range component {
		x.component[s] = x.count
	}
	rank, cyclic := x.look(component)
	for _, s := range component {
		x.rank[s] = rank
	}
	if !cyclic {
		r.trivial(component[0], rank, set)
		return part{}, nil
	}
	if x.f.Full() {
		if x.leads(component) {
			return part{}, nil
		}
		return part{}, r.fair(component)
	}
	tasks, all := x.neglects(component)
	if len(tasks) == 0 {
		return part{}, r.fair(component)
	}
	left := part{set: r.neglected(set, rank, tasks)}
	for _, s := range component {
		if all || x.enables(s) {
			r.removed(s, left.set)
		} else {
			left.states = append(left.states, s)
		}
	}
	return left, nil
}

// look returns the rank of a component, and whether it has a cycle, and counts its tasks.
func (x *refinement) look(component []lts.State) (rank uint32, cyclic bool) {
	x.touched = x.touched[:0]
	for _, s := range component {
		labels, targets := x.m.Out(s)
		for i, t := range targets {
			shown := x.parts.Has(t) && x.shows(s, labels.At(i), t)
			inside := shown && x.component[t] == x.count
			cyclic = cyclic || inside
			if shown && !inside {
				rank = max(rank, x.rank[t])
			}
			for _, k := range x.f.TasksOf(labels.At(i)) {
				x.countTask(k, s, t)
			}
			if inside {
				x.take(labels.At(i), s, t)
			}
		}
	}
	return rank + 1, cyclic
}

func (x *refinement) countTask(k uint32, s, t lts.State) {
	if s == t && x.f.Tasks()[k].Nonstuttering {
		return
	}
	if of := x.touch(k); of.last != s {
		of.last = s
		of.enabled++
	}
}

// take notes which tasks a transition within the component does, or interferes with.
func (x *refinement) take(l lts.Label, s, t lts.State) {
	for _, k := range x.f.MetBy(l) {
		if s != t || !x.f.Tasks()[k].Nonstuttering {
			x.touch(k).taken = true
		}
	}
}

// touch returns what the component means for a task.
func (x *refinement) touch(k uint32) *taskOf {
	of := &x.tasks[k]
	if of.component != x.count {
		*of = taskOf{component: x.count, last: lts.MaxStates}
		x.touched = append(x.touched, k)
	}
	return of
}

// leads reports whether some transition leads out of the component that was looked at, or
// is not shown.
func (x *refinement) leads(component []lts.State) bool {
	for _, s := range component {
		labels, targets := x.m.Out(s)
		for i, t := range targets {
			if x.component[t] != x.count || !x.shows(s, labels.At(i), t) {
				return true
			}
		}
	}
	return false
}

// neglects returns tasks, ascending, that the component which was looked at neglects: the
// first one that all of its states enable, otherwise all that are strong.
func (x *refinement) neglects(component []lts.State) (tasks []uint32, all bool) {
	for _, k := range x.touched {
		switch of := &x.tasks[k]; {
		case of.taken:
		case of.enabled == len(component):
			return []uint32{k}, true
		case x.f.Tasks()[k].Strong:
			tasks = append(tasks, k)
		}
	}
	slices.Sort(tasks)
	return tasks, false
}

// enables reports whether s enables a strong task that the component which was looked at
// does not take.
func (x *refinement) enables(s lts.State) bool {
	labels, targets := x.m.Out(s)
	for i := range labels.Len() {
		l := labels.At(i)
		for _, k := range x.f.TasksOf(l) {
			of := x.f.Tasks()[k]
			if of.Strong && !x.tasks[k].taken && !(of.Nonstuttering && targets[i] == s) {
				return true
			}
		}
	}
	return false
}
