package report

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
)

// mostChanges is how many steps tell what they change, unless all is to be shown.
const mostChanges = 40

// ValuesOf returns what is known of the states of a counterexample, in its order: where,
// and which values hold from there on; and how many steps that change values are left out,
// none of which is unless there are many. None where nothing is known. Texts are as
// [Printable] gives them.
func ValuesOf(e *explain.Explanation) (rows [][2]string, left int) {
	if e.Values == nil {
		return nil, 0
	}
	return changes(e.Values, Options{})
}

// changes are the rows of the table of values: where, and what holds from there on.
func changes(v *explain.Values, o Options) (rows [][2]string, left int) {
	say := func(all []explain.StateValue) string { return valuesText(all, o) }
	if len(v.Initial) > 0 {
		rows = append(rows, [2]string{"at first", say(v.Initial)})
	}
	for i, s := range v.Steps {
		if i == mostChanges && !o.Full {
			return rows, len(v.Steps) - i
		}
		rows = append(rows, [2]string{fmt.Sprintf("step %d", s.Step+1), say(s.Changed)})
	}
	return rows, 0
}

// further says how many steps change values beside those that were told.
func further(left int) string {
	return fmt.Sprintf("… and %s that %s values.", printable.Quantity(left, "further step"), map[bool]string{true: "changes", false: "change"}[left == 1])
}

// initial says which values hold at first; "" where nothing is known.
func (r *remarks) initial(o Options) string {
	if r.e.Values == nil || len(r.e.Values.Initial) == 0 {
		return ""
	}
	return valuesText(r.e.Values.Initial, o)
}

// changed says what a step changes; "" for nothing.
func (r *remarks) changed(i int, o Options) string {
	if said, changes := r.values[i]; changes {
		return valuesText(said, o)
	}
	return ""
}

// valuesText writes values as assignments.
func valuesText(all []explain.StateValue, o Options) string {
	said := make([]string, len(all))
	for i, v := range all {
		said[i] = v.Name + " = " + v.Value
	}
	return cut(Printable(strings.Join(said, ", ")), widestText, o)
}
