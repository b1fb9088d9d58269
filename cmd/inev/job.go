package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/report"
)

// job is one run of a command that reads models and can write a report.
type job struct {
	reading
	report report.Writer // zero if the command writes no report
	look   report.Options
	// unsaid names the verdict that was found although its results could not be written, and the
	// files that are missing; "" if there is none.
	unsaid string
}

func newJob(p *program, c *cli.Context) *job {
	j := &job{}
	j.call = call{program: p, c: c, ctx: c.Context, operands: c.Args().Slice()}
	return j
}

// action returns the action of a command that does its work by a job.
func action(p *program, do func(*job) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		j := newJob(p, c)
		stop, err := j.prepare()
		defer stop()
		j.watch()
		defer j.unwatch()
		defer func() { j.closeModels() }()
		if err == nil {
			defer j.keepMemory()()
			run := do
			if j.flag(lanesFlag) == autoLanes {
				run = (*job).proposeLanes
			}
			err = j.exceeded(j.options.File, run(j))
			j.tellNotes()
		}
		if err == nil || errors.Is(err, errViolated) || errors.Is(err, errOpen) {
			if untold := j.tellCost(); untold != nil {
				err = untold
			}
		}
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
			var timeout *timeoutError
			if errors.As(context.Cause(j.ctx), &timeout) {
				err = timeout
			}
		}
		var exceeded *resources.ExceededError
		var timeout *timeoutError
		var full syscall.Errno // or whatever else the system refuses
		if j.unsaid != "" && (errors.As(err, &exceeded) || errors.As(err, &timeout) || errors.As(err, &full)) {
			err = fmt.Errorf("%w (%s)", err, j.unsaid)
		}
		return err
	}
}

// prepare checks the arguments, and starts the clock of --timeout.
func (j *job) prepare() (stop context.CancelFunc, err error) {
	stop = func() {}
	if j.c.Bool(partsMatch) {
		j.ctx = actl.WithParts(j.ctx)
	}
	for _, check := range []func() error{j.checkFlags, j.checkOperands, j.readMethod, j.chooseReport, j.checkFiles, j.limitMemory, j.checkMade} {
		if err := check(); err != nil {
			return stop, err
		}
	}
	d, err := j.duration("timeout", "90s, 5m or 1h30m")
	if d == 0 {
		return stop, err
	}
	j.ctx, stop = context.WithTimeoutCause(j.ctx, d, &timeoutError{d})
	return stop, nil
}

// chooseReport takes the format from --format or, by default, from the suffix of the file of
// -o.
func (j *job) chooseReport() (err error) {
	format, path := j.flag("format"), j.resultFile()
	if format == "" {
		return nil
	}
	if path != "" {
		if !j.c.IsSet("format") {
			if format, err = formatOf(path); err != nil {
				return err
			}
		}
		if err := checkPlace(path); err != nil {
			return err
		}
	}
	options, err := j.reportOptions()
	if err != nil {
		return err
	}
	j.format, j.look = format, options
	return j.newReport(options)
}

// newReport makes the report.
func (j *job) newReport(o report.Options) (err error) {
	if j.report, err = report.New(j.format, o); err != nil {
		return j.refuse("--format: %v", err)
	}
	return nil
}

// formatOf returns the format that the name of a file asks for.
func formatOf(path string) (string, error) {
	switch filepath.Ext(path) {
	case ".txt":
		return "text", nil
	case ".json":
		return "json", nil
	case ".tsv":
		return "tsv", nil
	case ".md":
		return "markdown", nil
	}
	return "", suffixError(path, ".txt", "inev writes .txt, .json, .tsv or .md here, or what --format says")
}

// verdict returns the error by which the exit code says that the property is violated.
func verdict(e *explain.Explanation) error {
	if e.Verdict == explain.Violated {
		return errViolated
	}
	return nil
}

// reportOptions returns the options of reports. A report in Markdown links to the picture that the
// same run writes, or contains one.
func (j *job) reportOptions() (report.Options, error) {
	width, err := j.readWidth()
	if err != nil {
		return report.Options{}, err
	}
	if j.hide, err = j.readPatterns("hide"); err != nil {
		return report.Options{}, err
	}
	return report.Options{
		Color:    j.colours(),
		Full:     j.c.Bool("full"),
		MoreBy:   "--full",
		Width:    width,
		Hide:     j.hide,
		Onward:   j.onward,
		Commands: report.Commands{Assume: "--fair", Repair: "inev repair", Triggers: "--may-forbid-triggers"},
		Terminal: j.showsOnTerminal(),
		Picture:  j.linked(j.flag("svg")),
	}, nil
}

// reportOn makes the report about e, which lists the pictures written before. Markdown without
// a link to a picture contains one.
func (j *job) reportOn(e *explain.Explanation, pictures []report.Picture) (err error) {
	o := j.look
	o.Pictures = pictures
	if j.source != nil {
		o.Commands.Variables = j.source.Variables
	}
	if c := e.Counterexample; j.format == "markdown" && o.Picture == "" && c != nil && len(c.Steps) > 0 {
		if o.Flowchart, err = j.flowchart(e); err != nil {
			return err
		}
	}
	if j.format == "markdown" {
		o.Sequence = j.sequenceChart(e)
	}
	return j.newReport(o)
}

// sequenceChart returns the counterexample as a sequence chart, if lanes are named.
func (j *job) sequenceChart(e *explain.Explanation) report.Flowchart {
	c := j.chart(e)
	if c == nil {
		return report.Flowchart{}
	}
	var text strings.Builder
	if err := diagram.Mermaid(&text, c, ""); err != nil {
		return report.Flowchart{Why: strings.TrimPrefix(err.Error(), "diagram: ")}
	}
	return report.Flowchart{Text: text.String(), Notes: c.Notes}
}

// flowchart returns a picture of the counterexample in Mermaid, or the reason why there is none.
func (j *job) flowchart(e *explain.Explanation) (report.Flowchart, error) {
	var text strings.Builder
	g, err := view.Small(j.ctx, e, view.Options{}, diagram.MaxMermaidNodes)
	if err == nil {
		err = diagram.Mermaid(&text, g, "")
	}
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return report.Flowchart{}, err
	case err != nil:
		return report.Flowchart{Why: strings.TrimPrefix(err.Error(), "diagram: ")}, nil
	}
	return report.Flowchart{Text: text.String()}, nil
}

// readWidth returns the value of --width, else the width of the terminal that shows the result,
// else 0.
func (j *job) readWidth() (int, error) {
	if j.flag("width") == "" && j.terminal && j.flag("o") == "" {
		return j.columns, nil
	}
	return j.whole("width", report.LeastWidth, math.MaxInt, fmt.Sprintf("is not a number from %d on", report.LeastWidth))
}

// linked returns the path of a file relative to the folder of the report, which is the current
// folder if the report is written to standard output; the path itself if there is no relative path.
func (j *job) linked(path string) string {
	if path == "" {
		return ""
	}
	from, err := filepath.Abs(filepath.Dir(j.resultFile()))
	if err != nil {
		return path
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if relative, err := filepath.Rel(from, to); err == nil {
		return relative
	}
	return path
}

// onward returns commands for the next questions of a reader, about the same model and property and
// with the same options; none if the model is no file.
func (j *job) onward(e *explain.Explanation) (toEach, apart []string) {
	file := e.Model.File
	if file == "" || file == standardInput {
		return nil, nil
	}
	if strings.HasPrefix(file, "-") { // no flag
		file = "./" + file
	}
	under := j.alike(e)
	toEach = append(append([]string{"inev", "path", file}, j.asGiven(e)...), "--to", "each")
	apart = append(append([]string{"inev", "explain", file}, j.asGiven(e)...), "--unfold")
	return append(toEach, under...), append(apart, under...)
}

// alike returns the flags that repeat the question to which e is the answer.
func (j *job) alike(e *explain.Explanation) []string {
	var words []string
	if j.c.Bool(partsMatch) {
		words = append(words, "--"+partsMatch)
	}
	if e.IsUnfolded() {
		words = append(words, "--unfold")
	}
	if e.Fairness != nil {
		for _, a := range e.Fairness.Asked {
			words = append(words, "--fair", a.String())
		}
	}
	if e.Reading != neighbourhood.All {
		words = append(words, "--neighbourhood", e.Reading.String())
	}
	return words
}

// asGiven returns the words of a command line that give the property of e in the user's own
// form.
func (j *job) asGiven(e *explain.Explanation) []string {
	for _, name := range []string{"hoa", "never"} {
		if path := j.flag(name); path != "" {
			return []string{"--" + name, path}
		}
	}
	return []string{e.Property.Text}
}

// proposeLanes writes proposed lanes, to be read, corrected and passed to --lanes, and does
// nothing else.
func (j *job) proposeLanes() error {
	if path := j.flag("o"); path != "" {
		if err := checkOutput(path, ".tsv"); err != nil {
			return err
		}
	}
	m, err := j.readModel()
	if err != nil {
		return err
	}
	_, table := view.OfferLanes(labelsOf(m))
	if table == "" {
		return fmt.Errorf("--lanes auto: the labels of %s show no lanes; inev labels lists the labels, and a table of LABEL, FROM, TO says who acts", j.options.File)
	}
	j.note("these lanes are a guess, by how labels are written; read and correct them, and hand them back with --lanes FILE.tsv")
	return j.print(func(w io.Writer) error {
		_, err := io.WriteString(w, table)
		return err
	})
}

// chart returns the counterexample as a sequence chart, nil without lanes or without a
// counterexample.
func (j *job) chart(e *explain.Explanation) *view.Chart {
	if j.lanes == nil {
		return nil
	}
	c, err := view.NewChart(e, j.lanes, view.ChartOptions{Full: j.c.Bool("full"), Hide: j.hide})
	if err != nil {
		return nil // the property holds
	}
	return c
}

// tour returns the pictures of a page, with a sequence chart if lanes are named.
func (j *job) tour(e *explain.Explanation) (*view.Tour, error) {
	tour, err := view.NewTour(j.ctx, e, 0)
	if err != nil {
		return nil, err
	}
	if c := j.chart(e); c != nil {
		tour = tour.WithChart(c)
	}
	return tour, nil
}

// aboutLanes notes mismatches between the lanes and the labels of a model.
func (j *job) aboutLanes(e *explain.Explanation) {
	if j.lanes == nil {
		return
	}
	if text := j.lanes.Unmatched(labelsOf(e.LTS())); text != "" {
		j.warn([]string{text})
	}
}
