package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// queue has the streams and buckets on the servers. The fields after js are nil for workers, who
// may ask the servers for single messages only.
type queue struct {
	nc *nats.Conn
	// api is the prefix of the subjects of requests to JetStream.
	api      string
	js       jetstream.JetStream
	jobs     jetstream.Stream
	results  jetstream.Stream
	models   jetstream.Stream
	files    jetstream.Stream
	batches  jetstream.KeyValue
	leases   jetstream.KeyValue
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
	q.replicas = replicas
	if replicas == 0 {
		q.replicas = 1
		if nc.ConnectedClusterName() != "" {
			q.replicas = 3
		}
	}
	err = withPermissionErrors(ctx, nc, func(ctx context.Context) error {
		limited, stop := context.WithTimeout(ctx, becomingReady)
		defer stop()
		if err := persist(limited, q.openStreams); err != nil {
			return err
		}
		return tryPublish(nc, fromUser(runnerUser, "try")+"x", modelsPrefix+"try",
			announceSubject("try"))
	})
	var refused *PermissionError
	switch {
	case errors.As(err, &refused):
		return nil, refused
	case errors.Is(err, nats.ErrPermissionViolation):
		return nil, &PermissionError{Cause: err}
	case err != nil:
		return nil, fmt.Errorf("the servers do not keep what batches need: %w", err)
	}
	return q, nil
}

// PermissionError is the error of a runner or a worker whose user lacks a permission on the servers.
type PermissionError struct {
	Cause  error
	Worker bool // whether the user is a worker
}

func (e *PermissionError) Error() string {
	who := "runner"
	if e.Worker {
		who = "worker"
	}
	return fmt.Sprintf("%v: a %s needs other credentials, which may do that, or the servers have a configuration for another version of inev-cluster: take deploy/nats.conf of this one", e.Cause, who)
}

// Unwrap returns the error of the servers.
func (e *PermissionError) Unwrap() error { return e.Cause }

// withPermissionErrors calls a function that needs permissions. A forbidden request gets no answer, only an
// asynchronous error of the connection: at this error, withPermissionErrors ends the call and returns a
// [*PermissionError].
func withPermissionErrors(ctx context.Context, nc *nats.Conn, do func(context.Context) error) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	before := nc.ErrorHandler()
	nc.SetErrorHandler(func(nc *nats.Conn, s *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			stop(&PermissionError{Cause: err})
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

// tryPublish publishes empty messages on subjects where nobody expects them, and returns the
// error of the servers if one of them is forbidden to this user.
func tryPublish(nc *nats.Conn, subjects ...string) error {
	before := nc.LastError()
	for _, subject := range subjects {
		if err := nc.Publish(subject, nil); err != nil {
			return err
		}
	}
	// The servers refuse a message before they answer this.
	if err := nc.FlushTimeout(patience); err != nil {
		return err
	}
	after := nc.LastError()
	if after != before && errors.Is(after, nats.ErrPermissionViolation) {
		return after
	}
	return nil
}

func newQueue(nc *nats.Conn) (*queue, error) {
	return newQueueAt(nc, jetstream.DefaultAPIPrefix)
}

func newQueueAt(nc *nats.Conn, api string) (*queue, error) {
	js, err := jetstream.NewWithAPIPrefix(nc, api,
		jetstream.WithPublishAsyncMaxPending(2*mostQueued))
	if err != nil {
		return nil, err
	}
	return &queue{nc: nc, api: strings.TrimSuffix(api, ".") + ".", js: js}, nil
}

// importedAPI is the prefix of requests to JetStream for users in another account than the
// data, as in the supplied configuration.
const importedAPI = "inev.api"

// newImportedQueue returns a queue that asks JetStream as the user's account can.
func newImportedQueue(ctx context.Context, nc *nats.Conn) (*queue, error) {
	if tryPublish(nc, importedAPI+".try") != nil {
		return newQueue(nc)
	}
	q, err := newQueueAt(nc, importedAPI)
	if err != nil {
		return nil, err
	}
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_, err = q.get(limited, bucketStream+batchesBucket, messageRequest{Sequence: 1})
	if errors.Is(err, nats.ErrNoResponders) {
		return newQueue(nc)
	}
	return q, ctx.Err() // after any other error, too: the servers behind importedAPI are there, and only do not answer now
}

// findQueue waits until a runner has made the streams and buckets: workers may not make them.
func findQueue(
	ctx context.Context,
	nc *nats.Conn,
	leave <-chan struct{},
	warn func(string),
) (*queue, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-leave:
			stop()
		case <-ctx.Done():
		}
	}()
	q, err := newImportedQueue(ctx, nc)
	if err != nil {
		return nil, err
	}
	err = persist(ctx, func(ctx context.Context) error {
		_, err := q.get(ctx, bucketStream+batchesBucket, messageRequest{Sequence: 1})
		switch {
		case errors.Is(err, jetstream.ErrMsgNotFound):
			return nil
		case errors.Is(err, jetstream.ErrStreamNotFound) && warn != nil:
			warn("no batch has been run on these servers yet; waiting for one")
			warn = nil
		}
		return err
	})
	return q, err
}

// openStreams opens the streams and buckets of the queue; missing ones are made.
func (q *queue) openStreams(ctx context.Context) error {
	for _, s := range q.streams() {
		opened, err := q.openStream(ctx, s.config)
		if err != nil {
			return err
		}
		if s.opened != nil {
			*s.opened = opened
		}
	}
	for _, bucket := range []string{batchesBucket, leasesBucket} {
		if err := q.makeBucket(ctx, keyValue(bucket, keptUnfinished)); err != nil {
			return err
		}
	}
	var err error
	q.leases, err = q.js.KeyValue(ctx, leasesBucket)
	if err != nil {
		return err
	}
	q.batches, err = q.js.KeyValue(ctx, batchesBucket)
	return err
}

// streamSettings are the settings of a stream, and where the queue holds the opened stream; nil if it
// does not.
type streamSettings struct {
	opened *jetstream.Stream
	config jetstream.StreamConfig
}

// streams returns the settings of all streams.
func (q *queue) streams() []streamSettings {
	return []streamSettings{
		{&q.jobs, jetstream.StreamConfig{
			Name:        jobsStream,
			Description: "jobs of inev-cluster that are to be done",
			Subjects:    []string{"inev.job.>"},
			Retention:   jetstream.WorkQueuePolicy,
			MaxAge:      keptUnfinished,
			// A job that is already in the queue is refused.
			MaxMsgsPerSubject:    1,
			Discard:              jetstream.DiscardNew,
			DiscardNewPerSubject: true,
		}},
		{&q.results, jetstream.StreamConfig{
			Name:        resultsStream,
			Description: "results of inev-cluster that are to be fetched",
			Subjects:    []string{fromUser("*", "result") + ">"},
			MaxAge:      keptUnfinished,
			// A user's first result of a job counts; a second one is refused.
			MaxMsgsPerSubject:    1,
			Discard:              jetstream.DiscardNew,
			DiscardNewPerSubject: true,
		}},
		{&q.files, jetstream.StreamConfig{
			Name:        filesStream,
			Description: "files of results of inev-cluster that are to be fetched",
			Subjects:    []string{fromUser("*", "file") + ">"},
			MaxAge:      keptUnfinished,
			// A chunk that is sent a second time is refused.
			MaxMsgsPerSubject:    1,
			Discard:              jetstream.DiscardNew,
			DiscardNewPerSubject: true,
		}},
		{&q.models, jetstream.StreamConfig{
			Name:        modelsStream,
			Description: "models of inev-cluster",
			Subjects:    []string{modelsPrefix + "*.*"},
			MaxAge:      keptModels,
			// A chunk that is sent a second time replaces the first one.
			MaxMsgsPerSubject: 1,
		}},
		// No worker can remove the entry of another one, since roll-ups and other headers that
		// remove messages are not allowed.
		{nil, jetstream.StreamConfig{
			Name:              workersStream,
			Description:       "living workers of inev-cluster",
			Subjects:          []string{fromUser("*", "presence") + "*"},
			MaxAge:            keptWorkers,
			MaxMsgsPerSubject: 1,
			MaxMsgSize:        mostPresence,
		}},
		{nil, jetstream.StreamConfig{
			Name:        advisoryStream,
			Description: "jobs of inev-cluster that were handed out as often as they may be",
			Subjects:    []string{maxDeliveries + ">"},
			MaxAge:      keptUnfinished,
		}},
	}
}

// keyValue returns the settings of a bucket as the library would make them, except that only the
// leader answers reads. The library lets every replica answer, even one that was disconnected and
// has missed data, which then would seem to be lost.
func keyValue(name string, kept time.Duration) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name:              bucketStream + name,
		Subjects:          []string{"$KV." + name + ".>"},
		MaxMsgsPerSubject: 1,
		MaxAge:            kept,
		Duplicates: min(kept,
			2*time.Minute),
		AllowRollup: true,
		DenyDelete:  true,
		Discard:     jetstream.DiscardNew,
	}
}

// openStream returns a stream; a missing one is made. In a stream of an older version it replaces the
// subjects.
func (q *queue) openStream(
	ctx context.Context,
	c jetstream.StreamConfig,
) (jetstream.Stream, error) {
	s, err := q.js.Stream(ctx, c.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		c.Replicas = q.replicas
		return q.js.CreateStream(ctx, c)
	}
	if err != nil {
		return nil, err
	}
	now := s.CachedInfo().Config
	if slices.Equal(now.Subjects, c.Subjects) {
		return s, nil
	}
	now.Subjects = c.Subjects
	return q.js.UpdateStream(ctx, now)
}

// makeBucket makes a bucket if it is missing. In a bucket of an older version it lets only the leader
// answer.
func (q *queue) makeBucket(ctx context.Context, c jetstream.StreamConfig) error {
	s, err := q.openStream(ctx, c)
	if err != nil || !s.CachedInfo().Config.AllowDirect {
		return err
	}
	c = s.CachedInfo().Config
	c.AllowDirect = false
	_, err = q.js.UpdateStream(ctx, c)
	return err
}

// finalError is an error after which retrying would be useless.
type finalError struct{ error }

func (f finalError) Unwrap() error { return f.error }

// noRoom makes the error of full servers final: waiting for room would be in vain.
func noRoom(err error) error {
	var refused *jetstream.APIError
	if errors.As(err, &refused) {
		if strings.Contains(refused.Description, "no space left") {
			return finalError{fmt.Errorf("the disk of a server is full: %w; make room there and start the server again", err)}
		}
		switch server.ErrorIdentifier(refused.ErrorCode) {
		case server.JSInsufficientResourcesErr, server.JSStorageResourcesExceededErr, server.JSMemoryResourcesExceededErr, server.JSAccountResourcesExceededErr:
			return finalError{fmt.Errorf("the servers have no room left: %w; raise the limits of their JetStream (max_file_store), or remove what they keep", err)}
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

// persistently repeats a request as [persist] does, but leaves it to try to limit the duration of an attempt.
func persistently(ctx context.Context, try func() error) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := try()
		recordAnswer(ctx, err)
		var impossible finalError
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
