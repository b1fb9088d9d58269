package format

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"

	"github.com/inev-lts/inev/internal/blocks"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/stoppable"
)

// errChanged is the error of a file that changed while it was read.
var errChanged = errors.New("has changed while it was being read: wait until it is complete, and run this again")

// content is a file that is being read. It detects that the file changes
// meanwhile, and computes its digest if requested.
type content struct {
	io.Reader
	path   string
	file   *os.File // nil if the input is no regular file
	before fs.FileInfo
	sum    hash.Hash // nil if no digest is asked for
}

func newContent(file io.Reader, path string, digest bool) *content {
	c := &content{Reader: file, path: path}
	if regular, is := file.(*os.File); is {
		if info, err := regular.Stat(); err == nil {
			c.file, c.before = regular, info
		}
	}
	if digest {
		c.sum = sha256.New()
		c.Reader = &counted{file, blocks.Remaining(file), func(data []byte) { c.sum.Write(data) }}
	}
	return c
}

// end returns the digest of the whole file once its model was read. It fails if
// the times or the length of the file have changed since it was opened.
func (c *content) end(ctx context.Context, name string) (digest string, err error) {
	if c.sum != nil {
		_, err := io.Copy(io.Discard, stoppable.EachRead(ctx, c.Reader)) // the bytes after those of the model
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil:
			return "", inputfile.FileError(name, err)
		}
		digest = hex.EncodeToString(c.sum.Sum(nil))
	}
	if c.file == nil {
		return digest, nil
	}
	now, err := c.file.Stat()
	if err != nil {
		return "", inputfile.FileError(name, err)
	}
	// A file has not changed if only its name was removed.
	there, gone := os.Stat(c.path)
	if !inputfile.Unchanged(c.before, now) || gone == nil && !os.SameFile(c.before, there) {
		return "", inputfile.NewError(name, 0, errChanged)
	}
	return digest, nil
}

// counted is a text with the number of its bytes that are left.
type counted struct {
	r    io.Reader
	left int64 // 0 or less if it is not known
	tell func(data []byte)
}

// Len returns how many bytes are left to be read, -1 if that is unknown.
func (c *counted) Len() int {
	if c.left <= 0 {
		return -1
	}
	return int(c.left)
}

func (c *counted) Read(data []byte) (int, error) {
	n, err := c.r.Read(data)
	c.left -= int64(n)
	c.tell(data[:n])
	return n, err
}

// metered returns a reader of r that counts the bytes read in the phase "read",
// for formats whose readers do not.
func metered(ctx context.Context, r io.Reader) io.Reader {
	left := blocks.Remaining(r)
	meter := progress.Start(ctx, "read", progress.Bytes, max(0, left))
	return &counted{r, left, func(data []byte) { meter.Add(int64(len(data))) }}
}
