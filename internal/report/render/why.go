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
	case w.State != nil && len(w.Places) > 0:
		return []string{"It is possible there. " + p.meaning(w.Places[0].Choices, false)}
	case w.State != nil && w.Nearest != nil:
		return []string{"It is not possible there.", p.nearest(w.Nearest)}
	case w.State != nil:
		return []string{"It is not possible there, nor in any state that can be reached from there."}
	case w.Run == nil:
		return nil
	case w.Step != nil:
		return p.atStep()
	}
	var said []string
	if len(w.Run.Taken) > 0 {
		said = append(said,
			fmt.Sprintf("The run does take it: in %s.", p.stepList(w.Run.Taken)))
	}
	for i, place := range w.Places {
		if i == shownPlaces && len(w.Places) > shownPlaces+1 && !p.full {
			said = append(said,
				fmt.Sprintf("It was possible and not taken at %s.",
					printable.Quantity(len(w.Places)-i, "further place")))
			break
		}
		said = append(said, p.missed(place))
	}
	if len(w.Run.Possible) == 0 {
		said = append(said, "It was possible nowhere on this run.")
	}
	if len(w.Run.Taken) > 0 {
		return append(said, p.elsewhere()...)
	}
	return append(append(p.outOfReach(), said...), p.nearestElsewhere()...) // as the headline of the run does
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
func (p *whyProse) outOfReach() (said []string) {
	out := p.w.Run.OutOfReach
	switch {
	case out == nil:
	case out.By != nil && p.w.Model.IsBefore(int(out.By.From)):
		said = append(said,
			fmt.Sprintf("From state %d, where the run begins, it cannot happen.", out.By.To))
	case out.Steps == 0:
		said = append(said,
			"No run of the model does it: it leaves no state that can be reached.")
	default:
		said = append(said,
			fmt.Sprintf("After step %d (%s, into state %d) it can no longer happen.", out.Steps,
				p.apart(out.By.Label), out.By.To))
	}
	return said
}

func (p *whyProse) atStep() []string {
	w := p.w
	step := *p.w.Step
	var said []string
	if slices.Contains(w.Run.Taken, step) {
		said = append(said, "The run does take it there.")
	}
	for _, place := range w.Places {
		said = append(said, p.missed(place))
	}
	if len(said) == 0 {
		said = append(said, "It is not possible there.")
	}
	other := func(all []explain.StepIndex) []explain.StepIndex {
		return slices.DeleteFunc(slices.Clone(all), func(i explain.StepIndex) bool {
			return i == step
		})
	}
	at := other(w.Run.Possible)
	if len(at) > 0 {
		happened := ""
		taken := other(w.Run.Taken)
		if len(taken) > 0 {
			happened = ", and it happened in " + p.stepList(taken)
		}
		said = append(said,
			fmt.Sprintf("Elsewhere on the run it was possible in %s%s.", p.stepList(at),
				happened))
	}
	return append(said, p.elsewhere()...)
}

// missed describes what taking the action in a state of the run would have meant.
func (p *whyProse) missed(m explain.MissedPlace) string {
	said := fmt.Sprintf("In state %d (%s) it was possible", m.State, p.place(*m.Step))
	switch {
	case m.Took == "" && p.w.Run.Ends(*m.Step):
		said = fmt.Sprintf("In state %d, where the counterexample ends, it is possible",
			m.State)
	case slices.Contains(p.w.Run.Taken, *m.Step):
		said += fmt.Sprintf(" in another way than by the %s that the run took", p.apart(m.Took))
	default:
		said += fmt.Sprintf(", and the run took %s", p.apart(m.Took))
	}
	if m.IsLost() {
		return said + ". It would not have helped: for this run the property was lost before."
	}
	return said + ". " + p.meaning(m.Choices, true)
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
		path = append(path, p.apart(s.Label))
	}
	path = foldedList(path)
	if len(path) > shownPlaces+1 && !p.full {
		path = ends(path, shownPlaces, 0)
	}
	end := n.Path[len(n.Path)-1].To
	from := fmt.Sprintf("from state %d", n.From)
	asked := n.Step != nil
	if asked && p.w.Step == nil {
		from += " (" + p.place(*n.Step) + ")"
	}
	var means string
	switch n.After {
	case fate.Correct:
		means = "The property is certain there, whatever follows."
	case fate.Incorrect:
		means = "The property is lost there, whatever follows."
	default:
		means = p.meaning(n.Choices, asked)
	}
	return fmt.Sprintf("The nearest place with it is state %d, %s on %s: %s. %s", end,
		printable.Quantity(len(n.Path), "transition"), from,
		strings.Join(path, ", "), means)
}

// meaning describes what choices mean for the property: for the run of the question if run is set,
// otherwise for all runs through the state.
func (p *whyProse) meaning(choices []explain.Missed, run bool) string {
	classOf := func(c explain.Missed) fate.Class {
		if run {
			return c.After
		}
		return c.Class
	}
	said := p.outcomes(choices, classOf, run)
	if !run || !slices.ContainsFunc(choices, func(c explain.Missed) bool { return c.After != c.First }) {
		return said
	}
	return said + " In the first round: " +
		p.outcomes(choices, func(c explain.Missed) fate.Class { return c.First }, run)
}

func (p *whyProse) outcomes(
	choices []explain.Missed,
	classOf func(explain.Missed) fate.Class,
	run bool,
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
				named = append(named, fmt.Sprintf("%s to state %d", p.apart(c.Label), c.To))
			}
		}
		rest := len(named) - shownPlaces
		if rest > 1 && !p.full {
			named = append(named[:shownPlaces], printable.Quantity(rest, "other transition"))
		}
		what := does[class][0]
		if run {
			what = does[class][1]
		}
		parts.add(printable.List(named, "or"), what)
	}
	return parts.String()
}

// does says, for each class of a transition, what the transition does to the property, whose name
// replaces %s. The first text is about every run through the transition, the second about the run in
// question.
var does = map[fate.Class][2]string{
	fate.Correct:   {"makes %s certain on every run that comes there", "would have made %s certain"},
	fate.Neutral:   {"leaves %s open", "would have kept %s possible"},
	fate.Incorrect: {"loses %s on every run that comes there", "would have lost %s"},
	fate.Excluded:  {"lies on no run that counts for %s", "lies on no run that counts for %s"},
}

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
			number = *step + 1
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
func (p *whyProse) sourced(said []string) []string {
	at := p.w.Source
	if at != nil {
		said = append(said, fmt.Sprintf("The action is at %s.", placeOf(at, p.quote)))
	}
	return said
}
