package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

const tooLargeForBehaviours = "the search for the nearest correct run is left out: the product of model and property is large"

// leaveToBehaviour replaces the nearest correct run if the specification does not allow it, or if it does
// nothing although something can happen. The replacement goes on if that is possible; otherwise the
// specification allows it at least. If there is none, or the search is too large, no run is shown.
func (p *parts) leaveToBehaviour(ctx context.Context) error {
	if p.Nearest == nil || p.Nearest.Loop == 0 { // without a loop, every continuation is correct
		return nil
	}
	if p.o.Behaviours == nil || len(p.o.Search.Fair) > 0 || p.o.Unfold {
		return nil
	}
	m, f, fair, err := p.o.Behaviours(ctx)
	if err != nil || m == nil {
		return err
	}
	allowed, err := p.amongBehaviours(ctx, m, f, fair)
	if err != nil {
		return err
	}
	goingOn, err := allowed.goingOn()
	if err != nil {
		return err
	}
	isAllowed, err := goingOn.allows(p.Nearest)
	if isAllowed || err != nil {
		return err
	}
	fork := p.Nearest.Fork
	p.Nearest, err = p.nearestAmong(ctx, goingOn, fork)
	if err == nil && p.Nearest == nil {
		p.Nearest, err = p.nearestAmong(ctx, allowed, fork)
	}
	return err
}

// goingOn returns the violation among the behaviours that change something as long as that is possible.
func (v violation) goingOn() (violation, error) {
	a := *v.a
	labels := a.m.Alphabet()
	change := property.Task{Name: "any change", Nonstuttering: true}
	for l := range lts.Label(labels.Len()) {
		change.Labels = append(change.Labels, l)
	}
	var err error
	a.fairness, err = property.NewFairness(labels, false, append(slices.Clone(a.fairness.Tasks()), change), nil)
	v.a = &a
	return v, err
}

// nearestAmong returns the difference to a correct behaviour, which leaves the counterexample after a
// number of steps if possible; nil if there is none, or the search is too large. v is the violation
// among the behaviours.
func (p *parts) nearestAmong(ctx context.Context, v violation, fork int) (*Diff, error) {
	if d := v.certainAfter(fork); d != nil {
		return d, nil
	}
	if largestProduct(v.a.m, v.a.Property) > mostForFairAdvice {
		p.warnings = append(p.warnings, tooLargeForBehaviours)
		return nil, nil
	}
	if err := v.a.findFates(ctx, Options{Engine: p.o.Engine, Queue: p.o.Queue}); err != nil {
		return nil, err
	}
	fixed, err := v.a.triggers()
	if err != nil {
		return nil, err
	}
	demands := v.demandsOf(fixed)
	var d *Diff
	if fork < v.trace.Len() {
		at := make([]bool, fork+1)
		at[fork] = true
		d, err = v.nearestFairlyAt(ctx, at, demands)
		if err != nil {
			return nil, err
		}
	}
	if d == nil {
		d, err = v.nearestFairly(ctx, demands)
	}
	if d != nil {
		d.Near = true
	}
	return d, err
}

// certainAfter returns the difference to a run that takes another step after the first i steps, one that changes
// something and makes the property certain; nil if there is no such step.
func (v violation) certainAfter(i int) *Diff {
	if i >= v.trace.Len() {
		return nil
	}
	from := v.trace.Step(i).From
	labels, targets := v.a.m.Out(from)
	for k, to := range targets {
		t := lts.Transition{From: from, Label: labels.At(k), To: to}
		if to == from || t == v.trace.Step(i) {
			continue
		}
		steps := append(v.trace.Steps()[:i], t)
		if v.decidedAfter(i, steps) > 0 {
			return v.differenceTo(correctRun{steps: steps}, i)
		}
	}
	return nil
}

// amongBehaviours returns the violation as a run of a model of behaviours, under assumptions.
func (p *parts) amongBehaviours(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	fair []*actl.Assumption,
) (violation, error) {
	a, err := prepare(ctx, m, f, Options{Source: p.o.Source, Fair: fair})
	if err != nil {
		return violation{}, err
	}
	if a.fairness == nil {
		a.fairness, err = property.NewFairness(a.m.Alphabet(), false, nil, nil)
		if err != nil {
			return violation{}, err
		}
	}
	steps := p.run.trace.Steps()
	for i, t := range steps {
		steps[i], err = stepOf(a.m, modelStep(p.run.a.m, t))
		if err != nil {
			return violation{}, err
		}
	}
	loop, isLasso := p.run.trace.LoopStart()
	if !isLasso {
		loop = -1
	}
	trace, err := p.run.trace.Like(a.m, a.Property, steps, loop)
	if err != nil {
		return violation{}, err
	}
	return violation{a: a, trace: trace, described: p.run.described, ofAll: p.run.a}, nil
}

// stepOf returns the transition of a model with the source, the target and the text of a step, whatever
// facts its label reports. It fails if there is none.
func stepOf(m *lts.LTS, s ModelStep) (lts.Transition, error) {
	labels, targets := m.Out(lts.State(s.From))
	for i, to := range targets {
		l := labels.At(i)
		if to == lts.State(s.To) && m.Alphabet().Text(l) == s.Label {
			return lts.Transition{From: lts.State(s.From), Label: l, To: to}, nil
		}
	}
	return lts.Transition{}, fmt.Errorf("the model of behaviours lacks %s from state %d to state %d", s.Label, s.From, s.To)
}

// stepsIn returns the same steps in another model with the same transitions; those up to the first step
// that the other model lacks.
func stepsIn(m, from *lts.LTS, steps []lts.Transition) []lts.Transition {
	same := make([]lts.Transition, 0, len(steps))
	for _, t := range steps {
		other, err := stepOf(m, modelStep(from, t))
		if err != nil {
			return same
		}
		same = append(same, other)
	}
	return same
}

// allows reports whether a correct run is fair, and changes something with each step that the counterexample
// does not take.
func (v violation) allows(d *Diff) (bool, error) {
	isIdle := func(s DiffStep) bool { return s.Op == Insert && s.From == s.To }
	if slices.ContainsFunc(d.Steps, isIdle) {
		return false, nil
	}
	var loop []lts.Transition
	for _, s := range d.Steps[len(d.Steps)-d.Loop:] {
		t, err := stepOf(v.a.m, s.ModelStep)
		if err != nil {
			return false, err
		}
		loop = append(loop, t)
	}
	isUnfair := func(task property.Task) bool { return !isFairTo(task, v.a.m, loop) }
	return !slices.ContainsFunc(v.a.fairness.Tasks(), isUnfair), nil
}

// isFairTo reports whether a run that repeats a loop forever is fair to a task.
func isFairTo(task property.Task, m *lts.LTS, loop []lts.Transition) bool {
	isOf := func(t lts.Transition) bool {
		isLeftOut := task.Nonstuttering && t.From == t.To
		return !isLeftOut && slices.Contains(task.Labels, t.Label)
	}
	if slices.ContainsFunc(loop, isOf) {
		return true
	}
	enabled := 0
	for _, step := range loop {
		labels, targets := m.Out(step.From)
		for i, to := range targets {
			if isOf(lts.Transition{From: step.From, Label: labels.At(i), To: to}) {
				enabled++
				break
			}
		}
	}
	if task.Strong {
		return enabled == 0
	}
	return enabled < len(loop)
}
