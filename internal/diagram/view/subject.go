package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// subject is everything that a picture is made from: a model, a run, and the analysis.
type subject struct {
	m       *lts.LTS
	classes *neighbourhood.Classification // nil if no classes are known
	run     *run                          // nil if there is no counterexample
	slowest bool                          // whether the run is the slowest run of a property that holds
	choices
	// never has, for each transition that must not be taken, the condition under which that is so.
	never map[lts.Transition]string
	// branch are the transitions of the nearest correct run that the counterexample does not take.
	branch map[lts.Transition]bool
	// turnsAt has, by state, the role of the decision of the run there.
	turnsAt map[lts.State]Turn
	// pending are the labels that the run waits for. leavingStep is the number of the step of the loop
	// from whose source a shortest path leads to one of these labels; 0 if there is none.
	pending     map[string]bool
	leavingStep int
	// undecided reports that all runs satisfy the property, or that none does.
	undecided bool
	names     func(lts.State) string // nil if states are shown by their numbers
	// texts returns the labels of a transition of a quotient. It is nil if the model is no quotient, so
	// that each transition has one label.
	texts func(lts.Transition) []string
}

// choices are the effects of transitions on the counterexample, given its progress. Classes say
// less, since they are about all runs through a state.
type choices struct {
	// after has the class, for the counterexample, of each transition that leaves a decision, a fork or
	// the loop.
	after map[lts.Transition]fate.Class
	// better are the transitions in after that are better for the property than the step of the
	// counterexample.
	better map[lts.Transition]bool
	// turns are the indices of the steps with a better choice, ascending.
	turns []int
}

func newChoices() choices {
	return choices{after: map[lts.Transition]fate.Class{}, better: map[lts.Transition]bool{}}
}

// labels returns the texts of the labels of a transition.
func (s *subject) labels(t lts.Transition) []string {
	if s.texts == nil {
		return []string{s.m.Alphabet().Text(t.Label)}
	}
	return s.texts(t)
}

// subjectOf returns the subject of e. There are no choices if the property is lost from the start. Cost
// O(alternatives), and indexing the run.
func subjectOf(e *explain.Explanation) subject {
	s := subject{
		m:         e.LTS(),
		classes:   e.Classification(),
		names:     e.Name,
		undecided: lostFromTheStart(e) || e.Verdict == explain.Satisfied,
		choices:   newChoices(),
		turnsAt:   map[lts.State]Turn{},
		pending:   map[string]bool{},
	}
	t := e.Trace()
	if t != nil {
		s.run = newRun(t)
		if e.PointOfNoReturn != nil {
			s.run.noReturn = int(e.PointOfNoReturn.Step) + 1
		}
	}
	for i := range e.Decisions {
		d := &e.Decisions[i]
		s.turnsAt[d.State] = max(s.turnsAt[d.State], turnOf(d))
	}
	if !lostFromTheStart(e) {
		s.addDecisions(e.Decisions)
		s.addExits(e.Exits)
		slices.Sort(s.turns)
	}
	slowest := e.SlowestRun()
	if slowest != nil {
		s.followSlowest(slowest)
	}
	if d := e.Diagnosis; d != nil {
		for _, label := range d.Pending {
			s.pending[label] = true
		}
		if d.Instead != nil {
			s.leavingStep = int(*d.Instead) + 1
		}
	}
	return s
}

// turnOf returns the role of a decision of the run.
func turnOf(d *explain.Decision) Turn {
	if d.PointOfNoReturn {
		return LostHere
	}
	best := d.Recommended()
	if len(best) > 0 && best[0].After == fate.Correct {
		return CouldBeSaved
	}
	return CouldBeOpen
}

// transition returns the transition of a choice in a state.
func (s *subject) transition(from lts.State, c explain.Choice) lts.Transition {
	return s.m.Transition(from, c.Label, c.To)
}

// addDecisions adds the choices of the run, and their alternatives. An alternative that can only end in a
// deadlock is a better choice only if there is no other.
func (s *subject) addDecisions(decisions []explain.Decision) {
	for i := range decisions {
		d := &decisions[i]
		s.after[s.transition(d.State, d.Chosen)] = d.Chosen.After
		best := d.Recommended()
		canOnlyStop := len(best) > 0 && best[0].Stops
		for _, other := range d.Alternatives {
			t := s.transition(d.State, other)
			s.after[t] = other.After
			if other.IsBetter(d.Chosen) && (!other.Stops || canOnlyStop) {
				s.better[t] = true
			}
		}
		if d.HasBetter() {
			s.turns = append(s.turns, int(d.Step))
		}
	}
}

// addExits adds the transitions that leave the loop of the run. An exit that only keeps the property
// possible is a better choice only if it is also nearest to what the run waits for.
func (s *subject) addExits(exits []explain.Exit) {
	for _, exit := range exits {
		t := s.transition(exit.From, exit.Choice)
		s.after[t] = exit.After
		if exit.Shortest {
			s.better[t] = true
		}
	}
}

// followSlowest makes the slowest run the run of the subject. The faster choices are the better ones.
func (s *subject) followSlowest(slowest *explain.Slowest) {
	s.run = newRun(slowest.Run())
	s.slowest = true
	for _, f := range slowest.Faster {
		s.turns = append(s.turns, int(f.Step))
		for _, other := range f.Alternatives {
			s.better[s.m.Transition(slowest.Steps[f.Step].From, other.Label, other.To)] = true
		}
	}
}

// meaning returns the effect of t on the counterexample or, if that is unknown, the class of t.
func (s *subject) meaning(t lts.Transition) fate.Class {
	if after, known := s.after[t]; known {
		return after
	}
	return s.class(t)
}

// class returns the class of t; Neutral if it is unknown.
func (s *subject) class(t lts.Transition) fate.Class {
	if s.classes == nil {
		return fate.Neutral
	}
	return s.classes.Class(t.From, t.Label, t.To)
}

// kind returns the kind of the neighbourhood at a state; 0 if the state has none.
func (s *subject) kind(state lts.State) neighbourhood.Kind {
	if s.classes == nil || s.undecided {
		return 0
	}
	kind, _ := s.classes.Kind(state)
	return kind
}

// out returns the transitions that leave a state, in the order of the model.
func (s *subject) out(from lts.State) []lts.Transition {
	var out []lts.Transition
	for l, to := range s.m.From(from) {
		out = append(out, lts.Transition{From: from, Label: l, To: to})
	}
	return out
}

// selection is the part of a subject that is shown. Both ends of a shown transition are shown.
type selection struct {
	subject
	whole bool // whether every transition is shown; then transitions stays empty
	// order holds the shown states in the order of drawing,
	// which Graphviz takes as a hint.
	order       []lts.State
	states      map[lts.State]bool
	transitions map[lts.Transition]bool
	gaps        []Gap
	// offRunLeft is the number of transitions off the counterexample that still fit into an
	// excerpt.
	offRunLeft int
	bounds     bounds
}

// Gap represents consecutive steps of the counterexample that are not shown.
type Gap struct {
	From, To    lts.State
	First, Last int  // numbers of the steps, from 1
	Loop        bool // the steps belong to the loop
	Better      int  // the number of these steps with a better choice
}

// selectView selects the view that o asks for.
func selectView(ctx context.Context, s subject, o Options) (*selection, error) {
	if o.All != nil && s.run != nil && !s.slowest {
		union, err := newUnion(ctx, s.m, o.All)
		if err != nil {
			return nil, err
		}
		s.run = union
	}
	reach := s.m.Reachable()
	isTooLarge := o.Kind == Auto && o.tooLarge(reach) != ""
	if o.Kind == Excerpt || isTooLarge {
		return newExcerpt(s, o), nil
	}
	if reach.NumTransitions() > MaxWholeTransitions {
		large := fmt.Sprintf("diagram: the whole model has %d transitions, more than the %d that a picture can hold; ", reach.NumTransitions(), MaxWholeTransitions)
		return nil, hint.New(nil, large, hint.Excerpt)
	}
	sel := newSelection(s)
	sel.whole = true
	sel.bounds = boundsOf(o)
	// The initial state comes first, since Graphviz ranks a cyclic graph from its first node on.
	sel.addState(s.m.Initial())
	for i := range lts.State(s.m.NumStates()) {
		if reach.Has(i) {
			sel.addState(i)
		}
	}
	return sel, nil
}

// newExcerpt returns an excerpt. As long as its layout would be too much work, it halves the bounds on
// transitions off the counterexample.
func newExcerpt(s subject, o Options) *selection {
	b := boundsOf(o)
	for {
		sel := excerpt(s, b)
		if o.Full || b.offRunPerState == 0 || sel.graph().Work() <= maxExcerptWork {
			return sel
		}
		// The bounds on better choices shrink only once no other choice is shown.
		b.offRunPerState /= 2
		b.offRun /= 2
		if b.offRunPerState == 0 {
			b.betterPerState /= 2
			b.better /= 2
		}
	}
}

// sizeOf counts the states and transitions of the model itself, without the artificial
// state before several initial states.
func sizeOf(m *lts.LTS) Size {
	states, transitions := m.Size()
	return Size{states, transitions}
}

func newSelection(s subject) *selection {
	return &selection{
		subject:     s,
		states:      map[lts.State]bool{},
		transitions: map[lts.Transition]bool{},
	}
}

func (s *selection) addState(state lts.State) {
	if !s.states[state] {
		s.states[state] = true
		s.order = append(s.order, state)
	}
}

func (s *selection) addTransition(t lts.Transition) {
	s.addState(t.From)
	s.addState(t.To)
	s.transitions[t] = true
}

func (s *selection) shows(t lts.Transition) bool { return s.whole || s.transitions[t] }

// run is the counterexample, or the union of all shortest ones, indexed by states. It is drawn as
// the thick arrows of a picture. The index takes 8 bytes for each step, since a counterexample can
// have millions of steps.
type run struct {
	// trace is the counterexample that an excerpt follows; for a union, it is the first one.
	trace    *counterexample.Trace
	steps    steps
	union    *family // nil if there is only one counterexample
	loop     int     // the number of the first step of the loop of trace; 0 if there is none
	noReturn int     // the number of the step that passes the point of no return; 0 if there is none
}

// steps are the steps of a run, sorted. The upper half of a number is the state before the step, the
// lower half the index of the step.
type steps []uint64

// leaving returns the steps that leave a state. Cost O(log n).
func (s steps) leaving(state lts.State) steps {
	from, _ := slices.BinarySearch(s, uint64(state)<<32)
	to, _ := slices.BinarySearch(s, (uint64(state)+1)<<32)
	return s[from:to]
}

// index returns the index of the step at a position.
func (s steps) index(at int) int { return int(uint32(s[at])) }

// family is the union of all shortest counterexamples: their transitions and their states, and for each
// of these whether it is on a loop.
type family struct {
	Union
	transitions map[lts.Transition]bool
	states      map[lts.State]bool
}

// Union is a union of counterexamples. It has neither step numbers nor a point of no return, since
// these differ among the counterexamples.
type Union struct {
	Length      int // of each counterexample
	Transitions int // the number of transitions on at least one counterexample
}

// Mark is the role of a transition in the run.
type Mark struct {
	// Steps are the numbers, from 1, of the steps of the counterexample that take the transition; none
	// in a union. A run that comes from another tool may take a transition several times.
	Steps    []int
	Loop     bool // whether one of the steps belongs to the loop
	Closing  bool // whether the last step closes the loop
	NoReturn bool // whether one of the steps passes the point of no return
	// Return is the number of the step that passes the point of no return, if the arrow has several
	// steps; otherwise 0.
	Return int
}

// newRun indexes a counterexample. Cost O(n log n) for n steps, O(n) if their states ascend.
func newRun(t *counterexample.Trace) *run {
	all := make(steps, t.Len())
	for i := range all {
		all[i] = uint64(t.Step(i).From)<<32 | uint64(i)
	}
	slices.Sort(all)
	r := &run{trace: t, steps: all}
	if start, ok := t.LoopStart(); ok {
		r.loop = start + 1
	}
	return r
}

// newUnion indexes the union f. It fails if a counterexample is no run of m, or if ctx is done.
func newUnion(ctx context.Context, m *lts.LTS, f *counterexample.Family) (*run, error) {
	all, loops := f.Transitions()
	if !contains(m, all) {
		return nil, errors.New("diagram: the shortest counterexamples are those of another model; take the family of the model that was explained")
	}
	var r *run
	for first, err := range f.Each(ctx) {
		if err != nil {
			return nil, err
		}
		r = newRun(first)
		break
	}
	u := &family{
		Union:       Union{Length: f.Len(), Transitions: len(all)},
		transitions: make(map[lts.Transition]bool, len(all)),
		states:      map[lts.State]bool{r.trace.Initial(): false},
	}
	for _, t := range all {
		u.transitions[t] = false
		u.states[t.From] = false
		u.states[t.To] = false
	}
	for _, t := range loops {
		u.transitions[t] = true
		u.states[t.From] = true
	}
	r.union = u
	return r, nil
}

// contains reports whether all of the transitions are transitions of m. They must be sorted as in m.
func contains(m *lts.LTS, transitions []lts.Transition) bool {
	rest := transitions // those that were not found yet
	for len(rest) > 0 {
		from := rest[0].From
		if int(from) >= m.NumStates() {
			return false
		}
		for l, to := range m.From(from) {
			t := lts.Transition{From: from, Label: l, To: to}
			if len(rest) > 0 && rest[0] == t {
				rest = rest[1:]
			}
		}
		isMissing := len(rest) > 0 && rest[0].From == from
		if isMissing {
			return false
		}
	}
	return true
}

// takes reports whether some counterexample takes t.
func (r *run) takes(t lts.Transition) bool {
	_, takes := r.mark(t)
	return takes
}

// takesInTrace reports whether t is on trace, which for a union is the first counterexample.
func (r *run) takesInTrace(t lts.Transition) bool {
	leaving := r.steps.leaving(t.From)
	for i := range leaving {
		if r.trace.Step(leaving.index(i)) == t {
			return true
		}
	}
	return false
}

// mark returns the role of t in the run; false if the run does not take t. Cost: finding t, and its
// steps. The steps ascend, so the last one decides whether the transition is on the loop.
func (r *run) mark(t lts.Transition) (m Mark, isOnRun bool) {
	if r.union != nil {
		m.Loop, isOnRun = r.union.transitions[t]
		return m, isOnRun
	}
	leaving := r.steps.leaving(t.From)
	for i := range leaving {
		index := leaving.index(i)
		if r.trace.Step(index) == t {
			number := index + 1
			m.Steps = append(m.Steps, number)
			m.Loop = r.loop > 0 && number >= r.loop
			m.Closing = r.loop > 0 && number == r.trace.Len()
			m.NoReturn = m.NoReturn || number == r.noReturn
		}
	}
	return m, len(m.Steps) > 0
}

// visits reports whether some counterexample visits a state.
func (r *run) visits(state lts.State) bool {
	if r.union != nil {
		_, isOnUnion := r.union.states[state]
		return isOnUnion
	}
	return state == r.trace.Last() || len(r.steps.leaving(state)) > 0
}

// isOnLoop reports whether a step of a loop leaves a state.
func (r *run) isOnLoop(state lts.State) bool {
	if r.union != nil {
		return r.union.states[state]
	}
	leaving := r.steps.leaving(state)
	if r.loop == 0 || len(leaving) == 0 {
		return false
	}
	lastNumber := leaving.index(len(leaving)-1) + 1
	return lastNumber >= r.loop
}

// lostFromTheStart reports whether no run satisfies the property, so that the run decides nothing.
func lostFromTheStart(e *explain.Explanation) bool {
	return e.Counterexample != nil && e.Counterexample.InitialFate == simplify.Fated
}

// forbidden returns the transitions that must not be taken, each with its condition. It is nil for
// an unfolded model, since the repair is about states of the model itself. Cost O(number of
// transitions).
func forbidden(e *explain.Explanation) map[lts.Transition]string {
	if e.Repair == nil || !e.Repair.Solvable || e.IsUnfolded() {
		return nil
	}
	never := map[lts.Transition]string{}
	for _, f := range e.Repair.Never {
		never[e.LTS().Transition(lts.State(f.From), f.Label, lts.State(f.To))] = whenForbidden(e, f)
	}
	return never
}

// whenForbidden returns the condition under which a transition must not be taken; "forbid" if it
// must not be taken whatever happened before.
func whenForbidden(e *explain.Explanation, f explain.Forbidden) string {
	isAlways := len(f.Progress) == len(f.Comes)
	if isAlways {
		return "forbid"
	}
	if f.When != nil {
		return "forbid" + f.When.String()
	}
	if len(f.Pending) > 0 {
		var pending []string
		for _, words := range f.Pending {
			text := property.Phrase(words).String()
			if text == "" {
				text = "nothing is pending"
			}
			if !slices.Contains(pending, text) {
				pending = append(pending, text)
			}
		}
		condition := "forbid while " + strings.Join(pending, ", ")
		if f.Alike {
			condition += " (state " + progressOf(f) + " of the property)"
		}
		return condition
	}
	return "forbid with " + progressOf(f) + " of " + strconv.Itoa(len(e.Property.Steps)) +
		" done"
}

// progressOf lists the progress with which a transition is forbidden, as numbers of completed steps or
// as property states.
func progressOf(f explain.Forbidden) string {
	done := make([]string, len(f.Progress))
	for i, n := range f.Progress {
		done[i] = strconv.Itoa(n)
	}
	return strings.Join(done, ", ")
}

// diff returns the view of the counterexample and the nearest correct run: their common steps, then
// both branches.
func (e explanation) diff(o Options) (*Graph, error) {
	if e.Nearest == nil || e.IsUnfolded() {
		return nil, errors.New("diagram: no nearest correct run is known, which the view diff shows beside the counterexample; choose another view")
	}
	s := e.subject
	s.never = forbidden(e.Explanation)
	s.branch = map[lts.Transition]bool{}
	sel := newSelection(s)
	sel.bounds = boundsOf(o)
	sel.addState(s.m.Initial())
	sel.addSteps(s.keptSteps(sel.bounds.steps))
	for i, step := range e.Nearest.Steps {
		if step.Op == explain.Remove || i < e.Nearest.Fork {
			continue
		}
		t := s.m.Transition(lts.State(step.From), step.Label, lts.State(step.To))
		s.branch[t] = true
		sel.addTransition(t)
	}
	g := sel.graph()
	g.Caption = captionOf(e.Explanation, o)
	g.Caption.Near = e.Nearest.Near
	return g, nil
}

// Ahead is the path from a shown state to the nearest transition that the run waits for. It exists only
// if no arrow shows this transition.
type Ahead struct {
	State lts.State
	Steps int    // the length of a shortest path, including the last transition
	Label string // the label of that transition
}

// lookAhead adds to g the path to the nearest transition that the run waits for, if no arrow of g shows
// such a transition. nodeOf maps a state to its node. Cost: none for a lasso, otherwise a search from
// the choice that would have been better.
func (e explanation) lookAhead(
	ctx context.Context,
	g *Graph,
	nodeOf func(lts.State) lts.State,
) error {
	isPending := func(l Label) bool { return e.subject.pending[l.Text] }
	hasPending := func(a Arrow) bool {
		return slices.ContainsFunc(a.Labels, isPending)
	}
	waitsForNothing := len(e.subject.pending) == 0
	if waitsForNothing || g.Union != nil || slices.ContainsFunc(g.Arrows, hasPending) {
		return nil
	}
	ahead, found, err := e.wayAhead(ctx)
	if err != nil || !found {
		return err
	}
	// The path begins after the part that arrows of g show.
	for _, step := range e.Diagnosis.Way {
		isShown := g.shows(nodeOf(step.From), step.Label, nodeOf(step.To))
		if ahead.Steps == 1 || !isShown {
			break
		}
		ahead.State = step.To
		ahead.Steps--
	}
	ahead.State = nodeOf(ahead.State)
	if slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.State == ahead.State }) {
		g.Ahead = append(g.Ahead, ahead)
	}
	return nil
}

// shows reports whether an arrow between two nodes has a label.
func (g *Graph) shows(from lts.State, label string, to lts.State) bool {
	return slices.ContainsFunc(g.Arrows, func(a Arrow) bool {
		return a.From == from && a.To == to &&
			slices.ContainsFunc(a.Labels, func(l Label) bool { return l.Text == label })
	})
}

// wayAhead finds a shortest path to a transition that the run waits for. It returns the state where the
// path begins, its length, and the label of the transition. The path begins in the loop or, without a
// loop, after the better choice in the state where the property was lost.
func (e explanation) wayAhead(ctx context.Context) (_ Ahead, found bool, err error) {
	path := e.Diagnosis.Way
	if len(path) > 0 {
		return Ahead{
			State: path[0].From,
			Steps: len(path),
			Label: path[len(path)-1].Label,
		}, true, nil
	}
	start, found := e.betterChoice()
	if !found {
		return Ahead{}, false, nil
	}
	label := "" // of the transition
	var source lts.State
	leadsOn := func(state lts.State) bool {
		label = e.pendingLabelFrom(state)
		source = state
		return label != ""
	}
	tree, err := bfs.From(ctx, e.LTS(), []lts.State{start}, bfs.Options{Until: leadsOn})
	if err != nil || label == "" {
		return Ahead{}, false, err
	}
	distance, _ := tree.Distance(source)
	return Ahead{State: start, Steps: distance + 1, Label: label}, true, nil
}

// pendingLabelFrom returns the label of a transition from a state that the run waits for; "" if there is none.
func (e explanation) pendingLabelFrom(state lts.State) string {
	for l := range e.LTS().From(state) {
		text := e.LTS().Alphabet().Text(l)
		if e.subject.pending[text] {
			return text
		}
	}
	return ""
}

// betterChoice returns the target of the better choice at the point of no return or, if there is no
// such point, at the first decision; false if no choice there is better.
func (e explanation) betterChoice() (lts.State, bool) {
	var turn *explain.Decision
	for i := range e.Decisions {
		d := &e.Decisions[i]
		if turn == nil || d.PointOfNoReturn {
			turn = d
		}
	}
	if turn == nil {
		return 0, false
	}
	best := turn.Recommended()
	if len(best) == 0 {
		return 0, false
	}
	return best[0].To, true
}

// waitingStep returns the index of the first step of the loop whose source begins a shortest path to a
// transition with a pending label; -1 if there is none.
func (s *subject) waitingStep() int {
	if s.run == nil || s.run.loop == 0 {
		return -1
	}
	if s.leavingStep > 0 {
		return s.leavingStep - 1
	}
	for i := s.run.loop - 1; i < s.run.trace.Len(); i++ {
		if slices.ContainsFunc(s.out(s.run.trace.Step(i).From), s.isPending) {
			return i
		}
	}
	return -1
}

// isPending reports whether the run waits for t.
func (s *subject) isPending(t lts.Transition) bool {
	return len(s.pending) > 0 && slices.ContainsFunc(s.labels(t), func(text string) bool { return s.pending[text] })
}
