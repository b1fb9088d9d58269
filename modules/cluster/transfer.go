package cluster

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	// standstill is the time without progress of a transfer after which the file is requested
	// again. The client itself notices a silent server within 10 seconds, and turns to another
	// server.
	standstill = 15 * time.Second
	// lookAgain is the longest time that a read goes on after its context is done.
	lookAgain = 250 * time.Millisecond
)

// errStandstill reports that nothing has arrived for a long time.
var errStandstill = errors.New("the servers have sent nothing for long")

// download reads an object. If nothing arrives for a long time, as from a server that has stopped
// silently, it requests the object again and continues at the same offset, since the content of a
// name never changes. It ends when the context of openDownload is done.
type download struct {
	bucket jetstream.ObjectStore
	name   string
	ctx    context.Context
	still  time.Duration // the longest time without data

	content jetstream.ObjectResult // nil if the object must be requested
	attempt context.Context
	stop    context.CancelCauseFunc
	alarm   *time.Timer
	read    int64
}

// openDownload requests an object. The error is [jetstream.ErrObjectNotFound] if there is none.
func openDownload(ctx context.Context, bucket jetstream.ObjectStore, name string, still time.Duration) (*download, error) {
	d := &download{bucket: bucket, name: name, ctx: ctx, still: still}
	return d, d.ask()
}

// ask requests the object, and skips the bytes that were read before, until that succeeds or can
// never succeed.
func (d *download) ask() error {
	return persistently(d.ctx, func() error {
		err := d.askOnce()
		if err == nil {
			return nil
		}
		again := d.broken(err)
		d.giveUp()
		if again {
			return err
		}
		return final{err}
	})
}

func (d *download) askOnce() (err error) {
	attempt, stop := context.WithCancelCause(d.ctx)
	d.attempt, d.stop = attempt, stop
	// An alarm that has begun is not awaited, hence it must not stop a later attempt.
	d.alarm = time.AfterFunc(d.still, func() { stop(errStandstill) })
	d.content, err = d.bucket.Get(lookingOften{d.attempt}, d.name)
	if err != nil {
		d.content = nil
		return err
	}
	_, err = io.CopyN(io.Discard, arriving{d}, d.read)
	return err
}

// broken reports whether another request can succeed after an error. An attempt that was stopped
// has read too little, so that its object seems to be damaged.
func (d *download) broken(err error) bool {
	if d.content == nil {
		return !errors.Is(err, jetstream.ErrObjectNotFound) && !errors.Is(err, jetstream.ErrBadObjectMeta)
	}
	return d.attempt.Err() != nil && !errors.Is(err, io.EOF)
}

// giveUp ends an attempt.
func (d *download) giveUp() {
	d.alarm.Stop()
	d.stop(nil)
	if d.content != nil {
		_ = d.content.Close()
		d.content = nil
	}
}

// Read reads what arrives.
func (d *download) Read(p []byte) (int, error) {
	for {
		if d.content == nil {
			if err := d.ask(); err != nil {
				return 0, err
			}
		}
		n, err := arriving{d}.Read(p)
		d.read += int64(n)
		if err == nil || !d.broken(err) {
			return n, err
		}
		d.giveUp()
		if n > 0 {
			return n, nil
		}
	}
}

// Close ends the download.
func (d *download) Close() error {
	d.giveUp()
	return nil
}

// arriving reads the bytes of one attempt as they arrive.
type arriving struct{ *download }

func (a arriving) Read(p []byte) (int, error) {
	for {
		n, err := a.content.Read(p)
		if n > 0 {
			a.alarm.Reset(a.still)
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		if a.attempt.Err() != nil {
			return 0, context.Cause(a.attempt)
		}
	}
}

// lookingOften is a context whose deadline is always near: a blocked read of an object checks
// whether its context is done only at the deadline that the context had when the read began.
type lookingOften struct{ context.Context }

func (lookingOften) Deadline() (time.Time, bool) { return time.Now().Add(lookAgain), true }
