package aut

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Compression is a way to compress a file that is written.
type Compression uint8

// The compressions that can be written. bzip2 can only be read.
const (
	None Compression = iota
	Gzip
	Zstd
)

// CompressionOf returns the compression that the suffix of path asks for: Gzip
// for .gz, Zstd for .zst, None for all others. It fails for .bz2.
func CompressionOf(path string) (Compression, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		return Gzip, nil
	case ".zst":
		return Zstd, nil
	case ".bz2":
		return None, &Error{File: path, Message: "bzip2 can be read but not written: choose .gz or .zst"}
	}
	return None, nil
}

// Compress returns a writer that compresses what is written to it and passes it
// on to w. Its Close ends the compressed data, and does not close w. The same
// input gives the same bytes always: no time is written, and zstd runs on one
// goroutine.
func Compress(w io.Writer, c Compression) (io.WriteCloser, error) {
	switch c {
	case None:
		return uncompressed{w}, nil
	case Gzip:
		z := gzip.NewWriter(w)
		z.ModTime = time.Unix(0, 0)
		return z, nil
	case Zstd:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return nil, fmt.Errorf("aut: there is no compression %d", c)
}

// uncompressed is the writer for None.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }
