package batch

import (
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/neighbourhood"
)

// ResultSchema names the version of the data that a Result holds.
const ResultSchema = "inev.result/2"

// resultSchema1 is the version before, which has no checksums and no digests. It can
// be read.
const resultSchema1 = "inev.result/1"

// Status is how a job ended.
type Status string

// How a job ends. Satisfied and Violated are answers; the others say why there is
// none.
const (
	Satisfied Status = "satisfied"
	Violated  Status = "violated"
	Failed    Status = "error"    // the model or the formula cannot be used, or is too large
	TimedOut  Status = "timeout"  // the job's own limit of time
	Crashed   Status = "crash"    // a panic, contained; its stack is in the job's log
	Canceled  Status = "canceled" // the whole batch was stopped; never in a journal
)

// Answered reports whether the job has a verdict.
func (s Status) Answered() bool { return s == Satisfied || s == Violated }

// Result is what became of a job.
type Result struct {
	Schema string `json:"schema"`
	Job    Job    `json:"job"`
	// Key identifies the job with all that its answer depends on: the content of
	// the model's file as it was read, the formula, the options and the version of the tool. Two
	// results with one key have the same answer.
	Key    string `json:"key"`
	Status Status `json:"status"`
	// Unexpected reports that the job has a verdict, and another one was expected: satisfied,
	// unless the manifest says otherwise.
	Unexpected bool `json:"unexpected,omitempty"`
	// Exceeds reports which expectations about bounds and faults are not met.
	Exceeds []string `json:"exceeds,omitempty"`
	// Error is one line, where there is no answer.
	Error    string   `json:"error,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Reused reports that the result was taken over from an earlier run.
	Reused bool `json:"reused,omitempty"`

	// Model is nil if the model could not be read.
	Model *ModelSize `json:"model,omitempty"`
	// ModelDigest is the SHA-256 of the model's file as it was read, if that is kept; see [Result.KeptModel].
	ModelDigest string `json:"model_sha256,omitempty"`
	// Packed reports that lines are lines of a text that the model's file holds in compressed form,
	// so that nobody sees them.
	Packed bool `json:"packed,omitempty"`
	// Classes is nil if there is no answer.
	Classes        *Classes        `json:"classes,omitempty"`
	Neighbourhoods int             `json:"neighbourhoods"`
	Counterexample *Counterexample `json:"counterexample,omitempty"`
	// Bounds are how many transitions it takes, of a property that holds; Faults is how many of
	// the actions that the job names a violation takes.
	Bounds []Bound  `json:"bounds,omitempty"`
	Faults []Faults `json:"faults,omitempty"`

	// Wanted are the kinds of files that were asked for; see [Outputs]. Files are
	// those that the job wrote, by kind, with the paths relative to the folder of
	// results, with slashes. They can lack one that was wanted: a property that
	// holds has no trace, and not everything can be drawn.
	Wanted []string          `json:"wanted,omitempty"`
	Files  map[string]string `json:"files,omitempty"`

	// What follows differs from run to run.

	// Digests are the SHA-256 of Files, by kind.
	Digests   map[string]string  `json:"digests,omitempty"`
	Started   string             `json:"started,omitempty"` // RFC 3339, UTC
	Milli     float64            `json:"ms"`
	TimingsMS map[string]float64 `json:"timings_ms,omitempty"`
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
	// Excluded are those on no run that counts under the job's assumptions.
	Excluded int `json:"excluded,omitempty"`
}

// listed is how many labels, and how many decisions, of a counterexample a result
// holds: enough for all that people read. The explanation's JSON has them all.
const listed = 1000

// Counterexample is the run that a violated property is explained by, in short.
// Its texts are fit to be shown, as [printable.Text] makes them.
type Counterexample struct {
	Kind     counterexample.Kind `json:"kind"`
	Length   int                 `json:"length"`
	Shortest bool                `json:"shortest"`
	// InProduct says that it is a shortest one among the runs whose loops close in the product
	// of model and property, and not known to be one of all.
	InProduct bool `json:"in_product,omitzero"`
	// Labels are the labels of the first 1,000 steps.
	Labels []string `json:"labels"`
	// Lines are the lines of their transitions in the model's file; none where the
	// file is no plain text.
	Lines []int `json:"lines,omitempty"`
	// LoopStart is the index of the first step of the loop, -1 for a run without one.
	LoopStart int `json:"loop_start"`
	// Decisions are the first 1,000 on the run, in their order.
	Decisions []Decision `json:"decisions,omitempty"`
	// Deciding is the transition at which the property is lost: the point of no
	// return where there is one, else that of the last decision, else the last of
	// the run; nil for a run without transitions.
	Deciding *Deciding `json:"deciding,omitempty"`
	// Diagnosis is the kind of [explain.Diagnosis], "" if none is known.
	Diagnosis string `json:"diagnosis,omitempty"`
	// Sentence says in words why the property fails, as the report does.
	Sentence string `json:"sentence,omitempty"`
	// Prevention says who could have prevented it, where the job has lanes.
	Prevention string `json:"prevention,omitempty"`
}

// Decision is one on a run; Kind is that of the neighbourhood that the state is, if it is one.
type Decision struct {
	Step  int                `json:"step"` // from 1
	State string             `json:"state"`
	Kind  neighbourhood.Kind `json:"kind"`
	Label string             `json:"label"` // what the run does there
	// Line is the line of the transition in the model's file, 0 if the file is no plain text.
	Line int `json:"line,omitempty"`
	// Source is the place of the action in the specification; nil if that is not known.
	Source *specification.Place `json:"source,omitempty"`
}

// Deciding is a transition with its place in the model's file.
type Deciding struct {
	From  string `json:"from"`
	Label string `json:"label"`
	To    string `json:"to"`
	Why   string `json:"why"` // point of no return, last decision, or last step
	// Line is the line of the transition in the model's text, the first of equal
	// ones; 0 if that is not known.
	Line int `json:"line,omitempty"`
	// Source is the place of the action in the specification; nil if that is not known.
	Source *specification.Place `json:"source,omitempty"`
}
