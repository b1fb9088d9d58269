package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Status is the state of batches and workers, as the servers see it.
type Status struct {
	Batches []BatchStatus  `json:"batches"`
	Workers []WorkerStatus `json:"workers"`
}

// BatchStatus is the state of a batch that is not finished.
type BatchStatus struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Runner  string `json:"runner"` // the machine of the runner
	Folder  string `json:"folder"` // the folder of the results, on the runner's machine
	// Since is when the runner took the lease, Token its fencing token.
	Since string `json:"since"`
	Token uint64 `json:"token"`
	// Heard is the number of seconds since the runner's last sign of life, by the clock of the
	// servers; negative if it is not known.
	Heard float64 `json:"heard_seconds_ago"`
	Jobs  int     `json:"jobs"`
	// Waiting is the number of jobs in the queue, Running the number of those that workers hold,
	// and Finished the number of jobs with a result.
	Waiting  int `json:"waiting"`
	Running  int `json:"running"`
	Finished int `json:"finished"`
}

// WorkerStatus is the state of a living worker.
type WorkerStatus struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Jobs    int    `json:"jobs"`             // the number of jobs that it does at the same time
	Memory  int64  `json:"memory,omitempty"` // the bytes that it may take, 0 for no limit
	Held    int    `json:"held"`             // the number of jobs in its hands
}

// ReadStatus reads from the servers which batches and workers there are. The error is a
// *[StartingError] if the servers are not ready yet, and a *[SilentError] if they do not answer,
// since they are starting or have stopped storing data. Cost: a few requests for each batch.
func ReadStatus(ctx context.Context, nc *nats.Conn) (*Status, error) {
	q, err := newQueue(nc)
	if err != nil {
		return nil, err
	}
	if err := q.ready(ctx); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, becomingReady)
	defer stop()
	if q.batches, err = q.js.KeyValue(ctx, batchesBucket); err == nil {
		q.workers, err = q.js.KeyValue(ctx, workersBucket)
	}
	if err == nil {
		q.results, err = q.js.Stream(ctx, resultsStream)
	}
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return &Status{}, nil // no batch has ever been run on them
	}
	if err != nil {
		return nil, err
	}
	// Workers have no permission to read leases.
	q.leases, _ = q.js.KeyValue(ctx, leasesBucket)
	s := &Status{}
	present, err := q.present(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range present {
		s.Workers = append(s.Workers, WorkerStatus{p.Name, p.Version, p.Jobs, p.Memory, p.Running})
	}
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int { return cmp.Compare(a.Name, b.Name) })
	names, err := q.batches.Keys(ctx)
	if err != nil && !errors.Is(err, jetstream.ErrNoKeysFound) {
		return nil, err
	}
	slices.Sort(names)
	for _, name := range names {
		found, err := q.batchStatus(ctx, name)
		if err != nil {
			return nil, err
		}
		s.Batches = append(s.Batches, found...)
	}
	return s, nil
}

// batchStatus returns the state of a batch; nil if the batch has ended meanwhile.
func (q *queue) batchStatus(ctx context.Context, name string) ([]BatchStatus, error) {
	found, err := q.batches.Get(ctx, name)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, nil
	}
	var e entry
	if err == nil {
		err = json.Unmarshal(found.Value(), &e)
	}
	if err != nil {
		return nil, err
	}
	s := BatchStatus{Name: e.Name, Version: e.Version, Runner: e.Runner, Folder: e.Folder, Jobs: e.Jobs, Since: e.Since, Token: e.Token, Heard: -1}
	if q.leases != nil {
		s.Heard = q.heard(ctx, name)
	}
	for _, c := range e.Classes {
		consumer, err := q.js.Consumer(ctx, jobsStream, consumerName(name, e.Token, c))
		if err != nil {
			continue // the batch has ended meanwhile
		}
		info := consumer.CachedInfo()
		s.Waiting += int(info.NumPending)
		s.Running += info.NumAckPending
	}
	info, err := q.results.Info(ctx, jetstream.WithSubjectFilter(resultsOf(name)))
	if err != nil {
		return nil, err
	}
	s.Finished = len(info.State.Subjects)
	return []BatchStatus{s}, nil
}

// heard returns the number of seconds since the holder's last sign of life; -1 if it is not known.
func (q *queue) heard(ctx context.Context, name string) float64 {
	e, err := q.leases.Get(ctx, name)
	if err != nil {
		return -1
	}
	// Both times are by the clock of one server, unless the leader has changed.
	s, err := q.js.Stream(ctx, "KV_"+leasesBucket)
	if err != nil || s.CachedInfo().TimeStamp.IsZero() {
		return -1
	}
	return max(0, s.CachedInfo().TimeStamp.Sub(e.Created()).Seconds())
}
