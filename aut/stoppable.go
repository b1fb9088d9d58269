package aut

import (
	"context"
	"io"

	"github.com/inev-lts/inev/internal/stoppable"
)

// untilDone returns a reader that is given up once ctx is done: a terminal or a
// pipe may keep a reader waiting for ever. A regular file does not, and is
// returned as it is, for its length is worth knowing.
//
// A read that does not end keeps its goroutine until it does.
func untilDone(ctx context.Context, r io.Reader) io.Reader { return stoppable.Reader(ctx, r) }
