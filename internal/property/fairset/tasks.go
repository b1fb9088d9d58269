// Package fairset refines sets of transitions that a run could take infinitely
// often by the tasks of a fairness assumption: it removes states that a fair run
// cannot visit forever. A task is enabled in a state if it is enabled there in
// the whole model, not only in the set.
//
// No state that is removed lies in a fair set of transitions within the set that was examined.
package fairset

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Tasks counts for each task how often a set of states enables and takes it. It
// is for one goroutine.
type Tasks struct {
	ctx      context.Context
	m        *lts.LTS
	fairness *property.Fairness
	parts    *scc.Parts
	strong   bool // whether some task is strong
	// isCopiedLoop reports whether a transition is a self-loop of the model.
	isCopiedLoop func(from, to lts.State) bool

	// tasks has the counts of the present set for each task; touched lists the
	// tasks that the set enables.
	tasks   []taskInSet
	touched []uint32
	present uint32 // the number of the present set
	// settled[l] is the number of the last set in which all tasks of label l are
	// taken, so that further transitions with label l need not be counted.
	settled []uint32
	// slow counts the sets that lost few states; peeled is nil until the first
	// peeling.
	slow   int
	peeled *peeled
}

// taskInSet has the counts of one set for a task; they are valid if set is the
// number of the present set.
type taskInSet struct {
	set     uint32
	taken   bool
	enabled int       // the number of states of the set that enable the task; not counted for a task that is taken
	last    lts.State // the last state that was counted
}

// NewTasks returns counts for the tasks of f in m; parts searches m. If the
// states of m are copies of the states of another model, stays reports whether a
// transition of m is a self-loop there; otherwise it is nil. It fails if the
// budget of ctx is used up. Cost O(tasks + labels).
func NewTasks(
	ctx context.Context,
	m *lts.LTS,
	f *property.Fairness,
	parts *scc.Parts,
	stays func(from, to lts.State) bool,
) (*Tasks, error) {
	n := len(f.Tasks())
	if err := resources.AskFor[taskInSet](ctx, n); err != nil {
		return nil, err
	}
	settled, err := resources.Make[uint32](ctx, m.Alphabet().Len())
	if err != nil {
		return nil, err
	}
	x := &Tasks{
		ctx:          ctx,
		m:            m,
		fairness:     f,
		parts:        parts,
		isCopiedLoop: stays,
		tasks:        make([]taskInSet, n),
		settled:      settled,
	}
	x.strong = slices.ContainsFunc(f.Tasks(), func(t property.Task) bool {
		return t.Strong
	})
	return x, nil
}

// isLoop reports whether a transition is a self-loop of the original model.
func (x *Tasks) isLoop(from, to lts.State) bool {
	return from == to || x.isCopiedLoop != nil && x.isCopiedLoop(from, to)
}

// WithoutHidden returns the states without those that enable a strong task which cannot be taken:
// all labels of the task, and all labels that interfere with the task, are hidden. A set with a
// state that enables such a task is not fair. It fails if the context is done. Cost O(S + T) of the
// states.
func (x *Tasks) WithoutHidden(
	states []lts.State,
	hidden bitset.Set[lts.Label],
) ([]lts.State, error) {
	if !x.strong {
		return states, nil
	}
	x.present++
	taken := func(k uint32) bool {
		t := &x.tasks[k]
		if t.set != x.present {
			*t = taskInSet{set: x.present}
			t.taken = x.fairness.SomeMeeting(k, func(l lts.Label) bool {
				return !hidden.Has(l)
			})
		}
		return t.taken
	}
	firstRemoved := 0
	for firstRemoved < len(states) && !x.neglects(states[firstRemoved], hidden, taken) {
		firstRemoved++
	}
	if firstRemoved == len(states) {
		return states, nil
	}
	remaining := append(make([]lts.State, 0, len(states)-1), states[:firstRemoved]...)
	for i, s := range states[firstRemoved+1:] {
		if i%16384 == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		if !x.neglects(s, hidden, taken) {
			remaining = append(remaining, s)
		}
	}
	return remaining, nil
}

// neglects reports whether state s enables, by a transition with a hidden label, a strong task that
// is not taken. If hidden is nil, transitions with any label count.
func (x *Tasks) neglects(
	s lts.State,
	hidden bitset.Set[lts.Label],
	taken func(task uint32) bool,
) bool {
	labels, targets := x.m.Out(s)
	for j, to := range targets {
		l := labels.At(j)
		if hidden != nil && !hidden.Has(l) {
			continue
		}
		for _, k := range x.fairness.TasksOf(l) {
			t := &x.fairness.Tasks()[k]
			if t.Strong && !(t.Nonstuttering && x.isLoop(s, to)) && !taken(k) {
				return true
			}
		}
	}
	return false
}

// Count counts which tasks a set takes by those transitions between its states
// for which isVisible returns true, and in how many of its states the model enables
// them. It reports whether the set has such transitions. Cost O(S + T) of the
// set, times the tasks of a label.
func (x *Tasks) Count(
	set []lts.State,
	isVisible func(from lts.State, l lts.Label, to lts.State) bool,
) bool {
	x.parts.Enter(set)
	x.present++
	x.touched = x.touched[:0]
	hasTransitions := false
	for _, s := range set {
		labels, targets := x.m.Out(s)
		for j, to := range targets {
			if x.settled[labels.At(j)] == x.present {
				continue
			}
			staysInSet := x.parts.Has(to) && isVisible(s, labels.At(j), to)
			hasTransitions = hasTransitions || staysInSet
			isSettled := x.count(s, labels.At(j), to, staysInSet)
			if isSettled && hasTransitions {
				x.settled[labels.At(j)] = x.present
			}
		}
	}
	return hasTransitions
}

// count counts a transition for the tasks of its label. It reports whether further transitions with
// this label need not be counted in this set: all tasks of the label are taken and, with justness, all
// tasks that the label interferes with. It reports false for a transition that a task leaves out as a
// self-loop, and with justness for one that leaves the set.
func (x *Tasks) count(s lts.State, l lts.Label, to lts.State, staysInSet bool) (isSettled bool) {
	isJust := x.fairness.Justness() != nil
	isSettled = staysInSet || !isJust
	for _, k := range x.fairness.TasksOf(l) {
		leavesOut := x.fairness.Tasks()[k].Nonstuttering && x.isLoop(s, to)
		if leavesOut {
			isSettled = false
			continue
		}
		t := x.countsOf(k)
		t.taken = t.taken || staysInSet
		if t.last != s {
			t.last = s
			t.enabled++
		}
		isSettled = isSettled && t.taken
	}
	if staysInSet && isJust {
		// MetBy includes the tasks of justness with which the transition interferes.
		for _, k := range x.fairness.MetBy(l) {
			leavesOut := x.fairness.Tasks()[k].Nonstuttering && x.isLoop(s, to)
			if !leavesOut {
				x.countsOf(k).taken = true
			}
		}
	}
	return isSettled
}

// countsOf returns the counts of a task, which is then listed.
func (x *Tasks) countsOf(k uint32) *taskInSet {
	t := &x.tasks[k]
	if t.set != x.present {
		*t = taskInSet{set: x.present, last: lts.MaxStates}
		x.touched = append(x.touched, k)
	}
	return t
}

// Refine removes from the set counted last, which must be strongly connected, the states that
// enable a strong task that the set does not take, and returns the others. isGivenUp reports that the
// set is given up: all of its states enable a weak task that it does not take, so that no subset is
// fair. A set that loses no state is fair. Cost O(S + T) of the set.
func (x *Tasks) Refine(set []lts.State) (remaining []lts.State, isGivenUp bool) {
	everywhere, strong := x.Neglected(set)
	switch {
	case len(everywhere) > 0:
		return nil, true
	case len(strong) == 0:
		return set, false
	}
	for _, s := range set {
		if !x.neglects(s, nil, x.takes) {
			remaining = append(remaining, s)
		}
	}
	return remaining, false
}

// Neglected returns, ascending, tasks that the set counted last does not take:
// those enabled in all of its states, and strong ones enabled in some. Cost O(k
// log k) for k tasks that the set enables.
func (x *Tasks) Neglected(set []lts.State) (everywhere, strong []uint32) {
	for _, k := range x.touched {
		t := &x.tasks[k]
		if t.taken {
			continue
		}
		if t.enabled == len(set) {
			everywhere = append(everywhere, k)
		}
		if x.fairness.Tasks()[k].Strong {
			strong = append(strong, k)
		}
	}
	slices.Sort(everywhere)
	slices.Sort(strong)
	return everywhere, strong
}

// takes reports whether the set counted last takes a task.
func (x *Tasks) takes(task uint32) bool { return x.tasks[task].taken }

// patience is the number of sets that may lose less than half of their states before a peeling
// starts. Usually only one or two sets do so, and predecessor rows are not worth building for
// these.
const patience = 4

// Shrink returns the states that remain of a set after [Tasks.Refine] and [Tasks.Turns], and
// whether Refine gives the set up. The set must have been counted last, with the same argument
// isVisible. It fails if the context is done. Cost as of Turns.
func (x *Tasks) Shrink(
	set []lts.State,
	isVisible func(from lts.State, l lts.Label, to lts.State) bool,
) (remaining []lts.State, isGivenUp bool, err error) {
	remaining, isGivenUp = x.Refine(set)
	if isGivenUp || len(remaining) == len(set) {
		return remaining, isGivenUp, nil
	}
	_, remaining, err = x.Turns(set, isVisible)
	return remaining, false, err
}

// Turn is a round of a peeling: states that are removed from a set together.
type Turn struct {
	// Tasks are strong tasks, ascending, that no transition between the remaining
	// states takes.
	Tasks []uint32
	// Gone are the remaining states that enable one of these tasks.
	Gone []lts.State
	// Ends are states without a successor, Begins states without a predecessor,
	// among the states that remain after the removal of Gone and of the states
	// listed before them.
	Ends, Begins []lts.State
}

// Turns removes, from the set that was counted last with the same argument isVisible,
// the states that enable strong tasks that the set does not take. If several sets
// have lost few states, it also removes the consequences, without another search
// for components: states without predecessor or successor in the set and, in
// further turns, states that enable a strong task that the remaining states never
// take. remaining keeps the order of the set. It fails if the context is done. Cost
// O(S + T) of the set, times the tasks of a label, and the predecessors of the
// model.
func (x *Tasks) Turns(
	set []lts.State,
	isVisible func(from lts.State, l lts.Label, to lts.State) bool,
) (turns []Turn, remaining []lts.State, err error) {
	first := Turn{}
	_, first.Tasks = x.Neglected(set)
	for _, s := range set {
		if x.neglects(s, nil, x.takes) {
			first.Gone = append(first.Gone, s)
		} else {
			remaining = append(remaining, s)
		}
	}
	hasLostMany := 2*len(remaining) < len(set)
	if hasLostMany || len(first.Gone) == 0 {
		return []Turn{first}, remaining, nil
	}
	x.slow++
	if x.slow <= patience {
		return []Turn{first}, remaining, nil
	}
	if err := x.m.FindPredecessors(x.ctx); err != nil {
		// Without memory for predecessor rows, the caller finds further turns by searches for components.
		return []Turn{first}, remaining, x.ctx.Err()
	}
	p, err := x.newPeeling(set, isVisible)
	if err != nil {
		return []Turn{first}, remaining, x.ctx.Err()
	}
	p.idle = first.Tasks
	for len(p.idle) > 0 && x.ctx.Err() == nil {
		p.turn()
	}
	return p.turns, p.remaining(set), x.ctx.Err()
}

// peeling removes states from a set, until only those in peeled.remaining are left.
type peeling struct {
	*Tasks
	isVisible func(lts.State, lts.Label, lts.State) bool
	// enabling[first:end] are the states that enable a strong task, where first
	// and end are those of the task in [peeled].
	enabling []lts.State
	waiting  []lts.State // states without transitions in or out, still to be removed
	idle     []uint32    // strong tasks that no remaining transition takes any more
	turns    []Turn
}

// peeled is the memory of a peeling about states and tasks. Between two peelings,
// remaining and isLeaving are empty.
type peeled struct {
	remaining, isLeaving bitset.Set[lts.State]
	// degrees[s] counts the transitions between remaining states into s and out
	// of it.
	degrees []struct{ in, out uint32 }
	// tasks[k].takes counts the transitions between remaining states that take
	// task k. enabling[first:end] of the peeling are the states that enable it.
	tasks []struct{ takes, first, end int }
}

// newPeeling begins a peeling of a set.
func (x *Tasks) newPeeling(
	set []lts.State,
	isVisible func(lts.State, lts.Label, lts.State) bool,
) (*peeling, error) {
	if x.peeled == nil {
		n := x.m.NumStates()
		if err := resources.Ask(x.ctx, 9*int64(n)+24*int64(len(x.tasks))); err != nil {
			return nil, err
		}
		x.peeled = &peeled{remaining: bitset.New[lts.State](n), isLeaving: bitset.New[lts.State](n)}
		x.peeled.degrees = make([]struct{ in, out uint32 }, n)
		x.peeled.tasks = make([]struct{ takes, first, end int }, len(x.tasks))
	}
	p := &peeling{Tasks: x, isVisible: isVisible}
	p.countTransitions(set)
	if err := p.listEnabling(set); err != nil {
		p.remaining(set)
		return nil, err
	}
	return p, nil
}

// countTransitions makes the states of a set the remaining ones, and counts their transitions. Until
// listEnabling has run, the field end of a task counts the transitions that enable it.
func (p *peeling) countTransitions(set []lts.State) {
	for _, k := range p.touched {
		p.peeled.tasks[k] = struct{ takes, first, end int }{}
	}
	for _, s := range set {
		p.peeled.remaining.Add(s)
		p.peeled.degrees[s] = struct{ in, out uint32 }{}
	}
	for _, s := range set {
		labels, targets := p.m.Out(s)
		for j, to := range targets {
			l := labels.At(j)
			p.eachEnabled(s, l, to, func(k uint32) { p.peeled.tasks[k].end++ })
			if p.isRemaining(s, l, to) {
				p.peeled.degrees[s].out++
				p.peeled.degrees[to].in++
				p.eachTaken(s, l, to, func(k uint32) {
					p.peeled.tasks[k].takes++
				})
			}
		}
	}
}

// listEnabling lists the states that enable each task, one task after the other.
func (p *peeling) listEnabling(set []lts.State) error {
	size := 0
	for _, k := range p.touched {
		t := &p.peeled.tasks[k]
		t.first = size
		size += t.end
		t.end = t.first
	}
	if err := resources.AskFor[lts.State](p.ctx, size); err != nil {
		return err
	}
	p.enabling = make([]lts.State, size)
	for _, s := range set {
		labels, targets := p.m.Out(s)
		for j, to := range targets {
			p.eachEnabled(s, labels.At(j), to, func(k uint32) {
				t := &p.peeled.tasks[k]
				p.enabling[t.end] = s
				t.end++
			})
		}
	}
	return nil
}

// isRemaining reports whether a transition leads between remaining states and is visible.
func (p *peeling) isRemaining(from lts.State, l lts.Label, to lts.State) bool {
	return p.peeled.remaining.Has(from) && p.peeled.remaining.Has(to) && p.isVisible(from, l, to)
}

// eachEnabled calls yield with the strong tasks that a transition enables.
func (p *peeling) eachEnabled(from lts.State, l lts.Label, to lts.State, yield func(k uint32)) {
	for _, k := range p.fairness.TasksOf(l) {
		t := &p.fairness.Tasks()[k]
		if t.Strong && !(t.Nonstuttering && p.isLoop(from, to)) {
			yield(k)
		}
	}
}

// eachTaken calls yield with the strong tasks that a transition takes or interferes with.
func (p *peeling) eachTaken(from lts.State, l lts.Label, to lts.State, yield func(k uint32)) {
	p.eachEnabled(from, l, to, yield)
	if p.fairness.Justness() == nil {
		return
	}
	for _, k := range p.fairness.MetBy(l) {
		t := &p.fairness.Tasks()[k]
		if t.Strong && !(t.Nonstuttering && p.isLoop(from, to)) {
			yield(k)
		}
	}
}

// turn removes the states that enable idle tasks, and then those without
// predecessor or successor; it stops when the context is done.
func (p *peeling) turn() {
	t := p.nextTurn()
	if len(t.Gone) == 0 {
		return
	}
	for _, s := range t.Gone {
		p.removeState(s)
	}
	for work := 0; len(p.waiting) > 0; work++ {
		if work%16384 == 0 && p.ctx.Err() != nil {
			return
		}
		s := p.waiting[len(p.waiting)-1]
		p.waiting = p.waiting[:len(p.waiting)-1]
		if p.peeled.degrees[s].out == 0 {
			t.Ends = append(t.Ends, s)
		} else {
			t.Begins = append(t.Begins, s)
		}
		p.removeState(s)
	}
	p.turns = append(p.turns, t)
}

// nextTurn returns a turn with the idle tasks that remaining states enable, and with these states.
func (p *peeling) nextTurn() (t Turn) {
	tasks := p.idle
	p.idle = nil
	slices.Sort(tasks)
	for _, k := range tasks {
		enabling := p.peeled.tasks[k]
		isFound := false
		for _, s := range p.enabling[enabling.first:enabling.end] {
			if !p.peeled.remaining.Has(s) {
				continue
			}
			isFound = true
			if !p.peeled.isLeaving.Has(s) {
				p.peeled.isLeaving.Add(s)
				t.Gone = append(t.Gone, s)
			}
		}
		if isFound {
			t.Tasks = append(t.Tasks, k)
		}
	}
	return t
}

// removeState removes a state and its transitions.
func (p *peeling) removeState(s lts.State) {
	labels, targets := p.m.Out(s)
	for j, to := range targets {
		if p.isRemaining(s, labels.At(j), to) {
			p.removeTransition(s, labels.At(j), to)
		}
	}
	p.peeled.remaining.Remove(s)
	labels, sources := p.m.Predecessors().In(s)
	for j, from := range sources {
		if p.peeled.remaining.Has(from) && p.isVisible(from, labels.At(j), s) {
			p.removeTransition(from, labels.At(j), s)
		}
	}
}

// removeTransition removes a transition. A state that loses its last transition in or out
// starts to wait, and a task that is no longer taken becomes idle.
func (p *peeling) removeTransition(from lts.State, l lts.Label, to lts.State) {
	p.peeled.degrees[from].out--
	p.peeled.degrees[to].in--
	p.queueIfZero(from, p.peeled.degrees[from].out)
	p.queueIfZero(to, p.peeled.degrees[to].in)
	p.eachTaken(from, l, to, func(k uint32) {
		p.peeled.tasks[k].takes--
		if p.peeled.tasks[k].takes == 0 {
			p.idle = append(p.idle, k)
		}
	})
}

// queueIfZero puts a state on the waiting list if degree, its number of transitions in
// or out, is 0.
func (p *peeling) queueIfZero(s lts.State, degree uint32) {
	if degree == 0 && !p.peeled.isLeaving.Has(s) {
		p.peeled.isLeaving.Add(s)
		p.waiting = append(p.waiting, s)
	}
}

// remaining returns the remaining states of a set, and clears the memory for the
// next one.
func (p *peeling) remaining(set []lts.State) (left []lts.State) {
	for _, s := range set {
		if p.peeled.remaining.Has(s) {
			left = append(left, s)
		}
		p.peeled.remaining.Remove(s)
		p.peeled.isLeaving.Remove(s)
	}
	return left
}
