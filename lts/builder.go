package lts

import (
	"errors"
	"fmt"
	"math"
)

// Builder collects the transitions of an LTS in any order. The zero Builder is
// ready for use; it is for one goroutine.
//
// For as long as the sources of added transitions never decrease, the rows are
// already in order and nothing but them is kept: 8 bytes a transition. The
// first source that is smaller than the one before it makes the Builder keep
// sources too, and Build sort.
type Builder struct {
	texts   []string
	numbers map[string]Label

	labels  []Label
	targets []State
	// counts[s+1] is the number of transitions that leave s.
	counts []uint64
	last   State
	// sources is nil while sources ascend.
	sources []State
	largest int64
}

// Grow prepares the Builder for this many further transitions. It is an
// optimisation only: a caller that does not trust the number may pass less.
func (b *Builder) Grow(transitions int) {
	if need := len(b.labels) + transitions; need > cap(b.labels) {
		b.labels = append(make([]Label, 0, need), b.labels...)
		b.targets = append(make([]State, 0, need), b.targets...)
	}
}

// Label returns the label with this text, a new one where it is seen for the
// first time. Cost O(len(text)); the text is kept.
func (b *Builder) Label(text string) Label {
	if l, ok := b.numbers[text]; ok {
		return l
	}
	return b.addLabel(text)
}

// LabelBytes is Label for bytes that the caller goes on to change: it allocates
// for new labels only.
func (b *Builder) LabelBytes(text []byte) Label {
	if l, ok := b.numbers[string(text)]; ok {
		return l
	}
	return b.addLabel(string(text))
}

func (b *Builder) addLabel(text string) Label {
	if b.numbers == nil {
		b.numbers = make(map[string]Label)
	}
	l := Label(len(b.texts))
	b.numbers[text] = l
	b.texts = append(b.texts, text)
	return l
}

// NumTransitions returns the number of transitions added so far.
func (b *Builder) NumTransitions() int { return len(b.labels) }

// NumStates returns one more than the largest state number that an added
// transition mentions, 0 where there is none yet.
func (b *Builder) NumStates() int {
	if len(b.labels) == 0 {
		return 0
	}
	return int(b.largest) + 1
}

// Add adds the transition from -label-> to. Labels come from [Builder.Label].
// Amortised cost O(1).
func (b *Builder) Add(from State, label Label, to State) {
	if need := int(from) + 2; need > len(b.counts) {
		if need <= cap(b.counts) {
			b.counts = b.counts[:need]
		} else {
			b.counts = append(make([]uint64, 0, need+need/2), b.counts...)[:need]
		}
	}
	b.counts[int(from)+1]++
	b.largest = max(b.largest, int64(from), int64(to))
	if b.sources != nil {
		b.sources = append(b.sources, from)
	} else if from < b.last {
		b.keepSources(from)
	}
	b.last = from
	b.labels = append(b.labels, label)
	b.targets = append(b.targets, to)
}

// keepSources writes out the sources that the ascending order implied so far,
// and adds from, which breaks that order (and is counted already).
func (b *Builder) keepSources(from State) {
	b.sources = make([]State, 0, cap(b.labels)+1)
	for s, n := range b.counts[1:] {
		if s == int(from) {
			n--
		}
		for range n {
			b.sources = append(b.sources, State(s))
		}
	}
	b.sources = append(b.sources, from)
}

// Build returns the LTS with this initial state and the states 0 to states-1.
// It fails where a state or label that was added is out of range. The Builder
// is empty afterwards. Cost O(S + T), and 4 bytes a transition for the order of
// addition where sources did not ascend.
func (b *Builder) Build(initial State, states int) (*LTS, error) {
	if states < 1 {
		return nil, errors.New("lts: an LTS has at least one state, its initial one")
	}
	if int64(states) > MaxStates {
		return nil, fmt.Errorf("lts: %d states, at most %d are possible", states, int64(MaxStates))
	}
	if int(initial) >= states {
		return nil, fmt.Errorf("lts: initial state %d is not below the number of states %d", initial, states)
	}
	if b.NumStates() > states {
		return nil, fmt.Errorf("lts: a transition mentions state %d, which is not below the number of states %d", b.largest, states)
	}
	for _, l := range b.labels {
		if int(l) >= len(b.texts) {
			return nil, fmt.Errorf("lts: a transition has label number %d of %d", l, len(b.texts))
		}
	}
	alphabet, err := NewAlphabet(b.texts)
	if err != nil {
		return nil, err
	}
	m := &LTS{initial: initial, alphabet: alphabet, labels: b.labels, targets: b.targets}
	counts := b.counts
	if len(counts) < states+1 {
		counts = append(make([]uint64, 0, states+1), counts...)[:states+1]
	}
	m.rows = sortedOffsets(counts)
	if b.sources != nil {
		m.sortRows(b.sources)
	}
	*b = Builder{}
	return m, nil
}

// sortRows moves the transitions, still in the order of addition, into their
// rows by counting sort: stable, so that a row keeps that order.
func (m *LTS) sortRows(sources []State) {
	next := make([]uint64, m.NumStates())
	for s := range next {
		next[s], _ = m.rows.bounds(State(s))
	}
	labels, targets := m.labels, m.targets
	m.labels = make([]Label, len(labels))
	m.targets = make([]State, len(targets))
	if len(labels) <= math.MaxUint32 {
		m.order = make([]uint32, len(labels))
	}
	for i, s := range sources {
		at := next[s]
		next[s]++
		m.labels[at] = labels[i]
		m.targets[at] = targets[i]
		if m.order != nil {
			m.order[i] = uint32(at)
		}
	}
}
