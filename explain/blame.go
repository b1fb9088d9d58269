package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/lts"
)

// Blames reports whether step i of the counterexample is a decision, or a step to which the diagnosis
// refers.
func (c *Causes) Blames(i StepIndex) bool {
	isDecision := func(d Decision) bool { return d.Step == i }
	if slices.ContainsFunc(c.Decisions, isDecision) {
		return true
	}
	d := c.Diagnosis
	if d == nil {
		return false
	}
	is := func(step *StepIndex) bool { return step != nil && *step == i }
	return slices.Contains(d.Steps, i) ||
		is(d.Step) || is(d.Instead) || is(d.Called) || is(d.Gone) || is(d.Unavoidable)
}

// advised is the advice, with a search that continues it.
type advised struct {
	Advice
	nearestAt searchAt       // nil if there is no nearest correct run
	advice    *repair.Advice // what Repair describes; nil under an assumption
}

// searchAt searches for the nearest correct run that leaves the counterexample where at is set:
// at[i] reports whether the run may take another transition instead of step i, in the first round of
// the loop if possible. d is nil if there is no such run, or if the search was stopped at its limit.
type searchAt func(ctx context.Context, at []bool) (d *Diff, isStopped bool, err error)

// leaveWhereBlamed replaces the nearest correct run if it leaves the counterexample at a step that
// the explanation does not blame, or only in a later round of the loop, or if the search for it was
// stopped. The replacement is the nearest correct run that leaves at a blamed step, in the first
// round if possible; if there is none, nothing is replaced.
func (p *parts) leaveWhereBlamed(ctx context.Context) error {
	if p.Nearest == nil || p.nearestAt == nil {
		return nil
	}
	c := p.run.described
	blamed := make([]bool, len(c.Steps))
	for i := range blamed {
		blamed[i] = p.Blames(StepIndex(i))
	}
	fork := p.Nearest.Fork
	isLater := fork >= len(blamed) // in a later round, or behind the end of a run that could continue
	isBehindEnd := isLater && c.LoopStart < 0
	if isBehindEnd || !slices.Contains(blamed, true) {
		return nil
	}
	leavesWhereBlamed := !isLater && blamed[fork]
	wasStopped := p.Nearest.Near
	if leavesWhereBlamed && !wasStopped {
		return nil
	}
	d, isStopped, err := p.nearestAt(ctx, blamed)
	switch {
	case err != nil:
		return err
	case d != nil && d.Ends && !p.Nearest.Ends:
		// The nearest run goes on, and this one does not.
	case d != nil:
		p.Nearest = d
	case isStopped:
		p.Nearest.Near = true
	}
	return nil
}

// leaveAlongWay replaces the nearest correct run by one that takes the way which the diagnosis names, if the
// awaited action comes as soon after the runs differ, and if it leaves in the first round where the other does.
func (p *parts) leaveAlongWay(ctx context.Context) error {
	d := p.Diagnosis
	if d == nil || d.Way == nil || d.Instead == nil || p.o.Unfold { // the advice is about the model itself
		return nil
	}
	if p.Nearest == nil || p.advised.advice == nil {
		return nil
	}
	way := make([]lts.Transition, len(d.Way))
	for i, step := range d.Way {
		l, _ := p.run.a.m.Alphabet().Lookup(step.Label)
		way[i] = lts.Transition{From: step.From, Label: l, To: step.To}
	}
	if stepsUntilAwaited(p.Nearest, d.Pending) < len(way) || p.Nearest.takes(d.Way) {
		return nil
	}
	found, err := p.advised.advice.NearestAlong(ctx, int(*d.Instead), way)
	if errors.Is(err, repair.ErrTooFar) {
		return nil
	}
	if err != nil || found == nil || found.Ends && !p.Nearest.Ends {
		return err
	}
	isInFirstRound := func(fork int) bool { return fork < len(p.run.described.Steps) }
	if isInFirstRound(p.Nearest.Fork) && !isInFirstRound(found.Fork) {
		return nil
	}
	p.Nearest = describeNearest(p.run.a.m, found)
	return nil
}

// stepsUntilAwaited returns the number of steps of a correct run after the fork, up to and with the first one
// that has an awaited label; all of them if there is none.
func stepsUntilAwaited(d *Diff, awaited []string) int {
	steps := 0
	for _, s := range d.Steps {
		if s.Op != Insert {
			continue
		}
		steps++
		if slices.Contains(awaited, s.Label) {
			return steps
		}
	}
	return steps
}

// takes reports whether a correct run takes a path from the fork on.
func (d *Diff) takes(path []PathStep) bool {
	i := slices.IndexFunc(d.Steps, func(s DiffStep) bool { return s.Op == Insert })
	if i < 0 || len(d.Steps)-i < len(path) {
		return false
	}
	for k, step := range path {
		taken := d.Steps[i+k].ModelStep
		if taken != (ModelStep{From: ModelState(step.From), Label: step.Label, To: ModelState(step.To)}) {
			return false
		}
	}
	return true
}
