package batch

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/footprint"
)

// schedule hands out jobs, those of one model close to each other, within a budget
// of memory. A job for which too little is free waits, and jobs of other models go
// ahead meanwhile. Where nothing runs, the next job may go: whether it fits at all
// is found out when its model is read.
//
// Since a job that has been handed out has its memory, and all jobs that wait hold
// none, nobody waits for ever.
type schedule struct {
	// budget is 0 if there is none.
	budget  int64
	release func(modelKey)

	mu      sync.Mutex
	changed *sync.Cond
	groups  []*group // those with jobs to be handed out
	used    int64
	running int
	stopped bool
}

// group is the jobs of one model.
type group struct {
	key  modelKey
	jobs []Job // still to be handed out
	left int   // not done yet
	// held tells that the memory for the model is taken, opened that a job has been
	// done with it.
	held, opened bool
	// measured tells that the following are known: the size of the model, and the
	// memory that it takes once it is read.
	measured            bool
	states, transitions int64
	memory              int64
}

// turn is a job that was handed out, with the memory that it may take.
type turn struct {
	job    Job
	group  *group
	memory int64
}

// newSchedule plans jobs; release is called with each model that no job needs any
// more.
func newSchedule(jobs []Job, budget int64, release func(modelKey)) *schedule {
	s := &schedule{budget: budget, release: release}
	s.changed = sync.NewCond(&s.mu)
	of := map[modelKey]*group{}
	// Within a model, and between models by their first job, the larger priority comes first.
	byPriority := slices.Clone(jobs)
	slices.SortStableFunc(byPriority, func(a, b Job) int { return cmp.Compare(b.Priority, a.Priority) })
	for _, j := range byPriority {
		key := keyOf(j)
		g := of[key]
		if g == nil {
			g = &group{key: key}
			of[key] = g
			s.groups = append(s.groups, g)
		}
		g.jobs = append(g.jobs, j)
		g.left++
	}
	return s
}

// next waits for a job that can be done now; more is false if there is none any
// more, and once the schedule is stopped.
func (s *schedule) next(ctx context.Context) (t turn, more bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		if s.stopped || len(s.groups) == 0 {
			return turn{}, false
		}
		// Who would have to wait until another has read the model does something else,
		// if there is something.
		for _, waits := range []bool{false, true} {
			if i, fits := s.find(ctx, waits); fits {
				return s.take(ctx, i), true
			}
		}
		s.changed.Wait()
	}
}

// find returns the first group with a job that can be done now: among those of which
// the model is being read, or among the others.
func (s *schedule) find(ctx context.Context, beingRead bool) (i int, found bool) {
	for i, g := range s.groups {
		if (g.held && !g.opened) != beingRead {
			continue
		}
		if s.budget == 0 || s.running == 0 {
			return i, true
		}
		if need, _ := s.need(ctx, g); s.used+need <= s.budget {
			return i, true
		}
	}
	return 0, false
}

// take hands out the next job of a group.
func (s *schedule) take(ctx context.Context, i int) turn {
	g := s.groups[i]
	need, own := s.need(ctx, g)
	t := turn{g.jobs[0], g, own}
	if g.jobs = g.jobs[1:]; len(g.jobs) == 0 {
		s.groups = slices.Delete(s.groups, i, i+1)
	}
	g.held = true
	s.used += need
	s.running++
	return t
}

// need returns how much memory the next job of a group takes, and how much of that
// is the job's own.
func (s *schedule) need(ctx context.Context, g *group) (all, own int64) {
	if s.budget == 0 {
		return 0, 0
	}
	if !g.measured {
		g.states, g.transitions = measure(ctx, g.jobs[0])
		g.measured = true
	}
	g.memory, own = estimate(g.jobs[0], g.states, g.transitions)
	if g.held {
		return own, own
	}
	return own + g.memory, own
}

// estimate returns the memory that a model of this size takes once it is read, and what a
// job on it takes beside.
func estimate(j Job, states, transitions int64) (model, own int64) {
	nothing := footprint.Of(footprint.Loading, 0, 0).Usual
	model = footprint.Of(footprint.Loading, states, transitions).Usual - nothing
	own = footprint.Of(footprint.Explaining, states, transitions).Usual - nothing - model
	if j.Options.Unfold {
		// There may be a state for each state and number of steps done.
		own += int64(steps(j)) * (own + model)
	}
	return model, own
}

// Needs estimates how many bytes the job takes with its model, by the size that this
// declares or its file has; 0 for a model that cannot be read. Cost that of reading a
// header.
func (j Job) Needs(ctx context.Context) int64 {
	states, transitions := measure(ctx, j)
	if states == 0 {
		return 0
	}
	model, own := estimate(j, states, transitions)
	return model + own
}

// steps returns the number of steps of a job's property, at least 1.
func steps(j Job) int {
	if j.Automaton != nil {
		return 1
	}
	f, err := formula.Parse(context.Background(), j.Formula)
	if sized, is := f.(interface{ Len() int }); err == nil && is {
		return max(1, sized.Len())
	}
	return 1
}

// done gives back what a job had.
func (s *schedule) done(t turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
	s.used -= t.memory
	t.group.opened = true
	if t.group.left--; t.group.left == 0 {
		s.used -= t.group.memory
		s.release(t.group.key)
	}
	s.changed.Broadcast()
}

// stop lets nobody wait any more.
func (s *schedule) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.changed.Broadcast()
}
