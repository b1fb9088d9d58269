package certificate

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/fairset"
)

// refinement splits sets of states until in each part fair runs can stay for ever, or no fair run
// can.
type refinement struct {
	parts *scc.Parts
	m     *lts.LTS
	f     *property.Fairness
	tasks *fairset.Tasks
	// shows selects the transitions that a run may take for ever.
	shows func(from lts.State, l lts.Label, to lts.State) bool
	// wanted are the colours that a run must meet again and again, and marks returns the colours of
	// a transition; for a chain there are none.
	wanted property.Marks
	marks  func(from lts.State, l lts.Label) property.Marks

	// within[s] is the number of the last part that s was in, component[s] the number of its
	// component in this part, and rank[s] the rank of this component.
	within, component, rank []uint32
	works, count            uint32
	// turn[s] is the turn that removed s from a component that is split in turns, and inner[s] the
	// rank of s among the states of this turn.
	turn, inner []uint32
}

// refined are functions that receive the results for states. set is the number (from 1) of the set
// of neglected tasks that has the states; 0 for none.
type refined struct {
	// trivial receives a state without a cycle, its rank and its set.
	trivial func(s lts.State, rank, set uint32)
	// neglected receives a component that neglects the tasks, with its rank and set. It returns the
	// number of the component as a set.
	neglected func(set, rank uint32, tasks []uint32) uint32
	// colourless is like neglected, for a component without one of the wanted colours.
	colourless func(set, rank uint32, missing property.Marks) uint32
	// removed receives a state that enables a task of its set, or whose set lacks a wanted colour.
	removed func(s lts.State, set uint32)
	// fair receives a component where fair runs can stay.
	fair func(states []lts.State)
}

// newRefinement returns a refinement in m; for stays see [fairset.NewTasks].
func newRefinement(ctx context.Context, parts *scc.Parts, m *lts.LTS, f *property.Fairness, stays func(from, to lts.State) bool) *refinement {
	tasks := abort.Must(fairset.NewTasks(ctx, m, f, parts, stays))
	size := m.NumStates()
	return &refinement{parts: parts, m: m, f: f, tasks: tasks, within: make([]uint32, size), component: make([]uint32, size), rank: make([]uint32, size)}
}

// part is a set of states that is still to be split, with the number of the
// set of the evidence that it is in.
type part struct {
	states []lts.State
	set    uint32
}

// refine splits a set of states. Each component, by the transitions that the function shows
// selects, gets a rank: one more than the largest rank of other components that its transitions
// lead to. It removes states that enable a strong task which the component does not take, and
// splits the remaining ones again. A component whose states all enable a task that it does not take
// is removed as a whole. Cost O((k+1)(S + T)) for k strong tasks, mostly O(S + T).
func (x *refinement) refine(states []lts.State, r refined) {
	work := []part{{states, 0}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		x.works++
		for _, s := range at.states {
			x.within[s] = x.works
		}
		for component := range abort.Must(x.parts.Components(at.states, x.shows)) {
			if left := x.takeApart(component, at.set, r); len(left.states) > 0 {
				work = append(work, left)
			}
		}
	}
}

// takeApart passes a component, or states of it, to the functions of r, and returns the states that
// are still to be split.
func (x *refinement) takeApart(component []lts.State, set uint32, r refined) part {
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
		return part{}
	}
	if x.f.Full() {
		if x.leads(component) {
			return part{}
		}
		r.fair(component)
		return part{}
	}
	if missing := x.wanted &^ x.met(component); missing != 0 {
		number := r.colourless(set, rank, missing)
		for _, s := range component {
			r.removed(s, number)
		}
		return part{}
	}
	x.tasks.Count(component, x.shows)
	weak, strong := x.tasks.Neglected(component)
	switch {
	case len(weak) > 0:
		number := r.neglected(set, rank, weak[:1])
		for _, s := range component {
			r.removed(s, number)
		}
		return part{}
	case len(strong) == 0:
		r.fair(component)
		return part{}
	}
	turns, left, err := x.tasks.Turns(component, x.shows)
	abort.On(err)
	return x.nest(part{component, set}, rank, turns, left, r)
}

// look returns the rank of a component, and reports whether it has a cycle.
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

// met returns those wanted colours that transitions within a component have.
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

// nest makes sets of a component that falls apart in turns. The set of a turn is what is left
// before it, and lies in the set of the turn before. It returns the part that is left at the end,
// and the last set.
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
		// Within a turn, states without outgoing transitions come first. The set of the next turn
		// may lead to these. States without incoming transitions come last: they may lead to all of
		// these, and to later ones.
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

// number records the turn that removes each state of a component; the last turn for the states that
// are left.
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
