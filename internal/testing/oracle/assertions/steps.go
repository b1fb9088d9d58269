package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// Steps are the facts about the single steps of a violating run, by brute force: what each of them
// decides, given the history of the run. Steps are numbered from 1, and each is one transition.
type Steps struct {
	Run oracle.Run
	// NoReturn is the number of the step that passes the point of no return, 0 if none does.
	NoReturn int
	// Decides has the numbers of the decisions. Better has, for each of them, the transitions that
	// would have been best, if these are better than the step; those that go on are preferred.
	Decides map[int]bool
	Better  map[int][]lts.Transition

	model          *lts.LTS
	automaton      oracle.Automaton
	fates          *oracle.General
	firstStates    []int // the state of the automaton before each step, the first time, and after the last
	repeatedStates []int // the state before each step in the first round that repeats, and after the last step
	hopeless       bool
}

// NewSteps judges a run that violates a property. Cost as for [oracle.NewGeneral].
func NewSteps(m *lts.LTS, a oracle.Automaton, run oracle.Run) *Steps {
	s := &Steps{
		Run:       run,
		Decides:   map[int]bool{},
		Better:    map[int][]lts.Transition{},
		model:     m,
		automaton: a,
		fates:     oracle.NewGeneral(m, a),
	}
	s.follow()
	can, _ := s.fates.Can(m.Initial(), a.Initial)
	s.hopeless = !can
	if s.hopeless {
		return s
	}
	for i, t := range run.Transitions {
		if m.IsBefore(t.From) {
			continue
		}
		if s.prospectOf(t.From, s.firstStates[i]) > 0 && s.prospectOf(t.To, s.firstStates[i+1]) == 0 {
			s.NoReturn = i + 1
			s.Decides[i+1] = true
		}
		s.compareChoices(i)
	}
	return s
}

// follow finds the states of the automaton along the run.
func (s *Steps) follow() {
	q := s.automaton.Initial
	for _, t := range s.Run.Transitions {
		s.firstStates = append(s.firstStates, q)
		q = s.automaton.Next(q, t.Label)
	}
	s.firstStates = append(s.firstStates, q)
	s.repeatedStates = slices.Clone(s.firstStates)
	if s.Run.Loop == oracle.NoLoop {
		return
	}
	loop := s.Run.Transitions[s.Run.Loop:]
	var roundStarts []int
	q = s.firstStates[s.Run.Loop]
	for !slices.Contains(roundStarts, q) {
		roundStarts = append(roundStarts, q)
		for _, t := range loop {
			q = s.automaton.Next(q, t.Label)
		}
	}
	for i, t := range loop {
		s.repeatedStates[s.Run.Loop+i] = q
		q = s.automaton.Next(q, t.Label)
	}
}

// prospectOf ranks what can become of the property from a state: 0 if it is lost, 2 if it is certain, else 1.
func (s *Steps) prospectOf(state lts.State, q int) int {
	accepts, rejects := s.fates.Can(state, q)
	switch {
	case !accepts:
		return 0
	case !rejects:
		return 2
	}
	return 1
}

// compareChoices finds out whether another transition would have been better than transition i of
// the run. On the loop, it compares them in the rounds that repeat.
func (s *Steps) compareChoices(i int) {
	taken := s.Run.Transitions[i]
	step := i + 1
	prospectOfTaken := s.prospectAfter(i, taken)
	best := 0
	for _, t := range s.outgoing(taken.From) {
		prospect := s.prospectAfter(i, t)
		if t == taken || prospect <= prospectOfTaken {
			continue
		}
		s.Decides[step] = true
		rank := prospect
		if !s.onlyStops(i, t) {
			rank += 2 // it is preferred, whatever the prospect is
		}
		if rank > best {
			best = rank
			s.Better[step] = nil
		}
		if rank == best {
			s.Better[step] = append(s.Better[step], t)
		}
	}
}

// onlyStops reports whether a run can only end in a deadlock after a transition from the source of transition
// i, although nothing is pending there and runs from there can go on forever.
func (s *Steps) onlyStops(i int, t lts.Transition) bool {
	return s.automaton.Stops(s.repeatedStates[i]) && s.isEndless(t.From) && !s.isEndless(t.To)
}

// isEndless reports whether some run from a state of the model is infinite: whether a path from it is longer
// than the number of states.
func (s *Steps) isEndless(from lts.State) bool {
	reached := map[lts.State]bool{from: true}
	for range s.model.NumStates() {
		next := map[lts.State]bool{}
		for state := range reached {
			for _, t := range s.outgoing(state) {
				next[t.To] = true
			}
		}
		reached = next
	}
	return len(reached) > 0
}

// prospectAfter is the prospect after a transition from the source of transition i, in the rounds that repeat.
func (s *Steps) prospectAfter(i int, t lts.Transition) int {
	return s.prospectOf(t.To, s.automaton.Next(s.repeatedStates[i], t.Label))
}

func (s *Steps) outgoing(state lts.State) (all []lts.Transition) {
	labels, targets := s.model.Out(state)
	for i, to := range targets {
		all = append(all, lts.Transition{
			From:  state,
			Label: labels.At(i),
			To:    to,
		})
	}
	return all
}

// Diagnosed is the part of a diagnosis on which captions of steps depend.
type Diagnosed struct {
	Kind      string
	Pending   []string
	Recurring []string
	// Alike reports whether each label of Pending makes progress at all places of the loop.
	Alike bool
	// Cause are the labels of the loop that the headline names as the cause.
	Cause []string
}

// isPossible reports whether a transition with one of these labels leaves the source of transition
// i of the run.
func (s *Steps) isPossible(i int, labels []string) bool {
	return slices.ContainsFunc(s.outgoing(s.Run.Transitions[i].From), func(t lts.Transition) bool {
		return slices.Contains(labels, s.model.Alphabet().Text(t.Label))
	})
}

// Blamed checks which steps are named as those that the diagnosis is about.
func (s *Steps) Blamed(d Diagnosed, numbers []int) error {
	isBlamed := map[int]bool{}
	for _, n := range numbers {
		isBlamed[n] = true
	}
	last := len(s.Run.Transitions)
	switch d.Kind {
	case "stops":
		areThese := len(numbers) == min(last, 1) && (last == 0 || isBlamed[last])
		return want(areThese, "stops at %v, not at %d", numbers, last)
	case "lost":
		expected := s.NoReturn
		if s.NoReturn == 0 { // the property is lost by the choice of an initial state
			if !s.model.IsBefore(s.Run.Transitions[0].From) {
				return fmt.Errorf("lost at %v", numbers)
			}
			expected = 1
		}
		return want(slices.Equal(numbers, []int{expected}), "lost at %v, not at %d", numbers, expected)
	case "forbidden":
		return want(len(numbers) == 1, "forbidden at %v", numbers)
	case "turned back":
		for _, n := range numbers {
			isBeforeLoop := n <= s.Run.Loop
			if isBeforeLoop || s.isPossible(n-1, d.Pending) && d.Alike {
				return fmt.Errorf("turned back at step %d", n)
			}
		}
		return want(len(numbers) < 2, "turned back at %v", numbers)
	case "starved", "recurs":
		return s.checkBlamedOnLoop(d, isBlamed)
	}
	return nil
}

// checkBlamedOnLoop checks that the blamed steps are on the loop, where what is pending is possible or, for the
// kind "recurs", what recurs is taken; and that none is left out if all these steps are alike.
func (s *Steps) checkBlamedOnLoop(d Diagnosed, isBlamed map[int]bool) error {
	anyBlamed := false
	for i := range s.Run.Transitions {
		step := i + 1
		canBeBlamed := s.isPossible(i, d.Pending)
		if d.Kind == "recurs" {
			canBeBlamed = slices.Contains(d.Recurring, s.Label(step))
		}
		isOnLoop := i >= s.Run.Loop
		canBeBlamed = canBeBlamed && isOnLoop
		if isBlamed[step] && !canBeBlamed {
			return fmt.Errorf("%s at step %d", d.Kind, step)
		}
		mustBeBlamed := d.Kind == "starved" && d.Alike && canBeBlamed
		if mustBeBlamed && !isBlamed[step] {
			return fmt.Errorf("step %d is not starved", step)
		}
		anyBlamed = anyBlamed || isBlamed[step]
	}
	return want(anyBlamed, "%s at no step", d.Kind)
}

// These are the forms of sentences about a step.
var (
	noReturnForm = regexp.MustCompile(`^Step (\d+) \((.*) from state (\S+) to state (\S+)\) is the point of no return\.$`)
	insteadForm  = regexp.MustCompile(`^(.+) (?:is possible here|would make progress here), and the run takes (.+) to state (\S+) instead\.$`)
	shortestForm = regexp.MustCompile(`^The shortest way to (.+), (\d+) steps, leaves the loop here \((.+)\); the run takes (.+) to state (\S+) instead\.$`)
	captionForm  = regexp.MustCompile(`^Step (\d+): (.*) from state (\S+) to state (\S+)\.(.*)$`)
)

// PointOfNoReturn checks a sentence about the step that passes the point of no return; "" claims that
// none does among these steps.
func (s *Steps) PointOfNoReturn(said string, among []int) error {
	if said == "" {
		return want(!slices.Contains(among, s.NoReturn),
			"nothing is said of step %d, the point of no return", s.NoReturn)
	}
	m := noReturnForm.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("not understood: %q", said)
	}
	number, _ := strconv.Atoi(m[1])
	if err := want(number == s.NoReturn && slices.Contains(among, number), "it is step %d, not %q", s.NoReturn, said); err != nil {
		return err
	}
	return s.checkTransition(number, m[2], m[3], m[4])
}

// checkTransition checks that a step is this transition.
func (s *Steps) checkTransition(number int, label, from, to string) error {
	if number < 1 || number > len(s.Run.Transitions) {
		return fmt.Errorf("there is no step %d", number)
	}
	t := s.Run.Transitions[number-1]
	is := s.model.Alphabet().Text(t.Label) == label && fmt.Sprint(t.To) == to &&
		(from == "" || fmt.Sprint(t.From) == from)
	return want(is, "step %d is no %s from %s to %s", number, label, from, to)
}

// Caption checks the caption of a step: whether the step is blamed for the violation, whether
// something was decided, and whether the property was lost before. blamed has the words about each
// blamed step.
func (s *Steps) Caption(number int, text string, blamed map[int]string) error {
	m := captionForm.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("not understood: %q", text)
	}
	if n, _ := strconv.Atoi(m[1]); n != number {
		return fmt.Errorf("step %d is called %s", number, m[1])
	}
	if err := s.checkTransition(number, m[2], m[3], m[4]); err != nil {
		return err
	}
	blame, isBlamed := blamed[number]
	rest := m[5]
	saysNothingDecided := strings.Contains(rest, "Nothing was decided here.")
	saysNoReturn := strings.Contains(rest, "The point of no return: ")
	saysLostBefore := strings.Contains(rest, "The property was lost before; ")
	taken := s.Run.Transitions[number-1]
	switch {
	case saysNothingDecided && (s.Decides[number] || isBlamed):
		return fmt.Errorf("something is decided here, or the headline is about it")
	case saysNoReturn != (s.NoReturn == number):
		return errors.New("the point of no return")
	case saysLostBefore && s.prospectOf(taken.To, s.firstStates[number]) > 0:
		return errors.New("it was not lost before")
	case isBlamed && !s.Decides[number] && !strings.Contains(rest, blame):
		return fmt.Errorf("the headline is about it, which says %q", blame)
	}
	return nil
}

// Blame checks the sentence about a step that the diagnosis is about.
func (s *Steps) Blame(number int, said string, d Diagnosed) error {
	if said == "This happens in every round." {
		return want(slices.Contains(s.Causing(d), number), "step %d is no cause on the loop",
			number)
	}
	switch d.Kind {
	case "starved":
		m := insteadForm.FindStringSubmatch(said)
		if m == nil {
			return fmt.Errorf("not understood: %q", said)
		}
		taken := m[2]
		target := m[3]
		return s.checkTransition(number, taken, "", target)
	case "turned back":
		m := shortestForm.FindStringSubmatch(said)
		if m == nil {
			return fmt.Errorf("not understood: %q", said)
		}
		way := m[3]
		taken := m[4]
		target := m[5]
		firstStep, _, _ := strings.Cut(way, ", ")
		firstLabel, _, _ := strings.Cut(firstStep, " to state ")
		if !s.isPossible(number-1, []string{firstLabel}) {
			return fmt.Errorf("%s is not possible at step %d", firstLabel, number)
		}
		return s.checkTransition(number, taken, "", target)
	}
	return want(said != "", "nothing is said of step %d", number)
}

// Causing returns the numbers of the steps of the loop whose labels the headline names as the cause.
func (s *Steps) Causing(d Diagnosed) []int {
	var numbers []int
	for i := range s.Run.Transitions {
		isOnLoop := s.Run.Loop != oracle.NoLoop && i >= s.Run.Loop
		if isOnLoop && slices.Contains(d.Cause, s.Label(i+1)) {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// Deciding checks which step is said to decide, and why.
func (s *Steps) Deciding(number int, why string, blamed []int) error {
	last := 0
	for n := range s.Decides {
		last = max(last, n)
	}
	switch {
	case s.NoReturn > 0:
		return want(number == s.NoReturn && why == "point of no return",
			"%s at step %d, not %d", why, number, s.NoReturn)
	case last > 0:
		return want(number == last && why == "last decision", "%s at step %d, not %d", why,
			number, last)
	case len(blamed) > 0:
		return want(number == blamed[0] && why == "diagnosis",
			"%s at step %d, the diagnosis is about %v", why, number, blamed)
	}
	return want(number == len(s.Run.Transitions) && why == "last step", "%s at step %d", why,
		number)
}

// Label returns the label of a step.
func (s *Steps) Label(number int) string {
	return s.model.Alphabet().Text(s.Run.Transitions[number-1].Label)
}
