package aut

import (
	"context"
	"io"
	"os"

	"github.com/inev-lts/inev/internal/stoppable"
)

// untilDone returns a reader that is given up once ctx is done: a terminal or a
// pipe may keep a reader waiting for ever. A regular file does not, and is
// returned as it is, for its length is worth knowing.
//
// A read that does not end keeps its goroutine until it does.
func untilDone(ctx context.Context, r io.Reader) io.Reader { return stoppable.Reader(ctx, r) }

// OpenFile opens a file for reading, which is given up once ctx is done: neither waiting
// for somebody who writes to a named pipe nor reading from it outlives the context. It
// serves all readers of files that users name. A regular file is an [*os.File], of which
// parts can be read in any order.
func OpenFile(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	if _, regular := untilDone(ctx, f).(*os.File); regular {
		return f, nil
	}
	return struct {
		io.Reader
		io.Closer
	}{untilDone(ctx, f), f}, nil
}

func open(ctx context.Context, path string) (*os.File, error) { return stoppable.Open(ctx, path) }
