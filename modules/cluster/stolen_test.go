package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/inev-lts/inev/batch"
)

// supplied is a server with the supplied configuration, of which only addresses, folders and TLS
// are changed, and whoever has the credentials of worker-3.
type supplied struct {
	*fixture
	folder string
	url    string
	thief  *nats.Conn
}

func newSupplied(t *testing.T) *supplied {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", "nats.conf"))
	if err != nil {
		t.Fatal(err)
	}
	return newSuppliedBy(t, string(text))
}

func newSuppliedBy(t *testing.T, config string) *supplied {
	t.Helper()
	s := &supplied{folder: t.TempDir()}
	begin, end := strings.Index(config, "\ntls {"), strings.Index(config, "\ncluster {")
	path := filepath.Join(s.folder, "nats.conf")
	if err := os.WriteFile(path, []byte(config[:begin]+config[end:strings.LastIndex(config, "  # Servers show each other")]+"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SERVER_NAME", "nats-0")
	t.Setenv("MONITOR", "127.0.0.1:8222")
	for _, role := range []string{"runner", "status", "worker-0", "worker-1", "worker-2", "worker-3"} {
		t.Setenv("INEV_"+strings.ToUpper(strings.ReplaceAll(role, "-", "_"))+"_PASSWORD", "secret-of-"+role)
		if err := os.WriteFile(filepath.Join(s.folder, role), []byte(role+":secret-of-"+role), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o.HTTPPort, o.Cluster, o.Routes = 0, server.ClusterOpts{}, nil
	s.url = guarded(t, *o)
	s.fixture = &fixture{t: t}
	t.Cleanup(s.workers.Wait)
	s.thief = s.as("worker-3")
	return s
}

// as connects in a role.
func (s *supplied) as(role string) *nats.Conn {
	s.t.Helper()
	nc, err := Connect(s.t.Context(), Server{URL: s.url, Credentials: filepath.Join(s.folder, role)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	return nc
}

func (s *supplied) runnerQueue() *queue {
	s.t.Helper()
	q, err := openQueue(s.t.Context(), s.as("runner"), 1)
	if err != nil {
		s.t.Fatal(err)
	}
	return q
}

// workAs starts a worker with the credentials of a role.
func (s *supplied) workAs(role string, change func(*WorkerSettings)) {
	s.t.Helper()
	cache, err := NewFolderStore(filepath.Join(s.t.TempDir(), "models"), 0)
	if err != nil {
		s.t.Fatal(err)
	}
	settings := WorkerSettings{Name: role, Version: "v1", Jobs: 1, Cache: cache, Folder: s.t.TempDir()}
	if change != nil {
		change(&settings)
	}
	nc := s.as(role)
	ctx, stop := context.WithCancel(context.Background())
	s.workers.Add(1)
	go func() {
		defer s.workers.Done()
		if err := Work(ctx, nc, settings); !errors.Is(err, context.Canceled) {
			s.t.Errorf("%s: %v", role, err)
		}
	}()
	s.t.Cleanup(stop)
}

// running starts a batch of so many jobs, and returns its runner, and a function that waits for its
// end after a worker has come.
func (s *supplied) running(jobs int, change func(*Settings)) (r *runner, finish func()) {
	s.t.Helper()
	m := ring(s.t, jobs)
	settings := s.settings(s.t.TempDir())
	observed := make(chan *runner, 1)
	settings.Observe = func(o *Observer) { observed <- o.runner }
	settings.AckWait = 2 * time.Second
	if change != nil {
		change(&settings)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		out, err := Run(s.t.Context(), s.as("runner"), m, settings)
		allSatisfied(s.t, m, out, err)
	}()
	return <-observed, func() {
		s.t.Helper()
		s.workAs("worker-0", nil)
		<-ended
	}
}

// queued waits until a runner has queued all its jobs.
func (r *runner) queued(t *testing.T) (ids []string) {
	t.Helper()
	for {
		r.mu.Lock()
		jobs := r.entry.Jobs
		ids = ids[:0]
		for id := range r.requests {
			ids = append(ids, id)
		}
		r.mu.Unlock()
		info, err := r.queue.jobs.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(ids) == jobs && info.State.Msgs == uint64(len(ids)) {
			return ids
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestSuppliedConfiguration: with the supplied configuration a batch is run, workers lack no
// permission, and status shows what there is.
func TestSuppliedConfiguration(t *testing.T) {
	s := newSupplied(t)
	refused := make(chan error, 100)
	large := strings.Repeat("x", 3*chunkSize)
	for _, role := range []string{"worker-1", "worker-2"} {
		s.workAs(role, func(w *WorkerSettings) {
			w.do = func(ctx context.Context, j batch.Job, work batch.Work) batch.Result {
				r := batch.Do(ctx, j, work)
				name := filepath.Join(work.Folder, r.Files["explanation"])
				if err := os.WriteFile(name, []byte(large), 0o644); err != nil {
					t.Error(err)
				}
				r.Digests["explanation"], _ = batch.Digest(ctx, name)
				r.Warnings = []string{large}
				return r
			}
		})
	}
	status := s.as("status")
	status.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })
	if _, err := ReadStatus(t.Context(), status); err != nil {
		t.Error(err)
	}
	seen := make(chan *Status, 100)
	_, finish := s.running(5, func(settings *Settings) {
		settings.Batch.Finished = func(batch.Progress) {
			now, err := ReadStatus(t.Context(), status)
			if err != nil {
				t.Error(err)
			}
			seen <- now
		}
	})
	finish()
	now := <-seen
	if now == nil || len(now.Batches) != 1 || now.Batches[0].Jobs != 5 || now.Batches[0].Heard < 0 || len(now.Workers) < 2 || now.Workers[0].Name[:7] != "worker-" {
		t.Errorf("status: %+v", now)
	}
	select {
	case err := <-refused:
		t.Error(err)
	default:
	}
}

// refusedBy reports whether the servers refuse something to a connection.
func refusedBy(nc *nats.Conn, do func() error) error {
	before := nc.LastError()
	if err := do(); err != nil {
		return err
	}
	if err := nc.FlushTimeout(patience); err != nil {
		return err
	}
	if after := nc.LastError(); after != before && errors.Is(after, nats.ErrPermissionViolation) {
		return nil
	}
	return errors.New("it is allowed")
}

// streams are all that the servers keep.
func streams() []string {
	return []string{
		jobsStream, resultsStream, advisoryStream, workersStream, modelsStream, filesStream,
		bucketStream + batchesBucket, bucketStream + leasesBucket,
	}
}

// requests are the subjects of requests to JetStream; %s stands for a stream.
func requests() []string {
	return []string{
		"INFO", "STREAM.LIST", "STREAM.NAMES", "STREAM.TEMPLATE.NAMES", "ACCOUNT.PURGE.INEV", "ACCOUNT.STREAM.MOVE.INEV.x", "META.LEADER.STEPDOWN", "SERVER.REMOVE",
		"STREAM.CREATE.%s", "STREAM.UPDATE.%s", "STREAM.DELETE.%s", "STREAM.PURGE.%s", "STREAM.INFO.%s",
		"STREAM.SNAPSHOT.%s", "STREAM.RESTORE.%s", "STREAM.PEER.REMOVE.%s", "STREAM.LEADER.STEPDOWN.%s",
		"STREAM.MSG.GET.%s", "STREAM.MSG.DELETE.%s", "DIRECT.GET.%s", "DIRECT.GET.%s.x",
		"CONSUMER.CREATE.%s", "CONSUMER.CREATE.%s.x", "CONSUMER.CREATE.%s.x.y", "CONSUMER.DURABLE.CREATE.%s.x",
		"CONSUMER.LIST.%s", "CONSUMER.NAMES.%s", "CONSUMER.INFO.%s.x", "CONSUMER.DELETE.%s.x", "CONSUMER.PAUSE.%s.x", "CONSUMER.RESET.%s.x", "CONSUMER.UNPIN.%s.x",
		"CONSUMER.LEADER.STEPDOWN.%s.x", "CONSUMER.MSG.NEXT.%s.x",
	}
}

// TestStolenCredentialIsRefused: of all that JetStream can be asked for, and of all subjects that
// batches use, a worker may use those of its own name, take jobs, and read models and
// announcements.
func TestStolenCredentialIsRefused(t *testing.T) {
	s := newSupplied(t)
	s.runnerQueue()
	allowed := map[string]bool{}
	for _, subject := range []string{
		"STREAM.MSG.GET." + bucketStream + batchesBucket, "STREAM.MSG.GET." + modelsStream,
		"CONSUMER.INFO." + jobsStream + ".x", "CONSUMER.MSG.NEXT." + jobsStream + ".x",
	} {
		allowed[importedAPI+"."+subject] = true
	}
	subjects := []string{
		"inev.job.test.1.g1.x", "inev.model.x.0", "inev.announce.test", "inev.cancel.test", "inev.from._runner.result.test.1.x",
		"inev.from.worker-0.result.test.1.x", "inev.from.worker-0.file.test.1.x.0", "inev.from.worker-0.presence.x", "inev.from.worker-0.notice.test.x",
		"inev.result.test.1.x", "inev.notice.test", "$KV." + batchesBucket + ".test", "$KV." + leasesBucket + ".test",
		"_INBOX_worker-0.x", "_INBOX_runner.x", "_INBOX.x", "_R_.x", "$JS.ACK." + resultsStream + ".x.1.1.1.1.1", "$JS.FC.x",
		maxDeliveries + "x", "$SYS.REQ.SERVER.PING", "$SYS.REQ.ACCOUNT.INEV.CONNZ", "x",
	}
	for _, request := range requests() {
		for _, api := range []string{"$JS.API.", importedAPI + "."} {
			if !strings.Contains(request, "%s") {
				subjects = append(subjects, api+request)
				continue
			}
			for _, stream := range streams() {
				subjects = append(subjects, api+fmt.Sprintf(request, stream))
			}
		}
	}
	for _, subject := range subjects {
		err := refusedBy(s.thief, func() error { return s.thief.PublishRequest(subject, "_INBOX_worker-3.x", []byte("{}")) })
		if (err != nil) != allowed[subject] {
			t.Errorf("a worker publishes to %s: %v", subject, err)
		}
	}
	for _, subject := range []string{
		">", "*.>", "inev.>", "inev.job.>", "inev.from.>", "inev.from.worker-0.>", "inev.from.*.notice.>", "inev.model.>",
		"_INBOX_worker-0.>", "_INBOX_runner.>", "_INBOX_*.>", "_INBOX.>", "_R_.>", "$JS.>", "$JS.API.>", "$JS.ACK.>", "$JS.EVENT.>", "$KV.>", "$SYS.>", "$SYS.ACCOUNT.>",
	} {
		err := refusedBy(s.thief, func() error { _, err := s.thief.SubscribeSync(subject); return err })
		if err != nil {
			t.Errorf("a worker listens to %s: %v", subject, err)
		}
	}
}

// TestAnswersReachNobodyElse: whatever subject a worker names for the answer to a request, the
// servers write into nothing that belongs to others.
func TestAnswersReachNobodyElse(t *testing.T) {
	s := newSupplied(t)
	q := s.runnerQueue()
	r, finish := s.running(1, nil)
	r.queued(t)
	canceled, err := s.as("worker-1").SubscribeSync("inev.cancel.*")
	if err != nil {
		t.Fatal(err)
	}
	noticed, err := q.nc.SubscribeSync("inev.from.*.notice.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(q.nc.Flush(), canceled.SetPendingLimits(-1, -1)); err != nil {
		t.Fatal(err)
	}
	last := func(stream string) uint64 {
		found, err := q.js.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		return found.CachedInfo().State.LastSeq
	}
	const forged = "inev.cancel.test $KV.INEV_BATCHES.test $KV.INEV_LEASES.thief inev.job.test.1.g1.x inev.model.x.0 " +
		"inev.from.worker-0.result.test.1.x inev.from.worker-0.presence.x inev.from.worker-0.notice.test.x inev.from._runner.result.test.1.x"
	quiet := []string{jobsStream, resultsStream, modelsStream, filesStream, bucketStream + batchesBucket}
	before := map[string]uint64{}
	for _, stream := range quiet {
		before[stream] = last(stream)
	}
	for _, reply := range strings.Fields(forged) {
		for _, subject := range []string{
			"inev.api.STREAM.MSG.GET." + bucketStream + batchesBucket, "inev.api.STREAM.MSG.GET." + modelsStream,
			"inev.api.CONSUMER.INFO." + jobsStream + ".x", "inev.api.CONSUMER.MSG.NEXT." + jobsStream + "." + consumerName("test", r.lease.token, 1), "inev.from.worker-3.presence.x",
		} {
			_ = s.thief.PublishRequest(subject, reply, []byte(`{"seq":1,"no_wait":true,"batch":1}`))
		}
	}
	// The servers answer this after the others.
	if _, err := s.thief.Request("inev.api.STREAM.MSG.GET."+bucketStream+batchesBucket, []byte(`{"seq":1}`), patience); err != nil {
		t.Error(err)
	}
	time.Sleep(200 * time.Millisecond)
	for _, stream := range quiet {
		if after := last(stream); after != before[stream] {
			t.Errorf("%s: %d messages were written", stream, after-before[stream])
		}
	}
	leases, err := q.js.KeyValue(t.Context(), leasesBucket)
	if err == nil {
		_, err = leases.Get(t.Context(), "thief")
	}
	if !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("a lease is written: %v", err)
	}
	for name, sub := range map[string]*nats.Subscription{"a cancellation": canceled, "a notice": noticed} {
		if n, _, err := sub.Pending(); err != nil || n > 0 {
			t.Errorf("%s is sent (error %v)", name, err)
		}
	}
	finish()
}

// TestNoProgressByStrangers: notices and results about jobs that a runner has not queued are no
// progress.
func TestNoProgressByStrangers(t *testing.T) {
	s := newSupplied(t)
	said := make(chan string, 1000)
	r, finish := s.running(1, func(settings *Settings) {
		settings.Stall = 300 * time.Millisecond
		settings.Batch.Warn = func(text string) { said <- text }
	})
	r.queued(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		for i := 0; wait(ctx, 20*time.Millisecond); i++ {
			text, _ := json.Marshal(notice{ID: fmt.Sprintf("%032x", i)})
			_ = s.thief.Publish(noticeSubject("worker-3", "test", "x"), text)
			_ = s.thief.Publish(resultSubject("worker-3", "test", r.lease.token, fmt.Sprintf("%032x", i)), []byte("{}"))
		}
	}()
	complained := false
	for text := range said {
		complained = complained || text == "the worker worker-3 sends results of jobs that it was not given; they are not used"
		if complained && strings.HasPrefix(text, "nothing has happened for") {
			break // though the strangers go on
		}
	}
	stop()
	finish()
}

// TestNobodyHidesComplaints: a user who invents workers, or a network whose servers do not check
// users, gets a bounded number of warnings, and the workers of other users are still warned about,
// once each.
func TestNobodyHidesComplaints(t *testing.T) {
	var warnings []string
	r := &runner{
		Settings: Settings{
			Name:  "test",
			Batch: batch.Settings{Warn: func(text string) { warnings = append(warnings, text) }},
		},
		complained: map[string]map[string]bool{},
	}
	refuse := func(user, worker string) {
		r.noticed(noticeSubject(user, "test", worker), []byte(`{"error":"no room"}`))
	}
	for i := range 1000 {
		refuse("worker-3", fmt.Sprintf("invented-%d", i))
	}
	if len(warnings) != mostComplaints {
		t.Errorf("%d warnings about the workers of one user, want %d", len(warnings), mostComplaints)
	}
	warnings = nil
	refuse("worker-1", "worker-1")
	refuse("worker-1", "worker-1")
	if want := []string{"the worker worker-1 takes no part: no room"}; !slices.Equal(warnings, want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
	warnings = nil
	for i := range 2 * mostComplainedUsers {
		refuse(fmt.Sprintf("invented-%d", i), "x")
	}
	if len(warnings) != mostComplainedUsers-2 {
		t.Errorf("%d warnings about invented users, want %d", len(warnings), mostComplainedUsers-2)
	}
}

// TestInventedResultsTakeNoMemory: results of invented jobs, of this run and of earlier ones, are
// not held, however many they are; results of an earlier run that come later are still taken.
func TestInventedResultsTakeNoMemory(t *testing.T) {
	s := newSupplied(t)
	s.runnerQueue()
	r, finish := s.running(1, nil)
	r.queued(t)
	heap := func() int64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	text := []byte(`{"schema":"` + strings.Repeat("x", 400_000) + `"}`)
	js, err := jetstream.NewWithAPIPrefix(s.thief, importedAPI)
	if err != nil {
		t.Fatal(err)
	}
	before := heap()
	for i := range 69 {
		token := r.lease.token - uint64(i%2)
		if _, err := js.Publish(t.Context(), resultSubject("worker-3", "test", token, fmt.Sprintf("%032x", i)), text); err != nil {
			t.Fatal(err)
		}
	}
	held := func() int {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.earlyResults.found)
	}
	for held() < 34 {
		time.Sleep(10 * time.Millisecond)
	}
	// The server in this process caches what it has stored, for some seconds.
	grown := heap() - before
	for begun := time.Now(); grown > 10<<20 && time.Since(begun) < time.Minute; grown = heap() - before {
		time.Sleep(100 * time.Millisecond)
	}
	if grown > 10<<20 {
		t.Errorf("the heap grows by %d bytes", grown)
	}
	finish()
}

// TestEarlyResultsOverflow: more results of earlier runs than a runner holds are looked up on the
// servers when their jobs are requested.
func TestEarlyResultsOverflow(t *testing.T) {
	e := earlyResults{found: map[string]earlyResult{}}
	for i := range mostEarly + 10 {
		held := e.add(fmt.Sprintf("%032x", i), earlyResult{sequence: uint64(i) + 1})
		if held != (i < mostEarly) {
			t.Fatalf("result %d is held: %v", i, held)
		}
	}
	if !e.overflowed || e.add(strings.Repeat("x", 1000), earlyResult{}) {
		t.Error("the bound is not kept")
	}
	f := newFixture(t)
	q := f.queue()
	if _, err := q.js.Publish(t.Context(), resultSubject("w", "test", 7, "some"), []byte("{}")); err != nil {
		t.Fatal(err)
	}
	r := &runner{Settings: Settings{Name: "test"}, queue: q}
	a, err := r.readEarly(t.Context(), "some", earlyResult{})
	if err != nil || a == nil || a.token != 7 || a.user != "w" || !a.earlier {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := r.readEarly(t.Context(), "other", earlyResult{}); err != nil || a != nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// given takes a job as the worker that has the stolen credentials.
func (s *supplied) given(r *runner) jetstream.Msg {
	s.t.Helper()
	js, err := jetstream.NewWithAPIPrefix(s.thief, importedAPI)
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := js.Consumer(s.t.Context(), jobsStream, consumerName("test", r.lease.token, 1))
	if err != nil {
		s.t.Fatal(err)
	}
	m, err := c.Next(jetstream.FetchMaxWait(patience))
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// TestResendsAreLimited: a worker that has a job makes the runner send its model again a few times
// at most, and other files never; what it says of a job is held to a limit, too.
func TestResendsAreLimited(t *testing.T) {
	s := newSupplied(t)
	r, finish := s.running(1, func(settings *Settings) { settings.Attempts = 100 })
	r.queued(t)
	m := s.given(r)
	job, _ := addressIn(m.Subject())
	r.mu.Lock()
	model := r.requests[job.id].order.Model
	r.mu.Unlock()
	sent := func() uint64 {
		info, err := r.queue.models.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info.State.LastSeq
	}
	before := sent()
	for i := range 3000 {
		digest := model
		if i%3 == 0 {
			digest = sumOf("other")
		}
		n := notice{ID: job.id, Damaged: digest}
		if i < 5 {
			n.Error = "\x1b]0;" + strings.Repeat("x", 2000)
		}
		text, err := json.Marshal(n)
		if err == nil {
			err = s.thief.Publish(noticeSubject("worker-3", "test", "x"), text)
		}
		if err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			_ = s.thief.Flush()
			time.Sleep(time.Millisecond)
		}
	}
	if err := s.thief.Flush(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if again := sent() - before; again == 0 || again > mostResends {
		t.Errorf("the model was sent again %d times", again)
	}
	r.mu.Lock()
	attempts := slices.Clone(r.requests[job.id].attempts)
	r.mu.Unlock()
	if len(attempts) > 100*mostDeliveries || len(attempts[0].failure) > 1000 || strings.Contains(attempts[0].failure, "\x1b") {
		t.Errorf("%d attempts are held, the first with %.40q", len(attempts), attempts[0].failure)
	}
	_ = m.Nak()
	finish()
}

// TestFetchedFilesAreLimited: a worker that has a job makes the runner fetch no more than a limit,
// whatever its result refers to; then the job is done by another worker.
func TestFetchedFilesAreLimited(t *testing.T) {
	s := newSupplied(t)
	r, finish := s.running(1, nil)
	r.queued(t)
	m := s.given(r)
	job, _ := addressIn(m.Subject())
	q, err := newImportedQueue(t.Context(), s.thief)
	if err != nil {
		t.Fatal(err)
	}
	mine := chunks{queue: q, stream: filesStream, prefix: filesOf("worker-3", job.batch, job.token)}
	for i := range 4 {
		if err := mine.sendChunk(t.Context(), mine.subject(sumOf("x"), i), mostRecord+1, make([]byte, chunkSize)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(record{Schema: recordSchema, Object: sumOf("x"), Worker: "\x1b[31m"})
	if err == nil {
		err = q.storeResult(t.Context(), resultSubject("worker-3", job.batch, job.token, job.id), text)
	}
	if err != nil {
		t.Fatal(err)
	}
	for !s.warned(`"job 0" from the worker worker-3 cannot be used (a file has `) {
		time.Sleep(10 * time.Millisecond)
		if s.t.Context().Err() != nil {
			t.Fatalf("warnings %q", s.warnings)
		}
	}
	finish()
}

// TestRecordsAreChecked: a record that no worker makes is not used.
func TestRecordsAreChecked(t *testing.T) {
	o := order{Version: "v1", Model: "m", Job: batch.Job{Name: "j"}}
	req := &request{order: o, class: 4}
	good := record{Schema: recordSchema, Result: &batch.Result{Job: batch.Job{Name: "j"}, Key: o.Job.Key("m", "v1"), Status: batch.Failed}}
	if err := checkRecord(&good, req); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*record){
		"no result":       func(r *record) { r.Result = nil },
		"another schema":  func(r *record) { r.Schema = "\x1b" },
		"another job":     func(r *record) { r.Result.Job.Name = "k" },
		"another key":     func(r *record) { r.Result.Key = "k" },
		"canceled":        func(r *record) { r.Result.Status = batch.Canceled },
		"no status":       func(r *record) { r.Result.Status = "\x1b[31m" },
		"no class":        func(r *record) { r.TooLarge = true },
		"a smaller class": func(r *record) { r.TooLarge, r.Class = true, 2 },
		"an odd class":    func(r *record) { r.TooLarge, r.Class = true, 12 },
		"a huge class":    func(r *record) { r.TooLarge, r.Class = true, 2*maxClass },
		"a negative one":  func(r *record) { r.TooLarge, r.Class = true, -8 },
	} {
		bad, result := good, *good.Result
		bad.Result = &result
		change(&bad)
		if err := checkRecord(&bad, req); err == nil || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// TestAcknowledgedWithoutResult: a worker that acknowledges a job again and again, without a
// result, does not keep the runner busy forever.
func TestAcknowledgedWithoutResult(t *testing.T) {
	s := newSupplied(t)
	q := s.runnerQueue()
	r := &runner{Settings: Settings{Name: "test", Attempts: 1, Batch: batch.Settings{Version: "v1"}}, queue: q, ctx: t.Context(), lease: &lease{q: q, name: "test", token: 7}, requests: map[string]*request{}}
	req := &request{id: "x", class: 1, order: order{Job: batch.Job{Name: "j"}}}
	r.entry.Classes = []sizeClass{1}
	for range mostDeliveries + 1 {
		if err := q.jobs.Purge(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.requeueLost(t.Context(), req)
	}
	if info, err := q.jobs.Info(t.Context()); err != nil || info.State.Msgs > 0 {
		t.Errorf("%d jobs are queued (error %v)", info.State.Msgs, err)
	}
	if _, err := q.results.GetLastMsgForSubject(t.Context(), resultSubject(runnerUser, "test", 7, "x")); err != nil {
		t.Errorf("there is no result: %v", err)
	}
}

// TestPresenceIsPrintable: what a worker says of itself is short and printable, names its user, and
// removes no other worker.
func TestPresenceIsPrintable(t *testing.T) {
	s := newSupplied(t)
	s.runnerQueue()
	s.workAs("worker-0", nil)
	status := s.as("status")
	now := &Status{}
	for len(now.Workers) == 0 {
		var err error
		if now, err = ReadStatus(t.Context(), status); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := json.Marshal(presence{Version: "\x1b]0;owned\a\u202e\u009b" + strings.Repeat("v", 1000), Jobs: 1})
	js, err := jetstream.NewWithAPIPrefix(s.thief, importedAPI)
	if err != nil {
		t.Fatal(err)
	}
	for _, worker := range []string{"worker-0", "\x1b[31m"} {
		if _, err := js.Publish(t.Context(), "inev.from.worker-3.presence."+worker, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, header := range []nats.Header{{"Nats-Rollup": {"all"}}, {"Nats-TTL": {"1s"}}, {"Nats-Incr": {"1"}}, {"Nats-Batch-Id": {"x"}, "Nats-Batch-Sequence": {"1"}, "Nats-Batch-Commit": {"1"}}} {
		if _, err := js.PublishMsg(t.Context(), &nats.Msg{Subject: "inev.from.worker-3.presence.roll", Header: header, Data: text}); err == nil {
			t.Errorf("%v is taken", header)
		}
	}
	if _, err := js.Publish(t.Context(), "inev.from.worker-3.presence.large", make([]byte, mostPresence+1)); err == nil {
		t.Error("a large entry is taken")
	}
	if now, err = ReadStatus(t.Context(), status); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, w := range now.Workers {
		names = append(names, w.Name)
		if w.Name != "worker-0" && (strings.ContainsAny(w.Version, "\x1b\a\u202e\u009b") || len(w.Version) > 100) {
			t.Errorf("version %q", w.Version)
		}
	}
	if want := []string{"worker-0", "worker-0 as worker-3", "worker-3"}; !slices.Equal(names, want) {
		t.Errorf("workers %q, want %q", names, want)
	}
}

// TestDuplicatesSuppressNothing: a message with an identity that another worker uses, too, does not
// keep that worker's result away, nor a first result of a job under another name.
func TestDuplicatesSuppressNothing(t *testing.T) {
	s := newSupplied(t)
	q := s.runnerQueue()
	thief, err := jetstream.New(s.thief)
	if err != nil {
		t.Fatal(err)
	}
	header := nats.Header{"Nats-Msg-Id": {"x"}, "Nats-Expected-Last-Sequence": {"0"}}
	if _, err := thief.PublishMsg(t.Context(), &nats.Msg{Subject: resultSubject("worker-3", "test", 1, "x"), Header: header}); err != nil {
		t.Fatal(err)
	}
	honest, err := newImportedQueue(t.Context(), s.as("worker-0"))
	if err == nil {
		err = honest.storeResult(t.Context(), resultSubject("worker-0", "test", 1, "x"), []byte("{}"))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.results.GetLastMsgForSubject(t.Context(), resultSubject("worker-0", "test", 1, "x")); err != nil {
		t.Error(err)
	}
}

// TestOlderConfiguration: with the configuration of the version before, runner and worker say at
// once what is to be done.
func TestOlderConfiguration(t *testing.T) {
	o := server.Options{Users: []*server.User{
		{Username: "runner", Password: "secret-of-runner", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: []string{"inev.api.>", "$JS.ACK.>", "$KV.INEV_BATCHES.>", "$KV.INEV_LEASES.>", "$O.INEV_MODELS.>", "$O.INEV_FILES.>", "inev.job.>", "inev.result.>", "inev.cancel.*"}},
			Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX_runner.>", "inev.notice.*"}},
		}},
		{Username: "worker-3", Password: "secret-of-worker-3", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: []string{"inev.api.STREAM.MSG.GET.INEV_RESULTS", "inev.result.>", "inev.notice.*"}},
			Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX_worker-3.>", "inev.cancel.*"}},
		}},
	}}
	s := &supplied{fixture: &fixture{t: t}, folder: t.TempDir(), url: guarded(t, o)}
	for _, role := range []string{"runner", "worker-3"} {
		if err := os.WriteFile(filepath.Join(s.folder, role), []byte(role+":secret-of-"+role), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const want = "take deploy/nats.conf of this one"
	var refused *PermissionError
	_, err := Run(t.Context(), s.as("runner"), ring(t, 1), s.settings(t.TempDir()))
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "a runner needs other credentials") || !strings.Contains(err.Error(), want) {
		t.Errorf("run: %v", err)
	}
	err = Work(t.Context(), s.as("worker-3"), WorkerSettings{Name: "w", Version: "v1", Jobs: 1})
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "a worker needs other credentials") || !strings.Contains(err.Error(), want) {
		t.Errorf("work: %v", err)
	}
}

// TestInventedResultsFinishNothing: results that a worker invents are no finished jobs to status.
func TestInventedResultsFinishNothing(t *testing.T) {
	s := newSupplied(t)
	r, finish := s.running(5, nil)
	r.queued(t)
	for i := range 50 {
		if err := s.thief.Publish(resultSubject("worker-3", "test", r.lease.token, fmt.Sprintf("x%d", i)), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.thief.Flush(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(200 * time.Millisecond)
	now, err := ReadStatus(t.Context(), s.as("status"))
	if err != nil || len(now.Batches) != 1 || now.Batches[0].Finished != 0 || now.Batches[0].Waiting != 5 {
		t.Errorf("status %+v, error %v", now, err)
	}
	finish()
}

// TestPresencesHideNobody: however many workers a user pretends to be, status shows the workers of others,
// in a short time.
func TestPresencesHideNobody(t *testing.T) {
	s := newSupplied(t)
	s.runnerQueue()
	text, err := json.Marshal(presence{Version: "v0", Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	const many = 3_000
	for i := range many {
		if err := s.thief.Publish(presenceSubject("worker-3", fmt.Sprintf("w%d", i)), text); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.thief.Flush(); err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.NewWithAPIPrefix(s.as("worker-1"), importedAPI)
	if err != nil {
		t.Fatal(err)
	}
	// The server answers when it has stored all that it was sent before.
	untilStored, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	if _, err := js.Publish(untilStored, presenceSubject("worker-1", "worker-1"), text); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	now, err := ReadStatus(t.Context(), s.as("status"))
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 10*time.Second || len(now.Workers) > 2*mostPresent {
		t.Errorf("%d workers are shown after %v", len(now.Workers), took)
	}
	if !slices.ContainsFunc(now.Workers, func(w WorkerStatus) bool { return w.Name == "worker-1" }) {
		t.Error("worker-1 is not shown")
	}
}
