package symbolic

import (
	"context"
	"errors"
	"fmt"

	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// Justice returns a run that makes each literal of a justice property, and each fairness
// constraint, true infinitely often; nil if there is none. It computes the fixpoint of E. A.
// Emerson and C.-L. Lei (Efficient Model Checking in Fragments of the Propositional Mu-Calculus,
// 1986), backwards over all states; then the run goes from one literal to the next until it closes
// a loop. It fails if there is no such property, and if ctx is done.
func (x *Circuit) Justice(ctx context.Context, property int) (*Run, error) {
	goals, err := goalsOf(x.Circuit, property)
	if err != nil {
		return nil, err
	}
	var sets []Set
	for _, l := range goals {
		sets = append(sets, x.of(l))
	}
	z := x.All()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before := z
		z = x.And(z, x.pre(z))
		for _, goal := range sets {
			z = x.And(z, x.pre(x.until(z, x.And(z, goal))))
		}
		if err := x.Err(); err != nil {
			return nil, err
		}
		if x.b.Equal(before.node, z.node) {
			break
		}
	}
	stem := x.path(x.Initial, z, x.All(), true)
	if stem == nil {
		return nil, nil
	}
	return x.round(stem, z, sets)
}

// goalsOf returns the literals of a justice property, and the fairness constraints.
func goalsOf(c *aiger.Circuit, property int) ([]aiger.Literal, error) {
	if property < 0 || property >= len(c.Justice) {
		return nil, fmt.Errorf("there is no justice property %d; the circuit has %d", property,
			len(c.Justice))
	}
	return append(append([]aiger.Literal{}, c.Justice[property]...), c.Fairness...), nil
}

// until returns the states from where some run through states of the first set reaches the second
// set.
func (x *Circuit) until(through, to Set) Set {
	for {
		next := x.Or(to, x.And(through, x.pre(to)))
		if x.b.Equal(next.node, to.node) || x.Err() != nil {
			return to
		}
		to = next
	}
}

// path returns the states, one by one, of a shortest path from some states to others within a set,
// nil if there is no path. A path without a transition counts only if the parameter none is set.
func (x *Circuit) path(from, to, within Set, none bool) []Set {
	sets := NewSets(x.Model)
	layers := []Set{from}
	met := from
	if !none {
		met = x.None()
	}
	for i := 0; none || i == 0 || !x.empty(layers[i]); i++ {
		if hit := x.And(layers[i], to); !x.empty(hit) && (none || i > 0) {
			at := sets.Pick(hit)
			way := []Set{at}
			for j := i - 1; j >= 0; j-- {
				at = sets.Pick(x.And(x.pre(at), layers[j]))
				way = append([]Set{at}, way...)
			}
			return way
		}
		next := x.And(x.post(layers[i]), within, x.Not(met))
		if x.empty(next) || x.Err() != nil {
			return nil
		}
		met = x.Or(met, next)
		layers = append(layers, next)
	}
	return nil
}

// round continues from the end of a stem to each goal in turn, until it returns to an earlier
// state.
func (x *Circuit) round(stem []Set, z Set, goals []Set) (*Run, error) {
	for {
		begin := stem[len(stem)-1]
		at, way := begin, []Set(nil)
		for _, goal := range goals {
			if !x.empty(x.And(at, goal)) {
				continue // every goal on this part is met again
			}
			part := x.path(at, goal, z, false)
			if part == nil {
				return nil, errors.New("no way leads to what is always reached")
			}
			way, at = append(way, part[1:]...), part[len(part)-1]
		}
		if back := x.path(at, begin, z, false); back != nil {
			way = append(way, back[1:]...)
			run := &Run{Loop: len(stem) - 1}
			for _, s := range append(stem, way[:len(way)-1]...) {
				run.States = append(run.States, x.state(s))
			}
			return run, x.Err()
		}
		next := x.path(at, z, z, false)
		if next == nil || x.Err() != nil {
			return nil, errors.Join(x.Err(), errors.New("no run goes on where one always can"))
		}
		stem = append(append(stem, way...), next[1:]...)
	}
}

// CheckJustice simulates a run, and checks that its loop satisfies a justice property.
func CheckJustice(c *aiger.Circuit, property int, r *Run) error {
	goals, err := goalsOf(c, property)
	if err != nil {
		return err
	}
	s := &simulation{c: c}
	all, err := s.run(r)
	if err != nil {
		return err
	}
	if r.Loop < 0 {
		return errors.New("the run has no loop")
	}
	for _, l := range goals {
		met := false
		for _, v := range all[r.Loop:] {
			met = met || v.Of(l)
		}
		if !met {
			return fmt.Errorf("the loop does not meet literal %d", l)
		}
	}
	return nil
}
