// Package plaintext opens the text of a model, which may be compressed, for the
// readers of all formats.
//
// The invariant that holds inside: an error names the file.
package plaintext

import (
	"context"
	"io"

	"github.com/inev-lts/inev/internal/compressed"
	"github.com/inev-lts/inev/internal/inputfile"
)

// Open returns the text of a file, plain or compressed by gzip, zstd or bzip2,
// which it recognises by the first bytes, and the name of the file in messages:
// "input" if none is given. Errors are of type [inputfile.Error], unless ctx is done.
func Open(ctx context.Context, r io.Reader, name string) (text *compressed.Reader, shown string, err error) {
	if name == "" {
		name = "input"
	}
	text, err = compressed.NewReader(r, 1)
	switch {
	case ctx.Err() != nil:
		return nil, name, ctx.Err()
	case err != nil:
		return nil, name, inputfile.FileError(name, err)
	}
	return text, name, nil
}
