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
	// would have been best, if these are better than the step.
	Decides map[int]bool
	Better  map[int][]lts.Transition

	m        *lts.LTS
	a        oracle.Automaton
	from     *oracle.General
	first    []int // the state of the automaton before each step, the first time, and after the last
	again    []int // the same in the first round that repeats
	hopeless bool
}

// NewSteps judges a run that violates a property. Cost as for [oracle.NewGeneral].
func NewSteps(m *lts.LTS, a oracle.Automaton, run oracle.Run) *Steps {
	s := &Steps{
		Run:     run,
		Decides: map[int]bool{},
		Better:  map[int][]lts.Transition{},
		m:       m,
		a:       a,
		from:    oracle.NewGeneral(m, a),
	}
	s.follow()
	can, _ := s.from.Can(m.Initial(), a.Initial)
	if s.hopeless = !can; s.hopeless {
		return s
	}
	for i, t := range run.Transitions {
		if m.IsBefore(t.From) {
			continue
		}
		if s.hope(t.From, s.first[i]) > 0 && s.hope(t.To, s.first[i+1]) == 0 {
			s.NoReturn = i + 1
			s.Decides[i+1] = true
		}
		s.judge(i)
	}
	return s
}

// follow finds the states of the automaton along the run.
func (s *Steps) follow() {
	q := s.a.Initial
	for _, t := range s.Run.Transitions {
		s.first = append(s.first, q)
		q = s.a.Next(q, t.Label)
	}
	s.first = append(s.first, q)
	s.again = append(s.again, s.first...)
	if s.Run.Loop == oracle.NoLoop {
		return
	}
	var begins []int
	q = s.first[s.Run.Loop]
	for !slices.Contains(begins, q) {
		begins = append(begins, q)
		for _, t := range s.Run.Transitions[s.Run.Loop:] {
			q = s.a.Next(q, t.Label)
		}
	}
	for i := s.Run.Loop; i < len(s.Run.Transitions); i++ {
		s.again[i] = q
		q = s.a.Next(q, s.Run.Transitions[i].Label)
	}
}

// hope is 0 if the property is lost, 2 if it is certain, else 1.
func (s *Steps) hope(state lts.State, q int) int {
	accepts, rejects := s.from.Can(state, q)
	switch {
	case !accepts:
		return 0
	case !rejects:
		return 2
	}
	return 1
}

// judge finds out whether another transition would have been better than step i, counted from 0; on
// the loop, in the rounds that repeat.
func (s *Steps) judge(i int) {
	taken := s.Run.Transitions[i]
	most := s.hope(taken.To, s.a.Next(s.again[i], taken.Label))
	for _, t := range s.leaving(taken.From) {
		hope := s.hope(t.To, s.a.Next(s.again[i], t.Label))
		switch {
		case t == taken:
		case hope > most:
			most = hope
			s.Better[i+1] = []lts.Transition{t}
			s.Decides[i+1] = true
		case hope == most && len(s.Better[i+1]) > 0:
			s.Better[i+1] = append(s.Better[i+1], t)
		}
	}
}

func (s *Steps) leaving(state lts.State) (all []lts.Transition) {
	labels, targets := s.m.Out(state)
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

// possible are the labels that leave the source of step i, counted from 0, among those listed.
func (s *Steps) possible(i int, labels []string) bool {
	for _, t := range s.leaving(s.Run.Transitions[i].From) {
		for _, label := range labels {
			if s.m.Alphabet().Text(t.Label) == label {
				return true
			}
		}
	}
	return false
}

// Blamed checks which steps are said to be those that the diagnosis is about.
func (s *Steps) Blamed(d Diagnosed, numbers []int) error {
	blamed := map[int]bool{}
	for _, n := range numbers {
		blamed[n] = true
	}
	last := len(s.Run.Transitions)
	switch d.Kind {
	case "stops":
		return want(len(numbers) == min(last, 1) && (last == 0 || blamed[last]),
			"stops at %v, not at %d", numbers, last)
	case "lost":
		if s.NoReturn == 0 { // the property is lost where the run begins
			return want(len(numbers) == 1 && blamed[1] && s.m.IsBefore(s.Run.Transitions[0].From), "lost at %v", numbers)
		}
		return want(len(numbers) == 1 && blamed[s.NoReturn], "lost at %v, not at %d", numbers,
			s.NoReturn)
	case "forbidden":
		return want(len(numbers) == 1, "forbidden at %v", numbers)
	case "turned back":
		for _, n := range numbers {
			if n <= s.Run.Loop || s.possible(n-1, d.Pending) && d.Alike {
				return fmt.Errorf("turned back at step %d", n)
			}
		}
		return want(len(numbers) < 2, "turned back at %v", numbers)
	case "starved", "recurs":
		return s.blamedOnLoop(d, blamed)
	}
	return nil
}

func (s *Steps) blamedOnLoop(d Diagnosed, is map[int]bool) error {
	some := false
	for i, t := range s.Run.Transitions {
		label := s.m.Alphabet().Text(t.Label)
		could := s.possible(i, d.Pending)
		if d.Kind == "recurs" {
			could = false
			for _, text := range d.Recurring {
				could = could || text == label
			}
		}
		could = could && i >= s.Run.Loop
		if is[i+1] && !could {
			return fmt.Errorf("%s at step %d", d.Kind, i+1)
		}
		if d.Kind == "starved" && d.Alike && could && !is[i+1] {
			return fmt.Errorf("step %d is not starved", i+1)
		}
		some = some || is[i+1]
	}
	return want(some, "%s at no step", d.Kind)
}

// The forms of what is said of a step.
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
	return s.transition(number, m[2], m[3], m[4])
}

// transition checks that a step is this transition.
func (s *Steps) transition(number int, label, from, to string) error {
	if number < 1 || number > len(s.Run.Transitions) {
		return fmt.Errorf("there is no step %d", number)
	}
	t := s.Run.Transitions[number-1]
	is := s.m.Alphabet().Text(t.Label) == label && fmt.Sprint(t.To) == to &&
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
	if err := s.transition(number, m[2], m[3], m[4]); err != nil {
		return err
	}
	said, isBlamed := blamed[number]
	rest := m[5]
	nothing := strings.Contains(rest, "Nothing was decided here.")
	noReturn := strings.Contains(rest, "The point of no return: ")
	lostBefore := strings.Contains(rest, "The property was lost before; ")
	switch {
	case nothing && (s.Decides[number] || isBlamed):
		return fmt.Errorf("something is decided here, or the headline is about it")
	case noReturn != (s.NoReturn == number):
		return errors.New("the point of no return")
	case lostBefore && s.hope(s.Run.Transitions[number-1].To, s.first[number]) > 0:
		return errors.New("it was not lost before")
	case isBlamed && !s.Decides[number] && !strings.Contains(rest, said):
		return fmt.Errorf("the headline is about it, which says %q", said)
	}
	return nil
}

// Blame checks what is said of a step that the diagnosis is about.
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
		return s.transition(number, m[2], "", m[3])
	case "turned back":
		m := shortestForm.FindStringSubmatch(said)
		if m == nil {
			return fmt.Errorf("not understood: %q", said)
		}
		first := strings.Split(strings.Split(m[3], ", ")[0], " to state ")[0]
		if err := want(s.possible(number-1, []string{first}), "%s is not possible at step %d", first, number); err != nil {
			return err
		}
		return s.transition(number, m[4], "", m[5])
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
	return s.m.Alphabet().Text(s.Run.Transitions[number-1].Label)
}
