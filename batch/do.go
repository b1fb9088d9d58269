// Package batch explains many pairs of a model and a property in one go, as a
// nightly run or a step of continuous integration does, and never loses a result
// that is finished.
//
// The data flows one way: a manifest lists jobs (manifest.go); [Do] does one job, a function from
// [Job] to [Result] that shares nothing with other jobs; [Run] schedules many of them within limits
// of time and memory, and appends each result to a journal as soon as it is there (run.go,
// journal.go); package internal/batch/summary turns the results into formats for teams and CI servers.
//
// A result in the journal is complete, and is the only one of its job. [Job] and [Result] are plain
// data that JSON carries without loss, so that another machine can do a job.
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/branching"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Work has the settings for doing jobs, except the settings on which a verdict depends, which are
// in [Job]. A worker on another machine gets the fields that have names in JSON.
type Work struct {
	// Folder is the folder of results, where the job gets a folder for its files; "" if no files
	// are to be written.
	Folder string `json:"folder"`
	// Wanted are the kinds of files to write, see [Settings].
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
	// Engine lays out graphs in the DOT language as SVG. If it is nil, each job makes an engine of its own.
	Engine interface {
		Render(ctx context.Context, graph, format, layout string) ([]byte, error)
	} `json:"-"`
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

// errorText returns the text of an error for a result.
func (w *Work) errorText(err error) string {
	if w.Text == nil {
		return err.Error()
	}
	return w.Text(err)
}

// Do does one job. Do shares only Work.Models and Work.Engine with other calls, and writes only the
// files of its job: their folder appears as a whole before Do returns.
//
// Each failure is in the result: an unusable model or formula, an exceeded limit, a panic, and
// memory beyond the budget of ctx (see [explain.WithMemory]). If ctx is done, the status of the
// result is [Canceled]. Cost: that of [explain.Explain] and of writing the files.
func Do(ctx context.Context, j Job, w Work) (r Result) {
	start := time.Now()
	r = Result{
		Schema:  ResultSchema,
		Job:     j,
		Wanted:  slices.Clone(w.Wanted),
		Started: start.UTC().Format(time.RFC3339),
	}
	t := &task{Work: w, job: j, result: &r}
	defer func() { r.Milli = milliseconds(time.Since(start)) }()
	defer func() {
		p := contained.Recovered(recover())
		if p != nil {
			t.recordPanic(ctx, p)
		}
	}()
	if err := required.Argument("ctx", ctx); err != nil {
		r.Status = Failed
		r.Error = err.Error()
		return r
	}
	limited := ctx
	limit := t.timeout()
	if limit > 0 {
		withLimit, stop := context.WithTimeout(ctx, limit)
		defer stop()
		limited = withLimit
	}
	limited, leaveBudget := resources.Join(limited)
	defer leaveBudget()
	if t.Models == nil {
		t.Models = ReadingEach(w.Workers)
	}
	if t.Engine == nil {
		own := graphviz.New(view.MaxStops, "")
		defer own.Close()
		t.Engine = own
	}
	if err := t.do(limited); err != nil {
		t.recordError(ctx, limited, err)
	}
	return r
}

// recordError puts the error that ended the task into the result; limited is ctx with the limits of the job.
func (t *task) recordError(ctx, limited context.Context, err error) {
	t.setKey(limited)
	err = resources.Because(limited, err)
	var panicked *contained.Panic
	if errors.As(err, &panicked) {
		t.recordPanic(ctx, panicked)
		return
	}
	// Partial answers are dropped, so that results do not depend on when a limit was reached.
	r := t.result
	r.dropAnswer()
	if t.Work.Failed != nil {
		t.Work.Failed(err)
	}
	switch {
	case ctx.Err() != nil:
		r.Status = Canceled
		r.Error = "the batch was stopped"
	case errors.Is(err, context.DeadlineExceeded) && limited.Err() != nil:
		r.Status = TimedOut
		r.Error = t.errorText(hint.New(nil, "stopped after ", t.timeout(),
			"; allow it more time ", hint.MoreTime))
		if t.sizeNote != "" {
			r.Error += " (" + t.sizeNote + ")"
		}
	default:
		r.Status = Failed
		r.Error = printable.Text(t.errorText(err))
	}
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
	model     *Model
	e         *explain.Explanation
	sentences *render.Sentences // about e
	// If the formula is about states, answer and arguments take the place of e; the first argument
	// is for the verdict.
	answer    *branching.Answer
	arguments []*argument.Argument
	// sizeNote is added to the error of an exceeded limit. It is about a graph that was made
	// without the SYMMETRY or VIEW of a configuration; "" for other models.
	sizeNote string
}

func (t *task) timeout() time.Duration { return cmp.Or(t.job.Timeout, t.Timeout) }

// setKey gives the result a key by the current digest of the file, unless reading the model has
// given it one. The digest is "" if ctx is done or the file cannot be read.
func (t *task) setKey(ctx context.Context) {
	if t.result.Key == "" {
		digest, _ := t.Models.Digest(ctx, t.job)
		t.result.Key = t.job.Key(digest, t.Version)
	}
}

// do does the job, and records the answer in the result once all of it is known.
func (t *task) do(ctx context.Context) error {
	ctx = t.job.withParts(ctx)
	if t.job.Refused != "" {
		return errors.New(t.job.Refused)
	}
	question, err := t.job.question(ctx)
	if err != nil {
		return err
	}
	t.question = question
	if t.ofStates != nil {
		return t.answerAboutStates(ctx)
	}
	err = t.explainModel(ctx)
	if t.isUnbounded(err) {
		t.ofStates, _, err = branching.Parse(ctx, t.job.Formula, true)
		if err != nil {
			return err
		}
		return t.answerAboutStates(ctx)
	}
	if err != nil {
		return err
	}
	if err := t.recordVerdict(ctx); err != nil {
		return err
	}
	if err := t.recordBounds(); err != nil {
		return err
	}
	if err := t.recordFaults(ctx); err != nil {
		return err
	}
	t.recordTimings()
	if err := t.writeFiles(ctx); err != nil {
		return err
	}
	t.result.Status = Satisfied
	if t.e.Verdict == explain.Violated {
		t.result.Status = Violated
	}
	t.result.judge()
	return nil
}

// isUnbounded reports whether an explanation failed because nothing in the formula bounds the
// parameters of its fixpoints. Such a formula can still be answered as a question about states,
// which needs only the parameter values that runs of the model reach.
func (t *task) isUnbounded(err error) bool {
	var syntax *actl.SyntaxError
	data, hasData := t.ofRuns.(*modal.DataFormula)
	return errors.As(err, &syntax) && hasData && data.HasParameters() && len(t.options.Fair) == 0
}

// explainModel reads the model, and explains whether the model has the property.
func (t *task) explainModel(ctx context.Context) error {
	m, err := t.prepare(ctx)
	if err != nil {
		return err
	}
	e, err := explain.Explain(ctx, m, t.ofRuns, t.options)
	if err != nil {
		return err
	}
	t.e = e
	t.sentences = render.NewSentences(e, printable.Text)
	t.result.Model = &ModelSize{
		States:      e.Model.States,
		Transitions: e.Model.Transitions,
		Labels:      e.Model.Labels,
	}
	if t.Explained != nil {
		return t.Explained(ctx, e)
	}
	return nil
}

// recordVerdict records the counterexample, what the explanation warns of, and the classes.
func (t *task) recordVerdict(ctx context.Context) error {
	r := t.result
	e := t.e
	if e.Verdict == explain.Violated {
		counterexample, err := t.summarise(ctx)
		if err != nil {
			return err
		}
		r.Counterexample = counterexample
	}
	for _, warning := range e.Warnings {
		r.Warnings = append(r.Warnings, printable.Text(warning))
	}
	r.Classes = &Classes{
		Correct:   e.Classes.Correct,
		Incorrect: e.Classes.Incorrect,
		Neutral:   e.Classes.Neutral,
		Excluded:  e.Classes.Excluded,
	}
	r.Neighbourhoods = e.Neighbourhoods().Len()
	return nil
}

// recordBounds records the bounds of a property that holds. It fails if the job expects a bound, and
// the property is of a kind that has none.
func (t *task) recordBounds() error {
	if t.e.Reasons == nil {
		return nil
	}
	r := t.result
	for _, b := range t.e.Reasons.Bounds {
		r.Bounds = append(r.Bounds, Bound{
			Step:  b.Step,
			Of:    printable.Text(b.Of),
			Most:  b.Most,
			Least: b.Least,
		})
	}
	if r.Job.Bound > 0 && len(r.Bounds) == 0 {
		return t.withoutBound()
	}
	return nil
}

// withoutBound is the error of a job that expects a bound of a property that has none.
func (t *task) withoutBound() error {
	return fmt.Errorf("bound: %s has no bound; only inevitability, a response with one answer, and what is to happen again and again have bounds", t.job.Formula)
}

// recordFaults records the least numbers of fault actions in a violation. It fails if a pattern matches no
// label, unless the job allows that.
func (t *task) recordFaults(ctx context.Context) error {
	for i, patterns := range t.faults {
		err := actl.Unmatched(ctx, "pattern", patterns, t.model.LTS.Alphabet())
		var unmatched *actl.UnmatchedError
		isUnmatched := errors.As(err, &unmatched)
		if err != nil && !isUnmatched {
			return err
		}
		if isUnmatched && !t.job.Options.AllowUnmatched {
			return hint.New(err, t.job.Model, ": faults: ", err, " (", hint.Unmatched,
				" takes it)")
		}
		found, err := t.e.LeastFaults(ctx, patterns)
		if err != nil {
			return err
		}
		t.result.Faults = append(t.result.Faults, Faults{
			Patterns:    printable.Text(t.job.Options.Faults[i]),
			Least:       found.Least,
			OnlyForEver: found.OnlyForEver,
		})
	}
	return nil
}

// recordTimings records how long the phases of the explanation took.
func (t *task) recordTimings() {
	timings := map[string]float64{}
	for _, phase := range t.e.Timings {
		timings[phase.Name] += milliseconds(phase.Took)
	}
	t.result.TimingsMS = timings
}

// writeFiles writes the wanted files into the folder of the job, and records how long that took.
func (t *task) writeFiles(ctx context.Context) error {
	start := time.Now()
	if t.Folder != "" && len(t.Wanted) > 0 {
		t.result.Files = map[string]string{}
		t.result.Digests = map[string]string{}
		if err := t.inFolder(ctx, t.fill); err != nil {
			return err
		}
	}
	t.result.TimingsMS["files"] = milliseconds(time.Since(start))
	return nil
}

// fill writes the wanted files into the hidden folder of the job. wroteAny reports whether it has written
// any.
func (t *task) fill(
	ctx context.Context,
	root filesystem.Folder,
	hidden string,
) (wroteAny bool, err error) {
	folder := folderOf(t.job.Name)
	for _, o := range t.outputs() {
		if !slices.Contains(t.Wanted, o.kind) {
			continue
		}
		digest, err := t.writeFile(ctx, root, hidden+"/"+o.file, o)
		if err != nil {
			return false, err
		}
		if digest == "" {
			continue
		}
		t.result.Files[o.kind] = folder + "/" + o.file
		t.result.Digests[o.kind] = digest
	}
	return len(t.result.Files) > 0, nil
}

// prepare reads the model, and sets the options that depend on it. It returns the model on which
// the question is asked, which can differ from the one in the file: see [explain.Matched].
func (t *task) prepare(ctx context.Context) (*lts.LTS, error) {
	if err := t.readModel(ctx); err != nil {
		return nil, err
	}
	t.options.File = t.job.Model
	t.options.States = t.model.States
	t.options.Warnings = t.model.Warnings
	t.options.Unsettled = t.model.Unsettled
	if t.model.Unsettled != "" {
		t.options.Process = liveness.Process
	}
	if t.model.Took > 0 {
		t.options.Before = []explain.Phase{{Name: "read", Took: t.model.Took}}
	}
	t.assignOwners(t.model.LTS)
	if err := t.readSpecification(ctx); err != nil {
		return nil, err
	}
	if t.job.TLA != nil {
		return t.specifiedModel(ctx)
	}
	matched, err := explain.Matched(ctx, t.model.LTS, t.ofRuns, &t.options, t.job.Options.AllowUnmatched)
	if err != nil {
		return nil, t.withRemedy(err)
	}
	return matched, nil
}

// readModel reads the model, and records its digest and size. It fails if the job would take more
// memory than its limit.
func (t *task) readModel(ctx context.Context) error {
	model, err := t.Models.Model(ctx, t.job)
	if err != nil {
		return err
	}
	t.model = model
	t.result.Key = t.job.Key(model.Digest, t.Version)
	if t.job.KeepModel {
		t.result.ModelDigest = model.Digest
	}
	m := model.LTS
	t.result.Model = &ModelSize{
		States:      m.NumStates(),
		Transitions: m.NumTransitions(),
		Labels:      m.Alphabet().Len(),
	}
	if t.job.Memory == 0 {
		return nil
	}
	limit := resources.Limit{Bytes: t.job.Memory, By: "allowed by the job's own limit (memory)"}
	return t.aboutModel(footprint.Fits(footprint.Explaining, int64(m.NumStates()),
		int64(m.NumTransitions()), limit))
}

// assignOwners adds the owner of each action to the options, if the job has lanes or the model is a
// network.
func (t *task) assignOwners(m *lts.LTS) {
	if t.lanes == nil {
		t.options.Owners = ownersInNetwork(m.Alphabet())
		return
	}
	var labels []string
	for _, label := range m.Alphabet().All() {
		labels = append(labels, label)
	}
	o := &t.options
	o.Owners = &explain.Owners{
		Names:      t.lanes.Owners(labels),
		Of:         t.lanes.Owner,
		Components: t.lanes.Components,
	}
	warning := t.lanes.Unmatched(labels)
	if warning != "" {
		o.Warnings = append(slices.Clone(o.Warnings), warning)
	}
}

// ownersInNetwork returns the components of a network as the owners of its actions; nil if the model is no
// network.
func ownersInNetwork(a *lts.Alphabet) *explain.Owners {
	lanes, isNetwork := view.NetworkLanes(a)
	if !isNetwork {
		return nil
	}
	return &explain.Owners{
		Names:      a.Components(),
		Of:         lanes.Owner,
		Components: lanes.Components,
		Moving:     true,
	}
}

// readSpecification adds the specification of the model to the options. If the manifest names none
// and a front end makes the model, the specification is the inputs of the front end.
func (t *task) readSpecification(ctx context.Context) error {
	o := &t.options
	source := t.job.Source
	if source == nil {
		if !t.job.isMade() {
			return nil
		}
		inputs, err := t.job.specification().Inputs(ctx)
		if err != nil {
			return err
		}
		return t.readAmong(ctx, inputs)
	}
	if source.files != nil {
		o.Specification = source.files.Find
		return nil
	}
	read, err := specification.Read(ctx, source.Paths)
	if err != nil {
		return err
	}
	if read.Digest() != source.Digest {
		return specificationChanged(strings.Join(source.Paths, ", "))
	}
	o.Specification = read.Find
	return nil
}

// readAmong reads the specification of the job from some files. It leaves out files in which
// actions cannot be located.
func (t *task) readAmong(ctx context.Context, paths []string) error {
	read, err := specification.ReadAmong(ctx, paths)
	if read != nil {
		t.options.Specification = read.Find
	}
	return err
}

// specificationChanged is the error of a specification that has changed.
func specificationChanged(name string) error {
	return fmt.Errorf("%s: the specification has changed since the manifest was read; run the batch again", name)
}

// withRemedy adds a hint to the error of a formula that matches nothing: the flag that accepts it.
func (t *task) withRemedy(err error) error {
	var missing *values.NoValueError
	if errors.As(err, &missing) {
		return hint.New(err, t.job.Model, ": ", err, " (", hint.Unmatched, " takes it as ",
			missing.IsTrue(), " everywhere)")
	}
	var unmatched *actl.UnmatchedError
	if errors.As(err, &unmatched) {
		parts := []any{t.job.Model, ": ", err, " ("}
		if unmatched.Whole != "" {
			parts = append(parts, hint.Parts, " matches it; ")
		}
		return hint.New(err,
			append(parts, hint.Unmatched, " takes it as ", unmatched.A(),
				" that never happens)")...)
	}
	return err
}

// aboutModel adds the name of the model to an error; nil if there is none.
func (t *task) aboutModel(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", t.job.Model, err)
}

// specifiedModel returns the model of the first violated instance of a property of a TLA+ specification;
// this instance becomes the formula. It adds the fairness of the specification, and warnings, to the
// options.
func (t *task) specifiedModel(ctx context.Context) (*lts.LTS, error) {
	s, err := t.job.load(ctx)
	if err != nil {
		return nil, err
	}
	instances, notTLA := s.Instances(ctx, t.job.Formula)
	if s.Digest() != t.job.TLA.Digest {
		return nil, specificationChanged(t.job.TLA.File)
	}
	if notTLA != nil {
		return t.modelOfOtherLogic(ctx, s, notTLA)
	}
	graph, err := t.graphOf(ctx, s)
	if err != nil {
		return nil, err
	}
	o := &t.options
	chosen, err := graph.First(ctx, instances, func(ctx context.Context, q liveness.Question) (bool, error) {
		return o.IsViolated(ctx, q.Model, q.Formula, q.Fair)
	}, nil)
	if err != nil {
		return nil, t.aboutModel(err)
	}
	if err := t.findLackingFairness(ctx, graph, chosen); err != nil {
		return nil, t.aboutModel(err)
	}
	if chosen.Vacuous != "" {
		o.NoReasons = true // no run satisfies Spec, so there are no runs that reasons could be about
	}
	question := chosen.Question
	t.ofRuns = question.Formula
	o.Behaviours = question.Behaviours
	o.Fair = slices.Concat(question.Fair, o.Fair)
	o.Warnings = slices.Concat(o.Warnings, graph.Notes(), warningsAbout(chosen))
	return question.Model, nil
}

// modelOfOtherLogic returns the model for a formula of another logic, such as Response(Ask; Get), about the
// behaviours of a specification; this formula becomes that of the task. It adds the fairness of the
// specification to the options. notTLA is the error of reading the formula in TLA+.
func (t *task) modelOfOtherLogic(
	ctx context.Context,
	s *liveness.Specification,
	notTLA error,
) (*lts.LTS, error) {
	f, predicates, isOver := s.ParseOver(ctx, t.job.Formula, formula.Parse)
	if !isOver {
		return nil, notTLA
	}
	t.ofRuns = f
	graph, err := t.graphOf(ctx, s)
	if err != nil {
		return nil, err
	}
	o := &t.options
	if len(predicates) > 0 {
		o.States, err = s.Values(ctx, t.model.LTS, o.States, predicates)
		if err != nil {
			return nil, t.aboutModel(err)
		}
	}
	q, err := graph.Take(ctx, f, o.States)
	if err != nil {
		return nil, t.aboutModel(err)
	}
	q.Model, err = explain.Matched(ctx, q.Model, f, o, t.job.Options.AllowUnmatched)
	if err != nil {
		return nil, t.withRemedy(err)
	}
	if err := t.findLackingFor(ctx, graph, q); err != nil {
		return nil, t.aboutModel(err)
	}
	o.Behaviours = func(context.Context) (*lts.LTS, property.Formula, []*actl.Assumption, error) {
		return q.Model, f, q.Fair, nil
	}
	o.Fair = slices.Concat(q.Fair, o.Fair)
	o.Warnings = slices.Concat(o.Warnings, graph.Notes())
	return q.Model, nil
}

// graphOf returns the model as a graph of the specification, under the fairness that the job assumes of
// it, and adds what the options say of the specification.
func (t *task) graphOf(ctx context.Context, s *liveness.Specification) (*liveness.Graph, error) {
	if t.job.isMade() {
		t.sizeNote = s.SizeNote(t.model.LTS.NumStates())
	}
	o := &t.options
	graph, err := s.On(ctx, t.model.LTS, o.States, t.job.isMade(), t.model.Outside...)
	if err != nil {
		return nil, t.aboutModel(err)
	}
	var fairness []string
	for _, text := range t.job.Options.Fair {
		if liveness.IsFairness(text) {
			fairness = append(fairness, text)
		}
	}
	if err := graph.Assume(ctx, fairness...); err != nil {
		return nil, t.aboutModel(err)
	}
	o.Idle = graph.Stuttering()
	o.Process = graph.Process
	if o.Specification == nil {
		return graph, t.readAmong(ctx, s.Files())
	}
	return graph, nil
}

// warningsAbout returns the warnings that accompany the verdict on an instance of a property.
func warningsAbout(chosen liveness.Chosen) []string {
	var warnings []string
	for _, sentence := range []string{chosen.Others, chosen.Vacuous} {
		if sentence != "" {
			warnings = append(warnings, sentence)
		}
	}
	return append(warnings, chosen.Unasked...)
}

// findLackingFairness finds the fairness that the specification lacks, if the property is violated.
func (t *task) findLackingFairness(
	ctx context.Context,
	g *liveness.Graph,
	chosen liveness.Chosen,
) error {
	o := &t.options
	if o.NoFairness {
		return nil
	}
	isViolated := chosen.IsViolated
	isUnchecked := len(chosen.Property) == 1 && !isViolated // see [liveness.Graph.First]
	if isUnchecked {
		q := chosen.Question
		var err error
		isViolated, err = o.IsViolated(ctx, q.Model, q.Formula, q.Fair)
		if err != nil {
			return err
		}
	}
	if !isViolated {
		return nil
	}
	advice, err := g.Lacking(ctx, chosen.Property, func(ctx context.Context, q liveness.Question) ([]lts.Transition, bool, error) {
		return o.ViolatingLoop(ctx, q.Model, q.Formula, q.Fair)
	})
	if err != nil {
		return err
	}
	t.recordLacking(advice)
	return nil
}

// findLackingFor is [task.findLackingFairness] for the question about a formula of another logic.
func (t *task) findLackingFor(
	ctx context.Context,
	g *liveness.Graph,
	q liveness.Question,
) error {
	o := &t.options
	if o.NoFairness {
		return nil
	}
	isViolated, err := o.IsViolated(ctx, q.Model, q.Formula, q.Fair)
	if err != nil || !isViolated {
		return err
	}
	advice, err := g.LackingFor(ctx, q.Formula, o.States, func(ctx context.Context, q liveness.Question) ([]lts.Transition, bool, error) {
		ofModel := *o // without the warnings about this model
		m, err := explain.Matched(ctx, q.Model, q.Formula, &ofModel, t.job.Options.AllowUnmatched)
		if err != nil {
			return nil, false, err
		}
		return o.ViolatingLoop(ctx, m, q.Formula, q.Fair)
	})
	if err != nil {
		return err
	}
	t.recordLacking(advice)
	return nil
}

// recordLacking puts advice, if there is any, into the options.
func (t *task) recordLacking(advice *liveness.Advice) {
	if advice.IsKnown() {
		lacking := explain.LackingFairness(*advice)
		t.options.Lacking = &lacking
	}
}

// isUnexpected reports whether the verdict differs from the expected one.
func isUnexpected(j Job, s Status) bool { return s.Answered() && j.Expected() != s }

// dropAnswer removes everything from a result but what is known before the job is done.
func (r *Result) dropAnswer() {
	*r = Result{
		Schema:  r.Schema,
		Job:     r.Job,
		Key:     r.Key,
		Wanted:  r.Wanted,
		Model:   r.Model,
		Started: r.Started,
	}
}

// recordPanic puts a panic into the result, and writes its stack to the job's log.
func (t *task) recordPanic(ctx context.Context, p *contained.Panic) {
	r := t.result
	t.setKey(ctx)
	r.dropAnswer()
	if t.Work.Failed != nil {
		t.Work.Failed(p)
	}
	r.Status = Crashed
	r.Error = printable.Text(p.Error())
	if t.Folder == "" {
		return
	}
	folder := folderOf(t.job.Name)
	text := fmt.Sprintf("inev %s\n%s\n%s\n\npanic: %v\n\n%s", t.Version, t.job.Model,
		t.job.Formula, p.Value, p.Stack)
	writeText := func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
	err := t.inFolder(ctx, func(_ context.Context, root filesystem.Folder, hidden string) (wroteAny bool, err error) {
		_, err = createFile(root, hidden+"/"+logFile, writeText)
		return true, err
	})
	if err != nil {
		r.Error += " (its stack cannot be written: " + printable.Text(t.errorText(err)) + ")"
		return
	}
	r.Files = map[string]string{logKind: folder + "/" + logFile}
	r.Digests = map[string]string{logKind: sum([]byte(text))}
	r.Error += "; this is a mistake in inev: report it with " + folder + "/log.txt"
}

// summarise returns a short form of the counterexample.
func (t *task) summarise(ctx context.Context) (*Counterexample, error) {
	e := t.e
	c := e.Counterexample
	// A shortest run with the wanted pattern may be longer than other counterexamples.
	isShortest := c.Shortest && e.Pattern() == nil
	short := &Counterexample{
		Kind:      c.Kind,
		Length:    c.Length,
		Before:    len(c.Steps) - c.Length,
		Shortest:  isShortest,
		InProduct: isShortest && c.Minimal == counterexample.InProduct,
		LoopStart: int(c.LoopStart),
		Labels:    make([]string, min(len(c.Steps), listed)),
		Decisions: t.shortDecisions(),
		Sentence:  t.sentences.Shape(), // replaced below if it is known why the property fails
		Deciding:  t.shortDeciding(),
	}
	for i := range short.Labels {
		short.Labels[i] = printable.Text(c.Steps[i].Label)
	}
	if d := t.sentences.Story().Diagnosis; d != nil {
		short.Sentence = t.sentences.Say(*d)
	}
	short.Prevention = strings.Join(t.sentences.Prevention(), " ")
	if e.Diagnosis != nil {
		short.Diagnosis = e.Diagnosis.Kind.String()
	}
	if short.Deciding == nil {
		return short, nil
	}
	if err := t.addLines(ctx, short); err != nil {
		return nil, err
	}
	return short, nil
}

// shortDecisions returns the first decisions of the explanation in short.
func (t *task) shortDecisions() []Decision {
	var all []Decision
	for _, d := range t.e.Decisions[:min(len(t.e.Decisions), listed)] {
		all = append(all, Decision{
			Step:   int(d.Step) + 1,
			State:  t.e.Name(d.State),
			Kind:   d.Kind,
			Label:  printable.Text(d.Chosen.Label),
			Source: shownPlace(d.Source),
		})
	}
	return all
}

// shortDeciding returns the step that decides that the property fails; nil if there is none.
func (t *task) shortDeciding() *Deciding {
	deciding := t.e.Deciding()
	if deciding == nil {
		return nil
	}
	step := t.e.Counterexample.Steps[deciding.Step]
	return &Deciding{
		Step:   int(deciding.Step) + 1,
		From:   t.e.Name(step.From),
		Label:  printable.Text(step.Label),
		To:     t.e.Name(step.To),
		Why:    deciding.Why,
		Source: t.placeOf(step.Label),
	}
}

// placeOf returns the position of a label's action in the specification, nil if it is not known.
func (t *task) placeOf(label string) *explain.Position {
	if t.options.Specification == nil {
		return nil
	}
	return shownPlace(t.options.Specification(label))
}

// shownPlace returns a copy of p whose source line is printable.
func shownPlace(p *explain.Position) *explain.Position {
	if p == nil {
		return nil
	}
	shown := *p
	shown.Text = printable.Text(p.Text)
	return &shown
}

// addLines sets the line numbers of a counterexample that has a deciding step: for each step that
// it lists, the line of the transition in the model's file. If the file is gone or has changed, the
// numbers stay unset. It fails only if ctx is done.
func (t *task) addLines(ctx context.Context, short *Counterexample) error {
	if t.job.isMade() || !format.Of(t.job.Path, nil).IsAut() {
		return nil
	}
	// The order of wanted, and so of lines: the deciding step, the steps of the run, the decisions.
	wanted := []lts.Transition{t.transitionOf(short.Deciding.Step - 1)}
	for step := range short.Labels {
		wanted = append(wanted, t.transitionOf(step))
	}
	for _, d := range short.Decisions {
		wanted = append(wanted, t.transitionOf(d.Step-1))
	}
	lines, plain, err := aut.LinesOf(ctx, t.job.Path, t.model.LTS, wanted)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	isFound := err == nil && lines[0] != 0
	if !isFound || t.model.hasChanged(t.job.Path) {
		return nil
	}
	short.Deciding.Line = lines[0]
	t.result.Packed = !plain
	if t.result.Packed {
		return nil
	}
	afterDeciding := lines[1:]
	linesOfRun := afterDeciding[:len(short.Labels)]
	linesOfDecisions := afterDeciding[len(short.Labels):]
	short.Lines = linesOfRun
	for i, line := range linesOfDecisions {
		short.Decisions[i].Line = line
	}
	return nil
}

// transitionOf returns the transition of the model that a step of the counterexample takes.
func (t *task) transitionOf(step int) lts.Transition {
	taken := t.e.Trace().Step(step)
	if t.e.IsUnfolded() {
		// The unfolded model has the labels of the model itself, with the same numbers.
		taken.From = foldedState(t.e.Name(taken.From))
		taken.To = foldedState(t.e.Name(taken.To))
	}
	return taken
}

// hasChanged reports whether the file of the model is gone, or has been changed or replaced since it
// was read.
func (m *Model) hasChanged(path string) bool {
	if m.file == nil {
		return false
	}
	now, err := os.Stat(path)
	return err != nil || !inputfile.Unchanged(m.file, now)
}

// foldedState returns the state of the model from the name of a state of the unfolded model, which
// is state·progress.
func foldedState(name string) lts.State {
	state, _, _ := strings.Cut(name, "·")
	n, _ := strconv.ParseUint(state, 10, 32)
	return lts.State(n)
}
