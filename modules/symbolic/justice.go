package symbolic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// Justice returns a run that makes each literal of a justice property, and each fairness
// constraint, true infinitely often; nil if there is none. It computes the fixpoint of E. A.
// Emerson and C.-L. Lei (Efficient Model Checking in Fragments of the Propositional Mu-Calculus,
// 1986), backwards over all states; then the run goes from one literal to the next until it closes
// a loop. It fails if there is no such property, or if ctx is done.
func (x *Circuit) Justice(ctx context.Context, property int) (*Run, error) {
	literals, err := goalsOf(x.Circuit, property)
	if err != nil {
		return nil, err
	}
	var goals []Set
	for _, l := range literals {
		goals = append(goals, x.statesWhere(l))
	}
	just, err := x.justStates(ctx, goals)
	if err != nil {
		return nil, err
	}
	stem := x.path(x.Initial, just, x.All())
	if stem == nil {
		return nil, nil
	}
	return x.closeLoop(stem, just, goals)
}

// justStates returns the states from where some run reaches each goal infinitely often.
func (x *Circuit) justStates(ctx context.Context, goals []Set) (Set, error) {
	just := x.All()
	for {
		if err := ctx.Err(); err != nil {
			return Set{}, err
		}
		before := just
		just = x.And(just, x.predecessors(just))
		for _, goal := range goals {
			just = x.And(just, x.predecessors(x.reaching(just, x.And(just, goal))))
		}
		if err := x.Err(); err != nil {
			return Set{}, err
		}
		if x.diagrams.Equal(before.node, just.node) {
			return just, nil
		}
	}
}

// goalsOf returns the literals of a justice property, and the fairness constraints.
func goalsOf(c *aiger.Circuit, property int) ([]aiger.Literal, error) {
	if property < 0 || property >= len(c.Justice) {
		return nil, fmt.Errorf("there is no justice property %d; the circuit has %d", property,
			len(c.Justice))
	}
	return append(append([]aiger.Literal{}, c.Justice[property]...), c.Fairness...), nil
}

// reaching returns the states from where some run through states of the first set reaches the second
// set.
func (x *Circuit) reaching(through, to Set) Set {
	for {
		next := x.Or(to, x.And(through, x.predecessors(to)))
		if x.diagrams.Equal(next.node, to.node) || x.Err() != nil {
			return to
		}
		to = next
	}
}

// path returns the states, one by one, of a shortest path from some states to others within a set,
// nil if there is no path. The path may have no transition.
func (x *Circuit) path(from, to, within Set) []Set {
	both := x.And(from, to)
	if !x.isEmpty(both) {
		return []Set{NewSets(x.Model).Pick(both)}
	}
	return x.pathOfTransitions(from, to, within)
}

// pathOfTransitions is like path, but counts only paths with at least one transition.
func (x *Circuit) pathOfTransitions(from, to, within Set) []Set {
	layers := []Set{from}
	met := x.None()
	for {
		next := x.And(x.successors(layers[len(layers)-1]), within, x.Not(met))
		if x.isEmpty(next) || x.Err() != nil {
			return nil
		}
		ends := x.And(next, to)
		if !x.isEmpty(ends) {
			return x.throughLayers(layers, ends)
		}
		met = x.Or(met, next)
		layers = append(layers, next)
	}
}

// throughLayers returns a path with one state in each layer, each a successor of the state before,
// and then one of the ends. Each state of a layer has a predecessor in the layer before.
func (x *Circuit) throughLayers(layers []Set, ends Set) []Set {
	sets := NewSets(x.Model)
	state := sets.Pick(ends)
	path := []Set{state}
	for _, layer := range slices.Backward(layers) {
		state = sets.Pick(x.And(x.predecessors(state), layer))
		path = append(path, state)
	}
	slices.Reverse(path)
	return path
}

// closeLoop continues from the end of a stem to each goal in turn, until it returns to an earlier
// state. The run stays in a set of states from where some run always reaches each goal again.
func (x *Circuit) closeLoop(stem []Set, within Set, goals []Set) (*Run, error) {
	for {
		begin := stem[len(stem)-1]
		tour, err := x.tour(begin, within, goals)
		if err != nil {
			return nil, err
		}
		last := tour[len(tour)-1]
		back := x.pathOfTransitions(last, begin, within)
		if back != nil {
			run := &Run{Loop: len(stem) - 1}
			for _, s := range slices.Concat(stem, tour[1:], back[1:len(back)-1]) {
				run.States = append(run.States, x.stateOf(s))
			}
			return run, x.Err()
		}
		next := x.pathOfTransitions(last, within, within)
		if next == nil || x.Err() != nil {
			return nil, errors.Join(x.Err(), errors.New("no transition leads on from a state from which a run can always continue"))
		}
		stem = slices.Concat(stem, tour[1:], next[1:])
	}
}

// tour returns a path from a state to each goal in turn.
func (x *Circuit) tour(begin, within Set, goals []Set) ([]Set, error) {
	tour := []Set{begin}
	for _, goal := range goals {
		last := tour[len(tour)-1]
		if !x.isEmpty(x.And(last, goal)) {
			continue // a loop through this state meets the goal again
		}
		part := x.pathOfTransitions(last, goal, within)
		if part == nil {
			return nil, errors.New("no path leads to a goal that every state of the set reaches")
		}
		tour = append(tour, part[1:]...)
	}
	return tour, nil
}

// CheckJustice simulates a run, and checks that its loop satisfies a justice property.
func CheckJustice(c *aiger.Circuit, property int, r *Run) error {
	goals, err := goalsOf(c, property)
	if err != nil {
		return err
	}
	s := &simulation{circuit: c}
	states, err := s.run(r)
	if err != nil {
		return err
	}
	if r.Loop < 0 {
		return errors.New("the run has no loop")
	}
	for _, goal := range goals {
		isMet := slices.ContainsFunc(states[r.Loop:], func(values aiger.Values) bool {
			return values.Of(goal)
		})
		if !isMet {
			return fmt.Errorf("the loop does not meet literal %d", goal)
		}
	}
	return nil
}
