package view

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
)

// run is what is drawn thick, ready to be looked up: a counterexample, or the
// union of all shortest ones.
type run struct {
	// trace is the counterexample; in a union the first of all, which a large
	// excerpt keeps to.
	trace *counterexample.Trace
	union *Union // nil where there is one counterexample only
	marks map[lts.Transition]Mark
	// states are those it passes, looping those that a step of its loop leaves.
	states, looping map[lts.State]bool
	loop            int // number of the step of trace with which the loop begins, 0 where there is none
	noReturn        int // number of the step that passes the point of no return, 0 where there is none
}

// union says what the transitions of a run belong to where there are many
// counterexamples. They have no step numbers and no point of no return, since
// each counterexample has its own.
type Union struct {
	Length      int // of each counterexample
	Transitions int // on at least one of them
}

// mark says how a transition is taken.
type Mark struct {
	// steps are the numbers, from 1, of the counterexample's steps that take it;
	// none in a union. A run given by another tool may take one more than once.
	Steps    []int
	Loop     bool // one of the steps belongs to the loop
	Closing  bool // the last step is the one that closes the loop
	NoReturn bool // one of the steps passes the point of no return
}

func emptyRun(t *counterexample.Trace) *run {
	r := &run{
		trace:   t,
		marks:   make(map[lts.Transition]Mark, t.Len()),
		states:  map[lts.State]bool{t.Initial(): true},
		looping: map[lts.State]bool{},
	}
	if start, ok := t.LoopStart(); ok {
		r.loop = start + 1
	}
	return r
}

func newRun(t *counterexample.Trace) *run {
	r := emptyRun(t)
	for i := range t.Len() {
		m := r.marks[t.Step(i)]
		m.Steps = append(m.Steps, i+1)
		m.Loop = r.loop > 0 && i+1 >= r.loop
		m.Closing = r.loop > 0 && i+1 == t.Len()
		r.take(t.Step(i), m)
	}
	return r
}

// newUnion returns the run that all counterexamples of f make together. It fails
// where they are not runs of m.
func newUnion(m *lts.LTS, f *counterexample.Family) (*run, error) {
	all, looping := f.Transitions()
	if !contains(m, all) {
		return nil, errors.New("diagram: the shortest counterexamples are those of another model; take the family of the model that was explained")
	}
	var r *run
	for t, err := range f.Each(context.Background()) { // the first takes a moment
		if err != nil {
			return nil, err
		}
		r = emptyRun(t)
		break
	}
	r.union = &Union{Length: f.Len(), Transitions: len(all)}
	for _, t := range all {
		r.take(t, Mark{})
	}
	for _, t := range looping {
		r.take(t, Mark{Loop: true})
	}
	return r, nil
}

// contains reports whether the transitions, in the order of m, are all of m.
func contains(m *lts.LTS, transitions []lts.Transition) bool {
	for len(transitions) > 0 {
		from := transitions[0].From
		if int(from) >= m.NumStates() {
			return false
		}
		labels, targets := m.Out(from)
		for i, to := range targets {
			if len(transitions) > 0 && transitions[0] == (lts.Transition{From: from, Label: labels[i], To: to}) {
				transitions = transitions[1:]
			}
		}
		if len(transitions) > 0 && transitions[0].From == from {
			return false
		}
	}
	return true
}

func (r *run) take(t lts.Transition, m Mark) {
	r.marks[t] = m
	r.states[t.From], r.states[t.To] = true, true
	if m.Loop {
		r.looping[t.From] = true
	}
}

// turn makes the step with this number the point of no return.
func (r *run) turn(number int) {
	r.noReturn = number
	t := r.trace.Step(number - 1)
	m := r.marks[t]
	m.NoReturn = true
	r.marks[t] = m
}
