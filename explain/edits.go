package explain

import "github.com/inev-lts/inev/explain/internal/repair"

// What a step of a [Diff] does, named as in a diff.
const (
	Keep   = repair.Keep   // both runs do it
	Remove = repair.Remove // the run that went wrong does it, the correct one does not
	Insert = repair.Insert // the correct run does it
)

// Two kinds of an [Obstacle].
const (
	NoCorrectRun   = repair.NoCorrectRun   // no run of the model satisfies the property
	Nondeterminism = repair.Nondeterminism // the label that would help also leads elsewhere
)
