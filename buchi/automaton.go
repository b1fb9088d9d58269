package buchi

import (
	"math"

	"github.com/inev-lts/inev/lts/bitset"
)

// State is the number of a state, counted from 0.
type State uint32

// NoState means that there is no state.
const NoState State = math.MaxUint32

// maxStates is the largest number of states of an automaton: the numbers of an
// HOA file are below 2^31.
const maxStates = math.MaxInt32

// Graph is a Büchi automaton (S, E, s1, F) as the algorithms see it. It may be
// computed on demand, for example as the product of a model and an automaton; the
// algorithms ask for the successors of a state once for each visit.
//
// All states are below NumStates, and all methods always give the same answers.
// In particular the successors of a state have one fixed order, on which the
// correctness of Algorithm 1 of [SPIN04] depends. E is a set: a successor that is
// listed twice does no harm but costs time.
type Graph interface {
	// NumStates returns |S|. Algorithms keep arrays of this length.
	NumStates() int
	// Initial returns s1.
	Initial() State
	// Accepting reports whether s is in F.
	Accepting(s State) bool
	// Successors appends the states of E(s) to the slice into, and returns the
	// extended slice.
	Successors(s State, into []State) []State
}

// Automaton is an immutable Büchi automaton with one initial state, accepting
// states, and edges that may carry labels. It is built by a [Builder] and may be
// shared between goroutines.
type Automaton struct {
	initial   State
	accepting bitset.Set[State]
	edges     rows
	// labels is parallel to edges.targets, nil if no edge has a label.
	labels []string
	// distinct is edges without the edges that repeat a target of their row; if
	// no edge does, distinct shares the memory of edges.
	distinct rows
}

var _ Graph = (*Automaton)(nil)

// rows are successor lists in compressed form: the targets of s are at offsets[s]
// to offsets[s+1]-1.
type rows struct {
	offsets []uint64
	targets []State
}

func (r rows) of(s State) []State { return r.targets[r.offsets[s]:r.offsets[s+1]] }

// NumStates returns the number of states. Cost O(1).
func (a *Automaton) NumStates() int { return len(a.edges.offsets) - 1 }

// NumEdges returns the number of edges, parallel ones counted one by one. Cost
// O(1).
func (a *Automaton) NumEdges() int { return len(a.edges.targets) }

// Initial returns the initial state. Cost O(1).
func (a *Automaton) Initial() State { return a.initial }

// Accepting reports whether s is an accepting state. Cost O(1).
func (a *Automaton) Accepting(s State) bool { return a.accepting.Has(s) }

// Successors appends the targets of the edges from s, each once, in the order in
// which the first edge to each was added. Cost O(out-degree).
func (a *Automaton) Successors(s State, into []State) []State {
	return append(into, a.distinct.of(s)...)
}

// Out returns the targets and labels of the edges that leave s, in the order in
// which they were added; labels is nil if no edge of the automaton has a label.
// The slices are the automaton's own: they must not be changed. Cost O(1).
func (a *Automaton) Out(s State) (targets []State, labels []string) {
	if a.labels != nil {
		labels = a.labels[a.edges.offsets[s]:a.edges.offsets[s+1]]
	}
	return a.edges.of(s), labels
}
