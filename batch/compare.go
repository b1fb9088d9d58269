package batch

import (
	"fmt"
	"slices"
	"strings"
)

// Change says how a result differs from that of the same job in an earlier run.
type Change string

// The changes, one a job: where several apply, the first in this order.
const (
	NewlyViolated  Change = "newly-violated"
	NewlySatisfied Change = "newly-satisfied"
	NewlyFailed    Change = "newly-failed" // had a verdict, and has none any more
	Repaired       Change = "repaired"     // had no verdict, and has one
	Longer         Change = "longer"       // the counterexample has grown
	Shorter        Change = "shorter"      // the counterexample has shrunk
	OtherDecisions Change = "other-decisions"
	Added          Change = "added"   // not part of the earlier run
	Removed        Change = "removed" // part of the earlier run only
)

// Difference is a job whose result is not what it was.
type Difference struct {
	Name   string `json:"name"`
	Change Change `json:"change"`
	// Old and New describe the results in a few words, such as "violated, 8
	// transitions"; "" where there is none.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
}

// Differences are those between two runs.
type Differences struct {
	// Baseline is the earlier run, as the user named it.
	Baseline string `json:"baseline"`
	// List is in the order of the manifest; jobs that were removed are last, in
	// the order of the earlier run.
	List []Difference `json:"list"`
}

// Compare tells how results differ from those of an earlier run; jobs are the same
// that have the same name. Both are in the order of their manifests. Cost O(number
// of results, and of the decisions in them).
func Compare(old, current []Result) Differences {
	before := byName(old)
	now := make(map[string]bool, len(current))
	var d Differences
	for _, r := range current {
		now[r.Job.Name] = true
		was, is := before[r.Job.Name]
		switch {
		case !is:
			d.List = append(d.List, Difference{Name: r.Job.Name, Change: Added, New: describe(r)})
		default:
			if c := changeOf(was, r); c != "" {
				d.List = append(d.List, Difference{r.Job.Name, c, describe(was), describe(r)})
			}
		}
	}
	for _, r := range old {
		if !now[r.Job.Name] {
			d.List = append(d.List, Difference{Name: r.Job.Name, Change: Removed, Old: describe(r)})
		}
	}
	return d
}

// changeOf returns the change between two results of one job, "" where there is none.
func changeOf(old, current Result) Change {
	switch {
	case old.Status.Answered() && !current.Status.Answered():
		return NewlyFailed
	case !old.Status.Answered() && current.Status == Violated:
		// The first verdict of a job is no less important for that it had none.
		return NewlyViolated
	case !old.Status.Answered() && current.Status == Satisfied:
		return Repaired
	case old.Status != current.Status && current.Status == Violated:
		return NewlyViolated
	case old.Status != current.Status && current.Status == Satisfied:
		return NewlySatisfied
	case old.Counterexample == nil || current.Counterexample == nil:
		return ""
	case current.Counterexample.Length > old.Counterexample.Length:
		return Longer
	case current.Counterexample.Length < old.Counterexample.Length:
		return Shorter
	case !slices.EqualFunc(old.Counterexample.Decisions, current.Counterexample.Decisions, sameDecision):
		return OtherDecisions
	}
	return ""
}

// sameDecision reports whether two decisions are the same, wherever they stand in the
// model's file.
func sameDecision(a, b Decision) bool {
	a.Line, b.Line = 0, 0
	return a == b
}

// describe says in a few words what became of a job.
func describe(r Result) string {
	c := r.Counterexample
	if c == nil {
		return string(r.Status)
	}
	text := fmt.Sprintf("%s, %d transitions", r.Status, c.Length)
	if c.Length == 1 {
		text = fmt.Sprintf("%s, 1 transition", r.Status)
	}
	if len(c.Decisions) == 0 {
		return text
	}
	const shown = 3
	var at []string
	for i, d := range c.Decisions {
		if i == shown && len(c.Decisions) > shown+1 {
			at = append(at, fmt.Sprintf("… (%d more)", len(c.Decisions)-shown))
			break
		}
		at = append(at, fmt.Sprintf("%s at state %s", d.Label, d.State))
	}
	return text + ", decided by " + strings.Join(at, ", ")
}
