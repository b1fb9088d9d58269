package batch

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/inev-lts/inev/diagram/graphviz"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/format/frontend"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/resources"
)

// Settings say how a batch is run; only Folder has to be set.
type Settings struct {
	// Folder is the folder of results, Begin what is done where it holds some.
	Folder string
	Begin  Begin
	// Parallel is how many jobs are done at the same time; 0 stands for as many as
	// there are processors.
	Parallel int
	// Memory is what all jobs together may take. Where its Bytes are 0, there is no
	// limit. A job for which too little is free waits; one that could never be done
	// fails.
	Memory resources.Limit
	// Timeout holds for jobs that have none of their own; 0 stands for none.
	Timeout time.Duration
	// Wanted are the kinds of files that jobs write, of [Outputs].
	Wanted []string
	// Version is that of the tool. Results of another one are not taken over.
	Version string
	// Shard is the part of the jobs to be done. The zero value stands for all.
	Shard Shard
	// Finished, if it is not nil, is called for each job, one at a time, as soon as
	// its result is in the journal.
	Finished func(Progress)
	// Warn, if it is not nil, is called with a line for each result and file of an
	// earlier run that cannot be taken over since it is not as it was written, before
	// any job is done, and in the end with one for each model that was replaced meanwhile.
	Warn func(string)
	// Words and Command are as in [Work].
	Words   func(remedy.Remedy) string
	Command func(Job) []string
	// Worker does the jobs, Parallel of them at a time and the dearest first; nil stands
	// for this machine. Then Memory is the worker's own affair.
	Worker Worker
	// Cache is the folder in which the compiled Graphviz is kept, see [graphviz.New]; empty
	// for none.
	Cache string
	// Maker makes models of specifications; nil for nothing that does.
	Maker *frontend.Maker
	// models stand in for those of the files, in tests.
	models Models
	// engine lays out the pictures of all jobs.
	engine *graphviz.Engine
	// root is the folder of results.
	root filesystem.Folder
}

// ballastSize is how much memory is taken and never used, and ballastJobs for how many jobs at least.
const ballastSize, ballastJobs = 32 << 20, 32

// ballast returns memory which is never used, and so takes no room. Since the memory that
// jobs use is collected once there is as much rubbish as is kept, this is done later then,
// by a bounded amount. That is worth it: small jobs keep little, so that it would be done
// after every few of them, and where pictures are laid out it has to wait for each layout
// under way, and all jobs wait for it. It is nil if memory is scarce or jobs are few.
func (s *Settings) ballast(jobs int) []byte {
	if jobs < ballastJobs || s.Memory.Bytes != 0 && s.Memory.Bytes < 32*ballastSize {
		return nil
	}
	return make([]byte, ballastSize)
}

// Progress is how far a batch is, when a job is finished.
type Progress struct {
	// Done of Total jobs have a result, those taken over from an earlier run
	// included.
	Done, Total int
	Result      Result
}

// Outcome is what a run has led to.
type Outcome struct {
	Plan Plan
	// Jobs are those of the shard, in the order of the manifest.
	Jobs []Job
	// Results are those of Jobs that are finished, in the same order.
	Results []Result
	// Reused is how many of them were taken over from an earlier run.
	Reused int

	// folder and journal describe these files as they were written.
	folder, journal fs.FileInfo
}

// Run does the jobs of a manifest, and keeps each result as soon as it is there: in
// the journal, results.jsonl, of the folder of results.
//
// A resumed run takes over the answers of jobs whose key has not changed and whose
// files are there as they were written; all other jobs, those without an answer among them, are done
// again. Results of jobs that the manifest no longer has stay in the journal, and
// are no part of the outcome.
//
// Once ctx is done, running jobs are stopped, and Run returns the error of ctx with
// an outcome of what is finished. It also fails if the folder cannot be used, or
// written to, and where a manifest or model would be written over. What jobs meet is told by their results. The phase "batch" of package
// progress counts jobs.
//
// The key of an answer is made of the bytes that the model was made of, which are hashed as
// they are read: where its file is replaced, all jobs that share the model are about what it
// was, and are done again by the next run.
//
// Cost that of the jobs; each model is read, and hashed, once for all jobs that need it.
func Run(ctx context.Context, m *Manifest, s Settings) (*Outcome, error) {
	if s.Parallel < 1 {
		s.Parallel = runtime.GOMAXPROCS(0)
	}
	if err := sparesInputs(s.Folder, m); err != nil {
		return nil, err
	}
	root, err := claim(ctx, s.Folder, s.Begin)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	s.root = root
	// Pictures are drawn by the hundred: Graphviz is compiled once for all of them.
	s.engine = graphviz.New(len(m.Jobs)*view.MaxStops, s.Cache)
	defer s.engine.Close()
	out := &Outcome{
		Plan: Plan{PlanSchema, m.File, s.Version, s.Shard.String(), commitSchema, m.Jobs},
		Jobs: s.Shard.Of(m.Jobs),
	}
	s.Parallel = max(1, min(s.Parallel, len(out.Jobs)))
	models := newShared(files{s.Memory, s.readers(), s.Maker})
	if s.models == nil {
		s.models = models
	}
	finished, end, err := s.takeOver(ctx, out.Jobs, models)
	if err != nil {
		return nil, err
	}
	if err := writePlan(root, &out.Plan); err != nil {
		return nil, err
	}
	out.Reused = len(finished)
	var todo []Job
	for _, j := range out.Jobs {
		if _, is := finished[j.Name]; !is {
			todo = append(todo, j)
		}
	}
	ballast := s.ballast(len(todo))
	defer runtime.KeepAlive(ballast)
	err = s.do(ctx, todo, finished, end, models)
	for _, name := range models.changed(ctx) {
		s.warn(s.say(remedy.New(nil, name, ": has changed since it was read; its results are about what it was: run the batch again ", remedy.Resume, ", which does its jobs anew")))
	}
	out.Results = inOrder(out.Jobs, finished)
	if isLost(err) {
		return out, out.rescue(ctx, s.Folder, err)
	}
	if err == nil {
		err = s.keepModels(ctx, out.Results)
	}
	if err != nil {
		return out, err
	}
	return out, out.remember(root)
}

// readers returns the number of goroutines that read one model: the processors are
// shared by the jobs.
func (s *Settings) readers() int { return max(1, runtime.GOMAXPROCS(0)/s.Parallel) }

// takeOver returns the results of an earlier run that still hold, by the names of
// their jobs, and leaves a journal with them and with those of other jobs, which ends with end.
func (s *Settings) takeOver(ctx context.Context, jobs []Job, models Models) (finished map[string]Result, end chainEnd, err error) {
	finished = map[string]Result{}
	old, err := readJournal(filepath.Join(s.Folder, journalName))
	if err != nil {
		return nil, end, err
	}
	for _, d := range old.damaged {
		redone := "its job is done again"
		if d.right {
			redone = "what is missing is done again"
		}
		s.warn(d.Error() + "; " + redone)
	}
	answers, err := s.stillHold(ctx, jobs, byName(old.results), models)
	if err != nil {
		return nil, end, err
	}
	current := map[string]Job{}
	for _, j := range jobs {
		current[j.Name] = j
	}
	var kept []Result
	same := old.whole && (old.chained || len(old.results) == 0)
	at := map[string]int{}
	for _, r := range old.results {
		j, ours := current[r.Job.Name]
		if ours && answers[j.Name] != r.Key {
			same = false
			continue
		}
		if r.Schema == resultSchema1 {
			same = false
			if err := checkFiles(ctx, s.Folder, &r); err != nil {
				if ctx.Err() != nil {
					return nil, end, ctx.Err()
				}
				s.warn(fmt.Sprintf("%v; the result of the job %q is left out", err, r.Job.Name))
				continue
			}
		}
		if ours {
			if !reflect.DeepEqual(r.Job, j) {
				r.Job, same = j, false
				r.judge()
			}
			if j.KeepModel && r.ModelDigest == "" {
				same = false
				r.ModelDigest, _ = models.Digest(ctx, j)
			}
			taken := r
			taken.Reused = true
			finished[j.Name] = taken
		}
		if first, twice := at[r.Job.Name]; twice {
			kept[first], same = r, false
			continue
		}
		at[r.Job.Name] = len(kept)
		kept = append(kept, r)
	}
	end = old.end
	if !same {
		end, err = rewriteJournal(s.root, kept, false)
	}
	if err == nil {
		err = removeUnknown(s.root, kept)
	}
	return finished, end, err
}

func (s *Settings) say(err error) string {
	w := Work{Words: s.Words}
	return w.say(err)
}

func (s *Settings) warn(text string) {
	if s.Warn != nil {
		s.Warn(text)
	}
}

// stillHold returns the keys of the old results, by the names of their jobs, that are
// answers to the jobs as they are now, with all files that are wanted. It tells of
// files that are not as they were written.
func (s *Settings) stillHold(ctx context.Context, jobs []Job, old map[string]Result, models Models) (map[string]string, error) {
	type finding struct {
		holds   bool
		damaged error
	}
	findings := make([]finding, len(jobs))
	var done sync.WaitGroup
	ask := make(chan int)
	for range min(s.Parallel, hashers) {
		done.Add(1)
		go func() {
			defer done.Done()
			for i := range ask {
				r := old[jobs[i].Name]
				if digest, err := models.Digest(ctx, jobs[i]); err != nil || r.Key != jobs[i].Key(digest, s.Version) {
					continue
				}
				damaged := checkFiles(ctx, s.Folder, &r)
				findings[i] = finding{damaged == nil, damaged}
			}
		}()
	}
	for i, j := range jobs {
		if r, is := old[j.Name]; is && r.Schema == ResultSchema && r.Status.Answered() && s.hasWanted(&r) {
			ask <- i
		}
	}
	close(ask)
	done.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for i, f := range findings {
		if name := jobs[i].Name; f.holds {
			keys[name] = old[name].Key
		} else if f.damaged != nil {
			s.warn(fmt.Sprintf("%v; the job %q is done again", f.damaged, name))
		}
	}
	return keys, nil
}

// hasWanted reports whether a result was found with all files that are wanted now.
func (s *Settings) hasWanted(r *Result) bool {
	for _, kind := range s.Wanted {
		if !slices.Contains(r.Wanted, kind) {
			return false
		}
	}
	return true
}

// hashers is how many files are hashed at the same time at most.
const hashers = 64

// pending is how many results may wait for the disk before jobs do.
const pending = 256

// do does jobs, and adds their results to those that are finished.
func (s *Settings) do(ctx context.Context, todo []Job, finished map[string]Result, end chainEnd, models *shared) error {
	journal, err := openJournal(s.root, end)
	if err != nil {
		return err
	}
	meter := progress.Start(ctx, "batch", progress.Jobs, int64(len(todo)+len(finished)))
	meter.Add(int64(len(finished)))
	// The phases of jobs that are done side by side would tell nobody anything.
	ctx, stop := context.WithCancelCause(progress.With(ctx, nil))
	defer stop(nil)

	results := make(chan Result, pending)
	kept := make(chan struct{})
	var failed error // of the journal
	go func() {
		defer close(kept)
		total := len(todo) + len(finished)
		for group := nextGroup(results); len(group) > 0; group = nextGroup(results) {
			if failed != nil {
				continue
			}
			if failed = journal.append(group); failed != nil {
				stop(failed)
			}
			// Who keeps the answers of a journal that has gone keeps these, too.
			if failed != nil && !isLost(failed) {
				continue
			}
			for _, r := range group {
				finished[r.Job.Name] = r
				meter.Add(1)
				if s.Finished != nil && failed == nil {
					s.Finished(Progress{len(finished), total, r})
				}
			}
		}
	}()
	if s.Worker != nil {
		s.delegate(ctx, todo, results)
	} else {
		s.work(ctx, newSchedule(todo, s.Memory.Bytes, models.release), results)
	}
	close(results)
	<-kept
	// What has failed is not closed as if it were complete.
	if failed = cmp.Or(failed, journal.close(failed == nil)); failed != nil {
		return failed
	}
	return context.Cause(ctx)
}

// Results that come within gathering of the first one share its flush, unless there are enough
// of them before: tiny jobs take less time than a flush, and each flush also has to do the
// journal and the names of the folders.
const (
	gathering = 10 * time.Millisecond
	enough    = 16
)

// nextGroup returns the results that are there and those that soon follow, at least one; none
// where none will come any more.
func nextGroup(results <-chan Result) []Result {
	first, more := <-results
	if !more {
		return nil
	}
	group := []Result{first}
	waited := time.NewTimer(gathering)
	defer waited.Stop()
	for len(group) < enough {
		select {
		case r, more := <-results:
			if !more {
				return group
			}
			group = append(group, r)
		case <-waited.C:
			return group
		}
	}
	for len(group) < pending {
		select {
		case r, more := <-results:
			if !more {
				return group
			}
			group = append(group, r)
		default:
			return group
		}
	}
	return group
}

// work does the jobs of a schedule side by side.
func (s *Settings) work(ctx context.Context, plan *schedule, results chan<- Result) {
	w := s.worker()
	unblock := context.AfterFunc(ctx, plan.stop)
	defer unblock()
	var workers sync.WaitGroup
	for range s.Parallel {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for turn, more := plan.next(ctx); more; turn, more = plan.next(ctx) {
				r := w.Do(ctx, turn.job)
				plan.done(turn)
				if r.Status != Canceled {
					results <- r
				}
			}
		}()
	}
	workers.Wait()
}
