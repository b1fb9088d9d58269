package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostAhead limits the search for the next step of a process: it considers this number of following
// steps.
const mostAhead = 64

// keepTogether returns a run with the steps of t in another order, in which the process that moved
// last continues where it can. It returns t itself unless the new order has fewer steps that follow
// a step of another process. Two steps are exchanged only if they are independent: in either order
// they lead to the same state of the model and of the property. So the run is as long as t, its
// stem ends in the state where the stem of t ends, and its loop begins there.
//
// Cost O(len(t) · mostAhead · largest out-degree).
func (a *Analysis) keepTogether(
	ctx context.Context,
	t *counterexample.Trace,
) (*counterexample.Trace, error) {
	if a.process == nil || t == nil {
		return t, nil
	}
	loop, loops := t.LoopStart()
	stemEnd := t.Len()
	if loops {
		stemEnd = loop
	}
	o := &stepOrder{a: a, steps: t.Steps()}
	for i := range t.Len() {
		o.before = append(o.before, t.At(i))
		o.processes = append(o.processes, a.process(a.text(t.Step(i).Label)))
	}
	o.before = append(o.before, t.At(t.Len()))
	changesBefore := o.changes(loop)
	if err := o.arrange(ctx, 0, stemEnd); err != nil {
		return nil, err
	}
	withOldLoop := o.clone()
	if err := o.arrange(ctx, stemEnd, t.Len()); err != nil {
		return nil, err
	}
	// A loop in another order can satisfy the property, or be unfair; if so, only the stem is arranged.
	for _, order := range []*stepOrder{o, withOldLoop} {
		if order.changes(loop) >= changesBefore {
			continue
		}
		arranged, err := t.Like(a.m, a.Property, order.steps, loop)
		if err != nil {
			return nil, err
		}
		isFair := order == withOldLoop || a.isLoopFair(order.steps[stemEnd:])
		if isFair && !arranged.Satisfies() {
			return arranged, nil
		}
	}
	return t, nil
}

// withStepsTogether returns the result of a search, with the steps of its run in the order that
// keepTogether finds.
func (a *Analysis) withStepsTogether(
	ctx context.Context,
	r *counterexample.Result,
	err error,
) (*counterexample.Result, error) {
	if err != nil {
		return r, err
	}
	r.Trace, err = a.keepTogether(ctx, r.Trace)
	return r, err
}

// isLoopFair reports whether a run that repeats a loop forever is fair to the tasks of the
// assumptions.
func (a *Analysis) isLoopFair(loop []lts.Transition) bool {
	if a.fairness == nil {
		return true
	}
	isOfTasks := !a.fairness.Full() && !a.fairness.Excludes() && a.fairness.Justness() == nil
	return isOfTasks && checkFair(a.m, loop, a.fairness.Tasks()) == nil
}

// stepOrder is an order of the steps of a run.
type stepOrder struct {
	a     *Analysis
	steps []lts.Transition
	// before has the state of the property before each step, and after the last step.
	before []property.Q
	// processes has the process that takes each step; "" if it is not known.
	processes []string
}

func (o *stepOrder) clone() *stepOrder {
	return &stepOrder{
		a:         o.a,
		steps:     slices.Clone(o.steps),
		before:    slices.Clone(o.before),
		processes: slices.Clone(o.processes),
	}
}

// changes returns the number of steps that follow a step of another process. The first step of the
// loop follows the last one, too.
func (o *stepOrder) changes(loop int) int {
	count := 0
	for i := 1; i < len(o.processes); i++ {
		if o.processes[i] != o.processes[i-1] {
			count++
		}
	}
	if loop >= 0 && o.processes[loop] != o.processes[len(o.processes)-1] {
		count++
	}
	return count
}

// arrange orders the steps from first to end - 1: it prefers a step of the process that moved last,
// if this step can be taken at once.
func (o *stepOrder) arrange(ctx context.Context, first, end int) error {
	for i := max(first, 1); i < end; i++ {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		horizon := min(end, i+mostAhead)
		moved := o.processes[i-1]
		next := i // the next step of the process that moved last
		for next < horizon && o.processes[next] != moved {
			next++
		}
		isFoundLater := i < next && next < horizon
		if isFoundLater {
			o.moveForward(next, i)
		}
	}
	return nil
}

// moveForward moves a step to an earlier place, unless it depends on a step in between.
func (o *stepOrder) moveForward(from, to int) {
	oldSteps := slices.Clone(o.steps[to : from+1])
	oldBefore := slices.Clone(o.before[to : from+1])
	for i := from; i > to; i-- {
		if !o.swapWithPrevious(i) {
			copy(o.steps[to:], oldSteps)
			copy(o.before[to:], oldBefore)
			return
		}
	}
	process := o.processes[from]
	copy(o.processes[to+1:from+1], o.processes[to:from])
	o.processes[to] = process
}

// swapWithPrevious exchanges step i and the previous step if, in either order, they lead to the same
// state of the model and of the property. It reports whether it did.
func (o *stepOrder) swapWithPrevious(i int) bool {
	earlier := o.steps[i-1]
	later := o.steps[i]
	p := o.a.Property
	for _, first := range o.withSameText(earlier.From, later.Label) {
		middle := p.Next(o.before[i-1], first.Label)
		for _, second := range o.withSameText(first.To, earlier.Label) {
			leadsToSame := second.To == later.To && p.Next(middle, second.Label) == o.before[i+1]
			if leadsToSame {
				o.steps[i-1] = first
				o.steps[i] = second
				o.before[i] = middle
				return true
			}
		}
	}
	return false
}

// withSameText returns the transitions from a state whose labels have the same text as l. Such labels
// can differ in facts about states.
func (o *stepOrder) withSameText(from lts.State, l lts.Label) []lts.Transition {
	var all []lts.Transition
	text := o.a.text(l)
	labels, targets := o.a.m.Out(from)
	for i, to := range targets {
		if labels.At(i) == l || o.a.text(labels.At(i)) == text {
			all = append(all, lts.Transition{
				From:  from,
				Label: labels.At(i),
				To:    to,
			})
		}
	}
	return all
}
