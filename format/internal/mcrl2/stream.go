package mcrl2

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

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
func (s *stream) header() error {
	magic, version := s.take(24), s.take(16)
	switch {
	case s.err != nil && magic != 0x008baf:
		return s.notMcrl2()
	case s.err != nil:
		return s.failure()
	case magic != 0x008baf:
		return s.notMcrl2()
	case version < versionFirst || version > versionLast:
		return inputfile.NewError(s.file, 0, fmt.Errorf("at byte 3: version %#x of mCRL2's .lts format%s; versions %#x to %#x are read: make the file anew with a recent mCRL2, or convert it with the ltsconvert that came with the one which wrote it",
			version, versions[version], versionFirst, versionLast))
	}
	return nil
}

func (s *stream) notMcrl2() error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	if s.err != nil && s.err != io.ErrUnexpectedEOF {
		return inputfile.FileError(s.file, s.err)
	}
	return inputfile.NewError(s.file, 0, errors.New("this is not an .lts file of mCRL2: these begin with the bytes 00 8b af; a file of another format needs its suffix, such as .aut"))
}

// failure returns the error for bits that are missing.
func (s *stream) failure() error {
	switch {
	case s.ctx.Err() != nil:
		return s.ctx.Err()
	case s.err == io.ErrUnexpectedEOF:
		return s.refuse("the file ends too early: it is truncated; fetch it again, or make it anew")
	case s.err == errLargeNumber || s.err == errLongName:
		return s.refuse("%v: the file is damaged", s.err)
	}
	return inputfile.FileError(s.file, s.err)
}

// refuse returns an error about the current position in the file.
func (s *stream) refuse(format string, a ...any) error {
	return inputfile.NewError(s.file, 0, fmt.Errorf("at byte %d: "+format, append([]any{s.offset()}, a...)...))
}

// next reads packets up to the next one that is output.
func (s *stream) next(ctx context.Context) (packet, error) {
	for {
		switch s.take(2) {
		case packetSymbol:
			name := s.identifier()
			if s.err != nil {
				return noPacket, s.failure()
			}
			arity := s.integer()
			if s.err != nil {
				return noPacket, s.failure()
			}
			s.addSymbol(name, arity)
		case packetNumberOut:
			s.valueOut = s.integer()
			if s.err != nil {
				return noPacket, s.failure()
			}
			return aNumber, nil
		case packetTermOut:
			if at, err := s.output(ctx); at != noPacket || err != nil {
				return at, err
			}
		default:
			if at, err := s.shared(ctx); at != noPacket || err != nil {
				return at, err
			}
		}
	}
}

// symbolNext reads the index of a symbol.
func (s *stream) symbolNext() (uint32, error) {
	at := s.take(s.symbolWidth)
	if s.err != nil {
		return 0, s.failure()
	}
	if at >= uint64(len(s.symbols)) {
		return 0, s.refuse("function symbol %d of %d: the file is damaged", at, len(s.symbols))
	}
	return uint32(at), nil
}

// output reads a term that is output.
func (s *stream) output(ctx context.Context) (packet, error) {
	at, read, err := s.term(ctx)
	if read == aTerm {
		s.symbolOut = at
	}
	return read, err
}

// shared reads a term that joins table A.
func (s *stream) shared(ctx context.Context) (packet, error) {
	at, read, err := s.term(ctx)
	if err != nil || read != aTerm {
		return read, err
	}
	if err := s.reserve(ctx, len(s.argumentsOut)); err != nil {
		return noPacket, s.unbearable(err)
	}
	s.add(at, s.argumentsOut...)
	return noPacket, nil
}

// term reads a symbol, and the arguments of the term that it begins, if any.
func (s *stream) term(ctx context.Context) (symbol uint32, read packet, err error) {
	at, err := s.symbolNext()
	if err != nil {
		return 0, noPacket, err
	}
	switch of := &s.symbols[at]; of.role {
	case endOfStream:
		return at, theEnd, nil
	case number:
		// mCRL2 outputs no such packet, but reads it as a number in table A.
		return at, noPacket, s.addInteger(ctx, at)
	default:
		if err := s.argumentsNext(of.arity); err != nil {
			return at, noPacket, err
		}
		return at, aTerm, nil
	}
}

func (s *stream) addInteger(ctx context.Context, at uint32) error {
	v := s.integer()
	if s.err != nil {
		return s.failure()
	}
	if err := s.reserve(ctx, 2); err != nil {
		return s.unbearable(err)
	}
	s.add(at, term(v>>32), term(v))
	return nil
}

// argumentsNext reads the indexes of n arguments.
func (s *stream) argumentsNext(n uint64) error {
	s.argumentsOut = s.argumentsOut[:0]
	for range n {
		at := s.take(s.termWidth)
		if s.err != nil {
			return s.failure()
		}
		if at >= uint64(len(s.symbolOf)) {
			return s.refuse("term %d of %d: the file is damaged", at, len(s.symbolOf))
		}
		s.argumentsOut = append(s.argumentsOut, term(at))
	}
	return nil
}

// unbearable returns the error for a table that does not fit into memory.
func (s *stream) unbearable(err error) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	return inputfile.NewError(s.file, 0, err)
}

// roleOut returns the role of the term that was output last.
func (s *stream) roleOut() role { return s.symbols[s.symbolOut].role }

// numberNext reads the next output, which must be a number; errors call the
// number by the noun what.
func (s *stream) numberNext(ctx context.Context, what string) (uint64, error) {
	kind, err := s.next(ctx)
	switch {
	case err != nil:
		return 0, err
	case kind != aNumber:
		return 0, s.refuse("%s is missing: the file is damaged", what)
	}
	return s.valueOut, nil
}

// termNext reads the next output, which must be a term.
func (s *stream) termNext(ctx context.Context, what string) error {
	kind, err := s.next(ctx)
	switch {
	case err != nil:
		return err
	case kind != aTerm:
		return s.refuse("%s is missing: the file is damaged", what)
	}
	return nil
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
