package summary

import (
	"bufio"
	"bytes"
	_ "embed"
	"fmt"
	"io"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/modeljson"
	"github.com/inev-lts/inev/internal/printable"
)

// schema names the version of the data that JSON writes.
const schema = "inev.summary/1"

//go:embed schema/summary-1.json
var jsonSchema []byte

// JSONSchema returns the JSON Schema (draft 2020-12) of what JSON writes. The caller
// may change the slice.
func JSONSchema() []byte { return bytes.Clone(jsonSchema) }

type jobJSON struct {
	Name           string              `json:"name"`
	Model          string              `json:"model"`
	Formula        string              `json:"formula"`
	Options        batch.Options       `json:"options"`
	Tags           []string            `json:"tags"`
	Status         batch.Status        `json:"status"`
	Expect         string              `json:"expect,omitempty"`
	Unexpected     bool                `json:"unexpected"`
	Change         baseline.Change     `json:"change,omitempty"`
	Error          string              `json:"error,omitempty"`
	Warnings       []string            `json:"warnings,omitempty"`
	Size           *batch.ModelSize    `json:"size,omitempty"`
	Classes        *batch.Classes      `json:"classes,omitempty"`
	Neighbourhoods *int                `json:"neighbourhoods,omitempty"`
	Counterexample *counterexampleJSON `json:"counterexample,omitempty"`
	Argument       string              `json:"argument,omitempty"`
	Bounds         []batch.Bound       `json:"bounds,omitempty"`
	Faults         []batch.Faults      `json:"faults,omitempty"`
	Exceeds        []string            `json:"exceeds,omitempty"`
	Files          map[string]string   `json:"files,omitempty"`
}

type counterexampleJSON struct {
	Kind      string          `json:"kind"`
	Length    int             `json:"length"`
	Shortest  bool            `json:"shortest"`
	InProduct bool            `json:"in_product,omitzero"`
	LoopStart *int            `json:"loop_start"`
	Decisions int             `json:"decisions"`
	Deciding  *batch.Deciding `json:"deciding"`
	Diagnosis string          `json:"diagnosis,omitempty"`
	Sentence  string          `json:"sentence,omitempty"`
	// Prevention says who could have prevented the violation.
	Prevention string `json:"prevention,omitempty"`
}

type timingJSON struct {
	Name      string             `json:"name"`
	Started   string             `json:"started,omitempty"`
	Milli     float64            `json:"ms"`
	TimingsMS map[string]float64 `json:"timings_ms,omitempty"`
	Reused    bool               `json:"reused,omitzero"`
}

// JSON writes the summary for programs: the numbers of jobs by their ends, a short form of every
// job, and the differences from the earlier run. [JSONSchema] describes it. Texts are exact, except
// that bytes which are no UTF-8 become \x and two digits; characters that a terminal would obey are
// escaped.
//
// The last member, timings, has everything that differs from run to run: two runs with the same
// answers have the same bytes before it. Cost O(size of the results); they are written job by job.
func (b Batch) JSON(w io.Writer) error {
	out := &jsonLines{w: bufio.NewWriter(w)}
	out.text("{\n \"schema\": ")
	out.value(schema)
	out.text(",\n \"manifest\": ")
	out.value(b.Manifest)
	if b.Version != "" {
		out.text(",\n \"version\": ")
		out.value(b.Version)
	}
	out.text(",\n \"counts\": ")
	out.value(counted(b.Results))
	out.text(",\n \"differences\": ")
	out.differences(b.Differences)
	all := findings(b)
	out.text(",\n \"jobs\": ")
	out.list(len(all), func(i int) any { return jobJSONOf(all[i]) })
	out.text(",\n \"timings\": ")
	out.timings(b)
	out.text("\n}\n")
	if out.err != nil {
		return out.err
	}
	return out.w.Flush()
}

// jobJSONOf returns a job as summary.json has it.
func jobJSONOf(f finding) jobJSON {
	object := jobJSON{
		Name:       f.Job.Name,
		Model:      f.Job.Model,
		Formula:    f.Job.Formula,
		Options:    f.Job.Options,
		Tags:       f.Job.Tags,
		Status:     f.Status,
		Expect:     f.Job.Expect,
		Unexpected: f.Unexpected,
		Change:     f.change,
		Error:      f.Error,
		Warnings:   f.Warnings,
		Size:       f.Model,
		Classes:    f.Classes,
		Argument:   f.Argument,
		Bounds:     f.Bounds,
		Faults:     f.Faults,
		Exceeds:    f.Exceeds,
	}
	if f.Classes != nil {
		object.Neighbourhoods = &f.Neighbourhoods
	}
	c := f.Counterexample
	if c != nil {
		object.Counterexample = &counterexampleJSON{
			Kind:       c.Kind.String(),
			Length:     c.Length,
			Shortest:   c.Shortest,
			InProduct:  c.InProduct,
			LoopStart:  loopStart(c),
			Decisions:  len(c.Decisions),
			Deciding:   c.Deciding,
			Diagnosis:  c.Diagnosis,
			Sentence:   c.Sentence,
			Prevention: c.Prevention,
		}
	}
	files := filesOf(f.Result)
	if len(files) > 0 {
		object.Files = map[string]string{}
	}
	for _, file := range files {
		object.Files[file.kind] = file.path
	}
	return object
}

// jsonLines writes lists with one element on each line, so that line-based tools show what has
// changed. It keeps the first error of encoding a value; w keeps that of writing.
type jsonLines struct {
	w   *bufio.Writer
	err error
}

func (o *jsonLines) text(s string) { fmt.Fprint(o.w, s) }

func (o *jsonLines) value(v any) {
	text, err := modeljson.Plain().Script(v)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.w.Write(printable.JSON(text))
}

func (o *jsonLines) list(n int, element func(i int) any) {
	o.text("[")
	for i := range n {
		if i > 0 {
			o.text(",")
		}
		o.text("\n  ")
		o.value(element(i))
	}
	o.text("]")
}

// differences writes the differences from an earlier run, or null.
func (o *jsonLines) differences(d *baseline.Differences) {
	if d == nil {
		o.text("null")
		return
	}
	o.text("{\n  \"baseline\": ")
	o.value(d.Baseline)
	o.text(",\n  \"counts\": ")
	numbers := map[baseline.Change]int{}
	for _, c := range changes(d) {
		numbers[c.Change] = c.Count
	}
	o.value(numbers)
	o.text(",\n  \"list\": ")
	o.list(len(d.List), func(i int) any { return d.List[i] })
	o.text("}")
}

// timings writes everything that differs from run to run.
func (o *jsonLines) timings(b Batch) {
	o.text("{\n  \"ms\": ")
	o.value(totalMilli(b))
	o.text(",\n  \"reused\": ")
	reused := 0
	for i := range b.Results {
		if b.Results[i].Reused {
			reused++
		}
	}
	o.value(reused)
	o.text(",\n  \"jobs\": ")
	o.list(len(b.Results), func(i int) any {
		r := &b.Results[i]
		return timingJSON{
			Name:      r.Job.Name,
			Started:   r.Started,
			Milli:     r.Milli,
			TimingsMS: r.TimingsMS,
			Reused:    r.Reused,
		}
	})
	o.text("\n }")
}

// loopStart returns the index of the first step of the loop, nil without a loop.
func loopStart(c *batch.Counterexample) *int {
	if c.LoopStart < 0 {
		return nil
	}
	return &c.LoopStart
}

// totalMilli is the sum of the times of all jobs in milliseconds, although jobs ran side by side.
func totalMilli(b Batch) float64 {
	sum := 0.0
	for i := range b.Results {
		sum += b.Results[i].Milli
	}
	return sum
}
