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
// The invariant that holds inside: the initial state and every target are
// below NumStates, every label is below the alphabet's Len, row offsets never
// decrease, and the order in which transitions were added can be recovered.
//
// The package knows nothing of files and formulas.
package lts

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/iterator"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
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

// String returns the size of the model in words, for people: 4 states, 3 transitions, 2 labels, initial state 0. Cost O(1).
func (m *LTS) String() string {
	return fmt.Sprintf("%s, %s, %s, initial state %d", printable.Quantity(m.NumStates(), "state"),
		printable.Quantity(m.NumTransitions(), "transition"), printable.Quantity(m.alphabet.Texts(), "label"), m.initial)
}

// NumStates returns the number of states, reachable or not. Cost O(1).
func (m *LTS) NumStates() int { return max(len(m.rows.narrow), len(m.rows.wide)) - 1 }

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
			for s := range State(m.NumStates()) {
				labels, targets := m.Out(s)
				for i, t := range targets {
					if !yield(Transition{s, labels.At(i), t}) {
						return
					}
				}
			}
			return
		}
		sources := m.sources()
		labels := m.labels.Labels()
		for _, i := range m.order {
			if !yield(Transition{sources[i], labels.At(int(i)), m.targets[i]}) {
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

// Relabelled returns the model with other labels: that of each transition with label l becomes to[l], a label of
// alphabet. States, transitions and their order stay. It fails if to does not have a label for each label of m, if
// one of them is out of range, if ctx is done, or if its budget does not have the memory. Cost O(T) time, and 1, 2 or
// 4 bytes a transition.
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

// Explore builds, breadth first, the LTS of the states of a program that are
// reachable from initial by the transitions that successors lists: state 0 is
// initial, and states are numbered in the order in which they are found.
// Successors calls do for every transition that leaves a state of the program,
// always in the same order. Explore also returns the value of every state
// number.
//
// It fails if more than limit states are found (a limit of 0 stands for
// [MaxStates]), with the states found so far, and if ctx is done. Cost: one call of successors a state and one
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
			return nil, states, fmt.Errorf("lts: the model has more than %d states; raise the limit or make the model finite", limit)
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

// FromRows returns the LTS of transitions that are sorted into rows: those that
// leave state s have the indices rows[s] to rows[s+1]-1 in labels and targets, so
// that rows has one element more than there are states. It is for readers that
// work without a [Builder]; the order of the rows is the order of addition.
//
// It fails if rows do not begin with 0, ascend and end with the number of
// transitions, and if a state or label is out of range. The slices become the
// LTS's own and must not be changed. Cost O(S + T) time, no memory.
func FromRows(initial State, alphabet *Alphabet, rows []uint32, labels LabelColumn, targets []State) (*LTS, error) {
	m := &LTS{initial: initial, alphabet: alphabet, rows: offsets{narrow: rows}, labels: labels, targets: targets}
	if err := m.validate(len(rows)-1, alphabet.Len()); err != nil {
		return nil, err
	}
	last := uint32(0)
	for s, first := range rows {
		if first < last || s == 0 && first != 0 {
			return nil, fmt.Errorf("lts: the row of state %d begins with transition %d, the one before with %d", s, first, last)
		}
		last = first
	}
	if int(last) != labels.Len() {
		return nil, fmt.Errorf("lts: rows for %d transitions, but %d labels", last, labels.Len())
	}
	return m, nil
}

// Columns are transitions in the order of their addition: the i-th leads from
// the state with the number Sources[i] by the i-th of Labels to Targets[i].
type Columns struct {
	// Sources are plain numbers because sorting reuses their memory for the order
	// of addition.
	Sources []uint32
	Labels  LabelColumn
	Targets []State
}

// FromColumns returns the LTS with these transitions and the states 0 to
// states-1. The slices become the LTS's own and must not be used any more. It
// fails if a state or label is out of range, or if ctx is done.
//
// If sources ascend, cost O(S + T) time and 4 bytes a state. Otherwise the
// transitions are sorted by counting (stable, so that a row keeps the order of
// addition), which takes 4 bytes for each state and worker more while it runs,
// and labels and targets once more: 14 bytes a transition with labels of one
// byte, 9 afterwards. The memory of Sources then holds the order of addition. The
// result does not depend on workers, the number of goroutines, which is at least
// 1.
func FromColumns(ctx context.Context, initial State, states int, alphabet *Alphabet, c Columns, workers int) (_ *LTS, err error) {
	defer abort.Caught(&err)
	m := &LTS{initial: initial, alphabet: alphabet, labels: c.Labels, targets: c.Targets}
	if err := m.validate(states, alphabet.Len()); err != nil {
		return nil, err
	}
	if len(c.Sources) != c.Labels.Len() {
		return nil, fmt.Errorf("lts: %d sources, but %d labels", len(c.Sources), c.Labels.Len())
	}
	ascending := true
	last := uint32(0)
	for _, s := range c.Sources {
		if int(s) >= states {
			return nil, outOfRange(s, states)
		}
		ascending = ascending && s >= last
		last = s
	}
	if ascending && len(c.Sources) <= math.MaxUint32 {
		abort.On(resources.AskFor[uint32](ctx, states+1))
		rows := make([]uint32, states+1)
		next := 0
		for i, s := range c.Sources {
			for ; next <= int(s); next++ {
				rows[next] = uint32(i)
			}
		}
		for ; next <= states; next++ {
			rows[next] = uint32(len(c.Sources))
		}
		m.rows.narrow = rows
		return m, ctx.Err()
	}
	m.sort(ctx, c, states, workers)
	return m, nil
}

// validate checks everything that does not depend on sources, for this many states and labels.
func (m *LTS) validate(states, labels int) error {
	switch {
	case states < 1:
		return errors.New("lts: an LTS has at least one state, its initial one")
	case int64(states) > MaxStates:
		return fmt.Errorf("lts: %d states, at most %d are possible", states, int64(MaxStates))
	case int64(m.initial) >= int64(states):
		return fmt.Errorf("lts: initial state %d is not below the number of states %d", m.initial, states)
	case m.labels.Len() != len(m.targets):
		return fmt.Errorf("lts: %d labels, but %d targets", m.labels.Len(), len(m.targets))
	}
	label := max(Label(largest(m.labels.narrow)), Label(largest(m.labels.middle)), largest(m.labels.wide))
	target := largest(m.targets)
	switch {
	case len(m.targets) > 0 && int64(target) >= int64(states):
		return outOfRange(uint32(target), states)
	case len(m.targets) > 0 && int64(label) >= int64(labels):
		return fmt.Errorf("lts: a transition has label number %d of %d", label, labels)
	}
	return nil
}

func outOfRange(state uint32, states int) error {
	return fmt.Errorf("lts: a transition mentions state %d, which is not below the number of states %d", state, states)
}

// sortRange is how many transitions are sorted between two checks of the context.
const sortRange = 1 << 16

// sort moves the transitions from columns into rows. Each worker takes one range
// of them and counts its transitions by source; from the counts of all workers
// follows where in each row its transitions begin. Within a row, the ranges lie
// in their order, which makes the sorting stable.
func (m *LTS) sort(ctx context.Context, c Columns, states, workers int) {
	workers = max(1, min(workers, len(c.Sources)/sortRange))
	n := len(c.Sources)
	abort.On(resources.Ask(ctx, 4*int64(states)*int64(workers+1)+int64(4+c.Labels.Width())*int64(n)))
	m.labels = abort.Must(c.Labels.Moved(ctx, 0, n, 0))
	m.targets = make([]State, n)
	if n <= math.MaxUint32 {
		m.rows.narrow = make([]uint32, states+1)
		m.order = c.Sources
		sortColumns(ctx, m, m.rows.narrow, c, workers)
		return
	}
	m.rows.wide = make([]uint64, states+1)
	sortColumns(ctx, m, m.rows.wide, c, workers)
}

func sortColumns[N uint32 | uint64](ctx context.Context, m *LTS, rows []N, c Columns, workers int) {
	switch {
	case c.Labels.wide != nil:
		sortInto(ctx, m, rows, c, c.Labels.wide, m.labels.wide, workers)
	case c.Labels.middle != nil:
		sortInto(ctx, m, rows, c, c.Labels.middle, m.labels.middle, workers)
	default:
		sortInto(ctx, m, rows, c, c.Labels.narrow, m.labels.narrow, workers)
	}
}

// sortInto fills the rows of m from columns: it copies the labels of the columns,
// given as from, into the labels of m, given as to. If m keeps the order of
// addition, the order is written over the sources.
func sortInto[N uint32 | uint64, L uint8 | uint16 | Label](ctx context.Context, m *LTS, rows []N, c Columns, from, to []L, workers int) {
	next := make([][]N, workers)
	parts(ctx, len(c.Sources), workers, func(part, first, end int) {
		if next[part] == nil {
			next[part] = make([]N, len(rows)-1)
		}
		for _, s := range c.Sources[first:end] {
			next[part][s]++
		}
	})
	at := N(0)
	for s := range len(rows) - 1 {
		for _, counts := range next {
			at, counts[s] = at+counts[s], at
		}
		rows[s+1] = at
	}
	parts(ctx, len(c.Sources), workers, func(part, first, end int) {
		next := next[part]
		labels := from[first:end]
		targets := c.Targets[first:end]
		for i, s := range c.Sources[first:end] {
			at := next[s]
			next[s]++
			to[at] = labels[i]
			m.targets[at] = targets[i]
			if m.order != nil {
				m.order[first+i] = uint32(at)
			}
		}
	})
}

// parts divides the numbers 0 to n-1 among this many goroutines.
// Each calls do for short consecutive ranges of its share.
func parts(ctx context.Context, n, workers int, do func(part, first, end int)) {
	size := (n + workers - 1) / workers
	abort.On(cores.Try(workers, func(part int) error {
		end := min((part+1)*size, n)
		for first := part * size; first < end; first += sortRange {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(part, first, min(first+sortRange, end))
		}
		return nil
	}))
}

// Builder collects the transitions of an LTS in any order. The zero Builder is
// ready for use; it is for one goroutine.
//
// As long as the sources of added transitions never decrease, the rows are in
// order, and the Builder keeps nothing but the rows: 4 bytes a transition beside
// its label (see [LabelColumn]) and 4 a state. From the first source that is
// smaller than the one before it, the Builder keeps the sources instead, and
// Build sorts.
type Builder struct {
	alphabet AlphabetBuilder
	over     *Alphabet // if it is not nil, the alphabet of the LTS
	labels   LabelColumn
	targets  []State
	// rows[s] is the number of transitions whose source is below s, for all
	// states up to the last source.
	rows []uint32
	// sources replaces rows once the sources of added transitions do not ascend.
	sources   []uint32
	scattered bool
	largest   State
}

// Grow prepares the Builder for this many further transitions. It is an
// optimisation only: a caller that does not trust the number may pass less.
func (b *Builder) Grow(transitions int) {
	need := len(b.targets) + transitions
	if need > cap(b.targets) {
		exact, _ := b.labels.Moved(context.Background(), len(b.targets), need, 0) // which has no budget
		exact.Cut(len(b.targets))
		b.labels = exact
		b.targets = append(make([]State, 0, need), b.targets...)
	}
}

// Label returns the label with this text, a new one where it is seen for the
// first time. Cost O(len(text)); the text is kept.
func (b *Builder) Label(text string) Label { return b.alphabet.Label(text) }

// Over gives the LTS an existing alphabet: labels have the numbers that they have
// in a, and [Builder.Label] must not be called. Cost O(1).
func (b *Builder) Over(a *Alphabet) { b.over = a }

// LabelBytes is Label for bytes that the caller goes on to change: they are
// copied for new labels only.
func (b *Builder) LabelBytes(text []byte) Label { return b.alphabet.LabelBytes(text) }

// NumTransitions returns the number of transitions added so far.
func (b *Builder) NumTransitions() int { return len(b.targets) }

// NumStates returns one more than the largest state number that an added
// transition mentions, 0 if there is none yet.
func (b *Builder) NumStates() int {
	if len(b.targets) == 0 {
		return 0
	}
	return int(b.largest) + 1
}

// Add adds the transition from -label-> to. Labels come from [Builder.Label].
// Amortised cost O(1), and O(from) once.
func (b *Builder) Add(from State, label Label, to State) {
	if !b.scattered && (int(from)+1 < len(b.rows) || len(b.targets) == math.MaxUint32) {
		// The sources that rows implied so far are written out.
		b.scattered = true
		b.sources = slices.Grow(b.sources, cap(b.targets))
		for s := range b.rows {
			end := len(b.targets)
			if s+1 < len(b.rows) {
				end = int(b.rows[s+1])
			}
			for len(b.sources) < end {
				b.sources = append(b.sources, uint32(s))
			}
		}
		b.rows = nil
	}
	if b.scattered {
		b.sources = append(b.sources, uint32(from))
	} else {
		b.beginRows(int(from) + 1)
	}
	b.largest = max(b.largest, from, to)
	b.labels.Append(label)
	b.targets = append(b.targets, to)
}

// beginRows lets the first n rows begin with the transition that is added next,
// except rows that have begun already.
func (b *Builder) beginRows(n int) {
	if n > len(b.rows) {
		b.rows = slices.Grow(b.rows, n-len(b.rows))
	}
	for len(b.rows) < n {
		b.rows = append(b.rows, uint32(len(b.targets)))
	}
}

// Build returns the LTS with this initial state and the states 0 to states-1.
// It fails if a state or label that was added is out of range. The Builder
// is empty afterwards. Cost O(S + T), and memory as for [FromColumns] where
// sources did not ascend.
func (b *Builder) Build(initial State, states int) (_ *LTS, err error) {
	defer abort.Caught(&err)
	m := &LTS{initial: initial, labels: b.labels, targets: b.targets}
	alphabet := b.over
	if alphabet == nil {
		alphabet = b.alphabet.Build()
	}
	if err := m.validate(states, alphabet.Len()); err != nil {
		return nil, err
	}
	if b.NumStates() > states {
		return nil, outOfRange(uint32(b.largest), states)
	}
	if b.scattered {
		m.sort(context.Background(), Columns{Sources: b.sources, Labels: b.labels, Targets: b.targets}, states, 1)
	} else {
		b.beginRows(states + 1)
		m.rows.narrow = b.rows
	}
	m.alphabet = alphabet
	*b = Builder{}
	return m, nil
}

// Reach is the part of an LTS that its initial state reaches.
type Reach struct {
	// in is nil if every state is reachable.
	in          []bool
	states      int
	transitions int
	deadlocks   int
}

// Has reports whether s is reachable from the initial state. Cost O(1).
func (r *Reach) Has(s State) bool { return r.in == nil || r.in[s] }

// NumStates returns the number of reachable states, at least 1.
func (r *Reach) NumStates() int { return r.states }

// NumTransitions returns the number of transitions that leave reachable states.
func (r *Reach) NumTransitions() int { return r.transitions }

// NumDeadlocks returns the number of reachable states without outgoing
// transitions.
func (r *Reach) NumDeadlocks() int { return r.deadlocks }

// Reachable returns the part of the LTS that is reachable from the initial state;
// the first call computes it. Cost O(S + T) time for that, at most 5 bytes a
// state while it runs and at most one a state after it.
func (m *LTS) Reachable() *Reach {
	m.reachOnce.Do(func() {
		// A pass goes through the states in ascending order and skips those that were not reached yet: in most files
		// states are numbered such that it reaches nearly all of them, and reads rows one after the other. Then
		// a queue serves the states that were reached after the pass had skipped them.
		r := &Reach{in: make([]bool, m.NumStates())}
		r.in[m.initial] = true
		var late []State
		for s := m.initial; int(s) < m.NumStates(); s++ {
			if r.in[s] {
				late = m.exploreFrom(s, s, r, late)
			}
		}
		for len(late) > 0 {
			var next []State
			for _, s := range late {
				next = m.exploreFrom(s, MaxStates, r, next)
			}
			late = next
		}
		if r.states == m.NumStates() {
			r.in = nil
		}
		m.reach = r
	})
	return m.reach
}

// FindReachable computes what [LTS.Reachable] returns, so that Reachable takes
// O(1) time afterwards. It stops waiting, and fails, once ctx is done.
func (m *LTS) FindReachable(ctx context.Context) error {
	return within(ctx, func() { m.Reachable() })
}

// within calls do on a goroutine of its own, and stops waiting for it once ctx is
// done. The goroutine then ends by itself.
func within(ctx context.Context, do func()) error {
	doing := contained.Go(do)
	select {
	case <-doing.Done():
		doing.Wait()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exploreFrom counts a state, and appends to late those of its successors that
// were not reached before and have a number below passed.
func (m *LTS) exploreFrom(s, passed State, r *Reach, late []State) []State {
	_, targets := m.Out(s)
	r.states++
	r.transitions += len(targets)
	if len(targets) == 0 {
		r.deadlocks++
	}
	for _, t := range targets {
		if !r.in[t] {
			r.in[t] = true
			if t < passed {
				late = append(late, t)
			}
		}
	}
	return late
}

// Predecessors are the transitions of an LTS in compressed rows sorted by
// target.
type Predecessors struct {
	rows    offsets
	labels  LabelColumn
	sources []State
}

// In returns the transitions that enter s, in the order they were
// added, those from unreachable states included: transition i comes by
// labels.At(i) from sources[i]. The slice must not be changed. Cost O(1).
func (p *Predecessors) In(s State) (labels Labels, sources []State) {
	first, end := p.rows.bounds(s)
	return Labels{&p.labels, first, end}, p.sources[first:end:end]
}

// Into yields the labels and the sources of the transitions that enter s, as
// [Predecessors.In] has them.
func (p *Predecessors) Into(s State) iter.Seq2[Label, State] {
	return func(yield func(Label, State) bool) {
		labels, sources := p.In(s)
		for i, t := range sources {
			if !yield(labels.At(i), t) {
				return
			}
		}
	}
}

// Predecessors returns the transitions sorted by target; the first call builds
// them. Cost O(S + T) time for that, and 4 bytes a transition, 4 a state and the
// labels once more.
func (m *LTS) Predecessors() *Predecessors {
	m.inOnce.Do(func() {
		m.in = m.invert()
		m.inverted.Store(true)
	})
	return m.in
}

// HasPredecessors reports whether the predecessors have been built. Cost O(1).
func (m *LTS) HasPredecessors() bool { return m.inverted.Load() }

// FindPredecessors builds what [LTS.Predecessors] returns, so that Predecessors
// takes O(1) time afterwards. It asks the budget of ctx for the memory, fails if
// there is too little, and stops waiting once ctx is done.
func (m *LTS) FindPredecessors(ctx context.Context) error {
	if !m.HasPredecessors() {
		if err := resources.Ask(ctx, int64(4+m.labels.Width())*int64(m.NumTransitions())+4*int64(m.NumStates())); err != nil {
			return err
		}
	}
	return within(ctx, func() { m.Predecessors() })
}

func (m *LTS) invert() *Predecessors {
	p := &Predecessors{sources: make([]State, len(m.targets))}
	p.labels, _ = m.labels.Moved(context.Background(), 0, len(m.targets), 0) // which has no budget
	if len(m.targets) > math.MaxUint32 {
		p.rows.wide = make([]uint64, m.NumStates()+1)
		invertInto(m, p, p.rows.wide)
	} else {
		p.rows.narrow = make([]uint32, m.NumStates()+1)
		invertInto(m, p, p.rows.narrow)
	}
	return p
}

func invertInto[I uint32 | uint64](m *LTS, p *Predecessors, rows []I) {
	switch {
	case m.labels.wide != nil:
		fillPredecessors(m, p, rows, m.labels.wide, p.labels.wide)
	case m.labels.middle != nil:
		fillPredecessors(m, p, rows, m.labels.middle, p.labels.middle)
	default:
		fillPredecessors(m, p, rows, m.labels.narrow, p.labels.narrow)
	}
}

// mostWorkers is the largest number of goroutines that share a pass.
const mostWorkers = 8

// fillPredecessors sorts the transitions into p by counting; it copies labels
// from those of m into those of p. Each core serves a range of targets, so that
// the result is the same for any number of cores.
func fillPredecessors[I uint32 | uint64, L uint8 | uint16 | Label](m *LTS, p *Predecessors, rows []I, from, into []L) {
	workers := 1
	if m.order == nil {
		workers = cores.For(len(m.targets), mostWorkers)
	}
	cores.InRanges(workers, m.NumStates(), func(_ int, least, end State) {
		for _, t := range m.targets {
			if t-least < end-least {
				rows[int(t)+1]++
			}
		}
	})
	// rows[s+1] becomes the begin of row s; filling the row moves it to the end
	// of the row.
	sum := I(0)
	for i, count := range rows {
		rows[i] = sum
		sum += count
	}
	cores.InRanges(workers, m.NumStates(), func(_ int, least, end State) {
		place := func(source State, l L, to State) {
			at := rows[int(to)+1]
			rows[int(to)+1]++
			into[at] = l
			p.sources[at] = source
		}
		if m.order != nil {
			sources := m.sources()
			for _, i := range m.order {
				place(sources[i], from[i], m.targets[i])
			}
			return
		}
		for s := range m.NumStates() {
			first, last := m.rows.bounds(State(s))
			labels := from[first:last]
			for i, t := range m.targets[first:last] {
				if t-least < end-least {
					place(State(s), labels[i], t)
				}
			}
		}
	})
}

// Graph is the reachable part of an LTS as a gonum graph, without a copy of it:
// its nodes are the reachable states (a [State] is its own node), and it has an
// edge from u to v if at least one transition leads from u to v. From lists the
// target of every transition, self-loops and parallel transitions included; the
// algorithms of gonum's topo package accept this.
type Graph struct{ m *LTS }

var _ graph.Directed = Graph{}

// Graph returns the view of the LTS for gonum's graph algorithms. Cost O(1); each
// method of the view has its own cost.
func (m *LTS) Graph() Graph { return Graph{m} }

// Node returns the state with this number, nil if it is unreachable or there
// is none. Cost O(1).
func (g Graph) Node(id int64) graph.Node {
	if !g.has(id) {
		return nil
	}
	return State(id)
}

func (g Graph) has(id int64) bool {
	return id >= 0 && id < int64(g.m.NumStates()) && g.m.Reachable().Has(State(id))
}

// Nodes returns the reachable states in ascending order. Cost O(1), and O(1) a
// step.
func (g Graph) Nodes() graph.Nodes {
	return &reachableNodes{m: g.m, left: g.m.Reachable().NumStates(), at: -1}
}

// From returns the targets of the transitions that leave the state, in row
// order. Cost O(out-degree).
func (g Graph) From(id int64) graph.Nodes {
	if !g.has(id) {
		return graph.Empty
	}
	_, targets := g.m.Out(State(id))
	return nodesOf(targets)
}

// To returns the sources of the transitions that enter the state from reachable
// states. Cost O(in-degree), after the predecessor rows have been built.
func (g Graph) To(id int64) graph.Nodes {
	if !g.has(id) {
		return graph.Empty
	}
	incoming := g.m.Incoming(State(id))
	sources := make([]State, len(incoming))
	for i, t := range incoming {
		sources[i] = t.From
	}
	return nodesOf(sources)
}

func nodesOf(states []State) graph.Nodes {
	if len(states) == 0 {
		return graph.Empty
	}
	nodes := make([]graph.Node, len(states))
	for i, s := range states {
		nodes[i] = s
	}
	return iterator.NewOrderedNodes(nodes)
}

// HasEdgeFromTo reports whether a transition leads from u to v. Cost
// O(out-degree of u).
func (g Graph) HasEdgeFromTo(u, v int64) bool {
	if !g.has(u) {
		return false
	}
	_, targets := g.m.Out(State(u))
	return g.has(v) && slices.Contains(targets, State(v))
}

// HasEdgeBetween reports whether a transition leads from x to y or back. Cost as
// HasEdgeFromTo, twice.
func (g Graph) HasEdgeBetween(x, y int64) bool {
	return g.HasEdgeFromTo(x, y) || g.HasEdgeFromTo(y, x)
}

// Edge returns the edge from u to v, nil if there is none. Cost as
// HasEdgeFromTo.
func (g Graph) Edge(u, v int64) graph.Edge {
	if !g.HasEdgeFromTo(u, v) {
		return nil
	}
	return edge{State(u), State(v)}
}

type edge struct{ from, to State }

func (e edge) From() graph.Node         { return e.from }
func (e edge) To() graph.Node           { return e.to }
func (e edge) ReversedEdge() graph.Edge { return edge{e.to, e.from} }

// reachableNodes iterates over the reachable states in ascending order.
type reachableNodes struct {
	m    *LTS
	left int
	at   int
}

func (n *reachableNodes) Next() bool {
	if n.left == 0 {
		return false
	}
	n.left--
	reach := n.m.Reachable()
	for n.at++; !reach.Has(State(n.at)); n.at++ {
	}
	return true
}

func (n *reachableNodes) Len() int         { return n.left }
func (n *reachableNodes) Node() graph.Node { return State(n.at) }
func (n *reachableNodes) Reset() {
	n.left = n.m.Reachable().NumStates()
	n.at = -1
}
