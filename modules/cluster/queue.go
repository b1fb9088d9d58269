package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// queue has the streams and buckets on the servers that runners and workers use.
type queue struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	jobs     jetstream.Stream
	results  jetstream.Stream
	batches  jetstream.KeyValue
	leases   jetstream.KeyValue
	workers  jetstream.KeyValue
	models   jetstream.ObjectStore
	files    jetstream.ObjectStore
	replicas int
}

// openQueue finds or makes the streams and buckets, with this number of replicas; 0 means three in
// a cluster and one elsewhere. It retries for a while, since servers that have just started must
// find each other.
func openQueue(ctx context.Context, nc *nats.Conn, replicas int) (*queue, error) {
	q, err := newQueue(nc)
	if err != nil {
		return nil, err
	}
	if q.replicas = replicas; replicas == 0 {
		q.replicas = 1
		if nc.ConnectedClusterName() != "" {
			q.replicas = 3
		}
	}
	err = permitted(ctx, nc, func(ctx context.Context) error {
		limited, stop := context.WithTimeout(ctx, becomingReady)
		defer stop()
		return persist(limited, q.open)
	})
	var refused *PermissionError
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case err != nil:
		return nil, fmt.Errorf("the servers do not keep what batches need: %w", err)
	}
	return q, nil
}

// PermissionError is the error of a runner whose user lacks a permission on the servers.
type PermissionError struct{ Cause error }

func (e *PermissionError) Error() string {
	return fmt.Sprintf("%v: a runner needs other credentials, which may do that", e.Cause)
}

// Unwrap returns the error of the servers.
func (e *PermissionError) Unwrap() error { return e.Cause }

// permitted calls a function that needs permissions. A forbidden request gets no answer, only an
// asynchronous error of the connection: at this error, permitted ends the call and returns a
// [*PermissionError].
func permitted(ctx context.Context, nc *nats.Conn, do func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	before := nc.ErrorHandler()
	nc.SetErrorHandler(func(nc *nats.Conn, s *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			stop(&PermissionError{err})
			return
		}
		if before != nil {
			before(nc, s, err)
		}
	})
	defer nc.SetErrorHandler(before)
	err := do(ctx)
	var refused *PermissionError
	if err != nil && errors.As(context.Cause(ctx), &refused) {
		return refused
	}
	return err
}

func newQueue(nc *nats.Conn) (*queue, error) {
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(2*window))
	if err != nil {
		return nil, err
	}
	return &queue{nc: nc, js: js}, nil
}

// findQueue waits until a runner has made the streams and buckets: workers may not make them.
func findQueue(ctx context.Context, nc *nats.Conn, leave <-chan struct{}, warn func(string)) (*queue, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-leave:
			stop()
		case <-ctx.Done():
		}
	}()
	q, err := newQueue(nc)
	if err == nil {
		err = persist(ctx, func(ctx context.Context) error {
			err := q.bind(ctx)
			if errors.Is(err, jetstream.ErrBucketNotFound) && warn != nil {
				warn("no batch has been run on these servers yet; waiting for one")
				warn = nil
			}
			return err
		})
	}
	return q, err
}

// bind binds to the streams and buckets that workers need.
func (q *queue) bind(ctx context.Context) (err error) {
	if q.batches, err = q.js.KeyValue(ctx, batchesBucket); err != nil {
		return err
	}
	if q.workers, err = q.js.KeyValue(ctx, workersBucket); err != nil {
		return err
	}
	if q.models, err = q.js.ObjectStore(ctx, modelsBucket); err != nil {
		return err
	}
	if q.files, err = q.js.ObjectStore(ctx, filesBucket); err != nil {
		return err
	}
	q.results, err = q.js.Stream(ctx, resultsStream)
	return err
}

func (q *queue) open(ctx context.Context) error {
	var err error
	if q.jobs, err = q.stream(ctx, jetstream.StreamConfig{
		Name: jobsStream, Description: "jobs of inev-cluster that are to be done", Subjects: []string{"inev.job.>"},
		Retention: jetstream.WorkQueuePolicy, MaxAge: keptUnfinished,
		// A job that is already in the queue is refused.
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	}); err != nil {
		return err
	}
	if q.results, err = q.stream(ctx, jetstream.StreamConfig{
		Name: resultsStream, Description: "results of inev-cluster that are to be fetched", Subjects: []string{"inev.result.>"},
		MaxAge: keptUnfinished,
		// The first result of a job counts; a second one is refused.
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
	}); err != nil {
		return err
	}
	if _, err = q.stream(ctx, jetstream.StreamConfig{
		Name: advisoryStream, Description: "jobs of inev-cluster that were handed out as often as they may be",
		Subjects: []string{maxDeliveries + ">"}, MaxAge: keptUnfinished,
	}); err != nil {
		return err
	}
	for _, c := range []jetstream.StreamConfig{
		keyValue(batchesBucket, keptUnfinished), keyValue(leasesBucket, keptUnfinished), keyValue(workersBucket, keptWorkers),
		objectStore(modelsBucket, keptModels), objectStore(filesBucket, keptUnfinished),
	} {
		if err := q.led(ctx, c); err != nil {
			return err
		}
	}
	if q.leases, err = q.js.KeyValue(ctx, leasesBucket); err != nil {
		return err
	}
	return q.bind(ctx)
}

// keyValue and objectStore return the settings of buckets as the library would make them, except
// that only the leader answers reads. The library lets every replica answer, even one that was
// disconnected and has missed data, which then would seem to be lost.

func keyValue(name string, kept time.Duration) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: "KV_" + name, Subjects: []string{"$KV." + name + ".>"}, MaxMsgsPerSubject: 1, MaxAge: kept,
		Duplicates: min(kept, 2*time.Minute), AllowRollup: true, DenyDelete: true, Discard: jetstream.DiscardNew,
	}
}

func objectStore(name string, kept time.Duration) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: "OBJ_" + name, Subjects: []string{"$O." + name + ".C.>", "$O." + name + ".M.>"}, MaxAge: kept,
		AllowRollup: true, Discard: jetstream.DiscardNew,
	}
}

// stream returns a stream, which it makes if it is missing.
func (q *queue) stream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		c.Replicas = q.replicas
		s, err = q.js.CreateStream(ctx, c)
	}
	return s, err
}

// led makes a bucket if it is missing. In a bucket of an older version it lets only the leader
// answer.
func (q *queue) led(ctx context.Context, c jetstream.StreamConfig) error {
	s, err := q.stream(ctx, c)
	if err != nil || !s.CachedInfo().Config.AllowDirect {
		return err
	}
	c = s.CachedInfo().Config
	c.AllowDirect = false
	_, err = q.js.UpdateStream(ctx, c)
	return err
}

// final is an error after which retrying would be useless.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// noRoom makes the error of full servers final: waiting for room would be in vain.
func noRoom(err error) error {
	var refused *jetstream.APIError
	if errors.As(err, &refused) {
		if strings.Contains(refused.Description, "no space left") {
			return final{fmt.Errorf("the disk of a server is full: %w; make room there and start the server again", err)}
		}
		switch server.ErrorIdentifier(refused.ErrorCode) {
		case server.JSInsufficientResourcesErr, server.JSStorageResourcesExceededErr, server.JSMemoryResourcesExceededErr, server.JSAccountResourcesExceededErr:
			return final{fmt.Errorf("the servers have no room left: %w; raise the limits of their JetStream (max_file_store), or remove what they keep", err)}
		}
	}
	return err
}

// becomingReady is how long servers may take to start, and patience how long a request may take.
// The pauses before a request is repeated grow from firstPause to lastPause.
const (
	becomingReady = time.Minute

	patience   = 5 * time.Second
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// persist repeats a request until it succeeds, can never succeed, or ctx is done, since servers
// come and go. Each attempt lasts at most as long as a request may take.
func persist(ctx context.Context, try func(context.Context) error) error {
	return persistently(ctx, func() error {
		limited, stop := context.WithTimeout(ctx, patience)
		defer stop()
		return try(limited)
	})
}

// persistently is persist for a function that itself limits the duration of an attempt.
func persistently(ctx context.Context, try func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := try()
		met(ctx, err)
		var impossible final
		switch {
		case err == nil:
			return nil
		case errors.As(err, &impossible):
			return impossible.error
		case errors.Is(err, nats.ErrConnectionClosed):
			return fmt.Errorf("the connection to the servers has ended: %w", err)
		}
		if !wait(ctx, pause) {
			return fmt.Errorf("%w (at last: %v)", ctx.Err(), err)
		}
	}
}

// wait sleeps, and returns false if ctx is done.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
