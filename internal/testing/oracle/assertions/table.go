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
	t TableSubject
	g *oracle.FairGeneral
	f []tableForm
}

type tableForm struct {
	name  string
	is    *sentence
	check func([]string) error
}

// NewTable returns a checker; nil if the model is too large for it. It fails if the
// run is no counterexample of the model.
func NewTable(s TableSubject) (*TableChecker, error) {
	g, few := oracle.NewFairGeneral(s.Model, s.Automaton, s.Assumed)
	if !few {
		return nil, nil
	}
	j := newJudgeUnder(s.Model, g, s.Automaton.Initial, s.Automaton.States, s.Automaton.Next)
	c := &TableChecker{t: s, g: g, Checker: &Checker{
		Subject: Subject{
			Model:    s.Model,
			Violated: s.Violated,
			Run:      s.Run,
			Reading:  oracle.All,
			Owners:   s.Owners,
			Owner:    s.Owner,
			Triggers: s.Triggers,
		},
		o: j, assumed: s.Assumed, initial: s.Automaton.Initial, mostStates: s.Automaton.States, Understood: map[string]int{},
	}}
	c.colours = s.Automaton.Colours
	c.satisfied = func(m *lts.LTS) bool {
		_, reject := oracle.NewGeneral(m, s.Automaton).Can(m.Initial(), s.Automaton.Initial)
		return !reject
	}
	c.without = c.playWith
	c.f = append(c.prevention(), c.forms()...)
	if j.Satisfied() == s.Violated {
		return nil, fmt.Errorf("the property is satisfied: %t", j.Satisfied())
	}
	return c, c.follow()
}

// follow records the states along the run, and checks that the run counts and
// violates the property.
func (c *TableChecker) follow() error {
	if !c.t.Violated {
		return nil
	}
	a, run := c.t.Automaton, c.t.Run
	at, q := c.t.Model.Initial(), a.Initial
	c.states, c.first = []lts.State{at}, []int{q}
	for _, t := range run.Transitions {
		if t.From != at || !slices.Contains(c.o.Out(at), t) {
			return fmt.Errorf("%v is no transition from state %d", t, at)
		}
		at, q = t.To, a.Next(q, t.Label)
		c.states, c.first = append(c.states, at), append(c.first, q)
	}
	accept, reject := c.g.Can(at, q)
	switch {
	case c.t.Stem:
		return want(!accept && reject, "after its stem, runs can satisfy the property: %t",
			accept)
	case run.Loop == oracle.NoLoop:
		return want(c.mayEnd(at) && !a.Stops(q), "it may end in state %d", at)
	}
	c.again = slices.Clone(c.first)
	var loop []lts.Transition
	var in []int
	visited := map[int]bool{}
	for range a.States + 1 {
		loop, in, visited = nil, nil, map[int]bool{}
		for i := run.Loop; i < len(run.Transitions); i++ {
			t := run.Transitions[i]
			c.again[i] = q
			loop, in = append(loop, t), append(in, q)
			for colour := range a.Marks(q, t.Label) {
				visited[colour] = true
			}
			q = a.Next(q, t.Label)
		}
	}
	c.again[len(run.Transitions)] = q
	return errors.Join(
		want(q == c.again[run.Loop] && at == c.states[run.Loop], "the loop does not close"),
		want(!a.Accepts(visited), "the run satisfies the property"),
		want(c.g.Recurs(loop, in), "the run does not count"))
}

// Sentence checks one sentence.
func (c *TableChecker) Sentence(s string) error {
	for _, f := range c.f {
		if m := f.is.FindStringSubmatch(s); m != nil {
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

// amongOthers checks the claim about the length of the run in the first words of
// a sentence.
func (c *TableChecker) amongOthers(adjective string) error {
	if c.t.Assume {
		return nil
	}
	n := len(c.Run.Transitions)
	least, _ := oracle.NewGeneral(c.t.Model, c.t.Automaton).ShortestViolation()
	switch adjective {
	case "A shortest counterexample in the product of model and property",
		"The given counterexample, a shortest one in the product of model and property,":
		return want(n == least, "one of the product has %d", least)
	case "A shortest counterexample", "The given counterexample, a shortest one,":
		return want(n <= least, "one of the product has %d", least)
	}
	return nil
}

func (c *TableChecker) forms() []tableForm {
	var list []tableForm
	add := func(name, is string, check func([]string) error) {
		list = append(list, tableForm{name, whole(is), check})
	}
	add("conditions",
		`Of the (\d+) conditions, this run violates (.+?)(?:, and satisfies (.+?))?(?:, and leaves open (.+?))?`, c.conditions)
	add("verdict", "(.+) (satisfies|violates) "+label+"()(?:|: (.+))", c.judged)
	add("verdict under",
		"(.+) (satisfies|violates) "+label+
			"( on every run[^:]*| with probability 1, whatever the probabilities[^:]*|, also on runs [^:]*| with positive probability, whatever the probabilities[^:]*)(?:: (.+))?", c.judged)
	add("diagnosis", diagnosisForms, func(m []string) error {
		said := strings.TrimSuffix(m[0], ".")
		return c.diagnosis(strings.ToLower(said[:1]) + said[1:])
	})
	add("minimal",
		"(?:(?:This is the given counterexample. )?No counterexample(?: in the product of model and property| that ends in a deadlock)? is shorter|There may be a shorter counterexample|This is the given counterexample; there may be a shorter one)(?:\\. The run is shown with .+ transitions?)?", c.shorter)
	add("soonest", "(?:This is the given counterexample. )?No run violates it sooner", func([]string) error {
		least, some := oracle.NewGeneral(c.t.Model, c.t.Automaton).SoonestViolation()
		return want(some && c.t.Stem && len(c.Run.Transitions) == least,
			"a run violates it after %d (%t)", least, some)
	})
	add("no run", "No run is needed to show it", func([]string) error {
		return want(c.t.Stem && len(c.Run.Transitions) == 0, "there is a run")
	})
	add("stem",
		`(.*) has (\d+) transitions? and ends in state (\d+)(?:: whatever follows, the property is violated|, from where on the property is lost)`, func(m []string) error {
			if least, _ := c.g.ShortestLoss(); c.t.Assumed.Full && strings.Contains(m[1], "shortest") && least < len(c.Run.Transitions) {
				return fmt.Errorf("the property is lost after %d", least)
			}
			return want(c.t.Stem && number(m[2]) == len(c.Run.Transitions) && number(m[3]) == int(c.states[len(c.states)-1]), "it has %d", len(c.Run.Transitions))
		})
	add("initial deadlock", "The initial state is a deadlock: the run ends before it begins",
		c.initialDeadlock)
	add("deadlock",
		`(.*?)(?: into a deadlock)? has (\d+) transitions? and ends in (?:a deadlock, )?state (\d+)`, func(m []string) error {
			return errors.Join(c.amongOthers(m[1]),
				want(!c.t.Stem && c.Run.Loop == oracle.NoLoop && number(m[2]) == len(c.Run.Transitions) && number(m[3]) == int(c.states[len(c.states)-1]), "it has %d", len(c.Run.Transitions)))
		})
	add("refused",
		`(.*) has (\d+) transitions? and stops in state (\d+), where only (.+), which may be blocked, (is|are) possible`, func(m []string) error {
			return errors.Join(c.amongOthers(m[1]), c.refused(m[4], m[5]),
				want(!c.t.Stem && c.Run.Loop == oracle.NoLoop && number(m[2]) == len(c.Run.Transitions) && number(m[3]) == int(c.states[len(c.states)-1]), "it has %d", len(c.Run.Transitions)))
		})
	add("loop", `(.*) is a loop of (\d+) transitions? at the initial state, repeated forever`, func(m []string) error {
		return errors.Join(c.amongOthers(m[1]),
			want(c.Run.Loop == 0 && number(m[2]) == len(c.Run.Transitions), "it begins at %d",
				c.Run.Loop))
	})
	add("lasso",
		`(.*) has (\d+) transitions?, of which the last (one is|\d+ are) a loop that is repeated forever`, func(m []string) error {
			loop := max(1, number(strings.TrimSuffix(m[3], " are")))
			return errors.Join(c.amongOthers(m[1]),
				want(c.Run.Loop > 0 && number(m[2]) == len(c.Run.Transitions) && c.Run.Loop+loop == len(c.Run.Transitions), "its loop begins at %d", c.Run.Loop))
		})
	add("doomed",
		"From there on "+none+" satisfies the property: it stays in (\\d+) states?, where only (.+) can happen", c.stays)
	add("at its end", "At its end the run is (.+?)(?: since step (\\d+)| \\(step (\\d+)\\))?", func(m []string) error {
		end := len(c.states) - 1
		if c.Run.Loop != oracle.NoLoop || c.t.Phrase(c.first[end]) != m[1] {
			return fmt.Errorf("it is %q", c.t.Phrase(c.first[end]))
		}
		since := end
		for since > 0 && c.t.Phrase(c.first[since-1]) == m[1] {
			since--
		}
		return want(number(m[2])+number(m[3]) == since, "it is so since step %d", since)
	})
	add("forever", "The run is (.+), forever", func(m []string) error {
		return c.sinceStep(0, m[1])
	})
	add("after", "After step (\\d+) the run is (.+), forever", func(m []string) error {
		return c.sinceStep(number(m[1]), m[2])
	})
	add("again and again", "On its loop the run is again and again (.+)", c.recurring)
	add("nothing allowed", "That is not allowed", func([]string) error {
		return want(c.t.Phrase(c.first[len(c.states)-1]) == "", "something is pending")
	})
	add("undecided", "Nothing is decided on this run, for "+none+" satisfies the property", func([]string) error {
		return want(!c.free(0), "some run satisfies it")
	})
	add("decision",
		`In states? ([\d, ]+) \(steps? ([\d, –]+)(, in every round)?\) the run takes (.+?)(; the property stays possible|; for this run the property was lost before|\. From then on ()`+none+` satisfies the property any more\. This is the point of no return)(?:\. (.*?would .*))?`, c.choice)
	add("always possible",
		"There is no point of no return: at every moment of this run the property is still possible, but nothing forces it", func([]string) error {
			for i := range c.again {
				if !c.o.Free(c.states[i], c.again[i]) {
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
	add("only a deadlock",
		"Fairness (?:alone )?does not help: (a run that ends in a deadlock violates the property|the run ends)", func(m []string) error {
			return errors.Join(c.wantWeakest("deadlock"),
				want(!c.t.Stem, "it is told by its stem"),
				c.ends(m[1]), c.helpsAlone(m[0]))
		})
	add("begun",
		"Fairness (?:alone )?does not help: every run that begins like this violates the property", func(m []string) error {
			end := len(c.states) - 1
			return errors.Join(c.helpsAlone(m[0]), c.wantWeakest("deadlock"),
				want(c.t.Stem && !c.free(end), "some run that begins like this satisfies it"))
		})
	add("beyond",
		"Fairness alone does not help: a run satisfies the property with probability 0, whatever the probabilities", func([]string) error {
			return errors.Join(c.wantWeakest("none"), c.lostFully(c.t.Model.Initial(), 0),
				want(c.free(0), "no run satisfies it"))
		})
	add("beyond somewhere",
		`Fairness alone does not help: a run can come to state (\d+) in such a way that from there on it satisfies the property with probability 0, whatever the probabilities`, func(m []string) error {
			return errors.Join(c.wantWeakest("none"), c.lostFully(lts.State(number(m[1])), 1))
		})
	add("weak fairness", weakOfEach, func([]string) error {
		return c.wantWeakest("weak")
	})
	add("strong fairness", strongOfEach, func([]string) error {
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
			return c.holdsIf(kind, m)
		})
	}
	for name, is := range map[string]*regexp.Regexp{
		"unneeded":   unneeded,
		"all needed": allNeeded,
		"enough":     enough,
	} {
		list = append(list, tableForm{
			name,
			&sentence{is, ""},
			func(m []string) error {
				return enoughOf(m, c.Model.Alphabet(), c.t.Assumed.Tasks, c.holds)
			},
		})
	}
	c.addAdvice(add)
	add("happened", "(.+)", c.happened)
	return list
}

// hopeless is the phrase for a formula that cannot hold any more.
const hopeless = "it cannot hold any more"

// happened checks the action that the run has done, or must not do, at its end.
// If a formula cannot hold any more, the sentence names the action that decided
// it, and what was pending before.
func (c *TableChecker) happened(m []string) error {
	last := c.first[len(c.states)-1]
	now := c.t.Phrase(last)
	if now != hopeless {
		return want(strings.EqualFold(now, m[1]), "it is %q", now)
	}
	at := slices.Index(c.first[:len(c.states)], last)
	if at <= 0 {
		return want(strings.EqualFold(now, m[1]), "it is %q", now)
	}
	action := "`" + c.t.Model.Alphabet().Text(c.Run.Transitions[at-1].Label) + "`"
	before := c.t.Phrase(c.first[at-1])
	rest, is := strings.CutPrefix(m[1], action+" has happened, ")
	which := strings.Replace(rest, "which ", action+" ", 1)
	return want(is && (rest == "but "+before || which == before || before == "" && rest == "after which "+hopeless), "%s has happened, and before that %q", action, before)
}

// judged checks the verdict.
func (c *TableChecker) judged(m []string) error {
	if err := errors.Join(
		want((m[2] == "satisfies") == c.o.Satisfied(), "it is satisfied: %t", c.o.Satisfied()),
		want((m[3] != "") == c.t.Assume, "runs that count: %t", c.t.Assume)); err != nil || m[2] == "satisfies" {
		return err
	}
	return c.diagnosis(m[4])
}

// shorter checks a claim about shorter counterexamples.
func (c *TableChecker) shorter(m []string) error {
	n, err := c.withoutRounds(m[0])
	if err != nil {
		return err
	}
	least, found := oracle.NewGeneral(c.t.Model, c.t.Automaton).ShortestViolation()
	switch {
	case c.t.Assume || c.t.Stem || !found:
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
		all[c.t.Phrase(c.first[i])] = true
		if c.onLoop(i) {
			all[c.t.Phrase(c.again[i])] = true
		}
	}
	return all
}

// sinceStep checks that a phrase is pending forever after this many steps, and not before.
func (c *TableChecker) sinceStep(steps int, phrase string) error {
	all := c.pendingFrom(steps)
	return errors.Join(
		want(c.Run.Loop != oracle.NoLoop, "the run ends"),
		want(len(all) == 1 && all[phrase], "it is %v", all),
		want(steps == 0 || c.t.Phrase(c.first[steps-1]) != phrase, "so it is before step %d",
			steps))
}

// recurring checks the phrases that are pending again and again on the loop.
func (c *TableChecker) recurring(m []string) error {
	all := map[string]bool{}
	for i := c.Run.Loop; i < len(c.Run.Transitions); i++ {
		if p := c.t.Phrase(c.again[i]); p != "" {
			all[p] = true
		}
	}
	left := m[1]
	for _, p := range slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return len(b) - len(a)
	}) {
		if !strings.Contains(left, p) {
			return fmt.Errorf("it is %q, too", p)
		}
		left = strings.Replace(left, p, "", 1)
	}
	return want(strings.Trim(left, ", or") == "", "it is never %q", left)
}

// choice checks a sentence like [Checker.decision], where the whole property is lost.
func (c *TableChecker) choice(m []string) error {
	said := m[5]
	m = slices.Clone(m)
	m[6], m[7] = "", m[8]
	if !strings.Contains(said, "From then on") {
		return c.decision(m[:8])
	}
	steps, err := c.places(m[1], m[2])
	if err != nil {
		return err
	}
	for _, step := range steps {
		i := step - 1
		err := errors.Join(
			c.takes(i, m[4]),
			want(c.free(i) && !c.free(i+1), "it is possible before: %t, after: %t", c.free(i),
				c.free(i+1)),
			c.outlook(i, m[7]))
		if err != nil {
			return err
		}
	}
	return nil
}

// under returns the fates, by brute force, under another assumption.
func (c *TableChecker) under(a oracle.Assumption) *oracle.FairGeneral {
	g, _ := oracle.NewFairGeneral(c.t.Model, c.t.Automaton, a)
	return g
}

// holds reports whether some run counts under an assumption, and all runs that
// count satisfy the property.
func (c *TableChecker) holds(a oracle.Assumption) bool {
	accept, reject := c.under(a).Can(c.t.Model.Initial(), c.initial)
	return accept && !reject
}

func (c *TableChecker) wantWeakest(said string) error {
	each := func(strong bool) oracle.Assumption {
		var a oracle.Assumption
		for l := range c.t.Model.Alphabet().All() {
			a.Tasks = append(a.Tasks, oracle.FairTask{
				Labels: map[lts.Label]bool{l: true},
				Strong: strong,
			})
		}
		return a
	}
	is := "none"
	_, dead := c.g.ShortestDeadlock()
	switch {
	case dead:
		is = "deadlock"
	case c.holds(each(false)):
		is = "weak"
	case c.holds(each(true)):
		is = "strong"
	case c.holds(oracle.Assumption{Full: true}):
		is = "full"
	}
	return want(c.Violated && is == said, "the weakest notion that is enough: %s", is)
}

// lostFully checks that, for some history of a state, almost no run from there
// satisfies the property.
func (c *TableChecker) lostFully(s lts.State, least int) error {
	g := c.under(oracle.Assumption{Full: true})
	for q := range c.t.Automaton.States {
		if accept, reject := g.Can(s, q); g.Reached(s, q) && !accept && reject {
			nearest, _ := g.ShortestLoss()
			return want((nearest == 0) == (least == 0), "one is %d transitions away", nearest)
		}
	}
	return fmt.Errorf("some do")
}

// holdsIf checks the first assumption that a sentence names, and the
// alternatives.
func (c *TableChecker) holdsIf(kind string, m []string) error {
	sets := [][]lts.Label{c.labelsIn(m[1])}
	for _, part := range strings.Split(m[3], ", or ") {
		if labels := c.labelsIn(part); len(labels) > 0 && len(sets[0]) > 1 {
			sets = append(sets, labels)
		} else {
			for _, l := range labels {
				sets = append(sets, []lts.Label{l})
			}
		}
	}
	for _, set := range sets {
		for _, l := range set {
			if kind == "finitely" && c.t.Triggers[l] {
				return fmt.Errorf("%d is what the property is about", l)
			}
		}
	}
	for _, set := range sets {
		for without := -1; without < len(set); without++ {
			a := oracle.Assumption{Rare: map[lts.Label]bool{}}
			for i, l := range set {
				switch {
				case i == without:
				case kind == "finitely":
					a.Rare[l] = true
				default:
					a.Tasks = append(a.Tasks, oracle.FairTask{
						Labels: map[lts.Label]bool{l: true},
						Strong: kind == "strong",
					})
				}
			}
			if c.holds(a) != (without < 0) {
				return fmt.Errorf("%s %v, without member %d: it holds: %t", kind, set, without,
					without >= 0)
			}
		}
	}
	return nil
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

// conditions checks which conditions the run violates, satisfies and leaves open.
func (c *TableChecker) conditions(m []string) error {
	violated, satisfied, open := m[2], m[3], m[4]
	want := []error{want(number(m[1]) == len(c.t.Conditions), "there are %d",
		len(c.t.Conditions))}
	for _, part := range c.t.Conditions {
		w := c.wordsOfCondition(part)
		accepts, rejects := w.after(len(c.Run.Transitions))
		if !c.t.Stem {
			accepts = w.satisfied()
			rejects = !accepts
		}
		var where *string
		switch {
		case !accepts:
			where = &violated
		case !rejects:
			where = &satisfied
		default:
			where = &open
		}
		rest, found := strings.CutPrefix(strings.TrimLeft(strings.TrimPrefix(*where, " and "), ", "), part.Text)
		if !found {
			want = append(want, fmt.Errorf("%s is not in its place: %q", part.Text, *where))
			continue
		}
		if where == &violated {
			var err error
			if rest, err = w.broken(rest); err != nil {
				want = append(want, err)
			}
		}
		*where = rest
	}
	return errors.Join(append(want, wantNothing(violated+satisfied+open))...)
}

func wantNothing(left string) error { return want(left == "", "%q is left", left) }

// wordsOfCondition follows the run by the automaton of a condition, and computes
// which continuations it accepts over all words.
func (c *TableChecker) wordsOfCondition(part Condition) *conditionWords {
	w := &conditionWords{
		c:      c,
		part:   part,
		states: []int{part.Automaton.Initial},
	}
	for i, t := range c.Run.Transitions {
		w.states = append(w.states, part.Automaton.Next(w.states[i], t.Label))
	}
	all, err := c.allWords(c.happening())
	if err != nil {
		panic(err)
	}
	w.g = oracle.NewGeneral(all, part.Automaton)
	return w
}

// conditionWords has the states of a condition's automaton along the run.
type conditionWords struct {
	c      *TableChecker
	part   Condition
	states []int
	g      *oracle.General
}

// after reports whether some continuation after i steps is accepted, and whether
// some is not.
func (w *conditionWords) after(i int) (accepts, rejects bool) {
	q := w.states[i]
	accepts, rejects = w.g.Can(0, q)
	stops := w.part.Automaton.Stops(q)
	return accepts || stops, rejects || !stops
}

// loop follows the loop of the run until the states of the automaton recur, and returns the states of a round
// then, and the colours that are met again and again: the states may recur only after several rounds.
func (w *conditionWords) loop() (round []int, visited map[int]bool) {
	q := w.states[len(w.c.Run.Transitions)]
	for range w.part.Automaton.States {
		round, q = w.follow(q, map[int]bool{})
	}
	visited = map[int]bool{}
	for range w.part.Automaton.States {
		round, q = w.follow(q, visited)
	}
	return round, visited
}

// follow follows one round of the loop from a state of the automaton. It returns the states before its transitions
// and the one behind them, and adds the colours to those visited.
func (w *conditionWords) follow(q int, visited map[int]bool) (round []int, behind int) {
	for _, t := range w.c.Run.Transitions[w.c.Run.Loop:] {
		round = append(round, q)
		for colour := range w.part.Automaton.Marks(q, t.Label) {
			visited[colour] = true
		}
		q = w.part.Automaton.Next(q, t.Label)
	}
	return round, q
}

// satisfied reports whether the run, which is maximal, satisfies the condition.
func (w *conditionWords) satisfied() bool {
	if w.c.Run.Loop == oracle.NoLoop {
		return w.part.Automaton.Stops(w.states[len(w.states)-1])
	}
	_, visited := w.loop()
	return w.part.Automaton.Accepts(visited)
}

var inParentheses = regexp.MustCompile(`^ \((?:(from the start)|in step (\d+), (` + label + `)|([^()]*(?:\([^()]*\)[^()]*)*))\)`)

// broken checks the parenthesis about a violated condition, and returns the text
// behind it.
func (w *conditionWords) broken(text string) (rest string, err error) {
	lost := slices.IndexFunc(w.states, func(q int) bool {
		accepts, _ := w.g.Can(0, q)
		return !accepts && !w.part.Automaton.Stops(q)
	})
	m := inParentheses.FindStringSubmatch(text)
	if m == nil {
		return text, want(lost < 0, "it is lost after %d steps", lost)
	}
	rest = text[len(m[0]):]
	switch {
	case m[1] != "":
		return rest, want(lost == 0, "it is lost after %d steps", lost)
	case m[2] != "":
		i := number(m[2])
		return rest, errors.Join(want(lost == i, "it is lost after %d steps", lost),
			want(m[3] == "`"+w.c.Model.Alphabet().Text(w.c.Run.Transitions[i-1].Label)+"`",
				"step %d is another one", i))
	}
	last := []int{w.states[len(w.states)-1]}
	if w.c.Run.Loop != oracle.NoLoop {
		last, _ = w.loop()
	}
	for _, q := range last {
		if w.part.Phrase(q) != m[4] {
			return rest, fmt.Errorf("it is %q", w.part.Phrase(q))
		}
	}
	return rest, want(lost < 0, "it is lost after %d steps", lost)
}

// wordsOf returns the fates, by brute force, over all words: in a model that can
// do every label, and end after each action.
func (c *TableChecker) wordsOf() (*oracle.General, error) {
	labels := map[lts.Label]bool{}
	for l := range c.t.Model.Alphabet().All() {
		labels[l] = true
	}
	words, err := c.allWords(labels)
	if err != nil {
		return nil, err
	}
	return oracle.NewGeneral(words, c.t.Automaton), nil
}

// diagnosis checks the text behind the colon of a verdict about a property
// without steps.
func (c *TableChecker) diagnosis(said string) error {
	loops := c.t.Violated && !c.t.Stem && c.Run.Loop != oracle.NoLoop
	said, err := c.internalLoop(ofOne(said), loops)
	if err != nil {
		return err
	}
	said, err = c.afterBeginning(said)
	if err != nil {
		return err
	}
	n := len(c.Run.Transitions)
	lost := 0
	for lost <= n && c.free(lost) {
		lost++
	}
	if m := diagnosed.impossible.FindStringSubmatch(said); m != nil {
		return errors.Join(want(lost == 0, "some run satisfies it"),
			c.gone(m[1], c.Model.Initial()), c.noBeginning(m[3], m[4]))
	}
	if lost == 0 {
		return errors.New("no run satisfies it, which is not told")
	}
	sunk, err := c.sunk()
	if err != nil {
		return err
	}
	if m := diagnosed.forbidden.FindStringSubmatch(said); m != nil {
		return c.forbidden(m, sunk)
	}
	if sunk > 0 {
		return fmt.Errorf("from step %d on no word satisfies it, which is not told", sunk)
	}
	if m := diagnosed.early.FindStringSubmatch(said); m != nil {
		return errors.Join(want(number(m[1]) == lost && (lost < n || loops || c.t.Stem), "it is lost after step %d", lost), c.calledTooLate(m))
	}
	for _, is := range []*regexp.Regexp{diagnosed.asked, diagnosed.hopeless} {
		if m := is.FindStringSubmatch(said); m != nil {
			return c.goneBefore(m, lost, is == diagnosed.asked)
		}
	}
	if m := diagnosed.unending.FindStringSubmatch(said); m != nil {
		return c.mustNotEnd(m, lost)
	}
	if m := diagnosed.lost.FindStringSubmatch(said); m != nil {
		return c.lostAfter(m, lost, loops)
	}
	if m := diagnosed.stops.FindStringSubmatch(said); m != nil {
		return c.stopsIn(m, lost, loops)
	}
	if !loops || lost <= n {
		return fmt.Errorf("the diagnosis %q: there is a loop: %t; lost after %d steps", said,
			loops, lost)
	}
	return c.onTheLoop(said)
}

// beginning matches the name of the moment after the choice of an initial state.
var beginning = regexp.MustCompile(`(?i)\bfrom state (\d+), where the run begins,?`)

// afterBeginning names the moment after the choice of an initial state as those after other steps, and
// checks the state.
func (c *TableChecker) afterBeginning(said string) (string, error) {
	if len(c.Run.Transitions) == 0 {
		return said, nil
	}
	for _, m := range beginning.FindAllStringSubmatch(said, -1) {
		if !c.Model.IsBefore(c.states[0]) || number(m[1]) != int(c.states[1]) {
			return "", fmt.Errorf("the run begins in state %v", c.states)
		}
	}
	name := "`" + c.Model.Alphabet().Text(c.Run.Transitions[0].Label) + "`"
	return beginning.ReplaceAllString(said, "after step 1 ("+name+")"), nil
}

// scopeEnd matches the end of a diagnosis that names the step which ends a scope.
var scopeEnd = regexp.MustCompile(`(?: before .+| between .+ and .+|, and .+ follows) \(step (\d+)\)$`)

// forbidden checks which step the diagnosis blames: the one from which on no word satisfies the property
// or, if it only ends a scope, the one that led to the property state before it.
func (c *TableChecker) forbidden(m []string, sunk int) error {
	blamed := number(m[2])
	end := scopeEnd.FindStringSubmatch(m[3])
	if end == nil {
		return want(blamed == sunk, "from step %d on no word satisfies it", sunk)
	}
	if number(end[1]) != sunk || blamed >= sunk {
		return fmt.Errorf("from step %d on no word satisfies it", sunk)
	}
	before := c.first[sunk-1]
	return want(c.first[blamed] == before && c.first[blamed-1] != before,
		"step %d changes nothing", blamed)
}

// internalLoop checks that the loop is internal and begins where the text says, if the text says so. It
// returns the rest of the text.
func (c *TableChecker) internalLoop(said string, loops bool) (rest string, err error) {
	m := diagnosed.internal.FindStringSubmatch(said)
	if m == nil {
		return said, nil
	}
	if !loops || max(1, number(m[2])) != c.Run.Loop+1 {
		return "", fmt.Errorf("the loop begins with step %d", c.Run.Loop+1)
	}
	for _, t := range c.Run.Transitions[c.Run.Loop:] {
		text := c.Model.Alphabet().Text(t.Label)
		if text != "i" && text != "tau" {
			return "", fmt.Errorf("%s is not internal", text)
		}
	}
	return m[1], nil
}

// lostAfter checks a text that names the step after which the property is lost, by its parts m.
func (c *TableChecker) lostAfter(m []string, lost int, loops bool) error {
	n := len(c.Run.Transitions)
	i := number(m[1])
	if i != lost || i > n || text(m[2]) != c.Model.Alphabet().Text(c.Run.Transitions[i-1].Label) {
		return fmt.Errorf("it is lost after step %d", lost)
	}
	return errors.Join(
		want(i < n || loops || c.t.Stem, "it is the step into a deadlock"),
		c.gone(m[3], c.states[i]),
		want(m[3] == "" || c.gone(m[3], c.states[i-1]) != nil, "%s could not happen before", m[3]),
		want(m[7] == "" || c.endsInVain(c.states[i], c.first[i]), "a run goes on, or may end"),
		want(m[7] == "" || c.goesOn(c.states[i-1]), "each run ended in a deadlock before, too"),
	)
}

// goneBefore checks a text that names the step after which the property is lost, and the earlier
// one after which what is missing cannot happen. asks is set if the text says that the later step
// asks for it.
func (c *TableChecker) goneBefore(m []string, lost int, asks bool) error {
	i, gone := number(m[1]), number(m[4])
	if i != lost || gone >= lost {
		return fmt.Errorf("it is lost after step %d", lost)
	}
	c.Understood["gone before"]++
	name := func(step int) string {
		return c.Model.Alphabet().Text(c.Run.Transitions[step-1].Label)
	}
	if asks {
		c.Understood["asked for"]++
	}
	byName := text(m[2]) == name(i) && text(m[5]) == name(gone)
	return errors.Join(want(byName, "they are %s and %s", name(gone), name(i)),
		want(len(c.labelsIn(m[3])) > 0, "no label is named"),
		c.gone(m[3], c.states[gone]),
		want(c.gone(m[3], c.states[gone-1]) != nil, "%s could not happen before", m[3]),
		want(!asks || c.t.Automaton.Stops(c.first[i-1]) && !c.t.Automaton.Stops(c.first[i]),
			"step %d does not ask for it", i))
}

// mustNotEnd checks a text that names the step after which no run may end, although every run ends.
func (c *TableChecker) mustNotEnd(m []string, lost int) error {
	i := number(m[1])
	if i != lost || text(m[2]) != c.Model.Alphabet().Text(c.Run.Transitions[i-1].Label) {
		return fmt.Errorf("it is lost after step %d", lost)
	}
	c.Understood["must not end"]++
	return errors.Join(want(c.endsInVain(c.states[i], c.first[i]), "a run goes on, or may end"),
		want(!c.endsInVain(c.states[i-1], c.first[i-1]), "it could not end before, either"))
}

// goesOn reports whether a run from a state is infinite.
func (c *TableChecker) goesOn(from lts.State) bool {
	on := map[lts.State]bool{}
	var visit func(lts.State) bool
	visit = func(s lts.State) bool {
		if on[s] {
			return true
		}
		on[s] = true
		defer delete(on, s)
		return slices.ContainsFunc(c.o.Out(s), func(t lts.Transition) bool { return visit(t.To) })
	}
	return visit(from)
}

// stopsIn checks a text that names the deadlock in which the run stops, by its parts m.
func (c *TableChecker) stopsIn(m []string, lost int, loops bool) error {
	n := len(c.Run.Transitions)
	last := c.states[n]
	if m[2] == "" {
		lost = n // a run that must not end is lost when it stops, at the latest
	}
	return errors.Join(
		want(!loops && number(m[1]) == int(last) && lost >= n,
			"it ends in %d, and is lost after %d steps", last, lost),
		c.nearer(m[2], c.first[n]),
		c.refused(m[3], m[4]),
		c.unavoidable(m[5], m[6]),
	)
}

// unavoidable checks the step after which each run ends in a deadlock, "" if none is named. The automaton of
// freedom from deadlock has one state.
func (c *TableChecker) unavoidable(step, name string) error {
	n := len(c.Run.Transitions)
	if step == "" {
		isFree := c.t.Automaton.States == 1 && !c.t.Assume
		return want(!isFree || n == 0 || c.goesOn(c.states[n-1]), "the deadlock cannot be avoided before the last step, which is not told")
	}
	c.Understood["unavoidable"]++
	i := number(step)
	if i < 1 || i >= n {
		return fmt.Errorf("the run has %d steps", n)
	}
	return errors.Join(want(text(name) == c.Model.Alphabet().Text(c.Run.Transitions[i-1].Label), "step %d is another", i),
		want(!c.goesOn(c.states[i]), "a run goes on"),
		want(c.goesOn(c.states[i-1]), "each run ended in a deadlock before, too"))
}

// sunk returns the step after which no continuation over all words satisfies the
// property, 0 if there is none.
func (c *TableChecker) sunk() (int, error) {
	g, err := c.wordsOf()
	if err != nil {
		return 0, err
	}
	for i := 1; i < len(c.states); i++ {
		if accept, _ := g.Can(0, c.first[i]); !accept && !c.t.Automaton.Stops(c.first[i]) {
			return i, nil
		}
	}
	return 0, nil
}

// gone checks that none of the named labels can happen after a state.
func (c *TableChecker) gone(list string, from lts.State) error {
	labels := c.labelsIn(list)
	return want(!c.happens(from, func(l lts.Label) bool {
		return slices.Contains(labels, l)
	}),
		"%s can happen", list)
}

// noBeginning checks the reason why no run satisfies the property: that every run ends, or how
// every run begins.
func (c *TableChecker) noBeginning(ends, begins string) error {
	start, q := c.Model.Initial(), c.first[0]
	if ends != "" && (!c.endsInVain(start, q) || (ends == "nothing can happen") != (len(c.o.Out(start)) == 0)) {
		return errors.New("a run goes on, or may end")
	}
	if begins == "" {
		return nil
	}
	c.Understood["all begin"]++
	g, err := c.wordsOf()
	if err != nil {
		return err
	}
	first := map[lts.Label]bool{}
	for _, t := range c.o.Out(start) {
		to := c.t.Automaton.Next(q, t.Label)
		if accept, _ := g.Can(0, to); accept || c.t.Automaton.Stops(to) {
			return fmt.Errorf("%v does not forbid it", t)
		}
		first[t.Label] = true
	}
	named := c.labelsIn(begins)
	for _, l := range named {
		if !first[l] {
			return fmt.Errorf("no run begins with %s", c.Model.Alphabet().Text(l))
		}
	}
	return want(len(named) > 0 && (len(named) == len(first) || strings.Contains(begins, "other actions")), "runs begin with %v", first)
}

// endsInVain reports whether every run from a state ends, and neither it nor any
// word that ends satisfies the property.
func (c *TableChecker) endsInVain(from lts.State, q int) bool {
	c.Understood["all end"]++
	visited := map[int]bool{q: true}
	for open := []int{q}; len(open) > 0; open = open[1:] {
		if c.t.Automaton.Stops(open[0]) {
			return false
		}
		for l := range lts.Label(c.Model.Alphabet().Len()) {
			if to := c.t.Automaton.Next(open[0], l); !visited[to] {
				visited[to] = true
				open = append(open, to)
			}
		}
	}
	return !c.goesOn(from)
}

// calledTooLate checks that a step which is needed later occurs for the last
// time, and the action that calls for it.
func (c *TableChecker) calledTooLate(m []string) error {
	c.Understood["called too late"]++
	i, k, n := number(m[1]), number(m[4]), len(c.Run.Transitions)
	if i >= k || k > n {
		return fmt.Errorf("step %d does not come after step %d", k, i)
	}
	name := func(step int) string {
		return c.Model.Alphabet().Text(c.Run.Transitions[step-1].Label)
	}
	stops := func(step int) bool { return c.t.Automaton.Stops(c.first[step]) }
	for after := k; after <= n; after++ {
		if stops(after) {
			return fmt.Errorf("nothing is pending after step %d", after)
		}
	}
	return errors.Join(want(text(m[2]) == name(i) && text(m[3]) == name(k), "they are %s and %s", name(i), name(k)),
		want(stops(i) && stops(k-1), "something is pending before"), c.gone(m[2], c.states[i]))
}

// nearer checks that exactly the named labels lead the automaton nearer to a
// state in which runs may end.
func (c *TableChecker) nearer(list string, q int) error {
	a := c.t.Automaton
	distance := func(from int) int {
		visited, layer := map[int]bool{from: true}, []int{from}
		for d := 0; len(layer) > 0; d++ {
			var next []int
			for _, at := range layer {
				if a.Stops(at) {
					return d
				}
				for l := range lts.Label(c.Model.Alphabet().Len()) {
					if to := a.Next(at, l); !visited[to] {
						visited[to] = true
						next = append(next, to)
					}
				}
			}
			layer = next
		}
		return a.States + 1
	}
	here := distance(q)
	named := c.labelsIn(list)
	if here > a.States {
		return want(list == "", "nothing helps")
	}
	if strings.Contains(list, " more)") {
		return nil
	}
	for l := range lts.Label(c.Model.Alphabet().Len()) {
		if !c.happens(c.Model.Initial(), func(other lts.Label) bool { return other == l }) {
			continue // no sentence is about what no run does
		}
		if helps := distance(a.Next(q, l)) < here; helps != slices.Contains(named, l) && list != "" {
			return fmt.Errorf("%s helps: %t", c.Model.Alphabet().Text(l), helps)
		}
	}
	return nil
}

// onTheLoop checks a diagnosis of a loop that could be left.
func (c *TableChecker) onTheLoop(said string) error {
	onLoop := map[string]bool{}
	for _, t := range c.Run.Transitions[c.Run.Loop:] {
		onLoop[c.Model.Alphabet().Text(t.Label)] = true
	}
	forms := []struct {
		pattern *regexp.Regexp
		check   func(m []string) error
	}{
		{diagnosed.recurs, func(m []string) error { return c.recurOnLoop(m, onLoop) }},
		{diagnosed.cause, c.keptBy},
		{diagnosed.apart, c.apartFromLoop},
		{diagnosed.back, func(m []string) error { return c.goesBack(m, onLoop) }},
		{diagnosed.circling, func(m []string) error { return c.goes(toItself(m), c.hasLabelIn(m[1])) }},
		{diagnosed.differently, c.goesDifferently},
		{diagnosed.starved, func(m []string) error { return c.starvedOnLoop(m, onLoop) }},
	}
	for _, form := range forms {
		m := form.pattern.FindStringSubmatch(said)
		if m != nil {
			return form.check(m)
		}
	}
	return fmt.Errorf("the diagnosis %q is not understood", said)
}

// recurOnLoop checks that all labels that are said to recur are on the loop.
func (c *TableChecker) recurOnLoop(m []string, onLoop map[string]bool) error {
	for _, l := range c.labelsIn(m[1]) {
		text := c.Model.Alphabet().Text(l)
		if !onLoop[text] {
			return fmt.Errorf("%s does not happen on the loop", text)
		}
	}
	return nil
}

// goesBack checks the way from the loop to a pending label, which the loop itself must not have.
func (c *TableChecker) goesBack(m []string, onLoop map[string]bool) error {
	pending := c.labelsIn(m[1])
	isOneRound := len(c.rounds()) == len(c.Run.Transitions)-c.Run.Loop
	if onLoop[c.Model.Alphabet().Text(pending[0])] && isOneRound && c.constant() {
		return fmt.Errorf("%s is on the loop", m[1])
	}
	return c.goes(m, c.hasLabelIn(m[1]))
}

// hasLabelIn returns a function that reports whether a transition has one of the labels in a text.
func (c *TableChecker) hasLabelIn(text string) func(lts.Transition) bool {
	labels := c.labelsIn(text)
	return func(t lts.Transition) bool { return slices.Contains(labels, t.Label) }
}

// goesDifferently checks the number of places from which the loop could be left differently.
func (c *TableChecker) goesDifferently(m []string) error {
	_, places, err := placesNamed(m[1])
	return errors.Join(err,
		want(places == len(c.distinct()), "there are %d places", len(c.distinct())))
}

// apartFromLoop checks that what the run waits for cannot happen on the loop or after it: otherwise the
// diagnosis would show the way to it. m has the labels, and "" if they happen nowhere.
func (c *TableChecker) apartFromLoop(m []string) error {
	c.Understood["apart"]++
	pending := c.labelsIn(m[1])
	happensNowhere := m[2] == ""
	from := c.states[c.Run.Loop]
	if happensNowhere {
		from = c.Model.Initial()
	}
	isPending := func(l lts.Label) bool { return slices.Contains(pending, l) }
	return errors.Join(want(len(pending) > 0 || happensNowhere, "no label is named"),
		want(!c.happens(from, isPending), "it can happen after the loop, or on it"))
}

// starvedOnLoop checks in how many places of the loop what the run waits for is possible, and that the loop
// does not take it. m has the labels and the numbers.
func (c *TableChecker) starvedOnLoop(m []string, onLoop map[string]bool) error {
	claimed, all, err := placesNamed(m[2])
	if err != nil || strings.Contains(m[1], " more)") {
		return err
	}
	pending := c.labelsIn(m[1])
	isPending := func(t lts.Transition) bool {
		return slices.Contains(pending, t.Label)
	}
	possible := 0
	for at := range c.distinct() {
		if slices.ContainsFunc(c.o.Out(at.s), isPending) {
			possible++
		}
	}
	for _, l := range pending {
		if onLoop[c.Model.Alphabet().Text(l)] {
			return fmt.Errorf("%s is taken", c.Model.Alphabet().Text(l))
		}
	}
	return want(claimed == possible && all == len(c.distinct()), "it is possible in %d of %d",
		possible, len(c.distinct()))
}

// productState is a state of the model with one of the property.
type productState struct {
	s lts.State
	q int
}

// rounds returns the product states that the run visits on its loop once the rounds repeat, in their
// order.
func (c *TableChecker) rounds() []productState {
	q := c.again[c.Run.Loop]
	var all []productState
	visited := map[int]bool{}
	for !visited[q] {
		visited[q] = true
		for i := c.Run.Loop; i < len(c.Run.Transitions); i++ {
			all = append(all, productState{c.states[i], q})
			q = c.t.Automaton.Next(q, c.Run.Transitions[i].Label)
		}
	}
	return all
}

func (c *TableChecker) distinct() map[productState]bool {
	all := map[productState]bool{}
	for _, p := range c.rounds() {
		all[p] = true
	}
	return all
}

// constant reports whether the property stays in one state on the loop.
func (c *TableChecker) constant() bool {
	all := c.rounds()
	return !slices.ContainsFunc(all, func(p productState) bool {
		return p.q != all[0].q
	})
}

// played checks a sentence by the game, unless the opponent has too many choices.
func (c *TableChecker) played(check func(*game, []string) error, m []string) error {
	g, few := c.play()
	if !few {
		return nil
	}
	return check(g, m)
}

func (c *TableChecker) play() (*game, bool) { return c.playWith(c.t.Triggers) }

// playWith plays as if some labels could not be forbidden, besides internal
// actions.
func (c *TableChecker) playWith(triggers map[lts.Label]bool) (*game, bool) {
	general := oracle.NewGeneral(c.t.Model, c.t.Automaton)
	wins, few := general.Wins(func(l lts.Label) bool {
		return inner(c.t.Model, l) || triggers[l]
	})
	if !few {
		return nil, false
	}
	g := &game{
		Checker: c.Checker, wins: map[at]bool{}, colours: c.t.Automaton.Colours, phrase: c.t.Phrase, triggers: triggers,
		marks: func(a at, l lts.Label) map[int]bool {
			return c.t.Automaton.Marks(a.done, l)
		},
		rejects: func(visited map[int]bool) bool {
			return !c.t.Automaton.Accepts(visited)
		},
		satisfied: func(m *lts.LTS) bool {
			_, reject := oracle.NewGeneral(m, c.t.Automaton).Can(m.Initial(), c.initial)
			return !reject
		},
	}
	for s := range lts.State(c.t.Model.NumStates()) {
		for q := range c.t.Automaton.States {
			if general.Reached(s, q) {
				g.wins[at{s, q}] = wins(s, q)
			}
		}
	}
	g.explore()
	return g, true
}

// addAdvice adds the forms of sentences about changes.
func (c *TableChecker) addAdvice(add func(name, is string, check func([]string) error)) {
	add("nothing helps", "Nothing does: "+none+" satisfies it", func([]string) error {
		return want(!c.free(0), "some run satisfies it")
	})
	add("through", throughForm, func(m []string) error {
		return c.played((*game).through, m)
	})
	add("gap", gapForm, func(m []string) error {
		return c.played((*game).gap, m)
	})
	add("only triggers",
		"Only forbidding (.+) everywhere would make it true(?:: "+cannotBe+")?", c.onlyTriggers)
	add("with triggers",
		"Only a supervisor that forbids what triggers the property makes it true: (.+)", c.withTriggers)
	add("advice", `(Forbid .+|In (?:states? [\d, ]+|\d+ states) only .+)`, c.checkForbidden)
	add("advice on choices", onlyChoices, func(m []string) error {
		return c.played((*game).onlyFair, m)
	})
	add("advice to leave", "(In states? [^(]+? (?:not|no run) .+|No run may .+)", func(m []string) error {
		return c.played((*game).onlyLeave, m)
	})
	add("leave in parts", `(In \d+ parts .+)`, func(m []string) error {
		return c.played((*game).onlyLeave, m)
	})
	add("irreparable", "Forbidding actions does not make it true: "+cannotBe, func(m []string) error {
		return c.played((*game).irreparable, m)
	})
}

// onlyTriggers checks a text by which some triggers must never happen: supervisors that leave
// triggers alone do not help; it is enough that these triggers never happen; and every supervisor
// that helps forbids them everywhere.
func (c *TableChecker) onlyTriggers(m []string) error {
	g, few := c.play()
	if !few {
		return nil
	}
	free, _ := c.playWith(nil)
	enough := func(labels map[lts.Label]bool) bool {
		var without []lts.Transition
		for t := range c.Model.Transitions() {
			if labels[t.Label] {
				without = append(without, t)
			}
		}
		return g.holdsWithout(without...)
	}
	said := map[lts.Label]bool{}
	err := errors.Join(want(!g.wins[g.initial()], "a supervisor helps"),
		want(free.wins[free.initial()], "no supervisor helps"))
	if m[2] != "" {
		err = errors.Join(err, g.unforbidden(m[1:]))
	}
	for _, l := range c.labelsIn(m[1]) {
		said[l] = true
		err = errors.Join(err, want(c.t.Triggers[l], "%d is no trigger", l))
	}
	forbidden := free.forbidden()
	for a := range free.reached {
		for _, t := range free.o.Out(a.state) {
			err = errors.Join(err,
				want(!said[t.Label] || forbidden[move{t, a.done}], "%v may be taken with %d", t,
					a.done))
		}
	}
	return errors.Join(err, want(enough(said), "never to do them is not enough"))
}

// withTriggers checks that no supervisor that leaves triggers alone helps, and what a supervisor
// forbids that may also forbid triggers.
func (c *TableChecker) withTriggers(m []string) error {
	g, few := c.play()
	if !few {
		return nil
	}
	free, _ := c.playWith(nil)
	nevers, leave, _ := cutLeave(m[1])
	if nevers == "" {
		return errors.Join(want(!g.wins[g.initial()], "a supervisor helps"),
			free.forbidsNothing(), free.leaves(leave))
	}
	return errors.Join(want(!g.wins[g.initial()], "a supervisor helps"),
		want(free.wins[free.initial()], "no supervisor helps"),
		free.nevers(nevers, free.forbidden()), free.leaves(leave))
}

// helpsAlone checks a sentence by which fairness does not help: without the word "alone", it does not
// help together with a supervisor, either.
func (c *TableChecker) helpsAlone(said string) error {
	if strings.Contains(said, " alone ") {
		return nil
	}
	g, few := c.play()
	if few && !g.wins[g.initial()] {
		g, few = c.playWith(nil)
	}
	return want(!few || !g.helpsTogether(), "fairness helps together with a supervisor")
}

// stays checks what can still happen after the stem.
func (c *TableChecker) stays(m []string) error {
	type pair struct {
		s lts.State
		q int
	}
	end := pair{c.states[len(c.states)-1], c.first[len(c.states)-1]}
	visited, states, labels := map[pair]bool{end: true}, map[lts.State]bool{end.s: true}, map[string]bool{}
	for open := []pair{end}; len(open) > 0; open = open[1:] {
		for _, t := range c.o.Out(open[0].s) {
			next := pair{t.To, c.o.Advance(open[0].q, t.Label)}
			if accept, reject := c.g.Can(next.s, next.q); !accept && !reject {
				continue
			}
			labels["`"+c.Model.Alphabet().Text(t.Label)+"`"], states[t.To] = true, true
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	said := strings.Split(strings.Replace(m[3], " and ", ", ", 1), ", ")
	for _, l := range said {
		if !labels[l] {
			return fmt.Errorf("%s cannot happen there", l)
		}
	}
	return want(number(m[2]) == len(states) && len(said) == len(labels),
		"%d states, where %d actions can happen", len(states), len(labels))
}
