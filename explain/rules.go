package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/lts"
)

// shortRepair is the largest number of forbidden transitions that a sentence lists.
const shortRepair = 3

// longestValue is the largest length of the text of a value in a rule. Rules do not name longer
// values.
const longestValue = 32

// addRules adds rules to d that mean the same as the repair, if the repair forbids more than
// shortRepair transitions and such rules exist. For a property without steps, it adds no rules that
// only restate the property. Cost as for [repair.Repair.Rules].
func (a *Analysis) addRules(ctx context.Context, d *Repair, r *repair.Repair) error {
	if len(d.Never) <= shortRepair {
		return nil
	}
	parameters := parametersOf(a.states)
	valueOf := func(s lts.State, p int) lts.Value {
		v := a.states.Value(a.inModel(s), p)
		if v != lts.NoValue && len(a.states.Text(p, v)) > longestValue {
			return lts.NoValue
		}
		return v
	}
	found, err := r.Rules(ctx, len(parameters), valueOf)
	if err != nil {
		return err
	}
	if a.Property.Steps() == 0 && slices.ContainsFunc(found, isProperty) {
		return nil
	}
	for _, rule := range found {
		d.Places = append(d.Places, a.describeRule(rule))
	}
	return nil
}

// isProperty reports whether a rule forbids labels in some states of the property, without any
// other condition. For a property without steps, such a rule says what the property forbids, and
// not what to change.
func isProperty(rule repair.Rule) bool {
	isAnywhere := rule.Into == nil && rule.States == nil && rule.Past == nil &&
		rule.Values == nil
	return isAnywhere && len(rule.Progress) < len(rule.Comes)
}

// describeRule describes a rule with the names of the model.
func (a *Analysis) describeRule(rule repair.Rule) Rule {
	alphabet := a.m.Alphabet()
	described := Rule{When: Forbidden{Progress: rule.Progress, Comes: rule.Comes}}
	if a.Property.Steps() == 0 {
		described.When.describePending(a.Property)
	}
	for _, l := range rule.Labels {
		described.Labels = append(described.Labels, alphabet.Text(l))
	}
	slices.Sort(described.Labels)
	if rule.Into != nil {
		described.Into = modelStates(rule.Into)
		described.AllEnd = !slices.ContainsFunc(rule.Into, func(s lts.State) bool {
			return !a.m.IsDeadlock(s)
		})
	}
	if rule.States != nil {
		described.States = modelStates(rule.States)
	}
	past := rule.Past
	if past != nil && past.HasAfter {
		described.After = alphabet.Text(past.After)
	}
	if past != nil && past.HasUntil {
		described.Until = alphabet.Text(past.Until)
	}
	described.Begins = past != nil && past.Begins
	for _, condition := range rule.Values {
		operator := " = "
		if condition.Differs {
			operator = " != "
		}
		name := a.states.Parameter(condition.Parameter).Name
		described.Values = append(described.Values,
			name+operator+a.states.Text(condition.Parameter, condition.Value))
	}
	return described
}
