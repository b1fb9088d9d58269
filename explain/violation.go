package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// violation is a run that violates the property, in the analysis that it is a run of. Trace and
// told are nil if there is none.
type violation struct {
	a     *Analysis
	trace *counterexample.Trace
	told  *Counterexample
}

// describeFound describes a run that a search found. The run is known, so it is described even if
// the work is stopped. It is none if there is no memory for it.
func (a *Analysis) describeFound(ctx context.Context, t *counterexample.Trace, minimal counterexample.Minimality) (violation, error) {
	told, err := a.describeTrace(ctx, t, minimal)
	if err != nil {
		told, _ = a.describeTrace(context.WithoutCancel(ctx), t, counterexample.MinimalUnknown)
	}
	if told == nil {
		return violation{a: a}, err
	}
	return violation{a: a, trace: t, told: told}, err
}

// settled goes once more round the loop of a run of a property that is no chain, if what can
// become of the run changes only after its first round: otherwise that would not be seen on it.
func (v violation) settled(ctx context.Context) (violation, error) {
	a := v.a
	if a.inSteps() || v.trace == nil {
		return v, nil
	}
	start, loops := v.trace.LoopStart()
	if !loops {
		return v, nil
	}
	same := true
	for i, q := range repeatingRound(v.trace, start, a.Property) {
		s := v.trace.Step(start + i).From
		same = same && a.Fates.At(s, q) == a.Fates.At(s, v.trace.At(start+i))
	}
	if same {
		return v, nil
	}
	steps, loop := settledSteps(v.trace, start, a.Property)
	trace, err := counterexample.NewViolating(a.m, a.Property, steps, loop)
	if err != nil {
		return v, err
	}
	told, err := a.describeTrace(ctx, trace, counterexample.MinimalUnknown)
	if err != nil {
		return v, err
	}
	told.keep(v.told)
	return violation{a, trace, told}, nil
}

// settledSteps goes round the loop of a run, which begins at start, until a round ends in the state
// of the property that it began in.
func settledSteps(t *counterexample.Trace, start int, p *property.Property) (steps []lts.Transition, loop int) {
	round := t.Steps()[start:]
	steps = slices.Clone(t.Steps()[:start])
	for q := t.At(start); ; {
		loop = len(steps)
		steps = append(steps, round...)
		entered := q
		for _, step := range round {
			q = p.Next(q, step.Label)
		}
		if q == entered {
			return steps, loop
		}
	}
}

// unfolded lifts the run to the unfolded model.
func (v violation) unfolded(ctx context.Context, a *Analysis) (violation, error) {
	if v.trace == nil {
		return violation{a: a}, nil
	}
	loop, _ := v.trace.LoopStart()
	steps, loop := a.Unfolding.Run(v.trace.Steps(), loop)
	trace, err := v.trace.Like(a.m, a.Property, steps, loop)
	if err == nil && !trace.Kind().IsStem() && trace.Satisfies() {
		err = counterexample.ErrSatisfies
	}
	if err != nil {
		return v, fmt.Errorf("explain: the counterexample cannot be unfolded, please report it: %w", err)
	}
	minimal := v.told.Minimal
	if trace.Len() != v.trace.Len() {
		minimal = counterexample.MinimalUnknown
	}
	told, err := a.describeTrace(ctx, trace, minimal)
	if err != nil {
		return v, err
	}
	told.keep(v.told)
	told.Trap = v.told.Trap
	return violation{a, trace, told}, nil
}

// describeFolded describes the run in the model itself, before that is unfolded.
func (v violation) describeFolded() *Folded {
	classes := v.a.Classification
	f := &Folded{Classes: Classes(classes.Counts()), Neighbourhoods: len(classes.States())}
	if v.trace == nil {
		return f
	}
	for i := range v.trace.Len() {
		if classes.Has(v.trace.Step(i).From) {
			f.Decisions++
		}
	}
	return f
}

// repeating is a violation with the states of the property before each step of its loop, in the
// first round that comes again; none if the run ends.
type repeating struct {
	violation
	round []property.Q
}

func (v violation) repeating() repeating {
	if v.trace == nil {
		return repeating{violation: v}
	}
	start, loops := v.trace.LoopStart()
	if !loops {
		return repeating{violation: v}
	}
	return repeating{v, repeatingRound(v.trace, start, v.a.Property)}
}

// stateAt returns the state of the property with which the run comes to a place: on a loop
// that in the rounds that repeat for ever.
func (r repeating) stateAt(i int) property.Q {
	if start, loops := r.trace.LoopStart(); loops && i >= start {
		return r.round[i-start]
	}
	return r.trace.At(i)
}

// repeatingRound returns the states of the property with which a run comes to the sources
// of the steps of its loop, in the first round that comes again. Cost O(length of the loop
// times the number of rounds before it).
func repeatingRound(t *counterexample.Trace, start int, p *property.Property) []property.Q {
	q := t.At(start)
	states := make([]property.Q, t.Len()-start)
	for met := map[property.Q]bool{}; !met[q]; {
		met[q] = true
		for i := range states {
			q = p.Next(q, t.Step(start+i).Label)
		}
	}
	for i := range states {
		states[i] = q
		q = p.Next(q, t.Step(start+i).Label)
	}
	return states
}
