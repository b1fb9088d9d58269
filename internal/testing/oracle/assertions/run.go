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

// want returns an error unless a claim is true.
func want(claim bool, format string, args ...any) error {
	if claim {
		return nil
	}
	return fmt.Errorf(format, args...)
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

func numbers(s string) []int {
	var list []int
	for _, n := range strings.Split(s, ", ") {
		list = append(list, number(n))
	}
	return list
}

// text returns the text of a quoted label.
func text(quoted string) string { return strings.TrimSpace(strings.Trim(quoted, "`")) }

// labelText returns the text of a label of the model.
func (c *Checker) labelText(l lts.Label) string { return c.Model.Alphabet().Text(l) }

// quote returns the text of a label as sentences quote it.
func (c *Checker) quote(l lts.Label) string { return "`" + c.labelText(l) + "`" }

// takenLabel returns the text of the label of a step of the run, counted from 1.
func (c *Checker) takenLabel(step int) string {
	return c.labelText(c.Run.Transitions[step-1].Label)
}

// Progress checks the steps of the property that the run is said to do: each with
// the round of the loop, the transition, and the progress after it.
func (c *Checker) Progress(said [][3]int) error {
	var does [][3]int
	for i := range c.Run.Transitions {
		if c.firstProgress[i+1] > c.firstProgress[i] {
			does = append(does, [3]int{1, i, c.firstProgress[i+1]})
		}
	}
	progress := c.firstProgress[len(c.Run.Transitions)]
	for round := 2; round <= len(c.Steps)+2; round++ {
		progress = c.followLoop(progress, func(i, after int) {
			does = append(does, [3]int{round, i, after})
		})
	}
	return want(slices.Equal(said, does), "the run is said to do %v, it does %v", said, does)
}

// verdict checks the first sentence of a report: the property holds and each run does all its steps, or it is
// violated for the reason that the diagnosis gives.
func (c *Checker) verdict(m []string) error {
	claimsSatisfied := m[2] == "satisfies"
	stepsDone := m[4]
	reason := m[5]
	isSatisfied := c.judge.Satisfied()
	if claimsSatisfied != isSatisfied {
		return fmt.Errorf("satisfied: %v", isSatisfied)
	}
	if stepsDone != "" {
		first, last, err := c.stepRange(stepsDone)
		if err != nil {
			return err
		}
		isWhole := first == 1 && last == len(c.Steps)
		return want(isSatisfied && isWhole, "the property has %d steps", len(c.Steps))
	}
	if isSatisfied && len(c.Steps) > 0 && isBounds(reason) {
		return c.checkBounds(reason)
	}
	return errors.Join(want(!isSatisfied, "the property is satisfied"), c.checkDiagnosis(reason))
}

func (c *Checker) initialDeadlock([]string) error {
	return want(len(c.judge.Out(c.Model.Initial())) == 0, "transitions leave it")
}

// checkLength checks a claim about the length of the run, and whether the run is called a shortest one.
func (c *Checker) checkLength(subject, length string) error {
	n := len(c.Run.Transitions)
	if number(length) != n {
		return fmt.Errorf("it has %d", n)
	}
	least, _ := c.judge.ShortestLength()
	switch subject {
	case "A shortest counterexample", "The given counterexample, a shortest one,":
		return want(n == least, "one has length %d", least)
	case "The given counterexample":
		return want(n > least, "it is a shortest one, but the text does not say so")
	}
	return fmt.Errorf("subject %q", subject)
}

func (c *Checker) stopsRefused(m []string) error {
	last := c.states[len(c.states)-1]
	return errors.Join(c.checkLength(m[1], m[2]),
		want(number(m[3]) == int(last) && c.mayEnd(last), "it ends in %d", last), c.checkRefused(m[4], m[5]))
}

func (c *Checker) deadlock(m []string) error {
	last := c.states[len(c.states)-1]
	return errors.Join(c.checkLength(m[1], m[2]),
		want(c.Run.Loop == oracle.NoLoop && number(m[3]) == int(last), "it ends in %d", last))
}

func (c *Checker) wholeLoop(m []string) error {
	return errors.Join(c.checkLength(m[1], m[2]),
		want(c.Run.Loop == 0, "its loop begins at %d", c.Run.Loop))
}

func (c *Checker) lasso(m []string) error {
	loop := 1
	if m[3] != "one is" {
		loop = number(strings.TrimSuffix(m[3], " are"))
	}
	return errors.Join(c.checkLength(m[1], m[2]),
		want(c.Run.Loop > 0 && len(c.Run.Transitions)-c.Run.Loop == loop,
			"its loop begins at %d", c.Run.Loop))
}

// checkStepName checks the name of step number step of the property, from 1, which
// distinguishes it from earlier equal ones: "A", "a second A", "another A".
func (c *Checker) checkStepName(name string, step int) error {
	if step > len(c.Steps) {
		return fmt.Errorf("the property has no step %d", step)
	}
	if c.namedByLabels(name, step) {
		c.Understood["set by labels"]++
		return nil
	}
	expected := c.ordinalOf(step) + "`" + c.Patterns[step-1] + "`"
	return want(name == expected, "step %d is %s, not %s", step, expected, name)
}

// ordinalOf returns the words before a step that a run has done before, perhaps several times.
func (c *Checker) ordinalOf(step int) string {
	pattern := c.Patterns[step-1]
	same := 1
	for same < step && c.Patterns[step-1-same] == pattern {
		same++
	}
	switch {
	case same > 1:
		return [...]string{2: "a second ", 3: "a third ", 4: "a fourth "}[same]
	case slices.Contains(c.Patterns[:step-1], pattern):
		return "another "
	}
	return ""
}

// namedByLabels reports whether a step is a set of labels, and a text names it by these labels.
func (c *Checker) namedByLabels(name string, step int) bool {
	if !strings.HasPrefix(c.Patterns[step-1], "{") {
		return false
	}
	list, isThis := strings.CutPrefix(name, c.ordinalOf(step))
	if !isThis {
		return false
	}
	list = strings.TrimPrefix(list, "one of ")
	labels := map[string]bool{}
	for l := range c.Steps[step-1] {
		labels[c.labelText(l)] = true
	}
	texts := strings.Split(strings.ReplaceAll(list, " or ", ", "), ", ")
	for _, text := range texts {
		label, isQuoted := strings.CutPrefix(text, "`")
		label = strings.TrimSuffix(label, "`")
		if !isQuoted || !labels[label] {
			return false
		}
		delete(labels, label)
	}
	return len(labels) == 0
}

// noneForm matches the text that none of several labels can happen any more.
var noneForm = regexp.MustCompile(`none of (.+) can happen any more`)

// noneEver matches the text that none of several labels ever happens.
var noneEver = regexp.MustCompile(`none of (.+) ever happens`)

// noneAnywhere matches the text that none of several labels happens anywhere.
var noneAnywhere = regexp.MustCompile(`none of (.+) happens anywhere`)

// fromState and fromOneState match a headline that leaves out the labels of a way.
var (
	fromState    = regexp.MustCompile(`steps away from state (\d+) of the loop; in each round`)
	fromOneState = regexp.MustCompile(`steps away from state (\d+), where the run takes`)
)

// ofOne returns a diagnosis with texts about none of several labels as about one of them, and with a place for the
// labels of a way that it leaves out.
func ofOne(said string) string {
	said = fromState.ReplaceAllString(said, "steps away from the loop (state $1: …); in each round")
	said = fromOneState.ReplaceAllString(said, "steps away from state $1 (…), where the run takes")
	said = noneForm.ReplaceAllString(said, "one of $1 can no longer happen")
	said = noneEver.ReplaceAllString(said, "one of $1 never happens")
	return noneAnywhere.ReplaceAllString(said, "one of $1 happens nowhere")
}

// stepRange returns the range of consecutive steps of the property that a list
// names.
func (c *Checker) stepRange(list string) (first, last int, err error) {
	names := strings.Split(list, ", later ")
	for first = 1; first+len(names)-1 <= len(c.Steps); first++ {
		err = nil
		for i, name := range names {
			err = errors.Join(err, c.checkStepName(name, first+i))
		}
		if err == nil {
			return first, first + len(names) - 1, nil
		}
	}
	return 0, 0, fmt.Errorf("%q is no part of the property", list)
}

func (c *Checker) never(m []string) error {
	return errors.Join(c.checkStepName(m[1], 1), want(c.finalProgress == 0, "it does %d steps", c.finalProgress))
}

func (c *Checker) missing(m []string) error {
	first, last, err := c.stepRange(m[1])
	if err != nil {
		return err
	}
	return errors.Join(want(first == 1 && last == c.finalProgress, "it does %d steps", c.finalProgress),
		c.checkStepName(m[2], c.finalProgress+1))
}

func (c *Checker) undecided(m []string) error {
	first, last, err := c.stepRange(m[1])
	if err != nil {
		return err
	}
	return errors.Join(
		want(!c.judge.Free(c.Model.Initial(), 0), "some run satisfies the property"),
		want(first == 1 && !c.steps.CanDo(c.Model.Initial(), 1, last), "some run does"),
		want(last == 1 || c.steps.CanDo(c.Model.Initial(), 1, last-1),
			"even less is out of reach"))
}

func (c *Checker) alwaysPossible([]string) error {
	for i := range c.states {
		if !c.free(i) {
			return fmt.Errorf("after %d transitions it is not", i)
		}
	}
	return nil
}

// nothingBetter checks that no other transition would have been better than the run's or, if the
// sentence says so, that none would have been after the first round of the loop.
func (c *Checker) nothingBetter(m []string) error {
	betterOnce := false
	for i := range c.Run.Transitions {
		if i > 0 && c.free(i) && !c.free(i+1) {
			return fmt.Errorf("transition %d passes the point of no return", i)
		}
		for _, t := range c.alternatives(i) {
			if isBetter(c.judge.ClassAfter(c.progressAt(i), t),
				c.judge.ClassAfter(c.progressAt(i), c.Run.Transitions[i])) {
				return fmt.Errorf("%v would have been better", t)
			}
			betterOnce = betterOnce || c.judge.ClassAfter(c.firstProgress[i], t) == oracle.Correct
		}
	}
	return want(betterOnce == (m[1] != ""),
		"in the first round another choice would have been better: %t", betterOnce)
}

func isBetter(a, b oracle.Class) bool {
	hope := map[oracle.Class]int{oracle.Incorrect: 0, oracle.Neutral: 1, oracle.Correct: 2}
	return hope[a] > hope[b]
}

// alternatives returns the transitions that the run could have taken instead of
// transition i.
func (c *Checker) alternatives(i int) []lts.Transition {
	return slices.DeleteFunc(c.judge.Out(c.states[i]), func(t lts.Transition) bool {
		return t == c.Run.Transitions[i] ||
			c.excludesLoop && slices.Contains(c.Run.Transitions[c.Run.Loop:], t)
	})
}

// byHistory checks whether the class of a choice depends on the history, for
// every state of the run at which a choice matters.
func (c *Checker) byHistory(m []string) error {
	matter := map[lts.State]bool{}
	kinds := c.judge.Neighbourhoods(c.Reading)
	for i := range c.Run.Transitions {
		taken := c.judge.ClassAfter(c.progressAt(i), c.Run.Transitions[i])
		matters := c.free(i) && !c.free(i+1)
		for _, t := range c.alternatives(i) {
			matters = matters || isBetter(c.judge.ClassAfter(c.progressAt(i), t), taken)
		}
		if matters && !c.dependsOnHistory(i) {
			return fmt.Errorf("in state %d it does not", c.states[i])
		}
		if _, is := kinds[c.states[i]]; matters && is {
			return fmt.Errorf("state %d is a neighbourhood", c.states[i])
		}
		if matters {
			matter[c.states[i]] = true
		}
	}
	return want((m[1] == "this state") == (len(matter) == 1), "choices matter in %v", matter)
}

// dependsOnHistory reports whether some transition from the state before transition i has
// another class for another history.
func (c *Checker) dependsOnHistory(i int) bool {
	for j := range max(len(c.Steps)+1, c.mostStates) {
		for _, t := range c.judge.Out(c.states[i]) {
			if c.judge.Arrives(c.states[i], j) &&
				c.judge.ClassAfter(j, t) != c.judge.ClassAfter(c.progressAt(i), t) {
				return true
			}
		}
	}
	return false
}

// kept returns the transitions of the abstracted run.
func (c *Checker) kept() []int {
	var kept []int
	kinds := c.judge.Neighbourhoods(c.Reading)
	for i, t := range c.Run.Transitions {
		_, from := kinds[t.From]
		_, to := kinds[t.To]
		if from || to || c.free(i) && !c.free(i+1) {
			kept = append(kept, i)
		}
	}
	return kept
}

// abstraction checks which transitions of the run the abstracted run keeps.
func (c *Checker) abstraction(m []string) error {
	kept := c.kept()
	var labels []string
	for _, i := range kept {
		labels = append(labels, c.labelText(c.Run.Transitions[i].Label))
	}
	var said []string
	for _, l := range strings.Split(m[3], ", ") {
		name, times, folds := strings.Cut(l, " ×")
		for range max(1, number(times)) {
			said = append(said, text(name))
		}
		if folds && number(times) < 2 {
			return fmt.Errorf("%q", l)
		}
	}
	if !strings.Contains(m[3], "…") && !slices.Equal(said, labels) {
		return fmt.Errorf("it keeps %v", labels)
	}
	return want(number(m[1]) == len(kept) && number(m[2]) == len(c.Run.Transitions),
		"it keeps %d of %d", len(kept), len(c.Run.Transitions))
}

var (
	spanForm = regexp.MustCompile(`within (\d+) to (\d+)|after exactly (\d+)`)
	cutForm  = regexp.MustCompile(`, … \((\d+) more\)`)
)

// checkBounds checks the number of transitions within which each step of a chain that
// holds is done.
func (c *Checker) checkBounds(said string) error {
	claims := spanForm.FindAllStringSubmatch(said, -1)
	omitted := 0
	m := cutForm.FindStringSubmatch(said)
	if m != nil {
		omitted = number(m[1])
	}
	if len(claims)+omitted != len(c.Steps) {
		return fmt.Errorf("%q has bounds of %d steps, and the property has %d", said,
			len(claims)+omitted, len(c.Steps))
	}
	for i, claim := range claims {
		step := i + 1
		isBehindGap := omitted > 0 && i == len(claims)-1
		if isBehindGap {
			step += omitted
		}
		claimed := span{least: number(claim[1]), most: number(claim[2])}
		exactly := claim[3]
		if exactly != "" {
			claimed = span{least: number(exactly), most: number(exactly)}
		}
		x := waiting{c: c, step: step, known: map[waitingPlace]span{}}
		computed := x.from(waitingPlace{c.Model.Initial(), 0})
		if computed != claimed {
			return fmt.Errorf("%q: step %d is done within %d to %d", said, step, computed.least,
				computed.most)
		}
	}
	return nil
}

// isBounds reports whether a text has the form of bounds.
func isBounds(said string) bool { return spanForm.MatchString(said) }

// waiting explores all runs until a step is done.
type waiting struct {
	c     *Checker
	step  int
	known map[waitingPlace]span
}

// span is the fewest and the most transitions until a step is done.
type span struct{ least, most int }

type waitingPlace struct {
	state lts.State
	done  int
}

// from returns the fewest and the most transitions until the step is done. It
// terminates because the property holds: no run goes on forever without the
// step.
func (x waiting) from(p waitingPlace) span {
	if p.done >= x.step {
		return span{}
	}
	if found, isKnown := x.known[p]; isKnown {
		return found
	}
	const unset = -1
	s := span{least: unset}
	labels, targets := x.c.Model.Out(p.state)
	for i, t := range targets {
		next := waitingPlace{t, p.done}
		if x.c.Steps[p.done][labels.At(i)] {
			next.done++
		}
		after := x.from(next)
		if s.least == unset || after.least+1 < s.least {
			s.least = after.least + 1
		}
		s.most = max(s.most, after.most+1)
	}
	x.known[p] = s
	return s
}

// decisionsOffRun returns the neighbourhoods that the run does not pass, by what can become of the property
// there, in the words of sentences.
func (c *Checker) decisionsOffRun() map[string]map[lts.State]bool {
	outcomeOf := map[oracle.Kind]string{
		oracle.KindCorrect:      "saved",
		oracle.KindIncorrect:    "lost",
		oracle.KindMixed:        "saved or lost",
		oracle.KindMixedNeutral: "saved or lost",
	}
	byOutcome := map[string]map[lts.State]bool{}
	for s, kind := range c.judge.Neighbourhoods(c.Reading) {
		isOnRun := slices.ContainsFunc(c.Run.Transitions, func(t lts.Transition) bool {
			return t.From == s
		})
		if isOnRun {
			continue
		}
		outcome := outcomeOf[kind]
		if byOutcome[outcome] == nil {
			byOutcome[outcome] = map[lts.State]bool{}
		}
		byOutcome[outcome][s] = true
	}
	return byOutcome
}

var (
	oneGroup = regexp.MustCompile(`^(?:the property|it) can be (saved or lost|saved|lost) \(states? (.+)\)$`)
	group    = regexp.MustCompile(`(\d+) where ((?:the property|it) can be (?:saved or lost|saved|lost) \(states? .+?\))`)
)

// elsewhere checks a sentence about the decisions that the run does not pass: their number, and what each group
// of them can do to the property.
func (c *Checker) elsewhere(m []string) error {
	byOutcome := c.decisionsOffRun()
	total := 0
	for _, states := range byOutcome {
		total += len(states)
	}
	if number(m[1]) != total {
		return fmt.Errorf("there are %v", byOutcome)
	}
	onlyGroup := m[3]
	if onlyGroup != "" {
		return c.checkGroup(total, onlyGroup, byOutcome)
	}
	groups := group.FindAllStringSubmatch(m[2], -1)
	errs := []error{want(len(groups) == len(byOutcome), "there are %v", byOutcome)}
	for _, g := range groups {
		errs = append(errs, c.checkGroup(number(g[1]), g[2], byOutcome))
	}
	return errors.Join(errs...)
}

// checkGroup checks a claim that the property can be saved or lost, or both, in n states: those it
// lists must be among them, and it lists all of them unless it ends with the number of others.
func (c *Checker) checkGroup(n int, said string, byOutcome map[string]map[lts.State]bool) error {
	m := oneGroup.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("group %q", said)
	}
	outcome := m[1]
	states := byOutcome[outcome]
	list, _, isCut := strings.Cut(m[2], " and ")
	listed := numbers(list)
	for _, s := range listed {
		if !states[lts.State(s)] {
			return fmt.Errorf("state %d is none that %s: %v", s, outcome, byOutcome)
		}
	}
	isComplete := isCut || len(listed) == n
	return want(n == len(states) && isComplete, "%s: there are %v", outcome, states)
}

func (c *Checker) nothingElsewhere([]string) error {
	return want(len(c.decisionsOffRun()) == 0 && len(c.judge.Neighbourhoods(c.Reading)) > 0, "there are %v",
		c.decisionsOffRun())
}

var classPart = regexp.MustCompile(`(\d+) (makes?|loses?|leaves?) (?:the property|it)`)

// classes checks how many transitions of the model have each class.
func (c *Checker) classes(m []string) error {
	of, all := c.judge.Count()
	said := map[oracle.Class]int{}
	for _, part := range classPart.FindAllStringSubmatch(m[2], -1) {
		said[classByVerb(part[2])] = number(part[1])
	}
	for _, class := range []oracle.Class{oracle.Correct, oracle.Incorrect, oracle.Neutral} {
		if said[class] != of[class] {
			return fmt.Errorf("there are %v", of)
		}
	}
	return want(number(m[1]) == all, "there are %d", all)
}

func classByVerb(verb string) oracle.Class {
	switch strings.TrimSuffix(verb, "s") {
	case "make":
		return oracle.Correct
	case "lose":
		return oracle.Incorrect
	}
	return oracle.Neutral
}

func (c *Checker) unreachable(m []string) error {
	states := 0
	for s := range c.Model.NumStates() {
		if !c.judge.Reachable(lts.State(s)) {
			states++
		}
	}
	_, all := c.judge.Count()
	return want(number(m[1]) == states && number(m[2]) == c.Model.NumTransitions()-all,
		"there are %d states and %d transitions", states, c.Model.NumTransitions()-all)
}

// sinceForm matches words for the step after which something can no longer happen.
const sinceForm = `after step (\d+) \((` + label + `)\)`

// diagnosisPattern are the forms of a diagnosis.
var diagnosisPattern = struct{ internal, impossible, forbidden, lost, asked, hopeless, unending, early, stops, starved, differently, back, circling, cause, apart, recurs *regexp.Regexp }{
	internal:    regexp.MustCompile(`^(.*); (?:from step (\d+) on )?only internal actions happen$`),
	impossible:  regexp.MustCompile(`^(?:no run|no such run|almost no run) satisfies it(?:, since (.+) happens nowhere|, since none does (.+)|, since (nothing can happen|each run ends in a deadlock)|, since each run begins with (.+)|; on this one (.+)|)$`),
	forbidden:   regexp.MustCompile(`^(.+?) happens(?: an? \w+ time)? \(step (\d+)(?:; [^)]*)?\)(.*)$`),
	lost:        regexp.MustCompile(`^after step (\d+) \((` + label + `)\) (?:(.+?)(?:, … \((\d+) more\) and then .+)? can no longer (happen|both happen|all happen)|no run that counts does (.+)|(?:no run|no such run|almost no run) satisfies it any more|(each run ends in a deadlock))$`),
	asked:       regexp.MustCompile(`^step (\d+) \((` + label + `)\) asks for (.+), which can no longer happen ` + sinceForm + `$`),
	hopeless:    regexp.MustCompile(`^after step (\d+) \((` + label + `)\) (?:no run|no such run|almost no run) satisfies it any more: (.+) can no longer happen ` + sinceForm + `$`),
	unending:    regexp.MustCompile(`^after step (\d+) \((` + label + `)\) the run must not end, and each run ends in a deadlock$`),
	early:       regexp.MustCompile(`^step (\d+) is the last ((?:one of )?` + label + `.*?) that can happen, and (.+?) (?:is still missing then|comes after it \(step (\d+)\))$`),
	stops:       regexp.MustCompile(`^the run stops in state (\d+)(?: before (.+?))?(?:: only (.+), which may be blocked, (is|are) possible)?(?:; after step (\d+) \((` + label + `)\) each run ends in a deadlock)?$`),
	starved:     regexp.MustCompile(`^(.+) is possible in (.+?), and (?:(never taken)|(.+) is taken (each time|instead))(?:: (` + label + `) never moves again)?$`),
	differently: regexp.MustCompile(`^in (.+?) (` + label + `.*|\d+ other actions) would make progress, and the run takes something else$`),
	back:        regexp.MustCompile(`^(.+) is (\d+) steps away from the loop \(state (\d+): (.+)\); in each round the run takes (` + label + `) to state (\d+) instead$`),
	circling:    regexp.MustCompile(`^(.+) is (\d+) steps away from state (\d+) \((.+)\), where the run takes (` + label + `) forever$`),
	cause:       regexp.MustCompile(`^(.+) never happens( again)?: (.+) happens? in every round$`),
	apart:       regexp.MustCompile(`^(.+) never happens( on the loop)?$`),
	recurs:      regexp.MustCompile(`^(.+) happens? again and again$`),
}

// diagnosisForms matches a diagnosis that is a sentence of its own, with a
// capital letter.
const diagnosisForms = `(?:No run|No such run|Almost no run) satisfies the property.*|From state \d+, where the run begins, .*|After step \d+ \(` + label + `\) .*|Step \d+ (?:is the last|\(` + label + `\) asks for) .*|The run stops .*|.* is possible in .*|In .* would make progress.*|.* steps away from (?:the loop|state \d+)[ ,].*|.* happens(?: an? \w+ time)? \(step \d+.*|.* happens? again and again.*|.* never happens(?: on the loop)?(?:; .*)?|.* never happens(?: again)?: .* happens? in every round|None of .+ (?:can happen any more|ever happens.*)`

// betterForm matches a sentence about better choices.
const betterForm = `In (?:state (\d+)(?: \(steps? ([\d, –]+)(?: and \d+ more)?\))?|states ([\d, ]+) and (\d+)( more)?,)` + byWhom + ` (.+) would have (made the property certain|kept the property possible)( \(the run then stops\))?`

// diagnosed checks a diagnosis that is a sentence of its own.
func (c *Checker) diagnosed(m []string) error {
	said, err := afterVerdict(m[0])
	return errors.Join(err, c.checkDiagnosis(said))
}

// afterVerdict turns a diagnosis that is a sentence of its own into the form that follows a
// verdict. It fails if the sentence has a pronoun without a referent.
func afterVerdict(sentence string) (string, error) {
	if strings.Contains(sentence, "satisfies it") {
		return "", errors.New("no word before it says what it is")
	}
	said := strings.TrimSuffix(strings.Replace(sentence, "satisfies the property", "satisfies it", 1), ".")
	return strings.ToLower(said[:1]) + said[1:], nil
}

// checkDiagnosis checks the text after the colon of a verdict: its kind, and each
// number.
func (c *Checker) checkDiagnosis(said string) error {
	said = ofOne(said)
	loops := c.Run.Loop != oracle.NoLoop
	if m := diagnosisPattern.internal.FindStringSubmatch(said); m != nil {
		begin := max(1, number(m[2]))
		if !loops || begin != c.Run.Loop+1 {
			return fmt.Errorf("the loop begins with step %d", c.Run.Loop+1)
		}
		for _, t := range c.Run.Transitions[c.Run.Loop:] {
			text := c.labelText(t.Label)
			if text != "i" && text != "tau" {
				return fmt.Errorf("%s is not internal", text)
			}
		}
		said = m[1]
	}
	for _, d := range []struct {
		is    *regexp.Regexp
		check func(m []string) error
	}{
		{diagnosisPattern.impossible, c.impossible}, {diagnosisPattern.lost, c.lostEarly}, {diagnosisPattern.early, c.tooEarly}, {diagnosisPattern.stops, c.stops},
		{diagnosisPattern.starved, c.starved}, {diagnosisPattern.back, c.turnedBack}, {diagnosisPattern.circling, c.circles}, {diagnosisPattern.cause, c.checkCause},
	} {
		if m := d.is.FindStringSubmatch(said); m != nil {
			is := d.is
			switch is {
			case diagnosisPattern.early:
				is = diagnosisPattern.lost
			case diagnosisPattern.cause, diagnosisPattern.circling:
				is = diagnosisPattern.back
			}
			return errors.Join(d.check(m), c.checkKind(is))
		}
	}
	return fmt.Errorf("the diagnosis %q is not understood", said)
}

// checkKind checks that a diagnosis is of the first kind that applies, in the order in which the program tries
// them. The kind is given by its pattern.
func (c *Checker) checkKind(claimed *regexp.Regexp) error {
	n := len(c.Run.Transitions)
	// A stem that is shown without its loop ends where no run may end.
	loops := c.Run.Loop != oracle.NoLoop || !c.mayEnd(c.states[n])
	lostAfter := 0
	for lostAfter <= n && c.free(lostAfter) {
		lostAfter++
	}
	isLostOnTheWay := lostAfter < n || lostAfter == n && loops
	pendingPossible, _ := c.pendingOnLoop()
	kind := diagnosisPattern.back
	switch {
	case lostAfter == 0:
		kind = diagnosisPattern.impossible
	case isLostOnTheWay:
		kind = diagnosisPattern.lost
	case !loops:
		kind = diagnosisPattern.stops
	case pendingPossible > 0:
		kind = diagnosisPattern.starved
	}
	return want(kind == claimed,
		"the diagnosis is of another kind: lost after %d of %d steps, a loop: %t", lostAfter, n, loops)
}

// canHappen reports whether a label that the predicate does accepts can occur
// after a state, regardless of the order of steps.
func (c *Checker) canHappen(from lts.State, does func(lts.Label) bool) bool {
	visited := map[lts.State]bool{from: true}
	for open := []lts.State{from}; len(open) > 0; open = open[1:] {
		for _, t := range c.judge.Out(open[0]) {
			if does(t.Label) {
				return true
			}
			if !visited[t.To] {
				visited[t.To] = true
				open = append(open, t.To)
			}
		}
	}
	return false
}

func (c *Checker) doesStep(step int) func(lts.Label) bool {
	return func(l lts.Label) bool { return c.Steps[step-1][l] }
}

// impossible checks the diagnosis that no run satisfies the property, and its reason: a step that happens
// nowhere, or the shortest prefix of the steps that no run does.
func (c *Checker) impossible(m []string) error {
	start := c.Model.Initial()
	if c.free(0) {
		return errors.New("some run satisfies it")
	}
	absent := m[1]
	if absent != "" {
		for i := range c.Steps {
			step := i + 1
			if c.checkStepName(absent, step) == nil && !c.canHappen(start, c.doesStep(step)) {
				return nil
			}
		}
		return errors.New("it can happen")
	}
	first, last, err := c.stepRange(m[2])
	if err != nil {
		return err
	}
	return errors.Join(
		want(first == 1 && !c.steps.CanDo(start, first, last), "some run does it"),
		want(c.steps.CanDo(start, first, last-1), "even less is out of reach"),
		want(c.canHappen(start, c.doesStep(last)), "step %d alone is out of reach", last))
}

// lostEarly checks both parts of a diagnosis: one step of the run loses the property, and the named steps of
// the property can no longer be done after it.
func (c *Checker) lostEarly(m []string) error {
	i := number(m[1])
	taken := m[2]
	missing := m[3]
	verb := m[5]
	notDone := m[6]
	if i < 1 || i > len(c.Run.Transitions) || text(taken) != c.takenLabel(i) {
		return fmt.Errorf("step %d is another", i)
	}
	if !c.free(i-1) || c.free(i) {
		return fmt.Errorf("it is possible before: %v, after: %v", c.free(i-1), c.free(i))
	}
	from := c.states[i]
	pending := c.firstProgress[i] + 1
	if notDone != "" {
		first, last, err := c.stepRange(notDone)
		if err != nil {
			return err
		}
		isOutOfReach := first == pending && !c.steps.CanDo(from, first, last)
		return want(isOutOfReach, "some run does")
	}
	lost := c.firstOutOfReach(from, pending)
	switch {
	case verb == "happen":
		return c.checkOneLost(m[0], missing, i, lost)
	case strings.Contains(m[0], " more) and then "):
		_, tail, _ := strings.Cut(m[0], " more) and then ")
		lastName := strings.TrimSuffix(tail, " can no longer all happen")
		return errors.Join(c.checkStepName(missing, pending), c.checkStepName(lastName, lost))
	}
	return c.checkSequenceLost(missing, from, pending, lost)
}

// firstOutOfReach returns the first step of the property such that no run from a state does all
// steps from the pending one to this step.
func (c *Checker) firstOutOfReach(from lts.State, pending int) int {
	last := pending
	for last <= len(c.Steps) && c.steps.CanDo(from, pending, last) {
		last++
	}
	return last
}

// checkOneLost checks the claim that step i of the run loses the property only because of one step
// of the property, which could happen before and cannot happen any more.
func (c *Checker) checkOneLost(said, name string, i, lost int) error {
	if c.comesTooEarly(i, lost) && !strings.HasPrefix(said, "no run that counts") {
		return errors.New("that it came too early is missing")
	}
	return errors.Join(c.checkStepName(name, lost),
		want(c.canHappen(c.states[i-1], c.doesStep(lost)), "it could not happen before"),
		want(!c.canHappen(c.states[i], c.doesStep(lost)), "it can happen"))
}

// checkSequenceLost checks a list of steps that cannot all be done from a state. It must have the
// steps from the pending one to the first one that is out of reach; this last one can still happen
// on its own.
func (c *Checker) checkSequenceLost(list string, from lts.State, pending, lost int) error {
	names := strings.Split(strings.Replace(list, " and then ", ", then ", 1), ", then ")
	errs := []error{
		want(len(names) == lost-pending+1, "up to step %d is out of reach", lost),
		want(c.canHappen(from, c.doesStep(lost)), "step %d alone is out of reach", lost),
	}
	for k, name := range names {
		errs = append(errs, c.checkStepName(name, pending+k))
	}
	return errors.Join(errs...)
}

// comesTooEarly reports whether step i of the run, after which the property is lost, does for the last
// time what step lost of the property needs, while an earlier step of the property is still pending.
func (c *Checker) comesTooEarly(i, lost int) bool {
	isEarlierPending := lost > c.firstProgress[i]+1
	doesIt := c.Steps[lost-1][c.Run.Transitions[i-1].Label]
	return isEarlierPending && doesIt && !c.canHappen(c.states[i], c.doesStep(lost))
}

// tooEarly checks that a step which is needed later occurs for the last time.
func (c *Checker) tooEarly(m []string) error {
	i := number(m[1])
	early := m[2]
	missing := m[3]
	if i < 1 || i > len(c.Run.Transitions) || !c.free(i-1) || c.free(i) {
		return fmt.Errorf("step %d is not where it is lost", i)
	}
	c.Understood["too early"]++
	pending := c.firstProgress[i] + 1
	lost := c.firstOutOfReach(c.states[i], pending)
	isNamed := c.Patterns[lost-1] == text(early) || c.namedByLabels(early, lost)
	return errors.Join(c.checkStepName(missing, pending),
		want(isNamed, "step %d is what is lost", lost),
		want(c.comesTooEarly(i, lost), "it does not come too early"))
}

func (c *Checker) stops(m []string) error {
	last := c.states[len(c.states)-1]
	return errors.Join(want(number(m[1]) == int(last) && c.mayEnd(last), "it ends in %d", last),
		c.checkStepName(m[2], c.finalProgress+1), c.checkRefused(m[3], m[4]))
}

// mayEnd reports whether a run that counts may end in s.
func (c *Checker) mayEnd(s lts.State) bool { return c.assumed.Ends(c.judge.Out(s)) }

// checkRefused checks the labels that are reported as possible at the end of the run. verb is "is" for
// one label.
func (c *Checker) checkRefused(list, verb string) error {
	unnamed := map[string]bool{}
	for _, t := range c.judge.Out(c.states[len(c.states)-1]) {
		unnamed[c.labelText(t.Label)] = true
	}
	texts := c.quotedLabels(list)
	var err error
	for _, text := range texts {
		err = errors.Join(err, want(unnamed[text], "%s is not possible there", text))
		delete(unnamed, text)
	}
	counted := 0
	m := otherActions.FindStringSubmatch(list)
	if m != nil {
		counted = number(m[1])
	}
	isSingular := verb == "is"
	return errors.Join(err,
		want(len(unnamed) == counted, "%v are possible there, too", unnamed),
		want(list == "" || isSingular == (len(texts) == 1), "%s possible", verb))
}

var otherActions = regexp.MustCompile(`(\d+) other actions`)

// pendingOnLoop returns the number of states of the loop at which the pending step is
// possible, and the number of all its states.
func (c *Checker) pendingOnLoop() (possible, all int) {
	visited := map[lts.State]bool{}
	for i := range c.Run.Transitions {
		s := c.states[i]
		if !c.onLoop(i) || visited[s] {
			continue
		}
		visited[s] = true
		if c.isPendingPossible(s) {
			possible++
		}
	}
	return possible, len(visited)
}

// placesNamed reads a phrase about places on the loop: how many of them it means, and how many the loop has.
func placesNamed(said string) (meant, all int, err error) {
	for _, form := range []string{"all %d states of the loop", "all %d moments of the loop"} {
		if _, err := fmt.Sscanf(said, form, &all); err == nil {
			return all, all, nil
		}
	}
	for _, form := range []string{"%d of the loop's %d states", "%d of the loop's %d moments"} {
		if _, err := fmt.Sscanf(said, form, &meant, &all); err == nil {
			return meant, all, nil
		}
	}
	switch said {
	case "the only state of the loop", "the only moment of the loop":
		return 1, 1, nil
	case "both states of the loop", "both moments of the loop":
		return 2, 2, nil
	}
	return 0, 0, fmt.Errorf("%q is not understood", said)
}

// starved checks the diagnosis that the pending step is possible on the loop and not taken: in how many states,
// and what the run takes there.
func (c *Checker) starved(m []string) error {
	claimed, claimedAll, err := placesNamed(m[2])
	if err != nil {
		return err
	}
	possible, all := c.pendingOnLoop()
	errs := []error{
		c.checkStepName(m[1], c.finalProgress+1),
		want(claimed == possible && claimedAll == all, "it is possible in %d of %d", possible, all),
	}
	takenInstead := map[string]bool{}
	for i, t := range c.Run.Transitions {
		if !c.onLoop(i) {
			continue
		}
		if c.Steps[c.finalProgress][t.Label] {
			errs = append(errs, errors.New("it is taken"))
		}
		if c.isPendingPossible(c.states[i]) {
			takenInstead[c.labelText(t.Label)] = true
		}
	}
	if m[4] != "" {
		names := strings.Split(m[4], " or ")
		errs = append(errs, want(len(names) == len(takenInstead), "%v are taken there", takenInstead))
		for _, name := range names {
			errs = append(errs, want(takenInstead[text(name)], "%v are taken there", takenInstead))
		}
	}
	if m[6] != "" {
		c.Understood["inactive"]++
		errs = append(errs, want(possible == all, "it is possible in %d of %d", possible, all), c.neverMoves(text(m[6])))
	}
	return errors.Join(errs...)
}

// neverMoves checks that an owner could always move on the loop, and owns no step of it.
func (c *Checker) neverMoves(owner string) error {
	for i, t := range c.Run.Transitions {
		if !c.onLoop(i) {
			continue
		}
		couldMove := slices.ContainsFunc(c.judge.Out(c.states[i]), func(t lts.Transition) bool {
			return c.Owner(c.labelText(t.Label)) == owner
		})
		moves := c.Owner(c.labelText(t.Label)) == owner
		if moves || !couldMove {
			return fmt.Errorf("%s moves in state %d: %t, and could move there: %t", owner, c.states[i], moves, couldMove)
		}
	}
	return nil
}

func (c *Checker) isPendingPossible(s lts.State) bool {
	return slices.ContainsFunc(c.judge.Out(s), func(t lts.Transition) bool {
		return c.Steps[c.finalProgress][t.Label]
	})
}

// turnedBack checks the diagnosis that the loop turns back before the pending step: the way to it that the
// sentence names exists, and none is shorter.
func (c *Checker) turnedBack(m []string) error {
	isPending := func(t lts.Transition) bool { return c.Steps[c.finalProgress][t.Label] }
	err := errors.Join(c.checkStepName(m[1], c.finalProgress+1), c.checkWayOffLoop(m, isPending))
	if err != nil {
		return err
	}
	level := map[lts.State]bool{}
	for i := range c.Run.Transitions {
		if c.onLoop(i) {
			level[c.states[i]] = true
		}
	}
	for steps := 1; steps <= c.Model.NumStates(); steps++ {
		next := map[lts.State]bool{}
		for s := range level {
			for _, t := range c.judge.Out(s) {
				if isPending(t) {
					return want(steps == number(m[2]), "a way has %d steps", steps)
				}
				next[t.To] = true
			}
		}
		level = next
	}
	return errors.New("there is no way")
}

// wayForm matches the sentence about a shortest way from the loop to what the run waits for, which a brief report
// does not name if the labels are wide.
const wayForm = `The way from state (\d+)(?: to (.+?))?: (.+)`

// way checks the sentence about a shortest way from the loop to the pending step.
func (c *Checker) way(m []string) error {
	isPending := func(l lts.Label) bool { return c.Steps[c.finalProgress][l] }
	distances := c.distancesTo(isPending)
	from := lts.State(number(m[1]))
	least := distances[from]
	for i := range c.Run.Transitions {
		if c.onLoop(i) {
			least = min(least, distances[c.states[i]])
		}
	}
	length, err := c.checkWay(m, isPending)
	if m[2] != "" {
		err = errors.Join(err, c.checkStepName(m[2], c.finalProgress+1))
	}
	return errors.Join(err, want(length == least, "a shortest way has %d transitions", least))
}

// checkWay checks that a way with the listed labels leads from a state of the loop to a transition with a pending
// label, which is the last one of the list. It returns the number of transitions.
func (c *Checker) checkWay(m []string, isPending func(lts.Label) bool) (int, error) {
	from := lts.State(number(m[1]))
	isOnLoop := false
	for i := range c.Run.Transitions {
		isOnLoop = isOnLoop || c.onLoop(i) && c.states[i] == from
	}
	if !isOnLoop {
		return 0, fmt.Errorf("state %d is not on the loop", from)
	}
	var labels []string // "" for a label that is left out
	for _, part := range strings.Split(m[3], ", ") {
		name, times, isRepeated := strings.Cut(part, " ×")
		more, isLeftOut := strings.CutPrefix(part, "… (")
		switch {
		case isLeftOut:
			labels = append(labels, slices.Repeat([]string{""}, number(strings.TrimSuffix(more, " more)")))...)
		case isRepeated:
			labels = append(labels, slices.Repeat([]string{name}, number(times))...)
		default:
			labels = append(labels, part)
		}
	}
	states := map[lts.State]bool{from: true}
	last := len(labels) - 1
	for _, claimed := range labels[:last] {
		states = c.statesAfter(states, claimed)
	}
	for s := range states {
		isLast := func(t lts.Transition) bool {
			return isPending(t.Label) && c.labelText(t.Label) == text(labels[last])
		}
		if slices.ContainsFunc(c.judge.Out(s), isLast) {
			return len(labels), nil
		}
	}
	return 0, errors.New("no way has these labels")
}

// circles does what [Checker.turnedBack] does, for a loop of one transition.
func (c *Checker) circles(m []string) error {
	length := len(c.Run.Transitions) - c.Run.Loop
	if length != 1 {
		return fmt.Errorf("the loop has %d transitions", length)
	}
	return c.turnedBack(asTurnedBack(m))
}

// asTurnedBack returns the parts of a sentence about a loop of one transition as those of
// [diagnosisPattern.back].
func asTurnedBack(m []string) []string { return append(slices.Clone(m), m[3]) }

// checkWayOffLoop checks two claims of a sentence by its parts m: from state m[3] of the loop, a way of m[2]
// steps with the labels m[4] ends with a pending transition; and from that state the run takes the transition
// m[5] to m[6] instead.
func (c *Checker) checkWayOffLoop(m []string, isPending func(lts.Transition) bool) error {
	from := lts.State(number(m[3]))
	isTaken := false
	for i, t := range c.Run.Transitions {
		isClaimed := t.From == from && c.labelText(t.Label) == text(m[5]) && int(t.To) == number(m[6])
		isTaken = isTaken || c.onLoop(i) && isClaimed
	}
	if !isTaken {
		return fmt.Errorf("the loop does not take %s from state %d", m[5], from)
	}
	// The sentence may leave labels out, and names a target only where the label does not tell it.
	labels := strings.Split(m[4], ", ")
	numBeforeLast := number(m[2]) - 1
	states := map[lts.State]bool{from: true}
	for step := range numBeforeLast {
		claimed := ""
		if step < len(labels) && !strings.HasPrefix(labels[step], "…") {
			claimed = labels[step]
		}
		states = c.statesAfter(states, claimed)
	}
	for s := range states {
		if slices.ContainsFunc(c.judge.Out(s), isPending) {
			return nil
		}
	}
	return errors.New("that is no way to what is pending")
}

// statesAfter returns the states after one transition from some states. The text says which transitions: those
// with a label, or "LABEL to state N"; "" is any transition.
func (c *Checker) statesAfter(states map[lts.State]bool, claimed string) map[lts.State]bool {
	name, target, _ := strings.Cut(claimed, " to state ")
	next := map[lts.State]bool{}
	for s := range states {
		for _, t := range c.judge.Out(s) {
			hasName := name == "" || text(name) == c.labelText(t.Label)
			hasTarget := target == "" || number(target) == int(t.To)
			if hasName && hasTarget {
				next[t.To] = true
			}
		}
	}
	return next
}

// minimal checks a claim about shorter counterexamples.
func (c *Checker) minimal(m []string) error {
	if strings.Contains(m[0], "in a deadlock") || c.isStemOnly {
		return nil // the sentence about the length makes this claim, too, and checkLength checks it
	}
	least, _ := c.judge.ShortestLength()
	n, err := c.withoutRounds(m[0])
	if err != nil {
		return err
	}
	if strings.Contains(m[0], "may be") {
		return want(n > least, "it is a shortest one, but the text does not say so")
	}
	return want(n == least, "one has length %d", least)
}

// roundsForm matches the sentence about an unrolled loop.
var roundsForm = regexp.MustCompile(` The loop is shown in (\d+) rounds, because what the property still needs differs between them; with one round, the run has (\d+) transitions?\.$`)

// withoutRounds returns the length of the run with one round of its loop, and checks what the text says of
// several rounds.
func (c *Checker) withoutRounds(said string) (int, error) {
	n := len(c.Run.Transitions)
	m := roundsForm.FindStringSubmatch(said)
	if m == nil {
		return n, nil
	}
	c.Understood["rounds"]++
	rounds := number(m[1])
	length := number(m[2])
	if c.Run.Loop == oracle.NoLoop || rounds < 2 || n <= length || (n-length)%(rounds-1) != 0 {
		return 0, fmt.Errorf("the run has %d transitions", n)
	}
	round := (n - length) / (rounds - 1)
	differs := false
	for i := length - round; i+round < n; i++ {
		if c.Run.Transitions[i] != c.Run.Transitions[i+round] {
			return 0, fmt.Errorf("transition %d is not repeated", i+1)
		}
		now := c.firstProgress[i]
		later := c.firstProgress[i+round]
		s := c.states[i]
		if c.judge.Free(s, now) != c.judge.Free(s, later) || c.judge.Arrives(s, now) != c.judge.Arrives(s, later) {
			differs = true
		}
	}
	return length, want(differs, "nothing differs between the rounds")
}

// better checks a sentence about better choices: in the states that it names,
// exactly the transitions that it names would have been better.
func (c *Checker) better(m []string) error {
	class := map[string]oracle.Class{
		"made the property certain":  oracle.Correct,
		"kept the property possible": oracle.Neutral,
	}[m[7]]
	meant := outcome{class, m[8] != ""}
	choices := m[6]
	if isAboutOneState := m[2] != ""; isAboutOneState {
		steps, err := c.stepsFrom(m[1], m[2])
		indices := make([]int, len(steps))
		for k, step := range steps {
			indices[k] = step - 1
			err = errors.Join(err, c.checkBetterAt(step-1, choices, meant))
		}
		return errors.Join(err, c.checkDecidedBy(m[0], indices))
	}
	states := numbers(m[1] + m[3])
	unlisted := number(m[4])
	isLastAState := m[5] == "" && m[4] != "" // "states 1, 2 and 3", and not "and 3 more"
	if isLastAState {
		states = append(states, unlisted)
		unlisted = 0
	}
	found := map[int]bool{}
	var indices []int
	for i := range c.Run.Transitions {
		if c.checkBetterAt(i, choices, meant) == nil {
			found[int(c.states[i])] = true
			indices = append(indices, i)
		}
	}
	if err := c.checkDecidedBy(m[0], indices); err != nil {
		return err
	}
	for _, s := range states {
		if !found[s] {
			return fmt.Errorf("that is so in the states %v of the run, and not in %d", found, s)
		}
	}
	return want(len(found) >= len(states)+unlisted, "it is so in %d states", len(found))
}

// checkBetterAt checks a claim about the alternatives to transition i of the run: exactly the choices that it
// names have the stated outcome, none has one that is to be preferred, and its class is better than that of the
// transition that the run takes.
func (c *Checker) checkBetterAt(i int, choices string, meant outcome) error {
	taken := c.judge.ClassAfter(c.progressAt(i), c.Run.Transitions[i])
	var ofOutcome []lts.Transition
	for _, t := range c.alternatives(i) {
		o := c.outcomeAt(i, t)
		switch {
		case o == meant:
			ofOutcome = append(ofOutcome, t)
		case isBetter(o.class, taken) && o.isPreferred(meant):
			return fmt.Errorf("at step %d %v has the outcome %v, which is better than %v", i+1, t, o, meant)
		}
	}
	if err := c.checkUnambiguous(i, choices, ofOutcome); err != nil {
		return err
	}
	return errors.Join(c.checkOptions(choices, ofOutcome),
		want(taken != meant.class && taken != oracle.Correct,
			"what the run takes at step %d means as much", i+1))
}

// outcome is what a choice means for the run: its class, and whether the run can only end in a deadlock after
// it, although nothing was pending and the model could go on.
type outcome struct {
	class oracle.Class
	stops bool
}

// isPreferred reports whether an outcome is recommended before another one.
func (o outcome) isPreferred(other outcome) bool {
	if o.stops != other.stops {
		return other.stops
	}
	return isBetter(o.class, other.class)
}

// outcomeAt returns the outcome of a transition that the run could take instead of transition i.
func (c *Checker) outcomeAt(i int, t lts.Transition) outcome {
	o := outcome{class: c.judge.ClassAfter(c.progressAt(i), t)}
	if c.mayStop != nil && c.mayStop(c.progressAt(i)) {
		o.stops = c.isEndless(t.From) && !c.isEndless(t.To)
	}
	return o
}

// isEndless reports whether some run from a state of the model is infinite: whether a path from it is longer
// than the number of states.
func (c *Checker) isEndless(s lts.State) bool {
	reached := map[lts.State]bool{s: true}
	for range c.Model.NumStates() {
		next := map[lts.State]bool{}
		for from := range reached {
			for _, t := range c.judge.Out(from) {
				next[t.To] = true
			}
		}
		reached = next
	}
	return len(reached) > 0
}

// checkUnambiguous checks that each label which a list gives without a target means only the given transitions
// from the source of transition i.
func (c *Checker) checkUnambiguous(i int, list string, meant []lts.Transition) error {
	for _, m := range option.FindAllStringSubmatch(list, -1) {
		bareLabel := m[3]
		if bareLabel == "" {
			continue
		}
		for _, t := range append(c.alternatives(i), c.Run.Transitions[i]) {
			counts := c.judge.ClassAfter(c.progressAt(i), t) != excluded
			if c.labelText(t.Label) == text(bareLabel) && !slices.Contains(meant, t) && counts {
				return fmt.Errorf("at step %d %s could be %v", i+1, bareLabel, t)
			}
		}
	}
	return nil
}

// decision checks a sentence about steps of the run that decide: what they take, whether they recur, what
// becomes of the property, and what the alternatives would have meant.
func (c *Checker) decision(m []string) error {
	inEveryRound := m[3] != ""
	outcome := m[5]
	lostSteps := m[6]
	alternatives := m[7]
	steps, err := c.stepsFrom(m[1], m[2])
	if err != nil {
		return err
	}
	taken := unfoldLabels(m[4])
	if len(taken) != len(steps) {
		return fmt.Errorf("%d steps, %d labels", len(steps), len(taken))
	}
	for k, step := range steps {
		i := step - 1
		err := errors.Join(
			c.checkTaken(i, taken[k]),
			want(c.onLoop(i) == inEveryRound, "step %d is in every round: %v", step, c.onLoop(i)),
			c.checkOutcome(i, outcome, lostSteps),
		)
		if err != nil {
			return err
		}
		if strings.Contains(outcome, "before") {
			continue
		}
		if err := c.checkOutlook(i, alternatives); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
	return nil
}

// unfoldLabels reads a list of labels in which "A ×3" stands for three times A.
func unfoldLabels(list string) []string {
	var all []string
	for _, l := range strings.Split(list, ", ") {
		name, times, isFolded := strings.Cut(l, " ×")
		if !isFolded {
			times = "1"
		}
		for range number(times) {
			all = append(all, name)
		}
	}
	return all
}

// stepNumbers reads a list of steps of the run.
func (c *Checker) stepNumbers(steps string) ([]int, error) {
	var listed []int
	for _, part := range strings.Split(steps, ", ") {
		first, last, ranges := strings.Cut(part, "–")
		if !ranges {
			last = first
		}
		for i := number(first); i <= number(last); i++ {
			if i < 1 || i > len(c.Run.Transitions) {
				return nil, fmt.Errorf("there is no step %d", i)
			}
			listed = append(listed, i)
		}
	}
	return listed, nil
}

// stepsFrom reads a list of steps, and checks that the listed states are the sources
// of these steps.
func (c *Checker) stepsFrom(states, steps string) ([]int, error) {
	listed, err := c.stepNumbers(steps)
	if err != nil {
		return nil, err
	}
	var sources []int
	for _, i := range listed {
		s := int(c.states[i-1])
		if !slices.Contains(sources, s) {
			sources = append(sources, s)
		}
	}
	return listed, want(slices.Equal(sources, numbers(states)), "the steps leave states %v", sources)
}

// checkTaken checks the name of transition i of the run.
func (c *Checker) checkTaken(i int, name string) error {
	t := c.Run.Transitions[i]
	name, to, told := strings.Cut(name, " to state ")
	if text(name) != c.labelText(t.Label) || told && number(to) != int(t.To) {
		return fmt.Errorf("step %d takes %v, not %s", i+1, t, name)
	}
	for _, other := range c.alternatives(i) {
		if other.Label == t.Label && !told && c.judge.ClassAfter(c.progressAt(i), other) != excluded {
			return fmt.Errorf("step %d could as well take %v", i+1, other)
		}
	}
	return nil
}

// checkOutcome checks what becomes of the property by transition i of the run. lostSteps has the steps of the
// property that can no longer be done if the transition loses it.
func (c *Checker) checkOutcome(i int, said, lostSteps string) error {
	before := c.free(i)
	after := c.free(i + 1)
	switch {
	case strings.Contains(said, "stays possible"):
		return want(before && after, "it is possible before: %v, after: %v", before, after)
	case strings.Contains(said, "lost before"):
		return want(!before, "it was possible")
	}
	if !before || after {
		return fmt.Errorf("it is possible before: %v, after: %v", before, after)
	}
	return c.checkLostSteps(i, lostSteps)
}

// checkLostSteps checks the steps of the property that are out of reach after transition i of the run: the
// pending one and those after it, as few as are out of reach together.
func (c *Checker) checkLostSteps(i int, said string) error {
	list, isAssumed := strings.CutPrefix(said, "no run that counts does ")
	list, isAboutOne := strings.CutSuffix(list, " can no longer happen")
	list = strings.TrimPrefix(list, "the run can no longer do ")
	names := strings.Split(list, ", later ")
	if !isAssumed && isAboutOne != (len(names) == 1) {
		return fmt.Errorf("%q", said)
	}
	pending := c.firstProgress[i+1] + 1
	for k, name := range names {
		if err := c.checkStepName(name, pending+k); err != nil {
			return err
		}
	}
	last := pending + len(names) - 1
	to := c.Run.Transitions[i].To
	return errors.Join(
		want(!c.steps.CanDo(to, pending, last), "some continuation does"),
		want(last == pending || c.steps.CanDo(to, pending, last-1), "even less is out of reach"))
}

// choiceForm is a form of words about choices of one class.
type choiceForm struct {
	pattern *regexp.Regexp
	class   oracle.Class
}

// choiceForms maps the words for the class of a choice to classes.
var choiceForms = []choiceForm{
	{regexp.MustCompile(`^(.+) (?:would have made|makes) (?:the property|it) certain$`), oracle.Correct},
	{regexp.MustCompile(`^(.+) (?:would have kept|would only have kept|keeps) (?:the property|it) possible$`), oracle.Neutral},
	{regexp.MustCompile(`^(.+) (?:would have lost|would still have lost|loses) (?:the property|it)(?: as well)?$`), oracle.Incorrect},
}

// checkOutlook checks the clauses about the alternatives to transition i: all of them
// are mentioned, with the right class.
func (c *Checker) checkOutlook(i int, said string) error {
	now, inFirstRound, firstDiffers := strings.Cut(said, "In the first round, ")
	now = strings.TrimSuffix(strings.TrimSpace(now), ".")
	expected := map[outcome][]lts.Transition{}
	differing := map[outcome][]lts.Transition{} // by their class in the first round
	for _, t := range c.alternatives(i) {
		o := c.outcomeAt(i, t)
		if o.class == excluded { // no sentence is about transitions to states without a run that counts
			continue
		}
		first := outcome{class: c.judge.ClassAfter(c.firstProgress[i], t)}
		if first.class != o.class {
			differing[first] = append(differing[first], t)
		}
		if !isBetter(o.class, oracle.Incorrect) {
			o.stops = false // it is lost in any case
		}
		expected[o] = append(expected[o], t)
	}
	passes := c.free(i) && !c.free(i+1)
	if strings.Contains(said, "as well") != (passes && len(expected[outcome{class: oracle.Incorrect}]) > 0) {
		return fmt.Errorf("passes the point of no return: %v", passes)
	}
	if firstDiffers != (len(differing) > 0) {
		return fmt.Errorf("the first round differs: %v", differing)
	}
	return errors.Join(c.checkClauses(now, expected), c.checkClauses(inFirstRound, differing))
}

// checkClauses compares clauses with the transitions of each class.
func (c *Checker) checkClauses(clauses string, expected map[outcome][]lts.Transition) error {
	visited := map[outcome]bool{}
	if clauses == "" {
		return want(len(expected) == 0, "it does not tell of %v", expected)
	}
	for _, clause := range strings.Split(clauses, "; ") {
		clause, stops := strings.CutSuffix(clause, " (the run then stops)")
		k := slices.IndexFunc(choiceForms, func(f choiceForm) bool {
			return f.pattern.MatchString(clause)
		})
		if k < 0 {
			return fmt.Errorf("clause %q", clause)
		}
		form := choiceForms[k]
		o := outcome{form.class, stops}
		visited[o] = true
		list := form.pattern.FindStringSubmatch(clause)[1]
		if err := c.checkOptions(list, expected[o]); err != nil {
			return fmt.Errorf("%v: %w", o, err)
		}
	}
	for o := range expected {
		if !visited[o] {
			return fmt.Errorf("it does not tell of %v", expected[o])
		}
	}
	return nil
}

// othersCut matches the end of a shortened list.
var othersCut = regexp.MustCompile(` or (\d+) other actions?$`)

var option = regexp.MustCompile("(any of `[^`]+`(?:, `[^`]+`)+|`[^`]+`) to state (\\d+(?:, \\d+)*(?: or \\d+)?)|(`[^`]+`)")

// checkOptions checks that a list names exactly these transitions.
func (c *Checker) checkOptions(list string, expected []lts.Transition) error {
	cut := othersCut.FindStringSubmatch(list)
	if cut != nil {
		return want(len(expected) > number(cut[1]), "there are %d", len(expected))
	}
	if n, isCount := strings.CutSuffix(list, " other transitions"); isCount {
		return want(number(n) == len(expected), "there are %d", len(expected))
	}
	for i, between := range option.Split(list, -1) {
		isSeparator := between == "" || i > 0 && (between == ", " || between == " or ")
		if !isSeparator {
			return fmt.Errorf("%q is between options of %q", between, list)
		}
	}
	unnamed := slices.Clone(expected)
	for _, m := range option.FindAllStringSubmatch(list, -1) {
		labels := []string{m[3]}
		var targets []int
		if m[1] != "" {
			labels = strings.Split(strings.TrimPrefix(m[1], "any of "), ", ")
			targets = numbers(strings.ReplaceAll(m[2], " or ", ", "))
		}
		before := len(unnamed)
		unnamed = slices.DeleteFunc(unnamed, func(t lts.Transition) bool {
			hasLabel := slices.ContainsFunc(labels, func(l string) bool {
				return c.labelText(t.Label) == text(l)
			})
			return hasLabel && (targets == nil || slices.Contains(targets, int(t.To)))
		})
		n := before - len(unnamed)
		isExact := targets == nil || n == len(labels)*len(targets)
		if n == 0 || !isExact {
			return fmt.Errorf("%s stands for %d of %v", m[0], n, expected)
		}
	}
	return want(len(unnamed) == 0, "%v are not mentioned", unnamed)
}

// trapped checks that no transition, or no run that counts, leaves the loop.
func (c *Checker) trapped(m []string) error {
	if c.Run.Loop == oracle.NoLoop {
		return errors.New("there is no loop")
	}
	countsAll := strings.HasPrefix(m[0], "No transition")
	c.excludesLoop = true
	defer func() { c.excludesLoop = false }()
	for i := c.Run.Loop; i < len(c.Run.Transitions); i++ {
		for _, t := range c.alternatives(i) {
			if countsAll || c.judge.ClassAfter(c.progressAt(i), t) != excluded {
				return fmt.Errorf("%v leaves it", t)
			}
		}
	}
	return nil
}

func (c *Checker) lostInLoop([]string) error {
	return want(c.Run.Loop != oracle.NoLoop && !c.free(c.Run.Loop),
		"it is possible in the loop")
}

// waysOut checks what is possible at steps of the loop if the run leaves it there.
func (c *Checker) waysOut(m []string) error {
	steps, err := c.stepsFrom(m[1], m[2])
	if err != nil {
		return err
	}
	for _, step := range steps {
		if !c.onLoop(step - 1) {
			return fmt.Errorf("step %d is not on the loop", step)
		}
		c.excludesLoop = true
		err := c.checkOutlook(step-1, m[3])
		c.excludesLoop = false
		if err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
	return nil
}

// wayLength returns the length of a shortest path from one of the given states,
// such that only its last transition makes progress and the property remains
// possible; false if there is none.
func (c *Checker) wayLength(from []lts.State, progress int) (length int, found bool) {
	level := map[lts.State]bool{}
	for _, s := range from {
		level[s] = true
	}
	for length = 1; length <= c.Model.NumStates()+1; length++ {
		next := map[lts.State]bool{}
		for s := range level {
			for _, t := range c.judge.Out(s) {
				after := c.judge.Advance(progress, t.Label)
				if after == progress {
					next[t.To] = true
				} else if c.judge.Free(t.To, after) {
					return length, true
				}
			}
		}
		level = next
	}
	return 0, false
}

// nearestWay checks that a path is one to the pending step, and that none is
// shorter.
func (c *Checker) nearestWay(m []string) error {
	from := lts.State(number(m[2]))
	to := lts.State(number(m[4]))
	labels := strings.Split(m[3], ", ")
	isShortened := strings.Contains(m[3], "…")
	var loop []lts.State
	for i := range c.Run.Transitions {
		if c.onLoop(i) {
			loop = append(loop, c.states[i])
		}
	}
	level := map[lts.State]bool{from: true}
	for i, l := range labels {
		isLast := i == len(labels)-1
		next := map[lts.State]bool{}
		for s := range level {
			for _, t := range c.judge.Out(s) {
				advances := c.judge.Advance(c.finalProgress, t.Label) > c.finalProgress
				if c.labelText(t.Label) == text(l) && advances == isLast {
					next[t.To] = true
				}
			}
		}
		level = next
	}
	least, found := c.wayLength(loop, c.finalProgress)
	return errors.Join(c.checkStepName(m[1], c.finalProgress+1),
		want(slices.Contains(loop, from), "state %d is not on the loop", from),
		want(level[to] && c.judge.Free(to, c.finalProgress+1), "there is no such way"),
		want(found && (least == len(labels) || isShortened), "the shortest one has length %d", least))
}
