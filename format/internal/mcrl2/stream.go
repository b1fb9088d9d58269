package mcrl2

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
)

// stream reads the packets of a file.
type stream struct {
	*bitReader
	*terms
	file string
	// symbolOut and argumentsOut are the last term that was output; valueOut is
	// the last number.
	symbolOut    uint32
	argumentsOut []term
	valueOut     uint64
}

// packet is the kind of something that was output.
type packet uint8

const (
	noPacket packet = iota
	aTerm
	aNumber
	theEnd
)

// These are the kinds of packets, which two bits encode.
const (
	packetSymbol = iota
	packetTerm
	packetTermOut
	packetNumberOut
)

// These are the versions that are supported.
const (
	versionFirst = 0x8306
	versionLast  = 0x8308
)

// versions says when mCRL2 wrote other versions.
var versions = map[uint64]string{0x8305: ", of 2019"}

// Begins reports whether a text begins as an .lts file of mCRL2 of any version.
// Cost O(1).
func Begins(start []byte) bool {
	return len(start) >= 3 && start[0] == 0 && start[1] == 0x8b && start[2] == 0xaf
}

// header reads the first five bytes.
func (s *stream) header() {
	magic, version := s.take(24), s.take(16)
	switch {
	case s.err != nil && magic != 0x008baf:
		s.notMcrl2()
	case s.err != nil:
		s.intact()
	case magic != 0x008baf:
		s.notMcrl2()
	case version < versionFirst || version > versionLast:
		abort.On(inputfile.NewError(s.file, 0, fmt.Errorf("at byte 3: version %#x of mCRL2's .lts format%s; versions %#x to %#x are read: make the file anew with a recent mCRL2, or convert it with the ltsconvert that came with the one which wrote it",
			version, versions[version], versionFirst, versionLast)))
	}
}

func (s *stream) notMcrl2() {
	abort.On(s.ctx.Err())
	if s.err != nil && s.err != io.ErrUnexpectedEOF {
		abort.On(inputfile.FileError(s.file, s.err))
	}
	abort.On(inputfile.NewError(s.file, 0, errors.New("this is not an .lts file of mCRL2: these begin with the bytes 00 8b af; a file of another format needs its suffix, such as .aut")))
}

// intact fails if bits were missing.
func (s *stream) intact() {
	if s.err != nil {
		s.fail()
	}
}

// fail ends the reading because bits are missing.
func (s *stream) fail() {
	abort.On(s.ctx.Err())
	switch {
	case s.err == io.ErrUnexpectedEOF:
		s.refuse("the file ends too early: it is truncated; fetch it again, or make it anew")
	case s.err == errLargeNumber || s.err == errLongName:
		s.refuse("%v: the file is damaged", s.err)
	}
	abort.On(inputfile.FileError(s.file, s.err))
}

// refuse ends the reading with an error about the current position in the file.
func (s *stream) refuse(format string, a ...any) {
	abort.On(inputfile.NewError(s.file, 0, fmt.Errorf("at byte %d: "+format, append([]any{s.offset()}, a...)...)))
}

// next reads packets up to the next one that is output.
func (s *stream) next(ctx context.Context) packet {
	for {
		switch s.take(2) {
		case packetSymbol:
			name := s.identifier()
			s.intact()
			arity := s.integer()
			s.intact()
			s.addSymbol(name, arity)
		case packetNumberOut:
			s.valueOut = s.integer()
			s.intact()
			return aNumber
		case packetTermOut:
			symbol, read := s.term(ctx)
			if read == aTerm {
				s.symbolOut = symbol
			}
			if read != noPacket {
				return read
			}
		default: // a term that joins table A
			symbol, read := s.term(ctx)
			if read == theEnd {
				return read
			}
			if read == aTerm {
				s.reserve(ctx, len(s.argumentsOut))
				s.add(symbol, s.argumentsOut...)
			}
		}
	}
}

// symbolNext reads the index of a symbol.
func (s *stream) symbolNext() uint32 {
	at := s.take(s.symbolWidth)
	s.intact()
	if at >= uint64(len(s.symbols)) {
		s.refuse("function symbol %d of %d: the file is damaged", at, len(s.symbols))
	}
	return uint32(at)
}

// term reads a symbol, and the arguments of the term that it begins, if any.
func (s *stream) term(ctx context.Context) (symbol uint32, read packet) {
	at := s.symbolNext()
	switch of := &s.symbols[at]; of.role {
	case endOfStream:
		return at, theEnd
	case number:
		// mCRL2 outputs no such packet, but reads it as a number in table A.
		v := s.integer()
		s.intact()
		s.reserve(ctx, 2)
		s.add(at, term(v>>32), term(v))
		return at, noPacket
	default:
		s.argumentsNext(of.arity)
		return at, aTerm
	}
}

// argumentsNext reads the indexes of n arguments.
func (s *stream) argumentsNext(n uint64) {
	s.argumentsOut = s.argumentsOut[:0]
	for range n {
		at := s.take(s.termWidth)
		s.intact()
		if at >= uint64(len(s.symbolOf)) {
			s.refuse("term %d of %d: the file is damaged", at, len(s.symbolOf))
		}
		s.argumentsOut = append(s.argumentsOut, term(at))
	}
}

// reserve makes room for a term with n arguments.
func (s *stream) reserve(ctx context.Context, n int) { s.bear(s.terms.reserve(ctx, n)) }

// bear ends the reading with the error of a table that does not fit into memory; it does nothing if there is
// none.
func (s *stream) bear(err error) {
	if err != nil {
		abort.On(s.ctx.Err())
		abort.On(inputfile.NewError(s.file, 0, err))
	}
}

// roleOut returns the role of the term that was output last.
func (s *stream) roleOut() role { return s.symbols[s.symbolOut].role }

// numberNext reads the next output, which must be a number; errors call the
// number by the noun what.
func (s *stream) numberNext(ctx context.Context, what string) uint64 {
	s.expect(ctx, aNumber, what)
	return s.valueOut
}

// termNext reads the next output, which must be a term.
func (s *stream) termNext(ctx context.Context, what string) { s.expect(ctx, aTerm, what) }

func (s *stream) expect(ctx context.Context, kind packet, what string) {
	if s.next(ctx) != kind {
		s.refuse("%s is missing: the file is damaged", what)
	}
}

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
