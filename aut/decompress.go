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
)

// windowMax bounds the memory a zstd file may claim by its header; zstd itself
// refuses larger windows, too, unless told otherwise.
const windowMax = 128 << 20

// input is the text of a file, decompressed where need be.
type input struct {
	text io.Reader
	// size is the number of bytes in text, -1 where it is unknown.
	size int64
	// close gives back what the decompressor holds.
	close func()
}

// decompress tells by the first bytes of r how it is compressed.
func decompress(r io.Reader) (*input, error) {
	size := remaining(r)
	raw := &rawReader{r: r}
	buffered := bufio.NewReaderSize(raw, 64<<10)
	// A shorter file, or one that cannot be read, is not compressed: whoever
	// reads on meets the same error.
	start, _ := buffered.Peek(4)
	in := &input{text: buffered, size: -1, close: func() {}}
	switch format := compressedBy(start); format {
	case "":
		in.size = size
	case "bzip2":
		in.text = &decompressed{bzip2.NewReader(buffered), raw, format}
	case "gzip":
		z, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, raw.blame(format, err)
		}
		in.text = &decompressed{z, raw, format}
	case "zstd":
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(windowMax))
		if err != nil {
			return nil, raw.blame(format, err)
		}
		in.text, in.close = &decompressed{z, raw, format}, z.Close
	}
	return in, nil
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
// disk that fails is not taken for damaged data.
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
