package lts

import (
	"context"
	"iter"
	"math"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/resources"
)

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

// invert returns the transitions by their targets.
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

// fillPredecessors sorts the transitions into p by counting. It copies labels from the slice from, which
// has those of m, to the slice into, which has those of p. Each core serves a range of targets, so that
// the result does not depend on the number of cores.
func fillPredecessors[I uint32 | uint64, L uint8 | uint16 | Label](m *LTS, p *Predecessors, rows []I, from, into []L) {
	workers := 1
	if m.order == nil {
		workers = cores.For(len(m.targets), mostWorkers)
	}
	// A core serves the targets t with least ≤ t < end. This is one comparison below, t-least < end-least,
	// since the difference of a smaller t is a very large number.
	cores.InRanges(workers, m.NumStates(), func(_ int, least, end State) {
		for _, t := range m.targets {
			if t-least < end-least {
				rows[int(t)+1]++
			}
		}
	})
	// rows[s+1] becomes the beginning of row s; filling the row moves it to the end of the row.
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
