package render

import (
	"fmt"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// forbiddenStep names a step that the property forbids: by its label or, if values are forbidden, by these.
func (p *whyProse) forbiddenStep() string {
	l := p.w.WhatLed
	label := p.labelText(l.Label)
	if l.Values == nil {
		return fmt.Sprintf("%s (step %d)", label, l.Step+1)
	}
	return fmt.Sprintf("%s after step %d (%s)", p.valueList(l.Values), l.Step+1, label)
}

// whatLed says how the counterexample came to a step that the property forbids.
func (p *whyProse) whatLed() []string {
	l := p.w.WhatLed
	if l.Forbidden == nil || l.Values != nil {
		return []string{p.possibleSince(), p.wayOut()}
	}
	since := p.stepOfRun(l.Forbidden.Step, l.Forbidden.Label)
	if l.Possible != nil && l.Possible.Step == l.Forbidden.Step {
		return []string{fmt.Sprintf("It has been possible, and forbidden, since %s.", since), p.wayOut()}
	}
	return []string{fmt.Sprintf("It has been forbidden since %s.", since), p.possibleSince(), p.wayOut()}
}

// stepOfRun names a step of the run by its number and label.
func (p *whyProse) stepOfRun(step explain.StepIndex, label string) string {
	return fmt.Sprintf("step %d (%s)", step+1, p.labelText(label))
}

// possibleSince names the step that made the forbidden step possible.
func (p *whyProse) possibleSince() string {
	l := p.w.WhatLed
	isFirst := l.Step == 0 || l.Step == 1 && p.w.Model.InitialStates > 0
	switch {
	case l.Possible == nil && isFirst:
		return "It was possible where the run begins."
	case l.Possible == nil:
		return "It was possible all along: in each state of the run up to there."
	case l.Possible.Step+1 == l.Step:
		return capital(p.stepOfRun(l.Possible.Step, l.Possible.Label)) + " made it possible."
	}
	return fmt.Sprintf("It has been possible in each state since %s.", p.stepOfRun(l.Possible.Step, l.Possible.Label))
}

// mostWaysOut is the largest number of transitions that the sentence about the last way out names.
const mostWaysOut = 3

// wayOut says where the run could last have avoided the violation, and how.
func (p *whyProse) wayOut() string {
	l := p.w.WhatLed
	way := l.WayOut
	if way == nil {
		return "Whatever the run did, it could not avoid a violation."
	}
	taken := way.Taken
	place := fmt.Sprintf("in state %d (step %d), where the run took %s", taken.From, taken.Step+1,
		p.labelText(taken.Label))
	if p.w.Model.IsBefore(int(taken.From)) {
		place = fmt.Sprintf("at the start, where the run chose state %d", taken.To)
	}
	text := fmt.Sprintf("The last way out was %s: %s.", place, p.wouldHaveHelped(way.Choices))
	if taken.Step < l.Step {
		text += " After that, no run avoids a violation."
	}
	return text
}

// wouldHaveHelped says what choices of one class would have meant for the property.
func (p *whyProse) wouldHaveHelped(choices []explain.Choice) string {
	var named []string
	for _, c := range choices {
		named = append(named, fmt.Sprintf("%s to state %d", p.labelText(c.Label), c.To))
	}
	rest := len(named) - mostWaysOut
	if rest > 1 && !p.full {
		named = append(named[:mostWaysOut], printable.Quantity(rest, "other transition"))
	}
	text := fmt.Sprintf("%s %s", printable.List(named, "or"), fmt.Sprintf(forRun[choices[0].After], "the property"))
	if choices[0].Stops {
		text += thenStops
	}
	return text
}
