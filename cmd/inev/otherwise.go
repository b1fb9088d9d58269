package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/property"
)

// otherwise is the error of a formula that another property answers, see [modal.OtherwiseError].
type otherwise interface {
	error
	WhenFullyFair() property.Formula
	Dual() property.Formula
}

// readOtherwise returns the property that answers a formula of MCL or of the mu-calculus which is none
// about all runs, and notes what it is: of fully fair runs, which is assumed then, or that there is a
// run. It reports whether the formula is one of these.
func (j *job) readOtherwise(text string, err error) (f property.Formula, is bool, wrong error) {
	var other otherwise
	if !errors.As(err, &other) {
		return nil, false, nil
	}
	takes := func(flag string) bool {
		return slices.ContainsFunc(j.c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), flag) })
	}
	if f := other.WhenFullyFair(); f != nil {
		if !takes("fair") || j.options.NoFairness {
			return nil, false, nil
		}
		for _, a := range j.options.Fair {
			if a.Kind() != actl.FullFairness {
				return nil, true, j.refuse("--fair %s: the formula is about runs that are fully fair: it is %s under --fair full", a, f)
			}
		}
		full, err := actl.ParseAssumption(j.ctx, actl.FullFairness.String())
		if err != nil {
			return nil, true, err
		}
		j.options.Fair = []*actl.Assumption{full}
		j.note(fmt.Sprintf("the formula is read as %s on runs that are fully fair (--fair full), which says the same of finite models", f))
		return f, true, nil
	}
	if other.Dual() == nil || j.c.Command.Name != "check" {
		return nil, false, nil
	}
	switch {
	case j.format != "text":
		return nil, true, j.refuse("--format %s shows what is so of all runs; ask it about %s, whose verdict is the opposite", j.format, other.Dual())
	case len(j.options.Fair) > 0 || j.list > 0 || j.automaton != nil:
		return nil, true, j.refuse("that there is a run needs no --fair, --all and --algorithm; they go with %s, whose verdict is the opposite", other.Dual())
	}
	j.exists = text
	return other.Dual(), true, nil
}

// reportExistence writes whether there is a run, which violates the property that there is none.
func (j *job) reportExistence(e *explain.Explanation) error {
	exists := e.Verdict == explain.Violated
	err := j.print(func(w io.Writer) error {
		b := bufio.NewWriter(w)
		model, text := printable.Text(j.options.File), printable.Text(j.exists)
		t := e.Trace()
		switch {
		case !exists:
			fmt.Fprintf(b, "%s violates %s: no run begins so.\n", model, text)
		case t == nil || t.Len() == 0:
			fmt.Fprintf(b, "%s satisfies %s: the empty run does.\n", model, text)
		default:
			fmt.Fprintf(b, "%s satisfies %s: a run begins so.\n\n   step  state  action\n", model, text)
			labels, last := e.LTS().Alphabet(), e.LTS().Initial()
			for i, step := range t.Steps() {
				fmt.Fprintf(b, "%7d %6d  %s\n", i+1, step.From, printable.Text(labels.Text(step.Label)))
				last = step.To
			}
			if start, loops := t.LoopStart(); loops {
				fmt.Fprintf(b, "%7s %6d  (back to step %d)\n", "", last, start+1)
			} else {
				fmt.Fprintf(b, "%7s %6d\n", "", last)
			}
		}
		return b.Flush()
	})
	if err == nil && !exists {
		err = errViolated
	}
	return err
}
