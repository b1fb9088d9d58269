package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// start begins what goes on beside the jobs: it receives results, what workers say, and
// what servers say of jobs that were handed out too often.
func (r *runner) start() error {
	notices, err := r.q.nc.Subscribe(noticeSubject(r.Name), func(m *nats.Msg) { r.noticed(m.Data) })
	if err != nil {
		return err
	}
	r.stops = append(r.stops, func() { _ = notices.Unsubscribe() })
	// What workers say to this comes after it.
	if err := r.announce(r.ctx, r.entry); err != nil {
		return err
	}
	if err := r.receive(); err != nil {
		return err
	}
	if err := r.watchDeliveries(); err != nil {
		return err
	}
	go r.lookAfter()
	return nil
}

// receive lets results arrive. Those that are there already, from an earlier run, have
// arrived before it returns, so that their jobs are not put into the queue.
func (r *runner) receive() error {
	stream := "KV_" + resultsBucket
	var consumer jetstream.Consumer
	err := persist(r.ctx, func(ctx context.Context) error {
		err := r.q.js.DeleteConsumer(ctx, stream, resultsConsumer(r.Name))
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return err
		}
		consumer, err = r.q.js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{
			Durable: resultsConsumer(r.Name), FilterSubject: resultSubject(resultKey(r.Name, "*")),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: r.AckWait, MaxAckPending: -1,
			DeliverPolicy: jetstream.DeliverAllPolicy,
		})
		return err
	})
	if err != nil {
		return err
	}
	waiting := consumer.CachedInfo().NumPending
	seen := make(chan struct{}, waiting)
	left := waiting
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		r.arrived(m)
		if left > 0 {
			left--
			seen <- struct{}{}
		}
	}, jetstream.PullMaxMessages(receivedAtOnce), jetstream.PullExpiry(pullFor))
	if err != nil {
		return err
	}
	r.stops = append(r.stops, consuming.Stop)
	for range waiting {
		select {
		case <-seen:
		case <-r.ctx.Done():
			return r.ctx.Err()
		}
	}
	return nil
}

// How results are asked for.
const (
	receivedAtOnce = 512
	pullFor        = 5 * time.Second
)

// arrived takes a result over.
func (r *runner) arrived(m jetstream.Msg) {
	_, id, _ := strings.Cut(strings.TrimPrefix(m.Subject(), resultSubject("")), ".")
	if m.Headers().Get("KV-Operation") != "" { // it was removed
		_ = m.Ack()
		return
	}
	a := &arrival{msg: m}
	if err := json.Unmarshal(m.Data(), &a.record); err != nil {
		a.record = record{Worker: "unknown", Schema: "unreadable"}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.moved++
	req := r.asked[id]
	switch {
	case req == nil:
		r.early[id] = a
	case req.done:
		_ = m.Ack()
	case req.got == nil:
		req.got = a
		req.answer <- a
	}
}

// noticed takes note of what a worker says.
func (r *runner) noticed(text []byte) {
	var n notice
	if json.Unmarshal(text, &n) != nil {
		return
	}
	if n.ID == "" {
		r.warn("the worker %s takes no part: %s", n.Worker, n.Error)
		return
	}
	r.mu.Lock()
	r.moved++
	if req := r.asked[n.ID]; req != nil && !req.done {
		at := slices.IndexFunc(req.attempts, func(a attempt) bool { return a.worker == n.Worker && a.why == "" })
		if n.Error == "" || at < 0 {
			req.attempts = append(req.attempts, attempt{n.Worker, n.Error})
		} else {
			req.attempts[at].why = n.Error
		}
	}
	r.mu.Unlock()
	if n.Damaged != "" {
		go func() { _ = r.models.resend(r.ctx, r.store(), n.Damaged) }() // else the next worker says so again
	}
}

// end stops what goes on beside the jobs. Where all are done, servers forget the batch;
// else workers leave it, and the results that are on their way stay.
func (r *runner) end(complete bool) {
	for _, stop := range r.stops {
		stop()
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.ctx), patience)
	defer stop()
	if !complete {
		_ = r.q.nc.Publish(cancelSubject(r.Name), nil)
	}
	// What fails here is forgotten by the servers when it is old.
	_ = r.q.batches.Purge(ctx, r.Name)
	_ = r.q.jobs.Purge(ctx, jetstream.WithPurgeSubject(allOf(r.Name)))
	for _, c := range r.entry.Classes {
		_ = r.q.js.DeleteConsumer(ctx, jobsStream, consumerName(r.Name, c))
	}
	_ = r.q.js.DeleteConsumer(ctx, "KV_"+resultsBucket, resultsConsumer(r.Name))
	if complete {
		r.q.forgetResults(ctx, r.Name)
	}
	_ = r.q.nc.FlushWithContext(ctx)
}

// forgetResults removes the results of a batch, and their files.
func (q *queue) forgetResults(ctx context.Context, name string) {
	if s, err := q.js.Stream(ctx, "KV_"+resultsBucket); err == nil {
		_ = s.Purge(ctx, jetstream.WithPurgeSubject(resultSubject(resultKey(name, "*"))))
	}
	files, err := q.files.List(ctx)
	if err != nil {
		return
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name, name+"/") {
			_ = q.files.Delete(ctx, f.Name)
		}
	}
}
