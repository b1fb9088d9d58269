//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/counterexample/eventlog"
	"github.com/inev-lts/inev/internal/counterexample/replay"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// skipBroken is the flag to leave out records that cannot be read.
const skipBroken = "skip-broken"

// replayCommand returns inev replay, which aligns a log with the nearest run of a model.
func replayCommand(p *program) *cli.Command {
	all := reporting()
	for _, f := range all {
		if out, is := f.(*cli.StringFlag); is && out.Name == "o" {
			out.Usage = "write the result to `FILE`.txt, .json, .tsv or .md, or the aligned run to FILE.aut"
		}
	}
	return page(&cli.Command{
		Usage:     "find out whether a model allows what was logged",
		ArgsUsage: "MODEL LOG [FORMULA]",
		Description: `Aligns a log with the nearest run of the model: the one that skips the fewest events
of the log and adds the fewest actions. With a formula, reports whether the property
is sure, lost or open for all such runs, and since which event. The log may be the
beginning of a run. LOG is a file or - for standard input: lines, CSV, JSON lines,
spans (OTLP in JSON) or XES.

Exit code: 0 if the log fits, and the property, if given, is sure; 1 if the log
deviates, or the property is lost in some case; otherwise 3.`,
		Flags: slices.Concat(all, []cli.Flag{
			inFull(),
			value(alsoFlags, "html", "write the result as a page to `FILE`.html"),
			value(resultFlags, "case", "-o writes the run of case `NAME`"),
			value(inputFlags, "field", "the events are in the field or column `NAME`"),
			value(inputFlags, "case-field",
				"the field or column `NAME` has the case of an event"),
			value(inputFlags, "time-field",
				"the field or column `NAME` has the time, which should ascend"),
			unset(value(inputFlags, "log-format", "the log is of `FORMAT` "+printable.List(eventlog.Formats(), "or")), "what its content and its name say"),
			value(inputFlags, "map",
				"rename events by `FILE`.tsv; each line is EVENT and LABEL, or EVENT alone to leave it out"),
			toggle(inputFlags, skipBroken,
				"leave out records that cannot be read, and count them"),
		}, bothInput(), []cli.Flag{
			value(methodFlags, "unlogged",
				"further labels that the log may lack: `PATTERNS`, such as 'LOSS, TIMER.*'"),
			preset(value(methodFlags, "internal", "labels that are never logged: `PATTERNS` or none"), internalLabels),
		}, modelRun()),
		Action: action(p, func(j *job) error {
			return (&replaying{job: j}).run()
		}),
	},
		`inev replay m.aut dropped.log 'Response(REQ; ACK)'`,
		`inev replay m.aut orders.csv --field event --case-field order`)
}

// replaying is a run of inev replay.
type replaying struct {
	*job
	model *lts.LTS
	f     property.Formula // nil if there is none
	how   replay.Options
}

// run carries out inev replay. Its exit code is the worst of all cases: lost or deviating, then open, then sure.
func (j *replaying) run() error {
	if err := j.checkOutputs(); err != nil {
		return err
	}
	if err := j.readModelAndFormula(); err != nil {
		return err
	}
	if err := j.readUnlogged(); err != nil {
		return err
	}
	start := time.Now()
	log, err := j.readLog()
	if err != nil {
		return err
	}
	keep, err := j.keptCase(log)
	if err != nil {
		return err
	}
	phases := append(slices.Clone(j.options.Before), explain.Phase{
		Name: "log",
		Took: time.Since(start),
	})
	r, alignPhases, err := j.align(log, keep)
	if err != nil {
		return err
	}
	j.account(append(phases, alignPhases...), r.Warnings)
	if keep >= 0 {
		if err := j.saveRun(r); err != nil {
			return err
		}
	}
	if err := j.saveArtefacts([]artefact{{flag: "html", suffix: ".html", write: func(w io.Writer) error { return render.ReplayPage(w, r) }}}); err != nil {
		return err
	}
	if err := j.print(func(w io.Writer) error { return j.report.Replay(w, r) }); err != nil {
		return err
	}
	fates := r.Fates()
	switch {
	case r.Deviates():
		return errViolated
	case fates[fate.Open] > 0:
		return errOpen
	}
	return nil
}

// checkOutputs checks the operands and the files to be written, before the model is read.
func (j *replaying) checkOutputs() error {
	if j.operands[0] == standardInput && j.operands[1] == standardInput {
		return j.refuse("MODEL and LOG are both standard input; name a file for one of them")
	}
	if err := j.checkArtefacts([]artefact{{flag: "html", suffix: ".html"}}); err != nil {
		return err
	}
	switch {
	case j.writesModel():
		return checkPlace(j.flag("o"))
	case j.flag("case") != "":
		return j.refuse("--case is about the run that -o FILE.aut writes")
	}
	return nil
}

// readModelAndFormula reads the model and, if there is one, the formula, which is bound to the model.
func (j *replaying) readModelAndFormula() (err error) {
	isGiven := func(name string) bool { return j.flag(name) != "" }
	hasFormula := slices.Contains(j.expectedOperands(), "FORMULA") || isGiven(tlaFlag) ||
		slices.ContainsFunc(propertyFiles, isGiven)
	if !hasFormula {
		j.model, err = j.readModel()
		return err
	}
	j.model, j.f, err = j.readBoth()
	if err != nil {
		return err
	}
	happening, err := j.model.Happening(j.ctx)
	if err != nil {
		return err
	}
	p, warnings, err := j.f.Bind(j.ctx, happening)
	if err != nil {
		return err
	}
	j.how.Property = p
	j.options.Warnings = append(j.options.Warnings, warnings...)
	return nil
}

// readUnlogged reads which labels the log may lack.
func (j *replaying) readUnlogged() error {
	internal, err := j.patternList("internal")
	if err != nil {
		return err
	}
	unlogged, err := j.patternList("unlogged")
	if err != nil {
		return err
	}
	if err := j.checkMatched(j.model.Alphabet(), "unlogged", unlogged); err != nil {
		return err
	}
	patterns := slices.Concat(internal, unlogged)
	j.how.Unlogged = func(label string) bool {
		return slices.ContainsFunc(patterns, func(p actl.Pattern) bool {
			return p.Matches(label)
		})
	}
	return nil
}

// align aligns the log with the model, and returns how long the two phases of this took. keep is the number
// of the case whose run is kept, -1 for none.
func (j *replaying) align(log *replay.Log, keep int) (*replay.Result, []explain.Phase, error) {
	start := time.Now()
	aligner, err := replay.New(j.ctx, j.model, j.how)
	if err != nil {
		return nil, nil, err
	}
	prepared := time.Now()
	r, err := aligner.Replay(j.ctx, log, keep)
	if err != nil {
		return nil, nil, err
	}
	phases := []explain.Phase{
		{Name: "prepare", Took: prepared.Sub(start)},
		{Name: "align", Took: time.Since(prepared)},
	}
	r.ModelFile = j.options.File
	r.LogFile = j.operands[1]
	if j.f != nil {
		r.Formula = asWritten(j.f)
	}
	r.Warnings = append(slices.Clone(j.options.Warnings), replayWarnings(log, r)...)
	return r, phases, nil
}

// saveRun writes the run of the kept case as a model.
func (j *replaying) saveRun(r *replay.Result) error {
	var b lts.Builder
	for i, step := range r.Run {
		b.Add(lts.State(i), b.Label(j.model.Alphabet().Text(step.Label)), lts.State(i+1))
	}
	run, err := b.Build(0, len(r.Run)+1)
	if err != nil {
		return err
	}
	path := j.flag("o")
	return j.save(path, func(w io.Writer) error {
		_, err := writeModel(w, run, nil, path)
		return err
	})
}

// readLog reads the event log, with its labels renamed by the map.
func (j *replaying) readLog() (*replay.Log, error) {
	rename, err := j.readMap()
	if err != nil {
		return nil, err
	}
	o := eventlog.Options{
		Name:       j.operands[1],
		Format:     eventlog.Format(j.flag("log-format")),
		SkipBroken: j.c.Bool(skipBroken),
		Field:      j.flag("field"),
		CaseField:  j.flag("case-field"),
		TimeField:  j.flag("time-field"),
	}
	var in io.Reader
	if o.Name == standardInput {
		o.Name = "<standard input>"
		in = stoppable.Reader(j.ctx, j.stdin)
	} else {
		f, err := inputfile.Open(j.ctx, o.Name)
		if err != nil {
			return nil, inputfile.FileError(o.Name, err)
		}
		defer f.Close()
		in = f
	}
	r, err := eventlog.NewReader(j.ctx, in, o)
	if err := j.wrongLog(err); err != nil {
		return nil, err
	}
	defer r.Close()
	log, err := replay.Gather(j.ctx, r, rename)
	if err := j.wrongLog(err); err != nil {
		return nil, err
	}
	if r.Events() == 0 && r.Others() > 0 && o.Field != "" {
		return nil, fmt.Errorf("%s: none of the %s has the field %s", o.Name,
			printable.Quantity(r.Others(), "record"), o.Field)
	}
	return log, nil
}

// wrongLog adds a remedy to an error about a log, if there is one.
func (j *replaying) wrongLog(err error) error {
	var broken *eventlog.BrokenError
	var unnamed *eventlog.UnnamedError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &broken) && !j.c.Bool(skipBroken):
		return fmt.Errorf("%w; --%s leaves such records out", err, skipBroken)
	case errors.As(err, &unnamed) && unnamed.Wanted == "":
		return fmt.Errorf("%w; --field names it", err)
	}
	return err
}

var mapLimit = inputfile.Limit{Bytes: 64 << 20}

// readMap reads the file that maps events to labels of the model.
func (j *replaying) readMap() (map[string]string, error) {
	path := j.flag("map")
	if path == "" {
		return nil, nil
	}
	text, err := j.readSmall(path, "map", mapLimit)
	if err != nil {
		return nil, err
	}
	rename := map[string]string{}
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimRight(line, "\r\n")
		if len(bytes.TrimSpace(line)) == 0 || line[0] == '#' {
			continue
		}
		event, label, _ := strings.Cut(string(line), "\t")
		if strings.Contains(label, "\t") {
			return nil, fmt.Errorf("%s:%d: a line is EVENT and LABEL with a tab between them; found more tabs", path, number)
		}
		event = printable.FromCell(event)
		label = printable.FromCell(label)
		if old, known := rename[event]; known && old != label {
			return nil, fmt.Errorf("%s:%d: %q has a label already, %q", path, number, event,
				old)
		}
		rename[event] = label
	}
	return rename, nil
}

// keptCase returns the number of the case whose run is written, -1 for none.
func (j *replaying) keptCase(l *replay.Log) (int, error) {
	if !j.writesModel() {
		return -1, nil
	}
	if !j.c.IsSet("case") {
		if len(l.Cases) == 1 {
			return 0, nil
		}
		return 0, j.refuse("%s has %d cases; --case NAME chooses the run that -o writes (%s)",
			j.operands[1], len(l.Cases), caseList(l))
	}
	name := j.flag("case")
	isNamed := func(c *replay.Case) bool { return c.Name == name }
	i := slices.IndexFunc(l.Cases, isNamed)
	if i < 0 {
		return 0, fmt.Errorf("%s: there is no case %s; there are %s", j.operands[1], name, caseList(l))
	}
	return i, nil
}

// caseList lists the names of cases: up to five or, of more, the first four and the number of all others.
func caseList(l *replay.Log) string {
	const mostItems = 5
	named := l.Cases
	if len(named) > mostItems {
		named = named[:mostItems-1]
	}
	var items []string
	for _, c := range named {
		items = append(items, c.Name)
	}
	others := len(l.Cases) - len(named)
	if others > 0 {
		items = append(items, strconv.Itoa(others)+" more")
	}
	return strings.Join(items, ", ")
}

// replayWarnings lists the changes to a log, and the parts that were left out.
func replayWarnings(l *replay.Log, r *replay.Result) (all []string) {
	if r.Broken > 0 {
		all = append(all,
			fmt.Sprintf("%s: left out, for they cannot be read: %s", r.LogFile,
				printable.Quantity(r.Broken, "record")))
	}
	b := r.Backwards
	if b != nil {
		ofCase := ""
		if len(r.Cases) > 1 {
			ofCase = " of case " + b.Case
		}
		events := strconv.Itoa(b.Events) + " events are"
		if b.Events == 1 {
			events = "1 event is"
		}
		all = append(all,
			fmt.Sprintf("%s: %s earlier than the event before, the first is event %d%s; events are taken in the order of the log", r.LogFile, events, b.Event, ofCase))
	}
	if n := len(r.Unknown); n > 0 {
		u := r.Unknown[0]
		more := ""
		if n > 1 {
			more = fmt.Sprintf(", and of %s", printable.Quantity(n-1, "other event"))
		}
		all = append(all,
			fmt.Sprintf("%s: the model has no label %s (%s)%s; --map renames events", r.LogFile,
				printable.Echo(u.Name), printable.Quantity(u.Events, "event"), more))
	}
	if n := len(l.Unused); n > 0 {
		all = append(all,
			fmt.Sprintf("--map names %s that the log does not have, such as %s",
				printable.Quantity(n, "event"), l.Unused[0]))
	}
	return all
}
