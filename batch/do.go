// Package batch explains many pairs of a model and a property in one go, as a
// nightly run or a step of continuous integration does, and never loses a result
// that is finished.
//
// The data flows one way: a manifest lists jobs (manifest.go); [Do] does one job, a function from
// [Job] to [Result] that shares nothing with other jobs; [Run] schedules many of them within limits
// of time and memory, and appends each result to a journal as soon as it is there (run.go,
// journal.go); package batch/summary turns the results into formats for teams and CI servers.
//
// The invariant that holds inside: a result in the journal is complete, and is the only one of
// its job. [Job] and [Result] are plain data that JSON carries without loss, so that another
// machine can do a job.
package batch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/diagram/graphviz"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/values"
	"github.com/inev-lts/inev/report"
	"github.com/inev-lts/inev/report/page"
)

// Work has the settings for doing jobs, except the settings on which a verdict depends, which are
// in [Job]. A worker on another machine gets the fields that have names in JSON.
type Work struct {
	// Folder is the folder of results, where the job gets a folder for its files; "" if no files
	// are to be written.
	Folder string `json:"folder"`
	// Wanted are the kinds of files to write, in the order of [Outputs].
	Wanted []string `json:"wanted"`
	// Version is the version of the tool.
	Version string `json:"version"`
	// Timeout is the limit of jobs without a limit of their own; 0 is no limit.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Workers is the number of goroutines that read a model or draw the pictures of a page; 0
	// means one for each processor.
	Workers int `json:"workers,omitempty"`
	// Models gives jobs their models. If it is nil, each job reads its own.
	Models Models `json:"-"`
	// Engine lays out pictures. If it is nil, each job makes one of its own.
	Engine *graphviz.Engine `json:"-"`
	// Text, if it is not nil, turns an error into the text that the result has; otherwise that text
	// is the error's own.
	Text func(error) string `json:"-"`
	// Failed, if it is not nil, is called with the error of a job without a verdict, before Text is
	// applied to it.
	Failed func(error) `json:"-"`
	// Command, if it is not nil, returns the command line that makes the page of a job; the
	// page shows it.
	Command func(Job) []string `json:"-"`
	// Explained, if it is not nil, is called with the explanation from which a result is made. If
	// Explained fails, so does the job.
	Explained func(context.Context, *explain.Explanation) error `json:"-"`
	// root is the open folder of results if the whole run holds it open, else nil.
	root filesystem.Folder
}

func (w *Work) say(err error) string {
	if w.Text == nil {
		return err.Error()
	}
	return w.Text(err)
}

// Do does one job. Do shares only Work.Models and Work.Engine with other calls, and writes only the
// files of its job: their folder appears as a whole before Do returns.
//
// Each failure is in the result: an unusable model or formula, an exceeded limit, a panic, and
// memory beyond the budget of ctx (see [resources.Budget]). If ctx is done, the status of the
// result is [Canceled]. Cost: that of [explain.Explain] and of writing the files.
func Do(ctx context.Context, j Job, w Work) (r Result) {
	start := time.Now()
	r = Result{Schema: ResultSchema, Job: j, Wanted: slices.Clone(w.Wanted), Started: start.UTC().Format(time.RFC3339)}
	t := &task{Work: w, job: j, result: &r}
	defer func() { r.Milli = milliseconds(time.Since(start)) }()
	defer func() {
		if p := contained.Recovered(recover()); p != nil {
			t.crashed(ctx, p)
		}
	}()
	limited, stop := ctx, context.CancelFunc(func() {})
	if limit := t.timeout(); limit > 0 {
		limited, stop = context.WithTimeout(ctx, limit)
	}
	defer stop()
	limited, leave := resources.Join(limited)
	defer leave()
	if t.Models == nil {
		t.Models = files{w.Workers, nil}
	}
	if t.Engine == nil {
		t.Engine = graphviz.New(view.MaxStops, "")
		defer t.Engine.Close()
	}
	if err := abort.Try(func() { t.do(limited) }); err != nil {
		t.identify(limited)
		err = resources.Because(limited, err)
		var panicked *contained.Panic
		if errors.As(err, &panicked) {
			t.crashed(ctx, panicked)
			return r
		}
		// Partial answers are dropped, so that results do not depend on when a limit was reached.
		r.forget()
		if t.Work.Failed != nil {
			t.Work.Failed(err)
		}
		switch {
		case ctx.Err() != nil:
			r.Status, r.Error = Canceled, "the batch was stopped"
		case errors.Is(err, context.DeadlineExceeded) && limited.Err() != nil:
			r.Status = TimedOut
			r.Error = t.say(remedy.New(nil, "stopped after ", t.timeout(), ", its limit of time; allow it more, ", remedy.MoreTime))
		default:
			r.Status, r.Error = Failed, printable.Text(t.say(err))
		}
	}
	return r
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}

// task is a job that is being done: it is prepared, explained, and its results are recorded.
type task struct {
	Work
	job    Job
	result *Result
	question
	model *Model
	e     *explain.Explanation
	said  *report.Sentences // about e
}

func (t *task) timeout() time.Duration { return cmp.Or(t.job.Timeout, t.Timeout) }

// identify gives the result a key by the current digest of the file, unless reading the model has
// given it one. The digest is "" if ctx is done or the file cannot be read.
func (t *task) identify(ctx context.Context) {
	if t.result.Key == "" {
		digest, _ := t.Models.Digest(ctx, t.job)
		t.result.Key = t.job.Key(digest, t.Version)
	}
}

func (t *task) do(ctx context.Context) {
	ctx = t.job.counting(ctx)
	m := t.prepare(ctx)
	t.e = abort.Must(explain.Explain(ctx, m, t.formula, t.options))
	t.said = report.NewSentences(t.e, printable.Text)
	t.result.Model = &ModelSize{t.e.Model.States, t.e.Model.Transitions, t.e.Model.Labels}
	if t.Explained != nil {
		abort.On(t.Explained(ctx, t.e))
	}
	r, e := t.result, t.e
	status := Satisfied
	if e.Verdict == explain.Violated {
		status = Violated
		r.Counterexample = t.summarise(ctx)
	}
	for _, warning := range e.Warnings {
		r.Warnings = append(r.Warnings, printable.Text(warning))
	}
	if e.Reasons != nil {
		for _, b := range e.Reasons.Bounds {
			r.Bounds = append(r.Bounds, Bound{b.Step, printable.Text(b.Of), b.Most, b.Least})
		}
		if r.Job.Bound > 0 && len(r.Bounds) == 0 {
			abort.On(fmt.Errorf("bound: %s has no bound; only inevitability, a response with one answer, and what is to happen again and again have bounds", r.Job.Formula))
		}
	}
	for i, patterns := range t.faults {
		switch err := actl.UnmatchedPatterns(ctx, patterns, t.model.LTS.Alphabet()); {
		case !errors.As(err, new(*actl.UnmatchedError)):
			abort.On(err)
		case !r.Job.Options.AllowUnmatched:
			abort.On(remedy.New(err, t.job.Model, ": faults: ", err, " (", remedy.Unmatched, " takes it)"))
		}
		found := abort.Must(e.LeastFaults(ctx, patterns))
		r.Faults = append(r.Faults, Faults{printable.Text(r.Job.Options.Faults[i]), found.Least, found.OnlyForEver})
	}
	r.Classes = &Classes{e.Classes.Correct, e.Classes.Incorrect, e.Classes.Neutral, e.Classes.Excluded}
	r.Neighbourhoods = e.Neighbourhoods().Len()
	r.TimingsMS = map[string]float64{}
	for _, phase := range e.Timings {
		r.TimingsMS[phase.Name] += milliseconds(phase.Took)
	}
	start := time.Now()
	if t.Folder != "" && len(t.Wanted) > 0 {
		folder := folderOf(t.job.Name)
		r.Files, r.Digests = map[string]string{}, map[string]string{}
		t.inFolder(ctx, func(root filesystem.Folder, hidden string) (some bool) {
			for _, o := range outputs {
				if !slices.Contains(t.Wanted, o.kind) || o.kind == "trace" && e.Counterexample == nil {
					continue
				}
				if digest := t.writeFile(ctx, root, hidden+"/"+o.file, o); digest != "" {
					r.Files[o.kind], r.Digests[o.kind] = folder+"/"+o.file, digest
				}
			}
			return len(r.Files) > 0
		})
	}
	r.TimingsMS["files"] = milliseconds(time.Since(start))
	r.Status = status
	r.judge()
}

// prepare reads the question and the model, and returns the model on which the question is asked.
func (t *task) prepare(ctx context.Context) *lts.LTS {
	if t.job.Refused != "" {
		abort.On(errors.New(t.job.Refused))
	}
	t.question = t.job.question(ctx)
	t.model = abort.Must(t.Models.Model(ctx, t.job))
	t.result.Key = t.job.Key(t.model.Digest, t.Version)
	if t.job.KeepModel {
		t.result.ModelDigest = t.model.Digest
	}
	m := t.model.LTS
	t.result.Model = &ModelSize{m.NumStates(), m.NumTransitions(), m.Alphabet().Len()}
	if t.job.Memory > 0 {
		limit := resources.Limit{Bytes: t.job.Memory, By: "allowed by the job's own limit (memory)"}
		t.inModel(footprint.Fits(footprint.Explaining, int64(m.NumStates()), int64(m.NumTransitions()), limit))
	}
	o := &t.options
	o.File, o.States, o.Warnings = t.job.Model, t.model.States, t.model.Warnings
	if t.model.Took > 0 {
		o.Before = []explain.Phase{{Name: "read", Took: t.model.Took}}
	}
	if t.lanes != nil {
		var texts []string
		for _, text := range m.Alphabet().All() {
			texts = append(texts, text)
		}
		o.Owners = &explain.Owners{Names: t.lanes.Owners(texts), Of: t.lanes.Owner, Components: t.lanes.Components}
		if text := t.lanes.Unmatched(texts); text != "" {
			o.Warnings = append(slices.Clone(o.Warnings), text)
		}
	}
	// If the manifest names no specification and a front end makes the model, it is the inputs of the front end.
	switch s := t.job.Source; {
	case s == nil && t.job.isMade():
		o.Specification = abort.Must(specification.ReadAmong(ctx, abort.Must(t.job.specification().Inputs(ctx))))
	case s != nil && s.files != nil:
		o.Specification = s.files
	case s != nil:
		o.Specification = abort.Must(specification.Read(ctx, s.Paths))
		if o.Specification.Digest() != s.Digest {
			abort.On(fmt.Errorf("%s: the specification has changed since the manifest was read; run the batch again", strings.Join(s.Paths, ", ")))
		}
	}
	if t.job.TLA != nil {
		return t.specified(ctx)
	}
	m, err := explain.Matched(ctx, m, t.formula, o, t.job.Options.AllowUnmatched)
	// The error says how to accept what matches nothing.
	var unmatched *actl.UnmatchedError
	var missing *values.NoValueError
	switch {
	case errors.As(err, &missing):
		err = remedy.New(err, t.job.Model, ": ", err, " (", remedy.Unmatched, " takes it as ", missing.IsTrue(), " everywhere)")
	case errors.As(err, &unmatched):
		parts := []any{t.job.Model, ": ", err, " ("}
		if unmatched.Whole != "" {
			parts = append(parts, remedy.Parts, " matches it; ")
		}
		err = remedy.New(err, append(parts, remedy.Unmatched, " takes it as ", unmatched.A(), " that never happens)")...)
	}
	abort.On(err)
	return m
}

// inModel ends the job with an error about its model; it does nothing if there is none.
func (t *task) inModel(err error) {
	if err != nil {
		abort.On(fmt.Errorf("%s: %w", t.job.Model, err))
	}
}

// specified returns the model of the first violated instance of a property of a TLA+ specification,
// which becomes the formula. It adds the fairness of the specification, and warnings, to the
// options.
func (t *task) specified(ctx context.Context) *lts.LTS {
	s := abort.Must(t.job.load(ctx))
	instances := abort.Must(s.Instances(t.job.Formula))
	if s.Digest() != t.job.TLA.Digest {
		abort.On(fmt.Errorf("%s: the specification has changed since the manifest was read; run the batch again", t.job.TLA.File))
	}
	o := &t.options
	g, err := s.On(ctx, t.model.LTS, o.States, t.job.isMade())
	t.inModel(err)
	o.Idle = g.Stuttering()
	if o.Specification == nil {
		o.Specification = abort.Must(specification.ReadAmong(ctx, s.Files()))
	}
	m, f, fair, others, err := g.First(ctx, instances, func(m *lts.LTS, f *ltl.Formula, fair []*actl.Assumption) (bool, error) {
		return o.IsViolated(ctx, m, f, fair)
	})
	t.inModel(err)
	t.formula, o.Fair = f, slices.Concat(fair, o.Fair)
	o.Warnings = slices.Concat(o.Warnings, g.Notes())
	if others != "" {
		o.Warnings = append(o.Warnings, others)
	}
	return m
}

// unexpected reports whether the verdict differs from the expected one.
func unexpected(j Job, s Status) bool { return s.Answered() && j.Expected() != s }

// forget removes everything from a result that is not known before the job is done.
func (r *Result) forget() {
	*r = Result{Schema: r.Schema, Job: r.Job, Key: r.Key, Wanted: r.Wanted, Model: r.Model, Started: r.Started}
}

// crashed reports a panic, and writes its stack to the job's log.
func (t *task) crashed(ctx context.Context, p *contained.Panic) {
	r := t.result
	t.identify(ctx)
	r.forget()
	r.Status = Crashed
	r.Error = printable.Text(p.Error())
	if t.Folder == "" {
		return
	}
	folder := folderOf(t.job.Name)
	text := fmt.Sprintf("inev %s\n%s\n%s\n\npanic: %v\n\n%s", t.Version, t.job.Model, t.job.Formula, p.Value, p.Stack)
	err := abort.Try(func() {
		t.inFolder(ctx, func(root filesystem.Folder, hidden string) (some bool) {
			createFile(root, hidden+"/"+logFile, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
			return true
		})
	})
	if err != nil {
		r.Error += " (its stack cannot be written: " + printable.Text(t.say(err)) + ")"
		return
	}
	r.Files = map[string]string{logKind: folder + "/" + logFile}
	r.Digests = map[string]string{logKind: sum([]byte(text))}
	r.Error += "; this is a mistake in inev: report it with " + folder + "/log.txt"
}

// summarise returns a short form of the counterexample.
func (t *task) summarise(ctx context.Context) *Counterexample {
	e, c := t.e, t.e.Counterexample
	// Shortest claims that no counterexample is shorter; a run that contains the wanted pattern may
	// be longer than others.
	shortest := c.Shortest && e.Pattern() == nil
	short := &Counterexample{
		Kind: c.Kind, Length: c.Length, Before: len(c.Steps) - c.Length, Shortest: shortest, InProduct: shortest && c.Minimal == counterexample.InProduct, LoopStart: int(c.LoopStart),
		Labels: make([]string, min(len(c.Steps), listed)),
	}
	for i := range short.Labels {
		short.Labels[i] = printable.Text(c.Steps[i].Label)
	}
	choices := e.Decisions
	for _, d := range choices[:min(len(choices), listed)] {
		short.Decisions = append(short.Decisions, Decision{
			Step: int(d.Step) + 1, State: e.Name(d.State), Kind: d.Kind, Label: printable.Text(d.Chosen.Label), Source: shownPlace(d.Source),
		})
	}
	short.Sentence = t.said.Shape() // unless it is known why the property fails
	if d := t.said.Story().Diagnosis; d != nil {
		short.Sentence = t.said.Say(*d)
	}
	short.Prevention = strings.Join(t.said.Prevention(), " ")
	if e.Diagnosis != nil {
		short.Diagnosis = e.Diagnosis.Kind.String()
	}
	deciding := e.Deciding()
	if deciding == nil {
		return short
	}
	step := c.Steps[deciding.Step]
	short.Deciding = &Deciding{
		Step: int(deciding.Step) + 1, From: e.Name(step.From), Label: printable.Text(step.Label), To: e.Name(step.To),
		Why: deciding.Why, Source: shownPlace(t.options.Specification.Find(step.Label)),
	}
	t.locate(ctx, int(deciding.Step), short)
	return short
}

// shownPlace returns a copy of p whose source line is printable.
func shownPlace(p *specification.Position) *specification.Position {
	if p == nil {
		return nil
	}
	shown := *p
	shown.Text = printable.Text(p.Text)
	return &shown
}

// locate adds the lines of the steps in a result, deciding among them: the index of the step that
// decides. If the file is gone or has changed, the lines stay unknown.
func (t *task) locate(ctx context.Context, deciding int, short *Counterexample) {
	if t.job.isMade() || !format.Of(t.job.Path, nil).IsAut() {
		return
	}
	steps := []int{deciding}
	for i := range short.Labels {
		steps = append(steps, i)
	}
	for _, d := range short.Decisions {
		steps = append(steps, d.Step-1)
	}
	wanted := make([]lts.Transition, len(steps))
	for i, step := range steps {
		wanted[i] = t.e.Trace().Step(step)
		if t.e.IsUnfolded() {
			// The unfolded model has the labels of the model itself, with the
			// same numbers.
			wanted[i].From, wanted[i].To = foldedState(t.e.Name(wanted[i].From)), foldedState(t.e.Name(wanted[i].To))
		}
	}
	lines, plain, err := aut.LinesOf(ctx, t.job.Path, t.model.LTS, wanted)
	abort.On(ctx.Err())
	if err != nil || lines[0] == 0 {
		return
	}
	if t.model.file != nil {
		if now, err := os.Stat(t.job.Path); err != nil || !inputfile.Unchanged(t.model.file, now) {
			return
		}
	}
	short.Deciding.Line = lines[0]
	if t.result.Packed = !plain; t.result.Packed {
		return
	}
	short.Lines = lines[1 : 1+len(short.Labels)]
	for i := range short.Decisions {
		short.Decisions[i].Line = lines[1+len(short.Labels)+i]
	}
}

// foldedState returns the state of the model that a state of the unfolded model stands for; the
// unfolded one is shown as state·progress.
func foldedState(name string) lts.State {
	state, _, _ := strings.Cut(name, "·")
	n, _ := strconv.ParseUint(state, 10, 32)
	return lts.State(n)
}

// output is a kind of file that a job can write.
type output struct {
	kind, file string
	// optional kinds may be missing: if such a file cannot be made, the result gets a warning
	// instead of an error.
	optional bool
	write    func(ctx context.Context, t *task, w io.Writer) error
}

var outputs = [...]output{
	{"explanation", "explanation.json", false, func(_ context.Context, t *task, w io.Writer) error {
		json, err := report.New("json", report.Options{})
		if err != nil {
			return err
		}
		return json.Explanation(w, t.e)
	}},
	{"page", "page.html", false, func(ctx context.Context, t *task, w io.Writer) error {
		tour, err := view.NewTour(ctx, t.e, 0)
		if err != nil {
			return err
		}
		if t.lanes != nil { // a property that holds has no chart
			if c, err := view.NewChart(t.e, t.lanes, view.ChartOptions{}); err == nil {
				tour = tour.WithChart(c)
			}
		}
		o := page.Options{Version: t.Version, Workers: t.Workers, Folder: filepath.Join(t.Folder, filepath.FromSlash(folderOf(t.job.Name)))}
		if t.Command != nil {
			o.Command = t.Command(t.job)
		}
		p, err := page.New(ctx, t.Engine, t.e, tour, o)
		if err != nil {
			return err
		}
		return p.Write(ctx, w)
	}},
	{"svg", "picture.svg", true, func(ctx context.Context, t *task, w io.Writer) error {
		g, err := view.Of(ctx, t.e, view.Options{})
		if err != nil {
			return err
		}
		return diagram.SVG(ctx, t.Engine, w, g.Diagnosed(t.said.Diagnosis()), diagram.Options{})
	}},
	{"dot", "picture.dot", true, func(ctx context.Context, t *task, w io.Writer) error {
		g, err := view.Of(ctx, t.e, view.Options{})
		if err != nil {
			return err
		}
		return diagram.DOT(w, g.Diagnosed(t.said.Diagnosis()), diagram.Options{})
	}},
	{"trace", "trace.seq", true, func(_ context.Context, t *task, w io.Writer) error {
		return report.Sequence(w, t.e, false)
	}},
}

// Outputs returns the kinds of files that a job can write on demand: explanation (JSON), page
// (HTML), svg, dot and trace (CADP's .seq). The log of a crash is written without demand.
func Outputs() []string {
	kinds := make([]string, len(outputs))
	for i, o := range outputs {
		kinds[i] = o.kind
	}
	return kinds
}

// writeFile writes one file and returns its digest; "" if an optional file cannot be made. An
// optional file is made in memory first, to tell a picture that cannot be drawn from a full
// disk.
func (t *task) writeFile(ctx context.Context, root filesystem.Folder, name string, o output) (digest string) {
	write := func(w io.Writer) error { return o.write(ctx, t, w) }
	if o.optional {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			abort.On(ctx.Err())
			t.result.Warnings = append(t.result.Warnings, printable.Text(o.file+": not written: "+err.Error()))
			return ""
		}
		write = func(w io.Writer) error {
			_, err := text.WriteTo(w)
			return err
		}
	}
	return createFile(root, name, func(w io.Writer) error {
		buffer := bufio.NewWriterSize(w, 32<<10)
		return cmp.Or(write(buffer), buffer.Flush())
	})
}

// inFolder is the function [inFolder] for the folder of the job, in the folder of results that the run
// holds open or, if there is none, in a newly opened one, which is made if it is missing.
func (t *task) inFolder(ctx context.Context, fill func(root filesystem.Folder, hidden string) (some bool)) {
	root := t.root
	if root == nil {
		root = openFolder(ctx, t.Folder)
		defer root.Close()
	}
	inFolder(root, folderOf(t.job.Name), func(hidden string) bool { return fill(root, hidden) })
}

// inFolder fills the folder of a job, which other programs see as a whole or not at all: the folder
// has a hidden name until it is complete, and is removed if fill reports that it has written
// nothing. Errors of the system name the folder by its final name.
func inFolder(root filesystem.Folder, folder string, fill func(hidden string) (some bool)) {
	hidden := path.Join(path.Dir(folder), hiddenPrefix+path.Base(folder))
	err := abort.Try(func() {
		if root.Mkdir(hidden) != nil { // a killed run has left the folder, or its parent is missing
			abort.On(filesystem.RefuseLink(root, jobsName))
			abort.On(root.RemoveAll(hidden))
			if err := root.Mkdir(path.Dir(hidden)); !errors.Is(err, fs.ErrExist) {
				abort.On(err)
			}
			abort.On(root.Mkdir(hidden))
		}
		switch {
		case !fill(hidden):
			abort.On(errors.Join(root.Remove(hidden), root.RemoveAll(folder)))
		case root.Rename(hidden, folder) != nil: // a failed or killed run has left a folder of this name
			abort.On(root.RemoveAll(folder))
			abort.On(root.Rename(hidden, folder))
		}
	})
	if err == nil {
		return
	}
	_ = root.RemoveAll(hidden)
	if cause, bySystem := filesystem.Cause(err); bySystem {
		err = fmt.Errorf("%s: cannot be written: %w", filepath.Join(root.Path(), filepath.FromSlash(folder)), cause)
	}
	abort.On(err)
}

// hiddenPrefix begins the names of incomplete folders.
const hiddenPrefix = ".unfinished-"
