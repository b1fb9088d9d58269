package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/contained"
)

const (
	// fetchedAhead is the working time for which jobs are fetched in advance: so short that other workers
	// do not lack jobs, and so long that a worker with small jobs does not wait for the queue.
	fetchedAhead = 20 * time.Millisecond
	// handedAtOnce is the largest number of results that are on their way at the same time.
	handedAtOnce = 32
	// mostFetchedAhead is the largest number of jobs that are fetched in advance.
	mostFetchedAhead = 64
	// idleWait is how long a worker waits for a job before it turns to other batches.
	idleWait = time.Second
)

// serveJobs fetches jobs and does them, until the worker leaves.
func (w *worker) serveJobs(ctx context.Context) error {
	todo := make(chan *task, mostFetchedAhead)
	finished := make(chan struct{}, 1)
	var doing sync.WaitGroup
	for slot := range w.Jobs {
		doing.Add(1)
		go func() {
			defer doing.Done()
			for t := range todo {
				t.folder = filepath.Join(w.Folder, strconv.Itoa(slot))
				w.finishContained(t)
				select {
				case finished <- struct{}{}:
				default:
				}
			}
		}()
	}
	err := w.fetch(ctx, todo, finished)
	close(todo)
	doing.Wait()
	w.deliveries.Wait()
	return err
}

// finishContained does a job. A panic is an attempt at the job that failed: otherwise the worker
// would keep reporting to the servers that the job is under way, and nobody would do it.
func (w *worker) finishContained(t *task) {
	err := contained.Call(func() error {
		w.finish(t)
		return nil
	})
	if err == nil {
		return
	}
	w.release(t)
	// If concluding panics, the servers deliver the job once more.
	_ = contained.Call(func() error {
		w.conclude(t.batch.ctx, t, nil, 0, err)
		return nil
	})
}

// fetch fetches jobs from the queue.
func (w *worker) fetch(ctx context.Context, todo chan<- *task, finished <-chan struct{}) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.Leave:
			return nil
		default:
		}
		room, refused := w.jobsToFetch()
		if refused != nil {
			return refused
		}
		if room == 0 {
			select {
			case <-finished:
			case <-w.Leave:
			case <-ctx.Done():
			}
			continue
		}
		if !w.fetchSome(ctx, room, todo) && !w.awaitChange(ctx, finished) {
			return ctx.Err()
		}
	}
}

// jobsToFetch returns how many further jobs may be fetched now.
func (w *worker) jobsToFetch() (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused != nil && len(w.batches) == 0 && len(w.inHand) == 0 {
		return 0, w.refused
	}
	most := w.Jobs
	if w.averageJobTime > 0 {
		most += min(int(fetchedAhead/w.averageJobTime)*w.Jobs, mostFetchedAhead-w.Jobs)
	}
	// A request is to fetch many jobs: a worker with enough to do waits until half of the room is free.
	room := max(most-len(w.inHand), 0)
	isHalfFree := room >= (most+1)/2
	hasEnough := len(w.inHand) >= w.Jobs
	if hasEnough && !isHalfFree {
		return 0, nil
	}
	return room, nil
}

// awaitChange waits until there may be something to do; it returns false if ctx is done.
func (w *worker) awaitChange(ctx context.Context, finished <-chan struct{}) bool {
	timer := time.NewTimer(idleWait)
	defer timer.Stop()
	select {
	case <-w.changed:
	case <-finished:
	case <-timer.C:
	case <-w.Leave:
	case <-ctx.Done():
		return false
	}
	return true
}

// source is a consumer of the jobs of one batch and one class.
type source struct {
	batch    *servedBatch
	class    sizeClass
	consumer jetstream.Consumer
}

// sources returns the sources of jobs that fit into memory: for each batch, larger classes
// first.
func (w *worker) sources(ctx context.Context) []source {
	w.mu.Lock()
	batches := slices.Clone(w.batches)
	free := w.memory.Bytes
	for t := range w.inHand {
		if t.class > 1 {
			free -= t.class.bytes()
		}
	}
	idle := len(w.inHand) == 0
	var all []source
	for _, b := range batches {
		if b.isTakenOver {
			continue
		}
		for _, c := range slices.Backward(b.Classes) {
			if w.fits(c, free, idle) {
				all = append(all, source{b, c, b.consumers[c]})
			}
		}
	}
	w.mu.Unlock()
	var connected []source
	for _, s := range all {
		if w.findConsumer(ctx, &s) {
			connected = append(connected, s)
		}
	}
	return connected
}

// fits reports whether the worker may take a job of a class now. free is the number of its free
// bytes, and idle says that it holds no job.
func (w *worker) fits(c sizeClass, free int64, idle bool) bool {
	switch {
	case w.memory.Bytes == 0, c == 1, c.bytes() <= free:
		return true
	case idle:
		return w.EverySize || c <= largestIn(w.memory.Bytes)
	}
	return false
}

// findConsumer finds the consumer of a source, and reports whether there is one.
func (w *worker) findConsumer(ctx context.Context, s *source) bool {
	if s.consumer != nil {
		return true
	}
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	c, err := w.queue.js.Consumer(limited, jobsStream,
		consumerName(s.batch.Name, s.batch.Token, s.class))
	if err != nil {
		return false // the batch has ended, or the consumer will be there later
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	s.consumer = c
	s.batch.consumers[s.class] = c
	s.batch.ackWait = c.CachedInfo().Config.AckWait
	return true
}

// fetchSome fetches up to n jobs, and reports whether the next fetch may follow at once.
func (w *worker) fetchSome(ctx context.Context, n int, todo chan<- *task) bool {
	sources := w.sources(ctx)
	for i, s := range sources {
		if s.class > 1 {
			n = 1 // the job takes its memory before the next one is fetched
		}
		isLast := i == len(sources)-1
		fetched, err := w.fetchFrom(s, n, isLast)
		if err != nil {
			w.forgetConsumer(s)
			continue
		}
		accepted := 0
		for m := range fetched.Messages() {
			accepted++
			w.acceptJob(s, m, todo)
		}
		err = fetched.Error()
		timedOut := errors.Is(err, nats.ErrTimeout)
		if err != nil && !timedOut && !errors.Is(err, jetstream.ErrNoMessages) {
			w.forgetConsumer(s)
		}
		hasWaited := isLast && (err == nil || timedOut)
		if accepted > 0 || hasWaited {
			return true
		}
	}
	return false
}

// fetchFrom requests up to n jobs of a source. If mayWait is set, it waits for a job; otherwise it takes those that
// are there.
func (w *worker) fetchFrom(s source, n int, mayWait bool) (jetstream.MessageBatch, error) {
	if mayWait {
		return s.consumer.Fetch(n, jetstream.FetchMaxWait(idleWait))
	}
	return s.consumer.FetchNoWait(n)
}

// forgetConsumer drops the consumer of a source, so that it is looked up again.
func (w *worker) forgetConsumer(s source) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(s.batch.consumers, s.class)
}

// acceptJob accepts a job, unless it is not for this worker.
func (w *worker) acceptJob(s source, m jetstream.Msg, todo chan<- *task) {
	job, _ := addressIn(m.Subject())
	t := &task{batch: s.batch, id: job.id, msg: m, class: s.class}
	err := json.Unmarshal(m.Data(), &t.order)
	isForThisVersion := t.order.Schema == orderSchema && t.order.Version == w.Version
	if err != nil || !isForThisVersion {
		refused := &VersionError{w.Version, t.order.Version, s.batch.Name}
		w.notify(s.batch.Name, notice{ID: t.id, Error: refused.Error()})
		_ = m.Nak()
		return
	}
	if w.addInHand(t) {
		todo <- t
	}
}

// addInHand adds a job to the jobs in hand. If the worker already holds the job, since the servers have
// not heard of the worker for long, addInHand returns false, so that the job is not done twice.
func (w *worker) addInHand(t *task) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, tasks := range []map[*task]struct{}{w.inHand, w.beingHandedOver} {
		for other := range tasks {
			isSameJob := other.batch.Name == t.batch.Name && other.id == t.id
			if !isSameJob {
				continue
			}
			if other.msg.Subject() != t.msg.Subject() {
				_ = other.msg.Ack() // this message is that of an earlier runner of the batch
			}
			other.msg = t.msg // the message to acknowledge when the job is done
			return false
		}
	}
	w.inHand[t] = struct{}{}
	return true
}

// finish does a job. Its result is sent while the next job is done.
func (w *worker) finish(t *task) {
	ctx := t.batch.ctx
	if ctx.Err() != nil {
		w.release(t)
		_ = t.msg.Nak()
		return
	}
	w.notify(t.batch.Name, notice{ID: t.id})
	start := w.now()
	var done finished
	done.err = contained.Call(func() (err error) {
		done.record, done.files, err = w.doJob(ctx, t)
		return err
	})
	done.took = w.now().Sub(start)
	w.beginHandingOver(t)
	w.delivering <- struct{}{}
	w.deliveries.Add(1)
	go w.handOver(t, done)
}

// finished is what a worker has made of a job.
type finished struct {
	record *record
	files  *parcel
	took   time.Duration
	err    error
}

// handOver sends the result of a job, and releases the job.
func (w *worker) handOver(t *task, done finished) {
	defer func() {
		w.release(t)
		<-w.delivering
		w.deliveries.Done()
	}()
	ctx := t.batch.ctx
	err := done.err
	if err == nil {
		err = contained.Call(func() error { return w.deliver(ctx, t, done.record, done.files) })
	}
	// If concluding panics, the servers deliver the job once more.
	_ = contained.Call(func() error {
		w.conclude(ctx, t, done.record, done.took, err)
		return nil
	})
}

// release removes a job from the jobs in hand, and from those whose results are being handed over.
func (w *worker) release(t *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.inHand, t)
	delete(w.beingHandedOver, t)
}

// beginHandingOver moves a job from the jobs in hand to those whose results are being handed over.
func (w *worker) beginHandingOver(t *task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.inHand, t)
	w.beingHandedOver[t] = struct{}{}
}

// conclude tells the servers how a job ended: err is nil if its result has been delivered.
func (w *worker) conclude(
	ctx context.Context,
	t *task,
	rec *record,
	took time.Duration,
	err error,
) {
	w.mu.Lock()
	msg := t.msg
	w.mu.Unlock()
	switch {
	case err == nil:
		_ = msg.Ack()
		w.updateAverage(took)
		if w.Done != nil {
			w.Done(t.order.Job, rec.Result.Status, took)
		}
	case ctx.Err() != nil:
		_ = msg.Nak()
	default:
		w.notify(t.batch.Name, notice{ID: t.id, Error: err.Error(), Damaged: damagedFile(err)})
		_ = msg.NakWithDelay(min(t.batch.ackWait/10, lastPause))
	}
}

// damagedFile returns the digest of the file that the servers do not have, or have with other content; "" if the
// error is about something else.
func damagedFile(err error) string {
	var damaged *batch.DigestError
	if errors.As(err, &damaged) {
		return damaged.Wanted
	}
	var missing *missingError
	if errors.As(err, &missing) {
		return missing.digest
	}
	return ""
}

// deliver publishes the record of a result for the runner.
func (w *worker) deliver(ctx context.Context, t *task, rec *record, files *parcel) error {
	text, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if len(text) > largestRecord {
		digest, err := files.large.Put(ctx, bytes.NewReader(text))
		if err != nil {
			return err
		}
		if text, err = json.Marshal(record{
			Schema: recordSchema,
			Worker: w.Name,
			Object: digest,
		}); err != nil {
			return err
		}
	}
	return w.queue.storeResult(ctx, resultSubject(w.user, t.order.Batch, t.order.Token, t.id), text)
}

// largestRecord is the largest size of a record in a message, in bytes: servers allow 1 MB.
const largestRecord = 512 << 10

// updateAverage adds a duration to the moving average of the time that a job takes.
func (w *worker) updateAverage(took time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.averageJobTime == 0 {
		w.averageJobTime = took
	}
	w.averageJobTime = max((7*w.averageJobTime+took)/8, time.Microsecond)
}
