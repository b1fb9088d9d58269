package batch

import "fmt"

// Gate is a choice of the results that make a batch fail, as a step of continuous
// integration does: one of [Gates].
type Gate string

const (
	// onUnexpected lets jobs fail whose verdict is not the expected one: satisfied,
	// where the job expects nothing else. So do jobs without a verdict, and those that exceed
	// what is expected of bounds and faults.
	onUnexpected Gate = "unexpected"
	// onAny lets jobs fail that are violated, or have no verdict.
	onAny Gate = "any"
	// onNew lets jobs fail that are violated without expecting it and were not in the
	// earlier run, or stopped without a verdict and had one there; jobs that this did
	// not have among them. What is wrong whatever was before fails always: a job that
	// holds and expects to be violated, for its expectation is stale, and a job whose
	// model or formula cannot be used, for nothing is checked by it.
	onNew Gate = "new"
	// onNone lets no job fail.
	onNone Gate = "none"
)

// Gates returns the names of the gates, the default first.
func Gates() []string {
	return []string{string(onUnexpected), string(onAny), string(onNew), string(onNone)}
}

// Set sets the gate by its name.
func (g *Gate) Set(name string) error {
	for _, gate := range Gates() {
		if gate == name {
			*g = Gate(gate)
			return nil
		}
	}
	return fmt.Errorf("there is no %q; choose unexpected, any, new or none", name)
}

// NeedsBaseline reports whether the results of an earlier run matter.
func (g Gate) NeedsBaseline() bool { return g == onNew }

// Failing returns the results that make a batch fail, in their order; old are those
// of the earlier run, see [Gate.NeedsBaseline].
func (g Gate) Failing(results, old []Result) []Result {
	before := byName(old)
	var failing []Result
	for _, r := range results {
		fails := false
		switch g {
		case onUnexpected:
			fails = !r.Status.Answered() || unexpected(r.Job, r.Status) || len(exceeded(&r)) > 0
		case onAny:
			fails = r.Status != Satisfied || len(exceeded(&r)) > 0
		case onNew:
			was, is := before[r.Job.Name]
			isNew := !is || was.Status == Satisfied || was.Status.Answered() != r.Status.Answered()
			fails = r.Stale() || r.Status == Failed || len(exceeded(&r)) > 0 && (!is || len(exceeded(&was)) == 0) || (unexpected(r.Job, r.Status) || !r.Status.Answered()) && isNew
		}
		if fails {
			failing = append(failing, r)
		}
	}
	return failing
}

// Stale reports whether a job holds though it is expected to be violated: what was
// wrong has been mended, and the manifest should no longer expect it.
func (r *Result) Stale() bool { return r.Status == Satisfied && r.Job.Expected() == Violated }
