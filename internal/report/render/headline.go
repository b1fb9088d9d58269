package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// because returns the diagnosis in the form that follows a verdict; "" if there is none. Without a counterexample, the
// explanation was stopped before anything but the verdict was known.
func (p *prose) because() string {
	switch {
	case p.e.Diagnosis != nil:
		return ": " + p.diagnosis()
	case p.e.Counterexample != nil && !p.e.PartsRuns():
		return ": " + p.none() + " satisfies " + p.propertyAsWord()
	}
	return ""
}

// propertyAsWord returns "it" after a verdict, which names the property, and "the property" elsewhere.
func (p *prose) propertyAsWord() string {
	if p.standsAlone {
		return "the property"
	}
	return "it"
}

// diagnosed returns the diagnosis as a sentence that is understood without the verdict. The sentence
// begins with a capital letter, unless it begins with a label.
func (p *prose) diagnosed() string {
	alone := *p
	alone.standsAlone = true
	return p.beginning(p.e.Diagnosis, alone.diagnosis()+".")
}

// beginning returns a sentence of a diagnosis with a capital letter at its beginning, unless it begins
// with a label.
func (p *prose) beginning(d *explain.Diagnosis, sentence string) string {
	startsWithWord := false
	switch d.Kind {
	case explain.KindImpossible, explain.KindLost, explain.KindStops:
		startsWithWord = true
	case explain.KindStarved:
		startsWithWord = !d.Alike
	case explain.KindTurnedBack:
		startsWithWord = d.Awaited != "" && (d.Lacks == "" || len(d.Pending) > 0)
	}
	startsWithCount := strings.HasPrefix(sentence, "one of ") || strings.HasPrefix(sentence, "none of ")
	if startsWithWord || startsWithCount {
		return capital(sentence)
	}
	return sentence
}

// diagnosis returns the reason why the run violates the property, without a full stop. It is in the
// form that follows a verdict.
func (p *prose) diagnosis() string {
	text := p.cause(p.e.Diagnosis)
	if !p.e.Diagnosis.Livelock {
		return text
	}
	internal := "only internal actions happen"
	loop := p.e.Counterexample.LoopStart
	if loop > 0 {
		internal = fmt.Sprintf("from step %d on %s", int(loop)+1, internal)
	}
	return text + "; " + internal
}

// cause returns the reason without the actions on the loop.
func (p *prose) cause(d *explain.Diagnosis) string {
	switch d.Kind {
	case explain.KindImpossible:
		return p.impossible(d)
	case explain.KindForbidden:
		return p.forbidden(d)
	case explain.KindLost:
		return p.lostAfter(d)
	case explain.KindStops:
		return p.stops(d)
	case explain.KindRecurs:
		return p.recurs(d)
	case explain.KindStarved:
		return p.starved(d)
	}
	return p.turnedBack(d)
}

// impossible says that no run satisfies the property, and why.
func (p *prose) impossible(d *explain.Diagnosis) string {
	if stopsAtOnce(p.e) {
		return "the run stops in the initial state, where nothing can happen"
	}
	text := p.none() + " satisfies " + p.propertyAsWord()
	if d.Values != nil && d.Step != nil {
		return text + "; on this one " + p.forbidden(d)
	}
	reason := cmp.Or(p.impossibleSince(d), p.neverInModel())
	switch {
	case reason != "":
		return text + ", since " + reason
	case d.Step != nil:
		return text + "; on this one " + p.forbidden(d)
	}
	return text
}

// neverInModel says what the model lacks if no run satisfies a formula of one of two forms: of F (A && X B), that
// A is never followed at once by B; of G F A, that no loop has A. It returns "" for other formulas.
func (p *prose) neverInModel() string {
	f, isLTL := p.e.Formula().(*ltl.Formula)
	isAboutAllRuns := p.e.Fairness == nil || len(p.e.Fairness.Asked) == 0
	if !isLTL || !isAboutAllRuns {
		return ""
	}
	if recurring := f.Recurring(); recurring != "" {
		return "no loop that runs reach has " + p.pattern(recurring)
	}
	first, next := f.Successive()
	if first == "" {
		return ""
	}
	return fmt.Sprintf("%s is never followed at once by %s", p.pattern(first), p.pattern(next))
}

// impossibleSince returns the reason why no run satisfies the property; "" if none is known.
func (p *prose) impossibleSince(d *explain.Diagnosis) string {
	endsAlways := d.AllEnd && !mayRefuse(p.e)
	switch {
	case d.Values != nil:
		return p.valuesHold(d.Values.After) + " at the start"
	case d.Awaited != "" && d.Unreachable:
		return "no state has " + p.quote(d.Awaited)
	case d.First == 0 && d.Unreachable:
		return happensNowhere(p.pendingStep(d))
	case endsAlways && len(p.e.Counterexample.Steps) == 0:
		return "nothing can happen"
	case endsAlways:
		return "each run ends in a deadlock"
	case len(d.Begins) > 0:
		return "each run begins with " + p.shortLabelList(d.Begins, "or")
	case d.First == 0:
		return ""
	case d.Unreachable:
		return happensNowhere(p.nextStep(d.Last))
	}
	return "none does " + p.stepSequence(d.First, d.Last)
}

// lostAfter names the step after which the property can no longer be satisfied.
func (p *prose) lostAfter(d *explain.Diagnosis) string {
	number := *d.Step + 1
	step := p.e.Counterexample.Steps[*d.Step]
	switch {
	case d.TooEarly && !p.excludes() && d.Called == nil:
		// This is the last possible occurrence of a step, but the step is needed again later.
		return fmt.Sprintf("step %d is the last %s that can happen, and %s is still missing then", number, p.step(d.Last), p.nextStep(d.First))
	case d.TooEarly && !p.excludes():
		call := p.e.Counterexample.Steps[*d.Called]
		return fmt.Sprintf("step %d is the last %s that can happen, and %s comes after it (step %d)",
			number, p.labelText(d.Pending[0]), p.labelText(call.Label), *d.Called+1)
	case d.Gone != nil && d.Asks:
		return fmt.Sprintf("step %d (%s) asks for %s, which %s %s", number, p.labelText(step.Label),
			p.pendingStep(d), p.cannotHappen(d), p.after(*d.Gone))
	case d.Gone != nil:
		return fmt.Sprintf("%s %s satisfies %s any more: %s %s %s", p.afterClause(*d.Step), p.none(),
			p.propertyAsWord(), p.pendingStep(d), p.cannotHappen(d), p.after(*d.Gone))
	case d.MayEndBefore && !mayRefuse(p.e):
		return p.afterClause(*d.Step) + " the run must not end, and each run ends in a deadlock"
	}
	return p.afterClause(*d.Step) + " " + p.noLonger(d)
}

// cannotHappen says that what the run waits for can no longer happen.
func (p *prose) cannotHappen(d *explain.Diagnosis) string {
	if d.Awaited != "" {
		return "can no longer be reached"
	}
	return "can no longer happen"
}

// afterClause begins a sentence about the run after a step.
func (p *prose) afterClause(step explain.StepIndex) string {
	if p.e.LTS().IsBefore(p.e.Counterexample.Steps[step].From) {
		return p.after(step) + ","
	}
	return p.after(step)
}

// after names the moment after a step of the run. If the step only chooses the initial state, it names
// this state.
func (p *prose) after(step explain.StepIndex) string {
	s := p.e.Counterexample.Steps[step]
	if p.e.LTS().IsBefore(s.From) {
		return fmt.Sprintf("from state %s, where the run begins", p.e.Name(s.To))
	}
	return fmt.Sprintf("after step %d (%s)", int(step)+1, p.labelText(s.Label))
}

// stops says where the run stops.
func (p *prose) stops(d *explain.Diagnosis) string {
	c := p.e.Counterexample
	text := fmt.Sprintf("the run stops in state %s", p.e.Name(p.last(c)))
	if len(d.Pending) > 0 || d.Lacks != "" {
		text += " before " + p.pendingStep(d)
	}
	if len(c.Refused) > 0 {
		text += ": " + refused(c, p.quote)
	}
	if d.Unavoidable != nil {
		text += "; " + p.afterClause(*d.Unavoidable) + " each run ends in a deadlock"
	}
	return text
}

// recurs names what happens again and again.
func (p *prose) recurs(d *explain.Diagnosis) string {
	switch {
	case d.Values != nil:
		return p.valuesHold(d.Values.After) + " again and again"
	case len(d.Recurring) == 1:
		return p.labelText(d.Recurring[0]) + " happens again and again"
	}
	return p.shortLabelList(d.Recurring, "and") + " happen again and again"
}

// starved says where on the loop the run could make progress, and what it takes instead.
func (p *prose) starved(d *explain.Diagnosis) string {
	where := p.placesOnLoop(d)
	if !d.Alike {
		return fmt.Sprintf("in %s %s would make progress, and the run takes something else",
			where, p.pendingStep(d))
	}
	if d.Awaited != "" {
		return fmt.Sprintf("a step to %s is possible in %s, and never taken", p.pendingStep(d),
			where)
	}
	text := fmt.Sprintf("%s is possible in %s, and %s", p.pendingStep(d), where, p.takenInstead(d))
	if d.Inactive != "" {
		text += ": " + p.owner(d.Inactive) + " never moves again"
	}
	return text
}

// takenInstead says what the run takes on its loop where what it waits for is possible.
func (p *prose) takenInstead(d *explain.Diagnosis) string {
	isEverywhere := d.PossibleIn == d.Of
	switch {
	case len(d.Taken) > 2 || isEverywhere && len(d.Taken) > 1:
		return "never taken"
	case d.Of == 1:
		return p.shortLabelList(d.Taken, "or") + " is taken instead"
	}
	return p.shortLabelList(d.Taken, "or") + " is taken each time"
}

// forbidden describes the step that violates the property, whatever follows. It names the values
// after the step, or the action.
func (p *prose) forbidden(d *explain.Diagnosis) string {
	step := int(*d.Step)
	s := p.e.Counterexample.Steps[step]
	words := d.After
	if s.Pending != nil && d.Consequent == "" {
		words = s.Pending.Words
	}
	happens := fmt.Sprintf(" happens (step %d)", step+1)
	i := slices.IndexFunc(words, func(w property.Word) bool {
		return w.Kind == property.Happened
	})
	if i < 0 {
		sentence := p.labelText(s.Label) + happens
		if d.Consequent == "" {
			sentence += ", and nothing that follows can make up for it"
		}
		return p.byValues(d, sentence, nil, nil)
	}
	subject := words[:i]
	circumstances := words[i+1:]
	if d.InScope != nil {
		return p.forbiddenInScope(d, subject, circumstances)
	}
	others := circumstances // those that the text does not name yet
	var text string
	switch {
	case p.isUnlisted(subject) && len(circumstances) == 0:
		return p.labelText(s.Label) + happens + ", " + p.differsFrom(subject[1].Text)
	case p.isUnlisted(subject):
		text = p.unlisted(subject[1].Text, *d.Step) + happens
	case countsOccurrences(circumstances):
		text = p.onceMore(subject, circumstances[0].Text, *d.Step)
		others = circumstances[1:]
	case len(subject) == 1:
		text = p.doneBy(subject[0].Text, *d.Step) + happens
	default:
		text = p.phrase(subject) + happens
	}
	return p.byValues(d, text+p.tooEarly(subject, others), subject, circumstances)
}

// isUnlisted reports whether a subject is every action except those of a step: "something other than A".
func (p *prose) isUnlisted(subject property.Phrase) bool {
	hasValues := len(p.e.LTS().Alphabet().FactNames()) > 0
	return p.e.Property.Kind == property.KindAlways && len(subject) == 2 && !hasValues
}

// unlisted names a step of the run that is not among the actions that a pattern allows.
func (p *prose) unlisted(pattern string, step explain.StepIndex) string {
	label := p.labelText(p.e.Counterexample.Steps[step].Label)
	return fmt.Sprintf("%s, %s,", label, p.differsFrom(pattern))
}

// differsFrom says that an action is not among those of a pattern: "which is none of {A, B}".
func (p *prose) differsFrom(pattern string) string {
	_, isLabel := asLabel(pattern)
	switch {
	case strings.HasPrefix(pattern, "{"):
		return "which is none of " + p.quote(pattern)
	case isLabel:
		return "which is not " + p.quote(pattern)
	}
	return "which does not match " + p.quote(pattern)
}

// onceMore says that a step happens more often than allowed: "A happens a second time (step 8; the first is
// step 4)". The words of the phrase " a second time" count the occurrences.
func (p *prose) onceMore(subject property.Phrase, aSecondTime string, step explain.StepIndex) string {
	where := fmt.Sprintf("step %d", step+1)
	switch earlier := p.earlierOccurrences(step); {
	case len(earlier) == 1:
		where += fmt.Sprintf("; the first is step %d", earlier[0]+1)
	case len(earlier) > 1 && len(earlier) <= mostNamed:
		numbers := make([]string, len(earlier))
		for i, step := range earlier {
			numbers[i] = fmt.Sprintf("%d", step+1)
		}
		where += "; the others are steps " + printable.List(numbers, "and")
	case len(earlier) > 0:
		where += fmt.Sprintf("; the first is step %d", earlier[0]+1)
	}
	return fmt.Sprintf("%s happens%s (%s)", p.phrase(subject), aSecondTime, where)
}

// earlierOccurrences returns the steps of the run that did, in the same scope, what a step does once more
// than allowed. It returns none if they cannot be told by their labels.
func (p *prose) earlierOccurrences(step explain.StepIndex) []explain.StepIndex {
	f, isPattern := p.e.Formula().(interface{ Specification() property.Specification })
	hasValues := len(p.e.LTS().Alphabet().FactNames()) > 0
	if !isPattern || hasValues {
		return nil
	}
	s := f.Specification()
	var earlier []explain.StepIndex
	for i := int(step) - 1; i >= 0 && len(earlier) < s.Times; i-- {
		if s.Steps[0].Pattern.Matches(p.e.Counterexample.Steps[i].Label) {
			earlier = append(earlier, explain.StepIndex(i))
		}
	}
	slices.Reverse(earlier)
	return earlier
}

// tooEarly describes the circumstances of a step that must not happen before an awaited action. These are
// described in short if only a few actions may happen before, or if the step is one that must not.
func (p *prose) tooEarly(subject, circumstances property.Phrase) string {
	isUntil := len(circumstances) >= 5 && circumstances[0].Kind == property.Contrast &&
		circumstances[1].Kind == property.Waiting
	if !isUntil {
		return p.phrase(circumstances)
	}
	awaited := circumstances[2:3]
	before := circumstances[4:]
	isForbidden := func(w property.Word) bool { return w.Quoted && w.Text == subject.String() }
	switch circumstances[3].Text {
	case ", with no ":
		if slices.ContainsFunc(before, isForbidden) {
			return " before " + p.phrase(awaited)
		}
	case ", until then ":
		_, isLabel := asLabel(before[0].Text)
		if len(before) == 1 && (isLabel || alternatives(before[0].Text) != nil) {
			return fmt.Sprintf(", though only %s may happen before %s", p.phrase(before), p.phrase(awaited))
		}
	}
	return p.phrase(circumstances)
}

// countsOccurrences reports whether circumstances begin with how often something happens: " a second time".
func countsOccurrences(circumstances property.Phrase) bool {
	return len(circumstances) > 0 && strings.HasSuffix(circumstances[0].Text, " time")
}

// forbiddenInScope describes a step that must not happen before the step that ends the scope. The
// circumstances end with "before" and the end of the scope.
func (p *prose) forbiddenInScope(
	d *explain.Diagnosis,
	subject, circumstances property.Phrase,
) string {
	happens := fmt.Sprintf(" happens (step %d)", *d.InScope+1)
	text := p.phrase(subject)
	n := len(circumstances) - 2 // the number of circumstances before the word "before"
	last := len(subject) - 1
	switch {
	case *d.InScope < 0:
		happens = " holds at the start"
	case p.isFact(subject[last].Text):
		label := p.e.Counterexample.Steps[*d.InScope].Label
		happens = fmt.Sprintf(" holds after step %d (%s)", *d.InScope+1, p.quote(label))
	case p.isUnlisted(subject):
		text = p.unlisted(subject[1].Text, *d.InScope)
	case last == 0:
		text = p.doneBy(subject[0].Text, *d.InScope)
	}
	text += happens
	others := circumstances[:n]
	if countsOccurrences(others) && !p.isFact(subject[last].Text) {
		text = p.onceMore(subject, others[0].Text, *d.InScope)
		others = others[1:]
	}
	end := p.doneBy(circumstances[n+1].Text, *d.Step)
	opening := p.openingOfScope(*d.InScope)
	switch {
	case len(others) == 0 && opening != nil:
		opener := p.labelText(p.e.Counterexample.Steps[*opening].Label)
		return fmt.Sprintf("%s between %s (step %d) and %s (step %d)", text, opener, *opening+1, end,
			*d.Step+1)
	case len(others) == 0:
		return fmt.Sprintf("%s before %s (step %d)", text, end, *d.Step+1)
	}
	return fmt.Sprintf("%s%s, and %s follows (step %d)", text, p.phrase(others), end, *d.Step+1)
}

// openingOfScope returns the step of the run that opens the scope in which the given step lies. It
// returns nil if no step opens that scope, or if an earlier step both opens and closes scopes,
// since it is then unclear which it does.
func (p *prose) openingOfScope(inside explain.StepIndex) *explain.StepIndex {
	f, isPattern := p.e.Formula().(interface{ Specification() property.Specification })
	hasValues := len(p.e.LTS().Alphabet().FactNames()) > 0
	if !isPattern || hasValues || f.Specification().Scope != property.Between {
		return nil
	}
	s := f.Specification()
	var opening *explain.StepIndex
	for i, step := range p.e.Counterexample.Steps[:max(0, int(inside))] {
		opens := s.From.Pattern.Matches(step.Label)
		closes := s.To.Pattern.Matches(step.Label)
		switch {
		case opens && closes:
			return nil
		case opening == nil && opens:
			at := explain.StepIndex(i)
			opening = &at
		case closes:
			opening = nil
		}
	}
	return opening
}

// doneBy names what a step of the run does: by the label that the run takes, or by a condition on values.
func (p *prose) doneBy(pattern string, step explain.StepIndex) string {
	if p.isFact(pattern) {
		return p.quote(pattern)
	}
	return p.labelText(p.e.Counterexample.Steps[step].Label)
}

// isFact reports whether a text is a fact of the alphabet of the model: a condition on the values
// of states, such as x = 1.
func (p *prose) isFact(text string) bool {
	return slices.Contains(p.e.LTS().Alphabet().FactNames(), text)
}

// byValues names the values that make a step forbidden, and the circumstances. Without such values it
// returns the text byAction, which names the action instead.
func (p *prose) byValues(
	d *explain.Diagnosis,
	byAction string,
	subject, circumstances property.Phrase,
) string {
	v := d.Values
	if v == nil {
		return byAction
	}
	when, unnamed := p.circumstancesOf(subject, circumstances, v.After)
	label := p.quote(p.e.Counterexample.Steps[*d.Step].Label)
	switch {
	case v.Action && when != "" && len(unnamed) == 0:
		return byAction
	case v.Action:
		text := fmt.Sprintf("%s happens (step %d)", label, *d.Step+1)
		if len(v.Before) > 0 {
			text += " in a state with " + p.valueList(v.Before)
		}
		if len(v.After) > 0 {
			text += " and leads to a state with " + p.valueList(v.After)
		}
		return text
	case when == "" && len(v.Before) > 0 && slices.Equal(v.Before, v.After):
		return fmt.Sprintf("%s before and after step %d (%s)", p.valuesHold(v.After), *d.Step+1,
			label)
	case when == "" && len(v.Before) > 0:
		when = fmt.Sprintf(", and %s before it", p.valueList(v.Before))
	}
	if int(*d.Step) < p.e.LTS().Before() {
		// Step 1 leads from the artificial state before all runs to an initial state.
		return fmt.Sprintf("%s at the start (step 1, %s)%s", p.valuesHold(unnamed), label, when)
	}
	return fmt.Sprintf("%s after step %d (%s)%s", p.valuesHold(unnamed), *d.Step+1, label, when)
}

// circumstancesOf returns the circumstances under which values are forbidden, such as ", before A". It also
// returns the values that these circumstances do not name.
func (p *prose) circumstancesOf(
	subject, circumstances property.Phrase,
	holds []string,
) (when string, others []string) {
	if saysNothingMore(circumstances) {
		return "", holds
	}
	others = withoutOpposites(holds, circumstances)
	isContrast := len(circumstances) > 2 && circumstances[0].Kind == property.Contrast
	if isContrast && len(others) == 1 && circumstances[1].Text == others[0] {
		switch circumstances[2].Kind {
		case property.ForbiddingSince:
			return "", holds // what came before says more
		case property.Forbidding, property.ForbiddingBefore:
			subject = circumstances[1:2]
			circumstances = circumstances[3:]
		}
	}
	last := len(subject) - 1
	namesAction := last >= 0 && subject[last].Quoted && !slices.Contains(others, subject[last].Text)
	if namesAction {
		return "", holds
	}
	when = p.phrase(circumstances)
	if when != "" && !strings.HasPrefix(when, ",") {
		when = ", " + strings.TrimSpace(when)
	}
	return when, others
}

// saysNothingMore reports whether the circumstances under which something is forbidden add nothing
// to the statement that it is forbidden.
func saysNothingMore(circumstances property.Phrase) bool {
	switch {
	case circumstances.String() == "", circumstances[0].Kind == property.Aftermath:
		return true
	}
	return len(circumstances) == 1 && circumstances[0].Kind == property.Forbidding
}

// withoutOpposites returns the atoms whose opposites a phrase does not quote.
func withoutOpposites(atoms []string, words property.Phrase) []string {
	isQuoted := make(map[string]bool)
	for _, w := range words {
		isQuoted[w.Text] = w.Quoted
	}
	var others []string
	for _, text := range atoms {
		atom, _, isAtom, err := values.Read(text, 0)
		if !isAtom || err != nil || !isQuoted[atom.Opposite().String()] {
			others = append(others, text)
		}
	}
	return others
}

func (p *prose) valueList(all []string) string {
	return printable.List(p.quoted(all), "and")
}

// valuesHold returns the clause that values hold.
func (p *prose) valuesHold(all []string) string {
	if len(all) == 1 {
		return p.valueList(all) + " holds"
	}
	return p.valueList(all) + " hold"
}

// noLonger describes what can no longer happen once the property is lost.
func (p *prose) noLonger(d *explain.Diagnosis) string {
	losesSteps := d.First > 0 // the steps First to Last of the property
	isStateUnreachable := d.Awaited != "" && d.Unreachable
	areLabelsUnreachable := !losesSteps && d.Unreachable && len(d.Pending) > 0
	switch {
	case losesSteps && p.excludes():
		return fmt.Sprintf("no run that counts does %s", p.stepSequence(d.First, d.Last))
	case isStateUnreachable:
		return fmt.Sprintf("no state with %s can be reached any more", p.quote(d.Awaited))
	case areLabelsUnreachable:
		return noLongerHappens(p.pendingStep(d))
	case d.AllEnd && !mayRefuse(p.e):
		return "each run ends in a deadlock"
	case !losesSteps:
		return p.none() + " satisfies " + p.propertyAsWord() + " any more"
	case d.Unreachable:
		return noLongerHappens(p.nextStep(d.Last))
	}
	first := p.nextStep(d.First)
	last := p.nextStep(d.Last)
	switch between := d.Last - d.First - 1; between {
	case 0:
		return fmt.Sprintf("%s and then %s can no longer both happen", first, last)
	case 1:
		return fmt.Sprintf("%s, then %s and then %s can no longer all happen", first,
			p.nextStep(d.First+1), last)
	default:
		return fmt.Sprintf("%s, … (%d more) and then %s can no longer all happen", first,
			between, last)
	}
}

// pendingStep names what the run waits for. If the property has steps, this is its next step.
// Otherwise it is the only element that the consequent of an implication lacks, or a condition on a
// state or a step, or one of several labels.
func (p *prose) pendingStep(d *explain.Diagnosis) string {
	if p.hasSteps() && d.Consequent == "" {
		return p.nextStep(p.e.Counterexample.Done + 1)
	}
	switch {
	case len(d.Pending) == 0 && d.Lacks != "":
		return p.quote(d.Lacks)
	case d.Awaited != "":
		return "a state with " + p.quote(d.Awaited)
	case d.AwaitedStep != "":
		return p.quote(d.AwaitedStep)
	}
	if pattern := p.awaitedPattern(d); pattern != "" {
		return p.quote(pattern)
	}
	return p.oneOf(p.awaitedLabels(d))
}

// awaitedPattern returns the pattern, such as s4* or the name of a gate, by which the property names what the
// run waits for, if this stands for more labels than a sentence names; otherwise "".
func (p *prose) awaitedPattern(d *explain.Diagnosis) string {
	if len(d.Pending) <= mostNamed || p.e.Counterexample == nil || p.e.LTS() == nil {
		return ""
	}
	for _, s := range slices.Backward(p.e.Counterexample.Steps) {
		if s.Pending == nil {
			continue
		}
		pattern, _ := s.Pending.Words.Awaits()
		name, isPrefix := strings.CutSuffix(pattern, "*")
		if name == "" || strings.ContainsFunc(name, isNoNameRune) {
			return ""
		}
		for _, label := range p.e.LTS().Alphabet().All() {
			gate, _ := actl.GateOf(label)
			isMeant := gate == name || isPrefix && strings.HasPrefix(label, name)
			if isMeant != slices.Contains(d.Pending, label) {
				return ""
			}
		}
		return pattern
	}
	return ""
}

// isNoNameRune reports whether a rune is neither a letter, a digit nor an underscore.
func isNoNameRune(r rune) bool {
	return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// awaitedLabels returns the labels by which sentences name what the run waits for; nil if they name it by a
// pattern, or by a condition on states or steps.
func (p *prose) awaitedLabels(d *explain.Diagnosis) []string {
	switch {
	case p.hasSteps() && d.Consequent == "":
		return p.labelsOfStep(p.e.Counterexample.Done + 1)
	case d.Awaited+d.AwaitedStep != "":
		return nil
	}
	return d.Pending
}

// awaitsState reports whether [prose.pendingStep] names a state. A step to this state is still missing
// then.
func (p *prose) awaitsState(d *explain.Diagnosis) bool {
	namesLabels := p.hasSteps() && d.Consequent == ""
	namesLacking := len(d.Pending) == 0 && d.Lacks != ""
	return d.Awaited != "" && !namesLabels && !namesLacking
}

// placesOnLoop counts the states of the loop in which the pending step is possible. It counts moments if the
// loop visits a state with several property states.
func (p *prose) placesOnLoop(d *explain.Diagnosis) string {
	c := p.e.Counterexample
	states := map[lts.State]bool{}
	for _, s := range c.Steps[c.LoopStart:] {
		states[s.From] = true
	}
	noun := "state"
	if len(states) != d.Of {
		noun = "moment"
	}
	switch {
	case d.Of == 1:
		return "the only " + noun + " of the loop"
	case d.PossibleIn == 2 && d.Of == 2:
		return "both " + noun + "s of the loop"
	case d.PossibleIn == d.Of:
		return fmt.Sprintf("all %d %ss of the loop", d.Of, noun)
	}
	return fmt.Sprintf("%d of the loop's %d %ss", d.PossibleIn, d.Of, noun)
}

// turnedBack says how near to the pending step the loop comes.
func (p *prose) turnedBack(d *explain.Diagnosis) string {
	if len(d.Way) == 0 {
		if d.Lacks != "" && len(d.Pending) == 0 {
			return p.quote(d.Lacks) + " never happens"
		}
		if d.Awaited != "" {
			return p.pendingStep(d) + " never comes on the loop"
		}
		return p.neverHappens(p.pendingStep(d), "happens", " on the loop")
	}
	if d.Cause != nil {
		return p.keptBy(d)
	}
	return p.nearestPath(d, p.fitsInHeadline(d))
}

// keptBy names the labels that keep the run away from what it waits for.
func (p *prose) keptBy(d *explain.Diagnosis) string {
	name, _ := p.awaitedAndPath(d)
	again := ""
	if d.Again {
		again = " again"
	}
	happens := "happens"
	if d.Awaited != "" {
		happens = "comes"
	}
	inRounds := slices.DeleteFunc(slices.Clone(d.Cause), func(label string) bool {
		return !p.isOnLoop(label)
	})
	causes := p.shortLabelList(inRounds, "and") + " happens in every round"
	if len(inRounds) > 1 {
		causes = p.shortLabelList(inRounds, "and") + " happen in every round"
	}
	return fmt.Sprintf("%s: %s", p.neverHappens(name, happens, again), causes)
}

// isOnLoop reports whether the run takes a transition with this label on its loop.
func (p *prose) isOnLoop(label string) bool {
	run := p.e.Counterexample
	return slices.ContainsFunc(run.Steps[run.LoopStart:], func(s explain.Step) bool {
		return s.Label == label
	})
}

// neverHappens says that what the run waits for never happens. If the run waits for any of several
// labels, it says that none of them happens.
func (p *prose) neverHappens(name, happens, again string) string {
	if labels, isOne := strings.CutPrefix(name, "one of "); isOne {
		return fmt.Sprintf("none of %s ever %s%s", labels, happens, again)
	}
	return fmt.Sprintf("%s never %s%s", name, happens, again)
}

// stutteringLabel is the label of the steps that change nothing, in models of specifications in TLA+
// that package liveness makes.
const stutteringLabel = "stuttering"

// nearestPath describes the shortest path from the loop to what the run waits for. Its labels are left out if
// not requested.
func (p *prose) nearestPath(d *explain.Diagnosis, withLabels bool) string {
	name, way := p.awaitedAndPath(d)
	from := p.e.Name(d.Way[0].From)
	c := p.e.Counterexample
	taken := c.Steps[*d.Instead]
	away := fmt.Sprintf("is %d steps away", d.Distance)
	if p.isIdleChoice(d, name) {
		away = fmt.Sprintf("is possible on the loop, but the nearest one that counts is %d steps away", d.Distance)
	}
	if len(c.Steps)-int(c.LoopStart) > 1 {
		loop := fmt.Sprintf("state %s of the loop", from)
		if withLabels {
			loop = fmt.Sprintf("the loop (state %s: %s)", from, p.pathFromLoop(d, way))
		}
		return fmt.Sprintf("%s %s from %s; in each round the run takes %s instead", name, away, loop,
			p.labelAndTarget(taken.Label, taken.To))
	}
	does := "takes " + p.labelText(taken.Label) + " forever"
	if taken.Label == stutteringLabel {
		does = "stutters forever"
	}
	path := ""
	if withLabels {
		path = fmt.Sprintf(" (%s)", p.pathFromLoop(d, way))
	}
	return fmt.Sprintf("%s %s from state %s%s, where the run %s", name, away, from, path, does)
}

// widestHeadlinePath is the largest total width, in bytes, of the labels of a path in a headline. Labels of a
// wider path are in a sentence after the run.
const widestHeadlinePath = 40

// widestPath is the largest width, in bytes, of a path in a brief report. Of a wider one, the report has the first
// and the last label only, and does not repeat what the run waits for.
const widestPath = 160

// fitsInHeadline reports whether the headline can name the labels of the shortest path.
func (p *prose) fitsInHeadline(d *explain.Diagnosis) bool {
	_, way := p.awaitedAndPath(d)
	width := 0
	for _, t := range way {
		width += len(t.Label)
	}
	return width <= widestHeadlinePath && len(way) <= mostNamed+1
}

// pathToAwaited lists the labels of the shortest path from the loop to what the run waits for.
func (p *prose) pathToAwaited(d *explain.Diagnosis) string {
	name, _ := p.awaitedAndPath(d)
	labels := make([]string, len(d.Way))
	for i, t := range d.Way {
		labels[i] = t.Label
	}
	labels = p.labelTexts(labels)
	from, path := p.e.Name(d.Way[0].From), p.ends(labels)
	if !p.full && len(path) > widestPath {
		path = strings.Join(shortenMiddle(labels, 1, 1), ", ")
		return fmt.Sprintf("The way from state %s: %s.", from, path)
	}
	return fmt.Sprintf("The way from state %s to %s: %s.", from, name, path)
}

// isIdleChoice reports whether the run could do what it waits for, by its name, in some state of the loop, where
// it does not count.
func (p *prose) isIdleChoice(d *explain.Diagnosis, name string) bool {
	last := d.Way[len(d.Way)-1].Label
	return name == p.labelText(last) && p.isPossibleOnLoop(last)
}

// isPossibleOnLoop reports whether a transition with this label leaves some state of the loop.
func (p *prose) isPossibleOnLoop(label string) bool {
	m := p.e.LTS()
	c := p.e.Counterexample
	hasLabel := func(l lts.Label) bool { return m.Alphabet().Text(l) == label }
	return slices.ContainsFunc(c.Steps[c.LoopStart:], func(s explain.Step) bool {
		labels, _ := m.Out(s.From)
		return labels.Any(hasLabel)
	})
}

// awaitedAndPath names what the run waits for, and returns the transitions of the shortest path to it. If
// this is one label, the path ends before the transition with the label. If it is a state, or any of
// several labels, the path has all transitions.
func (p *prose) awaitedAndPath(d *explain.Diagnosis) (name string, path []explain.PathStep) {
	last := len(d.Way) - 1
	awaited := p.awaitedLabels(d)
	isByStep := p.hasSteps() && d.Consequent == ""
	// Some of these labels are awaited only at some moments of the loop, and happen at others.
	areAwaitedAtTimes := !d.Alike && slices.ContainsFunc(awaited, p.isOnLoop)
	hasSeveral := len(awaited) > 1
	switch {
	case hasSeveral && !isByStep && (areAwaitedAtTimes || p.awaitsEach()):
		return p.labelText(d.Way[last].Label), d.Way[:last] // the first of them that the path reaches
	case hasSeveral || p.awaitsState(d):
		return p.pendingStep(d), d.Way
	}
	return p.pendingStep(d), d.Way[:last]
}

// awaitsEach reports whether the run violates several conjuncts, so that it waits for something in each.
func (p *prose) awaitsEach() bool {
	violated := 0
	for _, part := range p.e.Conjuncts {
		if part.Verdict == explain.Violated {
			violated++
		}
	}
	return violated > 1
}

// pathFromLoop lists the transitions of a path from the loop. If there are many, it lists only the first ones.
func (p *prose) pathFromLoop(d *explain.Diagnosis, way []explain.PathStep) string {
	taken := p.e.Counterexample.Steps[*d.Instead]
	var path []string
	width := 0
	for i, t := range way {
		width += len(t.Label)
		isCut := i == mostNamed && len(way) > mostNamed+1 || i > 0 && width > widestOptions
		if isCut {
			path = append(path, fmt.Sprintf("… (%d more)", len(way)-i))
			break
		}
		label := p.labelText(t.Label)
		if i == 0 && t.Label == taken.Label {
			label = p.labelAndTarget(t.Label, t.To)
		}
		path = append(path, label)
	}
	return strings.Join(path, ", ")
}

// shortLabelList lists some texts of the model and counts the others: "A", "A or B", "A, B or 4 other
// actions".
func (p *prose) shortLabelList(texts []string, last string) string {
	var sentences []string
	for i, text := range texts {
		// The number of the other actions takes the last of mostNamed places.
		if i == mostNamed-1 && len(texts) > mostNamed && !p.full {
			sentences = append(sentences, fmt.Sprintf("%d other actions", len(texts)-i))
			break
		}
		sentences = append(sentences, p.labelText(text))
	}
	return printable.List(sentences, last)
}
