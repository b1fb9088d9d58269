// Package fairset refines sets of transitions that a run could take infinitely
// often by the tasks of a fairness assumption: it removes states that a fair run
// cannot visit for ever. A task is enabled in a state if it is enabled there in
// the whole model, not only in the set.
//
// The invariant that holds inside: no state that is removed lies in a fair set of
// transitions within the set that was examined.
package fairset

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Tasks counts for each task how often a set of states enables and takes it. It
// is for one goroutine.
type Tasks struct {
	ctx    context.Context
	m      *lts.LTS
	f      *property.Fairness
	parts  *scc.Parts
	strong bool // whether some task is strong
	// stays reports whether a transition is a self-loop of the model.
	stays func(from, to lts.State) bool

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
func NewTasks(ctx context.Context, m *lts.LTS, f *property.Fairness, parts *scc.Parts, stays func(from, to lts.State) bool) (*Tasks, error) {
	n := len(f.Tasks())
	if err := resources.AskFor[taskInSet](ctx, n); err != nil {
		return nil, err
	}
	settled, err := resources.Make[uint32](ctx, m.Alphabet().Len())
	if err != nil {
		return nil, err
	}
	x := &Tasks{ctx: ctx, m: m, f: f, parts: parts, stays: stays, tasks: make([]taskInSet, n), settled: settled}
	x.strong = slices.ContainsFunc(f.Tasks(), func(t property.Task) bool { return t.Strong })
	return x, nil
}

// isLoop reports whether a transition is a self-loop of the original model.
func (x *Tasks) isLoop(from, to lts.State) bool {
	return from == to || x.stays != nil && x.stays(from, to)
}

// WithoutHidden returns the states that enable no untakable strong task: one
// whose labels, and all labels that interfere with it, are hidden. A set with a
// state that enables such a task is not fair. It fails if the context is done.
// Cost O(S + T) of the states.
func (x *Tasks) WithoutHidden(states []lts.State, hidden bitset.Set[lts.Label]) ([]lts.State, error) {
	if !x.strong {
		return states, nil
	}
	x.present++
	taken := func(k uint32) bool {
		t := &x.tasks[k]
		if t.set != x.present {
			*t = taskInSet{set: x.present}
			t.taken = x.f.SomeMeeting(k, func(l lts.Label) bool { return !hidden.Has(l) })
		}
		return t.taken
	}
	same := 0
	for same < len(states) && !x.missesHidden(states[same], hidden, taken) {
		same++
	}
	if same == len(states) {
		return states, nil
	}
	left := slices.Clone(states[:same])
	for i, s := range states[same+1:] {
		if i&(1<<14-1) == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		if !x.missesHidden(s, hidden, taken) {
			left = append(left, s)
		}
	}
	return left, nil
}

// missesHidden reports whether a hidden label enables in s a strong task that is
// not taken.
func (x *Tasks) missesHidden(s lts.State, hidden bitset.Set[lts.Label], taken func(task uint32) bool) bool {
	labels, targets := x.m.Out(s)
	for j := range labels.Len() {
		l := labels.At(j)
		if !hidden.Has(l) {
			continue
		}
		for _, k := range x.f.TasksOf(l) {
			if t := &x.f.Tasks()[k]; t.Strong && !(t.Nonstuttering && x.isLoop(s, targets[j])) && !taken(k) {
				return true
			}
		}
	}
	return false
}

// Count counts which tasks a set takes by those transitions between its states
// for which shows returns true, and in how many of its states the model enables
// them. It reports whether the set has such transitions. Cost O(S + T) of the
// set, times the tasks of a label.
func (x *Tasks) Count(set []lts.State, shows func(from lts.State, l lts.Label, to lts.State) bool) bool {
	x.parts.Enter(set)
	x.present++
	x.touched = x.touched[:0]
	some := false
	for _, s := range set {
		labels, targets := x.m.Out(s)
		for j, to := range targets {
			if x.settled[labels.At(j)] == x.present {
				continue
			}
			inside := x.parts.Has(to) && shows(s, labels.At(j), to)
			some = some || inside
			if all := x.count(s, labels.At(j), to, inside); all && some {
				x.settled[labels.At(j)] = x.present
			}
		}
	}
	return some
}

// count counts a transition for the tasks of its label, and reports whether all
// of these, and all tasks that it interferes with, are taken.
func (x *Tasks) count(s lts.State, l lts.Label, to lts.State, inside bool) (all bool) {
	all = inside || x.f.Justness() == nil
	for _, k := range x.f.TasksOf(l) {
		if x.f.Tasks()[k].Nonstuttering && x.isLoop(s, to) {
			all = false
			continue
		}
		t := &x.tasks[k]
		if t.set != x.present {
			*t = taskInSet{set: x.present, last: lts.MaxStates}
			x.touched = append(x.touched, k)
		}
		t.taken = t.taken || inside
		if t.last != s {
			t.last = s
			t.enabled++
		}
		all = all && t.taken
	}
	if inside && x.f.Justness() != nil {
		x.interfere(s, l, to)
	}
	return all
}

// interfere notes the tasks of justness with which a transition within the set
// interferes.
func (x *Tasks) interfere(s lts.State, l lts.Label, to lts.State) {
	for _, k := range x.f.MetBy(l) {
		t := &x.tasks[k]
		if x.f.Tasks()[k].Nonstuttering && x.isLoop(s, to) {
			continue
		}
		if t.set != x.present {
			*t = taskInSet{set: x.present, last: lts.MaxStates}
			x.touched = append(x.touched, k)
		}
		t.taken = true
	}
}

// Refine returns the states of the set counted last, which must be strongly
// connected, that enable no strong task that the set does not take. given reports
// that the set is given up: all of its states enable a weak task that it does not
// take, so that no subset is fair. A set that loses no state is fair. Cost O(S +
// T) of the set.
func (x *Tasks) Refine(set []lts.State) (left []lts.State, given bool) {
	bad := false
	for _, k := range x.touched {
		t := &x.tasks[k]
		if t.taken {
			continue
		}
		if t.enabled == len(set) {
			return nil, true
		}
		bad = bad || x.f.Tasks()[k].Strong
	}
	if !bad {
		return set, false
	}
	for _, s := range set {
		if !x.neglects(s) {
			left = append(left, s)
		}
	}
	return left, false
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
		if x.f.Tasks()[k].Strong {
			strong = append(strong, k)
		}
	}
	slices.Sort(everywhere)
	slices.Sort(strong)
	return everywhere, strong
}

// neglects reports whether s enables a strong task that the present set does not
// take.
func (x *Tasks) neglects(s lts.State) bool {
	labels, targets := x.m.Out(s)
	for j := range labels.Len() {
		l := labels.At(j)
		for _, k := range x.f.TasksOf(l) {
			t := &x.f.Tasks()[k]
			if t.Strong && !x.tasks[k].taken && !(t.Nonstuttering && x.isLoop(s, targets[j])) {
				return true
			}
		}
	}
	return false
}
