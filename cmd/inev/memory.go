package main

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/resources"
)

// limitMemory reads --memory, and makes Go's runtime keep to it as far as it can.
func (j *job) limitMemory() error {
	text := j.flag("memory")
	switch text {
	case "":
		return nil
	case "none":
		debug.SetMemoryLimit(math.MaxInt64)
		return nil
	}
	bytes, err := resources.ParseSize(text)
	if err != nil {
		return j.refuse("--memory %v, nor none", err)
	}
	j.memory = bytes
	debug.SetMemoryLimit(bytes)
	return nil
}

// memoryLimit returns the memory that a run can have; ok is false where it is to
// take as much as it needs, or nothing is known.
func (j *job) memoryLimit() (l resources.Limit, ok bool) {
	switch {
	case j.flag("memory") == "none":
		return l, false
	case j.memory > 0:
		return resources.Limit{Bytes: j.memory, By: "allowed by --memory"}, true
	}
	return resources.Available()
}

// task returns what a command does with a model, as far as its memory depends on
// that.
func (j *job) task() explain.Task {
	switch j.c.Command.Name {
	case "convert":
		if !isAutx(j.flag("o")) {
			return explain.Reading
		}
	case "info":
		return explain.Describing
	case "check":
		return explain.Checking
	case "explain", "diagram":
		return explain.Explaining
	}
	return explain.Analysing
}

// manyTransitions is the size of a model from which it pays to collect garbage twice
// as often: large models are arrays without pointers, which the collector has
// hardly to look at, and so the garbage is no longer as large as the model.
const manyTransitions = 1 << 20

// admit refuses a model that is too large for the memory there is, as soon as its
// size is known. Only one is refused that cannot do; where it may be tight, Go's
// runtime is told to keep within the limit, which takes it more time.
func (j *job) admit(states, transitions int64) error {
	if transitions > manyTransitions && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
	limit, known := j.memoryLimit()
	if !known {
		return nil
	}
	if err := explain.Fits(j.task(), states, transitions, limit); err != nil {
		return err
	}
	need := explain.MemoryFor(j.task(), states, transitions)
	if need.Usual > limit.Bytes && os.Getenv("GOMEMLIMIT") == "" && j.memory == 0 {
		debug.SetMemoryLimit(limit.Bytes)
	}
	return nil
}
