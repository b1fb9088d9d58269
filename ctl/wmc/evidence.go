package wmc

import "github.com/inev-lts/inev/ctl"

// Node is what was found out when a formula was asked about a set of states of which it
// was not yet decided.
type Node[S any] struct {
	Formula          ctl.Index
	Asked, Good, Bad S // Good and Bad are the two parts of Asked
	// Left and Right are the nodes of what the formula is made of, where it is none about
	// runs; nil if all of it was decided before, or needs no evidence.
	Left, Right *Node[S]
	Unfolding   *Unfolding[S] // nil if the formula is none about runs
}

// Unfolding is the evidence of a formula about runs, an Until or a Release.
type Unfolding[S any] struct {
	Frontiers []Frontier[S]
	// Visited are the states of all frontiers that were not decided before. P are those
	// of them that the formula is handed on from, to where transitions lead, and Q those
	// that satisfy it by themselves. The rest violates it by itself.
	Visited, Q, P S
	// Holds and Fails are the states of Visited that are found to satisfy and to violate
	// the formula.
	Holds, Fails S
	// Ranks has for an Until the states of Holds, for a Release those of Fails, by the
	// round in which they entered the fixpoint; the first are Q, and for a Release those
	// that violate it by themselves.
	Ranks []S
	// Early reports whether the unfolding was ended as soon as what was asked about was
	// decided. If it was not, Holds and Fails together are all of Visited.
	Early bool
}

// Frontier is one step of an unfolding.
type Frontier[S any] struct {
	// Reached are the states to which the step leads, New those of them that were neither
	// visited nor decided.
	Reached, New S
	// Left and Right are the nodes of the two operands, nil as in a Node.
	Left, Right *Node[S]
}

// Layers returns the traces over sets of states that the paper builds: for each frontier
// the states that are in a set, such as the good ones of an AF (a witness), or the bad
// ones of an EG (a counterexample). Cost as for as many intersections.
func (u *Unfolding[S]) Layers(sets Sets[S], in S) []S {
	var layers []S
	for _, f := range u.Frontiers {
		layers = append(layers, sets.Intersect(f.Reached, in))
	}
	return layers
}
