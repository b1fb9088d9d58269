package parity

import "github.com/inev-lts/inev/lts"

// Winning returns the nodes and states that the moves of a strategy lead to from a position.
func (s *Solution) Winning(node int, state lts.State) (nodes []int, states []lts.State) {
	s.eachWinningMove(node, state, func(m move) bool {
		nodes = append(nodes, m.node)
		states = append(states, m.state)
		return true
	})
	return nodes, states
}
