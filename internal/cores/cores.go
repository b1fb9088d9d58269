// Package cores shares passes through large models among the cores of the
// machine.
//
// The invariant that holds inside: each number lies in the range of exactly one
// worker, so that results do not depend on the number of workers.
package cores

import (
	"runtime"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
)

// few is the largest number of transitions that are not worth the start of another goroutine.
const few = 1 << 17

// For returns how many workers are worthwhile for a pass through this many transitions: one for
// each core, but no more than most allows, which limits the memory that all workers have for
// themselves.
func For(transitions, most int) int {
	if transitions <= few {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), most)
}

// Share calls do with the numbers 0, 1, … of the workers, of which there is one at least, each on a
// goroutine of its own, and returns when all calls have returned. If calls are ended by [abort.On],
// so is Share, with the error of the first of these workers; a panic in a call is one of Share, once all calls
// have ended.
func Share(workers int, do func(worker int)) {
	errs := make([]error, workers)
	var others contained.Group
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { errs[worker] = abort.Try(func() { do(worker) }) })
	}
	own := contained.Call(func() error {
		errs[0] = abort.Try(func() { do(0) })
		return nil
	})
	others.Wait()
	contained.Again(own)
	for _, err := range errs {
		abort.On(err)
	}
}

// InRanges calls do as [Share] does, with consecutive ranges [first, end) that together contain the
// numbers below n. They begin at multiples of 64, so that workers can write disjoint words of a set
// of bits.
func InRanges[N ~int | ~uint32](workers, n int, do func(worker int, first, end N)) {
	words := (n + 63) / 64
	at := func(worker int) N { return N(min(n, 64*(words*worker/workers))) }
	Share(workers, func(worker int) { do(worker, at(worker), at(worker+1)) })
}

// Beside calls find on another core. result waits for it, and returns what it found, or the error that
// ended it; if find has panicked, so does result.
func Beside[T any](find func() T) (result func() (T, error)) {
	var found T
	var err error
	finding := contained.Go(func() {
		err = abort.Try(func() { found = find() })
	})
	return func() (T, error) {
		finding.Wait()
		return found, err
	}
}
