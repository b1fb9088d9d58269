package aut

import (
	"io"
	"path/filepath"
	"strings"
)

// Compress returns a writer that passes on what is written to it. It fails for .gz, .zst and .bz2: a
// browser writes nothing compressed, since what compresses is large to load.
func Compress(w io.Writer, path string) (io.WriteCloser, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz", ".zst", ".bz2":
		return nil, &Error{File: path, Message: "a browser writes nothing compressed: leave the last suffix out"}
	}
	return uncompressed{w}, nil
}
