package view

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// The versions, as [Arrow.Side] names them.
const (
	OldVersion = compare.Old
	NewVersion = compare.New
)

// shownAround is the number of transitions that are shown before and after the state where two versions
// differ. shownOthers bounds the transitions of the other version that are shown there.
const (
	shownAround = 8
	shownOthers = 3
)

// OfComparison returns a picture of two versions. It shows the counterexample of the new one, otherwise
// that of the old one, otherwise the distinguishing run. In the state in which the other version cannot
// follow, it also shows the transitions of the other version. The step that only one version has is
// marked with + (new) or − (old). OfComparison returns nil if no run is known. Cost O(length of the
// run).
func OfComparison(c *compare.Comparison) *Graph {
	r := comparedRunOf(c)
	if r == nil {
		return nil
	}
	old, latest := c.Names()
	g := &Graph{
		Whole:   true,
		Caption: Caption{Model: old + " and " + latest, Formula: c.Formula},
	}
	v := c.Versions
	if v != nil {
		g.Caption.Verdict = fmt.Sprintf("%s: %s, %s: %s", old, v.Old.Verdict, latest,
			v.New.Verdict)
	}
	first, end := r.shownRange()
	if first > 0 || end < len(r.labels) {
		g.Notes = append(g.Notes,
			fmt.Sprintf("Of the %d transitions of the run numbers %d to %d are shown.",
				len(r.labels), first+1, end))
	}
	if r.side == compare.Old {
		g.addRun(r, first, end, "− "+r.inRound()+"only "+old)
		g.addOthers(r, r.inRound()+"instead in "+latest)
	} else {
		g.addRun(r, first, end, "+ "+r.inRound()+"only "+latest)
		g.addOthers(r, r.inRound()+"instead in "+old)
	}
	return g
}

// comparedRun is a run of one of two versions.
type comparedRun struct {
	side   compare.Side // the version whose run it is
	labels []string
	names  []string // the names of states; one more than labels unless the last transition leads back
	loop   int      // the index of the step that begins the loop; -1 without a loop
	isStop bool     // whether the run ends in a deadlock
	// divergence is the index of the step that the other version cannot take. It is len(labels) if the
	// other version can take all steps but cannot stop after them, and -1 if it can do all of the run.
	divergence int
	// round is the round of the loop, from 1, in which the other version cannot take this step; 0 if it
	// cannot take it at all after the steps before.
	round int
	// possible are the labels that the other version can do at the divergence.
	possible []string
}

// comparedRunOf returns the run that a picture of two versions shows; nil if none is known.
func comparedRunOf(c *compare.Comparison) *comparedRun {
	v := c.Versions
	switch {
	case v != nil && v.Divergence != nil && v.New.Verdict == explain.Violated:
		return counterexampleOf(v.New, compare.New, v.Divergence)
	case v != nil && v.Divergence != nil:
		return counterexampleOf(v.Old, compare.Old, v.Divergence)
	case c.Behaviour.Run == nil:
		return nil
	}
	parting := c.Behaviour.Run
	r := &comparedRun{
		side:       parting.Only,
		labels:     append(slices.Clone(parting.Run), parting.Label),
		loop:       -1,
		divergence: len(parting.Run),
	}
	for i := range len(r.labels) + 1 {
		r.names = append(r.names, strconv.Itoa(i))
	}
	return r
}

// counterexampleOf returns the counterexample of a version.
func counterexampleOf(
	e *explain.Explanation,
	side compare.Side,
	d *compare.Divergence,
) *comparedRun {
	x := e.Counterexample
	r := &comparedRun{
		side:       side,
		loop:       int(x.LoopStart),
		isStop:     x.LoopStart < 0 && !x.IsStem(),
		divergence: -1,
		possible:   d.Could,
	}
	if !d.Follows && d.Step <= len(x.Steps) {
		r.divergence = d.Step
	}
	if r.divergence >= 0 && r.loop >= 0 && d.Rounds > 0 {
		r.round = 1 + (d.After-r.loop)/(len(x.Steps)-r.loop)
	}
	for _, step := range x.Steps {
		r.labels = append(r.labels, step.Label)
		r.names = append(r.names, e.Name(step.From))
	}
	r.names = append(r.names, e.Name(e.Trace().Last()))
	return r
}

// inRound says in which round of the loop the versions part, if they do not part earlier.
func (r *comparedRun) inRound() string {
	if r.round == 0 {
		return ""
	}
	return fmt.Sprintf("in round %d ", r.round)
}

// shownRange returns the range of steps that are shown: those near the step that the other version cannot
// take; all steps are shown if the run has a loop.
func (r *comparedRun) shownRange() (first, end int) {
	if r.divergence < 0 || r.loop >= 0 {
		return 0, len(r.labels)
	}
	return max(0, r.divergence-shownAround), min(len(r.labels), r.divergence+1+shownAround)
}

// addRun adds the steps of a run from first to end - 1, and the states before and after them. The step
// that the other version cannot take has the mark.
func (g *Graph) addRun(r *comparedRun, first, end int, mark string) {
	loops := r.loop >= 0
	g.Initial = lts.State(first)
	for i := first; i <= end; i++ {
		isLast := i == len(r.labels)
		if !loops || !isLast {
			g.Nodes = append(g.Nodes, Node{
				State:    lts.State(i),
				Name:     r.names[i],
				Initial:  i == first,
				OnRun:    true,
				Deadlock: r.isStop && isLast,
			})
		}
	}
	for i := first; i < end; i++ {
		a := Arrow{
			From:   lts.State(i),
			To:     lts.State(i + 1),
			OnRun:  true,
			Labels: []Label{{r.labels[i], 1}},
			Mark: Mark{
				Steps:   []int{i + 1},
				Loop:    loops && i >= r.loop,
				Closing: loops && i+1 == len(r.labels),
			},
		}
		if a.Closing {
			a.To = lts.State(r.loop)
		}
		if i == r.divergence {
			a.Side = r.side
			a.SideText = mark
		}
		g.Arrows = append(g.Arrows, a)
	}
}

// addOthers adds the transitions of the other version in the state in which it cannot follow, with the mark. The
// version of the run may be able to take them, too.
func (g *Graph) addOthers(r *comparedRun, mark string) {
	if r.divergence < 0 {
		return
	}
	shown := r.possible[:min(shownOthers, len(r.possible))]
	for i, label := range shown {
		to := lts.State(len(r.labels) + 1 + i)
		g.Nodes = append(g.Nodes, Node{State: to, Name: "…"})
		a := Arrow{
			From:     lts.State(r.divergence),
			To:       to,
			Side:     r.side.Other(),
			SideText: mark,
			Labels:   []Label{{label, 1}},
		}
		if i == len(shown)-1 {
			a.More = len(r.possible) - len(shown)
		}
		g.Arrows = append(g.Arrows, a)
	}
}
