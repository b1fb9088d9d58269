// Package lineblocks reads a text in blocks of whole lines, several at a time. A worker sees blocks
// of whole lines, and its results are taken over in the order of the text, whichever worker has
// read a block. So the results are those of one goroutine that reads all lines.
package lineblocks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/progress"
)

const (
	// Size is the number of bytes of a block. It is large enough for the cost of
	// a block to be small beside that of its lines, and small enough for a block
	// and its transitions to stay in the second-level cache of a core.
	Size = 256 << 10
	// LineMax is the largest length of a line, so that a file that is not text is not read into
	// memory as one line.
	LineMax = 256 << 20
	// Slack is the number of zero bytes after the text of a block, so that code
	// that reads eight bytes at a time need not check for the end.
	Slack = 16
)

// ErrLongLine is returned by a source if a line exceeds the limit.
var ErrLongLine = errors.New("line too long")

// Block is a piece of a text, of whole lines: it ends in a line feed, except
// that the last block of a text may lack it.
type Block struct {
	// Number counts blocks in the order of the text, from 0.
	Number int
	// Text is the content. [Slack] zero bytes follow it.
	Text []byte
	// Err is the error that ended the reading of the block; Text then has the lines before the
	// error, as far as they are known.
	Err error
	buf []byte
}

// reserve makes room for a text of n bytes, and keeps the content of the buffer.
func (b *Block) reserve(n int) {
	if n+Slack > len(b.buf) {
		larger := make([]byte, n+Slack)
		copy(larger, b.buf)
		b.buf = larger
	}
}

// set makes buf[start:end] the text.
func (b *Block) set(start, end int) {
	clear(b.buf[end : end+Slack])
	b.Text = b.buf[start:end]
}

// Source returns the blocks of a text to several goroutines at a time.
type Source interface {
	// Next fills b with the next block. It returns io.EOF if none is left, and
	// the error of ctx, which it checks before every read. If reading fails, the
	// blocks before the error come first.
	Next(ctx context.Context, b *Block) error
	// Blocks is an upper bound of the number of blocks that are left.
	Blocks() int
}

// stream is the source for texts that can only be read from the beginning to the end. The goroutine
// that asks for a block reads it; only one reads at a time. The ends of blocks do not depend on
// which goroutine asks.
type stream struct {
	r           io.Reader
	size, limit int

	mu     sync.Mutex
	number int
	// rest is the beginning of the line that the previous block left unfinished.
	rest []byte
	// err is the error that ended the reading.
	err   error
	ended bool
}

// NewStream returns a source that reads blocks of size bytes, and longer ones if
// a line needs it. A line of limit bytes or more is refused.
func NewStream(r io.Reader, size, limit int) *stream {
	return &stream{r: r, size: size, limit: limit}
}

func (s *stream) Blocks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.err == io.EOF && len(s.rest) == 0 {
		return 0
	}
	return 1 << 30
}

// Next costs O(1) amortised for every byte, whatever the length of lines.
func (s *stream) Next(ctx context.Context, b *Block) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return io.EOF
	}
	b.Number = s.number
	b.Text = nil
	b.Err = nil
	s.number++
	want := min(s.size, s.limit)
	b.reserve(max(want, len(s.rest)))
	end := copy(b.buf, s.rest) // buf[:end] has been read
	// The bytes left over from the previous block have no line feed.
	searched := end
	for s.err == nil {
		if end < want {
			if err := ctx.Err(); err != nil {
				return err
			}
			end += s.read(b.buf[end:want])
			continue
		}
		i := bytes.LastIndexByte(b.buf[searched:end], '\n')
		if i >= 0 {
			cut := searched + i + 1
			s.rest = append(s.rest[:0], b.buf[cut:end]...)
			b.set(0, cut)
			return nil
		}
		searched = end
		if end >= s.limit {
			s.err = ErrLongLine
			break
		}
		want = min(2*want, s.limit)
		b.reserve(want)
	}
	return s.endText(b, end)
}

// endText fills b with the last block, whose text is buf[:end]. It returns io.EOF if that is empty.
func (s *stream) endText(b *Block, end int) error {
	s.ended = true
	switch {
	case s.err != io.EOF:
		b.Err = s.err
	case end == 0:
		return io.EOF
	case end == s.limit && bytes.IndexByte(b.buf[:end], '\n') < 0:
		b.Err = ErrLongLine
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

// Worker processes blocks, one after the other. Several workers run at a time.
type Worker interface {
	// Room returns the block that is filled next.
	Room() *Block
	// Scan examines the block in Room, and does not depend on other blocks.
	Scan()
	// Take takes over the results of Scan, or the error of the block. The calls come in the order
	// of the text, never two at a time. An error of Take ends the reading.
	Take(ctx context.Context) error
	// Put finishes the work on the block that Take has taken over. Several
	// workers may be in Put at a time.
	Put()
}

// Each processes the remaining blocks of a source. At most this many workers take part: the worker
// first, whose room already holds the block before these, and the workers that calls of the
// function another return. It returns the error that comes first in the text, or the error of ctx.
// If a worker panics, so does Each, once all workers have ended. The cost is that of the workers.
func Each(
	ctx context.Context,
	in Source,
	workers int,
	first Worker,
	another func() Worker,
) error {
	t := &turns{next: first.Room().Number}
	t.changed.L = &t.mu
	var others contained.Group
	for range min(workers-1, in.Blocks()) {
		others.Go(func() {
			defer t.stopAfterPanic()
			w := another()
			if t.fetch(ctx, in, w) {
				t.work(ctx, in, w)
			}
		})
	}
	panicOfFirst := contained.Call(func() error {
		t.work(ctx, in, first)
		return nil
	})
	if panicOfFirst != nil {
		t.fail(panicOfFirst) // the others would wait for the first block
	}
	others.Wait()
	contained.Again(panicOfFirst)
	return t.err
}

// turns makes workers take turns in the order of the blocks.
type turns struct {
	mu sync.Mutex
	// next is the number of the block that is taken over next; changed wakes the workers that wait
	// for next to change.
	next    int
	changed sync.Cond
	// err is the error that ended the reading.
	err error
}

// stopAfterPanic, deferred by a worker, makes the others end if the worker panics: they would wait
// for its block forever.
func (t *turns) stopAfterPanic() {
	p := contained.Recovered(recover())
	if p == nil {
		return
	}
	t.fail(p)
	panic(p)
}

// fail ends the reading with an error, unless an earlier error has ended it.
func (t *turns) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.err == nil {
		t.err = err
	}
	t.changed.Broadcast()
}

// work processes blocks until none is left or the reading has ended, beginning with the one in the
// worker's room.
func (t *turns) work(ctx context.Context, in Source, w Worker) {
	for more := true; more; more = t.fetch(ctx, in, w) {
		w.Scan()
		if !t.take(ctx, w) {
			return
		}
		w.Put()
	}
}

// take waits for the turn of a worker, and takes over its block. It returns false once the reading has
// ended by an error.
func (t *turns) take(ctx context.Context, w Worker) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.next != w.Room().Number && t.err == nil {
		t.changed.Wait()
	}
	if t.err == nil {
		t.err = w.Take(ctx)
	}
	t.next++
	t.changed.Broadcast()
	return t.err == nil
}

// fetch gets the next block. It returns false if there is none.
func (t *turns) fetch(ctx context.Context, in Source, w Worker) bool {
	err := in.Next(ctx, w.Room())
	if err != nil && err != io.EOF {
		t.fail(err)
	}
	return err == nil
}

// zstdStages is how many blocks of zstd are processed at the same time: one is searched for matches
// while another one is decoded; more blocks make nothing faster.
const zstdStages = 2

// Input is the text of a file, decompressed if necessary.
type Input struct {
	Source
	// Bytes is the number of bytes in the text, -1 if it is unknown.
	Bytes int64
	// Close frees the memory of the decompressor.
	Close func()
}

// NewInput returns the text of r in blocks of size bytes. The meter counts the
// bytes read from r.
func NewInput(r io.Reader, size int, meter *progress.Meter) (*Input, error) {
	in := plainInput(r, size, meter)
	if in != nil {
		return in, nil
	}
	left := Remaining(r)
	text, err := compressed.NewReader(&metered{r, meter}, zstdStages)
	if err != nil {
		return nil, err
	}
	if text.Format() != "" || left <= 0 { // some files of the system, such as those in /proc, report the length 0
		left = -1
	}
	return &Input{Source: NewStream(text, size, LineMax), Bytes: left, Close: text.Close}, nil
}

// metered adds the bytes read to a meter.
type metered struct {
	r     io.Reader
	meter *progress.Meter
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.meter.Add(int64(n))
	return n, err
}

// Remaining returns how many bytes of r are still to be read, -1 if that is unknown.
func Remaining(r io.Reader) int64 {
	switch r := r.(type) {
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return -1
		}
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil || at > info.Size() {
			return -1
		}
		return info.Size() - at
	case interface{ Len() int }:
		return int64(r.Len())
	}
	return -1
}
