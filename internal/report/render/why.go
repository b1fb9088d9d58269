package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// shownPlaces is the largest number of states with the action that an answer names. If there are more,
// it counts the others.
const shownPlaces = 8

type whyProse struct {
	w *explain.WhyNot
	prose
}

// question repeats the question.
func (p *whyProse) question() string {
	w := p.w
	action := p.quote(w.Action)
	file := p.quote(w.Model.File)
	formula := p.quote(w.Property.AsWritten())
	switch {
	case w.WhatLed != nil:
		return fmt.Sprintf("What led to %s on the counterexample to %s in %s?", p.forbiddenStep(),
			formula, file)
	case w.State != nil:
		return fmt.Sprintf("Why not %s in state %d of %s? The property is %s.", action,
			*w.State, file, formula)
	case w.Run == nil:
		return fmt.Sprintf("Why not %s? %s satisfies %s: there is no counterexample on which it could be missing.", action, file, formula)
	case w.Step != nil && w.Run.Ends(*w.Step):
		return fmt.Sprintf("Why not %s at the end of the counterexample to %s in %s?", action,
			formula, file)
	case w.Step != nil:
		return fmt.Sprintf("Why not %s at step %d of the counterexample to %s in %s?", action,
			*w.Step+1, formula, file)
	}
	return fmt.Sprintf("Why not %s on the counterexample to %s in %s?", action, formula, file)
}

// answers returns the answer, with a paragraph for each sentence.
func (p *whyProse) answers() []string {
	w := p.w
	switch {
	case w.WhatLed != nil:
		return p.whatLed()
	case w.State != nil:
		return p.inState()
	case w.Run == nil:
		return nil
	case w.Step != nil:
		return p.atStep()
	}
	return p.onRun()
}

// inState answers a question about a state.
func (p *whyProse) inState() []string {
	w := p.w
	switch {
	case len(w.Places) > 0:
		return []string{"It is possible there. " + p.meaningForAllRuns(w.Places[0].Choices)}
	case w.Nearest != nil:
		return []string{"It is not possible there.", p.nearest(w.Nearest)}
	}
	return []string{"It is not possible there, nor in any state that can be reached from there."}
}

// onRun answers a question about the whole run.
func (p *whyProse) onRun() []string {
	w := p.w
	var sentences []string
	if len(w.Run.Taken) > 0 {
		sentences = append(sentences,
			fmt.Sprintf("The run does take it: in %s.", p.stepList(w.Run.Taken)))
	}
	for i, place := range w.Places {
		if i == shownPlaces && len(w.Places) > shownPlaces+1 && !p.full {
			sentences = append(sentences,
				fmt.Sprintf("It was possible and not taken at %s.",
					printable.Quantity(len(w.Places)-i, "further place")))
			break
		}
		sentences = append(sentences, p.missed(place))
	}
	if len(w.Run.Possible) == 0 {
		sentences = append(sentences, "It was possible nowhere on this run.")
	}
	if len(w.Run.Taken) > 0 {
		return append(sentences, p.elsewhere()...)
	}
	// As in the headline of the run, the step after which the action is out of reach comes first.
	return slices.Concat(p.outOfReach(), sentences, p.nearestElsewhere())
}

// elsewhere names the nearest state with the action, and the step after which the action can no longer
// happen.
func (p *whyProse) elsewhere() []string {
	return append(p.nearestElsewhere(), p.outOfReach()...)
}

// nearestElsewhere names the nearest state with the action.
func (p *whyProse) nearestElsewhere() []string {
	n := p.w.Nearest
	if n == nil {
		return nil
	}
	return []string{p.nearest(n)}
}

// outOfReach names the step after which the action can no longer happen.
func (p *whyProse) outOfReach() (sentences []string) {
	out := p.w.Run.OutOfReach
	switch {
	case out == nil:
	case out.By != nil && p.w.Model.IsBefore(int(out.By.From)):
		sentences = append(sentences,
			fmt.Sprintf("From state %d, where the run begins, it cannot happen.", out.By.To))
	case out.Steps == 0:
		sentences = append(sentences,
			"No run of the model does it: it leaves no state that can be reached.")
	default:
		sentences = append(sentences,
			fmt.Sprintf("After step %d (%s, into state %d) it can no longer happen.", out.Steps,
				p.labelText(out.By.Label), out.By.To))
	}
	return sentences
}

// atStep answers a question about a step of the run.
func (p *whyProse) atStep() []string {
	w := p.w
	step := *p.w.Step
	var sentences []string
	if slices.Contains(w.Run.Taken, step) {
		sentences = append(sentences, "The run does take it there.")
	}
	for _, place := range w.Places {
		sentences = append(sentences, p.missed(place))
	}
	if len(sentences) == 0 {
		sentences = append(sentences, "It is not possible there.")
	}
	withoutStep := func(all []explain.StepIndex) []explain.StepIndex {
		return slices.DeleteFunc(slices.Clone(all), func(i explain.StepIndex) bool {
			return i == step
		})
	}
	possible := withoutStep(w.Run.Possible)
	if len(possible) > 0 {
		happened := ""
		taken := withoutStep(w.Run.Taken)
		if len(taken) > 0 {
			happened = ", and it happened in " + p.stepList(taken)
		}
		sentences = append(sentences,
			fmt.Sprintf("Elsewhere on the run it was possible in %s%s.", p.stepList(possible),
				happened))
	}
	return append(sentences, p.elsewhere()...)
}

// missed describes what taking the action in a state of the run would have meant.
func (p *whyProse) missed(m explain.MissedPlace) string {
	text := fmt.Sprintf("In state %d (%s) it was possible", m.State, p.place(*m.Step))
	switch {
	case m.Took == "" && p.w.Run.Ends(*m.Step):
		text = fmt.Sprintf("In state %d, where the counterexample ends, it is possible",
			m.State)
	case slices.Contains(p.w.Run.Taken, *m.Step):
		text += fmt.Sprintf(" in another way than by the %s that the run took", p.labelText(m.Took))
	default:
		text += fmt.Sprintf(", and the run took %s", p.labelText(m.Took))
	}
	if m.IsLost() {
		return text + ". It would not have helped: for this run the property was lost before."
	}
	return text + ". " + p.meaningForRun(m.Choices)
}

// place names the step of the run that leaves a state.
func (p *whyProse) place(i explain.StepIndex) string {
	start := p.w.Run.LoopStart
	if start >= 0 && int(i) >= int(start) {
		return fmt.Sprintf("step %d, in every round", i+1)
	}
	return fmt.Sprintf("step %d", i+1)
}

func (p *whyProse) nearest(n *explain.NearestPlace) string {
	var path []string
	for _, s := range n.Path {
		path = append(path, s.Label)
	}
	path = foldedList(p.labelTexts(path))
	if len(path) > shownPlaces+1 && !p.full {
		path = shortenMiddle(path, shownPlaces, 0)
	}
	end := n.Path[len(n.Path)-1].To
	from := fmt.Sprintf("from state %d", n.From)
	isOnRun := n.Step != nil
	if isOnRun && p.w.Step == nil {
		from += " (" + p.place(*n.Step) + ")"
	}
	var means string
	switch {
	case n.After == fate.Correct:
		means = "The property is certain there, whatever follows."
	case n.After == fate.Incorrect:
		means = "The property is lost there, whatever follows."
	case isOnRun:
		means = p.meaningForRun(n.Choices)
	default:
		means = p.meaningForAllRuns(n.Choices)
	}
	return fmt.Sprintf("The nearest place with it is state %d, %s on %s: %s. %s", end,
		printable.Quantity(len(n.Path), "transition"), from,
		strings.Join(path, ", "), means)
}

// meaningForRun describes what choices would have meant for the run of the question: from the
// second round of its loop on and, if that differs, in the first round.
func (p *whyProse) meaningForRun(choices []explain.Missed) string {
	after := func(c explain.Missed) fate.Class { return c.After }
	first := func(c explain.Missed) fate.Class { return c.First }
	text := p.outcomes(choices, after, forRun)
	differs := func(c explain.Missed) bool { return c.After != c.First }
	if !slices.ContainsFunc(choices, differs) {
		return text
	}
	return text + " In the first round: " + p.outcomes(choices, first, forRun)
}

// meaningForAllRuns describes what choices mean for all runs through a state.
func (p *whyProse) meaningForAllRuns(choices []explain.Missed) string {
	return p.outcomes(choices, func(c explain.Missed) fate.Class { return c.Class }, forAllRuns)
}

// outcomes lists choices by their class, with the effect of each class as a verb.
func (p *whyProse) outcomes(
	choices []explain.Missed,
	classOf func(explain.Missed) fate.Class,
	verbs map[fate.Class]string,
) string {
	parts := sentenceParts{subject: "the property"}
	for _, class := range []fate.Class{
		fate.Correct,
		fate.Neutral,
		fate.Incorrect,
		fate.Excluded,
	} {
		var named []string
		for _, c := range choices {
			if classOf(c) == class {
				named = append(named, fmt.Sprintf("%s to state %d", p.labelText(c.Label), c.To))
			}
		}
		rest := len(named) - shownPlaces
		if rest > 1 && !p.full {
			named = append(named[:shownPlaces], printable.Quantity(rest, "other transition"))
		}
		parts.add(printable.List(named, "or"), verbs[class])
	}
	return parts.String()
}

// The effects of a transition on the property, by its class. The name of the property replaces %s.
var (
	// forAllRuns are the effects on every run through the transition.
	forAllRuns = map[fate.Class]string{
		fate.Correct:   "makes %s certain on every run that comes there",
		fate.Neutral:   "leaves %s open",
		fate.Incorrect: "loses %s on every run that comes there",
		fate.Excluded:  "lies on no run that counts for %s",
	}
	// forRun are the effects on the run of the question.
	forRun = map[fate.Class]string{
		fate.Correct:   "would have made %s certain",
		fate.Neutral:   "would have kept %s possible",
		fate.Incorrect: "would have lost %s",
		fate.Excluded:  "lies on no run that counts for %s",
	}
)

// whyNotResult is the answer why an action did not happen. Cost of writing it: O(size).
func whyNotResult(y *explain.WhyNot) result {
	plain := &whyProse{y, prose{quote: sentenceText}}
	return result{
		prose: func(s *sheet) {
			p := &whyProse{y, prose{quote: s.quote, full: s.o.Full}}
			s.title(bold, p.question())
			s.warnings(y.Warnings)
			s.paragraphs("  ", p.sourced(p.answers())...)
		},
		table: tableOf("step | state | distance | from | label | to | class | after", func(t *table) error {
			return whyNotRows(t, y)
		}),
		object: struct {
			Schema string `json:"schema"`
			*explain.WhyNot
			Sentences []string       `json:"sentences"`
			Warnings  []string       `json:"warnings"`
			Timings   explain.Phases `json:"timings_ms"`
			Cost      *explain.Cost  `json:"stats,omitempty"`
		}{
			Schema:    "inev.why/1",
			WhyNot:    y,
			Sentences: append([]string{plain.question()}, plain.sourced(plain.answers())...),
			Warnings:  y.Warnings,
			Timings:   y.Timings,
			Cost:      y.Cost,
		},
	}
}

// whyNotRows writes a row for each transition with the action. Transitions that leave the states of the
// question have distance 0. If there are none, the table has those that leave the nearest state.
func whyNotRows(t *table, y *explain.WhyNot) error {
	writeChoices := func(step *explain.StepIndex, state lts.State, distance int, from lts.State, choices []explain.Missed) error {
		var number any = ""
		if step != nil {
			number = int(*step) + 1
		}
		for _, c := range choices {
			if err := t.row(number, state, distance, from, modelText(c.Label), c.To, c.Class, c.After); err != nil {
				return err
			}
		}
		return nil
	}
	for _, m := range y.Places {
		if err := writeChoices(m.Step, m.State, 0, m.State, m.Choices); err != nil {
			return err
		}
	}
	n := y.Nearest
	if n == nil {
		return nil
	}
	end := n.Path[len(n.Path)-1].To
	return writeChoices(n.Step, n.From, len(n.Path), end, n.Choices)
}

// placeOf names a line of a specification, and counts the other lines of the same action. The function
// quote formats file and line.
func placeOf(p *explain.Position, quote func(string) string) string {
	text := quote(fmt.Sprintf("%s:%d", p.File, p.Line))
	switch p.Others {
	case 0:
		return text
	case 1:
		return text + " and 1 other place"
	}
	return fmt.Sprintf("%s and %d other places", text, p.Others)
}

// sourced adds the line of the specification that has the action, as the last sentence.
func (p *whyProse) sourced(sentences []string) []string {
	at := p.w.Source
	if at != nil {
		sentences = append(sentences, fmt.Sprintf("The action is at %s.", placeOf(at, p.quote)))
	}
	return sentences
}
