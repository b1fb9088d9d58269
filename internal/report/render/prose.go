package render

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
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
		return fmt.Sprintf("%s %s", ordinal(same), p.step(i))
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

// ordinal returns "a second", "a third" and so on.
func ordinal(n int) string {
	words := [...]string{
		2: "second",
		3: "third",
		4: "fourth",
		5: "fifth",
	}
	switch {
	case n < len(words):
		return "a " + words[n]
	case n%10 == 1 && n%100 != 11:
		return fmt.Sprintf("a %dst", n)
	case n%10 == 2 && n%100 != 12:
		return fmt.Sprintf("a %dnd", n)
	case n%10 == 3 && n%100 != 13:
		return fmt.Sprintf("a %drd", n)
	}
	return fmt.Sprintf("a %dth", n)
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
	onRun := neighbourhoodsOn(p.e)
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
	return word + listed(p, states, name, "", "")
}

// mostNamed is the largest number of things that a sentence names. If there are more, it counts the
// others.
const mostNamed = 3

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
	named := p.phrase(subject)
	if len(subject) == 1 && !countsOccurrences(circumstances) {
		named = p.doneBy(subject[0].Text, *d.Step)
	}
	return p.byValues(d, named+happens+p.tooEarly(subject, circumstances), subject,
		circumstances)
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
	case ", until then without ":
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

// countsOccurrences reports whether circumstances say how often something happens.
func countsOccurrences(circumstances property.Phrase) bool {
	return strings.HasPrefix(circumstances.String(), " more than ")
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
	case last == 0 && !countsOccurrences(circumstances[:n]):
		text = p.doneBy(subject[0].Text, *d.InScope)
	}
	text += happens
	end := p.doneBy(circumstances[n+1].Text, *d.Step)
	opening := p.openingOfScope(*d.InScope)
	switch {
	case n == 0 && opening != nil:
		opener := p.labelText(p.e.Counterexample.Steps[*opening].Label)
		return fmt.Sprintf("%s between %s (step %d) and %s (step %d)", text, opener, *opening+1, end,
			*d.Step+1)
	case n == 0:
		return fmt.Sprintf("%s before %s (step %d)", text, end, *d.Step+1)
	}
	return fmt.Sprintf("%s%s, and %s follows (step %d)", text, p.phrase(circumstances[:n]), end,
		*d.Step+1)
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
	switch {
	case p.excludes() && d.First > 0:
		return fmt.Sprintf("no run that counts does %s", p.stepSequence(d.First, d.Last))
	case d.Awaited != "" && d.Unreachable:
		return fmt.Sprintf("no state with %s can be reached any more", p.quote(d.Awaited))
	case d.First == 0 && d.Unreachable && len(d.Pending) > 0:
		return noLongerHappens(p.pendingStep(d))
	case d.AllEnd && !mayRefuse(p.e):
		return "each run ends in a deadlock"
	case d.First == 0:
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

// awaitedAndPath names what the run waits for, and returns the transitions of the shortest path to it. These are
// all of them if the run waits for a state or for one of several labels, and otherwise all except the last.
func (p *prose) awaitedAndPath(d *explain.Diagnosis) (name string, way []explain.PathStep) {
	last := len(d.Way) - 1
	awaited := p.awaitedLabels(d)
	isByStep := p.hasSteps() && d.Consequent == ""
	isAtTimes := !d.Alike && slices.ContainsFunc(awaited, p.isOnLoop)
	if !isByStep && len(awaited) > 1 && (isAtTimes || p.awaitsEach()) {
		// Some of these labels are awaited only at some moments of the loop, and happen at others; or each of
		// them is awaited, and the path ends with the first.
		return p.labelText(d.Way[last].Label), d.Way[:last]
	}
	if len(awaited) > 1 || p.awaitsState(d) {
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
	return fmt.Sprintf(" The run is shown with %d rounds of its loop, since what can still become of the property differs between them; with one round it has %s.",
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
