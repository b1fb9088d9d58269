package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// Question asks why an action did not happen: on the whole run, before transition
// Step (the length of the run means its end), or in a State.
type Question struct {
	Action map[lts.Label]bool
	Step   *int
	State  *lts.State
}

// Answer checks the paragraphs of an answer. Each paragraph must be complete.
func (c *Checker) Answer(q Question, said []string) error {
	y := &answer{Checker: c, q: q, forms: map[string]bool{}}
	for _, paragraph := range said {
		if err := y.paragraph(paragraph); err != nil {
			return fmt.Errorf("%q: %w", paragraph, err)
		}
	}
	return y.complete()
}

// answer checks one answer.
type answer struct {
	*Checker
	q Question
	// forms are the forms that occurred. missed are the positions that the
	// answer lists because the action was possible and not taken there; more is
	// the number of further ones that it only counts.
	forms  map[string]bool
	missed []int
	more   int
}

var answers = []struct {
	name string
	is   *regexp.Regexp
	do   func(y *answer, m []string) error
}{
	{"taken", regexp.MustCompile(`^The run does take it: in steps? ([\d, –]+)\.$`), (*answer).taken},
	{"taken there", regexp.MustCompile(`^The run does take it there\.$`), (*answer).takenThere},
	{"not there", regexp.MustCompile(`^It is not possible there(, nor in any state that can be reached from there)?\.$`), (*answer).notThere},
	{"there", regexp.MustCompile(`^It is possible there\. (.+)$`), (*answer).there},
	{"further", regexp.MustCompile(`^It was possible and not taken at (\d+) further places\.$`), func(y *answer, m []string) error {
		y.more = number(m[1])
		return nil
	}},
	{"missed", regexp.MustCompile(`^In state (\d+) \(step (\d+)(, in every round)?\) it was possible(?:, and the run took (` + label + `)| in another way than by the (` + label + `) that the run took)\. (.+)$`), (*answer).missedAt},
	{"missed at the end", regexp.MustCompile(`^In state (\d+), where the counterexample ends, it is possible\. (.+)$`), (*answer).missedAtEnd},
	{"nowhere", regexp.MustCompile(`^It was possible nowhere on this run\.$`), func(y *answer, _ []string) error {
		return want(len(y.possible()) == 0, "it was at %v", y.possible())
	}},
	{"elsewhere", regexp.MustCompile(`^Elsewhere on the run it was possible in steps? ([\d, –]+?)(?:, and it happened in steps? ([\d, –]+))?\.$`), (*answer).elsewhere},
	{"nearest", regexp.MustCompile(`^The nearest place with it is state (\d+), (\d+) transitions? on from state (\d+)(?: \(step (\d+)(, in every round)?\))?: (.+?)\. (.+)$`), (*answer).nearest},
	{"never", regexp.MustCompile(`^No run of the model does it: it leaves no state that can be reached\.$`), func(y *answer, _ []string) error {
		return want(y.distance(y.Model.Initial()) < 0, "a run does it")
	}},
	{"gone", regexp.MustCompile(`^After step (\d+) \((` + label + `), into state (\d+)\) it can no longer happen\.$`), (*answer).gone},
}

func (y *answer) paragraph(said string) error {
	for _, a := range answers {
		if m := a.is.FindStringSubmatch(said); m != nil {
			y.forms[a.name] = true
			y.Understood["why: "+a.name]++
			return a.do(y, m)
		}
	}
	return errors.New("not understood")
}

// ends is the number of positions of the run; if the run ends, its end is the
// last position.
func (y *answer) ends() int {
	if y.Run.Loop == oracle.NoLoop {
		return len(y.Run.Transitions) + 1
	}
	return len(y.Run.Transitions)
}

// actions returns the transitions with the action that leave a state.
func (y *answer) actions(s lts.State) []lts.Transition {
	return slices.DeleteFunc(slices.Clone(y.o.Out(s)), func(t lts.Transition) bool {
		return !y.q.Action[t.Label]
	})
}

// distance returns the least number of transitions from a state to a transition
// with the action; -1 if there is none.
func (y *answer) distance(s lts.State) int {
	visited := map[lts.State]bool{s: true}
	level := []lts.State{s}
	for n := 0; len(level) > 0; n++ {
		var next []lts.State
		for _, at := range level {
			if len(y.actions(at)) > 0 {
				return n
			}
			for _, t := range y.o.Out(at) {
				if !visited[t.To] {
					visited[t.To] = true
					next = append(next, t.To)
				}
			}
		}
		level = next
	}
	return -1
}

// stateAt returns the state before transition i of the run.
func (y *answer) stateAt(i int) lts.State { return y.states[i] }

// possible returns the positions of the run, from 1, at which the action is
// possible.
func (y *answer) possible() []int {
	var all []int
	for i := range y.ends() {
		if len(y.actions(y.stateAt(i))) > 0 {
			all = append(all, i+1)
		}
	}
	return all
}

func (y *answer) takenAt() []int {
	var all []int
	for i, t := range y.Run.Transitions {
		if y.q.Action[t.Label] {
			all = append(all, i+1)
		}
	}
	return all
}

// othersAt returns the transitions with the action at a position that the run
// does not take.
func (y *answer) othersAt(i int) []lts.Transition {
	return slices.DeleteFunc(y.actions(y.stateAt(i)), func(t lts.Transition) bool {
		return i < len(y.Run.Transitions) && t == y.Run.Transitions[i]
	})
}

func (y *answer) taken(m []string) error {
	return want(slices.Equal(listOf(m[1]), y.takenAt()), "it does in %v", y.takenAt())
}

func (y *answer) takenThere([]string) error {
	return want(slices.Contains(y.takenAt(), *y.q.Step+1), "it does in %v", y.takenAt())
}

// listOf reads a list of numbers and ranges.
func listOf(said string) []int {
	var all []int
	for _, part := range strings.Split(said, ", ") {
		first, last, stretch := strings.Cut(part, "–")
		if !stretch {
			last = first
		}
		for i := number(first); i <= number(last); i++ {
			all = append(all, i)
		}
	}
	return all
}

// asked returns the state of the question.
func (y *answer) asked() lts.State {
	if y.q.State != nil {
		return *y.q.State
	}
	return y.stateAt(*y.q.Step)
}

func (y *answer) notThere(m []string) error {
	d := y.distance(y.asked())
	if y.q.State == nil && m[1] != "" || y.q.State != nil && (m[1] != "") != (d < 0) {
		return fmt.Errorf("it is %d transitions away", d)
	}
	return want(d != 0, "it is")
}

func (y *answer) there(m []string) error {
	if y.q.State == nil {
		return errors.New("a state was not asked for")
	}
	s := *y.q.State
	return y.meanings(m[1], y.actions(s), nil, func(t lts.Transition) oracle.Class {
		return y.classOf([]lts.Transition{t})
	})
}

// classOf returns the class of a path over all histories with which runs reach
// its beginning.
func (y *answer) classOf(path []lts.Transition) oracle.Class {
	visited := map[oracle.Class]bool{}
	for j := range max(len(y.Steps)+1, y.mostStates) {
		if !y.o.Arrives(path[0].From, j) {
			continue
		}
		for _, t := range path[:len(path)-1] {
			j = y.o.Advance(j, t.Label)
		}
		visited[y.o.ClassAfter(j, path[len(path)-1])] = true
	}
	switch {
	case len(visited) == 1 && visited[oracle.Correct]:
		return oracle.Correct
	case len(visited) == 1 && visited[oracle.Incorrect]:
		return oracle.Incorrect
	}
	return oracle.Neutral
}

func (y *answer) missedAt(m []string) error {
	i := number(m[2]) - 1
	y.missed = append(y.missed, i)
	took := m[4]
	if took == "" {
		took = m[5]
	}
	t := y.Run.Transitions[i]
	return errors.Join(
		want(int(y.stateAt(i)) == number(m[1]), "it is state %d", y.stateAt(i)),
		want(y.onLoop(i) == (m[3] != ""), "in every round: %t", y.onLoop(i)),
		want(text(took) == y.Model.Alphabet().Text(t.Label), "it took %v", t),
		want(y.q.Action[t.Label] == (m[5] != ""), "the run does it: %t", y.q.Action[t.Label]),
		y.help(i, m[6]))
}

func (y *answer) missedAtEnd(m []string) error {
	i := len(y.Run.Transitions)
	y.missed = append(y.missed, i)
	return errors.Join(want(y.Run.Loop == oracle.NoLoop && int(y.stateAt(i)) == number(m[1]), "it ends in %d", y.stateAt(i)), y.help(i, m[2]))
}

// progress returns the progress with which the run reaches a position: in the
// rounds that repeat, and in the first round.
func (y *answer) progress(i int) (now, first int) {
	if i == len(y.Run.Transitions) {
		return y.first[i], y.first[i]
	}
	return y.at(i), y.first[i]
}

// help checks what the answer says of taking the action at a position of the
// run.
func (y *answer) help(i int, said string) error {
	now, first := y.progress(i)
	lost := !y.o.Free(y.stateAt(i), now)
	if said == "It would not have helped: for this run the property was lost before." {
		return want(lost, "the property was possible")
	}
	if lost {
		return errors.New("the property was lost before, which is not told")
	}
	return y.meanings(said, y.othersAt(i), func(t lts.Transition) oracle.Class {
		return y.o.ClassAfter(first, t)
	},
		func(t lts.Transition) oracle.Class { return y.o.ClassAfter(now, t) })
}

var outcomes = []struct {
	is    *regexp.Regexp
	class oracle.Class
	run   bool // whether the class is for the run at hand
}{
	{regexp.MustCompile(`^(.+) would have made (?:the property|it) certain$`), oracle.Correct, true},
	{regexp.MustCompile(`^(.+) would have kept (?:the property|it) possible$`), oracle.Neutral, true},
	{regexp.MustCompile(`^(.+) would have lost (?:the property|it)$`), oracle.Incorrect, true},
	{regexp.MustCompile(`^(.+) makes (?:the property|it) certain on every run that comes there$`), oracle.Correct, false},
	{regexp.MustCompile(`^(.+) leaves (?:the property|it) open$`), oracle.Neutral, false},
	{regexp.MustCompile(`^(.+) loses (?:the property|it) on every run that comes there$`), oracle.Incorrect, false},
}

// meanings checks the claim about transitions with the action: for the run at
// hand, and for its first round if first is set, or for all runs that reach their
// source.
func (y *answer) meanings(
	said string,
	all []lts.Transition,
	first, now func(lts.Transition) oracle.Class,
) error {
	rounds, before, differs := strings.Cut(said, " In the first round: ")
	if err := y.classes(rounds, all, first != nil, now); err != nil {
		return err
	}
	different := first != nil && slices.ContainsFunc(all, func(t lts.Transition) bool { return first(t) != now(t) })
	if differs != different {
		return fmt.Errorf("the first round differs: %t", different)
	}
	if !differs {
		return nil
	}
	return y.classes(before, all, true, first)
}

var meant = regexp.MustCompile("(" + label + `) to state (\d+)`)

func (y *answer) classes(
	said string,
	all []lts.Transition,
	run bool,
	of func(lts.Transition) oracle.Class,
) error {
	left := slices.Clone(all)
	for _, clause := range strings.Split(strings.TrimSuffix(said, "."), "; ") {
		at := slices.IndexFunc(outcomes, func(o struct {
			is    *regexp.Regexp
			class oracle.Class
			run   bool
		}) bool {
			return o.run == run && o.is.MatchString(clause)
		})
		if at < 0 {
			return fmt.Errorf("clause %q", clause)
		}
		for _, m := range meant.FindAllStringSubmatch(clause, -1) {
			i := slices.IndexFunc(left, func(t lts.Transition) bool {
				return y.Model.Alphabet().Text(t.Label) == text(m[1]) &&
					int(t.To) == number(m[2])
			})
			if i < 0 {
				return fmt.Errorf("%s is none of %v", m[0], all)
			}
			if class := of(left[i]); class != outcomes[at].class {
				return fmt.Errorf("%s is %v", m[0], class)
			}
			left = slices.Delete(left, i, i+1)
		}
	}
	return want(len(left) == 0, "%v are not told", left)
}

func (y *answer) elsewhere(m []string) error {
	not := func(all []int) []int {
		return slices.DeleteFunc(slices.Clone(all), func(i int) bool {
			return i == *y.q.Step+1
		})
	}
	var happened []int
	if m[2] != "" {
		happened = listOf(m[2])
	}
	return errors.Join(
		want(slices.Equal(listOf(m[1]), not(y.possible())), "it was in %v", not(y.possible())),
		want(slices.Equal(happened, not(y.takenAt())), "it happened in %v", not(y.takenAt())))
}

// from returns the positions of the run that the question covers.
func (y *answer) from() []int {
	if y.q.Step != nil {
		return []int{*y.q.Step}
	}
	var all []int
	for i := range y.ends() {
		all = append(all, i)
	}
	return all
}

func (y *answer) nearest(m []string) error {
	end, length, from := lts.State(number(m[1])), number(m[2]), lts.State(number(m[3]))
	place := -1
	if y.q.State != nil {
		if from != *y.q.State || y.distance(from) != length {
			return fmt.Errorf("it is %d transitions away", y.distance(*y.q.State))
		}
	} else {
		for _, i := range y.from() {
			d := y.distance(y.stateAt(i))
			if d >= 0 && d < length {
				return fmt.Errorf("from step %d it is %d transitions away", i+1, d)
			}
			if y.stateAt(i) == from &&
				(m[4] == "" && y.q.Step != nil ||
					number(m[4]) == i+1 && y.onLoop(i) == (m[5] != "")) {
				place = i
			}
		}
		if place < 0 {
			return fmt.Errorf("state %d is not there", from)
		}
	}
	return y.along(m[6], from, end, length, place, m[7])
}

// along checks a path to a state where the action is possible, and the claim
// about taking the action there. Several paths can have the same labels; the
// claim must be true of one of them.
func (y *answer) along(
	labels string,
	from, end lts.State,
	length, place int,
	meaning string,
) error {
	paths := [][]lts.Transition{nil}
	said := strings.Split(labels, ", ")
	if len(said) != length || slices.ContainsFunc(said, func(l string) bool { return strings.Contains(l, "` ×") }) {
		return nil // folded
	}
	for _, l := range said {
		var next [][]lts.Transition
		for _, p := range paths {
			s := from
			if len(p) > 0 {
				s = p[len(p)-1].To
			}
			for _, t := range y.o.Out(s) {
				if y.Model.Alphabet().Text(t.Label) == text(l) {
					next = append(next, append(slices.Clone(p), t))
				}
			}
		}
		paths = next
	}
	err := errors.New("there is no such way")
	for _, p := range paths {
		if p[len(p)-1].To != end {
			continue
		}
		if err = y.afterPath(p, place, meaning); err == nil {
			return nil
		}
	}
	return err
}

func (y *answer) afterPath(path []lts.Transition, place int, meaning string) error {
	all := y.actions(path[len(path)-1].To)
	if place < 0 {
		return y.meanings(meaning, all, nil, func(t lts.Transition) oracle.Class {
			return y.classOf(append(slices.Clone(path), t))
		})
	}
	now, first := y.progress(place)
	var there oracle.Class
	for _, t := range path {
		there = y.o.ClassAfter(now, t)
		now, first = y.o.Advance(now, t.Label), y.o.Advance(first, t.Label)
	}
	switch there {
	case oracle.Correct:
		return want(meaning == "The property is certain there, whatever follows.",
			"the property is certain before the action")
	case oracle.Incorrect:
		return want(meaning == "The property is lost there, whatever follows.",
			"the property is lost before the action")
	}
	return y.meanings(meaning, all, func(t lts.Transition) oracle.Class {
		return y.o.ClassAfter(first, t)
	},
		func(t lts.Transition) oracle.Class { return y.o.ClassAfter(now, t) })
}

func (y *answer) gone(m []string) error {
	n := number(m[1])
	t := y.Run.Transitions[n-1]
	return errors.Join(
		want(t.To == lts.State(number(m[3])) && y.Model.Alphabet().Text(t.Label) == text(m[2]),
			"it is %v", t),
		want(y.distance(t.To) < 0, "it can"),
		want(y.distance(t.From) >= 0, "it cannot any more before that"))
}

// complete checks that nothing is left out.
func (y *answer) complete() error {
	if y.q.State != nil {
		return want(y.forms["there"] != y.forms["not there"],
			"it is told whether it is possible there: %v", y.forms)
	}
	if !y.Violated {
		return want(len(y.forms) == 0, "the property holds: %v", y.forms)
	}
	var missed []int
	near, away := false, -1
	for _, i := range y.from() {
		if len(y.othersAt(i)) > 0 {
			missed = append(missed, i)
		}
		d := y.distance(y.stateAt(i))
		near = near || d == 0
		if d > 0 && (away < 0 || d < away) {
			away = d
		}
	}
	last := y.ends() - 1
	lost := y.distance(y.stateAt(last)) < 0 ||
		slices.ContainsFunc(y.states, func(s lts.State) bool { return y.distance(s) < 0 })
	return errors.Join(
		want(y.more > 0 || slices.Equal(y.missed, missed),
			"it was possible and not taken at %v, told are %v", missed, y.missed),
		want(y.more == 0 || len(y.missed)+y.more == len(missed),
			"it was possible and not taken at %d places", len(missed)),
		want(y.forms["nearest"] == (!near && away > 0), "a nearest place is told: %t",
			y.forms["nearest"]),
		want((y.forms["gone"] || y.forms["never"]) == lost,
			"that it is out of reach is told: %t", !lost),
		want(y.q.Step != nil || y.forms["taken"] == (len(y.takenAt()) > 0),
			"that it is taken is told: %t", y.forms["taken"]),
		want(y.q.Step != nil || y.forms["nowhere"] == (len(y.possible()) == 0),
			"that it is possible nowhere is told: %t", y.forms["nowhere"]))
}
