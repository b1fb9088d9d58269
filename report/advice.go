package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/report/claim"
)

// holdTitle is the heading of the section with advice on how to make the property hold.
const holdTitle = "What would make it hold"

// shownAdvice is the largest number of forbidden transitions that a sentence lists; others are
// counted.
const shownAdvice = 3

// advice says in one sentence what must be forbidden for the property to hold.
func (p *prose) advice(c claim.Advice) string {
	var parts []string
	if len(c.Never) <= shownAdvice || p.full {
		for _, n := range c.Never {
			parts = append(parts, "never "+p.never(n))
		}
	} else {
		parts = append(parts, fmt.Sprintf("a supervisor forbids %d transitions%s", c.Transitions, p.seeRepair()))
	}
	leave := p.leave(c.Leave)
	counted := len(c.Never) > shownAdvice && !p.full
	switch {
	case leave == "":
		return capital(join(parts, "and")) + "."
	case counted && len(c.Fair) == 0:
		return fmt.Sprintf("%s; and in %s, no run may do for ever what violates the property.", capital(parts[0]), partsOf(c.Leave))
	case c.ByChoices() && len(parts) == 0:
		return fmt.Sprintf("Nothing has to be forbidden if %s %s fair: %s.", p.choicesIn(c.Fair), be(len(c.Fair)), p.fairTo(c.Fair, false))
	case counted || c.ByChoices():
		return fmt.Sprintf("%s; and %s %s fair: %s.", capital(join(parts, "and")), p.choicesIn(c.Fair), be(len(c.Fair)), p.fairTo(c.Fair, true))
	case len(parts) == 0:
		return capital(leave) + "."
	}
	return fmt.Sprintf("%s; and %s.", capital(join(parts, "and")), leave)
}

// capital returns words that begin a sentence with a capital letter.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// seeRepair names the command that lists all that must be forbidden.
func (p *prose) seeRepair() string {
	if p.commands.Repair == "" {
		return ""
	}
	return " (" + p.quote(p.commands.Repair) + ")"
}

// cut names the transitions of a smallest cut, each with the step of the run that takes it.
func (p *prose) cut(c claim.Cut) string {
	parts := make([]string, len(c.Transitions))
	for i, t := range c.Transitions {
		parts[i] = fmt.Sprintf("%s from state %d to state %d", p.quote(t.Label), t.From, t.To)
		switch {
		case t.Step == nil:
		case len(parts) == 1:
			parts[i] += fmt.Sprintf(", step %d of this run", *t.Step+1)
		default:
			parts[i] += fmt.Sprintf(" (step %d)", *t.Step+1)
		}
	}
	return fmt.Sprintf("Without %s.", join(parts, "and"))
}

// never names a transition that must not be taken, the states, and the progress with which it must
// not.
func (p *prose) never(n claim.Never) string {
	var s strings.Builder
	s.WriteString(p.quote(n.Label))
	if n.To != nil {
		fmt.Fprintf(&s, " to state %d", *n.To)
	}
	switch many := p.most(len(n.States)) < len(n.States); {
	case many && n.While != nil:
		fmt.Fprintf(&s, " in %d states", len(n.States))
	case many:
		s.WriteString(among(n))
	default:
		s.WriteString(" in " + listStates(p, n.States, modelState))
	}
	switch {
	case n.While != nil:
		s.WriteString(" (" + p.pendingOf(n.While))
		if len(n.In) > 0 {
			s.WriteString("; " + numbered("state", n.In) + " of the property")
		}
		s.WriteString(")")
	case n.Progress != nil:
		fmt.Fprintf(&s, " when %s steps of the property are done", orList(n.Progress))
	case n.After > 0 && n.Before > 0:
		fmt.Fprintf(&s, " once %s is done, before %s is", p.once(n.After), p.once(n.Before))
	case n.After > 0:
		fmt.Fprintf(&s, " once %s is done", p.once(n.After))
	case n.Before > 0:
		fmt.Fprintf(&s, " before %s is done", p.once(n.Before))
	}
	return s.String()
}

// among returns the number of states in which a transition must not be taken; if its label is
// possible in more states, also the number of all states where it is.
func among(n claim.Never) string {
	always := n.After == 0 && n.Before == 0 && n.Progress == nil // otherwise the condition follows in the sentence
	if always && n.To == nil && n.PossibleIn > len(n.States) {
		return fmt.Sprintf(" in %d of the %d states that allow it", len(n.States), n.PossibleIn)
	}
	return fmt.Sprintf(" (in %d states)", len(n.States))
}

// orList joins numbers by "or"; numbered puts a noun before such a list.
func orList(numbers []int) string {
	return join(strings.Fields(strings.Trim(fmt.Sprint(numbers), "[]")), "or")
}

func numbered(what string, numbers []int) string {
	if len(numbers) > 1 {
		what += "s"
	}
	return what + " " + orList(numbers)
}

// pendingOf lists, for some property states, what a run waits for in them.
func (p *prose) pendingOf(phrases []property.Phrase) string {
	var parts []string
	for _, words := range phrases {
		text := p.phrase(words)
		if text == "" {
			text = "nothing pending"
		}
		if !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return join(parts, "or")
}

// leave says in which components of the model a run must not stay for ever; "" for none.
func (p *prose) leave(parts []explain.NotForEver) string {
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return p.leavePart(parts[0])
	}
	if slices.ContainsFunc(parts, func(part explain.NotForEver) bool { return part.Again != nil }) {
		return fmt.Sprintf("in %s, no run may do for ever what violates the property", partsOf(parts))
	}
	return "no run may stay for ever in one of " + partsOf(parts)
}

// choicesIn names the choices in some states.
func (p *prose) choicesIn(states []explain.ModelState) string {
	noun := "the choices in "
	if len(states) == 1 {
		noun = "the choice in "
	}
	return noun + listStates(p, states, modelState)
}

func modelState(s explain.ModelState) string { return fmt.Sprint(s) }

// fairTo says that choices must be fair, and what that means. The parameter some reports whether
// transitions must be forbidden, too.
func (p *prose) fairTo(states []explain.ModelState, some bool) string {
	there, every := "to one of them", "every transition"
	if len(states) == 1 {
		there = "there"
	}
	if some {
		every = "every other transition"
	}
	return fmt.Sprintf("a run that comes %s again and again takes %s from there again and again", there, every)
}

// partsOf counts components of the model, and their states.
func partsOf(parts []explain.NotForEver) string {
	places := 0
	for _, part := range parts {
		places += len(part.States)
	}
	return fmt.Sprintf("%s of the model (%s)", printable.Quantity(len(parts), "part"), printable.Quantity(places, "state"))
}

// leavePart says that a run must not stay for ever in one component of the model, and by which
// transitions it can leave.
func (p *prose) leavePart(part explain.NotForEver) string {
	states, in := p.statesOf(part)
	switch {
	case !part.ByLabels && !p.hasSteps():
		return fmt.Sprintf("in %s no run may do for ever what violates the property", in)
	case part.Again != nil:
		again := make([]string, len(part.Again))
		for i, steps := range part.Again {
			again[i] = p.some(labelsOf(steps), "or")
		}
		inside := slices.DeleteFunc(slices.Clone(part.WaysOut), func(t explain.ProductStep) bool { return !states[t.To] })
		if len(inside) == 0 {
			return fmt.Sprintf("no run may stay in %s for ever and do %s again and again", in, join(again, "and"))
		}
		return fmt.Sprintf("no run may stay in %s for ever and do %s again and again but %s only finitely often", in, join(again, "and"), p.ways(part, inside))
	}
	before := ""
	if !part.ByLabels {
		before = fmt.Sprintf(" before %s is done", p.once(part.States[0].Progress+1))
	}
	return fmt.Sprintf("in %s not %s for ever%s, but sooner or later %s", in, p.some(part.Loop, "and"), before, p.ways(part, part.WaysOut))
}

// statesOf returns the states of a component as a set and as text.
func (p *prose) statesOf(part explain.NotForEver) (map[explain.ModelState]bool, string) {
	var states []explain.ModelState
	known := map[explain.ModelState]bool{}
	for _, at := range part.States {
		if !known[at.State] {
			known[at.State] = true
			states = append(states, at.State)
		}
	}
	return known, listStates(p, states, modelState)
}

// labelsOf returns the different labels of transitions in alphabetical order.
func labelsOf(steps []explain.ProductStep) []string {
	var labels []string
	for _, t := range steps {
		labels = append(labels, t.Label)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// ways lists the labels of transitions that leave a component, each with its target if a transition
// of the component has the same label.
func (p *prose) ways(part explain.NotForEver, ways []explain.ProductStep) string {
	var different []way
	for _, t := range ways {
		w := way{label: t.Label, to: -1}
		if slices.Contains(part.Loop, t.Label) {
			w.to = int(t.To)
		}
		different = append(different, w)
	}
	slices.SortFunc(different, func(a, b way) int { return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.to, b.to)) })
	return listed(p, slices.Compact(different), func(w way) string {
		if w.to < 0 {
			return p.quote(w.label)
		}
		return fmt.Sprintf("%s to state %d", p.quote(w.label), w.to)
	}, "other action", "or")
}

// way is a transition, given by its label and its target; the target is -1 if the label is enough.
type way struct {
	label string
	to    int
}

// some lists labels, with the word last ("and" or "or") before the last label, and counts the
// labels beyond the limit.
func (p *prose) some(labels []string, last string) string {
	return listed(p, labels, p.quote, "other action", last)
}

// irreparable says why forbidding transitions does not help.
func (p *prose) irreparable(c claim.Irreparable) string {
	t := c.Transition
	if c.Obstacle.Kind == explain.Nondeterminism {
		return fmt.Sprintf("Forbidding actions does not make it true: in state %d, %s may lead to state %d, and elsewhere.", t.From, p.quote(t.Label), t.To)
	}
	if p.e.Model.IsBefore(int(t.From)) {
		return fmt.Sprintf("Forbidding actions does not make it true: runs may begin in state %d.", t.To)
	}
	internal := ""
	if t.Label == "i" || t.Label == "tau" {
		internal = " is internal, and"
	}
	return fmt.Sprintf("Forbidding actions does not make it true: %s in state %d%s cannot be forbidden.", p.quote(t.Label), t.From, internal)
}

// inTheWay names the transition that keeps every supervisor from making the property true.
func (p *prose) inTheWay(o *explain.Obstacle) string {
	t := o.Transition
	at := fmt.Sprintf("state %d", t.From)
	if len(o.Path) > 0 {
		at += " (reached by " + p.some(o.Path, "and") + ")"
	}
	if o.Kind == explain.Nondeterminism {
		return fmt.Sprintf("In %s, %s may lead to state %d, and by the same label elsewhere.", at, p.quote(t.Label), t.To)
	}
	if p.e.Model.IsBefore(int(t.From)) {
		return fmt.Sprintf("Runs may begin in state %d, from where it cannot be helped.", t.To)
	}
	return fmt.Sprintf("In %s, %s can be taken to state %d, and cannot be forbidden.", at, p.quote(t.Label), t.To)
}

// leftAlone says that the repair does not forbid a label since the label triggers the property:
// without it the property would hold vacuously.
func (p *prose) leftAlone(trigger string) string {
	lifts := ""
	if p.commands.Triggers != "" {
		lifts = fmt.Sprintf(" (%s lifts that)", p.quote(p.commands.Triggers))
	}
	return fmt.Sprintf("%s is what triggers the property: without it, the property would hold of runs that it is not about%s.", p.quote(trigger), lifts)
}

// fewest names a smallest set of transitions, or of labels, that makes the property true if it is
// forbidden whatever happened before.
func (p *prose) fewest(f *explain.Fewest, what string) string {
	var parts []string
	for _, t := range f.Transitions {
		parts = append(parts, fmt.Sprintf("%s from state %d to state %d", p.quote(t.Label), t.From, t.To))
	}
	for _, l := range f.Labels {
		parts = append(parts, p.quote(l))
	}
	count := printable.Quantity(len(parts), what)
	where := ", whatever happened before"
	if what == "label" {
		where = " everywhere"
	}
	switch {
	case !f.Found && f.Exact:
		return fmt.Sprintf("There is no set of %ss to forbid%s that makes it true without new deadlocks.", what, where)
	case !f.Found:
		return fmt.Sprintf("The search for the fewest %ss to forbid%s stopped at its limit: there are at least %d.", what, where, f.AtLeast)
	}
	list := p.listed(parts, "")
	if !f.Exact {
		return fmt.Sprintf("The fewest %ss to forbid%s are at most %d and at least %d; it is enough to forbid %s.", what, where, len(parts), f.AtLeast, list)
	}
	return fmt.Sprintf("The fewest to forbid%s: %s, %s.", where, count, list)
}

// gap guesses that a transition is missing, and names the state and the transition.
func (p *prose) gap(c claim.Gap) string {
	var ways []string
	for _, t := range c.Missing {
		ways = append(ways, fmt.Sprintf("%s to state %d", p.quote(t.Label), t.To))
	}
	return fmt.Sprintf("All violations stop in state %d, and no other run does: perhaps a transition is missing there. With %s it would hold (a guess).",
		c.State, join(ways, "or"))
}

// fairly says under which notion of fairness the property holds.
func (p *prose) fairly(c claim.Fairness) string {
	switch c.Notion {
	case claim.WeakFairness:
		return fmt.Sprintf("No action that stays possible is put off for ever (%s).", p.tried("weak", nil, "weak fairness of each action"))
	case claim.StrongFairness:
		return fmt.Sprintf("No action that is possible again and again is put off for ever (%s); weak fairness is not enough.", p.tried("strong", nil, "strong fairness of each action"))
	case claim.Justness:
		return fmt.Sprintf("What is possible happens, or is interfered with by what needs a common component (%s).", p.tried("just", nil, "justness"))
	}
	return fmt.Sprintf("It holds with probability 1, whatever the probabilities (%s); no fairness of single actions is enough.", p.tried("full", nil, "full fairness"))
}

// unhelpful says why no fairness assumption makes the property true.
func unhelpful(c claim.Unhelpful) string {
	switch {
	case c.Begun:
		return "Fairness does not help: every run that begins like this violates the property."
	case c.Ends:
		return "Fairness does not help: the run ends."
	}
	return "Fairness alone does not help: a run that ends in a deadlock violates the property."
}

// tried returns an assumption in the syntax of the flag that takes assumptions, with a label
// pattern for each label. It returns the given notion instead if there is no such flag, or if the
// text is not printable or too long.
func (p *prose) tried(kind string, labels []string, notion string) string {
	if p.commands.Assume == "" {
		return notion
	}
	patterns := make([]string, len(labels))
	for i, l := range labels {
		patterns[i] = p.patternFor(l)
	}
	word := kind
	if len(labels) > 0 {
		word += ":" + strings.Join(patterns, ",")
	}
	text := p.commands.Assume + " " + printable.ShellWord(word)
	if printable.Text(word) != word || len(text) > longestTried {
		return notion
	}
	return p.quote(text)
}

// inTLA returns fairness of labels in the syntax of TLA+; "" if the model does not come from TLA+,
// if a label is not written as an action, or if some transition with a label is a stuttering step,
// to which fairness in TLA+ does not apply.
func (p *prose) inTLA(fairness string, labels []string) string {
	if p.commands.Variables == "" {
		return ""
	}
	parts := make([]string, len(labels))
	for i, l := range labels {
		if !isAction().MatchString(l) {
			return ""
		}
		parts[i] = fairness + "_" + p.commands.Variables + "(" + l + ")"
	}
	text := strings.Join(parts, ` /\ `)
	if len(text) > longestTried {
		return ""
	}
	m := p.e.LTS()
	for t := range m.Transitions() {
		if t.From == t.To && slices.Contains(labels, m.Alphabet().Text(t.Label)) {
			return ""
		}
	}
	return "; " + p.quote(text)
}

// isAction matches an action of TLA+ with its arguments.
var isAction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]\w*(?:\([\w, "]*\))?$`) })

// longestTried is the largest length, in bytes, of an assumption in the syntax of the flag.
const longestTried = 60

// patternFor returns a pattern that matches a label and no other label of the model.
func (p *prose) patternFor(label string) string {
	pattern := actl.PatternFor(label)
	if pattern == "each" {
		return actl.Quoted(label)
	}
	for _, other := range p.e.LTS().Alphabet().All() {
		if gate, is := actl.GateOf(other); is && gate == pattern && other != label {
			return actl.Quoted(label)
		}
	}
	return pattern
}

// beyondFairness says from which state on a run violates the property although it is fair.
func (p *prose) beyondFairness(c claim.BeyondFairness) string {
	switch {
	case c.Gone.First == 0 && c.Steps == 0:
		return "Fairness alone does not help: a run satisfies the property with probability 0, whatever the probabilities."
	case c.Gone.First == 0:
		return fmt.Sprintf("Fairness alone does not help: a run can come to state %d in such a way that from there on it satisfies the property with probability 0, whatever the probabilities.", c.State)
	}
	gone := p.stretch(c.Gone.First, c.Gone.Last)
	switch {
	case c.Steps == 0:
		return fmt.Sprintf("Fairness alone does not help: no run does %s.", gone)
	case c.Gone.First == c.Gone.Last:
		return fmt.Sprintf("Fairness alone does not help: a run can come to state %d, from where %s can no longer happen.", c.State, gone)
	}
	return fmt.Sprintf("Fairness alone does not help: a run can come to state %d, from where it can no longer do %s.", c.State, gone)
}

// inSpec rewrites a claim about assumed tasks into the fairness conditions of the specification: SF
// for each WF that is not enough. It returns false if some task does not come from the
// specification.
func (p *prose) inSpec(c claim.Enough) (claim.Enough, bool) {
	asked := func(task string) bool {
		return slices.ContainsFunc(p.e.Fairness.Asked, func(a explain.Asked) bool { return a.Written == task })
	}
	rewritten := func(a explain.Assumption) (explain.Assumption, bool) {
		is := len(a.Tasks) > 0
		a.Tasks = slices.Clone(a.Tasks)
		for i, task := range a.Tasks {
			is = is && asked(task)
			if weak, cut := strings.CutPrefix(task, "WF"); cut && !c.Satisfied {
				a.Tasks[i] = "SF" + weak
			}
		}
		return a, is
	}
	first, is := rewritten(c.Assumption)
	others := make([]explain.Assumption, len(c.Others))
	for i, a := range c.Others {
		others[i], _ = rewritten(a)
	}
	c.Assumption, c.Others = first, others
	return c, is
}

// enough reports which of the assumed tasks are enough, or which need strong fairness.
func (p *prose) enough(c claim.Enough) string {
	kind := c.Assumption.Kind.String()
	if spec, is := p.inSpec(c); is && !c.Satisfied {
		return fmt.Sprintf("It holds with %s, not WF, in the specification%s.", p.some(spec.Tasks, "and"), p.others(spec.HoldsIf))
	} else if is && !c.All {
		return fmt.Sprintf("Of what the specification assumes, %s is enough%s.", p.some(spec.Tasks, "and"), p.others(spec.HoldsIf))
	}
	switch {
	case len(c.Tasks) == 0:
		return "No assumption is needed: it holds on every run."
	case c.Satisfied && c.All:
		return fmt.Sprintf("All are needed: %s fairness to fewer of them is not enough.", kind)
	case c.Satisfied:
		return fmt.Sprintf("Of what was assumed, %s fairness to %s is enough%s.", kind, p.some(c.Tasks, "and"), p.others(c.HoldsIf))
	case c.All:
		return fmt.Sprintf("It holds on every run that is %sly fair to all of them, and to no fewer.", kind)
	}
	return fmt.Sprintf("It holds on every run that is also %sly fair to %s%s.", kind, p.some(c.Tasks, "and"), p.others(c.HoldsIf))
}

// holdsIf reports which assumption makes the property hold.
func (p *prose) holdsIf(c claim.HoldsIf) string {
	if c.Assumption.Kind == explain.FairChoices {
		return fmt.Sprintf("%s %s fair: %s.", capital(p.choicesIn(c.States)), be(len(c.States)), p.fairTo(c.States, false))
	}
	kind, labels := c.Assumption.Kind.String(), p.some(c.Labels, "and")
	is, happens, these := "is", "happens", "this action"
	if len(c.Labels) > 1 {
		is, happens, these = "are", "happen", "these actions"
	}
	notion := kind + " fairness of " + these
	switch c.Assumption.Kind {
	case explain.Weak:
		return fmt.Sprintf("%s %s not put off for ever (%s%s)%s.", labels, is, p.tried(kind, c.Labels, notion), p.inTLA("WF", c.Labels), p.likewise(c))
	case explain.Strong:
		return fmt.Sprintf("%s %s not put off for ever if possible again and again (%s%s)%s.", labels, is, p.tried(kind, c.Labels, notion), p.inTLA("SF", c.Labels), p.likewise(c))
	}
	try := ""
	if p.commands.Assume != "" {
		try = p.tried(kind, c.Labels, "")
	}
	if try != "" {
		try = " (" + try + ")"
	}
	return fmt.Sprintf("%s %s finitely often%s%s.", labels, happens, try, p.likewise(c))
}

// likewise lists other assumptions of the same kind and size, and counts those beyond the limit.
func (p *prose) likewise(c claim.HoldsIf) string {
	shown := p.upTo(shownAssumptions, len(c.Others))
	named := len(c.Labels)
	if named > 1 && len(c.Others) > 1 && !p.full {
		shown = 0
	}
	var parts []string
	for _, a := range c.Others[:shown] {
		parts = append(parts, p.some(a.Labels, "and"))
	}
	if hidden := len(c.Others) - shown; hidden > 0 {
		some := fmt.Sprintf("%d more", hidden)
		if shown == 0 && named > 1 {
			some = fmt.Sprintf("%d other %s", hidden, oneSet(named, hidden))
		}
		if c.More {
			some = "at least " + some
		}
		if named == 1 && shown > 0 {
			parts[shown-1] += " and " + some
		} else {
			parts = append(parts, some)
		}
	}
	between := ", "
	if len(c.Labels) > 1 {
		between = ", or " // or keeps apart the lists of their labels
	}
	switch {
	case len(parts) > 0 && c.More && shown == len(c.Others):
		return "; likewise " + strings.Join(parts, between) + "; there may be others"
	case len(parts) > 0:
		return "; likewise " + strings.Join(parts, between)
	case c.More:
		return "; there may be others"
	}
	return ""
}

// shownAssumptions bounds the further assumptions of the same size that a sentence lists.
const shownAssumptions = 2

// others lists the other sets of tasks of the same size, each after a preposition, so that the
// reader sees where a set of several labels begins.
func (p *prose) others(c claim.HoldsIf) string {
	once, each, place := "", "with ", "their"
	members := len(c.Tasks)
	if members == 1 {
		once, each, place = "with ", "", "its"
	}
	shown := p.upTo(shownAssumptions, len(c.Others))
	var parts []string
	for _, a := range c.Others[:shown] {
		parts = append(parts, each+p.some(a.Tasks, "and"))
	}
	switch hidden := len(c.Others) - shown; {
	case hidden > 0 && c.More:
		parts = append(parts, fmt.Sprintf("%sat least %d other %s", each, hidden, sets(members)))
	case hidden > 0:
		parts = append(parts, fmt.Sprintf("%s%d other %s", each, hidden, sets(members)))
	}
	text := ""
	if len(parts) > 0 {
		text = fmt.Sprintf("; likewise %s%s in %s place", once, join(parts, "or"), place)
	}
	if c.More && shown == len(c.Others) {
		text += "; there may be others"
	}
	return text
}

// sets returns the noun for several sets of this many labels.
func sets(size int) string {
	switch size {
	case 1:
		return "actions"
	case 2:
		return "pairs"
	}
	return fmt.Sprintf("sets of %d", size)
}

// oneSet returns the noun of [sets] for n sets: in the singular if n is 1.
func oneSet(size, n int) string {
	switch text := sets(size); {
	case n > 1:
		return text
	case size > 2:
		return strings.Replace(text, "sets", "set", 1)
	default:
		return strings.TrimSuffix(text, "s")
	}
}

// verdictUnder returns the verdict on the runs that satisfy the assumptions.
func (p *prose) verdictUnder(c claim.Verdict) string {
	name, formula, runs := p.quote(p.e.Model.File), p.quote(p.e.Property.AsWritten()), p.counted(c.Under, "are")
	if within := p.bounded(); c.Satisfied && within != nil {
		// If all steps are counted, the bound holds for fair and unfair runs; only an assumption
		// "finitely" excludes runs.
		counted := ", fair or not"
		if p.excludes() || within.Bounds[0].ApartFrom != "" {
			counted = " " + p.counted(c.Under, "is")
		}
		return fmt.Sprintf("%s satisfies %s on every run%s: %s.", name, formula, counted, p.within(*within))
	}
	if !p.hasSteps() {
		return p.tableUnder(c, name, formula)
	}
	switch {
	case c.Satisfied:
		return fmt.Sprintf("%s satisfies %s on every run %s: each does %s.", name, formula, p.counted(c.Under, "is"), p.requirement())
	}
	return fmt.Sprintf("%s violates %s, also on runs %s%s.", name, formula, runs, p.because(c))
}

// tableUnder returns the verdict on a property without steps. Full fairness makes it a verdict on
// almost all runs: an unfair run may differ.
func (p *prose) tableUnder(c claim.Verdict, name, formula string) string {
	var rest []explain.Asked
	full := false
	for _, a := range c.Under {
		if a.Kind == actl.FullFairness {
			full = true
		} else {
			rest = append(rest, a)
		}
	}
	satisfies, violates := " on every run", ""
	if full {
		satisfies, violates = " with probability 1, whatever the probabilities", " with positive probability, whatever the probabilities"
	}
	switch {
	case len(rest) > 0 && full:
		satisfies += ", on runs " + p.counted(rest, "are")
		violates += ", also on runs " + p.counted(rest, "are")
	case len(rest) > 0:
		satisfies += " " + p.counted(rest, "is")
		violates += ", also on runs " + p.counted(rest, "are")
	}
	if c.Satisfied {
		return fmt.Sprintf("%s satisfies %s%s.", name, formula, satisfies)
	}
	return fmt.Sprintf("%s violates %s%s%s.", name, formula, violates, p.because(c))
}

// hasSteps reports whether the property is inevitability, which has steps that a run can lack.
func (p *prose) hasSteps() bool { return len(p.e.Property.Steps) > 0 }

// none returns the subject of a sentence that denies something of all runs: "no run", or "no such
// run" if only the runs that satisfy the assumptions are meant. If no fair run does some steps, no
// run at all does: each finite run has a fair continuation, unless an assumption "finitely"
// excludes it.
func (p *prose) none() string {
	if p.e.Fairness == nil || len(p.e.Fairness.Asked) == 0 || p.hasSteps() && !p.excludes() {
		return "no run"
	}
	if p.fully() && !p.hasSteps() {
		return "almost no run"
	}
	return "no such run"
}

// fully reports whether full fairness is assumed. Then the counterexample ends in a deadlock if
// some violating run does, even if another run loses the property earlier.
func (p *prose) fully() bool { return p.assumes(actl.FullFairness) }

// excludes reports whether some finite runs may have no continuation that satisfies the
// assumptions.
func (p *prose) excludes() bool { return p.assumes(actl.Finitely) }

func (p *prose) assumes(kind actl.AssumptionKind) bool {
	return p.e.Fairness != nil && slices.ContainsFunc(p.e.Fairness.Asked, func(a explain.Asked) bool { return a.Kind == kind })
}

// counted reports which runs satisfy the assumptions, as in "that are weakly fair to each action".
func (p *prose) counted(under []explain.Asked, are string) string {
	var fair, where, blocked, written []string
	for _, a := range under {
		if a.Written != "" {
			written = append(written, a.Written)
			continue
		}
		tasks := "each action"
		if a.Tasks != "each" {
			tasks = p.quote(a.Tasks)
		}
		if a.Nonstuttering {
			tasks += ", self-loops aside"
		}
		switch a.Kind {
		case actl.Just:
			fair = append(fair, "just")
		case actl.Blocking:
			blocked = append(blocked, tasks)
		case actl.FullFairness:
			fair = append(fair, "fully fair")
		case actl.WeakFairness:
			fair = append(fair, "weakly fair to "+tasks)
		case actl.StrongFairness:
			fair = append(fair, "strongly fair to "+tasks)
		default:
			where = append(where, "on which "+tasks+" happens finitely often")
		}
	}
	if len(written) > 0 {
		fair = append(fair, "fair as the specification says ("+listed(p, written, p.quote, "other assumption", "and")+")")
	}
	if i := slices.Index(fair, "just"); i >= 0 && len(blocked) > 0 {
		fair[i] += " (" + join(blocked, "and") + " may be blocked)"
	}
	var all []string
	if len(fair) > 0 {
		all = append(all, "that "+are+" "+join(fair, "and"))
	}
	return join(append(all, where...), "and")
}

// doomed reports which steps can no longer happen after the last state of a finite run.
func (p *prose) doomed(c claim.Doomed) string {
	stays := fmt.Sprintf("it stays in %s, where only %s can happen", printable.Quantity(c.States, "state"), p.some(c.Labels, "and"))
	if !p.hasSteps() {
		return fmt.Sprintf("From there on %s satisfies the property: %s.", p.none(), stays)
	}
	return fmt.Sprintf("Whatever is done from there on, %s does %s: %s.", p.none(), p.stretch(c.First, c.Step), stays)
}

// preventions returns the sentences about who could have prevented a violation, and how; none if no
// owners are known.
func (p *prose) preventions(v *explain.Prevention) (said []string) {
	for _, c := range claim.Preventions(v) {
		if text := p.say(c); text != "" {
			said = append(said, text)
		}
	}
	return said
}

// prevention says who could have prevented a violation; "" if nobody had to.
func (p *prose) prevention(v *explain.Prevention) string {
	single := !slices.ContainsFunc(v.Minimal, func(set []string) bool { return len(set) > 1 })
	switch {
	case len(v.Minimal) == 0 && len(v.Owners) == 1:
		return fmt.Sprintf("%s cannot prevent it%s.", p.owner(v.Owners[0]), p.standing(v.Supervisor))
	case len(v.Minimal) == 0:
		return fmt.Sprintf("Nobody can prevent it: not even %s together%s.", p.owners(v.Owners, "and"), p.standing(v.Supervisor))
	case len(v.Minimal) == 1 && len(v.Minimal[0]) == 0:
		return ""
	case !v.Complete:
		return fmt.Sprintf("%s can prevent it together. Not all sets of the %d owners were tried: others may be able to, too.", p.owners(v.Minimal[0], "and"), len(v.Owners))
	case len(v.Minimal) == 1 && !single:
		said := fmt.Sprintf("Only %s together can prevent it", p.owners(v.Minimal[0], "and"))
		if v.Supervisor != nil {
			said += ": " + p.supervision(v.Supervisor, v.Minimal[0])
		}
		return said + "."
	case single && len(v.Minimal) == len(v.Owners) && len(v.Owners) > 1:
		if n := len(v.Owners); p.most(n) < n {
			return fmt.Sprintf("Each of the %d owners alone can prevent it.", n)
		}
		return fmt.Sprintf("Each of %s alone can prevent it.", p.owners(v.Owners, "and"))
	case single:
		return p.alone(v)
	}
	var sets []string
	for _, set := range v.Minimal[:p.most(len(v.Minimal))] {
		sets = append(sets, p.owners(set, "and"))
	}
	said := fmt.Sprintf("Any of these can prevent it: %s", strings.Join(sets, "; "))
	if more := len(v.Minimal) - len(sets); more > 0 {
		said += fmt.Sprintf("; and %s", printable.Quantity(more, "other set"))
	}
	return said + "."
}

// owners lists owners, and counts those beyond the limit.
func (p *prose) owners(set []string, last string) string {
	return listed(p, set, p.owner, "other", last)
}

// alone names the owners who could prevent the violation alone, and says that the others could not.
func (p *prose) alone(v *explain.Prevention) string {
	var able, others []string
	for _, set := range v.Minimal {
		able = append(able, set[0])
	}
	for _, name := range v.Owners {
		if !slices.Contains(able, name) {
			others = append(others, name)
		}
	}
	said := p.owners(able, "or") + " alone can prevent it"
	switch len(others) {
	case 0:
		return said + "."
	case 1:
		return fmt.Sprintf("%s; %s cannot.", said, p.owners(others, "and"))
	}
	return fmt.Sprintf("%s; %s cannot, not even together.", said, p.owners(others, "and"))
}

// standing says why all owners together cannot prevent the violation.
func (p *prose) standing(r *explain.Repair) string {
	switch {
	case r == nil || r.Obstacle == nil || r.Obstacle.Kind == explain.Nondeterminism:
		return ""
	case r.Obstacle.Kind == explain.NoCorrectRun:
		return ", for no run satisfies it"
	}
	t := r.Obstacle.Transition
	why := "is nobody's to forbid"
	if all := p.e.Repair; all != nil && slices.Contains(all.Triggers, t.Label) {
		why = "triggers the property"
	}
	return fmt.Sprintf(", for %s leaves state %d, and %s", p.quote(t.Label), t.From, why)
}

// supervised describes what the only owner who can prevent the violation alone has to forbid.
func (p *prose) supervised(r *explain.Repair) string {
	return fmt.Sprintf("For that: %s.", p.andLeave(p.nevers(claim.Nevers(r)), r))
}

// andLeave adds which components runs have to leave to what has to be forbidden.
func (p *prose) andLeave(said string, r *explain.Repair) string {
	leave := p.leave(r.NotForEver)
	if said != "" && leave != "" {
		return said + "; and " + leave
	}
	return said + leave
}

// supervision describes what each owner in a set has to forbid, and which components runs have to
// leave.
func (p *prose) supervision(r *explain.Repair, set []string) string {
	nevers := map[string][]claim.Never{}
	for _, n := range claim.Nevers(r) {
		nevers[n.Owner] = append(nevers[n.Owner], n)
	}
	var parts []string
	for _, owner := range set {
		if said := p.nevers(nevers[owner]); said != "" {
			parts = append(parts, fmt.Sprintf("%s by %s", p.owner(owner), said))
		}
	}
	if n := p.most(len(parts)); n < len(parts) {
		more := len(parts) - n
		parts = append(parts[:n], printable.Quantity(more, "other")+" likewise")
	}
	return p.andLeave(strings.Join(parts, ", "), r)
}

// nevers lists the transitions that must never be taken, or counts them if there are many.
func (p *prose) nevers(list []claim.Never) string {
	if len(list) > shownAdvice && !p.full {
		transitions := 0
		for _, n := range list {
			transitions += n.Transitions
		}
		return fmt.Sprintf("forbidding %d transitions", transitions)
	}
	var parts []string
	for _, n := range list {
		parts = append(parts, "never "+p.never(n))
	}
	return join(parts, "and")
}

// shares reports how much each owner contributes to what all owners together can prevent.
func (p *prose) shares(v *explain.Prevention) string {
	var parts []string
	for _, s := range v.Shares {
		parts = append(parts, p.owner(s.Owner)+": "+s.Share)
	}
	first := v.Shares[0].Share
	if len(v.Shares) > 1 && !slices.ContainsFunc(v.Shares, func(s explain.Share) bool { return s.Share != first }) {
		parts = []string{first + " each"}
	}
	return "Shares in what all together can prevent (Shapley values): " + strings.Join(parts, ", ") + "."
}
