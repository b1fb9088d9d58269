package stoppable

import (
	"context"
	"io"
	"os"
)

// Reader returns a reader that is given up once ctx is done: a terminal or a pipe may keep
// a reader waiting for ever. A regular file does not, and is returned as it is, for its
// length is worth knowing.
//
// A read that does not end keeps its goroutine until it does.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			return f
		}
	}
	return &reader{ctx: ctx, r: r}
}

// reader leaves each read to a goroutine of its own, with a buffer of its own.
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
		s.buffer = nil // the goroutine may still write to it
		return 0, err
	}
	copy(data, buffer[:n])
	return n, err
}
