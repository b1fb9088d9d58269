package view

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// Turn says what the counterexample does at a decision of it; see [explain.Decision].
type Turn uint8

// The turns. Of a state at which a run decides more than once, the first one in this order
// from the end is shown.
const (
	NoTurn       Turn = iota
	CouldBeOpen       // another choice would have kept the property possible
	CouldBeSaved      // another choice would have made it certain
	LostHere          // the run passes the point of no return
)

// String returns what is written into the decision, "" for none.
func (t Turn) String() string {
	return [...]string{"", "could stay open", "could be saved", "lost here"}[min(t, LostHere)]
}

// turnOf returns what a decision is for the run.
func turnOf(d *explain.Decision) Turn {
	if d.PointOfNoReturn {
		return LostHere
	}
	for _, c := range d.Alternatives {
		if c.After == neighbourhood.Correct && c.IsBetter(d.Chosen) {
			return CouldBeSaved
		}
	}
	return CouldBeOpen
}

// turnsOf returns the states of the decisions of e, and what they are for its run.
func turnsOf(e *explain.Explanation) map[lts.State]Turn {
	all := map[lts.State]Turn{}
	for i := range e.Decisions {
		d := &e.Decisions[i]
		all[d.State] = max(all[d.State], turnOf(d))
	}
	return all
}

// kindWords say what can become of runs at a neighbourhood that the counterexample does not
// pass.
func kindWords(kind neighbourhood.Kind) string {
	switch kind {
	case 0:
		return ""
	case neighbourhood.CorrectChoice:
		return "saved here"
	case neighbourhood.IncorrectChoice:
		return "lost here"
	}
	return "saved or lost here"
}

// Says returns what is to be written into a node about what is decided there, "" for nothing.
// A neighbourhood on the run at which nothing was decided for it is only named: what holds of
// other runs would contradict what this one does there.
func (n *Node) Says() string {
	switch {
	case n.Turn != NoTurn:
		return n.Turn.String()
	case n.OnRun && n.Kind != 0:
		return "neighbourhood"
	}
	return kindWords(n.Kind)
}

// node returns what is shown of a state.
func (s *subject) node(state lts.State) Node {
	return Node{
		State: state, Name: s.name(state), Initial: state == s.m.Initial(), Before: s.m.IsBefore(state), Deadlock: s.m.IsDeadlock(state),
		OnRun: s.visits(state), Kind: s.kind(state), Turn: s.turnsAt[state],
	}
}
