package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// holdsIf is an assumption under which the property holds. It also has the alternatives: the other
// assumptions of the same kind, with equally many labels or tasks, under which the property holds.
type holdsIf struct {
	explain.Assumption
	others []explain.Assumption
	// more says that others may be incomplete.
	more bool
}

// assumptionClaims returns the assumptions under which the property holds, in this order: labels that happen only
// finitely often, and fairness of a few labels, the smaller set first; fairness of all labels, if few
// are not enough; justness and fair choices. If there are none, it returns the reason; if no run
// satisfies the property, it returns nothing. If the explanation assumes fairness already, it returns
// the part of the assumed fairness that is enough.
func assumptionClaims(e *explain.Explanation) []Claim {
	f := e.Fairness
	switch {
	case f == nil:
		return nil
	case f.Lacking != nil && f.Chain == nil:
		return lackingBelow(f.Lacking)
	case f.Lacking != nil && e.PartsRuns() && !f.Deadlock:
		return append(lackingBelow(f.Lacking), claimUnder(f, smallest(e, explain.Finitely))...)
	case f.Chain == nil:
		return enoughClaim(e)
	case !e.PartsRuns():
		return nil
	case f.Deadlock:
		return []Claim{fixedClaim("fairness_unhelpful", whyFairnessIsNoHelp(e))}
	}
	claims := rareAndFair(e)
	if f.Just == explain.Satisfied {
		claims = append(claims,
			fairnessClaim("What is possible happens, or is interfered with by what needs a common component (%s).", "just", "justness"))
	}
	isFull := slices.ContainsFunc(claims, func(c Claim) bool {
		return c.notion == "full"
	})
	for _, c := range claimUnder(f, smallest(e, explain.FairChoices)) {
		c.isDetail = isFull
		claims = append(claims, c)
	}
	if len(claims) == 0 {
		return whyNoAssumption(f)
	}
	return claims
}

// rareAndFair returns the claims about labels that happen only finitely often, and about weak or strong
// fairness, the smaller set first. A reader can judge whether one label happens finitely often, and hardly
// whether one of two does, so fairness comes before two such labels.
func rareAndFair(e *explain.Explanation) []Claim {
	fair := smallestFairness(e)
	rare := withoutRestating(e, smallest(e, explain.Finitely))
	fairClaims := claimUnder(e.Fairness, fair)
	if len(fair) == 0 {
		fairClaims = claimUnderNotion(e.Fairness)
	}
	rareClaims := claimUnder(e.Fairness, rare)
	isFairSmaller := len(fair) > 0 && size(fair) < size(rare)
	if isFairSmaller || size(rare) > 1 {
		return slices.Concat(fairClaims, rareClaims)
	}
	return slices.Concat(rareClaims, fairClaims)
}

// whyNoAssumption returns the reason for which no assumption is known that makes the property true.
func whyNoAssumption(f *explain.Fairness) []Claim {
	var claims []Claim
	if f.OutOfReach != nil {
		claims = append(claims, Claim{kind: "beyond_fairness", say: (*prose).beyondFairness})
	}
	if f.LimitReached {
		claims = append(claims,
			fixedClaim("search_stopped",
				"The search for assumptions that make it true stopped at its limit before it found one: there may be some."))
	}
	return claims
}

// withoutRestating leaves out the assumptions that merely deny what recurs, unless there are no others.
func withoutRestating(e *explain.Explanation, list []explain.Assumption) []explain.Assumption {
	isRestating := func(a explain.Assumption) bool {
		return restates(e.Diagnosis, &holdsIf{Assumption: a})
	}
	if !slices.ContainsFunc(list, func(a explain.Assumption) bool { return !isRestating(a) }) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), isRestating)
}

// mostAbove is the largest number of missing conjuncts that a report names before the steps.
const mostAbove = 2

// lackingAbove returns the claim about the fairness that a specification lacks, if it is short enough
// to be before the run.
func lackingAbove(e *explain.Explanation) []Claim {
	if e.Fairness == nil || e.Fairness.Lacking == nil {
		return nil
	}
	l := e.Fairness.Lacking
	if len(l.Conjuncts) == 0 || len(l.Conjuncts) > mostAbove {
		return nil
	}
	return []Claim{{kind: "lacking", say: func(p *prose) string { return p.lacking(l) }}}
}

// lackingBelow returns the claim about the fairness that a specification lacks, among the remedies. If
// lackingAbove has said that it is enough, the claim says only what to add.
func lackingBelow(l *explain.LackingFairness) []Claim {
	switch {
	case len(l.Conjuncts) > mostAbove:
		return []Claim{{kind: "lacking", say: func(p *prose) string { return p.lacking(l) }}}
	case len(l.Conjuncts) > 0:
		return []Claim{{kind: addedFairness, say: func(p *prose) string { return p.addition(l) }}}
	case l.AlmostSurely:
		return []Claim{fairnessClaim("It holds with probability 1, whatever the probabilities (%s); no fairness of the actions in Next that were tried is enough.", "full", "full fairness")}
	}
	return []Claim{fixedClaim("lacking_unhelpful",
		"No WF or SF of the specification's actions makes it hold.")}
}

// addedFairness is the kind of the claim that names fairness to add to a specification.
const addedFairness = "added_fairness"

// addition says what to add to a specification, as the other remedies say what to forbid.
func (p *prose) addition(l *explain.LackingFairness) string {
	added := printable.List(p.quoted(l.Conjuncts), "and")
	if l.Specification != "" {
		return fmt.Sprintf("Add %s to %s%s.", added, p.quote(l.Specification), p.inPlusCal(l))
	}
	return fmt.Sprintf("Add %s%s to a SPECIFICATION that takes the place of INIT and NEXT.", added, p.inPlusCal(l))
}

// lacking says what to add to a specification.
func (p *prose) lacking(l *explain.LackingFairness) string {
	added := printable.List(p.quoted(l.Conjuncts), "and")
	isStrong := func(c string) bool { return strings.Contains(c, "SF_") }
	why := ""
	if len(l.Conjuncts) == 1 && isStrong(l.Conjuncts[0]) {
		why = ", for WF is not enough"
	}
	inPlusCal := p.inPlusCal(l)
	if l.Specification != "" {
		return fmt.Sprintf("It holds if %s also has %s%s%s.", p.quote(l.Specification), added,
			why, inPlusCal)
	}
	whole := strings.Join(append([]string{l.Formula}, l.Conjuncts...), ` /\ `)
	return fmt.Sprintf("It holds with %s%s%s: SPECIFICATION Spec in place of INIT and NEXT, and Spec == %s.", added, why, inPlusCal, p.quote(whole))
}

// inPlusCal says how a PlusCal algorithm has the fairness to add; "" if there is none.
func (p *prose) inPlusCal(l *explain.LackingFairness) string {
	if l.PlusCal == "" {
		return ""
	}
	return fmt.Sprintf(" (in PlusCal: %s)", p.quote(l.PlusCal))
}

// smallestFairness returns the smallest sets of labels for which weak fairness is enough. If there are none, or
// they are too large, it returns those for which strong fairness is enough; nil if these are too large
// as well.
func smallestFairness(e *explain.Explanation) []explain.Assumption {
	fair := smallest(e, explain.Weak)
	n := size(fair)
	if n == 0 || n > mostFair {
		fair = smallest(e, explain.Strong)
	}
	if size(fair) > mostFair {
		return nil
	}
	return fair
}

// claimUnder returns the claim that the property holds under the first of some assumptions, and also
// under the others; nil without assumptions.
func claimUnder(f *explain.Fairness, list []explain.Assumption) []Claim {
	if len(list) == 0 {
		return nil
	}
	h := holdsIf{list[0], list[1:], slices.Contains(f.Cut, list[0].Kind)}
	return []Claim{{kind: "holds_if", assumed: &h, say: func(p *prose) string { return p.holdsIf(h) }}}
}

// claimUnderNotion returns the claim that the property holds under the weakest notion of fairness of all
// actions that is enough; nil if none is.
func claimUnderNotion(f *explain.Fairness) []Claim {
	switch {
	case f.Chain.Weak == explain.Satisfied:
		return []Claim{fairnessClaim("Every action that stays enabled is eventually taken (%s).",
			"weak", "weak fairness of each action")}
	case f.Chain.Strong == explain.Satisfied:
		return []Claim{strongClaim("; weak fairness of each action is not enough")}
	case f.Chain.Full == explain.Satisfied:
		return []Claim{fullClaim()}
	}
	return nil
}

// whyFairnessIsNoHelp says why no fairness makes the property true: a run that ends violates it.
func whyFairnessIsNoHelp(e *explain.Explanation) string {
	fairness := "Fairness does not help: "
	if helpsTogether(e.Repair) {
		fairness = "Fairness alone does not help: "
	}
	switch e.Counterexample.Kind {
	case counterexample.Prefix:
		return fairness + "every run that begins like this violates the property."
	case counterexample.Deadlock:
		return fairness + "the run ends."
	}
	return "Fairness alone does not help: a run that ends in a deadlock violates the property."
}

// helpsTogether reports whether fairness makes the property true together with what a repair forbids.
// It also returns true if that is not known to be false.
func helpsTogether(r *explain.Repair) bool {
	switch {
	case r == nil:
		return true
	case r.OnlyTriggers != nil:
		return r.OnlyTriggers.Supervisor != nil && len(r.OnlyTriggers.Supervisor.NotForEver) > 0
	}
	return len(r.NotForEver) > 0
}

// fairnessClaim returns the claim that the property holds under a notion of fairness. The sentence gives the
// flag for the notion or, if there is no flag, its name.
func fairnessClaim(sentence, flag, name string) Claim {
	return Claim{
		kind:   "fairness",
		notion: flag,
		say: func(p *prose) string {
			return fmt.Sprintf(sentence, p.assumeFlag(flag, nil, name))
		},
	}
}

// enoughClaim returns the smallest sets of assumed tasks under which the property holds; nothing if these
// sets are unknown.
func enoughClaim(e *explain.Explanation) []Claim {
	f := e.Fairness
	if f == nil || len(f.Assumptions) == 0 {
		return strongerClaim(e)
	}
	if len(f.Assumptions[0].Tasks) == 0 && holdsUnfairly(e) && len(assumedBy(e)) == 0 {
		return nil // the verdict says so
	}
	list := f.Assumptions
	for i, a := range list {
		if len(a.Tasks) > len(list[0].Tasks) {
			list = list[:i]
			break
		}
	}
	h := holdsIf{list[0], list[1:], len(f.Cut) > 0}
	all := len(h.Tasks) > 1 && len(h.Tasks) == f.Tasks
	claim := Claim{kind: "enough", say: func(p *prose) string { return p.whichIsEnough(h, all) }}
	if e.Verdict != explain.Satisfied && areLabels(e, h.Tasks) {
		claim.assumed = &holdsIf{Assumption: explain.Assumption{Kind: h.Assumption.Kind, Labels: h.Tasks}}
	}
	return []Claim{claim}
}

// areLabels reports whether the names of all tasks are labels of the model.
func areLabels(e *explain.Explanation, tasks []string) bool {
	return !slices.ContainsFunc(tasks, func(task string) bool {
		_, isLabel := e.LTS().Alphabet().Lookup(task)
		return !isLabel
	})
}

// strongerClaim returns the claim that a stronger notion of fairness than the assumptions makes the
// property true; nil if none is known.
func strongerClaim(e *explain.Explanation) []Claim {
	if e.Fairness == nil {
		return nil
	}
	switch e.Fairness.Stronger {
	case "strong":
		return []Claim{strongClaim("")}
	case "full":
		return []Claim{fullClaim()}
	}
	return nil
}

// strongClaim returns the claim that the property holds under strong fairness of all actions. A
// remark, unless it is "", follows.
func strongClaim(remark string) Claim {
	return fairnessClaim("Every action that is enabled infinitely often is eventually taken (%s)"+remark+".", "strong", "strong fairness of each action")
}

// fullClaim returns the claim that the property holds under full fairness, and under no fairness of
// actions.
func fullClaim() Claim {
	return fairnessClaim("It holds with probability 1, whatever the probabilities (%s); no fairness of single actions is enough.", "full", "full fairness")
}

// size returns the number of labels and states of the first assumption; 0 if there is none. The others
// have the same size.
func size(list []explain.Assumption) int {
	if len(list) == 0 {
		return 0
	}
	return len(list[0].Labels) + len(list[0].States)
}

// smallest returns the smallest assumptions of a kind. Assumptions about a label that takes a step of
// the property come last.
func smallest(e *explain.Explanation, kind explain.AssumptionKind) []explain.Assumption {
	var first, last []explain.Assumption
	least := 0
	for _, a := range e.Fairness.Assumptions {
		if a.Kind != kind {
			continue
		}
		n := size([]explain.Assumption{a})
		if least == 0 {
			least = n
		}
		isTarget := func(s explain.PropertyStep) bool {
			return slices.Contains(s.Labels, a.Labels[0])
		}
		switch {
		case n > least:
		case len(a.Labels) == 1 && slices.ContainsFunc(e.Property.Steps, isTarget):
			last = append(last, a)
		default:
			first = append(first, a)
		}
	}
	return append(first, last...)
}

// mostFair is the largest number of labels whose fairness is reported. If more labels are needed,
// fairness of all labels is reported.
const mostFair = 2

// assumeFlag returns an assumption as the flag for assumptions takes it, with a label pattern for each
// label. If there is no such flag, or if the text is not printable or too long, it returns the given
// notion instead.
func (p *prose) assumeFlag(kind string, labels []string, notion string) string {
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

// inTLA returns fairness of labels in the syntax of TLA+. It returns "" if the model does not come from
// TLA+, if a label is not written as an action, or if some transition with a label is a stuttering
// step, to which fairness in TLA+ does not apply.
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
var isAction = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z]\w*(?:\([\w, "]*\))?$`)
})

// longestTried is the largest length, in bytes, of an assumption that a sentence quotes for the
// reader to try.
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

// beyondFairness says from which state on a run violates the property even though it is fair.
func (p *prose) beyondFairness() string {
	o := p.e.Fairness.OutOfReach
	switch {
	case o.Step == 0 && o.Steps == 0:
		return "Fairness alone does not help: a run satisfies the property with probability 0, whatever the probabilities."
	case o.Step == 0 && p.brief:
		return fmt.Sprintf("Fairness alone does not help: a run can come to state %d in such a way that it satisfies the property with probability 0.", o.State)
	case o.Step == 0:
		return fmt.Sprintf("Fairness alone does not help: a run can come to state %d in such a way that from there on it satisfies the property with probability 0, whatever the probabilities.", o.State)
	}
	gone := p.stepSequence(o.Progress+1, o.Step)
	switch {
	case o.Steps == 0:
		return fmt.Sprintf("Fairness alone does not help: no run does %s.", gone)
	case o.Progress+1 == o.Step:
		return fmt.Sprintf("Fairness alone does not help: a run can come to state %d, from where %s can no longer happen.", o.State, gone)
	}
	return fmt.Sprintf("Fairness alone does not help: a run can come to state %d, from where it can no longer do %s.", o.State, gone)
}

// inSpec rewrites assumed tasks into the fairness conditions of the specification: SF for each WF
// that is not enough. It returns false if some task does not come from the specification.
func (p *prose) inSpec(h holdsIf) (holdsIf, bool) {
	isWritten := func(task string) bool {
		return slices.ContainsFunc(p.e.Fairness.Asked, func(a explain.Asked) bool {
			return a.Written == task
		})
	}
	rewritten := func(a explain.Assumption) explain.Assumption {
		a.Tasks = slices.Clone(a.Tasks)
		for i, task := range a.Tasks {
			suffix, isWeak := strings.CutPrefix(task, "WF")
			if isWeak && p.e.Verdict != explain.Satisfied {
				a.Tasks[i] = "SF" + suffix
			}
		}
		return a
	}
	isFromSpec := len(h.Tasks) > 0
	for _, task := range h.Tasks {
		isFromSpec = isFromSpec && isWritten(task)
	}
	others := make([]explain.Assumption, len(h.others))
	for i, a := range h.others {
		others[i] = rewritten(a)
	}
	return holdsIf{rewritten(h.Assumption), others, h.more}, isFromSpec
}

// whichIsEnough says which of the assumed tasks are enough, or which need strong fairness. all reports whether
// h has all assumed tasks, and there are at least two.
func (p *prose) whichIsEnough(h holdsIf, all bool) string {
	kind := h.Assumption.Kind.String()
	satisfied := p.e.Verdict == explain.Satisfied
	beside := p.besideAssumed()
	if spec, isFromSpec := p.inSpec(h); isFromSpec && !satisfied {
		return fmt.Sprintf("It holds with %s, not WF, in the specification%s.",
			p.labelList(spec.Tasks, "and"), p.otherTasks(spec))
	} else if isFromSpec && !all {
		verb := "is"
		if len(spec.Tasks) > 1 {
			verb = "are"
		}
		return fmt.Sprintf("Of what the specification assumes, %s %s enough%s%s.",
			p.labelList(spec.Tasks, "and"), verb, beside, p.otherTasks(spec))
	}
	switch {
	case len(h.Tasks) == 0 && beside != "":
		return fmt.Sprintf("No assumption is needed%s.", beside)
	case len(h.Tasks) == 0:
		return "No assumption is needed: it holds on every run."
	case satisfied && all && beside != "":
		return fmt.Sprintf("All the others are needed%s: %s fairness to fewer of them is not enough.", beside, kind)
	case satisfied && all:
		return fmt.Sprintf("All are needed: %s fairness to fewer of them is not enough.", kind)
	case satisfied:
		return fmt.Sprintf("Of what was assumed, %s fairness to %s is enough%s%s.", kind,
			p.labelList(h.Tasks, "and"), beside, p.otherTasks(h))
	case all:
		return fmt.Sprintf("It holds on every run that is %sly fair to all of them; fairness to fewer of them is not enough.", kind)
	}
	return fmt.Sprintf("It holds on every run that is also %sly fair to %s%s%s.", kind,
		p.labelList(h.Tasks, "and"), p.flagToAdd(h), p.otherTasks(h))
}

// flagToAdd returns, in parentheses, the flag that adds fairness of tasks to the assumptions; "" if some
// task is no label, or if there is no such flag.
func (p *prose) flagToAdd(h holdsIf) string {
	if !areLabels(p.e, h.Tasks) {
		return ""
	}
	flag := p.assumeFlag(h.Assumption.Kind.String(), h.Tasks, "")
	if flag == "" {
		return ""
	}
	return " (also " + flag + ")"
}

// besideAssumed names the conditions that the formula assumes, as in " beside WF_v(A)"; "" if there are none.
func (p *prose) besideAssumed() string {
	conditions := assumedBy(p.e)
	if len(conditions) == 0 {
		return ""
	}
	return " beside " + listed(p, conditions, p.quote, "other condition", "and")
}

// holdsIf states an assumption as a fact about runs, with the flag that makes it: the property holds if
// the assumption does.
func (p *prose) holdsIf(c holdsIf) string {
	if c.Assumption.Kind == explain.FairChoices {
		return fmt.Sprintf("%s %s fair: %s.", capital(p.choicesIn(c.States)), be(len(c.States)),
			p.meaningOfFair(c.States, "every transition"))
	}
	kind := c.Assumption.Kind.String()
	labels := p.labelList(c.Labels, "and")
	happens := "happens"
	each := labels
	notion := kind + " fairness of this action"
	if len(c.Labels) > 1 {
		happens = "happen"
		each = "Each of " + labels
		notion = kind + " fairness of these actions"
	}
	switch c.Assumption.Kind {
	case explain.Weak:
		return fmt.Sprintf("%s is eventually taken once it stays enabled (%s%s)%s.", each,
			p.assumeFlag(kind, c.Labels, notion), p.inTLA("WF", c.Labels), p.otherLabels(c))
	case explain.Strong:
		return fmt.Sprintf("%s is eventually taken if it is enabled infinitely often (%s%s)%s.",
			each, p.assumeFlag(kind, c.Labels, notion), p.inTLA("SF", c.Labels), p.otherLabels(c))
	}
	// The remaining kind is explain.Finitely.
	flag := p.assumeFlag(kind, c.Labels, "")
	if flag != "" {
		flag = " (" + flag + ")"
	}
	return fmt.Sprintf("%s %s finitely often%s%s.", labels, happens, flag, p.otherLabels(c))
}

// otherLabels lists other assumptions of the same kind and size. It counts those beyond the limit.
func (p *prose) otherLabels(c holdsIf) string {
	shown := p.numNamedUpTo(shownAssumptions, len(c.others))
	named := len(c.Labels)
	isOneOfMany := named > 1 && len(c.others) > 1
	if (isOneOfMany || p.brief && named == 1) && !p.full {
		shown = 0
	}
	var parts []string
	for _, a := range c.others[:shown] {
		parts = append(parts, p.labelList(a.Labels, "and"))
	}
	hidden := len(c.others) - shown
	if hidden > 0 {
		others := fmt.Sprintf("%d more", hidden)
		switch {
		case shown == 0 && named == 2:
			others = printable.Quantity(hidden, "other pair")
		case shown == 0 && named > 2:
			others = fmt.Sprintf("%s of %d", printable.Quantity(hidden, "other set"), named)
		}
		if c.more {
			others = "at least " + others
		}
		if named == 1 && shown > 0 {
			parts[shown-1] += " and " + others
		} else {
			parts = append(parts, others)
		}
	}
	between := ", "
	if len(c.Labels) > 1 {
		between = ", or " // the items are lists of labels, which commas separate
	}
	text := ""
	if len(parts) > 0 {
		text = "; likewise " + strings.Join(parts, between)
	}
	if c.more && shown == len(c.others) {
		text += "; there may be others"
	}
	return text
}

// shownAssumptions is the largest number of alternatives that a sentence lists: other assumptions of the
// same kind, with equally many labels or tasks, under which the property holds.
const shownAssumptions = 2

// otherTasks lists other sets of equally many tasks that suffice instead. A preposition precedes each set, so that the
// reader sees where a set of several labels begins.
func (p *prose) otherTasks(c holdsIf) string {
	beforeAll := ""
	beforeEach := "with "
	place := "their"
	members := len(c.Tasks)
	if members == 1 {
		beforeAll = "with "
		beforeEach = ""
		place = "its"
	}
	shown := p.numNamedUpTo(shownAssumptions, len(c.others))
	var parts []string
	for _, a := range c.others[:shown] {
		parts = append(parts, beforeEach+p.labelList(a.Tasks, "and"))
	}
	hidden := len(c.others) - shown
	switch {
	case hidden > 0 && c.more:
		parts = append(parts,
			fmt.Sprintf("%sat least %d other %s", beforeEach, hidden, sets(members)))
	case hidden > 0:
		parts = append(parts, fmt.Sprintf("%s%d other %s", beforeEach, hidden, sets(members)))
	}
	text := ""
	if len(parts) > 0 {
		text = fmt.Sprintf("; likewise %s%s in %s place", beforeAll, printable.List(parts, "or"),
			place)
	}
	if c.more && shown == len(c.others) {
		text += "; there may be others"
	}
	return text
}

// sets returns the noun for several sets of the given size.
func sets(size int) string {
	switch size {
	case 1:
		return "actions"
	case 2:
		return "pairs"
	}
	return fmt.Sprintf("sets of %d", size)
}

// verdict returns the sentence that the property holds or fails, on all runs or on the runs that
// satisfy the assumptions.
func (p *prose) verdict() string {
	name := p.quote(p.e.Model.File)
	formula := p.quote(p.e.Property.AsWritten())
	bounds := knownBounds(p.e)
	scope := p.scopeOfVerdict(bounds)
	switch {
	case p.e.Verdict != explain.Satisfied && p.isOnlyIdle():
		return fmt.Sprintf("%s violates %s only by doing nothing forever: %s.", name, formula,
			p.holdsWithChanges())
	case p.e.Verdict != explain.Satisfied:
		return fmt.Sprintf("%s violates %s%s%s.", name, formula, scope.ifViolated, p.because())
	}
	reason := ""
	switch {
	case bounds != nil:
		reason = ": " + p.within()
	case p.hasSteps() && len(asked(p.e)) > 0:
		reason = ": each does " + p.requirement()
	case p.hasSteps():
		reason = ": every run does " + p.requirement()
	}
	return fmt.Sprintf("%s satisfies %s%s%s.", name, formula, scope.ifSatisfied, reason)
}

// Scope says on which runs a property holds or fails under assumptions, without the reason; "" without
// assumptions.
func (s *Sentences) Scope() string {
	p := s.p
	scope := p.scopeOfVerdict(knownBounds(p.e))
	switch {
	case len(asked(p.e)) == 0:
		return ""
	case p.e.Verdict == explain.Satisfied:
		return fmt.Sprintf("It holds%s.", scope.ifSatisfied)
	case p.isOnlyIdle():
		return fmt.Sprintf("It fails only by doing nothing forever: %s.", p.holdsWithChanges())
	}
	return fmt.Sprintf("It fails%s.", scope.ifViolated)
}

// verdictScope says on which runs a property that holds is satisfied, and on which runs a property that
// fails is violated. Both texts follow the formula.
type verdictScope struct{ ifSatisfied, ifViolated string }

// scopeOfVerdict returns the runs that a verdict is about; nothing without assumptions. bounds are the
// known bounds of the property.
func (p *prose) scopeOfVerdict(bounds []explain.Bound) verdictScope {
	assumptions := asked(p.e)
	switch {
	case len(assumptions) == 0:
		return verdictScope{}
	case holdsUnfairly(p.e) && len(assumedBy(p.e)) == 0:
		return verdictScope{ifSatisfied: " on every run, fair or not"}
	case bounds != nil || p.hasSteps() || !p.fully():
		return verdictScope{
			ifSatisfied: " on every run " + p.assumptionClause(assumptions, "is"),
			ifViolated:  ", also on runs " + p.assumptionClause(assumptions, "are"),
		}
	}
	// Under full fairness, the verdict is about almost all runs; an unfair run may differ.
	scope := verdictScope{
		ifSatisfied: " with probability 1, whatever the probabilities",
		ifViolated:  " with positive probability, whatever the probabilities",
	}
	others := slices.DeleteFunc(slices.Clone(assumptions), func(a explain.Asked) bool {
		return a.Kind == actl.FullFairness
	})
	if len(others) > 0 {
		scope.ifSatisfied += ", on runs " + p.assumptionClause(others, "are")
		scope.ifViolated += ", also on runs " + p.assumptionClause(others, "are")
	}
	return scope
}

// holdsUnfairly reports whether the property is known to hold on unfair runs, too: if all steps are
// counted, the bounds are those of fair and unfair runs alike. Only an assumption "finitely" excludes runs.
func holdsUnfairly(e *explain.Explanation) bool {
	bounds := knownBounds(e)
	countsAllSteps := bounds != nil && bounds[0].ApartFrom == ""
	return countsAllSteps && !assumes(e, actl.Finitely)
}

// isOnlyIdle reports whether each violating run ends with an endless series of steps that change
// nothing, although other steps are possible.
func (p *prose) isOnlyIdle() bool {
	c := p.e.Counterexample
	return c != nil && c.Idle != nil && c.Idle.Only
}

// holdsWithChanges says that the property holds if steps that change something are taken.
func (p *prose) holdsWithChanges() string {
	assumed := "the other steps are eventually taken"
	if p.commands.Variables != "" {
		assumed = "the next-state action is weakly fair"
	}
	if p.commands.Assume == "" {
		return "it holds if " + assumed
	}
	try := p.commands.Assume + " " + printable.ShellWord(explain.Changes)
	if p.commands.Specification != "" {
		try += "; " + p.commands.Specification + " asks under the fairness of the specification"
	}
	return "it holds if " + assumed + " (" + try + ")"
}

// hasSteps reports whether the property is inevitability. Only then are there steps that a run can
// lack.
func (p *prose) hasSteps() bool { return len(p.e.Property.Steps) > 0 }

// none returns the subject of a sentence that denies something of all runs: "no run", or "no such
// run" if the sentence is only about runs that satisfy the assumptions. If no fair run takes some
// steps, then no run takes them, since each finite run can be continued to a fair one. An
// assumption "finitely" is an exception: it can exclude all continuations of a finite run.
func (p *prose) none() string {
	isAboutAllRuns := len(asked(p.e)) == 0 || p.hasSteps() && !p.excludes()
	if isAboutAllRuns {
		return "no run"
	}
	if p.fully() && !p.hasSteps() {
		return "almost no run"
	}
	return "no such run"
}

// fully reports whether full fairness is assumed. Then the counterexample ends in a deadlock if any
// violating run does, even if another run loses the property earlier.
func (p *prose) fully() bool { return assumes(p.e, actl.FullFairness) }

// excludes reports whether some finite runs may have no continuation that satisfies the
// assumptions.
func (p *prose) excludes() bool { return assumes(p.e, actl.Finitely) }

// assumes reports whether an assumption of this kind restricts the runs that count.
func assumes(e *explain.Explanation, kind actl.AssumptionKind) bool {
	return slices.ContainsFunc(asked(e), func(a explain.Asked) bool {
		return a.Kind == kind
	})
}

// asked returns the assumptions, with those that the formula makes. Only runs that satisfy all of them
// count; without assumptions, all runs do.
func asked(e *explain.Explanation) []explain.Asked {
	var all []explain.Asked
	if e.Fairness != nil {
		all = slices.Clone(e.Fairness.Asked)
	}
	for _, condition := range assumedBy(e) {
		all = append(all, explain.Asked{Written: condition})
	}
	return all
}

// assumedBy returns the conditions of a specification that the formula assumes: those that no set of
// transitions expresses.
func assumedBy(e *explain.Explanation) []string {
	assuming, can := e.Formula().(interface{ Assumed() []string })
	if !can {
		return nil
	}
	return assuming.Assumed()
}

// assumptionClause says which runs satisfy assumptions, as in "that are weakly fair to each action". The
// verb is "is" or "are".
func (p *prose) assumptionClause(assumptions []explain.Asked, verb string) string {
	var fair, others, blocked, written []string
	for _, a := range assumptions {
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
			others = append(others, "on which "+tasks+" happens finitely often")
		}
	}
	if len(written) > 0 {
		areFairness := !slices.ContainsFunc(written, func(text string) bool {
			return !strings.Contains(text, "WF_") && !strings.Contains(text, "SF_")
		})
		as := "as the specification says ("
		if areFairness {
			as = "fair " + as
		}
		fair = append(fair, as+listed(p, written, p.quote, "other assumption", "and")+")")
	}
	just := slices.Index(fair, "just")
	if just >= 0 && len(blocked) > 0 {
		fair[just] += " (" + printable.List(blocked, "and") + " may be blocked)"
	}
	var clauses []string
	if len(fair) > 0 {
		clauses = append(clauses, "that "+verb+" "+printable.List(fair, "and"))
	}
	return printable.List(append(clauses, others...), "and")
}
