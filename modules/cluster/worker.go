package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/diagram/graphviz"
	"github.com/inev-lts/inev/internal/footprint"
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
	// Warn, if it is not nil, is called with a text about what the worker waits for.
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
	return fmt.Sprintf("this worker is inev %s, and the batch %s is run by inev %s; use one version for both", e.Worker, e.Batch, e.Runner)
}

// worker takes jobs out of the queue and does them.
type worker struct {
	WorkerSettings
	// memory bounds the memory of all jobs together; if its Bytes are 0, jobs of every size are
	// taken.
	memory resources.Limit
	q      *queue
	engine *graphviz.Engine
	models *recent
	// delivering holds a token for each result on its way.
	delivering chan struct{}
	deliveries sync.WaitGroup

	mu      sync.Mutex
	batches []*served          // in the order that they were begun
	held    map[*task]struct{} // in hand, not done yet
	handed  map[*task]struct{} // done, and the result is being handed over
	pace    time.Duration      // the average duration of a job
	refused *VersionError
	changed chan struct{} // holds a value if batches have changed
}

// served is a batch whose jobs a worker does.
type served struct {
	entry
	ctx       context.Context
	stop      context.CancelFunc
	consumers map[sizeClass]jetstream.Consumer
	ackWait   time.Duration
	// passed reports whether another runner has taken over the batch: jobs in hand are finished,
	// but no further jobs are fetched.
	passed bool
}

// task is a job in the hands of a worker.
type task struct {
	batch *served
	msg   jetstream.Msg
	order order
	id    string
	class sizeClass
	// folder holds the files of the job.
	folder string
}

// Work does jobs of all batches of its version until ctx is done or Leave is closed. The error is a
// *[VersionError] if the most recent batch is of another version. When ctx is done, the jobs that
// it holds go to other workers.
func Work(ctx context.Context, nc *nats.Conn, s WorkerSettings) error {
	if err := checkName("worker", s.Name); err != nil {
		return err
	}
	q, err := findQueue(ctx, nc, s.Leave, s.Warn)
	if err != nil {
		return err
	}
	if s.do == nil {
		s.do = batch.Do
	}
	if s.now == nil {
		s.now = time.Now
	}
	w := &worker{
		WorkerSettings: s, memory: resources.LimitOf(ctx), q: q, engine: graphviz.New(manyPictures, s.Compiled),
		models: newRecent(batch.ReadingEach(1), modelsHeld),
		held:   map[*task]struct{}{}, handed: map[*task]struct{}{}, delivering: make(chan struct{}, handedAtOnce), changed: make(chan struct{}, 1),
	}
	defer w.engine.Close()
	defer func() { _ = nc.Flush() }() // sends the notices and results for which others wait
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	watcher, err := w.watch(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = watcher.Stop() }()
	var beside sync.WaitGroup
	beside.Add(2)
	go func() { defer beside.Done(); w.keepHold(ctx) }()
	go func() { defer beside.Done(); w.tellOfItself(ctx) }()
	err = w.loop(ctx)
	stop()
	beside.Wait()
	return err
}

const (
	// manyPictures is a number of pictures for which compiling Graphviz pays off.
	manyPictures = 1 << 20
	// modelsHeld is the number of models that a worker holds in memory.
	modelsHeld = 4
)

// watch follows the announcements of batches. It returns as soon as it knows all batches that there
// are.
func (w *worker) watch(ctx context.Context) (jetstream.KeyWatcher, error) {
	var watcher jetstream.KeyWatcher
	err := persist(ctx, func(context.Context) (err error) {
		watcher, err = w.q.batches.WatchAll(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	all := make(chan struct{})
	go func() {
		for e := range watcher.Updates() {
			switch {
			case e == nil:
				close(all)
			case e.Operation() == jetstream.KeyValuePut:
				var found entry
				if json.Unmarshal(e.Value(), &found) == nil {
					w.begin(ctx, found)
				}
			default:
				w.end(e.Key())
			}
			select {
			case w.changed <- struct{}{}:
			default:
			}
		}
	}()
	select {
	case <-all:
		return watcher, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin adds a batch, or adds classes of jobs to a known batch.
func (w *worker) begin(ctx context.Context, e entry) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Version != w.Version {
		w.refused = &VersionError{w.Version, e.Version, e.Name}
		w.tell(e.Name, notice{Error: w.refused.Error()})
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
			b.passed = true
		}
	}
	b := &served{entry: e, consumers: map[sizeClass]jetstream.Consumer{}, ackWait: defaultAckWait}
	b.ctx, b.stop = context.WithCancel(ctx)
	canceled, err := w.q.nc.Subscribe(cancelSubject(e.Name), func(*nats.Msg) { b.stop() })
	if err == nil {
		context.AfterFunc(b.ctx, func() { _ = canceled.Unsubscribe() })
	}
	w.batches = append(w.batches, b)
}

// end forgets a batch whose jobs are done, or are no longer wanted.
func (w *worker) end(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.batches = slices.DeleteFunc(slices.Clone(w.batches), func(b *served) bool {
		if b.Name == name {
			b.stop()
		}
		return b.Name == name
	})
}

// tell sends a notice to a runner; the notice can be lost.
func (w *worker) tell(name string, n notice) {
	n.Worker = w.Name
	if text, err := json.Marshal(n); err == nil {
		_ = w.q.nc.Publish(noticeSubject(name), text)
	}
}

// keepHold tells the servers that the jobs in hand are under way.
func (w *worker) keepHold(ctx context.Context) {
	for wait(ctx, w.untilNextSign()) {
		w.mu.Lock()
		for _, tasks := range []map[*task]struct{}{w.held, w.handed} {
			for t := range tasks {
				_ = t.msg.InProgress()
			}
		}
		w.mu.Unlock()
	}
}

// untilNextSign returns the pause between two signs of life: a third of the shortest AckWait, so
// that two successive signs may be lost.
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

// tellOfItself keeps the worker's presence entry alive.
func (w *worker) tellOfItself(ctx context.Context) {
	for {
		w.mu.Lock()
		text, err := json.Marshal(presence{w.Name, w.Version, w.Jobs, w.memory.Bytes, len(w.held)})
		w.mu.Unlock()
		if err == nil {
			limited, stop := context.WithTimeout(ctx, patience)
			_, _ = w.q.workers.Put(limited, w.Name, text)
			stop()
		}
		if !wait(ctx, keptWorkers/4) {
			limited, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer stop()
			_ = w.q.workers.Purge(limited, w.Name)
			return
		}
	}
}

// present returns the living workers.
func (q *queue) present(ctx context.Context) ([]presence, error) {
	watcher, err := q.workers.WatchAll(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	defer func() { _ = watcher.Stop() }()
	var all []presence
	for {
		select {
		case e := <-watcher.Updates():
			if e == nil {
				return all, nil
			}
			var p presence
			if json.Unmarshal(e.Value(), &p) == nil {
				all = append(all, p)
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// place returns the job with the paths of its files on this machine, and a function that releases
// these files.
func (w *worker) place(ctx context.Context, o *order) (there batch.Job, release func(), err error) {
	there = o.Job
	if w.Results != "" {
		return there, func() {}, nil
	}
	var releases []func()
	release = func() {
		for _, r := range releases {
			r()
		}
	}
	fetch := func(digest, path string) (string, error) {
		found, done, err := w.Cache.Fetch(ctx, objects{bucket: w.q.models}, digest, suffixOf(path))
		if err == nil {
			releases = append(releases, done)
		}
		return found, err
	}
	if there.Path, err = fetch(o.Model, o.Job.Path); err != nil {
		release()
		return there, nil, fmt.Errorf("the model %s: %w", o.Job.Model, err)
	}
	if a := o.Job.Automaton; a != nil {
		copied := *a
		if copied.Path, err = fetch(a.Digest, a.Path); err != nil {
			release()
			return there, nil, fmt.Errorf("the automaton %s: %w", a.File, err)
		}
		there.Automaton = &copied
	}
	if t := o.Job.States; t != nil {
		copied := *t
		if copied.Path, err = fetch(t.Digest, t.Path); err != nil {
			release()
			return there, nil, fmt.Errorf("the values of states %s: %w", t.File, err)
		}
		there.States = &copied
	}
	if t := o.Job.Lanes; t != nil {
		copied := *t
		if copied.Path, err = fetch(t.Digest, t.Path); err != nil {
			release()
			return there, nil, fmt.Errorf("the lanes %s: %w", t.File, err)
		}
		there.Lanes = &copied
	}
	return there, release, nil
}

// doJob does a job, and returns the record with its result and the files of the result.
func (w *worker) doJob(ctx context.Context, t *task) (*record, *parcel, error) {
	o := &t.order
	there, release, err := w.place(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	rec := &record{Schema: recordSchema, Worker: w.Name, InPlace: w.Results != ""}
	work := batch.Work{
		Folder: cmp.Or(w.Results, t.folder), Wanted: o.Wanted, Version: o.Version, Timeout: o.Timeout,
		Workers: 1, Models: w.models.of(o, w.Results != ""), Engine: w.engine, Text: w.Text,
		Failed: func(err error) {
			var exceeded *resources.ExceededError
			var tooLarge *footprint.TooLargeError
			rec.TooLarge = !w.EverySize && (errors.As(err, &exceeded) || errors.As(err, &tooLarge) && tooLarge.Limit.By == w.memory.By)
		},
	}
	if w.Command != nil {
		// The command that is shown has the model's path on the runner's machine, not that on this
		// one.
		work.Command = func(batch.Job) []string { return w.Command(o.Job) }
	}
	result := w.WorkerSettings.do(ctx, there, work)
	if result.Status == batch.Canceled {
		return nil, nil, context.Canceled
	}
	result.Job = o.Job
	rec.Result = &result
	if rec.TooLarge {
		rec.Class = max(t.class, largestIn(w.memory.Bytes))
	}
	files := &parcel{small: map[string][]byte{}, room: inParcel, large: objects{bucket: w.q.files, prefix: filesOf(o.Batch, o.Token)}}
	if rec.InPlace {
		return rec, files, nil
	}
	err = result.PutFiles(ctx, t.folder, files)
	rec.Small = files.small
	return rec, files, errors.Join(err, result.RemoveFiles(t.folder))
}

// suffixOf returns the suffixes of a model's name and of its compression: readers recognise the
// format by them.
func suffixOf(path string) string {
	name := filepath.Base(path)
	last := filepath.Ext(name)
	return filepath.Ext(name[:len(name)-len(last)]) + last
}
