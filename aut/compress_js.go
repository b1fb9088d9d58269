package aut

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/internal/inputfile"
)

// Compress returns a writer that passes its input on. It fails for .gz, .zst and
// .bz2: in a browser nothing is compressed, because the compressors are large to
// download.
func Compress(w io.Writer, path string) (io.WriteCloser, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz", ".zst", ".bz2":
		return nil, &inputfile.Error{
			File:    path,
			Message: "a browser writes nothing compressed: leave the last suffix out",
		}
	}
	return uncompressed{w}, nil
}
