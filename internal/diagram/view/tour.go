package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Tour is the content of a page with an explanation, apart from its sentences: views, the surroundings
// of the run, and a legend.
type Tour struct {
	// Stops are the views that are worth showing. The page shows the first one first.
	Stops []Stop
	// Undrawn are sentences about the views that are left out because the model is too large.
	Undrawn      []string
	Surroundings *Surroundings
	Legend       Legend
	// Neighbourhoods is the number of neighbourhoods of the model.
	Neighbourhoods int
}

// Stop is a view of a tour, or the error because of which it is not drawn.
type Stop struct {
	Kind  Kind
	Graph *Graph // nil if there is an error, or a chart
	Chart *Chart // nil except for the kind Sequence
	Err   error
}

// WithChart returns the tour with a sequence chart as its second stop, for readers who know nothing
// of models. Cost O(stops).
func (t *Tour) WithChart(c *Chart) *Tour {
	with := *t
	with.Stops = slices.Insert(slices.Clone(t.Stops), min(1, len(t.Stops)), Stop{
		Kind:  Sequence,
		Chart: c,
	})
	return &with
}

// MaxStops is the largest number of views in a tour.
const MaxStops = 5

// Legend has the classes that the views of a tour show. If there is only one class, it is empty.
type Legend struct {
	Correct, Incorrect, Neutral, Excluded bool
	// Never reports that some transition is crossed out, since it must never be taken.
	Never bool
}

// NewTour returns the tour through e. Its surroundings take at most about maxSurroundings bytes of
// JSON, where 0 means 512 KiB. It fails if ctx is done. Cost: the views, and the surroundings.
func NewTour(
	ctx context.Context,
	e *explain.Explanation,
	maxSurroundings int64,
) (*Tour, error) {
	t := &Tour{Neighbourhoods: e.Neighbourhoods().Len()}
	shown := explanation{e, subjectOf(e)}
	for _, kind := range t.plan(e) {
		if err := t.addStop(ctx, shown, kind); err != nil {
			return nil, err
		}
	}
	if shown.reasonForQuotient(Options{}) != "" {
		t.moveQuotientToFront(e.Counterexample)
	}
	t.Legend = legendOf(t.Stops)
	surroundings, err := surroundingsOf(ctx, e, cmp.Or(maxSurroundings, defaultMaxSurroundings))
	if err != nil {
		return nil, err
	}
	t.Surroundings = surroundings
	return t, nil
}

// addStop adds a view of this kind. If the whole model is too crowded, it adds an excerpt instead, unless
// there is a view already. It fails only if ctx is done; the stop keeps other errors.
func (t *Tour) addStop(ctx context.Context, shown explanation, kind Kind) error {
	g, err := shown.view(ctx, Options{Kind: kind, Advice: true})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if kind == Whole && err == nil && !g.canBeFollowed() {
		// Its layout would take most of the time of the page, for a picture that nobody can read.
		t.Undrawn = append(t.Undrawn,
			fmt.Sprintf("the page has no picture of the whole model: with %d states and %d transitions, it is too crowded to be read",
				shown.Model.ReachableStates, shown.Model.ReachableTransitions))
		if len(t.Stops) > 0 {
			return nil
		}
		kind = Excerpt
		g, err = shown.view(ctx, Options{Kind: kind, Advice: true})
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	t.Stops = append(t.Stops, Stop{Kind: kind, Graph: g, Err: err})
	return nil
}

// moveQuotientToFront makes the quotient the first stop if it is small enough and a walk along the run
// moves in it with every step.
func (t *Tour) moveQuotientToFront(c *explain.Counterexample) {
	quotient := slices.IndexFunc(t.Stops, func(s Stop) bool {
		return s.Kind == Quotient && s.Graph != nil && s.Graph.isPreferable() &&
			s.Graph.separatesStates(c)
	})
	if quotient > 0 {
		first := t.Stops[quotient]
		t.Stops = slices.Insert(slices.Delete(t.Stops, quotient, quotient+1), 0, first)
	}
}

// separatesStates reports whether a quotient has a node of its own for each state of a run. In any other
// quotient, a walk along the run stays at a node for several steps, as if nothing happened.
func (g *Graph) separatesStates(c *explain.Counterexample) bool {
	if c == nil {
		return true
	}
	states := map[lts.State]bool{}
	for _, step := range c.Steps {
		states[step.From] = true
		states[step.To] = true
	}
	nodes := 0
	for i := range g.Nodes {
		if g.Nodes[i].OnRun {
			nodes++
		}
	}
	return nodes >= len(states)
}

// legendOf returns the classes that the views show.
func legendOf(stops []Stop) Legend {
	var l Legend
	drawn := map[fate.Class]bool{}
	for _, stop := range stops {
		if stop.Graph == nil || !stop.Graph.Classified {
			continue
		}
		for i := range stop.Graph.Arrows {
			a := &stop.Graph.Arrows[i]
			drawn[a.Class] = true
			l.Never = l.Never || a.Never != ""
		}
	}
	if len(drawn) > 1 {
		l.Correct = drawn[fate.Correct]
		l.Incorrect = drawn[fate.Incorrect]
		l.Neutral = drawn[fate.Neutral]
		l.Excluded = drawn[fate.Excluded]
	}
	return l
}

// maxMerged is the largest number of transitions of a model for which a tour has a quotient. For a
// larger model, the quotient would take seconds.
const maxMerged = 1_000_000

// maxDecided is the largest number of transitions of a model for which a tour has a view of
// neighbourhoods. For a larger model, it would delay the page too long.
const maxDecided = 3_000_000

// Bounds on a model that is shown as a whole. Its layout takes about half a second; with twice as
// many transitions, it would take many seconds, and the picture would be unreadable. The bounds
// limit the size instead of the time, so that a tour is the same on every machine.
const (
	maxWholeStates      = 120
	maxWholeTransitions = 250
)

// plan returns the kinds of views worth showing, and records the views that are left out because
// the model is too large.
func (t *Tour) plan(e *explain.Explanation) []Kind {
	m := e.Model
	small := m.ReachableStates <= maxWholeStates &&
		m.ReachableTransitions <= maxWholeTransitions
	if !small {
		t.Undrawn = append(t.Undrawn,
			fmt.Sprintf("the page has no picture of the whole model: it has %d states and %d transitions, and up to %d and %d are drawn",
				m.ReachableStates, m.ReachableTransitions, maxWholeStates, maxWholeTransitions))
	}
	if e.Counterexample == nil {
		switch {
		case small && e.SlowestRun() != nil:
			return []Kind{Excerpt, Whole}
		case small:
			return []Kind{Whole}
		}
		return []Kind{Excerpt}
	}
	kinds := []Kind{Excerpt}
	if e.Nearest != nil && !e.IsUnfolded() {
		kinds = append(kinds, Diff)
	}
	switch {
	case t.Neighbourhoods == 0:
	case m.ReachableTransitions <= maxDecided:
		kinds = append(kinds, Neighbourhoods)
	default:
		t.Undrawn = append(t.Undrawn,
			fmt.Sprintf("the page has no picture of the decisions: the model has %d transitions, and a page shows decisions in models of up to %d", m.ReachableTransitions, maxDecided))
	}
	switch {
	case !e.HasQuotient():
	case m.ReachableTransitions <= maxMerged:
		kinds = append(kinds, Quotient)
	default:
		t.Undrawn = append(t.Undrawn,
			fmt.Sprintf("the page has no picture of the merged model: it has %d transitions, and up to %d are merged for a page", m.ReachableTransitions, maxMerged))
	}
	if small {
		kinds = append(kinds, Whole)
	}
	return kinds
}

// defaultMaxSurroundings is the default size of surroundings in bytes: some ten thousand
// transitions.
const defaultMaxSurroundings = 512 << 10

// Further bounds: on the steps at each end of the counterexample and on the decisions, around which
// surroundings are collected; on the transitions of a state; on the steps that leave it; and on the
// characters of a label.
const (
	nearSteps       = 50
	nearDecisions   = 50
	nearTransitions = 120
	nearTaken       = 40
	mostLabelChars  = 1000
)

// Surroundings is the part of the model around the counterexample that a page contains, so that readers
// can explore beyond the pictures. The script of the page reads its JSON.
type Surroundings struct {
	Labels []string    `json:"labels"`
	States []NearState `json:"states"`
	// Of is the number of reachable states. If States has this many, the surroundings are the whole
	// model.
	Of int `json:"of"`
	// Property is the automaton of the property, which the page runs along with a walk; nil if no
	// classes are known, or if the automaton is too large.
	Property *NearProperty `json:"property,omitempty"`
}

// NearProperty is the automaton of the property over the labels of the surroundings.
type NearProperty struct {
	Initial property.Q `json:"initial"`
	// Next has, for each label, the successor of each property state; nil if the label changes none.
	Next [][]property.Q `json:"next"`
	// Words describe what is done or pending in each property state.
	Words []string `json:"words"`
	// Beyond are the states at the edge: transitions lead to them, but their own transitions are left
	// out.
	Beyond []BeyondState `json:"beyond"`
}

// BeyondState is a state of which only the fates are given.
type BeyondState struct {
	State any    `json:"state"`
	Fates string `json:"fates,omitempty"`
}

// nearHistories is the largest number of property states of an automaton that a page contains.
const nearHistories = 64

// NearState is a state with its outgoing transitions: [index of the label, target, index of the class].
// The class is left out if it is unknown. All is the number of transitions; if there are too many, only
// those with the best classes are kept.
type NearState struct {
	State any      `json:"state"`
	Out   [][3]any `json:"out"`
	All   int      `json:"all"`
	// Fates has a letter for each property state: the fate of runs that reach this state of the model
	// with this property state (s sure, l lost, o open). It is empty if all are open. The letter of an
	// unreachable product state has no meaning.
	Fates string `json:"fates,omitempty"`
	// Taken are the steps of the counterexample that leave the state: [number of the step from 1, index
	// of its transition in Out]. Only the first nearTaken steps are kept, and only those whose
	// transitions are in Out.
	Taken [][2]int `json:"taken,omitempty"`
}

// surveyor collects surroundings.
type surveyor struct {
	e         *explain.Explanation
	found     Surroundings
	labels    map[lts.Label]int
	seen      map[lts.State]bool
	queue     []lts.State
	bytesLeft int64     // roughly the number of bytes that are left
	fates     *fate.Map // nil if the surroundings have no automaton of the property
	run       *run      // nil without a counterexample
}

// surroundingsOf explores the model breadth first from the states of the pictures, until the size is
// used up. It fails if ctx is done. Cost O(size of the result), and the transitions of one state.
func surroundingsOf(
	ctx context.Context,
	e *explain.Explanation,
	most int64,
) (*Surroundings, error) {
	s := newSurveyor(e, most)
	// The search begins at the last decisions, the states at both ends of the run, and the first
	// neighbourhoods.
	for _, d := range e.Decisions[max(0, len(e.Decisions)-nearDecisions):] {
		s.enqueue(d.State)
	}
	c := e.Counterexample
	if c != nil {
		for i, step := range c.Steps {
			if i < nearSteps || i >= len(c.Steps)-nearSteps {
				s.enqueue(step.From)
				s.enqueue(step.To)
			}
		}
	}
	s.enqueue(e.LTS().Initial())
	m := e.Classification()
	if m != nil {
		all := m.States()
		for _, state := range all[:min(nearDecisions, len(all))] {
			s.enqueue(state)
		}
	}
	for i := 0; i < len(s.queue); i++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !s.addState(s.queue[i]) {
			break
		}
	}
	s.addBeyond()
	return &s.found, nil
}

// Around returns the surroundings of a single state of e: the state and its outgoing
// transitions. It fails if ctx is done. Cost O(transitions of the state).
func Around(
	ctx context.Context,
	e *explain.Explanation,
	state lts.State,
) (*Surroundings, error) {
	s := newSurveyor(e, defaultMaxSurroundings)
	s.enqueue(state)
	s.addState(state)
	s.addBeyond()
	return &s.found, ctx.Err()
}

// newSurveyor returns a surveyor that may use this number of bytes. It adds the automaton of the
// property if this is small enough.
func newSurveyor(e *explain.Explanation, bytes int64) *surveyor {
	s := &surveyor{
		e: e,
		found: Surroundings{
			Labels: []string{},
			States: []NearState{},
			Of:     e.LTS().Reachable().NumStates(),
		},
		labels:    map[lts.Label]int{},
		seen:      map[lts.State]bool{},
		bytesLeft: bytes,
	}
	t := e.Trace()
	if t != nil {
		s.run = newRun(t)
	}
	m := e.Classification()
	if m == nil || m.Fates().Property().States() > nearHistories {
		return s
	}
	p := m.Fates().Property()
	near := &NearProperty{
		Initial: p.Initial(),
		Next:    [][]property.Q{},
		Words:   []string{},
		Beyond:  []BeyondState{},
	}
	cost := int64(80)
	for q := range property.Q(p.States()) {
		words := fmt.Sprintf("%d of %d done", q, p.Steps())
		if p.Steps() == 0 {
			words = printable.First(p.Pending(q).String(), mostLabelChars)
		}
		cost += 8 + 6*int64(len(words))
		near.Words = append(near.Words, printable.UTF8(words))
	}
	if cost <= s.bytesLeft {
		s.bytesLeft -= cost
		s.fates = m.Fates()
		s.found.Property = near
	}
	return s
}

// addBeyond adds the fates of the states beyond the surroundings.
func (s *surveyor) addBeyond() {
	if s.fates == nil {
		return
	}
	visited := map[lts.State]bool{}
	inside := s.queue[:len(s.found.States)]
	for _, state := range inside {
		visited[state] = true
	}
	for _, state := range inside {
		kept, _ := s.keptTransitions(state)
		for _, t := range kept {
			if !visited[t.to] {
				visited[t.to] = true
				s.found.Property.Beyond = append(s.found.Property.Beyond, BeyondState{s.name(t.to), s.fatesOf(t.to)})
			}
		}
	}
}

// fatesOf returns the letters of the fates in a state.
func (s *surveyor) fatesOf(state lts.State) string {
	if s.fates == nil {
		return ""
	}
	letters := make([]byte, s.fates.Property().States())
	open := true
	for q := range letters {
		letters[q] = s.fates.At(state, property.Q(q)).String()[0]
		open = open && letters[q] == 'o'
	}
	if open {
		return ""
	}
	return string(letters)
}

// historyCost estimates the bytes that the fates of a state take, or the transitions of the automaton
// for a label.
func (s *surveyor) historyCost() int64 {
	if s.fates == nil {
		return 0
	}
	return int64(s.fates.Property().States()) + 40
}

// enqueue adds a state to the queue unless it was there already.
func (s *surveyor) enqueue(state lts.State) {
	if !s.seen[state] {
		s.seen[state] = true
		s.queue = append(s.queue, state)
	}
}

// addState adds a state with its transitions, and reports whether there was room for it.
func (s *surveyor) addState(state lts.State) bool {
	kept, all := s.keptTransitions(state)
	near := NearState{
		State: s.name(state),
		Out:   make([][3]any, 0, len(kept)),
		All:   all,
		Fates: s.fatesOf(state),
	}
	near.Taken = s.takenSteps(state, kept)
	cost := 48 + s.historyCost() + 12*int64(len(near.Taken))
	isNew := map[lts.Label]bool{}
	for _, t := range kept {
		_, isKnown := s.labels[t.label]
		if !isKnown && !isNew[t.label] {
			isNew[t.label] = true
			bytes := min(len(s.e.LTS().Alphabet().Text(t.label)), 4*mostLabelChars)
			// In the JSON of a page, a character with a meaning in HTML is written as six characters.
			cost += 6*int64(bytes) + 2*s.historyCost()
		}
		cost += 24
		if !s.seen[t.to] {
			cost += s.historyCost()
		}
	}
	if cost > s.bytesLeft {
		return false
	}
	s.bytesLeft -= cost
	for _, t := range kept {
		near.Out = append(near.Out, [3]any{s.labelIndex(t.label), s.name(t.to), t.class})
		s.enqueue(t.to)
	}
	s.found.States = append(s.found.States, near)
	return true
}

// takenSteps returns the steps of the counterexample that take one of the kept transitions of a state, see
// [NearState.Taken].
func (s *surveyor) takenSteps(state lts.State, kept []nearTransition) (all [][2]int) {
	if s.run == nil {
		return nil
	}
	leaving := s.run.steps.leaving(state)
	for i := range leaving[:min(len(leaving), nearTaken)] {
		step := leaving.index(i)
		t := s.run.trace.Step(step)
		at := slices.IndexFunc(kept, func(k nearTransition) bool {
			return k.label == t.Label && k.to == t.To
		})
		if at >= 0 {
			all = append(all, [2]int{step + 1, at})
		}
	}
	return all
}

// nearTransition is a transition with the index of its class: 0 correct, 1 neutral,
// 2 incorrect, 3 excluded, 4 if no classes are known.
type nearTransition struct {
	label lts.Label
	to    lts.State
	class int
}

var classIndex = map[fate.Class]int{
	fate.Correct:   0,
	fate.Neutral:   1,
	fate.Incorrect: 2,
	fate.Excluded:  3,
}

// keptTransitions returns the transitions of a state that are kept, best classes first, and the number
// of all its transitions.
func (s *surveyor) keptTransitions(state lts.State) ([]nearTransition, int) {
	var all []nearTransition
	for l, to := range s.e.LTS().From(state) {
		t := nearTransition{l, to, 4}
		m := s.e.Classification()
		if m != nil {
			t.class = classIndex[m.Class(state, l, to)]
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b nearTransition) int {
		return a.class - b.class
	})
	return all[:min(len(all), nearTransitions)], len(all)
}

// labelIndex returns the index of a label. It adds a new label.
func (s *surveyor) labelIndex(l lts.Label) int {
	i, known := s.labels[l]
	if known {
		return i
	}
	i = len(s.found.Labels)
	s.labels[l] = i
	text := s.e.LTS().Alphabet().Text(l)
	cut := printable.First(text, mostLabelChars)
	if len(cut) < len(text) {
		text = cut + "…"
	}
	s.found.Labels = append(s.found.Labels, printable.UTF8(text))
	if s.fates != nil {
		s.found.Property.Next = append(s.found.Property.Next, nextStates(s.fates.Property(), l))
	}
	return i
}

// nextStates returns, for each property state, its successor for a label; nil if the label changes
// none.
func nextStates(p *property.Property, l lts.Label) []property.Q {
	next := make([]property.Q, p.States())
	moves := false
	for q := range next {
		next[q] = p.Next(property.Q(q), l)
		moves = moves || next[q] != property.Q(q)
	}
	if !moves {
		return nil
	}
	return next
}

// name returns the name of a state as in the JSON of the explanation.
func (s *surveyor) name(state lts.State) any {
	if s.e.IsUnfolded() {
		return s.e.Name(state)
	}
	return state
}
