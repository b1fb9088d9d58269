package cluster

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/inev-lts/inev/batch"
	"github.com/nats-io/nats.go/jetstream"
)

// Observer gives the state of a run. Its methods may be called by many goroutines.
type Observer struct{ runner *runner }

// Jobs counts the jobs of a run by how far they are.
type Jobs struct {
	// Total counts the jobs of the manifest. Three fields count the unfinished jobs that were sent:
	// NotBegun the jobs that no worker has reported as begun, Begun the jobs that a worker has
	// reported as begun, and Arrived the jobs whose result is being written to the folder.
	Total, NotBegun, Begun, Arrived int
	// Done counts, by status, the jobs whose result this run has written to the journal.
	Done map[batch.Status]int
	// Oldest is the time since the oldest unfinished job was sent.
	Oldest time.Duration
}

// Name returns the name of the batch, and the token of its lease.
func (o *Observer) Name() (name string, token uint64) { return o.runner.Name, o.runner.lease.token }

// Jobs counts the jobs of the run by how far they are.
func (o *Observer) Jobs() Jobs {
	r := o.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	j := Jobs{Total: r.entry.Jobs, Done: maps.Clone(r.statuses)}
	for _, req := range r.requests {
		switch {
		case req.inJournal:
			continue
		case req.arrived != nil:
			j.Arrived++
		case req.worker != "":
			j.Begun++
		default:
			j.NotBegun++
		}
		j.Oldest = max(j.Oldest, time.Since(req.asked))
	}
	return j
}

// Stored is the amount of one kind of data on the servers.
type Stored struct {
	Stream         string
	Messages       uint64
	Bytes          uint64
	Replicas       int // the number of replicas, with the leader
	ReplicasBehind int // the number of replicas that are away, or have not received everything
	Leader         bool
}

// Stored returns the amounts of data on the servers. Cost: a request for each kind.
func (o *Observer) Stored(ctx context.Context) ([]Stored, error) {
	var all []Stored
	var failed error
	for _, name := range []string{
		jobsStream, resultsStream, advisoryStream, workersStream, modelsStream, filesStream, bucketStream + batchesBucket, bucketStream + leasesBucket,
	} {
		s, err := o.runner.queue.js.Stream(ctx, name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		info := s.CachedInfo()
		one := Stored{
			Stream:   name,
			Messages: info.State.Msgs,
			Bytes:    info.State.Bytes,
			Replicas: 1,
			Leader:   true,
		}
		c := info.Cluster
		if c != nil {
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

// Workers returns the number of living workers of the same version.
func (o *Observer) Workers(ctx context.Context) (n int, err error) {
	present, err := o.runner.queue.present(ctx)
	for _, p := range present {
		if p.Version == o.runner.Batch.Version {
			n++
		}
	}
	return n, err
}
