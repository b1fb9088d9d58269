package certificate

import (
	"context"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/fairset"
)

// refinement splits sets of states until in each part either fair runs can stay for ever, or none
// can.
type refinement struct {
	parts *scc.Parts
	m     *lts.LTS
	f     *property.Fairness
	tasks *fairset.Tasks
	// shows selects the transitions that a run may take for ever.
	shows func(from lts.State, l lts.Label, to lts.State) bool
	// wanted are colours that a run must meet again and again, and marks returns the colours
	// of a transition; of a chain there are none.
	wanted property.Marks
	marks  func(from lts.State, l lts.Label) property.Marks

	// within[s] is the number of the last part with s, component[s] the number of its last
	// component, rank[s] the rank of this among the components of the part.
	within, component, rank []uint32
	works, count            uint32
	// turn[s] is the turn that removed s from a component that is split in turns, inner[s] its rank
	// among the states of that turn.
	turn, inner []uint32
}

// refined are the functions that receive the results for states. Each state lies in a set that
// neglects tasks, from 1, or in none, 0.
type refined struct {
	// trivial receives a state without a cycle, its rank and its set.
	trivial func(s lts.State, rank, set uint32)
	// neglected receives a component that takes none of the tasks, with its rank and set. It
	// returns a number for the component as a set.
	neglected func(set, rank uint32, tasks []uint32) uint32
	// colourless is neglected for a component where one of the wanted colours is missing.
	colourless func(set, rank uint32, missing property.Marks) uint32
	// removed receives a state that enables a task of its set, or that lies in a set without a
	// wanted colour.
	removed func(s lts.State, set uint32)
	// fair receives a component that fair runs stay in.
	fair func(states []lts.State) error
}

// newRefinement returns a refinement in m; for stays see [fairset.NewTasks].
func newRefinement(ctx context.Context, parts *scc.Parts, m *lts.LTS, f *property.Fairness, stays func(from, to lts.State) bool) (*refinement, error) {
	tasks, err := fairset.NewTasks(ctx, m, f, parts, stays)
	size := m.NumStates()
	return &refinement{parts: parts, m: m, f: f, tasks: tasks, within: make([]uint32, size), component: make([]uint32, size), rank: make([]uint32, size)}, err
}

// part is a set of states that is still to be split, and the number of the set
// of evidence that contains it.
type part struct {
	states []lts.State
	set    uint32
}

// refine splits a set of states. Each component, by the transitions that shows selects, gets a
// rank: one more than the largest rank of other components that its transitions lead to. It removes
// states that enable a strong task which the component does not take, and splits the rest again. A
// component whose states all enable a task that it does not take is removed as a whole. Cost
// O((k+1)(S + T)) for k strong tasks, mostly O(S + T).
func (x *refinement) refine(states []lts.State, r refined) error {
	work := []part{{states, 0}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		x.works++
		for _, s := range at.states {
			x.within[s] = x.works
		}
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

// takeApart passes a component, or some of its states, to the functions of r, and returns the
// states that are still to be split, if any.
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
	if missing := x.wanted &^ x.met(component); missing != 0 {
		number := r.colourless(set, rank, missing)
		for _, s := range component {
			r.removed(s, number)
		}
		return part{}, nil
	}
	x.tasks.Count(component, x.shows)
	weak, strong := x.tasks.Neglected(component)
	switch {
	case len(weak) > 0:
		number := r.neglected(set, rank, weak[:1])
		for _, s := range component {
			r.removed(s, number)
		}
		return part{}, nil
	case len(strong) == 0:
		return part{}, r.fair(component)
	}
	turns, left, err := x.tasks.Turns(component, x.shows)
	if err != nil {
		return part{}, err
	}
	return x.nest(part{component, set}, rank, turns, left, r), nil
}

// look returns the rank of a component, and whether it has a cycle.
func (x *refinement) look(component []lts.State) (rank uint32, cyclic bool) {
	for _, s := range component {
		labels, targets := x.m.Out(s)
		for i, t := range targets {
			switch {
			case x.within[t] != x.works || !x.shows(s, labels.At(i), t):
			case x.component[t] == x.count:
				cyclic = true
			default:
				rank = max(rank, x.rank[t])
			}
		}
	}
	return rank + 1, cyclic
}

// met returns the wanted colours that transitions within a component have.
func (x *refinement) met(component []lts.State) (met property.Marks) {
	if x.wanted == 0 {
		return 0
	}
	for _, s := range component {
		labels, targets := x.m.Out(s)
		for i, t := range targets {
			if x.component[t] == x.count && x.shows(s, labels.At(i), t) {
				met |= x.marks(s, labels.At(i)) & x.wanted
			}
		}
	}
	return met
}

// nest makes sets of a component that falls apart in turns: one of what was left before each turn, within
// the set of the turn before. It returns the part that is still to be taken apart, in the last of these sets.
func (x *refinement) nest(component part, rank uint32, turns []fairset.Turn, left []lts.State, r refined) part {
	last := len(turns) - 1
	if last > 0 && x.turn == nil {
		x.turn, x.inner = make([]uint32, x.m.NumStates()), make([]uint32, x.m.NumStates())
	}
	if last > 0 {
		x.number(component.states, turns)
	}
	number := component.set
	for i, turn := range turns {
		number = r.neglected(number, rank, turn.Tasks)
		for _, s := range turn.Gone {
			r.removed(s, number)
		}
		if i == last {
			break
		}
		// States without outgoing transitions lead only to earlier ones; the set of the next turn
		// may lead to these; states without incoming transitions may lead to all of them, and to
		// later ones.
		below := func(s lts.State) (rank uint32) {
			x.each(s, func(t lts.State) {
				if x.turn[t] == uint32(i) {
					rank = max(rank, x.inner[t])
				}
			})
			return rank + 1
		}
		rank = 1
		for _, s := range turn.Ends {
			x.inner[s] = below(s)
			r.trivial(s, x.inner[s], number)
			labels, sources := x.m.Predecessors().In(s)
			for j, from := range sources {
				if x.component[from] == x.count && x.turn[from] > uint32(i) && x.shows(from, labels.At(j), s) {
					rank = max(rank, x.inner[s]+1)
				}
			}
		}
		for j := range turn.Begins {
			s := turn.Begins[len(turn.Begins)-1-j]
			x.inner[s] = below(s)
			x.each(s, func(t lts.State) {
				if x.turn[t] > uint32(i) {
					x.inner[s] = max(x.inner[s], rank+1)
				}
			})
			r.trivial(s, x.inner[s], number)
		}
	}
	return part{append(append(left, turns[last].Ends...), turns[last].Begins...), number}
}

// number sets the turn that removes each state of a component; the last turn for states that are
// left.
func (x *refinement) number(component []lts.State, turns []fairset.Turn) {
	for _, s := range component {
		x.turn[s], x.inner[s] = uint32(len(turns)-1), 0
	}
	for i, turn := range turns {
		for _, states := range [][]lts.State{turn.Gone, turn.Ends, turn.Begins} {
			for _, s := range states {
				x.turn[s] = uint32(i)
			}
		}
	}
}

// each calls do with the targets of the selected transitions of s within its component.
func (x *refinement) each(s lts.State, do func(t lts.State)) {
	labels, targets := x.m.Out(s)
	for i, t := range targets {
		if x.component[t] == x.count && x.shows(s, labels.At(i), t) {
			do(t)
		}
	}
}

// leads reports whether some transition leaves the component, or is not selected.
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
