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
	hashed *hashed // nil if no digest is asked for
}

func newContent(file io.Reader, path string, digest bool) *content {
	c := &content{Reader: file, path: path}
	left := int64(-1)
	if regular, is := file.(*os.File); is {
		if info, err := regular.Stat(); err == nil {
			c.file, c.before, left = regular, info, info.Size()
		}
	}
	if digest {
		c.hashed = &hashed{r: file, sum: sha256.New(), left: left}
		c.Reader = c.hashed
	}
	return c
}

// end returns the digest of the whole file once its model was read. It fails if
// the times or the length of the file have changed since it was opened.
func (c *content) end(ctx context.Context, name string) (digest string, err error) {
	if c.hashed != nil {
		if digest, err = c.hashed.rest(ctx); err != nil {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			return "", inputfile.FileError(name, err)
		}
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

// hashed hashes the bytes that are read. A caller can peek at the beginning of
// the text without consuming it.
type hashed struct {
	r      io.Reader
	sum    hash.Hash
	left   int64 // negative if it is not known
	peeked []byte
	err    error // the error at the end of reading ahead
}

// Len returns how many bytes are left to be read, less than 0 if that is unknown.
func (h *hashed) Len() int {
	if h.left < 0 {
		return -1
	}
	return int(h.left) + len(h.peeked)
}

// peek returns the beginning of the text without consuming it.
func (h *hashed) peek() []byte {
	if h.peeked == nil {
		buffer := make([]byte, startSize)
		n, err := io.ReadFull(h.r, buffer)
		if err != nil && err != io.ErrUnexpectedEOF {
			h.err = err
		}
		h.took(n)
		h.peeked = buffer[:n]
	}
	return h.peeked
}

func (h *hashed) took(n int) {
	if h.left >= 0 {
		h.left = max(0, h.left-int64(n))
	}
}

func (h *hashed) Read(p []byte) (n int, err error) {
	switch {
	case len(h.peeked) > 0:
		n = copy(p, h.peeked)
		h.peeked = h.peeked[n:]
	case h.err != nil:
		return 0, h.err
	default:
		n, err = h.r.Read(p)
		h.took(n)
	}
	h.sum.Write(p[:n])
	return n, err
}

// rest reads the bytes after those of the model, and returns the digest of
// the whole file.
func (h *hashed) rest(ctx context.Context) (string, error) {
	buffer := make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		_, err := h.Read(buffer)
		if err == io.EOF {
			return hex.EncodeToString(h.sum.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// metered returns a reader of r that counts the bytes read in the phase "read",
// for formats whose readers do not.
func metered(ctx context.Context, r io.Reader) io.Reader {
	total := max(0, blocks.Remaining(r))
	return &meteredReader{r, progress.Start(ctx, "read", progress.Bytes, total), total}
}

type meteredReader struct {
	r     io.Reader
	meter *progress.Meter
	left  int64 // 0 if it is not known
}

// Len returns how many bytes are left to be read, -1 if that is unknown.
func (m *meteredReader) Len() int {
	if m.left <= 0 {
		return -1
	}
	return int(m.left)
}

func (m *meteredReader) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.meter.Add(int64(n))
	m.left -= int64(n)
	return n, err
}
