package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/values"
)

// mostNamed is the largest number of things that a sentence names; it counts the others.
const mostNamed = 3

// because returns the diagnosis in the form that follows a verdict; "" if there is none.
func (p *prose) because() string {
	switch {
	case p.e.Diagnosis != nil:
		return ": " + p.diagnosis()
	case !p.e.PartsRuns():
		return ": " + p.none() + " satisfies it"
	}
	return ""
}

// diagnosed returns the diagnosis as a sentence, with a capital letter unless the sentence begins
// with a label.
func (p *prose) diagnosed() string {
	d, text := p.e.Diagnosis, p.diagnosis()+"."
	switch d.Kind {
	case explain.KindImpossible, explain.KindLost, explain.KindStops, explain.KindStarved:
		if d.Kind != explain.KindStarved || !d.Alike {
			return strings.ToUpper(text[:1]) + text[1:]
		}
	}
	return text
}

// diagnosis returns the reason why the run violates the property, in the form that
// follows a verdict, without a full stop.
func (p *prose) diagnosis() string {
	text := p.cause(p.e.Diagnosis)
	if !p.e.Diagnosis.Livelock {
		return text
	}
	internal := "only internal actions happen"
	if loop := p.e.Counterexample.LoopStart; loop > 0 {
		internal = fmt.Sprintf("from step %d on %s", int(loop)+1, internal)
	}
	return text + "; " + internal
}

func (p *prose) cause(d *explain.Diagnosis) string {
	switch d.Kind {
	case explain.KindImpossible:
		return p.impossible(d)
	case explain.KindForbidden:
		return p.forbidden(d)
	case explain.KindLost:
		if d.TooEarly && !p.excludes() {
			return p.tooEarly(d)
		}
		if at := p.e.Counterexample.Steps[*d.Step]; p.e.LTS().IsBefore(at.From) {
			return fmt.Sprintf("from state %s, where the run begins, %s", p.e.Name(at.To), p.noLonger(d))
		}
		return fmt.Sprintf("after step %d (%s) %s", *d.Step+1, p.quote(p.e.Counterexample.Steps[*d.Step].Label), p.noLonger(d))
	case explain.KindStops:
		text := fmt.Sprintf("the run stops in state %s", p.e.Name(p.last(p.e.Counterexample)))
		if len(d.Pending) > 0 {
			text += " before " + p.pendingStep(d)
		}
		if c := p.e.Counterexample; len(c.Refused) > 0 {
			text += ": " + refused(c, p.quote)
		}
		return text
	case explain.KindRecurs:
		if d.Values != nil {
			return p.hold(d.Values.After) + " again and again"
		}
		if len(d.Recurring) == 1 {
			return p.quote(d.Recurring[0]) + " happens again and again"
		}
		return p.named(d.Recurring, "and") + " happen again and again"
	case explain.KindStarved:
		return p.starved(d)
	}
	return p.turnedBack(d)
}

// impossible says that no run satisfies the property and, if that is known and short, why.
func (p *prose) impossible(d *explain.Diagnosis) string {
	text := p.none() + " satisfies it"
	switch {
	case d.Values != nil && d.Step == nil:
		return fmt.Sprintf("%s, since %s at the start", text, p.hold(d.Values.After))
	case d.Values != nil:
		return text + "; on this one " + p.forbidden(d)
	case d.Awaited != "" && d.Unreachable:
		return fmt.Sprintf("%s, since no state has %s", text, p.quote(d.Awaited))
	case d.First == 0 && d.Unreachable:
		return fmt.Sprintf("%s, since %s happens nowhere", text, p.pendingStep(d))
	case d.AllEnd && !mayRefuse(p.e) && len(p.e.Counterexample.Steps) == 0:
		return text + ", since nothing can happen"
	case d.AllEnd && !mayRefuse(p.e):
		return text + ", since each run ends in a deadlock"
	case len(d.Begins) > 0:
		return fmt.Sprintf("%s, since each run begins with %s", text, p.named(d.Begins, "or"))
	case d.First == 0:
		return text
	case d.Unreachable:
		return fmt.Sprintf("%s, since %s happens nowhere", text, p.step(d.Last))
	}
	return fmt.Sprintf("%s, since none does %s", text, p.stretch(d.First, d.Last))
}

// forbidden describes the step that violates the property whatever follows: by the values after it,
// or by its action.
func (p *prose) forbidden(d *explain.Diagnosis) string {
	step := int(*d.Step)
	s := p.e.Counterexample.Steps[step]
	const happened = " has happened"
	var words property.Phrase
	if s.Pending != nil {
		words = s.Pending.Words
	}
	for i, w := range words {
		after, is := strings.CutPrefix(w.Text, happened)
		if is && !w.Quoted && i > 0 {
			said := append(property.Phrase{}, words[:i]...)
			said = append(said, property.Word{Text: fmt.Sprintf(" happens (step %d)%s", step+1, circumstances.Replace(after))})
			rest := words[i+1:]
			if after != "" {
				rest = append(property.Phrase{{Text: after}}, rest...)
			}
			return p.byValues(d, p.phrase(append(said, words[i+1:]...)), words[:i], rest)
		}
		if before, is := strings.CutSuffix(w.Text, happened); is && !w.Quoted {
			said := property.Phrase{{Text: before + fmt.Sprintf(" happens (step %d)", step+1)}}
			return p.byValues(d, p.phrase(append(said, words[i+1:]...)), nil, words[i+1:])
		}
	}
	return p.byValues(d, fmt.Sprintf("%s happens (step %d), and nothing that follows can make up for it", p.quote(s.Label), step+1), nil, nil)
}

// byValues names the values that make a step forbidden, with the circumstances; without such values
// it returns the given text done, which names the action.
func (p *prose) byValues(d *explain.Diagnosis, done string, subject, circumstances property.Phrase) string {
	v := d.Values
	if v == nil {
		return done
	}
	when, told := p.when(subject, circumstances, v.After)
	label := p.quote(p.e.Counterexample.Steps[*d.Step].Label)
	switch {
	case v.Action && when != "" && len(told) == 0:
		return done
	case v.Action:
		said := fmt.Sprintf("%s happens (step %d)", label, *d.Step+1)
		if len(v.Before) > 0 {
			said += " in a state with " + p.values(v.Before)
		}
		if len(v.After) > 0 {
			said += " and leads to a state with " + p.values(v.After)
		}
		return said
	case when == "" && len(v.Before) > 0 && slices.Equal(v.Before, v.After):
		return fmt.Sprintf("%s before and after step %d (%s)", p.hold(v.After), *d.Step+1, label)
	case when == "" && len(v.Before) > 0:
		when = fmt.Sprintf(", and %s before it", p.values(v.Before))
	}
	if int(*d.Step) < p.e.LTS().Before() {
		// Step 1 leads from before the model to an initial state.
		return fmt.Sprintf("%s at the start (step 1, %s)%s", p.hold(told), label, when)
	}
	return fmt.Sprintf("%s after step %d (%s)%s", p.hold(told), *d.Step+1, label, when)
}

// when returns the circumstances under which values are forbidden, such as ", before A", and the
// values that this text does not name.
func (p *prose) when(subject, words property.Phrase, holds []string) (when string, told []string) {
	text := words.String()
	if text == "" || strings.HasPrefix(text, ", after which") || text == ", which is not allowed" {
		return "", holds
	}
	said := make(map[string]bool)
	for _, w := range words {
		said[w.Text] = w.Quoted
	}
	for _, atom := range holds {
		if other, _, is, err := values.Read(atom, 0); !is || err != nil || !said[other.Opposite().String()] {
			told = append(told, atom)
		}
	}
	if len(words) > 2 && words[0].Text == ", but " && len(told) == 1 && words[1].Text == told[0] {
		if rest, is := strings.CutPrefix(words[2].Text, " is not allowed"); is {
			subject, words = words[1:2], append(property.Phrase{{Text: rest}}, words[3:]...)
		}
	}
	if n := len(subject); n > 0 && subject[n-1].Quoted && !slices.Contains(told, subject[n-1].Text) {
		return "", holds
	}
	when = p.phrase(words)
	if when != "" && !strings.HasPrefix(when, ",") {
		when = ", " + strings.TrimSpace(when)
	}
	return when, told
}

func (p *prose) values(all []string) string {
	return join(p.quoted(all), "and")
}

// hold returns the clause that values hold.
func (p *prose) hold(all []string) string {
	if len(all) == 1 {
		return p.values(all) + " holds"
	}
	return p.values(all) + " hold"
}

// circumstances changes the words for something that has happened into those for
// something that happens now.
var circumstances = strings.NewReplacer(", which is not allowed", "", ", but waiting", " while waiting", ", after which it cannot hold any more", "")

// tooEarly names the last possible occurrence of a step that is needed again later.
func (p *prose) tooEarly(d *explain.Diagnosis) string {
	c := p.e.Counterexample
	if d.Called == nil {
		return fmt.Sprintf("step %d is the last %s that can happen, and %s is still missing then", *d.Step+1, p.step(d.Last), p.once(d.First))
	}
	return fmt.Sprintf("step %d is the last %s that can happen, and %s comes after it (step %d)",
		*d.Step+1, p.quote(d.Pending[0]), p.quote(c.Steps[*d.Called].Label), *d.Called+1)
}

// noLonger describes what can no longer happen once the property is lost.
func (p *prose) noLonger(d *explain.Diagnosis) string {
	switch {
	case p.excludes() && d.First > 0:
		return fmt.Sprintf("no run that counts does %s", p.stretch(d.First, d.Last))
	case d.Awaited != "" && d.Unreachable:
		return fmt.Sprintf("no state with %s can be reached any more", p.quote(d.Awaited))
	case d.First == 0 && d.Unreachable && len(d.Pending) > 0:
		return p.pendingStep(d) + " can no longer happen"
	case d.AllEnd && !mayRefuse(p.e):
		return "each run ends in a deadlock"
	case d.First == 0:
		return p.none() + " satisfies it any more"
	case d.Unreachable:
		return p.once(d.Last) + " can no longer happen"
	}
	n := d.Last - d.First + 1
	var steps []string
	for i := range n {
		if n > mostNamed && i > 0 && i < n-1 {
			continue
		}
		steps = append(steps, p.once(d.First+i))
	}
	switch {
	case n > mostNamed:
		return fmt.Sprintf("%s, … (%d more) and then %s can no longer all happen", steps[0], n-2, steps[1])
	case n > 2:
		return fmt.Sprintf("%s and then %s can no longer all happen", strings.Join(steps[:n-1], ", then "), steps[n-1])
	}
	return fmt.Sprintf("%s and then %s can no longer both happen", steps[0], steps[1])
}

// pendingStep names what the run waits for: a step of the property, labels, or a state.
func (p *prose) pendingStep(d *explain.Diagnosis) string {
	if p.hasSteps() {
		return p.once(p.e.Counterexample.Done + 1)
	}
	switch {
	case d.Awaited != "":
		return "a state with " + p.quote(d.Awaited)
	case d.AwaitedStep != "":
		return p.quote(d.AwaitedStep)
	}
	return p.named(d.Pending, "or")
}

// starved says in how many states of the loop the pending step is possible, and what the run does
// instead.
func (p *prose) starved(d *explain.Diagnosis) string {
	where := p.places(d)
	if !d.Alike {
		return fmt.Sprintf("in %s %s would make progress, and the run takes something else", where, p.pendingStep(d))
	}
	if d.Awaited != "" {
		return fmt.Sprintf("a step to %s is possible in %s, and never taken", p.pendingStep(d), where)
	}
	said := fmt.Sprintf("%s is possible in %s, and ", p.pendingStep(d), where)
	if n := len(d.Taken); n > 2 || d.PossibleIn == d.Of && n > 1 {
		return said + "never taken"
	}
	each := " is taken each time"
	if d.Of == 1 {
		each = " is taken instead"
	}
	return said + p.named(d.Taken, "or") + each
}

// places counts the states of the loop in which the pending step is possible; it counts moments if
// the loop visits one state with several property states.
func (p *prose) places(d *explain.Diagnosis) string {
	c := p.e.Counterexample
	states := map[lts.State]bool{}
	for _, s := range c.Steps[c.LoopStart:] {
		states[s.From] = true
	}
	one, many := "state", "states"
	if len(states) != d.Of {
		one, many = "moment", "moments"
	}
	switch {
	case d.Of == 1:
		return "the only " + one + " of the loop"
	case d.PossibleIn == 2 && d.Of == 2:
		return "both " + many + " of the loop"
	case d.PossibleIn == d.Of:
		return fmt.Sprintf("all %d %s of the loop", d.Of, many)
	}
	return fmt.Sprintf("%d of the loop's %d %s", d.PossibleIn, d.Of, many)
}

// turnedBack reports how near to the pending step the loop comes.
func (p *prose) turnedBack(d *explain.Diagnosis) string {
	if len(d.Way) == 0 {
		if d.Awaited != "" {
			return p.pendingStep(d) + " never comes on the loop"
		}
		return p.pendingStep(d) + " never happens on the loop"
	}
	name := p.pendingStep(d)
	if !p.hasSteps() && d.Awaited+d.AwaitedStep == "" {
		name = p.quote(d.Way[len(d.Way)-1].Label)
	}
	first := d.Way[0]
	taken := p.e.Counterexample.Steps[*d.Instead]
	var path []string
	width := 0
	for i, t := range d.Way[:len(d.Way)-1] {
		if width += len(t.Label); i == mostNamed && len(d.Way) > mostNamed+2 || i > 0 && width > widestOptions {
			path = append(path, fmt.Sprintf("… (%d more)", len(d.Way)-1-i))
			break
		}
		label := p.quote(t.Label)
		if i == 0 && t.Label == taken.Label {
			label = p.towards(t.Label, t.To)
		}
		path = append(path, label)
	}
	return fmt.Sprintf("%s is %d steps away from the loop (state %s: %s); in each round the run takes %s instead",
		name, d.Distance, p.e.Name(first.From), strings.Join(path, ", "), p.towards(taken.Label, taken.To))
}

// named lists some texts of the model and counts the others: "A", "A or B", "A, B or 4 other
// actions".
func (p *prose) named(texts []string, last string) string {
	var said []string
	for i, text := range texts {
		if i == mostNamed-1 && len(texts) > mostNamed && !p.full {
			said = append(said, fmt.Sprintf("%d other actions", len(texts)-i))
			break
		}
		said = append(said, p.quote(text))
	}
	return join(said, last)
}

// minimal returns a sentence about whether a shorter counterexample exists, and names initial states
// that would have been better.
func (p *prose) minimal() string { return p.shorter() + p.begins() }

// shorter returns a sentence about whether a shorter counterexample exists.
func (p *prose) shorter() string {
	c := p.e.Counterexample
	given := ""
	if c.Given {
		given = "This is the given counterexample. "
	}
	switch pattern := p.e.Pattern(); {
	case c.Trap != nil && c.Length == 0:
		return "No run is needed to show it."
	case c.Shortest && c.Minimal == counterexample.InProduct:
		return given + "No counterexample in the product of model and property is shorter."
	case pattern != nil && c.Shortest:
		return fmt.Sprintf("No counterexample that does %s is shorter.", p.sequence(pattern.Steps()))
	case pattern != nil:
		return fmt.Sprintf("This counterexample does %s.", p.sequence(pattern.Steps()))
	case c.Shortest && c.LoopStart < 0 && !c.IsStem() && p.fully():
		return given + "No counterexample that ends in a deadlock is shorter."
	case c.Shortest && c.IsStem() && c.Trap == nil:
		return given + "No run violates it sooner."
	case c.Shortest:
		return given + "No counterexample is shorter."
	case c.Given:
		return "This is the given counterexample; there may be a shorter one."
	case p.e.Faults != nil && p.e.Faults.Fewest:
		return "No counterexample with as few faults is shorter."
	}
	return "There may be a shorter counterexample."
}

// better describes what would have been better at some decisions of the run.
func (p *prose) better(c Better) string {
	states, steps := statesOf(c.Decisions), p.stepList(stepsOf(c.Decisions))
	where := "In states " + listed(p, states, p.e.Name, "", "and")
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
	return fmt.Sprintf("%s%s %s would have %s.", where, p.byWhom(c.Decisions), p.options(c.instead), would)
}

// further counts the decisions of claims that the report leaves out.
func (p *prose) further(rest []Better) string {
	n := 0
	for _, c := range rest {
		n += len(c.Decisions)
	}
	return printable.Quantity(n, "further decision")
}

// more names the parts that a full report adds.
func (p *prose) more(s *Story, by string) string {
	if p.e.Classes == nil {
		return ""
	}
	var adds []string
	if len(s.decisions) > 0 {
		adds = append(adds, "what each choice meant")
	}
	if len(s.WaysOut) > 0 {
		adds = append(adds, "ways out")
	}
	if s.others > 0 {
		adds = append(adds, printable.Quantity(s.others, "neighbourhood")+" elsewhere")
	}
	if len(adds) == 0 {
		return ""
	}
	if by == "" {
		return "In full: " + join(adds, "and") + "."
	}
	return by + " adds " + join(adds, "and") + "."
}
