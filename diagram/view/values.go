package view

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// How many values a node tells, and the number of characters of each.
const (
	toldValues = 4
	toldLength = 28
)

// tellValues writes into the nodes of the counterexample which values hold there, where a
// table of states tells: those that change on it before the others. Cost O(steps ·
// parameters).
func (g *Graph) tellValues(e *explain.Explanation) {
	if e.Values == nil || e.Trace() == nil {
		return
	}
	at := valuesAlong(e)
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.OnRun && n.End == NoEnd {
			n.Text = append(n.Text, at[n.State]...)
		}
	}
}

// valuesAlong returns the values of the states on the counterexample.
func valuesAlong(e *explain.Explanation) map[lts.State][]string {
	var names []string
	mention := func(all []explain.StateValue) {
		for _, v := range all {
			if !slices.Contains(names, v.Name) {
				names = append(names, v.Name)
			}
		}
	}
	after := map[explain.StepIndex][]explain.StateValue{}
	for _, s := range e.Values.Steps {
		mention(s.Changed)
		after[s.Step] = s.Changed
	}
	mention(e.Values.Initial)
	now := map[string]string{}
	said := func(changed []explain.StateValue) []string {
		for _, v := range changed {
			now[v.Name] = v.Value
		}
		var lines []string
		for i, name := range names {
			value, is := now[name]
			if !is {
				continue
			}
			if len(lines) == toldValues-1 && len(names)-i > 1 {
				return append(lines, fmt.Sprintf("… %d more", len(names)-i))
			}
			lines = append(lines, printable.Cut(name+" = "+value, toldLength))
		}
		return lines
	}
	trace := e.Trace()
	at := map[lts.State][]string{e.LTS().Initial(): said(e.Values.Initial)}
	for i := range trace.Len() {
		lines := said(after[explain.StepIndex(i)])
		if _, known := at[trace.Step(i).To]; !known {
			at[trace.Step(i).To] = lines
		}
	}
	return at
}
