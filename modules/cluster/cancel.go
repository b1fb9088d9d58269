package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Cancel ends a batch, wherever its runner is: the runner ends as soon as it learns of the
// cancellation, workers stop, and its jobs and the results that were not fetched are removed from
// the servers. The folder of the runner stays as it is. It fails if there is no such batch.
func Cancel(ctx context.Context, nc *nats.Conn, name string) error {
	if err := checkName("batch", name); err != nil {
		return err
	}
	q, err := newQueue(nc)
	if err != nil {
		return err
	}
	if err := withPermissionErrors(ctx, nc, q.ready); err != nil {
		return err
	}
	q, err = openQueue(ctx, nc, 0)
	if err != nil {
		return err
	}
	for {
		found, err := q.tenureOf(ctx, name)
		if err != nil {
			return err
		}
		if found.revision == 0 || found.State == stateCanceled {
			return fmt.Errorf("there is no batch %s; inev-cluster status lists those that are run", name)
		}
		host, _ := os.Hostname()
		token, err := q.putTenure(ctx, name,
			tenure{State: stateCanceled, Nonce: rand.Text(), Machine: host}, found.revision)
		var faster *LostError
		if errors.As(err, &faster) {
			continue
		}
		if err != nil {
			return err
		}
		return q.clear(ctx, name, token)
	}
}

// clear removes a batch from the servers, unless its runner has a later token than the given one.
func (q *queue) clear(ctx context.Context, name string, token uint64) error {
	_ = q.nc.Publish(cancelSubject(name), nil)
	e, err := q.batches.Get(ctx, name)
	if err == nil {
		var before entry
		if json.Unmarshal(e.Value(), &before) == nil && before.Token > token {
			return nil
		}
		q.withdraw(ctx, before)
		err = q.batches.Purge(ctx, name, jetstream.LastRevision(e.Revision()))
		_ = q.nc.Publish(announceSubject(name), nil)
	}
	if err != nil && !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	q.forgetResults(ctx, name, token)
	return q.nc.FlushTimeout(patience)
}
