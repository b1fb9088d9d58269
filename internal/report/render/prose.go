package render

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// prose puts claims into sentences. The formats differ only in the function quote, which formats a text
// of the model.
type prose struct {
	e     *explain.Explanation
	quote func(label string) string
	// full says that no list is cut.
	full bool
	// brief reports that the full text would be too long, see [Sentences.InBrief].
	brief bool
	// listing reports that the reader has asked for lists. Then lists of at most mostListed items are
	// not shortened.
	listing bool
	// commands are the commands that a sentence may name.
	commands Commands
	// standsAlone reports that no verdict comes before the sentence, so that "it" would refer to nothing.
	standsAlone bool
}

// numNamed returns how many of n items a sentence names; the sentence counts the others. A single item is
// never left out, since its name is hardly longer than "1 more".
func (p *prose) numNamed(n int) int {
	leavesOutOne := n == mostNamed+1
	if leavesOutOne {
		return n
	}
	return p.numNamedUpTo(mostNamed, n)
}

// mostListed is the largest number of items that a list names one by one if listing is set. The same
// limit applies to the labels in the sentences of [prose.doomed], and to actions that no longer happen.
const mostListed = 9

// numNamedUpTo is like [prose.numNamed], with another limit than mostNamed.
func (p *prose) numNamedUpTo(limit, n int) int {
	if p.full || p.listing && n <= mostListed {
		return n
	}
	return min(n, limit)
}

// betterInitialStates names initial states that are better for the property than the initial state of the
// run; "" if there are none. They make the property certain. If no run from the run's own initial state
// satisfies the property, states that keep the property possible are better, too.
func (p *prose) betterInitialStates() string {
	c := p.e.Counterexample
	m := p.e.LTS()
	if p.e.Classes == nil || len(c.Steps) == 0 || !m.IsBefore(c.Steps[0].From) {
		return ""
	}
	var certain, possible []lts.State
	labels, targets := m.Out(m.Initial())
	for i, to := range targets {
		class := p.e.Classification().Class(m.Initial(), labels.At(i), to)
		switch {
		case class == fate.Correct:
			certain = append(certain, to)
		case class == fate.Neutral && c.Steps[0].Fate == simplify.Fated:
			possible = append(possible, to)
		}
	}
	allRuns := "all runs that begin in "
	someRuns := "some runs that begin in "
	if p.excludes() {
		allRuns = "all runs that count and begin in "
		someRuns = "some that count and begin in "
	}
	var subjects []string
	addSubject := func(runs string, states []lts.State) {
		if len(states) > 0 {
			slices.Sort(states)
			subjects = append(subjects, runs+p.stateList(slices.Compact(states)))
		}
	}
	addSubject(allRuns, certain)
	addSubject(someRuns, possible)
	if subjects == nil {
		return ""
	}
	return " " + capital(printable.List(subjects, "and")) + " satisfy the property."
}

// sayAll returns the sentences of claims.
func sayAll(p *prose, claims []Claim) []string {
	sentences := make([]string, len(claims))
	for i, c := range claims {
		sentences[i] = c.say(p)
	}
	return sentences
}

// shape describes the form and the length of the counterexample.
func (p *prose) shape() string {
	c := p.e.Counterexample
	subject := p.subjectOfShape()
	length := printable.Quantity(c.Length, "transition")
	last := p.e.Name(p.last(c))
	stem := int(c.LoopStart) - (len(c.Steps) - c.Length) // the number of transitions before the loop
	switch {
	case c.Trap != nil && c.Length == 0:
		return "No run is needed to show it."
	case c.Trap != nil:
		return fmt.Sprintf("%s has %s and ends in state %s, from where on the property is lost.", subject, length, last)
	case c.IsStem():
		return fmt.Sprintf("%s has %s and ends in state %s: whatever follows, the property is violated.", subject, length, last)
	case len(c.Refused) > 0:
		return fmt.Sprintf("%s has %s and stops in state %s, where %s.", subject, length,
			last, refused(c, p.quote))
	case c.Length == 0:
		return "The initial state is a deadlock: the run ends before it begins."
	case c.LoopStart < 0 && c.Shortest && p.fully():
		return fmt.Sprintf("%s into a deadlock has %s and ends in state %s.", subject, length,
			last)
	case c.LoopStart < 0:
		return fmt.Sprintf("%s has %s and ends in a deadlock, state %s.", subject, length,
			last)
	case stem == 0:
		return fmt.Sprintf("%s is a loop of %s at the initial state, repeated forever.",
			subject, length)
	}
	return fmt.Sprintf("%s has %s, of which the last %s a loop that is repeated forever.",
		subject, length, lastForm(c.Length-stem))
}

// subjectOfShape names the counterexample by where it comes from, and by what is known about its length.
func (p *prose) subjectOfShape() string {
	c := p.e.Counterexample
	inProduct := c.Shortest && c.Minimal == counterexample.InProduct
	pattern := p.e.Pattern()
	switch {
	case inProduct && c.Given:
		return "The given counterexample, a shortest one in the product of model and property,"
	case inProduct:
		return "A shortest counterexample in the product of model and property"
	case c.Given && c.Shortest:
		return "The given counterexample, a shortest one,"
	case c.Given:
		return "The given counterexample"
	case pattern != nil && !c.Shortest:
		return fmt.Sprintf("This counterexample, which does %s,", p.patternSequence(pattern.Steps()))
	case pattern != nil:
		return fmt.Sprintf("A shortest counterexample that does %s", p.patternSequence(pattern.Steps()))
	case c.Shortest:
		return "A shortest counterexample"
	}
	return "This counterexample"
}

// lastForm returns a number of last transitions, with the verb.

func lastForm(n int) string {
	if n == 1 {
		return "one is"
	}
	return fmt.Sprintf("%d are", n)
}

// missing names the step that is never taken, and the steps before it.
func (p *prose) missing() string {
	done := p.e.Counterexample.Done
	if done == 0 {
		return fmt.Sprintf("It never does %s.", p.step(1))
	}
	return fmt.Sprintf("It does %s, but after that never %s.", p.stepSequence(1, done),
		p.nextStep(done+1))
}

// doomed says which steps can no longer happen after the last state of a finite run.
func (p *prose) doomed() string {
	c := p.e.Counterexample.Trap
	stays := "it stays in " + printable.Quantity(c.States, "state")
	if p.full || len(c.Labels) <= mostListed { // three labels of fifty say nothing
		stays += fmt.Sprintf(", where only %s can happen", p.labelList(c.Labels, "and"))
	}
	if !p.hasSteps() {
		return fmt.Sprintf("From there on %s satisfies the property: %s.", p.none(), stays)
	}
	return fmt.Sprintf("Whatever is done from there on, %s does %s: %s.", p.none(),
		p.stepSequence(c.First, c.Step), stays)
}

// unmet describes what a run never fulfils, for a property without steps: what is pending at its end
// or, state by state, on its loop.
func (p *prose) unmet() string {
	c := p.e.Counterexample
	isFinite := c.LoopStart < 0
	pending := pendingAtEnd(c)
	since := pendingSince(c)
	if len(pending) == 0 {
		return "That is not allowed."
	}
	first := pending[0]
	if !first.Waits() {
		text := p.phrase(first)
		if !first[0].Quoted {
			text = capital(text)
		}
		return text + "."
	}
	phrases := p.phrases(pending)
	switch {
	case isFinite && since > 0 && first.HasSince():
		return fmt.Sprintf("At its end the run is %s (step %d).", phrases[0], since)
	case isFinite && since > 0:
		return fmt.Sprintf("At its end the run is %s since step %d.", phrases[0], since)
	case isFinite:
		return fmt.Sprintf("At its end the run is %s.", phrases[0])
	case since == 0:
		return fmt.Sprintf("The run is %s, forever.", phrases[0])
	case since > 0:
		return fmt.Sprintf("After step %d the run is %s, forever.", since, phrases[0])
	}
	return fmt.Sprintf("On its loop the run is again and again %s.",
		printable.List(phrases, "or"))
}

// phrases returns the texts of phrases, and counts those beyond the limit.
func (p *prose) phrases(all []property.Phrase) []string {
	texts := make([]string, 0, len(all))
	for _, words := range all {
		texts = append(texts, p.phrase(words))
	}
	return shortenMiddle(texts, p.numNamed(len(texts)), 0)
}

// firstAtEnd returns the number of steps after which the end of a run begins: all steps of a finite run;
// for a lasso, the steps up to and including the first step of the loop.
func firstAtEnd(c *explain.Counterexample) int {
	if c.LoopStart < 0 {
		return len(c.Steps)
	}
	return int(c.LoopStart) + 1
}

// pendingAtEnd returns what is pending at the end of a run, or on its loop, each once.
func pendingAtEnd(c *explain.Counterexample) []property.Phrase {
	var pending []property.Phrase
	visited := map[string]bool{}
	first := firstAtEnd(c)
	for i := first; i <= len(c.Steps); i++ {
		if i > first && stateAfter(c, i) == stateAfter(c, i-1) {
			continue // most steps of a long run have the same value
		}
		words := stateAfter(c, i).Words
		text := words.String()
		if text != "" && !visited[text] {
			visited[text] = true
			pending = append(pending, words)
		}
	}
	return pending
}

// pendingSince returns the number of steps after which the only pending thing stays pending; -1 if
// several things are pending on the loop.
func pendingSince(c *explain.Counterexample) int {
	last := len(c.Steps)
	atEnd := stateAfter(c, last)
	isSame := func(i int) bool {
		state := stateAfter(c, i)
		return state == atEnd || state.Words.String() == atEnd.Words.String()
	}
	for i := firstAtEnd(c); i <= last; i++ {
		if !isSame(i) {
			return -1
		}
	}
	since := last
	for since > 0 && isSame(since-1) {
		since--
	}
	return since
}

// phrase joins the words of a phrase, and quotes those of the model.
func (p *prose) phrase(words property.Phrase) string {
	var b strings.Builder
	for _, w := range words {
		if w.Quoted {
			b.WriteString(p.pattern(w.Text))
		} else {
			b.WriteString(w.Text)
		}
	}
	return b.String()
}

// requirement lists the property's steps: "A, later B, later C".
func (p *prose) requirement() string { return p.stepSequence(1, len(p.e.Property.Steps)) }

// step names step i of the property, counted from 1. It names a set, a regular expression or a
// disjunction by the labels that match it.
func (p *prose) step(i int) string {
	labels := p.labelsOfStep(i)
	if labels == nil {
		return p.quote(p.e.Property.Steps[i-1].Pattern)
	}
	return p.oneOf(labels)
}

// nextStep names step i for a run that has done the steps before. It says "a second A" if the previous step
// is A, too, and "another A" if only an earlier step is.
func (p *prose) nextStep(i int) string {
	steps := p.e.Property.Steps
	pattern := steps[i-1].Pattern
	same := 1 // the number of consecutive steps with this pattern up to step i
	for same < i && steps[i-1-same].Pattern == pattern {
		same++
	}
	if same > 1 {
		return fmt.Sprintf("%s %s", printable.AnOrdinal(same), p.step(i))
	}
	for _, before := range steps[:i-1] {
		if before.Pattern == pattern {
			return "another " + p.step(i)
		}
	}
	return p.step(i)
}

// labelsOfStep returns the labels by which sentences name step i of the property; nil if they name its
// pattern.
func (p *prose) labelsOfStep(i int) []string {
	step := p.e.Property.Steps[i-1]
	isSet := strings.HasPrefix(step.Pattern, "{")
	isExpression := strings.HasPrefix(step.Pattern, "/")
	isDisjunction := strings.Contains(step.Pattern, " || ") && len(step.Labels) <= mostListed
	isList := isSet || isExpression || isDisjunction
	if !isList || len(step.Labels) == 0 {
		return nil
	}
	m := p.e.LTS()
	hasValues := m != nil && len(m.Alphabet().FactNames()) > 0
	if hasValues {
		return nil
	}
	return step.Labels
}

// oneOf names several labels of which one is meant: "A or B", "one of A, B, C (5 more)".
func (p *prose) oneOf(labels []string) string {
	shown := p.numNamed(len(labels))
	if shown == len(labels) && shown <= mostNamed {
		return p.shortLabelList(labels, "or")
	}
	named := make([]string, shown)
	for i, label := range labels[:shown] {
		named[i] = p.labelText(label)
	}
	return "one of " + strings.Join(named, ", ") + moreText(len(labels)-shown)
}

// noLongerHappens says that something can no longer happen.
func noLongerHappens(name string) string {
	if labels, isOne := strings.CutPrefix(name, "one of "); isOne {
		return "none of " + labels + " can happen any more"
	}
	return name + " can no longer happen"
}

// happensNowhere says that no run of the model does something.
func happensNowhere(name string) string {
	if labels, isOne := strings.CutPrefix(name, "one of "); isOne {
		return "none of " + labels + " happens anywhere"
	}
	return name + " happens nowhere"
}

// moreText counts what a list leaves out; "" if it leaves out nothing.
func moreText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d more)", n)
}

// stepSequence lists steps first to last of the property, for a run that has done the steps before.
func (p *prose) stepSequence(first, last int) string {
	return p.inSequence(last-first+1, ", later ", func(i int) string {
		return p.nextStep(first + i)
	})
}

// patternSequence lists patterns.
func (p *prose) patternSequence(patterns []actl.Pattern) string {
	return p.inSequence(len(patterns), ", later ", func(i int) string {
		return p.quote(patterns[i].String())
	})
}

// inSequence lists n things with a text between each two. If there are too many, it counts some of them,
// but it always names the last one.
func (p *prose) inSequence(n int, between string, name func(i int) string) string {
	shown := p.numNamed(n)
	var s strings.Builder
	for i := range shown - 1 {
		if i > 0 {
			s.WriteString(between)
		}
		s.WriteString(name(i))
	}
	switch {
	case shown < n:
		fmt.Fprintf(&s, ", … (%d more)%s", n-shown, between)
	case n > 1:
		s.WriteString(between)
	}
	s.WriteString(name(n - 1))
	return s.String()
}

// howMany returns the sentence about the number of all shortest counterexamples.
func (p *prose) howMany() string {
	all := p.e.All
	length := printable.Quantity(p.e.Counterexample.Length, "transition")
	if all.Count.IsInt64() && all.Count.Int64() == 1 {
		return fmt.Sprintf("This is the only one of %s.", length)
	}
	listed := "all of them"
	if !all.Count.IsInt64() || all.Count.Int64() != int64(len(all.Listed)) {
		listed = fmt.Sprintf("the first %d", len(all.Listed))
	}
	return fmt.Sprintf("There are %s of %s; %s:", all.Count, length, listed)
}

// inOneLine writes a counterexample as its labels, the loop in brackets.
func (p *prose) inOneLine(c *explain.Counterexample) string {
	labels := make([]string, len(c.Steps))
	for i, step := range c.Steps {
		labels[i] = step.Label
	}
	labels = p.labelTexts(labels)
	if c.LoopStart < 0 {
		ending := "deadlock"
		if c.IsStem() {
			ending = "lost"
		} else if len(c.Refused) > 0 {
			ending = "stops"
		}
		return fmt.Sprintf("%s: %s in state %s", p.ends(labels), ending, p.e.Name(p.last(c)))
	}
	stem := p.ends(labels[:c.LoopStart])
	loop := p.ends(labels[c.LoopStart:])
	if stem != "" {
		stem += ", "
	}
	return fmt.Sprintf("%sforever [%s]", stem, loop)
}

// refused names the labels that are possible at the end of a run but that the environment refuses
// forever.
func refused(c *explain.Counterexample, quote func(string) string) string {
	p := prose{quote: quote}
	return fmt.Sprintf("only %s, which may be blocked, %s possible", p.shortLabelList(c.Refused, "and"),
		be(len(c.Refused)))
}

func be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// last returns the state in which a counterexample ends.
func (p *prose) last(c *explain.Counterexample) lts.State {
	if len(c.Steps) == 0 {
		return p.e.LTS().Initial()
	}
	return c.Steps[len(c.Steps)-1].To
}

// abstraction says which steps remain in the abstracted counterexample.
func (p *prose) abstraction() string {
	kept := p.e.Abstracted.Steps
	labels := make([]string, len(kept))
	for i, k := range kept {
		labels[i] = p.e.Counterexample.Steps[k].Label
	}
	return fmt.Sprintf("Cut down to its decisions, the run has %s instead of %d: %s.",
		printable.Quantity(len(kept), "transition"), p.e.Counterexample.Length, p.bothEnds(labels))
}

// bothEnds lists the labels of a run. If there are many, it lists only the first and the last ones.
func (p *prose) bothEnds(labels []string) string {
	labels = foldedList(p.labelTexts(labels))
	if !p.full {
		labels = shortenMiddle(labels, mostNamed, mostNamed)
	}
	return strings.Join(labels, ", ")
}

// ends lists quoted labels, equal ones in a row as one. If there are many, it lists the first and the last ones,
// and counts the transitions between.
func (p *prose) ends(labels []string) string {
	folded := foldedList(labels)
	const ellipsis = 1
	if p.full || len(folded) <= 2*mostNamed+ellipsis {
		return strings.Join(folded, ", ")
	}
	return strings.Join(foldedList(shortenMiddle(labels, mostNamed, mostNamed)), ", ")
}

// shortenMiddle returns the first and the last parts of a list, and counts the parts between.
func shortenMiddle(parts []string, first, last int) []string {
	more := len(parts) - first - last
	if more <= 0 {
		return parts
	}
	return slices.Concat(parts[:first], []string{fmt.Sprintf("… (%d more)", more)},
		parts[len(parts)-last:])
}

func (p *prose) quoted(texts []string) []string {
	sentences := make([]string, len(texts))
	for i, text := range texts {
		sentences[i] = p.quote(text)
	}
	return sentences
}

// listed names as many things as a sentence may name, and counts the rest: "A, B, C or 4 other
// actions". The text others is the singular of the noun for the rest. The word last precedes the last
// name, unless it is "".
func listed[T any](p *prose, all []T, name func(T) string, others, last string) string {
	shown := p.numNamed(len(all))
	parts := make([]string, shown, shown+1)
	for i, x := range all[:shown] {
		parts[i] = name(x)
	}
	more := len(all) - shown
	switch {
	case more == 0 && last == "":
		return strings.Join(parts, ", ")
	case more > 0 && others == "":
		parts = append(parts, fmt.Sprintf("%d more", more))
	case more > 0:
		parts = append(parts, printable.Quantity(more, others))
	}
	return printable.List(parts, cmp.Or(last, "and"))
}

// listed calls the function of the same name for texts that need no quotes.
func (p *prose) listed(texts []string, others string) string {
	return listed(p, texts, func(text string) string { return text }, others, "and")
}

// conditions lists the conjuncts that a run violates, each with its reason.
func (p *prose) conditions() string {
	byVerdict := map[explain.Verdict][]string{}
	for _, part := range p.e.Conjuncts {
		text := p.quote(part.Text)
		if part.Verdict == explain.Violated {
			text += p.reasonOf(part)
		}
		byVerdict[part.Verdict] = append(byVerdict[part.Verdict], text)
	}
	text := fmt.Sprintf("Of the %d conditions, this run violates %s", len(p.e.Conjuncts),
		p.listed(byVerdict[explain.Violated], ""))
	holds := byVerdict[explain.Satisfied]
	if len(holds) > 0 {
		text += ", and satisfies " + p.listed(holds, "")
	}
	open := byVerdict[0]
	if len(open) > 0 {
		text += ", and leaves open " + p.listed(open, "")
	}
	return text + "."
}

// reasonOf returns the reason why a conjunct is violated, in parentheses; "" if no reason is known.
func (p *prose) reasonOf(c explain.Conjunct) string {
	switch {
	case c.FromStart:
		return " (from the start)"
	case c.Step != nil:
		return fmt.Sprintf(" (in step %d, %s)", *c.Step+1,
			p.quote(p.e.Counterexample.Steps[*c.Step].Label))
	case len(c.Pending) > 0:
		return " (" + p.phrase(property.Phrase(c.Pending)) + ")"
	}
	return ""
}

// canBe describes what can become of the property in a neighbourhood of this kind.
func canBe(kind neighbourhood.Kind) string {
	switch kind {
	case neighbourhood.CorrectChoice:
		return "can be saved"
	case neighbourhood.IncorrectChoice:
		return "can be lost"
	}
	return "can be saved or lost"
}

// elsewhere counts the neighbourhoods off the run, by what can become of the property there.
func (p *prose) elsewhere(total int, statesBy map[string][]lts.State) string {
	if total == 0 {
		return "There is no other decision in the model."
	}
	others := printable.Quantity(total, "other decision")
	subject := "the property"
	var parts []string
	for _, kind := range []neighbourhood.Kind{
		neighbourhood.CorrectChoice,
		neighbourhood.IncorrectChoice,
		neighbourhood.Mixed,
	} {
		can := canBe(kind)
		states := statesBy[can]
		switch len(states) {
		case 0:
		case total:
			return fmt.Sprintf("%s in the model, where the property %s (%s).", others, can,
				p.stateList(states))
		default:
			parts = append(parts,
				fmt.Sprintf("%d where %s %s (%s)", len(states), subject, can,
					p.stateList(states)))
			subject = "it"
		}
	}
	return fmt.Sprintf("%s in the model: %s.", others, strings.Join(parts, ", "))
}

// classes counts the transitions of the model by class.
func (p *prose) classes() string {
	c := p.e.Classes
	all := c.Correct + c.Incorrect + c.Neutral + c.Excluded
	subject := "the property"
	var parts []string
	for _, class := range []struct {
		n                int
		singular, plural string // the verb
		adjective        string // "" if the verb needs none
	}{
		{c.Correct, "makes", "make", "certain"},
		{c.Incorrect, "loses", "lose", ""},
		{c.Neutral, "leaves", "leave", "open"},
	} {
		if class.n == 0 {
			continue
		}
		verb := class.plural
		if class.n == 1 {
			verb = class.singular
		}
		parts = append(parts,
			strings.TrimSpace(fmt.Sprintf("%d %s %s %s", class.n, verb, subject, class.adjective)))
		subject = "it"
	}
	if n := c.Excluded; n > 0 {
		parts = append(parts, fmt.Sprintf("%d %s on no run that counts", n, be(n)))
	}
	return fmt.Sprintf("Of the %s, %s.", printable.Quantity(all, "transition"),
		printable.List(parts, "and"))
}

// unfolded says how the unfolded model is shown, and how its number of neighbourhoods compares with
// that of the model.
func (p *prose) unfolded() string {
	shown := "state·progress"
	if !p.hasSteps() {
		shown = "state·state of the property"
	}
	if !p.e.PartsRuns() {
		return fmt.Sprintf("States are shown as %s.", shown)
	}
	all := p.e.Neighbourhoods().Len()
	folded := p.e.Folded
	if all == 0 && folded.Neighbourhoods == 0 {
		return fmt.Sprintf("States are shown as %s. There is no deciding state, with their histories told apart or not.", shown)
	}
	onRun := len(neighbourhoodsOn(p.e))
	text := fmt.Sprintf("States are shown as %s. With their histories told apart, there %s %s",
		shown, be(all), printable.Quantity(all, "deciding state"))
	onRunText := fmt.Sprintf(", %d of them on this run", onRun)
	switch {
	case all == 0:
		onRunText = ""
	case all == 1 && onRun == 1:
		onRunText = ", which is on this run"
	case all == 1:
		onRunText = ", which is not on this run"
	}
	without := fmt.Sprintf("%d and %d", folded.Neighbourhoods, folded.Decisions)
	if all == 0 || folded.Neighbourhoods == 0 {
		without = fmt.Sprintf("%d", folded.Neighbourhoods)
	}
	return fmt.Sprintf("%s%s; without, %s.", text, onRunText, without)
}

// stateList names states, and counts those beyond the limit.
func (p *prose) stateList(states []lts.State) string { return listStates(p, states, p.e.Name) }

// listStates names states by the function name, and counts those beyond the limit.
func listStates[S any](p *prose, states []S, name func(S) string) string {
	word := "states "
	if len(states) == 1 {
		word = "state "
	}
	n := p.numStatesNamed(len(states))
	if !p.full || n == len(states) {
		return word + listed(p, states, name, "", "")
	}
	return fmt.Sprintf("%s and %d more (the JSON output has all)",
		word+listed(p, states[:n], name, "", ""), len(states)-n)
}

// mostStatesNamed is the largest number of states that a full explanation names in one place. A list that
// the reader has asked for has all of them.
const mostStatesNamed = 20

// numStatesNamed returns how many of n states a sentence names; the sentence counts the others.
func (p *prose) numStatesNamed(n int) int {
	if p.full && !p.listing {
		return min(n, mostStatesNamed)
	}
	return p.numNamed(n)
}

// mostNamed is the largest number of things that a sentence names. If there are more, it counts the
// others.
const mostNamed = 3

// readsAsSyntax matches a label that a reader would take for an operator, or for several labels, if it
// were not in quotes.
var readsAsSyntax = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[!?~+&|]|[+&|]| (?:or|and) |^[^([{]*,`)
})

// multiActionOfMCRL2 matches a multi-action of which some part has arguments. Users of mCRL2 know these
// labels, which have no quotes in their tools.
var multiActionOfMCRL2 = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\w'|]+\([^|+&]*\)(?:\|[\w']+(?:\([^|+&]*\))?)*$`)
})

// labelText quotes a label of the model. In plain text it does so only if the label could be taken for
// something else.
func (p *prose) labelText(label string) string {
	text := p.quote(label)
	isPlain := strings.ReplaceAll(text, glued, " ") == label
	if isPlain {
		return quotedIfOdd(label, text)
	}
	return text
}

// quotedIfOdd puts the text of a label into quotes if the label could be taken for something else.
func quotedIfOdd(label, text string) string {
	if readsAsSyntax().MatchString(label) && !multiActionOfMCRL2().MatchString(label) {
		return `"` + text + `"`
	}
	return text
}

// labelTexts quotes labels as [prose.labelText] does. On long paths the same few labels come again and again:
// each is looked at once.
func (p *prose) labelTexts(labels []string) []string {
	texts := make([]string, len(labels))
	known := map[string]string{}
	for i, label := range labels {
		text, isKnown := known[label]
		if !isKnown {
			text = p.labelText(label)
			known[label] = text
		}
		texts[i] = text
	}
	return texts
}

// minimal returns a sentence about whether a shorter counterexample exists. It also names initial
// states that would have been better.
func (p *prose) minimal() string { return p.shorter() + p.rounds() + p.betterInitialStates() }

// rounds says that the loop is unrolled, and which length the word "shorter" refers to. It returns
// "" if the loop is not unrolled.
func (p *prose) rounds() string {
	u := p.e.Counterexample.Unrolled
	if u == nil {
		return ""
	}
	return fmt.Sprintf(" The loop is shown in %d rounds, because what the property still needs differs between them; with one round, the run has %s.",
		u.Rounds, printable.Quantity(u.Length, "transition"))
}

// shorter returns a sentence about whether a shorter counterexample exists. Of an unrolled loop, it
// counts one round.
func (p *prose) shorter() string {
	c := p.e.Counterexample
	minimal := c.Minimal
	isShortest := c.Shortest
	if c.Unrolled != nil {
		minimal = c.Unrolled.Minimal
		isShortest = minimal != counterexample.MinimalUnknown
	}
	prefix := ""
	if c.Given {
		prefix = "This is the given counterexample. "
	}
	pattern := p.e.Pattern()
	switch {
	case c.Trap != nil && c.Length == 0:
		return "No run is needed to show it."
	case c.Idle != nil && c.Idle.Shorter > 0:
		return p.shorterIdle(c.Idle)
	case isShortest && minimal == counterexample.InProduct:
		return prefix + "No counterexample in the product of model and property is shorter."
	case pattern != nil && isShortest:
		return fmt.Sprintf("No counterexample that does %s is shorter.",
			p.patternSequence(pattern.Steps()))
	case pattern != nil:
		return fmt.Sprintf("This counterexample does %s.", p.patternSequence(pattern.Steps()))
	case isShortest && c.LoopStart < 0 && !c.IsStem() && p.fully():
		return prefix + "No counterexample that ends in a deadlock is shorter."
	case isShortest && c.IsStem() && c.Trap == nil:
		return prefix + "No run violates it sooner."
	case isShortest:
		return prefix + "No counterexample is shorter."
	case c.Given:
		return "This is the given counterexample; there may be a shorter one."
	case p.e.Faults != nil && p.e.Faults.Fewest:
		return "No counterexample with as few faults is shorter."
	}
	if c.NoneBelow > 0 {
		return fmt.Sprintf("There may be a shorter counterexample, but none in the product of model and property has fewer than %s.",
			printable.Quantity(c.NoneBelow, "state"))
	}
	return "There may be a shorter counterexample."
}

// shorterIdle says that a shorter run ends by doing nothing, and whether any other run is shorter.
func (p *prose) shorterIdle(idle *explain.Idle) string {
	others := "of those that change something while they can, none is"
	switch idle.Minimal {
	case counterexample.MinimalUnknown:
		others = "of those that change something while they can, some may be"
	case counterexample.InProduct:
		others += ", in the product of model and property"
	}
	return fmt.Sprintf("A run that does nothing forever is shorter (%s); %s.",
		printable.Quantity(idle.Shorter, "transition"), others)
}

// better describes what would have been better at some decisions of the run.
func (p *prose) better(c Better) string {
	states := statesOf(c.Decisions)
	steps := p.stepList(stepsOf(c.Decisions))
	where := fmt.Sprintf("In states %s,", listed(p, states, p.e.Name, "", "and"))
	switch {
	case len(states) > 1:
	case p.e.LTS().IsBefore(states[0]):
		where = fmt.Sprintf("At the start (%s)", steps)
	default:
		where = fmt.Sprintf("In state %s (%s)", p.e.Name(states[0]), steps)
	}
	would := "kept the property possible"
	if c.Certain {
		would = "made the property certain"
	}
	if c.stops {
		would += thenStops
	}
	return fmt.Sprintf("%s%s %s would have %s.", where, p.ownerClause(c.Decisions),
		p.optionList(c.instead), would)
}

// inFull names the parts that a full report adds; "" if it adds none. command is what a reader must add to
// the command line to get the full report.
func (p *prose) inFull(s *Story, command string) string {
	if p.e.Classes == nil {
		return ""
	}
	var additions []string
	if len(s.decisions) > 0 {
		additions = append(additions, "what each choice led to")
	}
	if len(s.WaysOut) > 0 {
		additions = append(additions, "the ways out of the loop")
	}
	if s.others > 0 {
		additions = append(additions, printable.Quantity(s.others, "deciding state")+" off this run")
	}
	if len(additions) == 0 {
		return ""
	}
	list := additions[0]
	last := len(additions) - 1
	if last > 0 {
		list = strings.Join(additions[:last], ", ") + ", and " + additions[last]
	}
	if command == "" {
		return "In full: " + list + "."
	}
	return command + " shows " + list + "."
}
