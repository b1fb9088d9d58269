package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// whyCommand returns inev why, which explains why an action did not happen.
func whyCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "explain why an action did not happen on the counterexample",
		ArgsUsage: "MODEL FORMULA",
		Description: `Shows where on the counterexample of inev explain the action was possible and what it
would have done to the property: made it certain, kept it possible or lost it. If it
was not possible, shows the nearest place where it is, or from which step on it is
out of reach. If the counterexample does what the property forbids, shows since when
that was forbidden, which step made it possible, and where it could last be avoided.

With --step the question is about the state that this step leaves, with --state about
a state of the model, however runs get there; then the property may also hold.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			value(resultFlags, notFlag,
				"ask why `ACTIONS` did not happen, such as ACK or 'ACK, /NAK.*/' (default: what the counterexample waits for or, for DeadlockFree, what would have avoided the deadlock; if it does what is forbidden, what led to that)"),
			value(resultFlags, "step", "ask about the state that step `N` leaves"),
			value(resultFlags, "state", "ask about state `N`"),
			specificationFlag(), inFull(),
		}, bothInput(), whichRun(), []cli.Flag{engine()}, justFairness(), modelRun()),
		Action: action(p, whyNot),
	},
		`inev why m.aut 'Inev(REQ, ACK)'`,
		`inev why m.aut 'Inev(REQ, ACK)' --not ACK --step 2`,
		`inev why m.aut 'Inev(REQ, ACK)' --not ACK --state 1 --format json`)
}

// notFlag names the action that did not happen.
const notFlag = "not"

// whyNot shows why an action did not happen.
func whyNot(j *job) error {
	q, err := readQuestion(j)
	if err != nil {
		return err
	}
	if err := j.readSearch(); err != nil {
		return err
	}
	m, f, err := j.readBoth()
	if err != nil {
		return err
	}
	specification, err := j.readSources()
	if err != nil {
		return err
	}
	j.options.Specification = specification
	j.options.NoFairness = true
	y, err := explain.Why(j.ctx, m, f, q, j.options)
	if err != nil {
		return j.withFlagOf(q, err)
	}
	j.account(y.Timings, y.Warnings)
	return j.print(func(w io.Writer) error { return j.report.WhyNot(w, y) })
}

// withFlagOf names, in an error about a question, the flag whose value the error is about.
func (j *job) withFlagOf(q explain.WhyQuestion, err error) error {
	var unmatched *actl.UnmatchedError
	if errors.As(err, &unmatched) {
		return fmt.Errorf("%s: --%s %s matches no label of the model; %s", j.options.File,
			notFlag, unmatched.Pattern, unmatched.Hint)
	}
	var noPlace *explain.NoPlaceError
	if errors.As(err, &noPlace) {
		return fmt.Errorf("%s: --%s: %w", j.options.File, flagOfPlace(q), err)
	}
	return err
}

// flagOfPlace returns the flag whose value is the place that a question is about. A question without flags
// is about the action that the counterexample waits for; if it waits for none, --not can name one.
func flagOfPlace(q explain.WhyQuestion) string {
	switch {
	case q.State != nil:
		return "state"
	case q.Step == nil && q.Not == nil:
		return notFlag
	}
	return "step"
}

// readQuestion reads the question from the flags.
func readQuestion(j *job) (q explain.WhyQuestion, err error) {
	text := j.flag(notFlag)
	if text != "" {
		not, err := actl.Parse(j.ctx, "Inev("+text+")")
		if err != nil {
			return explain.WhyQuestion{}, err
		}
		q.Not = not
	}
	step := j.flag("step")
	state := j.flag("state")
	switch {
	case step != "":
		n, err := strconv.ParseUint(step, 10, 31)
		if err != nil || n == 0 {
			return explain.WhyQuestion{}, j.refuse("--step %s is not the number of a step; they are counted from 1", step)
		}
		i := explain.StepIndex(n - 1)
		q.Step = &i
	case state != "":
		n, err := strconv.ParseUint(state, 10, 32)
		if err != nil {
			return explain.WhyQuestion{}, j.refuse("--state %s is not the number of a state", state)
		}
		s := lts.State(n)
		q.State = &s
	}
	return q, nil
}
