package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/diagram/graphviz"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/report"
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

func (t *task) command() []string {
	if t.Command == nil {
		return nil
	}
	return t.Command(t.job)
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
		if cause := recover(); cause != nil {
			t.identify(ctx)
			t.crashed(ctx, cause, debug.Stack())
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
	if err := t.do(limited); err != nil {
		t.identify(limited)
		t.failed(ctx, limited, resources.Because(limited, err))
	}
	return r
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond).Microseconds()) / 1000
}

// task is a job that is being done.
type task struct {
	Work
	job    Job
	result *Result
	model  *Model
	files  *specification.Files // the specification
	lanes  *view.Lanes          // nil if no owners are known
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

func (t *task) do(ctx context.Context) error {
	if t.job.Options.Parts {
		ctx = actl.WithParts(ctx)
	}
	if t.job.Refused != "" {
		return errors.New(t.job.Refused)
	}
	var f property.Formula
	var err error
	if t.job.TLA == nil {
		if f, err = t.job.formula(ctx); err != nil {
			return err
		}
	}
	var o explain.Options
	if o, t.lanes, err = t.job.explain(ctx); err != nil {
		return err
	}
	if t.model, err = t.Models.Model(ctx, t.job); err != nil {
		return err
	}
	t.result.Key = t.job.Key(t.model.Digest, t.Version)
	if t.job.KeepModel {
		t.result.ModelDigest = t.model.Digest
	}
	m := t.model.LTS
	t.result.Model = &ModelSize{m.NumStates(), m.NumTransitions(), m.Alphabet().Len()}
	if err := t.fits(); err != nil {
		return err
	}
	o.File, o.Warnings = t.job.Model, t.model.Warnings
	if t.lanes != nil {
		o.Owners = owners(m, t.lanes)
		if text := t.lanes.Unmatched(textsIn(m)); text != "" {
			o.Warnings = append(slices.Clone(o.Warnings), text)
		}
	}
	if t.model.Took > 0 {
		o.Before = []explain.Phase{{Name: "read", Took: t.model.Took}}
	}
	o.States = t.model.States
	if t.files, err = t.sources(ctx); err != nil {
		return err
	}
	o.Specification = t.files
	if t.job.TLA != nil {
		m, f, err = t.specified(ctx, &o)
	} else {
		m, err = t.valued(ctx, f, &o)
	}
	if err != nil {
		return err
	}
	e, err := explain.Explain(ctx, m, f, o)
	if err != nil {
		return err
	}
	t.result.Model = &ModelSize{e.Model.States, e.Model.Transitions, e.Model.Labels}
	if t.Explained != nil {
		if err := t.Explained(ctx, e); err != nil {
			return err
		}
	}
	return t.record(ctx, e)
}

// valued returns the model with labels extended by the values of states about which the formula
// asks.
func (t *task) valued(ctx context.Context, f property.Formula, o *explain.Options) (*lts.LTS, error) {
	if err := t.matches(ctx, f, o.Fair); err != nil {
		return nil, err
	}
	m, missing, err := explain.WithValues(ctx, t.model.LTS, f, &o.Source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.job.Model, err)
	}
	if len(missing) > 0 && !t.job.Options.AllowUnmatched {
		return nil, remedy.New(missing[0], t.job.Model, ": ", missing[0], " (", remedy.Unmatched, " takes it as ", missing[0].IsTrue(), " everywhere)")
	}
	return m, nil
}

// specified returns the model and the formula of the first violated instance of a property of a
// TLA+ specification. It adds the fairness of the specification, and warnings, to the options.
func (t *task) specified(ctx context.Context, o *explain.Options) (*lts.LTS, property.Formula, error) {
	none := func(err error) (*lts.LTS, property.Formula, error) { return nil, nil, err }
	s, err := t.job.load(ctx)
	if err != nil {
		return none(err)
	}
	instances, err := s.Instances(t.job.Formula)
	if err != nil {
		return none(err)
	}
	if s.Digest() != t.job.TLA.Digest {
		return none(fmt.Errorf("%s: the specification has changed since the manifest was read; run the batch again", t.job.TLA.File))
	}
	g, err := s.On(ctx, t.model.LTS, t.model.States)
	if err != nil {
		return none(fmt.Errorf("%s: %w", t.job.Model, err))
	}
	o.Idle = g.Stuttering()
	if t.files == nil {
		if t.files, err = specification.Read(ctx, located(s.Files())); err != nil {
			return none(err)
		}
		o.Specification = t.files
	}
	m, f, fair, others, err := g.First(ctx, instances, func(m *lts.LTS, f *ltl.Formula, fair []*actl.Assumption) (bool, error) {
		asked := *o
		asked.Fair, asked.VerdictOnly, asked.Judged = slices.Concat(fair, o.Fair), true, nil
		e, err := explain.Check(ctx, m, f, asked)
		if err != nil {
			return false, err
		}
		is := e.Verdict == explain.Violated
		if o.Judged == nil || is && o.Judged.Verdict != explain.Violated {
			o.Judged = e
		}
		return is, nil
	})
	if err != nil {
		return none(fmt.Errorf("%s: %w", t.job.Model, err))
	}
	o.Fair = slices.Concat(fair, o.Fair)
	o.Warnings = slices.Concat(o.Warnings, g.Notes())
	if others != "" {
		o.Warnings = append(o.Warnings, others)
	}
	return m, f, nil
}

// matches refuses a formula with a step that matches no label of the model, and a fairness task
// without labels.
func (t *task) matches(ctx context.Context, f property.Formula, fair []*actl.Assumption) error {
	if t.job.Options.AllowUnmatched {
		return nil
	}
	err := f.Unmatched(ctx, t.model.LTS.Alphabet())
	for _, a := range fair {
		if err == nil {
			err = a.Unmatched(ctx, t.model.LTS.Alphabet())
		}
	}
	var unmatched *actl.UnmatchedError
	if errors.As(err, &unmatched) {
		parts := []any{t.job.Model, ": ", err, " ("}
		if unmatched.Whole != "" {
			parts = append(parts, remedy.Parts, " matches it; ")
		}
		return remedy.New(err, append(parts, remedy.Unmatched, " takes it as ", unmatched.A(), " that never happens)")...)
	}
	return err
}

// fits refuses a model that needs more memory than the job's own limit.
func (t *task) fits() error {
	if t.job.Memory == 0 {
		return nil
	}
	size := t.result.Model
	limit := resources.Limit{Bytes: t.job.Memory, By: "allowed by the job's own limit (memory)"}
	if err := footprint.Fits(footprint.Explaining, int64(size.States), int64(size.Transitions), limit); err != nil {
		return fmt.Errorf("%s: %w", t.job.Model, err)
	}
	return nil
}

// record copies the results of an explanation into the result of the job.
func (t *task) record(ctx context.Context, e *explain.Explanation) error {
	r := t.result
	status := Satisfied
	if e.Verdict == explain.Violated {
		status = Violated
		c, err := t.summarise(ctx, e)
		if err != nil {
			return err
		}
		r.Counterexample = c
	}
	for _, warning := range e.Warnings {
		r.Warnings = append(r.Warnings, printable.Text(warning))
	}
	if err := t.recordMargin(ctx, e); err != nil {
		return err
	}
	r.Classes = &Classes{e.Classes.Correct, e.Classes.Incorrect, e.Classes.Neutral, e.Classes.Excluded}
	r.Neighbourhoods = e.Neighbourhoods().Len()
	r.TimingsMS = map[string]float64{}
	for _, phase := range e.Timings {
		r.TimingsMS[phase.Name] += milliseconds(phase.Took)
	}
	start := time.Now()
	if err := t.writeFiles(ctx, e); err != nil {
		return err
	}
	r.TimingsMS["files"] = milliseconds(time.Since(start))
	r.Status = status
	r.judge()
	return nil
}

// unexpected reports whether the verdict differs from the expected one.
func unexpected(j Job, s Status) bool { return s.Answered() && j.Expected() != s }

// failed records in the result why there is no answer. Partial answers are dropped, so that results
// do not depend on when a limit was reached.
func (t *task) failed(ctx, limited context.Context, err error) {
	r := t.result
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

// forget removes everything from a result that is not known before the job is done.
func (r *Result) forget() {
	*r = Result{Schema: r.Schema, Job: r.Job, Key: r.Key, Wanted: r.Wanted, Model: r.Model, Started: r.Started}
}

// crashed reports a panic, and writes its stack to the job's log.
func (t *task) crashed(ctx context.Context, cause any, stack []byte) {
	r := t.result
	r.forget()
	r.Status = Crashed
	r.Error = printable.Text(fmt.Sprintf("panic: %v", cause))
	if t.Folder == "" {
		return
	}
	folder := folderOf(t.job.Name)
	text := fmt.Sprintf("inev %s\n%s\n%s\n\npanic: %v\n\n%s", t.Version, t.job.Model, t.job.Formula, cause, stack)
	root, done, err := t.open(ctx)
	if err == nil {
		defer done()
		err = inFolder(root, folder, func(hidden string) (bool, error) {
			return true, createFile(root, hidden+"/"+logFile, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		})
	}
	if err != nil {
		r.Error += " (its stack cannot be written: " + printable.Text(t.say(err)) + ")"
		return
	}
	r.Files = map[string]string{logKind: folder + "/" + logFile}
	r.Digests = map[string]string{logKind: sum([]byte(text))}
	r.Error += "; this is a mistake in inev: report it with " + folder + "/log.txt"
}

// summarise returns a short form of the counterexample.
func (t *task) summarise(ctx context.Context, e *explain.Explanation) (*Counterexample, error) {
	c := e.Counterexample
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
	short.Sentence = sentence(e)
	short.Prevention = strings.Join(report.NewSentences(e, printable.Text).Prevention(), " ")
	if e.Diagnosis != nil {
		short.Diagnosis = e.Diagnosis.Kind.String()
	}
	if len(c.Steps) == 0 {
		return short, nil
	}
	at, why := decidingStep(e)
	step := c.Steps[at]
	short.Deciding = &Deciding{From: e.Name(step.From), Label: printable.Text(step.Label), To: e.Name(step.To), Why: why, Source: shownPlace(t.files.Find(step.Label))}
	return short, t.locate(ctx, e, at, short)
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

// The reasons why decidingStep chooses a step.
const (
	atPointOfNoReturn = "point of no return"
	atLastDecision    = "last decision"
	atLastStep        = "last step"
)

// decidingStep returns the index of the step that loses the property, and the reason.
func decidingStep(e *explain.Explanation) (step int, why string) {
	if e.PointOfNoReturn != nil {
		return int(e.PointOfNoReturn.Step), atPointOfNoReturn
	}
	if choices := e.Decisions; len(choices) > 0 {
		return int(choices[len(choices)-1].Step), atLastDecision
	}
	return len(e.Counterexample.Steps) - 1, atLastStep
}

// locate adds the lines of the steps in a result, deciding among them: the index of the step that
// loses the property. If the file is gone or has changed, the lines stay unknown.
func (t *task) locate(ctx context.Context, e *explain.Explanation, deciding int, short *Counterexample) error {
	if t.job.isMade() || !format.Of(t.job.Path, nil).IsAut() {
		return nil
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
		wanted[i] = e.Trace().Step(step)
		if e.IsUnfolded() {
			// The unfolded model has the labels of the model itself, with the
			// same numbers.
			wanted[i].From, wanted[i].To = foldedState(e.Name(wanted[i].From)), foldedState(e.Name(wanted[i].To))
		}
	}
	lines, plain, err := aut.LinesOf(ctx, t.job.Path, t.model.LTS, wanted)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || lines[0] == 0 || !t.sameFile() {
		return nil
	}
	short.Deciding.Line = lines[0]
	if t.result.Packed = !plain; t.result.Packed {
		return nil
	}
	short.Lines = lines[1 : 1+len(short.Labels)]
	for i := range short.Decisions {
		short.Decisions[i].Line = lines[1+len(short.Labels)+i]
	}
	return nil
}

// sameFile reports whether the model's file is unchanged since the model was read, judged by
// its size and times.
func (t *task) sameFile() bool {
	if t.model.file == nil {
		return true
	}
	now, err := os.Stat(t.job.Path)
	return err == nil && inputfile.Unchanged(t.model.file, now)
}

// foldedState returns the state of the model that a state of the unfolded model stands for; the
// unfolded one is shown as state·progress.
func foldedState(name string) lts.State {
	state, _, _ := strings.Cut(name, "·")
	n, _ := strconv.ParseUint(state, 10, 32)
	return lts.State(n)
}

// sentence says why the property fails or, if that is not known, what shape the run has.
func sentence(e *explain.Explanation) string {
	s := report.NewSentences(e, printable.Text)
	if d := s.Story().Diagnosis; d != nil {
		return s.Say(*d)
	}
	return s.Shape()
}
