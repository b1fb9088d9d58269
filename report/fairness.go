package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/report/claim"
)

// fairly says under which notion of fairness the property holds.
func (p *prose) fairly(c claim.Fairness) string {
	switch c.Notion {
	case claim.WeakFairness:
		return fmt.Sprintf("No action that stays possible is put off for ever (%s).", p.tried("weak", nil, "weak fairness of each action"))
	case claim.StrongFairness:
		return fmt.Sprintf("No action that is possible again and again is put off for ever (%s); weak fairness is not enough.", p.tried("strong", nil, "strong fairness of each action"))
	}
	if c.Notion == claim.Justness {
		return fmt.Sprintf("What is possible happens, or is interfered with by what needs a common component (%s).", p.tried("just", nil, "justness"))
	}
	return fmt.Sprintf("It holds with probability 1, whatever the probabilities (%s); no fairness of single actions is enough.", p.tried("full", nil, "full fairness"))
}

// unhelpful says why no assumption about infinite runs helps.
func unhelpful(c claim.Unhelpful) string {
	switch {
	case c.Begun:
		return "Fairness does not help: every run that begins like this violates the property."
	case c.Ends:
		return "Fairness does not help: the run ends."
	}
	return "Fairness alone does not help: a run that ends in a deadlock violates the property."
}

// tried returns what an assumption is given to a command with, as its patterns are written;
// the name of the notion where there is no such command, or its words could not be shown as
// they are.
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
	text := p.commands.Assume + " " + shellWord(word)
	if printable.Text(text) != text || len(text) > longestTried {
		return notion
	}
	return p.quote(text)
}

// inTLA returns fairness of labels as a specification in TLA+ says it; "" if the model is of
// none, a label is not written as an action of one, or some transition with it changes nothing,
// which does not count in TLA+.
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

// isAction is an action of TLA+, with its arguments.
var isAction = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z]\w*(?:\([\w, "]*\))?$`) })

// longestTried is the length, in bytes, up to which an assumption is written for a command.
const longestTried = 60

// patternFor returns the pattern that means a label and no other of the model.
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

// beyondFairness says what fairness does not bring about.
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

// enough says which of the tasks that were asked for are enough.
func (p *prose) enough(c claim.Enough) string {
	kind := c.Assumption.Kind.String()
	switch {
	case len(c.Tasks) == 0:
		return "No assumption is needed: it holds on every run."
	case c.Satisfied && c.All:
		return fmt.Sprintf("All are needed: %s fairness to fewer of them is not enough.", kind)
	case c.Satisfied:
		return fmt.Sprintf("Of what was assumed, %s fairness to %s is enough%s.", kind, p.together(c.Tasks), p.others(c.HoldsIf))
	case c.All:
		return fmt.Sprintf("It holds on every run that is %sly fair to all of them, and to no fewer.", kind)
	}
	return fmt.Sprintf("It holds on every run that is %sly fair to %s%s.", kind, p.together(c.Tasks), p.others(c.HoldsIf))
}

// holdsIf says which assumption makes the property true.
func (p *prose) holdsIf(c claim.HoldsIf) string {
	if c.Assumption.Kind == explain.FairChoices {
		states := listStates(p, c.States, func(s explain.ModelState) string { return fmt.Sprint(s) })
		if len(c.States) > 1 {
			return fmt.Sprintf("The choices in %s are fair: a run that comes to one of them again and again takes every transition from there again and again.", states)
		}
		return fmt.Sprintf("The choice in %s is fair: a run that comes there again and again takes every transition from there again and again.", states)
	}
	kind, labels := c.Assumption.Kind.String(), p.together(c.Labels)
	is, happens, these := "is", "happens", "this action"
	if len(c.Labels) > 1 {
		is, happens, these = "are", "happen", "these actions"
	}
	notion := kind + " fairness of " + these
	switch c.Assumption.Kind {
	case explain.Weak:
		return fmt.Sprintf("%s %s not put off for ever (%s%s)%s.", labels, is, p.tried(kind, c.Labels, notion), p.inTLA("WF", c.Labels), p.likewise(c))
	case explain.Strong:
		return fmt.Sprintf("%s %s not put off for ever where possible again and again (%s%s)%s.", labels, is, p.tried(kind, c.Labels, notion), p.inTLA("SF", c.Labels), p.likewise(c))
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

// likewise lists assumptions as small as the one of a claim, and counts those that are too
// many.
func (p *prose) likewise(c claim.HoldsIf) string {
	shown := p.upTo(shownAssumptions, len(c.Others))
	named := len(c.Labels)
	if named > 1 && len(c.Others) > 1 && !p.full {
		shown = 0
	}
	var parts []string
	for _, a := range c.Others[:shown] {
		parts = append(parts, p.together(a.Labels))
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
		between = ", or " // their lists are kept apart
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

// together lists labels of one assumption.
func (p *prose) together(labels []string) string {
	shown := p.most(len(labels))
	quoted := make([]string, 0, shown+1)
	for _, l := range labels[:shown] {
		quoted = append(quoted, p.quote(l))
	}
	if more := len(labels) - shown; more > 0 {
		quoted = append(quoted, printable.Quantity(more, "other action"))
	}
	return join(quoted, "and")
}

// shownAssumptions is how many equally small assumptions a sentence lists besides the
// first one.
const shownAssumptions = 2

// others lists the equally small sets of tasks of a claim. Those of several labels have a
// preposition each, which keeps their lists apart.
func (p *prose) others(c claim.HoldsIf) string {
	once, each, place := "", "with ", "their"
	members := len(c.Tasks)
	if members == 1 {
		once, each, place = "with ", "", "its"
	}
	shown := p.upTo(shownAssumptions, len(c.Others))
	var parts []string
	for _, a := range c.Others[:shown] {
		parts = append(parts, each+p.together(a.Tasks))
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

// sets names sets of labels by their size.
func sets(size int) string {
	switch size {
	case 1:
		return "actions"
	case 2:
		return "pairs"
	}
	return fmt.Sprintf("sets of %d", size)
}

// oneSet is sets for a number of them.
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

// verdictUnder is the verdict where only some runs count.
func (p *prose) verdictUnder(c claim.Verdict) string {
	name, formula, runs := p.quote(p.e.Model.File), p.quote(p.e.Property.AsWritten()), p.counted(c.Under, "are")
	if within := p.bounded(); c.Satisfied && within != nil {
		// Where something is pending no run can stay, fair or not, unless it does not count at all.
		counted := ", fair or not"
		if p.excludes() {
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
	case c.Hopeless:
		return fmt.Sprintf("%s violates %s, also on runs %s%s.", name, formula, runs, p.because(c))
	}
	return fmt.Sprintf("%s violates %s, also on runs %s%s.", name, formula, runs, p.because(c))
}

// tableUnder is the verdict on a property without steps. Full fairness means almost all
// runs: whether an unfair run satisfies it is another matter.
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

// hasSteps reports whether the property is inevitability, and says which of its steps a run
// lacks.
func (p *prose) hasSteps() bool { return len(p.e.Property.Steps) > 0 }

// none is the subject of what holds of no run. What is said of steps holds of all runs where
// each finite run goes on as one that counts, which only labels that are to happen finitely
// often prevent; what is said of other properties holds of those that count.
func (p *prose) none() string {
	if p.e.Fairness == nil || len(p.e.Fairness.Asked) == 0 || p.hasSteps() && !p.excludes() {
		return "no run"
	}
	if p.fully() && !p.hasSteps() {
		return "almost no run"
	}
	return "no such run"
}

// fully reports whether full fairness is assumed: then the run that is told is one into a
// deadlock, where there is one, though another may come sooner to where the property is lost.
func (p *prose) fully() bool { return p.assumes(actl.FullFairness) }

// excludes reports whether some finite runs do not go on as one that counts.
func (p *prose) excludes() bool { return p.assumes(actl.Finitely) }

func (p *prose) assumes(kind actl.AssumptionKind) bool {
	return p.e.Fairness != nil && slices.ContainsFunc(p.e.Fairness.Asked, func(a explain.Asked) bool { return a.Kind == kind })
}

// counted says which runs count: "that are weakly fair to each action".
func (p *prose) counted(under []explain.Asked, are string) string {
	var fair, where, blocked []string
	for _, a := range under {
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
	if i := slices.Index(fair, "just"); i >= 0 && len(blocked) > 0 {
		fair[i] += " (" + join(blocked, "and") + " may be blocked)"
	}
	var all []string
	if len(fair) > 0 {
		all = append(all, "that "+are+" "+join(fair, "and"))
	}
	return join(append(all, where...), "and")
}

// doomed says what is lost at the end of a run.
func (p *prose) doomed(c claim.Doomed) string {
	can := make([]string, 0, len(c.Labels))
	for i, l := range c.Labels {
		if i == p.most(len(c.Labels)) {
			can = append(can, printable.Quantity(len(c.Labels)-i, "other action"))
			break
		}
		can = append(can, p.quote(l))
	}
	stays := fmt.Sprintf("it stays in %s, where only %s can happen", printable.Quantity(c.States, "state"), join(can, "and"))
	if !p.hasSteps() {
		return fmt.Sprintf("From there on %s satisfies the property: %s.", p.none(), stays)
	}
	return fmt.Sprintf("Whatever is done from there on, %s does %s: %s.", p.none(), p.stretch(c.First, c.Step), stays)
}
