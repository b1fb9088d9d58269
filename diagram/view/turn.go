package view

import (
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// Turn is the role of a decision in the counterexample, see [explain.Decision].
type Turn uint8

// The turns. If a run decides several times in a state, the state has the largest of these turns.
const (
	NoTurn       Turn = iota
	CouldBeOpen       // another choice would have kept the property possible
	CouldBeSaved      // another choice would have made the property certain
	LostHere          // the run passes the point of no return
)

// String returns the text in the node of a decision, "" for none.
func (t Turn) String() string {
	return [...]string{"", "could stay open", "could be saved", "lost here"}[min(t, LostHere)]
}

// turnOf returns the turn of a decision.
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

// turnsOf returns the turns of the decisions of e, by state.
func turnsOf(e *explain.Explanation) map[lts.State]Turn {
	all := map[lts.State]Turn{}
	for i := range e.Decisions {
		d := &e.Decisions[i]
		all[d.State] = max(all[d.State], turnOf(d))
	}
	return all
}

// kindWords describes what can become of runs in a neighbourhood off the counterexample.
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

// Says returns the text about the decision in a node, "" for none. If the run decides nothing in a
// neighbourhood on it, the text is "neighbourhood": the words for other runs would contradict this
// run.
func (n *Node) Says() string {
	switch {
	case n.Turn != NoTurn:
		return n.Turn.String()
	case n.OnRun && n.Kind != 0:
		return "neighbourhood"
	}
	return kindWords(n.Kind)
}

// node returns the node of a state.
func (s *subject) node(state lts.State) Node {
	return Node{
		State: state, Name: s.name(state), Initial: state == s.m.Initial(), Before: s.m.IsBefore(state), Deadlock: s.m.IsDeadlock(state),
		OnRun: s.visits(state), Kind: s.kind(state), Turn: s.turnsAt[state],
	}
}
