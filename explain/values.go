package explain

import (
	"strings"

	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/values"
)

// Values are what is known of the states of a counterexample.
type Values struct {
	// Parameters are all that states have values of.
	Parameters []states.Parameter `json:"parameters"`
	// Initial are the values of the state in which the run begins; none if nothing is
	// known of it.
	Initial []StateValue `json:"initial"`
	// Steps are the steps that change a value, in the order of the run. A step from a state
	// without known values to a state with some is one of them, and has all values there.
	Steps []ChangedValues `json:"steps"`
}

// StateValue is the value that a state gives to a parameter.
type StateValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Changes are the places within the value that a step changes; none if it is
	// another value as a whole, and of the first state.
	Changes []ValueChange `json:"changes,omitempty"`
}

// ValueChange is what a step changes at a place of a value, see [values.Change]: of what is new,
// or gone, one of Before and After is empty.
type ValueChange struct {
	Path   string `json:"path"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// ChangedValues are what one step of a counterexample changes.
type ChangedValues struct {
	Step    StepIndex    `json:"step"`
	Changed []StateValue `json:"changed"`
}

// parametersOf returns the parameters of a table, none where there is none.
func parametersOf(t *states.Table) []states.Parameter {
	all := []states.Parameter{}
	if t == nil {
		return all
	}
	for p := range t.NumParameters() {
		all = append(all, t.Parameter(p))
	}
	return all
}

// describeValues returns the values of the states of the counterexample, nil if there is none
// or nothing is known of states. Cost O(steps · parameters).
func (v violation) describeValues(t *states.Table) *Values {
	if t == nil || v.trace == nil {
		return nil
	}
	described := &Values{Parameters: parametersOf(t), Initial: []StateValue{}, Steps: []ChangedValues{}}
	before := v.a.modelState(v.a.m.Initial())
	budget := mostRead
	described.Initial = append(described.Initial, valuesOf(t, before)...)
	for i := range v.trace.Len() {
		to := v.a.modelState(v.trace.Step(i).To)
		var changed []StateValue
		if !t.Known(before) {
			changed = valuesOf(t, to)
		}
		for p := range t.Changed(before, to) {
			change := StateValue{Name: t.Parameter(p).Name, Value: t.Text(p, t.Value(to, p))}
			was := t.Text(p, t.Value(before, p))
			if budget -= len(was) + len(change.Value); budget > 0 {
				change.Changes = changesOf(was, change.Value)
			}
			changed = append(changed, change)
		}
		if len(changed) > 0 {
			described.Steps = append(described.Steps, ChangedValues{StepIndex(i), changed})
		}
		before = to
	}
	return described
}

// mostRead is how many bytes of values are compared place by place.
const mostRead = 32 << 20

// changesOf compares two values place by place; nothing if they differ as a whole.
func changesOf(before, after string) []ValueChange {
	if !hasParts(before) || !hasParts(after) {
		return nil
	}
	var all []ValueChange
	for _, c := range values.Diff(values.Parse(before), values.Parse(after)) {
		if c.Path == "" && c.Before != "" && c.After != "" {
			return nil
		}
		all = append(all, ValueChange(c))
	}
	return all
}

// hasParts reports whether a text may be a record, function, sequence or set.
func hasParts(text string) bool { return text != "" && strings.IndexByte("<{[(", text[0]) >= 0 }

// modelState returns the number in the model of a state of what was analysed.
func (a *Analysis) modelState(s lts.State) lts.State {
	if a.Unfolding == nil {
		return s
	}
	return a.Unfolding.Place(s).State
}

// valuesOf returns all values that a state has.
func valuesOf(t *states.Table, s lts.State) []StateValue {
	var all []StateValue
	for p := range t.NumParameters() {
		if v := t.Value(s, p); v != states.None {
			all = append(all, StateValue{Name: t.Parameter(p).Name, Value: t.Text(p, v)})
		}
	}
	return all
}
