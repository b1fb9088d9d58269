package wmc

import "github.com/inev-lts/inev/ctl"

// Node is the evidence of a formula for the states of a question that were not decided before.
type Node[S any] struct {
	Formula          ctl.Index
	Asked, Good, Bad S // Good and Bad are the two parts of Asked
	// Left and Right are the nodes of the operands, of a formula that is not about runs; nil if all
	// was decided before, or needs no evidence.
	Left, Right *Node[S]
	Unfolding   *Unfolding[S] // nil if the formula is not about runs
}

// Unfolding is the evidence of a formula about runs, an Until or a Release.
type Unfolding[S any] struct {
	Frontiers []Frontier[S]
	// Visited are the states of all frontiers that were not decided before. Q are those of them
	// that satisfy the formula whatever their successors, P those that may satisfy it depending on
	// their successors. All others violate it.
	Visited, Q, P S
	// Holds are the states of Visited that are found to satisfy the formula, Fails those found to
	// violate it.
	Holds, Fails S
	// Ranks has, for an Until, the states of Holds, for a Release those of Fails, by the round in
	// which they entered the fixpoint. The first are Q, for a Release those that violate it by
	// themselves.
	Ranks []S
	// Early reports whether the unfolding ended as soon as the question was decided. If not, Holds
	// and Fails together are all of Visited.
	Early bool
}

// Frontier is one step of an unfolding.
type Frontier[S any] struct {
	// Reached are the states that the step leads to, New those of them that were neither visited
	// nor decided before.
	Reached, New S
	// Left and Right are the nodes of the two operands; nil as in a Node.
	Left, Right *Node[S]
}
