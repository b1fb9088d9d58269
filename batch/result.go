package batch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/neighbourhood"
)

// ResultSchema names the version of the data that a Result holds.
const ResultSchema = "inev.result/2"

// Status is how a job ended.
type Status string

// The ends of jobs. Satisfied and Violated are answers; the others are reasons why there is no
// answer.
const (
	Satisfied Status = "satisfied"
	Violated  Status = "violated"
	Failed    Status = "error"    // the model or the formula cannot be used, or is too large
	TimedOut  Status = "timeout"  // the job's own limit of time
	Crashed   Status = "crash"    // the job panicked; the stack is in its log
	Canceled  Status = "canceled" // the whole batch was stopped; never in a journal
)

// Answered reports whether the job has a verdict.
func (s Status) Answered() bool { return s == Satisfied || s == Violated }

// Result is the result of a job.
type Result struct {
	Schema string `json:"schema"`
	Job    Job    `json:"job"`
	// Key identifies the job and everything on which its answer depends: the content of the model's
	// file as it was read, the formula, the options and the version of the tool. Results with the
	// same key have the same answer.
	Key    string `json:"key"`
	Status Status `json:"status"`
	// Unexpected reports that the verdict differs from the expected one, which is satisfied unless
	// the manifest gives another.
	Unexpected bool `json:"unexpected,omitempty"`
	// Exceeds lists the expectations about bounds and faults that are not met.
	Exceeds []string `json:"exceeds,omitempty"`
	// Error is one line with the reason why there is no answer; otherwise "".
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Reused reports that the result was taken from an earlier run.
	Reused bool `json:"reused,omitempty"`

	// Model is nil if the model could not be read.
	Model *ModelSize `json:"model,omitempty"`
	// ModelDigest is the SHA-256 of the model's file as it was read, if a copy is kept; see
	// [Result.KeptModel].
	ModelDigest string `json:"model_sha256,omitempty"`
	// Packed reports that the model's file is compressed. Then the lines are those of the
	// decompressed text, which readers do not have.
	Packed bool `json:"packed,omitempty"`
	// Classes is nil if there is no answer.
	Classes        *Classes        `json:"classes,omitempty"`
	Neighbourhoods int             `json:"neighbourhoods"`
	Counterexample *Counterexample `json:"counterexample,omitempty"`
	// Argument is a sentence that says why a formula about states holds or does not hold, as inev ctl
	// says it; "" for properties of runs.
	Argument string `json:"argument,omitempty"`
	// Bounds are the numbers of transitions within which a property that holds is satisfied;
	// Faults are the numbers of the job's fault actions that a violation takes.
	Bounds []Bound  `json:"bounds,omitempty"`
	Faults []Faults `json:"faults,omitempty"`

	// Wanted are the kinds of files that were requested, see [Settings]. Files are the files that
	// the job wrote, by kind; their paths are relative to the folder of results, with slashes. A
	// wanted file can be missing: a property that holds has no trace, and not everything can be
	// drawn.
	Wanted []string          `json:"wanted,omitempty"`
	Files  map[string]string `json:"files,omitempty"`

	// What follows differs from run to run.

	// Digests are the SHA-256 of Files, by kind.
	Digests   map[string]string  `json:"digests,omitempty"`
	Started   string             `json:"started,omitempty"` // RFC 3339, UTC
	Milli     float64            `json:"ms"`
	TimingsMS map[string]float64 `json:"timings_ms,omitempty"`
}

// String returns the name of the job, and its answer, with the run if there is one, or the reason
// why there is no answer.
func (r Result) String() string {
	text := fmt.Sprintf("%s: %s", r.Job.Name, r.Status)
	switch {
	case r.Error != "":
		return text + ": " + r.Error
	case r.Counterexample != nil:
		return text + ": " + r.Counterexample.String()
	}
	return text
}

// ModelSize is the size of a model.
type ModelSize struct {
	States      int `json:"states"`
	Transitions int `json:"transitions"`
	Labels      int `json:"labels"`
}

// Classes are the numbers of reachable transitions of each class.
type Classes struct {
	Correct   int `json:"correct"`
	Incorrect int `json:"incorrect"`
	Neutral   int `json:"neutral"`
	// Excluded are transitions on no run that satisfies the job's assumptions.
	Excluded int `json:"excluded,omitzero"`
}

// listed is the largest number of labels, and of decisions, of a counterexample in a result: enough
// for readers. The JSON of the explanation has all.
const listed = 1000

// Counterexample is a short form of the run that explains the violation. Characters in its texts
// that do not print are escaped.
type Counterexample struct {
	Kind   counterexample.Kind `json:"kind"`
	Length int                 `json:"length"`
	// Before is the number of steps, 0 or 1, before the state where the run begins. Length does not
	// count them.
	Before   int  `json:"before,omitzero"`
	Shortest bool `json:"shortest"`
	// InProduct reports that the run is a shortest one among the runs whose loops close in the
	// product of model and property; there may be shorter runs whose loops close only in the model.
	InProduct bool `json:"in_product,omitzero"`
	// Labels are the labels of the first 1,000 steps.
	Labels []string `json:"labels"`
	// Lines are the lines of the transitions in the model's file; none if the file is no plain
	// text.
	Lines []int `json:"lines,omitempty"`
	// LoopStart is the index of the first step of the loop, -1 for a run without one.
	LoopStart int `json:"loop_start"`
	// Decisions are the first 1,000 decisions on the run, in their order.
	Decisions []Decision `json:"decisions,omitempty"`
	// Deciding is the transition of the step that decides, see [explain.Explanation.Deciding]; nil for
	// a run without transitions.
	Deciding *Deciding `json:"deciding,omitempty"`
	// Diagnosis is the kind of [explain.Diagnosis], "" if none is known.
	Diagnosis string `json:"diagnosis,omitempty"`
	// Sentence says in words why the property fails, as the report does.
	Sentence string `json:"sentence,omitempty"`
	// Prevention says who could have prevented the violation, if the job has lanes.
	Prevention string `json:"prevention,omitempty"`
}

// mostPrinted is the number of labels that are printed; further ones are only counted.
const mostPrinted = 20

// String returns the first labels of the run and how it ends: REQ, DROP (deadlock).
func (c *Counterexample) String() string {
	if c == nil {
		return "<nil>"
	}
	shown := c.Labels[:min(len(c.Labels), mostPrinted)]
	labels := make([]string, len(shown))
	for i, label := range shown {
		labels[i] = printable.Text(label)
	}
	if c.Length > len(shown) {
		labels = append(labels, fmt.Sprintf("… (%d more)", c.Length-len(shown)))
	}
	return fmt.Sprintf("%s (%v)", strings.Join(labels, ", "), c.Kind)
}

// Decision is a decision of a run. Kind is the kind of the neighbourhood at the state of the
// decision, if that state is a neighbourhood.
type Decision struct {
	Step  int                `json:"step"` // from 1
	State string             `json:"state"`
	Kind  neighbourhood.Kind `json:"kind"`
	Label string             `json:"label"` // the label of the run's step at the decision
	// Line is the line of the transition in the model's file, 0 if the file is no plain text.
	Line int `json:"line,omitzero"`
	// Source is the position of the action in the specification; nil if that is not known.
	Source *explain.Position `json:"source,omitempty"`
}

// Deciding is the transition of the step that decides, with its position in the model's file.
type Deciding struct {
	Step  int    `json:"step,omitzero"` // from 1; 0 in results that an earlier version wrote
	From  string `json:"from"`
	Label string `json:"label"`
	To    string `json:"to"`
	// Why is the reason why this step decides.
	Why explain.DecidingReason `json:"why"`
	// Line is the line of the transition in the model's text, the first of equal ones; 0 if
	// that is not known.
	Line int `json:"line,omitzero"`
	// Source is the position of the action in the specification; nil if that is not known.
	Source *explain.Position `json:"source,omitempty"`
}

// Gate selects the results that make a batch fail, as a step of continuous integration does:
// one of [Gates].
type Gate string

const (
	// onUnexpected fails jobs whose verdict is not the expected one (satisfied, unless the job
	// expects another), jobs without a verdict, and jobs that exceed an expected bound or number of
	// faults.
	onUnexpected Gate = "unexpected"
	// onAny fails jobs that are violated, have no verdict, or exceed an expected bound or
	// number of faults.
	onAny Gate = "any"
	// onNew fails jobs that are worse than in the earlier run, or new: a job that is violated
	// against expectation and was not before, one that has no verdict and had one, and one that
	// exceeds an expectation and did not before. Two kinds of jobs fail whatever the earlier run
	// says: a job that holds although a violation is expected, since the expectation is stale; and
	// a job whose model or formula cannot be used, since it checks nothing.
	onNew Gate = "new"
	// onNone fails no job.
	onNone Gate = "none"
)

// Gates returns the names of the gates, the default first.
func Gates() []string {
	return []string{string(onUnexpected), string(onAny), string(onNew), string(onNone)}
}

// Set sets the gate by its name.
func (g *Gate) Set(name string) error {
	if !slices.Contains(Gates(), name) {
		return fmt.Errorf("there is no %q; choose unexpected, any, new or none", name)
	}
	*g = Gate(name)
	return nil
}

// NeedsBaseline reports whether the gate compares with an earlier run.
func (g Gate) NeedsBaseline() bool { return g == onNew }

// IsUndecided reports whether some job has no verdict under a gate other than none. The answer to
// such a job is unknown, which counts even if it was unknown in the earlier run.
func (g Gate) IsUndecided(results []Result) bool {
	return g != onNone && slices.ContainsFunc(results, func(r Result) bool { return !r.Status.Answered() })
}

// Failing returns the results that make a batch fail, in their order. If the gate compares, old are
// the results of the earlier run.
func (g Gate) Failing(results, old []Result) []Result {
	oldByName := byName(old)
	var failing []Result
	for _, r := range results {
		fails := false
		switch g {
		case onUnexpected:
			fails = !r.Status.Answered() || isUnexpected(r.Job, r.Status) || len(exceeded(&r)) > 0
		case onAny:
			fails = r.Status != Satisfied || len(exceeded(&r)) > 0
		case onNew:
			was, isKnown := oldByName[r.Job.Name]
			if !isKnown {
				was.Status = Satisfied // a new job is judged like a job that held before
			}
			fails = r.failsSince(&was)
		}
		if fails {
			failing = append(failing, r)
		}
	}
	return failing
}

// failsSince reports whether a job fails a batch under the gate onNew; was is its result in the earlier run.
// The job fails if its expected violation is mended, if its model or formula cannot be used, or if it
// fails although it did not in the earlier run.
func (r *Result) failsSince(was *Result) bool {
	if r.Stale() || r.Status == Failed {
		return true
	}
	if len(exceeded(r)) > 0 && len(exceeded(was)) == 0 {
		return true
	}
	isBad := isUnexpected(r.Job, r.Status) || !r.Status.Answered()
	hasChanged := was.Status == Satisfied || was.Status.Answered() != r.Status.Answered()
	return isBad && hasChanged
}

// Stale reports whether a job holds although a violation is expected: the fault has been mended,
// and the manifest should be changed.
func (r *Result) Stale() bool { return r.Status == Satisfied && r.Job.Expected() == Violated }

// Bound is the largest number of transitions until a step of a property that holds happens, see
// [explain.Bound].
type Bound struct {
	Step int    `json:"step"`
	Of   string `json:"of,omitempty"`
	// Most is nil if there is no largest number.
	Most  *int `json:"most"`
	Least int  `json:"least"`
}

// String returns the step with its numbers of transitions, such as: step 2 (of "ACK"): 1 to 3 transitions.
func (b Bound) String() string {
	step := fmt.Sprintf("step %d", b.Step)
	if b.Of != "" {
		step += fmt.Sprintf(" (of %q)", b.Of)
	}
	if b.Most == nil {
		return fmt.Sprintf("%s: %s or more, without a bound", step, printable.Quantity(b.Least, "transition"))
	}
	if b.Least == *b.Most {
		return step + ": " + printable.Quantity(b.Least, "transition")
	}
	return fmt.Sprintf("%s: %d to %s", step, b.Least, printable.Quantity(*b.Most, "transition"))
}

// Faults is the least number of the job's fault actions in a violation, see [explain.Faults].
type Faults struct {
	Patterns    string `json:"patterns"`
	Least       *int   `json:"least"`
	OnlyForEver bool   `json:"only_for_ever,omitzero"`
}

// MostOf returns the largest bound of a property that holds, as a number and in words; the
// words are "" if the property has no bounds. Cost O(bounds).
func (r *Result) MostOf() (most int, words string) {
	b := r.LargestBound()
	switch {
	case b == nil:
		return 0, ""
	case b.Most == nil:
		return 0, "no bound"
	}
	return *b.Most, printable.Quantity(*b.Most, "action")
}

// LargestBound returns the largest of the bounds, nil if there are none. A bound without a largest
// number exceeds all others. Cost O(bounds).
func (r *Result) LargestBound() *Bound {
	var largest *Bound
	for i := range r.Bounds {
		b := &r.Bounds[i]
		if b.Most == nil {
			return b
		}
		if largest == nil || *b.Most >= *largest.Most {
			largest = b
		}
	}
	return largest
}

// String returns the number of faults in words: "LOSS: 2".
func (f Faults) String() string {
	switch {
	case f.Least != nil:
		return fmt.Sprintf("%s: %d", f.Patterns, *f.Least)
	case f.OnlyForEver:
		return f.Patterns + ": infinitely many"
	}
	return f.Patterns + ": any number"
}

// exceeded lists the expectations about bounds and faults that are not met.
func exceeded(r *Result) []string {
	var unmet []string
	largest := r.LargestBound()
	mustBeBounded := r.Job.Bound > 0 && r.Status == Satisfied
	switch {
	case !mustBeBounded || largest == nil:
	case largest.Most == nil:
		unmet = append(unmet,
			fmt.Sprintf("there is no bound, and at most %d are expected", r.Job.Bound))
	case *largest.Most > r.Job.Bound:
		unmet = append(unmet,
			fmt.Sprintf("it takes up to %s, and at most %d are expected",
				printable.Quantity(*largest.Most, "action"), r.Job.Bound))
	}
	for i, f := range r.Faults {
		if i >= len(r.Job.LeastFaults) || f.Least == nil {
			continue
		}
		expected := r.Job.LeastFaults[i]
		if *f.Least < expected {
			unmet = append(unmet,
				fmt.Sprintf("it takes %d %s to violate it, and at least %d are expected",
					*f.Least, f.Patterns, expected))
		}
	}
	return unmet
}

// judge compares a result with the expectations of its job.
func (r *Result) judge() {
	r.Unexpected = isUnexpected(r.Job, r.Status)
	r.Exceeds = exceeded(r)
}
