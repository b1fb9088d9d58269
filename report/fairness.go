package report

import (
	"fmt"

	"github.com/inev-lts/inev/claim"
	"github.com/inev-lts/inev/explain"
)

// fairly says under which notion of fairness the property holds.
func (p *prose) fairly(c claim.Fairness) string {
	switch c.Notion {
	case claim.WeakFairness:
		return "It fails only on unfair runs: it holds if no action that stays possible is put off for ever (weak fairness of each action)."
	case claim.StrongFairness:
		return "It fails only on unfair runs: it holds if no action that is possible again and again is put off for ever (strong fairness of each action; weak fairness is not enough)."
	}
	return "It fails only on unfair runs: it holds if every choice is made again and again all ways (full fairness). Fairness of single actions is not enough."
}

// beyondFairness says what fairness does not bring about.
func (p *prose) beyondFairness(c claim.BeyondFairness) string {
	where := fmt.Sprintf("from state %s on", fmt.Sprint(c.State))
	if c.Steps == 0 {
		where = "from the start"
	}
	return fmt.Sprintf("Fairness does not help: %s, %s can be out of reach.", where, p.once(c.Step))
}

// holdsIf says which assumption makes the property true.
func (p *prose) holdsIf(c claim.HoldsIf) string {
	switch c.Assumption.Kind {
	case explain.FairChoices:
		states := listStates(p, c.States, func(s explain.ModelState) string { return fmt.Sprint(s) })
		noun, verb := "choice", "is"
		if len(c.States) > 1 {
			noun, verb = "choices", "are"
		}
		return fmt.Sprintf("It holds if the %s in %s %s made again and again all ways.", noun, states, verb)
	case explain.Strong:
		return fmt.Sprintf("It holds on every run that is strongly fair to %s%s.", p.together(c.Labels), p.others(c.Others))
	}
	return fmt.Sprintf("It holds on every run in which %s finitely often%s.", p.happen(c.Labels), p.others(c.Others))
}

func (p *prose) happen(labels []string) string {
	if len(labels) == 1 {
		return p.quote(labels[0]) + " happens"
	}
	return p.together(labels) + " happen"
}

// together lists labels of one assumption.
func (p *prose) together(labels []string) string {
	quoted := make([]string, len(labels))
	for i, l := range labels {
		quoted[i] = p.quote(l)
	}
	return join(quoted, "and")
}

// others lists equally small assumptions.
func (p *prose) others(all []explain.Assumption) string {
	if len(all) == 0 {
		return ""
	}
	const shown = 2
	texts := make([]string, 0, len(all))
	for i, a := range all {
		if i == p.most(shown, len(all)) {
			texts = append(texts, fmt.Sprintf("… (%d more)", len(all)-i))
			break
		}
		texts = append(texts, p.together(a.Labels))
	}
	return fmt.Sprintf("; likewise with %s in %s place", join(texts, "or"), map[bool]string{true: "its", false: "their"}[len(all[0].Labels) == 1])
}
