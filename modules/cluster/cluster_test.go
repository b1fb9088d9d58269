package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/resources"
)

// TestDeadLetter: a job that no worker answers becomes a result that says on whom it failed.
func TestDeadLetter(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 1)
	q := f.queue()
	handed, workers := 0, []string{"a", "b", "c", "d"}
	ctx, stop := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		// Workers that say that they begin, and then are gone.
		for ctx.Err() == nil {
			c, err := q.js.Consumer(ctx, jobsStream, consumerName("test", f.lease("test").Token, 1))
			if err != nil {
				continue
			}
			got, err := c.Fetch(1, jetstream.FetchMaxWait(time.Second))
			if err != nil {
				continue
			}
			for msg := range got.Messages() {
				address, _ := addressIn(msg.Subject())
				if handed == len(workers) { // the runner has yet to hear of the last one
					_ = msg.Nak()
					continue
				}
				handed++
				subject := noticeSubject(workers[handed-1], "test", workers[handed-1])
				text, _ := json.Marshal(notice{ID: address.id})
				_ = q.nc.Publish(subject, text)
				if handed != 2 { // b is killed
					text, _ := json.Marshal(notice{ID: address.id, Error: "no space left"})
					_ = q.nc.Publish(subject, text)
				}
				_ = q.nc.Flush()
				_ = msg.Nak()
			}
		}
	}()
	out, err := Run(t.Context(), f.connect(), m, f.settings(t.TempDir()))
	stop()
	<-gone
	if err != nil {
		t.Fatal(err)
	}
	const want = "failed on 3 workers: a: no space left; c: no space left; d: no space left; without an answer: b"
	if r := out.Results[0]; r.Status != batch.Failed || r.Error != want {
		t.Errorf("%s: %q, want %q", r.Status, r.Error, want)
	}
}

// TestFailedOn: what is said of attempts.
func TestFailedOn(t *testing.T) {
	for _, c := range []struct {
		attempts []attempt
		want     string
	}{
		{nil, "given up: it was handed out 30 times, and no worker gave an answer"},
		{[]attempt{{"b", ""}, {"a", ""}, {"b", ""}}, "given up: it was handed out 30 times, and no worker gave an answer; without an answer: a, b"},
		{[]attempt{{"1", ""}, {"2", ""}, {"3", ""}, {"4", ""}, {"5", ""}, {"6", ""}}, "given up: it was handed out 30 times, and no worker gave an answer; without an answer: 1, 2, 3, 4, 5 and 1 more"},
		{[]attempt{{"a", "full"}, {"a", ""}, {"b", "full"}}, "failed on 2 workers: a: full; b: full; without an answer: a"},
		{[]attempt{{"a", "full"}, {"a", "full"}, {"b", "gone"}}, "failed 3 times on 2 workers: a: full; a: full; b: gone"},
		{[]attempt{{"a", "\x1b[31m"}}, `failed on 1 worker: a: \x1b[31m`},
	} {
		if got := describeAttempts(c.attempts, 3); got != c.want {
			t.Errorf("%v: %q, want %q", c.attempts, got, c.want)
		}
	}
}

// TestOtherVersion: a worker of another version does nothing, and both versions are named
// to it and to the runner.
func TestOtherVersion(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 4)
	_, refused := f.work("old", func(s *WorkerSettings) {
		s.Version = "v0"
		s.do = func(context.Context, batch.Job, batch.Work) batch.Result {
			t.Error("a worker of another version does a job")
			return batch.Result{Status: batch.Canceled}
		}
	})
	s := f.settings(t.TempDir())
	ended, warned := make(chan error, 1), make(chan string, 10)
	s.Batch.Warn = func(text string) { warned <- text }
	var warning string
	s.Batch.Finished = func(p batch.Progress) {
		if p.Done == 1 { // the run lasts until then
			ended <- <-refused
			warning = <-warned
		}
	}
	f.work("new", nil)
	out, err := Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
	var version *VersionError
	if err := <-ended; !errors.As(err, &version) || *version != (VersionError{"v0", "v1", "test"}) {
		t.Errorf("error %v, want one that names both versions", err)
	}
	if want := "the worker old takes no part: this worker is inev v0, but the batch test is run by inev v1"; !strings.HasPrefix(warning, want) {
		t.Errorf("warning %q, want %q", warning, want)
	}
}

// TestDamagedModel: a model that arrives as another one is sent again, and never used.
func TestDamagedModel(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 2)
	q := f.queue()
	text, err := os.ReadFile(m.Jobs[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := batch.Digest(t.Context(), m.Jobs[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.ReplaceAll(text, []byte("L2"), []byte("X2"))
	store := chunks{queue: q, stream: modelsStream, prefix: modelsPrefix}
	if err := store.sendChunk(t.Context(), store.subject(digest, 0), int64(len(other)), other); err != nil {
		t.Fatal(err)
	}
	f.work("w", nil)
	s := f.settings(t.TempDir())
	s.AckWait, s.Attempts = 2*time.Second, 100
	out, err := Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
}

// TestSizeClasses: a job goes to a worker that has the memory for it, and one that turns
// out to need more than its worker has goes to a larger one.
func TestSizeClasses(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 3)
	// Its header promises so much that a small worker is not asked.
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write([]byte("des (0,60000000,30000000)\n"))
	if err = errors.Join(err, z.Close(), os.WriteFile(m.Jobs[0].Path, packed.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
	if need := m.Jobs[0].Needs(t.Context()); need <= gib {
		t.Fatalf("it needs %d bytes only", need)
	}
	var mu sync.Mutex
	did := map[string][]string{}
	larger := make(chan struct{}) // closed once the small one has met its limit
	do := func(name string, exceeds bool) func(context.Context, batch.Job, batch.Work) batch.Result {
		return func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			mu.Lock()
			did[j.Name] = append(did[j.Name], name)
			mu.Unlock()
			digest, _ := w.Models.Digest(ctx, j)
			r := batch.Result{Schema: batch.ResultSchema, Job: j, Key: j.Key(digest, w.Version), Status: batch.Satisfied}
			if exceeds && j.Name == "job 1" {
				r.Status, r.Error = batch.Failed, "too large"
				w.Failed(&resources.ExceededError{Limit: resources.LimitOf(ctx)})
				close(larger)
			}
			return r
		}
	}
	f.memory = gib
	f.work("small", func(s *WorkerSettings) { s.do = do("small", true) })
	s := f.settings(t.TempDir())
	s.Batch.Wanted = nil
	go func() {
		<-larger
		f.memory = 64 * gib
		f.work("large", func(s *WorkerSettings) { s.do = do("large", false) })
	}()
	// Where nobody larger is known of, the failure of job 1 would be its result.
	f.present("announced", 64*gib)
	out, err := Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
	if want := []string{"large"}; !slices.Equal(did["job 0"], want) {
		t.Errorf("the large job was done by %q, want %q", did["job 0"], want)
	}
	if want := []string{"small", "large"}; !slices.Equal(did["job 1"], want) {
		t.Errorf("the job that was too large was done by %q, want %q", did["job 1"], want)
	}
}

// present lets a worker seem to be there.
func (f *fixture) present(name string, memory int64) {
	f.t.Helper()
	text, err := json.Marshal(presence{Version: "v1", Jobs: 1, Memory: memory})
	if err == nil {
		_, err = f.queue().js.Publish(f.t.Context(), presenceSubject(name, name), text)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// TestClasses: what fits into a class, and which classes fit into a worker.
func TestClasses(t *testing.T) {
	for bytes, want := range map[int64]sizeClass{0: 1, 1: 1, gib: 1, gib + 1: 2, 2 * gib: 2, 3 * gib: 4, 5 * gib: 8, 1 << 62: maxClass} {
		if got := classFor(bytes); got != want {
			t.Errorf("%d bytes are of class %d, want %d", bytes, got, want)
		}
	}
	for bytes, want := range map[int64]sizeClass{0: 1, gib - 1: 1, gib: 1, 2*gib - 1: 1, 2 * gib: 2, 7 * gib: 4, 8 * gib: 8, 1 << 62: maxClass} {
		if got := largestIn(bytes); got != want {
			t.Errorf("into %d bytes fits class %d, want %d", bytes, got, want)
		}
	}
}

// TestLargeResults: files and results that are larger than a message get to the runner.
func TestLargeResults(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 2)
	long := strings.Repeat("x", 3<<20)
	f.work("w", func(s *WorkerSettings) {
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			r := batch.Do(ctx, j, w)
			r.Warnings = append(r.Warnings, long)
			name := filepath.Join(w.Folder, r.Files["explanation"])
			if err := os.WriteFile(name, []byte(long), 0o644); err != nil {
				t.Error(err)
			}
			r.Digests["explanation"], _ = batch.Digest(ctx, name)
			return r
		}
	})
	folder := t.TempDir()
	out, err := Run(t.Context(), f.connect(), m, f.settings(folder))
	allSatisfied(t, m, out, err)
	for _, r := range out.Results {
		text, err := os.ReadFile(filepath.Join(folder, r.Files["explanation"]))
		if err != nil || string(text) != long || r.Warnings[0] != long {
			t.Errorf("%s: %d bytes, and %d in the result (error %v)", r.Job.Name, len(text), len(r.Warnings[0]), err)
		}
	}
	info, err := f.queue().files.Info(t.Context())
	if err != nil || info.State.Msgs != 0 {
		t.Errorf("%d chunks are left (error %v)", info.State.Msgs, err)
	}
}

// TestCanceled: where the run is stopped, so are the jobs that workers do, and what was
// finished is there for the run that goes on.
func TestCanceled(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 3)
	stopped := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var once sync.Once
	f.work("w", func(s *WorkerSettings) {
		s.do = func(inner context.Context, j batch.Job, w batch.Work) batch.Result {
			if j.Name == "job 0" && ctx.Err() == nil { // the one that comes last
				cancel()
				<-inner.Done()
				once.Do(func() { close(stopped) })
			}
			return batch.Do(inner, j, w)
		}
	})
	folder := t.TempDir()
	out, err := Run(ctx, f.connect(), m, f.settings(folder))
	if !errors.Is(err, context.Canceled) || out == nil || len(out.Results) == 3 {
		t.Fatalf("%+v, error %v", out, err)
	}
	<-stopped
	status, err := ReadStatus(t.Context(), f.connect())
	if err != nil || len(status.Batches) != 0 {
		t.Errorf("there still is %+v (error %v)", status, err)
	}
	s := f.settings(folder)
	s.Batch.Begin = batch.Resume
	out, err = Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
}

// TestWorkerLeaves: a worker that is told to leave does what it holds, and no more.
func TestWorkerLeaves(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 3)
	leave := make(chan struct{})
	did := 0
	_, ended := f.work("first", func(s *WorkerSettings) {
		s.Leave = leave
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			if did++; did == 1 {
				close(leave)
			}
			return batch.Do(ctx, j, w)
		}
	})
	s := f.settings(t.TempDir())
	go func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
		f.work("second", nil)
	}()
	out, err := Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
	if did != 1 {
		t.Errorf("it did %d jobs after it was told to leave", did-1)
	}
}

// TestDoneTwice: the second result of a job is not that of another job, nor counts.
func TestDoneTwice(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 4)
	q := f.queue()
	f.work("w", func(s *WorkerSettings) {
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			r := batch.Do(ctx, j, w)
			digest, _ := w.Models.Digest(ctx, j)
			original := m.Jobs[slices.IndexFunc(m.Jobs, func(o batch.Job) bool { return o.Name == j.Name })]
			o := order{Schema: orderSchema, Version: "v1", Batch: "test", Model: digest, Job: original, Wanted: w.Wanted}
			held := f.lease("test")
			// Another worker was faster.
			other := r
			other.Job, other.Warnings = original, []string{"faster"}
			other.Files, other.Digests = nil, nil
			text, err := json.Marshal(record{Schema: recordSchema, Worker: "other", Result: &other})
			if err == nil {
				err = q.storeResult(ctx, resultSubject("other", "test", held.Token, o.id(held.Secret)), text)
			}
			if err != nil {
				t.Error(err)
			}
			return r
		}
	})
	out, err := Run(t.Context(), f.connect(), m, f.settings(t.TempDir()))
	allSatisfied(t, m, out, err)
	for _, r := range out.Results {
		if !slices.Equal(r.Warnings, []string{"faster"}) {
			t.Errorf("%s: warnings %q", r.Job.Name, r.Warnings)
		}
	}
}

// TestForgedResults: a result that says it is of another job, of another version, or has
// other files, is not taken; the job is done again.
func TestForgedResults(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 3)
	var mu sync.Mutex
	forged := map[string]bool{}
	f.work("w", func(s *WorkerSettings) {
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			r := batch.Do(ctx, j, w)
			mu.Lock()
			defer mu.Unlock()
			if forged[j.Name] {
				return r
			}
			forged[j.Name] = true
			switch j.Name {
			case "job 0":
				r.Key = "another"
			case "job 1":
				_ = os.Remove(filepath.Join(w.Folder, r.Files["explanation"]))
				r.Files, r.Digests = map[string]string{"log": "../../log.txt"}, nil
			}
			return r
		}
	})
	s := f.settings(t.TempDir())
	s.AckWait = 2 * time.Second
	out, err := Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
	if !f.warned(`"job 0" from the worker w cannot be used`) {
		t.Errorf("warnings %q", f.warnings)
	}
}

// TestStatus: what goes on can be seen.
func TestStatus(t *testing.T) {
	f := newFixture(t)
	nobody, err := ReadStatus(t.Context(), f.connect())
	if err != nil || len(nobody.Batches)+len(nobody.Workers) > 0 {
		t.Errorf("%+v, error %v", nobody, err)
	}
	m := ring(t, 3)
	var seen *Status
	did := 0
	f.memory = 2 * gib
	f.work("w", func(s *WorkerSettings) {
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			if did++; did == 1 {
				if seen, err = ReadStatus(ctx, f.connect()); err != nil {
					t.Error(err)
				}
			}
			return batch.Do(ctx, j, w)
		}
	})
	out, err := Run(t.Context(), f.connect(), m, f.settings(t.TempDir()))
	allSatisfied(t, m, out, err)
	if seen == nil || len(seen.Batches) != 1 || len(seen.Workers) != 1 {
		t.Fatalf("%+v", seen)
	}
	if b := seen.Batches[0]; b.Name != "test" || b.Version != "v1" || b.Jobs != 3 || b.Running < 1 || b.Finished != 0 {
		t.Errorf("%+v", b)
	}
	if w := seen.Workers[0]; w.Name != "w" || w.Memory != 2*gib || w.Jobs != 1 {
		t.Errorf("%+v", w)
	}
}

// TestTimeout: the limit of a job holds at the worker, and is told as it is told elsewhere.
func TestTimeout(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 2)
	m.Jobs[1].Timeout = time.Nanosecond
	f.work("w", nil)
	s := f.settings(t.TempDir())
	s.Batch.Timeout = time.Hour
	out, err := Run(t.Context(), f.connect(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	want := batch.Do(t.Context(), m.Jobs[1], batch.Work{})
	if r := out.Results[1]; r.Status != batch.TimedOut || r.Error != want.Error {
		t.Errorf("%s %q, want %q", r.Status, r.Error, want.Error)
	}
	if out.Results[0].Status != batch.Satisfied {
		t.Errorf("the other job: %s %s", out.Results[0].Status, out.Results[0].Error)
	}
}

// TestLongJobs: while a job is being done, the worker says so again and again, so that it is
// not handed to another one.
func TestLongJobs(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 1)
	signs := make(chan struct{}, 1000)
	_, err := f.connect().Subscribe("$JS.ACK."+jobsStream+".>", func(m *nats.Msg) {
		if string(m.Data) == "+WPI" {
			signs <- struct{}{}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	f.work("w", func(s *WorkerSettings) {
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			for range 5 {
				<-signs
			}
			return batch.Do(ctx, j, w)
		}
	})
	s := f.settings(t.TempDir())
	s.AckWait = 2 * time.Second
	out, err := Run(t.Context(), f.connect(), m, s)
	allSatisfied(t, m, out, err)
}

// TestLeftovers: the folder of a server whose process was killed is removed by the next
// one, and that of a server that runs is not.
func TestLeftovers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("temporary files are elsewhere")
	}
	t.Setenv("TMPDIR", t.TempDir())
	first := newFixture(t)
	left := filepath.Join(os.TempDir(), foldersBegin+"left")
	if err := os.Mkdir(left, 0o755); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, folder := range []string{left, first.folder} {
		if err := os.Chtimes(folder, long, long); err != nil {
			t.Fatal(err)
		}
	}
	newFixture(t)
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was left is there still (error %v)", err)
	}
	if _, err := os.Stat(first.folder); err != nil {
		t.Error(err)
	}
}

// TestDamagedFile: where servers have lost a piece of a file of a result, as of one that was half sent, the job
// is done again once, and its file is sent again.
func TestDamagedFile(t *testing.T) {
	f := newFixture(t)
	m := ring(t, 1)
	q := f.queue()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var mu sync.Mutex
	done := 0
	damage := func(content []byte, digest string) error {
		e, err := q.batches.Get(ctx, "test")
		if err != nil {
			return err
		}
		var announced entry
		if err := json.Unmarshal(e.Value(), &announced); err != nil {
			return err
		}
		o := chunks{queue: q, stream: filesStream, prefix: filesOf("w", "test", announced.Token)}
		if _, err := o.Put(ctx, bytes.NewReader(content)); err != nil {
			return err
		}
		last, err := q.files.GetLastMsgForSubject(ctx, o.subject(digest, 1))
		if err != nil {
			return err
		}
		// The worker finds that it is there, and does not send it again.
		return o.sendOther(ctx, digest, last.Sequence)
	}
	f.work("w", func(s *WorkerSettings) {
		s.do = func(ctx context.Context, j batch.Job, w batch.Work) batch.Result {
			r := batch.Do(ctx, j, w)
			path := filepath.Join(w.Folder, r.Files["explanation"])
			content := bytes.Repeat([]byte("0123456789abcdef"), 3*chunkSize/32) // two chunks: too large to go with the result
			err := os.WriteFile(path, content, 0o644)
			if err == nil {
				r.Digests["explanation"], err = batch.Digest(ctx, path)
			}
			mu.Lock()
			defer mu.Unlock()
			if done++; err == nil && done == 1 {
				err = damage(content, r.Digests["explanation"])
			}
			if err != nil {
				t.Error(err)
			}
			return r
		}
	})
	s := f.settings(t.TempDir())
	s.AckWait = 2 * time.Second
	out, err := Run(ctx, f.connect(), m, s)
	allSatisfied(t, m, out, err)
	if done != 2 {
		t.Errorf("the job was done %d times, want twice; warnings %q", done, f.warnings)
	}
}

// sendOther replaces the second chunk of a file, which has a sequence number, by other content.
func (c chunks) sendOther(ctx context.Context, digest string, sequence uint64) error {
	if err := c.queue.files.DeleteMsg(ctx, sequence); err != nil {
		return err
	}
	return c.sendChunk(ctx, c.subject(digest, 1), 3*chunkSize/2, []byte("other"))
}
