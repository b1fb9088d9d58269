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

// start begins all work but the jobs themselves: it receives results, notices of workers, and
// reports of servers about jobs that were delivered too often.
func (r *runner) start() error {
	notices, err := r.q.nc.Subscribe(noticeSubject(r.Name), func(m *nats.Msg) { r.noticed(m.Data) })
	if err != nil {
		return err
	}
	r.stops = append(r.stops, func() { _ = notices.Unsubscribe() })
	// The folder of results is locked by now.
	if err := r.lease.settle(r.ctx); err != nil {
		return err
	}
	if err := r.succeed(r.ctx); err != nil {
		return err
	}
	// Workers answer only after this announcement.
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

// succeed takes the batch over from its previous runner: it withdraws the jobs that this runner has
// queued. A worker that has begun one of them finishes it.
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

// withdraw removes a runner's jobs from the queue. If a request fails, the servers remove the jobs
// that are left when these are old.
func (q *queue) withdraw(ctx context.Context, e entry) {
	_ = q.jobs.Purge(ctx, jetstream.WithPurgeSubject(jobsOf(e.Name, e.Token)+">"))
	for _, c := range e.Classes {
		_ = q.js.DeleteConsumer(ctx, jobsStream, consumerName(e.Name, e.Token, c))
	}
	_ = q.js.DeleteConsumer(ctx, resultsStream, resultsConsumer(e.Name, e.Token))
}

// receive begins to receive results. When it returns, the results of an earlier run have arrived,
// so that their jobs are not queued again.
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

// Settings of the consumer of results.
const (
	receivedAtOnce = 512
	pullFor        = 5 * time.Second
)

// arrived handles a result; earlier reports whether the result existed when this run began.
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

// noticed handles a notice of a worker.
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
		go func() { _ = r.models.resend(r.ctx, r.store(), n.Damaged) }() // if this fails, the next worker reports the damage again
	}
}

// end stops the work beside the jobs. If the batch is complete, it is removed from the servers;
// otherwise workers leave it, and results on their way stay. If the lease was lost, the batch
// belongs to another runner, and end leaves the servers alone.
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

// forgetResults removes the results, and their files, of the jobs that were queued under this token
// or an earlier one.
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
