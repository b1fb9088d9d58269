package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// isVague reports whether a sentence would only count prohibitions, or some of the states where they
// apply, instead of naming them.
func (p *prose) isVague(all []prohibition) bool {
	if p.full {
		return false
	}
	if p.areMany(all) {
		return true
	}
	for _, n := range all {
		for i := range n.places {
			g := &n.places[i]
			isEverywhere := g.isAlways() && len(n.places) == 1 && len(g.states) == n.possibleIn
			if p.numStatesNamed(len(g.states)) < len(g.states) && !isEverywhere {
				return true
			}
		}
	}
	return false
}

// ruleListByPlace lists what rules forbid, and names the step of the run that breaks one of them.
func (p *prose) ruleListByPlace(r *explain.Repair) string {
	broken := p.firstTaken(r.Never)
	places := p.joinedByPlace(r.Places)
	parts := make([]string, len(places))
	for i, rule := range places {
		parts[i] = p.ruleByPlace(rule, &broken, r.Never)
	}
	return inSeries(parts)
}

// joinedByPlace joins the rules whose places a sentence describes by the same words. Such rules
// differ only in the states of the property, since each label is possible only in some of them.
func (p *prose) joinedByPlace(rules []explain.Rule) []explain.Rule {
	var joined []explain.Rule
	at := map[string]int{} // the index in joined of the rule for a place
	for _, rule := range rules {
		if rule.Into != nil {
			joined = append(joined, rule)
			continue
		}
		place := p.placeOfRule(rule)
		i, isKnown := at[place]
		if !isKnown {
			at[place] = len(joined)
			joined = append(joined, rule)
			continue
		}
		labels := slices.Concat(joined[i].Labels, rule.Labels)
		slices.Sort(labels)
		joined[i].Labels = slices.Compact(labels)
	}
	return joined
}

// placeOfRule says where the labels of a rule must not happen.
func (p *prose) placeOfRule(rule explain.Rule) string {
	text := p.limitsOfRule(rule)
	if len(rule.Values) > 0 {
		values := make([]string, len(rule.Values))
		for i, v := range rule.Values {
			values[i] = p.quote(v)
		}
		text += " where " + strings.Join(values, " and ")
	}
	guard := guardOf(rule.When)
	return text + p.condition(&guard)
}

// ruleByPlace says what a rule forbids, and where. *broken is the index of a step of the run that breaks a
// rule; it is -1 if there is none, or after a sentence has named the step. never has all that is forbidden.
func (p *prose) ruleByPlace(rule explain.Rule, broken *int, never []explain.Forbidden) string {
	if rule.Into != nil {
		guard := guardOf(rule.When)
		return "whatever leads to " + p.statesNotEntered(rule, broken, never) + p.condition(&guard)
	}
	text := p.labelList(rule.Labels, "and") + p.placeOfRule(rule)
	if *broken >= 0 && slices.Contains(rule.Labels, p.e.Counterexample.Steps[*broken].Label) {
		text += fmt.Sprintf(" (step %d of this run)", *broken+1)
		*broken = -1
	}
	return text
}

// limitsOfRule says in which states, or after and until which actions, the labels of a rule must not happen. It
// says "everywhere" if the rule has no limit of this kind and no limit by values.
func (p *prose) limitsOfRule(rule explain.Rule) string {
	after := p.quote(rule.After)
	until := p.quote(rule.Until)
	switch {
	case rule.States != nil:
		return " in " + listStates(p, rule.States, modelState)
	case rule.After == "" && rule.Until == "" && len(rule.Values) > 0:
		return ""
	case rule.After == "" && rule.Until == "":
		return " everywhere"
	case rule.After == "":
		return " until " + until
	case rule.Until == "":
		return " after " + after
	case rule.Begins:
		return fmt.Sprintf(" until %s and again after %s until %s", until, after, until)
	}
	return fmt.Sprintf(" after %s until %s", after, until)
}

// statesNotEntered names the states that a rule says must not be entered.
func (p *prose) statesNotEntered(rule explain.Rule, broken *int, never []explain.Forbidden) string {
	names := make([]string, len(rule.Into))
	for i, s := range rule.Into {
		names[i] = modelState(s)
		if *broken >= 0 && p.takenBy(*broken, never).To == s {
			names[i] += fmt.Sprintf(" (step %d of this run)", *broken+1)
			*broken = -1
		}
	}
	noun := "state "
	switch {
	case rule.AllEnd && len(names) == 1:
		noun = "the deadlock in state "
	case rule.AllEnd:
		noun = "the deadlocks in states "
	case len(names) > 1:
		noun = "states "
	}
	return noun + printable.List(names, "and")
}
