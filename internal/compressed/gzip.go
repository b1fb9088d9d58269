//go:build !js

package compressed

import (
	"io"

	"github.com/klauspost/compress/gzip"
)

func gunzip(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }
