package cores_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/inev-lts/inev/internal/cores"
)

// TestRangesShareAll: each number lies in one range, and no two ranges share a word of a set.
func TestRangesShareAll(t *testing.T) {
	for n := range 300 {
		for workers := 1; workers <= 9; workers++ {
			owner := make([]int, n)
			cores.InRanges(workers, n, func(worker int, first, end int) {
				for i := first; i < end; i++ {
					owner[i] += worker + 1
				}
			})
			for i, of := range owner {
				if of < 1 || of > workers || of != owner[i/64*64] || i > 0 && of < owner[i-1] {
					t.Fatalf("%d numbers, %d workers: %v", n, workers, owner)
				}
			}
		}
	}
}

func TestFewTransitionsAreForOneWorker(t *testing.T) {
	if cores.For(1000, 8) != 1 || cores.For(1<<20, 1) != 1 || cores.For(1<<20, 8) < 1 {
		t.Error("a pass is shared that is not worth it, or by more workers than wanted")
	}
}

// TestFirstErrorOfWorkersEndsAll: all workers come to their ends, and the error is always the same.
func TestFirstErrorOfWorkersEndsAll(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	var ended atomic.Int32
	err := cores.Try(4, func(worker int) error {
		defer ended.Add(1)
		switch worker {
		case 1:
			return first
		case 3:
			return second
		}
		return nil
	})
	if err != first || ended.Load() != 4 {
		t.Errorf("%d workers came to their ends, error %v", ended.Load(), err)
	}
}

// TestOneWorker: a pass by one worker is no special case.
func TestOneWorker(t *testing.T) {
	calls := 0
	cores.Share(1, func(worker int) { calls += worker + 1 })
	if err := cores.Try(0, func(worker int) error { calls += worker + 1; return nil }); err != nil || calls != 2 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}
