package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/report/claim"
)

// holdTitle is the heading of what would make the property true.
const holdTitle = "What would make it hold"

// shownAdvice is how many things to forbid a sentence lists; more are counted.
const shownAdvice = 3

// advice says in one sentence what must not be done for the property to be true.
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

// capital begins a sentence of words.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// seeRepair names the command that lists what is to be forbidden.
func (p *prose) seeRepair() string {
	if p.commands.Repair == "" {
		return ""
	}
	return " (" + p.quote(p.commands.Repair) + ")"
}

// remedy says what would have to be left out of the model, or that nothing helps.
func (p *prose) remedy(c claim.Claim) string {
	switch c := c.(type) {
	case claim.Cut:
		return p.cut(c)
	case claim.OnlyTriggers:
		if c.Everywhere {
			return fmt.Sprintf("Of what can be forbidden, only never doing %s would make it true.", p.some(c.Labels, "and"))
		}
		return fmt.Sprintf("No supervisor helps who does not forbid %s somewhere.", p.some(c.Labels, "or"))
	}
	return fmt.Sprintf("Nothing does: %s satisfies it.", p.none())
}

// cut names transitions, with the steps of the run that take them.
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

// never says what must not be taken, and when.
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
		s.WriteString(" in " + listStates(p, n.States, func(s explain.ModelState) string { return fmt.Sprint(s) }))
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

// among counts the states where something must not be taken, of those where it is possible if these are
// more.
func among(n claim.Never) string {
	always := n.After == 0 && n.Before == 0 && n.Progress == nil // else that is to follow
	if always && n.To == nil && n.PossibleIn > len(n.States) {
		return fmt.Sprintf(" in %d of the %d states that allow it", len(n.States), n.PossibleIn)
	}
	return fmt.Sprintf(" (in %d states)", len(n.States))
}

// orList lists numbers, and numbered says of what.
func orList(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = fmt.Sprint(n)
	}
	return join(texts, "or")
}

func numbered(what string, numbers []int) string {
	if len(numbers) > 1 {
		what += "s"
	}
	return what + " " + orList(numbers)
}

// pendingOf lists what is pending in states of a property.
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

// leave says in which parts of the model a run must not stay for ever; "" if there are
// none.
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

// choicesIn names choices by their states.
func (p *prose) choicesIn(states []explain.ModelState) string {
	noun := "the choices in "
	if len(states) == 1 {
		noun = "the choice in "
	}
	return noun + listStates(p, states, func(s explain.ModelState) string { return fmt.Sprint(s) })
}

// fairTo says what it means that choices are fair, where some transitions are forbidden and
// where none is.
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

// partsOf counts parts of the model, and their states.
func partsOf(parts []explain.NotForEver) string {
	places := 0
	for _, part := range parts {
		places += len(part.States)
	}
	return fmt.Sprintf("%s of the model (%s)", printable.Quantity(len(parts), "part"), printable.Quantity(places, "state"))
}

// be is the verb of so many things.
func be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// leavePart says what must not be done for ever in a part of the model.
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
		inside := slices.DeleteFunc(slices.Clone(part.WaysOut), func(t explain.PlaceStep) bool { return !states[t.To] })
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

// statesOf returns the states of a part, and lists them.
func (p *prose) statesOf(part explain.NotForEver) (map[explain.ModelState]bool, string) {
	var states []explain.ModelState
	known := map[explain.ModelState]bool{}
	for _, at := range part.States {
		if !known[at.State] {
			known[at.State] = true
			states = append(states, at.State)
		}
	}
	return known, listStates(p, states, func(s explain.ModelState) string { return fmt.Sprint(s) })
}

// labelsOf returns the labels of transitions, each once, in alphabetical order.
func labelsOf(steps []explain.PlaceStep) []string {
	var labels []string
	for _, t := range steps {
		labels = append(labels, t.Label)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

// ways lists transitions that leave a part by their labels, with the states to which they lead
// where something with the label stays in it.
func (p *prose) ways(part explain.NotForEver, ways []explain.PlaceStep) string {
	var named []way
	for _, t := range ways {
		w := way{label: t.Label, to: -1}
		if slices.Contains(part.Loop, t.Label) {
			w.to = int(t.To)
		}
		named = append(named, w)
	}
	slices.SortFunc(named, func(a, b way) int { return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.to, b.to)) })
	named = slices.Compact(named)
	shown := p.most(len(named))
	var parts []string
	for _, w := range named[:shown] {
		text := p.quote(w.label)
		if w.to >= 0 {
			text += fmt.Sprintf(" to state %d", w.to)
		}
		parts = append(parts, text)
	}
	if more := len(named) - shown; more > 0 {
		parts = append(parts, printable.Quantity(more, "other action"))
	}
	return join(parts, "or")
}

// way is a transition by its label and, unless it is -1, its target.
type way struct {
	label string
	to    int
}

// some lists labels, and counts those that are too many.
func (p *prose) some(labels []string, last string) string {
	shown := p.most(len(labels))
	parts := make([]string, 0, shown+1)
	for _, l := range labels[:shown] {
		parts = append(parts, p.quote(l))
	}
	if more := len(labels) - shown; more > 0 {
		parts = append(parts, printable.Quantity(more, "other action"))
	}
	return join(parts, last)
}

// irreparable says why forbidding does not help.
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
