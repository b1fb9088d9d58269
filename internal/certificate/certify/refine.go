package certify

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// refinement splits sets of states until, in each part, either fair runs can stay or no fair run can.
type refinement struct {
	parts    *scc.Parts
	model    *lts.LTS
	fairness *property.Fairness
	tasks    *fairset.Tasks
	// isAllowed selects the transitions that a run may take infinitely often.
	isAllowed func(from lts.State, l lts.Label, to lts.State) bool
	// wanted are the colours that a run must meet infinitely often, and marks returns the colours of
	// a transition; for a chain there are none.
	wanted property.Marks
	marks  func(from lts.State, l lts.Label) property.Marks

	// partOf[s] is the number of the last part that s was in, componentOf[s] the number of its
	// component in this part, and rank[s] the rank of this component.
	partOf, componentOf, rank []uint32
	numParts, numComponents   uint32
	// turnOf[s] is the turn that removed s from a component that is split in turns, and
	// rankInOwnTurn[s] the rank of s among the states of this turn.
	turnOf, rankInOwnTurn []uint32
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
	fair func(states []lts.State) error
}

// newRefinement returns a refinement in m; for stays see [fairset.NewTasks].
func newRefinement(
	ctx context.Context,
	parts *scc.Parts,
	m *lts.LTS,
	f *property.Fairness,
	stays func(from, to lts.State) bool,
) (*refinement, error) {
	tasks, err := fairset.NewTasks(ctx, m, f, parts, stays)
	if err != nil {
		return nil, err
	}
	size := m.NumStates()
	return &refinement{
		parts:       parts,
		model:       m,
		fairness:    f,
		tasks:       tasks,
		partOf:      make([]uint32, size),
		componentOf: make([]uint32, size),
		rank:        make([]uint32, size),
	}, nil
}

// part is a set of states that is still to be split, with the number of the smallest set of the
// evidence that contains it.
type part struct {
	states []lts.State
	set    uint32
}

// refine splits a set of states into components by the transitions that x.isAllowed selects. Each component
// gets a rank: one more than the largest rank of other components that its transitions lead to. refine
// removes states that enable a strong task which the component does not take, and splits the remaining
// ones again. It removes a component as a whole if all of its states enable a task that the component
// does not take. Cost O((k+1)(S + T)) for k strong tasks, mostly O(S + T).
func (x *refinement) refine(states []lts.State, r refined) error {
	work := []part{{states, 0}}
	for len(work) > 0 {
		whole := work[len(work)-1]
		work = work[:len(work)-1]
		x.numParts++
		for _, s := range whole.states {
			x.partOf[s] = x.numParts
		}
		components, err := x.parts.Components(whole.states, x.isAllowed)
		if err != nil {
			return err
		}
		for component := range components {
			rest, err := x.splitComponent(component, whole.set, r)
			if err != nil {
				return err
			}
			if len(rest.states) > 0 {
				work = append(work, rest)
			}
		}
	}
	return nil
}

// splitComponent passes a component, or some states of one, to the functions of r, and returns the
// states that are still to be split.
func (x *refinement) splitComponent(component []lts.State, set uint32, r refined) (part, error) {
	found := x.visit(component)
	switch {
	case !found.cyclic:
		r.place(component[0], found.rank, set)
		return part{}, nil
	case x.fairness.Full() && found.leaves:
		return part{}, nil
	case x.fairness.Full():
		return part{}, r.fair(component)
	case found.missing != 0:
		colour := bits.TrailingZeros64(uint64(found.missing))
		removeWhole(component,
			neglecting{parent: set, rank: found.rank, missing: uint32(colour) + 1}, r)
		return part{}, nil
	}
	return x.splitByTasks(component, set, found.rank, r)
}

// surroundings are facts about a component that its transitions show.
type surroundings struct {
	rank    uint32         // the component's rank, see refine
	cyclic  bool           // some transition stays in the component
	leaves  bool           // some transition leaves the component, or is not allowed
	missing property.Marks // the wanted colours that no transition within the component has
}

// visit marks the states of a component with its number and rank, and returns what its transitions
// show. A component comes after all components that it leads to, so that their ranks are known.
func (x *refinement) visit(component []lts.State) surroundings {
	x.numComponents++
	for _, s := range component {
		x.componentOf[s] = x.numComponents
	}
	found := surroundings{missing: x.wanted}
	for _, s := range component {
		for l, t := range x.model.From(s) {
			switch {
			case x.partOf[t] != x.numParts || !x.isAllowed(s, l, t):
				found.leaves = true
			case x.componentOf[t] != x.numComponents:
				found.leaves = true
				found.rank = max(found.rank, x.rank[t])
			default:
				found.cyclic = true
				if found.missing != 0 {
					found.missing &^= x.marks(s, l)
				}
			}
		}
	}
	found.rank++
	for _, s := range component {
		x.rank[s] = found.rank
	}
	return found
}

// removeWhole makes a set of a whole component.
func removeWhole(component []lts.State, whole neglecting, r refined) {
	number := r.neglected(whole)
	for _, s := range component {
		r.place(s, 0, number)
	}
}

// splitByTasks removes a component as a whole if the component neglects a weak task. If it neglects
// only strong tasks, splitByTasks removes states in turns, and returns the remaining states.
func (x *refinement) splitByTasks(
	component []lts.State,
	set, rank uint32,
	r refined,
) (part, error) {
	x.tasks.Count(component, x.isAllowed)
	weak, strong := x.tasks.Neglected(component)
	switch {
	case len(weak) > 0:
		removeWhole(component, neglecting{parent: set, rank: rank, tasks: weak[:1]}, r)
		return part{}, nil
	case len(strong) == 0:
		return part{}, r.fair(component)
	}
	turns, rest, err := x.tasks.Turns(component, x.isAllowed)
	if err != nil {
		return part{}, err
	}
	last := turns[len(turns)-1]
	set = x.nestTurns(part{component, set}, rank, turns, r)
	return part{append(append(rest, last.Ends...), last.Begins...), set}, nil
}

// nestTurns makes sets of a component that falls apart in turns. The set of a turn has the states that
// are left before the turn, and lies in the set of the previous turn. nestTurns returns the set of the
// last turn.
func (x *refinement) nestTurns(
	component part,
	rank uint32,
	turns []fairset.Turn,
	r refined,
) (set uint32) {
	last := len(turns) - 1
	if last > 0 {
		x.numberTurns(component.states, turns)
	}
	set = component.set
	for i, turn := range turns {
		set = r.neglected(neglecting{
			parent: set,
			rank:   rank,
			tasks:  turn.Tasks,
		})
		for _, s := range turn.Gone {
			r.place(s, 0, set)
		}
		if i < last {
			rank = x.placeEnds(turn, uint32(i), set, r)
			x.placeBegins(turn, uint32(i), set, rank, r)
		}
	}
	return set
}

// numberTurns sets, for each state of a component, the turn that removes it.
func (x *refinement) numberTurns(component []lts.State, turns []fairset.Turn) {
	if x.turnOf == nil {
		x.turnOf = make([]uint32, x.model.NumStates())
		x.rankInOwnTurn = make([]uint32, x.model.NumStates())
	}
	for _, s := range component {
		x.turnOf[s] = uint32(len(turns) - 1)
		x.rankInOwnTurn[s] = 0
	}
	for i, turn := range turns {
		for _, s := range slices.Concat(turn.Gone, turn.Ends, turn.Begins) {
			x.turnOf[s] = uint32(i)
		}
	}
}

// placeEnds places the states of turn i that have no transition to later turns. Within a turn they
// come first, since the set of the next turn may lead to them. placeEnds returns the rank of that
// set.
func (x *refinement) placeEnds(turn fairset.Turn, i, set uint32, r refined) (next uint32) {
	next = 1
	for _, s := range turn.Ends {
		x.rankInOwnTurn[s] = x.rankInTurn(s, i)
		r.place(s, x.rankInOwnTurn[s], set)
		for l, from := range x.model.Predecessors().Into(s) {
			if x.componentOf[from] == x.numComponents && x.turnOf[from] > i && x.isAllowed(from, l, s) {
				next = max(next, x.rankInOwnTurn[s]+1)
			}
		}
	}
	return next
}

// placeBegins places the states of turn i that have no transition from later turns. Within a turn
// they come last, since they may lead to all other states, and to the set of the next turn, whose
// rank is next.
func (x *refinement) placeBegins(turn fairset.Turn, i, set, next uint32, r refined) {
	for _, s := range slices.Backward(turn.Begins) {
		x.rankInOwnTurn[s] = x.rankInTurn(s, i)
		x.eachInside(s, func(t lts.State) {
			if x.turnOf[t] > i {
				x.rankInOwnTurn[s] = max(x.rankInOwnTurn[s], next+1)
			}
		})
		r.place(s, x.rankInOwnTurn[s], set)
	}
}

// rankInTurn returns one more than the largest rank of the states of turn i to which s leads.
func (x *refinement) rankInTurn(s lts.State, i uint32) uint32 {
	largest := uint32(0)
	x.eachInside(s, func(t lts.State) {
		if x.turnOf[t] == i {
			largest = max(largest, x.rankInOwnTurn[t])
		}
	})
	return largest + 1
}

// eachInside calls do with the targets of the selected transitions of s within its component.
func (x *refinement) eachInside(s lts.State, do func(t lts.State)) {
	for l, t := range x.model.From(s) {
		if x.componentOf[t] == x.numComponents && x.isAllowed(s, l, t) {
			do(t)
		}
	}
}
