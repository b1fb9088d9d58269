package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
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
	// The folder is locked by now.
	if err := r.lease.settle(r.ctx); err != nil {
		return err
	}
	if err := r.succeed(r.ctx); err != nil {
		return err
	}
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

// succeed takes the place of the runner that had the lease before: what that one has handed
// out is taken out of the queue. Who has begun a job does it.
func (r *runner) succeed(ctx context.Context) error {
	return persist(ctx, func(ctx context.Context) error {
		found, err := r.q.batches.Get(ctx, r.Name)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		r.announced = found.Revision()
		var before entry
		if err := json.Unmarshal(found.Value(), &before); err != nil || before.Token >= r.lease.token {
			return nil
		}
		r.q.withdraw(ctx, before)
		return nil
	})
}

// withdraw takes the jobs of a runner out of the queue. What fails here is forgotten by the
// servers when it is old.
func (q *queue) withdraw(ctx context.Context, e entry) {
	_ = q.jobs.Purge(ctx, jetstream.WithPurgeSubject(jobsOf(e.Name, e.Token)+">"))
	for _, c := range e.Classes {
		_ = q.js.DeleteConsumer(ctx, jobsStream, consumerName(e.Name, e.Token, c))
	}
	_ = q.js.DeleteConsumer(ctx, resultsStream, resultsConsumer(e.Name, e.Token))
}

// receive lets results arrive. Those that are there already, from an earlier run, have
// arrived before it returns, so that their jobs are not put into the queue.
func (r *runner) receive() error {
	var consumer jetstream.Consumer
	err := persist(r.ctx, func(ctx context.Context) (err error) {
		consumer, err = r.q.results.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable: resultsConsumer(r.Name, r.lease.token), FilterSubject: resultsOf(r.Name),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: r.AckWait, MaxAckPending: -1,
			DeliverPolicy: jetstream.DeliverAllPolicy, InactiveThreshold: keptUnfinished,
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
		r.arrived(m, left > 0)
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

// arrived takes a result over; earlier reports that an earlier run has handed the job out.
func (r *runner) arrived(m jetstream.Msg, earlier bool) {
	_, token, id, ok := splitSubject(m.Subject())
	if !ok {
		_ = m.Ack()
		return
	}
	a := &arrival{msg: m, token: token, earlier: earlier}
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
	req := r.asked[n.ID]
	var hopeless bool
	if req != nil && !req.done {
		at := slices.IndexFunc(req.attempts, func(a attempt) bool { return a.worker == n.Worker && a.why == "" })
		if n.Error == "" || at < 0 {
			req.attempts = append(req.attempts, attempt{n.Worker, n.Error})
		} else {
			req.attempts[at].why = n.Error
		}
		req.worker, req.begun = n.Worker, time.Now()
		hopeless = failures(req.attempts) >= r.Attempts
	}
	r.mu.Unlock()
	if hopeless {
		go r.giveUp(req)
	}
	if n.Damaged != "" {
		go func() { _ = r.models.resend(r.ctx, r.store(), n.Damaged) }() // else the next worker says so again
	}
}

// end stops what goes on beside the jobs. Where all are done, servers forget the batch;
// else workers leave it, and the results that are on their way stay. Where the lease was
// lost, the batch is another runner's.
func (r *runner) end(complete bool) {
	for _, stop := range r.stops {
		stop()
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(r.ctx), patience)
	defer stop()
	if !r.lease.release(ctx, complete) {
		return
	}
	if !complete && r.announced > 0 {
		_ = r.q.nc.Publish(cancelSubject(r.Name), nil)
	}
	if r.announced > 0 {
		_ = r.q.batches.Purge(ctx, r.Name, jetstream.LastRevision(r.announced))
	}
	r.q.withdraw(ctx, r.entry)
	if complete {
		r.q.forgetResults(ctx, r.Name, r.lease.token)
	}
	_ = r.q.nc.FlushWithContext(ctx)
}

// forgetResults removes the results of jobs that the holders of this token and of earlier
// ones have handed out, and their files.
func (q *queue) forgetResults(ctx context.Context, name string, last uint64) {
	tokens := map[uint64]bool{}
	if info, err := q.results.Info(ctx, jetstream.WithSubjectFilter(resultsOf(name))); err == nil {
		for subject := range info.State.Subjects {
			if _, token, _, ok := splitSubject(subject); ok && token <= last {
				tokens[token] = true
			}
		}
	}
	for token := range tokens {
		_ = q.results.Purge(ctx, jetstream.WithPurgeSubject(resultSubject(name, token, "*")))
	}
	files, err := q.files.List(ctx)
	if err != nil {
		return
	}
	for _, f := range files {
		rest, ours := strings.CutPrefix(f.Name, name+"/")
		text, _, _ := strings.Cut(rest, "/")
		if token, err := strconv.ParseUint(text, 10, 64); ours && err == nil && token <= last {
			_ = q.files.Delete(ctx, f.Name)
		}
	}
}
