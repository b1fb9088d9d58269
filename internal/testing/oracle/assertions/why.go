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
	y := &answer{Checker: c, question: q, forms: map[string]bool{}}
	for _, paragraph := range said {
		if err := y.checkParagraph(paragraph); err != nil {
			return fmt.Errorf("%q: %w", paragraph, err)
		}
	}
	return y.checkComplete()
}

// outcomeForm is a form of clauses about the class of taking the action.
type outcomeForm struct {
	pattern    *regexp.Regexp
	class      oracle.Class
	isAboutRun bool // whether the class is for the run at hand
}

// answer checks one answer.
type answer struct {
	*Checker
	question Question
	// forms are the forms that occurred. listed are the positions that the answer lists because the
	// action was possible and not taken there; unlisted is the number of further positions that it
	// only counts.
	forms    map[string]bool
	listed   []int
	unlisted int
}

var answers = []struct {
	name    string
	pattern *regexp.Regexp
	check   func(y *answer, m []string) error
}{
	{"taken", regexp.MustCompile(`^The run does take it: in steps? ([\d, –]+)\.$`), (*answer).taken},
	{"taken there", regexp.MustCompile(`^The run does take it there\.$`), (*answer).takenThere},
	{"not there", regexp.MustCompile(`^It is not possible there(, nor in any state that can be reached from there)?\.$`), (*answer).notThere},
	{"there", regexp.MustCompile(`^It is possible there\. (.+)$`), (*answer).there},
	{"further", regexp.MustCompile(`^It was possible and not taken at (\d+) further places\.$`), func(y *answer, m []string) error {
		y.unlisted = number(m[1])
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

func (y *answer) checkParagraph(said string) error {
	for _, a := range answers {
		m := a.pattern.FindStringSubmatch(said)
		if m != nil {
			y.forms[a.name] = true
			y.Understood["why: "+a.name]++
			return a.check(y, m)
		}
	}
	return errors.New("not understood")
}

// numPositions is the number of positions of the run; if the run ends, its end is the
// last position.
func (y *answer) numPositions() int {
	if y.Run.Loop == oracle.NoLoop {
		return len(y.Run.Transitions) + 1
	}
	return len(y.Run.Transitions)
}

// actionsFrom returns the transitions with the action that leave a state.
func (y *answer) actionsFrom(s lts.State) []lts.Transition {
	return slices.DeleteFunc(slices.Clone(y.judge.Out(s)), func(t lts.Transition) bool {
		return !y.question.Action[t.Label]
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
			if len(y.actionsFrom(at)) > 0 {
				return n
			}
			for _, t := range y.judge.Out(at) {
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
	for i := range y.numPositions() {
		if len(y.actionsFrom(y.stateAt(i))) > 0 {
			all = append(all, i+1)
		}
	}
	return all
}

func (y *answer) takenAt() []int {
	var all []int
	for i, t := range y.Run.Transitions {
		if y.question.Action[t.Label] {
			all = append(all, i+1)
		}
	}
	return all
}

// othersAt returns the transitions with the action at a position that the run
// does not take.
func (y *answer) othersAt(i int) []lts.Transition {
	return slices.DeleteFunc(y.actionsFrom(y.stateAt(i)), func(t lts.Transition) bool {
		return i < len(y.Run.Transitions) && t == y.Run.Transitions[i]
	})
}

func (y *answer) taken(m []string) error {
	return want(slices.Equal(readRanges(m[1]), y.takenAt()), "it does in %v", y.takenAt())
}

func (y *answer) takenThere([]string) error {
	return want(slices.Contains(y.takenAt(), *y.question.Step+1), "it does in %v", y.takenAt())
}

// readRanges reads a list of numbers and ranges.
func readRanges(said string) []int {
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

// stateAsked returns the state of the question.
func (y *answer) stateAsked() lts.State {
	if y.question.State != nil {
		return *y.question.State
	}
	return y.stateAt(*y.question.Step)
}

// notThere checks that the action is not possible in the state of the question and, if the question names a
// state, whether it is said to be out of reach from there.
func (y *answer) notThere(m []string) error {
	saysOutOfReach := m[1] != ""
	distance := y.distance(y.stateAsked())
	isOutOfReach := distance < 0
	mayTell := y.question.State != nil
	if saysOutOfReach != (mayTell && isOutOfReach) {
		return fmt.Errorf("it is %d transitions away", distance)
	}
	return want(distance != 0, "it is")
}

func (y *answer) there(m []string) error {
	if y.question.State == nil {
		return errors.New("a state was not asked for")
	}
	s := *y.question.State
	return y.checkOutcomes(m[1], y.actionsFrom(s), nil, func(t lts.Transition) oracle.Class {
		return y.classOverHistories([]lts.Transition{t})
	})
}

// classOverHistories returns the class of the last transition of a path over all histories with which
// runs reach the beginning of the path.
func (y *answer) classOverHistories(path []lts.Transition) oracle.Class {
	last := path[len(path)-1]
	classes := map[oracle.Class]bool{}
	for initial := range max(len(y.Steps)+1, y.mostStates) {
		if !y.judge.Arrives(path[0].From, initial) {
			continue
		}
		progress := initial
		for _, t := range path[:len(path)-1] {
			progress = y.judge.Advance(progress, t.Label)
		}
		classes[y.judge.ClassAfter(progress, last)] = true
	}
	switch {
	case len(classes) == 1 && classes[oracle.Correct]:
		return oracle.Correct
	case len(classes) == 1 && classes[oracle.Incorrect]:
		return oracle.Incorrect
	}
	return oracle.Neutral
}

// missedAt checks a paragraph about a transition of the run where the action was possible, and the run took
// another one.
func (y *answer) missedAt(m []string) error {
	state := number(m[1])
	step := number(m[2])
	inEveryRound := m[3] != ""
	another := m[4]
	sameAction := m[5]
	i := step - 1
	y.listed = append(y.listed, i)
	t := y.Run.Transitions[i]
	return errors.Join(
		want(int(y.stateAt(i)) == state, "it is state %d", y.stateAt(i)),
		want(y.onLoop(i) == inEveryRound, "in every round: %t", y.onLoop(i)),
		want(text(another+sameAction) == y.labelText(t.Label), "it took %v", t),
		want(y.question.Action[t.Label] == (sameAction != ""), "the run does it: %t", y.question.Action[t.Label]),
		y.checkHelp(i, m[6]))
}

// missedAtEnd checks a paragraph about the action in the state where the run ends.
func (y *answer) missedAtEnd(m []string) error {
	i := len(y.Run.Transitions)
	y.listed = append(y.listed, i)
	endsThere := y.Run.Loop == oracle.NoLoop && int(y.stateAt(i)) == number(m[1])
	return errors.Join(want(endsThere, "it ends in %d", y.stateAt(i)), y.checkHelp(i, m[2]))
}

// progressOfRounds returns the progress with which the run reaches a position: in the
// rounds that repeat, and in the first round.
func (y *answer) progressOfRounds(i int) (repeated, first int) {
	if i == len(y.Run.Transitions) {
		return y.firstProgress[i], y.firstProgress[i]
	}
	return y.progressAt(i), y.firstProgress[i]
}

// checkHelp checks what the answer says of taking the action at a position of the
// run.
func (y *answer) checkHelp(i int, said string) error {
	repeated, first := y.progressOfRounds(i)
	isLost := !y.judge.Free(y.stateAt(i), repeated)
	if said == "It would not have helped: for this run the property was lost before." {
		return want(isLost, "the property was possible")
	}
	if isLost {
		return errors.New("the property was lost before, but the text does not say so")
	}
	return y.checkOutcomes(said, y.othersAt(i), y.classAfter(first), y.classAfter(repeated))
}

// classAfter returns the function that classifies transitions from a state with this progress.
func (y *answer) classAfter(progress int) func(lts.Transition) oracle.Class {
	return func(t lts.Transition) oracle.Class { return y.judge.ClassAfter(progress, t) }
}

var outcomes = []outcomeForm{
	{regexp.MustCompile(`^(.+) would have made (?:the property|it) certain$`), oracle.Correct, true},
	{regexp.MustCompile(`^(.+) would have kept (?:the property|it) possible$`), oracle.Neutral, true},
	{regexp.MustCompile(`^(.+) would have lost (?:the property|it)$`), oracle.Incorrect, true},
	{regexp.MustCompile(`^(.+) makes (?:the property|it) certain on every run that comes there$`), oracle.Correct, false},
	{regexp.MustCompile(`^(.+) leaves (?:the property|it) open$`), oracle.Neutral, false},
	{regexp.MustCompile(`^(.+) loses (?:the property|it) on every run that comes there$`), oracle.Incorrect, false},
}

// checkOutcomes checks the claim about transitions with the action. classNow classifies them for
// the run at hand, and classFirst for its first round. If classFirst is nil, the claim is about all
// runs that reach the source of the transitions.
func (y *answer) checkOutcomes(
	said string,
	transitions []lts.Transition,
	classFirst, classNow func(lts.Transition) oracle.Class,
) error {
	isAboutRun := classFirst != nil
	now, inFirstRound, tellsDifference := strings.Cut(said, " In the first round: ")
	if err := y.checkOutcomeClauses(now, transitions, isAboutRun, classNow); err != nil {
		return err
	}
	differs := isAboutRun && slices.ContainsFunc(transitions, func(t lts.Transition) bool {
		return classFirst(t) != classNow(t)
	})
	if tellsDifference != differs {
		return fmt.Errorf("the first round differs: %t", differs)
	}
	if !differs {
		return nil
	}
	return y.checkOutcomeClauses(inFirstRound, transitions, true, classFirst)
}

var meant = regexp.MustCompile("(" + label + `) to state (\d+)`)

// checkOutcomeClauses checks that clauses name each of the transitions once, with its class.
func (y *answer) checkOutcomeClauses(
	said string,
	transitions []lts.Transition,
	isAboutRun bool,
	classOf func(lts.Transition) oracle.Class,
) error {
	untold := slices.Clone(transitions)
	for _, clause := range strings.Split(strings.TrimSuffix(said, "."), "; ") {
		k := slices.IndexFunc(outcomes, func(f outcomeForm) bool {
			return f.isAboutRun == isAboutRun && f.pattern.MatchString(clause)
		})
		if k < 0 {
			return fmt.Errorf("clause %q", clause)
		}
		for _, m := range meant.FindAllStringSubmatch(clause, -1) {
			i := slices.IndexFunc(untold, func(t lts.Transition) bool {
				return y.labelText(t.Label) == text(m[1]) && int(t.To) == number(m[2])
			})
			if i < 0 {
				return fmt.Errorf("%s is none of %v", m[0], transitions)
			}
			class := classOf(untold[i])
			if class != outcomes[k].class {
				return fmt.Errorf("%s is %v", m[0], class)
			}
			untold = slices.Delete(untold, i, i+1)
		}
	}
	return want(len(untold) == 0, "%v are not mentioned", untold)
}

// elsewhere checks the other steps of the run where the action was possible, and those where it happened.
func (y *answer) elsewhere(m []string) error {
	withoutAsked := func(steps []int) []int {
		return slices.DeleteFunc(slices.Clone(steps), func(step int) bool {
			return step == *y.question.Step+1
		})
	}
	var happened []int
	if m[2] != "" {
		happened = readRanges(m[2])
	}
	possible := withoutAsked(y.possible())
	taken := withoutAsked(y.takenAt())
	return errors.Join(
		want(slices.Equal(readRanges(m[1]), possible), "it was in %v", possible),
		want(slices.Equal(happened, taken), "it happened in %v", taken))
}

// positionsAsked returns the positions of the run that the question covers.
func (y *answer) positionsAsked() []int {
	if y.question.Step != nil {
		return []int{*y.question.Step}
	}
	var all []int
	for i := range y.numPositions() {
		all = append(all, i)
	}
	return all
}

// nearest checks a paragraph about the nearest state where the action is possible: the length of the way to it,
// the way itself, and what taking the action there would mean.
func (y *answer) nearest(m []string) error {
	w := way{
		end:    lts.State(number(m[1])),
		length: number(m[2]),
		from:   lts.State(number(m[3])),
		labels: strings.Split(m[6], ", "),
		place:  noPlace,
	}
	if y.question.State != nil {
		if w.from != *y.question.State || y.distance(w.from) != w.length {
			return fmt.Errorf("it is %d transitions away", y.distance(*y.question.State))
		}
		return y.checkWay(w, m[7])
	}
	step := m[4]
	inEveryRound := m[5] != ""
	for _, i := range y.positionsAsked() {
		d := y.distance(y.stateAt(i))
		if d >= 0 && d < w.length {
			return fmt.Errorf("from step %d it is %d transitions away", i+1, d)
		}
		mayOmitStep := step == "" && y.question.Step != nil
		isNamed := number(step) == i+1 && y.onLoop(i) == inEveryRound
		if y.stateAt(i) == w.from && (mayOmitStep || isNamed) {
			w.place = i
		}
	}
	if w.place == noPlace {
		return fmt.Errorf("state %d is not there", w.from)
	}
	return y.checkWay(w, m[7])
}

// way is a path to a state where the action is possible.
type way struct {
	from, end lts.State
	length    int
	labels    []string // as they are quoted
	place     int      // the position of the run where the path begins; noPlace if the question is about a state
}

const noPlace = -1

// checkWay checks a path to a state where the action is possible, and the claim
// about taking the action there. Several paths can have the same labels; the
// claim must be true of one of them. A path whose labels are folded is not checked.
func (y *answer) checkWay(w way, claim string) error {
	isFolded := slices.ContainsFunc(w.labels, func(l string) bool { return strings.Contains(l, "` ×") })
	if len(w.labels) != w.length || isFolded {
		return nil
	}
	err := errors.New("there is no such way")
	for _, path := range y.pathsWith(w.labels, w.from) {
		if path[len(path)-1].To != w.end {
			continue
		}
		err = y.checkAfterPath(path, w.place, claim)
		if err == nil {
			return nil
		}
	}
	return err
}

// pathsWith returns all paths from a state that have these labels.
func (y *answer) pathsWith(labels []string, from lts.State) [][]lts.Transition {
	paths := [][]lts.Transition{nil}
	for _, l := range labels {
		var longer [][]lts.Transition
		for _, path := range paths {
			end := from
			if len(path) > 0 {
				end = path[len(path)-1].To
			}
			for _, t := range y.judge.Out(end) {
				if y.labelText(t.Label) == text(l) {
					longer = append(longer, append(slices.Clone(path), t))
				}
			}
		}
		paths = longer
	}
	return paths
}

// checkAfterPath checks the claim about taking the action at the end of a path from a place of the run.
func (y *answer) checkAfterPath(path []lts.Transition, place int, claim string) error {
	actions := y.actionsFrom(path[len(path)-1].To)
	if place == noPlace {
		return y.checkOutcomes(claim, actions, nil, func(t lts.Transition) oracle.Class {
			return y.classOverHistories(append(slices.Clone(path), t))
		})
	}
	repeated, first := y.progressOfRounds(place)
	var classOfPath oracle.Class
	for _, t := range path {
		classOfPath = y.judge.ClassAfter(repeated, t)
		repeated = y.judge.Advance(repeated, t.Label)
		first = y.judge.Advance(first, t.Label)
	}
	switch classOfPath {
	case oracle.Correct:
		return want(claim == "The property is certain there, whatever follows.",
			"the property is certain before the action")
	case oracle.Incorrect:
		return want(claim == "The property is lost there, whatever follows.",
			"the property is lost before the action")
	}
	return y.checkOutcomes(claim, actions, y.classAfter(first), y.classAfter(repeated))
}

func (y *answer) gone(m []string) error {
	n := number(m[1])
	t := y.Run.Transitions[n-1]
	return errors.Join(
		want(t.To == lts.State(number(m[3])) && y.labelText(t.Label) == text(m[2]),
			"it is %v", t),
		want(y.distance(t.To) < 0, "it can"),
		want(y.distance(t.From) >= 0, "it cannot any more before that"))
}

// checkComplete checks that nothing is left out.
func (y *answer) checkComplete() error {
	if y.question.State != nil {
		return want(y.forms["there"] != y.forms["not there"],
			"the text says whether it is possible there: %v", y.forms)
	}
	if !y.Violated {
		return want(len(y.forms) == 0, "the property holds: %v", y.forms)
	}
	var missed []int
	isPossible := false
	isAhead := false
	for _, i := range y.positionsAsked() {
		if len(y.othersAt(i)) > 0 {
			missed = append(missed, i)
		}
		d := y.distance(y.stateAt(i))
		isPossible = isPossible || d == 0
		isAhead = isAhead || d > 0
	}
	isLost := slices.ContainsFunc(y.states, func(s lts.State) bool { return y.distance(s) < 0 })
	isAboutRun := y.question.Step == nil
	return errors.Join(
		want(y.unlisted > 0 || slices.Equal(y.listed, missed),
			"it was possible and not taken at %v; the text lists %v", missed, y.listed),
		want(y.unlisted == 0 || len(y.listed)+y.unlisted == len(missed),
			"it was possible and not taken at %d places", len(missed)),
		want(y.forms["nearest"] == (!isPossible && isAhead), "the text names a nearest place: %t",
			y.forms["nearest"]),
		want((y.forms["gone"] || y.forms["never"]) == isLost,
			"the text says that it is out of reach: %t", !isLost),
		want(!isAboutRun || y.forms["taken"] == (len(y.takenAt()) > 0),
			"the text says that it is taken: %t", y.forms["taken"]),
		want(!isAboutRun || y.forms["nowhere"] == (len(y.possible()) == 0),
			"the text says that it is possible nowhere: %t", y.forms["nowhere"]))
}
