package view

import (
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/simplify/steprows"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// Bounds on an excerpt. They keep it readable, and its cost independent of the size of the model.
const (
	maxFan          = 6   // transitions around the counterexample of one state that are all shown
	fanOfMany       = 4   // those shown of a state with more
	maxBetter       = 6   // the better choices of one state that are all shown
	betterOfMany    = 3   // those shown of a state with more, as many as sentences name
	maxAround       = 12  // transitions of one state shown around the initial one, and of further runs
	maxSurroundings = 30  // states shown around the initial one
	maxBeside       = 250 // all transitions shown that are not on the counterexample
	maxOthers       = 150 // transitions shown of further shortest counterexamples
	maxSteps        = 80  // steps of a counterexample that is shown without gaps
	keptEnds        = 10  // steps kept at both ends of a longer counterexample
	keptDecisions   = 10  // choices kept on a longer counterexample, the nearest to its end
)

// bounds limit an excerpt.
type bounds struct {
	offRunPerState int // transitions of one state off the counterexample, up to which all are shown
	offRun         int // such transitions of all states
	betterPerState int // better choices in one state, up to which all are shown
	better         int // better choices in all states
	steps          int // steps of a run that is shown without gaps
	// isFull is set if nothing is left out, not even labels.
	isFull bool
	// hides reports whether the reader wants to see the run without steps of a label; nil if with all.
	hides func(label string) bool
}

// boundsOf returns how much of a model an excerpt shows.
func boundsOf(o Options) bounds {
	if o.Full {
		return bounds{
			offRunPerState: math.MaxInt,
			betterPerState: math.MaxInt,
			offRun:         math.MaxInt,
			better:         math.MaxInt,
			steps:          math.MaxInt,
			isFull:         true,
			hides:          steprows.Matching(o.Hide),
		}
	}
	return bounds{
		offRunPerState: maxFan,
		betterPerState: maxBetter,
		offRun:         maxBeside,
		better:         maxBeside,
		steps:          maxSteps,
		hides:          steprows.Matching(o.Hide),
	}
}

// excerpt selects the counterexample, its neighbourhoods with their outgoing transitions, all better
// choices, and the exits of its loop. It does the same for the union of all shortest counterexamples.
// If the property holds, it selects the states around the initial state.
func excerpt(s subject, b bounds) *selection {
	sel := newSelection(s)
	sel.bounds = b
	sel.offRunLeft = b.offRun
	sel.addState(s.m.Initial())
	if s.run == nil {
		sel.addAroundInitial()
		return sel
	}
	kept := s.keptSteps(b.steps)
	s.foldSteps(kept, b.hides)
	sel.addSteps(kept)
	sel.addBetterChoices(kept)
	if s.run.union == nil {
		sel.addPending()
	}
	var sources []lts.State
	if s.run.union != nil {
		sel.addOtherRuns()
		sources = append(sources, sel.order...)
	}
	for i, isKept := range kept {
		if isKept {
			sources = append(sources, s.run.trace.Step(i).From)
		}
	}
	sel.addAllOffRun(sources)
	return sel
}

// addAroundInitial selects the states nearest to the initial one, breadth first.
func (s *selection) addAroundInitial() {
	for i := 0; i < len(s.order); i++ {
		for _, t := range s.chooseFairly(s.out(s.order[i]), maxAround) {
			if s.states[t.To] || len(s.order) < maxSurroundings {
				s.addTransition(t)
			}
		}
	}
}

// addPending selects the transitions that the run waits for and that leave the state found by waitingStep.
func (s *selection) addPending() {
	step := s.waitingStep()
	if step < 0 {
		return
	}
	for _, t := range s.out(s.run.trace.Step(step).From) {
		if s.isPending(t) {
			s.addTransition(t)
		}
	}
}

// addOtherRuns selects the transitions of further counterexamples, breadth first.
func (s *selection) addOtherRuns() {
	budget := maxOthers
	for i := 0; i < len(s.order); i++ {
		others := slices.DeleteFunc(s.out(s.order[i]), func(t lts.Transition) bool {
			return !s.run.takes(t) || s.run.takesInTrace(t)
		})
		for _, t := range s.chooseFairly(others, maxAround) {
			if !s.transitions[t] && budget > 0 {
				budget--
				s.addTransition(t)
			}
		}
	}
}

// addAllOffRun selects the transitions that leave neighbourhoods on the counterexample, from its end
// backwards, so that the bound leaves out the decisions farthest from the violation. Then it selects
// those that leave the loop.
func (s *selection) addAllOffRun(sources []lts.State) {
	for _, state := range slices.Backward(sources) {
		if s.kind(state) != 0 {
			s.addOffRun(s.out(state))
		}
	}
	for _, state := range sources {
		if s.run.isOnLoop(state) {
			s.addOffRun(s.out(state))
		}
	}
}

// addBetterChoices selects better choices at the shown steps. It begins at the point of no return, and
// goes backwards from the end of the run, so that the bound leaves out the choices farthest from the
// violation.
func (s *selection) addBetterChoices(kept []bool) {
	budget := s.bounds.better
	visited := map[lts.State]bool{}
	addAt := func(step int) {
		from := s.run.trace.Step(step).From
		if visited[from] {
			return
		}
		visited[from] = true
		choices := s.betterFrom(from)
		if len(choices) > s.bounds.betterPerState {
			choices = choices[:min(betterOfMany, s.bounds.betterPerState)]
		}
		for _, t := range choices[:min(len(choices), budget)] {
			budget--
			s.addTransition(t)
		}
	}
	if s.run.noReturn > 0 {
		addAt(s.run.noReturn - 1)
	}
	for _, step := range slices.Backward(s.turns) {
		if kept[step] {
			addAt(step)
		}
	}
	if s.run.loop == 0 {
		return // the run has no loop
	}
	loopStart := s.run.loop - 1
	for step := loopStart; step < len(kept); step++ {
		if kept[step] {
			addAt(step)
		}
	}
}

// betterFrom returns the better choices in a state: those that make the property certain or, if there
// are none, the others. In a full picture it returns both.
func (s *selection) betterFrom(from lts.State) []lts.Transition {
	var best, others []lts.Transition
	for _, t := range s.out(from) {
		switch {
		case !s.better[t]:
		case s.after[t] == fate.Correct:
			best = append(best, t)
		default:
			others = append(others, t)
		}
	}
	if len(best) > 0 && !s.bounds.isFull {
		return best
	}
	return append(best, others...)
}

// addSteps selects the kept steps of the counterexample, and records the gaps between them.
func (s *selection) addSteps(kept []bool) {
	t := s.run.trace
	for i := 0; i < t.Len(); i++ {
		if kept[i] {
			s.addTransition(t.Step(i))
			continue
		}
		first := i
		for !kept[i+1] {
			i++
		}
		// Positions in s.turns count the turns before a step.
		turnsBefore, _ := slices.BinarySearch(s.turns, first)
		turnsBeforeEnd, _ := slices.BinarySearch(s.turns, i+1)
		s.gaps = append(s.gaps, Gap{
			From:   t.Step(first).From,
			To:     t.Step(i).To,
			First:  first + 1,
			Last:   i + 1,
			Loop:   s.run.loop > 0 && first+1 >= s.run.loop,
			Better: turnsBeforeEnd - turnsBefore,
		})
	}
}

// keptSteps reports, for each step of the counterexample, whether it is shown. If the number of
// steps exceeds most, only these are shown: its ends, the beginning of the loop, the point of no
// return, the state where the run waits, and the last decisions.
func (s *subject) keptSteps(most int) []bool {
	t := s.run.trace
	if t.Len() <= most {
		return slices.Repeat([]bool{true}, t.Len())
	}
	kept := make([]bool, t.Len())
	for i := range keptEnds {
		kept[i] = true
		kept[t.Len()-1-i] = true
	}
	for _, number := range []int{s.run.loop, s.run.noReturn, s.waitingStep() + 1} {
		if number > 0 {
			keepAround(kept, number-1)
		}
	}
	for _, step := range s.turns[max(0, len(s.turns)-keptDecisions):] {
		keepAround(kept, step)
	}
	s.keepLastDecisions(kept)
	for i := 1; i+1 < len(kept); i++ {
		isGapOfOne := !kept[i] && kept[i-1] && kept[i+1]
		if isGapOfOne {
			kept[i] = true // the gap would take as much room as the step
		}
	}
	return kept
}

// keepLastDecisions keeps the last steps from deciding states, and the steps around them.
func (s *subject) keepLastDecisions(kept []bool) {
	t := s.run.trace
	decisions := 0
	for i := t.Len() - 1; i >= 0 && decisions < keptDecisions; i-- {
		if s.kind(t.Step(i).From) != 0 {
			keepAround(kept, i)
			decisions++
		}
	}
}

// foldSteps leaves out the steps whose labels the reader has hidden, except decisions, the point of no return,
// the step where the run waits, the beginning of the loop and the last step.
func (s *subject) foldSteps(kept []bool, hides func(label string) bool) {
	t := s.run.trace
	if hides == nil || s.run.union != nil {
		return
	}
	isNeeded := map[int]bool{t.Len() - 1: true}
	for _, step := range s.turns {
		isNeeded[step] = true
	}
	for _, number := range []int{s.run.loop, s.run.noReturn, s.waitingStep() + 1} {
		isNeeded[number-1] = true
	}
	for i := range kept {
		label := s.m.Alphabet().Text(t.Step(i).Label)
		if hides(label) && !isNeeded[i] {
			kept[i] = false
		}
	}
}

// keepAround keeps step i and the step before it, so that step i does not follow a gap.
func keepAround(kept []bool, i int) {
	kept[i] = true
	kept[max(i-1, 0)] = true
}

// addOffRun selects, up to the bounds, transitions that are neither steps of the counterexample nor
// better choices; better choices have a bound of their own.
func (s *selection) addOffRun(transitions []lts.Transition) {
	others := slices.DeleteFunc(transitions, func(t lts.Transition) bool {
		return s.run.takes(t) || s.better[t]
	})
	for _, t := range s.fewOf(others) {
		if s.transitions[t] || s.offRunLeft == 0 {
			continue
		}
		s.offRunLeft--
		s.addTransition(t)
	}
}

// fewOf returns the transitions of one state off the counterexample or, if there are more than the bound
// allows, a few of them.
func (s *selection) fewOf(transitions []lts.Transition) []lts.Transition {
	if len(transitions) <= s.bounds.offRunPerState {
		return transitions
	}
	return s.chooseFairly(transitions, min(fanOfMany, s.bounds.offRunPerState))
}

// chooseFairly returns at most the given number of transitions of one state, in their order. It takes them
// from the classes in turn, so that it keeps a single correct transition among a thousand incorrect ones.
func (s *selection) chooseFairly(transitions []lts.Transition, most int) []lts.Transition {
	if len(transitions) <= most {
		return transitions
	}
	indices := make([]int, len(transitions))
	turnOf := make([]int, len(transitions)) // the turn in which each transition is taken
	turnsOfClass := map[fate.Class]int{}
	for i, t := range transitions {
		class := s.class(t)
		indices[i] = i
		turnOf[i] = turnsOfClass[class]
		turnsOfClass[class]++
	}
	slices.SortStableFunc(indices, func(a, b int) int {
		return turnOf[a] - turnOf[b]
	})
	indices = indices[:most]
	slices.Sort(indices)
	chosen := make([]lts.Transition, most)
	for i, index := range indices {
		chosen[i] = transitions[index]
	}
	return chosen
}
