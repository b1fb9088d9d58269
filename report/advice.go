package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/explain/repair"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/report/internal/claim"
)

// shownAdvice is how much of an advice a sentence has before it counts the rest.
const shownAdvice = 3

// advice says in one sentence what would make the property true.
func (p *prose) advice(c claim.Advice) string {
	var parts []string
	shown := p.most(shownAdvice, len(c.Never))
	for _, n := range c.Never[:shown] {
		parts = append(parts, "never "+p.never(n))
	}
	if rest := c.Never[shown:]; len(rest) > 0 {
		count := 0
		for _, n := range rest {
			count += len(n.States)
		}
		parts = append(parts, "never what is to be forbidden "+where(count))
	}
	leave := p.leave(c.Leave)
	switch {
	case leave == "":
		return fmt.Sprintf("To make it true: %s.", join(parts, "and"))
	case inFairChoices(c.Leave, c.Fair) && len(parts) == 0:
		return fmt.Sprintf("Nothing has to be forbidden to make it true, if %s %s fair: %s.", p.choicesIn(c.Fair), be(len(c.Fair)), p.fairTo(c.Fair, false))
	case inFairChoices(c.Leave, c.Fair):
		return fmt.Sprintf("To make it true: %s; and %s %s to be fair: %s.", join(parts, "and"), p.choicesIn(c.Fair), has(len(c.Fair)), p.fairTo(c.Fair, true))
	case len(parts) == 0:
		return fmt.Sprintf("Nothing has to be forbidden to make it true: %s.", leave)
	}
	return fmt.Sprintf("To make it true: %s; and %s.", join(parts, "and"), leave)
}

// where counts further places.
func where(count int) string {
	if count == 1 {
		return "in 1 more state"
	}
	return fmt.Sprintf("in %d more states", count)
}

// never says what must not be taken, and when.
func (p *prose) never(n claim.Never) string {
	var s strings.Builder
	s.WriteString(p.quote(n.Label))
	if n.To != nil {
		fmt.Fprintf(&s, " to state %d", *n.To)
	}
	if len(n.States) > shownStates+1 && !p.full {
		fmt.Fprintf(&s, " (in %d states)", len(n.States))
	} else {
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
		fmt.Fprintf(&s, " when %s steps of the property are done", listed(n.Progress))
	case n.After > 0 && n.Before > 0:
		fmt.Fprintf(&s, " once %s is done, before %s is", p.once(n.After), p.once(n.Before))
	case n.After > 0:
		fmt.Fprintf(&s, " once %s is done", p.once(n.After))
	case n.Before > 0:
		fmt.Fprintf(&s, " before %s is done", p.once(n.Before))
	}
	return s.String()
}

// listed lists numbers, and numbered says of what.
func listed(numbers []int) string {
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
	return what + " " + listed(numbers)
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

// leave says in which parts of the model a run must not stay for ever; "" where there are
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

// inFairChoices reports whether what is to be left is told by choices that have to be fair:
// those of a single part do not say more than it does.
func inFairChoices(parts []explain.NotForEver, fair []explain.ModelState) bool {
	return len(parts) > 1 && len(fair) > 0
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
	return fmt.Sprintf("%d parts of the model, of %d states in all", len(parts), places)
}

// be and has are verbs of so many things.
func be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func has(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// leavePart says what must not be done for ever in a part of the model.
func (p *prose) leavePart(part explain.NotForEver) string {
	var states []explain.ModelState
	known := map[explain.ModelState]bool{}
	for _, at := range part.States {
		if !known[at.State] {
			known[at.State] = true
			states = append(states, at.State)
		}
	}
	if in := listStates(p, states, func(s explain.ModelState) string { return fmt.Sprint(s) }); part.Again != nil {
		again := make([]string, len(part.Again))
		for i, labels := range part.Again {
			again[i] = p.some(labels, "or")
		}
		return fmt.Sprintf("no run may stay in %s for ever and do %s again and again", in, join(again, "and"))
	}
	out := map[string]bool{}
	for _, t := range part.WaysOut {
		out[t.Label] = true
	}
	var ways []string
	for _, t := range part.WaysOut {
		if out[t.Label] {
			ways = append(ways, t.Label)
			delete(out, t.Label)
		}
	}
	slices.Sort(ways)
	return fmt.Sprintf("in %s not %s for ever, but sooner or later %s",
		listStates(p, states, func(s explain.ModelState) string { return fmt.Sprint(s) }), p.some(part.Loop, "and"), p.some(ways, "or"))
}

// some lists labels, and counts those that are too many.
func (p *prose) some(labels []string, last string) string {
	shown := p.most(shownLabels, len(labels))
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
	if c.Obstacle.Kind == repair.Nondeterminism {
		return fmt.Sprintf("Forbidding actions does not make it true: in state %d, %s may lead to state %d, and elsewhere.", t.From, p.quote(t.Label), t.To)
	}
	return fmt.Sprintf("Forbidding actions does not make it true: %s leaves state %d, and cannot be forbidden.", p.quote(t.Label), t.From)
}
