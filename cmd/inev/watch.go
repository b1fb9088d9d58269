//go:build !js

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/counterexample/eventlog"
	"github.com/inev-lts/inev/internal/neighbourhood/monitor"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// watchCommand returns inev watch, which judges a log while it is written.
func watchCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "judge a log on standard input against a property",
		ArgsUsage: "FORMULA",
		Description: `Each line of standard input is an action or, with --field, a JSON object with the
action in this field; objects without the field are skipped. Ends as soon as the
property is sure whatever follows (exit code 0), or lost (1, with the line).

The end of the input counts as the end of the run, which satisfies the property (0) or
does not (1). With --open-end the run goes on after it, and the exit code is 3 if the
property is still open. Memory does not grow with the log.`,
		Flags: slices.Concat([]cli.Flag{
			unset(value(resultFlags, "format", "report each line: `FORMAT` is text or json"),
				"text, the last line only"),
			toggle(resultFlags, "verbose", "show the verdict after each line"),
			formulaFile(), libraries(), noLibraries(), automatonFile(), claimFile(), parts(inputFlags),
			value(inputFlags, "field",
				"lines are JSON objects with the action in the field `NAME`"),
			toggle(inputFlags, "open-end", "the run goes on after the end of the input"),
		}, runControl()),
		Action: action(p, watchLog),
	},
		`inev watch 'Response(REQ; ACK)' < actions.log`,
		`tail -f log | inev watch 'Precedes(LOGIN; DELETE)' --field event --open-end`)
}

// watcher follows one log.
type watcher struct {
	j       *job
	m       *monitor.Monitor
	asJSON  bool
	verbose bool
	field   string
	line    int
	actions int
}

// report is the output about a line of the log, or about its end.
type report struct {
	Line    int    `json:"line"`
	Action  string `json:"action,omitempty"`
	End     bool   `json:"end,omitempty"`
	Verdict string `json:"verdict"`
	Pending string `json:"pending"`
}

// watchLog follows the events on standard input until they decide the property, or end.
func watchLog(j *job) error {
	w := &watcher{j: j, verbose: j.c.Bool("verbose"), field: j.flag("field")}
	switch format := j.flag("format"); format {
	case "", "text":
	case "json":
		w.asJSON = true
		w.verbose = true
	default:
		return j.refuse("--format: there is no format %q here; choose text or json", format)
	}
	f, err := j.readFormula()
	if err != nil {
		return err
	}
	letters, hasLetters := f.(monitor.Formula)
	if !hasLetters {
		return fmt.Errorf("%s cannot be followed without a model", f)
	}
	m, err := monitor.New(j.ctx, letters)
	if err != nil {
		return err
	}
	w.m = m
	j.unwatch()
	in := eventlog.Follow(w.j.ctx, stoppable.Reader(w.j.ctx, w.j.stdin), eventlog.Options{
		Name:  "<standard input>",
		Field: w.field,
	})
	return w.followAll(in)
}

// followAll follows a log up to the event that decides the property, or to its end, and reports the verdict.
func (w *watcher) followAll(in *eventlog.Reader) error {
	if w.m.Fate() != fate.Open {
		return w.end("")
	}
	for {
		event, err := in.Next()
		w.line = in.Line()
		if err == io.EOF {
			return w.end("")
		}
		if err != nil {
			return err
		}
		if event.Name != "" || !w.m.AboutStates() {
			w.actions++
		}
		label, err := w.follow(event.Name)
		if err != nil {
			return err
		}
		if w.m.Fate() != fate.Open {
			return w.end(label)
		}
		if w.verbose {
			if err := w.print(report{
				Line:    w.line,
				Action:  label,
				Verdict: "open",
				Pending: w.m.Pending().String(),
			}); err != nil {
				return err
			}
		}
	}
}

// follow takes a line of the log to the monitor, and returns the label in it. If the property is about values
// of states, these follow the label, each after a tab; the first line may have values alone, those of the
// initial state.
func (w *watcher) follow(line string) (label string, err error) {
	if !w.m.AboutStates() {
		return line, w.m.Step(line)
	}
	label, rest, _ := strings.Cut(line, "\t")
	values := map[string]string{}
	for rest != "" {
		var cell string
		cell, rest, _ = strings.Cut(rest, "\t")
		parameter, value, hasValue := strings.Cut(printable.FromCell(cell), "=")
		if !hasValue || parameter == "" {
			return "", fmt.Errorf("<standard input>:%d: a line is LABEL, and NAME=VALUE after a tab each; found %q", w.line, cell)
		}
		values[parameter] = value
	}
	if err := w.m.Enter(label, values); err != nil {
		return "", fmt.Errorf("<standard input>:%d: %w", w.line, err)
	}
	return label, nil
}

// end reports the verdict, after an action that decides it or at the end of the input.
func (w *watcher) end(label string) error {
	hasFieldNowhere := w.field != "" && w.line > 0 && w.actions == 0
	if hasFieldNowhere && w.m.Fate() == fate.Open {
		return fmt.Errorf("<standard input>: none of the %d lines has the field %s", w.line,
			w.field)
	}
	r := report{
		Line:    w.line,
		Action:  label,
		End:     label == "",
		Pending: w.m.Pending().String(),
	}
	var verdict error
	f := w.m.Fate()
	switch {
	case f == fate.Sure:
		r.Verdict = "sure"
	case f == fate.Lost:
		r.Verdict = "lost"
		verdict = errViolated
	case w.j.c.Bool("open-end"):
		r.Verdict = "open"
		verdict = errOpen
	case w.m.Stops():
		r.Verdict = "satisfied"
	default:
		r.Verdict = "violated"
		verdict = errViolated
	}
	if err := w.print(r); err != nil {
		return err
	}
	return verdict
}

// print writes a report and flushes it: a reader of a log does not wait for its end.
func (w *watcher) print(r report) error {
	var text []byte
	switch {
	case w.asJSON:
		text, _ = json.Marshal(r)
	case r.End:
		text = fmt.Appendf(nil, "%s at the end, after %s", r.Verdict,
			printable.Quantity(w.actions, "action"))
	default:
		text = fmt.Appendf(nil, "%s at line %d: %s", r.Verdict, r.Line, r.Action)
	}
	if !w.asJSON {
		isFulfilled := r.Verdict == "satisfied" || r.Verdict == "sure"
		if r.Pending != "" && !isFulfilled {
			text = fmt.Appendf(text, " (%s)", r.Pending)
		}
		text = []byte(printable.Text(string(text)))
	}
	defer w.j.stdout.within(w.j.ctx)()
	if _, err := w.j.stdout.Write(append(text, '\n')); err != nil {
		return err
	}
	return w.j.stdout.finish()
}
