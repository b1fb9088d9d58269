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
func want(is bool, format string, args ...any) error {
	if is {
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

// Progress checks the steps of the property that the run is said to do: each with
// the round of the loop, the transition, and the progress after it.
func (c *Checker) Progress(said [][3]int) error {
	var does [][3]int
	for i := range c.Run.Transitions {
		if c.first[i+1] > c.first[i] {
			does = append(does, [3]int{1, i, c.first[i+1]})
		}
	}
	progress := c.first[len(c.Run.Transitions)]
	for round := 2; round <= len(c.Steps)+2; round++ {
		progress = c.round(progress, func(i, after int) {
			does = append(does, [3]int{round, i, after})
		})
	}
	return want(slices.Equal(said, does), "the run is said to do %v, it does %v", said, does)
}

func (c *Checker) verdict(m []string) error {
	all := c.o.Satisfied()
	if err := want((m[2] == "satisfies") == all, "satisfied: %v", all); err != nil {
		return err
	}
	switch {
	case m[4] != "":
		first, last, err := c.stretch(m[4])
		if err != nil {
			return err
		}
		return want(all && first == 1 && last == len(c.Steps), "the property has %d steps",
			len(c.Steps))
	}
	if all && len(c.Steps) > 0 && isBounds(m[5]) {
		return c.bounds(m[5])
	}
	return errors.Join(want(!all, "the property is satisfied"), c.diagnosis(m[5]))
}

func (c *Checker) initialDeadlock([]string) error {
	return want(len(c.o.Out(c.Model.Initial())) == 0, "transitions leave it")
}

// shortest checks a claim about the length of the run.
func (c *Checker) shortest(adjective, length string) error {
	n := len(c.Run.Transitions)
	if number(length) != n {
		return fmt.Errorf("it has %d", n)
	}
	least, _ := c.o.ShortestLength()
	switch adjective {
	case "A shortest counterexample", "The given counterexample, a shortest one,":
		return want(n == least, "one has length %d", least)
	case "The given counterexample":
		return want(n > least, "it is a shortest one, which is not told")
	}
	return fmt.Errorf("adjective %q", adjective)
}

func (c *Checker) stopsRefused(m []string) error {
	last := c.states[len(c.states)-1]
	return errors.Join(c.shortest(m[1], m[2]),
		want(number(m[3]) == int(last) && c.mayEnd(last), "it ends in %d", last), c.refused(m[4], m[5]))
}

func (c *Checker) deadlock(m []string) error {
	last := c.states[len(c.states)-1]
	return errors.Join(c.shortest(m[1], m[2]),
		want(c.Run.Loop == oracle.NoLoop && number(m[3]) == int(last), "it ends in %d", last))
}

func (c *Checker) wholeLoop(m []string) error {
	return errors.Join(c.shortest(m[1], m[2]),
		want(c.Run.Loop == 0, "its loop begins at %d", c.Run.Loop))
}

func (c *Checker) lasso(m []string) error {
	loop := 1
	if m[3] != "one is" {
		loop = number(strings.TrimSuffix(m[3], " are"))
	}
	return errors.Join(c.shortest(m[1], m[2]),
		want(c.Run.Loop > 0 && len(c.Run.Transitions)-c.Run.Loop == loop,
			"its loop begins at %d", c.Run.Loop))
}

// named checks the name of step number step of the property, from 1, which
// distinguishes it from earlier equal ones: "A", "a second A", "another A".
func (c *Checker) named(name string, step int) error {
	if step > len(c.Steps) {
		return fmt.Errorf("the property has no step %d", step)
	}
	if c.namedByLabels(name, step) {
		c.Understood["set by labels"]++
		return nil
	}
	expected := c.whichOne(step) + "`" + c.Patterns[step-1] + "`"
	return want(name == expected, "step %d is %s, not %s", step, expected, name)
}

// whichOne returns the words before a step that a run has done before, perhaps several times.
func (c *Checker) whichOne(step int) string {
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

// namedByLabels reports whether a text names a step that is a set by the labels of this set.
func (c *Checker) namedByLabels(name string, step int) bool {
	if !strings.HasPrefix(c.Patterns[step-1], "{") {
		return false
	}
	list, isThis := strings.CutPrefix(name, c.whichOne(step))
	if !isThis {
		return false
	}
	list = strings.TrimPrefix(list, "one of ")
	labels := map[string]bool{}
	for l := range c.Steps[step-1] {
		labels[c.Model.Alphabet().Text(l)] = true
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

// ofOne returns a diagnosis with texts about none of several labels as about one of them.
func ofOne(said string) string {
	said = noneForm.ReplaceAllString(said, "one of $1 can no longer happen")
	said = noneEver.ReplaceAllString(said, "one of $1 never happens")
	return noneAnywhere.ReplaceAllString(said, "one of $1 happens nowhere")
}

// stretch returns the range of consecutive steps of the property that a list
// names.
func (c *Checker) stretch(list string) (first, last int, err error) {
	names := strings.Split(list, ", later ")
	for first = 1; first+len(names)-1 <= len(c.Steps); first++ {
		err = nil
		for i, name := range names {
			err = errors.Join(err, c.named(name, first+i))
		}
		if err == nil {
			return first, first + len(names) - 1, nil
		}
	}
	return 0, 0, fmt.Errorf("%q is no part of the property", list)
}

func (c *Checker) never(m []string) error {
	return errors.Join(c.named(m[1], 1), want(c.done == 0, "it does %d steps", c.done))
}

func (c *Checker) missing(m []string) error {
	first, last, err := c.stretch(m[1])
	if err != nil {
		return err
	}
	return errors.Join(want(first == 1 && last == c.done, "it does %d steps", c.done),
		c.named(m[2], c.done+1))
}

func (c *Checker) undecided(m []string) error {
	first, last, err := c.stretch(m[1])
	if err != nil {
		return err
	}
	return errors.Join(
		want(!c.o.Free(c.Model.Initial(), 0), "some run satisfies the property"),
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

func (c *Checker) nothingBetter(m []string) error {
	betterOnce := false
	for i := range c.Run.Transitions {
		if i > 0 && c.free(i) && !c.free(i+1) {
			return fmt.Errorf("transition %d passes the point of no return", i)
		}
		for _, t := range c.others(i) {
			if better(c.o.ClassAfter(c.at(i), t),
				c.o.ClassAfter(c.at(i), c.Run.Transitions[i])) {
				return fmt.Errorf("%v would have been better", t)
			}
			betterOnce = betterOnce || c.o.ClassAfter(c.first[i], t) == oracle.Correct
		}
	}
	return want(betterOnce == (m[1] != ""),
		"in the first round another choice would have been better: %t", betterOnce)
}

func better(a, b oracle.Class) bool {
	hope := map[oracle.Class]int{oracle.Incorrect: 0, oracle.Neutral: 1, oracle.Correct: 2}
	return hope[a] > hope[b]
}

// others returns the transitions that the run could have taken instead of
// transition i.
func (c *Checker) others(i int) []lts.Transition {
	return slices.DeleteFunc(c.o.Out(c.states[i]), func(t lts.Transition) bool {
		return t == c.Run.Transitions[i] ||
			c.leaving && slices.Contains(c.Run.Transitions[c.Run.Loop:], t)
	})
}

// byHistory checks whether the class of a choice depends on the history, for
// every state of the run at which a choice matters.
func (c *Checker) byHistory(m []string) error {
	matter := map[lts.State]bool{}
	kinds := c.o.Neighbourhoods(c.Reading)
	for i := range c.Run.Transitions {
		taken := c.o.ClassAfter(c.at(i), c.Run.Transitions[i])
		matters := c.free(i) && !c.free(i+1)
		for _, t := range c.others(i) {
			matters = matters || better(c.o.ClassAfter(c.at(i), t), taken)
		}
		if matters && !c.differs(i) {
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

// differs reports whether some transition from the state before transition i has
// another class for another history.
func (c *Checker) differs(i int) bool {
	for j := range max(len(c.Steps)+1, c.mostStates) {
		for _, t := range c.o.Out(c.states[i]) {
			if c.o.Arrives(c.states[i], j) &&
				c.o.ClassAfter(j, t) != c.o.ClassAfter(c.at(i), t) {
				return true
			}
		}
	}
	return false
}

// kept returns the transitions of the abstracted run.
func (c *Checker) kept() []int {
	var kept []int
	kinds := c.o.Neighbourhoods(c.Reading)
	for i, t := range c.Run.Transitions {
		_, from := kinds[t.From]
		_, to := kinds[t.To]
		if from || to || c.free(i) && !c.free(i+1) {
			kept = append(kept, i)
		}
	}
	return kept
}

func (c *Checker) abstraction(m []string) error {
	kept := c.kept()
	var labels []string
	for _, i := range kept {
		labels = append(labels, c.Model.Alphabet().Text(c.Run.Transitions[i].Label))
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

// bounds checks the number of transitions within which each step of a chain that
// holds is done.
func (c *Checker) bounds(said string) error {
	spans := spanForm.FindAllStringSubmatch(said, -1)
	left := 0
	if m := cutForm.FindStringSubmatch(said); m != nil {
		left = number(m[1])
	}
	if len(spans)+left != len(c.Steps) {
		return fmt.Errorf("%q has bounds of %d steps, and the property has %d", said,
			len(spans)+left, len(c.Steps))
	}
	for i, span := range spans {
		step := i + 1
		if left > 0 && i == len(spans)-1 {
			step += left
		}
		least, most := number(span[1]), number(span[2])
		if span[3] != "" {
			least = number(span[3])
			most = least
		}
		x := waiting{c, step, map[waitingPlace][2]int{}}
		if want := x.from(waitingPlace{c.Model.Initial(), 0}); want != [2]int{least, most} {
			return fmt.Errorf("%q: step %d is done within %d to %d", said, step, want[0],
				want[1])
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
	known map[waitingPlace][2]int
}

type waitingPlace struct {
	state lts.State
	done  int
}

// from returns the fewest and the most transitions until the step is done. It
// terminates because the property holds: no run goes on forever without the
// step.
func (x waiting) from(p waitingPlace) [2]int {
	if p.done >= x.step {
		return [2]int{}
	}
	if found, is := x.known[p]; is {
		return found
	}
	least, most := -1, 0
	labels, targets := x.c.Model.Out(p.state)
	for i, t := range targets {
		next := waitingPlace{t, p.done}
		if x.c.Steps[p.done][labels.At(i)] {
			next.done++
		}
		after := x.from(next)
		if least < 0 || after[0]+1 < least {
			least = after[0] + 1
		}
		most = max(most, after[1]+1)
	}
	x.known[p] = [2]int{least, most}
	return x.known[p]
}

// off returns the neighbourhoods whose decision the run does not take, by the
// possible outcomes there.
func (c *Checker) off() map[string]map[lts.State]bool {
	can := map[oracle.Kind]string{
		oracle.KindCorrect: "saved", oracle.KindIncorrect: "lost", oracle.KindMixed: "saved or lost", oracle.KindMixedNeutral: "saved or lost",
	}
	off := map[string]map[lts.State]bool{}
	for s, kind := range c.o.Neighbourhoods(c.Reading) {
		on := false
		for _, t := range c.Run.Transitions {
			on = on || t.From == s
		}
		if on {
			continue
		}
		if off[can[kind]] == nil {
			off[can[kind]] = map[lts.State]bool{}
		}
		off[can[kind]][s] = true
	}
	return off
}

var (
	oneGroup = regexp.MustCompile(`^(?:the property|it) can be (saved or lost|saved|lost) \(states? (.+)\)$`)
	group    = regexp.MustCompile(`(\d+) where ((?:the property|it) can be (?:saved or lost|saved|lost) \(states? .+?\))`)
)

func (c *Checker) elsewhere(m []string) error {
	off := c.off()
	total := 0
	for _, states := range off {
		total += len(states)
	}
	if number(m[1]) != total {
		return fmt.Errorf("there are %v", off)
	}
	if m[3] != "" {
		return c.group(total, m[3], off)
	}
	groups := group.FindAllStringSubmatch(m[2], -1)
	var errs []error
	for _, g := range groups {
		errs = append(errs, c.group(number(g[1]), g[2], off))
	}
	return errors.Join(append(errs, want(len(groups) == len(off), "there are %v", off))...)
}

func (c *Checker) group(n int, said string, off map[string]map[lts.State]bool) error {
	m := oneGroup.FindStringSubmatch(said)
	if m == nil {
		return fmt.Errorf("group %q", said)
	}
	list, _, cut := strings.Cut(m[2], " and ")
	for _, s := range numbers(list) {
		if !off[m[1]][lts.State(s)] {
			return fmt.Errorf("state %d is none that %s: %v", s, m[1], off)
		}
	}
	return want(n == len(off[m[1]]) && (cut || len(numbers(list)) == n), "%s: there are %v",
		m[1], off[m[1]])
}

func (c *Checker) nothingElsewhere([]string) error {
	return want(len(c.off()) == 0 && len(c.o.Neighbourhoods(c.Reading)) > 0, "there are %v",
		c.off())
}

var classPart = regexp.MustCompile(`(\d+) (makes?|loses?|leaves?) (?:the property|it)`)

func (c *Checker) classes(m []string) error {
	of, all := c.o.Count()
	said := map[oracle.Class]int{}
	for _, part := range classPart.FindAllStringSubmatch(m[2], -1) {
		said[classOf(part[2])] = number(part[1])
	}
	for _, class := range []oracle.Class{oracle.Correct, oracle.Incorrect, oracle.Neutral} {
		if said[class] != of[class] {
			return fmt.Errorf("there are %v", of)
		}
	}
	return want(number(m[1]) == all, "there are %d", all)
}

func classOf(verb string) oracle.Class {
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
		if !c.o.Reachable(lts.State(s)) {
			states++
		}
	}
	_, all := c.o.Count()
	return want(number(m[1]) == states && number(m[2]) == c.Model.NumTransitions()-all,
		"there are %d states and %d transitions", states, c.Model.NumTransitions()-all)
}

// sinceForm matches the moment from which on something cannot happen.
const sinceForm = `after step (\d+) \((` + label + `)\)`

// diagnosed are the forms of a diagnosis.
var diagnosed = struct{ internal, impossible, forbidden, lost, asked, hopeless, unending, early, stops, starved, differently, back, circling, cause, apart, recurs *regexp.Regexp }{
	internal:    regexp.MustCompile(`^(.*); (?:from step (\d+) on )?only internal actions happen$`),
	impossible:  regexp.MustCompile(`^(?:no run|no such run|almost no run) satisfies it(?:, since (.+) happens nowhere|, since none does (.+)|, since (nothing can happen|each run ends in a deadlock)|, since each run begins with (.+)|)$`),
	forbidden:   regexp.MustCompile(`^(.+) happens \(step (\d+)\)(.*)$`),
	lost:        regexp.MustCompile(`^after step (\d+) \((` + label + `)\) (?:(.+?)(?:, … \((\d+) more\) and then .+)? can no longer (happen|both happen|all happen)|no run that counts does (.+)|(?:no run|no such run|almost no run) satisfies it any more|(each run ends in a deadlock))$`),
	asked:       regexp.MustCompile(`^step (\d+) \((` + label + `)\) asks for (.+), which can no longer happen ` + sinceForm + `$`),
	hopeless:    regexp.MustCompile(`^after step (\d+) \((` + label + `)\) (?:no run|no such run|almost no run) satisfies it any more: (.+) can no longer happen ` + sinceForm + `$`),
	unending:    regexp.MustCompile(`^after step (\d+) \((` + label + `)\) the run must not end, and each run ends in a deadlock$`),
	early:       regexp.MustCompile(`^step (\d+) is the last ((?:one of )?` + label + `.*?) that can happen, and (.+?) (?:is still missing then|comes after it \(step (\d+)\))$`),
	stops:       regexp.MustCompile(`^the run stops in state (\d+)(?: before (.+?))?(?:: only (.+), which may be blocked, (is|are) possible)?(?:; after step (\d+) \((` + label + `)\) each run ends in a deadlock)?$`),
	starved:     regexp.MustCompile(`^(.+) is possible in (.+?), and (?:(never taken)|(.+) is taken (each time|instead))$`),
	differently: regexp.MustCompile(`^in (.+?) (` + label + `.*|\d+ other actions) would make progress, and the run takes something else$`),
	back:        regexp.MustCompile(`^(.+) is (\d+) steps away from the loop \(state (\d+): (.+)\); in each round the run takes (` + label + `) to state (\d+) instead$`),
	circling:    regexp.MustCompile(`^(.+) is (\d+) steps away from state (\d+) \((.+)\), where the run takes (` + label + `) forever$`),
	cause:       regexp.MustCompile(`^(.+) never happens( again)?: (.+) happens? in every round$`),
	apart:       regexp.MustCompile(`^(.+) never happens( on the loop)?$`),
	recurs:      regexp.MustCompile(`^(.+) happens? again and again$`),
}

// diagnosisForms matches a diagnosis that is a sentence of its own, with a
// capital letter.
const diagnosisForms = `(?:No run|No such run|Almost no run) satisfies it.*|From state \d+, where the run begins, .*|After step \d+ \(` + label + `\) .*|Step \d+ (?:is the last|\(` + label + `\) asks for) .*|The run stops .*|.* is possible in .*|In .* would make progress.*|.* steps away from (?:the loop|state \d+) .*|.* happens \(step \d+\).*|.* happens? again and again.*|.* never happens(?: on the loop)?(?:; .*)?|.* never happens(?: again)?: .* happens? in every round|None of .+ (?:can happen any more|ever happens.*)`

// betterForm matches a sentence about better choices.
const betterForm = `In (?:state (\d+)(?: \(steps? ([\d, –]+)(?: and \d+ more)?\))?|states ([\d, ]+) and (\d+)( more)?)` + byWhom + ` (.+) would have (made the property certain|kept the property possible)`

// diagnosed checks a diagnosis that is a sentence of its own.
func (c *Checker) diagnosed(m []string) error {
	said := strings.TrimSuffix(m[0], ".")
	return c.diagnosis(strings.ToLower(said[:1]) + said[1:])
}

// diagnosis checks the text behind the colon of a verdict: its kind, and each
// number.
func (c *Checker) diagnosis(said string) error {
	said = ofOne(said)
	loops := c.Run.Loop != oracle.NoLoop
	if m := diagnosed.internal.FindStringSubmatch(said); m != nil {
		begin := max(1, number(m[2]))
		if !loops || begin != c.Run.Loop+1 {
			return fmt.Errorf("the loop begins with step %d", c.Run.Loop+1)
		}
		for _, t := range c.Run.Transitions[c.Run.Loop:] {
			if text := c.Model.Alphabet().Text(t.Label); text != "i" && text != "tau" {
				return fmt.Errorf("%s is not internal", text)
			}
		}
		said = m[1]
	}
	for _, d := range []struct {
		is    *regexp.Regexp
		check func(m []string) error
	}{
		{diagnosed.impossible, c.impossible}, {diagnosed.lost, c.lostEarly}, {diagnosed.early, c.tooEarly}, {diagnosed.stops, c.stops},
		{diagnosed.starved, c.starved}, {diagnosed.back, c.turnedBack}, {diagnosed.circling, c.circles}, {diagnosed.cause, c.keptBy},
	} {
		if m := d.is.FindStringSubmatch(said); m != nil {
			is := d.is
			switch is {
			case diagnosed.early:
				is = diagnosed.lost
			case diagnosed.cause, diagnosed.circling:
				is = diagnosed.back
			}
			return errors.Join(d.check(m), c.kindIs(is))
		}
	}
	return fmt.Errorf("the diagnosis %q is not understood", said)
}

// kindIs checks that the diagnosis is the first one that is true.
func (c *Checker) kindIs(is *regexp.Regexp) error {
	n := len(c.Run.Transitions)
	loops := c.Run.Loop != oracle.NoLoop || !c.mayEnd(c.states[n]) // or the stem alone gives the run
	lost := 0
	for lost <= n && c.free(lost) {
		lost++
	}
	kind := diagnosed.back
	possible, _ := c.possible()
	switch {
	case lost == 0:
		kind = diagnosed.impossible
	case lost < n || lost == n && loops:
		kind = diagnosed.lost
	case !loops:
		kind = diagnosed.stops
	case possible > 0:
		kind = diagnosed.starved
	}
	return want(kind == is,
		"the diagnosis is of another kind: lost after %d of %d steps, a loop: %t", lost, n, loops)
}

// happens reports whether a label that the predicate does accepts can occur
// after a state, regardless of the order of steps.
func (c *Checker) happens(from lts.State, does func(lts.Label) bool) bool {
	visited := map[lts.State]bool{from: true}
	for open := []lts.State{from}; len(open) > 0; open = open[1:] {
		for _, t := range c.o.Out(open[0]) {
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

func (c *Checker) does(step int) func(lts.Label) bool {
	return func(l lts.Label) bool { return c.Steps[step-1][l] }
}

func (c *Checker) impossible(m []string) error {
	start := c.Model.Initial()
	if c.free(0) {
		return errors.New("some run satisfies it")
	}
	if m[1] != "" {
		for last := range len(c.Steps) {
			if c.named(m[1], last+1) == nil && !c.happens(start, c.does(last+1)) {
				return nil
			}
		}
		return errors.New("it can happen")
	}
	first, last, err := c.stretch(m[2])
	return errors.Join(err,
		want(err != nil || first == 1 && !c.steps.CanDo(start, first, last),
			"some run does it"),
		want(err != nil || c.steps.CanDo(start, first, last-1), "even less is out of reach"),
		want(err != nil || c.happens(start, c.does(last)), "step %d alone is out of reach",
			last))
}

func (c *Checker) lostEarly(m []string) error {
	i := number(m[1])
	if i < 1 || i > len(c.Run.Transitions) ||
		text(m[2]) != c.Model.Alphabet().Text(c.Run.Transitions[i-1].Label) {
		return fmt.Errorf("step %d is another", i)
	}
	if !c.free(i-1) || c.free(i) {
		return fmt.Errorf("it is possible before: %v, after: %v", c.free(i-1), c.free(i))
	}
	from, done := c.states[i], c.first[i]
	if m[6] != "" {
		first, last, err := c.stretch(m[6])
		return errors.Join(err,
			want(err != nil || first == done+1 && !c.steps.CanDo(from, first, last),
				"some run does"))
	}
	last := done + 1
	for last <= len(c.Steps) && c.steps.CanDo(from, done+1, last) {
		last++
	}
	if m[5] == "happen" {
		if c.isEarly(i, last) && !strings.HasPrefix(m[0], "no run that counts") {
			return errors.New("that it came too early is missing")
		}
		return errors.Join(c.named(m[3], last),
			want(c.happens(c.states[i-1], c.does(last)), "it could not happen before"),
			want(!c.happens(from, c.does(last)), "it can happen"))
	}
	names := strings.Split(strings.Replace(m[3], " and then ", ", then ", 1), ", then ")
	if _, tail, cut := strings.Cut(m[0], " more) and then "); cut {
		names = []string{m[3], strings.TrimSuffix(tail, " can no longer all happen")}
		return errors.Join(c.named(names[0], done+1), c.named(names[1], last))
	}
	var errs []error
	for k, name := range names {
		errs = append(errs, c.named(name, done+1+k))
	}
	return errors.Join(append(errs,
		want(len(names) == last-done, "up to step %d is out of reach", last), want(c.happens(from, c.does(last)), "step %d alone is out of reach", last))...)
}

// isEarly reports whether step i, after which the run is lost, does the
// property's step last before a step that must precede it.
func (c *Checker) isEarly(i, last int) bool {
	return last > c.first[i]+1 && c.Steps[last-1][c.Run.Transitions[i-1].Label] &&
		!c.happens(c.states[i], c.does(last))
}

// tooEarly checks that a step which is needed later occurs for the last time.
func (c *Checker) tooEarly(m []string) error {
	i := number(m[1])
	if i < 1 || i > len(c.Run.Transitions) || !c.free(i-1) || c.free(i) {
		return fmt.Errorf("step %d is not where it is lost", i)
	}
	c.Understood["too early"]++
	done := c.first[i]
	last := done + 1
	for last <= len(c.Steps) && c.steps.CanDo(c.states[i], done+1, last) {
		last++
	}
	return errors.Join(c.named(m[3], done+1),
		want(c.Patterns[last-1] == text(m[2]) || c.namedByLabels(m[2], last), "step %d is what is lost", last), want(c.isEarly(i, last), "it does not come too early"))
}

func (c *Checker) stops(m []string) error {
	last := c.states[len(c.states)-1]
	return errors.Join(want(number(m[1]) == int(last) && c.mayEnd(last), "it ends in %d", last),
		c.named(m[2], c.done+1), c.refused(m[3], m[4]))
}

// mayEnd reports whether a run that counts may end in s.
func (c *Checker) mayEnd(s lts.State) bool { return c.assumed.Ends(c.o.Out(s)) }

// refused checks the labels that are reported as possible at the end of the run.
func (c *Checker) refused(said, are string) error {
	possible := map[string]bool{}
	for _, t := range c.o.Out(c.states[len(c.states)-1]) {
		possible[c.Model.Alphabet().Text(t.Label)] = true
	}
	texts := c.texts(said)
	var err error
	for _, text := range texts {
		err = errors.Join(err, want(possible[text], "%s is not possible there", text))
		delete(possible, text)
	}
	left := len(possible)
	if m := otherActions.FindStringSubmatch(said); m != nil {
		left -= number(m[1])
	}
	return errors.Join(err, want(left == 0, "%v are possible there, too", possible),
		want(said == "" || (are == "is") == (len(texts) == 1), "%s possible", are))
}

var otherActions = regexp.MustCompile(`(\d+) other actions`)

// possible returns the number of states of the loop at which the pending step is
// possible, and the number of all its states.
func (c *Checker) possible() (possible, all int) {
	visited := map[lts.State]bool{}
	for i := range c.Run.Transitions {
		if s := c.states[i]; c.onLoop(i) && !visited[s] {
			visited[s] = true
			for _, t := range c.o.Out(s) {
				if c.Steps[c.done][t.Label] {
					possible++
					break
				}
			}
		}
	}
	return possible, len(visited)
}

// placesNamed reads two numbers: how many states of the loop a phrase names, and
// how many states the loop has.
func placesNamed(said string) (m, n int, err error) {
	for _, form := range []string{"all %d states of the loop", "all %d moments of the loop"} {
		if _, err := fmt.Sscanf(said, form, &n); err == nil {
			return n, n, nil
		}
	}
	for _, form := range []string{"%d of the loop's %d states", "%d of the loop's %d moments"} {
		if _, err := fmt.Sscanf(said, form, &m, &n); err == nil {
			return m, n, nil
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

func (c *Checker) starved(m []string) error {
	possible, all, err := placesNamed(m[2])
	if err != nil {
		return err
	}
	is, of := c.possible()
	errs := []error{
		c.named(m[1], c.done+1),
		want(possible == is && all == of, "it is possible in %d of %d", is, of),
	}
	taken := map[string]bool{}
	for i, t := range c.Run.Transitions {
		if c.onLoop(i) && c.Steps[c.done][t.Label] {
			errs = append(errs, errors.New("it is taken"))
		}
		if c.onLoop(i) && c.possibleAt(c.states[i]) {
			taken[c.Model.Alphabet().Text(t.Label)] = true
		}
	}
	if m[4] != "" {
		names := strings.Split(m[4], " or ")
		errs = append(errs, want(len(names) == len(taken), "%v are taken there", taken))
		for _, name := range names {
			errs = append(errs, want(taken[text(name)], "%v are taken there", taken))
		}
	}
	return errors.Join(errs...)
}

func (c *Checker) possibleAt(s lts.State) bool {
	return slices.ContainsFunc(c.o.Out(s), func(t lts.Transition) bool {
		return c.Steps[c.done][t.Label]
	})
}

func (c *Checker) turnedBack(m []string) error {
	pending := func(t lts.Transition) bool { return c.Steps[c.done][t.Label] }
	if err := errors.Join(c.named(m[1], c.done+1), c.goes(m, pending)); err != nil {
		return err
	}
	// This finds out whether a shorter path exists.
	near := map[lts.State]bool{}
	for i := range c.Run.Transitions {
		if c.onLoop(i) {
			near[c.states[i]] = true
		}
	}
	for steps := 1; ; steps++ {
		next := map[lts.State]bool{}
		for s := range near {
			for _, t := range c.o.Out(s) {
				if pending(t) {
					return want(steps == number(m[2]), "a way has %d steps", steps)
				}
				next[t.To] = true
			}
		}
		if near = next; steps > c.Model.NumStates() {
			return errors.New("there is no way")
		}
	}
}

// circles checks [Checker.turnedBack] of a loop of one transition.
func (c *Checker) circles(m []string) error {
	if length := len(c.Run.Transitions) - c.Run.Loop; length != 1 {
		return fmt.Errorf("the loop has %d transitions", length)
	}
	return c.turnedBack(toItself(m))
}

// toItself returns the parts of a sentence about a loop of one transition as those of [diagnosed.back].
func toItself(m []string) []string { return append(slices.Clone(m), m[3]) }

// goes checks that a path with the given first transition ends with a pending
// step, and that the run takes the stated alternative instead.
func (c *Checker) goes(m []string, pending func(lts.Transition) bool) error {
	from := lts.State(number(m[3]))
	instead := false
	for i, t := range c.Run.Transitions {
		instead = instead || c.onLoop(i) && t.From == from &&
			c.Model.Alphabet().Text(t.Label) == text(m[5]) && int(t.To) == number(m[6])
	}
	if !instead {
		return fmt.Errorf("the loop does not take %s from state %d", m[5], from)
	}
	near := map[lts.State]bool{from: true}
	labels := strings.Split(m[4], ", ")
	for step := range number(m[2]) {
		next, last := map[lts.State]bool{}, step == number(m[2])-1
		var name, to string
		var told bool
		if !last && step < len(labels) && !strings.HasPrefix(labels[step], "…") {
			name, to, told = strings.Cut(labels[step], " to state ")
		}
		for s := range near {
			for _, t := range c.o.Out(s) {
				if last && pending(t) {
					return nil
				}
				if (name == "" || text(name) == c.Model.Alphabet().Text(t.Label)) &&
					(!told || number(to) == int(t.To)) {
					next[t.To] = true
				}
			}
		}
		near = next
	}
	return errors.New("that is no way to what is pending")
}

// minimal checks a claim about shorter counterexamples.
func (c *Checker) minimal(m []string) error {
	if strings.Contains(m[0], "in a deadlock") || c.stem {
		return nil // the sentence about the length says so, too
	}
	least, _ := c.o.ShortestLength()
	n, err := c.withoutRounds(m[0])
	if err != nil {
		return err
	}
	if strings.Contains(m[0], "may be") {
		return want(n > least, "it is a shortest one, which is not told")
	}
	return want(n == least, "one has length %d", least)
}

// roundsForm matches the sentence about an unrolled loop.
var roundsForm = regexp.MustCompile(` The run is shown with (\d+) rounds of its loop, since what can still become of the property differs between them; with one round it has (\d+) transitions?\.$`)

// withoutRounds returns the length of the run with one round of its loop, and checks what the text says of
// several rounds.
func (c *Checker) withoutRounds(said string) (int, error) {
	n := len(c.Run.Transitions)
	m := roundsForm.FindStringSubmatch(said)
	if m == nil {
		return n, nil
	}
	c.Understood["rounds"]++
	rounds, length := number(m[1]), number(m[2])
	if c.Run.Loop == oracle.NoLoop || rounds < 2 || n <= length || (n-length)%(rounds-1) != 0 {
		return 0, fmt.Errorf("the run has %d transitions", n)
	}
	round := (n - length) / (rounds - 1)
	differs := false
	for i := length - round; i+round < n; i++ {
		if c.Run.Transitions[i] != c.Run.Transitions[i+round] {
			return 0, fmt.Errorf("transition %d is not repeated", i+1)
		}
		now, later := c.first[i], c.first[i+round]
		s := c.states[i]
		if c.o.Free(s, now) != c.o.Free(s, later) || c.o.Arrives(s, now) != c.o.Arrives(s, later) {
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
	if m[2] != "" { // about one state
		listed, err := c.places(m[1], m[2])
		for at := range listed {
			listed[at]--
			err = errors.Join(err, c.betterAt(listed[at], m[6], class))
		}
		return errors.Join(err, c.decidedBy(m[0], listed))
	}
	states := numbers(m[1] + m[3])
	more := number(m[4])
	if m[5] == "" && m[4] != "" {
		states, more = append(states, more), 0
	}
	found := map[int]bool{}
	var at []int
	for i := range c.Run.Transitions {
		if c.betterAt(i, m[6], class) == nil {
			found[int(c.states[i])] = true
			at = append(at, i)
		}
	}
	if err := c.decidedBy(m[0], at); err != nil {
		return err
	}
	for _, s := range states {
		if !found[s] {
			return fmt.Errorf("that is so in the states %v of the run, and not in %d", found, s)
		}
	}
	return want(len(found) >= len(states)+more, "it is so in %d states", len(found))
}

// betterAt checks that exactly these alternatives to step i, from 0, have the
// stated class, that none has a better one, and that it is better than that of
// the run's own transition.
func (c *Checker) betterAt(i int, said string, class oracle.Class) error {
	var means []lts.Transition
	for _, t := range c.others(i) {
		switch c.o.ClassAfter(c.at(i), t) {
		case class:
			means = append(means, t)
		case oracle.Correct:
			return fmt.Errorf("at step %d %v would have made it certain", i+1, t)
		}
	}
	taken := c.o.ClassAfter(c.at(i), c.Run.Transitions[i])
	for _, name := range option.FindAllStringSubmatch(said, -1) {
		for _, t := range append(c.others(i), c.Run.Transitions[i]) {
			if name[3] != "" && c.Model.Alphabet().Text(t.Label) == text(name[3]) &&
				!slices.Contains(means, t) && c.o.ClassAfter(c.at(i), t) != excluded {
				return fmt.Errorf("at step %d %s could be %v", i+1, name[3], t)
			}
		}
	}
	return errors.Join(c.names(said, means),
		want(taken != class && taken != oracle.Correct,
			"what the run takes at step %d means as much", i+1))
}

func (c *Checker) decision(m []string) error {
	steps, err := c.places(m[1], m[2])
	if err != nil {
		return err
	}
	var taken []string
	for _, l := range strings.Split(m[4], ", ") {
		name, times, folds := strings.Cut(l, " ×")
		if !folds {
			times = "1"
		}
		for range number(times) {
			taken = append(taken, name)
		}
	}
	if len(taken) != len(steps) {
		return fmt.Errorf("%d steps, %d labels", len(steps), len(taken))
	}
	for at, step := range steps {
		i := step - 1
		if err := errors.Join(
			c.takes(i, taken[at]),
			want(c.onLoop(i) == (m[3] != ""), "step %d is in every round: %v", step,
				c.onLoop(i)),
			c.outcome(i, m[5], m[6]),
		); err != nil {
			return err
		}
		if strings.Contains(m[5], "before") {
			continue
		}
		if err := c.outlook(i, m[7]); err != nil {
			return fmt.Errorf("step %d: %w", step, err)
		}
	}
	return nil
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

// places reads a list of steps, and checks that the listed states are the sources
// of these steps.
func (c *Checker) places(states, steps string) ([]int, error) {
	listed, err := c.stepNumbers(steps)
	if err != nil {
		return nil, err
	}
	var left []int
	for _, i := range listed {
		if s := int(c.states[i-1]); !slices.Contains(left, s) {
			left = append(left, s)
		}
	}
	return listed, want(slices.Equal(left, numbers(states)), "the steps leave states %v", left)
}

// takes checks the name of transition i of the run.
func (c *Checker) takes(i int, name string) error {
	t := c.Run.Transitions[i]
	name, to, told := strings.Cut(name, " to state ")
	if text(name) != c.Model.Alphabet().Text(t.Label) || told && number(to) != int(t.To) {
		return fmt.Errorf("step %d takes %v, not %s", i+1, t, name)
	}
	for _, other := range c.others(i) {
		if other.Label == t.Label && !told && c.o.ClassAfter(c.at(i), other) != excluded {
			return fmt.Errorf("step %d could as well take %v", i+1, other)
		}
	}
	return nil
}

// outcome checks the stated class of transition i of the run.
func (c *Checker) outcome(i int, said, gone string) error {
	switch {
	case strings.Contains(said, "stays possible"):
		return want(c.free(i) && c.free(i+1), "it is possible before: %v, after: %v", c.free(i),
			c.free(i+1))
	case strings.Contains(said, "lost before"):
		return want(!c.free(i), "it was possible")
	}
	if !c.free(i) || c.free(i+1) {
		return fmt.Errorf("it is possible before: %v, after: %v", c.free(i), c.free(i+1))
	}
	list, such := strings.CutPrefix(gone, "no run that counts does ")
	list, single := strings.CutSuffix(list, " can no longer happen")
	list = strings.TrimPrefix(list, "the run can no longer do ")
	done := c.first[i+1]
	steps := strings.Split(list, ", later ")
	if single != (len(steps) == 1) && !such {
		return fmt.Errorf("%q", gone)
	}
	last := done + len(steps)
	for at, name := range steps {
		if err := c.named(name, done+1+at); err != nil {
			return err
		}
	}
	to := c.Run.Transitions[i].To
	return errors.Join(
		want(!c.steps.CanDo(to, done+1, last), "some continuation does"),
		want(last == done+1 || c.steps.CanDo(to, done+1, last-1), "even less is out of reach"))
}

// means maps the words for the class of a choice to classes.
var means = []struct {
	is    *regexp.Regexp
	class oracle.Class
}{
	{regexp.MustCompile(`^(.+) (?:would have made|makes) (?:the property|it) certain$`), oracle.Correct},
	{regexp.MustCompile(`^(.+) (?:would have kept|would only have kept|keeps) (?:the property|it) possible$`), oracle.Neutral},
	{regexp.MustCompile(`^(.+) (?:would have lost|would still have lost|loses) (?:the property|it)(?: as well)?$`), oracle.Incorrect},
}

// outlook checks the clauses about the alternatives to transition i: all of them
// are mentioned, with the right class.
func (c *Checker) outlook(i int, said string) error {
	now, first, firstDiffers := strings.Cut(said, "In the first round, ")
	now = strings.TrimSuffix(strings.TrimSpace(now), ".")
	expected := map[oracle.Class][]lts.Transition{}
	earlier := map[oracle.Class][]lts.Transition{}
	for _, t := range c.others(i) {
		class, before := c.o.ClassAfter(c.at(i), t), c.o.ClassAfter(c.first[i], t)
		if class == excluded { // no sentence is about transitions to states without a run that counts
			continue
		}
		expected[class] = append(expected[class], t)
		if before != class {
			earlier[before] = append(earlier[before], t)
		}
	}
	passes := c.free(i) && !c.free(i+1)
	if strings.Contains(said, "as well") != (passes && len(expected[oracle.Incorrect]) > 0) {
		return fmt.Errorf("passes the point of no return: %v", passes)
	}
	if firstDiffers != (len(earlier) > 0) {
		return fmt.Errorf("the first round differs: %v", earlier)
	}
	return errors.Join(c.listed(now, expected), c.listed(first, earlier))
}

// listed compares clauses with the transitions of each class.
func (c *Checker) listed(clauses string, expected map[oracle.Class][]lts.Transition) error {
	visited := map[oracle.Class]bool{}
	if clauses == "" {
		return want(len(expected) == 0, "it does not tell of %v", expected)
	}
	for _, clause := range strings.Split(clauses, "; ") {
		at := slices.IndexFunc(means, func(m struct {
			is    *regexp.Regexp
			class oracle.Class
		}) bool {
			return m.is.MatchString(clause)
		})
		if at < 0 {
			return fmt.Errorf("clause %q", clause)
		}
		class := means[at].class
		visited[class] = true
		if err := c.names(means[at].is.FindStringSubmatch(clause)[1], expected[class]); err != nil {
			return fmt.Errorf("%s: %w", class, err)
		}
	}
	for class := range expected {
		if !visited[class] {
			return fmt.Errorf("it does not tell of %v", expected[class])
		}
	}
	return nil
}

// othersCut matches the end of a shortened list.
var othersCut = regexp.MustCompile(` or (\d+) other actions?$`)

var option = regexp.MustCompile("(any of `[^`]+`(?:, `[^`]+`)+|`[^`]+`) to state (\\d+(?:, \\d+)*(?: or \\d+)?)|(`[^`]+`)")

// names checks that a list names exactly these transitions.
func (c *Checker) names(list string, expected []lts.Transition) error {
	if cut := othersCut.FindStringSubmatch(list); cut != nil {
		return want(len(expected) > number(cut[1]), "there are %d", len(expected))
	}
	if n, is := strings.CutSuffix(list, " other transitions"); is {
		return want(number(n) == len(expected), "there are %d", len(expected))
	}
	left := slices.Clone(expected)
	for i, between := range option.Split(list, -1) {
		if between != "" && between != ", " && between != " or " || i == 0 && between != "" {
			return fmt.Errorf("%q is between options of %q", between, list)
		}
	}
	for _, m := range option.FindAllStringSubmatch(list, -1) {
		labels, to, ways := strings.Split(strings.TrimPrefix(m[1], "any of "), ", "), numbers(strings.ReplaceAll(m[2], " or ", ", ")), 0
		if m[1] == "" {
			labels, to = []string{m[3]}, nil
		} else {
			ways = len(labels) * len(to)
		}
		before := len(left)
		left = slices.DeleteFunc(left, func(t lts.Transition) bool {
			named := slices.ContainsFunc(labels, func(l string) bool {
				return c.Model.Alphabet().Text(t.Label) == text(l)
			})
			return named && (to == nil || slices.Contains(to, int(t.To)))
		})
		if n := before - len(left); n == 0 || ways > 0 && n != ways {
			return fmt.Errorf("%s stands for %d of %v", m[0], n, expected)
		}
	}
	return want(len(left) == 0, "%v are not told", left)
}

func (c *Checker) trapped(m []string) error {
	c.leaving = c.Run.Loop != oracle.NoLoop
	defer func() { c.leaving = false }()
	for i := range c.Run.Transitions {
		for _, t := range c.others(i) {
			if c.onLoop(i) && (m[1] == "transition" || c.o.ClassAfter(c.at(i), t) != excluded) {
				return fmt.Errorf("%v leaves it", t)
			}
		}
	}
	return want(c.Run.Loop != oracle.NoLoop, "there is no loop")
}

func (c *Checker) lostInLoop([]string) error {
	return want(c.Run.Loop != oracle.NoLoop && !c.free(c.Run.Loop),
		"it is possible in the loop")
}

func (c *Checker) waysOut(m []string) error {
	steps, err := c.places(m[1], m[2])
	if err != nil {
		return err
	}
	for _, step := range steps {
		if !c.onLoop(step - 1) {
			return fmt.Errorf("step %d is not on the loop", step)
		}
		c.leaving = true
		err := c.outlook(step-1, m[3])
		if c.leaving = false; err != nil {
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
			for _, t := range c.o.Out(s) {
				after := c.o.Advance(progress, t.Label)
				if after == progress {
					next[t.To] = true
				} else if c.o.Free(t.To, after) {
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
	var loop []lts.State
	for i := range c.Run.Transitions {
		if c.onLoop(i) {
			loop = append(loop, c.states[i])
		}
	}
	from, labels, to := lts.State(number(m[2])), strings.Split(m[3], ", "), lts.State(number(m[4]))
	least, found := c.wayLength(loop, c.done)
	level := map[lts.State]bool{from: true}
	for i, l := range labels {
		next := map[lts.State]bool{}
		for s := range level {
			for _, t := range c.o.Out(s) {
				advances := c.o.Advance(c.done, t.Label) > c.done
				if c.Model.Alphabet().Text(t.Label) == text(l) &&
					advances == (i == len(labels)-1) {
					next[t.To] = true
				}
			}
		}
		level = next
	}
	return errors.Join(c.named(m[1], c.done+1),
		want(slices.Contains(loop, from), "state %d is not on the loop", from),
		want(level[to] && c.o.Free(to, c.done+1), "there is no such way"),
		want(found && (least == len(labels) || strings.Contains(m[3], "…")),
			"the shortest one has length %d", least))
}
