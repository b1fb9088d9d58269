package aut

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"
)

// Compression is a way to compress a file that is written.
type Compression uint8

// The compressions that can be written. bzip2 can only be read.
const (
	None Compression = iota
	Gzip
	Zstd
)

const (
	// gzipPart is how many bytes are compressed as one part, with what is before
	// them as the dictionary.
	gzipPart = 1 << 20
	// zstdStages is how many blocks are in work: one is searched for matches
	// while another one is encoded, and more make nothing faster.
	zstdStages = 2
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
// on to w, on several goroutines. Its Close ends the compressed data, and those
// goroutines; it does not close w. The same input gives the same bytes always,
// whatever the number of processors: no time is written, and the parts that gzip
// compresses side by side are of a fixed length.
func Compress(w io.Writer, c Compression) (io.WriteCloser, error) {
	switch c {
	case None:
		return uncompressed{w}, nil
	case Gzip:
		z := pgzip.NewWriter(w)
		z.ModTime = time.Unix(0, 0)
		return z, z.SetConcurrency(gzipPart, runtime.GOMAXPROCS(0))
	case Zstd:
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(zstdStages))
	}
	return nil, fmt.Errorf("aut: there is no compression %d", c)
}

// uncompressed is the writer for None.
type uncompressed struct{ io.Writer }

func (uncompressed) Close() error { return nil }
