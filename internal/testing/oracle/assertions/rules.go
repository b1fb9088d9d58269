package assertions

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// rule is a part of a text that says where labels are forbidden, or which states must not be entered.
type rule struct {
	labels  []string // as they are quoted
	targets []int    // the states that must not be entered; nil if labels are forbidden
	states  []int    // where the labels are forbidden; nil if that depends on what has happened
	// areDeadlocks reports whether the targets are called deadlocks.
	areDeadlocks bool
	// after and until are the quoted labels between which the rule holds; "" without such a bound.
	after, until   string
	holdsInitially bool
	when           place // the condition on the property
	step           int   // the step of the run that breaks the rule, 0 if none is named
}

const whenForm = `( (?:once|before) .+? is done(?:, before .+? is)?| when .+ steps of the property are done| \(.+?(?:; states? .+ of the property)?\)| (?:before|up to the first|between|after|once|while) .+)?`

var (
	intoForm = regexp.MustCompile(`^whatever leads to (the deadlocks? in )?states? ((?:(?:, | and )?\d+(?: \(step \d+ of this run\))?)+)` + whenForm + `$`)
	// whereForm is the form of a rule that forbids labels in some places:
	// everywhere, in states, until a label (and again), or after a label.
	whereForm = regexp.MustCompile("^(?P<labels>(?:(?:, | and )?" + label + ")+) (?:" +
		"everywhere" +
		`|in states? (?P<states>[\d, ]+?)` +
		"|until (?P<firstUntil>" + label + ")(?: and again after (?P<againAfter>" + label + ") until (?P<againUntil>" + label + "))?" +
		"|after (?P<after>" + label + ")(?: until (?P<afterUntil>" + label + "))?" +
		")(?P<when>" + whenForm + ")$")
	whenIs   = regexp.MustCompile(`^ (?:(once|before) (.+?) is done(?:, before (.+?) is)?|when (.+) steps of the property are done|\((.+?)(?:; states? (.+) of the property)?\)|((?:before|up to the first|between|after|once|while) .+))$`)
	lastStep = regexp.MustCompile(` \(step (\d+) of this run\)$`)
	stepIs   = regexp.MustCompile(`\(step (\d+) of this run\)`)
)

// rulesIn reads a text as rules; false if it has another form, such as one that counts states. A text
// that only forbids single labels in states has another reader.
func (g *game) rulesIn(said string) ([]rule, bool) {
	said, isProhibition := strings.CutPrefix(said, "forbid ")
	if !isProhibition {
		return nil, false
	}
	var rules []rule
	onlyListsStates := true
	unread := "" // the beginning of a rule that contains a comma
	for _, part := range splitOutside(said, "`", "whatever ") {
		part = unread + part
		if r, isTargetRule := readTargetRule(part); isTargetRule {
			rules = append(rules, r)
			onlyListsStates = false
			unread = ""
			continue
		}
		parts, step := matchPlaceRule(part)
		if parts == nil {
			unread = part + ", "
			continue
		}
		if parts["againUntil"] != "" && parts["againUntil"] != parts["firstUntil"] {
			return nil, false
		}
		r := newPlaceRule(parts, step)
		forbidsInStates := r.states != nil && len(r.labels) == 1 && r.step == 0
		onlyListsStates = onlyListsStates && forbidsInStates
		rules = append(rules, r)
		unread = ""
	}
	return rules, unread == "" && !onlyListsStates
}

// newPlaceRule returns the rule with these parts of [whereForm] and this step of the run. The map has the parts
// under the names of their groups.
func newPlaceRule(parts map[string]string, step int) rule {
	r := rule{
		labels:         regexp.MustCompile(label).FindAllString(parts["labels"], -1),
		after:          cmp.Or(parts["againAfter"], parts["after"]),
		until:          cmp.Or(parts["firstUntil"], parts["afterUntil"]),
		holdsInitially: parts["firstUntil"] != "",
		when:           condition(parts["when"]),
		step:           step,
	}
	if parts["states"] != "" {
		r.states = numbers(parts["states"])
	}
	return r
}

// readTargetRule reads a rule by which some states must not be entered; false if the text has another form.
func readTargetRule(text string) (rule, bool) {
	m := intoForm.FindStringSubmatch(text)
	if m == nil {
		return rule{}, false
	}
	r := rule{areDeadlocks: m[1] != "", when: condition(m[3])}
	step := stepIs.FindStringSubmatch(m[2])
	if step != nil {
		r.step = number(step[1])
	}
	withoutSteps := stepIs.ReplaceAllString(m[2], "")
	for _, n := range regexp.MustCompile(`\d+`).FindAllString(withoutSteps, -1) {
		r.targets = append(r.targets, number(n))
	}
	return r, true
}

// matchPlaceRule maps the names of the groups of [whereForm] to the parts of a text; nil if the text has
// another form. It also returns the step of the run that the text names after them, 0 if it names none.
func matchPlaceRule(text string) (parts map[string]string, step int) {
	s := lastStep.FindStringSubmatch(text)
	if s != nil {
		text = strings.TrimSuffix(text, s[0])
		step = number(s[1])
	}
	m := whereForm.FindStringSubmatch(text)
	if m == nil {
		return nil, 0
	}
	parts = map[string]string{}
	for i, name := range whereForm.SubexpNames() {
		if name != "" {
			parts[name] = m[i]
		}
	}
	return parts, step
}

// condition reads when a rule applies.
func condition(said string) place {
	m := whenIs.FindStringSubmatch(said)
	if m == nil {
		return place{}
	}
	p := place{
		after:          m[2],
		before:         m[3],
		progress:       m[4],
		pending:        m[5],
		propertyStates: m[6],
		until:          m[7],
	}
	if m[1] == "before" {
		p.after = ""
		p.before = m[2]
	}
	return p
}

// readingsOf returns the ways to read when a place applies, by the number of steps done or the state of
// the property. A name of a step can mean several steps, so that a place can have several readings.
func (g *game) readingsOf(p place) (all []func(done int) bool) {
	if g.phrase != nil {
		states := numbers(strings.ReplaceAll(p.propertyStates, " or ", ", "))
		isOn := g.isOn(p.until)
		if isOn != nil {
			return append(all, isOn)
		}
		return append(all, func(q int) bool {
			isListed := p.propertyStates == "" || slices.Contains(states, q)
			if p.until != "" {
				return isRestricted(g.phrase(q), p.until)
			}
			return p.pending == "" || g.namesPhraseOf(p.pending, q) && isListed
		})
	}
	progress := numbers(strings.ReplaceAll(p.progress, " or ", ", "))
	for _, first := range g.stepsNamed(p.after) {
		for _, last := range g.stepsNamed(p.before) {
			all = append(all, func(done int) bool {
				isBetween := done >= first && (last == 0 || done < last)
				return isBetween && (p.progress == "" || slices.Contains(progress, done))
			})
		}
	}
	return all
}

// isRestricted reports whether what is pending is a restriction up to the end that is named: "before B". A scope
// "before B" or "between A and B" restricts what happens in case B follows.
func isRestricted(pending, upTo string) bool {
	if strings.HasSuffix(pending, " "+upTo) {
		return true
	}
	restricted, end, inScope := strings.Cut(pending, " is not allowed, should ")
	end = strings.TrimSuffix(end, " follow")
	isBefore := upTo == "before "+end
	isBetween := strings.HasPrefix(upTo, "between ") && strings.HasSuffix(upTo, " and "+end)
	return inScope && restricted != "" && (isBefore || isBetween)
}

// stepsNamed returns the steps, from 1, that a name can mean; only 0 for no name.
func (g *game) stepsNamed(name string) []int {
	if name == "" {
		return []int{0}
	}
	var steps []int
	for i := range g.Steps {
		if g.checkStepName(name, i+1) == nil {
			steps = append(steps, i+1)
		}
	}
	return steps
}

// checkRules checks that the rules forbid exactly the expected moves, and that each step of the run that a
// rule names breaks it.
func (g *game) checkRules(rules []rule, expected map[move]bool) error {
	forbidden := map[move]bool{}
	for _, r := range rules {
		if err := g.checkTargets(r); err != nil {
			return err
		}
		moves, isExact := g.forbiddenInSomeReading(r, expected)
		if !isExact {
			return fmt.Errorf("%+v is not what has to be forbidden: %v", r, expected)
		}
		for _, x := range moves {
			forbidden[x] = true
		}
		if r.step > 0 && !g.breaks(g.Run.Transitions[r.step-1], r, expected) {
			return fmt.Errorf("step %d breaks no rule", r.step)
		}
	}
	// All forbidden moves are expected ones, so equal numbers mean equal sets.
	return want(len(forbidden) == len(expected), "%v has to be forbidden, told is %v", expected,
		forbidden)
}

// checkTargets checks what a rule says of the states that must not be entered: if it calls them
// deadlocks, all of them must be deadlocks; if it does not, and names only one, this must not be a
// deadlock.
func (g *game) checkTargets(r rule) error {
	for _, s := range r.targets {
		isDeadlock := len(g.judge.Out(lts.State(s))) == 0
		mustTell := r.areDeadlocks || len(r.targets) == 1
		if isDeadlock != r.areDeadlocks && mustTell {
			return fmt.Errorf("%d is a deadlock: %t", s, isDeadlock)
		}
	}
	return nil
}

// forbiddenInSomeReading returns the expected moves that a rule is about. The condition of the rule
// can have several readings: the first one counts by which the rule forbids exactly expected moves.
// It returns false if there is no such reading.
func (g *game) forbiddenInSomeReading(r rule, expected map[move]bool) ([]move, bool) {
	for _, applies := range g.readingsOf(r.when) {
		moves, isExact := g.forbiddenBy(r, applies, expected)
		if isExact {
			return moves, true
		}
	}
	return nil, false
}

// breaks reports whether a rule is about a transition that must be forbidden for some progress.
func (g *game) breaks(t lts.Transition, r rule, expected map[move]bool) bool {
	isAbout := slices.Contains(r.labels, g.quote(t.Label)) || slices.Contains(r.targets, int(t.To))
	return isAbout && slices.ContainsFunc(g.progressValues(), func(done int) bool {
		return expected[move{t, done}]
	})
}

// forbiddenBy returns the expected moves that a rule is about. isExact reports whether the rule forbids exactly
// these, whatever has happened before. It follows all runs without forbidden moves.
func (g *game) forbiddenBy(
	r rule,
	applies func(done int) bool,
	expected map[move]bool,
) (moves []move, isExact bool) {
	first := ruleMemory{g.initial(), r.holdsInitially}
	visited := map[ruleMemory]bool{first: true}
	for open := []ruleMemory{first}; len(open) > 0; open = open[1:] {
		from := open[0]
		for _, t := range g.judge.Out(from.state) {
			name := g.quote(t.Label)
			isAbout := slices.Contains(r.labels, name) || slices.Contains(r.targets, int(t.To))
			x := move{t, from.done}
			if isAbout && g.forbids(r, applies, from, t) != expected[x] {
				return nil, false
			}
			if expected[x] {
				if isAbout {
					moves = append(moves, x)
				}
				continue
			}
			holds := name == r.after || from.holds && name != r.until
			next := ruleMemory{g.next(from.position, t), holds}
			if !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	return moves, true
}

// ruleMemory is a position, with what the past means to a rule: holds reports whether the last of
// rule.after and rule.until that happened is rule.after.
type ruleMemory struct {
	position
	holds bool
}

// forbids reports whether a rule forbids a transition that it is about.
func (g *game) forbids(
	r rule,
	applies func(done int) bool,
	from ruleMemory,
	t lts.Transition,
) bool {
	switch {
	case r.targets != nil && g.phrase == nil:
		return applies(g.next(from.position, t).done)
	case r.states != nil:
		return applies(from.done) && slices.Contains(r.states, int(t.From))
	case r.after != "" || r.until != "":
		return applies(from.done) && from.holds
	}
	return applies(from.done)
}
