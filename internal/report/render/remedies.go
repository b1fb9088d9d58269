package render

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
)

// Remedy is one way to make a violated property true.
type Remedy struct {
	// Sentence describes it, as a report does.
	Sentence string
	// Without are the transitions that the remedy leaves out; nil for other remedies.
	Without []explain.ModelStep
	// Supervised reports whether the remedy is the repair that [explain.FindRepair] finds.
	Supervised bool
	// Assumption is the assumption under which the property holds, in the syntax of [actl.ParseAssumption]; ""
	// for none.
	Assumption string
}

// Remedies returns the ways to make the property true that can be applied to the model, in the order of
// a full report.
func (s *Sentences) Remedies() []Remedy {
	var all []Remedy
	for _, c := range slices.Concat(s.story.Hold, s.story.HoldMore) {
		if !isRemedy(s.p.e, c) {
			continue
		}
		r := Remedy{Sentence: s.Say(c)}
		switch {
		case c.kind == "cut":
			for _, t := range s.p.e.Repair.Cut.Transitions {
				r.Without = append(r.Without, t.ModelStep)
			}
		case c.kind == "restated":
			for _, f := range s.p.e.Repair.Restated.Never {
				r.Without = append(r.Without, explain.ModelStep{
					From:  f.From,
					Label: f.Label,
					To:    f.To,
				})
			}
		case c.kind == "advice":
			r.Supervised = true
		case c.notion != "":
			r.Assumption = c.notion
		default:
			r.Assumption = s.p.assumption(c.assumed)
		}
		all = append(all, r)
	}
	return all
}

// isRemedy reports whether a claim names something that can be applied to the model.
func isRemedy(e *explain.Explanation, c Claim) bool {
	switch c.kind {
	case "cut":
		return true
	case "advice":
		return canApply(e.Repair)
	case "restated":
		return areUnconditional(e.Repair.Restated.Never)
	}
	return c.notion != "" || c.assumed != nil && !c.isDetail
}

// canApply reports whether leaving out what a repair forbids makes the property true for fair runs. A
// repair that forbids nothing leaves out nothing. If runs must leave a component that has no way out,
// leaving out transitions is not enough.
func canApply(r *explain.Repair) bool {
	isClosed := func(part explain.NotForEver) bool { return len(part.WaysOut) == 0 }
	return len(r.Never) > 0 && !slices.ContainsFunc(r.NotForEver, isClosed)
}

// numberRemedies gives the remedies among claims their numbers in [Sentences.Remedies], if there are
// several. Every report shows the claims in first, and only a full report those in more.
func numberRemedies(e *explain.Explanation, first, more []Claim) {
	var all []*Claim
	for _, claims := range [][]Claim{first, more} {
		for i := range claims {
			if isRemedy(e, claims[i]) {
				all = append(all, &claims[i])
			}
		}
	}
	if len(all) == 1 {
		return
	}
	for i, c := range all {
		c.number = i + 1
	}
}

// numbersOf returns the numbers under which claims are listed. These are the numbers of remedies if the
// list has several; 0 means no number.
func numbersOf(all []Claim) []int {
	numbers := make([]int, len(all))
	several := 0
	for i, c := range all {
		numbers[i] = c.number
		if c.number > 0 {
			several++
		}
	}
	if several == 1 {
		clear(numbers)
	}
	return numbers
}

// Listed is a sentence of a list. Number is the index in [Sentences.Remedies], from 1, if the sentence
// is about one of several remedies; otherwise 0.
type Listed struct {
	Number   int
	Sentence string
}

// HoldList is [Sentences.Hold] with the numbers of remedies.
func (s *Sentences) HoldList() []Listed {
	claims := s.hold()
	numbers := numbersOf(claims)
	list := make([]Listed, len(claims))
	for i, c := range claims {
		list[i] = Listed{numbers[i], s.Say(c)}
	}
	return list
}

// areUnconditional reports whether transitions are forbidden, whatever happened before.
func areUnconditional(never []explain.Forbidden) bool {
	return !slices.ContainsFunc(never, func(f explain.Forbidden) bool {
		return len(f.Progress) < len(f.Comes)
	})
}

// assumption returns an assumption in the syntax of the flag. Full fairness includes fair choices.
func (p *prose) assumption(h *holdsIf) string {
	if h.Kind == explain.FairChoices {
		return "full"
	}
	patterns := make([]string, len(h.Labels))
	for i, l := range h.Labels {
		patterns[i] = p.patternFor(l)
	}
	return h.Kind.String() + ":" + strings.Join(patterns, ",")
}
