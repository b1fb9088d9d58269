// Package baseline compares the results of a batch with those of an earlier run. A job has at most
// one change, the first that applies in the order of the kinds; different times, or positions in
// files, are no changes.
package baseline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/printable"
)

// Change is a kind of difference between the result of a job and that of the earlier run. JSON and
// summaries contain its text.
type Change string

// The kinds of changes. A job has at most one of them: the first in this order that applies.
const (
	NewlyViolated  Change = "newly-violated"
	NewlySatisfied Change = "newly-satisfied"
	NewlyFailed    Change = "newly-failed" // had a verdict, and has none now
	Repaired       Change = "repaired"     // had no verdict, and has one now
	FewerFaults    Change = "fewer-faults" // a violation takes fewer faults
	MoreFaults     Change = "more-faults"  // a violation takes more faults
	Longer         Change = "longer"       // the counterexample has grown
	Shorter        Change = "shorter"      // the counterexample has shrunk
	OtherDecisions Change = "other-decisions"
	Slower         Change = "slower"  // the largest bound has grown
	Faster         Change = "faster"  // the largest bound has shrunk
	Added          Change = "added"   // not part of the earlier run
	Removed        Change = "removed" // part of the earlier run only
)

// Margins returns the changes of bounds and faults: the property still holds, or still fails, but
// by another number of transitions or faults.
func Margins() []Change { return []Change{Slower, Faster, FewerFaults, MoreFaults} }

// Difference is a job whose result differs from that of the earlier run.
type Difference struct {
	Name   string `json:"name"`
	Change Change `json:"change"`
	// Old and New describe the earlier and the current result in a few words, such as "violated, 8
	// transitions"; "" if that run has no such job.
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Since says what is new in the model of a violated property; "" if that is not known.
	Since string `json:"since,omitempty"`
}

// Differences are all differences between an earlier run and the current one.
type Differences struct {
	// Baseline is the earlier run, as the user named it.
	Baseline string `json:"baseline"`
	// List is in the order of the manifest; then come removed jobs, in the order of the earlier
	// run.
	List []Difference `json:"list"`
}

// Compare returns how results differ from those of an earlier run. Jobs are matched by their
// names. Both lists are in the order of their manifests. Cost O(number of results and of their
// decisions).
func Compare(old, current []batch.Result) Differences {
	oldByName := make(map[string]batch.Result, len(old))
	for _, r := range old {
		oldByName[r.Job.Name] = r
	}
	isCurrent := make(map[string]bool, len(current))
	var d Differences
	for _, r := range current {
		isCurrent[r.Job.Name] = true
		earlier, isKnown := oldByName[r.Job.Name]
		one := Difference{Name: r.Job.Name, Change: Added, New: describe(r)}
		if isKnown {
			one.Change = changeOf(earlier, r)
			one.Old = brief(earlier)
		}
		switch {
		case one.Change == "":
			continue
		case one.Change == OtherDecisions:
			numCommon := numCommonDecisions(earlier.Counterexample.Decisions, r.Counterexample.Decisions)
			one.Old = withDecisions(earlier, numCommon)
			one.New = withDecisions(r, numCommon)
		case slices.Contains(Margins(), one.Change):
			one.Old = margin(earlier)
			one.New = margin(r)
		}
		d.List = append(d.List, one)
	}
	for _, r := range old {
		if !isCurrent[r.Job.Name] {
			d.List = append(d.List, Difference{
				Name:   r.Job.Name,
				Change: Removed,
				Old:    brief(r),
			})
		}
	}
	return d
}

// changeOf returns the change between two results of one job, "" if there is none.
func changeOf(old, current batch.Result) Change {
	isOther := old.Status != current.Status
	switch {
	case old.Status.Answered() && !current.Status.Answered():
		return NewlyFailed
	case isOther && current.Status == batch.Violated: // also without an earlier verdict
		return NewlyViolated
	case !old.Status.Answered() && current.Status == batch.Satisfied:
		return Repaired
	case isOther && current.Status == batch.Satisfied:
		return NewlySatisfied
	case old.Counterexample == nil || current.Counterexample == nil:
		return marginChange(&old, &current)
	}
	return runChange(&old, &current)
}

// runChange returns the change between the counterexamples of two violations, "" if there is none.
// Faults say more than the length of the run, and the length more than the decisions.
func runChange(old, current *batch.Result) Change {
	change := faultChange(old, current)
	if change != "" {
		return change
	}
	switch {
	case current.Counterexample.Length > old.Counterexample.Length:
		return Longer
	case current.Counterexample.Length < old.Counterexample.Length:
		return Shorter
	case !slices.EqualFunc(old.Counterexample.Decisions, current.Counterexample.Decisions,
		isSameDecision):
		return OtherDecisions
	}
	return marginChange(old, current)
}

// marginChange describes how the largest bound has changed or, if it has not, how the least numbers
// of faults have; "" if neither has changed as far as is known.
func marginChange(old, current *batch.Result) Change {
	oldBound := old.LargestBound()
	now := current.LargestBound()
	switch {
	case oldBound == nil || now == nil:
	case exceeds(now, oldBound):
		return Slower
	case exceeds(oldBound, now):
		return Faster
	}
	return faultChange(old, current)
}

// exceeds reports whether a bound exceeds another one. A bound without a largest number exceeds every
// number.
func exceeds(a, b *batch.Bound) bool {
	return b.Most != nil && (a.Most == nil || *a.Most > *b.Most)
}

// faultChange returns how the least numbers of faults have changed: the first number that differs
// decides. It is "" if the jobs count other faults.
func faultChange(old, current *batch.Result) Change {
	for i, f := range current.Faults {
		if i >= len(old.Faults) || old.Faults[i].Patterns != f.Patterns {
			return ""
		}
		before := finite(old.Faults[i])
		now := finite(f)
		switch {
		case now < before:
			return FewerFaults
		case now > before:
			return MoreFaults
		}
	}
	return ""
}

// finite returns the least number of faults, or math.MaxInt if no number of faults leads to a
// violation.
func finite(f batch.Faults) int {
	if f.Least == nil {
		return math.MaxInt
	}
	return *f.Least
}

// margin describes a result with its largest bound and its numbers of faults.
func margin(r batch.Result) string {
	text := brief(r)
	b := r.LargestBound()
	if b != nil {
		_, words := r.MostOf()
		text += ","
		if b.Of != "" {
			text += " " + b.Of
		}
		if b.Most != nil {
			text += " within"
		}
		text += " " + words
	}
	for _, f := range r.Faults {
		text += ", " + f.String()
	}
	return text
}

// isSameDecision reports whether two decisions are the same action in the same step. Numbers of states and
// lines of the model's file change with the model, even if the run does not.
func isSameDecision(a, b batch.Decision) bool { return a.Step == b.Step && a.Label == b.Label }

// numCommonDecisions returns the number of decisions that two lists begin with alike.
func numCommonDecisions(a, b []batch.Decision) int {
	n := 0
	for n < min(len(a), len(b)) && isSameDecision(a[n], b[n]) {
		n++
	}
	return n
}

// describe says in a few words why a property fails or, if that is not known, which decisions
// the run takes.
func describe(r batch.Result) string {
	c := r.Counterexample
	if c != nil && c.Sentence != "" {
		return brief(r) + ": " + strings.TrimSuffix(c.Sentence, ".")
	}
	if r.Status == batch.Violated && r.Argument != "" {
		return brief(r) + ": " + strings.TrimSuffix(r.Argument, ".")
	}
	return withDecisions(r, 0)
}

// brief describes a result in a few words: the verdict and the length of the counterexample.
func brief(r batch.Result) string {
	c := r.Counterexample
	if c == nil {
		return string(r.Status)
	}
	return fmt.Sprintf("%s, %s", r.Status, printable.Quantity(c.Length, "transition"))
}

// withDecisions returns the text of brief, followed by up to three decisions of the counterexample. The
// first numCommon decisions, which another counterexample shares, are only counted.
func withDecisions(r batch.Result, numCommon int) string {
	c := r.Counterexample
	if c == nil || len(c.Decisions) == 0 {
		return brief(r)
	}
	const maxDescribed = 3
	var described []string
	if numCommon > 0 {
		described = append(described, fmt.Sprintf("… (%d in common)", numCommon))
	}
	for i, d := range c.Decisions[numCommon:] {
		if i == maxDescribed {
			more := len(c.Decisions) - numCommon - maxDescribed
			described = append(described, fmt.Sprintf("… (%d more)", more))
			break
		}
		described = append(described, fmt.Sprintf("%s at state %s", d.Label, d.State))
	}
	return brief(r) + ", decided by " + strings.Join(described, ", ")
}
