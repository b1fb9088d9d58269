// Package drift names how a result of a batch differs from an earlier result of the
// same job.
package drift

// Kind is a difference; its text is in JSON and in summaries.
type Kind string

// The kinds, one a job: if several apply, the first in this order.
const (
	NewlyViolated  Kind = "newly-violated"
	NewlySatisfied Kind = "newly-satisfied"
	NewlyFailed    Kind = "newly-failed" // had a verdict, and has none any more
	Repaired       Kind = "repaired"     // had no verdict, and has one
	FewerFaults    Kind = "fewer-faults" // a violation takes fewer faults
	MoreFaults     Kind = "more-faults"  // a violation takes more faults
	Longer         Kind = "longer"       // the counterexample has grown
	Shorter        Kind = "shorter"      // the counterexample has shrunk
	OtherDecisions Kind = "other-decisions"
	Slower         Kind = "slower"  // the largest bound has grown
	Faster         Kind = "faster"  // the largest bound has shrunk
	Added          Kind = "added"   // not part of the earlier run
	Removed        Kind = "removed" // part of the earlier run only
)

// Margins returns the kinds that say by how much a property holds, or fails.
func Margins() []Kind { return []Kind{Slower, Faster, FewerFaults, MoreFaults} }
