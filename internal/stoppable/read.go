package stoppable

import (
	"context"
	"io"
	"os"
)

// Reader returns a reader that fails once ctx is done, because a read from a terminal or a pipe may
// block for ever. Reads from a regular file do not, so that such a file is returned unchanged, and
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
