package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/report"
)

// limited is a call with a limit on memory and an account of its cost.
type limited struct {
	call
	memory resources.Allowance
	// large reports whether the model is so large that it pays to save memory.
	large    bool
	accounts accounts
}

// limitMemory reads --memory.
func (j *limited) limitMemory() {
	var err error
	if j.memory, err = resources.ParseAllowance(j.flag("memory")); err != nil {
		j.refuse("%v", err)
	}
}

// keepMemory makes j.ctx end before the process exceeds its memory. leave stops that.
func (j *limited) keepMemory() (leave func()) {
	forget := j.budgetMemory()
	joined, left := resources.Join(j.ctx)
	j.ctx = progress.Also(joined, j.tidy)
	return func() {
		left()
		forget()
	}
}

// budgetMemory sets the budget of all work in the process to the memory of the job. forget
// removes the budget when all work has left.
func (j *limited) budgetMemory() (forget func()) {
	j.ctx, forget = j.memory.Keep(j.ctx)
	return forget
}

// exceeded returns the error of exceeded memory with the name of the file, if that is why work
// on the file was stopped; else err.
func (j *limited) exceeded(file string, err error) error {
	err = resources.Because(j.ctx, err)
	var exceeded *resources.ExceededError
	if errors.As(err, &exceeded) && file != "" {
		return fmt.Errorf("%s: %w", file, err)
	}
	return err
}

// manyTransitions is the number of transitions above which garbage is collected twice as often.
// Large models are arrays without pointers, which are cheap to scan; so the garbage stays smaller
// than the model.
const manyTransitions = 1 << 20

// tidy returns the memory of the search for components to the system before a large model is
// enriched: enrichment needs as much, but in blocks of other sizes.
func (j *limited) tidy(m *progress.Meter) {
	if j.large && m.Phase == "enrich" {
		debug.FreeOSMemory()
	}
}

// accounts are the data from which the cost of a run is reported.
type accounts struct {
	transitions int
	phases      []explain.Phase
}

// account records the phases so far.
func (j *limited) account(phases []explain.Phase) { j.accounts.phases = phases }

// tellCost reports the cost of the run at its end, if --stats is given.
func (j *limited) tellCost() error {
	if !j.c.Bool("stats") {
		return nil
	}
	j.unwatch()
	return report.Cost(j.stderr, j.accounts.phases, explain.Phases(j.accounts.phases).Cost(j.accounts.transitions))
}

// known returns the explanation of a run that a limit of time or memory has stopped after the
// verdict was known, with a warning about the missing results, or e if nothing has stopped it. It
// fails with err if there is no such verdict, and if the user has interrupted the run.
func (j *limited) known(e *explain.Explanation, err error) *explain.Explanation {
	if err == nil {
		return e
	}
	var stopped *explain.StoppedError
	if e == nil || !errors.As(err, &stopped) {
		abort.On(err)
	}
	cause := resources.Because(j.ctx, stopped.Err)
	var timeout *timeoutError
	if errors.As(context.Cause(j.ctx), &timeout) {
		cause = timeout
	}
	if isDone(cause) {
		abort.On(err)
	}
	text := strings.TrimPrefix(wording.Text(cause), "stopped ")
	j.outlive()
	return e.Warned("stopped before " + stopped.Before + ": " + text)
}

// isDone reports whether a search failed because its context is done.
func isDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
