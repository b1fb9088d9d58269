//go:build !js

package aut

import (
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/klauspost/pgzip"
)

// gzipPart is how many bytes are compressed as one part, with what is before
// them as the dictionary.
const gzipPart = 1 << 20

// Compress returns a writer that compresses what is written to it as the suffix of path asks
// for, by gzip for .gz, by zstd for .zst, else not at all, and passes it on to w, on several
// goroutines. Its Close ends the compressed data, and those goroutines; it does not close w. The
// same input gives the same bytes always, whatever the number of processors: no time is written,
// and the parts that gzip compresses side by side are of a fixed length. It fails for .bz2, which
// can only be read.
func Compress(w io.Writer, path string) (io.WriteCloser, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		z := pgzip.NewWriter(w)
		z.ModTime = time.Unix(0, 0)
		return z, z.SetConcurrency(gzipPart, runtime.GOMAXPROCS(0))
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(zstdStages))
	case ".bz2":
		return nil, &Error{File: path, Message: "bzip2 can be read but not written: choose .gz or .zst"}
	}
	return uncompressed{w}, nil
}
