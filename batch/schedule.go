package batch

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/footprint"
)

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
func (s *schedule) memoryFor(ctx context.Context, g *group) (all, ofJob int64) {
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
	g.memory, ofJob = estimate(g.jobs[0], g.states, g.transitions)
	if g.held {
		return ofJob, ofJob
	}
	return ofJob + g.memory, ofJob
}

// estimate returns the memory of a model of this size, and the additional memory of a job on it, in
// bytes.
func estimate(j Job, states, transitions int64) (model, ofJob int64) {
	nothing := footprint.Of(footprint.Loading, 0, 0).Usual
	model = footprint.Of(footprint.Loading, states, transitions).Usual - nothing
	ofJob = footprint.Of(footprint.Explaining, states, transitions).Usual - nothing - model
	if j.Options.Unfold {
		// The unfolded model has at most one state for each state and each number of steps done.
		ofJob += int64(steps(j)) * (ofJob + model)
	}
	return model, ofJob
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
