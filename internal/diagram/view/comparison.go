package view

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// nearParting is the number of transitions that are shown before, and after, the state where two
// versions differ; maxOther bounds the transitions of the other version there.
const (
	nearParting = 20
	maxOther    = 3
)

// OfComparison returns a picture of two versions: the counterexample of the new one, else that of
// the old one, else the distinguishing run; with the transitions of the other version in the state
// in which it cannot follow. The step that only one version has is marked with + (new) or − (old).
// It returns nil if no run is known. Cost O(length of the run).
func OfComparison(c *compare.Comparison) *Graph {
	old, latest := c.Names()
	g := &Graph{Whole: true, Caption: Caption{Model: old + " and " + latest, Formula: c.Formula}}
	// Each state has a name: there is one more than labels unless the last transition leads back. The other
	// version cannot do the step at, which is len(labels) at a stop, and -1 for none.
	var labels, names, could []string
	loop, at, stops, of := -1, -1, false, compare.New
	v := c.Versions
	if v != nil {
		g.Caption.Verdict = fmt.Sprintf("%s: %s, %s: %s", old, v.Old.Verdict, latest, v.New.Verdict)
	}
	switch {
	case v != nil && v.Divergence != nil:
		e := v.New
		if e.Verdict != explain.Violated {
			e, of = v.Old, compare.Old
		}
		x := e.Counterexample
		loop, stops, could = int(x.LoopStart), x.LoopStart < 0 && !x.IsStem(), v.Divergence.Could
		if !v.Divergence.Follows && v.Divergence.Step <= len(x.Steps) {
			at = v.Divergence.Step
		}
		for _, step := range x.Steps {
			labels, names = append(labels, step.Label), append(names, e.Name(step.From))
		}
		names = append(names, e.Name(e.Trace().Last()))
	case c.Behaviour.Run == nil:
		return nil
	default:
		r := c.Behaviour.Run
		labels, at, of = append(slices.Clone(r.Run), r.Label), len(r.Run), r.Only
		for i := range len(labels) + 1 {
			names = append(names, strconv.Itoa(i))
		}
	}
	only, others := "+ only "+latest+": ", "− only "+old+": "
	if of == compare.Old {
		only, others = others, only
	}
	first, end := 0, len(labels)
	if at >= 0 && loop < 0 {
		first, end = max(0, at-nearParting), min(end, at+1+nearParting)
	}
	if first > 0 || end < len(labels) {
		g.Notes = append(g.Notes, fmt.Sprintf("Of the %d transitions of the run numbers %d to %d are shown.", len(labels), first+1, end))
	}
	g.Initial = lts.State(first)
	for i := first; i <= end; i++ {
		if loop < 0 || i < len(labels) {
			g.Nodes = append(g.Nodes, Node{State: lts.State(i), Name: names[i], Initial: i == first, OnRun: true, Deadlock: stops && i == len(labels)})
		}
	}
	for i := first; i < end; i++ {
		a := Arrow{From: lts.State(i), To: lts.State(i + 1), OnRun: true, Labels: []Label{{labels[i], 1}},
			Mark: Mark{Steps: []int{i + 1}, Loop: loop >= 0 && i >= loop, Closing: loop >= 0 && i+1 == len(labels)}}
		if a.Closing {
			a.To = lts.State(loop)
		}
		if i == at {
			a.Labels[0].Text = only + labels[i]
		}
		g.Arrows = append(g.Arrows, a)
	}
	if at < 0 {
		return g
	}
	// Then come the transitions of the other version in the state in which it cannot follow.
	shown := could[:min(maxOther, len(could))]
	for i, label := range shown {
		to := lts.State(len(labels) + 1 + i)
		g.Nodes = append(g.Nodes, Node{State: to, Name: "…"})
		a := Arrow{From: lts.State(at), To: to, Labels: []Label{{others + label, 1}}}
		if i == len(shown)-1 {
			a.More = len(could) - len(shown)
		}
		g.Arrows = append(g.Arrows, a)
	}
	return g
}
