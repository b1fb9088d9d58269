package view

import (
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// nearParting is the number of transitions that are shown before, and after, the state where two
// versions differ.
const nearParting = 20

// parted is a run of one version, with the transitions of the other version in the state in which
// it cannot follow.
type parted struct {
	labels []string
	names  []string // of the states, one more than labels unless the last transition leads back
	loop   int      // the index of the first step of the loop, -1 for none
	stops  bool
	at     int // the step that the other version cannot do; len(labels) at a stop, -1 for none
	runs   string
	other  string
	could  []string
}

// OfComparison returns a picture of two versions: the counterexample of the new one, else that of
// the old one, else the distinguishing run; with the transitions of the other version in the state
// in which it cannot follow. The step that only one version has is marked with + (new) or − (old).
// It returns nil if no run is known. Cost O(length of the run).
func OfComparison(c *compare.Comparison) *Graph {
	p := partedOf(c)
	if p == nil {
		return nil
	}
	old, latest := c.Names()
	g := &Graph{Caption: Caption{Model: old + " and " + latest, Formula: c.Formula, Verdict: verdicts(c, old, latest)}}
	p.draw(g, c)
	g.Whole = true
	return g
}

// verdicts returns a line with the verdicts on both versions.
func verdicts(c *compare.Comparison, old, latest string) string {
	if c.Versions == nil {
		return ""
	}
	return fmt.Sprintf("%s: %s, %s: %s", old, c.Versions.Old.Verdict, latest, c.Versions.New.Verdict)
}

// partedOf returns the run to draw.
func partedOf(c *compare.Comparison) *parted {
	v := c.Versions
	old, latest := c.Names()
	switch {
	case v != nil && v.New.Verdict == explain.Violated:
		return ofDivergence(v.New, v.Divergence, latest, old)
	case v != nil && v.Old.Verdict == explain.Violated:
		return ofDivergence(v.Old, v.Divergence, old, latest)
	case c.Behaviour.Run == nil:
		return nil
	}
	r := c.Behaviour.Run
	p := &parted{labels: append(append([]string(nil), r.Run...), r.Label), loop: -1, at: len(r.Run), runs: latest, other: old}
	if r.Only == compare.Old {
		p.runs, p.other = p.other, p.runs
	}
	for i := range len(p.labels) + 1 {
		p.names = append(p.names, strconv.Itoa(i))
	}
	return p
}

func ofDivergence(e *explain.Explanation, d *compare.Divergence, runs, other string) *parted {
	x := e.Counterexample
	p := &parted{loop: int(x.LoopStart), stops: x.LoopStart < 0 && !x.IsStem(), at: d.Step, runs: runs, other: other, could: d.Could}
	if d.Follows || d.Step > len(x.Steps) {
		p.at = -1
	}
	for _, step := range x.Steps {
		p.labels = append(p.labels, step.Label)
		p.names = append(p.names, e.Name(step.From))
	}
	p.names = append(p.names, e.Name(e.Trace().Last()))
	return p
}

// draw adds the steps of the run near the state in which the versions differ.
func (p *parted) draw(g *Graph, c *compare.Comparison) {
	first, end := 0, len(p.labels)
	if p.at >= 0 && p.loop < 0 {
		first, end = max(0, p.at-nearParting), min(end, p.at+1+nearParting)
	}
	if first > 0 || end < len(p.labels) {
		g.Notes = append(g.Notes, fmt.Sprintf("Of the %d transitions of the run numbers %d to %d are shown.", len(p.labels), first+1, end))
	}
	g.Initial = lts.State(first)
	for i := first; i <= end; i++ {
		if p.loop >= 0 && i == len(p.labels) {
			break
		}
		g.Nodes = append(g.Nodes, Node{State: lts.State(i), Name: p.names[i], Initial: i == first, OnRun: true, Deadlock: p.stops && i == len(p.labels)})
	}
	for i := first; i < end; i++ {
		to := i + 1
		closing := p.loop >= 0 && to == len(p.labels)
		if closing {
			to = p.loop
		}
		text := p.labels[i]
		if i == p.at {
			text = p.sign(c) + " only " + p.runs + ": " + text
		}
		g.Arrows = append(g.Arrows, Arrow{From: lts.State(i), To: lts.State(to), OnRun: true, Labels: []Label{{text, 1}},
			Mark: Mark{Steps: []int{i + 1}, Loop: p.loop >= 0 && i >= p.loop, Closing: closing}})
	}
	// Then come the transitions of the other version in the state in which it cannot follow.
	if p.at < 0 || len(p.could) == 0 {
		return
	}
	const most = 3
	otherSign := "+"
	if p.sign(c) == "+" {
		otherSign = "−"
	}
	shown := p.could[:min(most, len(p.could))]
	for i, label := range shown {
		to := lts.State(len(p.labels) + 1 + i)
		g.Nodes = append(g.Nodes, Node{State: to, Name: "…"})
		a := Arrow{From: lts.State(p.at), To: to, Labels: []Label{{otherSign + " only " + p.other + ": " + label, 1}}}
		if i == len(shown)-1 {
			a.More = len(p.could) - len(shown)
		}
		g.Arrows = append(g.Arrows, a)
	}
}

// sign is + for a step that only the new version has, − for one that only the old version has.
func (p *parted) sign(c *compare.Comparison) string {
	if _, latest := c.Names(); p.runs == latest {
		return "+"
	}
	return "−"
}
