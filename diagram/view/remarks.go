package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/neighbourhood"
)

// remark is what a chart says about a step: what was decided in the state that it leaves,
// and what it achieves.
type remark struct {
	decision []string
	achieved []string
	noReturn bool
}

// remarksOf returns what there is to say, by the indices of steps, with who decides as lanes have it.
// Cost O(steps, and alternatives of the choices that matter).
func remarksOf(e *explain.Explanation, lanes *Lanes, full bool) map[int]*remark {
	all := map[int]*remark{}
	at := func(i int) *remark {
		if all[i] == nil {
			all[i] = &remark{}
		}
		return all[i]
	}
	last, origin, step := []string(nil), 0, -2
	for i := range e.Decisions {
		d := &e.Decisions[i]
		r, lines := at(int(d.Step)), alternatives(d, full)
		decision := "decision in state " + e.Name(d.State)
		if owner, is := lanes.Owner(d.Chosen.Label); is {
			decision = fmt.Sprintf("%s decides in state %s", printable.Cut(owner, LabelLength), e.Name(d.State))
		}
		r.decision = append([]string{decision}, lines...)
		if !full && int(d.Step) == step+1 && slices.Equal(lines, last) {
			r.decision = []string{fmt.Sprintf("%s, as in step %d", decision, origin+1)}
		} else {
			origin = int(d.Step)
		}
		last, step = lines, int(d.Step)
	}
	if p := e.PointOfNoReturn; p != nil {
		r := at(int(p.Step))
		r.noReturn = true
	}
	c := e.Counterexample
	before, pending := 0, phraseOf(c.Pending)
	for i := range c.Steps {
		s := &c.Steps[i]
		if s.Progress > before {
			at(i).achieved = append(at(i).achieved, fmt.Sprintf("%d of %d done", s.Progress, len(e.Property.Steps)))
		}
		before = s.Progress
		if now := phraseOf(s.Pending); now != pending {
			at(i).achieved = append(at(i).achieved, printable.Cut(now, LabelLength))
			pending = now
		}
	}
	for i, l := range c.Late {
		if i < maxListed || full {
			at(int(l.Step)).achieved = append(at(int(l.Step)).achieved, fmt.Sprintf("in round %d: %d of %d done", l.Round, l.Progress, len(e.Property.Steps)))
		}
	}
	return all
}

// phraseOf says what is pending, "" of inevitability.
func phraseOf(p *explain.Pending) string {
	switch {
	case p == nil:
		return ""
	case p.Words == nil:
		return "nothing pending"
	}
	return p.Words.String()
}

// maxAlternatives is the number of labels that a decision lists.
const maxAlternatives = 3

// alternatives says what would have been better: what would have made the property certain or,
// where nothing would, kept it possible; in full, all that there was to choose.
func alternatives(d *explain.Decision, full bool) []string {
	var lines []string
	for _, class := range []neighbourhood.Class{neighbourhood.Correct, neighbourhood.Neutral} {
		var labels []string
		seen := map[string]bool{}
		for _, c := range d.Alternatives {
			if c.After == class && !seen[c.Label] {
				seen[c.Label] = true
				labels = append(labels, printable.Cut(c.Label, LabelLength))
			}
		}
		if len(labels) == 0 {
			continue
		}
		if n := len(labels) - maxAlternatives; n > 0 && !full {
			labels = append(labels[:maxAlternatives], fmt.Sprintf("… %d more", n))
		}
		sign, would := "?", " would have kept the property possible"
		if class == neighbourhood.Correct {
			sign, would = CertainSign, " would have made the property certain"
		}
		lines = append(lines, sign+" "+strings.Join(labels, ", ")+would)
		if !full {
			return lines
		}
	}
	rest := 0
	for _, c := range d.Alternatives {
		if c.After == neighbourhood.Incorrect {
			rest++
		}
	}
	if rest > 0 {
		lines = append(lines, fmt.Sprintf("%s %s would have lost it", LostSign, printable.Quantity(rest, "other choice")))
	}
	return lines
}
