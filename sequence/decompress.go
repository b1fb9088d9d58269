package sequence

import (
	"bufio"
	"compress/bzip2"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// decompress tells by the first bytes of r how it is compressed. What it returns
// must be given back by calling done.
func decompress(r io.Reader) (text io.Reader, done func(), err error) {
	buffered := bufio.NewReader(r)
	start, _ := buffered.Peek(4)
	done = func() {}
	switch magic := string(start); {
	case strings.HasPrefix(magic, "\x1f\x8b"):
		text, err = gzip.NewReader(buffered)
	case strings.HasPrefix(magic, "BZh"):
		text = bzip2.NewReader(buffered)
	case magic == "\x28\xb5\x2f\xfd":
		var z *zstd.Decoder
		z, err = zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1))
		if err == nil {
			text, done = z, z.Close
		}
	default:
		return buffered, done, nil
	}
	if err != nil {
		return nil, nil, damaged(err)
	}
	return &decompressed{text}, done, nil
}

// decompressed says in its errors that it is not the file which cannot be read.
type decompressed struct{ r io.Reader }

func (d *decompressed) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	return n, err
}

func damaged(err error) error {
	return fmt.Errorf("the compressed data is damaged or truncated (%w): fetch the file again", err)
}
