package aut

import (
	"context"
	"io"
	"os"

	"github.com/inev-lts/inev/internal/stoppable"
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
	return &stoppableReader{ctx: ctx, r: r}
}

// stoppableReader leaves each read to a goroutine of its own, with a buffer of its
// own.
type stoppableReader struct {
	ctx    context.Context
	r      io.Reader
	buffer []byte
}

func (s *stoppableReader) Read(data []byte) (int, error) {
	if len(s.buffer) < len(data) {
		s.buffer = make([]byte, len(data))
	}
	buffer := s.buffer[:len(data)]
	n, done, err := stoppable.Do(s.ctx, func() (int, error) { return s.r.Read(buffer) }, func(int) {})
	if !done {
		s.buffer = nil // the goroutine may still write to it
		return 0, err
	}
	copy(data, buffer[:n])
	return n, err
}

// OpenFile opens a file for reading, which is given up once ctx is done: neither waiting
// for somebody who writes to a named pipe nor reading from it outlives the context. It
// serves all readers of files that users name. A regular file is an [*os.File], of which
// parts can be read in any order.
func OpenFile(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	if _, regular := Stoppable(ctx, f).(*os.File); regular {
		return f, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{Stoppable(ctx, f), f}, nil
}

// open opens a file for reading. To open a named pipe waits for somebody who
// writes to it: that, too, is given up once ctx is done.
func open(ctx context.Context, path string) (*os.File, error) {
	f, _, err := stoppable.Do(ctx, func() (*os.File, error) { return os.Open(path) }, func(f *os.File) { _ = f.Close() })
	return f, err
}
