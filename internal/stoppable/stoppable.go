// Package stoppable stops waiting for operations that cannot be stopped: on a
// pipe, a terminal, a file system that does not answer.
package stoppable

import (
	"context"
	"io"
)

// Do calls do on a goroutine of its own and returns its results, or the error of ctx as soon as
// that is done. If do succeeds after that, its result goes to late. done reports whether do has
// ended.
//
// A call that blocks keeps its goroutine until it ends.
func Do[T any](ctx context.Context, do func() (T, error), late func(T)) (result T, done bool, err error) {
	if err := ctx.Err(); err != nil {
		return result, false, err
	}
	type answer struct {
		result T
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		r, err := do()
		answers <- answer{r, err}
	}()
	select {
	case <-ctx.Done():
		go func() {
			if a := <-answers; a.err == nil {
				late(a.result)
			}
		}()
		return result, false, ctx.Err()
	case a := <-answers:
		return a.result, true, a.err
	}
}

// Writer is a writer that fails once ctx is done. It is for one goroutine.
type Writer struct {
	Ctx context.Context
	W   io.Writer
	// own is a copy of the data being written: an abandoned write may still run
	// when the caller changes the data.
	own []byte
}

// Write writes, or returns the error of the context as soon as that is done.
func (w *Writer) Write(data []byte) (int, error) {
	w.own = append(w.own[:0], data...)
	own := w.own
	n, done, err := Do(w.Ctx, func() (int, error) { return w.W.Write(own) }, func(int) {})
	if !done {
		w.own = nil
	}
	return n, err
}
