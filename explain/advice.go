package explain

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostForAdvice is the largest product of the number of property states and the size of the model,
// in states and transitions, for which an explanation answers the questions that need the unfolded
// model.
const mostForAdvice = footprint.MostForAdvice

// Advice takes several passes through the unfolded model; the other phases of an explanation take
// passes through the model alone. Above these numbers of product states and transitions, for a
// chain and for another property, advice takes several times as long as the other phases, and more
// than a third of a second.
const (
	mostForAdviceOnChain = 2_000_000
	mostForAdviceOnTable = 450_000
)

const tooLargeForAdvice = "what to forbid was not looked for, nor the nearest correct run: the product of model and property is large; inev repair takes any size"

// The warnings when a search reaches its limit: for a repair (tooLong), for a repair that may forbid
// triggers (tooLongWithTriggers), and for the nearest correct run if none was found (tooFar), or if
// one was found (near).
const (
	tooLong             = "what to forbid is left out: the search for it was stopped after %s places and transitions"
	tooLongWithTriggers = "whether it helps to forbid what triggers the property is left out: the search for it was stopped after %s places and transitions"
	tooFar              = "the nearest correct run is left out: the search for it was stopped after %s transitions"
	near                = "another correct run may be nearer: the search for the nearest was stopped after %s transitions"
)

// grouped returns a number with a comma before each three digits.
func grouped(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// largestProduct returns an upper bound of the product states and transitions.
func largestProduct(m *lts.LTS, p *property.Property) int64 {
	return int64(p.States()) * (int64(m.NumStates()) + int64(m.NumTransitions()))
}

// advise finds out what would make the property true, and the nearest correct run. isFirst reports
// that v.trace is the run that [counterexample.Shortest] returns.
func (v violation) advise(ctx context.Context, isFirst bool, found *Advice) (warnings []string) {
	m, p := v.a.m, v.a.Property
	most := int64(mostForAdviceOnTable)
	if p.Steps() > 0 {
		most = mostForAdviceOnChain
	}
	if largestProduct(m, p) > most {
		return []string{tooLargeForAdvice}
	}
	fixed := v.a.triggers()
	idle := RepairOptions{Source: Source{Idle: v.a.idle}}
	x := repair.Violation{
		Fates: v.a.Fates, Run: v.trace, First: isFirst, Triggers: fixed.steps, IsTrigger: fixed.has,
		Controllable: idle.controls(m, fixed), WithTriggers: idle.controls(m, triggers{}), Work: repair.WorkForRepair,
	}
	advice := abort.Must(repair.Advise(ctx, x))
	found.Necessity = v.describeNecessity(advice.Necessity)
	if advice.Repair == nil {
		return limitsOf(advice)
	}
	r := describeRepair(m, p, advice.Repair, advice.FairChoices)
	r.Triggers = textsOf(m, x.IsTrigger)
	r.Cut = v.describeCut(advice.Cut)
	switch fewest := advice.FewestTriggers; {
	case advice.Lifted == nil:
	case !advice.Lifted.Solvable:
		// A supervisor that may forbid triggers does not win either: its obstacle says more.
		r.Obstacle = describeObstacle(m, advice.Lifted.Obstacle)
	case fewest.Found:
		r.OnlyTriggers = &OnlyTriggers{Labels: describeFewest(m, fewest).Labels, Everywhere: true}
	default:
		r.OnlyTriggers = &OnlyTriggers{Labels: r.Triggers}
	}
	found.Repair, found.Nearest = r, v.describeDiff(advice.Nearest)
	return limitsOf(advice)
}

// limitsOf returns a warning for each search for advice that reached its limit.
func limitsOf(a *repair.Advice) (warnings []string) {
	work, looks := grouped(repair.WorkForRepair), grouped(a.Looks)
	switch {
	case a.Stopped:
		warnings = append(warnings, fmt.Sprintf(tooLong, work))
	case a.LiftedStopped:
		warnings = append(warnings, fmt.Sprintf(tooLongWithTriggers, work))
	}
	switch {
	case a.TooFar:
		warnings = append(warnings, fmt.Sprintf(tooFar, looks))
	case a.Nearest != nil && a.Nearest.Near:
		warnings = append(warnings, fmt.Sprintf(near, looks))
	}
	return warnings
}

// describeCut describes a smallest cut; nil if none was found, or if the property holds without one.
func (v violation) describeCut(f *repair.Fewest) *Cut {
	if f == nil || !f.Found || len(f.Transitions) == 0 {
		return nil
	}
	c := &Cut{}
	for _, transition := range f.Transitions {
		step := CutStep{ModelStep: modelStep(v.a.m, transition)}
		if i := slices.Index(v.trace.Steps(), transition); i >= 0 {
			step.Step = stepIndex(i)
		}
		c.Transitions = append(c.Transitions, step)
	}
	return c
}

// describeDiff describes the nearest correct run; nil if there is none.
func (v violation) describeDiff(diff *repair.Diff) *Diff {
	if diff == nil {
		return nil
	}
	d := &Diff{Edits: diff.Edits, Fork: diff.Fork, Steps: []DiffStep{}, Loop: diff.Loop, Ends: diff.Ends, Near: diff.Near}
	for _, s := range diff.Steps {
		d.Steps = append(d.Steps, DiffStep{string(s.Op), modelStep(v.a.m, s.Transition), s.Progress})
	}
	return d
}

// Necessity is what all violating runs of the model have in common.
type Necessity struct {
	// Steps are the steps of the counterexample whose transition every violating run takes
	// somewhere, in the order of the run; a transition that the counterexample takes twice is
	// listed once.
	Steps []StepIndex `json:"steps"`
	// AtLength are the steps whose transition is taken by every violating run that is no longer
	// than the counterexample; nil if they are not known.
	AtLength []StepIndex `json:"steps_at_length,omitempty"`
	// Stop reports whether all violating runs end in the state where the counterexample ends, and
	// all runs that end there violate the property.
	Stop bool `json:"stop"`
	// At is the state where the run ends; nil unless Stop is true.
	At *ModelState `json:"at,omitempty"`
	// Missing are transitions from state At: the property would be true if the model had any one of
	// them. They are guesses, the likeliest first; nil unless Stop is true.
	Missing []ModelStep `json:"missing,omitempty"`
}

// describeNecessity describes what the counterexample has in common with all violating runs; nil if
// that is not known.
func (v violation) describeNecessity(found *repair.Necessity) *Necessity {
	if found == nil {
		return nil
	}
	n := &Necessity{Steps: v.firstOf(found.Every), Stop: found.Stop}
	if found.AtLength != nil {
		n.AtLength = v.firstOf(found.AtLength)
	}
	if n.Stop {
		at := ModelState(v.trace.Last())
		n.At = &at
	}
	for _, t := range found.Missing {
		n.Missing = append(n.Missing, modelStep(v.a.m, t))
	}
	return n
}

// firstOf returns the indices of the steps that the list selects, each transition once, without the
// step to an initial state.
func (v violation) firstOf(is []bool) []StepIndex {
	steps := []StepIndex{}
	visited := map[lts.Transition]bool{}
	for i, holds := range is {
		if t := v.trace.Step(i); holds && !visited[t] && !v.a.m.IsBefore(t.From) {
			visited[t] = true
			steps = append(steps, StepIndex(i))
		}
	}
	return steps
}

// rank sets [Decision.Rank] of each decision.
func rank(decisions []Decision, n *Necessity) {
	rank := 0
	for _, first := range []bool{true, false} {
		for i := len(decisions) - 1; i >= 0; i-- {
			at := &decisions[i]
			if necessary := n != nil && slices.Contains(n.Steps, at.Step); necessary == first {
				rank++
				at.Rank = rank
			}
		}
	}
}
