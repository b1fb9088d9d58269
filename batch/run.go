package batch

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/inev-lts/inev/diagram/graphviz"
	"github.com/inev-lts/inev/progress"
	"github.com/inev-lts/inev/resources"
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
	// models stand in for those of the files, in tests.
	models Models
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
}

// Run does the jobs of a manifest, and keeps each result as soon as it is there: in
// the journal, results.jsonl, of the folder of results.
//
// A resumed run takes over the answers of jobs whose key has not changed and whose
// files are there; all other jobs, those without an answer among them, are done
// again. Results of jobs that the manifest no longer has stay in the journal, and
// are no part of the outcome.
//
// Once ctx is done, running jobs are stopped, and Run returns the error of ctx with
// an outcome of what is finished. It also fails where the folder cannot be used, or
// written to. What jobs meet is told by their results. The phase "batch" of package
// progress counts jobs.
//
// Cost that of the jobs; each model is read once for all jobs that need it, and
// hashed once.
func Run(ctx context.Context, m *Manifest, s Settings) (*Outcome, error) {
	if s.Parallel < 1 {
		s.Parallel = runtime.GOMAXPROCS(0)
	}
	release, err := claim(s.Folder, s.Begin)
	if err != nil {
		return nil, err
	}
	defer release()
	// Pictures are drawn by the hundred: Graphviz is compiled once for all of them.
	ctx, forget := graphviz.Keep(ctx)
	defer forget()
	out := &Outcome{
		Plan: Plan{PlanSchema, m.File, s.Version, s.Shard.String(), m.Jobs},
		Jobs: s.Shard.Of(m.Jobs),
	}
	s.Parallel = max(1, min(s.Parallel, len(out.Jobs)))
	models := newShared(files{s.Memory, s.readers()})
	if s.models == nil {
		s.models = models
	}
	finished, err := s.takeOver(ctx, m.Jobs, out.Jobs, models)
	if err != nil {
		return nil, err
	}
	if err := writePlan(s.Folder, &out.Plan); err != nil {
		return nil, err
	}
	out.Reused = len(finished)
	var todo []Job
	for _, j := range out.Jobs {
		if _, is := finished[j.Name]; !is {
			todo = append(todo, j)
		}
	}
	err = s.do(ctx, todo, finished, models)
	out.Results = inOrder(out.Jobs, finished)
	return out, err
}

// readers returns the number of goroutines that read one model: the processors are
// shared by the jobs.
func (s *Settings) readers() int { return max(1, runtime.GOMAXPROCS(0)/s.Parallel) }

// takeOver returns the results of an earlier run that still hold, by the names of
// their jobs, and leaves a journal with them and with those of other jobs.
func (s *Settings) takeOver(ctx context.Context, all, jobs []Job, models Models) (map[string]Result, error) {
	finished := map[string]Result{}
	path := filepath.Join(s.Folder, journalName)
	old, whole, err := readJournal(path)
	if err != nil {
		return nil, err
	}
	keys, err := s.currentKeys(ctx, jobs, byName(old), models)
	if err != nil {
		return nil, err
	}
	current := map[string]Job{}
	for _, j := range jobs {
		current[j.Name] = j
	}
	var kept []Result
	same := whole
	at := map[string]int{}
	for _, r := range old {
		j, ours := current[r.Job.Name]
		if ours && !s.holds(r, keys[j.Name]) {
			same = false
			continue
		}
		if ours {
			if !reflect.DeepEqual(r.Job, j) {
				r.Job, r.Unexpected, same = j, unexpected(j, r.Status), false
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
	if same {
		return finished, nil
	}
	return finished, rewriteJournal(s.Folder, kept)
}

// holds tells whether a result is an answer to the job of this key, with all files
// that are wanted.
func (s *Settings) holds(r Result, key string) bool {
	if !r.Status.Answered() || r.Key != key {
		return false
	}
	for _, kind := range s.Wanted {
		if !slices.Contains(r.Wanted, kind) {
			return false
		}
	}
	for _, name := range r.Files {
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return false
		}
		info, err := os.Stat(filepath.Join(s.Folder, filepath.FromSlash(name)))
		if err != nil || info.Size() == 0 {
			return false
		}
	}
	return true
}

// currentKeys returns the keys, by name, that jobs with an old result have now; none
// for a job whose model cannot be read.
func (s *Settings) currentKeys(ctx context.Context, jobs []Job, old map[string]Result, models Models) (map[string]string, error) {
	keys := map[string]string{}
	var mu sync.Mutex
	var done sync.WaitGroup
	ask := make(chan Job)
	for range s.Parallel {
		done.Add(1)
		go func() {
			defer done.Done()
			for j := range ask {
				if digest, err := models.Digest(ctx, j); err == nil {
					mu.Lock()
					keys[j.Name] = Key(j, digest, s.Version)
					mu.Unlock()
				}
			}
		}()
	}
	for _, j := range jobs {
		if r, is := old[j.Name]; is && r.Status.Answered() {
			ask <- j
		}
	}
	close(ask)
	done.Wait()
	return keys, ctx.Err()
}

// pending is how many results may wait for the disk before jobs do.
const pending = 256

// do does jobs, and adds their results to those that are finished.
func (s *Settings) do(ctx context.Context, todo []Job, finished map[string]Result, models *shared) error {
	journal, err := openJournal(s.Folder)
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
	go func() {
		defer close(kept)
		total := len(todo) + len(finished)
		for group := nextGroup(results); len(group) > 0; group = nextGroup(results) {
			if context.Cause(ctx) != ctx.Err() {
				continue // the journal has failed
			}
			if err := journal.append(group); err != nil {
				stop(err)
				continue
			}
			for _, r := range group {
				finished[r.Job.Name] = r
				meter.Add(1)
				if s.Finished != nil {
					s.Finished(Progress{len(finished), total, r})
				}
			}
		}
	}()
	s.work(ctx, newSchedule(todo, s.Memory.Bytes, models.release), results)
	close(results)
	<-kept
	if err := journal.close(); err != nil && context.Cause(ctx) == nil {
		return journal.failed(err)
	}
	return context.Cause(ctx)
}

// nextGroup returns the results that are there, at least one; none where none will
// come any more.
func nextGroup(results <-chan Result) []Result {
	first, more := <-results
	if !more {
		return nil
	}
	group := []Result{first}
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
	w := Work{
		Folder: s.Folder, Wanted: s.Wanted, Version: s.Version,
		Timeout: s.Timeout, Memory: s.Memory, Workers: s.readers(), Models: s.models,
	}
	unblock := context.AfterFunc(ctx, plan.stop)
	defer unblock()
	var workers sync.WaitGroup
	for range s.Parallel {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for turn, more := plan.next(ctx); more; turn, more = plan.next(ctx) {
				r := Do(ctx, turn.job, w)
				plan.done(turn)
				if r.Status != Canceled {
					results <- r
				}
			}
		}()
	}
	workers.Wait()
}
