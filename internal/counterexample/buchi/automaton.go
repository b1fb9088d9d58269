package buchi

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
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
	// distinct has the edges of a row with each target only once. If no row repeats a target, it
	// shares the memory of edges.
	distinct rows
}

var _ Graph = (*Automaton)(nil)

// rows are successor lists in compressed form: the targets of s are at offsets[s]
// to offsets[s+1]-1.
type rows struct {
	offsets []uint64
	targets []State
}

func (r rows) targetsFrom(s State) []State { return r.targets[r.offsets[s]:r.offsets[s+1]] }

// NumStates returns the number of states. Cost O(1).
func (a *Automaton) NumStates() int { return len(a.edges.offsets) - 1 }

// NumEdges returns the number of edges; parallel edges count one by one. Cost O(1).
func (a *Automaton) NumEdges() int { return len(a.edges.targets) }

// Initial returns the initial state. Cost O(1).
func (a *Automaton) Initial() State { return a.initial }

// Accepting reports whether s is an accepting state. Cost O(1).
func (a *Automaton) Accepting(s State) bool { return a.accepting.Has(s) }

// Successors appends the targets of the edges from s, each once, in the order in
// which the first edge to each was added. Cost O(out-degree).
func (a *Automaton) Successors(s State, into []State) []State {
	return append(into, a.distinct.targetsFrom(s)...)
}

// Out returns the targets and labels of the edges that leave s, in the order in
// which they were added; labels is nil if no edge of the automaton has a label.
// The slices are the automaton's own: they must not be changed. Cost O(1).
func (a *Automaton) Out(s State) (targets []State, labels []string) {
	if a.labels != nil {
		labels = a.labels[a.edges.offsets[s]:a.edges.offsets[s+1]]
	}
	return a.edges.targetsFrom(s), labels
}

// Lasso is an infinite run in finite form: States is a path, and from its last state the run
// returns to States[LoopStart]. The papers write it as the path s1 … sk … sk+l with sk+l = sk; here
// the repeated last state is left out.
//
// A lasso that the package returns begins in the initial state, passes an accepting state on its
// loop, and visits no state twice: the papers call it a simple accepting path.
type Lasso struct {
	States    []State
	LoopStart int
}

// Stem returns the states before the loop, empty if the loop begins in the
// first state.
func (l Lasso) Stem() []State { return l.States[:l.LoopStart] }

// Loop returns the states of the loop, each once.
func (l Lasso) Loop() []State { return l.States[l.LoopStart:] }

// Transitions returns the number of transitions, including the transition that closes the loop: the
// size of a counterexample in [MIN07].
func (l Lasso) Transitions() int { return len(l.States) }

// Length returns the number of states of the path, counting the state that closes the loop twice:
// the length of a counterexample in [SPIN04] and [SPIN04r], one more than the number of
// transitions.
func (l Lasso) Length() int { return len(l.States) + 1 }

// next returns the state after the i-th state.
func (l Lasso) next(i int) State {
	if i+1 < len(l.States) {
		return l.States[i+1]
	}
	return l.States[l.LoopStart]
}

// Check replays the lasso: it returns nil if the lasso is an accepting path of g,
// and otherwise an error that names the first fault. Cost O(sum of the
// out-degrees of its states).
func (l Lasso) Check(g Graph) error {
	if len(l.States) == 0 {
		return fmt.Errorf("buchi: the lasso has no states")
	}
	if l.LoopStart < 0 || l.LoopStart >= len(l.States) {
		return fmt.Errorf("buchi: the loop of the lasso begins at step %d of %d", l.LoopStart,
			len(l.States))
	}
	for i, s := range l.States {
		if int64(s) >= int64(g.NumStates()) {
			return fmt.Errorf("buchi: step %d of the lasso is state %d, but the automaton has %d states", i, s, g.NumStates())
		}
	}
	if l.States[0] != g.Initial() {
		return fmt.Errorf("buchi: the lasso begins in state %d, and the automaton in state %d",
			l.States[0], g.Initial())
	}
	var successors []State
	for i, s := range l.States {
		next := l.next(i)
		successors = g.Successors(s, successors[:0])
		if !slices.Contains(successors, next) {
			return fmt.Errorf("buchi: the lasso goes from state %d to state %d at step %d, but the automaton has no such edge", s, next, i)
		}
	}
	if !slices.ContainsFunc(l.Loop(), g.Accepting) {
		return fmt.Errorf("buchi: the loop of the lasso passes no accepting state")
	}
	return nil
}

// Builder collects the edges and accepting states of an automaton, in any order.
// The zero Builder is ready for use; it is for one goroutine.
type Builder struct {
	sources   []State
	targets   []State
	labels    []string
	labelled  bool
	accepting []State
}

// Add adds an edge without a label. Amortised cost O(1).
func (b *Builder) Add(from, to State) { b.add(from, "", to) }

// AddLabelled adds an edge with a label, the text of an HOA label expression such as "0&!1". The
// text is stored unchanged; writing HOA fails if the text is no such expression. Amortised cost
// O(1).
func (b *Builder) AddLabelled(from State, label string, to State) {
	b.labelled = true
	b.add(from, label, to)
}

func (b *Builder) add(from State, label string, to State) {
	b.sources = append(b.sources, from)
	b.labels = append(b.labels, label)
	b.targets = append(b.targets, to)
}

// Accept makes s an accepting state. Amortised cost O(1).
func (b *Builder) Accept(s State) { b.accepting = append(b.accepting, s) }

// Build returns the automaton with this initial state and the states 0 to
// states-1. If only some edges have labels, the others get the label "t". It
// fails if a state is out of range. The Builder is empty afterwards. Cost O(S +
// E).
func (b *Builder) Build(initial State, states int) (*Automaton, error) {
	if err := b.check(initial, states); err != nil {
		return nil, err
	}
	a := &Automaton{initial: initial, accepting: bitset.New[State](states)}
	for _, s := range b.accepting {
		a.accepting.Add(s)
	}
	a.edges, a.labels = b.sortedEdges(states)
	a.distinct = a.edges.withoutRepeats(states)
	if len(a.distinct.targets) == len(b.targets) {
		a.distinct = a.edges
	}
	*b = Builder{}
	return a, nil
}

// check fails if the number of states is wrong, or some state is out of range.
func (b *Builder) check(initial State, states int) error {
	if states < 1 {
		return errors.New("buchi: an automaton has at least one state, its initial one")
	}
	if states > maxStates {
		return fmt.Errorf("buchi: %d states, at most %d are possible", states, maxStates)
	}
	if int(initial) >= states {
		return fmt.Errorf("buchi: initial state %d is not below the number of states %d",
			initial, states)
	}
	for i, from := range b.sources {
		s := max(from, b.targets[i])
		if int(s) >= states {
			return fmt.Errorf("buchi: the edge from %d to %d mentions state %d, which is not below the number of states %d",
				from, b.targets[i], s, states)
		}
	}
	for _, s := range b.accepting {
		if int(s) >= states {
			return fmt.Errorf("buchi: accepting state %d is not below the number of states %d",
				s, states)
		}
	}
	return nil
}

// sortedEdges returns the edges in rows, by a counting sort which keeps the order of addition within
// a row, and their labels; nil if no edge has a label.
func (b *Builder) sortedEdges(states int) (edges rows, labels []string) {
	offsets := make([]uint64, states+1)
	for _, s := range b.sources {
		offsets[s+1]++
	}
	for s := range states {
		offsets[s+1] += offsets[s]
	}
	next := append([]uint64(nil), offsets[:states]...)
	edges = rows{offsets: offsets, targets: make([]State, len(b.targets))}
	if b.labelled {
		labels = make([]string, len(b.targets))
	}
	for i, s := range b.sources {
		place := next[s]
		next[s]++
		edges.targets[place] = b.targets[i]
		if b.labelled {
			labels[place] = cmp.Or(b.labels[i], "t")
		}
	}
	return edges, labels
}

// withoutRepeats returns the rows with each target once, where it occurs first.
func (r rows) withoutRepeats(states int) rows {
	// lastRow[t] is one more than the last state whose row has t, 0 if there is none yet.
	lastRow := make([]State, states)
	d := rows{offsets: make([]uint64, 1, states+1), targets: make([]State, 0, len(r.targets))}
	for s := range State(states) {
		for _, t := range r.targetsFrom(s) {
			if lastRow[t] != s+1 {
				lastRow[t] = s + 1
				d.targets = append(d.targets, t)
			}
		}
		d.offsets = append(d.offsets, uint64(len(d.targets)))
	}
	return d
}

// Random returns a random automaton with the given numbers of states, of distinct edges (self-loops
// among them) and of accepting states, each choice equally likely; state 0 is the initial state,
// and the order of successors is random too. Edges have no labels. The same arguments give the same
// automaton, on every machine.
//
// Random fails if there are more edges than pairs of states, or more accepting states than states.
// [SPIN04], Table 2, reports on random graphs of 20, 100 and 1000 states, but gives neither the
// number of edges nor the number of accepting states. Cost O(states + edges), with a hash table of
// all edges.
func Random(states, edges, accepting int, seed uint64) (*Automaton, error) {
	switch {
	case states < 1 || states > maxStates:
		return nil, fmt.Errorf("buchi: a random automaton of %d states; there must be 1 to %d",
			states, maxStates)
	case edges < 0 || uint64(edges) > uint64(states)*uint64(states):
		return nil, fmt.Errorf("buchi: %d random edges between %d states; there must be 0 to %d", edges, states, uint64(states)*uint64(states))
	case accepting < 0 || accepting > states:
		return nil, fmt.Errorf("buchi: %d of %d random states accepting", accepting, states)
	}
	source := rand.NewPCG(seed, 0)
	var b Builder
	for _, s := range sample(source, uint64(states), accepting) {
		b.Accept(State(s))
	}
	for _, e := range sample(source, uint64(states)*uint64(states), edges) {
		b.Add(State(e/uint64(states)), State(e%uint64(states)))
	}
	return b.Build(0, states)
}

// sample returns count distinct numbers below n in random order: Floyd's algorithm (J. Bentley,
// Programming Pearls: a sample of brilliance, CACM 30(9), 1987), then a shuffle. It uses no methods
// of rand.Rand, which may change: the numbers of the source are fixed by its definition.
func sample(source *rand.PCG, n uint64, count int) []uint64 {
	chosen := make(map[uint64]bool, count)
	numbers := make([]uint64, 0, count)
	for last := n - uint64(count); last < n; last++ {
		number := below(source, last+1)
		if chosen[number] {
			number = last
		}
		chosen[number] = true
		numbers = append(numbers, number)
	}
	for i := len(numbers) - 1; i > 0; i-- {
		j := below(source, uint64(i)+1)
		numbers[i], numbers[j] = numbers[j], numbers[i]
	}
	return numbers
}

// below returns a number below n; its bias, of at most n/2^64, does not matter.
func below(source *rand.PCG, n uint64) uint64 {
	high, _ := bits.Mul64(source.Uint64(), n)
	return high
}
