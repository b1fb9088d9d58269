package report

import (
	"strings"

	"github.com/inev-lts/inev/explain"
)

// initial says which values hold at first; "" if nothing is known.
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
