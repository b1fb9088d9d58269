package view

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/neighbourhood"
)

// Ahead is the path from a shown state to the nearest transition that the run waits for, if no
// arrow shows that transition.
type Ahead struct {
	State lts.State
	Steps int    // of a shortest path, including its last transition
	Label string // the label of that transition
}

// pending are the labels that the counterexample still waits for at its end.
func pending(e *explain.Explanation) map[string]bool {
	all := map[string]bool{}
	if e.Diagnosis != nil {
		for _, label := range e.Diagnosis.Pending {
			all[label] = true
		}
	}
	return all
}

// lookAhead adds to g the path to the nearest transition that the run waits for, if no arrow of g
// shows such a transition. at maps a state to its node. Cost: none for a lasso, else a search from
// the choice that would have been better.
func (e explanation) lookAhead(ctx context.Context, g *Graph, at func(lts.State) lts.State) {
	if len(e.subject.pending) == 0 || g.Union != nil || g.shows(e.subject.pending) {
		return
	}
	way, found := e.wayAhead(ctx)
	if !found {
		return
	}
	for _, step := range e.Diagnosis.Way {
		// Begin after the part of the path that arrows of g show.
		if way.Steps == 1 || !g.leads(at(step.From), step.Label, at(step.To)) {
			break
		}
		way.State, way.Steps = step.To, way.Steps-1
	}
	way.State = at(way.State)
	if slices.ContainsFunc(g.Nodes, func(n Node) bool { return n.State == way.State }) {
		g.Ahead = append(g.Ahead, way)
	}
}

// shows reports whether an arrow has one of the labels.
func (g *Graph) shows(labels map[string]bool) bool {
	for i := range g.Arrows {
		if slices.ContainsFunc(g.Arrows[i].Labels, func(l Label) bool { return labels[l.Text] }) {
			return true
		}
	}
	return false
}

// leads reports whether an arrow with a label leads from one node to another.
func (g *Graph) leads(from lts.State, label string, to lts.State) bool {
	return slices.ContainsFunc(g.Arrows, func(a Arrow) bool {
		return a.From == from && a.To == to && slices.ContainsFunc(a.Labels, func(l Label) bool { return l.Text == label })
	})
}

// wayAhead returns a shortest path to a transition that the run waits for: from the loop or,
// without a loop, from the better choice in the state where the property was lost.
func (e explanation) wayAhead(ctx context.Context) (Ahead, bool) {
	if way := e.Diagnosis.Way; len(way) > 0 {
		return Ahead{way[0].From, len(way), way[len(way)-1].Label}, true
	}
	var turn *explain.Decision
	for i := range e.Decisions {
		if d := &e.Decisions[i]; turn == nil || d.PointOfNoReturn {
			turn = d
		}
	}
	if turn == nil {
		return Ahead{}, false
	}
	best := explain.Choice{After: neighbourhood.Incorrect}
	for _, c := range turn.Alternatives {
		if c.IsBetter(best) {
			best = c
		}
	}
	if !best.IsBetter(turn.Chosen) {
		return Ahead{}, false
	}
	m := e.LTS()
	var found lts.State
	label := ""
	tree := abort.Must(bfs.From(ctx, m, []lts.State{best.To}, bfs.Options{Until: func(state lts.State) bool {
		labels, _ := m.Out(state)
		for i := range labels.Len() {
			if text := m.Alphabet().Text(labels.At(i)); e.subject.pending[text] {
				found, label = state, text
				return true
			}
		}
		return false
	}}))
	if label == "" {
		return Ahead{}, false
	}
	distance, _ := tree.Distance(found)
	return Ahead{best.To, distance + 1, label}, true
}

// waitsAt returns the index of the first step of the loop whose source begins a shortest path to a
// transition with a pending label; -1 if there is none.
func (s *subject) waitsAt() int {
	if s.run == nil || s.run.loop == 0 {
		return -1
	}
	if s.leave > 0 {
		return s.leave - 1
	}
	for i := s.run.loop - 1; i < s.run.trace.Len(); i++ {
		if slices.ContainsFunc(s.out(s.run.trace.Step(i).From), s.isPending) {
			return i
		}
	}
	return -1
}

// isPending reports whether the run waits for t.
func (s *subject) isPending(t lts.Transition) bool {
	return len(s.pending) > 0 && slices.ContainsFunc(s.labels(t), func(text string) bool { return s.pending[text] })
}
