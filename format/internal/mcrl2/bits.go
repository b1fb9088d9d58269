package mcrl2

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
)

// bitReader reads numbers of bits. Once the text has ended or cannot be read, it
// returns zeros, and err says why.
type bitReader struct {
	ctx context.Context
	r   io.Reader
	buf []byte
	// buf[at:end] was read, but is not in bits yet.
	at, end int
	// base is the number of bytes of the text before buf.
	base int64
	// bits holds the next n bits at its top. The bits below are zeros, or bits
	// that are read again later.
	bits uint64
	n    uint
	err  error
}

// bufferSize is how many bytes are read at a time; the context is checked each
// time.
const bufferSize = 64 << 10

func newBitReader(ctx context.Context, r io.Reader) *bitReader {
	return &bitReader{ctx: ctx, r: r, buf: make([]byte, bufferSize)}
}

// offset returns the number of whole bytes that have been read.
func (b *bitReader) offset() int64 { return b.base + int64(b.at) - int64((b.n+7)/8) }

// take returns the next k bits, at most 32.
func (b *bitReader) take(k uint) uint64 {
	if b.n < k && !b.fill(k) {
		return 0
	}
	v := b.bits >> (64 - k)
	b.bits <<= k
	b.n -= k
	return v
}

// fill reads until there are at least k bits. It returns false if there are no
// more.
func (b *bitReader) fill(k uint) bool {
	if b.end-b.at < 8 {
		b.more()
	}
	if b.end-b.at >= 8 {
		b.bits |= binary.BigEndian.Uint64(b.buf[b.at:]) >> b.n
		whole := (63 - b.n) >> 3
		b.at += int(whole)
		b.n += 8 * whole
		return true
	}
	for b.n <= 56 && b.at < b.end {
		b.bits |= uint64(b.buf[b.at]) << (56 - b.n)
		b.at++
		b.n += 8
	}
	if b.n >= k {
		return true
	}
	if b.err == nil {
		b.err = io.ErrUnexpectedEOF
	}
	return false
}

// more reads until there are eight bytes or the text has ended.
func (b *bitReader) more() {
	left := copy(b.buf, b.buf[b.at:b.end])
	b.base += int64(b.at)
	b.at, b.end = 0, left
	for b.end < 8 && b.err == nil {
		if err := b.ctx.Err(); err != nil {
			b.err = err
			return
		}
		n, err := b.r.Read(b.buf[b.end:])
		b.end += n
		switch {
		case err == io.EOF:
			return
		case err != nil:
			b.err = err
		}
	}
}

// atEnd reports whether only zeros follow, with which mCRL2 fills the last words
// of a file.
func (b *bitReader) atEnd() bool {
	for range 2 * 8 {
		if b.n < 8 && !b.fill(8) {
			if b.err == io.ErrUnexpectedEOF {
				b.err = nil
				return true
			}
			return false
		}
		b.take(8)
	}
	return false
}

var errLargeNumber = errors.New("a number of more than 64 bits")

// integer returns the next number in groups of seven bits.
func (b *bitReader) integer() uint64 {
	v := uint64(0)
	for shift := uint(0); ; shift += 7 {
		group := b.take(8)
		if shift == 63 && group > 1 {
			if b.err == nil {
				b.err = errLargeNumber
			}
			return 0
		}
		v |= group & 0x7f << shift
		if group < 0x80 {
			return v
		}
	}
}

var errLongName = errors.New("a name of more than 16 MiB")

// nameMax is the largest length of a name.
const nameMax = 16 << 20

// identifier returns the next text, in memory that is allocated as it is read.
func (b *bitReader) identifier() string {
	length := b.integer()
	if length > nameMax {
		if b.err == nil {
			b.err = errLongName
		}
		return ""
	}
	text := make([]byte, 0, min(length, 64))
	for range length {
		c := b.take(8)
		if b.err != nil {
			return ""
		}
		text = append(text, byte(c))
	}
	return string(text)
}
