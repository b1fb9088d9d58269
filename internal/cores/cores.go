// Package cores shares passes through large models among the cores of the
// machine. Each number lies in the range of exactly one worker, so that results
// do not depend on the number of workers.
package cores

import (
	"cmp"
	"context"
	"runtime"

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

// Share calls do once for each worker, on goroutines of their own, with the numbers 0, 1 and so on; there is
// at least one worker. It returns when all calls have returned. If a call panics, so does Share, once all
// calls have ended.
func Share(workers int, do func(worker int)) {
	var others contained.Group
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { do(worker) })
	}
	own := contained.Call(func() error {
		do(0)
		return nil
	})
	others.Wait()
	contained.Again(own)
}

// Try shares work as [Share] does, if the work may fail. It returns the error of the first worker that
// has one, once all calls have returned.
func Try(workers int, do func(worker int) error) error {
	errs := make([]error, max(1, workers))
	Share(workers, func(worker int) { errs[worker] = do(worker) })
	return cmp.Or(errs...)
}

// InRanges calls do as [Share] does, with consecutive ranges [first, end) that together contain the
// numbers below n. They begin at multiples of 64, so that workers can write disjoint words of a set
// of bits.
func InRanges[N ~int | ~uint32](workers, n int, do func(worker int, first, end N)) {
	bound := ranges[N](workers, n)
	Share(workers, func(worker int) {
		do(worker, bound(worker), bound(worker+1))
	})
}

// TryInRanges shares work as [InRanges] does, if the work may fail; see [Try].
func TryInRanges[N ~int | ~uint32](
	workers, n int,
	do func(worker int, first, end N) error,
) error {
	bound := ranges[N](workers, n)
	return Try(workers, func(worker int) error {
		return do(worker, bound(worker), bound(worker+1))
	})
}

// ranges returns a function that maps each worker to the first number of its range. The range of
// the worker before ends there.
func ranges[N ~int | ~uint32](workers, n int) (begin func(worker int) N) {
	words := (n + 63) / 64
	return func(worker int) N { return N(min(n, 64*(words*worker/workers))) }
}

// Done returns the error of a context that is done. It asks the context only in every 4096th round of a
// loop, as asking takes longer than most rounds do.
func Done[N ~int | ~uint32](ctx context.Context, round N) error {
	if round%4096 != 0 {
		return nil
	}
	return ctx.Err()
}

// Beside calls find on another core. The function result waits until find has ended, and returns its results;
// if find has panicked, so does result.
func Beside[T any](find func() (T, error)) (result func() (T, error)) {
	var found T
	var err error
	finding := contained.Go(func() { found, err = find() })
	return func() (T, error) {
		finding.Wait()
		return found, err
	}
}
