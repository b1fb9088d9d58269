package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/neighbourhood"
)

// job is one run of a command that reads models and can write a report.
type job struct {
	reading
	report render.Writer // zero if the command writes no report
	look   render.Options
}

func newJob(p *program, c *cli.Context) *job {
	j := &job{}
	j.call = call{
		program:  p,
		c:        c,
		ctx:      c.Context,
		operands: c.Args().Slice(),
	}
	return j
}

// action returns the action of a command that does its work by a job. A verdict that has an exit code of its
// own is an error of the work, too.
func action(p *program, do func(*job) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		j := newJob(p, c)
		defer j.closeModels()
		stop, err := j.prepare()
		if err != nil {
			return err
		}
		defer stop()
		j.watch()
		defer j.unwatch()
		defer j.guardMemory()()
		run := do
		if j.flag(lanesFlag) == autoLanes {
			run = (*job).proposeLanes
		}
		err = j.exceeded(j.options.File, j.placed(run(j)))
		if len(j.notes) > 0 && !j.c.Bool("quiet") {
			fmt.Fprintf(j.stderr, "inev: note: %s\n",
				printable.Text(strings.Join(j.notes, "; ")))
		}
		return j.outcome(err)
	}
}

// outcome returns the error of the command, given that of its work. It is also an error if the cost cannot be
// written, or if some properties have no answer. The error of a limit names the verdict, if that is known.
func (j *job) outcome(err error) error {
	if err == nil || errors.Is(err, errViolated) || errors.Is(err, errOpen) {
		err = cmp.Or(j.tellCost(), err)
	}
	if j.unanswered != "" && (err == nil || errors.Is(err, errViolated)) {
		err = &unansweredError{j.unanswered}
	}
	var timeout *timeoutError
	if isDone(err) && errors.As(context.Cause(j.ctx), &timeout) {
		err = timeout
	}
	if j.verdictSoFar != nil && isStoppedByLimit(err) {
		return fmt.Errorf("%w (%s)", err, j.verdictSoFar())
	}
	return err
}

// isStoppedByLimit reports whether an error is that of the memory limit, of --timeout, or one of the
// system, such as a full disk.
func isStoppedByLimit(err error) bool {
	var exceeded *resources.ExceededError
	var timeout *timeoutError
	var system syscall.Errno
	return errors.As(err, &exceeded) || errors.As(err, &timeout) || errors.As(err, &system)
}

// prepare checks the arguments, and starts the clock of --timeout.
func (j *job) prepare() (stop context.CancelFunc, err error) {
	if j.c.Bool(partsMatch) {
		j.ctx = actl.WithParts(j.ctx)
	}
	if err := j.checkFlags(); err != nil {
		return nil, err
	}
	if err := j.checkOperands(); err != nil {
		return nil, err
	}
	if err := j.readMethod(); err != nil {
		return nil, err
	}
	if err := j.chooseReport(); err != nil {
		return nil, err
	}
	if err := j.checkFiles(); err != nil {
		return nil, err
	}
	if err := j.limitMemory(); err != nil {
		return nil, err
	}
	if err := j.checkMade(); err != nil {
		return nil, err
	}
	d, err := j.duration("timeout", "90s, 5m or 1h30m")
	if err != nil {
		return nil, err
	}
	if d == 0 {
		return func() {}, nil
	}
	j.ctx, stop = context.WithTimeoutCause(j.ctx, d, &timeoutError{d})
	return stop, nil
}

// chooseReport chooses the format and the look of the report, for commands that print one.
func (j *job) chooseReport() error {
	format, err := j.chooseFormat()
	if err != nil || format == "" {
		return err
	}
	_, hide, err := j.readFolded()
	if err != nil {
		return err
	}
	j.hide = hide
	width, err := j.readWidth()
	if err != nil {
		return err
	}
	j.format = format
	j.look = render.Options{
		Color:  j.hasColours(),
		Full:   j.c.Bool("full"),
		MoreBy: "--full",
		Width:  width,
		Hide:   j.hide,
		Onward: j.onward,
		Commands: render.Commands{
			Assume:        "--fair",
			Specification: "--" + tlaFlag + " " + j.nameOfSpecification(),
			Repair:        "inev repair",
			Triggers:      "--may-forbid-triggers",
		},
		Terminal: j.showsOnTerminal(),
		Picture:  j.linkTo(j.flag("svg")),
	}
	return j.newReport(j.look)
}

// nameOfSpecification returns the .tla file that the model is made of, as an operand, or Spec.tla for one
// that the user knows.
func (j *job) nameOfSpecification() string {
	if len(j.operands) > 0 && strings.EqualFold(filepath.Ext(j.operands[0]), ".tla") {
		return printable.ShellWord(j.operands[0])
	}
	return "Spec.tla"
}

// chooseFormat returns the format of --format or, by default, that of the suffix of the file of -o; "" if
// the command has no formats. It also checks that the file can be written.
func (j *job) chooseFormat() (string, error) {
	format := j.flag("format")
	path := j.resultFile()
	if format == "" || path == "" {
		return format, nil
	}
	if !j.c.IsSet("format") && !isDevice(path) {
		var err error
		format, err = formatOf(path)
		if err != nil {
			return "", err
		}
	}
	return format, checkPlace(path)
}

// hasColours reports whether a person reads the result at once, and has not refused colours (https://no-color.org).
func (j *job) hasColours() bool {
	isReadAtOnce := j.terminal && j.resultFile() == ""
	isRefused := j.c.Bool("no-color") || os.Getenv("NO_COLOR") != ""
	return isReadAtOnce && !isRefused && os.Getenv("TERM") != "dumb"
}

// newReport makes the report.
func (j *job) newReport(o render.Options) error {
	report, err := render.New(j.format, o)
	if err != nil {
		return j.refuse("--format: %v", err)
	}
	j.report = report
	return nil
}

// formatOf returns the format that the name of a file asks for.
func formatOf(path string) (string, error) {
	formats := map[string]string{
		".txt":  "text",
		".json": "json",
		".tsv":  "tsv",
		".md":   "markdown",
	}
	format, isKnown := formats[filepath.Ext(path)]
	if !isKnown {
		return "", suffixError(path, ".txt",
			"inev writes .txt, .json, .tsv or .md here, or what --format says")
	}
	return format, nil
}

// reportOn makes the report about e. It lists pictures, the picture files that are already written. In
// Markdown, the report draws the counterexample itself, in Mermaid: as a flowchart, unless it links to a
// picture file instead, and as a sequence chart, if j has one.
func (j *job) reportOn(e *explain.Explanation, pictures []render.Picture) error {
	o := j.look
	o.Pictures = pictures
	if j.source != nil {
		o.Commands.Variables = j.source.Variables
	}
	isMarkdown := j.format == "markdown"
	hasSteps := e.Counterexample != nil && len(e.Counterexample.Steps) > 0
	if isMarkdown && hasSteps && o.Picture == "" {
		flowchart, err := mermaid(view.Small(j.ctx, e, view.Options{}, draw.MaxMermaidNodes))
		if err != nil {
			return err
		}
		o.Flowchart = flowchart
	}
	c := j.chart(e)
	if isMarkdown && c != nil {
		sequence, err := mermaid(c, nil)
		if err != nil {
			return err
		}
		o.Sequence = sequence
		if o.Sequence.Why == "" {
			o.Sequence.Notes = c.Notes
		}
	}
	return j.newReport(o)
}

// mermaid returns a picture in Mermaid, or the reason why there is none. viewErr is the error of making the
// view d, nil if there was none; it is a reason, too. mermaid fails only if its work was stopped.
func mermaid(d view.Drawing, viewErr error) (render.Flowchart, error) {
	var text strings.Builder
	err := viewErr
	if err == nil {
		err = draw.Mermaid(&text, d, "")
	}
	switch {
	case isDone(err):
		return render.Flowchart{}, err
	case err != nil:
		return render.Flowchart{Why: strings.TrimPrefix(err.Error(), "diagram: ")}, nil
	}
	return render.Flowchart{Text: text.String()}, nil
}

// readWidth returns the value of --width, else the width of the terminal that shows the result,
// else 0.
func (j *job) readWidth() (int, error) {
	if j.flag("width") == "" && j.terminal && j.flag("o") == "" {
		return j.columns, nil
	}
	return j.wholeNumber("width", render.LeastWidth, math.MaxInt,
		fmt.Sprintf("is not a number from %d on", render.LeastWidth))
}

// linkTo returns the path of a file relative to the folder of the report, which is the current
// folder if the report is written to standard output; the path itself if there is no relative path.
func (j *job) linkTo(path string) string {
	if path == "" {
		return ""
	}
	folder, err := filepath.Abs(filepath.Dir(j.resultFile()))
	if err != nil {
		return path
	}
	target, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	relative, err := filepath.Rel(folder, target)
	if err != nil {
		return path
	}
	return relative
}

// onward returns commands for the next questions of a reader, about the same model and property and
// with the same options: for the path to each neighbourhood, and for the explanation of the unfolded
// model. There are none if the model is no file.
func (j *job) onward(e *explain.Explanation) (paths, unfolded []string) {
	file := e.Model.File
	if file == "" || file == standardInput {
		return nil, nil
	}
	if strings.HasPrefix(file, "-") { // inev would take it for a flag
		file = "./" + file
	}
	given := j.propertyAsGiven(e)
	flags := j.flagsAsGiven(e)
	paths = slices.Concat([]string{"inev", "path", file}, given, []string{"--to", "each"}, flags)
	unfolded = slices.Concat([]string{"inev", "explain", file}, given, []string{"--unfold"}, flags)
	return paths, unfolded
}

// flagsAsGiven returns the flags under which the explanation e was made: how its input is read, what is
// assumed, and what a neighbourhood is.
func (j *job) flagsAsGiven(e *explain.Explanation) []string {
	flags := j.inputAsGiven()
	if e.IsUnfolded() {
		flags = append(flags, "--unfold")
	}
	if e.Fairness != nil {
		for _, a := range e.Fairness.Asked {
			isOfUser := a.Written == "" // all others are from the specification
			if isOfUser {
				flags = append(flags, "--fair", a.String())
			}
		}
	}
	if j.isJust() {
		flags = append(flags, "--"+lanesFlag, j.flag(lanesFlag))
	}
	if e.Reading != neighbourhood.All {
		flags = append(flags, "--neighbourhood", e.Reading.String())
	}
	return flags
}

// propertyAsGiven returns the words of a command line that give the property of e in the user's own
// form.
func (j *job) propertyAsGiven(e *explain.Explanation) []string {
	for _, name := range []string{"hoa", "never"} {
		path := j.flag(name)
		if path != "" {
			return []string{"--" + name, path}
		}
	}
	if j.tla != nil { // the name of an instance is not a formula that can be given again
		asked, _ := j.tlaProperties() // the file of --formula, if there is one, was read before
		return asked
	}
	return []string{e.Property.Text}
}

// inputAsGiven returns the flags that say how the model and the property are read, as the user has
// given them.
func (j *job) inputAsGiven() (words []string) {
	for _, name := range []string{
		tlaFlag,
		configFlag,
		tableOfStates,
		blockingFlag,
		options.HideLabels.Flag(),
		options.Rename.Flag(),
		options.Cut.Flag(),
	} {
		text := j.flag(name)
		if text != "" {
			words = append(words, "--"+name, text)
		}
	}
	for _, name := range []string{partsMatch, allowUnmatched, "lenient"} {
		if j.c.Bool(name) {
			words = append(words, "--"+name)
		}
	}
	folders := j.c.StringSlice(libraryFlag)
	if j.tla != nil { // modules are looked up there, too
		folders = slices.Concat(folders, j.c.StringSlice(sourceFlag))
	}
	for _, folder := range folders {
		words = append(words, "--"+libraryFlag, folder)
	}
	return words
}

// proposeLanes writes proposed lanes, to be read, corrected and passed to --lanes, and does
// nothing else.
func (j *job) proposeLanes() error {
	path := j.flag("o")
	if path != "" {
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
		return fmt.Errorf("--lanes auto: the labels of %s show no lanes; list them by inev labels, and write a table of LABEL, FROM, TO", j.options.File)
	}
	j.note("these lanes are a guess, by how labels are written; read and correct them, and hand them back with --lanes FILE.tsv")
	return j.printf("%s", table)
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
	c := j.chart(e)
	if c != nil {
		tour = tour.WithChart(c)
	}
	return tour, nil
}

// noteOnLanes notes mismatches between the lanes and the labels of a model.
func (j *job) noteOnLanes(e *explain.Explanation) {
	if j.lanes == nil {
		return
	}
	text := j.lanes.Unmatched(labelsOf(e.LTS()))
	if text != "" {
		j.warn([]string{text})
	}
}
