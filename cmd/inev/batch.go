//go:build !js

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/printable"
)

// resultsFolder is where results go that no folder is named for.
const resultsFolder = "inev-results"

// The groups of flags that only batches have.
const (
	jobFlags       = "Files of each job"
	batchFlags     = "Batch"
	judgementFlags = "Comparison and exit code"
)

func batchCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "batch",
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
explain: neighbourhood, unfold, scc, search_limit, decisions, pattern, fair (a list),
blocking, lanes, cfg, lenient, allow_unmatched, parts. With keep_models: true the results keep a copy of the
model, so that a later run with --baseline names what has changed in it.
MANIFEST can also be a table in .csv or .tsv, with the names of the fields in its first
line, or a folder: then each X.aut in it is checked for the formulas in X.inev, one a
line.

The exit code is 1 if jobs fail in the sense of --fail-on, else 0, and 2 if the
manifest has mistakes: then all of them are listed, and nothing is run. A job has no
verdict if its model or formula cannot be used (a step that matches no label of the
model is such an error), if it reaches its limit of time or memory, or if it crashes.

  unexpected  jobs without the verdict that they expect (satisfied, unless the
              entry says otherwise)
  any         jobs that are violated or have no verdict
  new         jobs that are violated but were not in --baseline and are not
              expected to be; jobs that have lost their verdict; errors; jobs
              that hold although they are expected to be violated, even if they
              held before
  none        no job`,
		Flags: slices.Concat([]cli.Flag{
			value(resultFlags, "o", "keep results in the folder `DIR` (default: "+resultsFolder+")"),
			value(resultFlags, "format", "summary on standard output: `FORMAT` is text, json or markdown"),
			toggle(resultFlags, "dry-run", "list the jobs, run none"),
		}, jobFiles(), judgement(), []cli.Flag{
			matching(batchFlags), parts(batchFlags), specificationFlag(),
			toggle(batchFlags, noCacheFlag, "make the models of specifications again, and keep none for the next run"),
			toggle(batchFlags, "resume", "continue with the results in the folder"),
			toggle(batchFlags, "force", "remove the results in the folder first"),
			value(batchFlags, "jobs", "run `N` jobs at a time (default: the number of cores)"),
			value(batchFlags, "shard", "run part `I/N` of the jobs; inev merge joins the results"),
			value(batchFlags, "memory", "all jobs together use at most `SIZE`, such as 6GB; none: no limit"),
			value(batchFlags, "timeout", "stop each job after `DURATION`, such as 90s or 5m"),
		}, batchControl()),
		Action: batchAction(p, runBatch),
	},
		`inev batch m.yaml --dry-run`,
		`inev batch m.yaml --html`,
		`inev batch m.yaml --html --resume --fail-on none`,
		`inev batch m.yaml -o shard1 --shard 1/2`)
}

// jobFiles are the flags for files that each job can write.
func jobFiles() []cli.Flag {
	return []cli.Flag{
		toggle(jobFlags, "html", "write a page to walk through the run"),
		toggle(jobFlags, "svg", "write a picture"),
		toggle(jobFlags, "dot", "write a picture for Graphviz"),
		toggle(jobFlags, "trace", "write the counterexample for CADP"),
		toggle(jobFlags, "no-json", "write no JSON"),
	}
}

// judgement are the flags that say what is compared, and what fails.
func judgement() []cli.Flag {
	return []cli.Flag{
		value(judgementFlags, "base-url", "links in summary.md and SARIF begin with `URL`; none: no links"),
		value(judgementFlags, "baseline", "compare with the results in `OLD`, a folder or results.jsonl"),
		value(judgementFlags, baselineModels, "say what has changed since the models in `FOLDER`, if a violation is new"),
		choice(judgementFlags, "fail-on", "exit with 1 if there are `WHICH` jobs: "),
	}
}

// batchControl are [runControl] without the limit of time.
func batchControl() []cli.Flag {
	return slices.DeleteFunc(runControl(), func(f cli.Flag) bool { return f.Names()[0] == "timeout" })
}

// batchAction is [action] for commands that limit each job instead of themselves, and
// report in formats of their own.
func batchAction(p *program, do func(*job) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		j := &job{program: p, c: c, ctx: c.Context, operands: c.Args().Slice()}
		if c.Command.Name == "batch" {
			if err := j.checkOperands(); err != nil {
				return err
			}
		}
		if err := j.limitMemory(); err != nil {
			return err
		}
		j.watch()
		defer j.unwatch()
		defer j.budgetMemory()() // each job of a batch joins it
		defer func() { j.closeModels() }()
		return do(j)
	}
}

func runBatch(j *job) error {
	s, err := j.batchSettings()
	if err != nil {
		return err
	}
	judge, err := j.readJudgement()
	if err != nil {
		return err
	}
	m, err := batch.Open(j.ctx, j.operands[0])
	if err != nil {
		return err
	}
	if j.c.Bool(allowUnmatched) {
		m = m.AllowingUnmatched()
	}
	if j.c.Bool(partsMatch) {
		m = m.CountingParts()
	}
	if paths := j.c.StringSlice(sourceFlag); len(paths) > 0 {
		if m, err = m.WithSource(j.ctx, paths); err != nil {
			return fmt.Errorf("--%s: %w", sourceFlag, err)
		}
	}
	if j.c.Bool("dry-run") {
		return j.listJobs(m, s)
	}
	out, err := batch.Run(j.ctx, m, s)
	if err != nil && out != nil && isDone(err) {
		return &interruptedError{fmt.Sprintf("%d of %d jobs are finished and kept in %s; the same with --resume goes on", len(out.Results), len(out.Jobs), s.Folder)}
	}
	if err != nil {
		return err
	}
	return j.conclude(out, s.Folder, judge, "--resume")
}

// batchSettings reads the flags that say how a batch is run.
func (j *job) batchSettings() (s batch.Settings, err error) {
	s = batch.Settings{Folder: j.folder(), Version: version(), Cache: compiledFolder(), Wanted: j.wanted(), Finished: j.tellFinished(), Warn: func(text string) { j.warn([]string{text}) }, Words: wording.Flag, Command: wording.Command}
	if _, err := j.batchFormat(); err != nil {
		return s, err
	}
	if s.Begin, err = j.begin(); err != nil {
		return s, err
	}
	if text := j.flag("jobs"); text != "" {
		if s.Parallel, err = strconv.Atoi(text); err != nil || s.Parallel < 1 {
			return s, j.refuse("--jobs %s is not a number above zero", text)
		}
	}
	if text := j.flag("shard"); text != "" {
		if err = s.Shard.Set(text); err != nil {
			return s, j.refuse("--shard %v", err)
		}
	}
	if text := j.flag("timeout"); text != "" {
		if s.Timeout, err = time.ParseDuration(text); err != nil || s.Timeout <= 0 {
			return s, j.refuse("--timeout %s is not a duration above zero, such as 90s, 5m or 1h30m", text)
		}
	}
	s.Memory, s.Maker = j.memory, j.models()
	return s, nil
}

func (j *job) folder() string {
	if path := j.flag("o"); path != "" {
		return path
	}
	return resultsFolder
}

func (j *job) begin() (batch.Begin, error) {
	resume, force := j.c.Bool("resume"), j.c.Bool("force")
	switch {
	case resume && force:
		return 0, j.refuse("--resume goes on with the results in the folder, --force removes them; give one of them")
	case resume:
		return batch.Resume, nil
	case force:
		return batch.Replace, nil
	}
	return batch.Afresh, nil
}

// wanted returns the kinds of files that jobs write.
func (j *job) wanted() []string {
	asked := map[string]bool{
		"explanation": !j.c.Bool("no-json"), "page": j.c.Bool("html"), "svg": j.c.Bool("svg"), "dot": j.c.Bool("dot"), "trace": j.c.Bool("trace"),
	}
	return slices.DeleteFunc(batch.Outputs(), func(kind string) bool { return !asked[kind] })
}

// batchFormat returns the format of what is written to standard output.
func (j *job) batchFormat() (string, error) {
	switch format := j.flag("format"); format {
	case "", "text":
		return "text", nil
	case "json", "markdown":
		if format == "markdown" && j.c.Bool("dry-run") {
			return "", j.refuse("--dry-run lists the jobs as text or json")
		}
		return format, nil
	default:
		return "", j.refuse("--format: there is no format %q; choose text, json or markdown", format)
	}
}

// tellFinished returns what tells of jobs, a line each, where no bar does.
func (j *job) tellFinished() func(batch.Progress) {
	if j.bars != nil || j.c.Bool("quiet") || j.c.Bool("no-progress") {
		return nil
	}
	return func(p batch.Progress) {
		r := p.Result
		text := fmt.Sprintf("[%d/%d] %-9s  %s", p.Done, p.Total, r.Status, r.Job.Name)
		if r.Error != "" {
			text += ": " + r.Error
		}
		fmt.Fprintf(j.stderr, "%s  (%.2f s)\n", printable.Text(text), r.Milli/1000)
	}
}

// listJobs shows what would be done.
func (j *job) listJobs(m *batch.Manifest, s batch.Settings) error {
	jobs := s.Shard.Of(m.Jobs)
	format, err := j.batchFormat()
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "job\tmodel\tformula\texpect")
		for _, job := range jobs {
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", printable.Text(job.Name), printable.Text(job.Model), printable.Text(job.Property()), job.Expect)
		}
		return table.Flush()
	}
	if format == "json" {
		plan := batch.Plan{Schema: batch.PlanSchema, Manifest: m.File, Version: s.Version, Shard: s.Shard.String(), Jobs: jobs}
		write = plan.Write
	}
	j.unwatch()
	return write(stoppableWriter{j.ctx, j.stdout})
}
