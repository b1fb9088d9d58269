package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"strings"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/report"
)

// leastMemory is the smallest limit, in bytes, that is accepted: a smaller one must be a number
// whose unit was forgotten.
const leastMemory = 100_000

// limited is a call with a limit on memory and an account of its cost.
type limited struct {
	call
	// memory is the limit of the process; no limit if Bytes is 0.
	memory resources.Limit
	// large reports whether the model is so large that it pays to save memory.
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

// findMemory returns the memory that the job can have if --memory is not given: a sixteenth
// less than the system allows, so that the system does not kill the process without a word.
func (j *limited) findMemory(available func() (resources.Limit, bool)) (l resources.Limit, known bool) {
	if l, known = available(); known && !strings.HasSuffix(l.By, goLimit) {
		l.Bytes -= l.Bytes / 16
	}
	return l, known
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
// takes it back when all work has left.
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

// collectAt returns the limit for Go's garbage collector: less than limit, for the program
// itself and memory that Go does not manage need some.
func collectAt(limit int64) int64 {
	const program = 24 << 20
	return max(limit-max(limit/16, program), limit/2)
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
	return report.Cost(j.stderr, j.accounts.phases, explain.Measure(j.accounts.transitions, j.accounts.phases))
}

// known returns the explanation of a run that a limit of time or memory has stopped after the
// verdict was known, with a warning about the missing results. It returns the error if there is no
// such verdict, and if the user has interrupted the run.
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
	text := strings.TrimPrefix(wording.Text(cause), "stopped ")
	j.outlive()
	return e.Warned("stopped before " + stopped.Before + ": " + text), nil
}

// isDone reports whether a search failed because its context is done.
func isDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
