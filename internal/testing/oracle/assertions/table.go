package assertions

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// TableSubject is a subject of sentences whose property has no steps.
type TableSubject struct {
	Model     *lts.LTS
	Automaton oracle.Automaton
	// Assumed describes which runs count; Assume reports whether the user asked
	// for an assumption.
	Assumed oracle.Assumption
	Assume  bool
	// Phrase describes what is pending in a state of the automaton, in the form
	// of sentences; empty if nothing is.
	Phrase func(q int) string
	// Triggers are the labels that oblige a run to something.
	Triggers map[lts.Label]bool
	// Demanded are the labels that the property demands.
	Demanded map[lts.Label]bool
	// Prohibited are the labels of the step that a pattern prohibits; nil for a pattern that allows
	// only some actions.
	Prohibited map[lts.Label]bool
	// Conditions are the conjuncts of the property, in the form of sentences.
	Conditions []Condition
	// Owners and Owner are as in a [Subject].
	Owners []string
	Owner  func(label string) string
	// Violated reports whether the property is violated; then Run is the
	// counterexample. Stem reports whether the report describes the run by its
	// stem alone.
	Violated, Stem bool
	Run            oracle.Run
}

// TableChecker checks sentences about one property without steps.
type TableChecker struct {
	*Checker
	table      TableSubject
	fates      *oracle.FairGeneral
	tableForms []tableForm
}

type tableForm struct {
	name    string
	pattern *sentence
	check   func([]string) error
}

// NewTable returns a checker; nil if the model is too large for it. It fails if the
// run is no counterexample of the model.
func NewTable(s TableSubject) (*TableChecker, error) {
	fates, areFew := oracle.NewFairGeneral(s.Model, s.Automaton, s.Assumed)
	if !areFew {
		return nil, nil
	}
	initial := s.Automaton.Initial
	states := s.Automaton.States
	j := newJudgeUnder(s.Model, fates, initial, states, s.Automaton.Next)
	c := &TableChecker{table: s, fates: fates, Checker: &Checker{
		Subject: Subject{
			Model:    s.Model,
			Violated: s.Violated,
			Run:      s.Run,
			Reading:  oracle.All,
			Owners:   s.Owners,
			Owner:    s.Owner,
			Triggers: s.Triggers,
		},
		judge:           j,
		assumed:         s.Assumed,
		initialProgress: initial,
		mostStates:      states,
		mayStop:         s.Automaton.Stops,
		colours:         s.Automaton.Colours,
		Understood:      map[string]int{},
	}}
	c.satisfied = func(m *lts.LTS) bool {
		_, rejects := oracle.NewGeneral(m, s.Automaton).Can(m.Initial(), initial)
		return !rejects
	}
	c.gameWithout = c.playWith
	c.tableForms = append(c.prevention(), c.forms()...)
	if j.Satisfied() == s.Violated {
		return nil, fmt.Errorf("the property is satisfied: %t", j.Satisfied())
	}
	return c, c.follow()
}

// follow records the states along the run, and checks that the run counts and
// violates the property.
func (c *TableChecker) follow() error {
	if !c.table.Violated {
		return nil
	}
	a := c.table.Automaton
	run := c.table.Run
	s := c.table.Model.Initial()
	q := a.Initial
	c.states = []lts.State{s}
	c.firstProgress = []int{q}
	for _, t := range run.Transitions {
		if t.From != s || !slices.Contains(c.judge.Out(s), t) {
			return fmt.Errorf("%v is no transition from state %d", t, s)
		}
		s = t.To
		q = a.Next(q, t.Label)
		c.states = append(c.states, s)
		c.firstProgress = append(c.firstProgress, q)
	}
	switch {
	case c.table.Stem:
		accepts, rejects := c.fates.Can(s, q)
		return want(!accepts && rejects, "after its stem, runs can satisfy the property: %t", accepts)
	case run.Loop == oracle.NoLoop:
		return want(c.mayEnd(s) && !a.Stops(q), "it may end in state %d", s)
	}
	return c.checkLoop()
}

// checkLoop repeats the loop of the run until each of its steps begins in the same property state as in the
// round before, and records these property states. It checks that the loop then leads back to where it begins,
// that a run may repeat it forever, and that such a run violates the property.
func (c *TableChecker) checkLoop() error {
	a := c.table.Automaton
	run := c.table.Run
	end := len(run.Transitions)
	loop := run.Transitions[run.Loop:]
	c.loopProgress = slices.Clone(c.firstProgress)
	q := c.firstProgress[end]
	var inRound []int
	var colours map[int]bool
	for range a.States + 1 { // by then the rounds repeat
		inRound = nil
		colours = map[int]bool{}
		for i, t := range loop {
			c.loopProgress[run.Loop+i] = q
			inRound = append(inRound, q)
			for colour := range a.Marks(q, t.Label) {
				colours[colour] = true
			}
			q = a.Next(q, t.Label)
		}
	}
	c.loopProgress[end] = q
	closes := q == c.loopProgress[run.Loop] && c.states[end] == c.states[run.Loop]
	return errors.Join(
		want(closes, "the loop does not close"),
		want(!a.Accepts(colours), "the run satisfies the property"),
		want(c.fates.Recurs(loop, inRound), "the run does not count"))
}

// Sentence checks one sentence.
func (c *TableChecker) Sentence(s string) error {
	for _, f := range c.tableForms {
		m := f.pattern.FindStringSubmatch(s)
		if m != nil {
			c.Understood[f.name]++
			if err := f.check(m); err != nil {
				return fmt.Errorf("%q: %w", s, err)
			}
			return nil
		}
	}
	return fmt.Errorf("%q: not understood", s)
}

const none = "(no run|no such run|almost no run)"

// hasEnd reports whether the run, or the stem that is shown, has this length and ends in this state.
func (c *TableChecker) hasEnd(length, state string) bool {
	last := c.states[len(c.states)-1]
	return number(length) == len(c.Run.Transitions) && number(state) == int(last)
}

// runEnds reports whether the report shows a run that ends: no lasso, and not the stem of one.
func (c *TableChecker) runEnds() bool { return !c.table.Stem && c.Run.Loop == oracle.NoLoop }

// checkAdjective checks the claim about the length of the run in the first words of
// a sentence.
func (c *TableChecker) checkAdjective(subject string) error {
	if c.table.Assume {
		return nil
	}
	n := len(c.Run.Transitions)
	least, _ := oracle.NewGeneral(c.table.Model, c.table.Automaton).ShortestViolation()
	switch subject {
	case "A shortest counterexample in the product of model and property",
		"The given counterexample, a shortest one in the product of model and property,":
		return want(n == least, "one of the product has %d", least)
	case "A shortest counterexample", "The given counterexample, a shortest one,":
		return want(n <= least, "one of the product has %d", least)
	}
	return nil
}

// addForm adds a form of sentences and its check to a list.
type addForm func(name, pattern string, check func([]string) error)

// forms returns the forms of sentences, each with the check that reads it back; the first form that matches
// a sentence counts.
func (c *TableChecker) forms() []tableForm {
	var list []tableForm
	add := func(name, pattern string, check func([]string) error) {
		list = append(list, tableForm{
			name:    name,
			pattern: wholeSentence(pattern),
			check:   check,
		})
	}
	c.addVerdict(add)
	c.addRun(add)
	c.addProgress(add)
	c.addDecisions(add)
	c.addFairness(add)
	list = append(list, c.sufficientFairness()...)
	c.addAdvice(add)
	// This checks only some claims of these reasons. The test of advice under fairness compares
	// them with all small cuts.
	add("no repair", noRepair, func(m []string) error {
		return errors.Join(want(c.table.Assume, "all runs count"), checkKeptActions(m, c.Model.Alphabet()))
	})
	add("happened", "(.+)", c.happened)
	return list
}

// addVerdict adds the forms of sentences about the verdict, and why it is so.
func (c *TableChecker) addVerdict(add addForm) {
	add("conditions",
		`Of the (\d+) conditions, this run violates (.+?)(?:, and satisfies (.+?))?(?:, and leaves open (.+?))?`, c.checkConditions)
	add("verdict", "(.+) (satisfies|violates) "+label+"()(?:|: (.+))", c.checkVerdict)
	add("verdict under",
		"(.+) (satisfies|violates) "+label+
			"( on every run[^:]*| with probability 1, whatever the probabilities[^:]*|, also on runs [^:]*| with positive probability, whatever the probabilities[^:]*)(?:: (.+))?", c.checkVerdict)
	add("diagnosis", diagnosisForms, func(m []string) error {
		said, err := afterVerdict(m[0])
		return errors.Join(err, c.checkDiagnosis(said))
	})
	add("way", wayForm, func(m []string) error {
		awaited := m[2]
		if awaited == "" {
			awaited = m[3][strings.LastIndex(m[3], ", ")+len(", "):]
		}
		pending := c.labelsIn(awaited)
		_, err := c.checkWay(m, func(l lts.Label) bool { return slices.Contains(pending, l) })
		return err
	})
}

// addRun adds the forms of sentences about the length of the run, and how it ends.
func (c *TableChecker) addRun(add addForm) {
	add("minimal",
		"(?:(?:This is the given counterexample. )?No counterexample(?: in the product of model and property| that ends in a deadlock)? is shorter|There may be a shorter counterexample|This is the given counterexample; there may be a shorter one)(?:\\. The loop is shown in .+ transitions?)?", c.checkShorter)
	add("soonest", "(?:This is the given counterexample. )?No run violates it sooner", func([]string) error {
		least, some := oracle.NewGeneral(c.table.Model, c.table.Automaton).SoonestViolation()
		return want(some && c.table.Stem && len(c.Run.Transitions) == least,
			"a run violates it after %d (%t)", least, some)
	})
	add("no run", "No run is needed to show it", func([]string) error {
		return want(c.table.Stem && len(c.Run.Transitions) == 0, "there is a run")
	})
	add("stem",
		`(.*) has (\d+) transitions? and ends in state (\d+)(?:: whatever follows, the property is violated|, from where on the property is lost)`, func(m []string) error {
			if least, _ := c.fates.ShortestLoss(); c.table.Assumed.Full && strings.Contains(m[1], "shortest") && least < len(c.Run.Transitions) {
				return fmt.Errorf("the property is lost after %d", least)
			}
			return want(c.table.Stem && c.hasEnd(m[2], m[3]), "it has %d", len(c.Run.Transitions))
		})
	add("initial deadlock", "The initial state is a deadlock: the run ends before it begins",
		c.initialDeadlock)
	add("deadlock",
		`(.*?)(?: into a deadlock)? has (\d+) transitions? and ends in (?:a deadlock, )?state (\d+)`, func(m []string) error {
			return errors.Join(c.checkAdjective(m[1]),
				want(c.runEnds() && c.hasEnd(m[2], m[3]), "it has %d", len(c.Run.Transitions)))
		})
	add("refused",
		`(.*) has (\d+) transitions? and stops in state (\d+), where only (.+), which may be blocked, (is|are) possible`, func(m []string) error {
			return errors.Join(c.checkAdjective(m[1]), c.checkRefused(m[4], m[5]),
				want(c.runEnds() && c.hasEnd(m[2], m[3]), "it has %d", len(c.Run.Transitions)))
		})
	add("loop", `(.*) is a loop of (\d+) transitions? at the initial state, repeated forever`, func(m []string) error {
		return errors.Join(c.checkAdjective(m[1]),
			want(c.Run.Loop == 0 && number(m[2]) == len(c.Run.Transitions), "it begins at %d",
				c.Run.Loop))
	})
	add("lasso",
		`(.*) has (\d+) transitions?, of which the last (one is|\d+ are) a loop that is repeated forever`, func(m []string) error {
			loop := max(1, number(strings.TrimSuffix(m[3], " are")))
			return errors.Join(c.checkAdjective(m[1]),
				want(c.Run.Loop > 0 && number(m[2]) == len(c.Run.Transitions) && c.Run.Loop+loop == len(c.Run.Transitions), "its loop begins at %d", c.Run.Loop))
		})
}

// addProgress adds the forms of sentences about what is pending on the run.
func (c *TableChecker) addProgress(add addForm) {
	add("doomed",
		"From there on "+none+" satisfies the property: it stays in (\\d+) states?, where only (.+) can happen", c.checkAfterStem)
	add("at its end", "At its end the run is (.+?)(?: since step (\\d+)| \\(step (\\d+)\\))?", func(m []string) error {
		end := len(c.states) - 1
		if c.Run.Loop != oracle.NoLoop || c.table.Phrase(c.firstProgress[end]) != m[1] {
			return fmt.Errorf("it is %q", c.table.Phrase(c.firstProgress[end]))
		}
		since := end
		for since > 0 && c.table.Phrase(c.firstProgress[since-1]) == m[1] {
			since--
		}
		return want(number(m[2])+number(m[3]) == since, "it is so since step %d", since)
	})
	add("forever", "The run is (.+), forever", func(m []string) error {
		return c.checkSince(0, m[1])
	})
	add("after", "After step (\\d+) the run is (.+), forever", func(m []string) error {
		return c.checkSince(number(m[1]), m[2])
	})
	add("again and again", "On its loop the run is again and again (.+)", c.recurring)
	add("nothing allowed", "That is not allowed", func([]string) error {
		return want(c.table.Phrase(c.firstProgress[len(c.states)-1]) == "", "something is pending")
	})
}

// addDecisions adds the forms of sentences about the decisions on the run and elsewhere, and about the
// numbers of transitions that are decided.
func (c *TableChecker) addDecisions(add addForm) {
	add("undecided", "Nothing is decided on this run, for "+none+" satisfies the property", func([]string) error {
		return want(!c.free(0), "some run satisfies it")
	})
	add("decision",
		`In states? ([\d, ]+) \(steps? ([\d, –]+)(, in every round)?\) the run takes (.+?)(; the property stays possible|; for this run the property was lost before|\. From then on ()`+none+` satisfies the property any more\. This is the point of no return)(?:\. (.*?would .*))?`, c.checkChoice)
	add("always possible",
		"There is no point of no return: at every moment of this run the property is still possible, but nothing forces it", func([]string) error {
			for i := range c.loopProgress {
				if !c.judge.Free(c.states[i], c.loopProgress[i]) {
					return fmt.Errorf("after %d transitions it is not", i)
				}
			}
			return c.alwaysPossible(nil)
		})
	add("nothing better",
		"At no state of this run would another choice have made the property certain(, but in the first round of the loop)?", c.nothingBetter)
	add("by history",
		"Here the right choice depends on the past: for other runs that come to (this state|these states), the same choices can have another effect", c.byHistory)
	add("abstraction",
		`Cut down to its decisions, the run has (\d+) transitions? instead of (\d+): (.+)`, c.abstraction)
	add("trapped", "No transition leaves the loop: once in it, the run stays forever",
		c.trapped)
	add("lost in loop", "Leaving the loop does not help: the property was lost before",
		c.lostInLoop)
	add("ways out", `In states? ([\d, ]+) \(steps? ([\d, –]+)\), ([^w].+)`, c.waysOut)
	add("better", betterForm, c.better)
	add("elsewhere",
		`(\d+) other decisions? in the model(?:: (.+)|, where (the property can be .+))`, c.elsewhere)
	add("nothing elsewhere", "There is no other decision in the model", c.nothingElsewhere)
	add("classes", `Of the (\d+) transitions?, (.+)`, c.classes)
	add("unreachable",
		`(\d+) states? with (\d+) transitions? cannot be reached and took no part`, c.unreachable)
}

// addFairness adds the forms of sentences about the assumptions under which the property holds.
func (c *TableChecker) addFairness(add addForm) {
	add("only a deadlock",
		"Fairness (?:alone )?does not help: (a run that ends in a deadlock violates the property|the run ends)", func(m []string) error {
			return errors.Join(c.wantWeakest("deadlock"),
				want(!c.table.Stem, "it is told by its stem"),
				c.checkEnd(m[1]), c.checkHelpsAlone(m[0]))
		})
	add("begun",
		"Fairness (?:alone )?does not help: every run that begins like this violates the property", func(m []string) error {
			end := len(c.states) - 1
			return errors.Join(c.checkHelpsAlone(m[0]), c.wantWeakest("deadlock"),
				want(c.table.Stem && !c.free(end), "some run that begins like this satisfies it"))
		})
	add("beyond",
		"Fairness alone does not help: a run satisfies the property with probability 0, whatever the probabilities", func([]string) error {
			return errors.Join(c.wantWeakest("none"), c.checkLostFully(c.table.Model.Initial(), true),
				want(c.free(0), "no run satisfies it"))
		})
	add("beyond somewhere",
		`Fairness alone does not help: a run can come to state (\d+) in such a way that (?:from there on it satisfies the property with probability 0, whatever the probabilities|it satisfies the property with probability 0)`, func(m []string) error {
			return errors.Join(c.wantWeakest("none"), c.checkLostFully(lts.State(number(m[1])), false))
		})
	add("weak fairness", weakOfEach, func([]string) error {
		return c.wantWeakest("weak")
	})
	add("strong fairness", strongOfEach, func(m []string) error {
		if m[1] == "" && c.wantWeakest("weak") == nil {
			return nil
		}
		return c.wantWeakest("strong")
	})
	add("almost surely", almostSurely, func([]string) error {
		return c.wantWeakest("full")
	})
	for kind, is := range map[string]string{
		"finitely": finitelyOften,
		"weak":     weaklyFair,
		"strong":   stronglyFair,
	} {
		add("holds if "+kind, is, func(m []string) error {
			return c.checkHoldsIf(kind, m)
		})
	}
}

// sufficientFairness returns the forms of sentences about which of the assumed fairness is enough.
func (c *TableChecker) sufficientFairness() []tableForm {
	var list []tableForm
	for name, is := range map[string]*regexp.Regexp{
		"unneeded":   unneeded,
		"all needed": allNeeded,
		"enough":     enough,
	} {
		list = append(list, tableForm{
			name:    name,
			pattern: &sentence{is, ""},
			check: func(m []string) error {
				return checkEnough(m, c.Model.Alphabet(), c.table.Assumed.Tasks, c.holds)
			},
		})
	}
	return list
}

// noRepair is the reason why advice under an assumption names no cut.
const noRepair = `(?:Forbidding actions( other than .+| that (?:are not internal and )?do not trigger the property)? does not make it true of the runs that count: it would remain violated, or a new deadlock would arise|To make it true of the runs that count( without forbidding .+)?, \d+ or more transitions would have to be forbidden)`

// checkKeptActions checks that a reason of [noRepair] with the parts m names internal actions if and only if the
// alphabet has some: without forbidding them, more transitions can be necessary.
func checkKeptActions(m []string, alphabet *lts.Alphabet) error {
	has := false
	for _, text := range alphabet.All() {
		has = has || text == "i" || text == "tau"
	}
	return want(strings.Contains(m[1]+m[2], "internal") == has, "the model has internal actions: %t", has)
}

// hopeless is the phrase for a formula that cannot hold any more.
const hopeless = "it cannot hold any more"

// happened checks the action that the run has done, or must not do, at its end.
// If a formula cannot hold any more, the sentence names the action that decided
// it, and what was pending before.
func (c *TableChecker) happened(m []string) error {
	said := m[1]
	last := c.firstProgress[len(c.states)-1]
	now := c.table.Phrase(last)
	decidedAt := slices.Index(c.firstProgress[:len(c.states)], last)
	if now != hopeless || decidedAt <= 0 {
		return want(strings.EqualFold(now, said), "it is %q", now)
	}
	action := "`" + c.takenLabel(decidedAt) + "`"
	before := c.table.Phrase(c.firstProgress[decidedAt-1])
	rest, namesAction := strings.CutPrefix(said, action+" has happened, ")
	contradicts := rest == "but "+before
	if strings.HasPrefix(before, "waiting for ") || strings.HasPrefix(before, "in state ") {
		contradicts = rest == "but the run was still "+before
	}
	fulfils := strings.Replace(rest, "which ", action+" ", 1) == before
	nothingPending := before == "" && rest == "after which "+hopeless
	return want(namesAction && (contradicts || fulfils || nothingPending),
		"%s has happened, and before that %q", action, before)
}

// checkVerdict checks the verdict.
func (c *TableChecker) checkVerdict(m []string) error {
	if err := errors.Join(
		want((m[2] == "satisfies") == c.judge.Satisfied(), "it is satisfied: %t", c.judge.Satisfied()),
		want((m[3] != "") == c.table.Assume, "runs that count: %t", c.table.Assume)); err != nil || m[2] == "satisfies" {
		return err
	}
	return c.checkDiagnosis(m[4])
}

// checkShorter checks a claim about shorter counterexamples.
func (c *TableChecker) checkShorter(m []string) error {
	n, err := c.withoutRounds(m[0])
	if err != nil {
		return err
	}
	least, found := oracle.NewGeneral(c.table.Model, c.table.Automaton).ShortestViolation()
	switch {
	case c.table.Assume || c.table.Stem || !found:
		return nil
	case strings.HasPrefix(m[0], "There may be"):
		return fmt.Errorf("the search stopped on a small model: one has %d, this one %d", least, n)
	case strings.Contains(m[0], "may be"):
		return nil
	case strings.Contains(m[0], "in the product"):
		return want(n == least, "one of the product has %d", least)
	}
	return want(n <= least, "one of the product has %d", least)
}

// pendingFrom returns the phrases of what is pending from transition first on, in
// all rounds of the loop.
func (c *TableChecker) pendingFrom(first int) map[string]bool {
	all := map[string]bool{}
	for i := first; i < len(c.states); i++ {
		all[c.table.Phrase(c.firstProgress[i])] = true
		if c.onLoop(i) {
			all[c.table.Phrase(c.loopProgress[i])] = true
		}
	}
	return all
}

// checkSince checks that a phrase is pending forever after this many steps, and not before.
func (c *TableChecker) checkSince(steps int, phrase string) error {
	all := c.pendingFrom(steps)
	return errors.Join(
		want(c.Run.Loop != oracle.NoLoop, "the run ends"),
		want(len(all) == 1 && all[phrase], "it is %v", all),
		want(steps == 0 || c.table.Phrase(c.firstProgress[steps-1]) != phrase, "so it is before step %d",
			steps))
}

// recurring checks the phrases that are pending again and again on the loop.
func (c *TableChecker) recurring(m []string) error {
	phrases := map[string]bool{}
	for i := c.Run.Loop; i < len(c.Run.Transitions); i++ {
		if p := c.table.Phrase(c.loopProgress[i]); p != "" {
			phrases[p] = true
		}
	}
	longestFirst := slices.SortedFunc(maps.Keys(phrases), func(a, b string) int {
		return len(b) - len(a)
	})
	unread := m[1]
	for _, p := range longestFirst {
		if !strings.Contains(unread, p) {
			return fmt.Errorf("it is %q, too", p)
		}
		unread = strings.Replace(unread, p, "", 1)
	}
	return want(strings.Trim(unread, ", or") == "", "it is never %q", unread)
}

// checkChoice checks a sentence like [Checker.decision], where the whole property is lost.
func (c *TableChecker) checkChoice(m []string) error {
	states := m[1]
	steps := m[2]
	taken := m[4]
	outcome := m[5]
	alternatives := m[8]
	if !strings.Contains(outcome, "From then on") {
		parts := append(slices.Clone(m[:6]), "", alternatives)
		return c.decision(parts)
	}
	listed, err := c.stepsFrom(states, steps)
	if err != nil {
		return err
	}
	for _, step := range listed {
		i := step - 1
		before := c.free(i)
		after := c.free(i + 1)
		err := errors.Join(
			c.checkTaken(i, taken),
			want(before && !after, "it is possible before: %t, after: %t", before, after),
			c.checkOutlook(i, alternatives))
		if err != nil {
			return err
		}
	}
	return nil
}

// fatesUnder returns the fates, by brute force, under another assumption.
func (c *TableChecker) fatesUnder(a oracle.Assumption) *oracle.FairGeneral {
	g, _ := oracle.NewFairGeneral(c.table.Model, c.table.Automaton, a)
	return g
}

// holds reports whether some run counts under an assumption, and all runs that
// count satisfy the property.
func (c *TableChecker) holds(a oracle.Assumption) bool {
	accept, reject := c.fatesUnder(a).Can(c.table.Model.Initial(), c.initialProgress)
	return accept && !reject
}

// wantWeakest checks which notion of fairness is the weakest that is enough: "weak", "strong" or
// "full", "none", or "deadlock" if a run into a deadlock violates the property.
func (c *TableChecker) wantWeakest(claimed string) error {
	fairToEach := func(strong bool) oracle.Assumption {
		var a oracle.Assumption
		for l := range c.table.Model.Alphabet().All() {
			a.Tasks = append(a.Tasks, oracle.FairTask{
				Labels: map[lts.Label]bool{l: true},
				Strong: strong,
			})
		}
		return a
	}
	weakest := "none"
	_, endsInDeadlock := c.fates.ShortestDeadlock()
	switch {
	case endsInDeadlock:
		weakest = "deadlock"
	case c.holds(fairToEach(false)):
		weakest = "weak"
	case c.holds(fairToEach(true)):
		weakest = "strong"
	case c.holds(oracle.Assumption{Full: true}):
		weakest = "full"
	}
	return want(c.Violated && weakest == claimed, "the weakest notion that is enough: %s", weakest)
}

// checkLostFully checks that, for some history of a state, almost no run from there
// satisfies the property. isInitial reports whether the sentence says so of the beginning of runs.
func (c *TableChecker) checkLostFully(s lts.State, isInitial bool) error {
	fates := c.fatesUnder(oracle.Assumption{Full: true})
	for q := range c.table.Automaton.States {
		accepts, rejects := fates.Can(s, q)
		if fates.Reached(s, q) && !accepts && rejects {
			nearest, _ := fates.ShortestLoss()
			return want((nearest == 0) == isInitial, "one is %d transitions away", nearest)
		}
	}
	return fmt.Errorf("some do")
}

// checkHoldsIf checks the first assumption that a sentence names, and the
// alternatives: each is enough, and none of its labels can be left out.
func (c *TableChecker) checkHoldsIf(kind string, m []string) error {
	for _, set := range c.alternatives(m[1], m[3]) {
		if kind == "finitely" {
			if err := c.checkNoTriggers(set); err != nil {
				return err
			}
		}
		if !c.holds(assumptionAbout(kind, set)) {
			return fmt.Errorf("%s %v is not enough", kind, set)
		}
		for i := range set {
			fewer := slices.Delete(slices.Clone(set), i, i+1)
			if c.holds(assumptionAbout(kind, fewer)) {
				return fmt.Errorf("%s %v is enough without member %d", kind, set, i)
			}
		}
	}
	return nil
}

// alternatives returns the sets of labels that a sentence names: the first, and the further ones.
// If the first has one label, so has each of the others, and a list of labels is a list of sets.
func (c *TableChecker) alternatives(firstList, otherLists string) [][]lts.Label {
	first := c.labelsIn(firstList)
	sets := [][]lts.Label{first}
	for _, list := range strings.Split(otherLists, ", or ") {
		labels := c.labelsIn(list)
		switch {
		case len(labels) == 0:
		case len(first) > 1:
			sets = append(sets, labels)
		default:
			sets = slices.AppendSeq(sets, slices.Chunk(labels, 1))
		}
	}
	return sets
}

// checkNoTriggers fails if the property is about one of the labels.
func (c *TableChecker) checkNoTriggers(labels []lts.Label) error {
	for _, l := range labels {
		if c.table.Triggers[l] {
			return fmt.Errorf("%d is what the property is about", l)
		}
	}
	return nil
}

// assumptionAbout returns the assumption that runs do labels finitely often, or are weakly or strongly fair to
// each, as kind says: "finitely", "weak" or "strong".
func assumptionAbout(kind string, labels []lts.Label) oracle.Assumption {
	a := oracle.Assumption{Rare: map[lts.Label]bool{}}
	for _, l := range labels {
		if kind == "finitely" {
			a.Rare[l] = true
			continue
		}
		a.Tasks = append(a.Tasks, oracle.FairTask{
			Labels: map[lts.Label]bool{l: true},
			Strong: kind == "strong",
		})
	}
	return a
}

var quotedLabel = regexp.MustCompile("`[^`]+`")

func (c *TableChecker) labelsIn(list string) []lts.Label {
	var labels []lts.Label
	for _, q := range quotedLabel.FindAllString(list, -1) {
		if l, known := c.Model.Alphabet().Lookup(text(q)); known {
			labels = append(labels, l)
		}
	}
	return labels
}

// Condition is one of several conditions that a property joins by "and".
type Condition struct {
	Text      string
	Automaton oracle.Automaton
	Phrase    func(q int) string
}

// checkConditions checks which conditions the run violates, satisfies and leaves open. m are the
// submatches of the sentence: the number of conditions, and a list of conditions for each of the three
// states. A list must have its conditions in their order, and nothing else, so each condition is cut
// off the beginning of its list.
func (c *TableChecker) checkConditions(m []string) error {
	lists := map[string]string{"violated": m[2], "satisfied": m[3], "open": m[4]}
	errs := []error{want(number(m[1]) == len(c.table.Conditions), "there are %d", len(c.table.Conditions))}
	for _, condition := range c.table.Conditions {
		w := c.followCondition(condition)
		state := w.state()
		withoutAnd := strings.TrimPrefix(lists[state], " and ")
		list := strings.TrimLeft(withoutAnd, ", ")
		rest, found := strings.CutPrefix(list, condition.Text)
		if !found {
			errs = append(errs, fmt.Errorf("%s is not in its place: %q", condition.Text, lists[state]))
			continue
		}
		if state == "violated" {
			var err error
			rest, err = w.checkParenthesis(rest)
			errs = append(errs, err)
		}
		lists[state] = rest
	}
	unread := lists["violated"] + lists["satisfied"] + lists["open"]
	return errors.Join(append(errs, want(unread == "", "%q is left", unread))...)
}

// state returns what the run, or the stem that is shown, decides about the condition: "violated",
// "satisfied", or "open" if continuations of the stem decide it.
func (w *conditionWords) state() string {
	accepts, rejects := w.after(len(w.c.Run.Transitions))
	if !w.c.table.Stem {
		accepts = w.satisfied()
		rejects = !accepts
	}
	switch {
	case !accepts:
		return "violated"
	case !rejects:
		return "satisfied"
	}
	return "open"
}

// followCondition follows the run by the automaton of a condition, and computes
// which continuations it accepts over all words.
func (c *TableChecker) followCondition(part Condition) *conditionWords {
	w := &conditionWords{
		c:         c,
		condition: part,
		states:    []int{part.Automaton.Initial},
	}
	for i, t := range c.Run.Transitions {
		w.states = append(w.states, part.Automaton.Next(w.states[i], t.Label))
	}
	all, err := c.allWords(c.happening())
	if err != nil {
		panic(err)
	}
	w.fates = oracle.NewGeneral(all, part.Automaton)
	return w
}

// conditionWords has the states of a condition's automaton along the run.
type conditionWords struct {
	c         *TableChecker
	condition Condition
	states    []int
	fates     *oracle.General
}

// after reports whether some continuation after i steps is accepted, and whether
// some is not.
func (w *conditionWords) after(i int) (accepts, rejects bool) {
	q := w.states[i]
	accepts, rejects = w.fates.Can(beginOfWords, q)
	stops := w.condition.Automaton.Stops(q)
	return accepts || stops, rejects || !stops
}

// followLoop follows the loop of the run until the states of the automaton recur, which they may do only after
// several rounds. It returns the states in the last round, and the colours that are met again and again.
func (w *conditionWords) followLoop() (round []int, recurring map[int]bool) {
	q := w.states[len(w.c.Run.Transitions)]
	for range w.condition.Automaton.States {
		round, q = w.followRound(q, map[int]bool{})
	}
	recurring = map[int]bool{}
	for range w.condition.Automaton.States {
		round, q = w.followRound(q, recurring)
	}
	return round, recurring
}

// followRound follows one round of the loop from a state of the automaton. It returns the states before the
// transitions and the state after the last one, and adds the colours that it meets to those given.
func (w *conditionWords) followRound(q int, colours map[int]bool) (before []int, after int) {
	for _, t := range w.c.Run.Transitions[w.c.Run.Loop:] {
		before = append(before, q)
		for colour := range w.condition.Automaton.Marks(q, t.Label) {
			colours[colour] = true
		}
		q = w.condition.Automaton.Next(q, t.Label)
	}
	return before, q
}

// satisfied reports whether the run, which is maximal, satisfies the condition.
func (w *conditionWords) satisfied() bool {
	if w.c.Run.Loop == oracle.NoLoop {
		return w.condition.Automaton.Stops(w.states[len(w.states)-1])
	}
	_, visited := w.followLoop()
	return w.condition.Automaton.Accepts(visited)
}

var inParentheses = regexp.MustCompile(`^ \((?:(from the start)|in step (\d+), (` + label + `)|([^()]*(?:\([^()]*\)[^()]*)*))\)`)

// checkParenthesis checks the parenthesis about a violated condition, and returns the text after it. The
// parenthesis tells the step after which no word satisfies the condition or, if there is none, what is
// pending at the end of the run or on its loop.
func (w *conditionWords) checkParenthesis(text string) (rest string, err error) {
	lostAfter := slices.IndexFunc(w.states, func(q int) bool {
		accepts, _ := w.fates.Can(beginOfWords, q)
		return !accepts && !w.condition.Automaton.Stops(q)
	})
	isNeverLost := lostAfter < 0
	m := inParentheses.FindStringSubmatch(text)
	if m == nil {
		return text, want(isNeverLost, "it is lost after %d steps", lostAfter)
	}
	rest = text[len(m[0]):]
	fromStart := m[1] != ""
	step := m[2]
	label := m[3]
	pending := m[4]
	switch {
	case fromStart:
		return rest, want(lostAfter == 0, "it is lost after %d steps", lostAfter)
	case step != "":
		i := number(step)
		return rest, errors.Join(want(lostAfter == i, "it is lost after %d steps", lostAfter),
			want(label == "`"+w.c.takenLabel(i)+"`", "step %d is another one", i))
	}
	lastStates := w.states[len(w.states)-1:]
	if w.c.Run.Loop != oracle.NoLoop {
		lastStates, _ = w.followLoop()
	}
	for _, q := range lastStates {
		if w.condition.Phrase(q) != pending {
			return rest, fmt.Errorf("it is %q", w.condition.Phrase(q))
		}
	}
	return rest, want(isNeverLost, "it is lost after %d steps", lostAfter)
}

// fatesOverWords returns the fates, by brute force, over all words: in a model that can
// do every label, and end after each action.
func (c *TableChecker) fatesOverWords() (*oracle.General, error) {
	labels := map[lts.Label]bool{}
	for l := range c.table.Model.Alphabet().All() {
		labels[l] = true
	}
	words, err := c.allWords(labels)
	if err != nil {
		return nil, err
	}
	return oracle.NewGeneral(words, c.table.Automaton), nil
}

// checkDiagnosis checks the text after the colon of a verdict about a property
// without steps: the first kind of diagnosis that applies, and its parts.
func (c *TableChecker) checkDiagnosis(said string) error {
	loops := c.table.Violated && !c.table.Stem && c.Run.Loop != oracle.NoLoop
	said, err := c.checkInternalLoop(ofOne(said), loops)
	if err != nil {
		return err
	}
	said, err = c.nameBeginning(said)
	if err != nil {
		return err
	}
	lost := 0 // the number of steps after which no run of the model satisfies the property
	for lost <= len(c.Run.Transitions) && c.free(lost) {
		lost++
	}
	if m := diagnosisPattern.impossible.FindStringSubmatch(said); m != nil {
		return errors.Join(want(lost == 0, "some run satisfies it"),
			c.checkCannotHappen(m[1], c.Model.Initial()), c.checkAllBegin(m[3], m[4]), c.checkOnThisRun(m))
	}
	if said == nothingHappens {
		c.Understood["stops at once"]++
		return errors.Join(want(lost == 0, "some run satisfies it"), c.initialDeadlock(nil))
	}
	if lost == 0 {
		return errors.New("no run satisfies it, but the text does not say so")
	}
	badPrefixStep, err := c.badPrefixStep()
	if err != nil {
		return err
	}
	if m := diagnosisPattern.forbidden.FindStringSubmatch(said); m != nil {
		return c.checkForbiddenStep(m, badPrefixStep)
	}
	if badPrefixStep > 0 {
		return fmt.Errorf("from step %d on no word satisfies it, but the text does not say so", badPrefixStep)
	}
	return c.checkLossDiagnosis(said, lost, loops)
}

// checkLossDiagnosis checks a diagnosis of a run after whose steps some words satisfy the property. lost is the
// number of steps after which no run of the model does.
func (c *TableChecker) checkLossDiagnosis(said string, lost int, loops bool) error {
	n := len(c.Run.Transitions)
	if m := diagnosisPattern.early.FindStringSubmatch(said); m != nil {
		isLostThere := number(m[1]) == lost && (lost < n || loops || c.table.Stem)
		return errors.Join(want(isLostThere, "it is lost after step %d", lost), c.checkCalledTooLate(m))
	}
	if m := diagnosisPattern.asked.FindStringSubmatch(said); m != nil {
		if err := c.checkGoneBefore(m, lost); err != nil {
			return err
		}
		return c.checkAsks(number(m[1]))
	}
	if m := diagnosisPattern.hopeless.FindStringSubmatch(said); m != nil {
		return c.checkGoneBefore(m, lost)
	}
	if m := diagnosisPattern.unending.FindStringSubmatch(said); m != nil {
		return c.checkMustNotEnd(m, lost)
	}
	if m := diagnosisPattern.lost.FindStringSubmatch(said); m != nil {
		return c.checkLostAfter(m, lost, loops)
	}
	if m := diagnosisPattern.stops.FindStringSubmatch(said); m != nil {
		return c.checkStop(m, lost, loops)
	}
	if !loops || lost <= n {
		return fmt.Errorf("the diagnosis %q: there is a loop: %t; lost after %d steps", said,
			loops, lost)
	}
	return c.checkLoopDiagnosis(said)
}

// beginning matches the name of the moment after the choice of an initial state.
var beginning = regexp.MustCompile(`(?i)\bfrom state (\d+), where the run begins,?`)

// nameBeginning replaces the name of the moment after the choice of an initial state by one in the
// form for other moments, "after step 1 (LABEL)", and checks the state that was chosen.
func (c *TableChecker) nameBeginning(said string) (string, error) {
	if len(c.Run.Transitions) == 0 {
		return said, nil
	}
	for _, m := range beginning.FindAllStringSubmatch(said, -1) {
		if !c.Model.IsBefore(c.states[0]) || number(m[1]) != int(c.states[1]) {
			return "", fmt.Errorf("the run begins in state %v", c.states)
		}
	}
	name := c.quote(c.Run.Transitions[0].Label)
	return beginning.ReplaceAllString(said, "after step 1 ("+name+")"), nil
}

// scopeEnd matches the end of a diagnosis that names the step which ends a scope.
var scopeEnd = regexp.MustCompile(`(?: before .+| between .+ and .+|, and .+ follows) \(step (\d+)\)$`)

// checkOnThisRun checks which step is said to violate the property on this run, by the parts m of the sentence that no run
// satisfies the property. Without another reason, the sentence must name this step if there is one.
func (c *TableChecker) checkOnThisRun(m []string) error {
	badPrefixStep, err := c.badPrefixStep()
	if err != nil {
		return err
	}
	fates, err := c.fatesOverWords()
	if err != nil {
		return err
	}
	hasReason := m[1] != "" || m[2] != "" || m[3] != "" || m[4] != ""
	canSatisfy, _ := fates.Can(beginOfWords, c.firstProgress[0])
	switch {
	case hasReason:
		return nil
	case !canSatisfy:
		return want(m[5] == "", "no word satisfies it")
	case m[5] == "":
		return want(badPrefixStep <= 0, "step %d violates it, but the text does not say so", badPrefixStep)
	}
	c.Understood["on this run"]++
	step := diagnosisPattern.forbidden.FindStringSubmatch(m[5])
	if step == nil {
		return fmt.Errorf("%q is not understood", m[5])
	}
	return c.checkForbiddenStep(step, badPrefixStep)
}

// checkForbiddenStep checks which step the diagnosis blames. This is the step after which no word satisfies
// the property or, if that step only ends a scope, the step that led to the property state before it.
func (c *TableChecker) checkForbiddenStep(m []string, badPrefixStep int) error {
	blamed := number(m[2])
	end := scopeEnd.FindStringSubmatch(m[3])
	if end == nil {
		return want(blamed == badPrefixStep, "from step %d on no word satisfies it", badPrefixStep)
	}
	if number(end[1]) != badPrefixStep || blamed >= badPrefixStep {
		return fmt.Errorf("from step %d on no word satisfies it", badPrefixStep)
	}
	inScope := c.firstProgress[badPrefixStep-1]
	leadsIntoScope := c.firstProgress[blamed] == inScope && c.firstProgress[blamed-1] != inScope
	return want(leadsIntoScope, "step %d changes nothing", blamed)
}

// checkInternalLoop checks that the loop is internal and begins where the text says, if the text says so. It
// returns the rest of the text.
func (c *TableChecker) checkInternalLoop(said string, loops bool) (rest string, err error) {
	m := diagnosisPattern.internal.FindStringSubmatch(said)
	if m == nil {
		return said, nil
	}
	if !loops || max(1, number(m[2])) != c.Run.Loop+1 {
		return "", fmt.Errorf("the loop begins with step %d", c.Run.Loop+1)
	}
	for _, t := range c.Run.Transitions[c.Run.Loop:] {
		text := c.labelText(t.Label)
		if text != "i" && text != "tau" {
			return "", fmt.Errorf("%s is not internal", text)
		}
	}
	return m[1], nil
}

// checkLostAfter checks a text that names the step after which the property is lost, by its parts m; lost is
// the number of that step, and loops reports whether the run is a lasso.
func (c *TableChecker) checkLostAfter(m []string, lost int, loops bool) error {
	i := number(m[1])
	label := m[2]
	missing := m[3]
	allEnd := m[7] != ""
	length := len(c.Run.Transitions)
	isStep := i == lost && i <= length
	if !isStep || text(label) != c.takenLabel(i) {
		return fmt.Errorf("it is lost after step %d", lost)
	}
	endsInDeadlock := !loops && !c.table.Stem
	errs := []error{
		want(i < length || !endsInDeadlock, "it is the step into a deadlock"),
		c.checkCannotHappen(missing, c.states[i]),
	}
	if missing != "" {
		couldHappen := c.checkCannotHappen(missing, c.states[i-1]) != nil
		errs = append(errs, want(couldHappen, "%s could not happen before", missing))
	}
	if allEnd {
		errs = append(errs,
			want(c.endsUnsatisfied(c.states[i], c.firstProgress[i]), "a run goes on, or may end"),
			want(c.canRunForever(c.states[i-1]), "each run ended in a deadlock before, too"))
	}
	return errors.Join(errs...)
}

// checkGoneBefore checks a text that names the step after which the property is lost, and the earlier
// one after which what is missing cannot happen.
func (c *TableChecker) checkGoneBefore(m []string, lost int) error {
	i := number(m[1])
	gone := number(m[4])
	label := m[2]
	missing := m[3]
	goneLabel := m[5]
	if i != lost || gone >= lost {
		return fmt.Errorf("it is lost after step %d", lost)
	}
	c.Understood["gone before"]++
	hasLabels := text(label) == c.takenLabel(i) && text(goneLabel) == c.takenLabel(gone)
	couldHappen := c.checkCannotHappen(missing, c.states[gone-1]) != nil
	return errors.Join(want(hasLabels, "they are %s and %s", c.takenLabel(gone), c.takenLabel(i)),
		want(len(c.labelsIn(missing)) > 0, "no label is named"),
		c.checkCannotHappen(missing, c.states[gone]),
		want(couldHappen, "%s could not happen before", missing))
}

// checkAsks checks that a step asks for something: the run may end before it, and not after it.
func (c *TableChecker) checkAsks(step int) error {
	c.Understood["asked for"]++
	stops := c.table.Automaton.Stops
	asks := stops(c.firstProgress[step-1]) && !stops(c.firstProgress[step])
	return want(asks, "step %d does not ask for it", step)
}

// checkMustNotEnd checks a text that names the step after which no run may end, although every run ends.
func (c *TableChecker) checkMustNotEnd(m []string, lost int) error {
	i := number(m[1])
	if i != lost || text(m[2]) != c.takenLabel(i) {
		return fmt.Errorf("it is lost after step %d", lost)
	}
	c.Understood["must not end"]++
	return errors.Join(want(c.endsUnsatisfied(c.states[i], c.firstProgress[i]), "a run goes on, or may end"),
		want(!c.endsUnsatisfied(c.states[i-1], c.firstProgress[i-1]), "it could not end before, either"))
}

// canRunForever reports whether a run from a state is infinite: whether a path from there leads back to
// one of its own states.
func (c *TableChecker) canRunForever(from lts.State) bool {
	onPath := map[lts.State]bool{}
	var leadsToCycle func(lts.State) bool
	leadsToCycle = func(s lts.State) bool {
		if onPath[s] {
			return true
		}
		onPath[s] = true
		defer delete(onPath, s)
		return slices.ContainsFunc(c.judge.Out(s), func(t lts.Transition) bool { return leadsToCycle(t.To) })
	}
	return leadsToCycle(from)
}

// checkStop checks a text that names the deadlock in which the run stops, by its parts m.
func (c *TableChecker) checkStop(m []string, lost int, loops bool) error {
	state := number(m[1])
	missing := m[2]
	n := len(c.Run.Transitions)
	last := c.states[n]
	isLostByStopping := lost >= n
	if missing == "" {
		isLostByStopping = true // a run that must not end is lost when it stops, at the latest
	}
	return errors.Join(
		want(!loops && state == int(last) && isLostByStopping,
			"it ends in %d, and is lost after %d steps", last, lost),
		c.checkNearer(missing, c.firstProgress[n]),
		c.checkRefused(m[3], m[4]),
		c.checkUnavoidable(m[5], m[6]),
	)
}

// nothingHappens is the diagnosis of a deadlock in the initial state.
const nothingHappens = "the run stops in the initial state, where nothing can happen"

// checkUnavoidable checks the step after which each run ends in a deadlock, "" if none is named. The
// automaton of freedom from deadlock has one state.
func (c *TableChecker) checkUnavoidable(step, label string) error {
	n := len(c.Run.Transitions)
	if step == "" {
		isDeadlockFreedom := c.table.Automaton.States == 1 && !c.table.Assume
		isAvoidable := n == 0 || c.canRunForever(c.states[n-1])
		return want(!isDeadlockFreedom || isAvoidable, "the deadlock cannot be avoided before the last step, but the text does not say so")
	}
	c.Understood["unavoidable"]++
	i := number(step)
	if i < 1 || i >= n {
		return fmt.Errorf("the run has %d steps", n)
	}
	return errors.Join(want(text(label) == c.takenLabel(i), "step %d is another", i),
		want(!c.canRunForever(c.states[i]), "a run goes on"),
		want(c.canRunForever(c.states[i-1]), "each run ended in a deadlock before, too"))
}

// badPrefixStep returns the step after which no continuation over all words satisfies the
// property, 0 if there is none.
func (c *TableChecker) badPrefixStep() (int, error) {
	fates, err := c.fatesOverWords()
	if err != nil {
		return 0, err
	}
	for step := 1; step < len(c.states); step++ {
		q := c.firstProgress[step]
		accepts, _ := fates.Can(beginOfWords, q)
		if !accepts && !c.table.Automaton.Stops(q) {
			return step, nil
		}
	}
	return 0, nil
}

// checkCannotHappen checks that none of the named labels can happen after a state.
func (c *TableChecker) checkCannotHappen(list string, from lts.State) error {
	labels := c.labelsIn(list)
	return want(!c.canHappen(from, func(l lts.Label) bool {
		return slices.Contains(labels, l)
	}),
		"%s can happen", list)
}

// checkAllBegin checks the reason why no run satisfies the property: that every run ends, or how
// every run begins. The clause that the text does not have is "".
func (c *TableChecker) checkAllBegin(allEnd, firstLabels string) error {
	start := c.Model.Initial()
	q := c.firstProgress[0]
	if allEnd != "" {
		isDeadlock := len(c.judge.Out(start)) == 0
		if !c.endsUnsatisfied(start, q) || (allEnd == "nothing can happen") != isDeadlock {
			return errors.New("a run goes on, or may end")
		}
	}
	if firstLabels == "" {
		return nil
	}
	c.Understood["all begin"]++
	fates, err := c.fatesOverWords()
	if err != nil {
		return err
	}
	first := map[lts.Label]bool{}
	for _, t := range c.judge.Out(start) {
		next := c.table.Automaton.Next(q, t.Label)
		accepts, _ := fates.Can(beginOfWords, next)
		if accepts || c.table.Automaton.Stops(next) {
			return fmt.Errorf("%v does not forbid it", t)
		}
		first[t.Label] = true
	}
	named := c.labelsIn(firstLabels)
	for _, l := range named {
		if !first[l] {
			return fmt.Errorf("no run begins with %s", c.labelText(l))
		}
	}
	isComplete := len(named) == len(first) || strings.Contains(firstLabels, "other actions")
	return want(len(named) > 0 && isComplete, "runs begin with %v", first)
}

// endsUnsatisfied reports whether the runs from a state violate the property, which is in state q there,
// because they end: every run from the state is finite, and no finite word satisfies the property from q.
func (c *TableChecker) endsUnsatisfied(from lts.State, q int) bool {
	c.Understood["all end"]++
	return !c.mayStopFrom(q) && !c.canRunForever(from)
}

// mayStopFrom reports whether some finite word over the labels of the model, even one that no run has,
// satisfies the property from its state q.
func (c *TableChecker) mayStopFrom(q int) bool {
	visited := map[int]bool{q: true}
	for open := []int{q}; len(open) > 0; open = open[1:] {
		if c.table.Automaton.Stops(open[0]) {
			return true
		}
		for l := range lts.Label(c.Model.Alphabet().Len()) {
			next := c.table.Automaton.Next(open[0], l)
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	return false
}

// checkCalledTooLate checks the claim that a step of the run is the last one with a label that is
// needed later, and checks which later step is said to need it.
func (c *TableChecker) checkCalledTooLate(m []string) error {
	c.Understood["called too late"]++
	early := number(m[1])
	late := number(m[4])
	n := len(c.Run.Transitions)
	if early >= late || late > n {
		return fmt.Errorf("step %d does not come after step %d", late, early)
	}
	mayEndAfter := func(step int) bool { return c.table.Automaton.Stops(c.firstProgress[step]) }
	for step := late; step <= n; step++ {
		if mayEndAfter(step) {
			return fmt.Errorf("nothing is pending after step %d", step)
		}
	}
	hasLabels := text(m[2]) == c.takenLabel(early) && text(m[3]) == c.takenLabel(late)
	return errors.Join(want(hasLabels, "they are %s and %s", c.takenLabel(early), c.takenLabel(late)),
		want(mayEndAfter(early) && mayEndAfter(late-1), "something is pending before"),
		c.checkCannotHappen(m[2], c.states[early]))
}

// checkNearer checks that exactly the named labels lead the automaton from q nearer to a
// state in which runs may end. A list that counts further labels is not checked.
func (c *TableChecker) checkNearer(list string, q int) error {
	a := c.table.Automaton
	here := c.distanceToStop(q)
	if here > a.States {
		return want(list == "", "nothing helps")
	}
	if list == "" || strings.Contains(list, " more)") {
		return nil
	}
	named := c.labelsIn(list)
	for l := range lts.Label(c.Model.Alphabet().Len()) {
		isL := func(other lts.Label) bool { return other == l }
		if !c.canHappen(c.Model.Initial(), isL) {
			continue // no sentence is about what no run does
		}
		helps := c.distanceToStop(a.Next(q, l)) < here
		if helps != slices.Contains(named, l) {
			return fmt.Errorf("%s helps: %t", c.labelText(l), helps)
		}
	}
	return nil
}

// distanceToStop returns the least number of labels that lead the automaton from a state to one in
// which runs may end; more than it has states if there are none.
func (c *TableChecker) distanceToStop(from int) int {
	a := c.table.Automaton
	visited := map[int]bool{from: true}
	level := []int{from}
	for distance := 0; len(level) > 0; distance++ {
		var next []int
		for _, q := range level {
			if a.Stops(q) {
				return distance
			}
			for l := range lts.Label(c.Model.Alphabet().Len()) {
				to := a.Next(q, l)
				if !visited[to] {
					visited[to] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return a.States + 1
}

// possibleThere says that a label is possible on the loop, where it does not count.
const possibleThere = " is possible on the loop, but the nearest one that counts is "

// checkPossibleThere checks whether the loop has a state where the label at the end of a way is possible.
func (c *TableChecker) checkPossibleThere(name string, isSaid bool) error {
	named := c.labelsIn(name)
	if len(named) != 1 || strings.HasPrefix(name, "one of ") {
		return want(!isSaid, "%s is no single label", name)
	}
	isPossible := false
	for _, at := range c.loopStates() {
		isPossible = isPossible || slices.ContainsFunc(c.judge.Out(at.s), func(t lts.Transition) bool {
			return t.Label == named[0]
		})
	}
	return want(isPossible == isSaid, "%s is possible on the loop: %t", name, isPossible)
}

// checkLoopDiagnosis checks a diagnosis of a loop that could be left.
func (c *TableChecker) checkLoopDiagnosis(said string) error {
	isSaidToBePossible := strings.Contains(said, possibleThere)
	said = strings.Replace(said, possibleThere, " is ", 1)
	onLoop := map[string]bool{}
	for _, t := range c.Run.Transitions[c.Run.Loop:] {
		onLoop[c.labelText(t.Label)] = true
	}
	forms := []struct {
		pattern *regexp.Regexp
		check   func(m []string) error
	}{
		{diagnosisPattern.recurs, func(m []string) error { return c.checkRecur(m, onLoop) }},
		{diagnosisPattern.cause, c.checkCause},
		{diagnosisPattern.apart, c.checkApartFromLoop},
		{diagnosisPattern.back, func(m []string) error {
			return errors.Join(c.checkWayBack(m, onLoop), c.checkPossibleThere(m[1], isSaidToBePossible))
		}},
		{diagnosisPattern.circling, func(m []string) error {
			return errors.Join(c.checkWayOffLoop(asTurnedBack(m), c.hasLabelIn(m[1])),
				c.checkPossibleThere(m[1], isSaidToBePossible))
		}},
		{diagnosisPattern.differently, c.checkPlacesToLeave},
		{diagnosisPattern.starved, func(m []string) error { return c.checkStarvedOnLoop(m, onLoop) }},
	}
	for _, form := range forms {
		m := form.pattern.FindStringSubmatch(said)
		if m != nil {
			return form.check(m)
		}
	}
	return fmt.Errorf("the diagnosis %q is not understood", said)
}

// checkRecur checks that all labels that are said to recur are on the loop.
func (c *TableChecker) checkRecur(m []string, onLoop map[string]bool) error {
	for _, l := range c.labelsIn(m[1]) {
		text := c.labelText(l)
		if !onLoop[text] {
			return fmt.Errorf("%s does not happen on the loop", text)
		}
	}
	return nil
}

// checkWayBack checks the way from the loop to a pending label, which the loop itself must not have.
func (c *TableChecker) checkWayBack(m []string, onLoop map[string]bool) error {
	pending := c.labelsIn(m[1])
	isOneRound := len(c.loopStates()) == len(c.Run.Transitions)-c.Run.Loop
	if onLoop[c.labelText(pending[0])] && isOneRound && c.isConstantOnLoop() {
		return fmt.Errorf("%s is on the loop", m[1])
	}
	return c.checkWayOffLoop(m, c.hasLabelIn(m[1]))
}

// hasLabelIn returns a function that reports whether a transition has one of the labels in a text.
func (c *TableChecker) hasLabelIn(text string) func(lts.Transition) bool {
	labels := c.labelsIn(text)
	return func(t lts.Transition) bool { return slices.Contains(labels, t.Label) }
}

// checkPlacesToLeave checks the number of places from which the loop could be left differently.
func (c *TableChecker) checkPlacesToLeave(m []string) error {
	_, places, err := placesNamed(m[1])
	return errors.Join(err,
		want(places == len(c.distinctLoopStates()), "there are %d places", len(c.distinctLoopStates())))
}

// checkApartFromLoop checks that what the run waits for cannot happen on the loop or after it: otherwise the
// diagnosis would show the way to it. m has the labels, and "" if they happen nowhere.
func (c *TableChecker) checkApartFromLoop(m []string) error {
	c.Understood["apart"]++
	pending := c.labelsIn(m[1])
	happensNowhere := m[2] == ""
	from := c.states[c.Run.Loop]
	if happensNowhere {
		from = c.Model.Initial()
	}
	isPending := func(l lts.Label) bool { return slices.Contains(pending, l) }
	return errors.Join(want(len(pending) > 0 || happensNowhere, "no label is named"),
		want(!c.canHappen(from, isPending), "it can happen after the loop, or on it"))
}

// checkStarvedOnLoop checks in how many places of the loop what the run waits for is possible, and that
// the loop does not take it. m has the labels and the numbers.
func (c *TableChecker) checkStarvedOnLoop(m []string, onLoop map[string]bool) error {
	claimed, all, err := placesNamed(m[2])
	if err != nil || strings.Contains(m[1], " more)") {
		return err
	}
	pending := c.labelsIn(m[1])
	isPending := func(t lts.Transition) bool {
		return slices.Contains(pending, t.Label)
	}
	possible := 0
	for at := range c.distinctLoopStates() {
		if slices.ContainsFunc(c.judge.Out(at.s), isPending) {
			possible++
		}
	}
	for _, l := range pending {
		if onLoop[c.labelText(l)] {
			return fmt.Errorf("%s is taken", c.labelText(l))
		}
	}
	err = want(claimed == possible && all == len(c.distinctLoopStates()), "it is possible in %d of %d",
		possible, len(c.distinctLoopStates()))
	if m[6] == "" {
		return err
	}
	c.Understood["inactive"]++
	return errors.Join(err, c.neverMoves(text(m[6])))
}

// productState is a state of the model with one of the property.
type productState struct {
	s lts.State
	q int
}

// loopStates returns the product states that the run visits on its loop once the rounds repeat, in their
// order.
func (c *TableChecker) loopStates() []productState {
	q := c.loopProgress[c.Run.Loop]
	var all []productState
	visited := map[int]bool{}
	for !visited[q] {
		visited[q] = true
		for i := c.Run.Loop; i < len(c.Run.Transitions); i++ {
			all = append(all, productState{c.states[i], q})
			q = c.table.Automaton.Next(q, c.Run.Transitions[i].Label)
		}
	}
	return all
}

func (c *TableChecker) distinctLoopStates() map[productState]bool {
	all := map[productState]bool{}
	for _, p := range c.loopStates() {
		all[p] = true
	}
	return all
}

// isConstantOnLoop reports whether the property stays in one state on the loop.
func (c *TableChecker) isConstantOnLoop() bool {
	all := c.loopStates()
	return !slices.ContainsFunc(all, func(p productState) bool {
		return p.q != all[0].q
	})
}

// checkByGame checks a sentence by the game, unless the opponent has too many choices.
func (c *TableChecker) checkByGame(check func(*game, []string) error, m []string) error {
	g, few := c.play()
	if !few {
		return nil
	}
	return check(g, m)
}

func (c *TableChecker) play() (*game, bool) { return c.playWith(c.table.Triggers) }

// playWith plays as if some labels could not be forbidden, besides internal
// actions.
func (c *TableChecker) playWith(triggers map[lts.Label]bool) (*game, bool) {
	general := oracle.NewGeneral(c.table.Model, c.table.Automaton)
	wins, few := general.Wins(func(l lts.Label) bool {
		return isInternal(c.table.Model, l) || triggers[l]
	})
	if !few {
		return nil, false
	}
	g := &game{
		Checker: c.Checker, wins: map[position]bool{}, colours: c.table.Automaton.Colours, phrase: c.table.Phrase, triggers: triggers,
		marks: func(a position, l lts.Label) map[int]bool {
			return c.table.Automaton.Marks(a.done, l)
		},
		rejects: func(visited map[int]bool) bool {
			return !c.table.Automaton.Accepts(visited)
		},
		satisfied: func(m *lts.LTS) bool {
			_, reject := oracle.NewGeneral(m, c.table.Automaton).Can(m.Initial(), c.initialProgress)
			return !reject
		},
	}
	for s := range lts.State(c.table.Model.NumStates()) {
		for q := range c.table.Automaton.States {
			if general.Reached(s, q) {
				g.wins[position{s, q}] = wins(s, q)
			}
		}
	}
	g.explore()
	return g, true
}

// addAdvice adds the forms of sentences about changes.
func (c *TableChecker) addAdvice(add addForm) {
	add("nothing helps", "Nothing does: no run satisfies it", func([]string) error {
		anyRun, _ := oracle.NewFairGeneral(c.table.Model, c.table.Automaton, oracle.Assumption{})
		accepted, _ := anyRun.Can(c.table.Model.Initial(), c.table.Automaton.Initial)
		return want(!accepted, "some run satisfies it")
	})
	add("through", throughForm, func(m []string) error {
		return c.checkByGame((*game).through, m)
	})
	add("gap", gapForm, func(m []string) error {
		return c.checkByGame((*game).gap, m)
	})
	add("only triggers",
		"Only forbidding (.+) everywhere would make it true(?:: "+cannotBe+")?", c.onlyTriggers)
	add("with triggers",
		"Only a supervisor that forbids what triggers the property makes it true: (.+)", c.withTriggers)
	add("advice", `((?:One or two transitions are not enough: f|F)orbid .+|In (?:states? [\d, ]+|\d+ states) only .+)`, c.checkForbidden)
	add("advice on choices", onlyChoices, func(m []string) error {
		return c.checkByGame((*game).onlyFair, m)
	})
	add("advice to leave", "(In states? [^(]+? (?:not|no run) .+|No run may .+)", func(m []string) error {
		return c.checkByGame((*game).onlyLeave, m)
	})
	add("leave in parts", `(In \d+ parts .+)`, func(m []string) error {
		return c.checkByGame((*game).onlyLeave, m)
	})
	add("irreparable", "Forbidding actions does not make it true: "+cannotBe, func(m []string) error {
		return c.checkByGame((*game).irreparable, m)
	})
}

// onlyTriggers checks the text that some triggers must never happen: supervisors that leave
// triggers alone do not help; it is enough that these triggers never happen; and every supervisor
// that helps forbids them everywhere.
func (c *TableChecker) onlyTriggers(m []string) error {
	leavingTriggers, areFew := c.play()
	if !areFew {
		return nil
	}
	unrestricted, _ := c.playWith(nil)
	err := errors.Join(want(!leavingTriggers.wins[leavingTriggers.initial()], "a supervisor helps"),
		want(unrestricted.wins[unrestricted.initial()], "no supervisor helps"))
	if m[2] != "" {
		err = errors.Join(err, leavingTriggers.checkUnforbiddable(m[1:]))
	}
	named := map[lts.Label]bool{}
	for _, l := range c.labelsIn(m[1]) {
		named[l] = true
		err = errors.Join(err, want(c.table.Triggers[l], "%d is no trigger", l))
	}
	forbidden := unrestricted.forbidden()
	for p := range unrestricted.reached {
		for _, t := range unrestricted.judge.Out(p.state) {
			isForbidden := forbidden[move{t, p.done}]
			err = errors.Join(err,
				want(!named[t.Label] || isForbidden, "%v may be taken with %d", t, p.done))
		}
	}
	var removed []lts.Transition
	for t := range c.Model.Transitions() {
		if named[t.Label] {
			removed = append(removed, t)
		}
	}
	return errors.Join(err,
		want(leavingTriggers.holdsWithout(removed...), "never to do them is not enough"))
}

// withTriggers checks two claims: that no supervisor helps that leaves triggers alone, and what a
// supervisor forbids that may also forbid triggers.
func (c *TableChecker) withTriggers(m []string) error {
	leavingTriggers, areFew := c.play()
	if !areFew {
		return nil
	}
	unrestricted, _ := c.playWith(nil)
	prohibitions, toLeave, _ := splitLeave(m[1])
	err := errors.Join(
		want(!leavingTriggers.wins[leavingTriggers.initial()], "a supervisor helps"),
		unrestricted.checkPartsOnly(toLeave))
	if prohibitions == "" {
		return errors.Join(err, unrestricted.checkForbidsNothing())
	}
	return errors.Join(err,
		want(unrestricted.wins[unrestricted.initial()], "no supervisor helps"),
		unrestricted.checkProhibitions(prohibitions, unrestricted.forbidden()))
}

// checkHelpsAlone checks the sentence that fairness does not help: without the word "alone", it
// does not help together with a supervisor, either.
func (c *TableChecker) checkHelpsAlone(said string) error {
	if strings.Contains(said, " alone ") {
		return nil
	}
	g, few := c.play()
	if few && !g.wins[g.initial()] {
		g, few = c.playWith(nil)
	}
	if few {
		g, few = g.sparing(c.table.Demanded, c.playWith)
	}
	return want(!few || !g.helpsTogether(), "fairness helps together with a supervisor")
}

// checkAfterStem checks what can still happen after the stem.
func (c *TableChecker) checkAfterStem(m []string) error {
	n := len(c.Run.Transitions)
	end := productState{c.states[n], c.firstProgress[n]}
	visited := map[productState]bool{end: true}
	states := map[lts.State]bool{end.s: true}
	labels := map[string]bool{}
	for open := []productState{end}; len(open) > 0; open = open[1:] {
		here := open[0]
		for _, t := range c.judge.Out(here.s) {
			next := productState{t.To, c.judge.Advance(here.q, t.Label)}
			accepts, rejects := c.fates.Can(next.s, next.q)
			counts := accepts || rejects
			if !counts {
				continue
			}
			labels[c.quote(t.Label)] = true
			states[t.To] = true
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	claimed := strings.Split(strings.Replace(m[3], " and ", ", ", 1), ", ")
	for _, l := range claimed {
		if !labels[l] {
			return fmt.Errorf("%s cannot happen there", l)
		}
	}
	return want(number(m[2]) == len(states) && len(claimed) == len(labels),
		"%d states, where %d actions can happen", len(states), len(labels))
}
