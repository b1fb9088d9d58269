// Package lts holds labelled transition systems: states, transitions between
// them, and a label on every transition.
//
// An [LTS] is immutable. It is built once, by a [Builder], by [Explore], or by
// [FromRows] or [FromColumns] out of slices that hold it already, and may then
// be shared between goroutines without locks. Its transitions lie in compressed
// rows sorted by source: the transitions that leave a state are two parallel
// slices, labels and targets, in the order they were added. States and
// labels are dense numbers from 0; [State] and [Label] are distinct types, so
// that one is never taken for the other.
//
// The initial state and every target of an LTS are below NumStates, every label
// is below the alphabet's Len, row offsets never decrease, and the order in
// which transitions were added can be recovered.
//
// The package knows nothing of files and formulas.
package lts

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync/atomic"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/printable"
)

// State is the number of a state of an LTS, from 0 to NumStates-1.
//
// A State is also a node of gonum's graph packages: see [LTS.Graph].
type State uint32

// ID returns the state as gonum's node identifier. Cost O(1).
func (s State) ID() int64 { return int64(s) }

// Label is the number of a label in the alphabet of an LTS, from 0 to Len-1.
type Label uint32

// MaxStates is the largest number of states an LTS can have: states are 32-bit
// numbers, and the largest number is reserved to mean "no state".
const MaxStates = math.MaxUint32

// Transition is one transition From -Label-> To.
type Transition struct {
	From  State
	Label Label
	To    State
}

// LTS is an immutable labelled transition system in compressed rows. It comes from a [Builder], from
// [Explore], or from a reader such as [github.com/inev-lts/inev/format.Open].
type LTS struct {
	initial  State
	alphabet *Alphabet
	rows     offsets
	labels   LabelColumn
	targets  []State
	// order[i] is the row index of the transition that was added i-th; nil if
	// transitions were added row by row, so that i itself is the index.
	order []uint32

	reachOnce contained.Once
	reach     *Reach
	// happening is the alphabet that also knows which labels reachable
	// transitions have.
	happenOnce contained.Once
	happening  *Alphabet
	inOnce     contained.Once
	inverted   atomic.Bool
	in         *Predecessors
}

// Initial returns the initial state. Cost O(1).
func (m *LTS) Initial() State { return m.initial }

// String returns the size of the model in words, for people: 4 states, 3 transitions, 2 labels, initial
// state 0. Cost O(1).
func (m *LTS) String() string {
	if m == nil {
		return "<nil>"
	}
	return fmt.Sprintf("%s, %s, %s, initial state %d",
		printable.Quantity(m.NumStates(), "state"),
		printable.Quantity(m.NumTransitions(), "transition"), printable.Quantity(m.alphabet.Texts(), "label"), m.initial)
}

// NumStates returns the number of states, reachable or not. Cost O(1).
func (m *LTS) NumStates() int {
	if m == nil {
		return 0
	}
	return max(len(m.rows.narrow), len(m.rows.wide), 1) - 1
}

// NumTransitions returns the number of transitions, duplicates and those of
// unreachable states included. Cost O(1).
func (m *LTS) NumTransitions() int {
	if m == nil {
		return 0
	}
	return len(m.targets)
}

// Alphabet returns the labels of the LTS. Cost O(1).
func (m *LTS) Alphabet() *Alphabet { return m.alphabet }

// Out returns the transitions that leave s, in the order they were
// added: transition i goes by labels.At(i) to targets[i]. The slice is the
// LTS's own and must not be changed. Cost O(1).
func (m *LTS) Out(s State) (labels Labels, targets []State) {
	first, end := m.rows.bounds(s)
	return Labels{&m.labels, first, end}, m.targets[first:end:end]
}

// From yields the labels and the targets of the transitions that leave s, as
// [LTS.Out] has them. A step costs about a nanosecond more than with Out.
func (m *LTS) From(s State) iter.Seq2[Label, State] {
	return func(yield func(Label, State) bool) {
		labels, targets := m.Out(s)
		for i, t := range targets {
			if !yield(labels.At(i), t) {
				return
			}
		}
	}
}

// Transition returns the first transition between two states that has a label with the given text. If
// there is none, it returns one with the first label of this text. Cost O(out-degree of the source).
func (m *LTS) Transition(from State, text string, to State) Transition {
	l, _ := m.alphabet.Lookup(text)
	labels, targets := m.Out(from)
	for i, t := range targets {
		if t == to && m.alphabet.Plain(labels.At(i)) == l {
			l = labels.At(i)
			break
		}
	}
	return Transition{from, l, to}
}

// Row returns the row indices [first, end) of the transitions that leave s: the
// i-th transition of [LTS.Out] has the index first+i. Cost O(1).
func (m *LTS) Row(s State) (first, end int) {
	f, e := m.rows.bounds(s)
	return int(f), int(e)
}

// IsDeadlock reports whether no transition leaves s. Cost O(1).
func (m *LTS) IsDeadlock(s State) bool {
	first, end := m.rows.bounds(s)
	return first == end
}

// Transitions yields all transitions in the order they were added (for a model
// read from a file: the order of its lines), those of unreachable states
// included. Cost O(S + T) time for the whole sequence; 4 bytes a transition are
// allocated if sources did not ascend.
func (m *LTS) Transitions() iter.Seq[Transition] {
	if m.order == nil {
		return m.transitionsByRow
	}
	return func(yield func(Transition) bool) {
		sources := m.sources()
		labels := m.labels.Labels()
		for _, i := range m.order {
			if !yield(Transition{sources[i], labels.At(int(i)), m.targets[i]}) {
				return
			}
		}
	}
}

// transitionsByRow yields all transitions in the order of their sources.
func (m *LTS) transitionsByRow(yield func(Transition) bool) {
	for s := range State(m.NumStates()) {
		labels, targets := m.Out(s)
		for i, t := range targets {
			if !yield(Transition{s, labels.At(i), t}) {
				return
			}
		}
	}
}

// Without returns the model without the transitions for which drops returns true, and with the
// transitions in more; states and labels keep their numbers. Cost O(S + T).
func (m *LTS) Without(drops func(Transition) bool, more ...Transition) (*LTS, error) {
	var b Builder
	b.Over(m.alphabet)
	for t := range m.Transitions() {
		if !drops(t) {
			b.Add(t.From, t.Label, t.To)
		}
	}
	for _, t := range more {
		b.Add(t.From, t.Label, t.To)
	}
	return b.Build(m.initial, m.NumStates())
}

// Relabelled returns the model with other labels: a transition with label l gets the label to[l] of
// alphabet. States, transitions and their order stay. It fails if to does not have a label for each
// label of m, if a label in to is out of range, if ctx is done, or if the budget of ctx does not have
// the memory. Cost O(T) time, and 1, 2 or 4 bytes a transition.
func (m *LTS) Relabelled(ctx context.Context, alphabet *Alphabet, to []Label) (*LTS, error) {
	if len(to) != m.alphabet.Len() {
		return nil, fmt.Errorf("lts: new labels for %d of %d labels", len(to), m.alphabet.Len())
	}
	column, err := NewLabelColumn(ctx, m.NumTransitions(), alphabet.Len())
	if err != nil {
		return nil, err
	}
	const block = 1 << 12
	old := m.labels.Labels()
	var labels [block]Label
	for first := 0; first < old.Len(); first += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		end := min(first+block, old.Len())
		for i := first; i < end; i++ {
			labels[i-first] = to[old.At(i)]
		}
		column.Put(first, labels[:end-first])
	}
	other := &LTS{
		initial:  m.initial,
		alphabet: alphabet,
		rows:     m.rows,
		labels:   column,
		targets:  m.targets,
		order:    m.order,
	}
	return other, other.validate(m.NumStates(), alphabet.Len())
}

// sources returns the source of the transition at every row index.
func (m *LTS) sources() []State {
	sources := make([]State, len(m.targets))
	for s := range m.NumStates() {
		first, end := m.rows.bounds(State(s))
		for i := first; i < end; i++ {
			sources[i] = State(s)
		}
	}
	return sources
}

// Incoming returns the transitions that enter s from reachable states, in the
// order they were added. Cost O(d) for d of them, after the
// predecessor rows have been built (see [LTS.Predecessors]).
func (m *LTS) Incoming(s State) []Transition {
	reach := m.Reachable()
	var found []Transition
	for l, source := range m.Predecessors().Into(s) {
		if reach.Has(source) {
			found = append(found, Transition{source, l, s})
		}
	}
	return found
}

// offsets are the borders of the rows: row s is [at(s), at(s+1)). Each takes 32
// bits as long as the number of transitions allows it.
type offsets struct {
	narrow []uint32
	wide   []uint64
}

func (o *offsets) bounds(s State) (first, end uint64) {
	if o.narrow != nil {
		return uint64(o.narrow[s]), uint64(o.narrow[int(s)+1])
	}
	return o.wide[s], o.wide[int(s)+1]
}
