package view

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// run is the counterexample, or the union of all shortest ones, indexed by states: the thick arrows
// of a picture.
//
// The invariant that holds inside: it takes 8 bytes for each step, since a counterexample can have
// millions of steps.
type run struct {
	// trace is the counterexample; of a union, the first one, which an excerpt follows.
	trace    *counterexample.Trace
	steps    steps
	together *family // nil if there is only one counterexample
	loop     int     // the number of the first step of the loop of trace, 0 if there is none
	noReturn int     // the number of the step that passes the point of no return, 0 if there is none
}

// steps are the steps of a run, sorted. The upper half of a number is the state that the step
// leaves, the lower half the index of the step.
type steps []uint64

func stepsOf(t *counterexample.Trace) steps {
	all := make(steps, t.Len())
	for i := range all {
		all[i] = uint64(t.Step(i).From)<<32 | uint64(i)
	}
	slices.Sort(all)
	return all
}

// leaving returns the steps that leave a state. Cost O(log n).
func (s steps) leaving(state lts.State) steps {
	from, _ := slices.BinarySearch(s, uint64(state)<<32)
	to, _ := slices.BinarySearch(s, (uint64(state)+1)<<32)
	return s[from:to]
}

// index returns the index of the step at this position.
func (s steps) index(at int) int { return int(uint32(s[at])) }

// family is the union of all shortest counterexamples: all transitions, those on loops, all states,
// and those on loops; each list is ascending.
type family struct {
	Union
	transitions, loops []lts.Transition
	states, looping    []lts.State
}

// Union is a union of counterexamples. Its transitions have no step numbers and it has no point of
// no return: these differ among the counterexamples.
type Union struct {
	Length      int // of each counterexample
	Transitions int // the number of transitions on at least one counterexample
}

// Mark is the role of a transition in the run.
type Mark struct {
	// Steps are the numbers, from 1, of the steps of the counterexample that take the transition;
	// none in a union. A run from another tool may take a transition several times.
	Steps    []int
	Loop     bool // whether one of the steps belongs to the loop
	Closing  bool // whether the last step closes the loop
	NoReturn bool // whether one of the steps passes the point of no return
	// Return is the number of the step that passes the point of no return, if the arrow has several
	// steps; 0 otherwise.
	Return int
}

// newRun returns a counterexample, indexed. Cost O(n log n) for n steps, O(n) if their states
// ascend.
func newRun(t *counterexample.Trace) *run {
	r := &run{trace: t, steps: stepsOf(t)}
	if start, ok := t.LoopStart(); ok {
		r.loop = start + 1
	}
	return r
}

// newUnion returns the union f, indexed. It fails if a counterexample is no run of m, or if ctx is
// done.
func newUnion(ctx context.Context, m *lts.LTS, f *counterexample.Family) *run {
	all, loops := f.Transitions()
	if !contains(m, all) {
		abort.On(errors.New("diagram: the shortest counterexamples are those of another model; take the family of the model that was explained"))
	}
	var r *run
	for t, err := range f.Each(ctx) {
		abort.On(err)
		r = newRun(t)
		break
	}
	u := &family{Union: Union{Length: f.Len(), Transitions: len(all)}, transitions: all, loops: loops}
	u.states = append(u.states, r.trace.Initial())
	for _, t := range all {
		u.states = append(u.states, t.From, t.To)
	}
	for _, t := range loops {
		u.looping = append(u.looping, t.From)
	}
	slices.SortFunc(u.transitions, ascending)
	slices.SortFunc(u.loops, ascending)
	slices.Sort(u.states)
	slices.Sort(u.looping)
	r.together = u
	return r
}

// contains reports whether all of the transitions, which are sorted as in m, are transitions of m.
func contains(m *lts.LTS, transitions []lts.Transition) bool {
	for len(transitions) > 0 {
		from := transitions[0].From
		if int(from) >= m.NumStates() {
			return false
		}
		labels, targets := m.Out(from)
		for i, to := range targets {
			if len(transitions) > 0 && transitions[0] == (lts.Transition{From: from, Label: labels.At(i), To: to}) {
				transitions = transitions[1:]
			}
		}
		if len(transitions) > 0 && transitions[0].From == from {
			return false
		}
	}
	return true
}

func isIn(t lts.Transition, sorted []lts.Transition) bool {
	_, is := slices.BinarySearchFunc(sorted, t, ascending)
	return is
}

// takes reports whether some counterexample takes t.
func (r *run) takes(t lts.Transition) bool {
	if r.together != nil {
		return isIn(t, r.together.transitions)
	}
	return r.leads(t)
}

// leads reports whether trace takes t.
func (r *run) leads(t lts.Transition) bool {
	leaving := r.steps.leaving(t.From)
	for i := range leaving {
		if r.trace.Step(leaving.index(i)) == t {
			return true
		}
	}
	return false
}

// mark returns the role of t in the run; false if the run does not take t. Cost: finding t, and its
// steps.
func (r *run) mark(t lts.Transition) (m Mark, on bool) {
	if r.together != nil {
		return Mark{Loop: isIn(t, r.together.loops)}, isIn(t, r.together.transitions)
	}
	leaving := r.steps.leaving(t.From)
	for i := range leaving {
		at := leaving.index(i)
		if r.trace.Step(at) == t {
			m.Steps = append(m.Steps, at+1)
			m.Loop = r.loop > 0 && at+1 >= r.loop
			m.Closing = r.loop > 0 && at+1 == r.trace.Len()
			m.NoReturn = m.NoReturn || at+1 == r.noReturn
		}
	}
	return m, len(m.Steps) > 0
}

// visits reports whether some counterexample visits a state.
func (r *run) visits(state lts.State) bool {
	if r.together != nil {
		_, is := slices.BinarySearch(r.together.states, state)
		return is
	}
	return state == r.trace.Last() || len(r.steps.leaving(state)) > 0
}

// loops reports whether a step of a loop leaves a state.
func (r *run) loops(state lts.State) bool {
	if r.together != nil {
		_, is := slices.BinarySearch(r.together.looping, state)
		return is
	}
	leaving := r.steps.leaving(state)
	last := len(leaving) - 1
	return last >= 0 && r.loop > 0 && leaving.index(last)+1 >= r.loop
}
