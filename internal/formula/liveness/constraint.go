package liveness

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
)

// withinLevels finds the states and steps that constraints with TLCGet("level") exclude. It repeats the
// search of TLC with one worker. For each step, TLC evaluates the constraints on steps at the level of
// the state before the step, and the constraints on states one level deeper. So a step can be excluded
// although its target is kept.
type withinLevels struct {
	g                 *Graph
	m                 *lts.LTS
	inStates, inSteps []*tlaplus.Predicate
	// level is the number of states on the shortest path to a state that the constraints keep; 0 for
	// other states.
	level     []int
	now, next []values.Value
}

// search visits the states breadth first, and marks the unvisited states as excluded.
func (w *withinLevels) search(ctx context.Context) error {
	w.level = make([]int, w.m.NumStates())
	w.g.excluded = make([]bool, w.m.NumStates())
	var queue []lts.State
	for _, s := range w.m.Begin() {
		keep, err := w.holdIn(s, 1)
		if err != nil {
			return err
		}
		if keep && w.level[s] == 0 {
			w.level[s] = 1
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := queue[0]
		queue = queue[1:]
		_, targets := w.m.Out(from)
		for _, to := range targets {
			keep, err := w.isKept(from, to)
			if err != nil {
				return err
			}
			if keep && w.level[to] == 0 {
				w.level[to] = w.level[from] + 1
				queue = append(queue, to)
			}
		}
	}
	for s := range lts.State(w.m.NumStates()) {
		w.g.excluded[s] = w.g.isReal(w.m, s) && w.level[s] == 0
	}
	return nil
}

// isKept reports whether the constraints keep a step.
func (w *withinLevels) isKept(from, to lts.State) (bool, error) {
	isBeforeInitial := !w.g.isReal(w.m, from)
	isReached := w.level[from] > 0
	switch {
	case isBeforeInitial:
		return w.g.begunOutside || w.level[to] > 0, nil
	case w.g.begunOutside || !isReached:
		return false, nil
	}
	keep, err := w.holdIn(to, w.level[from]+1)
	if err != nil || !keep {
		return false, err
	}
	w.g.eval.SetDistance(w.level[from])
	w.now, err = w.g.state(from, w.now)
	if err != nil {
		return false, err
	}
	return w.allHold(w.inSteps, from, w.now, w.next)
}

// holdIn reports whether the constraints on states hold in a state that is reached at the given level. It
// leaves the values of the state in w.next, for the constraints on steps.
func (w *withinLevels) holdIn(s lts.State, level int) (keep bool, err error) {
	w.g.eval.SetDistance(level)
	w.next, err = w.g.state(s, w.next)
	if err != nil {
		return false, err
	}
	return w.allHold(w.inStates, s, w.next, nil)
}

// allHold reports whether all of these constraints hold in a state with the values now or, if next is not
// nil, on the step from there to the state with the values next.
func (w *withinLevels) allHold(
	constraints []*tlaplus.Predicate,
	s lts.State,
	now, next []values.Value,
) (bool, error) {
	for _, p := range constraints {
		holds, err := w.g.holds(p, s, now, next)
		if err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// checkOutside checks a step that the constraints of the configuration keep, to a state that TLC has
// marked as outside of its constraints. It fails if Spec allows the step: then TLC made the graph under
// other constraints, and the steps from that state are unknown. The mark alone proves nothing, since
// TLC also marks the targets of steps that Next forbids by a condition after the last primed variable.
func (g *Graph) checkOutside(from, to lts.State) error {
	step := stepValues{g: g, from: lts.State(lts.MaxStates)}
	if err := step.take(from, to); err != nil {
		return err
	}
	if !g.allows(g.behaviour, from, step.now, step.next) {
		return nil
	}
	return fmt.Errorf("TLC made the graph under a CONSTRAINT that this configuration does not have: state %d lies outside of it, and its steps are unknown; give the configuration that TLC had, or have it make the graph anew", to)
}

// allows reports whether the conjuncts [][A]_v of a formula allow a step. If the action cannot be
// evaluated, it does not allow the step: TLC evaluated it for each step that it made.
func (g *Graph) allows(f *tlaplus.Formula, from lts.State, now, next []values.Value) bool {
	switch {
	case f == nil:
	case f.Operator == tlaplus.And:
		for _, part := range f.Parts {
			if !g.allows(part, from, now, next) {
				return false
			}
		}
	case isNextStateRelation(f):
		holds, err := g.holds(f.Parts[0].Predicate, from, now, next)
		return err == nil && holds
	}
	return true
}

// behaviour returns the formula that SPECIFICATION names, or that INIT and NEXT amount to; nil if the
// configuration has neither, or the formula cannot be read.
func (s *Specification) behaviour() (*tlaplus.Formula, error) {
	if s.spec != nil || s.unreadSpec != nil || !s.s.HasNext() {
		return s.spec, nil
	}
	_, formula, err := s.s.Specified()
	if err != nil {
		return nil, err
	}
	return s.s.Property(formula)
}

// excludedStates marks the states where a constraint does not hold. It skips unreachable states, which
// have no values.
func (g *Graph) excludedStates(m *lts.LTS, constraints []*tlaplus.Predicate) ([]bool, error) {
	excluded := make([]bool, m.NumStates())
	if len(constraints) == 0 {
		return excluded, nil
	}
	reach := m.Reachable()
	var now []values.Value
	for s := range lts.State(m.NumStates()) {
		if !reach.Has(s) || !g.isReal(m, s) {
			continue
		}
		var err error
		now, err = g.state(s, now)
		if err != nil {
			return nil, err
		}
		for _, p := range constraints {
			holds, err := g.holds(p, s, now, nil)
			if err != nil {
				return nil, err
			}
			excluded[s] = excluded[s] || !holds
		}
	}
	return excluded, nil
}

// constraintsOnSteps returns a function that reports whether a step is kept: neither of its states is
// excluded, and the constraints on steps hold.
func (g *Graph) constraintsOnSteps(
	m *lts.LTS,
	excluded []bool,
	constraints []*tlaplus.Predicate,
) func(from, to lts.State) (bool, error) {
	reach := m.Reachable()
	step := stepValues{g: g, from: lts.State(lts.MaxStates)}
	return func(from, to lts.State) (bool, error) {
		if g.begunOutside {
			return !g.isReal(m, from), nil
		}
		if excluded[from] || excluded[to] {
			return false, nil
		}
		if len(constraints) == 0 || !reach.Has(from) || !g.isReal(m, from) {
			return true, nil
		}
		if err := step.take(from, to); err != nil {
			return false, err
		}
		keep := true
		for _, p := range constraints {
			holds, err := g.holds(p, from, step.now, step.next)
			if err != nil {
				return false, err
			}
			keep = keep && holds
		}
		return keep, nil
	}
}

// stepValues holds the values of the variables before and after a step. It is reused from step to step.
type stepValues struct {
	g         *Graph
	from      lts.State
	now, next []values.Value
}

// take sets the values to those of a step. The values now and next are valid until the next call.
func (v *stepValues) take(from, to lts.State) (err error) {
	if from != v.from {
		v.now, err = v.g.state(from, v.now)
		if err != nil {
			return err
		}
		v.from = from
	}
	v.next, err = v.g.state(to, v.next)
	return err
}
