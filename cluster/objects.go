package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
)

// objects are files that the servers keep: a [batch.Store].
type objects struct {
	bucket jetstream.ObjectStore
	prefix string // of the names, before the digest
}

// Open returns the content with this digest.
func (o objects) Open(ctx context.Context, digest string) (io.ReadCloser, error) {
	content, err := o.bucket.Get(ctx, o.prefix+digest)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, &missingError{digest}
	}
	if err != nil {
		return nil, err
	}
	return content, nil
}

// missingError tells that servers do not have a file.
type missingError struct{ digest string }

func (e *missingError) Error() string {
	return "the servers have no file with the SHA-256 " + e.digest
}

// Put keeps what it reads, unless the servers have it.
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

// put keeps a file of this size, unless the servers have it and will have it for long.
func (o objects) put(ctx context.Context, digest string, size int64, file io.ReadSeeker) error {
	return persist(ctx, func(limited context.Context) error {
		known, err := o.bucket.GetInfo(limited, o.prefix+digest)
		switch {
		case err == nil && known.Size == uint64(size) && time.Since(known.ModTime) < keptModels/2:
			return nil
		case err != nil && !errors.Is(err, jetstream.ErrObjectNotFound):
			return err
		}
		return o.replace(ctx, digest, size, file)
	})
}

// replace keeps a file, whatever the servers have.
func (o objects) replace(ctx context.Context, digest string, size int64, file io.ReadSeeker) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return final{err}
	}
	ctx, stop := context.WithTimeout(ctx, timeToCarry(size))
	defer stop()
	h := sha256.New()
	_, err := o.bucket.Put(ctx, jetstream.ObjectMeta{Name: o.prefix + digest}, io.TeeReader(file, h))
	if err == nil && hex.EncodeToString(h.Sum(nil)) != digest {
		err = final{errors.New("has changed while it was being sent; run the batch again")}
	}
	return err
}

// timeToCarry returns how long a file may be on its way: it is sent at 256 KiB a second at
// least, or again.
func timeToCarry(size int64) time.Duration {
	return 30*time.Second + time.Duration(size>>18)*time.Second
}

// fetchTo writes the content with a digest to w.
func fetchTo(ctx context.Context, from batch.Store, digest string) ([]byte, error) {
	var text bytes.Buffer
	err := batch.Verified(ctx, from, digest, &text)
	return text.Bytes(), err
}

// parcel is a [batch.Store] of the files of one result: those that are small go with it.
type parcel struct {
	small map[string][]byte
	room  int
	large objects
}

// inParcel is how many bytes of files go with a result: far less than a message may have.
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
