package aut

import (
	"context"
	"io"
	"os"
)

// Stoppable returns a reader that is given up once ctx is done: a terminal or a
// pipe may keep a reader waiting for ever. A regular file does not, and is
// returned as it is, for its length is worth knowing.
//
// A read that does not end keeps its goroutine until it does.
func Stoppable(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f
		}
	}
	return &stoppable{ctx: ctx, r: r}
}

// stoppable leaves each read to a goroutine of its own, with a buffer of its
// own.
type stoppable struct {
	ctx    context.Context
	r      io.Reader
	buffer []byte
}

func (s *stoppable) Read(data []byte) (int, error) {
	if len(s.buffer) < len(data) {
		s.buffer = make([]byte, len(data))
	}
	buffer := s.buffer[:len(data)]
	n, done, err := unlessDone(s.ctx, func() (int, error) { return s.r.Read(buffer) }, func(int) {})
	if !done {
		s.buffer = nil // the goroutine may still write to it
		return 0, err
	}
	copy(data, buffer[:n])
	return n, err
}

// open opens a file for reading. To open a named pipe waits for somebody who
// writes to it: that, too, is given up once ctx is done.
func open(ctx context.Context, path string) (*os.File, error) {
	f, _, err := unlessDone(ctx, func() (*os.File, error) { return os.Open(path) }, func(f *os.File) { _ = f.Close() })
	return f, err
}

// unlessDone calls do on a goroutine of its own and returns what it returns, or
// the error of ctx as soon as that is done: then late gets what do returns
// without an error.
func unlessDone[T any](ctx context.Context, do func() (T, error), late func(T)) (result T, done bool, err error) {
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
