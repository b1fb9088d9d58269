package claim

import (
	"slices"

	"github.com/inev-lts/inev/explain"
)

// Through claims that every run which violates the property takes what some decisions of this
// one do, by their steps.
type Through struct{ Steps []explain.StepIndex }

// Gap says that all runs that violate the property stop in a state, and that no other run does;
// and of transitions that with any one of them from there the property would hold.
type Gap struct {
	State   explain.ModelState
	Missing []explain.ModelStep
}

func (Through) Kind() string { return "necessary" }
func (Gap) Kind() string     { return "gap" }

// through finds the decisions every violation has.
func through(e *explain.Explanation) []Claim {
	if e.Necessity == nil {
		return nil
	}
	var steps []explain.StepIndex
	for _, d := range e.Decisions {
		if slices.Contains(e.Necessity.Steps, d.Step) {
			steps = append(steps, d.Step)
		}
	}
	if steps == nil {
		return nil
	}
	return []Claim{Through{steps}}
}

// gap says where something may be missing.
func gap(e *explain.Explanation) []Claim {
	n := e.Necessity
	if n == nil || len(n.Missing) == 0 {
		return nil // that the run stops there is its diagnosis
	}
	return []Claim{Gap{*n.At, n.Missing}}
}
