package lts

import (
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
)

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
	over     *Alphabet // the alphabet of the LTS if the caller has given one, else nil
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

// Grow prepares the Builder for the given number of further transitions. This is only an optimisation: a
// caller that does not trust the number may pass a smaller one.
func (b *Builder) Grow(transitions int) {
	need := len(b.targets) + transitions
	if need > cap(b.targets) {
		exact, _ := b.labels.Moved(context.Background(), len(b.targets), need, 0) // which has no budget
		exact.Cut(len(b.targets))
		b.labels = exact
		b.targets = append(make([]State, 0, need), b.targets...)
	}
}

// Label returns the label with the given text; a new label if the text is new. Cost O(len(text)); the
// text is kept.
func (b *Builder) Label(text string) Label { return b.alphabet.Label(text) }

// Over gives the LTS an existing alphabet: labels have the numbers that they have
// in a, and [Builder.Label] must not be called. Cost O(1).
func (b *Builder) Over(a *Alphabet) { b.over = a }

// LabelBytes is [Builder.Label] for bytes that the caller may change later: they are copied, for new
// labels only.
func (b *Builder) LabelBytes(text []byte) Label { return b.alphabet.LabelBytes(text) }

// NumTransitions returns the number of transitions added so far.
func (b *Builder) NumTransitions() int {
	if b == nil {
		return 0
	}
	return len(b.targets)
}

// NumStates returns one more than the largest state number that an added
// transition mentions, 0 if there is none yet.
func (b *Builder) NumStates() int {
	if b == nil || len(b.targets) == 0 {
		return 0
	}
	return int(b.largest) + 1
}

// Add adds the transition from -label-> to. Labels come from [Builder.Label].
// Amortised cost O(1), and O(from) once.
func (b *Builder) Add(from State, label Label, to State) {
	if !b.scattered {
		descends := int(from)+1 < len(b.rows)
		if descends || len(b.targets) == math.MaxUint32 {
			b.scatter()
		}
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

// scatter replaces the rows by the source of each transition, since transitions are no longer added
// row by row.
func (b *Builder) scatter() {
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

// beginRows lets the first n rows, except those that have begun already, begin with the transition that
// is added next.
func (b *Builder) beginRows(n int) {
	if n > len(b.rows) {
		b.rows = slices.Grow(b.rows, n-len(b.rows))
	}
	for len(b.rows) < n {
		b.rows = append(b.rows, uint32(len(b.targets)))
	}
}

// Build returns the LTS with the given initial state and the states 0 to states-1. It fails if a state
// or label that was added is out of range. The Builder is empty afterwards. Cost O(S + T), and memory as
// for [FromColumns] if sources did not ascend.
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
		m.sort(context.Background(),
			Columns{Sources: b.sources, Labels: b.labels, Targets: b.targets}, states, 1)
	} else {
		b.beginRows(states + 1)
		m.rows.narrow = b.rows
	}
	m.alphabet = alphabet
	*b = Builder{}
	return m, nil
}
