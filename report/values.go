package report

import (
	"fmt"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/property/values"
)

// initial lists the values in the initial state; "" if no values are known.
func (r *remarks) initial(o Options) string {
	if r.e.Values == nil || len(r.e.Values.Initial) == 0 {
		return ""
	}
	return valuesText(r.e.Values.Initial, o)
}

// changed lists the values that step i changes; "" for none.
func (r *remarks) changed(i int, o Options) string {
	if said, changes := r.values[i]; changes {
		return valuesText(said, o)
	}
	return ""
}

// mostChanges is the largest number of changed components of one value in a list.
const mostChanges = 3

// valuesText writes values as assignments; of a structured value it writes only the changed
// components.
func valuesText(all []explain.StateValue, o Options) string {
	var said []string
	for _, v := range all {
		if len(v.Changes) == 0 {
			said = append(said, v.Name+" = "+v.Value)
			continue
		}
		for i, c := range v.Changes {
			if i == mostChanges && !o.Full {
				said = append(said, fmt.Sprintf("%d more changes of %s", len(v.Changes)-i, v.Name))
				break
			}
			said = append(said, values.Change(c).String(v.Name))
		}
	}
	return cut(printable.Text(strings.Join(said, ", ")), o)
}
