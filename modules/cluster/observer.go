package cluster

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/inev-lts/inev/batch"
	"github.com/nats-io/nats.go/jetstream"
)

// Observer tells of a run while it goes on. Its methods may be called by many goroutines.
type Observer struct{ r *runner }

// Jobs says where the jobs of a run are.
type Jobs struct {
	// Total are those of the manifest, Sent those that are with the servers or with workers,
	// Begun those of them that a worker has said that it does, and Arrived those whose
	// result is being written to the folder.
	Total, Sent, Begun, Arrived int
	// Done are those with a result in the journal that this run has written.
	Done map[batch.Status]int
	// Oldest is for how long the job has been sent that has waited for the longest time.
	Oldest time.Duration
}

// Name returns the name of the batch, and the token of its lease.
func (o *Observer) Name() (name string, token uint64) { return o.r.Name, o.r.lease.token }

// Jobs returns where the jobs are.
func (o *Observer) Jobs() Jobs {
	r := o.r
	r.mu.Lock()
	defer r.mu.Unlock()
	j := Jobs{Total: r.entry.Jobs, Done: maps.Clone(r.statuses)}
	for _, req := range r.asked {
		switch {
		case req.done:
			continue
		case req.got != nil:
			j.Arrived++
		case req.worker != "":
			j.Begun++
		default:
			j.Sent++
		}
		j.Oldest = max(j.Oldest, time.Since(req.asked))
	}
	return j
}

// Stored is what servers keep of one kind.
type Stored struct {
	Stream         string
	Messages       uint64
	Bytes          uint64
	Replicas       int // that there are, with the leader
	ReplicasBehind int // that are away, or have not got everything
	Leader         bool
}

// Stored asks servers what they keep. Cost: a request for each kind.
func (o *Observer) Stored(ctx context.Context) ([]Stored, error) {
	var all []Stored
	var failed error
	for _, name := range []string{
		jobsStream, resultsStream, advisoryStream, "KV_" + batchesBucket, "KV_" + leasesBucket, "KV_" + workersBucket, "OBJ_" + modelsBucket, "OBJ_" + filesBucket,
	} {
		s, err := o.r.q.js.Stream(ctx, name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		info := s.CachedInfo()
		one := Stored{Stream: name, Messages: info.State.Msgs, Bytes: info.State.Bytes, Replicas: 1, Leader: true}
		if c := info.Cluster; c != nil {
			one.Leader = c.Leader != ""
			for _, replica := range c.Replicas {
				one.Replicas++
				if !isCurrent(replica) {
					one.ReplicasBehind++
				}
			}
		}
		all = append(all, one)
	}
	return all, failed
}

func isCurrent(p *jetstream.PeerInfo) bool { return p.Current && !p.Offline }

// Workers returns how many workers live that have the version of the run.
func (o *Observer) Workers(ctx context.Context) (n int, err error) {
	present, err := o.r.q.present(ctx)
	for _, p := range present {
		if p.Version == o.r.Batch.Version {
			n++
		}
	}
	return n, err
}
