package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/printable"
)

// Settings are the settings of a run on workers.
type Settings struct {
	// Batch has the settings of a batch on one machine; its fields Parallel, Worker and Memory have
	// no effect.
	Batch batch.Settings
	// Name is the name of the batch at the servers. A run that continues another one has the same
	// name; no two runs have the same name at the same time.
	Name string
	// Wait makes the run wait until another run of this name ends. Otherwise [Run] fails with a
	// *[HeldError].
	Wait bool
	// Stall is the time without progress after which the run reports the cause; 0 means a minute.
	Stall time.Duration
	// MostModels is the largest total size, in bytes, of the models' files that the run sends to
	// the servers; 0 means no limit.
	MostModels int64
	// Observe, if it is not nil, is called with the observer of the run before its jobs begin.
	Observe func(*Observer)
	// Attempts is the number of failed attempts, as reported by workers, after which a job counts
	// as failed; 0 means 3.
	Attempts int
	// AckWait is the time without a sign of a worker after which its jobs are given to others;
	// 0 means 30 seconds.
	AckWait time.Duration
	// Replicas is the number of servers that store everything; 0 means three in a cluster and one
	// elsewhere.
	Replicas int
	// InPlace reports whether a worker in this process reads models at their paths, and writes
	// into the folder of results.
	InPlace bool
	// term is the term of the lease, which tests shorten.
	term time.Duration
}

// The defaults of Settings.
const (
	defaultAttempts = 3
	defaultAckWait  = 30 * time.Second
)

// mostQueued is the largest number of jobs in the queue.
const (
	mostQueued     = 2048
	mostQueuedHere = 256 // the largest number if the workers are in this process
)

// runner is a [batch.Worker] that gives jobs to workers.
type runner struct {
	Settings
	queue     *queue
	localWork batch.Work
	fail      context.CancelCauseFunc

	lease *lease
	// announced is the revision of the batch's entry, 0 if there is none.
	announced uint64
	trouble   *trouble

	starting sync.Once
	line     *line
	ctx      context.Context // the context of the work beside the jobs
	stops    []func()
	models   modelFiles

	mu           sync.Mutex
	requests     map[string]*request // by id
	earlyResults earlyResults
	unjournaled  map[string]*request // the requests without a result in the journal; keys are names of jobs
	entry        entry
	// progressCount counts results and notices that arrived, to detect progress.
	progressCount int
	// statuses counts the results in the journal by their status.
	statuses map[batch.Status]int
	// complained maps each user to those of their senders that the runner has warned about.
	complained map[string]map[string]bool
	// fetching holds a token for each record that is being fetched.
	fetching chan struct{}
}

// request is a job whose result a goroutine awaits.
type request struct {
	id              string
	order           order
	class           sizeClass
	answer          chan *arrival
	arrived         *arrival
	attempts        []attempt
	unusableResults int  // how many results could not be used
	timesLost       int  // how often the queue had lost the job
	inJournal       bool // the result is in the journal
	asked           time.Time
	// worker sent the last notice about the job; begun is the time of that notice.
	worker string
	begun  time.Time
}

// arrival is a result that has arrived; it is acknowledged once it is in the journal.
type arrival struct {
	data     []byte // a record
	user     string
	token    uint64
	sequence uint64 // in the stream of results
	// earlier reports whether the result existed when this run began.
	earlier bool
	// msg is nil for a result that was read again.
	msg jetstream.Msg
}

// ack acknowledges a result. Without an acknowledgement, the result comes again.
func (a *arrival) ack() {
	if a.msg != nil {
		_ = a.msg.Ack()
	}
}

// Run does the jobs of a manifest on workers, and keeps the results as [batch.Run] does, in the
// same files. It needs a connection to servers with JetStream. If ctx is done, the workers stop,
// and results on their way stay on the servers for the run that continues. The workers share the
// cost of the jobs; each model is sent once.
func Run(
	ctx context.Context,
	nc *nats.Conn,
	m *batch.Manifest,
	s Settings,
) (*batch.Outcome, error) {
	if err := checkName("batch", s.Name); err != nil {
		return nil, err
	}
	s = s.withDefaults()
	if err := checkQuota(ctx, m, s.MostModels); err != nil {
		return nil, err
	}
	trouble := &trouble{warn: func(text string) {
		if s.Batch.Warn != nil {
			s.Batch.Warn(text)
		}
	}}
	ctx = trouble.under(ctx)
	q, err := openQueue(ctx, nc, s.Replicas)
	if err != nil {
		return nil, err
	}
	lease, err := q.acquire(ctx, claimant{
		name:          s.Name,
		folder:        absolute(s.Batch.Folder),
		term:          s.term,
		waitForHolder: s.Wait,
		tellWaiting:   trouble.warn,
	})
	if err != nil {
		return nil, err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r := newRunner(ctx, s, q, lease, fail)
	r.trouble = trouble
	r.entry.Jobs = len(m.Jobs)
	go callContained(fail, func() { lease.renew(ctx, s.term, fail) })
	go callContained(fail, func() { r.watchProgress(ctx) })
	if s.Observe != nil {
		s.Observe(&Observer{r})
	}
	out, err := batch.Run(ctx, m, r.batchSettings())
	r.end(err == nil)
	if err != nil && errors.Is(err, context.Canceled) && context.Cause(ctx) != nil {
		err = context.Cause(ctx)
	}
	return out, err
}

// batchSettings returns the settings of the batch whose jobs this runner gives to workers.
func (r *runner) batchSettings() batch.Settings {
	b := r.Batch
	b.Worker = r
	b.Parallel = mostQueued
	if r.InPlace {
		b.Parallel = mostQueuedHere
	}
	b.Finished = func(p batch.Progress) {
		r.acknowledgeKept(p.Result.Job.Name, p.Result.Status)
		r.lease.finished.Store(int64(p.Done))
		if r.Batch.Finished != nil {
			r.Batch.Finished(p)
		}
	}
	return b
}

// withDefaults returns the settings with the defaults in place of zeros.
func (s Settings) withDefaults() Settings {
	if s.Attempts == 0 {
		s.Attempts = defaultAttempts
	}
	if s.AckWait == 0 {
		s.AckWait = defaultAckWait
	}
	if s.Stall == 0 {
		s.Stall = defaultStall
	}
	if s.term == 0 {
		s.term = leaseTerm
	}
	return s
}

// newRunner returns the runner of a batch whose lease is held.
func newRunner(
	ctx context.Context,
	s Settings,
	q *queue,
	l *lease,
	fail context.CancelCauseFunc,
) *runner {
	b := s.Batch
	host, _ := os.Hostname()
	return &runner{
		Settings: s,
		queue:    q,
		fail:     fail,
		line:     newLine(handedAtATime, patience),
		ctx:      ctx,
		lease:    l,
		localWork: batch.Work{
			Folder:  b.Folder,
			Wanted:  b.Wanted,
			Version: b.Version,
			Timeout: b.Timeout,
			Text:    b.Text,
			Command: b.Command,
		},
		models:       modelFiles{onRequest: s.InPlace, mostBytes: s.MostModels},
		requests:     map[string]*request{},
		earlyResults: earlyResults{found: map[string]earlyResult{}},
		complained:   map[string]map[string]bool{},
		fetching:     make(chan struct{}, fetchedAtATime),
		unjournaled:  map[string]*request{},
		statuses:     map[batch.Status]int{},
		entry: entry{
			Name:    s.Name,
			Token:   l.token,
			Version: b.Version,
			Runner:  host,
			Folder:  b.Folder,
			Since:   l.tenure.Since,
		},
	}
}

// absolute returns the absolute path of a folder, or the given path if that cannot be found.
func absolute(folder string) string {
	if path, err := filepath.Abs(folder); err == nil {
		return path
	}
	return folder
}

func (r *runner) warn(format string, args ...any) {
	if r.Batch.Warn != nil {
		// Workers and servers have written parts of the text.
		r.Batch.Warn(printable.Text(fmt.Sprintf(format, args...)))
	}
}

// Do lets a worker do a job.
func (r *runner) Do(ctx context.Context, j batch.Job) batch.Result {
	req, err := r.queueJob(ctx, j)
	var wrong unreadable
	if errors.As(err, &wrong) {
		// The text of the error is the same as in a batch on one machine.
		return batch.Do(ctx, j, r.localWork)
	}
	if err != nil {
		return r.stopWith(ctx, j, err)
	}
	for {
		select {
		case a := <-req.answer:
			result, again, err := r.useArrival(ctx, req, a)
			if err == nil && again {
				err = r.enqueue(ctx, req, func() {})
			}
			if err != nil {
				return r.stopWith(ctx, j, err)
			}
			if !again {
				return result
			}
		case <-ctx.Done():
			return canceled(j)
		}
	}
}

// queueJob queues a job, unless its result has arrived. Callers form a line, since the most expensive
// jobs come first and must be the first in the queue, whichever model has been sent first.
func (r *runner) queueJob(ctx context.Context, j batch.Job) (*request, error) {
	place := r.line.enter()
	defer place.leave()
	r.starting.Do(func() {
		if err := r.start(); err != nil {
			r.fail(err)
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	req, err := r.request(ctx, j)
	if err != nil || len(req.answer) > 0 {
		return req, err
	}
	place.turn(ctx)
	return req, r.enqueue(ctx, req, place.pass)
}

// handedAtATime is the largest number of jobs that are being queued at the same time.
const handedAtATime = 16

func canceled(j batch.Job) batch.Result { return batch.Result{Job: j, Status: batch.Canceled} }

// stopWith returns the result of a job that an error has stopped, and ends the run with this error,
// unless the run has ended already.
func (r *runner) stopWith(ctx context.Context, j batch.Job, err error) batch.Result {
	if ctx.Err() == nil {
		r.fail(err)
	}
	return canceled(j)
}

// request makes the request for a job, and sends its model.
func (r *runner) request(ctx context.Context, j batch.Job) (*request, error) {
	digest, parts, err := r.sendModel(ctx, j)
	if err != nil {
		return nil, err
	}
	for _, input := range inputsOf(j) {
		if err := r.sendInput(ctx, input); err != nil {
			return nil, err
		}
	}
	if j.TLA != nil {
		return nil, unreadable{errors.New("tla works only with inev batch: specifications are not sent to other machines; leave it out")}
	}
	if j.Source != nil {
		return nil, unreadable{errors.New("source works only with inev batch: specifications are not sent to other machines; leave it out")}
	}
	o := order{
		Schema:  orderSchema,
		Version: r.Batch.Version,
		Batch:   r.Name,
		Token:   r.lease.token,
		Model:   digest,
		Parts:   parts,
		Job:     j,
		Wanted:  r.Batch.Wanted,
		Timeout: r.Batch.Timeout,
	}
	req := &request{
		id:     o.id(r.lease.tenure.Secret),
		order:  o,
		class:  classFor(r.models.memory(ctx, j)),
		answer: make(chan *arrival, 1),
		asked:  time.Now(),
	}
	return req, r.expect(ctx, req)
}

// sendInput sends a file that a job reads beside its model. It fails if the file has changed since the
// manifest was read.
func (r *runner) sendInput(ctx context.Context, input jobInput) error {
	digest, err := r.models.send(ctx, r.store(), input.Path)
	if err != nil {
		return err
	}
	if digest != input.Digest {
		return unreadable{errors.New(input.changed)}
	}
	return nil
}

// expect adds a request to those whose results are taken, and hands it the result if that has
// arrived already.
func (r *runner) expect(ctx context.Context, req *request) error {
	r.mu.Lock()
	r.requests[req.id] = req
	r.unjournaled[req.order.Job.Name] = req
	found, is := r.earlyResults.take(req.id)
	overflowed := r.earlyResults.overflowed
	r.mu.Unlock()
	if !is && !overflowed {
		return nil
	}
	a, err := r.readEarly(ctx, req.id, found)
	if err != nil || a == nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if req.arrived == nil {
		req.arrived = a
		req.answer <- a
	}
	return nil
}

func (r *runner) store() chunks {
	return chunks{queue: r.queue, stream: modelsStream, prefix: modelsPrefix}
}

// enqueue queues a job, unless the queue has it. It calls sent as soon as the job is on its way,
// since jobs that are sent later come later in the queue.
func (r *runner) enqueue(ctx context.Context, req *request, sent func()) error {
	if err := r.serve(ctx, req.class); err != nil {
		return err
	}
	text, err := json.Marshal(req.order)
	if err != nil {
		return err
	}
	return persist(ctx, func(ctx context.Context) error {
		future, err := r.queue.js.PublishAsync(jobSubject(r.Name, r.lease.token, req.class, req.id),
			text)
		if err != nil {
			return err
		}
		sent()
		select {
		case <-future.Ok():
			return nil
		case err := <-future.Err():
			if isThere(err) {
				return nil
			}
			return noRoom(err)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
}

// isThere reports whether an error says that the queue already has a message of this subject.
func isThere(err error) bool {
	var refused *jetstream.APIError
	return errors.As(err, &refused) &&
		strings.Contains(refused.Description, "maximum messages per subject")
}

// serve makes sure that workers can fetch the jobs of a class.
func (r *runner) serve(ctx context.Context, c sizeClass) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entry
	if !e.add(c) {
		return nil
	}
	err := persist(ctx, func(ctx context.Context) error {
		_, err := r.queue.js.CreateOrUpdateConsumer(ctx, jobsStream, jetstream.ConsumerConfig{
			Durable:           consumerName(r.Name, r.lease.token, c),
			FilterSubject:     jobSubject(r.Name, r.lease.token, c, "*"),
			AckPolicy:         jetstream.AckExplicitPolicy,
			AckWait:           r.AckWait,
			MaxDeliver:        r.Attempts * mostDeliveries,
			MaxAckPending:     -1,
			MaxWaiting:        1 << 16,
			InactiveThreshold: keptUnfinished,
		})
		return err
	})
	if err == nil {
		err = r.announce(ctx, e)
	}
	if err == nil {
		r.entry = e
	}
	return err
}

// announce publishes the current entry of the batch to workers.
func (r *runner) announce(ctx context.Context, e entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return persist(ctx, func(ctx context.Context) error {
		var revision uint64
		var err error
		if r.announced == 0 {
			revision, err = r.queue.batches.Create(ctx, r.Name, text)
		} else {
			revision, err = r.queue.batches.Update(ctx, r.Name, text, r.announced)
		}
		if err == nil {
			r.announced = revision
			_ = r.queue.nc.Publish(announceSubject(r.Name), nil)
		}
		if !isConflict(err) {
			return noRoom(err)
		}
		// An earlier request, whose answer was lost, may have written this entry.
		found, err := r.queue.batches.Get(ctx, r.Name)
		var current entry
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			r.announced = 0
			return fmt.Errorf("the entry of the batch %s is gone", r.Name)
		case err != nil:
			return err
		case json.Unmarshal(found.Value(), &current) == nil && current.Token > r.lease.token:
			return finalError{&LostError{Name: r.Name, Machine: current.Runner}}
		}
		r.announced = found.Revision()
		return errors.New("the entry of the batch has changed")
	})
}
