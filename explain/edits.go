package explain

import "github.com/inev-lts/inev/explain/internal/repair"

// Op is what a step of a [Diff] does; 0, with an empty name, is none.
type Op = repair.Op

// The operations, named as in a diff.
const (
	Keep   = repair.Keep   // both runs do it
	Remove = repair.Remove // the run that went wrong does it, the correct one does not
	Insert = repair.Insert // the correct run does it
)

// ObstacleKind is why nothing can be forbidden so that the property holds.
type ObstacleKind = repair.ObstacleKind

// The kinds of obstacles.
const (
	NoCorrectRun   = repair.NoCorrectRun   // no run of the model satisfies the property
	Uncontrollable = repair.Uncontrollable // what would have to be forbidden cannot be
	Nondeterminism = repair.Nondeterminism // the label that would help also leads elsewhere
)
