package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/report/claim"
)

// sayElsewhere says what lies off the counterexample.
func (p *prose) sayElsewhere(c claim.Claim) string {
	switch c := c.(type) {
	case claim.Elsewhere:
		return p.elsewhere(c)
	case claim.Classes:
		return p.classes(c)
	case claim.Unreachable:
		return fmt.Sprintf("%s with %s cannot be reached and took no part.", printable.Quantity(c.States, "state"), printable.Quantity(c.Transitions, "transition"))
	case claim.Unfolded:
		return p.unfolded(c)
	}
	return ""
}

// canBe says what can happen to the property at a decision of this kind.
func canBe(kind neighbourhood.Kind) string {
	switch kind {
	case neighbourhood.CorrectChoice:
		return "can be saved"
	case neighbourhood.IncorrectChoice:
		return "can be lost"
	}
	return "can be saved or lost"
}

func (p *prose) elsewhere(c claim.Elsewhere) string {
	if c.Total == 0 {
		return "There is no other decision in the model."
	}
	var saved, lost, both []lts.State
	for _, g := range c.Groups {
		switch g.Kind {
		case neighbourhood.CorrectChoice:
			saved = g.States
		case neighbourhood.IncorrectChoice:
			lost = g.States
		default:
			both = append(both, g.States...)
			slices.Sort(both)
		}
	}
	of := []struct {
		states []lts.State
		can    string
	}{
		{saved, canBe(neighbourhood.CorrectChoice)},
		{lost, canBe(neighbourhood.IncorrectChoice)},
		{both, canBe(neighbourhood.Mixed)},
	}
	subject := "the property"
	var parts []string
	for _, g := range of {
		switch len(g.states) {
		case 0:
		case c.Total:
			return fmt.Sprintf("%s in the model, where the property %s (%s).", printable.Quantity(c.Total, "other decision"), g.can, p.stateList(g.states))
		default:
			parts = append(parts, fmt.Sprintf("%d where %s %s (%s)", len(g.states), subject, g.can, p.stateList(g.states)))
			subject = "it"
		}
	}
	return fmt.Sprintf("%s in the model: %s.", printable.Quantity(c.Total, "other decision"), strings.Join(parts, ", "))
}

// classes says what runs through the transitions of the model do.
func (p *prose) classes(c claim.Classes) string {
	all := c.Correct + c.Incorrect + c.Neutral + c.Excluded
	subject := "the property"
	var parts []string
	for _, class := range []struct {
		n               int
		one, more, rest string
	}{
		{c.Correct, "makes", "make", "certain"},
		{c.Incorrect, "loses", "lose", ""},
		{c.Neutral, "leaves", "leave", "open"},
	} {
		does := func(verb string) string { return strings.TrimSpace(verb + " " + subject + " " + class.rest) }
		switch class.n {
		case 0:
			continue
		case 1:
			parts = append(parts, "1 "+does(class.one))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", class.n, does(class.more)))
		}
		subject = "it"
	}
	switch c.Excluded {
	case 0:
	case 1:
		parts = append(parts, "1 is on no run that counts")
	default:
		parts = append(parts, fmt.Sprintf("%d are on no run that counts", c.Excluded))
	}
	return fmt.Sprintf("Of the %s, %s.", printable.Quantity(all, "transition"), join(parts, "and"))
}

// unfolded says what differs when the states are not told apart by their histories.
func (p *prose) unfolded(c claim.Unfolded) string {
	shown := "state·progress"
	if !p.hasSteps() {
		shown = "state·state of the property"
	}
	if c.Undecided {
		return fmt.Sprintf("States are shown as %s.", shown)
	}
	are := "are"
	if c.Here == 1 {
		are = "is"
	}
	s := fmt.Sprintf("States are shown as %s. With their histories told apart, there %s %s", shown, are, printable.Quantity(c.Here, "decision"))
	on := fmt.Sprintf("%d of them on this run", c.HereOnRun)
	switch {
	case c.Here == 1 && c.HereOnRun == 1:
		on = "which is on this run"
	case c.Here == 1:
		on = "which is not on this run"
	}
	return fmt.Sprintf("%s, %s; without, %d and %d.", s, on, c.Neighbourhoods, c.Decisions)
}

// stateList names a few states.
func (p *prose) stateList(states []lts.State) string { return listStates(p, states, p.e.Name) }

// listStates is stateList with other names.
func listStates[S any](p *prose, states []S, name func(S) string) string {
	word := "states "
	if len(states) == 1 {
		word = "state "
	}
	var s strings.Builder
	s.WriteString(word)
	for i, state := range states {
		if i == p.most(len(states)) {
			fmt.Fprintf(&s, " and %d more", len(states)-i)
			break
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(name(state))
	}
	return s.String()
}
