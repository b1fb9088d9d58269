package aut

import (
	"context"
	"slices"
	"sync"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// columns holds transitions in the order of the text. When a block is handed
// over, a range of columns is reserved for it, which several goroutines fill at
// the same time.
//
// As long as sources ascend, the order of the text is the order of rows, and only
// the beginning of each row is kept. Otherwise the sources are a column, too,
// which is sorted at the end. Memory grows with what has been read: a source far
// beyond what the transitions so far justify also makes sources a column, because
// memory for rows up to it would rest on nothing but the header.
type columns struct {
	// states and declared are the numbers of states and transitions in the
	// header.
	states, declared uint64
	// borne reports whether the text is long enough for the declared transitions.
	borne bool
	// narrow is the largest number of transitions to which rows can point.
	narrow uint64

	// inUse is read-locked by goroutines that fill their ranges, and locked when
	// columns move to other memory.
	inUse   sync.RWMutex
	labels  lts.LabelColumn
	targets []lts.State
	// rows[s] is the index of the first transition whose source is s or larger,
	// for all s below begun.
	rows  []uint32
	begun uint64
	// sources is the column of sources if they do not ascend.
	sources   []uint32
	scattered bool
}

// columnRange is the range of columns for the transitions of a block.
type columnRange struct {
	// reserved is false for a block without a range.
	reserved bool
	first    uint64
	// begun is the number of rows that begin before the block.
	begun uint64
}

// reserve makes room for the transitions that a scanner has found, from index
// first on; alphabet is the number of labels so far. It is called for one block
// after the other, and ends the reading if the budget of ctx does not have the memory.
func (c *columns) reserve(ctx context.Context, s *scanner, first uint64, alphabet int) columnRange {
	n := len(s.found)
	if n == 0 {
		return columnRange{}
	}
	count := first + uint64(n)
	c.grow(ctx, first, count)
	c.widen(ctx, first, alphabet)
	if !c.scattered {
		from, last := uint64(s.found[0].From), uint64(s.found[n-1].From)
		if s.descends || from+1 < c.begun || last >= min(c.states, inputfile.MostStates(count)) || count > c.narrow {
			c.scatter(ctx, first)
		}
	}
	p := columnRange{reserved: true, first: first, begun: c.begun}
	if !c.scattered {
		c.begun = uint64(s.found[n-1].From) + 1
		c.growRows(ctx, p.begun)
	}
	c.inUse.RLock()
	return p
}

// ahead returns for how many rows or transitions memory is allocated when n of
// them exist and more will follow. A larger number is not justified by what has
// been read, and a smaller one would move rows or transitions more often. Memory
// that is never written to costs nothing. From a million on, about 30 MB of text,
// so much is allocated that a model moves at most once more; during a move the
// model is in memory twice.
func ahead(n uint64) uint64 {
	if n < 1<<20 {
		return 16 * n
	}
	return 1024 * n
}

// grow makes room for as many transitions as count says; the transitions below
// index first exist.
func (c *columns) grow(ctx context.Context, first, count uint64) {
	if count <= uint64(len(c.targets)) {
		return
	}
	room := c.declared
	if !c.borne {
		room = min(room, max(1<<16, ahead(count)))
	}
	if count > room {
		room = count + count/2
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.labels = abort.Must(c.labels.Moved(ctx, int(first), int(room), 0))
	c.targets = moved(ctx, c.targets[:first], room)
	if c.scattered {
		c.sources = moved(ctx, c.sources[:first], room)
	}
}

// widen makes room for labels below alphabet; the transitions below index first
// exist.
func (c *columns) widen(ctx context.Context, first uint64, alphabet int) {
	if c.labels.Fits(alphabet) {
		return
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.labels = abort.Must(c.labels.Moved(ctx, int(first), len(c.targets), alphabet))
}

// growRows makes room for the rows that have begun; rows with a number below
// the parameter before are filled, or being filled.
func (c *columns) growRows(ctx context.Context, before uint64) {
	if c.begun <= uint64(len(c.rows)) {
		return
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	room := c.states + 1
	if !c.borne || c.states > c.declared {
		room = min(room, max(1<<12, ahead(c.begun)))
	}
	c.rows = moved(ctx, c.rows[:before], room)
}

// moved returns a copy with room for n elements.
func moved[E any](ctx context.Context, from []E, n uint64) []E {
	to := abort.Must(resources.Make[E](ctx, int(n)))
	copy(to, from)
	return to
}

// scatter turns rows into a column of sources; the transitions below index
// first exist.
func (c *columns) scatter(ctx context.Context, first uint64) {
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.scattered = true
	c.sources = abort.Must(resources.Make[uint32](ctx, len(c.targets)))
	for s := range c.begun {
		end := first
		if s+1 < c.begun {
			end = uint64(c.rows[s+1])
		}
		for i := uint64(c.rows[s]); i < end; i++ {
			c.sources[i] = uint32(s)
		}
	}
	c.rows = nil
}

// put fills the range that was reserved.
func (c *columns) put(s *scanner, p columnRange) {
	if !p.reserved {
		return
	}
	defer c.inUse.RUnlock()
	found, numbers := s.found, s.numbers
	targets := c.targets[p.first:][:len(found)]
	s.renumbered = s.renumbered[:0]
	for i, t := range found {
		s.renumbered = append(s.renumbered, numbers[t.Label])
		targets[i] = t.To
	}
	c.labels.Put(int(p.first), s.renumbered)
	if c.scattered {
		sources := c.sources[p.first:][:len(found)]
		for i, t := range found {
			sources[i] = uint32(t.From)
		}
		return
	}
	putRows(c.rows, found, uint32(p.first), uint32(p.begun))
}

// putRows sets the beginnings of rows whose first transition is in found; first
// is the index of found[0]. Rows below begun belong to other blocks. It goes
// backwards, so that the index written last to a row is that of its first
// transition.
func putRows(rows []uint32, found []lts.Transition, first, begun uint32) {
	i := len(found) - 1
	next := uint32(found[i].From) + 1
	for ; i >= 0; i-- {
		from := uint32(found[i].From)
		if from < begun {
			break
		}
		for ; next > from+1; next-- {
			rows[next-1] = first + uint32(i) + 1
		}
		rows[from] = first + uint32(i)
		next = from
	}
	for ; next > begun; next-- {
		rows[next-1] = first + uint32(i+1)
	}
}

// lts returns the LTS of the transitions 0 to count-1.
func (c *columns) lts(ctx context.Context, initial lts.State, states, count uint64, alphabet *lts.Alphabet, workers int) *lts.LTS {
	if tooLong(c.targets, count) {
		abort.On(resources.Ask(ctx, 4*int64(count)))
		c.labels = abort.Must(c.labels.Moved(ctx, int(count), int(count), 0))
	}
	labels, targets := c.labels, fitted(c.targets, count)
	labels.Cut(int(count))
	if c.scattered {
		columns := lts.Columns{Sources: fitted(c.sources, count), Labels: labels, Targets: targets}
		c.sources, c.labels, c.targets = nil, lts.LabelColumn{}, nil
		return abort.Must(lts.FromColumns(ctx, initial, int(states), alphabet, columns, workers))
	}
	if uint64(len(c.rows)) < states+1 {
		c.rows = moved(ctx, c.rows[:c.begun], states+1)
	}
	rows := c.rows[:states+1]
	for s := c.begun; s <= states; s++ {
		rows[s] = uint32(count)
	}
	return abort.Must(lts.FromRows(initial, alphabet, rows, labels, targets))
}

// fitted returns the first n elements, copied if their memory is much larger.
func fitted[E any](all []E, n uint64) []E {
	if tooLong(all, n) {
		return slices.Clone(all[:n])
	}
	return all[:n]
}

func tooLong[E any](all []E, n uint64) bool { return uint64(cap(all))-n > n/4 }
