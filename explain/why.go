package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/values"
	"github.com/inev-lts/inev/simplify"
)

// WhyQuestion is the question why an action did not happen: anywhere on the counterexample, unless
// Step or State is set.
type WhyQuestion struct {
	// Not is the action: all labels that match a step of the formula.
	Not *actl.Formula
	// Step, unless it is nil, restricts the question to the state before the step with this index;
	// the length of a run stands for its last state.
	Step *StepIndex
	// State, unless it is nil, makes the question one about a state of the model, whatever run
	// leads there. It excludes Step.
	State *lts.State
}

// NoPlaceError reports that a question is about a step or state that does not exist.
type NoPlaceError struct{ why string }

func (e *NoPlaceError) Error() string { return e.why }

// WhyNot says why an action did not happen.
type WhyNot struct {
	Model    Model    `json:"model"`
	Property Property `json:"property"`
	Verdict  Verdict  `json:"verdict"`
	// Action is the text of the action, Labels are the labels of the model that match it, in the
	// order of the alphabet.
	Action string   `json:"action"`
	Labels []string `json:"labels"`
	// Source is the position of the first of these labels in the specification; nil if it is not
	// known.
	Source *specification.Position `json:"source,omitempty"`
	// Step and State are the fields of the question.
	Step  *StepIndex `json:"step"`
	State *lts.State `json:"state"`
	// Run summarises the counterexample; nil if the property holds.
	Run *WhyRun `json:"run"`
	// Places are the states on the run where the action is possible and not taken, in the order of
	// the run; their Choices exclude a transition that the run takes.
	Places []MissedPlace `json:"places"`
	// Nearest is a nearest state where the action is possible; nil if it is possible in a state of
	// the question, and if no such state is reachable.
	Nearest  *NearestPlace `json:"nearest"`
	Warnings []string      `json:"warnings"`
	Timings  Phases        `json:"timings_ms"`
	Cost     *Cost         `json:"stats,omitempty"`
}

// WhyRun describes how a counterexample as a whole relates to an action.
type WhyRun struct {
	Kind      counterexample.Kind `json:"kind"`
	Length    int                 `json:"length"`
	LoopStart LoopStart           `json:"loop_start"`
	steps     int
	// Taken are the steps that do the action, Possible the steps from states where the action is
	// possible, taken or not.
	Taken    []StepIndex `json:"taken"`
	Possible []StepIndex `json:"possible"`
	// OutOfReach is after how many steps no continuation can do the action, 0 if no run of the model
	// does it, and by which step; nil if at any time some continuation can.
	OutOfReach *actionGone `json:"out_of_reach"`
}

// Ends reports whether place, the index of a step, is the end of the run.
func (r *WhyRun) Ends(place StepIndex) bool { return int(place) == r.steps }

// actionGone describes when an action becomes unreachable for all continuations of a run.
type actionGone struct {
	// Steps is the number of steps after which the action is unreachable: 0 if no run of the model
	// does the action. By is the last of these steps, nil if Steps is 0.
	Steps int       `json:"steps"`
	By    *PathStep `json:"by"`
}

// MissedPlace is a state of the run where the action is possible and not taken.
type MissedPlace struct {
	// Step is the step that leaves the state; nil if the question is about a state.
	Step  *StepIndex `json:"step"`
	State lts.State  `json:"state"`
	// Took is the label of the step that leaves the state; "" at the end of the run, and if the
	// question is about a state.
	Took string `json:"took,omitempty"`
	// Fate is the fate of the run when it reaches the state; 0 if the question is about a state.
	Fate simplify.Fate `json:"fate,omitzero"`
	// Choices are the transitions that do the action, in the order of the model, each once.
	Choices []Missed `json:"choices"`
}

// IsLost reports whether the property was lost before the state; false if the question is about a
// state.
func (m MissedPlace) IsLost() bool { return m.Fate == simplify.Fated }

// Missed is a transition with the action.
type Missed struct {
	Label string    `json:"label"`
	To    lts.State `json:"to"`
	// Class is the class of the transition over all runs that reach it: first the state of the
	// question and from there, if the transition is elsewhere, along the shortest path.
	Class neighbourhood.Class `json:"class"`
	// After and First are as in [Choice], for this run; 0 if the question is about a state.
	After neighbourhood.Class `json:"after,omitzero"`
	First neighbourhood.Class `json:"after_first,omitzero"`
}

// NearestPlace is the nearest state where the action is possible, from the states of the question.
type NearestPlace struct {
	// Step is the step of the run whose source the path leaves; nil if the question is about a
	// state.
	Step *StepIndex `json:"step"`
	From lts.State  `json:"from"`
	// Path are the labels of a shortest path from From to the nearest state. It has at least one
	// transition, and none with the action.
	Path []PathStep `json:"path"`
	// Choices are the transitions with the action from the end of the path.
	Choices []Missed `json:"choices"`
}

// Why reports why an action did not happen on the counterexample to f that [Explain] finds with the
// same options, or at a state. It fails if ctx is done; with an [*actl.UnmatchedError] if a part of
// the action matches no label of the model; and with a [*NoPlaceError] if the step or state does
// not exist. It ignores Options.Unfold, since its answers about a run are about the progress of
// this run. Cost: as much as [Explain] without its decisions, and O(S + T).
func Why(ctx context.Context, m *lts.LTS, f property.Formula, q WhyQuestion, o Options) (_ *WhyNot, err error) {
	defer abort.Caught(&err)
	o.Unfold = false
	m, _ = withValues(ctx, m, f, &o.Source)
	if atoms := values.AtomsOf(q.Not); len(atoms) > 0 {
		return nil, &actl.FactsError{Atom: atoms[0]}
	}
	abort.On(q.Not.Unmatched(ctx, m.Alphabet()))
	if q.State != nil {
		mustHave(m, *q.State)
	}
	a := prepare(ctx, m, f, o)
	a.analyse(ctx, o)
	model := modelOf(m, o.File)
	model.describe(a.Components)
	if q.State != nil && !m.Reachable().Has(*q.State) {
		return nil, &NoPlaceError{fmt.Sprintf("state %d cannot be reached from the initial state, %d", *q.State, m.Initial())}
	}
	found := a.outcome()
	a.choose(ctx, o, nil, &found)
	run := found.run.settled(ctx)
	action := ""
	for i, pattern := range q.Not.Steps() {
		if i > 0 {
			action += ", "
		}
		action += pattern.String()
	}
	w := &WhyNot{
		Model: model, Property: describeProperty(a), Verdict: found.verdict, Warnings: slices.Concat([]string{}, a.Warnings, found.warnings),
		Action: action, Step: q.Step, State: q.State, Labels: []string{}, Places: []MissedPlace{},
	}
	w.answer(ctx, run, q)
	w.Timings, w.Cost = a.Phases, o.cost(m.NumTransitions(), a.Phases, found.stats)
	return w, nil
}

func (w *WhyNot) answer(ctx context.Context, run violation, q WhyQuestion) {
	defer run.a.begin(ctx, "why")()
	m := run.a.m
	y := whyAnswer{run.repeating(), make([]bool, m.Alphabet().Len()), make([]uint32, m.NumStates())}
	for l, text := range m.Alphabet().All() {
		y.is[l] = slices.ContainsFunc(q.Not.Steps(), func(p actl.Pattern) bool { return p.Matches(text) })
		if y.is[l] {
			w.Labels = append(w.Labels, text)
			if w.Source == nil {
				w.Source = run.a.files.Find(text)
			}
		}
	}
	// Backwards, breadth first, from all states where the action is possible. Cost O(S + T), and 8 bytes a
	// state.
	abort.On(m.FindPredecessors(ctx))
	var order []lts.State
	for s := range lts.State(m.NumStates()) {
		labels, _ := m.Out(s)
		if labels.Any(func(l lts.Label) bool { return y.is[l] }) {
			y.distance[s] = 1
			order = append(order, s)
		}
	}
	for i := 0; i < len(order); i++ {
		abort.IfDone(ctx, i)
		_, sources := m.Predecessors().In(order[i])
		for _, from := range sources {
			if y.distance[from] == 0 {
				y.distance[from] = y.distance[order[i]] + 1
				order = append(order, from)
			}
		}
	}
	if run.trace != nil {
		r := &WhyRun{Kind: run.described.Kind, Length: run.described.Length, LoopStart: run.described.LoopStart, steps: len(run.described.Steps), Taken: []StepIndex{}, Possible: []StepIndex{}}
		for i := range y.places() {
			if i < len(run.described.Steps) && y.is[y.trace.Step(i).Label] {
				r.Taken = append(r.Taken, StepIndex(i))
			}
			switch y.distance[y.at(i)] {
			case 0:
				if r.OutOfReach == nil {
					r.OutOfReach = &actionGone{Steps: i}
					if i > 0 {
						by := run.described.Steps[i-1]
						r.OutOfReach.By = &PathStep{by.From, by.Label, by.To}
					}
				}
			case 1:
				r.Possible = append(r.Possible, StepIndex(i))
			}
		}
		w.Run = r
	}
	switch {
	case q.State != nil:
		s := *q.State
		switch y.distance[s] {
		case 0:
		case 1:
			p := MissedPlace{State: s, Choices: []Missed{}}
			for _, t := range y.actions(s) {
				p.Choices = append(p.Choices, Missed{Label: y.a.text(t.Label), To: t.To, Class: y.a.Classification.Class(t.From, t.Label, t.To)})
			}
			w.Places = append(w.Places, p)
		default:
			w.Nearest = y.nearest(s, func([]lts.Transition) Missed { return Missed{} })
		}
	case run.trace == nil:
	case q.Step == nil:
		y.onRun(w, before(run.a.m, y.places()), y.places())
	case int(*q.Step) < 0 || int(*q.Step) >= y.places():
		n := y.trace.Len()
		extent := fmt.Sprint(n)
		if y.places() > n {
			extent = fmt.Sprintf("%d, and %d stands for its end", n, n+1)
		}
		abort.On(&NoPlaceError{fmt.Sprintf("there is no step %d: the counterexample has %s", *q.Step+1, extent)})
	default:
		y.onRun(w, int(*q.Step), int(*q.Step)+1)
	}
}

// actions returns the transitions with the action from a state, each once.
func (y whyAnswer) actions(s lts.State) []lts.Transition {
	var all []lts.Transition
	seen := map[lts.Transition]bool{}
	labels, targets := y.a.m.Out(s)
	for i, to := range targets {
		if t := (lts.Transition{From: s, Label: labels.At(i), To: to}); y.is[labels.At(i)] && !seen[t] {
			seen[t] = true
			all = append(all, t)
		}
	}
	return all
}

// whyAnswer is an answer about one counterexample while it is being made.
type whyAnswer struct {
	repeating
	is []bool // for each label, whether it does the action
	// distance is, for each state, one more than the number of transitions before the action is possible;
	// 0 if it is out of reach.
	distance []uint32
}

// places returns the number of states on the run; the state where a loop begins counts once.
func (y whyAnswer) places() int {
	if _, loops := y.trace.LoopStart(); loops {
		return y.trace.Len()
	}
	return y.trace.Len() + 1
}

// at returns state i of the run.
func (y whyAnswer) at(i int) lts.State {
	if i < y.trace.Len() {
		return y.trace.Step(i).From
	}
	return y.trace.Last()
}

// onRun describes the states of the run from first up to end.
func (y whyAnswer) onRun(w *WhyNot, first, end int) {
	nearest := first
	least := uint32(0)
	for i := first; i < end; i++ {
		d := y.distance[y.at(i)]
		if d > 0 && (least == 0 || d < least) {
			nearest, least = i, d
		}
		if d != 1 {
			continue
		}
		step, q := StepIndex(i), y.stateAt(i)
		p := MissedPlace{Step: &step, State: y.at(i), Fate: simplify.FateAt(y.a.Fates, y.at(i), q), Choices: []Missed{}}
		if i < y.trace.Len() {
			p.Took = y.a.text(y.trace.Step(i).Label)
		}
		for _, t := range y.actions(p.State) {
			if i < y.trace.Len() && t == y.trace.Step(i) {
				continue
			}
			p.Choices = append(p.Choices, Missed{
				Label: y.a.text(t.Label), To: t.To, Class: y.a.Classification.Class(t.From, t.Label, t.To),
				After: y.a.Fates.After(q, t.Label, t.To), First: y.a.Fates.After(y.trace.At(i), t.Label, t.To),
			})
		}
		if len(p.Choices) > 0 {
			w.Places = append(w.Places, p)
		}
	}
	if least < 2 {
		return
	}
	step := StepIndex(nearest)
	w.Nearest = y.nearest(y.at(nearest), func(path []lts.Transition) Missed {
		last := path[len(path)-1]
		now, before := y.stateAt(nearest), y.trace.At(nearest)
		for _, t := range path[:len(path)-1] {
			now, before = y.a.Property.Next(now, t.Label), y.a.Property.Next(before, t.Label)
		}
		return Missed{After: y.a.Fates.After(now, last.Label, last.To), First: y.a.Fates.After(before, last.Label, last.To)}
	})
	w.Nearest.Step = &step
}

// nearest describes the nearest state where the action is possible. meaning returns the classes,
// for this run, of a path that ends with the action.
func (y whyAnswer) nearest(from lts.State, meaning func(path []lts.Transition) Missed) *NearestPlace {
	n := &NearestPlace{From: from, Choices: []Missed{}}
	// Of several shortest paths, the first in the order of the model.
	var path []lts.Transition
	for s := from; y.distance[s] > 1; {
		labels, targets := y.a.m.Out(s)
		i := slices.IndexFunc(targets, func(to lts.State) bool { return y.distance[to] == y.distance[s]-1 })
		path = append(path, lts.Transition{From: s, Label: labels.At(i), To: targets[i]})
		s = targets[i]
	}
	for _, t := range path {
		n.Path = append(n.Path, PathStep{t.From, y.a.text(t.Label), t.To})
	}
	for _, t := range y.actions(path[len(path)-1].To) {
		whole := append(slices.Clone(path), t)
		c := meaning(whole)
		c.Label, c.To, c.Class = y.a.text(t.Label), t.To, y.a.Fates.PathClass(whole)
		n.Choices = append(n.Choices, c)
	}
	return n
}
