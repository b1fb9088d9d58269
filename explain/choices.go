package explain

import (
	"slices"

	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/simplify"
)

// HasBetter reports whether some other transition would have been better for the run than
// the one that it takes.
func (d *Decision) HasBetter() bool {
	return slices.ContainsFunc(d.Alternatives, func(c Choice) bool { return c.IsBetter(d.Chosen) })
}

// PartsRuns reports whether some runs of the model satisfy the property and others do
// not: only then is anything decided.
func (e *Explanation) PartsRuns() bool {
	return e.Counterexample != nil && !e.Counterexample.isHopeless()
}

// IsOnLoop reports whether the run comes by d again and again.
func (e *Explanation) IsOnLoop(d *Decision) bool {
	return e.Counterexample.LoopStart >= 0 && int(d.Step) >= int(e.Counterexample.LoopStart)
}

// Decisive returns the choice that says best why the property fails: the one that
// passes the point of no return; or, on a run that could have been saved at any
// time, the first one beside which there was a choice that makes the property
// certain, on the loop if there is one there. Nil where no choice matters. Cost
// O(decisions with their alternatives).
func (e *Explanation) Decisive() *Decision {
	var best *Decision
	rank := 0
	for i := range e.Decisions {
		d := &e.Decisions[i]
		if d.PointOfNoReturn {
			return d
		}
		if m := e.merit(d); m > rank {
			best, rank = d, m
		}
	}
	return best
}

func (e *Explanation) merit(d *Decision) int {
	certain := slices.ContainsFunc(d.Alternatives, func(c Choice) bool { return c.After == neighbourhood.Correct })
	switch {
	case d.Fate == simplify.Fated:
		return 0
	case certain && e.IsOnLoop(d):
		return 3
	case certain:
		return 2
	}
	return 1
}

// IsBetter reports whether c leaves the run more hope than other does: in the
// rounds that repeat, where the choice is on a loop.
func (c Choice) IsBetter(other Choice) bool { return hope(c.After) > hope(other.After) }

func hope(after neighbourhood.Class) int {
	switch after {
	case neighbourhood.Correct:
		return 2
	case neighbourhood.Neutral:
		return 1
	}
	return 0
}
