//go:build !js

package lineblocks

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"

	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/progress"
)

// sections is the source for texts that many goroutines can read at any offset.
// The text is cut into sections of equal length; the block of a section has the
// lines that begin in it.
type sections struct {
	r io.ReaderAt
	// start and end are the offsets of the text in r.
	start, end  int64
	size, limit int
	claimed     atomic.Int64
	meter       *progress.Meter
}

// NewSections returns the sections of a file from the offset start to the offset end. They have size bytes,
// but at most limit; the meter counts the bytes that are read.
func NewSections(
	r io.ReaderAt,
	start, end int64,
	size, limit int,
	meter *progress.Meter,
) *sections {
	return &sections{
		r:     r,
		start: start,
		end:   end,
		size:  min(size, limit),
		limit: limit,
		meter: meter,
	}
}

// Blocks returns the number of sections that nobody has claimed.
func (s *sections) Blocks() int {
	left := s.end - s.start - s.claimed.Load()*int64(s.size)
	return int((max(left, 0) + int64(s.size) - 1) / int64(s.size))
}

// Next claims the next section, and reads its block. An error of reading belongs to the block.
func (s *sections) Next(ctx context.Context, b *Block) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	number := s.claimed.Add(1) - 1
	at := s.start + number*int64(s.size)
	if at >= s.end {
		return io.EOF
	}
	b.Number = int(number)
	b.Text = nil
	b.Err = s.read(ctx, b, at)
	s.meter.Add(min(int64(s.size), s.end-at))
	return ctx.Err()
}

// overlap is the number of bytes that the first read takes beyond a section, for the end of its
// last line.
const overlap = 1 << 10

// read reads the block of the section that begins at the offset at. It also reads the byte before
// the section, which shows whether the section begins with a new line.
func (s *sections) read(ctx context.Context, b *Block, at int64) error {
	lead := 0 // the number of bytes before the section in buf
	if at > s.start {
		lead = 1
	}
	from := at - int64(lead)
	filled, err := s.fill(b, from, 0, lead+s.size+overlap)
	if err != nil {
		return err
	}
	start := 0
	if lead > 0 {
		start = bytes.IndexByte(b.buf[:min(s.size, filled)], '\n') + 1
		if start == 0 {
			return nil // no line begins in the section
		}
	}
	// The last line that begins in the section ends at border or after it. If it is longer than overlap, its
	// remaining bytes are read, too.
	border := min(lead+s.size-1, filled)
	lastLine := max(start, bytes.LastIndexByte(b.buf[:border], '\n')+1)
	searched := border // no line feed is between the beginning of the line and here
	for {
		i := bytes.IndexByte(b.buf[searched:min(filled, lastLine+s.limit)], '\n')
		if i >= 0 {
			b.set(start, searched+i+1)
			return nil
		}
		if filled-lastLine >= s.limit {
			b.set(start, lastLine)
			return ErrLongLine
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		searched = filled
		filled, err = s.fill(b, from, filled, min(2*filled, lastLine+s.limit))
		if err != nil {
			return err
		}
		if filled == searched { // the text ends without a line feed
			b.set(start, filled)
			return nil
		}
	}
}

// fill reads buf[filled:want], or less if the text ends before, and returns how many bytes of buf are
// filled then. buf[0] is the byte of the file at offset from.
func (s *sections) fill(b *Block, from int64, filled, want int) (int, error) {
	want = int(min(int64(want), s.end-from))
	if want <= filled {
		return filled, nil
	}
	b.reserve(want)
	n, err := s.r.ReadAt(b.buf[filled:want], from+int64(filled))
	if err == io.EOF {
		err = nil
	}
	return filled + n, err
}

// plainInput returns an input that reads r at any offset, nil if r can only be read in order, or
// is compressed.
func plainInput(r io.Reader, size int, meter *progress.Meter) *Input {
	text, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	left := Remaining(r)
	if !ok || left <= 0 {
		return nil
	}
	at, err := text.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	var start [compressed.MagicSize]byte
	n, err := text.ReadAt(start[:min(compressed.MagicSize, left)], at)
	isUnreadable := err != nil && err != io.EOF
	if isUnreadable || compressed.Format(start[:n]) != "" {
		return nil
	}
	in := NewSections(text, at, at+left, size, LineMax, meter)
	// Closing moves r to its end, as reading all of it would have done.
	moveToEnd := func() { _, _ = text.Seek(at+left, io.SeekStart) }
	return &Input{Source: in, Bytes: left, Close: moveToEnd}
}
