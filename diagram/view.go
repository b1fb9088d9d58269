package diagram

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// subject is what a picture is about.
type subject struct {
	m       *lts.LTS
	classes *neighbourhood.Map // nil where no classes are known
	run     *run               // nil where there is no counterexample
}

// run is a counterexample, ready to be looked up.
type run struct {
	trace *counterexample.Trace
	// steps are the numbers, from 1, of the steps that take a transition. A run
	// given by another tool may take one more than once.
	steps    map[lts.Transition][]int
	states   map[lts.State]bool
	loop     int // number of the step with which the loop begins, 0 where there is none
	noReturn int // number of the step that passes the point of no return, 0 where there is none
}

func subjectOf(e *explain.Explanation) subject {
	s := subject{m: e.LTS(), classes: e.Map()}
	if t := e.Trace(); t != nil {
		s.run = newRun(t)
		if e.PointOfNoReturn != nil {
			s.run.noReturn = e.PointOfNoReturn.Step + 1
		}
	}
	return s
}

func newRun(t *counterexample.Trace) *run {
	r := &run{
		trace:  t,
		steps:  make(map[lts.Transition][]int, t.Len()),
		states: map[lts.State]bool{t.Initial(): true},
	}
	for i := range t.Len() {
		step := t.Step(i)
		r.steps[step] = append(r.steps[step], i+1)
		r.states[step.To] = true
	}
	if start, ok := t.LoopStart(); ok {
		r.loop = start + 1
	}
	return r
}

// takes returns the numbers of the steps of the counterexample that take t.
func (s *subject) takes(t lts.Transition) []int {
	if s.run == nil {
		return nil
	}
	return s.run.steps[t]
}

func (s *subject) visits(state lts.State) bool { return s.run != nil && s.run.states[state] }

// class returns the class of t, Neutral where none is known.
func (s *subject) class(t lts.Transition) neighbourhood.Class {
	if s.classes == nil {
		return neighbourhood.Neutral
	}
	return s.classes.Class(t.From, t.Label, t.To)
}

// kind returns the kind of the neighbourhood at a state, 0 where it is none.
func (s *subject) kind(state lts.State) neighbourhood.Kind {
	if s.classes == nil {
		return 0
	}
	kind, _ := s.classes.Kind(state)
	return kind
}

// out returns the transitions that leave a state, in the order of the model.
func (s *subject) out(from lts.State) []lts.Transition {
	labels, targets := s.m.Out(from)
	out := make([]lts.Transition, len(targets))
	for i, to := range targets {
		out[i] = lts.Transition{From: from, Label: labels[i], To: to}
	}
	return out
}

// in returns the reachable transitions that enter a state from others, in the
// order of the model.
func (s *subject) in(to lts.State) []lts.Transition {
	return slices.DeleteFunc(s.m.Incoming(to), func(t lts.Transition) bool { return t.From == to })
}

// selection says which states and transitions of a subject are shown. Both ends
// of a shown transition are shown.
type selection struct {
	subject
	whole bool // every transition is shown, and transitions stays empty
	// order holds the shown states in the order in which they are drawn, which
	// Graphviz takes as a hint.
	order       []lts.State
	states      map[lts.State]bool
	transitions map[lts.Transition]bool
	gaps        []gap
	// entered are the states whose incoming transitions are shown too, ascending.
	entered []lts.State
	// room is the number of transitions beside the counterexample that an excerpt
	// can still take in.
	room int
}

// gap stands for consecutive steps of the counterexample that are not shown.
type gap struct {
	from, to    lts.State
	first, last int  // numbers of the steps, from 1
	loop        bool // the steps belong to the loop
}

// selectView selects what o asks for.
func selectView(s subject, o Options) (*selection, error) {
	reach := s.m.Reachable()
	switch o.View {
	case Auto:
		most := o.MaxStates
		if most == 0 {
			most = DefaultMaxStates
		}
		if reach.NumStates() > most || reach.NumTransitions() > min(10*most, MaxWholeTransitions) {
			return excerpt(s), nil
		}
	case Excerpt:
		return excerpt(s), nil
	}
	if n := reach.NumTransitions(); n > MaxWholeTransitions {
		return nil, fmt.Errorf("diagram: the whole model has %d transitions, more than the %d that a picture can hold; choose the excerpt",
			n, MaxWholeTransitions)
	}
	return wholeModel(s), nil
}

func newSelection(s subject) *selection {
	return &selection{subject: s, states: map[lts.State]bool{}, transitions: map[lts.Transition]bool{}}
}

// wholeModel selects everything, the initial state first: Graphviz ranks a graph
// with cycles from the first state it meets.
func wholeModel(s subject) *selection {
	sel := newSelection(s)
	sel.whole = true
	sel.addState(s.m.Initial())
	reach := s.m.Reachable()
	for i := range s.m.NumStates() {
		if reach.Has(lts.State(i)) {
			sel.addState(lts.State(i))
		}
	}
	return sel
}

func (s *selection) addState(state lts.State) {
	if !s.states[state] {
		s.states[state] = true
		s.order = append(s.order, state)
	}
}

func (s *selection) add(t lts.Transition) {
	s.addState(t.From)
	s.addState(t.To)
	s.transitions[t] = true
}

func (s *selection) shows(t lts.Transition) bool { return s.whole || s.transitions[t] }
