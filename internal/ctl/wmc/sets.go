package wmc

import (
	"github.com/inev-lts/inev/internal/ctl/syntax"
)

// Sets has operations on sets of states of a model. The sets are immutable values of type S. Labels
// are those of the closure for which the sets were made.
type Sets[S any] interface {
	Empty() S
	Union(a, b S) S
	Intersect(a, b S) S
	Minus(a, b S) S
	IsEmpty(s S) bool
	// Count returns the number of states in s. Above 2^53 it is approximate.
	Count(s S) float64
	// Pick returns a set with one state of s, always the same one; the empty set if s is empty.
	Pick(s S) S
	// ForEach calls yield with the set {x} for each state x of s, until yield returns false.
	ForEach(s S, yield func(one S) bool)

	// Post returns the targets of transitions from s with these labels. Pre returns the sources of such
	// transitions to s.
	Post(s S, l syntax.Labels) S
	Pre(s S, l syntax.Labels) S
	// PreSome returns the states of the set within from which some transition with these labels leads
	// into target. PreAll returns the states of within from which all such transitions do.
	PreSome(within S, l syntax.Labels, target S) S
	PreAll(within S, l syntax.Labels, target S) S

	// Collect returns an empty collection.
	Collect() Collection[S]
	// Deadlocks returns the states without transitions. Holding returns the states that satisfy a
	// predicate. Callers must not add states to these collections.
	Deadlocks() Collection[S]
	Holding(p syntax.Predicate) (Collection[S], error)
	// Closing returns a [Closer] for the good transitions of c.
	Closing(c Closing[S]) Closer[S]
}

// Collection is a set that grows. Adding states costs as much as their number.
type Collection[S any] interface {
	Add(s S)
	// Known returns the states of s that are in the collection, and New the others.
	Known(s S) S
	New(s S) S
	// All returns the members.
	All() S
	// Release ends the use of the collection. Its memory may be reused.
	Release()
}

// Closing defines good transitions: those with Labels into a collection, and those with Last into Done.
type Closing[S any] struct {
	Labels, Last syntax.Labels
	Done         S
}

// Closer finds states whose transitions are all good, with respect to a growing collection. For each
// state it continues where the last call ended, so that all calls together visit each transition of
// these states once.
type Closer[S any] interface {
	Closed(states S, into Collection[S]) S
	Release()
}

// Node is the evidence for a formula in the states of a question that were not decided before.
type Node[S any] struct {
	Formula          syntax.Index
	Asked, Good, Bad S // Good and Bad are the two parts of Asked
	// Left and Right are the nodes of the operands, if the formula is not about runs. Each is nil if
	// everything was decided before, or needs no evidence.
	Left, Right *Node[S]
	Unfolding   *Unfolding[S] // nil if the formula is not about runs
}

// Unfolding is the evidence for a formula about runs, which is an Until or a Release.
type Unfolding[S any] struct {
	Frontiers []Frontier[S]
	// Visited are the states of all frontiers that were not decided before. A state in Q satisfies the
	// formula whatever its successors are. A state in P satisfies it if its successors allow that. All
	// other visited states violate the formula.
	Visited, Q, P S
	// Holds are the states of Visited that were found to satisfy the formula, and Fails are those that
	// were found to violate it.
	Holds, Fails S
	// Ranks groups states by the round in which they entered the fixpoint: the states of Holds for an
	// Until, and those of Fails for a Release. The first group is Q for an Until, and for a Release the
	// states that violate the formula by themselves.
	Ranks []S
	// Early reports whether the unfolding ended as soon as the question was decided. Otherwise Holds
	// and Fails together are all of Visited.
	Early bool
}

// Frontier is one step of an unfolding.
type Frontier[S any] struct {
	// Reached are the states that the step leads to, and New are those among them that were neither
	// visited nor decided before.
	Reached, New S
	// Left and Right are the nodes of the operands; nil as in a Node.
	Left, Right *Node[S]
}
