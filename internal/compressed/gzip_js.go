package compressed

import (
	"compress/gzip"
	"io"
)

// gunzip is slower than elsewhere, and has not to be loaded.
func gunzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
