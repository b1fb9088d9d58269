package batch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/resources"
)

// Settings say how a batch is run; only Folder has to be set.
type Settings struct {
	// Folder is the folder of results; Begin says what to do if it holds some.
	Folder string
	Begin  Begin
	// Parallel is the number of jobs that are done at the same time; 0 means the number of
	// processors.
	Parallel int
	// Timeout is the limit of jobs without a limit of their own; 0 is no limit.
	Timeout time.Duration
	// Wanted are the kinds of files that jobs write: explanation (JSON), page (HTML), svg, dot and
	// trace (CADP's .seq). The log of a crash is written without demand.
	Wanted []string
	// Version is the version of the tool. Results of another version are not reused.
	Version string
	// Shard selects the jobs to be done. The zero value selects all jobs.
	Shard Shard
	// Finished, if it is not nil, is called for each job, one at a time, as soon as
	// its result is in the journal.
	Finished func(Progress)
	// Warn, if it is not nil, is called before the first job with a line for each earlier result or
	// file that cannot be reused since it has changed, and at the end with a line for each model
	// that was replaced during the run.
	Warn func(string)
	// Text and Command are as in [Work].
	Text    func(error) string
	Command func(Job) []string
	// Worker does the jobs, Parallel of them at a time and the most expensive first; nil means
	// this machine. Any other worker limits its own memory.
	Worker Worker
	// Cache is the folder where the compiled Graphviz is kept; "" for none.
	Cache string
	// OpenModel reads the model of a job as [format.Open] does, and makes the models of specifications,
	// such as those of TLA+ with the configuration of the job; if it is nil, none can be made.
	OpenModel func(ctx context.Context, j *Job, o format.Options) (*format.Model, []string, error)
	// models give jobs their models; Run sets it to the models in files, unless a test has set it.
	models Models
	// engine lays out the pictures of all jobs.
	engine *graphviz.Engine
	// root is the folder of results.
	root filesystem.Folder
}

// ballastSize is the size of [ballast], and ballastJobs the least number of jobs for
// which it is allocated.
const ballastSize, ballastJobs = 32 << 20, 32

// ballast returns memory that is never touched, and so costs no physical memory. The runtime
// collects garbage when there is as much of it as live memory; ballast raises that threshold by
// a bounded amount. Small jobs keep so little alive that the runtime would collect after every
// few of them, and each collection waits for the layouts of pictures under way, while all jobs
// wait for the collection. It is nil if memory is scarce or jobs are few.
func ballast(ctx context.Context, jobs int) []byte {
	limit := resources.LimitOf(ctx).Bytes // 0 if there is none
	isMemoryScarce := limit != 0 && limit < 32*ballastSize
	if jobs < ballastJobs || isMemoryScarce {
		return nil
	}
	return make([]byte, ballastSize)
}

// Progress is the number of finished jobs, reported each time that a job is finished.
type Progress struct {
	// Done of Total jobs have a result, including results from an earlier run.
	Done, Total int
	Result      Result
}

// String returns how many jobs are finished, and the result of the last one, such as: 1 of 2: m.aut: Inev(ACK): satisfied.
func (p Progress) String() string {
	return fmt.Sprintf("%d of %d: %s", p.Done, p.Total, p.Result)
}

// Outcome is the result of a run, also of one that was stopped.
type Outcome struct {
	Plan Plan
	// Jobs are the jobs of the shard, in the order of the manifest.
	Jobs []Job
	// Results are the results of finished jobs, in the order of Jobs.
	Results []Result
	// Reused is the number of results that were taken over from an earlier run.
	Reused int

	// folder and journal describe the folder of results and its journal as they
	// were when the journal was written.
	folder, journal fs.FileInfo
}

// String returns how many jobs are finished, and how they ended, such as: 2 of 2 jobs: 1 satisfied, 1 violated.
func (o *Outcome) String() string {
	if o == nil {
		return "<nil>"
	}
	text := fmt.Sprintf("%d of %s", len(o.Results), printable.Quantity(len(o.Jobs), "job"))
	var counts []string
	for _, status := range []Status{Satisfied, Violated, Failed, TimedOut, Crashed, Canceled} {
		n := 0
		for _, r := range o.Results {
			if r.Status == status {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, status))
		}
	}
	if o.Reused > 0 {
		counts = append(counts, fmt.Sprintf("%d taken over from an earlier run", o.Reused))
	}
	if len(counts) == 0 {
		return text
	}
	return text + ": " + strings.Join(counts, ", ")
}

// Run does the jobs of a manifest, and appends each result to the journal of the folder of
// results, results.jsonl, as soon as it is known.
//
// A resumed run reuses the answers of jobs whose key and files have not changed; all other
// jobs, and those without an answer, are done again. Results of jobs that the manifest no
// longer has stay in the journal, and are no part of the outcome.
//
// Once ctx is done, running jobs are stopped, and Run returns the error of ctx with an outcome
// of what is finished. It also fails if the folder cannot be used or written to, or if a
// manifest or model would be overwritten. The failure of a job is no error of Run, but in the
// result of the job. The phase "batch" of package progress counts jobs.
//
// The key of an answer contains the digest of the bytes from which the model was read or made. If
// the file is replaced meanwhile, all jobs that share the model are about its old content, and the
// next run does them again.
//
// Cost: as much as the jobs; each model is read, and hashed, once for all jobs that need it.
func Run(ctx context.Context, m *Manifest, s Settings) (out *Outcome, err error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
	); err != nil {
		return nil, err
	}
	defer func() {
		p := contained.Recovered(recover())
		if p != nil {
			err = p
		}
	}()
	if s.Parallel < 1 {
		s.Parallel = runtime.GOMAXPROCS(0)
	}
	if err := spareInputs(s.Folder, m); err != nil {
		return nil, err
	}
	s.root, err = claim(ctx, s.Folder, s.Begin)
	if err != nil {
		return nil, err
	}
	defer s.root.Close()
	// One Graphviz, compiled once, lays out the pictures of all jobs.
	s.engine = graphviz.New(len(m.Jobs)*view.MaxStops, s.Cache)
	defer s.engine.Close()
	jobs := s.Shard.Of(m.Jobs)
	s.Parallel = max(1, min(s.Parallel, len(jobs)))
	// Jobs read s.models, which tests replace; digests and changes are always those of the files.
	inFiles := newShared(files{workers: s.readers(), open: s.OpenModel})
	if s.models == nil {
		s.models = inFiles
	}
	finished, end, err := s.takeOver(ctx, jobs, inFiles)
	if err != nil {
		return nil, err
	}
	plan := Plan{
		Schema:   planSchema,
		Manifest: m.File,
		Version:  s.Version,
		Shard:    s.Shard.String(),
		Journal:  commitSchema,
		Jobs:     m.Jobs,
	}
	if err := writePlan(s.root, &plan); err != nil {
		return nil, err
	}
	out = &Outcome{Plan: plan, Jobs: jobs, Reused: len(finished)}
	return out, s.complete(ctx, out, finished, end, inFiles)
}

// complete does the jobs of an outcome that are not finished, and sets its results; end is the state of
// the journal before these jobs.
func (s *Settings) complete(
	ctx context.Context,
	out *Outcome,
	finished map[string]Result,
	end chainEnd,
	models *shared,
) error {
	var todo []Job
	for _, j := range out.Jobs {
		if _, isFinished := finished[j.Name]; !isFinished {
			todo = append(todo, j)
		}
	}
	unused := ballast(ctx, len(todo))
	defer runtime.KeepAlive(unused)
	err := s.do(ctx, todo, finished, end, models)
	for _, name := range models.changed(ctx) {
		s.warn((&Work{Text: s.Text}).errorText(hint.New(nil, name,
			": has changed since it was read; its results are about the earlier version: run the batch again ", hint.Resume, ", which does its jobs anew")))
	}
	out.Results = inOrder(out.Jobs, finished)
	if errors.As(err, new(*lostError)) {
		return out.rescue(ctx, s.Folder, err)
	}
	if err != nil {
		return err
	}
	if err := s.keepModels(ctx, out.Results, func(r Result) (string, error) {
		return r.Job.Path, nil
	}); err != nil {
		return err
	}
	return out.recordIdentity(s.root)
}

// readers returns the number of goroutines that read one model: the processors, divided among the
// jobs that run at the same time.
func (s *Settings) readers() int { return max(1, runtime.GOMAXPROCS(0)/s.Parallel) }

// takeOver returns the results of an earlier run that are still valid, with the names of jobs as keys.
// Afterwards the journal has these results and the results of jobs that the manifest no longer has;
// end is the state after the last line of the journal.
func (s *Settings) takeOver(
	ctx context.Context,
	jobs []Job,
	models Models,
) (finished map[string]Result, end chainEnd, err error) {
	old, err := readJournal(ctx, filepath.Join(s.Folder, journalName))
	if err != nil {
		return nil, chainEnd{}, err
	}
	for _, d := range old.damaged {
		redone := "its job is done again"
		if d.losesNothing {
			redone = "what is missing is done again"
		}
		s.warn(d.Error() + "; " + redone)
	}
	answers, err := s.reusableKeys(ctx, jobs, byName(old.results), models)
	if err != nil {
		return nil, chainEnd{}, err
	}
	e := &earlier{
		current:     make(map[string]Job, len(jobs)),
		answers:     answers,
		finished:    map[string]Result{},
		index:       map[string]int{},
		isUnchanged: old.whole,
	}
	for _, j := range jobs {
		e.current[j.Name] = j
	}
	for _, r := range old.results {
		e.add(ctx, r, models)
	}
	end = old.end
	if !e.isUnchanged {
		end, err = rewriteJournal(s.root, e.kept, false)
		if err != nil {
			return nil, chainEnd{}, err
		}
	}
	return e.finished, end, s.removeOtherJobs(e.kept)
}

// earlier has the results that a run takes over from an earlier run.
type earlier struct {
	// current and answers map the name of each job to the job as it is now, and to the key of a
	// result that answers it.
	current map[string]Job
	answers map[string]string
	// finished maps the names of current jobs to their results.
	finished map[string]Result
	// kept are the results for the journal. index maps the name of a job to the index of its result in
	// kept.
	kept  []Result
	index map[string]int
	// isUnchanged reports whether kept are exactly the results that the journal has already.
	isUnchanged bool
}

// add takes over a result, unless it no longer answers its job.
func (e *earlier) add(ctx context.Context, r Result, models Models) {
	j, isCurrent := e.current[r.Job.Name]
	if !isCurrent {
		e.keep(r)
		return
	}
	if e.answers[j.Name] != r.Key {
		e.isUnchanged = false
		return
	}
	if !bytes.Equal(r.Job.stored(), j.stored()) {
		e.isUnchanged = false
		r.Job = j
		r.judge()
	}
	if j.KeepModel && r.ModelDigest == "" {
		e.isUnchanged = false
		r.ModelDigest, _ = models.Digest(ctx, j)
	}
	e.keep(r)
	r.Reused = true
	e.finished[j.Name] = r
}

// keep keeps a result for the journal. It takes the place of an earlier result of the same job.
func (e *earlier) keep(r Result) {
	i, isKept := e.index[r.Job.Name]
	if isKept {
		e.isUnchanged = false
		e.kept[i] = r
		return
	}
	e.index[r.Job.Name] = len(e.kept)
	e.kept = append(e.kept, r)
}

// removeOtherJobs removes the folders of jobs without a result: of jobs that are to be done again, and of those
// whose results were lost.
func (s *Settings) removeOtherJobs(kept []Result) error {
	known := map[string]bool{}
	for _, r := range kept {
		known[folderOf(r.Job.Name)] = true
	}
	return removeJobs(s.root, func(name string) bool {
		dash := len(name) - folderDigits - 1
		hasDash := dash > 0 && name[dash] == '-'
		isOfJob := hasDash && strings.Trim(name[dash+1:], "0123456789abcdef") == "" // see folderOf
		return isOfJob && !known[jobsName+"/"+name]
	})
}

func (s *Settings) warn(text string) {
	if s.Warn != nil {
		s.Warn(text)
	}
}

// reusableKeys finds the old results that answer the jobs as they are now and have all wanted files. It
// maps the names of their jobs to the keys of the results. It warns of files that have changed.
func (s *Settings) reusableKeys(
	ctx context.Context,
	jobs []Job,
	old map[string]Result,
	models Models,
) (map[string]string, error) {
	var candidates []*candidate
	for _, j := range jobs {
		r, isKnown := old[j.Name]
		if isKnown && r.Status.Answered() && s.hasAllFiles(&r) {
			candidates = append(candidates, &candidate{job: j, result: r})
		}
	}
	err := inParallel(min(s.Parallel, hashers), candidates, func(c *candidate) error {
		s.check(ctx, c, models)
		return nil // a model that cannot be read is an error of the job
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, c := range candidates {
		switch {
		case c.damage != nil:
			s.warn(fmt.Sprintf("%v; the job %q is done again", c.damage, c.job.Name))
		case c.isAnswer:
			keys[c.job.Name] = c.result.Key
		}
	}
	return keys, nil
}

// candidate is an old result of a job that may be used again.
type candidate struct {
	job    Job
	result Result
	// isAnswer reports whether the result answers the job as it is now, and damage says what is
	// wrong with the files of such a result.
	isAnswer bool
	damage   error
}

// check finds out whether an old result answers its job as it is now, and whether its files are as they were
// written.
func (s *Settings) check(ctx context.Context, c *candidate, models Models) {
	var digest string
	err := contained.Call(func() (err error) { // after a panic, doing the job again reports it
		digest, err = models.Digest(ctx, c.job)
		return err
	})
	c.isAnswer = err == nil && c.result.Key == c.job.Key(digest, s.Version)
	if c.isAnswer {
		c.damage = checkFiles(ctx, s.Folder, &c.result)
	}
}

// hasAllFiles reports whether an earlier run wanted all the kinds of files that this one wants.
func (s *Settings) hasAllFiles(r *Result) bool {
	for _, kind := range s.Wanted {
		if !slices.Contains(r.Wanted, kind) {
			return false
		}
	}
	return true
}

// hashers is the largest number of files that are hashed at the same time.
const hashers = 64

// pending is the number of results that may wait for the disk before jobs must wait.
const pending = 256

// do does jobs, and adds their results to finished and to the journal.
func (s *Settings) do(
	ctx context.Context,
	todo []Job,
	finished map[string]Result,
	end chainEnd,
	models *shared,
) error {
	journal, err := openJournal(s.root, end)
	if err != nil {
		return err
	}
	meter := progress.Start(ctx, "batch", progress.Jobs, int64(len(todo)+len(finished)))
	meter.Add(int64(len(finished)))
	// Phases of jobs that run side by side would mix; only the batch reports progress.
	ctx, stop := context.WithCancelCause(progress.With(ctx, nil))
	defer stop(nil)

	total := len(todo) + len(finished)
	k := &keeper{
		journal:  journal,
		finished: finished,
		report: func(r Result) {
			finished[r.Job.Name] = r
			meter.Add(1)
			if s.Finished != nil {
				s.Finished(Progress{Done: len(finished), Total: total, Result: r})
			}
		},
		stop: stop,
	}
	results := make(chan Result, pending)
	keeping := contained.Go(func() { k.keepAll(results) })
	working := contained.Call(func() error {
		if s.Worker != nil {
			s.delegate(ctx, todo, results)
			return nil
		}
		s.work(ctx, newSchedule(todo, resources.LimitOf(ctx).Bytes, models.release), results)
		return nil
	})
	close(results)
	keeping.Wait()
	// A journal that failed gets no closing record.
	if err := cmp.Or(k.failed, working, journal.close(k.failed == nil)); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// keeper keeps the results of a batch in its journal.
type keeper struct {
	journal  *journal
	finished map[string]Result // keys are names of jobs
	report   func(Result)      // called for each result that is in the journal
	stop     func(error)       // ends the batch
	failed   error             // of the journal
}

// keepAll keeps results until there are no more. After the journal has failed, it only receives them, so
// that no sender waits in vain.
func (k *keeper) keepAll(results <-chan Result) {
	for gathered := gather(results); len(gathered) > 0; gathered = gather(results) {
		if k.failed != nil {
			continue
		}
		// A panic ends the batch as a journal that fails does.
		k.failed = contained.Call(func() error {
			return keep(k.journal, gathered, k.report)
		})
		if k.failed == nil {
			continue
		}
		k.stop(k.failed)
		// After the journal is lost, the results are kept in memory, to be written elsewhere.
		if errors.As(k.failed, new(*lostError)) {
			for _, r := range gathered {
				k.finished[r.Job.Name] = r
			}
		}
	}
}

// keep appends results to the journal, and then reports each.
func keep(journal *journal, results []Result, report func(Result)) error {
	if err := journal.append(results); err != nil {
		return err
	}
	for _, r := range results {
		report(r)
	}
	return nil
}

// Results that arrive within gatheringTime after the first one are flushed to the disk together
// with it, at most gatheredResults at a time. A tiny job takes less time than a flush, since
// flushing also covers the journal and the names of folders.
const (
	gatheringTime   = 10 * time.Millisecond
	gatheredResults = 16
)

// gather waits for the next result, and returns it with the results that arrive soon after it; nil once
// results is closed.
func gather(results <-chan Result) []Result {
	first, more := <-results
	if !more {
		return nil
	}
	gathered := []Result{first}
	waited := time.NewTimer(gatheringTime)
	defer waited.Stop()
	for len(gathered) < gatheredResults {
		select {
		case r, more := <-results:
			if !more {
				return gathered
			}
			gathered = append(gathered, r)
		case <-waited.C:
			return gathered
		}
	}
	// Results that wait already are taken, too.
	for len(gathered) < pending {
		select {
		case r, more := <-results:
			if !more {
				return gathered
			}
			gathered = append(gathered, r)
		default:
			return gathered
		}
	}
	return gathered
}

// work does the jobs of a schedule, Parallel of them at a time.
func (s *Settings) work(ctx context.Context, plan *schedule, results chan<- Result) {
	w := Work{
		Folder:  s.Folder,
		Wanted:  s.Wanted,
		Version: s.Version,
		Timeout: s.Timeout,
		Workers: s.readers(),
		Models:  s.models,
		Engine:  s.engine,
		Text:    s.Text,
		Command: s.Command,
		root:    s.root,
	}
	unblock := context.AfterFunc(ctx, plan.stop)
	defer unblock()
	cores.Share(s.Parallel, func(int) {
		for turn, more := plan.next(ctx); more; turn, more = plan.next(ctx) {
			r := s.answered(ctx, w, turn.job)
			plan.done(turn)
			if r.Status != Canceled {
				results <- r
			}
		}
	})
}

// answered lets a worker do a job. If the worker panics, which [Do] never does, the panic is the
// result of this job and does not affect others.
func (s *Settings) answered(ctx context.Context, w Worker, j Job) (r Result) {
	var panicked *contained.Panic
	err := contained.Call(func() error {
		r = w.Do(ctx, j)
		return nil
	})
	if errors.As(err, &panicked) {
		r = s.crashed(ctx, j, panicked)
	}
	return r
}

// crashed returns the result of a job that a panic has ended.
func (s *Settings) crashed(ctx context.Context, j Job, p *contained.Panic) (r Result) {
	r = Result{
		Schema:  ResultSchema,
		Job:     j,
		Wanted:  slices.Clone(s.Wanted),
		Started: time.Now().UTC().Format(time.RFC3339),
	}
	t := &task{
		Work: Work{
			Folder:  s.Folder,
			Version: s.Version,
			Models:  s.models,
			Text:    s.Text,
			root:    s.root,
		},
		job:    j,
		result: &r,
	}
	if contained.Call(func() error {
		t.recordPanic(ctx, p)
		return nil
	}) != nil { // the log cannot be written either
		r.Status = Crashed
		r.Error = printable.Text(p.Error())
	}
	return r
}

// Worker does jobs: on this machine, as [Work] does, or on others. Many goroutines call its Do.
//
// Each failure is in the result, as in that of [Do]. If ctx is done, the status of the result is
// [Canceled]. The files that the result names are in the folder of results before Do returns.
type Worker interface {
	Do(ctx context.Context, j Job) Result
}

// Do does one job here, as the function [Do] does.
func (w Work) Do(ctx context.Context, j Job) Result { return Do(ctx, j, w) }

// delegate gives jobs to a worker by their priorities, the most expensive first (longest
// processing time first, as in [Shard.Of]), so that no long job begins last and runs alone.
func (s *Settings) delegate(ctx context.Context, todo []Job, results chan<- Result) {
	costs := costsOf(todo)
	order := make([]int, len(todo))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(todo[b].Priority, todo[a].Priority),
			cmp.Compare(costs[b], costs[a]))
	})
	// The channel is buffered and filled in advance, so that jobs begin in this order.
	next := make(chan Job, len(todo))
	for _, i := range order {
		next <- todo[i]
	}
	close(next)
	cores.Share(s.Parallel, func(int) {
		for j := range next {
			if ctx.Err() != nil {
				return
			}
			r := s.answered(ctx, s.Worker, j)
			if r.Status != Canceled {
				results <- r
			}
		}
	})
}
