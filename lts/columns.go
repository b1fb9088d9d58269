package lts

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/resources"
)

// FromRows returns the LTS of transitions that are sorted into rows: those that
// leave state s have the indices rows[s] to rows[s+1]-1 in labels and targets, so
// that rows has one element more than there are states. It is for readers that
// work without a [Builder]; the order of the rows is the order of addition.
//
// It fails if rows do not begin with 0, ascend and end with the number of
// transitions, or if a state or label is out of range. The slices become the
// LTS's own and must not be changed. Cost O(S + T) time, no memory.
func FromRows(
	initial State,
	alphabet *Alphabet,
	rows []uint32,
	labels LabelColumn,
	targets []State,
) (*LTS, error) {
	m := &LTS{
		initial:  initial,
		alphabet: alphabet,
		rows:     offsets{narrow: rows},
		labels:   labels,
		targets:  targets,
	}
	if err := m.validate(len(rows)-1, alphabet.Len()); err != nil {
		return nil, err
	}
	last := uint32(0)
	for s, first := range rows {
		beginsLate := s == 0 && first != 0
		if first < last || beginsLate {
			return nil, fmt.Errorf("lts: the row of state %d begins with transition %d, the one before with %d", s, first, last)
		}
		last = first
	}
	if int(last) != labels.Len() {
		return nil, fmt.Errorf("lts: rows for %d transitions, but %d labels", last,
			labels.Len())
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
func FromColumns(
	ctx context.Context,
	initial State,
	states int,
	alphabet *Alphabet,
	c Columns,
	workers int,
) (_ *LTS, err error) {
	defer abort.Caught(&err)
	m := &LTS{
		initial:  initial,
		alphabet: alphabet,
		labels:   c.Labels,
		targets:  c.Targets,
	}
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
		m.rows.narrow = rowsOf(c.Sources, states)
		return m, ctx.Err()
	}
	m.sort(ctx, c, states, workers)
	return m, nil
}

// rowsOf returns the rows of transitions with ascending sources: the transitions from state s begin at
// index rows[s].
func rowsOf(sources []uint32, states int) []uint32 {
	rows := make([]uint32, states+1)
	next := 0 // the first state whose row has not begun
	for i, s := range sources {
		for ; next <= int(s); next++ {
			rows[next] = uint32(i)
		}
	}
	for ; next <= states; next++ {
		rows[next] = uint32(len(sources))
	}
	return rows
}

// validate checks everything that does not depend on sources, for the given numbers of states and
// labels.
func (m *LTS) validate(states, labels int) error {
	switch {
	case states < 1:
		return errors.New("lts: an LTS has at least one state, its initial one")
	case int64(states) > MaxStates:
		return fmt.Errorf("lts: %d states, at most %d are possible", states, int64(MaxStates))
	case int64(m.initial) >= int64(states):
		return fmt.Errorf("lts: initial state %d is not below the number of states %d",
			m.initial, states)
	case m.labels.Len() != len(m.targets):
		return fmt.Errorf("lts: %d labels, but %d targets", m.labels.Len(), len(m.targets))
	}
	label := max(Label(largest(m.labels.narrow)), Label(largest(m.labels.middle)),
		largest(m.labels.wide))
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

// sortRange is the number of transitions that are sorted between two checks of the context.
const sortRange = 1 << 16

// sort moves the transitions from columns into rows. Each worker takes one range of them and counts its
// transitions by source; the counts of all workers show where in each row the transitions of a worker
// begin. Within a row, the ranges lie in their order, which makes the sorting stable.
func (m *LTS) sort(ctx context.Context, c Columns, states, workers int) {
	workers = max(1, min(workers, len(c.Sources)/sortRange))
	n := len(c.Sources)
	abort.On(resources.Ask(ctx,
		4*int64(states)*int64(workers+1)+int64(4+c.Labels.Width())*int64(n)))
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

// sortColumns puts the labels and targets of transitions into rows by their sources.
func sortColumns[N uint32 | uint64](
	ctx context.Context,
	m *LTS,
	rows []N,
	c Columns,
	workers int,
) {
	x := columnSort[N]{m: m, rows: rows, columns: c, workers: workers}
	switch {
	case c.Labels.wide != nil:
		sortLabels(ctx, x, c.Labels.wide, m.labels.wide)
	case c.Labels.middle != nil:
		sortLabels(ctx, x, c.Labels.middle, m.labels.middle)
	default:
		sortLabels(ctx, x, c.Labels.narrow, m.labels.narrow)
	}
}

// columnSort is a sort of the transitions of columns into the rows of a model.
type columnSort[N uint32 | uint64] struct {
	m       *LTS
	rows    []N // of m
	columns Columns
	workers int
}

// sortLabels fills the rows of the model: it copies the labels of the columns, given as from, into the
// labels of the model, given as to. If the model keeps the order of addition, the order is written over
// the sources.
func sortLabels[N uint32 | uint64, L uint8 | uint16 | Label](ctx context.Context, x columnSort[N], from, to []L) {
	m := x.m
	sources := x.columns.Sources
	next := x.places(ctx)
	forShares(ctx, len(sources), x.workers, func(worker, first, end int) {
		next := next[worker]
		labels := from[first:end]
		targets := x.columns.Targets[first:end]
		for i, s := range sources[first:end] {
			place := next[s]
			next[s]++
			to[place] = labels[i]
			m.targets[place] = targets[i]
			if m.order != nil {
				m.order[first+i] = uint32(place)
			}
		}
	})
}

// places sets the rows, and returns, for each worker and source, the place of the worker's first transition
// from this source.
func (x columnSort[N]) places(ctx context.Context) [][]N {
	next := make([][]N, x.workers) // at first the number of transitions
	forShares(ctx, len(x.columns.Sources), x.workers, func(worker, first, end int) {
		if next[worker] == nil {
			next[worker] = make([]N, len(x.rows)-1)
		}
		for _, s := range x.columns.Sources[first:end] {
			next[worker][s]++
		}
	})
	place := N(0)
	for s := range len(x.rows) - 1 {
		for _, counts := range next {
			count := counts[s]
			counts[s] = place
			place += count
		}
		x.rows[s+1] = place
	}
	return next
}

// forShares divides the numbers 0 to n-1 among workers goroutines. Each goroutine calls do for short
// consecutive ranges of its share.
func forShares(ctx context.Context, n, workers int, do func(worker, first, end int)) {
	size := (n + workers - 1) / workers
	abort.On(cores.Try(workers, func(worker int) error {
		end := min((worker+1)*size, n)
		for first := worker * size; first < end; first += sortRange {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(worker, first, min(first+sortRange, end))
		}
		return nil
	}))
}
