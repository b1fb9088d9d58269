package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/report"
)

// leastMemory is the smallest limit that is taken for one, in bytes: less is a number without a unit.
const leastMemory = 100_000

// limited is a call whose memory is limited and whose cost is reported.
type limited struct {
	call
	// memory is what the process may take, no Bytes where that is as much as it
	// takes.
	memory resources.Limit
	// large tells that the model is so large that it pays to save memory.
	large    bool
	accounts accounts
}

// limitMemory reads --memory.
func (j *limited) limitMemory() error {
	text := j.flag("memory")
	if text == "" || text == "none" {
		return nil
	}
	bytes, err := resources.ParseSize(text)
	if err != nil {
		return j.refuse("--memory %v, nor none", err)
	}
	if bytes < leastMemory {
		return j.refuse("--memory %s is %s, too little for any model; is a unit missing, as in %sGB?", text, printable.Quantity(int(bytes), "byte"), text)
	}
	j.memory = resources.Limit{Bytes: bytes, By: "allowed by --memory"}
	return nil
}

// findMemory finds out what memory the job can have where --memory does not say it:
// what the system allows, less a part of it, so that the system has no cause to end
// the process without a word.
func (j *limited) findMemory(available func() (resources.Limit, bool)) (l resources.Limit, known bool) {
	if l, known = available(); known && !strings.HasSuffix(l.By, goLimit) {
		l.Bytes -= l.Bytes / 16
	}
	return l, known
}

// keepMemory lets the work of the job end before the process takes more memory than
// it can have. What it returns ends that.
func (j *limited) keepMemory() (leave func()) {
	forget := j.budgetMemory()
	joined, left := resources.Join(j.ctx)
	j.ctx = progress.Also(joined, j.tidy)
	return func() {
		left()
		forget()
	}
}

// budgetMemory makes what the process can have the budget of all work that joins it.
// What it returns takes that back, once all have left.
func (j *limited) budgetMemory() (forget func()) {
	again := func() (resources.Limit, bool) { return j.findMemory(resources.AvailableFromSystem) }
	switch {
	case j.flag("memory") == "none":
		before := debug.SetMemoryLimit(math.MaxInt64)
		return func() { debug.SetMemoryLimit(before) }
	case j.memory.Bytes > 0:
		again = nil
	default:
		var known bool
		if j.memory, known = j.findMemory(resources.Available); !known {
			return func() {}
		}
		if strings.HasSuffix(j.memory.By, goLimit) {
			again = nil
		}
	}
	before := debug.SetMemoryLimit(-1)
	debug.SetMemoryLimit(min(before, collectAt(j.memory.Bytes)))
	j.ctx = resources.NewBudget(j.memory, again).With(j.ctx)
	return func() { debug.SetMemoryLimit(before) }
}

// goLimit is the variable that sets the limit of Go's runtime.
const goLimit = "GOMEMLIMIT"

// collectAt returns how much memory Go's runtime may take, so that garbage is
// collected before a limit is met: the program itself and what is not Go's take some,
// too.
func collectAt(limit int64) int64 {
	const program = 24 << 20
	return max(limit-max(limit/16, program), limit/2)
}

// exceeded tells of work on a file that was stopped for want of memory as what it is.
func (j *limited) exceeded(file string, err error) error {
	err = resources.Because(j.ctx, err)
	var exceeded *resources.ExceededError
	if errors.As(err, &exceeded) && file != "" {
		return fmt.Errorf("%s: %w", file, err)
	}
	return err
}

// manyTransitions is the size of a model from which it pays to collect garbage twice
// as often: large models are arrays without pointers, which the collector has
// hardly to look at, and so the garbage is no longer as large as the model.
const manyTransitions = 1 << 20

// tidy gives back, where a large model is about to be enriched, what its components were
// found with: what comes next takes as much, in other pieces.
func (j *limited) tidy(m *progress.Meter) {
	if j.large && m.Phase == "enrich" {
		debug.FreeOSMemory()
	}
}

// accounts are what the cost of a run is told from.
type accounts struct {
	transitions int
	phases      []explain.Phase
}

// account notes the phases until now.
func (j *limited) account(phases []explain.Phase) { j.accounts.phases = phases }

// tellCost tells at the end what the run cost, where --stats asks for it.
func (j *limited) tellCost() error {
	if !j.c.Bool("stats") {
		return nil
	}
	j.unwatch()
	return report.Cost(j.stderr, j.accounts.phases, explain.Measure(j.accounts.transitions, j.accounts.phases))
}

// known returns the explanation of work that was stopped, by a limit of time or of memory, when the
// verdict was known: that is told, with a warning that says what was not done. It returns the
// error elsewhere, and where the user has interrupted the work.
func (j *limited) known(e *explain.Explanation, err error) (*explain.Explanation, error) {
	var stopped *explain.StoppedError
	if e == nil || !errors.As(err, &stopped) {
		return nil, err
	}
	cause := resources.Because(j.ctx, stopped.Err)
	var timeout *timeoutError
	if errors.As(context.Cause(j.ctx), &timeout) {
		cause = timeout
	}
	if isDone(cause) {
		return nil, err
	}
	text := strings.TrimPrefix(say(cause), "stopped ")
	j.outlive()
	return e.Warned("stopped before " + stopped.Before + ": " + text), nil
}

// isDone reports whether a search failed because its context is done.
func isDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
