//go:build !js

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/batch/summary"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/stoppable"
)

// resultsFolder is the default folder of results.
const resultsFolder = "inev-results"

// The groups of flags that only batches have.
const (
	jobFlags       flagGroup = "Files of each job"
	batchFlags     flagGroup = "Batch"
	judgementFlags flagGroup = "Comparison and exit code"
)

// batchCommand returns inev batch, which answers the questions of a manifest and keeps every result. Its
// errors about a manifest are shown by [tellManifest].
func batchCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "explain many models and properties, and keep every result",
		ArgsUsage: "MANIFEST",
		Description: `MANIFEST lists models and properties, in YAML such as this m.yaml:

  defaults:
    timeout: 5m
  jobs:
    - model: m.aut
      formula: Inev(REQ, ACK)
      expect: violated

Each result goes to results.jsonl in the folder that -o names, the summaries beside
it: index.html, summary.md, .json and .csv, junit.xml and report.sarif. --resume
continues after an interruption, and does only what is missing or has changed.

An entry has a model (a file or a glob, relative to the manifest) and a formula, a
formula_file with one formula a line (FILE.mcl has one), or hoa, a file with a
deterministic automaton. It may have a name, the expected verdict, a bound (the most transitions that a property
which holds should take), faults (the least that a violation should take, as {LOSS: 2}),
a timeout, memory, a priority (jobs with a larger number come first), tags, states and
source (files of values of states and of the specification), and the options of inev
explain: neighbourhood, unfold, scc, search_limit, passing, pattern, fair (a list),
blocking, lanes, cfg, lenient, allow_unmatched, parts, hide_labels, rename, cut, front_end,
front_end_option (a list). With keep_models: true the results keep a copy of the
model, so that a later run with --baseline names what has changed in it.
MANIFEST can also be a table in .csv or .tsv, with the names of the fields in its first
line, or a folder: then each X.aut in it is checked for the formulas in X.inev, one a
line, and for the one in X.mcl or X.mcf; so is X.exp, X.lts or X.fsm without an X.aut.
Of a script of CADP, FILE.svl, each verification by evaluator is a job with the verdict
that the script expects; inev runs nothing else of it.

A job has no verdict if its model or formula is missing or cannot be used (a step that
matches no label of the model is such an error), if it reaches its limit of time or
memory, or if it crashes; all other jobs run. A job without a verdict makes the exit
code 2; otherwise a job that fails in the sense of --fail-on makes it 1; else it is 0,
and always with --fail-on none. If the manifest itself has mistakes, such as unknown
fields, all of them are listed, nothing is run, and the exit code is 2.

  unexpected  jobs without the verdict that they expect (satisfied, unless the
              entry says otherwise)
  any         jobs that are violated or have no verdict
  new         jobs that are violated but were not in --baseline and are not
              expected to be; jobs that have lost their verdict; errors; jobs
              that hold although they are expected to be violated, even if they
              held before
  none        no job`,
		Flags: slices.Concat([]cli.Flag{
			value(resultFlags, "o",
				"keep results in the folder `DIR` (default: "+resultsFolder+")"),
			value(resultFlags, "format",
				"summary on standard output: `FORMAT` is text, json or markdown"),
			toggle(resultFlags, "dry-run", "list the jobs, run none"),
			toggle(jobFlags, "html", "write a page to walk through the run"),
			toggle(jobFlags, "svg", "write a picture"),
			toggle(jobFlags, "dot", "write a picture for Graphviz"),
			toggle(jobFlags, "trace", "write the counterexample for CADP"),
			toggle(jobFlags, "no-json", "write no JSON"),
		}, judgement(), []cli.Flag{
			matching(batchFlags), parts(batchFlags), specificationFlag(),
			toggle(batchFlags, noCacheFlag,
				"make the models of specifications again, and do not cache them"),
			toggle(batchFlags, "resume", "continue with the results in the folder"),
			toggle(batchFlags, "force", "remove the results in the folder first"),
			value(batchFlags, "jobs", "run `N` jobs at a time (default: the number of cores)"),
			value(batchFlags, "shard",
				"run part `I/N` of the jobs; inev merge joins the results"),
			value(batchFlags, "memory",
				"all jobs together use at most `SIZE`, such as 6GB; none: no limit"),
			value(batchFlags, "timeout", "stop each job after `DURATION`, such as 90s or 5m"),
		}, batchControl()),
		Action: batchAction(p, (*batchRun).run),
	},
		`inev batch m.yaml --dry-run`,
		`inev batch m.yaml --html`,
		`inev batch m.yaml --html --resume --fail-on none`,
		`inev batch m.yaml -o shard1 --shard 1/2`)
}

// opener returns a function that reads the models of jobs, and makes those of specifications.
func (j *reading) opener() func(ctx context.Context, job *batch.Job, o format.Options) (*format.Model, []string, error) {
	maker := j.models()
	return func(ctx context.Context, job *batch.Job, o format.Options) (*format.Model, []string, error) {
		s := frontend.Specification{
			Path:     job.Path,
			FrontEnd: job.Options.FrontEnd,
			Options:  job.Options.FrontEndOptions,
		}
		if job.Config != nil {
			s.Config = job.Config.Path
		}
		return maker.Open(ctx, s, o)
	}
}

// judgement are the flags about the baseline, and about the jobs that make a batch fail.
func judgement() []cli.Flag {
	return []cli.Flag{
		value(judgementFlags, "base-url",
			"links in summary.md and SARIF begin with `URL`; none: no links"),
		value(judgementFlags, "baseline",
			"compare with the results in `OLD`, a folder or results.jsonl"),
		value(judgementFlags, baselineModels,
			"say what has changed since the models in `FOLDER`, if a violation is new"),
		choice(judgementFlags, "fail-on", "exit with 1 if there are `WHICH` jobs: "),
	}
}

// batchControl is [runControl] without --timeout.
func batchControl() []cli.Flag {
	return slices.DeleteFunc(runControl(), func(f cli.Flag) bool {
		return f.Names()[0] == "timeout"
	})
}

// batchAction is [action] for commands with a time limit for each job instead of one for the
// command, and with their own formats of reports.
func batchAction(p *program, do func(*batchRun) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		j := newJob(p, c)
		if err := j.checkFlags(); err != nil {
			return err
		}
		if err := j.checkOperands(); err != nil {
			return err
		}
		if err := j.limitMemory(); err != nil {
			return err
		}
		j.watch()
		defer j.unwatch()
		defer j.budgetMemory()() // each job of a batch joins this budget
		defer j.closeModels()
		return do(&batchRun{job: j})
	}
}

// batchRun is a run of inev batch or inev merge; its format is text, json or markdown.
type batchRun struct {
	*job
	gate     batch.Gate
	baseline string // "" if there is none
	old      []batch.Result
	// summary has the fields that flags set.
	summary summary.Batch
}

// run carries out inev batch. What was done before an interruption is kept, and the error says how to
// continue.
func (j *batchRun) run() error {
	s, err := j.settings()
	if err != nil {
		return err
	}
	if err := j.readJudgement(); err != nil {
		return err
	}
	m, err := j.readManifest()
	if err != nil {
		return err
	}
	if j.c.Bool("dry-run") {
		return j.showPlan(m, s)
	}
	out, err := batch.Run(j.ctx, m, s)
	if err != nil && out != nil && isDone(err) {
		err = &interruptedError{fmt.Sprintf("%d of %d jobs are finished and kept in %s; run the same command with --resume to continue", len(out.Results), len(out.Jobs), s.Folder)}
	}
	if err != nil {
		return err
	}
	return j.conclude(out, s.Folder, "--resume")
}

// readManifest reads the manifest, and applies the flags that hold for all of its jobs.
func (j *batchRun) readManifest() (*batch.Manifest, error) {
	m, err := batch.Open(j.ctx, j.operands[0])
	if err != nil {
		return nil, err
	}
	if j.c.Bool(allowUnmatched) {
		m = m.AllowingUnmatched()
	}
	if j.c.Bool(partsMatch) {
		m = m.CountingParts()
	}
	paths := j.c.StringSlice(sourceFlag)
	if len(paths) == 0 {
		return m, nil
	}
	m, err = m.WithSource(j.ctx, paths)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", sourceFlag, err)
	}
	return m, nil
}

// showPlan prints the jobs that would be done.
func (j *batchRun) showPlan(m *batch.Manifest, s batch.Settings) error {
	jobs := s.Shard.Of(m.Jobs)
	j.unwatch()
	w := stoppable.EachWrite(j.ctx, j.stdout)
	var err error
	if j.format == "json" {
		plan := batch.Plan{
			Manifest: m.File,
			Version:  s.Version,
			Shard:    s.Shard.String(),
			Jobs:     jobs,
		}
		err = plan.Write(w)
	} else {
		err = writeJobs(w, jobs)
	}
	if err != nil {
		return err
	}
	return j.showRefused(jobs)
}

// writeJobs writes a table of jobs.
func writeJobs(w io.Writer, jobs []batch.Job) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "job\tmodel\tformula\texpect")
	for _, job := range jobs {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", printable.Text(job.Name),
			printable.Text(job.Model), printable.Text(job.Property()), job.Expect)
	}
	return table.Flush()
}

// showRefused reports the jobs that will have no verdict as their files are now.
func (j *batchRun) showRefused(jobs []batch.Job) error {
	refused := 0
	for _, job := range jobs {
		if job.Refused != "" {
			refused++
			fmt.Fprintf(j.stderr, "inev: %s; the job %q will have no verdict\n",
				printable.Text(job.Refused), printable.Text(job.Name))
		}
	}
	if refused > 0 && j.gate != "none" {
		return errUndecided
	}
	return nil
}

// settings reads the flags about how a batch is run.
func (j *batchRun) settings() (batch.Settings, error) {
	if err := j.readFormat(); err != nil {
		return batch.Settings{}, err
	}
	parallel, err := j.wholeNumber("jobs", 1, math.MaxInt, "is not a number above zero")
	if err != nil {
		return batch.Settings{}, err
	}
	s := batch.Settings{
		Folder:    j.folder(),
		Version:   version(),
		Cache:     wording.CompiledFolder(),
		Begin:     j.begin(),
		OpenModel: j.opener(),
		Parallel:  parallel,
		Warn:      func(text string) { j.warn([]string{text}) },
		Text:      wording.Text,
		Command:   wording.Command,
	}
	if text := j.flag("shard"); text != "" {
		if err := s.Shard.Set(text); err != nil {
			return batch.Settings{}, j.refuse("--shard %v", err)
		}
	}
	timeout, err := j.duration("timeout", "90s, 5m or 1h30m")
	if err != nil {
		return batch.Settings{}, err
	}
	s.Timeout = timeout
	s.Wanted = wording.WantedFiles(j.c.Bool)
	isBarShown := j.bars != nil
	if !isBarShown && !j.c.Bool("quiet") && !j.c.Bool("no-progress") {
		s.Finished = j.tellFinished
	}
	return s, nil
}

// tellFinished shows the result of a job on a line, while the batch continues.
func (j *batchRun) tellFinished(p batch.Progress) {
	r := p.Result
	text := fmt.Sprintf("[%d/%d] %-9s  %s", p.Done, p.Total, r.Status, r.Job.Name)
	if r.Error != "" {
		text += ": " + r.Error
	}
	fmt.Fprintf(j.stderr, "%s  (%.2f s)\n", printable.Text(text), r.Milli/1000)
}

func (j *batchRun) folder() string { return cmp.Or(j.flag("o"), resultsFolder) }

func (j *batchRun) begin() batch.Begin {
	switch {
	case j.c.Bool("resume"):
		return batch.Resume
	case j.c.Bool("force"):
		return batch.Replace
	}
	return batch.Afresh
}

// readFormat reads the format of standard output.
func (j *batchRun) readFormat() error {
	j.format = cmp.Or(j.flag("format"), "text")
	switch j.format {
	case "text", "json":
	case "markdown":
		if j.c.Bool("dry-run") {
			return j.refuse("--dry-run lists the jobs as text or json")
		}
	default:
		return j.refuse("--format: there is no format %q; choose text, json or markdown",
			j.format)
	}
	return nil
}

// readJudgement reads the flags of [judgement], and the results of the baseline.
func (j *batchRun) readJudgement() error {
	if err := j.gate.Set(j.flag("fail-on")); err != nil {
		return j.refuse("--fail-on: %v", err)
	}
	if err := j.readBaseURL(); err != nil {
		return err
	}
	return j.readBaseline()
}

// readBaseURL reads the address with which the links of summaries begin.
func (j *batchRun) readBaseURL() error {
	text := j.flag("base-url")
	switch text {
	case "":
		return nil
	case "none":
		j.summary.NoLinks = true
		return nil
	}
	u, err := url.Parse(text)
	isFolder := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" &&
		u.RawQuery == "" && u.Fragment == ""
	if !isFolder {
		return j.refuse("--base-url %s is not the address of a folder, such as https://example.org/results, nor none", text)
	}
	j.summary.BaseURL = strings.TrimRight(u.String(), "/")
	return nil
}

// readBaseline reads the results of an earlier run, if --baseline names them.
func (j *batchRun) readBaseline() error {
	j.baseline = j.flag("baseline")
	if j.baseline == "" {
		if j.gate.NeedsBaseline() {
			return j.refuse("--fail-on new needs an earlier run to compare with; name it by --baseline")
		}
		return nil
	}
	if _, err := os.Stat(j.baseline); errors.Is(err, fs.ErrNotExist) {
		return j.refuse("--baseline %s: there are no results; leave it out of a first run",
			j.baseline)
	}
	old, err := batch.ReadResults(j.ctx, j.baseline)
	if err != nil {
		return fmt.Errorf("--baseline: %w", err)
	}
	j.old = old
	return nil
}

// conclude writes the summaries of a batch, prints its summary, and ends with the verdict on it. The
// parameter resumeFlag is the flag by which, after an interruption, the same command completes the
// results.
func (j *batchRun) conclude(out *batch.Outcome, folder, resumeFlag string) error {
	isPart := len(out.Plan.Jobs) != len(out.Jobs)
	if isPart {
		j.forgetOtherJobs(out.Jobs)
	}
	failing := j.gate.Failing(out.Results, j.old)
	b, err := j.summarise(out, folder)
	if err != nil {
		return err
	}
	if err := j.writeSummaries(b, out, folder, resumeFlag); err != nil {
		return err
	}
	j.unwatch()
	w := stoppable.EachWrite(j.ctx, j.stdout)
	switch j.format {
	case "json":
		err = b.JSON(w)
	case "markdown":
		err = b.Markdown(w)
	default:
		_, err = io.WriteString(w, wording.Summary(out, b, failing, j.gate, folder))
	}
	if err := j.asInterruption(err, fmt.Sprintf("all results are kept in %s with their summaries; standard output alone is not complete", folder)); err != nil {
		return err
	}
	if j.gate.IsUndecided(out.Results) {
		return errUndecided
	}
	if len(failing) > 0 {
		return errFailing
	}
	return nil
}

// forgetOtherJobs removes from the baseline the results of all other jobs: a run of a part of the jobs
// must not report the rest as removed.
func (j *batchRun) forgetOtherJobs(jobs []batch.Job) {
	isInRun := map[string]bool{}
	for _, job := range jobs {
		isInRun[job.Name] = true
	}
	j.old = slices.DeleteFunc(j.old, func(r batch.Result) bool {
		return !isInRun[r.Job.Name]
	})
}

// summarise returns the summary of a batch, with its differences from the baseline, if there is one.
func (j *batchRun) summarise(out *batch.Outcome, folder string) (summary.Batch, error) {
	b := j.summary
	b.Manifest = out.Plan.Manifest
	b.Version = version()
	b.Results = out.Results
	b.Folder = filepath.ToSlash(folder)
	if j.baseline == "" {
		return b, nil
	}
	differences := baseline.Compare(j.old, out.Results)
	differences.Baseline = j.baseline
	if err := j.addNewBehaviour(&differences, out.Results); err != nil {
		return b, err
	}
	b.Differences = &differences
	return b, nil
}

// writeSummaries writes the summaries into the folder of the results, and checks that the results are
// still there.
func (j *batchRun) writeSummaries(
	b summary.Batch,
	out *batch.Outcome,
	folder, resumeFlag string,
) error {
	progress.Start(j.ctx, "write summaries", progress.Nothing, 0)
	if err := b.Write(j.ctx, folder); err != nil {
		lost := out.Check(j.ctx, folder)
		if lost != nil && j.ctx.Err() == nil {
			return lost
		}
		return j.asInterruption(err,
			fmt.Sprintf("all results are kept in %s, but not all of the summaries there (%s and the like) are written; run the same command with %s to write them",
				folder, summary.HTMLFile, resumeFlag))
	}
	return out.Check(j.ctx, folder)
}

// asInterruption returns an error that names the results that are kept, if err comes from an
// interruption; otherwise err.
func (j *batchRun) asInterruption(err error, kept string) error {
	if err != nil && isDone(err) && j.ctx.Err() != nil {
		return &interruptedError{kept}
	}
	return err
}

// tellManifest shows all mistakes in a manifest, and reports whether err has any.
func tellManifest(w io.Writer, err error) bool {
	var manifest *batch.ManifestError
	if !errors.As(err, &manifest) {
		return false
	}
	for _, m := range manifest.Mistakes {
		fmt.Fprintf(w, "inev: %s\n", printable.Brief(m.String()))
		if m.Caret != "" {
			fmt.Fprintln(w, m.Caret)
		}
	}
	n := len(manifest.Mistakes)
	if n > 1 {
		fmt.Fprintf(w, "inev: %d mistakes; nothing was run\n", n)
	}
	return true
}

// failingWords are the values of --fail-on.
func failingWords() []string { return batch.Gates() }

// mostCompared is the largest number of violations whose models are compared with those of the baseline.
const mostCompared = 100

// addNewBehaviour adds, to each violation that differs from the baseline, what is new in its model. If a model
// cannot be compared, it warns.
func (j *batchRun) addNewBehaviour(d *baseline.Differences, current []batch.Result) error {
	folder := j.flag(baselineModels)
	kept := j.keptModels()
	if folder == "" && len(kept) == 0 {
		return nil
	}
	byName := make(map[string]*batch.Result, len(current))
	for i := range current {
		byName[current[i].Job.Name] = &current[i]
	}
	compared := 0
	for i := range d.List {
		difference := &d.List[i]
		r := byName[difference.Name]
		hasOldModel := r != nil && difference.Change != baseline.Added
		if !hasOldModel || r.Status != batch.Violated {
			continue
		}
		compared++
		if compared > mostCompared {
			j.warn([]string{fmt.Sprintf("only the first %d violations that differ are compared with the models of the baseline", mostCompared)})
			return nil
		}
		old, err := modelInBaseline(folder, kept, r)
		if err == nil && old.path != "" {
			difference.Since, err = j.behaviourSince(old, r)
		}
		if err := j.ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			j.warn([]string{fmt.Sprintf("%s is not compared with the model of the baseline: %v",
				r.Job.Name, err)})
		}
	}
	return nil
}

var errOtherModel = errors.New("the model has changed since the batch was run")

// oldModel is the model of a job in the baseline. A path of "" means that the baseline has none.
type oldModel struct {
	path string
	// digest is that of the copy that an earlier run has kept; "" for a file of the user, which may have any
	// content.
	digest string
}

// keptModels maps the name of each job to the copy of its model that the run of the baseline has kept.
func (j *batchRun) keptModels() map[string]oldModel {
	folder := j.baseline
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	kept := map[string]oldModel{}
	for _, r := range j.old {
		name := r.KeptModel()
		if name != "" {
			kept[r.Job.Name] = oldModel{
				path:   filepath.Join(folder, filepath.FromSlash(name)),
				digest: r.ModelDigest,
			}
		}
	}
	return kept
}

// modelInBaseline returns the model of a job in the baseline: the file of the same name in the folder from
// the user or, without such a folder, the kept copy.
func modelInBaseline(folder string, kept map[string]oldModel, r *batch.Result) (oldModel, error) {
	if folder == "" {
		return kept[r.Job.Name], nil
	}
	name := filepath.FromSlash(r.Job.Model)
	if !filepath.IsLocal(name) {
		return oldModel{}, fmt.Errorf("the model %s lies outside the folder of the manifest",
			r.Job.Model)
	}
	return oldModel{path: filepath.Join(folder, name)}, nil
}

// behaviourSince compares the model of a job with that in the baseline, and describes what is new. It fails
// if a kept copy, or the job's own model, is not what it was when its batch was run.
func (j *batchRun) behaviourSince(old oldModel, r *batch.Result) (text string, err error) {
	ctx := j.ctx
	if r.Job.Timeout > 0 {
		limited, stop := context.WithTimeout(ctx, r.Job.Timeout)
		defer stop()
		ctx = limited
	}
	f, o, err := r.Job.Question(ctx)
	if err != nil {
		return "", err
	}
	isKeptCopy := old.digest != ""
	previousOptions := j.versionOptions(old.path, r)
	previousOptions.Digest = isKeptCopy
	previous, err := j.openVersion(ctx, previousOptions)
	if err != nil {
		return "", err
	}
	if isKeptCopy && previous.Digest != old.digest {
		return "", fmt.Errorf("%s was changed after it was written: its SHA-256 differs", old.path)
	}
	current, err := j.openVersion(ctx, j.versionOptions(r.Job.Path, r))
	if err != nil {
		return "", err
	}
	oldVersion := compare.Version{LTS: previous.LTS, Source: explain.Source{File: old.path}}
	newVersion := compare.Version{LTS: current.LTS, Source: explain.Source{File: r.Job.Path}}
	c := &compare.Comparison{
		OldFile: "the baseline",
		NewFile: r.Job.Model,
		Formula: r.Job.Property(),
	}
	c.Behaviour, err = compare.Models(ctx, oldVersion.LTS, newVersion.LTS, compare.Options{NoStrange: true})
	if err != nil {
		return "", err
	}
	c.Versions, err = compare.Property(ctx, oldVersion, newVersion, f, o, compare.Options{})
	if err != nil {
		return "", err
	}
	if !agrees(c.Versions.New, r) {
		return "", errOtherModel
	}
	return render.Since(c), nil
}

// agrees reports whether the explanation of a violation that a batch has found agrees with the result of
// the batch. If not, the file of the model has changed since.
func agrees(e *explain.Explanation, r *batch.Result) bool {
	if e.Verdict != explain.Violated {
		return false
	}
	return r.Counterexample == nil || e.Counterexample.Length == r.Counterexample.Length
}

// versionOptions returns how a version of a job's model is read: like the model of the job.
func (j *batchRun) versionOptions(path string, r *batch.Result) format.Options {
	return format.Options{
		Name:    path,
		Lenient: r.Job.Options.Lenient,
		Admit:   j.admit,
		Changed: r.Job.ChangedModel,
	}
}

// openVersion opens a version of a job's model, the file that o names.
func (j *batchRun) openVersion(ctx context.Context, o format.Options) (*format.Model, error) {
	m, _, err := j.models().Open(ctx, frontend.Specification{Path: o.Name}, o)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is missing", o.Name)
	}
	return m, err
}

// mergeCommand returns inev merge, which makes one folder of results of those that shards, or interrupted
// runs, have left.
func mergeCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "join the results of several batches, such as shards",
		ArgsUsage: "DIR...",
		Description: `Each DIR is a folder of results of inev batch. Joins them in the folder that -o names,
with the files of the jobs and the summaries: all shards of a manifest together give
what one run gives.

The exit code is the same as for inev batch. Unless --fail-on is none, it is also 2
if a job has no result in any folder because a run was interrupted or a shard is
missing.`,
		Flags: slices.Concat([]cli.Flag{
			value(resultFlags, "o",
				"keep results in the folder `DIR` (default: "+resultsFolder+")"),
			value(resultFlags, "format",
				"summary on standard output: `FORMAT` is text, json or markdown"),
		}, judgement(), []cli.Flag{
			toggle(batchFlags, "force", "remove the results in the folder first"),
		}, batchControl()),
		Action: batchAction(p, (*batchRun).merge),
	},
		`inev merge shard1 shard2`,
		`inev merge shard1 shard2 -o results --fail-on any`)
}

// withMissingResults returns a result for each job. For a job without a result, which the journal
// lacks, the result is an error, so that summaries list the job.
func withMissingResults(out *batch.Outcome) []batch.Result {
	found := make(map[string]batch.Result, len(out.Results))
	for _, r := range out.Results {
		found[r.Job.Name] = r
	}
	all := make([]batch.Result, 0, len(out.Jobs))
	for _, job := range out.Jobs {
		r, ok := found[job.Name]
		if !ok {
			r = batch.Result{
				Schema: batch.ResultSchema,
				Job:    job,
				Status: batch.Failed,
				Error:  "no result in any of the folders; finish the run by --resume, or add the folder that lacks",
			}
		}
		all = append(all, r)
	}
	return all
}

// merge joins the results of several batches.
func (j *batchRun) merge() error {
	if len(j.operands) == 0 {
		return j.refuse("DIR missing; name the folders of results, such as shard1 shard2")
	}
	if err := j.readFormat(); err != nil {
		return err
	}
	if err := j.readJudgement(); err != nil {
		return err
	}
	folder := j.folder()
	out, err := batch.Merge(j.ctx, j.operands, batch.Settings{
		Folder:  folder,
		Begin:   j.begin(),
		Version: version(),
	})
	if err := j.asInterruption(err, fmt.Sprintf("%s is not complete; run the same command with --force to begin again", folder)); err != nil {
		return err
	}
	missing := len(out.Jobs) - len(out.Results)
	if missing > 0 {
		j.warn([]string{fmt.Sprintf("%s of %d without a result in any of the folders; finish their runs by --resume, or add the missing folders", printable.Quantity(missing, "job"), len(out.Jobs))})
		out.Results = withMissingResults(out)
	}
	if err := j.conclude(out, folder, "--force"); err != nil {
		return err
	}
	if missing > 0 && j.gate != "none" {
		return errUndecided
	}
	return nil
}
