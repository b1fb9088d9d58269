package report

import (
	"fmt"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/claim"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
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

// verdictUnder is the verdict where only some runs count.
func (p *prose) verdictUnder(c claim.Verdict) string {
	name, formula, runs := p.quote(p.e.Model.File), p.quote(p.e.Property.Text), p.counted(c.Under, "are")
	switch {
	case c.Satisfied:
		return fmt.Sprintf("%s satisfies %s on every run %s: each does %s.", name, formula, p.counted(c.Under, "is"), p.requirement())
	case c.Hopeless:
		return fmt.Sprintf("%s violates %s, also on runs %s; no run satisfies it.", name, formula, runs)
	}
	return fmt.Sprintf("%s violates %s, also on runs %s.", name, formula, runs)
}

// counted says which runs count: "that are weakly fair to each action".
func (p *prose) counted(under []explain.Asked, are string) string {
	var fair, where []string
	for _, a := range under {
		tasks := "each action"
		if a.Tasks != "each" {
			tasks = p.quote(a.Tasks)
		}
		if a.Nonstuttering {
			tasks += ", self-loops aside"
		}
		switch a.Kind {
		case actl.FullFairness:
			fair = append(fair, "fully fair")
		case actl.WeakFairness:
			fair = append(fair, "weakly fair to "+tasks)
		case actl.StrongFairness:
			fair = append(fair, "strongly fair to "+tasks)
		default:
			where = append(where, "on which "+tasks+" happens finitely often")
		}
	}
	var all []string
	if len(fair) > 0 {
		all = append(all, "that "+are+" "+join(fair, "and"))
	}
	return join(append(all, where...), "and")
}

// doomed says what is lost at the end of a run.
func (p *prose) doomed(c claim.Doomed) string {
	can := make([]string, 0, len(c.Labels))
	for i, l := range c.Labels {
		if i == p.most(shownLabels, len(c.Labels)) {
			can = append(can, fmt.Sprintf("%d more actions", len(c.Labels)-i))
			break
		}
		can = append(can, p.quote(l))
	}
	return fmt.Sprintf("Whatever is done from there on, no run does %s: it stays in %s, where only %s can happen.",
		p.stretch(c.First, c.Step), printable.Quantity(c.States, "state"), join(can, "and"))
}
