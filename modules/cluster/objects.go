package cluster

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
)

// objects are files that the servers keep: a [batch.Store].
type objects struct {
	bucket jetstream.ObjectStore
	prefix string // before the digest in a name
	// still is the time without progress of a transfer after which the file is requested again; 0
	// stands for [standstill].
	still time.Duration
}

// A file is stored in parts, so that a server that fails during a transfer costs at most one part.
// The last part has the name of the file, and the number of the parts before it in its metadata;
// the parts before it are objects of their own, too.
const (
	partSize    = 4 << 20
	partsBefore = "parts-before"
)

// part returns the name of a part other than the last.
func (o objects) part(digest string, i int) string {
	return fmt.Sprintf("%s%s.%d", o.prefix, digest, i)
}

// before returns the number of the parts before the last.
func before(last *jetstream.ObjectInfo) int {
	n, err := strconv.Atoi(last.Metadata[partsBefore])
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// Open returns the content with this digest. It waits until servers answer or ctx is done.
func (o objects) Open(ctx context.Context, digest string) (io.ReadCloser, error) {
	last, err := openDownload(ctx, o.bucket, o.prefix+digest, cmp.Or(o.still, standstill))
	if err != nil {
		return nil, o.notFound(digest, err)
	}
	info, err := last.content.Info()
	if err != nil || before(info) == 0 {
		return last, err
	}
	return &parts{objects: o, ctx: ctx, digest: digest, number: before(info) + 1}, last.Close()
}

func (o objects) notFound(digest string, err error) error {
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return &missingError{digest}
	}
	return err
}

// parts reads the parts of a file one after the other.
type parts struct {
	objects
	ctx    context.Context
	digest string
	number int
	next   int       // the index of the part that is opened next
	now    *download // the part that is being read, nil for none
}

func (p *parts) Read(b []byte) (int, error) {
	for {
		if p.now == nil {
			if p.next == p.number {
				return 0, io.EOF
			}
			name := p.part(p.digest, p.next)
			if p.next == p.number-1 {
				name = p.prefix + p.digest
			}
			now, err := openDownload(p.ctx, p.bucket, name, cmp.Or(p.still, standstill))
			if err != nil {
				return 0, p.notFound(p.digest, err)
			}
			p.now = now
			p.next++
		}
		n, err := p.now.Read(b)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		_ = p.now.Close()
		p.now = nil
		if n > 0 {
			return n, nil
		}
	}
}

// Close ends the reading.
func (p *parts) Close() error {
	if p.now == nil {
		return nil
	}
	return p.now.Close()
}

// missingError reports that the servers do not have a file.
type missingError struct{ digest string }

func (e *missingError) Error() string {
	return "the servers have no file with the SHA-256 " + e.digest
}

// Put stores the content of a reader, unless the servers have it.
func (o objects) Put(ctx context.Context, content io.Reader) (digest string, err error) {
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
	return digest, o.put(ctx, digest, size, file)
}

// put stores a file of this size, unless the servers have it and will still keep it for long
// enough.
func (o objects) put(ctx context.Context, digest string, size int64, file io.ReadSeeker) error {
	var known bool
	err := persist(ctx, func(ctx context.Context) error {
		info, err := o.bucket.GetInfo(ctx, o.prefix+digest)
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return nil
		}
		known = err == nil && int64(before(info))*partSize+int64(info.Size) == size && time.Since(info.ModTime) < keptModels/2
		return err
	})
	if err != nil || known {
		return err
	}
	return o.replace(ctx, digest, file)
}

// replace stores a file even if the servers have it.
func (o objects) replace(ctx context.Context, digest string, file io.ReadSeeker) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	h := sha256.New()
	content := bufio.NewReaderSize(io.TeeReader(file, h), 64<<10)
	var part []byte
	for i := 0; ; i++ {
		var err error
		part, err = readPart(content, part)
		if err != nil {
			return err
		}
		if _, err := content.Peek(1); errors.Is(err, io.EOF) {
			if hex.EncodeToString(h.Sum(nil)) != digest {
				return errors.New("has changed while it was being sent; run the batch again")
			}
			return o.send(ctx, jetstream.ObjectMeta{Name: o.prefix + digest, Metadata: map[string]string{partsBefore: strconv.Itoa(i)}}, part)
		}
		if err := o.send(ctx, jetstream.ObjectMeta{Name: o.part(digest, i)}, part); err != nil {
			return err
		}
	}
}

// readPart reads the next part, or the remaining bytes for the last part, into the memory of the
// previous part.
func readPart(content io.Reader, room []byte) ([]byte, error) {
	part := bytes.NewBuffer(room[:0])
	_, err := io.CopyN(part, content, partSize)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return part.Bytes(), err
}

// send stores an object. An attempt may take as long as a transfer at 256 KiB a second would.
func (o objects) send(ctx context.Context, name jetstream.ObjectMeta, content []byte) error {
	return persistently(ctx, func() error {
		limited, stop := context.WithTimeout(ctx, 2*standstill+time.Duration(len(content)>>18)*time.Second)
		defer stop()
		_, err := o.bucket.Put(limited, name, bytes.NewReader(content))
		return noRoom(err)
	})
}

// fetched returns the content with a digest.
func fetched(ctx context.Context, from batch.Store, digest string) ([]byte, error) {
	var text bytes.Buffer
	err := batch.Verified(ctx, from, digest, &text)
	return text.Bytes(), err
}

// parcel is a [batch.Store] of the files of one result: small files travel with the result.
type parcel struct {
	small map[string][]byte
	room  int
	large objects
}

// inParcel is the largest number of bytes of files that travel with a result, far below the limit
// of a message.
const inParcel = 128 << 10

func (p *parcel) Open(ctx context.Context, digest string) (io.ReadCloser, error) {
	if text, is := p.small[digest]; is {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	return p.large.Open(ctx, digest)
}

func (p *parcel) Put(ctx context.Context, content io.Reader) (digest string, err error) {
	f, is := content.(*os.File)
	if !is {
		return p.large.Put(ctx, content)
	}
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if info.Size() > int64(p.room) {
		return p.large.Put(ctx, content)
	}
	text, err := io.ReadAll(content)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	digest = hex.EncodeToString(sum[:])
	p.room -= len(text)
	p.small[digest] = text
	return digest, nil
}
