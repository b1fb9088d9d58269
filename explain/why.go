package explain

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// WhyQuestion is the question why an action did not happen. It asks about the whole counterexample,
// unless Step or State is set.
type WhyQuestion struct {
	// Not is the action: all labels that match a step of the formula. Nil means what the
	// counterexample waits for at its end or, if it does what the property forbids, this action.
	Not *actl.Formula
	// Step, unless it is nil, restricts the question to the state before the step with this index.
	// The length of the run means its last state.
	Step *StepIndex
	// State, unless it is nil, asks about a state of the model, whatever run leads there. It
	// excludes Step.
	State *lts.State
}

// NoPlaceError reports that a question is about a step or state that does not exist, or about what
// the counterexample waits for although it waits for nothing.
type NoPlaceError struct{ why string }

func (e *NoPlaceError) Error() string {
	if e == nil {
		return "<nil>"
	}
	return e.why
}

// WhyNot is the answer to the question why an action did not happen.
type WhyNot struct {
	Model    Model    `json:"model"`
	Property Property `json:"property"`
	Verdict  Verdict  `json:"verdict"`
	// Action is the text of the action. Labels are the labels of the model that match it, in the
	// order of the alphabet.
	Action string   `json:"action"`
	Labels []string `json:"labels"`
	// Source is the position in the specification of the first of Labels whose position is known;
	// nil if none is known.
	Source *Position `json:"source,omitempty"`
	// Step and State are those of the question.
	Step  *StepIndex `json:"step"`
	State *lts.State `json:"state"`
	// Run summarises the counterexample; nil if the property holds.
	Run *WhyRun `json:"run"`
	// Places are the states on the run where the action is possible but not taken, in the order of
	// the run. Their Choices leave out the transition that the run takes.
	Places []MissedPlace `json:"places"`
	// Nearest is a nearest state where the action is possible. It is nil if the action is possible in a
	// state of the question, or if no state where it is possible can be reached from there.
	Nearest *NearestPlace `json:"nearest"`
	// WhatLed is the answer to a question without an action about a counterexample that does what the
	// property forbids; nil for other questions.
	WhatLed  *whatLed `json:"what_led,omitempty"`
	Warnings []string `json:"warnings"`
	Timings  Phases   `json:"timings_ms"`
	Cost     *Cost    `json:"stats,omitempty"`
}

// WhyRun describes how a counterexample as a whole relates to an action.
type WhyRun struct {
	Kind      counterexample.Kind `json:"kind"`
	Length    int                 `json:"length"`
	LoopStart LoopStart           `json:"loop_start"`
	steps     int
	// Taken are the steps that do the action. Possible are the steps from states where the action
	// is possible, taken or not.
	Taken    []StepIndex `json:"taken"`
	Possible []StepIndex `json:"possible"`
	// OutOfReach has the step after which no continuation can do the action; nil if there is no
	// such step.
	OutOfReach *actionGone `json:"out_of_reach"`
}

// Ends reports whether place, the index of a step, is the end of the run.
func (r *WhyRun) Ends(place StepIndex) bool { return int(place) == r.steps }

// actionGone describes the step of a run after which no continuation can do an action.
type actionGone struct {
	// Steps is the number of steps after which no continuation can do the action; 0 if no run of the
	// model does it. By is the last of these steps; nil if Steps is 0.
	Steps int       `json:"steps"`
	By    *PathStep `json:"by"`
}

// MissedPlace is a state of the run where the action is possible but not taken.
type MissedPlace struct {
	// Step is the step that leaves the state; nil if the question is about a state.
	Step  *StepIndex `json:"step"`
	State lts.State  `json:"state"`
	// Took is the label of the step that leaves the state; "" at the end of the run, or if the question
	// is about a state.
	Took string `json:"took,omitempty"`
	// Fate is the fate of the run when it reaches the state; 0 if the question is about a state.
	Fate simplify.Fate `json:"fate,omitzero"`
	// Choices are the transitions that do the action, in the order of the model, each once.
	Choices []Missed `json:"choices"`
}

// IsLost reports whether the property was lost when the run reached the place. It is false if the
// question is about a state and not about a run.
func (m MissedPlace) IsLost() bool { return m.Fate == simplify.Fated }

// Missed is a transition that does the action.
type Missed struct {
	Label string    `json:"label"`
	To    lts.State `json:"to"`
	// Class is the class of the transition over all runs that reach it. If its source is not a
	// state of the question, only those runs count that take the shortest path from a state of the
	// question to it.
	Class fate.Class `json:"class"`
	// After and First are as in [Choice], for this run; 0 if the question is about a state.
	After fate.Class `json:"after,omitzero"`
	First fate.Class `json:"after_first,omitzero"`
}

// NearestPlace is a state where the action is possible, with the smallest distance from the states
// of the question.
type NearestPlace struct {
	// Step is the step of the run from whose source the path begins; nil if the question is about a
	// state.
	Step *StepIndex `json:"step"`
	From lts.State  `json:"from"`
	// Path is a shortest path from From to this state. It has at least one transition, and none of
	// its transitions does the action.
	Path []PathStep `json:"path"`
	// Choices are the transitions from the end of the path that do the action.
	Choices []Missed `json:"choices"`
	// After is the class of the path for this run, without the action at its end: correct if the
	// property is certain by then. It is 0 if the question is about a state.
	After fate.Class `json:"after,omitzero"`
}

// Why reports why an action did not happen: on the counterexample to f that [Explain] finds with
// the same options, or at a state. It fails if ctx is done; with an [*actl.UnmatchedError] if a
// part of the action matches no label of the model; and with a [*NoPlaceError] if the step or state
// does not exist. It ignores Options.Unfold, since its answers about a run take the progress of
// this run into account. Cost as for [Explain] without its decisions, and O(S + T).
func Why(
	ctx context.Context,
	m *lts.LTS,
	f property.Formula,
	q WhyQuestion,
	o Options,
) (*WhyNot, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
		required.Argument("f", f),
	); err != nil {
		return nil, err
	}
	o.Unfold = false
	o.List = 0
	m, _, err := withValues(ctx, m, f, &o.Source)
	if err != nil {
		return nil, err
	}
	if err := q.check(ctx, m); err != nil {
		return nil, err
	}
	a, err := prepare(ctx, m, f, o)
	if err != nil {
		return nil, err
	}
	if err := a.analyse(ctx, o); err != nil {
		return nil, err
	}
	model := modelOf(m, o.File)
	model.describe(a.Components)
	if q.State != nil && !m.Reachable().Has(*q.State) {
		return nil, &NoPlaceError{fmt.Sprintf("state %d cannot be reached from the initial state, %d", *q.State, m.Initial())}
	}
	found := a.outcome()
	if err := a.choose(ctx, o, nil, &found); err != nil {
		return nil, err
	}
	run, err := found.run.withRepeatingLoop(ctx)
	if err != nil {
		return nil, err
	}
	forbidden, err := q.complete(ctx, run)
	if err != nil {
		return nil, err
	}
	w := &WhyNot{
		Model:    model,
		Property: describeProperty(a),
		Verdict:  found.verdict,
		Action:   q.action(),
		Labels:   []string{},
		Step:     q.Step,
		State:    q.State,
		Places:   []MissedPlace{},
		Warnings: slices.Concat([]string{}, a.Warnings, found.warnings),
	}
	if err := w.answer(ctx, run, q); err != nil {
		return nil, err
	}
	isAboutWholeRun := q.Step == nil && q.State == nil
	if forbidden != nil && isAboutWholeRun {
		w.WhatLed, err = forbidden.describe(ctx)
		if err != nil {
			return nil, err
		}
	}
	w.Timings = a.Phases
	w.Cost = o.cost(m.NumTransitions(), a.Phases, found.stats)
	return w, nil
}

// complete makes a question without an action one about what the run waits for or, if it does what the property
// forbids, about that step, which it returns. The step is nil if the question has an action.
func (q *WhyQuestion) complete(ctx context.Context, run violation) (*forbiddenStep, error) {
	if q.Not != nil {
		return nil, nil
	}
	forbidden, err := run.forbiddenStep(ctx)
	if err != nil {
		return nil, err
	}
	q.Not, err = run.actionInQuestion(ctx, forbidden)
	return forbidden, err
}

// check returns an error if the question is about labels or a state that the model does not have.
func (q WhyQuestion) check(ctx context.Context, m *lts.LTS) error {
	if q.Not != nil {
		atoms := values.AtomsOf(q.Not)
		if len(atoms) > 0 {
			return &actl.FactsError{Atom: atoms[0]}
		}
		if err := q.Not.Unmatched(ctx, m.Alphabet()); err != nil {
			return err
		}
	}
	if q.State == nil {
		return nil
	}
	return mustHave(m, *q.State)
}

// actionInQuestion returns the action of a question that names none: the label of the step that the
// property forbids, if there is one, else what the run waits for.
func (v violation) actionInQuestion(ctx context.Context, forbidden *forbiddenStep) (*actl.Formula, error) {
	if forbidden != nil {
		return forbidden.question(ctx)
	}
	return v.awaitedAction(ctx)
}

// awaitedAction returns what the run waits for at its end. For freedom from deadlock, it returns
// what would have kept the run from its deadlock. It fails with a [*NoPlaceError] if there is no
// run, or if the run waits for no action.
func (v violation) awaitedAction(ctx context.Context) (*actl.Formula, error) {
	if v.trace == nil {
		return nil, &NoPlaceError{"the property holds, so no action is awaited; name one"}
	}
	d, err := v.diagnoseChecked(ctx)
	if err != nil {
		return nil, err
	}
	patterns := v.awaitedPatterns(d)
	if len(patterns) == 0 {
		return nil, v.nothingAwaited()
	}
	return actl.Parse(ctx, "Inev("+strings.Join(patterns, ", ")+")")
}

// awaitedPatterns returns the patterns of the actions that the counterexample waits for.
func (v violation) awaitedPatterns(d *Diagnosis) []string {
	if v.a.Property.Kind() == property.KindDeadlockFree {
		return v.savingActions()
	}
	step, awaits := v.awaitedStep()
	if awaits {
		return []string{v.a.Property.Step(step).Pattern.String()}
	}
	if d == nil {
		return nil
	}
	var patterns []string
	for _, label := range d.Pending {
		_, isLabel := v.a.m.Alphabet().Lookup(label)
		if isLabel {
			patterns = append(patterns, actl.PatternFor(label))
		}
	}
	return patterns
}

// nothingAwaited is the error that the counterexample waits for no action. It names the labels of the
// last state.
func (v violation) nothingAwaited() error {
	last := v.trace.Last()
	labels, _ := v.a.m.Out(last)
	possible := textsOf(v.a.m, func(l lts.Label) bool {
		return labels.Any(func(other lts.Label) bool { return other == l })
	})
	if len(possible) == 0 {
		return &NoPlaceError{"the counterexample waits for no action; name one"}
	}
	return &NoPlaceError{fmt.Sprintf("the counterexample waits for no action; name one, for instance a label of its last state, %d: %s", last, printable.List(possible, "or"))}
}

// savingActions returns patterns of the labels that would have kept the property possible where the run loses
// it; nil if there are none.
func (v violation) savingActions() []string {
	isLost := func(s lts.State, q property.Q) bool { return v.a.Fates.At(s, q).IsLost() }
	loss := v.firstLoss(isLost)
	if loss == nil || loss.Steps == 0 {
		return nil
	}
	lastFree := v.after(loss.Steps - 1)
	if v.a.m.IsBefore(lastFree.State) {
		return nil
	}
	var patterns []string
	labels, targets := v.a.m.Out(lastFree.State)
	for i, to := range targets {
		l := labels.At(i)
		if isLost(to, v.a.Property.Next(lastFree.Q, l)) {
			continue
		}
		pattern := actl.PatternFor(v.a.text(l))
		if !slices.Contains(patterns, pattern) {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

// action returns the text of the action.
func (q WhyQuestion) action() string {
	var texts []string
	for _, pattern := range q.Not.Steps() {
		texts = append(texts, pattern.String())
	}
	return strings.Join(texts, ", ")
}

// answer answers the question, which is about a state or about the run.
func (w *WhyNot) answer(ctx context.Context, run violation, q WhyQuestion) error {
	defer run.a.begin(ctx, "why")()
	answer := whyAnswer{
		repeating: run.repeating(),
		isAction:  make([]bool, run.a.m.Alphabet().Len()),
	}
	for l, text := range run.a.m.Alphabet().All() {
		matches := func(p actl.Pattern) bool { return p.Matches(text) }
		if !slices.ContainsFunc(q.Not.Steps(), matches) {
			continue
		}
		answer.isAction[l] = true
		w.Labels = append(w.Labels, text)
		if w.Source == nil {
			w.Source = run.a.position(text)
		}
	}
	if err := answer.findDistances(ctx); err != nil {
		return err
	}
	if run.trace != nil {
		w.Run = answer.describeRun()
	}
	switch {
	case q.State != nil:
		answer.describeAtState(w, *q.State)
	case run.trace == nil:
		// The property holds: there are no places.
	case q.Step == nil:
		answer.describeOnRun(w, before(run.a.m, answer.places()), answer.places())
	case int(*q.Step) < 0 || int(*q.Step) >= answer.places():
		return answer.noStep(*q.Step)
	default:
		answer.describeOnRun(w, int(*q.Step), int(*q.Step)+1)
	}
	return nil
}

// noStep returns the error of a question about a step that the run does not have.
func (w whyAnswer) noStep(step StepIndex) error {
	n := w.trace.Len()
	extent := fmt.Sprint(n)
	if w.places() > n {
		extent = fmt.Sprintf("%d, and %d stands for its end", n, n+1)
	}
	return &NoPlaceError{fmt.Sprintf("there is no step %d: the counterexample has %s", step+1,
		extent)}
}

// findDistances finds the distance of each state from the states where the action is possible. It
// searches backwards, breadth first. Cost O(S + T), and 8 bytes a state.
func (w *whyAnswer) findDistances(ctx context.Context) error {
	m := w.a.m
	if err := m.FindPredecessors(ctx); err != nil {
		return err
	}
	w.distance = make([]uint32, m.NumStates())
	var order []lts.State
	doesAction := func(l lts.Label) bool { return w.isAction[l] }
	for s := range lts.State(m.NumStates()) {
		labels, _ := m.Out(s)
		if labels.Any(doesAction) {
			w.distance[s] = possibleHere
			order = append(order, s)
		}
	}
	for i := 0; i < len(order); i++ {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		_, sources := m.Predecessors().In(order[i])
		for _, from := range sources {
			if w.distance[from] == outOfReach {
				w.distance[from] = w.distance[order[i]] + 1
				order = append(order, from)
			}
		}
	}
	return nil
}

// describeRun describes how the run as a whole relates to the action.
func (w whyAnswer) describeRun() *WhyRun {
	c := w.described
	r := &WhyRun{
		Kind:      c.Kind,
		Length:    c.Length,
		LoopStart: c.LoopStart,
		steps:     len(c.Steps),
		Taken:     []StepIndex{},
		Possible:  []StepIndex{},
	}
	for i := range w.places() {
		if i < len(c.Steps) && w.isAction[w.trace.Step(i).Label] {
			r.Taken = append(r.Taken, StepIndex(i))
		}
		switch w.distance[w.at(i)] {
		case outOfReach:
			if r.OutOfReach == nil {
				r.OutOfReach = c.goneAfter(i)
			}
		case possibleHere:
			r.Possible = append(r.Possible, StepIndex(i))
		}
	}
	return r
}

// goneAfter describes the step after which no continuation can do an action, given the number of
// steps.
func (c *Counterexample) goneAfter(steps int) *actionGone {
	gone := &actionGone{Steps: steps}
	if steps > 0 {
		by := c.Steps[steps-1]
		gone.By = &PathStep{From: by.From, Label: by.Label, To: by.To}
	}
	return gone
}

// describeAtState describes the action at a state, whatever run leads there.
func (w whyAnswer) describeAtState(result *WhyNot, s lts.State) {
	switch w.distance[s] {
	case outOfReach:
		return
	case possibleHere:
		p := MissedPlace{State: s, Choices: []Missed{}}
		for _, t := range w.actions(s) {
			p.Choices = append(p.Choices, Missed{
				Label: w.a.text(t.Label),
				To:    t.To,
				Class: w.a.Classification.Class(t.From, t.Label, t.To),
			})
		}
		result.Places = append(result.Places, p)
	default:
		result.Nearest, _ = w.nearest(s)
	}
}

// actions returns the transitions with the action from a state, each once.
func (w whyAnswer) actions(s lts.State) []lts.Transition {
	var all []lts.Transition
	seen := map[lts.Transition]bool{}
	labels, targets := w.a.m.Out(s)
	for i, to := range targets {
		t := lts.Transition{From: s, Label: labels.At(i), To: to}
		if w.isAction[t.Label] && !seen[t] {
			seen[t] = true
			all = append(all, t)
		}
	}
	return all
}

// whyAnswer is an answer about one counterexample under construction.
type whyAnswer struct {
	repeating
	isAction []bool // for each label, whether it does the action
	// distance is, for each state, one more than the number of transitions until the action is
	// possible: possibleHere if it is possible in the state itself. It is outOfReach if no run from the
	// state can do the action.
	distance []uint32
}

// Two values of whyAnswer.distance.
const (
	outOfReach   = 0
	possibleHere = 1
)

// places returns the number of states on the run. The state in which a loop begins and ends counts
// once.
func (w whyAnswer) places() int {
	if _, loops := w.trace.LoopStart(); loops {
		return w.trace.Len()
	}
	return w.trace.Len() + 1
}

// at returns state i of the run.
func (w whyAnswer) at(i int) lts.State {
	if i < w.trace.Len() {
		return w.trace.Step(i).From
	}
	return w.trace.Last()
}

// describeOnRun describes the states of the run from first to end - 1: those where the action is
// possible or, if there are none, a state where it becomes possible soonest.
func (w whyAnswer) describeOnRun(result *WhyNot, first, end int) {
	nearest := first
	least := uint32(outOfReach)
	for i := first; i < end; i++ {
		distance := w.distance[w.at(i)]
		if distance == outOfReach {
			continue
		}
		if least == outOfReach || distance < least {
			nearest = i
			least = distance
		}
		if distance != possibleHere {
			continue
		}
		p := w.missedAt(i)
		if len(p.Choices) > 0 {
			result.Places = append(result.Places, p)
		}
	}
	if least > possibleHere {
		result.Nearest = w.nearestOnRun(nearest)
	}
}

// nearestOnRun describes a state where the action is possible, as near as possible to state i of
// the run, with the classes for this run. The path to it has at least one transition.
func (w whyAnswer) nearestOnRun(i int) *NearestPlace {
	place, path := w.nearest(w.at(i))
	place.Step = stepIndex(i)
	q := w.stateAt(i)
	firstQ := w.trace.At(i) // as in the first round of the loop
	for _, t := range path {
		place.After = w.a.Fates.After(q, t.Label, t.To)
		q = w.a.Property.Next(q, t.Label)
		firstQ = w.a.Property.Next(firstQ, t.Label)
	}
	end := path[len(path)-1].To
	for k, t := range w.actions(end) {
		place.Choices[k].After = w.a.Fates.After(q, t.Label, t.To)
		place.Choices[k].First = w.a.Fates.After(firstQ, t.Label, t.To)
	}
	return place
}

// missedAt describes state i of the run, where the action must be possible, with the choices that
// the run does not take.
func (w whyAnswer) missedAt(i int) MissedPlace {
	step := StepIndex(i)
	q := w.stateAt(i)
	p := MissedPlace{
		Step:    &step,
		State:   w.at(i),
		Fate:    simplify.FateAt(w.a.Fates, w.at(i), q),
		Choices: []Missed{},
	}
	if i < w.trace.Len() {
		p.Took = w.a.text(w.trace.Step(i).Label)
	}
	for _, t := range w.actions(p.State) {
		if i < w.trace.Len() && t == w.trace.Step(i) {
			continue
		}
		p.Choices = append(p.Choices, Missed{
			Label: w.a.text(t.Label),
			To:    t.To,
			Class: w.a.Classification.Class(t.From, t.Label, t.To),
			After: w.a.Fates.After(q, t.Label, t.To),
			First: w.a.Fates.After(w.trace.At(i), t.Label, t.To),
		})
	}
	return p
}

// nearest describes a state where the action is possible, as near as possible to the given state,
// without the classes for one run. It also returns the path to this state. The choices are the
// transitions that the method actions returns there.
func (w whyAnswer) nearest(from lts.State) (*NearestPlace, []lts.Transition) {
	n := &NearestPlace{From: from, Choices: []Missed{}}
	// If there are several shortest paths, take the first in the order of the model.
	var path []lts.Transition
	s := from
	for w.distance[s] > possibleHere {
		labels, targets := w.a.m.Out(s)
		isNearer := func(to lts.State) bool { return w.distance[to] == w.distance[s]-1 }
		i := slices.IndexFunc(targets, isNearer)
		path = append(path, lts.Transition{
			From:  s,
			Label: labels.At(i),
			To:    targets[i],
		})
		s = targets[i]
	}
	for _, t := range path {
		n.Path = append(n.Path, PathStep{
			From:  t.From,
			Label: w.a.text(t.Label),
			To:    t.To,
		})
	}
	for _, t := range w.actions(s) {
		withAction := append(slices.Clone(path), t)
		n.Choices = append(n.Choices, Missed{
			Label: w.a.text(t.Label),
			To:    t.To,
			Class: w.a.Fates.PathClass(withAction),
		})
	}
	return n, path
}
