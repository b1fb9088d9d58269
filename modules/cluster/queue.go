package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// queue is what the servers keep for runners and workers.
type queue struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	jobs     jetstream.Stream
	results  jetstream.KeyValue
	batches  jetstream.KeyValue
	workers  jetstream.KeyValue
	models   jetstream.ObjectStore
	files    jetstream.ObjectStore
	replicas int
}

// openQueue finds what servers keep, or makes it, with so many copies; 0 stands for three
// in a cluster and one elsewhere. It goes on trying for some time, in which servers that
// were just started find each other.
func openQueue(ctx context.Context, nc *nats.Conn, replicas int) (*queue, error) {
	if replicas == 0 {
		replicas = 1
		if nc.ConnectedClusterName() != "" {
			replicas = 3
		}
	}
	js, err := jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(2*window))
	if err != nil {
		return nil, err
	}
	q := &queue{nc: nc, js: js, replicas: replicas}
	limited, stop := context.WithTimeout(ctx, becomingReady)
	defer stop()
	if err := persist(limited, q.open); err != nil {
		return nil, fmt.Errorf("the servers do not keep what batches need: %w", err)
	}
	return q, nil
}

func (q *queue) open(ctx context.Context) error {
	var err error
	if q.jobs, err = q.stream(ctx, jetstream.StreamConfig{
		Name: jobsStream, Description: "jobs of inev-cluster that are to be done", Subjects: []string{"inev.job.>"},
		Retention: jetstream.WorkQueuePolicy, MaxAge: keptUnfinished,
		// A job that is there already is not taken again.
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
	for _, b := range []struct {
		bucket *jetstream.KeyValue
		name   string
		kept   time.Duration
	}{{&q.results, resultsBucket, keptUnfinished}, {&q.batches, batchesBucket, keptUnfinished}, {&q.workers, workersBucket, keptWorkers}} {
		*b.bucket, err = q.js.KeyValue(ctx, b.name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			*b.bucket, err = q.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: b.name, TTL: b.kept, Replicas: q.replicas})
		}
		if err != nil {
			return err
		}
	}
	for _, b := range []struct {
		bucket *jetstream.ObjectStore
		name   string
		kept   time.Duration
	}{{&q.models, modelsBucket, keptModels}, {&q.files, filesBucket, keptUnfinished}} {
		*b.bucket, err = q.js.ObjectStore(ctx, b.name)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			*b.bucket, err = q.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: b.name, TTL: b.kept, Replicas: q.replicas})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// stream returns a stream, made where there is none.
func (q *queue) stream(ctx context.Context, c jetstream.StreamConfig) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		c.Replicas = q.replicas
		s, err = q.js.CreateStream(ctx, c)
	}
	return s, err
}

// final is an error against which trying again does not help.
type final struct{ error }

func (f final) Unwrap() error { return f.error }

// noRoom makes final what servers say that are full: who waits for room waits in vain, and
// without a word.
func noRoom(err error) error {
	var refused *jetstream.APIError
	if errors.As(err, &refused) {
		switch server.ErrorIdentifier(refused.ErrorCode) {
		case server.JSInsufficientResourcesErr, server.JSStorageResourcesExceededErr, server.JSMemoryResourcesExceededErr, server.JSAccountResourcesExceededErr:
			return final{fmt.Errorf("the servers have no room left: %w; raise the limits of their JetStream (max_file_store), or remove what they keep", err)}
		}
	}
	return err
}

// How long a request may take until it is sent again, and how long to wait before that.
const (
	becomingReady = time.Minute

	patience   = 5 * time.Second
	firstPause = 20 * time.Millisecond
	lastPause  = time.Second
)

// persist tries something until it is done, is impossible, or ctx is done: servers go and
// come back. Each attempt may take as long as a request.
func persist(ctx context.Context, try func(context.Context) error) error {
	return persistently(ctx, func() error {
		limited, stop := context.WithTimeout(ctx, patience)
		defer stop()
		return try(limited)
	})
}

// persistently is persist for what limits its time itself.
func persistently(ctx context.Context, try func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := try()
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

// wait waits, and reports whether ctx is not done.
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
