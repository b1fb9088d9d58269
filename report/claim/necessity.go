package claim

import (
	"slices"

	"github.com/inev-lts/inev/explain"
)

// Through has the steps of the decisions that every violating run makes in the same way.
type Through struct{ Steps []explain.StepIndex }

// Gap says that exactly the violating runs stop in State, and that any one transition of Missing
// from there would make the property hold.
type Gap struct {
	State   explain.ModelState
	Missing []explain.ModelStep
}

func (Through) Kind() string { return "necessary" }
func (Gap) Kind() string     { return "gap" }

// through returns the claim about the decisions that all violating runs have in common.
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

// gap returns the claim that a transition may be missing.
func gap(e *explain.Explanation) []Claim {
	n := e.Necessity
	if n == nil || len(n.Missing) == 0 {
		return nil // the diagnosis says already that the run stops there
	}
	return []Claim{Gap{*n.At, n.Missing}}
}
