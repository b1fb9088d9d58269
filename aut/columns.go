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
// As long as sources ascend, the order of the text is the order of rows, and only the beginning of
// each row is kept. Otherwise the sources are a column, too, which is sorted at the end. Memory
// grows with what has been read: a source far beyond what the transitions so far justify also makes
// sources a column, because only the header would justify memory for the rows up to it.
type columns struct {
	// states and declared are the numbers of states and transitions in the
	// header.
	states, declared uint64
	// isLongEnough reports whether the text is long enough for the declared transitions.
	isLongEnough bool
	// mostForRows is the largest number of transitions to which rows can point.
	mostForRows uint64

	// inUse is read-locked by goroutines that fill their ranges, and locked when
	// columns move to other memory.
	inUse   sync.RWMutex
	labels  lts.LabelColumn
	targets []lts.State
	// rows[s] is the index of the first transition whose source is s or larger,
	// for all s below begunRows.
	rows      []uint32
	begunRows uint64
	// sources is the column of sources if they do not ascend.
	sources    []uint32
	hasSources bool
}

// columnRange is the range of columns for the transitions of a block.
type columnRange struct {
	// isReserved is false for a block without a range.
	isReserved bool
	first      uint64
	// rowsBefore is the number of rows that begin before the block.
	rowsBefore uint64
}

// reserve makes room for the transitions that a scanner has found, from index
// first on; alphabet is the number of labels so far. It is called for one block
// after the other, and ends the reading if the budget of ctx does not have the memory.
func (c *columns) reserve(
	ctx context.Context,
	s *scanner,
	first uint64,
	alphabet int,
) columnRange {
	count := len(s.found)
	if count == 0 {
		return columnRange{}
	}
	end := first + uint64(count)
	c.reserveTransitions(ctx, first, end)
	c.reserveLabels(ctx, first, alphabet)
	if !c.hasSources {
		from := uint64(s.found[0].From)
		last := uint64(s.found[count-1].From)
		isAscending := !s.descends && from+1 >= c.begunRows
		isRoomJustified := last < min(c.states, inputfile.MostStates(end)) && end <= c.mostForRows
		if !isAscending || !isRoomJustified {
			c.turnIntoSources(ctx, first)
		}
	}
	reserved := columnRange{isReserved: true, first: first, rowsBefore: c.begunRows}
	if !c.hasSources {
		c.begunRows = uint64(s.found[count-1].From) + 1
		c.reserveRows(ctx, reserved.rowsBefore)
	}
	c.inUse.RLock()
	return reserved
}

// allocationFor returns the number of rows or transitions for which memory is allocated if n of
// them exist and more will follow. What has been read does not justify a larger number, and with a
// smaller one rows or transitions would move more often. Memory that is never written to costs
// nothing. From a million on, about 30 MB of text, the number is so large that a model moves at
// most once more; during a move the model is in memory twice.
func allocationFor(n uint64) uint64 {
	if n < 1<<20 {
		return 16 * n
	}
	return 1024 * n
}

// reserveTransitions makes room for count transitions in all. There are already first of them.
func (c *columns) reserveTransitions(ctx context.Context, first, count uint64) {
	if count <= uint64(len(c.targets)) {
		return
	}
	room := c.declared
	if !c.isLongEnough {
		room = min(room, max(1<<16, allocationFor(count)))
	}
	if count > room {
		room = count + count/2
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.labels = abort.Must(c.labels.Moved(ctx, int(first), int(room), 0))
	c.targets = moved(ctx, c.targets[:first], room)
	if c.hasSources {
		c.sources = moved(ctx, c.sources[:first], room)
	}
}

// reserveLabels makes room for labels below alphabet; the transitions below index first
// exist.
func (c *columns) reserveLabels(ctx context.Context, first uint64, alphabet int) {
	if c.labels.Fits(alphabet) {
		return
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.labels = abort.Must(c.labels.Moved(ctx, int(first), len(c.targets), alphabet))
}

// reserveRows makes room for the rows that have begun. If it moves the rows to a larger slice, it
// copies only the first numRows: these are filled, or other goroutines are
// filling them.
//
// It makes room for all declared states at once if the length of the text makes their number
// plausible: if the declared transitions are at least as many, and the text has room for them.
// Otherwise the room grows with the rows, since a short text may declare very many states.
func (c *columns) reserveRows(ctx context.Context, numRows uint64) {
	if c.begunRows <= uint64(len(c.rows)) {
		return
	}
	c.inUse.Lock()
	defer c.inUse.Unlock()
	room := c.states + 1
	arePlausible := c.isLongEnough && c.states <= c.declared
	if !arePlausible {
		room = min(room, max(1<<12, allocationFor(c.begunRows)))
	}
	c.rows = moved(ctx, c.rows[:numRows], room)
}

// moved returns a copy with room for n elements.
func moved[E any](ctx context.Context, from []E, n uint64) []E {
	to := abort.Must(resources.Make[E](ctx, int(n)))
	copy(to, from)
	return to
}

// turnIntoSources turns rows into a column of sources; the transitions below index
// first exist.
func (c *columns) turnIntoSources(ctx context.Context, first uint64) {
	c.inUse.Lock()
	defer c.inUse.Unlock()
	c.hasSources = true
	c.sources = abort.Must(resources.Make[uint32](ctx, len(c.targets)))
	for state := range c.begunRows {
		end := first
		if state+1 < c.begunRows {
			end = uint64(c.rows[state+1])
		}
		for i := uint64(c.rows[state]); i < end; i++ {
			c.sources[i] = uint32(state)
		}
	}
	c.rows = nil
}

// put fills the range that was reserved.
func (c *columns) put(s *scanner, reserved columnRange) {
	if !reserved.isReserved {
		return
	}
	defer c.inUse.RUnlock()
	found := s.found
	numbers := s.numbers
	targets := c.targets[reserved.first:][:len(found)]
	s.renumbered = s.renumbered[:0]
	for i, t := range found {
		s.renumbered = append(s.renumbered, numbers[t.Label])
		targets[i] = t.To
	}
	c.labels.Put(int(reserved.first), s.renumbered)
	if !c.hasSources {
		putRows(c.rows, found, uint32(reserved.first), uint32(reserved.rowsBefore))
		return
	}
	sources := c.sources[reserved.first:][:len(found)]
	for i, t := range found {
		sources[i] = uint32(t.From)
	}
}

// putRows fills the rows that begin with transitions of a block, the first of which has index
// first. The rows below rowsBefore belong to other blocks. The loop goes backwards, so the last
// index that is written to a row is that of its first transition.
func putRows(rows []uint32, found []lts.Transition, first, rowsBefore uint32) {
	i := len(found) - 1
	next := uint32(found[i].From) + 1
	for ; i >= 0; i-- {
		from := uint32(found[i].From)
		if from < rowsBefore {
			break
		}
		for ; next > from+1; next-- {
			rows[next-1] = first + uint32(i) + 1
		}
		rows[from] = first + uint32(i)
		next = from
	}
	for ; next > rowsBefore; next-- {
		rows[next-1] = first + uint32(i+1)
	}
}

// lts returns the LTS of the transitions 0 to count-1.
func (c *columns) lts(
	ctx context.Context,
	initial lts.State,
	states, count uint64,
	alphabet *lts.Alphabet,
	workers int,
) *lts.LTS {
	if hasSpare(c.targets, count) {
		abort.On(resources.Ask(ctx, 4*int64(count)))
		c.labels = abort.Must(c.labels.Moved(ctx, int(count), int(count), 0))
	}
	labels := c.labels
	labels.Cut(int(count))
	targets := trimmed(c.targets, count)
	if c.hasSources {
		columns := lts.Columns{
			Sources: trimmed(c.sources, count),
			Labels:  labels,
			Targets: targets,
		}
		c.sources = nil
		c.labels = lts.LabelColumn{}
		c.targets = nil
		return abort.Must(lts.FromColumns(ctx, initial, int(states), alphabet, columns,
			workers))
	}
	if uint64(len(c.rows)) < states+1 {
		c.rows = moved(ctx, c.rows[:c.begunRows], states+1)
	}
	rows := c.rows[:states+1]
	for s := c.begunRows; s <= states; s++ {
		rows[s] = uint32(count)
	}
	return abort.Must(lts.FromRows(initial, alphabet, rows, labels, targets))
}

// trimmed returns the first n elements, copied if their memory is much larger.
func trimmed[E any](all []E, n uint64) []E {
	if hasSpare(all, n) {
		return slices.Clone(all[:n])
	}
	return all[:n]
}

func hasSpare[E any](all []E, n uint64) bool { return uint64(cap(all))-n > n/4 }
