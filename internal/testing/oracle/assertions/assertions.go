// Package assertions reads the text of a report back, sentence by sentence, and checks each by
// brute force: a sentence is a claim about a model, a property and a run. Only tests and tools/soak
// import it. The only result of the analysis that is used is the run that the report is about,
// which is itself checked. A sentence that is not understood is an error.
package assertions

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// Subject is the model, property and run of the sentences.
type Subject struct {
	Model *lts.LTS
	// Patterns are the names of the steps in sentences, and Steps are the labels that do
	// each step.
	Patterns []string
	Steps    []map[lts.Label]bool
	// Violated reports whether the property is violated; then Run is the
	// counterexample.
	Violated bool
	Run      oracle.Run
	Reading  oracle.Reading
	// Owners are the possible owners of labels, in the order of sentences; Owner
	// returns the owner of a label, "" if there is none. Nil if sentences do not
	// mention owners.
	Owners []string
	Owner  func(label string) string
	// Triggers are labels that oblige a run to something: nobody can forbid them.
	Triggers map[lts.Label]bool
	// Just is justness, for the components that actions need; nil if the
	// components are unknown.
	Just *oracle.Just
}

// Checker checks sentences about one subject, and counts them by form.
type Checker struct {
	Subject
	judge judge
	// steps decides which steps of a chain are possible; nil for other
	// properties.
	steps interface {
		CanDo(s lts.State, firstProgress, last int) bool
	}
	// states[i] is the state before transition i of the run, and firstProgress[i] the progress on
	// the first arrival there. finalProgress is the progress at the end of the run. For a property
	// without steps, progress is the state of the property; initialProgress is this state before
	// the run, and loopProgress[i] the progress before transition i in the rounds that repeat.
	states          []lts.State
	firstProgress   []int
	finalProgress   int
	initialProgress int
	loopProgress    []int
	// mostStates is the number of states of a property without steps.
	mostStates int
	// mayStop reports whether a run may end in a state of such a property; nil for a chain.
	mayStop func(q int) bool
	// excludesLoop excludes the transitions of the loop itself from the alternatives
	// in a state.
	excludesLoop bool
	// isStemOnly reports whether the report describes the run by its stem alone.
	isStemOnly bool
	// satisfied reports whether a model, such as one without some transitions,
	// satisfies the property; nil for a chain.
	satisfied func(*lts.LTS) bool
	// gameWithout returns the game where these labels cannot be forbidden; nil for
	// a chain.
	gameWithout func(map[lts.Label]bool) (*game, bool)
	// colours is the number of colours of the property's automaton; 0 for a
	// chain.
	colours int
	// assumed describes the assumption under which runs count.
	assumed oracle.Assumption
	fair    fairness
	// Understood counts the sentences by their form.
	Understood map[string]int
}

// judge computes, by brute force, the outcomes of runs from a state with some
// progress.
type judge interface {
	Satisfied() bool
	Free(s lts.State, progress int) bool
	Arrives(s lts.State, progress int) bool
	Advance(progress int, l lts.Label) int
	Out(s lts.State) []lts.Transition
	Reachable(s lts.State) bool
	Count() (of map[oracle.Class]int, all int)
	ClassAfter(progress int, t lts.Transition) oracle.Class
	Neighbourhoods(r oracle.Reading) map[lts.State]oracle.Kind
	ShortestLength() (length int, found bool)
}

// New returns a checker. It fails if the verdict of the subject is wrong, or if the run of a violated
// property is no counterexample.
func New(s Subject) (*Checker, error) {
	o, err := oracle.New(s.Model, s.Steps)
	if err != nil {
		return nil, err
	}
	c := &Checker{
		Subject:    s,
		judge:      o,
		steps:      o,
		Understood: map[string]int{},
	}
	if c.fair, err = newFairness(s); err != nil {
		return nil, err
	}
	contradictsSubject := o.Satisfied() == s.Violated
	if contradictsSubject {
		return nil, fmt.Errorf("the property is satisfied: %v", o.Satisfied())
	}
	if !s.Violated {
		return c, nil
	}
	if err := o.Check(s.Run); err != nil {
		return nil, err
	}
	c.follow()
	return c, nil
}

// follow records the states and progresses along the run.
func (c *Checker) follow() {
	c.states, c.firstProgress = []lts.State{c.Model.Initial()}, []int{0}
	for i, t := range c.Run.Transitions {
		c.states = append(c.states, t.To)
		c.firstProgress = append(c.firstProgress, c.judge.Advance(c.firstProgress[i], t.Label))
	}
	c.finalProgress = c.firstProgress[len(c.Run.Transitions)]
	for range len(c.Steps) {
		c.finalProgress = c.followLoop(c.finalProgress, nil)
	}
}

// followLoop follows the loop once, from a progress at its beginning, and calls do for each transition
// that makes progress. It returns the progress after the loop.
func (c *Checker) followLoop(progress int, do func(i, progress int)) int {
	if c.Run.Loop == oracle.NoLoop {
		return progress
	}
	for i := c.Run.Loop; i < len(c.Run.Transitions); i++ {
		after := c.judge.Advance(progress, c.Run.Transitions[i].Label)
		if after > progress && do != nil {
			do(i, after)
		}
		progress = after
	}
	return progress
}

// onLoop reports whether transition i of the run is taken again and again.
func (c *Checker) onLoop(i int) bool { return c.Run.Loop != oracle.NoLoop && i >= c.Run.Loop }

// progressAt returns the progress on arrival before transition i; on the loop, it is that
// of the rounds that repeat.
func (c *Checker) progressAt(i int) int {
	switch {
	case c.onLoop(i) && c.loopProgress != nil:
		return c.loopProgress[i]
	case c.onLoop(i):
		return c.finalProgress
	}
	return c.firstProgress[i]
}

// free reports whether the property can still be satisfied before transition i.
func (c *Checker) free(i int) bool { return c.judge.Free(c.states[i], c.firstProgress[i]) }

// form is a form of sentences.
type form struct {
	name    string
	pattern *sentence
	check   func(c *Checker, m []string) error
}

// The sentences that name a notion of fairness, or an assumption about some labels.
const (
	weakOfEach   = `Every action that stays enabled is eventually taken \(weak fairness of each action\)`
	strongOfEach = `Every action that is enabled infinitely often is eventually taken \(strong fairness of each action\)(; weak fairness of each action is not enough)?`
	almostSurely = `It holds with probability 1, whatever the probabilities \(full fairness\); no fairness of single actions is enough`

	finitelyOften = `(.+) (happens?) finitely often(?:; likewise (.+?))?(?:; there may be others)?`
	weaklyFair    = `(.+) (is) eventually taken once it stays enabled \(weak fairness of (?:this action|these actions)\)(?:; likewise (.+?))?(?:; there may be others)?`
	stronglyFair  = `(.+) (is) eventually taken if it is enabled infinitely often \(strong fairness of (?:this action|these actions)\)(?:; likewise (.+?))?(?:; there may be others)?`
)

// label matches a text of the model in the Markdown of a report.
const label = "`(?:``)?[^`]+`(?:``)?"

// onlyChoices is advice to make choices fair, and to forbid nothing.
const onlyChoices = `Nothing has to be forbidden if (?:the choices? in states? ([\d, ]+?)(?: and (\d+) more(?: \(the JSON output has all\))?)? (?:is|are) fair: ` +
	`a run that comes (?:there|to one of them) again and again takes every transition from there again and again|all choices are fair \(\S.*\))`

// forms returns the forms of sentences, each with the check that reads it back; the first form that matches
// a sentence counts.
func forms() []form {
	all := []struct {
		name, pattern string
		check         func(c *Checker, m []string) error
	}{
		{"verdict", "(.+) (satisfies|violates) " + label + "(: every run does (.+)|: (.+))", (*Checker).verdict},
		{"diagnosis", diagnosisForms, (*Checker).diagnosed},
		{"way", wayForm, (*Checker).way},
		{"minimal", "No counterexample(?: that ends in a deadlock)? is shorter|There may be a shorter counterexample|This is the given counterexample(?:\\. No counterexample is shorter|; there may be a shorter one)(?:\\. The loop is shown in .+ transitions?)?", (*Checker).minimal},
		{"initial deadlock", "The initial state is a deadlock: the run ends before it begins", (*Checker).initialDeadlock},
		{"deadlock", `(.*) has (\d+) transitions? and ends in a deadlock, state (\d+)`, (*Checker).deadlock},
		{"refused", `(.*) has (\d+) transitions? and stops in state (\d+), where only (.+), which may be blocked, (is|are) possible`, (*Checker).stopsRefused},
		{"loop", `(.*) is a loop of (\d+) transitions? at the initial state, repeated forever`, (*Checker).wholeLoop},
		{"lasso", `(.*) has (\d+) transitions?, of which the last (one is|\d+ are) a loop that is repeated forever`, (*Checker).lasso},
		{"never", "It never does (.+)", (*Checker).never},
		{"missing", "It does (.+), but after that never (.+)", (*Checker).missing},
		{"decision", `In states? ([\d, ]+) \(steps? ([\d, –]+)(, in every round)?\) the run takes (.+?)(; the property stays possible|; for this run the property was lost before|\. From then on (.+?): the property is lost\. This is the point of no return)(?:\. (.*?would .*))?`, (*Checker).decision},
		{"undecided", "Nothing is decided on this run, for no run(?: that counts)? satisfies the property: none does (.+)", (*Checker).undecided},
		{"always possible", "There is no point of no return: at every moment of this run the property is still possible, but nothing forces it", (*Checker).alwaysPossible},
		{"nothing better", "At no state of this run would another choice have made the property certain(, but in the first round of the loop)?", (*Checker).nothingBetter},
		{"by history", "Here the right choice depends on the past: for other runs that come to (this state|these states), the same choices can have another effect", (*Checker).byHistory},
		{"abstraction", `Cut down to its decisions, the run has (\d+) transitions? instead of (\d+): (.+)`, (*Checker).abstraction},
		{"trapped", "No (transition|run that counts) leaves the loop: once in it, the run stays forever", (*Checker).trapped},
		{"lost in loop", "Leaving the loop does not help: the property was lost before", (*Checker).lostInLoop},
		{"ways out", `In states? ([\d, ]+) \(steps? ([\d, –]+)\), ([^w].+)`, (*Checker).waysOut},
		{"better", betterForm, (*Checker).better},
		{"nearest way", "The shortest way from the loop to (.+) that keeps the property possible: from state (\\d+) by (.+) to state (\\d+)", (*Checker).nearestWay},
		{"only a deadlock", "Fairness (?:alone )?does not help: (a run that ends in a deadlock violates the property|the run ends)", (*Checker).deadlockViolates},
		{"fairly gone", `Fairness alone does not help: a run can come to state (\d+), from where (?:(.+) can no longer happen|it can no longer do (.+))`, (*Checker).fairlyGone},
		{"weak fairness", weakOfEach, (*Checker).weakFairness},
		{"strong fairness", strongOfEach, (*Checker).strongFairness},
		{"full fairness", almostSurely, (*Checker).fullFairness},
		{"finitely", finitelyOften, (*Checker).finitely},
		{"fair to weak", weaklyFair, (*Checker).weaklyFair},
		{"fair to strong", stronglyFair, (*Checker).stronglyFair},
		{"fair choice", `The choice in state (\d+) is fair: a run that comes there again and again takes every transition from there again and again`, (*Checker).fairChoices},
		{"fair choices", `The choices in states (\d+(?:, \d+)+) are fair: a run that comes to one of them again and again takes every transition from there again and again`, (*Checker).fairChoices},
		{"justness", `What is possible happens, or is interfered with by what needs a common component \(justness\)`, (*Checker).justness},
		{"nobody can", nobodyCan, (*Checker).nobodyCan},
		{"only together", onlyTogether, (*Checker).onlyTogether},
		{"supervised", supervised, (*Checker).supervised},
		{"each alone", eachAlone, (*Checker).eachAlone},
		{"some alone", someAlone, (*Checker).someAlone},
		{"any of these", anyOfThese, (*Checker).anyOfThese},
		{"shares", sharesForm, (*Checker).shares},
		{"owned", ownedForm, (*Checker).owned},
		{"through", throughForm, (*Checker).through},
		{"gap", gapForm, (*Checker).gap},
		{"advice", `((?:One or two transitions are not enough: f|F)orbid .+|In (?:states? [\d, ]+|\d+ states) only .+)`, (*Checker).checkForbidden},
		{"advice to leave", "((?:In|No) .+)", (*Checker).onlyLeave},
		{"advice on choices", onlyChoices, (*Checker).onlyFair},
		{"irreparable", "Forbidding actions does not make it true: " + cannotBe, (*Checker).irreparable},
		{"nothing helps", "Nothing does: no run satisfies it", (*Checker).nothingHelps},
		{"elsewhere", `(\d+) other decisions? in the model(?:: (.+)|, where (the property can be .+))`, (*Checker).elsewhere},
		{"nothing elsewhere", "There is no other decision in the model", (*Checker).nothingElsewhere},
		{"classes", `Of the (\d+) transitions?, (.+)`, (*Checker).classes},
		{"unreachable", `(\d+) states? with (\d+) transitions? cannot be reached and took no part`, (*Checker).unreachable},
	}
	list := make([]form, len(all))
	for i, f := range all {
		list[i] = form{f.name, wholeSentence(f.pattern), f.check}
	}
	return list
}

var allForms = forms()

// Forms returns the names of all forms.
func Forms() []string {
	var names []string
	for _, f := range allForms {
		names = append(names, f.name)
	}
	return names
}

// Sentence checks one sentence. The text may also be two sentences, if the second
// one names a step that the run does, or never does.
func (c *Checker) Sentence(s string) error {
	for _, joint := range []string{". It never does ", ". It does "} {
		if first, second, both := strings.Cut(s, joint); both {
			return c.checkAll(first+".", joint[2:]+second)
		}
	}
	for _, f := range allForms {
		m := f.pattern.FindStringSubmatch(s)
		if m != nil {
			c.Understood[f.name]++
			if err := f.check(c, m); err != nil {
				return fmt.Errorf("%q: %w", s, err)
			}
			return nil
		}
	}
	return fmt.Errorf("%q: not understood", s)
}

// checkAll checks several sentences.
func (c *Checker) checkAll(sentences ...string) error {
	for _, s := range sentences {
		if err := c.Sentence(s); err != nil {
			return err
		}
	}
	return nil
}

// sentence is an expression that is tried only on texts that contain its longest
// literal, because there are dozens of forms, and most do not apply to a text.
type sentence struct {
	*regexp.Regexp
	literal string
}

// FindStringSubmatch is as in [regexp.Regexp].
func (s *sentence) FindStringSubmatch(text string) []string {
	if !strings.Contains(text, s.literal) {
		return nil
	}
	return s.Regexp.FindStringSubmatch(text)
}

// compiled caches the patterns of whole sentences, which the checkers of
// thousands of models share.
var compiled sync.Map

// wholeSentence returns the expression that matches complete sentences of a pattern, with
// their full stops.
func wholeSentence(pattern string) *sentence {
	if known, isKnown := compiled.Load(pattern); isKnown {
		return known.(*sentence)
	}
	complete := `^(?:` + pattern + `)\.$`
	s, _ := compiled.LoadOrStore(pattern, &sentence{regexp.MustCompile(complete), LiteralOf(complete)})
	return s.(*sentence)
}

// LiteralOf returns the longest literal that each match of a pattern has, "" if there is none.
func LiteralOf(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	return longestIn(re)
}

// longestIn returns the longest literal that each match of a part of a pattern has.
func longestIn(re *syntax.Regexp) string {
	longest := ""
	switch re.Op {
	case syntax.OpLiteral:
		ignoresCase := re.Flags&syntax.FoldCase != 0
		if !ignoresCase {
			return string(re.Rune)
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, part := range re.Sub {
			literal := longestIn(part)
			if len(literal) > len(longest) {
				longest = literal
			}
		}
	}
	return longest
}

// has reports whether a set, given by its bits, has a member.
func has(set, member int) bool { return set>>member&1 != 0 }

// lowerFirst returns a sentence as it stands within another: with a small first letter.
func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }
