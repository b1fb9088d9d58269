package report

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/report/internal/claim"
)

// remark is something to be said about a step.
type remark struct {
	text  string
	style string // how it is set where colour is wanted: never fainter than the label
}

// remarks are what there is to say about single steps of the counterexample.
type remarks struct {
	e *explain.Explanation
	// number is that of the sentence about the decision at a step, from 1.
	number map[int]int
	late   map[int][]explain.Late
	phrase func(property.Phrase) string
}

func remarksOf(s *Sentences) *remarks {
	r := &remarks{e: s.p.e, number: map[int]int{}, late: map[int][]explain.Late{}, phrase: s.p.phrase}
	for i, c := range s.story.Decisions {
		for _, d := range c.Decisions {
			r.number[int(d.Step)] = i + 1
		}
	}
	for _, l := range r.e.Counterexample.Late {
		r.late[int(l.Step)] = append(r.late[int(l.Step)], l)
	}
	return r
}

// of returns what there is to say about step i.
func (r *remarks) of(i int) []remark {
	c := r.e.Counterexample
	step, before := &c.Steps[i], 0
	if i > 0 {
		before = c.Steps[i-1].Progress
	}
	var said []remark
	say := func(style, format string, args ...any) {
		said = append(said, remark{fmt.Sprintf(format, args...), style})
	}
	if words := pendingAfter(c, i+1); words != nil && words.String() != pendingAfter(c, i).String() {
		say(green, "%s", r.phrase(words))
	}
	if step.Progress > before {
		say(green, "%d of %d done", step.Progress, len(r.e.Property.Steps))
	}
	for at, l := range r.late[i] {
		if at == shownLabels {
			say(green, "…")
			break
		}
		say(green, "in round %d: %d of %d done", l.Round, l.Progress, len(r.e.Property.Steps))
	}
	if n := r.number[i]; n > 0 {
		say(bold, "decision %d", n)
	}
	if p := r.e.PointOfNoReturn; p != nil && int(p.Step) == i {
		say(bold+red, "point of no return")
	}
	if i == len(c.Steps)-1 && c.LoopStart >= 0 {
		say("", "back to state %s", r.e.Name(step.To))
	}
	return said
}

// pendingAfter returns what is pending after i steps; nil of inevitability.
func pendingAfter(c *explain.Counterexample, i int) property.Phrase {
	pending := c.Pending
	if i > 0 {
		pending = c.Steps[i-1].Pending
	}
	switch {
	case pending == nil:
		return nil
	case pending.Words == nil:
		return property.Phrase{{Text: "nothing pending"}}
	}
	return pending.Words
}

// shownDecisions is how many decisions a report tells before it counts the rest.
const shownDecisions = 12

// toldDecisions reports of each sentence about decisions whether a report tells it:
// the first ones and, wherever it stands, the one that says best why the property
// fails; all of them in full.
func toldDecisions(s *Sentences, full bool) []bool {
	all := s.story.Decisions
	told := make([]bool, len(all))
	decisive := -1
	if d := s.p.e.Decisive(); d != nil {
		decisive = slices.IndexFunc(all, func(c claim.Chosen) bool { return slices.Contains(c.Decisions, d) })
	}
	for i := range told {
		told[i] = full || i < shownDecisions || i == decisive || len(all) == shownDecisions+1
	}
	return told
}
