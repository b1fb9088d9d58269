package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/frontend"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/report"
)

// job is one run of a command, its arguments checked as far as that goes without
// the model.
type job struct {
	*program
	c        *cli.Context
	ctx      context.Context
	operands []string
	options  explain.Options
	// exists is the formula that there is a run, as it was given; "" if it is one about all runs.
	exists string
	source *format.Format // of the model, once it was read
	// carried is the file of the model, where a page is to carry it.
	carried []byte
	// aboutStates tells that the formula asks about values of states.
	aboutStates bool
	// behaviour is the given counterexample, if values of states tell it.
	behaviour *behaviour
	// unsaid is the verdict that was found before the results could not be written, nil if there is none.
	unsaid   *explain.Verdict
	report   report.Writer // zero if the command writes no report
	format   string        // of the report
	look     report.Options
	bars     *bars // nil if progress is not shown
	accounts accounts
	// maker makes models of specifications, nil as long as none is read.
	maker *frontend.Maker
	notes []string // what is worth knowing, shown at the end
	hide  []actl.Pattern
	lanes *view.Lanes // nil if none are named
	// memory is what the process may take, no Bytes where that is as much as it
	// takes.
	memory resources.Limit
	// large tells that the model is so large that it pays to save memory.
	large bool
}

// action makes the action of a command from what it does with a job.
func action(p *program, do func(*job) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		j := &job{program: p, c: c, ctx: c.Context, operands: c.Args().Slice()}
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
			err = j.exceeded(run(j))
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
		if j.unsaid != nil && (errors.As(err, &exceeded) || errors.As(err, &timeout)) {
			err = fmt.Errorf("%w (the property is %s)", err, *j.unsaid)
		}
		return err
	}
}

// prepare checks the arguments. The clock of --timeout starts here.
func (j *job) prepare() (stop context.CancelFunc, err error) {
	stop = func() {}
	if j.c.Bool(partsMatch) {
		j.ctx = actl.WithParts(j.ctx)
	}
	if err := j.checkOperands(); err != nil {
		return stop, err
	}
	if j.flag(tlaFlag) != "" && j.c.Command.Name == "convert" {
		return stop, j.refuse("--%s is for questions about a model, and convert asks none", tlaFlag)
	}
	if err := j.readMethod(); err != nil {
		return stop, err
	}
	if err := j.chooseReport(); err != nil {
		return stop, err
	}
	if err := j.checkFiles(); err != nil {
		return stop, err
	}
	if err := j.limitMemory(); err != nil {
		return stop, err
	}
	if err := j.checkMade(); err != nil {
		return stop, err
	}
	text := j.flag("timeout")
	if text == "" {
		return stop, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return stop, j.refuse("--timeout %s is not a duration above zero, such as 90s, 5m or 1h30m", text)
	}
	j.ctx, stop = context.WithTimeoutCause(j.ctx, d, &timeoutError{d})
	return stop, nil
}

// refuse returns an error about the arguments.
func (j *job) refuse(format string, args ...any) error {
	return &usageError{j.c.Command.Name, fmt.Sprintf(format, args...)}
}

// flag returns the value of a flag, "" if the command does not have it.
func (j *job) flag(name string) string { return j.c.String(name) }

// checkOperands compares the operands with those of the command, which its usage
// names: MODEL, FORMULA, both, or more.
func (j *job) checkOperands() error {
	want := j.usage()
	found := len(j.operands)
	hint := ""
	if slices.Contains(want, "FORMULA") {
		hint = "; a formula is one argument, put it in quotes: 'Inev(A, B)'"
	}
	for i, name := range propertyFiles {
		if j.flag(name) == "" {
			continue
		}
		if found == len(want) && slices.Contains(want, "FORMULA") {
			return j.refuse("both FORMULA and --%s given; leave one of them out", name)
		}
		for _, other := range propertyFiles[:i] {
			if j.flag(other) != "" {
				return j.refuse("both --%s and --%s given; leave one of them out", other, name)
			}
		}
		want, hint = without(want, "FORMULA"), ""
	}
	if j.flag(tlaFlag) != "" && found == len(want)-1 && len(want) > 0 && want[len(want)-1] == "FORMULA" {
		want, hint = without(want, "FORMULA"), "" // the configuration has them
	}
	formula := func(i int) bool {
		return i < found && len(want) > 0 && want[0] == "OLD" && looksLikeFormula(j.operands[i]) && !isFile(j.operands[i])
	}
	switch {
	case formula(0) || formula(1):
		return j.refuse("a formula stands where a model should; the command is used as: inev %s %s", j.c.Command.Name, j.c.Command.ArgsUsage)
	case j.areSwapped(want):
		return j.refuse("%s stands where the model should, and %s where the formula should; exchange them: inev %s %s",
			j.operands[0], j.operands[1], j.c.Command.Name, j.c.Command.ArgsUsage)
	case found > len(want):
		return j.refuse("expected %s, found %d arguments%s", operandNames(want), found, hint)
	case found == 1 && len(want) > 1 && want[0] == "MODEL" && want[1] == "FORMULA" && looksLikeFormula(j.operands[0]) && !isFile(j.operands[0]):
		return j.refuse("MODEL missing, which stands before the formula; the command is used as: inev %s %s", j.c.Command.Name, j.c.Command.ArgsUsage)
	case found == 1 && len(want) == 2 && want[0] == "MODEL" && want[1] == "FORMULA" && isFile(j.operands[0]):
		if formula := j.proposal(); formula != "" {
			return j.refuse("FORMULA missing, such as %s; the command is used as: inev %s %s", formula, j.c.Command.Name, j.c.Command.ArgsUsage)
		}
		return j.refuse("FORMULA missing; the command is used as: inev %s %s", j.c.Command.Name, j.c.Command.ArgsUsage)
	case found < len(want):
		return j.refuse("%s missing; the command is used as: inev %s %s", operandNames(want[found:]), j.c.Command.Name, j.c.Command.ArgsUsage)
	case slices.Contains(want, "MODEL") && j.operands[0] == "":
		return j.refuse("the name of the model is empty; give a file, or - for standard input")
	}
	return nil
}

// areSwapped reports whether the first two operands, MODEL and FORMULA, have been
// exchanged: the one looks like a formula and is no file, the other is a file or
// named like one.
func (j *job) areSwapped(want []string) bool {
	if len(want) < 2 || want[0] != "MODEL" || want[1] != "FORMULA" || len(j.operands) < 2 {
		return false
	}
	first, second := j.operands[0], j.operands[1]
	if !looksLikeFormula(first) || isFile(first) {
		return false
	}
	return isFile(second) || second == standardInput || !looksLikeFormula(second) && filepath.Ext(second) != ""
}

// looksLikeFormula reports whether a word may be a formula rather than the name of a
// model.
func looksLikeFormula(word string) bool { return strings.ContainsAny(word, "([{") }

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// usage returns the names of the operands of the command. One in brackets may be
// left out, and is no operand then.
func (j *job) usage() []string {
	if j.c.Bool(playgroundFlag) {
		return nil
	}
	names := strings.Fields(j.c.Command.ArgsUsage)
	if last := len(names) - 1; last >= 0 && strings.HasPrefix(names[last], "[") {
		if len(j.operands) <= last {
			return names[:last]
		}
		names[last] = strings.Trim(names[last], "[]")
	}
	return names
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == name })
}

func operandNames(names []string) string {
	last := len(names) - 1
	switch {
	case last < 0:
		return "no arguments"
	case last == 0:
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// readMethod reads the flags that say how to go about the work.
func (j *job) readMethod() (err error) {
	for _, setting := range explain.Settings() {
		if text := j.flag(setting.Flag()); text != "" {
			if wrong := setting.Set(&j.options, text); wrong != nil {
				err = j.refuse("--%s: %v", setting.Flag(), wrong)
			}
		}
	}
	j.options.NoFairness = j.c.Bool("no-fairness")
	j.options.NoAdvice = j.c.Bool("no-advice")
	for _, text := range j.c.StringSlice("fair") {
		a, wrong := actl.ParseAssumption(j.ctx, text)
		if wrong != nil {
			return j.refuse("--fair %s: %v", text, wrong)
		}
		j.options.Fair = append(j.options.Fair, a)
	}
	if text := j.flag(blockingFlag); text != "" {
		a, wrong := actl.ParseAssumption(j.ctx, actl.Blocking.String()+":"+text)
		if wrong != nil {
			return j.refuse("--%s %s: %v", blockingFlag, text, wrong)
		}
		j.options.Fair = append(j.options.Fair, a)
	}
	if j.c.IsSet(blockingFlag) && !j.isJust() {
		return j.refuse("just runs may stop before what --%s names; add --fair just", blockingFlag)
	}
	if wrong := actl.Agree(j.options.Fair); wrong != nil {
		return j.refuse("--fair: %v", wrong)
	}
	if len(j.options.Fair) > 0 && j.options.NoFairness {
		return j.refuse("--fair and --no-fairness contradict each other")
	}
	if wrong := j.readComponents(); wrong != nil {
		return wrong
	}
	j.options.Measure = j.c.Bool("stats")
	if len(j.operands) > 0 {
		j.options.File = j.operands[0]
	}
	return err
}

// chooseReport takes the format from --format or, where that is not given, from
// the suffix of the file that -o names.
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

// formatOf returns the format that a file of this name should have.
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

// colours reports whether the result may be coloured: only for a person who reads
// it at once and has not asked for none (https://no-color.org).
func (j *job) colours() bool {
	return j.terminal && j.resultFile() == "" && !j.c.Bool("no-color") &&
		os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// note keeps what is worth knowing and no warning, for the end of the run.
func (j *job) note(text string) {
	if !slices.Contains(j.notes, text) {
		j.notes = append(j.notes, text)
	}
}

// tellNotes shows the notes as one, unless --quiet is given.
func (j *job) tellNotes() {
	if len(j.notes) > 0 && !j.c.Bool("quiet") {
		fmt.Fprintf(j.stderr, "inev: note: %s\n", printable.Text(strings.Join(j.notes, "; ")))
	}
}

// warn shows warnings, unless --quiet is given.
func (j *job) warn(warnings []string) {
	if j.c.Bool("quiet") {
		return
	}
	for _, w := range warnings {
		fmt.Fprintf(j.stderr, "inev: warning: %s\n", printable.Brief(w))
	}
}

// verdict ends a command about a property: the exit code reports whether it holds.
func verdict(e *explain.Explanation) error {
	if e.Verdict == explain.Violated {
		return errViolated
	}
	return nil
}
