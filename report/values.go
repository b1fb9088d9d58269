package report

import (
	"bufio"
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
	say := func(all []explain.StateValue) string {
		said := make([]string, len(all))
		for i, v := range all {
			said[i] = v.Name + " = " + v.Value
		}
		return cut(Printable(strings.Join(said, ", ")), widestText, o)
	}
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

// values tells what the steps do to the values of states.
func (t *textWriter) values() {
	if t.e.Values == nil {
		return
	}
	t.heading("Values")
	rows, left := changes(t.e.Values, t.o)
	for _, r := range rows {
		t.paragraph("  ", r[0]+": "+r[1])
	}
	if left > 0 {
		t.paragraph("  ", further(left))
	}
}

func markdownValues(b *bufio.Writer, e *explain.Explanation, o Options) {
	if e.Values == nil {
		return
	}
	fmt.Fprint(b, "\n### Values\n\n")
	rows, left := changes(e.Values, o)
	for _, r := range rows {
		fmt.Fprintf(b, "- %s: %s\n", r[0], MarkdownCode(r[1]))
	}
	if left > 0 {
		fmt.Fprintf(b, "\n%s\n", further(left))
	}
}
