package replay

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// unknown is the label of events that the model does not have; begins is the label of transitions
// that only lead to states where runs begin.
const (
	unknown = ^uint32(0)
	begins  = unknown - 1
)

// rows are the transitions of the searched model, by source: first the free ones, then the others,
// each by label. Transitions that agree in source, label and target occur once.
type rows struct {
	first, logged []uint32 // the free transitions of state s begin at first[s], its other transitions at logged[s]
	labels        []uint32 // the first label of the same text
	targets       []lts.State

	// can has, for each state, a bit for each label of its transitions, by the number of the
	// label modulo 64.
	can []uint64

	// The targets of all transitions with label l are into[of[l]:of[l+1]].
	of   []uint32
	into []lts.State
}

// newRows returns the rows of a model. Cost O(T log d) time for out-degrees up to d, 8 bytes a
// transition and 16 bytes a state.
func newRows(ctx context.Context, m *lts.LTS, free func(lts.State, lts.Label) (is, begins bool)) *rows {
	abort.On(resources.AskFor[[2]uint32](ctx, m.NumTransitions()+2*m.NumStates()))
	r := &rows{
		first: make([]uint32, 0, m.NumStates()+1), logged: make([]uint32, 0, m.NumStates()),
		can: make([]uint64, 0, m.NumStates()), labels: make([]uint32, 0, m.NumTransitions()), targets: make([]lts.State, 0, m.NumTransitions()),
	}
	type edge struct {
		free  int // 0 if the transition is free
		label uint32
		to    lts.State
	}
	var row []edge
	for s := range lts.State(m.NumStates()) {
		if s&(1<<14-1) == 0 {
			abort.On(ctx.Err())
		}
		row = row[:0]
		labels, targets := m.Out(s)
		for i, to := range targets {
			e := edge{1, uint32(m.Alphabet().Plain(labels.At(i))), to}
			is, first := free(s, labels.At(i))
			if is {
				e.free = 0
			}
			if first {
				e.label = begins
			}
			row = append(row, e)
		}
		slices.SortFunc(row, func(a, b edge) int {
			return cmp.Or(cmp.Compare(a.free, b.free), cmp.Compare(a.label, b.label), cmp.Compare(a.to, b.to))
		})
		row = slices.Compact(row)
		can := uint64(0)
		r.first = append(r.first, uint32(len(r.labels)))
		split := len(r.labels)
		for _, e := range row {
			r.labels, r.targets = append(r.labels, e.label), append(r.targets, e.to)
			can |= 1 << (e.label % 64)
			if e.free == 0 {
				split++
			}
		}
		r.logged = append(r.logged, uint32(split))
		r.can = append(r.can, can)
	}
	r.first = append(r.first, uint32(len(r.labels)))
	return r
}

// free returns the targets of transitions that cost nothing.
func (r *rows) free(s lts.State) []lts.State { return r.targets[r.first[s]:r.logged[s]] }

// others returns the targets of transitions that would have been logged.
func (r *rows) others(s lts.State) []lts.State { return r.targets[r.logged[s]:r.first[s+1]] }

// by returns the targets of transitions with a label, free or not.
func (r *rows) by(s lts.State, label uint32) []lts.State {
	if r.can[s]>>(label%64)&1 == 0 {
		return nil
	}
	first, logged, end := r.first[s], r.logged[s], r.first[s+1]
	if first < logged {
		// The label is in only one of the two ranges.
		if found := r.between(first, logged, label); len(found) > 0 {
			return found
		}
	}
	return r.between(logged, end, label)
}

// between returns the targets of transitions with a label in a range of a row.
func (r *rows) between(first, end, label uint32) []lts.State {
	if end-first > 8 {
		at, _ := slices.BinarySearch(r.labels[first:end], label)
		first += uint32(at)
	}
	for first < end && r.labels[first] < label {
		first++
	}
	last := first
	for last < end && r.labels[last] == label {
		last++
	}
	return r.targets[first:last]
}

// label returns the label of a transition between two states: preferably a free one if free is set,
// otherwise preferably one that is not free.
func (r *rows) label(from, to lts.State, free bool) (uint32, bool) {
	first, end := r.logged[from], r.first[from+1]
	if free {
		first, end = r.first[from], first
	}
	for i := first; i < end; i++ {
		if r.targets[i] == to {
			return r.labels[i], true
		}
	}
	return 0, false
}

// anywhere returns the targets of all transitions with a label.
func (r *rows) anywhere(label uint32, labels int) []lts.State {
	if r.of == nil {
		r.index(labels)
	}
	return r.into[r.of[label]:r.of[label+1]]
}

// index groups the transitions by label.
func (r *rows) index(labels int) {
	r.of = make([]uint32, labels+1)
	each := func(do func(label uint32, to lts.State)) {
		for s := range len(r.logged) {
			for i := r.first[s]; i < r.first[s+1]; i++ {
				if r.labels[i] != begins {
					do(r.labels[i], r.targets[i])
				}
			}
		}
	}
	each(func(l uint32, _ lts.State) { r.of[l+1]++ })
	for l := range labels {
		r.of[l+1] += r.of[l]
	}
	r.into = make([]lts.State, r.of[labels])
	next := slices.Clone(r.of)
	each(func(l uint32, to lts.State) {
		r.into[next[l]] = to
		next[l]++
	})
}
