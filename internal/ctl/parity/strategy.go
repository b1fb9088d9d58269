package parity

import (
	"github.com/inev-lts/inev/internal/formula/mucalculus"
	"github.com/inev-lts/inev/lts"
)

// move is a move from a position.
type move struct {
	node  int
	state lts.State
	// step is the transition of a modality; isStep is false for other moves.
	step   lts.Transition
	isStep bool
}

// eachMove calls yield for all moves from a position, until yield returns false.
func (s *Solution) eachMove(node int, state lts.State, yield func(move) bool) {
	n := s.Formula.Node(node)
	if n.Kind != mucalculus.Modality {
		for _, part := range n.Parts {
			if !yield(move{node: part, state: state}) {
				return
			}
		}
		return
	}
	means := s.means[node]
	labels, targets := s.Model.Out(state)
	for i, to := range targets {
		label := labels.At(i)
		if !means[label] {
			continue
		}
		step := lts.Transition{From: state, Label: label, To: to}
		if !yield(move{node: n.Parts[0], state: to, step: step, isStep: true}) {
			return
		}
	}
}

// eachWinningMove calls yield for the moves that matter at a reached position. If the winner of the position
// moves there, this is the one winning move. Otherwise these are all moves, since the winner must be
// prepared for each of them. Cost O(moves of the position).
func (s *Solution) eachWinningMove(node int, state lts.State, yield func(move) bool) {
	n := s.Formula.Node(node)
	if n.Kind == mucalculus.Fixpoint || n.All == s.Holds(node, state) {
		s.eachMove(node, state, yield)
		return
	}
	yield(s.bestMove(n, node, state))
}

// bestMove returns the winning move for the player who moves at a position: out of the component if
// possible, otherwise by the strategy of the game, or to the position where the value was found
// earliest.
func (s *Solution) bestMove(n *mucalculus.Node, node int, state lts.State) move {
	holds := s.Holds(node, state)
	g := s.games[n.Component]
	isRanked := n.Cyclic && g == nil && s.roundValue[n.Component] == holds
	var chosen position
	if g != nil {
		if choice := g.choice[g.numberOf(node, state)]; choice != nowhere {
			chosen = g.positionOf(choice)
		}
	}
	var best move
	isFound := false
	// isBetter reports whether a move within the component is better than best.
	isBetter := func(m move) bool {
		switch {
		case g != nil:
			return int(chosen.node) == m.node && chosen.state == m.state
		case !isFound:
			return true
		}
		return isRanked && s.tables[m.node].rank[m.state] < s.tables[best.node].rank[best.state]
	}
	s.eachMove(node, state, func(m move) bool {
		wins := s.Holds(m.node, m.state) == holds
		switch {
		case !wins:
		case s.Formula.Node(m.node).Component != n.Component:
			best = m
			return false
		case isBetter(m):
			best = m
			isFound = true
		}
		return true
	})
	return best
}
