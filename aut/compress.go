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

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/required"
)

// gzipPart is the number of bytes of a part. Parts are compressed at the same time, each with the
// bytes before it as its dictionary.
const gzipPart = 1 << 20

// zstdStages is how many blocks are processed at the same time: one is searched
// for matches while another one is encoded; more make nothing faster.
const zstdStages = 2

// Compress returns a writer that compresses its input by gzip if path ends in
// .gz, by zstd if it ends in .zst, and otherwise not at all, and writes the
// result to w, on several goroutines. Its Close ends the compressed data and the
// goroutines; it does not close w. The same input always gives the same bytes,
// whatever the number of processors: no time is written, and the parts that gzip
// compresses side by side have a fixed length. It fails for .bz2, which can only
// be read.
func Compress(w io.Writer, path string) (io.WriteCloser, error) {
	if err := required.Argument("w", w); err != nil {
		return nil, err
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		z := pgzip.NewWriter(w)
		z.ModTime = time.Unix(0, 0)
		return z, z.SetConcurrency(gzipPart, runtime.GOMAXPROCS(0))
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(zstdStages))
	case ".bz2":
		return nil, &inputfile.Error{
			File:    path,
			Message: "bzip2 can be read but not written: choose .gz or .zst",
		}
	}
	return uncompressed{w}, nil
}
