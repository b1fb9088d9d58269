package aut

import (
	"io"
	"path/filepath"
	"strings"
)

// Compress is that of other systems for what is not compressed. A browser writes nothing else: what compresses
// would be a tenth of what a page has to load.
func Compress(w io.Writer, path string) (io.WriteCloser, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz", ".zst", ".bz2":
		return nil, &Error{File: path, Message: "a browser writes nothing compressed: leave the last suffix out"}
	}
	return uncompressed{w}, nil
}
