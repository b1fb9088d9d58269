package render

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
)

// Blame repeats the headline for one of the steps that the headline is about; "" for other steps. Cost
// O(log n) for n steps that the diagnosis is about, and the length of the sentence.
func (s *Sentences) Blame(step explain.StepIndex) string {
	d := s.p.e.Diagnosis
	if d == nil {
		return ""
	}
	if _, is := slices.BinarySearch(d.Steps, step); !is {
		return s.p.causedBy(d, step)
	}
	return s.p.blame(d, step)
}

// causedBy returns the sentence that the label of a step recurs in every round. The label must be a
// cause that the diagnosis names, and the step must be on the loop; for other steps it returns "".
func (p *prose) causedBy(d *explain.Diagnosis, step explain.StepIndex) string {
	run := p.e.Counterexample
	isOnLoop := run.LoopStart >= 0 && int(step) >= int(run.LoopStart)
	if !isOnLoop || !slices.Contains(d.Cause, run.Steps[step].Label) {
		return ""
	}
	return "This happens in every round."
}

// blame says in one sentence what the diagnosis reports about a step.
func (p *prose) blame(d *explain.Diagnosis, step explain.StepIndex) string {
	taken := p.e.Counterexample.Steps[step]
	switch d.Kind {
	case explain.KindStarved:
		awaited := p.pendingStep(d)
		if d.Awaited != "" {
			awaited = "a step to " + awaited
		}
		possible := "is possible here"
		if !d.Alike {
			possible = "would make progress here"
		}
		return fmt.Sprintf("%s %s, and the run takes %s instead.", awaited, possible,
			p.labelAndTarget(taken.Label, taken.To))
	case explain.KindTurnedBack:
		name, way := p.awaitedAndPath(d)
		path := p.pathFromLoop(d, way)
		return fmt.Sprintf("The shortest way to %s, %d steps, leaves the loop here (%s); the run takes %s instead.", name, d.Distance, path, p.labelAndTarget(taken.Label, taken.To))
	case explain.KindRecurs:
		switch {
		case d.Values != nil:
			return fmt.Sprintf("After this step %s, again and again.", p.valuesHold(d.Values.After))
		case len(d.Recurring) > 1:
			return "This is one of the actions that happen again and again."
		}
		return "This happens again and again."
	}
	return p.diagnosed()
}
