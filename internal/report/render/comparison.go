package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

const comparisonSchema = "inev.comparison/1"

// deepest is the largest depth of modalities of a formula in a text. A deeper formula is only in the
// JSON.
const deepest = 3

type comparisonProse struct {
	c *compare.Comparison
	prose
}

func (p *comparisonProse) old() string {
	name, _ := p.c.Names()
	return p.quote(name)
}

func (p *comparisonProse) latest() string {
	_, name := p.c.Names()
	return p.quote(name)
}

func (p *comparisonProse) side(s compare.Side) string {
	if s == compare.Old {
		return p.old()
	}
	return p.latest()
}

// first returns the most important sentence: the effect of the changes on the property or, without a
// property, the changes.
func (p *comparisonProse) first() string {
	if p.c.Versions != nil {
		return p.verdicts(p.c.Versions)
	}
	if p.c.Behaviour.Alike {
		return fmt.Sprintf("%s and %s behave alike%s.", p.old(), p.latest(), p.sizes())
	}
	change := p.changed()
	if change != "" {
		return change
	}
	return p.parting()
}

// verdicts is the sentence about the verdicts on both versions.
func (p *comparisonProse) verdicts(v *compare.Versions) string {
	formula := p.quote(p.c.Formula)
	oldViolates := v.Old.Verdict == explain.Violated
	latestViolates := v.New.Verdict == explain.Violated
	switch {
	case !oldViolates && !latestViolates:
		return fmt.Sprintf("%s and %s both satisfy %s%s.", p.old(), p.latest(), formula,
			p.unnamed())
	case oldViolates && !latestViolates:
		return fmt.Sprintf("%s satisfies %s, which %s violates%s.", p.latest(), formula,
			p.old(), p.repaired())
	case latestViolates && !oldViolates:
		reason := p.cause()
		if reason == "" {
			reason = p.diagnosed(v.New)
		}
		return fmt.Sprintf("%s violates %s, which %s satisfies%s.", p.latest(), formula,
			p.old(), reason)
	case v.Divergence.Limited:
		return fmt.Sprintf("%s and %s both violate %s; %s can do the run of %s for %s of its loop, and was compared no further.",
			p.old(), p.latest(), formula, p.old(), p.latest(), printable.Quantity(v.Divergence.Rounds, "round"))
	case v.Divergence.Follows:
		return fmt.Sprintf("%s and %s both violate %s, by the same run%s.", p.old(), p.latest(), formula,
			p.unnamed())
	}
	return fmt.Sprintf("%s and %s both violate %s, but %s cannot do the run of %s%s.",
		p.old(), p.latest(), formula, p.old(), p.latest(), p.cause())
}

// diagnosed says why the run of a version violates the property; "" if the reason is unknown.
func (p *comparisonProse) diagnosed(e *explain.Explanation) string {
	diagnosis := sentencesFor(e, Options{Full: p.full}, p.quote).Diagnosis()
	if diagnosis == "" {
		return ""
	}
	return ": " + diagnosis
}

// unnamed lists the changes for a sentence that names no change as the cause.
func (p *comparisonProse) unnamed() string {
	changes := p.changes()
	if changes == "" || p.c.Behaviour.Alike {
		return ""
	}
	return "; " + changes
}

// repaired names the step of the old counterexample that the new version cannot take.
func (p *comparisonProse) repaired() string {
	d := p.c.Versions.Divergence
	switch {
	case d.Follows:
		return ""
	case p.isWayOnNamed():
		return fmt.Sprintf(": where the run of %s stops, %s goes on with %s", p.old(), p.latest(),
			p.could(d.Could))
	case d.Takes == "":
		return fmt.Sprintf(": where the run of %s stops, %s goes on", p.old(), p.latest())
	}
	if d.Step == 0 {
		return fmt.Sprintf(": at the start %s is gone", p.labelText(d.Takes))
	}
	return fmt.Sprintf(": after step %d of that run %s is gone", d.Step, p.labelText(d.Takes))
}

// cause names the change that the new counterexample meets. If no such change is known, it lists the
// renamed labels, or all changes.
func (p *comparisonProse) cause() string {
	cause, found := p.c.Cause()
	edit := p.c.Behaviour.Edit
	if !found && edit != nil && edit.Renamed != nil {
		return ": " + p.renamed()
	}
	if !found {
		return p.unnamed()
	}
	text := p.change(cause.Change)
	if edit.Renamed != nil {
		text = fmt.Sprintf("%s is called %s", p.labelText(cause.Change.Was.Label),
			p.labelText(cause.Change.Transition.Label))
	}
	steps := p.c.Versions.New.Counterexample.Steps
	length := len(steps)
	mayBeTaken := cause.Change.Kind != compare.Removed && cause.Step < length
	switch {
	case mayBeTaken && isTaken(steps[cause.Step], cause.Change):
		return fmt.Sprintf(": %s, and the run takes it in step %d", text, cause.Step+1)
	case cause.Step == length:
		return fmt.Sprintf(": %s, and the run stops there", text)
	}
	return fmt.Sprintf(": %s, and step %d of the run leaves this state by another transition",
		text, cause.Step+1)
}

// isTaken reports whether a step takes the transition that a change has made.
func isTaken(s explain.Step, change compare.Change) bool {
	return change.Transition == compare.Arc{From: s.From, Label: s.Label, To: s.To}
}

// sizes reports how many more or fewer states the new version has.
func (p *comparisonProse) sizes() string {
	b := p.c.Behaviour
	n := b.New.States - b.Old.States
	switch {
	case n > 0:
		return fmt.Sprintf("; %s has %s", p.latest(), countedStates(n, "more"))
	case n < 0:
		return fmt.Sprintf("; %s has %s", p.latest(), countedStates(-n, "fewer"))
	}
	return ""
}

// countedStates returns a number of states with a word before the noun, such as "1 more state" or "3 fewer states".
func countedStates(n int, word string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s state", word)
	}
	return fmt.Sprintf("%d %s states", n, word)
}

// changed says how the new version differs from the old one; "" if the changes are unknown.
func (p *comparisonProse) changed() string {
	changes := p.changes()
	e := p.c.Behaviour.Edit
	switch {
	case changes == "":
		return ""
	case e.Renamed != nil:
		return fmt.Sprintf("%s is %s, but %s.", p.latest(), p.old(), changes)
	}
	return fmt.Sprintf("%s differs from %s: %s.", p.latest(), p.old(), changes)
}

// changes lists the changes, or counts them by kind if there are many; "" if they are unknown.
func (p *comparisonProse) changes() string {
	e := p.c.Behaviour.Edit
	switch {
	case e == nil || len(e.Changes) == 0:
		return ""
	case e.Renamed != nil:
		return p.renamed()
	}
	return p.changesIn(e.Changes)
}

// changesIn lists some of the changes, or counts them by kind if there are many. It adds the numbers of
// new states and of states that are gone. It returns "" if nothing has changed.
func (p *comparisonProse) changesIn(changes []compare.Change) string {
	e := p.c.Behaviour.Edit
	var parts []string
	for _, c := range changes {
		parts = append(parts, p.change(c))
	}
	if p.numNamed(len(parts)) < len(parts) {
		parts = p.kinds(changes)
	}
	var sentences []string
	if len(parts) > 0 {
		sentences = append(sentences, p.listed(parts, "other change"))
	}
	for _, states := range []struct {
		n    int
		what string
	}{{len(e.NewStates), "new"}, {len(e.GoneStates), "gone"}} {
		if states.n > 0 {
			sentences = append(sentences,
				fmt.Sprintf("%s %s %s", printable.Quantity(states.n, "state"), be(states.n),
					states.what))
		}
	}
	return strings.Join(sentences, "; ")
}

// renamed lists labels that were renamed.
func (p *comparisonProse) renamed() string {
	var names []string
	for _, from := range p.c.Behaviour.Gone {
		if to, is := p.c.Behaviour.Edit.Renamed[from]; is {
			names = append(names, fmt.Sprintf("%s is called %s", p.quote(from), p.quote(to)))
		}
	}
	return p.listed(names, "other label")
}

// kinds counts changes by kind, with the labels of each kind.
func (p *comparisonProse) kinds(changes []compare.Change) []string {
	var parts []string
	for _, kind := range []struct {
		compare.Kind
		done string
	}{{compare.Added, "new"}, {compare.Removed, "gone"}, {compare.Redirected, "redirected"}, {compare.Relabelled, "relabelled"}} {
		n := 0
		var labels []string
		for _, c := range changes {
			if c.Kind != kind.Kind {
				continue
			}
			n++
			label := p.labelText(c.Transition.Label)
			if !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
		if n > 0 {
			parts = append(parts,
				fmt.Sprintf("%s (%s) %s %s", printable.Quantity(n, "transition"),
					p.listed(labels, "other label"), be(n), kind.done))
		}
	}
	return parts
}

// change describes the change of a transition.
func (p *comparisonProse) change(c compare.Change) string {
	t, was := c.Transition, c.Was
	to := fmt.Sprintf("to state %d", t.To)
	if t.From == t.To {
		to = "to itself"
	}
	if c.Begins {
		switch c.Kind {
		case compare.Added:
			return fmt.Sprintf("state %d is initial, too", t.To)
		case compare.Removed:
			return fmt.Sprintf("state %d is no longer initial", t.To)
		}
		return fmt.Sprintf("state %d is initial in place of state %d", t.To, was.To)
	}
	switch c.Kind {
	case compare.Added:
		return fmt.Sprintf("%s from state %d %s is new", p.labelText(t.Label), t.From, to)
	case compare.Removed:
		return fmt.Sprintf("%s from state %d is gone", p.labelText(t.Label), c.At)
	case compare.Redirected:
		return fmt.Sprintf("%s from state %d leads %s, in %s to state %d", p.labelText(t.Label), t.From, to,
			p.old(), was.To)
	}
	return fmt.Sprintf("%s stands for %s from state %d %s", p.labelText(t.Label),
		p.labelText(was.Label), t.From, to)
}

// parting names a run that only one version can take or, if there is none, another difference.
func (p *comparisonProse) parting() string {
	b := p.c.Behaviour
	switch {
	case b.Alike:
		return ""
	case b.Run != nil:
		return fmt.Sprintf("%s only %s can do %s.", p.after(b.Run.Run), p.side(b.Run.Only),
			p.labelText(b.Run.Label))
	case !b.Complete:
		return "They do not behave alike; no run that distinguishes them was found within the limit of the search."
	}
	differ := "what can still be chosen"
	if eternal().MatchString(quoted().ReplaceAllString(b.Formula, "")) {
		differ = "where internal actions can go on forever"
	}
	return fmt.Sprintf("They have the same runs and do not behave alike: they differ in %s.",
		differ)
}

// quoted matches a label in a formula. eternal matches the operator for infinitely many hidden
// transitions.
var (
	quoted = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`"(\\.|[^"\\])*"`)
	})
	eternal = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`E\[G \(?\{`)
	})
)

// formula returns the sentence about a formula that distinguishes the versions; "" if a run does.
func (p *comparisonProse) formula() string {
	b := p.c.Behaviour
	switch {
	case b.Formula == "" || b.Run != nil:
		return ""
	case b.Depth > deepest || len(b.Formula) > widestText:
		return fmt.Sprintf("A formula that is %d operators deep holds in %s and not in %s; JSON has it.", b.Depth, p.old(), p.latest())
	}
	return fmt.Sprintf("%s holds in %s and not in %s.", p.quote(b.Formula), p.old(), p.latest())
}

// after begins a sentence about what follows a run: "After A, B". Of a long run it names only the last
// labels.
func (p *comparisonProse) after(run []string) string {
	if len(run) == 0 {
		return "At the start"
	}
	names := p.quoted(run)
	n := len(names)
	if n > 6 && !p.full {
		return fmt.Sprintf("After %d transitions, the last of them %s,", n,
			strings.Join(names[n-mostNamed:], ", "))
	}
	return "After " + strings.Join(names, ", ")
}

// rest are the sentences after first.
func (p *comparisonProse) rest() []string {
	var sentences []string
	add := func(sentence string) {
		if sentence != "" && !slices.Contains(sentences, sentence) && sentence != p.first() {
			sentences = append(sentences, sentence)
		}
	}
	b := p.c.Behaviour
	if p.c.Versions != nil {
		add(p.whereTheyPart())
		v := p.c.Versions
		add(p.decisions("New", notIn(v.Old, p.otherDecisions()), p.latest()))
		add(p.decisions("Gone", notIn(v.New, v.GoneDecisions), p.old()))
		if b.Alike {
			add(fmt.Sprintf("The models behave alike%s.", p.sizes()))
		}
	}
	isAboutChanges := !b.Alike || p.c.Versions == nil
	if isAboutChanges && !strings.HasSuffix(p.first(), p.changes()+".") {
		add(p.otherChanges())
	}
	switch {
	case p.isPartingMet():
	case p.isPartingBySingleChange():
		add(p.wayToChange())
	default:
		add(p.parting())
	}
	add(p.formula())
	e := b.Edit
	if e == nil || e.Renamed == nil {
		if !p.areLabelsOf(b.Added, compare.Added) {
			add(p.labels(b.Added, p.latest()))
		}
		if !p.areLabelsOf(b.Gone, compare.Removed) {
			add(p.labels(b.Gone, p.old()))
		}
	}
	switch {
	case p.c.Versions != nil || b.Strange == 0:
	case b.Strange == b.New.States:
		sentences = append(sentences,
			fmt.Sprintf("No state of %s can do exactly what some state of %s can.", p.latest(),
				p.old()))
	default:
		sentences = append(sentences,
			fmt.Sprintf("%d of the %s of %s can do exactly what some state of %s can.",
				b.New.States-b.Strange, printable.Quantity(b.New.States, "state"), p.latest(), p.old()))
	}
	return sentences
}

// metCause returns the change that the first sentence names, if the run of the new version takes the
// changed transition where the versions part.
func (p *comparisonProse) metCause() (compare.Cause, bool) {
	v := p.c.Versions
	if v == nil || v.New.Verdict != explain.Violated || v.Divergence == nil {
		return compare.Cause{}, false
	}
	d := v.Divergence
	parts := !d.Follows && !d.Limited && d.Rounds == 0
	cause, found := p.c.Cause()
	if !parts || !found {
		return compare.Cause{}, false
	}
	isMet := cause.Step == d.Step && cause.Step < len(v.New.Counterexample.Steps)
	return cause, isMet
}

// whereTheyPart says at which step the other version cannot follow. If the first sentence has named the
// step already, it says what the other version can do there.
func (p *comparisonProse) whereTheyPart() string {
	v := p.c.Versions
	other := p.old()
	if v.New.Verdict != explain.Violated {
		other = p.latest()
	}
	d := v.Divergence
	_, isMet := p.metCause()
	isNamed := isMet || p.isRepairNamed()
	switch {
	case p.isStopNamed() || p.isWayOnNamed():
		return ""
	case !isNamed:
		return p.divergence()
	case len(d.Could) == 0:
		return fmt.Sprintf("There %s can do nothing more.", other)
	}
	return fmt.Sprintf("In place of step %d %s could only do %s.", d.Step+1, other,
		p.could(d.Could))
}

// isStopNamed reports whether the first sentence says that the run of the new version stops, and names all
// that the old version can do there.
func (p *comparisonProse) isStopNamed() bool {
	v := p.c.Versions
	d := v.Divergence
	cause, found := p.c.Cause()
	if d == nil || !found || v.New.Verdict != explain.Violated {
		return false
	}
	stops := !d.Follows && !d.Limited && d.Takes == "" && cause.Step == len(v.New.Counterexample.Steps)
	isGone := cause.Change.Kind == compare.Removed && p.c.Behaviour.Edit.Renamed == nil
	return stops && isGone && slices.Equal(d.Could, []string{cause.Change.Transition.Label})
}

// isWayOnNamed reports whether the first sentence names what the new version can do where the run of the old
// one stops.
func (p *comparisonProse) isWayOnNamed() bool {
	v := p.c.Versions
	d := v.Divergence
	isRepaired := v.New.Verdict != explain.Violated && v.Old.Verdict == explain.Violated
	return isRepaired && d != nil && !d.Follows && !d.Limited && d.Takes == "" && len(d.Could) > 0
}

// isRepairNamed reports whether the first sentence names the step of the old version's run that the new
// version cannot take.
func (p *comparisonProse) isRepairNamed() bool {
	v := p.c.Versions
	d := v.Divergence
	isRepaired := v.New.Verdict != explain.Violated && v.Old.Verdict == explain.Violated
	if !isRepaired || d == nil {
		return false
	}
	namesStep := !d.Follows && !d.Limited && d.Takes != ""
	isInFirstRound := d.Rounds == 0 && d.After == d.Step
	return namesStep && isInFirstRound
}

// otherDecisions returns the new decisions, except the decision of the change that the first sentence
// names.
func (p *comparisonProse) otherDecisions() []compare.Decided {
	cause, isMet := p.metCause()
	all := p.c.Versions.NewDecisions
	if !isMet {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(d compare.Decided) bool {
		return int(d.Step) == cause.Step
	})
}

// notIn returns those of the decisions that no run of a version reaches by the same labels.
func notIn(version *explain.Explanation, decisions []compare.Decided) []compare.Decided {
	return slices.DeleteFunc(slices.Clone(decisions), func(d compare.Decided) bool {
		run := slices.Clone(d.After)
		if d.Takes != "" {
			run = append(run, d.Takes)
		}
		return len(statesAfter(version.LTS(), run)) > 0
	})
}

// otherChanges reports how the new version differs from the old one, without the change that the first
// sentence names.
func (p *comparisonProse) otherChanges() string {
	edit := p.c.Behaviour.Edit
	cause, found := p.c.Cause()
	if !found || edit.Renamed != nil {
		return p.changed()
	}
	others := slices.DeleteFunc(slices.Clone(edit.Changes), func(c compare.Change) bool {
		return c == cause.Change
	})
	if len(others) == len(edit.Changes) {
		return p.changed()
	}
	text := p.changesIn(others)
	if text == "" {
		return ""
	}
	subject := "Other changes"
	if len(others) == 1 {
		subject = "Another change"
	}
	return fmt.Sprintf("%s: %s.", subject, text)
}

// isPartingMet reports whether the run that parts the versions is the run that the report shows, up to the
// step that only one version can take, or up to its end if only the other version can go on. Another sentence
// has named this step, or how the other version can go on.
func (p *comparisonProse) isPartingMet() bool {
	parting := p.c.Behaviour.Run
	shown := shownRun(p.c)
	if parting == nil || shown == nil || p.c.Versions.Divergence == nil {
		return false
	}
	side := compare.New
	if shown == p.c.Versions.Old {
		side = compare.Old
	}
	d := p.c.Versions.Divergence
	isNamed := d.Takes == parting.Label && parting.Only == side
	if d.Takes == "" {
		isListed := p.numNamed(len(d.Could)) == len(d.Could)
		isNamed = isListed && slices.Contains(d.Could, parting.Label) && parting.Only != side
	}
	if !isNamed || d.Follows || d.Limited || len(parting.Run) != d.After {
		return false
	}
	steps := shown.Counterexample.Steps
	loop := int(shown.Counterexample.LoopStart)
	at := 0
	for _, label := range parting.Run {
		isLoop := at == len(steps) && loop >= 0
		if isLoop {
			at = loop
		}
		if at == len(steps) || steps[at].Label != label {
			return false
		}
		at++
	}
	return true
}

// isPartingBySingleChange reports whether the only change is a new transition that the first
// sentence names, and the run that parts the versions ends with this transition.
func (p *comparisonProse) isPartingBySingleChange() bool {
	b := p.c.Behaviour
	if b.Run == nil || b.Run.Only != compare.New || b.Edit == nil || len(b.Edit.Changes) != 1 {
		return false
	}
	change := b.Edit.Changes[0]
	isNew := change.Kind == compare.Added && !change.Begins
	isNamed := strings.Contains(p.first(), p.change(change))
	if p.c.Versions == nil || !isNew || !isNamed || change.Transition.Label != b.Run.Label {
		return false
	}
	return slices.Contains(statesAfter(p.c.Versions.New.LTS(), b.Run.Run), change.Transition.From)
}

// statesAfter returns the states in which the runs with some labels end.
func statesAfter(m *lts.LTS, run []string) []lts.State {
	states := []lts.State{m.Initial()}
	for _, label := range run {
		var next []lts.State
		for _, s := range states {
			labels, targets := m.Out(s)
			for i, to := range targets {
				if m.Alphabet().Text(labels.At(i)) == label && !slices.Contains(next, to) {
					next = append(next, to)
				}
			}
		}
		states = next
	}
	return states
}

// wayToChange says how a run comes to the only change.
func (p *comparisonProse) wayToChange() string {
	run := p.c.Behaviour.Run.Run
	if len(run) == 0 {
		return ""
	}
	after := strings.TrimSuffix(strings.TrimPrefix(p.after(run), "After"), ",")
	return fmt.Sprintf("%s can be taken after%s.", capitalIfWord(p.labelText(p.c.Behaviour.Run.Label)), after)
}

// areLabelsOf reports whether each label belongs to a change of this kind. Then the changes name the
// labels already.
func (p *comparisonProse) areLabelsOf(labels []string, kind compare.Kind) bool {
	edit := p.c.Behaviour.Edit
	if edit == nil {
		return false
	}
	for _, label := range labels {
		isNamed := slices.ContainsFunc(edit.Changes, func(c compare.Change) bool {
			return c.Kind == kind && c.Transition.Label == label
		})
		if !isNamed {
			return false
		}
	}
	return true
}

func (p *comparisonProse) labels(labels []string, model string) string {
	if len(labels) == 0 {
		return ""
	}
	return fmt.Sprintf("Only %s has %s.", model,
		listed(&p.prose, labels, p.quote, "other label", "and"))
}

// divergence says at which step of the counterexample the other version cannot follow.
func (p *comparisonProse) divergence() string {
	v := p.c.Versions
	d := v.Divergence
	if d == nil || d.Follows {
		return ""
	}
	violating := p.latest()
	other := p.old()
	if v.New.Verdict != explain.Violated {
		violating, other = other, violating
	}
	where := fmt.Sprintf("After step %d of the run", d.Step)
	if d.After == 0 {
		where = "At the start"
	}
	if d.Rounds > 0 {
		where = fmt.Sprintf("After %d transitions, which go round its loop,", d.After)
	}
	if d.Takes == "" {
		return fmt.Sprintf("%s the versions part: %s stops, and %s could go on with %s.", where,
			violating, other, p.could(d.Could))
	}
	decision := ""
	if d.Decision > 0 {
		decision = fmt.Sprintf(", which is decision %d", d.Decision)
	}
	if len(d.Could) == 0 {
		return fmt.Sprintf("%s the versions part: %s can do nothing more; %s takes %s%s.",
			where, other, violating, p.labelText(d.Takes), decision)
	}
	return fmt.Sprintf("%s the versions part: here %s could only do %s; %s takes %s%s.", where,
		other, p.could(d.Could), violating, p.labelText(d.Takes), decision)
}

func (p *comparisonProse) could(labels []string) string {
	return listed(&p.prose, labels, p.quote, "other label", "or")
}

// decisions lists the decisions of one counterexample that the other version lacks.
func (p *comparisonProse) decisions(
	version string,
	all []compare.Decided,
	model string,
) string {
	if len(all) == 0 {
		return ""
	}
	var parts []string
	for _, d := range all {
		part := fmt.Sprintf("%d", d.Number)
		if d.Takes != "" {
			part = fmt.Sprintf("%s (decision %d, step %d)", p.labelText(d.Takes), d.Number,
				d.Step+1)
		}
		parts = append(parts, part)
	}
	noun := "decisions"
	if len(parts) == 1 {
		noun = "decision"
	}
	return fmt.Sprintf("%s %s on the run of %s: %s.", version, noun, model, p.listed(parts, "other decision"))
}

// ComparisonSentences returns the sentences about a comparison. First is the most important one, and
// Changes has one for each change.
func ComparisonSentences(c *compare.Comparison, quote func(text string) string) (said struct {
	First         string
	Rest, Changes []string
}) {
	p := &comparisonProse{c, prose{quote: quote}}
	formula := p.formula()
	said.First = p.first()
	said.Rest = slices.DeleteFunc(p.rest(), func(text string) bool {
		return text == formula
	})
	if c.Behaviour.Edit != nil {
		for _, change := range c.Behaviour.Edit.Changes {
			said.Changes = append(said.Changes, p.change(change))
		}
	}
	return said
}

// Since says in a few words what is new in the new version; "" if nothing is. It names the change that
// the counterexample of the new version meets and counts the others. If there is none, it names a few
// changes, or the renamed labels. If no change is known, it names the step at which the old version
// cannot follow.
func Since(c *compare.Comparison) string {
	p := &comparisonProse{c, prose{quote: sentenceText}}
	edit := c.Behaviour.Edit
	cause, isMet := c.Cause()
	switch {
	case edit == nil || len(edit.Changes) == 0:
		return strings.TrimSuffix(p.divergence(), ".")
	case edit.Renamed != nil:
		return "renamed: " + p.renamed()
	case !isMet:
		return p.inBrief(edit.Changes)
	}
	text := p.inBrief([]compare.Change{cause.Change}) + p.met(cause)
	if others := len(edit.Changes) - 1; others > 0 {
		text += "; and " + printable.Quantity(others, "other change")
	}
	return text
}

// inBrief lists changes by their kinds, as in "new: a from 1 to 2, b from 2 to 3; gone: c from 1", and
// counts those beyond the limit.
func (p *comparisonProse) inBrief(changes []compare.Change) string {
	shown := p.numNamed(len(changes))
	var kinds []string
	for _, kind := range []struct {
		compare.Kind
		done string
	}{{compare.Added, "new"}, {compare.Removed, "gone"}, {compare.Redirected, "redirected"}, {compare.Relabelled, "relabelled"}} {
		var parts []string
		for _, c := range changes[:shown] {
			if c.Kind == kind.Kind {
				parts = append(parts, p.transition(c))
			}
		}
		if parts != nil {
			kinds = append(kinds, kind.done+": "+strings.Join(parts, ", "))
		}
	}
	if more := len(changes) - shown; more > 0 {
		kinds = append(kinds, "and "+printable.Quantity(more, "other change"))
	}
	return strings.Join(kinds, "; ")
}

// transition names a changed transition by its label and its states, after the kind of the change.
func (p *comparisonProse) transition(c compare.Change) string {
	t := c.Transition
	label := p.labelText(t.Label)
	switch {
	case c.Begins && c.Kind == compare.Redirected:
		return fmt.Sprintf("the begin, now state %d", t.To)
	case c.Begins:
		return fmt.Sprintf("initial state %d", t.To)
	case c.Kind == compare.Removed:
		return fmt.Sprintf("%s from %d", label, c.At)
	case c.Kind == compare.Redirected:
		return fmt.Sprintf("%s from %d, now to %d", label, t.From, t.To)
	case c.Kind == compare.Relabelled:
		return fmt.Sprintf("%s from %d to %d, now %s", p.labelText(c.Was.Label), t.From, t.To,
			label)
	}
	return fmt.Sprintf("%s from %d to %d", label, t.From, t.To)
}

// met says where the counterexample of the new version meets a change.
func (p *comparisonProse) met(cause compare.Cause) string {
	steps := p.c.Versions.New.Counterexample.Steps
	switch {
	case cause.Step == len(steps):
		return ", where the run stops"
	case cause.Change.Kind != compare.Removed && isTaken(steps[cause.Step], cause.Change):
		return fmt.Sprintf(", taken in step %d", cause.Step+1)
	}
	return fmt.Sprintf(", passed in step %d", cause.Step+1)
}

// shownRun returns the explanation whose counterexample is shown: that of the new version if it
// violates the property, otherwise that of the old one; nil if neither violates it.
func shownRun(c *compare.Comparison) *explain.Explanation {
	switch {
	case c.Versions == nil:
	case c.Versions.New.Verdict == explain.Violated:
		return c.Versions.New
	case c.Versions.Old.Verdict == explain.Violated:
		return c.Versions.Old
	}
	return nil
}

// comparisonResult is the result of a comparison of two versions. Cost of writing it: O(size).
func comparisonResult(c *compare.Comparison) result {
	return result{
		prose: func(s *sheet) { tellComparison(s, c) },
		table: tableOf("change | from | label | to | was_from | was_label | was_to", func(t *table) error {
			if c.Behaviour.Edit == nil {
				return nil
			}
			for _, change := range c.Behaviour.Edit.Changes {
				cells := []any{change.Kind}
				latest, was := versionsOf(&change)
				for _, side := range []*compare.Arc{latest, was} {
					if side == nil {
						cells = append(cells, "", "", "")
					} else {
						cells = append(cells, side.From, modelText(side.Label), side.To)
					}
				}
				if err := t.row(cells...); err != nil {
					return err
				}
			}
			return nil
		}),
		schema: comparisonSchema,
		json:   func(d *document, _ Options) { comparisonJSON(d, c) },
	}
}

func tellComparison(s *sheet, c *compare.Comparison) {
	o := s.o
	p := &comparisonProse{c, prose{quote: s.quote, full: o.Full}}
	style := bold
	if c.Versions != nil && c.Versions.New.Verdict == explain.Violated {
		style += red
	}
	s.title(style, p.first())
	s.warnings(c.Warnings)
	e := shownRun(c)
	if e != nil {
		if !s.markdown {
			s.steps("action", runRows(sentencesFor(e, o, s.quote), o))
		} else if e.Counterexample.Length <= mostMarkdownSteps {
			s.separate()
			s.table(runOfComparison(s, p, e))
		}
	}
	s.paragraphs("  ", p.rest()...)
}

// runOfComparison returns the table of a run in Markdown, with a mark at the step that only one version
// can take.
func runOfComparison(s *sheet, p *comparisonProse, e *explain.Explanation) tableWriter {
	return tableOf("step: | state: | action | ", func(t *table) error {
		for i, step := range e.Counterexample.Steps {
			mark := ""
			d := p.c.Versions.Divergence
			if !d.Follows && i == d.Step {
				mark = "+ only " + p.latest()
				if p.c.Versions.New.Verdict != explain.Violated {
					mark = "− gone"
				}
			}
			if err := t.row(i+1, e.Name(step.From), s.quote(step.Label), mark); err != nil {
				return err
			}
		}
		return nil
	})
}

// mostMarkdownSteps is the largest number of steps of a run that Markdown shows.
const mostMarkdownSteps = 60

// versionsOf returns a changed transition as it is in the new and in the old version; nil for a version
// without it.
func versionsOf(c *compare.Change) (latest, was *compare.Arc) {
	switch c.Kind {
	case compare.Added:
		return &c.Transition, nil
	case compare.Removed:
		return nil, &c.Transition
	}
	return &c.Transition, &c.Was
}

type versionJSON struct {
	Model       string          `json:"model"`
	States      int             `json:"states"`
	Transitions int             `json:"transitions"`
	Verdict     explain.Verdict `json:"verdict,omitempty"`
	Length      *int            `json:"length,omitempty"`
}

type distinguishingJSON struct {
	Run     *[]string    `json:"run,omitzero"` // empty at the start
	Only    compare.Side `json:"only,omitempty"`
	Label   string       `json:"label,omitempty"`
	Formula string       `json:"formula,omitempty"`
}

type changeJSON struct {
	Kind compare.Kind `json:"kind"`
	New  *compare.Arc `json:"new,omitempty"`
	Old  *compare.Arc `json:"old,omitempty"`
	At   lts.State    `json:"at"`
}

type divergenceJSON struct {
	Follows  bool     `json:"follows"`
	Limited  bool     `json:"limited,omitempty"` // compared no further
	After    int      `json:"after"`
	OldCould []string `json:"old_could,omitempty"`
	NewCould []string `json:"new_could,omitempty"`
	Takes    *string  `json:"takes"`
	Decision *int     `json:"decision"`
}

func comparisonJSON(d *document, c *compare.Comparison) {
	b := c.Behaviour
	d.field("by", b.By)
	d.field("alike", b.Alike)
	d.field("complete", b.Complete)
	d.field("distinguishing", distinguishingOf(b))
	d.object("labels")
	d.field("new", b.Added)
	d.field("gone", b.Gone)
	d.close()
	old := versionJSON{
		Model:       c.OldFile,
		States:      b.Old.States,
		Transitions: b.Old.Transitions,
	}
	latest := versionJSON{
		Model:       c.NewFile,
		States:      b.New.States,
		Transitions: b.New.Transitions,
	}
	if c.Versions != nil {
		old.setVerdict(c.Versions.Old)
		latest.setVerdict(c.Versions.New)
	}
	d.field("old", old)
	d.field("new", latest)
	if b.Strange >= 0 {
		d.field("states_of_new_alone", b.Strange)
	}
	var changes []changeJSON
	if b.Edit != nil {
		for _, change := range b.Edit.Changes {
			arc, formerly := versionsOf(&change)
			changes = append(changes, changeJSON{
				Kind: change.Kind,
				New:  arc,
				Old:  formerly,
				At:   change.At,
			})
		}
	}
	d.field("changes", changes)
	if c.Versions != nil {
		versionsJSON(d, c)
	}
	p := &comparisonProse{c, prose{quote: sentenceText}}
	d.field("sentences", append([]string{p.first()}, p.rest()...))
	d.field("warnings", c.Warnings)
	d.cost(c.Timings, c.Cost)
}

// distinguishingOf returns what distinguishes two versions; nil if nothing is known.
func distinguishingOf(b *compare.Behaviour) *distinguishingJSON {
	switch {
	case b.Run != nil:
		return &distinguishingJSON{
			Run:     &b.Run.Run,
			Only:    b.Run.Only,
			Label:   b.Run.Label,
			Formula: b.Formula,
		}
	case b.Formula != "":
		return &distinguishingJSON{Formula: b.Formula}
	}
	return nil
}

// setVerdict sets the verdict on a version and the length of its counterexample.
func (v *versionJSON) setVerdict(e *explain.Explanation) {
	v.Verdict = e.Verdict
	if e.Counterexample != nil {
		v.Length = &e.Counterexample.Length
	}
}

// versionsJSON writes how the versions differ with respect to a property. "divergence" is about the run
// of the new version, "repaired" about that of the old one.
func versionsJSON(d *document, c *compare.Comparison) {
	v := c.Versions
	d.field("property", c.Formula)
	var divergence, repaired *divergenceJSON
	x := v.Divergence
	if x != nil {
		j := &divergenceJSON{
			Follows: x.Follows,
			Limited: x.Limited,
			After:   x.After,
		}
		if x.Takes != "" {
			j.Takes = &x.Takes
		}
		if x.Decision > 0 {
			j.Decision = &x.Decision
		}
		if v.New.Verdict == explain.Violated {
			j.OldCould = x.Could
			divergence = j
		} else {
			j.NewCould = x.Could
			repaired = j
		}
	}
	d.field("divergence", divergence)
	d.field("repaired", repaired)
	d.field("new_decisions", v.NewDecisions)
	d.field("gone_decisions", v.GoneDecisions)
	if v.New.Counterexample != nil {
		d.field("run", v.New.Counterexample.Steps)
	}
}
