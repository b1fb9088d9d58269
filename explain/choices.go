package explain

import (
	"slices"

	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/simplify"
)

// Choices returns the choices that matter for this run, in its order: the decisions,
// the point of no return, and every fork at which another transition would have
// been better for the run than the one it takes. They are what every output shows
// as decisions; none where no run satisfies the property. Cost O(decisions and
// forks with their alternatives).
func (e *Explanation) Choices() []*Decision {
	var all []*Decision
	for i := range e.Decisions {
		all = append(all, &e.Decisions[i])
	}
	for i := range e.Forks {
		d := &e.Forks[i]
		if e.IsPointOfNoReturn(d) || slices.ContainsFunc(d.Alternatives, func(c Choice) bool { return c.IsBetter(d.Chosen) }) {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b *Decision) int { return int(a.Step - b.Step) })
	return all
}

// PartsRuns reports whether some runs of the model satisfy the property and others do
// not: only then is anything decided.
func (e *Explanation) PartsRuns() bool {
	return e.Counterexample != nil && !e.Counterexample.isHopeless()
}

// IsPointOfNoReturn reports whether the run passes the point of no return at d.
func (e *Explanation) IsPointOfNoReturn(d *Decision) bool {
	return e.PointOfNoReturn != nil && e.PointOfNoReturn.Step == d.Step
}

// IsOnLoop reports whether the run comes by d again and again.
func (e *Explanation) IsOnLoop(d *Decision) bool {
	return e.Counterexample.LoopStart >= 0 && int(d.Step) >= int(e.Counterexample.LoopStart)
}

// Decisive returns the choice that says best why the property fails: the one that
// passes the point of no return; or, on a run that could have been saved at any
// time, the first one beside which there was a choice that makes the property
// certain, on the loop if there is one there. Nil where no choice matters. Cost as
// for [Explanation.Choices].
func (e *Explanation) Decisive() *Decision {
	var best *Decision
	rank := 0
	for _, d := range e.Choices() {
		if e.IsPointOfNoReturn(d) {
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
