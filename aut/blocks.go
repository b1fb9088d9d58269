package aut

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

const (
	// blockSize is how much is read at once: enough to make the cost of a
	// block vanish behind that of its lines, and little enough for a block and
	// its transitions to stay in the second-level cache of a core.
	blockSize = 256 << 10
	// lineMax bounds the length of a line, so that a file which is no text
	// does not end up in memory as one line.
	lineMax = 256 << 20
	// slack is the number of zero bytes behind the text of a block: whoever
	// reads eight bytes at a time need not look where the text ends.
	slack = 16
)

// errLongLine is what a source returns where a line exceeds the limit.
var errLongLine = errors.New("line too long")

// block is a piece of a text, of whole lines: it ends in a line feed, except
// that the last block of a text may lack it.
type block struct {
	// number counts blocks in the order of the text, from 0.
	number int
	// text is the content. The slack follows it.
	text []byte
	// err is what reading the block ended with: then there is no text.
	err error
	buf []byte
}

// reserve makes room for a text of n bytes, and keeps what is in the buffer.
func (b *block) reserve(n int) {
	if n+slack > len(b.buf) {
		larger := make([]byte, n+slack)
		copy(larger, b.buf)
		b.buf = larger
	}
}

// set makes buf[start:end] the text.
func (b *block) set(start, end int) {
	clear(b.buf[end : end+slack])
	b.text = b.buf[start:end]
}

// source gives a text in blocks, to several goroutines at a time.
type source interface {
	// next fills b with the next block, or returns io.EOF where none is left,
	// or the error of ctx, which it looks at before every read. An error of
	// reading takes the place of a block: those before it come first.
	next(ctx context.Context, b *block) error
	// blocks is the number of blocks that are still to come, or more.
	blocks() int
}

// stream is the source for what can only be read from its beginning to its end:
// it is read by whoever asks for a block, one at a time. Where blocks end does
// not depend on who asks.
type stream struct {
	r           io.Reader
	size, limit int

	mu     sync.Mutex
	number int
	// rest is the beginning of a line that the block before had no end of.
	rest []byte
	// err is what the reader ended with.
	err   error
	ended bool
}

// newStream returns the source that reads blocks of size bytes, and longer ones
// where a line needs it. No line has limit bytes without a line feed.
func newStream(r io.Reader, size, limit int) *stream {
	return &stream{r: r, size: size, limit: limit}
}

func (s *stream) blocks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.err == io.EOF && len(s.rest) == 0 {
		return 0
	}
	return 1 << 30
}

// next costs O(1) amortised for every byte, whatever the length of lines.
func (s *stream) next(ctx context.Context, b *block) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return io.EOF
	}
	b.number, b.text, b.err = s.number, nil, nil
	s.number++
	want := min(s.size, s.limit)
	b.reserve(max(want, len(s.rest)))
	end := copy(b.buf, s.rest)
	// What is left over of the block before has no line feed.
	searched := end
	for s.err == nil {
		if end >= want {
			if i := bytes.LastIndexByte(b.buf[searched:end], '\n'); i >= 0 {
				cut := searched + i + 1
				s.rest = append(s.rest[:0], b.buf[cut:end]...)
				b.set(0, cut)
				return nil
			}
			if searched = end; end >= s.limit {
				s.err = errLongLine
				break
			}
			want = min(2*want, s.limit)
			b.reserve(want)
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		end += s.read(b.buf[end:want])
	}
	s.ended = true
	switch {
	case s.err != io.EOF:
		b.err = s.err
	case end == 0:
		return io.EOF
	case end == s.limit && bytes.IndexByte(b.buf[:end], '\n') < 0:
		b.err = errLongLine
	default:
		b.set(0, end)
	}
	return nil
}

// read reads at least one byte, or sets err.
func (s *stream) read(p []byte) int {
	for range 100 {
		n, err := s.r.Read(p)
		s.err = err
		if n > 0 || err != nil {
			return n
		}
	}
	s.err = io.ErrNoProgress
	return 0
}
