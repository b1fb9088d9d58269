package aut

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/inev-lts/inev/progress"
)

// windowMax bounds the memory a zstd file may claim by its header; zstd itself
// refuses larger windows, too, unless told otherwise.
const windowMax = 128 << 20

// input is the text of a file, decompressed where need be.
type input struct {
	source
	// size is the number of bytes in the text, -1 where it is unknown.
	size int64
	// close gives back what the decompressor holds.
	close func()
}

// newInput tells by the first bytes of r how it is compressed. What is read is
// told to the meter, in bytes of r. Blocks are of size bytes.
func newInput(r io.Reader, size int, meter *progress.Meter) (*input, error) {
	if in := plainInput(r, size, meter); in != nil {
		return in, nil
	}
	raw := &rawReader{r: r, meter: meter}
	buffered := bufio.NewReaderSize(raw, 64<<10)
	// A shorter file, or one that cannot be read, is not compressed: whoever
	// reads on meets the same error.
	start, _ := buffered.Peek(4)
	in := &input{size: -1, close: func() {}}
	text := io.Reader(buffered)
	switch format := compressedBy(start); format {
	case "bzip2":
		text = &decompressed{bzip2.NewReader(buffered), raw, format}
	case "gzip":
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, raw.blame(format, err)
		}
		text = &decompressed{z, raw, format}
	case "zstd":
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(zstdStages), zstd.WithDecoderMaxWindow(windowMax))
		if err != nil {
			return nil, raw.blame(format, err)
		}
		text, in.close = &decompressed{z, raw, format}, z.Close
	}
	in.source = newStream(text, size, lineMax)
	return in, nil
}

// plainInput returns the input that reads r at any place, nil where r does not
// allow it, or is compressed.
func plainInput(r io.Reader, size int, meter *progress.Meter) *input {
	text, ok := r.(interface {
		io.ReaderAt
		io.Seeker
	})
	left := remaining(r)
	if !ok || left <= 0 {
		return nil
	}
	at, err := text.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	var start [4]byte
	n, err := text.ReadAt(start[:min(4, left)], at)
	if err != nil && err != io.EOF || compressedBy(start[:n]) != "" {
		return nil
	}
	in := newSections(text, at, at+left, size, lineMax, meter)
	// Who reads on finds the end.
	return &input{in, left, func() { _, _ = text.Seek(at+left, io.SeekStart) }}
}

// compressedBy names the format of a file that begins with these bytes, "" for
// plain text.
func compressedBy(start []byte) string {
	switch {
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return "gzip"
	case bytes.HasPrefix(start, []byte("BZh")):
		return "bzip2"
	case bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd")):
		return "zstd"
	case len(start) == 4 && start[0]&0xf0 == 0x50 && string(start[1:]) == "\x2a\x4d\x18":
		// A skippable frame of zstd, which pzstd begins its files with.
		return "zstd"
	}
	return ""
}

// remaining returns how many bytes r has left to read, -1 where it cannot tell.
func remaining(r io.Reader) int64 {
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

// rawReader remembers the error of the reader below a decompressor, so that a
// disk that fails is not taken for damaged data, and tells the meter of bytes.
type rawReader struct {
	r     io.Reader
	meter *progress.Meter
	err   error
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.meter.Add(int64(n))
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

// blame returns the error of the reader where there is one, and else what the
// decompressor says.
func (r *rawReader) blame(format string, err error) error {
	if r.err != nil {
		return r.err
	}
	return &damagedError{format, err}
}

// decompressed is what a decompressor gives, with errors that say whose they
// are.
type decompressed struct {
	r      io.Reader
	raw    *rawReader
	format string
}

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && err != io.EOF {
		err = d.raw.blame(d.format, err)
	}
	return n, err
}

// damagedError tells of compressed data that cannot be decompressed.
type damagedError struct {
	format string
	cause  error
}

func (e *damagedError) Error() string {
	switch {
	case errors.Is(e.cause, io.ErrUnexpectedEOF):
		return "the " + e.format + " data ends too early: the file is truncated; fetch it again"
	case errors.Is(e.cause, zstd.ErrWindowSizeExceeded):
		return "the zstd data needs a window of more than 128 MiB: decompress it first, with zstd -d --long=31"
	}
	return "the " + e.format + " data is damaged (" + e.cause.Error() + "): fetch the file again"
}
