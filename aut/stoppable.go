package aut

import (
	"context"
	"io"

	"github.com/inev-lts/inev/internal/stoppable"
)

// untilDone returns a reader that fails once ctx is done, because a read from a
// terminal or a pipe may block for ever. Reads from a regular file do not, so
// that it is returned unchanged, and its length stays known.
//
// A read that blocks keeps its goroutine until it ends.
func untilDone(ctx context.Context, r io.Reader) io.Reader { return stoppable.Reader(ctx, r) }
