package aut

import (
	"bytes"
	"context"
	"errors"
	"io"
)

const (
	// blockSize is how much is read at once: enough to make the cost of a
	// block vanish behind that of its lines, and little beside a second-level
	// cache.
	blockSize = 256 << 10
	// lineMax bounds the length of a line, so that a file which is no text
	// does not end up in memory as one line.
	lineMax = 256 << 20
)

// errLongLine is what blocks.next returns where a line exceeds the limit.
var errLongLine = errors.New("line too long")

// blocks cuts what a reader gives into blocks of whole lines. A block is as
// large as the buffer allows, and the buffer grows where one line needs it.
type blocks struct {
	r     io.Reader
	limit int
	buf   []byte
	// buf[start:end] is read, and not handed out yet.
	start, end int
	// err is what the reader ended with.
	err error
}

func newBlocks(r io.Reader, size, limit int) *blocks {
	return &blocks{r: r, limit: limit, buf: make([]byte, size)}
}

// next returns the next block, which is valid until the following call, and
// io.EOF after the last one. Every block ends in a line feed, except that the
// last one may lack it. The context is looked at before every read. Cost O(1)
// amortised for every byte read, whatever the length of lines.
func (b *blocks) next(ctx context.Context) ([]byte, error) {
	b.end = copy(b.buf, b.buf[b.start:b.end])
	b.start = 0
	// What is left over of the block before has no line feed.
	searched := b.end
	for b.err == nil {
		if b.end == len(b.buf) {
			if i := bytes.LastIndexByte(b.buf[searched:], '\n'); i >= 0 {
				b.start = searched + i + 1
				return b.buf[:b.start], nil
			}
			searched = b.end
			if err := b.grow(); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.fill()
	}
	if b.err != io.EOF {
		return nil, b.err
	}
	if b.end == 0 {
		return nil, io.EOF
	}
	b.start = b.end
	return b.buf[:b.end], nil
}

func (b *blocks) grow() error {
	if len(b.buf) >= b.limit {
		return errLongLine
	}
	larger := make([]byte, min(2*len(b.buf), b.limit))
	copy(larger, b.buf)
	b.buf = larger
	return nil
}

// fill reads at least one byte, or sets err.
func (b *blocks) fill() {
	for range 100 {
		n, err := b.r.Read(b.buf[b.end:])
		b.end += n
		b.err = err
		if n > 0 || err != nil {
			return
		}
	}
	b.err = io.ErrNoProgress
}
