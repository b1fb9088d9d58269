package batch

import (
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/format/specification"
)

// Job is one question: whether a model has a property, and if not, why. It says
// all that its answer depends on, but for the content of the model's file.
type Job struct {
	// Name is what people call the job. Names are unique in a batch: where the
	// manifest gives none, it is made of model and formula.
	Name string `json:"name"`
	// Model is the path of the model as it is shown, with slashes and relative to
	// the manifest; Path is where its file is found.
	Model string `json:"model"`
	Path  string `json:"path"`
	// Formula is the text of the property, or the name of its automaton.
	Formula string `json:"formula"`
	// Refused is what is wrong with the formula, and where, if it cannot be read: then the job fails.
	Refused string `json:"refused,omitempty"`
	// Automaton is the property where a file says it, nil if Formula does.
	Automaton *File `json:"automaton,omitempty"`
	// States is the table with the values of states, nil if the model's own file has them; Source
	// are the files that the model was generated from, nil if they are not known.
	States *File   `json:"states,omitempty"`
	Source *Source `json:"source,omitempty"`
	// Config is the configuration of TLC, nil for the one next to the specification.
	Config *File `json:"cfg,omitempty"`
	// Lanes is the table that says who acts, nil if Options.Lanes is no name of a file.
	Lanes *File `json:"lanes,omitempty"`
	// Expect is the verdict that is expected, violated or satisfied; "" if the
	// manifest says nothing, and satisfied is expected.
	Expect string `json:"expect,omitempty"`
	// Bound is the largest bound that is expected of a property that holds, 0 if nothing is
	// said; LeastFaults are how many of each of Options.Faults a violation should take at least.
	Bound       int   `json:"bound,omitempty"`
	LeastFaults []int `json:"least_faults,omitempty"`
	// Tags are words to group jobs by.
	Tags []string `json:"tags,omitempty"`
	// Timeout is the longest time that the job may take, 0 for no limit; Memory is
	// the most that it may need in bytes, 0 for what there is.
	Timeout time.Duration `json:"timeout,omitempty"`
	Memory  int64         `json:"memory,omitempty"`
	// Priority says which jobs are begun first: those with a larger one. The answer does not
	// depend on it.
	Priority int `json:"priority,omitempty"`
	// KeepModel keeps a copy of the model with the results, see [Result.KeptModel]. The answer does not
	// depend on it.
	KeepModel bool `json:"keep_model,omitempty"`
	// Options are those of the command line.
	Options Options `json:"options"`
	// Where is the place in the manifest that asks for the job.
	Where Place `json:"where"`
}

// File is a file that a job needs besides its model: an automaton, values of states, lanes, or a
// configuration.
type File struct {
	// File is its path as the manifest has it, and Path where it is found.
	File string `json:"file"`
	Path string `json:"path"`
	// Digest is the SHA-256 of its content when the manifest was read.
	Digest string `json:"digest"`
}

// Source are the files and folders of a specification.
type Source struct {
	// Paths are where they are found.
	Paths []string `json:"paths"`
	// Digest is the SHA-256 of their contents when the manifest was read.
	Digest string               `json:"digest"`
	files  *specification.Files // nil if they have not been read here
}

// Property returns the property with the assumptions under which it is asked for, as
// people read it: "Inev(PUT) assuming weak:each".
func (j *Job) Property() string {
	if len(j.Options.Fair) == 0 {
		return j.Formula
	}
	assumed := strings.Join(j.Options.Fair, "; ")
	if j.Options.Blocking != "" {
		assumed += "; " + actl.Blocking.String() + ":" + j.Options.Blocking
	}
	return j.Formula + " assuming " + assumed
}

// Expected returns the verdict that is expected.
func (j *Job) Expected() Status {
	if j.Expect == string(Violated) {
		return Violated
	}
	return Satisfied
}

// Place is a place in a file, for messages.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // from 1; 0 for the file as a whole
}
