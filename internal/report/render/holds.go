package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/simplify/steprows"
	"github.com/inev-lts/inev/property"
)

// capitalIfWord gives a sentence its capital letter, unless it begins with a label.
func capitalIfWord(text string) string {
	for _, word := range []string{"within", "after", "each", "never", "waiting", "what"} {
		if strings.HasPrefix(text, word+" ") {
			return capital(text)
		}
	}
	return text
}

// knownBounds returns the bounds within which the property is satisfied; nil if they are unknown. For
// inevitability they are counted from the start. For another property they are counted from the moment
// at which something becomes pending; each thing that can become pending has its own bound.
func knownBounds(e *explain.Explanation) []explain.Bound {
	h := e.Reasons
	if h == nil || len(h.Bounds) == 0 || h.Unbounded != nil ||
		overlapping(e, func(b explain.Bound) bool { return b.Recurring == "" }) {
		return nil
	}
	return h.Bounds
}

// overlapping reports whether the stretches that a selected bound measures can overlap. Then a sentence
// about the bound would claim too much: patterns count from the first of several occurrences.
func overlapping(e *explain.Explanation, selected func(explain.Bound) bool) bool {
	if _, is := e.Formula().(interface{ Specification() property.Specification }); is {
		return false
	}
	return slices.ContainsFunc(e.Reasons.Bounds, func(b explain.Bound) bool {
		return b.Overlaps && selected(b)
	})
}

// moreHolds counts the stronger properties that hold as well.
func moreHolds(e *explain.Explanation) int {
	if e.Reasons == nil || e.Reasons.NothingAsked != nil {
		return 0
	}
	return len(e.Reasons.NoRole)
}

// Within returns a clause, to follow a verdict, about the number of transitions after which the
// property is satisfied; "" if no bound is known.
func (s *Sentences) Within() string {
	if s.story.Within == nil {
		return ""
	}
	return s.p.within()
}

// within says after how many transitions the property is satisfied, in the form that follows a
// verdict, and names the steps that are not counted.
func (p *prose) within() string {
	bounds := knownBounds(p.e)
	uncounted := bounds[0].ApartFrom
	if uncounted != "" {
		return "apart from " + p.quote(uncounted) + ", " + p.spans(bounds)
	}
	return p.spans(bounds)
}

// spans states the bounds themselves, without the steps that are not counted.
func (p *prose) spans(bounds []explain.Bound) string {
	if len(bounds) == 1 && p.hasSteps() {
		return span(bounds[0], "action")
	}
	separator := ", "
	isList := func(b explain.Bound) bool { return p.hasSteps() && p.labelsOfStep(b.Step) != nil }
	if slices.ContainsFunc(bounds, isList) {
		separator = "; "
	}
	return p.inSequence(len(bounds), separator, func(i int) string {
		b := bounds[i]
		switch {
		case !p.hasSteps():
			return p.pendingBound(b)
		case i == 0:
			return p.nextStep(b.Step) + " " + span(b, "action")
		default:
			return p.nextStep(b.Step) + " " + span(b, "")
		}
	})
}

// span returns the least and the largest number of transitions of a bound in words, such as "within 2 to 5
// actions". The unit is the noun for one transition; if it is "", the text has only the numbers.
func span(b explain.Bound, unit string) string {
	if unit != "" {
		unit = " " + unit
		if *b.Most != 1 {
			unit += "s"
		}
	}
	if b.ApartFrom != "" {
		return fmt.Sprintf("after at most %d%s", *b.Most, unit)
	}
	if b.Least == *b.Most {
		return fmt.Sprintf("after exactly %d%s", b.Least, unit)
	}
	return fmt.Sprintf("within %d to %d%s", b.Least, *b.Most, unit)
}

// atMostText returns the words for a largest number of transitions, such as "within at most 5 actions".
func atMostText(most int) string {
	if most == 1 {
		return "at once"
	}
	return fmt.Sprintf("within at most %d actions", most)
}

// pendingBound reports how long something stays pending, for a property without steps.
func (p *prose) pendingBound(b explain.Bound) string {
	if f, is := p.e.Formula().(interface{ Specification() property.Specification }); is {
		text := p.patternBound(f.Specification(), b)
		if text != "" {
			return text
		}
	}
	w := b.Words
	compound := slices.ContainsFunc(w, func(piece property.Word) bool {
		return !piece.Quoted && strings.Contains(piece.Text, "; ")
	})
	switch {
	case b.Overlaps:
		return fmt.Sprintf("%s comes again and again, each time %s", p.pattern(b.Recurring),
			atMostText(*b.Most))
	case isRecurrence(w):
		return fmt.Sprintf("%s comes again and again, each time %s", p.pattern(w[1].Text),
			span(b, "action"))
	case w.Waits() && !compound:
		return fmt.Sprintf("%s ends %s", p.phrase(w), span(b, "action"))
	case w.Waits() && b.ApartFrom != "":
		return fmt.Sprintf("never %s for more than %s", p.phrase(b.Words),
			printable.Quantity(*b.Most, "action"))
	case w.Waits():
		return fmt.Sprintf("never %s for more than %s (at least %d)", p.phrase(b.Words),
			printable.Quantity(*b.Most, "action"), b.Least)
	}
	return fmt.Sprintf("what is pending is settled %s", span(b, "action"))
}

// patternBound reports the bound of a response or of inevitability in words. It returns "" for
// other patterns, and in scopes that may end before the answer.
func (p *prose) patternBound(s property.Specification, b explain.Bound) string {
	name := func(step property.Step) string {
		return p.pattern(step.Pattern.String())
	}
	isGlobal := s.Scope == property.Globally
	if s.Kind == property.KindResponse && isGlobal && len(s.Steps) == 2 {
		// The smallest number is left out: if several occurrences share one answer, it counts from the
		// first of them.
		return fmt.Sprintf("each %s is followed by %s %s", name(s.Steps[0]), name(s.Steps[1]),
			atMostText(*b.Most))
	}
	mayEndBefore := !isGlobal && !s.Scope.HasFrom()
	if s.Kind != property.KindInev || mayEndBefore {
		return ""
	}
	last := name(s.Steps[len(s.Steps)-1])
	if len(s.Steps) > 1 {
		last = "the last of them, " + last + ","
	}
	switch {
	case isGlobal && len(s.Steps) == 1:
		return span(b, "action")
	case isGlobal:
		return fmt.Sprintf("%s comes %s", last, span(b, "action"))
	case s.Scope == property.After:
		return fmt.Sprintf("after the first %s %s comes %s", name(s.From), last,
			span(b, "action"))
	}
	return fmt.Sprintf("after each %s %s comes %s", name(s.From), last, atMostText(*b.Most))
}

// unbounded says that there is no bound. It names the labels that can repeat any number of times before
// the step of the property that has no bound, or before what is pending.
func (p *prose) unbounded() string {
	h := p.e.Reasons
	i := slices.IndexFunc(h.Bounds, func(b explain.Bound) bool { return b.Most == nil })
	awaited := "what is pending is settled"
	switch {
	case i < 0:
	case p.hasSteps():
		awaited = p.nextStep(h.Bounds[i].Step)
	default:
		awaited = cmp.Or(p.onlyAwaited(h.Bounds[i].Words), awaited)
	}
	return fmt.Sprintf("There is no bound: %s can come any number of times before %s.",
		p.shortLabelList(h.Unbounded.Labels, "and"), awaited)
}

// onlyAwaited names what a run waits for as long as something is pending: the answer of a response, or
// what a formula requires again and again. It returns "" for other properties, whose runs may wait for
// one thing after another. The words describe what is pending first.
func (p *prose) onlyAwaited(words property.Phrase) string {
	f, isPattern := p.e.Formula().(interface{ Specification() property.Specification })
	if isPattern {
		s := f.Specification()
		if s.Kind != property.KindResponse || len(s.Steps) != 2 {
			return ""
		}
		return p.pattern(s.Steps[1].Pattern.String())
	}
	if isRecurrence(words) {
		return p.pattern(words[1].Text)
	}
	return ""
}

// isRecurrence reports whether a run waits for one thing, again and again.
func isRecurrence(words property.Phrase) bool {
	return words.Waits() && len(words) == 3 && words[2].Text == " again and again"
}

// slowestRun reports how many transitions the slowest run has, and lists its labels.
func (p *prose) slowestRun() string {
	c := p.e.Reasons.Slowest
	labels := make([]string, 0, len(c.Steps))
	for _, s := range c.Steps {
		labels = append(labels, s.Label)
	}
	return fmt.Sprintf("The slowest run has %s: %s.",
		printable.Quantity(c.Length, "transition"), p.bothEnds(labels))
}

// nothingAsked says that the property holds vacuously.
func (p *prose) nothingAsked() string {
	c := p.e.Reasons.NothingAsked
	switch {
	case c.Never == "" && c.Scope:
		return fmt.Sprintf("It holds for the wrong reason: nothing happens %s, so the scope is empty.", p.quote(c.Within))
	case c.Never != "" && c.Scope:
		return fmt.Sprintf("It holds for the wrong reason: %s never happens, so the scope is empty.", p.quote(c.Never))
	case c.Within != "":
		return fmt.Sprintf("It holds for the wrong reason: %s never happens %s, so the property requires nothing.", p.quote(c.Never), p.quote(c.Within))
	case c.Never != "":
		return fmt.Sprintf("It holds for the wrong reason: %s never happens, so the property requires nothing.", p.quote(c.Never))
	}
	return fmt.Sprintf("It may hold for the wrong reason: it would hold even if %s never happened.", p.shortLabelList(c.Asked, "and"))
}

// moreHolds says which stronger property holds; a full report names all of them.
func (p *prose) moreHolds() string {
	roles := p.e.Reasons.NoRole
	if !p.full {
		roles = roles[:1]
	}
	sentences := make([]string, len(roles))
	for i, n := range roles {
		switch {
		case n.Again:
			steps := p.e.Formula().(interface{ Specification() property.Specification }).Specification().Steps
			sentences[i] = fmt.Sprintf("More holds: %s comes again and again, requested or not.",
				p.pattern(steps[1].Pattern.String()))
		case n.Needless:
			sentences[i] = fmt.Sprintf("%s is not needed: %s holds, too.", p.quote(n.Atom),
				p.quote(n.Still))
		default:
			sentences[i] = fmt.Sprintf("It also satisfies the stronger %s.", p.quote(n.Still))
		}
	}
	text := strings.Join(sentences, " ")
	if more := len(p.e.Reasons.NoRole) - len(roles); more > 0 {
		text = fmt.Sprintf("%s, and %s.", strings.TrimSuffix(text, "."),
			printable.Quantity(more, "stronger statement"))
	}
	return text
}

// margin says by how much the property holds.
func (p *prose) margin() string {
	m := p.e.Reasons.Margin
	pattern := p.quote(m.Restricted)
	kind := p.e.Property.Kind
	f, isLTL := p.e.Formula().(*ltl.Formula)
	switch {
	case isLTL && f.IsInvariant() && m.Count == 1:
		return "It holds in the only state that runs reach."
	case isLTL && f.IsInvariant():
		return fmt.Sprintf("It holds in each of the %d states that runs reach.", m.Count)
	case kind == property.KindDeadlockFree:
		return waysOn(m.Count, m.OneWay)
	case m.Before != "" && m.Count == 1:
		return fmt.Sprintf("The first %s can come right after %s.", p.quote(m.Before), pattern)
	case m.Before != "":
		return fmt.Sprintf("The first %s comes at least %d actions after each %s before it.",
			p.quote(m.Before), m.Count, pattern)
	case kind == property.KindNever && m.After != "" && m.Count == 1:
		return fmt.Sprintf("%s can come right after the first %s.", pattern, p.quote(m.After))
	case kind == property.KindNever && m.After != "":
		return fmt.Sprintf("%s comes at least %d actions after the first %s, if that happens.",
			pattern, m.Count, p.quote(m.After))
	case kind == property.KindAlways && m.Count == 0:
		return "It allows every action of the model, so it cannot be violated."
	case kind == property.KindAlways:
		verb := "do"
		if m.Count == 1 {
			verb = "does"
		}
		return fmt.Sprintf("%s %s something else, and no run comes there.",
			printable.Quantity(m.Count, "transition"), verb)
	case kind == property.KindNever:
		return fmt.Sprintf("%s is on %s, and no run comes there.", pattern,
			printable.Quantity(m.Count, "transition"))
	case kind == property.KindAtMost && m.Count == m.Times:
		return fmt.Sprintf("Some run does %s as often as is allowed.", pattern)
	case kind == property.KindAtMost:
		return fmt.Sprintf("No run does %s more than %s, of %d allowed.", pattern,
			times(m.Count), m.Times)
	case m.Count == 1:
		return fmt.Sprintf("The first %s can come right after the first %s.", pattern,
			p.quote(m.After))
	}
	return fmt.Sprintf("The first %s comes at least %d actions after the first %s.", pattern,
		m.Count, p.quote(m.After))
}

// waysOn says that each of some states has a next action, and how many of them have only one.
func waysOn(states, oneWay int) string {
	switch {
	case states == 1 && oneWay == 1:
		return "The only state that runs reach can go on in one way."
	case states == 1:
		return "The only state that runs reach can go on in several ways."
	case oneWay == 0:
		return fmt.Sprintf("Each of the %d states that runs reach can go on in several ways.", states)
	case oneWay == states:
		return fmt.Sprintf("Each of the %d states that runs reach can go on in one way.", states)
	}
	return fmt.Sprintf("Each of the %d states that runs reach can go on, %d of them in only one way.",
		states, oneWay)
}

// times says how often something happens.
func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// mostSupports is the largest number of actions on which a property is said to rest.
const mostSupports = 2

// restsOn names the labels without which the property would fail. If some labels matter for other
// reasons, it only counts the labels that matter because a state has no other label to continue with.
func (p *prose) restsOn() string {
	all := p.e.Reasons.RestsOn
	if !p.full {
		all = p.supportsToName(all)
		if len(all) == 0 {
			return ""
		}
	}
	supports := slices.DeleteFunc(slices.Clone(all), func(s explain.Support) bool {
		return s.State != nil
	})
	if len(supports) == 0 {
		supports = all
	}
	noun := "action"
	if supports[0].ByLabel {
		noun = "label"
	}
	text := "It rests on " + printable.Quantity(len(all), noun) + ": " +
		strings.Join(p.failuresWithout(supports), "; ")
	only := len(all) - len(supports)
	if only > 0 {
		text += fmt.Sprintf("; %s %s the only choice in some state",
			printable.Quantity(only, "other"), be(only))
	}
	return text + "."
}

// failuresWithout says what a run could do without some actions. Actions with the same effect share a
// clause.
func (p *prose) failuresWithout(supports []explain.Support) []string {
	type failure struct {
		could   string
		missing []string
	}
	var failures intern.List[string, failure]
	shown := p.numNamed(len(supports))
	for _, s := range supports[:shown] {
		could := "go round a loop forever"
		if s.State != nil {
			could = fmt.Sprintf("stop in state %d", *s.State)
		}
		f := &failures.All[failures.Index(could, failure{could: could})]
		f.missing = append(f.missing, "without "+p.quote(s.Gate))
	}
	var clauses []string
	for _, f := range failures.All {
		clauses = append(clauses, fmt.Sprintf("%s, a run could %s", printable.List(f.missing, "or"), f.could))
	}
	more := len(supports) - shown
	if more > 0 {
		clauses = append(clauses, fmt.Sprintf("… and %d more", more))
	}
	return clauses
}

// supportsToName returns the supports that a report names. It leaves out steps of the property. If some
// supports keep runs from repeating a loop, it returns only these, and leaves out labels that are the
// only choice in some state. It returns none if too many remain.
func (p *prose) supportsToName(all []explain.Support) []explain.Support {
	others := slices.DeleteFunc(slices.Clone(all), func(s explain.Support) bool {
		return s.Step
	})
	loops := slices.DeleteFunc(slices.Clone(others), func(s explain.Support) bool {
		return s.State != nil
	})
	if len(loops) > 0 {
		others = loops
	}
	if len(others) > mostSupports {
		return nil
	}
	return others
}

// leastFaults reports how many faults a violation takes.
func (p *prose) leastFaults() string {
	c := p.e.Faults
	name := p.quote(c.Patterns)
	if c.Number > 1 {
		name = p.quote("{" + c.Patterns + "}")
	}
	var text string
	switch {
	case c.Least != nil && *c.Least == 0:
		text = fmt.Sprintf("It fails without any %s", name)
	case c.Least != nil && *c.Least == 1:
		text = fmt.Sprintf("It takes 1 %s: on every run without any it holds", name)
	case c.Least != nil:
		text = fmt.Sprintf("It takes %d %s: on every run with at most %d it holds", *c.Least,
			name, *c.Least-1)
	case c.OnlyForEver:
		text = fmt.Sprintf("It fails only if %s happens infinitely often", name)
	default:
		text = fmt.Sprintf("It holds, however often %s happens", name)
	}
	if c.LostAfter != nil {
		then := "the run then needs infinitely many"
		if c.Least != nil {
			then = fmt.Sprintf("the run then needs %d", *c.Least)
		}
		when := "before any"
		if *c.LostAfter > 0 {
			when = fmt.Sprintf("after %d", *c.LostAfter)
		}
		text += fmt.Sprintf("; %s it can no longer hold, though %s", when, then)
	}
	return text + "."
}

// mostFaster is the largest number of faster choices next to the steps of the slowest run.
const mostFaster = 5

// SlowestRun returns the remark next to each step of the slowest run of a property that holds, "" for
// none, and the remark next to the end of the run. It returns nil if there is no such run. Cost
// O(steps).
func (s *Sentences) SlowestRun() (sentences []string, end string) {
	if s.story.Slowest == nil {
		return nil, ""
	}
	end = "nothing is pending any more"
	if s.p.hasSteps() {
		end = "whatever follows, the property holds"
	}
	return s.p.nextToSlowest(s.p.e.Reasons.Slowest), end
}

// nextToSlowest returns the remark next to each step of the slowest run.
func (p *prose) nextToSlowest(s *explain.Slowest) []string {
	sentences := make([]string, len(s.Steps))
	addRemark := func(i int, text string) {
		if sentences[i] != "" && text != "" {
			sentences[i] += "; "
		}
		sentences[i] += text
	}
	run := s.AsRun()
	for i := range s.Steps {
		before := 0
		if i > 0 {
			before = s.Steps[i-1].Progress
		}
		n := len(p.e.Property.Steps)
		if n > 1 && s.Steps[i].Progress > before {
			addRemark(i, fmt.Sprintf("%d of %d done", s.Steps[i].Progress, n))
		}
		words := pendingAfter(run, i+1)
		if i == len(s.Steps)-1 && stateAfter(run, i+1) != nil &&
			stateAfter(run, i+1).Words == nil {
			continue // the remark at the end says so
		}
		if words != nil && words.String() != pendingAfter(run, i).String() {
			addRemark(i, p.phrase(words))
		}
	}
	for _, f := range p.gravest(s.Faster) {
		addRemark(int(f.Step), p.faster(s, f))
	}
	return sentences
}

// gravest returns the choices that cost the most transitions, in the order of the run.
func (p *prose) gravest(all []explain.Faster) []explain.Faster {
	if p.full || len(all) <= mostFaster {
		return all
	}
	gain := func(f explain.Faster) int {
		least := f.Left
		for _, a := range f.Alternatives {
			least = min(least, a.Most)
		}
		return f.Left - least
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b explain.Faster) int {
		return gain(b) - gain(a)
	})
	sorted = sorted[:mostFaster]
	slices.SortFunc(sorted, func(a, b explain.Faster) int {
		return int(a.Step) - int(b.Step)
	})
	return sorted
}

// faster names the faster choices at a step: "REFUSAL: 2 steps left, not 16".
func (p *prose) faster(s *explain.Slowest, f explain.Faster) string {
	ways := map[string]int{s.Steps[f.Step].Label: 1}
	var alternatives []explain.FasterChoice
	for _, a := range f.Alternatives {
		// A second, equally slow alternative with the same label is left out, unless the run takes this
		// label here; then the target distinguishes them.
		isSame := func(b explain.FasterChoice) bool {
			return a.Label == b.Label && a.Most == b.Most
		}
		if a.Label == s.Steps[f.Step].Label || !slices.ContainsFunc(alternatives, isSame) {
			alternatives = append(alternatives, a)
			ways[a.Label]++
		}
	}
	slices.SortStableFunc(alternatives, func(a, b explain.FasterChoice) int {
		return a.Most - b.Most
	})
	var parts []string
	for i, a := range alternatives {
		name := p.labelText(a.Label)
		if ways[a.Label] > 1 {
			name += " to state " + p.e.Name(a.To)
		}
		if i == 0 {
			parts = append(parts, fmt.Sprintf("%s: %s left", name, printable.Quantity(a.Most, "step")))
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %d", name, a.Most))
	}
	parts = shortenMiddle(parts, p.numNamed(len(parts)), 0)
	return fmt.Sprintf("%s, not %d", strings.Join(parts, ", "), f.Left)
}

// tellSlowest writes the slowest run as a table.
func tellSlowest(s *sheet, p *Sentences) {
	sentences, end := p.SlowestRun()
	if len(sentences) == 0 {
		return
	}
	o := s.o
	run := p.p.e.Reasons.Slowest
	title := "The slowest run"
	if len(run.Faster) > 0 {
		title += ", and what would have been faster"
	}
	s.heading(title)
	var table []row
	for _, r := range steprows.Rows(len(run.Steps),
		func(i int) string { return run.Steps[i].Label }, steprows.RowOptions{
			Loop: -1, Full: o.Full, Hides: steprows.Matching(o.Hide), Eventful: func(i int) bool { return sentences[i] != "" },
		}) {
		first := &run.Steps[r.First]
		step := rowOf(r, first.Label, p.p.e.Name(first.From))
		if r.Kind == steprows.OneStep && sentences[r.First] != "" {
			step.remarks = []remark{{text: sentences[r.First]}}
		}
		table = append(table, step)
	}
	s.steps("action", append(table, row{kind: endRow, state: p.p.e.Name(run.Last()), words: end}))
}

// Holding returns the reasons why a property holds, apart from its bounds and the slowest run; nil if
// the property is violated.
func (s *Sentences) Holding() []string {
	if s.p.e.Verdict != explain.Satisfied {
		return nil
	}
	sentences := sayAll(&s.p, slices.Concat(s.story.Faults, s.story.Holds))
	return slices.DeleteFunc(sentences, func(sentence string) bool {
		return sentence == ""
	})
}

// Faults says how many faults a violating run has at least; "" if that was not requested.
func (s *Sentences) Faults() string { return strings.Join(sayAll(&s.p, s.story.Faults), " ") }
