package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/nats-io/nats.go"
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
	// The runner's last sign of life had these numbers: Waiting of the jobs in the queue, Running of
	// the jobs that workers hold, and Finished of the jobs whose results the runner has kept.
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
	q, err := newImportedQueue(ctx, nc)
	if err != nil {
		return nil, err
	}
	if err := q.ready(ctx); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, becomingReady)
	defer stop()
	s := &Status{}
	present, err := q.present(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range present {
		s.Workers = append(s.Workers, WorkerStatus{
			Name:    p.Name,
			Version: p.Version,
			Jobs:    p.Jobs,
			Memory:  p.Memory,
			Held:    p.Running,
		})
	}
	slices.SortFunc(s.Workers, func(a, b WorkerStatus) int {
		return cmp.Compare(a.Name, b.Name)
	})
	var entries []entry
	_, err = q.each(ctx, bucketStream+batchesBucket, "$KV."+batchesBucket+".>", 0, mostBatches, func(m *message) {
		var e entry
		if m.header(keyOperation) == "" && json.Unmarshal(m.Data, &e) == nil {
			entries = append(entries, e)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Compare(a.Name, b.Name)
	})
	for _, e := range entries {
		s.Batches = append(s.Batches, q.batchStatus(ctx, e))
	}
	return s, nil
}

// batchStatus returns the state of a batch.
func (q *queue) batchStatus(ctx context.Context, e entry) BatchStatus {
	s := BatchStatus{
		Name:    e.Name,
		Version: e.Version,
		Runner:  e.Runner,
		Folder:  e.Folder,
		Jobs:    e.Jobs,
		Since:   e.Since,
		Token:   e.Token,
	}
	s.Heard, s.Finished = q.sign(ctx, e.Name)
	for _, c := range e.Classes {
		consumer, err := q.js.Consumer(ctx, jobsStream, consumerName(e.Name, e.Token, c))
		if err != nil {
			continue // the batch has ended meanwhile
		}
		info := consumer.CachedInfo()
		s.Waiting += int(info.NumPending)
		s.Running += info.NumAckPending
	}
	return s
}

// sign returns the number of seconds since the holder's last sign of life, -1 if it is not known, and
// the number of finished jobs that the holder reported with this sign. Results on the servers are not
// counted: workers may send any number of them.
func (q *queue) sign(ctx context.Context, name string) (heard float64, finished int) {
	m, err := q.get(ctx, bucketStream+leasesBucket, messageRequest{Last: "$KV." +
		leasesBucket + "." + name})
	if err != nil {
		return -1, 0 // workers, for instance, have no permission to read leases
	}
	var t tenure
	if json.Unmarshal(m.Data, &t) == nil {
		finished = t.Finished
	}
	// Both times are by the clock of one server, unless the leader has changed.
	s, err := q.js.Stream(ctx, bucketStream+leasesBucket)
	if err != nil || s.CachedInfo().TimeStamp.IsZero() {
		return -1, finished
	}
	return max(0, s.CachedInfo().TimeStamp.Sub(m.Time).Seconds()), finished
}
