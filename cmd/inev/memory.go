package main

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

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
	bytes, ok := parseSize(text)
	if !ok {
		return j.refuse("--memory %s is not a size above zero, such as 500MB or 6GB, nor none", text)
	}
	j.memory = bytes
	debug.SetMemoryLimit(bytes)
	return nil
}

// parseSize reads a size such as 6GB, 1.5GB or 512MiB: with a unit, or as a number
// of bytes.
func parseSize(text string) (int64, bool) {
	digits := strings.TrimRight(text, "BGKMTbgikmt ")
	number, err := strconv.ParseFloat(digits, 64)
	unit := map[string]float64{
		"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12,
		"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
	}[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	bytes := number * unit
	if err != nil || !(bytes >= 1 && bytes <= math.MaxInt64/2) { // NaN is neither

		return 0, false
	}
	return int64(bytes), true
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
	need := explain.MemoryFor(j.task(), states, transitions)
	if need.Least > limit.Bytes {
		return &memoryError{states, transitions, need.Usual, limit}
	}
	if need.Usual > limit.Bytes && os.Getenv("GOMEMLIMIT") == "" && j.memory == 0 {
		debug.SetMemoryLimit(limit.Bytes)
	}
	return nil
}

// memoryError tells that a model is too large; the reader puts its name before it.
type memoryError struct {
	states, transitions int64
	need                int64
	limit               resources.Limit
}

func (e *memoryError) Error() string {
	return fmt.Sprintf("needs about %s for %s transitions and %s states, %s are %s: use a larger machine, "+
		"or reduce the model first (as ltsconvert -edpbranching-bisim of mCRL2 or bcg_min -divbranching of CADP do), or raise --memory (none: try all the same)",
		size(e.need), grouped(e.transitions), grouped(e.states), size(e.limit.Bytes), e.limit.By)
}
