package wmc

import "github.com/inev-lts/inev/ctl"

// Sets are sets of states of a model, as values of the type S. Nothing changes a set.
// Labels are those of the closure that the sets were made for.
type Sets[S any] interface {
	Empty() S
	Union(a, b S) S
	Intersect(a, b S) S
	Minus(a, b S) S
	IsEmpty(s S) bool
	// Count returns how many states are in s; of more than 2^53 about as many.
	Count(s S) float64
	// Pick returns the set of one state of s, always the same one, and the empty set
	// where there is none.
	Pick(s S) S
	// ForEach calls yield with the set of each state of s, until it returns false.
	ForEach(s S, yield func(one S) bool)

	// Post returns where transitions from s by these labels lead, Pre whence they come.
	Post(s S, l ctl.Labels) S
	Pre(s S, l ctl.Labels) S
	// PreSome and PreAll return those states within a set of which some, and all,
	// transitions by these labels lead into target.
	PreSome(within S, l ctl.Labels, target S) S
	PreAll(within S, l ctl.Labels, target S) S

	// Collect returns an empty collection.
	Collect() Collection[S]
	// Deadlocks returns the states that no transition leaves, and Holding those of which
	// a predicate holds. They must not be added to.
	Deadlocks() Collection[S]
	Holding(p ctl.Predicate) (Collection[S], error)
	// Closing returns what finds the states that have done their part.
	Closing(c Closing[S]) Closer[S]
}

// Collection is a set that grows, so that what it costs to add states depends on these.
type Collection[S any] interface {
	Add(s S)
	// Known returns the states of s that are in the collection, New the others.
	Known(s S) S
	New(s S) S
	// All returns what was added.
	All() S
	// Release ends the use of the collection.
	Release()
}

// Closing says which transitions are good: those by Labels into a collection, and those by
// Last into Done.
type Closing[S any] struct {
	Labels, Last ctl.Labels
	Done         S
}

// Closer finds states that have only good transitions, into a collection that grows. It
// goes on where it ended when it was last asked about a state, so that all its answers
// together cost no more than going once through the transitions of these states.
type Closer[S any] interface {
	Closed(states S, into Collection[S]) S
	Release()
}
