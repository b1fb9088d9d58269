package batch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
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
	return out.remember(s.root)
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
	type candidate struct {
		job Job
		// isAnswer reports whether the result answers the job as it is now, and damage says what is
		// wrong with the files of such a result.
		isAnswer bool
		damage   error
	}
	var candidates []*candidate
	for _, j := range jobs {
		r, isKnown := old[j.Name]
		if isKnown && r.Status.Answered() && s.hasAllFiles(&r) {
			candidates = append(candidates, &candidate{job: j})
		}
	}
	err := inParallel(min(s.Parallel, hashers), candidates, func(c *candidate) error {
		r := old[c.job.Name]
		var digest string
		err := contained.Call(func() (err error) { // after a panic, doing the job again reports it
			digest, err = models.Digest(ctx, c.job)
			return err
		})
		c.isAnswer = err == nil && r.Key == c.job.Key(digest, s.Version)
		if c.isAnswer {
			c.damage = checkFiles(ctx, s.Folder, &r)
		}
		return nil // a model that cannot be read is an error of the job
	})
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for _, c := range candidates {
		name := c.job.Name
		switch {
		case c.damage != nil:
			s.warn(fmt.Sprintf("%v; the job %q is done again", c.damage, name))
		case c.isAnswer:
			keys[name] = old[name].Key
		}
	}
	return keys, nil
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

// schedule hands out jobs within a budget of memory, those of one model close to each other. A
// job for which too little memory is free waits, and jobs of other models overtake it. If no
// job runs, the next one is handed out in any case: reading its model shows whether it fits.
//
// There is no deadlock: a job that is handed out has all its memory, and a waiting job holds
// none.
type schedule struct {
	// budget is in bytes; 0 is no limit.
	budget  int64
	release func(modelKey)

	mu      sync.Mutex
	changed *sync.Cond
	groups  []*group // models with jobs to be handed out
	used    int64
	running int
	stopped bool
}

// group has the jobs of one model.
type group struct {
	key  modelKey
	jobs []Job // still to be handed out
	left int   // not done yet
	// held reports whether memory for the model is reserved; opened reports whether a job on the
	// model has been done.
	held, opened bool
	// measured reports whether the sizes below are known: those of the model, and its memory in
	// bytes once it is read.
	measured            bool
	states, transitions int64
	memory              int64
}

// turn is a job that was handed out, and the memory reserved for it, in bytes.
type turn struct {
	job    Job
	group  *group
	memory int64
}

// newSchedule plans jobs; release is called with each model that no further job needs.
func newSchedule(jobs []Job, budget int64, release func(modelKey)) *schedule {
	s := &schedule{budget: budget, release: release}
	s.changed = sync.NewCond(&s.mu)
	groupOf := map[modelKey]*group{}
	// Jobs of one model are ordered by priority, and models by the priority of their first job.
	byPriority := slices.Clone(jobs)
	slices.SortStableFunc(byPriority, func(a, b Job) int {
		return cmp.Compare(b.Priority, a.Priority)
	})
	for _, j := range byPriority {
		key := keyOf(j)
		g := groupOf[key]
		if g == nil {
			g = &group{key: key}
			groupOf[key] = g
			s.groups = append(s.groups, g)
		}
		g.jobs = append(g.jobs, j)
		g.left++
	}
	return s
}

// next waits for a job that can be done now; more is false if no job is left or the schedule was
// stopped.
func (s *schedule) next(ctx context.Context) (t turn, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.stopped || len(s.groups) == 0 {
			return turn{}, false
		}
		// Prefer a job whose model no other job is reading: it need not wait for that job.
		i, fits := s.find(ctx, func(g *group) bool { return !g.isBeingRead() })
		if !fits {
			i, fits = s.find(ctx, (*group).isBeingRead)
		}
		if fits {
			return s.handOut(ctx, i), true
		}
		s.changed.Wait()
	}
}

// handOut hands out the next job of a group, and reserves its memory.
func (s *schedule) handOut(ctx context.Context, i int) turn {
	g := s.groups[i]
	needed, own := s.memoryFor(ctx, g)
	t := turn{job: g.jobs[0], group: g, memory: own}
	g.jobs = g.jobs[1:]
	if len(g.jobs) == 0 {
		s.groups = slices.Delete(s.groups, i, i+1)
	}
	g.held = true
	s.used += needed
	s.running++
	return t
}

// isBeingRead reports whether a job is reading the model of the group.
func (g *group) isBeingRead() bool { return g.held && !g.opened }

// find returns the first of the selected groups with a job that can be done now.
func (s *schedule) find(ctx context.Context, isSelected func(*group) bool) (i int, found bool) {
	for i, g := range s.groups {
		if !isSelected(g) {
			continue
		}
		if s.budget == 0 || s.running == 0 {
			return i, true
		}
		needed, _ := s.memoryFor(ctx, g)
		if s.used+needed <= s.budget {
			return i, true
		}
	}
	return 0, false
}

// memoryFor returns how much memory must be reserved for the next job of a group, and how much of it is for
// the job alone; the rest is for the model, unless memory for the model is reserved already.
func (s *schedule) memoryFor(ctx context.Context, g *group) (all, own int64) {
	if s.budget == 0 {
		return 0, 0
	}
	if !g.measured {
		g.measured = true
		_ = contained.Call(func() error { // the job will meet a panic again
			g.states, g.transitions = measure(ctx, g.jobs[0])
			return nil
		})
	}
	g.memory, own = estimate(g.jobs[0], g.states, g.transitions)
	if g.held {
		return own, own
	}
	return own + g.memory, own
}

// estimate returns the memory of a model of this size, and the additional memory of a job on it, in
// bytes.
func estimate(j Job, states, transitions int64) (model, own int64) {
	nothing := footprint.Of(footprint.Loading, 0, 0).Usual
	model = footprint.Of(footprint.Loading, states, transitions).Usual - nothing
	own = footprint.Of(footprint.Explaining, states, transitions).Usual - nothing - model
	if j.Options.Unfold {
		// The unfolded model has at most one state for each state and each number of steps done.
		own += int64(steps(j)) * (own + model)
	}
	return model, own
}

// Needs estimates how many bytes the job takes, its model included, from the size that the
// header declares or the length of the file; 0 for a model that cannot be read. Cost: as much
// as reading a header.
func (j Job) Needs(ctx context.Context) int64 {
	states, transitions := measure(ctx, j)
	if states == 0 {
		return 0
	}
	model, own := estimate(j, states, transitions)
	return model + own
}

// readable returns the formula of a job before the job is done. It turns a panic of the reader into
// an error: doing the job will meet the panic again and report it.
func (j Job) readable() (f asked, err error) {
	err = contained.Call(func() (err error) {
		f, err = j.formula(context.Background())
		return err
	})
	return f, err
}

// steps returns the number of steps of a job's property, at least 1.
func steps(j Job) int {
	if j.Automaton != nil {
		return 1
	}
	f, err := j.readable()
	if sized, ok := f.ofRuns.(interface{ Len() int }); err == nil && ok {
		return max(1, sized.Len())
	}
	return 1
}

// done returns the memory of a job to the budget.
func (s *schedule) done(t turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.used -= t.memory
	t.group.opened = true
	t.group.left--
	if t.group.left == 0 {
		s.used -= t.group.memory
		s.release(t.group.key)
	}
	s.changed.Broadcast()
}

// stop makes every call of next return at once.
func (s *schedule) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.changed.Broadcast()
}

// Shard is one of several shares of the jobs of a manifest: number Index, from 1, of Count. The
// zero value is all jobs.
type Shard struct{ Index, Count int }

// Set sets a shard that is written as 2/3.
func (s *Shard) Set(text string) error {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 1 || n < i {
		return fmt.Errorf("%s is not a shard; write its number and how many there are, such as 1/3", text)
	}
	*s = Shard{i, n}
	return nil
}

// String writes a shard as [Shard.Set] reads it, and the zero value as "".
func (s Shard) String() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Of returns the jobs of the shard, in their order. For a fixed Count, each job is in exactly one
// shard. A shard depends only on the jobs and the sizes of the models' files: the largest models
// are assigned first, each to the shard with the least work (longest processing time first: Graham,
// Bounds on multiprocessing timing anomalies, SIAM J. Appl. Math. 17, 1969). Jobs of one model stay
// together, so that it is read once, unless they are more than half of the work of a shard. Cost
// O(n log n), and a system call for each model.
func (s Shard) Of(jobs []Job) []Job {
	if s.Count <= 1 {
		return jobs
	}
	var mine []Job
	for i, shard := range assignShards(jobs, costsOf(jobs), s.Count) {
		if shard == s.Index-1 {
			mine = append(mine, jobs[i])
		}
	}
	return mine
}

// costsOf estimates the relative costs of jobs: the size of the model's file times the number
// of steps of the formula.
func costsOf(jobs []Job) []int64 {
	sizes := map[string]int64{}
	costs := make([]int64, len(jobs))
	for i, j := range jobs {
		size, known := sizes[j.Path]
		if !known {
			size = 1
			if info, err := os.Stat(j.Path); err == nil {
				size += info.Size()
			}
			sizes[j.Path] = size
		}
		costs[i] = size * int64(steps(j))
	}
	return costs
}

// assignShards returns the shard, from 0, of each job, for this number of shards.
func assignShards(jobs []Job, costs []int64, numShards int) []int {
	bundles := bundlesOf(jobs, costs, numShards)
	slices.SortStableFunc(bundles, func(a, b *bundle) int {
		return cmp.Compare(b.cost, a.cost)
	})
	loads := make([]int64, numShards)
	shards := make([]int, len(jobs))
	for _, b := range bundles {
		shard := slices.Index(loads, slices.Min(loads))
		loads[shard] += b.cost
		for _, i := range b.jobs {
			shards[i] = shard
		}
	}
	return shards
}

// bundle has the indices of jobs that go to the same shard, and what these jobs cost together.
type bundle struct {
	jobs []int
	cost int64
}

// bundlesOf returns the jobs of each model as one bundle. The jobs of a model that are more than half of the
// work of a shard are bundles of their own.
func bundlesOf(jobs []Job, costs []int64, numShards int) []*bundle {
	var byModel []*bundle
	var total int64
	bundleOf := map[modelKey]*bundle{}
	for i, j := range jobs {
		key := keyOf(j)
		b := bundleOf[key]
		if b == nil {
			b = &bundle{}
			bundleOf[key] = b
			byModel = append(byModel, b)
		}
		b.jobs = append(b.jobs, i)
		b.cost += costs[i]
		total += costs[i]
	}
	halfOfShard := total / int64(2*numShards)
	var bundles []*bundle
	for _, b := range byModel {
		if b.cost <= halfOfShard {
			bundles = append(bundles, b)
			continue
		}
		for _, i := range b.jobs {
			bundles = append(bundles, &bundle{jobs: []int{i}, cost: costs[i]})
		}
	}
	return bundles
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

// Model is a model as it was read.
type Model struct {
	LTS *lts.LTS
	// States has the values of states, nil if the job does not ask about them.
	States   *lts.Values
	Warnings []string
	// Unsettled is a remark about a question that the format of the model leaves open, see
	// [explain.Source].
	Unsettled string
	// Digest is the SHA-256 of the bytes that the model was made of: of the file as it was read,
	// even if the file has changed since.
	Digest string
	// Took is the time that reading took; 0 for a job that shares a model which another job has
	// read.
	Took time.Duration
	// Outside are the states that TLC has marked as outside of its constraints.
	Outside []lts.State
	// file describes the file at the time when it was read; nil if the model was not read from
	// a file.
	file fs.FileInfo
}

// Models gives jobs their models. Methods are called by many goroutines.
type Models interface {
	// Digest returns the SHA-256 of the model's file as it is now, see the function [Digest]. The
	// key of an answer contains the digest in [Model] instead, which is that of the bytes read.
	Digest(ctx context.Context, j Job) (string, error)
	// Model returns the model of a job. It fails if the model cannot be read, changes
	// while it is read, or is too large, or if ctx is done.
	Model(ctx context.Context, j Job) (*Model, error)
}

// files reads a model anew for each call.
type files struct {
	workers int
	// open is nil if no models are made of specifications.
	open func(ctx context.Context, j *Job, o format.Options) (*format.Model, []string, error)
}

// ReadingEach returns Models that read the model anew for each call, with this number of
// goroutines. A model that does not fit into the memory of the context, see [explain.WithMemory], is
// an error.
func ReadingEach(readers int) Models { return files{workers: readers} }

func (f files) Digest(ctx context.Context, j Job) (string, error) {
	if digest, made, err := j.specification().Digest(ctx); made {
		return digest, err
	}
	return Digest(ctx, j.Path)
}

// isMade reports whether a front end must make the model of a specification.
func (j Job) isMade() bool { return j.specification().Made() != "" }

// openUnmade reads a model, and refuses specifications.
func openUnmade(
	ctx context.Context,
	j *Job,
	o format.Options,
) (*format.Model, []string, error) {
	var none *frontend.Maker
	return none.Open(ctx, j.specification(), o)
}

// Model reads the model of a job from its file.
func (f files) Model(ctx context.Context, j Job) (*Model, error) {
	start := time.Now()
	if _, err := os.Stat(j.Path); err != nil {
		return nil, inputfile.FileError(j.Path, err) // the error has the path of the file
	}
	open := f.open
	if open == nil {
		open = openUnmade
	}
	read, warnings, err := open(ctx, &j, f.options(ctx, j))
	if err != nil {
		return nil, err
	}
	m := &Model{
		LTS:      read.LTS,
		States:   read.States,
		Warnings: warnings,
		Digest:   read.Digest,
		Outside:  read.Outside,
		file:     read.File,
	}
	if read.Format.Meaning != "" && j.TLA == nil {
		m.Unsettled = j.Model + ": " + read.Format.Meaning
	}
	m.Took = time.Since(start)
	return m, nil
}

// options returns how the model of a job is read.
func (f files) options(ctx context.Context, j Job) format.Options {
	o := format.Options{
		Name:    j.Model,
		Lenient: j.Options.Lenient,
		// TLC also writes states outside of the constraints of the specification; they are left out.
		Constrained: j.TLA != nil,
		Workers:     f.workers,
		Digest:      true,
		Admit: func(states, transitions int64) error {
			return footprint.Fits(footprint.Explaining, states, transitions,
				resources.LimitOf(ctx))
		},
	}
	if j.ChangesLabels() != "" {
		o.Changed = j.ChangedModel
	}
	if j.States == nil {
		o.States = j.aboutStates()
		return o
	}
	o.Values = func(numStates int) (*lts.Values, error) {
		return j.States.read(ctx, numStates)
	}
	return o
}

// modelKey identifies a model: a file, and the way in which it is read.
type modelKey struct {
	path    string
	lenient bool
	states  bool   // with the values of states
	table   string // the origin of the values, if it is not the model's file
	config  string // the configuration of TLC for the model, if it is named
	changes string // the rules that change its labels
	maker   string // the front end that makes the model, and its options
	// specified reports that the property is one of a TLA+ specification, so that the model has the
	// runs of the specification.
	specified bool
}

// mentionsStates matches formulas that compare a value, and formulas with a quantifier over runs, in
// which a bare name may be a value. It matches every formula about values of states, and few others.
var mentionsStates = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[=<>#\\]|\b[AE]\s*(\[|\(|[FGX]\b)`)
})

// aboutStates reports whether the formula of the job is about values of states.
func (j Job) aboutStates() bool {
	if j.TLA != nil {
		return true
	}
	if j.Automaton != nil || j.Modal || !mentionsStates().MatchString(j.Formula) {
		return false
	}
	f, err := j.readable()
	switch {
	case err != nil:
		return false
	case f.ofStates != nil:
		return f.ofStates.HasPredicates()
	}
	return len(values.AtomsOf(f.ofRuns)) > 0
}

// keyOf returns the key of a job's model. Jobs with equal keys can share one model in memory, since it is
// read for all of them in the same way.
func keyOf(j Job) modelKey {
	maker := append([]string{j.Options.FrontEnd}, j.Options.FrontEndOptions...)
	key := modelKey{
		path:      j.Path,
		lenient:   j.Options.Lenient,
		states:    j.States != nil || j.aboutStates(),
		config:    j.specification().Config,
		changes:   j.ChangesLabels(),
		maker:     strings.Join(maker, "\x00"),
		specified: j.TLA != nil,
	}
	if j.States != nil {
		key.table = j.States.Path
	}
	return key
}

// shared reads each model once, and holds it until release is called.
type shared struct {
	files
	mu      sync.Mutex
	models  map[modelKey]*stoppable.Once[Model]
	digests map[string]*digested
	// read are the files that models were made of, by their paths.
	read map[string][]readFile
}

// readFile is the state of a file when a model was made of it.
type readFile struct {
	job    Job
	file   fs.FileInfo
	digest string
}

func newShared(f files) *shared {
	return &shared{
		files:   f,
		models:  map[modelKey]*stoppable.Once[Model]{},
		digests: map[string]*digested{},
		read:    map[string][]readFile{},
	}
}

// Model returns the model of a job. Jobs with the same key share one model, which the first of them reads
// while the others wait.
func (s *shared) Model(ctx context.Context, j Job) (*Model, error) {
	key := keyOf(j)
	s.mu.Lock()
	once := s.models[key]
	if once == nil {
		once = &stoppable.Once[Model]{}
		s.models[key] = once
	}
	s.mu.Unlock()
	var took time.Duration // stays 0 if another job reads the model
	m, err := once.Do(ctx, func() (Model, error) {
		m, err := s.files.Model(ctx, j)
		if err != nil {
			return Model{}, err
		}
		took = m.Took
		m.Took = 0
		if m.file != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.read[j.Path] = append(s.read[j.Path], readFile{job: j, file: m.file, digest: m.Digest})
		}
		return *m, nil
	}, func(error) bool { return ctx.Err() == nil })
	if err != nil {
		return nil, err
	}
	m.Took = took
	return &m, nil
}

// changed returns the names of the models whose files have changed since they were read, as the
// jobs name the models, sorted; an included file of a specification counts, too. Removed files
// are not among them.
func (s *shared) changed(ctx context.Context) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for path, readings := range s.read {
		now, err := os.Stat(path)
		isRemoved := err != nil
		if isRemoved {
			continue
		}
		changed := slices.IndexFunc(readings, func(r readFile) bool {
			return !inputfile.Unchanged(r.file, now) || r.hasOtherSpecification(ctx)
		})
		if changed >= 0 {
			names = append(names, readings[changed].job.Model)
		}
	}
	slices.Sort(names)
	return names
}

// hasOtherSpecification reports whether the specification that the model was made of has changed.
func (r *readFile) hasOtherSpecification(ctx context.Context) bool {
	var digest string
	var isMade bool
	err := contained.Call(func() (err error) {
		digest, isMade, err = r.job.specification().Digest(ctx)
		return err
	})
	return isMade && err == nil && digest != r.digest
}

// release drops a model from memory.
func (s *shared) release(key modelKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.models, key)
}

// digested is the digest of a file, with the result of Stat before the file was hashed. The field
// file is nil until then.
type digested struct {
	hashing sync.Mutex
	file    fs.FileInfo
	sum     string
}

// Digest hashes a file anew only when it has changed.
func (s *shared) Digest(ctx context.Context, j Job) (string, error) {
	if j.isMade() {
		return s.files.Digest(ctx, j)
	}
	s.mu.Lock()
	d := s.digests[j.Path]
	if d == nil {
		d = &digested{}
		s.digests[j.Path] = d
	}
	s.mu.Unlock()
	d.hashing.Lock()
	defer d.hashing.Unlock()
	now, err := os.Stat(j.Path)
	if err != nil {
		return "", inputfile.FileError(j.Path, err)
	}
	if d.file == nil || !inputfile.Unchanged(d.file, now) {
		sum, err := Digest(ctx, j.Path)
		if err != nil {
			return "", err
		}
		d.file = now
		d.sum = sum
	}
	return d.sum, nil
}

// errMeasured stops the reader of a model once the header has been read.
var errMeasured = errors.New("the header is all that was wanted")

// measure returns the size in a model's header or, for other formats, an estimate from the length
// of the file; 0 for a file that cannot be read, whose error the job will report.
func measure(ctx context.Context, j Job) (states, transitions int64) {
	if j.isMade() {
		return 0, 0
	}
	if !format.Of(j.Path, nil).SaysSize() {
		info, err := os.Stat(j.Path)
		if err != nil {
			return 0, 0
		}
		const bytesATransition = 8
		transitions = info.Size() / bytesATransition
		return transitions / 2, transitions
	}
	// The progress of this reading is shown to nobody.
	_, _, _ = format.Open(progress.With(ctx, nil), j.Path, format.Options{
		Workers: 1,
		Admit: func(s, t int64) error {
			states = s
			transitions = t
			return errMeasured
		},
	})
	return states, transitions
}
