package stoppable_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/inev-lts/inev/internal/stoppable"
)

// TestOnceIsMadeOnce: of many callers one makes the value, and all have it.
func TestOnceIsMadeOnce(t *testing.T) {
	var once stoppable.Once[int]
	var made atomic.Int64
	var callers sync.WaitGroup
	for range 50 {
		callers.Go(func() {
			n, err := once.Do(context.Background(), func() (int, error) { return int(made.Add(1)), nil }, func(error) bool { return false })
			if n != 1 || err != nil {
				t.Errorf("a caller has %d, %v", n, err)
			}
		})
	}
	callers.Wait()
	if made.Load() != 1 {
		t.Errorf("the value was made %d times", made.Load())
	}
}

// TestOnceTriesAgain: an error is kept, or the next caller tries again, also after a panic.
func TestOnceTriesAgain(t *testing.T) {
	broken := errors.New("broken")
	for _, kept := range []bool{false, true} {
		var once stoppable.Once[int]
		tries := 0
		fails := func() (int, error) { tries++; return 0, broken }
		for range 3 {
			if _, err := once.Do(context.Background(), fails, func(error) bool { return kept }); !errors.Is(err, broken) {
				t.Errorf("the error is %v", err)
			}
		}
		if want := map[bool]int{false: 3, true: 1}[kept]; tries != want {
			t.Errorf("kept %t: %d tries, want %d", kept, tries, want)
		}
	}
	var once stoppable.Once[int]
	func() {
		defer func() { _ = recover() }()
		_, _ = once.Do(context.Background(), func() (int, error) { panic("a mistake") }, func(error) bool { return true })
	}()
	if n, err := once.Do(context.Background(), func() (int, error) { return 7, nil }, nil); n != 7 || err != nil {
		t.Errorf("after a panic: %d, %v", n, err)
	}
}

// TestOnceWaitsNoLonger: who waits for another caller leaves when its context ends.
func TestOnceWaitsNoLonger(t *testing.T) {
	var once stoppable.Once[int]
	making, goOn, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_, _ = once.Do(context.Background(), func() (int, error) { close(making); <-goOn; return 1, nil }, nil)
	}()
	<-making
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := once.Do(ctx, func() (int, error) { t.Error("two callers make it"); return 2, nil }, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	close(goOn)
	<-done
}

func TestEachReadAndWriteAskFirst(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	in := stoppable.EachRead(ctx, strings.NewReader("ab"))
	var out strings.Builder
	to := stoppable.EachWrite(ctx, &out)
	if _, err := io.CopyN(to, in, 1); err != nil || out.String() != "a" {
		t.Errorf("copied %q: %v", out.String(), err)
	}
	stop()
	if _, err := in.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: %v", err)
	}
	if _, err := to.Write([]byte("b")); !errors.Is(err, context.Canceled) || out.String() != "a" {
		t.Errorf("writing: %v, %q", err, out.String())
	}
}
