package view

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// subject is all that a picture is made from: a model, a run, and the analysis.
type subject struct {
	m       *lts.LTS
	classes *neighbourhood.Classification // nil if no classes are known
	run     *run                          // nil if there is no counterexample
	slowest bool                          // run is the slowest one of a property that holds
	choices
	advice
	// turnsAt has, by state, the roles of the decisions of the run.
	turnsAt map[lts.State]Turn
	// pending are the labels that the run waits for. The field leave is the number of the step of
	// the loop from whose source a shortest path leads to one of these labels; 0 if there is none.
	pending map[string]bool
	leave   int
	// undecided reports that all runs satisfy the property, or none does.
	undecided bool
	names     func(lts.State) string // nil if states are shown by their numbers
	// texts returns the labels of a transition of a quotient; it is nil if the model is no
	// quotient, so that each transition has one label.
	texts func(lts.Transition) []string
}

// labels returns the texts of the labels of a transition.
func (s *subject) labels(t lts.Transition) []string {
	if s.texts == nil {
		return []string{s.m.Alphabet().Text(t.Label)}
	}
	return s.texts(t)
}

func subjectOf(e *explain.Explanation) subject {
	s := subject{m: e.LTS(), classes: e.Classification(), names: e.Name, undecided: lostFromTheStart(e) || e.Verdict == explain.Satisfied}
	if t := e.Trace(); t != nil {
		s.run = newRun(t)
		if e.PointOfNoReturn != nil {
			s.run.noReturn = int(e.PointOfNoReturn.Step) + 1
		}
	}
	slowest := e.SlowestRun()
	if slowest != nil {
		s.run = newRun(slowest.Run())
	}
	s.choices, s.turnsAt = newChoices(e, s.run), turnsOf(e)
	if slowest != nil {
		s.slowest = true
		s.choices.beFaster(e.LTS(), slowest)
	}
	if s.pending = pending(e); e.Diagnosis != nil && e.Diagnosis.Instead != nil {
		s.leave = int(*e.Diagnosis.Instead) + 1
	}
	return s
}

// name returns the name of a state as it is shown.
func (s *subject) name(state lts.State) string {
	if s.names == nil {
		return fmt.Sprint(state)
	}
	return s.names(state)
}

// takes reports whether the counterexample takes t.
func (s *subject) takes(t lts.Transition) bool { return s.run != nil && s.run.takes(t) }

// mark returns the role of t in the counterexample; false if it does not take t.
func (s *subject) mark(t lts.Transition) (Mark, bool) {
	if s.run == nil {
		return Mark{}, false
	}
	return s.run.mark(t)
}

func (s *subject) visits(state lts.State) bool { return s.run != nil && s.run.visits(state) }

// meaning returns the effect of t on the counterexample if that is known, else the class of t.
func (s *subject) meaning(t lts.Transition) neighbourhood.Class {
	if after, known := s.after[t]; known {
		return after
	}
	return s.class(t)
}

// class returns the class of t, Neutral if none is known.
func (s *subject) class(t lts.Transition) neighbourhood.Class {
	if s.classes == nil {
		return neighbourhood.Neutral
	}
	return s.classes.Class(t.From, t.Label, t.To)
}

// kind returns the kind of neighbourhood that a state is; 0 if it is none.
func (s *subject) kind(state lts.State) neighbourhood.Kind {
	if s.classes == nil || s.undecided {
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
		out[i] = lts.Transition{From: from, Label: labels.At(i), To: to}
	}
	return out
}

// selection is the part of a subject that is shown. Both ends of a shown transition are shown.
type selection struct {
	subject
	whole bool // every transition is shown, and transitions stays empty
	// order holds the shown states in the order of drawing,
	// which Graphviz takes as a hint.
	order       []lts.State
	states      map[lts.State]bool
	transitions map[lts.Transition]bool
	gaps        []Gap
	// room is the number of transitions off the counterexample that still fit into an
	// excerpt.
	room   int
	bounds bounds
	full   bool // labels are not left out either
}

// Gap stands for consecutive steps of the counterexample that are not shown.
type Gap struct {
	From, To    lts.State
	First, Last int  // numbers of the steps, from 1
	Loop        bool // the steps belong to the loop
	Better      int  // the number of these steps with a better choice
}

// selectView selects the view that o asks for.
func selectView(ctx context.Context, s subject, o Options) *selection {
	if o.All != nil && s.run != nil && !s.slowest {
		s.run = newUnion(ctx, s.m, o.All)
	}
	reach := s.m.Reachable()
	switch o.Kind {
	case Auto:
		if o.tooLarge(reach) != "" {
			return newExcerpt(s, o)
		}
	case Excerpt:
		return newExcerpt(s, o)
	}
	if n := reach.NumTransitions(); n > MaxWholeTransitions {
		abort.On(fmt.Errorf("diagram: the whole model has %d transitions, more than the %d that a picture can hold; choose the excerpt",
			n, MaxWholeTransitions))
	}
	sel := wholeModel(s)
	sel.full = o.Full
	return sel
}

// newExcerpt returns an excerpt. As long as laying it out is too much work, it halves the bounds on
// transitions off the counterexample.
func newExcerpt(s subject, o Options) *selection {
	b := boundsOf(o)
	for {
		sel := excerpt(s, b, o.Full)
		if o.Full || b.fan == 0 || sel.graph().Work() <= maxExcerptWork {
			return sel
		}
		b = b.half()
	}
}

// sizeOf counts the states and transitions of the model itself, without the artificial
// state before several initial states.
func sizeOf(m *lts.LTS) Size {
	states, transitions := m.Size()
	return Size{states, transitions}
}

func newSelection(s subject) *selection {
	return &selection{subject: s, states: map[lts.State]bool{}, transitions: map[lts.Transition]bool{}}
}

// wholeModel selects everything. The initial state comes first: Graphviz ranks a cyclic graph from
// its first node on.
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
