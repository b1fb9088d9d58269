package claim

import (
	"slices"

	"github.com/inev-lts/inev/explain"
)

// Through has the steps of the decisions where every violating run chooses as this run does.
type Through struct{ Steps []explain.StepIndex }

// Gap says that exactly the violating runs stop in a state, and that the property would hold with
// any one of the transitions Missing from there.
type Gap struct {
	State   explain.ModelState
	Missing []explain.ModelStep
}

func (Through) Kind() string { return "necessary" }
func (Gap) Kind() string     { return "gap" }

// through finds the decisions that all violations have in common.
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

// gap finds the state in which a transition may be missing.
func gap(e *explain.Explanation) []Claim {
	n := e.Necessity
	if n == nil || len(n.Missing) == 0 {
		return nil // the diagnosis says already that the run stops there
	}
	return []Claim{Gap{*n.At, n.Missing}}
}
