package render

import (
	"strings"

	"github.com/inev-lts/inev/explain"
)

// shownColumns are the expressions about states that the reader wants to see along a run. Each has a
// cell before each step and after the last. The columns are nil if the reader has chosen none.
type shownColumns struct {
	cells [][]string
}

// newShownColumns returns the columns of a run. Cost O(steps · columns).
func newShownColumns(e *explain.Explanation) *shownColumns {
	if e.Values == nil || !e.Values.Chosen || e.Counterexample == nil {
		return nil
	}
	now := map[string]string{}
	c := &shownColumns{}
	add := func() {
		row := make([]string, len(e.Values.Parameters))
		for i, p := range e.Values.Parameters {
			row[i] = now[p.Name]
		}
		c.cells = append(c.cells, row)
	}
	for _, v := range e.Values.Initial {
		now[v.Name] = v.Value
	}
	add()
	changed := e.Values.Steps
	for i := range e.Counterexample.Steps {
		if len(changed) > 0 && int(changed[0].Step) == i {
			for _, v := range changed[0].Changed {
				now[v.Name] = v.Value
			}
			changed = changed[1:]
		}
		add()
	}
	return c
}

// at returns the cells of the state before step i, from 0.
func (c *shownColumns) at(i int) []string {
	if c == nil {
		return nil
	}
	return c.cells[i]
}

// columnsOf returns the names of the chosen columns for the header of a table, each after a separator.
func columnsOf(e *explain.Explanation) string {
	if e.Values == nil || !e.Values.Chosen {
		return ""
	}
	var b strings.Builder
	for _, name := range namesShown(e) {
		b.WriteString(" | " + strings.ReplaceAll(name, "|", "/"))
	}
	return b.String()
}

// namesShown returns the expressions that the reader has chosen; nil for none.
func namesShown(e *explain.Explanation) (names []string) {
	if e.Values == nil || !e.Values.Chosen {
		return nil
	}
	for _, p := range e.Values.Parameters {
		names = append(names, p.Name)
	}
	return names
}
