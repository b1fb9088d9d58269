package liveness

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/inev-lts/inev/internal/formula/tlaplus"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// deadlock is the first state without a step that the search of TLC meets. TLC then stops: it reports
// neither an invariant that is violated later, nor any property of runs.
type deadlock struct {
	state lts.State
	// level has for each state the number of steps of a shortest run to it; -1 for states without one.
	level []int
	// isPreceded is set if TLC finds a violation of an instance before the deadlock.
	isPreceded bool
	// mayStop is set if TLC may have stopped at the deadlock before the graph was whole.
	mayStop bool
	// isAsked is set if an instance was asked.
	isAsked bool
}

// findDeadlock finds the first deadlock that TLC reports. A graph that was not made for inev may be
// the part that TLC knew when it stopped there. Unless that part is the whole graph, some of its
// states have no steps only because the search had not reached them. Cost O(S + T).
func (g *Graph) findDeadlock(ctx context.Context, isMade bool) error {
	level, order, err := g.levels(ctx)
	if err != nil {
		return err
	}
	var stuck []lts.State
	for _, s := range order {
		if g.stuck[s] {
			stuck = append(stuck, s)
		}
	}
	if len(stuck) > 0 {
		g.deadlock = &deadlock{
			state:   stuck[0],
			level:   level,
			mayStop: !isMade && len(stuck) > 1,
		}
	}
	return nil
}

// EndNote returns a sentence about deadlocks for which the configuration tells TLC that they are no mistakes; "" if
// it tells so of none.
func (s *Specification) EndNote() string {
	if s.s.ConfigFile() == "" || s.s.ChecksDeadlocks() {
		return ""
	}
	return fmt.Sprintf("CHECK_DEADLOCK FALSE in %s says that a run may end: TLC reports no deadlock",
		filepath.Base(s.s.ConfigFile()))
}

// levels returns the distance of each state from the initial ones, -1 for a state that cannot be reached,
// and the states in the order of a search breadth first.
func (g *Graph) levels(ctx context.Context) (level []int, order []lts.State, err error) {
	level = make([]int, g.m.NumStates())
	for s := range level {
		level[s] = -1
	}
	for _, s := range g.m.Begin() {
		level[s] = 0
		order = append(order, s)
	}
	for n := 0; n < len(order); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		s := order[n]
		_, targets := g.m.Out(s)
		for _, to := range targets {
			if level[to] < 0 {
				level[to] = level[s] + 1
				order = append(order, to)
			}
		}
	}
	return level, order, nil
}

// askBeside records that an instance is asked, and whether TLC finds a violation of it before the
// deadlock. If both are in states of the same level, TLC's order decides which comes first, and the
// violation counts as the first.
func (g *Graph) askBeside(ctx context.Context, i Instance) error {
	d := g.deadlock
	if d == nil {
		return nil
	}
	d.isAsked = true
	if d.isPreceded || i.of == nil {
		return nil
	}
	predicate, violating, isEverywhere := safetyOf(i.of)
	if predicate == nil {
		return nil
	}
	last := 0 // the level of the last states that are asked about
	if isEverywhere {
		last = d.level[d.state] + 1
	}
	var err error
	if predicate.Level <= tlaplus.State {
		d.isPreceded, err = g.isStateWithin(ctx, predicate, violating, last)
	} else {
		d.isPreceded, err = g.isStepWithin(ctx, predicate, violating, last-1)
	}
	return err
}

// safetyOf returns the predicate of a formula that TLC checks on each state or step as soon as it finds
// it, the value with which the predicate violates the formula, and whether the formula is about all states
// and not only about the first. The predicate is nil for all other formulas, such as ~<>P and ~~[]P, which
// TLC checks as properties of runs.
func safetyOf(f *tlaplus.Formula) (p *tlaplus.Predicate, violating, isEverywhere bool) {
	if f.Operator == tlaplus.Always {
		isEverywhere = true
		f = f.Parts[0]
	}
	for f.Operator == tlaplus.Not {
		violating = !violating
		f = f.Parts[0]
	}
	if f.Operator != tlaplus.Holds {
		return nil, false, false
	}
	return f.Predicate, violating, isEverywhere
}

// isStateWithin reports whether a predicate has the given value in some state whose level is at
// most the given one.
func (g *Graph) isStateWithin(
	ctx context.Context,
	p *tlaplus.Predicate,
	value bool,
	last int,
) (bool, error) {
	facts := make([]lts.Facts, g.m.NumStates())
	if err := g.addFact(ctx, p, facts, 1); err != nil {
		return false, err
	}
	for s := range lts.State(g.m.NumStates()) {
		isWithin := 0 <= g.deadlock.level[s] && g.deadlock.level[s] <= last
		if isWithin && (facts[s] == 1) == value {
			return true, nil
		}
	}
	return false, nil
}

// isStepWithin reports whether a predicate of steps has a value on a step from a state of at most a
// level.
func (g *Graph) isStepWithin(
	ctx context.Context,
	p *tlaplus.Predicate,
	value bool,
	last int,
) (isWithin bool, err error) {
	steps, _, err := g.steps(ctx, p)
	if err != nil {
		return false, err
	}
	err = g.each(ctx, func(n int, from, _ lts.State) error {
		holds := steps.Has(n)
		isWithin = isWithin || holds == value && g.deadlock.level[from] <= last
		return nil
	})
	return isWithin, err
}

// deadlockNotes returns a note about the deadlock that TLC reports before it finds a violation of an
// instance that was asked.
func (g *Graph) deadlockNotes() []string {
	d := g.deadlock
	if d == nil || !d.isAsked || d.isPreceded {
		return nil
	}
	where := "an initial state"
	if n := d.level[d.state]; n > 0 {
		where = "after " + printable.Quantity(n, "step")
	}
	note := fmt.Sprintf("TLC reports a deadlock first, in state %d (%s): ", d.state, where)
	next, err := g.s.NextName()
	if err == nil && isName(next) && next != "" {
		note += fmt.Sprintf("'[]ENABLED %s' explains it, and ", next)
	}
	note += fmt.Sprintf("CHECK_DEADLOCK FALSE in %s allows it", filepath.Base(g.s.ConfigFile()))
	if d.mayStop {
		note += "; if TLC stopped there, the graph lacks states: have TLC write it with -deadlock"
	}
	return []string{note}
}
