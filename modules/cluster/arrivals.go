package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/internal/printable"
)

// start begins all work but the jobs themselves: it receives results, notices of workers, and
// reports of servers about jobs that were delivered too often.
func (r *runner) start() error {
	notices, err := r.queue.nc.Subscribe(noticeSubject("*", r.Name, "*"), func(m *nats.Msg) {
		callContained(r.fail, func() { r.noticed(m.Subject, m.Data) })
	})
	if err != nil {
		return err
	}
	r.stops = append(r.stops, func() { _ = notices.Unsubscribe() })
	// The folder of results is locked by now.
	if err := r.lease.recordPlace(r.ctx); err != nil {
		return err
	}
	if err := r.takeOverFromPrevious(r.ctx); err != nil {
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
	go callContained(r.fail, r.searchForLostJobs)
	return nil
}

// takeOverFromPrevious takes the batch over from its previous runner: it withdraws the jobs that the previous
// runner has queued. A worker that has begun one of them finishes it.
func (r *runner) takeOverFromPrevious(ctx context.Context) error {
	return persist(ctx, func(ctx context.Context) error {
		found, err := r.queue.batches.Get(ctx, r.Name)
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
		r.queue.withdraw(ctx, before)
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
		consumer, err = r.queue.results.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
			Durable:           resultsConsumer(r.Name, r.lease.token),
			FilterSubject:     resultsOf(r.Name),
			AckPolicy:         jetstream.AckExplicitPolicy,
			AckWait:           r.AckWait,
			MaxAckPending:     -1,
			DeliverPolicy:     jetstream.DeliverAllPolicy,
			InactiveThreshold: keptUnfinished,
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
		callContained(r.fail, func() { r.arrived(m, left > 0) })
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
	job, ok := addressIn(m.Subject())
	info, err := m.Metadata()
	if !ok || err != nil || job.batch != r.Name {
		_ = m.Ack()
		return
	}
	a := &arrival{
		data:     m.Data(),
		user:     userOf(m.Subject()),
		token:    job.token,
		sequence: info.Sequence.Stream,
		earlier:  earlier,
		msg:      m,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	req := r.requests[job.id]
	switch {
	case req == nil:
		r.arrivedUnasked(job.id, a)
	case req.inJournal:
		a.ack()
	case req.arrived == nil:
		r.progressCount++
		req.arrived = a
		req.answer <- a
	}
}

// arrivedUnasked handles a result that nobody waits for. Its token is that of the run that queued the job;
// later runs have larger tokens. The caller holds the lock.
func (r *runner) arrivedUnasked(id string, a *arrival) {
	switch {
	case a.token < r.lease.token:
		// An earlier run queued the job, and this run may still request it: then the result is read again
		// from the servers, which keep it.
		r.earlyResults.add(id, earlyResult{sequence: a.sequence, earlier: a.earlier})
	case a.token == r.lease.token:
		// This run has queued no such job. The subject of a result names its user alone.
		worker := a.user
		r.complain(a.user, worker,
			"the worker %s sends results of jobs that it was not given; they are not used", worker)
	default:
		// The lease has passed on to a later run, which gets the result, too.
	}
	a.ack()
}

// complain warns of a sender once. It warns of at most mostComplaints senders of one user, so that
// the warnings about one user do not hide those about the workers of others. The caller holds the
// lock.
func (r *runner) complain(user, sender, format string, args ...any) {
	senders := r.complained[user]
	if senders[sender] || len(senders) >= mostComplaints {
		return
	}
	if senders == nil {
		if len(r.complained) >= mostComplainedUsers {
			return
		}
		senders = map[string]bool{}
		r.complained[user] = senders
	}
	senders[sender] = true
	r.warn(format, args...)
}

// Limits of the warnings of a run: the senders of one user that it warns about, and the users.
const (
	mostComplaints      = 20
	mostComplainedUsers = 1000
)

// earlyResult says where the servers keep a result of an earlier run whose job is not requested
// yet.
type earlyResult struct {
	sequence uint64 // in the stream of results
	earlier  bool   // see [arrival]
}

// earlyResults are the results that arrived before their jobs were requested, by id. Their number
// is limited, so that their memory is bounded whatever workers send.
type earlyResults struct {
	found map[string]earlyResult
	// overflowed reports whether more results arrived than are held: the others are looked up on
	// the servers.
	overflowed bool
}

// mostEarly is the largest number of early results that are held.
const mostEarly = 50_000

// add adds a result, and reports whether it is held. Of several results of one job, the first one
// is held.
func (e *earlyResults) add(id string, r earlyResult) bool {
	if _, is := e.found[id]; is {
		return true
	}
	if len(e.found) >= mostEarly || len(id) > mostID {
		e.overflowed = true
		return false
	}
	e.found[id] = r
	return true
}

// mostID is the largest length of the identity of a job.
const mostID = 32

func (e *earlyResults) take(id string) (earlyResult, bool) {
	found, is := e.found[id]
	delete(e.found, id)
	return found, is
}

// readEarly reads an early result from the servers; nil if there is none. If the result is not
// held, found is empty.
func (r *runner) readEarly(
	ctx context.Context,
	id string,
	found earlyResult,
) (a *arrival, err error) {
	which := messageRequest{Sequence: found.sequence}
	if found.sequence == 0 {
		which = messageRequest{Next: fromUser("*", "result") + r.Name + ".*." + id, Sequence: 1}
		found.earlier = true
	}
	err = persist(ctx, func(ctx context.Context) error {
		m, err := r.queue.get(ctx, resultsStream, which)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		job, _ := addressIn(m.Subject)
		a = &arrival{
			data:     m.Data,
			user:     userOf(m.Subject),
			token:    job.token,
			sequence: m.Sequence,
			earlier:  found.earlier,
		}
		return nil
	})
	return a, err
}

// mostNotice is the largest size of a notice, in bytes.
const mostNotice = 64 << 10

// noticed handles a notice of a worker. A notice about a job that this run has not queued is no
// progress, and changes nothing.
func (r *runner) noticed(subject string, text []byte) {
	var n notice
	if len(text) > mostNotice || json.Unmarshal(text, &n) != nil {
		return
	}
	user := userOf(subject)
	worker := sender(user, subject[strings.LastIndexByte(subject, '.')+1:])
	r.mu.Lock()
	defer r.mu.Unlock()
	if n.ID == "" {
		r.complain(user, worker, "the worker %s takes no part: %s", worker, printable.Brief(n.Error))
		return
	}
	req := r.requests[n.ID]
	if req == nil || req.inJournal || len(req.attempts) >= r.Attempts*mostDeliveries {
		return
	}
	r.progressCount++
	req.notice(worker, printable.Brief(n.Error))
	if countFailures(req.attempts) >= r.Attempts {
		go callContained(r.fail, func() { r.giveUp(req) })
	}
	if n.Damaged != "" && req.order.needs(n.Damaged) {
		// If this fails, the next worker reports the damage again.
		go callContained(r.fail, func() {
			_ = r.models.resend(r.ctx, r.store(), n.Damaged)
		})
	}
}

// notice records a message of a worker about the job. why is the reason why the worker could not do
// the job, "" if the worker has begun the job.
func (req *request) notice(worker, why string) {
	at := slices.IndexFunc(req.attempts, func(a attempt) bool {
		return a.worker == worker && a.failure == ""
	})
	if why == "" || at < 0 {
		req.attempts = append(req.attempts, attempt{worker, why})
	} else {
		req.attempts[at].failure = why
	}
	req.worker = worker
	req.begun = time.Now()
}

// needs reports whether a file with this digest is one that the job needs.
func (o *order) needs(digest string) bool {
	if digest == o.Model {
		return true
	}
	for _, part := range o.Parts {
		if part == digest {
			return true
		}
	}
	return slices.ContainsFunc(inputsOf(o.Job), func(input jobInput) bool {
		return input.Digest == digest
	})
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
		_ = r.queue.nc.Publish(cancelSubject(r.Name), nil)
	}
	if r.announced > 0 {
		_ = r.queue.batches.Purge(ctx, r.Name, jetstream.LastRevision(r.announced))
		_ = r.queue.nc.Publish(announceSubject(r.Name), nil)
	}
	r.queue.withdraw(ctx, r.entry)
	if complete {
		r.queue.forgetResults(ctx, r.Name, r.lease.token)
	}
	_ = r.queue.nc.FlushWithContext(ctx)
}

// forgetResults removes the results, and their files, of the jobs that were queued under this token
// or an earlier one. Cost: a few requests for each token, and for each result of a later one.
func (q *queue) forgetResults(ctx context.Context, name string, last uint64) {
	q.forgetMessages(ctx, q.results, fromUser("*", "result")+name+".", last)
	q.forgetMessages(ctx, q.files, fromUser("*", "file")+name+".", last)
}

// forgetMessages removes the messages of a stream whose subjects have this prefix, followed by a token
// that is not later than the given one.
func (q *queue) forgetMessages(
	ctx context.Context,
	stream jetstream.Stream,
	prefix string,
	last uint64,
) {
	next := uint64(1)
	for ctx.Err() == nil {
		m, err := q.get(ctx, stream.CachedInfo().Config.Name, messageRequest{
			Sequence: next,
			Next:     prefix + ">",
		})
		if err != nil {
			return // usually since nothing is left; the servers remove the rest when it is old
		}
		token, is := tokenIn(m.Subject)
		if !is || token > last {
			next = m.Sequence + 1
			continue
		}
		ofToken := fmt.Sprintf("%s%d.>", prefix, token)
		if stream.Purge(ctx, jetstream.WithPurgeSubject(ofToken)) != nil {
			return
		}
	}
}

// tokenIn returns the token in the subject of a result or a file.
func tokenIn(subject string) (token uint64, is bool) {
	parts := strings.SplitN(subject, ".", 7)
	if len(parts) < 7 {
		return 0, false
	}
	token, err := strconv.ParseUint(parts[5], 10, 64)
	return token, err == nil && strconv.FormatUint(token, 10) == parts[5]
}
