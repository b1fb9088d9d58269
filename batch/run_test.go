package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/resources"
)

// someJobs returns a manifest with jobs of all kinds, and its folder.
func someJobs(t testing.TB) *Manifest {
	t.Helper()
	folder := tree(t, map[string]string{
		"a.aut": model, "b.aut": strings.ReplaceAll(model, "DROP", "LOSE"), "bad.aut": "des (0,1,1)\n",
		"f.inev": "Inev(REQ)\nInev(REQ, ACK)\nInev({ACK, DROP})\n",
		"m.yaml": "defaults: {formula_file: f.inev}\njobs:\n  - model: a.aut\n  - model: bad.aut\n  - model: b.aut\n",
	})
	return opened(t, folder, "m.yaml")
}

func run(t testing.TB, m *Manifest, s Settings) *Outcome {
	t.Helper()
	out, err := Run(context.Background(), m, s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// folderAt opens a folder.
func folderAt(t testing.TB, path string) filesystem.Folder {
	t.Helper()
	folder, err := filesystem.OS{}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

func plainAll(results []Result) []Result {
	all := make([]Result, len(results))
	for i, r := range results {
		all[i] = plain(r)
	}
	return all
}

func sameResults(t testing.TB, got, want []Result) {
	t.Helper()
	if !reflect.DeepEqual(plainAll(got), plainAll(want)) {
		t.Errorf("results\n%+v, want\n%+v", plainAll(got), plainAll(want))
	}
}

// statuses lists how jobs ended, in their order.
func statuses(results []Result) string {
	var s []string
	for _, r := range results {
		s = append(s, string(r.Status))
	}
	return strings.Join(s, " ")
}

// TestRun: results do not depend on how many jobs are done at a time, one bad model
// fails its own jobs, and the journal holds what was told.
func TestRun(t *testing.T) {
	m := someJobs(t)
	var first []Result
	for _, parallel := range []int{1, 2, 5} {
		folder := filepath.Join(t.TempDir(), "results")
		var told []Progress
		out := run(t, m, Settings{Folder: folder, Parallel: parallel, Wanted: outputKinds()[:1], Version: "v1", Finished: func(p Progress) { told = append(told, p) }})
		if got, want := statuses(out.Results), "satisfied violated satisfied error error error satisfied violated violated"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if first == nil {
			first = out.Results
		}
		sameResults(t, out.Results, first)
		for i, p := range told {
			if p.Done != i+1 || p.Total != 9 {
				t.Errorf("message %d: %d of %d", i, p.Done, p.Total)
			}
		}
		journal := journalAt(t, filepath.Join(folder, journalName))
		if !journal.whole || len(journal.results) != len(told) {
			t.Fatal(len(journal.results), journal.whole)
		}
		for i, p := range told {
			if !reflect.DeepEqual(journal.results[i], p.Result) {
				t.Errorf("line %d: %+v, told %+v", i+1, journal.results[i], p.Result)
			}
		}
		read, err := ReadResults(context.Background(), folder)
		if err != nil {
			t.Fatal(err)
		}
		sameResults(t, read, first)
		plan, err := readPlan(context.Background(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(*plan, out.Plan) || plan.Version != "v1" || !reflect.DeepEqual(plan.Jobs, m.Jobs) {
			t.Errorf("plan %+v", plan)
		}
	}
}

// TestModelsAreReadOnce counts how often models are asked of the files.
func TestModelsAreReadOnce(t *testing.T) {
	m := someJobs(t)
	out := run(t, m, Settings{Folder: t.TempDir(), Parallel: 3})
	reads := map[string]int{}
	for _, r := range out.Results {
		if _, read := r.TimingsMS["read"]; read {
			reads[r.Job.Model]++
		}
	}
	if !reflect.DeepEqual(reads, map[string]int{"a.aut": 1, "b.aut": 1}) {
		t.Errorf("%v", reads)
	}
}

func TestPanicDoesNotStopOthers(t *testing.T) {
	folder := tree(t, map[string]string{"bang.aut": model, "m.aut": model})
	m := &Manifest{File: "m", Jobs: []Job{jobOn(folder, "bang.aut", "Inev(A)"), jobOn(folder, "bang.aut", "Inev(B)"), jobOn(folder, "m.aut", "Inev(REQ)")}}
	for _, parallel := range []int{1, 3} {
		out := run(t, m, Settings{Folder: t.TempDir(), Parallel: parallel, models: explosive{newShared(files{})}})
		if got := statuses(out.Results); got != "crash crash satisfied" {
			t.Error(got)
		}
	}
}

func TestFolderInUse(t *testing.T) {
	m := someJobs(t)
	top := t.TempDir()
	used, strange := filepath.Join(top, "used"), filepath.Join(top, "strange")
	first := run(t, m, Settings{Folder: used})
	if err := os.WriteFile(filepath.Join(used, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(strange, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder string
		begin  Begin
		want   string
	}{
		{used, Afresh, used + ": holds results already; go on with them, replace them, or choose another folder"},
		{strange, Afresh, strange + ": holds other files than results of inev batch; choose another folder"},
		{strange, Resume, strange + ": holds other files than results of inev batch; choose another folder"},
		{strange, Replace, strange + ": holds other files than results of inev batch; choose another folder"},
	} {
		if _, err := Run(context.Background(), m, Settings{Folder: c.folder, Begin: c.begin}); err == nil || err.Error() != c.want {
			t.Errorf("%s, %v: %v, want %s", c.folder, c.begin, err, c.want)
		}
	}
	again := run(t, m, Settings{Folder: used, Begin: Replace})
	sameResults(t, again.Results, first.Results)
	if _, err := os.Stat(filepath.Join(used, "mine.txt")); again.Reused != 0 || err != nil {
		t.Errorf("%d taken over, %v", again.Reused, err)
	}
	// What a run that was killed was about to write is taken away.
	unfinished := filepath.Join(used, jobsName, hiddenPrefix+"x")
	if err := os.MkdirAll(unfinished, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, m, Settings{Folder: used, Begin: Resume})
	if _, err := os.Stat(unfinished); err == nil {
		t.Errorf("%s is still there", unfinished)
	}
	// So is what it leaves where it is killed before there is anything else.
	for i, b := range []Begin{Afresh, Resume, Replace} {
		early := filepath.Join(top, fmt.Sprint("early", i))
		left := filepath.Join(early, ".inev-0123abcd.tmp")
		if err := errors.Join(os.Mkdir(early, 0o755), os.WriteFile(left, []byte("{"), 0o644)); err != nil {
			t.Fatal(err)
		}
		sameResults(t, run(t, m, Settings{Folder: early, Begin: b}).Results, first.Results)
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is still there", left)
		}
	}
	// To begin by resuming is to begin.
	sameResults(t, run(t, m, Settings{Folder: filepath.Join(top, "new"), Begin: Resume}).Results, first.Results)
}

// TestResultsSpareInputs: neither a model nor the manifest is taken for a result.
func TestResultsSpareInputs(t *testing.T) {
	for _, c := range []struct{ manifest, model, lost string }{
		{"summary.csv", "../m.aut", "summary.csv"}, {"../m.csv", "results/jobs/m.aut", "jobs/m.aut"}, {"../link.csv", "m.aut", "summary.csv"},
	} {
		top := tree(t, map[string]string{
			"m.aut": model, "results/jobs/m.aut": model, "results/manifest.json": "{}",
			"results/summary.csv": "model,formula\n" + c.model + ",Inev(REQ)\n", "m.csv": "model,formula\n" + c.model + ",Inev(REQ)\n",
		})
		folder := filepath.Join(top, "results")
		if err := os.Symlink("results/summary.csv", filepath.Join(top, "link.csv")); err != nil {
			t.Skip(err)
		}
		m := opened(t, folder, c.manifest)
		before, err := os.ReadFile(filepath.Join(folder, c.lost))
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range []Begin{Resume, Replace} {
			if _, err := Run(context.Background(), m, Settings{Folder: folder, Begin: b}); err == nil || !strings.Contains(err.Error(), "would be overwritten by the results in "+folder) {
				t.Errorf("%+v: error %v", c, err)
			}
		}
		if after, err := os.ReadFile(filepath.Join(folder, c.lost)); err != nil || !bytes.Equal(before, after) {
			t.Errorf("%s: %q (error %v)", c.lost, after, err)
		}
	}
}

// journalAt reads a journal.
func journalAt(t *testing.T, path string) *journalContent {
	t.Helper()
	journal, err := readJournal(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return journal
}

func TestTwoRunsInOneFolder(t *testing.T) {
	folder := t.TempDir()
	held, err := claim(context.Background(), folder, Afresh)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), someJobs(t), Settings{Folder: folder}); err == nil || !strings.Contains(err.Error(), "another run is writing to this folder") {
		t.Skipf("no lock here: %v", err)
	}
	_ = held.Close()
	run(t, someJobs(t), Settings{Folder: folder})
}

// TestResume: what has changed since is done again, and nothing else.
func TestResume(t *testing.T) {
	m := someJobs(t)
	folder := t.TempDir()
	usual := Settings{Folder: folder, Begin: Resume, Wanted: []string{"explanation"}, Version: "v1"}
	first := run(t, m, usual)
	resume := func(what string, s Settings, m *Manifest, want string) *Outcome {
		t.Helper()
		var done []string
		s.Finished = func(p Progress) { done = append(done, p.Result.Job.Name) }
		s.Parallel = 1
		out := run(t, m, s)
		if got := strings.Join(done, "; "); got != want {
			t.Errorf("%s: done again are\n%s, want\n%s", what, got, want)
		}
		journal := journalAt(t, filepath.Join(folder, journalName))
		if lines := journal.results; !journal.whole || len(lines) < len(out.Results) || len(byName(lines)) != len(lines) {
			t.Errorf("%s: the journal has %d lines", what, len(lines))
		}
		checkFolders(t, folder, journal.results)
		return out
	}
	const failed = "bad.aut: Inev(REQ); bad.aut: Inev(REQ, ACK); bad.aut: Inev({ACK, DROP})"
	out := resume("nothing", usual, m, failed)
	sameResults(t, out.Results, first.Results)
	if out.Reused != 6 || !out.Results[0].Reused || out.Results[3].Reused {
		t.Errorf("%d taken over", out.Reused)
	}

	// What says nothing about the answer may change.
	m.Jobs[0].Tags, m.Jobs[1].Expect, m.Jobs[2].Timeout = []string{"new"}, "satisfied", time.Hour
	out = resume("tags", usual, m, failed)
	if r := out.Results[1]; !r.Unexpected || !reflect.DeepEqual(r.Job, m.Jobs[1]) {
		t.Errorf("%+v", r)
	}
	if read, err := ReadResults(context.Background(), folder); err != nil || !read[1].Unexpected || read[1].Reused || read[0].Job.Tags == nil {
		t.Errorf("%+v (error %v)", read, err)
	}

	m.Jobs[0].Options.Unfold = true
	resume("options", usual, m, "a.aut: Inev(REQ); "+failed)
	m.Jobs[0].Options.Fair = []string{"full"}
	resume("fairness", usual, m, "a.aut: Inev(REQ); "+failed)
	m.Jobs[0].Options.Fair = []string{"weak:each"}
	resume("other fairness", usual, m, "a.aut: Inev(REQ); "+failed)
	if err := os.WriteFile(m.Jobs[8].Path, []byte(model), 0o644); err != nil {
		t.Fatal(err)
	}
	resume("model", usual, m, failed+"; b.aut: Inev(REQ); b.aut: Inev(REQ, ACK); b.aut: Inev({ACK, DROP})")
	if err := os.Remove(filepath.Join(folder, filepath.FromSlash(out.Results[1].Files["explanation"]))); err != nil {
		t.Fatal(err)
	}
	resume("file", usual, m, "a.aut: Inev(REQ, ACK); "+failed)

	fewer := &Manifest{File: m.File, Jobs: m.Jobs[:2]}
	out = resume("fewer", usual, fewer, "")
	if len(out.Results) != 2 {
		t.Errorf("%d results", len(out.Results))
	}
	resume("more again", usual, m, failed)
	more := usual
	more.Wanted = []string{"explanation", "trace"}
	all := "a.aut: Inev(REQ); a.aut: Inev(REQ, ACK); a.aut: Inev({ACK, DROP}); " + failed + "; b.aut: Inev(REQ); b.aut: Inev(REQ, ACK); b.aut: Inev({ACK, DROP})"
	resume("files", more, m, all)
	resume("less files", usual, m, failed)
	usual.Version = "v2"
	resume("version", usual, m, all)
}

// waiting models keep a job waiting until its context is done, once others are done.
type waiting struct {
	Models
	others *sync.WaitGroup
	stop   func()
}

func (w waiting) Model(ctx context.Context, j Job) (*Model, error) {
	if j.Model != "b.aut" {
		return w.Models.Model(ctx, j)
	}
	w.others.Wait()
	w.stop()
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestStopped: what is finished when a run is stopped is kept, and what is running is
// not.
func TestStopped(t *testing.T) {
	m := someJobs(t)
	folder := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	var others sync.WaitGroup
	others.Add(6)
	out, err := Run(ctx, m, Settings{
		Folder: folder, Parallel: 2, models: waiting{newShared(files{}), &others, cancel},
		Finished: func(Progress) { others.Done() },
	})
	if !errors.Is(err, context.Canceled) || out == nil || len(out.Results) != 6 || len(out.Jobs) != 9 {
		t.Fatalf("%+v (error %v)", out, err)
	}
	if out := run(t, m, Settings{Folder: folder, Begin: Resume}); out.Reused != 3 || len(out.Results) != 9 {
		t.Errorf("%d taken over of %d", out.Reused, len(out.Results))
	}
}

// TestJournalFails: a journal that cannot be written ends the run.
func TestJournalFails(t *testing.T) {
	j, err := openJournal(folderAt(t, t.TempDir()), chainEnd{})
	if err != nil {
		t.Fatal(err)
	}
	if err := j.file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := j.append([]Result{{}}); err == nil || !strings.Contains(err.Error(), "cannot be written") || !strings.Contains(err.Error(), "to go on") {
		t.Errorf("error %v", err)
	}
}

// TestBudget: jobs that do not fit together follow each other, smaller ones go ahead,
// and one that could never be done fails.
func TestBudget(t *testing.T) {
	var large strings.Builder
	const n = 30_000
	fmt.Fprintf(&large, "des (0,%d,%d)\n", n, n)
	for s := range n {
		fmt.Fprintf(&large, "(%d,A,%d)\n", s, (s+1)%n)
	}
	folder := tree(t, map[string]string{"l1.aut": large.String(), "l2.aut": large.String(), "s.aut": model, "huge.aut": "des (0,900000000,300000000)\n"})
	jobs := []Job{
		jobOn(folder, "l1.aut", "Inev(A)"), jobOn(folder, "l1.aut", "Inev(B)"), jobOn(folder, "l2.aut", "Inev(A)"), jobOn(folder, "s.aut", "Inev(A)"),
	}
	one := newSchedule(jobs, 1, func(modelKey) {})
	need, _ := one.memoryFor(context.Background(), one.groups[0])
	if need < n*8 {
		t.Fatalf("need %d", need)
	}
	var released []string
	s := newSchedule(jobs, need+need/2, func(k modelKey) { released = append(released, filepath.Base(k.path)) })
	next := func() turn {
		t.Helper()
		turn, more := s.next(context.Background())
		if !more {
			t.Fatal("no more")
		}
		return turn
	}
	a := next()
	b := next()
	if a.job.Model != "l1.aut" || b.job.Model != "s.aut" {
		t.Fatalf("%s, %s", a.job.Name, b.job.Name)
	}
	s.done(a)
	if c := next(); c.job.Model != "l1.aut" {
		t.Fatal(c.job.Name)
	} else {
		s.done(c)
	}
	s.done(b)
	c := next()
	if c.job.Model != "l2.aut" || s.used != need {
		t.Fatalf("%s, %d used of %d", c.job.Name, s.used, need)
	}
	s.done(c)
	if _, more := s.next(context.Background()); more || s.used != 0 || strings.Join(released, " ") != "l1.aut s.aut l2.aut" {
		t.Errorf("more: %v, %d used, %v released", more, s.used, released)
	}

	manifest := &Manifest{File: "m", Jobs: append(jobs, jobOn(folder, "huge.aut", "Inev(A)"))}
	within := resources.NewBudget(resources.Limit{Bytes: 4e9, By: "allowed by a test"}, nil).With(context.Background())
	out, err := Run(within, manifest.AllowingUnmatched(), Settings{Folder: t.TempDir(), Parallel: 4})
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(out.Results); got != "satisfied violated satisfied violated error" {
		t.Error(got)
	}
	if e := out.Results[4].Error; !strings.HasPrefix(e, "huge.aut:1: declared 900000000 transitions, found 0") && !strings.HasPrefix(e, "huge.aut: needs about ") {
		t.Error(e)
	}
}

// TestReadersDoNotWait: who would wait for a model takes another one.
func TestReadersDoNotWait(t *testing.T) {
	folder := tree(t, map[string]string{"a.aut": model, "b.aut": model})
	s := newSchedule([]Job{jobOn(folder, "a.aut", "Inev(A)"), jobOn(folder, "a.aut", "Inev(B)"), jobOn(folder, "b.aut", "Inev(A)")}, 0, func(modelKey) {})
	ctx := context.Background()
	first, _ := s.next(ctx)
	second, _ := s.next(ctx)
	if first.job.Model != "a.aut" || second.job.Model != "b.aut" {
		t.Errorf("%s, then %s", first.job.Name, second.job.Name)
	}
	third, more := s.next(ctx)
	if !more || third.job.Model != "a.aut" {
		t.Error(third.job.Name)
	}
}

// TestBallast: it is there for many jobs if memory is not scarce.
func TestBallast(t *testing.T) {
	for limit, want := range map[int64]int{0: ballastSize, 8 << 30: ballastSize, 1 << 30: ballastSize, 1<<30 - 1: 0} {
		ctx := context.Background()
		if limit > 0 {
			ctx = resources.NewBudget(resources.Limit{Bytes: limit}, nil).With(ctx)
		}
		if got := len(ballast(ctx, ballastJobs)); got != want {
			t.Errorf("limit %d: %d bytes, want %d", limit, got, want)
		}
		if ballast(ctx, ballastJobs-1) != nil {
			t.Errorf("limit %d: there is some for few jobs", limit)
		}
	}
}
