package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/internal/printable"
)

// attempt is one worker's attempt to do a job.
type attempt struct{ worker, failure string }

// watchDeliveries handles the servers' reports about jobs that were delivered as often as is
// allowed. The servers keep these reports, so that none is lost while no runner listens.
func (r *runner) watchDeliveries() error {
	var consumer jetstream.Consumer
	err := persist(r.ctx, func(ctx context.Context) (err error) {
		consumer, err = r.queue.js.OrderedConsumer(ctx, advisoryStream, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{maxDeliveries + ">"},
		})
		return err
	})
	if err != nil {
		return err
	}
	consuming, err := consumer.Consume(func(m jetstream.Msg) {
		var report struct {
			Consumer  string `json:"consumer"`
			StreamSeq uint64 `json:"stream_seq"`
		}
		if json.Unmarshal(m.Data(), &report) != nil {
			return
		}
		if strings.HasPrefix(report.Consumer, consumersOf(r.Name, r.lease.token)) {
			go callContained(r.fail, func() { r.deadLetter(report.StreamSeq) })
		}
	})
	if err == nil {
		r.stops = append(r.stops, consuming.Stop)
	}
	return err
}

// deadLetter stores a result for a job that is no longer delivered, unless a worker has stored one.
func (r *runner) deadLetter(sequence uint64) {
	var m *jetstream.RawStreamMsg
	err := persist(r.ctx, func(ctx context.Context) (err error) {
		m, err = r.queue.jobs.GetMsg(ctx, sequence)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return finalError{err}
		}
		return err
	})
	if err != nil {
		return // usually since the job was done after all
	}
	job, ok := addressIn(m.Subject)
	isOwn := ok && job.batch == r.Name && job.token == r.lease.token
	if !isOwn {
		return
	}
	r.mu.Lock()
	req := r.requests[job.id]
	r.mu.Unlock()
	if req != nil {
		r.giveUp(req)
	}
}

// giveUp stores a result without a verdict for a job that is no longer delivered. If that fails, the job
// stays in the queue, and [runner.findLost] tries again later.
func (r *runner) giveUp(req *request) {
	r.mu.Lock()
	if req.inJournal || req.arrived != nil {
		r.mu.Unlock()
		return
	}
	result := r.failedResult(req, describeAttempts(req.attempts, r.Attempts))
	subject := jobSubject(r.Name, r.lease.token, req.class, req.id)
	r.mu.Unlock()
	text, err := json.Marshal(record{
		Schema: recordSchema,
		Worker: "runner",
		Result: &result,
	})
	if err != nil {
		return
	}
	if err = r.queue.storeResult(r.ctx, resultSubject(runnerUser, r.Name, r.lease.token, req.id), text); err == nil {
		_ = r.removeFromQueue(r.ctx, subject)
	}
}

// removeFromQueue removes a job from the queue by its sequence number: if it were purged by its subject,
// servers would forget which other jobs they have to deliver again.
func (r *runner) removeFromQueue(ctx context.Context, subject string) error {
	queued, err := r.queue.jobs.GetLastMsgForSubject(ctx, subject)
	if err == nil {
		err = remove(ctx, r.queue.jobs, queued.Sequence)
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	return err
}

// remove removes a message, unless it has been removed already.
func remove(ctx context.Context, from jetstream.Stream, sequence uint64) error {
	err := from.DeleteMsg(ctx, sequence)
	if err != nil {
		if _, gone := from.GetMsg(ctx, sequence); errors.Is(gone, jetstream.ErrMsgNotFound) {
			return nil
		}
	}
	return err
}

// storeResult publishes a result, unless the job has one.
func (q *queue) storeResult(ctx context.Context, subject string, text []byte) error {
	return persist(ctx, func(ctx context.Context) error {
		_, err := q.js.Publish(ctx, subject, text)
		if isThere(err) {
			return nil
		}
		return noRoom(err)
	})
}

// mostDeliveries is how often a job is delivered for each attempt that is allowed. A worker that
// reports that it cannot do the job has made an attempt; a worker that is killed, paused or
// disconnected has made none. The bound is for a job that kills each worker.
const mostDeliveries = 10

// countFailures counts the attempts of workers that reported a failure.
func countFailures(attempts []attempt) (n int) {
	for _, a := range attempts {
		if a.failure != "" {
			n++
		}
	}
	return n
}

// describeAttempts describes how the attempts at a job ended.
func describeAttempts(attempts []attempt, allowed int) string {
	distinct := map[string]bool{}
	var reports, silent []string
	for _, a := range attempts {
		if a.failure == "" {
			silent = append(silent, a.worker)
			continue
		}
		distinct[a.worker] = true
		reports = append(reports, a.worker+": "+a.failure)
	}
	var text string
	switch {
	case len(reports) == 0:
		text = fmt.Sprintf("given up: it was handed out %s, and no worker gave an answer",
			printable.Quantity(allowed*mostDeliveries, "time"))
	case len(distinct) < len(reports):
		text = fmt.Sprintf("failed %d times on %s: %s", len(reports),
			printable.Quantity(len(distinct), "worker"), strings.Join(reports, "; "))
	default:
		text = fmt.Sprintf("failed on %s: %s", printable.Quantity(len(distinct), "worker"),
			strings.Join(reports, "; "))
	}
	if len(silent) > 0 {
		slices.Sort(silent)
		silent = slices.Compact(silent)
		text += "; without an answer: " +
			strings.Join(silent[:min(len(silent), mostNamed)], ", ")
		more := len(silent) - mostNamed
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	return printable.Text(text)
}

// mostNamed is the largest number of silent workers that are named.
const mostNamed = 5

// progressCheckEvery is the time between two checks for progress.
const progressCheckEvery = 10 * time.Second

// searchForLostJobs waits until there was no progress for a while, and then looks for jobs that no worker
// has and no queue holds; then it waits again. Servers can lose reports, and a server without
// replicas can lose its latest data.
func (r *runner) searchForLostJobs() {
	before := -1
	warned := map[sizeClass]bool{}
	for wait(r.ctx, progressCheckEvery) {
		r.mu.Lock()
		now := r.progressCount
		classes := append([]sizeClass(nil), r.entry.Classes...)
		r.mu.Unlock()
		if now != before {
			before = now
			continue
		}
		for _, c := range classes {
			r.checkClass(c, warned)
		}
	}
}

// checkClass checks the jobs of a class.
func (r *runner) checkClass(c sizeClass, warned map[sizeClass]bool) {
	ctx, stop := context.WithTimeout(r.ctx, patience)
	defer stop()
	consumer, err := r.queue.js.Consumer(ctx, jobsStream, consumerName(r.Name, r.lease.token, c))
	if err != nil {
		return
	}
	info := consumer.CachedInfo()
	switch {
	case info.NumAckPending > 0:
	case info.NumPending > 0:
		if info.NumWaiting == 0 && !warned[c] {
			warned[c] = true
			r.warn("jobs wait for a worker that may use %d GiB of memory; there are %d of them, and no such worker", int(c), info.NumPending)
		}
	default:
		r.findLost(c, info.Delivered.Stream)
	}
}

// findLost handles those jobs of a class that have no result and are with no worker. The parameter
// delivered is a sequence number: a job up to this number will not be delivered again, and gets a
// result without a verdict. A job that the servers have lost is queued again.
func (r *runner) findLost(c sizeClass, delivered uint64) {
	var lost []*request
	r.mu.Lock()
	for _, req := range r.requests {
		if !req.inJournal && req.arrived == nil && req.class == c {
			lost = append(lost, req)
		}
	}
	r.mu.Unlock()
	for _, req := range lost {
		r.findLostJob(req, c, delivered)
	}
}

// findLostJob is [runner.findLost] for one job, unless its result has arrived in the meantime.
func (r *runner) findLostJob(req *request, c sizeClass, delivered uint64) {
	ctx, stop := context.WithTimeout(r.ctx, patience)
	defer stop()
	result := resultSubject("*", r.Name, r.lease.token, req.id)
	_, err := r.queue.get(ctx, resultsStream, messageRequest{Last: result})
	if !errors.Is(err, jetstream.ErrMsgNotFound) {
		return // there is a result, or it is not known whether there is one
	}
	queued, err := r.queue.jobs.GetLastMsgForSubject(ctx, jobSubject(r.Name, r.lease.token, c, req.id))
	switch {
	case err == nil && queued.Sequence <= delivered:
		r.deadLetter(queued.Sequence)
	case errors.Is(err, jetstream.ErrMsgNotFound):
		r.requeueLost(ctx, req)
	}
}

// requeueLost queues a job again that is no longer in the queue and has no result: servers have
// lost the job, or a worker has acknowledged it without a result. If that happens again and again,
// the job gets a result without a verdict.
func (r *runner) requeueLost(ctx context.Context, req *request) {
	r.mu.Lock()
	req.timesLost++
	tooOften := req.timesLost > r.Attempts*mostDeliveries
	r.mu.Unlock()
	if tooOften {
		r.giveUp(req)
		return
	}
	r.warn("the servers have lost the job %q, and have no result of it; it runs again",
		req.order.Job.Name)
	_ = r.enqueue(ctx, req, func() {})
}
