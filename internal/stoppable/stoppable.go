// Package stoppable stops waiting for operations that cannot be stopped: on a
// pipe, a terminal, a file system that does not answer.
package stoppable

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/inev-lts/inev/internal/contained"
)

// Do calls do on a goroutine of its own and returns its results, or ctx.Err() as soon as ctx is
// done. If do succeeds after that, its result goes to late. done reports whether do has ended. If
// do panics before ctx is done, so does Do.
//
// A call that blocks keeps its goroutine until it ends.
func Do[T any](
	ctx context.Context,
	do func() (T, error),
	late func(T),
) (result T, done bool, err error) {
	if err := ctx.Err(); err != nil {
		return result, false, err
	}
	var found T
	var failed error
	doing := contained.Go(func() { found, failed = do() })
	select {
	case <-ctx.Done():
		contained.Go(func() {
			if doing.Wait(); failed == nil {
				late(found)
			}
		})
		return result, false, ctx.Err()
	case <-doing.Done():
		doing.Wait()
		return found, true, failed
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

// Write writes, or returns the error of the context as soon as the context is done.
func (w *Writer) Write(data []byte) (int, error) {
	w.own = append(w.own[:0], data...)
	own := w.own
	n, done, err := Do(w.Ctx, func() (int, error) { return w.W.Write(own) }, func(int) {})
	if !done {
		w.own = nil
	}
	return n, err
}

// Reader returns a reader that fails once ctx is done, because a read from a terminal or a pipe may
// block forever. Reads from a regular file do not, so that such a file is returned unchanged, and
// its length stays known.
//
// A read that blocks keeps its goroutine until it ends.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f
		}
	}
	return &reader{ctx: ctx, r: r}
}

// reader does each read on a goroutine of its own, with a buffer of its own.
type reader struct {
	ctx    context.Context
	r      io.Reader
	buffer []byte
}

// Read reads, or returns the error of the context as soon as the context is done.
func (s *reader) Read(data []byte) (int, error) {
	if len(s.buffer) < len(data) {
		s.buffer = make([]byte, len(data))
	}
	buffer := s.buffer[:len(data)]
	n, done, err := Do(s.ctx, func() (int, error) { return s.r.Read(buffer) }, func(int) {})
	if !done {
		s.buffer = nil // the goroutine may still write to the buffer
		return 0, err
	}
	copy(data, buffer[:n])
	return n, err
}

// EachRead returns a reader that asks ctx before each read, and fails once ctx is done. It does
// not end a read that blocks.
func EachRead(ctx context.Context, r io.Reader) io.Reader { return between{ctx, r, nil} }

// EachWrite returns a writer that asks ctx before each write, and fails once ctx is done. It does
// not end a write that blocks.
func EachWrite(ctx context.Context, w io.Writer) io.Writer { return between{ctx, nil, w} }

type between struct {
	ctx context.Context
	r   io.Reader
	w   io.Writer
}

func (b between) Read(data []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.r.Read(data)
}

func (b between) Write(data []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	return b.w.Write(data)
}

// Once is a value that one of several callers makes while the others wait. The zero value is not
// made yet.
type Once[V any] struct {
	ready sync.Once
	turn  chan struct{} // holds an element while a caller looks at the value or makes it
	made  bool
	value V
	err   error
}

// Do returns the value, made by the first call of produce that succeeds, or whose error keeps
// accepts. After another error the next caller that waits tries again. A caller waits no longer
// than until its ctx is done.
func (o *Once[V]) Do(
	ctx context.Context,
	produce func() (V, error),
	keeps func(error) bool,
) (value V, err error) {
	o.ready.Do(func() { o.turn = make(chan struct{}, 1) })
	select {
	case o.turn <- struct{}{}:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	defer func() { <-o.turn }()
	if o.made {
		return o.value, o.err
	}
	if value, err = produce(); err == nil || keeps(err) {
		o.made, o.value, o.err = true, value, err
	}
	return value, err
}
