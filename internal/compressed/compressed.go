// Package compressed reads text that may be compressed by gzip, zstd or bzip2. It
// decides by the first bytes, not by a name.
package compressed

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/inev-lts/inev/internal/contained"
)

// windowMax limits the memory that a zstd file may claim by its header; zstd
// itself refuses larger windows, too, by default.
const windowMax = 128 << 20

// MagicSize is the number of bytes that [Format] needs.
const MagicSize = 4

// Format names the compression of a file that begins with these bytes: gzip, zstd or
// bzip2; "" for plain text.
func Format(start []byte) string {
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return "gzip"
	case bytes.HasPrefix(start, []byte("BZh")):
		return "bzip2"
	case bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd")):
		return "zstd"
	case len(start) >= MagicSize && start[0]&0xf0 == 0x50 &&
		string(start[1:MagicSize]) == "\x2a\x4d\x18":
		// pzstd begins its files with a skippable frame of zstd.
		return "zstd"
	}
	return ""
}

// Reader reads text, decompressed if necessary. It is for one goroutine.
type Reader struct {
	text   io.Reader
	format string
	raw    *rawReader
	close  func()
}

// NewReader returns a reader of the text in r; stages is the number of zstd blocks that are
// processed at the same time. It fails with a [*DamagedError] if the beginning of the compressed
// data is damaged, and with the error of r; if the text is plain, Read returns the error of r
// instead.
func NewReader(r io.Reader, stages int) (*Reader, error) {
	raw := &rawReader{r: r}
	buffered := bufio.NewReaderSize(raw, 64<<10)
	// A file that is shorter, or cannot be read, counts as plain text: reading it
	// returns the same error.
	start, _ := buffered.Peek(MagicSize)
	z := &Reader{
		text:   buffered,
		format: Format(start),
		raw:    raw,
		close:  func() {},
	}
	var err error
	switch z.format {
	case "bzip2":
		z.text = bzip2.NewReader(buffered)
	case "gzip":
		z.text, err = gunzip(buffered)
	case "zstd":
		err = z.unpackZstd(contained.Reader(buffered), stages)
	}
	if err != nil {
		return nil, z.blame(err)
	}
	return z, nil
}

// unpackZstd makes the text what zstd's data decompresses to.
func (z *Reader) unpackZstd(packed io.Reader, stages int) error {
	d, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(stages), zstd.WithDecoderMaxWindow(windowMax))
	if err != nil {
		return err
	}
	z.text = d
	z.close = d.Close
	return nil
}

// Format returns the name of the compression, "" for none.
func (z *Reader) Format() string { return z.format }

// Read reads text. It returns the errors of the underlying reader, and a
// [*DamagedError] for data that cannot be decompressed.
func (z *Reader) Read(p []byte) (int, error) {
	n, err := z.text.Read(p)
	if err != nil && err != io.EOF && z.format != "" {
		err = z.blame(err)
	}
	return n, err
}

// Close frees the memory of the decompressor. It does not close the underlying
// reader.
func (z *Reader) Close() { z.close() }

// blame returns the error of the underlying reader if that has failed, and otherwise the error of
// the decompressor.
func (z *Reader) blame(err error) error {
	if z.raw.err != nil {
		return z.raw.err
	}
	return &DamagedError{z.format, err}
}

// rawReader remembers the error of the reader below a decompressor, so that a
// failing disk is not reported as damaged data.
type rawReader struct {
	r   io.Reader
	err error
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// DamagedError is the error of compressed data that cannot be decompressed.
type DamagedError struct {
	Format string
	Cause  error
}

// Unwrap returns the error of the decompressor.
func (e *DamagedError) Unwrap() error { return e.Cause }

// Error says in one line what is wrong, and what to do.
func (e *DamagedError) Error() string {
	switch {
	case errors.Is(e.Cause, io.ErrUnexpectedEOF):
		return "the " + e.Format + " data ends too early: the file is truncated; fetch it again"
	case errors.Is(e.Cause, zstd.ErrWindowSizeExceeded):
		return "the zstd data needs a window of more than 128 MiB: decompress it first, with zstd -d --long=31"
	}
	return "the " + e.Format + " data is damaged (" + e.Cause.Error() +
		"): fetch the file again"
}
