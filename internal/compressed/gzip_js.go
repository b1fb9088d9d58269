package compressed

import (
	"compress/gzip"
	"io"
)

// gunzip uses the standard library: slower than on other platforms, but nothing
// to download.
func gunzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
