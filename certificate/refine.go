package certificate

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
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

// refined are functions that receive the results for states. set is the number (from 1) of the
// smallest set that has the state; 0 for none.
type refined struct {
	// place receives a state and its set: with its rank, from 1, if the state is without a cycle; with
	// rank 0 if it enables a task of its set, or its set lacks a wanted colour.
	place func(s lts.State, rank, set uint32)
	// neglected receives a component that neglects tasks, or lacks a wanted colour. It returns the
	// number of the component as a set.
	neglected func(neglecting) uint32
	// fair receives a component where fair runs can stay.
	fair func(states []lts.State)
}

// newRefinement returns a refinement in m; for stays see [fairset.NewTasks].
func newRefinement(ctx context.Context, parts *scc.Parts, m *lts.LTS, f *property.Fairness, stays func(from, to lts.State) bool) *refinement {
	tasks := abort.Must(fairset.NewTasks(ctx, m, f, parts, stays))
	size := m.NumStates()
	return &refinement{
		parts:     parts,
		m:         m,
		f:         f,
		tasks:     tasks,
		within:    make([]uint32, size),
		component: make([]uint32, size),
		rank:      make([]uint32, size),
	}
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
			left := x.takeApart(component, at.set, r)
			if len(left.states) > 0 {
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
	rank := uint32(0)
	cyclic := false
	leads := false
	missing := x.wanted
	for _, s := range component {
		for l, t := range x.m.From(s) {
			switch {
			case x.within[t] != x.works || !x.shows(s, l, t):
				leads = true
			case x.component[t] != x.count:
				leads = true
				rank = max(rank, x.rank[t])
			default:
				cyclic = true
				if missing != 0 {
					missing &^= x.marks(s, l)
				}
			}
		}
	}
	rank++
	for _, s := range component {
		x.rank[s] = rank
	}
	whole := neglecting{parent: set, rank: rank}
	switch {
	case !cyclic:
		r.place(component[0], rank, set)
		return part{}
	case x.f.Full() && leads:
		return part{}
	case x.f.Full():
		r.fair(component)
		return part{}
	case missing != 0:
		whole.missing = uint32(bits.TrailingZeros64(uint64(missing))) + 1
	default:
		x.tasks.Count(component, x.shows)
		weak, strong := x.tasks.Neglected(component)
		whole.tasks = weak[:min(len(weak), 1)]
		if len(weak) > 0 {
			break
		}
		if len(strong) == 0 {
			r.fair(component)
			return part{}
		}
		turns, left, err := x.tasks.Turns(component, x.shows)
		abort.On(err)
		return x.nest(part{component, set}, rank, turns, left, r)
	}
	number := r.neglected(whole)
	for _, s := range component {
		r.place(s, 0, number)
	}
	return part{}
}

// nest makes sets of a component that falls apart in turns. The set of a turn is what is left
// before it, and lies in the set of the turn before. It returns the part that is left at the end,
// and the last set.
func (x *refinement) nest(component part, rank uint32, turns []fairset.Turn, left []lts.State, r refined) part {
	last := len(turns) - 1
	if last > 0 {
		if x.turn == nil {
			x.turn = make([]uint32, x.m.NumStates())
			x.inner = make([]uint32, x.m.NumStates())
		}
		for _, s := range component.states {
			x.turn[s] = uint32(last)
			x.inner[s] = 0
		}
		for i, turn := range turns {
			for _, s := range slices.Concat(turn.Gone, turn.Ends, turn.Begins) {
				x.turn[s] = uint32(i)
			}
		}
	}
	number := component.set
	for i, turn := range turns {
		number = r.neglected(neglecting{parent: number, rank: rank, tasks: turn.Tasks})
		for _, s := range turn.Gone {
			r.place(s, 0, number)
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
			r.place(s, x.inner[s], number)
			for l, from := range x.m.Predecessors().Into(s) {
				if x.component[from] == x.count && x.turn[from] > uint32(i) && x.shows(from, l, s) {
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
			r.place(s, x.inner[s], number)
		}
	}
	return part{append(append(left, turns[last].Ends...), turns[last].Begins...), number}
}

// each calls do with the targets of the selected transitions of s within its component.
func (x *refinement) each(s lts.State, do func(t lts.State)) {
	for l, t := range x.m.From(s) {
		if x.component[t] == x.count && x.shows(s, l, t) {
			do(t)
		}
	}
}
