package parity

import (
	"slices"

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

// moves returns all moves from a position.
func (s *Solution) moves(node int, state lts.State) []move {
	n := s.Formula.Node(node)
	var all []move
	if n.Kind != mucalculus.Modality {
		for _, part := range n.Parts {
			all = append(all, move{node: part, state: state})
		}
		return all
	}
	means := s.means[node]
	for label, to := range s.Model.From(state) {
		if means[label] {
			step := lts.Transition{From: state, Label: label, To: to}
			all = append(all, move{node: n.Parts[0], state: to, step: step, isStep: true})
		}
	}
	return all
}

// winning returns the moves that matter at a reached position: if the winner of the position moves
// there, the one move by which it is won, otherwise all moves, of which each is won. Cost O(moves of
// the position).
func (s *Solution) winning(node int, state lts.State) []move {
	n := s.Formula.Node(node)
	all := s.moves(node, state)
	if n.Kind == mucalculus.Fixpoint || n.All == s.Holds(node, state) {
		return all
	}
	return []move{s.best(n, node, state, all)}
}

// best returns the move by which the player who moves wins a position: out of the component if
// possible, otherwise by the strategy of the game, or to where the value was found earliest.
func (s *Solution) best(n *mucalculus.Node, node int, state lts.State, all []move) move {
	holds := s.Holds(node, state)
	isWon := func(m move) bool { return s.Holds(m.node, m.state) == holds }
	leaves := func(m move) bool { return isWon(m) && s.Formula.Node(m.node).Component != n.Component }
	if exit := slices.IndexFunc(all, leaves); exit >= 0 {
		return all[exit]
	}
	if g := s.games[n.Component]; g != nil {
		to := g.positionOf(g.choice[g.at(node, state)])
		return all[slices.IndexFunc(all, func(m move) bool { return m.node == int(to.node) && m.state == to.state })]
	}
	found := -1
	for i, m := range all {
		if !isWon(m) {
			continue
		}
		if found < 0 || s.tables[m.node].rank[m.state] < s.tables[all[found].node].rank[all[found].state] {
			found = i
		}
		if !s.isFound(n, holds) {
			break // any move that stays won will do
		}
	}
	return all[found]
}

// isFound reports whether a value of a node was found round by round, so that ranks decrease along
// the moves of the winner.
func (s *Solution) isFound(n *mucalculus.Node, holds bool) bool {
	return n.Cyclic && s.found[n.Component] == holds
}
