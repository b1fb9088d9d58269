package report

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/property"
)

// remark is a text next to a step.
type remark struct {
	text   string
	style  string // how the remark is set where colour is wanted: never fainter than the label
	values bool   // it has values of the state
}

// remarks makes the texts next to the steps of the counterexample.
type remarks struct {
	e *explain.Explanation
	// number has, for each step with a decision, the number of the sentence about the decision,
	// from 1.
	number map[int]int
	late   map[int][]explain.Late
	values map[int][]explain.StateValue
	full   bool
	phrase func(property.Phrase) string
	// said caches the results of phrase.
	said map[*explain.Pending]string
	// source has, for each step with a decision, the line of the specification, formatted.
	source map[int]string
}

func remarksOf(s *Sentences) *remarks {
	r := &remarks{e: s.p.e, number: map[int]int{}, late: map[int][]explain.Late{}, values: map[int][]explain.StateValue{}, source: map[int]string{}, said: map[*explain.Pending]string{}, full: s.p.full, phrase: s.p.phrase}
	for i := range r.e.Decisions {
		if d := &r.e.Decisions[i]; d.Source != nil {
			r.source[int(d.Step)] = placeOf(d.Source, s.p.quote)
		}
	}
	for i, c := range s.story.decisions {
		for _, d := range c.decisions {
			r.number[int(d.Step)] = i + 1
		}
	}
	for _, l := range r.e.Counterexample.Late {
		r.late[int(l.Step)] = append(r.late[int(l.Step)], l)
	}
	if r.e.Values != nil {
		for _, s := range r.e.Values.Steps {
			r.values[int(s.Step)] = s.Changed
		}
	}
	return r
}

// of returns the remarks next to step i, the last of them the values that the step changes.
func (r *remarks) of(i int, o Options) []remark {
	said := r.events(i)
	if changed := r.changed(i, o); changed != "" {
		said = append(said, remark{text: changed, values: true})
	}
	return said
}

// events returns the remarks next to step i but for values.
func (r *remarks) events(i int) []remark {
	c := r.e.Counterexample
	step, before := &c.Steps[i], 0
	if i > 0 {
		before = c.Steps[i-1].Progress
	}
	var said []remark
	say := func(style, format string, args ...any) {
		said = append(said, remark{text: fmt.Sprintf(format, args...), style: style})
	}
	if r.changesPending(i) {
		said = append(said, remark{text: r.pending(i), style: green})
	}
	if step.Progress > before {
		say(green, "%d of %d done", step.Progress, len(r.e.Property.Steps))
	}
	for at, l := range r.late[i] {
		if at == mostNamed {
			say(green, "…")
			break
		}
		say(green, "in round %d: %d of %d done", l.Round, l.Progress, len(r.e.Property.Steps))
	}
	lost := r.e.PointOfNoReturn != nil && int(r.e.PointOfNoReturn.Step) == i
	switch n := r.number[i]; {
	case n > 0 && r.full:
		say(bold, "decision %d", n)
	case n > 0 && lost:
		say(bold+red, "decision, point of no return")
		lost = false
	case n > 0:
		say(bold, "decision")
	}
	if lost {
		say(bold+red, "point of no return")
	}
	if at := r.source[i]; at != "" {
		said = append(said, remark{text: at})
	}
	if i == len(c.Steps)-1 && c.LoopStart >= 0 {
		say("", "back to state %s", r.e.Name(step.To))
	}
	return said
}

// changesPending reports whether step i changes what is pending, so that a remark says so.
func (r *remarks) changesPending(i int) bool {
	c := r.e.Counterexample
	if stateAfter(c, i+1) == stateAfter(c, i) {
		return false
	}
	// The diagnosis already names the forbidden step.
	if d := r.e.Diagnosis; d != nil && d.Kind == explain.KindForbidden && (i == len(c.Steps)-1 || i == int(*d.Step)) {
		return false
	}
	words, before := pendingAfter(c, i+1), pendingAfter(c, i)
	if words == nil || slices.Equal(words, before) {
		return false
	}
	return length(words) != length(before) || words.String() != before.String()
}

func length(words property.Phrase) (n int) {
	for _, w := range words {
		n += len(w.Text)
	}
	return n
}

// pending describes what is pending after step i.
func (r *remarks) pending(i int) string {
	state := stateAfter(r.e.Counterexample, i+1)
	said, known := r.said[state]
	if !known {
		said = r.phrase(pendingAfter(r.e.Counterexample, i+1))
		r.said[state] = said
	}
	return said
}

// pendingAfter returns what is pending after i steps, in words; nil for inevitability.
func pendingAfter(c *explain.Counterexample, i int) property.Phrase {
	switch pending := stateAfter(c, i); {
	case pending == nil:
		return nil
	case pending.Words == nil:
		return property.Phrase{{Text: "nothing pending"}}
	default:
		return pending.Words
	}
}

// stateAfter returns what is pending after i steps; nil for inevitability. Consecutive steps that
// do not change it have the same pointer.
func stateAfter(c *explain.Counterexample, i int) *explain.Pending {
	if i > 0 {
		return c.Steps[i-1].Pending
	}
	return c.Pending
}
