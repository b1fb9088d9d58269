package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strings"

	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// leastMemory is the smallest limit that is taken for one, in bytes: less is a number without a unit.
const leastMemory = 100_000

// limitMemory reads --memory.
func (j *job) limitMemory() error {
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
func (j *job) findMemory(available func() (resources.Limit, bool)) (l resources.Limit, known bool) {
	if l, known = available(); known && !strings.HasSuffix(l.By, goLimit) {
		l.Bytes -= l.Bytes / 16
	}
	return l, known
}

// keepMemory lets the work of the job end before the process takes more memory than
// it can have. What it returns ends that.
func (j *job) keepMemory() (leave func()) {
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
func (j *job) budgetMemory() (forget func()) {
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

// exceeded tells of work that was stopped for want of memory as what it is.
func (j *job) exceeded(err error) error {
	err = resources.Because(j.ctx, err)
	var exceeded *resources.ExceededError
	if errors.As(err, &exceeded) && j.options.File != "" {
		return fmt.Errorf("%s: %w", j.options.File, err)
	}
	return err
}

// task returns what a command does with a model, as far as its memory depends on
// that.
func (j *job) task() footprint.Task {
	if j.options.Unfold {
		return footprint.Unfolding
	}
	switch j.c.Command.Name {
	case "convert":
		if !writesAutx(j.flag("o")) {
			return footprint.Loading
		}
	case "info":
		return footprint.Describing
	case "check":
		if j.c.Bool("all") {
			return footprint.Listing
		}
		return footprint.Checking
	case "explain", "diagram":
		return footprint.Explaining
	}
	return footprint.Analysing
}

// manyTransitions is the size of a model from which it pays to collect garbage twice
// as often: large models are arrays without pointers, which the collector has
// hardly to look at, and so the garbage is no longer as large as the model.
const manyTransitions = 1 << 20

// tidy gives back, where a large model is about to be enriched, what its components were
// found with: what comes next takes as much, in other pieces.
func (j *job) tidy(m *progress.Meter) {
	if j.large && m.Phase == "enrich" {
		debug.FreeOSMemory()
	}
}

// admit refuses a model that is too large for the memory there is, as soon as its
// size is known. Only one is refused that cannot do.
func (j *job) admit(states, transitions int64) error {
	if err := j.tooLarge(transitions); err != nil {
		return err
	}
	if j.large = transitions > manyTransitions && os.Getenv("GOGC") == ""; j.large {
		debug.SetGCPercent(50)
	}
	if j.memory.Bytes == 0 {
		return nil
	}
	return footprint.Fits(j.task(), states, transitions, j.memory)
}
