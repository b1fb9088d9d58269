package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
)

// term is that of leases in tests: long enough that a holder that lives is heard of.
const term = 2 * time.Second

// TestSecondRunner: a second runner of a name is refused, and touches nothing; with Wait it
// begins when the first one has ended.
func TestSecondRunner(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 3)
	first := f.settings(t.TempDir())
	first.term = term
	var once sync.Once
	waiting := make(chan struct{})
	waited := make(chan error, 1)
	f.work("w", func(s *WorkerSettings) {
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			once.Do(func() {
				second := f.settings(t.TempDir())
				second.term = term
				_, err := Run(t.Context(), f.connect(), m, second)
				var refused *HeldError
				if !errors.As(err, &refused) || refused.Folder != absolute(first.Batch.Folder) {
					t.Errorf("error %v, want one that names the holder", err)
				}
				third := f.settings(t.TempDir())
				third.term, third.Wait = term, true
				third.Batch.Warn = func(text string) {
					if strings.Contains(text, "waiting for it") {
						close(waiting)
					}
				}
				go func() {
					out, err := Run(t.Context(), f.connect(), m, third)
					if err == nil && len(out.Results) != 3 {
						err = errors.New("jobs are missing")
					}
					waited <- err
				}()
				<-waiting
			})
			return batch.Do(ctx, j, w)
		}
	})
	out, err := Run(t.Context(), f.connect(), m, first)
	allSatisfied(t, m, out, err)
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

// holding returns a runner that has the lease of a name, and does nothing; another one can
// have it at once.
func (f *fixture) holding(q *queue, folder string) *runner {
	f.t.Helper()
	ctx := f.t.Context()
	l, err := q.acquire(ctx, claimant{name: "test", folder: folder, term: 50 * time.Millisecond})
	if err != nil {
		f.t.Fatal(err)
	}
	r := newRunner(ctx, f.settings(f.t.TempDir()).withDefaults(), q, l, func(error) {})
	r.trouble = &trouble{}
	return r
}

// TestExpiredHolder: what a holder writes whose lease has passed on does not touch what the
// next one has: neither jobs, results, consumers nor the entry.
func TestExpiredHolder(t *testing.T) {
	f := newFixture(t)
	q := f.queue()
	ctx := t.Context()
	expired := f.holding(q, "a")
	if err := expired.serve(ctx, 1); err != nil {
		t.Fatal(err)
	}
	next := f.holding(q, "b") // since nothing was heard of the first one
	if next.lease.token <= expired.lease.token {
		t.Errorf("tokens %d and then %d", expired.lease.token, next.lease.token)
	}
	if err := next.takeOverFromPrevious(ctx); err != nil {
		t.Fatal(err)
	}
	if err := next.serve(ctx, 1); err != nil {
		t.Fatal(err)
	}
	for _, subject := range []string{jobSubject("test", next.lease.token, 1, "x"), resultSubject("w", "test", next.lease.token, "y")} {
		if err := q.storeResult(ctx, subject, []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}

	var lost *LostError
	if err := expired.lease.recordPlace(ctx); !errors.As(err, &lost) {
		t.Errorf("the lease is written again: error %v", err)
	}
	if err := expired.announce(ctx, expired.entry); !errors.As(err, &lost) {
		t.Errorf("the batch is announced: error %v", err)
	}
	expired.end(true)
	expired.end(false)
	// Also where it does not hear of it in time.
	expired.lease.lost = nil
	q.withdraw(ctx, expired.entry)
	q.forgetResults(ctx, "test", expired.lease.token)
	if err := q.batches.Purge(ctx, "test", jetstream.LastRevision(expired.announced)); !isConflict(err) && err == nil {
		t.Error("the entry is removed")
	}

	for _, subject := range []string{jobSubject("test", next.lease.token, 1, "x"), resultSubject("w", "test", next.lease.token, "y")} {
		stream := q.jobs
		if strings.HasPrefix(subject, "inev.from") {
			stream = q.results
		}
		if _, err := stream.GetLastMsgForSubject(ctx, subject); err != nil {
			t.Errorf("%s: %v", subject, err)
		}
	}
	if _, err := q.js.Consumer(ctx, jobsStream, consumerName("test", next.lease.token, 1)); err != nil {
		t.Error(err)
	}
	if got := f.lease("test"); got.Token != next.lease.token || got.State != stateHeld {
		t.Errorf("the lease is %+v", got)
	}
	e, err := q.batches.Get(ctx, "test")
	var there entry
	if err != nil || json.Unmarshal(e.Value(), &there) != nil || there.Token != next.lease.token {
		t.Errorf("the entry is %+v, error %v", there, err)
	}
	if !next.lease.release(ctx, true) {
		t.Error("the next holder has lost the lease")
	}
}

// TestLostLease: a runner whose lease passes on ends with an error that says so.
func TestLostLease(t *testing.T) {
	f := newFixture(t)
	q := f.queue()
	m := ring(t, 1)
	s := f.settings(t.TempDir())
	s.term = 500 * time.Millisecond
	var once sync.Once
	f.work("w", func(w *WorkerSettings) {
		w.do = func(ctx context.Context, j batch.Job, _ batch.Work) batch.Result {
			once.Do(func() {
				// Another one has found it expired.
				found, err := q.tenureOf(t.Context(), "test")
				for l := (*lease)(nil); l == nil && err == nil; {
					found, err = q.tenureOf(t.Context(), "test")
					if err == nil {
						l, err = q.replaceTenure(t.Context(), claimant{name: "test", folder: "there"}, tenure{}, found.revision)
					}
				}
				if err != nil {
					t.Error(err)
				}
			})
			<-ctx.Done()
			return batch.Result{Status: batch.Canceled}
		}
	})
	_, err := Run(t.Context(), f.connect(), m, s)
	var lost *LostError
	if !errors.As(err, &lost) || lost.Canceled {
		t.Errorf("error %v, want that of a lease that is lost", err)
	}
	if got := f.lease("test"); got.Folder != "there" {
		t.Errorf("the lease is %+v", got)
	}
	// The worker ends with the batch.
	if err := Cancel(t.Context(), f.connect(), "test"); err != nil {
		t.Error(err)
	}
}

// TestCancel: the runner ends, its finished jobs stay, servers forget the rest, and the name
// is free.
func TestCancel(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 3)
	var once sync.Once
	done, canceled := make(chan bool, 3), make(chan bool)
	f.work("w", func(s *WorkerSettings) {
		s.Done = func(batch.Job, batch.Status, time.Duration) { done <- true }
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			if j.Name == "job 0" { // the one that comes last
				stopped := false
				once.Do(func() {
					// No result is on its way, which would come when servers have forgotten the others.
					<-done
					<-done
					if err := Cancel(t.Context(), f.connect(), "test"); err != nil {
						t.Error(err)
					}
					close(canceled)
					<-ctx.Done()
					stopped = true
				})
				if stopped {
					return batch.Result{Status: batch.Canceled}
				}
			}
			return batch.Do(ctx, j, w)
		}
	})
	s := f.settings(t.TempDir())
	s.term = 500 * time.Millisecond
	out, err := Run(t.Context(), f.connect(), m, s)
	var lost *LostError
	if !errors.As(err, &lost) || !lost.Canceled || out == nil {
		t.Fatalf("error %v, want that of a batch that was canceled", err)
	}
	<-canceled // the runner ends as soon as it hears of it, before servers have forgotten all
	q := f.queue()
	for name, stream := range map[string]jetstream.Stream{"jobs": q.jobs, "results": q.results} {
		if info, err := stream.Info(t.Context()); err != nil || info.State.Msgs != 0 {
			t.Errorf("%d %s are left (error %v)", info.State.Msgs, name, err)
		}
	}
	if err := Cancel(t.Context(), f.connect(), "test"); err == nil || !strings.Contains(err.Error(), "there is no batch test") {
		t.Errorf("canceled twice: error %v", err)
	}
	s.Batch.Begin = batch.Resume
	out, err = Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
}

// TestFailureIsDoneAgain: a run that goes on does again what an earlier one has no verdict
// of, though the servers have the failure still, and takes the verdicts that they have.
func TestFailureIsDoneAgain(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 2)
	q := f.queue()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	did := map[string]int{}
	f.work("w", func(s *WorkerSettings) {
		s.do = func(inner context.Context, j batch.Job, w batch.Work) batch.Result {
			mu.Lock()
			did[j.Name]++
			again := did[j.Name] > 1
			mu.Unlock()
			r := batch.Do(inner, j, w)
			if !again && j.Name == "job 0" {
				r.Status, r.Error = batch.Failed, "the disk is full"
			}
			return r
		}
	})
	// The runner ends when all results are there, and before it has any.
	folder := t.TempDir()
	s := f.settings(folder)
	arrived := make(chan struct{}, 10)
	sub, err := f.connect().Subscribe(fromUser("*", "result")+">", func(*nats.Msg) { arrived <- struct{}{} })
	if err != nil {
		t.Fatal(err)
	}
	go func() { <-arrived; <-arrived; cancel() }()
	s.Batch.Folder = folder
	_, err = Run(ctx, f.connect(), m, s)
	if !errors.Is(err, context.Canceled) {
		t.Skipf("the run was faster (error %v)", err)
	}
	_ = sub.Unsubscribe()
	info, err := q.results.Info(t.Context())
	if err != nil || info.State.Msgs != 2 {
		t.Fatalf("%d results are there (error %v)", info.State.Msgs, err)
	}
	again := f.settings(t.TempDir()) // the journal has nothing
	out, err := Run(t.Context(), f.connect(), m, again)
	allSatisfied(t, m, out, err)
	if did["job 0"] != 2 || did["job 1"] != 1 {
		t.Errorf("done so many times: %v", did)
	}
}

// TestReadsAreLed: nothing is asked of replicas, which may not know yet what they have
// missed.
func TestReadsAreLed(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 3)
	var mu sync.Mutex
	var asked []string
	if _, err := f.connect().Subscribe("$JS.API.DIRECT.GET.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, m.Subject)
	}); err != nil {
		t.Fatal(err)
	}
	q := f.queue()
	// A bucket of an older version is changed.
	for _, name := range []string{"KV_" + leasesBucket, "KV_" + batchesBucket} {
		s, err := q.js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		c := s.CachedInfo().Config
		c.AllowDirect = true
		if _, err := q.js.UpdateStream(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	f.queue()
	f.work("w", nil)
	out, err := Run(t.Context(), f.connect(), m, f.settings(t.TempDir()))
	allSatisfied(t, m, out, err)
	mu.Lock()
	defer mu.Unlock()
	if len(asked) > 0 {
		t.Errorf("asked of any replica: %q", slices.Compact(asked))
	}
}
