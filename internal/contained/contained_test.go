package contained_test

import (
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
)

func raise() { panic("a mistake\nin two lines") }

// panicOf returns the panic that ends a call.
func panicOf(t *testing.T, do func()) *contained.Panic {
	t.Helper()
	err := contained.Call(func() error { do(); return nil })
	p, is := err.(*contained.Panic)
	if !is {
		t.Fatalf("no panic, but %v", err)
	}
	return p
}

// TestPanicReachesWhoWaits: with its value and its stack, each time that somebody waits, and through several goroutines.
func TestPanicReachesWhoWaits(t *testing.T) {
	g := contained.Go(func() { contained.Go(raise).Wait() })
	<-g.Done()
	for range 2 {
		p := panicOf(t, g.Wait)
		if p.Error() != "panic: a mistake in two lines" || !strings.Contains(string(p.Stack), "contained_test.raise") {
			t.Errorf("%v with the stack\n%s", p, p.Stack)
		}
	}
	contained.Go(func() {}).Wait()
}

// TestGroupEndsWhole: all functions come to their ends, and the panic is that of the first, whichever came first.
func TestGroupEndsWhole(t *testing.T) {
	var ended atomic.Int32
	var g contained.Group
	second := make(chan struct{})
	g.Go(func() { <-second; panic("first") })
	g.Go(func() { defer close(second); panic("second") })
	g.Go(func() { <-second; ended.Add(1) })
	if p := panicOf(t, g.Wait); p.Value != "first" || ended.Load() != 1 {
		t.Errorf("%v, %d have ended", p, ended.Load())
	}
}

// TestErrorsOfPanics: an error that a function panics with is found below the panic; one that abort raises and nobody
// catches is a panic like any other, and no error of who waits.
func TestErrorsOfPanics(t *testing.T) {
	if p := panicOf(t, func() { panic(io.ErrClosedPipe) }); !errors.Is(p, io.ErrClosedPipe) {
		t.Errorf("%v", p)
	}
	escaped := contained.Go(func() { abort.On(io.ErrNoProgress) })
	p := panicOf(t, func() { _ = abort.Try(escaped.Wait) })
	if !strings.Contains(p.Error(), io.ErrNoProgress.Error()) {
		t.Errorf("%v", p)
	}
	if err := contained.Call(func() error { return io.EOF }); err != io.EOF {
		t.Errorf("the error is %v", err)
	}
	contained.Again(io.EOF)
}

// TestOnceTriesAgain: a call that has panicked does not count.
func TestOnceTriesAgain(t *testing.T) {
	var once contained.Once
	panicOf(t, func() { once.Do(raise) })
	calls := 0
	for range 3 {
		once.Do(func() { calls++ })
	}
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error)  { panic("read") }
func (broken) Write([]byte) (int, error) { panic("written") }

func TestReaderAndWriter(t *testing.T) {
	if _, err := contained.Reader(broken{}).Read(nil); err == nil || err.Error() != "panic: read" {
		t.Errorf("reading: %v", err)
	}
	if _, err := contained.Writer(broken{}).Write(nil); err == nil || err.Error() != "panic: written" {
		t.Errorf("writing: %v", err)
	}
	if text, err := io.ReadAll(contained.Reader(strings.NewReader("text"))); string(text) != "text" || err != nil {
		t.Errorf("read %q, %v", text, err)
	}
}
