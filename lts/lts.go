package lts

import (
	"context"
	"fmt"
	"iter"
	"math"
	"sync"
	"sync/atomic"
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

// LTS is an immutable labelled transition system in compressed rows.
type LTS struct {
	initial  State
	alphabet *Alphabet
	rows     offsets
	labels   LabelColumn
	targets  []State
	// order[i] is the row index of the transition that was added i-th; nil if
	// transitions were added row by row, so that i itself is the index.
	order []uint32

	reachOnce sync.Once
	reach     *Reach
	// happening is the alphabet that also knows which labels reachable
	// transitions have.
	happenOnce sync.Once
	happening  *Alphabet
	inOnce     sync.Once
	inverted   atomic.Bool
	in         *Predecessors
}

// Initial returns the initial state. Cost O(1).
func (m *LTS) Initial() State { return m.initial }

// NumStates returns the number of states, reachable or not. Cost O(1).
func (m *LTS) NumStates() int { return m.rows.len() - 1 }

// NumTransitions returns the number of transitions, duplicates and those of
// unreachable states included. Cost O(1).
func (m *LTS) NumTransitions() int { return len(m.targets) }

// Alphabet returns the labels of the LTS. Cost O(1).
func (m *LTS) Alphabet() *Alphabet { return m.alphabet }

// Out returns the transitions that leave s, in the order they were
// added: transition i goes by labels.At(i) to targets[i]. The slice is the
// LTS's own and must not be changed. Cost O(1).
func (m *LTS) Out(s State) (labels Labels, targets []State) {
	first, end := m.rows.bounds(s)
	return Labels{&m.labels, first, end}, m.targets[first:end:end]
}

// Transition returns the first transition between two states with a label of this
// text; if there is none, a transition with the first label of this text. Cost
// O(out-degree of the source).
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
	return func(yield func(Transition) bool) {
		if m.order == nil {
			m.yieldRows(yield)
			return
		}
		sources, labels := m.sources(), m.labels.Labels()
		for _, i := range m.order {
			if !yield(Transition{sources[i], labels.At(int(i)), m.targets[i]}) {
				return
			}
		}
	}
}

func (m *LTS) yieldRows(yield func(Transition) bool) {
	for s := range m.NumStates() {
		labels, targets := m.Out(State(s))
		for i, t := range targets {
			if !yield(Transition{State(s), labels.At(i), t}) {
				return
			}
		}
	}
}

// Without returns the model without the transitions for which drops returns true, and with the transitions in more;
// states and labels keep their numbers. Cost O(S + T).
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
	labels, sources := m.Predecessors().In(s)
	reach := m.Reachable()
	var found []Transition
	for i, source := range sources {
		if reach.Has(source) {
			found = append(found, Transition{source, labels.At(i), s})
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

func (o *offsets) len() int { return max(len(o.narrow), len(o.wide)) }

func (o *offsets) bounds(s State) (first, end uint64) {
	if o.narrow != nil {
		return uint64(o.narrow[s]), uint64(o.narrow[int(s)+1])
	}
	return o.wide[s], o.wide[int(s)+1]
}

// Explore builds, breadth first, the LTS of the states of a program that are
// reachable from initial by the transitions that successors lists: state 0 is
// initial, and states are numbered in the order in which they are found.
// Successors calls do for every transition that leaves a state of the program,
// always in the same order. Explore also returns the value of every state
// number.
//
// It fails if more than limit states are found (a limit of 0 stands for
// [MaxStates]) and if ctx is done. Cost: one call of successors a state and one
// look-up in a hash table a transition.
func Explore[S comparable](ctx context.Context, initial S, successors func(s S, do func(label string, next S)), limit int) (*LTS, []S, error) {
	if limit <= 0 {
		limit = MaxStates
	}
	var (
		b       Builder
		states  = []S{initial}
		numbers = map[S]State{initial: 0}
	)
	for from := 0; from < len(states); from++ {
		if from%1024 == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if len(states) > limit {
			return nil, nil, fmt.Errorf("lts: the model has more than %d states; raise the limit or make the model finite", limit)
		}
		successors(states[from], func(label string, next S) {
			to, known := numbers[next]
			if !known {
				to = State(len(states))
				numbers[next] = to
				states = append(states, next)
			}
			b.Add(State(from), b.Label(label), to)
		})
	}
	m, err := b.Build(0, len(states))
	return m, states, err
}
