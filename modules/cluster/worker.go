package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
)

// WorkerSettings are the settings of a worker.
type WorkerSettings struct {
	// Name is the name of the worker, which no other worker has.
	Name string
	// Version is the version of the tool. Batches of another version are refused.
	Version string
	// Jobs is the number of jobs done at the same time, at least 1.
	Jobs int
	// EverySize makes the worker take jobs that may need more memory than it has, as it must if
	// there is no other worker.
	EverySize bool
	// Cache stores the models that were fetched.
	Cache *FolderStore
	// Folder holds the files of jobs under way; no other process uses it.
	Folder string
	// Results is the folder of results if the runner is in the same process: then models and
	// files are not sent. It is "" in any other process.
	Results string
	// Compiled is the folder in which the compiled Graphviz is kept, see [graphviz.New].
	Compiled string
	// Text and Command have the same meaning as in [batch.Work].
	Text    func(error) string
	Command func(batch.Job) []string
	// Warn, if it is not nil, is called with the reason why the worker waits.
	Warn func(string)
	// Leave, once it is closed, makes the worker end as soon as the jobs in its hands are done; nil
	// for a worker that does not leave.
	Leave <-chan struct{}
	// Done, if it is not nil, is called for each finished job with its duration, by several
	// goroutines.
	Done func(j batch.Job, s batch.Status, took time.Duration)
	// do does a job; tests replace [batch.Do].
	do func(context.Context, batch.Job, batch.Work) batch.Result
	// now is the clock that measures jobs; tests replace time.Now.
	now func() time.Time
}

// VersionError is the error of a worker whose version is not that of the batch.
type VersionError struct{ Worker, Runner, Batch string }

func (e *VersionError) Error() string {
	return fmt.Sprintf("this worker is inev %s, but the batch %s is run by inev %s; use one version for both", e.Worker, e.Batch, e.Runner)
}

// worker takes jobs out of the queue and does them.
type worker struct {
	WorkerSettings
	// user begins the subjects of all that the worker sends.
	user string
	// memory bounds the memory of all jobs together; if its Bytes are 0, jobs of every size are
	// taken.
	memory resources.Limit
	queue  *queue
	engine *graphviz.Engine
	models *recent
	// delivering holds a token for each result on its way.
	delivering chan struct{}
	deliveries sync.WaitGroup

	mu              sync.Mutex
	batches         []*servedBatch     // in the order that they were begun
	inHand          map[*task]struct{} // in hand, not done yet
	beingHandedOver map[*task]struct{} // done, and the result is being handed over
	averageJobTime  time.Duration      // the average duration of a job
	refused         *VersionError
	changed         chan struct{} // holds a value if batches have changed
}

// servedBatch is a batch whose jobs a worker does.
type servedBatch struct {
	entry
	ctx       context.Context
	stop      context.CancelFunc
	consumers map[sizeClass]jetstream.Consumer
	ackWait   time.Duration
	// isTakenOver reports whether another runner has taken over the batch: jobs in hand are finished,
	// but no further jobs are fetched.
	isTakenOver bool
}

// task is a job in the hands of a worker.
type task struct {
	batch *servedBatch
	msg   jetstream.Msg
	order order
	id    string
	class sizeClass
	// folder holds the files of the job.
	folder string
}

// Work does jobs of all batches of its version until ctx is done or Leave is closed. The error is a
// *[VersionError] if the most recent batch is of another version, and a *[PermissionError] if the
// servers do not let the worker send results. When ctx is done, the jobs that
// it holds go to other workers.
func Work(ctx context.Context, nc *nats.Conn, s WorkerSettings) error {
	if err := checkName("worker", s.Name); err != nil {
		return err
	}
	user := userOfConnection(nc, s.Name)
	err := tryPublish(nc, fromUser(user, "try")+"x")
	if errors.Is(err, nats.ErrPermissionViolation) {
		return &PermissionError{Cause: err, Worker: true}
	}
	q, err := findQueue(ctx, nc, s.Leave, s.Warn)
	if err != nil {
		return err
	}
	w := newWorker(ctx, s, q, user)
	defer w.engine.Close()
	defer func() { _ = nc.Flush() }() // sends the notices and results for which others wait
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	follower, err := w.followBatches(ctx)
	if err != nil {
		return err
	}
	var beside sync.WaitGroup
	for _, do := range []func(){
		follower.run,
		func() { w.keepJobs(ctx) },
		func() { w.keepPresence(ctx) },
	} {
		beside.Go(func() { callContained(fail, do) })
	}
	err = w.serveJobs(ctx)
	fail(nil)
	beside.Wait()
	if panicked, is := context.Cause(ctx).(*contained.Panic); is {
		return panicked
	}
	return err
}

// newWorker returns a worker that takes jobs out of a queue.
func newWorker(ctx context.Context, s WorkerSettings, q *queue, user string) *worker {
	if s.do == nil {
		s.do = batch.Do
	}
	if s.now == nil {
		s.now = time.Now
	}
	return &worker{
		WorkerSettings:  s,
		user:            user,
		memory:          resources.LimitOf(ctx),
		queue:           q,
		engine:          graphviz.New(manyPictures, s.Compiled),
		models:          newRecent(batch.ReadingEach(1), modelsHeld),
		inHand:          map[*task]struct{}{},
		beingHandedOver: map[*task]struct{}{},
		delivering:      make(chan struct{}, handedAtOnce),
		changed:         make(chan struct{}, 1),
	}
}

// callContained calls do. If do panics, the work that it belongs to fails with the panic.
func callContained(fail context.CancelCauseFunc, do func()) {
	err := contained.Call(func() error {
		do()
		return nil
	})
	if err != nil {
		fail(err)
	}
}

const (
	// manyPictures is a number of pictures for which compiling Graphviz pays off.
	manyPictures = 1 << 20
	// modelsHeld is the number of models that a worker holds in memory.
	modelsHeld = 4
)

// follower follows the announcements of batches.
type follower struct {
	w *worker
	// ctx ends when the worker does; a batch that the worker has begun ends then, too.
	ctx context.Context
	// announced has a value if a runner has announced something.
	announced chan struct{}
	// next is the sequence number of the first message that is not known yet.
	next uint64
}

// mostBatches is the largest number of announcements that are read at a time.
const mostBatches = 100_000

// How often announcements are looked for if no message says that there are new ones, and how often
// all of them are read again, since servers forget old ones without a message.
const (
	batchesEvery    = 2 * time.Second
	allBatchesEvery = time.Minute
)

// followBatches returns as soon as the worker knows all batches that there are. The error is a
// *[PermissionError] if the servers do not allow the worker what it needs.
func (w *worker) followBatches(ctx context.Context) (*follower, error) {
	f := &follower{w: w, ctx: ctx, announced: make(chan struct{}, 1)}
	nudges, err := w.queue.nc.Subscribe(announceSubject("*"), func(*nats.Msg) {
		select {
		case f.announced <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = nudges.Unsubscribe() })
	return f, persist(ctx, func(ctx context.Context) error {
		return f.readAll(ctx)
	})
}

// run follows the announcements until the worker ends.
func (f *follower) run() {
	complete := time.Now()
	for {
		timer := time.NewTimer(batchesEvery)
		select {
		case <-f.announced:
		case <-timer.C:
		case <-f.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
		if time.Since(complete) < allBatchesEvery {
			_ = f.readNew(f.ctx) // the next round reads what this one could not
			continue
		}
		if f.readAll(f.ctx) == nil {
			complete = time.Now()
		}
	}
}

// readAll reads all announcements, and forgets batches that are no longer announced.
func (f *follower) readAll(ctx context.Context) error {
	f.next = 0
	known := f.w.batchNames()
	announced := map[string]bool{}
	err := f.read(ctx, func(e entry) { announced[e.Name] = true })
	if err != nil {
		return err
	}
	for _, name := range known {
		if !announced[name] {
			f.w.endBatch(name)
		}
	}
	return nil
}

// readNew reads the announcements that came after the last one.
func (f *follower) readNew(ctx context.Context) error { return f.read(ctx, func(entry) {}) }

// read reads the announcements from f.next on, and begins and ends batches as they say. It calls found with each
// batch that is announced.
func (f *follower) read(ctx context.Context, found func(entry)) (err error) {
	subjects := "$KV." + batchesBucket + "."
	f.next, err = f.w.queue.each(ctx, bucketStream+batchesBucket, subjects+">", f.next, mostBatches, func(m *message) {
		var e entry
		switch {
		case m.header(keyOperation) != "":
			f.w.endBatch(strings.TrimPrefix(m.Subject, subjects))
		case json.Unmarshal(m.Data, &e) == nil:
			found(e)
			f.w.beginBatch(f.ctx, e)
		}
		select {
		case f.w.changed <- struct{}{}:
		default:
		}
	})
	return err
}

// keyOperation is the field of a header that marks a removed key of a bucket.
const keyOperation = "KV-Operation"

// batchNames returns the names of the batches that the worker serves.
func (w *worker) batchNames() (all []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.batches {
		all = append(all, b.Name)
	}
	return all
}

// beginBatch adds a batch, or adds classes of jobs to a known batch.
func (w *worker) beginBatch(ctx context.Context, e entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Version != w.Version {
		w.refused = &VersionError{w.Version, e.Version, e.Name}
		w.notify(e.Name, notice{Error: w.refused.Error()})
		return
	}
	w.refused = nil
	for _, b := range w.batches {
		switch {
		case b.Name != e.Name:
		case b.Token == e.Token:
			// Goroutines that do jobs of the batch read its other fields without a lock.
			b.Classes = e.Classes
			return
		default:
			b.isTakenOver = true
		}
	}
	b := &servedBatch{
		entry:     e,
		consumers: map[sizeClass]jetstream.Consumer{},
		ackWait:   defaultAckWait,
	}
	b.ctx, b.stop = context.WithCancel(ctx)
	canceled, err := w.queue.nc.Subscribe(cancelSubject(e.Name), func(*nats.Msg) {
		b.stop()
	})
	if err == nil {
		context.AfterFunc(b.ctx, func() { _ = canceled.Unsubscribe() })
	}
	w.batches = append(w.batches, b)
}

// endBatch forgets a batch whose jobs are done, or are no longer wanted.
func (w *worker) endBatch(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.batches = slices.DeleteFunc(slices.Clone(w.batches), func(b *servedBatch) bool {
		if b.Name == name {
			b.stop()
		}
		return b.Name == name
	})
}

// notify sends a notice to a runner; the notice can be lost.
func (w *worker) notify(name string, n notice) {
	if text, err := json.Marshal(n); err == nil {
		_ = w.queue.nc.Publish(noticeSubject(w.user, name, w.Name), text)
	}
}

// keepJobs tells the servers that the jobs in hand are under way.
func (w *worker) keepJobs(ctx context.Context) {
	for wait(ctx, w.untilNextSign()) {
		w.mu.Lock()
		for _, tasks := range []map[*task]struct{}{w.inHand, w.beingHandedOver} {
			for t := range tasks {
				_ = t.msg.InProgress()
			}
		}
		w.mu.Unlock()
	}
}

// untilNextSign returns the pause between two signs of life: a third of the shortest AckWait, so
// that two successive signs may be lost, but at most oftenEnough.
func (w *worker) untilNextSign() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	least := defaultAckWait
	for _, b := range w.batches {
		least = min(least, b.ackWait)
	}
	return min(max(least/3, time.Millisecond), oftenEnough)
}

// oftenEnough is the longest pause between signs of life, so that a batch with a shorter AckWait is
// noticed in time.
const oftenEnough = time.Second

// keepPresence keeps the worker's presence entry alive.
func (w *worker) keepPresence(ctx context.Context) {
	for {
		w.mu.Lock()
		text, err := json.Marshal(presence{
			Version: w.Version,
			Jobs:    w.Jobs,
			Memory:  w.memory.Bytes,
			Running: len(w.inHand),
		})
		w.mu.Unlock()
		if err == nil {
			w.showPresence(ctx, text)
		}
		if !wait(ctx, keptWorkers/4) {
			w.showPresence(context.WithoutCancel(ctx), nil)
			return
		}
	}
}

// showPresence writes the worker's presence entry; an empty text says that it is gone.
func (w *worker) showPresence(ctx context.Context, text []byte) {
	limited, stop := context.WithTimeout(ctx, patience)
	defer stop()
	_, _ = w.queue.js.Publish(limited, presenceSubject(w.user, w.Name), text)
}

// Limits of the data that are read about workers: the bytes of a worker's entry, and the number of
// entries of one user, so that no user hides the workers of others.
const (
	mostPresence = 4 << 10
	mostPresent  = 1000
	mostVersion  = 60 // characters
)

// present returns the living workers, by their users and names; of a user, at most mostPresent. Cost: a
// request for each worker, and one for each 100,000 entries that users have made.
func (q *queue) present(ctx context.Context) (all []presence, err error) {
	subjects, err := q.subjects(ctx, workersStream, fromUser("*", "presence")+"*")
	if err != nil {
		return nil, err
	}
	ofUser := map[string]int{}
	for _, subject := range subjects {
		user := userOf(subject)
		ofUser[user]++
		if ofUser[user] > mostPresent {
			continue
		}
		limited, stop := context.WithTimeout(ctx, patience)
		m, err := q.get(limited, workersStream, messageRequest{Last: subject})
		stop()
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			continue // the worker has gone meanwhile
		}
		if err != nil {
			return all, err
		}
		var p presence
		if len(m.Data) > mostPresence || json.Unmarshal(m.Data, &p) != nil {
			continue
		}
		p.Name = sender(user, subject[strings.LastIndexByte(subject, '.')+1:])
		p.Version = printable.Cut(p.Version, mostVersion)
		all = append(all, p)
	}
	return all, nil
}

// placeFiles returns the job with the paths of its files on this machine, and a function that releases
// these files.
func (w *worker) placeFiles(
	ctx context.Context,
	o *order,
) (placed batch.Job, release func(), err error) {
	if w.Results != "" {
		return o.Job, func() {}, nil
	}
	p := &placement{ctx: ctx, worker: w}
	placed, err = p.job(o)
	if err != nil {
		p.release()
		return placed, nil, err
	}
	return placed, p.release, nil
}

// placement puts the files of a job on this machine.
type placement struct {
	ctx      context.Context
	worker   *worker
	releases []func()
}

// release lets the store remove the files that were fetched for the job.
func (p *placement) release() {
	for _, release := range p.releases {
		release()
	}
}

// fetch returns the path of a copy of a file that has another path on the runner's machine.
func (p *placement) fetch(digest, path string) (string, error) {
	models := chunks{queue: p.worker.queue, stream: modelsStream, prefix: modelsPrefix}
	copied, release, err := p.worker.Cache.Fetch(p.ctx, models, digest, suffixOf(path))
	if err != nil {
		return "", err
	}
	p.releases = append(p.releases, release)
	return copied, nil
}

// job returns the job with the paths of its files on this machine.
func (p *placement) job(o *order) (batch.Job, error) {
	j := o.Job
	var err error
	if j.Path, err = p.model(o); err != nil {
		return j, fmt.Errorf("the model %s: %w", j.Model, err)
	}
	if j.Automaton, err = p.file("automaton", j.Automaton); err != nil {
		return j, err
	}
	if j.States, err = p.file("values of states", j.States); err != nil {
		return j, err
	}
	if j.Lanes, err = p.file("lanes", j.Lanes); err != nil {
		return j, err
	}
	j.Rules = maps.Clone(j.Rules)
	for _, field := range slices.Sorted(maps.Keys(j.Rules)) {
		if j.Rules[field], err = p.file("rules", j.Rules[field]); err != nil {
			return j, err
		}
	}
	return j, nil
}

// model returns the path of the job's model on this machine.
func (p *placement) model(o *order) (string, error) {
	if len(o.Parts) == 0 {
		return p.fetch(o.Model, o.Job.Path)
	}
	return placeNetwork(p.ctx, o, p.fetch, func(release func()) {
		p.releases = append(p.releases, release)
	})
}

// file returns a file of the job with its path on this machine; nil if the job has no such file.
func (p *placement) file(kind string, f *batch.File) (*batch.File, error) {
	if f == nil {
		return nil, nil
	}
	path, err := p.fetch(f.Digest, f.Path)
	if err != nil {
		return nil, fmt.Errorf("the %s %s: %w", kind, f.File, err)
	}
	placed := *f
	placed.Path = path
	return &placed, nil
}

// doJob does a job, and returns the record with its result and the files of the result.
func (w *worker) doJob(ctx context.Context, t *task) (*record, *parcel, error) {
	o := &t.order
	placed, release, err := w.placeFiles(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	rec := &record{
		Schema:  recordSchema,
		Worker:  w.Name,
		InPlace: w.Results != "",
	}
	work := w.workOn(t)
	work.Failed = func(err error) { rec.TooLarge = w.needsLarger(err) }
	result := w.WorkerSettings.do(ctx, placed, work)
	if result.Status == batch.Canceled {
		return nil, nil, context.Canceled
	}
	result.Job = o.Job
	rec.Result = &result
	if rec.TooLarge {
		rec.Class = max(t.class, largestIn(w.memory.Bytes))
	}
	files := &parcel{
		small:     map[string][]byte{},
		freeBytes: mostParcelBytes,
		large: chunks{
			queue:  w.queue,
			stream: filesStream,
			prefix: filesOf(w.user, o.Batch, o.Token),
		},
	}
	if rec.InPlace {
		return rec, files, nil
	}
	err = result.PutFiles(ctx, t.folder, files)
	rec.Small = files.small
	return rec, files, errors.Join(err, result.RemoveFiles(t.folder))
}

// workOn returns the settings with which this worker does a job.
func (w *worker) workOn(t *task) batch.Work {
	o := &t.order
	inPlace := w.Results != ""
	work := batch.Work{
		Folder:  cmp.Or(w.Results, t.folder),
		Wanted:  o.Wanted,
		Version: o.Version,
		Timeout: o.Timeout,
		Workers: 1,
		Models:  w.models.of(o, inPlace),
		Engine:  w.engine,
		Text:    w.Text,
	}
	if w.Command != nil {
		// The command that is shown has the model's path on the runner's machine, not that on this
		// one.
		work.Command = func(batch.Job) []string { return w.Command(o.Job) }
	}
	return work
}

// needsLarger reports whether the error of a job is that it takes more memory than this worker may
// use, so that a larger worker can do it.
func (w *worker) needsLarger(err error) bool {
	if w.EverySize {
		return false
	}
	var exceeded *resources.ExceededError
	if errors.As(err, &exceeded) {
		return true
	}
	var tooLarge *footprint.TooLargeError
	return errors.As(err, &tooLarge) && tooLarge.Limit.By == w.memory.By
}

// suffixOf returns the suffixes of a model's name and of its compression: readers recognise the
// format by them.
func suffixOf(path string) string {
	name := filepath.Base(path)
	last := filepath.Ext(name)
	return filepath.Ext(name[:len(name)-len(last)]) + last
}
