package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/progress"
)

// chunks are files that the servers keep in a stream: a [batch.Store]. A chunk of a file is a
// message; its subject has the digest of the file and the number of the chunk. So a transfer that a
// lost server stops continues with the next chunk, and each sender can be limited to its own
// subjects.
type chunks struct {
	queue  *queue
	stream string
	prefix string // before the digest in a subject
	most   int64  // the largest size of a file that is read, in bytes; 0 for no limit
}

const (
	// chunkSize is the size of all chunks but the last one, far below the limit of a message.
	chunkSize = 256 << 10
	// sizeHeader is the field of each chunk's header with the size of the file.
	sizeHeader = "Inev-Size"
	// chunkPatience is how long a request for a chunk may take: as long as a transfer at 17 KiB a
	// second.
	chunkPatience = 15 * time.Second
)

func (c chunks) subject(digest string, i int) string {
	return fmt.Sprintf("%s%s.%d", c.prefix, digest, i)
}

// numberOfChunks returns the number of chunks of a file; an empty file has one.
func numberOfChunks(size int64) int { return int(max(1, (size+chunkSize-1)/chunkSize)) }

// Open returns the content with this digest. It waits until servers answer or ctx is done. The
// error is a *[tooLargeError] if the file is larger than the store's limit, whatever its first
// chunk says.
func (c chunks) Open(ctx context.Context, digest string) (io.ReadCloser, error) {
	if !isDigest(digest) {
		return nil, fmt.Errorf("%q is not a SHA-256", digest)
	}
	r := &chunkReader{chunks: c, ctx: ctx, digest: digest}
	first, err := r.fetch(0)
	if err != nil {
		return nil, err
	}
	size, err := strconv.ParseInt(first.header(sizeHeader), 10, 64)
	if err != nil || size < 0 {
		return nil, fmt.Errorf("the servers have a file without a size under the SHA-256 %s",
			digest)
	}
	if c.most > 0 && size > c.most {
		return nil, &tooLargeError{size, c.most}
	}
	r.size = size
	return r, r.beginChunk(first)
}

// chunkReader reads the chunks of a file one after the other.
type chunkReader struct {
	chunks
	ctx    context.Context
	digest string
	size   int64
	// received counts the bytes of the chunks before next.
	received int64
	next     int    // the index of the chunk that is requested next
	unread   []byte // the unread rest of the chunk before
}

// fetch returns chunk i of the file. It fails with a *[missingError] if the servers do not have it, and otherwise
// tries again.
func (r *chunkReader) fetch(i int) (m *message, err error) {
	err = persistently(r.ctx, func() (err error) {
		limited, stop := context.WithTimeout(r.ctx, chunkPatience)
		defer stop()
		m, err = r.queue.get(limited, r.stream, messageRequest{Last: r.subject(r.digest, i)})
		if errors.Is(err, jetstream.ErrMsgNotFound) ||
			errors.Is(err, jetstream.ErrStreamNotFound) {
			return finalError{&missingError{r.digest}}
		}
		return err
	})
	return m, err
}

// beginChunk starts the reading of a chunk.
func (r *chunkReader) beginChunk(m *message) error {
	r.received += int64(len(m.Data))
	if r.received > r.size {
		return &tooLargeError{r.received, r.size}
	}
	r.unread = m.Data
	r.next++
	return nil
}

// Read reads the rest of a chunk, and requests the next chunk once there is none.
func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.unread) == 0 {
		if r.next >= numberOfChunks(r.size) {
			return 0, io.EOF
		}
		m, err := r.fetch(r.next)
		if err == nil {
			err = r.beginChunk(m)
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, r.unread)
	r.unread = r.unread[n:]
	return n, nil
}

// Close ends the reading.
func (r *chunkReader) Close() error { return nil }

// missingError reports that the servers do not have a file, or not all of it.
type missingError struct{ digest string }

func (e *missingError) Error() string {
	return "the servers have no file with the SHA-256 " + e.digest
}

// tooLargeError reports a file that is larger than allowed.
type tooLargeError struct{ size, most int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("a file has %s, but only %s are allowed", progress.Bytes.Format(e.size),
		progress.Bytes.Format(e.most))
}

// Put stores the content of a reader, unless the servers have it.
func (c chunks) Put(ctx context.Context, content io.Reader) (digest string, err error) {
	file, is := content.(io.ReadSeeker)
	if !is {
		text, err := io.ReadAll(content)
		if err != nil {
			return "", err
		}
		file = bytes.NewReader(text)
	}
	h := sha256.New()
	size, err := io.Copy(h, file)
	if err != nil {
		return "", err
	}
	digest = hex.EncodeToString(h.Sum(nil))
	return digest, c.send(ctx, digest, size, file)
}

// putModel stores a file of this size, unless the servers have it and will still keep it for long
// enough.
func (c chunks) putModel(
	ctx context.Context,
	digest string,
	size int64,
	file io.ReadSeeker,
) error {
	known, err := c.has(ctx, digest, size)
	if err != nil || known {
		return err
	}
	return c.send(ctx, digest, size, file)
}

// has reports whether the servers have a file of this size, and have had its first chunk for less
// than half of keptModels. Chunks are sent in order, so the last chunk means that
// the others are there, too.
func (c chunks) has(ctx context.Context, digest string, size int64) (known bool, err error) {
	err = persist(ctx, func(ctx context.Context) error {
		known = false
		for _, i := range []int{0, numberOfChunks(size) - 1} {
			m, err := c.queue.get(ctx, c.stream, messageRequest{Last: c.subject(digest, i)})
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			if m.header(sizeHeader) != strconv.FormatInt(size, 10) ||
				time.Since(m.Time) > keptModels/2 {
				return nil
			}
		}
		known = true
		return nil
	})
	return known, err
}

// send stores a file, even if the servers have it.
func (c chunks) send(ctx context.Context, digest string, size int64, file io.ReadSeeker) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	h := sha256.New()
	content := bufio.NewReaderSize(io.TeeReader(file, h), 64<<10)
	last := numberOfChunks(size) - 1
	for i := range last + 1 {
		chunk, err := io.ReadAll(io.LimitReader(content, chunkSize))
		if err != nil {
			return err
		}
		if i == last {
			_, atEnd := content.Peek(1)
			hasGrown := atEnd == nil
			if hasGrown || hex.EncodeToString(h.Sum(nil)) != digest {
				return errors.New("has changed while it was being sent; run the batch again")
			}
		}
		if err := c.sendChunk(ctx, c.subject(digest, i), size, chunk); err != nil {
			return err
		}
	}
	return nil
}

// sendChunk stores a chunk of a file of the given size, unless the servers have it.
func (c chunks) sendChunk(ctx context.Context, subject string, size int64, chunk []byte) error {
	return persistently(ctx, func() error {
		limited, stop := context.WithTimeout(ctx, chunkPatience)
		defer stop()
		_, err := c.queue.js.PublishMsg(limited, &nats.Msg{
			Subject: subject,
			Data:    chunk,
			Header:  nats.Header{sizeHeader: {strconv.FormatInt(size, 10)}},
		})
		if isThere(err) {
			return nil
		}
		return noRoom(err)
	})
}

// fetched returns the content that has this digest, checked.
func fetched(ctx context.Context, from batch.Store, digest string) ([]byte, error) {
	var text bytes.Buffer
	err := batch.Verified(ctx, from, digest, &text)
	return text.Bytes(), err
}

// parcel is a [batch.Store] of the files of one result: small files travel with the result.
type parcel struct {
	small     map[string][]byte
	freeBytes int
	large     chunks
}

// mostParcelBytes is the largest number of bytes of files that travel with a result, far below the limit
// of a message.
const mostParcelBytes = 128 << 10

func (p *parcel) Open(ctx context.Context, digest string) (io.ReadCloser, error) {
	if text, is := p.small[digest]; is {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	return p.large.Open(ctx, digest)
}

// Put keeps a small file in the parcel as long as there is room, and stores other content on the servers.
func (p *parcel) Put(ctx context.Context, content io.Reader) (digest string, err error) {
	f, is := content.(*os.File)
	if !is {
		return p.large.Put(ctx, content)
	}
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if info.Size() > int64(p.freeBytes) {
		return p.large.Put(ctx, content)
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	digest = hex.EncodeToString(sum[:])
	p.freeBytes -= len(text)
	p.small[digest] = text
	return digest, nil
}
